//! Runs in certificates, as JSON.

use std::num::{NonZeroU32, NonZeroU64};

use serde::de::{Error, IgnoredAny};
use serde::{Deserialize, Deserializer};

use super::{Completed, RunCertificate, RunEvent, States};
use crate::format::{FORMAT, Object, VERSION, line, lines, present};
use crate::{Body, Certificate, Claim, FormatError};

/// Reads a certificate whose header says that it is of kind `run`.
pub(crate) fn read(text: &str) -> Result<Certificate, FormatError> {
    let Object(RawCertificate { input, claim, component, steps, completed, .. }) = serde_json::from_str(text)?;
    Ok(Certificate { input, component, claim, body: Body::Run(RunCertificate { steps, completed }) })
}

/// Writes a certificate of kind `run`.
pub(crate) fn write(certificate: &Certificate, body: &RunCertificate) -> String {
    format!(
        "{{\"format\":{},\"version\":{VERSION},\"input\":{},\"kind\":{},\"claim\":{},\"component\":{},\"steps\":{},\"completed\":{}}}\n",
        line(&FORMAT),
        line(&certificate.input),
        line(&certificate.kind()),
        line(&certificate.claim),
        certificate.component,
        lines(body.steps.iter().map(event_line)),
        lines(body.completed.iter().map(completed_line)),
    )
}

fn event_line(event: &RunEvent) -> String {
    match event {
        RunEvent::Spawn { id, request, local } => {
            format!(r#"{{"id":{id},"kind":"spawn","request":{},"local":{}}}"#, line(request), line(local))
        }
        RunEvent::Step { id, from, to } => {
            format!(r#"{{"id":{id},"kind":"step","from":{},"to":{}}}"#, states_line(from), states_line(to))
        }
        RunEvent::Respond { id, local, response } => {
            format!(r#"{{"id":{id},"kind":"respond","local":{},"response":{}}}"#, line(local), line(response))
        }
    }
}

fn states_line(States { local, global }: &States) -> String {
    format!(r#"{{"local":{},"global":{}}}"#, line(local), line(global))
}

fn completed_line(Completed { request, response, count }: &Completed) -> String {
    format!(r#"{{"request":{},"response":{},"count":{count}}}"#, line(request), line(response))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawCertificate {
    // The first three have been read as the header.
    #[serde(rename = "format")]
    _format: IgnoredAny,
    #[serde(rename = "version")]
    _version: IgnoredAny,
    #[serde(rename = "kind")]
    _kind: IgnoredAny,
    input: String,
    claim: Claim,
    component: usize,
    steps: Vec<RunEvent>,
    completed: Vec<Completed>,
}

/// An event with the fields of all kinds, so that a field of the wrong type
/// is reported where it stands.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawEvent {
    id: NonZeroU32,
    kind: EventKind,
    #[serde(default, deserialize_with = "present")]
    request: Option<String>,
    #[serde(default, deserialize_with = "present")]
    local: Option<String>,
    #[serde(default, deserialize_with = "present")]
    from: Option<States>,
    #[serde(default, deserialize_with = "present")]
    to: Option<States>,
    #[serde(default, deserialize_with = "present")]
    response: Option<String>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum EventKind {
    Spawn,
    Step,
    Respond,
}

impl<'de> Deserialize<'de> for RunEvent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Object(raw) = Object::<RawEvent>::deserialize(deserializer)?;
        let id = raw.id.get();
        // Exactly the fields of its kind.
        match raw {
            RawEvent {
                kind: EventKind::Spawn, request: Some(request), local: Some(local), from: None, to: None, response: None, ..
            } => Ok(Self::Spawn { id, request, local }),
            RawEvent { kind: EventKind::Step, request: None, local: None, from: Some(from), to: Some(to), response: None, .. } => {
                Ok(Self::Step { id, from, to })
            }
            RawEvent {
                kind: EventKind::Respond,
                request: None,
                local: Some(local),
                from: None,
                to: None,
                response: Some(response),
                ..
            } => Ok(Self::Respond { id, local, response }),
            RawEvent { kind: EventKind::Spawn, .. } => Err(D::Error::custom("a spawn has the fields `id`, `kind`, `request` and `local`")),
            RawEvent { kind: EventKind::Step, .. } => Err(D::Error::custom("a step has the fields `id`, `kind`, `from` and `to`")),
            RawEvent { kind: EventKind::Respond, .. } => {
                Err(D::Error::custom("a respond has the fields `id`, `kind`, `local` and `response`"))
            }
        }
    }
}

impl<'de> Deserialize<'de> for States {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Raw {
            local: String,
            global: String,
        }
        let Object(Raw { local, global }) = Object::deserialize(deserializer)?;
        Ok(Self { local, global })
    }
}

impl<'de> Deserialize<'de> for Completed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Raw {
            request: String,
            response: String,
            count: NonZeroU64,
        }
        let Object(Raw { request, response, count }) = Object::deserialize(deserializer)?;
        Ok(Self { request, response, count: count.get() })
    }
}
