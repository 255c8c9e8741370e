//! Runs one request on the text, with reads that can find another value than
//! the one that is there.
//!
//! The compiler's own machine cannot do that, so operations are carried out
//! here once more, over the same graph of the text. What comes out chooses an
//! explanation and is never said before the machine has confirmed it.

use std::cell::Cell;
use std::collections::BTreeSet;

use serval_compile::control::{Node, NodeId, Op, Operand, Reg};
use serval_compile::{Access, Source};
use serval_syntax::{GlobalVar, value};

/// Operations of one step that are tried at most: explained runs have short steps.
const MOST_IN_STEP: u64 = 200_000;
/// From so many operations on it is looked whether a step goes round and changes nothing.
const LONG: u64 = 1024;
/// Reads of a request whose traces through registers are followed at most.
const MOST_FOLLOWED: usize = 400;

/// Carries out operations, as long as there is fuel.
pub(super) struct Player<'a> {
    pub(super) source: &'a Source,
    fuel: Cell<u64>,
}

/// Where a request is, and what it remembers.
#[derive(Clone)]
pub(super) struct Actor {
    node: NodeId,
    registers: Vec<i64>,
    /// For each register the reads that its value is computed from.
    sources: Vec<Reads>,
}

/// Some of the first reads of a request, by their numbers, a bit each: sets on the heap took most of the time that an
/// explanation takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Reads([u128; 4]);

const _: () = assert!(MOST_FOLLOWED <= 4 * 128);

impl Reads {
    /// The read with this number alone, if it is followed.
    fn one(number: usize) -> Self {
        let mut one = Self::default();
        if let Some(word) = one.0.get_mut(number / 128).filter(|_| number < MOST_FOLLOWED) {
            *word = 1 << (number % 128);
        }
        one
    }

    /// Word by word, because this crate is hardly optimised in builds that have to be quick.
    fn add(&mut self, other: Self) {
        let ([one, two, three, four], [first, second, third, fourth]) = (&mut self.0, other.0);
        *one |= first;
        *two |= second;
        *three |= third;
        *four |= fourth;
    }

    pub(super) fn has(&self, number: usize) -> bool {
        self.0.get(number / 128).is_some_and(|word| word & 1 << (number % 128) != 0)
    }
}

/// What `?` gives, time after time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Choices {
    /// What it gives first; then 0.
    pub(super) given: Vec<bool>,
    pub(super) used: usize,
}

impl Choices {
    fn next(&mut self) -> i64 {
        if self.used == self.given.len() {
            self.given.push(false);
        }
        self.used += 1;
        i64::from(self.given[self.used - 1])
    }

    /// The next ones in order, of which the first `kept` stay; false where these were the last.
    pub(super) fn advance(&mut self, kept: usize) -> bool {
        self.given.truncate(self.used.max(kept));
        self.used = 0;
        while self.given.len() > kept && self.given.last() == Some(&true) {
            self.given.pop();
        }
        self.given.iter_mut().skip(kept).last().map(|last| *last = true).is_some()
    }
}

/// What a request has done so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Deeds {
    pub(super) accesses: Vec<Access>,
    /// Where each step ends among the accesses.
    pub(super) ends: Vec<usize>,
    /// Which way it went where the text branches.
    pub(super) path: Vec<bool>,
    /// The answer, once it is there.
    pub(super) answer: Option<i64>,
    /// How many choices had been made before each access.
    pub(super) chosen: Vec<usize>,
    /// The reads, by their positions among the accesses, that a branch, an answer or a write is computed from.
    pub(super) used: Reads,
    /// The writes, by their positions, each with the reads that its value is computed from.
    pub(super) flows: Vec<(usize, Reads)>,
}

impl Deeds {
    /// What it writes to a variable, in order.
    pub(super) fn writes(&self, variable: GlobalVar) -> impl Iterator<Item = i64> + '_ {
        self.accesses.iter().filter(move |access| access.write && access.variable == variable).map(|access| access.value)
    }

    /// The variables that it writes.
    pub(super) fn written(&self) -> BTreeSet<u32> {
        self.accesses.iter().filter(|access| access.write).map(|access| access.variable.0).collect()
    }
}

/// How a step goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StepEnd {
    Waits,
    Answers,
    /// It goes round for ever.
    Spins,
    /// It fails, goes round and finds what it has found before, or there is no fuel.
    Lost,
}

/// What a read finds: after these deeds, of a variable, where this value is.
pub(super) type Finds<'f> = dyn FnMut(&Deeds, GlobalVar, i64) -> i64 + 'f;

impl<'a> Player<'a> {
    pub(super) fn new(source: &'a Source, fuel: u64) -> Self {
        Self { source, fuel: Cell::new(fuel) }
    }

    pub(super) fn is_tired(&self) -> bool {
        self.fuel.get() == 0
    }

