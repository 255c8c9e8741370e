//! Where blanks stand and lines end: the rules of the style.
//!
//! The tree is walked from token to token. Between two tokens the nodes that
//! end and begin there leave *marks*: groups and indentation for the printer,
//! and one [`Break`], which says what stands between the two tokens. The
//! comments of the gap are put at the break, or at a [`Mark::Comments`] before
//! it where they are to be indented otherwise than the next token.
//!
//! The rules for a form are in three functions: [`Layout::has_group`],
//! [`Layout::before_part`] for what stands before each of its parts but the
//! first, and [`Layout::leave`]. A form without rules of its own gets its
//! blanks by [`blank_between`].

use rowan::WalkEvent;
use serval_syntax::SyntaxKind::{self, *};
use serval_syntax::{SyntaxElement, SyntaxNode, SyntaxToken};

use crate::Style;
use crate::gap::{Comment, Gap, Sorted};
use crate::printer::Printer;

/// What stands between two tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Break {
    Nothing,
    /// A blank.
    Space,
    /// Nothing, or the end of a line.
    Soft,
    /// A blank, or the end of a line.
    Line,
    /// The end of a line.
    Hard(LineEnd),
}

/// Where a line ends, which decides about empty lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineEnd {
    /// Between statements or items: an empty line stays.
    Between,
    /// At the beginning of a block or of the file: no empty line.
    Opening,
    /// At the end of a block or of the file: no empty line.
    Closing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    Begin,
    End,
    Indent,
    Dedent,
    /// Where comments go, if not to the break.
    Comments,
    Break(Break),
}

/// A node around the place that the walk has come to.
struct LayoutFrame {
    kind: SyntaxKind,
    /// How many parts there were, trivia not counted.
    parts: usize,
    /// The kind of the last of them that is no `;` or `,`.
    last: SyntaxKind,
    /// Of a block or an `enum`: whether it may stay on one line, as it was.
    is_short: bool,
    /// Of a chain: whether it fills brackets by itself, which indent it.
    is_alone: bool,
    /// Whether the parts are indented at this place.
    is_indented: bool,
    /// Whether the node around has made a group for it and its break.
    in_group: bool,
}

struct Layout<'t> {
    text: &'t str,
    printer: Printer<'t>,
    frames: Vec<LayoutFrame>,
    marks: Vec<Mark>,
    gap: Gap<'t>,
    /// The last token.
    previous: Option<LayoutToken<'t>>,
    /// Whether a comment made the last token begin a line.
    begins_line: bool,
    /// Where lines end in the source.
    line_ends: Vec<u32>,
    /// Where the walk is in its line of the source, from 0.
    column: usize,
}

#[derive(Clone, Copy)]
struct LayoutToken<'t> {
    kind: SyntaxKind,
    text: &'t str,
}

/// The program in the layout of `style`.
pub(crate) fn print(text: &str, root: &SyntaxNode, style: Style) -> String {
    let mut layout = Layout {
        text,
        printer: Printer::new(style, text.len() + text.len() / 4),
        frames: Vec::new(),
        marks: vec![Mark::Break(Break::Hard(LineEnd::Opening))],
        gap: Gap::default(),
        previous: None,
        begins_line: false,
        line_ends: line_ends(text),
        column: 0,
    };
    for event in root.preorder_with_tokens() {
        match event {
            WalkEvent::Enter(SyntaxElement::Node(node)) => layout.enter(&node),
            WalkEvent::Enter(SyntaxElement::Token(token)) => layout.token(&token),
            WalkEvent::Leave(SyntaxElement::Node(_)) => layout.leave(),
            WalkEvent::Leave(SyntaxElement::Token(_)) => {}
        }
    }
    layout.marks.push(Mark::Break(Break::Hard(LineEnd::Closing)));
    layout.put_gap(true);
    layout.printer.finish()
}

fn line_ends(text: &str) -> Vec<u32> {
    // Texts are far shorter than 4 GiB, or they have no tree.
    let ends = text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n');
    ends.map(|(at, _)| u32::try_from(at).unwrap_or(u32::MAX)).collect()
}

