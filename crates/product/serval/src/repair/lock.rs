//! Putting requests under one lock; the head of `repair` says why that is
//! sound.
//!
//! A body begins with `lock(M)`, and before each of its answers stands
//! `unlock(M)`. Where computing an answer may take another look at globals or a
//! `yield`, it is kept in a new variable first.

use std::collections::{BTreeMap, BTreeSet};

use serval_compile::Prepared;
use serval_format::Style as FormatStyle;
use serval_proof::{Action, RunCertificate};
use serval_syntax::ast::{Expr, SourceFile};
use serval_syntax::{SyntaxKind, SyntaxNode, is_global, parse};

use super::change::ProgramChange;
use super::edit::{Edited, Replacement, finished, replaced};
use super::hitting::{Conflict, Set};
use super::numbers::constants;

/// The name of the request in a file without the word.
const ONLY: &str = "request";

/// What speaks against a name for the lock of a text.
pub fn lock_name_problem(text: &str, name: &str) -> Option<String> {
    let mut letters = name.chars();
    let begins = letters.next().is_some_and(|letter| letter.is_alphabetic() || letter == '_');
    if !begins || !letters.all(|letter| letter.is_alphanumeric() || letter == '_') {
        return Some(format!("`{name}` is not a name"));
    }
    if !is_global(name) {
        return Some(format!("a lock is shared by all requests, so its name has a capital letter first: `{name}` has not"));
    }
    words(text).contains(name).then(|| format!("`{name}` is used in the program already; choose a name that is new"))
}

pub(crate) fn words(text: &str) -> BTreeSet<String> {
    let tokens = parse(text).syntax().descendants_with_tokens().filter_map(|element| element.into_token());
    tokens.filter(|token| !token.kind().is_trivia()).map(|token| token.text().to_owned()).collect()
}

/// The names of the requests of a text, in its order.
pub(crate) fn requests(text: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (name, _) in bodies(text) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// The bodies of all requests: the name and the statements.
pub(crate) fn bodies(text: &str) -> Vec<(String, Vec<Expr>)> {
    let Some(file) = SourceFile::cast(parse(text).syntax()) else { return Vec::new() };
    let statements: Vec<Expr> = file.statements().collect();
    let alone = (!statements.is_empty()).then(|| (ONLY.to_owned(), statements));
    let named = file.requests().filter_map(|request| {
        let name = request.name()?.text().to_owned();
        Some((name, request.body()?.statements().collect()))
    });
    alone.into_iter().chain(named).collect()
}

/// Putting requests under a lock.
pub(crate) struct Locking<'a> {
    text: &'a str,
    lock: &'a str,
    requests: &'a [String],
    /// The new variable for answers.
    answer: String,
    /// Names that stand for numbers.
    constants: BTreeMap<String, Option<i64>>,
    style: &'a FormatStyle,
}

impl<'a> Locking<'a> {
    pub(crate) fn new(text: &'a str, lock: &'a str, requests: &'a [String], style: &'a FormatStyle) -> Self {
        let used = words(text);
        let answer = (1..).map(|number: u32| if number == 1 { "answer".to_owned() } else { format!("answer_{number}") });
        let answer = answer.into_iter().find(|name| !used.contains(name)).unwrap_or_default();
        Self { text, lock, requests, answer, constants: constants(text), style }
    }

