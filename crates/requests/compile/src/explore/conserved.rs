//! Guesses which combinations of variables count requests.
//!
//! Where something moves from one variable to another, as `A := A - 1; yield; B := B + 1`, neither variable counts
//! anything alone, but `A + B` does: it is what it was at first, less one for each request on its way. Likewise a
//! variable that is free at 0 and at 2 counts by `[V = 1]`, which is 1 while it is 1. A *term* is a variable's value or
//! such a test of it; what is looked for are combinations of terms `α` for which weights of local states exist.
//!
//! Along a step from `l` to `l'` the terms change by a vector `δ`. The steps make a graph of local states; `Δ(l)` is
//! what the terms have changed by on one way from where requests begin to `l`. The weight of `l` is then `α · Δ(l)`,
//! and every step that is not on those ways gives an equation `α · (Δ(l) + δ − Δ(l')) = 0`, where `Δ` is 0 for those
//! that are finished. Weights are at least 0: an inequality for each local state. The combinations of which all others
//! are sums are found by taking equations and inequalities one by one and combining two vectors that fail one of them
//! in opposite directions (Fourier, Farkas).
//!
//! Nothing rests on this: what is found are candidates for [`super::counts`], where every step is compared.

use rustc_hash::FxHashMap;
use serval_model::{GlobalId, LocalId};

use super::function::{Function, FunctionTerm};
use crate::space::Space;

/// More terms are too many to combine.
const MAX_TERMS: usize = 40;
/// More vectors at a time are too many.
const MAX_VECTORS: usize = 240;
/// Programs do not have larger factors.
const MAX_FACTOR: i64 = 1_000;
/// A variable with more values is not taken apart into them.
const MAX_VALUES: usize = 4;
/// Combinations at most: each is compared at every step.
const MAX_FOUND: usize = 24;

type Vector = Vec<i64>;

/// The combinations of several terms that the steps from these pairs conserve.
pub(crate) fn combinations(space: &mut Space, pairs: &[(LocalId, GlobalId)]) -> Vec<Function> {
    let terms = terms(space, pairs);
    if terms.len() < 2 || terms.len() > MAX_TERMS {
        return Vec::new();
    }
    let Some((equations, weights)) = constraints(space, pairs, &terms) else { return Vec::new() };
    let mut found = Vec::new();
    for sign in [1, -1] {
        for position in 0..terms.len() {
            let mut unit = vec![0; terms.len()];
            unit[position] = sign;
            found.push(unit);
        }
    }
    let met = |equation: Vector| (equation, true);
    for (row, exactly) in equations.into_iter().map(met).chain(weights.into_iter().map(|row| (row, false))) {
        let Some(next) = combined(&found, &row, exactly) else { return Vec::new() };
        found = next;
    }
    found.retain(|vector| vector.iter().filter(|&&factor| factor != 0).count() > 1);
    found.sort_by_key(|vector| vector.iter().filter(|&&factor| factor != 0).count());
    found.truncate(MAX_FOUND);
    let function = |vector: Vector| {
        Function::Sum(terms.iter().zip(vector).filter(|&(_, factor)| factor != 0).map(|(&term, factor)| (term, factor)).collect())
    };
    found.into_iter().map(function).collect()
}

/// The variables that change, by their values and, where these are few, by tests of them.
fn terms(space: &Space, pairs: &[(LocalId, GlobalId)]) -> Vec<FunctionTerm> {
    let initial = space.global(space.initial_global());
    let mut values: Vec<Vec<i64>> = vec![Vec::new(); initial.len()];
    for &(_, global) in pairs {
        for (seen, &value) in values.iter_mut().zip(space.global(global)) {
            if seen.len() <= MAX_VALUES && !seen.contains(&value) {
                seen.push(value);
            }
        }
    }
    let mut terms = Vec::new();
    for (slot, (seen, &first)) in values.iter_mut().zip(initial).enumerate() {
        seen.retain(|&value| value != first);
        seen.sort_unstable();
        if !seen.is_empty() {
            terms.push(FunctionTerm::Value(slot));
        }
        if (2..MAX_VALUES).contains(&seen.len()) {
            terms.extend(seen.iter().map(|&value| FunctionTerm::Is(slot, value)));
        }
    }
    terms
}

