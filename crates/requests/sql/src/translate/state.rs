//! What is known and passed around while a request is made: values, ranges of values, where a script is, how an attempt
//! ends.

use std::collections::BTreeSet;

use serval_syntax::{Expr, LocalVar};

use super::model::RowId;
use crate::workload::{Kind, TableId, TableMode};

/// A value: a number, and whether it is NULL.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub(super) number: Expr,
    pub(super) null: Expr,
    pub(super) kind: Kind,
}

impl Value {
    pub(super) fn of(number: Expr, kind: Kind) -> Self {
        Self { number, null: super::build::number(0), kind }
    }
}

/// A value on its way into a column.
#[derive(Clone, Debug)]
pub(super) struct StoredValue {
    pub(super) number: Expr,
    /// Whether it lies beyond the range: 23514.
    pub(super) beyond: Expr,
    /// Whether it is NULL where the column cannot be: 23502.
    pub(super) null: Expr,
}

/// The row that an expression looks at, and what EXCLUDED has.
#[derive(Clone, Copy, Default)]
pub(super) struct Looking<'a> {
    pub(super) row: Option<RowId>,
    pub(super) excluded: Option<&'a [Value]>,
}

/// The least and the greatest number of a value, and whether it can be NULL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reach {
    pub(super) low: i64,
    pub(super) high: i64,
    pub(super) null: bool,
}

/// Where a script is, while it is translated.
#[derive(Clone, Debug, Default)]
pub(super) struct Progress {
    /// Whether a transaction is open.
    pub(super) open: bool,
    /// Whether a statement was performed, so that the next begins another step.
    pub(super) ran: bool,
    /// How many statements the transaction has performed.
    pub(super) statements: u32,
    /// The tables that it has inserted into.
    pub(super) inserted: BTreeSet<TableId>,
}

/// A table and how it is locked.
pub(super) type TableLock = (TableId, TableMode);

/// A row whose reference to a parent a statement can change.
#[derive(Clone, Copy, Debug)]
pub(super) struct Referring {
    pub(super) row: RowId,
    /// Which foreign key of its table.
    pub(super) key: usize,
    /// Whether the statement has changed it.
    pub(super) changed: LocalVar,
}

/// A parent that was deleted, and whose children are looked for.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Childless {
    pub(super) parent: RowId,
    /// Whether it was.
    pub(super) deleted: LocalVar,
    /// The table of the children, and which of its foreign keys.
    pub(super) child: TableId,
    pub(super) key: usize,
    /// Whether the transaction had a version of its own of each row of that table.
    pub(super) own: Vec<Expr>,
}

/// How an attempt ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    Commit,
    /// By ROLLBACK, or by an error that says nothing about other rows.
    Rollback,
    /// By 23505, because this row is there.
    Conflict(RowId),
    /// By 23503, because the parent that was deleted last has a child.
    Child,
}
