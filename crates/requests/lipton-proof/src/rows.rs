//! Symmetry of parameters (Ip, Dill 1996): few request bodies stand for many that do the same with other variables.
//!
//! A request with parameters is one body per choice of them: `move(0)`, `move(1)` and so on do the same with other rows
//! of the arrays. A certificate may name some *bodies* and prove the program that has these alone; the rest follows
//! from what is checked here, whatever the number of rows.
//!
//! **Definitions.**
//!
//! - The *variables* of a body are the globals that the part of the graph behind its entry mentions, ascending; the
//!   place of one among them is its *slot*.
//! - Two bodies have the same *shape* if their parts of the graph are the same up to the names of nodes and up to
//!   renaming variables and registers by their order, and the same registers are parameters with the same values.
//! - For bodies `B` and `C` the *pattern* is both shapes and which slot of `B` is the same global as which slot of `C`.
//! - Slots *touch* if they are of one shape and one place, or hold the same global in some body; the globals of slots
//!   that are linked so, through any number of bodies of the program, are of one *kind*.
//!
//! **Many.** Where a program has more combinations of parameters than are written out ([`Many`](serval_syntax::Many)),
//! its requests are stand-ins, `Q`, for the program `P` of all. Then the certificate must name bodies `S` (all of `Q`,
//! if need be), and conditions 1 and 2 are looked at for `Q`. `lowering/rows.rs` of `serval-syntax` proves that for all
//! bodies `B` and `C` of `P` a renaming of globals that is injective and keeps their order makes bodies of `Q` of them;
//! so `B` has the shape of one of `Q`. If `B ≠ C` then some row or fixed parameter has different values, and so it has
//! in the images; they are different bodies of `Q` with the pattern of `B` and `C`, and it is the pattern of two of
//! `S`. The kinds of `P` are those of `Q`: slots of one shape and place, and which slots hold the same global, are the
//! same; a kind has elements of the same arrays, which begin with the same values. So the statement below holds with
//! this `P`.
//!
//! **Statement.** Let `S` be some bodies of the program `P`, each executed by itself, and let
//!
//! 1. (*shapes*) every body of `P` have the shape of one of `S`;
//! 2. (*patterns*) for all bodies `B ≠ C` of `P` with a common variable, some `B' ≠ C'` of `S` have the same pattern;
//! 3. (*alike*)
//!    - the globals of a kind have the same initial value, and those among them that bodies of `S` mention have the
//!      same range and the same sign of counts;
//!    - bodies of `S` of one shape have the same extra yields, say the same of their slots at each point (owner,
//!      weight, doom, what is known), and have the same phases;
//!    - what is said at a point of a body is said of its variables;
//!    - there are neither sums, nor validated reads, nor attempts, nor tickets, nor late looks, nor additions,
//!      nor slow registers.
//!
//! If the certificate proves the program of the bodies `S` alone, then `P` is serializable and free of errors.
//!
//! **Proof.** *Points, paths and facts of `P`.* For a body `B` take the points and paths of a body `B'` of its shape in
//! `S`, with the variables of `B` in the place of those of `B'`. They are what executing `B` by itself with these extra
//! yields finds: executing does not look at names but for their order, which is the same, and each claim about paths is
//! one about what the graph does; transformations look at the paths of one body, and at ranges. So all bodies of a
//! shape have the same points and paths, and by 3 it does not matter which `B'` is taken for what is said of globals
//! and for phases. The facts of `P` are those of `B'`, renamed, at the points of each `B`; a global has the range, the
//! sign and the initial value of its kind.
//!
//! *What need not be alike.*
//!
//! - Bounds of registers, and that no request is at a point, follow from the paths of one body, from ranges and from
//!   what is said of globals, which are alike; so what is claimed of them in one body of a shape holds in all.
//! - Which globals are slow: let `V` be slow in `P` if all bodies that write it are checked to change it slowly. If
//!   some `C` is not, then by 2 every body that writes `V` is checked together with one like `C`, so for a global that
//!   is not slow, and keeps the range without that.
//!
//! *Conditions.* Every condition of the theorem and of the invariants is about one path and its global, or about two: a
//! path and a point (known), or two paths (exchange).
//!
//! - Those about one path of `B` and a global `V` that `B` mentions hold: they are those of `B'` and the global in the
//!   same slot, and speak of facts at the points of `B'`, ranges and initial values. Where a fact about `V` is said
//!   only at points of another body, that is a body `C` that mentions `V`, so by 2 there are `B'` and `C'` in `S` with
//!   the same pattern, and for the common variable it was checked that the paths of `B'` keep what is said at the
//!   points of `C'`. If `B` does not mention `V` then its paths leave `V` alone, and nothing is said of `V` at its
//!   points.
//! - Those about two, of bodies `B` and `C`: if `B = C` they are those of `B'` and `B'`. Otherwise, if they have a
//!   common variable, those of `B'` and `C'` with the same pattern: renaming the variables of both at once is
//!   injective, and every question is about these. If they have none, then steps of the two commute, and neither
//!   changes what is known of the other.
//!
//! *Exclusions.* An exclusion of `S` is used for points of two bodies `B'` and `C'` at a time, and says in `P` that
//! never both a request of `B` and one of `C` are at the points in their place. That holds: a step of `B` into its
//! group has, by the paths of `B'`, a test after which the global of the other group has a value with which no request
//! is there, and so has a step of `C`; no other step brings one of the two into its group. So all conditions hold for
//! `P`. ∎
//!
//! Doom is about complete runs, and which paths lead to the end is seen in one body. Two bodies with equal variables
//! have a pattern like any others. Nothing is assumed about values of data. Sums and validated reads change the paths
//! of one body because of what all bodies do, and late looks those of the bodies that are named, so paths of one shape
//! would no longer be the same; tickets are about all bodies at once. Tests show the harm of each.

