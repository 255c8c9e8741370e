//! Expressions and SELECT: from the tree of the parser of SQL to [`Scalar`] and [`Select`]. What is not modelled is an
//! error that names it.

use serval_diagnostic::Span;
use sqlparser::ast::{
    self, BinaryOperator, CaseWhen, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Ident, LimitClause, OrderByKind,
    Query, SelectItem, SetExpr, TableFactor, TableWithJoins, UnaryOperator, Value,
};

use crate::names::{Lowered, folded, outside, plain_name, table_named, unknown};
use crate::workload::{Aggregate, ColumnId, Comparison, Constant, Operation, RowLock, Scalar, Select, Strength, Table, TableId, Wait};

/// What expressions are read against.
pub(crate) struct Scope<'s> {
    pub(crate) tables: &'s [Table],
    /// The table of the statement, and what else it is called there.
    pub(crate) table: Option<TableId>,
    pub(crate) alias: Option<String>,
    /// Whether `EXCLUDED` means something.
    pub(crate) excluded: bool,
    /// What the placeholders of the statement stand for.
    pub(crate) holes: &'s [Scalar],
    /// Where the statement stands.
    pub(crate) span: Span,
}

impl Scope<'_> {
    fn outside<T>(&self, what: &str) -> Lowered<T> {
        Err(outside(self.span, what))
    }

    pub(crate) fn column(&self, name: &str) -> Lowered<Scalar> {
        let Some(id) = self.table else {
            return Err(unknown(self.span, "column", name, &[]));
        };
        let table = &self.tables[id.0];
        table.column_named(name).map(|column| Scalar::Column(id, column)).ok_or_else(|| {
            let names: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
            unknown(self.span, "column", name, &names)
        })
    }

    fn qualified(&self, parts: &[Ident]) -> Lowered<Scalar> {
        let [qualifiers @ .., name] = parts else { return self.outside("an empty name") };
        let (name, qualifier) = (folded(name), qualifiers.last().map(folded).unwrap_or_default());
        if self.excluded && qualifier == "excluded" {
            return match self.column(&name)? {
                Scalar::Column(_, column) => Ok(Scalar::Excluded(column)),
                other => Ok(other),
            };
        }
        let own = self.table.map(|id| self.tables[id.0].name.as_str());
        if self.alias.as_deref() != Some(&qualifier) && own != Some(&qualifier) {
            return self.outside(&format!("a column of `{qualifier}`, which is not the table of the statement,"));
        }
        self.column(&name)
    }

    /// An expression.
    pub(crate) fn scalar(&self, e: &Expr) -> Lowered<Scalar> {
        serval_budget::checkpoint::pass();
        let boxed = |e: &Expr| self.scalar(e).map(Box::new);
        let negated = |is: bool, scalar: Scalar| if is { Scalar::Not(Box::new(scalar)) } else { scalar };
        Ok(match e {
            Expr::Identifier(name) if name.quote_style.is_none() && name.value.eq_ignore_ascii_case("current_timestamp") => unknown_value(),
            Expr::Identifier(name) => self.column(&folded(name))?,
            Expr::CompoundIdentifier(parts) => self.qualified(parts)?,
            Expr::Nested(inner) => self.scalar(inner)?,
            Expr::Value(value) => self.value(&value.value)?,
            Expr::TypedString(typed) => self.value(&typed.value.value)?,
            Expr::Cast { expr, .. } => self.scalar(expr)?,
            Expr::IsNull(inner) => Scalar::IsNull(boxed(inner)?),
            Expr::IsNotNull(inner) => Scalar::Not(Box::new(Scalar::IsNull(boxed(inner)?))),
            Expr::IsTrue(inner) => Scalar::Coalesce(vec![self.scalar(inner)?, truth(false)]),
            Expr::IsNotTrue(inner) => Scalar::Not(Box::new(Scalar::Coalesce(vec![self.scalar(inner)?, truth(false)]))),
            Expr::IsFalse(inner) => Scalar::Not(Box::new(Scalar::Coalesce(vec![self.scalar(inner)?, truth(true)]))),
            Expr::IsNotFalse(inner) => Scalar::Coalesce(vec![self.scalar(inner)?, truth(true)]),
            Expr::InList { expr, list, negated: not } => {
                let equal = |item: &Expr| Ok(Scalar::Compare(Comparison::Equal, boxed(expr)?, boxed(item)?));
                negated(*not, Scalar::Or(list.iter().map(equal).collect::<Lowered<_>>()?))
            }
            Expr::Between { expr, negated: not, low, high } => {
                let low = Scalar::Compare(Comparison::GreaterOrEqual, boxed(expr)?, boxed(low)?);
                let high = Scalar::Compare(Comparison::LessOrEqual, boxed(expr)?, boxed(high)?);
                negated(*not, Scalar::And(vec![low, high]))
            }
            Expr::BinaryOp { left, op, right } => self.binary(left, op, right)?,
            Expr::UnaryOp { op: UnaryOperator::Not, expr } => Scalar::Not(boxed(expr)?),
            Expr::UnaryOp { op: UnaryOperator::Plus, expr } => self.scalar(expr)?,
            Expr::UnaryOp { op: UnaryOperator::Minus, expr } => match self.scalar(expr)? {
                Scalar::Constant(Constant::Integer(value)) => Scalar::Constant(Constant::Integer(value.saturating_neg())),
                scalar => Scalar::Arithmetic(Operation::Subtract, Box::new(number(0)), Box::new(scalar)),
            },
            Expr::Case { operand, conditions, else_result, .. } => self.case(operand.as_deref(), conditions, else_result.as_deref())?,
            Expr::Function(function) => self.function(function)?,
            Expr::Subquery(query) => Scalar::SubSelect(Box::new(self.sub_select(query)?)),
            Expr::Exists { subquery, negated: not } => negated(*not, Scalar::Exists(Box::new(self.sub_select(subquery)?))),
            Expr::InSubquery { .. } => return self.outside("IN (SELECT …)"),
            Expr::Like { .. } | Expr::ILike { .. } | Expr::SimilarTo { .. } => return self.outside("comparing with a pattern"),
            other => return self.outside(&format!("`{other}`")),
        })
    }

    fn sub_select(&self, query: &Query) -> Lowered<Select> {
        let select = select(query, self.tables, self.holes, None, self.span)?;
        if select.lock.is_some() || select.limit.is_some() {
            return self.outside("FOR UPDATE or LIMIT in a SELECT in parentheses");
        }
        Ok(select)
    }

    fn value(&self, value: &Value) -> Lowered<Scalar> {
        Ok(match value {
            Value::Number(digits, _) => number(whole(digits).ok_or_else(|| outside(self.span, &format!("the number {digits}")))?),
            Value::Boolean(value) => truth(*value),
            Value::Null => Scalar::Constant(Constant::Null),
            Value::Placeholder(name) => {
                let index = name.trim_start_matches('$').parse::<usize>().ok().and_then(|number| number.checked_sub(1));
                index.and_then(|index| self.holes.get(index)).cloned().ok_or_else(|| outside(self.span, &format!("`{name}`")))?
            }
            Value::SingleQuotedString(text) | Value::EscapedStringLiteral(text) => Scalar::Constant(Constant::Text(text.clone())),
            Value::DollarQuotedString(text) => Scalar::Constant(Constant::Text(text.value.clone())),
            other => return self.outside(&format!("the value {other}")),
        })
    }

    fn binary(&self, left: &Expr, op: &BinaryOperator, right: &Expr) -> Lowered<Scalar> {
        if matches!(op, BinaryOperator::And | BinaryOperator::Or) {
            // Chains are flat, so that long ones do not nest.
            let (mut parts, mut rest) = (vec![right], left);
            while let Expr::BinaryOp { left, op: inner, right } = rest
                && inner == op
            {
                parts.push(right);
                rest = left;
            }
            parts.push(rest);
            let parts = parts.into_iter().rev().map(|part| self.scalar(part)).collect::<Lowered<Vec<_>>>()?;
            return Ok(if *op == BinaryOperator::And { Scalar::And(parts) } else { Scalar::Or(parts) });
        }
        // `n / 2.0` is a division with fractions.
        if *op == BinaryOperator::Divide && (has_point(left) || has_point(right)) {
            return self.outside("division by a number with a point");
        }
        let (left, right) = (Box::new(self.scalar(left)?), Box::new(self.scalar(right)?));
        let compare = |comparison, left, right| Scalar::Compare(comparison, left, right);
        let arithmetic = |operation, left, right| Scalar::Arithmetic(operation, left, right);
        Ok(match op {
            BinaryOperator::Eq => compare(Comparison::Equal, left, right),
            BinaryOperator::NotEq => compare(Comparison::NotEqual, left, right),
            BinaryOperator::Lt => compare(Comparison::Less, left, right),
            BinaryOperator::LtEq => compare(Comparison::LessOrEqual, left, right),
            BinaryOperator::Gt => compare(Comparison::Greater, left, right),
            BinaryOperator::GtEq => compare(Comparison::GreaterOrEqual, left, right),
            BinaryOperator::Plus => arithmetic(Operation::Add, left, right),
            BinaryOperator::Minus => arithmetic(Operation::Subtract, left, right),
            BinaryOperator::Multiply => arithmetic(Operation::Multiply, left, right),
            BinaryOperator::Divide => arithmetic(Operation::Divide, left, right),
            BinaryOperator::Modulo => arithmetic(Operation::Remainder, left, right),
            other => return self.outside(&format!("the operator {other}")),
        })
    }

    fn case(&self, operand: Option<&Expr>, conditions: &[CaseWhen], otherwise: Option<&Expr>) -> Lowered<Scalar> {
        let mut arms = Vec::new();
        for CaseWhen { condition, result } in conditions {
            let mut condition = self.scalar(condition)?;
            if let Some(operand) = operand {
                condition = Scalar::Compare(Comparison::Equal, Box::new(self.scalar(operand)?), Box::new(condition));
            }
            arms.push((condition, self.scalar(result)?));
        }
        let otherwise = otherwise.map_or(Ok(Scalar::Constant(Constant::Null)), |e| self.scalar(e))?;
        Ok(Scalar::Case(arms, Box::new(otherwise)))
    }

    fn function(&self, function: &Function) -> Lowered<Scalar> {
        let name = plain_name(&function.name);
        let list = match &function.args {
            FunctionArguments::None => &[][..],
            FunctionArguments::List(list) if list.duplicate_treatment.is_none() && list.clauses.is_empty() => &list.args,
            FunctionArguments::List(_) => return self.outside(&format!("{name} with DISTINCT or ORDER BY")),
            FunctionArguments::Subquery(_) => return self.outside(&format!("{name} of a SELECT")),
        };
        if function.filter.is_some() || function.over.is_some() || !function.within_group.is_empty() {
            return self.outside(&format!("{name} with FILTER, OVER or WITHIN GROUP"));
        }
        let mut parts = Vec::new();
        for argument in list {
            match argument {
                FunctionArg::Unnamed(FunctionArgExpr::Expr(e)) => parts.push(self.scalar(e)?),
                FunctionArg::Unnamed(FunctionArgExpr::Wildcard) if name == "count" => {}
                other => return self.outside(&format!("{name}({other})")),
            }
        }
        self.called(&name, parts)
    }

    fn called(&self, name: &str, mut parts: Vec<Scalar>) -> Lowered<Scalar> {
        let aggregate = match name {
            "count" => Some(Aggregate::Count),
            "sum" => Some(Aggregate::Sum),
            "min" => Some(Aggregate::Min),
            "max" => Some(Aggregate::Max),
            _ => None,
        };
        if let Some(aggregate) = aggregate {
            if parts.len() > 1 || (parts.is_empty() && aggregate != Aggregate::Count) || parts.iter().any(Scalar::has_aggregate) {
                return self.outside(&format!("{name} of these arguments"));
            }
            return Ok(Scalar::Aggregate(aggregate, parts.pop().map(Box::new)));
        }
        Ok(match (name, parts.len()) {
            ("coalesce", 1..) => Scalar::Coalesce(parts),
            ("least", 1..) => Scalar::Extreme(false, parts),
            ("greatest", 1..) => Scalar::Extreme(true, parts),
            ("abs", 1) => {
                let negative = Scalar::Arithmetic(Operation::Subtract, Box::new(number(0)), Box::new(parts[0].clone()));
                Scalar::Extreme(true, vec![parts.remove(0), negative])
            }
            ("mod", 2) => {
                let right = Box::new(parts.remove(1));
                Scalar::Arithmetic(Operation::Remainder, Box::new(parts.remove(0)), right)
            }
            ("now" | "current_timestamp" | "random" | "gen_random_uuid" | "clock_timestamp" | "statement_timestamp", 0) => unknown_value(),
            _ => return self.outside(&format!("the function {name}")),
        })
    }
}

