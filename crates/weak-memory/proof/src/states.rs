//! Inductive sets of states: closed lists that show what cannot be reached.
//!
//! **Rule.** A list of states, ascending, of a program with a fixed number of threads, under sequential consistency or
//! with store buffers, such that
//!
//! 1. states are well formed (`tso.states.shape`);
//! 2. the list has the initial state (`tso.states.initial`);
//! 3. with each state it has the states after its steps (`tso.states.closed`), with dead registers forgotten
//!    ([`crate::live`]), urgent steps first ([`crate::urgent`]), then those of leading sets ([`crate::persistent`]),
//!    and threads that are alike in one order ([`crate::alike`]);
//! 4. no step of a state of the list leaves the range of values (`tso.states.fault`);
//! 5. no state of the list is sought by the question (`tso.states.question`).
//!
//! **Theorem.** No state that the question seeks can be reached, and no step that leaves the range.
//!
//! **Proof.** The initial state is in the list. With the lemmas of the modules, if a sought state could be reached, the
//! list had a sought one. A faulting step that can be reached is a step of its thread's registers and of what it reads;
//! follow the proof of the lemma on urgent steps with “some thread is about to make a faulting step” for “sought”:
//! urgent steps of other threads do not change that, and an urgent step is no faulting one. ∎
//!
//! With store buffers, steps include every landing of a store. The list is finite, so the buffers in it are bounded,
//! which is part of what it shows.

use serde::{Deserialize, Serialize};
use serval_budget::Budget;
use serval_evidence::{RowIndex, Rows, require};
use serval_tso_program::{Program, Question};

use crate::Refusal;
use crate::alike::Symmetry;
use crate::live::Live;
use crate::persistent::Persistent;
use crate::state::{Model, State};
use crate::step::{Next, WAYS};
use crate::urgent::QuestionView;

/// A closed list of states.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct States {
    /// The live registers of each thread at each point, as bits.
    pub live: Vec<Vec<u64>>,
    /// Groups of threads that are alike.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alike: Vec<Vec<usize>>,
    /// The states, ascending, as `state` says.
    pub states: Rows<i64>,
}

serval_evidence::objects!(States);

/// The states of a list, to be looked up.
pub(crate) struct Listed<'a> {
    states: &'a Rows<i64>,
    index: RowIndex,
}

impl<'a> Listed<'a> {
    /// Those of an ascending list; in a list that does not ascend none is found, and that is refused.
    pub(crate) fn new(states: &'a Rows<i64>) -> Self {
        let index = if states.ascends() { RowIndex::of(states) } else { RowIndex::default() };
        Self { states, index }
    }

    /// Whether a state is one of them.
    pub(crate) fn has(&mut self, numbers: &[i64]) -> bool {
        self.index.find(self.states, numbers).is_some()
    }
}

/// Checks that the list is closed, and which questions seek none of its states. All questions of the program may be
/// asked about the list.
pub(crate) fn check(program: &Program, model: Model, list: &States, questions: &[usize], budget: &mut Budget) -> Result<(), Refusal> {
    let asked: Vec<&Question> = program.questions.iter().collect();
    let live = Live::new(program, &asked, &list.live)?;
    let seen = QuestionView::new(program, &asked);
    let alike = Symmetry::new(program, &list.alike, questions)?;
    let persistent = Persistent::new(program);
    let mut listed = Listed::new(&list.states);
    let mut initial = State::initial(program);
    live.forget(&mut initial);
    require!(StatesInitial, listed.has(&initial.encode(model)), "the initial state is not in the list, or the list does not ascend");
    for (number, numbers) in list.states.iter().enumerate() {
        budget.spend(
            u64::try_from(numbers.len())
                .unwrap_or(u64::MAX)
                .saturating_mul(u64::try_from(program.threads.len()).unwrap_or(1).saturating_add(1)),
        )?;
        let decoded = State::decode(program, model, &numbers).filter(|(_, rest)| rest.is_empty());
        let Some((state, _)) = decoded else {
            require!(StatesShape, false, "state {number} has not the numbers of a state");
            continue;
        };
        for &question in questions {
            let sought = program.questions.get(question).map(|question| state.is_sought(program, question));
            require!(StatesQuestion, sought == Some(Some(false)), "state {number} is one that question {question} looks for");
        }
        let after = match successors(program, model, &state, &live, &seen, Some(&persistent)) {
            Ok(after) => after,
            Err(thread) => {
                let name = &program.threads[thread].name;
                require!(StatesFault, false, "the step of {name} from state {number} leaves the range of values");
                continue;
            }
        };
        for (thread, mut after) in after {
            let name = &program.threads[thread].name;
            alike.sort(&mut after);
            let is_in = listed.has(&after.encode(model));
            require!(StatesClosed, is_in, "a step of {name} leads from state {number} to one that is not in the list");
        }
    }
    Ok(())
}

/// What a list must hold with a state, and whose steps lead there: with dead registers forgotten, urgent steps first,
/// and then those of leading sets if they are wanted. The error is a thread whose step faults.
pub(crate) fn successors(
    program: &Program,
    model: Model,
    state: &State,
    live: &Live<'_>,
    seen: &QuestionView,
    persistent: Option<&Persistent>,
) -> Result<Vec<(usize, State)>, usize> {
    let mut list = Vec::new();
    let mut keys = vec![false; program.threads.len()];
    for (thread, way) in (0..program.threads.len()).flat_map(|thread| WAYS.map(|way| (thread, way))) {
        match state.next(program, model, thread, way) {
            Next::Nothing => {}
            Next::Fault => return Err(thread),
            Next::Step(step) => {
                let mut after = state.after(model, thread, &step);
                live.forget(&mut after);
                let is_unseen = seen.is_unseen(program, thread, &state.locals[thread], &step);
                if is_unseen && step.access.is_quiet(model) {
                    return Ok(vec![(thread, after)]);
                }
                keys[thread] = is_unseen && (seen.is_memory_unseen() || !step.access.writes(model));
                list.push((thread, after));
            }
        }
    }
    // A store that lands changes no point, so what is dead is 0 already.
    list.extend((0..program.threads.len()).filter_map(|thread| Some((thread, state.landed(thread)?))));
    if let Some(persistent) = persistent {
        let set = persistent.leading_in(program, model, state, &keys, seen);
        list.retain(|(thread, _)| set >> thread & 1 == 1);
    }
    Ok(list)
}
