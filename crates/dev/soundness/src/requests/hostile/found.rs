//! Certificates that the engine finds: of all kinds, by several ways, so that
//! scripts have entries of every rule.
//!
//! Budgets are ticks, so the same certificates are found everywhere.

use serde_json::{Value, json};
use serval_budget::{Budget, Cancel};
use serval_engine::cases::{self, CaseOutcome};
use serval_engine::flow::{FlowOutcome, prove};
use serval_engine::letters::{self, LettersOutcome};
use serval_engine::portfolio::{self, Found, Method, Plan};
use serval_engine::reduce::{RULES, Reduction, apply_rule, reduce};
use serval_engine::search::{LayerOutcome, Search, run_certificate};

use serval_compile::{FaultEvent, FaultRun};
use serval_linear::Tree;
use serval_model::{NetworkSystem, NormalForm, Outcome, random_run};
use serval_proof::flow::FlowProof;
use serval_proof::letters::LettersProof;
use serval_proof::script::{Entry, Reduced, check_script};
use serval_proof::{Body, Caps, CasesProof, Certificate, Claim, Failure, FaultCertificate, Part, Work};

use super::draw::Draw;
use super::more;
use super::targets::Target;
use crate::requests::reductions::offers;
use crate::requests::systems::failing;

const SEARCH_TICKS: u64 = 60_000;
const REDUCE_TICKS: u64 = 5_000_000;
const FLOW_TICKS: u64 = 300_000;
const LETTERS_TICKS: u64 = 1_000_000;
const CASES_TICKS: u64 = 300_000;
const CLASSIC_TICKS: [u64; 3] = [300_000, 300_000, 1_000_000];
/// The largest normal form that is proved, in steps.
const STEPS: usize = 150;
/// Certificates with longer texts cost more than they teach.
const LONGEST: usize = 60_000;

/// A certificate that was found, or a run that is no counterexample.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The number of the target.
    pub target: usize,
    /// As it was written.
    pub text: String,
    /// The same as a tree; `None` if it has numbers that do not fit.
    pub value: Option<Value>,
}

impl Sample {
    fn new(target: usize, certificate: &Certificate) -> Option<Self> {
        let text = certificate.to_json();
        let value = serde_json::from_str::<Value>(&text).ok();
        // Numbers of more than 64 bits would be read as something else.
        let value = value.filter(|value| Certificate::from_json(&value.to_string()).map(rewritten).as_ref() == Ok(certificate));
        (text.len() <= LONGEST).then_some(Self { target, text, value })
    }

    /// The kind of the certificate; components that share letters are `shared`.
    pub fn kind(&self) -> &str {
        let Some(value) = &self.value else { return "other" };
        if value.get("touches").is_some() { "shared" } else { value["kind"].as_str().unwrap_or("other") }
    }
}

/// The same with its cases written as we write them: they are kept as the text that they are.
fn rewritten(mut certificate: Certificate) -> Certificate {
    let parts = match &mut certificate.body {
        Body::Part(part) => std::slice::from_mut(part),
        Body::Components(parts) => parts,
        Body::Run(_) | Body::Fault(_) | Body::Reduction(_) | Body::Closure(_) => return certificate,
    };
    for part in parts {
        if let Part::Cases(proof) = part
            && let Ok(entries) = serval_case_proof::entries(&proof.cases)
        {
            proof.cases = serval_case_proof::text(&entries);
        }
    }
    certificate
}

/// What was found for one target.
#[derive(Debug, Default)]
pub struct Harvest {
    /// Certificates that the checker accepts.
    pub certificates: Vec<Sample>,
    /// Complete runs whose answers may be serial.
    pub runs: Vec<Sample>,
    /// What they prove.
    pub verdict: Option<Claim>,
}

