//! Why a program has no network system, in words and with a run.

use std::collections::BTreeMap;

use indexmap::IndexSet;
use serval_budget::Stopped;
use serval_diagnostic::counted;
use serval_diagnostic::{CodeInfo, Diagnostic, LineIndex, Span};
use serval_syntax::{Expr, ExprKind, IndexPlace, Limit, LocalVar, Program, Variable};

use crate::explore::{Failure, Grower, Trail};
use crate::fault_run::FaultRun;
use crate::machine::{Fault, FaultKind};
use crate::space::Space;
use crate::split::SplitPart;

serval_diagnostic::codes! {
    pub(crate) const;
    TOO_LARGE = "E0301", Error, "too many states";
    DIVISION_BY_ZERO = "E0302", Error, "division by zero";
    OVERFLOW = "E0303", Error, "a value outside the 64-bit range";
    STEP_TOO_LONG = "E0304", Error, "a step that does not end";
    MAY_FAIL = "E0305", Error, "a step that may fail";
    UNHELD = "W0306", Warning, "a lock released without being held";
    UNREACHED = "N0307", Note, "a range of which a part is never used";
    OUTSIDE = "E0308", Error, "a value outside of a range";
    SILENT = "W0309", Warning, "a request that can never answer";
    NO_GLOBAL = "N0310", Note, "a program without any global variable";
    ONE_STEP = "N0311", Note, "a program in which no request ever pauses";
    ASSERTION = "E0320", Error, "an assertion that does not hold";
    NEVER_BEGUN = "N0312", Note, "a branch that no run comes to";
}

/// The codes of this crate.
pub fn codes() -> &'static [CodeInfo] {
    ALL
}

/// Why compiling gave no system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompileError {
    /// A step that really occurs divides by zero, overflows or does not end.
    Fault(Box<FaultReport>),
    /// There are more states than the limit allows.
    TooLarge(GrowthReport),
    /// The budget ended first.
    Stopped(Stopped),
}

/// A step without a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultReport {
    /// What and where.
    pub fault: Fault,
    /// The variable or the array whose limits are left.
    pub limited: Option<String>,
    /// Whether some run really comes there. If not, the step may be impossible,
    /// but that could not be shown within the limits.
    pub certain: bool,
    /// No run with this number of requests at a time comes there, as far as that is known; 0 where nothing is.
    pub excluded: usize,
    /// A run before the failing step; `None` where none was found.
    pub run: Option<Vec<ReportedStep>>,
    /// The request that fails, as number and name, if a run is given.
    pub request: Option<(usize, String)>,
    /// The same run in the names of states, and what it takes.
    pub named: Option<FaultRun>,
}

impl FaultReport {
    /// A fault that some run leads to, of which nothing else is known.
    pub fn of(fault: Fault) -> Self {
        Self { fault, limited: None, certain: true, excluded: 0, run: None, request: None, named: None }
    }
}

/// Too many states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrowthReport {
    /// The variable that grows most and where it first appears.
    pub variable: Option<(String, Span)>,
    /// Whether it was shown to grow without bound.
    pub proved: bool,
    /// The limit that was exceeded, in pairs of local and global states.
    pub limit: u64,
    /// A run on which the variable grows.
    pub run: Vec<ReportedStep>,
    /// Where the program's first request stands, for want of a variable.
    pub at: Span,
}

/// One step of a run in an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportedStep {
    /// The request, numbered from 1.
    pub number: usize,
    /// Its name.
    pub request: String,
    /// The text that it runs.
    pub span: Span,
    /// The variables that change, with their new values.
    pub changes: Vec<(String, i64)>,
    /// The answer, where the step is the last.
    pub answer: Option<i64>,
}

/// Turns what exploration found into a report with names.
pub(crate) fn describe(program: &Program, space: &Space, part: &SplitPart, failure: Failure, limit: u64) -> CompileError {
    let report = Reporter { program, space, part };
    match failure {
        Failure::Stopped(stopped) => CompileError::Stopped(stopped),
        Failure::FaultWithoutRun { fault, certain, excluded } => {
            CompileError::Fault(Box::new(FaultReport { limited: report.limited(fault), certain, excluded, ..FaultReport::of(fault) }))
        }
        Failure::Fault { fault, trail, last } => {
            let request = last.map(|(local, _)| report.who(&trail, local));
            let run = Some(report.run(&trail));
            CompileError::Fault(Box::new(FaultReport { limited: report.limited(fault), run, request, ..FaultReport::of(fault) }))
        }
        Failure::TooLarge { grower, trail, proved } => CompileError::TooLarge(GrowthReport {
            variable: grower.map(|grower| report.variable(grower)),
            proved,
            limit,
            run: report.run(&trail),
            at: program.requests[part.bodies[0]].name_span,
        }),
    }
}

