//! What scripts do with tables: which columns they look at and change, and which values they name.

use std::collections::{BTreeMap, BTreeSet};

use crate::workload::{
    Beyond, Bounds, ColumnId, Conflict, Constant, Item, ItemKind, Scalar, Script, Select, Statement, StatementKind, Strength, Table,
    TableId, TableMode, Wait, Workload,
};

/// A column of a table.
pub(super) type Place = (TableId, ColumnId);

/// What all scripts do.
#[derive(Debug, Default)]
pub(super) struct Usage {
    /// Columns that are looked at.
    pub(super) read: BTreeSet<Place>,
    /// Columns that an UPDATE changes.
    pub(super) updated: BTreeSet<Place>,
    pub(super) inserted: BTreeSet<TableId>,
    pub(super) deleted: BTreeSet<TableId>,
    /// Tables of which rows are changed or locked.
    pub(super) locked: BTreeSet<TableId>,
    /// Tables of which rows are deleted or selected FOR UPDATE, which keeps out who locks them FOR KEY SHARE.
    pub(super) sealing: BTreeSet<TableId>,
    /// Tables of which rows are selected FOR SHARE.
    pub(super) shared: BTreeSet<TableId>,
    /// Tables of which rows are locked FOR KEY SHARE, by SELECT or because a child refers to them, where others can
    /// wait for that.
    pub(super) key_shared: BTreeSet<TableId>,
    /// Tables whose rows are looked at when a parent is deleted.
    pub(super) children: BTreeSet<TableId>,
    /// How LOCK TABLE locks tables.
    pub(super) table_locks: BTreeMap<TableId, BTreeSet<TableMode>>,
    /// Whether a statement looks at locks instead of waiting.
    pub(super) impatient: bool,
    /// What is stored into a column, and compared with it.
    pub(super) stored: BTreeMap<Place, Vec<(usize, Scalar)>>,
    pub(super) compared: BTreeMap<Place, Vec<(usize, Scalar)>>,
    /// Tables that some statement names.
    pub(super) named: BTreeSet<TableId>,
    /// Tables in which some row is looked for: by a statement, or by a foreign key of a row that is inserted.
    pub(super) sought: BTreeSet<TableId>,
    /// Parameters, with their scripts, of which more is done than that they are stored.
    pub(super) used: BTreeSet<(usize, usize)>,
}

impl Usage {
    pub(super) fn of(workload: &Workload) -> Self {
        let mut usage = Self::default();
        for (index, script) in workload.scripts.iter().enumerate() {
            usage.items(&script.body, index);
            script.answer.iter().flatten().chain(&script.until).for_each(|e| usage.uses(e, index));
        }
        for (index, table) in workload.tables.iter().enumerate() {
            usage.constraints(TableId(index), table);
        }
        usage.key_shared.retain(|table| usage.sealing.contains(table));
        for (index, table) in workload.tables.iter().enumerate() {
            let limited = table.columns.iter().enumerate().map(|(column, of)| ((TableId(index), ColumnId(column)), of.bounds));
            for (place, bounds) in limited.filter_map(|(place, bounds)| Some((place, bounds?))) {
                let stored = usage.stored.get(&place).into_iter().flatten();
                if bounds.beyond == Beyond::Fail && !stored.into_iter().all(|(of, value)| usage.fits(workload, bounds, *of, value)) {
                    usage.read.insert(place);
                }
            }
        }
        usage
    }

