//! What names mean: cells of memory and registers.

use serval_diagnostic::counted;
use serval_diagnostic::{Span, similar};

use super::{Context, nth};
use crate::codes;
use crate::limits::MAX_REGISTERS;
use crate::program::{Address, CellId, RegisterId};
use crate::tree::{Name, Target, Tree, TreeKind};
use crate::value::{BinaryOp, Expr};

/// A name of memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Array {
    pub(crate) first: CellId,
    /// How many cells; `None` for a single cell.
    pub(crate) length: Option<i64>,
    pub(crate) span: Span,
}

/// All of memory.
#[derive(Debug, Default)]
pub(crate) struct Cells {
    pub(crate) list: Vec<(String, i64)>,
    names: Vec<(String, Array)>,
}

impl Cells {
    pub(crate) fn find(&self, name: &str) -> Option<Array> {
        self.names.iter().find(|(known, _)| known == name).map(|(_, array)| *array)
    }

    /// The memory of a program that has been read.
    pub(crate) fn of(list: &[(String, i64)]) -> Self {
        let mut names: Vec<(String, Array)> = Vec::new();
        for (number, (name, _)) in list.iter().enumerate() {
            let (name, is_array) = name.split_once('[').map_or((name.as_str(), false), |(name, _)| (name, true));
            match names.last_mut() {
                // The cells of an array stand together.
                Some((known, Array { length: Some(length), .. })) if is_array && known == name => *length = length.saturating_add(1),
                _ => names
                    .push((name.to_owned(), Array { first: CellId::new(number), length: is_array.then_some(1), span: Span::default() })),
            }
        }
        Self { list: list.to_vec(), names }
    }

    pub(crate) fn declare(&mut self, name: &Name, length: Option<i64>, initial: i64) {
        self.names.push((name.text.clone(), Array { first: CellId::new(self.list.len()), length, span: name.span }));
        match length {
            None => self.list.push((name.text.clone(), initial)),
            Some(length) => self.list.extend((0..length).map(|index| (format!("{}[{index}]", name.text), initial))),
        }
    }
}

/// The registers of a thread, as far as they have been met.
#[derive(Debug, Default)]
pub(crate) struct Registers {
    pub(crate) names: Vec<String>,
    assigned: Vec<bool>,
    /// Where each was first read.
    read: Vec<Option<Span>>,
}

impl Registers {
    fn number(&mut self, name: &str) -> usize {
        if let Some(number) = self.names.iter().position(|known| known == name) {
            return number;
        }
        // There are too many already, which is said of the thread as a whole.
        if self.names.len() > MAX_REGISTERS {
            return MAX_REGISTERS;
        }
        self.names.push(name.to_owned());
        self.assigned.push(false);
        self.read.push(None);
        self.names.len() - 1
    }

    fn read(&mut self, name: &Name) -> RegisterId {
        let number = self.number(&name.text);
        self.read[number].get_or_insert(name.span);
        RegisterId::new(number)
    }

    pub(crate) fn assigned(&mut self, name: &Name) -> RegisterId {
        let number = self.number(&name.text);
        self.assigned[number] = true;
        RegisterId::new(number)
    }

    /// Registers that are read and never assigned.
    pub(crate) fn unassigned(&self) -> impl Iterator<Item = (&str, Span)> {
        let rows = self.names.iter().zip(&self.assigned).zip(&self.read);
        rows.filter(|((_, assigned), _)| !**assigned).filter_map(|((name, _), read)| Some((name.as_str(), (*read)?)))
    }
}

