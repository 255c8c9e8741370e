//! Instructions to statements: at most one access to memory in each, the first ones load and the last ones store, and
//! a locked instruction is one step.

use std::collections::BTreeMap;

use serval_diagnostic::Span;

use super::instructions::LabelledInstruction;
use super::operands::{Register, Width};
use super::piece::TextPiece;
use super::plan::{MemoryOperand, OperandSide, Planned, labels};
use super::trees::{LEFT, RIGHT, SUM, binary, name_in, number, place_of, target_in, tree};
use super::{Column, LitmusReader, Read, Wrong};
use crate::codes;
use crate::grammar::WORDS;
use crate::program::LockedKind;
use crate::tree::{Name, Stmt, StmtKind, Target, Tree, TreeKind};
use crate::value::BinaryOp;

/// What an instruction has loaded.
pub(super) const HELD: &str = "held";
/// Cells of an array that a register with any number of bytes chooses from, at most.
const CHOSEN: i64 = 16;

impl LitmusReader<'_> {
    /// Writes the code of a thread.
    pub(super) fn write_column(&mut self, column: &mut Column, lines: &[LabelledInstruction<'_>], code: &[Planned<'_>]) -> Read<()> {
        let labels = labels(self, lines)?;
        if code.len() != lines.iter().filter(|line| line.instruction.is_some()).count() {
            return Err(Wrong);
        }
        let flags = self.flags(code, &labels)?;
        for planned in code {
            if let Some((_, label)) = planned.jump.as_ref().filter(|(_, label)| !labels.contains_key(label.text)) {
                let message = format!("this thread has no label `{}`", label.text);
                return Err(self.refuse(codes::BAD_LITMUS, *label, message, "a label of this thread", "write `l:` before an instruction"));
            }
        }
        let named = names_of(labels.keys().copied());
        let mut code = code.iter().zip(flags.kept.iter().zip(flags.conditions));
        for line in lines {
            let names: Vec<Name> = line.labels.iter().map(|label| Name { text: named[label.text].clone(), span: label.span() }).collect();
            let (mut list, mut span) = (vec![StmtKind::Skip], line.labels.first().map_or(column.span, |label| label.span()));
            if line.instruction.is_some()
                && let Some((planned, (kept, condition))) = code.next()
            {
                span = planned.piece.span();
                list = match (&planned.jump, condition) {
                    (Some((_, label)), condition) => {
                        let goto = StmtKind::Goto(Name { text: named[label.text].clone(), span: label.span() });
                        vec![match condition {
                            Some(condition) => StmtKind::If(condition, statements(vec![goto], span), Vec::new()),
                            None => goto,
                        }]
                    }
                    (None, _) => {
                        let mut writing =
                            Writing { reader: &mut *self, column: &mut *column, list: Vec::new(), planned: *planned, keeps_flags: *kept };
                        // What is wrong with one has been said, and the others follow.
                        if writing.instruction().is_err() { continue } else { writing.list }
                    }
                };
            }
            let mut list = statements(list, span);
            if let Some(first) = list.first_mut() {
                first.labels = names;
            }
            column.body.extend(list);
        }
        Ok(())
    }
}

/// How the program calls labels, of which words of the language are none.
fn names_of<'t>(labels: impl Iterator<Item = &'t str>) -> BTreeMap<&'t str, String> {
    let mut named: BTreeMap<&str, String> = BTreeMap::new();
    for label in labels {
        let mut name = label.to_owned();
        while WORDS.contains(&name.as_str()) || named.values().any(|other| *other == name) {
            name.push('_');
        }
        named.insert(label, name);
    }
    named
}

fn statements(list: Vec<StmtKind>, span: Span) -> Vec<Stmt> {
    list.into_iter().map(|kind| Stmt { labels: Vec::new(), kind, span }).collect()
}

/// One instruction that is being written.
pub(super) struct Writing<'a, 'd, 't> {
    pub(super) reader: &'a mut LitmusReader<'d>,
    column: &'a mut Column,
    pub(super) list: Vec<StmtKind>,
    pub(super) planned: Planned<'t>,
    /// Whether a jump tests what is compared here.
    keeps_flags: bool,
}

