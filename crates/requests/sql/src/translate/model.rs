//! The state of a workload: which rows there can be, and which globals of the program stand for them.
//!
//! A row is known by a key: the primary key, or another unique one where the server chooses the primary key and no
//! script looks at it; without a key, or where the server chooses it, by a number. For each possible row there are
//! globals for the columns that are followed and vary, for its presence where rows come or go, and for its lock
//! (READ COMMITTED) or its reservation, guards and flag (REPEATABLE READ).

use std::collections::BTreeMap;

use serval_diagnostic::{Diagnostic, Span};
use serval_syntax::{Global, GlobalVar};

use super::domain::{Domain, Domains, Texts, coded};
use super::empty::stay_empty;
use super::passing::passes;
use super::switch::Rule;
use super::usage::{Place, Usage};
use super::{Levels, Role, RowKey};
use crate::codes;
use crate::further::inserted;
use crate::names::outside;
use crate::workload::{Bounds, ColumnId, Constant, Kind, Scalar, TableId, TableMode, Workload};

/// How many tables that no script names are in a note.
const MOST_NAMED: usize = 8;
/// How many rows a table can have in the model.
const MOST_ROWS: usize = 256;

/// A row of a table of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct RowId {
    pub(super) table: usize,
    pub(super) row: usize,
}

/// How the rows of a table are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Identity {
    /// By the values of these columns.
    Key(Vec<ColumnId>),
    /// By a number, which this column has if the server chooses it.
    Number(Option<ColumnId>),
}

/// What stands for the value of a column of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cell {
    /// It is the same in every state.
    Fixed(i64),
    Global(GlobalVar),
    /// Not followed.
    None,
}

/// A row and what stands for it.
#[derive(Clone, Debug)]
pub(super) struct Row {
    /// What people call it: `accounts(1)`.
    pub(super) label: String,
    pub(super) cells: Vec<Cell>,
    /// Whether it is there; `None` where it always is.
    pub(super) presence: Option<GlobalVar>,
    /// 0 free, 1 held, 2 held and changed.
    pub(super) lock: Option<GlobalVar>,
    /// 1 while it is held by who keeps out those that lock it FOR KEY SHARE.
    pub(super) sealed: Option<GlobalVar>,
    /// How many hold it FOR SHARE, and how many FOR KEY SHARE; at REPEATABLE READ the latter are attempts in flight.
    pub(super) counts: [Option<GlobalVar>; 2],
    /// Statements that have chosen it and not yet locked it: 0 no, 1 yes, 2 yes, and it was replaced.
    pub(super) chosen: Vec<GlobalVar>,
    pub(super) reserved: Option<GlobalVar>,
    pub(super) guards: Option<GlobalVar>,
    pub(super) first: Option<GlobalVar>,
    /// How many attempts that come to nothing insert it, or wait for who deletes it and are to insert it then.
    pub(super) turns: Option<GlobalVar>,
    /// How many attempts above READ COMMITTED are in flight that touched it with their first statement: who takes its
    /// lock at READ COMMITTED waits for them.
    pub(super) began: Option<GlobalVar>,
}

impl Row {
    /// A row that is a version of a transaction's own and never committed.
    fn passing(label: String, cells: Vec<Cell>) -> Self {
        let (presence, lock, sealed, reserved, guards, first, turns, began) = Default::default();
        let (counts, chosen) = Default::default();
        Self { label, cells, presence, lock, sealed, counts, chosen, reserved, guards, first, turns, began }
    }
}

/// A table of the model.
#[derive(Clone, Debug)]
pub(super) struct ModelTable {
    pub(super) identity: Identity,
    pub(super) rows: Vec<Row>,
    /// The values of columns that are followed.
    pub(super) domains: Vec<Option<Domain>>,
    /// Whether no statement looks at rows that are there: see [`super::passing`].
    pub(super) passing: bool,
    /// Whether rows come or go.
    pub(super) moves: bool,
    /// Whether an INSERT tells rows that are changed from rows that are held.
    pub(super) inserted: bool,
    pub(super) deleted: bool,
}

