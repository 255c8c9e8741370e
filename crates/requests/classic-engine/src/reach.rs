//! The state equation with traps and siphons (Esparza, Melzer 2000): whether a net has a run to a target.
//!
//! The *state equation* with traps (Esparza, Melzer: Verification of safety
//! properties using integer programming: beyond the state equation, 2000), and
//! with siphons: a run makes each transition some number of times, and
//! what is at a place in the end is what was there in the beginning, plus what
//! came, minus what went. If no numbers do that for the target, it is out of
//! reach. If some do, they may be those of a run; if they are not, a [`Reason`]
//! may tell why, and is added:
//!
//! - *Trap*: a set of places such that whatever takes from it gives to it. It is
//!   marked in the beginning, so it is marked in the end.
//! - *Siphon*: places `U` without tokens in the beginning. Nothing is taken from
//!   them unless something that takes nothing from them has given to them.
//! - *Relative trap*: places `B`. If they were ever marked, they are marked in
//!   the end, unless something took from them and gave them nothing.
//!
//! For the numbers of a solution the greatest siphon and trap with respect to
//! the transitions that occur in it are found, and say something new whenever
//! they exist.

use serval_arith::{Outcome, Solver};
use serval_budget::{Budget, Stopped};
use serval_linear::{Linear, Literal, Problem};
use serval_net_slice::{Refutation, Round, Sliced, Unreachable};
use serval_petri::{Constraint, Net, PlaceId, Target, TransitionId, greatest_trap};

use crate::fire;

/// Why a target is out of reach, in part: something that holds at every moment
/// unless one of some sets of places is marked, each of which then stays marked
/// and is empty in all markings of the target. Ids are those of the whole net.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// One of these is marked, or
    pub unless: Vec<Vec<PlaceId>>,
    /// these never fire, and
    pub dead: Vec<TransitionId>,
    /// this holds.
    pub kind: Kind,
}

/// What holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// These places are never marked.
    Never(Vec<PlaceId>),
    /// One of these places is always marked.
    Marked(Vec<PlaceId>),
    /// Nothing is taken from these places before something is given to them
    /// that takes nothing from them.
    Siphon(Vec<PlaceId>),
    /// If something was given to these places, or was there in the beginning,
    /// one of them is marked, unless something took and gave nothing.
    Trap(Vec<PlaceId>),
}

/// What came out.
pub(crate) enum ReachAnswer {
    /// There is no run to the target.
    Unreachable,
    /// There is one.
    Run(Vec<TransitionId>),
    /// Undecided.
    Unknown,
}

/// Solutions that are excluded at most.
const ROUNDS: usize = 300;
/// Ticks for ordering the transitions of one solution.
const ORDER_TICKS: u64 = 200_000;
/// Ticks for searching runs.
const SEARCH_TICKS: u64 = 40_000_000;

/// What the rounds of slicing leave: the traps, what is dead, and reasons for
/// the places that are never marked, or not if the target is reached.
fn of_rounds(rounds: &[Round], reasons: &mut Vec<Reason>) -> (Vec<Vec<PlaceId>>, Vec<TransitionId>) {
    let (mut unless, mut dead): (Vec<Vec<PlaceId>>, Vec<TransitionId>) = (Vec::new(), Vec::new());
    for round in rounds {
        match round {
            Round::UnmarkedSiphon { places, transitions } => {
                let kind = Kind::Never(places.clone());
                add(reasons, Reason { unless: unless.clone(), dead: dead.clone(), kind });
                dead.extend(transitions);
            }
            Round::Trap { places, transitions, .. } => {
                // It is empty in the end, so nothing was ever given to it.
                let kind = Kind::Trap(places.clone());
                add(reasons, Reason { unless: unless.clone(), dead: dead.clone(), kind });
                unless.push(places.clone());
                dead.extend(transitions);
            }
            // What is dispensable may happen; so nothing is dead.
            Round::Irrelevant { .. } | Round::Repeated { .. } | Round::Dispensable { .. } => {}
        }
        dead.sort_unstable();
    }
    (unless, dead)
}

/// Adds reasons that are not there yet.
pub(crate) fn merge(reasons: &mut Vec<Reason>, more: Vec<Reason>) {
    for reason in more {
        add(reasons, reason);
    }
}

fn add(reasons: &mut Vec<Reason>, reason: Reason) {
    if !reasons.contains(&reason) {
        reasons.push(reason);
    }
}

/// The reasons of a slice that says that the target is out of reach.
pub(crate) fn away(away: &Unreachable, reasons: &mut Vec<Reason>) {
    let (unless, dead) = of_rounds(&away.rounds, reasons);
    if let Refutation::MarkedTrap { places, .. } = &away.refutation {
        add(reasons, Reason { unless, dead, kind: Kind::Marked(places.clone()) });
    }
}

