//! The grammar of files: initial values, declarations and requests, or one
//! bare sequence.

use super::kind::SyntaxKind::*;
use super::mistakes;
use super::parser::{List, Parser};
use crate::diagnostic::{Diagnostic, similar};
use crate::program::is_global;
use serval_diagnostic::Span;

impl Parser<'_> {
    /// The whole text. `letters_fine` says that the lexer found no mistake.
    pub(crate) fn source_file(&mut self, letters_fine: bool) {
        self.start(SourceFile);
        if self.at(End) {
            if letters_fine {
                self.error(|_| mistakes::no_request());
            }
        } else if self.has_requests() {
            self.items();
        } else {
            self.statements(List::File);
        }
        self.end_file();
    }

    /// A file in which a request begins somewhere holds requests. So does one
    /// that begins with the word, or like a request with the word misspelt or
    /// left out.
    fn has_requests(&self) -> bool {
        self.contains_request || self.at_request_item() || self.at_misspelt_request()
    }

    /// At a `request` outside of all requests. It begins one, also where the
    /// name or the body is missing, unless it is taken for a variable.
    fn at_request_item(&self) -> bool {
        self.at(RequestKw) && (self.ahead(1) != Assign || (self.ahead(2), self.ahead(3)) == (Name, LeftBrace))
    }

    /// At `requst name {`, `handler name (` or `name {`, which are no
    /// expressions.
    fn at_misspelt_request(&self) -> bool {
        self.at(Name)
            && !self.at_foreign_item()
            && !self.at_declaration()
            && self.text() != "atomic"
            && match (self.ahead(1), self.ahead(2)) {
                (LeftBrace, _) => true,
                (Name, LeftBrace) => true,
                (Name, LeftParen) => similar(self.text(), ["request"]).is_some(),
                _ => false,
            }
    }

    fn items(&mut self) {
        let mut requests = 0usize;
        while !self.at(End) {
            match self.current() {
                RequestKw if self.at_request_item() => {
                    self.request();
                    requests += 1;
                }
                RequestKw => {
                    self.error(|p| mistakes::keyword_target(p.span(), p.text()));
                    self.skip_to(|_| false);
                }
                Name if matches!(self.ahead(1), Assign | Equal) && requests == 0 => self.initial(),
                Name if self.ahead(1) == Assign && is_global(self.text()) => {
                    self.error(|p| mistakes::late_initial(p.text(), p.span()));
                    self.skip_to(|_| false);
                }
                Name if self.at_declaration() || self.at_invariant_item() => self.declaration(),
                Name if self.at_foreign_item() => self.foreign_item(),
                Name if self.at_foreign_variable() => self.foreign_variable(),
                Name if self.at_other_item() => self.other_item(),
                Name if self.at_misspelt_request() => {
                    self.misspelt_request();
                    requests += 1;
                }
                RightBrace | RightParen => {
                    self.error(|p| mistakes::stray_closer(p.text(), p.span()));
                    self.bump_error();
                }
                _ => {
                    self.error(|p| p.outside_of_requests(requests));
                    self.skip_to(|_| false);
                }
            }
        }
    }

    fn outside_of_requests(&mut self, requests: usize) -> Diagnostic {
        let mut error = mistakes::expected_request(self.text(), self.span(), requests == 0);
        if self.skips_comment_end() {
            error = error.help(mistakes::COMMENTS_DO_NOT_NEST);
        }
        if requests > 0 && self.previous_kind() == Some(RightBrace) {
            error.also(self.previous_span(), "the request before ends here")
        } else {
            error
        }
    }

    /// `A := 100`, and a `,` or `;` after it.
    fn initial(&mut self) {
        self.start(Initial);
        self.bump();
        if self.at(Equal) {
            self.error(|p| mistakes::single_equal(p.span(), ":="));
            self.bump_as(Assign);
        } else {
            self.bump();
        }
        self.assignment();
        self.end();
        if matches!(self.current(), Comma | Semicolon) {
            self.bump();
        }
    }

    fn misspelt_request(&mut self) {
        self.start(Request);
        if self.ahead(1) == LeftBrace {
            self.error(|p| mistakes::missing_request_word(p.text(), p.span()));
            self.request_rest();
        } else {
            self.error(|p| mistakes::misspelt_request(p.text(), p.span()));
            self.bump_as(RequestKw);
            self.request_rest();
        }
        self.end();
    }

    /// `request name { … }`
    fn request(&mut self) {
        self.start(Request);
        self.bump();
        self.request_rest();
        self.end();
    }

    /// Name and body of a request.
    fn request_rest(&mut self) {
        self.too_high = false;
        self.closed_braces.clear();
        if !self.at(Name) {
            self.missing_name();
        }
        let name = self.span();
        self.eat(Name);
        if self.at(LeftParen) {
            self.request_params();
        }
        self.skip_name_rest(name);
        match self.current() {
            LeftBrace => {
                self.braces("the body of the request");
            }
            kind if kind.can_start_expression() => {
                self.error(|p| mistakes::missing_open_brace(p.span(), "the body of the request"));
                self.spare_closers = self.spare_closers.saturating_sub(1);
                self.block_without_opening();
            }
            _ => {
                self.error(|p| mistakes::request_without_body(p.after_previous()));
                self.eat(Semicolon);
            }
        }
    }

    fn missing_name(&mut self) {
        let is_word = self.current().is_keyword() && self.ahead(1) == LeftBrace || self.at(Number);
        self.error(|p| {
            let span = if is_word || p.at(Assign) { p.span() } else { p.after_previous() };
            mistakes::request_without_name(p.text(), span, is_word, p.at(Assign))
        });
        if is_word || self.at(Assign) && self.ahead(1) == Name {
            self.bump_error();
        }
    }

    /// `request foo-bar {`: what stands before the brace belongs to the name,
    /// as far as its writer is concerned.
    fn skip_name_rest(&mut self, name: Span) {
        let ends = |kind| matches!(kind, LeftBrace | RightBrace | Semicolon | Assign | RequestKw | End);
        let Some(length) = (0..8).find(|&ahead| ends(self.ahead(ahead))) else { return };
        if length > 0 && self.ahead(length) == LeftBrace {
            let (text, span) = (self.text(), self.span());
            let known = self.is_quiet();
            self.hush();
            self.skip_to(|kind| kind == LeftBrace);
            let written = self.text_since(name.start);
            if !known {
                self.report(|_| mistakes::bad_request_name(text, span, written));
            }
        }
    }

    /// Passes over a group in parentheses, without looking into it.
    pub(crate) fn skip_parens(&mut self) {
        self.start(Error);
        let mut level = 0usize;
        loop {
            match self.current() {
                LeftParen => level += 1,
                RightParen => level = level.saturating_sub(1),
                Semicolon | LeftBrace | RightBrace | End => break,
                RequestKw if self.at_request() => break,
                _ => {}
            }
            self.bump();
            if level == 0 {
                break;
            }
        }
        self.end();
        self.hush();
    }
}
