//! The KLMST decomposition (Mayr 1981; Kosaraju 1982; Lambert 1992), evidence of kind `decomposition`: all runs into
//! the goal are split into cases until none is left.
//!
//! # Sequences
//!
//! Lambert's *marked graph-transition sequences* are called sequences here:
//!
//! - A *label* gives each place a number of tokens or ω, and a marking is *under* it if it has its numbers.
//! - A *piece* is a graph whose vertices have labels and whose arcs are transitions, with an entry and an exit, which
//!   are vertices, and a first and a last label.
//! - A *sequence* is a list of pieces, each joined to the next by a transition, with *rows*: linear conditions on the
//!   last marking.
//!
//! A *run* of a sequence is a firing sequence of the net from its initial marking that can be cut such that
//!
//! - each piece has its part, which begins under the first label of the piece and ends under its last, and which
//!   follows a path of arcs from the entry to the exit;
//! - each marking on the way of a part is under the label of the vertex that the path has come to;
//! - between two parts the transition fires that joins their pieces;
//! - the marking at the end meets the rows of the sequence.
//!
//! The checker splits the goal into *cases* itself: conjunctions of conditions, of which one holds iff the goal does
//! ([`Formula::targets`]). The *whole* sequence of a case has one piece with one vertex, whose label is ω everywhere,
//! and a loop for each transition; the first label is the initial marking; the last label has the numbers that the case
//! says of places (`p = n`); and all other conditions of the case are rows. Each firing sequence into the goal is a run
//! of the whole sequence of one of its cases.
//!
//! The *characteristic system* of a sequence has a variable for each arc of each piece, at least 0: how often it is
//! used. The tokens at the beginning and the end of each piece are sums over the arcs before. The system says that
//!
//! - they are those of the first and last label;
//! - they are at least what the next joint takes, and at last at least 0;
//! - for each vertex of a piece arcs leave it as often as they enter it, once more if it is the entry, once less if it
//!   is the exit;
//! - the tokens at the end meet the rows.
//!
//! Each run solves it, and no step changes the rows.
//!
//! # Steps
//!
//! Evidence is a list of steps. The checker has a stack of open sequences, at first the whole ones, of which the last
//! case is taken last. Each step takes the last of them and replaces it by other sequences, of which the first is taken
//! first. Each step is about a piece that the sequence has (`net.decomposition.piece`). New pieces have the labels of
//! vertices as their first and last labels where they are joined. At the end no sequence is open
//! (`net.decomposition.open`).
//!
//! - **`refuted`**: a proof tree shows that the characteristic system of the sequence has no solution. *Replaced by*
//!   nothing.
//! - **`forward`**: a covering graph of the piece.
//!   - It has vertices, each a vertex `u` of the piece and a label (`net.decomposition.vertices`). The first is the
//!     entry, and the first label of the piece is under its label (`net.decomposition.root`).
//!   - For each of them and each arc from `u` that can fire from the label, in order, it says where the arc leads to
//!     (`net.decomposition.edges`): a vertex of the end of the arc whose label has under it every marking that is
//!     reached so (`net.decomposition.closed`).
//!   - *Replaced by*, for each vertex of the exit, in order, whose label and the last one have a marking in common: the
//!     new graph as the piece, from its first vertex to that one.
//! - **`backward`**: the same from the exit and the last label against the arcs. *Replaced by*, for each vertex of the
//!   entry: the new graph, from that one to the first.
//! - **`order`**: a number for each vertex that falls along no arc (`net.decomposition.order`). *Replaced by* the same
//!   with these numbers.
//! - **`leave`**: a piece that has such numbers (`net.decomposition.ordered`).
//!   - If entry and exit have the same number, it is *replaced by* the piece with arcs between vertices of this number
//!     alone.
//!   - If not, it is *replaced by*, for each arc from the number of the entry to a greater one that is at most that of
//!     the exit: a piece with arcs between vertices of that number, to the beginning of the arc, joined by its
//!     transition to a piece from its end with all arcs between greater numbers.
//! - **`value`**: a place (`net.decomposition.place`), whether at the beginning or the end of the piece, a least and a
//!   greatest number of tokens, and a proof tree that shows that the system has no solution with fewer or more.
//!   *Replaced by*, for each number: the same with the number in the first or last label.
//! - **`first`**: some of the arcs (`net.decomposition.arcs`). *Replaced by* the piece without them; then for each of
//!   them: a piece without them to the beginning of the arc, joined by its transition to the same piece from its end.
//!
//! # Why it is right
//!
//! **Lemma.** If a step replaces a sequence, each run of it is a run of one of those that replace it.
//!
//! **Proof.** By the kind of step:
//!
//! - `refuted`: a run solves the system, which has no solution.
//! - `forward`: let the part of the piece follow the arcs `a_1, …, a_n` through the markings `M_0, …, M_n`. `M_0` is
//!   under the first label and so under the label of the first vertex. Let `M_i` be under the label of a new vertex of
//!   the vertex that the path has come to. `a_{i+1}` can fire from that label, since it does at `M_i`; so it leads to a
//!   new vertex of its end, whose label `M_{i+1}` is under. So the part follows a path in the new graph under its
//!   labels, which ends in a vertex of the exit; `M_n` is under its label and under the last one, and the new last
//!   label is what just these are under.
//! - `backward`: the same against time, since a marking that `a_{i+1}` leads to has the tokens that it gives.
//! - `order`: runs do not see the numbers.
//! - `leave`: numbers do not fall along the path. If entry and exit have the same, all have it. If not, there is a
//!   first arc to a greater number, all arcs before are between vertices of the number of the entry, and all after it
//!   between greater ones; none is greater than that of the exit. The run is cut there, at markings under the labels of
//!   the vertices.
//! - `value`: the numbers of the run solve the system, so the tokens are among those listed.
//! - `first`: the path uses none of the arcs, or there is the first that it uses. ∎
//!
//! **Theorem.** If the checker accepts, no marking of the goal can be reached.
//!
//! **Proof.** Suppose there is a firing sequence into the goal. It is a run of the whole sequence of a case. By the
//! lemma, as long as there are steps, it is a run of an open sequence. At the end there is none. ∎
//!
//! Soundness does not depend on minimality of the graphs, on pumpability or on termination. The checker refuses steps
//! that are left over (`net.decomposition.rest`); the theorem does not need it.

