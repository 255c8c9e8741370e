//! Robustness of parameterised programs, by counter abstraction (Pnueli, Xu, Zuck 2002): any number of copies.
//!
//! A program has threads that are one each, and `thread*`s. An attacker is one of the former, or one copy of a
//! `thread*`.
//!
//! - The *core* of an attacker is the program of the former threads, and of that copy, if it is one.
//! - A *configuration* is an instrumented state ([`crate::robust`]) of the core, and how many further copies there are
//!   at each *place*: a `thread*`, a point, values of its registers, and whether the copy is a helper. A number may be
//!   ω, which is more than every number.
//! - A *step* of a copy takes it from its place, makes the step of a thread that is no attacker, and puts it at its new
//!   place; ω stays ω.
//! - One configuration is *below* another if their cores are equal and it has at no place more copies.
//!
//! **Rule.** For each thread as the attacker (`tso.robust.attackers`) a list of well-formed configurations
//! (`tso.states.shape`), such that
//!
//! 1. the one with the initial state of the core, and ω copies of every `thread*` at its beginning, is below a member
//!    (`tso.states.initial`);
//! 2. what a step leads to from a member, of a thread of the core or of a copy, with dead registers forgotten
//!    ([`crate::live`]), is below a member (`tso.states.closed`);
//! 3. no such step faults (`tso.states.fault`);
//! 4. no core of a member is a violation (`tso.robust.violation`).
//!
//! **Theorem.** With any number of copies of each `thread*` the program is robust.
//!
//! **Proof.** Take the program with some number of copies, and suppose that it is not robust. By the theorem of
//! [`crate::robust`], whose proof gives a run of instrumented steps, some thread as attacker leads to a violation.
//! Copies of a `thread*` are alike, so the attacker is a thread of its own or the copy in the core. By induction on the
//! run, the states of all threads but those of the core, counted by places, are with the core below a member:
//!
//! - at the beginning there are fewer than ω copies;
//! - a step of a thread of the core, or of a copy, can be made from the member above as well, since it has that copy
//!   too and steps depend on memory, the attack and the thread alone; and it leads to something above, which is below a
//!   member.
//!
//! A violation depends on the core alone, and no core of a member is one: a contradiction. Soundness does not depend on
//! ω being justified. ∎

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use serde::{Deserialize, Serialize};
use serval_budget::Budget;
use serval_diagnostic::counted;
use serval_evidence::require;
use serval_tso_program::{Point, Program, ThreadId};

use crate::Refusal;
use crate::live::Live;
use crate::robust::{Attack, successors};
use crate::state::Local;
use crate::urgent::QuestionView;

/// Where a copy is: its `thread*`, and point, registers and, where there are attacks, whether it is a helper.
pub(crate) type At = (u32, Vec<i64>);

/// How many copies there are at places; nothing is ω.
pub(crate) type Copies = BTreeMap<At, Option<u64>>;

/// A configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Configuration {
    /// The state of the core; the instrumented one, where there are attacks.
    pub core: Vec<i64>,
    /// The number of a `thread*`, point, registers and, where there are attacks, 1 for a helper, how many copies are
    /// there; nothing is ω.
    pub copies: Vec<(u32, Vec<i64>, Option<u64>)>,
}

/// A list of configurations for each attacker.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct AnyRobust {
    /// The live registers of each thread at each point, as bits.
    pub live: Vec<Vec<u64>>,
    /// For each thread of the program the configurations of its attacks.
    pub attackers: Vec<Vec<Configuration>>,
}

serval_evidence::objects!(Configuration, AnyRobust);

/// What the members say, by their cores. Many members have the same copies, which are kept once.
#[derive(Default)]
pub(crate) struct Members {
    by_core: BTreeMap<Vec<i64>, Vec<Rc<Copies>>>,
    known: BTreeSet<Rc<Copies>>,
}

impl Members {
    /// Adds a member.
    pub(crate) fn add(&mut self, core: &[i64], copies: Copies) -> Rc<Copies> {
        let copies = Rc::new(copies);
        let copies = self.known.get(&copies).cloned().unwrap_or(copies);
        self.known.insert(Rc::clone(&copies));
        self.by_core.entry(core.to_vec()).or_default().push(Rc::clone(&copies));
        copies
    }

