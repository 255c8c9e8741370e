//! Decisions that the clock may end.

use std::time::Duration;

use serval::nets::{NetAnswer, NetDecision, NetMethod, NetOptions};

use crate::limits::{Lost, Watch};

/// A decision and how long it took, or why there is none.
pub(super) type Decided = Result<(NetDecision, Duration), Lost>;

/// A decision that only the clock ends, which is its reason then.
pub(super) fn until_the_end(watch: &Watch, method: Option<NetMethod>, decide: impl Fn(&NetOptions) -> NetDecision) -> NetDecision {
    watch.glance();
    let mut options = NetOptions::default();
    options.rounds = u32::MAX;
    options.method = method;
    options.cancel = watch.cancel();
    let mut decision = decide(&options);
    if decision.answer == NetAnswer::Undecided && watch.ended().is_some() {
        decision.reason = Some(watch.reason());
    }
    decision
}
