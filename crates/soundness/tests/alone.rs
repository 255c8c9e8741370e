//! Each method alone on random systems: a fixed budget of what the program
//! `alone` does at length.

use serval_soundness::alone::{Sole, Tally, try_alone};
use serval_soundness::{Kind, Limit};
use serval_testkit::say;

/// Systems for each method.
const SYSTEMS: u64 = 500;
/// For one system and method.
const LIMIT: Limit = Limit::Looks(20_000);

#[test]
fn no_method_alone_is_wrong_and_none_decides_nothing() {
    let (methods, mut tally) = (Sole::all(), Tally::default());
    for seed in 0..SYSTEMS / 4 {
        for kind in Kind::ALL {
            let outcome = try_alone(&methods, kind, seed, LIMIT, &mut tally);
            assert!(outcome.is_ok(), "{outcome:?}");
        }
    }
    for sole in methods {
        let figures = tally.of(sole);
        say(&format!("alone: {} proves {}, refutes {} of {SYSTEMS}", sole.name(), figures.proved, figures.refuted));
        assert_eq!(figures.proved + figures.refuted + figures.unknown, SYSTEMS, "{}", sole.name());
        assert!((figures.proved + figures.refuted) * 20 >= SYSTEMS, "{} decides too little: {figures:?}", sole.name());
    }
    assert!(tally.compared * 10 >= SYSTEMS * 9, "brute force knows about {} of {SYSTEMS}", tally.compared);
}
