//! How many random systems stay undecided, and which were at some time.
//!
//! A system is decided as `serval check` decides it, on one thread, with its
//! evidence checked, and the verdict is compared with what up to four requests
//! do by brute force.

use std::time::Duration;

use serde_json::Value;
use serval::{Input, Method, Methods, Options, Verdict, decide};
use serval_budget::Cancel;
use serval_families::Family;
use serval_model::{NetworkSystem, systems_to_json};
use serval_proof::fingerprint;
use serval_soundness::requests::verdicts::BRUTE_TICKS;
use serval_soundness::{Behaviours, CoreTime, Kind, Limit, within};
use serval_verify::Outcome;

/// What came of one input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settled {
    /// Whether it is serializable; `None` if that is undecided.
    pub serializable: Option<bool>,
    /// How long one core worked.
    pub time: Duration,
}

/// Decides about an input within a limit; an error says what is wrong with the
/// evidence.
pub fn settle(input: &Input, limit: Limit) -> Result<Settled, String> {
    let start = CoreTime::start();
    let decision = within(limit, |cancel| {
        let mut options = Options::default();
        options.cancel = cancel.clone();
        options.fixes = false;
        decide(input, &options)
    });
    let serializable = match decision.verdict {
        Verdict::Serializable(_) => Some(true),
        Verdict::NotSerializable(..) => Some(false),
        // The programs here have no mistakes but too many states.
        Verdict::Undecided(_) | Verdict::Unusable(_) => None,
        Verdict::Refused(refused) => return Err(format!("the checker refuses evidence: {refused:?}")),
        other => return Err(format!("no verdict: {other:?}")),
    };
    Ok(Settled { serializable, time: start.elapsed() })
}

/// What one method alone said about an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alone {
    /// Whether it is serializable; `None` if it does not know.
    pub serializable: Option<bool>,
    /// The evidence in a few words, or why there is none.
    pub said: String,
    /// How long one core worked.
    pub time: Duration,
}

/// The same by one method alone, with what it says.
pub fn settle_alone(input: &Input, method: Method, limit: Limit) -> Result<Alone, String> {
    let start = CoreTime::start();
    let decision = within(limit, |cancel| {
        let mut options = Options::default();
        options.cancel = cancel.clone();
        options.fixes = false;
        options.methods = Methods::Portfolio(vec![method]);
        decide(input, &options)
    });
    let time = start.elapsed();
    let (serializable, evidence) = match decision.verdict {
        Verdict::Serializable(evidence) => (Some(true), evidence),
        Verdict::NotSerializable(evidence, _) => (Some(false), evidence),
        Verdict::Undecided(why) => return Ok(Alone { serializable: None, said: why.to_string(), time }),
        Verdict::Unusable(_) => return Ok(Alone { serializable: None, said: "too many states".to_owned(), time }),
        Verdict::Refused(refused) => return Err(format!("the checker refuses evidence: {refused:?}")),
        other => return Err(format!("no verdict: {other:?}")),
    };
    match input.verify(&evidence.certificate, &Cancel::new()) {
        Outcome::Valid(valid) => Ok(Alone { serializable, said: valid.summary, time }),
        outcome => Err(format!("evidence that was accepted is refused: {outcome:?}")),
    }
}

/// Decides about a system, and compares with brute force; an error says what is
/// wrong.
pub fn settle_system(system: &NetworkSystem, limit: Limit) -> Result<Settled, String> {
    let input = Input::systems(systems_to_json(std::slice::from_ref(system))).map_err(|mistakes| format!("{mistakes:?}"))?;
    let settled = settle(&input, limit)?;
    let brute = Behaviours::with(system, 4, BRUTE_TICKS);
    match (settled.serializable, brute.map(|brute| brute.is_serializable())) {
        (Some(true), Some(false)) => Err("called serializable, but four requests show that it is not".to_owned()),
        _ => Ok(settled),
    }
}

/// An input that was undecided at some time.
pub struct UndecidedEntry {
    /// What it is.
    pub name: String,
    /// Whether it is serializable, if that is known by now.
    pub serializable: Option<bool>,
    /// The input.
    pub input: Input,
}

/// All inputs that were ever found undecided. One object in each line says what
/// an input is: a random system by `kind`, `seed` and the beginning of the
/// fingerprint of its text, so that a change of its generator is noticed; a
/// `family` and `n`; or a `name` and the `system` itself. `verdict` is there
/// once it is known.
pub fn entries() -> Result<Vec<UndecidedEntry>, String> {
    let lines = include_str!("../data/undecided.jsonl").lines().filter(|line| !line.trim().is_empty());
    lines.map(|line| entry(line).map_err(|why| format!("{line}: {why}"))).collect()
}

fn entry(line: &str) -> Result<UndecidedEntry, String> {
    let value: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let word = |field: &str| value[field].as_str().ok_or_else(|| format!("no {field}"));
    let number = |field: &str| value[field].as_u64().ok_or_else(|| format!("no {field}"));
    let serializable = match value["verdict"].as_str() {
        None => None,
        Some("serializable") => Some(true),
        Some("not-serializable") => Some(false),
        Some(other) => return Err(format!("there is no verdict {other}")),
    };
    let systems = |text: String| Input::systems(text).map_err(|mistakes| format!("{mistakes:?}"));
    let (name, input) = if let Ok(kind) = word("kind") {
        let (kind, seed) = (Kind::named(kind).ok_or("there is no such kind")?, number("seed")?);
        let text = systems_to_json(&[kind.system(seed)]);
        if !fingerprint(&text).starts_with(word("fingerprint")?) {
            return Err("the seed no longer makes this system".to_owned());
        }
        (format!("{} {seed}", kind.name()), systems(text)?)
    } else if let Ok(family) = word("family") {
        let (family, n) = (Family::named(family).ok_or("there is no such family")?, number("n")?);
        let text = family.program(usize::try_from(n).map_err(|error| error.to_string())?);
        (format!("{} {n}", family.name), Input::program(text).map_err(|mistakes| format!("{mistakes:?}"))?)
    } else {
        (word("name")?.to_owned(), systems(value["system"].to_string())?)
    };
    Ok(UndecidedEntry { name, serializable, input })
}

/// The line of a random system.
pub fn line(kind: Kind, seed: u64, system: &NetworkSystem) -> String {
    let text = systems_to_json(std::slice::from_ref(system));
    let beginning: String = fingerprint(&text).chars().take(FINGERPRINT).collect();
    format!(r#"{{"kind": "{}", "seed": {seed}, "fingerprint": "{beginning}"}}"#, kind.name())
}

/// So much of a fingerprint is written down.
const FINGERPRINT: usize = 16;
