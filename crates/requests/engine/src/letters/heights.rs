//! Shortest paths with negative weights (Bellman 1958): facts that are seen in global states alone.
//!
//! Let each step weigh what a literal `v·c + k ≥ 0` gives to the letter that it answers, or nothing. Where
//! global states have numbers `u`, *heights*, such that no step from `g` to `h` weighs less than `u_h − u_g`,
//! the answers of a run that ends in `g` weigh at least `u_g − u_start` (add up along the run). The largest heights
//! with `u_start` = 0 are the least weights of ways from the start, which Bellman and Ford find; the
//! simplex method, which looks at requests in flight as well, takes a hundred times as long for the same. If `u_g + k
//! ≥ 0` for every `g`, the literal holds for all runs, and multiples of the equations of the global
//! states, each by its height, add up to the contradiction; of a clause one literal for each
//! `g` is enough.

use std::collections::VecDeque;

use serval_budget::{Budget, Stopped};
use serval_linear::{Node as TreeNode, Problem, Reference, Tree};
use serval_model::NormalForm;
use serval_proof::letters::fact::counting_problem;
use serval_proof::letters::{Bound, Counting};

/// Of the ticks that are left heights may use one part of this number of parts.
const PART: u64 = 8;

/// Proves a clause of which global states alone show that it holds.
pub(super) fn prove(form: &NormalForm, clause: &[Bound], budget: &mut Budget) -> Result<Option<Counting>, Stopped> {
    let Some(problem) = budget.during(|| counting_problem(form, &[], clause))? else { return Ok(None) };
    let tree = refute_within(form, &problem, clause, budget)?;
    Ok(tree.map(|tree| Counting { clause: clause.to_vec(), tree, ..Counting::default() }))
}

/// The same as [`refute`], with a part of the ticks.
pub(super) fn refute_within(slice: &NormalForm, problem: &Problem, clause: &[Bound], budget: &mut Budget) -> Result<Option<Tree>, Stopped> {
    let mut part = budget.part(budget.left() / PART);
    let had = part.left();
    let found = refute(slice, problem, clause, &mut part);
    budget.spend(had - part.left())?;
    match found {
        Err(Stopped::OutOfTicks) => Ok(None),
        found => found,
    }
}

/// A refutation of the problem that says that the clause does not hold, if heights of global states show that it does.
/// The problem is that of [`counting_problem`].
fn refute(slice: &NormalForm, problem: &Problem, clause: &[Bound], budget: &mut Budget) -> Result<Option<Tree>, Stopped> {
    let mut heights: Vec<Heights> = Vec::new();
    // That a literal does not hold is an inequality for each that is one itself; these come last.
    let inequalities = clause.iter().filter(|bound| bound.divisor == 0);
    let first = problem.inequalities.len().saturating_sub(inequalities.clone().count());
    for (place, bound) in inequalities.enumerate() {
        let Some(of) = least_weights(slice, bound, budget)? else { continue };
        let Ok(fact) = u32::try_from(problem.equalities.len() + first + place) else { return Ok(None) };
        heights.push(Heights { fact, constant: bound.constant.into(), of });
    }
    let globals = 0..slice.global_count() as usize;
    // One literal for all ends is shortest.
    if let Some(all) = heights.iter().find(|heights| heights.of.iter().all(|&height| height + heights.constant >= 0)) {
        return Ok(Some(Tree { nodes: vec![all.leaf(None)] }));
    }
    let mut nodes = vec![TreeNode::Clause { clause: 0 }];
    let ends_here = u32::try_from(problem.equalities.len() + problem.inequalities.len());
    for end in globals {
        let Some(one) = heights.iter().find(|heights| heights.of[end] + heights.constant >= 0) else { return Ok(None) };
        let Ok(ends_here) = ends_here else { return Ok(None) };
        nodes.push(one.leaf(Some((end, ends_here))));
    }
    Ok(Some(Tree { nodes }))
}

/// Heights for a literal.
struct Heights {
    /// The number of the fact that the literal does not hold.
    fact: u32,
    constant: i128,
    of: Vec<i128>,
}

impl Heights {
    /// The equations of the global states, by their heights, and what says that the literal does not hold. Only
    /// differences of heights matter, so the least of them is 0: then the equation that says that a run ends once is
    /// not needed. The end of a run, where it is given, comes with the number of the fact that says so.
    fn leaf(&self, end: Option<(usize, u32)>) -> TreeNode {
        let least = self.of.iter().copied().min().unwrap_or(0);
        let raised = |height: i128| height - least;
        let globals = (0..).zip(&self.of).map(|(global, &height)| (Reference::Fact(global), raised(height)));
        let ends = end.map(|(end, fact)| (Reference::Fact(fact), raised(self.of[end])));
        let combination = globals.chain([(Reference::Fact(self.fact), 1)]).chain(ends);
        TreeNode::Farkas { combination: combination.filter(|&(_, times)| times != 0).collect() }
    }
}

