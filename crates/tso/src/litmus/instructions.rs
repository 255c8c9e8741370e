//! Instructions to statements. Every access to memory is one statement, and a locked instruction is one.

use serval_syntax::Span;

use super::operands::{Operand, OperandKind, Order, Register};
use super::piece::Piece;
use super::{Column, Read, Reader, Wrong};
use crate::codes;
use crate::program::LockedKind;
use crate::tree::{Name, Stmt, StmtKind, Target, Tree, TreeKind};
use crate::value::BinaryOp;

/// What is read, and how many operands it has.
const KNOWN: &[(&str, usize)] = &[
    ("MOV", 2),
    ("XCHG", 2),
    ("XADD", 2),
    ("CMPXCHG", 2),
    ("ADD", 2),
    ("SUB", 2),
    ("XOR", 2),
    ("INC", 1),
    ("DEC", 1),
    ("MFENCE", 0),
    ("NOP", 0),
    // A mark for indirect jumps.
    ("ENDBR64", 0),
];

/// An instruction whose operands have been read, but not put in order.
#[derive(Debug)]
pub(super) struct Instruction<'t> {
    name: &'static str,
    locked: bool,
    operands: Vec<Operand<'t>>,
    /// The order that its letters show.
    order: Option<Order>,
    piece: Piece<'t>,
}

impl Instruction<'_> {
    pub(super) fn order(&self) -> Option<Order> {
        self.order
    }
}

/// Where a statement reads or writes.
enum Place {
    Register(Register),
    Memory(Target),
}

