//! One layout for programs on weak memory (`.tso`).
//!
//! The language is small, so the layout goes from token to token: a statement is on a line of its own, blocks are
//! indented, and a block that is written on one line stays there if it fits. Only blanks and line ends change; what
//! came out is taken apart again and compared, token by token and comment by comment.
//!
//! Comments keep the line ends around them, as in the other language
//! (`docs/decisions/0005-comments-keep-their-line-ends.md`), which makes formatting idempotent.
//!
//! ```
//! use serval_format::{Style, tso};
//! let text = "memory x=0;thread P{x:=1;// stored\nl:r:=x}\nnever P@l&&P.r== -1;";
//! assert_eq!(
//!     tso::format(text, &Style::default()).unwrap(),
//!     "memory x = 0;\nthread P {\n  x := 1; // stored\n  l: r := x\n}\nnever P@l && P.r == -1;\n"
//! );
//! ```

use crate::{FormatRefusal, Style};

/// A token or a comment, and what stands before it.
#[derive(Clone, Copy, Debug)]
struct TokenPiece<'t> {
    text: &'t str,
    /// Line ends since the piece before.
    ends: usize,
    /// Columns of blanks right before it.
    blanks: usize,
    /// Where it begins in its line, from 0.
    column: usize,
}

impl TokenPiece<'_> {
    fn is_comment(&self) -> bool {
        self.text.starts_with("//") || self.text.starts_with("/*")
    }

    fn is_line_comment(&self) -> bool {
        self.text.starts_with("//")
    }
}

/// `text` in the layout of `style`.
pub fn format(text: &str, style: &Style) -> Result<String, FormatRefusal> {
    let pieces = pieces(text)?;
    let formatted = Printer::new(&pieces, *style).print();
    let again = self::pieces(&formatted).map_err(|_| FormatRefusal::Differs("it would no longer be a program".to_owned()))?;
    let differs = pieces.iter().zip(&again).find(|(one, other)| one.text != other.text);
    match differs {
        Some((one, other)) => Err(FormatRefusal::Differs(format!("`{}` would become `{}`", one.text, other.text))),
        None if pieces.len() != again.len() => Err(FormatRefusal::Differs("something would be lost".to_owned())),
        None => Ok(formatted),
    }
}

/// The tokens and comments of a text.
fn pieces(text: &str) -> Result<Vec<TokenPiece<'_>>, FormatRefusal> {
    let spans = serval_tso_program::lexemes(text).map_err(FormatRefusal::Mistakes)?;
    let mut pieces = Vec::new();
    let (mut at, mut line) = (0, 0);
    for span in spans {
        let range = span.range();
        let gap = &text[at..range.start];
        line = gap.rfind('\n').map_or(line, |end| at + end + 1);
        let own = &text[line..range.start];
        let trimmed = own.trim_end_matches([' ', '\t']);
        pieces.push(TokenPiece {
            // Blanks at the end of a line are no part of a comment.
            text: text[range.clone()].trim_end(),
            ends: gap.matches('\n').count(),
            blanks: columns(own) - columns(trimmed),
            column: columns(own),
        });
        line = text[range.clone()].rfind('\n').map_or(line, |end| range.start + end + 1);
        at = range.end;
    }
    Ok(pieces)
}

/// How wide a beginning of a line is; tab stops are 8 columns apart.
fn columns(text: &str) -> usize {
    text.chars().filter(|letter| *letter != '\u{feff}').fold(0, |at, letter| if letter == '\t' { (at / 8 + 1) * 8 } else { at + 1 })
}

/// What comes before a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gap {
    Nothing,
    Blank,
    /// A comment behind code that was set off, and its column.
    Column(usize),
    Line,
    /// An empty line, too.
    EmptyLine,
}

/// Words before which a sign is no sum.
const UNARY_AFTER: &[&str] = &[
    ":=", "=", "==", "!=", "<", "<=", ">", ">=", "&&", "||", "+", "-", "*", "%", "(", "[", ",", "!", "..", "values", "assume", "assert",
    "never", "exists", "forall",
];

struct Printer<'p, 't> {
    pieces: &'p [TokenPiece<'t>],
    style: Style,
    /// For each `{` its `}`.
    closes: Vec<usize>,
    out: String,
    /// Where the last line begins in `out`.
    line: usize,
    /// The blocks around; whether each is on one line.
    blocks: Vec<bool>,
    /// The place of the last token, and whether it is a sign before a number.
    last: Option<usize>,
    is_unary: bool,
}

