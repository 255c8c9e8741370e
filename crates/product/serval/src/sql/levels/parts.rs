//! Which scripts have to do with each other.
//!
//! Two scripts *meet* if they touch the same table, or tables of which one refers to the other, or both take advisory
//! locks. The classes of the transitive closure are the *parts* of a workload.
//!
//! **Rule.** A workload is serializable if and only if each of its parts is, whatever the levels of the others.
//! **Proof.** What a statement does and answers depends on rows, locks and versions of the tables that it touches, on
//! advisory locks, and on the variables of its own script; a commit or a rollback on the rows that its transaction
//! touched. So the steps of a part in a run are a run of that part. If each of these has a serial order, these orders
//! one behind the other are one of the whole, because no request of one part sees what another part does. Conversely a
//! run of one part is a run of the whole in which no other request comes.

use std::collections::BTreeSet;

use serval_sql::{Conflict, Insert, Item, ItemKind, Scalar, Script, Select, Statement, StatementKind, Workload};

/// The parts of a workload: the places of scripts, in order; parts in the order of their first scripts. Scripts that
/// are left out are in none.
pub(super) fn parts(workload: &Workload) -> Vec<Vec<usize>> {
    let mut parts: Vec<(BTreeSet<usize>, Vec<usize>)> = Vec::new();
    for (index, script) in workload.scripts.iter().enumerate().filter(|(_, script)| !script.left_out) {
        let mut touched = touched(script, workload);
        let mut members = vec![index];
        // One who looks at all tables meets all.
        let (met, rest) = std::mem::take(&mut parts)
            .into_iter()
            .partition::<Vec<_>, _>(|(tables, _)| workload.settings.observe || !tables.is_disjoint(&touched));
        for (tables, scripts) in met {
            touched.extend(tables);
            members.extend(scripts);
        }
        members.sort_unstable();
        parts = rest;
        parts.push((touched, members));
    }
    let mut found: Vec<Vec<usize>> = parts.into_iter().map(|(_, members)| members).collect();
    found.sort();
    found
}

/// The tables that a script touches, those that these refer to with them; advisory locks are one more.
fn touched(script: &Script, workload: &Workload) -> BTreeSet<usize> {
    let mut touched = BTreeSet::new();
    items(&script.body, workload.tables.len(), &mut touched);
    // A child looks at its parents, and who deletes a parent at its children.
    loop {
        let before = touched.len();
        for (child, table) in workload.tables.iter().enumerate() {
            for key in &table.foreign {
                if touched.contains(&child) || touched.contains(&key.parent.0) {
                    touched.extend([child, key.parent.0]);
                }
            }
        }
        if touched.len() == before {
            return touched;
        }
    }
}

fn items(items_of: &[Item], advisory: usize, touched: &mut BTreeSet<usize>) {
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

fn statement(statement: &Statement, advisory: usize, touched: &mut BTreeSet<usize>) {
    match &statement.kind {
        StatementKind::Select(of) => select(of, touched),
        StatementKind::Update(update) => {
            touched.insert(update.table.0);
            let values = update.set.iter().map(|(_, value)| value);
            values.chain(&update.filter).chain(update.returning.iter().map(|(_, value)| value)).for_each(|value| scalar(value, touched));
        }
        StatementKind::Delete(delete) => {
            touched.insert(delete.table.0);
            delete.filter.iter().chain(delete.returning.iter().map(|(_, value)| value)).for_each(|value| scalar(value, touched));
        }
        StatementKind::Insert(of) => insert(of, touched),
        StatementKind::Advisory(_) => drop(touched.insert(advisory)),
        StatementKind::Lock(lock) => touched.extend(lock.tables.iter().map(|table| table.0)),
        StatementKind::Level(_) => {}
    }
}

fn insert(insert: &Insert, touched: &mut BTreeSet<usize>) {
    touched.insert(insert.table.0);
    insert.rows.iter().flatten().chain(insert.returning.iter().map(|(_, value)| value)).for_each(|value| scalar(value, touched));
    if let Conflict::Update { set, filter } = &insert.conflict {
        set.iter().map(|(_, value)| value).chain(filter).for_each(|value| scalar(value, touched));
    }
}

fn select(select: &Select, touched: &mut BTreeSet<usize>) {
    touched.extend(select.table.map(|table| table.0));
    select.list.iter().map(|(_, value)| value).chain(&select.filter).for_each(|value| scalar(value, touched));
}

fn scalar(value: &Scalar, touched: &mut BTreeSet<usize>) {
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
            super::parts(&found.workload.unwrap_or_else(|| panic!("{:#?}", found.diagnostics)))
        };
        let count = |table: &str| format!("SELECT count(*) FROM {table};");
        assert_eq!(parts(&[&count("a"), &count("b"), &count("a")]), [vec![0, 2], vec![1]]);
        assert_eq!(parts(&[&count("a"), &count("b"), "BEGIN; SELECT count(*) FROM a; SELECT count(*) FROM b; COMMIT;"]), [vec![0, 1, 2]]);
        assert_eq!(parts(&[&count("c"), &count("child"), &count("b")]), [vec![0, 1], vec![2]]);
        assert_eq!(parts(&["SELECT id FROM a WHERE EXISTS (SELECT id FROM b);", &count("b")]), [vec![0, 1]]);
        let lock = "BEGIN; SELECT pg_advisory_xact_lock(1); COMMIT;";
        assert_eq!(parts(&[lock, &count("a"), lock]), [vec![0, 2], vec![1]]);
    }
}