pub mod sequence;
pub mod system;

use std::rc::Rc;

use serde::{Deserialize, Serialize};
use serval_budget::Budget;
use serval_diagnostic::counted;
use serval_evidence::require;
use serval_linear::{Linear, Literal, Problem, Tree, check_tree};
use serval_petri::{Formula, Net};

use crate::Refusal;
use crate::conditions::NUMBERS;
use sequence::{Edge, Label, Piece, Sequence, both, fired, is_under};
use system::System;

/// Cases until none is left.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Decomposition {
    /// What becomes of the sequence that is open last, one after the other.
    pub steps: Vec<SequenceStep>,
}

/// What becomes of a sequence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SequenceStep {
    /// Its system has no solution.
    Refuted(Tree),
    /// A piece follows a graph with more in its labels, from its beginning.
    Forward(Covering),
    /// The same, from its end.
    Backward(Covering),
    /// The vertices of a piece have numbers that do not fall.
    Order(Order),
    /// This piece leaves the vertices with the number of its entry, or stays.
    Leave(usize),
    /// A place has one of these numbers of tokens.
    Value(PlaceValue),
    /// A piece uses one of these arcs first, or none.
    First(First),
}

/// A graph that covers what a piece can do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Covering {
    /// The number of the piece.
    pub piece: usize,
    /// Vertices of the piece with labels.
    pub vertices: Vec<(usize, Label)>,
    /// Where arcs lead that can fire, in order of vertices and arcs.
    pub edges: Vec<usize>,
}