/// Certificates for a target. The error is one that the checker refuses.
pub fn harvest(number: usize, target: &Target, listed: bool, draw: &mut Draw) -> Result<Harvest, String> {
    let mut bodies: Vec<(usize, Body)> = Vec::new();
    let mut claims: Vec<(Claim, Body)> = Vec::new();
    let systems: Vec<&NetworkSystem> = target.systems.iter().collect();
    if listed {
        // Programs of files are decided as the product does it.
        let plan = Plan::new(Method::ALL, &Cancel::new());
        match portfolio::decide(&systems, 0, &plan).found {
            Found::Serializable(parts, _) => bodies.push((0, body(parts))),
            Found::Refuted { component, run, .. } => bodies.push((component, Body::Run(run_certificate(&systems[component], &run)))),
            Found::Unknown(_) => {}
        }
    }
    bodies.extend(counterexamples(&systems));
    if bodies.iter().all(|(_, body)| !matches!(body, Body::Run(_))) {
        bodies.extend(proofs(&systems, draw).into_iter().map(|body| (0, body)));
    }
    if !target.is_json() && !target.fails() {
        bodies.extend(on_text(&target.text).map(|body| (0, body)));
        claims.extend(more::closed(&target.text).map(|body| (Claim::Safe, body)));
    }
    if let [only] = systems[..] {
        bodies.extend(more::in_parts(only).map(|body| (0, body)));
        claims.extend(more::in_time(only));
    }
    bodies.extend(failing(&target.text).filter(|_| target.fails()).and_then(|(run, failure)| fault(&run, failure)));
    let mut harvest = Harvest::default();
    let claimed = |(component, body): (usize, Body)| match body {
        Body::Run(_) => (component, Claim::NotSerializable, body),
        Body::Fault(_) => (component, Claim::Fault, body),
        _ => (component, Claim::Serializable, body),
    };
    let others = claims.into_iter().map(|(claim, body)| (0, claim, body));
    for (component, claim, body) in others.chain(bodies.into_iter().map(claimed)) {
        let certificate = Certificate { input: target.print.clone(), component, claim, body };
        target
            .check(&certificate, Caps::default().ticks)
            .map_err(|refusal| format!("refused: {refusal}\n{}\n{}", target.text, certificate.to_json()))?;
        if matches!(claim, Claim::Serializable | Claim::NotSerializable | Claim::Fault) {
            harvest.verdict = Some(claim);
        }
        harvest.certificates.extend(Sample::new(number, &certificate));
    }
    for (component, system) in systems.iter().enumerate() {
        for requests in 1..=3 {
            let drawn = random_run(*system, requests, draw.source().next_u64(), 40, &mut Budget::ticks(1_000));
            if matches!(drawn.outcome, Outcome::Complete) {
                let body = Body::Run(run_certificate(system, &drawn.run));
                let run = Certificate { input: target.print.clone(), component, claim: Claim::NotSerializable, body };
                harvest.runs.extend(Sample::new(number, &run));
            }
        }
    }
    Ok(harvest)
}

/// A run after which a step fails, as a certificate says it.
fn fault(run: &FaultRun, failure: Failure) -> Option<(usize, Body)> {
    let states = |(local, global): &(String, String)| json!({"local": local, "global": global});
    let event = |event: &FaultEvent| match event {
        FaultEvent::Spawn(id, request, local) => json!({"id": id, "kind": "spawn", "request": request, "local": local}),
        FaultEvent::Step(id, from, to) => json!({"id": id, "kind": "step", "from": states(from), "to": states(to)}),
        FaultEvent::Respond(id, local, response) => json!({"id": id, "kind": "respond", "local": local, "response": response}),
    };
    let from = json!({"local": run.local, "global": run.global});
    let fails = serde_json::from_value(json!({"id": run.id, "from": from, "fault": failure.name()})).ok()?;
    let steps = serde_json::from_value(run.events.iter().map(event).collect()).ok()?;
    Some((run.component, Body::Fault(Box::new(FaultCertificate { steps, fails }))))
}

/// A proof on the text of a program.
fn on_text(text: &str) -> Option<Body> {
    Some(Certificate::from_json(&crate::requests::lipton::proved(text)?).ok()?.body)
}

fn body(mut parts: Vec<Part>) -> Body {
    match (parts.len(), parts.pop()) {
        (1, Some(only)) => Body::Part(only),
        (_, last) => Body::Components(parts.into_iter().chain(last).collect()),
    }
}

/// One for each component that has one with few requests.
fn counterexamples(systems: &[&NetworkSystem]) -> Vec<(usize, Body)> {
    let mut found = Vec::new();
    for (component, &system) in systems.iter().enumerate() {
        let mut budget = Budget::ticks(SEARCH_TICKS);
        let mut search = Search::new(system);
        for requests in 1..=5 {
            match search.layer(requests, &mut budget) {
                LayerOutcome::Clear => {}
                LayerOutcome::Found(run) => {
                    found.push((component, Body::Run(run_certificate(&system, &run))));
                    break;
                }
                LayerOutcome::Stopped(_) | LayerOutcome::Fault(_) => break,
            }
        }
    }
    found
}

/// Proofs of all components, by several ways.
fn proofs(systems: &[&NetworkSystem], draw: &mut Draw) -> Vec<Body> {
    let each: Vec<Vec<Part>> = systems.iter().map(|system| parts(system, draw)).collect();
    let most = each.iter().map(Vec::len).max().unwrap_or(0);
    if each.iter().any(Vec::is_empty) {
        return Vec::new();
    }
    (0..most).map(|way| body(each.iter().map(|parts| parts[way % parts.len()].clone()).collect())).collect()
}

