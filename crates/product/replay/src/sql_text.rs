//! Statements and tables of a workload as text for a server.
//!
//! A statement is issued as it is written, with values for its holes. Where it stores a computed value into a column
//! that wraps or saturates, that value is written as the model has it (`mod(…)`, `least(…)`), and the statement with
//! it.

use std::collections::BTreeMap;

use serval_sql::{
    Aggregate, Beyond, Bounds, ColumnId, Comparison, Conflict, Constant, Delete, Insert, Kind, Operation, Piece, Scalar, Select, Statement,
    StatementKind, Strength, Table, TableId, Update, Wait, Workload,
};

/// The ranges that limit what columns store.
pub type ColumnLimits = BTreeMap<(TableId, ColumnId), Bounds>;

/// A value of the client; NULL is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ClientValue {
    Number(i64),
    Text(String),
}

impl ClientValue {
    /// As the server wrote it, or people did.
    pub(crate) fn read(text: &str) -> Self {
        text.parse().map_or_else(|_| Self::Text(text.to_owned()), Self::Number)
    }

    pub(crate) fn is_true(&self) -> bool {
        match self {
            Self::Number(number) => *number != 0,
            Self::Text(text) => matches!(text.to_lowercase().as_str(), "t" | "true" | "on" | "yes"),
        }
    }

    pub(crate) fn number(&self) -> Option<i64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Text(_) if self.is_true() => Some(1),
            Self::Text(text) => matches!(text.as_str(), "f" | "false" | "off" | "no").then_some(0),
        }
    }

    pub(crate) fn shown(&self) -> String {
        match self {
            Self::Number(number) => number.to_string(),
            Self::Text(text) => text.clone(),
        }
    }
}

/// What the holes of a statement stand for.
pub(crate) struct Values<'a> {
    pub(crate) parameters: &'a [ClientValue],
    pub(crate) variables: &'a [Option<ClientValue>],
    pub(crate) count: i64,
    /// The names of the variables.
    pub(crate) names: &'a [String],
    pub(crate) limits: &'a ColumnLimits,
}

pub(crate) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

pub(crate) fn name(name: &str) -> String {
    let is_plain = name.starts_with(|c: char| c.is_ascii_lowercase() || c == '_')
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    if is_plain && !RESERVED.contains(&name) { name.to_owned() } else { format!("\"{}\"", name.replace('"', "\"\"")) }
}

/// Some words that are no names without quotes; the rest of them the server names.
const RESERVED: [&str; 16] = [
    "user", "order", "group", "table", "select", "where", "from", "to", "check", "limit", "offset", "end", "desc", "asc", "default", "all",
];

impl ClientValue {
    /// As a constant of SQL.
    fn literal(&self) -> String {
        match self {
            Self::Number(number) if *number < 0 => format!("({number})"),
            Self::Number(number) => number.to_string(),
            Self::Text(text) => quoted(text),
        }
    }
}

impl Values<'_> {
    fn variable(&self, index: usize) -> Result<String, String> {
        let known = self.variables.get(index).and_then(Option::as_ref);
        known.map(ClientValue::literal).ok_or_else(|| format!("the variable `{}` has no value", self.names[index]))
    }

    fn parameter(&self, index: usize) -> Result<String, String> {
        self.parameters.get(index).map(ClientValue::literal).ok_or_else(|| "a parameter has no value".to_owned())
    }
}

/// A statement as a server gets it.
pub(crate) fn statement(workload: &Workload, statement: &Statement, values: &Values<'_>) -> Result<String, String> {
    if stores_limited(statement, values.limits) {
        return Printer { workload, values, table: None }.statement(&statement.kind);
    }
    let mut text = String::new();
    for piece in &statement.text {
        match piece {
            Piece::Text(part) => text.push_str(part),
            Piece::Parameter(index) => text.push_str(&values.parameter(*index)?),
            Piece::Variable(index) => text.push_str(&values.variable(*index)?),
            Piece::RowCount => text.push_str(&values.count.to_string()),
        }
    }
    Ok(text.trim().to_owned())
}

/// Whether a statement stores something that is no constant into a column that wraps or saturates.
fn stores_limited(statement: &Statement, limits: &ColumnLimits) -> bool {
    let is_limited = |table: TableId, column: ColumnId, value: &Scalar| {
        !matches!(value, Scalar::Constant(_)) && limits.get(&(table, column)).is_some_and(|bounds| bounds.beyond != Beyond::Fail)
    };
    let set = |table: TableId, set: &[(ColumnId, Scalar)]| set.iter().any(|(column, value)| is_limited(table, *column, value));
    match &statement.kind {
        StatementKind::Update(update) => set(update.table, &update.set),
        StatementKind::Insert(insert) => {
            let rows = insert.rows.iter().any(|row| (0..).zip(row).any(|(index, value)| is_limited(insert.table, ColumnId(index), value)));
            rows || matches!(&insert.conflict, Conflict::Update { set: values, .. } if set(insert.table, values))
        }
        _ => false,
    }
}

