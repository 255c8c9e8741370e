//! What certificates are given to: programs and systems, and others that are
//! one edit away from them.

use std::convert::Infallible;
use std::sync::OnceLock;

use serval_budget::{Cancel, Stopped};
use serval_case_proof::WithNets;
use serval_model::{NetworkSystem, NormalForm, SystemBuilder, systems_from_json, systems_to_json};
use serval_proof::{Body, Caps, Certificate, Claim, Refusal, Systems, check, fingerprint};
use serval_random::{Behaviours, fewest_out_of_order};
use serval_verify::{InputKind, Outcome, verify};

use super::draw::Draw;
use crate::requests::edits;
use crate::requests::systems::{compiled, failing};

/// What one enumeration for the choice of neighbours may cost.
const LOOK_TICKS: u64 = 5_000;
/// Edits from which the neighbours of a target are chosen.
const EDITS: usize = 10;

/// An input that certificates are checked against.
#[derive(Debug)]
pub struct Target {
    /// Where it came from.
    pub name: String,
    /// The text whose fingerprint certificates carry.
    pub text: String,
    /// Its fingerprint.
    pub print: String,
    /// Its components.
    pub systems: Vec<NetworkSystem>,
    /// What is known by a certificate that the engine found.
    pub verdict: Option<Claim>,
    /// Whether it is one edit away from another target.
    pub is_edited: bool,
    /// For each component what trying everything says, once it was needed.
    brute: OnceLock<Vec<Option<(usize, bool)>>>,
    /// The same for the order in time.
    timed: OnceLock<Vec<Option<(usize, bool)>>>,
}

impl Target {
    /// A program or a list of systems as JSON; `None` if it cannot be read or
    /// has too many states.
    pub fn new(name: &str, text: String) -> Option<Self> {
        let is_json = text.trim_start().starts_with(['{', '[']);
        let systems =
            if is_json { systems_from_json(&text).ok()? } else { compiled(&text).or_else(|| failing(&text).map(|_| Vec::new()))? };
        Some(Self::of(name, text, systems))
    }

    /// Whether it is a program in which a step fails, so that it has no systems.
    pub fn fails(&self) -> bool {
        self.systems.is_empty()
    }

    /// A text that means these systems.
    pub fn of(name: &str, text: String, systems: Vec<NetworkSystem>) -> Self {
        let print = fingerprint(&text);
        Self {
            name: name.to_owned(),
            text,
            print,
            systems,
            verdict: None,
            is_edited: false,
            brute: OnceLock::new(),
            timed: OnceLock::new(),
        }
    }

    /// What the checker says to a certificate about it, with so much work. Proofs on the text of a program, failures,
    /// and lists that show that there is none are about the text.
    pub fn check(&self, certificate: &Certificate, ticks: u64) -> Result<(), Refusal<Infallible>> {
        let caps = Caps { ticks, ..Caps::default() };
        if !matches!(certificate.body, Body::Reduction(_) | Body::Fault(_) | Body::Closure(_)) || self.is_json() {
            let input = WithNets(Systems { text: &self.text, systems: self.systems.iter().collect() });
            return check(&input, certificate, &caps, &Cancel::new());
        }
        match verify(&self.text, InputKind::Program, &certificate.to_json(), &caps, &Cancel::new()) {
            Outcome::Valid(_) => Ok(()),
            Outcome::Invalid(rejection) => Err(Refusal::Invalid(rejection)),
            Outcome::TooLarge(too_large) => Err(too_large.into()),
            // Programs that are targets can be read and compiled.
            Outcome::InputError(_) | Outcome::Unclosed(_) | Outcome::Cancelled => Err(Refusal::Stopped(Stopped::Cancelled)),
        }
    }

    /// Whether it is written as JSON.
    pub fn is_json(&self) -> bool {
        self.text.trim_start().starts_with(['{', '['])
    }

    /// With how many requests everything could be tried, and whether every run
    /// had the answers of a serial one, for each component.
    pub fn brute(&self, ticks: u64) -> &[Option<(usize, bool)>] {
        self.brute.get_or_init(|| {
            // Two requests are worth more: with fewer nothing can go wrong.
            let ticks = |requests: usize| if requests == 2 { 10 * ticks } else { ticks };
            let tried = |system| (2..=4).rev().find_map(|requests| Behaviours::with(system, requests, ticks(requests)));
            self.systems.iter().map(|system| tried(system).map(|known| (known.requests, known.is_serializable()))).collect()
        })
    }

    /// With how many requests everything could be tried, and whether every run had an order that keeps the one in time,
    /// for each component.
    pub fn in_time(&self, configurations: usize) -> &[Option<(usize, bool)>] {
        self.timed.get_or_init(|| {
            let tried = |system: &NetworkSystem| {
                let (form, _) = NormalForm::new(system)?;
                (2..=3)
                    .rev()
                    .find_map(|requests| Some((requests, fewest_out_of_order(&form, requests, requests, configurations)?.is_none())))
            };
            self.systems.iter().map(tried).collect()
        })
    }

