//! A method that panics costs its own answer and no other's.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serval_budget::{Budget, Cancel};
use serval_compile::{Options, compile};
use serval_engine::portfolio::{Decision, Found, Method, Plan, Progress, decide};
use serval_model::NetworkSystem;

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