use rustc_hash::{FxHashMap, FxHashSet};
use serval_budget::{Budget, Stopped};
use serval_compile::control::{Control, Node, NodeId, Reg};
use serval_proof::Reduction;
use serval_syntax::GlobalVar;

use crate::facts::{Facts, PointClaim};
use crate::model::Model;
use crate::path::PointId;

/// Globals that more bodies mention are common: which bodies meet in them is not looked at pair by pair.
const COMMON: usize = 64;

/// Two shapes, and which slots of the first are which slots of the second.
pub type Pattern = (u32, u32, Vec<(u32, u32)>);

/// The nodes of a body, and the parameters with which it begins.
type Shape = (Vec<Node>, Vec<(Reg, i64, i64)>);

/// A request body.
pub struct Body {
    /// Its shape, by number.
    pub shape: u32,
    /// Its variables, ascending.
    pub globals: Vec<GlobalVar>,
    /// Its registers, ascending.
    regs: Vec<Reg>,
    /// Its nodes, in the order of its shape.
    nodes: Vec<NodeId>,
}

/// The bodies of a program.
pub struct Bodies {
    /// By number.
    pub list: Vec<Body>,
    /// How many shapes there are.
    pub shapes: usize,
}

/// How bodies of a program meet: a pattern and who is to be looked at for an example of it.
pub type Meeting = (Pattern, Vec<u32>, Vec<u32>);

fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

fn rank<T: Ord>(list: &[T], of: &T) -> Option<u32> {
    list.binary_search(of).ok().map(number)
}

