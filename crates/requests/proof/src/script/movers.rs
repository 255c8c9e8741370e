//! Steps that need not be interrupted: `right` and `left`.
//!
//! These are the movers of Lipton (Reduction: a method of proving properties of
//! parallel programs, 1975), for complete runs: a step need not commute with
//! every other, but only with those that two requests of a complete run can make
//! next to each other, and by paths of both.
//!
//! # Right movers
//!
//! **Statement.** Let `S` be a set of points without points of done nodes
//! (`mover.ends`). For every step `τ: (l, g) → (l1, g1)` with `(l1, g1) ∈ S` and every
//! step `σ: (m, g1) → (m1, g2)` of another request, such that the pairs `{l, m}@g`,
//! `{l1, m}@g1` and `{l1, m1}@g2` are possible, let there be a global state `h`, a
//! path `σ'` from `(m, g)` to `(m1, h)` and a path `τ'` of at least one step from `(l, h)`
//! to `(l1, g2)` (`mover.paths`), the inner points of `τ'` not in `S` (`mover.inner`),
//! and `σ'` empty or `(m1, h) ∉ S`, or else what is said below. Then replace the
//! steps that land in `S` by their compositions with what follows, until outside
//! `S`, and keep all other steps.
//!
//! *Proof.* Composites are paths, so the new system does nothing new, and
//! serial runs of it are serial runs of the old. Conversely, take a complete
//! run of the old system. Call a landing in `S` *interrupted* if the next step
//! in the run belongs to another request. Let `N` be the number of interrupted
//! landings. If `N = 0`, every landing in `S` is followed by the next step of its
//! request at once, and the run is one of the new system. This is so for
//! serial runs, hence `Ser` is kept. Otherwise take the last interrupted landing
//! `τ`, of request `i` at position `p`. Done nodes are not in `S` and the run is
//! complete, so `i` makes a further step; let `σ1 … σn` be the steps of others
//! before it. Exchange `τ` with `σ1`, then the last step of the `τ'` that results
//! with `σ2`, and so on, until all have been passed, or a `τ'` lands outside `S`.
//! Each exchange is possible, because what there is after each is a complete
//! run, whose pairs are possible. Nothing from `p` on is interrupted that was
//! not: `σ'` ends outside `S` or is empty, landings inside `σ'` are followed by
//! their own request, inner points of `τ'` are not in `S`, and if `τ'` ends in `S`, it
//! either is the landing that is exchanged next or is now followed by the next
//! step of `i`. If `σ'` is empty, the earlier landing of its request was
//! followed by `τ`, and so was already interrupted if it is in `S`. The only new
//! interruption can be that of `i`'s landing before `p`, if `i`'s step `p − 1` was
//! directly before `τ`. Then `N` is the same, but the last interrupted landing
//! is earlier; otherwise `N` is smaller. So the pair of `N` and the position of
//! the last interrupted landing falls lexicographically, and in the end `N = 0`. ∎
//!
//! **The weaker last condition.** `(m1, h) ∈ S` is allowed, too, if `(m1, g2) ∈ S`
//! (`mover.last.other`), `(l1, g2) ∈ S` (`mover.last.own`), `τ'` is a single step
//! (`mover.last.single`), and no step leads from `(m1, g2)` to node `m1` itself
//! (`mover.last.leaves`).
//!
//! *Proof.* Let an exchange of `τ` with `σ` use this. `σ` landed on `(m1, g2) ∈ S`
//! behind `p`, and `τ` is the last interrupted landing, so `σ` is not interrupted:
//! the next step is one of the same request, `σ+` from `(m1, g2)` to a node other
//! than `m1`, and as `(l1, g2) ∈ S`, `i`'s landing goes on to be exchanged with it.
//! As `τ'` is a single step, nothing lies between `(m1, h)` and the exchange of `τ'`
//! with `σ+`, which gives a path from `(m1, h)` that is not empty, as it changes
//! the node; so after it the landing of `σ'` on `(m1, h)` is followed by a step of
//! its own request, and is not interrupted. ∎
//!
//! (None of the four can be left out: for each there is a system whose complete
//! runs would all be lost. Two requests chase each other there: every exchange
//! leads to a run that again has an interrupted landing in `S`.)
//!
//! # Left movers
//!
//! The mirror image: departures from `S` are joined with what comes before.
//!
//! **Statement.** Let `S` be a set of points without points of initial nodes
//! (`mover.ends`). For every step `τ: (l1, g1) → (l2, g2)` with `(l1, g1) ∈ S` and every
//! step `σ: (m, g) → (m1, g1)` of another request, such that the pairs `{l1, m}@g`,
//! `{l1, m1}@g1` and `{l2, m1}@g2` are possible, let there be an `h`, a path `τ'` of
//! at least one step from `(l1, g)` to `(l2, h)` with inner points not in `S`, and a
//! path `σ'` from `(m, h)` to `(m1, g2)`, which is empty or `(m, h) ∉ S`; or else
//! `(m, g) ∈ S`, `(l1, g) ∈ S`, `τ'` is a single step, and no step from node `m` itself
//! lands on `(m, g)` (the same conditions, by the same names). Then leave out all steps from points of `S`, and to each
//! step that lands in `S` add its compositions with what follows there, as long
//! as it passes through `S`.
//!
//! *Proof.* Read runs backwards: requests go from done nodes to initial nodes,
//! and what was said about landings holds for departures. A request's first
//! step departs from an initial node, which is not in `S`, so every departure
//! from `S` has a step of its request before it. When no departure from `S` is
//! interrupted, each is directly behind the landing there, and the steps of a
//! request between two departures from outside `S` are one of the new steps,
//! whether or not the last of them lands in `S`. ∎
//!
//! # Which witnesses are given
//!
//! A certificate lists `h`, `σ'` and `τ'` only where single steps do not do: for
//! pairs `(τ, σ)` that are not listed, the checker tries `σ'` empty and every
//! single step for `σ'`, each with a single step for `τ'`.
//!
//! # The order in time
//!
//! It is kept (lemma 2 of [`crate::strict`]): an exchange of neighbours `τσ` puts `σ'` before `τ'`, and what has ended
//! before something else begins could be lost only if `τ` was the last step of its request, on the right, or the first,
//! on the left. It is not, because of `mover.ends`: it lands in the set, or departs from it, where no done and no
//! initial nodes are.

