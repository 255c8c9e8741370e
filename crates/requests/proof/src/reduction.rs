//! The data of a proof on the control graph of a program (kind `reduction`).
//!
//! Such a proof speaks of *points*, at which requests of the program wait, and of the *paths* between them, which are
//! found by executing the control graph symbolically. This crate knows network systems alone, so it holds the data; the
//! crate `serval-lipton-proof` executes the paths, states what each part means, proves the theorem and checks the
//! conditions.
//!
//! Numbers of points are those that the symbolic execution gives, in the order in which it finds them; point 0 is the
//! end of all requests. Globals are numbered as in the program, registers and nodes as in its control graph. A set of
//! points is a list of runs, each from its first to its last number.

use serde::{Deserialize, Serialize};
use serval_evidence::objects;

/// A run of points: its first and its last.
pub type PointRange = (u32, u32);

/// A proof by reduction: what holds at every moment, and which points are after the commit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, remote = "Self")]
pub struct Reduction {
    /// Request bodies, ascending, that stand for all, because others do the same with other variables. Without any it
    /// is about all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bodies: Vec<u32>,
    /// Whether it is about the program with an integer for each version, which has at least the same runs and the same
    /// serial ones. A program without versions is the same either way.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub integers: bool,
    /// Whether it is about the program whose requests choose when they begin, where they choose among many values,
    /// which has the same complete runs. A program without such choices is the same either way.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub choices: bool,
    /// Nodes of the control graph in front of which a `yield` is added.
    pub yields: Vec<u32>,
    /// Locks that requests take in order to add something, and need not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub additions: Vec<LockedAddition>,
    /// Tests that may be left out, as what comes after tests again: from which point, to which, and the global.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub late: Vec<(u32, u32, u32)>,
    /// Reads of optimistic retries that are tested before they count.
    pub validated: Vec<Validated>,
    /// Attempts that read in several steps and test all versions before anything counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attempts: Vec<ValidatedAttempt>,
    /// Between which numbers globals stay.
    pub ranges: Vec<(u32, i64, i64)>,
    /// Globals without bounds that change by little at a time, so that no run of a lifetime leaves 64 bits.
    pub slow: Vec<u32>,
    /// Registers, and the points at which they hold what changes as slowly.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub slow_locals: Vec<(u32, Vec<PointRange>)>,
    /// Values that say that exactly one request is at certain points.
    pub owners: Vec<Owner>,
    /// Globals that count requests.
    pub counts: Vec<Count>,
    /// Sums of globals that never change.
    pub sums: Vec<Sum>,
    /// Groups of points of which never both are occupied.
    pub exclusions: Vec<(Group, Group)>,
    /// Values that a request at certain points must not meet if it is to end.
    pub dooms: Vec<Doom>,
    /// Points at which no request ever is.
    pub nowhere: Vec<PointRange>,
    /// Between which numbers registers are at points.
    pub locals: Vec<Bounds>,
    /// Between which numbers globals are while a request is at a point.
    pub known: Vec<Bounds>,
    /// Locks with tickets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tickets: Vec<Ticket>,
    /// The points after the commit; 0, the end, need not be among them.
    pub post: Vec<PointRange>,
}

/// A lock that requests hold at `points` in order to add to globals what registers say.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, remote = "Self")]
pub struct LockedAddition {
    /// The global that is the lock.
    pub lock: u32,
    /// The points at which a request holds it.
    pub held: Vec<PointRange>,
    /// Those among them at which it does so in order to add.
    pub points: Vec<PointRange>,
    /// Registers with what a global is to become, and the global.
    pub sums: Vec<(u32, u32)>,
}

/// Reads between the points `head` and `wait` that every path from `wait` either tests or forgets.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, remote = "Self")]
pub struct Validated {
    /// Where the attempt begins and where it begins again.
    pub head: u32,
    /// Where it waits with what it has read.
    pub wait: u32,
    /// The global that is tested.
    pub global: u32,
    /// The register with its value.
    pub register: u32,
    /// Other globals, and the registers with their values.
    pub reads: Vec<(u32, u32)>,
}

/// Reads along several points, which every path from the last one either tests by all versions or forgets.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, remote = "Self")]
pub struct ValidatedAttempt {
    /// From where the attempt begins and begins again to where it waits with what it has read.
    pub points: Vec<u32>,
    /// For each version the step in which it is read, the global, and the register with its value.
    pub versions: Vec<(u32, u32, u32)>,
    /// For each other read the position of the version that guards it, and the same.
    pub reads: Vec<(u32, u32, u32, u32)>,
}

/// `global = value` exactly if one request is at one of `points`, and else no request is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, remote = "Self")]
pub struct Owner {
    /// The global.
    pub global: u32,
    /// Its value.
    pub value: i64,
    /// The points.
    pub points: Vec<PointRange>,
}

/// `global` is its initial value and, for each request, the weight of the point where that is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, remote = "Self")]
pub struct Count {
    /// The global.
    pub global: u32,
    /// Runs of points, with their weight; 0 elsewhere.
    pub weights: Vec<(u32, u32, i64)>,
}

/// Globals, each times its factor, and what counts for globals that have certain values, add up to the same at every
/// moment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, remote = "Self")]
pub struct Sum {
    /// Globals and their factors.
    pub globals: Vec<(u32, i64)>,
    /// Globals, values, and what is added while the global has the value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<(u32, i64, i64)>,
}

/// Points that an owner or a count speaks of, by its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Group {
    /// The points of [`Reduction::owners`] at this position.
    Owner(u32),
    /// Those with a weight in [`Reduction::counts`] at this position.
    Count(u32),
}

/// While `global = value` no request that is at one of `points` can come to its end.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, remote = "Self")]
pub struct Doom {
    /// The global.
    pub global: u32,
    /// Its value.
    pub value: i64,
    /// The points.
    pub points: Vec<PointRange>,
}

/// Requests draw numbers from `next`, and `called` says whose turn it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, remote = "Self")]
pub struct Ticket {
    /// The global with the next number.
    pub next: u32,
    /// The global with the number that is called.
    pub called: u32,
    /// Points, and the register with the ticket of a request there.
    pub holders: Vec<(u32, u32)>,
    /// The points of requests whose ticket is called.
    pub inside: Vec<PointRange>,
}

/// A variable lies between two numbers while a request is at one of some points.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, remote = "Self")]
pub struct Bounds {
    /// The register or global.
    pub variable: u32,
    /// The least value.
    pub low: i64,
    /// The greatest value.
    pub high: i64,
    /// The points.
    pub points: Vec<PointRange>,
}

objects!(Reduction, LockedAddition, Validated, ValidatedAttempt, Owner, Count, Sum, Doom, Ticket, Bounds);

impl Reduction {
    /// Whether some request bodies stand for all.
    pub fn stands_for_others(&self) -> bool {
        !self.bodies.is_empty()
    }

    /// Whether it speaks of runs in which unbounded integers do not leave 64 bits.
    pub fn unbounded(&self) -> bool {
        !self.slow.is_empty()
    }
}
