//! Closed lists for final states: not every order of steps that do not disturb each other is needed.
//!
//! At a point of a thread, the step from it reads and writes cells among those that its statement names, and from there on the thread accesses cells among those of all statements that can come. Two accesses *disturb* each other if they are of one cell and one of them
//! writes. In a state, a set of threads is *persistent* if with each thread it has every other thread that may yet access, from where it is, what the next step of the one disturbs. The *chosen* set of a state is the smallest persistent set that is
//! obtained from one thread that has not ended, counting threads that have not ended; of several the one of the first such thread.
//!
//! **Rule.** A list of states under sequential consistency, ascending, and questions about final states (`tso.finals.question`). It is as in [`crate::states`], with the same conditions, but with each state it needs to have only the states after steps of the threads of the
//! chosen set, and no step is urgent. **Theorem.** No final state that the question seeks can be reached; a step that leaves the range of values cannot be made.
//!
//! **Proof.** Suppose that from a state s of the list a run w leads to a final state that is sought; that is so for the initial state if one can be reached. By induction on the length of w the list has a sought state, which it has not. If w is empty, s itself is sought. Else some thread has not ended, and there
//! is a chosen set; one of its threads has not ended in s, and has at the end of w, so w is `u t v` where t is a step of a thread of the set and the steps of u are none of its threads'. Until then the thread has not moved, so t is its next step in s. The steps of u are
//! of threads outside of the set, which do not access what t disturbs: so u writes nothing that t reads or writes, and t nothing that u reads or writes; whether t can be made, and what it does, is the same in s. Hence `t u v` is a run from s to the same end. The list has the
//! state after t, up to dead registers ([`crate::live`]), and from there the run is shorter. ∎

use serval_budget::Budget;
use serval_tso::{Address, Inner, Op, Program, Question};

use crate::Refusal;
use crate::alike::Alike;
use crate::conditions::require;
use crate::live::Live;
use crate::state::{Model, State};
use crate::states::{States, has};
use crate::step::Next;

/// Cells as bits; there are at most as many as a program may have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Cells([u64; serval_tso::MAX_CELLS / 64]);

impl Cells {
    fn add(&mut self, address: &Address) {
        let length = address.index.as_ref().map_or(1, |(length, _)| *length as usize);
        for cell in address.first.index()..address.first.index() + length {
            if let Some(word) = self.0.get_mut(cell / 64) {
                *word |= 1 << (cell % 64);
            }
        }
    }

    fn join(&mut self, other: Self) {
        self.0.iter_mut().zip(other.0).for_each(|(word, other)| *word |= other);
    }

    fn meets(self, other: Self) -> bool {
        self.0.iter().zip(other.0).any(|(word, other)| word & other != 0)
    }
}

/// Cells that are read, and cells that are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Accesses {
    reads: Cells,
    writes: Cells,
}

impl Accesses {
    fn join(&mut self, other: Self) {
        self.reads.join(other.reads);
        self.writes.join(other.writes);
    }

    fn disturb(self, other: Self) -> bool {
        self.writes.meets(other.reads) || self.writes.meets(other.writes) || self.reads.meets(other.writes)
    }

    fn of_parts(parts: &[Inner], into: &mut Self) {
        for part in parts {
            match part {
                Inner::Local(..) | Inner::Assume(_) => {}
                Inner::Load(_, address) => into.reads.add(address),
                Inner::Store(address, _) => into.writes.add(address),
                Inner::Locked(_, _, address, _) => {
                    into.reads.add(address);
                    into.writes.add(address);
                }
                Inner::If(_, yes, no) => {
                    Self::of_parts(yes, into);
                    Self::of_parts(no, into);
                }
            }
        }
    }

    /// What the step from a point may access.
    fn of(op: &Op) -> Self {
        let mut accesses = Self::default();
        match op {
            Op::Store(address, _) => accesses.writes.add(address),
            Op::Load(_, address) => accesses.reads.add(address),
            Op::Atomic(parts) => Self::of_parts(parts, &mut accesses),
            Op::End | Op::Skip | Op::Local(..) | Op::Branch(..) | Op::Assume(_) | Op::Assert(_) | Op::Fence => {}
        }
        accesses
    }
}

