//! Movers that are made to lose answers: a fixed budget of what the program
//! `reductions` does at length.

use serval_proof::script::Side;
use serval_soundness::reductions::movers::Part;
use serval_soundness::reductions::{Tally, try_chases};
use serval_testkit::say;

#[test]
fn each_part_of_the_last_condition_is_needed_and_together_they_do() {
    // One search in a thousand finds a mover that needs the rarest part, and the first 500 searches have one for each
    // part. Fewer would not notice that a part is gone.
    let sweep = serval_effort::sweep("soundness.chases", 500, 500);
    let parts = sweep.map(0, |number| {
        try_chases([number], 1, 20_000)
            .unwrap_or_else(|failure| panic!("number {number}: {}\n{}", failure.difference, failure.system.to_json()))
    });
    let mut tally = Tally::default();
    parts.iter().for_each(|part| tally.add(part));
    let is_fixed = sweep.seed(0) == 0;
    for side in [Side::Right, Side::Left] {
        let hunts = *tally.hunts(side);
        say(&format!("chases, {side:?}: {hunts:?}"));
        // With all conditions nothing is lost, and much is accepted.
        assert_eq!(hunts.searches, sweep.count());
        if !sweep.is_representative() {
            continue;
        }
        assert!(hunts.accepted * 5 >= sweep.count() && hunts.weak * 10 >= sweep.count(), "{side:?}: {hunts:?}");
        // Without any of them something is.
        for (part, refused) in Part::ALL.into_iter().zip(hunts.refused).filter(|_| is_fixed) {
            assert!(refused > 0, "{side:?}: nothing was lost without {}", part.condition());
        }
    }
}
