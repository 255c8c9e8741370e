//! Statements: from the tree of the parser of SQL to [`StatementKind`].

use serval_diagnostic::Span;
use sqlparser::ast::{
    self, AssignmentTarget, ConflictTarget, Expr, FromTable, ObjectName, OnConflictAction, OnInsert, Query, SelectItem, SetExpr,
    TableObject,
};

use crate::lower::{Scope, TableSource, select, selected, source};
use crate::names::{Lowered, folded, outside, plain_name, table_named, unknown};
use crate::workload::{
    ColumnId, Conflict, Constant, Delete, Insert, LockTables, Scalar, StatementKind, Strength, Table, TableId, TableMode, Update,
};

/// A statement over one table.
pub(crate) fn statement(
    parsed: &ast::Statement,
    tables: &[Table],
    holes: &[Scalar],
    strength: Option<Strength>,
    span: Span,
) -> Lowered<StatementKind> {
    match parsed {
        ast::Statement::Query(query) => {
            if let Some(key) = advisory(query, tables, holes, span)? {
                return Ok(StatementKind::Advisory(key));
            }
            select(query, tables, holes, strength, span).map(StatementKind::Select)
        }
        ast::Statement::Insert(insert) => self::insert(insert, tables, holes, span).map(StatementKind::Insert),
        ast::Statement::Update(update) => self::update(update, tables, holes, span).map(StatementKind::Update),
        ast::Statement::Delete(delete) => self::delete(delete, tables, holes, span).map(StatementKind::Delete),
        ast::Statement::Lock(lock) => {
            let names = lock.tables.iter().map(|target| table_named(tables, &target.name, span));
            let mode = match lock.lock_mode.as_ref().unwrap_or(&ast::LockTableMode::AccessExclusive) {
                ast::LockTableMode::AccessShare => TableMode::AccessShare,
                ast::LockTableMode::RowShare => TableMode::RowShare,
                ast::LockTableMode::RowExclusive => TableMode::RowExclusive,
                ast::LockTableMode::ShareUpdateExclusive => TableMode::ShareUpdateExclusive,
                ast::LockTableMode::Share => TableMode::Share,
                ast::LockTableMode::ShareRowExclusive => TableMode::ShareRowExclusive,
                ast::LockTableMode::Exclusive => TableMode::Exclusive,
                ast::LockTableMode::AccessExclusive => TableMode::AccessExclusive,
            };
            Ok(StatementKind::Lock(LockTables { tables: names.collect::<Lowered<_>>()?, mode, nowait: lock.nowait }))
        }
        other => {
            let text = other.to_string();
            let first: Vec<&str> = text.split_whitespace().take(2).collect();
            Err(outside(span, &format!("`{}`", first.join(" "))))
        }
    }
}

/// `SELECT pg_advisory_xact_lock(key)`
fn advisory(query: &Query, tables: &[Table], holes: &[Scalar], span: Span) -> Lowered<Option<Scalar>> {
    let SetExpr::Select(select) = &*query.body else { return Ok(None) };
    let [SelectItem::UnnamedExpr(Expr::Function(function))] = select.projection.as_slice() else { return Ok(None) };
    let name = plain_name(&function.name);
    if !name.starts_with("pg_") {
        return Ok(None);
    }
    let scope = Scope { tables, table: None, alias: None, excluded: false, holes, span };
    let arguments = match &function.args {
        ast::FunctionArguments::List(list) => list.args.as_slice(),
        _ => &[],
    };
    match (name.as_str(), arguments) {
        ("pg_advisory_xact_lock", [ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Expr(key))]) if select.from.is_empty() => {
            match scope.scalar(key)? {
                key @ (Scalar::Constant(Constant::Integer(_)) | Scalar::Parameter(_)) => Ok(Some(key)),
                _ => Err(outside(span, "an advisory lock whose key is computed")),
            }
        }
        _ => Err(outside(span, &format!("the function {name}, called in this way,"))),
    }
}