/// For each thread and point what the step from it accesses, and what can be accessed from there on.
pub(crate) struct Persistent {
    next: Vec<Vec<Accesses>>,
    later: Vec<Vec<Accesses>>,
}

impl Persistent {
    pub(crate) fn new(program: &Program) -> Self {
        let (mut next, mut later) = (Vec::new(), Vec::new());
        for thread in &program.threads {
            let own: Vec<Accesses> = thread.code.iter().map(|node| Accesses::of(&node.op)).collect();
            let mut all = own.clone();
            loop {
                let before = all.clone();
                for (point, node) in thread.code.iter().enumerate() {
                    all[point].join(before[node.next.index()]);
                    if let Op::Branch(_, no) = &node.op {
                        all[point].join(before[no.index()]);
                    }
                }
                if all == before {
                    break;
                }
            }
            next.push(own);
            later.push(all);
        }
        Self { next, later }
    }

    /// The threads of the chosen set of a state, as bits; there are at most 64. Nothing where all threads have ended.
    pub(crate) fn chosen(&self, program: &Program, state: &State) -> u64 {
        let at = |thread: usize| state.locals[thread].point.index();
        let count = program.threads.len();
        let open = (0..count)
            .filter(|&thread| state.locals[thread].point != program.threads[thread].end())
            .fold(0, |bits, thread| bits | 1 << thread);
        let needs = |thread: usize| {
            let next = self.next[thread][at(thread)];
            let disturbed = |other: &usize| *other != thread && next.disturb(self.later[*other][at(*other)]);
            (0..count).filter(disturbed).fold(1_u64 << thread, |bits, other| bits | 1 << other)
        };
        let needs: Vec<u64> = (0..count).map(needs).collect();
        let mut best = 0_u64;
        for first in (0..count).filter(|first| open >> first & 1 == 1) {
            let mut set = 1_u64 << first;
            loop {
                let more = (0..count).filter(|thread| set >> thread & 1 == 1).fold(set, |bits, thread| bits | needs[thread]);
                if more == set {
                    break;
                }
                set = more;
            }
            if best == 0 || (set & open).count_ones() < best.count_ones() {
                best = set & open;
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
    let alike = Alike::new(program, &list.alike, questions)?;
    for &question in questions {
        let is_final = program.questions.get(question).is_some_and(|question| question.asked.is_final());
        require!(FinalsQuestion, is_final, "question {question} is not about final states");
    }
    let mut initial = State::initial(program);
    live.forget(&mut initial);
    require!(
        StatesInitial,
        has(&list.states, &initial.encode(Model::Sc)),
        "the initial state is not in the list, or the list does not ascend"
    );
    for (number, numbers) in list.states.iter().enumerate() {
        budget.spend(u64::try_from(numbers.len() * (1 + program.threads.len())).unwrap_or(u64::MAX))?;
        let decoded = State::decode(program, Model::Sc, numbers).filter(|(_, rest)| rest.is_empty());
        let Some((state, _)) = decoded else {
            require!(StatesShape, false, "state {number} has not the numbers of a state");
            continue;
        };
        for &question in questions {
            let sought = program.questions.get(question).map(|question| state.is_sought(program, question));
            require!(StatesQuestion, sought == Some(Some(false)), "state {number} is one that question {question} looks for");
        }
        let chosen = persistent.chosen(program, &state);
        for thread in (0..program.threads.len()).filter(|thread| chosen >> thread & 1 == 1) {
            let next = state.next(program, Model::Sc, thread);
            let name = &program.threads[thread].name;
            require!(StatesFault, next != Next::Fault, "the step of {name} from state {number} leaves the range of values");
            let Next::Step(step) = next else { continue };
            let mut after = state.after(Model::Sc, thread, &step);
            live.forget(&mut after);
            alike.sort(&mut after);
            let is_in = has(&list.states, &after.encode(Model::Sc));
            require!(StatesClosed, is_in, "a step of {name} leads from state {number} to one that is not in the list");
        }
    }
    Ok(())
}
