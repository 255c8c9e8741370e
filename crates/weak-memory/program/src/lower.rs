//! Tree to program: what names mean, and an automaton for each thread.

mod code;
mod names;
mod questions;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use serval_diagnostic::{Diagnostic, Span};

use crate::codes;
use crate::limits::{MAX_CELLS, MAX_THREADS};
use crate::program::{CellId, Program, Question, Thread, Values};
use crate::tree::{File, Name, QuestionItem};
use names::Cells;

/// How far values may go where a program does not say: as far as its numbers, and so much further.
const SLACK: i64 = 64;

/// What the parts of this room share.
pub(crate) struct Context<'f> {
    cells: Cells,
    /// The greatest number, whatever its sign.
    largest: i64,
    diagnostics: &'f mut Vec<Diagnostic>,
}

impl Context<'_> {
    fn error(&mut self, code: serval_diagnostic::Code, span: Span, message: String, expected: &str, help: String) {
        self.diagnostics.push(Diagnostic::error(code, span, message).expected(expected).help(help));
    }

    fn taken(&mut self, name: &Name, first: Span, what: &str) {
        let taken = Diagnostic::error(codes::TAKEN_NAME, name.span, format!("there is {what} `{}` already", name.text));
        self.diagnostics.push(taken.also(first, "it is here").expected("a name of its own").help("take another name"));
    }
}

/// The program, if the tree makes one; what is wrong is reported in any case.
pub(crate) fn lower(file: &File, diagnostics: &mut Vec<Diagnostic>) -> Option<Program> {
    let mut context = Context { cells: Cells::default(), largest: 0, diagnostics };
    context.declare_cells(file);
    context.declare_threads(file);
    let threads: Vec<Thread> = file.threads.iter().map(|thread| code::thread(&mut context, thread)).collect();
    let mut asked: Vec<Question> = file.questions.iter().filter_map(|item| questions::question(&mut context, &threads, item)).collect();
    asked.extend(threads.iter().zip(0..).flat_map(|(thread, number)| questions::assertions(thread, number)));
    let values = context.values(file);
    let Context { cells, .. } = context;
    Some(Program { cells: cells.list, values: values?, threads, questions: asked })
}

/// A question about a program that has been read.
pub(crate) fn ask(program: &Program, item: &QuestionItem, diagnostics: &mut Vec<Diagnostic>) -> Option<Question> {
    let mut context = Context { cells: Cells::of(&program.cells), largest: 0, diagnostics };
    questions::question(&mut context, &program.threads, item)
}

impl Context<'_> {
    fn declare_cells(&mut self, file: &File) {
        for cell in &file.cells {
            if let Some(first) = self.cells.find(&cell.name.text).map(|array| array.span) {
                self.taken(&cell.name, first, "a cell");
                continue;
            }
            let length = cell.length.map_or(1, |(length, _)| length);
            let most = i64::try_from(MAX_CELLS.saturating_sub(self.cells.list.len())).unwrap_or(0);
            if length > most || length < 1 {
                let span = cell.length.map_or(cell.name.span, |(_, span)| span);
                let message = format!("an array of {length} cells; there are from 1 to {MAX_CELLS} cells in all");
                self.error(codes::TOO_MUCH, span, message, "fewer cells", "declare fewer cells".to_owned());
                // The name is known all the same, so that nothing more is said about it.
            }
            self.largest = self.largest.max(cell.initial.0.abs());
            self.cells.declare(&cell.name, cell.length.map(|_| length.clamp(1, most.max(1))), cell.initial.0);
        }
    }

    fn declare_threads(&mut self, file: &File) {
        let mut first: BTreeMap<&str, Span> = BTreeMap::new();
        for thread in &file.threads {
            match first.entry(&thread.name.text) {
                Entry::Occupied(first) => self.taken(&thread.name, *first.get(), "a thread"),
                Entry::Vacant(place) => _ = place.insert(thread.name.span),
            }
        }
        if let Some(thread) = file.threads.get(MAX_THREADS) {
            let message = format!("{} threads; a program has at most {MAX_THREADS}", file.threads.len());
            self.error(codes::TOO_MUCH, thread.name.span, message, "fewer threads", "write `thread*` for many copies of one".to_owned());
        }
        if file.threads.is_empty() && self.diagnostics.is_empty() {
            let message = "there is no thread".to_owned();
            self.error(codes::UNEXPECTED, file.end, message, "`thread T { … }`", "add a thread".to_owned());
        }
    }

    /// Which values there are.
    fn values(&mut self, file: &File) -> Option<Values> {
        let Some(item) = file.values.first() else {
            let reach = self.largest.saturating_add(SLACK);
            return Some(Values { low: reach.saturating_neg(), high: reach, wrap: false, declared: false });
        };
        if let Some(second) = file.values.get(1) {
            let message = "the values are declared twice".to_owned();
            self.error(codes::BAD_VALUES, second.span, message, "one `values` in a file", "remove one of them".to_owned());
        }
        let values = Values { low: item.low, high: item.high, wrap: item.wrap, declared: true };
        if !(values.low..=values.high).contains(&0) {
            let message = format!("the values {}..{} do not contain 0, with which registers begin", item.low, item.high);
            self.error(codes::BAD_VALUES, item.span, message, "a range with 0", "declare `values 0..3;`, say".to_owned());
        }
        for cell in &file.cells {
            if !(values.low..=values.high).contains(&cell.initial.0) {
                let message = format!("`{}` begins with {}, which is not in {}..{}", cell.name.text, cell.initial.0, item.low, item.high);
                self.error(codes::BAD_VALUES, cell.initial.1, message, "a value of the range", "enlarge the range".to_owned());
            }
        }
        Some(values)
    }
}

/// The cell of an array by number.
pub(crate) fn nth(first: CellId, index: i64) -> CellId {
    CellId(first.0.saturating_add(u32::try_from(index).unwrap_or(u32::MAX)))
}
