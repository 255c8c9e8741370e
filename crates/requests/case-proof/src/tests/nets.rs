//! The net of a case reaches its goal just if some run has such answers: against trying everything.

use std::collections::BTreeSet;

use serval_budget::Budget;
use serval_linear::{Linear, Literal};
use serval_model::{Node, NodeStep, NormalForm};
use serval_petri::Marking;
use serval_random::Kind;
use serval_testkit::random::SplitMix64;

use crate::net::CaseNet;

/// Requests of a run, at most.
const REQUESTS: usize = 3;

/// The answers of all complete runs with few requests, by done node.
fn answers(form: &NormalForm) -> Option<BTreeSet<Vec<i64>>> {
    let begin = (form.initial_global(), Vec::<Node>::new(), 0_usize, vec![0_i64; form.nodes().len()]);
    let mut seen = BTreeSet::from([begin.clone()]);
    let mut to_visit = vec![begin];
    let mut found = BTreeSet::new();
    while let Some((global, flight, came, answered)) = to_visit.pop() {
        if seen.len() > 20_000 {
            return None;
        }
        if flight.is_empty() {
            found.insert(answered.clone());
        }
        let mut next = |step: &NodeStep, flight: &[Node], came: usize| {
            let (mut flight, mut answered) = (flight.to_vec(), answered.clone());
            if form.is_done(step.to_node) {
                answered[step.to_node as usize] += 1;
            } else {
                flight.push(step.to_node);
                flight.sort_unstable();
            }
            let next = (step.to_global, flight, came, answered);
            if seen.insert(next.clone()) {
                to_visit.push(next);
            }
        };
        for step in form.steps().iter().filter(|step| step.global == global) {
            if let Some(at) = flight.iter().position(|&node| node == step.node) {
                let mut others = flight.clone();
                others.remove(at);
                next(step, &others, came);
            }
            if form.is_initial(step.node) && came < REQUESTS {
                next(step, &flight, came + 1);
            }
        }
    }
    Some(found)
}

/// Whether the net reaches the goal with a bound on the requests that come in.
fn reaches(form: &NormalForm, case: &CaseNet) -> Option<bool> {
    let comes = |number: usize| form.steps().get(number).is_none_or(|step| form.is_initial(step.node));
    let has_place = |node: Node| case.net.place_named(&format!("at {node}")).is_some();
    let mut seen: BTreeSet<(usize, Vec<u64>)> = BTreeSet::from([(0, case.net.initial().as_slice().to_vec())]);
    let mut to_visit: Vec<(usize, Vec<u64>)> = seen.iter().cloned().collect();
    while let Some((came, tokens)) = to_visit.pop() {
        let marking = Marking::new(tokens);
        if case.goal.holds(&marking) {
            return Some(true);
        }
        if seen.len() > 100_000 {
            return None;
        }
        for (number, transition) in case.net.transitions().enumerate() {
            let mut next = marking.clone();
            if case.net.fire(&mut next, transition).is_err() {
                continue;
            }
            let name = case.net.transition_name(transition);
            let new = match form.steps().get(number) {
                Some(step) => comes(number) && !has_place(step.node),
                None => name.starts_with("come "),
            };
            let came = came + usize::from(new);
            let next = (came, next.as_slice().to_vec());
            if came <= REQUESTS && seen.insert(next.clone()) {
                to_visit.push(next);
            }
        }
    }
    Some(false)
}

fn literal(form: &NormalForm, random: &mut SplitMix64) -> Literal {
    let number = |random: &mut SplitMix64, most: usize| i64::try_from(random.below(2 * most + 1)).unwrap() - i64::try_from(most).unwrap();
    let letters: Vec<Node> = form.node_numbers().filter(|&node| form.is_done(node)).collect();
    let terms: Vec<(Node, i64)> = letters.into_iter().map(|node| (node, number(random, 2))).filter(|term| term.1 != 0).collect();
    let linear = Linear::new(terms, number(random, 3)).unwrap();
    if random.below(3) == 0 { Literal::NotDivisible(linear, 2 + random.below(3) as u64) } else { Literal::AtLeastZero(linear) }
}

#[test]
fn nets_reach_their_goals_just_if_runs_have_such_answers() {
    let sweep = serval_effort::sweep("cases.nets", 15, 60);
    let mut random = SplitMix64::new(sweep.seed(7));
    let (mut reached, mut excluded) = (0, 0);
    for seed in sweep.seeds(0) {
        for kind in Kind::ALL {
            let form = super::form(&kind.system(seed));
            let Some(answers) = answers(&form).filter(|_| form.steps().len() <= 40) else { continue };
            for _ in 0..4 {
                let literals: Vec<Literal> = (0..random.below(3)).map(|_| literal(&form, &mut random)).collect();
                let case: Vec<&Literal> = literals.iter().collect();
                let made = CaseNet::new(&form, &case, &mut Budget::ticks(1_000_000)).unwrap();
                let Some(reaches) = reaches(&form, &made) else { continue };
                let holds = answers.iter().any(|answers| literals.iter().all(|literal| literal.holds(answers)));
                assert_eq!(reaches, holds, "{} {seed}: {literals:?}", kind.name());
                *(if holds { &mut reached } else { &mut excluded }) += 1;
            }
        }
    }
    let many = reached * 2 > 3 * sweep.count() && excluded * 3 > sweep.count();
    assert!(!sweep.is_representative() || many, "{reached} {excluded}");
}

#[test]
fn a_case_has_remainders_of_numbers_that_are_not_too_large() {
    let form = super::form(&super::counter(false));
    let made = |divisor: u64| {
        let literal = Literal::NotDivisible(Linear::new([], 1).unwrap(), divisor);
        CaseNet::new(&form, &[&literal], &mut Budget::ticks(1_000_000)).is_ok()
    };
    assert!(made(1) && made(2) && !made(0) && !made(u64::MAX));
}
