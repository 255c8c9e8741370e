use serval_model::SplitMix64;

use super::*;

const VARIABLES: usize = 4;
const MOST: i64 = 3;

/// Terms, a constant, and what says that their sum counts.
type Sum = (Vec<(usize, i64)>, i64, Lit);

/// A random problem, which is also tried value by value.
struct Tried {
    clauses: Vec<Vec<Lit>>,
    sums: Vec<Sum>,
}

fn lit(draw: &mut SplitMix64) -> Lit {
    let variable = draw.index(VARIABLES);
    let value = i64::try_from(draw.index(4)).unwrap();
    if draw.chance(50) { Lit::at_least(variable, value + 1) } else { Lit::at_most(variable, value - 1) }
}

impl Tried {
    fn holds(&self, values: &[i64], more: &[Lit]) -> bool {
        let met = |lit: &Lit| lit.holds(values[lit.variable]);
        let sum = |(terms, constant, guard): &(Vec<(usize, i64)>, i64, Lit)| {
            !met(guard) || terms.iter().map(|&(variable, factor)| values[variable] * factor).sum::<i64>() + constant >= 0
        };
        self.clauses.iter().all(|clause| clause.iter().any(met)) && self.sums.iter().all(sum) && more.iter().all(met)
    }

    fn is_possible(&self, more: &[Lit]) -> bool {
        (0..(MOST + 1).pow(4)).any(|code| {
            let values: Vec<i64> = (0..4).map(|variable| code / (MOST + 1).pow(variable) % (MOST + 1)).collect();
            self.holds(&values, more)
        })
    }
}

#[test]
fn answers_are_those_of_trying_everything() {
    let sweep = serval_effort::sweep("nets.engine", 750, 3_000);
    let answers = sweep.map(0, |seed| {
        let (mut possible, mut impossible) = (0, 0);
        let draw = &mut SplitMix64::new(seed);
        let (mut engine, mut tried) = (Engine::default(), Tried { clauses: Vec::new(), sums: Vec::new() });
        for _ in 0..VARIABLES {
            engine.variable(Some(MOST));
        }
        for _ in 0..6 {
            // Questions and additions take turns.
            for _ in 0..draw.index(4) {
                if draw.chance(70) {
                    let mut clause: Vec<Lit> = (0..1 + draw.index(4)).map(|_| lit(draw)).collect();
                    clause.sort_unstable_by_key(|lit| lit.side());
                    clause.dedup_by_key(|lit| lit.side());
                    tried.clauses.push(clause.clone());
                    engine.clause(clause);
                } else {
                    let terms: Vec<(usize, i64)> =
                        (0..VARIABLES).filter(|_| draw.chance(60)).map(|variable| (variable, [1, -1, 2, -3][variable])).collect();
                    let (constant, guard) = (i64::try_from(draw.index(9)).unwrap() - 5, lit(draw));
                    tried.sums.push((terms.clone(), constant, guard));
                    engine.sum(terms, constant, guard);
                }
            }
            let assumptions: Vec<Lit> = (0..draw.index(4)).map(|_| lit(draw)).collect();
            match engine.solve(&assumptions, &mut Budget::unlimited()).unwrap() {
                EngineAnswer::Model(values) => {
                    possible += 1;
                    assert!(tried.holds(&values, &assumptions), "{seed}: {values:?}");
                }
                EngineAnswer::None(needed) => {
                    impossible += 1;
                    assert!(!tried.is_possible(&assumptions), "{seed}");
                    assert!(!tried.is_possible(&needed), "{seed}: {needed:?}");
                    let weaker = |lit: &Lit| assumptions.iter().any(|other| lit.side() == other.side() && lit.follows_from(*other));
                    assert!(needed.iter().all(weaker), "{seed}: {needed:?} of {assumptions:?}");
                }
            }
        }
        (possible, impossible)
    });
    let (possible, impossible) = answers.into_iter().fold((0, 0), |sum: (u64, u64), one| (sum.0 + one.0, sum.1 + one.1));
    let enough = possible.min(impossible) * 3 > sweep.count() * 2;
    assert!(!sweep.is_representative() || enough, "{possible} and {impossible}");
}
