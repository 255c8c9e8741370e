//! Tests that may be left out, because what comes after makes them again.

use serval_symbolic::domain::Domain;
use serval_symbolic::late::Late;
use serval_symbolic::model::Model;
use serval_symbolic::path::{Path, PointId};
use serval_symbolic::term::Symbol;

/// At most so many are looked for.
const MAX_LOOKS: usize = 64;

/// Leaves out tests, and says which.
pub(crate) fn looks(model: &mut Model, ranges: &[Domain]) -> Vec<Late> {
    let tests = |path: &Path| -> Vec<Late> {
        if !path.updates.is_empty() || path.to == PointId::END || path.from == path.to {
            return Vec::new();
        }
        let of = |symbol: &Symbol| match symbol {
            Symbol::Global(global) => Some((path.from.0, path.to.0, global.0)),
            _ => None,
        };
        let forms = path.conditions.0.iter().filter_map(|(form, _)| match form.as_slice() {
            [(symbol, 1)] => of(symbol),
            _ => None,
        });
        forms.collect()
    };
    let mut guesses: Vec<Late> = model.paths.iter().flat_map(tests).collect();
    guesses.sort_unstable();
    guesses.dedup();
    guesses.retain(|late| !model.writers[late.2 as usize].is_empty());
    guesses.truncate(MAX_LOOKS);
    let mut found = Vec::new();
    for late in guesses {
        if model.is_late(late, ranges) {
            model.put_late(late);
            found.push(late);
        }
    }
    found
}
