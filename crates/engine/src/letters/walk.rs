use serval_budget::{Budget, Stopped};
use serval_proof::letters::Automaton;
pub(super) fn walk(_a: &Automaton, counts: &[i64], _b: &mut Budget) -> Result<Option<Vec<i64>>, Stopped> {
    Ok(counts.iter().all(|&c| c == 0).then(Vec::new))
}
