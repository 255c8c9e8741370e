//! Certificates as JSON.
//!
//! Reading is strict: unknown, repeated and missing fields, wrong types, `null`
//! for a missing value, arrays for objects, another format, version or kind are
//! errors. Most types derive their form where they are defined; here is what
//! they have in common, and the certificate as a whole.

use serde::Deserialize;
use serde::de::{Deserializer, Error};
use serde_json::value::RawValue;
use serval_evidence::{line, lines, listed, read_object};

use crate::cases::CasesProof;
use crate::closure::ClosedPart;
use crate::fault::{Fails, FaultCertificate};
use crate::flow::{Fact, FlowProof, LinearSet};
use crate::invariant::{Bound, InvariantProof, Preservation};
use crate::letters::{self, Groups, LettersProof, Level, Region};
use crate::reduction::Reduction;
use crate::same::Same;
use crate::script::Entry;
use crate::shared::SharedProof;
use crate::strict::StrictProof;
use crate::strict::in_flight::InFlight;
use crate::strict::monitor::MonitorState;
use crate::strict::points::Points;
use crate::{Body, Certificate, Claim, Completed, FormatError, Kind, Part, RunCertificate, RunEvent};
use serval_linear::Tree;

serval_evidence::head!("serval-certificate", 1);

/// What is there and no `null`.
pub(crate) fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// A field that may be missing, but is no `null`.
struct Field<T>(Option<T>);

impl<T> Default for Field<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Field<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        present(deserializer).map(Self)
    }
}

/// The fields of certificates and of parts, of all kinds.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Fields {
    format: Field<FormatName>,
    version: Field<FormatVersion>,
    input: Field<String>,
    kind: Field<Kind>,
    claim: Field<Claim>,
    component: Field<usize>,
    steps: Field<Vec<RunEvent>>,
    completed: Field<Vec<Completed>>,
    fails: Field<Fails>,
    script: Field<Vec<Entry>>,
    phases: Field<Vec<u32>>,
    facts: Field<Vec<Fact>>,
    tree: Field<Tree>,
    clauses: Field<Vec<Vec<Bound>>>,
    kept: Field<Vec<Preservation>>,
    sets: Field<Vec<LinearSet>>,
    cases: Field<Box<RawValue>>,
    ends: Field<Vec<Tree>>,
    known: Field<Vec<letters::Fact>>,
    levels: Field<Vec<Level>>,
    groups: Field<Groups>,
    classes: Field<Vec<Vec<u32>>>,
    regions: Field<Vec<Region>>,
    part: Field<usize>,
    globals: Field<Vec<u32>>,
    nodes: Field<Vec<u32>>,
    parts: Field<Vec<Part>>,
    touches: Field<Vec<Vec<u32>>>,
    reduction: Field<Reduction>,
    k: Field<usize>,
    states: Field<Vec<MonitorState>>,
    places: Field<Vec<u32>>,
    proof: Field<Box<Part>>,
    closed: Field<Vec<ClosedPart>>,
}

impl Fields {
    /// The evidence, from exactly the fields of its kind.
    fn body<E: Error>(self) -> Result<Body, E> {
        let kind = self.kind.0.ok_or_else(|| E::missing_field("kind"))?;
        let (count, fields) = match kind {
            Kind::Run => (3, "`component`, `steps` and `completed`"),
            Kind::Fault => (3, "`component`, `steps` and `fails`"),
            Kind::Atomic => (1, "`script`"),
            Kind::Flow => (4, "`script`, `phases`, `facts` and `tree`"),
            Kind::Invariant => (5, "`script`, `clauses`, `kept`, `sets` and `ends`"),
            Kind::Letters => {
                let groups = usize::from(self.groups.0.is_some());
                (6 + groups, "`script`, `known`, `levels`, perhaps `groups`, `classes`, `regions` and `tree`")
            }
            Kind::Cases => (3, "`script`, `sets` and `cases`"),
            Kind::Same => (3, "`part`, `globals` and `nodes`"),
            Kind::Components => (1 + usize::from(self.touches.0.is_some()), "`parts`, perhaps `touches`"),
            Kind::Reduction => (1, "`reduction`"),
            Kind::InFlight => (3, "`script`, `k` and `states`"),
            Kind::Points => (3, "`script`, `places` and `proof`"),
            Kind::Closure => (1, "`closed`"),
        };
        let alone = self.count() == count;
        let body = self.body_of(kind).filter(|_| alone);
        body.ok_or_else(|| E::custom(format!("what is of kind `{}` has {fields}, and nothing else", kind.name())))
    }

