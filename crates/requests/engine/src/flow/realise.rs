//! A run that makes each step a given number of times.

use rustc_hash::FxHashSet;
use serval_budget::{Budget, Stopped};
use serval_model::{Event, LocalId, NodeKind, NodeStep, NormalForm, RequestId, Run, Step, ThreadId};

/// Configurations that are looked at.
const CONFIGURATIONS: usize = 20_000;
/// With many ticks one more per this number of them.
const TICKS_PER_CONFIGURATION: u64 = 1_000;

/// The steps in an order in which they can be made; `None` if there is none, or
/// none was found.
pub(super) fn order(form: &NormalForm, counts: &[i64], budget: &mut Budget) -> Result<Option<Vec<NodeStep>>, Stopped> {
    let mut left: Vec<i64> = counts.iter().take(form.steps().len()).copied().collect();
    let made: Vec<usize> = (0..left.len()).filter(|&step| left[step] > 0).collect();
    let mut missing: i64 = left.iter().sum();
    let mut tokens = vec![0_i64; form.nodes().len()];
    let mut global = form.initial_global();
    // The steps made so far, and which is to be tried next at each position.
    let mut path: Vec<usize> = Vec::new();
    let most = CONFIGURATIONS.max(usize::try_from(budget.left() / TICKS_PER_CONFIGURATION).unwrap_or(usize::MAX));
    let mut next = vec![0_usize];
    let mut seen: FxHashSet<(u32, Vec<i64>)> = FxHashSet::default();
    while let Some(position) = next.last_mut() {
        if missing == 0 {
            return Ok(Some(path.iter().map(|&at| form.steps()[made[at]]).collect()));
        }
        let found = (*position..made.len()).find(|&at| {
            let step = form.steps()[made[at]];
            left[made[at]] > 0 && step.global == global && (form.is_initial(step.node) || tokens[step.node as usize] > 0)
        });
        budget.spend(1)?;
        match found {
            Some(at) => {
                *position = at + 1;
                let step = form.steps()[made[at]];
                left[made[at]] -= 1;
                missing -= 1;
                tokens[step.node as usize] -= 1;
                tokens[step.to_node as usize] += 1;
                global = step.to_global;
                path.push(at);
                let rest: Vec<i64> = made.iter().map(|&step| left[step]).collect();
                if seen.len() >= most {
                    return Ok(None);
                }
                // Where this was before, it led nowhere.
                next.push(if seen.insert((global, rest)) { 0 } else { made.len() });
            }
            None => {
                next.pop();
                if let Some(at) = path.pop() {
                    let step = form.steps()[made[at]];
                    left[made[at]] += 1;
                    missing += 1;
                    tokens[step.node as usize] += 1;
                    tokens[step.to_node as usize] -= 1;
                    global = step.global;
                }
            }
        }
    }
    Ok(None)
}

/// The run of [`NormalForm::to_system`] that makes these steps in this order:
/// a request at the right node makes a step, or a new one does.
pub fn run_of(form: &NormalForm, steps: &[NodeStep]) -> Option<Run> {
    let id = |number: u32| usize::try_from(number).ok();
    let mut run = Run::new(serval_model::GlobalId::from_index(id(form.initial_global())?));
    let mut at: Vec<Vec<ThreadId>> = vec![Vec::new(); form.nodes().len()];
    for step in steps {
        let local = LocalId::from_index(id(step.node)?);
        let (request, _): (RequestId, NodeKind) = form.nodes()[id(step.node)?];
        let thread = match at[id(step.node)?].pop() {
            Some(thread) => thread,
            None => {
                let thread = run.next_thread()?;
                run.push(Event::Spawn { thread, request, local }).ok()?;
                thread
            }
        };
        let global = |number: u32| id(number).map(serval_model::GlobalId::from_index);
        let to_local = LocalId::from_index(id(step.to_node)?);
        let made = Step { local, global: global(step.global)?, to_local, to_global: global(step.to_global)? };
        run.push(Event::Step { thread, step: made }).ok()?;
        match form.letter(step.to_node) {
            Some((_, response)) => run.push(Event::Respond { thread, response }).ok()?,
            None => at[id(step.to_node)?].push(thread),
        }
    }
    run.is_complete().then_some(run)
}
