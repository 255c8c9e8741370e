//! How many rows can come into a table whose rows are known by numbers, where nothing says so.
//!
//! Two transactions that each insert all that a script inserts have room: with fewer rows the second of two bookings of
//! one seat would not be among the runs. More than four rows make programs large, and are for people to ask for.

use crate::workload::{Insert, Item, ItemKind, Script, StatementKind, Table, TableId};

/// The most rows that come where nothing is said.
const MOST: u32 = 4;

/// Says how many further rows tables can have that nothing says it of.
pub(crate) fn say_further(tables: &mut [Table], scripts: &[Script]) {
    for (index, table) in tables.iter_mut().enumerate().filter(|(_, table)| !table.further_is_said) {
        let most = scripts.iter().map(|script| inserted(&script.body, TableId(index))).max().unwrap_or(0);
        table.further = u32::try_from(most.saturating_mul(2)).unwrap_or(MOST).clamp(1, MOST);
    }
}

/// How many rows at most statements insert into a table, if each is performed once.
pub(crate) fn inserted(items: &[Item], table: TableId) -> usize {
    let rows = |insert: &Insert| if insert.table == table { insert.rows.len() } else { 0 };
    let of = |item: &Item| match &item.kind {
        ItemKind::Statement(statement) => match &statement.kind {
            StatementKind::Insert(insert) => rows(insert),
            _ => 0,
        },
        ItemKind::If { arms, otherwise } => {
            arms.iter().map(|(_, items)| inserted(items, table)).sum::<usize>() + inserted(otherwise, table)
        }
        ItemKind::Set { .. } | ItemKind::Begin(_) | ItemKind::Commit | ItemKind::Rollback => 0,
    };
    items.iter().map(of).sum()
}
