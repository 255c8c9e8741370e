//! Hostile certificates: a fixed budget of what `measure hostile` does at
//! length.

use serval_effort::one_in;
use serval_proof::Condition;
use serval_soundness::merged;
use serval_soundness::requests::hostile::{self, CheckerAnswer, Pool, Size, Tally, inputs_in, try_certificates};
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
    // The certificates to begin with take longer than all that is made of them.
    if serval_effort::skips("soundness.hostile") {
        return;
    }
    let sweep = serval_effort::sweep("soundness.hostile", 1_000, 4_000);
    let mut inputs = inputs_in(&repository_root().join("examples")).unwrap();
    if let Some(suite) = data_dir("suite") {
        inputs.extend(inputs_in(&suite).unwrap());
    }
    // Certificates to begin with take most of the time: the sample makes those of one input in six.
    let mut inputs: Vec<_> = inputs.into_iter().step_by(one_in(6)).collect();
    // A race that fails, and failures that need none.
    inputs.extend(FAILING.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())));
    let size = Size { systems: 40, programs: 10, joined: 10, edits: 1 };
    let pool = Pool::new(&inputs, size, sweep.seed(5)).unwrap();
    let limits = hostile::Effort { check: 500_000, brute: 30_000 };
    let tried = sweep.map(0, |number| try_certificates(&pool, [number], 5, limits).unwrap_or_else(|failure| panic!("{failure:?}")));
    let tally: Tally = merged(tried);
    let accepted = tally.having(|_, answer| matches!(answer, CheckerAnswer::Accepted(_)));
    let idle = tally.idle(1);
    assert!(pool.kinds().any(|(kind, count)| kind == "fault" && count >= 3), "no certificates of kind fault");
    let conditions = Condition::ALL.len();
    say(&format!(
        "hostile: {} certificates, {} refused by a condition, {accepted} accepted, none wrong; {} of {} conditions refused some, \
         and none was refused by {idle:?}",
        tally.tried(),
        tally.rejected(),
        conditions - idle.len(),
        conditions
    ));
    if sweep.is_representative() {
        assert!(tally.tried() * 8 >= sweep.count() * 5, "{}", tally.tried());
        assert!(tally.rejected() * 8 >= sweep.count() * 3, "{}", tally.rejected());
        // The sample makes two or three certificates to miss each condition, of which some are refused for another one.
        let most = if sweep.count() >= 4_000 { conditions / 12 } else { conditions / 5 };
        assert!(idle.len() <= most, "{idle:?}");
    }
}
