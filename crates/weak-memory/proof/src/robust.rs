//! Robustness against TSO by attacks (Bouajjani, Derevenetc, Meyer 2013): a closed list of instrumented states for each
//! thread.
//!
//! **Locality** (Bouajjani, Derevenetc, Meyer, “Checking and Enforcing Robustness against TSO”, 2013). If a program is
//! not robust ([`crate::trace`]), it has a violation in which one thread alone, the *attacker*, delays stores, of the
//! form
//!
//! `τ₁ · (attacker issues a store to a) · τ₂ · (attacker loads b from memory) · τ₃ · (the store to a lands) · τ₄`
//!
//! where
//!
//! - all other threads' stores land at once;
//! - the attacker issues and loads in `τ₂` and stands still in `τ₃`;
//! - every event of `τ₃` happens after the load;
//! - some event of `τ₃`, or the load, happens before the store to `a` by way of an access to `a`.
//!
//! **Instrumented states** of an attacker are states under sequential consistency with five more things:
//!
//! - a mode;
//! - the cell of the attack;
//! - for each cell what the attacker has stored to it last, if it has;
//! - for each cell whether the load, or what happens after it, has accessed it: no (0), only read (1), written (2);
//! - for each thread whether it is a *helper*, that is, has made an event that happens after the load.
//!
//! What threads do in each mode:
//!
//! - *Mode 0.* The attacker steps; instead of a store it may begin the attack: the store is kept, its cell is that of
//!   the attack, and the mode becomes 1. Other threads step.
//! - *Mode 1.* The attacker's stores are kept; its loads give what is kept, else memory; it makes no fence and no
//!   locked step. A load from memory may be the last: the cell is read, and the mode becomes 2. Other threads step.
//! - *Mode 2.* The attacker stands still. A helper steps; another thread steps only if the step reads a cell that is
//!   written or writes one that is accessed, and becomes a helper. What a step accesses is noted.
//!
//! In mode 2 nothing is kept, and the attacker is at point 0 with 0 in its registers, since no step depends on them any
//! more. A state of mode 2 is a *violation* if the cell of the attack was accessed.
//!
//! **Rule.** For each thread as the attacker, unless it is like an earlier one ([`crate::alike`],
//! `tso.robust.attackers`), a list of well-formed instrumented states (`tso.states.shape`), such that
//!
//! 1. it has the initial state (`tso.states.initial`);
//! 2. with each state it has the states after its steps (`tso.states.closed`), with dead registers forgotten
//!    ([`crate::live`]), urgent steps first ([`crate::urgent`]), then those of leading sets ([`crate::persistent`]),
//!    and threads that are alike in one order ([`crate::alike`]);
//! 3. no step faults (`tso.states.fault`);
//! 4. no member is a violation (`tso.robust.violation`).
//!
//! **Theorem.** The program is robust, and under both models no step leaves the range of values.
//!
//! **Proof.** Suppose it is not robust, and take a violation of the form above. Its events up to the landing of the
//! store are a run of instrumented steps:
//!
//! - those of `τ₁` in mode 0, then the attack begins;
//! - those of `τ₂` in mode 1, with loads of the attacker from its newest store to the cell, if there is one, and so
//!   from what is kept; then the last load;
//! - an event of `τ₃` happens after the load, hence is made by a thread that has made such an event before, a helper,
//!   or else the last edge of the path from the load to it joins two events of which one writes a cell that both
//!   access: so it reads a cell that is written, or writes one that is accessed, and that is noted. Steps without
//!   access by threads that are no helpers are moved before the load. A locked section is one step, so none is half
//!   done then.
//!
//! The event that comes before the store to `a` accesses `a` and is noted: a violation is reached, and by the lemmas of
//! the modules the list has one. A contradiction.
//!
//! A fault under store buffers comes after a run whose trace, all stores landed, is acyclic, thus that of a run under
//! sequential consistency, after which the same thread is about to make the same step; and under sequential
//! consistency, which is mode 0, no state of the lists faults. ∎

use serde::{Deserialize, Serialize};
use serval_budget::Budget;
use serval_diagnostic::counted;
use serval_evidence::{Rows, require};
use serval_tso_program::{CellId, Point, Program};

