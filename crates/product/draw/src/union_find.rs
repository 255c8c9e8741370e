//! Sets that grow together.

/// Which member stands for the set that one is in (union–find): the one that is
/// its own leader, a few leaders up.
pub(crate) fn find(leader: &mut [usize], mut at: usize) -> usize {
    while leader[at] != at {
        leader[at] = leader[leader[at]];
        at = leader[at];
    }
    at
}
