//! What a report on a counterexample says about fixes.

use serval_budget::Cancel;
use serval_proof::RunCertificate;
use serval_report::fix::{FixHint, Fixable};

use crate::Input;
use crate::repair::{Options, Outcome, repair_refuted};

/// Looks for fixes of a program that this run refutes, with little effort.
pub(crate) fn hint(input: &Input, run: &RunCertificate, component: usize, jobs: usize, cancel: &Cancel) -> Option<FixHint> {
    let repaired = repair_refuted(input, run, component, Options { jobs, ..Options::hint() }, cancel);
    let (outcome, reason) = match &repaired.outcome {
        // What will do is worth a line, even if a part of it may be enough.
        Outcome::Undecided(..) if !repaired.candidates.is_empty() => (Fixable::Found, None),
        Outcome::Fixed(_) => (Fixable::Found, None),
        Outcome::NoFix(why) => (Fixable::None, Some(why.clone())),
        Outcome::Undecided(why, _) => (Fixable::Unknown, Some(why.clone())),
        Outcome::Refused(why) => (Fixable::Unknown, Some(format!("the checker refuses our evidence for a fix, a bug in serval: {why}"))),
        Outcome::Serializable | Outcome::Unusable(_) => return None,
    };
    let fixes = match &repaired.outcome {
        Outcome::Fixed(fixes) => fixes.as_slice(),
        _ => repaired.candidates.as_slice(),
    };
    let place = |&index: &usize| repaired.yields.get(index).map(|one| [one.place.line, one.place.column]);
    let alternatives = fixes.iter().map(|fix| fix.set.iter().filter_map(place).collect()).collect();
    Some(FixHint { outcome, alternatives, smallest: repaired.smallest && repaired.candidates.is_empty(), reason })
}
