//! Names of parameters before the arguments of calls.

use serval_syntax::ast::Expr;
use serval_syntax::{Span, SyntaxKind};

use crate::document::{Document, span};
use crate::signature::params;

/// A text that is shown and does not stand there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// Before this place.
    pub offset: u32,
    /// What is shown: `amount:`.
    pub label: String,
}

/// What is shown in a part of the text. An argument that has the name of its parameter needs none.
pub fn hints(document: &Document, part: Span) -> Vec<Hint> {
    let mut found = Vec::new();
    for node in document.tree().descendants().filter(|node| node.kind() == SyntaxKind::CallExpr) {
        let place = span(node.text_range());
        let (Some(call), true) = (Expr::cast(node), place.start <= part.end && part.start <= place.end) else { continue };
        let Some(one) = call.token().and_then(|name| document.bindings().at(name.text_range().start().into())) else { continue };
        for (name, argument) in params(document, one.symbol).into_iter().zip(call.arguments()) {
            if argument.syntax().text() != name {
                found.push(Hint { offset: span(argument.syntax().text_range()).start, label: format!("{name}:") });
            }
        }
    }
    found
}