/// Gives what happens in a part its names.
pub(crate) struct Reporter<'a> {
    pub(crate) program: &'a Program,
    pub(crate) space: &'a Space,
    pub(crate) part: &'a SplitPart,
}

impl Reporter<'_> {
    /// The variable or array whose limits a fault leaves.
    fn limited(&self, fault: Fault) -> Option<String> {
        let FaultKind::Outside { limit, .. } = fault.kind else { return None };
        let (Limit::Range(variable) | Limit::Index(variable, _)) = limit else { return None };
        let name = match variable {
            Variable::Global(global) => self.program.globals[global.index()].name.as_str(),
            Variable::Local(local) => self.limited_local(fault, limit, local)?,
        };
        Some(match limit {
            Limit::Range(_) | Limit::Assertion | Limit::Invariant(_) => name.to_owned(),
            Limit::Index(..) => name.split('[').next().unwrap_or_default().to_owned(),
        })
    }

    /// The local of this number in a request that has this limit at the place of the fault, without the call that it
    /// is in.
    fn limited_local(&self, fault: Fault, limit: Limit, local: LocalVar) -> Option<&str> {
        let has_limit = |body: &Expr| {
            let mut found = false;
            body.visit(&mut |part| {
                found |= part.span == fault.span && matches!(&part.kind, ExprKind::Within { limit: known, .. } if *known == limit);
            });
            found
        };
        let requests = self.part.bodies.iter().map(|&body| &self.program.requests[body]);
        let name = requests.filter(|request| has_limit(&request.body)).find_map(|request| request.locals.get(local.index()));
        name.map(|local| local.name.rsplit('.').next().unwrap_or(&local.name))
    }

    /// Number and name of the request that is in `local` after a run.
    pub(crate) fn who(&self, trail: &Trail, local: serval_model::LocalId) -> (usize, String) {
        // Where each request is in the end.
        let ends: BTreeMap<usize, serval_model::LocalId> =
            trail.iter().map(|step| (step.thread, self.space.moves[step.step].local)).collect();
        let waits = ends.iter().find(|(_, at)| **at == local);
        (waits.map_or(ends.len(), |(&thread, _)| thread) + 1, self.request_of(local))
    }

    fn request_of(&self, local: serval_model::LocalId) -> String {
        // The text decides; where it does not, whose start has the same owner.
        let place = self.space.local_span(local);
        let mut by_text = self
            .part
            .bodies
            .iter()
            .map(|&body| &self.program.requests[body])
            .filter(|request| request.name_span.start <= place.start && place.end <= request.body.span.end.max(request.name_span.end));
        // One text with parameters stands for several requests.
        if let (Some(request), None) = (by_text.next(), by_text.next()) {
            return request.name.clone();
        }
        let owner = self.space.local(local).owner;
        let start = self.space.starts().find(|(_, start)| self.space.local(*start).owner == owner);
        let names: IndexSet<&str> = self.part.bodies.iter().map(|&body| self.program.requests[body].name.as_str()).collect();
        start.and_then(|(request, _)| names.get_index(request.index())).map_or_else(String::new, |name| (*name).to_owned())
    }

    fn variable(&self, grower: Grower) -> (String, Span) {
        match grower {
            Grower::Global(slot) => {
                let variable = self.part.globals[slot];
                let global = &self.program.globals[variable.index()];
                let bodies = self.part.bodies.iter().map(|&body| &self.program.requests[body].body);
                let growing = bodies.filter_map(|body| growing_assignment(body, Variable::Global(variable))).next();
                (global.name.clone(), growing.unwrap_or(global.span))
            }
            Grower::Local(reg) => {
                let named = self.space.machine.graph.named_regs.get(reg.index());
                let mut bodies = self.part.bodies.iter().map(|&body| &self.program.requests[body]);
                let local = named.and_then(|name| {
                    bodies.find_map(|request| {
                        let position = request.locals.iter().position(|local| local.name == *name)?;
                        let variable = Variable::Local(LocalVar(u32::try_from(position).ok()?));
                        let growing = growing_assignment(&request.body, variable);
                        Some((name.clone(), growing.unwrap_or(request.locals[position].span)))
                    })
                });
                match local {
                    Some(local) => local,
                    None => ("a value being computed".to_owned(), self.program.requests[self.part.bodies[0]].body.span),
                }
            }
        }
    }

    pub(crate) fn run(&self, trail: &Trail) -> Vec<ReportedStep> {
        let space = self.space;
        let mut names: Vec<Option<String>> = Vec::new();
        let mut steps = Vec::new();
        for step in trail {
            let to = space.moves[step.step];
            if names.len() <= step.thread {
                names.resize(step.thread + 1, None);
            }
            let request = names[step.thread].get_or_insert_with(|| self.request_of(step.from)).clone();
            let mut changes: Vec<(String, i64)> = Vec::new();
            let (before, after) = (space.global(step.from_global), space.global(to.global));
            for (slot, (old, new)) in before.iter().zip(after).enumerate() {
                if old != new {
                    changes.push((self.program.globals[self.part.globals[slot].index()].name.clone(), *new));
                }
            }
            changes.extend(self.local_changes(step.from, to.local));
            steps.push(ReportedStep { number: step.thread + 1, request, span: to.span, changes, answer: space.answer(to.local) });
        }
        steps
    }

    fn local_changes(&self, from: serval_model::LocalId, to: serval_model::LocalId) -> Vec<(String, i64)> {
        let values = |local: serval_model::LocalId| -> Vec<(&String, i64)> {
            let waiting = &self.space.local(local).waiting;
            let Some(node) = waiting.node else { return Vec::new() };
            let names = &self.space.machine.graph.named_regs;
            let kept = self.space.machine.kept_at(node).iter().zip(&waiting.values);
            kept.filter_map(|(reg, &value)| Some((names.get(reg.index())?, value))).collect()
        };
        let before = values(from);
        let changed = values(to).into_iter().filter(|new| {
            let old = before.iter().find(|old| old.0 == new.0).map_or(0, |old| old.1);
            old != new.1
        });
        changed.map(|(name, value)| (name.clone(), value)).collect()
    }
}

