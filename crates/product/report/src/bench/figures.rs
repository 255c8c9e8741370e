//! What trials of the published method come to, for the table of what its switches are worth.

use std::time::Duration;

/// What the trials of one setting come to. Averages are in hundredths, parts in
/// thousandths, both rounded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// How many there are.
    pub programs: usize,
    /// How many were decided.
    pub decided: usize,
    /// How many reached the cap of components, at whatever stage.
    pub capped: usize,
    /// How many ran out of time.
    pub cancelled: usize,
    /// How many have a semilinear set. Those without one are in no figure
    /// about sets, nets or slices.
    pub with_set: usize,
    /// Components of these sets: on average and at most.
    pub components: (usize, usize),
    /// The same before the sets were reduced.
    pub constructed: (usize, usize),
    /// The most components of a set on the way.
    pub most_components: usize,
    /// Periods of a component: on average and at most.
    pub periods: (usize, usize),
    /// How many programs had a disjunct to look at.
    pub with_disjuncts: usize,
    /// Disjuncts that were looked at, in all programs together.
    pub disjuncts: usize,
    /// How many of them slicing alone showed to be out of reach.
    pub sliced_away: usize,
    /// Places and transitions of nets, on average over programs with disjuncts.
    pub net: (usize, usize),
    /// What is left of them for a disjunct, where nothing is left of those out
    /// of reach: on average over the disjuncts of a program, and then over programs.
    pub left: (usize, usize),
    /// Which part of places and transitions slicing removed: one minus the
    /// quotient of the two averages, which is how it was published.
    pub removed: (usize, usize),
    /// How many programs had a disjunct that slicing alone could not exclude.
    pub with_kept: usize,
    /// Places and transitions of their nets.
    pub net_of_kept: (usize, usize),
    /// What is left of them for such a disjunct.
    pub left_of_kept: (usize, usize),
    /// Which part slicing removed for such disjuncts.
    pub removed_of_kept: (usize, usize),
    /// Transitions without those of requests that cannot get to the local state,
    /// on average over programs with disjuncts.
    pub concerned: usize,
    /// Which part of these is not left for a disjunct, and not for one that
    /// slicing alone could not exclude.
    pub removed_of_concerned: (usize, usize),
    /// The sum of all times.
    pub total: Duration,
    /// The middle one.
    pub median: Duration,
}
