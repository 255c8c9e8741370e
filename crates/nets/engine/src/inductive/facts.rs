//! Place invariants (Murata 1989) and marked traps (Commoner 1972): what holds in all reachable markings because of the
//! arcs alone. Sums that no transition decreases, and traps that are marked in the beginning, are found where a
//! marking, or a set of markings, is to be excluded.

use std::collections::BTreeMap;

use serval_arith::{Outcome, Solver};
use serval_budget::{Budget, Stopped};
use serval_linear::{Linear, Node, Reference, Tree};
use serval_net_proof::inductive::Effect;
use serval_net_proof::{Bound, Clause, Equation};
use serval_petri::{Constraint, Formula, Net, PlaceId, greatest_trap};
use serval_states::gcd;

use super::engine::Lit;
use crate::equation::Base;
use crate::weights::PlaceBounds;

/// Places up to which all are bounded before anything is asked.
const BOUNDED: usize = 1_500;

/// Facts about a net.
pub(crate) struct Facts<'a> {
    pub(crate) net: &'a Net,
    base: &'a Base,
    pub(crate) effects: Vec<Effect>,
    /// What is an invariant already, then clauses of one bound each.
    pub(crate) clauses: Vec<Clause>,
}

impl<'a> Facts<'a> {
    /// An invariant, and the bounds of all places, as far as weights show them.
    pub(crate) fn new(net: &'a Net, base: &'a Base, invariant: &[Clause], budget: &mut Budget) -> Result<Self, Stopped> {
        let mut facts = Self::bare(net, base);
        facts.clauses = invariant.to_vec();
        if net.place_count() <= BOUNDED {
            let mut known = PlaceBounds::new(net);
            // Bounds that there are no ticks for are found where they are needed.
            let _ = known.bound_all(net, &mut budget.part(budget.left() / 4));
            facts.add_sums(&known.into_sums());
        }
        Ok(facts)
    }

    /// None yet.
    pub(crate) fn bare(net: &'a Net, base: &'a Base) -> Self {
        let effects = net.transitions().map(|transition| Effect::new(net, transition)).collect();
        Self { net, base, effects, clauses: Vec::new() }
    }

    /// Adds sums that no transition increases.
    pub(crate) fn add_sums(&mut self, sums: &[Vec<(u32, u64)>]) {
        for sum in sums {
            let weights: Vec<(u32, i128)> = sum.iter().map(|&(place, weight)| (place, weight.into())).collect();
            self.keep_below(&weights);
        }
    }

    /// Adds that `y·M ≤ y·M0`, if no transition increases `y·M`.
    fn keep_below(&mut self, weights: &[(u32, i128)]) -> bool {
        let common = weights.iter().fold(0, |common, one| gcd(common, one.1.unsigned_abs()));
        let common = i128::try_from(common).unwrap_or(1).max(1);
        let initial = weights.iter().try_fold(0_i128, |sum, &(place, weight)| {
            let tokens = self.net.initial().as_slice().get(place as usize).copied().unwrap_or(0);
            (weight / common).checked_mul(tokens.into()).and_then(|part| sum.checked_add(part))
        });
        let bound =
            initial.and_then(|initial| Linear::from_wide(weights.iter().map(|&(place, weight)| (place, -weight / common)), initial));
        let Some(clause) = bound.map(|bound| vec![Bound(bound)]) else { return false };
        let is_kept = self.effects.iter().all(|effect| effect.keeps(&clause).is_ok_and(|keeps| keeps));
        let is_new = is_kept && !self.clauses.contains(&clause);
        if is_new {
            self.clauses.push(clause);
        }
        is_new
    }

    /// Adds a trap that is marked in the beginning and empty where these places are.
    pub(crate) fn exclude_by_trap(&mut self, empty: Vec<bool>) -> bool {
        let trap = greatest_trap(self.net, self.net.transitions(), empty);
        if !self.net.places().any(|place| trap[place.index()] && self.net.initial_tokens(place) > 0) {
            return false;
        }
        let places = (0_u32..).zip(&trap).filter(|one| *one.1).map(|one| (one.0, 1));
        let Some(bound) = Linear::new(places, -1) else { return false };
        let clause = vec![Bound(bound)];
        let is_new = !self.clauses.contains(&clause);
        if is_new {
            self.clauses.push(clause);
        }
        is_new
    }

