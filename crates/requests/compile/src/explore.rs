//! Finds the states that can occur: a cheap over-approximation, the same with what the global state counts, and an
//! exact analysis take turns with growing budgets until one of them is complete.
//!
//! Each result is right. The first two keep every pair of local and global
//! state that occurs and possibly more; steps from pairs that never occur are
//! never taken, so they change no run. Which pass wins depends on the budgets
//! alone, so the result is the same on every machine.

mod bounded;
mod conserved;
mod counts;
mod cover;
mod fewest;
mod function;
mod growth;
mod hunt;
mod product;
mod sample;
mod serial;
mod sets;
mod shorten;
mod trail;

use std::ops::RangeInclusive;

use rustc_hash::{FxHashMap, FxHashSet};
use serval_budget::{Budget, Stopped};
use serval_model::{GlobalId, LocalId};
use serval_syntax::Span;

pub(crate) use bounded::Failing;
pub(crate) use cover::{Cover, Marking, OMEGA, below, fire};
pub(crate) use fewest::fewest_requests;
pub(crate) use function::Function;
pub(crate) use growth::Grower;
pub(crate) use serial::{SerialFault, fewer_at_once, serial_fault};
pub(crate) use sets::LocalSet;
pub(crate) use shorten::shortened;
pub(crate) use trail::{Trail, TrailStep};

use crate::graph::Reg;
use crate::machine::{Fault, FaultKind};
use crate::space::Space;
use counts::Counts;
use hunt::Hunt;
use product::{Incomplete, Product};
use trail::Neighbourhood;

/// The pairs `(local, global)` whose steps make up the system.
pub(crate) type Pairs = Vec<(LocalId, GlobalId)>;

/// What was found.
pub(crate) struct Explored {
    pub(crate) pairs: Pairs,
    pub(crate) closure: Closure,
}

/// Why no other pairs occur.
#[derive(Clone, Debug)]
pub(crate) enum Closure {
    /// The pairs are closed by the rules of `product`, with counts that have these weights for each local state, if
    /// there are any counts.
    Counts { functions: Vec<Function>, weights: Vec<Box<[i64]>> },
    /// For each global state, all configurations are below these markings.
    Markings(Vec<Vec<Marking>>),
}

/// Why there is no finite system to show.
pub(crate) enum Failure {
    /// A step that really occurs has no result.
    Fault { fault: Fault, trail: Trail, last: Option<(LocalId, GlobalId)> },
    /// Too many states. `proved` when they are infinitely many.
    TooLarge { grower: Option<Grower>, trail: Trail, proved: bool },
    /// A step has no result, and no run that leads there was found. `certain` when some
    /// run does; otherwise it was not refuted, either. None with at most `excluded` requests at a time does.
    FaultWithoutRun { fault: Fault, certain: bool, excluded: usize },
    /// The budget ended.
    Stopped(Stopped),
}

/// Pairs tried in the first round.
const FIRST_ROUND: u64 = 1 << 12;
/// Values looked at to see which variable grows most.
const SAMPLED_VALUES: usize = 2_000_000;
/// Real configurations looked at for a run that shows a problem.
const NEIGHBOURHOOD: usize = 4_000;
/// The same, in the last of the rounds in which more and more are looked at.
const LARGEST_NEIGHBOURHOOD: usize = 64_000;

/// After the first round the exact pass has enough ticks for each that the others have more than in the first: as many
/// in the second, then nearly twice as many. The fewer pairs there are, the less work is everything that follows.
const EXACT_SHARE: u64 = 2;

/// A pass: two that may keep too many pairs, and the exact one.
#[derive(Clone, Copy)]
enum Pass {
    Plain,
    Counted,
    Exact,
}

/// Explores `space` with at most `limit` pairs.
///
/// What is found does not depend on the limit, since evidence is about it and the checker has another one: the first
/// round is never cut short, and where the limit cuts the last one short only the first pass is tried, which would have
/// been complete first without the limit, too.
pub(crate) fn explore(space: &mut Space, limit: u64, budget: &Budget) -> Result<Explored, Failure> {
    let explored = in_rounds(space, limit.max(FIRST_ROUND), budget)?;
    if explored.pairs.len() as u64 > limit { Err(too_large(space)) } else { Ok(explored) }
}