use crate::Refusal;
use crate::alike::{Symmetry, rearrange, taken};
use crate::live::Live;
use crate::persistent::{Accesses, Moves, Persistent, leading};
use crate::state::{Model, State};
use crate::states::Listed;
use crate::step::{Access, Next, Step, WAYS, Way, next};
use crate::urgent::QuestionView;

/// A closed list of instrumented states for each attacker.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Robust {
    /// The live registers of each thread at each point, as bits.
    pub live: Vec<Vec<u64>>,
    /// Groups of threads that are alike.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alike: Vec<Vec<usize>>,
    /// For each thread, unless it is like an earlier one, the states, ascending: those of [`crate::states`] under
    /// sequential consistency, then the mode, the cell of the attack, for each cell 1 and what is kept or 0 and 0, for
    /// each cell how it was accessed, and for each thread 1 for a helper.
    pub attackers: Vec<Rows<i64>>,
}

serval_evidence::objects!(Robust);

/// An instrumented state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Attack {
    pub(crate) state: State,
    mode: i64,
    cell: i64,
    kept: Vec<Option<i64>>,
    accessed: Vec<i64>,
    pub(crate) helpers: Vec<bool>,
}

const READ: i64 = 1;
const WRITTEN: i64 = 2;

impl Attack {
    pub(crate) fn initial(program: &Program) -> Self {
        Self {
            state: State::initial(program),
            mode: 0,
            cell: 0,
            kept: vec![None; program.cells.len()],
            accessed: vec![0; program.cells.len()],
            helpers: vec![false; program.threads.len()],
        }
    }

    pub(crate) fn encode(&self) -> Vec<i64> {
        let mut numbers = self.state.encode(Model::Sc);
        numbers.extend([self.mode, self.cell]);
        numbers.extend(self.kept.iter().flat_map(|kept| [i64::from(kept.is_some()), kept.unwrap_or(0)]));
        numbers.extend(&self.accessed);
        numbers.extend(self.helpers.iter().map(|helper| i64::from(*helper)));
        numbers
    }

    pub(crate) fn decode(program: &Program, numbers: &[i64]) -> Option<Self> {
        let (state, rest) = State::decode(program, Model::Sc, numbers)?;
        let (cells, threads) = (program.cells.len(), program.threads.len());
        let (&[mode, cell], rest) = rest.split_first_chunk::<2>()?;
        let (kept, rest) = rest.split_at_checked(2 * cells)?;
        let (accessed, helpers) = rest.split_at_checked(cells)?;
        let cell_exists = usize::try_from(cell).is_ok_and(|cell| cell < cells.max(1));
        if helpers.len() != threads || !(0..=2).contains(&mode) || !cell_exists {
            return None;
        }
        let kept = kept.chunks_exact(2).map(|pair| (pair[0] != 0).then_some(pair[1])).collect();
        let helpers = helpers.iter().map(|helper| *helper != 0).collect();
        let attack = Self { state, mode, cell, kept, accessed: accessed.to_vec(), helpers };
        // Whatever the numbers mean, they are the numbers of what they mean.
        (attack.encode() == numbers).then_some(attack)
    }

    /// Changes the places of threads that are alike, so that what they have ascends.
    pub(crate) fn sort(&mut self, alike: &Symmetry) {
        if alike.is_empty() {
            return;
        }
        let has = |thread: usize| (&self.state.locals[thread], self.helpers[thread]);
        let order = alike.order(self.helpers.len(), |one, other| has(one).cmp(&has(other)));
        rearrange(&mut self.state, &order);
        self.helpers = taken(&self.helpers, &order);
    }

    pub(crate) fn is_violation(&self) -> bool {
        let accessed = usize::try_from(self.cell).ok().and_then(|cell| self.accessed.get(cell));
        self.mode == 2 && accessed.is_some_and(|&accessed| accessed != 0)
    }

    /// The next step of a thread that is no attacker, or of the attacker before the attack.
    fn step_in_memory(&self, program: &Program, thread: usize, way: Way) -> Next {
        self.state.next(program, Model::Sc, thread, way)
    }

    fn access(&mut self, cell: CellId, how: i64) {
        let accessed = &mut self.accessed[cell.index()];
        *accessed = how.max(*accessed);
    }

