//! Which parts a system falls into, where only few letters belong to several of them; whether parts that are proved
//! prove the whole, and why, is said by [`serval_proof::shared`].
//!
//! Two requests *meet* if one of them can tell whether the other has made a step, or undoes it. Requests with several
//! answers that meet are in one part. A request with one answer may touch several: it touches those in which it meets
//! a request, and if that is one, it belongs to it. Where two such requests meet that have no part in common, there is
//! one more, of a part of the state that they alone see. Parts on a cycle become one.

use std::collections::{BTreeMap, BTreeSet};

use serval_budget::{Budget, Cancel, Stopped};
use serval_model::{NetworkSystem, Node, NormalForm};
use serval_proof::{Caps, Refusal, Work, shared};

/// A split of a system that the checker takes.
pub(crate) struct PartSplit {
    /// For each request the parts that it touches.
    pub touches: Vec<Vec<u32>>,
    /// The parts.
    pub parts: Vec<NetworkSystem>,
}

/// The split of a system into as many parts as can be had, if there are at least two.
pub(crate) fn find(system: &NetworkSystem, ticks: u64, cancel: &Cancel) -> Result<Option<PartSplit>, Stopped> {
    let budget = &mut Budget::new(ticks, cancel.clone());
    let Some((form, _)) = budget.during(|| NormalForm::new(system))? else { return Ok(None) };
    let Some(groups) = Meeting::new(&form, system.request_count(), budget)?.split(budget)? else { return Ok(None) };
    let caps = Caps { ticks: budget.left(), ..Caps::default() };
    let mut work = Work::new(&caps, cancel);
    let touches = groups.touches;
    match shared::split(system, &form, &touches, groups.parts, &mut work) {
        Ok(parts) => Ok(Some(PartSplit { touches, parts })),
        Err(Refusal::Stopped(stopped)) => Err(stopped),
        Err(Refusal::TooLarge { .. }) => Err(Stopped::OutOfTicks),
        Err(Refusal::Invalid(_)) => Ok(None),
        Err(Refusal::System(never)) => match never {},
    }
}

/// For each request the parts that it touches, and how many parts there are.
struct Groups {
    touches: Vec<Vec<u32>>,
    parts: usize,
}

/// Which requests meet.
struct Meeting {
    /// For each request those that it meets.
    met: Vec<BTreeSet<usize>>,
    /// For each request how many answers it has.
    answers: Vec<usize>,
}

impl Meeting {
    fn new(form: &NormalForm, requests: usize, budget: &mut Budget) -> Result<Self, Stopped> {
        let mut answers = vec![0; requests];
        let mut nodes: Vec<Vec<Node>> = vec![Vec::new(); requests];
        for node in form.node_numbers() {
            let request = form.nodes()[node as usize].0.index();
            answers[request] += usize::from(form.is_done(node));
            nodes[request].push(node);
        }
        let mut moves: Vec<BTreeSet<(u32, u32)>> = vec![BTreeSet::new(); requests];
        for step in form.steps().iter().filter(|step| step.global != step.to_global) {
            moves[form.nodes()[step.node as usize].0.index()].insert((step.global, step.to_global));
        }
        budget.spend(form.steps().len() as u64)?;
        let mut met = vec![BTreeSet::new(); requests];
        for one in 0..requests {
            for other in 0..one {
                if notices(form, &nodes[one], &moves[other], budget)? || notices(form, &nodes[other], &moves[one], budget)? {
                    met[one].insert(other);
                    met[other].insert(one);
                }
            }
        }
        Ok(Self { met, answers })
    }

    /// The parts, if there are several.
    fn split(&self, budget: &mut Budget) -> Result<Option<Groups>, Stopped> {
        let requests: Vec<usize> = (0..self.answers.len()).filter(|&request| self.answers[request] > 0).collect();
        let mut groups = Grouped::new(self.answers.len());
        let mut placed: BTreeSet<usize> = requests.iter().copied().filter(|&request| self.answers[request] > 1).collect();
        for &one in &placed {
            for &other in self.met[one].iter().filter(|other| placed.contains(other)) {
                groups.join(one, other);
            }
        }
        // Those that meet one part belong to it, and what meets none is one; those that meet many come last.
        loop {
            budget.spend(requests.len() as u64)?;
            let open = requests.iter().copied().filter(|request| !placed.contains(request));
            let inside = open.filter(|&request| self.touched(request, &placed, &groups).len() < 2);
            let Some(next) = inside.min_by_key(|&request| self.met[request].len()) else { break };
            for root in self.touched(next, &placed, &groups) {
                groups.join(next, root);
            }
            placed.insert(next);
        }
        let mut touched: BTreeMap<usize, BTreeSet<usize>> =
            requests.iter().map(|&request| (request, self.touched(request, &placed, &groups))).collect();
        for &request in &placed {
            touched.insert(request, BTreeSet::from([groups.root(request)]));
        }
        self.add_unseen(&placed, &mut touched);
        while let Some((one, other)) = cycle(&touched) {
            budget.spend(requests.len() as u64)?;
            for parts in touched.values_mut() {
                if parts.remove(&other) {
                    parts.insert(one);
                }
            }
        }
        Ok(numbered(&touched, self.answers.len()))
    }

