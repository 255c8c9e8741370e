//! Siphons (Commoner 1972): places that stay empty.
//!
//! The greatest siphon among the places that are empty in the beginning has all places of which siphons can show that
//! they stay empty. Of these only some are needed for a goal: its own, and for each transition that gives to one of
//! them a place that it takes from.

use serval_net_proof::bounds::excludes;
use serval_net_proof::{Dead, Evidence};
use serval_petri::{Formula, Net, PlaceId, TransitionId, greatest_siphon};

/// The places of a net that are known to stay empty.
pub struct Empty {
    inside: Vec<bool>,
    bounds: Vec<Option<i128>>,
    /// By place the transitions that give to it.
    givers: Vec<Vec<TransitionId>>,
}

impl Empty {
    /// Looks at the arcs of the net.
    pub fn new(net: &Net) -> Self {
        let empty = net.places().map(|place| net.initial_tokens(place) == 0).collect();
        let inside = greatest_siphon(net, net.transitions(), empty);
        let bounds = inside.iter().map(|&inside| inside.then_some(0)).collect();
        let mut givers = vec![Vec::new(); net.place_count()];
        for transition in net.transitions() {
            net.outputs(transition).iter().for_each(|(place, _)| givers[place.index()].push(transition));
        }
        Self { inside, bounds, givers }
    }

    /// Evidence against a goal that needs tokens on some of the places.
    pub fn exclude(&self, net: &Net, goal: &Formula) -> Option<Evidence> {
        if !excludes(goal, &self.bounds) {
            return None;
        }
        let mut is_needed = vec![false; net.place_count()];
        let asked = goal.constraints().flat_map(|constraint| constraint.expression().terms()).map(|term| term.0);
        let mut open: Vec<PlaceId> = Vec::new();
        let need = |place: PlaceId, is_needed: &mut Vec<bool>, open: &mut Vec<PlaceId>| {
            if self.inside[place.index()] && !std::mem::replace(&mut is_needed[place.index()], true) {
                open.push(place);
            }
        };
        asked.for_each(|place| need(place, &mut is_needed, &mut open));
        while let Some(place) = open.pop() {
            for &giver in &self.givers[place.index()] {
                let inputs = || net.inputs(giver).iter().map(|arc| arc.0);
                if !inputs().any(|input| is_needed[input.index()]) {
                    inputs().find(|input| self.inside[input.index()]).into_iter().for_each(|input| need(input, &mut is_needed, &mut open));
                }
            }
        }
        let places = (0..).zip(&is_needed).filter(|(_, needed)| **needed).map(|(place, _)| place).collect();
        Some(Evidence::Dead(Dead { places }))
    }
}
