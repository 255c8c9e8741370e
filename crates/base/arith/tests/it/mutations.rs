//! Trees of problems that have no solution, on problems that have one.

use crate::support::{Dice, accepts, brute};
use serval_arith::{Outcome, solve};
use serval_budget::Budget;
use serval_effort::sweep;
use serval_linear::{Linear, Literal, Node, Problem, Reference, Tree, is_solved_by};
use serval_testkit::say;

/// Another expression that is close.
fn bend(dice: &mut Dice, linear: &Linear) -> Linear {
    let mut terms = linear.terms().to_vec();
    let mut constant = linear.constant();
    match dice.below(4) {
        0 if !terms.is_empty() => {
            let at = usize::try_from(dice.below(terms.len() as u64)).unwrap();
            terms[at].1 += dice.between(-2, 2);
        }
        1 if !terms.is_empty() => {
            let at = usize::try_from(dice.below(terms.len() as u64)).unwrap();
            terms.remove(at);
        }
        _ => constant += dice.between(-4, 4),
    }
    Linear::new(terms, constant).unwrap()
}

fn pick<'a, T>(dice: &mut Dice, items: &'a mut [T]) -> Option<&'a mut T> {
    let count = items.len() as u64;
    if count == 0 { None } else { items.get_mut(usize::try_from(dice.below(count)).unwrap()) }
}

/// The problem with something taken out or changed, but not the bounds of the
/// box, which come last.
fn weaken(dice: &mut Dice, problem: &mut Problem) {
    let own = problem.inequalities.len() - problem.variables as usize;
    match dice.below(6) {
        0 if !problem.equalities.is_empty() => {
            let at = usize::try_from(dice.below(problem.equalities.len() as u64)).unwrap();
            // In its place something that says nothing, so that numbers of facts stay what they were.
            problem.equalities[at] = Linear::default();
        }
        1 if own > 0 => {
            let at = usize::try_from(dice.below(own as u64)).unwrap();
            problem.inequalities[at] = Linear::default();
        }
        2 => {
            if let Some(linear) = pick(dice, &mut problem.equalities) {
                *linear = bend(dice, &linear.clone());
            }
        }
        3 => {
            if let Some(linear) = pick(dice, &mut problem.inequalities[..own]) {
                *linear = bend(dice, &linear.clone());
            }
        }
        _ => {
            let Some(clause) = pick(dice, &mut problem.clauses) else { return };
            let Some(literal) = pick(dice, clause) else { return };
            *literal = match literal {
                Literal::AtLeastZero(linear) => Literal::AtLeastZero(bend(dice, linear)),
                Literal::NotDivisible(linear, divisor) if dice.below(2) == 0 => Literal::NotDivisible(linear.clone(), *divisor + 1),
                Literal::NotDivisible(linear, divisor) => Literal::NotDivisible(bend(dice, linear), *divisor),
            };
        }
    }
}

/// Changes a number of a tree, or its shape.
fn mutate(dice: &mut Dice, tree: &mut Tree) {
    let count = tree.nodes.len() as u64;
    let at = usize::try_from(dice.below(count)).unwrap();
    match dice.below(8) {
        0 => {
            tree.nodes.remove(at);
        }
        1 => tree.nodes.insert(at, tree.nodes[at].clone()),
        _ => {}
    }
    let Some(node) = pick(dice, &mut tree.nodes) else { return };
    let small = dice.between(-3, 3);
    match node {
        Node::Clause { clause } => *clause = clause.wrapping_add_signed(i32::try_from(small).unwrap()),
        Node::Bound { expression, at_most } => {
            *expression = bend(dice, expression);
            *at_most += small;
        }
        Node::Residue { divisor, .. } => *divisor = divisor.saturating_add_signed(small),
        Node::Farkas { combination } => bend_combination(dice, combination),
        Node::Lattice { modulus, combination, tight } => match dice.below(3) {
            0 => *modulus += i128::from(small),
            1 => bend_combination(dice, combination),
            _ => bend_combination(dice, tight),
        },
    }
}

fn bend_combination(dice: &mut Dice, combination: &mut Vec<(Reference, i128)>) {
    let new = (Reference::Fact(u32::try_from(dice.below(12)).unwrap()), i128::from(dice.between(-2, 4)));
    match dice.below(3) {
        0 => combination.push(new),
        1 => {
            if let Some(entry) = pick(dice, combination) {
                *entry = new;
            }
        }
        _ => {
            if let Some((_, multiplier)) = pick(dice, combination) {
                *multiplier += i128::from(dice.between(-3, 3));
            }
        }
    }
}

#[test]
fn no_tree_refutes_what_has_a_solution() {
    let sweep = sweep("arith.trees", 1_000, 4_000);
    let (mut tried, mut seed) = (0_u64, sweep.seed(1));
    while tried < sweep.count() {
        seed += 1;
        let mut dice = Dice::new(seed);
        let (problem, most) = dice.boxed();
        let Outcome::Refuted(tree) = solve(problem.clone(), &mut Budget::ticks(1_000_000)) else { continue };
        for _ in 0..12 {
            let mut weaker = problem.clone();
            for _ in 0..=dice.below(3) {
                weaken(&mut dice, &mut weaker);
            }
            if brute(&weaker, &most).is_none() {
                continue;
            }
            for changes in 0..6 {
                let mut wrong = tree.clone();
                for _ in 0..changes {
                    if !wrong.nodes.is_empty() {
                        mutate(&mut dice, &mut wrong);
                    }
                }
                assert!(accepts(&weaker, &wrong).is_err(), "seed {seed}: {weaker:?}\n{wrong:?}");
                tried += 1;
            }
        }
    }
    say(&format!("{tried} trees on satisfiable problems, none accepted"));
}

/// Small random trees on problems with one solution, which only just exist.
#[test]
fn no_random_tree_refutes_what_has_a_solution() {
    for seed in sweep("arith.random_trees", 4_000, 20_000).seeds(1) {
        let mut dice = Dice::new(seed);
        let problem = Problem {
            variables: 1,
            equalities: vec![Linear::new([(0, 2)], -2).unwrap()],
            inequalities: vec![Linear::new([(0, -1)], 1).unwrap(), Linear::new([(0, 3)], -3).unwrap()],
            clauses: vec![vec![Literal::NotDivisible(Linear::new([(0, 1)], 0).unwrap(), 2)]],
        };
        assert!(is_solved_by(&problem, &[1]));
        let combination = |dice: &mut Dice| {
            (0..dice.below(4))
                .map(|_| {
                    let number = u32::try_from(dice.below(5)).unwrap();
                    let reference = if dice.below(4) == 0 { Reference::AtLeastZero(number % 3) } else { Reference::Fact(number) };
                    (reference, i128::from(dice.between(-2, 3)))
                })
                .collect()
        };
        let linear = |dice: &mut Dice| dice.linear(2, 2, 3);
        let nodes = (0..1 + dice.below(4)).map(|_| match dice.below(7) {
            0 => Node::Clause { clause: u32::try_from(dice.below(2)).unwrap() },
            1 => Node::Bound { expression: linear(&mut dice), at_most: dice.between(-1, 2) },
            2 => Node::Residue { expression: linear(&mut dice), divisor: dice.below(3) },
            3 | 4 => Node::Farkas { combination: combination(&mut dice) },
            _ => Node::Lattice { modulus: dice.between(-1, 4).into(), combination: combination(&mut dice), tight: combination(&mut dice) },
        });
        let tree = Tree { nodes: nodes.collect() };
        assert!(accepts(&problem, &tree).is_err(), "seed {seed}: {tree:?}");
    }
}
