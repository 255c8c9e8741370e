//! What is tried, for people who look for the reason of a slow or missing answer: a line of the log for each attempt,
//! with its ticks and how it ended. Nothing depends on it.

use std::fmt::Debug;

use log::{Level, debug, log_enabled};
use serval_budget::Budget;
use serval_diagnostic::counted;
use serval_model::NormalForm;

use super::{Attempt, Method, sizes};

/// Reductions of a component, with so many ticks; the budget is what is left of them.
pub(super) fn reduced(component: usize, ticks: u64, budget: &Budget, form: &NormalForm) {
    if log_enabled!(Level::Debug) {
        let used = ticks.saturating_sub(budget.left());
        let (globals, nodes, steps) = sizes(form);
        debug!(
            "component {component}: reduce: {used} of {}: {}, {}, {} left",
            counted(ticks, "tick"),
            counted(globals, "global state"),
            counted(nodes, "node"),
            counted(steps, "step")
        );
    }
}

/// A search for counterexamples, after which none with up to so many requests is possible.
pub(super) fn searched(ticks: u64, cleared: u32) {
    debug!("all components: search: {}: no counterexample with up to {}", counted(ticks, "tick"), counted(cleared, "request"));
}

/// A task about a component, in a form of its method.
pub(super) fn attempt(component: usize, (method, form): (Method, &dyn Debug), ticks: u64, found: &Attempt) {
    debug!("component {component}: {} ({form:?}): {}: {}", method.name(), counted(ticks, "tick"), ended(found));
}

/// How an attempt ended, in words.
fn ended(found: &Attempt) -> String {
    match found {
        Attempt::Part(_) => "a proof".to_owned(),
        Attempt::Run(_) => "a counterexample".to_owned(),
        Attempt::Clear => "no counterexample of this kind".to_owned(),
        Attempt::Open(answers) => {
            let count: u64 = answers.iter().map(|&(_, count)| count).sum();
            format!("stuck at {}, neither realised nor excluded", counted(count, "answer"))
        }
        Attempt::Short => "out of ticks, or cancelled".to_owned(),
        Attempt::Because(reason, more) => format!("{reason}{}", if *more { "; more ticks might help" } else { "" }),
        Attempt::Ended => "nothing to be found this way".to_owned(),
    }
}
