//! Runs at REPEATABLE READ that a server performs only where a process stands still, because a row is locked with the
//! snapshot.
//!
//! Who begins with a lock of a row takes it right after the snapshot, and holds it to the end; in the program that is a
//! guard, which keeps others from changing the row, and not from locking it. So there a second attempt can lock the row
//! and end first. On a server it ends later, if it came later and nothing came between snapshot and lock. Most such
//! runs have the same answers in an order that a server has: where no other commits between the two snapshots the
//! second attempt may as well come first, and where no other takes a snapshot between the two ends the first may as
//! well end first. What is left is no counterexample that can be performed.

use std::collections::BTreeMap;

use serval_report::{Counterexample, TraceEvent};
use serval_sql::{Item, ItemKind, Role, StatementKind};

use super::Workload;

/// What is said where all that was found is such a run.
pub(super) const WHY: &str = "a row is locked by the first statement of one script, and the run that was found has another lock it and end \
    before, which a server does only where a process stands still between its snapshot and its lock";

/// From when to when a request keeps a row from being changed: places in the run.
struct Guarded {
    id: u32,
    from: usize,
    to: usize,
}

impl Workload {
    /// Whether a run needs that who locked a row with the first statement is overtaken by another that locks it.
    pub(super) fn is_overtaken(&self, run: &Counterexample) -> bool {
        let begins_with_lock = |id: u32| {
            let request = run.requests.iter().find(|answered| answered.id == id);
            let origin = request.and_then(|answered| self.translation.origins.iter().find(|origin| origin.request == answered.request));
            origin.and_then(|origin| self.data.scripts.get(origin.script)).is_some_and(|script| locks_first(&script.body, &mut true))
        };
        let others = |from: usize, to: usize, one: &Guarded, other: &Guarded, is: &dyn Fn(&TraceEvent) -> bool| {
            (from + 1..to)
                .any(|at| matches!(&run.steps[at], event @ TraceEvent::Step { id, .. } if *id != one.id && *id != other.id && is(event)))
        };
        guarded(run).values().any(|all| {
            all.iter().filter(|first| begins_with_lock(first.id)).any(|first| {
                all.iter().filter(|second| first.from < second.from && second.to < first.to).any(|second| {
                    let commits = |event: &TraceEvent| self.accesses(event, "write");
                    let looks = |event: &TraceEvent| self.accesses(event, "read");
                    others(first.from, second.from, first, second, &commits) && others(second.to, first.to, first, second, &looks)
                })
            })
        })
    }

    /// Whether a step reads or writes a row.
    fn accesses(&self, event: &TraceEvent, op: &str) -> bool {
        let TraceEvent::Step { accesses: Some(accesses), .. } = event else { return false };
        let is_row = |variable: &str| matches!(self.role(variable), Role::Cell { .. } | Role::There { .. });
        accesses.iter().any(|access| access.op == op && is_row(&access.var))
    }
}

/// Who guards which row, by the counts of guards.
fn guarded(run: &Counterexample) -> BTreeMap<&str, Vec<Guarded>> {
    let mut all: BTreeMap<&str, Vec<Guarded>> = BTreeMap::new();
    let mut open: BTreeMap<(&str, u32), usize> = BTreeMap::new();
    for (at, event) in run.steps.iter().enumerate() {
        let TraceEvent::Step { id, accesses: Some(accesses), .. } = event else { continue };
        for access in accesses.iter().filter(|access| access.op == "write") {
            let Some(row) = access.var.strip_suffix(" guards") else { continue };
            match open.remove(&(row, *id)) {
                Some(from) => all.entry(row).or_default().push(Guarded { id: *id, from, to: at }),
                None => drop(open.insert((row, *id), at)),
            }
        }
    }
    all
}

/// Whether some transaction can begin with a statement that locks rows; `fresh` says whether none has been made yet.
fn locks_first(items: &[Item], fresh: &mut bool) -> bool {
    let mut found = false;
    for item in items {
        match &item.kind {
            ItemKind::Begin(_) | ItemKind::Commit | ItemKind::Rollback => *fresh = true,
            ItemKind::Set { .. } => {}
            ItemKind::If { arms, otherwise } => {
                let before = *fresh;
                let bodies = arms.iter().map(|(_, body)| body).chain([otherwise]);
                let ends: Vec<(bool, bool)> = bodies
                    .map(|body| {
                        let mut within = before;
                        (locks_first(body, &mut within), within)
                    })
                    .collect();
                found |= ends.iter().any(|(locks, _)| *locks);
                *fresh = ends.iter().any(|(_, fresh)| *fresh);
            }
            ItemKind::Statement(statement) => match &statement.kind {
                // These take no snapshot.
                StatementKind::Lock(_) | StatementKind::Level(_) => {}
                StatementKind::Select(select) => found |= std::mem::replace(fresh, false) && select.lock.is_some(),
                StatementKind::Advisory(_) => *fresh = false,
                StatementKind::Update(_) | StatementKind::Delete(_) | StatementKind::Insert(_) => found |= std::mem::replace(fresh, false),
            },
        }
    }
    found
}
