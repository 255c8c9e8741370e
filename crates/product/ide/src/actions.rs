//! Changes that are offered for a place.

use serval_syntax::ast::Expr;
use serval_syntax::{Code, Diagnostic, Edit, Severity, Span, SyntaxKind, SyntaxNode};

use crate::document::{Document, trimmed};

/// What a change is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActionKind {
    /// It does what the help of a diagnostic says.
    Help,
    /// It silences a warning or a note.
    Silence,
    /// It writes a form out.
    Expand,
}

/// A change that is offered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Action {
    /// What it does, for people.
    pub title: String,
    /// What it is for.
    pub kind: ActionKind,
    /// The diagnostic that it is about: its code, and where it stands.
    pub about: Option<(Code, Span)>,
    /// The edits, sorted by place.
    pub edits: Vec<Edit>,
}

/// The changes that are offered for a part of the text.
pub fn actions(document: &Document, part: Span) -> Vec<Action> {
    let mut found = Vec::new();
    for diagnostic in document.diagnostics().iter().filter(|one| touches(one.primary.span, part)) {
        if let (Some(help), false) = (&diagnostic.help, diagnostic.edits.is_empty()) {
            let about = Some((diagnostic.code, diagnostic.primary.span));
            found.push(Action { title: help_title(help, diagnostic), kind: ActionKind::Help, about, edits: diagnostic.edits.clone() });
        }
        if diagnostic.severity != Severity::Error {
            found.push(silence(document, diagnostic.code, diagnostic.primary.span));
        }
    }
    found.extend(expansion(document, part));
    found
}

fn touches(one: Span, other: Span) -> bool {
    one.start <= other.end && other.start <= one.end
}

/// The help as an order: what it asks is what is done.
fn help_title(help: &str, diagnostic: &Diagnostic) -> String {
    match (help.strip_prefix("did you mean "), diagnostic.edits.first()) {
        (Some(_), Some(edit)) => format!("replace by `{}`", edit.text),
        _ => help.split("; ").next().unwrap_or(help).to_owned(),
    }
}

/// A comment that silences a code where it is reported.
fn silence(document: &Document, code: Code, place: Span) -> Action {
    let start = document.lines().line_start(place.start);
    let line = document.slice(Span::new(start, u32::try_from(document.text().len()).unwrap_or(u32::MAX)));
    let indent: String = line.chars().take_while(|letter| matches!(letter, ' ' | '\t')).collect();
    let end = if document.text().contains("\r\n") { "\r\n" } else { "\n" };
    // Above the first word of the file it would hold for all of it; that is so anyway where the line is the first.
    let edits = vec![Edit { span: Span::new(start, start), text: format!("{indent}// allow: {}{end}", code.0) }];
    Action { title: format!("silence {} here", code.0), kind: ActionKind::Silence, about: Some((code, place)), edits }
}

/// The comment at the top of a file that promises a verdict, in place of the one that is there.
pub fn header(document: &Document, verdict: &str) -> Vec<Edit> {
    let text = format!("// expect: {verdict}");
    let known = document.program().and_then(|program| program.expectation.as_ref()).map(|promise| promise.span);
    let bom = u32::try_from(document.text().len() - document.text().trim_start_matches('\u{feff}').len()).unwrap_or(0);
    match known {
        Some(span) if document.slice(span) == text => Vec::new(),
        Some(span) => vec![Edit { span, text }],
        None => vec![Edit { span: Span::new(bom, bom), text: text + if document.text().contains("\r\n") { "\r\n" } else { "\n" } }],
    }
}

/// The innermost form at a place, written out as the language defines it.
fn expansion(document: &Document, part: Span) -> Option<Action> {
    let node = document.token(part.start)?.parent_ancestors().find(|node| is_form(node.kind()))?;
    let place = trimmed(&node);
    if place.end < part.end || !document.is_well_formed() {
        return None;
    }
    let (word, text) = written_out(document, &node)?;
    Some(Action { title: format!("write `{word}` out"), kind: ActionKind::Expand, about: None, edits: vec![Edit { span: place, text }] })
}

fn is_form(kind: SyntaxKind) -> bool {
    use SyntaxKind::{AssignExpr, AssumeExpr, AtomicExpr, AwaitExpr, LockExpr, SkipExpr, UnlockExpr};
    matches!(kind, LockExpr | UnlockExpr | AwaitExpr | AssumeExpr | AtomicExpr | SkipExpr | AssignExpr)
}

/// The form, and what it stands for. It stands in parentheses where it is more than one expression, or part of another.
fn written_out(document: &Document, node: &SyntaxNode) -> Option<(&'static str, String)> {
    let expr = Expr::cast(node.clone())?;
    let part = |node: &SyntaxNode| document.slice(trimmed(node));
    let is_statement = node.parent().is_some_and(|up| matches!(up.kind(), SyntaxKind::Block | SyntaxKind::SourceFile));
    let within = |text: String| if is_statement { text } else { format!("({text})") };
    let condition = || expr.conditions().next().map(|condition| part(condition.syntax()).to_owned());
    let operand = || expr.operands().next().map(|operand| part(operand.syntax()).to_owned());
    Some(match node.kind() {
        SyntaxKind::LockExpr => {
            let lock = operand()?;
            ("lock", format!("(while ({lock} == 1) {{ yield }}; {lock} := 1)"))
        }
        SyntaxKind::UnlockExpr => ("unlock", within(format!("{} := 0", operand()?))),
        SyntaxKind::AwaitExpr => ("await", within(format!("while (!{}) {{ yield }}", condition()?))),
        SyntaxKind::AssumeExpr => ("assume", within(format!("while (!{}) {{ 0 }}", condition()?))),
        SyntaxKind::SkipExpr => ("skip", "0".to_owned()),
        SyntaxKind::AtomicExpr => {
            let block = expr.blocks().next()?;
            let inner = part(block.syntax()).strip_prefix('{')?.strip_suffix('}')?;
            ("atomic", format!("({inner})"))
        }
        SyntaxKind::AssignExpr => {
            let sign = node
                .children_with_tokens()
                .filter_map(|part| part.into_token())
                .find(|token| token.kind() == SyntaxKind::CompoundAssign)?;
            // An index would be evaluated twice.
            let name = expr.token().filter(|token| token.kind() == SyntaxKind::Name)?;
            let (word, operator) = if sign.text() == "+=" { ("+=", "+") } else { ("-=", "-") };
            let value = operand()?;
            (word, within(format!("{name} := {name} {operator} ({value})", name = name.text())))
        }
        _ => return None,
    })
}
