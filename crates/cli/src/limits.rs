//! Time, memory and interrupts: what ends work from outside.
//!
//! One thread watches the clock and the memory counter and raises the cancel
//! flag of the work at hand. Work that does not look at its flag soon enough,
//! or that allocates far beyond the limit at once, is ended with the process,
//! after a prepared answer has been written.

use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex};
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

/// Sets the limit on the memory of the process.
pub(crate) fn limit_memory(mebibytes: u64) {
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

/// A watch over one piece of work; ends when dropped.
pub(crate) struct Watch {
    state: Arc<State>,
    thread: Option<std::thread::JoinHandle<()>>,
}

struct State {
    cancel: Cancel,
    ended: AtomicU8,
    over: AtomicBool,
}

impl Watch {
    /// Watches work that may take `timeout`; `last_words` are written if it
    /// cannot be stopped.
    pub(crate) fn start(timeout: Duration, last_words: LastWords) -> Self {
        if let Ok(mut words) = LAST_WORDS.lock() {
            *words = Some(last_words);
        }
        let state = Arc::new(State { cancel: Cancel::new(), ended: AtomicU8::new(0), over: AtomicBool::new(false) });
        let watched = Arc::clone(&state);
        let started = Instant::now();
        let thread = std::thread::spawn(move || watched.watch(started, timeout));
        Self { state, thread: Some(thread) }
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
        self.state.over.store(true, Ordering::Relaxed);
        if let Ok(mut words) = LAST_WORDS.lock() {
            *words = None;
        }
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}

impl State {
    fn watch(&self, started: Instant, timeout: Duration) {
        while !self.over.load(Ordering::Relaxed) {
            let elapsed = started.elapsed();
            let reason = if is_interrupted() {
                3
            } else if elapsed >= timeout {
                1
            } else if serval_memory::is_exceeded() {
                2
            } else {
                std::thread::park_timeout(GLANCE.min(timeout - elapsed));
                continue;
            };
            self.ended.store(reason, Ordering::Relaxed);
            self.cancel.cancel();
            let told = Instant::now();
            while told.elapsed() < GRACE && !self.over.load(Ordering::Relaxed) {
                std::thread::park_timeout(GLANCE);
            }
            if !self.over.load(Ordering::Relaxed) {
                let words = LAST_WORDS.lock().ok().and_then(|mut words| words.take());
                let (text, status) = words.map_or((Vec::new(), 3), |words| (words.text, words.status));
                end_now(&text, if reason == 3 { 130 } else { status });
            }
            return;
        }
    }
}

/// How many threads to use, if that was said; else as many as there are cores.
pub(crate) fn threads(said: Option<usize>) -> usize {
    said.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
}
