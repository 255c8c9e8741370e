//! What a translation is made of: one operation for each thing that happens, over expressions of locals. A read or
//! write of something shared is an operation of its own, so that expressions have no effects and are the same wherever
//! they stand.

use std::collections::BTreeSet;

use serval_diagnostic::Span;

/// An expression over locals, as text.
pub(super) type Term = String;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A local gets what is shared.
    Read(String, String),
    /// Something shared gets a value.
    Write(String, Term),
    /// A local gets a value.
    Set(String, Term),
    /// A local gets one of these numbers.
    Choose(String, Vec<i64>),
    /// Others may run.
    Pause,
    If(Term),
    Else,
    End,
    While(Term),
    /// Waits until this holds of what is shared.
    Wait(Term),
    /// A statement as it stands, such as `fresh(V)`.
    Raw(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Op {
    pub(super) kind: Kind,
    pub(super) span: Span,
}

pub(super) fn known(term: &str) -> Option<i64> {
    term.parse().ok()
}

pub(super) fn constant(value: i64) -> Term {
    value.to_string()
}

pub(super) fn equal(left: &str, right: &str) -> Term {
    match (known(left), known(right)) {
        (Some(left), Some(right)) => constant(i64::from(left == right)),
        _ if left == right => constant(1),
        _ => format!("({left} == {right})"),
    }
}

pub(super) fn not(term: &str) -> Term {
    match known(term) {
        Some(value) => constant(i64::from(value == 0)),
        None => match term.strip_prefix("(not ").and_then(|inner| inner.strip_suffix(')')) {
            Some(inner) if inner.starts_with('(') && closes_at_end(inner) => inner.to_owned(),
            _ => format!("(not {term})"),
        },
    }
}

/// Whether the bracket at the start is closed by the one at the end.
fn closes_at_end(text: &str) -> bool {
    let mut open = 0_i32;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => open += 1,
            b')' => open -= 1,
            _ => {}
        }
        if open == 0 {
            return at + 1 == text.len();
        }
    }
    false
}

fn chain(parts: Vec<Term>, neutral: i64, word: &str) -> Term {
    let mut kept: Vec<Term> = Vec::new();
    for part in parts {
        match known(&part) {
            Some(value) if i64::from(value != 0) == neutral => {}
            Some(_) => return constant(1 - neutral),
            None if kept.contains(&part) => {}
            None => kept.push(part),
        }
    }
    match kept.len() {
        0 => constant(neutral),
        1 => kept.remove(0),
        _ => format!("({})", kept.join(word)),
    }
}

pub(super) fn all(parts: Vec<Term>) -> Term {
    chain(parts, 1, " && ")
}

pub(super) fn any(parts: Vec<Term>) -> Term {
    chain(parts, 0, " || ")
}

/// Whether a value is one of these.
pub(super) fn among(term: &str, values: impl IntoIterator<Item = i64>) -> Term {
    any(values.into_iter().map(|value| equal(term, &constant(value))).collect())
}

pub(super) fn either(condition: &str, yes: &str, no: &str) -> Term {
    match known(condition) {
        Some(0) => no.to_owned(),
        Some(_) => yes.to_owned(),
        None if yes == no => yes.to_owned(),
        None if yes == "1" && no == "0" => condition.to_owned(),
        None => format!("(if ({condition}) {{ {yes} }} else {{ {no} }})"),
    }
}

pub(super) fn arithmetic(op: &str, left: &str, right: &str) -> Term {
    if let (Some(left), Some(right)) = (known(left), known(right)) {
        let value = match op {
            "+" => left.checked_add(right),
            "-" => left.checked_sub(right),
            "*" => left.checked_mul(right),
            _ => None,
        };
        if let Some(value) = value {
            return constant(value);
        }
    }
    match (op, known(left), known(right)) {
        ("+" | "-", _, Some(0)) | ("*", _, Some(1)) => left.to_owned(),
        ("+", Some(0), _) | ("*", Some(1), _) => right.to_owned(),
        _ => format!("({left} {op} {right})"),
    }
}

