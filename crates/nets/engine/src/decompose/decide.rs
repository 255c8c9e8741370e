//! Which step is taken when.

use serval_arith::{Outcome, Solver};
use serval_budget::{Budget, Stopped};
use serval_net_proof::decomposition::sequence::{Piece, Sequence, is_under};
use serval_net_proof::decomposition::system::System;
use serval_net_proof::decomposition::{Decomposition, First, Order, SequenceStep, replaced};
use serval_net_proof::{Refusal, Run};
use serval_petri::{Formula, Net};

use crate::decompose::arcs::{Split, split};
use crate::decompose::covering::covering;
use crate::decompose::ended;
use crate::decompose::free::{Bounded, bounded};
use crate::decompose::parts::{is_connected, order};
use crate::decompose::run::run;
use crate::decompose::value::value;

/// How many sequences are looked at, at most.
pub const MOST_NODES: usize = 100_000;

/// How many places a net has at most.
pub const MOST_PLACES: usize = 200;

/// How many values of a place are cases, at most.
const MOST_VALUES: usize = 10_000;

/// Ticks for the question whether a system has a solution, before a sequence is split without an answer.
const SYSTEM_TICKS: u64 = 20_000;

/// What was found out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DecompositionOutcome {
    /// A run into the goal.
    Reached(Run),
    /// No marking of the goal can be reached.
    Excluded(Decomposition),
    /// There is a run to all but what the goal says of divisibility, by numbers that are too large.
    Nothing,
}

/// A sequence that was looked at, or is to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SequenceNode {
    /// The number of the sequence that it comes from; none for a case of the goal.
    pub parent: Option<usize>,
    /// Which of the sequences that replace that one it is, or which case of the goal.
    pub case: usize,
    /// The sequence.
    pub sequence: Sequence,
    /// What became of it.
    pub fate: Fate,
}

/// What became of a sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Nothing yet.
    Open,
    /// It was replaced by others, or by none.
    Replaced(SequenceStep),
    /// It is perfect, and has a run.
    Perfect,
}

/// How often each rule was used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RuleCounts {
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
    /// The most arcs of a sequence.
    pub arcs: usize,
    /// How often the run pumps, if there is one.
    pub rounds: u64,
}

/// What replaces a piece, where nothing was begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecompositionRule {
    /// Its covering graph forwards.
    Forward,
    /// Its covering graph backwards.
    Backward,
    /// The values of a place.
    Value,
    /// The first of some arcs.
    Arcs,
}

impl DecompositionRule {
    /// The order in which they pay. Arcs before all else would list the orders of all that happens finitely often. The
    /// answer is the same for each order.
    pub const ORDER: [Self; 4] = [Self::Forward, Self::Backward, Self::Value, Self::Arcs];
}

/// What is known of a piece.
#[derive(Clone, Debug, Default)]
struct PieceFacts {
    /// Arcs that it is being split at.
    split: Option<Split>,
    is_connected: bool,
    is_pumpable: [bool; 2],
}

/// A sequence with what is known of its pieces.
struct Open {
    /// The number of the sequence that it comes from, and which of those that replace it this is.
    from: (Option<usize>, usize),
    sequence: Sequence,
    known: Vec<PieceFacts>,
}

/// Decides whether a marking of the goal can be reached.
pub fn decide(net: &Net, goal: &Formula, budget: &mut Budget) -> Result<(DecompositionOutcome, RuleCounts), Refusal> {
    decide_in(net, goal, DecompositionRule::ORDER, budget)
}

/// The same with another order of the rules.
pub fn decide_in(
    net: &Net,
    goal: &Formula,
    rules: [DecompositionRule; 4],
    budget: &mut Budget,
) -> Result<(DecompositionOutcome, RuleCounts), Refusal> {
    let mut search = DecompositionSearch::new(net, goal, rules)?;
    loop {
        if let Some(said) = search.step(budget)? {
            return Ok((said, search.counts));
        }
    }
}

