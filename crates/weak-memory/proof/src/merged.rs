//! Merged stores: an abstraction of x86-TSO (Owens, Sarkar, Sewell 2009) in which runs of equal stores in an unbounded
//! buffer are one.
//!
//! A thread that stores the same value again and again, as in a loop that tries until it succeeds, fills its buffer
//! with equal stores. A *merged state* is one in which an entry of a buffer may be *repeated*: it stands for two or
//! more equal stores in a row. It *covers* a state with store buffers that is the same, but for each repeated entry it
//! has two or more of these stores, and for each other entry one.
//!
//! | step | of a merged state |
//! |---|---|
//! | store | if the newest entry is the same cell and value, it becomes repeated; else there is a new entry |
//! | a store lands | if the oldest entry is not repeated, it goes; if it is, it stays, as repeated or not |
//! | all others | as with store buffers |
//!
//! **Lemma.** If a merged state covers a state, then for each step of the state there is one of the merged state that
//! leads to what covers the state afterwards.
//!
//! **Proof.** A store lengthens the last row of equal stores, which has two or more then, or begins a row of one.
//! Landing shortens the first row: of a row of one nothing is left; of a longer one two or more stores, or one. A load
//! reads the newest store to the cell, which is of the last entry with the cell. A buffer is empty iff the merged one
//! is. ∎
//!
//! **Rule.** A list of merged states that is closed under these steps, as in [`crate::states`], with the same
//! conditions (there is no other than those there). In a list, for each thread: how many entries there are, and of each
//! the cell, the value and 1 if it is repeated.
//!
//! **Theorem.** No state that the question seeks can be reached with store buffers, and no step that leaves the range.
//!
//! **Proof.** As in [`crate::states`], but by induction on runs with store buffers from a state `s` that a member
//! covers, instead of from the member itself.
//!
//! - Each thread has the same next step in both, and stores to the same cells wait in the same order: so the same steps
//!   are urgent, the leading set is the same, and the proofs about them are about runs from `s` alone.
//! - With the lemma the list has what covers the state after a step, up to dead registers and the order of threads that
//!   are alike.
//! - A question seeks a state iff it seeks what covers it, for it speaks of points, registers and, where all buffers
//!   are empty, of memory.
//! - What fault there is depends on what a thread reads, which is the same. ∎

use serval_budget::Budget;
use serval_evidence::require;
use serval_tso_program::{Program, Question};

use crate::Refusal;
use crate::alike::{Symmetry, rearrange, taken};
use crate::live::Live;
use crate::persistent::Persistent;
use crate::state::{Model, State};
use crate::states::{Listed, States};
use crate::step::{Access, Next, WAYS};
use crate::urgent::QuestionView;

/// A merged state: a state whose buffers have the entries, and which of them are repeated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Merged {
    pub(crate) state: State,
    repeated: Vec<Vec<bool>>,
}

impl Merged {
    pub(crate) fn initial(program: &Program) -> Self {
        Self { state: State::initial(program), repeated: vec![Vec::new(); program.threads.len()] }
    }

    pub(crate) fn encode(&self) -> Vec<i64> {
        let mut numbers = self.state.encode(Model::Sc);
        for (buffer, repeated) in self.state.buffers.iter().zip(&self.repeated) {
            numbers.push(i64::try_from(buffer.len()).unwrap_or(i64::MAX));
            let entries = buffer.iter().zip(repeated);
            numbers.extend(entries.flat_map(|((cell, value), repeated)| [i64::from(cell.0), *value, i64::from(*repeated)]));
        }
        numbers
    }

    fn decode(program: &Program, numbers: &[i64]) -> Option<Self> {
        let (mut state, mut rest) = State::decode(program, Model::Sc, numbers)?;
        let mut repeated = vec![Vec::new(); program.threads.len()];
        for (buffer, repeated) in state.buffers.iter_mut().zip(&mut repeated) {
            let (&[length], behind) = rest.split_first_chunk::<1>()?;
            rest = behind;
            for _ in 0..length {
                let (&[cell, value, often], behind) = rest.split_first_chunk::<3>()?;
                rest = behind;
                let cell = u32::try_from(cell).ok().map(serval_tso_program::CellId).filter(|cell| cell.index() < program.cells.len())?;
                buffer.push((cell, value));
                repeated.push(often != 0);
            }
        }
        let merged = Self { state, repeated };
        // Whatever the numbers mean, they are the numbers of what they mean.
        (rest.is_empty() && merged.encode() == numbers).then_some(merged)
    }

