//! Making the body of one request: its statements in a row, its locals, and what is known about the rows that it has
//! touched.

use std::collections::BTreeMap;

use serval_diagnostic::{Diagnostic, Span};
use serval_syntax::{Arm, CompareOp, Expr, ExprKind, GlobalVar, Local, LocalVar};

use super::answers::{AnswerForm, Slot, SlotKind};
use super::build::{add, arithmetic, either, equal, global, known, local, made, number, placed, sequence, set};
use super::model::{Cell, Model, RowId};
use super::state::{Childless, Progress, Reach, Referring, TableLock, Value};
use super::usage::Changes;
use crate::codes;
use crate::workload::{ColumnId, Isolation, Kind, Script, TableId};

/// A row that the transaction has not touched.
pub(super) const FREE: i64 = 0;
/// One that it holds and has not changed.
pub(super) const HELD: i64 = 1;
/// One that it has changed.
pub(super) const CHANGED: i64 = 2;
/// One that it has inserted, and that was not there (REPEATABLE READ).
pub(super) const NEW: i64 = 3;

pub(super) type Emitted<T> = Result<T, Box<Diagnostic>>;

/// What a transaction has done with rows so far: numbers that are known in every run, or `None`.
pub(super) type Touched = BTreeMap<RowId, Option<i64>>;

/// What a request remembers of a row.
#[derive(Clone, Debug, Default)]
struct Remembered {
    flag: Option<LocalVar>,
    there: Option<LocalVar>,
    first: Option<LocalVar>,
    shared: [Option<LocalVar>; 2],
    cells: BTreeMap<usize, LocalVar>,
}

/// What is known at a place of the program.
struct Known {
    touched: Touched,
    by_first: Touched,
    shared: [Touched; 2],
    advisory: BTreeMap<GlobalVar, Option<i64>>,
    tables: [BTreeMap<TableLock, Option<i64>>; 3],
    childless: Vec<Childless>,
}

/// Makes the body of one request.
pub(super) struct Emitter<'m, 'w> {
    pub(super) model: &'m mut Model<'w>,
    pub(super) script: &'w Script,
    pub(super) changes: Changes,
    /// The values of parameters, with their kinds.
    pub(super) parameters: Vec<(i64, Kind)>,
    pub(super) locals: Vec<Local>,
    pub(super) form: AnswerForm,
    /// Where the statement stands that is being translated.
    pub(super) span: Span,
    /// What has been made of the innermost block.
    pub(super) out: Vec<Expr>,
    pub(super) touched: Touched,
    /// Rows that the first statement of the transaction touched (REPEATABLE READ).
    pub(super) by_first: Touched,
    /// Rows that it holds FOR SHARE, and FOR KEY SHARE.
    pub(super) shared: [Touched; 2],
    /// Locks of tables: held, named, named by the first statement.
    pub(super) tables: [BTreeMap<TableLock, Option<i64>>; 3],
    table_locals: BTreeMap<(TableLock, usize), LocalVar>,
    /// What the current statement says of references and parents.
    pub(super) referring: Vec<Referring>,
    /// Parents that the transaction has deleted, whose children are looked for when it ends (REPEATABLE READ).
    pub(super) childless: Vec<Childless>,
    remembered: BTreeMap<RowId, Remembered>,
    pub(super) variables: Vec<Option<LocalVar>>,
    /// What values the variables can have: nothing was assigned; anything; these.
    pub(super) reaches: Vec<Option<Option<Reach>>>,
    /// Of what kind the values of variables are, where they come from columns.
    pub(super) kinds: Vec<Option<Kind>>,
    pub(super) answer: LocalVar,
    /// What was answered before the current statement, which a statement that fails gives back.
    pub(super) told_before: Option<LocalVar>,
    pub(super) count: LocalVar,
    /// Advisory locks that are held.
    pub(super) advisory: BTreeMap<GlobalVar, Option<i64>>,
    /// Values that were computed before: of SELECTs in parentheses and of aggregates.
    pub(super) computed: BTreeMap<usize, Value>,
    temporaries: u32,
    /// The level of the transaction.
    pub(super) level: Isolation,
    /// Where the script is.
    pub(super) state: Progress,
    /// Slots of answers by the place of the statement and a number in it: a script can say a thing in several places of
    /// the program.
    slots: BTreeMap<(u32, usize), usize>,
}

/// What is done with a row that passes.
pub(super) type RowAction<'a, 'm, 'w> = &'a mut dyn FnMut(&mut Emitter<'m, 'w>, RowId) -> Emitted<()>;

