//! The grammar of `if`, `while` and their blocks, and the words of other
//! languages that people write there.

use super::kind::SyntaxKind::*;
use super::mistakes;
use super::parser::{List, Parser};
use crate::diagnostic::similar;

/// Words that declare a variable in other languages.
pub(super) const DECLARING: &[&str] = &["let", "var", "const", "int", "local", "global", "mut", "auto", "val", "shared"];

impl Parser<'_> {
    /// `if (c) { a } else if (d) { b } else { e }`, in one flat node.
    pub(crate) fn if_expression(&mut self) -> u32 {
        self.start(IfExpr);
        self.bump();
        let mut height = self.condition("if").max(self.block("the body of `if`"));
        while let Some(if_follows) = self.eat_else() {
            if !if_follows {
                height = height.max(self.block("the body of `else`"));
                break;
            }
            height = height.max(self.condition("if")).max(self.block("the body of `else if`"));
        }
        self.end();
        self.bounded(height + 1)
    }

    /// Moves past `else` or `else if`, however spelt, and says whether the
    /// `if` was there.
    fn eat_else(&mut self) -> Option<bool> {
        if self.eat(ElseKw) {
            return Some(self.eat(IfKw));
        }
        if !self.at(Name) {
            return None;
        }
        let joined = matches!(self.text(), "elif" | "elsif" | "elseif");
        let misspelt = matches!(self.ahead(1), LeftBrace | IfKw) && similar(self.text(), ["else"]).is_some();
        if !joined && !misspelt {
            return None;
        }
        self.error(|p| mistakes::misspelt(p.text(), p.span(), if joined { "else if" } else { "else" }));
        self.bump_as(ElseKw);
        Some(joined || self.eat(IfKw))
    }

    /// `while (c) { a }`; the word has been seen, perhaps misspelt.
    pub(crate) fn while_expression(&mut self) -> u32 {
        self.start(WhileExpr);
        self.bump_as(WhileKw);
        let height = self.condition("while").max(self.block("the body of `while`"));
        self.end();
        self.bounded(height + 1)
    }

    /// `(c)` after `if` or `while`.
    pub(crate) fn condition(&mut self, word: &str) -> u32 {
        self.start(Condition);
        let height = if self.at(LeftParen) {
            let height = self.parenthesized(List::Condition);
            height.max(self.condition_rest(word))
        } else {
            self.error(|p| mistakes::bare_condition(p.span(), word));
            let outer = std::mem::replace(&mut self.list, List::Condition);
            let height = self.assignment();
            self.list = outer;
            height
        };
        self.end();
        height
    }

    /// `if (a) && (b) {`: the condition goes on behind its parenthesis.
    fn condition_rest(&mut self, word: &str) -> u32 {
        let mut height = 0;
        while self.at_operator() && !self.at(Minus) {
            self.error(|p| mistakes::condition_goes_on(p.span(), word));
            self.bump();
            let outer = std::mem::replace(&mut self.list, List::Condition);
            height = height.max(self.assignment());
            self.list = outer;
        }
        height
    }

    /// `{ a; b }`, or what stands in its place; `what` says whose block it is.
    pub(crate) fn block(&mut self, what: &str) -> u32 {
        if self.at(Name) && matches!(self.text(), "then" | "do") && self.ahead(1) != Assign {
            self.error(|p| mistakes::superfluous_word(p.text(), p.span(), "`{`"));
            self.bump_error();
        }
        if self.at(RightParen) && self.ahead(1) == LeftBrace {
            self.error(|p| mistakes::stray_closer(p.text(), p.span()));
            self.bump_error();
        }
        if self.at(LeftBrace) {
            return self.braces(what);
        }
        self.error(|p| mistakes::missing_open_brace(p.span(), what));
        if !self.current().can_start_expression() {
            return 0;
        }
        // Either the closing brace is there, and then the file has one too
        // many, or a single statement is meant.
        if self.spare_closers > 0 {
            self.spare_closers -= 1;
            return self.block_without_opening();
        }
        let height = self.assignment();
        if self.at(Semicolon) && self.ahead(1) == ElseKw {
            self.bump();
        }
        height
    }

    pub(crate) fn block_without_opening(&mut self) -> u32 {
        self.start(Block);
        self.open_braces.push(self.after_previous());
        let height = self.statements(List::Block);
        self.open_braces.pop();
        self.eat(RightBrace);
        self.end();
        height
    }

    /// `{ a; b }`
    pub(crate) fn braces(&mut self, what: &str) -> u32 {
        self.start(Block);
        let open = self.span();
        self.open_braces.push(open);
        self.bump();
        if self.at(RightBrace) {
            self.error(|p| mistakes::empty_block(open.to(p.span()), what));
        }
        let height = self.statements(List::Block);
        if self.eat(RightBrace) {
            self.closed_braces.push((open, self.previous_span()));
        } else {
            self.error(|p| mistakes::missing_brace(p));
        }
        self.open_braces.pop();
        self.end();
        height
    }

    /// `else` where no `if` can have it.
    pub(crate) fn stray_else(&mut self) -> u32 {
        self.error(|p| mistakes::stray_else(p.span(), p.previous_kind() == Some(Semicolon)));
        self.start(Error);
        self.bump();
        self.hush();
        let height = if self.eat(IfKw) { self.nested(|p| p.condition("if").max(p.block("the body of `else if`"))) } else { 0 };
        let height = if self.at(LeftBrace) { height.max(self.nested(|p| p.block("the body of `else`"))) } else { height };
        self.end();
        height
    }

    /// At a name that begins a statement: words that make no sense there.
    pub(crate) fn foreign_words(&mut self) {
        let word = self.text();
        let next = self.ahead(1);
        if self.name_follows() && DECLARING.contains(&word) && !matches!(self.ahead(2), LeftParen | LeftBrace | LeftBracket) {
            let assigned = matches!(self.ahead(2), Assign | Equal | Colon);
            self.error(|p| mistakes::declaring_word(p.text(), p.span(), if assigned { "" } else { p.text_ahead(1) }));
            self.bump_error();
            if !assigned {
                self.bump_error();
            }
        } else if matches!(next, Name | Number | Question) && !matches!(self.text_ahead(1), "and" | "or") {
            self.misspelt_return(word);
        }
    }

    /// At `function name`, `def name` and their like, which people write where
    /// statements and requests stand.
    pub(crate) fn at_foreign_item(&self) -> bool {
        self.at(Name) && matches!(self.text(), "function" | "def" | "async") && self.name_follows()
    }

    /// Passes over such an item without looking into it.
    pub(crate) fn foreign_item(&mut self) {
        self.error(|p| {
            let handler = p.list == List::File && !p.contains_request;
            mistakes::foreign_function(p.text(), p.span(), handler)
        });
        self.skip_line();
        self.eat(Semicolon);
    }

    /// `await name`: what is waited for is not looked at.
    pub(crate) fn await_form(&mut self) -> u32 {
        self.error(|p| mistakes::await_form(p.span()));
        self.skip_line();
        self.hush();
        0
    }

    /// `retrun x`: two operands side by side, and the first nearly a word.
    fn misspelt_return(&mut self, word: &str) {
        if self.return_is_name || word == "not" || word == "return" {
            return;
        }
        if let Some(meant) = similar(word, ["return", "yield", "request"]) {
            self.error(|p| mistakes::misspelt(p.text(), p.span(), meant));
            self.bump_error();
        }
    }
}
