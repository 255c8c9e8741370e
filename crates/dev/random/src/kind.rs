//! The kinds of random systems on which the whole is measured.

use serval_model::NetworkSystem;

use crate::{border, handlers, shared, uniform};

/// A kind of random systems: one system for each seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Few states, any steps: [`uniform`].
    Uniform,
    /// Requests as people write them: [`handlers()`](handlers()).
    Handlers,
    /// Requests that share their local states, with several starts: [`shared()`].
    Shared,
    /// One step from the other verdict: [`border()`].
    Border,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Uniform, Self::Handlers, Self::Shared, Self::Border];

    /// The name in files and tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::Handlers => "handlers",
            Self::Shared => "shared",
            Self::Border => "border",
        }
    }

    /// The kind with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The system of a seed.
    ///
    /// ```
    /// use serval_random::Kind;
    /// for kind in Kind::ALL {
    ///     assert_eq!(kind.system(3), kind.system(3));
    ///     assert_eq!(Kind::named(kind.name()), Some(kind));
    /// }
    /// ```
    pub fn system(self, seed: u64) -> NetworkSystem {
        match self {
            Self::Uniform => uniform(seed),
            Self::Handlers => handlers(seed),
            Self::Shared => shared(seed),
            Self::Border => border(seed),
        }
    }
}
