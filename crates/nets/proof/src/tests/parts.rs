//! Parts of what is asked for are what the theorems need: each is compared with what it should be.

use serval_linear::{Linear, Literal};
use serval_petri::Formula;

use super::cases::{DEAD, MOVE, net_of};
use crate::equation::feeds;
use crate::inductive::{Bound, Effect};
use crate::k_inductive::problem;

fn linear(terms: &[(u32, i64)], constant: i64) -> Linear {
    Linear::new(terms.iter().copied(), constant).unwrap()
}

/// `t` takes from `a`, `u` gives to it, and `v` does neither.
#[test]
fn places_are_fed_by_what_gives_and_does_not_take() {
    let net = net_of(&format!("{DEAD}tr v c -> b\n"));
    let literals =
        |takes: &[(u32, i64)], gives: &[(u32, i64)]| vec![Literal::AtLeastZero(linear(takes, 0)), Literal::AtLeastZero(linear(gives, -1))];
    assert_eq!(feeds(&net, &[0]).unwrap(), literals(&[(0, -1)], &[(1, 1)]));
    assert_eq!(feeds(&net, &[1]).unwrap(), literals(&[], &[(0, 1), (2, 1)]));
    assert_eq!(feeds(&net, &[0, 2]).unwrap(), literals(&[(0, -1), (1, -1), (2, -1)], &[]));
    assert_eq!(feeds(&net, &[]).unwrap(), literals(&[], &[]));
}

/// After the first firing `a - b + 1` is 0, and after the second one it is negative.
#[test]
fn what_is_given_keeps_sums_without_negative_terms_alone() {
    let net = net_of("pl a (0)\npl b (0)\ntr t -> a b*2\n");
    let effect = Effect::new(&net, net.transitions().next().unwrap());
    let kept = |terms: &[(u32, i64)], constant| effect.keeps(&[Bound(linear(terms, constant))]).unwrap();
    assert!(!kept(&[(0, 1), (1, -1)], 1));
    assert!(kept(&[(0, 1)], -1) && kept(&[(0, 2), (1, -1)], 0) && !kept(&[(1, -1)], 5));
}

/// Only runs of the base case begin where the net begins.
#[test]
fn a_step_of_an_induction_begins_anywhere() {
    let net = net_of(MOVE);
    let goal = Formula::deadlock(&net).unwrap();
    let asked = |from_initial| problem(&net, &[], &goal, 1, from_initial).unwrap();
    let (base, step) = (asked(true), asked(false));
    let begins: Vec<Linear> = net
        .places()
        .map(|place| linear(&[(u32::try_from(place.index()).unwrap(), -1)], i64::try_from(net.initial_tokens(place)).unwrap()))
        .collect();
    assert_eq!(base.equalities.iter().filter(|one| begins.contains(one)).count(), 2);
    assert_eq!(step.equalities.iter().filter(|one| begins.contains(one)).count(), 0);
    assert_eq!(base.equalities.len(), step.equalities.len() + 2);
}