/// Numbers of vertices.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Order {
    /// The number of the piece.
    pub piece: usize,
    /// One for each vertex.
    pub numbers: Vec<u32>,
}

/// Tokens on a place.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct PlaceValue {
    /// The number of the piece.
    pub piece: usize,
    /// Whether at its end.
    pub last: bool,
    /// The number of the place.
    pub place: usize,
    /// The least number of tokens.
    pub least: u64,
    /// The greatest.
    pub most: u64,
    /// Why there are no others.
    pub tree: Tree,
}

/// Arcs that are split at.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct First {
    /// The number of the piece.
    pub piece: usize,
    /// Numbers of arcs of the piece, ascending.
    pub arcs: Vec<usize>,
}

serval_evidence::objects!(Decomposition, Covering, Order, PlaceValue, First);

impl SequenceStep {
    /// The number of the piece that it is about.
    pub fn piece(&self) -> Option<usize> {
        match self {
            Self::Refuted(_) => None,
            Self::Forward(covering) | Self::Backward(covering) => Some(covering.piece),
            Self::Order(order) => Some(order.piece),
            Self::Leave(piece) => Some(*piece),
            Self::Value(value) => Some(value.piece),
            Self::First(first) => Some(first.piece),
        }
    }
}

/// Checks all steps.
pub(crate) fn check(net: &Net, goal: &Formula, evidence: &Decomposition, budget: &mut Budget) -> Result<(), Refusal> {
    let mut open = Sequence::cases(net, goal)?;
    open.reverse();
    let mut steps = evidence.steps.iter();
    while let Some(sequence) = open.pop() {
        // Each open sequence needs a step of its own; to say so early keeps the list short.
        let left = steps.len().saturating_sub(open.len());
        let Some(step) = steps.next().filter(|_| left > 0) else {
            let (others, more) = (counted(open.len() + 1, "sequence"), counted(evidence.steps.len(), "more step"));
            require!(DecompositionOpen, false, "{others} open, and {more}");
            return Ok(());
        };
        let next = replaced(net, &sequence, step, left, budget)?;
        open.extend(next.into_iter().rev());
    }
    require!(DecompositionRest, steps.len() == 0, "{} more than there is to do", counted(steps.len(), "step"));
    Ok(())
}

