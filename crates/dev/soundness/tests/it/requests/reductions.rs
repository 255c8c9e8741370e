//! Movers that are made to lose answers: a fixed budget of what
//! `measure reductions` does at length.

use serval_effort::side_by_side;
use serval_proof::script::Side;
use serval_soundness::merged;
use serval_soundness::requests::reductions::movers::MoverCondition;
use serval_soundness::requests::reductions::{Tally, try_chases};
use serval_testkit::say;

/// Of 500 searches those that find a mover that needs a part of the condition: one for each of the four parts, on both
/// sides. Without them it would not be noticed that a part is gone.
const NEEDED: [u64; 4] = [82, 141, 222, 261];

#[test]
fn each_part_of_the_last_condition_is_needed_and_together_they_do() {
    let sweep = serval_effort::sweep("soundness.chases", 60, 500);
    let numbers: Vec<u64> = sweep.seeds(0).chain(NEEDED).collect();
    let parts = side_by_side(&numbers, |&number| {
        try_chases([number], 1, 20_000)
            .unwrap_or_else(|failure| panic!("number {number}: {}\n{}", failure.difference, failure.system.to_json()))
    });
    let mut tally: Tally = merged(parts);
    for side in [Side::Right, Side::Left] {
        let hunts = *tally.hunts(side);
        say(&format!("chases, {side:?}: {hunts:?}"));
        // With all conditions nothing is lost, and much is accepted.
        assert_eq!(hunts.searches, numbers.len() as u64);
        if !sweep.is_representative() {
            continue;
        }
        assert!(hunts.accepted * 5 >= sweep.count() && hunts.weak * 10 >= sweep.count(), "{side:?}: {hunts:?}");
        // Without any of them something is.
        for (part, refused) in MoverCondition::ALL.into_iter().zip(hunts.refused) {
            assert!(refused > 0, "{side:?}: nothing was lost without {}", part.condition());
        }
    }
}
