//! The theorem about parts that few letters join, by trying everything.

use serval_budget::Cancel;
use serval_model::{NetworkSystem, NormalForm, SplitMix64};
use serval_random::{Behaviours, Kind, parted};

use super::support::condition;
use super::switch::without;
use crate::shared::split;
use crate::{Caps, Condition, Work};

/// Ticks for trying everything with a system.
const TICKS: u64 = 300_000;

/// What came of a split.
#[derive(PartialEq, Eq)]
enum Came {
    /// It is refused, for this condition.
    Refused(Condition),
    /// Some part is not serializable, or it cannot be told.
    Open,
    /// With so few requests each part is serializable.
    Parts(bool),
}

/// Whether a split is accepted, and what it shows; then whether the system is serializable with so few requests.
fn came(system: &NetworkSystem, touches: &[Vec<u32>], parts: usize) -> Came {
    let (form, _) = NormalForm::new(system).unwrap();
    let mut work = Work::new(&Caps::default(), &Cancel::new());
    let each = match split(system, &form, touches, parts, &mut work) {
        Ok(each) => each,
        Err(refused) => return Came::Refused(condition(&Err(refused))),
    };
    assert_eq!(each.len(), parts);
    let Some(whole) = Behaviours::of(system, TICKS) else { return Came::Open };
    let serializable = |part: &NetworkSystem| Behaviours::with(part, whole.requests, TICKS).is_some_and(|part| part.is_serializable());
    if each.iter().all(serializable) { Came::Parts(whole.is_serializable()) } else { Came::Open }
}

/// Whether the split is refused for this condition alone, and would show what is false.
fn is_needed(system: &NetworkSystem, touches: &[Vec<u32>], parts: usize, wanted: Condition) -> bool {
    matches!(without(wanted, || came(system, touches, parts)), Came::Parts(false))
}

#[test]
fn parts_that_are_serializable_make_a_whole_that_is() {
    let sweep = serval_effort::sweep("proof.parted", 1_000, 20_000);
    let (mut proved, mut refused, mut needed) = (0_u64, [0_u64; 2], [0_u64; 2]);
    for seed in sweep.seeds(0) {
        let (system, touches) = parted(seed);
        let parts = touches.iter().flatten().max().map_or(0, |&last| last as usize + 1);
        match came(&system, &touches, parts) {
            Came::Parts(whole) => {
                assert!(whole, "seed {seed}: {touches:?}\n{}", system.to_json());
                proved += 1;
            }
            Came::Open => {}
            Came::Refused(condition) => {
                let which = usize::from(condition == Condition::SharedSerial);
                assert!(which == 1 || condition == Condition::SharedForest, "seed {seed}: {condition}");
                refused[which] += 1;
                needed[which] += u64::from(is_needed(&system, &touches, parts, condition));
            }
        }
    }
    if sweep.is_representative() {
        assert!(proved * 10 > sweep.count(), "{proved} of {}", sweep.count());
        assert!(refused.iter().all(|&refused| refused * 20 > sweep.count()), "{refused:?}");
        assert!(needed.iter().all(|&needed| needed > 0), "{needed:?}");
    }
}

/// Splits that are drawn, of systems of all kinds.
#[test]
fn splits_at_random_show_nothing_that_is_false() {
    let sweep = serval_effort::sweep("proof.splits", 600, 20_000);
    let mut proved = 0_u64;
    for seed in sweep.seeds(0) {
        let mut draw = SplitMix64::new(seed);
        let system = if draw.chance(50) { parted(seed).0 } else { Kind::ALL[draw.index(Kind::ALL.len())].system(seed) };
        let parts = 1 + draw.index(3);
        let mut list = || (0..u32::try_from(parts).unwrap()).filter(|_| draw.chance(45)).collect::<Vec<u32>>();
        let touches: Vec<Vec<u32>> = system.requests().map(|_| list()).collect();
        if let Came::Parts(whole) = came(&system, &touches, parts) {
            assert!(whole, "seed {seed}: {touches:?}\n{}", system.to_json());
            proved += 1;
        }
    }
    assert!(!sweep.is_representative() || proved * 50 > sweep.count(), "{proved} of {}", sweep.count());
}
