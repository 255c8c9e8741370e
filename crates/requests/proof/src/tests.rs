//! Tests that need to switch conditions off, and what they share.

mod closure;
mod closure_truth;
mod components;
mod conditions;
mod counts;
mod fault;
mod flow;
mod format;
mod groups;
mod hostile;
mod identity_elimination;
mod invariant;
mod last;
mod letters;
mod letters_truth;
mod movers;
mod mutations;
mod pairs;
mod parted;
mod prices;
mod record;
mod region;
mod rejected;
mod same;
mod script_format;
mod script_hostile;
mod scripts;
mod shared;
mod strict;
mod strict_truth;
mod support;

/// Switches one condition off.
pub(crate) mod switch {
    serval_evidence::switch!(crate::Condition);
}
