//! READ COMMITTED: each statement sees what is committed when it begins, and locks the rows that it changes.
//!
//! - UPDATE, DELETE, FOR UPDATE of one row by its key: row absent: 0 rows, no wait; else wait until it is free; WHERE
//!   on the newest version.
//! - The same by a predicate: one step chooses rows by WHERE; then before each row a `yield`, also if it is free; wait,
//!   take it, WHERE again on the newest version of that row alone; a row that fails stays held, one that is gone is
//!   passed over.
//! - INSERT: wait while another *changes* the row; present: 23505.
//! - … DO NOTHING: the same wait; present: 0 rows, nothing held.
//! - … DO UPDATE: the same wait, then that for the lock; update of the newest version; its WHERE false: the row is held
//!   all the same.
//! - FOR SHARE, FOR KEY SHARE: as FOR UPDATE, with locks that several hold (`shared`).
//! - NOWAIT, SKIP LOCKED: instead of waiting: 55P03; leave the row out.
//! - COMMIT: own versions become committed, locks are released, in one step; where others run above READ COMMITTED,
//!   only if none of them has reserved or guards a row that is changed.
//! - ROLLBACK, an error: own versions are dropped, locks are released, in one step.
//!
//! Why the `yield` before each row: a statement is not atomic on a real server. Its snapshot is older than its locks,
//! and what holds a row meanwhile may be an attempt that fails later, which is not in the model. For one row that is
//! found by its key the gap makes no difference, because WHERE is asked again of the newest version, with one
//! exception: a row that is deleted and inserted again is not the row that was chosen. Rows of tables with both carry
//! slots for statements that have chosen and not yet locked: 0 free, 1 chosen, 2 chosen and replaced since. At most as
//! many as there are slots are followed; where none is free there is no step.

use serval_diagnostic::Diagnostic;
use serval_syntax::{CompareOp, Expr, GlobalVar, LocalVar};

use super::answers::{LOCK_NOT_AVAILABLE, UNIQUE_VIOLATION};
use super::build::{add, all, any, assume, compare, either, equal, global, known, local, not, number, pause, set, store, wait_while};
use super::emit::{CHANGED, Emitted, Emitter, FREE, HELD, NEW, RowAction};
use super::model::RowId;
use super::rows::{NewRow, Visit};
use super::switch::Rule;
use crate::codes;
use crate::workload::{Conflict, Strength, Wait};

/// Beyond this many rows a statement visits them in the order of their key.
const MOST_ORDERED: usize = 3;

impl<'m, 'w> Emitter<'m, 'w> {
    fn lock_of(&self, row: RowId) -> Option<GlobalVar> {
        self.model.row(row).lock
    }

    /// Whether an attempt above READ COMMITTED has touched a row with its first statement, and so holds it.
    pub(super) fn is_begun_with(&self, row: RowId) -> Expr {
        self.model.row(row).began.map_or_else(|| number(0), |began| not(equal(global(began), 0)))
    }

    /// Takes the lock of a row that no other holds. What is done with the row says itself when the transaction has a
    /// version of its own: until then the row is read as it is committed.
    fn take(&mut self, row: RowId, flag: i64, strength: Strength) -> Emitted<()> {
        if strength <= Strength::Share {
            return self.take_shared(row, strength);
        }
        if strength == Strength::Update
            && let Some(sealed) = self.model.row(row).sealed
        {
            self.push(store(sealed, number(1)));
        }
        let Some(lock) = self.lock_of(row) else { return self.mark(row, HELD) };
        let level = if self.model.tables[row.table].inserted && flag >= CHANGED { 2 } else { 1 };
        let before = self.flag(row);
        let enough = if level == 2 { CHANGED } else { HELD };
        self.when(compare(CompareOp::Less, before, number(enough)), |this| {
            this.push(store(lock, number(level)));
            Ok(())
        })?;
        self.mark(row, HELD)
    }

