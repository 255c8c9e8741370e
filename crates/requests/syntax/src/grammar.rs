//! A text to its tree.

mod blocks;
mod builder;
mod declarations;
mod expressions;
mod forms;
mod items;
mod kind;
mod lexer;
mod mistakes;
mod parser;
mod quoted;
mod scanner;
mod words;

pub use kind::SyntaxKind;
pub(crate) use kind::raw;
pub(crate) use lexer::is_smallest;
pub(crate) use mistakes::{WORDS, no_request, quoted};
pub use parser::MAX_DEPTH;
pub(crate) use parser::{MAX_HEIGHT, too_deep};

use rowan::GreenNode;

use self::builder::Builder;
use self::lexer::{Token, tokenize};
use self::parser::Parser;
use crate::diagnostic::{Diagnostic, Sink, codes};
use serval_diagnostic::Span;

/// How many bytes a text may have. Beyond, it is refused with
/// [`codes::TOO_LARGE`], and its tree is a single token that was not
/// looked into (an empty tree beyond 4 GiB).
pub const MAX_FILE_BYTES: usize = 64 << 20;

/// The tree of `text` and all that is wrong with it, in no particular order.
pub(crate) fn parse_text(text: &str) -> (GreenNode, Vec<Diagnostic>) {
    if text.len() > MAX_FILE_BYTES {
        return too_large(text);
    }
    let mut lexical = Sink::default();
    let tokens = tokenize(text, &mut lexical);
    if let Some(place) = json_start(text, &tokens) {
        return unread(text, mistakes::json(place));
    }
    let mut parser = Parser::new(text, tokens);
    parser.source_file(lexical.is_empty());
    let (green, syntactic, unread) = parser.finish();
    let mut diagnostics = lexical.into_vec();
    // What has been passed over as a whole has been reported as a whole.
    diagnostics.retain(|found| !unread.iter().any(|place| place.start <= found.primary.span.start && found.primary.span.end <= place.end));
    diagnostics.extend(syntactic);
    (green, diagnostics)
}

/// A text over the limit is one token that is not looked into.
fn too_large(text: &str) -> (GreenNode, Vec<Diagnostic>) {
    let megabytes = MAX_FILE_BYTES >> 20;
    let error = Diagnostic::error(codes::TOO_LARGE, Span::default(), "this file is too large")
        .expected(format!("at most {megabytes} MiB"))
        .help("check a smaller part of it, or see whether this is a `.ser` program at all");
    unread(text, error)
}

/// The tree of a text that is not looked into: a single token. Beyond 4 GiB
/// not even its places can be counted, and the tree is empty.
fn unread(text: &str, error: Diagnostic) -> (GreenNode, Vec<Diagnostic>) {
    let mut builder = Builder::default();
    builder.start(SyntaxKind::SourceFile);
    if u32::try_from(text.len()).is_ok() {
        builder.token(SyntaxKind::Unknown, text);
    }
    (builder.finish(), vec![error])
}

/// Where a network system in JSON begins, if the text is one: no program
/// begins with `{ "field":` or with `[ {`.
fn json_start(text: &str, tokens: &[Token]) -> Option<Span> {
    let mut seen = tokens.iter().filter(|token| !token.kind.is_trivia());
    let first = seen.next()?;
    let next = seen.next()?;
    let is_json = match (first.kind, next.kind) {
        (SyntaxKind::LeftBracket, SyntaxKind::LeftBrace) => true,
        (SyntaxKind::LeftBrace, SyntaxKind::Text) => {
            text.as_bytes().get(next.start as usize) == Some(&b'"') && seen.next().is_some_and(|token| token.kind == SyntaxKind::Colon)
        }
        _ => false,
    };
    is_json.then(|| Span::new(first.start, first.start + 1))
}
