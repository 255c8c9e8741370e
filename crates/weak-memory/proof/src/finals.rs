//! Persistent-set search (Godefroid 1996) for final states: closed lists without every order of independent steps.
//!
//! [`crate::persistent`] says what threads access, and which accesses disturb each other. In a state, a set of threads
//! is *persistent* if with each thread it has every other thread that may yet access, from where it is, what the next
//! step of the one disturbs. The *chosen* set of a state is the smallest persistent set that is obtained from one
//! thread that has not ended, counting threads that have not ended; of several the one of the first such thread.
//!
//! **Rule.** A list of states under sequential consistency, ascending, and questions about final states
//! (`tso.finals.question`). It is as in [`crate::states`], with the same conditions, but with each state it needs to
//! have only the states after steps of the threads of the chosen set, and no step is urgent.
//!
//! **Theorem.** No final state that the question seeks can be reached, where a step that leaves the range of values
//! cannot be made.
//!
//! **Proof.** Suppose that from a state `s` of the list a run `w` leads to a final state that is sought; that is so for
//! the initial state if one can be reached. By induction on the length of `w` the list has a sought state, which it has
//! not.
//!
//! - If `w` is empty, `s` itself is sought.
//! - Else some thread has not ended, and there is a chosen set. One of its threads has not ended in `s`, and has at the
//!   end of `w`, so `w` is `u t v` where `t` is a step of a thread of the set and the steps of `u` are none of its
//!   threads'. Until then the thread has not moved, so `t` is a next step of it in `s`. The steps of `u` are of threads
//!   outside of the set, which do not access what `t` disturbs: so `u` writes nothing that `t` reads or writes, and `t`
//!   nothing that `u` reads or writes; whether `t` can be made, and what it does, is the same in `s`. Hence `t u v` is
//!   a run from `s` to the same end. The list has the state after `t`, up to dead registers ([`crate::live`]), and from
//!   there the run is shorter. ∎

use serval_budget::Budget;
use serval_evidence::require;
use serval_tso_program::{Program, Question};

use crate::Refusal;
use crate::alike::Symmetry;
use crate::live::Live;
use crate::persistent::{Persistent, closed};
use crate::state::{Model, State};
use crate::states::{Listed, States};
use crate::step::{Next, WAYS};

impl Persistent {
    /// The threads of the chosen set of a state, as bits; there are at most 64. Nothing where all threads have ended.
    pub(crate) fn chosen(&self, program: &Program, state: &State) -> u64 {
        let at = |thread: usize| state.locals[thread].point.index();
        let count = program.threads.len();
        let open = (0..count)
            .filter(|&thread| state.locals[thread].point != program.threads[thread].end())
            .fold(0, |bits, thread| bits | 1 << thread);
        let needs = |thread: usize| {
            let next = self.next[thread][at(thread)];
            let disturbed = |other: &usize| *other != thread && next.disturb(&self.later[*other][at(*other)]);
            (0..count).filter(disturbed).fold(1_u64 << thread, |bits, other| bits | 1 << other)
        };
        let needs: Vec<u64> = (0..count).map(needs).collect();
        let mut best = 0_u64;
        for first in (0..count).filter(|first| open >> first & 1 == 1) {
            let set = closed(&needs, first) & open;
            if best == 0 || set.count_ones() < best.count_ones() {
                best = set;
            }
        }
        best
    }
}

/// Checks that the list is closed in this sense, and that these questions seek none of its states.
pub(crate) fn check(program: &Program, list: &States, questions: &[usize], budget: &mut Budget) -> Result<(), Refusal> {
    let asked: Vec<&Question> = program.questions.iter().collect();
    let live = Live::new(program, &asked, &list.live)?;
    let persistent = Persistent::new(program);
    let alike = Symmetry::new(program, &list.alike, questions)?;
    for &question in questions {
        let is_final = program.questions.get(question).is_some_and(|question| question.asked.is_final());
        require!(FinalsQuestion, is_final, "question {question} is not about final states");
    }
    let mut listed = Listed::new(&list.states);
    let mut initial = State::initial(program);
    live.forget(&mut initial);
    require!(StatesInitial, listed.has(&initial.encode(Model::Sc)), "the initial state is not in the list, or the list does not ascend");
    for (number, numbers) in list.states.iter().enumerate() {
        budget.spend(u64::try_from(numbers.len() * (1 + program.threads.len())).unwrap_or(u64::MAX))?;
        let decoded = State::decode(program, Model::Sc, &numbers).filter(|(_, rest)| rest.is_empty());
        let Some((state, _)) = decoded else {
            require!(StatesShape, false, "state {number} has not the numbers of a state");
            continue;
        };
        for &question in questions {
            let sought = program.questions.get(question).map(|question| state.is_sought(program, question));
            require!(StatesQuestion, sought == Some(Some(false)), "state {number} is one that question {question} looks for");
        }
        let chosen = persistent.chosen(program, &state);
        let threads = (0..program.threads.len()).filter(|thread| chosen >> thread & 1 == 1);
        for (thread, way) in threads.flat_map(|thread| WAYS.map(|way| (thread, way))) {
            let next = state.next(program, Model::Sc, thread, way);
            let name = &program.threads[thread].name;
            require!(StatesFault, next != Next::Fault, "the step of {name} from state {number} leaves the range of values");
            let Next::Step(step) = next else { continue };
            let mut after = state.after(Model::Sc, thread, &step);
            live.forget(&mut after);
            alike.sort(&mut after);
            let is_in = listed.has(&after.encode(Model::Sc));
            require!(StatesClosed, is_in, "a step of {name} leads from state {number} to one that is not in the list");
        }
    }
    Ok(())
}
