//! The comment `// allow: W0203`, which silences warnings and notes.
//!
//! Before the first word of the program it holds for the whole file, behind
//! code for its line, and alone on a line for the next one.

use crate::diagnostic::{Diagnostic, Sink, codes};
use crate::grammar::SyntaxKind;
use crate::program::Allowance;
use crate::tree::{SyntaxNode, span};
use serval_diagnostic::Span;

/// Reads all such comments.
pub(crate) fn read(text: &str, root: &SyntaxNode, sink: &mut Sink) -> Vec<Allowance> {
    if !text.contains("allow") {
        return Vec::new();
    }
    let mut result = Vec::new();
    let mut in_header = true;
    for token in root.descendants_with_tokens().filter_map(|element| element.into_token()) {
        in_header &= token.kind().is_trivia();
        let Some(list) = token.text().strip_prefix("//").map(str::trim_start).and_then(|rest| rest.strip_prefix("allow:")) else {
            continue;
        };
        if token.kind() != SyntaxKind::LineComment {
            continue;
        }
        let comment = span(token.text_range());
        let place = if in_header { None } else { Some(lines_for(text, comment)) };
        for code in list.split([' ', ',', '\t', '\r']).filter(|word| !word.is_empty()) {
            if is_silenceable(code) {
                result.push(Allowance { code: code.to_owned(), place });
            } else {
                sink.push(|| not_silenced(code, comment));
            }
        }
    }
    result
}

/// The line of a comment, or the next one where it stands alone.
fn lines_for(text: &str, comment: Span) -> Span {
    let line_start = |at: usize| text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let line_end = |at: usize| text[at..].find('\n').map_or(text.len(), |newline| at + newline);
    let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    let start = line_start(comment.start as usize);
    if text[start..comment.start as usize].trim().is_empty() {
        let next = (line_end(comment.start as usize) + 1).min(text.len());
        return Span::new(offset(next), offset(line_end(next)));
    }
    Span::new(offset(start), comment.start)
}

/// Whether this looks like the code of a warning or a note, and is none of
/// ours that does not exist. Other crates have codes, too.
fn is_silenceable(code: &str) -> bool {
    let shaped = code.len() == 5 && code.starts_with(['W', 'N']) && code[1..].bytes().all(|byte| byte.is_ascii_digit());
    shaped && (!code[1..].starts_with("02") || codes().iter().any(|info| info.code.0 == code))
}

fn not_silenced(code: &str, comment: Span) -> Diagnostic {
    Diagnostic::warning(codes::BAD_ALLOWANCE, comment, format!("`{code}` cannot be silenced"))
        .expected("the code of a warning or a note, such as `W0203`")
        .help("errors cannot be silenced; the code of a warning stands in brackets behind the word `warning`")
}
