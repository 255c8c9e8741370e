//! Text to tokens. Every byte lands in exactly one token.

use rustc_hash::FxHashSet;

use super::kind::SyntaxKind;
use super::quoted::text_literal;
use super::scanner::scan;
use crate::diagnostic::{Diagnostic, Sink, codes};
use serval_diagnostic::Span;

/// A token; it ends where the next one begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: SyntaxKind,
    pub(crate) start: u32,
}

/// Cuts `text`, which is within the size limit, into tokens, closed by one of
/// kind [`SyntaxKind::End`].
///
/// Mistakes are reported here and then given the kind that was meant, so that
/// the parser has nothing more to say: `−` counts as `-`, `3x` as a number.
/// What has no such meaning becomes [`SyntaxKind::Unknown`], which the parser
/// passes over.
pub(crate) fn tokenize(text: &str, sink: &mut Sink) -> Vec<Token> {
    // No more at once: for a large text it grows while memory is looked at.
    let mut tokens: Vec<Token> = Vec::with_capacity((text.len() / 3).min(1 << 16));
    // A name is reported where it first occurs: it is one mistake, however
    // often the name is used.
    let mut foreign_names: FxHashSet<&str> = FxHashSet::default();
    let mut at = 0;
    while let Some((found, length)) = scan(&text[at..]) {
        serval_budget::checkpoint::pass();
        let range = at..at + length;
        let (span, piece) = (span_of(&range), &text[range]);
        at += length;
        if found == SyntaxKind::ForeignName && !foreign_names.insert(piece) {
            tokens.push(Token { kind: SyntaxKind::Name, start: span.start });
            continue;
        }
        let kind = resolve(found, piece, span, tokens.last(), sink);
        // A run of unknown characters is one token and one mistake.
        let continues = kind == SyntaxKind::Unknown && tokens.last().is_some_and(|token| token.kind == SyntaxKind::Unknown);
        if !continues {
            tokens.push(Token { kind, start: span.start });
        }
    }
    tokens.push(Token { kind: SyntaxKind::End, start: span_of(&(text.len()..text.len())).start });
    tokens
}

fn span_of(range: &std::ops::Range<usize>) -> Span {
    let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    Span::new(offset(range.start), offset(range.end))
}

/// The kind under which the parser sees a token; reports what is wrong with it.
fn resolve(found: SyntaxKind, text: &str, span: Span, before: Option<&Token>, sink: &mut Sink) -> SyntaxKind {
    use SyntaxKind::*;
    match found {
        BlockComment if text.len() < 4 || !text.ends_with("*/") => {
            sink.push(|| open_comment(span));
            Unknown
        }
        Bom if span.start == 0 => Bom,
        Bom | ForeignBlank => {
            sink.push(|| foreign_blank(text, span));
            Whitespace
        }
        Number => {
            // The parser knows whether a unary minus stands before it.
            if text.parse::<i64>().is_err() && !is_smallest(text) {
                sink.push(|| number_too_large(span));
            }
            Number
        }
        BadNumber => {
            sink.push(|| bad_number(text, span));
            Number
        }
        Text => {
            sink.push(|| text_literal(text, span));
            Text
        }
        ForeignName => {
            sink.push(|| foreign_name(text, span));
            Name
        }
        ForeignPair | Unknown => match look_alike(text) {
            Some((kind, meant)) => {
                sink.push(|| looks_like(text, meant, span));
                kind
            }
            None => {
                if before.is_none_or(|token| token.kind != Unknown) {
                    sink.push(|| unknown_character(text, span));
                }
                Unknown
            }
        },
        kind => kind,
    }
}

/// Characters that are easily taken for one of ours, the kind they stand for,
/// and how that is written.
const LOOK_ALIKES: &[(&str, SyntaxKind, &str)] = {
    use SyntaxKind::*;
    &[
        ("≔", Assign, ":="),
        ("：＝", Assign, ":="),
        (":＝", Assign, ":="),
        ("：=", Assign, ":="),
        ("←", Assign, ":="),
        ("＝＝", EqualEqual, "=="),
        ("≡", EqualEqual, "=="),
        ("≠", NotEqual, "!="),
        ("！＝", NotEqual, "!="),
        ("≤", LessEqual, "<="),
        ("⩽", LessEqual, "<="),
        ("＜＝", LessEqual, "<="),
        ("≥", GreaterEqual, ">="),
        ("⩾", GreaterEqual, ">="),
        ("＞＝", GreaterEqual, ">="),
        ("∧", AndAnd, "&&"),
        ("＆＆", AndAnd, "&&"),
        ("∨", OrOr, "||"),
        ("｜｜", OrOr, "||"),
        ("¬", Bang, "!"),
        ("！", Bang, "!"),
        ("−", Minus, "-"),
        ("‐", Minus, "-"),
        ("‑", Minus, "-"),
        ("–", Minus, "-"),
        ("—", Minus, "-"),
        ("－", Minus, "-"),
        ("＋", Plus, "+"),
        ("×", Star, "*"),
        ("∗", Star, "*"),
        ("·", Star, "*"),
        ("＊", Star, "*"),
        ("÷", Slash, "/"),
        ("∕", Slash, "/"),
        ("／", Slash, "/"),
        ("％", Percent, "%"),
        ("＜", Less, "<"),
        ("＞", Greater, ">"),
        ("；", Semicolon, ";"),
        ("\u{37e}", Semicolon, ";"),
        ("，", Comma, ","),
        ("（", LeftParen, "("),
        ("）", RightParen, ")"),
        ("｛", LeftBrace, "{"),
        ("｝", RightBrace, "}"),
        ("？", Question, "?"),
    ]
};

