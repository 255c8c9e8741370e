//! The published pipeline: what it decides of a suite of programs, what its
//! switches are worth, and whether it agrees with the other methods on random
//! systems. Whatever it says is put to the checker.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serval::ablation::Trial;
use serval_budget::{Budget, Cancel};
use serval_classic_engine::{ClassicVerdict, Options, Report, Stages, decide};
use serval_compile::{Mode, Prepared};
use serval_engine::portfolio::{self, Found, Method, Plan};
use serval_engine::search::run_certificate;

use serval_model::{NetworkSystem, systems_from_json, systems_to_json};
use serval_proof::{Body, Caps, Certificate, Claim, Part, Refusal, Systems, check, fingerprint};
use serval_soundness::requests::systems::{Generator, systems_of};
use serval_soundness::{Limit, Merge, within};

/// A program of a suite.
#[derive(Clone, Debug)]
pub struct SuiteProgram {
    /// The name of its file.
    pub name: String,
    /// What is expected.
    pub expected: String,
    /// Its components, as `serval check` makes them.
    pub components: Vec<NetworkSystem>,
    /// One system for all of it, as published.
    pub plain: Vec<NetworkSystem>,
}

/// The programs of a suite, in the order of its `expected.csv`.
pub fn suite(directory: &Path) -> Result<Vec<SuiteProgram>, String> {
    let read = |name: &str| std::fs::read_to_string(directory.join(name)).map_err(|error| format!("{name}: {error}"));
    let expected = read("expected.csv")?;
    let mut programs = Vec::new();
    for line in expected.lines().skip(1).filter(|line| !line.trim().is_empty()) {
        let mut fields = line.split(',').map(str::trim);
        let (Some(name), Some(verdict)) = (fields.next(), fields.next()) else { return Err(format!("expected.csv: cannot read {line:?}")) };
        let text = read(name)?;
        let systems = |mode: Mode| {
            if name.ends_with(".json") {
                return systems_from_json(&text).map_err(|error| format!("{name}: {error}"));
            }
            compiled(&text, mode).map_err(|error| format!("{name}: {error}"))
        };
        let (components, plain) = (systems(Mode::Optimised)?, systems(Mode::Plain)?);
        programs.push(SuiteProgram { name: name.to_owned(), expected: verdict.to_owned(), components, plain });
    }
    Ok(programs)
}

/// The systems of the text of a program.
pub fn compiled(text: &str, mode: Mode) -> Result<Vec<NetworkSystem>, String> {
    let program = serval_syntax::analyze(text).program.ok_or_else(|| "no program".to_owned())?;
    let options = serval_compile::Options { mode, ..serval_compile::Options::default() };
    let compiled = Arc::new(Prepared::new(&program, options)).compile(&Budget::unlimited()).map_err(|error| format!("{error:?}"))?;
    Ok(compiled.components().iter().map(|component| component.system().clone()).collect())
}

/// What came of a program.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// `serializable`, `not-serializable` or `unknown`.
    pub verdict: &'static str,
    /// Where it is undecided: the stage that stopped, and why.
    pub stop: Option<(&'static str, String)>,
    /// The evidence, as it was written, read and accepted; nothing where it is undecided.
    pub certificate: String,
    /// The number of requests of the counterexample; 0 without one.
    pub requests: u64,
    /// Sizes and times for each component that was looked at.
    pub stages: Vec<Stages>,
    /// How long deciding took.
    pub time: Duration,
    /// How long checking took.
    pub check_time: Duration,
}

/// Decides the components of a program one after the other, until one is
/// refuted or unknown, and puts the verdict to the checker; an error says what
/// it refused.
pub fn decide_program(systems: &[NetworkSystem], options: &Options, limit: Limit) -> Result<Outcome, String> {
    let start = Instant::now();
    let (stages, end) = within(limit, |cancel| decide_all(systems, options, cancel));
    let time = start.elapsed();
    let start = Instant::now();
    let text = systems_to_json(systems);
    let outcome = |verdict: &'static str| Outcome {
        verdict,
        stop: None,
        certificate: String::new(),
        requests: 0,
        stages: stages.clone(),
        time,
        check_time: Duration::ZERO,
    };
    Ok(match end {
        ClassicEnd::Unknown(stage, why) => Outcome { stop: Some((stage, why)), ..outcome("unknown") },
        ClassicEnd::Refuted(component, run) => {
            let requests = u64::try_from(run.configuration().completed.size()).unwrap_or(u64::MAX);
            let system = systems.get(component).ok_or("no such component")?;
            let body = Body::Run(run_certificate(&system, &run));
            match accepted(&text, systems, component, Claim::NotSerializable, body)? {
                Ok(certificate) => Outcome { certificate, requests, check_time: start.elapsed(), ..outcome("not-serializable") },
                Err(why) => Outcome { stop: Some((CHECK, why)), ..outcome("unknown") },
            }
        }
        ClassicEnd::Serializable(mut parts) => {
            let body = if parts.len() == 1 { Body::Part(parts.remove(0)) } else { Body::Components(parts) };
            match accepted(&text, systems, 0, Claim::Serializable, body)? {
                Ok(certificate) => Outcome { certificate, check_time: start.elapsed(), ..outcome("serializable") },
                Err(why) => Outcome { stop: Some((CHECK, why)), ..outcome("unknown") },
            }
        }
    })
}