    /// The states after a step of a thread other than the attacker: none or one.
    fn after_other(&self, thread: usize, step: &Step) -> Option<Self> {
        let mut after = self.clone();
        after.state.go(Model::Sc, thread, step);
        if self.mode < 2 {
            return Some(after);
        }
        let (reads, writes): (Vec<CellId>, Vec<CellId>) = match &step.access {
            Access::None | Access::Fence => (Vec::new(), Vec::new()),
            Access::Load(cell) => (vec![*cell], Vec::new()),
            Access::Store(cell, _) => (Vec::new(), vec![*cell]),
            Access::Locked { reads, writes } => (reads.clone(), writes.iter().map(|(cell, _)| *cell).collect()),
        };
        let accessed = |cell: &CellId| self.accessed[cell.index()];
        let follows = reads.iter().any(|cell| accessed(cell) == WRITTEN) || writes.iter().any(|cell| accessed(cell) != 0);
        if !self.helpers[thread] && !follows {
            return None;
        }
        after.helpers[thread] = true;
        reads.iter().for_each(|cell| after.access(*cell, READ));
        writes.iter().for_each(|cell| after.access(*cell, WRITTEN));
        Some(after)
    }

    /// The next step of the attacker in mode 1: what it has kept hides memory.
    fn step_of_attacker(&self, program: &Program, attacker: usize, way: Way) -> Next {
        let view = |cell: CellId| self.kept[cell.index()].unwrap_or(self.state.memory[cell.index()]);
        match next(program, &program.threads[attacker], &self.state.locals[attacker], way, &view) {
            Next::Step(Step { access: Access::Fence | Access::Locked { .. }, .. }) => Next::Nothing,
            // A locked step that would fault cannot be made either.
            Next::Fault if self.is_locked(program, attacker) => Next::Nothing,
            other => other,
        }
    }

    fn is_locked(&self, program: &Program, thread: usize) -> bool {
        let point = self.state.locals[thread].point;
        matches!(program.threads[thread].code[point.index()].op, serval_tso_program::Op::Atomic(_))
    }

    /// The states after a step of the attacker.
    fn after_attacker(&self, attacker: usize, step: &Step) -> Vec<Self> {
        let mut moved = self.clone();
        if self.mode == 0 {
            moved.state.go(Model::Sc, attacker, step);
        } else {
            moved.state.locals[attacker] = step.local.clone();
        }
        match (&step.access, self.mode) {
            (Access::Store(cell, value), 0) => {
                let plain = moved.clone();
                moved.state.memory.clone_from(&self.state.memory);
                (moved.mode, moved.cell) = (1, i64::from(cell.0));
                moved.kept[cell.index()] = Some(*value);
                vec![plain, moved]
            }
            (_, 0) => vec![moved],
            (Access::Store(cell, value), _) => {
                moved.kept[cell.index()] = Some(*value);
                vec![moved]
            }
            (Access::Load(cell), _) if self.kept[cell.index()].is_none() => {
                let mut last = moved.clone();
                last.mode = 2;
                last.access(*cell, READ);
                last.kept.iter_mut().for_each(|kept| *kept = None);
                last.state.locals[attacker].point = Point(0);
                last.state.locals[attacker].registers.iter_mut().for_each(|register| *register = 0);
                vec![moved, last]
            }
            _ => vec![moved],
        }
    }

    /// Whether no other thread sees what a step does, and none changes it.
    fn is_quiet(&self, attacks: bool, access: &Access) -> bool {
        match access {
            Access::Store(..) => attacks && self.mode == 1,
            Access::Load(cell) => attacks && self.mode == 1 && self.kept[cell.index()].is_some(),
            _ => access.is_quiet(Model::Sc),
        }
    }

    /// What a thread accesses now and later.
    fn moves(&self, program: &Program, thread: usize, attacks: bool, persistent: &Persistent) -> Moves {
        let point = self.state.locals[thread].point.index();
        let (now, later) = (persistent.next[thread][point], persistent.later[thread][point]);
        match self.mode {
            2 if attacks => Moves::default(),
            1 if attacks => {
                let needs_all = matches!(program.threads[thread].code[point].op, serval_tso_program::Op::Load(..));
                let reads = Accesses { reads: later.reads, ..Accesses::default() };
                Moves { later: reads, needs_all, ..Moves::default() }
            }
            _ => Moves { now, later, ..Moves::default() },
        }
    }

    /// Whether a thread may have urgent steps.
    fn is_free(&self, thread: usize) -> bool {
        self.mode < 2 || self.helpers[thread]
    }
}

