//! Linear invariants (Murata 1989): sums that never change, of globals, put into what requests keep and answer, and of
//! how many globals have a value.
//!
//! The *value* of a sum in a configuration is that of its globals, each times its factor, plus, for each of its pairs
//! of a global and a number, the factor of the pair if the global is that number.
//!
//! **Statement.** If no path changes the value of a sum, then it is in every reachable configuration what it is at
//! first. A path does not change it if
//!
//! 1. the changes of the globals, times their factors, add up to a number, as terms;
//! 2. for every pair whose global the path writes its tests tell whether the global is the number before, and what is
//!    written is a number;
//! 3. that number and what the pairs lose and gain add up to 0.
//!
//! **Proof.** By induction on steps; a step is an instance of a path, whose updates are terms over the values before,
//! and whose tests hold of these. ∎
//!
//! So in a sum without pairs a term may be replaced by one that differs from it by a multiple of the sum and the number
//! it is: it has the same value, and a request that answers `Road + Stock[0] + Stock[1]` reads nothing. And each global
//! of a sum is bounded by the others, wherever they are known: where `Paid` is the number of orders whose state is 2,
//! and the state of some order is, `Paid` is not 0.

use serval_proof::Sum;
use serval_syntax::GlobalVar;

use crate::domain::Domain;
use crate::kept::{KeptSum, is};
use crate::model::Model;
use crate::term::{Symbol, Term};

impl Model {
    /// A sum, and what it is at first; none if it means nothing.
    fn sum(&self, sum: &Sum) -> Option<KeptSum> {
        let mut globals: Vec<(GlobalVar, i128)> = sum.globals.iter().map(|&(global, factor)| (GlobalVar(global), factor.into())).collect();
        let pair = |&(global, number, factor): &(u32, i64, i64)| (GlobalVar(global), number.into(), factor.into());
        let mut values: Vec<(GlobalVar, i128, i128)> = sum.values.iter().map(pair).collect();
        globals.sort_unstable();
        values.sort_unstable();
        let factors = globals.iter().copied().chain(values.iter().map(|&(global, _, factor)| (global, factor)));
        let there = factors.clone().all(|(global, factor)| global.index() < self.initial.len() && factor != 0);
        let twice = globals.windows(2).any(|pair| pair[0].0 == pair[1].0)
            || values.windows(2).any(|pair| (pair[0].0, pair[0].1) == (pair[1].0, pair[1].1));
        if !there || globals.is_empty() || twice {
            return None;
        }
        let value =
            globals.iter().try_fold(0_i128, |sum, (global, factor)| sum.checked_add(self.initial(*global).checked_mul(*factor)?))?;
        let counted = values.iter().filter(|(global, number, _)| self.initial(*global) == *number);
        let value = counted.clone().try_fold(value, |sum, (_, _, factor)| sum.checked_add(*factor))?;
        Some(KeptSum { globals, values, value })
    }

    /// What a sum is at first.
    pub(crate) fn value_of(&self, sum: &Sum) -> Option<i128> {
        self.sum(sum).map(|sum| sum.value)
    }

    /// Whether no path changes a sum.
    pub fn keeps_sum(&self, sum: &Sum) -> bool {
        let Some(sum) = self.sum(sum) else { return false };
        let globals = sum.globals.iter().map(|part| part.0).chain(sum.values.iter().map(|part| part.0));
        let mut writers: Vec<_> = globals.flat_map(|global| &self.writers[global.index()]).collect();
        writers.sort_unstable();
        writers.dedup();
        writers.iter().all(|id| sum.change(self.path(**id)) == Some(Term::default()))
    }

    /// Uses that a sum never changes.
    pub fn put_sum(&mut self, sum: &Sum) {
        let Some(sum) = self.sum(sum) else { return };
        if sum.values.is_empty() {
            let parts = sum.globals.iter().map(|&(global, factor)| (Symbol::Global(global), factor)).collect();
            // The sum minus what it is: 0 at every moment.
            let nothing = Term { constant: -sum.value, parts };
            for path in &mut self.paths {
                let kept = path.kept.iter_mut().map(|kept| &mut kept.1.term);
                for term in kept.chain(&mut path.answer) {
                    if let Some(shorter) = without(term, &nothing) {
                        *term = shorter;
                    }
                }
            }
        }
        let replaces = sum.values.is_empty();
        self.sums.push(sum);
        if replaces {
            self.tidy();
        }
    }

    /// Where a global lies by what its sums leave for it, given where the others lie.
    pub(crate) fn left_by_sums(&self, global: GlobalVar, others: &dyn Fn(GlobalVar) -> Domain) -> Domain {
        let mut found = Domain::all();
        for sum in &self.sums {
            // With another factor the bound would have to be divided; such sums are rare.
            let Some(&(_, factor @ (1 | -1))) = sum.globals.iter().find(|part| part.0 == global) else { continue };
            let globals = sum.globals.iter().filter(|part| part.0 != global).map(|&(other, factor)| others(other).image(-factor, 0));
            let values = sum.values.iter().map(|&(other, number, factor)| {
                let here = others(other);
                let counts = match is(&here, number) {
                    _ if here.is_empty() => here,
                    Some(counts) => Domain::point(counts.into()),
                    None => Domain::between(0, 1),
                };
                counts.image(-factor, 0)
            });
            let rest = globals.chain(values).fold(Domain::point(sum.value), |rest, other| {
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
