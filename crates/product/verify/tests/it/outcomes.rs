//! What the library answers.

use serval_budget::{Budget, Cancel};
use serval_compile::{Compiled, Options, compile};
use serval_engine::search::run_certificate;

use serval_model::{Moves, Named, Run};
use serval_proof::{Action, Body, Certificate, Claim, NamedStates, Part, RunCertificate, RunEvent, fingerprint};
use serval_syntax::analyze;
use serval_verify::{Caps, InputError, InputKind, Outcome, verify, verify_handed};

use crate::support::{certificate, condition, counterexample, prepared, verified};

const PROGRAM: &str = "request other { Y := 1 - Y }  request save { seen := EDITS; yield; EDITS := (seen + 1) % 4 }";

#[test]
fn a_valid_certificate() {
    let certificate = counterexample(PROGRAM, 2, 10_000).unwrap();
    assert_eq!(certificate.component, 1);
    let outcome = verified(PROGRAM, InputKind::Program, &certificate.to_json());
    assert_eq!(outcome.status(), 0);
    assert_eq!(outcome.line("a.ser", "c.json", PROGRAM), "c.json: valid: a.ser is not serializable (a run of 2 requests in 8 events)");
}

#[test]
fn another_component() {
    let mut certificate = counterexample(PROGRAM, 2, 10_000).unwrap();
    certificate.component = 0;
    assert_eq!(condition(&verified(PROGRAM, InputKind::Program, &certificate.to_json())), "run.replay.spawn");
    certificate.component = 2;
    let outcome = verified(PROGRAM, InputKind::Program, &certificate.to_json());
    assert_eq!(outcome.status(), 1);
    assert_eq!(outcome.line("a.ser", "c.json", PROGRAM), "c.json: invalid: component: component 2: the input has 2, counted from 0");
    certificate.component = 0;
    certificate.input = fingerprint("[]");
    assert_eq!(condition(&verified("[]", InputKind::System, &certificate.to_json())), "component");
}

#[test]
fn an_invalid_certificate_names_condition_event_and_object() {
    let mut certificate = counterexample(PROGRAM, 2, 10_000).unwrap();
    let Body::Run(run) = &mut certificate.body else { panic!("not a run") };
    run.steps.push(RunEvent { id: 7, action: Action::Respond { local: "save@end 1".into(), response: "1".into() } });
    let outcome = verified(PROGRAM, InputKind::Program, &certificate.to_json());
    let line = outcome.line("a.ser", "c.json", PROGRAM);
    assert_eq!(line, "c.json: invalid: run.replay.thread: event 9: request 7: it is not in flight");
}

#[test]
fn texts_that_cannot_be_read() {
    let valid = counterexample(PROGRAM, 2, 10_000).unwrap().to_json();
    let outcome = verified("request r { x = 1 }", InputKind::Program, &valid);
    assert!(matches!(outcome, Outcome::InputError(InputError::Program(_))));
    let line = outcome.line("a.ser", "c.json", "request r { x = 1 }");
    assert!(line.starts_with("a.ser:1:15: error[E0112]: "), "{line}");
    let outcome = verified("{\n}", InputKind::System, &valid);
    let line = outcome.line("a.json", "c.json", "{\n}");
    assert!(line.starts_with("a.json:1:1: error[E0405]: "), "{line}");
    let outcome = verified(PROGRAM, InputKind::Program, "{\"format\":\n7}");
    let line = outcome.line("a.ser", "c.json", PROGRAM);
    assert_eq!(line, "c.json:2:1: error: invalid type: integer `7`, expected a string");
    for outcome in
        [verified("", InputKind::System, &valid), verified(PROGRAM, InputKind::System, &valid), verified(PROGRAM, InputKind::Program, "")]
    {
        assert_eq!(outcome.status(), 2);
    }
}

