//! Registers, numbers and operands, and in which order the operands of an instruction stand.

use super::piece::TextPiece;
use super::{LitmusReader, Read};
use crate::codes;

/// Which operand an instruction changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// The first, as Intel writes it.
    First,
    /// The last, as AT&T wrote it.
    Last,
}

/// How many bits an access has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Width {
    Narrow,
    Wide,
}

impl Width {
    pub(super) fn bits(self) -> u32 {
        match self {
            Self::Narrow => 32,
            Self::Wide => 64,
        }
    }

    pub(super) fn bytes(self) -> i64 {
        i64::from(self.bits() / 8)
    }
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

/// An address: a name or a register that holds an address, registers that are added, each times a factor, and a number
/// of bytes.
#[derive(Clone, Debug, Default)]
pub(super) struct Address {
    pub(super) name: Option<String>,
    pub(super) registers: Vec<(Register, Width, i64)>,
    pub(super) offset: i64,
    /// Where `dword ptr` or `qword ptr` says it.
    pub(super) width: Option<Width>,
}

/// What an operand is.
#[derive(Clone, Debug)]
pub(super) enum OperandKind {
    Register(Register, Width),
    Number(i128),
    Memory(Address),
}

#[derive(Clone, Debug)]
pub(super) struct Operand<'t> {
    pub(super) kind: OperandKind,
    /// The order of which it is typical.
    pub(super) order: Option<Order>,
    pub(super) piece: TextPiece<'t>,
}

/// Whether a word can be a name.
pub(super) fn is_name(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && word.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

/// A number as it is written, if it is one of at most 64 bits, with a sign or without.
fn parsed(word: &str) -> Option<i128> {
    let (negative, digits) = word.strip_prefix('-').map_or((false, word), |digits| (true, digits));
    let value = match digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
        Some(digits) if digits.starts_with(|first: char| first.is_ascii_hexdigit()) => i128::from_str_radix(digits, 16).ok()?,
        None if digits.starts_with(|first: char| first.is_ascii_digit()) => digits.parse().ok()?,
        _ => return None,
    };
    let value = if negative { -value } else { value };
    // The least number of 64 bits has no opposite, and is left out.
    let fits = (-i128::from(i64::MAX)..=i128::from(u64::MAX)).contains(&value) && value != 1 << 63;
    fits.then_some(value)
}

