//! What a decomposition is about: pieces, one after the other.

use std::rc::Rc;

use serval_petri::{Constraint, Formula, Net, Target, TransitionId};

use crate::Refusal;
use crate::conditions::NUMBERS;

/// How many conditions the cases of a goal have together, at most.
pub const MOST_CONDITIONS: usize = 10_000;

/// The tokens by place; nothing is ω, any number. A marking is *under* a label if it has its numbers.
pub type Label = Vec<Option<u64>>;

/// A transition from a vertex to a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Where it begins, by number.
    pub from: usize,
    /// What fires.
    pub transition: TransitionId,
    /// Where it ends, by number.
    pub to: usize,
}

/// A graph whose paths from the entry to the exit a run follows. The module above says what its runs are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// One for each vertex.
    pub labels: Rc<Vec<Label>>,
    /// The arcs, between vertices that have labels.
    pub arcs: Rc<Vec<Edge>>,
    /// Where paths begin.
    pub entry: usize,
    /// Where they end.
    pub exit: usize,
    /// What the marking in the beginning is under.
    pub first: Label,
    /// What the marking at the end is under.
    pub last: Label,
    /// Numbers of vertices that fall along no arc, if there are any.
    pub order: Option<Rc<Vec<u32>>>,
}

/// Pieces, and the transitions that lead from each to the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sequence {
    /// The pieces: one more than transitions.
    pub pieces: Vec<Rc<Piece>>,
    /// What fires from the exit of a piece to the entry of the next.
    pub joints: Vec<TransitionId>,
    /// What else the marking at the end meets.
    pub rows: Rc<Vec<Constraint>>,
}

/// Whether all that is under one label is under another.
pub fn is_under(one: &Label, other: &Label) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| other.is_none() || one == other)
}

/// The label that just those markings are under that are under both; `None` where there are none.
pub fn both(one: &Label, other: &Label) -> Option<Label> {
    let met = one.iter().zip(other).map(|(&one, &other)| match (one, other) {
        (Some(one), Some(other)) => (one == other).then_some(Some(one)),
        _ => Some(one.or(other)),
    });
    met.collect()
}

/// Where a transition leads from what is under a label, forwards or backwards; `None` where it cannot fire from there.
pub fn fired(net: &Net, label: &Label, transition: TransitionId, forward: bool) -> Result<Option<Label>, Refusal> {
    let (takes, gives) = (net.inputs(transition), net.outputs(transition));
    let (takes, gives) = if forward { (takes, gives) } else { (gives, takes) };
    let mut next = label.clone();
    for &(place, weight) in takes {
        if let Some(tokens) = &mut next[place.index()] {
            let Some(left) = tokens.checked_sub(weight) else { return Ok(None) };
            *tokens = left;
        }
    }
    for &(place, weight) in gives {
        if let Some(tokens) = &mut next[place.index()] {
            *tokens = tokens.checked_add(weight).ok_or(NUMBERS)?;
        }
    }
    Ok(Some(next))
}

/// What every marking of a target is under, and what else it meets: `p = n` is in the label, for the first `n` that is
/// said of `p`, and all else is not.
pub fn label_of(net: &Net, target: &Target) -> (Label, Vec<Constraint>) {
    let (mut label, mut rows): (Label, _) = (vec![None; net.place_count()], Vec::new());
    for constraint in target.constraints() {
        let value = match constraint {
            Constraint::Zero(linear) => match *linear.terms() {
                [(place, factor)] => {
                    let (constant, factor) = (-i128::from(linear.constant()), i128::from(factor));
                    let tokens = (constant % factor == 0).then(|| u64::try_from(constant / factor).ok()).flatten();
                    tokens.map(|tokens| (place, tokens))
                }
                _ => None,
            },
            Constraint::AtLeastZero(_) | Constraint::NotDivisible { .. } => None,
        };
        match value.and_then(|(place, tokens)| Some((label.get_mut(place.index())?, tokens))) {
            Some((known @ None, tokens)) => *known = Some(tokens),
            Some((Some(known), tokens)) if *known == tokens => {}
            _ => rows.push(constraint.clone()),
        }
    }
    (label, rows)
}

impl Sequence {
    /// All runs into a goal, a sequence for each of its cases; what is too large for that is an error.
    pub fn cases(net: &Net, goal: &Formula) -> Result<Vec<Self>, Refusal> {
        let cases = goal.targets(MOST_CONDITIONS);
        let cases = cases.ok_or(Refusal::TooLarge { what: "conditions in the cases of a goal", limit: MOST_CONDITIONS as u64 })?;
        Ok(cases.iter().map(|target| Self::whole(net, target)).collect())
    }

    /// All runs into a target: one vertex, of which nothing is known, with a loop for each transition.
    pub fn whole(net: &Net, target: &Target) -> Self {
        let (last, rows) = label_of(net, target);
        let arcs = net.transitions().map(|transition| Edge { from: 0, transition, to: 0 }).collect();
        let piece = Piece {
            labels: Rc::new(vec![vec![None; net.place_count()]]),
            arcs: Rc::new(arcs),
            entry: 0,
            exit: 0,
            first: net.places().map(|place| Some(net.initial_tokens(place))).collect(),
            last,
            order: None,
        };
        Self { pieces: vec![Rc::new(piece)], joints: Vec::new(), rows: Rc::new(rows) }
    }

    /// The same with other pieces instead of one, joined by these transitions.
    pub(super) fn with(&self, piece: usize, pieces: Vec<Piece>, joints: &[TransitionId]) -> Self {
        let mut next = self.clone();
        next.pieces.splice(piece..=piece, pieces.into_iter().map(Rc::new));
        next.joints.splice(piece..piece, joints.iter().copied());
        next
    }
}
