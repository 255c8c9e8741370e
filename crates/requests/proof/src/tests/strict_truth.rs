//! What is accepted about the order in time is true, by trying everything with few requests.

use std::collections::BTreeSet;

use serval_budget::Cancel;
use serval_model::{Event, GlobalId, Letter, NetworkSystem, NormalForm, SplitMix64, completed_multisets, random_run, serial_multisets};
use serval_random::{confusable, fewest_out_of_order};

use super::scripts::system;
use super::support::{Case, condition, enough, in_names};
use crate::strict::in_flight::{InFlight, check_in_flight};
use crate::strict::monitor::{Monitor, MonitorState};
use crate::strict::points::{Points, check_points, product};
use crate::{Caps, Checked, Claim, Condition, Part, Work};

/// Nothing where it takes too long to say.
fn is_strict(form: &NormalForm) -> Option<bool> {
    fewest_out_of_order(form, 3, 3, 20_000).map(|found| found.is_none())
}

fn work() -> Work {
    Work::new(&Caps { ticks: 1_000_000, ..Caps::default() }, &Cancel::new())
}

/// All states of the monitor with at most `k` requests in flight, if they are few.
fn states(form: &NormalForm, k: usize) -> Option<Vec<MonitorState>> {
    let monitor = Monitor::new(form, &mut enough()).ok()?;
    let mut states = vec![monitor.initial()];
    let mut next = 0;
    while let Some(state) = states.get(next).cloned() {
        for happening in monitor.happenings(&state, state.nodes.len() < k) {
            let (after, _) = monitor.after(&state, happening, &mut enough()).ok()?;
            if !states.contains(&after) {
                states.push(after);
            }
        }
        next += 1;
        if states.len() > 60 {
            return None;
        }
    }
    Some(states)
}

fn damage(random: &mut SplitMix64, proof: &mut InFlight) {
    let at = random.index(proof.states.len());
    if proof.states.is_empty() {
        return;
    }
    let few = |random: &mut SplitMix64| u32::try_from(random.below(6)).unwrap();
    match random.below(9) {
        0 => drop(proof.states.remove(at)),
        1 => proof.k = proof.k.saturating_sub(1),
        2 => proof.k += 1,
        3 => proof.states[at].global = few(random),
        4 => proof.states[at].readings.push((few(random), vec![Some(few(random)); random.index(3)])),
        5 => proof.states[at].readings.retain(|_| random.chance(50)),
        6 => proof.states[at].nodes.push(few(random)),
        7 => proof.states[at].nodes.iter_mut().for_each(|node| *node = few(random)),
        _ => proof.states[at].readings.reverse(),
    }
}

/// Whether a complete run of at most so many requests ends without readings.
fn ends_without_readings(form: &NormalForm, requests: usize, k: usize) -> bool {
    let monitor = Monitor::new(form, &mut enough()).unwrap();
    let mut to_visit = vec![(monitor.initial(), 0)];
    let mut seen = BTreeSet::new();
    while let Some((state, came)) = to_visit.pop() {
        if state.nodes.is_empty() && state.readings.is_empty() {
            return true;
        }
        for happening in monitor.happenings(&state, state.nodes.len() < k && came < requests) {
            let (after, _) = monitor.after(&state, happening, &mut enough()).unwrap();
            let after = (after, came + usize::from(happening.place.is_none()));
            if seen.insert(after.clone()) {
                to_visit.push(after);
            }
        }
    }
    false
}

/// The theorem of the monitor.
#[test]
fn a_run_without_an_order_ends_without_readings() {
    let sweep = serval_effort::sweep("proof.monitor", 150, 5_000);
    let mut without = 0;
    for seed in sweep.seeds(0) {
        let Some((form, _)) = NormalForm::new(&confusable(&mut SplitMix64::new(seed))) else { continue };
        for k in 1..4 {
            let Some(fewest) = fewest_out_of_order(&form, 3, k, 5_000) else { continue };
            assert_eq!(ends_without_readings(&form, 3, k), fewest.is_some(), "{k} {form:?}");
            without += u64::from(fewest.is_some());
        }
    }
    assert!(!sweep.is_representative() || without > sweep.count() / 4, "{without}");
}

#[test]
fn lists_of_states_are_accepted_for_what_is_strict() {
    let sweep = serval_effort::sweep("proof.in_flight", 250, 5_000);
    let (mut accepted, mut refused) = (0, 0);
    for seed in sweep.seeds(0) {
        let random = &mut SplitMix64::new(seed);
        let Some((form, _)) = NormalForm::new(&confusable(random)) else { continue };
        let Some(is_strict) = is_strict(&form) else { continue };
        for k in 0..4 {
            let Some(states) = states(&form, k) else { continue };
            for round in 0..8 {
                let mut proof = InFlight { script: Vec::new(), k, states: states.clone() };
                for _ in 0..round / 3 {
                    damage(random, &mut proof);
                }
                let checked: Checked = check_in_flight(form.clone(), &proof, &mut work());
                assert!(checked.is_err() || is_strict, "{proof:?}\n{form:?}");
                *if checked.is_ok() { &mut accepted } else { &mut refused } += 1;
            }
        }
    }
    assert!(!sweep.is_representative() || accepted > sweep.count() && refused > sweep.count(), "{accepted} {refused}");
}

