//! Sums that never change: guessed from what requests keep and answer.

use serval_proof::Sum;
use serval_symbolic::model::Model;
use serval_symbolic::term::{Symbol, Term};

/// Terms with more globals are not looked at.
const MAX_GLOBALS: usize = 64;

/// Puts sums that never change into a model, and says which.
pub(crate) fn sums(model: &mut Model) -> Vec<Sum> {
    let mut guesses: Vec<Vec<(u32, i64)>> = Vec::new();
    for path in &model.paths {
        for term in path.kept.iter().map(|kept| &kept.1.term).chain(&path.answer) {
            guesses.extend(guess(term));
        }
    }
    guesses.sort_unstable();
    guesses.dedup();
    let mut found = Vec::new();
    for sum in guesses.into_iter().map(|globals| Sum { globals }) {
        if model.keeps_sum(&sum) {
            model.put_sum(&sum);
            found.push(sum);
        }
    }
    found
}

fn guess(term: &Term) -> Option<Vec<(u32, i64)>> {
    let globals: Vec<(Symbol, i128)> = term.parts.iter().filter(|part| matches!(part.0, Symbol::Global(_))).copied().collect();
    if globals.len() < 2 || globals.len() > MAX_GLOBALS {
        return None;
    }
    let scaled = Term { constant: 0, parts: globals }.scaled();
    let number = |&(symbol, factor): &(Symbol, i128)| match symbol {
        Symbol::Global(global) => Some((global.0, i64::try_from(factor).ok()?)),
        _ => None,
    };
    scaled.form.iter().map(number).collect()
}
