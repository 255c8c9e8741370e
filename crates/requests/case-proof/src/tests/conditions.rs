//! Each condition is needed, and what is accepted is what was found.

use serval_budget::{Cancel, Stopped};
use serval_proof::{Caps, CasesProof, Condition, Input, Refusal, Systems, Work};

use super::switch::without;
use super::{check, counter, form, proof, tally};
use crate::{Entry, WithNets, entries, text};

fn condition(checked: &Result<(), Refusal<std::convert::Infallible>>) -> Option<Condition> {
    match checked {
        Err(Refusal::Invalid(rejection)) => Condition::ALL.iter().copied().find(|&one| rejection.condition == one),
        _ => None,
    }
}

#[test]
fn a_proof_that_was_found_is_accepted() {
    let form = form(&counter(false));
    let proof = proof();
    assert_eq!(check(&form, &proof), Ok(()));
    let entries = entries(&proof.cases).unwrap();
    assert_eq!(text(&entries), proof.cases);
    let kinds = tally(entries.iter().map(|entry| match entry {
        Entry::Split(_) => "split",
        Entry::Excluded(evidence) => evidence.kind(),
    }));
    assert!(kinds["split"] >= 1 && kinds["equation"] >= 2, "{kinds:?}");
}

/// Proofs of what is not so, each refused for one condition and accepted without it.
#[test]
fn every_condition_is_needed() {
    let wrong = form(&counter(true));
    let right = proof();
    // Its tree is about another net.
    let excluded: Vec<Entry> =
        entries(&right.cases).unwrap().into_iter().filter(|entry| matches!(entry, Entry::Excluded(_))).take(1).collect();
    let cases = [
        (Condition::CasesRead, "[{\"split\":0,\"split\":0}]".to_owned()),
        (Condition::CasesRead, "[{\"split\":-1}]".to_owned()),
        (Condition::CasesRead, "[[0]]".to_owned()),
        (Condition::CasesRead, "[{\"excluded\":{\"equation\":{\"traps\":[],\"tree\":[],\"more\":1}}}]".to_owned()),
        (Condition::CasesOpen, "[]".to_owned()),
        (Condition::CasesSplit, "[{\"split\":0}]".to_owned()),
        (Condition::CasesExcluded, text(&excluded)),
        // A run shows that a goal can be reached, not that it cannot.
        (Condition::CasesExcluded, "[{\"excluded\":{\"run\":{\"word\":[]}}}]".to_owned()),
    ];
    for (missed, cases) in cases {
        let proof = CasesProof { cases, ..CasesProof::default() };
        assert_eq!(condition(&check(&wrong, &proof)), Some(missed), "{}", proof.cases);
        assert_eq!(without(missed, || check(&wrong, &proof)), Ok(()), "{}", proof.cases);
    }
}

/// Entries that are left over, and whatever is dropped from a proof.
#[test]
fn a_proof_has_as_many_entries_as_it_needs() {
    let form = form(&counter(false));
    let proof = proof();
    let all = entries(&proof.cases).unwrap();
    let mut more = all.clone();
    more.push(Entry::Split(0));
    let more = CasesProof { cases: text(&more), ..proof.clone() };
    assert_eq!(condition(&check(&form, &more)), Some(Condition::CasesRest));
    assert_eq!(without(Condition::CasesRest, || check(&form, &more)), Ok(()));
    for at in 0..all.len() {
        let mut fewer = all.clone();
        fewer.remove(at);
        let fewer = CasesProof { cases: text(&fewer), ..proof.clone() };
        assert!(condition(&check(&form, &fewer)).is_some(), "without entry {at}");
    }
    for at in 0..proof.sets.len() {
        let mut fewer = proof.clone();
        fewer.sets.remove(at);
        assert!(condition(&check(&form, &fewer)).is_some(), "without set {at}");
    }
}

/// Sets are checked as those of other kinds are.
#[test]
fn a_set_contains_serial_answers_only() {
    let form = form(&counter(false));
    let proof = proof();
    for (set, at) in proof.sets.iter().zip(0..) {
        for edge in 0..set.base.len() {
            let mut other = proof.clone();
            other.sets[at].base.remove(edge);
            assert!(condition(&check(&form, &other)).is_some());
        }
        for period in 0..set.periods.len() {
            let mut other = proof.clone();
            other.sets[at].periods[period].edges.remove(0);
            assert_eq!(condition(&check(&form, &other)), Some(Condition::FlowPeriod));
        }
    }
}

/// Who knows nothing of nets refuses; who does answers as before in all else.
#[test]
fn only_who_knows_nets_checks() {
    let system = counter(false);
    let form = form(&system);
    let proof = proof();
    let input = || Systems { text: "", systems: vec![&system] };
    let mut work = Work::new(&Caps::default(), &Cancel::new());
    assert_eq!(condition(&input().check_cases(form.clone(), &proof, &mut work)), Some(Condition::CasesNets));
    assert_eq!(WithNets(input()).check_cases(form, &proof, &mut work), Ok(()));
    assert_eq!(WithNets(input()).components(), 1);
    assert_eq!(WithNets(input()).text(), "");
}

#[test]
fn work_is_bounded() {
    let form = form(&counter(false));
    let proof = proof();
    for ticks in [0, 10, 100] {
        let mut work = Work::new(&Caps { ticks, ..Caps::default() }, &Cancel::new());
        assert!(matches!(crate::check(form.clone(), &proof, &mut work), Err(Refusal::TooLarge { .. })), "{ticks}");
    }
    let cancel = Cancel::new();
    cancel.cancel();
    let checked = crate::check(form.clone(), &proof, &mut Work::new(&Caps::default(), &cancel));
    assert_eq!(checked, Err(Refusal::Stopped(Stopped::Cancelled)));
}
