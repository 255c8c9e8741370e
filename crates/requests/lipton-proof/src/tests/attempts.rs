//! Attempts in several steps: each part of the condition is needed.

use serval_proof::{Condition, Reduction, Refusal, ValidatedAttempt};

use super::conditions::{checked, is_wrong};
use super::switch::without;

/// A counter that is written if its version has not changed since it was read, two pauses before.
const EDIT: &str = "var V: 0..4\nvar T: 0..2\nrequest edit { d := 0; n := 0; while (not d) { yield; v := V; if (v == 3) { return 9 }; \
    yield; t := T; yield; if (V == v) { T := (t + 1) % 3; V := v + 1; d := 1 } }; t }\n";

/// Proofs that an attempt along some points validates a read, the version read in one step and the other in another.
fn attempting(ranges: &[(u32, i64, i64)]) -> Vec<Reduction> {
    let mut proofs = Vec::new();
    for points in (2..6_u32).flat_map(|h| (2..6).flat_map(move |p| (2..6).map(move |w| [h, p, w]))) {
        for (v, t) in (0..5_u32).flat_map(|v| (0..5).map(move |t| (v, t))).filter(|(v, t)| v != t) {
            for steps in [(0, 1), (1, 0)] {
                let attempt =
                    ValidatedAttempt { points: points.to_vec(), versions: vec![(steps.0, 0, v)], reads: vec![(0, steps.1, 1, t)] };
                proofs.push(Reduction { attempts: vec![attempt], ranges: ranges.to_vec(), ..Reduction::default() });
            }
        }
    }
    proofs
}

const RANGES: [(u32, i64, i64); 2] = [(0, 0, 3), (1, 0, 2)];

/// The program is wrong; all proofs are refused, and some of them for this condition alone, with these words.
fn needs(text: &str, ranges: &[(u32, i64, i64)], why: &str) {
    assert!(is_wrong(text), "{text}");
    let mut found = false;
    for proof in attempting(ranges) {
        match checked(text, &proof) {
            Ok(()) => panic!("{proof:?} is accepted for {text}"),
            Err(Refusal::Invalid(rejection)) if rejection.condition == Condition::ReductionAttempt => {
                found |= rejection.message.contains(why) && without(Condition::ReductionAttempt, || checked(text, &proof)) == Ok(());
            }
            Err(_) => {}
        }
    }
    assert!(found, "{why} hides behind another condition");
}

/// The program with something else in the place of a part.
fn with(from: &str, to: &str) -> String {
    assert!(EDIT.contains(from), "{from}");
    EDIT.replacen(from, to, 1)
}

#[test]
fn an_attempt_in_two_steps_is_accepted() {
    assert!(!is_wrong(EDIT));
    assert!(attempting(&RANGES).iter().any(|proof| checked(EDIT, proof) == Ok(())));
}

#[test]
fn a_version_that_comes_back_validates_nothing() {
    for next in ["1 - v % 2", "0"] {
        needs(&with("V := v + 1", &format!("V := {next}")), &RANGES, "without a larger version");
    }
}

#[test]
fn what_is_read_before_its_version_is_not_guarded() {
    let late = with("v := V; if (v == 3) { return 9 }; yield; t := T;", "t := T; yield; v := V;").replace("v + 1", "(v + 1) % 5");
    let ranges = [(0, 0, 4), (1, 0, 2)];
    let never = late.replace("(v + 1) % 5", "v + 1").replace("var V: 0..4", "var V: 0..9 saturate");
    for (text, ranges) in [(late, ranges), (never, [(0, 0, 9), (1, 0, 2)])] {
        assert!(is_wrong(&text), "{text}");
        assert!(attempting(&ranges).iter().all(|proof| checked(&text, proof).is_err()));
    }
}

#[test]
fn an_attempt_leaves_no_trace() {
    // What is kept is another global's value, since a constant would give the second round points of its own. So the
    // proof meets another condition, too: steps that read it do not change places.
    let told = with("d := 1 } }; t", "d := 1 } else { n := V } }; if (n == 0) { t } else { 9 }").replacen("n := 0", "n := T", 1);
    assert!(is_wrong(&told), "{told}");
    let refused = |proof: &Reduction| match checked(&told, proof) {
        Err(Refusal::Invalid(why)) => why.message.contains("a path back changes a register"),
        other => panic!("{proof:?}: {other:?}"),
    };
    assert!(attempting(&RANGES).iter().filter(|proof| refused(proof)).count() > 0);
}

#[test]
fn every_version_is_tested() {
    needs(&with("V == v", "V == v or V > 0"), &RANGES, "neither tests all versions nor goes back");
}

#[test]
fn meaningless_attempts_are_refused() {
    let good = attempting(&RANGES).into_iter().find(|proof| checked(EDIT, proof) == Ok(())).unwrap();
    let changes: [fn(&mut ValidatedAttempt); 10] = [
        |attempt| attempt.points.clear(),
        |attempt| attempt.points.truncate(1),
        |attempt| attempt.points[1] = u32::MAX,
        |attempt| attempt.points[1] = 0,
        |attempt| attempt.points[1] = attempt.points[0],
        |attempt| attempt.versions.clear(),
        |attempt| attempt.versions[0].0 = u32::MAX,
        |attempt| attempt.versions[0].1 = u32::MAX,
        |attempt| attempt.reads[0].0 = 1,
        |attempt| attempt.reads[0].3 = attempt.versions[0].2,
    ];
    for change in changes {
        let mut proof = good.clone();
        change(&mut proof.attempts[0]);
        assert!(matches!(checked(EDIT, &proof), Err(Refusal::Invalid(why)) if why.condition == Condition::ReductionAttempt), "{proof:?}");
    }
}
