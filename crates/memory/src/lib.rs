//! Counts the memory that the process has allocated and acts on two limits.
//!
//! Below the *soft* limit nothing happens. Above it a flag is up, which the
//! process looks at and stops its work in good order. At the *hard* limit,
//! which is reached only if one allocation jumps far or the work does not look
//! at the flag, a handler is called that must end the process.
//!
//! Only what is allocated is counted; the allocator's own overhead is not, so
//! a caller who promises a limit for the whole process leaves some room.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

static USED: AtomicUsize = AtomicUsize::new(0);
static SOFT: AtomicUsize = AtomicUsize::new(usize::MAX);
static HARD: AtomicUsize = AtomicUsize::new(usize::MAX);
static ENDING: AtomicBool = AtomicBool::new(false);
static HANDLER: OnceLock<fn() -> !> = OnceLock::new();

/// The system's allocator with a counter. To be installed by the binary:
/// `#[global_allocator] static MEMORY: Counting = Counting;`
pub struct Counting;

/// Sets the limits, in bytes, and what happens at the hard one. The handler
/// may allocate; it is called once.
pub fn limit(soft: usize, hard: usize, handler: fn() -> !) {
    // A second call changes the limits only.
    let _ = HANDLER.set(handler);
    SOFT.store(soft, Ordering::Relaxed);
    HARD.store(hard, Ordering::Relaxed);
}

/// Whether more than the soft limit is in use now.
pub fn is_exceeded() -> bool {
    USED.load(Ordering::Relaxed) > SOFT.load(Ordering::Relaxed)
}

/// Bytes in use.
pub fn used() -> usize {
    USED.load(Ordering::Relaxed)
}

fn add(size: usize) {
    let used = USED.fetch_add(size, Ordering::Relaxed).saturating_add(size);
    if used > HARD.load(Ordering::Relaxed)
        && let Some(handler) = HANDLER.get()
        && !ENDING.swap(true, Ordering::Relaxed)
    {
        handler();
    }
}

fn remove(size: usize) {
    USED.fetch_sub(size, Ordering::Relaxed);
}

// SAFETY: every call goes to the system's allocator with the same arguments;
// counting touches no memory that is handed out.
#[expect(unsafe_code, reason = "an allocator cannot be written without")]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(layout.size());
        // SAFETY: the caller keeps the promises of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        remove(layout.size());
        // SAFETY: `pointer` came from `System` with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        add(layout.size());
        // SAFETY: the caller keeps the promises of `alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // While it is copied both blocks may exist.
        add(size);
        // SAFETY: `pointer` came from `System` with this layout, and the
        // caller keeps the promises of `realloc`.
        let moved = unsafe { System.realloc(pointer, layout, size) };
        remove(layout.size());
        moved
    }
}
