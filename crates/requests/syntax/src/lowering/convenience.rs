//! The convenience forms, each in terms of simpler ones.
//!
//! | form | becomes |
//! |---|---|
//! | `skip` | `0` |
//! | `atomic { s }` | `(s)`, in which no step may end |
//! | `lock(L)` | `(while (L == 1) { yield }; L := 1)` |
//! | `unlock(L)` | `L := 0` |
//! | `await (c)` | `while (!(c)) { yield }` |
//! | `assume (c)` | `while (!(c)) { 0 }`; an error where `c` does more than look |
//! | `assert (c)` | `if (c) { 0 }` else a step that fails; see [`asserted`](super::asserted) |
//! | `invariant C` | the same right before each `yield` and each answer; see [`invariants`](super::invariants) |
//! | `choose(a, b, c)` | `if (?) { a } else if (?) { b } else { c }` |
//! | `choose(0..2)` | `choose(0, 1, 2)` |
//! | `for i in 0..2 { s }` | `(s₀; s₁; s₂; 0)`, where `sₖ` is `s` with the constant `k` for `i` |
//! | `break`, `continue` | what would follow in the round is left out: see [`exits`] |
//! | `min(a, b, c)` | `(m := a; v := b; if (v < m) { m := v }; v := c; if (v < m) { m := v }; m)`, `m` and `v` new |
//! | `max(a, b, c)` | the same with `>` |
//! | `f(a, b)` | `(x := a; y := b; s)`: `s` is the body of `f`; its local variables are new and start at 0 |
//! | `A[i]` | `(t := i; if (t == 0) { A₀ } else if (t == 1) { A₁ } else { A₂ })`, `t` new; an error outside |
//! | `A[i] := e` | `(t := i; v := e; if (t == 0) { A₀ := v } else …)` |
//! | `S[i][j]` | `(t := i; u := j; if (t == 0) { if (u == 0) { S₀₀ } else … } else …)`, `t` and `u` new; see [`arrays`]
//! |
//! | `var s[0..1]` in a request or function | `(s₀ := 0; s₁ := 0; 0)`, with local variables; see [`local_arrays`] |
//! | `State.Idle` | `Idle`, a constant |
//! | `A := e`, `A` with a range | `A := e`, in error outside of the range |
//! | … `wrap` | `A := low + (e - low) % size` |
//! | … `saturate` | `A := (t := e; if (t < low) { low } else if (t > high) { high } else { t })` |
//! | `request r(n: 1..3) { s }` | a request `r(1)`, `r(2)`, `r(3)` for each value, with the constant for `n` |
//! | `request r(n: {5, 2}) { s }` | a request `r(5)`, `r(2)` for each value in turn, with the constant for `n` |
//! | `version V: K`, `t := V`, `t == V`, `fresh(V)` | `K` globals and the numbers of those; see [`versions`] |
//!
//! A constant index needs no `t`, and a constant argument no `x` where the
//! function never assigns to it.
//!
//! In a function `return e` is its value. It can stand last in the body or in
//! the branches of an `if` that stands last, and at the end of an `if` without
//! `else` that is followed by more: then what follows is the `else`.

mod arrays;
mod assumed;
mod choices;
mod exits;
mod extremes;
mod functions;
mod local_arrays;
mod ranges;
mod versions;
mod waiting;

pub(super) use exits::LoopExits;
pub(super) use local_arrays::LocalArrays;
pub(super) use versions::VersionLocal;

use crate::program::{CompareOp, Expr, ExprKind, Variable};
use serval_diagnostic::Span;

fn made(kind: ExprKind, span: Span) -> Expr {
    serval_budget::checkpoint::pass();
    Expr { kind, span }
}

fn number(value: i64, span: Span) -> Expr {
    made(ExprKind::Number(value), span)
}

pub(super) fn read(variable: Variable, span: Span) -> Expr {
    made(ExprKind::Read(variable), span)
}

fn assign(target: Variable, target_span: Span, value: Expr) -> Expr {
    let span = target_span.to(value.span);
    made(ExprKind::Assign { target, target_span, value: Box::new(value), unlock: false }, span)
}

fn compare(op: CompareOp, left: Expr, right: i64) -> Expr {
    let span = left.span;
    made(ExprKind::Compare { op, left: Box::new(left), right: Box::new(number(right, span)) }, span)
}

/// `a; b`, flat.
fn sequence(list: Vec<Expr>, span: Span) -> Expr {
    let mut flat = Vec::new();
    for part in list {
        match part.kind {
            ExprKind::Sequence(parts) => flat.extend(parts),
            _ => flat.push(part),
        }
    }
    match flat.len() {
        1 => flat.remove(0),
        _ => made(ExprKind::Sequence(flat), span),
    }
}