struct Printer<'a> {
    workload: &'a Workload,
    values: &'a Values<'a>,
    /// The table whose columns stand without a qualifier.
    table: Option<TableId>,
}

type Printed = Result<String, String>;

impl<'a> Printer<'a> {
    fn at(&self, table: TableId) -> Printer<'a> {
        Printer { table: Some(table), ..*self }
    }

    fn table_of(&self, id: TableId) -> &'a Table {
        self.workload.table(id)
    }

    fn statement(&self, kind: &StatementKind) -> Printed {
        match kind {
            StatementKind::Select(select) => self.select(select),
            StatementKind::Update(update) => self.at(update.table).update(update),
            StatementKind::Delete(delete) => self.at(delete.table).delete(delete),
            StatementKind::Insert(insert) => self.at(insert.table).insert(insert),
            _ => Err("a statement that stores nothing".to_owned()),
        }
    }

    fn list(&self, list: &[(String, Scalar)]) -> Printed {
        let item = |(alias, scalar): &(String, Scalar)| {
            let text = self.scalar(scalar)?;
            Ok(if alias.starts_with('?') { text } else { format!("{text} as {}", name(alias)) })
        };
        Ok(list.iter().map(item).collect::<Result<Vec<_>, String>>()?.join(", "))
    }

    fn filter(&self, filter: Option<&Scalar>) -> Printed {
        filter.map_or_else(|| Ok(String::new()), |filter| Ok(format!(" where {}", self.scalar(filter)?)))
    }

    fn returning(&self, list: &[(String, Scalar)]) -> Printed {
        if list.is_empty() { Ok(String::new()) } else { Ok(format!(" returning {}", self.list(list)?)) }
    }

    fn select(&self, select: &Select) -> Printed {
        let own = Printer { table: select.table, ..*self };
        let mut text = format!("select {}", own.list(&select.list)?);
        if let Some(table) = select.table {
            text.push_str(&format!(" from {}", name(&self.table_of(table).name)));
            text.push_str(&own.filter(select.filter.as_ref())?);
            for (position, (column, descending)) in select.order.iter().enumerate() {
                let before = if position == 0 { " order by " } else { ", " };
                text.push_str(&format!("{before}{}{}", own.column(table, *column), if *descending { " desc" } else { "" }));
            }
        }
        if let Some(limit) = select.limit {
            text.push_str(&format!(" limit {limit}"));
        }
        if let Some(lock) = select.lock {
            text.push_str(match lock.strength {
                Strength::KeyShare => " for key share",
                Strength::Share => " for share",
                Strength::NoKeyUpdate => " for no key update",
                Strength::Update => " for update",
            });
            text.push_str(match lock.wait {
                Wait::Wait => "",
                Wait::NoWait => " nowait",
                Wait::SkipLocked => " skip locked",
            });
        }
        Ok(text)
    }

    fn set(&self, table: TableId, set: &[(ColumnId, Scalar)]) -> Printed {
        let one = |(column, value): &(ColumnId, Scalar)| {
            Ok(format!("{} = {}", name(&self.table_of(table).column(*column).name), self.stored(table, *column, value)?))
        };
        Ok(set.iter().map(one).collect::<Result<Vec<_>, String>>()?.join(", "))
    }

    fn update(&self, update: &Update) -> Printed {
        let table = name(&self.table_of(update.table).name);
        let (set, filter) = (self.set(update.table, &update.set)?, self.filter(update.filter.as_ref())?);
        Ok(format!("update {table} set {set}{filter}{}", self.returning(&update.returning)?))
    }

    fn delete(&self, delete: &Delete) -> Printed {
        let table = name(&self.table_of(delete.table).name);
        Ok(format!("delete from {table}{}{}", self.filter(delete.filter.as_ref())?, self.returning(&delete.returning)?))
    }

    fn insert(&self, insert: &Insert) -> Printed {
        let table = self.table_of(insert.table);
        let mut rows = Vec::new();
        for row in &insert.rows {
            let value = |(index, value): (usize, &Scalar)| self.stored(insert.table, ColumnId(index), value);
            rows.push(format!("({})", row.iter().enumerate().map(value).collect::<Result<Vec<_>, String>>()?.join(", ")));
        }
        let mut text = format!("insert into {} values {}", name(&table.name), rows.join(", "));
        let names = |columns: &[ColumnId]| columns.iter().map(|column| name(&table.column(*column).name)).collect::<Vec<_>>().join(", ");
        let target = insert.target.as_ref().map_or_else(String::new, |target| format!(" ({})", names(target)));
        match &insert.conflict {
            Conflict::Fail => {}
            Conflict::Nothing => text.push_str(&format!(" on conflict{target} do nothing")),
            Conflict::Update { set, filter } => {
                text.push_str(&format!(
                    " on conflict{target} do update set {}{}",
                    self.set(insert.table, set)?,
                    self.filter(filter.as_ref())?
                ));
            }
        }
        Ok(text + &self.returning(&insert.returning)?)
    }

    /// A value as the column stores it.
    fn stored(&self, table: TableId, column: ColumnId, value: &Scalar) -> Printed {
        let text = self.scalar(value)?;
        let bounds = self.values.limits.get(&(table, column)).filter(|_| !matches!(value, Scalar::Constant(_)));
        Ok(match bounds.map(|bounds| (bounds, bounds.beyond)) {
            Some((bounds, Beyond::Wrap)) => {
                let (low, count) = (bounds.low, bounds.count());
                format!("((({text}) - ({low})) % {count} + {count}) % {count} + ({low})")
            }
            Some((bounds, Beyond::Saturate)) => {
                // NULL stays NULL.
                format!(
                    "case when ({text}) > {high} then {high} when ({text}) < {low} then {low} else ({text}) end",
                    low = bounds.low,
                    high = bounds.high
                )
            }
            _ => text,
        })
    }

    fn column(&self, table: TableId, column: ColumnId) -> String {
        let (table, column) = (self.table_of(table), name(&self.table_of(table).column(column).name));
        format!("{}.{column}", name(&table.name))
    }

    fn scalar(&self, scalar: &Scalar) -> Printed {
        let all = |parts: &[Scalar], between: &str| {
            let parts = parts.iter().map(|part| self.scalar(part)).collect::<Result<Vec<_>, String>>()?;
            Ok::<_, String>(parts.join(between))
        };
        Ok(match scalar {
            Scalar::Constant(constant) => constant_text(constant),
            Scalar::Column(table, column) => self.column(*table, *column),
            Scalar::Excluded(column) => {
                let table = self.table.ok_or("EXCLUDED without a table")?;
                format!("excluded.{}", name(&self.table_of(table).column(*column).name))
            }
            Scalar::Parameter(index) => self.values.parameter(*index)?,
            Scalar::Variable(index) => self.values.variable(*index)?,
            Scalar::RowCount => self.values.count.to_string(),
            Scalar::Arithmetic(operation, left, right) => {
                let sign = match operation {
                    Operation::Add => "+",
                    Operation::Subtract => "-",
                    Operation::Multiply => "*",
                    Operation::Divide => "/",
                    Operation::Remainder => "%",
                };
                format!("({} {sign} {})", self.scalar(left)?, self.scalar(right)?)
            }
            Scalar::Compare(comparison, left, right) => {
                let sign = match comparison {
                    Comparison::Equal => "=",
                    Comparison::NotEqual => "<>",
                    Comparison::Less => "<",
                    Comparison::LessOrEqual => "<=",
                    Comparison::Greater => ">",
                    Comparison::GreaterOrEqual => ">=",
                };
                format!("({} {sign} {})", self.scalar(left)?, self.scalar(right)?)
            }
            Scalar::And(parts) => format!("({})", all(parts, " and ")?),
            Scalar::Or(parts) => format!("({})", all(parts, " or ")?),
            Scalar::Not(part) => format!("(not {})", self.scalar(part)?),
            Scalar::IsNull(part) => format!("({} is null)", self.scalar(part)?),
            Scalar::Case(arms, otherwise) => {
                let mut text = "case".to_owned();
                for (condition, value) in arms {
                    text.push_str(&format!(" when {} then {}", self.scalar(condition)?, self.scalar(value)?));
                }
                format!("({text} else {} end)", self.scalar(otherwise)?)
            }
            Scalar::Extreme(true, parts) => format!("greatest({})", all(parts, ", ")?),
            Scalar::Extreme(false, parts) => format!("least({})", all(parts, ", ")?),
            Scalar::Coalesce(parts) => format!("coalesce({})", all(parts, ", ")?),
            Scalar::Aggregate(aggregate, part) => {
                let function = match aggregate {
                    Aggregate::Count => "count",
                    Aggregate::Sum => "sum",
                    Aggregate::Min => "min",
                    Aggregate::Max => "max",
                };
                format!("{function}({})", part.as_ref().map_or_else(|| Ok("*".to_owned()), |part| self.scalar(part))?)
            }
            Scalar::SubSelect(select) => format!("({})", self.select(select)?),
            Scalar::Exists(select) => format!("exists ({})", self.select(select)?),
        })
    }
}