/// The model.
#[derive(Debug)]
pub(super) struct Model<'w> {
    pub(super) workload: &'w Workload,
    pub(super) usage: Usage,
    pub(super) texts: Texts,
    pub(super) tables: Vec<ModelTable>,
    pub(super) globals: Vec<Global>,
    /// Of advisory locks, by their keys.
    pub(super) advisory: BTreeMap<i64, GlobalVar>,
    /// How many transactions hold a table in a mode.
    pub(super) table_counts: BTreeMap<(TableId, TableMode), GlobalVar>,
    pub(super) levels: Levels,
    /// Whether guards and flags are counted.
    pub(super) exact: bool,
    /// Whether a first statement was found to hold a row from the snapshot on.
    pub(super) holds: bool,
    /// A rule that is left out, in tests.
    without: Option<Rule>,
    pub(super) notes: Vec<Diagnostic>,
}

type Made<T> = Result<T, Vec<Diagnostic>>;

/// What a row is known by, and its values at first, if it is there.
type KeyedRow = (Vec<i64>, Option<Vec<Constant>>);

impl<'w> Model<'w> {
    pub(super) fn of(workload: &'w Workload, levels: Levels, exact: bool, without: Option<Rule>) -> Made<Self> {
        let usage = Usage::of(workload);
        let texts = Texts::of(workload, &usage);
        let (globals, tables, advisory, table_counts, notes) = Default::default();
        let holds = false;
        let mut model = Self { workload, usage, texts, tables, globals, advisory, table_counts, levels, exact, holds, without, notes };
        let mut found = stay_empty(workload, &model.usage);
        for index in 0..workload.tables.len() {
            match model.table(index) {
                Ok(table) => model.tables.push(table),
                Err(diagnostics) => found.extend(diagnostics),
            }
        }
        model.count_tables();
        model.note_columns();
        if found.is_empty() { Ok(model) } else { Err(found) }
    }

