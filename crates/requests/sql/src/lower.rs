//! Expressions: from the tree of the parser of SQL to [`Scalar`]. What is not modelled is an error that names it.

use serval_diagnostic::{Diagnostic, Span};
use sqlparser::ast::{
    BinaryOperator, CaseWhen, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Ident, ObjectName, UnaryOperator, Value,
};

use crate::codes;
use crate::workload::{Aggregate, Comparison, Constant, Operation, Scalar, Table, TableId};

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

pub(crate) type Lowered<T> = Result<T, Box<Diagnostic>>;

/// SQL that is not modelled.
pub(crate) fn outside(span: Span, what: &str) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error(codes::OUTSIDE, span, format!("{what} is not modelled"))
            .expected("SQL of the subset that `serval explain E0702` lists")
            .help("leave it out, or write what it does with statements over one table"),
    )
}

/// The name of a table without its schema, and as SQL folds it.
pub(crate) fn plain_name(name: &ObjectName) -> String {
    name.0.last().and_then(|part| part.as_ident()).map(folded).unwrap_or_default()
}

pub(crate) fn folded(ident: &Ident) -> String {
    if ident.quote_style.is_some() { ident.value.clone() } else { ident.value.to_lowercase() }
}

/// The table of this name.
pub(crate) fn table_named(tables: &[Table], name: &ObjectName, span: Span) -> Lowered<TableId> {
    let plain = plain_name(name);
    tables.iter().position(|table| table.name == plain).map(TableId).ok_or_else(|| {
        let names: Vec<&str> = tables.iter().map(|table| table.name.as_str()).collect();
        unknown(span, "table", &plain, &names)
    })
}

/// A name that nothing has.
pub(crate) fn unknown(span: Span, what: &str, name: &str, known: &[&str]) -> Box<Diagnostic> {
    let help = match serval_diagnostic::similar(name, known.iter().copied()) {
        Some(near) => format!("`{near}` is meant?"),
        None => format!("create it in the schema, or name one that is there: {}", known.join(", ")),
    };
    let message = format!("there is no {what} `{name}`");
    Box::new(Diagnostic::error(codes::UNKNOWN_NAME, span, message).expected(format!("a {what} of the schema")).help(help))
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

    fn sub_select(&self, query: &sqlparser::ast::Query) -> Lowered<crate::workload::Select> {
        let select = crate::statements::select(query, self.tables, self.holes, None, self.span)?;
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