/// Lists in parentheses, and values in braces.
fn is_list(kind: SyntaxKind) -> bool {
    matches!(kind, ParenExpr | Condition | ArgList | ParamList | ValueSet)
}

/// A word and a list in parentheses, in one node.
fn is_call(kind: SyntaxKind) -> bool {
    matches!(kind, LockExpr | UnlockExpr | ChooseExpr | FreshExpr | MinExpr | MaxExpr)
}

/// Operands with operators between.
fn is_chain(kind: SyntaxKind) -> bool {
    matches!(kind, OrExpr | AndExpr | CompareExpr | SumExpr | ProductExpr)
}

fn is_separator(kind: SyntaxKind) -> bool {
    matches!(kind, Semicolon | Comma)
}

fn is_closer(kind: SyntaxKind) -> bool {
    matches!(kind, RightBrace | RightParen | RightBracket)
}

/// Whether a blank stands between two tokens of a form that has no rule of
/// its own.
fn blank_between(form: SyntaxKind, previous: LayoutToken<'_>, next: SyntaxKind) -> bool {
    match (previous.kind, next) {
        (LeftParen | LeftBracket | DotDot, _) | (_, RightParen | RightBracket | LeftBracket | DotDot | Colon) => false,
        (_, next) if is_separator(next) => false,
        // A call, and a member of an `enum`.
        (Name, LeftParen) | (Dot, _) | (_, Dot) => false,
        // `not` is a word, and `- -x` is no `--`.
        (Bang, _) => previous.text != "!",
        (Minus, next) if form == NegateExpr => next == Minus,
        _ => true,
    }
}

/// The first token of a node that is not trivia.
fn first_token(node: &SyntaxNode) -> SyntaxKind {
    let mut token = node.first_token();
    while let Some(found) = token {
        if !found.kind().is_trivia() {
            return found.kind();
        }
        token = found.next_token();
    }
    End
}

impl<'t> Layout<'t> {
    /// A node begins.
    fn enter(&mut self, node: &SyntaxNode) {
        let kind = node.kind();
        let in_group = self.part(kind, || first_token(node));
        if self.has_group(kind) {
            self.marks.push(Mark::Begin);
        }
        let in_list = self.frames.last().is_some_and(|around| is_list(around.kind));
        let is_alone = is_chain(kind) && in_list && node.parent().is_some_and(|around| around.children().nth(1).is_none());
        let is_short = match kind {
            // One statement, one line.
            Block => self.is_on_one_line(node) && node.children().nth(1).is_none(),
            Enum => self.is_on_one_line(node),
            _ => false,
        };
        self.frames.push(LayoutFrame { kind, parts: 0, last: kind, is_short, is_alone, is_indented: false, in_group });
    }

    /// A node ends.
    fn leave(&mut self) {
        let Some(frame) = self.frames.pop() else { return };
        if is_chain(frame.kind) && frame.is_indented {
            self.marks.push(Mark::Dedent);
        }
        if self.has_group(frame.kind) {
            self.marks.push(Mark::End);
        }
        if frame.in_group {
            self.marks.push(Mark::End);
        }
    }

    /// Whether a node of this kind is a group of its own, at this place.
    ///
    /// The blocks of an `if` belong to the group of the `if`, so that they are
    /// on one line all together or not at all.
    fn has_group(&self, kind: SyntaxKind) -> bool {
        match kind {
            Block => self.frames.last().is_none_or(|around| around.kind != IfExpr),
            IfExpr | Enum => true,
            _ => is_list(kind) || is_call(kind) || is_chain(kind),
        }
    }

    /// Whether no line ends within a node, in the source.
    fn is_on_one_line(&self, node: &SyntaxNode) -> bool {
        let (start, end) = (u32::from(node.text_range().start()), u32::from(node.text_range().end()));
        let next = self.line_ends.partition_point(|&at| at < start);
        self.line_ends.get(next).is_none_or(|&at| at >= end)
    }