fn in_rounds(space: &mut Space, limit: u64, budget: &Budget) -> Result<Explored, Failure> {
    let (mut product, mut counted, mut cover) = (Product::default(), None, Cover::default());
    let mut round = FIRST_ROUND;
    let (mut near, mut whole) = (NEIGHBOURHOOD, true);
    let (mut product_done, mut counted_done) = (false, false);
    let (mut hunt, has_checks) = (Hunt::default(), space.has_checks());
    loop {
        // A round over few pairs is over before counts are worth guessing. In later rounds they come first: where a
        // count holds, the pairs are those of the plain pass or fewer, and often far fewer. The exact pass has the
        // fewest.
        let (passes, exact) = match round {
            FIRST_ROUND => ([Pass::Plain, Pass::Counted, Pass::Exact], round),
            _ => ([Pass::Counted, Pass::Exact, Pass::Plain], (round - FIRST_ROUND).saturating_mul(EXACT_SHARE)),
        };
        let open = passes.into_iter().filter(|pass| match pass {
            Pass::Plain => !product_done,
            Pass::Counted => !counted_done,
            Pass::Exact => true,
        });
        for pass in open.take(if whole { passes.len() } else { 1 }).collect::<Vec<_>>() {
            match pass {
                Pass::Plain => match finished(product.run(space, &mut budget.part(round)))? {
                    true if fault_in(space, &product.pairs).is_none() => return Ok(product.explored(space)),
                    done => product_done = done,
                },
                Pass::Counted => {
                    let counted = counted.get_or_insert_with(|| Product::with(Counts::guess(space)));
                    match run_counted(counted, space, &mut budget.part(round))? {
                        true if !counted.counts().is_empty() && fault_in(space, &counted.pairs).is_none() => {
                            return Ok(std::mem::take(counted).explored(space));
                        }
                        done => counted_done = done,
                    }
                }
                Pass::Exact => {
                    if finished(cover.run(space, &mut budget.part(exact)).map_err(Incomplete::Stopped))? {
                        return match fault_in(space, &cover.pairs) {
                            None => Ok(Explored { pairs: cover.pairs, closure: Closure::Markings(cover.largest) }),
                            Some(fault) => Err(certain_fault(space, fault, &mut hunt, round..=limit, budget)),
                        };
                    }
                }
            }
        }
        // As much more is looked at as there are more pairs.
        let is_due = near <= LARGEST_NEIGHBOURHOOD && round.max(FIRST_ROUND) / FIRST_ROUND >= (near / NEIGHBOURHOOD) as u64;
        let around = is_due.then(|| Neighbourhood::explore(space, near));
        if let Some(failure) = around.as_ref().and_then(|around| nearby_fault(space, around)) {
            return Err(failure);
        }
        // A step that fails tells more than growth without end. Where there are many states none may have been met yet.
        let found = match space.may_fail() {
            true => hunt.look(space, round, budget),
            false if round > FIRST_ROUND && has_checks => hunt.glance(space, round, budget),
            false => Ok(None),
        };
        if let Some(failure) = found.map_err(Failure::Stopped)? {
            return Err(failure);
        }
        if let Some(around) = around {
            if let Some(failure) = endless_growth(space, &around) {
                return Err(failure);
            }
            near *= 4;
        }
        if round >= limit {
            // The cheap pass ended with a doubtful step, or nothing ended.
            return Err(match fault_in(space, &product.pairs) {
                Some(fault) if product_done => explain_fault(space, fault, false, hunt.excluded()),
                _ => too_large(space),
            });
        }
        let next = round.saturating_mul(2);
        whole = next <= limit;
        round = next.min(limit);
    }
}

/// The pass with counts: those that are not conserved are dropped, and it begins again. Without counts there is nothing
/// that the pass without them does not do.
fn run_counted(counted: &mut Product, space: &mut Space, budget: &mut Budget) -> Result<bool, Failure> {
    while !counted.counts().is_empty() {
        match counted.run(space, budget) {
            Err(Incomplete::Broken(broken)) => *counted = Product::with(counted.counts().without(space, &broken)),
            result => return finished(result),
        }
    }
    Ok(true)
}

fn finished(result: Result<(), Incomplete>) -> Result<bool, Failure> {
    match result {
        Ok(()) => Ok(true),
        Err(Incomplete::Stopped(Stopped::Cancelled)) => Err(Failure::Stopped(Stopped::Cancelled)),
        Err(Incomplete::Stopped(Stopped::OutOfTicks) | Incomplete::Broken(_)) => Ok(false),
    }
}

fn fault_in(space: &Space, pairs: &Pairs) -> Option<Fault> {
    pairs.iter().find_map(|&(local, global)| space.fault(local, global))
}

/// A short run to some fault, if there is one nearby.
fn nearby_fault(space: &mut Space, near: &Neighbourhood) -> Option<Failure> {
    let (position, local) = near.first(|local, global| space.fault(local, global).is_some())?;
    let trail = near.trail(space, position);
    let global = trail.last().map_or(space.initial_global(), |last| space.moves[last.step].global);
    let fault = space.fault(local, global)?;
    Some(Failure::Fault { fault, trail, last: Some((local, global)) })
}

/// Short runs to the steps that unlock what no request has locked, as far as there
/// are some nearby: the place, the run, and who then makes the step. No other pairs than
/// these occur.
pub(crate) fn explain_remarks(space: &mut Space, pairs: &Pairs) -> Vec<(Span, Trail, LocalId)> {
    let places = space.remarked(pairs);
    if places.is_empty() {
        return Vec::new();
    }
    let near = Neighbourhood::explore(space, NEIGHBOURHOOD);
    let explained = places.into_iter().filter_map(|place| {
        let pairs = space.remarks_at(place);
        let (position, local) = near.first(|local, global| pairs.contains(&(local, global)))?;
        Some((place, near.trail(space, position), local))
    });
    explained.collect()
}

