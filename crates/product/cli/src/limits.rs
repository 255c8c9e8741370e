//! Time, memory and interrupts: what ends work from outside.
//!
//! Work that can be long is done by one thread, the *worker*, while the thread
//! that asked for it watches the clock, the memory and the user ([`watched`]).
//! There are three ways in which a limit ends work, each for what the one
//! before it cannot do:
//!
//! 1. The cancel flag of the work is raised, and the work, which looks at it
//!    all the time, returns what it has. Memory raises the flag in the very
//!    allocation that passes the soft limit, so that nothing depends on when the
//!    watching thread gets its turn.
//! 2. A thread that allocates beyond the hard limit is held up until others
//!    have given memory back (`serval_memory`).
//! 3. Work that has not ended [`GRACE`] after its flag was raised is stuck. A
//!    thread cannot be ended, so it is *left behind*: the caller that asked for the work
//!    gets [`Lost`], and the next piece of work gets a new worker. What was left
//!    behind can neither write a file nor say anything any more: [`visibly`]
//!    ends it there. If it holds the memory, there is none for other work, which
//!    is then refused, piece by piece.
//!
//! In each case the caller goes on: one file's limit costs no other file its
//! result, and the report is finished by the thread that always did it. The
//! worker is one thread for all files, one after the other; it takes as long to
//! start as the thread that would watch otherwise.

use std::cell::RefCell;
use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serval_budget::Cancel;

/// What ended the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    Time,
    Memory,
    Interrupt,
}

/// Why there is no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Lost {
    /// It could not be stopped, or was not begun; in words.
    Stopped(Ended, String),
    /// No thread could be started; in words.
    NoThread(String),
    /// It panicked, which is a bug.
    Panicked,
}

impl Lost {
    /// The reason, for reports.
    pub(crate) fn reason(self) -> String {
        match self {
            Self::Stopped(_, reason) | Self::NoThread(reason) => reason,
            Self::Panicked => "internal error: a bug in serval ended the work".to_owned(),
        }
    }
}

/// How long work may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Time {
    limit: Duration,
    /// The limit as the user gave it, and the option that did.
    said: Duration,
    option: &'static str,
}

impl Time {
    /// What is said of work that did not end within it.
    pub(crate) fn reason(self) -> String {
        format!("stopped at the time limit of {} s ({})", self.said.as_secs_f64(), self.option)
    }

    /// When it is over, from now on.
    pub(crate) fn end(self) -> Deadline {
        // What is late by so little is still within the time that users see.
        let late = self.limit.saturating_add(self.limit / 20).saturating_add(Duration::from_millis(250));
        Deadline { time: self, at: Instant::now().checked_add(late) }
    }
}

impl From<Duration> for Time {
    fn from(limit: Duration) -> Self {
        Self { limit, said: limit, option: "--timeout" }
    }
}

/// When a time is over.
pub(crate) struct Deadline {
    time: Time,
    at: Option<Instant>,
}

impl Deadline {
    /// A time that is over.
    #[cfg(test)]
    pub(crate) fn over(time: Time) -> Self {
        Self { time, at: Some(Instant::now()) }
    }

    pub(crate) fn is_over(&self) -> bool {
        self.at.is_some_and(|at| Instant::now() >= at)
    }

    /// That it was over, in words and with the limit.
    pub(crate) fn reason(&self) -> String {
        self.time.reason()
    }
}

/// A time for each piece of work, and perhaps one for all together.
pub(crate) struct Times {
    each: Duration,
    all: Option<Duration>,
    started: Instant,
}

impl Times {
    /// Begins with what there is for all.
    pub(crate) fn start(each: Duration, all: Option<Duration>) -> Self {
        Self { each, all, started: Instant::now() }
    }

    /// Whether what there is for all has been used.
    pub(crate) fn is_over(&self) -> bool {
        self.all.is_some_and(|all| self.started.elapsed() >= all)
    }

    /// The time for the next piece.
    pub(crate) fn next(&self) -> Time {
        match self.all {
            Some(all) if all.saturating_sub(self.started.elapsed()) < self.each => {
                Time { limit: all.saturating_sub(self.started.elapsed()), said: all, option: "--timeout-all" }
            }
            _ => self.each.into(),
        }
    }
}

static INTERRUPTED: AtomicBool = AtomicBool::new(false);
/// The limit on memory, in MiB.
static MEBIBYTES: AtomicU64 = AtomicU64::new(0);

