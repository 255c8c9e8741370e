//! Hostile certificates against the checker.
//!
//! Certificates that the engine finds ([`found`]) for programs and systems ([`targets`]) are changed without
//! understanding ([`changes`]), changed so that they miss one condition ([`attacks`]), given to inputs that they are
//! not about, and made from facts drawn at random ([`counted`]). Whatever the checker accepts then has to be true: that
//! is found out by trying everything with up to four requests, or by following the run ([`oracle`]). The figures are
//! counted in a [`Tally`].

pub mod attacks;
pub mod changes;
pub mod counted;
pub mod draw;
pub mod found;
mod more;
pub mod oracle;
pub mod pool;
pub mod tally;
pub mod targets;

use std::hash::{Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};

use rustc_hash::FxHasher;
use serde_json::Value;
use serval_proof::{Body, Certificate, Claim, Condition, Refusal};

pub use pool::{Pool, Size, inputs_in};
pub use tally::{CheckerAnswer, Tally};

use draw::Draw;
use targets::Target;

/// How much is done for one certificate.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Ticks that the checker gets.
    pub check: u64,
    /// Configurations that one enumeration may visit.
    pub brute: u64,
}

/// How a hostile certificate was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Forgery {
    /// Something in it was changed.
    Changed,
    /// It is given to an input that is one edit away.
    Near,
    /// It is given to any other input.
    Elsewhere,
    /// It is given to an input that is one edit away, and changed.
    NearChanged,
    /// It was made to miss a condition.
    Condition,
    /// A tree for facts that are drawn, not found.
    Counted,
}

impl Forgery {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::Changed, Self::Near, Self::Elsewhere, Self::NearChanged, Self::Condition, Self::Counted];

    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Changed => "changed",
            Self::Near => "for an input one edit away",
            Self::Elsewhere => "for another input",
            Self::NearChanged => "for an input one edit away, and changed",
            Self::Condition => "made to miss a condition",
            Self::Counted => "with facts drawn at random",
        }
    }

    /// The way of the attempt with this number.
    fn of(number: u64) -> Self {
        match number % 20 {
            0..=5 => Self::Changed,
            6..=8 => Self::Near,
            9 => Self::Elsewhere,
            10..=12 => Self::NearChanged,
            13 => Self::Counted,
            _ => Self::Condition,
        }
    }
}

/// A certificate and the input that it is checked against.
#[derive(Clone, Debug)]
struct ForgedAttempt {
    way: Forgery,
    target: usize,
    text: String,
}

/// A certificate that was accepted and is wrong, or on which the checker fails.
#[derive(Clone, Debug)]
pub struct HostileFailure {
    /// The number of the attempt.
    pub number: u64,
    /// What is wrong.
    pub why: String,
    /// The name and the text of the input.
    pub input: (String, String),
    /// The certificate.
    pub certificate: String,
}

/// Tries the certificates of these numbers. Stops at the first failure.
pub fn try_certificates(
    pool: &Pool,
    numbers: impl IntoIterator<Item = u64>,
    seed: u64,
    effort: Effort,
) -> Result<Tally, Box<HostileFailure>> {
    let mut tally = Tally::default();
    for number in numbers {
        let Some(attempt) = attempt(pool, number, seed, &mut tally.asked) else {
            tally.none += 1;
            continue;
        };
        let target = &pool.targets[attempt.target];
        tally.lies += u64::from(target.verdict == Some(Claim::NotSerializable) && attempt.text.contains("\"claim\":\"serializable\""));
        let failure = |why: String| {
            let input = (target.name.clone(), target.text.clone());
            Box::new(HostileFailure { number, why, input, certificate: attempt.text.clone() })
        };
        // A panic is a finding, and the certificate is what has to be seen then.
        let answer = catch_unwind(AssertUnwindSafe(|| answer(target, &attempt.text, effort)))
            .map_err(|_| failure("the checker panics".to_owned()))?
            .map_err(failure)?;
        let mut hasher = FxHasher::default();
        (attempt.target, &attempt.text).hash(&mut hasher);
        tally.count(attempt.way, answer, hasher.finish());
    }
    Ok(tally)
}

