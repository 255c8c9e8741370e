//! Instructions: which there are, and what stands in them.

use super::jump::Test;
use super::operands::{Operand, OperandKind, Order, Width, is_name};
use super::piece::TextPiece;
use super::{LitmusReader, Read, Wrong};
use crate::codes;

/// What is read, and how many operands it has.
const KNOWN: &[(&str, usize)] = &[
    ("MOV", 2),
    ("XCHG", 2),
    ("XADD", 2),
    ("CMPXCHG", 2),
    ("ADD", 2),
    ("SUB", 2),
    ("AND", 2),
    ("OR", 2),
    ("XOR", 2),
    ("SHL", 2),
    ("SHR", 2),
    ("CMP", 2),
    ("TEST", 2),
    ("INC", 1),
    ("DEC", 1),
    ("NEG", 1),
    ("NOT", 1),
    ("MFENCE", 0),
    // These order nothing that stores and loads of ordinary memory do not do in order anyway.
    ("LFENCE", 0),
    ("SFENCE", 0),
    ("PAUSE", 0),
    ("NOP", 0),
    // Marks for indirect jumps.
    ("ENDBR64", 0),
    ("ENDBR32", 0),
];
/// Other names.
const ALIASES: &[(&str, &str)] = &[("SAL", "SHL"), ("SALL", "SHLL"), ("SALQ", "SHLQ"), ("MOVABS", "MOV"), ("MOVABSQ", "MOVQ")];

/// An instruction whose operands have been read, but not put in order.
#[derive(Clone, Debug)]
pub(super) struct Instruction<'t> {
    pub(super) name: &'static str,
    pub(super) locked: bool,
    pub(super) operands: Vec<Operand<'t>>,
    /// The order that its letters show.
    pub(super) order: Option<Order>,
    /// What its last letter says.
    pub(super) width: Option<Width>,
    /// Where it jumps, and when.
    pub(super) jump: Option<(Option<Test>, TextPiece<'t>)>,
    pub(super) piece: TextPiece<'t>,
}

/// A place of a column: labels, and perhaps an instruction.
#[derive(Clone, Debug)]
pub(super) struct LabelledInstruction<'t> {
    pub(super) labels: Vec<TextPiece<'t>>,
    pub(super) instruction: Option<Instruction<'t>>,
}

impl LitmusReader<'_> {
    /// Labels and an instruction; nothing is left where one is wrong.
    pub(super) fn line<'t>(&mut self, piece: TextPiece<'t>) -> Read<LabelledInstruction<'t>> {
        let (mut labels, mut rest) = (Vec::new(), piece);
        while let Some(end) = rest.text.find(':').filter(|end| is_name(rest.text[..*end].trim())) {
            let (label, after) = rest.cut(end);
            labels.push(label.trimmed());
            rest = after.cut(1).1.trimmed();
        }
        let instruction = if rest.is_empty() { None } else { Some(self.instruction(rest)?) };
        Ok(LabelledInstruction { labels, instruction })
    }

    fn instruction<'t>(&mut self, piece: TextPiece<'t>) -> Read<Instruction<'t>> {
        let (mut word, mut rest) = piece.word();
        let locked = word.text.eq_ignore_ascii_case("LOCK");
        if locked {
            (word, rest) = rest.word();
        }
        let upper = word.text.to_ascii_uppercase();
        let plain = Instruction { name: "NOP", locked, operands: Vec::new(), order: None, width: None, jump: None, piece };
        if upper == "JMP" || Test::of(&upper).is_some() {
            if locked {
                return Err(self.not_locked(piece, word.text));
            }
            if !is_name(rest.text) {
                return Err(self.refuse(
                    codes::OTHER_INSTRUCTION,
                    piece,
                    format!("`{:.40}` goes to no label", piece.text),
                    "a label",
                    "write `JNE l`",
                ));
            }
            return Ok(Instruction { name: "JMP", jump: Some((Test::of(&upper), rest)), ..plain });
        }
        // The operand of one that does nothing is nothing either.
        if ["NOPL", "NOPW", "NOPQ"].contains(&upper.as_str()) && !locked {
            return Ok(plain);
        }
        let upper = ALIASES.iter().find(|(alias, _)| *alias == upper).map_or(upper.as_str(), |(_, name)| name);
        let exact = KNOWN.iter().find(|(name, _)| *name == upper);
        let sized = || KNOWN.iter().find(|(name, count)| *count > 0 && upper.strip_suffix(['L', 'Q']) == Some(*name));
        let Some(&(name, count)) = exact.or_else(sized) else { return Err(self.unknown(word, upper)) };
        let width = exact.is_none().then(|| if upper.ends_with('Q') { Width::Wide } else { Width::Narrow });
        if width == Some(Width::Wide) && !self.wide {
            let message = format!("`{}` is of 64 bits, and the machine has 32", word.text);
            return Err(self.refuse(codes::BAD_LITMUS, word, message, "an instruction of 32 bits", "write `X86_64` in the first line"));
        }
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
        let order = self.shown_order(piece, &operands, exact.is_none())?;
        Ok(Instruction { name, operands, order, width, ..plain })
    }

    /// The order that the signs of an instruction show.
    fn shown_order(&mut self, piece: TextPiece<'_>, operands: &[Operand<'_>], sized: bool) -> Read<Option<Order>> {
        let signs = operands.iter().filter_map(|operand| operand.order).chain(sized.then_some(Order::Last));
        let (first, last): (Vec<Order>, Vec<Order>) = signs.partition(|order| *order == Order::First);
        Ok(match (first.is_empty(), last.is_empty(), operands) {
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
        })
    }

    fn unknown(&mut self, word: TextPiece<'_>, upper: &str) -> Wrong {
        let named = |end: char| KNOWN.iter().any(|(name, _)| upper.strip_suffix(end) == Some(*name));
        let (message, help) = match upper {
            "" => ("an instruction is missing".to_owned(), "write an instruction after `LOCK`".to_owned()),
            _ if named('B') || named('W') => {
                (format!("`{}` is of 8 or 16 bits, and is not read", word.text), "use 32 or 64 bits".to_owned())
            }
            _ => {
                let names: Vec<&str> = KNOWN.iter().map(|(name, _)| *name).collect();
                (format!("the instruction `{:.40}` is not read", word.text), format!("these are: {}, and jumps", names.join(", ")))
            }
        };
        self.refuse(codes::OTHER_INSTRUCTION, word, message, "an instruction that is read", &help)
    }

    pub(super) fn not_locked(&mut self, piece: TextPiece<'_>, name: &str) -> Wrong {
        let message = format!("`LOCK` cannot stand before `{name}` here");
        self.refuse(codes::BAD_LITMUS, piece, message, "an instruction that reads and writes memory", "remove `LOCK`")
    }
}
