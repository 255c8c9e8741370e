//! The header comment `// expect: …`.

use crate::diagnostic::{Diagnostic, Sink, codes};
use crate::grammar::SyntaxKind;
use crate::program::{Expectation, ExpectedVerdict};
use crate::tree::{SyntaxNode, span};
use serval_diagnostic::Span;

/// Reads the header comment. Only comments before the first word of the
/// program count; others that look like one are reported.
pub(crate) fn read(text: &str, root: &SyntaxNode, sink: &mut Sink) -> Option<Expectation> {
    // Walking over all tokens takes time that most programs can do without.
    if !text.contains("xpect") && !text.contains("XPECT") {
        return None;
    }
    let mut result: Option<Expectation> = None;
    let mut in_header = true;
    let tokens = root.descendants_with_tokens().filter_map(|element| element.into_token());
    for token in tokens {
        in_header &= token.kind().is_trivia();
        if token.kind() != SyntaxKind::LineComment {
            continue;
        }
        let Some(promise) = promise(token.text()) else { continue };
        let text = token.text();
        let start: u32 = token.text_range().start().into();
        let trimmed = text.trim_end().len();
        let place = Span::new(start, start + u32::try_from(trimmed).unwrap_or(0));
        debug_assert!(place.end <= span(token.text_range()).end);
        match parse(promise) {
            _ if !in_header => sink.push(|| not_read(place, "it stands after the start of the program", "move it to the top of the file")),
            _ if result.is_some() => sink.push(|| not_read(place, "there is one before it already", "remove one of the two")),
            Some((verdict, anomaly)) => result = Some(Expectation { verdict, anomaly, span: place }),
            None => sink.push(|| malformed(place, promise)),
        }
    }
    result
}

/// What follows `// expect:`, also where the word is slightly different.
fn promise(comment: &str) -> Option<&str> {
    let body = comment.strip_prefix("//")?.trim();
    let (word, rest) = body.split_once(':')?;
    let word = word.trim();
    ["expect", "expects", "expected"].iter().any(|known| word.eq_ignore_ascii_case(known)).then(|| rest.trim())
}

fn parse(promise: &str) -> Option<(ExpectedVerdict, Option<String>)> {
    // A verdict has a word on the screen and one in JSON; both are read.
    let words: Vec<&str> = promise.split_whitespace().collect();
    match words.as_slice() {
        ["serializable"] => Some((ExpectedVerdict::Serializable, None)),
        ["fault" | "can-fail"] | ["can", "fail"] => Some((ExpectedVerdict::Fault, None)),
        ["strict"] => Some((ExpectedVerdict::Strict, None)),
        ["not-strict"] | ["not", "strict"] => Some((ExpectedVerdict::NotStrict, None)),
        ["not-strict", name] | ["not", "strict", name] => named(ExpectedVerdict::NotStrict, name),
        ["undecided" | "unknown"] => Some((ExpectedVerdict::Undecided, None)),
        ["not-serializable"] | ["not", "serializable"] => Some((ExpectedVerdict::NotSerializable, None)),
        ["not-serializable", name] | ["not", "serializable", name] => named(ExpectedVerdict::NotSerializable, name),
        _ => None,
    }
}

/// A verdict with the name of an anomaly.
fn named(verdict: ExpectedVerdict, name: &str) -> Option<(ExpectedVerdict, Option<String>)> {
    let plain = name.bytes().all(|b| b.is_ascii_lowercase() || b == b'-');
    plain.then(|| (verdict, Some(name.to_owned())))
}

fn malformed(place: Span, promise: &str) -> Diagnostic {
    let lower = promise.to_ascii_lowercase();
    let help = if lower.starts_with("not") || lower.starts_with("non") || lower.starts_with("un") {
        "write `// expect: not-serializable`, with the name of the anomaly after it where one is expected"
    } else {
        "write `// expect: serializable` or `// expect: not-serializable lost-update`"
    };
    not_read(place, "it is malformed", help)
}

fn not_read(place: Span, reason: &str, help: &str) -> Diagnostic {
    Diagnostic::warning(codes::BAD_EXPECTATION, place, format!("this `expect` comment is not read: {reason}"))
        .expected(
            "`// expect: serializable`, `not-serializable`, `strict`, `not-strict`, `can fail` or `undecided`, once, before the program",
        )
        .help(help)
}