/// Proofs of one component: reductions alone, counting alone, over numbers of
/// answers; reductions in any order with entries that are drawn, and the
/// others afterwards; an invariant.
fn parts(system: &NetworkSystem, draw: &mut Draw) -> Vec<Part> {
    let Some((form, _)) = NormalForm::new(system) else { return Vec::new() };
    if form.steps().len() > STEPS {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut keep = |reduction: &Reduction| {
        if reduction.form().is_atomic() {
            found.push(Part::Atomic(reduction.script.clone()));
        }
        if let Ok(LettersOutcome::Proof(proof)) = letters::prove(reduction.form(), &mut Budget::ticks(LETTERS_TICKS)) {
            found.push(Part::Letters(Box::new(LettersProof { script: reduction.script.clone(), ..proof })));
        }
        if let CaseOutcome::Proof(proof) = cases::prove(reduction.form(), CASES_TICKS, &Cancel::new()) {
            found.push(Part::Cases(Box::new(CasesProof { script: reduction.script.clone(), ..*proof })));
        }
        if let Ok(FlowOutcome::Proof(proof)) = prove(reduction.form(), &mut Budget::ticks(FLOW_TICKS)) {
            found.push(Part::Flow(Box::new(FlowProof { script: reduction.script.clone(), ..proof })));
        }
    };
    let whole = Reduction::new(form.clone());
    keep(&whole);
    let options = serval_classic_engine::Options {
        ticks: CLASSIC_TICKS,
        max_components: 200,
        max_disjuncts: 100,
        ..serval_classic_engine::Options::default()
    };
    let invariant = match serval_classic_engine::decide(system, &options, &Cancel::new(), &serval_classic_engine::no_clock).verdict {
        serval_classic_engine::ClassicVerdict::Serializable(proof) => Some(Part::Invariant(proof)),
        serval_classic_engine::ClassicVerdict::Refuted(_) | serval_classic_engine::ClassicVerdict::Unknown(..) => None,
    };
    let mut reduced = whole.clone();
    if reduce(&mut reduced, &mut Budget::ticks(REDUCE_TICKS)).is_ok() && !reduced.script.is_empty() {
        keep(&reduced);
    }
    for _ in 0..2 {
        let mut any = any_order(&form, draw);
        if !any.script.is_empty() {
            keep(&any);
            if !any.form().is_atomic() && reduce(&mut any, &mut Budget::ticks(REDUCE_TICKS)).is_ok() {
                keep(&any);
            }
        }
    }
    found.extend(invariant);
    found.dedup();
    found
}

/// A few rules, and entries drawn at random that the checker accepts.
pub(super) fn any_order(form: &NormalForm, draw: &mut Draw) -> Reduction {
    let mut reduction = Reduction::new(form.clone());
    for _ in 0..2 + draw.below(4) {
        let Some(&rule) = draw.pick(RULES) else { continue };
        let drawn = match draw.below(8) {
            0 => {
                let initial: Vec<u32> = reduction.form().node_numbers().filter(|&node| reduction.form().is_initial(node)).collect();
                draw.pick(&initial).map(|&node| Entry::Split(node))
            }
            1..=4 => offers::draw(&reduction.reduced, rule, draw.source()),
            _ => {
                let mut next = reduction.clone();
                if apply_rule(&mut next, rule, &mut Budget::ticks(REDUCE_TICKS)).is_ok() {
                    reduction = next;
                }
                None
            }
        };
        if let Some(entry) = drawn {
            let mut next = reduction.clone();
            next.script.push(entry);
            if let Some(left) = verified(form.clone(), &next.script) {
                next.reduced = left;
                reduction = next;
            }
        }
    }
    reduction
}

/// What a script leaves, if the checker accepts it.
pub(super) fn verified(form: NormalForm, script: &[Entry]) -> Option<Reduced> {
    check_script(form, script, &mut Work::new(&Caps::default(), &Cancel::new())).ok()
}

/// A certificate of a part, as it is written, for attacks that need a piece of it.
pub(super) fn written(part: Part) -> Option<Value> {
    let certificate = Certificate { input: String::new(), component: 0, claim: Claim::Serializable, body: Body::Part(part) };
    serde_json::from_str(&certificate.to_json()).ok()
}

/// A tree as it is written; `None` if it has numbers that do not fit.
pub(super) fn written_tree(tree: Tree) -> Option<Value> {
    let part = Part::Flow(Box::new(FlowProof { tree, ..FlowProof::default() }));
    let value = written(part.clone())?;
    let read = Certificate::from_json(&value.to_string()).ok()?;
    (read.body == Body::Part(part)).then(|| value["tree"].clone())
}
