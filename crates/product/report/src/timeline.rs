//! A counterexample as a table: a column for each request, a row for each step.
//!
//! `➜` is a read, `=` a write, `*` a global that changed. Only what changed is
//! shown, but no read or write of a global is left out. A step that does none
//! of these, such as the one between a last `yield` and the answer, is no row
//! of its own: it goes with what its request does next.

mod order;
mod table;

use std::collections::{BTreeMap, BTreeSet};

use crate::counterexample::{Counterexample, ExcerptLine, StateValues};
use crate::escape::line;
use crate::screen::{Ink, Look};
use crate::trace::TraceEvent;
use crate::why::Why;
pub(crate) use table::table;

/// Accesses of one step that are shown at most: a loop can have thousands.
const MOST_ACCESSES: usize = 12;

/// A part of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LinePiece {
    /// A name, which may be shortened.
    Name(String),
    /// Something else.
    Text(String),
}

/// A line of a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Phrase {
    pub(crate) ink: Ink,
    pub(crate) pieces: Vec<LinePiece>,
}

impl Phrase {
    fn new(ink: Ink, pieces: impl IntoIterator<Item = LinePiece>) -> Self {
        Self { ink, pieces: pieces.into_iter().collect() }
    }

    /// The whole of it.
    pub(crate) fn text(&self) -> String {
        self.pieces
            .iter()
            .map(|piece| match piece {
                LinePiece::Name(text) | LinePiece::Text(text) => text.as_str(),
            })
            .collect()
    }
}

fn piece(text: impl Into<String>) -> LinePiece {
    LinePiece::Text(text.into())
}

fn name(text: &str) -> LinePiece {
    LinePiece::Name(text.to_owned())
}

/// What happens in a run, as people see it.
pub(crate) struct Moment {
    /// Whose.
    pub(crate) id: u32,
    /// Where in the run.
    pub(crate) position: usize,
    /// Its number; none for an answer that goes with the step before it.
    pub(crate) number: Option<usize>,
    /// Whether it is an answer.
    pub(crate) answers: bool,
    /// What it does.
    pub(crate) lines: Vec<Phrase>,
    /// What changes; in the first moment, all globals that the run touches.
    pub(crate) globals: Vec<Phrase>,
}

/// The moments of a run. A step that touches nothing shared belongs to what its
/// request does next: no other request can tell when it was made.
pub(crate) fn moments(run: &Counterexample, look: Look) -> Vec<Moment> {
    let mut moments: Vec<Moment> = Vec::new();
    let mut number = 0;
    // Where the order in time matters, it is said when a request comes.
    let mut to_come: BTreeSet<u32> = if run.in_time.is_some() { run.requests.iter().map(|one| one.id).collect() } else { BTreeSet::new() };
    let mut empty: BTreeMap<u32, bool> = BTreeMap::new();
    for (position, event) in run.steps.iter().enumerate() {
        match event {
            TraceEvent::Spawn { .. } => {}
            TraceEvent::Respond { id, response, .. } => {
                // It needs a number where it does not stand right below its step.
                let apart = empty.remove(id).is_some() && moments.last().is_none_or(|last| last.id != *id);
                number += usize::from(apart);
                let lines = vec![Phrase::new(Ink::Title, [piece("returns "), name(response)])];
                moments.push(Moment { id: *id, position, number: apart.then_some(number), answers: true, lines, globals: Vec::new() });
            }
            TraceEvent::Step { id, from, to, accesses, .. } => {
                let comes = to_come.remove(id);
                let mut lines = match accesses {
                    Some(_) => phrases_of(event, look),
                    None => vec![Phrase::new(Ink::Plain, [name(&from.local), piece(format!(" {} ", look.arrow())), name(&to.local)])],
                };
                if comes {
                    lines.insert(0, Phrase::new(Ink::Title, [piece("comes")]));
                }
                // A statement that only takes a lock shows no row, and is a step all the same.
                if lines.is_empty() {
                    lines.extend(run.issued(position).map(|statement| Phrase::new(Ink::Plain, [name(&statement.place())])));
                }
                let globals = changed(run, &from.global, &to.global, moments.is_empty(), look);
                if lines.is_empty() && (globals.is_empty() || moments.is_empty()) {
                    empty.insert(*id, true);
                    continue;
                }
                empty.remove(id);
                number += 1;
                moments.push(Moment { id: *id, position, number: Some(number), answers: false, lines, globals });
            }
        }
    }
    moments
}

