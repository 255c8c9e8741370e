//! Each condition is needed: a certificate that only it refuses.

use std::collections::BTreeSet;

use serval_budget::Budget;

use super::switch::without;
use super::{
    alike, any, anystates, basis, certificate, fences, finals, live, loads, merged, persistent, robust, run, states, trace, urgent,
};
use crate::{Condition, Refusal};

#[test]
fn each_condition_is_needed() {
    let rules = [
        certificate::refused(),
        run::refused(),
        live::refused(),
        urgent::refused(),
        persistent::refused(),
        alike::refused(),
        states::refused(),
        finals::refused(),
        merged::refused(),
        basis::refused(),
        loads::refused(),
        robust::refused(),
        any::refused(),
        anystates::refused(),
        trace::refused(),
        fences::refused(),
    ];
    let mut seen = BTreeSet::new();
    for (condition, (program, certificate)) in rules.into_iter().flatten() {
        let refusal = certificate.check(&program, &mut Budget::unlimited());
        match &refusal {
            Err(Refusal::Invalid(rejection)) => assert_eq!(rejection.condition, condition, "{rejection}"),
            other => panic!("{condition}: {other:?}"),
        }
        let accepted = without(condition, || certificate.check(&program, &mut Budget::unlimited()));
        assert!(accepted.is_ok(), "{condition} is not the only one: {accepted:?}");
        seen.insert(condition);
    }
    let all: BTreeSet<Condition> = Condition::ALL.iter().copied().collect();
    assert_eq!(seen, all, "these have no case: {:?}", all.difference(&seen).collect::<Vec<_>>());
}
