//! How long work goes on without looking at its flag.
//!
//! Limits on time and memory end work by a flag ([`serval_budget::Cancel`]), so
//! they are kept as well as the flag is looked at. Here each stage and each
//! method runs on inputs made to be slow, with a flag that takes the time
//! at every look at it, and is raised after a while: the result is
//! the longest time between two looks, from the beginning of the work to its
//! end, everything given back included.
//!
//! Time is that of the processor, as far as the system tells it, and not that of
//! the clock on the wall: other programs take their part of that.

use std::backtrace::Backtrace;
use std::cell::RefCell;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serval_budget::{Budget, Cancel};
use serval_compile::{Options, Prepared};
use serval_engine::portfolio::{self, Found, Method, Plan};
use serval_engine::search::run_certificate;
use serval_engine::stuck::find_stuck;

use serval::Input;
use serval::repair::{self, repair};
use serval_model::{NetworkSystem, systems_from_json};
use serval_proof::{Body, Caps, Certificate, Claim, Part, fingerprint};
use serval_syntax::{Program, analyze};
use serval_verify::{InputKind, verify};

/// What seems to be longer is measured by the processor's time.
const SHORT: Duration = Duration::from_millis(5);
/// Of what is longer it is remembered where it ended.
const LONG: Duration = Duration::from_millis(50);

/// What was seen of the flag of one thread.
struct Looks {
    end: Instant,
    last: Instant,
    /// When the processor's time was last read, and what it was.
    read: (Instant, Duration),
    count: u64,
    longest: Duration,
    place: String,
}

thread_local! {
    static LOOKS: RefCell<Option<Looks>> = const { RefCell::new(None) };
}

/// What the flag is asked for: takes the time, and says whether it is over.
fn looked() -> bool {
    LOOKS.with_borrow_mut(|looks| looks.as_mut().is_some_and(Looks::look))
}

impl Looks {
    fn new(limit: Duration) -> Self {
        let now = Instant::now();
        Self { end: now + limit, last: now, read: (now, processor_time()), count: 0, longest: Duration::ZERO, place: String::new() }
    }

    fn look(&mut self) -> bool {
        self.count += 1;
        let now = Instant::now();
        let gap = now.duration_since(self.last);
        if gap > SHORT || now.duration_since(self.read.0) > SHORT {
            let time = processor_time();
            let used = time.saturating_sub(self.read.1).min(gap);
            self.read = (now, time);
            if used > self.longest {
                self.longest = used;
                self.place = if used > LONG { place() } else { String::new() };
            }
        } else {
            self.longest = self.longest.max(gap);
        }
        self.last = Instant::now();
        self.last >= self.end
    }
}

/// How long this thread has had a processor; the clock on the wall where the
/// system does not tell.
fn processor_time() -> Duration {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let told = told.and_then(|text| text.split_whitespace().next()?.parse::<u64>().ok());
    told.map_or_else(|| Instant::now().duration_since(*START.get_or_init(Instant::now)), Duration::from_nanos)
}

static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();

/// The innermost places in the project that are about to look.
fn place() -> String {
    let trace = Backtrace::force_capture().to_string();
    let own = trace.lines().map(str::trim).filter_map(|line| line.split_once("serval_").map(|(_, name)| name));
    let own = own.filter(|name| !name.starts_with("bench") && !name.starts_with("budget"));
    own.take(2).map(|name| format!("serval_{name}")).collect::<Vec<_>>().join(" < ")
}

/// What one piece of work showed.
#[derive(Clone, Debug)]
pub struct PollFigures {
    /// The stage or the method.
    pub work: String,
    /// The name of the input.
    pub input: String,
    /// How often the work looked.
    pub looks: u64,
    /// The longest time between two looks.
    pub longest: Duration,
    /// Where the longest ended, if it was long.
    pub place: String,
}

/// Does some work with the flag for at most `limit`.
fn seen<T>(work: &str, input: &str, limit: Duration, done: impl FnOnce(&Cancel) -> T) -> (Option<T>, PollFigures) {
    LOOKS.set(Some(Looks::new(limit)));
    let cancel = Cancel::asking(looked);
    let result = serval_budget::checkpoint::until(looked, || done(&cancel));
    let _ = looked();
    let looks = LOOKS.take().unwrap_or_else(|| Looks::new(limit));
    let Looks { count, longest, place, .. } = looks;
    (result, PollFigures { work: work.to_owned(), input: input.to_owned(), looks: count, longest, place })
}

/// An input: a program, or a network system as JSON.
pub struct PollSubject {
    /// Its name.
    pub name: String,
    /// Its text.
    pub text: String,
    /// Which of the two.
    pub kind: InputKind,
}

