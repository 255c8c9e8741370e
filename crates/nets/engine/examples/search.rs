//! Nets that need search, made in sizes: how many questions about each are answered, with search and reductions and
//! without them. A Markdown page on standard output.
//!
//! `search SECONDS SIZE…` asks each question by itself. It ends with 1 if evidence was refused, if two answers differ,
//! or if one differs from that of looking at all markings, where these are few.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use serval_budget::{Budget, Cancel};
use serval_families::nets::{MadeNet, NET_SIZES, made_nets};
use serval_net_engine::{GoalOutcome, Method, Session};
use serval_net_proof::Certificate;
use serval_petri::{Decides, Formula, Marking, Net, Property, tina};
use serval_random::formulas;
use serval_random::nets::Markings;

/// Formulas for each net.
const FORMULAS: usize = 16;
/// Rounds of growing budgets: more than any time is enough for.
const ROUNDS: u32 = 64;
/// Markings that are looked at to compare answers.
const COMPARED: usize = 20_000;
/// With all there is; without reductions and stubborn sets; without looking at markings one by one, too.
const WAYS: [&str; 3] = ["all", "whole", "without search"];

fn main() -> ExitCode {
    let arguments: Option<Vec<usize>> = std::env::args().skip(1).map(|word| word.parse().ok()).collect();
    let Some(arguments) = arguments else {
        let _ = writeln!(io::stderr(), "search: SECONDS SIZE…");
        return ExitCode::from(2);
    };
    let seconds = arguments.first().map_or(10, |&seconds| u64::try_from(seconds).unwrap_or(u64::MAX));
    let sizes = if arguments.len() > 1 { &arguments[1..] } else { &NET_SIZES[..] };
    match page(Duration::from_secs(seconds), sizes) {
        Ok((page, is_right)) => match io::stdout().write_all(page.as_bytes()) {
            Ok(()) => ExitCode::from(u8::from(!is_right)),
            Err(_) => ExitCode::from(2),
        },
        Err(message) => {
            let _ = writeln!(io::stderr(), "search: {message}");
            ExitCode::from(2)
        }
    }
}

/// How long a thread has worked, where the system tells, so that others on the machine do not count; else the clock.
struct Work {
    file: Option<PathBuf>,
    start: Instant,
    before: Duration,
}

impl Work {
    /// That of this thread, from now on.
    fn start() -> Self {
        let file = std::fs::read_link("/proc/thread-self").ok().map(|own| Path::new("/proc").join(own).join("schedstat"));
        let begun = Self { file, start: Instant::now(), before: Duration::ZERO };
        Self { before: begun.told().unwrap_or_default(), ..begun }
    }

    fn told(&self) -> Option<Duration> {
        let text = std::fs::read_to_string(self.file.as_ref()?).ok()?;
        text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
    }

    fn done(&self) -> Duration {
        self.told().map_or_else(|| self.start.elapsed(), |told| told.saturating_sub(self.before))
    }
}

/// What became of a question.
enum Asked {
    Answered(bool),
    Open,
    Refused(String),
}

/// Asks a question in one of the ways, until the thread has worked for so long.
fn ask(net: &Net, words: &str, way: usize, limit: Duration) -> Result<(Asked, Duration), String> {
    let property = Property::parse(words, net).map_err(|error| format!("{words}: {error}"))?;
    let goals = property.goals(net).ok_or("a question without goals")?;
    let (cancel, work, (done, waiting)) = (Cancel::new(), Work::start(), mpsc::channel::<()>());
    let (flag, watched) = (&cancel, &work);
    Ok(std::thread::scope(|scope| {
        scope.spawn(move || {
            while waiting.recv_timeout(LOOKS) == Err(mpsc::RecvTimeoutError::Timeout) {
                if watched.done() >= limit {
                    return flag.cancel();
                }
            }
        });
        let found = found(net, &goals, way, &cancel);
        let answer = answered(net, words, property.decides(), found, &cancel);
        drop(done);
        (answer, work.done())
    }))
}

/// How often it is looked whether the time is over.
const LOOKS: Duration = Duration::from_millis(10);

fn found(net: &Net, goals: &[Formula], way: usize, cancel: &Cancel) -> Vec<GoalOutcome> {
    let mut session = Session::new(net, cancel);
    if way > 0 {
        session = session.reducing_by(&[] as &[&str]).without_stubborn_sets();
    }
    if way > 1 {
        session = session.leaving_out(Method::Explicit);
    }
    let begun = session.begin(net, goals, cancel);
    session.go_on(net, goals, begun, ROUNDS, cancel).0
}