use std::collections::hash_map::Entry;

use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use serval_budget::{Budget, Stopped};
use serval_evidence::{objects, require};
use serval_model::{Node, NodeStep, NormalForm, Point};

use super::Reduced;
use super::rule::{Range, Rule};
use crate::{Checked, Work};

/// Which way steps are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Landings in the set are not interrupted.
    Right,
    /// Departures from the set are not interrupted.
    Left,
}

/// What an entry carries, for either side.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Mover {
    /// The set `S`: for each node the global states.
    pub points: Vec<(Node, Vec<u32>)>,
    /// Where single steps do not do.
    pub witnesses: Vec<Witness>,
}

objects!(Mover);

/// How two steps are exchanged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Written", into = "Written")]
pub struct Witness {
    /// The number of the step `τ` that lands in or departs from the set.
    pub step: u32,
    /// The number of the step `σ` of another request.
    pub other: u32,
    /// `σ'`: the points after its first. Empty for the empty path.
    pub other_path: Vec<Point>,
    /// `τ'`: the points after its first.
    pub own_path: Vec<Point>,
}

/// A witness in the file.
type Written = (u32, u32, Vec<Point>, Vec<Point>);

impl From<Written> for Witness {
    fn from((step, other, other_path, own_path): Written) -> Self {
        Self { step, other, other_path, own_path }
    }
}

impl From<Witness> for Written {
    fn from(Witness { step, other, other_path, own_path }: Witness) -> Self {
        (step, other, other_path, own_path)
    }
}

/// Points that are looked up.
pub type PointSet = FxHashSet<Point>;

impl Mover {
    /// The set `S`.
    pub fn set(&self) -> PointSet {
        self.points.iter().flat_map(|(node, globals)| globals.iter().map(move |&global| (*node, global))).collect()
    }
}

/// Two steps that may have to be exchanged, and what their exchange must look
/// like. For the left side everything is read forwards, too.
pub struct Exchange {
    side: Side,
    /// Where `τ'` must begin but for the global state, and end but for it.
    pub own: (Node, Node),
    /// Likewise for `σ'`.
    pub other: (Node, Node),
    /// The global state in which the first of the two paths begins.
    pub before: u32,
    /// The global state in which the second ends.
    pub after: u32,
}

impl Exchange {
    /// The exchange of `τ` with `σ`; `None` if the two cannot follow each other,
    /// or no two requests of a complete run can be where they are.
    pub fn new(reduced: &Reduced, side: Side, own: NodeStep, other: NodeStep) -> Option<Self> {
        let (first, second) = if side == Side::Right { (own, other) } else { (other, own) };
        let meets = first.to_global == second.global
            && reduced.may_meet(first.node, second.node, first.global)
            && reduced.may_meet(first.to_node, second.node, second.global)
            && reduced.may_meet(first.to_node, second.to_node, second.to_global);
        let (own, other) = ((own.node, own.to_node), (other.node, other.to_node));
        meets.then_some(Self { side, own, other, before: first.global, after: second.to_global })
    }

