//! Random nets and counter systems against trying everything.

use serval_decompose::Rule;
use serval_model::SplitMix64;
use serval_petri::{Constraint, Formula, Linear, Net};
use serval_random::reach::{chain, counters, meets, net, pairs, reaches, target};

use crate::{decided, decided_in, goal_of, number};

/// How the questions of one kind were answered.
#[derive(Debug, Default)]
struct Summary {
    asked: u64,
    yes: u64,
    no: u64,
    open: u64,
    /// Answers that trying everything does not know.
    alone: u64,
    covered: u64,
    values: u64,
    arcs: u64,
    pumped: u64,
}

fn ask(kind: &str, count: u64, ticks: u64, mut drawn: impl FnMut(&mut SplitMix64) -> (Net, Vec<u64>)) -> Summary {
    let (mut summary, seed) = (Summary::default(), number("SERVAL_SEED", 0));
    for case in 0..count {
        let (net, target) = drawn(&mut SplitMix64::new(seed.wrapping_mul(1_000_003).wrapping_add(case)));
        let told = format!("{kind} {case} of seed {seed}: {target:?} of {net:?}");
        let known = reaches(&net, &target, 3_000);
        summary.asked += 1;
        let Some((reached, _, counts)) = decided(&net, &goal_of(&net, &target), ticks, &told) else {
            summary.open += 1;
            continue;
        };
        assert!(known.is_none_or(|known| known == reached), "{told}: {reached} is wrong");
        *(if reached { &mut summary.yes } else { &mut summary.no }) += 1;
        summary.alone += u64::from(known.is_none());
        summary.covered += u64::from(counts.forward + counts.backward > 0);
        summary.values += u64::from(counts.value > 0);
        summary.arcs += u64::from(counts.first > 0);
        summary.pumped += u64::from(counts.rounds > 0);
    }
    summary
}

/// Ticks for one question.
const TICKS: u64 = 300_000;

#[test]
fn nets() {
    let count = number("SERVAL_COUNT", 300);
    let summary = ask("net", count, TICKS, |draw| {
        let net = net(draw);
        let target = target(draw, &net);
        (net, target)
    });
    println!("net: {summary:?}");
    assert!(summary.open * 20 <= count && summary.yes * 10 >= count && summary.no * 10 >= count, "{summary:?}");
}

#[test]
fn counter_systems() {
    let count = number("SERVAL_COUNT", 300);
    let summary = ask("counters", count, TICKS, |draw| {
        let net = counters(draw);
        let target = target(draw, &net);
        (net, target)
    });
    println!("counters: {summary:?}");
    assert!(summary.open * 20 <= count && summary.yes * 10 >= count && summary.no * 10 >= count, "{summary:?}");
}

/// Chains of modes whose counters must end at a number use the rule for values.
#[test]
fn chains() {
    let summary = ask("chain", number("SERVAL_COUNT", 200), TICKS, chain);
    println!("chain: {summary:?}");
    assert!(summary.values > 0 && summary.covered > 0 && summary.open * 10 <= summary.asked, "{summary:?}");
}

/// Pairs of loops use the rule for arcs.
#[test]
fn pairs_of_loops() {
    let summary = ask("pairs", number("SERVAL_COUNT", 200), TICKS, pairs);
    println!("pairs: {summary:?}");
    assert!(summary.arcs * 20 > summary.asked && summary.pumped > 0 && summary.open * 10 <= summary.asked, "{summary:?}");
}

/// Whichever rule comes first, the answer is the same.
#[test]
fn orders_of_rules() {
    let orders = [
        [Rule::Backward, Rule::Forward, Rule::Arcs, Rule::Value],
        [Rule::Value, Rule::Forward, Rule::Backward, Rule::Arcs],
        [Rule::Arcs, Rule::Value, Rule::Backward, Rule::Forward],
        [Rule::Forward, Rule::Arcs, Rule::Backward, Rule::Value],
    ];
    let (mut same, mut open, seed) = (0_u64, 0_u64, number("SERVAL_SEED", 0));
    for case in 0..number("SERVAL_COUNT", 100) {
        let draw = &mut SplitMix64::new(seed ^ (case << 8));
        let (net, target) = match case % 4 {
            0 => chain(draw),
            1 => pairs(draw),
            kind => {
                let net = if kind == 2 { counters(draw) } else { net(draw) };
                let target = target(draw, &net);
                (net, target)
            }
        };
        let (goal, told) = (goal_of(&net, &target), format!("case {case} of seed {seed}: {target:?} of {net:?}"));
        let Some((expected, ..)) = decided(&net, &goal, TICKS, &told) else { continue };
        for order in orders {
            match decided_in(&net, &goal, order, TICKS, &told) {
                Some((reached, ..)) => {
                    assert_eq!(reached, expected, "{told}: {order:?}");
                    same += 1;
                }
                None => open += 1,
            }
        }
    }
    println!("orders: {same} answers are the same, {open} are open");
    assert!(open * 5 < same, "{same} the same, {open} open");
}

/// Formulas: two conditions joined by `and` or `or`, each of which compares a sum of places with a number or with a place, and sometimes that two does not divide one.
#[test]
fn formulas() {
    let (count, seed) = (number("SERVAL_COUNT", 200), number("SERVAL_SEED", 0));
    let mut summary = Summary::default();
    for case in 0..count {
        let draw = &mut SplitMix64::new(seed.wrapping_mul(1_000_003).wrapping_add(case) ^ 0xF0);
        let net = if draw.chance(50) { net(draw) } else { counters(draw) };
        let goal = formula(draw, &net);
        let told = format!("formula {case} of seed {seed}: {goal:?} of {net:?}");
        let known = meets(&net, &goal, 2_000);
        summary.asked += 1;
        let Some((reached, _, counts)) = decided(&net, &goal, TICKS, &told) else {
            summary.open += 1;
            continue;
        };
        assert!(known.is_none_or(|known| known == reached), "{told}: {reached} is wrong");
        *(if reached { &mut summary.yes } else { &mut summary.no }) += 1;
        summary.alone += u64::from(known.is_none());
        summary.covered += u64::from(counts.forward + counts.backward > 0);
        summary.pumped += u64::from(counts.rounds > 0);
    }
    println!("formulas: {summary:?}");
    assert!(summary.open * 10 <= count && summary.yes * 10 >= count && summary.no * 10 >= count, "{summary:?}");
}

fn formula(draw: &mut SplitMix64, net: &Net) -> Formula {
    let condition = |draw: &mut SplitMix64| {
        let places: Vec<_> = net.places().collect();
        let mut place = || places[draw.index(places.len())];
        let (one, other) = (place(), place());
        let factor = |draw: &mut SplitMix64| [-2, -1, 1, 1, 2][draw.index(5)];
        let terms = [(one, factor(draw)), (other, factor(draw))];
        let linear = Linear::new(terms, [-5, -3, -2, -1, 0, 1, 2][draw.index(7)]).unwrap();
        Formula::constraint(match draw.index(5) {
            0 | 1 => Constraint::Zero(linear),
            2 => Constraint::NotDivisible { divisor: std::num::NonZeroU64::new(2).unwrap(), expression: linear },
            _ => Constraint::AtLeastZero(linear),
        })
    };
    let conditions: Vec<Formula> = (0..1 + draw.index(3)).map(|_| condition(draw)).collect();
    let (any, more) = (draw.chance(30), condition(draw));
    let joined = if any { Formula::any(conditions) } else { Formula::all(conditions) };
    if draw.chance(50) { Formula::all([joined, more]) } else { joined }
}
