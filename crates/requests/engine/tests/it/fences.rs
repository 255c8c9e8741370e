//! A method that panics costs its own answer and no other's.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

use serval_budget::{Budget, Cancel};
use serval_compile::{Options, compile};
use serval_engine::portfolio::{Attempt, CaseOutcome, Decision, Found, Method, Plan, Progress, decide};
use serval_model::{NetworkSystem, NormalForm};

const SERIALIZABLE: &str = "request flip { x := X; X := 1 - x; yield; x }\nrequest get { X }";
const LOST_UPDATE: &str = "request add { x := X; yield; X := (x + 1) % 3; X }\nrequest get { X }";

fn system(text: &str) -> NetworkSystem {
    let program = serval_syntax::analyze(text).program.unwrap();
    compile(&program, Options::default(), &Budget::unlimited()).unwrap().components()[0].system().clone()
}

fn asked(system: &NetworkSystem, plan: &Plan<'_>) -> Option<Decision> {
    catch_unwind(AssertUnwindSafe(|| decide(&[system], 0, plan))).ok()
}

/// Panics where the work tells of this.
fn at(progress: Progress) -> impl Fn(Progress) + Sync {
    move |now| assert!(std::mem::discriminant(&now) != std::mem::discriminant(&progress), "this is part of a test")
}

fn broken_case(_: &NormalForm, _: u64, _: &Cancel) -> CaseOutcome {
    panic!("this is part of a test")
}

#[test]
fn others_have_their_answers() {
    for (text, serializable) in [(SERIALIZABLE, true), (LOST_UPDATE, false)] {
        let system = system(text);
        for (progress, method) in [(Progress::Requests(1), Method::Search), (Progress::Reductions, Method::Reduce)] {
            for jobs in [1, 2] {
                let watch = at(progress);
                let cancel = Cancel::new();
                let plan = Plan { watch: &watch, jobs, ..Plan::new(Method::ALL, &cancel) };
                let decision = asked(&system, &plan).unwrap();
                match decision.found {
                    Found::Serializable(..) => assert!(serializable, "{text}"),
                    Found::Refuted { .. } => assert!(!serializable, "{text}"),
                    Found::Unknown(reason) => panic!("{method:?} {reason:?}\n{text}"),
                }
                // A counterexample is found before anything is reduced.
                let is_asked = serializable || method == Method::Search;
                assert_eq!(decision.failed, if is_asked { vec![method] } else { Vec::new() }, "{text}");
            }
        }
    }
}

#[test]
fn tasks_that_panic_are_not_asked_again() {
    let system = system(LOST_UPDATE);
    let cancel = Cancel::new();
    let decompose = Plan { decompose: Some(&broken_case), ..Plan::new(&[Method::Decompose], &cancel) };
    assert!(asked(&system, &decompose).is_none());
    // Alone the method has no answer, and the call fails as it does; another one has an answer, on one thread and on
    // several.
    for (methods, jobs) in [(&[Method::Classic][..], 1), (&[Method::Classic, Method::Bounded], 1), (&[Method::Classic, Method::Bounded], 2)]
    {
        let calls = AtomicUsize::new(0);
        let counted = |_: &NetworkSystem, _: u64, _: &Cancel| -> Attempt {
            calls.fetch_add(1, Ordering::Relaxed);
            panic!("this is part of a test")
        };
        let plan = Plan { jobs, classic: Some(&counted), ..Plan::new(methods, &cancel) };
        let decision = asked(&system, &plan);
        assert_eq!(decision.is_some(), methods.len() > 1);
        if let Some(decision) = decision {
            assert!(matches!(decision.found, Found::Refuted { method: Method::Bounded, .. }), "{:?}", decision.found);
            assert_eq!(decision.failed, [Method::Classic]);
        }
        assert_eq!(calls.into_inner(), 1);
    }
}
