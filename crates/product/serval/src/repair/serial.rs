//! Whether a changed program answers as before where requests run one at a time.
//!
//! A repair is no way out: one at a time it gives the answers that the program gave, but for refusals that it adds and
//! names. So for words of up to three letters, a letter being a request with its answer, let `A` be what the program
//! gives and `B` what the changed one gives. Wanted is `A ⊆ B`, and that each word of `B` is in `A` once some letters
//! that are added refusals are taken out of it: a refusal that is added leaves everything as it was.
//!
//! **Lemma.** *Both hold if the walk below does not fail.* The walk goes through all words of `B` of that length, with
//! the sets of global states in which the program, with its added refusals as letters that change nothing, and the
//! changed one can be after that word. A letter that leads out of one set and not of the other is a word of one and not
//! of the other; a pair of sets that was met with as many letters left is not looked at again, as its words are the
//! same. ∎
//!
//! The serial answers are enumerated on the program as published, without any optimisation, with all requests in one
//! system.

use std::collections::{BTreeMap, BTreeSet};

use serval_budget::{Budget, Cancel};
use serval_compile::{Lazy, Mode, Options, Prepared};
use serval_model::{GlobalId, Moves, Named, RequestId, SerialExplorer};
use serval_syntax::Program;

/// Letters of the words that are compared.
pub(crate) const LETTERS: usize = 3;
/// Ticks for one comparison.
const SERIAL_TICKS: u64 = 2_000_000;

/// The name of a request, without its parameters, and an answer.
pub(crate) type AddedRefusal = (String, String);

/// Whether both programs answer alike, as far as the head says; `None` if there is too much to compare.
pub(crate) fn same_alone(before: &Program, after: &Program, refusals: &BTreeSet<AddedRefusal>, cancel: &Cancel) -> Option<bool> {
    if before.many.is_some() || after.many.is_some() {
        // Of such requests only some are there, and some are not all.
        return None;
    }
    let plain = Options { mode: Mode::Plain, ..Options::default() };
    let prepared = [before, after].map(|program| Prepared::new(program, plain));
    let [before, after] = prepared.each_ref().map(|prepared| SerialExplorer::new(prepared.lazy(0)));
    let budget = Budget::new(SERIAL_TICKS, cancel.clone());
    let mut walk = SerialWalk { before, after, refusals, budget, seen: BTreeSet::new() };
    let states = |explorer: &SerialExplorer<Lazy<'_>>| BTreeSet::from([explorer.system().initial_global()]);
    let (first, second) = (states(&walk.before), states(&walk.after));
    walk.same(first, second, LETTERS)
}

/// Those of these answers that the request gives in no word of up to three letters: they say that others were there.
/// Nothing if there is too much to look at.
pub(crate) fn about_others(program: &Program, answers: BTreeSet<AddedRefusal>, cancel: &Cancel) -> BTreeSet<AddedRefusal> {
    if program.many.is_some() {
        return BTreeSet::new();
    }
    let plain = Options { mode: Mode::Plain, ..Options::default() };
    let prepared = Prepared::new(program, plain);
    let mut explorer = SerialExplorer::new(prepared.lazy(0));
    let mut budget = Budget::new(SERIAL_TICKS, cancel.clone());
    let mut globals = Globals::from([explorer.system().initial_global()]);
    let mut left = answers;
    for _ in 0..LETTERS {
        let Some(letters) = letters(&mut explorer, &globals, &mut budget) else { return BTreeSet::new() };
        left.retain(|answer| !letters.contains_key(answer));
        globals = letters.into_values().flatten().collect();
    }
    left
}

type Globals = BTreeSet<GlobalId>;
/// Where each letter leads.
type Letters = BTreeMap<AddedRefusal, Globals>;

struct SerialWalk<'a> {
    before: SerialExplorer<Lazy<'a>>,
    after: SerialExplorer<Lazy<'a>>,
    refusals: &'a BTreeSet<AddedRefusal>,
    budget: Budget,
    seen: BTreeSet<(usize, Globals, Globals)>,
}

impl SerialWalk<'_> {
    /// Whether the words of so many letters from these states on are the same.
    fn same(&mut self, before: Globals, after: Globals, left: usize) -> Option<bool> {
        if left == 0 || !self.seen.insert((left, before.clone(), after.clone())) {
            return Some(true);
        }
        let mut ours = letters(&mut self.before, &before, &mut self.budget)?;
        let theirs = letters(&mut self.after, &after, &mut self.budget)?;
        for letter in theirs.keys().filter(|letter| is_added(self.refusals, letter)) {
            ours.entry(letter.clone()).or_default().extend(&before);
        }
        if !ours.keys().eq(theirs.keys()) {
            return Some(false);
        }
        for ((_, before), (_, after)) in ours.into_iter().zip(theirs) {
            if !self.same(before, after, left - 1)? {
                return Some(false);
            }
        }
        Some(true)
    }
}

/// Whether this is an added refusal, of whichever parameters.
fn is_added(refusals: &BTreeSet<AddedRefusal>, (request, answer): &AddedRefusal) -> bool {
    let name = request.split('(').next().unwrap_or_default();
    refusals.contains(&(name.to_owned(), answer.clone()))
}

fn letters(explorer: &mut SerialExplorer<Lazy<'_>>, globals: &Globals, budget: &mut Budget) -> Option<Letters> {
    let requests: BTreeSet<RequestId> = explorer.system().starts().iter().map(|start| start.0).collect();
    let mut found = Letters::new();
    for &global in globals {
        for &request in &requests {
            let results = explorer.alone(request, global, budget).ok()?.to_vec();
            for (answer, after) in results {
                let letter = (explorer.system().request_name(request), explorer.system().response_name(answer));
                found.entry(letter).or_default().insert(after);
            }
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(before: &str, after: &str, refusals: &[(&str, &str)]) -> Option<bool> {
        let [before, after] = [before, after].map(|text| serval_syntax::analyze(text).program.unwrap());
        let refusals = refusals.iter().map(|(request, answer)| ((*request).to_owned(), (*answer).to_owned())).collect();
        same_alone(&before, &after, &refusals, &Cancel::new())
    }

    #[test]
    fn answers_one_at_a_time_are_compared_three_in_a_row() {
        let counter = "request a { X += 1; yield; X }";
        assert_eq!(same(counter, "request a { yield; X += 1; X }", &[]), Some(true));
        assert_eq!(same(counter, "request a { X += 1; 1 }", &[]), Some(false));
        // The fourth answer is not looked at.
        assert_eq!(same(counter, "request a { if (X < 3) { X += 1 }; X }", &[]), Some(true));
        assert_eq!(same(counter, "request a { if (X < 2) { X += 1 }; X }", &[]), Some(false));
    }

    #[test]
    fn refusals_that_are_named_may_be_added_and_change_nothing() {
        let counter = "request a(n: 0..1) { X += 1; X }";
        let refuses = "request a(n: 0..1) { if (?) { return 409 }; X += 1; X }";
        assert_eq!(same(counter, refuses, &[]), Some(false));
        assert_eq!(same(counter, refuses, &[("a", "409")]), Some(true));
        assert_eq!(same(counter, "request a(n: 0..1) { X += 1; if (?) { return 409 }; X }", &[("a", "409")]), Some(false));
        // Who refuses always gives no other answer.
        assert_eq!(same(counter, "request a(n: 0..1) { return 409 }", &[("a", "409")]), Some(false));
    }
}