/// The locals that a term reads.
pub(super) fn locals(term: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut word = String::new();
    for character in term.chars().chain([' ']) {
        if character.is_ascii_alphanumeric() || character == '_' {
            word.push(character);
        } else if !word.is_empty() {
            let local = word.starts_with(|first: char| first.is_ascii_lowercase());
            if local && !matches!(word.as_str(), "if" | "else" | "not" | "choose") {
                found.insert(std::mem::take(&mut word));
            }
            word.clear();
        }
    }
    found
}

/// Replaces a local by a term everywhere.
pub(super) fn renamed(term: &str, rename: &dyn Fn(&str) -> Option<String>) -> Term {
    let mut out = String::new();
    let mut word = String::new();
    for character in term.chars().chain(['\0']) {
        if character.is_ascii_alphanumeric() || character == '_' {
            word.push(character);
            continue;
        }
        if !word.is_empty() {
            out.push_str(&rename(&word).unwrap_or_else(|| word.clone()));
            word.clear();
        }
        if character != '\0' {
            out.push(character);
        }
    }
    out
}

/// Leaves out what sets locals that are never read. What is left has the same reads and writes of what is shared, but
/// for reads whose value counts for nothing.
pub(super) fn without_unread(mut ops: Vec<Op>, kept: &BTreeSet<String>) -> Vec<Op> {
    loop {
        let mut read = kept.clone();
        for op in &ops {
            match &op.kind {
                Kind::Read(_, access) => read.extend(locals(access)),
                Kind::Write(access, term) => {
                    read.extend(locals(access));
                    read.extend(locals(term));
                }
                Kind::Set(_, term) | Kind::If(term) | Kind::While(term) | Kind::Wait(term) | Kind::Raw(term) => read.extend(locals(term)),
                Kind::Choose(..) | Kind::Pause | Kind::Else | Kind::End => {}
            }
        }
        let before = ops.len();
        ops.retain(|op| match &op.kind {
            Kind::Read(local, _) | Kind::Set(local, _) | Kind::Choose(local, _) => read.contains(local),
            _ => true,
        });
        ops = without_empty(ops);
        if ops.len() == before {
            return ops;
        }
    }
}

/// Leaves out pauses behind which nothing shared is touched any more: what is left of the request changes places with
/// all that others do, and answers have no time.
pub(super) fn without_last_pauses(ops: Vec<Op>) -> Vec<Op> {
    // Which ends are those of loops.
    let (mut open, mut loops) = (Vec::new(), BTreeSet::new());
    for (at, op) in ops.iter().enumerate() {
        match op.kind {
            Kind::If(_) => open.push(false),
            Kind::While(_) => open.push(true),
            Kind::End if open.pop() == Some(true) => {
                loops.insert(at);
            }
            _ => {}
        }
    }
    // Going backwards: whether something shared is touched from here on.
    let mut touched = false;
    let mut around: Vec<(bool, Option<bool>)> = Vec::new();
    let mut kept = Vec::with_capacity(ops.len());
    for (at, op) in ops.into_iter().enumerate().rev() {
        match &op.kind {
            Kind::End => {
                around.push((touched, None));
                touched |= loops.contains(&at);
            }
            Kind::Else => {
                if let Some((after, otherwise)) = around.last_mut() {
                    *otherwise = Some(touched);
                    touched = *after;
                }
            }
            Kind::If(_) => {
                let (after, otherwise) = around.pop().unwrap_or_default();
                touched |= otherwise.unwrap_or(after);
            }
            Kind::While(_) => {
                around.pop();
                touched = true;
            }
            Kind::Read(..) | Kind::Write(..) | Kind::Wait(_) | Kind::Raw(_) => touched = true,
            Kind::Pause if !touched => continue,
            _ => {}
        }
        kept.push(op);
    }
    kept.reverse();
    kept
}

/// Leaves out branches in which nothing happens.
fn without_empty(ops: Vec<Op>) -> Vec<Op> {
    let mut out: Vec<Op> = Vec::new();
    for op in ops {
        if op.kind == Kind::End {
            if matches!(out.last().map(|last| &last.kind), Some(Kind::Else)) {
                out.pop();
            }
            if matches!(out.last().map(|last| &last.kind), Some(Kind::If(_))) {
                out.pop();
                continue;
            }
        }
        out.push(op);
    }
    out
}

/// The letters of a path that may stand in a name.
pub(super) fn name_part(path: &str) -> String {
    path.chars().filter(char::is_ascii_alphanumeric).collect()
}