fn answered(net: &Net, words: &str, decides: Decides, found: Vec<GoalOutcome>, cancel: &Cancel) -> Asked {
    let (count, mut evidence) = (found.len(), Vec::new());
    for (goal, found) in found.into_iter().enumerate() {
        match found {
            GoalOutcome::Answer(answer) => evidence.push((goal, answer.evidence)),
            GoalOutcome::Refused(_, rejection) => return Asked::Refused(rejection.to_string()),
            GoalOutcome::Nothing | GoalOutcome::TooLarge { .. } => {}
        }
    }
    let Some(certificate) = Certificate::new(net, words, decides, count, evidence) else { return Asked::Open };
    match certificate.check(net, &mut Budget::new(u64::MAX, cancel.clone())) {
        Ok(()) => Asked::Answered(certificate.holds),
        Err(serval_net_proof::Refusal::Invalid(rejection)) => Asked::Refused(rejection.to_string()),
        Err(_) => Asked::Open,
    }
}

/// Deadlocks, exclusion, whether each transition can fire, and formulas at random.
fn questions(made: &MadeNet, net: &Net) -> Vec<String> {
    let all = ["deadlock-free".to_owned(), made.exclusion.clone(), "quasi-live".to_owned()];
    all.into_iter().chain(formulas(net, FORMULAS)).collect()
}

/// What looking at all markings says.
fn known(net: &Net, words: &str, markings: &Markings) -> Option<bool> {
    let property = Property::parse(words, net).ok()?;
    let reached = |goal: &Formula| markings.all.iter().any(|marking| goal.holds(&Marking::new(marking.clone())));
    let goals = property.goals(net)?;
    markings.is_complete.then(|| match property.decides() {
        Decides::UnlessReachable => !goals.iter().any(reached),
        Decides::UnlessAllReachable => !goals.iter().all(reached),
        Decides::IfReachable | Decides::IfFirst | Decides::IfHome => goals.iter().all(reached),
    })
}

fn page(limit: Duration, sizes: &[usize]) -> Result<(String, bool), String> {
    let mut page = format!(
        "# Nets that need search\n\nAlgorithms for mutual exclusion and plans, of sizes {sizes:?}. About each net {} questions are asked, each by itself on one thread with {} s: deadlocks, \
         exclusion, whether each transition can fire, and {FORMULAS} formulas at random. *all* is with all there is, *whole* without reductions and stubborn sets, and *without \
         search* also without looking at markings one by one. The checker accepted each answer. Where a net has at most {COMPARED} markings the answers were compared with \
         those of looking at all of them.\n\n",
        FORMULAS + 3,
        limit.as_secs(),
    );
    page.push_str("| net | places | transitions | questions | all | whole | without search | s: all | whole | without search |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
    let (mut wrong, mut open, mut sums, mut asked) = (Vec::new(), Vec::new(), [0; 3], 0);
    for made in made_nets(sizes) {
        let net = tina::read(&made.text).map_err(|error| format!("{}: {error}", made.name))?;
        let markings = Markings::of(&net, COMPARED);
        let (mut counts, mut times) = ([0; 3], [Duration::ZERO; 3]);
        let questions = questions(&made, &net);
        for words in &questions {
            let mut told = known(&net, words, &markings);
            for way in 0..WAYS.len() {
                let (said, time) = ask(&net, words, way, limit)?;
                times[way] += time;
                match said {
                    Asked::Answered(holds) => {
                        counts[way] += 1;
                        if *told.get_or_insert(holds) != holds {
                            wrong.push(format!("{} ({}), {}", words, made.name, WAYS[way]));
                        }
                    }
                    Asked::Refused(why) => wrong.push(format!("{words} ({}), {}: {why}", made.name, WAYS[way])),
                    Asked::Open if way == 0 => open.push(format!("`{words}` ({})", made.name)),
                    Asked::Open => {}
                }
            }
        }
        asked += questions.len();
        (0..WAYS.len()).for_each(|way| sums[way] += counts[way]);
        let [all, whole, without] = times.map(|time| format!("{:.1}", time.as_secs_f64()));
        let row = format!(
            "| {} | {} | {} | {} | {} | {} | {} | {all} | {whole} | {without} |",
            made.name,
            net.place_count(),
            net.transition_count(),
            questions.len(),
            counts[0],
            counts[1],
            counts[2]
        );
        let _ = writeln!(io::stderr(), "{row}");
        let _ = writeln!(page, "{row}");
    }
    let shares = sums.map(|sum| format!("{sum} ({}.{} %)", sum * 100 / asked.max(1), sum * 1000 / asked.max(1) % 10));
    let _ = writeln!(page, "| sum | | | {asked} | {} | {} | {} | | | |", shares[0], shares[1], shares[2]);
    let _ = writeln!(page, "\n{} wrong.\n", wrong.len());
    for (what, which) in [("wrong", &wrong), ("open with all", &open)] {
        for one in which {
            let _ = writeln!(page, "- {what}: {one}");
        }
    }
    Ok((page, wrong.is_empty()))
}
