//! Certificates with one thing changed are accepted exactly if they are right.

use serval_budget::Budget;
use serval_model::{NetworkSystem, SplitMix64, completed_multisets, serial_multisets};
use serval_random::confusable;

use super::support::{Case, find_run, in_names, is_genuine, lost_update};
use crate::{Action, Body, Certificate, Claim, Completed, RunCertificate};

/// All names of the system, and some that it does not have.
fn names(system: &NetworkSystem) -> Vec<String> {
    let mut names: Vec<String> = ["", "unknown", "a\u{301}"].map(str::to_owned).to_vec();
    names.extend(system.globals().map(|id| system.global_name(id).to_owned()));
    names.extend(system.locals().map(|id| system.local_name(id).to_owned()));
    names.extend(system.requests().map(|id| system.request_name(id).to_owned()));
    names.extend(system.responses().map(|id| system.response_name(id).to_owned()));
    names
}

/// The strings of a certificate.
fn strings(run: &mut RunCertificate) -> Vec<&mut String> {
    let mut strings = Vec::new();
    for event in &mut run.steps {
        match &mut event.action {
            Action::Spawn { request, local } => strings.extend([request, local]),
            Action::Step { from, to } => strings.extend([&mut from.local, &mut from.global, &mut to.local, &mut to.global]),
            Action::Respond { local, response } => strings.extend([local, response]),
        }
    }
    for Completed { request, response, .. } in &mut run.completed {
        strings.extend([request, response]);
    }
    strings
}

fn index(random: &mut SplitMix64, length: usize) -> usize {
    usize::try_from(random.below(u64::try_from(length).unwrap())).unwrap()
}

/// Changes one thing.
fn mutate(certificate: &mut Certificate, names: &[String], random: &mut SplitMix64) {
    let Certificate { input, component, claim, body: Body::Run(run) } = certificate else { panic!("{certificate:?}") };
    let events = run.steps.len();
    match random.below(12) {
        0 => input.push('0'),
        1 => *component += 1,
        2 => *claim = Claim::Serializable,
        3 if events > 0 => drop(run.steps.remove(index(random, events))),
        4 if events > 0 => {
            let event = run.steps[index(random, events)].clone();
            run.steps.insert(index(random, events + 1), event);
        }
        // Neighbours often commute, so that some of these are right again.
        5 if events > 1 => {
            let first = index(random, events - 1);
            run.steps.swap(first, first + 1);
        }
        6 if events > 0 => {
            run.steps[index(random, events)].id = u32::try_from(1 + random.below(4)).unwrap();
        }
        7 if !run.completed.is_empty() => {
            let entry = index(random, run.completed.len());
            run.completed[entry].count = [1, 2, 3, u64::MAX][index(random, 4)];
        }
        8 if !run.completed.is_empty() => drop(run.completed.remove(index(random, run.completed.len()))),
        9 if !run.completed.is_empty() => {
            let entry = run.completed[index(random, run.completed.len())].clone();
            run.completed.push(entry);
        }
        _ => {
            let mut strings = strings(run);
            let place = index(random, strings.len());
            strings[place].clone_from(&names[index(random, names.len())]);
        }
    }
}

fn fuzz(case: &Case, rounds: u64, random: &mut SplitMix64, counts: &mut [u64; 2]) {
    let names = names(&case.system);
    for _ in 0..rounds {
        let mut mutated = case.clone();
        for _ in 0..1 + random.below(2) {
            mutate(&mut mutated.certificate, &names, random);
        }
        let accepted = mutated.check().is_ok();
        assert_eq!(accepted, is_genuine(&mutated), "{}\n{}\n{:?}", mutated.text, mutated.certificate.to_json(), mutated.check());
        counts[usize::from(accepted)] += 1;
    }
}

#[test]
fn of_the_lost_update() {
    let sweep = serval_effort::sweep("proof.lost_update", 800, 3_000);
    let mut counts = [0; 2];
    fuzz(&lost_update(), sweep.count(), &mut SplitMix64::new(sweep.seed(1)), &mut counts);
    let many = counts[0] * 3 > sweep.count() && counts[1] * 400 > sweep.count();
    assert!(!sweep.is_representative() || many, "{counts:?}");
}

#[test]
fn of_random_systems() {
    let sweep = serval_effort::sweep("proof.mutations", 400, 1_500);
    let mut counts = [0; 2];
    for seed in sweep.seeds(0) {
        let random = &mut SplitMix64::new(seed);
        let system = confusable(random);
        let budget = &mut Budget::unlimited();
        let serial = serial_multisets(&system, 3, budget).unwrap();
        let interleaved = completed_multisets(&system, 3, budget).unwrap();
        for multiset in interleaved.difference(&serial).take(2) {
            let run = find_run(&system, multiset).unwrap();
            let case = Case::new(system.clone(), in_names(&system, &run));
            fuzz(&case, 40, random, &mut counts);
        }
    }
    let many = counts[0] > 3 * sweep.count() && counts[1] * 20 > sweep.count();
    assert!(!sweep.is_representative() || many, "{counts:?}");
}