/// What a list must hold with a state, and whose steps lead there: with dead registers forgotten, urgent steps first,
/// and then those of leading sets if they are wanted. The error is a thread whose step faults.
pub(crate) fn successors(
    program: &Program,
    attacker: usize,
    attack: &Attack,
    live: &Live<'_>,
    seen: &QuestionView,
    persistent: Option<&Persistent>,
) -> Result<Vec<(usize, Attack)>, usize> {
    let mut list = Vec::new();
    let mut keys = vec![false; program.threads.len()];
    for (thread, way) in (0..program.threads.len()).flat_map(|thread| WAYS.map(|way| (thread, way))) {
        let attacks = thread == attacker;
        let next = match attack.mode {
            2 if attacks => Next::Nothing,
            1 if attacks => attack.step_of_attacker(program, thread, way),
            _ => attack.step_in_memory(program, thread, way),
        };
        let step = match next {
            Next::Nothing => continue,
            Next::Fault => return Err(thread),
            Next::Step(step) => step,
        };
        let mut after =
            if attacks { attack.after_attacker(thread, &step) } else { attack.after_other(thread, &step).into_iter().collect() };
        after.iter_mut().for_each(|after| live.forget(&mut after.state));
        let is_unseen = seen.is_unseen(program, thread, &attack.state.locals[thread], &step);
        if is_unseen && attack.is_free(thread) && attack.is_quiet(attacks, &step.access) {
            return Ok(after.into_iter().map(|after| (thread, after)).collect());
        }
        keys[thread] = is_unseen && !after.is_empty();
        list.extend(after.into_iter().map(|after| (thread, after)));
    }
    if let Some(persistent) = persistent {
        let moves: Vec<Moves> = (0..program.threads.len())
            .map(|thread| Moves { has_key: keys[thread], ..attack.moves(program, thread, thread == attacker, persistent) })
            .collect();
        let set = leading(&moves);
        list.retain(|(thread, _)| set >> thread & 1 == 1);
    }
    Ok(list)
}

/// Checks that no attack succeeds.
pub(crate) fn check(program: &Program, robust: &Robust, budget: &mut Budget) -> Result<(), Refusal> {
    let live = Live::new(program, &[], &robust.live)?;
    let seen = QuestionView::new(program, &[]);
    let complete = robust.attackers.len() == program.threads.len();
    require!(RobustAttackers, complete, "{} for {}", counted(robust.attackers.len(), "list"), counted(program.threads.len(), "thread"));
    let alike = Symmetry::new(program, &robust.alike, &[])?;
    let persistent = Persistent::new(program);
    let mut initial = Attack::initial(program);
    live.forget(&mut initial.state);
    let initial = initial.encode();
    for (attacker, list) in robust.attackers.iter().enumerate().take(program.threads.len()) {
        if alike.follows(attacker) {
            require!(RobustAttackers, list.is_empty(), "attacker {attacker} is like an earlier one, and has a list");
            continue;
        }
        let others = alike.without(attacker);
        let mut listed = Listed::new(list);
        require!(StatesInitial, listed.has(&initial), "the initial state is not in list {attacker}, or the list does not ascend");
        for (number, numbers) in list.iter().enumerate() {
            budget.spend(u64::try_from(numbers.len() * (1 + program.threads.len())).unwrap_or(u64::MAX))?;
            let Some(attack) = Attack::decode(program, &numbers) else {
                require!(StatesShape, false, "state {number} of attacker {attacker} has not the numbers of a state");
                continue;
            };
            require!(RobustViolation, !attack.is_violation(), "state {number} of attacker {attacker} is a violation");
            let after = match successors(program, attacker, &attack, &live, &seen, Some(&persistent)) {
                Ok(after) => after,
                Err(thread) => {
                    let name = &program.threads[thread].name;
                    require!(
                        StatesFault,
                        false,
                        "the step of {name} from state {number} of attacker {attacker} leaves the range of values"
                    );
                    continue;
                }
            };
            for (thread, mut after) in after {
                after.sort(&others);
                let (name, is_in) = (&program.threads[thread].name, listed.has(&after.encode()));
                require!(
                    StatesClosed,
                    is_in,
                    "a step of {name} leads from state {number} of attacker {attacker} to one that is not in the list"
                );
            }
        }
    }
    Ok(())
}