    /// What constraints look at, whether scripts do or not: keys, foreign keys and their parents, CHECK.
    fn constraints(&mut self, id: TableId, table: &Table) {
        for &column in table.primary.iter().chain(&table.uniques).flatten() {
            // What the server chooses differs; what a script writes there can be there.
            let chosen = |(_, value): &(usize, Scalar)| *value == Scalar::Constant(Constant::Unknown);
            let written = self.updated.contains(&(id, column)) || !self.stored.get(&(id, column)).into_iter().flatten().all(chosen);
            if written || !table.column(column).generated {
                self.read.insert((id, column));
            }
        }
        table.checks.iter().for_each(|check| self.reads(check, usize::MAX));
        for key in &table.foreign {
            let child = self.inserted.contains(&id) || key.columns.iter().any(|column| self.updated.contains(&(id, *column)));
            let parent =
                self.deleted.contains(&key.parent) || key.referred.iter().any(|column| self.updated.contains(&(key.parent, *column)));
            if child {
                self.key_shared.insert(key.parent);
                let is_null = |(_, value): &(usize, Scalar)| *value == Scalar::Constant(Constant::Null);
                let mut stored = key.columns.iter().map(|column| self.stored.get(&(id, *column)).into_iter().flatten());
                // A key of which one column is NULL refers to nothing.
                if stored.all(|mut values| !values.all(is_null)) {
                    self.sought.insert(key.parent);
                }
            }
            if self.deleted.contains(&key.parent) {
                self.children.insert(id);
            }
            if child || parent {
                self.read.extend(key.columns.iter().map(|&column| (id, column)));
                self.read.extend(key.referred.iter().map(|&column| (key.parent, column)));
            }
        }
    }

    /// Whether a value that is stored into a column is within its range in any case. A parameter that goes into this
    /// column alone has its values.
    fn fits(&self, workload: &Workload, bounds: Bounds, script: usize, value: &Scalar) -> bool {
        let within = |value: i64| (bounds.low..=bounds.high).contains(&value);
        match value {
            Scalar::Constant(Constant::Null | Constant::Unknown) => true,
            Scalar::Constant(Constant::Integer(value)) => within(*value),
            Scalar::Parameter(index) => {
                let values = workload.scripts.get(script).and_then(|script| script.parameters[*index].values);
                let is = |(of, value): &(usize, Scalar)| *of == script && has_parameter(value, *index);
                let alone = || self.stored.values().filter(|stored| stored.iter().any(is)).count() == 1;
                values.map_or_else(|| !self.used.contains(&(script, *index)) && alone(), |(low, high)| within(low) && within(high))
            }
            _ => false,
        }
    }

    /// Whether rows of a table come or go.
    pub(super) fn moves(&self, table: TableId) -> bool {
        self.inserted.contains(&table) || self.deleted.contains(&table)
    }

    /// Whether rows are held by several at once, which is counted.
    pub(super) fn counts(&self) -> bool {
        !self.shared.is_empty() || !self.key_shared.is_empty() || !self.table_locks.is_empty()
    }

    /// Whether a column can have another value than at first.
    pub(super) fn varies(&self, place: Place) -> bool {
        self.updated.contains(&place) || self.inserted.contains(&place.0)
    }

    fn items(&mut self, items: &[Item], script: usize) {
        for item in items {
            match &item.kind {
                ItemKind::Statement(statement) => self.statement(statement, script),
                ItemKind::If { arms, otherwise } => {
                    for (condition, items) in arms {
                        self.uses(condition, script);
                        self.items(items, script);
                    }
                    self.items(otherwise, script);
                }
                ItemKind::Set { value, .. } => self.uses(value, script),
                ItemKind::Begin(_) | ItemKind::Commit | ItemKind::Rollback => {}
            }
        }
    }

    fn statement(&mut self, statement: &Statement, script: usize) {
        match &statement.kind {
            StatementKind::Select(select) => self.select(select, script),
            StatementKind::Update(update) => {
                self.named.insert(update.table);
                self.sought.insert(update.table);
                self.locked.insert(update.table);
                self.set(update.table, &update.set, script);
                update.filter.iter().chain(update.returning.iter().map(|(_, e)| e)).for_each(|e| self.looks(e, script));
            }
            StatementKind::Delete(delete) => {
                self.named.insert(delete.table);
                self.sought.insert(delete.table);
                self.locked.insert(delete.table);
                self.sealing.insert(delete.table);
                self.deleted.insert(delete.table);
                delete.filter.iter().chain(delete.returning.iter().map(|(_, e)| e)).for_each(|e| self.looks(e, script));
            }
            StatementKind::Insert(insert) => {
                self.named.insert(insert.table);
                self.locked.insert(insert.table);
                self.inserted.insert(insert.table);
                for row in &insert.rows {
                    for (index, value) in row.iter().enumerate() {
                        self.store((insert.table, ColumnId(index)), value, script);
                    }
                }
                if let Conflict::Update { set, filter } = &insert.conflict {
                    self.set(insert.table, set, script);
                    filter.iter().for_each(|e| self.looks(e, script));
                }
                insert.returning.iter().for_each(|(_, e)| self.looks(e, script));
            }
            StatementKind::Lock(lock) => {
                self.impatient |= lock.nowait;
                self.named.extend(&lock.tables);
                for &table in &lock.tables {
                    self.table_locks.entry(table).or_default().insert(lock.mode);
                }
            }
            StatementKind::Advisory(key) => self.uses(key, script),
            StatementKind::Level(_) => {}
        }
    }