/// The least weight of ways from the start to each global state, and a number that is large enough for those to which
/// there is none; `None` if ways get lighter and lighter, or if one is too light wherever it ends.
fn least_weights(slice: &NormalForm, bound: &Bound, budget: &mut Budget) -> Result<Option<Vec<i128>>, Stopped> {
    budget.spend(1 + slice.steps().len() as u64)?;
    let count = slice.global_count() as usize;
    let mut weight_of = vec![0_i128; slice.nodes().len()];
    for &(letter, factor) in &bound.terms {
        weight_of[letter as usize] = factor.into();
    }
    let mut leaving: Vec<Vec<(usize, i128)>> = vec![Vec::new(); count];
    for step in slice.steps() {
        let weight = if slice.is_done(step.to_node) { weight_of[step.to_node as usize] } else { 0 };
        leaving[step.global as usize].push((step.to_global as usize, weight));
    }
    for list in &mut leaving {
        list.sort_unstable();
        // Of several ways to the same state the lightest matters.
        list.dedup_by_key(|&mut (to, _)| to);
    }
    // No way without round trips is as light as this number is heavy.
    let largest = weight_of.iter().map(|weight| weight.abs()).max().unwrap_or(0);
    let far = (largest + 1) * (count as i128 + 1);
    let mut least = vec![far; count];
    let start = slice.initial_global() as usize;
    least[start] = 0;
    let mut queue = VecDeque::from_iter(0..count);
    let mut waits = vec![true; count];
    while let Some(from) = queue.pop_front() {
        waits[from] = false;
        budget.spend(1 + leaving[from].len() as u64)?;
        for &(to, weight) in &leaving[from] {
            let after = least[from] + weight;
            if after < least[to] {
                least[to] = after;
                // Lighter than any way without round trips: it gets lighter and lighter.
                if least[start] < 0 || after < -far {
                    return Ok(None);
                }
                if !std::mem::replace(&mut waits[to], true) {
                    queue.push_back(to);
                }
            }
        }
    }
    Ok(Some(least))
}

#[cfg(test)]
mod tests {
    use serval_compile::{Options, compile};
    use serval_families::Family;
    use serval_linear::check_tree;

    use super::*;
    use crate::reduce::{Reduction, reduce};

    /// What a program of a family is reduced to, and its letters.
    fn reduced(family: &str, n: usize) -> (NormalForm, Vec<u32>) {
        let program = serval_syntax::analyze(&Family::named(family).unwrap().program(n)).program.unwrap();
        let compiled = compile(&program, Options::default(), &Budget::ticks(1_000_000)).unwrap();
        let [component] = compiled.components() else { panic!() };
        let mut reduction = Reduction::new(NormalForm::new(component.system()).unwrap().0);
        reduce(&mut reduction, &mut Budget::ticks(10_000_000)).unwrap();
        let form = reduction.form().clone();
        let letters = form.node_numbers().filter(|&node| form.is_done(node)).collect();
        (form, letters)
    }

    fn bound(terms: &[(u32, i64)], constant: i64) -> Bound {
        Bound { divisor: 0, constant, terms: terms.to_vec() }
    }

    /// Proves a clause; what is proved is accepted.
    fn is_seen(form: &NormalForm, clause: &[Bound]) -> bool {
        let counting = prove(form, clause, &mut Budget::ticks(1_000_000)).unwrap();
        if let Some(counting) = &counting {
            let problem = counting_problem(form, &counting.phases, clause).unwrap();
            assert_eq!(check_tree(&problem, &counting.tree, &mut Budget::unlimited()), Ok(()));
        }
        counting.is_some()
    }

    /// With tickets 0 and 1 are answered in turn.
    #[test]
    fn answers_in_turn_are_seen() {
        for n in [3, 4, 5] {
            let (form, letters) = reduced("ticket", n);
            let [zero, one] = letters[..] else { panic!("{letters:?}") };
            assert!(is_seen(&form, &[bound(&[(zero, 1), (one, -1)], 0)]), "{n}");
            assert!(is_seen(&form, &[bound(&[(zero, -1), (one, 1)], 1)]), "{n}");
            // Neither of these holds for all runs, but one of them does for each.
            let (more, as_many) = (bound(&[(zero, 1), (one, -1)], -1), bound(&[(zero, -1), (one, 1)], 0));
            assert!(!is_seen(&form, std::slice::from_ref(&more)), "{n}");
            assert!(!is_seen(&form, std::slice::from_ref(&as_many)), "{n}");
            assert!(is_seen(&form, &[more, as_many]), "{n}");
            // What holds only as long as few requests answer is not seen, and that takes an end.
            assert!(!is_seen(&form, &[bound(&[(zero, -1)], 100)]), "{n}");
            // A literal about remainders excludes no walk.
            let odd = Bound { divisor: 2, constant: 0, terms: vec![(zero, 1)] };
            assert!(is_seen(&form, &[odd.clone(), bound(&[(zero, 1), (one, -1)], 0)]), "{n}");
            assert!(!is_seen(&form, &[odd]), "{n}");
        }
    }
}
