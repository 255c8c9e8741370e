//! Expressions of the language, built with constants folded: what is known while a program is made does not stand in
//! it.

use serval_diagnostic::Span;
use serval_syntax::{ArithmeticOp, Arm, CompareOp, Expr, ExprKind, GlobalVar, LocalVar, Variable, value};

pub(super) fn made(kind: ExprKind) -> Expr {
    Expr { kind, span: Span::default() }
}

/// A number; negative ones are written as the language has them.
pub(super) fn number(value: i64) -> Expr {
    match value.checked_neg() {
        Some(positive) if value < 0 => made(ExprKind::Negate(Box::new(made(ExprKind::Number(positive))))),
        _ => made(ExprKind::Number(value)),
    }
}

/// The value of an expression that is known.
pub(super) fn known(e: &Expr) -> Option<i64> {
    match &e.kind {
        ExprKind::Number(value) => Some(*value),
        ExprKind::Negate(inner) => known(inner).and_then(i64::checked_neg),
        _ => None,
    }
}

pub(super) fn global(variable: GlobalVar) -> Expr {
    made(ExprKind::Read(Variable::Global(variable)))
}

pub(super) fn local(variable: LocalVar) -> Expr {
    made(ExprKind::Read(Variable::Local(variable)))
}

fn assign(target: Variable, value: Expr) -> Expr {
    made(ExprKind::Assign { target, target_span: Span::default(), value: Box::new(value), unlock: false })
}

pub(super) fn set(variable: LocalVar, value: Expr) -> Expr {
    assign(Variable::Local(variable), value)
}

pub(super) fn store(variable: GlobalVar, value: Expr) -> Expr {
    assign(Variable::Global(variable), value)
}

pub(super) fn pause() -> Expr {
    made(ExprKind::Yield)
}

pub(super) fn choice() -> Expr {
    made(ExprKind::Choice)
}

/// Whether an expression is 0 or 1 in every state.
fn is_truth(e: &Expr) -> bool {
    matches!(e.kind, ExprKind::Compare { .. } | ExprKind::And(_) | ExprKind::Or(_) | ExprKind::Not(_) | ExprKind::Choice)
        || known(e).is_some_and(|value| value == 0 || value == 1)
}

pub(super) fn not(e: Expr) -> Expr {
    match known(&e) {
        Some(value) => number(i64::from(value == 0)),
        None => match e.kind {
            ExprKind::Not(inner) if is_truth(&inner) => *inner,
            kind => made(ExprKind::Not(Box::new(made(kind)))),
        },
    }
}

fn chain(parts: Vec<Expr>, neutral: i64, build: fn(Vec<Expr>) -> ExprKind) -> Expr {
    let mut kept: Vec<Expr> = Vec::new();
    for part in parts {
        match known(&part) {
            Some(value) if i64::from(value != 0) == neutral => {}
            Some(_) => {
                // Parts have no effects, so those before count for nothing.
                return number(1 - neutral);
            }
            None => kept.push(part),
        }
    }
    // A part and its contrary.
    let contrary = |e: &Expr| matches!(&e.kind, ExprKind::Not(inner) if kept.iter().any(|other| other == &**inner));
    if kept.iter().any(contrary) {
        return number(1 - neutral);
    }
    match kept.len() {
        0 => number(neutral),
        1 if kept.first().is_some_and(is_truth) => kept.remove(0),
        1 => not(made(ExprKind::Not(Box::new(kept.remove(0))))),
        _ => made(build(kept)),
    }
}

pub(super) fn all(parts: Vec<Expr>) -> Expr {
    chain(parts, 1, ExprKind::And)
}

pub(super) fn any(parts: Vec<Expr>) -> Expr {
    chain(parts, 0, ExprKind::Or)
}

pub(super) fn compare(op: CompareOp, left: Expr, right: Expr) -> Expr {
    match (known(&left), known(&right)) {
        (Some(left), Some(right)) => number(value::compare(op, left, right)),
        _ => made(ExprKind::Compare { op, left: Box::new(left), right: Box::new(right) }),
    }
}

