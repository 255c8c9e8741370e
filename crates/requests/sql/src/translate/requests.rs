//! Requests: for each script and each choice of its parameters one request of the program.

use serval_diagnostic::{Diagnostic, Span};
use serval_syntax::{Expr, ExprKind, Program, Request};

use super::answers::{DONE, ROLLED_BACK, SlotKind};
use super::build::{made, number, pause, placed, sequence, set};
use super::emit::{Emitted, Emitter, ends};
use super::model::Model;
use super::state::{Ending, Looking, Progress};
use super::switch::Rule;
use super::usage::Usage;
use super::{Form, Levels, Origin, Translation};
use crate::codes;
use crate::names::outside;
use crate::workload::{
    Aggregate, ColumnId, Isolation, Item, ItemKind, Kind, Piece, Scalar, Script, Select, Statement, StatementKind, TableId, Workload,
};

/// How many requests a workload can have, one for each choice of parameters.
const MOST_REQUESTS: usize = 2000;

/// Translates a workload at one level.
pub(super) fn translate(workload: &Workload, levels: Levels, form: Form, without: Option<Rule>) -> Result<Translation, Vec<Diagnostic>> {
    let usage = Usage::of(workload);
    let counts = usage.counts() && levels.committed || !usage.table_locks.is_empty();
    // Where statements look at locks, fewer locks are not more runs.
    let only_counted = counts && usage.impatient;
    let counted = levels.mixed() || counts || levels.snapshot && needs_guards(workload);
    let exact = counted && (form != Form::Unguarded || only_counted);
    let without = if form == Form::Exact { without } else { without.or(Some(Rule::FirstStatement)) };
    let mut model = Model::of(workload, levels, exact, without)?;
    let mut wrong = foreign_keys(workload, &model.usage, levels);
    if levels.mixed() {
        wrong.extend(mixtures(workload, &model.usage));
    }
    let mut requests: Vec<Request> = Vec::new();
    let (mut forms, mut origins) = (Vec::new(), Vec::new());
    for (index, script) in workload.scripts.iter().enumerate().filter(|(_, script)| !script.left_out) {
        let choices = match choices(&model, index, script, MOST_REQUESTS.saturating_sub(requests.len())) {
            Ok(choices) => choices,
            Err(diagnostic) => {
                wrong.push(*diagnostic);
                continue;
            }
        };
        for parameters in choices {
            serval_budget::checkpoint::pass();
            let name = name_of(&model, script, &parameters);
            let written = |(value, kind): &(i64, Kind)| (super::model::written(kind, *value, &model.texts), kind.clone());
            let values = parameters.iter().map(written).collect();
            origins.push(Origin { request: name.clone(), script: index, values });
            let mut emitter = Emitter::new(&mut model, script, parameters);
            match emitter.request() {
                Ok(body) => {
                    let (locals, form) = (emitter.locals, emitter.form);
                    requests.push(Request { name, name_span: script.span, locals, body, params: Vec::new() });
                    forms.push(form);
                }
                Err(diagnostic) => {
                    wrong.push(*diagnostic);
                    break;
                }
            }
        }
    }
    if !wrong.is_empty() {
        return Err(wrong);
    }
    let (roles, rows, limits) = (model.roles(), model.row_keys(), model.limits());
    let level = if levels.snapshot { Isolation::RepeatableRead } else { Isolation::ReadCommitted };
    let exact = exact && !only_counted;
    let replaces = only_counted || model.tables.iter().flat_map(|table| &table.rows).any(|row| !row.chosen.is_empty());
    let globals = std::mem::take(&mut model.globals);
    let program = Program { globals, requests, versions: Vec::new(), expectation: None, allowances: Vec::new(), many: None };
    let notes = std::mem::take(&mut model.notes);
    let holds = model.holds && !levels.mixed();
    let requests = program.requests.iter().map(|request| request.name.clone()).zip(forms).collect();
    let answers = super::Answers { requests, texts: std::mem::take(&mut model.texts) };
    Ok(Translation { program, notes, answers, exact, holds, level, mixed: levels.mixed(), replaces, roles, origins, rows, limits })
}

