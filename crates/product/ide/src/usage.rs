//! Which requests read and write what, through functions too.

use std::collections::{BTreeMap, BTreeSet};

use serval_syntax::SymbolKind;

use crate::document::Document;

/// What requests and functions do with shared variables. Numbers are positions among the symbols.
#[derive(Debug, Default)]
pub(crate) struct Usage {
    /// By request or function: what it reads.
    reads: BTreeMap<usize, BTreeSet<usize>>,
    /// By request or function: what it writes.
    writes: BTreeMap<usize, BTreeSet<usize>>,
    /// By request or function: what it calls, directly.
    calls: BTreeMap<usize, BTreeSet<usize>>,
}

impl Usage {
    pub(crate) fn of(document: &Document) -> Self {
        let mut usage = Self::default();
        for one in document.bindings().occurrences() {
            let (Some(item), kind) = (one.item, document.nth(one.symbol).kind) else { continue };
            if kind == SymbolKind::Function && one.symbol != item {
                usage.calls.entry(item).or_default().insert(one.symbol);
            }
            if kind.is_global() && one.access.reads() {
                usage.reads.entry(item).or_default().insert(one.symbol);
            }
            if kind.is_global() && one.access.writes() {
                usage.writes.entry(item).or_default().insert(one.symbol);
            }
        }
        usage
    }

    /// The item, and all that it calls.
    fn reached(&self, item: usize) -> BTreeSet<usize> {
        let (mut seen, mut open) = (BTreeSet::new(), vec![item]);
        while let Some(item) = open.pop() {
            if seen.insert(item) {
                open.extend(self.calls.get(&item).into_iter().flatten());
            }
        }
        seen
    }

    /// What a request or function reads, with what it calls.
    pub(crate) fn read_by(&self, item: usize) -> BTreeSet<usize> {
        self.reached(item).iter().filter_map(|one| self.reads.get(one)).flatten().copied().collect()
    }

    /// What a request or function writes, with what it calls.
    pub(crate) fn written_by(&self, item: usize) -> BTreeSet<usize> {
        self.reached(item).iter().filter_map(|one| self.writes.get(one)).flatten().copied().collect()
    }
}

/// The names of the requests of a document for which something holds, in order and each once.
pub(crate) fn requests(document: &Document, holds: impl Fn(usize) -> bool) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (index, symbol) in document.bindings().symbols().iter().enumerate() {
        if symbol.kind == SymbolKind::Request && holds(index) && !names.contains(&symbol.name) {
            names.push(symbol.name.clone());
        }
    }
    names
}

/// `a`, `a and b`, `a, b and c`, each in backquotes; the first of many.
pub(crate) fn listed(names: &[String]) -> String {
    const MOST: usize = 6;
    let mut shown: Vec<String> = names.iter().take(MOST).map(|name| format!("`{name}`")).collect();
    if names.len() > MOST {
        shown.push(format!("{} more", names.len() - MOST));
    }
    match shown.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        Some((only, _)) => only.clone(),
        None => String::new(),
    }
}