    /// A part of the innermost node begins; says whether a group was begun
    /// that holds the break before it too. `first` is the kind of its first
    /// token.
    fn part(&mut self, kind: SyntaxKind, first: impl FnOnce() -> SyntaxKind) -> bool {
        let Some(mut frame) = self.frames.pop() else { return false };
        let in_group = frame.parts > 0 && self.before_part(&mut frame, kind, first);
        frame.parts += 1;
        if !is_separator(kind) {
            frame.last = kind;
        }
        self.frames.push(frame);
        in_group
    }

    /// What stands before a part that is not the first of its node.
    fn before_part(&mut self, frame: &mut LayoutFrame, kind: SyntaxKind, first: impl FnOnce() -> SyntaxKind) -> bool {
        let found = match frame.kind {
            _ if is_separator(kind) => Break::Nothing,
            // Initial values on one line stay there, as far as they fit.
            SourceFile if (frame.last, kind) == (Initial, Initial) && self.gap.is_on_one_line() => {
                self.marks.extend([Mark::Begin, Mark::Break(Break::Line)]);
                return true;
            }
            SourceFile => Break::Hard(LineEnd::Between),
            Enum if kind.is_token() && kind != RightBrace => Break::Space,
            Block | Enum if frame.is_short => self.in_brackets(frame, kind, Break::Line, Break::Line, Break::Line),
            Block | Enum => {
                let [opening, between, closing] = [LineEnd::Opening, LineEnd::Between, LineEnd::Closing].map(Break::Hard);
                self.in_brackets(frame, kind, opening, between, closing)
            }
            call if is_call(call) && kind == LeftParen => Break::Nothing,
            list if is_list(list) || is_call(list) => self.in_brackets(frame, kind, Break::Soft, Break::Line, Break::Soft),
            chain if is_chain(chain) => {
                // What follows the first line of a chain is indented.
                if !frame.is_indented && !frame.is_alone {
                    self.marks.push(Mark::Indent);
                    frame.is_indented = true;
                }
                // An operator below a comment takes its operand along.
                if kind.is_token() || self.begins_line { Break::Space } else { Break::Line }
            }
            form => match self.previous {
                Some(previous) if !blank_between(form, previous, first()) => Break::Nothing,
                _ => Break::Space,
            },
        };
        self.marks.push(Mark::Break(found));
        false
    }

    /// The break before a part of a list in brackets, with the indentation of
    /// what is between them.
    fn in_brackets(&mut self, frame: &mut LayoutFrame, kind: SyntaxKind, opening: Break, between: Break, closing: Break) -> Break {
        if is_closer(kind) {
            // Comments before the bracket belong to what is within.
            if frame.is_indented {
                self.marks.extend([Mark::Comments, Mark::Dedent]);
            } else {
                self.marks.extend([Mark::Indent, Mark::Comments, Mark::Dedent]);
            }
            if frame.is_indented { closing } else { Break::Soft }
        } else if frame.is_indented {
            between
        } else {
            self.marks.push(Mark::Indent);
            frame.is_indented = true;
            opening
        }
    }

    /// The next token of the source.
    fn token(&mut self, token: &SyntaxToken) {
        let range = token.text_range();
        let text = &self.text[range.start().into()..range.end().into()];
        match token.kind() {
            Whitespace => self.whitespace(text),
            LineComment => {
                self.gap.comment(text.trim_end_matches([' ', '\t', '\r', '\x0B', '\x0C']), true, self.column);
                self.column += text.chars().count();
            }
            BlockComment => {
                self.gap.comment(text, false, self.column);
                self.column = match text.rsplit_once('\n') {
                    Some((_, last)) => last.chars().count(),
                    None => self.column + text.chars().count(),
                };
            }
            // A byte-order mark is dropped; other trivia is only in texts with
            // mistakes.
            kind if kind.is_trivia() => {}
            kind => {
                self.part(kind, || kind);
                self.put_token(LayoutToken { kind, text });
                self.column += text.chars().count();
            }
        }
    }