/// Foreign keys that need locks of the parent, which are not modelled.
fn foreign_keys(workload: &Workload, usage: &Usage, levels: Levels) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for (index, table) in workload.tables.iter().enumerate() {
        for key in &table.foreign {
            if [TableId(index), key.parent].iter().any(|table| usage.table_locks.contains_key(table)) {
                found.push(*outside(key.span, "LOCK TABLE of a table with a foreign key, or to which one refers,"));
            }
            if key.referred.iter().any(|column| usage.updated.contains(&(key.parent, *column))) {
                found.push(*outside(key.span, "a foreign key to a table of which scripts change the key"));
            }
            let replaces = |script: &Script| {
                let changes = super::usage::Changes::of(script);
                changes.deleted.contains(&key.parent) && changes.inserted.contains(&key.parent)
            };
            if levels.snapshot && usage.key_shared.contains(&key.parent) && workload.scripts.iter().any(replaces) {
                let what = "at REPEATABLE READ a foreign key to a table of which a script deletes rows and inserts some again";
                found.push(*outside(key.span, what));
            }
            if levels.mixed() && (usage.deleted.contains(&key.parent) || usage.key_shared.contains(&key.parent)) {
                let what = "a foreign key to a table of which rows are deleted or selected FOR UPDATE, at several levels of isolation,";
                found.push(*outside(key.span, what));
            }
        }
    }
    found
}

/// What is not modelled where transactions run at several levels.
fn mixtures(workload: &Workload, usage: &Usage) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for (index, table) in workload.tables.iter().enumerate() {
        if usage.inserted.contains(&TableId(index)) && usage.deleted.contains(&TableId(index)) {
            found.push(*outside(table.span, "a table with INSERT and DELETE, at several levels of isolation,"));
        }
    }
    if usage.counts() && found.is_empty() {
        let span = workload.scripts.first().map_or_else(Default::default, |script| script.span);
        found.push(*outside(
            span,
            "rows that several hold at once (FOR SHARE, FOR KEY SHARE, parents), or LOCK TABLE, at several levels of isolation,",
        ));
    }
    if usage.impatient {
        let span = workload.scripts.first().map_or_else(Default::default, |script| script.span);
        found.push(*outside(span, "NOWAIT or SKIP LOCKED, at several levels of isolation,"));
    }
    found
}

/// Whether some attempt at REPEATABLE READ can guard a row.
fn needs_guards(workload: &Workload) -> bool {
    fn in_items(items: &[Item], bounded: bool, foreign: bool) -> bool {
        items.iter().any(|item| match &item.kind {
            ItemKind::Rollback => true,
            ItemKind::Statement(statement) => match &statement.kind {
                StatementKind::Select(select) => select.lock.is_some(),
                StatementKind::Insert(_) => true,
                StatementKind::Update(_) => bounded,
                StatementKind::Delete(_) => foreign,
                _ => false,
            },
            ItemKind::If { arms, otherwise } => {
                arms.iter().any(|(_, items)| in_items(items, bounded, foreign)) || in_items(otherwise, bounded, foreign)
            }
            _ => false,
        })
    }
    // An UPDATE can fail with 23514, which rolls back what was done before.
    let columns = || workload.tables.iter().flat_map(|table| &table.columns);
    let fails = |column: &crate::workload::Column| column.bounds.is_some_and(|bounds| bounds.beyond == crate::workload::Beyond::Fail);
    let default_fails = workload.settings.default_range.is_some_and(|bounds| bounds.beyond == crate::workload::Beyond::Fail);
    let checks = workload.tables.iter().any(|table| !table.checks.is_empty() || !table.foreign.is_empty());
    let not_null = columns().any(|column| !column.nullable) && columns().any(|column| column.nullable);
    let bounded = checks || default_fails || columns().any(fails) || not_null;
    let foreign = workload.tables.iter().any(|table| !table.foreign.is_empty());
    workload.scripts.iter().any(|script| in_items(&script.body, bounded, foreign))
}

