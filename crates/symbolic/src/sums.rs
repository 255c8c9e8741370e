//! Sums of globals that never change, put into what requests keep and answer.
//!
//! **Statement.** If on every path the changes of the globals, times their factors, add up to 0, then in every reachable configuration the
//! globals times their factors add up to what they do at first. A term may be replaced by one that differs from it by a multiple of that sum
//! and the number it is: it has the same value. So a request that answers `Road + Stock[0] + Stock[1]` reads nothing.
//!
//! It also bounds each of the globals by the others, wherever they are known.
//!
//! **Proof.** By induction on steps; a step is an instance of a path, whose updates are terms over the values before. ∎

use serval_proof::Sum;
use serval_syntax::GlobalVar;

use crate::domain::Domain;
use crate::model::Model;
use crate::path::Path;
use crate::term::{Symbol, Term};

/// By how much a path changes a sum, as a term.
fn change(path: &Path, globals: &[(GlobalVar, i128)]) -> Option<Term> {
    let mut total = Term::default();
    for &(global, factor) in globals {
        let Some(update) = path.update(global) else { continue };
        // Where the test leaves one value, that is what was there before.
        let known = |symbol: Symbol| path.conditions.symbol(symbol).and_then(Domain::single);
        let before = Term::symbol(Symbol::Global(global));
        total = total.plus(&update.term.plus(&before, -1)?.with(&known), factor)?;
    }
    Some(total)
}

impl Model {
    /// A sum by its globals, ascending, and what it is at first; none if it means nothing.
    fn sum(&self, sum: &Sum) -> Option<(Vec<(GlobalVar, i128)>, i128)> {
        let mut globals: Vec<(GlobalVar, i128)> = sum.globals.iter().map(|&(global, factor)| (GlobalVar(global), factor.into())).collect();
        globals.sort_unstable();
        let there = globals.iter().all(|(global, factor)| global.index() < self.initial.len() && *factor != 0);
        if !there || globals.is_empty() || globals.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return None;
        }
        let value =
            globals.iter().try_fold(0_i128, |sum, (global, factor)| sum.checked_add(self.initial(*global).checked_mul(*factor)?))?;
        Some((globals, value))
    }

    /// Whether no path changes a sum.
    pub fn keeps_sum(&self, sum: &Sum) -> bool {
        let Some((globals, _)) = self.sum(sum) else { return false };
        let mut writers: Vec<_> = globals.iter().flat_map(|(global, _)| &self.writers[global.index()]).collect();
        writers.sort_unstable();
        writers.dedup();
        writers.iter().all(|id| change(self.path(**id), &globals) == Some(Term::default()))
    }

    /// Uses that a sum never changes.
    pub fn put_sum(&mut self, sum: &Sum) {
        let Some((globals, value)) = self.sum(sum) else { return };
        let parts = globals.iter().map(|&(global, factor)| (Symbol::Global(global), factor)).collect();
        // The sum minus what it is: 0 at every moment.
        let nothing = Term { constant: -value, parts };
        for path in &mut self.paths {
            let kept = path.kept.iter_mut().map(|kept| &mut kept.1.term);
            for term in kept.chain(&mut path.answer) {
                if let Some(shorter) = without(term, &nothing) {
                    *term = shorter;
                }
            }
        }
        self.sums.push((globals, value));
        self.tidy();
    }

    /// Where a global lies by what its sums leave for it, given where the others lie.
    pub(crate) fn left_by_sums(&self, global: GlobalVar, others: &dyn Fn(GlobalVar) -> Domain) -> Domain {
        let mut found = Domain::all();
        for (globals, value) in &self.sums {
            // With another factor the bound would have to be divided; such sums are rare.
            let Some(&(_, factor @ (1 | -1))) = globals.iter().find(|part| part.0 == global) else { continue };
            let rest = globals.iter().filter(|part| part.0 != global).fold(Domain::point(*value), |rest, &(other, factor)| {
                let other = others(other).image(-factor, 0);
                if rest.is_empty() || other.is_empty() {
                    return Domain::empty();
                }
                Domain::between(rest.low().saturating_add(other.low()), rest.high().saturating_add(other.high()))
            });
            found = found.and(&rest.image(factor, 0));
        }
        found
    }
}

/// The term minus a multiple of another one all of whose symbols it has, each with that multiple of its factor.
fn without(term: &Term, nothing: &Term) -> Option<Term> {
    let factor = |symbol: Symbol| term.parts.binary_search_by_key(&symbol, |part| part.0).ok().map(|at| term.parts[at].1);
    let &(first, by) = nothing.parts.first()?;
    let times = factor(first)?.checked_div(by)?;
    let fits = nothing.parts.iter().all(|&(symbol, by)| by.checked_mul(times).is_some_and(|product| factor(symbol) == Some(product)));
    if fits { term.plus(nothing, -times) } else { None }
}
