//! Time, memory and interrupts: what ends work from outside.
//!
//! One thread watches the clock and the memory counter and raises the cancel
//! flag of the work at hand. Work that does not look at its flag soon enough,
//! or that allocates far beyond the limit at once, is ended with the process,
//! after a prepared answer has been written.

use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::Thread;
use std::time::{Duration, Instant};

use serval_model::Cancel;

/// What ended the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    Time,
    Memory,
    Interrupt,
}

/// What is written if the process has to end at once, and with which status.
#[derive(Clone, Debug)]
pub(crate) struct LastWords {
    pub(crate) text: Vec<u8>,
    pub(crate) status: i32,
}

static LAST_WORDS: Mutex<Option<LastWords>> = Mutex::new(None);
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// How long after its limit work may take to stop in good order.
const GRACE: Duration = Duration::from_millis(300);
const GLANCE: Duration = Duration::from_millis(4);

/// Installs the handler for interrupts, once.
pub(crate) fn watch_interrupts() {
    // Without a handler an interrupt ends the process at once, which is fine.
    let _ = ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            // The second time there is no waiting.
            end_now(b"", 130);
        }
    });
}

/// Whether the user has interrupted.
pub(crate) fn is_interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// Sets the limit on the memory of the process; where none is said, most of
/// what the machine has.
pub(crate) fn limit_memory(mebibytes: Option<u64>) {
    let mebibytes = mebibytes.unwrap_or_else(|| machine_memory_mib() / 10 * 8);
    let bytes = usize::try_from(mebibytes.saturating_mul(1 << 20)).unwrap_or(usize::MAX);
    // What is counted is less than what the process takes: the allocator needs
    // room, too. Work is told to stop early enough for its tables to double.
    serval_memory::limit(bytes / 100 * 60, bytes / 100 * 92, || {
        let words = LAST_WORDS.try_lock().ok().and_then(|mut words| words.take());
        match words {
            Some(words) => end_now(&words.text, words.status),
            None => end_now(b"", 3),
        }
    });
}

#[expect(clippy::exit, reason = "the last resort when the work does not stop by itself")]
fn end_now(text: &[u8], status: i32) -> ! {
    let _ = std::io::stdout().write_all(text);
    let _ = std::io::stdout().flush();
    std::process::exit(status)
}

/// What is watched, and by whom. One thread does it for all pieces of work, one
/// after the other, as starting one for each would take longer than most work.
static WATCHER: Mutex<Watcher> = Mutex::new(Watcher { watched: Vec::new(), thread: None, asleep: false });

struct Watcher {
    watched: Vec<Arc<State>>,
    thread: Option<Thread>,
    /// Whether the thread has to be woken.
    asleep: bool,
}

/// Glances at nothing before the thread sleeps until it is woken.
const PATIENCE: u32 = 100;

/// A watch over one piece of work; ends when dropped.
pub(crate) struct Watch {
    state: Arc<State>,
}

struct State {
    cancel: Cancel,
    ended: AtomicU8,
    started: Instant,
    timeout: Duration,
    /// When the work was told to stop.
    told: OnceLock<Instant>,
}

impl Watch {
    /// Watches work that may take `timeout`; `last_words` are written if it
    /// cannot be stopped.
    pub(crate) fn start(timeout: Duration, last_words: LastWords) -> Self {
        *locked(&LAST_WORDS) = Some(last_words);
        let state = State { cancel: Cancel::new(), ended: AtomicU8::new(0), started: Instant::now(), timeout, told: OnceLock::new() };
        let state = Arc::new(state);
        let mut watcher = locked(&WATCHER);
        watcher.watched.push(Arc::clone(&state));
        match &watcher.thread {
            None => watcher.thread = Some(std::thread::spawn(watch).thread().clone()),
            Some(thread) if watcher.asleep => thread.unpark(),
            Some(_) => {}
        }
        Self { state }
    }

    /// The flag that the work looks at.
    pub(crate) fn cancel(&self) -> Cancel {
        self.state.cancel.clone()
    }

    /// What ended the work, if something did.
    pub(crate) fn ended(&self) -> Option<Ended> {
        match self.state.ended.load(Ordering::Relaxed) {
            1 => Some(Ended::Time),
            2 => Some(Ended::Memory),
            3 => Some(Ended::Interrupt),
            _ => None,
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        locked(&WATCHER).watched.retain(|state| !Arc::ptr_eq(state, &self.state));
        *locked(&LAST_WORDS) = None;
    }
}

/// What a mutex holds, even if a thread panicked with it: nothing here is ever
/// half changed.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Glances at all that is watched, again and again.
fn watch() {
    let mut nothing = 0;
    loop {
        // As long as this is locked, no work can end: none is ended after it is done.
        let mut watcher = locked(&WATCHER);
        nothing = if watcher.watched.is_empty() { nothing + 1 } else { 0 };
        watcher.asleep = nothing > PATIENCE;
        let asleep = watcher.asleep;
        for state in &watcher.watched {
            state.glance();
        }
        drop(watcher);
        if asleep {
            std::thread::park();
        } else {
            std::thread::park_timeout(GLANCE);
        }
    }
}

impl State {
    fn glance(&self) {
        let reason = if is_interrupted() {
            3
        } else if self.started.elapsed() >= self.timeout {
            1
        } else if serval_memory::is_exceeded() {
            2
        } else {
            0
        };
        match self.told.get() {
            None if reason != 0 => {
                self.ended.store(reason, Ordering::Relaxed);
                self.cancel.cancel();
                let _ = self.told.set(Instant::now());
            }
            Some(told) if told.elapsed() >= GRACE => {
                let words = locked(&LAST_WORDS).take();
                let (text, status) = words.map_or((Vec::new(), 3), |words| (words.text, words.status));
                end_now(&text, if self.ended.load(Ordering::Relaxed) == 3 { 130 } else { status });
            }
            _ => {}
        }
    }
}

/// How many threads to use, if that was said; else as many as there are cores.
pub(crate) fn threads(said: Option<usize>) -> usize {
    said.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// The memory of the machine, or 8 GiB where it cannot be told.
fn machine_memory_mib() -> u64 {
    let told = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("MemTotal:"))?;
        line.split_whitespace().nth(1)?.parse::<u64>().ok()
    });
    told.map_or(8 << 10, |kib| kib >> 10)
}
