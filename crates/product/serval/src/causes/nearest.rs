//! The serial order whose reads agree longest with those of a run, and the
//! first read at which it parts.
//!
//! Requests are run one at a time, each with the choices that it made in the
//! run, for as long as the reads that matter find what they found there. As no
//! serial order gives the answers of the run, each parts somewhere. What is
//! said of the one that agrees longest is performed once more by the compiler's
//! machine ([`confirmed`]); if that does something else, nothing is said.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use serval_compile::{Access, SourceStep};
use serval_syntax::GlobalVar;

use super::effects::Effects;
use super::player::{Choices, Deeds, StepEnd};

/// More requests than these have too many orders.
const MOST_REQUESTS: usize = 40;
/// Orders that are begun at most.
const MOST_BEGUN: usize = 1_500;
/// Steps of a request that runs alone.
const MOST_STEPS: usize = 400;
/// Ways to choose after the orders have parted.
const MOST_WAYS: usize = 32;

/// Where a serial order parts from a run.
#[derive(Clone, Debug)]
pub(super) struct Departure {
    /// Those who come before, one at a time, and do what they did in the run.
    pub(super) before: Vec<u32>,
    /// The one that finds something else.
    pub(super) id: u32,
    /// Its read, by its position among its accesses.
    pub(super) at: usize,
    /// What is read in the serial order.
    pub(super) read: Access,
    /// Who wrote that there, if any request did.
    pub(super) writer: Option<u32>,
    /// All ways in which it then goes on; nothing where these are too many.
    pub(super) ways: Vec<Deeds>,
    /// How many reads agree before, among those that matter.
    agreeing: usize,
}

/// Requests that have run one at a time.
#[derive(Clone)]
struct Begun {
    order: Vec<u32>,
    globals: Vec<i64>,
    writers: BTreeMap<u32, u32>,
    agreeing: usize,
}

/// What a request does after others, compared with the run.
enum Alone {
    /// It does what it did, and writes these variables; the values then, and how many reads agree.
    Agrees(BTreeSet<u32>, Vec<i64>, usize),
    /// It parts at this access; as many reads agree before.
    Parts(usize, Access, usize),
    Unknown,
}

/// The departure of the nearest order. Of several the one of those who were done first.
pub(super) fn nearest(effects: &Effects<'_>) -> Option<Departure> {
    let mut ids: Vec<u32> = Vec::new();
    for step in effects.run.steps.iter().rev().filter(|step| step.answer.is_some()) {
        ids.insert(0, step.id);
    }
    if ids.len() > MOST_REQUESTS {
        return None;
    }
    let classes = classes(effects);
    let class = |id: &u32| classes.get(id).copied().unwrap_or(*id);
    let globals = effects.player.source.program().globals.iter().map(|global| global.initial).collect();
    let mut open = vec![Begun { order: Vec::new(), globals, writers: BTreeMap::new(), agreeing: 0 }];
    let mut seen: BTreeSet<(Vec<u32>, Vec<i64>)> = BTreeSet::new();
    let mut best: Option<Departure> = None;
    // Many orders lead to the same values, and a request does the same there.
    let mut performed: BTreeMap<(u32, Vec<i64>), Rc<Alone>> = BTreeMap::new();
    while let Some(begun) = open.pop() {
        // Without having tried all orders it is not known which is nearest.
        if seen.len() > MOST_BEGUN || effects.player.is_tired() {
            return None;
        }
        let mut later = Vec::new();
        let mut tried = BTreeSet::new();
        for &id in ids.iter().filter(|id| !begun.order.contains(id)) {
            if !tried.insert(class(&id)) {
                continue;
            }
            let known = performed.entry((id, begun.globals.clone())).or_insert_with(|| Rc::new(alone(effects, &begun, id)));
            match &*Rc::clone(known) {
                Alone::Agrees(written, globals, agreeing) => {
                    let mut next = begun.clone();
                    next.order.push(id);
                    next.writers.extend(written.iter().map(|&variable| (variable, id)));
                    (next.globals, next.agreeing) = (globals.clone(), begun.agreeing + agreeing);
                    let mut key: Vec<u32> = next.order.iter().map(class).collect();
                    key.sort_unstable();
                    if seen.insert((key, next.globals.clone())) {
                        later.push(next);
                    }
                }
                &Alone::Parts(at, read, agreeing) => {
                    let agreeing = begun.agreeing + agreeing;
                    if best.as_ref().is_none_or(|best| agreeing > best.agreeing) {
                        let own = effects.base.get(&id).is_some_and(|(base, _)| {
                            base.accesses[..at].iter().any(|access| access.write && access.variable == read.variable)
                        });
                        let writer = if own { Some(id) } else { begun.writers.get(&read.variable.0).copied() };
                        let ways = ways(effects, &begun, id, at, read).unwrap_or_default();
                        best = Some(Departure { before: begun.order.clone(), id, at, read, writer, ways, agreeing });
                    }
                }
                Alone::Unknown => {}
            }
        }
        open.extend(later.into_iter().rev());
    }
    best.filter(|found| confirmed(effects, found))
}

