//! The schema: tables, their keys, and the rows that are there at first.
//!
//! What has no effect on answers is passed over (`COMMENT`, `GRANT`, indices that are not unique …); what is neither
//! read nor passed over is an error that names it.

use std::collections::BTreeMap;

use serval_diagnostic::{Diagnostic, Span};
use sqlparser::ast::{
    self, AlterColumnOperation, AlterTableOperation, ColumnDef, ColumnOption, Expr, IndexColumn, ReferentialAction, TableConstraint,
    UserDefinedTypeRepresentation,
};
use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::parser::Parser;

use crate::codes;
use crate::lower::Scope;
use crate::names::{Lowered, folded, outside, plain_name, table_named, unknown};
use crate::scan::Text;
use crate::workload::{Beyond, Bounds, Column, ColumnId, Comparison, Constant, ForeignKey, Kind, Scalar, Table, TableId};

/// How deep expressions of SQL nest.
const DEPTH: usize = 40;

/// Tables and types as they are after the statements so far.
#[derive(Default)]
pub(crate) struct Schema {
    pub(crate) tables: Vec<Table>,
    /// Which is which: a schema can have thousands.
    by_name: BTreeMap<String, TableId>,
    types: Vec<(String, Vec<String>)>,
}

/// One statement as the parser of SQL reads it.
pub(crate) fn parsed(text: &Text) -> Lowered<ast::Statement> {
    let not = |error: &dyn std::fmt::Display| {
        Box::new(
            Diagnostic::error(codes::NO_SQL, text.span, format!("this is no SQL that can be read: {}", plain(&error.to_string())))
                .expected("a statement of PostgreSQL")
                .help("mend it, or leave the statement out"),
        )
    };
    let parser = Parser::new(&PostgreSqlDialect {}).with_recursion_limit(DEPTH);
    let mut parser = parser.try_with_sql(&text.sql).map_err(|error| not(&error))?;
    let statement = parser.parse_statement().map_err(|error| not(&error))?;
    match parser.peek_token().token {
        sqlparser::tokenizer::Token::EOF => Ok(statement),
        other => Err(not(&format!("`{other}` is not expected after the statement"))),
    }
}

/// An expression of the client, as the parser of SQL reads it.
pub(crate) fn parsed_expression(text: &Text) -> Lowered<Expr> {
    let not = |error: &dyn std::fmt::Display| {
        Box::new(
            Diagnostic::error(codes::BAD_CLIENT, text.span, format!("this is no expression: {}", plain(&error.to_string())))
                .expected("numbers, `:variables`, `+ - * / %`, comparisons, `and or not`, `case`, `least`, `greatest`, `abs`")
                .help("write the value in one of these forms"),
        )
    };
    let parser = Parser::new(&PostgreSqlDialect {}).with_recursion_limit(DEPTH);
    let mut parser = parser.try_with_sql(&text.sql).map_err(|error| not(&error))?;
    let e = parser.parse_expr().map_err(|error| not(&error))?;
    match parser.peek_token().token {
        sqlparser::tokenizer::Token::EOF => Ok(e),
        other => Err(not(&format!("`{other}` is not expected after the expression"))),
    }
}

/// What the parser says, without its places, which are those of one statement.
fn plain(said: &str) -> String {
    let said = said.trim_start_matches("sql parser error: ");
    said.rfind(" at Line").map_or(said, |at| &said[..at]).to_owned()
}

/// Whether a statement of a schema says nothing about answers.
fn passed_over(words: &[String]) -> bool {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    matches!(
        words.as_slice(),
        ["set" | "comment" | "grant" | "revoke" | "begin" | "commit" | "start" | "reset" | "analyze" | "vacuum", ..]
            | ["create" | "alter" | "drop", "sequence", ..]
            | ["create", "extension" | "schema", ..]
            | ["alter", "default", "privileges", ..]
            | ["alter", "type" | "schema", _, "owner", ..]
            | ["select", "pg_catalog", "set_config" | "setval", ..]
            | ["select", "set_config" | "setval", ..]
            | ["drop", "table", "if", "exists", ..]
            | ["drop", "type" | "index", ..]
    )
}