    /// The groups in which a request meets another.
    fn touched(&self, request: usize, placed: &BTreeSet<usize>, groups: &Grouped) -> BTreeSet<usize> {
        self.met[request].iter().filter(|other| placed.contains(other)).map(|&other| groups.root(other)).collect()
    }

    /// Parts of the state that only requests see which touch several parts.
    fn add_unseen(&self, placed: &BTreeSet<usize>, touched: &mut BTreeMap<usize, BTreeSet<usize>>) {
        let mut unseen = Grouped::new(self.answers.len());
        let mut seen_alone = BTreeSet::new();
        for (&one, parts) in touched.iter().filter(|(request, _)| !placed.contains(request)) {
            for &other in self.met[one].iter().filter(|&&other| other < one && !placed.contains(&other)) {
                if touched.get(&other).is_some_and(|others| others.is_disjoint(parts)) {
                    unseen.join(one, other);
                    seen_alone.extend([one, other]);
                }
            }
        }
        for request in seen_alone {
            // Numbers of requests stand for groups; those beyond them for what is added.
            let part = self.answers.len() + unseen.root(request);
            if let Some(parts) = touched.get_mut(&request) {
                parts.insert(part);
            }
        }
    }
}

/// Whether a request that can be at some nodes can tell whether one of these moves was made, or undoes it.
fn notices(form: &NormalForm, nodes: &[Node], moves: &BTreeSet<(u32, u32)>, budget: &mut Budget) -> Result<bool, Stopped> {
    for &node in nodes.iter().filter(|&&node| !form.steps_of(node).is_empty()) {
        for &(global, moved) in moves {
            let (before, after) = (form.steps_from((node, global)), form.steps_from((node, moved)));
            budget.spend((1 + before.len() + after.len()) as u64)?;
            let alike = before.len() == after.len()
                && before
                    .iter()
                    .all(|one| after.iter().any(|other| other.to_node == one.to_node && moves.contains(&(one.to_global, other.to_global))))
                && after.iter().all(|other| {
                    before.iter().any(|one| other.to_node == one.to_node && moves.contains(&(one.to_global, other.to_global)))
                });
            if !alike {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Two parts that are on a cycle of parts and requests.
fn cycle(touched: &BTreeMap<usize, BTreeSet<usize>>) -> Option<(usize, usize)> {
    let count = touched.values().flatten().max().map_or(0, |last| last + 1);
    let mut joined = Grouped::new(count);
    for parts in touched.values().filter(|parts| parts.len() > 1) {
        for &other in parts {
            if let Some(&one) = parts.range(..other).find(|&&one| joined.root(one) == joined.root(other)) {
                return Some((one, other));
            }
        }
        for pair in parts.iter().zip(parts.iter().skip(1)) {
            joined.join(*pair.0, *pair.1);
        }
    }
    None
}

/// The parts by number, in the order of the requests, if there are several.
fn numbered(touched: &BTreeMap<usize, BTreeSet<usize>>, requests: usize) -> Option<Groups> {
    let mut number: BTreeMap<usize, u32> = BTreeMap::new();
    for &part in touched.values().flatten() {
        let next = u32::try_from(number.len()).ok()?;
        number.entry(part).or_insert(next);
    }
    let mut touches = vec![Vec::new(); requests];
    for (&request, parts) in touched {
        touches[request] = parts.iter().filter_map(|part| number.get(part).copied()).collect();
        touches[request].sort_unstable();
    }
    (number.len() > 1).then_some(Groups { touches, parts: number.len() })
}

/// Numbers in groups, each of which has its smallest one as root.
struct Grouped(Vec<usize>);

impl Grouped {
    fn new(count: usize) -> Self {
        Self((0..count).collect())
    }

    fn root(&self, mut number: usize) -> usize {
        while self.0[number] != number {
            number = self.0[number];
        }
        number
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        self.0[one.max(other)] = one.min(other);
    }
}
