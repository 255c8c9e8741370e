//! Running programs, on the text itself.

use std::collections::BTreeMap;

use serval_compile::{Access, FaultKind, Prepared, SourceRun, SourceStep};
use serval_report::{LocalValues, StateName, States, TraceAccess, TraceEvent};
use serval_syntax::{GlobalVar, LineIndex, Program, Span};

use super::{Action, ActionKind, Simulator};
use crate::options::CompileOptions;
use crate::value_names::ValueNames;
use crate::versions::{ShownAccess, holders, told, version_of};

/// A program that is ready to run. Runs work on the text itself, so that a program with too many states to compile can
/// be run as well.
pub fn prepare(program: &Program, options: CompileOptions) -> Prepared {
    Prepared::new(program, options.options())
}

/// A program that runs.
pub struct ProgramSimulator<'a> {
    run: SourceRun<'a>,
    prepared: &'a Prepared,
    text: &'a str,
    lines: LineIndex,
    next_number: u32,
    offered: Vec<Offer>,
    answers: Vec<(String, String)>,
    events: Vec<TraceEvent>,
    states: States,
    performed: usize,
    fault: Option<String>,
    names: ValueNames,
    performance: Performance,
}

/// What has been done on the text, with real values.
#[derive(Clone, Debug, Default)]
pub(crate) struct Performance {
    /// The bodies that requests run, by the numbers of the requests.
    pub(crate) bodies: BTreeMap<u32, usize>,
    /// The steps, in order.
    pub(crate) steps: Vec<PerformedStep>,
}

/// One step that was made.
#[derive(Clone, Debug)]
pub(crate) struct PerformedStep {
    /// Whose.
    pub(crate) id: u32,
    /// Its position among the events.
    pub(crate) event: usize,
    /// What it read and wrote.
    pub(crate) accesses: Vec<Access>,
    /// The answer that it ends with, if it is the last.
    pub(crate) answer: Option<i64>,
}

enum Offer {
    Spawn { body: usize },
    Step { thread: u32, step: SourceStep },
    Respond { thread: u32, answer: i64 },
}

impl<'a> ProgramSimulator<'a> {
    /// A program before its first step.
    pub fn new(prepared: &'a Prepared, text: &'a str) -> Self {
        Self {
            run: prepared.source().start(),
            prepared,
            text,
            lines: LineIndex::new(text),
            next_number: 1,
            offered: Vec::new(),
            answers: Vec::new(),
            events: Vec::new(),
            states: States::default(),
            performed: 0,
            fault: None,
            names: ValueNames::new(prepared.source().program(), text),
            performance: Performance::default(),
        }
    }

    /// What has been done so far.
    pub(crate) fn performance(&self) -> &Performance {
        &self.performance
    }