    /// Where `σ'` begins and ends, and where `τ'` does, if the two meet in `middle`.
    fn ends(&self, middle: u32) -> [(Point, Point); 2] {
        let first = |(from, to): (Node, Node)| ((from, self.before), (to, middle));
        let second = |(from, to): (Node, Node)| ((from, middle), (to, self.after));
        match self.side {
            Side::Right => [first(self.other), second(self.own)],
            Side::Left => [second(self.other), first(self.own)],
        }
    }

    /// The global states in which single steps (or an empty `σ'`) could meet.
    fn candidates(&self, form: &NormalForm) -> Vec<u32> {
        let (first, may_stay) = match self.side {
            Side::Right => (self.other, self.before),
            Side::Left => (self.own, self.after),
        };
        let stays = (self.other.0 == self.other.1).then_some(may_stay);
        let steps = form.steps_from((first.0, self.before)).iter().filter(|step| step.to_node == first.1);
        stays.into_iter().chain(steps.map(|step| step.to_global)).collect()
    }

    /// The points that the weaker last condition is about: `(m1, g2)` and `(l1, g2)`,
    /// or `(m, g)` and `(l1, g)`. `None` if it is not needed, because `σ'` is empty or
    /// the point of it next to `τ'` is not in `S`.
    fn weaker(&self, set: &PointSet, middle: u32, empty: bool) -> Option<(Point, Point)> {
        let (other, own, global) = match self.side {
            Side::Right => (self.other.1, self.own.1, self.after),
            Side::Left => (self.other.0, self.own.0, self.before),
        };
        (!empty && set.contains(&(other, middle))).then_some(((other, global), (own, global)))
    }

    /// Whether no step leads from a point to its own node; on the left, to it from
    /// there.
    fn leaves(&self, form: &NormalForm, at: Point) -> bool {
        !form.steps_of(at.0).iter().any(|&step| step.to_node == at.0 && far_end(self.side, step) == at)
    }

    /// Whether `σ'` is empty or the point of it next to `τ'` is not in `S`, or the
    /// weaker condition holds.
    fn last_condition(&self, form: &NormalForm, set: &PointSet, middle: u32, empty: bool, single: bool) -> bool {
        let holds = |(other, own)| single && set.contains(&other) && set.contains(&own) && self.leaves(form, other);
        self.weaker(set, middle, empty).is_none_or(holds)
    }

    /// Whether single steps do, or an empty `σ'` and a single step.
    pub fn is_simple(&self, form: &NormalForm, set: &PointSet) -> bool {
        self.candidates(form).into_iter().any(|middle| {
            let [(other_from, other_to), (from, to)] = self.ends(middle);
            let empty = other_from == other_to;
            let exists = form.has_step(from, to) && (empty || form.has_step(other_from, other_to));
            exists && self.last_condition(form, set, middle, empty, true)
        })
    }

    /// The global state in which the paths of a witness meet; `None` if they are
    /// not the paths that they should be.
    fn meeting(&self, form: &NormalForm, other_path: &[Point], own_path: &[Point]) -> Option<u32> {
        let last_global = |path: &[Point], otherwise: u32| path.last().map_or(otherwise, |&(_, global)| global);
        let middle = match self.side {
            Side::Right => last_global(other_path, self.before),
            Side::Left => last_global(own_path, self.before),
        };
        let [(other_from, other_to), (from, to)] = self.ends(middle);
        let follows = |from: Point, to: Point, path: &[Point]| {
            let mut at = from;
            path.iter().all(|&next| form.has_step(std::mem::replace(&mut at, next), next)) && at == to
        };
        (!own_path.is_empty() && follows(from, to, own_path) && follows(other_from, other_to, other_path)).then_some(middle)
    }

    /// Whether the inner points of `τ'` are not in `S`.
    fn inner_outside(set: &PointSet, own_path: &[Point]) -> bool {
        own_path.split_last().is_none_or(|(_, inner)| inner.iter().all(|point| !set.contains(point)))
    }

    /// Whether a witness meets all conditions.
    pub fn accepts(&self, form: &NormalForm, set: &PointSet, other_path: &[Point], own_path: &[Point]) -> bool {
        let last = |middle| self.last_condition(form, set, middle, other_path.is_empty(), own_path.len() == 1);
        Self::inner_outside(set, own_path) && self.meeting(form, other_path, own_path).is_some_and(last)
    }
}

