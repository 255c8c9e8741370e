//! Replay: runs that are accepted, and as many that are not.

use proptest::prelude::*;
use serval_budget::Budget;
use serval_model::{
    Configuration, Event, Fault, GlobalId, LocalId, Move, NetworkSystem, ReplayError, RequestId, ResponseId, Run, Step, ThreadId,
    enabled_moves, random_run, replay,
};

use crate::systems::{lost_update, small};

fn thread(number: u32) -> ThreadId {
    ThreadId::new(number).expect("numbers count from 1")
}

/// Events by name, for one system.
struct Events(NetworkSystem);

impl Events {
    fn local(&self, name: &str) -> LocalId {
        self.0.local_named(name).expect("a local state")
    }

    fn global(&self, name: &str) -> GlobalId {
        self.0.global_named(name).expect("a global state")
    }

    fn spawn(&self, number: u32, local: &str) -> Event {
        Event::Spawn { thread: thread(number), request: RequestId::from_index(0), local: self.local(local) }
    }

    fn step(&self, number: u32, local: &str, global: &str, to_local: &str, to_global: &str) -> Event {
        let (local, to_local) = (self.local(local), self.local(to_local));
        let (global, to_global) = (self.global(global), self.global(to_global));
        Event::Step { thread: thread(number), step: Step { local, global, to_local, to_global } }
    }

    fn respond(&self, number: u32, response: &str) -> Event {
        Event::Respond { thread: thread(number), response: self.0.response_named(response).expect("a response") }
    }

    /// Two requests that both read 0: the lost update.
    fn anomaly(&self) -> Vec<Event> {
        vec![
            self.spawn(1, "start"),
            self.spawn(2, "start"),
            self.step(2, "start", "0", "read 0", "0"),
            self.step(1, "start", "0", "read 0", "0"),
            self.step(2, "read 0", "0", "done 0", "1"),
            self.respond(2, "0"),
            self.step(1, "read 0", "1", "done 0", "1"),
            self.respond(1, "0"),
        ]
    }

    #[track_caller]
    fn rejected(&self, events: &[Event], event: usize, message: &str) {
        let error = replay(&self.0, events).expect_err("not a run");
        assert_eq!(error.event, event, "{error:?}");
        assert_eq!(error.describe(&self.0), format!("event {}: {message}", event + 1));
    }
}

#[test]
fn accepts_the_lost_update() {
    let events = Events(lost_update());
    let end = replay(&events.0, &events.anomaly()).unwrap();
    assert!(end.is_complete());
    assert_eq!(end.completed.size(), 2);
    assert_eq!(end.completed.distinct(), 1);
    assert_eq!(events.0.global_name(end.global), "1");
}

#[test]
fn accepts_every_beginning_of_a_run() {
    let events = Events(lost_update());
    let anomaly = events.anomaly();
    for length in 0..=anomaly.len() {
        let end = replay(&events.0, &anomaly[..length]).unwrap();
        assert_eq!(end.is_complete(), length == 0 || length == anomaly.len());
        let run = Run::from_events(events.0.initial_global(), &anomaly[..length]).unwrap();
        run.check_invariants();
        assert_eq!(run.configuration(), &end);
    }
}

#[test]
fn accepts_any_numbers() {
    let events = Events(lost_update());
    let mut anomaly = events.anomaly();
    for event in &mut anomaly {
        let (Event::Spawn { thread: number, .. } | Event::Step { thread: number, .. } | Event::Respond { thread: number, .. }) = event;
        *number = thread(if number.number() == 1 { u32::MAX } else { 7 });
    }
    assert!(replay(&events.0, &anomaly).unwrap().is_complete());
    let mut run = Run::from_events(events.0.initial_global(), &anomaly).unwrap();
    assert_eq!(run.next_thread(), None);
    let spawn = Move::Spawn { request: RequestId::from_index(0), local: events.local("start") };
    assert_eq!(run.perform(spawn), Err(Fault::NoNumberLeft));
    run.check_invariants();
}

#[test]
fn rejects_numbers_that_do_not_fit() {
    let events = Events(lost_update());
    let anomaly = events.anomaly();
    let with_first = |event: Event| [&[event], &anomaly[1..]].concat();
    events.rejected(&anomaly[2..], 0, "there is no request 2");
    events.rejected(&with_first(events.respond(1, "0")), 0, "there is no request 1");
    events.rejected(&with_first(events.spawn(2, "start")), 1, "there was a request 2 before");
    events.rejected(&[&anomaly[..], &anomaly[7..]].concat(), 8, "request 1 has already answered");
    events.rejected(&[&anomaly[..], &anomaly[2..3]].concat(), 8, "request 2 has already answered");
    events.rejected(&[&anomaly[..], &anomaly[..1]].concat(), 8, "there was a request 1 before");
}

