//! Reading rows: SELECT without locks, aggregates, SELECTs in parentheses, and what is answered of rows.
//!
//! A SELECT is one step over all rows, as they are committed at that moment with the transaction's own versions over
//! them (READ COMMITTED), or as they are in the snapshot, which is taken in the same step (REPEATABLE READ).

use serval_syntax::{ArithmeticOp, CompareOp, Expr, ExprKind, LocalVar, Variable};

use super::answers::{SlotKind, Told, of_column, row_size};
use super::build::{add, all, any, arithmetic, compare, either, equal, known, local, made, not, number, set};
use super::emit::{Emitted, Emitter};
use super::model::{Identity, RowId, is_column};
use super::state::{Looking, Reach, Value};
use super::values::key_of;
use crate::codes;
use crate::workload::{Aggregate, ColumnId, Comparison, Constant, Kind, Operation, Scalar, Select, TableId};

/// What is answered of the rows of a statement.
pub(super) struct Telling {
    list: Vec<(String, Scalar)>,
    how: Manner,
    /// Whether all rows have one slot: of an INSERT, which tells of one row.
    single: bool,
}

enum Manner {
    /// Nothing is answered.
    Nothing,
    /// Each row has a slot of its own.
    Each,
    /// The rows are told in order, or sorted where there is none; their numbers are kept here until all are known.
    Together { numbers: Vec<(RowId, LocalVar)>, sorted: bool },
}

impl Emitter<'_, '_> {
    pub(super) fn rows_of(&self, table: TableId) -> Vec<RowId> {
        (0..self.model.tables[table.0].rows.len()).map(|row| RowId { table: table.0, row }).collect()
    }

    /// The rows of a table in the order of its key, or in that which is asked for.
    pub(super) fn ordered_rows(&self, table: TableId, order: &[(ColumnId, bool)]) -> Vec<RowId> {
        let mut rows = self.rows_of(table);
        let key = |row: &RowId, column: ColumnId| match self.model.row(*row).cells[column.0] {
            super::model::Cell::Fixed(value) => value,
            _ => 0,
        };
        rows.sort_by(|one, other| {
            let differ = |&(column, descending): &(ColumnId, bool)| {
                let order = key(one, column).cmp(&key(other, column));
                if descending { order.reverse() } else { order }
            };
            order.iter().map(differ).find(|order| order.is_ne()).unwrap_or_else(|| one.row.cmp(&other.row))
        });
        rows
    }

    /// Whether the order is that of columns which are the same in every state.
    pub(super) fn is_fixed_order(&self, table: TableId, order: &[(ColumnId, bool)]) -> bool {
        let rows = &self.model.tables[table.0].rows;
        order.iter().all(|(column, _)| rows.iter().all(|row| matches!(row.cells[column.0], super::model::Cell::Fixed(_))))
    }

    /// Whether a condition names one row by its key.
    pub(super) fn is_by_key(&self, table: TableId, filter: Option<&Scalar>) -> bool {
        let key = match &self.model.tables[table.0].identity {
            Identity::Key(columns) => columns.clone(),
            Identity::Number(Some(column)) => vec![*column],
            Identity::Number(None) => return false,
        };
        let single = filter.map(std::slice::from_ref).unwrap_or_default();
        let parts = match filter {
            Some(Scalar::And(parts)) => parts.as_slice(),
            _ => single,
        };
        let names = |column: ColumnId| {
            parts.iter().any(|part| match part {
                Scalar::Compare(Comparison::Equal, left, right) => {
                    (is_column(left, column) && !has_column(right)) || (is_column(right, column) && !has_column(left))
                }
                _ => false,
            })
        };
        key.into_iter().all(names)
    }