    pub(super) fn spend(&self, work: usize) {
        self.fuel.set(self.fuel.get().saturating_sub(work as u64));
    }

    /// A request before its first step.
    pub(super) fn actor(&self, body: usize) -> Option<Actor> {
        let count = self.source.reg_count();
        Some(Actor { node: self.source.entry(body)?, registers: vec![0; count], sources: vec![Reads::default(); count] })
    }

    /// Makes one step.
    pub(super) fn step(
        &self,
        actor: &mut Actor,
        globals: &mut [i64],
        choices: &mut Choices,
        finds: &mut Finds<'_>,
        deeds: &mut Deeds,
    ) -> StepEnd {
        // What a long step looked like earlier, as long as it has written nothing since.
        let mut earlier: Option<(NodeId, Vec<i64>)> = None;
        for count in 0..MOST_IN_STEP {
            if count >= LONG {
                // It goes round: `assume` does so where its condition does not hold.
                if earlier.as_ref().is_some_and(|(node, registers)| *node == actor.node && *registers == actor.registers) {
                    return StepEnd::Lost;
                }
                if count.is_power_of_two() {
                    earlier = Some((actor.node, actor.registers.clone()));
                }
            }
            if self.is_tired() {
                return StepEnd::Lost;
            }
            self.spend(1);
            let (node, span) = self.source.node(actor.node);
            match node {
                Node::Do { op: Op::Load { to, global }, next } => {
                    let position = deeds.accesses.len();
                    let Some(&there) = globals.get(global.index()) else { return StepEnd::Lost };
                    let found = finds(deeds, global, there);
                    deeds.chosen.push(choices.used);
                    deeds.accesses.push(Access { variable: global, write: false, value: found, span });
                    actor.set(to, found, Reads::one(position));
                    actor.node = next;
                }
                Node::Do { op: Op::Store { global, from, .. }, next } => {
                    let (value, sources) = (actor.read(from), actor.sources(from));
                    let Some(there) = globals.get_mut(global.index()) else { return StepEnd::Lost };
                    *there = value;
                    earlier = None;
                    let position = deeds.accesses.len();
                    deeds.flows.push((position, sources));
                    deeds.used.add(sources);
                    deeds.chosen.push(choices.used);
                    deeds.accesses.push(Access { variable: global, write: true, value, span });
                    actor.node = next;
                }
                Node::Do { op, next } => {
                    if actor.compute(op, choices).is_none() {
                        return StepEnd::Lost;
                    }
                    actor.node = next;
                }
                Node::Branch { test, then, otherwise } => {
                    let holds = actor.read(test) != 0;
                    deeds.used.add(actor.sources(test));
                    if then != otherwise {
                        deeds.path.push(holds);
                    }
                    actor.node = if holds { then } else { otherwise };
                }
                Node::Yield { next } => {
                    deeds.ends.push(deeds.accesses.len());
                    actor.node = next;
                    return StepEnd::Waits;
                }
                Node::Answer { value } => {
                    deeds.ends.push(deeds.accesses.len());
                    deeds.used.add(actor.sources(value));
                    deeds.answer = Some(actor.read(value));
                    return StepEnd::Answers;
                }
                Node::Never => return StepEnd::Spins,
            }
        }
        StepEnd::Lost
    }
}

impl Actor {
    fn read(&self, operand: Operand) -> i64 {
        match operand {
            Operand::Const(value) => value,
            Operand::Reg(reg) => self.registers.get(reg.index()).copied().unwrap_or(0),
        }
    }

    fn sources(&self, operand: Operand) -> Reads {
        operand.reg().and_then(|reg| self.sources.get(reg.index()).copied()).unwrap_or_default()
    }

    fn set(&mut self, reg: Reg, value: i64, sources: Reads) {
        if let (Some(place), Some(known)) = (self.registers.get_mut(reg.index()), self.sources.get_mut(reg.index())) {
            (*place, *known) = (value, sources);
        }
    }

    /// An operation that touches no global; nothing where it fails.
    fn compute(&mut self, op: Op, choices: &mut Choices) -> Option<()> {
        let mut sources = Reads::default();
        for operand in op.reads().into_iter().flatten() {
            sources.add(self.sources(operand));
        }
        let value = match op {
            Op::Check { from, low, high, .. } => return (low..=high).contains(&self.read(from)).then_some(()),
            Op::Load { .. } | Op::Store { .. } => return None,
            Op::Copy { from, .. } => self.read(from),
            Op::Not { from, .. } => i64::from(self.read(from) == 0),
            Op::Negate { from, .. } => value::negate(self.read(from)).ok()?,
            Op::Arithmetic { op, left, right, .. } => value::arithmetic(op, self.read(left), self.read(right)).ok()?,
            Op::Compare { op, left, right, .. } => value::compare(op, self.read(left), self.read(right)),
            Op::Choose { .. } => choices.next(),
        };
        self.set(op.writes()?, value, sources);
        Some(())
    }
}