/// Looks at one sequence after the other; who wants to can see each of them.
pub struct DecompositionSearch<'a> {
    net: &'a Net,
    goal: &'a Formula,
    rules: [DecompositionRule; 4],
    open: Vec<Open>,
    steps: Vec<SequenceStep>,
    /// How often each rule was used, so far.
    pub counts: RuleCounts,
    /// What was looked at, in order, if it is kept.
    kept: Option<Vec<SequenceNode>>,
}

impl<'a> DecompositionSearch<'a> {
    /// Begins with the cases of a goal.
    pub fn new(net: &'a Net, goal: &'a Formula, rules: [DecompositionRule; 4]) -> Result<Self, Refusal> {
        if net.place_count() > MOST_PLACES {
            return Err(Refusal::TooLarge { what: "places for a decomposition", limit: MOST_PLACES as u64 });
        }
        let cases = Sequence::cases(net, goal)?.into_iter().enumerate();
        let mut open: Vec<Open> =
            cases.map(|(case, sequence)| Open { from: (None, case), sequence, known: vec![PieceFacts::default()] }).collect();
        open.reverse();
        Ok(Self { net, goal, rules, open, steps: Vec::new(), counts: RuleCounts::default(), kept: None })
    }

    /// The same, which keeps what it looks at.
    #[must_use]
    pub fn keeping(mut self) -> Self {
        self.kept = Some(Vec::new());
        self
    }

    /// What was looked at, in order, and then what is open, where that was to be kept.
    pub fn into_nodes(self) -> Vec<SequenceNode> {
        let mut nodes = self.kept.unwrap_or_default();
        let open = self.open.into_iter().rev();
        nodes.extend(open.map(|open| SequenceNode { parent: open.from.0, case: open.from.1, sequence: open.sequence, fate: Fate::Open }));
        nodes
    }

    /// How many sequences are open.
    pub fn open(&self) -> usize {
        self.open.len()
    }

    /// Looks at the next sequence. It stays open where that ends with an error.
    pub fn step(&mut self, budget: &mut Budget) -> Result<Option<DecompositionOutcome>, Refusal> {
        let Some(mut next) = self.open.pop() else {
            return Ok(Some(DecompositionOutcome::Excluded(Decomposition { steps: std::mem::take(&mut self.steps) })));
        };
        let fate = self.fate(&mut next, budget);
        let (said, fate) = match fate {
            Ok((said, fate)) => (said, fate),
            Err(refusal) => {
                self.open.push(next);
                return Err(refusal);
            }
        };
        if let Some(kept) = &mut self.kept {
            let Open { from: (parent, case), sequence, .. } = next;
            kept.push(SequenceNode { parent, case, sequence, fate });
        }
        Ok(said)
    }

    /// What becomes of a sequence; what replaces it is open then.
    fn fate(&mut self, next: &mut Open, budget: &mut Budget) -> Result<(Option<DecompositionOutcome>, Fate), Refusal> {
        budget.spend(1)?;
        let number = self.counts.nodes;
        if number >= MOST_NODES {
            return Err(Refusal::TooLarge { what: "sequences of a decomposition", limit: MOST_NODES as u64 });
        }
        self.counts.pieces = self.counts.pieces.max(next.sequence.pieces.len());
        self.counts.arcs = self.counts.arcs.max(next.sequence.pieces.iter().map(|piece| piece.arcs.len()).sum());
        next.check_invariants();
        let system = System::new(self.net, &next.sequence, false, budget)?;
        let step = next.step_or_refuted(self.net, &system, self.rules, budget)?;
        let Some(step) = step else {
            let found = run(self.net, self.goal, &next.sequence, budget)?;
            self.counts.nodes += 1;
            let Some((run, rounds)) = found else { return Ok((Some(DecompositionOutcome::Nothing), Fate::Perfect)) };
            self.counts.rounds = rounds;
            return Ok((Some(DecompositionOutcome::Reached(run)), Fate::Perfect));
        };
        let children = replaced(self.net, &next.sequence, &step, MOST_VALUES, budget)?;
        self.counts.nodes += 1;
        self.counts.count(&step);
        let children: Vec<Open> =
            children.into_iter().enumerate().map(|(case, sequence)| next.child(&step, (number, case), sequence)).collect();
        self.open.extend(children.into_iter().rev());
        self.steps.push(step.clone());
        Ok((None, Fate::Replaced(step)))
    }
}

