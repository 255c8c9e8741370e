//! Tests of the parts that cannot be seen from outside.

use serval_budget::Budget;
use serval_model::SplitMix64;

use crate::lattice::{Lattice, Taken};
use crate::simplex::{Bound, Side, Simplex, Source, Variable};
use crate::{Int, Rational};

fn between(random: &mut SplitMix64, least: i64, most: i64) -> i64 {
    least + i64::try_from(random.below(u64::try_from(most - least + 1).unwrap())).unwrap()
}

/// Random bounds on random rows, set and taken back: the invariants hold after
/// every step, conflicts add up to a contradiction, and minima are minima.
#[test]
fn simplex() {
    let sweep = serval_effort::sweep("arith.simplex", 100, 400);
    let mut conflicts = 0;
    for seed in sweep.seeds(0) {
        let mut random = SplitMix64::new(seed);
        let mut simplex = Simplex::default();
        let mut budget = Budget::unlimited();
        let structural: Vec<Variable> = (0..4).map(|_| simplex.variable()).collect();
        let mut definitions: Vec<Vec<(Variable, Int)>> = structural.iter().map(|&variable| vec![(variable, Int::ONE)]).collect();
        let sum: Vec<(Variable, Int)> = structural.iter().map(|&variable| (variable, Int::ONE)).collect();
        let objective = simplex.define(&sum);
        definitions.push(sum);
        for _ in 0..4 {
            let mut terms: Vec<(Variable, Int)> =
                structural.iter().map(|&variable| (variable, Int::from(between(&mut random, -3, 3)))).collect();
            terms.retain(|(_, coefficient)| !coefficient.is_zero());
            simplex.define(&terms);
            definitions.push(terms);
        }
        for &variable in &structural {
            let bound = Bound { value: Rational::ZERO, source: Source::Nonnegative(variable), factor: Rational::ONE };
            assert!(simplex.assume(variable, Side::Lower, bound, &mut budget).unwrap().is_none());
        }
        // By number: whose bound it is, which, and its value.
        let mut assumed: Vec<(Variable, Side, i64)> = Vec::new();
        let mut marks = Vec::new();
        for _ in 0..12 {
            if random.below(4) == 0 && !marks.is_empty() {
                let (mark, count) = marks.pop().unwrap();
                simplex.take_back(mark);
                assumed.truncate(count);
                simplex.check_invariants();
                continue;
            }
            marks.push((simplex.mark(), assumed.len()));
            let at = usize::try_from(random.below(definitions.len() as u64)).unwrap();
            if at == 4 {
                continue;
            }
            let variable = Variable(u32::try_from(at).unwrap());
            let side = if random.below(2) == 0 { Side::Lower } else { Side::Upper };
            let value = between(&mut random, -6, 9);
            let source = Source::Assumption(u32::try_from(assumed.len()).unwrap());
            assumed.push((variable, side, value));
            let bound = Bound { value: Rational::from(value), source, factor: Rational::ONE };
            let mut conflict = simplex.assume(variable, side, bound, &mut budget).unwrap();
            simplex.check_invariants();
            if conflict.is_none() {
                conflict = simplex.check(Some(objective), &mut budget).unwrap();
                simplex.check_invariants();
            }
            let Some(explanation) = conflict else {
                simplex.minimise(objective, &mut budget).unwrap();
                simplex.check_invariants();
                assert!(simplex.check(Some(objective), &mut budget).unwrap().is_none());
                continue;
            };
            conflicts += 1;
            let mut coefficients = vec![Rational::ZERO; structural.len()];
            let mut constant = Rational::ZERO;
            for (source, multiplier) in explanation {
                assert!(multiplier.signum() > 0);
                let (terms, sign, value) = match source {
                    Source::Nonnegative(variable) => (&definitions[variable.index()], 1, 0),
                    Source::Assumption(number) => {
                        let (variable, side, value) = assumed[number as usize];
                        (&definitions[variable.index()], if side == Side::Lower { 1 } else { -1 }, value)
                    }
                    other => panic!("{other:?}"),
                };
                let signed = &multiplier * &Rational::from(sign);
                for (variable, coefficient) in terms {
                    let entry = &mut coefficients[variable.index()];
                    *entry = &*entry + &(&signed * &Rational::from(coefficient));
                }
                constant = &constant - &(&signed * &Rational::from(value));
            }
            assert!(coefficients.iter().all(Rational::is_zero) && constant.signum() < 0, "seed {seed}");
            let (mark, count) = marks.pop().unwrap();
            simplex.take_back(mark);
            assumed.truncate(count);
        }
    }
    assert!(!sweep.is_representative() || conflicts * 5 > sweep.count(), "{conflicts}");
}

