//! Random runs.

use proptest::prelude::*;
use serval_budget::{Budget, Cancel, Stopped};
use serval_model::{Event, GlobalId, LocalId, Moves, Outcome, RequestId, ResponseId, SplitMix64, draw_spawn, random_run, replay};

use crate::systems::{lost_update, small};

proptest! {
    #![proptest_config(crate::cases(serval_effort::sweep("model.simulation", 128, 256)))]

    #[test]
    fn the_same_seed_gives_the_same_run(system in small(""), requests in 0..5usize, seed in any::<u64>()) {
        let simulate = || random_run(&system, requests, seed, 30, &mut Budget::unlimited());
        let simulated = simulate();
        prop_assert_eq!(&simulated, &simulate());
        simulated.run.check_invariants();
        let spawned = simulated.run.events().iter().filter(|event| matches!(event, Event::Spawn { .. })).count();
        let steps = simulated.run.events().iter().filter(|event| matches!(event, Event::Step { .. })).count();
        prop_assert!(spawned <= requests && steps <= 30);
        let end = replay(&system, simulated.run.events()).unwrap();
        match simulated.outcome {
            Outcome::Complete => prop_assert!(end.is_complete() && spawned == requests),
            Outcome::Stuck => prop_assert!(!end.is_complete() && spawned == requests),
            Outcome::StepLimit => prop_assert_eq!(steps, 30),
            Outcome::Stopped(_) => prop_assert!(false, "the budget is unlimited"),
        }
    }

    #[test]
    fn below_stays_below(seed in any::<u64>(), bound in 1..=u64::MAX) {
        let mut random = SplitMix64::new(seed);
        prop_assert!(random.below(bound) < bound);
        prop_assert_eq!(random.below(1), 0);
        prop_assert_eq!(random.below(0), 0);
    }
}

#[test]
fn seeds_differ_and_find_the_lost_update() {
    let system = lost_update();
    let lost = |seed| random_run(&system, 2, seed, 100, &mut Budget::unlimited()).run.configuration().completed.distinct() == 1;
    let found = (0..100).filter(|&seed| lost(seed)).count();
    assert!((10..90).contains(&found), "{found} of 100");
}

#[test]
fn requests_are_drawn_before_starts() {
    // One request with one start, another with three: each comes half the time.
    let id = |request, local| (RequestId::from_index(request), LocalId::from_index(local));
    let starts = [id(0, 0), id(1, 1), id(1, 2), id(1, 3)];
    let mut random = SplitMix64::new(0);
    let first = draw_spawn(&starts[..1], &mut random);
    let count = (0..1000).filter(|_| draw_spawn(&starts, &mut random) == first).count();
    assert!((450..550).contains(&count), "{count} of 1000");
    assert_eq!(draw_spawn(&[], &mut random), None);
}

#[test]
fn budgets_and_flags_end_a_simulation() {
    let system = lost_update();
    let cut = random_run(&system, 50, 1, 1000, &mut Budget::ticks(40));
    assert_eq!(cut.outcome, Outcome::Stopped(Stopped::OutOfTicks));
    assert!(!cut.run.events().is_empty());
    let cancel = Cancel::new();
    cancel.cancel();
    let cancelled = random_run(&system, 50, 1, 1000, &mut Budget::new(1000, cancel));
    assert_eq!(cancelled.outcome, Outcome::Stopped(Stopped::Cancelled));
}

/// A counter without bound, made on demand, that gives up at 3.
struct Counter;

impl Moves for Counter {
    type Stop = &'static str;

    fn initial_global(&self) -> GlobalId {
        GlobalId::from_index(0)
    }

    fn starts(&self) -> &[(RequestId, LocalId)] {
        const { &[] }
    }

    fn successors(&mut self, local: LocalId, global: GlobalId, out: &mut Vec<(LocalId, GlobalId)>) -> Result<(), &'static str> {
        if global.index() == 3 {
            return Err("the counter grows");
        }
        out.push((local, GlobalId::from_index(global.index() + 1)));
        Ok(())
    }

    fn responses(&mut self, _: LocalId, _: &mut Vec<ResponseId>) {}
}

/// The same with a request.
struct Counting([(RequestId, LocalId); 1]);

impl Moves for Counting {
    type Stop = &'static str;

    fn initial_global(&self) -> GlobalId {
        Counter.initial_global()
    }

    fn starts(&self) -> &[(RequestId, LocalId)] {
        &self.0
    }

    fn successors(&mut self, local: LocalId, global: GlobalId, out: &mut Vec<(LocalId, GlobalId)>) -> Result<(), &'static str> {
        Counter.successors(local, global, out)
    }

    fn responses(&mut self, _: LocalId, _: &mut Vec<ResponseId>) {}
}

#[test]
fn a_system_may_give_up() {
    let mut counting = Counting([(RequestId::from_index(0), LocalId::from_index(0))]);
    let simulated = random_run(&mut counting, 1, 5, 100, &mut Budget::unlimited());
    assert_eq!(simulated.outcome, Outcome::System("the counter grows"));
    assert_eq!(simulated.run.configuration().global.index(), 3);
    let limited = random_run(&mut counting, 1, 5, 2, &mut Budget::unlimited());
    assert_eq!((limited.outcome, limited.run.events().len()), (Outcome::StepLimit, 3));
}

#[test]
fn without_starts_requests_wait_forever() {
    let simulated = random_run(Counter, 1, 5, 100, &mut Budget::unlimited());
    assert_eq!((simulated.outcome, simulated.run.events().len()), (Outcome::Stuck, 0));
    assert_eq!(random_run(Counter, 0, 5, 100, &mut Budget::unlimited()).outcome, Outcome::Complete);
}
