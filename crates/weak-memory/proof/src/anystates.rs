//! Safety of parameterised programs under sequential consistency (Lamport 1979), by counter abstraction (Pnueli, Xu,
//! Zuck 2002): what cannot be reached, whatever the number of copies.
//!
//! A question about a `thread*` is about some copy of it. The *core* is the program of the threads that are one each
//! and of one copy of each `thread*`, of which the questions speak. A *configuration* is a state of the core, and how
//! many further copies there are at each place: a `thread*`, a point and values of its registers. A number may be ω.
//! Steps and the order *below* are as in [`crate::any`].
//!
//! **Rule.** A list of well-formed configurations (`tso.states.shape`), such that
//!
//! 1. the one with the initial state of the core, and ω copies of every `thread*` at its beginning, is below a member
//!    (`tso.states.initial`);
//! 2. what a step leads to from a member, of a thread of the core or of a copy, with dead registers forgotten
//!    ([`crate::live`]), is below a member (`tso.states.closed`);
//! 3. no such step faults (`tso.states.fault`);
//! 4. no core of a member is one that the question looks for (`tso.states.question`).
//!
//! **Theorem.** With any number of copies, at least one, of each `thread*`, and whichever copies the question is taken
//! to speak of, no state that it looks for can be reached under sequential consistency, and no step that leaves the
//! range of values.
//!
//! **Proof.** Copies are alike, so let those that are spoken of be the ones of the core. By induction on the run, the
//! state of the core, and the states of all other copies counted by places, are below a member, as in the proof of
//! [`crate::any`]; no step is urgent. Whether a question about all states looks for a state depends on the core alone.
//! One about final states looks only for states in which all threads have ended, and then those of the core have. So
//! the core of some member were one that the question looks for. ∎

use std::rc::Rc;

use serde::{Deserialize, Serialize};
use serval_budget::Budget;
use serval_evidence::require;
use serval_tso_program::{Point, Program, Question, ThreadId};

use crate::Refusal;
use crate::any::{At, Configuration, Copies, Members, copies_of, moved};
use crate::live::Live;
use crate::state::{Local, Model, State};
use crate::states::successors;
use crate::urgent::QuestionView;

/// A closed list of configurations under sequential consistency.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct AnyStates {
    /// The live registers of each thread at each point, as bits.
    pub live: Vec<Vec<u64>>,
    /// The configurations; a copy has the numbers of its point and of its registers.
    pub configurations: Vec<Configuration>,
}

serval_evidence::objects!(AnyStates);

/// The live registers of the core, and of it with one more copy.
fn live_of(program: &Program, live: &[Vec<u64>], more: Option<ThreadId>) -> Vec<Vec<u64>> {
    let fixed = program.threads.iter().zip(live).filter(|(thread, _)| !thread.many).map(|(_, sets)| sets.clone());
    fixed.chain(program.many().into_iter().chain(more).filter_map(|id| live.get(id.index()).cloned())).collect()
}

/// Puts a copy behind the threads of a state.
pub(crate) fn joined(core: &State, (_, numbers): &At) -> Option<State> {
    let mut state = core.clone();
    let (point, registers) = numbers.split_first()?;
    state.locals.push(Local { point: Point(u32::try_from(*point).ok()?), registers: registers.to_vec() });
    state.buffers.push(Vec::new());
    Some(state)
}

/// Takes the last thread of a state out again.
pub(crate) fn parted(mut state: State, kind: u32) -> Option<(State, At)> {
    let local = state.locals.pop()?;
    state.buffers.pop();
    let mut numbers = vec![i64::from(local.point.0)];
    numbers.extend(local.registers);
    Some((state, (kind, numbers)))
}

/// Checks that the list is closed, and that these questions look for none of its members.
pub(crate) fn check(program: &Program, list: &AnyStates, questions: &[usize], budget: &mut Budget) -> Result<(), Refusal> {
    let core = program.observed_with(None);
    let asked: Vec<&Question> = core.questions.iter().collect();
    let all: Vec<&Question> = program.questions.iter().collect();
    // That there is a set for each point of each thread is seen here, before any are put together.
    Live::new(program, &all, &list.live)?;
    let sets = live_of(program, &list.live, None);
    let live = Live::new(&core, &asked, &sets)?;
    let mut members = Members::default();
    let mut read = Vec::new();
    for (number, configuration) in list.configurations.iter().enumerate() {
        budget.spend(u64::try_from(configuration.core.len() + configuration.copies.len()).unwrap_or(u64::MAX))?;
        let decoded = State::decode(&core, Model::Sc, &configuration.core).filter(|(_, rest)| rest.is_empty());
        let decoded = decoded.zip(copies_of(program, configuration, false));
        require!(StatesShape, decoded.is_some(), "configuration {number} is not well formed");
        let Some(((state, _), copies)) = decoded else { continue };
        for &question in questions {
            let sought = core.questions.get(question).map(|question| state.is_sought(&core, question));
            require!(StatesQuestion, sought == Some(Some(false)), "configuration {number} is one that question {question} looks for");
        }
        read.push((state, members.add(&configuration.core, copies)));
    }
    let at_start = |id: &ThreadId| ((id.0, vec![0; program.threads[id.index()].registers.len() + 1]), None);
    let beginning: Rc<Copies> = Rc::new(program.many().iter().map(at_start).collect());
    let begins = members.has_above(&State::initial(&core).encode(Model::Sc), &beginning);
    require!(StatesInitial, begins, "the beginning is below no configuration");
    let with_one = |id: &ThreadId| (id.0, program.observed_with(Some(*id)), live_of(program, &list.live, Some(*id)));
    let kinds: Vec<(u32, Program, Vec<Vec<u64>>)> = program.many().iter().map(with_one).collect();
    let mut with_copy = Vec::new();
    for (kind, joint, sets) in &kinds {
        let asked: Vec<&Question> = joint.questions.iter().collect();
        with_copy.push((*kind, joint, Live::new(joint, &asked, sets)?, QuestionView::everything(joint)));
    }
    let all_seen = QuestionView::everything(&core);
    for (state, copies) in &read {
        budget.spend(u64::try_from((copies.len() + 1) * state.encode(Model::Sc).len()).unwrap_or(u64::MAX))?;
        let after = successors(&core, Model::Sc, state, &live, &all_seen, None);
        check_after(&members, after.map(|after| after.into_iter().map(|(_, after)| (after, Rc::clone(copies))).collect()))?;
        for at in copies.keys() {
            let Some((kind, joint, live, seen)) = with_copy.iter().find(|(kind, ..)| *kind == at.0) else { continue };
            let Some(both) = joined(state, at) else { continue };
            let slot = joint.threads.len() - 1;
            let after = successors(joint, Model::Sc, &both, live, seen, None).map(|after| {
                let own = after.into_iter().filter(|(thread, _)| *thread == slot).filter_map(|(_, after)| parted(after, *kind));
                own.map(|(after, to)| (after, moved(copies, at, to))).collect()
            });
            check_after(&members, after)?;
        }
    }
    Ok(())
}

/// Checks that everything that follows is below a member.
fn check_after(members: &Members, after: Result<Vec<(State, Rc<Copies>)>, usize>) -> Result<(), Refusal> {
    require!(StatesFault, after.is_ok(), "a step from a configuration leaves the range of values");
    for (state, copies) in after.unwrap_or_default() {
        let is_in = members.has_above(&state.encode(Model::Sc), &copies);
        require!(StatesClosed, is_in, "a step leads to what is below no configuration");
    }
    Ok(())
}
