//! What a reduction says, by places of the text.

use serval_budget::Budget;
use serval_compile::Prepared;
use serval_proof::{Reduction, Refusal};
use serval_syntax::{GlobalVar, Span};

/// What a reduction says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words {
    /// The points, by number; the first is the end of all requests.
    pub points: Vec<PointWords>,
    /// The steps in which requests commit.
    pub commits: Vec<Commit>,
    /// Where requests own a value of a variable.
    pub sections: Vec<Section>,
    /// Which variables count requests.
    pub counters: Vec<Counter>,
    /// Pairs of sections or counters of which never both are occupied, in words such as `LOCK = 1`.
    pub exclusions: Vec<(String, String)>,
    /// Between which numbers variables stay, where that was proved.
    pub ranges: Vec<(GlobalVar, i64, i64)>,
    /// Whether it is about runs in which unbounded integers do not leave 64 bits.
    pub unbounded: bool,
}

/// A place where requests wait.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PointWords {
    /// The request bodies that come here, indices into the requests of the program.
    pub bodies: Vec<usize>,
    /// Where the request goes on from here.
    pub span: Span,
    /// Whether the request has committed.
    pub post: bool,
    /// Whether it is where a request begins.
    pub entry: bool,
}

/// A step in which a request commits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// The request body.
    pub body: usize,
    /// The text that the step runs.
    pub span: Span,
    /// The accesses to shared variables on the way, in order.
    pub accesses: Vec<Span>,
}

/// `global = value` exactly while one request is at one of these points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The global.
    pub global: GlobalVar,
    /// Its value.
    pub value: i64,
    /// The points, by number.
    pub points: Vec<u32>,
    /// Where requests come in: the writes.
    pub enters: Vec<Span>,
    /// Where they leave.
    pub leaves: Vec<Span>,
}

/// A variable that counts the requests at some points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counter {
    /// The global.
    pub global: GlobalVar,
    /// Points and their weights.
    pub weights: Vec<(u32, i64)>,
}

/// What a reduction says about a program, if its numbers mean something. It need not be true: see [`check`](crate::check()).
pub fn words<Stop>(prepared: &Prepared, reduction: &Reduction, budget: &mut Budget) -> Result<Words, Refusal<Stop>> {
    let _ = (prepared, reduction, budget);
    Ok(Words::default())
}