/// What a step replaces a sequence by, after all that it says is checked, if that are not more than `limit`. Who looks
/// for steps asks here.
pub fn replaced(net: &Net, sequence: &Sequence, step: &SequenceStep, limit: usize, budget: &mut Budget) -> Result<Vec<Sequence>, Refusal> {
    let number = step.piece().unwrap_or(0);
    let Some(piece) = sequence.pieces.get(number) else {
        require!(DecompositionPiece, false, "there is no piece number {number}");
        return Ok(Vec::new());
    };
    let size = sequence.pieces.len().saturating_add(piece.arcs.len()).saturating_add(net.place_count());
    budget.spend(u64::try_from(size / 8).unwrap_or(u64::MAX).saturating_add(1))?;
    let alone = |piece: Piece| sequence.with(number, vec![piece], &[]);
    Ok(match step {
        SequenceStep::Refuted(tree) => {
            check_tree(&System::new(net, sequence, false, budget)?.problem, tree, budget)?;
            Vec::new()
        }
        SequenceStep::Forward(covering) => covered(net, piece, covering, true, budget)?.into_iter().map(alone).collect(),
        SequenceStep::Backward(covering) => covered(net, piece, covering, false, budget)?.into_iter().map(alone).collect(),
        SequenceStep::Order(order) => {
            require!(DecompositionOrder, order.numbers.len() == piece.labels.len(), "there is not one number for each vertex");
            let at = |vertex: usize| order.numbers.get(vertex).copied().unwrap_or(0);
            let falling = piece.arcs.iter().position(|arc| at(arc.from) > at(arc.to));
            require!(DecompositionOrder, falling.is_none(), "the number falls along arc {}", falling.unwrap_or(0));
            vec![alone(Piece { order: Some(Rc::new(order.numbers.clone())), ..Piece::clone(piece) })]
        }
        SequenceStep::Leave(_) => leaves(piece)?.into_iter().map(|(pieces, edges)| sequence.with(number, pieces, &edges)).collect(),
        SequenceStep::Value(value) => {
            require!(DecompositionPlace, value.place < net.place_count(), "there is no place number {}", value.place);
            if value.place >= net.place_count() {
                return Ok(vec![sequence.clone()]);
            }
            check_tree(&value_problem(System::new(net, sequence, false, budget)?, value)?, &value.tree, budget)?;
            let numbers = value.least..=value.most;
            let is_few = numbers.is_empty() || value.most.saturating_sub(value.least) < u64::try_from(limit).unwrap_or(u64::MAX);
            require!(DecompositionOpen, is_few, "there are more numbers of tokens than {}", counted(limit, "step"));
            let limit = if is_few { usize::MAX } else { 0 };
            let with = |tokens| {
                let mut next = Piece::clone(piece);
                let label = if value.last { &mut next.last } else { &mut next.first };
                label[value.place] = Some(tokens);
                alone(next)
            };
            numbers.take(limit).map(with).collect()
        }
        SequenceStep::First(first) => {
            let ascend = first.arcs.is_sorted_by(|one, other| one < other) && first.arcs.last().is_none_or(|&last| last < piece.arcs.len());
            require!(DecompositionArcs, ascend, "the arcs are not some of the piece, ascending");
            let is_split = |arc: &usize| first.arcs.binary_search(arc).is_ok();
            let left = piece.arcs.iter().enumerate().filter(|(arc, _)| !is_split(arc)).map(|(_, arc)| *arc);
            let without = Piece { arcs: Rc::new(left.collect()), order: None, ..Piece::clone(piece) };
            let split = first.arcs.iter().filter_map(|&arc| piece.arcs.get(arc)).map(|arc| {
                let rest = Piece { entry: arc.to, first: piece.labels[arc.to].clone(), order: None, ..Piece::clone(piece) };
                let pieces = vec![Piece { exit: arc.from, last: piece.labels[arc.from].clone(), ..without.clone() }, rest];
                sequence.with(number, pieces, &[arc.transition])
            });
            std::iter::once(alone(without.clone())).chain(split).collect()
        }
    })
}

/// What a tree refutes that shows that there are no other numbers of tokens.
pub fn value_problem(system: System, value: &PlaceValue) -> Result<Problem, Refusal> {
    let ends = if value.last { &system.exits } else { &system.entries };
    let tokens = &ends[value.piece][value.place];
    let (terms, constant) =
        (|sign: i128| tokens.terms().iter().map(move |&(of, factor)| (of, sign * i128::from(factor))), tokens.constant());
    let fewer = Linear::from_wide(terms(-1), i128::from(value.least) - 1 - i128::from(constant)).ok_or(NUMBERS)?;
    let more = Linear::from_wide(terms(1), i128::from(constant) - 1 - i128::from(value.most)).ok_or(NUMBERS)?;
    let mut problem = system.problem;
    problem.clauses.push(vec![Literal::AtLeastZero(fewer), Literal::AtLeastZero(more)]);
    Ok(problem)
}

