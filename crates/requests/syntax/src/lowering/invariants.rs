//! `invariant C`: what holds wherever others can see.
//!
//! It is `assert (C)` right before each `yield` and each answer, after all that the step writes. `C` speaks of globals
//! and constants, and only looks; it must hold at first.
//!
//! *Which of these are written out.* Only those before which the step may have assigned to a global of `C`.
//!
//! *Claim.* With these alone, the same runs lead to the same first failure. *Proof.* Look at the first place of a run,
//! of those where others can see, at which `C` has another value than "holds", or none. At the place before it, or at
//! first, `C` held. The value of `C` depends on its globals alone, so the step between has assigned to one of them, at
//! an assignment from which this place is reached without a `yield`: then `may_have_set` is true there, as it is
//! handed on by every construct to whatever can be evaluated after it. So the check is written out. At all places
//! before `C` holds, and the checks there, written out or not, do nothing: they only look, and what they put aside is
//! read by no other expression. ∎

use rustc_hash::{FxHashMap, FxHashSet};

use super::Lowering;
use super::asserted::claimed;
use super::declared::{Declared, Invariant};
use super::names::Names;
use crate::diagnostic::{Diagnostic, Sink, codes};
use crate::grammar::SyntaxKind;
use crate::program::value::{self, ArithmeticError};
use crate::program::{Arm, Expr, ExprKind, GlobalVar, Limit, Variable, is_global};
use crate::tree::{ast, span};
use serval_diagnostic::Span;

/// How many globals the message about an invariant that does not hold at first lists.
const MOST_SHOWN: usize = 6;

impl Declared {
    /// `invariant C`, once all initial values are known.
    pub(crate) fn invariant(&mut self, item: &ast::Invariant, globals: &mut Names, errors: &mut Sink) {
        let Some(condition) = item.condition() else { return self.incomplete = true };
        let place = span(item.syntax().text_range());
        let mut locals = Names::default();
        let before = errors.count();
        let mut lowering = Lowering::new(self, globals, &mut locals, errors);
        let Some(lowered) = lowering.looking(&condition) else { return self.incomplete = true };
        if errors.count() > before {
            return;
        }
        let mut named: FxHashSet<GlobalVar> = FxHashSet::default();
        lowered.visit(&mut |part| {
            if let ExprKind::Read(Variable::Global(global)) = part.kind {
                named.insert(global);
            }
        });
        let mut first = AtFirst { initial: &self.initial, locals: FxHashMap::default() };
        let holds = first.value(&lowered);
        if !self.incomplete && matches!(holds, Ok(0) | Err(_)) {
            let mut values: Vec<GlobalVar> = named.iter().copied().collect();
            values.sort_unstable();
            let shown = |global: &GlobalVar| format!("{} = {}", globals.list[global.index()].0, first.initial(*global));
            let shown: Vec<String> = values.iter().take(MOST_SHOWN).map(shown).collect();
            errors.push(|| not_at_first(place, &shown, holds.is_err()));
        }
        self.invariants.push(Invariant { condition, place, globals: named });
    }
}

impl Lowering<'_> {
    /// A condition over globals and constants that only looks; what is wrong is reported.
    fn looking(&mut self, condition: &ast::Expr) -> Option<Expr> {
        for part in condition.syntax().descendants() {
            let place = span(part.text_range());
            if matches!(part.kind(), SyntaxKind::WhileExpr | SyntaxKind::ReturnExpr | SyntaxKind::BreakExpr | SyntaxKind::ContinueExpr) {
                self.error(|| {
                    bad_invariant(place, "a condition is no loop, and leaves none", "write what holds, with `and`, `or` and functions")
                });
                return Some(Expr { kind: ExprKind::Number(1), span: place });
            }
            let name = ast::Expr::cast(part).filter(|part| part.kind() == SyntaxKind::NameExpr).and_then(|part| part.token());
            let known = |name: &str| is_global(name) || self.constant(name).is_some() || is_bound(name, condition);
            if let Some(name) = name.filter(|name| !known(name.text())) {
                self.error(|| {
                    let message = format!("`{}` is local to a request", name.text());
                    bad_invariant(place, &message, "write `assert (…)` in the request for what it knows by itself")
                });
                return Some(Expr { kind: ExprKind::Number(1), span: place });
            }
        }
        let lowered = self.expr(condition)?;
        if self.only_looks(&lowered, "an invariant") {
            let mut loops = None;
            lowered.visit(&mut |part| {
                if matches!(part.kind, ExprKind::While { .. }) {
                    loops.get_or_insert(part.span);
                }
            });
            if let Some(place) = loops {
                self.error(|| {
                    bad_invariant(
                        place,
                        "a loop cannot stand in an invariant",
                        "write what holds, with `and`, `or` and functions without `while`",
                    )
                });
            }
        }
        Some(lowered)
    }

    /// The body of a request, with all invariants tested where others can see.
    pub(crate) fn keeping_invariants(&mut self, body: Expr) -> Expr {
        let declared = self.declared;
        let mut body = body;
        for invariant in &declared.invariants {
            if !assigns(&body, &invariant.globals) {
                continue;
            }
            let scope = std::mem::take(&mut self.scope);
            let arrays = std::mem::take(&mut self.arrays);
            let tokens = std::mem::take(&mut self.tokens);
            let condition = self.expr(&invariant.condition);
            (self.scope, self.arrays, self.tokens) = (scope, arrays, tokens);
            let Some(condition) = condition else { continue };
            let answer = self.hidden(body.span);
            let mut size = 0_u64;
            condition.visit(&mut |_| size += 1);
            let mut weaver = Weaver { invariant, condition: &condition, answer, sites: 0 };
            body = weaver.weave_answer(body, false);
            let sites = weaver.sites;
            self.count(sites.saturating_mul(size));
        }
        body
    }
}