/// Equations modulo small numbers: a refutation is one, and where there is
/// none, brute force finds a solution or the equations contradict each other
/// or a solution is far away.
#[test]
fn lattice() {
    let sweep = serval_effort::sweep("arith.lattice", 800, 3_000);
    let (mut refuted, mut solved) = (0, 0);
    for seed in sweep.seeds(0) {
        let mut random = SplitMix64::new(seed);
        let mut lattice = Lattice::default();
        let mut taken: Vec<(Vec<i64>, i64)> = Vec::new();
        let mut given: Vec<(Vec<i64>, i64)> = Vec::new();
        let mut verdict = None;
        for _ in 0..1 + random.below(3) {
            let row: Vec<i64> = (0..3).map(|_| between(&mut random, -6, 6)).collect();
            let constant = between(&mut random, -6, 6);
            given.push((row.clone(), constant));
            let terms = (0..).zip(&row).map(|(variable, &coefficient)| (variable, Int::from(coefficient)));
            let before = lattice.len();
            match lattice.take(terms, Int::from(constant), &mut Budget::unlimited()).unwrap() {
                Taken::Consistent => taken.push((row, constant)),
                Taken::Redundant => {}
                Taken::Contradicts => {
                    verdict = Some(false);
                    break;
                }
                Taken::Refuted(multipliers) => {
                    assert_eq!(lattice.len(), before);
                    taken.push((row, constant));
                    let sum = |entries: Vec<i64>| {
                        let products = multipliers.iter().map(|(equation, multiplier)| multiplier * &Rational::from(entries[*equation]));
                        products.fold(Rational::ZERO, |sum, product| &sum + &product)
                    };
                    for variable in 0..3 {
                        assert!(sum(taken.iter().map(|(row, _)| row[variable]).collect()).is_integer());
                    }
                    assert!(!sum(taken.iter().map(|&(_, constant)| constant).collect()).is_integer());
                    verdict = Some(false);
                    refuted += 1;
                    break;
                }
            }
        }
        let near = -8..=8_i64;
        let points = near.clone().flat_map(|x| near.clone().flat_map(move |y| (-8..=8_i64).map(move |z| [x, y, z])));
        let solves =
            |point: &[i64; 3]| given.iter().all(|(row, constant)| row.iter().zip(point).map(|(a, x)| a * x).sum::<i64>() == *constant);
        if points.into_iter().any(|point| solves(&point)) {
            solved += 1;
            assert_eq!(verdict, None, "seed {seed}: {given:?}");
        }
        // Taking back the last equation and taking it again changes nothing.
        if verdict.is_none() && taken.len() == given.len() {
            let (row, constant) = given.pop().unwrap();
            lattice.truncate(given.len());
            let terms = (0..).zip(&row).map(|(variable, &coefficient)| (variable, Int::from(coefficient)));
            assert_eq!(lattice.take(terms, Int::from(constant), &mut Budget::unlimited()).unwrap(), Taken::Consistent);
        }
    }
    let many = refuted * 7 > sweep.count() && solved * 40 > sweep.count();
    assert!(!sweep.is_representative() || many, "{refuted} {solved}");
}
