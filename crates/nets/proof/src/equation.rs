//! The marking equation with traps and siphons (Esparza, Melzer 2000), evidence of kind `equation`: it has no solution
//! in the goal.
//!
//! The checker builds a problem of linear integer arithmetic and checks a proof tree for it. Its variables, all at
//! least 0, are `x_t`, how often each transition fires, and `M_p`, how many tokens each place has. It says
//!
//! 1. `M_p = M0(p) + Σ x_t·e(t)(p)` for each place, an equality each, in order;
//! 2. `Σ_{p ∈ Q} M_p ≥ 1` for each trap `Q`, and `y·M ≤ y·M0` for each weighted sum `y`, an inequality each;
//! 3. `Σ_{t ∈ U•} x_t ≤ 0` or `Σ_{t ∈ •U ∖ U•} x_t ≥ 1` for each set `U` of places that are empty in the beginning, a
//!    clause each: if no transition gives to `U` without taking from it, none takes from it;
//! 4. the goal: `all` of several is each of them; a constraint is an equality or an inequality; `any` of several is a
//!    clause. A part of the clause that is not a single constraint is named by a variable `b ≥ 0`: the clause has the
//!    literal `b ≥ 1`, and each clause or constraint of the part has the literal `b ≤ 0` beside it. An equality under
//!    an `any` is two inequalities, each beside `b ≤ 0`.
//!
//! **Theorem.** If the checker accepts the tree, no marking of the goal can be reached.
//!
//! **Proof.** Let `M` be reachable in the goal, by a run that fires each `t` exactly `x_t` times. Then the problem has
//! a solution, although the tree shows that it has none:
//!
//! - (1) holds by adding up effects.
//! - (2) A trap is a set of places (`net.trap.places`) such that every transition that takes from it gives to it
//!   (`net.trap.closed`), and it is marked in the beginning (`net.trap.marked`). A step that takes from it leaves a
//!   token, and any other step leaves the tokens that are there; so by induction it is marked at `M`. For weights see
//!   [`bounds`](crate::bounds).
//! - (3) `U` is a set of places (`net.unfed.places`) that are all empty in the beginning (`net.unfed.empty`). If the
//!   run fires a transition that takes from `U`, let `t` be the first such. `U` has a token then, and had none in the
//!   beginning, so some transition before `t` gave to `U`; it did not take from `U`, as `t` is the first. So it is in
//!   `•U ∖ U•` and fires at least once.
//! - (4) Give `b` the value 1 if its part holds at `M` and 0 if not. A part that holds meets its clauses by themselves;
//!   where it does not hold, `b ≤ 0` does. In each clause of an `any` that holds, one part holds, and with it its
//!   literal. ∎

use serde::{Deserialize, Serialize};
use serval_budget::Budget;
use serval_evidence::require;
use serval_linear::{Linear, Literal, Problem, Tree, check_tree};
use serval_petri::{Constraint, Formula, FormulaPart, Net, PlaceId};

use crate::bounds::{bounds_of, places_of};
use crate::conditions::NUMBERS;
use crate::{Refusal, Weights};

/// A proof that the marking equation has no solution in the goal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Equation {
    /// Sets of places that stay marked, each ascending.
    pub traps: Vec<Vec<u32>>,
    /// Sums that do not grow.
    #[serde(default, skip_serializing_if = "has_none")]
    pub weights: Weights,
    /// Sets of places that are empty in the beginning, each ascending: what takes from them needs what feeds them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unfed: Vec<Vec<u32>>,
    /// Why there is no solution.
    pub tree: Tree,
}

serval_evidence::objects!(Equation);

fn has_none(weights: &Weights) -> bool {
    weights.sums.is_empty()
}