    /// Visits rows and does something with those that pass.
    pub(super) fn visit_committed(&mut self, visit: &Visit<'_>, action: RowAction<'_, 'm, 'w>) -> Emitted<()> {
        let count = self.count;
        self.push(set(count, number(0)));
        if visit.by_key {
            for &row in &visit.candidates {
                let named = self.names_key(visit, row)?;
                self.when(named, |this| this.visit_named(visit, row, action))?;
            }
            return Ok(());
        }
        // One step chooses the rows.
        let mut chosen: Vec<(RowId, LocalVar, Option<LocalVar>)> = Vec::new();
        for &row in &visit.candidates {
            let passes = self.passes(visit.filter, row, None)?;
            let found = all(vec![self.there(row), passes]);
            let matches = self.temporary();
            self.push(set(matches, found));
            let token = self.choose(row, equal(local(matches), 1))?;
            chosen.push((row, matches, token));
        }
        if visit.ordered || chosen.len() <= 1 {
            return chosen.iter().try_for_each(|one| self.visit_chosen(visit, one, action));
        }
        if chosen.len() > MOST_ORDERED {
            let message = "this statement visits its rows in the order of their key: other orders are not considered";
            self.model.notes.push(Diagnostic::note(codes::BOUNDED, self.span, message));
            return chosen.iter().try_for_each(|one| self.visit_chosen(visit, one, action));
        }
        let orders = permutations(&chosen);
        self.one_of(&orders, visit, action)
    }

    /// Visits in one of these orders, whichever the run chooses.
    fn one_of(
        &mut self,
        orders: &[Vec<(RowId, LocalVar, Option<LocalVar>)>],
        visit: &Visit<'_>,
        action: RowAction<'_, 'm, 'w>,
    ) -> Emitted<()> {
        if let [only] = orders {
            return only.iter().try_for_each(|one| self.visit_chosen(visit, one, action));
        }
        let (some, others) = orders.split_at(orders.len() / 2);
        let pick = self.free_choice();
        // Both branches need the action, one after the other.
        let action = std::cell::RefCell::new(action);
        self.branch(pick, |this| this.one_of(some, visit, *action.borrow_mut()), |this| this.one_of(others, visit, *action.borrow_mut()))
    }

    /// Takes a slot for a row that is chosen, where rows can be replaced: a local with its number, 0 for none.
    fn choose(&mut self, row: RowId, condition: Expr) -> Emitted<Option<LocalVar>> {
        let slots = self.model.row(row).chosen.clone();
        if slots.is_empty() {
            return Ok(None);
        }
        let token = self.temporary();
        self.push(set(token, number(0)));
        let free = self.is_flag(row, FREE);
        self.when(all(vec![free, condition]), |this| this.take_slot(&slots, token, 1))?;
        Ok(Some(token))
    }

    fn take_slot(&mut self, slots: &[GlobalVar], token: LocalVar, index: i64) -> Emitted<()> {
        let Some((&slot, rest)) = slots.split_first() else {
            self.push_some(assume(number(0)));
            return Ok(());
        };
        self.branch(
            equal(global(slot), 0),
            |this| {
                this.push(store(slot, number(1)));
                this.push(set(token, number(index)));
                Ok(())
            },
            |this| this.take_slot(rest, token, index + 1),
        )
    }

    /// Whether the row that was chosen has been replaced since.
    fn is_replaced(&mut self, row: RowId, token: Option<LocalVar>) -> Expr {
        let Some(token) = token else { return number(0) };
        let slots = self.model.row(row).chosen.clone();
        let stale = slots.iter().zip(1..).map(|(&slot, index)| all(vec![equal(local(token), index), equal(global(slot), 2)])).collect();
        any(stale)
    }

    fn give_back(&mut self, row: RowId, token: Option<LocalVar>) -> Emitted<()> {
        let Some(token) = token else { return Ok(()) };
        for (slot, index) in self.model.row(row).chosen.clone().into_iter().zip(1..) {
            self.when(equal(local(token), index), |this| {
                this.push(store(slot, number(0)));
                Ok(())
            })?;
        }
        self.push(set(token, number(0)));
        Ok(())
    }

    /// Waits for a row, or does what is said instead. Gives whether it may be visited.
    fn await_row(&mut self, visit: &Visit<'_>, row: RowId, token: Option<LocalVar>) -> Emitted<Expr> {
        let held = self.held_against(row, visit.strength);
        let replaced = self.is_replaced(row, token);
        let blocked = all(vec![self.committed_there(row), not(replaced), held.clone()]);
        match visit.wait {
            Wait::Wait => {
                if known(&blocked) != Some(0) {
                    self.push(wait_while(blocked));
                }
                Ok(number(1))
            }
            Wait::NoWait => {
                self.when(blocked, |this| this.fail(LOCK_NOT_AVAILABLE))?;
                Ok(number(1))
            }
            Wait::SkipLocked => Ok(not(held)),
        }
    }