/// The pieces that a graph leads to.
fn covered(net: &Net, piece: &Piece, covering: &Covering, forward: bool, budget: &mut Budget) -> Result<Vec<Piece>, Refusal> {
    let vertices = &covering.vertices;
    let well_formed = vertices.iter().all(|(vertex, label)| *vertex < piece.labels.len() && label.len() == net.place_count());
    require!(DecompositionVertices, well_formed, "a vertex is not one of the piece with a label for each place");
    if !well_formed {
        return Ok(Vec::new());
    }
    let (begin, under, end, last) = match forward {
        true => (piece.entry, &piece.first, piece.exit, &piece.last),
        false => (piece.exit, &piece.last, piece.entry, &piece.first),
    };
    let is_root = vertices.first().is_some_and(|(vertex, label)| *vertex == begin && is_under(under, label));
    require!(DecompositionRoot, is_root, "the first vertex is not where the piece begins, under its label");
    // Arcs by the vertex where they begin, in order.
    let mut from: Vec<Vec<Edge>> = vec![Vec::new(); piece.labels.len()];
    for arc in piece.arcs.iter() {
        from[if forward { arc.from } else { arc.to }].push(*arc);
    }
    let (mut edges, mut arcs) = (covering.edges.iter(), Vec::with_capacity(covering.edges.len()));
    for (number, (vertex, label)) in vertices.iter().enumerate() {
        for arc in &from[*vertex] {
            budget.spend(1)?;
            let Some(next) = fired(net, label, arc.transition, forward)? else { continue };
            let Some(&edge) = edges.next() else {
                require!(
                    DecompositionEdges,
                    false,
                    "nothing says where “{}” leads from vertex {number}",
                    net.transition_name(arc.transition)
                );
                continue;
            };
            let ends = if forward { arc.to } else { arc.from };
            let closed = vertices.get(edge).is_some_and(|(vertex, label)| *vertex == ends && is_under(&next, label));
            require!(DecompositionClosed, closed, "“{}” does not lead from vertex {number} to {edge}", net.transition_name(arc.transition));
            let (from, to) = if forward { (number, edge) } else { (edge, number) };
            if edge < vertices.len() {
                arcs.push(Edge { from, transition: arc.transition, to });
            }
        }
    }
    require!(DecompositionEdges, edges.len() == 0, "{} left over", counted(edges.len(), "edge"));
    let (labels, arcs) = (Rc::new(vertices.iter().map(|one| one.1.clone()).collect::<Vec<_>>()), Rc::new(arcs));
    let mut pieces = Vec::new();
    for (number, (vertex, label)) in vertices.iter().enumerate() {
        if let Some(met) = both(label, last).filter(|_| *vertex == end) {
            let (labels, arcs, order) = (Rc::clone(&labels), Rc::clone(&arcs), None);
            pieces.push(match forward {
                true => Piece { labels, arcs, entry: 0, exit: number, first: piece.first.clone(), last: met, order },
                false => Piece { labels, arcs, entry: number, exit: 0, first: met, last: piece.last.clone(), order },
            });
        }
    }
    Ok(pieces)
}

/// Pieces and what joins them.
type Joined = (Vec<Piece>, Vec<serval_petri::TransitionId>);

/// The ways in which a piece leaves the vertices with the number of its entry.
fn leaves(piece: &Piece) -> Result<Vec<Joined>, Refusal> {
    let Some(numbers) = &piece.order else {
        require!(DecompositionOrdered, false, "the vertices of the piece have no numbers");
        return Ok(Vec::new());
    };
    let at = |vertex: usize| numbers.get(vertex).copied().unwrap_or(0);
    let (here, end) = (at(piece.entry), at(piece.exit));
    let between = |keep: &dyn Fn(u32, u32) -> bool| -> Rc<Vec<Edge>> {
        Rc::new(piece.arcs.iter().filter(|arc| keep(at(arc.from), at(arc.to))).copied().collect())
    };
    let stay = Piece { arcs: between(&|from, to| from == here && to == here), order: None, ..piece.clone() };
    if here == end {
        return Ok(vec![(vec![stay], Vec::new())]);
    }
    let later = Piece { arcs: between(&|from, _| from > here), ..piece.clone() };
    let leaving = piece.arcs.iter().filter(|arc| at(arc.from) == here && at(arc.to) > here && at(arc.to) <= end);
    let joined = leaving.map(|arc| {
        let before = Piece { exit: arc.from, last: piece.labels[arc.from].clone(), ..stay.clone() };
        let after = Piece { entry: arc.to, first: piece.labels[arc.to].clone(), ..later.clone() };
        (vec![before, after], vec![arc.transition])
    });
    Ok(joined.collect())
}
