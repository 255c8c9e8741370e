//! The same workload with larger bounds: one more row for each table, and twice the range of each column that has one
//! for the model alone. A CHECK is part of the schema, and stays.
//!
//! A table whose rows are there at first gets a copy of its last row, under a key that is free; where there is none
//! that its foreign keys allow, it stays as it is.

use crate::workload::{Bounds, ColumnId, Constant, Kind, Settings, Table};

/// Makes the bounds larger.
pub(crate) fn grow(settings: &mut Settings, tables: &mut [Table]) {
    settings.default_range = settings.default_range.map(twice);
    for index in 0..tables.len() {
        let keys: Vec<ColumnId> = key_columns(&tables[index]);
        for (number, column) in tables[index].columns.iter_mut().enumerate().filter(|(_, column)| column.modelled) {
            let more = |bounds: Bounds| Bounds { high: bounds.high.saturating_add(1), ..bounds };
            column.bounds = column.bounds.map(if keys.contains(&ColumnId(number)) { more } else { twice });
        }
        let table = &mut tables[index];
        table.further = table.further.saturating_add(1);
        if let Some(row) = one_more(tables, index) {
            tables[index].rows.push(row);
        }
    }
}

fn twice(bounds: Bounds) -> Bounds {
    Bounds { high: bounds.high.saturating_add(bounds.count()), ..bounds }
}

/// The columns by which rows are known, here or in a parent.
fn key_columns(table: &Table) -> Vec<ColumnId> {
    let keys = table.primary.iter().chain(&table.uniques).chain(table.foreign.iter().map(|key| &key.columns));
    keys.flatten().copied().collect()
}

/// A copy of the last row of a table, with a key that is free.
fn one_more(tables: &[Table], index: usize) -> Option<Vec<Constant>> {
    let table = &tables[index];
    let primary = table.primary.as_ref()?;
    primary.iter().rev().find_map(|&raised| {
        let mut row = table.rows.last()?.clone();
        raise(table, &mut row, raised)?;
        for unique in table.uniques.iter().filter(|unique| !unique.contains(&raised)) {
            raise(table, &mut row, *unique.last()?)?;
        }
        let fits = |key: &crate::workload::ForeignKey| {
            let parents = &tables[key.parent.0].rows;
            let is_null = key.columns.iter().any(|column| row[column.0] == Constant::Null);
            let refers = |parent: &Vec<Constant>| key.columns.iter().zip(&key.referred).all(|(own, other)| row[own.0] == parent[other.0]);
            is_null || parents.iter().any(refers)
        };
        table.foreign.iter().all(fits).then_some(row)
    })
}

/// Gives a column of a row the next number.
fn raise(table: &Table, row: &mut [Constant], column: ColumnId) -> Option<()> {
    let known = table.column(column);
    let number = |row: &Vec<Constant>| match row.get(column.0) {
        Some(Constant::Integer(value)) => Some(*value),
        _ => None,
    };
    let next = table.rows.iter().map(number).collect::<Option<Vec<i64>>>()?.into_iter().max()?.checked_add(1)?;
    let fits = known.kind == Kind::Integer && known.bounds.is_none_or(|bounds| (bounds.low..=bounds.high).contains(&next));
    *row.get_mut(column.0)? = fits.then_some(Constant::Integer(next))?;
    Some(())
}