impl<'t> Writing<'_, '_, 't> {
    pub(super) fn span(&self) -> Span {
        self.planned.piece.span()
    }

    /// Whether there are exactly 32 bits.
    pub(super) fn is_narrow(&self) -> bool {
        self.reader.exact && self.planned.width == Width::Narrow
    }

    fn instruction(&mut self) -> Read<()> {
        let Planned { name, locked, to, from, piece, .. } = self.planned;
        match (name, to, from) {
            (_, None, _) if locked => return Err(self.reader.not_locked(piece, name)),
            ("MFENCE", ..) => self.list.push(StmtKind::Fence),
            (_, None, _) => self.list.push(StmtKind::Skip),
            (_, Some((OperandSide::Number(_), at)), _) if !matches!(name, "CMP" | "TEST") => {
                let message = format!("`{}` is a number, which nothing can change", at.text);
                let help = "see the order of the operands";
                return Err(self.reader.refuse(codes::BAD_LITMUS, at, message, "a register or memory", help));
            }
            ("MOV" | "CMP" | "TEST", ..) if locked => return Err(self.reader.not_locked(piece, name)),
            (_, Some((OperandSide::Register(_), _)), _) if locked => return Err(self.reader.not_locked(piece, name)),
            ("MOV", Some((to, at)), Some((from, from_at))) => self.moved(to, at, from, from_at)?,
            ("CMP" | "TEST", Some((to, at)), Some((from, from_at))) => {
                let left = self.value(to, at)?;
                let right = self.value(from, from_at)?;
                if !self.keeps_flags {
                    self.list.extend(self.list.is_empty().then_some(StmtKind::Skip));
                } else if name == "CMP" {
                    self.keep_difference(left, right);
                } else {
                    let result = if self.planned.is_same() { left } else { self.computed("AND", left, Some(right)) };
                    self.keep_result(result);
                }
            }
            ("XCHG", Some((OperandSide::Register(one), at)), Some((OperandSide::Register(other), from_at))) => {
                let (left, right) = (self.get(one, at)?, self.get(other, from_at)?);
                self.hold(HELD, left);
                self.set(one, at, right)?;
                let held = name_in(HELD, self.span());
                self.set(other, from_at, held)?;
            }
            ("XADD" | "CMPXCHG", Some((OperandSide::Register(_), _)), _) => {
                let message = format!("`{name}` without memory is not read");
                return Err(self.reader.refuse(codes::OTHER_INSTRUCTION, piece, message, "memory and a register", "write it with `MOV`"));
            }
            ("XCHG" | "XADD" | "CMPXCHG", Some((OperandSide::Memory(place), at)), Some((OperandSide::Register(register), from_at))) => {
                self.exchanged(place, at, register, from_at)?;
            }
            ("XCHG" | "XADD" | "CMPXCHG", _, Some((_, from_at))) => {
                let message = format!("`{name}` needs a register beside memory");
                let help = "put the number into a register first";
                return Err(self.reader.refuse(codes::BAD_LITMUS, from_at, message, "a register", help));
            }
            (_, Some((to, at)), from) => self.changed(to, at, from)?,
        }
        Ok(())
    }

    fn moved(&mut self, to: OperandSide, at: TextPiece<'t>, from: OperandSide, from_at: TextPiece<'t>) -> Read<()> {
        match (to, from) {
            (OperandSide::Memory(place), _) => {
                let value = self.value(from, from_at)?;
                let target = self.target(place, at)?;
                self.list.push(StmtKind::Assign(target, value));
                Ok(())
            }
            (OperandSide::Register(register), OperandSide::Memory(place)) => {
                let cell = tree(self.target(place, from_at)?);
                self.set(register, at, cell)
            }
            (OperandSide::Register(register), _) => {
                let value = self.value(from, from_at)?;
                self.set(register, at, value)
            }
            (OperandSide::Number(_), _) => Ok(()),
        }
    }

