//! How many markings a net has.

use serval_budget::{Budget, Cancel};
use serval_net_engine::explicit::count::{StateSpace, count};
use serval_net_engine::explicit::graph::marking_graph;
use serval_petri::Net;
use serval_report::nets::{SpaceGraph, SpaceReport};

/// Why markings are not counted to the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoSpace {
    /// The work was stopped, with this number of markings.
    Stopped(usize),
    /// A place has more tokens than 64 bits hold, or there are more than 2³² markings.
    TooLarge,
}

/// Counts the markings that can be reached. There is no evidence for what is counted.
pub fn state_space(net: &Net, cancel: &Cancel) -> Result<SpaceReport, NoSpace> {
    let mut so_far = StateSpace::default();
    match count(net, &mut so_far, &mut Budget::new(u64::MAX, cancel.clone())) {
        Ok(Some(StateSpace { markings, firings, most_on_place, most_in_all })) => {
            Ok(SpaceReport { markings, firings, most_on_place, most_in_all })
        }
        Ok(None) => Err(NoSpace::TooLarge),
        Err(_) => Err(NoSpace::Stopped(so_far.markings)),
    }
}

/// The graph of all markings; the error is where there are more than `most`. There is no evidence for it.
pub fn space_graph(net: &Net, most: usize, cancel: &Cancel) -> Result<SpaceGraph, NoSpace> {
    match marking_graph(net, most, &mut Budget::new(u64::MAX, cancel.clone())) {
        Ok(Some(graph)) => Ok(SpaceGraph {
            places: net.places().map(|place| net.place_name(place).to_owned()).collect(),
            transitions: net.transitions().map(|transition| net.transition_name(transition).to_owned()).collect(),
            markings: graph.markings,
            firings: graph.firings,
        }),
        Ok(None) => Err(NoSpace::TooLarge),
        Err(_) => Err(NoSpace::Stopped(0)),
    }
}
