//! The parts of a test in their order: the machine, what memory begins with, the program, the question.

use serval_diagnostic::counted;
use serval_diagnostic::{Span, similar};

use super::operands::{Width, is_name};
use super::piece::TextPiece;
use super::{Column, LitmusReader, Read, Start, Wrong};
use crate::codes;
use crate::limits::{MAX_CELLS, MAX_THREADS};
use crate::tree::QuestionItem;

/// Machines and languages that other tests are for.
const OTHERS: &[&str] = &[
    "AArch64", "ARM", "ARMv8", "ASL", "BPF", "C", "CPP", "GPU_PTX", "JAVA", "LISA", "MIPS", "OpenCL", "POWER", "PPC", "RISCV", "SPARC",
    "LK",
];
/// Types that may stand before a name in the first part, with their width where they say one; `long` is as wide as
/// the machine.
const TYPES: &[(&str, Option<Width>)] = &[
    ("int", Some(Width::Narrow)),
    ("int32_t", Some(Width::Narrow)),
    ("uint32_t", Some(Width::Narrow)),
    ("unsigned", Some(Width::Narrow)),
    ("int64_t", Some(Width::Wide)),
    ("uint64_t", Some(Width::Wide)),
    ("long", None),
    ("signed", None),
    ("volatile", None),
    ("const", None),
];
/// Types of 8 and 16 bits.
const NARROW: &[&str] = &["char", "short", "int8_t", "uint8_t", "int16_t", "uint16_t"];
/// Words with which the part behind the program begins.
const ENDS: &[&str] = &["exists", "~exists", "~", "forall", "locations", "filter", "final", "observed"];

/// What a register begins with: the number of its thread, as it is written, and the rest.
struct Begins<'t> {
    thread: TextPiece<'t>,
    register: TextPiece<'t>,
    /// Nothing where only its size is said.
    value: Option<TextPiece<'t>>,
}

