//! Which scripts have to do with each other.
//!
//! A table is *constant* if no script changes or locks it, nor one that it refers to or that refers to it. Two scripts
//! *meet* if they touch the same table that is not constant, or tables of which one refers to the other, or both take
//! advisory locks. The classes of the transitive closure are the *parts* of a workload.
//!
//! **Rule.** A workload is serializable if and only if each of its parts is, whatever the levels of the others.
//! **Proof.** What a statement does and answers depends on rows, locks and versions of the tables that it touches, on
//! advisory locks, and on the variables of its own script; a commit or a rollback on the rows that its transaction
//! touched. Rows of a constant table are in each state, committed or seen in a snapshot, what they are at first, and no
//! statement waits for them: to read them tells nothing about others. So the steps of a part in a run are a run of that
//! part. If each of these has a serial order, these orders one behind the other are one of the whole, because no
//! request of one part sees what another part does. Conversely a run of one part is a run of the whole in which no
//! other request comes.

use std::collections::BTreeSet;

use serval_sql::{Conflict, Insert, Item, ItemKind, Scalar, Script, Select, Statement, StatementKind, Workload};

/// What a script has to do with tables; advisory locks are one more.
#[derive(Clone, Debug, Default)]
pub(super) struct Touched {
    /// Whether it reads or changes it.
    any: BTreeSet<usize>,
    /// Whether it changes or locks it.
    changed: BTreeSet<usize>,
}

/// What each script touches; nothing those that are left out.
pub(super) fn touched(workload: &Workload) -> Vec<Touched> {
    let of = |script: &Script| if script.left_out { Touched::default() } else { touched_by(script, workload) };
    workload.scripts.iter().map(of).collect()
}

/// The pairs of scripts of which one changes or locks what the other one touches, the smaller first.
pub(super) fn meeting(touched: &[Touched]) -> BTreeSet<[usize; 2]> {
    let pairs = (0..touched.len()).flat_map(|one| (one + 1..touched.len()).map(move |other| [one, other]));
    let meet = |one: &Touched, other: &Touched| !one.any.is_disjoint(&other.changed) || !one.changed.is_disjoint(&other.any);
    pairs.filter(|&[one, other]| meet(&touched[one], &touched[other])).collect()
}

/// The parts of a workload: the places of scripts, in order; parts in the order of their first scripts. Scripts that
/// are left out are in none.
pub(super) fn parts(workload: &Workload, touched: &[Touched]) -> Vec<Vec<usize>> {
    let changed: BTreeSet<usize> = touched.iter().flat_map(|script| script.changed.iter().copied()).collect();
    let mut parts: Vec<(BTreeSet<usize>, Vec<usize>)> = Vec::new();
    for (index, _) in workload.scripts.iter().enumerate().filter(|(_, script)| !script.left_out) {
        let mut own: BTreeSet<usize> = touched[index].any.intersection(&changed).copied().collect();
        let mut members = vec![index];
        // One who looks at all tables meets all.
        let (met, rest) = std::mem::take(&mut parts)
            .into_iter()
            .partition::<Vec<_>, _>(|(tables, _)| workload.settings.observe || !tables.is_disjoint(&own));
        for (tables, scripts) in met {
            own.extend(tables);
            members.extend(scripts);
        }
        members.sort_unstable();
        parts = rest;
        parts.push((own, members));
    }
    let mut found: Vec<Vec<usize>> = parts.into_iter().map(|(_, members)| members).collect();
    found.sort();
    found
}

/// The tables that a script touches, those that these refer to with them.
fn touched_by(script: &Script, workload: &Workload) -> Touched {
    let mut touched = Touched::default();
    items(&script.body, workload.tables.len(), &mut touched);
    related(&mut touched.any, workload);
    related(&mut touched.changed, workload);
    touched
}

/// A child looks at its parents, and who deletes a parent at its children.
fn related(tables: &mut BTreeSet<usize>, workload: &Workload) {
    loop {
        let before = tables.len();
        for (child, table) in workload.tables.iter().enumerate() {
            for key in &table.foreign {
                if tables.contains(&child) || tables.contains(&key.parent.0) {
                    tables.extend([child, key.parent.0]);
                }
            }
        }
        if tables.len() == before {
            return;
        }
    }
}

impl Touched {
    fn change(&mut self, table: usize) {
        self.any.insert(table);
        self.changed.insert(table);
    }
}

fn items(items_of: &[Item], advisory: usize, touched: &mut Touched) {
    for item in items_of {
        match &item.kind {
            ItemKind::Statement(one) => statement(one, advisory, touched),
            ItemKind::If { arms, otherwise } => {
                arms.iter().for_each(|(_, inner)| items(inner, advisory, touched));
                items(otherwise, advisory, touched);
            }
            ItemKind::Begin(_) | ItemKind::Commit | ItemKind::Rollback | ItemKind::Set { .. } => {}
        }
    }
}

