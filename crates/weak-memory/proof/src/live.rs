//! Liveness of registers: values of dead registers are forgotten.
//!
//! For every thread and control point there is a set of *live* registers, as the bits of a number. States of lists have
//! 0 in all others. Call two states *alike* if they differ at most in registers that are not live where their threads
//! are.
//!
//! **Lemma.** Let
//!
//! 1. for every step from a point `p` to a point `q`, everything that the step reads be live at `p` (`tso.live.uses`);
//! 2. everything live at `q` that the step does not assign be live at `p` (`tso.live.flow`).
//!
//! Then alike states have the same steps, with the same accesses and the same faults, which lead to alike states. If
//! moreover
//!
//! 3. what questions about all states speak of is live everywhere, and what questions about final states speak of is
//!    live at the ends (`tso.live.question`),
//!
//! then alike states are sought by the same questions.
//!
//! **Proof.** What a step does, and whether it can be made, depends on memory, buffers and what it reads, which are the
//! same. Afterwards a register that is live at `q` was assigned, the same value in both, or it was live at `p` and is
//! what it was. A question speaks only of what is live, of points and of memory. ∎
//!
//! So a list that holds, with each state, the states after its steps *with dead registers set to 0*, has a state alike
//! to every reachable one. The checker does not compute which registers are live: the evidence says it. It need not be
//! the smallest set.

use serval_evidence::require;
use serval_tso_program::{Address, ControlPoint, Expr, Inner, Observed, Op, Point, Program, Question, RegisterId};

use crate::Refusal;
use crate::state::{Local, State};

/// The live registers of each thread at each point.
pub(crate) struct Live<'l> {
    sets: &'l [Vec<u64>],
}

fn bit(register: RegisterId) -> u64 {
    1 << register.0.min(63)
}

fn read_by(expr: &Expr<RegisterId>) -> u64 {
    let mut bits = 0;
    expr.atoms(&mut |register| bits |= bit(register));
    bits
}

fn read_by_address(address: &Address) -> u64 {
    address.index.as_ref().map_or(0, |(_, index)| read_by(index))
}

/// What the parts of a locked step read; more than that if they read what they have assigned themselves.
fn read_by_parts(parts: &[Inner]) -> u64 {
    let of = |part: &Inner| match part {
        Inner::Local(_, value) | Inner::Assume(value) => read_by(value),
        Inner::Store(address, value) => read_by_address(address) | read_by(value),
        Inner::Load(_, address) => read_by_address(address),
        Inner::Locked(_, _, address, operands) => operands.iter().fold(read_by_address(address), |bits, operand| bits | read_by(operand)),
        Inner::If(condition, yes, no) => read_by(condition) | read_by_parts(yes) | read_by_parts(no),
    };
    parts.iter().fold(0, |bits, part| bits | of(part))
}

/// What the parts assign in any case.
fn assigned_by_parts(parts: &[Inner]) -> u64 {
    let of = |part: &Inner| match part {
        Inner::Local(register, _) | Inner::Load(register, _) | Inner::Locked(_, Some(register), ..) => bit(*register),
        Inner::If(_, yes, no) => assigned_by_parts(yes) & assigned_by_parts(no),
        Inner::Locked(_, None, ..) | Inner::Assume(_) | Inner::Store(..) => 0,
    };
    parts.iter().fold(0, |bits, part| bits | of(part))
}

/// What a step reads, what it assigns in any case, and where it may lead.
fn flow(node: &ControlPoint) -> (u64, u64, Vec<Point>) {
    let next = vec![node.next];
    match &node.op {
        Op::End => (0, 0, Vec::new()),
        Op::Skip | Op::Fence => (0, 0, next),
        Op::Local(register, value) => (read_by(value), bit(*register), next),
        Op::Branch(condition, otherwise) => (read_by(condition), 0, vec![node.next, *otherwise]),
        Op::Either(other) => (0, 0, vec![node.next, *other]),
        Op::Assume(condition) | Op::Assert(condition) => (read_by(condition), 0, next),
        Op::Store(address, value) => (read_by_address(address) | read_by(value), 0, next),
        Op::Load(register, address) => (read_by_address(address), bit(*register), next),
        Op::Atomic(parts) => (read_by_parts(parts), assigned_by_parts(parts), next),
    }
}

impl<'l> Live<'l> {
    /// The sets, if they are as they must be for these questions.
    pub(crate) fn new(program: &Program, questions: &[&Question], sets: &'l [Vec<u64>]) -> Result<Self, Refusal> {
        let fits =
            sets.len() == program.threads.len() && sets.iter().zip(&program.threads).all(|(sets, thread)| sets.len() == thread.code.len());
        require!(LiveShape, fits, "the sets of live registers are not one for each point");
        let at = |thread: usize, point: usize| sets.get(thread).and_then(|sets| sets.get(point)).copied().unwrap_or(u64::MAX);
        for (number, thread) in program.threads.iter().enumerate() {
            for (point, node) in thread.code.iter().enumerate() {
                let (reads, assigns, next) = flow(node);
                let here = at(number, point);
                require!(LiveUses, reads & !here == 0, "{} reads a register at point {point} that is not live there", thread.name);
                let after = next.iter().fold(0, |bits, next| bits | at(number, next.index()));
                require!(LiveFlow, after & !assigns & !here == 0, "a register of {} becomes live behind point {point}", thread.name);
            }
        }
        for question in questions {
            let mut spoken = vec![0_u64; program.threads.len()];
            question.condition.atoms(&mut |atom| {
                if let Observed::Register(thread, register) = atom {
                    spoken[thread.index()] |= bit(register);
                }
            });
            for (number, (thread, spoken)) in program.threads.iter().zip(spoken).enumerate() {
                let first = if question.asked.is_final() { thread.end().index() } else { 0 };
                let live = (first..thread.code.len()).all(|point| spoken & !at(number, point) == 0);
                require!(LiveQuestion, live, "a question speaks of a register of {} that is not live", thread.name);
            }
        }
        Ok(Self { sets })
    }

    /// The sets, whether or not they are right.
    #[cfg(test)]
    pub(crate) fn unchecked(sets: &'l [Vec<u64>]) -> Self {
        Self { sets }
    }

    /// Sets the dead registers of all threads to 0.
    pub(crate) fn forget(&self, state: &mut State) {
        state.locals.iter_mut().enumerate().for_each(|(thread, local)| self.forget_in(thread, local));
    }

    /// Sets the dead registers of one thread to 0.
    pub(crate) fn forget_in(&self, thread: usize, local: &mut Local) {
        let live = self.sets.get(thread).and_then(|sets| sets.get(local.point.index())).copied().unwrap_or(u64::MAX);
        for (number, register) in local.registers.iter_mut().enumerate() {
            if live & bit(RegisterId::new(number)) == 0 {
                *register = 0;
            }
        }
    }
}
