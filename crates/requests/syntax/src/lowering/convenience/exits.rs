//! `break` and `continue`, which leave a round of a loop.
//!
//! The core has no jumps but `return`, so what would follow in the round is left out
//! instead, by the word of a new local `x` of the loop: 0 while the round goes on, 1 after
//! `continue` and 2 after `break`.
//!
//! | form | becomes |
//! |---|---|
//! | `while (c) { s }` with `break` | `x := 0; while (x == 0 && c) { s' }` |
//! | … with `continue` | `while (c) { x := 0; s' }` |
//! | … with both | `x := 0; while (x < 2 && c) { x := 0; s' }` |
//! | … with either in `c` | `x := 0; while (x < 2) { x := 0; t := c'; if (x == 0) { if (t) { s' } else { x := 2 } } }`
//! |
//! | `for i in 0..2 { s }` with `break` | `x := 0; s'₀; if (x == 0) { s'₁ }; if (x == 0) { s'₂ }; 0` |
//! | … with `continue` | `x := 0; s'₀; x := 0; s'₁; x := 0; s'₂; 0` |
//! | … with both | `x := 0; s'₀; if (x < 2) { x := 0; s'₁ }; if (x < 2) { x := 0; s'₂ }; 0` |
//!
//! In `s'` stands `(x := 2; 0)` for `break`, `(x := 1; 0)` for `continue`, and whatever is
//! evaluated after a part that can leave the round is guarded by `x == 0`. With `e'` for
//! such a part, `t` for a new local and `G(f)` for `if (x == 0) { f }`:
//!
//! | around it | becomes |
//! |---|---|
//! | `a; e; b; c` | `a; e'; G(b; c)` |
//! | `v := e`, `!e`, `-e`, `return e` | `t := e'; G(v := t)`, … |
//! | `a + e + b` | `t := a; u := e'; G(t + u + b)`; so with comparisons |
//! | `a && e && b` | `a && e' && b` |
//! | `a` `or` `e` `or` `b` | `a` `or` `e'` `or` `(x == 0 && b)` |
//! | `if (a) { b } else if (e) { c } else { d }` | `if (a) { b } else { t := e'; G(if (t) { c } else { d }) }` |
//! | `while (!(e)) { yield }`, which is `await (e)` | `while (t := !(e'); x == 0 && t) { yield }` |
//!
//! # Why this means the same
//! *Invariant:* where evaluation of `e` would come to its end without leaving the round, so
//! does `e'`, with the same value, the same accesses in the same order, the same waits, and
//! `x` is 0; where `e` would leave the round, `e'` has done what `e` does up to there, has the
//! value 0, and `x` is 1 or 2. By induction on `e`: a part that cannot leave is unchanged. In each
//! row of the table the parts before `e` are evaluated first, as they were (their values rest
//! in locals that no other expression can name, so what `e` does changes none of them), then
//! `e'`. If `x` is 0 the row goes on as it did. If not, nothing more is evaluated: every guard
//! asks for `x == 0`; a missing `else` is 0, and so is `a && 0`. In a chain of `or`,
//! what follows is guarded, and 0 is its value as all before was 0.
//! A loop sets `x` to 0 at its beginning, and again at the beginning of a round where
//! `continue` can have set it; after a round `x` is 2 exactly if it was left by `break`, which is what
//! the loop asks before it goes on, before it evaluates its condition. So the same rounds
//! run. An inner loop has an `x` of its own, and a call has none of its caller's: `break` in a
//! function belongs to a loop of that function. `x` is 0 wherever a request waits in a round,
//! so no place where others can run is added, and hidden locals are read only where
//! the same round has assigned to them. What `x` is after the loop is read by nothing. ∎

use super::{assign, compare, made, number, read, sequence};
use crate::diagnostic::{Diagnostic, codes};
use crate::grammar::SyntaxKind;
use crate::lowering::Lowering;
use crate::program::{ArithmeticOp, Arm, CompareOp, Expr, ExprKind, Variable};
use crate::tree::{ast, span};
use serval_diagnostic::Span;

/// The round was left by `continue`.
const NEXT: i64 = 1;
/// The loop was left by `break`.
const DONE: i64 = 2;

/// What leaves the rounds of a loop that is being read.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LoopExits {
    /// The local that says whether the round goes on, once something leaves it.
    flag: Option<Variable>,
    breaks: bool,
    continues: bool,
}