    fn edited(&self, set: &Set) -> Edited<'a> {
        let chosen = |name: &String| set.iter().any(|&index| self.requests.get(index) == Some(name));
        let mut edits = Vec::new();
        for (_, statements) in bodies(self.text).into_iter().filter(|(name, _)| chosen(name)) {
            self.wrap(&statements, &mut edits);
        }
        replaced(self.text, edits)
    }

    fn wrap(&self, statements: &[Expr], edits: &mut Vec<Replacement>) {
        let (Some(first), Some(last)) = (statements.first(), statements.last()) else { return };
        let (lock, answer) = (self.lock, &self.answer);
        let between = self.between(first.syntax());
        insert(edits, start(first.syntax()), format!("lock({lock});{between}"));
        for statement in statements {
            let returns = statement.syntax().descendants().filter(|node| node.kind() == SyntaxKind::ReturnExpr);
            for returned in returns.filter(|node| node != last.syntax()) {
                self.unlock_before_return(&returned, edits);
            }
        }
        let between = self.between(last.syntax());
        let (from, to) = (start(last.syntax()), end(last.syntax()));
        match last.kind() {
            // The value of these is 0.
            SyntaxKind::WhileExpr
            | SyntaxKind::ForExpr
            | SyntaxKind::YieldExpr
            | SyntaxKind::AwaitExpr
            | SyntaxKind::AssumeExpr
            | SyntaxKind::AssertExpr
            | SyntaxKind::LockExpr => {
                insert(edits, to, format!(";{between}unlock({lock});{between}0"));
            }
            _ if self.is_simple(last) => insert(edits, from, format!("unlock({lock});{between}")),
            SyntaxKind::ReturnExpr => {
                edits.push(Replacement { at: from, length: "return".len(), text: format!("{answer} :=") });
                insert(edits, to, format!(";{between}unlock({lock});{between}{answer}"));
            }
            _ => {
                insert(edits, from, format!("{answer} := "));
                insert(edits, to, format!(";{between}unlock({lock});{between}{answer}"));
            }
        }
    }

    fn unlock_before_return(&self, returned: &SyntaxNode, edits: &mut Vec<Replacement>) {
        let (lock, answer) = (self.lock, &self.answer);
        let Some(expression) = Expr::cast(returned.clone()) else { return };
        // A statement of its own needs no parentheses.
        let (open, close) = if is_statement(returned) { ("", "") } else { ("(", ")") };
        let (from, to) = (start(returned), end(returned));
        if self.is_simple(&expression) {
            insert(edits, from, format!("{open}unlock({lock}); "));
            insert(edits, to, close.to_owned());
        } else {
            edits.push(Replacement { at: from, length: "return".len(), text: format!("{open}{answer} :=") });
            insert(edits, to, format!("; unlock({lock}); return {answer}{close}"));
        }
    }

    /// Whether something is computed here from numbers and local variables alone,
    /// which no other request can change.
    fn is_simple(&self, expression: &Expr) -> bool {
        use SyntaxKind::*;
        match expression.kind() {
            NumberExpr | SkipExpr => true,
            NameExpr => expression.token().is_some_and(|name| !is_global(name.text()) || self.constants.contains_key(name.text())),
            NegateExpr | NotExpr | SumExpr | ProductExpr | CompareExpr | AndExpr | OrExpr | ParenExpr | ReturnExpr => {
                expression.operands().all(|operand| self.is_simple(&operand))
            }
            _ => false,
        }
    }

    /// What stands between two statements here: the end of the line and the
    /// indentation where a statement begins its line, else a blank.
    fn between(&self, statement: &SyntaxNode) -> String {
        let before = self.text.get(..start(statement)).unwrap_or_default();
        let line = before.rsplit('\n').next().unwrap_or_default();
        if line.trim().is_empty() { format!("\n{line}") } else { " ".to_owned() }
    }
}

fn start(node: &SyntaxNode) -> usize {
    let first = node.descendants_with_tokens().filter_map(|element| element.into_token()).find(|token| !token.kind().is_trivia());
    first.map_or(node.text_range().start(), |token| token.text_range().start()).into()
}

fn end(node: &SyntaxNode) -> usize {
    let tokens = node.descendants_with_tokens().filter_map(|element| element.into_token()).filter(|token| !token.kind().is_trivia());
    tokens.last().map_or(node.text_range().end(), |token| token.text_range().end()).into()
}

fn insert(edits: &mut Vec<Replacement>, at: usize, text: String) {
    edits.push(Replacement { at, length: 0, text });
}

/// Whether an expression stands right in a block.
fn is_statement(node: &SyntaxNode) -> bool {
    node.parent().is_some_and(|parent| parent.kind() == SyntaxKind::Block)
}

impl ProgramChange for Locking<'_> {
    fn count(&self) -> usize {
        self.requests.len()
    }

    fn changed(&self, set: &Set) -> String {
        self.edited(set).text()
    }

    fn written(&self, set: &Set) -> Vec<(String, String)> {
        vec![finished(self.text, &self.edited(set), self.style)]
    }

    fn conflict(&self, _: &Prepared, _: usize, run: &RunCertificate) -> Option<Conflict> {
        // For each request: its name, and the positions of its first and last steps.
        let mut seen: BTreeMap<u32, (usize, Option<(usize, usize)>)> = BTreeMap::new();
        for (position, event) in run.steps.iter().enumerate() {
            match &event.action {
                Action::Spawn { request, .. } => {
                    let name = request.split('(').next().unwrap_or_default();
                    let index = self.requests.iter().position(|known| known == name)?;
                    seen.insert(event.id, (index, None));
                }
                Action::Step { .. } => {
                    let (_, span) = seen.get_mut(&event.id)?;
                    *span = Some((span.map_or(position, |(first, _)| first), position));
                }
                Action::Respond { .. } => {}
            }
        }
        let spans: Vec<(usize, (usize, usize))> = seen.into_values().filter_map(|(index, span)| Some((index, span?))).collect();
        let mut pairs: BTreeSet<Set> = BTreeSet::new();
        for (position, &(one, (first, last))) in spans.iter().enumerate() {
            for &(other, (other_first, other_last)) in &spans[position + 1..] {
                if first < other_last && other_first < last {
                    pairs.insert(Set::from([one, other]));
                }
            }
        }
        Some(pairs.into_iter().collect())
    }

    fn of_requests(&self, names: &[&str]) -> Set {
        (0..self.requests.len()).filter(|&index| names.contains(&self.requests[index].as_str())).collect()
    }

    fn keeps_places(&self) -> bool {
        false
    }

    fn excuses(&self) -> [&'static str; 3] {
        ["there is no request", "not serializable even with all requests under the lock", "under the lock some request would wait for ever"]
    }
}
