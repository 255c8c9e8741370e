//! Each method alone on random systems: a fixed budget of what
//! `measure alone` does at length.

use serval_soundness::requests::alone::{Sole, Tally, try_alone};
use serval_soundness::{Kind, Limit, merged};
use serval_testkit::say;

/// For one system and method.
const LIMIT: Limit = Limit::Looks(20_000);

#[test]
fn no_method_alone_is_wrong_and_none_decides_nothing() {
    let sweep = serval_effort::sweep("soundness.alone", 80, 500);
    let methods = Sole::all();
    let parts = sweep.map(0, |number| {
        let (kind, mut tally) = (Kind::ALL[usize::try_from(number % 4).unwrap()], Tally::default());
        let outcome = try_alone(&methods, kind, number / 4, LIMIT, &mut tally);
        assert!(outcome.is_ok(), "{outcome:?}");
        tally
    });
    let (tally, systems): (Tally, u64) = (merged(parts), sweep.count());
    for sole in methods {
        let figures = tally.of(sole);
        say(&format!("alone: {} proves {}, refutes {} of {systems}", sole.name(), figures.proved, figures.refuted));
        assert_eq!(figures.proved + figures.refuted + figures.unknown, systems, "{}", sole.name());
        let enough = (figures.proved + figures.refuted) * 50 >= systems;
        assert!(!sweep.is_representative() || enough, "{} decides too little: {figures:?}", sole.name());
    }
    let known = tally.compared * 10 >= systems * 9;
    assert!(!sweep.is_representative() || known, "brute force knows about {} of {systems}", tally.compared);
}
