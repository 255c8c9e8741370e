//! Texts made to hurt: refused without a panic, and within the ticks of a small
//! check, or of the caps.

use serval_budget::Cancel;
use serval_model::NetworkSystem;

use super::support::{Case, answers, counter, lost_update, respond, spawn, step};
use crate::{Action, Caps, Certificate, Condition, NamedStates, Refusal, RunCertificate, RunEvent, check_run};

#[test]
fn deep_and_long_texts() {
    let header = r#"{"format":"serval-certificate","version":1,"kind":"run","input":"","claim":"not-serializable","component":0,"#;
    let size = 10 << 20;
    for text in [
        "[".repeat(size),
        "{\"format\":".repeat(size / 10),
        format!("{header}\"steps\":{}", "[".repeat(size)),
        format!("{header}\"steps\":{}{}", "[".repeat(size / 2), "]".repeat(size / 2)),
        format!("{header}\"completed\":[],\"steps\":[{}", "{\"id\":1},".repeat(size / 9)),
        format!("{header}\"{}\":1}}", "x".repeat(size)),
        format!("{header}\"steps\":\"{}\"}}", "\\n".repeat(size / 2)),
        format!("{header}\"completed\":[],\"steps\":[]{}", ",\"steps\":[]".repeat(size / 11)),
        "\u{0}".repeat(size),
        " ".repeat(size),
    ] {
        let error = Certificate::from_json(&text).unwrap_err();
        assert!(error.message.len() < 2_000 && !error.message.contains('\n'));
    }
}

#[test]
fn huge_counts() {
    let mut case = lost_update();
    for count in [3, u64::MAX] {
        case.run().completed = vec![answers("inc", "0", count); 1_000];
        assert!(matches!(case.check(), Err(Refusal::Invalid(rejection)) if rejection.condition == Condition::RunCompleted));
    }
    // The largest numbers are numbers as others.
    let mut case = lost_update();
    for event in &mut case.run().steps {
        event.id = u32::MAX - event.id;
    }
    assert_eq!(case.check(), Ok(()));
}

#[test]
fn huge_names() {
    let name = "x\n".repeat(1 << 20);
    let mut case = lost_update();
    case.run().steps[1] = step(1, (&name, "0"), ("read 0", "0"));
    let Err(Refusal::Invalid(rejection)) = case.check() else { panic!() };
    assert!(rejection.message.len() < 2_000 && !rejection.message.contains('\n'), "{}", rejection.message.len());

    // A system with such a name: each look at it is paid for.
    let quoted = format!("{name:?}");
    let text = format!(
        r#"{{"initial_global": {quoted}, "requests": [["r", "l"]], "responses": [["l", "ok"]], "transitions": [["l", {quoted}, "l", {quoted}]]}}"#
    );
    let system = NetworkSystem::from_json(&text).unwrap();
    let states = || NamedStates { local: "l".into(), global: name.clone() };
    let mut steps = vec![RunEvent { id: 1, action: Action::Spawn { request: "r".into(), local: "l".into() } }];
    steps.extend((0..100).map(|_| RunEvent { id: 1, action: Action::Step { from: states(), to: states() } }));
    let run = RunCertificate { steps, completed: Vec::new() };
    let caps = Caps { ticks: 2_000_000, ..Caps::default() };
    let answer = check_run(&system, &run, &caps, &Cancel::new());
    assert!(matches!(answer, Err(Refusal::TooLarge { .. })), "{answer:?}");
}

#[test]
fn many_successors() {
    let transitions: Vec<String> = (0..20_000).map(|to| format!(r#"["l", "g", "l", "{to}"], ["l", "{to}", "l", "g"]"#)).collect();
    let text = format!(
        r#"{{"initial_global": "g", "requests": [["r", "l"]], "responses": [["l", "ok"]], "transitions": [["l", "g", "l", "g"], {}]}}"#,
        transitions.join(", ")
    );
    let system = NetworkSystem::from_json(&text).unwrap();
    let mut steps = vec![RunEvent { id: 1, action: Action::Spawn { request: "r".into(), local: "l".into() } }];
    steps.extend((0..200_000).map(|_| step(1, ("l", "g"), ("l", "g"))));
    let run = RunCertificate { steps, completed: Vec::new() };
    let answer = check_run(&system, &run, &Caps::default(), &Cancel::new());
    assert!(matches!(answer, Err(Refusal::TooLarge { .. })), "{answer:?}");
}

/// `pairs` lost updates, one after the other.
fn many(pairs: u32) -> Case {
    let (mut steps, mut saw) = (Vec::new(), [0, 0]);
    for pair in 0..pairs {
        let (first, second) = (2 * pair + 1, 2 * pair + 2);
        let (now, next) = if pair % 2 == 0 { ("0", "1") } else { ("1", "0") };
        let (read, done) = (format!("read {now}"), format!("done {now}"));
        for id in [first, second] {
            steps.extend([spawn(id), step(id, ("start", now), (&read, now))]);
        }
        steps.extend([step(first, (&read, now), (&done, next)), step(second, (&read, next), (&done, next))]);
        steps.extend([respond(first, &done, now), respond(second, &done, now)]);
        saw[usize::from(now == "1")] += 2;
    }
    let completed = vec![answers("inc", "0", saw[0]), answers("inc", "1", saw[1])];
    Case::new(counter(), RunCertificate { steps, completed })
}

#[test]
fn many_requests() {
    // An odd number of pairs sees 0 twice more often than 1.
    let case = many(501);
    let text = case.certificate.to_json();
    assert_eq!(Certificate::from_json(&text).as_ref(), Ok(&case.certificate));
    assert_eq!(case.check(), Ok(()));
    // An even number is serial.
    assert!(matches!(many(500).check(), Err(Refusal::Invalid(rejection)) if rejection.condition == Condition::RunSerial));
    assert!(matches!(many(3_001).check(), Err(Refusal::TooLarge { .. })));
}
