//! Clauses without the atoms that they can do without.
//!
//! Clauses are an invariant together. Let one of them without one of its bounds hold in the beginning, and let no
//! transition end it where it and all other clauses hold. Then the shorter clause can take the place of the longer one:
//! it says more, so that what rested on the longer one rests on it as well. The checker is asked about the result as
//! about everything else.

use serval_arith::Solver;
use serval_budget::{Budget, Stopped};
use serval_net_proof::inductive::{Effect, step_problem};
use serval_net_proof::{Bound, Clause, Inductive};
use serval_petri::{Net, TransitionId};

use super::engine::{EngineAnswer, Lit};
use super::facts::refuted;
use super::theory::{Theory, before};

/// Ticks for it, at most: evidence that is larger than it has to be is evidence.
pub(super) const TICKS: u64 = 200_000;

/// The clauses, atom by atom with what is needed; `None` where nothing can go. What there are no ticks for stays.
pub(super) fn fewer_atoms(net: &Net, clauses: &[Clause], budget: &mut Budget) -> Option<Vec<Clause>> {
    if clauses.iter().all(|clause| clause.len() < 2) {
        return None;
    }
    let mut theory = Theory::new(net);
    clauses.iter().for_each(|clause| theory.clause(clause));
    let effects = net.transitions().map(|transition| (transition, Effect::new(net, transition))).collect();
    let switches = theory.switches.clone();
    let mut shrinking = Shrinking { net, effects, theory, clauses: clauses.to_vec(), switches };
    let mut is_shorter = false;
    'clauses: for (number, clause) in clauses.iter().enumerate() {
        // From the last one on, so that the numbers of the others stay.
        for atom in (0..clause.len()).rev() {
            match shrinking.drop_atom(number, atom, budget) {
                Ok(dropped) => is_shorter |= dropped,
                Err(_) => break 'clauses,
            }
        }
    }
    is_shorter.then_some(shrinking.clauses)
}

/// How large evidence is: its atoms, and the nodes of its trees.
pub(super) fn size(Inductive { invariant, tree }: &Inductive) -> usize {
    let atoms: usize = invariant.clauses.iter().map(Vec::len).sum();
    let nodes: usize = invariant.steps.iter().map(|(_, _, tree)| tree.nodes.len()).sum();
    atoms + nodes + tree.nodes.len()
}

struct Shrinking<'a> {
    net: &'a Net,
    effects: Vec<(TransitionId, Effect)>,
    theory: Theory,
    clauses: Vec<Clause>,
    /// By clause the literal that has it taken into account.
    switches: Vec<Lit>,
}

impl Shrinking<'_> {
    /// Drops an atom if the clause is still part of an invariant then, and says whether it is.
    fn drop_atom(&mut self, number: usize, atom: usize, budget: &mut Budget) -> Result<bool, Stopped> {
        let mut shorter = self.clauses[number].clone();
        shorter.remove(atom);
        let initial = |place: u32| self.net.initial().as_slice().get(place as usize).copied().map_or(0, i128::from);
        if !shorter.iter().any(|Bound(bound)| bound.value(initial).is_some_and(|value| value >= 0)) {
            return Ok(false);
        }
        self.theory.clause(&shorter);
        let Some(&switch) = self.theory.switches.last() else { return Ok(false) };
        let longer = std::mem::replace(&mut self.clauses[number], shorter);
        let known = std::mem::replace(&mut self.switches[number], switch);
        let kept = self.is_kept(number, budget);
        if !matches!(kept, Ok(true)) {
            (self.clauses[number], self.switches[number]) = (longer, known);
        }
        kept
    }

    /// Whether every transition preserves a clause where all clauses hold.
    fn is_kept(&mut self, number: usize, budget: &mut Budget) -> Result<bool, Stopped> {
        for (transition, effect) in &self.effects {
            budget.spend(1)?;
            let clause = &self.clauses[number];
            if effect.keeps(clause).unwrap_or(false) {
                continue;
            }
            let is_kept = match before(self.net, clause, *transition, effect) {
                Some(more) => {
                    let assumed: Vec<Lit> = self.switches.iter().copied().chain(more).collect();
                    matches!(self.theory.engine.solve(&assumed, budget)?, EngineAnswer::None(_))
                }
                // Sums are for the exact solver.
                None => match step_problem(self.net, &self.clauses, number, *transition) {
                    Ok(problem) => refuted(&mut Solver::new(problem), budget)?.is_ok(),
                    Err(_) => false,
                },
            };
            if !is_kept {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use serval_net_proof::{Evidence, check};
    use serval_petri::{Formula, Property, tina};

    use super::super::theory::bound_of;
    use super::super::written::written;
    use super::*;

    fn goal(net: &Net, text: &str) -> Formula {
        Property::parse(text, net).unwrap().goals(net).unwrap().remove(0)
    }

    /// A clause that says that one of these places is marked.
    fn marked(places: &[usize]) -> Clause {
        places.iter().map(|&place| bound_of(Lit::at_least(place, 1)).unwrap()).collect()
    }

    fn fewer(net: &str, clause: &[usize]) -> Option<Vec<Clause>> {
        fewer_atoms(&tina::read(net).unwrap(), &[marked(clause)], &mut Budget::unlimited())
    }

    #[test]
    fn an_atom_that_nothing_needs_goes() {
        let net = tina::read("pl p (1)\npl q (0)\npl r (0)\ntr there p -> q\ntr back q -> p\n").unwrap();
        let goal = goal(&net, "reachable:p = 0 and q = 0 and r = 0");
        let inductive = written(&net, &goal, &[marked(&[0, 1, 2])], false, &mut Budget::unlimited()).ok().unwrap();
        assert_eq!(inductive.invariant.clauses, [marked(&[0, 1])]);
        let evidence = Evidence::Inductive(inductive);
        assert_eq!(check(&net, &goal, evidence.claim(), &evidence, &mut Budget::unlimited()), Ok(()));
        // The answer to a proposal is about the proposed clauses.
        let proposed = written(&net, &goal, &[marked(&[0, 1, 2])], true, &mut Budget::unlimited()).ok().unwrap();
        assert_eq!(proposed.invariant.clauses, [marked(&[0, 1, 2])]);
    }

    #[test]
    fn an_atom_that_a_transition_or_the_beginning_needs_stays() {
        // Each of the two is what the other becomes.
        assert_eq!(fewer("pl p (1)\npl q (0)\ntr there p -> q\ntr back q -> p\n", &[0, 1]), None);
        // What nothing ends, but what does not hold in the beginning, is not all that is left.
        let forever = "pl p (1)\npl q (0)\npl r (0)\ntr more q -> q r\n";
        assert_eq!(fewer(forever, &[1, 0]), Some(vec![marked(&[0])]));
        // Without ticks nothing goes.
        let net = tina::read(forever).unwrap();
        assert_eq!(fewer_atoms(&net, &[marked(&[1, 0])], &mut Budget::ticks(0)), None);
    }

    #[test]
    fn sums_are_asked_about_as_well() {
        // One of the bounds is about two places: the engine has no literal for it, the exact solver decides.
        let net = tina::read("pl p (1)\npl q (0)\npl r (0)\ntr there p -> q\ntr back q -> p\n").unwrap();
        let both = Bound(serval_linear::Linear::new([(0, 1), (1, 1)], -1).unwrap());
        let clause = vec![both.clone(), marked(&[2]).remove(0)];
        assert_eq!(fewer_atoms(&net, &[clause], &mut Budget::unlimited()), Some(vec![vec![both]]));
    }
}
