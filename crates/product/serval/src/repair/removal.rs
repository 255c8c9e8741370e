//! Removing `yield`s; the head of `repair` says why that is sound.

use serval_compile::Prepared;
use serval_format::Style as FormatStyle;
use serval_proof::RunCertificate;

use super::change::ProgramChange;
use super::clean::remove;
use super::edit::finished;
use super::hitting::{Conflict, Set, any_of};
use super::switches::switches;
use super::yields::{Yield, without};

/// Removing `yield`s.
pub(crate) struct Removal<'a> {
    pub(crate) text: &'a str,
    /// Those that may go.
    pub(crate) yields: &'a [Yield],
    /// Whether there are others, which have to stay.
    pub(crate) kept: bool,
    pub(crate) style: &'a FormatStyle,
}

impl ProgramChange for Removal<'_> {
    fn count(&self) -> usize {
        self.yields.len()
    }

    fn changed(&self, set: &Set) -> String {
        without(self.text, self.yields, set)
    }

    fn written(&self, set: &Set) -> Vec<(String, String)> {
        let edited = [true, false].map(|statements| remove(self.text, self.yields, set, statements));
        edited.iter().map(|edited| finished(self.text, edited, self.style)).collect()
    }

    fn conflict(&self, prepared: &Prepared, component: usize, run: &RunCertificate) -> Option<Conflict> {
        switches(prepared, component, run, self.yields).map(any_of)
    }

    fn of_requests(&self, names: &[&str]) -> Set {
        let within = |one: &Yield| one.requests.iter().any(|name| names.contains(&name.as_str()));
        (0..self.yields.len()).filter(|&index| within(&self.yields[index])).collect()
    }

    fn keeps_places(&self) -> bool {
        true
    }

    fn excuses(&self) -> [&'static str; 3] {
        if self.kept {
            return [
                "every `yield` has to stay",
                "not serializable even without the `yield`s that need not stay",
                "every set of `yield`s that would do is needed by some request",
            ];
        }
        [
            "there is no `yield` to remove: requests wait in `lock` and `await` only",
            "not serializable even without any `yield`: the waits in `lock` and `await` are enough",
            "every set of `yield`s that would do is needed by some request",
        ]
    }
}