impl Lowering<'_> {
    /// `break` or `continue`
    pub(crate) fn leave_round(&mut self, expr: &ast::Expr) -> Option<Expr> {
        let place = span(expr.syntax().text_range());
        let breaks = expr.kind() == SyntaxKind::BreakExpr;
        // A function cannot leave a loop that it is called in.
        let outer = self.frames.last().map_or(0, |frame| frame.loops);
        let Some(innermost) = self.loops.get(outer..).and_then(<[_]>::last).copied() else {
            let called = self.frames.last().filter(|frame| frame.loops > 0).map(|frame| frame.call);
            self.error(|| outside_of_loops(place, if breaks { "break" } else { "continue" }, called));
            return Some(number(0, place));
        };
        let flag = match innermost.flag {
            Some(flag) => flag,
            None => self.hidden(place),
        };
        if let Some(around) = self.loops.last_mut() {
            around.flag = Some(flag);
            around.breaks |= breaks;
            around.continues |= !breaks;
        }
        Some(sequence(vec![assign(flag, place, number(if breaks { DONE } else { NEXT }, place)), number(0, place)], place))
    }

    /// `while (c) { s }`
    pub(crate) fn while_loop(&mut self, expr: &ast::Expr) -> Option<Expr> {
        let place = span(expr.syntax().text_range());
        self.loops.push(LoopExits::default());
        self.repeated += 1;
        let condition = self.condition(&expr.conditions().next()?);
        let in_condition = self.loops.last().is_some_and(|exits| exits.flag.is_some());
        let body = self.block(&expr.blocks().next()?);
        self.repeated -= 1;
        let exits = self.loops.pop()?;
        let (condition, body) = (condition?, body?);
        let Some(flag) = exits.flag else {
            return Some(made(ExprKind::While { condition: Box::new(condition), body: Box::new(body) }, place));
        };
        let set = |value| assign(flag, place, number(value, place));
        let asked = condition.span;
        let mut guards = Guards { lowering: self, flag };
        let body = guards.all(body);
        let (condition, body) = if in_condition {
            let (condition, seen) = (guards.all(condition), guards.lowering.hidden(asked));
            let over = Some(Box::new(set(DONE)));
            let round = made(ExprKind::If { arms: vec![Arm { condition: read(seen, asked), body }], otherwise: over }, place);
            let round = sequence(vec![set(0), assign(seen, asked, condition), guards.guarded(round)], place);
            (compare(CompareOp::Less, read(flag, asked), DONE), round)
        } else {
            let goes_on = going_on(flag, exits, asked);
            let condition = match condition.kind {
                _ if !exits.breaks => condition,
                // `while (1)` asks for nothing else.
                ExprKind::Number(1) => goes_on,
                _ => made(ExprKind::And(vec![goes_on, condition]), asked),
            };
            (condition, if exits.continues { sequence(vec![set(0), body], place) } else { body })
        };
        let repeated = made(ExprKind::While { condition: Box::new(condition), body: Box::new(body) }, place);
        Some(if exits.breaks || in_condition { sequence(vec![set(0), repeated], place) } else { repeated })
    }

    /// The rounds of a `for`, one after the other, as far as nothing leaves them.
    pub(super) fn rounds(&mut self, rounds: Vec<Expr>, exits: LoopExits, place: Span) -> Vec<Expr> {
        let Some(flag) = exits.flag else { return rounds };
        let mut list = Vec::new();
        for (position, round) in rounds.into_iter().enumerate() {
            self.count(4);
            let at = round.span;
            let round = Guards { lowering: self, flag }.all(round);
            let fresh = assign(flag, at, number(0, at));
            let round = if position == 0 || exits.continues { sequence(vec![fresh, round], at) } else { round };
            list.push(if position == 0 || !exits.breaks { round } else { only_if(going_on(flag, exits, place), round) });
        }
        list
    }
}

/// Whether no `break` has left the loop.
fn going_on(flag: Variable, exits: LoopExits, place: Span) -> Expr {
    if exits.continues { compare(CompareOp::Less, read(flag, place), DONE) } else { compare(CompareOp::Equal, read(flag, place), 0) }
}

/// `if (condition) { body }`
fn only_if(condition: Expr, body: Expr) -> Expr {
    let place = body.span;
    made(ExprKind::If { arms: vec![Arm { condition, body }], otherwise: None }, place)
}

/// Puts guards around what follows a part that leaves the round.
struct Guards<'g, 'l> {
    lowering: &'g mut Lowering<'l>,
    flag: Variable,
}

/// An expression with its guards, and whether evaluating it can leave the round.
type Guarded = (Expr, bool);

impl Guards<'_, '_> {
    fn all(&mut self, expr: Expr) -> Expr {
        self.expr(expr).0
    }

    /// `G(e)` of the head.
    fn guarded(&self, rest: Expr) -> Expr {
        only_if(compare(CompareOp::Equal, read(self.flag, rest.span), 0), rest)
    }