/// The steps that could be `σ`: for each global state those that begin under it,
/// for the right side; those that end under it, for the left. Sorted by the
/// column of the node there, as far as pairs are known.
pub struct Others {
    of: Vec<Vec<(u32, u32)>>,
}

impl Others {
    /// Of a system and a side.
    pub fn new(reduced: &Reduced, side: Side) -> Self {
        let form = reduced.form();
        let mut of: Vec<Vec<(u32, u32)>> = vec![Vec::new(); form.global_count() as usize];
        for (index, step) in (0..).zip(form.steps()) {
            let (node, global) = far_end(side, *step);
            // A request that is nowhere makes no step.
            if let Some(column) = reduced.pairs().map_or(Some(0), |pairs| pairs.column(node)) {
                of[global as usize].push((column, index));
            }
        }
        of.iter_mut().for_each(|steps| steps.sort_unstable());
        Self { of }
    }

    /// Those that another request can make next to a step that meets the set
    /// at a point, as far as pairs are known: numbers of steps, in order.
    /// [`Exchange::new`] says the rest.
    pub fn beside(&self, reduced: &Reduced, near: Point) -> Vec<u32> {
        let steps = &self.of[near.1 as usize];
        let Some(pairs) = reduced.pairs() else { return steps.iter().map(|&(_, step)| step).collect() };
        let mut found = Vec::new();
        for column in pairs.beside(near) {
            let from = steps.partition_point(|&(other, _)| other < column);
            found.extend(steps[from..].iter().take_while(|&&(other, _)| other == column).map(|&(_, step)| step));
        }
        found.sort_unstable();
        found
    }
}

/// Where a step meets the set: where it lands, or where it departs.
pub fn near_end(side: Side, step: NodeStep) -> Point {
    if side == Side::Right { step.target() } else { step.source() }
}

/// The other end of it.
fn far_end(side: Side, step: NodeStep) -> Point {
    if side == Side::Right { step.source() } else { step.target() }
}

/// The rule on one side.
pub(super) struct Joining<'a> {
    pub(super) side: Side,
    pub(super) mover: &'a Mover,
}

impl Rule for Joining<'_> {
    fn in_range(&self, range: &Range) -> bool {
        let Mover { points, witnesses } = self.mover;
        points.iter().all(|(node, globals)| range.node(node) && globals.iter().all(|global| range.global(global)))
            && witnesses
                .iter()
                .all(|w| range.step(&w.step) && range.step(&w.other) && range.points(&w.own_path) && range.points(&w.other_path))
    }

    fn check(&self, reduced: &Reduced, work: &mut Work) -> Checked {
        let (form, set) = (reduced.form(), self.mover.set());
        work.spend(set.len())?;
        let end = set.iter().find(|&&(node, _)| if self.side == Side::Right { form.is_done(node) } else { form.is_initial(node) });
        require!(MoverEnds, end.is_none(), "a point of node {} is in the set", end.map_or(0, |point| point.0));
        let listed: FxHashMap<(u32, u32), &Witness> = self.mover.witnesses.iter().map(|w| ((w.step, w.other), w)).collect();
        let others = Others::new(reduced, self.side);
        for (index, &own) in (0..).zip(form.steps()) {
            let near = near_end(self.side, own);
            if !set.contains(&near) {
                continue;
            }
            for other_index in others.beside(reduced, near) {
                work.spend(1)?;
                let other = form.steps()[other_index as usize];
                let Some(exchange) = Exchange::new(reduced, self.side, own, other) else { continue };
                let steps = || format!("steps {own:?} and {other:?}");
                let Some(witness) = listed.get(&(index, other_index)) else {
                    let simple = exchange.is_simple(form, &set);
                    require!(MoverPaths, simple, "{} cannot be exchanged by single steps, and no paths are given", steps());
                    continue;
                };
                work.spend(witness.other_path.len() + witness.own_path.len())?;
                let meeting = exchange.meeting(form, &witness.other_path, &witness.own_path);
                require!(MoverPaths, meeting.is_some(), "{}: the paths given are not those that exchange them", steps());
                let inner = Exchange::inner_outside(&set, &witness.own_path);
                require!(MoverInner, inner, "{}: the path given passes through the set", steps());
                let (empty, single) = (witness.other_path.is_empty(), witness.own_path.len() == 1);
                let weaker = meeting.and_then(|middle| exchange.weaker(&set, middle, empty));
                let Some((at, own_at)) = weaker else { continue };
                let turn = || format!("{}: the other request would be interrupted in its turn", steps());
                require!(MoverLastOther, set.contains(&at), "{}, as {at:?} is not in the set", turn());
                require!(MoverLastOwn, set.contains(&own_at), "{}, as {own_at:?} is not in the set", turn());
                require!(MoverLastSingle, single, "{}, by more than one step", turn());
                require!(MoverLastLeaves, exchange.leaves(form, at), "{}, as it can stay at its node at {at:?}", turn());
            }
        }
        Ok(())
    }

    fn apply(&self, reduced: &mut Reduced, budget: &mut Budget) -> Result<(), Stopped> {
        let (form, set) = (&reduced.form, self.mover.set());
        let steps = match self.side {
            Side::Right => joined_right(form, &set, budget)?,
            Side::Left => joined_left(form, &set, budget)?,
        };
        reduced.form = form.clone().with_steps(steps);
        Ok(())
    }
}

