//! Why a tree was not accepted.

use std::fmt;

use serval_budget::Stopped;

/// Makes an enum of the conditions of a checker, each with the name by which
/// messages and manuals call it, `and` perhaps the conditions of a checker that
/// this one calls, which come last.
#[macro_export]
macro_rules! conditions {
    (
        $(#[$meta:meta])* $visibility:vis enum $type:ident { $($(#[$of:meta])* $condition:ident = $name:literal,)+ }
        $(and { $(#[$called:meta])* $outer:ident($inner:ty) })?
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $visibility enum $type { $($(#[$of])* $condition,)+ $($(#[$called])* $outer($inner),)? }

        impl $type {
            /// All of them.
            pub const ALL: &[Self] = {
                const OWN: &[$type] = &[$($type::$condition),+];
                $crate::conditions!(@all $type, OWN $(, $outer, $inner)?)
            };

            /// The name in messages and in the manual.
            pub fn name(self) -> &'static str {
                match self { $(Self::$condition => $name,)+ $(Self::$outer(condition) => <$inner>::name(condition),)? }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }
    };
    (@all $type:ident, $own:ident) => { $own };
    (@all $type:ident, $own:ident, $outer:ident, $inner:ty) => {{
        const CALLED: &[$inner] = <$inner>::ALL;
        const ALL: [$type; $own.len() + CALLED.len()] = {
            let mut all = [$own[0]; $own.len() + CALLED.len()];
            let mut at = 0;
            while at < all.len() {
                all[at] = if at < $own.len() { $own[at] } else { $type::$outer(CALLED[at - $own.len()]) };
                at += 1;
            }
            all
        };
        &ALL
    }};
}

/// Makes what tests switch one condition off with, on their thread: `is_off` and `without`. The checker asks `is_off` in its tests alone.
#[macro_export]
macro_rules! switch {
    ($type:ty) => {
        thread_local! {
            static OFF: std::cell::Cell<Option<$type>> = const { std::cell::Cell::new(None) };
        }

        pub(crate) fn is_off(condition: $type) -> bool {
            OFF.get() == Some(condition)
        }

        /// Does `work` without one condition, on this thread.
        pub(crate) fn without<T>(condition: $type, work: impl FnOnce() -> T) -> T {
            OFF.set(Some(condition));
            let result = work();
            OFF.set(None);
            result
        }
    };
}

conditions! {
    /// What a tree must meet. The tests switch off one at a time and show for
    /// each a tree that is then accepted, so that none is there for nothing.
    pub enum Condition {
        /// All children of a split are in the list.
        Child = "tree.child",
        /// Nothing follows the tree.
        Rest = "tree.rest",
        /// A clause is one of the problem.
        Clause = "tree.clause",
        /// Variables are those of the problem, or fresh ones on the way.
        Variables = "tree.variables",
        /// Nothing is divided by 0.
        Divisor = "tree.divisor",
        /// What is added up is on the way.
        Fact = "tree.fact",
        /// Inequalities are not multiplied by negative numbers.
        Sign = "tree.sign",
        /// No coefficient of the problem's variables is positive in a falling sum.
        Falling = "tree.falling",
        /// No fresh variable is left in a falling sum.
        Fresh = "tree.fresh",
        /// The constant of a Farkas sum is negative.
        Farkas = "tree.farkas",
        /// The constant of a tight sum is not positive.
        Tight = "tree.tight",
        /// What is added up modulo a number is an equality.
        Equality = "tree.equality",
        /// Coefficients are multiples of the modulus.
        Modulus = "tree.modulus",
        /// The constant is no multiple of the modulus.
        Remainder = "tree.remainder",
    }
}

/// Why a tree was not accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// A condition does not hold.
    Invalid(Rejection),
    /// A number does not fit, or the problem is none. Nothing is said about the tree.
    TooLarge {
        /// What there is too much of.
        what: &'static str,
        /// How much is allowed.
        limit: u64,
    },
    /// The budget ended the check. Nothing is said about the tree.
    Stopped(Stopped),
}

/// A condition that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejection {
    /// The condition.
    pub condition: Condition,
    /// The number of the node, from 0.
    pub node: usize,
    /// What is wrong, without a full stop. One line.
    pub message: String,
}

impl Refusal {
    /// The same, at a node.
    pub(crate) fn at(mut self, at: usize) -> Self {
        if let Self::Invalid(rejection) = &mut self {
            rejection.node = at;
        }
        self
    }
}

impl From<Stopped> for Refusal {
    fn from(stopped: Stopped) -> Self {
        Self::Stopped(stopped)
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: node {} of the tree: {}", self.condition, self.node, self.message)
    }
}

/// What a condition that does not hold leads to: a refusal, always. Only this
/// crate's own tests can switch a condition off.
pub(crate) fn unmet(condition: Condition, message: String) -> Result<(), Refusal> {
    #[cfg(test)]
    if crate::switch::is_off(condition) {
        return Ok(());
    }
    Err(Refusal::Invalid(Rejection { condition, node: 0, message }))
}

/// Refuses unless the condition holds. The message is made only if it is needed.
macro_rules! require {
    ($condition:ident, $holds:expr, $($message:tt)+) => {
        if !$holds {
            $crate::refusal::unmet($crate::Condition::$condition, format!($($message)+))?;
        }
    };
}

/// The value that the condition says is there; refuses if it is not. What
/// follows in the function needs the value and is left out without it.
macro_rules! obtain {
    ($condition:ident, $value:expr, $($message:tt)+) => {
        match $value {
            Some(value) => value,
            None => return $crate::refusal::unmet($crate::Condition::$condition, format!($($message)+)),
        }
    };
}

pub(crate) use {obtain, require};