#[test]
fn rejects_states_that_do_not_fit() {
    let events = Events(lost_update());
    let mut anomaly = events.anomaly();
    events.rejected(&[anomaly[0], anomaly[6]], 1, "request 1 is in local state \"start\", not \"read 0\"");
    anomaly[6] = events.step(1, "read 0", "0", "done 0", "1");
    events.rejected(&anomaly, 6, "the global state is \"1\", not \"0\"");
    anomaly.remove(6);
    events.rejected(&anomaly, 6, "local state \"read 0\" does not give response \"0\"");
}

#[test]
fn rejects_what_the_system_does_not_have() {
    let events = Events(lost_update());
    let start = events.spawn(1, "start");
    events.rejected(&[events.spawn(1, "read 0")], 0, "request \"inc\" does not start in local state \"read 0\"");
    let jump = events.step(1, "start", "0", "done 0", "1");
    let message = "there is no step from local state \"start\", global state \"0\" to local state \"done 0\", global state \"1\"";
    events.rejected(&[start, jump], 1, message);
    events.rejected(&[start, events.respond(1, "1")], 1, "local state \"start\" does not give response \"1\"");
}

#[test]
fn rejects_ids_of_another_system() {
    let events = Events(lost_update());
    let start = events.spawn(1, "start");
    let spawn = Event::Spawn { thread: thread(1), request: RequestId::from_index(99), local: LocalId::from_index(98) };
    events.rejected(&[spawn], 0, "request number 99 does not start in local state number 98");
    let step = Step {
        local: events.local("start"),
        global: events.global("0"),
        to_local: LocalId::from_index(77),
        to_global: GlobalId::from_index(5),
    };
    let error = replay(&events.0, &[start, Event::Step { thread: thread(1), step }]);
    assert_eq!(error, Err(ReplayError { event: 1, fault: Fault::NotAStep { step } }));
    let respond = Event::Respond { thread: thread(1), response: ResponseId::from_index(6) };
    events.rejected(&[start, respond], 1, "local state \"start\" does not give response number 6");
}

#[test]
fn moves_come_in_a_fixed_order() {
    let events = Events(lost_update());
    let run = Run::from_events(events.0.initial_global(), &events.anomaly()[..5]).unwrap();
    let Ok(moves) = enabled_moves(&events.0, run.configuration());
    let start = Move::Spawn { request: RequestId::from_index(0), local: events.local("start") };
    let as_move = |event: Event| match event {
        Event::Step { thread, step } => Move::Step { thread, step },
        Event::Respond { thread, response } => Move::Respond { thread, response },
        Event::Spawn { request, local, .. } => Move::Spawn { request, local },
    };
    assert_eq!(moves, [start, as_move(events.step(1, "read 0", "1", "done 0", "1")), as_move(events.respond(2, "0"))]);
}

#[test]
fn numbers_count_from_one() {
    assert_eq!(ThreadId::new(0), None);
    assert_eq!(ThreadId::FIRST.to_string(), "1");
    assert_eq!(ThreadId::FIRST.next(), ThreadId::new(2));
    assert_eq!(thread(u32::MAX).next(), None);
}

proptest! {
    #![proptest_config(crate::cases(serval_effort::sweep("model.replay", 128, 256)))]

    /// Exactly the enabled moves can be performed: of a run that replays, any
    /// other event added at its end does not.
    #[test]
    fn moves_are_what_replay_accepts(system in small(""), seed in any::<u64>()) {
        let run = random_run(&system, 3, seed, 5, &mut Budget::unlimited()).run;
        run.check_invariants();
        let configuration: Configuration = replay(&system, run.events()).unwrap();
        prop_assert_eq!(&configuration, run.configuration());
        let Ok(moves) = enabled_moves(&system, &configuration);
        let numbers = (1..=4).map(thread);
        for number in numbers {
            for event in events_about(&system, number) {
                let accepted = replay(&system, &[run.events(), &[event]].concat()).is_ok();
                let enabled = match event {
                    Event::Spawn { thread, request, local } => {
                        moves.contains(&Move::Spawn { request, local }) && Some(thread) >= run.next_thread()
                    }
                    Event::Step { thread, step } => moves.contains(&Move::Step { thread, step }),
                    Event::Respond { thread, response } => moves.contains(&Move::Respond { thread, response }),
                };
                prop_assert_eq!(accepted, enabled, "{:?}", event);
            }
        }
    }
}

/// Every start, every step and every response of the system, as an event of
/// the request with this number.
fn events_about(system: &NetworkSystem, thread: ThreadId) -> Vec<Event> {
    let spawns = system.requests().flat_map(|request| system.locals().map(move |local| Event::Spawn { thread, request, local }));
    let steps = system.steps().iter().map(|&step| Event::Step { thread, step });
    let responds = system.responses().map(|response| Event::Respond { thread, response });
    spawns.chain(steps).chain(responds).collect()
}
