//! Tokens to a lossless tree: the machinery. What can be asked about the
//! tokens at hand is in [`looking`], the grammar in [`items`](super::items) and
//! [`expressions`](super::expressions), what is said about mistakes in
//! [`mistakes`](super::mistakes).
//!
//! The parser never fails. Three rules keep one mistake from causing a shower
//! of errors:
//! - an error is dropped where the token it is about, or the token before it,
//!   has already been complained about (`quiet_below`);
//! - a token that has an obvious meaning is taken for it (`=` for `==`);
//! - a `request` that begins a request is never passed over, so a broken
//!   request leaves the next alone.

mod looking;

use rowan::GreenNode;
use rustc_hash::FxHashSet;

use super::builder::{Builder, Checkpoint};
use super::kind::SyntaxKind;
use super::lexer::{Token, number_too_large};
use crate::diagnostic::{Diagnostic, Sink, codes};
use serval_diagnostic::{LineIndex, Span};

/// How deep a program may nest: parentheses, blocks, unary operators, chained
/// assignments and `return`s each count one. Beyond, the program is refused
/// with [`codes::TOO_DEEP`].
///
/// Operators and sequences count too once a program exists: no [`Expr`](crate::Expr) of a
/// [`Program`](crate::Program) is more than `2 * MAX_DEPTH + 8` levels high, so recursion over
/// it is safe.
pub const MAX_DEPTH: u32 = 256;

/// How deep expressions may nest in the program, where a sequence and an
/// operator count too. Twice the depth that people see, because a level of
/// parentheses or braces usually holds one operator or sequence, and a few
/// more for what stands in the innermost.
pub(crate) const MAX_HEIGHT: u32 = 2 * MAX_DEPTH + 8;

/// The words that stand before the name of a function in other languages.
pub(crate) const FUNCTION_WORDS: &[&str] = &["fn", "function", "def"];

/// What a sequence of statements stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum List {
    /// The whole file.
    File,
    /// Braces, or what should be in braces but has lost the opening one.
    Block,
    /// The parentheses of a condition.
    Condition,
    /// Other parentheses.
    Paren,
}

pub(crate) struct Parser<'t> {
    text: &'t str,
    tokens: Vec<Token>,
    /// The token looked at: never trivia; the last one is `End`.
    position: usize,
    /// The first token that is not in the tree yet.
    written: usize,
    builder: Builder,
    sink: Sink,
    /// Errors about tokens before this one are follow-ups and dropped.
    quiet_below: usize,
    depth: u32,
    /// The braces around `position` that wait to be closed, outermost first.
    pub(crate) open_braces: Vec<Span>,
    /// The same of parentheses.
    pub(crate) open_parens: Vec<Span>,
    /// What the statement looked at stands in.
    pub(crate) list: List,
    /// How many more `}` than `{` the file has, less those explained so far.
    pub(crate) spare_closers: usize,
    /// The last token in the tree that is not trivia.
    previous: Option<usize>,
    /// Whether the file assigns to a variable called `return`.
    pub(crate) return_is_name: bool,
    /// Whether the file assigns to a variable called `not`.
    pub(crate) not_is_name: bool,
    /// Whether a request begins somewhere.
    pub(crate) contains_request: bool,
    /// Whether the file assigns to a variable called `skip`.
    pub(crate) skip_is_name: bool,
    /// The names that stand behind `fn` or its like somewhere.
    pub(crate) functions: FxHashSet<&'t str>,
    /// The names that stand behind `enum`.
    pub(crate) enums: FxHashSet<&'t str>,
    /// The words of other languages that are names in this file.
    pub(crate) own: FxHashSet<&'t str>,
    /// What has been passed over, and said so.
    pub(crate) unread: Vec<Span>,
    /// From where to where the last `A[i]` went.
    pub(crate) index: Option<(usize, usize)>,
    /// The braces of this request that have been closed, with what closed them.
    pub(crate) closed_braces: Vec<(Span, Span)>,
    /// Whether this request has an expression that is too high.
    pub(crate) too_high: bool,
    lines: Option<LineIndex>,
}

impl<'t> Parser<'t> {
    pub(crate) fn new(text: &'t str, tokens: Vec<Token>) -> Self {
        let mut parser = Self {
            text,
            tokens,
            position: 0,
            written: 0,
            builder: Builder::default(),
            sink: Sink::default(),
            quiet_below: 0,
            depth: 0,
            open_braces: Vec::new(),
            open_parens: Vec::new(),
            list: List::File,
            spare_closers: 0,
            previous: None,
            return_is_name: false,
            not_is_name: false,
            contains_request: false,
            functions: FxHashSet::default(),
            skip_is_name: false,
            enums: FxHashSet::default(),
            own: FxHashSet::default(),
            unread: Vec::new(),
            index: None,
            closed_braces: Vec::new(),
            too_high: false,
            lines: None,
        };
        parser.survey();
        parser.own = parser.own_words();
        parser.pass_trivia();
        parser
    }

