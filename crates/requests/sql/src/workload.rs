//! A workload as data: tables, and scripts of typed statements. What replays it on a server and what translates it to a
//! program both read this.

use serval_diagnostic::Span;

/// A schema and the scripts that use it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workload {
    /// The tables, in the order in which they are created.
    pub tables: Vec<Table>,
    /// The scripts, in the order of their files.
    pub scripts: Vec<Script>,
    /// What `serval.toml`, the command line and directives say.
    pub settings: Settings,
}

/// What is said beside schema and scripts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// The level of transactions that name none.
    pub isolation: Isolation,
    /// The level of all transactions, whatever they name.
    pub forced: Option<Isolation>,
    /// The range of columns that have none.
    pub default_range: Option<Bounds>,
    /// How many holders of shared locks, and how many statements between choosing and locking, are followed.
    pub shared: u32,
    /// Whether a script that reads all tables is added.
    pub observe: bool,
    /// Whether bounds are larger than said: one more row for each table, twice the range of each column.
    pub grow: bool,
    /// Levels of scripts by their names, and where they are said; the last one counts.
    pub levels: Vec<(String, Isolation, Span)>,
    /// Scripts of which no request comes.
    pub without: Vec<(String, Span)>,
}

/// A level of isolation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Isolation {
    /// READ COMMITTED, also READ UNCOMMITTED.
    #[default]
    ReadCommitted,
    /// REPEATABLE READ, which is snapshot isolation.
    RepeatableRead,
    /// SERIALIZABLE.
    Serializable,
}

impl Isolation {
    /// Its name in SQL.
    pub fn name(self) -> &'static str {
        match self {
            Self::ReadCommitted => "READ COMMITTED",
            Self::RepeatableRead => "REPEATABLE READ",
            Self::Serializable => "SERIALIZABLE",
        }
    }

    /// The level of this name, as SQL or the command line spells it.
    pub fn of(name: &str) -> Option<Self> {
        let name = name.trim().to_ascii_lowercase().replace(['-', '_'], " ");
        Some(match name.as_str() {
            "rc" | "read committed" | "read uncommitted" => Self::ReadCommitted,
            "rr" | "repeatable read" | "snapshot" => Self::RepeatableRead,
            "serializable" => Self::Serializable,
            _ => return None,
        })
    }

    /// The level with whose name in lower case a text begins, and what follows.
    pub(crate) fn before(text: &str) -> Option<(Self, &str)> {
        [Self::ReadCommitted, Self::RepeatableRead, Self::Serializable].into_iter().find_map(|level| {
            let rest = text.strip_prefix(&*level.name().to_ascii_lowercase())?.strip_prefix(' ')?;
            Some((level, rest.trim()))
        })
    }
}

/// The values of a column, from the least to the greatest, and what happens beyond.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The least value.
    pub low: i64,
    /// The greatest value.
    pub high: i64,
    /// What happens to a value beyond.
    pub beyond: Beyond,
}

impl Bounds {
    /// How many values there are.
    pub fn count(self) -> i64 {
        self.high.saturating_sub(self.low).saturating_add(1)
    }
}

/// What happens to a value that a column cannot have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beyond {
    /// The statement fails with 23514.
    Fail,
    /// It wraps around.
    Wrap,
    /// The nearest value is stored.
    Saturate,
}

/// Index into [`Workload::tables`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TableId(pub usize);

/// Index into [`Table::columns`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ColumnId(pub usize);

/// A table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// Its name, without schema.
    pub name: String,
    /// Where it is created.
    pub span: Span,
    /// Its columns; those that were dropped are not among them.
    pub columns: Vec<Column>,
    /// The columns of its primary key.
    pub primary: Option<Vec<ColumnId>>,
    /// The columns of its other unique keys.
    pub uniques: Vec<Vec<ColumnId>>,
    /// Conditions that each row meets, those that are ranges of a column left out.
    pub checks: Vec<Scalar>,
    /// Its foreign keys.
    pub foreign: Vec<ForeignKey>,
    /// The rows that are there at first, with a value for each column.
    pub rows: Vec<Vec<Constant>>,
    /// How many rows beyond these there can be, where rows have numbers.
    pub further: u32,
    /// Whether someone says so; else it comes from what scripts insert.
    pub further_is_said: bool,
    /// Whether it is meant to have no row at first.
    pub is_empty: bool,
}

