//! A sum of globals and of how many have a value, and by how much a path changes it (see `sums`).

use serval_syntax::GlobalVar;

use crate::domain::Domain;
use crate::path::Path;
use crate::term::{Symbol, Term};

/// A sum, ready to be asked.
pub(crate) struct KeptSum {
    /// Globals, ascending, and their factors.
    pub(crate) globals: Vec<(GlobalVar, i128)>,
    /// Globals and numbers, ascending, and what is added where the global is the number.
    pub(crate) values: Vec<(GlobalVar, i128, i128)>,
    /// What it is.
    pub(crate) value: i128,
}

/// Whether something that lies here is a number, if that is certain.
pub(crate) fn is(here: &Domain, number: i128) -> Option<bool> {
    if here.single() == Some(number) { Some(true) } else { (!here.contains(number)).then_some(false) }
}

impl KeptSum {
    /// By how much a path changes it, as a term.
    pub(crate) fn change(&self, path: &Path) -> Option<Term> {
        // Where a test leaves one value, that is what was there before.
        let known = |symbol: Symbol| path.conditions.symbol(symbol).and_then(Domain::single);
        let mut total = Term::default();
        for &(global, factor) in &self.globals {
            let Some(update) = path.update(global) else { continue };
            let before = Term::symbol(Symbol::Global(global));
            total = total.plus(&update.term.plus(&before, -1)?.with(&known), factor)?;
        }
        for &(global, number, factor) in &self.values {
            let Some(update) = path.update(global) else { continue };
            let before = is(path.conditions.symbol(Symbol::Global(global))?, number)?;
            let after = update.term.with(&known).as_constant()? == number;
            total = total.plus(&Term::constant(i128::from(after) - i128::from(before)), factor)?;
        }
        Some(total)
    }
}