/// What the checker says, and whether that can be.
fn answer(target: &Target, text: &str, effort: Effort) -> Result<CheckerAnswer, String> {
    let Ok(certificate) = Certificate::from_json(text) else { return Ok(CheckerAnswer::Unreadable) };
    if target.fails() && !matches!(certificate.body, Body::Fault(_) | Body::Closure(_)) {
        // A program that fails has no systems that other certificates could be about.
        return Ok(CheckerAnswer::Unreadable);
    }
    match target.check(&certificate, effort.check) {
        Ok(()) => {
            let value: Value = serde_json::from_str(text).map_err(|error| format!("accepted, but no JSON: {error}"))?;
            oracle::truth(target, &value, effort.brute).map(CheckerAnswer::Accepted)
        }
        Err(Refusal::Invalid(rejection)) => Ok(CheckerAnswer::Rejected(rejection.condition.name())),
        Err(Refusal::TooLarge { .. }) => Ok(CheckerAnswer::TooLarge),
        Err(Refusal::System(_) | Refusal::Stopped(_)) => Err("neither accepted nor refused".to_owned()),
    }
}

/// The hostile certificate with this number.
fn attempt(pool: &Pool, number: u64, seed: u64, asked: &mut u64) -> Option<ForgedAttempt> {
    let mut draw = Draw::new(seed, number);
    let way = Forgery::of(number);
    if way == Forgery::Condition {
        let all = Condition::ALL;
        let condition = all.get(usize::try_from(number / 20 * 6 + number % 20 - 14).ok()? % all.len())?.name();
        let (target, mut value) = attacks::attack(condition, pool, &mut draw)?;
        if condition != "input" {
            value["input"] = pool.targets[target].print.clone().into();
        }
        return Some(ForgedAttempt { way, target, text: value.to_string() });
    }
    if way == Forgery::Counted {
        let (was_asked, found) = counted::attempt(pool, &mut draw);
        *asked += u64::from(was_asked);
        let (target, text) = found?;
        return Some(ForgedAttempt { way, target, text });
    }
    // As many of each kind, though there are far more of some.
    let kind = *draw.pick(&[
        "run",
        "fault",
        "atomic",
        "atomic",
        "flow",
        "flow",
        "flow",
        "letters",
        "letters",
        "letters",
        "invariant",
        "cases",
        "components",
        "shared",
        "reduction",
        "reduction",
        "in-flight",
        "points",
        "closure",
        "other",
    ])?;
    let sample = pool.sample(kind, &mut draw).or_else(|| draw.pick(&pool.samples))?;
    let target = match way {
        Forgery::Near | Forgery::NearChanged => {
            // What is true of one should not be believed of the other.
            let draw_opposed = draw.chance(75);
            let near = &pool.near[sample.target];
            let opposed: Vec<usize> = near.iter().copied().filter(|&other| pool.are_opposed(sample.target, other)).collect();
            *draw.pick(&opposed).filter(|_| draw_opposed).or_else(|| near.first())?
        }
        Forgery::Elsewhere => draw.below(pool.targets.len()),
        Forgery::Changed | Forgery::Condition | Forgery::Counted => sample.target,
    };
    let (from, to) = (&pool.targets[sample.target].print, &pool.targets[target].print);
    let changes = matches!(way, Forgery::Changed | Forgery::NearChanged);
    let text = match &sample.value {
        Some(value) => {
            let mut value = value.clone();
            if changes {
                changes::change(&mut value, pool, &mut draw);
            }
            value["input"] = to.clone().into();
            if target == sample.target && Some(&value) == sample.value.as_ref() {
                return None;
            }
            value.to_string()
        }
        None => {
            let mut text = sample.text.clone();
            if changes {
                changes::change_digit(&mut text, &mut draw);
            }
            text = text.replacen(from, to, 1);
            if target == sample.target && text == sample.text {
                return None;
            }
            text
        }
    };
    Some(ForgedAttempt { way, target, text })
}