    /// How many fields there are that only some kinds have.
    fn count(&self) -> usize {
        let run = [self.component.0.is_some(), self.steps.0.is_some(), self.completed.0.is_some(), self.fails.0.is_some()];
        let flow = [self.script.0.is_some(), self.phases.0.is_some(), self.facts.0.is_some(), self.tree.0.is_some()];
        let invariant = [self.clauses.0.is_some(), self.kept.0.is_some(), self.sets.0.is_some(), self.ends.0.is_some()];
        let letters = [self.known.0.is_some(), self.levels.0.is_some(), self.classes.0.is_some(), self.regions.0.is_some()];
        let same = [self.part.0.is_some(), self.globals.0.is_some(), self.nodes.0.is_some()];
        let strict = [self.k.0.is_some(), self.states.0.is_some(), self.places.0.is_some(), self.proof.0.is_some()];
        run.iter()
            .chain(&strict)
            .chain(&flow)
            .chain(&invariant)
            .chain(&letters)
            .chain(&same)
            .chain(&[self.cases.0.is_some(), self.groups.0.is_some(), self.parts.0.is_some(), self.touches.0.is_some()])
            .chain(&[self.reduction.0.is_some(), self.closed.0.is_some()])
            .filter(|&&there| there)
            .count()
    }

    /// The evidence, if the fields of its kind are there.
    fn body_of(self, kind: Kind) -> Option<Body> {
        Some(match kind {
            Kind::Run => Body::Run(RunCertificate { steps: self.steps.0?, completed: self.completed.0? }),
            Kind::Fault => Body::Fault(Box::new(FaultCertificate { steps: self.steps.0?, fails: self.fails.0? })),
            Kind::Components => match (self.touches.0, self.parts.0?) {
                (Some(touches), parts) => Body::Part(Part::Shared(Box::new(SharedProof { touches, parts }))),
                (None, parts) => Body::Components(parts),
            },
            Kind::Reduction => Body::Reduction(Box::new(self.reduction.0?)),
            Kind::Closure => Body::Closure(self.closed.0?),
            Kind::Atomic => Body::Part(Part::Atomic(self.script.0?)),
            Kind::InFlight => {
                let proof = InFlight { script: self.script.0?, k: self.k.0?, states: self.states.0? };
                Body::Part(Part::Strict(StrictProof::InFlight(proof)))
            }
            Kind::Points => {
                let proof = Points { script: self.script.0?, places: self.places.0?, proof: self.proof.0? };
                Body::Part(Part::Strict(StrictProof::Points(proof)))
            }
            Kind::Same => Body::Part(Part::Same(Same { part: self.part.0?, globals: self.globals.0?, nodes: self.nodes.0? })),
            Kind::Flow => {
                let proof = FlowProof { script: self.script.0?, phases: self.phases.0?, facts: self.facts.0?, tree: self.tree.0? };
                Body::Part(Part::Flow(Box::new(proof)))
            }
            Kind::Invariant => {
                let (script, clauses, kept) = (self.script.0?, self.clauses.0?, self.kept.0?);
                let proof = InvariantProof { script, clauses, kept, sets: self.sets.0?, ends: self.ends.0? };
                Body::Part(Part::Invariant(Box::new(proof)))
            }
            Kind::Cases => Body::Part(Part::Cases(Box::new(CasesProof {
                script: self.script.0?,
                sets: self.sets.0?,
                cases: self.cases.0?.get().to_owned(),
            }))),
            Kind::Letters => {
                let (script, facts, levels, classes) = (self.script.0?, self.known.0?, self.levels.0?, self.classes.0?);
                let (groups, regions, tree) = (self.groups.0, self.regions.0?, self.tree.0?);
                let proof = LettersProof { script, facts, levels, groups, classes, regions, tree };
                Body::Part(Part::Letters(Box::new(proof)))
            }
        })
    }
}

read_object!(Part);
read_object!(Certificate);

