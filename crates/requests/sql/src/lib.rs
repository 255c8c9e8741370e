//! SQL workloads: a schema and the scripts of an application, read and typed.
//!
//! A *workload* is a set of files, which come as one text, the [`bundle()`]. [`read()`] makes data of it: tables, and
//! scripts of typed statements ([`Workload`]). What is not modelled is an error that names it; nothing is dropped in
//! silence.
//!
//! Nothing here panics, prints, or reads anything but the text.
//!
//! | to change | open |
//! |---|---|
//! | what one text a directory becomes | `bundle` |
//! | how files are cut into statements and commands | `scan` |
//! | what a schema can say | `schema` |
//! | which statements and expressions there are | `statements`, `lower`, `names`; as data: `workload` |
//! | what the server does, as a program | `translate` |
//! | commands of the client, directives | `script`, `settings` |
//! | bounds of rows that nothing says, larger bounds | `further`, `grow` |

mod bundle;
mod codes;
mod further;
mod grow;
mod lower;
mod names;
mod read;
mod scan;
mod schema;
mod script;
mod settings;
mod statements;
mod translate;
mod workload;

pub use bundle::{BundleFile, MOST_BYTES, NoBundle, SETTINGS, bundle, files};
pub use codes::codes;
pub use read::{Reading, is_schema, read};
pub use translate::{Answered, Answers, Form, Origin, Role, RowKey, Translation, blind_insert, levels, observed, translate};
#[cfg(feature = "rules-off")]
pub use translate::{Rule, translate_without};
pub use workload::{
    Aggregate, Beyond, Bounds, Column, ColumnId, Comparison, Conflict, Constant, Delete, ForeignKey, Insert, Isolation, Item, ItemKind,
    Kind, LockTables, Operation, Parameter, Piece, RowLock, Scalar, Script, Select, Settings, Statement, StatementKind, Strength, Table,
    TableId, TableMode, Update, Wait, Workload,
};
