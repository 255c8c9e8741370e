//! Why a run has no serial order: a cycle of conflicts, in words, and its name.
//!
//! Two accesses of different requests to one variable *conflict* where at least
//! one of them writes; the earlier one makes its request come before the other:
//! `w–w` where both write, `w–r` where the later one reads, `r–w` where the
//! earlier one reads. A run whose conflicts have no cycle gives the same answers
//! as its requests one at a time, in an order that follows the conflicts: steps
//! of different requests that do not conflict can be exchanged, until no request
//! is interrupted. So a counterexample always has a cycle. The cycle explains;
//! the proof is that no serial order gives the answers, and that is the
//! checker's.
//!
//! # Names
//! The name follows the edges of a shortest cycle, the gravest that fits:
//!
//! | cycle | name |
//! |---|---|
//! | only `w–w` | dirty write |
//! | a `w–r` whose writer has not finished, and undoes the write or leaves it | dirty read |
//! | a `w–r` whose writer writes the variable again, and not to undo it | intermediate read |
//! | one `r–w`, or two on one variable, and both requests read and write it | lost update |
//! | one `r–w` otherwise | read skew |
//! | several `r–w`, all on different variables | write skew |
//! | anything else | none |
//!
//! Variables that `unlock` releases only say who was when where; they are left
//! out unless there is no cycle without them.
//!
//! A `w–r` whose writer had made its last step is what happens in serial runs,
//! too, and decides nothing. Of several cycles of the same length with the same
//! name the first in the run is taken.

use std::collections::{BTreeMap, BTreeSet};

use crate::trace::{TraceAccess, TraceEvent};

/// Why a run has no serial order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Why {
    /// The name of the anomaly, if it has one.
    pub anomaly: Option<&'static str>,
    /// The cycle, each edge to the next and the last to the first.
    pub edges: Vec<OrderEdge>,
}

/// One request comes before another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderEdge {
    /// The request that comes first.
    pub from: u32,
    /// The request that comes after it.
    pub to: u32,
    /// The variable.
    pub var: String,
    /// What the first one does.
    pub first: ConflictSide,
    /// What the second one does, later.
    pub second: ConflictSide,
}

/// One of two accesses that conflict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConflictSide {
    /// Whether it writes.
    pub writes: bool,
    /// The value read or written, as people see it.
    pub value: String,
    /// Where in the text.
    pub span: [u32; 4],
    /// The position of its step in the run.
    pub step: usize,
    /// The position of the access among all.
    position: usize,
}

/// The names, the gravest first.
const NAMES: [&str; 6] = ["dirty-write", "dirty-read", "intermediate-read", "lost-update", "read-skew", "write-skew"];

/// More cycles than this are not looked at.
const MOST_CYCLES: usize = 20_000;

/// An access in a run.
struct SeenAccess<'r> {
    id: u32,
    step: usize,
    access: &'r TraceAccess,
}

impl SeenAccess<'_> {
    fn writes(&self) -> bool {
        self.access.op == "write"
    }

    fn side(&self, position: usize) -> ConflictSide {
        ConflictSide { writes: self.writes(), value: self.access.shown_value(), span: self.access.span, step: self.step, position }
    }
}

/// The cycle of a run, if its steps say what they read and write. `value` tells
/// the value of a variable in a global state, if that is known; `locks` are the
/// variables that are used as locks.
pub fn why(steps: &[TraceEvent], locks: &BTreeSet<String>, value: &dyn Fn(&str, &str) -> Option<i64>) -> Option<Why> {
    let without = if locks.is_empty() { None } else { cycle(steps, &|var| !locks.contains(var), value) };
    without.or_else(|| cycle(steps, &|_| true, value))
}