impl<'m, 'w> Emitter<'m, 'w> {
    pub(super) fn new(model: &'m mut Model<'w>, script: &'w Script, parameters: Vec<(i64, Kind)>) -> Self {
        let (changes, variables) = (Changes::of(script), vec![None; script.variables.len()]);
        let mut made = Self {
            model,
            script,
            changes,
            parameters,
            locals: Vec::new(),
            form: AnswerForm::default(),
            span: script.span,
            out: Vec::new(),
            touched: Touched::new(),
            by_first: Touched::new(),
            shared: Default::default(),
            tables: Default::default(),
            table_locals: BTreeMap::new(),
            referring: Vec::new(),
            childless: Vec::new(),
            remembered: BTreeMap::new(),
            variables,
            reaches: vec![None; script.variables.len()],
            kinds: vec![None; script.variables.len()],
            answer: LocalVar(0),
            told_before: None,
            count: LocalVar(0),
            advisory: BTreeMap::new(),
            computed: BTreeMap::new(),
            temporaries: 0,
            level: Isolation::ReadCommitted,
            state: Progress::default(),
            slots: BTreeMap::new(),
        };
        made.answer = made.new_local("answer");
        made.count = made.new_local("rows");
        made
    }

    pub(super) fn new_local(&mut self, name: &str) -> LocalVar {
        self.locals.push(Local { name: name.to_owned(), span: self.span, hidden: true, token: false });
        LocalVar(u32::try_from(self.locals.len() - 1).unwrap_or(u32::MAX))
    }

    pub(super) fn temporary(&mut self) -> LocalVar {
        self.temporaries += 1;
        let name = format!("t{}", self.temporaries);
        self.new_local(&name)
    }

    pub(super) fn push(&mut self, mut e: Expr) {
        placed(&mut e, self.span);
        self.out.push(e);
    }

    pub(super) fn push_some(&mut self, e: Option<Expr>) {
        if let Some(e) = e {
            self.push(e);
        }
    }

    pub(super) fn error<T>(&self, code: serval_diagnostic::Code, message: &str, expected: &str, help: &str) -> Emitted<T> {
        Err(Box::new(Diagnostic::error(code, self.span, message).expected(expected).help(help)))
    }

    pub(super) fn outside<T>(&self, what: &str) -> Emitted<T> {
        Err(crate::names::outside(self.span, what))
    }

    /// `if (condition) { yes } else { no }`; what is known behind it is what is known in both.
    pub(super) fn branch(
        &mut self,
        condition: Expr,
        yes: impl FnOnce(&mut Self) -> Emitted<()>,
        no: impl FnOnce(&mut Self) -> Emitted<()>,
    ) -> Emitted<()> {
        match known(&condition) {
            Some(0) => return no(self),
            Some(_) => return yes(self),
            None => {}
        }
        let outer = std::mem::take(&mut self.out);
        let before = self.known_here();
        yes(self)?;
        let body = std::mem::take(&mut self.out);
        let after_yes = self.known_here();
        self.go_back_to(before);
        no(self)?;
        let otherwise = std::mem::replace(&mut self.out, outer);
        // What ends in `return` says nothing about what comes behind.
        let (ends_yes, ends_no) = (ends(&body), ends(&otherwise));
        if ends_no && !ends_yes {
            self.go_back_to(after_yes);
        } else if !ends_yes {
            join(&mut self.touched, &after_yes.touched);
            join(&mut self.by_first, &after_yes.by_first);
            join(&mut self.advisory, &after_yes.advisory);
            self.shared.iter_mut().zip(&after_yes.shared).for_each(|(here, there)| join(here, there));
            self.tables.iter_mut().zip(&after_yes.tables).for_each(|(here, there)| join(here, there));
            // Each says by itself whether it was come to.
            let more: Vec<Childless> = after_yes.childless.into_iter().filter(|one| !self.childless.contains(one)).collect();
            self.childless.extend(more);
        }
        if body.is_empty() && otherwise.is_empty() {
            return Ok(());
        }
        let otherwise = (!otherwise.is_empty()).then(|| Box::new(sequence(otherwise)));
        self.push(made(ExprKind::If { arms: vec![Arm { condition, body: sequence(body) }], otherwise }));
        Ok(())
    }

    pub(super) fn when(&mut self, condition: Expr, yes: impl FnOnce(&mut Self) -> Emitted<()>) -> Emitted<()> {
        self.branch(condition, yes, |_| Ok(()))
    }