/// How long work may take to end after it was told to. Work looks at its flag
/// every few milliseconds; this is for machines that do a hundred other things.
const GRACE: Duration = Duration::from_secs(5);
/// How long that is for a user who waits.
const IMPATIENCE: Duration = Duration::from_millis(500);
/// The part of the time that is left for advice when nothing has been decided.
const LAST: u32 = 16;
const LONGEST_LAST: Duration = Duration::from_secs(10);
const GLANCE: Duration = Duration::from_millis(4);
/// Work that gives back so much between two glances is about to end.
const RECEDING: usize = 1 << 20;
/// As much as the main thread usually has.
const STACK: usize = 8 << 20;

/// Installs the handler for interrupts, once. It needs a thread, so that it is installed when work has taken as long as
/// a glance; before that an interrupt ends the process, and there is nothing yet that would be lost.
pub(crate) fn watch_interrupts() {
    static INSTALLED: AtomicBool = AtomicBool::new(false);
    if INSTALLED.swap(true, Ordering::Relaxed) {
        return;
    }
    // Without a handler an interrupt ends the process at once, which is fine.
    let _ = ctrlc::set_handler(|| {
        serval_memory::exempt();
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            // The second time there is no waiting.
            end_now();
        }
    });
}

#[expect(clippy::exit, reason = "the user does not want to wait for anything")]
fn end_now() -> ! {
    std::process::exit(130)
}

/// Whether the user has interrupted.
pub(crate) fn is_interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// Sets the limit on the memory of the process; where none is given, most of
/// what the machine has.
pub(crate) fn limit_memory(mebibytes: Option<u64>) {
    let mebibytes = mebibytes.unwrap_or_else(|| machine_memory_mib() / 10 * 8);
    let bytes = usize::try_from(mebibytes.saturating_mul(1 << 20)).unwrap_or(usize::MAX);
    MEBIBYTES.store(mebibytes, Ordering::Relaxed);
    // What is counted is less than what the process takes: the allocator needs
    // room, too. Work has to stop early enough for its tables to double.
    serval_memory::limit(bytes / 100 * 60, bytes / 100 * 92);
    // This thread watches and reports, and no work could go on without it.
    serval_memory::exempt();
}

/// A watch over one piece of work.
#[derive(Clone)]
pub(crate) struct Watch {
    state: Arc<LimitState>,
}

struct LimitState {
    cancel: Cancel,
    /// Raised before the time is over.
    early: Cancel,
    ended: AtomicU8,
    started: Instant,
    time: Time,
    grace: Duration,
    /// Whether the work has been left behind. Locked while it does something
    /// that others see.
    left: Mutex<bool>,
}

impl Watch {
    fn new(time: Time, grace: Duration) -> Self {
        let cancel = Cancel::asking(serval_memory::is_exceeded);
        let early = cancel.child();
        let state = LimitState { cancel, early, ended: AtomicU8::new(0), started: Instant::now(), time, grace, left: Mutex::new(false) };
        Self { state: Arc::new(state) }
    }

    /// The flag that the work looks at.
    pub(crate) fn cancel(&self) -> Cancel {
        self.state.cancel.clone()
    }

    /// A flag that is raised together with the other or a little before the time
    /// is over, for work after which there is something to say that takes time, too.
    pub(crate) fn early(&self) -> Cancel {
        self.state.early.clone()
    }

    /// Does a part of the work that has no budget, unless the flag is raised
    /// before it is done.
    pub(crate) fn until<T>(&self, part: impl FnOnce() -> T) -> Option<T> {
        let cancel = self.cancel();
        serval_budget::checkpoint::until(move || cancel.is_cancelled(), part)
    }

    /// What ended the work, if something did.
    pub(crate) fn ended(&self) -> Option<Ended> {
        match self.state.ended.load(Ordering::Relaxed) {
            1 => Some(Ended::Time),
            2 => Some(Ended::Memory),
            3 => Some(Ended::Interrupt),
            // Work may see that there is no memory before the watching thread does.
            _ if serval_memory::is_exceeded() => Some(Ended::Memory),
            _ if self.state.early.is_cancelled() => Some(Ended::Time),
            _ => None,
        }
    }

