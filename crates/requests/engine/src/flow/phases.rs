//! Phases: global states that can follow each other in both directions.
//!
//! Any partition will do; this one makes the carries say most, because once a
//! phase is left it does not come back.

use serval_model::NormalForm;

/// Carries at most; with more, everything is one phase.
const CARRIES: usize = 600;

/// For each global state the number of its strongly connected component; empty
/// if that is not worth while.
pub(crate) fn phases(form: &NormalForm) -> Vec<u32> {
    let count = form.global_count() as usize;
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut back: Vec<Vec<usize>> = vec![Vec::new(); count];
    for step in form.steps().iter().filter(|step| step.global != step.to_global) {
        next[step.global as usize].push(step.to_global as usize);
        back[step.to_global as usize].push(step.global as usize);
    }
    for list in next.iter_mut().chain(&mut back) {
        list.sort_unstable();
        list.dedup();
    }
    // Kosaraju: by the order in which a first search leaves the states, a
    // second one against the edges finds the components.
    let mut order = Vec::new();
    let mut seen = vec![false; count];
    for root in 0..count {
        let mut stack: Vec<(usize, usize)> = Vec::new();
        if !std::mem::replace(&mut seen[root], true) {
            stack.push((root, 0));
        }
        while let Some((state, at)) = stack.last_mut() {
            match next[*state].get(*at) {
                Some(&to) => {
                    *at += 1;
                    if !std::mem::replace(&mut seen[to], true) {
                        stack.push((to, 0));
                    }
                }
                None => {
                    order.push(*state);
                    stack.pop();
                }
            }
        }
    }
    let mut phase = vec![u32::MAX; count];
    let mut phases = 0;
    for &root in order.iter().rev() {
        if phase[root] != u32::MAX {
            continue;
        }
        let mut to_visit = vec![root];
        phase[root] = phases;
        while let Some(state) = to_visit.pop() {
            for &from in &back[state] {
                if phase[from] == u32::MAX {
                    phase[from] = phases;
                    to_visit.push(from);
                }
            }
        }
        phases += 1;
    }
    let mut crossings: Vec<(u32, u32)> =
        form.steps().iter().map(|step| (phase[step.global as usize], phase[step.to_global as usize])).collect();
    crossings.retain(|(from, to)| from != to);
    crossings.sort_unstable();
    crossings.dedup();
    let mut landed: Vec<u32> = form.steps().iter().map(|step| step.to_node).filter(|&node| !form.is_done(node)).collect();
    landed.sort_unstable();
    landed.dedup();
    if crossings.is_empty() || crossings.len() * landed.len() > CARRIES { Vec::new() } else { phase }
}