fn unknown_value() -> Scalar {
    Scalar::Constant(Constant::Unknown)
}

fn number(value: i64) -> Scalar {
    Scalar::Constant(Constant::Integer(value))
}

fn truth(value: bool) -> Scalar {
    Scalar::Constant(Constant::Boolean(value))
}

/// A number with a whole value: `12`, `12.0`.
fn whole(digits: &str) -> Option<i64> {
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if fraction.bytes().any(|digit| digit != b'0') { None } else { whole.parse().ok() }
}

/// Whether an expression is a number that is written with a point.
fn has_point(e: &Expr) -> bool {
    match e {
        Expr::Value(value) => matches!(&value.value, Value::Number(digits, _) if digits.contains('.')),
        Expr::Nested(inner) => has_point(inner),
        _ => false,
    }
}

/// The table of a statement, and its alias.
pub(crate) struct TableSource {
    pub(crate) table: TableId,
    pub(crate) alias: Option<String>,
}

pub(crate) fn source(from: &TableWithJoins, tables: &[Table], span: Span) -> Lowered<TableSource> {
    if !from.joins.is_empty() {
        return Err(outside(span, "a join"));
    }
    match &from.relation {
        TableFactor::Table { name, alias, args: None, with_ordinality: false, sample: None, .. } => {
            let alias = alias.as_ref().map(|alias| folded(&alias.name));
            Ok(TableSource { table: table_named(tables, name, span)?, alias })
        }
        TableFactor::Derived { .. } => Err(outside(span, "a SELECT in FROM")),
        other => Err(outside(span, &format!("`{other}` in FROM"))),
    }
}