/// `FOREIGN KEY (columns) REFERENCES parent (referred)`, which is checked at once and refuses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForeignKey {
    /// The columns of the child.
    pub columns: Vec<ColumnId>,
    /// The parent.
    pub parent: TableId,
    /// The columns of the parent; its primary key where they are not said.
    pub referred: Vec<ColumnId>,
    /// Where it is said.
    pub span: Span,
}

/// A column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Where it is defined.
    pub span: Span,
    /// Its type, as it is written.
    pub written: String,
    /// What values it has.
    pub kind: Kind,
    /// Whether it can be NULL.
    pub nullable: bool,
    /// What an INSERT stores that does not name it.
    pub default: Option<Constant>,
    /// Whether the server chooses its values: identity, serial.
    pub generated: bool,
    /// Its range, where one is said.
    pub bounds: Option<Bounds>,
    /// Whether that is said for the model alone, and no CHECK of the schema.
    pub modelled: bool,
}

/// What kind of values a column has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Whole numbers.
    Integer,
    /// Truth values.
    Boolean,
    /// Text, of which the constants that occur are told apart.
    Text,
    /// The members of an enumeration, in their order.
    Enumeration(Vec<String>),
    /// Dates and times, of which the constants that occur are told apart and ordered.
    Moment,
    /// Something else, which can be stored and not looked at.
    Other,
}

/// A value that is written down.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Constant {
    /// NULL
    Null,
    /// A whole number.
    Integer(i64),
    /// A truth value.
    Boolean(bool),
    /// Text, a member of an enumeration, a date.
    Text(String),
    /// `DEFAULT`, or a call such as `now()`: a value that is stored and never looked at.
    Unknown,
}

/// One operation of the application: the unit that is asked to be serializable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    /// Its name.
    pub name: String,
    /// Where its text stands.
    pub span: Span,
    /// Its parameters, in the order in which they occur.
    pub parameters: Vec<Parameter>,
    /// The variables of the client, by name.
    pub variables: Vec<String>,
    /// What it does.
    pub body: Vec<Item>,
    /// What the caller gets; all that is selected where this is not said.
    pub answer: Option<Vec<Scalar>>,
    /// Whether it is repeated until a variable is true.
    pub until: Option<Scalar>,
    /// The level of all its transactions, whatever they name, where the settings say one.
    pub isolation: Option<Isolation>,
    /// Whether no request of it comes. Rows and values are those of all scripts, so that whatever is proved of some
    /// scripts is about the same tables as what is proved of others.
    pub left_out: bool,
    /// Whether it reads all tables for `--observe`, in one snapshot, whatever the levels of the others.
    pub observes: bool,
}

/// A parameter of a script, which is part of the name of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name, without sign: `amount`, `1`.
    pub name: String,
    /// Where it first occurs.
    pub span: Span,
    /// Its values, where they are said; else those of the columns that it meets.
    pub values: Option<(i64, i64)>,
}

/// A step of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Where it stands.
    pub span: Span,
    /// What it is.
    pub kind: ItemKind,
}

/// What a step of a script is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ItemKind {
    /// `BEGIN`, with the level if it names one.
    Begin(Option<Isolation>),
    /// `COMMIT`
    Commit,
    /// `ROLLBACK`
    Rollback,
    /// A statement that the server performs.
    Statement(Statement),
    /// `\set`: the client stores a value.
    Set {
        /// The variable.
        variable: usize,
        /// Its value.
        value: Scalar,
    },
    /// `\if` … `\elif` … `\else` … `\endif`
    If {
        /// Conditions and what is done where one holds and none before.
        arms: Vec<(Scalar, Vec<Item>)>,
        /// What is done where none holds.
        otherwise: Vec<Item>,
    },
}

/// A statement and what the client does with its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// What it does.
    pub kind: StatementKind,
    /// `\gset`: the variables that the columns of its only row become.
    pub into: Option<Vec<usize>>,
    /// The text for a server, in which parameters and variables are holes.
    pub text: Vec<Piece>,
}

/// A part of the text of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// As written.
    Text(String),
    /// The value of this parameter.
    Parameter(usize),
    /// The value of this variable.
    Variable(usize),
    /// How many rows the statement before touched.
    RowCount,
}