/// A list that has other readings than the run leaves: the second answer is one that no request gives alone.
#[test]
fn readings_that_a_run_does_not_leave_cover_nothing() {
    let steps = [[0, 0, 1, 1], [0, 1, 1, 2], [1, 1, 2, 4], [1, 2, 2, 3], [1, 3, 3, 4]];
    let form = NormalForm::new(&system(5, &["r!", "r", "r/x", "r/y"], &steps)).unwrap().0;
    let mut states = states(&form, 2).unwrap();
    let all = states.len();
    states.retain(|state| !(state.nodes.is_empty() && state.readings.is_empty()));
    assert_eq!(states.len() + 1, all);
    let last = states.iter_mut().find(|state| state.global == 3).unwrap();
    assert_eq!(last.readings, [(4, vec![None])]);
    last.readings = vec![(4, vec![Some(3)])];
    let checked = check_in_flight(form, &InFlight { script: Vec::new(), k: 2, states }, &mut work());
    assert_eq!(condition(&checked), Condition::InFlightStep);
}

/// The proof about the product is replaced by trying everything.
#[test]
fn places_are_accepted_for_what_is_strict() {
    let sweep = serval_effort::sweep("proof.points", 250, 5_000);
    let mut accepted = 0;
    for seed in sweep.seeds(0) {
        let random = &mut SplitMix64::new(seed);
        let Some((form, _)) = NormalForm::new(&confusable(random)) else { continue };
        let Some(is_strict) = is_strict(&form) else { continue };
        for _ in 0..6 {
            let steps = u32::try_from(form.steps().len()).unwrap();
            let mut places: Vec<u32> = (0..steps).filter(|_| random.chance(50)).collect();
            if random.chance(10) {
                places.push(steps);
            }
            let made = product(&form, &places, &mut enough()).unwrap();
            let same = |made: &NetworkSystem| {
                Some(completed_multisets(made, 3, &mut enough()).ok()?.is_subset(&serial_multisets(made, 3, &mut enough()).ok()?))
            };
            if same(&made) != Some(true) {
                continue;
            }
            let proof = Points { script: Vec::new(), places, proof: Box::new(Part::Atomic(Vec::new())) };
            let checked: Checked = check_points(form.clone(), &proof, &mut |_, _, _| Ok(()), &mut work());
            assert!(checked.is_err() || is_strict, "{proof:?}\n{form:?}");
            accepted += u64::from(checked.is_ok());
        }
    }
    assert!(!sweep.is_representative() || accepted > sweep.count() / 4, "{accepted} accepted");
}

/// The global states in which a request can end that is alone and has this letter.
fn alone(system: &NetworkSystem, (request, response): Letter, global: GlobalId) -> BTreeSet<GlobalId> {
    let starts = system.starts().iter().filter(|&&(of, _)| of == request);
    let mut to_visit: Vec<_> = starts.map(|&(_, local)| (local, global)).collect();
    let mut seen: BTreeSet<_> = to_visit.iter().copied().collect();
    while let Some((local, global)) = to_visit.pop() {
        let steps = system.steps_from(local, global).iter().map(|step| (step.to_local, step.to_global));
        to_visit.extend(steps.filter(|&place| seen.insert(place)));
    }
    seen.into_iter()
        .filter(|&(local, _)| system.answers_of(local).iter().any(|&(_, given)| given == response))
        .map(|(_, global)| global)
        .collect()
}

/// Whether the requests that are left can come after each other: each has a letter, when it came, and when it answered.
fn has_order(system: &NetworkSystem, left: &[(Letter, usize, usize)], globals: &BTreeSet<GlobalId>) -> bool {
    let first = |&(_, came, _): &(Letter, usize, usize)| left.iter().all(|&(_, _, answered)| answered >= came);
    !globals.is_empty()
        && (left.is_empty()
            || left.iter().enumerate().filter(|(_, one)| first(one)).any(|(index, &(letter, ..))| {
                let after = globals.iter().flat_map(|&global| alone(system, letter, global)).collect();
                has_order(system, &[&left[..index], &left[index + 1..]].concat(), &after)
            }))
}

#[test]
fn a_run_is_accepted_if_it_has_no_order_in_time() {
    let sweep = serval_effort::sweep("proof.order", 400, 8_000);
    let (mut accepted, mut refused) = (0, 0);
    for seed in sweep.seeds(0) {
        let random = &mut SplitMix64::new(seed);
        let system = confusable(random);
        for requests in [1, 2, 2, 3, 3, 3, 4, 4] {
            let run = random_run(&system, requests, random.next_u64(), 40, &mut enough()).run;
            if !run.configuration().is_complete() {
                continue;
            }
            let (mut came, mut served) = (Vec::new(), Vec::new());
            for (at, event) in run.events().iter().enumerate() {
                match *event {
                    Event::Spawn { thread, request, .. } => came.push((thread, request, at)),
                    Event::Respond { thread, response } => {
                        let &(_, request, from) = came.iter().find(|one| one.0 == thread).unwrap();
                        served.push(((request, response), from, at));
                    }
                    Event::Step { .. } => {}
                }
            }
            let mut case = Case::new(system.clone(), in_names(&system, &run));
            case.certificate.claim = Claim::NotStrict;
            let explained = has_order(&system, &served, &BTreeSet::from([system.initial_global()]));
            assert_eq!(case.check().is_err(), explained, "{}\n{}", case.text, case.certificate.to_json());
            *if explained { &mut refused } else { &mut accepted } += 1;
        }
    }
    assert!(!sweep.is_representative() || accepted * 50 > sweep.count() && refused * 4 > sweep.count(), "{accepted} {refused}");
}