/// All choices of the parameters of a script.
fn choices(model: &Model<'_>, index: usize, script: &Script, most: usize) -> Emitted<Vec<Vec<(i64, Kind)>>> {
    let mut all: Vec<Vec<(i64, Kind)>> = vec![Vec::new()];
    for (position, parameter) in script.parameters.iter().enumerate() {
        let (values, kind) = model.domains().parameter(index, position, parameter)?;
        if all.len().saturating_mul(values.len()) > most {
            return Err(Box::new(
                Diagnostic::error(
                    codes::TOO_LARGE,
                    parameter.span,
                    format!("with the values of `{}` this workload has more than {MOST_REQUESTS} requests", parameter.name),
                )
                .expected("parameters with few values")
                .help(format!("give it fewer values: -- serval: param {} 1..2", parameter.name)),
            ));
        }
        let longer = all.iter().flat_map(|choice| values.iter().map(|&value| [choice.as_slice(), &[(value, kind.clone())]].concat()));
        all = longer.collect();
    }
    Ok(all)
}

/// `transfer(amount=1)`
fn name_of(model: &Model<'_>, script: &Script, parameters: &[(i64, Kind)]) -> String {
    if parameters.is_empty() {
        return script.name.clone();
    }
    let shown = |(parameter, (value, kind)): (&crate::workload::Parameter, &(i64, Kind))| {
        let value = super::model::shown(kind, *value, &model.texts);
        if parameter.name.starts_with(|c: char| c.is_ascii_digit()) { value } else { format!("{}={value}", parameter.name) }
    };
    let parts: Vec<String> = script.parameters.iter().zip(parameters).map(shown).collect();
    format!("{}({})", script.name, parts.join(", "))
}

