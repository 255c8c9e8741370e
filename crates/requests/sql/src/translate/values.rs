//! Expressions of SQL as expressions of the language, with NULL.
//!
//! A value is a number and whether it is NULL. A condition is two: whether it is true, and whether it is false; where
//! it is neither it is unknown. `x = NULL` is neither, `NOT` changes the sides, `AND` is true where all are and false
//! where one is. WHERE wants true, CHECK wants not false.

use serval_syntax::{ArithmeticOp, CompareOp, Expr, ExprKind};

use super::build::{add, all, any, arithmetic, choice, compare, either, equal, known, local, made, not, number};
use super::domain::coded;
use super::emit::{Emitted, Emitter};
use super::model::RowId;
use super::state::{Looking, StoredValue, Value};
use crate::codes;
use crate::workload::{Aggregate, Beyond, ColumnId, Comparison, Constant, Kind, Operation, Scalar};

/// Whether a condition is true, and whether it is false.
#[derive(Clone, Debug)]
pub(super) struct Truth {
    pub(super) yes: Expr,
    pub(super) no: Expr,
}

impl Truth {
    fn of(e: Expr) -> Self {
        Self { no: not(e.clone()), yes: e }
    }
}

impl Emitter<'_, '_> {
    /// What kind of values an expression has, as far as it says.
    fn kind_of(&self, scalar: &Scalar) -> Option<Kind> {
        match scalar {
            Scalar::Column(table, column) => Some(self.model.workload.table(*table).column(*column).kind.clone()),
            Scalar::Parameter(index) => self.parameters.get(*index).map(|(_, kind)| kind.clone()),
            Scalar::Constant(Constant::Integer(_)) | Scalar::RowCount | Scalar::Arithmetic(..) => Some(Kind::Integer),
            Scalar::Constant(Constant::Boolean(_)) | Scalar::Compare(..) | Scalar::And(_) | Scalar::Or(_) | Scalar::Not(_) => {
                Some(Kind::Boolean)
            }
            Scalar::Coalesce(parts) | Scalar::Extreme(_, parts) => parts.iter().find_map(|part| self.kind_of(part)),
            Scalar::Case(arms, otherwise) => arms.iter().map(|(_, value)| value).chain([&**otherwise]).find_map(|part| self.kind_of(part)),
            Scalar::SubSelect(select) => select.list.first().and_then(|(_, scalar)| self.kind_of(scalar)),
            Scalar::Aggregate(Aggregate::Count, _) => Some(Kind::Integer),
            Scalar::Aggregate(_, Some(part)) => self.kind_of(part),
            Scalar::Variable(index) => self.kinds[*index].clone(),
            _ => None,
        }
    }