/// What a statement does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StatementKind {
    /// `SELECT`
    Select(Select),
    /// `INSERT`
    Insert(Insert),
    /// `UPDATE`
    Update(Update),
    /// `DELETE`
    Delete(Delete),
    /// `SELECT pg_advisory_xact_lock(key)`
    Advisory(Scalar),
    /// `LOCK TABLE tables IN mode MODE`
    Lock(LockTables),
    /// `SET TRANSACTION ISOLATION LEVEL` as the first statement.
    Level(Isolation),
}

/// `LOCK TABLE tables IN mode MODE [NOWAIT]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockTables {
    /// The tables, in their order.
    pub tables: Vec<TableId>,
    /// How they are locked.
    pub mode: TableMode,
    /// Whether the statement fails with 55P03 instead of waiting.
    pub nowait: bool,
}

/// How a table is locked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TableMode {
    /// What SELECT takes.
    AccessShare,
    /// What SELECT … FOR UPDATE and the like take.
    RowShare,
    /// What INSERT, UPDATE and DELETE take.
    RowExclusive,
    /// `SHARE UPDATE EXCLUSIVE`
    ShareUpdateExclusive,
    /// `SHARE`
    Share,
    /// `SHARE ROW EXCLUSIVE`
    ShareRowExclusive,
    /// `EXCLUSIVE`
    Exclusive,
    /// `ACCESS EXCLUSIVE`
    AccessExclusive,
}

impl TableMode {
    /// Whether two transactions cannot hold these at once.
    ///
    /// ```
    /// use serval_sql::TableMode::*;
    /// assert!(Share.excludes(RowExclusive) && !Share.excludes(Share) && !Exclusive.excludes(AccessShare));
    /// ```
    pub fn excludes(self, other: Self) -> bool {
        let (weak, strong) = (self.min(other), self.max(other));
        match strong {
            Self::AccessExclusive => true,
            Self::Exclusive => weak >= Self::RowShare,
            Self::ShareRowExclusive => weak >= Self::RowExclusive,
            Self::Share => matches!(weak, Self::RowExclusive | Self::ShareUpdateExclusive),
            Self::ShareUpdateExclusive => weak == Self::ShareUpdateExclusive,
            Self::AccessShare | Self::RowShare | Self::RowExclusive => false,
        }
    }
}

/// `SELECT list FROM table WHERE …`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Select {
    /// The table; none where constants are selected.
    pub table: Option<TableId>,
    /// What is selected, with the names of the columns of the result.
    pub list: Vec<(String, Scalar)>,
    /// The condition.
    pub filter: Option<Scalar>,
    /// By which columns the rows are ordered, and whether from the greatest.
    pub order: Vec<(ColumnId, bool)>,
    /// How many rows at most.
    pub limit: Option<u32>,
    /// `FOR UPDATE` and the like.
    pub lock: Option<RowLock>,
}

impl Select {
    /// Whether it gives one row, made of all rows.
    pub fn aggregates(&self) -> bool {
        self.list.iter().any(|(_, scalar)| scalar.has_aggregate())
    }
}

/// How rows are locked that are selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowLock {
    /// How strongly.
    pub strength: Strength,
    /// What is done about rows that others hold.
    pub wait: Wait,
}

/// How strong the lock of a row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Strength {
    /// `FOR KEY SHARE`
    KeyShare,
    /// `FOR SHARE`
    Share,
    /// `FOR NO KEY UPDATE`
    NoKeyUpdate,
    /// `FOR UPDATE`
    Update,
}

/// What is done about rows that others hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// The statement waits.
    Wait,
    /// It fails with 55P03.
    NoWait,
    /// It leaves them out.
    SkipLocked,
}

/// `UPDATE table SET … WHERE … RETURNING …`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Update {
    /// The table.
    pub table: TableId,
    /// Columns and their new values.
    pub set: Vec<(ColumnId, Scalar)>,
    /// The condition.
    pub filter: Option<Scalar>,
    /// What is answered of each row.
    pub returning: Vec<(String, Scalar)>,
}

/// `DELETE FROM table WHERE … RETURNING …`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delete {
    /// The table.
    pub table: TableId,
    /// The condition.
    pub filter: Option<Scalar>,
    /// What is answered of each row.
    pub returning: Vec<(String, Scalar)>,
}

/// `INSERT INTO table VALUES … ON CONFLICT … RETURNING …`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Insert {
    /// The table.
    pub table: TableId,
    /// The rows, with a value for each column of the table.
    pub rows: Vec<Vec<Scalar>>,
    /// What is done where the row is there.
    pub conflict: Conflict,
    /// The columns of the key that ON CONFLICT names.
    pub target: Option<Vec<ColumnId>>,
    /// What is answered of each row.
    pub returning: Vec<(String, Scalar)>,
}