impl Schema {
    /// Performs one statement of a schema.
    pub(crate) fn perform(&mut self, text: &Text) -> Lowered<()> {
        if passed_over(&text.words)
            || (text.words.first().is_some_and(|word| word == "alter") && text.words.iter().any(|word| word == "owner"))
        {
            return Ok(());
        }
        let cut;
        let text = if let Some(short) = without_sequence_options(text) {
            cut = short;
            &cut
        } else {
            text
        };
        let span = text.span;
        match parsed(text)? {
            ast::Statement::CreateTable(table) => self.create(&table, span),
            ast::Statement::AlterTable(alter) => {
                let id = self.table_called(&alter.name, span)?;
                alter.operations.iter().try_for_each(|operation| self.alter(id, operation, span))
            }
            ast::Statement::CreateIndex(index) if !index.unique => Ok(()),
            ast::Statement::CreateIndex(index) => {
                if index.predicate.is_some() {
                    return Err(outside(span, "a unique index with WHERE"));
                }
                let id = self.table_called(&index.table_name, span)?;
                let key = self.key(id, &index.columns, span)?;
                self.tables[id.0].uniques.push(key);
                Ok(())
            }
            ast::Statement::CreateType { name, representation: Some(UserDefinedTypeRepresentation::Enum { labels }) } => {
                self.types.push((plain_name(&name), labels.iter().map(|label| label.value.clone()).collect()));
                Ok(())
            }
            ast::Statement::Insert(insert) => self.insert(&insert, span),
            other => {
                let text = other.to_string();
                let first: Vec<&str> = text.split_whitespace().take(2).collect();
                Err(outside(span, &format!("`{}` in a schema", first.join(" "))))
            }
        }
    }

    /// The table of this name.
    fn table_called(&self, name: &ast::ObjectName, span: Span) -> Lowered<TableId> {
        self.by_name.get(&plain_name(name)).copied().map_or_else(|| table_named(&self.tables, name, span), Ok)
    }

    fn create(&mut self, created: &ast::CreateTable, span: Span) -> Lowered<()> {
        let name = plain_name(&created.name);
        if created.query.is_some() || created.like.is_some() || created.inherits.is_some() || created.partition_by.is_some() {
            return Err(outside(span, "CREATE TABLE with AS, LIKE, INHERITS or PARTITION BY"));
        }
        if self.by_name.contains_key(&name) {
            if created.if_not_exists {
                return Ok(());
            }
            return Err(Box::new(
                Diagnostic::error(codes::BAD_SCHEMA, span, format!("there are two tables `{name}`"))
                    .expected("each table once")
                    .help("keep one of the two; a workload has one schema"),
            ));
        }
        let (columns, primary, uniques, checks, rows, foreign) = Default::default();
        self.by_name.insert(name.clone(), TableId(self.tables.len()));
        self.tables.push(Table {
            name,
            span,
            columns,
            primary,
            uniques,
            checks,
            foreign,
            rows,
            further: 0,
            further_is_said: false,
            is_empty: false,
        });
        let id = TableId(self.tables.len() - 1);
        for definition in &created.columns {
            self.add_column(id, definition, span)?;
        }
        created.constraints.iter().try_for_each(|constraint| self.constrain(id, constraint, span))
    }

    fn add_column(&mut self, id: TableId, definition: &ColumnDef, span: Span) -> Lowered<()> {
        let name = folded(&definition.name);
        let written = definition.data_type.to_string().to_lowercase();
        let generated = written.contains("serial");
        let kind = self.kind(&written);
        let column = Column { name, span, written, kind, nullable: !generated, default: None, generated, bounds: None, modelled: false };
        self.tables[id.0].columns.push(column);
        let column = ColumnId(self.tables[id.0].columns.len() - 1);
        definition.options.iter().try_for_each(|option| self.option(id, column, &option.option, span))?;
        // Rows that are there have its default.
        let table = &mut self.tables[id.0];
        let value = table.column(column).default.clone().unwrap_or(Constant::Null);
        table.rows.iter_mut().for_each(|row| row.push(value.clone()));
        Ok(())
    }

    fn kind(&self, written: &str) -> Kind {
        let plain = written.rsplit('.').next().unwrap_or(written).trim_matches('"');
        if let Some((_, labels)) = self.types.iter().find(|(name, _)| name.to_lowercase() == plain) {
            return Kind::Enumeration(labels.clone());
        }
        let first: String = written.chars().take_while(|c| c.is_ascii_alphanumeric()).collect();
        match first.as_str() {
            _ if written.ends_with(']') => Kind::Other,
            "int" | "integer" | "int2" | "int4" | "int8" | "smallint" | "bigint" | "numeric" | "decimal" | "serial" | "bigserial"
            | "smallserial" | "serial4" | "serial8" | "dec" => Kind::Integer,
            "bool" | "boolean" => Kind::Boolean,
            "text" | "varchar" | "character" | "char" | "bpchar" | "citext" | "uuid" | "name" => Kind::Text,
            "date" | "timestamp" | "timestamptz" | "time" => Kind::Moment,
            _ => Kind::Other,
        }
    }

