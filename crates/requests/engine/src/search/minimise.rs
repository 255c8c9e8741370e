//! Cheapest runs (Dijkstra 1959): the run with the fewest switches, and among those with the fewest steps.
//!
//! A switch is a step by another request than the step before. Configurations
//! remember who moved last and are visited in the order of their cost
//! (Dijkstra), so the first complete one whose answers are not serial is best.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use serval_budget::Budget;
use serval_model::{Halt, Moves, Multiset, Run};

use super::RequestMultiset;
use super::configuration::{Config, Expander, Turn, run_of};
use super::serial::Serial;

/// Switches, then steps.
type Cost = (u32, u32);

struct FoundConfig {
    cost: Cost,
    before: Option<(usize, Turn)>,
}

/// The best counterexample made of exactly these requests.
pub(super) fn fewest_switches<M: Moves>(
    serial: &mut Serial<M>,
    requests: &RequestMultiset,
    budget: &mut Budget,
) -> Result<Option<Run>, Halt<M::Stop>> {
    let initial_global = serial.system().initial_global();
    let mut expander = Expander::new(serial.system(), requests, true);
    let mut visits: IndexMap<Config, FoundConfig, FxBuildHasher> = IndexMap::default();
    visits.insert(Expander::initial(initial_global), FoundConfig { cost: (0, 0), before: None });
    // Positions are given out in a fixed order, so ties are broken the same
    // way every time.
    let mut queue: BinaryHeap<Reverse<(Cost, usize)>> = BinaryHeap::from([Reverse(((0, 0), 0))]);
    let mut next = Vec::new();
    while let Some(Reverse((cost, position))) = queue.pop() {
        let Some((config, visit)) = visits.get_index(position) else { continue };
        if visit.cost < cost {
            continue;
        }
        budget.spend(1)?;
        let config = config.clone();
        if expander.is_complete(&config) {
            let completed: Multiset<_> = config.completed.iter().copied().collect();
            if !serial.contains(&completed, budget)? {
                return Ok(run_of(initial_global, &turns_to(&visits, position)));
            }
            continue;
        }
        expander.expand(serial.system_mut(), &config, &mut next).map_err(Halt::System)?;
        for (turn, config) in next.drain(..) {
            let switched = u32::from(!turn.continues && position != 0);
            let cost = (cost.0 + switched, cost.1 + u32::from(turn.step.is_some()));
            let entry = visits.entry(config);
            let index = entry.index();
            let mut better = false;
            let visit = entry.or_insert_with(|| {
                better = true;
                FoundConfig { cost, before: Some((position, turn)) }
            });
            if cost < visit.cost {
                *visit = FoundConfig { cost, before: Some((position, turn)) };
                better = true;
            }
            if better {
                queue.push(Reverse((cost, index)));
            }
        }
    }
    Ok(None)
}

fn turns_to(visits: &IndexMap<Config, FoundConfig, FxBuildHasher>, mut position: usize) -> Vec<Turn> {
    let mut turns = Vec::new();
    while let Some((_, FoundConfig { before: Some((before, turn)), .. })) = visits.get_index(position) {
        turns.push(*turn);
        position = *before;
    }
    turns.reverse();
    turns
}