/// Whether a `for` in the condition gives the name its values.
fn is_bound(name: &str, condition: &ast::Expr) -> bool {
    let loops = condition.syntax().descendants().filter_map(ast::Expr::cast).filter(|part| part.kind() == SyntaxKind::ForExpr);
    loops.filter_map(|part| part.token()).any(|bound| bound.text() == name)
}

/// Whether one of these globals is assigned to.
fn assigns(e: &Expr, globals: &FxHashSet<GlobalVar>) -> bool {
    let mut found = false;
    e.visit(&mut |part| {
        found |= matches!(&part.kind, ExprKind::Assign { target: Variable::Global(global), .. } if globals.contains(global))
    });
    found
}

/// Writes the checks of one invariant into a request.
struct Weaver<'a> {
    invariant: &'a Invariant,
    condition: &'a Expr,
    /// Holds an answer while the invariant is tested.
    answer: Variable,
    sites: u64,
}

impl Weaver<'_> {
    fn check(&mut self, place: Span) -> Expr {
        self.sites += 1;
        claimed(self.condition.clone(), place, Limit::Invariant(self.invariant.place))
    }

    /// `a := value; check; a`
    fn answered(&mut self, value: Expr) -> Expr {
        let place = value.span;
        let check = self.check(place);
        if matches!(value.kind, ExprKind::Number(_) | ExprKind::Constant(_) | ExprKind::Read(Variable::Local(_))) {
            return sequence(vec![check, value], place);
        }
        let read = Expr { kind: ExprKind::Read(self.answer), span: place };
        let kind = ExprKind::Assign { target: self.answer, target_span: place, value: Box::new(value), unlock: false };
        sequence(vec![Expr { kind, span: place }, check, read], place)
    }

    /// An expression whose value is the answer, with its checks and one before the answer. In the branches of an `if`
    /// that stands last each answer has its own.
    fn weave_answer(&mut self, e: Expr, set: bool) -> Expr {
        let span = e.span;
        match e.kind {
            ExprKind::Sequence(mut parts) if !parts.is_empty() => {
                let last = parts.pop();
                let (mut set, mut woven) = (set, Vec::with_capacity(parts.len() + 1));
                for part in parts {
                    let (part, after) = self.weave(part, set);
                    woven.push(part);
                    set = after;
                }
                woven.extend(last.map(|last| self.weave_answer(last, set)));
                sequence(woven, span)
            }
            ExprKind::If { arms, otherwise } => {
                let (mut set, mut woven) = (set, Vec::with_capacity(arms.len()));
                for arm in arms {
                    let (condition, after) = self.weave(arm.condition, set);
                    woven.push(Arm { condition, body: self.weave_answer(arm.body, after) });
                    set = after;
                }
                let zero = Expr { kind: ExprKind::Number(0), span };
                let otherwise = match otherwise {
                    Some(otherwise) => Some(Box::new(self.weave_answer(*otherwise, set))),
                    None if set => Some(Box::new(self.answered(zero))),
                    None => None,
                };
                Expr { kind: ExprKind::If { arms: woven, otherwise }, span }
            }
            kind => {
                let (woven, set) = self.weave(Expr { kind, span }, set);
                if set { self.answered(woven) } else { woven }
            }
        }
    }

    /// The expression with its checks, and whether the step may have assigned to a global of the invariant once it has
    /// been evaluated; `set` is that before.
    fn weave(&mut self, e: Expr, set: bool) -> (Expr, bool) {
        serval_budget::checkpoint::pass();
        let span = e.span;
        let (kind, set) = match e.kind {
            kind @ (ExprKind::Number(_) | ExprKind::Constant(_) | ExprKind::Choice | ExprKind::Read(_)) => (kind, set),
            ExprKind::Yield if set => {
                let check = self.check(span);
                (ExprKind::Sequence(vec![check, e_yield(span)]), false)
            }
            ExprKind::Yield => (ExprKind::Yield, false),
            ExprKind::Assign { target, target_span, value, unlock } => {
                let (value, set) = self.boxed(*value, set);
                let own = matches!(target, Variable::Global(global) if self.invariant.globals.contains(&global));
                (ExprKind::Assign { target, target_span, value, unlock }, set || own)
            }
            ExprKind::Within { value, low, high, limit } => {
                let (value, set) = self.boxed(*value, set);
                (ExprKind::Within { value, low, high, limit }, set)
            }
            ExprKind::Not(inner) => {
                let (inner, set) = self.boxed(*inner, set);
                (ExprKind::Not(inner), set)
            }
            ExprKind::Negate(inner) => {
                let (inner, set) = self.boxed(*inner, set);
                (ExprKind::Negate(inner), set)
            }
            ExprKind::Return(value) => {
                // Nothing is evaluated after it in this step.
                (ExprKind::Return(Box::new(self.weave_answer(*value, set))), false)
            }
            ExprKind::Arithmetic { first, rest } => {
                let (first, mut set) = self.boxed(*first, set);
                let mut operands = Vec::with_capacity(rest.len());
                for (op, operand) in rest {
                    let (operand, after) = self.weave(operand, set);
                    operands.push((op, operand));
                    set = after;
                }
                (ExprKind::Arithmetic { first, rest: operands }, set)
            }
            ExprKind::Compare { op, left, right } => {
                let (left, set) = self.boxed(*left, set);
                let (right, set) = self.boxed(*right, set);
                (ExprKind::Compare { op, left, right }, set)
            }
            ExprKind::Sequence(parts) => {
                let mut set = set;
                let mut woven = Vec::with_capacity(parts.len());
                for part in parts {
                    let (part, after) = self.weave(part, set);
                    woven.push(part);
                    set = after;
                }
                (ExprKind::Sequence(woven), set)
            }
            ExprKind::And(parts) => {
                let (parts, set) = self.until_decided(parts, set);
                (ExprKind::And(parts), set)
            }
            ExprKind::Or(parts) => {
                let (parts, set) = self.until_decided(parts, set);
                (ExprKind::Or(parts), set)
            }
            ExprKind::If { arms, otherwise } => self.branches(arms, otherwise, set),
            ExprKind::While { condition, body } => self.rounds(*condition, *body, set),
        };
        (Expr { kind, span }, set)
    }

    fn boxed(&mut self, e: Expr, set: bool) -> (Box<Expr>, bool) {
        let (e, set) = self.weave(e, set);
        (Box::new(e), set)
    }

    /// Operands of which each may be the last.
    fn until_decided(&mut self, parts: Vec<Expr>, set: bool) -> (Vec<Expr>, bool) {
        let (mut set, mut any) = (set, false);
        let mut woven = Vec::with_capacity(parts.len());
        for part in parts {
            let (part, after) = self.weave(part, set);
            woven.push(part);
            set = after;
            any |= after;
        }
        (woven, any)
    }

    fn branches(&mut self, arms: Vec<Arm>, otherwise: Option<Box<Expr>>, set: bool) -> (ExprKind, bool) {
        let (mut set, mut any) = (set, false);
        let mut woven = Vec::with_capacity(arms.len());
        for arm in arms {
            let (condition, after) = self.weave(arm.condition, set);
            let (body, end) = self.weave(arm.body, after);
            woven.push(Arm { condition, body });
            set = after;
            any |= end;
        }
        let otherwise = match otherwise {
            Some(otherwise) => {
                let (otherwise, end) = self.boxed(*otherwise, set);
                any |= end;
                Some(otherwise)
            }
            None => {
                any |= set;
                None
            }
        };
        (ExprKind::If { arms: woven, otherwise }, any)
    }

    /// A round begins with what was before the loop, or at the end of another round.
    fn rounds(&mut self, condition: Expr, body: Expr, set: bool) -> (ExprKind, bool) {
        let set = set || self.after(&body, self.after(&condition, set));
        let (condition, after) = self.boxed(condition, set);
        let (body, _) = self.boxed(body, after);
        (ExprKind::While { condition, body }, after)
    }

    /// What [`Weaver::weave`] says of the end, or more: whatever has been assigned to before a `yield` counts, too.
    fn after(&self, e: &Expr, set: bool) -> bool {
        set || assigns(e, &self.invariant.globals)
    }
}

