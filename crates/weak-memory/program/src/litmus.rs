//! Litmus tests of x86 machines, which become programs of the language.
//!
//! ```text
//! X86 SB                              the machine, and a name
//! "PodWR Fre PodWR Fre"               names and other lines, which are left aside
//! { x=0; y=0; 0:EBX=1; }              what memory and registers begin with; else 0
//!  P0          | P1          ;        a column for each thread
//!  MOV [x],EBX | MOV [y],$1  ;
//!  MOV EAX,[y] | MOV EAX,[x] ;
//! exists (0:EAX=0 /\ 1:EAX=0)         a question about final states
//! ```
//!
//! Each instruction becomes statements with the same accesses to memory: loads, stores, a fence, or one locked step.
//! Numbers are those of the machine: modulo 2³² in registers and
//! memory of 32 bits, and of 64 bits with a sign. In plain tests, which only move and add small numbers, both are the
//! same, and memory may be accessed with both (`plan`). What is computed with bits becomes
//! a sum over them (`bits`). A jump tests what was compared last, which two registers of the program keep (`flags`).
//! What does not fit is reported as leaving its range, not computed otherwise than the machine would.
//!
//! Both orders of operands are read: `MOV [x],$1` changes the first, `movl $1,(x)` the last. An instruction shows its
//! order by its signs; where it has none the other instructions decide, and where they do not agree it is refused.
//!
//! ```
//! let text = "X86 SB\n{ x=0; y=0; }\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n MOV EAX,[y] | MOV EAX,[x] ;\nexists
//! (0:EAX=0 /\\ 1:EAX=0)\n";
//! let program = serval_tso_program::read_litmus(text).unwrap();
//! assert_eq!((program.threads[1].name.as_str(), program.threads[1].registers[0].as_str()), ("P1", "EAX"));
//! let wrong = serval_tso_program::read_litmus(&text.replace("X86", "AArch64")).unwrap_err();
//! assert_eq!(wrong[0].message, "tests of `AArch64` are not read");
//! ```

mod bits;
mod condition;
mod flags;
mod instructions;
mod jump;
mod operands;
mod piece;
mod plan;
mod sections;
mod trees;
mod write;

use std::collections::{BTreeMap, BTreeSet};

use serval_diagnostic::{Code, Diagnostic, Span};

use crate::codes;
use crate::grammar::WORDS;
use crate::limits::{MAX_CELLS, MAX_VALUE};
use crate::tree::{CellItem, File, Name, Stmt, StmtKind, Target, ThreadItem, ValuesItem};
use operands::{Register, Width};
use piece::TextPiece;
use plan::Cell;

/// That something was wrong, and has been reported.
pub(super) struct Wrong;
type Read<T> = Result<T, Wrong>;

/// How far values may go beyond the numbers of the test added up.
const SLACK: i64 = 64;

/// Registers of the program that are none of the machine.
const HIDDEN: &[&str] = &[trees::LEFT, trees::RIGHT, write::HELD, trees::SUM];

/// What a register begins with.
#[derive(Clone, Debug)]
enum Start {
    Number(i64),
    /// The address of memory of this name, and a number of bytes more.
    Address(String, i64),
}

/// A thread of a test.
#[derive(Debug)]
struct Column {
    number: u32,
    span: Span,
    starts: BTreeMap<Register, (Start, Span)>,
    body: Vec<Stmt>,
    assigned: BTreeSet<Register>,
    /// Registers with more than 32 bits.
    long: BTreeSet<Register>,
    /// Registers that are read or asked for, and where first.
    used: BTreeMap<Register, Span>,
}

impl Column {
    fn name(&self) -> String {
        format!("P{}", self.number)
    }

    fn address(&self, register: Register) -> Option<(&str, i64)> {
        match self.starts.get(&register) {
            Some((Start::Address(cell, offset), _)) => Some((cell, *offset)),
            _ => None,
        }
    }
}

/// What is known while a test is read.
struct LitmusReader<'d> {
    /// Whether it is of 64 bits.
    wide: bool,
    cells: Vec<Cell>,
    /// All numbers added up, beyond which no value can grow unless registers are added to each other.
    sum: i128,
    /// Whether values are computed modulo the width of each access.
    exact: bool,
    /// How far values can grow where they are not.
    reach: i128,
    diagnostics: &'d mut Vec<Diagnostic>,
}

