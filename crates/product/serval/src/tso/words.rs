//! Runs, cycles and faults in the words of the program.

use serval_budget::Budget;
use serval_diagnostic::{Diagnostic, Span};
use serval_report::tso::{TsoEdge, TsoEvent, TsoRun, TsoViolation};
use serval_tso_engine::{FaultKind, RangeFault};
use serval_tso_program::{Syntax, VALUE_LEAVES_RANGE};
use serval_tso_proof::told::{RunEvent, What, told};
use serval_tso_proof::trace::explained;
use serval_tso_proof::{HappensBefore, Model, Violation};

use super::TsoInput;

/// How many events of the run to a fault are shown.
const LONGEST: usize = 12;

/// A statement as it is written, on one line.
pub(super) fn source(input: &TsoInput, span: Span) -> String {
    input.text.get(span.range()).unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The run as a table, and for each event of it the number of its line, if it has one.
pub(super) fn run(input: &TsoInput, model: Model, events: &[i64]) -> Option<(TsoRun, Vec<Option<usize>>)> {
    let program = &input.program;
    let told = told(program, model, events, &mut Budget::unlimited()).ok()?;
    let (mut rows, mut shown) = (Vec::new(), Vec::new());
    for event in &told {
        let row = shown_event(input, event);
        rows.push(row.is_some().then_some(shown.len() + 1));
        shown.extend(row);
    }
    let threads = program.threads.iter().map(|thread| thread.name.clone()).collect();
    let cells = program.cells.iter().map(|(name, _)| name.clone()).collect();
    Some((TsoRun { threads, cells, events: shown }, rows))
}

fn shown_event(input: &TsoInput, event: &RunEvent) -> Option<TsoEvent> {
    let program = &input.program;
    let (text, line, value) = match &event.what {
        What::Step { is_access: false, .. } => return None,
        What::Step { point, value, .. } => {
            let span = program.threads[event.thread].spans[point.index()];
            (source(input, span), Some(input.at(span.start).0), *value)
        }
        What::Land(cell, _) => (format!("{} reaches memory", program.cells[cell.index()].0), None, None),
    };
    let named = |buffer: &Vec<(serval_tso_program::CellId, i64)>| {
        buffer.iter().map(|(cell, value)| (program.cells[cell.index()].0.clone(), *value)).collect()
    };
    let buffers = event.buffers.iter().map(named).collect();
    Some(TsoEvent { thread: event.thread, text, line, value, memory: event.memory.clone(), buffers })
}

/// A violation as a table and the reasons of its cycle.
pub(super) fn violation(input: &TsoInput, violation: &Violation) -> Option<TsoViolation> {
    let edges = explained(&input.program, violation, &mut Budget::unlimited()).ok()?;
    let (run, rows) = run(input, Model::Tso, &violation.run)?;
    let events = told(&input.program, Model::Tso, &violation.run, &mut Budget::unlimited()).ok()?;
    let row = |at: usize| rows.get(at).copied().flatten().unwrap_or(0);
    let mut cycle = Vec::new();
    for (number, edge) in edges.iter().enumerate() {
        let (first, second) = (violation.cycle[number], violation.cycle[(number + 1) % violation.cycle.len()]);
        let (from, to) = (row(first), row(second));
        let cell = |cell: &serval_tso_program::CellId| &input.program.cells[cell.index()].0;
        let thread = &input.program.threads[run.events.get(from.saturating_sub(1))?.thread].name;
        let lands =
            landing(&events, second).map(row).filter(|lands| *lands != 0).map_or(String::new(), |lands| format!(" (in memory at {lands})"));
        let why = match edge {
            HappensBefore::Program => format!("{from} is before {to} in {thread}"),
            HappensBefore::Coherence(written) => format!("{from} wrote {} before {to}{lands}", cell(written)),
            HappensBefore::ReadsFrom(read) => format!("{to} read {} from {from}", cell(read)),
            HappensBefore::Conflict(read) => format!("{from} read {} before {to} wrote it{lands}", cell(read)),
        };
        cycle.push(TsoEdge { from, to, why });
    }
    Some(TsoViolation { run, cycle })
}

/// Where the store of an event reaches memory, if it waits at all.
fn landing(events: &[RunEvent], at: usize) -> Option<usize> {
    let event = events.get(at)?;
    let waiting = |event: &RunEvent, thread: usize| event.buffers.get(thread).map_or(0, Vec::len);
    let before = at.checked_sub(1).and_then(|before| events.get(before)).map_or(0, |before| waiting(before, event.thread));
    let now = waiting(event, event.thread);
    // It is the newest of those that wait, so as many of its thread land as wait now.
    let lands = |(_, later): &(usize, &RunEvent)| later.thread == event.thread && matches!(later.what, What::Land(..));
    (now > before).then(|| events.iter().enumerate().skip(at + 1).filter(lands).nth(now - 1))?.map(|(place, _)| place)
}

/// A value that leaves its range, as a mistake in the program.
pub(super) fn fault(input: &TsoInput, fault: &RangeFault) -> Diagnostic {
    let values = &input.program.values;
    let range = format!("{}..{}", values.low, values.high);
    let message = match &fault.kind {
        FaultKind::Register(name, value) => format!("`{name}` becomes {value}, which is not in {range}"),
        FaultKind::Cell(name, value) => format!("memory `{name}` becomes {value}, which is not in {range}"),
        FaultKind::Index(index) => format!("there is no cell {index} of this array"),
        FaultKind::Undefined => "a number does not fit 64 bits, or is divided by 0".to_owned(),
    };
    let help = match (&fault.kind, values.declared) {
        (FaultKind::Index(_), _) => "test the index before it is used, or give the array more cells",
        (FaultKind::Undefined, _) => "keep numbers small, and test a divisor before `%`",
        _ if input.syntax == Syntax::Litmus => "write the test as a program with `serval export --to tso`, and enlarge its `values`",
        (_, true) => "enlarge `values`, or let counting go on at the other end: `values 0..3 wrap;`",
        (_, false) => "say which values there are: `values 0..3;`, or `values 0..3 wrap;` to count on at the other end",
    };
    let span = input.program.threads[fault.thread].spans[fault.point];
    let expected = match &fault.kind {
        FaultKind::Index(_) => "the number of a cell, counted from 0".to_owned(),
        FaultKind::Undefined => "a number of 64 bits".to_owned(),
        _ => format!("a value in {range}"),
    };
    let mut diagnostic = Diagnostic::error(VALUE_LEAVES_RANGE, span, message).expected(expected).help(help);
    if let Some((run, _)) = run(input, Model::Tso, &fault.run) {
        let skipped = run.events.len().saturating_sub(LONGEST);
        if skipped > 0 {
            diagnostic = diagnostic.with_note(format!("{skipped} accesses before these:"));
        }
        for event in run.events.iter().skip(skipped) {
            let value = event.value.map_or(String::new(), |value| format!("  → {value}"));
            diagnostic = diagnostic.with_note(format!("{}: {}{value}", run.threads[event.thread], event.text));
        }
    }
    diagnostic
}
