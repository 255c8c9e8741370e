//! What every instruction changes and from what, before anything is written: which memory it means, and how many bits
//! it has.
//!
//! **Widths.** A test is *plain* if all its numbers are at least 0 and less than 2³¹ and it only moves, compares and
//! adds them, and masks them with constants `2ᵏ - 1`: then values are the same in 32 and 64 bits, and one that would
//! not be is reported as leaving its range. In every other test a register or cell of 32 bits keeps a number from 0
//! to 2³² - 1, with which is
//! counted modulo 2³², and one of 64 bits a number with a sign; memory that is accessed with both widths is refused,
//! and so is a sum of 64 bits that leaves its range when it is computed.

use std::collections::BTreeMap;

use serval_diagnostic::Span;
use serval_diagnostic::counted;

use super::instructions::{Instruction, LabelledInstruction};
use super::jump::Test;
use super::operands::{Address, Operand, OperandKind, Order, Register, Width};
use super::piece::TextPiece;
use super::{Column, LitmusReader, Read, Start, Wrong};
use crate::codes;
use crate::limits::MAX_STATEMENTS;

/// Numbers below this one are the same with and without a sign.
pub(super) const PLAIN: i128 = 1 << 31;

/// Memory that an operand means.
#[derive(Clone, Copy, Debug)]
pub(super) struct MemoryOperand {
    /// Its place among the cells of the test.
    pub(super) cell: usize,
    /// In bytes.
    pub(super) offset: i64,
    /// A register that is added, times a factor.
    pub(super) index: Option<(Register, i64)>,
}

