//! Verdicts on random systems against brute force.
//!
//! Each system is decided by all methods, the evidence is checked by the
//! independent checker, and the verdict is compared with everything that up to
//! four requests can do. Programs with a counterexample that was put there on
//! purpose, of five to eight requests, have to be refuted ([`try_planted`]).

mod planted;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serval_budget::Cancel;
use serval_case_proof::WithNets;
use serval_engine::portfolio::{self, Found, Method, Plan};
use serval_engine::search::run_certificate;

use serval_model::{NetworkSystem, Run, systems_to_json};
use serval_proof::{Body, Caps, Certificate, Claim, Part, Refusal, Systems, check, fingerprint};
use serval_random::Behaviours;

use planted::planted;

use crate::requests::systems::compiled;
use crate::{Limit, Merge, within};

/// Ticks of brute force for one system.
pub const BRUTE_TICKS: u64 = 200_000;

/// What one system gave.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Outcome {
    /// `serializable`, `not-serializable` or `unknown`.
    pub verdict: &'static str,
    /// The deciding method.
    pub method: &'static str,
    /// The number of requests of the counterexample; 0 without one.
    pub requests: u64,
}

/// Counts of outcomes.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// How often each outcome came.
    pub outcomes: BTreeMap<Outcome, u64>,
    /// Systems that brute force could look at with up to four requests.
    pub compared: u64,
    /// Systems that were too much for brute force.
    pub not_compared: u64,
    /// The longest time for one system.
    pub slowest: Duration,
}

/// Decides a system and compares; an error is what went wrong.
pub fn try_system(system: &NetworkSystem, limit: Limit, summary: &mut Summary) -> Result<Outcome, String> {
    let start = Instant::now();
    let found = within(limit, |cancel| {
        let plan = Plan::new(Method::ALL, cancel);
        let decision = portfolio::decide(&[system], 0, &plan);
        // The answer of another method does not hide that one has a mistake.
        assert!(decision.failed.is_empty(), "{:?} panicked", decision.failed);
        decision.found
    });
    summary.slowest = summary.slowest.max(start.elapsed());
    let brute = Behaviours::with(system, 4, BRUTE_TICKS);
    match &brute {
        Some(_) => summary.compared += 1,
        None => summary.not_compared += 1,
    }
    let outcome = judged(system, MethodOutcome::from(found), brute.as_ref())?;
    *summary.outcomes.entry(outcome.clone()).or_default() += 1;
    Ok(outcome)
}