impl<'p, 't> Printer<'p, 't> {
    fn new(pieces: &'p [TokenPiece<'t>], style: Style) -> Self {
        let mut closes = vec![usize::MAX; pieces.len()];
        let mut open = Vec::new();
        for (at, piece) in pieces.iter().enumerate() {
            match piece.text {
                "{" => open.push(at),
                "}" => {
                    if let Some(start) = open.pop() {
                        closes[start] = at;
                    }
                }
                _ => {}
            }
        }
        Self { pieces, style, closes, out: String::new(), line: 0, blocks: Vec::new(), last: None, is_unary: false }
    }

    fn print(mut self) -> String {
        for at in 0..self.pieces.len() {
            let gap = if self.pieces[at].is_comment() { self.before_comment(at) } else { self.before_token(at) };
            self.put(at, gap);
            if !self.pieces[at].is_comment() {
                self.passed(at);
            }
        }
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        self.out
    }

    fn token(&self, at: Option<usize>) -> &'t str {
        at.and_then(|at| self.pieces.get(at)).map_or("", |piece| piece.text)
    }

    fn in_line(&self) -> bool {
        self.blocks.last() == Some(&true)
    }

    /// Whether a statement or an item has ended, or none has begun, behind the last token.
    fn is_boundary(&self) -> bool {
        matches!(self.token(self.last), "" | ";" | "{" | "}") && !self.in_line()
    }

    /// What has been read and written counts for what follows.
    fn passed(&mut self, at: usize) {
        let before = self.token(self.last);
        self.is_unary = self.pieces[at].text == "-" && UNARY_AFTER.contains(&before);
        match self.pieces[at].text {
            "{" => {
                let fits = self.fits(at);
                self.blocks.push(fits);
            }
            "}" => _ = self.blocks.pop(),
            _ => {}
        }
        self.last = Some(at);
    }

    /// Whether the block that begins here is written on one line, and there is room for it.
    fn fits(&self, at: usize) -> bool {
        if self.in_line() {
            return true;
        }
        let Some(inner) = self.pieces.get(at + 1..=self.closes[at]) else { return false };
        if inner.iter().any(|piece| piece.ends > 0 || piece.is_comment()) {
            return false;
        }
        let mut width = self.out[self.line..].chars().count();
        let (mut last, mut is_unary) = ("{", false);
        for piece in inner {
            width += piece.text.chars().count() + usize::from(spaced(last, piece.text, is_unary));
            is_unary = piece.text == "-" && UNARY_AFTER.contains(&last);
            last = piece.text;
            if width > self.style.width {
                return false;
            }
        }
        true
    }

    fn before_comment(&self, at: usize) -> Gap {
        let piece = &self.pieces[at];
        if at == 0 {
            return Gap::Nothing;
        }
        if piece.ends > 0 {
            return self.line_end(at);
        }
        let next = self.pieces.get(at + 1);
        let goes_on = !piece.is_line_comment() && next.is_some_and(|next| next.ends == 0);
        // One that stands between two statements on one line belongs to the second.
        if self.is_boundary() && goes_on && !self.pieces[at - 1].is_comment() {
            return Gap::Line;
        }
        if piece.blanks > 1 && !goes_on { Gap::Column(piece.column) } else { Gap::Blank }
    }

    fn before_token(&self, at: usize) -> Gap {
        let piece = &self.pieces[at];
        let Some(before) = at.checked_sub(1).map(|before| &self.pieces[before]) else { return Gap::Nothing };
        if before.is_comment() {
            return match piece.ends > 0 || before.is_line_comment() {
                true => self.line_end(at),
                false if spaced("", piece.text, false) => Gap::Blank,
                false => Gap::Nothing,
            };
        }
        let last = before.text;
        if last == "{" && piece.text == "}" || last == "}" && piece.text == "else" {
            return Gap::Blank;
        }
        if self.is_boundary() || piece.text == "}" && !self.in_line() {
            return self.line_end(at);
        }
        // Lists and long conditions stay on several lines if they are.
        if piece.ends > 0 && matches!(last, "," | "&&" | "||") {
            return Gap::Line;
        }
        if spaced(last, piece.text, self.is_unary) { Gap::Blank } else { Gap::Nothing }
    }

    /// A line end; an empty line between statements stays.
    fn line_end(&self, at: usize) -> Gap {
        let piece = &self.pieces[at];
        let first = self.pieces[at - 1].text == "{";
        if piece.ends > 1 && !first && piece.text != "}" && self.is_boundary() { Gap::EmptyLine } else { Gap::Line }
    }

    fn put(&mut self, at: usize, gap: Gap) {
        let piece = &self.pieces[at];
        match gap {
            Gap::Nothing => {}
            Gap::Blank => self.out.push(' '),
            Gap::Column(column) => {
                let width = self.out[self.line..].chars().count();
                self.out.push_str(&" ".repeat(column.max(width + 2) - width));
            }
            Gap::Line | Gap::EmptyLine => {
                self.out.push_str(if gap == Gap::Line { "\n" } else { "\n\n" });
                self.line = self.out.len();
                // What goes on with a statement is set in once more.
                let within = usize::from(!self.is_boundary() && piece.text != "}");
                let depth = self.blocks.len() - usize::from(piece.text == "}" && !self.blocks.is_empty());
                self.out.push_str(&" ".repeat((depth + within) * self.style.indent));
            }
        }
        self.out.push_str(piece.text);
        if let Some(end) = piece.text.rfind('\n') {
            self.line = self.out.len() - piece.text.len() + end + 1;
        }
    }
}

/// Whether a blank stands between two tokens on a line.
fn spaced(last: &str, next: &str, last_is_unary: bool) -> bool {
    if matches!(next, ";" | "," | ")" | "]" | "." | "@" | ":" | ".." | "[") || matches!(last, "(" | "[" | "." | "@" | ".." | "!") {
        return false;
    }
    match (last, next) {
        ("thread", "*") | ("xchg" | "fadd" | "cas", "(") => false,
        _ => !last_is_unary,
    }
}
