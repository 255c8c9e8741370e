//! Systems that are made to be exchanged.
//!
//! Random systems hardly ever need the weaker last condition of movers: of what
//! is drawn, nearly everything can be exchanged in a harmless way, or not at all.
//! Here a system is made the other way round. It begins with one complete run
//! of two requests in which a landing in the set is interrupted. Then, as long
//! as there are two steps that cannot be exchanged, steps are added by which they
//! can, and nothing is added by which the reduced system would get the answers
//! of the run. If in the end all can be exchanged, the answers are lost: the
//! conditions by which it was judged are not enough. With all conditions nothing
//! of the kind may ever be found; without one part of the last one it is, soon.
//!
//! So that the search comes to an end, the global state says where the two
//! requests are: where paths could meet there are few global states to try, or a
//! new one. For the left side everything is turned round.

use std::collections::BTreeSet;

use serval_budget::Budget;
use serval_model::{LocalId, NetworkSystem, Node, NodeKind, NodeStep, NormalForm, Point, RequestId, ResponseId, SplitMix64, SystemBuilder};
use serval_proof::script::{Entry, Mover, Reduced, Side, Witness};

use super::movers::{MoverCondition, find_witnesses};

/// What a search may use.
const STEPS: usize = 14;
const GLOBALS: usize = 12;
const ATTEMPTS: usize = 150;

/// A system, and a script that all conditions but one part allow.
#[derive(Clone, Debug)]
pub struct Chased {
    /// The system.
    pub system: NetworkSystem,
    /// Pairs, and one mover.
    pub script: Vec<Entry>,
}

/// Looks for a system whose answers are lost though everything can be
/// exchanged. Without the part, if one is given; what is found then uses that.
pub fn hunt(seed: u64, side: Side, without: Option<MoverCondition>) -> Option<Chased> {
    search(seed, without, true)?.on(side, without)
}

/// Looks for a system in which everything can be exchanged, whatever that does
/// to the answers.
pub fn complete(seed: u64, side: Side) -> Option<Chased> {
    search(seed, None, false)?.on(side, None)
}

/// A node: of which request, and what it is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ChaseNode {
    Initial(u32),
    Inner(u32),
    Done(u32),
}

impl ChaseNode {
    fn request(self) -> u32 {
        match self {
            Self::Initial(request) | Self::Inner(request) | Self::Done(request) => request,
        }
    }
}

/// A system in the making, for the right side.
#[derive(Clone)]
struct Draft {
    places: Vec<ChaseNode>,
    /// For each global state where the two requests are.
    labels: Vec<[Node; 2]>,
    steps: BTreeSet<NodeStep>,
    set: BTreeSet<Point>,
    /// Where the run begins and where it ends.
    ends: [[Node; 2]; 2],
    globals: [u32; 2],
}

/// What a search goes by.
struct ChasePlan {
    random: SplitMix64,
    without: Option<MoverCondition>,
    /// The answers of the run must be lost.
    hunts: bool,
    /// How many of eight points are in the set.
    density: u64,
    attempts: usize,
}

fn label(a: Node, b: Node) -> [Node; 2] {
    [a.min(b), a.max(b)]
}

fn step((node, global): Point, (to_node, to_global): Point) -> NodeStep {
    NodeStep { node, global, to_node, to_global }
}

fn search(seed: u64, without: Option<MoverCondition>, hunts: bool) -> Option<Draft> {
    let mut random = SplitMix64::new(seed);
    let density = 2 + random.below(4);
    let mut search = ChasePlan { random, without, hunts, density, attempts: ATTEMPTS };
    let draft = search.begin()?;
    search.go_on(draft)
}

impl ChasePlan {
    fn chance(&mut self, of: u64) -> bool {
        self.random.below(of) == 0
    }

    /// A new global state, with its points in the set or not.
    fn fresh(&mut self, draft: &mut Draft, at: [Node; 2]) -> u32 {
        let global = u32::try_from(draft.labels.len()).unwrap_or(u32::MAX);
        draft.labels.push(at);
        for node in at {
            if matches!(draft.places[node as usize], ChaseNode::Inner(_)) && self.random.below(8) < self.density {
                draft.set.insert((node, global));
            }
        }
        global
    }

