//! The parts of a test in their order: the machine, what memory begins with, the program, the question.

use serval_syntax::similar;

use super::instructions::Instruction;
use super::operands::{Order, is_name};
use super::piece::Piece;
use super::{Column, Read, Reader, Start, Wrong};
use crate::codes;
use crate::limits::MAX_THREADS;
use crate::tree::QuestionItem;

/// Machines and languages that other tests are for.
const OTHERS: &[&str] = &[
    "AArch64", "ARM", "ARMv8", "ASL", "BPF", "C", "CPP", "GPU_PTX", "JAVA", "LISA", "MIPS", "OpenCL", "POWER", "PPC", "RISCV", "SPARC",
    "LK",
];
/// Types that may stand before a name in the first part.
const TYPES: &[&str] = &["int", "long", "int32_t", "uint32_t", "int64_t", "uint64_t", "unsigned", "volatile"];
/// Words with which the part behind the program begins.
const ENDS: &[&str] = &["exists", "~exists", "~", "forall", "locations", "filter", "final", "observed"];

/// What a register begins with: the number of its thread, as it is written, and the rest.
struct Begins<'t> {
    thread: Piece<'t>,
    register: Piece<'t>,
    /// Nothing where only its size is said.
    value: Option<Piece<'t>>,
}

impl Reader<'_> {
    /// All parts.
    pub(super) fn sections(&mut self, text: Piece<'_>) -> Read<(Vec<Column>, QuestionItem)> {
        let rest = self.machine(text)?;
        let rest = self.metadata(rest)?;
        let Some(end) = rest.text.find('}') else {
            return Err(self.expected(Piece { text: "", start: rest.start + rest.text.len() }, "`}`", "close what memory begins with"));
        };
        let (initial, rest) = rest.cut(end + 1);
        let starts = self.initial(initial.between('{', '}').unwrap_or(initial))?;
        let (mut columns, rows, rest) = self.rows(rest.trimmed())?;
        self.begin(&mut columns, &starts);
        self.program(&mut columns, rows);
        let rest = self.locations(rest)?;
        let question = self.question(&mut columns, rest)?;
        Ok((columns, question))
    }

    /// `X86 SB`: the rest of the line is a name.
    fn machine<'t>(&mut self, text: Piece<'t>) -> Read<Piece<'t>> {
        let text = text.trimmed();
        let (line, rest) = text.cut(text.text.find('\n').unwrap_or(text.text.len()));
        let (machine, _) = line.word();
        self.wide = match machine.text.to_ascii_uppercase().as_str() {
            "X86" => false,
            "X86_64" | "X86-64" => true,
            _ => {
                let other = OTHERS.iter().any(|other| other.eq_ignore_ascii_case(machine.text));
                let message = match (machine.text, other) {
                    ("", _) => "there is no test in this text".to_owned(),
                    (text, true) => format!("tests of `{text}` are not read"),
                    (text, false) => format!("`{text:.40}` is no machine whose tests are read"),
                };
                let help = match similar(machine.text, ["X86", "X86_64"]) {
                    Some(meant) if !other => format!("did you mean `{meant}`?"),
                    _ => "the first word of a test is `X86` or `X86_64`, and only of these it is known what their memory does".to_owned(),
                };
                return Err(self.refuse(codes::OTHER_MACHINE, machine, message, "`X86` or `X86_64`", &help));
            }
        };
        Ok(rest)
    }

    /// Lines before `{`: a quoted name, or `Key=…`.
    fn metadata<'t>(&mut self, mut rest: Piece<'t>) -> Read<Piece<'t>> {
        loop {
            rest = rest.trimmed();
            if rest.text.starts_with('{') {
                return Ok(rest);
            }
            let (line, after) = rest.cut(rest.text.find('\n').unwrap_or(rest.text.len()));
            let line = line.trimmed();
            let quoted = line.text.len() > 1 && line.between('"', '"').is_some();
            let key = line.text.split_once('=').is_some_and(|(key, _)| is_name(key.trim()));
            if !quoted && !key {
                return Err(self.expected(line, "`{`", "before it there are a quoted name and lines such as `Cycle=…`"));
            }
            rest = after;
        }
    }

    /// `x=0; int y=1; 0:EAX=1;`.
    fn initial<'t>(&mut self, section: Piece<'t>) -> Read<Vec<Begins<'t>>> {
        let mut starts = Vec::new();
        for entry in section.split(';').into_iter().filter(|entry| !entry.is_empty()) {
            // One that is wrong does not hide what is wrong with the others.
            let _ = self.entry(entry, &mut starts);
        }
        Ok(starts)
    }

    fn entry<'t>(&mut self, entry: Piece<'t>, starts: &mut Vec<Begins<'t>>) -> Read<()> {
        let sides = entry.split('=');
        let mut target = sides[0];
        while TYPES.contains(&target.word().0.text) && !target.word().1.is_empty() {
            target = target.word().1;
        }
        let target = target.between('[', ']').unwrap_or(target);
        let value = match sides.as_slice() {
            [_] => None,
            [_, value] => Some(*value),
            _ => return Err(self.expected(sides[2], "`;`", "end each value with `;`")),
        };
        if let Some((thread, register)) = target.text.split_once(':') {
            let (before, after) = (target.cut(thread.len()).0.trimmed(), target.cut(target.text.len() - register.len()).1.trimmed());
            // `uint64_t 0:rax;` only says how large a register is, and it begins with 0 as others do.
            let is_declared = sides[0].word().0.text != target.word().0.text;
            if value.is_none() && !is_declared {
                return Err(self.expected(entry, "`=`", "say what the register begins with"));
            }
            starts.push(Begins { thread: before, register: after, value });
            return Ok(());
        }
        if !is_name(target.text) {
            let message = format!("`{:.40}` is no memory or register that is read", target.text);
            let help = "arrays and pointers in memory are not read; write `x=0;` or `0:EAX=0;`";
            return Err(self.refuse(codes::BAD_LITMUS, target, message, "a name", help));
        }
        if self.register(target)?.is_some() {
            return Err(self.expected(target, "the number of a thread and `:`", "write `0:EAX=0;`, say"));
        }
        if self.cells.iter().any(|cell| cell.written == target.text) {
            let message = format!("`{}` begins twice", target.text);
            return Err(self.refuse(codes::BAD_LITMUS, target, message, "one value for each name", "remove one of them"));
        }
        let initial = match value {
            Some(value) => (self.number(value)?, value.span()),
            None => (0, target.span()),
        };
        self.cell(target.text, target.span());
        if let Some(cell) = self.cells.iter_mut().find(|cell| cell.written == target.text) {
            cell.initial = initial;
        }
        Ok(())
    }

    /// Gives registers of threads what they begin with.
    fn begin(&mut self, columns: &mut [Column], starts: &[Begins<'_>]) {
        for begins in starts {
            let _ = self.begin_one(columns, begins);
        }
    }

    fn begin_one(&mut self, columns: &mut [Column], begins: &Begins<'_>) -> Read<()> {
        let Begins { thread, register, value } = begins;
        let number = thread.text.trim_start_matches('P').parse::<u32>().ok();
        let Some(column) = columns.iter_mut().find(|column| Some(column.number) == number) else {
            let message = format!("there is no thread {}", thread.text);
            return Err(self.refuse(
                codes::BAD_LITMUS,
                *thread,
                message,
                "the number of a thread",
                "the first row of the program names them",
            ));
        };
        let Some(found) = self.register(*register)? else {
            return Err(self.expected(*register, "the name of a register", "write `0:EAX=0;`, say"));
        };
        let Some(value) = value else { return Ok(()) };
        let address = value.after("&").unwrap_or(*value);
        let start = match is_name(address.text) && self.register(address)?.is_none() {
            true => Start::Address(address.text.to_owned()),
            false => Start::Number(self.number(*value)?),
        };
        if column.starts.insert(found, (start, register.span())).is_some() {
            let message = format!("`{}` begins twice", register.text);
            return Err(self.refuse(codes::BAD_LITMUS, *register, message, "one value for each register", "remove one of them"));
        }
        Ok(())
    }

    /// The columns, the rows of instructions, and what stands behind them.
    fn rows<'t>(&mut self, text: Piece<'t>) -> Read<(Vec<Column>, Vec<Vec<Piece<'t>>>, Piece<'t>)> {
        let (mut rows, mut rest) = (Vec::new(), text);
        loop {
            rest = rest.trimmed();
            let word =
                &rest.text[..rest.text.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '~').unwrap_or(rest.text.len())];
            if ENDS.contains(&word) {
                break;
            }
            let Some(end) = rest.text.find(';') else {
                let question = "`exists`, `~exists` or `forall`";
                return Err(match rest.is_empty() {
                    true => self.expected(rest, question, "the last part of a test is its question"),
                    false => self.expected(rest, &format!("a row that ends with `;`, or {question}"), "end the row with `;`"),
                });
            };
            let (row, after) = rest.cut(end);
            rows.push(row.split('|'));
            rest = after.cut(1).1;
        }
        if rows.is_empty() {
            return Err(self.expected(rest, "`P0 | P1 ;`", "the program begins with the names of its threads"));
        }
        let mut columns: Vec<Column> = Vec::new();
        for head in rows.remove(0) {
            if columns.len() == MAX_THREADS {
                let message = format!("a test has at most {MAX_THREADS} threads");
                return Err(self.refuse(codes::TOO_MUCH, head, message, "fewer threads", "leave some of them out"));
            }
            let number = head.after("P").and_then(|digits| digits.text.parse::<u32>().ok());
            let Some(number) = number.filter(|number| columns.iter().all(|column| column.number != *number)) else {
                return Err(self.expected(head, "`P0`, `P1` and so on, each once", "the program begins with the names of its threads"));
            };
            columns.push(Column {
                number,
                span: head.span(),
                starts: std::collections::BTreeMap::new(),
                body: Vec::new(),
                assigned: std::collections::BTreeSet::new(),
                used: std::collections::BTreeMap::new(),
            });
        }
        Ok((columns, rows, rest))
    }

    /// Writes all instructions into their threads.
    fn program(&mut self, columns: &mut [Column], rows: Vec<Vec<Piece<'_>>>) {
        let mut read: Vec<(usize, Instruction<'_>)> = Vec::new();
        for row in rows {
            if let (true, Some(first)) = (row.len() != columns.len(), row.first()) {
                let message = format!("a row of {}, and there are {} threads", row.len(), columns.len());
                let expected = format!("{} columns, with `|` between them", columns.len());
                let _: Wrong = self.refuse(codes::BAD_LITMUS, *first, message, &expected, "leave the place of a shorter thread empty");
                continue;
            }
            for (column, piece) in row.into_iter().enumerate().filter(|(_, piece)| !piece.is_empty()) {
                if let Ok(instruction) = self.instruction(piece) {
                    read.push((column, instruction));
                }
            }
        }
        let shows = |order: Order| read.iter().any(|(_, instruction)| instruction.order() == Some(order));
        let order = match (shows(Order::First), shows(Order::Last)) {
            (true, false) => Some(Order::First),
            (false, true) => Some(Order::Last),
            _ => None,
        };
        for (column, instruction) in read {
            // What is wrong with one has been said, and the others follow.
            let _ = self.write(&mut columns[column], instruction, order);
        }
    }

    /// Passes `locations [x; 0:EAX;]`, which says what to print.
    fn locations<'t>(&mut self, rest: Piece<'t>) -> Read<Piece<'t>> {
        let rest = rest.trimmed();
        if let Some(after) = rest.after("locations") {
            let after = after.trimmed();
            let end = after.text.find(']').filter(|_| after.text.starts_with('['));
            let Some(end) = end else { return Err(self.expected(after, "`[ … ]`", "write `locations [x; 0:EAX;]`")) };
            return Ok(after.cut(end + 1).1.trimmed());
        }
        for word in ["filter", "final", "observed"] {
            if rest.text.starts_with(word) {
                let (piece, _) = rest.cut(word.len());
                let message = format!("`{word}` is not read");
                return Err(self.refuse(codes::BAD_LITMUS, piece, message, "`exists`, `~exists` or `forall`", "say it in the condition"));
            }
        }
        Ok(rest)
    }
}