    /// Changes the places of threads that are alike, so that what they have ascends.
    pub(crate) fn sort(&mut self, alike: &Symmetry) {
        if alike.is_empty() {
            return;
        }
        let has = |thread: usize| (&self.state.locals[thread], &self.state.buffers[thread], &self.repeated[thread]);
        let order = alike.order(self.repeated.len(), |one, other| has(one).cmp(&has(other)));
        rearrange(&mut self.state, &order);
        self.repeated = taken(&self.repeated, &order);
    }

    /// What landing leads to.
    fn landed(&self, thread: usize) -> Vec<Self> {
        let Some(&first) = self.repeated[thread].first() else { return Vec::new() };
        let mut after = self.clone();
        let (cell, value) = self.state.buffers[thread][0];
        after.state.memory[cell.index()] = value;
        if first {
            let mut one = after.clone();
            one.repeated[thread][0] = false;
            return vec![after, one];
        }
        after.state.buffers[thread].remove(0);
        after.repeated[thread].remove(0);
        vec![after]
    }
}

/// What a list must hold with a merged state. The error is a thread whose step faults.
pub(crate) fn successors(
    program: &Program,
    merged: &Merged,
    live: &Live<'_>,
    seen: &QuestionView,
    persistent: &Persistent,
) -> Result<Vec<Merged>, usize> {
    let mut list = Vec::new();
    let mut keys = vec![false; program.threads.len()];
    for (thread, way) in (0..program.threads.len()).flat_map(|thread| WAYS.map(|way| (thread, way))) {
        let step = match merged.state.next(program, Model::Tso, thread, way) {
            Next::Nothing => continue,
            Next::Fault => return Err(thread),
            Next::Step(step) => step,
        };
        let mut after = merged.clone();
        match &step.access {
            Access::Store(cell, value) if merged.state.buffers[thread].last() == Some(&(*cell, *value)) => {
                after.state.locals[thread] = step.local.clone();
                after.repeated[thread].pop();
                after.repeated[thread].push(true);
            }
            _ => {
                after.state.go(Model::Tso, thread, &step);
                after.repeated[thread].resize(after.state.buffers[thread].len(), false);
            }
        }
        live.forget(&mut after.state);
        let is_unseen = seen.is_unseen(program, thread, &merged.state.locals[thread], &step);
        if is_unseen && step.access.is_quiet(Model::Tso) {
            return Ok(vec![after]);
        }
        keys[thread] = is_unseen && (seen.is_memory_unseen() || !step.access.writes(Model::Tso));
        list.push((thread, after));
    }
    list.extend((0..program.threads.len()).flat_map(|thread| merged.landed(thread).into_iter().map(move |after| (thread, after))));
    let set = persistent.leading_in(program, Model::Tso, &merged.state, &keys, seen);
    Ok(list.into_iter().filter(|(thread, _)| set >> thread & 1 == 1).map(|(_, after)| after).collect())
}

/// Checks that the list is closed, and that these questions seek none of its states.
pub(crate) fn check(program: &Program, list: &States, questions: &[usize], budget: &mut Budget) -> Result<(), Refusal> {
    let asked: Vec<&Question> = program.questions.iter().collect();
    let live = Live::new(program, &asked, &list.live)?;
    let seen = QuestionView::new(program, &asked);
    let alike = Symmetry::new(program, &list.alike, questions)?;
    let persistent = Persistent::new(program);
    let mut listed = Listed::new(&list.states);
    let begins = listed.has(&Merged::initial(program).encode());
    require!(StatesInitial, begins, "the initial state is not in the list, or the list does not ascend");
    for (number, numbers) in list.states.iter().enumerate() {
        budget.spend(u64::try_from(numbers.len() * (1 + program.threads.len())).unwrap_or(u64::MAX))?;
        let Some(merged) = Merged::decode(program, &numbers) else {
            require!(StatesShape, false, "merged state {number} has not the numbers of a state");
            continue;
        };
        for &question in questions {
            let sought = program.questions.get(question).map(|question| merged.state.is_sought(program, question));
            require!(StatesQuestion, sought == Some(Some(false)), "merged state {number} is one that question {question} looks for");
        }
        let after = successors(program, &merged, &live, &seen, &persistent);
        require!(StatesFault, after.is_ok(), "a step from merged state {number} leaves the range of values");
        for mut after in after.unwrap_or_default() {
            after.sort(&alike);
            let is_in = listed.has(&after.encode());
            require!(StatesClosed, is_in, "a step leads from merged state {number} to one that is not in the list");
        }
    }
    Ok(())
}
