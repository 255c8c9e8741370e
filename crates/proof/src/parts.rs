//! Proofs for components, as JSON.

use serde::de::{Error, IgnoredAny};
use serde::{Deserialize, Deserializer};

use crate::flow::{Fact, FlowProof};
use crate::format::{FORMAT, Object, VERSION, line, lines, present};
use crate::script::Entry;
use crate::tree::Tree;
use crate::{Body, Certificate, Claim, FormatError, Kind, Part};

/// Reads a certificate whose header says that it is a proof for one component.
pub(crate) fn read(text: &str) -> Result<Certificate, FormatError> {
    let Object(mut raw): Object<RawPart> = serde_json::from_str(text)?;
    let missing = |field: &str| <serde_json::Error as Error>::custom(format!("missing field `{field}`"));
    let input = raw.input.take().ok_or_else(|| missing("input"))?;
    let claim = raw.claim.take().ok_or_else(|| missing("claim"))?;
    let part = part(raw).map_err(<serde_json::Error as Error>::custom)?;
    Ok(Certificate { input, component: 0, claim, body: Body::Part(part) })
}

/// Reads a certificate whose header says that it is of kind `components`.
pub(crate) fn read_list(text: &str) -> Result<Certificate, FormatError> {
    let Object(RawList { input, claim, parts, .. }) = serde_json::from_str(text)?;
    Ok(Certificate { input, component: 0, claim, body: Body::Components(parts) })
}

/// Writes a proof for one component.
pub(crate) fn write(certificate: &Certificate, part: &Part) -> String {
    format!("{{{},{}}}\n", header(certificate), fields(part))
}

/// Writes a certificate of kind `components`.
pub(crate) fn write_list(certificate: &Certificate, parts: &[Part]) -> String {
    let parts = parts.iter().map(|part| format!("{{\"kind\":{},{}}}", line(&part.kind()), fields(part)));
    format!("{{{},\"parts\":{}}}\n", header(certificate), lines(parts))
}

fn header(certificate: &Certificate) -> String {
    format!(
        "\"format\":{},\"version\":{VERSION},\"input\":{},\"kind\":{},\"claim\":{}",
        line(&FORMAT),
        line(&certificate.input),
        line(&certificate.kind()),
        line(&certificate.claim),
    )
}

fn fields(part: &Part) -> String {
    match part {
        Part::Atomic(script) => format!("\"script\":{}", lines(script.iter().map(line))),
        Part::Flow(proof) => format!(
            "\"script\":{},\"phases\":{},\"facts\":{},\"tree\":{}",
            lines(proof.script.iter().map(line)),
            line(&proof.phases),
            lines(proof.facts.iter().map(line)),
            lines(proof.tree.nodes.iter().map(line))
        ),
    }
}

/// A proof with the fields of all kinds: as a certificate with its header, or as
/// a part without one.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawPart {
    #[serde(default, deserialize_with = "present")]
    format: Option<IgnoredAny>,
    #[serde(default, deserialize_with = "present")]
    version: Option<IgnoredAny>,
    #[serde(default, deserialize_with = "present")]
    input: Option<String>,
    #[serde(default, deserialize_with = "present")]
    claim: Option<Claim>,
    kind: Kind,
    #[serde(default, deserialize_with = "present")]
    script: Option<Vec<Entry>>,
    #[serde(default, deserialize_with = "present")]
    phases: Option<Vec<u32>>,
    #[serde(default, deserialize_with = "present")]
    facts: Option<Vec<Fact>>,
    #[serde(default, deserialize_with = "present")]
    tree: Option<Tree>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawList {
    // The first three have been read as the header.
    #[serde(rename = "format")]
    _format: IgnoredAny,
    #[serde(rename = "version")]
    _version: IgnoredAny,
    #[serde(rename = "kind")]
    _kind: IgnoredAny,
    input: String,
    claim: Claim,
    parts: Vec<Part>,
}

impl<'de> Deserialize<'de> for Part {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Object(raw): Object<RawPart> = Object::deserialize(deserializer)?;
        if raw.format.is_some() || raw.version.is_some() || raw.input.is_some() || raw.claim.is_some() {
            return Err(D::Error::custom("a part has no `format`, `version`, `input` or `claim` of its own"));
        }
        part(raw).map_err(D::Error::custom)
    }
}

/// A part has exactly the fields of its kind.
fn part(raw: RawPart) -> Result<Part, &'static str> {
    match raw {
        RawPart { kind: Kind::Atomic, script: Some(script), phases: None, facts: None, tree: None, .. } => Ok(Part::Atomic(script)),
        RawPart { kind: Kind::Flow, script: Some(script), phases: Some(phases), facts: Some(facts), tree: Some(tree), .. } => {
            Ok(Part::Flow(Box::new(FlowProof { script, phases, facts, tree })))
        }
        RawPart { kind: Kind::Atomic, .. } => Err("a proof of kind `atomic` has a `script`"),
        RawPart { kind: Kind::Flow, .. } => Err("a proof of kind `flow` has the fields `script`, `phases`, `facts` and `tree`"),
        RawPart { kind: Kind::Run | Kind::Components, .. } => Err("a component is proved by a proof of kind `atomic` or `flow`"),
    }
}
