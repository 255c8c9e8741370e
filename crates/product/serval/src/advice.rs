//! What may help where nothing is decided, or where a program has too many
//! states.
//!
//! What could be smaller is read off the text: ranges of variables, arrays and
//! parameters, constants, numbers in requests ([`candidates`]). Each is halved
//! and the states are counted, so that what multiplies them most is measured and
//! not guessed. Then the program with that range halved is decided about, and
//! halved again as long as it stays undecided. That verdict is one on another
//! program: neither does it carry over to this one, nor is it told as if it did.
//!
//! A network system has no text with numbers that could be smaller, and no part
//! of it that can be left out without making it another one; nothing is tried there.
//!
//! Before that, all declared numbers are made small together ([`scale`]), for 2, 3 and 4: the advice
//! names the first such program that is refuted, or else the largest that is proved.
//!
//! All work is bounded by pairs of states and rounds of budgets, so that the
//! same program gets the same advice, unless the flag of the options is raised
//! before. The advice has what is known by then: cheap parts come first.

mod candidates;
pub(crate) mod scale;

use std::time::Duration;

use serval_budget::Budget;
use serval_diagnostic::counted;
use serval_report::{Advice, Largest, Nearest, Tried};

use crate::decide::{Decision, Verdict, decide};
use crate::{Content, Input, Options};

use candidates::Candidate;
use scale::{ScaledProgram, ScaledRanges, scaled_ranges};

/// Pairs of states that are made only to count them.
const COUNTED_PAIRS: u64 = 1 << 18;
/// Pairs of states of a smaller program that is decided about, at most.
const TRIED_PAIRS: u64 = 1 << 16;
/// How large budgets are for it, in percent of the usual.
const TRIED_PERCENT: u64 = 10;
/// What could be smaller, at most; what is declared comes first.
const MOST_CANDIDATES: usize = 8;
/// Candidates that are decided about, where those before them make the program fail.
const MOST_TRIED: usize = 3;

/// How small numbers are made together, one after the other.
const SCALES: [i64; 3] = [2, 3, 4];

/// What may help with an input about which this was decided. `None` where
/// something is known, and where there is nothing to say.
///
/// ```
/// use serval::{Input, Options, Verdict, advice, decide};
/// let text = "var N: 0..40 := 40\n\
///     request take { n := N; yield; if (n == N and n > 0) { N := n - 1; 1 } else { 0 } }\n";
/// let input = Input::program(text).unwrap();
/// let mut options = Options::default();
/// options.pairs = Some(500);
/// options.methods = serval::Methods::Portfolio(vec![serval::Method::Reduce, serval::Method::Letters]);
/// let decision = decide(&input, &options);
/// assert!(matches!(decision.verdict, Verdict::Undecided(_)));
/// let advice = advice(&input, &decision, &options).unwrap();
/// assert_eq!(advice.largest.unwrap().written, "N: 0..40");
/// ```
pub fn advice(input: &Input, decision: &Decision, options: &Options) -> Option<Advice> {
    let closest = match &decision.verdict {
        Verdict::Undecided(_) => closest(decision),
        Verdict::Unusable(diagnostic) if matches!(diagnostic.code.0, "E0301" | "E0305") => closest(decision),
        _ => return None,
    };
    let mut advice = Advice { closest, ..Advice::default() };
    if let Content::Program(_) = input.content() {
        // Each part is kept when it is done: a flag that is raised later costs only what comes later.
        let budget = Budget::new(u64::MAX, options.cancel.clone());
        let _ = budget.during(|| scaled_down(input.text(), options, &mut advice));
        let _ = budget.during(|| smaller(input, options, &mut advice));
    }
    (!advice.is_empty()).then_some(advice)
}

