//! Which registers are live where, as a least fixpoint, and what questions about all states see.

use serval_tso_program::{Address, Expr, Inner, Observed, Op, Program, Question, RegisterId};

use crate::footprints::Footprints;

/// What questions about all states see of a thread.
pub(crate) struct QuestionView {
    pub(crate) points: Vec<bool>,
    /// As bits.
    pub(crate) registers: u64,
}

/// What is known of a program before it is searched.
pub(crate) struct ProgramAnalysis {
    /// For each thread and point the live registers, as bits.
    pub(crate) live: Vec<Vec<u64>>,
    pub(crate) seen: Vec<QuestionView>,
    /// What steps access.
    pub(crate) footprints: Footprints,
}

impl ProgramAnalysis {
    /// For these questions.
    pub(crate) fn new(program: &Program, questions: &[Question]) -> Self {
        let seen_of = |thread: &serval_tso_program::Thread| QuestionView { points: vec![false; thread.code.len()], registers: 0 };
        let mut seen: Vec<QuestionView> = program.threads.iter().map(seen_of).collect();
        let mut at_end = vec![0_u64; program.threads.len()];
        for question in questions {
            question.condition.atoms(&mut |atom| match atom {
                Observed::At(thread, point) if !question.asked.is_final() => seen[thread.index()].points[point.index()] = true,
                Observed::Register(thread, register) if question.asked.is_final() => at_end[thread.index()] |= 1 << register.0,
                Observed::Register(thread, register) => seen[thread.index()].registers |= 1 << register.0,
                Observed::At(..) | Observed::Cell(_) => {}
            });
        }
        let live =
            program.threads.iter().zip(&seen).zip(at_end).map(|((thread, seen), end)| fixpoint(thread, seen.registers, end)).collect();
        Self { live, seen, footprints: Footprints::new(program) }
    }
}

fn fixpoint(thread: &serval_tso_program::Thread, everywhere: u64, end: u64) -> Vec<u64> {
    let mut live = vec![everywhere; thread.code.len()];
    live[thread.end().index()] |= end;
    loop {
        let mut changed = false;
        for (point, node) in thread.code.iter().enumerate().rev() {
            let (mut used, mut assigned) = (0, 0);
            let mut after = live[node.next.index()];
            match &node.op {
                Op::End => after = 0,
                Op::Skip | Op::Fence => {}
                Op::Local(register, expr) => {
                    used = used_by(expr);
                    assigned = 1 << register.0;
                }
                Op::Branch(condition, no) => {
                    used = used_by(condition);
                    after |= live[no.index()];
                }
                Op::Either(other) => after |= live[other.index()],
                Op::Assume(condition) | Op::Assert(condition) => used = used_by(condition),
                Op::Store(address, expr) => used = used_by(expr) | used_by_address(address),
                Op::Load(register, address) => {
                    used = used_by_address(address);
                    assigned = 1 << register.0;
                }
                Op::Atomic(parts) => (used, assigned) = of_parts(parts),
            }
            let now = live[point] | used | (after & !assigned);
            changed |= now != live[point];
            live[point] = now;
        }
        if !changed {
            return live;
        }
    }
}

fn used_by(expr: &Expr<RegisterId>) -> u64 {
    let mut bits = 0;
    expr.atoms(&mut |register| bits |= 1 << register.0);
    bits
}

fn used_by_address(address: &Address) -> u64 {
    address.index.as_ref().map_or(0, |(_, index)| used_by(index))
}

/// What the parts of a locked step use, and what they assign in any case.
fn of_parts(parts: &[Inner]) -> (u64, u64) {
    let (mut used, mut assigned) = (0, 0);
    for part in parts {
        let (more, also) = match part {
            Inner::Local(register, expr) => (used_by(expr), 1 << register.0),
            Inner::Assume(expr) => (used_by(expr), 0),
            Inner::Store(address, expr) => (used_by(expr) | used_by_address(address), 0),
            Inner::Load(register, address) => (used_by_address(address), 1 << register.0),
            Inner::Locked(_, register, address, operands) => {
                let used = operands.iter().fold(used_by_address(address), |bits, operand| bits | used_by(operand));
                (used, register.map_or(0, |register| 1 << register.0))
            }
            Inner::If(condition, yes, no) => {
                let ((one, first), (two, second)) = (of_parts(yes), of_parts(no));
                (used_by(condition) | one | two, first & second)
            }
        };
        used |= more;
        assigned |= also;
    }
    (used, assigned)
}
