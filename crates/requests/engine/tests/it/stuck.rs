//! Requests that get stuck, and requests that only wait.

use serval_budget::Budget;
use serval_compile::{Options, compile};
use serval_effort::sweep;
use serval_engine::stuck::find_stuck;
use serval_model::{Configuration, LocalId, NetworkSystem, replay, thread_moves};
use serval_syntax::analyze;
use serval_testkit::random::{Shape, random_program};
use serval_testkit::say;

fn system(text: &str) -> NetworkSystem {
    let compiled = compile(&analyze(text).program.unwrap(), Options::default(), &Budget::unlimited()).unwrap();
    compiled.components()[0].system().clone()
}

/// The names of requests that can get stuck.
fn stuck(text: &str) -> Vec<String> {
    let system = system(text);
    let mut names: Vec<String> =
        find_stuck(&system, &mut Budget::ticks(500_000)).iter().map(|stuck| system.request_name(stuck.request).to_owned()).collect();
    names.sort();
    names.dedup();
    names
}

#[test]
fn waiting_for_what_never_comes_is_stuck() {
    assert_eq!(stuck("request a { while (L == 1) { yield }; L := 1; X := 1 - X; X }"), ["a"]);
    assert_eq!(stuck("request a { while (1) { X := 1 - X; yield } } request b { X }"), ["a"]);
    let two_locks = "request a { while (L == 1) { yield }; L := 1; yield; while (M == 1) { yield }; M := 1; L := 0; M := 0 }
                     request b { while (M == 1) { yield }; M := 1; yield; while (L == 1) { yield }; L := 1; L := 0; M := 0 }";
    assert_eq!(stuck(two_locks), ["a", "b"]);
}

#[test]
fn waiting_for_what_may_come_is_not() {
    assert!(stuck("request a { while (L == 1) { yield }; L := 1; yield; X := 1 - X; L := 0; X }").is_empty());
    assert!(stuck("request a { while (X == 0) { yield }; X } request b { X := 1 - X }").is_empty());
    assert!(stuck("request up { while (X == 2) { yield }; X := X + 1 } request down { while (X == 0) { yield }; X := X - 1 }").is_empty());
}

#[test]
fn runs_lead_to_the_stuck_request() {
    let system = system("request a { while (L == 1) { yield }; L := 1; X := 1 - X; X }");
    for stuck in find_stuck(&system, &mut Budget::ticks(500_000)) {
        let end = replay(&system, stuck.run.events()).unwrap();
        assert!(end.in_flight.values().any(|thread| thread.request == stuck.request && thread.local == stuck.local));
    }
}

/// Whether some continuation with up to `more` new requests and `depth` moves
/// lets the request `thread` answer.
fn can_answer(system: &NetworkSystem, from: &Configuration, stuck: LocalId, more: usize) -> bool {
    let thread = *from.in_flight.iter().rfind(|(_, thread)| thread.local == stuck).unwrap().0;
    let mut seen = std::collections::BTreeSet::new();
    let mut to_visit = vec![(from.clone(), more)];
    while let Some((configuration, more)) = to_visit.pop() {
        let Some(own) = configuration.in_flight.get(&thread) else { return true };
        let mut others: Vec<_> = configuration.in_flight.iter().filter(|(id, _)| **id != thread).map(|(_, t)| *t).collect();
        others.sort_unstable();
        if !seen.insert((configuration.global, *own, others, more)) || seen.len() > 3_000 {
            continue;
        }
        let Ok(mut moves) = thread_moves(system, &configuration);
        if more > 0 {
            moves.extend(system.starts().iter().map(|&(request, local)| serval_model::Move::Spawn { request, local }));
        }
        for chosen in moves {
            let left = more - usize::from(matches!(chosen, serval_model::Move::Spawn { .. }));
            to_visit.push((apply(&configuration, chosen), left));
        }
    }
    false
}

fn apply(configuration: &Configuration, chosen: serval_model::Move) -> Configuration {
    use serval_model::{Move, Thread, ThreadId};
    let mut next = configuration.clone();
    match chosen {
        Move::Spawn { request, local } => {
            let id = next.in_flight.keys().next_back().map_or(ThreadId::FIRST, |last| last.next().unwrap());
            next.in_flight.insert(id, Thread { request, local });
        }
        Move::Step { thread, step } => {
            next.global = step.to_global;
            if let Some(state) = next.in_flight.get_mut(&thread) {
                state.local = step.to_local;
            }
        }
        Move::Respond { thread, .. } => {
            next.in_flight.remove(&thread);
        }
    }
    next
}

#[test]
fn nobody_who_is_called_stuck_can_answer_with_two_more_requests() {
    let sweep = sweep("engine.stuck", 60, 250);
    let each = sweep.map(0, |number| {
        let (mut systems, mut called) = (0, 0);
        let shape = Shape::ALL[usize::try_from(number).unwrap() % Shape::ALL.len()];
        let text = random_program(2_000_000 + number, shape);
        let Ok(compiled) = compile(&analyze(&text).program.unwrap(), Options::default(), &Budget::unlimited()) else { return (0, 0) };
        for component in compiled.components() {
            let system = component.system();
            systems += 1;
            for stuck in find_stuck(system, &mut Budget::ticks(20_000)) {
                called += 1;
                let end = replay(system, stuck.run.events()).unwrap();
                assert!(!can_answer(system, &end, stuck.local, 2), "{shape:?} {number}\n{text}\n{:?}", stuck.run.events());
            }
        }
        (systems, called)
    });
    let (systems, called) = each.into_iter().fold((0_u64, 0_u64), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    say(&format!("stuck: {called} places in {systems} random systems, none of which answers with two more requests"));
    assert!(!sweep.is_representative() || called * 6 > sweep.count(), "{called}");
}