    /// One complete run: the first request lands in the set, the second steps
    /// in, then any of the two, and in the end both are done.
    fn begin(&mut self) -> Option<Draft> {
        let requests = if self.chance(3) { 2 } else { 1 };
        let mut places = Vec::new();
        for request in 0..requests {
            places.push(ChaseNode::Initial(request));
            places.extend((0..1 + self.random.below(2)).map(|_| ChaseNode::Inner(request)));
            places.push(ChaseNode::Done(request));
        }
        let of = |kind: fn(u32) -> ChaseNode, request: u32| -> Vec<Node> {
            (0..).zip(&places).filter(|&(_, &place)| place == kind(request)).map(|(node, _)| node).collect()
        };
        let both = [0, requests - 1];
        let inner = both.map(|request| of(ChaseNode::Inner, request));
        let [begin, done] =
            [of_both(both, |request| of(ChaseNode::Initial, request)), of_both(both, |request| of(ChaseNode::Done, request))];
        let (steps, set) = (BTreeSet::new(), BTreeSet::new());
        let mut draft = Draft { places, labels: Vec::new(), steps, set, ends: [begin, done], globals: [0, 0] };
        let mut at = begin;
        let mut global = self.fresh(&mut draft, label(at[0], at[1]));
        let weak = !self.chance(4);
        let more = self.random.below(3);
        let mut movers = vec![0, 1];
        // What lands in the set goes on at once.
        movers.extend((weak && self.without != Some(MoverCondition::Other)).then_some(1));
        movers.extend((0..more).map(|_| usize::from(self.chance(2))));
        let mut moves: Vec<(usize, Node)> =
            movers.into_iter().filter_map(|mover| Some((mover, self.random.pick(&inner[mover])?))).collect();
        if weak && self.without == Some(MoverCondition::Leaves) {
            moves[2] = moves[1];
        }
        let [(_, own_to), (_, other_to)] = [moves[0], moves[1]];
        let last = usize::from(self.chance(2));
        moves.extend([1 - last, last].map(|mover| (mover, done[mover])));
        for (number, (mover, to)) in moves.into_iter().enumerate() {
            let from = std::mem::replace(&mut at[mover], to);
            let next = self.fresh(&mut draft, label(at[0], at[1]));
            if number == 0 {
                draft.set.insert((to, next));
            }
            draft.steps.insert(step((from, global), (to, next)));
            global = next;
        }
        draft.globals[1] = global;
        if weak {
            self.open(&mut draft, own_to, other_to)?;
        }
        (!(self.hunts && draft.keeps_its_answers())).then_some(draft)
    }

    /// Paths for the first two steps of the run that need the weaker condition,
    /// without the part.
    fn open(&mut self, draft: &mut Draft, own_to: Node, other_to: Node) -> Option<()> {
        let [own_from, other_from] = draft.ends[0];
        // The initial global state is 0, that after two steps is 2.
        for (node, part) in [(other_to, MoverCondition::Other), (own_to, MoverCondition::Own)] {
            if self.without == Some(part) {
                draft.set.remove(&(node, 2));
            } else {
                draft.set.insert((node, 2));
            }
        }
        let inner_of = |draft: &Draft, like: Node| -> Vec<Node> {
            let inner = ChaseNode::Inner(draft.places[like as usize].request());
            (0..).zip(&draft.places).filter(|&(_, &place)| place == inner).map(|(node, _)| node).collect()
        };
        let mut at = (other_from, 0);
        let between = inner_of(draft, other_to);
        let passed = if self.chance(4) { None } else { self.random.pick(&between) };
        for node in passed.into_iter().chain([other_to]) {
            let next = (node, self.meeting(draft, own_from, node)?);
            draft.set.insert(next);
            draft.steps.insert(step(at, next));
            at = next;
        }
        let mut own_at = (own_from, at.1);
        let between = inner_of(draft, own_to);
        if self.without == Some(MoverCondition::Single)
            && let Some(node) = self.random.pick(&between)
        {
            let next = (node, self.fresh(draft, label(node, other_to)));
            draft.set.remove(&next);
            draft.steps.insert(step(own_at, next));
            own_at = next;
        }
        draft.steps.insert(step(own_at, (own_to, 2)));
        Some(())
    }

