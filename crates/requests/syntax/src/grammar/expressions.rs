//! The grammar of expressions.
//!
//! Every function here returns the height of the expression that it read, in
//! levels of [`Expr`](crate::program::Expr), so that the limit on nesting also holds
//! for operators, which do not nest in the parser.

use super::builder::Checkpoint;
use super::kind::SyntaxKind::{self, *};
use super::lexer::is_smallest;
use super::mistakes;
use super::parser::{List, Parser};
use crate::diagnostic::{Diagnostic, similar};
use crate::program::is_global;
use serval_diagnostic::Span;

/// How tightly operators bind, from the loosest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Or,
    And,
    Compare,
    Sum,
    Product,
}

impl Level {
    fn node(self) -> SyntaxKind {
        match self {
            Self::Or => OrExpr,
            Self::And => AndExpr,
            Self::Compare => CompareExpr,
            Self::Sum => SumExpr,
            Self::Product => ProductExpr,
        }
    }
}

impl SyntaxKind {
    /// Whether an expression can begin with it.
    pub(crate) fn can_start_expression(self) -> bool {
        matches!(self, Number | Text | Name | Question | YieldKw | IfKw | WhileKw | LeftParen | Bang | Minus)
    }
}

impl Parser<'_> {
    /// `a; b; c` up to what closes `list`.
    pub(crate) fn statements(&mut self, list: List) -> u32 {
        let outer = std::mem::replace(&mut self.list, list);
        let mut count = 0u32;
        let mut height = 0;
        while !self.at_list_end() {
            if self.at_foreign_item() {
                self.foreign_item();
                continue;
            }
            if self.at_declaration() {
                // A file that is one request may have arrays of its own, too.
                let local = self.at_local_array() && !is_global(self.text_ahead(1));
                if list == List::File && !local {
                    self.declaration();
                    continue;
                }
                if !matches!(self.text(), "var" | "const") {
                    self.error(|p| mistakes::misplaced_declaration(p.text(), p.span()));
                    self.skip_line();
                    self.eat(Semicolon);
                    continue;
                }
            }
            let mark = self.mark();
            height = height.max(self.statement());
            count = count.saturating_add(1);
            if self.mark() == mark {
                self.error(|p| mistakes::expected_expression(p));
                self.bump_error();
            } else {
                self.separator();
            }
        }
        self.list = outer;
        if count > 1 { self.bounded(height + 1) } else { height }
    }

    /// Whether something begins here that a sequence must leave to others.
    fn at_list_end(&self) -> bool {
        match self.current() {
            End => true,
            RequestKw => self.at_request(),
            RightBrace => !self.open_braces.is_empty(),
            RightParen => !self.open_parens.is_empty(),
            LeftBrace => self.list == List::Condition,
            _ => false,
        }
    }

    fn statement(&mut self) -> u32 {
        match self.current() {
            RightBrace | RightParen | RightBracket => {
                self.error(|p| mistakes::stray_closer(p.text(), p.span()));
                self.bump_error();
                0
            }
            ElseKw => self.stray_else(),
            LeftBrace => self.bare_block(),
            Name if self.at_local_array() => self.local_array(),
            Name if self.other_statement() => 0,
            _ => self.assignment(),
        }
    }

    /// What stands after a statement: `;`, or the end of the sequence.
    fn separator(&mut self) {
        while !self.at_list_end() {
            match self.current() {
                Semicolon => return self.bump(),
                Comma => {
                    self.error(|p| mistakes::comma(p.span()));
                    return self.bump_error();
                }
                ElseKw | RightBrace | RightParen | RightBracket => return,
                PlusPlus => {
                    self.error(|p| mistakes::increment(p.span(), p.previous_text()));
                    self.bump_error();
                }
                CompoundAssign => {
                    self.error(|p| mistakes::compound_assign(p.text(), p.span(), p.previous_text()));
                    self.bump_error();
                    self.assignment();
                }
                Minus if self.at_decrement() => {
                    self.error(|p| mistakes::decrement(p.span(), p.previous_text()));
                    self.start(Error);
                    self.bump();
                    self.bump();
                    self.end();
                    self.hush();
                }
                RequestKw if self.ahead(1) == Assign => return self.missing_semicolon(),
                // A block says by itself where it ends.
                kind if kind.can_start_expression() && self.previous_kind() == Some(RightBrace) => return,
                kind if kind.can_start_expression() => return self.missing_semicolon(),
                _ => {
                    self.error(|p| mistakes::unexpected(p.text(), p.span()));
                    self.bump_error();
                }
            }
        }
    }

    fn missing_semicolon(&mut self) {
        self.error(|p| mistakes::missing_semicolon(p.after_previous(), p.previous_text()));
    }

    /// `x := e`, `return e`, or an operator expression.
    pub(crate) fn assignment(&mut self) -> u32 {
        let checkpoint = self.checkpoint();
        let start = self.span();
        if self.at(Name) {
            self.foreign_words();
        }
        if self.at(Name) {
            if self.at_return() {
                return self.return_expression();
            }
            match self.ahead(1) {
                Assign => return self.assign_expression(),
                Equal if self.list != List::Condition => return self.assign_expression(),
                Colon => return self.assign_expression(),
                CompoundAssign if matches!(self.text_ahead(1), "+=" | "-=") => return self.assign_expression(),
                _ => {}
            }
        }
        let begin = self.mark();
        let mut height = self.binary(Level::Or);
        if self.at_foreign_question() && self.mark() > begin {
            self.foreign_question(start);
        }
        if (self.at(Assign) || self.at_addition()) && self.index == Some((begin, self.mark())) {
            self.start_at(checkpoint, AssignExpr);
            self.bump();
            let value = self.nested(Self::assignment);
            self.end();
            return self.bounded(height.max(value) + 4);
        }
        if self.at(Assign) || self.at_addition() {
            // The lexer has complained about `2nd`.
            let known = self.previous_kind() == Some(Number) && !self.previous_text().bytes().all(|byte| byte.is_ascii_digit());
            if !known {
                self.error(|p| p.bad_assignment(start));
            }
            self.start_at(checkpoint, Error);
            self.bump();
            height = self.nested(Self::assignment);
            self.end();
        }
        height
    }

    /// At `+=` or `-=`.
    fn at_addition(&self) -> bool {
        self.at(CompoundAssign) && matches!(self.text(), "+=" | "-=")
    }

    /// Parses with `part` one level deeper; nothing where that is too deep.
    pub(crate) fn nested(&mut self, part: fn(&mut Self) -> u32) -> u32 {
        if !self.enter() {
            return 0;
        }
        let height = part(self);
        self.leave();
        height
    }

    fn assign_expression(&mut self) -> u32 {
        self.start(AssignExpr);
        self.bump();
        match self.current() {
            Colon => {
                self.error(|p| mistakes::single_colon(p.span()));
                self.bump_as(Assign);
                self.eat(Equal);
                self.hush();
            }
            Equal => {
                self.error(|p| mistakes::single_equal(p.span(), ":="));
                self.bump_as(Assign);
            }
            _ => self.bump(),
        }
        let height = self.nested(Self::assignment);
        self.end();
        self.bounded(height + 2)
    }

    /// At `:=`, `+=` or `-=` after something that is not a lone name.
    fn bad_assignment(&mut self, start: Span) -> Diagnostic {
        match self.previous_kind() {
            Some(Name) => mistakes::assign_in_operand(self.previous_span().to(self.span()), self.previous_text(), self.text()),
            Some(YieldKw) => mistakes::keyword_target(start.to(self.previous_span()), self.previous_text()),
            _ => mistakes::bad_target(start.to(self.previous_span()), self.text()),
        }
    }

    // `return` and `not` are words of the language only where they can be;
    // elsewhere they are variables, as in the published language.

    fn at_return(&self) -> bool {
        self.at(Name) && self.text() == "return" && !self.return_is_name && self.operand_follows()
    }

    fn at_not(&self) -> bool {
        self.at(Name) && self.text() == "not" && !self.not_is_name && self.operand_follows()
    }

    /// Whether an expression begins after the word looked at. In `return and b`
    /// none does: there `return` is a variable and `and` the operator.
    fn operand_follows(&self) -> bool {
        let next = self.ahead(1);
        if next == Name && matches!(self.text_ahead(1), "and" | "or") {
            let after = self.ahead(2);
            return !after.can_start_expression() || after == Minus;
        }
        next.can_start_expression()
    }

    fn return_expression(&mut self) -> u32 {
        self.start(ReturnExpr);
        self.bump_as(ReturnKw);
        let height = self.nested(Self::assignment);
        self.end();
        self.bounded(height + 1)
    }

    /// Operators that bind at least as tightly as `least`, each chain of
    /// equals in one flat node.
    fn binary(&mut self, least: Level) -> u32 {
        let checkpoint = self.checkpoint();
        let mut height = self.unary();
        // After a chain of one level only looser operators can follow, so
        // every round of this loop is looser than the one before.
        while let Some((level, _)) = self.operator()
            && level >= least
        {
            height = self.chain(checkpoint, level, height);
        }
        height
    }

    fn chain(&mut self, checkpoint: Checkpoint, level: Level, first: u32) -> u32 {
        self.start_at(checkpoint, level.node());
        let mut height = first;
        let mut length = 0u32;
        while let Some((found, kind)) = self.operator()
            && found == level
        {
            self.operator_mistakes(level, length);
            self.bump_as(kind);
            length = length.saturating_add(1);
            height = height.max(match level {
                Level::Or => self.binary(Level::And),
                Level::And => self.binary(Level::Compare),
                Level::Compare => self.binary(Level::Sum),
                Level::Sum => self.binary(Level::Product),
                Level::Product => self.unary(),
            });
        }
        self.end();
        self.bounded(height + 1)
    }

    /// At the `--` of `x--;`. In `x--1` it is a minus and a sign.
    fn at_decrement(&self) -> bool {
        self.at_double_minus() && !self.ahead(2).can_start_expression()
    }

    pub(crate) fn at_operator(&self) -> bool {
        self.operator().is_some()
    }

    /// The operator looked at, its level and the kind it has in the tree.
    fn operator(&self) -> Option<(Level, SyntaxKind)> {
        match self.current() {
            OrOr | Pipe => Some((Level::Or, OrOr)),
            AndAnd | Ampersand => Some((Level::And, AndAnd)),
            kind @ (EqualEqual | NotEqual | Less | LessEqual | Greater | GreaterEqual) => Some((Level::Compare, kind)),
            Equal | ForeignCompare => Some((Level::Compare, EqualEqual)),
            Minus if self.at_decrement() => None,
            kind @ (Plus | Minus) => Some((Level::Sum, kind)),
            kind @ (Star | Slash | Percent) => Some((Level::Product, kind)),
            // A name can never stand after an operand, so these two need no
            // further thought.
            Name if self.ahead(1) != Assign => match self.text() {
                "or" => Some((Level::Or, OrOr)),
                "and" => Some((Level::And, AndAnd)),
                _ => None,
            },
            _ => None,
        }
    }

    fn operator_mistakes(&mut self, level: Level, length: u32) {
        match self.current() {
            Pipe | Ampersand => self.error(|p| mistakes::single_and_or(p.text(), p.span())),
            Equal if self.index.is_some_and(|(_, end)| end == self.mark()) && self.list != List::Condition => {
                self.error(|p| mistakes::single_equal(p.span(), ":="));
            }
            Equal => self.error(|p| mistakes::single_equal(p.span(), "==")),
            ForeignCompare => self.error(|p| mistakes::foreign_compare(p.text(), p.span())),
            _ if level == Level::Compare && length > 0 => self.error(|p| mistakes::chained_comparison(p.text(), p.span())),
            _ => {}
        }
    }

    fn unary(&mut self) -> u32 {
        // Signs and increments that mean nothing; a loop, for there may be many.
        while matches!(self.current(), Plus | PlusPlus) {
            self.error(|p| if p.at(Plus) { mistakes::unary_plus(p) } else { mistakes::increment(p.span(), p.text_ahead(1)) });
            self.bump_error();
        }
        let (node, kind) = match self.current() {
            Bang => (NotExpr, Bang),
            Minus => (NegateExpr, Minus),
            Name if self.at_not() => (NotExpr, Bang),
            _ => return self.atom(),
        };
        self.start(node);
        self.bump_as(kind);
        let height = if node == NegateExpr && self.at_smallest() { self.number() } else { self.nested(Self::unary) };
        self.end();
        self.bounded(height + 1)
    }

    fn atom(&mut self) -> u32 {
        let node = match self.current() {
            Number => {
                if self.at_smallest() {
                    self.number_too_large();
                }
                return self.number();
            }
            Question => ChoiceExpr,
            YieldKw => return self.yield_expression(),
            Text => Error,
            Name => return self.name_or_part(),
            LeftParen => return self.nested(Self::paren_expression),
            IfKw | WhileKw | RequestKw if self.ahead(1) == Assign => return self.keyword_target(),
            IfKw => return self.nested(Self::if_expression),
            WhileKw => return self.nested(Self::while_expression),
            LeftBrace if self.list != List::Condition => return self.bare_block(),
            RequestKw if !self.at_request() => {
                self.error(|p| mistakes::request_as_value(p.span()));
                self.bump_error();
                return 0;
            }
            _ => {
                self.error(|p| mistakes::expected_expression(p));
                return 0;
            }
        };
        self.start(node);
        self.bump();
        self.end();
        0
    }

    /// At a number that only a unary minus right before it makes small enough.
    fn at_smallest(&self) -> bool {
        self.at(Number) && is_smallest(self.text())
    }

    fn number(&mut self) -> u32 {
        self.start(NumberExpr);
        self.bump();
        self.end();
        0
    }

    fn yield_expression(&mut self) -> u32 {
        self.start(YieldExpr);
        self.bump();
        self.end();
        if self.at(LeftParen) && self.ahead(1) == RightParen {
            self.error(|p| mistakes::yield_call(p.span(), "yield"));
            self.skip_parens();
        }
        0
    }

    fn keyword_target(&mut self) -> u32 {
        self.error(|p| mistakes::keyword_target(p.span(), p.text()));
        self.bump_error();
        0
    }

    fn paren_expression(&mut self) -> u32 {
        self.start(ParenExpr);
        let height = self.parenthesized(List::Paren);
        self.end();
        height
    }

    pub(crate) fn parenthesized(&mut self, list: List) -> u32 {
        self.open_parens.push(self.span());
        self.bump();
        if self.at(RightParen) {
            self.error(|p| mistakes::expected_expression(p));
        }
        let height = self.statements(list);
        self.close_paren();
        height
    }

    /// An expression without comparisons and what binds looser.
    pub(crate) fn sum(&mut self) -> u32 {
        self.binary(Level::Sum)
    }

    pub(crate) fn close_paren(&mut self) {
        let open = self.open_parens.pop().unwrap_or_default();
        if !self.eat(RightParen) {
            self.error(|p| mistakes::missing_paren(p, open));
        }
    }

    /// A name with what belongs to it, and with what does not: parts.
    fn name_or_part(&mut self) -> u32 {
        let (start, name) = (self.span(), self.text());
        if self.at_part() {
            self.part(start, name);
            return 0;
        }
        let height = self.name_expression();
        if self.at(Dot) && self.ahead(1) == Name {
            self.part(start, name);
        }
        height
    }

    fn name_expression(&mut self) -> u32 {
        // In an operand, `return - 1` is a variable minus 1.
        if self.at_return() && self.ahead(1) != Minus {
            self.error(|p| mistakes::return_in_operand(p.span()));
            return self.return_expression();
        }
        if self.at_loop_exit() {
            return self.loop_exit();
        }
        if self.other_operand() {
            return 0;
        }
        match self.ahead(1) {
            Name if self.at_local_array() => {
                self.error(|p| mistakes::declaration_in_operand(p.span()));
                return self.local_array();
            }
            Name if self.text() == "await" && self.name_follows() => return self.await_form(),
            Name if self.text() == "for" && self.name_follows() => return self.for_expression(),
            LeftParen => return self.call_like(),
            LeftBracket => return self.nested(Self::index_expression),
            Dot if self.at_member() => return self.member_expression(),
            LeftBrace if self.text() == "atomic" => return self.atomic_expression(),
            LeftBrace if self.list != List::Condition => return self.block_like(),
            _ => {}
        }
        let is_skip = self.text() == "skip" && !self.skip_is_name;
        self.start(if is_skip { SkipExpr } else { NameExpr });
        self.bump_as(if is_skip { SkipKw } else { Name });
        self.end();
        0
    }

    /// At a name and a dot: whether the name is that of an `enum` of this file, or nearly.
    fn at_member(&self) -> bool {
        self.enums.contains(self.text()) || self.ahead(2) == Name && self.names_enum()
    }

    /// Whether the name here is that of an `enum` of this file, or nearly.
    pub(super) fn names_enum(&self) -> bool {
        self.enums.contains(self.text()) || similar(self.text(), self.enums.iter().copied()).is_some()
    }

    /// `State.Idle`
    fn member_expression(&mut self) -> u32 {
        let start = self.span();
        self.start(MemberExpr);
        self.bump();
        self.bump();
        if !self.eat(Name) {
            self.error(|p| mistakes::form(p.span(), "the name of a member", "the member behind the `.`, such as `State.Idle`"));
        }
        self.end();
        if self.at(Assign) || self.at_addition() {
            self.error(|p| mistakes::member_target(start.to(p.previous_span())));
        }
        0
    }

    /// `name { … }`: a form that is not there.
    fn block_like(&mut self) -> u32 {
        self.error(|p| mistakes::block_form(p.text(), p.span()));
        self.start(Error);
        self.bump();
        let height = self.nested(|p| p.block("the block"));
        self.end();
        height
    }

    fn bare_block(&mut self) -> u32 {
        self.error(|p| mistakes::bare_block(p.span()));
        self.hush_next();
        self.nested(|p| p.block("the block"))
    }
}