fn e_yield(span: Span) -> Expr {
    Expr { kind: ExprKind::Yield, span }
}

/// `a; b`, flat.
fn sequence(list: Vec<Expr>, span: Span) -> Expr {
    let mut flat = Vec::with_capacity(list.len());
    for part in list {
        match part.kind {
            ExprKind::Sequence(parts) => flat.extend(parts),
            _ => flat.push(part),
        }
    }
    Expr { kind: ExprKind::Sequence(flat), span }
}

/// Evaluates a condition in the initial state.
struct AtFirst<'a> {
    initial: &'a FxHashMap<u32, i64>,
    locals: FxHashMap<u32, i64>,
}

/// It has no value: it overflows, divides by zero, or leaves an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct WithoutValue;

impl From<ArithmeticError> for WithoutValue {
    fn from(_: ArithmeticError) -> Self {
        Self
    }
}

impl AtFirst<'_> {
    fn initial(&self, global: GlobalVar) -> i64 {
        self.initial.get(&global.0).copied().unwrap_or(0)
    }

    fn value(&mut self, e: &Expr) -> Result<i64, WithoutValue> {
        match &e.kind {
            ExprKind::Number(value) | ExprKind::Constant(value) => Ok(*value),
            ExprKind::Read(Variable::Global(global)) => Ok(self.initial(*global)),
            ExprKind::Read(Variable::Local(local)) => Ok(self.locals.get(&local.0).copied().unwrap_or(0)),
            ExprKind::Assign { target, value, .. } => {
                let value = self.value(value)?;
                if let Variable::Local(local) = target {
                    self.locals.insert(local.0, value);
                }
                Ok(value)
            }
            ExprKind::Within { value, low, high, .. } => {
                let value = self.value(value)?;
                if (*low..=*high).contains(&value) { Ok(value) } else { Err(WithoutValue) }
            }
            ExprKind::Not(inner) => Ok(i64::from(self.value(inner)? == 0)),
            ExprKind::Negate(inner) => Ok(value::negate(self.value(inner)?)?),
            ExprKind::Arithmetic { first, rest } => {
                let mut result = self.value(first)?;
                for (op, operand) in rest {
                    let operand = self.value(operand)?;
                    result = value::arithmetic(*op, result, operand)?;
                }
                Ok(result)
            }
            ExprKind::Compare { op, left, right } => {
                let left = self.value(left)?;
                Ok(value::compare(*op, left, self.value(right)?))
            }
            ExprKind::And(parts) => self.decided(parts, false),
            ExprKind::Or(parts) => self.decided(parts, true),
            ExprKind::Sequence(parts) => {
                let mut last = 0;
                for part in parts {
                    last = self.value(part)?;
                }
                Ok(last)
            }
            ExprKind::If { arms, otherwise } => {
                for arm in arms {
                    if self.value(&arm.condition)? != 0 {
                        return self.value(&arm.body);
                    }
                }
                otherwise.as_ref().map_or(Ok(0), |otherwise| self.value(otherwise))
            }
            ExprKind::Choice | ExprKind::Yield | ExprKind::While { .. } | ExprKind::Return(_) => Err(WithoutValue),
        }
    }

    /// `&&` and `||`: the first operand whose truth is `decisive` decides.
    fn decided(&mut self, parts: &[Expr], decisive: bool) -> Result<i64, WithoutValue> {
        for part in parts {
            if (self.value(part)? != 0) == decisive {
                return Ok(i64::from(decisive));
            }
        }
        Ok(i64::from(!decisive))
    }
}

fn bad_invariant(place: Span, message: &str, help: &str) -> Diagnostic {
    Diagnostic::error(codes::BAD_INVARIANT, place, message.to_owned())
        .expected("a condition over globals and constants")
        .help(help.to_owned())
}

fn not_at_first(place: Span, values: &[String], fails: bool) -> Diagnostic {
    let message = if fails { "this invariant has no value at first" } else { "this invariant does not hold at first" };
    let error = Diagnostic::error(codes::NOT_AT_FIRST, place, message)
        .expected("a condition that the initial values meet")
        .help("change the initial values, or the condition");
    if values.is_empty() { error } else { error.with_note(format!("at first {}", values.join(", "))) }
}