impl Context<'_> {
    /// An expression over registers alone.
    pub(crate) fn over_registers(&mut self, registers: &mut Registers, tree: &Tree) -> Option<Expr<RegisterId>> {
        Some(match &tree.kind {
            TreeKind::Number(number) => {
                self.largest = self.largest.max(number.abs());
                Expr::Number(*number)
            }
            TreeKind::Name(target) => {
                if self.cells.find(&target.name.text).is_some() {
                    let message = format!("`{}` is memory, which an expression over registers cannot read", target.name.text);
                    let help = format!("load it first: `r := {};`", target.name.text);
                    self.error(codes::TWO_ACCESSES, tree.span, message, "one memory access in a statement", help);
                    return None;
                }
                if target.index.is_some() {
                    self.unknown_cell(&target.name);
                    return None;
                }
                Expr::Atom(registers.read(&target.name))
            }
            TreeKind::Register(..) | TreeKind::At(..) => {
                let message = "this is known to questions alone".to_owned();
                self.error(codes::MISPLACED, tree.span, message, "a register of this thread", "write the name of a register".to_owned());
                return None;
            }
            TreeKind::Any => {
                let message = "`?` in a locked step".to_owned();
                let help = "choose before it, into a register: `if (?) { r := 1; } else { r := 0; }`".to_owned();
                self.error(codes::MISPLACED, tree.span, message, "an expression over registers", help);
                return None;
            }
            TreeKind::Not(inner) => Expr::Not(Box::new(self.over_registers(registers, inner)?)),
            TreeKind::Negate(inner) => Expr::Negate(Box::new(self.over_registers(registers, inner)?)),
            TreeKind::Binary(op, left, right) => {
                let left = self.over_registers(registers, left);
                let right = self.over_registers(registers, right);
                Expr::Binary(*op, Box::new(left?), Box::new(right?))
            }
        })
    }

    /// A register that nothing is ever assigned to is a name that was meant otherwise.
    pub(crate) fn unassigned(&mut self, name: &str, span: Span, registers: &[String]) {
        let known: Vec<String> = self.cells.names.iter().map(|(name, _)| name.clone()).chain(registers.iter().cloned()).collect();
        let help = match similar(name, known.iter().map(String::as_str)) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("assign to it first, or declare it: `memory {name} = 0;`"),
        };
        let message = format!("`{name}` is read, and nothing in this thread assigns to it");
        self.error(codes::UNKNOWN_NAME, span, message, "a register that has a value, or memory", help);
    }

    pub(crate) fn unknown_cell(&mut self, name: &Name) {
        let known: Vec<String> = self.cells.names.iter().map(|(name, _)| name.clone()).collect();
        let help = match similar(&name.text, known.iter().map(String::as_str)) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("declare it: `memory {} = 0;`", name.text),
        };
        self.error(codes::UNKNOWN_NAME, name.span, format!("there is no memory `{}`", name.text), "a name that `memory` declares", help);
    }

    /// Memory, where the name is a name of memory.
    pub(crate) fn address(&mut self, registers: &mut Registers, target: &Target) -> Option<Address> {
        let Some(array) = self.cells.find(&target.name.text) else {
            self.unknown_cell(&target.name);
            return None;
        };
        match (array.length, &target.index) {
            (None, None) => Some(Address { first: array.first, index: None }),
            (None, Some(_)) => {
                let message = format!("`{}` is one cell, not an array", target.name.text);
                self.error(codes::MISPLACED, target.name.span, message, "no index", "remove the index".to_owned());
                None
            }
            (Some(length), None) => {
                let message = format!("`{}` is an array of {}", target.name.text, counted(length, "cell"));
                self.error(codes::MISPLACED, target.name.span, message, "an index", format!("write `{}[0]`, say", target.name.text));
                None
            }
            (Some(length), Some(index)) => {
                if let Some(constant) = constant(index) {
                    return self.cell_of(target, array, length, constant).map(|first| Address { first, index: None });
                }
                let index = self.over_registers(registers, index)?;
                Some(Address { first: array.first, index: Some((u32::try_from(length).ok()?, index)) })
            }
        }
    }

    /// A cell of an array by number.
    pub(crate) fn cell_of(&mut self, target: &Target, array: Array, length: i64, index: i64) -> Option<CellId> {
        if (0..length).contains(&index) {
            return Some(nth(array.first, index));
        }
        let message = format!("`{}` has {}, and no cell {index}", target.name.text, counted(length, "cell"));
        let help = format!("cells are counted from 0 to {}", length.saturating_sub(1));
        self.error(codes::BAD_VALUES, target.name.span, message, "a cell that there is", help);
        None
    }
}

/// The value of an expression without names.
pub(crate) fn constant(tree: &Tree) -> Option<i64> {
    match &tree.kind {
        TreeKind::Number(number) => Some(*number),
        TreeKind::Negate(inner) => constant(inner)?.checked_neg(),
        TreeKind::Binary(BinaryOp::Add, left, right) => constant(left)?.checked_add(constant(right)?),
        _ => None,
    }
}
