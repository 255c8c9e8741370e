//! How far searches go, and what they say when they end.

use serval_budget::StopReason;

use crate::machine::{Event, Machine, RangeFault};
use crate::search::{Ended, Faulting, Label, Visited};
use crate::witness::{with_buffers, written};

/// How far the engine goes.
#[derive(Clone, Debug)]
pub struct EngineLimits {
    /// States of one search. Default: ten million.
    pub states: usize,
    /// Places of a store buffer. Default: 64.
    pub buffer: usize,
    /// Whether of threads that are alike one order is enough. Default: yes.
    pub alike: bool,
}

impl Default for EngineLimits {
    fn default() -> Self {
        Self { states: 10_000_000, buffer: 64, alike: true }
    }
}

/// States after which runs are looked for eagerly, and for final states not every order of steps is looked at.
pub(crate) const MANY: usize = 50_000;
/// States that are looked at eagerly.
pub(crate) const EAGER: usize = 300_000;

/// Why a search has no answer.
pub(crate) fn reason(stage: &'static str, ended: &Ended, states: usize) -> StopReason {
    match ended {
        Ended::Stopped(stopped) => StopReason::stopped(stage, 0, *stopped),
        _ => StopReason::TooMany { stage, what: "states", cap: states },
    }
}

/// A step that leaves the range of values, with the run that leads there.
pub(crate) fn fault(machine: &Machine<'_>, found: &Visited, at: usize, (thread, point, kind): Faulting) -> RangeFault {
    let labels = found.path(at);
    let lands = labels.iter().any(|label: &Label| label.event == Event::Land);
    let run = if lands { written(machine, &labels) } else { with_buffers(machine, &labels) };
    RangeFault { thread, point, kind, run }
}