    /// Whether few requests already show that it is not serializable.
    fn is_refuted(&self) -> bool {
        self.systems.iter().any(|system| Behaviours::with(system, 2, LOOK_TICKS).is_some_and(|two| !two.is_serializable()))
    }
}

/// A target of two components, made of two systems.
pub fn joined(name: &str, systems: [&NetworkSystem; 2]) -> Option<Target> {
    let renamed: Vec<NetworkSystem> = (0..).zip(systems).map(|(number, system)| rebuilt(system, &format!("c{number} "), None)).collect();
    Target::new(name, systems_to_json(&renamed))
}

/// Targets one edit away, of a limited number. Those with which something
/// else happens are preferred.
pub fn neighbours(target: &Target, count: usize, draw: &mut Draw) -> Vec<Target> {
    let refuted = target.is_refuted();
    let mut near: Vec<(bool, Target)> = Vec::new();
    let texts = if target.is_json() {
        (0..EDITS).filter_map(|_| edited_systems(&target.systems, draw)).collect()
    } else {
        edits::of(&target.text, EDITS, draw.source())
    };
    for (number, text) in texts.into_iter().enumerate() {
        let Some(mut found) = Target::new(&format!("{}, edit {number}", target.name), text) else { continue };
        let is_new = found.systems != target.systems && near.iter().all(|(_, other)| other.text != found.text);
        if is_new {
            found.is_edited = true;
            near.push((found.is_refuted() == refuted, found));
        }
    }
    near.sort_by_key(|&(same, _)| same);
    near.into_iter().take(count).map(|(_, target)| target).collect()
}

/// A change of one step of a system.
#[derive(Clone, Copy)]
enum Edit {
    /// The step with this number goes.
    Drop(usize),
    /// The step with this number leads to another local or global state.
    Lead(usize, Option<usize>, Option<usize>),
    /// There is one more step.
    Add([usize; 4]),
}

/// One step of one component is changed.
fn edited_systems(systems: &[NetworkSystem], draw: &mut Draw) -> Option<String> {
    let which = draw.below(systems.len());
    let system = systems.get(which)?;
    let (locals, globals, steps) = (system.local_count(), system.global_count(), system.steps().len());
    let edit = match draw.below(5) {
        0 => Edit::Drop(draw.below(steps)),
        1 | 2 => Edit::Lead(draw.below(steps), None, Some(draw.below(globals))),
        3 => Edit::Lead(draw.below(steps), Some(draw.below(locals)), None),
        _ => Edit::Add([draw.below(locals), draw.below(globals), draw.below(locals), draw.below(globals)]),
    };
    let all: Vec<NetworkSystem> = (0..).zip(systems).map(|(at, system)| rebuilt(system, "", (at == which).then_some(edit))).collect();
    Some(systems_to_json(&all))
}

/// The same system with other names of requests, or with an edit. States keep
/// their order, so that numbers in proofs mean the same where they can.
fn rebuilt(system: &NetworkSystem, prefix: &str, edit: Option<Edit>) -> NetworkSystem {
    let mut builder = SystemBuilder::new();
    let globals: Vec<_> = system.globals().map(|global| builder.global(system.global_name(global))).collect();
    let locals: Vec<_> = system.locals().map(|local| builder.local(system.local_name(local))).collect();
    let requests: Vec<_> = system.requests().map(|request| builder.request(&format!("{prefix}{}", system.request_name(request)))).collect();
    let responses: Vec<_> = system.responses().map(|response| builder.response(system.response_name(response))).collect();
    for &(request, local) in system.starts() {
        builder.start(requests[request.index()], locals[local.index()]);
    }
    for &(local, response) in system.answers() {
        builder.answer(locals[local.index()], responses[response.index()]);
    }
    for (number, step) in system.steps().iter().enumerate() {
        let (mut to_local, mut to_global) = (step.to_local.index(), step.to_global.index());
        match edit {
            Some(Edit::Drop(dropped)) if dropped == number => continue,
            Some(Edit::Lead(changed, local, global)) if changed == number => {
                (to_local, to_global) = (local.unwrap_or(to_local), global.unwrap_or(to_global));
            }
            _ => {}
        }
        builder.step(locals[step.local.index()], globals[step.global.index()], locals[to_local], globals[to_global]);
    }
    if let Some(Edit::Add([local, global, to_local, to_global])) = edit {
        builder.step(locals[local], globals[global], locals[to_local], globals[to_global]);
    }
    builder.finish(globals[system.initial_global().index()])
}