    /// A value; constants are taken as of this kind.
    pub(super) fn value(&mut self, scalar: &Scalar, looking: Looking<'_>, wanted: Option<&Kind>) -> Emitted<Value> {
        serval_budget::checkpoint::pass();
        if let Some(computed) = self.computed.get(&key_of(scalar)) {
            return Ok(computed.clone());
        }
        let kind = self.kind_of(scalar).or_else(|| wanted.cloned()).unwrap_or(Kind::Integer);
        Ok(match scalar {
            Scalar::Constant(constant) => self.constant(constant, wanted.unwrap_or(&kind))?,
            Scalar::Column(table, column) => match (looking.row, looking.excluded.and_then(|values| values.get(column.0))) {
                (Some(row), _) if row.table == table.0 => self.column_value(row, *column),
                // A row that is to be inserted is looked at by its CHECKs.
                (None, Some(value)) => value.clone(),
                _ => return self.outside("a column outside of its row"),
            },
            Scalar::Excluded(column) => match looking.excluded.and_then(|values| values.get(column.0)) {
                Some(value) => value.clone(),
                None => return self.outside("EXCLUDED in this place"),
            },
            Scalar::Parameter(index) => match self.parameters.get(*index) {
                Some((value, kind)) => Value::of(number(*value), kind.clone()),
                None => return self.outside("this parameter"),
            },
            Scalar::Variable(index) => {
                let variable = self.variable(*index);
                Value::of(local(variable), kind)
            }
            Scalar::RowCount => Value::of(local(self.count), Kind::Integer),
            Scalar::Arithmetic(operation, left, right) => self.computation(*operation, left, right, looking)?,
            Scalar::Case(arms, otherwise) => {
                let mut value = self.value(otherwise, looking, Some(&kind))?;
                for (condition, result) in arms.iter().rev() {
                    let (condition, result) = (self.truth(condition, looking)?.yes, self.value(result, looking, Some(&kind))?);
                    value = chosen(condition, result, value);
                }
                value
            }
            Scalar::Coalesce(parts) => {
                let mut values = parts.iter().map(|part| self.value(part, looking, Some(&kind))).collect::<Emitted<Vec<_>>>()?;
                let Some(mut value) = values.pop() else { return self.outside("coalesce of nothing") };
                while let Some(before) = values.pop() {
                    value = chosen(not(before.null.clone()), before, value);
                }
                value
            }
            Scalar::Extreme(greatest, parts) => self.extreme(*greatest, parts, looking)?,
            Scalar::Compare(..) | Scalar::And(_) | Scalar::Or(_) | Scalar::Not(_) | Scalar::IsNull(_) | Scalar::Exists(_) => {
                let Truth { yes, no } = self.truth(scalar, looking)?;
                let null = not(any(vec![yes.clone(), no]));
                Value { number: yes, null, kind: Kind::Boolean }
            }
            Scalar::Aggregate(..) => return self.outside("an aggregate in this place"),
            Scalar::SubSelect(_) => return self.outside("a SELECT in parentheses in this place"),
        })
    }

    fn constant(&self, constant: &Constant, kind: &Kind) -> Emitted<Value> {
        match (constant, coded(constant, kind, &self.model.texts)) {
            (Constant::Unknown, _) => self.outside("a value of the server, such as now(), that is looked at"),
            (_, Some(Some(value))) => Ok(Value::of(number(value), kind.clone())),
            (Constant::Null, _) => Ok(Value { number: number(0), null: number(1), kind: kind.clone() }),
            _ => self.error(
                codes::BAD_TYPE,
                "a constant that its column cannot have",
                "a value of the type of the column",
                "write a value of that type",
            ),
        }
    }

    pub(super) fn column_value(&mut self, row: RowId, column: ColumnId) -> Value {
        let place = (crate::workload::TableId(row.table), column);
        let kind = self.model.workload.table(place.0).column(column).kind.clone();
        let null = self.model.domain(place).filter(|domain| domain.nullable).map(super::domain::Domain::null);
        let cell = self.cell(row, column);
        let null = null.map_or_else(|| number(0), |null| equal(cell.clone(), null));
        Value { number: cell, null, kind }
    }

    pub(super) fn variable(&mut self, index: usize) -> serval_syntax::LocalVar {
        if let Some(known) = self.variables[index] {
            return known;
        }
        let name = self.script.variables[index].clone();
        let made = self.new_local(&name);
        self.locals[made.index()].hidden = false;
        self.variables[index] = Some(made);
        made
    }

    /// Whether the server divides such a value as `numeric`: a column of that type, a sum of `bigint`, or a variable of
    /// the client that can be one.
    fn has_fractions(&self, scalar: &Scalar) -> bool {
        let workload = self.model.workload;
        let is_one = |(table, column): &super::usage::Place, types: &[&str]| {
            let written = &workload.table(*table).column(*column).written;
            types.iter().any(|name| written.starts_with(name))
        };
        let mut found = false;
        scalar.visit(&mut |part| match part {
            Scalar::Column(table, column) => found |= is_one(&(*table, *column), &["numeric", "dec"]),
            Scalar::Excluded(column) => {
                let of =
                    |table: &crate::workload::Table| table.columns.get(column.0).is_some_and(|known| known.written.starts_with("numeric"));
                found |= workload.tables.iter().any(of);
            }
            Scalar::Variable(_) => found |= self.model.usage.read.iter().any(|place| is_one(place, &["numeric", "dec"])),
            Scalar::Aggregate(Aggregate::Sum, Some(of)) => {
                of.visit(&mut |inner| {
                    if let Scalar::Column(table, column) = inner {
                        found |= is_one(&(*table, *column), &["bigint", "int8", "bigserial", "serial8"]);
                    }
                });
            }
            _ => {}
        });
        found
    }

