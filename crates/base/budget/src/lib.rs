//! Work limits that do not depend on a clock.
//!
//! Everything that can take long counts its work in *ticks* and asks its
//! budget now and then whether it may go on. The same input with the same
//! number of ticks stops at the same place on every machine. The binary, and
//! only the binary, turns wall-clock time, memory and interrupts into a
//! [`Cancel`] flag that the budget looks at too.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

pub mod checkpoint;
mod reason;

pub use reason::StopReason;

/// How many threads to use where `jobs` are allowed; with 0, as many as the machine offers. To ask the machine takes
/// longer than a small program does, so only who is about to start threads asks.
pub fn threads(jobs: usize) -> usize {
    static OFFERED: OnceLock<usize> = OnceLock::new();
    match jobs {
        0 => *OFFERED.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from)),
        given => given,
    }
}

/// A flag that tells work in progress to stop soon.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<Flag>);

#[derive(Debug, Default)]
struct Flag {
    raised: AtomicBool,
    /// Asked as well.
    asked: Option<fn() -> bool>,
    /// Raised when this one is.
    parent: Option<Cancel>,
}

impl Cancel {
    /// A flag that is not raised.
    pub fn new() -> Self {
        Self::default()
    }

    /// A flag that counts as raised also when this function says so, which is
    /// called at every look at the flag, and must be quick.
    pub fn asking(asked: fn() -> bool) -> Self {
        Self(Arc::new(Flag { asked: Some(asked), ..Flag::default() }))
    }

    /// Tells all holders of this flag to stop.
    pub fn cancel(&self) {
        self.0.raised.store(true, Ordering::Relaxed);
    }

    /// Whether the flag was raised.
    pub fn is_cancelled(&self) -> bool {
        let Flag { raised, asked, parent } = &*self.0;
        raised.load(Ordering::Relaxed) || asked.is_some_and(|asked| asked()) || parent.as_ref().is_some_and(Self::is_cancelled)
    }

    /// A flag of its own that is raised when this one is.
    #[must_use]
    pub fn child(&self) -> Self {
        Self(Arc::new(Flag { parent: Some(self.clone()), ..Flag::default() }))
    }
}

/// Why a piece of work ended before it was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// The ticks are used up. Happens at the same place on every machine.
    OutOfTicks,
    /// The [`Cancel`] flag was raised: by a time or memory limit, or an interrupt.
    Cancelled,
}

/// A number of ticks and a flag.
///
/// ```
/// use serval_budget::{Budget, Stopped};
/// let mut budget = Budget::ticks(2);
/// assert_eq!(budget.spend(2), Ok(()));
/// assert_eq!(budget.spend(1), Err(Stopped::OutOfTicks));
/// ```
#[derive(Clone, Debug)]
pub struct Budget {
    left: u64,
    cancel: Cancel,
}

impl Budget {
    /// A budget of this number of ticks, which cannot be cancelled.
    pub fn ticks(ticks: u64) -> Self {
        Self::new(ticks, Cancel::new())
    }

    /// A budget without a limit of its own.
    pub fn unlimited() -> Self {
        Self::ticks(u64::MAX)
    }

    /// A budget of this number of ticks that stops at once when `cancel` is raised.
    pub fn new(ticks: u64, cancel: Cancel) -> Self {
        Self { left: ticks, cancel }
    }

    /// Takes `ticks` from the budget.
    pub fn spend(&mut self, ticks: u64) -> Result<(), Stopped> {
        if self.cancel.is_cancelled() {
            return Err(Stopped::Cancelled);
        }
        match self.left.checked_sub(ticks) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => {
                self.left = 0;
                Err(Stopped::OutOfTicks)
            }
        }
    }

    /// A budget of at most `ticks` that shares this one's flag, for a part of
    /// the work. What the part uses is not taken from this budget.
    pub fn part(&self, ticks: u64) -> Self {
        Self { left: ticks.min(self.left), cancel: self.cancel.clone() }
    }

    /// A budget of exactly `ticks` that shares this one's flag, for work that
    /// is paid for otherwise.
    pub fn aside(&self, ticks: u64) -> Self {
        Self { left: ticks, cancel: self.cancel.clone() }
    }

    /// Does work that counts no ticks but passes [`checkpoint`]s, unless the
    /// flag is raised before it is done.
    pub fn during<T>(&self, work: impl FnOnce() -> T) -> Result<T, Stopped> {
        let cancel = self.cancel.clone();
        checkpoint::until(move || cancel.is_cancelled(), work).ok_or(Stopped::Cancelled)
    }

    /// How many ticks are left.
    pub fn left(&self) -> u64 {
        self.left
    }
}