impl LitmusReader<'_> {
    /// The register of this name, if it is one.
    pub(super) fn register(&mut self, piece: TextPiece<'_>) -> Read<Option<(Register, Width)>> {
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
        let width = if FAMILIES[found].1 == word { Width::Narrow } else { Width::Wide };
        Ok(Some((Register(found), width)))
    }

    /// A number of at most 64 bits.
    pub(super) fn number(&mut self, piece: TextPiece<'_>) -> Read<i128> {
        let word = piece.text;
        if let Some(number) = parsed(word) {
            self.sum = self.sum.saturating_add(number.max(0));
            return Ok(number);
        }
        let message = format!("`{word:.40}` is no number that can be used");
        let help = "numbers are decimal or hexadecimal, `0x10`, with a sign or without";
        Err(self.refuse(codes::BAD_LITMUS, piece, message, "a number of at most 64 bits", help))
    }

    /// A number as registers and memory of this width keep it: from 0 to 2³² - 1, or with a sign in 64 bits.
    pub(super) fn at_width(&mut self, number: i128, width: Width, piece: TextPiece<'_>) -> Read<i64> {
        let kept = match width {
            Width::Narrow if (-(1 << 31)..1 << 32).contains(&number) => i64::try_from(number.rem_euclid(1 << 32)).ok(),
            Width::Narrow => None,
            Width::Wide if number > i128::from(i64::MAX) => i64::try_from(number - (1 << 64)).ok(),
            Width::Wide => i64::try_from(number).ok(),
        };
        kept.ok_or_else(|| {
            let message = format!("`{:.40}` does not fit {} bits", piece.text, width.bits());
            self.refuse(codes::BAD_LITMUS, piece, message, "a number that fits", "write a smaller number, or an access of 64 bits")
        })
    }

    pub(super) fn operand<'t>(&mut self, piece: TextPiece<'t>) -> Read<Operand<'t>> {
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
                Some((register, width)) => made(OperandKind::Register(register, width), Some(Order::Last)),
                None => Err(self.odd(piece)),
            };
        }
        let lower = piece.text.to_ascii_lowercase();
        for (size, width) in [("dword", Width::Narrow), ("qword", Width::Wide)] {
            if lower.starts_with(size) {
                let (_, rest) = piece.word();
                let rest = if rest.word().0.text.eq_ignore_ascii_case("ptr") { rest.word().1 } else { rest };
                let Some(inner) = rest.between('[', ']') else { return Err(self.odd(piece)) };
                let address = Address { width: Some(width), ..self.sum_of(inner, piece)? };
                return made(OperandKind::Memory(address), Some(Order::First));
            }
        }
        if ["byte", "word"].iter().any(|size| lower.split_whitespace().next() == Some(size)) {
            let message = format!("`{}` is memory of 8 or 16 bits, and is not read", piece.text);
            return Err(self.refuse(codes::OTHER_INSTRUCTION, piece, message, "memory of 32 or 64 bits", "use 32 or 64 bits"));
        }
        if let Some(inner) = piece.between('[', ']') {
            return made(OperandKind::Memory(self.sum_of(inner, piece)?), Some(Order::First));
        }
        if piece.text.ends_with(')') {
            return made(OperandKind::Memory(self.in_parentheses(piece)?), Some(Order::Last));
        }
        if piece.text.starts_with(|first: char| first.is_ascii_digit() || first == '-') {
            return made(OperandKind::Number(self.number(piece)?), Some(Order::First));
        }
        if let Some((name, _)) = piece.text.split_once('+')
            && is_name(name.trim())
        {
            return made(OperandKind::Memory(self.sum_of(piece, piece)?), Some(Order::Last));
        }
        if !is_name(piece.text) {
            return Err(self.odd(piece));
        }
        match self.register(piece)? {
            Some((register, width)) => made(OperandKind::Register(register, width), None),
            None => made(OperandKind::Memory(self.sum_of(piece, piece)?), Some(Order::Last)),
        }
    }

    /// `x`, `x+4`, `rdi+4*rax`: what stands in the brackets of an operand.
    fn sum_of(&mut self, inner: TextPiece<'_>, operand: TextPiece<'_>) -> Read<Address> {
        let mut address = Address::default();
        for term in inner.split('+') {
            let factors = term.split('*');
            let (word, scale) = match factors.as_slice() {
                [word] => (*word, 1),
                [word, scale] if scale.text.parse::<i64>().is_ok() => (*word, scale.text.parse().unwrap_or(1)),
                [scale, word] if scale.text.parse::<i64>().is_ok() => (*word, scale.text.parse().unwrap_or(1)),
                _ => return Err(self.odd(operand)),
            };
            let word = word.after("%").unwrap_or(word);
            self.add_term(&mut address, word, scale, operand)?;
        }
        Ok(address)
    }

    fn add_term(&mut self, address: &mut Address, word: TextPiece<'_>, scale: i64, operand: TextPiece<'_>) -> Read<()> {
        if !is_name(word.text) {
            let Some(offset) = parsed(word.text).and_then(|number| i64::try_from(number).ok()?.checked_mul(scale)) else {
                return Err(self.odd(if word.is_empty() { operand } else { word }));
            };
            address.offset = address.offset.saturating_add(offset);
            return Ok(());
        }
        if word.text.eq_ignore_ascii_case("rip") && self.wide {
            return Ok(());
        }
        match self.register(word)? {
            Some((register, width)) => address.registers.push((register, width, scale)),
            None if address.name.is_none() && scale == 1 => address.name = Some(word.text.to_owned()),
            None => return Err(self.odd(operand)),
        }
        Ok(())
    }

    /// `(x)`, `(%rdi)`, `4(%rdi)`, `x(%rip)`, `a+4(,%rax,4)`.
    fn in_parentheses(&mut self, piece: TextPiece<'_>) -> Read<Address> {
        let Some(open) = piece.text.find('(') else { return Err(self.odd(piece)) };
        let (before, after) = piece.cut(open);
        let Some(inner) = after.between('(', ')') else { return Err(self.odd(piece)) };
        let before = before.trimmed();
        let mut address = if before.is_empty() { Address::default() } else { self.sum_of(before, piece)? };
        let parts = inner.split(',');
        if parts.len() > 3 || parts.iter().all(|part| part.is_empty()) {
            return Err(self.odd(piece));
        }
        let scale = match parts.get(2) {
            None => 1,
            Some(scale) => match scale.text.parse() {
                Ok(scale) => scale,
                Err(_) => return Err(self.odd(piece)),
            },
        };
        for (number, part) in parts.into_iter().take(2).enumerate().filter(|(_, part)| !part.is_empty()) {
            let word = part.after("%").unwrap_or(part);
            if !is_name(word.text) {
                return Err(self.odd(part));
            }
            self.add_term(&mut address, word, if number == 1 { scale } else { 1 }, piece)?;
        }
        Ok(address)
    }

    pub(super) fn odd(&mut self, piece: TextPiece<'_>) -> super::Wrong {
        let message = match piece.text {
            "" => "an operand is missing".to_owned(),
            text => format!("`{text:.40}` is no operand that is read"),
        };
        let expected = "a register, `$1`, `[x]` or `(x)`";
        self.refuse(codes::OTHER_INSTRUCTION, piece, message, expected, "memory is `x`, `x+4` or a register that begins with an address")
    }
}

/// Whether a word is R, a number and this end.
fn is_numbered(word: &str, end: &str) -> bool {
    word.strip_prefix('R').and_then(|rest| rest.strip_suffix(end)).is_some_and(|digits| digits.parse::<u8>().is_ok())
}
