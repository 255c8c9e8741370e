//! Optimistic concurrency control (Kung, Robinson 1981): where what was read is tested before it counts.

use serval_compile::control::Reg;
use serval_lipton_proof::model::Model;
use serval_lipton_proof::path::PointId;
use serval_lipton_proof::term::Symbol;
use serval_proof::Validated;
use serval_syntax::GlobalVar;

/// Transforms a model wherever reads are validated, and says where.
pub(crate) fn candidates(model: &mut Model) -> Vec<Validated> {
    let mut found = Vec::new();
    for wait in (1..u32::try_from(model.points.len()).unwrap_or(u32::MAX)).map(PointId) {
        let Some(&into) = model.entering[wait.index()].first() else { continue };
        let path = model.path(into);
        // Where failed attempts go back to; where they come from at first may be another point.
        let back = model.leaving[wait.index()]
            .iter()
            .map(|&id| model.path(id))
            .find(|path| path.updates.is_empty() && model.entering[wait.index()].iter().any(|&id| model.path(id).from == path.to));
        let Some(head) = back.map(|path| path.to) else { continue };
        let copies: Vec<(GlobalVar, Reg)> = path
            .kept
            .iter()
            .filter_map(|(reg, value)| match value.term.parts.as_slice() {
                [(Symbol::Global(global), 1)] if value.term.constant == 0 => Some((*global, *reg)),
                _ => None,
            })
            .collect();
        for &(global, register) in &copies {
            let others: Vec<(u32, u32)> = copies.iter().filter(|pair| pair.1 != register).map(|pair| (pair.0.0, pair.1.0)).collect();
            let mut read = Validated { head: head.0, wait: wait.0, global: global.0, register: register.0, reads: others.clone() };
            // All other reads with it, or one by one those that it covers, or it alone.
            if is_put(model, &read) {
                found.push(read);
                break;
            }
            read.reads.clear();
            if is_put(model, &read) {
                found.push(read);
                break;
            }
        }
    }
    found
}

/// Transforms a model where a read is validated, if it is.
fn is_put(model: &mut Model, read: &Validated) -> bool {
    model.is_validated(read).is_ok() && model.put_validated(read).is_ok()
}
