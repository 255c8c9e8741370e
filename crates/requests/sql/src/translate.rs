//! From a workload to a program that says what PostgreSQL does: the multisets of completed scripts and their answers
//! are those of the server with clients that repeat an attempt which ends in 40001 or 40P01.
//!
//! | what | module |
//! |---|---|
//! | which columns and rows there are, and the globals that stand for them | `usage`, `domain`, `model` |
//! | READ COMMITTED | `committed`, `shared` |
//! | REPEATABLE READ | `snapshot` |
//! | statements over rows, at either level | `rows`, `query` |
//! | foreign keys | `foreign` |
//! | locks of tables | `tables` |
//! | expressions and NULL | `values` |
//! | what a caller gets | `answers` |
//! | scripts, transactions, parameters | `requests` |

mod answers;
mod build;
mod committed;
mod domain;
mod emit;
mod empty;
mod foreign;
mod model;
mod passing;
mod query;
mod requests;
mod rows;
mod shared;
mod snapshot;
mod state;
mod switch;
mod tables;
mod usage;
mod values;

use std::borrow::Cow;
use std::collections::BTreeMap;

use serval_diagnostic::{Diagnostic, Span};
use serval_syntax::Program;

use crate::workload::{
    Bounds, ColumnId, Conflict, Constant, Insert, Isolation, Item, ItemKind, Kind, Scalar, StatementKind, TableId, Workload,
};

pub use answers::Answered;
#[cfg(feature = "rules-off")]
pub use switch::Rule;
#[cfg(not(feature = "rules-off"))]
use switch::Rule;

/// Which program is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// With counts of guards, and rows that a first statement holds from the snapshot on: each run is one of a server.
    Exact,
    /// With counts of guards alone: all runs of a server, and what it does where a statement stands still between its
    /// snapshot and its locks.
    Counted,
    /// Without: there are more runs, and a proof holds for any number of guards.
    Unguarded,
}

/// A workload as a program.
#[derive(Clone, Debug)]
pub struct Translation {
    /// The program. Its spans are bytes of the bundle.
    pub program: Program,
    /// What the model leaves out.
    pub notes: Vec<Diagnostic>,
    /// What answers mean.
    pub answers: Answers,
    /// Whether guards are counted, so that a proof holds for these and [`Form::Unguarded`] may prove more.
    pub exact: bool,
    /// Whether a first statement holds rows from the snapshot on. Then a proof is one of [`Form::Counted`].
    pub holds: bool,
    /// The level that it is about: REPEATABLE READ where there are several.
    pub level: Isolation,
    /// Whether transactions run at READ COMMITTED and above. Then [`Form::Unguarded`] has all runs of a server and
    /// more, and [`Form::Exact`] has none but these, and perhaps not all: a proof is about the one, a run about the
    /// other.
    pub mixed: bool,
    /// Whether statements that have chosen a row and not yet locked it are counted.
    pub replaces: bool,
    /// What the globals stand for.
    pub roles: BTreeMap<String, Role>,
    /// Where the requests come from, one by one.
    pub origins: Vec<Origin>,
    /// The rows that there can be, by what people call them.
    pub rows: BTreeMap<String, RowKey>,
    /// The ranges that limit what columns store.
    pub limits: BTreeMap<(TableId, ColumnId), Bounds>,
}

/// The script and the parameters of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The name of the request.
    pub request: String,
    /// Index into [`Workload::scripts`].
    pub script: usize,
    /// The values of its parameters, as a server writes them, and of what kind they are.
    pub values: Vec<(String, Kind)>,
}

/// A row by its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowKey {
    /// Its table.
    pub table: TableId,
    /// The columns of its key, with their values as a server writes them; none where the table has no key.
    pub key: Vec<(ColumnId, String)>,
}

/// What a global of the program stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role {
    /// A column of a row, as it is committed: `accounts(1).balance`.
    Cell {
        /// What its values are.
        kind: Kind,
        /// The number that stands for NULL, if it can be.
        null: Option<i64>,
    },
    /// Whether a row is there: `accounts(1)`.
    There {
        /// The row.
        row: String,
    },
    /// The lock of a row.
    Held {
        /// The row.
        row: String,
    },
    /// Something that has no name in SQL.
    Inner,
}

/// What the answers of the requests mean, request by request.
#[derive(Clone, Debug, Default)]
pub struct Answers {
    requests: BTreeMap<String, answers::AnswerForm>,
    texts: domain::Texts,
}

impl Answers {
    /// A value of a column in words.
    pub fn value(&self, kind: &Kind, null: Option<i64>, value: i64) -> String {
        if null == Some(value) { "NULL".to_owned() } else { model::shown(kind, value, &self.texts) }
    }

    /// An answer as what a server gives.
    pub fn answered(&self, request: &str, answer: i64) -> Option<Answered> {
        Some(self.requests.get(request)?.answered(answer, &self.texts))
    }