    fn computation(&mut self, operation: Operation, left: &Scalar, right: &Scalar, looking: Looking<'_>) -> Emitted<Value> {
        if operation == Operation::Divide && [left, right].into_iter().any(|part| self.has_fractions(part)) {
            return self.outside("division of `numeric` values, which has fractions,");
        }
        let (left, right) = (self.value(left, looking, Some(&Kind::Integer))?, self.value(right, looking, Some(&Kind::Integer))?);
        for part in [&left, &right] {
            if part.kind != Kind::Integer {
                return self.error(
                    codes::BAD_TYPE,
                    "arithmetic of something that is no number",
                    "whole numbers",
                    "compute with numbers only",
                );
            }
        }
        let null = any(vec![left.null, right.null]);
        let (left, right) = (left.number, right.number);
        let number = match operation {
            Operation::Add => add(left, right),
            Operation::Subtract => arithmetic(ArithmeticOp::Subtract, left, right),
            Operation::Multiply => arithmetic(ArithmeticOp::Multiply, left, right),
            // SQL divides towards zero, the language downwards. The signs are put in front.
            Operation::Divide => toward_zero(left, right),
            Operation::Remainder => {
                let quotient = toward_zero(left.clone(), right.clone());
                let whole = arithmetic(ArithmeticOp::Multiply, quotient, right);
                arithmetic(ArithmeticOp::Subtract, left, whole)
            }
        };
        // Division by zero of what is NULL is none: the server does not compute it.
        let number = match known(&null) {
            Some(0) => number,
            _ => either(null.clone(), super::build::number(0), number),
        };
        Ok(Value { number, null, kind: Kind::Integer })
    }

    fn extreme(&mut self, greatest: bool, parts: &[Scalar], looking: Looking<'_>) -> Emitted<Value> {
        let op = if greatest { CompareOp::GreaterOrEqual } else { CompareOp::LessOrEqual };
        let mut best: Option<Value> = None;
        for part in parts {
            let next = self.value(part, looking, None)?;
            if next.kind == Kind::Text {
                return self.outside("an order of texts, which depends on the collation,");
            }
            best = Some(match best {
                None => next,
                Some(best) => {
                    let keeps = any(vec![
                        next.null.clone(),
                        all(vec![not(best.null.clone()), compare(op, best.number.clone(), next.number.clone())]),
                    ]);
                    chosen(keeps, best, next)
                }
            });
        }
        best.map_or_else(|| self.outside("least or greatest of nothing"), Ok)
    }

