//! The conditions that a certificate must meet, by name.
//!
//! Each is stated once, where it is checked, with [`require!`] or [`obtain!`].
//! The tests switch off one condition at a time and show for each a
//! certificate that is then accepted, so that no condition is there for
//! nothing and none hides behind another.

use crate::{Refusal, Rejection};

/// All conditions.
pub const CONDITIONS: &[&str] = &[
    "input",
    "component",
    "run.claim",
    "run.replay.spawn",
    "run.replay.fresh",
    "run.replay.thread",
    "run.replay.from.local",
    "run.replay.from.global",
    "run.replay.step",
    "run.replay.respond.local",
    "run.replay.response",
    "run.end",
    "run.completed",
    "run.serial",
    "parts.claim",
    "parts.cover",
    "split.initial",
    "fold.initial",
    "fold.present",
    "relation.nodes",
    "relation.weak",
    "relation.strong",
    "relation.global.weak",
    "relation.global.strong",
    "quotient.disjoint",
    "quotient.classes",
    "dominated.kept",
    "dominated.better",
    "mover.ends",
    "mover.paths",
    "mover.inner",
    "mover.last",
    "atomic.steps",
    "script.numbers",
    "flow.phases",
    "flow.forward",
    "flow.backward",
    "flow.edges",
    "flow.base",
    "flow.period",
    "flow.connected",
    "tree.problem",
    "tree.child",
    "tree.rest",
    "tree.clause",
    "tree.variables",
    "tree.divisor",
    "tree.fact",
    "tree.sign",
    "tree.falling",
    "tree.fresh",
    "tree.farkas",
    "tree.tight",
    "tree.equality",
    "tree.modulus",
    "tree.remainder",
];

/// Whether a name is in [`CONDITIONS`], at compile time.
pub(crate) const fn is_listed(name: &str) -> bool {
    let mut index = 0;
    while index < CONDITIONS.len() {
        if same(CONDITIONS[index].as_bytes(), name.as_bytes()) {
            return true;
        }
        index += 1;
    }
    false
}

const fn same(a: &[u8], b: &[u8]) -> bool {
    let mut index = 0;
    while index < a.len() && index < b.len() {
        if a[index] != b[index] {
            return false;
        }
        index += 1;
    }
    a.len() == b.len()
}

/// What a condition that does not hold leads to: a refusal, always.
#[cfg(not(test))]
pub(crate) fn unmet<Stop>(rejection: Rejection) -> Result<(), Refusal<Stop>> {
    Err(Refusal::Invalid(rejection))
}

/// In this crate's own tests a condition can be switched off.
#[cfg(test)]
pub(crate) fn unmet<Stop>(rejection: Rejection) -> Result<(), Refusal<Stop>> {
    if switch::is_off(rejection.condition) { Ok(()) } else { Err(Refusal::Invalid(rejection)) }
}

/// Refuses unless the condition holds. The message is made only if it does not.
macro_rules! require {
    ($name:literal, $holds:expr, $event:expr, $object:expr, $($message:tt)+) => {{
        const { assert!($crate::conditions::is_listed($name), "add the condition to the list") };
        if !$holds {
            $crate::conditions::unmet($crate::Rejection {
                condition: $name,
                event: $event,
                object: $object.to_string(),
                message: format!($($message)+),
            })?;
        }
    }};
}

/// The value that the condition says is there; refuses if it is not. What
/// follows in the function needs the value and is left out without it.
macro_rules! obtain {
    ($name:literal, $value:expr, $event:expr, $object:expr, $($message:tt)+) => {{
        const { assert!($crate::conditions::is_listed($name), "add the condition to the list") };
        match $value {
            Some(value) => value,
            None => {
                return $crate::conditions::unmet($crate::Rejection {
                    condition: $name,
                    event: $event,
                    object: $object.to_string(),
                    message: format!($($message)+),
                });
            }
        }
    }};
}

pub(crate) use {obtain, require};

#[cfg(test)]
pub(crate) mod switch {
    use std::cell::Cell;

    thread_local! {
        static OFF: Cell<Option<&'static str>> = const { Cell::new(None) };
    }

    pub(crate) fn is_off(condition: &str) -> bool {
        OFF.get() == Some(condition)
    }

    /// Does `work` without one condition, on this thread.
    pub(crate) fn without<T>(condition: &'static str, work: impl FnOnce() -> T) -> T {
        OFF.set(Some(condition));
        let result = work();
        OFF.set(None);
        result
    }
}
