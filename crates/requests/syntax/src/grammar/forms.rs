//! The grammar of the convenience forms inside requests: `atomic`, `lock`,
//! `unlock`, `await`, `assume`, `assert`, `choose`, `fresh`, `for`, `break`, `continue`, `min`,
//! `max`, calls and indices.
//!
//! In the published language a name never stands right before `(`, `{`, `[`
//! or another name, so none of these words is taken from a program.

use super::kind::SyntaxKind::{self, *};
use super::mistakes;
use super::parser::{List, Parser};
use crate::diagnostic::similar;

/// The words that leave a round of a loop.
pub(super) const LOOP_WORDS: &[&str] = &["break", "continue"];

const FOR: &str = "`for i in 0..3 { … }`";

impl Parser<'_> {
    /// `atomic { … }`
    pub(crate) fn atomic_expression(&mut self) -> u32 {
        self.start(AtomicExpr);
        self.bump_as(AtomicKw);
        let height = self.nested(|p| p.braces("the body of `atomic`"));
        self.end();
        self.bounded(height)
    }

    /// `name (…)`: one of our forms, a call, or a misspelt word.
    pub(crate) fn call_like(&mut self) -> u32 {
        let word = self.text();
        match word {
            "lock" => return self.nested(|p| p.lock_expression()),
            "unlock" => return self.nested(|p| p.lock_expression()),
            "await" => return self.nested(|p| p.await_expression()),
            "choose" => return self.nested(|p| p.choose_expression()),
            "for" => return self.bad_for(),
            // Older programs may have a function of this name.
            "assume" if !self.functions.contains(word) => return self.nested(|p| p.assume_expression()),
            "assert" if !self.functions.contains(word) => return self.nested(|p| p.assert_expression()),
            "fresh" if !self.functions.contains(word) => return self.nested(|p| p.fresh_expression()),
            "min" if !self.functions.contains(word) => return self.nested(|p| p.extreme_expression(MinExpr, MinKw)),
            "max" if !self.functions.contains(word) => return self.nested(|p| p.extreme_expression(MaxExpr, MaxKw)),
            _ => {}
        }
        if !self.functions.contains(word)
            && let Some(meant) = similar(word, ["while", "yield"])
        {
            self.error(|p| mistakes::misspelt(p.text(), p.span(), meant));
            return self.nested(if meant == "while" { Self::while_expression } else { Self::skip_call });
        }
        if matches!(word, "elif" | "elsif" | "elseif") {
            self.error(|p| mistakes::call(p.text(), p.span()));
            return self.nested(Self::skip_call);
        }
        let height = self.nested(|p| p.call_expression());
        if self.at(LeftBrace) && self.list != List::Condition {
            self.error(|p| mistakes::bare_block(p.span()));
            return height.max(self.nested(|p| p.block("the block")));
        }
        height
    }

    /// `name(a, b)`
    fn call_expression(&mut self) -> u32 {
        self.start(CallExpr);
        self.bump();
        self.start(ArgList);
        let height = self.arguments(false);
        self.end();
        self.end();
        self.bounded(height + 2)
    }

    fn skip_call(&mut self) -> u32 {
        self.start(Error);
        self.bump();
        self.skip_parens();
        let height = if self.at(LeftBrace) { self.block("the block") } else { 0 };
        self.end();
        self.hush();
        height
    }

    /// `lock(L)` or `unlock(L)`
    fn lock_expression(&mut self) -> u32 {
        let (node, word) = if self.text() == "lock" { (LockExpr, LockKw) } else { (UnlockExpr, UnlockKw) };
        self.start(node);
        self.bump_as(word);
        let height = self.arguments(false);
        self.end();
        self.bounded(height + 3)
    }

    /// `await (c)`
    fn await_expression(&mut self) -> u32 {
        self.start(AwaitExpr);
        self.bump_as(AwaitKw);
        let height = self.condition("await");
        self.end();
        self.bounded(height + 2)
    }

    /// `assume (c)`
    fn assume_expression(&mut self) -> u32 {
        self.start(AssumeExpr);
        self.bump_as(AssumeKw);
        let height = self.condition("assume");
        self.end();
        self.bounded(height + 2)
    }

    /// `assert (c)`
    fn assert_expression(&mut self) -> u32 {
        self.start(AssertExpr);
        self.bump_as(AssertKw);
        let height = self.condition("assert");
        self.end();
        self.bounded(height + 3)
    }

    /// `choose(a, b)` or `choose(0..3)`
    fn choose_expression(&mut self) -> u32 {
        self.start(ChooseExpr);
        self.bump_as(ChooseKw);
        let height = self.arguments(true);
        self.end();
        self.bounded(height + 2)
    }

    /// `min(a, b)` or `max(a, b)`
    fn extreme_expression(&mut self, node: SyntaxKind, word: SyntaxKind) -> u32 {
        self.start(node);
        self.bump_as(word);
        let height = self.arguments(false);
        self.end();
        self.bounded(height + 3)
    }

    /// At `break` or `continue`, in a file that has no variable of that name.
    pub(super) fn at_loop_exit(&self) -> bool {
        self.at(Name) && LOOP_WORDS.contains(&self.text()) && !self.own.contains(self.text())
    }

    /// `break` or `continue`
    pub(super) fn loop_exit(&mut self) -> u32 {
        let word = self.text();
        let (node, kind) = if word == "break" { (BreakExpr, BreakKw) } else { (ContinueExpr, ContinueKw) };
        self.start(node);
        self.bump_as(kind);
        self.end();
        if self.at(LeftParen) && self.ahead(1) == RightParen {
            self.error(|p| mistakes::yield_call(p.span(), word));
            self.skip_parens();
        }
        self.bounded(2)
    }

    /// `fresh(V)`
    fn fresh_expression(&mut self) -> u32 {
        self.start(FreshExpr);
        self.bump_as(FreshKw);
        let height = self.arguments(false);
        self.end();
        self.bounded(height + 3)
    }

    /// `(a, b)`; with `ranges`, `(a..b)` too.
    fn arguments(&mut self, ranges: bool) -> u32 {
        self.open_parens.push(self.span());
        self.bump();
        let outer = std::mem::replace(&mut self.list, List::Paren);
        let mut height = 0;
        while !self.at(RightParen) && !self.at(End) {
            let checkpoint = self.checkpoint();
            let mark = self.mark();
            height = height.max(self.assignment());
            if ranges && self.at(DotDot) {
                self.start_at(checkpoint, Range);
                self.bump();
                height = height.max(self.sum());
                self.end();
            }
            if !self.eat(Comma) || self.mark() == mark {
                break;
            }
        }
        self.list = outer;
        self.close_paren();
        height
    }

    /// `for i in 0..3 { … }`
    pub(crate) fn for_expression(&mut self) -> u32 {
        if self.ahead(1) != Name || self.text_ahead(2) != "in" {
            return self.bad_for();
        }
        self.nested(|p| {
            p.start(ForExpr);
            p.bump_as(ForKw);
            p.bump();
            p.bump_as(InKw);
            // What follows the range is the block, not part of a name.
            let outer = std::mem::replace(&mut p.list, List::Condition);
            p.range(FOR);
            p.list = outer;
            let height = p.block("the body of `for`");
            p.end();
            p.bounded(height + 2)
        })
    }

    /// `for (…)` and its like, which other languages have.
    fn bad_for(&mut self) -> u32 {
        self.error(|p| mistakes::form(p.span(), "a name and `in`", FOR));
        let in_parens = self.ahead(1) == LeftParen;
        self.skip_to(|kind| matches!(kind, LeftBrace | RightBrace) || kind == Semicolon && !in_parens);
        if self.at(LeftBrace) {
            return self.nested(|p| p.block("the body of `for`"));
        }
        0
    }

    /// `A[i]` or `A[i][j]`; assignments want to know whether that was all.
    pub(crate) fn index_expression(&mut self) -> u32 {
        let begin = self.mark();
        self.start(IndexExpr);
        self.bump();
        let mut height = self.index_in_brackets() + 3;
        while self.at(LeftBracket) {
            // Each index is chosen by an `if` of its own.
            height = height.max(self.index_in_brackets()).saturating_add(2);
        }
        self.end();
        self.index = Some((begin, self.mark()));
        self.bounded(height)
    }

    /// `[i]`
    fn index_in_brackets(&mut self) -> u32 {
        self.open_parens.push(self.span());
        self.bump();
        let outer = std::mem::replace(&mut self.list, List::Paren);
        let height = self.nested(|p| p.sum());
        self.list = outer;
        let open = self.open_parens.pop().unwrap_or_default();
        if !self.eat(RightBracket) {
            self.error(|p| mistakes::missing_bracket(p, open));
            self.skip_to(|kind| matches!(kind, RightBracket | Semicolon | RightBrace | RightParen));
            self.eat(RightBracket);
        }
        height
    }
}
