//! Movers that are made to be wrong, against the checker and brute force.
//!
//! For each number [`chase`](super::chase) looks for three things on each side: a
//! system whose answers a mover loses though all conditions hold, of which there
//! must be none; a system in which everything can be exchanged, whose mover the
//! checker has to accept and whose behaviours it has to keep; and, for each part
//! of the weaker last condition, a system whose answers are lost because that
//! part alone does not hold, which the checker has to refuse for it.

use std::convert::Infallible;

use serval_budget::{Budget, Cancel};
use serval_engine::reduce::Rule;

use serval_model::NormalForm;
use serval_proof::script::{Reduced, Side, check_script};
use serval_proof::{Caps, Refusal, Work};

use super::chase::{Chased, complete, hunt};
use super::movers::{MoverCondition, mover_of, needs};
use serval_random::Behaviours;

use super::{Difference, Hunts, TallyRow};

/// Looks once for everything on one side.
pub fn try_hunts(seed: u64, side: Side, ticks: u64, hunts: &mut Hunts) -> Result<(), Box<(Chased, Difference)>> {
    let wrong = |chased: Chased, message: String| {
        let row = TallyRow::Drawn(if side == Side::Right { Rule::Right } else { Rule::Left });
        let difference = Difference { row, message, script: chased.script.clone() };
        Err(Box::new((chased, difference)))
    };
    hunts.searches += 1;
    if let Some(chased) = hunt(seed, side, None) {
        return wrong(chased, "all conditions hold, and the answers of a run are lost".to_owned());
    }
    if let Some(chased) = complete(seed, side) {
        if let Some(refusal) = checked(&chased) {
            return wrong(chased, format!("the checker refuses: {refusal}"));
        }
        match keeps(&chased, ticks) {
            Some(true) => hunts.accepted += 1,
            Some(false) => return wrong(chased, "the behaviours differ".to_owned()),
            None => {}
        }
        hunts.weak += u64::from(needs_weaker(&chased));
    }
    for (part, refused) in MoverCondition::ALL.into_iter().zip(&mut hunts.refused) {
        let Some(chased) = hunt(seed, side, Some(part)) else { continue };
        match checked(&chased) {
            Some(Refusal::Invalid(rejection)) if rejection.condition.name() == part.condition() => {}
            Some(refusal) => return wrong(chased, format!("not refused for {}: {refusal}", part.condition())),
            None => return wrong(chased, format!("accepted, though {} does not hold", part.condition())),
        }
        // Turned round, or with more requests, there may be another way to the same answers.
        *refused += u64::from(keeps(&chased, ticks) == Some(false));
    }
    Ok(())
}

/// Why the checker refuses.
fn checked(chased: &Chased) -> Option<Refusal<Infallible>> {
    let (form, _) = NormalForm::new(&chased.system)?;
    check_script(form, &chased.script, &mut Work::new(&Caps::default(), &Cancel::new())).err()
}

/// Whether what the script leaves has the behaviours of the system; `None` if
/// trying everything takes too long.
fn keeps(chased: &Chased, ticks: u64) -> Option<bool> {
    let mut reduced = Reduced::new(NormalForm::new(&chased.system)?.0);
    for entry in &chased.script {
        // Without a limit nothing stops it.
        let _ = reduced.apply(entry, &mut Budget::unlimited());
    }
    Behaviours::of(&chased.system, ticks)?.same_as(&reduced.form().to_system(&chased.system), ticks)
}

fn needs_weaker(chased: &Chased) -> bool {
    let Some((form, _)) = NormalForm::new(&chased.system) else { return false };
    let mut reduced = Reduced::new(form);
    chased.script.iter().any(|entry| {
        let weak = mover_of(entry).is_some_and(|(side, mover)| needs(&reduced, side, mover).weak > 0);
        let _ = reduced.apply(entry, &mut Budget::unlimited());
        weak
    })
}
