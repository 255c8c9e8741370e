//! What exploring a program has found out, for evidence that no step fails.

use serval_model::Named;

use crate::compiled::Component;
use crate::explore::Closure;

/// The states of a component that can occur together, and why no others can.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClosedStates {
    /// The names of global states.
    pub globals: Vec<String>,
    /// The names of local states.
    pub locals: Vec<String>,
    /// For each global state the local states at it, ascending.
    pub at: Vec<Vec<u32>>,
    /// For each global state its level of each count.
    pub levels: Vec<Vec<i64>>,
    /// For each local state what it weighs in each count.
    pub weights: Vec<Vec<i64>>,
    /// For each global state its markings: local states with how many requests are there at most, 0 for any number.
    pub markings: Vec<Vec<Vec<(u32, u32)>>>,
}

/// Stands for any number where there are few.
const MANY: u32 = u32::MAX;

impl Component {
    /// The states that can occur together. `None` where a level does not fit 64 bits.
    pub fn closed_states(&self) -> Option<ClosedStates> {
        let system = self.system();
        let number = |index: usize| u32::try_from(index).ok();
        let mut at = vec![Vec::new(); system.global_count()];
        for &(local, global) in self.pairs() {
            at.get_mut(global.index())?.push(number(local.index())?);
        }
        let (mut levels, mut weights, mut markings) = (Vec::new(), Vec::new(), Vec::new());
        match self.closure() {
            Closure::Counts { functions, weights: known } => {
                let initial = self.global_values(system.initial_global());
                for id in system.globals() {
                    levels
                        .push(functions.iter().map(|function| function.at(self.global_values(id), initial)).collect::<Option<Vec<i64>>>()?);
                }
                weights = match functions.is_empty() {
                    true => vec![Vec::new(); system.local_count()],
                    false => known.iter().map(|row| row.to_vec()).collect(),
                };
            }
            Closure::Markings(known) => {
                for of_global in known {
                    let mut rows = Vec::new();
                    for marking in of_global {
                        let entry = |&(local, count): &(serval_model::LocalId, u32)| {
                            Some((number(local.index())?, if count == MANY { 0 } else { count }))
                        };
                        rows.push(marking.iter().map(entry).collect::<Option<Vec<_>>>()?);
                    }
                    markings.push(rows);
                }
            }
        }
        let globals = system.globals().map(|id| Named::global_name(&system, id)).collect();
        let locals = system.locals().map(|id| Named::local_name(&system, id)).collect();
        Some(ClosedStates { globals, locals, at, levels, weights, markings })
    }
}