    fn known_here(&self) -> Known {
        let (touched, by_first, advisory) = (self.touched.clone(), self.by_first.clone(), self.advisory.clone());
        let (shared, tables, childless) = (self.shared.clone(), self.tables.clone(), self.childless.clone());
        Known { touched, by_first, advisory, shared, tables, childless }
    }

    fn go_back_to(&mut self, known: Known) {
        let Known { touched, by_first, advisory, shared, tables, childless } = known;
        (self.touched, self.by_first, self.advisory) = (touched, by_first, advisory);
        (self.shared, self.tables, self.childless) = (shared, tables, childless);
    }

    fn remembered(&mut self, row: RowId) -> &mut Remembered {
        self.remembered.entry(row).or_default()
    }

    fn flag_local(&mut self, row: RowId) -> LocalVar {
        if let Some(known) = self.remembered(row).flag {
            return known;
        }
        let name = format!("{} flag", self.model.row(row).label);
        let made = self.new_local(&name);
        self.remembered(row).flag = Some(made);
        made
    }

    /// What the transaction has done with a row.
    pub(super) fn flag(&mut self, row: RowId) -> Expr {
        match self.touched.get(&row).copied() {
            None => number(FREE),
            Some(Some(value)) => number(value),
            Some(None) => local(self.flag_local(row)),
        }
    }

    pub(super) fn set_flag(&mut self, row: RowId, value: i64) {
        let variable = self.flag_local(row);
        self.push(set(variable, number(value)));
        self.touched.insert(row, Some(value));
    }

    /// Whether the first statement touched a row (REPEATABLE READ).
    pub(super) fn is_first(&mut self, row: RowId) -> Expr {
        match self.by_first.get(&row).copied() {
            None => number(0),
            Some(Some(value)) => number(value),
            Some(None) => local(self.first_local(row)),
        }
    }

    fn first_local(&mut self, row: RowId) -> LocalVar {
        if let Some(known) = self.remembered(row).first {
            return known;
        }
        let name = format!("{} by first", self.model.row(row).label);
        let made = self.new_local(&name);
        self.remembered(row).first = Some(made);
        made
    }

    pub(super) fn set_first(&mut self, row: RowId, value: Expr) {
        let variable = self.first_local(row);
        let is_known = known(&value);
        self.push(set(variable, value));
        self.by_first.insert(row, is_known);
    }

    /// Whether the transaction holds a row FOR SHARE (0), or FOR KEY SHARE (1).
    pub(super) fn is_shared(&mut self, row: RowId, how: usize) -> Expr {
        match self.shared[how].get(&row).copied() {
            None => number(0),
            Some(Some(value)) => number(value),
            Some(None) => local(self.shared_local(row, how)),
        }
    }

    fn shared_local(&mut self, row: RowId, how: usize) -> LocalVar {
        if let Some(known) = self.remembered(row).shared[how] {
            return known;
        }
        let name = format!("{} {}", self.model.row(row).label, if how == 0 { "shares" } else { "key shares" });
        let made = self.new_local(&name);
        self.remembered(row).shared[how] = Some(made);
        made
    }

    pub(super) fn table_local(&mut self, lock: TableLock, way: usize) -> LocalVar {
        if let Some(known) = self.table_locals.get(&(lock, way)) {
            return *known;
        }
        let table = &self.model.workload.table(lock.0).name;
        let name = format!("{table} {} {:?}", ["held", "named", "named first"][way], lock.1);
        let made = self.new_local(&name);
        self.table_locals.insert((lock, way), made);
        made
    }

    pub(super) fn set_shared(&mut self, row: RowId, how: usize) {
        let variable = self.shared_local(row, how);
        self.push(set(variable, number(1)));
        self.shared[how].insert(row, Some(1));
    }

    /// Whether the script changes the presence of rows of this table.
    fn moves(&self, table: usize) -> bool {
        self.changes.inserted.contains(&TableId(table)) || self.changes.deleted.contains(&TableId(table))
    }

    /// Whether the script stores into a column.
    pub(super) fn writes(&self, row: RowId, column: ColumnId) -> bool {
        let table = TableId(row.table);
        self.changes.updated.contains(&(table, column)) || self.changes.inserted.contains(&table)
    }

    fn there_local(&mut self, row: RowId) -> LocalVar {
        if let Some(known) = self.remembered(row).there {
            return known;
        }
        let name = format!("{} there", self.model.row(row).label);
        let made = self.new_local(&name);
        self.remembered(row).there = Some(made);
        made
    }

    fn cell_local(&mut self, row: RowId, column: ColumnId) -> LocalVar {
        if let Some(known) = self.remembered(row).cells.get(&column.0) {
            return *known;
        }
        let name = format!("{}.{}", self.model.row(row).label, self.model.workload.tables[row.table].columns[column.0].name);
        let made = self.new_local(&name);
        self.remembered(row).cells.insert(column.0, made);
        made
    }