    pub(crate) fn has_above(&self, core: &[i64], copies: &Rc<Copies>) -> bool {
        let enough = |above: &Copies, at: &At, count: &Option<u64>| match (above.get(at), count) {
            (Some(None), _) => true,
            (Some(Some(most)), Some(count)) => count <= most,
            (Some(Some(_)), None) | (None, _) => false,
        };
        // What is kept once is the same, and so below itself.
        let is_above = |above: &Rc<Copies>| Rc::ptr_eq(above, copies) || copies.iter().all(|(at, count)| enough(above, at, count));
        self.by_core.get(core).is_some_and(|members| members.iter().any(is_above))
    }
}

/// The program of an attacker, and of it and a copy of each `thread*`.
struct Core<'p> {
    program: &'p Program,
    attacker: ThreadId,
    live: &'p [Vec<u64>],
}

impl Core<'_> {
    /// The threads beside those of their own, with this one.
    fn also(&self, copy: Option<ThreadId>) -> Vec<ThreadId> {
        let own = self.program.threads[self.attacker.index()].many.then_some(self.attacker);
        own.into_iter().chain(copy).collect()
    }

    /// The program of the core, and of one more copy.
    fn program(&self, copy: Option<ThreadId>) -> Program {
        self.program.fixed_with(&self.also(copy))
    }

    /// The live registers of that program.
    fn live(&self, copy: Option<ThreadId>) -> Vec<Vec<u64>> {
        let fixed = self.program.threads.iter().zip(self.live).filter(|(thread, _)| !thread.many).map(|(_, sets)| sets.clone());
        fixed.chain(self.also(copy).iter().filter_map(|id| self.live.get(id.index()).cloned())).collect()
    }

    /// The number of the attacker in that program: a copy stands behind the threads of their own.
    fn number(&self) -> usize {
        let fixed = |threads: &[serval_tso_program::Thread]| threads.iter().filter(|thread| !thread.many).count();
        match self.program.threads[self.attacker.index()].many {
            true => fixed(&self.program.threads),
            false => fixed(&self.program.threads[..self.attacker.index()]),
        }
    }
}

/// The copies of a configuration, with a number for helpers or without; `None` where they are not well formed.
pub(crate) fn copies_of(program: &Program, configuration: &Configuration, helpers: bool) -> Option<Copies> {
    let mut copies = Copies::new();
    for (number, numbers, count) in &configuration.copies {
        let thread = program.threads.get(*number as usize).filter(|thread| thread.many)?;
        let point = usize::try_from(*numbers.first()?).ok()?;
        let helper = if helpers { *numbers.last()? } else { 0 };
        let length = thread.registers.len() + 1 + usize::from(helpers);
        let fits = numbers.len() == length && point < thread.code.len() && (0..=1).contains(&helper);
        if !fits || *count == Some(0) || copies.insert((*number, numbers.clone()), *count).is_some() {
            return None;
        }
    }
    Some(copies)
}

/// Takes a copy from one place to another.
pub(crate) fn moved(copies: &Rc<Copies>, from: &At, to: At) -> Rc<Copies> {
    if [from, &to].iter().all(|at| copies.get(*at) == Some(&None)) {
        // From ω to ω nothing changes.
        return Rc::clone(copies);
    }
    let mut after = Copies::clone(copies);
    match after.get_mut(from) {
        Some(Some(1)) => {
            after.remove(from);
        }
        Some(Some(count)) => *count = count.saturating_sub(1),
        Some(None) | None => {}
    }
    match after.get_mut(&to) {
        // More than fits is more than any list has.
        Some(Some(count)) => *count = count.saturating_add(1),
        Some(None) => {}
        None => {
            after.insert(to, Some(1));
        }
    }
    Rc::new(after)
}

/// Puts a copy behind the threads of a state.
pub(crate) fn joined(core: &Attack, (_, numbers): &At) -> Option<Attack> {
    let mut attack = core.clone();
    let (point, rest) = numbers.split_first()?;
    let (helper, registers) = rest.split_last()?;
    attack.state.locals.push(Local { point: Point(u32::try_from(*point).ok()?), registers: registers.to_vec() });
    attack.state.buffers.push(Vec::new());
    attack.helpers.push(*helper == 1);
    Some(attack)
}

/// Takes the last thread of a state out again.
pub(crate) fn parted(mut attack: Attack, kind: u32) -> Option<(Attack, At)> {
    let local = attack.state.locals.pop()?;
    attack.state.buffers.pop();
    let helper = attack.helpers.pop()?;
    let mut numbers = vec![i64::from(local.point.0)];
    numbers.extend(local.registers);
    numbers.push(i64::from(helper));
    Some((attack, (kind, numbers)))
}