    /// The tree, what is wrong, and the places of what has been passed over unread.
    pub(crate) fn finish(self) -> (GreenNode, Vec<Diagnostic>, Vec<Span>) {
        (self.builder.finish(), self.sink.into_vec(), self.unread)
    }

    /// Looks over the file once, for what a place far away decides here.
    ///
    /// A published program may well have a variable called `return`, `not` or `skip`;
    /// it can only matter there if something is assigned to it.
    fn survey(&mut self) {
        let mut last = "";
        let (mut opening, mut closing) = (0usize, 0usize);
        for index in 0..self.tokens.len() {
            match self.tokens[index].kind {
                SyntaxKind::Name => {
                    let name = self.text_of(index);
                    if FUNCTION_WORDS.contains(&last) && !is_joining(name) {
                        self.functions.insert(name);
                    }
                    if last == "enum" && !is_joining(name) {
                        self.enums.insert(name);
                    }
                    last = name;
                }
                kind if kind.is_trivia() => {}
                kind => {
                    if kind == SyntaxKind::Assign {
                        self.return_is_name |= last == "return";
                        self.not_is_name |= last == "not";
                        self.skip_is_name |= last == "skip";
                    }
                    opening += usize::from(kind == SyntaxKind::LeftBrace);
                    closing += usize::from(kind == SyntaxKind::RightBrace);
                    self.contains_request = self.contains_request || self.request_begins(index);
                    last = "";
                }
            }
        }
        self.spare_closers = closing.saturating_sub(opening);
    }

    // Building.

    fn pass_trivia(&mut self) {
        while self.current().is_trivia() {
            // The lexer has complained about it, and what follows is likely
            // to look wrong only because of it.
            if self.at(SyntaxKind::Unknown) {
                self.quiet_below = usize::MAX;
            }
            self.position += 1;
        }
        if self.quiet_below == usize::MAX {
            self.quiet_below = self.position + 1;
        }
    }

    fn write_trivia(&mut self) {
        while self.written < self.position {
            let token = self.tokens[self.written];
            let text = self.text_of(self.written);
            self.builder.token(token.kind, text);
            self.written += 1;
        }
    }

    /// Moves on, with the token in the tree as it is.
    pub(crate) fn bump(&mut self) {
        self.bump_as(self.current());
    }

    /// Moves on, with the token in the tree under another kind.
    pub(crate) fn bump_as(&mut self, kind: SyntaxKind) {
        if self.at(SyntaxKind::End) {
            return;
        }
        self.write_trivia();
        let text = self.text();
        self.builder.token(kind, text);
        self.previous = Some(self.position);
        self.position += 1;
        self.written = self.position;
        self.pass_trivia();
    }

    /// Moves on if the token is of this kind.
    pub(crate) fn eat(&mut self, kind: SyntaxKind) -> bool {
        let found = self.at(kind);
        if found {
            self.bump();
        }
        found
    }

    /// Moves on past a token that has been complained about.
    pub(crate) fn bump_error(&mut self) {
        self.start(SyntaxKind::Error);
        self.bump();
        self.end();
        self.hush();
    }

    /// Moves on to the first token that `stop` accepts, or the next request.
    pub(crate) fn skip_to(&mut self, stop: impl Fn(SyntaxKind) -> bool) {
        self.start(SyntaxKind::Error);
        while !self.at(SyntaxKind::End) && !self.at_request() && !stop(self.current()) {
            self.bump();
        }
        self.end();
        self.hush();
    }

    /// Moves on to the end of the line, or of the braces and parentheses that
    /// begin on it; a `;` that ends it is left.
    pub(crate) fn skip_line(&mut self) {
        use SyntaxKind::*;
        let (mut braces, mut others) = (0usize, 0usize);
        self.start(Error);
        while !self.at(End) && !self.at_request() {
            let kind = self.current();
            match kind {
                Semicolon if braces + others == 0 => break,
                LeftBrace if self.list == List::Condition => break,
                RightBrace if braces == 0 => break,
                RightParen if others == 0 && !self.open_parens.is_empty() => break,
                LeftBrace => braces += 1,
                RightBrace => braces -= 1,
                LeftParen | LeftBracket => others += 1,
                RightParen | RightBracket => others = others.saturating_sub(1),
                _ => {}
            }
            self.bump();
            let complete = kind == RightBrace || kind != Comma && !self.at(LeftBrace) && self.on_new_line();
            if complete && braces + others == 0 {
                break;
            }
        }
        self.end();
    }