    /// An answer in words.
    pub fn words(&self, request: &str, answer: i64) -> Option<String> {
        let words = self.requests.get(request)?.words(answer, &self.texts);
        Some(if words.is_empty() { "done".to_owned() } else { words })
    }
}

/// Which levels there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Levels {
    /// READ COMMITTED.
    committed: bool,
    /// REPEATABLE READ, or SERIALIZABLE in its place.
    snapshot: bool,
}

impl Levels {
    fn mixed(self) -> bool {
        self.committed && self.snapshot
    }
}

/// The level at which all transactions of a workload run, or the levels if there are several.
pub fn levels(workload: &Workload) -> Vec<Isolation> {
    fn of(items: &[Item], default: Isolation, open: &mut Option<Isolation>, found: &mut Vec<Isolation>) {
        for item in items {
            match &item.kind {
                ItemKind::Begin(level) => *open = Some(level.unwrap_or(default)),
                ItemKind::Commit | ItemKind::Rollback => found.extend(open.take()),
                ItemKind::Statement(statement) => match &statement.kind {
                    StatementKind::Level(level) => *open = Some(*level),
                    _ if open.is_none() => found.push(default),
                    _ => {}
                },
                ItemKind::If { arms, otherwise } => {
                    let before = *open;
                    for (_, items) in arms {
                        *open = before;
                        of(items, default, open, found);
                    }
                    *open = before;
                    of(otherwise, default, open, found);
                }
                ItemKind::Set { .. } => {}
            }
        }
    }
    if let Some(forced) = workload.settings.forced {
        return vec![forced];
    }
    let mut found = Vec::new();
    for script in workload.scripts.iter().filter(|script| !script.left_out && !script.observes) {
        let (mut open, mut named) = (None, Vec::new());
        of(&script.body, workload.settings.isolation, &mut open, &mut named);
        named.extend(open);
        match script.isolation {
            Some(level) if !named.is_empty() => found.push(level),
            _ => found.extend(named),
        }
    }
    found.sort();
    found.dedup();
    found
}

/// The first INSERT that can fail with 23505 and does not stand behind a SELECT from its table in the same script.
pub fn blind_insert(workload: &Workload) -> Option<Span> {
    /// Whether some key of the row is not one that the server chooses.
    fn names_a_key(workload: &Workload, insert: &Insert) -> bool {
        let table = workload.table(insert.table);
        let is_chosen = |column: &ColumnId| {
            let is_given = |row: &Vec<Scalar>| row.get(column.0) != Some(&Scalar::Constant(Constant::Unknown));
            table.column(*column).generated && !insert.rows.iter().any(is_given)
        };
        table.primary.iter().chain(&table.uniques).any(|key| !key.iter().any(is_chosen))
    }
    fn of(workload: &Workload, items: &[Item], seen: &mut Vec<TableId>) -> Option<Span> {
        for item in items {
            match &item.kind {
                ItemKind::Statement(statement) => match &statement.kind {
                    StatementKind::Select(select) => seen.extend(select.table),
                    StatementKind::Insert(insert)
                        if insert.conflict == Conflict::Fail && !seen.contains(&insert.table) && names_a_key(workload, insert) =>
                    {
                        return Some(item.span);
                    }
                    _ => {}
                },
                ItemKind::If { arms, otherwise } => {
                    let parts = arms.iter().map(|(_, items)| items).chain([otherwise]);
                    let found = parts.into_iter().find_map(|items| of(workload, items, &mut seen.clone()));
                    if found.is_some() {
                        return found;
                    }
                }
                _ => {}
            }
        }
        None
    }
    workload.scripts.iter().filter(|script| !script.left_out).find_map(|script| of(workload, &script.body, &mut Vec::new()))
}

/// Translates a workload. SERIALIZABLE is translated as REPEATABLE READ, above which it lies.
pub fn translate(workload: &Workload, form: Form) -> Result<Translation, Vec<Diagnostic>> {
    translated(workload, form, None)
}

/// The translation without one of its rules, for tests of which rules are noticed.
#[cfg(feature = "rules-off")]
pub fn translate_without(workload: &Workload, form: Form, rule: Rule) -> Result<Translation, Vec<Diagnostic>> {
    translated(workload, form, Some(rule))
}

fn translated(workload: &Workload, form: Form, without: Option<Rule>) -> Result<Translation, Vec<Diagnostic>> {
    let found = levels(workload);
    let above = found.iter().any(|level| *level != Isolation::ReadCommitted);
    let levels = Levels { committed: !above || found.contains(&Isolation::ReadCommitted), snapshot: above };
    requests::translate(&observed(workload), levels, form, without)
}

/// The workload with the script that reads all tables, if its settings want one.
pub fn observed(workload: &Workload) -> Cow<'_, Workload> {
    if !workload.settings.observe || workload.scripts.iter().any(|script| script.observes) {
        return Cow::Borrowed(workload);
    }
    let mut observed = workload.clone();
    observed.scripts.push(requests::observer(workload));
    Cow::Owned(observed)
}
