//! Why a run has no serial order: a circle of conflicts, in words, and its name.
//!
//! Two accesses of different requests to one variable *conflict* where at least
//! one of them writes; the earlier one makes its request come before the other:
//! `w–w` where both write, `w–r` where the later one reads, `r–w` where the
//! earlier one reads. A run whose conflicts have no circle gives the same answers
//! as its requests one at a time, in an order that follows the conflicts: steps
//! of different requests that do not conflict can be exchanged, until no request
//! is interrupted. So a counterexample always has a circle. The circle explains;
//! the proof is that no serial order gives the answers, and that is the
//! checker's.
//!
//! # Conflicts that explain
//! Of a conflict that changes nothing a reader learns nothing. Where reads can be
//! tried with other values ([`Causes`]) only those conflicts count of which the
//! other order would have mattered for an answer (`explaining`), each by a read
//! that matters and would have found another value: the read itself, or for `w–w`
//! one that finds what was written later. Where these have no circle, all
//! conflicts count.
//!
//! # Which is shown
//! Of the shortest circles that one is shown which has the read where the nearest
//! serial order parts from the run, then the one whose name blames a decision or
//! a read that was out of date, not what was written half-way ([`PREFERRED`]),
//! then the first in the run. Where all conflicts count, the gravest name goes first.
//!
//! Variables that `unlock` releases only say who was when where; they are left
//! out unless there is no circle without them.
//!
//! A `w–r` whose writer had made its last step is what happens in serial runs,
//! too, and decides nothing.

mod naming;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::trace::{TraceAccess, TraceEvent};

/// Why a run has no serial order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Why {
    /// The name of the anomaly, if it has one.
    pub anomaly: Option<&'static str>,
    /// The circle, each edge to the next and the last to the first.
    pub edges: Vec<OrderEdge>,
    /// Whether each edge is known to have mattered for an answer.
    pub explains: bool,
}

/// One request comes before another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
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
    /// What would have been otherwise in the other order, where that was tried.
    #[serde(skip)]
    pub course: Option<OtherCourse>,
}

/// One of two accesses that conflict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
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
    #[serde(skip)]
    position: usize,
    /// The position of the access among those of its step.
    #[serde(skip)]
    index: usize,
}

/// What can be found out by trying reads with other values. Steps are named by their positions in the run, accesses by
/// those in their steps.
pub trait Causes {
    /// What its request would have done if a read, and where that `lasts` those of the same variable after it, had
    /// found this value; nothing where that would not have mattered for any answer, or is not known.
    fn instead(&self, step: usize, access: usize, value: i64, lasts: bool) -> Option<OtherCourse>;

    /// Whether its request computes a value from a read that it writes to the same variable.
    fn flows_back(&self, step: usize, access: usize) -> bool;

    /// The read at which the nearest serial order parts from the run.
    fn parting(&self) -> Option<(usize, usize)>;
}

/// What a request does when a read finds another value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OtherCourse {
    /// Whether it takes another branch.
    pub branch: bool,
    /// Whether it writes other values, or none.
    pub writes: bool,
}

/// The names, the gravest first.
const NAMES: [&str; 7] = ["dirty-write", "dirty-read", "intermediate-read", "lost-update", "read-skew", "write-skew", "check-then-act"];

/// The names in the order in which they are preferred, where conflicts explain.
const PREFERRED: [&str; 7] = ["check-then-act", "lost-update", "write-skew", "read-skew", "intermediate-read", "dirty-read", "dirty-write"];

/// More circles than this are not looked at.
const MOST_CYCLES: usize = 20_000;
/// More conflicts than this are not tried.
const MOST_CONFLICTS: usize = 20_000;

/// An access in a run.
struct SeenAccess<'r> {
    id: u32,
    step: usize,
    /// Its position among those of its step.
    index: usize,
    access: &'r TraceAccess,
}

impl SeenAccess<'_> {
    fn writes(&self) -> bool {
        self.access.op == "write"
    }

    fn side(&self, position: usize) -> ConflictSide {
        ConflictSide {
            writes: self.writes(),
            value: self.access.shown_value(),
            span: self.access.span,
            step: self.step,
            position,
            index: self.index,
        }
    }
}

/// What is known of a run beside its steps.
pub(crate) struct Known<'k> {
    /// The variables that are used as locks.
    pub(crate) locks: &'k BTreeSet<String>,
    /// The value of a variable in a global state, if that is known.
    pub(crate) value: &'k dyn Fn(&str, &str) -> Option<i64>,
    /// What reads lead to, if that is known.
    pub(crate) causes: Option<&'k dyn Causes>,
}