/// Checks that no attack succeeds, whatever the number of copies.
pub(crate) fn check(program: &Program, any: &AnyRobust, budget: &mut Budget) -> Result<(), Refusal> {
    Live::new(program, &[], &any.live)?;
    let complete = any.attackers.len() == program.threads.len();
    require!(RobustAttackers, complete, "{} for {}", counted(any.attackers.len(), "list"), counted(program.threads.len(), "thread"));
    for (number, list) in any.attackers.iter().enumerate().take(program.threads.len()) {
        let core = Core { program, attacker: ThreadId::new(number), live: &any.live };
        check_attacker(&core, list, budget)?;
    }
    Ok(())
}

fn check_attacker(core: &Core<'_>, list: &[Configuration], budget: &mut Budget) -> Result<(), Refusal> {
    let many = core.program.many();
    let alone = core.program(None);
    let mut members = Members::default();
    let mut read = Vec::new();
    for (number, configuration) in list.iter().enumerate() {
        budget.spend(u64::try_from(configuration.core.len() + configuration.copies.len()).unwrap_or(u64::MAX))?;
        let decoded = Attack::decode(&alone, &configuration.core).zip(copies_of(core.program, configuration, true));
        require!(StatesShape, decoded.is_some(), "configuration {number} of attacker {} is not well formed", core.attacker.0);
        let Some((attack, copies)) = decoded else { continue };
        require!(RobustViolation, !attack.is_violation(), "configuration {number} of attacker {} is a violation", core.attacker.0);
        read.push((attack, members.add(&configuration.core, copies)));
    }
    let at_start = |id: &ThreadId| ((id.0, vec![0; core.program.threads[id.index()].registers.len() + 2]), None);
    let initial: Rc<Copies> = Rc::new(many.iter().map(at_start).collect());
    let begins = members.has_above(&Attack::initial(&alone).encode(), &initial);
    require!(StatesInitial, begins, "the beginning is below no configuration of attacker {}", core.attacker.0);
    // The programs are made once: the core alone, and with a copy of each kind.
    let kinds: Vec<(u32, Program, Vec<Vec<u64>>)> = many.iter().map(|id| (id.0, core.program(Some(*id)), core.live(Some(*id)))).collect();
    let mut with_copy = Vec::new();
    for (kind, joint, sets) in &kinds {
        with_copy.push((*kind, joint, Live::new(joint, &[], sets)?, QuestionView::everything(joint)));
    }
    let sets = core.live(None);
    let live = Live::new(&alone, &[], &sets)?;
    let all_seen = QuestionView::everything(&alone);
    for (attack, copies) in &read {
        budget.spend(u64::try_from((copies.len() + 1) * attack.encode().len()).unwrap_or(u64::MAX))?;
        check_after(
            core,
            &members,
            successors(&alone, core.number(), attack, &live, &all_seen, None)
                .map(|after| after.into_iter().map(|(_, after)| (after.encode(), Rc::clone(copies))).collect()),
        )?;
        for at in copies.keys() {
            let Some((kind, joint, live, seen)) = with_copy.iter().find(|(kind, ..)| *kind == at.0) else { continue };
            let Some(both) = joined(attack, at) else { continue };
            let slot = joint.threads.len() - 1;
            let after = successors(joint, core.number(), &both, live, seen, None).map(|after| {
                let own = after.into_iter().filter(|(thread, _)| *thread == slot).filter_map(|(_, after)| parted(after, *kind));
                own.map(|(after, to)| (after.encode(), moved(copies, at, to))).collect()
            });
            check_after(core, &members, after)?;
        }
    }
    Ok(())
}

/// What follows: the numbers of the core, and the copies.
type After = (Vec<i64>, Rc<Copies>);

/// Checks that everything that follows is below a member.
fn check_after(core: &Core<'_>, members: &Members, after: Result<Vec<After>, usize>) -> Result<(), Refusal> {
    require!(StatesFault, after.is_ok(), "a step of attacker {} or of another thread leaves the range of values", core.attacker.0);
    for (numbers, copies) in after.unwrap_or_default() {
        let is_in = members.has_above(&numbers, &copies);
        require!(StatesClosed, is_in, "a step leads to what is below no configuration of attacker {}", core.attacker.0);
    }
    Ok(())
}