    fn option(&mut self, id: TableId, column: ColumnId, option: &ColumnOption, span: Span) -> Lowered<()> {
        let table = &mut self.tables[id.0];
        match option {
            ColumnOption::Null | ColumnOption::Comment(_) | ColumnOption::Collation(_) => {}
            ColumnOption::NotNull => table.columns[column.0].nullable = false,
            ColumnOption::PrimaryKey(_) => self.primary(id, vec![column], span)?,
            ColumnOption::Unique(_) => table.uniques.push(vec![column]),
            ColumnOption::Default(e) => self.set_default(id, column, e, span)?,
            ColumnOption::Check(check) => self.check(id, &check.expr, span)?,
            ColumnOption::Generated { generation_expr: None, .. } | ColumnOption::Identity(_) => {
                table.columns[column.0].generated = true;
                table.columns[column.0].nullable = false;
            }
            ColumnOption::ForeignKey(key) => self.foreign(id, vec![column], key, span)?,
            other => return Err(outside(span, &format!("`{other}` of a column"))),
        }
        Ok(())
    }

    fn set_default(&mut self, id: TableId, column: ColumnId, e: &Expr, span: Span) -> Lowered<()> {
        if e.to_string().to_lowercase().starts_with("nextval(") {
            self.tables[id.0].columns[column.0].generated = true;
            return Ok(());
        }
        let scope = Scope { tables: &self.tables, table: None, alias: None, excluded: false, holes: &[], span };
        let Scalar::Constant(value) = scope.scalar(e)? else { return Err(outside(span, "a default that is computed")) };
        self.tables[id.0].columns[column.0].default = Some(value);
        Ok(())
    }

    fn primary(&mut self, id: TableId, key: Vec<ColumnId>, span: Span) -> Lowered<()> {
        let table = &mut self.tables[id.0];
        if table.primary.is_some() {
            return Err(Box::new(
                Diagnostic::error(codes::BAD_SCHEMA, span, format!("table `{}` has two primary keys", table.name))
                    .expected("one primary key")
                    .help("make one of them UNIQUE"),
            ));
        }
        key.iter().for_each(|column| table.columns[column.0].nullable = false);
        table.primary = Some(key);
        Ok(())
    }

    fn key(&self, id: TableId, columns: &[IndexColumn], span: Span) -> Lowered<Vec<ColumnId>> {
        let scope = Scope { tables: &self.tables, table: Some(id), alias: None, excluded: false, holes: &[], span };
        let column = |column: &IndexColumn| match scope.scalar(&column.column.expr)? {
            Scalar::Column(_, column) => Ok(column),
            _ => Err(outside(span, "a unique index on an expression")),
        };
        columns.iter().map(column).collect()
    }

    fn constrain(&mut self, id: TableId, constraint: &TableConstraint, span: Span) -> Lowered<()> {
        match constraint {
            TableConstraint::PrimaryKey(key) => {
                let key = self.key(id, &key.columns, span)?;
                self.primary(id, key, span)
            }
            TableConstraint::Unique(key) => {
                if key.characteristics.is_some() {
                    return Err(outside(span, "a constraint that is DEFERRABLE"));
                }
                let key = self.key(id, &key.columns, span)?;
                self.tables[id.0].uniques.push(key);
                Ok(())
            }
            TableConstraint::Check(check) => self.check(id, &check.expr, span),
            TableConstraint::ForeignKey(key) => {
                let columns = key.columns.iter().map(|name| self.named(id, &folded(name), span)).collect::<Lowered<_>>()?;
                self.foreign(id, columns, key, span)
            }
            other => Err(outside(span, &format!("`{other}`"))),
        }
    }

    fn named(&self, id: TableId, name: &str, span: Span) -> Lowered<ColumnId> {
        let table = &self.tables[id.0];
        let names: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
        table.column_named(name).ok_or_else(|| unknown(span, "column", name, &names))
    }

