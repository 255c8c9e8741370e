//! Hostile certificates: a fixed budget of what the program `hostile` does at
//! length.

use serval_proof::Condition;
use serval_soundness::hostile::{Answer, Effort, Pool, Size, inputs_in, try_certificates};
use serval_testkit::say;
use serval_testkit::suite::{data_dir, repository_root};

const FAILING: [(&str, &str); 4] = [
    ("coins.ser", "var Coins: 0..1 := 1\nrequest take { if (Coins > 0) { yield; Coins := Coins - 1; 1 } else { 0 } }"),
    ("divided.ser", "var D: 0..1 := 1\nrequest a { if (D > 0) { yield; 10 / D } else { 0 } }\nrequest b { D := 0 }"),
    ("indexed.ser", "var A[0..1]: 0..1\nvar I: 0..2\nrequest a { I := 2; yield; I := 0 }\nrequest b { A[I] := 1 }"),
    ("counted.ser", "var N: 0..2\nrequest hit { N := N + 1; 0 }"),
];

#[test]
fn nothing_wrong_is_accepted() {
    let mut inputs = inputs_in(&repository_root().join("examples")).unwrap();
    if let Some(suite) = data_dir("suite") {
        inputs.extend(inputs_in(&suite).unwrap());
    }
    // A race that fails, and failures that need none.
    inputs.extend(FAILING.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())));
    let size = Size { systems: 40, programs: 10, joined: 10, edits: 1 };
    let pool = Pool::new(&inputs, size, 5).unwrap();
    let effort = Effort { check: 500_000, brute: 30_000 };
    let tally = try_certificates(&pool, 0..4_000, 5, effort).unwrap_or_else(|failure| panic!("{failure:?}"));
    let accepted = tally.having(|_, answer| matches!(answer, Answer::Accepted(_)));
    let idle = tally.idle(1);
    assert!(pool.kinds().any(|(kind, count)| kind == "fault" && count >= 3), "no certificates of kind fault");
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