pub(super) fn equal(left: Expr, right: i64) -> Expr {
    compare(CompareOp::Equal, left, number(right))
}

pub(super) fn arithmetic(op: ArithmeticOp, left: Expr, right: Expr) -> Expr {
    let both = known(&left).zip(known(&right)).and_then(|(left, right)| value::arithmetic(op, left, right).ok());
    match (both, known(&left), known(&right)) {
        (Some(value), ..) => number(value),
        (None, _, Some(0)) if matches!(op, ArithmeticOp::Add | ArithmeticOp::Subtract) => left,
        (None, Some(0), _) if op == ArithmeticOp::Add => right,
        (None, _, Some(1)) if op == ArithmeticOp::Multiply => left,
        (None, Some(1), _) if op == ArithmeticOp::Multiply => right,
        _ => made(ExprKind::Arithmetic { first: Box::new(left), rest: vec![(op, right)] }),
    }
}

pub(super) fn add(left: Expr, right: Expr) -> Expr {
    arithmetic(ArithmeticOp::Add, left, right)
}

/// `if (condition) { yes } else { no }` as a value.
pub(super) fn either(condition: Expr, yes: Expr, no: Expr) -> Expr {
    match known(&condition) {
        Some(0) => no,
        Some(_) => yes,
        None if yes == no => yes,
        None => made(ExprKind::If { arms: vec![Arm { condition, body: yes }], otherwise: Some(Box::new(no)) }),
    }
}

/// Statements in a row; 0 if there are none.
pub(super) fn sequence(mut parts: Vec<Expr>) -> Expr {
    match parts.len() {
        0 => number(0),
        1 => parts.remove(0),
        _ => made(ExprKind::Sequence(parts)),
    }
}

/// `while (condition) { yield }`
pub(super) fn wait_while(condition: Expr) -> Expr {
    made(ExprKind::While { condition: Box::new(condition), body: Box::new(pause()) })
}

/// The step is made only where the condition holds: elsewhere it neither ends nor yields, so there is no step.
///
/// The condition has no effects and no choices.
pub(super) fn assume(condition: Expr) -> Option<Expr> {
    match known(&condition) {
        Some(0) | None => Some(made(ExprKind::While { condition: Box::new(not(condition)), body: Box::new(number(0)) })),
        Some(_) => None,
    }
}

/// Gives all parts that have no place this one.
pub(super) fn placed(e: &mut Expr, span: Span) {
    if e.span == Span::default() {
        e.span = span;
    }
    match &mut e.kind {
        ExprKind::Number(_) | ExprKind::Constant(_) | ExprKind::Choice | ExprKind::Yield | ExprKind::Read(_) => {}
        ExprKind::Assign { value, target_span, .. } => {
            if *target_span == Span::default() {
                *target_span = span;
            }
            placed(value, span);
        }
        ExprKind::Within { value: e, .. } | ExprKind::Not(e) | ExprKind::Negate(e) | ExprKind::Return(e) => placed(e, span),
        ExprKind::Arithmetic { first, rest } => {
            placed(first, span);
            rest.iter_mut().for_each(|(_, e)| placed(e, span));
        }
        ExprKind::Compare { left, right, .. } => {
            placed(left, span);
            placed(right, span);
        }
        ExprKind::And(parts) | ExprKind::Or(parts) | ExprKind::Sequence(parts) => parts.iter_mut().for_each(|e| placed(e, span)),
        ExprKind::If { arms, otherwise } => {
            for arm in arms {
                placed(&mut arm.condition, span);
                placed(&mut arm.body, span);
            }
            if let Some(e) = otherwise {
                placed(e, span);
            }
        }
        ExprKind::While { condition, body } => {
            placed(condition, span);
            placed(body, span);
        }
    }
}