/// Looks for a run to the target, and for reasons why there is none, apart from
/// those that are known from before.
pub(crate) fn reach(
    sliced: &Sliced,
    before: &[Reason],
    reasons: &mut Vec<Reason>,
    refinements: &mut usize,
    budget: &mut Budget,
) -> Result<ReachAnswer, Stopped> {
    let (unless, dead) = of_rounds(&sliced.rounds, reasons);
    let net = &sliced.net;
    let Some(problem) = equation(net, &sliced.target) else { return Ok(ReachAnswer::Unknown) };
    let mut solver = Solver::new(problem);
    let mut known = known(sliced, &unless, &dead, before);
    for _ in 0..ROUNDS {
        let counts = match solver.solve(budget) {
            Outcome::Refuted(_) => return Ok(ReachAnswer::Unreachable),
            Outcome::Stopped(stopped) => return Err(stopped),
            Outcome::Satisfiable(counts) => counts,
        };
        if let Some(sequence) = fire::with_counts(net, &counts, ORDER_TICKS, budget)? {
            return Ok(ReachAnswer::Run(sequence));
        }
        // What other disjuncts needed costs nothing more.
        let (violated, others): (Vec<_>, Vec<_>) =
            known.into_iter().partition(|clause| !clause.iter().any(|literal| literal.holds(&counts)));
        known = others;
        if !violated.is_empty() {
            *refinements += 1;
            violated.into_iter().for_each(|clause| solver.add_clause(clause));
            continue;
        }
        let Some(kind) = refine(net, &counts) else { break };
        let Some(clause) = clause(net, &kind) else { return Ok(ReachAnswer::Unknown) };
        *refinements += 1;
        solver.add_clause(clause);
        add(reasons, Reason { unless: unless.clone(), dead: dead.clone(), kind: in_whole(sliced, kind) });
    }
    Ok(fire::to_target(net, &sliced.target, SEARCH_TICKS, budget)?.map_or(ReachAnswer::Unknown, ReachAnswer::Run))
}

/// What reasons that were found before say about this net: those with the same
/// conditions whose places are all there. What is said of siphons without
/// tokens and of relative traps holds for all sets of places; a trap has to be
/// one here, too.
fn known(sliced: &Sliced, unless: &[Vec<PlaceId>], dead: &[TransitionId], reasons: &[Reason]) -> Vec<Vec<Literal>> {
    let here = |places: &[PlaceId]| -> Option<Vec<PlaceId>> { places.iter().map(|&place| sliced.kept_place(place)).collect() };
    let same = reasons.iter().filter(|reason| reason.unless == unless && reason.dead == dead);
    let kinds = same.filter_map(|reason| match &reason.kind {
        Kind::Never(_) => None,
        Kind::Marked(places) => here(places).filter(|places| is_trap(&sliced.net, places)).map(Kind::Marked),
        Kind::Siphon(places) => here(places).map(Kind::Siphon),
        Kind::Trap(places) => here(places).map(Kind::Trap),
    });
    kinds.filter_map(|kind| clause(&sliced.net, &kind)).collect()
}

fn in_whole(sliced: &Sliced, kind: Kind) -> Kind {
    let whole = |places: Vec<PlaceId>| places.into_iter().filter_map(|place| sliced.places.get(place.index()).copied()).collect();
    match kind {
        Kind::Never(places) => Kind::Never(whole(places)),
        Kind::Marked(places) => Kind::Marked(whole(places)),
        Kind::Siphon(places) => Kind::Siphon(whole(places)),
        Kind::Trap(places) => Kind::Trap(whole(places)),
    }
}

/// The number of tokens at some places in the end: a variable for each
/// transition. `None` where numbers do not fit.
fn tokens(net: &Net, places: impl Fn(PlaceId) -> i64, constant: i64) -> Option<Linear> {
    let mut constant = constant;
    for place in net.places() {
        constant = constant.checked_add(places(place).checked_mul(i64::try_from(net.initial_tokens(place)).ok()?)?)?;
    }
    let mut terms = Vec::new();
    for (variable, transition) in (0..).zip(net.transitions()) {
        let sum = |arcs: &[(PlaceId, u64)]| {
            arcs.iter().try_fold(0_i64, |sum, &(place, weight)| sum.checked_add(places(place).checked_mul(i64::try_from(weight).ok()?)?))
        };
        terms.push((variable, sum(net.outputs(transition))?.checked_sub(sum(net.inputs(transition))?)?));
    }
    Linear::new(terms, constant)
}

