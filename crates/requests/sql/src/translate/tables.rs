//! Locks of tables: `LOCK TABLE`, and those that statements take of the tables that they name, which matter where some
//! script has LOCK TABLE.
//!
//! For each mode that keeps another out there is a count of those who hold it; of a mode that keeps out itself there is
//! one at most. The others are counted up to a bound, or, for proofs that hold for any
//! number, not at all: then LOCK TABLE does not wait for them, and there are more runs.
//!
//! READ COMMITTED: a statement waits before it takes its snapshot, and the lock is held to the end of the transaction.
//!
//! REPEATABLE READ: LOCK TABLE before the first statement takes no snapshot, and waits as at READ COMMITTED. The
//! statements of others have their snapshot before they wait, and all but the first can be issued right before the
//! commit: so an attempt ends only while no one else holds, in a mode that keeps it out, a table that it names. What
//! its first statement names it holds from the snapshot on, if it need not wait there. LOCK TABLE behind a statement
//! that has taken a snapshot is not modelled.

use serval_syntax::{ArithmeticOp, CompareOp, Expr};

use super::answers::LOCK_NOT_AVAILABLE;
use super::build::{add, all, any, arithmetic, assume, compare, global, known, local, not, number, set, store, wait_while};
use super::emit::{Emitted, Emitter};
use super::state::TableLock;
use crate::workload::{Insert, LockTables, Scalar, Select, StatementKind, TableId, TableMode};

/// What a transaction has to do with locks of tables: held (0), named (1), named by its first statement (2).
const HELD: usize = 0;
const NAMED: usize = 1;
const FIRST: usize = 2;

impl<'w> Emitter<'_, 'w> {
    /// Whether the transaction has to do with a lock of a table in one of three ways.
    fn table_flag(&mut self, lock: TableLock, way: usize) -> Expr {
        match self.tables[way].get(&lock).copied() {
            None => number(0),
            Some(Some(value)) => number(value),
            Some(None) => local(self.table_local(lock, way)),
        }
    }

    fn set_table_flag(&mut self, lock: TableLock, way: usize) {
        let variable = self.table_local(lock, way);
        self.push(set(variable, number(1)));
        self.tables[way].insert(lock, Some(1));
    }

    /// Whether another holds a table in a mode that keeps this one out.
    fn is_kept_out(&mut self, (table, mode): TableLock) -> Expr {
        let counts: Vec<_> = self.model.table_counts.iter().map(|(lock, count)| (*lock, *count)).collect();
        let mut ways = Vec::new();
        for (lock, count) in counts.into_iter().filter(|((of, other), _)| *of == table && other.excludes(mode)) {
            let own = self.table_flag(lock, HELD);
            ways.push(compare(CompareOp::Greater, global(count), own));
        }
        any(ways)
    }

    fn take_table(&mut self, lock: TableLock) -> Emitted<()> {
        let Some(count) = self.model.table_counts.get(&lock).copied() else { return Ok(()) };
        let most = i64::from(self.model.workload.settings.shared);
        let own = self.table_flag(lock, HELD);
        self.when(not(own), |this| {
            if !lock.1.excludes(lock.1) {
                this.push_some(assume(compare(CompareOp::Less, global(count), number(most))));
            }
            this.push(store(count, add(global(count), number(1))));
            this.set_table_flag(lock, HELD);
            Ok(())
        })
    }

    fn await_table(&mut self, lock: TableLock) {
        let kept_out = self.is_kept_out(lock);
        if known(&kept_out) != Some(0) {
            self.push(wait_while(kept_out));
        }
    }

    /// `LOCK TABLE`
    pub(super) fn lock_tables(&mut self, lock: &LockTables) -> Emitted<()> {
        for &table in &lock.tables {
            let one = (table, lock.mode);
            if lock.nowait {
                let kept_out = self.is_kept_out(one);
                self.when(kept_out, |this| this.fail(LOCK_NOT_AVAILABLE))?;
            } else {
                self.await_table(one);
            }
            self.take_table(one)?;
        }
        Ok(())
    }

    /// What a statement does about the tables that it names, before it is performed.
    pub(super) fn name_tables(&mut self, kind: &'w StatementKind) -> Emitted<()> {
        if self.model.table_counts.is_empty() {
            return Ok(());
        }
        let mut named = Vec::new();
        named_by(kind, &mut named);
        let matters = |lock: &TableLock| self.model.table_counts.keys().any(|(table, mode)| *table == lock.0 && mode.excludes(lock.1));
        named.retain(matters);
        named.sort_unstable();
        named.dedup();
        for lock in named {
            if self.is_committed() {
                self.await_table(lock);
                // A SELECT by itself is over in the step in which it begins.
                if self.state.open || !matches!(kind, StatementKind::Select(select) if select.lock.is_none()) {
                    self.take_table(lock)?;
                }
            } else {
                self.set_table_flag(lock, NAMED);
                if self.state.statements == 0 {
                    self.set_table_flag(lock, FIRST);
                }
            }
        }
        Ok(())
    }

    /// REPEATABLE READ: whether the attempt has to wait for a table.
    pub(super) fn awaits_table(&mut self) -> Expr {
        let named: Vec<TableLock> = self.tables[NAMED].keys().copied().collect();
        let waits = |lock| all(vec![self.table_flag(lock, NAMED), self.is_kept_out(lock)]);
        any(named.into_iter().map(waits).collect())
    }

    /// REPEATABLE READ: what the first statement names is held from the first step on.
    pub(super) fn hold_first_tables(&mut self) -> Emitted<()> {
        for lock in self.tables[FIRST].keys().copied().collect::<Vec<_>>() {
            let (is_first, kept_out) = (self.table_flag(lock, FIRST), self.is_kept_out(lock));
            self.when(all(vec![is_first, not(kept_out)]), |this| this.take_table(lock))?;
        }
        Ok(())
    }

    /// Gives back the tables that the transaction holds.
    pub(super) fn release_tables(&mut self) -> Emitted<()> {
        for lock in self.tables[HELD].keys().copied().collect::<Vec<_>>() {
            let Some(count) = self.model.table_counts.get(&lock).copied() else { continue };
            let own = self.table_flag(lock, HELD);
            self.when(own, |this| {
                this.push(store(count, arithmetic(ArithmeticOp::Subtract, global(count), number(1))));
                Ok(())
            })?;
        }
        for way in [HELD, NAMED, FIRST] {
            for lock in std::mem::take(&mut self.tables[way]).into_keys() {
                let variable = self.table_local(lock, way);
                self.push(set(variable, number(0)));
            }
        }
        Ok(())
    }
}