fn assigned(list: &[ast::Assignment], scope: &Scope<'_>) -> Lowered<Vec<(ColumnId, Scalar)>> {
    let mut set: Vec<(ColumnId, Scalar)> = Vec::new();
    for assignment in list {
        let AssignmentTarget::ColumnName(name) = &assignment.target else {
            return Err(outside(scope.span, "SET of several columns in parentheses"));
        };
        let Scalar::Column(_, column) = scope.column(&plain_name(name))? else { continue };
        if set.iter().any(|(known, _)| *known == column) {
            return Err(outside(scope.span, "SET of one column twice"));
        }
        set.push((column, stored(&assignment.value, column, scope)?));
    }
    Ok(set)
}

/// A value that is stored into a column; `DEFAULT` is what the column has.
fn stored(e: &Expr, column: ColumnId, scope: &Scope<'_>) -> Lowered<Scalar> {
    if matches!(e, Expr::Identifier(name) if name.quote_style.is_none() && name.value.eq_ignore_ascii_case("default")) {
        return Ok(scope.table.map_or(Scalar::Constant(Constant::Null), |table| default_of(&scope.tables[table.0], column)));
    }
    scope.scalar(e)
}

fn default_of(table: &Table, column: ColumnId) -> Scalar {
    let column = table.column(column);
    let none = if column.generated { Constant::Unknown } else { Constant::Null };
    Scalar::Constant(column.default.clone().unwrap_or(none))
}

fn returning(list: Option<&Vec<SelectItem>>, scope: &Scope<'_>) -> Lowered<Vec<(String, Scalar)>> {
    let mut found = Vec::new();
    for item in list.into_iter().flatten() {
        selected(item, scope, &mut found)?;
    }
    if found.iter().any(|(_, scalar)| scalar.has_aggregate()) {
        return Err(outside(scope.span, "an aggregate in RETURNING"));
    }
    Ok(found)
}

fn update(update: &ast::Update, tables: &[Table], holes: &[Scalar], span: Span) -> Lowered<Update> {
    if update.from.is_some() {
        return Err(outside(span, "UPDATE … FROM"));
    }
    if update.or.is_some() || update.limit.is_some() || !update.order_by.is_empty() || update.output.is_some() {
        return Err(outside(span, "this form of UPDATE"));
    }
    let TableSource { table, alias } = source(&update.table, tables, span)?;
    let scope = Scope { tables, table: Some(table), alias, excluded: false, holes, span };
    let set = assigned(&update.assignments, &scope)?;
    let filter = update.selection.as_ref().map(|filter| scope.scalar(filter)).transpose()?;
    Ok(Update { table, set, filter, returning: returning(update.returning.as_ref(), &scope)? })
}

fn delete(delete: &ast::Delete, tables: &[Table], holes: &[Scalar], span: Span) -> Lowered<Delete> {
    if delete.using.is_some() || !delete.tables.is_empty() {
        return Err(outside(span, "DELETE … USING"));
    }
    if delete.limit.is_some() || !delete.order_by.is_empty() || delete.output.is_some() {
        return Err(outside(span, "this form of DELETE"));
    }
    let (FromTable::WithFromKeyword(from) | FromTable::WithoutKeyword(from)) = &delete.from;
    let [from] = from.as_slice() else { return Err(outside(span, "DELETE of several tables")) };
    let TableSource { table, alias } = source(from, tables, span)?;
    let scope = Scope { tables, table: Some(table), alias, excluded: false, holes, span };
    let filter = delete.selection.as_ref().map(|filter| scope.scalar(filter)).transpose()?;
    Ok(Delete { table, filter, returning: returning(delete.returning.as_ref(), &scope)? })
}