fn statement(statement: &Statement, advisory: usize, touched: &mut Touched) {
    match &statement.kind {
        StatementKind::Select(of) => select(of, touched),
        StatementKind::Update(update) => {
            touched.change(update.table.0);
            let values = update.set.iter().map(|(_, value)| value);
            values.chain(&update.filter).chain(update.returning.iter().map(|(_, value)| value)).for_each(|value| scalar(value, touched));
        }
        StatementKind::Delete(delete) => {
            touched.change(delete.table.0);
            delete.filter.iter().chain(delete.returning.iter().map(|(_, value)| value)).for_each(|value| scalar(value, touched));
        }
        StatementKind::Insert(of) => insert(of, touched),
        StatementKind::Advisory(_) => touched.change(advisory),
        StatementKind::Lock(lock) => lock.tables.iter().for_each(|table| touched.change(table.0)),
        StatementKind::Level(_) => {}
    }
}

fn insert(insert: &Insert, touched: &mut Touched) {
    touched.change(insert.table.0);
    insert.rows.iter().flatten().chain(insert.returning.iter().map(|(_, value)| value)).for_each(|value| scalar(value, touched));
    if let Conflict::Update { set, filter } = &insert.conflict {
        set.iter().map(|(_, value)| value).chain(filter).for_each(|value| scalar(value, touched));
    }
}

fn select(select: &Select, touched: &mut Touched) {
    if let Some(table) = select.table {
        touched.any.insert(table.0);
        if select.lock.is_some() {
            touched.change(table.0);
        }
    }
    select.list.iter().map(|(_, value)| value).chain(&select.filter).for_each(|value| scalar(value, touched));
}

fn scalar(value: &Scalar, touched: &mut Touched) {
    let mut inner = Vec::new();
    value.visit(&mut |part| {
        if let Scalar::SubSelect(select) | Scalar::Exists(select) = part {
            inner.push(select);
        }
    });
    inner.into_iter().for_each(|of| select(of, touched));
}

#[cfg(test)]
mod tests {
    #[test]
    fn scripts_that_meet_are_one_part() {
        let schema = "CREATE TABLE a (id int PRIMARY KEY); CREATE TABLE b (id int PRIMARY KEY); CREATE TABLE c (id int PRIMARY KEY);
    CREATE TABLE child (id int PRIMARY KEY, c int REFERENCES c (id));";
        let parts = |bodies: &[&str]| {
            let named: Vec<String> = bodies.iter().enumerate().map(|(number, body)| format!("-- name: s{number}\n{body}\n")).collect();
            let files = [("schema.sql".to_owned(), schema.to_owned()), ("s.sql".to_owned(), named.concat())];
            let found = serval_sql::read(&serval_sql::bundle(&files));
            let workload = found.workload.unwrap_or_else(|| panic!("{:#?}", found.diagnostics));
            super::parts(&workload, &super::touched(&workload))
        };
        let lock = |table: &str| format!("SELECT id FROM {table} FOR UPDATE;");
        let count = |table: &str| format!("SELECT count(*) FROM {table};");
        assert_eq!(parts(&[&lock("a"), &lock("b"), &lock("a")]), [vec![0, 2], vec![1]]);
        let both = "BEGIN; SELECT id FROM a FOR UPDATE; SELECT id FROM b FOR UPDATE; COMMIT;";
        assert_eq!(parts(&[&lock("a"), &lock("b"), both]), [vec![0, 1, 2]]);
        assert_eq!(parts(&[&lock("c"), &lock("child"), &lock("b")]), [vec![0, 1], vec![2]]);
        assert_eq!(parts(&["SELECT id FROM a WHERE EXISTS (SELECT id FROM b);", &lock("b")]), [vec![0, 1]]);
        // No script changes what two read; and one that does is with both.
        assert_eq!(parts(&[&count("a"), &count("a")]), [vec![0], vec![1]]);
        assert_eq!(parts(&[&count("a"), &count("a"), "INSERT INTO a VALUES (1);"]), [vec![0, 1, 2]]);
        assert_eq!(parts(&[&count("c"), &count("c"), "DELETE FROM child WHERE id = 1;"]), [vec![0, 1, 2]]);
        let advisory = "BEGIN; SELECT pg_advisory_xact_lock(1); COMMIT;";
        assert_eq!(parts(&[advisory, &lock("a"), advisory]), [vec![0, 2], vec![1]]);
    }
}