/// What a method says of one system, and its name.
#[derive(Debug)]
pub enum MethodOutcome {
    /// That it is serializable, with a proof for each component.
    Proved(Vec<Part>, &'static str),
    /// That it is not, as this run shows; and whether no run with fewer
    /// requests would.
    Refuted(Run, bool, &'static str),
    /// Nothing.
    Unknown,
}

impl From<Found> for MethodOutcome {
    fn from(found: Found) -> Self {
        match found {
            Found::Serializable(parts, method) => Self::Proved(parts, method.name()),
            Found::Refuted { run, minimal, method, .. } => Self::Refuted(run, minimal, method.name()),
            Found::Unknown(_) => Self::Unknown,
        }
    }
}

/// Has the checker look at the evidence, and compares with what up to four
/// requests do, if that is known; an error is what is wrong. Evidence that is
/// too large to be checked is none, and no error.
pub fn judged(system: &NetworkSystem, told: MethodOutcome, brute: Option<&Behaviours>) -> Result<Outcome, String> {
    let unknown = Outcome { verdict: "unknown", method: "none", requests: 0 };
    match told {
        MethodOutcome::Proved(parts, method) => {
            for part in parts {
                if !accepted(system, Claim::Serializable, Body::Part(part))? {
                    return Ok(unknown);
                }
            }
            if brute.is_some_and(|brute| !brute.is_serializable()) {
                return Err("called serializable, but it is not".to_owned());
            }
            Ok(Outcome { verdict: "serializable", method, requests: 0 })
        }
        MethodOutcome::Refuted(run, minimal, method) => {
            let requests = u64::try_from(run.configuration().completed.size()).unwrap_or(u64::MAX);
            if !accepted(system, Claim::NotSerializable, Body::Run(run_certificate(&system, &run)))? {
                return Ok(unknown);
            }
            if let Some(brute) = brute {
                let fewest = brute.fewest().and_then(|size| u64::try_from(size).ok());
                if requests <= 4 && fewest.is_none() {
                    return Err(format!("a counterexample with {requests} requests that is none"));
                }
                if minimal && fewest.is_some_and(|fewest| fewest != requests) {
                    return Err(format!("{requests} requests are called the fewest, but {fewest:?} are"));
                }
            }
            Ok(Outcome { verdict: "not-serializable", method, requests })
        }
        MethodOutcome::Unknown => Ok(unknown),
    }
}

/// Whether the checker accepts evidence, written and read as a user would have
/// it; an error says why it refuses.
fn accepted(system: &NetworkSystem, claim: Claim, body: Body) -> Result<bool, String> {
    let text = systems_to_json(std::slice::from_ref(system));
    let certificate = Certificate { input: fingerprint(&text), component: 0, claim, body };
    let certificate = Certificate::from_json(&certificate.to_json()).map_err(|error| format!("unreadable: {error}"))?;
    let input = Systems { text: &text, systems: vec![system] };
    match check(&WithNets(input), &certificate, &Caps::default(), &Cancel::new()) {
        Ok(()) => Ok(true),
        Err(Refusal::TooLarge { .. }) => Ok(false),
        Err(refusal) => Err(format!("refused: {refusal}")),
    }
}

/// Decides a program whose counterexample was put there on purpose; an error is
/// what went wrong, for instance that it was not found.
pub fn try_planted(requests: u32, seed: u64, limit: Limit, summary: &mut Summary) -> Result<(), String> {
    let text = planted(requests, seed);
    let mut found = false;
    for system in compiled(&text).ok_or_else(|| format!("does not compile:\n{text}"))? {
        let outcome = try_system(&system, limit, summary).map_err(|why| format!("{why}\n{text}"))?;
        found |= outcome.verdict == "not-serializable" && outcome.requests == u64::from(requests);
    }
    found.then_some(()).ok_or_else(|| format!("a counterexample of {requests} requests was not found:\n{text}"))
}

impl Summary {
    /// Systems that were decided or not.
    pub fn total(&self) -> u64 {
        self.outcomes.values().sum()
    }

    /// How many outcomes are like this.
    pub fn count(&self, is: impl Fn(&Outcome) -> bool) -> u64 {
        self.outcomes.iter().filter(|(outcome, _)| is(outcome)).map(|(_, count)| count).sum()
    }

    /// As JSON.
    pub fn to_json(&self) -> serde_json::Value {
        let rows: Vec<_> = self
            .outcomes
            .iter()
            .map(|(outcome, count)| {
                serde_json::json!({"verdict": outcome.verdict, "method": outcome.method, "requests": outcome.requests, "count": count})
            })
            .collect();
        serde_json::json!({
            "systems": self.total(), "compared_up_to_4_requests": self.compared, "too_large_for_brute_force": self.not_compared,
            "unknown": self.count(|outcome| outcome.verdict == "unknown"),
            "serializable_by_flow": self.count(|outcome| outcome.verdict == "serializable" && outcome.method == "flow"),
            "counterexamples_of_4_or_more": self.count(|outcome| outcome.requests >= 4),
            "slowest_ms": u64::try_from(self.slowest.as_millis()).unwrap_or(u64::MAX), "outcomes": rows,
        })
    }
}

impl Merge for Summary {
    fn absorb(&mut self, other: Self) {
        self.outcomes.absorb(other.outcomes);
        self.compared += other.compared;
        self.not_compared += other.not_compared;
        self.slowest = self.slowest.max(other.slowest);
    }
}