/// A SELECT over one table, or of constants.
pub(crate) fn select(query: &Query, tables: &[Table], holes: &[Scalar], strength: Option<Strength>, span: Span) -> Lowered<Select> {
    if query.with.is_some() {
        return Err(outside(span, "WITH"));
    }
    if query.fetch.is_some() || query.for_clause.is_some() || query.settings.is_some() || !query.pipe_operators.is_empty() {
        return Err(outside(span, "FETCH"));
    }
    let select = match &*query.body {
        SetExpr::Select(select) => select,
        SetExpr::SetOperation { op, .. } => return Err(outside(span, &op.to_string())),
        other => return Err(outside(span, &format!("`{other}`"))),
    };
    refuse_clauses(select, span)?;
    let source = match select.from.as_slice() {
        [] => None,
        [one] => Some(source(one, tables, span)?),
        _ => return Err(outside(span, "a join")),
    };
    let table = source.as_ref().map(|source| source.table);
    let scope = Scope { tables, table, alias: source.and_then(|source| source.alias), excluded: false, holes, span };
    let mut list = Vec::new();
    for item in &select.projection {
        selected(item, &scope, &mut list)?;
    }
    let filter = select.selection.as_ref().map(|filter| scope.scalar(filter)).transpose()?;
    let found =
        Select { table, list, filter, order: order(query, &scope)?, limit: limit(query, span)?, lock: lock(query, strength, span)? };
    let mixed = found.aggregates() && found.list.iter().any(|(_, scalar)| bare_column(scalar));
    if mixed {
        return Err(outside(span, "a column beside an aggregate"));
    }
    if found.aggregates() && found.lock.is_some() {
        return Err(outside(span, "an aggregate with FOR UPDATE, which the server refuses (0A000),"));
    }
    if found.limit.is_some() && found.aggregates() {
        return Err(outside(span, "LIMIT of an aggregate"));
    }
    if found.table.is_none() && (found.lock.is_some() || found.filter.is_some()) {
        return Err(outside(span, "WHERE or FOR UPDATE without a table"));
    }
    Ok(found)
}

