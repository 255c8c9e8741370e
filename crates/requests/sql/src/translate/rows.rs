//! Statements over rows: which rows they can be about, and what they do with each, at either level.

use serval_syntax::Expr;

use super::answers::{CHECK_VIOLATION, NOT_NULL_VIOLATION};
use super::build::{add, all, any, assume, compare, equal, global, known, local, not, number, set};
use super::emit::{CHANGED, Emitted, Emitter, FREE};
use super::model::{Identity, RowId, key_place};
use super::state::{Ending, Looking, StoredValue, Value};
use crate::codes;
use crate::workload::{
    ColumnId, Comparison, Conflict, Constant, Delete, Insert, Isolation, Scalar, Select, Strength, TableId, Update, Wait,
};
use serval_syntax::CompareOp;

/// Rows that a statement visits.
pub(super) struct Visit<'s> {
    pub(super) table: TableId,
    pub(super) filter: Option<&'s Scalar>,
    /// The rows that WHERE can let pass, in the order in which they are visited.
    pub(super) candidates: Vec<RowId>,
    /// Whether that order is asked for.
    pub(super) ordered: bool,
    pub(super) limit: Option<u32>,
    pub(super) wait: Wait,
    /// How strongly rows that pass are locked.
    pub(super) strength: Strength,
    /// Whether rows that pass are changed, not only locked.
    pub(super) changes: bool,
    /// Whether WHERE names one row by its key.
    pub(super) by_key: bool,
}

/// A row that is inserted.
pub(super) struct NewRow<'s> {
    pub(super) values: Vec<(ColumnId, Expr)>,
    /// What EXCLUDED has.
    pub(super) excluded: &'s [Value],
    pub(super) conflict: &'s Conflict,
}

impl<'m, 'w> Emitter<'m, 'w> {
    pub(super) fn is_committed(&self) -> bool {
        self.level == Isolation::ReadCommitted
    }