    /// Adds facts that exclude a cube, if the marking equation or a trap does. Says whether there are new ones.
    pub(crate) fn exclude(&mut self, cube: &[Lit], budget: &mut Budget) -> Result<bool, Stopped> {
        let mut empty = vec![false; self.net.place_count()];
        cube.iter().filter(|lit| !lit.at_least && lit.value <= 0).for_each(|lit| empty[lit.variable] = true);
        if self.exclude_by_trap(empty) {
            return Ok(true);
        }
        let constraint = |lit: &Lit| {
            let (factor, constant) = if lit.at_least { (1, lit.value.saturating_neg()) } else { (-1, lit.value) };
            serval_petri::Linear::new([(PlaceId::try_from_index(lit.variable)?, factor)], constant).map(Constraint::AtLeastZero)
        };
        let Some(constraints) = cube.iter().map(constraint).collect::<Option<Vec<_>>>() else { return Ok(false) };
        let formula = Formula::all(constraints.into_iter().map(Formula::constraint));
        let Some(mut solver) = self.base.with(self.net, &formula, &Equation::default()) else { return Ok(false) };
        match solver.solve(budget) {
            Outcome::Refuted(tree) => Ok(self.cut(&tree)),
            Outcome::Satisfiable(_) => Ok(false),
            Outcome::Stopped(stopped) => Err(stopped),
        }
    }

    /// Adds facts that exclude a marking.
    pub(crate) fn exclude_marking(&mut self, marking: &[i64], budget: &mut Budget) -> Result<bool, Stopped> {
        let exact = |(place, &tokens): (usize, &i64)| [Lit::at_least(place, tokens), Lit::at_most(place, tokens)];
        let cube: Vec<Lit> = marking.iter().enumerate().flat_map(exact).collect();
        self.exclude(&cube, budget)
    }

    /// Adds the facts that the leaves of a tree about the marking equation rest on: what a leaf adds up of the equation
    /// is a sum of tokens that no transition increases, unless something is said there of how often transitions fire.
    pub(crate) fn cut(&mut self, tree: &Tree) -> bool {
        let places = u32::try_from(self.net.place_count()).unwrap_or(u32::MAX);
        let mut is_new = false;
        for node in &tree.nodes {
            let (Node::Farkas { combination } | Node::Lattice { tight: combination, .. }) = node else { continue };
            let mut weights: BTreeMap<u32, i128> = BTreeMap::new();
            for &(reference, multiplier) in combination {
                if let Reference::Fact(fact) = reference
                    && fact < places
                {
                    *weights.entry(fact).or_default() += multiplier;
                }
            }
            let weights: Vec<(u32, i128)> = weights.into_iter().filter(|one| one.1 != 0).collect();
            is_new |= !weights.is_empty() && self.keep_below(&weights);
        }
        is_new
    }

    /// Asks the marking equation about the goal as a whole, and adds the facts that exclude it.
    pub(crate) fn exclude_goal(&mut self, goal: &Formula, budget: &mut Budget) -> Result<bool, Stopped> {
        let mut evidence = Equation::default();
        let Some(mut solver) = self.base.with(self.net, goal, &evidence) else { return Ok(false) };
        let transitions = self.net.transition_count();
        loop {
            match solver.solve(budget) {
                Outcome::Stopped(stopped) => return Err(stopped),
                Outcome::Refuted(tree) => {
                    self.cut(&tree);
                    return Ok(true);
                }
                Outcome::Satisfiable(values) => {
                    let places = &values[transitions..transitions + self.net.place_count()];
                    let known = self.clauses.len();
                    if !self.exclude_by_trap(places.iter().map(|&tokens| tokens == 0).collect()) {
                        return Ok(false);
                    }
                    let offset = u32::try_from(transitions).unwrap_or(u32::MAX);
                    for Bound(trap) in self.clauses[known..].iter().flatten() {
                        evidence.traps.push(trap.terms().iter().map(|term| term.0).collect());
                        if let Some(marked) = Linear::new(trap.terms().iter().map(|term| (offset.saturating_add(term.0), 1)), -1) {
                            solver.add_inequality(marked);
                        }
                    }
                }
            }
        }
    }
}

/// A tree for a problem that has no solution.
pub(crate) fn refuted(solver: &mut Solver, budget: &mut Budget) -> Result<Result<Tree, Vec<i64>>, Stopped> {
    match solver.solve(budget) {
        Outcome::Refuted(tree) => Ok(Ok(tree)),
        Outcome::Satisfiable(values) => Ok(Err(values)),
        Outcome::Stopped(stopped) => Err(stopped),
    }
}