    /// Computes the SELECTs in parentheses of these expressions, in this step.
    pub(super) fn prepare<'s>(&mut self, scalars: impl Iterator<Item = &'s Scalar>) -> Emitted<()> {
        let mut found: Vec<&Scalar> = Vec::new();
        for scalar in scalars {
            scalar.visit(&mut |part| {
                if matches!(part, Scalar::SubSelect(_) | Scalar::Exists(_)) {
                    found.push(part);
                }
            });
        }
        for scalar in found {
            let value = match scalar {
                Scalar::Exists(select) => self.exists(select)?,
                Scalar::SubSelect(select) => self.sub_select(select)?,
                _ => continue,
            };
            self.computed.insert(key_of(scalar), value);
        }
        Ok(())
    }

    fn exists(&mut self, select: &Select) -> Emitted<Value> {
        let found = self.temporary();
        let Some(table) = select.table else { return Ok(Value::of(number(1), Kind::Boolean)) };
        let mut parts = Vec::new();
        for row in self.rows_of(table) {
            let passes = self.passes(select.filter.as_ref(), row, None)?;
            parts.push(all(vec![self.there(row), passes]));
        }
        self.push(set(found, any(parts)));
        Ok(Value::of(local(found), Kind::Boolean))
    }

    fn sub_select(&mut self, select: &Select) -> Emitted<Value> {
        let [(_, scalar)] = select.list.as_slice() else { return self.outside("a SELECT of several columns in parentheses") };
        if scalar.has_aggregate() || select.table.is_none() {
            self.aggregates(select)?;
            return self.value(scalar, Looking::default(), None);
        }
        let Some(table) = select.table else { return self.outside("this SELECT in parentheses") };
        if !self.is_by_key(table, select.filter.as_ref()) && self.rows_of(table).len() > 1 {
            return self.outside("a SELECT in parentheses that can give several rows");
        }
        let (holder, null) = (self.temporary(), self.temporary());
        self.push(set(holder, number(0)));
        self.push(set(null, number(1)));
        let mut kind = Kind::Integer;
        for row in self.rows_of(table) {
            let passes = self.passes(select.filter.as_ref(), row, None)?;
            let found = all(vec![self.there(row), passes]);
            if known(&found) == Some(0) {
                continue;
            }
            let value = self.value(scalar, Looking { row: Some(row), excluded: None }, None)?;
            kind = value.kind.clone();
            self.when(found, |this| {
                this.push(set(holder, value.number));
                this.push(set(null, value.null));
                Ok(())
            })?;
        }
        Ok(Value { number: local(holder), null: equal(local(null), 1), kind })
    }

    /// Computes the aggregates of a SELECT.
    fn aggregates(&mut self, select: &Select) -> Emitted<()> {
        let mut found: Vec<(&Scalar, Aggregate, Option<&Scalar>)> = Vec::new();
        for (_, scalar) in &select.list {
            scalar.visit(&mut |part| {
                if let Scalar::Aggregate(aggregate, of) = part {
                    found.push((part, *aggregate, of.as_deref()));
                }
            });
        }
        for (scalar, aggregate, of) in found {
            let value = self.aggregate(select, aggregate, of)?;
            self.computed.insert(key_of(scalar), value);
        }
        Ok(())
    }

    fn aggregate(&mut self, select: &Select, aggregate: Aggregate, of: Option<&Scalar>) -> Emitted<Value> {
        let Some(table) = select.table else { return self.outside("an aggregate without a table") };
        let (total, some) = (self.temporary(), self.temporary());
        self.push(set(total, number(0)));
        self.push(set(some, number(0)));
        let mut kind = Kind::Integer;
        for row in self.rows_of(table) {
            let passes = self.passes(select.filter.as_ref(), row, None)?;
            let mut counts = vec![self.there(row), passes];
            let mut value = number(1);
            if let Some(of) = of {
                let found = self.value(of, Looking { row: Some(row), excluded: None }, None)?;
                counts.push(not(found.null));
                (value, kind) = (found.number, found.kind);
            }
            let counts = all(counts);
            self.when(counts, |this| {
                let next = match aggregate {
                    Aggregate::Count => add(local(total), number(1)),
                    Aggregate::Sum => add(local(total), value),
                    Aggregate::Min | Aggregate::Max => {
                        let op = if aggregate == Aggregate::Min { CompareOp::Less } else { CompareOp::Greater };
                        let better = any(vec![equal(local(some), 0), compare(op, value.clone(), local(total))]);
                        either(better, value, local(total))
                    }
                };
                this.push(set(total, next));
                if aggregate != Aggregate::Count {
                    this.push(set(some, number(1)));
                }
                Ok(())
            })?;
        }
        if matches!(aggregate, Aggregate::Min | Aggregate::Max) && kind == Kind::Text {
            return self.outside("an order of texts, which depends on the collation,");
        }
        if aggregate == Aggregate::Sum && kind != Kind::Integer {
            return self.error(codes::BAD_TYPE, "a sum of something that is no number", "whole numbers", "sum a column of numbers");
        }
        let null = if aggregate == Aggregate::Count { number(0) } else { equal(local(some), 0) };
        let kind = if aggregate == Aggregate::Count { Kind::Integer } else { kind };
        Ok(Value { number: local(total), null, kind })
    }

    /// A SELECT that locks nothing.
    pub(super) fn plain_select(&mut self, select: &Select, into: Option<&[usize]>) -> Emitted<()> {
        self.computed.clear();
        self.prepare(select.list.iter().map(|(_, scalar)| scalar))?;
        self.refuse_sub_selects(select.filter.as_ref())?;
        let Some(table) = select.table.filter(|_| !select.aggregates()) else {
            self.aggregates(select)?;
            let tells = self.tells();
            if tells {
                self.tell_row(0, &select.list, None, &Looking::default())?;
            }
            self.push(set(self.count, number(1)));
            return self.assign_into(into, &select.list, &Looking::default());
        };
        self.refuse_order_of_texts(table, &select.order)?;
        let rows = self.ordered_rows(table, &select.order);
        if select.limit.is_some() && !self.is_fixed_order(table, &select.order) {
            return self.outside("LIMIT by an order that is not that of the key");
        }
        if select.limit.is_some_and(|limit| rows.len() > limit as usize)
            && select.order.is_empty()
            && !self.is_by_key(table, select.filter.as_ref())
        {
            return self.outside("LIMIT without ORDER BY");
        }
        let count = self.count;
        self.push(set(count, number(0)));
        let mut candidates = Vec::new();
        for row in rows {
            let passes = self.passes(select.filter.as_ref(), row, None)?;
            let found = all(vec![self.there(row), passes]);
            if known(&found) != Some(0) {
                candidates.push((row, found));
            }
        }
        let list = select.list.clone();
        let telling = self.telling(table, list, &select.order, &candidates.iter().map(|(row, _)| *row).collect::<Vec<_>>())?;
        for (row, found) in candidates {
            let within = select.limit.map_or_else(|| number(1), |limit| compare(CompareOp::Less, local(count), number(i64::from(limit))));
            self.when(all(vec![within, found]), |this| {
                this.push(set(count, add(local(count), number(1))));
                this.tell_one(&telling, row)?;
                this.assign_into(into, &select.list, &Looking { row: Some(row), excluded: None })
            })?;
        }
        self.tell_together(&telling)?;
        self.one_row_only(into)
    }

    pub(super) fn refuse_sub_selects(&self, filter: Option<&Scalar>) -> Emitted<()> {
        let mut found = false;
        filter.iter().for_each(|filter| filter.visit(&mut |part| found |= matches!(part, Scalar::SubSelect(_) | Scalar::Exists(_))));
        if found { self.outside("a SELECT in WHERE") } else { Ok(()) }
    }

    /// `\gset` wants one row: the run fails otherwise.
    pub(super) fn one_row_only(&mut self, into: Option<&[usize]>) -> Emitted<()> {
        if into.is_none() {
            return Ok(());
        }
        let wrong = compare(CompareOp::NotEqual, local(self.count), number(1));
        self.when(wrong, |this| {
            let nothing = made(ExprKind::Arithmetic { first: Box::new(number(1)), rest: vec![(ArithmeticOp::Divide, number(0))] });
            this.push(nothing);
            Ok(())
        })
    }

    /// Gives the columns of a row to variables of the client.
    pub(super) fn assign_into(&mut self, into: Option<&[usize]>, list: &[(String, Scalar)], looking: &Looking<'_>) -> Emitted<()> {
        let Some(into) = into else { return Ok(()) };
        for (&index, (_, scalar)) in into.iter().zip(list) {
            let value = self.value(scalar, *looking, None)?;
            if known(&value.null) == Some(1) {
                return self.outside("a variable that is NULL");
            }
            let reach = self.reach(scalar);
            self.widen(index, reach);
            self.kinds[index] = Some(value.kind.clone());
            let variable = self.variable(index);
            self.push(set(variable, value.number.clone()));
            // A variable that is NULL would be an empty text for the client.
            self.when(value.null, |this| {
                let nothing = made(ExprKind::Arithmetic { first: Box::new(number(1)), rest: vec![(ArithmeticOp::Divide, number(0))] });
                this.push(nothing);
                Ok(())
            })?;
        }
        Ok(())
    }

    /// A value as it is answered.
    fn told(&self, name: &str, scalar: &Scalar) -> Emitted<Told> {
        if let Scalar::Column(table, column) = scalar
            && let Some(told) = of_column(self.model, (*table, *column), name)
        {
            return Ok(told);
        }
        let Some(reach) = self.reach(scalar) else {
            return self.error(
                codes::NO_RANGE,
                &format!("the values of `{name}`, which the caller gets, have no known range"),
                "columns, and what is computed of them",
                "say what the caller gets: `-- serval: answer :x`, or `-- serval: answer nothing`",
            );
        };
        let count = reach.high.saturating_sub(reach.low).saturating_add(1);
        let null = reach.null.then_some(count);
        let kind = match scalar {
            Scalar::Column(table, column) => self.model.workload.table(*table).column(*column).kind.clone(),
            Scalar::Compare(..) | Scalar::And(_) | Scalar::Or(_) | Scalar::Not(_) | Scalar::IsNull(_) | Scalar::Exists(_) => Kind::Boolean,
            _ => Kind::Integer,
        };
        Ok(Told { name: name.to_owned(), low: reach.low, count: count.saturating_add(i64::from(reach.null)), null, kind })
    }

    /// The number of a row of values, from 0.
    fn row_number(&mut self, told: &[Told], list: &[(String, Scalar)], looking: &Looking<'_>) -> Emitted<Expr> {
        let mut all = number(0);
        for (one, (_, scalar)) in told.iter().zip(list) {
            let value = self.value(scalar, *looking, None)?;
            let from_low = arithmetic(ArithmeticOp::Subtract, value.number, number(one.low));
            let digit = one.null.map_or(from_low.clone(), |null| either(value.null.clone(), number(null), from_low));
            let digit = if computed_by_client(scalar) { self.within(digit, one.count) } else { digit };
            all = add(arithmetic(ArithmeticOp::Multiply, all, number(one.count)), digit);
        }
        Ok(all)
    }

    /// The run fails where a number is none of those that were reckoned with, so that no answer is taken for another.
    fn within(&self, value: Expr, count: i64) -> Expr {
        let limit = serval_syntax::Limit::Range(Variable::Local(self.answer));
        made(ExprKind::Within { value: Box::new(value), low: 0, high: count - 1, limit })
    }

    fn tell_row(&mut self, part: usize, list: &[(String, Scalar)], row: Option<RowId>, looking: &Looking<'_>) -> Emitted<()> {
        let told = list.iter().map(|(name, scalar)| self.told(name, scalar)).collect::<Emitted<Vec<_>>>()?;
        let number_of = self.row_number(&told, list, looking)?;
        let _ = row;
        let slot = self.slot(part, || SlotKind::Row(told))?;
        self.tell(&slot, add(number_of, number(1)));
        Ok(())
    }

    /// Texts have an order that depends on the collation of the server.
    pub(super) fn refuse_order_of_texts(&self, table: TableId, order: &[(ColumnId, bool)]) -> Emitted<()> {
        let is_text = |column: ColumnId| self.model.workload.table(table).column(column).kind == Kind::Text;
        if order.iter().any(|(column, _)| is_text(*column)) {
            return self.outside("an order of texts, which depends on the collation,");
        }
        Ok(())
    }

    /// How the row of an INSERT is answered.
    pub(super) fn telling_of_insert(&mut self, table: TableId, list: Vec<(String, Scalar)>, row: RowId) -> Emitted<Telling> {
        Ok(Telling { single: true, ..self.telling(table, list, &[], &[row])? })
    }

    /// How the rows of a statement are told, of which these can be among them.
    pub(super) fn telling(
        &mut self,
        table: TableId,
        list: Vec<(String, Scalar)>,
        order: &[(ColumnId, bool)],
        candidates: &[RowId],
    ) -> Emitted<Telling> {
        if !self.tells() || list.is_empty() {
            return Ok(Telling { list, how: Manner::Nothing, single: false });
        }
        let key = match &self.model.tables[table.0].identity {
            Identity::Key(columns) => columns.clone(),
            Identity::Number(column) => column.iter().copied().collect(),
        };
        if let Identity::Number(Some(opaque)) = &self.model.tables[table.0].identity
            && list.iter().any(|(_, scalar)| {
                let mut found = false;
                scalar.visit(&mut |part| found |= is_column(part, *opaque));
                found
            })
        {
            return self.outside("a key that the server chooses, in an answer: it");
        }
        let named = !key.is_empty() && key.iter().all(|column| list.iter().any(|(_, scalar)| is_column(scalar, *column)));
        if candidates.len() <= 1 || named {
            return Ok(Telling { list, how: Manner::Each, single: false });
        }
        let fixed = !order.is_empty() && self.is_fixed_order(table, order);
        if !fixed && order.iter().any(|(column, _)| !list.iter().any(|(_, scalar)| is_column(scalar, *column))) {
            return self.outside("ORDER BY a column that is neither key nor selected");
        }
        let mut numbers = Vec::new();
        for &row in candidates {
            let holder = self.temporary();
            self.push(set(holder, number(0)));
            numbers.push((row, holder));
        }
        Ok(Telling { list, how: Manner::Together { numbers, sorted: !fixed }, single: false })
    }

    /// A row of the statement is answered; it passes here.
    pub(super) fn tell_one(&mut self, telling: &Telling, row: RowId) -> Emitted<()> {
        let looking = Looking { row: Some(row), excluded: None };
        match &telling.how {
            Manner::Nothing => Ok(()),
            Manner::Each => self.tell_row(if telling.single { 0 } else { row.row }, &telling.list, Some(row), &looking),
            Manner::Together { numbers, .. } => {
                let told = telling.list.iter().map(|(name, scalar)| self.told(name, scalar)).collect::<Emitted<Vec<_>>>()?;
                let number_of = self.row_number(&told, &telling.list, &looking)?;
                if let Some((_, holder)) = numbers.iter().find(|(of, _)| *of == row) {
                    self.push(set(*holder, add(number_of, number(1))));
                }
                Ok(())
            }
        }
    }

    /// All rows are known: those that are told together are told now.
    pub(super) fn tell_together(&mut self, telling: &Telling) -> Emitted<()> {
        let Manner::Together { numbers, sorted } = &telling.how else { return Ok(()) };
        let told = telling.list.iter().map(|(name, scalar)| self.told(name, scalar)).collect::<Emitted<Vec<_>>>()?;
        let base = row_size(&told).and_then(|size| size.checked_add(1)).unwrap_or(i64::MAX);
        let places: Vec<LocalVar> = numbers.iter().map(|(_, holder)| *holder).collect();
        if *sorted {
            self.sort(&places)?;
        }
        let together = self.temporary();
        self.push(set(together, number(0)));
        for place in &places {
            let longer = add(arithmetic(ArithmeticOp::Multiply, local(together), number(base)), local(*place));
            self.when(compare(CompareOp::Greater, local(*place), number(0)), |this| {
                this.push(set(together, longer));
                Ok(())
            })?;
        }
        let most = u32::try_from(places.len()).unwrap_or(u32::MAX);
        let slot = self.slot(0, || SlotKind::Rows(told, most))?;
        self.tell(&slot, add(local(together), number(1)));
        Ok(())
    }

    /// Puts numbers in order, so that rows that are told without one are the same however they lie.
    fn sort(&mut self, places: &[LocalVar]) -> Emitted<()> {
        let swap = self.temporary();
        for round in 0..places.len() {
            for index in 1..places.len() - round {
                let (one, other) = (places[index - 1], places[index]);
                self.when(compare(CompareOp::Greater, local(one), local(other)), |this| {
                    this.push(set(swap, local(one)));
                    this.push(set(one, local(other)));
                    this.push(set(other, local(swap)));
                    Ok(())
                })?;
            }
        }
        Ok(())
    }

    /// Tells what the script says that its caller gets.
    pub(super) fn tell_answer(&mut self, answer: &[Scalar]) -> Emitted<()> {
        if answer.is_empty() {
            return Ok(());
        }
        let name = |scalar: &Scalar| match scalar {
            Scalar::Variable(index) => self.script.variables[*index].clone(),
            Scalar::Parameter(index) => self.script.parameters[*index].name.clone(),
            _ => "ROW_COUNT".to_owned(),
        };
        let list: Vec<(String, Scalar)> = answer.iter().map(|scalar| (name(scalar), scalar.clone())).collect();
        self.tell_row(0, &list, None, &Looking::default())
    }

    /// Keeps what values a variable can have.
    pub(super) fn widen(&mut self, variable: usize, reach: Option<Reach>) {
        let known = &mut self.reaches[variable];
        *known = match (*known, reach) {
            (None, reach) => Some(reach),
            (Some(Some(one)), Some(other)) => Some(Some(hull(one, other))),
            _ => Some(None),
        };
    }

    /// The numbers that an expression can have, as far as that is known.
    pub(super) fn reach(&self, scalar: &Scalar) -> Option<Reach> {
        let of = |low, high| Some(Reach { low, high, null: false });
        match scalar {
            Scalar::Constant(Constant::Integer(value)) => of(*value, *value),
            Scalar::Constant(Constant::Boolean(value)) => of(i64::from(*value), i64::from(*value)),
            Scalar::Constant(Constant::Null) => Some(Reach { low: 0, high: 0, null: true }),
            Scalar::Constant(_) => None,
            Scalar::Column(table, column) => {
                let domain = self.model.domain((*table, *column))?;
                Some(Reach { low: domain.bounds.low, high: domain.bounds.high, null: domain.nullable })
            }
            Scalar::Excluded(_) => None,
            Scalar::Parameter(index) => self.parameters.get(*index).and_then(|(value, _)| of(*value, *value)),
            Scalar::Variable(index) => self.reaches[*index].flatten(),
            Scalar::RowCount => of(0, i64::try_from(self.model.tables.iter().map(|table| table.rows.len()).max().unwrap_or(0)).ok()?),
            Scalar::Arithmetic(operation, left, right) => arithmetic_reach(*operation, self.reach(left)?, self.reach(right)?),
            Scalar::Compare(..) | Scalar::And(_) | Scalar::Or(_) | Scalar::Not(_) => Some(Reach { low: 0, high: 1, null: true }),
            Scalar::IsNull(_) | Scalar::Exists(_) => of(0, 1),
            Scalar::Case(arms, otherwise) => {
                let parts = arms.iter().map(|(_, value)| value).chain([&**otherwise]).map(|part| self.reach(part));
                parts.reduce(|one, other| Some(hull(one?, other?))).flatten()
            }
            Scalar::Coalesce(parts) | Scalar::Extreme(_, parts) => {
                let reach = parts.iter().map(|part| self.reach(part)).reduce(|one, other| Some(hull(one?, other?))).flatten()?;
                let all_null = parts.iter().all(|part| self.reach(part).is_none_or(|reach| reach.null));
                Some(Reach { null: all_null, ..reach })
            }
            Scalar::Aggregate(aggregate, part) => {
                let rows = i64::try_from(self.model.tables.iter().map(|table| table.rows.len()).max().unwrap_or(0)).ok()?;
                match (aggregate, part) {
                    (Aggregate::Count, _) => of(0, rows),
                    (Aggregate::Sum, Some(part)) => {
                        let reach = self.reach(part)?;
                        let (low, high) = (reach.low.checked_mul(rows)?.min(reach.low), reach.high.checked_mul(rows)?.max(reach.high));
                        Some(Reach { low: low.min(0), high: high.max(0), null: true })
                    }
                    (_, Some(part)) => self.reach(part).map(|reach| Reach { null: true, ..reach }),
                    (_, None) => None,
                }
            }
            Scalar::SubSelect(select) => {
                select.list.first().and_then(|(_, scalar)| self.reach(scalar)).map(|reach| Reach { null: true, ..reach })
            }
        }
    }
}

