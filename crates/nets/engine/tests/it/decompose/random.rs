//! Random nets and counter systems against trying everything.

use serval_effort::{Sweep, sweep};
use serval_model::SplitMix64;
use serval_net_engine::decompose::{DecompositionRule, RuleCounts};
use serval_petri::{Constraint, Formula, Linear, Net};
use serval_random::reach::{chain, counters, meets, net, pairs, reaches, target};

use super::{decided, decided_in, goal_of};

/// Ticks for one question.
const TICKS: u64 = 300_000;

/// How the questions of one kind were answered.
#[derive(Clone, Copy, Debug, Default)]
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

impl Summary {
    /// Of one question: what was answered, and what trying everything knows.
    fn of(answer: Option<(bool, RuleCounts)>, known: Option<bool>, told: &str) -> Self {
        let Some((reached, counts)) = answer else { return Self { asked: 1, open: 1, ..Self::default() } };
        assert!(known.is_none_or(|known| known == reached), "{told}: {reached} is wrong");
        Self {
            asked: 1,
            yes: u64::from(reached),
            no: u64::from(!reached),
            open: 0,
            alone: u64::from(known.is_none()),
            covered: u64::from(counts.forward + counts.backward > 0),
            values: u64::from(counts.value > 0),
            arcs: u64::from(counts.first > 0),
            pumped: u64::from(counts.rounds > 0),
        }
    }

    fn and(self, other: Self) -> Self {
        Self {
            asked: self.asked + other.asked,
            yes: self.yes + other.yes,
            no: self.no + other.no,
            open: self.open + other.open,
            alone: self.alone + other.alone,
            covered: self.covered + other.covered,
            values: self.values + other.values,
            arcs: self.arcs + other.arcs,
            pumped: self.pumped + other.pumped,
        }
    }
}

fn ask(kind: &str, sweep: &Sweep, drawn: impl Fn(&mut SplitMix64) -> (Net, Vec<u64>) + Sync) -> Summary {
    let answers = sweep.map(0, |case| {
        let (net, target) = drawn(&mut SplitMix64::new(case));
        let told = format!("{kind} {case}: {target:?} of {net:?}");
        let answer = decided(&net, &goal_of(&net, &target), TICKS, &told);
        Summary::of(answer.map(|(reached, _, counts)| (reached, counts)), reaches(&net, &target, 3_000), &told)
    });
    answers.into_iter().fold(Summary::default(), Summary::and)
}

/// Few questions are open, and both answers are given often.
fn is_even(summary: &Summary, sweep: &Sweep, open_in: u64) -> bool {
    let (open, least) = (summary.open * open_in, summary.yes.min(summary.no) * 10);
    !sweep.is_representative() || open <= summary.asked && least >= summary.asked
}

#[test]
fn nets() {
    let sweep = sweep("decompose.nets", 80, 300);
    let summary = ask("net", &sweep, |draw| {
        let net = net(draw);
        let target = target(draw, &net);
        (net, target)
    });
    println!("net: {summary:?}");
    assert!(is_even(&summary, &sweep, 20), "{summary:?}");
}

#[test]
fn counter_systems() {
    let sweep = sweep("decompose.counters", 80, 300);
    let summary = ask("counters", &sweep, |draw| {
        let net = counters(draw);
        let target = target(draw, &net);
        (net, target)
    });
    println!("counters: {summary:?}");
    assert!(is_even(&summary, &sweep, 20), "{summary:?}");
}

/// Chains of modes whose counters must end at a number use the rule for values.
#[test]
fn chains() {
    let sweep = sweep("decompose.chains", 60, 200);
    let summary = ask("chain", &sweep, chain);
    println!("chain: {summary:?}");
    let used = summary.values > 0 && summary.covered > 0 && summary.open * 10 <= summary.asked;
    assert!(!sweep.is_representative() || used, "{summary:?}");
}

/// Pairs of loops use the rule for arcs.
#[test]
fn pairs_of_loops() {
    let sweep = sweep("decompose.pairs", 60, 200);
    let summary = ask("pairs", &sweep, pairs);
    println!("pairs: {summary:?}");
    let used = summary.arcs * 20 > summary.asked && summary.pumped > 0 && summary.open * 10 <= summary.asked;
    assert!(!sweep.is_representative() || used, "{summary:?}");
}

/// Whichever rule comes first, the answer is the same.
#[test]
fn orders_of_rules() {
    let orders = [
        [DecompositionRule::Backward, DecompositionRule::Forward, DecompositionRule::Arcs, DecompositionRule::Value],
        [DecompositionRule::Value, DecompositionRule::Forward, DecompositionRule::Backward, DecompositionRule::Arcs],
        [DecompositionRule::Arcs, DecompositionRule::Value, DecompositionRule::Backward, DecompositionRule::Forward],
        [DecompositionRule::Forward, DecompositionRule::Arcs, DecompositionRule::Backward, DecompositionRule::Value],
    ];
    let sweep = sweep("decompose.orders", 25, 100);
    let answers = sweep.map(0, |case| {
        let draw = &mut SplitMix64::new(case << 8);
        let (net, target) = match case % 4 {
            0 => chain(draw),
            1 => pairs(draw),
            kind => {
                let net = if kind == 2 { counters(draw) } else { net(draw) };
                let target = target(draw, &net);
                (net, target)
            }
        };
        let (goal, told) = (goal_of(&net, &target), format!("case {case}: {target:?} of {net:?}"));
        let Some((expected, ..)) = decided(&net, &goal, TICKS, &told) else { return Vec::new() };
        let is_same = orders.map(|order| {
            let reached = decided_in(&net, &goal, order, TICKS, &told).map(|(reached, ..)| reached);
            assert!(reached.is_none_or(|reached| reached == expected), "{told}: {order:?}");
            reached.is_some()
        });
        is_same.to_vec()
    });
    let answers = answers.concat();
    let same = answers.iter().filter(|same| **same).count();
    let open = answers.len() - same;
    println!("orders: {same} answers are the same, {open} are open");
    assert!(!sweep.is_representative() || open * 5 < same, "{same} the same, {open} open");
}

/// Formulas: two conditions joined by `and` or `or`, each of which compares a sum of places with a number or with a
/// place, and sometimes that two does not divide one.
#[test]
fn formulas() {
    let sweep = sweep("decompose.formulas", 60, 200);
    let answers = sweep.map(0, |case| {
        let draw = &mut SplitMix64::new(case ^ 0xF0);
        let net = if draw.chance(50) { net(draw) } else { counters(draw) };
        let goal = formula(draw, &net);
        let told = format!("formula {case}: {goal:?} of {net:?}");
        let answer = decided(&net, &goal, TICKS, &told);
        Summary::of(answer.map(|(reached, _, counts)| (reached, counts)), meets(&net, &goal, 2_000), &told)
    });
    let summary = answers.into_iter().fold(Summary::default(), Summary::and);
    println!("formulas: {summary:?}");
    assert!(is_even(&summary, &sweep, 10), "{summary:?}");
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