    fn foreign(&mut self, id: TableId, columns: Vec<ColumnId>, key: &ast::ForeignKeyConstraint, span: Span) -> Lowered<()> {
        let refuses =
            |action: &Option<ReferentialAction>| matches!(action, None | Some(ReferentialAction::NoAction | ReferentialAction::Restrict));
        if !refuses(&key.on_delete) || !refuses(&key.on_update) {
            return Err(outside(span, "ON DELETE or ON UPDATE with CASCADE, SET NULL or SET DEFAULT"));
        }
        if key.characteristics.is_some() {
            return Err(outside(span, "a constraint that is DEFERRABLE"));
        }
        if matches!(key.match_kind, Some(ast::ConstraintReferenceMatchKind::Full | ast::ConstraintReferenceMatchKind::Partial)) {
            return Err(outside(span, "MATCH FULL or MATCH PARTIAL"));
        }
        let parent = self.table_called(&key.foreign_table, span)?;
        let mut referred = Vec::new();
        for name in &key.referred_columns {
            referred.push(self.named(parent, &folded(name), span)?);
        }
        if referred.is_empty() {
            referred = self.tables[parent.0].primary.clone().unwrap_or_default();
        }
        if referred.len() != columns.len() {
            return Err(Box::new(
                Diagnostic::error(codes::BAD_SCHEMA, span, "a foreign key and the key that it refers to have different lengths")
                    .expected("as many columns on both sides")
                    .help("name the columns of the parent"),
            ));
        }
        self.tables[id.0].foreign.push(ForeignKey { columns, parent, referred, span });
        Ok(())
    }

    /// A condition on rows; one that is a range of a column is taken as such.
    fn check(&mut self, id: TableId, e: &Expr, span: Span) -> Lowered<()> {
        let scope = Scope { tables: &self.tables, table: Some(id), alias: None, excluded: false, holes: &[], span };
        let condition = scope.scalar(e)?;
        match range_of(&condition) {
            Some((column, low, high)) if self.tables[id.0].columns[column.0].bounds.is_none() => {
                self.tables[id.0].columns[column.0].bounds = Some(Bounds { low, high, beyond: Beyond::Fail });
            }
            _ => self.tables[id.0].checks.push(condition),
        }
        Ok(())
    }

    fn alter(&mut self, id: TableId, operation: &AlterTableOperation, span: Span) -> Lowered<()> {
        match operation {
            AlterTableOperation::AddConstraint { constraint, .. } => self.constrain(id, constraint, span),
            AlterTableOperation::AddColumn { column_def, .. } => self.add_column(id, column_def, span),
            AlterTableOperation::OwnerTo { .. } => Ok(()),
            AlterTableOperation::DropColumn { column_names, .. } => {
                column_names.iter().try_for_each(|name| self.drop_column(id, &folded(name), span))
            }
            AlterTableOperation::AlterColumn { column_name, op } => {
                let column = self.named(id, &folded(column_name), span)?;
                match op {
                    AlterColumnOperation::SetNotNull => self.tables[id.0].columns[column.0].nullable = false,
                    AlterColumnOperation::DropNotNull => self.tables[id.0].columns[column.0].nullable = true,
                    AlterColumnOperation::SetDefault { value } => self.set_default(id, column, value, span)?,
                    AlterColumnOperation::DropDefault => self.tables[id.0].columns[column.0].default = None,
                    AlterColumnOperation::AddGenerated { .. } => {
                        self.tables[id.0].columns[column.0].generated = true;
                        self.tables[id.0].columns[column.0].nullable = false;
                    }
                    other => return Err(outside(span, &format!("ALTER COLUMN … {other}"))),
                }
                Ok(())
            }
            other => Err(outside(span, &format!("ALTER TABLE … {other}"))),
        }
    }

