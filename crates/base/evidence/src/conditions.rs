//! Conditions of checkers, by name.

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

        impl From<$type> for $crate::ConditionName {
            fn from(condition: $type) -> Self {
                Self(condition.name())
            }
        }

        impl PartialEq<$type> for $crate::ConditionName {
            fn eq(&self, other: &$type) -> bool {
                self.0 == other.name()
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

/// Makes what the tests of a crate switch one condition off with, on their thread: `is_off`, which `unmet!` asks in
/// these tests alone, and `without`. It belongs into the module `tests::switch` of the crate.
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

/// What a condition that does not hold leads to: a refusal, always. Only the tests of the crate that asks can switch a
/// condition off.
#[macro_export]
#[expect(clippy::crate_in_macro_def, reason = "the switch is that of the crate whose condition it is")]
macro_rules! unmet {
    ($condition:expr, $object:expr, $message:expr) => {{
        #[cfg(test)]
        let is_off = crate::tests::switch::is_off($condition);
        #[cfg(not(test))]
        let is_off = false;
        if is_off { Ok(()) } else { Err($crate::Refusal::invalid($condition.into(), $object.to_string(), $message)) }
    }};
}

/// Refuses unless the condition of the crate holds. Says what it is about, or leaves that to the caller and
/// [`Refusal::about`](crate::Refusal::about). The message is made only if it is needed.
#[macro_export]
#[expect(clippy::crate_in_macro_def, reason = "the condition is one of the crate that asks")]
macro_rules! require {
    ($condition:ident, $holds:expr, about($object:expr), $($message:tt)+) => {
        if !$holds {
            $crate::unmet!(crate::Condition::$condition, $object, format!($($message)+))?;
        }
    };
    ($condition:ident, $holds:expr, $($message:tt)+) => {
        $crate::require!($condition, $holds, about(""), $($message)+)
    };
}

/// The value that the condition says is there; refuses if it is not. What follows in the function needs the value and
/// is left out without it.
#[macro_export]
#[expect(clippy::crate_in_macro_def, reason = "the condition is one of the crate that asks")]
macro_rules! obtain {
    ($condition:ident, $value:expr, $($message:tt)+) => {
        match $value {
            Some(value) => value,
            None => return $crate::unmet!(crate::Condition::$condition, "", format!($($message)+)),
        }
    };
}
