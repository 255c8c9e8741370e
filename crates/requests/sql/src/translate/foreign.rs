//! Foreign keys, NO ACTION and RESTRICT: looked at when a statement ends.
//!
//! - INSERT of a child, or UPDATE that changes its reference, looks for the parent and locks it FOR KEY SHARE. READ
//!   COMMITTED: it waits for who deletes the parent or holds it FOR UPDATE; gone after the wait, or absent: 23503.
//!   REPEATABLE READ: a parent that the snapshot does not have is 23503; one that is deleted by another before the
//!   attempt ends is 40001, and so the row is guarded against deletion.
//! - DELETE of a parent waits for who holds it FOR KEY SHARE, and looks for children in the present, at either level.
//!   READ COMMITTED: before each child it waits for who deletes that or holds it FOR UPDATE. REPEATABLE READ: whether
//!   there is a child is guessed, and the guess is tested at the end, of the children of which the transaction had no
//!   version of its own. The statement can be issued as late as the commit: no child can come while the parent is held,
//!   and one that is there before is there for the guess.
//! - An UPDATE that leaves the reference as it is does not look.

use serval_syntax::{CompareOp, Expr};

use super::answers::FOREIGN_KEY_VIOLATION;
use super::build::{all, any, assume, compare, equal, global, known, local, not, number, set, wait_while};
use super::emit::{CHANGED, Emitted, Emitter, FREE};
use super::model::{Cell, RowId};
use super::rows::Visit;
use super::state::{Childless, Ending, Referring};
use super::switch::Rule;
use crate::workload::{ColumnId, ForeignKey, Strength, TableId, Wait};

/// FOR KEY SHARE among the two shared locks.
pub(super) const KEY: usize = 1;

