//! Registers, operands, and in which order the operands of an instruction stand.

use super::piece::Piece;
use super::{Read, Reader};
use crate::codes;
use crate::limits::MAX_VALUE;

/// Which operand an instruction changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// The first, as Intel writes it.
    First,
    /// The last, as AT&T wrote it.
    Last,
}

/// A register, by its place in [`FAMILIES`]: `EAX` is a part of `RAX`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Register(usize);

/// The names of a register with 64 and with 32 bits.
const FAMILIES: &[(&str, &str)] = &[
    ("RAX", "EAX"),
    ("RBX", "EBX"),
    ("RCX", "ECX"),
    ("RDX", "EDX"),
    ("RSI", "ESI"),
    ("RDI", "EDI"),
    ("RBP", "EBP"),
    ("RSP", "ESP"),
    ("R8", "R8D"),
    ("R9", "R9D"),
    ("R10", "R10D"),
    ("R11", "R11D"),
    ("R12", "R12D"),
    ("R13", "R13D"),
    ("R14", "R14D"),
    ("R15", "R15D"),
];
/// Parts of registers with 8 or 16 bits, which stores of another width would need.
const NARROW: &[&str] =
    &["AX", "BX", "CX", "DX", "SI", "DI", "BP", "SP", "AL", "AH", "BL", "BH", "CL", "CH", "DL", "DH", "SIL", "DIL", "BPL", "SPL"];

impl Register {
    /// Where locked comparisons find what they compare with.
    pub(super) const ACCUMULATOR: Self = Self(0);

    /// How it is called in the program.
    pub(super) fn name(self, wide: bool) -> &'static str {
        let (long, short) = FAMILIES[self.0];
        if wide { long } else { short }
    }
}

/// What an operand is.
#[derive(Clone, Debug)]
pub(super) enum OperandKind {
    Register(Register),
    Number(i64),
    /// A name of memory, as written.
    Memory(String),
    /// Memory at the address in a register.
    At(Register),
}

#[derive(Clone, Debug)]
pub(super) struct Operand<'t> {
    pub(super) kind: OperandKind,
    /// The order of which it is typical.
    pub(super) order: Option<Order>,
    pub(super) piece: Piece<'t>,
}

/// Whether a word can be a name.
pub(super) fn is_name(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && word.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

impl Reader<'_> {
    /// The register of this name, if it is one.
    pub(super) fn register(&mut self, piece: Piece<'_>) -> Read<Option<Register>> {
        let word = piece.text.to_ascii_uppercase();
        let narrow = NARROW.contains(&word.as_str()) || word.starts_with('R') && ["B", "W"].iter().any(|end| is_numbered(&word, end));
        if narrow {
            let message = format!("`{}` is a part of a register with 8 or 16 bits, which is not read", piece.text);
            return Err(self.refuse(codes::OTHER_INSTRUCTION, piece, message, "a register of 32 or 64 bits", "use the whole register"));
        }
        let Some(found) = FAMILIES.iter().position(|(long, short)| *long == word || *short == word) else { return Ok(None) };
        if !self.wide && (FAMILIES[found].1 != word || found >= 8) {
            let message = format!("`{}` is no register of a machine with 32 bits", piece.text);
            return Err(self.refuse(codes::BAD_LITMUS, piece, message, "a register of X86", "write `X86_64` in the first line"));
        }
        Ok(Some(Register(found)))
    }

    /// A number that is not negative.
    pub(super) fn number(&mut self, piece: Piece<'_>) -> Read<i64> {
        let word = piece.text;
        let parsed = match word.strip_prefix("0x").or(word.strip_prefix("0X")) {
            Some(digits) if digits.starts_with(|first: char| first.is_ascii_hexdigit()) => i64::from_str_radix(digits, 16).ok(),
            None if word.starts_with(|first: char| first.is_ascii_digit()) => word.parse().ok(),
            _ => None,
        };
        if let Some(number) = parsed.filter(|number| *number <= MAX_VALUE) {
            self.sum = self.sum.saturating_add(number);
            return Ok(number);
        }
        let message = format!("`{word:.40}` is no number that can be used");
        let help = "a negative number means another one for each width, and is not read";
        Err(self.refuse(codes::BAD_LITMUS, piece, message, &format!("a number from 0 to {MAX_VALUE}"), help))
    }

    pub(super) fn operand<'t>(&mut self, piece: Piece<'t>) -> Read<Operand<'t>> {
        let made = |kind, order| Ok(Operand { kind, order, piece });
        if let Some(number) = piece.after("$") {
            if is_name(number.text) {
                let message = format!("`{}` is the address of `{}`, which is not read", piece.text, number.text);
                let help = "let the register begin with the address: `0:RAX=x;`";
                return Err(self.refuse(codes::OTHER_INSTRUCTION, piece, message, "a number", help));
            }
            return made(OperandKind::Number(self.number(number)?), None);
        }
        if let Some(name) = piece.after("%") {
            return match self.register(name)? {
                Some(register) => made(OperandKind::Register(register), Some(Order::Last)),
                None => Err(self.odd(piece)),
            };
        }
        let lower = piece.text.to_ascii_lowercase();
        for size in ["dword", "qword"] {
            if lower.starts_with(size) {
                let (_, rest) = piece.word();
                let rest = if rest.word().0.text.eq_ignore_ascii_case("ptr") { rest.word().1 } else { rest };
                let Some(inner) = rest.between('[', ']') else { return Err(self.odd(piece)) };
                return made(self.memory(inner)?, Some(Order::First));
            }
        }
        if let Some(inner) = piece.between('[', ']') {
            return made(self.memory(inner)?, Some(Order::First));
        }
        if let Some(inner) = piece.between('(', ')') {
            let inner = inner.after("%").unwrap_or(inner);
            return made(self.memory(inner)?, Some(Order::Last));
        }
        if lower.ends_with("(%rip)") {
            let (name, _) = piece.cut(piece.text.len() - "(%rip)".len());
            return made(self.memory(name.trimmed())?, Some(Order::Last));
        }
        if piece.text.starts_with(|first: char| first.is_ascii_digit() || first == '-') {
            return made(OperandKind::Number(self.number(piece)?), Some(Order::First));
        }
        if !is_name(piece.text) {
            return Err(self.odd(piece));
        }
        match self.register(piece)? {
            Some(register) => made(OperandKind::Register(register), None),
            None => made(OperandKind::Memory(piece.text.to_owned()), Some(Order::Last)),
        }
    }

    /// What stands in the brackets of an operand.
    fn memory(&mut self, inner: Piece<'_>) -> Read<OperandKind> {
        if !is_name(inner.text) {
            return Err(self.odd(inner));
        }
        Ok(match self.register(inner)? {
            Some(register) => OperandKind::At(register),
            None => OperandKind::Memory(inner.text.to_owned()),
        })
    }

    fn odd(&mut self, piece: Piece<'_>) -> super::Wrong {
        let message = match piece.text {
            "" => "an operand is missing".to_owned(),
            text => format!("`{text:.40}` is no operand that is read"),
        };
        let expected = "a register, `$1`, `[x]` or `(x)`";
        self.refuse(codes::OTHER_INSTRUCTION, piece, message, expected, "memory is one name, without an offset")
    }
}

/// Whether a word is R, a number and this end.
fn is_numbered(word: &str, end: &str) -> bool {
    word.strip_prefix('R').and_then(|rest| rest.strip_suffix(end)).is_some_and(|digits| digits.parse::<u8>().is_ok())
}