/// Checks the traps, the weights, and the tree.
pub(crate) fn check(net: &Net, goal: &Formula, equation: &Equation, budget: &mut Budget) -> Result<(), Refusal> {
    bounds_of(net, &equation.weights, budget)?;
    for (number, trap) in equation.traps.iter().enumerate() {
        budget.spend(u64::try_from(net.arc_count()).unwrap_or(u64::MAX))?;
        let Some(places) = places_of(net, trap.iter().copied()) else {
            require!(TrapPlaces, false, "trap {number} is not a set of places of the net, ascending");
            continue;
        };
        let mut inside = vec![false; net.place_count()];
        places.into_iter().for_each(|place| inside[place.index()] = true);
        for transition in net.transitions() {
            let meets = |arcs: &[(PlaceId, u64)]| arcs.iter().any(|(place, _)| inside[place.index()]);
            let closed = !meets(net.inputs(transition)) || meets(net.outputs(transition));
            require!(TrapClosed, closed, "“{}” takes from trap {number} and gives nothing to it", net.transition_name(transition));
        }
        let marked = net.places().any(|place| inside[place.index()] && net.initial_tokens(place) > 0);
        require!(TrapMarked, marked, "trap {number} is empty in the beginning");
    }
    for (number, places) in equation.unfed.iter().enumerate() {
        let Some(places) = places_of(net, places.iter().copied()) else {
            require!(UnfedPlaces, false, "set {number} is not a set of places of the net, ascending");
            continue;
        };
        if let Some(&marked) = places.iter().find(|&&place| net.initial_tokens(place) > 0) {
            require!(UnfedEmpty, false, "“{}” of set {number} has a token in the beginning", net.place_name(marked));
        }
    }
    budget.spend(u64::try_from(equation.unfed.len().saturating_mul(net.arc_count())).unwrap_or(u64::MAX))?;
    let problem = problem(net, goal, equation)?;
    check_tree(&problem, &equation.tree, budget)
}

/// The problem that a tree is about. Who looks for a tree asks for it here.
pub fn problem(net: &Net, goal: &Formula, equation: &Equation) -> Result<Problem, Refusal> {
    let (mut problem, place) = marking_equation(net)?;
    for trap in &equation.traps {
        let terms = trap.iter().map(|&number| (place(number), 1));
        problem.inequalities.push(Linear::new(terms, -1).ok_or(NUMBERS)?);
    }
    for sum in &equation.weights.sums {
        problem.inequalities.push(weighted(net, sum, &place)?);
    }
    for places in &equation.unfed {
        problem.clauses.push(feeds(net, places)?);
    }
    add_goal(&mut problem, goal, place)?;
    Ok(problem)
}

/// That nothing takes from the places, or something feeds them that does not take from them.
pub fn feeds(net: &Net, places: &[u32]) -> Result<Vec<Literal>, Refusal> {
    let mut inside = vec![false; net.place_count()];
    for &place in places {
        if let Some(inside) = inside.get_mut(place as usize) {
            *inside = true;
        }
    }
    let meets = |arcs: &[(PlaceId, u64)]| arcs.iter().any(|&(place, weight)| weight > 0 && inside[place.index()]);
    let (mut takes, mut gives) = (Vec::new(), Vec::new());
    for (number, transition) in (0..).zip(net.transitions()) {
        if meets(net.inputs(transition)) {
            takes.push((number, -1));
        } else if meets(net.outputs(transition)) {
            gives.push((number, 1));
        }
    }
    let literal = |terms, constant| Linear::new(terms, constant).map(Literal::AtLeastZero).ok_or(NUMBERS);
    Ok(vec![literal(takes, 0)?, literal(gives, -1)?])
}

/// `y·M0 − y·M`.
fn weighted(net: &Net, sum: &[(u32, u64)], variable: &impl Fn(u32) -> u32) -> Result<Linear, Refusal> {
    let mut initial = 0_i128;
    for &(number, weight) in sum {
        let place = PlaceId::try_from_index(number as usize).filter(|place| place.index() < net.place_count());
        let tokens = place.map_or(0, |place| net.initial_tokens(place));
        initial = i128::from(weight).checked_mul(tokens.into()).and_then(|part| initial.checked_add(part)).ok_or(NUMBERS)?;
    }
    Linear::from_wide(sum.iter().map(|&(number, weight)| (variable(number), -i128::from(weight))), initial).ok_or(NUMBERS)
}