    /// The row that WHERE names by its key.
    fn visit_named(&mut self, visit: &Visit<'_>, row: RowId, action: RowAction<'_, 'm, 'w>) -> Emitted<()> {
        self.visit_by_key(visit, row, &mut |this, row| {
            let count = this.count;
            this.push(set(count, add(local(count), number(1))));
            action(this, row)
        })
    }

    /// The same, which counts no rows.
    pub(super) fn visit_by_key(&mut self, visit: &Visit<'_>, row: RowId, action: RowAction<'_, 'm, 'w>) -> Emitted<()> {
        let there = self.committed_there(row);
        let token = self.choose(row, there)?;
        if token.is_some() {
            let free = self.is_flag(row, FREE);
            self.when(free, |this| {
                this.push(pause());
                Ok(())
            })?;
        }
        let may = self.await_row(visit, row, token)?;
        let replaced = self.is_replaced(row, token);
        let passes = self.passes(visit.filter, row, None)?;
        let there = self.there(row);
        let untaken = self.untaken(row, token);
        let mut found = all(vec![may, not(replaced), not(untaken), there, passes]);
        if token.is_some() {
            let holder = self.temporary();
            self.push(set(holder, found));
            self.give_back(row, token)?;
            found = equal(local(holder), 1);
        }
        self.when(found, |this| {
            this.take(row, if visit.changes { CHANGED } else { HELD }, visit.strength)?;
            action(this, row)
        })
    }

    /// Whether a row that was not there when the statement chose has come since.
    fn untaken(&mut self, row: RowId, token: Option<LocalVar>) -> Expr {
        let Some(token) = token else { return number(0) };
        all(vec![self.is_flag(row, FREE), equal(local(token), 0)])
    }

    /// A row that the statement has chosen.
    fn visit_chosen(&mut self, visit: &Visit<'_>, one: &(RowId, LocalVar, Option<LocalVar>), action: RowAction<'_, 'm, 'w>) -> Emitted<()> {
        let &(row, matches, token) = one;
        let within = visit.limit.map_or_else(|| number(1), |limit| compare(CompareOp::Less, local(self.count), number(i64::from(limit))));
        self.when(all(vec![equal(local(matches), 1), within]), |this| {
            let free = this.is_flag(row, FREE);
            let gap = if this.model.has(Rule::Gaps) { free } else { number(0) };
            this.when(gap, |this| {
                this.push(pause());
                Ok(())
            })?;
            let may = this.await_row(visit, row, token)?;
            let replaced = this.is_replaced(row, token);
            let mut visited = all(vec![may, not(replaced), this.there(row)]);
            if token.is_some() {
                let holder = this.temporary();
                this.push(set(holder, visited));
                visited = equal(local(holder), 1);
            }
            this.give_back(row, token)?;
            this.when(visited, |this| {
                let stays = this.model.has(Rule::StaysHeld);
                if stays {
                    this.take(row, HELD, visit.strength)?;
                }
                let passes = this.passes(visit.filter, row, None)?;
                this.when(passes, |this| {
                    if !stays {
                        this.take(row, HELD, visit.strength)?;
                    }
                    if visit.changes {
                        this.take(row, CHANGED, visit.strength)?;
                    }
                    let count = this.count;
                    this.push(set(count, add(local(count), number(1))));
                    action(this, row)
                })
            })?;
            this.push(set(matches, number(0)));
            Ok(())
        })?;
        // Rows behind the limit give back what they took.
        if visit.limit.is_some() && token.is_some() {
            self.give_back(row, token)?;
        }
        Ok(())
    }