/// Equations, none of which follows from the others, and the vectors of local states. None where a number is too large.
fn constraints(space: &mut Space, pairs: &[(LocalId, GlobalId)], terms: &[FunctionTerm]) -> Option<(Vec<Vector>, Vec<Vector>)> {
    let mut at: FxHashMap<LocalId, Vector> = space.starts().map(|&(_, start)| (start, vec![0; terms.len()])).collect();
    let mut equations: Vec<Vector> = Vec::new();
    let mut weights: Vec<Vector> = Vec::new();
    for &(local, global) in pairs {
        for index in space.moves(local, global) {
            let step = space.moves[index];
            let Some(before) = at.get(&local) else { continue };
            let (old, new) = (space.global(global), space.global(step.global));
            let change = |(term, &before): (&FunctionTerm, &i64)| before.checked_add(term.at(new)?.checked_sub(term.at(old)?)?);
            let after: Vector = terms.iter().zip(before).map(change).collect::<Option<_>>()?;
            let known = if space.is_finished(step.local) { Some(vec![0; terms.len()]) } else { at.get(&step.local).cloned() };
            match known {
                None => {
                    if !weights.contains(&after) {
                        weights.push(after.clone());
                    }
                    at.insert(step.local, after);
                }
                Some(known) => {
                    let difference: Vector =
                        after.iter().zip(&known).map(|(after, known)| after.checked_sub(*known)).collect::<Option<_>>()?;
                    add_equation(&mut equations, difference)?;
                }
            }
        }
    }
    weights.truncate(MAX_VECTORS);
    Some((equations, weights))
}

/// Adds an equation unless it follows from those that are there, which have their first terms at different places.
fn add_equation(equations: &mut Vec<Vector>, mut new: Vector) -> Option<()> {
    for old in equations.iter() {
        let first = old.iter().position(|&factor| factor != 0)?;
        if new[first] != 0 {
            new = sum(&new, old[first].checked_abs()?, old, new[first].checked_mul(-old[first].signum())?)?;
        }
    }
    if new.iter().any(|&factor| factor != 0) {
        equations.push(new);
    }
    Some(())
}

/// The vectors with which a row gives 0 (or, unless `exactly`, at least 0), and sums of two others with which it does.
/// None where there are too many.
fn combined(vectors: &[Vector], row: &Vector, exactly: bool) -> Option<Vec<Vector>> {
    let product = |vector: &Vector| vector.iter().zip(row).try_fold(0_i64, |sum, (factor, by)| sum.checked_add(factor.checked_mul(*by)?));
    let values: Vec<i64> = vectors.iter().map(product).collect::<Option<_>>()?;
    let mut next: Vec<Vector> = Vec::new();
    for (vector, &value) in vectors.iter().zip(&values) {
        if value == 0 || value > 0 && !exactly {
            next.push(vector.clone());
        }
    }
    for (up, &high) in vectors.iter().zip(&values).filter(|(_, value)| **value > 0) {
        for (down, &low) in vectors.iter().zip(&values).filter(|(_, value)| **value < 0) {
            // Where a term would cancel, each of the two alone does as well with another partner.
            let cancels = up.iter().zip(down).any(|(a, b)| a.signum() * b.signum() < 0);
            let Some(vector) = (if cancels { None } else { sum(up, low.checked_neg()?, down, high) }) else { continue };
            if vector.iter().all(|factor| factor.abs() <= MAX_FACTOR) && !next.contains(&vector) {
                next.push(vector);
            }
        }
        if next.len() > 4 * MAX_VECTORS {
            return None;
        }
    }
    // Of two that weigh the same terms the one with more of them is a sum.
    let inside = |small: &Vector, large: &Vector| {
        small.iter().zip(large).all(|(small, large)| *small == 0 || small.signum() == large.signum())
            && small.iter().zip(large).any(|(small, large)| *small == 0 && *large != 0)
    };
    if exactly {
        let all = next.clone();
        next.retain(|large| !all.iter().any(|small| inside(small, large)));
    }
    (next.len() <= MAX_VECTORS).then_some(next)
}

/// `a·one + b·other` without common factor.
fn sum(one: &[i64], a: i64, other: &[i64], b: i64) -> Option<Vector> {
    let add = |(one, other): (&i64, &i64)| one.checked_mul(a)?.checked_add(other.checked_mul(b)?);
    let mut sum: Vector = one.iter().zip(other).map(add).collect::<Option<_>>()?;
    let common = sum.iter().fold(0_u64, |common, factor| gcd(common, factor.unsigned_abs()));
    if let Ok(common @ 2..) = i64::try_from(common) {
        sum.iter_mut().for_each(|factor| *factor /= common);
    }
    Some(sum)
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
