//! Which step is taken when.

use serval_arith::{Outcome, Solver};
use serval_budget::Budget;
use serval_netproof::decomposition::sequence::{Piece, Sequence, is_under};
use serval_netproof::decomposition::system::System;
use serval_netproof::decomposition::{Decomposition, First, Order, Step, replaced};
use serval_netproof::{Refusal, Run};
use serval_petri::{Formula, Net};

use crate::arcs::{Split, split};
use crate::covering::covering;
use crate::free::{Bounded, bounded};
use crate::parts::{is_connected, order};
use crate::run::run;
use crate::value::value;

/// How many sequences are looked at, at most.
pub const MOST_NODES: usize = 100_000;

/// How many places a net has at most.
pub const MOST_PLACES: usize = 200;

/// How many values of a place are cases, at most.
const MOST_VALUES: usize = 10_000;

/// What was found out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// A run into the goal.
    Reached(Run),
    /// No marking of the goal can be reached.
    Excluded(Decomposition),
    /// There is a run to all numbers that the goal says of places, but it says more.
    Nothing,
}

/// How often each rule was used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Sequences that were looked at.
    pub nodes: usize,
    /// Sequences whose systems have no solution.
    pub refuted: usize,
    /// Covering graphs forwards.
    pub forward: usize,
    /// Covering graphs backwards.
    pub backward: usize,
    /// Splits at strongly connected parts.
    pub leave: usize,
    /// Places of which all values were listed.
    pub value: usize,
    /// Splits at arcs.
    pub first: usize,
    /// The most pieces of a sequence.
    pub pieces: usize,
    /// How often the run pumps, if there is one.
    pub rounds: u64,
}

/// What replaces a piece, where nothing was begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Its covering graph forwards.
    Forward,
    /// Its covering graph backwards.
    Backward,
    /// The values of a place.
    Value,
    /// The first of some arcs.
    Arcs,
}

impl Rule {
    /// The order in which they pay. Arcs before all else would list the orders of all that happens finitely often. The answer is the same for each order.
    pub const ORDER: [Self; 4] = [Self::Forward, Self::Backward, Self::Value, Self::Arcs];
}

/// What is known of a piece.
#[derive(Clone, Debug, Default)]
struct Known {
    /// Arcs that it is being split at.
    split: Option<Split>,
    is_connected: bool,
    is_pumpable: [bool; 2],
}

/// A sequence with what is known of its pieces.
struct Open {
    sequence: Sequence,
    known: Vec<Known>,
}

/// Decides whether a marking of the goal can be reached.
pub fn decide(net: &Net, goal: &Formula, budget: &mut Budget) -> Result<(Said, Counts), Refusal> {
    decide_in(net, goal, Rule::ORDER, budget)
}

/// The same with another order of the rules.
pub fn decide_in(net: &Net, goal: &Formula, rules: [Rule; 4], budget: &mut Budget) -> Result<(Said, Counts), Refusal> {
    if net.place_count() > MOST_PLACES {
        return Err(Refusal::TooLarge { what: "places for a decomposition", limit: MOST_PLACES as u64 });
    }
    let mut counts = Counts::default();
    let mut steps = Vec::new();
    let mut open = vec![Open { sequence: Sequence::whole(net, goal), known: vec![Known::default()] }];
    while let Some(mut next) = open.pop() {
        budget.spend(1)?;
        counts.nodes += 1;
        counts.pieces = counts.pieces.max(next.sequence.pieces.len());
        if counts.nodes > MOST_NODES {
            return Err(Refusal::TooLarge { what: "sequences of a decomposition", limit: MOST_NODES as u64 });
        }
        next.check_invariants();
        let system = System::new(net, &next.sequence, false, budget)?;
        let step = match Solver::new(system.problem.clone()).solve(budget) {
            Outcome::Refuted(tree) => Some(Step::Refuted(tree)),
            Outcome::Stopped(stopped) => return Err(stopped.into()),
            Outcome::Satisfiable(_) => next.step(net, &system, rules, budget)?,
        };
        let Some(step) = step else {
            let Some((run, rounds)) = run(net, goal, &next.sequence, budget)? else { return Ok((Said::Nothing, counts)) };
            counts.rounds = rounds;
            return Ok((Said::Reached(run), counts));
        };
        counts.count(&step);
        let children = replaced(net, &next.sequence, &step, MOST_VALUES, budget)?;
        let children: Vec<Open> = children.into_iter().enumerate().map(|(case, sequence)| next.child(&step, case, sequence)).collect();
        open.extend(children.into_iter().rev());
        steps.push(step);
    }
    Ok((Said::Excluded(Decomposition { steps }), counts))
}

impl Counts {
    fn count(&mut self, step: &Step) {
        let count = match step {
            Step::Refuted(_) => &mut self.refuted,
            Step::Forward(_) => &mut self.forward,
            Step::Backward(_) => &mut self.backward,
            Step::Order(_) => return,
            Step::Leave(_) => &mut self.leave,
            Step::Value(_) => &mut self.value,
            Step::First(_) => &mut self.first,
        };
        *count += 1;
    }
}

