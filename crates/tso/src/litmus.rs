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
//! Each instruction becomes the statement with the same access to memory: a load, a store, a fence or a locked instruction. A register of 32 bits and the one of 64 bits of which it is a part are one register, which is right as long as
//! no number is negative or too large. So numbers are not negative, and a value that falls below 0 or grows beyond what is written is reported as leaving its range, not computed otherwise than the machine would.
//!
//! Both orders of operands are read: `MOV [x],$1` changes the first, `movl $1,(x)` the last. An instruction shows its order by its signs; where it has none the other instructions decide, and where they do not agree it is refused.
//!
//! ```
//! let text = "X86 SB\n{ x=0; y=0; }\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n MOV EAX,[y] | MOV EAX,[x] ;\nexists (0:EAX=0 /\\ 1:EAX=0)\n";
//! let program = serval_tso::read_litmus(text).unwrap();
//! assert_eq!((program.threads[1].name.as_str(), program.threads[1].registers[0].as_str()), ("P1", "EAX"));
//! let wrong = serval_tso::read_litmus(&text.replace("X86", "AArch64")).unwrap_err();
//! assert_eq!(wrong[0].message, "tests of `AArch64` are not read");
//! ```

mod condition;
mod instructions;
mod operands;
mod piece;
mod sections;

use std::collections::{BTreeMap, BTreeSet};

use serval_syntax::{Code, Diagnostic, Span};

use crate::grammar::WORDS;
use crate::limits::{MAX_CELLS, MAX_VALUE};
use crate::tree::{CellItem, File, Name, Stmt, StmtKind, Target, ThreadItem, Tree, TreeKind, ValuesItem};
use operands::Register;
use piece::Piece;

/// That something was wrong, and has been reported.
pub(super) struct Wrong;
type Read<T> = Result<T, Wrong>;

/// How far values may go beyond the numbers of the test added up.
const SLACK: i64 = 64;

/// What a register begins with.
#[derive(Clone, Debug)]
enum Start {
    Number(i64),
    /// The address of memory of this name.
    Address(String),
}

/// A thread of a test.
#[derive(Debug)]
struct Column {
    number: u32,
    span: Span,
    starts: BTreeMap<Register, (Start, Span)>,
    body: Vec<Stmt>,
    assigned: BTreeSet<Register>,
    /// Registers that are read or asked for, and where first.
    used: BTreeMap<Register, Span>,
}

impl Column {
    fn name(&self) -> String {
        format!("P{}", self.number)
    }

    fn address(&self, register: Register) -> Option<&str> {
        match self.starts.get(&register) {
            Some((Start::Address(cell), _)) => Some(cell),
            _ => None,
        }
    }
}

/// Memory of a test.
struct Cell {
    written: String,
    /// As the program calls it: words of the language are no names there.
    name: String,
    initial: (i64, Span),
}

/// What is known while a test is read.
struct Reader<'d> {
    /// Whether it is of 64 bits.
    wide: bool,
    cells: Vec<Cell>,
    /// All numbers added up, beyond which no value can grow unless registers are added to each other.
    sum: i64,
    diagnostics: &'d mut Vec<Diagnostic>,
}

impl Reader<'_> {
    fn refuse(&mut self, code: Code, piece: Piece<'_>, message: String, expected: &str, help: &str) -> Wrong {
        // What is quoted may go over several lines of the test.
        let message = message.lines().map(str::trim).collect::<Vec<_>>().join(" ");
        self.diagnostics.push(Diagnostic::error(code, piece.span(), message).expected(expected).help(help));
        Wrong
    }

    /// The name that memory has in the program.
    fn cell(&mut self, written: &str, span: Span) -> String {
        if let Some(known) = self.cells.iter().find(|cell| cell.written == written) {
            return known.name.clone();
        }
        // There are too many already, which is said where they are declared.
        if self.cells.len() > MAX_CELLS {
            return written.to_owned();
        }
        let mut name = written.to_owned();
        while WORDS.contains(&name.as_str()) || self.cells.iter().any(|cell| cell.name == name) {
            name.push('_');
        }
        self.cells.push(Cell { written: written.to_owned(), name: name.clone(), initial: (0, span) });
        name
    }
}

/// The tree of a test, if its parts can be read; what is wrong is reported in any case.
pub(crate) fn parse(text: &str, diagnostics: &mut Vec<Diagnostic>) -> Option<File> {
    let clean = piece::without_comments(text, diagnostics);
    if !diagnostics.is_empty() {
        return None;
    }
    let mut reader = Reader { wide: false, cells: Vec::new(), sum: 0, diagnostics };
    let (columns, question) = reader.sections(Piece::new(&clean)).ok()?;
    let threads = columns.into_iter().map(|column| reader.thread(column)).collect();
    let high = reader.sum.saturating_add(SLACK).min(MAX_VALUE);
    let values = vec![ValuesItem { low: 0, high, wrap: false, span: Span::default() }];
    let item = |cell: Cell| CellItem { name: Name { text: cell.name, span: cell.initial.1 }, length: None, initial: cell.initial };
    let cells = std::mem::take(&mut reader.cells).into_iter().map(item).collect();
    let end = Piece { text: "", start: clean.len() }.span();
    Some(File { values, cells, threads, questions: vec![question], end })
}

impl Reader<'_> {
    /// A thread, which first gives registers their values where these are not 0, and those that it only reads.
    fn thread(&mut self, column: Column) -> ThreadItem {
        let mut body = Vec::new();
        let mut named: BTreeMap<Register, Span> = column.used.clone();
        named.extend(column.starts.iter().map(|(register, (_, span))| (*register, *span)));
        for (register, span) in named {
            let value = match column.starts.get(&register) {
                Some((Start::Address(_), _)) => continue,
                Some((Start::Number(value), _)) => *value,
                None => 0,
            };
            if value != 0 || !column.assigned.contains(&register) {
                let target = Target { name: Name { text: register.name(self.wide).to_owned(), span }, index: None };
                let kind = StmtKind::Assign(target, Tree { kind: TreeKind::Number(value), span });
                body.push(Stmt { labels: Vec::new(), kind, span });
            }
        }
        let name = Name { text: column.name(), span: column.span };
        body.extend(column.body);
        ThreadItem { name, many: false, body }
    }
}
