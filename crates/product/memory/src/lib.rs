//! Counts the memory that the process has allocated and acts on two limits.
//!
//! Below the *soft* limit nothing happens. Above it a flag is up, which work
//! looks at ([`is_exceeded`]) and stops in good order. It goes up as well when
//! a block is so large that growing it once more would pass the hard limit: a
//! table that doubles must not jump over the whole distance between the two
//! limits. The flag stays up until [`begin`] is called for other work.
//!
//! At the *hard* limit, which is reached only if one allocation jumps far or
//! the work does not look at the flag, the thread that allocates is held up
//! until so much has been given back that its block fits. An allocator cannot
//! refuse without ending the process, but it can wait: other threads of the
//! same work see the flag and give their memory back, and if none does, the
//! thread stays where it is, takes no more, and the thread that watches it goes on
//! without it. The thread that watches is never held up ([`exempt`]).
//!
//! Only what is allocated is counted; the allocator's own overhead is not, so
//! a caller who promises a limit for the whole process leaves some room.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

static USED: AtomicUsize = AtomicUsize::new(0);
static SOFT: AtomicUsize = AtomicUsize::new(usize::MAX);
static HARD: AtomicUsize = AtomicUsize::new(usize::MAX);
/// Smaller blocks can double below the soft limit without passing the hard one.
static LARGE: AtomicUsize = AtomicUsize::new(usize::MAX);
static EXCEEDED: AtomicBool = AtomicBool::new(false);

thread_local! {
    // Without a destructor and known at compile time, so that looking at it
    // allocates nothing.
    static EXEMPT: Cell<bool> = const { Cell::new(false) };
}

/// How long a thread that is held up sleeps before it looks again.
const NAP: Duration = Duration::from_millis(1);

/// The system's allocator with a counter. To be installed by the binary:
/// `#[global_allocator] static MEMORY: Counting = Counting;`
pub struct Counting;

/// Sets the limits, in bytes.
pub fn limit(soft: usize, hard: usize) {
    SOFT.store(soft, Ordering::Relaxed);
    HARD.store(hard, Ordering::Relaxed);
    LARGE.store(hard.saturating_sub(soft) / 2, Ordering::Relaxed);
    begin();
}

/// Lowers the flag, unless more than the soft limit is in use now.
pub fn begin() {
    EXCEEDED.store(used() > SOFT.load(Ordering::Relaxed), Ordering::Relaxed);
}

/// Whether more than the soft limit has been in use since [`begin`].
pub fn is_exceeded() -> bool {
    EXCEEDED.load(Ordering::Relaxed)
}

/// Whether more than the soft limit is in use now.
pub fn is_full() -> bool {
    used() > SOFT.load(Ordering::Relaxed)
}

/// Bytes in use.
pub fn used() -> usize {
    USED.load(Ordering::Relaxed)
}

/// Lets this thread go beyond the hard limit. It is for the one that watches
/// the others and takes little itself.
pub fn exempt() {
    EXEMPT.set(true);
}

/// Counts a block that takes the place of one of `before` bytes, which is
/// there until the contents have been moved.
fn add(size: usize, before: usize) {
    let used = USED.fetch_add(size, Ordering::Relaxed).saturating_add(size);
    if used > SOFT.load(Ordering::Relaxed) || size > LARGE.load(Ordering::Relaxed) {
        look_closer(used, size, before);
    }
}

#[cold]
fn look_closer(used: usize, size: usize, before: usize) {
    let (soft, hard) = (SOFT.load(Ordering::Relaxed), HARD.load(Ordering::Relaxed));
    let left = used.saturating_sub(before);
    if left > soft || size > LARGE.load(Ordering::Relaxed) && left.saturating_add(size).saturating_add(size) > hard {
        EXCEEDED.store(true, Ordering::Relaxed);
    }
    if used > hard && !EXEMPT.get() {
        EXCEEDED.store(true, Ordering::Relaxed);
        // What is only asked for is not in use: others go by what is.
        remove(size);
        while self::used().saturating_add(size) > HARD.load(Ordering::Relaxed) {
            std::thread::sleep(NAP);
        }
        USED.fetch_add(size, Ordering::Relaxed);
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
        add(layout.size(), 0);
        // SAFETY: the caller keeps the promises of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        remove(layout.size());
        // SAFETY: `pointer` came from `System` with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        add(layout.size(), 0);
        // SAFETY: the caller keeps the promises of `alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // While it is copied both blocks may exist.
        add(size, layout.size());
        // SAFETY: `pointer` came from `System` with this layout, and the
        // caller keeps the promises of `realloc`.
        let moved = unsafe { System.realloc(pointer, layout, size) };
        remove(layout.size());
        moved
    }
}