impl Part {
    fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let fields = Fields::deserialize(deserializer)?;
        if fields.format.0.is_some() || fields.version.0.is_some() || fields.input.0.is_some() || fields.claim.0.is_some() {
            return Err(D::Error::custom("a part has no `format`, `version`, `input` or `claim` of its own"));
        }
        match fields.body()? {
            Body::Part(part) => Ok(part),
            _ => Err(D::Error::custom(
                "a component is proved by a proof of kind `atomic`, `flow`, `invariant`, `letters`, `cases`, `same`, `in-flight` \
                 or `points`, or of kind `components` with `touches`",
            )),
        }
    }

    /// The fields of its kind.
    fn to_json(&self) -> String {
        match self {
            Self::Atomic(script) => format!("\"script\":{}", lines(script)),
            Self::Flow(proof) => {
                let FlowProof { script, phases, facts, tree } = &**proof;
                let (script, phases, facts, tree) = (lines(script), line(phases), lines(facts), lines(&tree.nodes));
                format!("\"script\":{script},\"phases\":{phases},\"facts\":{facts},\"tree\":{tree}")
            }
            Self::Invariant(proof) => {
                let InvariantProof { script, clauses, kept, sets, ends } = &**proof;
                let (script, clauses, kept) = (lines(script), lines(clauses), lines(kept));
                let (sets, ends) = (lines(sets), lines(ends));
                format!("\"script\":{script},\"clauses\":{clauses},\"kept\":{kept},\"sets\":{sets},\"ends\":{ends}")
            }
            Self::Letters(proof) => {
                let LettersProof { script, facts, levels, groups, classes, regions, tree } = &**proof;
                let (script, known, levels) = (lines(script), lines(facts), lines(levels));
                let groups = groups.as_ref().map_or(String::new(), |Groups { visits, each }| {
                    format!("\"groups\":{{\"visits\":{},\"each\":{}}},", lines(visits), lines(each))
                });
                let (classes, regions, tree) = (lines(classes), lines(regions), lines(&tree.nodes));
                format!(
                    "\"script\":{script},\"known\":{known},\"levels\":{levels},{groups}\"classes\":{classes},\"regions\":{regions},\"tree\":{tree}"
                )
            }
            Self::Cases(proof) => {
                format!("\"script\":{},\"sets\":{},\"cases\":{}", lines(&proof.script), lines(&proof.sets), proof.cases)
            }
            Self::Same(Same { part, globals, nodes }) => {
                format!("\"part\":{part},\"globals\":{},\"nodes\":{}", line(globals), line(nodes))
            }
            Self::Shared(proof) => format!("\"touches\":{},{}", lines(&proof.touches), parts_to_json(&proof.parts)),
            Self::Strict(StrictProof::InFlight(InFlight { script, k, states })) => {
                format!("\"script\":{},\"k\":{k},\"states\":{}", lines(script), lines(states))
            }
            Self::Strict(StrictProof::Points(Points { script, places, proof })) => {
                let proof = format!("{{\"kind\":{},{}}}", line(&proof.kind()), proof.to_json());
                format!("\"script\":{},\"places\":{},\"proof\":{proof}", lines(script), line(places))
            }
        }
    }
}

/// The field with proofs, one for each component or part.
fn parts_to_json(parts: &[Part]) -> String {
    let parts = parts.iter().map(|part| format!("{{\"kind\":{},{}}}", line(&part.kind()), part.to_json()));
    format!("\"parts\":{}", listed(parts))
}

impl Certificate {
    /// Reads a certificate. A byte order mark is skipped.
    ///
    /// Costs time and memory in proportion to the text; see
    /// [`Caps::admit_bytes`](crate::Caps::admit_bytes).
    pub fn from_json(text: &str) -> Result<Self, FormatError> {
        serval_evidence::read(text)
    }

    fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut fields = Fields::deserialize(deserializer)?;
        fields.format.0.take().ok_or_else(|| D::Error::missing_field("format"))?;
        fields.version.0.take().ok_or_else(|| D::Error::missing_field("version"))?;
        let input = fields.input.0.take().ok_or_else(|| D::Error::missing_field("input"))?;
        let claim = fields.claim.0.ok_or_else(|| D::Error::missing_field("claim"))?;
        Ok(Self { input, component: fields.component.0.unwrap_or(0), claim, body: fields.body()? })
    }

    /// Writes a certificate: the same bytes for the same certificate, one
    /// event, entry, fact or node per line.
    pub fn to_json(&self) -> String {
        let fields = match &self.body {
            Body::Run(run) => {
                format!("\"component\":{},\"steps\":{},\"completed\":{}", self.component, lines(&run.steps), lines(&run.completed))
            }
            Body::Fault(fault) => {
                format!("\"component\":{},\"steps\":{},\"fails\":{}", self.component, lines(&fault.steps), line(&fault.fails))
            }
            Body::Part(part) => part.to_json(),
            Body::Components(parts) => parts_to_json(parts),
            Body::Reduction(reduction) => format!("\"reduction\":{}", line(&**reduction)),
            Body::Closure(parts) => format!("\"closed\":{}", lines(parts)),
        };
        let (input, kind, claim) = (line(&self.input), line(&self.body.kind()), line(&self.claim));
        format!("{{\"format\":\"{FORMAT}\",\"version\":{VERSION},\"input\":{input},\"kind\":{kind},\"claim\":{claim},{fields}}}\n")
    }
}