    /// What ended the work, in words and with the limit.
    pub(crate) fn reason(&self) -> String {
        match self.ended() {
            Some(Ended::Time) => self.state.time.reason(),
            Some(Ended::Memory) => memory_reason(),
            Some(Ended::Interrupt) => "interrupted".to_owned(),
            None => "stopped".to_owned(),
        }
    }

    /// Raises the flag if there is a reason.
    pub(crate) fn glance(&self) -> Option<Ended> {
        let state = &self.state;
        if state.ended.load(Ordering::Relaxed) == 0 {
            let reason = if is_interrupted() {
                3
            } else if serval_memory::is_exceeded() {
                2
            } else if state.started.elapsed() >= state.time.limit {
                1
            } else {
                if state.started.elapsed() >= state.time.limit.saturating_sub((state.time.limit / LAST).min(LONGEST_LAST)) {
                    state.early.cancel();
                }
                return None;
            };
            state.ended.store(reason, Ordering::Relaxed);
            state.cancel.cancel();
        }
        self.ended()
    }

    /// Waits for the work until it has to be left behind.
    fn wait<T>(&self, done: &mpsc::Receiver<std::thread::Result<T>>) -> Result<T, Lost> {
        // When it was told to stop, or was last seen to give memory back.
        let mut told: Option<Instant> = None;
        let mut least = None;
        loop {
            match done.recv_timeout(GLANCE) {
                Ok(Ok(result)) => return Ok(result),
                Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => return Err(Lost::Panicked),
                Err(RecvTimeoutError::Timeout) => watch_interrupts(),
            }
            let Some(ended) = self.glance() else { continue };
            let now = Instant::now();
            if is_receding(&mut least) {
                told = Some(now);
            }
            let grace = if is_interrupted() { IMPATIENCE } else { self.state.grace };
            if now.duration_since(*told.get_or_insert(now)) >= grace {
                *locked(&self.state.left) = true;
                // It may have been done just before.
                if let Ok(Ok(result)) = done.try_recv() {
                    return Ok(result);
                }
                let more = if ended == Ended::Interrupt { "" } else { "; it did not end by itself and was left behind" };
                return Err(Lost::Stopped(ended, self.reason() + more));
            }
        }
    }
}

fn memory_reason() -> String {
    format!("stopped at the memory limit of {} MiB (--memory)", MEBIBYTES.load(Ordering::Relaxed))
}

/// Whether clearly less memory is in use than ever since the first call, with
/// `None`.
fn is_receding(least: &mut Option<usize>) -> bool {
    let used = serval_memory::used();
    let receding = least.is_some_and(|least| used.saturating_add(RECEDING) <= least);
    if receding || least.is_none() {
        *least = Some(used);
    }
    receding
}

type Job = Box<dyn FnOnce() + Send>;

/// The thread that works now, if one was started.
static WORKER: Mutex<Option<Sender<Job>>> = Mutex::new(None);

thread_local! {
    /// What this thread works on.
    static WORK: RefCell<Option<Arc<LimitState>>> = const { RefCell::new(None) };
}

/// Has the worker do this, for so long at most.
pub(crate) fn watched<T: Send + 'static>(time: impl Into<Time>, work: impl FnOnce(&Watch) -> T + Send + 'static) -> Result<T, Lost> {
    watched_with(time.into(), GRACE, work)
}

fn watched_with<T: Send + 'static>(time: Time, grace: Duration, work: impl FnOnce(&Watch) -> T + Send + 'static) -> Result<T, Lost> {
    await_memory(grace)?;
    serval_memory::begin();
    let watch = Watch::new(time, grace);
    let (result, done) = mpsc::sync_channel(1);
    let own = watch.clone();
    let job = Box::new(move || {
        WORK.set(Some(Arc::clone(&own.state)));
        // Time that is over before the work begins ends it, however late the watcher looks.
        own.glance();
        let outcome = catch_unwind(AssertUnwindSafe(|| work(&own)));
        WORK.set(None);
        // The caller does not wait for what was left behind.
        let _ = result.send(outcome);
    });
    hand_over(job).map_err(|error| Lost::NoThread(format!("no thread could be started: {error}")))?;
    let outcome = watch.wait(&done);
    if let Err(Lost::Stopped(..)) = outcome {
        *locked(&WORKER) = None;
    }
    outcome
}

