//! The program with more fences.

use crate::program::{ControlPoint, Observed, Op, Point, Program, Thread, ThreadId};
use crate::value::Expr;

/// A place for a fence: before the step from this point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FencePlace {
    /// The thread.
    pub thread: ThreadId,
    /// The point.
    pub point: Point,
}

impl Program {
    /// The same program with a fence at each of these places, which ascend. Every way to the point, from wherever,
    /// passes the fence first; `T@label` means the point behind the fence. Places that there are not are left out.
    #[must_use]
    pub fn with_fences(&self, places: &[FencePlace]) -> Self {
        let mut program = self.clone();
        // For each thread and old point, the new point of the node and the point where one comes to it.
        let mut moved: Vec<Vec<(Point, Point)>> = Vec::new();
        for (thread, number) in program.threads.iter_mut().zip(0..) {
            let mut map = Vec::new();
            let mut at = 0;
            for old in 0..thread.code.len() {
                let fenced = places.contains(&FencePlace { thread: ThreadId(number), point: Point::new(old) });
                map.push((Point::new(at + usize::from(fenced)), Point::new(at)));
                at += 1 + usize::from(fenced);
            }
            put(thread, &map);
            moved.push(map);
        }
        for question in &mut program.questions {
            question.condition = renamed(&question.condition, &moved);
        }
        program
    }
}

fn put(thread: &mut Thread, map: &[(Point, Point)]) {
    let entry = |point: Point| map.get(point.index()).map_or(point, |&(_, entry)| entry);
    let (mut code, mut spans) = (Vec::new(), Vec::new());
    for ((node, span), &(own, first)) in thread.code.iter().zip(&thread.spans).zip(map) {
        if own != first {
            code.push(ControlPoint { op: Op::Fence, next: own });
            spans.push(*span);
        }
        let op = match &node.op {
            Op::Branch(condition, no) => Op::Branch(condition.clone(), entry(*no)),
            Op::Either(other) => Op::Either(entry(*other)),
            other => other.clone(),
        };
        // The node of the end goes to itself.
        let next = if op == Op::End { own } else { entry(node.next) };
        code.push(ControlPoint { op, next });
        spans.push(*span);
    }
    for (_, point) in &mut thread.labels {
        *point = map.get(point.index()).map_or(*point, |&(own, _)| own);
    }
    (thread.code, thread.spans) = (code, spans);
}

fn renamed(condition: &Expr<Observed>, moved: &[Vec<(Point, Point)>]) -> Expr<Observed> {
    let again = |inner: &Expr<Observed>| Box::new(renamed(inner, moved));
    match condition {
        Expr::Atom(Observed::At(thread, point)) => {
            let own = moved.get(thread.index()).and_then(|map| map.get(point.index())).map_or(*point, |&(own, _)| own);
            Expr::Atom(Observed::At(*thread, own))
        }
        Expr::Number(_) | Expr::Atom(_) => condition.clone(),
        Expr::Not(inner) => Expr::Not(again(inner)),
        Expr::Negate(inner) => Expr::Negate(again(inner)),
        Expr::Binary(op, left, right) => Expr::Binary(*op, again(left), again(right)),
    }
}