impl<'w> Emitter<'_, 'w> {
    /// Begins a statement that can change references of these rows: all of them, or those with these columns.
    pub(super) fn expect_references(&mut self, table: TableId, rows: &[RowId], columns: Option<&[ColumnId]>) {
        self.referring.clear();
        let foreign = &self.model.workload.table(table).foreign;
        let concerned = |key: &ForeignKey| columns.is_none_or(|columns| key.columns.iter().any(|column| columns.contains(column)));
        for &row in rows {
            for (key, _) in foreign.iter().enumerate().filter(|(_, key)| concerned(key)) {
                let changed = self.temporary();
                self.push(set(changed, number(0)));
                self.referring.push(Referring { row, key, changed });
            }
        }
    }

    /// A row gets these values, or is inserted.
    pub(super) fn note_reference(&mut self, row: RowId, values: Option<&[(ColumnId, Expr)]>) {
        let foreign = &self.model.workload.tables[row.table].foreign;
        for one in self.referring.clone().into_iter().filter(|one| one.row == row) {
            let changed = values.map_or_else(
                || number(1),
                |values| {
                    let new = values.iter().filter(|(column, _)| foreign[one.key].columns.contains(column));
                    any(new.map(|(column, value)| compare(CompareOp::NotEqual, self.cell(row, *column), value.clone())).collect())
                },
            );
            self.push(set(one.changed, changed));
        }
    }

    /// The statement ends: what it made refer to something refers to a parent.
    pub(super) fn test_parents(&mut self) -> Emitted<()> {
        for Referring { row, key, changed } in std::mem::take(&mut self.referring) {
            let key = &self.model.workload.tables[row.table].foreign[key];
            self.when(equal(local(changed), 1), |this| {
                let some = key.columns.iter().map(|&column| not(this.column_value(row, column).null)).collect();
                this.when(all(some), |this| this.test_parent(row, key))
            })?;
        }
        Ok(())
    }

    fn test_parent(&mut self, row: RowId, key: &'w ForeignKey) -> Emitted<()> {
        let locks = self.model.usage.key_shared.contains(&key.parent);
        let mut found = Vec::new();
        for parent in self.rows_of(key.parent) {
            let same = self.refers(row, parent, key);
            if !locks {
                found.push(all(vec![self.there(parent), same]));
                continue;
            }
            let holder = self.temporary();
            self.push(set(holder, number(0)));
            self.when(same, |this| this.lock_parent(key.parent, parent, holder))?;
            found.push(equal(local(holder), 1));
        }
        self.when(not(any(found)), |this| this.fail(FOREIGN_KEY_VIOLATION))
    }

    fn lock_parent(&mut self, table: TableId, parent: RowId, holder: serval_syntax::LocalVar) -> Emitted<()> {
        if !self.is_committed() {
            let there = self.there(parent);
            return self.when(there, |this| {
                this.push(set(holder, number(1)));
                this.set_shared(parent, KEY);
                Ok(())
            });
        }
        let (filter, limit, wait, strength) = (None, None, Wait::Wait, Strength::KeyShare);
        let visit = Visit { table, filter, candidates: vec![parent], ordered: true, limit, wait, strength, changes: false, by_key: true };
        self.visit_by_key(&visit, parent, &mut |this, _| {
            this.push(set(holder, number(1)));
            Ok(())
        })
    }

    /// Whether a row refers to this one, as the transaction sees both.
    fn refers(&mut self, row: RowId, parent: RowId, key: &ForeignKey) -> Expr {
        let pairs = key.columns.iter().zip(&key.referred);
        let same = |(&child, &referred)| {
            let (child, parent) = (self.cell(row, child), self.cell(parent, referred));
            compare(CompareOp::Equal, child, parent)
        };
        all(pairs.map(same).collect())
    }

    /// The same of what is committed.
    fn refers_committed(&self, row: RowId, parent: RowId, key: &ForeignKey) -> Expr {
        let committed = |row: RowId, column: ColumnId| match self.model.row(row).cells[column.0] {
            Cell::Fixed(value) => number(value),
            Cell::None => number(0),
            Cell::Global(variable) => global(variable),
        };
        let pairs = key.columns.iter().zip(&key.referred);
        let same =
            |(&child, &referred): (&ColumnId, &ColumnId)| compare(CompareOp::Equal, committed(row, child), committed(parent, referred));
        all([self.committed_there(row)].into_iter().chain(pairs.map(same)).collect())
    }

    /// The foreign keys that refer to a table.
    pub(super) fn references_to(&self, table: TableId) -> Vec<(TableId, usize)> {
        let tables = self.model.workload.tables.iter().enumerate();
        let keys = tables.flat_map(|(child, of)| of.foreign.iter().enumerate().map(move |(key, of)| (TableId(child), key, of.parent)));
        keys.filter(|(_, _, parent)| *parent == table).map(|(child, key, _)| (child, key)).collect()
    }

    /// Begins a DELETE of parents: for each of these rows a local that says whether it was deleted.
    pub(super) fn expect_deletions(&mut self, table: TableId, rows: &[RowId]) -> Vec<(RowId, serval_syntax::LocalVar)> {
        if self.references_to(table).is_empty() || !self.model.has(Rule::Children) {
            return Vec::new();
        }
        let mut gone = Vec::new();
        for &row in rows {
            let deleted = self.temporary();
            self.push(set(deleted, number(0)));
            gone.push((row, deleted));
        }
        gone
    }

    /// The statement ends: no row refers to what it has deleted.
    pub(super) fn test_children(&mut self, gone: &[(RowId, serval_syntax::LocalVar)]) -> Emitted<()> {
        for &(parent, deleted) in gone {
            for (child, key) in self.references_to(TableId(parent.table)) {
                let foreign = &self.model.workload.table(child).foreign[key];
                self.when(equal(local(deleted), 1), |this| {
                    if this.is_committed() {
                        return this.rows_of(child).into_iter().try_for_each(|row| this.test_child(row, parent, foreign));
                    }
                    let mut own_child = Vec::new();
                    for row in this.rows_of(child) {
                        let own = compare(CompareOp::GreaterOrEqual, this.flag(row), number(CHANGED));
                        own_child.push(all(vec![own, this.there(row), this.refers(row, parent, foreign)]));
                    }
                    this.when(any(own_child), |this| this.fail(FOREIGN_KEY_VIOLATION))
                })?;
                if !self.is_committed() {
                    self.guess_childless(parent, deleted, child, key)?;
                }
            }
        }
        Ok(())
    }

    /// READ COMMITTED: a row that refers to what was deleted.
    fn test_child(&mut self, row: RowId, parent: RowId, key: &ForeignKey) -> Emitted<()> {
        let refers = self.refers(row, parent, key);
        let held = self.held_against(row, Strength::KeyShare);
        let blocked = all(vec![self.committed_there(row), refers.clone(), held]);
        if known(&blocked) != Some(0) {
            self.push(wait_while(blocked));
        }
        let found = all(vec![self.there(row), refers]);
        self.when(found, |this| this.fail(FOREIGN_KEY_VIOLATION))
    }

    /// REPEATABLE READ: whether there is a child is guessed here.
    fn guess_childless(&mut self, parent: RowId, deleted: serval_syntax::LocalVar, child: TableId, key: usize) -> Emitted<()> {
        let mut own = Vec::new();
        for row in self.rows_of(child) {
            let mut is_own = compare(CompareOp::GreaterOrEqual, self.flag(row), number(CHANGED));
            if known(&is_own).is_none() {
                let holder = self.temporary();
                self.push(set(holder, is_own));
                is_own = equal(local(holder), 1);
            }
            own.push(is_own);
        }
        let guess = self.free_choice();
        self.childless.push(Childless { parent, deleted, child, key, own });
        self.when(all(vec![equal(local(deleted), 1), guess]), |this| {
            if let Some(before) = this.told_before {
                this.push(set(this.answer, local(before)));
            }
            this.end_snapshot(Ending::Child, Some(FOREIGN_KEY_VIOLATION))
        })
    }

    /// Tests the guesses in the second step: the last one is that there is a child, if the attempt ends so.
    pub(super) fn test_guesses(&mut self, ending: Ending) {
        let count = self.childless.len();
        for (number_of, one) in self.childless.clone().into_iter().enumerate() {
            let Childless { parent, deleted, child, key, own } = one;
            let key = &self.model.workload.table(child).foreign[key];
            let is_guessed = ending == Ending::Child && number_of + 1 == count;
            let mut found = Vec::new();
            for (row, own) in self.rows_of(child).into_iter().zip(own) {
                let mut parts = vec![not(own), self.refers_committed(row, parent, key)];
                if is_guessed {
                    let known = self.model.row(row);
                    parts.extend([known.first, known.turns].into_iter().flatten().map(|held| equal(global(held), 0)));
                }
                found.push(all(parts));
            }
            let found = any(found);
            let right = if is_guessed { found } else { any(vec![not(equal(local(deleted), 1)), not(found)]) };
            self.push_some(assume(right));
        }
    }

    /// Whether the attempt has deleted a parent, so that its end tests something.
    pub(super) fn has_guessed(&self) -> Expr {
        any(self.childless.iter().map(|one| equal(local(one.deleted), 1)).collect())
    }

    /// REPEATABLE READ: whether the attempt locks a row FOR KEY SHARE and in no stronger way.
    pub(super) fn is_keyed(&mut self, row: RowId) -> Expr {
        let (keyed, free) = (self.is_shared(row, KEY), self.is_flag(row, FREE));
        all(vec![keyed, free])
    }

    /// Whether the attempt has deleted a row that was there.
    pub(super) fn is_deleted(&mut self, row: RowId) -> Expr {
        if !self.changes.deleted.contains(&TableId(row.table)) {
            return number(0);
        }
        let there = self.there(row);
        all(vec![self.is_flag(row, CHANGED), not(there)])
    }
}
