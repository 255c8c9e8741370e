//! The rules of the translation by name, so that tests can leave one out and see that its absence is noticed.

/// A rule that decides what answers there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(not(feature = "rules-off"), allow(dead_code, unreachable_pub, reason = "tests alone leave rules out"))]
pub enum Rule {
    /// READ COMMITTED: who wants a row that another holds waits.
    Locks,
    /// READ COMMITTED: others can run between two rows of a statement.
    Gaps,
    /// READ COMMITTED: a row that fails WHERE when it is asked again stays held.
    StaysHeld,
    /// READ COMMITTED: INSERT waits for one who changes the row.
    InsertWaits,
    /// READ COMMITTED: a row that was deleted and inserted again is another.
    Versions,
    /// Locks of tables exclude each other.
    TableLocks,
    /// READ COMMITTED: rows that are locked FOR SHARE or FOR KEY SHARE are held.
    Shared,
    /// REPEATABLE READ: rows that the first statement touched are held from the snapshot on.
    FirstStatement,
    /// REPEATABLE READ: an INSERT that is rolled back has its turn before who waits for the same key and commits.
    Turns,
    /// REPEATABLE READ: a row that is only locked keeps others from changing it.
    Guards,
    /// REPEATABLE READ: two attempts that overlap change different rows.
    Reservations,
    /// REPEATABLE READ: what an INSERT finds is known at the end.
    GuessedInsert,
    /// REPEATABLE READ: what is rolled back was touched all the same.
    RolledBack,
    /// REPEATABLE READ: a row that is locked FOR KEY SHARE, as the parent of a child is, keeps others from deleting it.
    KeyGuards,
    /// DELETE of a parent looks for children in the present.
    Children,
}

#[cfg(feature = "rules-off")]
impl Rule {
    /// All of them.
    pub const ALL: [Self; 15] = [
        Self::Locks,
        Self::Gaps,
        Self::StaysHeld,
        Self::InsertWaits,
        Self::Versions,
        Self::TableLocks,
        Self::Shared,
        Self::FirstStatement,
        Self::Turns,
        Self::Guards,
        Self::Reservations,
        Self::GuessedInsert,
        Self::RolledBack,
        Self::KeyGuards,
        Self::Children,
    ];
}