    fn drop_column(&mut self, id: TableId, name: &str, span: Span) -> Lowered<()> {
        let column = self.named(id, name, span)?;
        let in_key = |keys: &[ColumnId]| keys.contains(&column);
        let table = &self.tables[id.0];
        let referred = self.tables.iter().flat_map(|table| &table.foreign).any(|key| key.parent == id && in_key(&key.referred));
        let mut checked = false;
        table.checks.iter().for_each(|check| check.visit(&mut |part| checked |= matches!(part, Scalar::Column(_, of) if *of == column)));
        let keys = table.primary.iter().chain(&table.uniques).chain(table.foreign.iter().map(|key| &key.columns)).any(|key| in_key(key));
        if keys || referred || checked {
            return Err(outside(span, "DROP COLUMN of a column with a constraint"));
        }
        let shift = |of: &mut ColumnId| of.0 -= usize::from(of.0 > column.0);
        for other in &mut self.tables {
            for key in other.foreign.iter_mut().filter(|key| key.parent == id) {
                key.referred.iter_mut().for_each(shift);
            }
        }
        let table = &mut self.tables[id.0];
        table.columns.remove(column.0);
        table.primary.iter_mut().chain(&mut table.uniques).flatten().for_each(shift);
        table.foreign.iter_mut().flat_map(|key| &mut key.columns).for_each(shift);
        table.checks.iter_mut().for_each(|check| shifted(check, column));
        table.rows.iter_mut().for_each(|row| drop(row.remove(column.0)));
        Ok(())
    }

    fn insert(&mut self, insert: &ast::Insert, span: Span) -> Lowered<()> {
        let insert = crate::statements::insert(insert, &self.tables, &[], span)?;
        let table = &mut self.tables[insert.table.0];
        for row in insert.rows {
            let number = table.rows.len() + 1;
            let value = |(index, scalar): (usize, Scalar)| match scalar {
                // The server numbers rows from 1.
                Scalar::Constant(Constant::Unknown) if table.columns[index].generated => {
                    Ok(Constant::Integer(i64::try_from(number).unwrap_or(i64::MAX)))
                }
                Scalar::Constant(constant) => Ok(constant),
                _ => Err(outside(span, "INSERT of a computed value in a schema")),
            };
            let row = row.into_iter().enumerate().map(value).collect::<Lowered<_>>()?;
            table.rows.push(row);
        }
        Ok(())
    }
}

/// `ADD GENERATED … AS IDENTITY (…)` without what stands in parentheses, which the parser cannot read.
fn without_sequence_options(text: &Text) -> Option<Text> {
    let lower = text.sql.to_ascii_lowercase();
    let at = lower.find(" as identity")?;
    let open = at + lower[at..].find('(')?;
    if !lower[at + " as identity".len()..open].trim().is_empty() || !lower.trim_start().starts_with("alter") {
        return None;
    }
    let close = open + lower[open..].find(')')?;
    Some(Text { sql: format!("{}{}", &text.sql[..open], &text.sql[close + 1..]), ..text.clone() })
}

/// Columns behind a dropped one are one place nearer.
fn shifted(scalar: &mut Scalar, dropped: ColumnId) {
    match scalar {
        Scalar::Column(_, column) | Scalar::Excluded(column) => column.0 -= usize::from(column.0 > dropped.0),
        Scalar::Arithmetic(_, left, right) | Scalar::Compare(_, left, right) => {
            shifted(left, dropped);
            shifted(right, dropped);
        }
        Scalar::And(parts) | Scalar::Or(parts) | Scalar::Extreme(_, parts) | Scalar::Coalesce(parts) => {
            parts.iter_mut().for_each(|part| shifted(part, dropped));
        }
        Scalar::Not(part) | Scalar::IsNull(part) | Scalar::Aggregate(_, Some(part)) => shifted(part, dropped),
        Scalar::Case(arms, otherwise) => {
            for (condition, value) in arms {
                shifted(condition, dropped);
                shifted(value, dropped);
            }
            shifted(otherwise, dropped);
        }
        _ => {}
    }
}

/// `a BETWEEN 0 AND 2`, `a >= 0 AND a <= 2`
fn range_of(condition: &Scalar) -> Option<(ColumnId, i64, i64)> {
    let Scalar::And(parts) = condition else { return None };
    let [first, second] = parts.as_slice() else { return None };
    let side = |part: &Scalar| {
        let Scalar::Compare(op, left, right) = part else { return None };
        let (Scalar::Column(_, column), Scalar::Constant(Constant::Integer(value))) = (&**left, &**right) else { return None };
        Some(match op {
            Comparison::GreaterOrEqual => (*column, true, *value),
            Comparison::Greater => (*column, true, value.checked_add(1)?),
            Comparison::LessOrEqual => (*column, false, *value),
            Comparison::Less => (*column, false, value.checked_sub(1)?),
            _ => return None,
        })
    };
    let (first, second) = (side(first)?, side(second)?);
    let (low, high) = if first.1 { (first, second) } else { (second, first) };
    (low.1 && !high.1 && low.0 == high.0 && low.2 <= high.2).then_some((low.0, low.2, high.2))
}