/// Where `variable` is first assigned something other than a number: the
/// likely place at which it grows.
fn growing_assignment(e: &Expr, variable: Variable) -> Option<Span> {
    let mut found = None;
    e.visit(&mut |e| {
        if let ExprKind::Assign { target, target_span, value, .. } = &e.kind
            && *target == variable
            && !matches!(value.kind, ExprKind::Number(_) | ExprKind::Constant(_))
        {
            found.get_or_insert(*target_span);
        }
    });
    found
}

/// Steps of a run that an error prints at most.
const SHOWN_STEPS: usize = 12;

impl CompileError {
    /// Whether something is missing that a larger limit might bring: an answer, or the run to a step that fails.
    pub fn is_limit(&self) -> bool {
        match self {
            Self::Fault(report) => !report.certain || (report.run.is_none() && report.fault.kind != FaultKind::TooLong),
            Self::TooLarge(report) => !report.proved,
            Self::Stopped(_) => true,
        }
    }

    /// The error as people see it; `None` for [`CompileError::Stopped`], which
    /// is not about the program.
    pub fn diagnostic(&self, text: &str) -> Option<Diagnostic> {
        let lines = LineIndex::new(text);
        match self {
            Self::Stopped(_) => None,
            Self::Fault(report) => Some(fault_diagnostic(report, text, &lines)),
            Self::TooLarge(report) => Some(growth_diagnostic(report, text, &lines)),
        }
    }
}