/// An operand whose memory is known.
#[derive(Clone, Copy, Debug)]
pub(super) enum OperandSide {
    Register(Register),
    Number(i128),
    Memory(MemoryOperand),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Planned<'t> {
    pub(super) name: &'static str,
    pub(super) locked: bool,
    /// What is changed, and from what, with where they stand.
    pub(super) to: Option<(OperandSide, TextPiece<'t>)>,
    pub(super) from: Option<(OperandSide, TextPiece<'t>)>,
    pub(super) width: Width,
    /// Whether the letters of the instruction say its width.
    is_sized: bool,
    /// Whether they say both.
    is_mixed: bool,
    pub(super) jump: Option<(Option<Test>, TextPiece<'t>)>,
    pub(super) piece: TextPiece<'t>,
}

impl Planned<'_> {
    fn sides(&self) -> impl Iterator<Item = OperandSide> {
        self.to.into_iter().chain(self.from).map(|(side, _)| side)
    }

    /// Whether both operands are one register.
    pub(super) fn is_same(&self) -> bool {
        matches!((self.to, self.from), (Some((OperandSide::Register(one), _)), Some((OperandSide::Register(other), _))) if one == other)
    }

    /// Whether values stay the same in both widths.
    fn is_plain(&self) -> bool {
        let is_mask = |number: i128| number >= 0 && (number & (number + 1)) == 0;
        let constant = match self.from {
            Some((OperandSide::Number(number), _)) => Some(number),
            _ => None,
        };
        let plain_numbers = self.sides().all(|side| !matches!(side, OperandSide::Number(number) if !(0..PLAIN).contains(&number)));
        let plain_name = match self.name {
            "SUB" | "XOR" => self.is_same() || self.name == "XOR" && constant == Some(0),
            "AND" | "TEST" => self.is_same() || constant.is_some_and(is_mask),
            "OR" => self.is_same() || constant == Some(0),
            "DEC" | "NEG" | "NOT" | "SHL" | "SHR" => false,
            _ => true,
        };
        plain_numbers && plain_name
    }

    /// Whether a register is added to something.
    fn adds_registers(&self) -> bool {
        matches!(self.name, "ADD" | "XADD") && !matches!(self.from, Some((OperandSide::Number(_), _)))
    }
}

impl LitmusReader<'_> {
    /// Writes all instructions into their threads.
    pub(super) fn program(&mut self, columns: &mut [Column], rows: Vec<Vec<TextPiece<'_>>>) {
        let mut read: Vec<Vec<LabelledInstruction<'_>>> = columns.iter().map(|_| Vec::new()).collect();
        for row in rows {
            if let (true, Some(first)) = (row.len() != columns.len(), row.first()) {
                let message = format!("a row of {} for {}", row.len(), counted(columns.len(), "thread"));
                let expected = format!("{}, with `|` between them", counted(columns.len(), "column"));
                let _: Wrong = self.refuse(codes::BAD_LITMUS, *first, message, &expected, "leave the place of a shorter thread empty");
                continue;
            }
            for (column, piece) in row.into_iter().enumerate().filter(|(_, piece)| !piece.is_empty()) {
                if read[column].len() >= MAX_STATEMENTS {
                    let message = format!("the thread has more than {MAX_STATEMENTS} instructions");
                    let _: Wrong = self.refuse(codes::TOO_MUCH, piece, message, "a smaller thread", "split the thread");
                    return;
                }
                if let Ok(line) = self.line(piece) {
                    read[column].push(line);
                }
            }
        }
        let instructions = || read.iter().flatten().filter_map(|line| line.instruction.as_ref());
        let shows = |order: Order| instructions().any(|instruction| instruction.order == Some(order));
        let order = match (shows(Order::First), shows(Order::Last)) {
            (true, false) => Some(Order::First),
            (false, true) => Some(Order::Last),
            _ => None,
        };
        let planned: Vec<Vec<Planned<'_>>> = read.iter().zip(&*columns).map(|(lines, column)| self.planned(column, lines, order)).collect();
        let number_at_start = |column: &Column| {
            column.starts.values().any(|(start, _)| matches!(start, Start::Number(number) if !(0..PLAIN).contains(&i128::from(*number))))
        };
        let plain_cells = self.cells.iter().flat_map(|cell| &cell.initial).all(|(number, _)| (0..PLAIN).contains(number));
        self.reach = self.reach(&planned, &read);
        let is_plain = plain_cells && !columns.iter().any(number_at_start) && planned.iter().flatten().all(Planned::is_plain);
        self.exact = !is_plain || self.reach >= PLAIN;
        for ((column, lines), mut code) in columns.iter_mut().zip(&read).zip(planned) {
            self.settle_widths(column, &mut code);
            // What is wrong with one has been said, and the others follow.
            let _ = self.write_column(column, lines, &code);
        }
        self.check_widths();
    }

    /// How far values of a plain test can grow: numbers are added once each, unless there is a loop, and adding
    /// registers doubles at most what there is.
    fn reach(&self, planned: &[Vec<Planned<'_>>], lines: &[Vec<LabelledInstruction<'_>>]) -> i128 {
        let all = || planned.iter().flatten();
        let added = i128::try_from(all().filter(|one| one.name == "INC").count()).unwrap_or(PLAIN);
        let doubled = u32::try_from(all().filter(|one| one.adds_registers()).count()).unwrap_or(u32::MAX);
        let adds = all().any(|one| matches!(one.name, "INC" | "ADD" | "XADD"));
        if adds && lines.iter().any(|lines| has_loop(lines)) {
            return PLAIN;
        }
        2_i128.checked_pow(doubled.min(31)).unwrap_or(PLAIN).saturating_mul(self.sum.saturating_add(added))
    }

    fn planned<'t>(&mut self, column: &Column, lines: &[LabelledInstruction<'t>], order: Option<Order>) -> Vec<Planned<'t>> {
        let instructions = lines.iter().filter_map(|line| line.instruction.as_ref());
        instructions.filter_map(|instruction| self.plan(column, instruction, order).ok()).collect()
    }

    fn plan<'t>(&mut self, column: &Column, instruction: &Instruction<'t>, order: Option<Order>) -> Read<Planned<'t>> {
        let Instruction { name, locked, ref operands, order: own, width, jump, piece } = *instruction;
        let mut sides = Vec::new();
        for operand in operands {
            sides.push((self.side(column, operand)?, operand.piece));
        }
        let registers: Vec<Register> =
            sides.iter().filter_map(|(side, _)| if let OperandSide::Register(register) = side { Some(*register) } else { None }).collect();
        let same = registers.len() == 2 && registers[0] == registers[1];
        let (mut to, mut from) = match sides.as_slice() {
            [] => (None, None),
            [single] => (Some(*single), None),
            [first, second, ..] => {
                let Some(order) = own.or(order).or(same.then_some(Order::First)) else {
                    let message = "nothing shows in which order the operands stand".to_owned();
                    let help = "write registers as `%eax` if the last operand is changed, or memory as `[x]` somewhere if it is the first";
                    return Err(self.refuse(codes::BAD_LITMUS, piece, message, "a sign of the order", help));
                };
                if order == Order::First { (Some(*first), Some(*second)) } else { (Some(*second), Some(*first)) }
            }
        };
        // An exchange is the same in both orders.
        if name == "XCHG" && matches!(to, Some((OperandSide::Register(_), _))) {
            (to, from) = (from, to);
        }
        if let (Some((OperandSide::Memory(_), _)), Some((OperandSide::Memory(_), second))) = (to, from) {
            let help = "load it into a register first, with `MOV`";
            return Err(self.refuse(
                codes::OTHER_INSTRUCTION,
                second,
                "a second operand in memory".to_owned(),
                "a register or a number",
                help,
            ));
        }
        let (shown, is_mixed) = shown_width(operands, width);
        let (width, is_sized) = (shown.unwrap_or(Width::Narrow), shown.is_some());
        let planned = Planned { name, locked, to, from, width, is_sized, is_mixed, jump, piece };
        for (side, at) in planned.to.into_iter().chain(planned.from) {
            if let (OperandSide::Memory(place), Some(width)) = (side, shown) {
                self.accessed(place, width, at)?;
            }
        }
        Ok(planned)
    }

    fn side(&mut self, column: &Column, operand: &Operand<'_>) -> Read<OperandSide> {
        Ok(match &operand.kind {
            OperandKind::Register(register, _) => OperandSide::Register(*register),
            OperandKind::Number(number) => OperandSide::Number(*number),
            OperandKind::Memory(address) => OperandSide::Memory(self.place(column, address, operand.piece)?),
        })
    }

    /// Which memory an address means.
    fn place(&mut self, column: &Column, address: &Address, piece: TextPiece<'_>) -> Read<MemoryOperand> {
        let mut registers = address.registers.clone();
        let (cell, offset) = match &address.name {
            Some(name) => (self.cell(name, piece.span()), 0),
            None => {
                let base = registers.iter().position(|(register, _, scale)| *scale == 1 && column.address(*register).is_some());
                let Some(base) = base else {
                    let message = format!("`{}` begins with no address in this thread", piece.text);
                    let name = registers.first().map_or("RAX", |(register, ..)| register.name(self.wide));
                    let help = format!("let it begin with one: `{}:{name}=x;`", column.number);
                    return Err(self.refuse(codes::BAD_LITMUS, piece, message, "a register with an address", &help));
                };
                let (register, ..) = registers.remove(base);
                let (name, offset) = column.address(register).map_or((String::new(), 0), |(name, offset)| (name.to_owned(), offset));
                (self.cell(&name, piece.span()), offset)
            }
        };
        let index = registers.pop();
        // An address of 64 bits has registers of 64 bits in it.
        let is_odd = |(register, width, scale): (Register, Width, i64)| {
            column.address(register).is_some() || self.wide && width == Width::Narrow || !matches!(scale, 1 | 2 | 4 | 8)
        };
        if !registers.is_empty() || index.is_some_and(is_odd) {
            return Err(self.odd(piece));
        }
        let index = index.map(|(register, _, scale)| (register, scale));
        if index.is_some() {
            self.cells[cell].is_indexed = true;
        }
        let offset = offset.saturating_add(address.offset);
        self.inside(cell, offset, index.is_some(), piece)?;
        Ok(MemoryOperand { cell, offset, index })
    }

    /// That an offset is one of a cell.
    pub(super) fn inside(&mut self, cell: usize, offset: i64, is_indexed: bool, piece: TextPiece<'_>) -> Read<i64> {
        let Cell { length, declared, written, .. } = &self.cells[cell];
        let size = declared.unwrap_or(Width::Narrow).bytes();
        let number = offset.div_euclid(size);
        let whole = offset.rem_euclid(size) == 0;
        let exists = (0..length.unwrap_or(1)).contains(&number) || is_indexed && whole;
        if whole && exists {
            return Ok(number);
        }
        let message = format!("`{}` is no whole cell of `{written}`", piece.text);
        let help = "offsets are in bytes, and arrays are declared: `int a[2];`";
        Err(self.refuse(codes::OTHER_INSTRUCTION, piece, message, "a cell that there is", help))
    }

    /// Notes with which width memory is accessed; the cells of arrays have one.
    fn accessed(&mut self, place: MemoryOperand, width: Width, piece: TextPiece<'_>) -> Read<()> {
        let cell = &mut self.cells[place.cell];
        if cell.length.is_some() && cell.declared != Some(width) {
            let message =
                format!("`{}` is an access of {} bits, and the cells of `{}` have others", piece.text, width.bits(), cell.written);
            let help = "declare the array with the type of its accesses";
            return Err(self.refuse(codes::OTHER_INSTRUCTION, piece, message, "an access of one whole cell", help));
        }
        cell.accessed[width as usize].get_or_insert(piece.span());
        Ok(())
    }

    /// Gives instructions without a width that of their memory, and finds registers of 64 bits.
    fn settle_widths(&mut self, column: &mut Column, code: &mut [Planned<'_>]) {
        for planned in code {
            if planned.is_mixed && self.exact {
                let message = "this instruction is of 32 and of 64 bits".to_owned();
                let _: Wrong = self.refuse(codes::BAD_LITMUS, planned.piece, message, "one width", "take registers of one width");
            }
            let memory = planned.sides().find_map(|side| if let OperandSide::Memory(place) = side { Some(place.cell) } else { None });
            if let (false, Some(cell)) = (planned.is_sized, memory) {
                planned.width = self.cells[cell].width();
            }
            if planned.width == Width::Wide {
                let registers =
                    planned.sides().filter_map(|side| if let OperandSide::Register(register) = side { Some(register) } else { None });
                column.long.extend(registers);
                if planned.name == "CMPXCHG" {
                    column.long.insert(Register::ACCUMULATOR);
                }
            }
        }
    }

    /// That no memory is accessed with both widths, where that makes a difference.
    fn check_widths(&mut self) {
        let mut mixed: Vec<(Span, String)> = Vec::new();
        for cell in self.cells.iter().filter(|_| self.exact) {
            if let [Some(one), Some(other)] = cell.accessed {
                let message =
                    format!("`{}` is accessed with 32 and with 64 bits, in a test whose numbers need the difference", cell.written);
                mixed.push((one.max(other), message));
            } else if let (Some(span), Some(Width::Narrow)) = (cell.accessed[Width::Wide as usize], cell.declared) {
                mixed.push((span, format!("`{}` is declared with 32 bits and accessed with 64", cell.written)));
            }
        }
        for (span, message) in mixed {
            self.refuse_at(codes::OTHER_INSTRUCTION, span, message, "one width for each cell", "access it with one width");
        }
    }
}

