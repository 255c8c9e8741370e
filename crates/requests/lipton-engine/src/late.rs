//! Tests that may be left out, because what comes after makes them again.

use serval_budget::{Budget, Stopped};
use serval_lipton_proof::domain::Domain;
use serval_lipton_proof::late::Late;
use serval_lipton_proof::model::Model;
use serval_lipton_proof::path::{Path, PointId};
use serval_lipton_proof::term::Symbol;

/// Of the ticks that are left, this part at most is for ways on from tests.
const SHARE: u64 = 16;

/// What was found.
#[derive(Default)]
pub(crate) struct Looks {
    /// Tests that may be left out.
    pub(crate) found: Vec<Late>,
    /// Whether more ticks might find more.
    pub(crate) short: bool,
}

/// Leaves out tests, and says which.
pub(crate) fn looks(model: &mut Model, ranges: &[Domain], budget: &mut Budget) -> Result<Looks, Stopped> {
    search(model, ranges, budget, false)
}

/// A test that may be left out; none is.
pub(crate) fn first(model: &mut Model, ranges: &[Domain], budget: &mut Budget) -> Result<Looks, Stopped> {
    search(model, ranges, budget, true)
}

fn search(model: &mut Model, ranges: &[Domain], budget: &mut Budget, only_first: bool) -> Result<Looks, Stopped> {
    let part = &mut budget.part(budget.left() / SHARE);
    let given = part.left();
    let mut looks = Looks::default();
    for late in guesses(model) {
        match model.is_late(late, ranges, part) {
            Ok(false) => continue,
            Ok(true) => looks.found.push(late),
            Err(Stopped::OutOfTicks) => looks.short = true,
            Err(cancelled) => return Err(cancelled),
        }
        let ticks = u64::try_from(model.paths.len()).unwrap_or(u64::MAX);
        if looks.short || only_first || part.spend(ticks).is_err() {
            break;
        }
        model.put_late(late);
    }
    budget.spend(given - part.left())?;
    Ok(looks)
}

/// Tests of one variable that some request writes, before a request waits and without a write.
fn guesses(model: &Model) -> Vec<Late> {
    let tests = |path: &Path| -> Vec<Late> {
        if !path.updates.is_empty() || path.to == PointId::END || path.from == path.to {
            return Vec::new();
        }
        let forms = path.conditions.0.iter().filter_map(|(form, _)| match form.as_slice() {
            [(Symbol::Global(global), 1)] if !model.writers[global.index()].is_empty() => Some((path.from.0, path.to.0, global.0)),
            _ => None,
        });
        forms.collect()
    };
    let mut guesses: Vec<Late> = model.paths.iter().flat_map(tests).collect();
    guesses.sort_unstable();
    guesses.dedup();
    guesses
}