    fn visit(&mut self, table: TableId, filter: Option<&'w Scalar>, strength: Strength, changes: bool) -> Emitted<Visit<'w>> {
        self.refuse_sub_selects(filter)?;
        let mut candidates = Vec::new();
        for row in self.rows_of(table) {
            let passes = self.passes(filter, row, None)?;
            if known(&passes) != Some(0) {
                candidates.push(row);
            }
        }
        let by_key = self.is_by_key(table, filter);
        Ok(Visit { table, filter, candidates, ordered: false, limit: None, wait: Wait::Wait, strength, changes, by_key })
    }

    /// Whether the parts of WHERE that name the key name this row.
    pub(super) fn names_key(&mut self, visit: &Visit<'_>, row: RowId) -> Emitted<Expr> {
        if visit.candidates.len() == 1 {
            return Ok(number(1));
        }
        let identity = self.model.tables[row.table].identity.clone();
        let parts = match visit.filter {
            Some(Scalar::And(parts)) => parts.as_slice(),
            Some(one) => std::slice::from_ref(one),
            None => &[],
        };
        let mut names = Vec::new();
        for part in parts {
            if let Scalar::Compare(Comparison::Equal, left, right) = part {
                let of_key = |side: &Scalar| matches!(side, Scalar::Column(_, column) if key_place(&identity, *column).is_some());
                if of_key(left) || of_key(right) {
                    names.push(self.truth(part, Looking { row: Some(row), excluded: None })?.yes);
                }
            }
        }
        Ok(all(names))
    }

    fn visit_all(&mut self, visit: &Visit<'_>, action: &mut dyn FnMut(&mut Self, RowId) -> Emitted<()>) -> Emitted<()> {
        if self.is_committed() { self.visit_committed(visit, action) } else { self.visit_snapshot(visit, action) }
    }

    /// Begins a statement that can fail after it has told a row: at another row, or at its end by a foreign key. What
    /// was told before it is remembered, since a statement that fails tells nothing.
    fn remember_told(&mut self, table: TableId, list: &[(String, Scalar)], rows: usize) {
        let is_late = rows > 1 || !self.model.workload.table(table).foreign.is_empty() || !self.references_to(table).is_empty();
        self.told_before = None;
        if is_late && self.tells() && !list.is_empty() {
            let before = self.temporary();
            self.push(set(before, local(self.answer)));
            self.told_before = Some(before);
        }
    }

    /// The transaction ends here with an error.
    pub(super) fn fail(&mut self, outcome: i64) -> Emitted<()> {
        if let Some(before) = self.told_before {
            self.push(set(self.answer, local(before)));
        }
        if self.is_committed() {
            self.release_committed()?;
            return self.end(outcome);
        }
        self.end_snapshot(Ending::Rollback, Some(outcome))
    }

    pub(super) fn select(&mut self, select: &'w Select, into: Option<&'w [usize]>) -> Emitted<()> {
        let Some(lock) = select.lock else {
            if let Some(table) = select.table
                && !self.is_committed()
            {
                self.not_again(table)?;
            }
            return self.plain_select(select, into);
        };
        let Some(table) = select.table else { return self.outside("FOR UPDATE without a table") };
        self.computed.clear();
        let mut visit = self.visit(table, select.filter.as_ref(), lock.strength, false)?;
        if !select.order.is_empty() && !self.is_fixed_order(table, &select.order) {
            return self.outside("FOR UPDATE in an order that is not that of the key");
        }
        self.refuse_order_of_texts(table, &select.order)?;
        let order = self.ordered_rows(table, &select.order);
        visit.candidates = order.into_iter().filter(|row| visit.candidates.contains(row)).collect();
        (visit.ordered, visit.limit, visit.wait) = (!select.order.is_empty(), select.limit, lock.wait);
        visit.by_key &= visit.limit.is_none();
        self.remember_told(table, &select.list, visit.candidates.len());
        let telling = self.telling(table, select.list.clone(), &select.order, &visit.candidates)?;
        self.visit_all(&visit, &mut |this, row| {
            this.tell_one(&telling, row)?;
            this.assign_into(into, &select.list, &Looking { row: Some(row), excluded: None })
        })?;
        self.tell_together(&telling)?;
        self.one_row_only(into)
    }

    pub(super) fn update(&mut self, update: &'w Update, into: Option<&'w [usize]>) -> Emitted<()> {
        self.computed.clear();
        self.prepare(update.set.iter().map(|(_, value)| value))?;
        let visit = self.visit(update.table, update.filter.as_ref(), Strength::NoKeyUpdate, true)?;
        let changed: Vec<ColumnId> = update.set.iter().map(|(column, _)| *column).collect();
        self.expect_references(update.table, &visit.candidates, Some(&changed));
        self.remember_told(update.table, &update.returning, visit.candidates.len());
        let telling = self.telling(update.table, update.returning.clone(), &[], &visit.candidates)?;
        self.visit_all(&visit, &mut |this, row| {
            this.update_row(row, &update.set, None)?;
            this.mark(row, CHANGED)?;
            this.tell_one(&telling, row)?;
            this.assign_into(into, &update.returning, &Looking { row: Some(row), excluded: None })
        })?;
        self.test_parents()?;
        self.tell_together(&telling)?;
        self.one_row_only(into)
    }

    pub(super) fn delete(&mut self, delete: &'w Delete, into: Option<&'w [usize]>) -> Emitted<()> {
        self.computed.clear();
        let visit = self.visit(delete.table, delete.filter.as_ref(), Strength::Update, true)?;
        let gone = self.expect_deletions(delete.table, &visit.candidates);
        self.remember_told(delete.table, &delete.returning, visit.candidates.len());
        let telling = self.telling(delete.table, delete.returning.clone(), &[], &visit.candidates)?;
        self.visit_all(&visit, &mut |this, row| {
            this.tell_one(&telling, row)?;
            this.assign_into(into, &delete.returning, &Looking { row: Some(row), excluded: None })?;
            this.change(row, &[]);
            this.remove(row);
            if let Some((_, deleted)) = gone.iter().find(|(of, _)| *of == row) {
                this.push(set(*deleted, number(1)));
            }
            this.mark(row, CHANGED)
        })?;
        self.test_children(&gone)?;
        self.tell_together(&telling)?;
        self.one_row_only(into)
    }

    /// A row gets new values; one that it may not have ends the transaction.
    pub(super) fn update_row(&mut self, row: RowId, set: &[(ColumnId, Scalar)], excluded: Option<&[Value]>) -> Emitted<()> {
        let looking = Looking { row: Some(row), excluded };
        let mut values = Vec::new();
        for (column, scalar) in set {
            values.push((*column, self.stored((TableId(row.table), *column), scalar, looking)?));
        }
        let values = self.tested(values)?;
        self.note_reference(row, Some(&values));
        self.change(row, &values);
        self.mark(row, CHANGED)?;
        self.test_row(row)
    }

    /// Ends the transaction where a value may not be stored; gives the numbers. A server looks for NULL before it looks
    /// at anything else.
    fn tested(&mut self, values: Vec<(ColumnId, StoredValue)>) -> Emitted<Vec<(ColumnId, Expr)>> {
        let null = any(values.iter().map(|(_, value)| value.null.clone()).collect());
        let beyond = any(values.iter().map(|(_, value)| value.beyond.clone()).collect());
        self.when(null, |this| this.fail(NOT_NULL_VIOLATION))?;
        self.when(beyond, |this| this.fail(CHECK_VIOLATION))?;
        Ok(values.into_iter().map(|(column, value)| (column, value.number)).collect())
    }

    /// CHECK of a row that has new values.
    fn test_row(&mut self, row: RowId) -> Emitted<()> {
        for check in &self.model.workload.tables[row.table].checks {
            let wrong = self.truth(check, Looking { row: Some(row), excluded: None })?.no;
            self.when(wrong, |this| this.fail(CHECK_VIOLATION))?;
        }
        Ok(())
    }

    /// CHECK of a row that is to be inserted: a server looks before it looks for the key.
    fn test_new(&mut self, table: TableId, excluded: &[Value]) -> Emitted<()> {
        for check in &self.model.workload.table(table).checks {
            let wrong = self.truth(check, Looking { row: None, excluded: Some(excluded) })?.no;
            self.when(wrong, |this| this.fail(CHECK_VIOLATION))?;
        }
        Ok(())
    }

    pub(super) fn insert(&mut self, insert: &'w Insert, into: Option<&'w [usize]>) -> Emitted<()> {
        self.computed.clear();
        self.state.inserted.insert(insert.table);
        self.prepare(insert.rows.iter().flatten())?;
        let count = self.count;
        self.push(set(count, number(0)));
        self.right_target(insert)?;
        self.remember_told(insert.table, &insert.returning, insert.rows.len());
        let rows = self.rows_of(insert.table);
        self.expect_references(insert.table, &rows, None);
        if insert.rows.len() > 1 && (!insert.returning.is_empty() || into.is_some()) {
            return self.outside("RETURNING of several inserted rows");
        }
        for (position, row) in insert.rows.iter().enumerate() {
            if position > 0 && self.is_committed() {
                self.push(super::build::pause());
            }
            self.insert_one(insert, row, into)?;
        }
        self.test_parents()?;
        self.one_row_only(into)
    }

    /// ON CONFLICT has to name what rows are known by.
    fn right_target(&self, insert: &Insert) -> Emitted<()> {
        let identity = &self.model.tables[insert.table.0].identity;
        let right = match (&insert.target, identity) {
            (None, _) => true,
            (Some(target), Identity::Key(columns)) => target.len() == columns.len() && columns.iter().all(|column| target.contains(column)),
            (Some(_), Identity::Number(_)) => false,
        };
        if right { Ok(()) } else { self.outside("ON CONFLICT of a key that is not the one by which rows are known") }
    }

    fn insert_one(&mut self, insert: &'w Insert, row: &'w [Scalar], into: Option<&'w [usize]>) -> Emitted<()> {
        let mut stored = Vec::new();
        let identity = self.model.tables[insert.table.0].identity.clone();
        for (index, scalar) in row.iter().enumerate() {
            let column = ColumnId(index);
            let chosen = identity == Identity::Number(Some(column));
            if chosen && *scalar != Scalar::Constant(Constant::Unknown) {
                return self.outside("a value for a key that the server chooses");
            }
            if !chosen {
                stored.push((column, self.stored((insert.table, column), scalar, Looking::default())?));
            }
        }
        let values = self.tested(stored)?;
        let mut excluded = Vec::new();
        for (index, column) in self.model.workload.table(insert.table).columns.iter().enumerate() {
            let value = values.iter().find(|(of, _)| of.0 == index).map_or_else(|| number(0), |(_, value)| value.clone());
            let null = self.model.domain((insert.table, ColumnId(index))).filter(|domain| domain.nullable).map(super::domain::Domain::null);
            let null = null.map_or_else(|| number(0), |null| equal(value.clone(), null));
            excluded.push(Value { number: value, null, kind: column.kind.clone() });
        }
        let excluded: &[Value] = &excluded;
        if matches!(identity, Identity::Key(_)) {
            self.test_new(insert.table, excluded)?;
        }
        let new = NewRow { values, excluded, conflict: &insert.conflict };
        let columns = match &identity {
            Identity::Key(columns) => columns.clone(),
            Identity::Number(_) => return self.insert_numbered(insert, &new, into),
        };
        self.insert_keyed(insert, &columns, &new, into)
    }

    /// Inserts the row of which the values name the key.
    fn insert_keyed(&mut self, insert: &'w Insert, columns: &[ColumnId], new: &NewRow<'_>, into: Option<&'w [usize]>) -> Emitted<()> {
        let mut named: Vec<(RowId, Expr)> = Vec::new();
        for row in self.rows_of(insert.table) {
            let mut same = Vec::new();
            for &column in columns {
                let key = self.cell(row, column);
                if let Some((_, value)) = new.values.iter().find(|(of, _)| *of == column) {
                    same.push(compare(CompareOp::Equal, value.clone(), key));
                }
            }
            let same = all(same);
            if known(&same) != Some(0) {
                named.push((row, same));
            }
        }
        if named.is_empty() {
            return self.error(
                codes::NO_RANGE,
                "no row that the model has can have this key",
                "a key within the range of its column",
                "give the column of the key a range that has this value",
            );
        }
        self.insert_named(insert, &named, new, into)
    }

    fn insert_named(&mut self, insert: &'w Insert, named: &[(RowId, Expr)], new: &NewRow<'_>, into: Option<&'w [usize]>) -> Emitted<()> {
        let Some(((row, same), rest)) = named.split_first() else {
            // Other keys are not considered.
            self.push_some(assume(number(0)));
            return Ok(());
        };
        let row = *row;
        self.branch(same.clone(), |this| this.insert_at(insert, row, new, into), |this| this.insert_named(insert, rest, new, into))
    }

    /// Inserts a row of which the server chooses the key: the first that is free. Rows that differ in their numbers
    /// alone are alike; where there is none the run is not considered.
    fn insert_numbered(&mut self, insert: &'w Insert, new: &NewRow<'_>, into: Option<&'w [usize]>) -> Emitted<()> {
        if insert.conflict != Conflict::Fail {
            return self.outside("ON CONFLICT in a table without a key");
        }
        let mut free: Vec<(RowId, Expr)> = Vec::new();
        for row in self.rows_of(insert.table) {
            let absent = not(self.committed_there(row));
            let untouched = self.is_flag(row, FREE);
            let known = self.model.row(row);
            let is_zero = |variable: Option<_>| variable.map_or_else(|| number(1), |variable| equal(global(variable), 0));
            let mut parts = vec![absent, untouched, is_zero(known.lock), is_zero(known.reserved)];
            // A row that was chosen by a statement and deleted since is another row.
            parts.extend(known.chosen.iter().map(|&slot| equal(global(slot), 0)));
            free.push((row, all(parts)));
        }
        self.insert_named(insert, &free, new, into)
    }

    fn insert_at(&mut self, insert: &'w Insert, row: RowId, new: &NewRow<'_>, into: Option<&'w [usize]>) -> Emitted<()> {
        let telling = self.telling_of_insert(insert.table, insert.returning.clone(), row)?;
        let mut action = |this: &mut Self, row: RowId| {
            let count = this.count;
            this.push(set(count, add(local(count), number(1))));
            this.tell_one(&telling, row)?;
            this.assign_into(into, &insert.returning, &Looking { row: Some(row), excluded: None })
        };
        if self.is_committed() { self.insert_committed(row, new, &mut action) } else { self.insert_snapshot(row, new, &mut action) }
    }

    /// The row is there with these values, as this transaction sees it. One that it has changed before stays changed at
    /// REPEATABLE READ, also if it was deleted: others must not have touched it since the snapshot.
    pub(super) fn insert_row(&mut self, row: RowId, new: &NewRow<'_>, flag: Option<i64>) -> Emitted<()> {
        self.note_reference(row, None);
        self.change(row, &new.values);
        // Its own values are read from here on.
        if let Some(flag) = flag {
            self.mark(row, flag)?;
        }
        // Of a row with a number CHECK can be about the number.
        if matches!(self.model.tables[row.table].identity, Identity::Number(_)) { self.test_row(row) } else { Ok(()) }
    }
}