fn explain_fault(space: &mut Space, fault: Fault, certain: bool, excluded: usize) -> Failure {
    let near = Neighbourhood::explore(space, NEIGHBOURHOOD * 10);
    nearby_fault(space, &near).unwrap_or(Failure::FaultWithoutRun { fault, certain, excluded })
}

/// A fault that some run leads to: the search for the run has the ticks of `ticks`, each time twice as many as before.
fn certain_fault(space: &mut Space, fault: Fault, hunt: &mut Hunt, ticks: RangeInclusive<u64>, budget: &Budget) -> Failure {
    let failure = explain_fault(space, fault, true, 0);
    if !matches!(failure, Failure::FaultWithoutRun { .. }) || fault.kind == FaultKind::TooLong {
        return failure;
    }
    let mut now = *ticks.start();
    loop {
        match hunt.look(space, now, budget) {
            Ok(Some(found)) => return found,
            Err(stopped) => return Failure::Stopped(stopped),
            Ok(None) if now >= *ticks.end() => return Failure::FaultWithoutRun { fault, certain: true, excluded: hunt.excluded() },
            Ok(None) => now = now.saturating_mul(2).min(*ticks.end()),
        }
    }
}

/// Endless growth that a short run shows for certain.
fn endless_growth(space: &mut Space, near: &Neighbourhood) -> Option<Failure> {
    // The run to the largest value is the likeliest to hold a pump.
    let grower = most_grown(space)?;
    let far = near.best(|global, flight| size_of(space, grower, global, flight));
    let mut trail = near.trail(space, far);
    trail.truncate(200);
    let (end, growers) = growth::find_pump(space, &trail)?;
    trail.truncate(end);
    let grower = if growers.contains(&grower) { grower } else { growers[0] };
    Some(Failure::TooLarge { grower: Some(grower), trail, proved: true })
}

fn too_large(space: &mut Space) -> Failure {
    let near = Neighbourhood::explore(space, NEIGHBOURHOOD);
    let grower = most_grown(space);
    let trail = grower.map(|grower| {
        let far = near.best(|global, flight| size_of(space, grower, global, flight));
        near.trail(space, far)
    });
    let mut trail = trail.unwrap_or_default();
    trail.truncate(40);
    Failure::TooLarge { grower, trail, proved: false }
}

/// The size of the value of a variable in a configuration.
fn size_of(space: &Space, grower: Grower, global: GlobalId, flight: &[LocalId]) -> u64 {
    match grower {
        Grower::Global(slot) => space.global(global)[slot].unsigned_abs(),
        Grower::Local(reg) => {
            let sizes = flight.iter().filter_map(|&local| {
                let waiting = &space.local(local).waiting;
                let position = space.machine.kept_at(waiting.node?).iter().position(|&kept| kept == reg)?;
                Some(waiting.values[position].unsigned_abs())
            });
            sizes.max().unwrap_or(0)
        }
    }
}

/// The variable with the most different values so far; globals first.
fn most_grown(space: &Space) -> Option<Grower> {
    let slots = space.global(space.initial_global()).len();
    let mut best: Option<(usize, Grower)> = None;
    let mut offer = |count: usize, grower: Grower| {
        if count > 1 && best.is_none_or(|(most, _)| count > most) {
            best = Some((count, grower));
        }
    };
    // A sample tells which variable grows; wide states get a smaller one.
    let sample = |count: usize, width: usize| {
        let wanted = (SAMPLED_VALUES / width.max(1)).clamp(64, 4096);
        (0..count).step_by((count / wanted).max(1))
    };
    let mut values: Vec<FxHashSet<i64>> = vec![FxHashSet::default(); slots];
    for global in sample(space.global_count(), slots) {
        for (seen, &value) in values.iter_mut().zip(space.global(GlobalId::from_index(global))) {
            seen.insert(value);
        }
    }
    for (slot, values) in values.iter().enumerate() {
        offer(values.len(), Grower::Global(slot));
    }
    let mut values: FxHashMap<Reg, FxHashSet<i64>> = FxHashMap::default();
    for local in sample(space.local_count(), 8).map(LocalId::from_index) {
        let waiting = &space.local(local).waiting;
        let Some(node) = waiting.node else { continue };
        for (&reg, &value) in space.machine.kept_at(node).iter().zip(&waiting.values) {
            values.entry(reg).or_default().insert(value);
        }
    }
    let mut counts: Vec<(Reg, usize)> = values.iter().map(|(&reg, values)| (reg, values.len())).collect();
    counts.sort_unstable();
    for (reg, count) in counts {
        offer(count, Grower::Local(reg));
    }
    best.map(|(_, grower)| grower)
}