/// The equation alone, and the variable of each place.
pub fn marking_equation(net: &Net) -> Result<(Problem, impl Fn(u32) -> u32 + use<>), Refusal> {
    let transitions = u32::try_from(net.transition_count()).map_err(|_| NUMBERS)?;
    let places = u32::try_from(net.place_count()).map_err(|_| NUMBERS)?;
    let variables = transitions.checked_add(places).ok_or(NUMBERS)?;
    let mut rows: Vec<Vec<(u32, i128)>> = vec![Vec::new(); net.place_count()];
    for (number, transition) in (0..).zip(net.transitions()) {
        for (arcs, sign) in [(net.outputs(transition), 1), (net.inputs(transition), -1)] {
            for &(place, weight) in arcs {
                rows[place.index()].push((number, i128::from(weight) * sign));
            }
        }
    }
    let mut equalities = Vec::with_capacity(rows.len());
    for ((number, mut row), place) in (transitions..).zip(rows).zip(net.places()) {
        row.push((number, -1));
        equalities.push(Linear::from_wide(row, net.initial_tokens(place).into()).ok_or(NUMBERS)?);
    }
    let problem = Problem { variables, equalities, ..Problem::default() };
    Ok((problem, move |place| transitions.saturating_add(place)))
}

/// What a part of a goal has come to: conditions that must all hold, each one of several literals.
type Clauses = Vec<Vec<Literal>>;

/// Adds the goal: the variables that name parts, then what must hold.
pub(crate) fn add_goal(problem: &mut Problem, goal: &Formula, place: impl Fn(u32) -> u32) -> Result<(), Refusal> {
    let mut values: Vec<Clauses> = Vec::new();
    for part in goal.parts() {
        let value = match part {
            FormulaPart::Constraint(constraint) => literals(constraint, &place)?,
            FormulaPart::All(count) => values.drain(values.len().saturating_sub(*count)..).flatten().collect(),
            FormulaPart::Any(count) => {
                let operands: Vec<Clauses> = values.drain(values.len().saturating_sub(*count)..).collect();
                any(problem, operands)?
            }
        };
        values.push(value);
    }
    for mut clause in values.pop().unwrap_or_default() {
        match (clause.len(), clause.pop()) {
            (1, Some(Literal::AtLeastZero(linear))) => problem.inequalities.push(linear),
            (_, last) => {
                clause.extend(last);
                problem.clauses.push(clause);
            }
        }
    }
    Ok(())
}

/// One of several: a clause, and what the names in it stand for.
fn any(problem: &mut Problem, operands: Vec<Clauses>) -> Result<Clauses, Refusal> {
    let mut clause = Vec::new();
    let mut named: Clauses = Vec::new();
    for mut operand in operands {
        match operand.len() {
            // What always holds makes the whole hold.
            0 => return Ok(Vec::new()),
            1 => clause.extend(operand.pop().unwrap_or_default()),
            _ => {
                let name = problem.variables;
                problem.variables = name.checked_add(1).ok_or(NUMBERS)?;
                clause.push(Literal::AtLeastZero(Linear::new([(name, 1)], -1).ok_or(NUMBERS)?));
                let off = Literal::AtLeastZero(Linear::new([(name, -1)], 0).ok_or(NUMBERS)?);
                for mut meant in operand {
                    meant.push(off.clone());
                    named.push(meant);
                }
            }
        }
    }
    named.insert(0, clause);
    Ok(named)
}

/// A constraint as clauses of one literal each.
fn literals(constraint: &Constraint, place: &impl Fn(u32) -> u32) -> Result<Clauses, Refusal> {
    let renamed = |sign: i128| {
        let linear = constraint.expression();
        let number = |id: PlaceId| u32::try_from(id.index()).unwrap_or(u32::MAX);
        let terms = linear.terms().iter().map(|&(id, factor)| (place(number(id)), sign * i128::from(factor)));
        Linear::from_wide(terms, sign * i128::from(linear.constant())).ok_or(NUMBERS)
    };
    Ok(match constraint {
        Constraint::AtLeastZero(_) => vec![vec![Literal::AtLeastZero(renamed(1)?)]],
        Constraint::Zero(_) => vec![vec![Literal::AtLeastZero(renamed(1)?)], vec![Literal::AtLeastZero(renamed(-1)?)]],
        Constraint::NotDivisible { divisor, .. } => vec![vec![Literal::NotDivisible(renamed(1)?, divisor.get())]],
    })
}