impl Reader<'_> {
    pub(super) fn instruction<'t>(&mut self, piece: Piece<'t>) -> Read<Instruction<'t>> {
        let (mut word, mut rest) = piece.word();
        let locked = word.text.eq_ignore_ascii_case("LOCK");
        if locked {
            (word, rest) = rest.word();
        }
        let upper = word.text.to_ascii_uppercase();
        let exact = KNOWN.iter().find(|(name, _)| *name == upper);
        let sized = || KNOWN.iter().find(|(name, count)| *count > 0 && upper.strip_suffix(['L', 'Q']) == Some(*name));
        let Some(&(name, count)) = exact.or_else(sized) else { return Err(self.unknown(word, &upper)) };
        let pieces = if rest.is_empty() { Vec::new() } else { rest.split(',') };
        if pieces.len() != count {
            let plural = if count == 1 { "" } else { "s" };
            let message = format!("`{}` has {count} operand{plural}, and here are {}", word.text, pieces.len());
            let expected = format!("{count} operand{plural}");
            return Err(self.refuse(codes::BAD_LITMUS, piece, message, &expected, "a comma stands between operands"));
        }
        let mut operands = Vec::new();
        for piece in pieces {
            operands.push(self.operand(piece)?);
        }
        let signs = operands.iter().filter_map(|operand| operand.order).chain(exact.is_none().then_some(Order::Last));
        let (first, last): (Vec<Order>, Vec<Order>) = signs.partition(|order| *order == Order::First);
        let order = match (first.is_empty(), last.is_empty(), operands.as_slice()) {
            (false, false, _) => {
                let message = "this instruction has signs of both orders of operands".to_owned();
                let expected = "`MOV [x],$1` or `movl $1,(x)`";
                let help = "`[x]` and numbers without `$` belong to one order; `%`, `(x)`, `x` alone and `movl` to the other";
                return Err(self.refuse(codes::BAD_LITMUS, piece, message, expected, help));
            }
            (false, true, _) => Some(Order::First),
            (true, false, _) => Some(Order::Last),
            // A number cannot be changed.
            (true, true, [Operand { kind: OperandKind::Number(_), .. }, _]) => Some(Order::Last),
            (true, true, [_, Operand { kind: OperandKind::Number(_), .. }]) => Some(Order::First),
            (true, true, _) => None,
        };
        Ok(Instruction { name, locked, operands, order, piece })
    }

    fn unknown(&mut self, word: Piece<'_>, upper: &str) -> Wrong {
        let named = |end: char| KNOWN.iter().any(|(name, _)| upper.strip_suffix(end) == Some(*name));
        let (message, help) = match upper {
            "" => ("an instruction is missing".to_owned(), "write an instruction after `LOCK`".to_owned()),
            "SFENCE" | "LFENCE" => {
                let said = "orders nothing on memory of the ordinary kind, and is not read";
                (format!("`{}` {said}", word.text), "remove it, or write `MFENCE`".to_owned())
            }
            _ if named('B') || named('W') => {
                (format!("`{}` is of 8 or 16 bits, and is not read", word.text), "use 32 or 64 bits".to_owned())
            }
            _ if upper.ends_with(':') => {
                (format!("`{:.40}` is a label; jumps are not read", word.text), "write the paths as tests of their own".to_owned())
            }
            _ => {
                let names: Vec<&str> = KNOWN.iter().map(|(name, _)| *name).collect();
                (format!("the instruction `{:.40}` is not read", word.text), format!("these are: {}", names.join(", ")))
            }
        };
        self.refuse(codes::OTHER_INSTRUCTION, word, message, "an instruction that is read", &help)
    }

    /// Writes an instruction at the end of a thread. `order` is the one that the other instructions of the file show.
    pub(super) fn write(&mut self, column: &mut Column, instruction: Instruction<'_>, order: Option<Order>) -> Read<()> {
        let Instruction { name, locked, operands, order: own, piece } = instruction;
        let span = piece.span();
        let same = match operands.as_slice() {
            [Operand { kind: OperandKind::Register(one), .. }, Operand { kind: OperandKind::Register(other), .. }] => one == other,
            _ => false,
        };
        let kind = match operands.as_slice() {
            [] if locked => return Err(self.not_locked(piece, name)),
            [] if name == "MFENCE" => StmtKind::Fence,
            [] => StmtKind::Skip,
            [single] => self.single(column, piece, name, locked, single)?,
            [first, second, ..] => {
                let Some(order) = own.or(order).or(same.then_some(Order::First)) else {
                    let message = "nothing shows in which order the operands stand".to_owned();
                    let help = "write registers as `%eax` if the last operand is changed, or memory as `[x]` somewhere if it is the first";
                    return Err(self.refuse(codes::BAD_LITMUS, piece, message, "a sign of the order", help));
                };
                let (to, from) = if order == Order::First { (first, second) } else { (second, first) };
                self.pair(column, piece, (name, locked), to, from)?
            }
        };
        column.body.push(Stmt { labels: Vec::new(), kind, span });
        Ok(())
    }

    /// `INC` and `DEC`.
    fn single(&mut self, column: &mut Column, piece: Piece<'_>, name: &str, locked: bool, operand: &Operand<'_>) -> Read<StmtKind> {
        self.sum = self.sum.saturating_add(1);
        let step = number(if name == "INC" { 1 } else { -1 }, piece.span());
        match (self.place(column, operand)?, locked) {
            (Place::Memory(target), true) => {
                Ok(StmtKind::Locked { kind: LockedKind::Add, to: None, cell: tree(target), operands: vec![step] })
            }
            (Place::Memory(_), false) => Err(self.two_accesses(piece, name)),
            (Place::Register(_), true) => Err(self.not_locked(piece, name)),
            (Place::Register(register), false) => {
                let old = self.read(column, register, operand.piece);
                Ok(StmtKind::Assign(self.assigned(column, register, operand.piece)?, joined(BinaryOp::Add, old, step)))
            }
        }
    }

    fn pair(
        &mut self,
        column: &mut Column,
        piece: Piece<'_>,
        (name, locked): (&str, bool),
        to: &Operand<'_>,
        from: &Operand<'_>,
    ) -> Read<StmtKind> {
        // An exchange is the same in both orders.
        let swapped = name == "XCHG" && matches!(to.kind, OperandKind::Register(_));
        let (to, from) = if swapped { (from, to) } else { (to, from) };
        let place = self.place(column, to)?;
        let is_locked = locked || name == "XCHG";
        if let (Place::Register(_), true) = (&place, locked) {
            return Err(self.not_locked(piece, name));
        }
        match (name, place) {
            ("MOV", _) if locked => Err(self.not_locked(piece, name)),
            ("MOV", Place::Memory(target)) => Ok(StmtKind::Assign(target, self.value(column, from)?)),
            ("MOV", Place::Register(register)) => {
                let value = match &from.kind {
                    OperandKind::Memory(_) | OperandKind::At(_) => match self.place(column, from)? {
                        Place::Memory(target) => tree(target),
                        Place::Register(other) => self.read(column, other, from.piece),
                    },
                    _ => self.value(column, from)?,
                };
                Ok(StmtKind::Assign(self.assigned(column, register, to.piece)?, value))
            }
            ("XOR", Place::Register(register)) if matches!(from.kind, OperandKind::Register(other) if other == register) => {
                Ok(StmtKind::Assign(self.assigned(column, register, to.piece)?, number(0, piece.span())))
            }
            ("XOR", _) => {
                let message = "`XOR` is read only where it clears a register".to_owned();
                Err(self.refuse(codes::OTHER_INSTRUCTION, piece, message, "`XOR EAX,EAX`", "write what it gives with `MOV`"))
            }
            ("ADD" | "SUB", Place::Register(register)) => {
                let operand = self.value(column, from)?;
                let old = self.read(column, register, to.piece);
                let op = if name == "ADD" { BinaryOp::Add } else { BinaryOp::Subtract };
                Ok(StmtKind::Assign(self.assigned(column, register, to.piece)?, joined(op, old, operand)))
            }
            (_, Place::Register(_)) => {
                let message = format!("`{name}` without memory is not read");
                Err(self.refuse(codes::OTHER_INSTRUCTION, piece, message, "memory and a register", "write it with `MOV`"))
            }
            (_, Place::Memory(_)) if !is_locked => Err(self.two_accesses(piece, name)),
            (_, Place::Memory(target)) => self.locked(column, piece, name, tree(target), from),
        }
    }

    fn locked(&mut self, column: &mut Column, piece: Piece<'_>, name: &str, cell: Tree, from: &Operand<'_>) -> Read<StmtKind> {
        let value = self.value(column, from)?;
        let (kind, to, operands) = match (name, &from.kind) {
            ("ADD", _) => (LockedKind::Add, None, vec![value]),
            ("SUB", _) => {
                let span = value.span;
                (LockedKind::Add, None, vec![Tree { kind: TreeKind::Negate(Box::new(value)), span }])
            }
            ("XCHG", OperandKind::Register(register)) => (LockedKind::Exchange, Some(*register), vec![value]),
            ("XADD", OperandKind::Register(register)) => (LockedKind::Add, Some(*register), vec![value]),
            ("CMPXCHG", OperandKind::Register(_)) => {
                let compared = self.read(column, Register::ACCUMULATOR, piece);
                (LockedKind::Compare, Some(Register::ACCUMULATOR), vec![compared, value])
            }
            _ => {
                let message = format!("`{name}` needs a register beside memory");
                return Err(self.refuse(codes::BAD_LITMUS, from.piece, message, "a register", "put the number into a register first"));
            }
        };
        let to = match to {
            Some(register) => Some(self.assigned(column, register, from.piece)?),
            None => None,
        };
        Ok(StmtKind::Locked { kind, to, cell, operands })
    }

    /// Memory or a register.
    fn place(&mut self, column: &mut Column, operand: &Operand<'_>) -> Read<Place> {
        let name = match &operand.kind {
            OperandKind::Register(register) => return Ok(Place::Register(*register)),
            OperandKind::Memory(name) => name.clone(),
            OperandKind::At(register) => match column.address(*register) {
                Some(cell) => cell.to_owned(),
                None => {
                    let message = format!("`{}` begins with no address in this thread", operand.piece.text);
                    let help = format!("let it begin with one: `{}:{}=x;`", column.number, register.name(self.wide));
                    return Err(self.refuse(codes::BAD_LITMUS, operand.piece, message, "a register with an address", &help));
                }
            },
            OperandKind::Number(_) => {
                let message = format!("`{}` is a number, which nothing can change", operand.piece.text);
                return Err(self.refuse(
                    codes::BAD_LITMUS,
                    operand.piece,
                    message,
                    "a register or memory",
                    "see the order of the operands",
                ));
            }
        };
        let span = operand.piece.span();
        let name = self.cell(&name, span);
        Ok(Place::Memory(Target { name: Name { text: name, span }, index: None }))
    }

    /// A register or a number.
    fn value(&mut self, column: &mut Column, operand: &Operand<'_>) -> Read<Tree> {
        match &operand.kind {
            OperandKind::Number(value) => Ok(number(*value, operand.piece.span())),
            OperandKind::Register(register) if column.address(*register).is_none() => Ok(self.read(column, *register, operand.piece)),
            OperandKind::Register(_) => Err(self.address_as_number(operand.piece)),
            OperandKind::Memory(_) | OperandKind::At(_) => {
                let message = "a second operand in memory".to_owned();
                let help = "load it into a register first, with `MOV`";
                Err(self.refuse(codes::OTHER_INSTRUCTION, operand.piece, message, "a register or a number", help))
            }
        }
    }

    fn read(&mut self, column: &mut Column, register: Register, piece: Piece<'_>) -> Tree {
        column.used.entry(register).or_insert(piece.span());
        tree(Target { name: Name { text: register.name(self.wide).to_owned(), span: piece.span() }, index: None })
    }

    /// A register that is changed.
    fn assigned(&mut self, column: &mut Column, register: Register, piece: Piece<'_>) -> Read<Target> {
        if column.address(register).is_some() {
            return Err(self.address_as_number(piece));
        }
        column.assigned.insert(register);
        Ok(Target { name: Name { text: register.name(self.wide).to_owned(), span: piece.span() }, index: None })
    }

    fn address_as_number(&mut self, piece: Piece<'_>) -> Wrong {
        let message = format!("`{}` begins with an address, and is used as a number here", piece.text);
        self.refuse(codes::OTHER_INSTRUCTION, piece, message, "another register", "take another register for the number")
    }

    fn two_accesses(&mut self, piece: Piece<'_>, name: &str) -> Wrong {
        let message = format!("`{name}` on memory without `LOCK` is a load and a store, and is not read");
        self.refuse(
            codes::OTHER_INSTRUCTION,
            piece,
            message,
            "one access, or a locked one",
            &format!("write `LOCK {name}`, or `MOV` twice"),
        )
    }

    fn not_locked(&mut self, piece: Piece<'_>, name: &str) -> Wrong {
        let message = format!("`LOCK` cannot stand before `{name}` here");
        self.refuse(codes::BAD_LITMUS, piece, message, "an instruction that reads and writes memory", "remove `LOCK`")
    }
}

fn tree(target: Target) -> Tree {
    let span = target.name.span;
    Tree { kind: TreeKind::Name(target), span }
}

fn number(value: i64, span: Span) -> Tree {
    let digits = Tree { kind: TreeKind::Number(value.abs()), span };
    if value < 0 { Tree { kind: TreeKind::Negate(Box::new(digits)), span } } else { digits }
}

fn joined(op: BinaryOp, left: Tree, right: Tree) -> Tree {
    let span = left.span;
    Tree { kind: TreeKind::Binary(op, Box::new(left), Box::new(right)), span }
}
