//! What is said about the counts of steps holds for those of runs.

use serval_model::{NodeStep, NormalForm, SplitMix64};
use serval_random::confusable;

use super::support::enough;
use crate::flow::{Fact, Region, fact_clause, flow_problem};
use serval_linear::is_solved_by;

fn below(random: &mut SplitMix64, number: u32) -> u32 {
    u32::try_from(random.next_u64() % u64::from(number.max(1))).unwrap()
}

/// A complete run, as the numbers of its steps, if chance leads to one.
fn complete_run(form: &NormalForm, random: &mut SplitMix64) -> Option<Vec<usize>> {
    let mut at = vec![0_u32; form.nodes().len()];
    let initial: Vec<u32> = form.node_numbers().filter(|&node| form.is_initial(node)).collect();
    let mut coming = 1 + below(random, 4);
    let mut global = form.initial_global();
    let mut run = Vec::new();
    for _ in 0..40 {
        if coming > 0 && below(random, 3) == 0 {
            at[initial[below(random, u32::try_from(initial.len()).unwrap()) as usize] as usize] += 1;
            coming -= 1;
        }
        let open = form.node_numbers().any(|node| !form.is_done(node) && at[node as usize] > 0);
        if coming == 0 && !open {
            return Some(run);
        }
        let possible = |step: &NodeStep| step.global == global && at[step.node as usize] > 0;
        let steps: Vec<usize> = (0..form.steps().len()).filter(|&index| possible(&form.steps()[index])).collect();
        if steps.is_empty() {
            continue;
        }
        let index = steps[below(random, u32::try_from(steps.len()).unwrap()) as usize];
        let step = form.steps()[index];
        at[step.node as usize] -= 1;
        at[step.to_node as usize] += 1;
        global = step.to_global;
        run.push(index);
    }
    None
}

/// The values of the variables for a run: steps, final states, what is carried.
fn values(form: &NormalForm, phases: &[u32], run: &[usize]) -> Vec<i64> {
    let phase = |global: u32| phases.get(global as usize).copied().unwrap_or(0);
    let mut landed = vec![false; form.nodes().len()];
    let mut crossings: Vec<(u32, u32)> = Vec::new();
    for step in form.steps() {
        landed[step.to_node as usize] |= !form.is_done(step.to_node);
        if phase(step.global) != phase(step.to_global) {
            crossings.push((phase(step.global), phase(step.to_global)));
        }
    }
    crossings.sort_unstable();
    crossings.dedup();
    let carrying: Vec<u32> = form.node_numbers().filter(|&node| landed[node as usize]).collect();
    let globals = form.global_count() as usize;
    let (steps, mut global) = (form.steps().len(), form.initial_global());
    let mut values = vec![0; steps + globals + crossings.len() * carrying.len()];
    let mut at = vec![0_i64; form.nodes().len()];
    for &index in run {
        let step = form.steps()[index];
        values[index] += 1;
        at[step.node as usize] -= 1;
        if let Ok(crossing) = crossings.binary_search(&(phase(step.global), phase(step.to_global))) {
            for (place, &node) in carrying.iter().enumerate() {
                // Who comes in later is not there yet: an initial node has what has landed on it.
                values[steps + globals + crossing * carrying.len() + place] += at[node as usize].max(0);
            }
        }
        if !form.is_done(step.to_node) {
            at[step.to_node as usize] += 1;
        }
        global = step.to_global;
    }
    values[steps + global as usize] = 1;
    values
}

fn some(random: &mut SplitMix64, count: u32, always: impl Fn(u32) -> bool) -> Vec<u32> {
    (0..count).filter(|&number| always(number) || below(random, 2) == 0).collect()
}

#[test]
fn counts_of_runs_meet_what_is_said() {
    let sweep = serval_effort::sweep("proof.counts", 40, 160);
    let (mut runs, mut facts) = (0, 0);
    for seed in sweep.seeds(0) {
        let random = &mut SplitMix64::new(seed);
        let Some((form, _)) = NormalForm::new(&confusable(random)) else { continue };
        let phases: Vec<u32> = if seed % 3 == 0 { Vec::new() } else { (0..form.global_count()).map(|_| below(random, 3)).collect() };
        let problem = flow_problem(&form, &phases).unwrap();
        for _ in 0..25 {
            let Some(run) = complete_run(&form, random) else { continue };
            let values = values(&form, &phases, &run);
            assert_eq!(problem.variables as usize, values.len());
            // At initial nodes that are landed on it depends on who is who; without phases it does not.
            let ambiguous = form.steps().iter().any(|step| form.is_initial(step.to_node)) && !phases.is_empty();
            assert!(ambiguous || is_solved_by(&problem, &values), "{form:?}\n{phases:?}\n{run:?}\n{values:?}");
            runs += 1;
            let (globals, nodes) = (form.global_count(), form.node_numbers().end);
            let first = Region {
                globals: some(random, globals, |global| global == form.initial_global()),
                nodes: some(random, nodes, |node| form.is_initial(node)),
            };
            let last = Region { globals: some(random, globals, |_| false), nodes: some(random, nodes, |node| form.is_done(node)) };
            let without = some(random, u32::try_from(form.steps().len()).unwrap(), |_| false);
            for fact in [Fact::Forward(first), Fact::Backward(last), Fact::Pairs(without)] {
                let clause = fact_clause(&form, &[], &fact, &mut enough()).unwrap().unwrap();
                assert!(clause.iter().any(|literal| literal.holds(&values)), "{fact:?}\n{form:?}\n{run:?}");
                facts += 1;
            }
        }
    }
    assert_eq!(facts, 3 * runs);
    assert!(!sweep.is_representative() || runs > 3 * sweep.count(), "{runs} runs");
}