/// The circle of a run, if its steps say what they read and write.
pub(crate) fn why(steps: &[TraceEvent], known: &Known<'_>) -> Option<Why> {
    let all = |_: &str| true;
    let unlocked = |var: &str| !known.locks.contains(var);
    let counts: &[&dyn Fn(&str) -> bool] = if known.locks.is_empty() { &[&all] } else { &[&unlocked, &all] };
    let explains =
        counts.iter().find_map(|counts| known.causes.and_then(|causes| Circles::new(steps, counts, known, Some(causes))?.best()));
    explains.or_else(|| counts.iter().find_map(|counts| Circles::new(steps, counts, known, None)?.best()))
}

/// The conflicts of a run about some variables.
struct Circles<'r> {
    steps: &'r [TraceEvent],
    known: &'r Known<'r>,
    seen: Vec<SeenAccess<'r>>,
    last_step: BTreeMap<u32, usize>,
    edges: Vec<OrderEdge>,
    /// There only if the edges are those that explain.
    causes: Option<&'r dyn Causes>,
}

impl<'r> Circles<'r> {
    fn new(steps: &'r [TraceEvent], counts: &dyn Fn(&str) -> bool, known: &'r Known<'r>, causes: Option<&'r dyn Causes>) -> Option<Self> {
        let mut seen = Vec::new();
        let mut last_step: BTreeMap<u32, usize> = BTreeMap::new();
        for (step, event) in steps.iter().enumerate() {
            if let TraceEvent::Step { id, accesses, .. } = event {
                last_step.insert(*id, step);
                let counted = accesses.as_deref()?.iter().enumerate().filter(|(_, access)| counts(&access.var));
                seen.extend(counted.map(|(index, access)| SeenAccess { id: *id, step, index, access }));
            }
        }
        let mut circles = Self { steps, known, seen, last_step, edges: Vec::new(), causes };
        circles.edges = match causes {
            Some(causes) => circles.explaining(causes),
            None => edges(&circles.seen),
        };
        Some(circles)
    }

    /// The circle to be shown, of the shortest ones.
    fn best(&self) -> Option<Why> {
        let mut best: Option<(CircleRank, Vec<&OrderEdge>)> = None;
        let mut search = CycleSearch { edges: &self.edges, tried: 0 };
        for length in 2..=self.last_step.len() {
            search.cycles(length, &mut |cycle| {
                let rank = self.rank(cycle);
                let earlier = |known: &[&OrderEdge]| order(cycle) < order(known);
                if best.as_ref().is_none_or(|(known, edges)| rank < *known || rank == *known && earlier(edges)) {
                    best = Some((rank, cycle.to_vec()));
                }
            });
            if best.is_some() || search.tried > MOST_CYCLES {
                break;
            }
        }
        let (_, cycle) = best?;
        let anomaly = self.name(&cycle);
        Some(Why { anomaly, edges: cycle.into_iter().cloned().collect(), explains: self.causes.is_some() })
    }

    /// What is shown first has the least. Of circles with one name that says most in which all read too early.
    fn rank(&self, cycle: &[&OrderEdge]) -> CircleRank {
        let name = self.name(cycle);
        let place = |names: &[&str]| name.and_then(|name| names.iter().position(|known| *known == name)).unwrap_or(names.len());
        let Some(causes) = self.causes else { return (false, place(&NAMES), 0) };
        let parting = causes.parting();
        let has = |side: &ConflictSide| !side.writes && Some((side.step, side.index)) == parting;
        let early = cycle.iter().filter(|edge| !edge.first.writes).count();
        (!cycle.iter().any(|edge| has(&edge.first) || has(&edge.second)), place(&PREFERRED), cycle.len() - early)
    }

    /// For each two requests, each variable and each kind of conflict, the first that explains.
    fn explaining(&self, causes: &dyn Causes) -> Vec<OrderEdge> {
        let mut first: BTreeMap<VariableConflict<'_>, OrderEdge> = BTreeMap::new();
        let mut by_variable: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (position, access) in self.seen.iter().enumerate() {
            by_variable.entry(&access.access.var).or_default().push(position);
        }
        let mut tried = 0;
        for (var, positions) in &by_variable {
            for (at, &later) in positions.iter().enumerate() {
                for &earlier in &positions[..at] {
                    let (one, other) = (&self.seen[earlier], &self.seen[later]);
                    let kind = (one.id, other.id, *var, one.writes(), other.writes());
                    if one.id == other.id || !(one.writes() || other.writes()) {
                        continue;
                    }
                    tried += 1;
                    if tried > MOST_CONFLICTS {
                        return Vec::new();
                    }
                    let parts = !one.writes() && Some((one.step, one.index)) == causes.parting();
                    if (parts || !first.contains_key(&kind))
                        && let Some(course) = self.explains(causes, positions, earlier, later)
                    {
                        let edge = OrderEdge {
                            from: one.id,
                            to: other.id,
                            var: (*var).to_owned(),
                            first: one.side(earlier),
                            second: other.side(later),
                            course: Some(course),
                        };
                        // The read where the nearest order parts goes first, with the first write that explains.
                        let has = |known: &OrderEdge| known.first == edge.first;
                        if first.get(&kind).is_none_or(|known| parts && !has(known)) {
                            first.insert(kind, edge);
                        }
                    }
                }
            }
        }
        first.into_values().collect()
    }

