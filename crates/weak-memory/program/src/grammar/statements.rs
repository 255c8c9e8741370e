//! Statements and blocks.

use serval_diagnostic::{Span, similar};

use super::{Parser, Read, WORDS};
use crate::program::LockedKind;
use crate::tokens::Kind;
use crate::tree::{Stmt, StmtKind, Target, Tree, TreeKind};

const LOCKED: [(&str, LockedKind, usize); 3] =
    [("xchg", LockedKind::Exchange, 1), ("fadd", LockedKind::Add, 1), ("cas", LockedKind::Compare, 2)];

impl Parser<'_> {
    /// `{ … }`.
    pub(crate) fn block(&mut self) -> Read<Vec<Stmt>> {
        self.expect("{")?;
        self.deeper(|parser| {
            let mut body = Vec::new();
            while !parser.is("}") {
                if parser.kind() == Kind::End {
                    return Err(parser.wrong("`}`", "close the block"));
                }
                let start = parser.at;
                match parser.statement() {
                    Ok(statement) => body.push(statement),
                    Err(_) => parser.next_statement(start),
                }
            }
            parser.advance();
            Ok(body)
        })
    }

    /// Goes behind the next `;`, or before the `}` that closes this block, at least one token further than `start`.
    fn next_statement(&mut self, start: usize) {
        self.at = self.at.max(start + usize::from(self.at == start && !self.is("}")));
        let mut open = 0_usize;
        while self.kind() != Kind::End {
            if self.is("{") {
                open += 1;
            } else if self.is("}") {
                if open == 0 {
                    return;
                }
                open -= 1;
                if open == 0 {
                    self.advance();
                    return;
                }
            } else if self.is(";") && open == 0 {
                self.advance();
                return;
            }
            self.advance();
        }
    }

    fn statement(&mut self) -> Read<Stmt> {
        let mut labels = Vec::new();
        while self.kind() == Kind::Name && self.is_ahead(1, ":") && !WORDS.contains(&self.word()) {
            self.counted()?;
            labels.push(self.name("a label")?);
            self.advance();
        }
        self.counted()?;
        let start = self.span();
        let kind = self.core()?;
        let span = start.to(self.before());
        Ok(Stmt { labels, kind, span: self.trimmed(span) })
    }

    /// Without the `;`, and for what has a block only as far as the block.
    fn trimmed(&self, span: Span) -> Span {
        let text = &self.text[span.range()];
        let shown = text.split('{').next().unwrap_or(text).trim_end().trim_end_matches(';').trim_end();
        Span::new(span.start, span.start.saturating_add(u32::try_from(shown.len()).unwrap_or(0)))
    }

    fn core(&mut self) -> Read<StmtKind> {
        let word = if self.kind() == Kind::Name { self.word() } else { "" };
        let simple = match word {
            "skip" => Some(StmtKind::Skip),
            "fence" => Some(StmtKind::Fence),
            "break" => Some(StmtKind::Break),
            _ => None,
        };
        if let Some(kind) = simple {
            self.advance();
            self.semicolon();
            return Ok(kind);
        }
        match word {
            "if" => self.conditional(),
            "while" => {
                self.advance();
                let condition = self.condition()?;
                Ok(StmtKind::While(condition, self.block()?))
            }
            "loop" => {
                self.advance();
                Ok(StmtKind::Loop(self.block()?))
            }
            "atomic" => {
                self.advance();
                Ok(StmtKind::Atomic(self.block()?))
            }
            "goto" => {
                self.advance();
                let label = self.name("a label")?;
                self.semicolon();
                Ok(StmtKind::Goto(label))
            }
            "assume" | "assert" => {
                self.advance();
                let condition = self.expression()?;
                self.semicolon();
                Ok(if word == "assume" { StmtKind::Assume(condition) } else { StmtKind::Assert(condition) })
            }
            "xchg" | "fadd" | "cas" => self.locked(None),
            _ => self.assignment(),
        }
    }

    fn condition(&mut self) -> Read<Tree> {
        if !self.is("(") {
            return Err(self.wrong("`(`", "put the condition in parentheses"));
        }
        self.advance();
        let span = self.span();
        let condition = if self.eat("?") { Tree { kind: TreeKind::Any, span } } else { self.expression()? };
        self.expect(")")?;
        Ok(condition)
    }

    fn conditional(&mut self) -> Read<StmtKind> {
        self.advance();
        let condition = self.condition()?;
        let yes = self.block()?;
        let no = match self.eat_word("else") {
            false => Vec::new(),
            true if self.is_word("if") => self.deeper(|parser| {
                let start = parser.span();
                let kind = parser.conditional()?;
                let span = parser.trimmed(start.to(parser.before()));
                Ok(vec![Stmt { labels: Vec::new(), kind, span }])
            })?,
            true => self.block()?,
        };
        Ok(StmtKind::If(condition, yes, no))
    }

    fn assignment(&mut self) -> Read<StmtKind> {
        if self.kind() != Kind::Name || WORDS.contains(&self.word()) {
            return Err(self.wrong("a statement", "statements are `x := e;`, `fence;`, `if (e) { … }` and others"));
        }
        let word = self.word();
        let name = self.name("a statement")?;
        let target = Target { name, index: self.index()? };
        if self.is("=") {
            return Err(self.wrong("`:=`", "an assignment is written `:=`"));
        }
        if !self.is(":=") {
            let help = match similar(word, WORDS.iter().copied()) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => "a statement that begins with a name is an assignment, `x := e;`, or a label, `l: …`".to_owned(),
            };
            return Err(self.wrong("`:=`", help));
        }
        self.advance();
        if LOCKED.iter().any(|(word, ..)| self.is_word(word)) {
            return self.locked(Some(target));
        }
        let value = self.expression()?;
        self.semicolon();
        Ok(StmtKind::Assign(target, value))
    }

    fn locked(&mut self, to: Option<Target>) -> Read<StmtKind> {
        let word = self.word();
        let Some(&(_, kind, count)) = LOCKED.iter().find(|(known, ..)| *known == word) else {
            return Err(self.wrong("a locked instruction", "write `xchg(x, e)`, `fadd(x, e)` or `cas(x, old, new)`"));
        };
        self.advance();
        self.expect("(")?;
        let cell = self.expression()?;
        let mut operands = Vec::new();
        for _ in 0..count {
            self.expect(",")?;
            operands.push(self.expression()?);
        }
        self.expect(")")?;
        self.semicolon();
        Ok(StmtKind::Locked { kind, to, cell, operands })
    }
}