    /// Moves on to the next request, with all up to there in one token: what
    /// is skipped for its depth may be of any size.
    fn skip_request(&mut self) {
        self.start(SyntaxKind::Error);
        let start = self.tokens[self.position].start;
        while !self.at(SyntaxKind::End) && !self.at_request() {
            self.previous = Some(self.position);
            self.position += 1;
            self.pass_trivia();
        }
        // Blanks before the next token stay outside, as everywhere.
        self.written = self.previous.map_or(self.written, |index| index + 1).max(self.written);
        let end = self.tokens[self.written].start;
        if start < end {
            let text = &self.text[Span::new(start, end).range()];
            self.builder.token(SyntaxKind::Skipped, text);
        }
        self.end();
        self.hush();
    }

    pub(crate) fn start(&mut self, kind: SyntaxKind) {
        // The outermost node holds the whole text, also blanks before it.
        if kind != SyntaxKind::SourceFile {
            self.write_trivia();
        }
        self.builder.start(kind);
    }

    pub(crate) fn checkpoint(&mut self) -> Checkpoint {
        self.write_trivia();
        self.builder.checkpoint()
    }

    pub(crate) fn start_at(&mut self, checkpoint: Checkpoint, kind: SyntaxKind) {
        self.builder.start_at(checkpoint, kind);
    }

    pub(crate) fn end(&mut self) {
        self.builder.end();
    }

    /// Writes what is left, which is trivia.
    pub(crate) fn end_file(&mut self) {
        while !self.at(SyntaxKind::End) {
            self.bump();
        }
        self.write_trivia();
        self.end();
    }

    // Complaining.

    /// Reports what `build` makes, unless it would be a follow-up.
    pub(crate) fn error(&mut self, build: impl FnOnce(&mut Self) -> Diagnostic) {
        if !self.is_quiet() {
            self.report(build);
        }
        self.hush();
    }

    /// Whether an error about the token looked at would be a follow-up.
    pub(crate) fn is_quiet(&self) -> bool {
        // The lexer has complained about text in quotes.
        self.position < self.quiet_below || self.at(SyntaxKind::Text)
    }

    /// Reports what `build` makes, follow-up or not.
    pub(crate) fn report(&mut self, build: impl FnOnce(&mut Self) -> Diagnostic) {
        if !self.sink.is_full() {
            let diagnostic = build(self);
            self.sink.push(|| diagnostic);
        }
    }

    /// Drops further errors about the token looked at.
    pub(crate) fn hush(&mut self) {
        self.quiet_below = self.quiet_below.max(self.position + 1);
    }

    /// Drops further errors about this token and the next.
    pub(crate) fn hush_next(&mut self) {
        let next = self.index_ahead(1).unwrap_or(self.position);
        self.quiet_below = self.quiet_below.max(next + 1);
    }

    /// Reports a number that is too large. This is about its letters, and
    /// said whatever else is wrong with its place.
    pub(crate) fn number_too_large(&mut self) {
        let span = self.span();
        self.sink.push(|| number_too_large(span));
    }

    // Limits.

    /// Goes one level deeper; `false` where that is too deep, and then all
    /// of this request is behind us.
    pub(crate) fn enter(&mut self) -> bool {
        if self.depth == MAX_DEPTH {
            // Said even where other errors are not: it is the reason why
            // the rest of the request goes unread.
            let span = self.span();
            self.sink.push(|| too_deep(span));
            self.skip_request();
            return false;
        }
        self.depth += 1;
        true
    }

    pub(crate) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Checks the height of an expression that ends here.
    pub(crate) fn bounded(&mut self, height: u32) -> u32 {
        if height <= MAX_HEIGHT {
            return height;
        }
        if !std::mem::replace(&mut self.too_high, true) {
            self.error(|p| too_deep(p.previous_span()));
        }
        0
    }
}

/// Whether a name after an operand is an operator.
fn is_joining(name: &str) -> bool {
    matches!(name, "and" | "or")
}

pub(crate) fn too_deep(span: Span) -> Diagnostic {
    Diagnostic::error(codes::TOO_DEEP, span, "this is nested too deeply")
        .expected(format!("at most {MAX_DEPTH} parentheses, blocks and operators inside one another"))
        .help("compute the inner parts first and keep them in local variables")
}
