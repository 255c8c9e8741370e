//! Lists of states that are closed, and nearly closed.

use serval_budget::Cancel;
use serval_model::{NetworkSystem, SplitMix64};

use super::fault::Failing;
use super::switch::without;
use crate::{Body, Caps, Certificate, Claim, ClosedPart, Condition, Refusal, Systems, check, fingerprint};

const TEXT: &str = "the text";

/// A lock of which the waiting requests are many: `take` holds it, and `hold` gives it back.
fn lock() -> NetworkSystem {
    let text = r#"{"initial_global": "free", "requests": [["r", "take"]], "responses": [["done", "0"]],
        "transitions": [["take", "free", "hold", "held"], ["hold", "held", "done", "free"]]}"#;
    NetworkSystem::from_json(text).unwrap()
}

fn names(list: &[&str]) -> Vec<String> {
    list.iter().map(|name| (*name).to_owned()).collect()
}

/// One request holds the lock: level 1 where it is held, and `hold` weighs 1.
fn by_counts() -> ClosedPart {
    ClosedPart {
        globals: names(&["free", "held"]),
        locals: names(&["take", "hold"]),
        at: vec![vec![0], vec![0, 1]],
        levels: vec![vec![0], vec![1]],
        weights: vec![vec![0], vec![1]],
        markings: Vec::new(),
    }
}

/// The same with markings: none holds it, or one.
fn by_markings() -> ClosedPart {
    ClosedPart { levels: Vec::new(), weights: Vec::new(), markings: vec![vec![vec![]], vec![vec![(1, 1)]]], ..by_counts() }
}

fn certificate(part: ClosedPart) -> Certificate {
    Certificate { input: fingerprint(TEXT), component: 0, claim: Claim::Safe, body: Body::Closure(vec![part]) }
}

fn answer_of(system: &NetworkSystem, certificate: &Certificate) -> Result<(), Refusal<std::convert::Infallible>> {
    check(&Systems { text: TEXT, systems: vec![system] }, certificate, &Caps::default(), &Cancel::new())
}