fn fault_diagnostic(report: &FaultReport, text: &str, lines: &LineIndex) -> Diagnostic {
    let (outside, claimed);
    let (code, message, expected, help) = match report.fault.kind {
        FaultKind::Outside { value, low, high, limit } => {
            let name = report.limited.as_deref().unwrap_or_default();
            outside = match limit {
                Limit::Range(_) | Limit::Assertion | Limit::Invariant(_) => {
                    (format!("the value {value} leaves the range {low}..{high} of `{name}`"), format!("values from {low} to {high}"))
                }
                Limit::Index(_, IndexPlace::Only) => (format!("`{name}` has no element {value}"), format!("an index from {low} to {high}")),
                Limit::Index(_, place) => {
                    let words = place.words();
                    (format!("the {words} {value} of `{name}` lies outside of {low}..{high}"), format!("a {words} from {low} to {high}"))
                }
            };
            let help = match limit {
                Limit::Assertion | Limit::Invariant(_) => "",
                Limit::Range(_) => "make the range larger, test the value first, or say `wrap` or `saturate`",
                Limit::Index(..) => "test the index first, or make the array larger",
            };
            (OUTSIDE, outside.0.as_str(), outside.1.as_str(), help)
        }
        FaultKind::Assertion { invariant } => {
            claimed = match invariant {
                Some(place) => format!("the invariant on line {} does not hold here", lines.position(text, place.start).line),
                None => "this assertion does not hold".to_owned(),
            };
            (
                ASSERTION,
                claimed.as_str(),
                "a condition that holds whenever a run comes here",
                "see what changes its variables before this place",
            )
        }
        FaultKind::DivisionByZero => (
            DIVISION_BY_ZERO,
            "division by zero",
            "a divisor that is never 0",
            "test the divisor first, as in `if (d == 0) { 0 } else { x / d }`",
        ),
        FaultKind::Overflow => (
            OVERFLOW,
            "this value does not fit 64 bits",
            "values from -9223372036854775808 to 9223372036854775807",
            "bound the value, for example with `%` or by waiting while it is large",
        ),
        FaultKind::TooLong => (
            STEP_TOO_LONG,
            "this step does not come to an end",
            "a loop that ends or yields after fewer than ten million operations",
            "put a `yield` into the loop, or bound what it counts",
        ),
    };
    if !report.certain {
        let message = format!("{message}, perhaps: no run that leads here was found, and none was excluded");
        let mut diagnostic =
            Diagnostic::error(MAY_FAIL, report.fault.span, message).label("in this operation").expected(expected).help(help);
        diagnostic.notes.extend(excluded_note(report.excluded));
        return diagnostic;
    }
    let label = match report.fault.kind {
        FaultKind::TooLong => "in this loop",
        FaultKind::Assertion { .. } => "here",
        _ => "in this operation",
    };
    let mut diagnostic = Diagnostic::error(code, report.fault.span, message).label(label).expected(expected).help(help);
    diagnostic.notes = match &report.run {
        Some(run) => run_notes("this run leads there", run, text, lines),
        None => {
            let known = "some run leads there, as all states together show; none was found that could be shown".to_owned();
            [known].into_iter().chain(excluded_note(report.excluded)).collect()
        }
    };
    if let Some((number, name)) = &report.request {
        diagnostic.notes.push(match &report.run {
            Some(run) if run.is_empty() => format!("the first request, #{number} {name}, fails here"),
            _ => format!("then request #{number} {name} fails here"),
        });
    }
    if let Some(named) = report.named.as_ref().filter(|_| report.fault.kind != FaultKind::TooLong) {
        diagnostic.notes.push(named.needs.words().to_owned());
        diagnostic.notes.extend(named.size_note());
    }
    diagnostic
}

/// What is known of runs that were all looked at.
fn excluded_note(excluded: usize) -> Option<String> {
    match excluded {
        0 => None,
        1 => Some("no run with one request at a time leads there".to_owned()),
        more => Some(format!("no run with at most {} at a time leads there", counted(more, "request"))),
    }
}

fn growth_diagnostic(report: &GrowthReport, text: &str, lines: &LineIndex) -> Diagnostic {
    let (name, span) = match &report.variable {
        Some((name, span)) => (format!("`{name}`"), *span),
        None => ("the state".to_owned(), report.at),
    };
    let message = if report.proved {
        format!("the program has infinitely many states: {name} grows without bound")
    } else {
        format!("the program has more than {} states: {name} grows most", report.limit)
    };
    let plain = name.trim_matches('`');
    let help = if report.proved {
        format!("bound {name}, for example with `%` or with `while ({plain} == 3) {{ yield }}` before it grows")
    } else {
        format!("let {name} take fewer values, for example with a smaller `%`, or give it more room: `serval explain E0301` says how")
    };
    let mut diagnostic = Diagnostic::error(TOO_LARGE, span, message)
        .label("grows here")
        .expected("variables that take finitely many values, whatever the number of requests")
        .help(help);
    diagnostic.notes = run_notes("a run on which it grows", &report.run, text, lines);
    if report.proved {
        diagnostic.notes.push("the end of this run can be repeated for ever".to_owned());
    }
    diagnostic
}

pub(crate) fn run_notes(what: &str, run: &[ReportedStep], text: &str, lines: &LineIndex) -> Vec<String> {
    if run.is_empty() {
        return Vec::new();
    }
    let mut notes = vec![format!("{what} ({}):", counted(run.len(), "step"))];
    for (position, step) in run.iter().enumerate() {
        let hidden = run.len().saturating_sub(SHOWN_STEPS);
        if hidden > 0 && (SHOWN_STEPS / 2..SHOWN_STEPS / 2 + hidden).contains(&position) {
            if position == SHOWN_STEPS / 2 {
                notes.push(format!("… {} …", counted(hidden, "more step")));
            }
            continue;
        }
        let (first, last) = (lines.position(text, step.span.start).line, lines.position(text, step.span.end).line);
        let place = if first == last { format!("line {first}") } else { format!("lines {first}–{last}") };
        let mut line = format!("#{} {} runs {place}", step.number, step.request);
        for (position, (name, value)) in step.changes.iter().enumerate() {
            line.push_str(if position == 0 { ": " } else { ", " });
            line.push_str(&format!("{name} = {value}"));
        }
        if let Some(answer) = step.answer {
            line.push_str(&format!(", returns {answer}"));
        }
        notes.push(line);
    }
    notes
}
