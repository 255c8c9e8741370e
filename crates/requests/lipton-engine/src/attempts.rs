//! Optimistic concurrency control (Kung, Robinson 1981) in several steps: several versions, or reads behind another
//! wait.

use serval_compile::control::Reg;
use serval_lipton_proof::model::Model;
use serval_lipton_proof::path::{Path, PathId, PointId};
use serval_lipton_proof::term::Symbol;
use serval_proof::ValidatedAttempt;
use serval_syntax::GlobalVar;

/// The longest attempts that are looked at, in steps.
const MAX_STEPS: usize = 16;

/// Transforms a model wherever attempts are tested, and says where.
pub(crate) fn candidates(model: &mut Model) -> Vec<ValidatedAttempt> {
    let mut found = Vec::new();
    for wait in (1..u32::try_from(model.points.len()).unwrap_or(u32::MAX)).map(PointId) {
        let Some(points) = way_to(model, wait) else { continue };
        found.extend(attempt_along(model, &points));
    }
    found
}

/// The points of an attempt that waits last here, from where it begins.
fn way_to(model: &Model, wait: PointId) -> Option<Vec<PointId>> {
    let paths = |ids: &[PathId]| ids.iter().map(|&id| model.path(id)).cloned().collect::<Vec<Path>>();
    let backs: Vec<PointId> =
        paths(&model.leaving[wait.index()]).iter().filter(|path| path.updates.is_empty()).map(|path| path.to).collect();
    let mut points = vec![wait];
    while points.len() <= MAX_STEPS {
        let into = paths(&model.entering[points[points.len() - 1].index()]);
        if let Some(head) = into.iter().map(|path| path.from).find(|from| backs.contains(from)) {
            points.push(head);
            points.reverse();
            return Some(points);
        }
        let [only] = into.as_slice() else { return None };
        if points.contains(&only.from) {
            return None;
        }
        points.push(only.from);
    }
    None
}

/// The attempt along these points, put into the model, if there is one: as many versions as are tested, and whatever
/// they guard.
fn attempt_along(model: &mut Model, points: &[PointId]) -> Option<ValidatedAttempt> {
    let mut versions: Vec<(u32, u32, u32)> = Vec::new();
    let mut others: Vec<(u32, u32, u32)> = Vec::new();
    for (step, pair) in (0_u32..).zip(points.windows(2)) {
        let path = model.entering[pair[1].index()].iter().map(|&id| model.path(id)).find(|path| path.from == pair[0])?;
        for (reg, value) in &path.kept {
            let [(Symbol::Global(global), 1)] = value.term.parts[..] else { continue };
            if value.term.constant == 0 {
                let is_tested = model.leaving[points[points.len() - 1].index()].iter().any(|&id| tests(model.path(id), global, *reg));
                if is_tested { &mut versions } else { &mut others }.push((step, global.0, reg.0));
            }
        }
    }
    let points = points.iter().map(|point| point.0).collect();
    let mut attempt = ValidatedAttempt { points, versions, reads: Vec::new() };
    if attempt.versions.is_empty() || model.is_attempt(&attempt).is_err() {
        return None;
    }
    for (step, global, reg) in others {
        let guards = (0_u32..).zip(attempt.versions.clone()).filter(|(_, version)| version.0 <= step);
        for version in guards.map(|(number, _)| number) {
            attempt.reads.push((version, step, global, reg));
            if model.is_attempt(&attempt).is_ok() {
                break;
            }
            attempt.reads.pop();
        }
    }
    model.put_attempt(&attempt).is_ok().then_some(attempt)
}

/// Whether a path tests that a global is what a register holds.
fn tests(path: &Path, global: GlobalVar, register: Reg) -> bool {
    let form = [(Symbol::Global(global), 1), (Symbol::Local(register), -1)];
    path.conditions.form(&form).is_some_and(|said| said.single() == Some(0))
}