impl<'w> Emitter<'_, 'w> {
    /// The body of the request.
    fn request(&mut self) -> Emitted<Expr> {
        let script: &'w Script = self.script;
        self.items(&script.body)?;
        self.span = Span::new(script.span.start, script.span.start);
        if self.state.open {
            return self.error(
                codes::BAD_TRANSACTION,
                &format!("the script `{}` ends with a transaction open", script.name),
                "COMMIT or ROLLBACK",
                "end the transaction with COMMIT",
            );
        }
        if let Some(until) = &script.until {
            return self.repeated(until);
        }
        if !ends(&self.out) {
            if let Some(answer) = &script.answer {
                self.tell_answer(answer)?;
            }
            self.end(DONE)?;
        }
        let mut body = sequence(std::mem::take(&mut self.out));
        placed(&mut body, self.span);
        Ok(body)
    }

    /// The script is done again until a condition holds; what was told before counts for nothing.
    fn repeated(&mut self, until: &Scalar) -> Emitted<Expr> {
        let done = self.truth(until, Looking::default())?.yes;
        let (script, answer) = (self.script, self.answer);
        self.when(done, |this| {
            if let Some(answer) = &script.answer {
                this.tell_answer(answer)?;
            }
            this.end(DONE)
        })?;
        self.push(set(answer, number(0)));
        self.push(pause());
        let round = sequence(std::mem::take(&mut self.out));
        let mut body = made(ExprKind::While { condition: Box::new(number(1)), body: Box::new(round) });
        placed(&mut body, self.span);
        Ok(body)
    }

    fn items(&mut self, items: &'w [Item]) -> Emitted<()> {
        for item in items {
            if ends(&self.out) {
                return Ok(());
            }
            self.span = item.span;
            match &item.kind {
                ItemKind::Begin(_) if self.state.open => {
                    return self.error(
                        codes::BAD_TRANSACTION,
                        "BEGIN within a transaction",
                        "COMMIT or ROLLBACK before it",
                        "end the transaction before another begins",
                    );
                }
                ItemKind::Begin(level) => {
                    self.state.open = true;
                    self.level = self.model.workload.level_of(self.script, *level);
                }
                ItemKind::Commit | ItemKind::Rollback if !self.state.open => {
                    return self.error(
                        codes::BAD_TRANSACTION,
                        "COMMIT or ROLLBACK without a transaction",
                        "BEGIN before it",
                        "begin the transaction with BEGIN",
                    );
                }
                ItemKind::Commit => self.commit(true)?,
                ItemKind::Rollback => self.rollback()?,
                ItemKind::Statement(statement) => self.statement(statement)?,
                ItemKind::Set { variable, value } => {
                    let reach = self.reach(value);
                    let value = self.value(value, Looking::default(), None)?;
                    self.widen(*variable, reach);
                    let target = self.variable(*variable);
                    self.push(set(target, value.number));
                }
                ItemKind::If { arms, otherwise } => self.arms(arms, otherwise)?,
            }
        }
        Ok(())
    }

    fn arms(&mut self, arms: &'w [(Scalar, Vec<Item>)], otherwise: &'w [Item]) -> Emitted<()> {
        let Some(((condition, items), rest)) = arms.split_first() else { return self.items(otherwise) };
        let span = self.span;
        let condition = self.truth(condition, Looking::default())?.yes;
        let before = self.state.clone();
        let (mut after_yes, mut after_no) = (None, None);
        self.branch(
            condition,
            |this| {
                this.items(items)?;
                after_yes = (!ends(&this.out)).then(|| this.state.clone());
                this.state = before.clone();
                Ok(())
            },
            |this| {
                this.state = before.clone();
                this.span = span;
                this.arms(rest, otherwise)?;
                after_no = (!ends(&this.out)).then(|| this.state.clone());
                Ok(())
            },
        )?;
        self.span = span;
        self.state = match (after_yes, after_no) {
            (Some(one), Some(other)) if one.open == other.open => Progress {
                open: one.open,
                ran: one.ran || other.ran,
                statements: one.statements.max(other.statements),
                inserted: &one.inserted | &other.inserted,
            },
            (Some(_), Some(_)) => {
                return self.error(
                    codes::BAD_TRANSACTION,
                    "a transaction begins or ends in one branch only",
                    "the same in all branches",
                    "put BEGIN and COMMIT before and behind the branch, or into all of its parts",
                );
            }
            (one, other) => one.or(other).unwrap_or(before),
        };
        Ok(())
    }

    fn statement(&mut self, statement: &'w Statement) -> Emitted<()> {
        if !self.state.open {
            self.level = self.model.workload.level_of(self.script, None);
        }
        let committed = self.is_committed();
        if let StatementKind::Level(level) = statement.kind {
            if !self.state.open || self.state.statements > 0 {
                return self.error(
                    codes::BAD_TRANSACTION,
                    "SET TRANSACTION ISOLATION LEVEL behind a statement, or outside of a transaction",
                    "the first statement of a transaction",
                    "put it right behind BEGIN",
                );
            }
            self.level = self.model.workload.level_of(self.script, Some(level));
            return Ok(());
        }
        if let StatementKind::Lock(_) = statement.kind {
            if !self.state.open {
                return self.error(
                    codes::BAD_TRANSACTION,
                    "LOCK TABLE outside of a transaction, which the server refuses (25P01)",
                    "BEGIN before it",
                    "begin a transaction: the lock is held until its end",
                );
            }
            if !committed && self.state.statements > 0 {
                return self.outside("LOCK TABLE behind another statement at REPEATABLE READ");
            }
        }
        // A snapshot transaction is one step up to its end.
        if self.state.ran && (committed || self.state.statements == 0) {
            self.push(pause());
        }
        if let StatementKind::Lock(lock) = &statement.kind {
            self.lock_tables(lock)?;
            // It takes no snapshot.
            self.state.ran = true;
            self.state.statements += u32::from(committed);
            return Ok(());
        }
        self.told_before = None;
        self.name_tables(&statement.kind)?;
        let into = statement.into.as_deref();
        match &statement.kind {
            StatementKind::Select(select) => self.select(select, into)?,
            StatementKind::Insert(insert) => self.insert(insert, into)?,
            StatementKind::Update(update) => self.update(update, into)?,
            StatementKind::Delete(delete) => self.delete(delete, into)?,
            StatementKind::Advisory(key) => {
                let key = self.value(key, Looking::default(), None)?;
                match super::build::known(&key.number) {
                    Some(key) if committed => self.advisory_committed(key)?,
                    // Where others take it at READ COMMITTED, the runs of a server are some of these.
                    Some(_) if self.model.levels.mixed() && self.model.exact => self.push_some(super::build::assume(number(0))),
                    Some(_) => {}
                    None => return self.outside("an advisory lock whose key is computed"),
                }
            }
            StatementKind::Level(_) | StatementKind::Lock(_) => {}
        }
        self.told_before = None;
        if ends(&self.out) {
            return Ok(());
        }
        self.state.ran = true;
        self.state.statements += 1;
        if !committed && self.state.statements == 1 {
            self.after_first();
        }
        if self.state.open { Ok(()) } else { self.commit(self.model.usage.impatient) }
    }

    /// The transaction commits; `pauses` says whether others can run before it does.
    fn commit(&mut self, pauses: bool) -> Emitted<()> {
        if self.is_committed() {
            if pauses && self.holds() {
                self.push(pause());
            }
            self.commit_committed()?;
        } else {
            self.end_snapshot(Ending::Commit, None)?;
        }
        self.over();
        Ok(())
    }

    /// Whether the transaction holds something for which others can wait.
    fn holds(&self) -> bool {
        !self.touched.is_empty()
            || !self.advisory.is_empty()
            || self.shared.iter().any(|shared| !shared.is_empty())
            || !self.tables[0].is_empty()
    }

    fn rollback(&mut self) -> Emitted<()> {
        if self.is_committed() {
            if self.holds() {
                self.push(pause());
            }
            self.release_committed()?;
        } else {
            self.end_snapshot(Ending::Rollback, None)?;
        }
        let slot = self.slot(usize::MAX - 1, || SlotKind::Outcome)?;
        self.tell(&slot, number(ROLLED_BACK));
        self.over();
        Ok(())
    }

    fn over(&mut self) {
        (self.state.open, self.state.statements) = (false, 0);
        self.state.inserted.clear();
    }
}