    /// Whether a condition is true, and whether it is false.
    pub(super) fn truth(&mut self, scalar: &Scalar, looking: Looking<'_>) -> Emitted<Truth> {
        serval_budget::checkpoint::pass();
        Ok(match scalar {
            Scalar::And(parts) | Scalar::Or(parts) => {
                let parts = parts.iter().map(|part| self.truth(part, looking)).collect::<Emitted<Vec<_>>>()?;
                let (yes, no): (Vec<Expr>, Vec<Expr>) = parts.into_iter().map(|part| (part.yes, part.no)).unzip();
                if matches!(scalar, Scalar::And(_)) { Truth { yes: all(yes), no: any(no) } } else { Truth { yes: any(yes), no: all(no) } }
            }
            Scalar::Not(part) => {
                let Truth { yes, no } = self.truth(part, looking)?;
                Truth { yes: no, no: yes }
            }
            Scalar::IsNull(part) => Truth::of(self.value(part, looking, None)?.null),
            Scalar::Compare(op, left, right) => {
                let kind = self.kind_of(left).or_else(|| self.kind_of(right));
                let kind = match (left.as_ref(), right.as_ref()) {
                    // The column says what a constant beside it means.
                    (Scalar::Constant(_), other) | (other, Scalar::Constant(_)) => self.kind_of(other).or(kind),
                    _ => kind,
                };
                if kind == Some(Kind::Text) && !matches!(op, Comparison::Equal | Comparison::NotEqual) {
                    return self.outside("an order of texts, which depends on the collation,");
                }
                let (left, right) = (self.value(left, looking, kind.as_ref())?, self.value(right, looking, kind.as_ref())?);
                if !go_together(&left.kind, &right.kind) {
                    return self.error(
                        codes::BAD_TYPE,
                        "values of two types are compared",
                        "values of one type on both sides",
                        "convert one of them, or compare with another column",
                    );
                }
                let some = not(any(vec![left.null, right.null]));
                let is = compare(operator(*op), left.number, right.number);
                Truth { yes: all(vec![some.clone(), is.clone()]), no: all(vec![some, not(is)]) }
            }
            other => {
                let value = self.value(other, looking, Some(&Kind::Boolean))?;
                let some = not(value.null);
                let is = not(equal(value.number, 0));
                Truth { yes: all(vec![some.clone(), is.clone()]), no: all(vec![some, not(is)]) }
            }
        })
    }

    /// Whether WHERE lets a row pass.
    pub(super) fn passes(&mut self, filter: Option<&Scalar>, row: RowId, excluded: Option<&[Value]>) -> Emitted<Expr> {
        match filter {
            None => Ok(number(1)),
            Some(filter) => Ok(self.truth(filter, Looking { row: Some(row), excluded })?.yes),
        }
    }

    /// The number that a column gets when this is stored.
    pub(super) fn stored(&mut self, place: super::usage::Place, scalar: &Scalar, looking: Looking<'_>) -> Emitted<StoredValue> {
        let Some(domain) = self.model.domain(place).cloned() else {
            let null = self.null_where_not_followed(place, scalar, looking)?;
            return Ok(StoredValue { number: number(0), beyond: number(0), null });
        };
        let kind = self.model.workload.table(place.0).column(place.1).kind.clone();
        let Value { number: value, null, kind: given } = self.value(scalar, looking, Some(&kind))?;
        if !go_together(&given, &kind) {
            return self.error(
                codes::BAD_TYPE,
                "a value of another type is stored here",
                "a value of the type of the column",
                "convert it",
            );
        }
        let (low, high) = (domain.bounds.low, domain.bounds.high);
        let outside =
            any(vec![compare(CompareOp::Less, value.clone(), number(low)), compare(CompareOp::Greater, value.clone(), number(high))]);
        let (value, refused) = match (domain.limits, domain.bounds.beyond) {
            (false, _) => (value, number(0)),
            (true, Beyond::Fail) => (value, outside),
            (true, Beyond::Saturate) => {
                let below = compare(CompareOp::Less, value.clone(), number(low));
                let above = compare(CompareOp::Greater, value.clone(), number(high));
                (either(below, number(low), either(above, number(high), value)), number(0))
            }
            (true, Beyond::Wrap) => {
                let from_low = arithmetic(ArithmeticOp::Subtract, value, number(low));
                let around = arithmetic(ArithmeticOp::Remainder, from_low, number(domain.bounds.count()));
                (add(around, number(low)), number(0))
            }
        };
        if domain.nullable {
            let beyond = all(vec![not(null.clone()), refused]);
            return Ok(StoredValue { number: either(null, number(domain.null()), value), beyond, null: number(0) });
        }
        Ok(StoredValue { number: value, beyond: refused, null })
    }

