//! Names of circles of conflicts.
//!
//! The name follows the edges, the first that fits:
//!
//! | circle | name |
//! |---|---|
//! | only `w–w` | dirty write |
//! | a read of what a request wrote that has not finished, and undoes the write or leaves it | dirty read |
//! | the same, and the writer writes the variable again, and not to undo it | intermediate read |
//! | all `r–w` on one variable, by which a reader branches and then writes, but nothing made of it | check-then-act |
//! | one `r–w`, or two on one variable, and both requests read and write it | lost update |
//! | one `r–w`, and its reader took a branch by it and then wrote | check-then-act |
//! | one `r–w` otherwise | read skew |
//! | several `r–w`, all on different variables | write skew |
//! | no `r–w`, and a `w–w` | dirty write |
//! | anything else | none |

use super::{Circles, OrderEdge, SeenAccess};
use crate::trace::TraceEvent;

impl Circles<'_> {
    /// The name of a circle.
    pub(super) fn name(&self, cycle: &[&OrderEdge]) -> Option<&'static str> {
        let kinds = |writes: (bool, bool)| cycle.iter().filter(move |edge| (edge.first.writes, edge.second.writes) == writes);
        if kinds((true, true)).count() == cycle.len() {
            return Some("dirty-write");
        }
        let unfinished = kinds((true, false)).filter(|edge| self.last_step.get(&edge.from).is_some_and(|&last| last > edge.second.step));
        let unfinished = unfinished.map(|edge| (edge.from, edge.var.as_str(), edge.second.position));
        let own = kinds((false, true)).filter(|edge| self.is_dirty(edge));
        let own = own.map(|edge| (edge.to, edge.var.as_str(), edge.first.position));
        let mut dirty: Vec<bool> = unfinished.chain(own).map(|(writer, var, read)| self.is_intermediate(writer, var, read)).collect();
        dirty.sort_unstable();
        if let Some(is_intermediate) = dirty.first() {
            return Some(if *is_intermediate { "intermediate-read" } else { "dirty-read" });
        }
        let back: Vec<&OrderEdge> = kinds((false, true)).copied().collect();
        let of_one = back.first().is_some_and(|first| back.iter().all(|edge| edge.var == first.var));
        let flows = |edge: &&OrderEdge| self.causes.is_some_and(|causes| causes.flows_back(edge.first.step, edge.first.index));
        let checks = back.iter().any(|edge| self.checks(edge));
        if of_one && checks && !back.iter().any(flows) {
            return Some("check-then-act");
        }
        let different = || back.iter().enumerate().all(|(at, edge)| back[..at].iter().all(|known| known.var != edge.var));
        match back.as_slice() {
            [only] if self.updates(only) => Some("lost-update"),
            [one, other] if one.var == other.var && self.updates(one) && self.updates(other) => Some("lost-update"),
            [_] if checks => Some("check-then-act"),
            [_] => Some("read-skew"),
            [_, _, ..] if different() => Some("write-skew"),
            [] if kinds((true, true)).next().is_some() => Some("dirty-write"),
            _ => None,
        }
    }

    /// Whether a read found what the request had written that wrote again afterwards.
    fn is_dirty(&self, edge: &OrderEdge) -> bool {
        let before = self.seen[..edge.first.position].iter().rev();
        let mut writes = before.filter(|seen| seen.writes() && seen.access.var == edge.var);
        writes.next().is_some_and(|seen| seen.id == edge.to)
    }

    /// Whether both requests read and write the variable.
    fn updates(&self, edge: &OrderEdge) -> bool {
        let does =
            |id: u32, writes: bool| self.seen.iter().any(|seen| seen.id == id && seen.access.var == edge.var && seen.writes() == writes);
        [edge.from, edge.to].iter().all(|&id| does(id, true) && does(id, false))
    }

    /// Whether the reader took its branch by what it read, and wrote something after the other one had changed it.
    fn checks(&self, edge: &OrderEdge) -> bool {
        let takes = edge.course.is_some_and(|course| course.branch && course.writes);
        let acts = |event: &TraceEvent| match event {
            TraceEvent::Step { id, accesses, .. } => *id == edge.from && accesses.iter().flatten().any(|access| access.op == "write"),
            _ => false,
        };
        takes && self.steps.iter().skip(edge.second.step).any(acts)
    }

    /// Whether the writer writes the variable again after it was read, to another
    /// value than the one it found: else it undoes what it did, or leaves it.
    fn is_intermediate(&self, writer: u32, var: &str, read: usize) -> bool {
        let writes = |seen: &SeenAccess<'_>| seen.id == writer && seen.writes() && seen.access.var == var;
        let mut own = self.seen.iter().enumerate().filter(|(_, seen)| writes(seen));
        let Some((_, first)) = own.next() else { return false };
        let Some((_, end)) = own.next_back().filter(|(last, _)| *last > read) else { return false };
        let found = match &self.steps[first.step] {
            TraceEvent::Step { from, .. } => (self.known.value)(&from.global, var),
            _ => None,
        };
        found != Some(end.access.value)
    }
}
