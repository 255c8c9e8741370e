//! Runs after which a step fails: right, and nearly right.

use serval_budget::Cancel;
use serval_model::{GlobalId, LocalId, Moves, Named, NetworkSystem, RequestId, ResponseId};

use super::support::{counter, lost_update, respond, spawn, step};
use super::switch::without;
use crate::{Body, Caps, Certificate, Claim, Condition, Fails, Failure, FaultCertificate, Input, NamedStates, Refusal, check, fingerprint};

/// The counter, whose second step divides by zero where another request has moved it, and is given up where it holds
/// the larger value.
pub(super) struct Failing(pub(super) NetworkSystem);

/// Why it cannot go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    Fault(Failure),
    GivenUp,
}

impl Moves for &Failing {
    type Stop = Stop;

    fn initial_global(&self) -> GlobalId {
        self.0.initial_global()
    }

    fn starts(&self) -> &[(RequestId, LocalId)] {
        self.0.starts()
    }

    fn successors(&mut self, local: LocalId, global: GlobalId, out: &mut Vec<(LocalId, GlobalId)>) -> Result<(), Stop> {
        match (self.0.local_name(local), self.0.global_name(global)) {
            ("read 0", "1") => Err(Stop::Fault(Failure::DivisionByZero)),
            ("read 1", "1") => Err(Stop::GivenUp),
            _ => {
                out.extend(self.0.steps_from(local, global).iter().map(|step| (step.to_local, step.to_global)));
                Ok(())
            }
        }
    }

    fn responses(&mut self, local: LocalId, out: &mut Vec<ResponseId>) {
        out.extend(self.0.answers_of(local).iter().map(|&(_, response)| response));
    }
}

impl Named for &Failing {
    fn global_name(&self, id: GlobalId) -> String {
        self.0.global_name(id).to_owned()
    }

    fn local_name(&self, id: LocalId) -> String {
        self.0.local_name(id).to_owned()
    }

    fn request_name(&self, id: RequestId) -> String {
        self.0.request_name(id).to_owned()
    }

    fn response_name(&self, id: ResponseId) -> String {
        self.0.response_name(id).to_owned()
    }
}

impl Input for Failing {
    type Stop = Stop;
    type Lazy<'a> = &'a Self;

    fn text(&self) -> &str {
        "the text"
    }

    fn components(&self) -> usize {
        1
    }

    fn lazy(&self, _: usize) -> &Self {
        self
    }

    fn whole(&self, _: &Cancel) -> Result<Vec<&NetworkSystem>, Refusal<Stop>> {
        Ok(vec![&self.0])
    }

    fn failure(stop: &Stop) -> Option<Failure> {
        match stop {
            Stop::Fault(failure) => Some(*failure),
            Stop::GivenUp => None,
        }
    }
}

/// Both have read 0; one has written, and the other fails.
fn genuine() -> Certificate {
    let steps = vec![
        spawn(1),
        step(1, ("start", "0"), ("read 0", "0")),
        spawn(2),
        step(2, ("start", "0"), ("read 0", "0")),
        step(1, ("read 0", "0"), ("done 0", "1")),
        respond(1, "done 0", "0"),
    ];
    let from = NamedStates { local: "read 0".into(), global: "1".into() };
    let body = Body::Fault(Box::new(FaultCertificate { steps, fails: Fails { id: 2, from, fault: Failure::DivisionByZero } }));
    Certificate { input: fingerprint("the text"), component: 0, claim: Claim::Fault, body }
}

fn changed(change: impl FnOnce(&mut FaultCertificate)) -> Certificate {
    let mut certificate = genuine();
    let Body::Fault(fault) = &mut certificate.body else { panic!("it is of this kind") };
    change(fault);
    certificate
}

fn answer(certificate: &Certificate) -> Result<(), Refusal<Stop>> {
    check(&Failing(counter()), certificate, &Caps::default(), &Cancel::new())
}