fn look_alike(text: &str) -> Option<(SyntaxKind, &'static str)> {
    LOOK_ALIKES.iter().find(|(look, _, _)| *look == text).map(|&(_, kind, meant)| (kind, meant))
}

/// `U+2212`, for characters that look like others or like nothing.
fn code_points(text: &str) -> String {
    text.chars().take(4).map(|c| format!("U+{:04X}", u32::from(c))).collect::<Vec<_>>().join(" ")
}

fn open_comment(span: Span) -> Diagnostic {
    let opening = Span::new(span.start, span.start + 2);
    Diagnostic::error(codes::OPEN_COMMENT, opening, "this comment is never closed")
        .label("opened here")
        .expected("`*/` before the end of the file")
        .help("close the comment with `*/`, or start it with `//` if it is one line")
}

fn foreign_blank(text: &str, span: Span) -> Diagnostic {
    Diagnostic::error(codes::LOOK_ALIKE, span, format!("blank that is not an ordinary space ({})", code_points(text)))
        .expected("a space, a tab or a line end")
        .help("replace it by an ordinary space; such blanks often come with text copied from a web page")
}

/// Whether a number is too large by one, so that it is fine right after a
/// unary minus: `-9223372036854775808` is the smallest integer.
pub(crate) fn is_smallest(number: &str) -> bool {
    number.parse() == Ok(i64::MIN.unsigned_abs())
}

pub(crate) fn number_too_large(span: Span) -> Diagnostic {
    Diagnostic::error(codes::NUMBER_TOO_LARGE, span, "this number is too large")
        .expected(format!("a number up to {}", i64::MAX))
        .help("use a smaller number; integers have 64 bits")
}

fn bad_number(text: &str, span: Span) -> Diagnostic {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = text.split_at(digits);
    let help = match rest.as_bytes().first() {
        Some(b'.') => "there are only whole numbers".to_owned(),
        Some(b'_') if rest.bytes().all(|b| b == b'_' || b.is_ascii_digit()) => format!("write `{}`", text.replace('_', "")),
        _ if number == "0" && rest.starts_with(['x', 'b', 'o']) => "write the number in decimal".to_owned(),
        _ if rest.len() > 40 => "a name starts with a letter; to multiply write `*`".to_owned(),
        _ => format!("a name starts with a letter, such as `{rest}{number}`; to multiply write `{number} * {rest}`"),
    };
    Diagnostic::error(codes::BAD_NUMBER, span, "malformed number").expected("a number made of digits only").help(help)
}

fn foreign_name(text: &str, span: Span) -> Diagnostic {
    let odd: String = text.chars().filter(|c| !c.is_ascii()).take(4).collect();
    Diagnostic::error(codes::FOREIGN_NAME, span, format!("a name cannot contain `{odd}` ({})", code_points(&odd)))
        .expected("a name made of the letters A–Z and a–z, digits and `_`")
        .help("write the name with these letters; other letters are fine in comments")
}

fn looks_like(text: &str, meant: &str, span: Span) -> Diagnostic {
    Diagnostic::error(codes::LOOK_ALIKE, span, format!("`{text}` ({}) only looks like `{meant}`", code_points(text)))
        .expected(format!("`{meant}`"))
        .help(format!("write `{meant}`"))
}

fn unknown_character(text: &str, span: Span) -> Diagnostic {
    let shown = match text.chars().next() {
        Some(c) if c.is_control() || c == '\u{fffd}' => code_points(text),
        Some(c) => format!("`{c}`"),
        None => "character".to_owned(),
    };
    let help = match text {
        "#" => "a comment starts with `//`",
        "“" | "”" | "‘" | "’" | "„" | "«" | "»" => "there is no text in this language: all values are integers",
        "^" | "~" => "there are no operators on bits; `!` is the logical not",
        _ => "remove it; outside of comments only ASCII characters have a meaning",
    };
    Diagnostic::error(codes::UNKNOWN_CHARACTER, span, format!("unknown character {shown}"))
        .expected("a name, a number, an operator or punctuation")
        .help(help)
}
