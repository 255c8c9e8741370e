//! What instructions compute, in an arithmetic that has no bits: bit `i` of a number `a` is `a % 2ⁱ⁺¹ >= 2ⁱ`.

use super::operands::Width;
use super::trees::{SUM, binary, name_in, number};
use super::write::Writing;
use crate::tree::{Tree, TreeKind};
use crate::value::BinaryOp;

/// How many bits one expression adds up, so that none is too long.
const TOGETHER: usize = 8;

impl Writing<'_, '_, '_> {
    /// The result of an instruction. Statements that it needs are written.
    pub(super) fn computed(&mut self, op: &str, old: Tree, operand: Option<Tree>) -> Tree {
        let span = self.span();
        let operand = operand.unwrap_or_else(|| number(1, span));
        let constant = constant(&operand);
        let negated = |tree: Tree| Tree { kind: TreeKind::Negate(Box::new(tree)), span };
        match (op, constant) {
            ("ADD" | "INC", _) => self.modulo(binary(BinaryOp::Add, old, operand)),
            ("DEC", _) => self.modulo(binary(BinaryOp::Add, old, number(-1, span))),
            ("SUB", _) => self.modulo(binary(BinaryOp::Subtract, old, operand)),
            ("NEG", _) => self.modulo(negated(old)),
            ("NOT", _) => self.complement(old),
            ("SHL", Some(count)) => self.shifted_left(old, count),
            ("SHR", Some(count)) => {
                let (low, high) = (usize::try_from(count).unwrap_or(0) % self.bits(), self.bits());
                let terms = (low..high).map(|bit| (bit - low, self.bit(&old, bit))).collect();
                self.sum(terms)
            }
            ("AND", Some(0)) => number(0, span),
            ("OR" | "XOR", Some(0)) => old,
            ("AND", Some(mask)) if mask > 0 && mask < 1 << 62 && mask.count_ones() == mask.trailing_ones() => {
                binary(BinaryOp::Remainder, old, number(mask.saturating_add(1), span))
            }
            ("XOR", Some(mask)) if mask == if self.bits() == 32 { u32::MAX.into() } else { -1 } => self.complement(old),
            (_, Some(mask)) => {
                let set = |bit: usize| mask >> bit & 1 == 1;
                let not = |tree: Tree| Tree { kind: TreeKind::Not(Box::new(tree)), span };
                let of = |bit: usize| match (op, set(bit)) {
                    ("AND", false) => None,
                    ("OR", true) => Some((bit, number(1, span))),
                    ("XOR", true) => Some((bit, not(self.bit(&old, bit)))),
                    _ => Some((bit, self.bit(&old, bit))),
                };
                let terms = (0..self.bits()).filter_map(of).collect();
                self.sum(terms)
            }
            (_, None) => {
                let joins = match op {
                    "AND" => BinaryOp::And,
                    "OR" => BinaryOp::Or,
                    _ => BinaryOp::Unequal,
                };
                let terms = (0..self.bits()).map(|bit| (bit, binary(joins, self.bit(&old, bit), self.bit(&operand, bit)))).collect();
                self.sum(terms)
            }
        }
    }

    fn bits(&self) -> usize {
        if self.planned.width == Width::Narrow { 32 } else { 64 }
    }

    /// The low bits of a sum, where there are 32.
    fn modulo(&self, sum: Tree) -> Tree {
        if self.is_narrow() { binary(BinaryOp::Remainder, sum, number(1 << 32, self.span())) } else { sum }
    }

    fn complement(&self, old: Tree) -> Tree {
        let ones = if self.bits() == 32 { u32::MAX.into() } else { -1 };
        binary(BinaryOp::Subtract, number(ones, self.span()), old)
    }

    fn shifted_left(&self, old: Tree, count: i64) -> Tree {
        let span = self.span();
        let bits = i64::try_from(self.bits()).unwrap_or(64);
        let count = count.rem_euclid(bits);
        if self.bits() == 32 || count < 2 {
            return self.modulo(binary(BinaryOp::Multiply, old, number(1 << count, span)));
        }
        // Of the bits that stay, the highest is the sign.
        let rest = bits.saturating_sub(count);
        let (all, half) = (1 << rest, 1 << rest.saturating_sub(1));
        let low = binary(BinaryOp::Remainder, old, number(all, span));
        let turned = binary(BinaryOp::Remainder, binary(BinaryOp::Add, low, number(half, span)), number(all, span));
        let signed = binary(BinaryOp::Subtract, turned, number(half, span));
        if count == 63 {
            return binary(BinaryOp::Multiply, binary(BinaryOp::Multiply, signed, number(1 << 62, span)), number(2, span));
        }
        binary(BinaryOp::Multiply, signed, number(1 << count, span))
    }

    /// A bit of a number: 0 or 1.
    fn bit(&self, of: &Tree, bit: usize) -> Tree {
        let span = self.span();
        let at_least = |tree: Tree, least: i64| binary(BinaryOp::GreaterOrEqual, tree, number(least, span));
        match (self.bits(), bit) {
            (_, 63) => binary(BinaryOp::Less, of.clone(), number(0, span)),
            (_, 62) => {
                // Of numbers below 0 those that are nearer to it.
                let below = binary(BinaryOp::And, at_least(of.clone(), -(1 << 62)), binary(BinaryOp::Less, of.clone(), number(0, span)));
                binary(BinaryOp::Or, at_least(of.clone(), 1 << 62), below)
            }
            (32, 31) => at_least(of.clone(), 1 << 31),
            (_, bit) => at_least(binary(BinaryOp::Remainder, of.clone(), number(1 << (bit + 1), span)), 1 << bit),
        }
    }

    /// Adds up bits, the lower ones first, so that nothing on the way leaves the range unless the sum does.
    fn sum(&mut self, terms: Vec<(usize, Tree)>) -> Tree {
        let span = self.span();
        let mut begun = false;
        for part in terms.chunks(TOGETHER) {
            let mut sum = if begun { name_in(SUM, span) } else { number(0, span) };
            for (bit, term) in part {
                // The highest of 64 bits counts down, in two halves.
                let (times, factor) = if *bit == 63 { (2, -(1 << 62)) } else { (1, 1 << bit) };
                for _ in 0..times {
                    sum = binary(BinaryOp::Add, sum, binary(BinaryOp::Multiply, number(factor, span), term.clone()));
                }
            }
            self.hold(SUM, sum);
            begun = true;
        }
        if begun { name_in(SUM, span) } else { number(0, span) }
    }
}

/// The value of a number.
fn constant(tree: &Tree) -> Option<i64> {
    match &tree.kind {
        TreeKind::Number(number) => Some(*number),
        TreeKind::Negate(inner) => constant(inner)?.checked_neg(),
        _ => None,
    }
}
