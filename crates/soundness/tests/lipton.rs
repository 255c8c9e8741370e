//! Proofs on the program text, on random programs: a fixed budget of what the
//! program `lipton` does at length.

use serval_soundness::lipton::{Tally, programs, try_all};
use serval_testkit::say;

/// Programs that are tried.
const PROGRAMS: u64 = 1_000;

#[test]
fn no_program_is_proved_that_is_not_serializable_and_no_lie_is_accepted() {
    let mut tally = Tally::default();
    for number in 0..PROGRAMS {
        let (origin, text) = programs::program(1, number);
        let outcome = try_all(origin, &text, &mut tally);
        assert!(outcome.is_ok(), "program {number}: {}", outcome.err().unwrap_or_default());
    }
    say(&format!("lipton: {}", tally.to_json()));
    assert!(tally.of("no program") * 10 <= PROGRAMS, "too few are programs");
    // The rules that are seldom needed are used.
    assert!(tally.of("late looks") * 50 >= PROGRAMS && tally.of("tickets are drawn") * 50 >= PROGRAMS, "{}", tally.to_json());
    // Both kinds of programs are there, or nothing is tried.
    assert!(tally.of("open, not serializable") * 8 >= PROGRAMS, "{}", tally.to_json());
}
