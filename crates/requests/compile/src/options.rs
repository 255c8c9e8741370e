//! How to compile and how large the result may be.

use crate::machine::StepLimits;

/// How to compile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Whether to keep everything the text says.
    pub mode: Mode,
    /// How large the result may be.
    pub limits: Limits,
}

/// What may be left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Dead locals are reset, constants folded, equal continuations merged,
    /// independent requests separated.
    #[default]
    Optimised,
    /// A local state is the expression that remains and the values of all
    /// local variables, a global state the values of all global variables, and
    /// there is one component: the published translation.
    Plain,
}

/// How large the result may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Pairs of local and global state whose steps are run, per component. Wide
    /// states and long steps count for more.
    pub pairs: u64,
    /// Work in one step.
    pub step: StepLimits,
}

impl Default for Limits {
    /// Sixteen million pairs.
    fn default() -> Self {
        Self { pairs: 1 << 24, step: StepLimits::default() }
    }
}
