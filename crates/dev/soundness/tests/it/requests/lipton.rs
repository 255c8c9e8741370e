//! Proofs on the program text, on random programs: a fixed budget of what
//! `measure lipton` does at length.

use serval_soundness::merged;
use serval_soundness::requests::lipton::{Tally, programs, try_all};
use serval_testkit::say;

#[test]
fn no_program_is_proved_that_is_not_serializable_and_no_lie_is_accepted() {
    let sweep = serval_effort::sweep("soundness.lipton", 160, 1_000);
    let parts = sweep.map(0, |number| {
        let ((origin, text), mut tally) = (programs::program(1, number), Tally::default());
        let outcome = try_all(origin, &text, &mut tally);
        assert!(outcome.is_ok(), "program {number}: {}", outcome.err().unwrap_or_default());
        tally
    });
    let (tally, programs): (Tally, u64) = (merged(parts), sweep.count());
    say(&format!("lipton: {}", tally.to_json()));
    if !sweep.is_representative() {
        return;
    }
    assert!(tally.of("no program") * 10 <= programs, "too few are programs");
    // The rules that are seldom needed are used.
    assert!(tally.of("late looks") * 100 >= programs && tally.of("tickets are drawn") * 100 >= programs, "{}", tally.to_json());
    // Both kinds of programs are there, or nothing is tried.
    assert!(tally.of("open, not serializable") * 8 >= programs, "{}", tally.to_json());
}