    /// Whether the transaction has a version of its own of a row.
    fn own(&mut self, row: RowId) -> Expr {
        let flag = self.flag(row);
        super::build::compare(CompareOp::GreaterOrEqual, flag, number(CHANGED))
    }

    /// Whether a row is there, as this transaction sees it now.
    pub(super) fn there(&mut self, row: RowId) -> Expr {
        let Some(presence) = self.model.row(row).presence else { return self.committed_there(row) };
        if !self.moves(row.table) {
            return global(presence);
        }
        let own = self.own(row);
        let mine = if known(&own) == Some(0) { number(0) } else { local(self.there_local(row)) };
        either(own, mine, global(presence))
    }

    /// Whether a row is one at which no statement looks.
    fn is_passing(&self, row: RowId) -> bool {
        self.model.tables[row.table].passing
    }

    /// Whether a row is there for others.
    pub(super) fn committed_there(&self, row: RowId) -> Expr {
        self.model.row(row).presence.map_or_else(|| number(i64::from(!self.is_passing(row))), global)
    }

    /// The number in a column of a row, as this transaction sees it now.
    pub(super) fn cell(&mut self, row: RowId, column: ColumnId) -> Expr {
        match self.model.row(row).cells[column.0] {
            Cell::Fixed(value) => number(value),
            Cell::None => number(0),
            Cell::Global(variable) if !self.writes(row, column) => global(variable),
            Cell::Global(variable) => {
                let own = self.own(row);
                let mine = if known(&own) == Some(0) { number(0) } else { local(self.cell_local(row, column)) };
                either(own, mine, global(variable))
            }
        }
    }

    /// The columns of a row that this script stores into.
    fn own_columns(&self, row: RowId) -> Vec<(ColumnId, GlobalVar)> {
        let cells = self.model.row(row).cells.iter().enumerate();
        let global = |(index, cell): (usize, &Cell)| match cell {
            Cell::Global(variable) => Some((ColumnId(index), *variable)),
            Cell::Fixed(_) | Cell::None => None,
        };
        cells.filter_map(global).filter(|(column, _)| self.writes(row, *column)).collect()
    }

    /// Makes a version of its own of a row, with these values and else those that are there.
    pub(super) fn change(&mut self, row: RowId, values: &[(ColumnId, Expr)]) {
        let columns = self.own_columns(row);
        // All values are computed from what was there before.
        let mut news: Vec<(LocalVar, Expr)> = Vec::new();
        for (column, _) in &columns {
            let value = match values.iter().find(|(of, _)| of == column) {
                Some((_, value)) => value.clone(),
                None => {
                    let own = self.own(row);
                    if known(&own).is_some_and(|own| own != 0) {
                        continue;
                    }
                    self.cell(row, *column)
                }
            };
            news.push((self.cell_local(row, *column), value));
        }
        self.assign_all(news);
        if self.moves(row.table) {
            let there = self.there_local(row);
            self.push(set(there, number(1)));
        }
    }

    /// Notes how a row is touched; one that is new stays new.
    pub(super) fn mark(&mut self, row: RowId, flag: i64) -> Emitted<()> {
        match self.touched.get(&row).copied() {
            Some(Some(NEW)) => Ok(()),
            Some(None) => {
                let at_least = self.flag(row);
                self.when(super::build::compare(CompareOp::Less, at_least, number(flag)), |this| {
                    this.set_flag(row, flag);
                    Ok(())
                })
            }
            Some(Some(known)) if known >= flag => Ok(()),
            _ => {
                self.set_flag(row, flag);
                Ok(())
            }
        }
    }

    /// The transaction is over: nothing is touched.
    pub(super) fn forget(&mut self) {
        for row in std::mem::take(&mut self.touched).into_keys() {
            let flag = self.flag_local(row);
            self.push(set(flag, number(FREE)));
        }
        for row in std::mem::take(&mut self.by_first).into_keys() {
            let first = self.first_local(row);
            self.push(set(first, number(0)));
        }
        for how in 0..2 {
            for row in std::mem::take(&mut self.shared[how]).into_keys() {
                let shares = self.shared_local(row, how);
                self.push(set(shares, number(0)));
            }
        }
        for one in std::mem::take(&mut self.childless) {
            self.push(set(one.deleted, number(0)));
        }
    }