impl LitmusReader<'_> {
    fn refuse(&mut self, code: Code, piece: TextPiece<'_>, message: String, expected: &str, help: &str) -> Wrong {
        self.refuse_at(code, piece.span(), message, expected, help)
    }

    fn refuse_at(&mut self, code: Code, span: Span, message: String, expected: &str, help: &str) -> Wrong {
        // What is quoted may go over several lines of the test.
        let message = message.lines().map(str::trim).collect::<Vec<_>>().join(" ");
        self.diagnostics.push(Diagnostic::error(code, span, message).expected(expected).help(help));
        Wrong
    }

    /// Memory of this name, by its place among the cells.
    fn cell(&mut self, written: &str, span: Span) -> usize {
        if let Some(known) = self.cells.iter().position(|cell| cell.written == written) {
            return known;
        }
        // There are too many already, which is said where they are declared.
        if self.cells.len() > MAX_CELLS {
            return MAX_CELLS;
        }
        let mut name = written.to_owned();
        while [WORDS, HIDDEN].concat().contains(&name.as_str()) || self.cells.iter().any(|cell| cell.name == name) {
            name.push('_');
        }
        self.cells.push(Cell {
            written: written.to_owned(),
            name,
            span,
            initial: vec![(0, span)],
            length: None,
            declared: None,
            accessed: [None; 2],
            is_indexed: false,
        });
        self.cells.len() - 1
    }

    /// A cell as the program names it: the cells of an array have names of their own where they begin with different
    /// values.
    fn element(&self, cell: usize, number: i64, span: Span) -> Target {
        let Cell { name, length, .. } = &self.cells[cell];
        let is_array = self.cells[cell].is_array();
        let text = if is_array || length.is_none() { name.clone() } else { format!("{name}_{number}") };
        Target { name: Name { text, span }, index: is_array.then(|| Box::new(trees::number(number, span))) }
    }

    /// What the program declares for memory of the test.
    fn items(&mut self, cell: &Cell) -> Vec<CellItem> {
        let mut initial = Vec::new();
        for &(number, span) in &cell.initial {
            // What is declared with 64 bits and accessed with 32 keeps the upper half with which it begins.
            let fits = cell.asked() == cell.width() || (0..1 << 32).contains(&number);
            match self.at_width(
                number,
                if fits { cell.width() } else { Width::Narrow },
                TextPiece { text: &number.to_string(), start: span.range().start },
            ) {
                Ok(number) if fits => initial.push((number, span)),
                Ok(_) => {
                    let message = format!("`{}` begins with a number of 64 bits, and is accessed with 32", cell.written);
                    self.refuse_at(codes::BAD_LITMUS, span, message, "a number of 32 bits", "access it with 64 bits");
                }
                Err(_) => {}
            }
        }
        let item = |name: String, length: Option<i64>, initial: (i64, Span)| CellItem {
            name: Name { text: name, span: cell.span },
            length: length.map(|length| (length, cell.span)),
            initial,
        };
        let first = initial.first().copied().unwrap_or((0, cell.span));
        let differ = initial.iter().any(|(number, _)| *number != first.0);
        if cell.is_array() && differ {
            let message = format!("a register chooses a cell of `{}`, whose cells begin with different values", cell.written);
            self.refuse_at(codes::OTHER_INSTRUCTION, cell.span, message, "one value for all cells", "store the other values first");
        }
        match (cell.is_array(), cell.length) {
            (true, length) => vec![item(cell.name.clone(), Some(length.unwrap_or(1)), first)],
            (false, None) => vec![item(cell.name.clone(), None, first)],
            (false, Some(_)) => {
                let named = |(number, initial): (usize, &(i64, Span))| item(format!("{}_{number}", cell.name), None, *initial);
                initial.iter().enumerate().map(named).collect()
            }
        }
    }

    /// Which values there are.
    fn values(&self, has_wide: bool) -> ValuesItem {
        let (low, high) = match (self.exact, has_wide) {
            (true, true) => (-MAX_VALUE, MAX_VALUE),
            (true, false) => (-(1 << 31), (1 << 32) - 1),
            (false, _) => {
                let most = i64::try_from(plan::PLAIN - 1).unwrap_or(MAX_VALUE);
                let high = i64::try_from(self.sum.max(self.reach)).unwrap_or(most).saturating_add(SLACK).min(most);
                (0, high)
            }
        };
        ValuesItem { low, high, wrap: false, span: Span::default() }
    }
}

/// The tree of a test, if its parts can be read; what is wrong is reported in any case.
pub(crate) fn parse(text: &str, diagnostics: &mut Vec<Diagnostic>) -> Option<File> {
    let clean = piece::without_comments(text, diagnostics);
    if !diagnostics.is_empty() {
        return None;
    }
    let mut reader = LitmusReader { wide: false, cells: Vec::new(), sum: 0, exact: false, reach: 0, diagnostics };
    let (columns, question) = reader.sections(TextPiece::new(&clean)).ok()?;
    let has_wide = columns.iter().any(|column| !column.long.is_empty()) || reader.cells.iter().any(|cell| cell.width() == Width::Wide);
    let threads = columns.into_iter().map(|column| reader.thread(column)).collect();
    let values = vec![reader.values(has_wide)];
    let cells = std::mem::take(&mut reader.cells).iter().flat_map(|cell| reader.items(cell)).collect();
    let end = TextPiece { text: "", start: clean.len() }.span();
    Some(File { values, cells, threads, questions: vec![question], end })
}

impl LitmusReader<'_> {
    /// A thread, which first gives registers their values where these are not 0, and those that it only reads.
    fn thread(&mut self, column: Column) -> ThreadItem {
        let mut body = Vec::new();
        let mut named: BTreeMap<Register, Span> = column.used.clone();
        named.extend(column.starts.iter().map(|(register, (_, span))| (*register, *span)));
        for (register, span) in named {
            let value = match column.starts.get(&register) {
                Some((Start::Address(..), _)) => continue,
                Some((Start::Number(value), _)) => *value,
                None => 0,
            };
            if value != 0 || !column.assigned.contains(&register) {
                let target = Target { name: Name { text: register.name(self.wide).to_owned(), span }, index: None };
                let kind = StmtKind::Assign(target, trees::number(value, span));
                body.push(Stmt { labels: Vec::new(), kind, span });
            }
        }
        let name = Name { text: column.name(), span: column.span };
        body.extend(column.body);
        ThreadItem { name, many: false, body }
    }
}