    /// `t := value`, and a read of the new `t`. What is constant needs none.
    fn kept(&mut self, value: Expr, before: &mut Vec<Expr>) -> Expr {
        if matches!(value.kind, ExprKind::Number(_) | ExprKind::Constant(_)) {
            return value;
        }
        let place = value.span;
        let seen = self.lowering.hidden(place);
        before.push(assign(seen, place, value));
        read(seen, place)
    }

    /// `t := e'; G(f(t))`
    fn then(&mut self, operand: Expr, place: Span, build: impl FnOnce(Expr) -> ExprKind) -> Expr {
        let mut list = Vec::new();
        let seen = self.kept(operand, &mut list);
        list.push(self.guarded(made(build(seen), place)));
        sequence(list, place)
    }

    fn expr(&mut self, expr: Expr) -> Guarded {
        serval_budget::checkpoint::pass();
        let place = expr.span;
        match expr.kind {
            ExprKind::Number(_) | ExprKind::Constant(_) | ExprKind::Choice | ExprKind::Yield | ExprKind::Read(_) => (expr, false),
            ExprKind::Assign { target, target_span, value, unlock } => {
                let leaves = target == self.flag;
                let build = move |value| ExprKind::Assign { target, target_span, value: Box::new(value), unlock };
                let (expr, inner) = self.one(*value, place, build);
                (expr, leaves || inner)
            }
            ExprKind::Within { value, low, high, limit } => {
                self.one(*value, place, move |value| ExprKind::Within { value: Box::new(value), low, high, limit })
            }
            ExprKind::Not(operand) => self.one(*operand, place, |operand| ExprKind::Not(Box::new(operand))),
            ExprKind::Negate(operand) => self.one(*operand, place, |operand| ExprKind::Negate(Box::new(operand))),
            ExprKind::Return(value) => self.one(*value, place, |value| ExprKind::Return(Box::new(value))),
            ExprKind::Arithmetic { first, rest } => self.arithmetic(*first, rest, place),
            ExprKind::Compare { op, left, right } => self.compared(op, *left, *right, place),
            ExprKind::And(operands) => {
                let (list, leaves) = self.each(operands);
                (made(ExprKind::And(list), place), leaves)
            }
            ExprKind::Or(operands) => self.or(operands, place),
            ExprKind::Sequence(list) => self.sequence(list, place),
            ExprKind::If { arms, otherwise } => self.if_chain(arms, otherwise, place),
            ExprKind::While { condition, body } => self.waiting(*condition, body, place),
        }
    }

    fn one(&mut self, operand: Expr, place: Span, build: impl FnOnce(Expr) -> ExprKind) -> Guarded {
        let (operand, leaves) = self.expr(operand);
        (if leaves { self.then(operand, place, build) } else { made(build(operand), place) }, leaves)
    }

    fn each(&mut self, operands: Vec<Expr>) -> (Vec<Expr>, bool) {
        let mut leaves = false;
        let mut list = Vec::new();
        for operand in operands {
            let (operand, one) = self.expr(operand);
            leaves |= one;
            list.push(operand);
        }
        (list, leaves)
    }

    /// `first op e op e …`, cut where an operand leaves; between the cuts it stays flat.
    fn arithmetic(&mut self, first: Expr, rest: Vec<(ArithmeticOp, Expr)>, place: Span) -> Guarded {
        let mut left = self.expr(first);
        let mut open = Vec::new();
        for (op, right) in rest {
            let right = self.expr(right);
            if right.1 {
                left = self.joined(left, std::mem::take(&mut open), place);
                let build = |left, right| ExprKind::Arithmetic { first: Box::new(left), rest: vec![(op, right)] };
                left = self.both(left, right, place, build);
            } else {
                open.push((op, right.0));
            }
        }
        self.joined(left, open, place)
    }

    /// What has been computed so far, with operands that do not leave.
    fn joined(&mut self, left: Guarded, rest: Vec<(ArithmeticOp, Expr)>, place: Span) -> Guarded {
        if rest.is_empty() {
            return left;
        }
        let build = |left| ExprKind::Arithmetic { first: Box::new(left), rest };
        (if left.1 { self.then(left.0, place, build) } else { made(build(left.0), place) }, left.1)
    }

    fn compared(&mut self, op: CompareOp, left: Expr, right: Expr, place: Span) -> Guarded {
        let (left, right) = (self.expr(left), self.expr(right));
        let build = |left, right| ExprKind::Compare { op, left: Box::new(left), right: Box::new(right) };
        self.both(left, right, place, build)
    }