/// For each request the first one that did the same in the run, which can stand for it.
fn classes(effects: &Effects<'_>) -> BTreeMap<u32, u32> {
    let body = |id: &u32| effects.run.bodies.get(id);
    let mut classes: BTreeMap<u32, u32> = BTreeMap::new();
    for (id, did) in &effects.base {
        let same = classes.values().copied().find(|known| body(known) == body(id) && effects.base.get(known) == Some(did));
        classes.insert(*id, same.unwrap_or(*id));
    }
    classes
}

/// Runs a request after others, with the choices that it made.
fn alone(effects: &Effects<'_>, begun: &Begun, id: u32) -> Alone {
    let Some((base, chosen)) = effects.base.get(&id) else { return Alone::Unknown };
    let mut globals = begun.globals.clone();
    let mut choices = Choices { given: chosen.given.clone(), used: 0 };
    let Some(deeds) = perform(effects, id, &mut globals, &mut choices) else { return Alone::Unknown };
    let (mut agreeing, mut other) = (0, None);
    for (at, (here, there)) in base.accesses.iter().zip(&deeds.accesses).enumerate() {
        if (here.variable, here.write, here.span) != (there.variable, there.write, there.span) {
            break;
        }
        if here.write {
            continue;
        }
        if here.value == there.value {
            agreeing += usize::from(base.used.has(at) && effects.matter.contains(&here.variable.0));
        } else if effects.decides((id, at), there.value, false).is_some() {
            return Alone::Parts(at, *there, agreeing);
        } else {
            other.get_or_insert((at, *there, agreeing));
        }
    }
    match other {
        _ if deeds.answer.is_some() && deeds.answer == base.answer && deeds.path == base.path => {
            Alone::Agrees(deeds.written(), globals, agreeing)
        }
        // Reads of which each alone decides nothing decide together.
        Some((at, read, agreeing)) => Alone::Parts(at, read, agreeing),
        None => Alone::Unknown,
    }
}

/// A request from its first step to its last; nothing where that is not known.
fn perform(effects: &Effects<'_>, id: u32, globals: &mut [i64], choices: &mut Choices) -> Option<Deeds> {
    let player = &effects.player;
    let mut actor = player.actor(*effects.run.bodies.get(&id)?)?;
    let mut deeds = Deeds::default();
    for _ in 0..MOST_STEPS {
        match player.step(&mut actor, globals, choices, &mut |_, _, there| there, &mut deeds) {
            StepEnd::Waits => {}
            StepEnd::Answers => return Some(deeds),
            StepEnd::Spins | StepEnd::Lost => break,
        }
    }
    (!player.is_tired()).then_some(deeds)
}

/// All ways in which a request can go on after it has parted; nothing where one of them has no answer that is known.
fn ways(effects: &Effects<'_>, begun: &Begun, id: u32, at: usize, read: Access) -> Option<Vec<Deeds>> {
    let (_, chosen) = effects.base.get(&id)?;
    let mut choices = Choices { given: chosen.given.clone(), used: 0 };
    let mut globals = begun.globals.clone();
    let first = perform(effects, id, &mut globals, &mut choices)?;
    let kept = *first.chosen.get(at)?;
    let mut choices = Choices { given: chosen.given.get(..kept)?.to_vec(), used: 0 };
    let mut ways: Vec<Deeds> = Vec::new();
    for _ in 0..MOST_WAYS {
        let mut globals = begun.globals.clone();
        let way = perform(effects, id, &mut globals, &mut choices)?;
        if way.answer.is_none() || way.accesses.get(at) != Some(&read) {
            return None;
        }
        if !ways.contains(&way) {
            ways.push(way);
        }
        if !choices.advance(kept) {
            return Some(ways);
        }
    }
    None
}

/// Whether the compiler's machine can do the same: those who come before as in the run, then each of the ways.
fn confirmed(effects: &Effects<'_>, found: &Departure) -> bool {
    let before: Option<Vec<(u32, &Deeds)>> = found.before.iter().map(|&id| effects.base.get(&id).map(|(deeds, _)| (id, deeds))).collect();
    let Some(before) = before else { return false };
    // Without ways it is the read alone that is said.
    let alone;
    let ways = if found.ways.is_empty() {
        let Some((base, _)) = effects.base.get(&found.id) else { return false };
        let accesses = base.accesses[..found.at].iter().copied().chain([found.read]).collect();
        let ends = base.ends.iter().copied().take_while(|&end| end <= found.at).collect();
        alone = [Deeds { accesses, ends, ..Deeds::default() }];
        &alone[..]
    } else {
        &found.ways[..]
    };
    ways.iter().all(|way| performs(effects, &before, found.id, way).is_some())
}

