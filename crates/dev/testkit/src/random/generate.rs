//! Requests, names and initial values.

use super::Shape;
use super::rng::SplitMix64;
use crate::naive::term::{self, Source, Term};

/// How large and how wild the programs of a shape are.
pub(super) struct Profile {
    /// At most this many requests.
    requests: usize,
    /// Statements of a body.
    statements: (i64, i64),
    /// Nesting of statements.
    pub(super) nesting: usize,
    /// Nesting of expressions.
    pub(super) depth: usize,
    /// `yield`s in the text of a body.
    yields: usize,
    /// Percent of leaves of expressions that are `yield` while any is left.
    pub(super) yield_leaves: usize,
    /// Weights of plain statements, handler idioms, and loops.
    pub(super) weights: [usize; 3],
}

fn profile(shape: Shape) -> Profile {
    match shape {
        Shape::Tiny => Profile { requests: 2, statements: (1, 3), nesting: 1, depth: 1, yields: 2, yield_leaves: 4, weights: [60, 30, 10] },
        Shape::HandlerLike => {
            Profile { requests: 3, statements: (2, 4), nesting: 2, depth: 1, yields: 3, yield_leaves: 1, weights: [35, 55, 10] }
        }
        Shape::ExpressionHeavy => {
            Profile { requests: 3, statements: (2, 4), nesting: 1, depth: 3, yields: 4, yield_leaves: 18, weights: [88, 7, 5] }
        }
        Shape::Edges => {
            Profile { requests: 3, statements: (1, 3), nesting: 1, depth: 1, yields: 3, yield_leaves: 12, weights: [80, 0, 20] }
        }
        Shape::Looping => {
            Profile { requests: 2, statements: (1, 3), nesting: 2, depth: 1, yields: 3, yield_leaves: 5, weights: [35, 20, 45] }
        }
    }
}

/// The state of making one program.
pub(super) struct Maker {
    pub(super) rng: SplitMix64,
    pub(super) profile: Profile,
    /// The globals that the request being made may use.
    pub(super) globals: Vec<&'static str>,
    pub(super) locals: Vec<&'static str>,
    /// Stored values are reduced modulo this.
    pub(super) modulus: i64,
    /// Whether a variable may grow without bound.
    pub(super) grows: bool,
    /// Whether a divisor may be 0.
    pub(super) risky: bool,
    /// Whether numbers may be near the ends of 64 bits.
    pub(super) edges: bool,
    pub(super) yields_left: usize,
    /// Counter loops around the current place; their counters are `i`, `j`.
    pub(super) counters: usize,
}

pub(super) fn source(seed: u64, shape: Shape) -> Source {
    // Shapes of one seed should not resemble each other.
    let mut rng = SplitMix64::new(seed ^ ((shape as u64 + 1) << 56));
    let profile = profile(shape);
    let request_count = 1 + rng.below(profile.requests);
    let mut all_globals = ["X", "Y", "Flag", "Lock", "A", "B_2"].to_vec();
    let start = rng.below(all_globals.len());
    all_globals.rotate_left(start);
    all_globals.truncate(if rng.chance(40) { 1 } else { 1 + rng.below(3) });
    // Words that later versions of the language gave a meaning are variables
    // in the published one.
    let names = if rng.chance(90) { ["x", "y", "tmp"] } else { ["lock", "await", "choose"] };
    let locals = names[..1 + rng.below(3)].to_vec();

    let modulus = if rng.chance(70) { 2 } else { 3 };
    let (grows, risky) = (rng.chance(3), rng.chance(5));
    let apart = all_globals.len() >= request_count && request_count > 1 && rng.chance(20);
    let same_name = request_count > 1 && rng.chance(15);

    let mut maker = Maker {
        rng,
        profile,
        globals: Vec::new(),
        locals,
        modulus,
        grows,
        risky,
        edges: shape == Shape::Edges,
        yields_left: 0,
        counters: 0,
    };
    let names = ["get", "put", "move_2", "a", "B"];
    let first_name = maker.rng.below(names.len());
    let mut requests = Vec::new();
    for index in 0..request_count {
        maker.globals = if apart { all_globals.iter().skip(index).step_by(request_count).copied().collect() } else { all_globals.clone() };
        maker.yields_left = 1 + maker.rng.below(maker.profile.yields);
        let body = maker.body();
        let name = names[(first_name + if same_name && index < 2 { 0 } else { index }) % names.len()];
        requests.push((name.to_owned(), body));
    }
    let plain_start = maker.rng.chance(60);
    if request_count == 1 && plain_start && !maker.edges && maker.rng.chance(50) {
        "request".clone_into(&mut requests[0].0);
    }
    let mut globals = std::collections::BTreeMap::new();
    for name in requests.iter().flat_map(|(_, body)| body.globals()) {
        let initial = match maker.edges && maker.rng.chance(70) {
            true => maker.edge(),
            false if plain_start => 0,
            false => maker.rng.between(-1, 2),
        };
        globals.entry(name).or_insert(initial);
    }
    Source { globals, requests }
}

impl Maker {
    fn body(&mut self) -> Term {
        let (low, high) = self.profile.statements;
        let mut parts = Vec::new();
        for _ in 0..self.rng.between(low, high) {
            parts.push(self.statement(self.profile.nesting));
        }
        // Mostly the answer says something about what was seen.
        match self.rng.below(10) {
            0..5 => parts.push(self.expression(self.profile.depth.min(2))),
            5..8 => parts.push(self.variable()),
            8 => parts.push(self.yields()),
            _ => {}
        }
        if self.yields_left > 0 && self.rng.chance(60) && parts.len() > 1 {
            let place = 1 + self.rng.below(parts.len() - 1);
            let pause = self.yields();
            parts.insert(place, pause);
        }
        term::block(parts)
    }

    /// `yield` while there is one left, else a leaf of another kind.
    pub(super) fn yields(&mut self) -> Term {
        if self.yields_left == 0 {
            return self.variable();
        }
        self.yields_left -= 1;
        term::yields()
    }
}
