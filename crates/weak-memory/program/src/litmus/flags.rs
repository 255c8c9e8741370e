//! Flags: what a conditional jump tests is what was compared last, which two registers of the program keep.
//!
//! Instructions set the flags of a difference `left - right`, or of a result, which is `result - 0` as far as its
//! flags are known. What is
//! kept has a sign, so that comparisons with a sign are those of numbers; those without one differ where one of the
//! two is negative.

use std::collections::BTreeMap;

use super::jump::{JumpCondition, Test};
use super::operands::Width;
use super::plan::Planned;
use super::trees::{LEFT, RIGHT, binary, name_in, number};
use super::{LitmusReader, Read};
use crate::codes;
use crate::tree::{Tree, TreeKind};
use crate::value::BinaryOp;

impl Test {
    /// The condition on what is kept.
    fn condition(self, sets: Sets, span: serval_diagnostic::Span) -> Tree {
        let (left, right) = (|| name_in(LEFT, span), || name_in(RIGHT, span));
        let negative = |side: Tree| binary(BinaryOp::Less, side, number(0, span));
        let below = || {
            // Numbers of the same sign are in the same order, others in the opposite one.
            let same = binary(BinaryOp::Equal, negative(left()), negative(right()));
            binary(BinaryOp::Equal, binary(BinaryOp::Less, left(), right()), same)
        };
        let condition = match self.relation {
            JumpCondition::Equal => binary(BinaryOp::Equal, left(), right()),
            JumpCondition::Less => binary(BinaryOp::Less, left(), right()),
            JumpCondition::LessOrEqual => binary(BinaryOp::LessOrEqual, left(), right()),
            JumpCondition::Below => below(),
            JumpCondition::BelowOrEqual => binary(BinaryOp::Or, below(), binary(BinaryOp::Equal, left(), right())),
            JumpCondition::Sign if sets.0 & Sets::WIDE != 0 => binary(BinaryOp::Less, left(), right()),
            JumpCondition::Sign => {
                let difference = binary(BinaryOp::Subtract, left(), right());
                let low = binary(BinaryOp::Remainder, difference, number(1 << 32, span));
                binary(BinaryOp::GreaterOrEqual, low, number(1 << 31, span))
            }
        };
        if self.holds { condition } else { Tree { kind: TreeKind::Not(Box::new(condition)), span } }
    }
}

/// How the flags may have been set, as bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sets(u8);

impl Sets {
    /// Not at all.
    const NEVER: u8 = 1;
    /// By a difference of 32 bits, or by a result without carry and overflow.
    const NARROW: u8 = 2;
    /// By a result of 32 bits whose carry or overflow is not kept.
    const NARROW_RESULT: u8 = 4;
    const WIDE_DIFFERENCE: u8 = 8;
    const WIDE_LOGIC: u8 = 16;
    const WIDE_RESULT: u8 = 32;
    const WIDE: u8 = Self::WIDE_DIFFERENCE | Self::WIDE_LOGIC | Self::WIDE_RESULT;

    /// How an instruction sets them, if it does.
    fn of(planned: &Planned<'_>) -> Option<Self> {
        let wide = planned.width == Width::Wide;
        Some(Self(match planned.name {
            "CMP" | "SUB" | "NEG" | "CMPXCHG" if wide => Self::WIDE_DIFFERENCE,
            "AND" | "OR" | "XOR" | "TEST" if wide => Self::WIDE_LOGIC,
            "CMP" | "SUB" | "NEG" | "CMPXCHG" | "AND" | "OR" | "XOR" | "TEST" => Self::NARROW,
            "ADD" | "XADD" | "INC" | "DEC" | "SHL" | "SHR" if wide => Self::WIDE_RESULT,
            "ADD" | "XADD" | "INC" | "DEC" | "SHL" | "SHR" => Self::NARROW_RESULT,
            _ => return None,
        }))
    }

    /// What a test cannot be made of, for a message.
    fn lacks(self, relation: JumpCondition) -> Option<&'static str> {
        let results = self.0 & (Self::NARROW_RESULT | Self::WIDE_RESULT) != 0;
        let narrow = self.0 & (Self::NARROW | Self::NARROW_RESULT) != 0;
        if self.0 & Self::NEVER != 0 {
            return Some("nothing has been compared before this jump");
        }
        match relation {
            JumpCondition::Equal => None,
            JumpCondition::Sign => {
                let mixed = narrow && self.0 & Self::WIDE != 0 || self.0 & Self::WIDE_DIFFERENCE != 0;
                mixed.then_some("the sign of a difference of 64 bits is not read")
            }
            _ => results.then_some("carry and overflow of a sum or a shift are not read"),
        }
    }
}

/// The flags of a thread: which instructions keep what they compare, and the conditions of its jumps.
pub(super) struct Flags {
    pub(super) kept: Vec<bool>,
    pub(super) conditions: Vec<Option<Tree>>,
}

impl LitmusReader<'_> {
    /// Follows the flags of a thread along all its ways. `labels` says where each label stands.
    pub(super) fn flags(&mut self, code: &[Planned<'_>], labels: &BTreeMap<&str, usize>) -> Read<Flags> {
        let target = |planned: &Planned<'_>| planned.jump.as_ref().and_then(|(_, label)| labels.get(label.text)).copied();
        let next = |at: usize| {
            let falls = !matches!(code[at].jump, Some((None, _)));
            falls.then_some(at + 1).into_iter().chain(target(&code[at])).filter(|to| *to < code.len())
        };
        let mut before = vec![Sets::default(); code.len()];
        if let Some(first) = before.first_mut() {
            *first = Sets(Sets::NEVER);
        }
        let tested: Vec<bool> = code.iter().map(|planned| matches!(planned.jump, Some((Some(_), _)))).collect();
        // Whether a jump tests what is kept at this place.
        let mut wanted = tested.clone();
        loop {
            let mut changed = false;
            for at in 0..code.len() {
                let after = Sets::of(&code[at]).unwrap_or(before[at]);
                for to in next(at) {
                    let joined = Sets(before[to].0 | after.0);
                    changed |= std::mem::replace(&mut before[to], joined) != joined;
                }
            }
            for at in (0..code.len()).rev() {
                let passes = Sets::of(&code[at]).is_none() && next(at).any(|to| wanted[to]);
                changed |= passes && !std::mem::replace(&mut wanted[at], true);
            }
            if !changed {
                break;
            }
        }
        let mut flags = Flags { kept: Vec::new(), conditions: Vec::new() };
        let mut wrong = false;
        for (at, planned) in code.iter().enumerate() {
            flags.kept.push(Sets::of(planned).is_some() && next(at).any(|to| wanted[to]));
            let Some((Some(test), _)) = &planned.jump else {
                flags.conditions.push(None);
                continue;
            };
            // A jump that nothing comes to tests nothing.
            if let Some(lack) = before[at].lacks(test.relation) {
                let help = "compare before it, with `CMP` or `TEST`";
                self.refuse(codes::OTHER_INSTRUCTION, planned.piece, lack.to_owned(), "a comparison", help);
                wrong = true;
            }
            let span = planned.piece.span();
            flags.conditions.push(Some(if before[at] == Sets::default() { number(0, span) } else { test.condition(before[at], span) }));
        }
        if wrong { Err(super::Wrong) } else { Ok(flags) }
    }
}