impl Body {
    fn new(control: &Control<'_>, (entry, params): (NodeId, &[(Reg, i64, i64)]), shapes: &mut FxHashMap<Shape, u32>) -> Self {
        let mut places: FxHashMap<NodeId, u32> = FxHashMap::default();
        places.insert(entry, 0);
        let (mut nodes, mut globals, mut regs) = (vec![entry], Vec::new(), Vec::new());
        let mut next = 0;
        while let Some(&id) = nodes.get(next) {
            next += 1;
            let node = control.node(id);
            let (mentioned, global) = node.mentions();
            regs.extend(mentioned);
            globals.extend(global);
            for id in node.successors() {
                places.entry(id).or_insert_with(|| {
                    nodes.push(id);
                    number(nodes.len() - 1)
                });
            }
        }
        globals.sort_unstable();
        globals.dedup();
        regs.sort_unstable();
        regs.dedup();
        let reg = |reg: Reg| Reg(rank(&regs, &reg).unwrap_or(u32::MAX));
        let global = |global: GlobalVar| GlobalVar(rank(&globals, &global).unwrap_or(u32::MAX));
        let place = |id: NodeId| NodeId(places.get(&id).copied().unwrap_or(u32::MAX));
        let text: Vec<Node> = nodes.iter().map(|&id| control.node(id).renamed(reg, global, place)).collect();
        let new = number(shapes.len());
        let mut begins: Vec<(Reg, i64, i64)> = params.iter().map(|&(param, low, high)| (reg(param), low, high)).collect();
        begins.retain(|param| param.0 != Reg(u32::MAX));
        begins.sort_unstable();
        let shape = *shapes.entry((text, begins)).or_insert(new);
        Self { shape, globals, regs, nodes }
    }

    /// The slot of a global.
    pub fn slot(&self, global: GlobalVar) -> Option<u32> {
        rank(&self.globals, &global)
    }

    /// The place of a register.
    pub fn place(&self, reg: Reg) -> Option<u32> {
        rank(&self.regs, &reg)
    }

    /// How it meets another body.
    pub fn pattern(&self, other: &Self) -> Pattern {
        (self.shape, other.shape, common(&self.globals, &other.globals, |_| true))
    }
}

/// Which places of two ascending lists hold the same global.
fn common(left: &[GlobalVar], right: &[GlobalVar], counts: impl Fn(GlobalVar) -> bool) -> Vec<(u32, u32)> {
    let (few, many, turned) = if left.len() <= right.len() { (left, right, false) } else { (right, left, true) };
    let both = (0..).zip(few).filter(|(_, global)| counts(**global)).filter_map(|(at, global)| Some((at, rank(many, global)?)));
    both.map(|(a, b)| if turned { (b, a) } else { (a, b) }).collect()
}

impl Bodies {
    /// Finds the shapes of all bodies.
    pub fn new(control: &Control<'_>) -> Self {
        let mut shapes = FxHashMap::default();
        let begins = control.entries().iter().copied().zip(control.params().iter().map(Vec::as_slice));
        let list = begins.map(|begin| Body::new(control, begin, &mut shapes)).collect();
        Self { list, shapes: shapes.len() }
    }

    /// The patterns of all pairs of different bodies with a common variable, and maybe some more.
    pub fn meetings(&self, globals: usize, budget: &mut Budget) -> Result<Vec<Meeting>, Stopped> {
        let mut mentioning: Vec<Vec<u32>> = vec![Vec::new(); globals];
        for (body, global) in (0..).zip(&self.list).flat_map(|(number, body)| body.globals.iter().map(move |&global| (number, global))) {
            mentioning[global.index()].push(body);
        }
        let is_common = |global: GlobalVar| mentioning[global.index()].len() > COMMON;
        let mut seen: FxHashSet<Pattern> = FxHashSet::default();
        let mut found: Vec<Meeting> = Vec::new();
        // Bodies that meet in something that is not common, pair by pair.
        for bodies in mentioning.iter().filter(|bodies| bodies.len() <= COMMON) {
            for (&b, &c) in bodies.iter().flat_map(|b| bodies.iter().map(move |c| (b, c))).filter(|(b, c)| b != c) {
                let (left, right) = (&self.list[b as usize], &self.list[c as usize]);
                budget.spend(1 + u64::from(number(left.globals.len().min(right.globals.len()))))?;
                let pattern = left.pattern(right);
                if seen.insert(pattern.clone()) {
                    found.push((pattern, vec![b], vec![c]));
                }
            }
        }
        // Those that meet in common variables alone are many; which they are, and in which slots, is what matters.
        let mut groups: Vec<Vec<u32>> = Vec::new();
        let mut by_common: FxHashMap<(u32, Vec<(u32, GlobalVar)>), usize> = FxHashMap::default();
        for (body, at) in (0..).zip(&self.list) {
            let key: Vec<(u32, GlobalVar)> = (0..).zip(at.globals.iter().copied()).filter(|&(_, global)| is_common(global)).collect();
            if key.is_empty() {
                continue;
            }
            let place = *by_common.entry((at.shape, key)).or_insert_with(|| {
                groups.push(Vec::new());
                groups.len() - 1
            });
            groups[place].push(body);
        }
        for (left, right) in groups.iter().flat_map(|left| groups.iter().map(move |right| (left, right))) {
            let (b, c) = (&self.list[left[0] as usize], &self.list[right[0] as usize]);
            budget.spend(1 + u64::from(number(b.globals.len().min(c.globals.len()))))?;
            let slots = common(&b.globals, &c.globals, is_common);
            let alone = left.len() == 1 && left == right;
            let pattern = (b.shape, c.shape, slots);
            if !pattern.2.is_empty() && !alone && seen.insert(pattern.clone()) {
                found.push((pattern, left.clone(), right.clone()));
            }
        }
        Ok(found)
    }

