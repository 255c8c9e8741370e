//! Partial-order reduction (Godefroid 1996) by invisible steps: steps that no other thread sees come first.
//!
//! A step of a thread that can be made is
//!
//! - *quiet* if it is local or a fence, or with store buffers a store, which goes to the thread's own buffer;
//! - *urgent* if it is quiet, leads to a point with a greater number, and no question about all states speaks of either
//!   of the two points or of the register that it assigns.
//!
//! Where some thread has an urgent step, a list needs to hold only the state after that step, of the first such thread.
//!
//! **Lemma.** Let a list be closed in this sense. If a state that a question seeks can be reached from a state of the
//! list, then the list has a state that the question seeks (up to dead registers).
//!
//! **Proof.** By induction on the length of the shortest such run `w` from a state `s` of the list, and for equal
//! lengths on the numbers of the points, from above.
//!
//! - If `w` is empty, `s` itself is sought.
//! - If `s` has no urgent step, the list holds the state after the first step of `w`, from which the run is shorter.
//! - Otherwise let `t` be the first thread with an urgent step, to `s'`. The step reads and writes only registers of
//!   `t` and the newer end of its buffer, so that it commutes with every step of another thread and with stores that
//!   land, those of `t` too, for these come from the older end. It can be made as long as `t` has not moved, a fence
//!   because the buffer of `t` is empty and stays so.
//!   - If `t` moves in `w`, its first step there is this one; made first, it leads to `s'`, from where the rest of `w`
//!     leads to the same end, and is shorter.
//!   - If `t` does not move in `w`, the question is about all states, for in a final state `t` would be at its end,
//!     where there is no step. Then `w` can be made from `s'` and leads to a state that differs from the end of `w` in
//!     the point of `t`, one register and one store that waits, of which the question does not speak, so it is sought
//!     as well. This run is as long as `w`, but the point of `t` has a greater number, which happens only finitely
//!     often. ∎
//!
//! A load that the own buffer answers is not quiet: before it the store that it reads may land, and behind that a store
//! of another thread to the same cell, which it would read then. Only where no other thread writes the cell any more it
//! comes first, by [`crate::persistent`].
//!
//! **Attacks** ([`crate::robust`]). In the search for attacks no question is asked, and a violation does not depend on
//! points and registers.
//!
//! - While the attacker has not made its last load, every thread may be urgent; afterwards only helpers may: the others
//!   and the attacker stand still.
//! - Of the attacker's steps in mode 1 those are quiet, too, that no other thread sees or changes: a store, which is
//!   kept, and a load of what is kept; a fence cannot be made.
//!
//! The proof is the same: a thread that is no helper and whose next step is local does not become a helper before it
//! has made this step, and the attacker does not make its last load before that.

use serval_tso_program::{Observed, Op, Program, Question};

use crate::state::Local;
use crate::step::Step;

/// What questions about all states speak of.
pub(crate) struct QuestionView {
    /// Of each thread, by point.
    points: Vec<Vec<bool>>,
    /// Of each thread, by register.
    registers: Vec<Vec<bool>>,
    /// Whether they speak of memory, which no text can do.
    memory: bool,
}

impl QuestionView {
    pub(crate) fn new(program: &Program, questions: &[&Question]) -> Self {
        let mut seen = Self {
            points: program.threads.iter().map(|thread| vec![false; thread.code.len()]).collect(),
            registers: program.threads.iter().map(|thread| vec![false; thread.registers.len()]).collect(),
            memory: false,
        };
        for question in questions.iter().filter(|question| !question.asked.is_final()) {
            question.condition.atoms(&mut |atom| match atom {
                Observed::At(thread, point) => seen.points[thread.index()][point.index()] = true,
                Observed::Register(thread, register) => seen.registers[thread.index()][register.index()] = true,
                Observed::Cell(_) => seen.memory = true,
            });
        }
        seen
    }

    /// As if everything were spoken of, so that nothing is urgent.
    pub(crate) fn everything(program: &Program) -> Self {
        Self {
            points: program.threads.iter().map(|thread| vec![true; thread.code.len()]).collect(),
            registers: program.threads.iter().map(|thread| vec![true; thread.registers.len()]).collect(),
            memory: true,
        }
    }

    /// Whether memory may change without that a question sees it.
    pub(crate) fn is_memory_unseen(&self) -> bool {
        !self.memory
    }

    /// Whether a step from a place leads forward, and no question sees its points and its register: a quiet one is
    /// urgent then.
    pub(crate) fn is_unseen(&self, program: &Program, thread: usize, from: &Local, step: &Step) -> bool {
        let registers = &self.registers[thread];
        let assigns_seen = match &program.threads[thread].code[from.point.index()].op {
            Op::Local(register, _) | Op::Load(register, _) => registers[register.index()],
            // It may assign any.
            Op::Atomic(_) => registers.contains(&true),
            // The thread has another step.
            Op::Either(_) => return false,
            _ => false,
        };
        let points = &self.points[thread];
        step.local.point > from.point && !points[from.point.index()] && !points[step.local.point.index()] && !assigns_seen
    }
}
