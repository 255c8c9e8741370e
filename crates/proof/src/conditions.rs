//! The conditions that a certificate must meet, by name.
//!
//! Each is stated once, where it is checked, with [`require!`] or [`obtain!`].
//! The tests switch off one condition at a time and show for each a
//! certificate that is then accepted, so that no condition is there for
//! nothing and none hides behind another.

use crate::{Refusal, Rejection};

/// All conditions, by what they are about.
#[rustfmt::skip]
pub const CONDITIONS: &[&str] = &[
    "input", "components.requests", "component",
    "run.claim", "run.replay.spawn", "run.replay.fresh", "run.replay.thread", "run.replay.from.local",
    "run.replay.from.global", "run.replay.step", "run.replay.respond.local", "run.replay.response", "run.end",
    "run.completed", "run.serial",
    "parts.claim", "parts.cover",
    "split.initial", "fold.initial", "fold.present",
    "relation.nodes", "relation.weak", "relation.strong", "relation.global.weak", "relation.global.strong",
    "quotient.disjoint", "quotient.classes", "dominated.kept", "dominated.better",
    "mover.ends", "mover.paths", "mover.inner", "mover.last.other", "mover.last.own", "mover.last.single",
    "mover.last.leaves",
    "atomic.steps", "script.numbers",
    "flow.phases", "flow.forward", "flow.backward", "flow.edges", "flow.base", "flow.period", "flow.connected",
    "invariant.numbers", "invariant.initial", "invariant.arrival", "invariant.step", "invariant.ends",
    "tree.child", "tree.rest", "tree.clause", "tree.variables", "tree.divisor", "tree.fact", "tree.sign",
    "tree.falling", "tree.fresh", "tree.farkas", "tree.tight", "tree.equality", "tree.modulus", "tree.remainder",
];

/// What a condition that does not hold leads to: a refusal, always. Only this
/// crate's own tests can switch a condition off.
pub(crate) fn unmet<Stop>(condition: &'static str, object: String, message: String) -> Result<(), Refusal<Stop>> {
    #[cfg(test)]
    if crate::tests::switch::is_off(condition) {
        return Ok(());
    }
    Err(Refusal::Invalid(Rejection { condition, event: None, object, message }))
}

/// Refuses unless the condition holds. Says what it is about, or leaves that to
/// the caller and [`Refusal::about`]. The message is made only if it is needed.
macro_rules! require {
    ($name:literal, $holds:expr, about($object:expr), $($message:tt)+) => {
        if !$holds {
            $crate::conditions::unmet($name, $object.to_string(), format!($($message)+))?;
        }
    };
    ($name:literal, $holds:expr, $($message:tt)+) => {
        $crate::conditions::require!($name, $holds, about(""), $($message)+)
    };
}

/// The value that the condition says is there; refuses if it is not. What
/// follows in the function needs the value and is left out without it.
macro_rules! obtain {
    ($name:literal, $value:expr, $($message:tt)+) => {
        match $value {
            Some(value) => value,
            None => return $crate::conditions::unmet($name, String::new(), format!($($message)+)),
        }
    };
}

pub(crate) use {obtain, require};