/// What an INSERT does where the row is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conflict {
    /// It fails with 23505.
    Fail,
    /// `DO NOTHING`
    Nothing,
    /// `DO UPDATE SET … WHERE …`
    Update {
        /// Columns and their new values.
        set: Vec<(ColumnId, Scalar)>,
        /// The condition.
        filter: Option<Scalar>,
    },
}

/// An expression of SQL or of the client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// A constant.
    Constant(Constant),
    /// A column of the row that is looked at.
    Column(TableId, ColumnId),
    /// `EXCLUDED.column`
    Excluded(ColumnId),
    /// A parameter of the script.
    Parameter(usize),
    /// A variable of the client.
    Variable(usize),
    /// How many rows the statement before touched.
    RowCount,
    /// `a + b` and the like.
    Arithmetic(Operation, Box<Self>, Box<Self>),
    /// `a < b` and the like.
    Compare(Comparison, Box<Self>, Box<Self>),
    /// `a AND b …`
    And(Vec<Self>),
    /// `a OR b …`
    Or(Vec<Self>),
    /// `NOT a`
    Not(Box<Self>),
    /// `a IS NULL`
    IsNull(Box<Self>),
    /// `CASE WHEN … THEN … ELSE … END`
    Case(Vec<(Self, Self)>, Box<Self>),
    /// The least of these, or the greatest, NULLs left out.
    Extreme(bool, Vec<Self>),
    /// `coalesce(a, b, …)`
    Coalesce(Vec<Self>),
    /// An aggregate over the rows of the statement.
    Aggregate(Aggregate, Option<Box<Self>>),
    /// A SELECT in parentheses, which gives one value.
    SubSelect(Box<Select>),
    /// `EXISTS (SELECT …)`
    Exists(Box<Select>),
}

impl Scalar {
    /// Whether it is made of all rows of the statement.
    pub fn has_aggregate(&self) -> bool {
        let mut found = false;
        self.visit(&mut |part| found |= matches!(part, Self::Aggregate(..)));
        found
    }

    /// Shows it and its parts to `f`; what stands in a SELECT in parentheses is not shown.
    pub fn visit<'s>(&'s self, f: &mut dyn FnMut(&'s Self)) {
        f(self);
        match self {
            Self::Constant(_)
            | Self::Column(..)
            | Self::Excluded(_)
            | Self::Parameter(_)
            | Self::Variable(_)
            | Self::RowCount
            | Self::SubSelect(_)
            | Self::Exists(_)
            | Self::Aggregate(_, None) => {}
            Self::Arithmetic(_, left, right) | Self::Compare(_, left, right) => {
                left.visit(f);
                right.visit(f);
            }
            Self::And(parts) | Self::Or(parts) | Self::Extreme(_, parts) | Self::Coalesce(parts) => {
                parts.iter().for_each(|part| part.visit(f));
            }
            Self::Not(part) | Self::IsNull(part) | Self::Aggregate(_, Some(part)) => part.visit(f),
            Self::Case(arms, otherwise) => {
                for (condition, value) in arms {
                    condition.visit(f);
                    value.visit(f);
                }
                otherwise.visit(f);
            }
        }
    }
}

/// An aggregate function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aggregate {
    /// `count(*)`, `count(a)`
    Count,
    /// `sum(a)`
    Sum,
    /// `min(a)`
    Min,
    /// `max(a)`
    Max,
}

/// An operation on whole numbers. Division is SQL's, towards zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Remainder,
}

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `=`
    Equal,
    /// `<>`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

impl Workload {
    /// The level of a transaction of a script that names this one, or none.
    pub fn level_of(&self, script: &Script, named: Option<Isolation>) -> Isolation {
        if script.observes {
            return Isolation::RepeatableRead;
        }
        self.settings.forced.or(script.isolation).or(named).unwrap_or(self.settings.isolation)
    }

    /// A table.
    pub fn table(&self, id: TableId) -> &Table {
        &self.tables[id.0]
    }
}

impl Table {
    /// A column.
    pub fn column(&self, id: ColumnId) -> &Column {
        &self.columns[id.0]
    }

    /// The column of this name.
    pub fn column_named(&self, name: &str) -> Option<ColumnId> {
        self.columns.iter().position(|column| column.name == name).map(ColumnId)
    }
}