/// How far the method came that came closest. A proof that lacks one set of
/// answers is closer than a smaller system, and that is closer than runs that
/// were excluded.
fn closest(decision: &Decision) -> Option<Nearest> {
    if !decision.open.is_empty() {
        let sets = decision.open_sets.max(1);
        let which = if sets == 1 {
            "the set of open answers".to_owned()
        } else {
            format!("{}, of which the smallest is shown", counted(sets, "set of answers"))
        };
        let words =
            format!("stopped at {which}: it could neither realise nor exclude {}; more may follow", if sets == 1 { "it" } else { "them" });
        return Some(Nearest { method: "letters", words });
    }
    if let Some(sizes) = decision.sizes
        && let Some(reduced) = sizes.reduced.filter(|reduced| reduced.steps < sizes.steps)
    {
        return Some(Nearest { method: "reduce", words: format!("left are {} of {}", reduced.steps, counted(sizes.steps, "step")) });
    }
    let ruled_out = decision.ruled_out;
    if let Some(concurrent) = ruled_out.concurrent_up_to {
        let words = format!("no counterexample with up to {} at a time", counted(concurrent, "request"));
        return Some(Nearest { method: "bounded", words });
    }
    let requests = Some(ruled_out.requests_up_to).filter(|&requests| requests > 0)?;
    let words = format!("no counterexample with up to {}", counted(requests, "request"));
    Some(Nearest { method: "search", words })
}

/// Decides about programs in which all numbers are small. The first that is refuted ends it; of those that are proved
/// the largest counts.
fn scaled_down(text: &str, options: &Options, advice: &mut Advice) {
    for most in SCALES {
        for which in [ScaledRanges::Values, ScaledRanges::All] {
            let Some(program) = scaled_ranges(text, most, which) else { continue };
            let Some(tried) = scaled_tried(&program, most, options) else { continue };
            let refuted = tried.verdict == serval_report::Verdict::NotSerializable;
            advice.tried = Some(tried);
            if refuted {
                return;
            }
            break;
        }
    }
}

/// What a program with small numbers is; `None` where that is not known within small limits.
fn scaled_tried(program: &ScaledProgram, most: i64, options: &Options) -> Option<Tried> {
    let input = Input::program(program.text.as_str()).ok()?;
    let start = (options.clock)();
    let decision = decide(&input, &small(options));
    let (verdict, requests) = match &decision.verdict {
        Verdict::Serializable(_) => (serval_report::Verdict::Serializable, None),
        Verdict::NotSerializable(_, run) => (serval_report::Verdict::NotSerializable, Some(run.requests.len())),
        _ => return None,
    };
    let taken = (options.clock)().saturating_sub(start);
    let states = input.known_pairs();
    Some(Tried { written: program.written.join(", "), verdict, states, time_ms: milliseconds(taken), scale: Some(most), requests })
}

/// Limits for a program that is only an experiment.
fn small(options: &Options) -> Options {
    Options {
        pairs: Some(options.pairs.unwrap_or(TRIED_PAIRS).min(TRIED_PAIRS)),
        rounds: 1,
        percent: options.percent.min(TRIED_PERCENT),
        progress: None,
        invariants: false,
        fixes: false,
        reusable: false,
        ..options.clone()
    }
}

/// A candidate with so much of its values taken away that its states could be
/// counted.
struct Counted {
    candidate: Candidate,
    high: i64,
    states: u64,
}

/// What is large, and what a smaller program would be.
fn smaller(input: &Input, options: &Options, advice: &mut Advice) {
    let all = input.known_pairs();
    let mut counted: Vec<Counted> = candidates::candidates(input.text())
        .into_iter()
        .take(MOST_CANDIDATES)
        .filter_map(|candidate| {
            let high = candidate.half(candidate.high)?;
            let states = states(&candidate.text(input.text(), high), COUNTED_PAIRS, options)?;
            (all.is_none_or(|all| states < all)).then_some(Counted { candidate, high, states })
        })
        .collect();
    // What is declared says best what is meant.
    counted.sort_by_key(|one| (one.candidate.is_bare(), one.states));
    if counted.is_empty() && all.is_none() {
        counted = shrunk(input, options).into_iter().collect();
    }
    let Some(first) = counted.first() else { return };
    let line = first.candidate.line;
    // Half of its values must be half of them: where more had to go, that is not told.
    if first.candidate.half(first.candidate.high) == Some(first.high) {
        let written = first.candidate.written(first.candidate.high);
        advice.largest = Some(Largest { written, line, states: all, halved: first.states });
    }
    if advice.tried.is_some() {
        return;
    }
    for one in counted.into_iter().take(MOST_TRIED) {
        let Some(tried) = tried(input.text(), one, options) else { continue };
        advice.tried = Some(tried);
        return;
    }
}