    /// Whether a value is NULL that is stored into a column which is not followed and cannot be NULL.
    fn null_where_not_followed(&mut self, (table, column): super::usage::Place, scalar: &Scalar, looking: Looking<'_>) -> Emitted<Expr> {
        let column = self.model.workload.table(table).column(column);
        let kind = column.kind.clone();
        if column.nullable || self.is_never_null(scalar) {
            return Ok(number(0));
        }
        match scalar {
            Scalar::Constant(Constant::Null) => Ok(number(1)),
            _ => Ok(self.value(scalar, looking, Some(&kind))?.null),
        }
    }

    /// Whether an expression is never NULL, as can be seen without its values.
    fn is_never_null(&self, scalar: &Scalar) -> bool {
        match scalar {
            Scalar::Constant(constant) => *constant != Constant::Null,
            // A variable that would be NULL ends the run.
            Scalar::Parameter(_) | Scalar::Variable(_) | Scalar::RowCount | Scalar::IsNull(_) | Scalar::Exists(_) => true,
            Scalar::Column(table, column) => !self.model.workload.table(*table).column(*column).nullable,
            Scalar::Arithmetic(_, left, right) | Scalar::Compare(_, left, right) => self.is_never_null(left) && self.is_never_null(right),
            Scalar::And(parts) | Scalar::Or(parts) => parts.iter().all(|part| self.is_never_null(part)),
            Scalar::Coalesce(parts) | Scalar::Extreme(_, parts) => parts.iter().any(|part| self.is_never_null(part)),
            Scalar::Not(part) => self.is_never_null(part),
            Scalar::Case(arms, otherwise) => arms.iter().map(|(_, value)| value).chain([&**otherwise]).all(|part| self.is_never_null(part)),
            Scalar::Aggregate(aggregate, _) => *aggregate == Aggregate::Count,
            Scalar::Excluded(_) | Scalar::SubSelect(_) => false,
        }
    }

    /// A choice of the run.
    pub(super) fn free_choice(&mut self) -> Expr {
        let holder = self.temporary();
        self.push(super::build::set(holder, choice()));
        local(holder)
    }
}

/// Whether numbers of these kinds mean the same.
fn go_together(one: &Kind, other: &Kind) -> bool {
    let is_text = |kind: &Kind| matches!(kind, Kind::Text | Kind::Moment | Kind::Other);
    one == other || (is_text(one) && is_text(other))
}

fn chosen(condition: Expr, yes: Value, no: Value) -> Value {
    let number = either(condition.clone(), yes.number, no.number);
    let null = truth_of(either(condition, yes.null, no.null));
    Value { number, null, kind: yes.kind }
}

/// As 0 or 1 where only truth counts.
fn truth_of(e: Expr) -> Expr {
    match e.kind {
        ExprKind::If { .. } => not(made(ExprKind::Not(Box::new(e)))),
        _ => e,
    }
}

fn operator(op: Comparison) -> CompareOp {
    match op {
        Comparison::Equal => CompareOp::Equal,
        Comparison::NotEqual => CompareOp::NotEqual,
        Comparison::Less => CompareOp::Less,
        Comparison::LessOrEqual => CompareOp::LessOrEqual,
        Comparison::Greater => CompareOp::Greater,
        Comparison::GreaterOrEqual => CompareOp::GreaterOrEqual,
    }
}

/// `left / right`, cut off as SQL does.
fn toward_zero(left: Expr, right: Expr) -> Expr {
    let negative = |e: &Expr| compare(CompareOp::Less, e.clone(), number(0));
    let minus = |e: Expr| arithmetic(ArithmeticOp::Subtract, number(0), e);
    let size = |e: &Expr| either(negative(e), minus(e.clone()), e.clone());
    let quotient = arithmetic(ArithmeticOp::Divide, size(&left), size(&right));
    let differ = compare(CompareOp::NotEqual, negative(&left), negative(&right));
    either(differ, minus(quotient.clone()), quotient)
}

/// By what a computed value is found again.
pub(super) fn key_of(scalar: &Scalar) -> usize {
    std::ptr::from_ref(scalar).addr()
}