    fn whitespace(&mut self, text: &str) {
        let before = self.column;
        let mut ends = 0;
        for byte in text.bytes() {
            match byte {
                b'\n' => {
                    ends += 1;
                    self.column = 0;
                }
                b'\t' => self.column = (self.column / TAB + 1) * TAB,
                b' ' => self.column += 1,
                _ => {}
            }
        }
        let blanks = if ends > 0 { self.column } else { self.column - before };
        self.gap.whitespace(ends, blanks);
    }

    fn put_token(&mut self, token: LayoutToken<'t>) {
        let carried = if is_separator(token.kind) { self.gap.carry_over() } else { Gap::default() };
        self.put_gap(is_separator(token.kind) || is_closer(token.kind));
        self.printer.text(token.text);
        self.previous = Some(token);
        self.gap = carried;
    }

    /// Prints what stands before the next token, of which nothing belongs to
    /// it where it `closes`.
    fn put_gap(&mut self, closes: bool) {
        let gap = std::mem::take(&mut self.gap);
        let marks = std::mem::take(&mut self.marks);
        let sorted = gap.sort(self.previous.is_none(), closes);
        let found = marks.iter().find_map(|mark| match mark {
            Mark::Break(found) => Some(*found),
            _ => None,
        });
        let found = found.unwrap_or(Break::Nothing);
        for comment in sorted.trailing {
            if comment.is_line {
                self.printer.remark(comment.text, comment.is_set_off.then_some(comment.column));
            } else {
                self.printer.space();
                self.comment(comment);
            }
        }
        let elsewhere = marks.contains(&Mark::Comments);
        for &mark in &marks {
            match mark {
                Mark::Begin => self.printer.begin(),
                Mark::End => self.printer.end(),
                Mark::Indent => self.printer.indent(),
                Mark::Dedent => self.printer.dedent(),
                Mark::Comments => self.alone(&sorted, found),
                Mark::Break(found) => {
                    if !elsewhere {
                        self.alone(&sorted, found);
                    }
                    self.put_break(&sorted, found);
                }
            }
        }
        self.marks = marks;
        self.marks.clear();
    }

    /// Comments on lines of their own.
    fn alone(&mut self, sorted: &Sorted<'_, 't>, found: Break) {
        let mut before = sorted.trailing.last();
        for (index, comment) in sorted.alone.iter().enumerate() {
            // Behind a comment that stands behind code, one that begins below
            // it goes on with it.
            let goes_on = comment.is_line
                && comment.ends_before == 1
                && before.is_some_and(|before| before.is_line && before.is_set_off && before.column == comment.column);
            if comment.ends_before > 0 || index == 0 {
                let edge = matches!(found, Break::Hard(edge) if index > 0 || edge != LineEnd::Opening);
                self.printer.hard(edge && comment.ends_before > 1);
            } else {
                self.printer.space();
            }
            if goes_on {
                self.printer.remark_goes_on(comment.text);
            } else {
                self.comment(comment);
            }
            before = if goes_on { before } else { None };
        }
    }

    /// The break, and comments that lead the next token.
    fn put_break(&mut self, sorted: &Sorted<'_, 't>, found: Break) {
        let empty = match found {
            Break::Hard(LineEnd::Between) => sorted.ends > 1,
            Break::Hard(LineEnd::Opening) => sorted.ends > 1 && !sorted.alone.is_empty(),
            _ => false,
        };
        self.begins_line = sorted.has_comments() && sorted.ends > 0;
        match found {
            _ if self.begins_line => self.printer.hard(empty),
            Break::Nothing => {}
            Break::Space => self.printer.space(),
            Break::Soft => self.printer.line(false),
            Break::Line => self.printer.line(true),
            Break::Hard(_) => self.printer.hard(empty),
        }
        for comment in sorted.leading {
            self.comment(comment);
            self.printer.space();
        }
    }

    fn comment(&mut self, comment: &Comment<'t>) {
        if comment.text.contains('\n') {
            self.printer.lines(comment.text, (comment.ends_before > 0).then_some(comment.column));
        } else {
            self.printer.text(comment.text);
        }
    }
}

/// How many columns apart tab stops are, where the columns of comments count.
const TAB: usize = 8;
