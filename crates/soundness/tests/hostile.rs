//! Hostile certificates: a fixed budget of what the program `hostile` does at
//! length.

use serval_proof::Condition;
use serval_soundness::hostile::{Answer, Effort, Pool, Size, inputs_in, try_certificates};
use serval_testkit::say;
use serval_testkit::suite::{data_dir, repository_root};

#[test]
fn nothing_wrong_is_accepted() {
    let mut inputs = inputs_in(&repository_root().join("examples")).unwrap();
    if let Some(suite) = data_dir("suite") {
        inputs.extend(inputs_in(&suite).unwrap());
    }
    let size = Size { systems: 40, programs: 10, joined: 10, edits: 1 };
    let pool = Pool::new(&inputs, size, 5).unwrap();
    let effort = Effort { check: 500_000, brute: 30_000 };
    let tally = try_certificates(&pool, 0..4_000, 5, effort).unwrap_or_else(|failure| panic!("{failure:?}"));
    let accepted = tally.having(|_, answer| matches!(answer, Answer::Accepted(_)));
    // Certificates of kind `fault` have tests of their own in `proof`; no attack makes one.
    let mut idle = tally.idle(1);
    idle.retain(|condition| !condition.starts_with("fault."));
    let conditions = Condition::ALL.len();
    say(&format!(
        "hostile: {} certificates, {} refused by a condition, {accepted} accepted, none wrong; {} of {} conditions refused some",
        tally.tried(),
        tally.rejected(),
        conditions - idle.len(),
        conditions
    ));
    assert!(tally.tried() >= 2_500, "{}", tally.tried());
    assert!(tally.rejected() >= 1_500, "{}", tally.rejected());
    assert!(idle.len() <= 3, "{idle:?}");
}