fn hull(one: Reach, other: Reach) -> Reach {
    Reach { low: one.low.min(other.low), high: one.high.max(other.high), null: one.null || other.null }
}

fn arithmetic_reach(operation: Operation, left: Reach, right: Reach) -> Option<Reach> {
    let corners = |op: fn(i64, i64) -> Option<i64>| {
        let all = [(left.low, right.low), (left.low, right.high), (left.high, right.low), (left.high, right.high)];
        let all = all.into_iter().map(|(left, right)| op(left, right)).collect::<Option<Vec<i64>>>()?;
        Some((*all.iter().min()?, *all.iter().max()?))
    };
    let (low, high) = match operation {
        Operation::Add => corners(i64::checked_add)?,
        Operation::Subtract => corners(i64::checked_sub)?,
        Operation::Multiply => corners(i64::checked_mul)?,
        Operation::Divide => {
            let size = left.low.checked_abs()?.max(left.high.checked_abs()?);
            (-size, size)
        }
        Operation::Remainder => {
            let size = right.low.checked_abs()?.max(right.high.checked_abs()?);
            (-size, size)
        }
    };
    Some(Reach { low, high, null: left.null || right.null })
}

fn has_column(scalar: &Scalar) -> bool {
    let mut found = false;
    scalar.visit(&mut |part| found |= matches!(part, Scalar::Column(..)));
    found
}

/// Whether a value comes from the client, whose numbers are reckoned with and not limited.
fn computed_by_client(scalar: &Scalar) -> bool {
    let mut found = false;
    scalar.visit(&mut |part| found |= matches!(part, Scalar::Variable(_) | Scalar::RowCount));
    found
}