fn refused<Stop: std::fmt::Debug>(answer: Result<(), Refusal<Stop>>) -> Condition {
    match answer {
        Err(Refusal::Invalid(rejection)) => *Condition::ALL.iter().find(|&&one| rejection.condition == one).unwrap(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn closed_lists_are_accepted_and_survive_their_form() {
    for part in [by_counts(), by_markings()] {
        let certificate = certificate(part);
        assert_eq!(answer_of(&lock(), &certificate), Ok(()));
        let text = certificate.to_json();
        assert_eq!(Certificate::from_json(&text).unwrap(), certificate);
        for (from, to) in
            [("\"closed\"", "\"close\""), ("\"safe\"", "\"save\""), ("\"at\":", "\"more\":0,\"at\":"), ("\"levels\"", "\"level\"")]
        {
            assert!(Certificate::from_json(&text.replacen(from, to, 1)).is_err(), "{from} → {to}");
        }
    }
}

/// A flag that each request sets; the second step of a request that finds it set fails.
fn failing() -> Failing {
    let text = r#"{"initial_global": "0", "requests": [["r", "start"]], "responses": [["done 0", "0"]],
        "transitions": [["start", "0", "read 0", "0"], ["read 0", "0", "done 0", "1"],
            ["start", "1", "read 0", "1"], ["read 0", "1", "done 0", "1"]]}"#;
    Failing(NetworkSystem::from_json(text).unwrap())
}

/// All states of it.
fn of_flag() -> ClosedPart {
    ClosedPart {
        globals: names(&["0", "1"]),
        locals: names(&["start", "read 0", "done 0"]),
        at: vec![vec![0, 1, 2]; 2],
        levels: vec![Vec::new(); 2],
        weights: vec![Vec::new(); 3],
        markings: Vec::new(),
    }
}

#[test]
fn each_condition_is_needed_and_none_covers_for_another() {
    let lock = lock();
    let with = |change: &dyn Fn(&mut ClosedPart)| {
        let mut part = by_counts();
        change(&mut part);
        certificate(part)
    };
    let cases: Vec<(Condition, Certificate)> = vec![
        (Condition::ClosureClaim, Certificate { claim: Claim::Serializable, ..certificate(by_counts()) }),
        (Condition::ClosureCover, Certificate { body: Body::Closure(vec![by_counts(), by_counts()]), ..certificate(by_counts()) }),
        // A local state without a weight.
        (Condition::ClosureTables, with(&|part| part.locals.push("take again".to_owned()))),
        // A request that holds the lock is not listed beside it.
        (Condition::ClosureClosed, with(&|part| part.at[1] = vec![0])),
        (Condition::ClosureCount, with(&|part| part.levels[0] = vec![-1])),
    ];
    for (condition, certificate) in cases {
        assert_eq!(refused(answer_of(&lock, &certificate)), condition);
        assert_eq!(without(condition, || answer_of(&lock, &certificate)), Ok(()), "{condition} hides behind another condition");
        for &other in Condition::ALL.iter().filter(|&&other| other != condition) {
            assert_eq!(without(other, || refused(answer_of(&lock, &certificate))), condition, "{other}");
        }
    }
    // The initial state is not listed, and so no other state is met.
    let empty = with(&|part| part.globals[0] = "elsewhere".to_owned());
    assert_eq!(refused(answer_of(&lock, &empty)), Condition::ClosureInitial);
    assert_eq!(without(Condition::ClosureInitial, || answer_of(&lock, &empty)), Ok(()));
    // A step that fails is among the listed pairs.
    let fails = certificate(of_flag());
    let answer = || check(&failing(), &fails, &Caps::default(), &Cancel::new());
    assert_eq!(refused(answer()), Condition::ClosureFault);
    let conditions = Condition::ALL.iter().filter(|one| one.name().starts_with("closure.")).count();
    assert_eq!(conditions, 7);
}

/// Lists of another form are refused as such, before anything is looked up in them.
#[test]
fn tables_are_looked_at() {
    type Change = fn(&mut ClosedPart);
    let of_both: [Change; 5] = [
        |part| part.at[1] = vec![1, 0],
        |part| part.at[1] = vec![0, 1, 2],
        |part| drop(part.at.pop()),
        |part| part.globals[1] = "free".to_owned(),
        |part| part.locals[1] = "take".to_owned(),
    ];
    let of_counts: [Change; 4] = [
        |part| part.levels[0].push(0),
        |part| part.weights[1].clear(),
        |part| drop(part.levels.pop()),
        |part| part.markings = vec![Vec::new(); 2],
    ];
    let of_markings: [Change; 4] = [
        |part| part.markings[1][0].push((2, 1)),
        |part| part.markings[1][0].insert(0, (1, 1)),
        |part| drop(part.markings.pop()),
        |part| part.levels = vec![Vec::new(); 2],
    ];
    let cases = [(by_counts as fn() -> ClosedPart, &of_counts), (by_markings, &of_markings)];
    for (number, (part, own)) in cases.into_iter().enumerate() {
        for (change, change_part) in of_both.iter().chain(own).enumerate() {
            let mut part = part();
            change_part(&mut part);
            assert_eq!(refused(answer_of(&lock(), &certificate(part))), Condition::ClosureTables, "{number} {change}");
        }
    }
}

/// What can occur cannot be left out: the second request fails, so no list of states is accepted.
#[test]
fn no_list_shows_that_what_fails_does_not() {
    let mut random = SplitMix64::new(7);
    let (mut refusals, mut accepted) = (0, 0);
    for _ in 0..4_000 {
        let mut part = of_flag();
        if random.below(2) == 0 {
            let row = |random: &mut SplitMix64| vec![i64::try_from(random.below(3)).unwrap()];
            part.levels = (0..2).map(|_| row(&mut random)).collect();
            part.weights = (0..3).map(|_| row(&mut random)).collect();
        } else if random.below(2) == 0 {
            (part.levels, part.weights) = (Vec::new(), Vec::new());
            let marking = |random: &mut SplitMix64| vec![(1, u32::try_from(random.below(3)).unwrap())];
            part.markings = (0..2).map(|_| vec![marking(&mut random)]).collect();
        }
        for at in &mut part.at {
            at.retain(|_| random.below(5) > 0);
        }
        match check(&failing(), &certificate(part), &Caps::default(), &Cancel::new()) {
            Ok(()) => accepted += 1,
            Err(_) => refusals += 1,
        }
    }
    assert_eq!((refusals, accepted), (4_000, 0));
}

/// Twenty ways to damage a certificate: it is refused, or what it claims is still true, as the lock never fails. What
/// is not a list of the right form is refused.
#[test]
fn damaged_certificates_are_refused_or_still_true() {
    let texts = [certificate(by_counts()).to_json(), certificate(by_markings()).to_json()];
    let damages: [(&str, &str); 20] = [
        ("\"safe\"", "\"serializable\""),
        ("\"safe\"", "\"fault\""),
        ("\"closure\"", "\"reduction\""),
        ("\"closure\"", "\"flow\""),
        ("\"version\":1", "\"version\":2"),
        ("\"free\"", "\"held\""),
        ("\"free\"", "\"elsewhere\""),
        ("\"hold\"", "\"take\""),
        ("\"hold\"", "\"nowhere\""),
        ("\"at\":[[0],[0,1]]", "\"at\":[[0],[0]]"),
        ("\"at\":[[0],[0,1]]", "\"at\":[[0],[1]]"),
        ("\"at\":[[0],[0,1]]", "\"at\":[[0],[1,0]]"),
        ("\"at\":[[0],[0,1]]", "\"at\":[[0],[0,7]]"),
        ("\"at\":[[0],[0,1]]", "\"at\":[[0]]"),
        ("\"at\":[[0],[0,1]]", "\"at\":[[],[0,1]]"),
        ("\"levels\":[[0],[1]]", "\"levels\":[[0],[2]]"),
        ("\"weights\":[[0],[1]]", "\"weights\":[[1],[1]]"),
        ("\"weights\":[[0],[1]]", "\"weights\":[[0],[-1]]"),
        ("\"markings\":[[[]],[[[1,1]]]]", "\"markings\":[[],[[[1,1]]]]"),
        ("\"markings\":[[[]],[[[1,1]]]]", "\"markings\":[[[]],[[[0,1]]]]"),
    ];
    for (from, to) in damages {
        let mut tried = 0;
        for text in texts.iter().filter(|text| text.contains(from)) {
            let refused = Certificate::from_json(&text.replacen(from, to, 1)).map_or(true, |damaged| answer_of(&lock(), &damaged).is_err());
            assert!(refused, "{from} → {to}");
            tried += 1;
        }
        assert!(tried > 0, "{from}");
    }
}
