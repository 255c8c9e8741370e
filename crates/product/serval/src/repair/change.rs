//! What can be changed: `yield`s removed, or requests put behind a lock.

use serval_compile::Prepared;
use serval_proof::RunCertificate;

use super::hitting::{Conflict, Set};

/// One way to change a program, by sets of positions.
///
/// Larger sets have fewer runs, and all have the same serial answers; the
/// lemmas are where the ways are.
pub(crate) trait ProgramChange {
    /// How many positions there are.
    fn count(&self) -> usize;

    /// The program changed by a set, to decide about.
    fn changed(&self, set: &Set) -> String;

    /// The same as people would write it, with how it differs in the form of
    /// `diff -u`; the best first.
    fn written(&self, set: &Set) -> Vec<(String, String)>;

    /// What every fix has to hold one of, as this run of a component of a
    /// changed program shows; `None` if the run cannot be followed.
    fn conflict(&self, prepared: &Prepared, component: usize, run: &RunCertificate) -> Option<Conflict>;

    /// The positions that change requests of these names.
    fn of_requests(&self, names: &[&str]) -> Set;

    /// Whether everything stays at its place in [`changed`](Self::changed).
    fn keeps_places(&self) -> bool;

    /// Why there is no fix where there is nothing to change, where changing
    /// all of it does not help, and where all that would help does harm.
    fn excuses(&self) -> [&'static str; 3];
}