/// Where no candidate is small enough when it is halved once: the first that is
/// when all have been halved as often.
fn shrunk(input: &Input, options: &Options) -> Option<Counted> {
    let mut candidates: Vec<(Candidate, i64)> = candidates::candidates(input.text())
        .into_iter()
        .take(MOST_CANDIDATES)
        .map(|one| (one.high, one))
        .map(|(high, one)| (one, high))
        .collect();
    while !candidates.is_empty() && !options.cancel.is_cancelled() {
        let mut next = Vec::new();
        for (candidate, high) in candidates {
            let Some(high) = candidate.half(high) else { continue };
            if let Some(states) = states(&candidate.text(input.text(), high), TRIED_PAIRS, options) {
                return Some(Counted { candidate, high, states });
            }
            next.push((candidate, high));
        }
        candidates = next;
    }
    None
}

/// The pairs of states of a program, if it is one and they are not too many.
fn states(text: &str, most: u64, options: &Options) -> Option<u64> {
    let input = Input::program(text).ok()?;
    let budget = Budget::new(u64::MAX, options.cancel.clone());
    let compiled = budget.during(|| input.compiled_within(most, &budget)).ok()??.ok()?;
    Some(compiled.pairs())
}

/// Decides about smaller and smaller programs until one is decided. `None` if it
/// fails, so that its verdict says nothing about this one, or if there was no time.
fn tried(text: &str, counted: Counted, options: &Options) -> Option<Tried> {
    let Counted { candidate, mut high, mut states } = counted;
    let trying = small(options);
    let mut last = None;
    loop {
        let smaller = candidate.text(text, high);
        if states <= TRIED_PAIRS {
            let input = Input::program(smaller.as_str()).ok()?;
            let start = (options.clock)();
            let verdict = match decide(&input, &trying).verdict {
                // The order in time is not asked for here.
                Verdict::Serializable(_) | Verdict::Strict(_) | Verdict::NotStrict(..) => serval_report::Verdict::Serializable,
                Verdict::NotSerializable(..) => serval_report::Verdict::NotSerializable,
                Verdict::Undecided(_) => serval_report::Verdict::Unknown,
                Verdict::Fault(..) | Verdict::Safe(_) | Verdict::Unusable(_) | Verdict::Refused(_) => return last,
            };
            if verdict == serval_report::Verdict::Unknown && options.cancel.is_cancelled() {
                return last;
            }
            let taken = (options.clock)().saturating_sub(start);
            let written = candidate.written(high);
            let tried = Tried { written, verdict, states: Some(states), time_ms: milliseconds(taken), scale: None, requests: None };
            if verdict != serval_report::Verdict::Unknown {
                return Some(tried);
            }
            last = Some(tried);
        }
        let Some(half) = candidate.half(high) else { return last };
        high = half;
        let Some(fewer) = self::states(&candidate.text(text, high), COUNTED_PAIRS, options) else { return last };
        states = fewer;
    }
}

/// A time for people; none where time stands still.
#[expect(clippy::float_arithmetic, reason = "a time for people; no verdict depends on it")]
fn milliseconds(taken: Duration) -> Option<f64> {
    (taken > Duration::ZERO).then(|| (taken.as_secs_f64() * 1_000_000.0).round() / 1000.0)
}