/// Whether a jump goes back.
fn has_loop(lines: &[LabelledInstruction<'_>]) -> bool {
    let stands = |label: &str| lines.iter().position(|line| line.labels.iter().any(|known| known.text == label));
    lines.iter().enumerate().any(|(at, line)| {
        let jump = line.instruction.as_ref().and_then(|instruction| instruction.jump.as_ref());
        jump.is_some_and(|(_, label)| stands(label.text).is_some_and(|place| place <= at))
    })
}

/// The width that the letters of an instruction say, if they do, and whether they do not agree.
fn shown_width(operands: &[Operand<'_>], own: Option<Width>) -> (Option<Width>, bool) {
    let of = |operand: &Operand<'_>| match &operand.kind {
        OperandKind::Register(_, width) => Some(*width),
        OperandKind::Memory(address) => address.width,
        OperandKind::Number(_) => None,
    };
    let said: Vec<Width> = own.into_iter().chain(operands.iter().filter_map(of)).collect();
    (said.first().copied(), said.iter().any(|width| *width != said[0]))
}

/// Memory of a test.
#[derive(Debug)]
pub(super) struct Cell {
    pub(super) written: String,
    /// As the program calls it: words of the language are no names there.
    pub(super) name: String,
    pub(super) span: Span,
    /// For each cell, from the first one on, what it begins with where that is said.
    pub(super) initial: Vec<(i128, Span)>,
    /// For an array: how many cells it has.
    pub(super) length: Option<i64>,
    pub(super) declared: Option<Width>,
    /// Where it is accessed with 32 bits and with 64.
    pub(super) accessed: [Option<Span>; 2],
    /// Whether a register says which cell is meant.
    pub(super) is_indexed: bool,
}

impl Cell {
    /// How many bits what is kept there has.
    pub(super) fn width(&self) -> Width {
        match (self.length, self.accessed) {
            (None, [None, Some(_)]) => Width::Wide,
            (None, [Some(_), _]) => Width::Narrow,
            _ => {
                let is_large = self.initial.iter().any(|(number, _)| !(-PLAIN..2 * PLAIN).contains(number));
                self.declared.unwrap_or(if is_large { Width::Wide } else { Width::Narrow })
            }
        }
    }

    /// With which width a condition compares it.
    pub(super) fn asked(&self) -> Width {
        self.width().max(self.declared.unwrap_or(Width::Narrow))
    }

    /// Whether the program has one name for all cells, with an index.
    pub(super) fn is_array(&self) -> bool {
        self.is_indexed || self.length.is_some() && self.initial.iter().all(|(number, _)| *number == self.initial[0].0)
    }
}

/// For each label, in front of which instruction it stands, and how the program calls it.
pub(super) fn labels<'t>(reader: &mut LitmusReader<'_>, lines: &[LabelledInstruction<'t>]) -> Read<BTreeMap<&'t str, usize>> {
    let (mut labels, mut at) = (BTreeMap::new(), 0);
    for line in lines {
        for label in &line.labels {
            if labels.insert(label.text, at).is_some() {
                let message = format!("there is a label `{}` already", label.text);
                return Err(reader.refuse(codes::BAD_LITMUS, *label, message, "a name of its own", "take another name"));
            }
        }
        at += usize::from(line.instruction.is_some());
    }
    Ok(labels)
}