/// What a step reads and writes, a line each.
pub(crate) fn accesses_of(event: &TraceEvent, look: Look) -> Vec<String> {
    phrases_of(event, look).iter().map(Phrase::text).collect()
}

fn phrases_of(event: &TraceEvent, look: Look) -> Vec<Phrase> {
    let TraceEvent::Step { accesses: Some(accesses), .. } = event else { return Vec::new() };
    let mut lines: Vec<Phrase> = Vec::new();
    for access in accesses {
        let (ink, sign) = if access.op == "write" { (Ink::Changed, "=") } else { (Ink::Read, look.reads()) };
        let line = Phrase::new(ink, [name(&access.var), piece(format!(" {sign} {}", access.shown_value()))]);
        // A loop can read the same value a thousand times.
        if lines.last() != Some(&line) {
            lines.push(line);
        }
    }
    if lines.len() > MOST_ACCESSES {
        let more = lines.len() - MOST_ACCESSES;
        lines.truncate(MOST_ACCESSES);
        lines.push(Phrase::new(Ink::Faint, [piece(format!("{more} more"))]));
    }
    lines
}

/// The globals that a step changes; in the beginning, all that the run touches.
fn changed(run: &Counterexample, before: &str, after: &str, all: bool, look: Look) -> Vec<Phrase> {
    let values = |name: &str| match run.states.states.get(name) {
        Some(StateValues::Global(values)) => Some(values),
        _ => None,
    };
    let (Some(old), Some(new)) = (values(before), values(after)) else {
        let goes = || Phrase::new(Ink::Plain, [name(before), piece(format!(" {} ", look.arrow())), name(after)]);
        return if before == after && !all { Vec::new() } else { vec![goes()] };
    };
    let mut lines = Vec::new();
    let touched = if all { touched(run) } else { None };
    let mut new: Vec<(&String, &i64)> = new.iter().collect();
    new.sort_by(|(left, _), (right, _)| order::by_index(left, right));
    for (variable, value) in new {
        let changed = old.get(variable) != Some(value);
        if changed || all && touched.as_ref().is_none_or(|touched| touched.contains(variable.as_str())) {
            let (ink, mark) = if changed { (Ink::Changed, " *") } else { (Ink::Plain, "") };
            let value = run.value(variable, *value);
            lines.push(Phrase::new(ink, [name(variable), piece(format!(" = {value}{mark}"))]));
        }
    }
    lines
}

/// The variables that a run reads or writes, where that is known.
fn touched(run: &Counterexample) -> Option<BTreeSet<&str>> {
    let mut names = BTreeSet::new();
    for event in &run.steps {
        if let TraceEvent::Step { accesses, .. } = event {
            names.extend(accesses.as_ref()?.iter().map(|access| access.var.as_str()));
        }
    }
    Some(names)
}

/// The lines of the text that matter: those of the conflicts, and the `yield`s
/// at which a request waited while another one of the cycle moved.
pub(crate) fn excerpt(text: &str, notes: &BTreeMap<u32, &'static str>) -> Vec<ExcerptLine> {
    let lines: Vec<&str> = text.lines().collect();
    // Comments make way for what is said here.
    let code = |text: &str| line(&text.split("//").next().unwrap_or_default().trim_end().replace('\t', "    ")).into_owned();
    let shown = notes.iter().filter_map(|(&line, &note)| {
        let text = lines.get((line as usize).checked_sub(1)?)?;
        Some(ExcerptLine { line, code: code(text), note })
    });
    shown.collect()
}