/// Performs requests one after the other. Those before make steps with accesses at the places and answers that are
/// given; the last one does exactly what is given, or begins with it where no answer is given.
fn performs(effects: &Effects<'_>, before: &[(u32, &Deeds)], id: u32, way: &Deeds) -> Option<()> {
    let mut run = effects.player.source.start();
    for &(id, deeds) in before.iter().chain([&(id, way)]) {
        let is_last = std::ptr::eq(deeds, way);
        let same = |access: &Access, wanted: &Access| {
            access.variable == wanted.variable
                && access.write == wanted.write
                && access.span == wanted.span
                && (!is_last || access.value == wanted.value)
        };
        run.spawn(id, *effects.run.bodies.get(&id)?);
        let mut done = 0;
        for number in 0.. {
            let end = deeds.ends.get(number).copied();
            let wanted = deeds.accesses.get(done..end.unwrap_or(deeds.accesses.len()))?;
            let fits = |step: &SourceStep| {
                let begins = step.accesses.len() >= wanted.len() && step.accesses.iter().zip(wanted).all(|(one, other)| same(one, other));
                let answers = deeds.answer.filter(|_| number + 1 == deeds.ends.len());
                begins && (end.is_none() || step.accesses.len() == wanted.len() && step.answer() == answers)
            };
            let (steps, _) = run.steps(id);
            let step = steps.into_iter().find(fits)?;
            if end.is_none() {
                return Some(());
            }
            run.take(id, &step).ok()?;
            done += step.accesses.len();
            if step.answer().is_some() {
                break;
            }
        }
        run.respond(id).ok()?;
    }
    Some(())
}

/// Why the read found something else in the run, as far as the writes of the run tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reason {
    /// This request had not written the variable yet.
    NotYet(u32),
    /// This request had written it, and not yet what it wrote at last.
    Between(u32, i64),
    /// This request, which does not come before, had written it already.
    Already(u32),
    /// The first of these two had written it after the second one.
    Overwritten(u32, u32),
}

impl Departure {
    /// The reason, from the accesses of the run.
    pub(super) fn reason(&self, effects: &Effects<'_>) -> Option<Reason> {
        let moment = *effects.moments.get(&self.id)?.get(self.at)?;
        let all = effects.run.steps.iter().flat_map(|step| step.accesses.iter().map(move |access| (step.id, access)));
        let writes: Vec<(usize, u32, i64)> = (0..)
            .zip(all)
            .filter(|(_, (_, access))| access.write && access.variable == self.read.variable)
            .map(|(moment, (id, access))| (moment, id, access.value))
            .collect();
        let before = writes.iter().rfind(|(when, _, _)| *when < moment);
        let of = |id: u32, later: bool| writes.iter().filter(move |(when, by, _)| *by == id && (*when > moment) == later);
        match (self.writer, before) {
            (Some(writer), _) if writer != self.id && of(writer, false).next().is_none() && of(writer, true).next().is_some() => {
                Some(Reason::NotYet(writer))
            }
            (Some(writer), Some(&(_, by, value))) if by == writer && writer != self.id && of(writer, true).next().is_some() => {
                Some(Reason::Between(writer, value))
            }
            (_, Some(&(_, by, _))) if by != self.id && !self.before.contains(&by) => Some(Reason::Already(by)),
            (Some(writer), Some(&(_, by, _))) if by != writer && of(writer, false).next().is_some() => {
                Some(Reason::Overwritten(by, writer))
            }
            _ => None,
        }
    }

    /// The variables that it wrote to after this read in the run, and writes to in no way here.
    pub(super) fn left_alone(&self, effects: &Effects<'_>) -> Vec<GlobalVar> {
        let Some((base, _)) = effects.base.get(&self.id).filter(|_| !self.ways.is_empty()) else { return Vec::new() };
        let mut found: Vec<GlobalVar> = Vec::new();
        for access in base.accesses[self.at..].iter().filter(|access| access.write) {
            let is_left = self.ways.iter().all(|way| way.writes(access.variable).next().is_none());
            if is_left && !found.contains(&access.variable) {
                found.push(access.variable);
            }
        }
        found
    }

    /// Another value that it writes, in whatever way it goes on: the variable, the value here and that in the run.
    pub(super) fn other_write(&self, effects: &Effects<'_>) -> Option<(GlobalVar, i64, i64)> {
        let (base, _) = effects.base.get(&self.id)?;
        let written = base.accesses[self.at..].iter().filter(|access| access.write && effects.matter.contains(&access.variable.0));
        let mut last: BTreeMap<GlobalVar, i64> = BTreeMap::new();
        last.extend(written.map(|access| (access.variable, access.value)));
        last.into_iter().find_map(|(variable, here)| {
            let mut there = self.ways.iter().map(|way| way.writes(variable).last());
            let first = there.next()??;
            (first != here && there.all(|value| value == Some(first))).then_some((variable, first, here))
        })
    }
}
