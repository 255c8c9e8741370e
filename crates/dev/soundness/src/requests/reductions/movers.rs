//! A second reading of the conditions on movers, for counting and for drawing
//! entries; written from the statement and sharing no code with the checker.

use serval_model::{Node, NodeStep, NormalForm, Point};
use serval_proof::script::{Entry, Mover, Reduced, Side, Witness};

/// What the exchanges of a mover need.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// Exchanges in all.
    pub exchanges: u64,
    /// Accepted only by the weaker last condition.
    pub weak: u64,
    /// With listed paths.
    pub witnesses: u64,
    /// Of these: with a path of several steps.
    pub longer: u64,
}

/// The parts of the weaker last condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MoverCondition {
    /// The other step ends (left: begins) in the set.
    Other,
    /// The request that is passed is in the set there.
    Own,
    /// The own path is a single step.
    Single,
    /// No step stays at the node of the other there.
    Leaves,
}

impl MoverCondition {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Other, Self::Own, Self::Single, Self::Leaves];

    /// The name of the checker's condition.
    pub fn condition(self) -> &'static str {
        match self {
            Self::Other => "mover.last.other",
            Self::Own => "mover.last.own",
            Self::Single => "mover.last.single",
            Self::Leaves => "mover.last.leaves",
        }
    }
}

/// The mover of an entry, if it is one.
pub fn mover_of(entry: &Entry) -> Option<(Side, &Mover)> {
    match entry {
        Entry::Right(mover) => Some((Side::Right, mover)),
        Entry::Left(mover) => Some((Side::Left, mover)),
        _ => None,
    }
}

/// Counts what the exchanges of a mover need.
pub fn needs(reduced: &Reduced, side: Side, mover: &Mover) -> Needs {
    let form = reduced.form();
    let set: Vec<Point> = mover.set_in_order();
    let mut needs = Needs::default();
    for (index, &own) in (0_u32..).zip(form.steps()) {
        for (other_index, &other) in (0_u32..).zip(form.steps()) {
            let Some(ends) = Ends::new(reduced, side, own, other, &set) else { continue };
            needs.exchanges += 1;
            let listed = mover.witnesses.iter().find(|w| (w.step, w.other) == (index, other_index));
            let strong = match listed {
                Some(witness) => {
                    needs.witnesses += 1;
                    needs.longer += u64::from(witness.own_path.len() > 1 || witness.other_path.len() > 1);
                    let middle = ends.middle(&witness.other_path, &witness.own_path);
                    witness.other_path.is_empty() || !set.contains(&ends.next_to_own(middle))
                }
                None => (0..form.global_count()).any(|middle| {
                    let (from, to) = ends.own_ends(middle);
                    let (other_from, other_to) = ends.other_ends(middle);
                    let empty = other_from == other_to;
                    form.has_step(from, to) && (empty || form.has_step(other_from, other_to) && !set.contains(&ends.next_to_own(middle)))
                }),
            };
            needs.weak += u64::from(!strong);
        }
    }
    needs
}

/// The points of a mover, sorted.
trait InOrder {
    fn set_in_order(&self) -> Vec<Point>;
}

impl InOrder for Mover {
    fn set_in_order(&self) -> Vec<Point> {
        let mut points: Vec<Point> = self.points.iter().flat_map(|(node, at)| at.iter().map(|&global| (*node, global))).collect();
        points.sort_unstable();
        points.dedup();
        points
    }
}

/// Two steps that have to be exchanged.
struct Ends {
    side: Side,
    own: (Node, Node),
    other: (Node, Node),
    before: u32,
    after: u32,
}

impl Ends {
    fn new(reduced: &Reduced, side: Side, own: NodeStep, other: NodeStep, set: &[Point]) -> Option<Self> {
        let (near, first, second) = match side {
            Side::Right => (own.target(), own, other),
            Side::Left => (own.source(), other, own),
        };
        let follows = set.binary_search(&near).is_ok() && first.to_global == second.global;
        let together = |a, b, global| reduced.pairs().is_none_or(|pairs| pairs.contains(a, b, global));
        let possible = follows
            && together(first.node, second.node, first.global)
            && together(first.to_node, second.node, second.global)
            && together(first.to_node, second.to_node, second.to_global);
        let (own, other) = ((own.node, own.to_node), (other.node, other.to_node));
        possible.then_some(Self { side, own, other, before: first.global, after: second.to_global })
    }

    fn own_ends(&self, middle: u32) -> (Point, Point) {
        match self.side {
            Side::Right => ((self.own.0, middle), (self.own.1, self.after)),
            Side::Left => ((self.own.0, self.before), (self.own.1, middle)),
        }
    }

    fn other_ends(&self, middle: u32) -> (Point, Point) {
        match self.side {
            Side::Right => ((self.other.0, self.before), (self.other.1, middle)),
            Side::Left => ((self.other.0, middle), (self.other.1, self.after)),
        }
    }

    fn next_to_own(&self, middle: u32) -> Point {
        match self.side {
            Side::Right => (self.other.1, middle),
            Side::Left => (self.other.0, middle),
        }
    }

