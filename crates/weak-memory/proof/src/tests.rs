//! The checker's own tests: a file for each rule, with what it accepts and what it refuses.

mod alike;
mod any;
mod anystates;
mod basis;
mod cases;
mod certificate;
mod conditions;
mod fences;
mod finals;
mod lists;
mod live;
mod loads;
mod merged;
mod persistent;
mod robust;
mod run;
mod states;
mod trace;
mod urgent;

/// Switches one condition off.
pub(crate) mod switch {
    serval_evidence::switch!(crate::Condition);
}