#[test]
fn a_program_that_fails_on_the_way() {
    let text = "request r { x := X; X := 1 - x; yield; 1 / x }";
    let prepared = prepared(text);
    let mut lazy = prepared.lazy(0);
    let (start, global) = (lazy.starts()[0], lazy.initial_global());
    let mut successors = Vec::new();
    lazy.successors(start.1, global, &mut successors).unwrap();
    let name = |(local, global)| NamedStates { local: lazy.local_name(local), global: lazy.global_name(global) };
    let (first, then) = (name((start.1, global)), name(successors[0]));
    let steps = vec![
        RunEvent { id: 1, action: Action::Spawn { request: "r".into(), local: first.local.clone() } },
        RunEvent { id: 1, action: Action::Step { from: first, to: then.clone() } },
        RunEvent { id: 1, action: Action::Step { from: then.clone(), to: then } },
    ];
    let certificate = certificate(text, 0, RunCertificate { steps, completed: Vec::new() });
    let outcome = verified(text, InputKind::Program, &certificate.to_json());
    assert!(matches!(outcome, Outcome::InputError(InputError::Fault(_))), "{outcome:?}");
    let line = outcome.line("a.ser", "c.json", text);
    assert!(line.starts_with("a.ser:1:") && line.ends_with(": division by zero"), "{line}");
}

/// Serially the answers are 0, 1, 2, … without end, and no checker can say in
/// finite time that the states after them are all.
const ENDLESS: &str = "request r { n := 0; while (?) { n := n + 1; yield }; n }";

#[test]
fn work_without_end_is_too_large() {
    let prepared = prepared(ENDLESS);
    let mut lazy = prepared.lazy(0);
    // One request that answers at once.
    let mut run = Run::new(lazy.initial_global());
    for last in [false, false, true] {
        let moves = serval_model::enabled_moves(&mut lazy, run.configuration()).unwrap();
        let chosen = moves.into_iter().rfind(|chosen| match chosen {
            serval_model::Move::Spawn { .. } => run.events().is_empty(),
            serval_model::Move::Step { step, .. } => lazy.local_name(step.to_local).contains("end 0"),
            serval_model::Move::Respond { .. } => last,
        });
        run.perform(chosen.unwrap()).unwrap();
    }
    let json = certificate(ENDLESS, 0, run_certificate(&lazy, &run)).to_json();
    let caps = Caps { ticks: 100_000, ..Caps::default() };
    let outcome = verify(ENDLESS, InputKind::Program, &json, &caps, &Cancel::new());
    assert_eq!(outcome.line("a.ser", "c.json", ENDLESS), "c.json: too large: more than 100000 ticks of work");
    assert_eq!(outcome.status(), 3);
}

#[test]
fn long_texts_and_cancelled_work() {
    let json = counterexample(PROGRAM, 2, 10_000).unwrap().to_json();
    let caps = Caps { bytes: json.len() - 1, ..Caps::default() };
    assert!(matches!(verify(PROGRAM, InputKind::Program, &json, &caps, &Cancel::new()), Outcome::TooLarge(_)));
    let cancel = Cancel::new();
    cancel.cancel();
    assert_eq!(verify(PROGRAM, InputKind::Program, &json, &Caps::default(), &cancel), Outcome::Cancelled);
}

/// States that a caller hands over are taken if they are those of the program, and otherwise the outcome says so.
#[test]
fn states_that_are_handed_over() {
    let compiled = |text: &str| {
        let program = analyze(text).program.unwrap();
        compile(&program, Options::default(), &Budget::unlimited()).unwrap()
    };
    let text = "request flip { X := 1 - X }";
    let body = Body::Part(Part::Atomic(Vec::new()));
    let json = Certificate { input: fingerprint(text), component: 0, claim: Claim::Serializable, body }.to_json();
    let with = |handed: &Compiled| verify_handed(text, InputKind::Program, &json, Some(handed), &Caps::default(), &Cancel::new());
    assert!(matches!(with(&compiled(text)), Outcome::Valid(_)));
    let refused = with(&compiled("request flip { X := 2 - X }"));
    assert!(matches!(refused, Outcome::Unclosed(_)), "{refused:?}");
    assert_eq!(refused.status(), 4);
    assert_eq!(
        refused.line("a.ser", "a.json", text),
        "a.ser: internal error: the compiled program does not meet the condition `missing step`"
    );
}
