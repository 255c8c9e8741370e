//! Raises the flag of a [`Cancel`] after so many looks at it, for more and more looks: while the text is read, while it
//! is compiled, while it is decided about, until the answer is there before. Each time there has to be an answer.
//!
//! It is a program so that it needs no exports but `main`, which every module of a program has, and can be run on any
//! machine. On WebAssembly a panic ends the module, and with it the test.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use serval::{Cancel, Input, Method, Methods, Options, StopReason, Undecided, Verdict, decide};
use serval_budget::Budget;

/// Looks after which the flag is raised.
static LOOKS: AtomicU32 = AtomicU32::new(0);

/// More looks than any of this takes.
const MOST_LOOKS: u32 = 10_000_000;
/// Requests of the program, and values of its variable.
const REQUESTS: u32 = 8;
const VALUES: u32 = 13;

/// Where the flag was raised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Reading,
    Compiling,
    Deciding,
    /// Nowhere: the answer was there before.
    Decided,
}

fn is_raised() -> bool {
    LOOKS.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_err()
}

/// The stage at which the flag ends the work if it is raised after so many looks; `None` where the answer is another
/// than that the work was ended.
fn ended_after(looks: u32) -> Option<Stage> {
    LOOKS.store(looks, Ordering::Relaxed);
    let cancel = Cancel::asking(is_raised);
    let requests = (1..=REQUESTS).map(|step| format!("request add_{step} {{ yield; N := (N + {step}) % {VALUES}; N }}\n"));
    let text = requests.collect::<String>();
    let Ok(read) = Budget::new(u64::MAX, cancel.clone()).during(|| Input::program(text)) else { return Some(Stage::Reading) };
    let input = read.ok()?;
    let is_compiled = Arc::new(AtomicBool::new(false));
    let compiled = Arc::clone(&is_compiled);
    let mut options = Options::default();
    // The first of these begins with the states of the program.
    options.methods = Methods::Portfolio(vec![Method::Reduce, Method::Letters]);
    options.progress = Some(Arc::new(move |_| compiled.store(true, Ordering::Relaxed)));
    options.cancel = cancel;
    options.fixes = false;
    match decide(&input, &options).verdict {
        Verdict::Serializable(_) => Some(Stage::Decided),
        Verdict::Undecided(Undecided::Stopped(StopReason::Cancelled)) if is_compiled.load(Ordering::Relaxed) => Some(Stage::Deciding),
        Verdict::Undecided(Undecided::Stopped(StopReason::Cancelled)) => Some(Stage::Compiling),
        _ => None,
    }
}

/// 0 where all went well; else what did not.
fn main() -> ExitCode {
    let mut seen: Vec<Stage> = Vec::new();
    let mut looks = 0;
    while seen.last() != Some(&Stage::Decided) {
        let Some(stage) = ended_after(looks) else { return ExitCode::from(10) };
        // The more looks, the later.
        if seen.last().is_some_and(|&last| last > stage) {
            return ExitCode::from(11);
        }
        seen.push(stage);
        if looks > MOST_LOOKS {
            return ExitCode::from(12);
        }
        looks += 1 + looks / 8;
    }
    let count = |stage: Stage| seen.iter().filter(|&&one| one == stage).count();
    match [Stage::Reading, Stage::Compiling, Stage::Deciding].map(count) {
        // In the middle of each, and not only at its beginning.
        [0 | 1, ..] => ExitCode::from(13),
        [_, 0..=2, _] => ExitCode::from(14),
        [.., 0 | 1] => ExitCode::from(15),
        _ => ExitCode::SUCCESS,
    }
}