    fn set(&mut self, table: TableId, set: &[(ColumnId, Scalar)], script: usize) {
        for (column, value) in set {
            self.updated.insert((table, *column));
            self.store((table, *column), value, script);
        }
    }

    fn store(&mut self, place: Place, value: &Scalar, script: usize) {
        self.stored.entry(place).or_default().push((script, value.clone()));
        self.reads(value, script);
    }

    fn select(&mut self, select: &Select, script: usize) {
        self.named.extend(select.table);
        self.sought.extend(select.table);
        if let (Some(table), Some(lock)) = (select.table, select.lock) {
            self.locked.insert(table);
            let strong = match lock.strength {
                Strength::Update => Some(&mut self.sealing),
                Strength::NoKeyUpdate => None,
                Strength::Share => Some(&mut self.shared),
                Strength::KeyShare => Some(&mut self.key_shared),
            };
            strong.map(|tables| tables.insert(table));
            self.impatient |= lock.wait != Wait::Wait;
        }
        select.list.iter().map(|(_, e)| e).chain(&select.filter).for_each(|e| self.looks(e, script));
        self.read.extend(select.table.iter().flat_map(|&table| select.order.iter().map(move |(column, _)| (table, *column))));
    }

    /// Notes which parameters an expression has.
    fn uses(&mut self, scalar: &Scalar, script: usize) {
        scalar.visit(&mut |part| {
            if let Scalar::Parameter(index) = part {
                self.used.insert((script, *index));
            }
        });
    }

    fn looks(&mut self, scalar: &Scalar, script: usize) {
        self.uses(scalar, script);
        self.reads(scalar, script);
    }

    fn reads(&mut self, scalar: &Scalar, script: usize) {
        let mut inner = Vec::new();
        let mut pairs = Vec::new();
        scalar.visit(&mut |part| match part {
            Scalar::Column(table, column) => drop(self.read.insert((*table, *column))),
            Scalar::SubSelect(select) | Scalar::Exists(select) => inner.push(select),
            Scalar::Compare(_, left, right) => {
                for (one, other) in [(left, right), (right, left)] {
                    if let Scalar::Column(table, column) = &**one {
                        pairs.push(((*table, *column), (**other).clone()));
                    }
                }
            }
            _ => {}
        });
        for (place, other) in pairs {
            self.compared.entry(place).or_default().push((script, other));
        }
        inner.into_iter().for_each(|select| self.select(select, script));
    }
}

/// Which tables and columns one script changes.
#[derive(Debug, Default)]
pub(super) struct Changes {
    pub(super) updated: BTreeSet<Place>,
    pub(super) inserted: BTreeSet<TableId>,
    pub(super) deleted: BTreeSet<TableId>,
}

impl Changes {
    pub(super) fn of(script: &Script) -> Self {
        let mut usage = Usage::default();
        usage.items(&script.body, 0);
        Self { updated: usage.updated, inserted: usage.inserted, deleted: usage.deleted }
    }
}

/// Whether a parameter stands in a scalar.
pub(super) fn has_parameter(scalar: &Scalar, parameter: usize) -> bool {
    let mut found = false;
    scalar.visit(&mut |part| found |= matches!(part, Scalar::Parameter(index) if *index == parameter));
    found
}

/// The constants that stand in a scalar by themselves.
pub(super) fn constants(scalar: &Scalar, found: &mut Vec<Constant>) {
    match scalar {
        Scalar::Constant(constant) => found.push(constant.clone()),
        Scalar::Case(arms, otherwise) => {
            arms.iter().for_each(|(_, value)| constants(value, found));
            constants(otherwise, found);
        }
        Scalar::Coalesce(parts) | Scalar::Extreme(_, parts) => parts.iter().for_each(|part| constants(part, found)),
        _ => {}
    }
}
