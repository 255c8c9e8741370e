//! Expressions: `||`, `&&`, comparisons, sums, products, signs, in the order in which they bind more.

use serval_diagnostic::Diagnostic;

use super::{Parser, Read, Wrong};
use crate::codes;
use crate::tokens::Kind;
use crate::tree::{Target, Tree, TreeKind};
use crate::value::BinaryOp;

/// Operators, those that bind least first.
const LEVELS: &[&[(&str, BinaryOp)]] = &[
    &[("||", BinaryOp::Or)],
    &[("&&", BinaryOp::And)],
    &[
        ("==", BinaryOp::Equal),
        ("!=", BinaryOp::Unequal),
        ("<=", BinaryOp::LessOrEqual),
        (">=", BinaryOp::GreaterOrEqual),
        ("<", BinaryOp::Less),
        (">", BinaryOp::Greater),
    ],
    &[("+", BinaryOp::Add), ("-", BinaryOp::Subtract)],
    &[("*", BinaryOp::Multiply), ("%", BinaryOp::Remainder)],
];
/// The level of comparisons, which make no chains.
const COMPARISONS: usize = 2;
/// Operators of one expression with all that is in it, at most: a walk over the tree goes as deep as chains are long,
/// one within another.
pub(crate) const LONGEST: usize = 256;

impl Parser<'_> {
    pub(crate) fn expression(&mut self) -> Read<Tree> {
        if self.within == 0 {
            self.operators = 0;
        }
        self.within += 1;
        let read = self.deeper(|parser| parser.level(0));
        self.within -= 1;
        read
    }

    fn level(&mut self, level: usize) -> Read<Tree> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.level(level + 1)?;
        let mut operands = 1_usize;
        while let Some(&(_, op)) = operators.iter().find(|(sign, _)| self.is(sign)) {
            operands += 1;
            self.operators += 1;
            if self.operators > LONGEST {
                let message = format!("an expression with more than {LONGEST} operators");
                let long = Diagnostic::error(codes::TOO_MUCH, self.span(), message);
                self.diagnostics.push(long.expected("a shorter expression").help("compute parts of it before"));
                return Err(Wrong);
            }
            if level == COMPARISONS && operands > 2 {
                return Err(self.wrong("`&&` or the end of the condition", "write `a < b && b < c` for a chain"));
            }
            self.advance();
            let right = self.level(level + 1)?;
            let span = left.span.to(right.span);
            left = Tree { kind: TreeKind::Binary(op, Box::new(left), Box::new(right)), span };
        }
        Ok(left)
    }

    fn unary(&mut self) -> Read<Tree> {
        let start = self.span();
        for (sign, make) in [("!", TreeKind::Not as fn(Box<Tree>) -> TreeKind), ("-", TreeKind::Negate)] {
            if self.eat(sign) {
                let inner = self.deeper(Self::unary)?;
                let span = start.to(inner.span);
                return Ok(Tree { kind: make(Box::new(inner)), span });
            }
        }
        self.primary()
    }

    fn primary(&mut self) -> Read<Tree> {
        let start = self.span();
        if let Kind::Number(number) = self.kind() {
            self.advance();
            return Ok(Tree { kind: TreeKind::Number(number), span: start });
        }
        if self.eat("(") {
            let inner = self.expression()?;
            self.expect(")")?;
            return Ok(Tree { kind: inner.kind, span: start.to(self.before()) });
        }
        if ["xchg", "fadd", "cas"].iter().any(|word| self.is_word(word)) {
            return Err(self.wrong("an expression", "a locked instruction stands alone: `r := xchg(x, 1);`"));
        }
        if self.is("?") {
            return Err(self.wrong("an expression", "`?` is a whole condition: `if (?) { r := 1; } else { r := 0; }`"));
        }
        if self.kind() != Kind::Name {
            return Err(self.wrong("an expression", "write a number, a register or a memory cell"));
        }
        let name = self.name("an expression")?;
        let kind = if self.eat(".") {
            TreeKind::Register(name, self.name("the name of a register")?)
        } else if self.eat("@") {
            TreeKind::At(name, self.name("a label")?)
        } else {
            TreeKind::Name(Target { name, index: self.index()? })
        };
        Ok(Tree { kind, span: start.to(self.before()) })
    }

    /// `[e]`, where it is there.
    pub(crate) fn index(&mut self) -> Read<Option<Box<Tree>>> {
        if !self.eat("[") {
            return Ok(None);
        }
        let index = self.expression()?;
        self.expect("]")?;
        Ok(Some(Box::new(index)))
    }
}