    /// Assigns several locals at once.
    fn assign_all(&mut self, news: Vec<(LocalVar, Expr)>) {
        let reads = |e: &Expr, variable: LocalVar| {
            let mut found = false;
            e.visit(&mut |part| found |= part.kind == ExprKind::Read(serval_syntax::Variable::Local(variable)));
            found
        };
        let entangled =
            news.iter().enumerate().any(|(index, (target, _))| news[index + 1..].iter().any(|(_, later)| reads(later, *target)));
        if !entangled {
            news.into_iter().for_each(|(target, value)| self.push(set(target, value)));
            return;
        }
        let held: Vec<(LocalVar, LocalVar)> = news
            .into_iter()
            .map(|(target, value)| {
                let holder = self.temporary();
                self.push(set(holder, value));
                (target, holder)
            })
            .collect();
        held.into_iter().for_each(|(target, holder)| self.push(set(target, local(holder))));
    }

    /// The row is gone, as this transaction sees it.
    pub(super) fn remove(&mut self, row: RowId) {
        let there = self.there_local(row);
        self.push(set(there, number(0)));
    }

    /// What is written when the transaction commits and has a version of its own of a row.
    pub(super) fn write(&mut self, row: RowId) {
        if self.is_passing(row) {
            return;
        }
        for (column, variable) in self.own_columns(row) {
            let value = local(self.cell_local(row, column));
            self.push(super::build::store(variable, value));
        }
        if let Some(presence) = self.model.row(row).presence
            && self.moves(row.table)
        {
            let there = local(self.there_local(row));
            self.push(super::build::store(presence, there));
        }
    }

    /// The slot of a part of what this statement tells, made once.
    pub(super) fn slot(&mut self, part: usize, kind: impl FnOnce() -> SlotKind) -> Emitted<Slot> {
        let key = (self.span.start, part);
        if let Some(known) = self.slots.get(&key) {
            return Ok(self.form.slots[*known].clone());
        }
        let Some(slot) = self.form.slot(self.span.start, kind()).cloned() else {
            return self.error(
                codes::TOO_LARGE,
                "what a caller gets has too many values",
                "answers of less than 2^61 values",
                "say what the caller gets: `-- serval: answer :x`, or `-- serval: answer nothing`",
            );
        };
        self.slots.insert(key, self.form.slots.len() - 1);
        Ok(slot)
    }

    /// Tells a number in a slot; 0 is what is answered anyway.
    pub(super) fn tell(&mut self, slot: &Slot, value: Expr) {
        let part = arithmetic(serval_syntax::ArithmeticOp::Multiply, value, number(slot.weight));
        let all = add(local(self.answer), part);
        let answer = self.answer;
        self.push(set(answer, all));
    }

    /// Whether what is selected is answered: not where the script says itself what is.
    pub(super) fn tells(&self) -> bool {
        self.script.answer.is_none()
    }

    /// The request ends with this outcome.
    pub(super) fn end(&mut self, outcome: i64) -> Emitted<()> {
        let span = std::mem::replace(&mut self.span, Span::new(self.script.span.start, self.script.span.start));
        let slot = self.slot(usize::MAX, || SlotKind::Outcome);
        self.span = span;
        let slot = slot?;
        let part = number(slot.weight.saturating_mul(outcome));
        let all = add(local(self.answer), part);
        self.push(made(ExprKind::Return(Box::new(all))));
        Ok(())
    }

    /// Whether a row is touched in a way that is known to be other than this.
    pub(super) fn is_flag(&mut self, row: RowId, flag: i64) -> Expr {
        let is = self.flag(row);
        equal(is, flag)
    }
}

/// Whether a block ends in `return`.
pub(super) fn ends(block: &[Expr]) -> bool {
    block.last().is_some_and(|last| match &last.kind {
        ExprKind::Return(_) => true,
        ExprKind::If { arms, otherwise } => {
            arms.iter().all(|arm| ends_in(&arm.body)) && otherwise.as_ref().is_some_and(|otherwise| ends_in(otherwise))
        }
        _ => false,
    })
}

fn ends_in(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Sequence(parts) => ends(parts),
        _ => ends(std::slice::from_ref(e)),
    }
}

/// Keeps what is known on both ways.
fn join<K: Ord + Copy>(here: &mut BTreeMap<K, Option<i64>>, there: &BTreeMap<K, Option<i64>>) {
    let keys: Vec<K> = here.keys().chain(there.keys()).copied().collect();
    for key in keys {
        let one = here.get(&key).copied().unwrap_or(Some(FREE));
        let other = there.get(&key).copied().unwrap_or(Some(FREE));
        here.insert(key, if one == other { one } else { None });
    }
}