/// What transitions give to each place, and take from it. A whole net has many
/// of both, and few arcs.
fn changes(net: &Net) -> Option<Vec<Vec<(u32, i64)>>> {
    let mut changes = vec![Vec::new(); net.place_count()];
    for (variable, transition) in (0..).zip(net.transitions()) {
        for &(place, weight) in net.outputs(transition) {
            changes[place.index()].push((variable, i64::try_from(weight).ok()?));
        }
        for &(place, weight) in net.inputs(transition) {
            changes[place.index()].push((variable, i64::try_from(weight).ok()?.checked_neg()?));
        }
    }
    Some(changes)
}

/// The state equation for a target.
fn equation(net: &Net, target: &Target) -> Option<Problem> {
    let mut problem = Problem { variables: u32::try_from(net.transition_count()).ok()?, ..Problem::default() };
    let changes = changes(net)?;
    let linear = |places: &[(PlaceId, i64)], mut constant: i64| {
        let mut terms = Vec::new();
        for &(place, coefficient) in places {
            constant = constant.checked_add(coefficient.checked_mul(i64::try_from(net.initial_tokens(place)).ok()?)?)?;
            for &(variable, change) in changes.get(place.index())? {
                terms.push((variable, coefficient.checked_mul(change)?));
            }
        }
        Linear::new(terms, constant)
    };
    for place in net.places() {
        problem.inequalities.push(linear(&[(place, 1)], 0)?);
    }
    for constraint in target.constraints() {
        let expression = constraint.expression();
        let linear = linear(expression.terms(), expression.constant())?;
        match constraint {
            Constraint::AtLeastZero(_) => problem.inequalities.push(linear),
            Constraint::Zero(_) => problem.equalities.push(linear),
            Constraint::NotDivisible { divisor, .. } => problem.clauses.push(vec![Literal::NotDivisible(linear, divisor.get())]),
        }
    }
    Some(problem)
}

/// Whether some of the arcs are at marked places.
fn touches(arcs: &[(PlaceId, u64)], places: &[bool]) -> bool {
    arcs.iter().any(|&(place, _)| places[place.index()])
}

fn listed(places: &[bool]) -> Vec<PlaceId> {
    places.iter().enumerate().filter(|&(_, &is)| is).filter_map(|(index, _)| PlaceId::try_from_index(index)).collect()
}

/// Something that no run violates, but these counts do.
fn refine(net: &Net, counts: &[i64]) -> Option<Kind> {
    let occurs: Vec<TransitionId> =
        net.transitions().zip(counts).filter(|&(_, &count)| count > 0).map(|(transition, _)| transition).collect();
    let mut left: Vec<i128> = net.places().map(|place| i128::from(net.initial_tokens(place))).collect();
    for (transition, &count) in net.transitions().zip(counts) {
        for &(place, weight) in net.outputs(transition) {
            left[place.index()] += i128::from(weight) * i128::from(count);
        }
        for &(place, weight) in net.inputs(transition) {
            left[place.index()] -= i128::from(weight) * i128::from(count);
        }
    }
    let marked_first = |places: &[bool]| net.places().any(|place| places[place.index()] && net.initial_tokens(place) > 0);
    // A trap of the whole net that is marked in the beginning and not in the end.
    let empty: Vec<bool> = left.iter().map(|&tokens| tokens == 0).collect();
    let trap = greatest_trap(net, net.transitions(), empty.clone());
    if marked_first(&trap) {
        return Some(Kind::Marked(listed(&trap)));
    }
    // What occurs cannot begin.
    let mut reached: Vec<bool> = net.places().map(|place| net.initial_tokens(place) > 0).collect();
    for transition in net.transitions().filter(|&transition| net.inputs(transition).is_empty()) {
        for &(place, _) in net.outputs(transition) {
            reached[place.index()] = true;
        }
    }
    loop {
        let mut grown = false;
        for &transition in &occurs {
            if net.inputs(transition).iter().all(|&(place, _)| reached[place.index()]) {
                for &(place, _) in net.outputs(transition) {
                    grown |= !std::mem::replace(&mut reached[place.index()], true);
                }
            }
        }
        if !grown {
            break;
        }
    }
    let siphon: Vec<bool> = reached.iter().map(|&reached| !reached).collect();
    if occurs.iter().any(|&transition| touches(net.inputs(transition), &siphon)) {
        return Some(Kind::Siphon(listed(&siphon)));
    }
    // What occurs cannot end.
    let trap = greatest_trap(net, occurs.iter().copied(), empty);
    let entered = |transition: &TransitionId| !net.inputs(*transition).is_empty() && touches(net.outputs(*transition), &trap);
    (marked_first(&trap) || occurs.iter().any(entered)).then(|| Kind::Trap(listed(&trap)))
}