    /// The parts of the weaker last condition that do not hold; none where the
    /// condition is not needed.
    fn missing(&self, form: &NormalForm, set: &[Point], middle: u32, empty: bool, single: bool) -> Vec<MoverCondition> {
        if empty || !set.contains(&self.next_to_own(middle)) {
            return Vec::new();
        }
        let (other, own, global) = match self.side {
            Side::Right => (self.other.1, self.own.1, self.after),
            Side::Left => (self.other.0, self.own.0, self.before),
        };
        let end = |step: &NodeStep| if self.side == Side::Right { step.source() } else { step.target() };
        let stays = form.steps().iter().any(|step| step.node == other && step.to_node == other && end(step) == (other, global));
        let holds = [set.contains(&(other, global)), set.contains(&(own, global)), single, !stays];
        MoverCondition::ALL.into_iter().zip(holds).filter(|&(_, holds)| !holds).map(|(part, _)| part).collect()
    }

    fn middle(&self, other_path: &[Point], own_path: &[Point]) -> u32 {
        let path = if self.side == Side::Right { other_path } else { own_path };
        path.last().map_or(self.before, |point| point.1)
    }
}

/// Which paths to prefer where there are several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taste {
    /// Those that only the weaker last condition allows.
    pub weak: bool,
    /// Those that pass through the set, which is not allowed at all.
    pub through: bool,
}

/// Paths for all exchanges of a set that have some: for each global state in
/// which the two paths could meet, the shortest ones. What is missing the
/// checker will miss, and what is not allowed it will refuse.
pub fn draw_witnesses(reduced: &Reduced, side: Side, set: &[Point], taste: Taste) -> Vec<Witness> {
    let form = reduced.form();
    let mut witnesses = Vec::new();
    for (step, &own) in (0_u32..).zip(form.steps()) {
        for (other, &other_step) in (0_u32..).zip(form.steps()) {
            let Some(ends) = Ends::new(reduced, side, own, other_step, set) else { continue };
            let found = (0..form.global_count()).filter_map(|middle| {
                let (from, to) = ends.own_ends(middle);
                let own_path = path(form, from, to, |point| !taste.through && set.contains(&point), true)?;
                let (from, to) = ends.other_ends(middle);
                let other_path = path(form, from, to, |_| false, false)?;
                let in_set = !other_path.is_empty() && set.contains(&ends.next_to_own(middle));
                let through = own_path.iter().rev().skip(1).any(|point| set.contains(point));
                let untasty = u8::from(in_set != taste.weak) + u8::from(through != taste.through);
                Some((untasty, own_path.len() + other_path.len(), Witness { step, other, other_path, own_path }))
            });
            witnesses.extend(found.min_by_key(|found| (found.0, found.1)).map(|found| found.2));
        }
    }
    witnesses
}

/// Paths for all exchanges of a set that meet all conditions, but for one part of
/// the last one; and the exchanges for which there are none.
pub fn find_witnesses(
    reduced: &Reduced,
    side: Side,
    set: &[Point],
    without: Option<MoverCondition>,
) -> (Vec<Witness>, Vec<(NodeStep, NodeStep)>) {
    let form = reduced.form();
    let (mut witnesses, mut missing) = (Vec::new(), Vec::new());
    for (step, &own) in (0_u32..).zip(form.steps()) {
        for (other, &other_step) in (0_u32..).zip(form.steps()) {
            let Some(ends) = Ends::new(reduced, side, own, other_step, set) else { continue };
            let found = (0..form.global_count()).find_map(|middle| {
                let (from, to) = ends.own_ends(middle);
                let own_path = path(form, from, to, |point| set.contains(&point), true)?;
                let (from, to) = ends.other_ends(middle);
                let other_path = path(form, from, to, |_| false, false)?;
                let parts = ends.missing(form, set, middle, other_path.is_empty(), own_path.len() == 1);
                parts.iter().all(|&part| Some(part) == without).then_some(Witness { step, other, other_path, own_path })
            });
            match found {
                Some(witness) => witnesses.push(witness),
                None => missing.push((own, other_step)),
            }
        }
    }
    (witnesses, missing)
}

/// A shortest path whose inner points are not blocked: the points after the
/// first. With a step at least, if `moves`.
fn path(form: &NormalForm, from: Point, to: Point, blocked: impl Fn(Point) -> bool, moves: bool) -> Option<Vec<Point>> {
    if from == to && !moves {
        return Some(Vec::new());
    }
    let mut ways: Vec<Vec<Point>> = vec![Vec::new()];
    let mut seen: Vec<Point> = Vec::new();
    let mut next = 0;
    while next < ways.len() {
        let at = ways[next].last().copied().unwrap_or(from);
        for step in form.steps_from(at) {
            let target = step.target();
            if seen.contains(&target) {
                continue;
            }
            seen.push(target);
            let mut way = ways[next].clone();
            way.push(target);
            if target == to {
                return Some(way);
            }
            if !blocked(target) {
                ways.push(way);
            }
        }
        next += 1;
    }
    None
}
