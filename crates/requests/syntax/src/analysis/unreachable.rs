//! Code that never runs.
//!
//! Only what can be seen without knowing any variable or constant: what follows a
//! `return` or an endless loop, and the branches that a constant condition
//! excludes. So it is never wrong, and says nothing in doubt.

use crate::diagnostic::{Diagnostic, Sink, codes};
use crate::grammar::SyntaxKind;
use crate::program::{Arm, Expr, ExprKind, fold};
use crate::tree::{SyntaxNode, ast, span};
use serval_diagnostic::Span;

/// Reports what follows `break` or `continue` in its block. In the program these are
/// assignments, so the tree is looked at.
pub(crate) fn find_unreachable_after_exits(file: &SyntaxNode, sink: &mut Sink) {
    let lists = file.descendants().filter(|node| matches!(node.kind(), SyntaxKind::Block | SyntaxKind::ParenExpr));
    for list in lists {
        let statements: Vec<ast::Expr> = list.children().filter_map(ast::Expr::cast).collect();
        let leaves = |statement: &ast::Expr| matches!(statement.kind(), SyntaxKind::BreakExpr | SyntaxKind::ContinueExpr);
        let Some(at) = statements.iter().position(leaves) else { continue };
        if let (Some(next), Some(last)) = (statements.get(at + 1), statements.last()) {
            let [cause, next, last] = [&statements[at], next, last].map(|statement| span(statement.syntax().text_range()));
            sink.push(|| unreachable(next.to(last), cause, "nothing runs after this"));
        }
    }
}

/// Reports code in `body` that never runs.
pub(crate) fn find_unreachable(body: &Expr, sink: &mut Sink) {
    ends_here(body, sink);
}

/// Whether evaluation of `expr` never comes to its end, because the request
/// returns or loops for ever. Reports what never runs within.
fn ends_here(expr: &Expr, sink: &mut Sink) -> bool {
    serval_budget::checkpoint::pass();
    match &expr.kind {
        ExprKind::Number(_) | ExprKind::Constant(_) | ExprKind::Choice | ExprKind::Yield | ExprKind::Read(_) => false,
        ExprKind::Assign { value, .. } | ExprKind::Within { value, .. } => ends_here(value, sink),
        ExprKind::Not(operand) | ExprKind::Negate(operand) => ends_here(operand, sink),
        ExprKind::Return(value) => {
            ends_here(value, sink);
            true
        }
        ExprKind::Arithmetic { first, rest } => {
            let mut ends = ends_here(first, sink);
            for (_, operand) in rest {
                ends |= ends_here(operand, sink);
            }
            ends
        }
        ExprKind::Compare { left, right, .. } => {
            let left = ends_here(left, sink);
            ends_here(right, sink) || left
        }
        ExprKind::And(operands) | ExprKind::Or(operands) => {
            // Only the first operand is sure to run.
            let mut first_ends = false;
            for (index, operand) in operands.iter().enumerate() {
                first_ends |= ends_here(operand, sink) && index == 0;
            }
            first_ends
        }
        ExprKind::Sequence(list) => sequence(list, sink),
        ExprKind::If { arms, otherwise } => if_chain(arms, otherwise.as_deref(), sink),
        ExprKind::While { condition, body } => while_loop(condition, body, sink),
    }
}

/// The value of a condition that is constant as it is written. One that has
/// names of constants in it may well be meant to be switched by them, and one
/// with a parameter has another value in another request.
fn written(condition: &Expr) -> Option<i64> {
    let mut named = false;
    condition.visit(&mut |part| named |= matches!(part.kind, ExprKind::Constant(_)));
    if named { None } else { fold(condition).ok() }
}

fn sequence(list: &[Expr], sink: &mut Sink) -> bool {
    for (index, expr) in list.iter().enumerate() {
        if !ends_here(expr, sink) {
            continue;
        }
        // What follows a statement at its own place is generated, not written.
        if let (Some(next), Some(last)) = (list.get(index + 1), list.last())
            && last.span != expr.span
        {
            sink.push(|| unreachable(next.span.to(last.span), expr.span, "nothing runs after this"));
        }
        return true;
    }
    false
}

fn if_chain(arms: &[Arm], otherwise: Option<&Expr>, sink: &mut Sink) -> bool {
    // Whether every branch so far ends the request.
    let mut all_end = true;
    for (index, arm) in arms.iter().enumerate() {
        match written(&arm.condition) {
            Some(0) => sink.push(|| unreachable(arm.body.span, arm.condition.span, "always 0")),
            Some(_) => {
                let rest = arms.get(index + 1).map(|next| next.condition.span).or(otherwise.map(|expr| expr.span));
                if let Some(rest) = rest {
                    let last = otherwise.map_or_else(|| arms[arms.len() - 1].body.span, |expr| expr.span);
                    sink.push(|| unreachable(rest.to(last), arm.condition.span, "never 0"));
                }
                return ends_here(&arm.body, sink) && all_end;
            }
            None => {
                // The first condition is sure to run; where it ends the
                // request, so does the whole.
                let condition_ends = ends_here(&arm.condition, sink);
                let body_ends = ends_here(&arm.body, sink);
                all_end &= condition_ends || body_ends;
            }
        }
    }
    otherwise.is_some_and(|expr| ends_here(expr, sink)) && all_end
}

fn while_loop(condition: &Expr, body: &Expr, sink: &mut Sink) -> bool {
    match written(condition) {
        Some(0) => {
            sink.push(|| unreachable(body.span, condition.span, "always 0"));
            false
        }
        constant => {
            let condition_ends = ends_here(condition, sink);
            ends_here(body, sink);
            constant.is_some() || condition_ends
        }
    }
}

fn unreachable(place: Span, cause: Span, why: &str) -> Diagnostic {
    Diagnostic::warning(codes::UNREACHABLE, place, "this never runs").also(cause, why).help("remove it, or change what comes before")
}
