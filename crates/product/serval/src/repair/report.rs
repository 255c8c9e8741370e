//! What was found, as `serval fix` reports it.

use serval_report::Verdict;
use serval_report::fix::{FixReport, Fixable, OfferedFix, RefusedFix, What};

use super::{Fix, Harmful, Outcome, Repair};
use crate::hint::kept_pauses;

/// What is listed at most where something keeps every pause.
const PROPOSED: usize = 3;

/// All removals, and requests under a lock, that are proved to do: fixes, or sets of which a part may be enough.
fn offered_fixes(repaired: &Repair) -> &[Fix] {
    let fixes = match &repaired.outcome {
        Outcome::Fixed(fixes) => fixes,
        _ => &repaired.candidates,
    };
    let room = if repaired.kept.is_empty() { fixes.len() } else { PROPOSED.saturating_sub(repaired.kept.len()) };
    &fixes[..room.min(fixes.len())]
}

/// The texts that are offered, in the order of their numbers.
pub fn offered_texts(repaired: &Repair) -> Vec<&str> {
    let kept = repaired.kept.iter().map(|kept| kept.text.as_str());
    kept.chain(offered_fixes(repaired).iter().map(|fix| fix.text.as_str())).collect()
}

/// The report on a file: what `serval fix` says. The lock is the one that was asked for, and `stopped` is what has
/// ended the search from outside.
pub fn report(name: &str, repaired: &Repair, lock: Option<&str>, stopped: Option<String>) -> FixReport {
    let place = |&index: &usize| repaired.yields.get(index).map(|one| ([one.place.line, one.place.column], one.requests.clone()));
    let (verdict, fix, reason) = match &repaired.outcome {
        Outcome::Serializable => (Verdict::Serializable, Fixable::NotNeeded, None),
        Outcome::Fixed(_) => (Verdict::NotSerializable, Fixable::Found, None),
        _ if !repaired.kept.is_empty() => (Verdict::NotSerializable, Fixable::Found, None),
        Outcome::NoFix(why) => (Verdict::NotSerializable, Fixable::None, Some(why.clone())),
        // What is proved is offered, even if a part of it may be enough.
        Outcome::Undecided(..) if !repaired.candidates.is_empty() => (Verdict::NotSerializable, Fixable::Found, None),
        Outcome::Undecided(why, refuted) => {
            let verdict = if *refuted { Verdict::NotSerializable } else { Verdict::Unknown };
            (verdict, Fixable::Unknown, Some(stopped.unwrap_or_else(|| why.clone())))
        }
        Outcome::Unusable(_) | Outcome::Refused(_) => (Verdict::Error, Fixable::Unknown, None),
    };
    let verdict = if repaired.fault.is_some() { Verdict::Fault } else { verdict };
    let fixes = offered_fixes(repaired);
    let what = |set: &[usize]| match lock {
        Some(lock) => {
            let requests = set.iter().filter_map(|&index| repaired.requests.get(index)).cloned().collect();
            What::Lock { lock: lock.to_owned(), requests }
        }
        None => {
            let (yields, requests) = set.iter().filter_map(place).unzip();
            let step = |&index: &usize| repaired.yields.get(index).and_then(|one| one.step);
            let steps = set.iter().map(step).collect::<Option<Vec<_>>>().unwrap_or_default();
            What::Remove { yields, requests, steps }
        }
    };
    let offered = |fix: &Fix| OfferedFix { what: what(&fix.set), verified: true, diff: fix.diff.clone() };
    let kept = repaired.kept.iter().map(|kept| OfferedFix { what: What::Keep(kept_pauses(kept)), verified: true, diff: kept.diff.clone() });
    let refused = |set: &Harmful| RefusedFix { what: what(&set.set), why: set.why.clone() };
    FixReport {
        schema: 1,
        file: name.to_owned(),
        verdict,
        fix,
        fixes: kept.chain(fixes.iter().map(offered)).collect(),
        smallest: repaired.smallest && repaired.candidates.is_empty(),
        refused: repaired.harmful.iter().map(refused).collect(),
        fault: repaired.fault.clone(),
        reason,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_proved_is_offered_even_if_a_part_of_it_may_be_enough() {
        let fix = Fix { set: Vec::new(), text: String::new(), diff: String::new(), certificate: String::new() };
        let undecided = Outcome::Undecided("more than 10 sets".to_owned(), true);
        let open = Repair { outcome: undecided.clone(), candidates: vec![fix], ..Repair::default() };
        let told = report("a.ser", &open, None, Some("stopped".to_owned()));
        assert_eq!((told.verdict, told.fix, told.fixes.len(), told.smallest), (Verdict::NotSerializable, Fixable::Found, 1, false));
        assert!(told.to_text(true).starts_with("not serializable  a.ser   1 fix, which may not be the smallest\n"));
        // Where nothing is proved nothing is offered.
        let told = report("a.ser", &Repair { outcome: undecided, ..Repair::default() }, None, None);
        assert_eq!((told.fix, told.fixes.len(), told.reason.as_deref()), (Fixable::Unknown, 0, Some("more than 10 sets")));
    }
}
