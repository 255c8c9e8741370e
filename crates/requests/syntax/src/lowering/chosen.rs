//! Choices among many values that a request makes when it begins, for proofs on the text.
//!
//! `choose(1..1000)` is a thousand ways on. Where a value is only stored, compared or answered, all of them are
//! alike, and a proof needs one: the value is an unknown constant of the request, as a parameter is. So from a
//! program `P` another one `Q` is made, in which such a choice reads a hidden parameter of its request, of the same
//! range, and of its own.
//!
//! **Statement.** If each hidden parameter is read at one place at most, is not assigned to, and this place is in no
//! loop, then `P` and `Q` have the same complete runs, step by step, the same serial ones among them, and a run of
//! one comes to an error if and only if one of the other does.
//!
//! **Proof.** Evaluation comes to a place in no loop at most once in a request: the forms of the core other than
//! loops evaluate each of their parts at most once. Take a run of `P`. A request in it that has come to a choice has
//! chosen a value `v`; let the one in `Q` begin with `v` in the hidden parameter of that place, and with any value of
//! the range, which is not empty, in those of places to which it does not come. It makes the same steps: what is
//! evaluated before the place does not read the parameter, the place has the value `v`, and so has what comes after
//! it. Conversely a request of `Q` is one of `P` that chooses what its parameters say. The names of requests are
//! those of the text, hidden parameters are no part of them, so answers are the same. A step of `P` in which no
//! choice lets the request go on is none in `Q` whatever it begins with; one that waits for its value in `Q` may have
//! gone on with another one in `P`, and is a run of `P` that is not complete. Errors are steps as well, with what is
//! chosen on the way to them. ∎
//!
//! *Needed*: in a loop a request may choose twice, and differently; a value that is read at two places may be two
//! choices of `P`. The order in time stays, since the same steps are made.

use super::Lowering;
use super::convenience::read;
use super::declared::Interval;
use crate::program::{Expr, ExprKind, LocalVar, Param, Variable};
use serval_diagnostic::Span;

/// Fewer values are written out: each may matter by itself, and they are soon looked at.
const MANY: i64 = 9;

impl Lowering<'_> {
    /// A value of a range that is chosen when the request begins, if it may be.
    pub(super) fn chosen_at_first(&mut self, interval: &Interval, place: Span) -> Option<Expr> {
        let many = interval.high.checked_sub(interval.low).is_some_and(|more| more >= MANY - 1);
        if !self.declared.reading.choices || self.repeated > 0 || !many {
            return None;
        }
        let Variable::Local(local) = self.hidden(place) else { return None };
        self.locals.usage_mut(local.0).param = true;
        self.chosen.push(Param { local, low: interval.low, high: interval.high });
        Some(read(Variable::Local(local), place))
    }
}

/// Whether a body comes to each of these at most once and leaves them as they are.
pub(crate) fn are_chosen_once(chosen: &[Param], body: &Expr) -> bool {
    let (mut reads, mut bad) = (Vec::new(), false);
    body.visit(&mut |part| match &part.kind {
        ExprKind::Read(Variable::Local(local)) => reads.push(*local),
        ExprKind::Assign { target: Variable::Local(local), .. } => bad |= is_one(chosen, *local),
        ExprKind::While { condition, body } => {
            let is_read = |part: &Expr| matches!(part.kind, ExprKind::Read(Variable::Local(local)) if is_one(chosen, local));
            let mut inside = |part: &Expr| bad |= is_read(part);
            condition.visit(&mut inside);
            body.visit(&mut inside);
        }
        _ => {}
    });
    !bad && chosen.iter().all(|param| reads.iter().filter(|&&local| local == param.local).count() <= 1)
}

fn is_one(chosen: &[Param], local: LocalVar) -> bool {
    chosen.iter().any(|param| param.local == local)
}