fn constant_text(constant: &Constant) -> String {
    match constant {
        Constant::Null => "null".to_owned(),
        Constant::Integer(number) if *number < 0 => format!("({number})"),
        Constant::Integer(number) => number.to_string(),
        Constant::Boolean(value) => value.to_string(),
        Constant::Text(text) => quoted(text),
        Constant::Unknown => "default".to_owned(),
    }
}

/// Statements that make the tables of a workload, with the rows that are there at first.
pub fn setup(workload: &Workload, limits: &ColumnLimits) -> Vec<String> {
    let mut statements = Vec::new();
    let mut types: Vec<&str> = Vec::new();
    for column in workload.tables.iter().flat_map(|table| &table.columns) {
        if let Kind::Enumeration(labels) = &column.kind
            && !types.contains(&type_name(&column.written))
        {
            types.push(type_name(&column.written));
            let labels: Vec<String> = labels.iter().map(|label| quoted(label)).collect();
            statements.push(format!("create type {} as enum ({})", type_name(&column.written), labels.join(", ")));
        }
    }
    let none = Values { parameters: &[], variables: &[], count: 0, names: &[], limits };
    for (index, table) in workload.tables.iter().enumerate() {
        let printer = Printer { workload, values: &none, table: Some(TableId(index)) };
        statements.push(created(&printer, TableId(index), table, limits));
    }
    for table in &workload.tables {
        let value = |(column, constant): (usize, &Constant)| match (constant, &table.columns[column]) {
            (Constant::Unknown, column) if column.kind == Kind::Moment && !column.nullable => "'2000-01-01'".to_owned(),
            (Constant::Unknown, column) if column.nullable => "null".to_owned(),
            (constant, _) => constant_text(constant),
        };
        let rows = table.rows.iter().map(|row| format!("({})", row.iter().enumerate().map(value).collect::<Vec<_>>().join(", ")));
        let rows: Vec<String> = rows.collect();
        if !rows.is_empty() {
            statements.push(format!("insert into {} values {}", name(&table.name), rows.join(", ")));
        }
    }
    for (index, table) in workload.tables.iter().enumerate() {
        for key in &table.foreign {
            let names = |table: &Table, columns: &[ColumnId]| {
                columns.iter().map(|column| name(&table.column(*column).name)).collect::<Vec<_>>().join(", ")
            };
            let (child, parent) = (&workload.tables[index], workload.table(key.parent));
            statements.push(format!(
                "alter table {} add foreign key ({}) references {} ({})",
                name(&child.name),
                names(child, &key.columns),
                name(&parent.name),
                names(parent, &key.referred)
            ));
        }
    }
    statements
}