    pub(super) fn domains(&self) -> Domains<'_> {
        Domains { workload: self.workload, usage: &self.usage, texts: &self.texts }
    }

    pub(super) fn row(&self, id: RowId) -> &Row {
        &self.tables[id.table].rows[id.row]
    }

    /// The values of a column; it is followed.
    pub(super) fn domain(&self, place: Place) -> Option<&Domain> {
        self.tables[place.0.0].domains[place.1.0].as_ref()
    }

    pub(super) fn global(&mut self, name: String, initial: i64, range: Option<(i64, i64)>, span: Span) -> GlobalVar {
        self.globals.push(Global { name, initial, range, span, stands: false });
        GlobalVar(u32::try_from(self.globals.len() - 1).unwrap_or(u32::MAX))
    }

    /// Makes the counts of locks of tables: of all modes that keep another out. Those that several hold at once are
    /// counted where the program counts.
    fn count_tables(&mut self) {
        const IMPLICIT: [TableMode; 3] = [TableMode::AccessShare, TableMode::RowShare, TableMode::RowExclusive];
        if !self.has(Rule::TableLocks) {
            return;
        }
        for (table, locks) in self.usage.table_locks.clone() {
            let modes: std::collections::BTreeSet<TableMode> = locks.iter().chain(&IMPLICIT).copied().collect();
            for &mode in modes.iter().filter(|mode| modes.iter().any(|other| other.excludes(**mode))) {
                let most = if mode.excludes(mode) { 1 } else { i64::from(self.workload.settings.shared) };
                if self.exact || most == 1 {
                    let of = self.workload.table(table);
                    let (name, span) = (format!("{} locked {mode:?}", of.name), of.span);
                    let made = self.global(name, 0, Some((0, most)), span);
                    self.table_counts.insert((table, mode), made);
                }
            }
        }
    }

    /// The lock of this key.
    pub(super) fn advisory(&mut self, key: i64, span: Span) -> GlobalVar {
        if let Some(known) = self.advisory.get(&key) {
            return *known;
        }
        let made = self.global(format!("advisory lock {key}"), 0, Some((0, 1)), span);
        self.advisory.insert(key, made);
        made
    }

    /// How the rows of a table are known.
    fn identity(&self, id: TableId) -> Made<Identity> {
        let table = self.workload.table(id);
        let chosen = |key: &[ColumnId]| key.iter().any(|column| table.column(*column).generated) && self.usage.inserted.contains(&id);
        let looked_at = |key: &[ColumnId]| key.iter().any(|column| self.usage.read.contains(&(id, *column)));
        let changes =
            |key: &[ColumnId]| self.usage.inserted.contains(&id) || key.iter().any(|column| self.usage.updated.contains(&(id, *column)));
        let keys: Vec<&Vec<ColumnId>> = table.primary.iter().chain(&table.uniques).collect();
        // A key that the server chooses and that no script looks at tells nothing.
        let mut useful: Vec<&Vec<ColumnId>> = keys.into_iter().filter(|key| !chosen(key) || looked_at(key)).collect();
        useful.dedup();
        let Some(first) = useful.first().copied() else { return Ok(Identity::Number(None)) };
        let wrong = |what: &str| vec![*outside(table.span, &format!("{what} of table `{}`", table.name))];
        if useful.iter().skip(1).any(|key| changes(key)) {
            return Err(wrong("a second unique key"));
        }
        if first.iter().any(|column| table.column(*column).nullable) {
            return Err(wrong("a unique key that can be NULL"));
        }
        if first.iter().any(|column| self.usage.updated.contains(&(id, *column))) {
            return Err(wrong("UPDATE of the key"));
        }
        if chosen(first) {
            return match first.as_slice() {
                [column] => Ok(Identity::Number(Some(*column))),
                _ => Err(wrong("a key of several columns, one of which the server chooses,")),
            };
        }
        Ok(Identity::Key(first.clone()))
    }

    fn table(&mut self, index: usize) -> Made<ModelTable> {
        let id = TableId(index);
        let table = self.workload.table(id);
        let identity = self.identity(id)?;
        let mut domains = Vec::new();
        let mut wrong = Vec::new();
        for column in (0..table.columns.len()).map(ColumnId) {
            let followed = self.usage.read.contains(&(id, column)) && identity != Identity::Number(Some(column));
            domains.push(match followed.then(|| self.domains().of((id, column))).transpose() {
                Ok(domain) => domain,
                Err(diagnostic) => {
                    wrong.push(*diagnostic);
                    None
                }
            });
        }
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let is_numbered = matches!(identity, Identity::Number(_));
        let (moves, inserted) = (self.usage.moves(id), self.usage.inserted.contains(&id));
        let deleted = self.usage.deleted.contains(&id);
        let passing = identity == Identity::Number(None) && passes(self.workload, &self.usage, id);
        let mut made = ModelTable { identity, rows: Vec::new(), domains, passing, moves, inserted, deleted };
        if is_numbered && inserted && !passing && !table.further_is_said {
            let (name, further) = (&table.name, table.further);
            let rows = if further == 1 { "row" } else { "rows" };
            let message = format!("{further} {rows} can come into `{name}`, since nothing says how many: `-- serval: rows {name} COUNT`");
            self.notes.push(Diagnostic::note(codes::BOUNDED, table.span, message));
        }
        let keys = self.keys(id, &made)?;
        for (number, (key, initial)) in keys.into_iter().enumerate() {
            let row = self.made_row(id, &made, number, &key, initial.as_deref())?;
            made.rows.push(row);
        }
        Ok(made)
    }

    /// The keys of the rows that there can be, in order, and what the row has at first.
    fn keys(&self, id: TableId, made: &ModelTable) -> Made<Vec<KeyedRow>> {
        let table = self.workload.table(id);
        let too_many = || {
            vec![
                Diagnostic::error(codes::TOO_LARGE, table.span, format!("table `{}` has more than {MOST_ROWS} possible rows", table.name))
                    .expected("few rows: two or three mostly show what can happen")
                    .help("give its key a smaller range, or the schema fewer rows"),
            ]
        };
        let mut rows: Vec<KeyedRow> = Vec::new();
        match &made.identity {
            Identity::Number(_) if made.passing => {
                let most = self.workload.scripts.iter().map(|script| inserted(&script.body, id)).max().unwrap_or(0);
                rows.extend((1..=most).map(|number| (vec![i64::try_from(number).unwrap_or(i64::MAX)], None)));
            }
            Identity::Number(_) => {
                let given = table.rows.iter().enumerate().map(|(number, row)| (number, Some(row.clone())));
                let further = if made.inserted { table.further as usize } else { 0 };
                let further = (0..further).map(|number| (table.rows.len() + number, None));
                rows.extend(given.chain(further).map(|(number, row)| (vec![i64::try_from(number + 1).unwrap_or(i64::MAX)], row)));
            }
            Identity::Key(columns) => {
                for row in &table.rows {
                    let key: Option<Vec<i64>> = columns.iter().map(|&column| self.code(id, column, &row[column.0])).collect();
                    let Some(key) = key else { return Err(vec![*outside(table.span, "NULL in a key")]) };
                    if rows.iter().any(|(known, _)| *known == key) {
                        let message = format!("two rows of `{}` have the same key", table.name);
                        let help = "give each row a key of its own";
                        return Err(vec![Diagnostic::error(codes::BAD_SCHEMA, table.span, message).expected("different keys").help(help)]);
                    }
                    rows.push((key, Some(row.clone())));
                }
                if made.inserted {
                    let mut all: Vec<Vec<i64>> = vec![Vec::new()];
                    for column in columns {
                        let Some(domain) = &made.domains[column.0] else { continue };
                        let count = usize::try_from(domain.bounds.count()).unwrap_or(usize::MAX);
                        if all.len().saturating_mul(count) > MOST_ROWS {
                            return Err(too_many());
                        }
                        let values = domain.bounds.low..=domain.bounds.high;
                        all = all.iter().flat_map(|key| values.clone().map(|value| [key.as_slice(), &[value]].concat())).collect();
                    }
                    rows.extend(
                        all.into_iter()
                            .filter(|key| !table.rows.iter().any(|row| self.has_key(id, columns, row, key)))
                            .map(|key| (key, None))
                            .collect::<Vec<_>>(),
                    );
                }
                rows.sort_by(|one, other| one.0.cmp(&other.0));
            }
        }
        if rows.len() > MOST_ROWS { Err(too_many()) } else { Ok(rows) }
    }

    fn has_key(&self, id: TableId, columns: &[ColumnId], row: &[Constant], key: &[i64]) -> bool {
        columns.iter().zip(key).all(|(column, value)| self.code(id, *column, &row[column.0]) == Some(*value))
    }

    /// The number of a constant in a column; `None` for NULL.
    fn code(&self, id: TableId, column: ColumnId, constant: &Constant) -> Option<i64> {
        coded(constant, &self.workload.table(id).column(column).kind, &self.texts).flatten()
    }

    fn made_row(&mut self, id: TableId, made: &ModelTable, number: usize, key: &[i64], initial: Option<&[Constant]>) -> Made<Row> {
        let table = self.workload.table(id);
        let column_of = |index: usize| match &made.identity {
            Identity::Key(columns) => Some(columns[index]),
            Identity::Number(column) => *column,
        };
        let shown_key: Vec<String> = key
            .iter()
            .enumerate()
            .map(|(index, &value)| {
                column_of(index).map_or_else(|| value.to_string(), |column| shown(&table.column(column).kind, value, &self.texts))
            })
            .collect();
        // Those that pass bound nothing, and have no name of a row.
        let label = if made.passing { format!("new {} {number}", table.name) } else { format!("{}({})", table.name, shown_key.join(", ")) };
        let mut cells = Vec::new();
        for (index, column) in table.columns.iter().enumerate() {
            let at = key_place(&made.identity, ColumnId(index));
            if let Some(at) = at {
                cells.push(Cell::Fixed(key[at]));
                continue;
            }
            let Some(domain) = &made.domains[index] else {
                cells.push(Cell::None);
                continue;
            };
            let value = match initial {
                Some(row) => match self.code(id, ColumnId(index), &row[index]) {
                    Some(value) => value,
                    None if column.nullable => domain.null(),
                    None => return Err(vec![bad_row(table.span, &label, &column.name, "NULL")]),
                },
                None => domain.bounds.low,
            };
            if domain.limits && value != domain.null() && !(domain.bounds.low..=domain.bounds.high).contains(&value) {
                return Err(vec![bad_row(column.span, &label, &column.name, &value.to_string())]);
            }
            cells.push(if self.usage.varies((id, ColumnId(index))) {
                let range = Some((domain.least(), domain.bounds.high.max(domain.least())));
                Cell::Global(self.global(format!("{label}.{}", column.name), value, range, column.span))
            } else {
                Cell::Fixed(value)
            });
        }
        if made.passing {
            return Ok(Row::passing(label, cells));
        }
        let present = i64::from(initial.is_some());
        let presence = made.moves.then(|| self.global(format!("{label} there"), present, Some((0, 1)), table.span));
        let (locked, committed) = (self.usage.locked.contains(&id), self.levels.committed);
        let lock_range = if made.inserted { 2 } else { 1 };
        let lock = (locked && committed).then(|| self.global(format!("{label} held"), 0, Some((0, lock_range)), table.span));
        let keyed = locked && self.usage.key_shared.contains(&id);
        let seals = locked && committed && self.usage.sealing.contains(&id) && (keyed || self.usage.children.contains(&id));
        let sealed = seals.then(|| self.global(format!("{label} sealed"), 0, Some((0, 1)), table.span));
        let most = i64::from(self.workload.settings.shared);
        let counted = |wanted: bool, rule| wanted && self.exact && self.has(rule);
        let shares = counted(locked && committed && self.usage.shared.contains(&id), Rule::Shared);
        let keys = counted(keyed, if committed { Rule::Shared } else { Rule::KeyGuards });
        let mut count = |wanted: bool, what| wanted.then(|| self.global(format!("{label} {what}"), 0, Some((0, most)), table.span));
        let counts = [count(shares, "shared"), count(keys, "key shared")];
        let replaced = committed && made.inserted && made.deleted && self.has(Rule::Versions);
        let slots = if replaced { self.workload.settings.shared } else { 0 };
        let chosen = (1..=slots).map(|slot| self.global(format!("{label} chosen {slot}"), 0, Some((0, 2)), table.span)).collect();
        let snapshots = locked && self.levels.snapshot;
        let reserved =
            (snapshots && self.has(Rule::Reservations)).then(|| self.global(format!("{label} reserved"), 0, Some((0, 1)), table.span));
        let counted = snapshots && self.exact;
        let guards = (counted && self.has(Rule::Guards)).then(|| self.global(format!("{label} guards"), 0, Some((0, most)), table.span));
        let first = (counted && self.has(Rule::FirstStatement))
            .then(|| self.global(format!("{label} first"), 0, Some((0, 2 + i64::from(keyed))), table.span));
        let keyed_insert = made.inserted && matches!(made.identity, Identity::Key(_));
        let turned = first.is_some() && !committed && keyed_insert && self.has(Rule::Turns);
        let turns = turned.then(|| self.global(format!("{label} turns"), 0, Some((0, most)), table.span));
        let both = counted && committed;
        let began = both.then(|| self.global(format!("{label} began with"), 0, Some((0, most)), table.span));
        Ok(Row { label, cells, presence, lock, sealed, counts, chosen, reserved, guards, first, turns, began })
    }

    /// Whether a rule is there; in tests one can be left out.
    pub(super) fn has(&self, rule: Rule) -> bool {
        self.without != Some(rule)
    }

    /// The rows by their keys.
    pub(super) fn row_keys(&self) -> BTreeMap<String, RowKey> {
        let mut found = BTreeMap::new();
        for (index, made) in self.tables.iter().enumerate().filter(|(_, made)| !made.passing) {
            let columns = match &made.identity {
                Identity::Key(columns) => columns.clone(),
                Identity::Number(column) => column.iter().copied().collect(),
            };
            for row in &made.rows {
                let value = |column: &ColumnId| match row.cells[column.0] {
                    Cell::Fixed(value) => {
                        let kind = &self.workload.tables[index].columns[column.0].kind;
                        Some((*column, written(kind, value, &self.texts)))
                    }
                    Cell::Global(_) | Cell::None => None,
                };
                let key = columns.iter().filter_map(value).collect();
                found.insert(row.label.clone(), RowKey { table: TableId(index), key });
            }
        }
        found
    }

    /// The ranges that limit what columns store.
    pub(super) fn limits(&self) -> BTreeMap<(TableId, ColumnId), Bounds> {
        let mut found = BTreeMap::new();
        for (index, made) in self.tables.iter().enumerate() {
            for (column, domain) in made.domains.iter().enumerate() {
                if let Some(domain) = domain.as_ref().filter(|domain| domain.limits) {
                    found.insert((TableId(index), ColumnId(column)), domain.bounds);
                }
            }
        }
        found
    }

    /// What the globals stand for.
    pub(super) fn roles(&self) -> BTreeMap<String, Role> {
        let mut roles: BTreeMap<String, Role> = self.globals.iter().map(|global| (global.name.clone(), Role::Inner)).collect();
        let mut say = |variable: GlobalVar, role: Role| {
            roles.insert(self.globals[variable.index()].name.clone(), role);
        };
        for (table, made) in self.workload.tables.iter().zip(&self.tables).filter(|(_, made)| !made.passing) {
            for row in &made.rows {
                for ((column, cell), domain) in table.columns.iter().zip(&row.cells).zip(&made.domains) {
                    if let Cell::Global(variable) = cell {
                        let null = domain.as_ref().filter(|domain| domain.nullable).map(Domain::null);
                        say(*variable, Role::Cell { kind: column.kind.clone(), null });
                    }
                }
                row.presence.into_iter().for_each(|variable| say(variable, Role::There { row: row.label.clone() }));
                row.lock.into_iter().for_each(|variable| say(variable, Role::Held { row: row.label.clone() }));
            }
        }
        roles
    }

    /// Says which columns are not followed.
    fn note_columns(&mut self) {
        let mut unknown: Vec<usize> = Vec::new();
        for (index, table) in self.workload.tables.iter().enumerate() {
            if !self.usage.named.contains(&TableId(index)) {
                unknown.push(index);
                continue;
            }
            let left_out: Vec<String> = (0..table.columns.len())
                .filter(|&column| !self.usage.read.contains(&(TableId(index), ColumnId(column))))
                .map(|column| format!("`{}`", table.columns[column].name))
                .collect();
            if !left_out.is_empty() {
                let message =
                    format!("no script looks at {} of `{}`: what is stored there is not followed", left_out.join(", "), table.name);
                self.notes.push(Diagnostic::note(codes::NOT_FOLLOWED, table.span, message));
            }
        }
        let Some(&first) = unknown.first() else { return };
        let mut names: Vec<String> =
            unknown.iter().take(MOST_NAMED).map(|&index| format!("`{}`", self.workload.tables[index].name)).collect();
        if unknown.len() > MOST_NAMED {
            names.push(format!("and {} more", unknown.len() - MOST_NAMED));
        }
        let message =
            format!("no script names {}: nothing of {} is followed", names.join(", "), if unknown.len() == 1 { "it" } else { "them" });
        self.notes.push(Diagnostic::note(codes::NOT_FOLLOWED, self.workload.tables[first].span, message));
    }
}

