//! What ends work from outside: the host, and memory.
//!
//! There is no clock here. At some of the looks at its flag the work asks the host (`stop`), which has one; and it
//! looks how much memory it has. What ended the work stays so until the next request.

use std::cell::Cell;

use serval::Cancel;
use serval_budget::Budget;

use crate::border;

/// What has ended the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndedBy {
    /// The host, because it was told to.
    Stopped,
    /// The host, because the time is over.
    Time,
    /// There is no more memory.
    Memory,
}

/// What the work is at, which the host is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WasmStage {
    /// The text is read.
    Reading,
    /// States are explored.
    Preparing,
    /// Methods look for an answer; the number is that of requests, or of a round.
    Searching,
    /// Fixes are looked for.
    Fixing,
}

impl WasmStage {
    /// All of them, by their numbers.
    pub const ALL: [Self; 4] = [Self::Reading, Self::Preparing, Self::Searching, Self::Fixing];

    fn number(self) -> i32 {
        match self {
            Self::Reading => 0,
            Self::Preparing => 1,
            Self::Searching => 2,
            Self::Fixing => 3,
        }
    }
}

/// Looks at the flag for which the host is asked once: a call out of the module takes longer than a look.
const SELDOM: u32 = 16;
/// Bytes of a page of memory.
#[cfg(target_family = "wasm")]
const PAGE: usize = 64 << 10;

thread_local! {
    static LOOKS: Cell<u32> = const { Cell::new(0) };
    static ENDED: Cell<Option<EndedBy>> = const { Cell::new(None) };
    static MEMORY: Cell<usize> = const { Cell::new(usize::MAX) };
}

/// A request begins, with so much memory in MiB.
pub fn begin(memory: usize) {
    LOOKS.set(0);
    ENDED.set(None);
    MEMORY.set(memory.saturating_mul(1 << 20));
}

/// The memory that the module has; other programs are not looked at.
fn memory() -> usize {
    #[cfg(target_family = "wasm")]
    return core::arch::wasm32::memory_size::<0>().saturating_mul(PAGE);
    #[cfg(not(target_family = "wasm"))]
    0
}

/// Whether the work is over.
pub fn is_over() -> bool {
    if ENDED.get().is_some() {
        return true;
    }
    LOOKS.set(LOOKS.get().wrapping_add(1));
    if !LOOKS.get().is_multiple_of(SELDOM) {
        return false;
    }
    let ended = match border::asked_to_stop() {
        0 => (memory() > MEMORY.get()).then_some(EndedBy::Memory),
        2 => Some(EndedBy::Time),
        _ => Some(EndedBy::Stopped),
    };
    ENDED.set(ended);
    ended.is_some()
}

/// What has ended the work, if anything has.
pub fn ended() -> Option<EndedBy> {
    ENDED.get()
}

/// What has ended the work, in words.
pub(crate) fn reason() -> String {
    match ended() {
        Some(EndedBy::Time) => "stopped at the time limit".to_owned(),
        Some(EndedBy::Memory) => "memory: more than the module may have".to_owned(),
        Some(EndedBy::Stopped) | None => "stopped".to_owned(),
    }
}

/// What has ended the work, for machines.
pub(crate) fn ended_name() -> Option<&'static str> {
    Some(match ended()? {
        EndedBy::Stopped => "stopped",
        EndedBy::Time => "time",
        EndedBy::Memory => "memory",
    })
}

/// Tells the host what the work is at.
pub(crate) fn tell(stage: WasmStage, number: u32) {
    border::told(stage.number(), i32::try_from(number).unwrap_or(i32::MAX));
}

/// Does work that only passes checkpoints, unless the host ends it.
pub(crate) fn during<T>(work: impl FnOnce() -> T) -> Option<T> {
    Budget::new(u64::MAX, Cancel::asking(is_over)).during(work).ok()
}
