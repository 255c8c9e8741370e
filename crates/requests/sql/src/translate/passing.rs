//! Rows that pass: those of tables into which scripts insert, and at which no statement ever looks, such as a log.
//!
//! **Conditions**, for a table without rows that are known by a key: no statement selects, changes, deletes or locks
//! its rows or the table itself, also not the script that `--observe` adds; it is no parent of a foreign key, and no
//! row is deleted to which it may refer.
//!
//! **Model.** A row that is inserted is a version of the transaction's own, which its CHECKs, foreign keys and
//! RETURNING look at. When the transaction commits nothing is stored, and nothing is locked or reserved: each
//! transaction finds as many rows as one script inserts, and none of others.
//!
//! **Why.** The key of such a row is one that the server has not given before, so that INSERT meets no other row: it
//! neither waits nor fails for one, at either level. Its foreign keys look at parents and lock them, and these are
//! rows of other tables. By the conditions no later statement of any transaction depends on the rows that are there,
//! and nothing waits for who has inserted one: what the server does from a state does not depend on the rows of this
//! table. So a run of the model is one of the server, for any number of rows, and each run of the server is one of the
//! model. ∎

use super::usage::Usage;
use crate::workload::{TableId, Workload};

/// Whether the conditions hold of a table whose rows are known by numbers that no script sees.
pub(super) fn passes(workload: &Workload, usage: &Usage, id: TableId) -> bool {
    let is_parent = workload.tables.iter().any(|child| child.foreign.iter().any(|key| key.parent == id));
    let is_looked_at = usage.sought.contains(&id) || usage.children.contains(&id) || usage.table_locks.contains_key(&id);
    usage.inserted.contains(&id) && !is_parent && !is_looked_at
}