/// Gives the job to the worker, which is started if there is none.
fn hand_over(job: Job) -> std::io::Result<()> {
    let mut worker = locked(&WORKER);
    let job = match &*worker {
        Some(jobs) => match jobs.send(job) {
            Ok(()) => return Ok(()),
            Err(refused) => refused.0,
        },
        None => job,
    };
    let (jobs, queue) = mpsc::channel::<Job>();
    std::thread::Builder::new().name("worker".to_owned()).stack_size(STACK).spawn(move || {
        for job in queue {
            job();
        }
    })?;
    // The thread waits for the first job, so this cannot fail.
    let _ = jobs.send(job);
    *worker = Some(jobs);
    Ok(())
}

/// Whether the memory that work left behind holds has been waited for in vain.
static IN_VAIN: AtomicBool = AtomicBool::new(false);

/// Waits, once, as long as work that was left behind gives memory back.
fn await_memory(grace: Duration) -> Result<(), Lost> {
    let (mut since, mut least) = (Instant::now(), None);
    while serval_memory::is_full() {
        if is_receding(&mut least) {
            since = Instant::now();
        }
        if since.elapsed() >= grace || IN_VAIN.load(Ordering::Relaxed) || is_interrupted() {
            IN_VAIN.store(true, Ordering::Relaxed);
            return Err(Lost::Stopped(Ended::Memory, memory_reason() + " before it was begun: other work holds the memory"));
        }
        std::thread::sleep(GLANCE);
    }
    Ok(())
}

/// Does something that others see: writes a file, says something. Work that was
/// left behind ends here instead, for its file has been reported already. Must
/// not be used within itself.
pub(crate) fn visibly<R>(act: impl FnOnce() -> R) -> R {
    let Some(state) = WORK.with_borrow(Clone::clone) else { return act() };
    let left = locked(&state.left);
    if *left {
        drop(left);
        // Unlike a panic this says nothing, and gives all memory back.
        resume_unwind(Box::new("left behind"));
    }
    act()
}

/// What a mutex holds, even if a thread panicked with it: nothing here is ever
/// half changed.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The memory of the machine, or 8 GiB where it cannot be told.
fn machine_memory_mib() -> u64 {
    let told = || {
        // It is in the first line, and making all the others takes the system some time.
        let mut start = [0; 128];
        let length = std::fs::File::open("/proc/meminfo").ok()?.read(&mut start).ok()?;
        let text = std::str::from_utf8(start.get(..length)?).ok()?;
        let line = text.lines().find(|line| line.starts_with("MemTotal:"))?;
        line.split_whitespace().nth(1)?.parse::<u64>().ok()
    };
    told().map_or(8 << 10, |kib| kib >> 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    const AGES: Duration = Duration::from_secs(3600);

    /// Says when it is given up, in whatever way.
    struct Gone(Sender<()>);

    impl Drop for Gone {
        fn drop(&mut self) {
            let _ = self.0.send(());
        }
    }

    /// One test, as there is one worker.
    #[test]
    fn what_is_stuck_is_left_behind_and_does_nothing_any_more() {
        assert_eq!(watched(AGES, |watch| watch.ended()), Ok(None));
        let told = watched_with(Duration::from_millis(1).into(), AGES, |watch| {
            while !watch.cancel().is_cancelled() {}
            watch.reason()
        });
        assert_eq!(told, Ok("stopped at the time limit of 0.001 s (--timeout)".to_owned()));

        let (release, held) = mpsc::channel::<()>();
        let (gone, wait_for_end) = mpsc::channel::<()>();
        let spoken = Arc::new(AtomicBool::new(false));
        let speak = Arc::clone(&spoken);
        let stuck = watched_with(Duration::ZERO.into(), Duration::from_millis(10), move |_| {
            let gone = Gone(gone);
            let _ = held.recv();
            visibly(|| speak.store(true, Ordering::Relaxed));
            drop(gone);
        });
        let Err(Lost::Stopped(Ended::Time, reason)) = stuck else { panic!("{stuck:?}") };
        assert_eq!(reason, "stopped at the time limit of 0 s (--timeout); it did not end by itself and was left behind");
        assert_eq!(watched(AGES, |_| 7), Ok(7));
        release.send(()).unwrap();
        wait_for_end.recv().unwrap();
        assert!(!spoken.load(Ordering::Relaxed), "what was left behind has spoken");

        assert_eq!(watched(AGES, |_| -> u32 { panic!("this is part of a test") }), Err(Lost::Panicked));
        assert_eq!(watched(AGES, |_| visibly(|| 8)), Ok(8));
    }
}
