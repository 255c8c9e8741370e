//! Letters to tokens. Comments are `// …` and `/* … */`.

use serval_diagnostic::{Diagnostic, Span};

use crate::codes;
use crate::limits::MAX_VALUE;

/// What a token is. Its text is where its span says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Name,
    Number(i64),
    /// One of [`SIGNS`].
    Sign(&'static str),
    /// `// …` or `/* … */`
    Comment,
    End,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) span: Span,
}

/// Longer ones first, so that `:=` is not read as `:`.
const SIGNS: &[&str] = &[
    ":=", "==", "!=", "<=", ">=", "&&", "||", "..", "{", "}", "(", ")", "[", "]", ";", ",", ":", "@", ".", "=", "<", ">", "!", "+", "-",
    "*", "%", "?",
];

/// All tokens; the last one is the end. What is no token is reported and left out.
pub(crate) fn tokens(text: &str, diagnostics: &mut Vec<Diagnostic>) -> Vec<Token> {
    let mut tokens = tokens_and_comments(text, diagnostics);
    tokens.retain(|token| token.kind != Kind::Comment);
    tokens
}

/// The same with comments between them.
pub(crate) fn tokens_and_comments(text: &str, diagnostics: &mut Vec<Diagnostic>) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = text.strip_prefix('\u{feff}').unwrap_or(text);
    let span = |rest: &str, length: usize| {
        let start = text.len() - rest.len();
        let place = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        Span::new(place(start), place(start + length))
    };
    while let Some(first) = rest.chars().next() {
        let mut length = first.len_utf8();
        if rest.starts_with("//") {
            length = rest.find('\n').unwrap_or(rest.len());
            tokens.push(Token { kind: Kind::Comment, span: span(rest, length) });
        } else if rest.starts_with("/*") {
            length = rest.find("*/").map_or(rest.len(), |end| end + 2);
            if !rest[..length].ends_with("*/") || length < 4 {
                let open = Diagnostic::error(codes::UNEXPECTED, span(rest, 2), "this comment is never closed");
                diagnostics.push(open.expected("`*/`").help("add `*/` where the comment ends"));
                length = rest.len();
            }
            tokens.push(Token { kind: Kind::Comment, span: span(rest, length) });
        } else if first.is_ascii_alphabetic() || first == '_' {
            length = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
            tokens.push(Token { kind: Kind::Name, span: span(rest, length) });
        } else if first.is_ascii_digit() {
            length = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
            let number = rest[..length].parse::<i64>().ok();
            if number.is_none() {
                let bad = Diagnostic::error(
                    codes::BAD_VALUES,
                    span(rest, length),
                    format!("`{:.40}` is no number that can be used", &rest[..length]),
                );
                diagnostics
                    .push(bad.expected(format!("digits, and at most {MAX_VALUE}")).help("write a smaller number, in decimal digits"));
            }
            tokens.push(Token { kind: Kind::Number(number.unwrap_or(0)), span: span(rest, length) });
        } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            length = sign.len();
            tokens.push(Token { kind: Kind::Sign(sign), span: span(rest, length) });
        } else if !first.is_whitespace() {
            // Reading goes on with what was meant.
            if let Some(meant) = [("&", "&&"), ("|", "||")].iter().find(|(sign, _)| rest.starts_with(sign)) {
                tokens.push(Token { kind: Kind::Sign(meant.1), span: span(rest, length) });
            }
            let unknown =
                Diagnostic::error(codes::UNEXPECTED, span(rest, length), format!("`{}` means nothing here", first.escape_debug()));
            diagnostics.push(unknown.expected("letters, digits and the signs of the language").help(match first {
                '&' => "`&&` is the conjunction".to_owned(),
                '|' => "`||` is the disjunction".to_owned(),
                '/' => "there is no division; comments begin with `//`".to_owned(),
                _ => "remove it".to_owned(),
            }));
        }
        rest = &rest[length..];
    }
    tokens.push(Token { kind: Kind::End, span: span("", 0) });
    tokens
}