    fn request(&self, thread: u32) -> &'a str {
        self.run.body(thread).map_or("", |body| &self.run.source().program().requests[body].name)
    }

    /// What the values of the program are called.
    pub fn names(&self) -> &ValueNames {
        &self.names
    }

    /// What an answer is called.
    fn answer(&self, thread: u32, answer: i64) -> String {
        self.answer_name(thread, answer).unwrap_or_else(|| answer.to_string())
    }

    fn answer_name(&self, thread: u32, answer: i64) -> Option<String> {
        self.names.answer(self.run.body(thread)?, answer)
    }

    /// A global as it is written, and its value.
    fn told(&self, variable: GlobalVar, value: i64) -> (&str, String) {
        let name = self.variable(variable);
        let written = self.names.variables().get(name).map_or(name, String::as_str);
        (written, self.names.global(variable, value).unwrap_or_else(|| value.to_string()))
    }

    fn line(&self, span: Span) -> u32 {
        self.lines.position(self.text, span.start).line
    }

    fn lines_of(&self, span: Span) -> String {
        let (first, last) = (self.line(span), self.lines.position(self.text, span.end).line);
        if first == last { format!("line {first}") } else { format!("lines {first}–{last}") }
    }

    fn variable(&self, variable: GlobalVar) -> &'a str {
        let program = self.run.source().program();
        version_of(program, variable).map_or(&program.globals[variable.index()].name, |version| &version.name)
    }

    /// What a value that was read or written is called, where it has a name.
    fn word(&self, told: &ShownAccess) -> Option<String> {
        told.word.map(str::to_owned).or_else(|| self.names.global(told.access.variable, told.access.value))
    }

    /// What a step does, in words.
    fn effects(&self, thread: u32, step: &SourceStep) -> String {
        let mut parts = Vec::new();
        for told in told(self.run.source().program(), &step.accesses) {
            let (name, value) = self.told(told.access.variable, told.access.value);
            let value = told.word.map_or(value, str::to_owned);
            let sign = if told.access.write { "=" } else { "➜" };
            let part = format!("{name} {sign} {value}");
            // A loop can read the same value a thousand times.
            if parts.last() != Some(&part) {
                parts.push(part);
            }
        }
        const SHOWN: usize = 12;
        if parts.len() > SHOWN {
            let more = parts.len() - SHOWN;
            parts.truncate(SHOWN);
            parts.push(format!("… {more} more"));
        }
        match step.answer() {
            Some(answer) => parts.push(format!("ready to return {}", self.answer(thread, answer))),
            None => parts.push(format!("waits on line {}", self.line(step.ended_at))),
        }
        parts.join(", ")
    }

    fn span(&self, span: Span) -> [u32; 4] {
        let (start, end) = (self.lines.position(self.text, span.start), self.lines.position(self.text, span.end));
        [start.line, start.column, end.line, end.column]
    }

    fn describe(&self, offer: &Offer) -> Action {
        let text = self.text_of(offer);
        let (kind, event) = match offer {
            Offer::Spawn { body } => (ActionKind::Spawn, self.spawn_event(*body)),
            Offer::Step { thread, step } => (ActionKind::Step, self.step_event(*thread, step)),
            Offer::Respond { thread, answer } => (ActionKind::Respond, self.respond_event(*thread, *answer)),
        };
        Action { kind, text, event }
    }

    fn text_of(&self, offer: &Offer) -> String {
        match offer {
            Offer::Spawn { body } => {
                let request = &self.run.source().program().requests[*body];
                format!("#{} {} comes", self.next_number, request.name)
            }
            Offer::Step { thread, step } => {
                format!("#{thread} {} runs {}: {}", self.request(*thread), self.lines_of(step.span), self.effects(*thread, step))
            }
            Offer::Respond { thread, answer } => {
                format!("#{thread} {} returns {}", self.request(*thread), self.answer(*thread, *answer))
            }
        }
    }

    fn spawn_event(&self, body: usize) -> Option<TraceEvent> {
        let (component, local) = self.prepared.start_of(body)?;
        let request = Some(self.prepared.program().requests[body].name.clone());
        Some(TraceEvent::Spawn { id: self.next_number, component, request, local })
    }

    fn step_event(&self, thread: u32, step: &SourceStep) -> Option<TraceEvent> {
        let (component, local) = self.prepared.local_of(&self.run, thread)?;
        let global = self.prepared.global_of(&self.run, component)?;
        let (to_local, to_global) = self.prepared.ends_of(&self.run, thread, step)?;
        let accesses = told(self.run.source().program(), &step.accesses).into_iter().map(|told| TraceAccess {
            var: self.variable(told.access.variable).to_owned(),
            op: if told.access.write { "write" } else { "read" }.to_owned(),
            value: told.access.value,
            name: self.word(&told),
            span: self.span(told.access.span),
        });
        Some(TraceEvent::Step {
            id: thread,
            component,
            from: StateName { local, global },
            to: StateName { local: to_local, global: to_global },
            span: Some(self.span(step.span)),
            accesses: Some(accesses.collect()),
        })
    }

    fn respond_event(&self, thread: u32, answer: i64) -> Option<TraceEvent> {
        let (component, local) = self.prepared.local_of(&self.run, thread)?;
        Some(TraceEvent::Respond { id: thread, component, local, response: answer.to_string(), name: self.answer_name(thread, answer) })
    }

    /// Remembers the real values behind the states that `thread` is in now. A variable that the compiler dropped can
    /// have other values when the run comes to the same state again; then no value of it belongs to the state.
    fn note_states(&mut self, thread: u32) {
        let Some((component, local)) = self.prepared.local_of(&self.run, thread) else { return };
        let Some(global) = self.prepared.global_of(&self.run, component) else { return };
        let program = self.run.source().program();
        let written = (0..)
            .zip(&program.globals)
            .zip(self.run.globals())
            .filter(|&((number, _), _)| version_of(program, GlobalVar(number)).is_none());
        let globals: BTreeMap<String, i64> = written.map(|((_, variable), &value)| (variable.name.clone(), value)).collect();
        let known = self.states.globals.entry(global).or_insert_with(|| globals.clone());
        known.retain(|name, value| globals.get(name) == Some(value));
        let place = self.run.place(thread).map_or([1, 1], |span| {
            let at = self.lines.position(self.text, span.start);
            [at.line, at.column]
        });
        let values = self.run.locals(thread).unwrap_or_default();
        let body = self.run.body(thread).unwrap_or_default();
        // What the compiler has made up to hold operands is no variable of the program.
        let written =
            |name: &str| self.run.source().program().requests[body].locals.iter().any(|local| local.name == name && !local.hidden);
        let vars: BTreeMap<String, i64> =
            values.into_iter().filter(|(name, _)| written(name)).map(|(name, value)| (name.to_owned(), value)).collect();
        let names = vars.iter().filter_map(|(name, &value)| Some((name.clone(), self.names.local(body, name, value)?))).collect();
        let known = self.states.locals.entry(local).or_insert_with(|| LocalValues { at: place, vars: vars.clone(), names });
        known.vars.retain(|name, value| vars.get(name) == Some(value));
        known.names.retain(|name, _| known.vars.contains_key(name));
    }

    fn offers_of(&mut self, thread: u32) -> Vec<Offer> {
        if let Some(answer) = self.run.answer(thread) {
            return vec![Offer::Respond { thread, answer }];
        }
        let (steps, fault) = self.run.steps(thread);
        if let Some(fault) = fault {
            let what = match fault.kind {
                FaultKind::DivisionByZero => "division by zero",
                FaultKind::Overflow => "a value does not fit 64 bits",
                FaultKind::Assertion { invariant: None } => "an assertion does not hold",
                FaultKind::Assertion { invariant: Some(_) } => "an invariant is broken",
                FaultKind::TooLong => "a step that does not come to an end",
                FaultKind::Outside { .. } => "a value outside of its range",
            };
            self.fault = Some(format!("#{thread} {} on line {}: {what}", self.request(thread), self.line(fault.span)));
        }
        let mut offers: Vec<SourceStep> = Vec::new();
        for step in steps {
            if !offers.contains(&step) {
                offers.push(step);
            }
        }
        offers.into_iter().map(|step| Offer::Step { thread, step }).collect()
    }
}