/// Whether a column stands outside of any aggregate.
fn bare_column(scalar: &Scalar) -> bool {
    match scalar {
        Scalar::Aggregate(..) => false,
        Scalar::Column(..) => true,
        Scalar::Arithmetic(_, left, right) | Scalar::Compare(_, left, right) => bare_column(left) || bare_column(right),
        Scalar::And(parts) | Scalar::Or(parts) | Scalar::Extreme(_, parts) | Scalar::Coalesce(parts) => parts.iter().any(bare_column),
        Scalar::Not(part) | Scalar::IsNull(part) => bare_column(part),
        Scalar::Case(arms, otherwise) => {
            arms.iter().any(|(condition, value)| bare_column(condition) || bare_column(value)) || bare_column(otherwise)
        }
        _ => false,
    }
}

fn refuse_clauses(select: &ast::Select, span: Span) -> Lowered<()> {
    let grouped = !matches!(&select.group_by, ast::GroupByExpr::Expressions(list, modifiers) if list.is_empty() && modifiers.is_empty());
    let refused = [
        (grouped, "GROUP BY"),
        (select.having.is_some(), "HAVING"),
        (select.distinct.is_some(), "DISTINCT"),
        (select.into.is_some(), "SELECT INTO"),
        (!select.named_window.is_empty() || select.qualify.is_some(), "a window"),
        (
            !select.lateral_views.is_empty() || !select.connect_by.is_empty() || select.prewhere.is_some() || select.top.is_some(),
            "this clause",
        ),
    ];
    refused.into_iter().find(|(is, _)| *is).map_or(Ok(()), |(_, what)| Err(outside(span, what)))
}