    /// A row is inserted.
    pub(super) fn insert_committed(&mut self, row: RowId, new: &NewRow<'_>, told: RowAction<'_, 'm, 'w>) -> Emitted<()> {
        if let Some(lock) = self.lock_of(row).filter(|_| self.model.has(Rule::InsertWaits)) {
            let changed =
                if matches!(new.conflict, Conflict::Update { .. }) { not(equal(global(lock), 0)) } else { equal(global(lock), 2) };
            let free = self.is_flag(row, FREE);
            let mut blocked = all(vec![free, any(vec![changed, self.is_begun_with(row)])]);
            if matches!(new.conflict, Conflict::Update { .. }) {
                let (there, held) = (self.there(row), self.held_against(row, Strength::NoKeyUpdate));
                blocked = any(vec![blocked, all(vec![there, held])]);
            }
            if known(&blocked) != Some(0) {
                self.push(wait_while(blocked));
            }
        }
        let there = self.there(row);
        let told = std::cell::RefCell::new(told);
        self.branch(
            there,
            |this| match new.conflict {
                Conflict::Fail => this.fail(UNIQUE_VIOLATION),
                Conflict::Nothing => Ok(()),
                Conflict::Update { set, filter } => {
                    this.take(row, HELD, Strength::NoKeyUpdate)?;
                    let passes = this.passes(filter.as_ref(), row, Some(new.excluded))?;
                    this.when(passes, |this| {
                        this.take(row, CHANGED, Strength::NoKeyUpdate)?;
                        this.update_row(row, set, Some(new.excluded))?;
                        (*told.borrow_mut())(this, row)
                    })
                }
            },
            |this| {
                this.take(row, NEW, Strength::NoKeyUpdate)?;
                this.insert_row(row, new, Some(NEW))?;
                (*told.borrow_mut())(this, row)
            },
        )
    }

    /// Own versions become committed, and locks are released.
    pub(super) fn commit_committed(&mut self) -> Emitted<()> {
        for row in self.touched.keys().copied().collect::<Vec<_>>() {
            let changed = compare(CompareOp::GreaterOrEqual, self.flag(row), number(CHANGED));
            let new = self.is_flag(row, NEW);
            let slots = self.model.row(row).chosen.clone();
            let there = self.there(row);
            let known = self.model.row(row);
            let is_zero = |variable: Option<GlobalVar>| variable.map_or_else(|| number(1), |variable| equal(global(variable), 0));
            let unwatched = all(vec![is_zero(known.reserved), is_zero(known.guards)]);
            self.push_some(assume(any(vec![not(changed.clone()), unwatched])));
            self.when(changed, |this| {
                this.write(row);
                Ok(())
            })?;
            if !slots.is_empty() {
                self.when(all(vec![new, there]), |this| {
                    for slot in slots {
                        this.push(store(slot, either(equal(global(slot), 1), number(2), global(slot))));
                    }
                    Ok(())
                })?;
            }
        }
        self.release_committed()
    }

    /// Locks are released, and what was done is forgotten.
    pub(super) fn release_committed(&mut self) -> Emitted<()> {
        for row in self.touched.keys().copied().collect::<Vec<_>>() {
            let Some(lock) = self.lock_of(row) else { continue };
            let (free, sealed) = (self.is_flag(row, FREE), self.model.row(row).sealed);
            self.when(not(free), |this| {
                this.push(store(lock, number(0)));
                sealed.into_iter().for_each(|sealed| this.push(store(sealed, number(0))));
                Ok(())
            })?;
        }
        self.release_shared()?;
        self.release_tables()?;
        for (lock, held) in std::mem::take(&mut self.advisory) {
            if held == Some(1) {
                self.push(store(lock, number(0)));
            } else {
                return self.outside("an advisory lock in one branch only");
            }
        }
        self.forget();
        Ok(())
    }

    /// `pg_advisory_xact_lock(key)`
    pub(super) fn advisory_committed(&mut self, key: i64) -> Emitted<()> {
        let lock = self.model.advisory(key, self.span);
        if self.advisory.get(&lock) == Some(&Some(1)) {
            return Ok(());
        }
        self.push(wait_while(equal(global(lock), 1)));
        self.push(store(lock, number(1)));
        self.advisory.insert(lock, Some(1));
        Ok(())
    }
}

/// All orders of a few things.
fn permutations<T: Clone>(things: &[T]) -> Vec<Vec<T>> {
    let mut all: Vec<Vec<T>> = vec![Vec::new()];
    for (index, thing) in things.iter().enumerate() {
        let longer = all.iter().flat_map(|order| {
            (0..=index).map(|at| {
                let mut order = order.clone();
                order.insert(at, thing.clone());
                order
            })
        });
        all = longer.collect();
    }
    all
}