impl Simulator for ProgramSimulator<'_> {
    fn actions(&mut self) -> Vec<Action> {
        self.fault = None;
        // A request that stands for others by parameters without values is none that can come.
        let bodies = (0..).zip(&self.run.source().program().requests).filter(|(_, request)| request.params.is_empty());
        let mut offers: Vec<Offer> = bodies.map(|(body, _)| Offer::Spawn { body }).collect();
        let threads: Vec<u32> = self.run.threads().collect();
        for thread in threads {
            offers.extend(self.offers_of(thread));
        }
        self.offered = offers;
        self.offered.iter().map(|offer| self.describe(offer)).collect()
    }

    fn perform(&mut self, position: usize) -> String {
        if position >= self.offered.len() {
            return String::new();
        }
        let offer = self.offered.swap_remove(position);
        let Action { text, event, .. } = self.describe(&offer);
        // The offers are what the run itself has just listed.
        let done = match &offer {
            Offer::Spawn { body } => {
                self.run.spawn(self.next_number, *body);
                self.performance.bodies.insert(self.next_number, *body);
                self.next_number += 1;
                Ok(())
            }
            Offer::Step { thread, step } => {
                let (accesses, answer) = (step.accesses.clone(), step.answer());
                self.performance.steps.push(PerformedStep { id: *thread, event: self.events.len(), accesses, answer });
                self.run.take(*thread, step)
            }
            Offer::Respond { thread, answer } => {
                self.answers.push((self.request(*thread).to_owned(), self.answer(*thread, *answer)));
                self.run.respond(*thread)
            }
        };
        self.events.extend(event);
        self.performed += 1;
        let mover = match &offer {
            Offer::Spawn { .. } => self.next_number - 1,
            Offer::Step { thread, .. } | Offer::Respond { thread, .. } => *thread,
        };
        self.note_states(mover);
        match done {
            Ok(()) => text,
            Err(mismatch) => mismatch.to_string(),
        }
    }

    fn globals(&self) -> String {
        let program = self.run.source().program();
        let told = self.run.globals().iter().zip(0..).filter_map(|(&value, index)| match version_of(program, GlobalVar(index)) {
            Some(version) => (version.first == GlobalVar(index)).then(|| holders(version, self.run.globals())),
            None => {
                let (name, value) = self.told(GlobalVar(index), value);
                Some(format!("{name} = {value}"))
            }
        });
        told.collect::<Vec<_>>().join(", ")
    }

    fn waiting(&self) -> Vec<String> {
        let describe = |thread: u32| {
            let place = self.run.place(thread).map_or(0, |span| self.line(span));
            format!("#{thread} {} on line {place}", self.request(thread))
        };
        self.run.threads().map(describe).collect()
    }

    fn answers(&self) -> &[(String, String)] {
        &self.answers
    }

    fn events(&self) -> &[TraceEvent] {
        &self.events
    }

    fn states(&self) -> States {
        self.states.clone()
    }

    fn events_so_far(&self) -> usize {
        self.performed
    }

    fn fault(&self) -> Option<String> {
        self.fault.clone()
    }
}