pub(crate) fn selected(item: &SelectItem, scope: &Scope<'_>, list: &mut Vec<(String, Scalar)>) -> Lowered<()> {
    match item {
        SelectItem::UnnamedExpr(e) => {
            let name = match e {
                Expr::Identifier(name) => folded(name),
                Expr::CompoundIdentifier(parts) => parts.last().map(folded).unwrap_or_default(),
                Expr::Function(function) => plain_name(&function.name),
                _ => "?column?".to_owned(),
            };
            list.push((name, scope.scalar(e)?));
        }
        SelectItem::ExprWithAlias { expr, alias } => list.push((folded(alias), scope.scalar(expr)?)),
        SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..) => {
            let Some(table) = scope.table else { return Err(outside(scope.span, "`*` without a table")) };
            let columns = scope.tables[table.0].columns.iter().enumerate();
            list.extend(columns.map(|(index, column)| (column.name.clone(), Scalar::Column(table, ColumnId(index)))));
        }
        other => return Err(outside(scope.span, &format!("`{other}`"))),
    }
    Ok(())
}

fn order(query: &Query, scope: &Scope<'_>) -> Lowered<Vec<(ColumnId, bool)>> {
    let Some(order) = &query.order_by else { return Ok(Vec::new()) };
    let OrderByKind::Expressions(list) = &order.kind else { return Err(outside(scope.span, "ORDER BY ALL")) };
    let mut found = Vec::new();
    for by in list {
        let descending = match &by.options.sort {
            None | Some(ast::OrderBySort::Asc) => false,
            Some(ast::OrderBySort::Desc) => true,
            Some(ast::OrderBySort::Using(_)) => return Err(outside(scope.span, "ORDER BY … USING")),
        };
        let Scalar::Column(_, column) = scope.scalar(&by.expr)? else {
            return Err(outside(scope.span, "ORDER BY something that is no column"));
        };
        found.push((column, descending));
    }
    Ok(found)
}

fn limit(query: &Query, span: Span) -> Lowered<Option<u32>> {
    let limit = match &query.limit_clause {
        None => return Ok(None),
        Some(LimitClause::LimitOffset { limit, offset: None, limit_by }) if limit_by.is_empty() => limit,
        Some(_) => return Err(outside(span, "OFFSET")),
    };
    match limit {
        None => Ok(None),
        Some(Expr::Value(value)) => match &value.value {
            Value::Number(digits, _) => digits.parse().map(Some).map_err(|_| outside(span, &format!("LIMIT {digits}"))),
            other => Err(outside(span, &format!("LIMIT {other}"))),
        },
        Some(other) => Err(outside(span, &format!("LIMIT {other}"))),
    }
}

fn lock(query: &Query, strength: Option<Strength>, span: Span) -> Lowered<Option<RowLock>> {
    let lock = match query.locks.as_slice() {
        [] => return Ok(None),
        [lock] => lock,
        _ => return Err(outside(span, "several FOR UPDATE")),
    };
    let written = match lock.lock_type {
        ast::LockType::Share => Strength::Share,
        ast::LockType::Update => Strength::Update,
    };
    let wait = match lock.nonblock {
        None => Wait::Wait,
        Some(ast::NonBlock::Nowait) => Wait::NoWait,
        Some(ast::NonBlock::SkipLocked) => Wait::SkipLocked,
    };
    Ok(Some(RowLock { strength: strength.unwrap_or(written), wait }))
}
