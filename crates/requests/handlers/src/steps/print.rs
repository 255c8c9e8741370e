//! The program as text, a line for each operation, and for each line the place in the file that it is about.

use std::collections::BTreeSet;

use serval_diagnostic::Span;

use super::ops::{Kind, Op, locals};
use super::state::Maker;
use super::values::{CellPart, Global, SharedPlace, UNDEFINED};

/// Lines and their places.
#[derive(Clone, Debug, Default)]
pub(super) struct Page {
    pub(super) text: String,
    pub(super) places: Vec<Span>,
}

impl Page {
    pub(super) fn line(&mut self, text: &str, span: Span) {
        self.text.push_str(text);
        self.text.push('\n');
        self.places.push(span);
    }

    /// Operations as the body of a request, which ends with this answer.
    pub(super) fn body(&mut self, ops: &[Op], answer: &str, span: Span) {
        let mut depth = 1_usize;
        for (index, op) in ops.iter().enumerate() {
            let line = match &op.kind {
                Kind::Read(local, access) => format!("{local} := {access}"),
                Kind::Write(access, term) => format!("{access} := {term}"),
                Kind::Set(local, term) => format!("{local} := {term}"),
                Kind::Choose(local, list) => format!("{local} := {}", choice(list)),
                Kind::Pause => "yield".to_owned(),
                Kind::If(term) => format!("if ({term}) {{"),
                Kind::While(term) => format!("while ({term}) {{"),
                Kind::Else => "} else {".to_owned(),
                Kind::End => "}".to_owned(),
                Kind::Wait(term) => format!("await ({term})"),
                Kind::Raw(text) => text.clone(),
            };
            if matches!(op.kind, Kind::Else | Kind::End) {
                depth = depth.saturating_sub(1);
            }
            let opens = matches!(op.kind, Kind::If(_) | Kind::While(_) | Kind::Else);
            let next = ops.get(index + 1).map(|next| &next.kind);
            let last = matches!(next, Some(Kind::Else | Kind::End));
            let end = if opens || last { "" } else { ";" };
            // A part in which nothing happens has the value 0.
            let empty = if opens && last { " 0" } else { "" };
            self.line(&format!("{}{line}{empty}{end}", "  ".repeat(depth)), op.span);
            if opens {
                depth += 1;
            }
        }
        self.line(&format!("  {answer}"), span);
    }
}

fn choice(list: &[i64]) -> String {
    let (first, last) = (list.first().copied().unwrap_or(0), list.last().copied().unwrap_or(0));
    let whole = i64::try_from(list.len()).unwrap_or(0) == last - first + 1;
    if first == 0 && last == 1 && list.len() == 2 {
        "?".to_owned()
    } else if whole {
        format!("choose({first}..{last})")
    } else {
        let list: Vec<String> = list.iter().map(i64::to_string).collect();
        format!("choose({})", list.join(", "))
    }
}

impl Maker<'_> {
    /// Declarations of what the requests use.
    pub(super) fn declarations(&mut self, used: &BTreeSet<String>, page: &mut Page) {
        let globals: Vec<(String, Global)> = self.globals.iter().map(|(name, global)| (name.clone(), global.clone())).collect();
        for version in self.versions.clone() {
            page.line(&format!("version {version}: 2"), Span::default());
        }
        for (name, global) in globals.into_iter().filter(|(name, _)| used.contains(name)) {
            let known = self.type_of(&global.base).clone();
            let place = SharedPlace { base: global.base.clone(), keys: Vec::new() };
            let indices: String = known.keys.iter().map(|keys| format!("[{}..{}]", least(keys), most(keys))).collect();
            let (default, low, high, how) = match global.part {
                CellPart::Tag => (UNDEFINED, least(&known.tags).min(UNDEFINED), most(&known.tags).max(UNDEFINED), ""),
                CellPart::Number => {
                    let (low, high, wraps) = self.range_of(&global.base);
                    (low.max(0).min(high), low, high, if wraps { " wrap" } else { "" })
                }
                CellPart::Failed => (0, 0, most(&known.errors).max(0), ""),
                CellPart::Lock | CellPart::Member => (0, 0, 1, ""),
                CellPart::Bag => (0, 0, 2, ""),
            };
            let access = self.access(&place, global.part);
            let initial = self.initial.get(&access).copied().unwrap_or(default);
            let low = if global.part == CellPart::Tag && indices.is_empty() { least(&known.tags).min(initial) } else { low };
            let (low, high) = (low.min(initial), high.max(initial));
            page.line(&format!("var {name}{indices}: {low}..{high}{how} := {initial}"), Span::default());
        }
    }
}

fn least(set: &BTreeSet<i64>) -> i64 {
    set.first().copied().unwrap_or(0)
}

fn most(set: &BTreeSet<i64>) -> i64 {
    set.last().copied().unwrap_or(0)
}

/// The globals that operations use, without indices.
pub(super) fn globals_of(ops: &[Op]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut words = |text: &str| {
        let mut word = String::new();
        for character in text.chars().chain([' ']) {
            if character.is_ascii_alphanumeric() || character == '_' {
                word.push(character);
            } else {
                if word.starts_with("G_") {
                    found.insert(word.clone());
                }
                word.clear();
            }
        }
    };
    for op in ops {
        match &op.kind {
            Kind::Read(_, access) => words(access),
            Kind::Write(access, term) => {
                words(access);
                words(term);
            }
            Kind::Wait(term) | Kind::If(term) | Kind::While(term) | Kind::Raw(term) | Kind::Set(_, term) => words(term),
            _ => {}
        }
    }
    found
}

/// The parameters that operations read.
pub(super) fn parameters_of(ops: &[Op], answer: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut see = |term: &str| found.extend(locals(term).into_iter().filter(|local| local.starts_with("p_")));
    see(answer);
    for op in ops {
        match &op.kind {
            Kind::Read(_, access) => see(access),
            Kind::Write(access, term) => {
                see(access);
                see(term);
            }
            Kind::Wait(term) | Kind::If(term) | Kind::While(term) | Kind::Raw(term) | Kind::Set(_, term) => see(term),
            _ => {}
        }
    }
    found
}