fn refused(certificate: &Certificate) -> Condition {
    match answer(certificate) {
        Err(Refusal::Invalid(rejection)) => *Condition::ALL.iter().find(|&&one| rejection.condition == one).unwrap(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_genuine_failure_is_accepted_and_survives_its_form() {
    assert_eq!(answer(&genuine()), Ok(()));
    let text = genuine().to_json();
    assert_eq!(Certificate::from_json(&text).unwrap(), genuine());
    assert_eq!(Certificate::from_json(&text).unwrap().to_json(), text);
    // Exactly the fields of its kind.
    for (from, to) in [
        ("\"fails\"", "\"fail\""),
        ("\"division-by-zero\"", "\"division\""),
        ("\"id\":2,\"from\"", "\"id\":0,\"from\""),
        ("\"component\":0,", ""),
        ("\"component\":0,", "\"component\":0,\"completed\":[],"),
    ] {
        assert!(text.contains(from), "{from}");
        assert!(Certificate::from_json(&text.replacen(from, to, 1)).is_err(), "{from} → {to}");
    }
}

/// A certificate that is refused for `condition` and for nothing else.
fn violates_only(condition: Condition) -> Certificate {
    match condition {
        Condition::FaultClaim => Certificate { claim: Claim::NotSerializable, ..genuine() },
        // It has answered already.
        Condition::FaultThread => changed(|fault| fault.fails.id = 1),
        Condition::FaultLocal => changed(|fault| fault.fails.from.local = "read 1".into()),
        Condition::FaultGlobal => changed(|fault| fault.fails.from.global = "0".into()),
        // No step has moved the counter.
        Condition::FaultStep => changed(|fault| {
            fault.steps.truncate(4);
            fault.fails.from.global = "0".into();
        }),
        Condition::FaultKind => changed(|fault| fault.fails.fault = Failure::Overflow),
        _ => panic!("no case for {condition}"),
    }
}

#[test]
fn each_condition_is_needed_and_none_covers_for_another() {
    let conditions: Vec<Condition> = Condition::ALL.iter().copied().filter(|one| one.name().starts_with("fault.")).collect();
    assert_eq!(conditions.len(), 6);
    for condition in conditions {
        let certificate = violates_only(condition);
        assert_eq!(refused(&certificate), condition);
        assert_eq!(without(condition, || answer(&certificate)), Ok(()), "{condition} hides behind another condition");
        for &other in Condition::ALL.iter().filter(|&&other| other != condition) {
            assert_eq!(without(other, || refused(&certificate)), condition, "{other}");
        }
    }
}

#[test]
fn the_run_before_is_replayed() {
    assert_eq!(refused(&changed(|fault| drop(fault.steps.remove(2)))), Condition::RunReplayThread);
    assert_eq!(refused(&changed(|fault| fault.steps[4] = step(1, ("read 0", "0"), ("done 1", "1")))), Condition::RunReplayStep);
    assert_eq!(refused(&changed(|fault| fault.steps.push(spawn(1)))), Condition::RunReplayFresh);
    assert_eq!(refused(&Certificate { component: 1, ..genuine() }), Condition::Component);
    assert_eq!(refused(&Certificate { input: "0".repeat(32), ..genuine() }), Condition::Input);
    // A run that goes on behind a step that fails is none.
    let beyond = changed(|fault| fault.steps.push(step(2, ("read 0", "1"), ("done 0", "1"))));
    assert_eq!(answer(&beyond), Err(Refusal::System(Stop::Fault(Failure::DivisionByZero))));
}

#[test]
fn a_step_that_is_given_up_is_no_failure() {
    let certificate = changed(|fault| {
        fault.steps.extend([spawn(3), step(3, ("start", "1"), ("read 1", "1"))]);
        fault.fails = Fails { id: 3, from: NamedStates { local: "read 1".into(), global: "1".into() }, fault: Failure::DivisionByZero };
    });
    assert_eq!(refused(&certificate), Condition::FaultStep);
}

#[test]
fn systems_that_are_written_out_never_fail() {
    let mut case = lost_update();
    let Body::Fault(fault) = genuine().body else { panic!("it is of this kind") };
    case.certificate.body = Body::Fault(fault);
    case.certificate.claim = Claim::Fault;
    assert!(matches!(case.check(), Err(Refusal::Invalid(rejection)) if rejection.condition == Condition::FaultStep));
}

#[test]
fn caps_are_kept() {
    let within = |caps: Caps| check(&Failing(counter()), &genuine(), &caps, &Cancel::new());
    assert!(matches!(within(Caps { events: 5, ..Caps::default() }), Err(Refusal::TooLarge { .. })));
    assert!(matches!(within(Caps { ticks: 3, ..Caps::default() }), Err(Refusal::TooLarge { .. })));
    assert_eq!(within(Caps { events: 6, ..Caps::default() }), Ok(()));
}

#[test]
fn the_schema_has_the_same_fields() {
    let schema: serde_json::Value = serde_json::from_str(include_str!("../../../../../docs/certificate.schema.json")).unwrap();
    let written: serde_json::Value = serde_json::from_str(&genuine().to_json()).unwrap();
    for (name, value) in [("fault", &written), ("fails", &written["fails"])] {
        let (schema, keys) = (&schema["$defs"][name], value.as_object().unwrap().keys().cloned().collect::<Vec<_>>());
        let mut required: Vec<_> = schema["required"].as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned()).collect();
        required.sort_unstable();
        assert_eq!(keys, required, "{name}");
        assert_eq!(schema["properties"].as_object().unwrap().keys().cloned().collect::<Vec<_>>(), required, "{name}");
        assert_eq!(schema["additionalProperties"], false, "{name}");
    }
}
