//! The class of each token, for colours.

use serval_syntax::{Access, Span, SymbolKind, SyntaxKind};

use crate::document::{Document, span};

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TokenClass {
    /// A word of the language.
    Keyword,
    /// A number.
    Number,
    /// An operator.
    Operator,
    /// A comment.
    Comment,
    /// A name.
    Name(SymbolKind),
}

/// A token and its class. Brackets and separators have none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClassifiedToken {
    /// Where it stands.
    pub span: Span,
    /// What it is.
    pub class: TokenClass,
    /// For names: what is done.
    pub access: Option<Access>,
}

/// The tokens in a part of the text, sorted by place.
pub fn classified(document: &Document, part: Span) -> Vec<ClassifiedToken> {
    let mut names = document.bindings().occurrences().iter().peekable();
    let mut found = Vec::new();
    for token in document.tree().descendants_with_tokens().filter_map(|element| element.into_token()) {
        let place = span(token.text_range());
        if place.end < part.start {
            continue;
        }
        if place.start > part.end {
            break;
        }
        while names.next_if(|one| one.span.start < place.start).is_some() {}
        let name = names.next_if(|one| one.span == place);
        let class = match name {
            Some(one) => Some(TokenClass::Name(document.nth(one.symbol).kind)),
            None => class(token.kind(), token.text()),
        };
        if let Some(class) = class {
            found.push(ClassifiedToken { span: place, class, access: name.map(|one| one.access) });
        }
    }
    found
}

fn class(kind: SyntaxKind, text: &str) -> Option<TokenClass> {
    use SyntaxKind::*;
    Some(match kind {
        LineComment | BlockComment => TokenClass::Comment,
        Number => TokenClass::Number,
        // `and`, `or`, `not`, and `true` and `false` where they are no names.
        AndAnd | OrOr | Bang if text.starts_with(|first: char| first.is_ascii_alphabetic()) => TokenClass::Keyword,
        Name if matches!(text, "true" | "false") => TokenClass::Keyword,
        Assign | Question | Bang | Plus | Minus | Star | Slash | Percent | EqualEqual | NotEqual | Less | LessEqual | Greater
        | GreaterEqual | AndAnd | OrOr | Equal | CompoundAssign | DotDot => TokenClass::Operator,
        RequestKw | IfKw | ElseKw | WhileKw | YieldKw | ReturnKw | SkipKw | BreakKw | ContinueKw | MinKw | MaxKw | AtomicKw | LockKw
        | UnlockKw | AwaitKw | AssumeKw | AssertKw | InvariantKw | ChooseKw | ForKw | InKw | ConstKw | EnumKw | VarKw | WrapKw
        | SaturateKw | FnKw | VersionKw | FreshKw => TokenClass::Keyword,
        _ => return None,
    })
}