    /// `XCHG`, `XADD` and `CMPXCHG` on memory.
    fn exchanged(&mut self, place: MemoryOperand, at: TextPiece<'t>, register: Register, from_at: TextPiece<'t>) -> Read<()> {
        let Planned { name, locked, width, piece, .. } = self.planned;
        let cell = tree(self.target(place, at)?);
        let value = self.get(register, from_at)?;
        match name {
            "XCHG" => {
                let to = Some(self.assigned(register, from_at)?);
                self.list.push(StmtKind::Locked { kind: LockedKind::Exchange, to, cell, operands: vec![value] });
            }
            "CMPXCHG" if !locked => return Err(self.two_accesses()),
            "CMPXCHG" => {
                let accumulator = Register::ACCUMULATOR;
                let compared = self.get(accumulator, piece)?;
                if self.keeps_flags {
                    let left = self.signed(compared.clone());
                    self.hold(LEFT, left);
                }
                let to = self.assigned(accumulator, piece)?;
                let is_part = self.is_narrow() && self.column.long.contains(&accumulator);
                if is_part {
                    // The upper half changes only where the comparison fails.
                    let old = || name_in(HELD, self.span());
                    let equal = binary(BinaryOp::Equal, old(), compared);
                    let yes = vec![StmtKind::Assign(place_of(&cell), value)];
                    let no = vec![StmtKind::Assign(to, old())];
                    let chosen = StmtKind::If(equal, statements(yes, self.span()), statements(no, self.span()));
                    let load = StmtKind::Assign(target_in(HELD, self.span()), cell);
                    self.list.push(StmtKind::Atomic(statements(vec![load, chosen], self.span())));
                } else {
                    self.list.push(StmtKind::Locked { kind: LockedKind::Compare, to: Some(to), cell, operands: vec![compared, value] });
                }
                if self.keeps_flags {
                    let old = if is_part { name_in(HELD, self.span()) } else { self.get(accumulator, piece)? };
                    let right = self.signed(old);
                    self.hold(RIGHT, right);
                }
            }
            _ => {
                let to = self.assigned(register, from_at)?;
                if locked && !self.keeps_flags && !(self.reader.exact && width == Width::Narrow) {
                    self.list.push(StmtKind::Locked { kind: LockedKind::Add, to: Some(to), cell, operands: vec![value] });
                    return Ok(());
                }
                let begins = self.list.len();
                let sum = self.loaded_and_computed("ADD", &cell, Some(value))?;
                self.list.push(StmtKind::Assign(place_of(&cell), sum));
                self.list.push(StmtKind::Assign(to, name_in(HELD, self.span())));
                self.lock(begins);
            }
        }
        Ok(())
    }

    /// Loads a cell, computes, and keeps flags; what was loaded stays in its register unless flags are kept.
    fn loaded_and_computed(&mut self, name: &str, cell: &Tree, operand: Option<Tree>) -> Read<Tree> {
        self.list.push(StmtKind::Assign(target_in(HELD, self.span()), cell.clone()));
        let held = name_in(HELD, self.span());
        if self.keeps_flags && matches!(name, "SUB" | "NEG") {
            self.keep_subtraction(name, held.clone(), operand.clone());
        }
        let result = self.computed(name, held, operand);
        if self.keeps_flags && !matches!(name, "SUB" | "NEG" | "NOT") {
            self.hold(SUM, result);
            let sum = name_in(SUM, self.span());
            self.keep_result(sum.clone());
            return Ok(sum);
        }
        Ok(result)
    }

