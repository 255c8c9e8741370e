//! Additions under a lock: each part of the condition is needed.

use serval_proof::{Bounds, Condition, LockedAddition, Reduction, Refusal};

use super::conditions::{checked, global, is_wrong, is_wrong_with};
use super::switch::without;

/// A counter under a lock. Points: the entry, where it waits, inside; the entry of the second.
const ADD: &str = "var X: 0..2\nrequest add { yield; lock(L); v := (X + 1) % 3; yield; X := v; unlock(L); 0 }\nrequest see { X }\n";

/// Proofs that requests at the third point hold the lock in order to add a register.
fn adding(text: &str) -> Vec<Reduction> {
    let (x, l) = (global(text, "X"), global(text, "L"));
    let proof = |register: u32| Reduction {
        additions: vec![LockedAddition { lock: l, held: vec![(3, 3)], points: vec![(3, 3)], sums: vec![(register, x)] }],
        ranges: vec![(x, 0, 2), (l, 0, 1)],
        ..Reduction::default()
    };
    (0..6).map(proof).collect()
}

/// The program is wrong; all proofs are refused, and some of them for this condition alone, with these words.
fn needs(text: &str, proofs: Vec<Reduction>, why: &str) {
    assert!(is_wrong_with(text, 4), "{text}");
    let mut found = false;
    for proof in proofs {
        match checked(text, &proof) {
            Ok(()) => panic!("{proof:?} is accepted for {text}"),
            Err(Refusal::Invalid(rejection)) if rejection.condition == Condition::ReductionAddition => {
                found |= rejection.message.contains(why) && without(Condition::ReductionAddition, || checked(text, &proof)) == Ok(());
            }
            Err(_) => {}
        }
    }
    assert!(found, "{why} hides behind another condition");
}

fn beside(other: &str) -> String {
    format!("{ADD}{other}\n")
}

#[test]
fn an_addition_is_accepted() {
    assert!(!is_wrong(ADD));
    assert!(adding(ADD).iter().any(|proof| checked(ADD, proof) == Ok(())));
    // What is read before the lock is taken is in the sum, and what others read is no matter: it commutes.
    let text =
        ADD.replace("yield; lock(L); v := (X + 1)", "y := Y; yield; lock(L); v := (X + y)").replace("see { X }", "flip { Y := 1 - Y; 0 }");
    let text = &text;
    let late = |proof: Reduction| {
        (0..6).map(move |register| Reduction {
            ranges: proof.ranges.iter().copied().chain([(global(text, "Y"), 0, 1)]).collect(),
            locals: vec![Bounds { variable: register, low: 0, high: 1, points: vec![(2, 2)] }],
            post: vec![(2, 3)],
            ..proof.clone()
        })
    };
    assert!(!is_wrong(text));
    assert!(adding(text).into_iter().flat_map(late).any(|proof| checked(text, &proof) == Ok(())));
}

#[test]
fn no_other_gives_the_lock_back() {
    let text = beside("request put { lock(L); x := X; X := 2; unlock(L); x }\nrequest free { L := 0; 0 }");
    needs(&text, adding(&text), "what one does with no lock");
}

#[test]
fn it_is_not_asked_who_holds_the_lock() {
    for (other, why) in
        [("request ask { if (L == 1) { 1 } else { 0 } }", "looks at who holds"), ("request ask { L }", "read where it is not held")]
    {
        needs(&beside(other), adding(&beside(other)), why);
    }
}

#[test]
fn nothing_must_hold_of_the_lock() {
    let text = beside("request ask { assume (L == 0); yield; assert (L == 0); 0 }");
    let knows = |point: u32| {
        let known = Bounds { variable: global(&text, "L"), low: 0, high: 0, points: vec![(point, point)] };
        adding(&text).into_iter().map(move |proof| Reduction { known: vec![known.clone()], ..proof })
    };
    needs(&text, (4..8).flat_map(knows).collect(), "something must hold of the lock");
}

#[test]
fn others_that_write_hold_the_lock() {
    let text = beside("request put { x := X; X := 2; x }");
    needs(&text, adding(&text), "is changed without the lock");
}

/// Ranges hold before additions are without their lock, too.
#[test]
fn what_a_lock_is_set_to_is_in_its_range() {
    let mut proof = adding(ADD).into_iter().find(|proof| checked(ADD, proof) == Ok(())).unwrap();
    proof.ranges[1].2 = 0;
    assert!(checked(ADD, &proof).is_err());
}

#[test]
fn meaningless_additions_are_refused() {
    let good = adding(ADD).into_iter().find(|proof| checked(ADD, proof) == Ok(())).unwrap();
    let changes: [fn(&mut LockedAddition); 12] = [
        |addition| addition.lock = u32::MAX,
        |addition| addition.lock = addition.sums[0].1,
        |addition| addition.held.clear(),
        |addition| addition.held = vec![(2, 3)],
        |addition| addition.held = vec![(0, 0), (3, 3)],
        |addition| addition.held = vec![(3, u32::MAX)],
        |addition| addition.held = vec![(3, 3), (3, 3)],
        |addition| addition.points.clear(),
        |addition| addition.points = vec![(2, 2)],
        |addition| addition.sums.clear(),
        |addition| addition.sums[0].1 = u32::MAX,
        |addition| addition.sums.push(addition.sums[0]),
    ];
    for (number, change) in changes.into_iter().enumerate() {
        let mut proof = good.clone();
        change(&mut proof.additions[0]);
        let refused = matches!(checked(ADD, &proof), Err(Refusal::Invalid(why)) if why.condition == Condition::ReductionAddition);
        assert!(refused, "{number}: {proof:?}");
    }
}
