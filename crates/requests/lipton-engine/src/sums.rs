//! Sums that never change: guessed from what requests keep and answer, and from what must not fail.
//!
//! Where a number counts rows in a state, such as orders that are paid, it is guessed what each value of the rows
//! counts: a path that adds 1 to the number and sets one row from 0 to 2 says that 2 counts 1 more than 0 does. The
//! initial value of a variable counts nothing, and equations with one unknown number are solved one after the other.

use rustc_hash::FxHashMap;
use serval_budget::{Budget, Stopped};
use serval_lipton_proof::domain::Domain;
use serval_lipton_proof::model::Model;
use serval_lipton_proof::path::{Path, PathId};
use serval_lipton_proof::term::{Symbol, Term};
use serval_proof::Sum;
use serval_syntax::GlobalVar;

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
    for sum in guesses.into_iter().map(|globals| Sum { globals, values: Vec::new() }) {
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

/// What a path does to a variable: what it was before and what it becomes, where both are numbers.
fn turned(path: &Path, global: GlobalVar) -> Option<(i128, i128)> {
    let known = |symbol: Symbol| path.conditions.symbol(symbol).and_then(Domain::single);
    let before = known(Symbol::Global(global))?;
    Some((before, path.update(global)?.term.with(&known).as_constant()?))
}

/// By how much a path changes a variable, if that is a number.
fn added(path: &Path, global: GlobalVar) -> Option<i128> {
    let Some(update) = path.update(global) else { return Some(0) };
    let known = |symbol: Symbol| path.conditions.symbol(symbol).and_then(Domain::single);
    update.term.plus(&Term::symbol(Symbol::Global(global)), -1)?.with(&known).as_constant()
}

/// Puts sums into a model by which these variables count values of others, and says which.
pub(crate) fn counted(model: &mut Model, wanted: &[GlobalVar], budget: &mut Budget) -> Result<Vec<Sum>, Stopped> {
    let mut found = Vec::new();
    for &number in wanted {
        if let Some(sum) = counts(model, number, budget)?
            && model.keeps_sum(&sum)
        {
            model.put_sum(&sum);
            found.push(sum);
        }
    }
    Ok(found)
}

/// A guess at what a variable counts.
fn counts(model: &Model, number: GlobalVar, budget: &mut Budget) -> Result<Option<Sum>, Stopped> {
    let written = |id: PathId| model.path(id).updates.iter().map(|update| update.0);
    let mut rows: Vec<GlobalVar> = model.writers[number.index()].iter().flat_map(|&id| written(id)).collect();
    rows.sort_unstable();
    rows.dedup();
    // A variable that some path sets from what it may be to something counts nothing.
    rows.retain(|&row| row != number && model.writers[row.index()].iter().all(|&id| turned(model.path(id), row).is_some()));
    let mut paths: Vec<PathId> = rows.iter().chain([&number]).flat_map(|row| &model.writers[row.index()]).copied().collect();
    paths.sort_unstable();
    paths.dedup();
    let mut worth: FxHashMap<(GlobalVar, i128), i128> = rows.iter().map(|&row| ((row, model.initial(row)), 0)).collect();
    loop {
        let before = worth.len();
        budget.spend(paths.len() as u64)?;
        for &id in &paths {
            let path = model.path(id);
            let Some(mut sum) = added(path, number) else { return Ok(None) };
            let mut unknown: Vec<((GlobalVar, i128), i128)> = Vec::new();
            for row in written(id).filter(|row| rows.binary_search(row).is_ok()) {
                let Some((from, to)) = turned(path, row) else { return Ok(None) };
                for (value, sign) in [(from, -1), (to, 1)] {
                    match worth.get(&(row, value)) {
                        Some(worth) => sum = sum.saturating_add(worth.saturating_mul(sign)),
                        None => unknown.push(((row, value), sign)),
                    }
                }
            }
            if let [(what, sign)] = unknown[..] {
                worth.insert(what, sum.saturating_mul(-sign));
            }
        }
        if worth.len() == before {
            break;
        }
    }
    let value =
        |(&(row, value), &worth): (&(GlobalVar, i128), &i128)| Some((row.0, i64::try_from(value).ok()?, i64::try_from(worth).ok()?));
    let mut values: Vec<(u32, i64, i64)> = worth.iter().filter(|one| *one.1 != 0).filter_map(value).collect();
    values.sort_unstable();
    Ok((!values.is_empty()).then(|| Sum { globals: vec![(number.0, 1)], values }))
}
