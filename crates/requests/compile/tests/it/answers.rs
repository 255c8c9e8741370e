//! All answers of a compiled program, by enumeration.

use std::collections::BTreeSet;

use serval_budget::{Budget, Stopped};
use serval_compile::{Compiled, Limits, StepLimits};

use serval_model::NetworkSystem;
use serval_testkit::naive::Completed;

/// With this number of requests everything is enumerated.
pub(crate) const REQUESTS: usize = 3;

/// Limits that keep a comparison short.
pub(crate) fn limits() -> Limits {
    Limits { pairs: 60_000, step: StepLimits { operations: 200_000, loop_states: 20_000 } }
}

/// The completed multisets of a whole program from those of its components.
fn sums(compiled: &Compiled, of: impl Fn(&NetworkSystem) -> Result<Completed, Stopped>) -> Result<Completed, Stopped> {
    let mut all: Completed = BTreeSet::from([Vec::new()]);
    for component in compiled.components() {
        let own = of(component.system())?;
        let mut next = Completed::new();
        for left in &all {
            for right in own.iter().filter(|right| left.len() + right.len() <= REQUESTS) {
                let mut sum = left.clone();
                sum.extend(right.iter().cloned());
                sum.sort();
                next.insert(sum);
            }
        }
        all = next;
    }
    Ok(all)
}

/// One of the enumerations of the model.
pub(crate) type Enumerate =
    fn(&NetworkSystem, usize, &mut Budget) -> Result<BTreeSet<serval_model::Multiset<serval_model::Letter>>, Stopped>;

/// The completed multisets of a whole program.
pub(crate) fn enumerate(compiled: &Compiled, with: Enumerate) -> Result<Completed, Stopped> {
    sums(compiled, |system| {
        let multisets = with(system, REQUESTS, &mut Budget::ticks(3_000_000))?;
        let written = multisets.iter().map(|multiset| {
            let letters = multiset.iter().flat_map(|(&(request, response), count)| {
                let letter = (system.request_name(request).to_owned(), system.response_name(response).parse::<i64>().unwrap());
                std::iter::repeat_n(letter, usize::try_from(count).unwrap())
            });
            let mut letters: Vec<(String, i64)> = letters.collect();
            letters.sort();
            letters
        });
        Ok(written.collect())
    })
}
