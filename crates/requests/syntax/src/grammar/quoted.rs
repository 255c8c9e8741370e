//! What is said about text in quotes, which no value is.

use serval_diagnostic::Span;

use crate::diagnostic::{Diagnostic, codes};

/// Text in quotes.
pub(crate) fn text_literal(text: &str, span: Span) -> Diagnostic {
    let inside = text.trim_matches(|c| matches!(c, '"' | '\''));
    let help = match member_name(inside) {
        Some(name) => format!("name it in an `enum`, as in `enum Text {{ {name} }}` before the first request, and write `{name}`"),
        None => "name each text in an `enum`, as in `enum Status { Open, Paid }` before the first request, and write `Paid`".to_owned(),
    };
    Diagnostic::error(codes::TEXT_LITERAL, span, "text in quotes is not a value".to_owned()).expected("a number or a name").help(help)
}

/// `text` as a member of an `enum`, if it is a word or a few.
fn member_name(text: &str) -> Option<String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | ' ');
    if text.is_empty() || text.len() > 24 || !text.starts_with(|c: char| c.is_ascii_alphabetic()) || !text.chars().all(fits) {
        return None;
    }
    Some(text.split(|c: char| !c.is_ascii_alphanumeric()).map(capital).collect())
}

/// A word with a capital letter.
pub(super) fn capital(word: &str) -> String {
    let mut letters = word.to_owned();
    if let Some(first) = letters.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    letters
}