/// Runs everything on one input.
pub fn watch(subject: &PollSubject, limit: Duration) -> Vec<PollFigures> {
    let PollSubject { name, text, kind } = subject;
    let mut all = Vec::new();
    let systems: Vec<NetworkSystem> = match kind {
        InputKind::System => {
            let (read, seen) = seen("read", name, limit, |_| systems_from_json(text).ok());
            all.push(seen);
            read.flatten().unwrap_or_default()
        }
        InputKind::Workload => return all,
        InputKind::Program => {
            let (read, at_reading) = seen("read", name, limit, |_| analyze(text).program);
            all.push(at_reading);
            let Some(program) = read.flatten() else { return all };
            compiled(&program, name, limit, &mut all)
        }
    };
    if systems.is_empty() {
        return all;
    }
    let systems: Vec<&NetworkSystem> = systems.iter().collect();
    let mut certificates = Vec::new();
    for methods in Method::ALL.iter().map(|&method| vec![method]).chain([Method::ALL.to_vec()]) {
        let work = if let [only] = methods.as_slice() { only.name() } else { "auto" };
        let (decision, looks) = seen(work, name, limit, |cancel| own(&systems, methods.clone(), cancel, text));
        all.push(looks);
        certificates.extend(decision.flatten());
    }
    let (decision, looks) = seen("classic", name, limit, |cancel| published(&systems, cancel, text));
    all.push(looks);
    certificates.extend(decision.flatten());
    let (_, looks) = seen("stuck requests", name, limit, |cancel| {
        systems.iter().map(|system| find_stuck(system, &mut Budget::new(50_000, cancel.clone())).len()).sum::<usize>()
    });
    all.push(looks);
    for certificate in certificates {
        let (_, looks) = seen("verify", name, limit, |cancel| verify(text, *kind, &certificate.to_json(), &Caps::default(), cancel));
        all.push(looks);
    }
    if *kind == InputKind::Program {
        let options = repair::Options { jobs: 1, ..repair::Options::default() };
        let (_, looks) = seen("fix", name, limit, |cancel| Input::program(text).map(|input| repair(&input, options, cancel)));
        all.push(looks);
    }
    all
}

fn compiled(program: &Program, name: &str, limit: Duration, all: &mut Vec<PollFigures>) -> Vec<NetworkSystem> {
    let (prepared, looks) = seen("prepare", name, limit, |_| Arc::new(Prepared::new(program, Options::default())));
    all.push(looks);
    let Some(prepared) = prepared else { return Vec::new() };
    let (compiled, looks) = seen("explore", name, limit, |cancel| {
        let compiled = prepared.compile(&Budget::new(u64::MAX, cancel.clone())).ok()?;
        Some(compiled.components().iter().map(|component| component.system().clone()).collect::<Vec<_>>())
    });
    all.push(looks);
    compiled.flatten().unwrap_or_default()
}

fn own(systems: &[&NetworkSystem], methods: Vec<Method>, cancel: &Cancel, text: &str) -> Option<Certificate> {
    let plan = Plan::new(&methods, cancel);
    match portfolio::decide(systems, 0, &plan).found {
        Found::Serializable(parts, _) => Some(proved(text, parts)),
        Found::Refuted { component, run, .. } => Some(refuted(text, systems, component, &run)),
        Found::Unknown(_) => None,
    }
}

fn published(systems: &[&NetworkSystem], cancel: &Cancel, text: &str) -> Option<Certificate> {
    let mut parts = Vec::new();
    for (component, system) in systems.iter().enumerate() {
        let options = serval_classic_engine::Options { jobs: 1, ..serval_classic_engine::Options::default() };
        match serval_classic_engine::decide(system, &options, cancel, &serval_classic_engine::no_clock).verdict {
            serval_classic_engine::ClassicVerdict::Serializable(proof) => parts.push(Part::Invariant(proof)),
            serval_classic_engine::ClassicVerdict::Refuted(run) => return Some(refuted(text, systems, component, &run)),
            serval_classic_engine::ClassicVerdict::Unknown(..) => return None,
        }
    }
    Some(proved(text, parts))
}

fn refuted(text: &str, systems: &[&NetworkSystem], component: usize, run: &serval_model::Run) -> Certificate {
    let body = Body::Run(run_certificate(&systems[component], run));
    Certificate { input: fingerprint(text), component, claim: Claim::NotSerializable, body }
}

fn proved(text: &str, mut parts: Vec<Part>) -> Certificate {
    let body = match (parts.len(), parts.pop()) {
        (1, Some(only)) => Body::Part(only),
        (_, last) => Body::Components(parts.into_iter().chain(last).collect()),
    };
    Certificate { input: fingerprint(text), component: 0, claim: Claim::Serializable, body }
}