    /// The kind of each global, by number.
    pub fn kinds(&self, globals: usize) -> Vec<usize> {
        let mut root: Vec<usize> = (0..globals).collect();
        fn find(root: &mut [usize], mut x: usize) -> usize {
            while root[x] != x {
                root[x] = root[root[x]];
                x = root[x];
            }
            x
        }
        let mut first: FxHashMap<(u32, usize), usize> = FxHashMap::default();
        for body in &self.list {
            for (slot, global) in body.globals.iter().enumerate() {
                let other = *first.entry((body.shape, slot)).or_insert(global.index());
                let (a, b) = (find(&mut root, other), find(&mut root, global.index()));
                root[a.max(b)] = a.min(b);
            }
        }
        (0..globals).map(|global| find(&mut root, global)).collect()
    }
}

/// A body that stands for others: which it is, and its points.
pub struct Standing<'a> {
    /// The body.
    pub body: &'a Body,
    /// The number of its first point; the others follow.
    pub first: u32,
    /// How many points it has.
    pub points: u32,
}

/// The bodies that a model was made of, each by itself.
pub fn standing<'a>(model: &Model, bodies: &'a Bodies, chosen: &[u32]) -> Vec<Standing<'a>> {
    let ends = model.entries.iter().skip(1).map(|entry| entry.0).chain([number(model.points.len())]);
    let ranges = model.entries.iter().zip(ends);
    let list = chosen.iter().filter_map(|&body| bodies.list.get(body as usize)).zip(ranges);
    list.map(|(body, (first, end))| Standing { body, first: first.0, points: end.saturating_sub(first.0) }).collect()
}

/// What is said at a point by slot, and whether it is after the commit.
type Look = (Vec<(u32, PointClaim)>, bool);

impl Standing<'_> {
    /// What is said at the point at this place. None where it speaks of what the body does not mention.
    fn look(&self, facts: &Facts, post: &[bool], at: u32) -> Option<Look> {
        let id = PointId(self.first + at);
        let said = facts.said(id).into_iter().map(|(global, said)| Some((self.body.slot(global)?, said)));
        Some((said.collect::<Option<_>>()?, post.get(id.index()) == Some(&true)))
    }

    /// The places of the nodes in front of which a `yield` is added.
    fn yields(&self, yields: &FxHashSet<u32>) -> Vec<usize> {
        self.body.nodes.iter().enumerate().filter(|(_, node)| yields.contains(&node.0)).map(|(place, _)| place).collect()
    }
}

/// Which of the conditions is not met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unlike {
    /// A body has the shape of none that stands for it.
    Shapes,
    /// Two bodies meet as none of those that stand for them do.
    Patterns,
    /// What should be alike is not.
    Alike(&'static str),
}

/// What was executed, and what is said of it.
pub(crate) struct Claimed<'a> {
    pub(crate) model: &'a Model,
    pub(crate) facts: &'a Facts,
    pub(crate) reduction: &'a Reduction,
    pub(crate) post: &'a [bool],
}

