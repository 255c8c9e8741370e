//! Tables that stay empty: what scripts do there says nothing.
//!
//! A schema as `pg_dump --schema-only` writes it has no rows. A script that looks for a row which is never there does
//! the same in every run, so that a workload would be serializable because nothing happens in it. That is a mistake of
//! what was given and no verdict; `rows TABLE 0` says that the table is meant to be empty.

use serval_diagnostic::Diagnostic;

use super::usage::Usage;
use crate::codes;
use crate::workload::{Column, Kind, Table, TableId, Workload};

/// A mistake for each table in which scripts, or foreign keys of what they insert, look for rows that are never there.
pub(super) fn stay_empty(workload: &Workload, usage: &Usage) -> Vec<Diagnostic> {
    let is_empty = |id: &&TableId| {
        let table = workload.table(**id);
        table.rows.is_empty() && !table.is_empty && !usage.inserted.contains(*id)
    };
    usage.sought.iter().filter(is_empty).map(|id| mistake(workload.table(*id))).collect()
}

fn mistake(table: &Table) -> Diagnostic {
    let name = &table.name;
    Diagnostic::error(codes::NO_ROWS, table.span, format!("`{name}` has no row at first, and no script inserts one"))
        .expected("rows to which something can happen")
        .help(format!("add to the schema: {}; or, if it is meant to be empty: -- serval: rows {name} 0", row(table)))
}

/// An INSERT of one row, as it may be.
fn row(table: &Table) -> String {
    let is_needed = |column: &&Column| !column.generated && !column.nullable && column.default.is_none();
    let (names, values): (Vec<&str>, Vec<String>) =
        table.columns.iter().filter(is_needed).map(|column| (column.name.as_str(), value(column))).unzip();
    if names.is_empty() {
        return format!("INSERT INTO {} DEFAULT VALUES", table.name);
    }
    format!("INSERT INTO {} ({}) VALUES ({})", table.name, names.join(", "), values.join(", "))
}

fn value(column: &Column) -> String {
    match &column.kind {
        Kind::Integer => column.bounds.map_or(1, |bounds| 1.clamp(bounds.low, bounds.high)).to_string(),
        Kind::Boolean => "true".to_owned(),
        Kind::Text => "'a'".to_owned(),
        Kind::Enumeration(members) => {
            members.first().map_or_else(|| "NULL".to_owned(), |member| format!("'{}'", member.replace('\'', "''")))
        }
        Kind::Moment => "now()".to_owned(),
        Kind::Other => "…".to_owned(),
    }
}
