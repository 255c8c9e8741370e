use serval_budget::{Budget, Stopped};
use serval_proof::letters::{Automaton, Region};
pub(super) fn find_region(_a: &Automaton, _c: u32, _counts: &[i64], _b: &mut Budget) -> Result<Option<Region>, Stopped> {
    Ok(Some(Region::default()))
}