/// An INSERT of rows that are written out.
pub(crate) fn insert(insert: &ast::Insert, tables: &[Table], holes: &[Scalar], span: Span) -> Lowered<Insert> {
    let TableObject::TableName(name) = &insert.table else { return Err(outside(span, "INSERT into a function")) };
    let table = table_named(tables, name, span)?;
    let alias = insert.table_alias.as_ref().map(|alias| folded(&alias.alias));
    let scope = Scope { tables, table: Some(table), alias, excluded: false, holes, span };
    if insert.or.is_some() || insert.overwrite || insert.replace_into || insert.partitioned.is_some() || !insert.assignments.is_empty() {
        return Err(outside(span, "this form of INSERT"));
    }
    let columns = inserted_columns(&insert.columns, &scope, table)?;
    let rows = match &insert.source {
        None => vec![Vec::new()],
        Some(query) => match &*query.body {
            SetExpr::Values(values) if query.with.is_none() => values.rows.iter().map(|row| row.content.iter().collect()).collect(),
            SetExpr::Select(_) => return Err(outside(span, "INSERT … SELECT")),
            _ => return Err(outside(span, "this form of INSERT")),
        },
    };
    let rows = rows.into_iter().map(|row: Vec<&Expr>| inserted_row(&row, &columns, &scope, table)).collect::<Lowered<_>>()?;
    let (conflict, target) = conflict(insert.on.as_ref(), &scope)?;
    Ok(Insert { table, rows, conflict, target, returning: returning(insert.returning.as_ref(), &scope)? })
}

fn inserted_columns(names: &[ObjectName], scope: &Scope<'_>, table: TableId) -> Lowered<Vec<ColumnId>> {
    if names.is_empty() {
        return Ok((0..scope.tables[table.0].columns.len()).map(ColumnId).collect());
    }
    let mut columns = Vec::new();
    for name in names {
        if let Scalar::Column(_, column) = scope.column(&plain_name(name))? {
            columns.push(column);
        }
    }
    Ok(columns)
}

fn inserted_row(row: &[&Expr], columns: &[ColumnId], scope: &Scope<'_>, table: TableId) -> Lowered<Vec<Scalar>> {
    let table = &scope.tables[table.0];
    if row.len() > columns.len() {
        return Err(outside(scope.span, &format!("a row with more values ({}) than it has columns ({})", row.len(), columns.len())));
    }
    let mut values: Vec<Scalar> = (0..table.columns.len()).map(|index| default_of(table, ColumnId(index))).collect();
    let bare = Scope { table: None, alias: None, ..*scope };
    for (e, &column) in row.iter().zip(columns) {
        let is_default = matches!(e, Expr::Identifier(name) if name.quote_style.is_none() && name.value.eq_ignore_ascii_case("default"));
        values[column.0] = if is_default { default_of(table, column) } else { bare.scalar(e)? };
    }
    Ok(values)
}

fn conflict(on: Option<&OnInsert>, scope: &Scope<'_>) -> Lowered<(Conflict, Option<Vec<ColumnId>>)> {
    let on = match on {
        None => return Ok((Conflict::Fail, None)),
        Some(OnInsert::OnConflict(on)) => on,
        Some(_) => return Err(outside(scope.span, "ON DUPLICATE KEY")),
    };
    let target = match &on.conflict_target {
        None => None,
        Some(ConflictTarget::Columns(columns)) => {
            let column = |name: &ast::Ident| match scope.column(&folded(name))? {
                Scalar::Column(_, column) => Ok(column),
                _ => Err(unknown(scope.span, "column", &name.value, &[])),
            };
            Some(columns.iter().map(column).collect::<Lowered<Vec<_>>>()?)
        }
        Some(ConflictTarget::OnConstraint(_)) => return Err(outside(scope.span, "ON CONFLICT ON CONSTRAINT")),
    };
    let conflict = match &on.action {
        OnConflictAction::DoNothing => Conflict::Nothing,
        OnConflictAction::DoUpdate(update) => {
            let scope = Scope { excluded: true, alias: scope.alias.clone(), ..*scope };
            let filter = update.selection.as_ref().map(|filter| scope.scalar(filter)).transpose()?;
            Conflict::Update { set: assigned(&update.assignments, &scope)?, filter }
        }
    };
    Ok((conflict, target))
}
