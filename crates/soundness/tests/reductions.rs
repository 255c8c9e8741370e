//! Movers that are made to lose answers: a fixed budget of what the program
//! `reductions` does at length.

use serval_proof::script::Side;
use serval_soundness::reductions::movers::Part;
use serval_soundness::reductions::try_chases;
use serval_testkit::say;

#[test]
fn each_part_of_the_last_condition_is_needed_and_together_they_do() {
    let mut tally = try_chases(0..500, 1, 20_000)
        .unwrap_or_else(|failure| panic!("number {}: {}\n{}", failure.number, failure.difference, failure.system.to_json()));
    for side in [Side::Right, Side::Left] {
        let hunts = *tally.hunts(side);
        say(&format!("chases, {side:?}: {hunts:?}"));
        // With all conditions nothing is lost, and much is accepted.
        assert_eq!(hunts.searches, 500);
        assert!(hunts.accepted >= 100 && hunts.weak >= 50, "{side:?}: {hunts:?}");
        // Without any of them something is.
        for (part, refused) in Part::ALL.into_iter().zip(hunts.refused) {
            assert!(refused > 0, "{side:?}: nothing was lost without {}", part.condition());
        }
    }
}
