//! A task that panics is not asked again, and costs its own answer alone.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

use serval_budget::{Budget, Cancel};
use serval_compile::{Options, compile};

use super::{Found, Method, Plan, decide};

const LOST_UPDATE: &str = "request add { x := X; yield; X := (x + 1) % 3; X }\nrequest get { X }";

impl Plan<'_> {
    /// Panics where this is the method that should.
    pub(super) fn sabotaged(&self, method: Method) {
        if let Some((broken, calls)) = self.sabotage
            && broken == method
        {
            calls.fetch_add(1, Ordering::Relaxed);
            panic!("this is part of a test")
        }
    }
}

#[test]
fn tasks_that_panic_are_not_asked_again() {
    let program = serval_syntax::analyze(LOST_UPDATE).program.unwrap();
    let compiled = compile(&program, Options::default(), &Budget::unlimited()).unwrap();
    let system = compiled.components()[0].system();
    let cancel = Cancel::new();
    // Alone the method has no answer, and the call fails as it does; another one has an answer, on one thread and on
    // several.
    for broken in [Method::Classic, Method::Decompose] {
        for (methods, jobs) in [(&[broken][..], 1), (&[broken, Method::Bounded], 1), (&[broken, Method::Bounded], 2)] {
            let calls = AtomicUsize::new(0);
            let plan = Plan { jobs, sabotage: Some((broken, &calls)), ..Plan::new(methods, &cancel) };
            let decision = catch_unwind(AssertUnwindSafe(|| decide(&[system], 0, &plan))).ok();
            assert_eq!(decision.is_some(), methods.len() > 1);
            let calls = calls.into_inner();
            // Where the other one comes first in the order, nothing is left to be asked.
            let is_asked = methods.len() == 1 || broken == Method::Classic;
            assert_eq!(calls, usize::from(is_asked), "{broken:?}");
            if let Some(decision) = decision {
                assert!(matches!(decision.found, Found::Refuted { method: Method::Bounded, .. }), "{:?}", decision.found);
                assert_eq!(decision.failed, vec![broken; calls]);
            }
        }
    }
}