    /// Adds steps until everything can be exchanged.
    fn go_on(&mut self, draft: Draft) -> Option<Draft> {
        self.attempts = self.attempts.checked_sub(1)?;
        let (_, missing) = find_witnesses(&draft.reduced(), Side::Right, &draft.points(), self.without);
        let Some((own, other)) = self.random.pick(&missing) else { return Some(draft) };
        let mut tried = 0;
        for _ in 0..40 {
            if let Some(next) = self.with_paths(&draft, own, other)
                && next.steps.len() <= STEPS
                && !(self.hunts && next.keeps_its_answers())
            {
                tried += 1;
                let found = self.go_on(next);
                if found.is_some() || tried == 5 {
                    return found;
                }
            }
        }
        None
    }

    /// A global state in which the two are at these nodes: one that there is, or
    /// a new one.
    fn meeting(&mut self, draft: &mut Draft, a: Node, b: Node) -> Option<u32> {
        let at = label(a, b);
        let known: Vec<u32> = (0..).zip(&draft.labels).filter(|&(_, known)| *known == at).map(|(global, _)| global).collect();
        let chosen = self.random.below(known.len() as u64 + 1);
        match known.get(usize::try_from(chosen).ok()?) {
            Some(&global) => Some(global),
            None => (draft.labels.len() < GLOBALS).then(|| self.fresh(draft, at)),
        }
    }

    /// A path of one or two steps between two points, while the other request is
    /// at `beside`. The inner point is not in the set, if it must not be.
    fn path(&mut self, draft: &mut Draft, from: Point, to: Point, beside: Node, outside: bool) -> Option<usize> {
        let mut points = vec![from, to];
        if self.chance(2) {
            let request = draft.places[from.0 as usize].request();
            let nodes: Vec<Node> = (0..)
                .zip(&draft.places)
                .filter(|(_, place)| place.request() == request && !matches!(place, ChaseNode::Done(_)))
                .map(|(node, _)| node)
                .collect();
            let node = self.random.pick(&nodes)?;
            let inner = (node, self.meeting(draft, node, beside)?);
            if outside && draft.set.contains(&inner) {
                return None;
            }
            points.insert(1, inner);
        }
        let steps = points.windows(2).map(|pair| step(pair[0], pair[1]));
        let count = points.len() - 1;
        steps.clone().all(|step| !step.is_no_op()).then(|| draft.steps.extend(steps))?;
        Some(count)
    }

    /// The system with paths by which two steps can be exchanged, if they may.
    fn with_paths(&mut self, draft: &Draft, own: NodeStep, other: NodeStep) -> Option<Draft> {
        let mut draft = draft.clone();
        let stays = other.node == other.to_node && self.chance(2);
        let middle = if stays { own.global } else { self.meeting(&mut draft, own.node, other.to_node)? };
        if !stays {
            self.path(&mut draft, (other.node, own.global), (other.to_node, middle), own.node, false)?;
        }
        let single = self.path(&mut draft, (own.node, middle), (own.to_node, other.to_global), other.to_node, true)? == 1;
        let [other_at, own_at] = [other.to_node, own.to_node].map(|node| (node, other.to_global));
        let loops = draft.steps.iter().any(|step| step.source() == other_at && step.to_node == other_at.0);
        let holds = [draft.set.contains(&other_at), draft.set.contains(&own_at), single, !loops];
        let weaker = || MoverCondition::ALL.into_iter().zip(holds).all(|(part, holds)| holds || self.without == Some(part));
        (stays || !draft.set.contains(&(other.to_node, middle)) || weaker()).then_some(draft)
    }
}

fn of_both(requests: [u32; 2], nodes: impl Fn(u32) -> Vec<Node>) -> [Node; 2] {
    requests.map(|request| nodes(request).first().copied().unwrap_or(0))
}

impl Draft {
    fn points(&self) -> Vec<Point> {
        self.set.iter().copied().collect()
    }