impl LitmusReader<'_> {
    /// All parts.
    pub(super) fn sections(&mut self, text: TextPiece<'_>) -> Read<(Vec<Column>, QuestionItem)> {
        let rest = self.machine(text)?;
        let rest = self.metadata(rest)?;
        let Some(end) = closing(rest.text) else {
            return Err(self.expected(TextPiece { text: "", start: rest.start + rest.text.len() }, "`}`", "close what memory begins with"));
        };
        let (initial, rest) = rest.cut(end + 1);
        let starts = self.initial(initial.between('{', '}').unwrap_or(initial))?;
        let (mut columns, rows, rest) = self.rows(rest.trimmed())?;
        self.begin(&mut columns, &starts);
        self.program(&mut columns, rows);
        let asked = self.locations(rest)?;
        // A test that only says what to print asks nothing of it.
        let is_shown = asked.is_empty() && !rest.is_empty();
        let question = self.question(&mut columns, if is_shown { TextPiece { text: "forall (true)", ..asked } } else { asked })?;
        Ok((columns, question))
    }

    /// `X86 SB`: the rest of the line is a name.
    fn machine<'t>(&mut self, text: TextPiece<'t>) -> Read<TextPiece<'t>> {
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
    fn metadata<'t>(&mut self, mut rest: TextPiece<'t>) -> Read<TextPiece<'t>> {
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
    fn initial<'t>(&mut self, section: TextPiece<'t>) -> Read<Vec<Begins<'t>>> {
        let mut starts = Vec::new();
        for entry in section.split(';').into_iter().filter(|entry| !entry.is_empty()) {
            // One that is wrong does not hide what is wrong with the others.
            let _ = self.entry(entry, &mut starts);
        }
        Ok(starts)
    }

    fn entry<'t>(&mut self, entry: TextPiece<'t>, starts: &mut Vec<Begins<'t>>) -> Read<()> {
        let sides = entry.split('=');
        let (target, declared, is_typed) = self.typed(sides[0])?;
        let value = match sides.as_slice() {
            [_] => None,
            [_, value] => Some(*value),
            _ => return Err(self.expected(sides[2], "`;`", "end each value with `;`")),
        };
        let target = target.between('[', ']').unwrap_or(target);
        if let Some((thread, register)) = target.text.split_once(':') {
            let (before, after) = (target.cut(thread.len()).0.trimmed(), target.cut(target.text.len() - register.len()).1.trimmed());
            // `uint64_t 0:rax;` only says how large a register is, and it begins with 0 as others do.
            if value.is_none() && !is_typed {
                return Err(self.expected(entry, "`=`", "say what the register begins with"));
            }
            starts.push(Begins { thread: before, register: after, value });
            return Ok(());
        }
        let (name, count) = match target.text.find('[').filter(|_| target.text.ends_with(']')) {
            Some(open) => (target.cut(open).0.trimmed(), Some(target.cut(open).1.between('[', ']').unwrap_or(target))),
            None => (target, None),
        };
        if !is_name(name.text) {
            let message = format!("`{:.40}` is no memory or register that is read", target.text);
            let help = "pointers in memory are not read; write `x=0;`, `int a[2];` or `0:EAX=0;`";
            return Err(self.refuse(codes::BAD_LITMUS, target, message, "a name", help));
        }
        if self.register(name)?.is_some() {
            return Err(self.expected(name, "the number of a thread and `:`", "write `0:EAX=0;`, say"));
        }
        let known = self.cells.iter().position(|cell| cell.written == name.text);
        match (count, known) {
            (Some(number), Some(cell)) if !is_typed => return self.element_begins(cell, number, target, value),
            (_, Some(_)) => {
                let message = format!("`{}` begins twice", name.text);
                return Err(self.refuse(codes::BAD_LITMUS, name, message, "one value for each name", "remove one of them"));
            }
            (Some(_), None) if !is_typed => {
                let message = format!("`{}` is declared as no array", name.text);
                return Err(self.refuse(codes::BAD_LITMUS, name, message, "an array", "declare it before: `int a[2];`"));
            }
            _ => {}
        }
        let length = count.map(|count| self.length(count)).transpose()?;
        let initial = self.begins_with(target, length, value)?;
        let cell = self.cell(name.text, name.span());
        if let Some(cell) = self.cells.get_mut(cell).filter(|cell| cell.written == name.text) {
            (cell.initial, cell.length, cell.declared) = (initial, length, declared.or(length.map(|_| Width::Narrow)));
        }
        Ok(())
    }

    /// What stands behind the types, the width that they say, and whether there are any.
    fn typed<'t>(&mut self, piece: TextPiece<'t>) -> Read<(TextPiece<'t>, Option<Width>, bool)> {
        let (mut target, mut declared, mut is_typed) = (piece, None, false);
        loop {
            let (word, rest) = target.word();
            if rest.is_empty() {
                return Ok((target, declared, is_typed));
            }
            if NARROW.contains(&word.text) {
                let message = format!("`{}` is memory of 8 or 16 bits, and is not read", word.text);
                return Err(self.refuse(codes::OTHER_INSTRUCTION, word, message, "a type of 32 or 64 bits", "use `int` or `uint64_t`"));
            }
            let Some((_, width)) = TYPES.iter().find(|(name, _)| *name == word.text) else { return Ok((target, declared, is_typed)) };
            let width = if word.text == "long" { Some(if self.wide { Width::Wide } else { Width::Narrow }) } else { *width };
            // `long int` and `unsigned long` are as wide as `long`.
            declared = declared.max(width);
            (target, is_typed) = (rest, true);
        }
    }

    /// How many cells an array has.
    fn length(&mut self, count: TextPiece<'_>) -> Read<i64> {
        let most = i64::try_from(MAX_CELLS).unwrap_or(0);
        match count.text.parse::<i64>() {
            Ok(length) if (1..=most).contains(&length) => Ok(length),
            Ok(length) => {
                let message = format!("an array of {}; there are from 1 to {MAX_CELLS} cells in all", counted(length, "cell"));
                Err(self.refuse(codes::TOO_MUCH, count, message, "fewer cells", "declare fewer cells"))
            }
            Err(_) => Err(self.expected(count, "how many cells there are", "write `int a[2];`")),
        }
    }

    /// What a cell begins with, or each cell of an array.
    fn begins_with(&mut self, target: TextPiece<'_>, length: Option<i64>, value: Option<TextPiece<'_>>) -> Read<Vec<(i128, Span)>> {
        let count = usize::try_from(length.unwrap_or(1)).unwrap_or(1);
        let mut initial = vec![(0, target.span()); count];
        let Some(value) = value else { return Ok(initial) };
        let list = match (length, value.between('{', '}')) {
            (Some(_), Some(list)) => list.split(','),
            (Some(_), None) => return Err(self.expected(value, "`{ … }`", "write `int a[2] = {1,2};`")),
            (None, _) => vec![value],
        };
        if list.len() > count {
            let message = format!("{} for {}", counted(list.len(), "value"), counted(count, "cell"));
            return Err(self.refuse(codes::BAD_LITMUS, value, message, "a value for each cell", "remove some of them"));
        }
        for (place, value) in initial.iter_mut().zip(list) {
            *place = (self.number(value)?, value.span());
        }
        Ok(initial)
    }

    /// `a[1]=2;`, where `a` is declared before.
    fn element_begins(&mut self, cell: usize, number: TextPiece<'_>, target: TextPiece<'_>, value: Option<TextPiece<'_>>) -> Read<()> {
        let Some(value) = value else { return Err(self.expected(target, "`=`", "say what it begins with")) };
        let initial = (self.number(value)?, value.span());
        let place = number.text.parse::<usize>().ok().filter(|_| self.cells[cell].length.is_some());
        match place.and_then(|place| self.cells[cell].initial.get_mut(place)) {
            Some(place) => {
                *place = initial;
                Ok(())
            }
            None => Err(self.no_element(target)),
        }
    }

    pub(super) fn no_element(&mut self, piece: TextPiece<'_>) -> Wrong {
        let message = format!("there is no cell `{:.40}`", piece.text);
        self.refuse(codes::BAD_LITMUS, piece, message, "a cell of an array", "declare the array before: `int a[2];`")
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
        let Some((found, width)) = self.register(*register)? else {
            return Err(self.expected(*register, "the name of a register", "write `0:EAX=0;`, say"));
        };
        let Some(value) = value else { return Ok(()) };
        let start = match self.address_at_start(value.after("&").unwrap_or(*value))? {
            Some((name, offset)) => Start::Address(name, offset),
            None => {
                let number = self.number(*value)?;
                let number = self.at_width(number, width, *value)?;
                if !(0..1 << 32).contains(&number) {
                    column.long.insert(found);
                }
                Start::Number(number)
            }
        };
        if column.starts.insert(found, (start, register.span())).is_some() {
            let message = format!("`{}` begins twice", register.text);
            return Err(self.refuse(codes::BAD_LITMUS, *register, message, "one value for each register", "remove one of them"));
        }
        Ok(())
    }

    /// `x`, `a[1]` or `a+4`, with its bytes from the beginning.
    fn address_at_start(&mut self, value: TextPiece<'_>) -> Read<Option<(String, i64)>> {
        let end = value.text.find(['[', '+']).unwrap_or(value.text.len());
        let (name, rest) = value.cut(end);
        let name = name.trimmed();
        if !is_name(name.text) || self.register(name)?.is_some() {
            return Ok(None);
        }
        if rest.is_empty() {
            return Ok(Some((name.text.to_owned(), 0)));
        }
        let (digits, scale) = match (rest.after("+"), rest.between('[', ']')) {
            (Some(bytes), _) => (bytes.trimmed(), 1),
            (None, Some(number)) => {
                let known = self.cells.iter().find(|cell| cell.written == name.text && cell.length.is_some());
                (number, known.and_then(|cell| cell.declared).map_or(0, Width::bytes))
            }
            (None, None) => return Ok(None),
        };
        match digits.text.parse::<i64>().ok().and_then(|number| number.checked_mul(scale)).filter(|_| scale > 0) {
            Some(bytes) => Ok(Some((name.text.to_owned(), bytes))),
            None => Err(self.no_element(value)),
        }
    }

    /// The columns, the rows of instructions, and what stands behind them.
    fn rows<'t>(&mut self, text: TextPiece<'t>) -> Read<(Vec<Column>, Vec<Vec<TextPiece<'t>>>, TextPiece<'t>)> {
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
                long: std::collections::BTreeSet::new(),
                used: std::collections::BTreeMap::new(),
            });
        }
        Ok((columns, rows, rest))
    }

    /// Passes `locations [x; 0:EAX;]`, which says what to print.
    fn locations<'t>(&mut self, rest: TextPiece<'t>) -> Read<TextPiece<'t>> {
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

/// Where the brace is that closes the first one.
fn closing(text: &str) -> Option<usize> {
    let mut open = 0_usize;
    text.bytes().position(|byte| {
        open = match byte {
            b'{' => open + 1,
            b'}' => open.saturating_sub(1),
            _ => open,
        };
        byte == b'}' && open == 0
    })
}