impl RuleCounts {
    fn count(&mut self, step: &SequenceStep) {
        let count = match step {
            SequenceStep::Refuted(_) => &mut self.refuted,
            SequenceStep::Forward(_) => &mut self.forward,
            SequenceStep::Backward(_) => &mut self.backward,
            SequenceStep::Order(_) => return,
            SequenceStep::Leave(_) => &mut self.leave,
            SequenceStep::Value(_) => &mut self.value,
            SequenceStep::First(_) => &mut self.first,
        };
        *count += 1;
    }
}

impl Open {
    /// What can be done with a sequence; nothing if it is perfect. Every step is one whether the system has a solution
    /// or not, and what steps ask of it they ask over the rationals. So where whole numbers take long, the sequence is
    /// split first, and only what cannot be split has to have an answer.
    fn step_or_refuted(
        &mut self,
        net: &Net,
        system: &System,
        rules: [DecompositionRule; 4],
        budget: &mut Budget,
    ) -> Result<Option<SequenceStep>, Refusal> {
        let mut part = budget.part(SYSTEM_TICKS);
        let given = part.left();
        let outcome = Solver::new(system.problem.clone()).solve(&mut part);
        budget.spend(given.saturating_sub(part.left()))?;
        match outcome {
            Outcome::Refuted(tree) => return Ok(Some(SequenceStep::Refuted(tree))),
            Outcome::Satisfiable(_) => return self.step(net, system, rules, budget),
            Outcome::Stopped(Stopped::Cancelled) => return Err(Stopped::Cancelled.into()),
            Outcome::Stopped(Stopped::OutOfTicks) => {}
        }
        match self.step(net, system, rules, budget) {
            Err(Refusal::TooLarge { .. }) | Ok(None) => {}
            other => return other,
        }
        match Solver::new(system.problem.clone()).solve(budget) {
            Outcome::Refuted(tree) => Ok(Some(SequenceStep::Refuted(tree))),
            Outcome::Stopped(stopped) => Err(ended(stopped, budget)),
            Outcome::Satisfiable(_) => self.step(net, system, rules, budget),
        }
    }