    /// The system, before anything is done to it.
    fn whole(&self) -> Reduced {
        let globals = u32::try_from(self.labels.len()).unwrap_or(u32::MAX);
        let kind = |place: &ChaseNode| match place {
            ChaseNode::Initial(_) => NodeKind::Initial,
            ChaseNode::Inner(_) => NodeKind::Inner,
            ChaseNode::Done(_) => NodeKind::Done(ResponseId::from_index(0)),
        };
        let nodes = self.places.iter().map(|place| (RequestId::from_index(place.request() as usize), kind(place))).collect();
        Reduced::new(NormalForm::from_parts(globals, self.globals[0], nodes, self.steps.iter().copied().collect()))
    }

    /// The system, after what is known about pairs has been found out.
    fn reduced(&self) -> Reduced {
        let mut reduced = self.whole();
        // Without a limit nothing stops it.
        let _ = reduced.apply(&Entry::Pairs, &mut Budget::unlimited());
        reduced
    }

    /// Whether the answers of the run can be given when steps have been joined.
    fn keeps_its_answers(&self) -> bool {
        let mut joined = self.whole();
        let _ = joined.apply(&mover(Side::Right, &self.points(), Vec::new()), &mut Budget::unlimited());
        let [begin, done] = self.ends.map(|[a, b]| label(a, b));
        let mut seen = BTreeSet::from([(self.globals[0], begin)]);
        let mut to_visit: Vec<(u32, [Node; 2])> = seen.iter().copied().collect();
        while let Some((global, [a, b])) = to_visit.pop() {
            if [a, b] == done {
                return true;
            }
            for (mover, waits) in [(a, b), (b, a)] {
                let next = joined.form().steps_from((mover, global)).iter().map(|step| (step.to_global, label(step.to_node, waits)));
                to_visit.extend(next.filter(|&next| seen.insert(next)));
            }
        }
        false
    }

    /// The system and its script, for either side. `None` if turning it round
    /// leaves steps that cannot be exchanged, because other pairs are possible.
    fn on(&self, side: Side, without: Option<MoverCondition>) -> Option<Chased> {
        let turned = side == Side::Left;
        let mut builder = SystemBuilder::new();
        let globals: Vec<_> = (0..self.labels.len()).map(|global| builder.global(&format!("g{global}"))).collect();
        let locals: Vec<LocalId> = (0..self.places.len()).map(|node| builder.local(&format!("l{node}"))).collect();
        for (&place, &local) in self.places.iter().zip(&locals) {
            match (place, turned) {
                (ChaseNode::Initial(request), false) | (ChaseNode::Done(request), true) => {
                    let request = builder.request(&format!("r{request}"));
                    builder.start(request, local);
                }
                (ChaseNode::Done(_), false) | (ChaseNode::Initial(_), true) => {
                    let response = builder.response("a");
                    builder.answer(local, response);
                }
                (ChaseNode::Inner(_), _) => {}
            }
        }
        for step in &self.steps {
            let (from, to) = if turned { (step.target(), step.source()) } else { (step.source(), step.target()) };
            builder.step(locals[from.0 as usize], globals[from.1 as usize], locals[to.0 as usize], globals[to.1 as usize]);
        }
        let system = builder.finish(globals[self.globals[usize::from(turned)] as usize]);
        let (form, of) = NormalForm::new(&system)?;
        // Points of nodes that there are; those that no run reaches need not be in the set.
        let node = |node: Node| of.iter().position(|&local| local == locals[node as usize]).and_then(|at| u32::try_from(at).ok());
        let mut set: Vec<Point> = self.set.iter().filter_map(|&(at, global)| Some((node(at)?, global))).collect();
        set.sort_unstable();
        let mut reduced = Reduced::new(form);
        let _ = reduced.apply(&Entry::Pairs, &mut Budget::unlimited());
        let (witnesses, missing) = find_witnesses(&reduced, side, &set, without);
        missing.is_empty().then(|| Chased { system, script: vec![Entry::Pairs, mover(side, &set, witnesses)] })
    }
}

fn mover(side: Side, set: &[Point], witnesses: Vec<Witness>) -> Entry {
    let mover = Mover { points: set.iter().map(|&(node, global)| (node, vec![global])).collect(), witnesses };
    if side == Side::Right { Entry::Right(mover) } else { Entry::Left(mover) }
}
