//! Statements and exceptions.
//!
//! **Claim.** A function goes on as in ECMAScript. Its flag says how: `return`, a failure, `break` and `continue` set
//! it, and what stands behind is done only where it is 0. `catch` and `finally` find it set; `finally` puts it back
//! unless it ends in another way itself, so that its `return` wins.

use super::ops::{Kind, constant};
use super::state::{Made, Maker, Now, joined};
use super::values::{STAT, Static, Val};
use crate::form::{Expr, ExprKind, Stmt, StmtKind, VarId};

pub(super) const RETURNED: i64 = 1;
pub(super) const THROWN: i64 = 2;
const BROKEN: i64 = 3;
const CONTINUED: i64 = 4;

impl Maker<'_> {
    pub(super) fn block(&mut self, list: &[Stmt]) -> Made<()> {
        for statement in list {
            if self.frame().dead {
                return Ok(());
            }
            self.span = statement.span;
            self.statement(statement)?;
        }
        Ok(())
    }

    fn statement(&mut self, statement: &Stmt) -> Made<()> {
        match &statement.kind {
            StmtKind::Expr(e) => {
                self.eval(e)?;
                Ok(())
            }
            StmtKind::Let(variable, value) => {
                let val = match value {
                    Some(value) => self.eval(value)?,
                    None => Val::undefined(),
                };
                if self.frame().dead {
                    return Ok(());
                }
                self.declare(*variable, &val)
            }
            StmtKind::If(condition, yes, no) => {
                let asked = self.asks_for_class(condition)?;
                let condition = self.condition(condition)?;
                if self.frame().dead {
                    return Ok(());
                }
                let branch = |this: &mut Self, holds: bool, list: &[Stmt]| {
                    this.narrow(asked.as_ref(), holds);
                    this.block(list)
                };
                self.branch(&condition, |this| branch(this, true, yes), |this| branch(this, false, no))
            }
            StmtKind::Block(list) => self.block(list),
            StmtKind::Return(value) => {
                let val = match value {
                    Some(value) => self.returned(value)?,
                    None => Val::undefined(),
                };
                if self.frame().dead {
                    return Ok(());
                }
                self.give_back(&val)
            }
            StmtKind::Throw(value) => {
                let val = self.value(value)?;
                if self.frame().dead {
                    return Ok(());
                }
                self.throw(&val)
            }
            StmtKind::Break => {
                self.ends(BROKEN);
                Ok(())
            }
            StmtKind::Continue => {
                self.ends(CONTINUED);
                Ok(())
            }
            StmtKind::Try { body, catch, finally } => self.attempt(body, catch.as_ref(), finally.as_deref()),
            StmtKind::Loop { test, test_first, body, update } => self.repeat(test.as_ref(), *test_first, body, update.as_ref()),
            StmtKind::Unsupported(what) => {
                self.span = what.span;
                self.refuse(what.what.clone(), what.help.clone())
            }
        }
    }

    /// What a function returns. A call of another function in the last place of an `async` one is awaited there, which
    /// nothing can tell apart outside of `try`.
    fn returned(&mut self, value: &Expr) -> Made<Val> {
        let is_last = self.frame().is_async && self.frame().tries == 0 && !self.starting && self.cut != Some(None);
        let ExprKind::Call(callee, _) = &value.kind else { return self.eval(value) };
        let is_own = match &callee.kind {
            ExprKind::Var(_) | ExprKind::Member(..) | ExprKind::This => {
                let before = self.ops.len();
                let function = self.callee(callee)?;
                self.ops.truncate(before);
                matches!(function.statically(), Some(Static::Function { id, .. }) if self.module.function(*id).is_async)
            }
            _ => false,
        };
        if !is_last || !is_own || self.frame().dead {
            return self.eval(value);
        }
        let outer = std::mem::replace(&mut self.span, value.span);
        let val = self.awaited_operand(value)?;
        self.span = outer;
        Ok(val)
    }

    fn give_back(&mut self, val: &Val) -> Made<()> {
        self.returns_refusal(val);
        let many = self.frame().returns > 1;
        if many {
            let place = self.result_place();
            self.write_cell(&place, val, true)?;
        } else {
            self.frame().returned = Some(val.clone());
        }
        self.ends(RETURNED);
        Ok(())
    }

    /// Where a function with several `return`s puts its result.
    pub(super) fn result_place(&mut self) -> super::values::SharedPlace {
        super::values::SharedPlace { base: format!("%{}r", self.frame().path), keys: Vec::new() }
    }

    /// The error of a value that is thrown.
    pub(super) fn throw(&mut self, val: &Val) -> Made<()> {
        if val.may_be(STAT) || val.tags.iter().any(|tag| *tag < super::values::FIRST_ATOM) {
            return self.refuse("a value of this kind that is thrown", "throw `new Error('…')` with a text");
        }
        self.mark(&val.origins.clone(), |uses| uses.moved = true);
        let errors = val.tags.clone();
        self.thrown.extend(&errors);
        self.type_of("%error").errors.extend(errors);
        self.push(Kind::Set("err".to_owned(), val.tag.clone()));
        self.ends(THROWN);
        Ok(())
    }

    /// Fails with this error where it is not 0; the errors that it can be are these.
    pub(super) fn fail_if(&mut self, failed: &str, errors: impl IntoIterator<Item = i64>) -> Made<()> {
        if super::ops::known(failed) == Some(0) {
            return Ok(());
        }
        let errors: Vec<i64> = errors.into_iter().collect();
        self.thrown.extend(&errors);
        self.type_of("%error").errors.extend(errors);
        let condition = super::ops::not(&super::ops::equal(failed, "0"));
        let failed = failed.to_owned();
        self.branch(
            &condition,
            |this| {
                this.push(Kind::Set("err".to_owned(), failed));
                this.ends(THROWN);
                Ok(())
            },
            |_| Ok(()),
        )
    }

    /// The errors that a term can be.
    pub(super) fn error_codes(&self, _term: &str) -> std::collections::BTreeSet<i64> {
        self.types.get("%error").map(|known| known.errors.clone()).unwrap_or_default()
    }

    /// What is known behind a function, or a part of it, that may also have ended at these places.
    pub(super) fn join_exits(&mut self, dead: bool, exits: Vec<(i64, Now)>) {
        let mut exits = exits.into_iter().map(|(_, now)| now);
        if dead && let Some(first) = exits.next() {
            self.now = first;
        }
        for now in exits {
            self.now = joined(std::mem::take(&mut self.now), now);
        }
    }

    /// What is known of variables that are assigned anywhere, so that a round before may have done it; functions and
    /// promises are not in variables of the program.
    pub(super) fn forget_rounds(&mut self, inside: Option<&str>) {
        let ends: Vec<String> = self.assigned.iter().map(|variable| format!("x{}", variable.0)).collect();
        let is_assigned =
            |name: &String| inside.is_none_or(|inside| !name.starts_with(inside)) && ends.iter().any(|end| name.ends_with(end.as_str()));
        self.now.known.retain(|name, val| !is_assigned(name) || val.may_be(STAT) || val.prom.is_some());
        let known = &self.now.known;
        self.now.lies.retain(|name, _| !is_assigned(name) || known.contains_key(name));
        self.now.narrowed.retain(|name, _| !is_assigned(name));
    }

    /// What is known of variables that are assigned in here is not known behind a way into its middle.
    pub(super) fn forget_assigned(&mut self, list: &[Stmt]) {
        let mut found = std::collections::BTreeSet::new();
        crate::walk::assigned_in(list, &mut found);
        self.forget_variables(&found);
    }

    pub(super) fn forget_variables(&mut self, found: &std::collections::BTreeSet<VarId>) {
        let ends: Vec<String> = found.iter().map(|variable| format!("x{}", variable.0)).collect();
        let keep = |name: &String| !ends.iter().any(|end| name.ends_with(end.as_str()));
        // What is assigned to `ctx.status` leaves `ctx` as it is.
        let replaced: Vec<String> = self.replaced.iter().map(|variable| format!("x{}", variable.0)).collect();
        let answers = |name: &String, val: &Val| {
            matches!(val.statically(), Some(Static::Framework(_))) && !replaced.iter().any(|end| name.ends_with(end.as_str()))
        };
        self.now.known.retain(|name, val| keep(name) || answers(name, val));
        self.now.lies.retain(|name, _| keep(name));
        self.now.narrowed.retain(|name, _| keep(name));
    }

    fn attempt(&mut self, body: &[Stmt], catch: Option<&(Option<VarId>, Vec<Stmt>)>, finally: Option<&[Stmt]>) -> Made<()> {
        let flag = self.frame().flag.clone();
        let outer = std::mem::take(&mut self.frame().ended);
        let before = self.now.clone();
        let first = self.frame().exits.len();
        let thrown = std::mem::take(&mut self.thrown);
        self.frame().tries += 1;
        self.part(|this| this.block(body))?;
        let caught = std::mem::replace(&mut self.thrown, thrown);
        if catch.is_none() {
            self.thrown.extend(&caught);
        }
        let mut dead = std::mem::take(&mut self.frame().dead);
        if finally.is_none() {
            self.frame().tries -= 1;
        }
        if let Some((bound, handler)) = catch
            && self.frame().ended.contains(&THROWN)
        {
            self.frame().ended.remove(&THROWN);
            let after = self.now.clone();
            // The handler may begin anywhere in the body.
            let mut now = joined(before, after.clone());
            let (thrown, others): (Vec<_>, Vec<_>) = self.frame().exits.split_off(first).into_iter().partition(|(way, _)| *way == THROWN);
            self.frame().exits.extend(others);
            let mut epoch = after.epoch;
            for (_, there) in thrown {
                epoch = epoch.max(there.epoch);
                now = joined(now, there);
            }
            now.live = after.live.clone();
            (now.wrote, now.epoch) = (after.wrote || now.wrote, epoch + 1);
            self.now = now;
            self.forget_assigned(body);
            let ended = std::mem::take(&mut self.frame().ended);
            self.open(&format!("({flag} == {THROWN})"), false);
            self.part(|this| {
                this.push(Kind::Set(flag.clone(), constant(0)));
                if let Some(bound) = bound {
                    let tag = this.fresh();
                    this.push(Kind::Set(tag.clone(), "err".to_owned()));
                    let error = Val::tagged(caught, tag);
                    this.declare(*bound, &error)?;
                }
                this.block(handler)
            })?;
            self.close();
            let dead_handler = std::mem::take(&mut self.frame().dead);
            self.frame().ended.extend(ended);
            match (dead, dead_handler) {
                (true, false) => {}
                (false, true) => self.now = Self::after_either(after, &self.now),
                _ => self.now = joined(after, self.now.clone()),
            }
            dead = dead && dead_handler;
        }
        if let Some(finally) = finally {
            self.forget_assigned(body);
            if let Some((_, handler)) = catch {
                self.forget_assigned(handler);
            }
            let exits = self.frame().exits.split_off(first);
            let ways: Vec<i64> = exits.iter().map(|(way, _)| *way).collect();
            self.join_exits(dead, exits);
            let (kept, error) = (self.fresh(), self.fresh());
            let ended = std::mem::take(&mut self.frame().ended);
            if !ended.is_empty() {
                self.push(Kind::Set(kept.clone(), flag.clone()));
                self.push(Kind::Set(error.clone(), "err".to_owned()));
                self.push(Kind::Set(flag.clone(), constant(0)));
            }
            self.frame().tries -= 1;
            self.part(|this| this.block(finally))?;
            let dead_finally = std::mem::take(&mut self.frame().dead);
            let after = self.now.clone();
            self.frame().exits.extend(ways.into_iter().map(|way| (way, after.clone())));
            if !ended.is_empty() {
                self.push(Kind::If(format!("({flag} == 0)")));
                self.push(Kind::Set(flag.clone(), kept));
                self.push(Kind::Set("err".to_owned(), error));
                self.push(Kind::End);
            }
            self.frame().ended.extend(ended);
            dead = dead || dead_finally;
        }
        self.frame().dead = dead;
        let any = !self.frame().ended.is_empty();
        self.frame().ended.extend(outer);
        if any {
            self.guard();
        }
        Ok(())
    }

    /// Behind a `try` whose handler never comes to its end.
    fn after_either(after: Now, handler: &Now) -> Now {
        Now { wrote: after.wrote || handler.wrote, refused: after.refused.union(&handler.refused).copied().collect(), ..after }
    }

    fn repeat(&mut self, test: Option<&Expr>, test_first: bool, body: &[Stmt], update: Option<&Expr>) -> Made<()> {
        if self.starting {
            return self.refuse("a loop in the module", "compute it in a request");
        }
        if self.cut == Some(None) && crate::walk::pauses(self.module, body) {
            return self.refuse("a kept promise of a function that first pauses in a loop", "await something before the loop");
        }
        let flag = self.frame().flag.clone();
        let go = self.fresh();
        let outer = std::mem::take(&mut self.frame().ended);
        let mut found = std::collections::BTreeSet::new();
        crate::walk::assigned_in(body, &mut found);
        if let Some(update) = update {
            crate::walk::assigned_by(update, &mut found);
        }
        if let Some(test) = test {
            crate::walk::assigned_by(test, &mut found);
        }
        self.forget_variables(&found);
        self.now.epoch += 1;
        self.now.holds.clear();
        self.push(Kind::Set(go.clone(), constant(1)));
        if !test_first {
            self.push(Kind::Set(format!("{go}f"), constant(1)));
        }
        let live = self.now.live.clone();
        let acquired = self.now.acquired.clone();
        self.push(Kind::While(go.clone()));
        self.loops.push(self.span.start);
        self.forget_rounds(None);
        self.names_in_loop(false);
        let first = self.frame().exits.len();
        self.around.push((go.clone(), false));
        self.part(|this| {
            this.part(|this| {
                if let Some(test) = test {
                    if test_first {
                        this.test_round(test, &go)?;
                    } else {
                        let first = format!("{go}f");
                        this.branch(
                            &first.clone(),
                            |this| {
                                this.push(Kind::Set(first, constant(0)));
                                Ok(())
                            },
                            |this| this.test_round(test, &go),
                        )?;
                    }
                }
                Ok(())
            })?;
            this.open(&go, false);
            this.part(|this| {
                this.block(body)?;
                Ok(())
            })?;
            this.frame().dead = false;
            if this.frame().ended.remove(&CONTINUED) {
                let flag = flag.clone();
                this.push(Kind::If(format!("({flag} == {CONTINUED})")));
                this.push(Kind::Set(flag, constant(0)));
                this.push(Kind::End);
            }
            if let Some(update) = update {
                this.part(|this| {
                    this.guard();
                    this.forget_variables(&found);
                    this.forget_rounds(None);
                    this.eval(update)?;
                    Ok(())
                })?;
            }
            this.close();
            Ok(())
        })?;
        if !self.frame().ended.is_empty() {
            self.push(Kind::If(format!("(not ({flag} == 0))")));
            self.push(Kind::Set(go.clone(), constant(0)));
            self.push(Kind::End);
        }
        self.close();
        self.names_in_loop(true);
        self.loops.pop();
        let (mine, others): (Vec<_>, Vec<_>) =
            self.frame().exits.split_off(first).into_iter().partition(|(way, _)| [BROKEN, CONTINUED].contains(way));
        self.frame().exits.extend(others);
        let live_here = self.now.live.clone();
        self.join_exits(false, mine);
        self.now.live = live_here;
        self.forget_rounds(None);
        if self.now.live != live {
            return self.refuse("an activity that a loop begins", "await it in the round in which it begins");
        }
        self.now.acquired = self.now.acquired.intersection(&acquired).cloned().collect();
        let broke = self.frame().ended.remove(&BROKEN);
        if broke {
            self.push(Kind::If(format!("({flag} == {BROKEN})")));
            self.push(Kind::Set(flag, constant(0)));
            self.push(Kind::End);
        }
        self.forget_variables(&found);
        self.now.epoch += 1;
        self.now.holds.clear();
        self.frame().dead = test.is_none() && !broke;
        let any = !self.frame().ended.is_empty();
        self.frame().ended.extend(outer);
        if any && !self.frame().dead {
            self.guard();
        }
        Ok(())
    }

    fn test_round(&mut self, test: &Expr, go: &str) -> Made<()> {
        let condition = self.condition(test)?;
        let term = if super::ops::known(&condition).is_some_and(|value| value != 0) { return Ok(()) } else { condition };
        self.push(Kind::If(super::ops::not(&term)));
        self.push(Kind::Set(go.to_owned(), constant(0)));
        self.push(Kind::End);
        Ok(())
    }

    /// A condition of the program: whether a value counts as true.
    pub(super) fn condition(&mut self, e: &Expr) -> Made<super::ops::Term> {
        let val = self.value(e)?;
        Ok(self.truth(&val))
    }

    pub(super) fn truth(&mut self, val: &Val) -> super::ops::Term {
        self.mark(&val.origins.clone(), |uses| uses.condition = true);
        let empty = self.empty();
        val.truthy(empty)
    }
}