/// What hinders that some bodies stand for all of a program, as far as the program alone goes.
pub(crate) fn unlike_bodies(bodies: &Bodies, chosen: &[u32], globals: usize, budget: &mut Budget) -> Result<Vec<Unlike>, Stopped> {
    let chosen: Vec<&Body> = chosen.iter().filter_map(|&body| bodies.list.get(body as usize)).collect();
    let mut found = Vec::new();
    let shapes: FxHashSet<u32> = chosen.iter().map(|body| body.shape).collect();
    if shapes.len() != bodies.shapes {
        found.push(Unlike::Shapes);
    }
    let mut patterns: FxHashSet<Pattern> = FxHashSet::default();
    for (at, one) in chosen.iter().enumerate() {
        for (_, other) in chosen.iter().enumerate().filter(|other| other.0 != at) {
            budget.spend(1 + u64::from(number(one.globals.len().min(other.globals.len()))))?;
            patterns.insert(one.pattern(other));
        }
    }
    if bodies.meetings(globals, budget)?.iter().any(|(pattern, ..)| !patterns.contains(pattern)) {
        found.push(Unlike::Patterns);
    }
    Ok(found)
}

/// What is not alike in what is said of the bodies of a certificate.
pub(crate) fn unlike_facts(bodies: &Bodies, claimed: &Claimed<'_>, budget: &mut Budget) -> Result<Vec<Unlike>, Stopped> {
    let &Claimed { model, facts, reduction, post } = claimed;
    let standing = standing(model, bodies, &reduction.bodies);
    let mut found: Vec<Unlike> = unlike_kinds(bodies, &standing, claimed).map(Unlike::Alike).into_iter().collect();
    let together = reduction.sums.len()
        + reduction.validated.len()
        + reduction.attempts.len()
        + reduction.tickets.len()
        + reduction.late.len()
        + reduction.additions.len()
        + reduction.slow_locals.len();
    if together > 0 {
        found.push(Unlike::Alike("it speaks of what all bodies do together"));
    }
    let extra: FxHashSet<u32> = reduction.yields.iter().copied().collect();
    let mut first: FxHashMap<u32, usize> = FxHashMap::default();
    for (index, one) in standing.iter().enumerate() {
        budget.spend(u64::from(one.points).saturating_add(u64::from(number(one.body.nodes.len()))))?;
        let other = &standing[*first.entry(one.body.shape).or_insert(index)];
        if one.yields(&extra) != other.yields(&extra) || one.points != other.points {
            found.push(Unlike::Alike("two bodies of one shape have different extra yields"));
            continue;
        }
        for at in 0..one.points {
            match (one.look(facts, post, at), other.look(facts, post, at)) {
                (None, _) => found.push(Unlike::Alike("something is said of a variable that the body does not mention")),
                (Some(look), Some(there)) if look.0 != there.0 => {
                    found.push(Unlike::Alike("two bodies of one shape say different things of their variables"));
                }
                (Some(look), Some(there)) if look.1 != there.1 => {
                    found.push(Unlike::Alike("two bodies of one shape commit at different places"));
                }
                _ => {}
            }
        }
    }
    Ok(found)
}

/// What differs between globals of one kind.
fn unlike_kinds(bodies: &Bodies, standing: &[Standing<'_>], claimed: &Claimed<'_>) -> Option<&'static str> {
    let &Claimed { model, facts, .. } = claimed;
    let kinds = bodies.kinds(model.initial.len());
    if kinds.iter().zip(&model.initial).any(|(&kind, initial)| model.initial[kind] != *initial) {
        return Some("variables of one kind begin with different values");
    }
    let mut of_kind: FxHashMap<usize, GlobalVar> = FxHashMap::default();
    for &global in standing.iter().flat_map(|one| &one.body.globals) {
        let other = *of_kind.entry(kinds[global.index()]).or_insert(global);
        if facts.range(global) != facts.range(other) {
            return Some("variables of one kind have different ranges");
        }
        if facts.sign(global) != facts.sign(other) {
            return Some("of variables of one kind some count requests");
        }
    }
    None
}
