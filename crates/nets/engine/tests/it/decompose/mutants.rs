//! What is changed in a decomposition is refused, or does not matter: what cannot be shown is shown by none.

use serval_budget::Budget;
use serval_model::SplitMix64;
use serval_net_proof::decomposition::{Decomposition, SequenceStep};
use serval_net_proof::{Claim, Evidence, check};
use serval_petri::{Formula, Net};
use serval_random::reach::{chain, counters, net, pairs, reaches, target};

use super::{decided, goal_of};

/// Changes something in a list of steps.
fn changed(draw: &mut SplitMix64, evidence: &mut Decomposition) {
    let steps = &mut evidence.steps;
    if steps.is_empty() {
        return;
    }
    let (at, other) = (draw.index(steps.len()), draw.index(steps.len()));
    match draw.index(8) {
        0 => drop(steps.remove(at)),
        1 => steps.swap(at, other),
        2 => steps.truncate(at),
        3 => {
            let step = steps[other].clone();
            steps.insert(at, step);
        }
        _ => match &mut steps[at] {
            SequenceStep::Refuted(tree) => {
                let node = draw.index(tree.nodes.len().max(1));
                if node < tree.nodes.len() {
                    tree.nodes.remove(node);
                }
            }
            SequenceStep::Forward(covering) | SequenceStep::Backward(covering) => match draw.index(4) {
                0 if !covering.edges.is_empty() => drop(covering.edges.remove(draw.index(covering.edges.len()))),
                1 if !covering.edges.is_empty() => {
                    let edge = draw.index(covering.edges.len());
                    covering.edges[edge] = draw.index(covering.vertices.len() + 1);
                }
                2 => drop(covering.vertices.remove(draw.index(covering.vertices.len()))),
                _ => {
                    let vertex = draw.index(covering.vertices.len());
                    let label = &mut covering.vertices[vertex].1;
                    let place = draw.index(label.len());
                    label[place] = match label[place] {
                        None => Some(0),
                        Some(tokens) => (!draw.chance(30)).then(|| tokens + 1),
                    };
                }
            },
            SequenceStep::Order(order) => {
                let vertex = draw.index(order.numbers.len());
                order.numbers[vertex] = u32::try_from(draw.index(order.numbers.len())).unwrap();
            }
            SequenceStep::Leave(piece) => *piece += 1,
            SequenceStep::Value(value) => match draw.index(4) {
                0 => value.least += 1,
                1 => value.most = value.most.saturating_sub(1),
                2 => value.last = !value.last,
                _ => value.place += 1,
            },
            SequenceStep::First(first) => {
                if !first.arcs.is_empty() {
                    first.arcs.remove(draw.index(first.arcs.len()));
                }
            }
        },
    }
}

fn is_accepted(net: &Net, goal: &Formula, evidence: &Decomposition) -> bool {
    check(net, goal, Claim::Unreachable, &Evidence::Decomposition(evidence.clone()), &mut Budget::ticks(10_000_000)).is_ok()
}

/// Decompositions for what cannot be reached, changed or not, never show it of what can; and most changes are seen.
#[test]
fn mutants_show_nothing_false() {
    let sweep = serval_effort::sweep("decompose.mutants", 40, 150);
    let found = sweep.map(0, |case| {
        let mut draw = SplitMix64::new(case ^ 0xDEC0);
        let (mut tried, mut refused, mut false_goals) = (0_u64, 0_u64, 0_u64);
        let (net, target) = match case % 4 {
            0 => chain(&mut draw),
            3 => pairs(&mut draw),
            kind => {
                let net = if kind == 1 { counters(&mut draw) } else { net(&mut draw) };
                let target = target(&mut draw, &net);
                (net, target)
            }
        };
        let goal = goal_of(&net, &target);
        let Some((false, Evidence::Decomposition(evidence), _)) = decided(&net, &goal, 100_000, "mutants") else {
            return [0; 3];
        };
        // Markings near by that can be reached.
        let mut reached: Vec<Formula> = Vec::new();
        for place in 0..target.len() {
            for more in [1, 2] {
                let mut near = target.clone();
                near[place] += more;
                reached.extend((reaches(&net, &near, 500) == Some(true)).then(|| goal_of(&net, &near)));
                near[place] = target[place].saturating_sub(more);
                reached.extend((reaches(&net, &near, 500) == Some(true)).then(|| goal_of(&net, &near)));
            }
        }
        reached.push(goal_of(&net, net.initial().as_slice()));
        for _ in 0..20 {
            let mut mutant = evidence.clone();
            changed(&mut draw, &mut mutant);
            tried += u64::from(mutant != evidence);
            refused += u64::from(mutant != evidence && !is_accepted(&net, &goal, &mutant));
            for goal in &reached {
                false_goals += 1;
                assert!(!is_accepted(&net, goal, &mutant), "case {case}: {goal:?} of {net:?} by {mutant:?}");
            }
        }
        [tried, refused, false_goals]
    });
    let [tried, refused, false_goals] = [0, 1, 2].map(|what| found.iter().map(|counts| counts[what]).sum::<u64>());
    println!("{refused} of {tried} mutants refused; {false_goals} false claims refused");
    let enough = refused * 10 > tried * 7 && tried * 3 > sweep.count() * 2;
    assert!(!sweep.is_representative() || enough, "{refused} of {tried}");
}
