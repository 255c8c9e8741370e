//! Ticket locks (Mellor-Crummey, Scott 1991): guessed from registers that get a number which grows, and are compared
//! with another variable.

use std::collections::BTreeMap;

use serval_budget::Budget;
use serval_compile::control::Reg;
use serval_lipton_proof::invariants::Claims;
use serval_lipton_proof::model::Model;
use serval_lipton_proof::path::{Path, PathId, PointId};
use serval_lipton_proof::term::{Symbol, Term};
use serval_proof::{Reduction, Ticket};
use serval_syntax::GlobalVar;

use crate::infer::{globals, runs};
use crate::{Why, facts};

/// Where requests are with a ticket: its register, and whether it is called.
type Having = BTreeMap<PointId, (Option<Reg>, bool)>;

/// Adds the locks with tickets that hold.
pub(crate) fn add(model: &Model, reduction: &mut Reduction, budget: &mut Budget) -> Result<(), Why> {
    let work = u64::try_from(model.paths.len() + model.points.len()).unwrap_or(u64::MAX);
    let mut guesses: Vec<Ticket> = Vec::new();
    for next in globals(model) {
        let drawn: Vec<(PointId, Reg)> = model.writers[next.index()].iter().filter_map(|&id| draws(model.path(id), next)).collect();
        if drawn.is_empty() {
            continue;
        }
        budget.spend(work)?;
        let mut called: Vec<GlobalVar> = model.paths.iter().flat_map(compared).map(|(global, _)| global).collect();
        called.sort_unstable();
        called.dedup();
        for called in called.into_iter().filter(|&called| called != next) {
            budget.spend(work)?;
            guesses.push(guess(model, next, called, &drawn));
        }
    }
    for ticket in guesses.into_iter().filter(|ticket| !ticket.inside.is_empty()) {
        budget.spend(work)?;
        reduction.tickets.push(ticket);
        let claimed = facts(model, reduction)?;
        if (Claims { model, facts: &claimed, reduction }).ticket(reduction.tickets.len() - 1).is_err() {
            reduction.tickets.pop();
        }
    }
    Ok(())
}

/// Where a path that draws a number leads, and in which register it is.
fn draws(path: &Path, next: GlobalVar) -> Option<(PointId, Reg)> {
    let here = Term::symbol(Symbol::Global(next));
    let grows = path.update(next).is_some_and(|update| update.term.parts == here.parts && update.term.constant == 1);
    let kept = path.kept.iter().find(|(_, value)| grows && value.term == here);
    kept.map(|(reg, _)| (path.to, *reg))
}

/// Variables that a path compares with registers: not less than they are.
fn compared(path: &Path) -> impl Iterator<Item = (GlobalVar, Reg)> + '_ {
    path.conditions.0.iter().filter(|(_, said)| said.low() >= 0).filter_map(|(form, _)| match form.as_slice() {
        [(Symbol::Global(global), 1), (Symbol::Local(reg), -1)] => Some((*global, *reg)),
        _ => None,
    })
}

/// Follows tickets from where they are drawn to where they are given back.
fn guess(model: &Model, next: GlobalVar, called: GlobalVar, drawn: &[(PointId, Reg)]) -> Ticket {
    let mut having: Having = drawn.iter().map(|&(point, reg)| (point, (Some(reg), false))).collect();
    let mut list: Vec<PointId> = having.keys().copied().collect();
    while let Some(point) = list.pop() {
        let Some(&(reg, inside)) = having.get(&point) else { continue };
        for path in model.leaving[point.index()].iter().map(|&id: &PathId| model.path(id)) {
            let asks = reg.is_some_and(|reg| compared(path).any(|found| found == (called, reg)));
            let kept = path.kept.iter().find(|(_, value)| reg.is_some_and(|reg| value.term == Term::symbol(Symbol::Local(reg))));
            let kept = kept.map(|(reg, _)| *reg);
            let inside = inside || asks;
            let lost = !inside && kept.is_none();
            if lost || path.to == PointId::END || path.update(called).is_some() || having.contains_key(&path.to) {
                continue;
            }
            having.insert(path.to, (kept, inside));
            list.push(path.to);
        }
    }
    let inside: Vec<PointId> = having.iter().filter(|(_, at)| at.1).map(|(point, _)| *point).collect();
    let holders = having.iter().filter_map(|(point, at)| Some((point.0, at.0?.0))).collect();
    Ticket { next: next.0, called: called.0, holders, inside: runs(&inside) }
}
