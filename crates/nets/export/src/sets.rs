//! Sets of transitions of which any may fire in one step.
//!
//! Transitions are *independent* where no place is touched by both: `•t ∪ t•` and `•u ∪ u•` are disjoint.
//!
//! **Theorem.** Let `S` be pairwise independent and enabled at `M`. Then the transitions of `S` can fire one after the
//! other from `M`, in every order, and the marking after it is `M + Σ e(t)`. **Proof.** Firing one of them changes no
//! place that another touches, so the others remain enabled; sums do not depend on order. ∎
//!
//! So a step in which several transitions of such a set fire leads to a marking that single firings reach, and as
//! single firings remain possible, exactly the same markings can be reached. It is not enough that the inputs, or that
//! the outputs, are disjoint: a place that two transitions change in one step would need both changes, and it is given
//! one.

use rustc_hash::FxHashSet;
use serval_petri::{Net, PlaceId, TransitionId};

use crate::ExportRefusal;

/// All places that a transition touches, ascending.
fn touched(net: &Net, transition: TransitionId) -> Vec<PlaceId> {
    let mut places: Vec<PlaceId> = net.inputs(transition).iter().chain(net.outputs(transition)).map(|arc| arc.0).collect();
    places.sort_unstable();
    places.dedup();
    places
}

/// Each transition by itself.
pub fn singletons(net: &Net) -> Vec<Vec<TransitionId>> {
    net.transitions().map(|transition| vec![transition]).collect()
}

/// Each transition in the first set in which it is independent of all before it.
pub fn greedy(net: &Net) -> Vec<Vec<TransitionId>> {
    let mut sets: Vec<Vec<TransitionId>> = Vec::new();
    // The sets in which a place is touched already, and how many of the first are all so.
    let mut taken: FxHashSet<(PlaceId, usize)> = FxHashSet::default();
    let mut full = vec![0_usize; net.place_count()];
    for transition in net.transitions() {
        let places = touched(net, transition);
        let mut set = places.iter().map(|place| full[place.index()]).max().unwrap_or(0);
        while places.iter().any(|&place| taken.contains(&(place, set))) {
            set += 1;
        }
        for &place in &places {
            taken.insert((place, set));
            let full = &mut full[place.index()];
            while taken.contains(&(place, *full)) {
                *full += 1;
            }
        }
        if set == sets.len() {
            sets.push(Vec::new());
        }
        sets[set].push(transition);
    }
    sets
}

/// The sets in a text, an array of arrays of names in JSON, if they are a partition into independent transitions.
pub fn read(text: &str, net: &Net) -> Result<Vec<Vec<TransitionId>>, ExportRefusal> {
    let names: Vec<Vec<String>> = serde_json::from_str(text)
        .map_err(|error| ExportRefusal(format!("expected an array of arrays of names of transitions: {error}")))?;
    let mut seen = vec![false; net.transition_count()];
    let mut sets = Vec::with_capacity(names.len());
    for names in names {
        let mut set = Vec::with_capacity(names.len());
        for name in names {
            let transition = net.transition_named(&name).ok_or_else(|| ExportRefusal(format!("the net has no transition “{name}”")))?;
            if std::mem::replace(&mut seen[transition.index()], true) {
                return Err(ExportRefusal(format!("“{name}” is in two sets")));
            }
            set.push(transition);
        }
        sets.push(set);
    }
    if let Some(missing) = net.transitions().find(|transition| !seen[transition.index()]) {
        return Err(ExportRefusal(format!("“{}” is in no set", net.transition_name(missing))));
    }
    check(net, &sets)?;
    Ok(sets)
}

/// Refuses sets of which one has two transitions that touch the same place.
fn check(net: &Net, sets: &[Vec<TransitionId>]) -> Result<(), ExportRefusal> {
    // By place the last set and transition that touched it.
    let mut last: Vec<Option<(usize, TransitionId)>> = vec![None; net.place_count()];
    for (number, set) in sets.iter().enumerate() {
        for &transition in set {
            for place in touched(net, transition) {
                if let Some((_, other)) = last[place.index()].filter(|last| last.0 == number) {
                    let (one, two) = (net.transition_name(other), net.transition_name(transition));
                    return Err(ExportRefusal(format!("“{one}” and “{two}” are in one set and both touch “{}”", net.place_name(place))));
                }
                last[place.index()] = Some((number, transition));
            }
        }
    }
    Ok(())
}