/// The cycle of conflicts about some variables.
fn cycle(steps: &[TraceEvent], counts: &dyn Fn(&str) -> bool, value: &dyn Fn(&str, &str) -> Option<i64>) -> Option<Why> {
    let mut seen = Vec::new();
    let mut last_step: BTreeMap<u32, usize> = BTreeMap::new();
    for (step, event) in steps.iter().enumerate() {
        if let TraceEvent::Step { id, accesses, .. } = event {
            last_step.insert(*id, step);
            seen.extend(accesses.as_deref()?.iter().filter(|access| counts(&access.var)).map(|access| SeenAccess {
                id: *id,
                step,
                access,
            }));
        }
    }
    let edges = edges(&seen);
    let mut best: Option<(usize, Vec<&OrderEdge>)> = None;
    let mut search = CycleSearch { edges: &edges, tried: 0 };
    for length in 2..=last_step.len() {
        search.cycles(length, &mut |cycle| {
            let found = |step: usize, var: &str| match &steps[step] {
                TraceEvent::Step { from, .. } => value(&from.global, var),
                _ => None,
            };
            let rank = rank(cycle, &seen, &last_step, &found);
            let earlier = |known: &[&OrderEdge]| order(cycle) < order(known);
            if best.as_ref().is_none_or(|(known, edges)| rank < *known || rank == *known && earlier(edges)) {
                best = Some((rank, cycle.to_vec()));
            }
        });
        if best.is_some() || search.tried > MOST_CYCLES {
            break;
        }
    }
    let (rank, cycle) = best?;
    Some(Why { anomaly: NAMES.get(rank).copied(), edges: cycle.into_iter().cloned().collect() })
}

/// Where the accesses of a cycle are in the run, the latest first.
fn order(cycle: &[&OrderEdge]) -> Vec<usize> {
    let mut places: Vec<usize> = cycle.iter().map(|edge| edge.second.position).collect();
    places.sort_unstable_by(|a, b| b.cmp(a));
    places
}

/// Two requests, a variable, and whether the first and the second one write it.
type Conflict<'v> = (u32, u32, &'v str, bool, bool);

/// For each two requests, each variable and each kind of conflict, the first.
fn edges(seen: &[SeenAccess<'_>]) -> Vec<OrderEdge> {
    let mut first: BTreeMap<Conflict<'_>, (usize, usize)> = BTreeMap::new();
    let mut by_variable: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (position, access) in seen.iter().enumerate() {
        by_variable.entry(&access.access.var).or_default().push(position);
    }
    for (var, positions) in &by_variable {
        // The last read and the last write of each request so far.
        let mut before: BTreeMap<(u32, bool), usize> = BTreeMap::new();
        for &position in positions {
            let later = &seen[position];
            for (&(id, writes), &earlier) in &before {
                if id != later.id && (writes || later.writes()) {
                    first.entry((id, later.id, var, writes, later.writes())).or_insert((earlier, position));
                }
            }
            before.insert((later.id, later.writes()), position);
        }
    }
    let edge = |(&(from, to, var, _, _), &(earlier, later)): (&Conflict<'_>, &(usize, usize))| OrderEdge {
        from,
        to,
        var: var.to_owned(),
        first: seen[earlier].side(earlier),
        second: seen[later].side(later),
    };
    first.iter().map(edge).collect()
}

/// Walks through all cycles of a length, each begun at its smallest request.
struct CycleSearch<'e> {
    edges: &'e [OrderEdge],
    tried: usize,
}

impl<'e> CycleSearch<'e> {
    fn cycles(&mut self, length: usize, found: &mut dyn FnMut(&[&'e OrderEdge])) {
        let starts: Vec<&'e OrderEdge> = self.edges.iter().collect();
        for start in starts {
            self.extend(&mut vec![start], length, found);
        }
    }

    fn extend(&mut self, path: &mut Vec<&'e OrderEdge>, length: usize, found: &mut dyn FnMut(&[&'e OrderEdge])) {
        self.tried += 1;
        let (Some(first), Some(last)) = (path.first().copied(), path.last().copied()) else { return };
        if self.tried > MOST_CYCLES {
            return;
        }
        if path.len() == length {
            if last.to == first.from {
                found(path);
            }
            return;
        }
        for edge in self.edges {
            let begins = edge.from == last.to && edge.from > first.from;
            let fresh = path.iter().all(|known| known.from != edge.to) || path.len() + 1 == length && edge.to == first.from;
            if begins && fresh {
                path.push(edge);
                self.extend(path, length, found);
                path.pop();
            }
        }
    }
}

