//! A net laid out for firing.

use serval_petri::{Net, TransitionId};

/// Arcs as pairs of numbers, and who must be asked again when a place changes.
pub(crate) struct Fast {
    pub(crate) initial: Vec<u64>,
    pub(crate) inputs: Vec<Vec<(usize, u64)>>,
    /// What changes, by transition: place, and by how much.
    pub(crate) effects: Vec<Vec<(usize, i128)>>,
    /// By place the transitions that take from it.
    pub(crate) takers: Vec<Vec<usize>>,
    /// By place the transitions that leave more on it.
    pub(crate) givers: Vec<Vec<usize>>,
}

impl Fast {
    pub(crate) fn new(net: &Net) -> Self {
        let arcs = |arcs: &[serval_petri::Arc]| arcs.iter().map(|&(place, weight)| (place.index(), weight)).collect::<Vec<_>>();
        let inputs: Vec<Vec<(usize, u64)>> = net.transitions().map(|transition| arcs(net.inputs(transition))).collect();
        let effects: Vec<Vec<(usize, i128)>> = net.transitions().map(|transition| effect(net, transition)).collect();
        let (mut takers, mut givers) = (vec![Vec::new(); net.place_count()], vec![Vec::new(); net.place_count()]);
        for (transition, inputs) in inputs.iter().enumerate() {
            inputs.iter().for_each(|&(place, _)| takers[place].push(transition));
        }
        for (transition, effects) in effects.iter().enumerate() {
            effects.iter().filter(|change| change.1 > 0).for_each(|&(place, _)| givers[place].push(transition));
        }
        Self { initial: net.initial().as_slice().to_vec(), inputs, effects, takers, givers }
    }

    pub(crate) fn is_enabled(&self, marking: &[u64], transition: usize) -> bool {
        self.inputs[transition].iter().all(|&(place, weight)| marking[place] >= weight)
    }

    /// Fires an enabled transition; false where a number does not fit, and then nothing has changed.
    pub(crate) fn fire(&self, marking: &mut [u64], transition: usize) -> bool {
        let after = |tokens: u64, change: i128| u64::try_from(i128::from(tokens) + change).ok();
        if self.effects[transition].iter().any(|&(place, change)| after(marking[place], change).is_none()) {
            return false;
        }
        for &(place, change) in &self.effects[transition] {
            marking[place] = after(marking[place], change).unwrap_or_default();
        }
        true
    }
}

fn effect(net: &Net, transition: TransitionId) -> Vec<(usize, i128)> {
    let mut changes: Vec<(usize, i128)> = net.inputs(transition).iter().map(|&(place, weight)| (place.index(), -i128::from(weight))).collect();
    changes.extend(net.outputs(transition).iter().map(|&(place, weight)| (place.index(), i128::from(weight))));
    changes.sort_unstable_by_key(|change| change.0);
    changes.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        kept.1 += if same { next.1 } else { 0 };
        same
    });
    changes.retain(|change| change.1 != 0);
    changes
}
