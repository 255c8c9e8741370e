//! What a certificate is, whatever its kind.

use serde::{Deserialize, Serialize};

use crate::RunCertificate;
use crate::cases::CasesProof;
use crate::closure::ClosedPart;
use crate::fault::FaultCertificate;
use crate::flow::FlowProof;
use crate::invariant::InvariantProof;
use crate::letters::LettersProof;
use crate::reduction::Reduction;
use crate::same::Same;
use crate::script::Entry;
use crate::strict::in_flight::InFlight;

/// Evidence for a verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// The [`fingerprint`](crate::fingerprint()) of the input's text.
    pub input: String,
    /// The component of the input that it is about, from 0; 0 if it is about all.
    pub component: usize,
    /// What it claims.
    pub claim: Claim,
    /// The evidence.
    pub body: Body,
}

/// The evidence, by kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    /// A run whose answers no serial run gives.
    Run(RunCertificate),
    /// A run after which a step of the program fails.
    Fault(Box<FaultCertificate>),
    /// A proof that the only component of the input is serializable.
    Part(Part),
    /// A proof for each component, in order.
    Components(Vec<Part>),
    /// A proof on the control graph of a program, for all components at once.
    Reduction(Box<Reduction>),
    /// For each component the states that can occur together.
    Closure(Vec<ClosedPart>),
}

/// A proof that one component is serializable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Reductions that leave a system in which each request is one step.
    Atomic(Vec<Entry>),
    /// No counts of steps give answers that are not serial.
    Flow(Box<FlowProof>),
    /// What holds at every moment leaves no answers that are not serial.
    Invariant(Box<InvariantProof>),
    /// What holds for numbers of answers leaves none that are not serial.
    Letters(Box<LettersProof>),
    /// No case of answers that are not serial can be reached on a net.
    Cases(Box<CasesProof>),
    /// It does what an earlier component does, which has a proof of another kind.
    Same(Same),
    /// Parts of it, which only few letters join, have proofs.
    Shared(Box<SharedProof>),
    /// It is strict, which is more than serializable.
    Strict(StrictProof),
}

/// A proof for each part of a component of which the parts have few letters in common.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SharedProof {
    /// For each request, by its number, the parts that it touches, ascending.
    pub touches: Vec<Vec<u32>>,
    /// A proof for each part.
    pub parts: Vec<Part>,
}

/// A proof that one component is strict, of a kind that shows more than serializability.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StrictProof {
    /// All that can be, as there are never more than some number of requests in flight.
    InFlight(InFlight),
    /// Each request has its place at one of its steps.
    Points(Points),
}

/// At which steps requests take their places in the order, and a proof for the product.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Points {
    /// Reductions, before anything is said.
    pub script: Vec<Entry>,
    /// The numbers of the steps that are places, sorted.
    pub places: Vec<u32>,
    /// That the product is serializable.
    pub proof: Box<Part>,
}

/// What a certificate claims about the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Claim {
    /// Every interleaved run has the answers of some serial run.
    Serializable,
    /// Some interleaved run has answers that no serial run has.
    NotSerializable,
    /// In some run a step of the program divides by zero, overflows, or leaves a range or the
    /// indices of an array, or breaks an assertion.
    Fault,
    /// Every interleaved run has the requests of some serial run in an order that extends the one in time.
    Strict,
    /// Some interleaved run has not.
    NotStrict,
    /// In no run a step of the program does.
    Safe,
}

/// The kinds of certificates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// [`Body::Run`].
    Run,
    /// [`Body::Fault`].
    Fault,
    /// [`Part::Atomic`].
    Atomic,
    /// [`Part::Flow`].
    Flow,
    /// [`Part::Invariant`].
    Invariant,
    /// [`Part::Letters`].
    Letters,
    /// [`Part::Cases`].
    Cases,
    /// [`Part::Same`].
    Same,
    /// [`Body::Components`] and [`Part::Shared`].
    Components,
    /// [`Body::Reduction`].
    Reduction,
    /// [`Part::Strict`], by all that can be with few requests in flight.
    InFlight,
    /// [`Part::Strict`], by the places of requests in the order.
    Points,
    /// [`Body::Closure`].
    Closure,
}

impl Body {
    /// The kind of the evidence.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Run(_) => Kind::Run,
            Self::Fault(_) => Kind::Fault,
            Self::Part(part) => part.kind(),
            Self::Components(_) => Kind::Components,
            Self::Reduction(_) => Kind::Reduction,
            Self::Closure(_) => Kind::Closure,
        }
    }
}

impl Part {
    /// The kind of the evidence.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Atomic(_) => Kind::Atomic,
            Self::Flow(_) => Kind::Flow,
            Self::Invariant(_) => Kind::Invariant,
            Self::Letters(_) => Kind::Letters,
            Self::Cases(_) => Kind::Cases,
            Self::Same(_) => Kind::Same,
            Self::Shared(_) => Kind::Components,
            Self::Strict(StrictProof::InFlight(_)) => Kind::InFlight,
            Self::Strict(StrictProof::Points(_)) => Kind::Points,
        }
    }
}

impl Claim {
    /// The name, as in the file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Serializable => "serializable",
            Self::NotSerializable => "not-serializable",
            Self::Fault => "fault",
            Self::Strict => "strict",
            Self::NotStrict => "not-strict",
            Self::Safe => "safe",
        }
    }
}

impl Kind {
    /// The name, as in the file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Fault => "fault",
            Self::Atomic => "atomic",
            Self::Flow => "flow",
            Self::Invariant => "invariant",
            Self::Letters => "letters",
            Self::Cases => "cases",
            Self::Same => "same",
            Self::Components => "components",
            Self::Reduction => "reduction",
            Self::InFlight => "in-flight",
            Self::Points => "points",
            Self::Closure => "closure",
        }
    }
}