    /// What would have been otherwise if two accesses of one variable had come in the other order; nothing where that
    /// would not have mattered.
    fn explains(&self, causes: &dyn Causes, positions: &[usize], earlier: usize, later: usize) -> Option<OtherCourse> {
        let (one, other) = (&self.seen[earlier], &self.seen[later]);
        // A write that has not come stays away; what has been read too early is there later.
        let lasts = one.writes();
        let instead = |read: &SeenAccess<'_>, value: i64| {
            if value == read.access.value { None } else { causes.instead(read.step, read.index, value, lasts) }
        };
        let before = |position: usize, of: &dyn Fn(u32) -> bool| {
            let mut earlier = positions.iter().rev().filter(|&&at| at < position).map(|&at| (at, &self.seen[at]));
            earlier.find(|(_, seen)| seen.writes() && of(seen.id))
        };
        match (one.writes(), other.writes()) {
            (false, true) => instead(one, other.access.value),
            (true, false) => {
                // It must be this write that is read; without its request the one before would be.
                let (source, _) = before(later, &|_| true)?;
                let value = match before(later, &|id| id != one.id) {
                    Some((_, write)) => write.access.value,
                    None => self.initial(&one.access.var)?,
                };
                if source == earlier { instead(other, value) } else { None }
            }
            // What the first one wrote at last would be there in the other order.
            (true, true) if positions.iter().any(|&at| earlier < at && at < later && self.writes(at, one.id)) => None,
            (true, true) => positions.iter().map(|&at| (at, &self.seen[at])).find_map(|(at, read)| {
                let finds = at > later && !read.writes() && read.id != other.id;
                let (source, _) = if finds { before(at, &|_| true)? } else { return None };
                if source == later { instead(read, one.access.value) } else { None }
            }),
            (false, false) => None,
        }
    }

    fn writes(&self, position: usize, of: u32) -> bool {
        self.seen[position].id == of && self.seen[position].writes()
    }

    /// The value of a variable before the first step.
    fn initial(&self, var: &str) -> Option<i64> {
        let first = self.steps.iter().find_map(|event| if let TraceEvent::Step { from, .. } = event { Some(from) } else { None })?;
        (self.known.value)(&first.global, var)
    }
}

/// Where the accesses of a cycle are in the run, the latest first.
fn order(cycle: &[&OrderEdge]) -> Vec<usize> {
    let mut places: Vec<usize> = cycle.iter().map(|edge| edge.second.position).collect();
    places.sort_unstable_by(|a, b| b.cmp(a));
    places
}

/// Whether it lacks the read where the nearest order parts, the place of its name, and how many of its conflicts begin
/// with a write.
type CircleRank = (bool, usize, usize);

/// Two requests, a variable, and whether the first and the second one write it.
type VariableConflict<'v> = (u32, u32, &'v str, bool, bool);

/// For each two requests, each variable and each kind of conflict, the first.
fn edges(seen: &[SeenAccess<'_>]) -> Vec<OrderEdge> {
    let mut first: BTreeMap<VariableConflict<'_>, (usize, usize)> = BTreeMap::new();
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
    let edge = |(&(from, to, var, _, _), &(earlier, later)): (&VariableConflict<'_>, &(usize, usize))| OrderEdge {
        from,
        to,
        var: var.to_owned(),
        first: seen[earlier].side(earlier),
        second: seen[later].side(later),
        course: None,
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
        let Self { from, to, var, first, second, .. } = self;
        match (first.writes, second.writes) {
            (false, _) => format!("#{from} read {var} = {} and #{to} set it to {} afterwards", first.value, second.value),
            (true, true) => format!("#{to} set {var} to {} after #{from} had set it to {}", second.value, first.value),
            (true, false) => format!("#{to} read {var} = {} after #{from} had set it to {}", second.value, first.value),
        }
    }
}