/// A script that reads all rows of all tables in one snapshot. Keys that the server chooses, and columns that the model
/// has no values for, are left out.
pub(super) fn observer(workload: &Workload) -> Script {
    let mut body = Vec::new();
    for (index, table) in workload.tables.iter().enumerate() {
        let id = TableId(index);
        let columns = table.columns.iter().enumerate().filter(|(_, column)| !column.generated && column.kind != Kind::Other);
        let list: Vec<(String, Scalar)> = columns.map(|(at, column)| (column.name.clone(), Scalar::Column(id, ColumnId(at)))).collect();
        let list = if list.is_empty() { vec![("count".to_owned(), Scalar::Aggregate(Aggregate::Count, None))] } else { list };
        let quoted = |name: &str| format!("\"{}\"", name.replace('"', "\"\""));
        let names: Vec<String> =
            list.iter().map(|(name, of)| if of.has_aggregate() { "count(*)".to_owned() } else { quoted(name) }).collect();
        let text = vec![Piece::Text(format!("select {} from {}", names.join(", "), quoted(&table.name)))];
        let select = Select { table: Some(id), list, filter: None, order: Vec::new(), limit: None, lock: None };
        let statement = Statement { kind: StatementKind::Select(select), into: None, text };
        body.push(Item { span: table.span, kind: ItemKind::Statement(statement) });
    }
    let (first, last) = (workload.tables.first(), workload.tables.last());
    let place = |table: Option<&crate::workload::Table>| table.map_or_else(Span::default, |table| table.span);
    body.insert(0, Item { span: place(first), kind: ItemKind::Begin(Some(Isolation::RepeatableRead)) });
    body.push(Item { span: place(last), kind: ItemKind::Commit });
    let mut name = "observe".to_owned();
    while workload.scripts.iter().any(|script| script.name == name) {
        name.push('_');
    }
    let (parameters, variables, answer, until) = Default::default();
    let (isolation, left_out, observes) = (None, false, true);
    Script { name, span: place(first), parameters, variables, body, answer, until, isolation, left_out, observes }
}