/// The tables that a statement names, and how it locks them.
fn named_by(kind: &StatementKind, named: &mut Vec<TableLock>) {
    let mut written = |table: TableId, scalars: &mut dyn Iterator<Item = &Scalar>| {
        named.push((table, TableMode::RowExclusive));
        scalars.for_each(|scalar| within(scalar, named));
    };
    match kind {
        StatementKind::Select(select) => of_select(select, named),
        StatementKind::Update(update) => {
            let returned = update.returning.iter().map(|(_, scalar)| scalar);
            written(update.table, &mut update.set.iter().map(|(_, scalar)| scalar).chain(&update.filter).chain(returned));
        }
        StatementKind::Delete(delete) => {
            written(delete.table, &mut delete.filter.iter().chain(delete.returning.iter().map(|(_, one)| one)))
        }
        StatementKind::Insert(Insert { table, rows, returning, .. }) => {
            written(*table, &mut rows.iter().flatten().chain(returning.iter().map(|(_, scalar)| scalar)));
        }
        StatementKind::Advisory(_) | StatementKind::Level(_) | StatementKind::Lock(_) => {}
    }
}

fn of_select(select: &Select, named: &mut Vec<TableLock>) {
    let mode = if select.lock.is_some() { TableMode::RowShare } else { TableMode::AccessShare };
    named.extend(select.table.map(|table| (table, mode)));
    select.list.iter().map(|(_, scalar)| scalar).chain(&select.filter).for_each(|scalar| within(scalar, named));
}

fn within(scalar: &Scalar, named: &mut Vec<TableLock>) {
    let mut inner = Vec::new();
    scalar.visit(&mut |part| {
        if let Scalar::SubSelect(select) | Scalar::Exists(select) = part {
            inner.push(select);
        }
    });
    inner.into_iter().for_each(|select| of_select(select, named));
}