/// The name of a type without its schema.
fn type_name(written: &str) -> &str {
    written.rsplit('.').next().unwrap_or(written)
}

fn created(printer: &Printer<'_>, id: TableId, table: &Table, limits: &ColumnLimits) -> String {
    let mut parts = Vec::new();
    for (index, column) in table.columns.iter().enumerate() {
        let written = match (&column.kind, column.written.as_str()) {
            (Kind::Enumeration(_), written) => type_name(written),
            (_, "serial" | "serial4") => "integer",
            (_, "bigserial" | "serial8") => "bigint",
            (_, "smallserial") => "smallint",
            (_, written) => written,
        };
        let mut part = format!("{} {written}", name(&column.name));
        if column.generated {
            part.push_str(&format!(" generated by default as identity (start with {})", table.rows.len() + 1));
        }
        if !column.nullable {
            part.push_str(" not null");
        }
        if let Some(default) = column.default.as_ref().filter(|default| **default != Constant::Unknown) {
            part.push_str(&format!(" default {}", constant_text(default)));
        } else if column.default.is_some() && column.kind == Kind::Moment {
            part.push_str(" default now()");
        }
        if let Some(bounds) = limits.get(&(id, ColumnId(index))).filter(|bounds| bounds.beyond == Beyond::Fail) {
            part.push_str(&format!(" check ({} between {} and {})", name(&column.name), bounds.low, bounds.high));
        }
        parts.push(part);
    }
    let names = |columns: &[ColumnId]| columns.iter().map(|column| name(&table.column(*column).name)).collect::<Vec<_>>().join(", ");
    parts.extend(table.primary.iter().map(|key| format!("primary key ({})", names(key))));
    parts.extend(table.uniques.iter().map(|key| format!("unique ({})", names(key))));
    parts.extend(table.checks.iter().filter_map(|check| printer.scalar(check).ok()).map(|check| format!("check ({check})")));
    format!("create table {} ({})", name(&table.name), parts.join(", "))
}