enum ClassicEnd {
    Serializable(Vec<Part>),
    Refuted(usize, serval_model::Run),
    Unknown(&'static str, String),
}

fn decide_all(systems: &[NetworkSystem], options: &Options, cancel: &Cancel) -> (Vec<Stages>, ClassicEnd) {
    let (mut stages, mut parts, mut unknown) = (Vec::new(), Vec::new(), None);
    for (component, system) in systems.iter().enumerate() {
        let start = Instant::now();
        let report = decide(system, options, cancel, &|| start.elapsed());
        stages.push(report.stages);
        match report.verdict {
            ClassicVerdict::Serializable(proof) => parts.push(Part::Invariant(proof)),
            ClassicVerdict::Refuted(run) => return (stages, ClassicEnd::Refuted(component, run)),
            // One that is refuted may still come.
            ClassicVerdict::Unknown(reason) => unknown = unknown.or(Some((reason.stage().unwrap_or("limit"), reason.what()))),
        }
    }
    (stages, unknown.map_or(ClassicEnd::Serializable(parts), |(stage, why)| ClassicEnd::Unknown(stage, why)))
}

/// The stage in which the checker says that there is too much to check.
const CHECK: &str = "check";

/// The evidence as a text, if the checker accepts what is read from it; or that
/// it is too large to be checked, which is no error.
fn accepted(text: &str, systems: &[NetworkSystem], component: usize, claim: Claim, body: Body) -> Result<Result<String, String>, String> {
    let written = Certificate { input: fingerprint(text), component, claim, body }.to_json();
    let certificate = Certificate::from_json(&written).map_err(|error| format!("unreadable: {error}"))?;
    let input = Systems { text, systems: systems.iter().collect() };
    match check(&input, &certificate, &Caps::default(), &Cancel::new()) {
        Ok(()) => Ok(Ok(written)),
        Err(large @ Refusal::TooLarge { .. }) => Ok(Err(large.to_string())),
        Err(refusal) => Err(format!("refused: {refusal}")),
    }
}

/// One system with one setting of an ablation.
pub fn trial(system: &NetworkSystem, options: &Options, limit: Limit) -> (Report, Trial) {
    let start = Instant::now();
    let report = within(limit, |cancel| decide(system, options, cancel, &|| start.elapsed()));
    let trial = Trial::new(&report, start.elapsed());
    (report, trial)
}

/// What random systems gave.
#[derive(Clone, Debug, Default)]
pub struct Agreement {
    /// How often each pair of verdicts came: this method's, and the others'.
    pub verdicts: BTreeMap<(&'static str, &'static str), u64>,
    /// How often each stage stopped, and why.
    pub stops: BTreeMap<(&'static str, String), u64>,
    /// The longest time for one system.
    pub slowest: Duration,
}

impl Agreement {
    /// Systems in all.
    pub fn total(&self) -> u64 {
        self.verdicts.values().sum()
    }

    /// Systems about which this method knows.
    pub fn decided(&self) -> u64 {
        self.verdicts.iter().filter(|((ours, _), _)| *ours != "unknown").map(|(_, count)| count).sum()
    }
}

impl Merge for Agreement {
    fn absorb(&mut self, other: Self) {
        self.verdicts.absorb(other.verdicts);
        self.stops.absorb(other.stops);
        self.slowest = self.slowest.max(other.slowest);
    }
}

/// The systems of a number: those on which all verdicts are tried, and as many
/// random programs.
pub fn random(seed: u64, number: u64) -> Vec<NetworkSystem> {
    if number.is_multiple_of(2) { systems_of(seed, number / 2) } else { Generator::Programs.systems(seed, number / 2) }
}

/// Decides a system by this method and by the others, and compares; an error
/// says what is wrong.
pub fn compare(system: &NetworkSystem, limit: Limit, agreement: &mut Agreement) -> Result<Outcome, String> {
    let outcome = decide_program(std::slice::from_ref(system), &Options::default(), limit)?;
    let found = within(limit, |cancel| {
        let plan = Plan::new(Method::ALL, cancel);
        portfolio::decide(&[system], 0, &plan).found
    });
    let others = match found {
        Found::Serializable(..) => "serializable",
        Found::Refuted { .. } => "not-serializable",
        Found::Unknown(_) => "unknown",
    };
    if outcome.verdict != "unknown" && others != "unknown" && outcome.verdict != others {
        return Err(format!("called {}, but the other methods say {others}", outcome.verdict));
    }
    *agreement.verdicts.entry((outcome.verdict, others)).or_default() += 1;
    if let Some((stage, why)) = &outcome.stop {
        *agreement.stops.entry((stage, kind_of(why))).or_default() += 1;
    }
    agreement.slowest = agreement.slowest.max(outcome.time);
    Ok(outcome)
}

/// A reason without the numbers that are different each time.
fn kind_of(why: &str) -> String {
    why.rsplit_once(": ").map_or(why, |(_, kind)| kind).to_owned()
}
