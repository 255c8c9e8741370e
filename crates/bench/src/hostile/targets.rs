//! What certificates are given to: programs and systems, and others that are
//! one edit away from them.

use std::sync::{Arc, OnceLock};

use serval_budget::Budget;
use serval_compile::{Limits, Options, Prepared, StepLimits};

use serval_model::{NetworkSystem, SystemBuilder, systems_from_json, systems_to_json};
use serval_proof::{Claim, fingerprint};

use super::draw::Draw;
use crate::reductions::Behaviours;

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
    /// For each component what trying everything says, once somebody asked.
    brute: OnceLock<Vec<Option<(usize, bool)>>>,
}

impl Target {
    /// A program or a list of systems as JSON; `None` if it cannot be read or
    /// has too many states.
    pub fn new(name: &str, text: String) -> Option<Self> {
        let is_json = text.trim_start().starts_with(['{', '[']);
        let systems = if is_json { systems_from_json(&text).ok()? } else { compiled(&text)? };
        let print = fingerprint(&text);
        Some(Self { name: name.to_owned(), text, print, systems, verdict: None, is_edited: false, brute: OnceLock::new() })
    }

    /// Whether it is written as JSON.
    pub fn is_json(&self) -> bool {
        self.text.trim_start().starts_with(['{', '['])
    }

    /// With how many requests everything could be tried, and whether every run
    /// had the answers of a serial one, for each component.
    pub fn brute(&self, ticks: u64) -> &[Option<(usize, bool)>] {
        self.brute.get_or_init(|| {
            let tried = |system| (2..=4).rev().find_map(|requests| Behaviours::with(system, requests, ticks));
            self.systems.iter().map(|system| tried(system).map(|known| (known.requests, known.is_serializable()))).collect()
        })
    }

    /// Whether few requests already show that it is not serializable.
    fn is_refuted(&self) -> bool {
        self.systems.iter().any(|system| Behaviours::with(system, 2, LOOK_TICKS).is_some_and(|two| !two.is_serializable()))
    }
}

/// The components of a program; `None` if it is none or has too many states.
fn compiled(text: &str) -> Option<Vec<NetworkSystem>> {
    let program = serval_syntax::analyze(text).program?;
    let limits = Limits { pairs: 5_000, step: StepLimits { operations: 50_000, loop_states: 5_000 } };
    let prepared = Arc::new(Prepared::new(&program, Options { limits, ..Options::default() }));
    let compiled = prepared.compile(&Budget::ticks(2_000_000)).ok()?;
    Some(compiled.components().iter().map(|component| component.system().clone()).collect())
}

/// A target of two components, made of two systems.
pub fn joined(name: &str, systems: [&NetworkSystem; 2]) -> Option<Target> {
    let renamed: Vec<NetworkSystem> = (0..).zip(systems).map(|(number, system)| rebuilt(system, &format!("c{number} "), None)).collect();
    Target::new(name, systems_to_json(&renamed))
}

/// Targets one edit away, at most so many. Those with which something
/// else happens are preferred.
pub fn neighbours(target: &Target, count: usize, draw: &mut Draw) -> Vec<Target> {
    let refuted = target.is_refuted();
    let mut near: Vec<(bool, Target)> = Vec::new();
    for number in 0..EDITS {
        let text = if target.is_json() { edited_systems(&target.systems, draw) } else { edited_program(&target.text, draw) };
        let found = text.and_then(|text| Target::new(&format!("{}, edit {number}", target.name), text));
        let Some(mut found) = found else { continue };
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

/// One word of a program is changed, a `yield` comes or goes.
fn edited_program(text: &str, draw: &mut Draw) -> Option<String> {
    // The comments at the head say nothing to the compiler.
    let begin = text.char_indices().find(|&(at, _)| {
        let line_start = text[..at].rfind('\n').map_or(0, |line| line + 1);
        !text[line_start..].starts_with("//")
    })?;
    let (head, body) = text.split_at(begin.0);
    let words = words(body);
    let names: Vec<&str> = words.iter().map(|&(at, len)| &body[at..at + len]).filter(|word| word.starts_with(char::is_uppercase)).collect();
    let of_kind = |fits: &dyn Fn(&str) -> bool| -> Vec<(usize, usize)> {
        words.iter().copied().filter(|&(at, len)| fits(&body[at..at + len])).collect()
    };
    let (at, len, new) = match draw.below(5) {
        0 => {
            let waits = of_kind(&|word| word == "yield");
            let &(at, len) = draw.pick(&waits)?;
            // With what separates it from the next statement, if there is one.
            (at, if body[at + len..].starts_with(';') { len + 1 } else { len }, String::new())
        }
        1 => {
            let ends: Vec<usize> = body.match_indices(';').map(|(at, _)| at + 1).collect();
            (*draw.pick(&ends)?, 0, " yield;".to_owned())
        }
        2 | 3 => {
            let numbers = of_kind(&|word| word.parse::<u32>().is_ok());
            let &(at, len) = draw.pick(&numbers)?;
            let number: u32 = body[at..at + len].parse().ok()?;
            let new = if number > 0 && draw.chance(50) { number - 1 } else { number.checked_add(1)? };
            (at, len, new.to_string())
        }
        _ => {
            let places = of_kind(&|word| word.starts_with(char::is_uppercase));
            let &(at, len) = draw.pick(&places)?;
            (at, len, (*draw.pick(&names)?).to_owned())
        }
    };
    Some(format!("{head}{}{new}{}", &body[..at], &body[at + len..]))
}

/// Where the words and numbers of a text are, and how long they are.
fn words(text: &str) -> Vec<(usize, usize)> {
    let mut words: Vec<(usize, usize)> = Vec::new();
    for (at, letter) in text.char_indices().filter(|&(_, letter)| letter.is_ascii_alphanumeric() || letter == '_') {
        match words.last_mut() {
            Some((start, len)) if *start + *len == at => *len += letter.len_utf8(),
            _ => words.push((at, letter.len_utf8())),
        }
    }
    words
}
