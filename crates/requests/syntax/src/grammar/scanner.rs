//! The first token of a text: the longest piece that is one.
//!
//! | begins with | is |
//! |---|---|
//! | a letter or `_` | the longest word by Unicode's XID: a keyword, a name, or a name with foreign letters |
//! | a digit | a number; with letters behind it, or a point and a digit, a malformed one |
//! | a quotation mark | a text up to the next one in the line; where there is none, a word |
//! | anything else | the longest piece in [`FIXED`], a run of blanks, a comment, or one unknown character |

use unicode_ident::{is_xid_continue, is_xid_start};

use super::kind::SyntaxKind;

/// Pieces that are always written alike. Where one begins another, the longer one comes first.
const FIXED: &[(&str, SyntaxKind)] = {
    use SyntaxKind::*;
    &[
        ("===", ForeignCompare),
        ("!==", ForeignCompare),
        ("<>", ForeignCompare),
        ("=<", ForeignCompare),
        ("=>", ForeignCompare),
        (":=", Assign),
        ("==", EqualEqual),
        ("!=", NotEqual),
        ("<=", LessEqual),
        (">=", GreaterEqual),
        ("&&", AndAnd),
        ("||", OrOr),
        ("..", DotDot),
        ("++", PlusPlus),
        ("+=", CompoundAssign),
        ("-=", CompoundAssign),
        ("*=", CompoundAssign),
        ("/=", CompoundAssign),
        ("%=", CompoundAssign),
        (":＝", ForeignPair),
        ("：＝", ForeignPair),
        ("：=", ForeignPair),
        ("＝＝", ForeignPair),
        ("！＝", ForeignPair),
        ("＜＝", ForeignPair),
        ("＞＝", ForeignPair),
        ("＆＆", ForeignPair),
        ("｜｜", ForeignPair),
        ("\u{feff}", Bom),
        (";", Semicolon),
        (",", Comma),
        ("(", LeftParen),
        (")", RightParen),
        ("{", LeftBrace),
        ("}", RightBrace),
        ("[", LeftBracket),
        ("]", RightBracket),
        ("?", Question),
        ("!", Bang),
        ("+", Plus),
        ("-", Minus),
        ("*", Star),
        ("/", Slash),
        ("%", Percent),
        ("<", Less),
        (">", Greater),
        ("=", Equal),
        ("&", Ampersand),
        ("|", Pipe),
        (":", Colon),
        (".", Dot),
    ]
};

/// The kind and the length of the first token of `text`, or `None` at its end.
pub(super) fn scan(text: &str) -> Option<(SyntaxKind, usize)> {
    let first = text.chars().next()?;
    Some(match first {
        ' ' | '\t' | '\r' | '\n' | '\x0B' | '\x0C' => (SyntaxKind::Whitespace, run(text, is_blank)),
        '0'..='9' => number(text),
        '"' | '\'' => (SyntaxKind::Text, quoted(text, first)),
        '_' => word(text),
        '/' if text.starts_with("//") => (SyntaxKind::LineComment, run(text, |c| c != '\n')),
        '/' if text.starts_with("/*") => (SyntaxKind::BlockComment, text[2..].find("*/").map_or(text.len(), |at| at + 4)),
        _ if is_xid_start(first) => word(text),
        _ if is_foreign_blank(first) => (SyntaxKind::ForeignBlank, run(text, is_foreign_blank)),
        _ => match FIXED.iter().find(|(piece, _)| text.starts_with(piece)) {
            Some(&(piece, kind)) => (kind, piece.len()),
            None => (SyntaxKind::Unknown, first.len_utf8()),
        },
    })
}

/// How many bytes at the start of `text` are characters of this sort.
fn run(text: &str, is_of_it: impl Fn(char) -> bool) -> usize {
    text.find(|c| !is_of_it(c)).unwrap_or(text.len())
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n' | '\x0B' | '\x0C')
}

fn is_foreign_blank(c: char) -> bool {
    matches!(
        c,
        '\u{85}' | '\u{a0}' | '\u{1680}' | '\u{2000}'
            ..='\u{200d}' | '\u{2028}' | '\u{2029}' | '\u{202f}' | '\u{205f}' | '\u{2060}' | '\u{3000}'
    )
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn word(text: &str) -> (SyntaxKind, usize) {
    let ascii = run(text, is_word);
    let length = ascii + run(&text[ascii..], is_xid_continue);
    let kind = match &text[..length] {
        "request" => SyntaxKind::RequestKw,
        "if" => SyntaxKind::IfKw,
        "else" => SyntaxKind::ElseKw,
        "while" => SyntaxKind::WhileKw,
        "yield" => SyntaxKind::YieldKw,
        _ if length > ascii => SyntaxKind::ForeignName,
        _ => SyntaxKind::Name,
    };
    (kind, length)
}

fn number(text: &str) -> (SyntaxKind, usize) {
    let digits = run(text, |c| c.is_ascii_digit());
    match &text.as_bytes()[digits..] {
        [b'.', b'0'..=b'9', ..] => (SyntaxKind::BadNumber, digits + 1 + run(&text[digits + 1..], is_word)),
        [b'A'..=b'Z' | b'a'..=b'z' | b'_', ..] => (SyntaxKind::BadNumber, digits + run(&text[digits..], is_word)),
        _ => (SyntaxKind::Number, digits),
    }
}

/// The length of a text in quotation marks. Where the end is missing it is a word, so that the brackets of the line
/// stay what they are.
fn quoted(text: &str, mark: char) -> usize {
    let inside = 1 + run(&text[1..], |c| c != mark && c != '\n');
    if text[inside..].starts_with(mark) { inside + 1 } else { 1 + run(&text[1..], is_word) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_comes_before_what_it_begins_with() {
        for (place, (piece, _)) in FIXED.iter().enumerate() {
            let hidden = FIXED[..place].iter().find(|(before, _)| piece.starts_with(before));
            assert_eq!(hidden, None, "{piece}");
            assert_eq!(scan(piece).map(|(_, length)| length), Some(piece.len()), "{piece}");
        }
    }

    #[test]
    fn the_longest_piece_is_the_token() {
        use SyntaxKind::*;
        for (text, kind, length) in [
            ("requests", Name, 8),
            ("request", RequestKw, 7),
            ("ifé", ForeignName, 4),
            ("_", Name, 1),
            ("x·y", ForeignName, 4),
            ("1..3", Number, 1),
            ("1.5x.", BadNumber, 4),
            ("3x.5", BadNumber, 2),
            ("3é", Number, 1),
            ("\"a { b\" c", Text, 7),
            ("\"abc { d", Text, 4),
            ("'\n'", Text, 1),
            ("/* a", BlockComment, 4),
            ("/**/x", BlockComment, 4),
            ("/*/", BlockComment, 3),
            ("// a\r\nb", LineComment, 5),
            ("\u{a0}\u{3000} ", ForeignBlank, 5),
            ("\u{feff}\u{feff}", Bom, 3),
            ("=== ", ForeignCompare, 3),
            ("#", Unknown, 1),
            ("≔", Unknown, 3),
        ] {
            assert_eq!(scan(text), Some((kind, length)), "{text}");
        }
        assert_eq!(scan(""), None);
    }
}