    /// An operator and two operands.
    fn both(&mut self, left: Guarded, right: Guarded, place: Span, build: impl FnOnce(Expr, Expr) -> ExprKind) -> Guarded {
        let ((left, left_leaves), (right, right_leaves)) = (left, right);
        if !right_leaves {
            let build = |left| build(left, right);
            return (if left_leaves { self.then(left, place, build) } else { made(build(left), place) }, left_leaves);
        }
        let mut list = Vec::new();
        let seen = self.kept(left, &mut list);
        let rest = self.then(right, place, |right| build(seen, right));
        list.push(if left_leaves { self.guarded(rest) } else { rest });
        (sequence(list, place), true)
    }

    fn or(&mut self, operands: Vec<Expr>, place: Span) -> Guarded {
        let mut leaves = false;
        let mut list = Vec::new();
        for operand in operands {
            let (operand, one) = self.expr(operand);
            let goes_on = compare(CompareOp::Equal, read(self.flag, operand.span), 0);
            let at = operand.span;
            list.push(if leaves { made(ExprKind::And(vec![goes_on, operand]), at) } else { operand });
            leaves |= one;
        }
        (made(ExprKind::Or(list), place), leaves)
    }

    /// What stands between two parts that leave is guarded together, so that
    /// nothing nests deeper for a long list.
    fn sequence(&mut self, list: Vec<Expr>, place: Span) -> Guarded {
        let mut leaves = false;
        let (mut done, mut open) = (Vec::new(), Vec::new());
        let count = list.len();
        for (position, part) in list.into_iter().enumerate() {
            let (part, one) = self.expr(part);
            open.push(part);
            if !one && position + 1 < count {
                continue;
            }
            let parts = std::mem::take(&mut open);
            // A missing `else` is 0, and so the last of `x := 2; 0` needs no guard.
            let is_nothing = parts.iter().all(|part| matches!(part.kind, ExprKind::Number(0)));
            if leaves && !is_nothing {
                let around = parts[0].span.to(parts[parts.len() - 1].span);
                done.push(self.guarded(sequence(parts, around)));
            } else {
                done.extend(parts);
            }
            leaves |= one;
        }
        (sequence(done, place), leaves)
    }

    fn if_chain(&mut self, arms: Vec<Arm>, otherwise: Option<Box<Expr>>, place: Span) -> Guarded {
        let mut leaves = false;
        let last = otherwise.map(|expr| {
            let (expr, one) = self.expr(*expr);
            leaves |= one;
            expr
        });
        // From the last to the first: an arm whose condition leaves begins a new chain.
        let mut chain: (Vec<Arm>, Option<Expr>) = (Vec::new(), last);
        for arm in arms.into_iter().rev() {
            let (condition, condition_leaves) = self.expr(arm.condition);
            let (body, body_leaves) = self.expr(arm.body);
            leaves |= condition_leaves || body_leaves;
            if !condition_leaves {
                chain.0.insert(0, Arm { condition, body });
                continue;
            }
            let (mut later, rest) = chain;
            let whole = self.then(condition, place, |seen| {
                later.insert(0, Arm { condition: seen, body });
                ExprKind::If { arms: later, otherwise: rest.map(Box::new) }
            });
            chain = (Vec::new(), Some(whole));
        }
        match chain {
            (arms, Some(whole)) if arms.is_empty() => (whole, leaves),
            (arms, rest) => (made(ExprKind::If { arms, otherwise: rest.map(Box::new) }, place), leaves),
        }
    }

    /// A loop inside of the round. Its own rounds have been seen to: only the condition of
    /// `await` can leave this one.
    fn waiting(&mut self, condition: Expr, body: Box<Expr>, place: Span) -> Guarded {
        let asked = condition.span;
        let (condition, leaves) = self.expr(condition);
        let condition = if leaves {
            let mut list = Vec::new();
            let seen = self.kept(condition, &mut list);
            let goes_on = compare(CompareOp::Equal, read(self.flag, asked), 0);
            list.push(made(ExprKind::And(vec![goes_on, seen]), asked));
            sequence(list, asked)
        } else {
            condition
        };
        (made(ExprKind::While { condition: Box::new(condition), body }, place), leaves)
    }
}

fn outside_of_loops(place: Span, word: &str, called: Option<Span>) -> Diagnostic {
    let error = Diagnostic::error(codes::STRAY_EXIT, place, format!("`{word}` stands in no loop"))
        .expected("`while (…) { … }` or `for i in 0..3 { … }` around it, in the same request or function");
    match called {
        Some(call) => error
            .also(call, "the function is called in a loop, which it cannot leave")
            .help(format!("let the function return a value, and write `if (…) {{ {word} }}` around the call")),
        None => error.help("write `return` and a value to end the request or function"),
    }
}