/// The position of the cycle's name; beyond all names where it has none.
fn rank(
    cycle: &[&OrderEdge],
    seen: &[SeenAccess<'_>],
    last_step: &BTreeMap<u32, usize>,
    found: &dyn Fn(usize, &str) -> Option<i64>,
) -> usize {
    let kinds = |writes: (bool, bool)| cycle.iter().filter(move |edge| (edge.first.writes, edge.second.writes) == writes);
    if kinds((true, true)).count() == cycle.len() {
        return 0;
    }
    let unfinished = kinds((true, false)).filter(|edge| last_step.get(&edge.from).is_some_and(|&last| last > edge.second.step));
    let mut dirty = unfinished.map(|edge| if is_intermediate(edge, seen, found) { 2 } else { 1 });
    if let Some(first) = dirty.next() {
        return dirty.fold(first, usize::min);
    }
    let back: Vec<&&OrderEdge> = kinds((false, true)).collect();
    let does =
        |id: u32, var: &str, writes: bool| seen.iter().any(|seen| seen.id == id && seen.access.var == *var && seen.writes() == writes);
    let updates = |edge: &OrderEdge| [edge.from, edge.to].iter().all(|&id| does(id, &edge.var, true) && does(id, &edge.var, false));
    match back.as_slice() {
        [only] if updates(only) => 3,
        [one, other] if one.var == other.var && updates(one) && updates(other) => 3,
        [_] => 4,
        several
            if several.iter().enumerate().all(|(at, edge)| several[..at].iter().all(|known| known.var != edge.var))
                && several.len() > 1 =>
        {
            5
        }
        _ => NAMES.len(),
    }
}

/// Whether the writer writes the variable again after it was read, to another
/// value than the one it found: else it undoes what it did, or leaves it.
fn is_intermediate(edge: &OrderEdge, seen: &[SeenAccess<'_>], found: &dyn Fn(usize, &str) -> Option<i64>) -> bool {
    let writes = |seen: &SeenAccess<'_>| seen.id == edge.from && seen.writes() && seen.access.var == edge.var;
    let mut own = seen.iter().enumerate().filter(|(_, seen)| writes(seen));
    let Some((_, first)) = own.next() else { return false };
    let Some((_, end)) = own.next_back().filter(|(last, _)| *last > edge.second.position) else { return false };
    found(first.step, &edge.var) != Some(end.access.value)
}

impl Why {
    /// The cycle in words, a line each.
    pub fn lines(&self) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for (position, edge) in self.edges.iter().enumerate() {
            let but = if position == 0 {
                ""
            } else if position + 1 == self.edges.len() {
                "But "
            } else {
                "And "
            };
            lines.push(format!("{but}#{} comes before #{}, because {}.", edge.from, edge.to, edge.reason()));
        }
        lines.push(if self.edges.len() == 2 { "Both cannot hold." } else { "Not all of this can hold." }.to_owned());
        lines
    }
}

impl OrderEdge {
    /// Why the one comes before the other.
    fn reason(&self) -> String {
        let Self { from, to, var, first, second } = self;
        match (first.writes, second.writes) {
            (false, _) => format!("#{from} read {var} = {} and #{to} set it to {} afterwards", first.value, second.value),
            (true, true) => format!("#{to} set {var} to {} after #{from} had set it to {}", second.value, first.value),
            (true, false) => format!("#{to} read {var} = {} after #{from} had set it to {}", second.value, first.value),
        }
    }
}