    /// Instructions that change an operand by computing.
    fn changed(&mut self, to: OperandSide, at: TextPiece<'t>, from: Option<(OperandSide, TextPiece<'t>)>) -> Read<()> {
        let Planned { name, locked, width, .. } = self.planned;
        if matches!(name, "SHL" | "SHR") {
            let count = match from {
                Some((OperandSide::Number(count), _)) => count.rem_euclid(i128::from(width.bits())),
                _ => 0,
            };
            if count == 0 {
                let message = format!("`{name}` is read with a constant number of bits alone, and not 0");
                return Err(self.reader.refuse(codes::OTHER_INSTRUCTION, self.planned.piece, message, "`SHL EAX,$1`", "write a number"));
            }
        }
        if matches!(name, "INC" | "DEC") {
            self.reader.sum = self.reader.sum.saturating_add(1);
        }
        match to {
            OperandSide::Register(register) => {
                let operand = self.operand(from)?;
                let old = self.get(register, at)?;
                if self.keeps_flags && matches!(name, "SUB" | "NEG") {
                    self.keep_subtraction(name, old.clone(), operand.clone());
                }
                let same = self.planned.is_same();
                let result = match name {
                    "XOR" | "SUB" if same => number(0, self.span()),
                    "AND" | "OR" if same => old,
                    _ => self.computed(name, old, operand),
                };
                self.set(register, at, result)?;
                if self.keeps_flags && !matches!(name, "SUB" | "NEG" | "NOT") {
                    let result = self.get(register, at)?;
                    self.keep_result(result);
                }
            }
            OperandSide::Memory(place) => {
                let cell = tree(self.target(place, at)?);
                let operand = self.operand(from)?;
                let adds = matches!(name, "ADD" | "SUB" | "INC" | "DEC");
                if locked && adds && !self.keeps_flags && !(self.reader.exact && width == Width::Narrow) {
                    let operand = match (name, operand) {
                        ("INC", _) => number(1, self.span()),
                        ("DEC", _) => number(-1, self.span()),
                        ("SUB", Some(operand)) => {
                            let span = operand.span;
                            Tree { kind: TreeKind::Negate(Box::new(operand)), span }
                        }
                        (_, operand) => operand.unwrap_or_else(|| number(0, self.span())),
                    };
                    self.list.push(StmtKind::Locked { kind: LockedKind::Add, to: None, cell, operands: vec![operand] });
                    return Ok(());
                }
                let begins = self.list.len();
                let result = self.loaded_and_computed(name, &cell, operand)?;
                self.list.push(StmtKind::Assign(place_of(&cell), result));
                self.lock(begins);
            }
            OperandSide::Number(_) => {}
        }
        Ok(())
    }

    /// The second operand, if there is one.
    fn operand(&mut self, from: Option<(OperandSide, TextPiece<'t>)>) -> Read<Option<Tree>> {
        from.map(|(side, at)| self.value(side, at)).transpose()
    }

    /// Makes what was written since then one step, if the instruction is locked.
    fn lock(&mut self, begins: usize) {
        if self.planned.locked {
            let body = self.list.split_off(begins);
            self.list.push(StmtKind::Atomic(statements(body, self.span())));
        }
    }

    pub(super) fn hold(&mut self, register: &str, value: Tree) {
        self.list.push(StmtKind::Assign(target_in(register, self.span()), value));
    }

    fn keep_difference(&mut self, left: Tree, right: Tree) {
        let (left, right) = (self.signed(left), self.signed(right));
        self.hold(LEFT, left);
        self.hold(RIGHT, right);
    }

    fn keep_subtraction(&mut self, name: &str, old: Tree, operand: Option<Tree>) {
        match (name, operand) {
            ("SUB", Some(operand)) => self.keep_difference(old, operand),
            _ => self.keep_difference(number(0, self.span()), old),
        }
    }

    fn keep_result(&mut self, result: Tree) {
        self.keep_difference(result, number(0, self.span()));
    }

    /// A value with its sign.
    fn signed(&self, value: Tree) -> Tree {
        if !self.is_narrow() {
            return value;
        }
        let negative = binary(BinaryOp::GreaterOrEqual, value.clone(), number(1 << 31, self.span()));
        binary(BinaryOp::Subtract, value, binary(BinaryOp::Multiply, number(1 << 32, self.span()), negative))
    }

    /// What a register has, at the width of the instruction.
    fn get(&mut self, register: Register, piece: TextPiece<'_>) -> Read<Tree> {
        if self.column.address(register).is_some() {
            return Err(self.address_as_number(piece));
        }
        self.column.used.entry(register).or_insert(piece.span());
        let whole = name_in(register.name(self.reader.wide), piece.span());
        let is_part = self.is_narrow() && self.column.long.contains(&register);
        Ok(if is_part { binary(BinaryOp::Remainder, whole, number(1 << 32, piece.span())) } else { whole })
    }

    fn set(&mut self, register: Register, piece: TextPiece<'_>, value: Tree) -> Read<()> {
        let target = self.assigned(register, piece)?;
        self.list.push(StmtKind::Assign(target, value));
        Ok(())
    }

    /// A register that is changed.
    fn assigned(&mut self, register: Register, piece: TextPiece<'_>) -> Read<Target> {
        if self.column.address(register).is_some() {
            return Err(self.address_as_number(piece));
        }
        self.column.assigned.insert(register);
        Ok(target_in(register.name(self.reader.wide), piece.span()))
    }

    /// A register, a number, or memory that is loaded first.
    fn value(&mut self, side: OperandSide, piece: TextPiece<'t>) -> Read<Tree> {
        match side {
            OperandSide::Register(register) => self.get(register, piece),
            OperandSide::Number(value) => Ok(number(self.reader.at_width(value, self.planned.width, piece)?, piece.span())),
            OperandSide::Memory(place) => {
                let cell = tree(self.target(place, piece)?);
                self.hold(HELD, cell);
                Ok(name_in(HELD, piece.span()))
            }
        }
    }

    /// Memory as the program names it.
    fn target(&mut self, place: MemoryOperand, piece: TextPiece<'t>) -> Read<Target> {
        let number_of_cell = self.reader.inside(place.cell, place.offset, place.index.is_some(), piece)?;
        let span = piece.span();
        let mut target = self.reader.element(place.cell, number_of_cell, span);
        let Some((register, scale)) = place.index else { return Ok(target) };
        let cell = &self.reader.cells[place.cell];
        let (length, size) = (cell.length.unwrap_or(1), cell.width().bytes());
        let steps = scale.checked_div(size).filter(|steps| steps.checked_mul(size) == Some(scale));
        if length > CHOSEN && steps.is_none() {
            return Err(self.reader.odd(piece));
        }
        self.column.used.entry(register).or_insert(span);
        let offset = || name_in(register.name(self.reader.wide), span);
        let index = if let Some(steps) = steps.filter(|_| cell.length.is_some()) {
            let steps = binary(BinaryOp::Multiply, number(steps, span), offset());
            binary(BinaryOp::Add, number(number_of_cell, span), steps)
        } else {
            // With which offset each cell is meant; every other one is out of range.
            let at = |cell: i64| {
                let bytes = cell.checked_sub(number_of_cell)?.checked_mul(size)?;
                bytes.checked_div(scale).filter(|at| at.checked_mul(scale) == Some(bytes))
            };
            let mut sum = number(length, span);
            for (cell, bytes) in (0..length).filter_map(|cell| Some((cell, at(cell)?))) {
                let meant = binary(BinaryOp::Equal, offset(), number(bytes, span));
                sum = binary(BinaryOp::Subtract, sum, binary(BinaryOp::Multiply, number(length.saturating_sub(cell), span), meant));
            }
            sum
        };
        target.index = Some(Box::new(index));
        Ok(target)
    }

    fn address_as_number(&mut self, piece: TextPiece<'_>) -> Wrong {
        let message = format!("`{}` begins with an address, and is used as a number here", piece.text);
        self.reader.refuse(codes::OTHER_INSTRUCTION, piece, message, "another register", "take another register for the number")
    }

    fn two_accesses(&mut self) -> Wrong {
        let Planned { name, piece, .. } = self.planned;
        let message = format!("`{name}` on memory without `LOCK` is a load and perhaps a store, and is not read");
        self.reader.refuse(codes::OTHER_INSTRUCTION, piece, message, "a locked access", &format!("write `LOCK {name}`"))
    }
}