/// Steps that land in the set go on until they are outside of it.
fn joined_right(form: &NormalForm, set: &PointSet, budget: &mut Budget) -> Result<Vec<NodeStep>, Stopped> {
    let exits = exits(form, set, budget)?;
    let mut steps: Vec<NodeStep> = Vec::new();
    for &step in form.steps() {
        budget.spend(1)?;
        if !set.contains(&step.target()) {
            steps.push(step);
        } else if let Some(found) = exits.get(&step.target()) {
            budget.spend(found.len() as u64)?;
            steps.extend(found.iter().map(|&(to_node, to_global)| NodeStep { to_node, to_global, ..step }));
        }
    }
    Ok(steps)
}

/// Steps that land in the set may go on through it; none begins there.
fn joined_left(form: &NormalForm, set: &PointSet, budget: &mut Budget) -> Result<Vec<NodeStep>, Stopped> {
    let mut steps: Vec<NodeStep> = Vec::new();
    // What can be reached from a point of the set through it.
    let mut beyond: FxHashMap<Point, Vec<Point>> = FxHashMap::default();
    for &step in form.steps() {
        budget.spend(1)?;
        if set.contains(&step.source()) {
            continue;
        }
        steps.push(step);
        if !set.contains(&step.target()) {
            continue;
        }
        let found = match beyond.entry(step.target()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(reach_through(form, step.target(), set, budget)?),
        };
        budget.spend(found.len() as u64)?;
        steps.extend(found.iter().map(|&(to_node, to_global)| NodeStep { to_node, to_global, ..step }));
    }
    Ok(steps)
}

/// For each point of the set the points outside of it to which paths lead that
/// leave only points of the set. Found backwards from each of these, so that
/// the work is in proportion to what is found, however long the paths are.
fn exits(form: &NormalForm, set: &PointSet, budget: &mut Budget) -> Result<FxHashMap<Point, Vec<Point>>, Stopped> {
    let mut back: FxHashMap<Point, Vec<Point>> = FxHashMap::default();
    let mut doors: Vec<(Point, Point)> = Vec::new();
    for step in form.steps().iter().filter(|step| set.contains(&step.source())) {
        budget.spend(1)?;
        if set.contains(&step.target()) {
            back.entry(step.target()).or_default().push(step.source());
        } else {
            doors.push((step.target(), step.source()));
        }
    }
    doors.sort_unstable();
    let mut exits: FxHashMap<Point, Vec<Point>> = FxHashMap::default();
    for doors in doors.chunk_by(|a, b| a.0 == b.0) {
        let mut seen = PointSet::default();
        let mut to_visit: Vec<Point> = doors.iter().map(|&(_, at)| at).filter(|&at| seen.insert(at)).collect();
        while let Some(at) = to_visit.pop() {
            budget.spend(1)?;
            exits.entry(at).or_default().push(doors[0].0);
            let before = back.get(&at).map_or(&[][..], Vec::as_slice);
            budget.spend(before.len() as u64)?;
            to_visit.extend(before.iter().copied().filter(|&before| seen.insert(before)));
        }
    }
    Ok(exits)
}

/// The points to which paths lead from a point of the set that leave only
/// points of the set.
fn reach_through(form: &NormalForm, from: Point, set: &PointSet, budget: &mut Budget) -> Result<Vec<Point>, Stopped> {
    let mut found: Vec<Point> = Vec::new();
    let mut seen = PointSet::default();
    let mut to_visit = vec![from];
    while let Some(at) = to_visit.pop() {
        for step in form.steps_from(at) {
            budget.spend(1)?;
            if seen.insert(step.target()) {
                found.push(step.target());
                if set.contains(&step.target()) {
                    to_visit.push(step.target());
                }
            }
        }
    }
    Ok(found)
}
