//! What ends work from outside: the host, and memory.
//!
//! There is no clock here. At some of the looks at its flag the work asks the host (`stop`), which has one; and it
//! looks how much memory it has. What ended the work stays so until the next request.
//!
//! Where work is stopped that may have found something, it comes back with that. Of a text that was not read to its
//! end nothing is known, and a module cannot unwind; so there the host ends the call (`leave`), makes
//! another instance of the compiled module, and asks the same again with a `stop` that says at once what ended it.

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

impl EndedBy {
    /// By the numbers of `stop`, which says nothing with 0.
    fn of_number(number: i32) -> Option<Self> {
        match number {
            0 => None,
            2 => Some(Self::Time),
            3 => Some(Self::Memory),
            _ => Some(Self::Stopped),
        }
    }

    fn number(self) -> i32 {
        match self {
            Self::Stopped => 1,
            Self::Time => 2,
            Self::Memory => 3,
        }
    }
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
    ask()
}

/// Asks the host, and looks how much memory there is.
fn ask() -> bool {
    let full = || (memory() > MEMORY.get()).then_some(EndedBy::Memory);
    ENDED.set(EndedBy::of_number(border::asked_to_stop()).or_else(full));
    ENDED.get().is_some()
}

/// The same while a text is read: a module does not come back from here once it is over.
fn is_over_for_good() -> bool {
    let is_over = is_over();
    if let Some(ended) = ended() {
        border::leave(ended.number());
    }
    is_over
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

/// Reads a text, unless the host ends that; then nothing is known.
pub(crate) fn reading<T>(work: impl FnOnce() -> T) -> Option<T> {
    // Where the host asks again this says so before anything is read.
    ENDED.set(EndedBy::of_number(border::asked_to_stop()));
    if ended().is_some() {
        return None;
    }
    Budget::new(u64::MAX, Cancel::asking(is_over_for_good)).during(work).ok()
}

/// Does work that only passes checkpoints, unless the host ends it.
pub(crate) fn during<T>(work: impl FnOnce() -> T) -> Option<T> {
    Budget::new(u64::MAX, Cancel::asking(is_over)).during(work).ok()
}