/// Whether whatever takes from these places gives to them, and they are marked
/// in the beginning.
fn is_trap(net: &Net, places: &[PlaceId]) -> bool {
    let mut inside = vec![false; net.place_count()];
    places.iter().for_each(|place| inside[place.index()] = true);
    let kept = |transition: TransitionId| !touches(net.inputs(transition), &inside) || touches(net.outputs(transition), &inside);
    places.iter().any(|&place| net.initial_tokens(place) > 0) && net.transitions().all(kept)
}

/// What a reason says about the counts of a whole run.
fn clause(net: &Net, kind: &Kind) -> Option<Vec<Literal>> {
    let is = |places: &[PlaceId]| {
        let mut is = vec![false; net.place_count()];
        for place in places {
            is[place.index()] = true;
        }
        is
    };
    let sum = |which: &dyn Fn(TransitionId) -> bool, factor: i64, constant: i64| {
        let terms = (0..).zip(net.transitions()).filter(|&(_, transition)| which(transition)).map(|(variable, _)| (variable, factor));
        Linear::new(terms, constant).map(Literal::AtLeastZero)
    };
    let marked = |places: &[bool]| tokens(net, |place| i64::from(places[place.index()]), -1).map(Literal::AtLeastZero);
    Some(match kind {
        Kind::Never(places) => vec![Literal::AtLeastZero(tokens(net, |place| -i64::from(is(places)[place.index()]), 0)?)],
        Kind::Marked(places) => vec![marked(&is(places))?],
        Kind::Siphon(places) => {
            let places = is(places);
            let (takes, gives) = uses(net, &places);
            vec![sum(&takes, -1, 0)?, sum(&|transition| gives(transition) && !takes(transition), 1, -1)?]
        }
        Kind::Trap(places) => {
            let places = is(places);
            let (takes, gives) = uses(net, &places);
            let mut clause = vec![sum(&|transition| takes(transition) && !gives(transition), 1, -1)?, marked(&places)?];
            if net.places().all(|place| !places[place.index()] || net.initial_tokens(place) == 0) {
                clause.push(sum(&|transition| gives(transition) && !net.inputs(transition).is_empty(), -1, 0)?);
            }
            clause
        }
    })
}

/// Whether a transition takes from the places, and whether it gives to them.
fn uses<'a>(net: &'a Net, places: &'a [bool]) -> (impl Fn(TransitionId) -> bool + 'a, impl Fn(TransitionId) -> bool + 'a) {
    (move |transition| touches(net.inputs(transition), places), move |transition| touches(net.outputs(transition), places))
}

#[cfg(test)]
mod tests {
    use crate::interleaving;
    use serval_model::NetworkSystem;
    use serval_net_slice::{Slice, slice};

    use super::*;

    /// A lock: who takes it is answered 1 and gives it back; who found it free
    /// again in between would be answered 0.
    const LOCKED: &str = r#"{"initial_global": "free", "requests": [["main", "start"]], "responses": [["one", "1"], ["zero", "0"]],
        "transitions": [["start", "free", "inside", "taken"], ["start", "taken", "start", "taken"],
            ["inside", "taken", "one", "free"], ["inside", "free", "zero", "free"]]}"#;

    /// What was found for one disjunct is used for the next, and not found again.
    #[test]
    fn reasons_are_used_again() {
        let system = NetworkSystem::from_json(LOCKED).unwrap();
        let (net, places) = interleaving(&system).unwrap();
        let some = |response: &&str| {
            let pair = (system.request_named("main").unwrap(), system.response_named(response).unwrap());
            Constraint::AtLeastZero(Linear::new([(pair, 1)], -1).unwrap())
        };
        let ask = |responses: &[&str], before: &[Reason]| {
            let target = places.completed(responses.iter().map(some));
            let Slice::Kept(sliced) = slice(&net, &target, &mut Budget::unlimited()).unwrap() else { panic!("sliced away") };
            let (mut of_slicing, mut reasons, mut refinements) = (Vec::new(), Vec::new(), 0);
            of_rounds(&sliced.rounds, &mut of_slicing);
            let answer = reach(&sliced, before, &mut reasons, &mut refinements, &mut Budget::unlimited()).unwrap();
            assert!(matches!(answer, ReachAnswer::Unreachable));
            reasons.retain(|reason| !of_slicing.contains(reason));
            (reasons, refinements)
        };
        let (first, refinements) = ask(&["0"], &[]);
        assert!(!first.is_empty() && refinements > 0);
        // Another question has the same reasons if the caller does not pass the known ones.
        assert_eq!(ask(&["0", "1"], &[]).0, first);
        assert_eq!(ask(&["0", "1"], &first).0, []);
    }
}
