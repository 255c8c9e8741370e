//! What a counterexample of the same program with small numbers says about this one.
//!
//! Where a quota of a hundred must be used up, one of two shows the same mistake with few requests. Its kinds of
//! requests, more of them by as much as the numbers are larger here, are worth being drawn first. That is all that is
//! taken over: what is found with them is a run of this program, which is checked like any other.

use serval_budget::Cancel;
use serval_compile::{Options, Prepared};
use serval_syntax::analyze;

use crate::advice::scale::scaled;
use crate::sampling::{LazyFind, LazySamplers};

/// How small numbers are made.
const SCALES: [i64; 2] = [2, 3];
/// Ticks for random runs of such a program: what is found there is found soon.
const TICKS: u64 = 250_000;

/// Tells random runs of a program what a smaller one is refuted by, if it is.
pub(crate) fn hint(samplers: &mut LazySamplers<'_>, text: &str, seed: Option<u64>, cancel: &Cancel) {
    for most in SCALES {
        let Some(smaller) = scaled(text, most) else { return };
        let Some(program) = analyze(&smaller.text).program else { return };
        let prepared = Prepared::new(&program, Options::default());
        if let Some(LazyFind::Run { run, .. }) = LazySamplers::new(&prepared, seed).look(TICKS, cancel) {
            samplers.hint(&run, smaller.times);
            return;
        }
    }
}