impl Open {
    /// What can be done with a sequence whose system has a solution; nothing if it is perfect.
    fn step(&mut self, net: &Net, system: &System, rules: [Rule; 4], budget: &mut Budget) -> Result<Option<Step>, Refusal> {
        let numbered = || (0..).zip(&self.sequence.pieces);
        if let Some((piece, split)) = self.known.iter().enumerate().find_map(|(piece, known)| Some((piece, known.split.as_ref()?))) {
            return Ok(Some(Step::First(First { piece, arcs: split.arcs.clone() })));
        }
        if let Some((piece, _)) = numbered().find(|(_, piece)| piece.order.is_some()) {
            return Ok(Some(Step::Leave(piece)));
        }
        for (number, piece) in numbered() {
            if !self.known[number].is_connected {
                if !is_connected(piece) {
                    return Ok(Some(Step::Order(Order { piece: number, numbers: order(piece) })));
                }
                self.known[number].is_connected = true;
            }
        }
        let mut known: Option<Bounded> = None;
        for rule in rules {
            match rule {
                Rule::Forward | Rule::Backward => {
                    if let Some(step) = self.cover(net, rule == Rule::Forward, budget)? {
                        return Ok(Some(step));
                    }
                }
                Rule::Value | Rule::Arcs => {
                    let bounded = match known.take() {
                        Some(bounded) => bounded,
                        None => bounded(net, &self.sequence, budget)?,
                    };
                    if let (Rule::Value, Some(&one)) = (rule, bounded.values.first()) {
                        return Ok(Some(Step::Value(value(system, one, budget)?)));
                    }
                    let arcs = bounded.arcs.iter().enumerate().find(|(_, arcs)| !arcs.is_empty());
                    if let (Rule::Arcs, Some((piece, arcs))) = (rule, arcs) {
                        self.known[piece].split = Some(split(system, piece, arcs.clone(), budget)?);
                        return Ok(Some(Step::First(First { piece, arcs: arcs.clone() })));
                    }
                    known = Some(bounded);
                }
            }
        }
        Ok(None)
    }

    /// The covering graph of the first piece that is not pumpable, forwards or backwards.
    fn cover(&mut self, net: &Net, forward: bool, budget: &mut Budget) -> Result<Option<Step>, Refusal> {
        let side = usize::from(!forward);
        for (number, piece) in self.sequence.pieces.iter().enumerate() {
            if self.known[number].is_pumpable[side] {
                continue;
            }
            if let Some(covering) = covering(net, number, piece, forward, budget)? {
                return Ok(Some(if forward { Step::Forward(covering) } else { Step::Backward(covering) }));
            }
            self.known[number].is_pumpable[side] = true;
        }
        Ok(None)
    }

    /// One of the sequences that a step replaces this one by.
    fn child(&self, step: &Step, case: usize, sequence: Sequence) -> Self {
        let piece = step.piece().unwrap_or(0);
        let new = sequence.pieces.len() + 1 - self.sequence.pieces.len();
        let mut known = vec![Known::default(); new];
        match (step, &self.known[piece].split) {
            (Step::First(_), Some(split)) => {
                if case > 0
                    && let Some(rest) = known.last_mut()
                {
                    // It may turn out that there is no use left; then the system of this has no solution.
                    rest.split = Some(Split { allowance: split.allowance.saturating_sub(1), ..split.clone() });
                }
            }
            (Step::Value(value), _) => {
                known[0] = self.known[piece].clone();
                known[0].is_pumpable[usize::from(value.last)] = false;
            }
            _ => {}
        }
        #[cfg(debug_assertions)]
        {
            let before = crate::rank::rank(&self.sequence.pieces[piece], self.allowance(step, piece));
            for (made, known) in sequence.pieces[piece..piece + new].iter().zip(&known) {
                let after = crate::rank::rank(made, known.split.as_ref().map(|split| split.allowance));
                // With no use left the rest is only looked at to be refuted.
                assert!(after < before || known.split.as_ref().is_some_and(|split| split.allowance == 0), "{before:?} {after:?} {step:?}");
            }
        }
        let mut all = self.known.clone();
        all.splice(piece..=piece, known);
        Self { sequence, known: all }
    }

    /// How often arcs could be used that the piece was being split at before the step.
    #[cfg(debug_assertions)]
    fn allowance(&self, step: &Step, piece: usize) -> Option<u64> {
        self.known[piece].split.as_ref().filter(|_| matches!(step, Step::First(_))).map(|split| split.allowance)
    }

    /// What holds of every sequence.
    fn check_invariants(&self) {
        debug_assert_eq!(self.sequence.pieces.len(), self.known.len());
        debug_assert_eq!(self.sequence.pieces.len(), self.sequence.joints.len() + 1);
        debug_assert!(self.sequence.pieces.iter().all(|piece| has_invariants(piece)));
    }
}

/// Entry, exit and arcs are vertices; what is under the first and the last label is under those of entry and exit.
fn has_invariants(piece: &Piece) -> bool {
    let is_vertex = |vertex: usize| vertex < piece.labels.len();
    is_vertex(piece.entry)
        && is_vertex(piece.exit)
        && piece.arcs.iter().all(|arc| is_vertex(arc.from) && is_vertex(arc.to))
        && is_under(&piece.first, &piece.labels[piece.entry])
        && is_under(&piece.last, &piece.labels[piece.exit])
}