fn bad_row(span: Span, label: &str, column: &str, value: &str) -> Diagnostic {
    Diagnostic::error(codes::BAD_SCHEMA, span, format!("the row {label} has {column} = {value}, which the column cannot have"))
        .expected("rows within the ranges of their columns")
        .help("give the column a larger range, or the row another value")
}

/// Where a column stands in what rows are known by.
pub(super) fn key_place(identity: &Identity, column: ColumnId) -> Option<usize> {
    match identity {
        Identity::Key(columns) => columns.iter().position(|known| *known == column),
        Identity::Number(known) => (*known == Some(column)).then_some(0),
    }
}

/// How a server writes a value of this kind.
pub(super) fn written(kind: &Kind, value: i64, texts: &Texts) -> String {
    match kind {
        Kind::Boolean => if value == 0 { "f" } else { "t" }.to_owned(),
        Kind::Enumeration(members) => {
            usize::try_from(value).ok().and_then(|index| members.get(index)).map_or_else(|| value.to_string(), Clone::clone)
        }
        Kind::Text | Kind::Moment => texts.at(value).map_or_else(|| value.to_string(), str::to_owned),
        Kind::Integer | Kind::Other => value.to_string(),
    }
}

/// How people see a value of this kind.
pub(super) fn shown(kind: &Kind, value: i64, texts: &Texts) -> String {
    match kind {
        Kind::Boolean => if value == 0 { "false" } else { "true" }.to_owned(),
        Kind::Enumeration(members) => usize::try_from(value)
            .ok()
            .and_then(|index| members.get(index))
            .map_or_else(|| value.to_string(), |member| format!("'{member}'")),
        Kind::Text | Kind::Moment => texts.at(value).map_or_else(|| value.to_string(), |text| format!("'{text}'")),
        Kind::Integer | Kind::Other => value.to_string(),
    }
}

/// Whether a scalar is one of these columns of the table.
pub(super) fn is_column(scalar: &Scalar, column: ColumnId) -> bool {
    matches!(scalar, Scalar::Column(_, known) if *known == column)
}