    /// What can be done with a sequence whose system has a solution; nothing if it is perfect.
    fn step(
        &mut self,
        net: &Net,
        system: &System,
        rules: [DecompositionRule; 4],
        budget: &mut Budget,
    ) -> Result<Option<SequenceStep>, Refusal> {
        let numbered = || (0..).zip(&self.sequence.pieces);
        if let Some((piece, split)) = self.known.iter().enumerate().find_map(|(piece, known)| Some((piece, known.split.as_ref()?))) {
            return Ok(Some(SequenceStep::First(First { piece, arcs: split.arcs.clone() })));
        }
        if let Some((piece, _)) = numbered().find(|(_, piece)| piece.order.is_some()) {
            return Ok(Some(SequenceStep::Leave(piece)));
        }
        for (number, piece) in numbered() {
            if !self.known[number].is_connected {
                if !is_connected(piece) {
                    return Ok(Some(SequenceStep::Order(Order { piece: number, numbers: order(piece) })));
                }
                self.known[number].is_connected = true;
            }
        }
        let mut known: Option<Bounded> = None;
        // Whether a place has more values than can be cases: then the sequence is not perfect.
        let mut is_left_out = false;
        for rule in rules {
            match rule {
                DecompositionRule::Forward | DecompositionRule::Backward => {
                    if let Some(step) = self.cover(net, rule == DecompositionRule::Forward, budget)? {
                        return Ok(Some(step));
                    }
                }
                DecompositionRule::Value | DecompositionRule::Arcs => {
                    let bounded = match known.take() {
                        Some(bounded) => bounded,
                        None => bounded(net, &self.sequence, budget)?,
                    };
                    if rule == DecompositionRule::Value {
                        for &one in &bounded.values {
                            let value = value(system, one, budget)?;
                            if value.most.saturating_sub(value.least) < MOST_VALUES as u64 {
                                return Ok(Some(SequenceStep::Value(value)));
                            }
                            is_left_out = true;
                        }
                    }
                    let arcs = bounded.arcs.iter().enumerate().find(|(_, arcs)| !arcs.is_empty());
                    if let (DecompositionRule::Arcs, Some((piece, arcs))) = (rule, arcs) {
                        self.known[piece].split = Some(split(system, piece, arcs.clone(), budget)?);
                        return Ok(Some(SequenceStep::First(First { piece, arcs: arcs.clone() })));
                    }
                    known = Some(bounded);
                }
            }
        }
        if is_left_out { Err(Refusal::TooLarge { what: "values of a place", limit: MOST_VALUES as u64 }) } else { Ok(None) }
    }

    /// The covering graph of the first piece that is not pumpable, forwards or backwards.
    fn cover(&mut self, net: &Net, forward: bool, budget: &mut Budget) -> Result<Option<SequenceStep>, Refusal> {
        let side = usize::from(!forward);
        for (number, piece) in self.sequence.pieces.iter().enumerate() {
            if self.known[number].is_pumpable[side] {
                continue;
            }
            if let Some(covering) = covering(net, number, piece, forward, budget)? {
                return Ok(Some(if forward { SequenceStep::Forward(covering) } else { SequenceStep::Backward(covering) }));
            }
            self.known[number].is_pumpable[side] = true;
        }
        Ok(None)
    }

    /// One of the sequences that a step replaces this one by.
    fn child(&self, step: &SequenceStep, (parent, case): (usize, usize), sequence: Sequence) -> Self {
        let piece = step.piece().unwrap_or(0);
        let new = sequence.pieces.len() + 1 - self.sequence.pieces.len();
        let mut known = vec![PieceFacts::default(); new];
        match (step, &self.known[piece].split) {
            (SequenceStep::First(_), Some(split)) => {
                if case > 0
                    && let Some(rest) = known.last_mut()
                {
                    // It may turn out that there is no use left; then the system of this has no solution.
                    rest.split = Some(Split { allowance: split.allowance.saturating_sub(1), ..split.clone() });
                }
            }
            (SequenceStep::Value(value), _) => {
                known[0] = self.known[piece].clone();
                known[0].is_pumpable[usize::from(value.last)] = false;
            }
            _ => {}
        }
        #[cfg(debug_assertions)]
        {
            let before = crate::decompose::rank::rank(&self.sequence.pieces[piece], self.allowance(step, piece));
            for (made, known) in sequence.pieces[piece..piece + new].iter().zip(&known) {
                let after = crate::decompose::rank::rank(made, known.split.as_ref().map(|split| split.allowance));
                // With no use left the rest is only looked at to be refuted.
                assert!(after < before || known.split.as_ref().is_some_and(|split| split.allowance == 0), "{before:?} {after:?} {step:?}");
            }
        }
        let mut all = self.known.clone();
        all.splice(piece..=piece, known);
        Self { from: (Some(parent), case), sequence, known: all }
    }

    /// How often arcs could be used that the piece was being split at before the step.
    #[cfg(debug_assertions)]
    fn allowance(&self, step: &SequenceStep, piece: usize) -> Option<u64> {
        self.known[piece].split.as_ref().filter(|_| matches!(step, SequenceStep::First(_))).map(|split| split.allowance)
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