/// An excerpt as it is shown: what there is to say beside each line, or below
/// it where that does not fit. A line of the text is cut rather than broken.
pub(crate) fn excerpt_lines(excerpt: &[ExcerptLine], look: Look) -> Vec<String> {
    let length = |text: &str| text.chars().count();
    let digits = excerpt.last().map_or(1, |shown| shown.line.to_string().len());
    let noted = excerpt.iter().filter(|shown| !shown.note.is_empty());
    let column = noted.clone().map(|shown| length(&shown.code)).max().unwrap_or(0) + 3;
    let widest = noted.map(|shown| length(shown.note)).max().unwrap_or(0);
    // Two blanks stand before everything, and ` | ` behind the number.
    let room = look.width.saturating_sub(2 + digits + 3);
    let beside = column + widest <= room;
    let mut lines = Vec::new();
    for shown in excerpt {
        let mut code = shown.code.clone();
        if length(&code) > room {
            code = code.chars().take(room.saturating_sub(length(look.ellipsis()))).chain(look.ellipsis().chars()).collect();
        }
        let number = look.paint(&format!("{:digits$} |", shown.line), Ink::Faint);
        let note = look.paint(shown.note, Ink::Bad);
        if shown.note.is_empty() {
            lines.push(format!("{number} {code}"));
        } else if beside {
            lines.push(format!("{number} {code}{}{note}", " ".repeat(column - length(&code))));
        } else {
            let indent = code.len() - code.trim_start().len();
            let indent = indent.min(room.saturating_sub(length(shown.note)));
            lines.push(format!("{number} {code}"));
            lines.push(format!("{} {}{note}", look.paint(&format!("{:digits$} |", ""), Ink::Faint), " ".repeat(indent)));
        }
    }
    lines
}

/// What there is to say about a pause that matters.
pub(crate) const PAUSE: &str = "<- another request can run here";

/// The lines where one of some requests waited while another of them moved.
pub(crate) fn pauses(run: &Counterexample, counts: &dyn Fn(u32) -> bool) -> BTreeSet<u32> {
    let mut lines = BTreeSet::new();
    for (position, event) in run.steps.iter().enumerate() {
        let TraceEvent::Step { id, to, .. } = event else { continue };
        let moved = |later: &TraceEvent| matches!(later, TraceEvent::Step { id: other, .. } if other == id);
        let rest = &run.steps[position + 1..];
        let Some(next) = rest.iter().position(moved) else { continue };
        let interrupted = rest[..next].iter().any(|later| matches!(later, TraceEvent::Step { id: other, .. } if counts(*other)));
        if let Some(StateValues::Local(waits)) = run.states.states.get(&to.local).filter(|_| counts(*id) && interrupted) {
            lines.insert(waits.at[0]);
        }
    }
    lines
}

/// What there is to say about the lines that matter.
pub(crate) fn line_notes(run: &Counterexample, why: &Why) -> BTreeMap<u32, &'static str> {
    let nearest = run.explanation.nearest.as_ref();
    let in_cycle = |id: u32| why.edges.iter().any(|edge| edge.from == id) || nearest.is_some_and(|nearest| nearest.id == id);
    let mut notes: BTreeMap<u32, &'static str> = BTreeMap::new();
    for edge in &why.edges {
        let note = match (edge.first.writes, edge.second.writes) {
            (true, true) => "<- overwrites what another request wrote",
            (true, false) => "<- reads what another request wrote",
            (false, _) => "<- changes what another request has read",
        };
        let said = notes.entry(edge.second.span[0]).or_insert(note);
        if said.is_empty() {
            *said = note;
        }
        notes.entry(edge.first.span[0]).or_insert("");
    }
    notes.extend(pauses(run, &in_cycle).into_iter().map(|line| (line, PAUSE)));
    let reads = why.edges.iter().filter(|edge| edge.course.is_some() && !edge.first.writes).map(|edge| edge.first.span[0]);
    for line in reads.chain(nearest.map(|nearest| nearest.span[0])) {
        let said = notes.entry(line).or_insert("");
        if said.is_empty() {
            *said = "<- what is read here decides";
        }
    }
    notes
}
