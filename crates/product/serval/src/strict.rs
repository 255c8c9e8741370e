//! Whether what is serializable is strict: whether the order in which requests can be run one at a time agrees with the
//! one in time.
//!
//! Some proofs say it already ([`shows_strict`]). For the others it is decided component by component where it is asked
//! for, and looked for quickly where it is not: a quick look only finds a run, and what it finds is a note and no
//! verdict.

use std::collections::BTreeSet;

use serval_budget::Budget;
use serval_budget::checkpoint::fenced;
use serval_engine::search::run_certificate;
use serval_engine::strict::{InTime, QUICK_TICKS, decide_in_time, quick_look};
use serval_model::{GlobalId, Named, NetworkSystem, RequestId, SerialExplorer};
use serval_proof::strict::{part_shows_strict, shows_strict};
use serval_proof::{Body, Part, RunCertificate};
use serval_report::{Counterexample, StrictNote, TimeOrders, TraceEvent};

use crate::claim::{parts_of, systems_of};
use crate::counterexample::counterexample;
use crate::evidence::{CertifyTimes, Evidence, Refused, Undecided, Unproved, certify};
use crate::input::{Content, Input};
use crate::options::Options;

/// What a proof of serializability says about the order in time.
pub(crate) struct Shown {
    /// Whether all of it shows that.
    pub(crate) all: bool,
    /// The kind of the whole.
    kind: &'static str,
    /// Which of its parts show it; the parts themselves where they are asked for.
    parts: Vec<Option<Part>>,
    open: Vec<bool>,
}

impl Shown {
    pub(crate) fn by(body: &Body, wanted: bool) -> Self {
        let all = shows_strict(body);
        let kept = |part: &Part| part_shows_strict(part).then(|| part.clone());
        let parts = if wanted && !all { parts_of(body).iter().map(kept).collect() } else { Vec::new() };
        let open = parts_of(body).iter().map(|part| !part_shows_strict(part)).collect();
        Self { all, kind: body.kind().name(), parts, open }
    }

    /// What the proof alone says, and a quick look.
    pub(crate) fn note(&self, input: &Input, options: &Options) -> StrictNote {
        if self.all {
            return StrictNote { holds: Some(true), by: Some(self.kind), ..StrictNote::default() };
        }
        let with = |systems: &[&NetworkSystem]| {
            let looked = systems.iter().zip(&self.open).filter(|&(_, &open)| open);
            let mut budget = Budget::new(QUICK_TICKS, options.cancel.clone());
            // A mistake in what looks costs the note and nothing else.
            looked.filter_map(|(system, _)| fenced(|| quick_look(system, &mut budget)).flatten()).min()
        };
        StrictNote { requests: with_systems(input, with).flatten(), ..StrictNote::default() }
    }
}

/// Does something with the systems of an input, where they have been made.
fn with_systems<T>(input: &Input, work: impl FnOnce(&[&NetworkSystem]) -> T) -> Option<T> {
    match input.content() {
        Content::Systems(systems) => Some(work(&systems.iter().collect::<Vec<_>>())),
        Content::Program(_) => input.about().compiled.map(|compiled| work(&systems_of(compiled))),
    }
}

/// Nothing is known but that it is serializable.
const UNKNOWN: Undecided = Undecided::InTime { in_flight: 1, at_a_moment: false };

/// What became of the question.
pub(crate) enum Settled {
    /// It is strict.
    Strict(Evidence),
    /// It is not, and this run shows it.
    NotStrict(Evidence, Box<Counterexample>),
    /// Neither is known.
    Undecided(Undecided),
    /// The checker refuses our evidence: a bug in serval.
    Refused(Box<Refused>),
}

/// From a proof of serializability that the checker has accepted to the order in time, by whatever shows it.
pub(crate) fn settled(input: &Input, body: Body, evidence: Evidence, options: &Options) -> Settled {
    let shown = Shown::by(&body, true);
    if !shown.all {
        return decided(input, shown, evidence, options).0;
    }
    let claim = (body, 0, serval_proof::Claim::Strict);
    match certify(input.about(), claim, &options.cancel, options.clock).0 {
        Ok(certificate) => Settled::Strict(Evidence { certificate, ..evidence }),
        Err(Unproved::TooLarge(_) | Unproved::Cancelled) => Settled::Undecided(UNKNOWN),
        Err(Unproved::Refused(refused)) => Settled::Refused(Box::new(refused)),
    }
}

/// What was found out about all components.
enum Found {
    Refuted {
        run: RunCertificate,
        component: usize,
        minimal: bool,
    },
    Proved(Vec<Part>),
    /// Strict while so many are in flight, and whether it is at any one moment.
    Open(usize, bool),
}

/// From a serializable input to a verdict about the order in time, for a proof that does not show it.
pub(crate) fn decided(input: &Input, shown: Shown, evidence: Evidence, options: &Options) -> (Settled, StrictNote, CertifyTimes) {
    let none = StrictNote::default();
    let found = with_systems(input, |systems| found(systems, &shown.parts, options)).unwrap_or(Found::Open(1, false));
    let (body, component, claim, refuted) = match found {
        Found::Open(in_flight, at_a_moment) => {
            let note = StrictNote { in_flight: (in_flight > 1).then_some(in_flight), at_a_moment, ..none };
            return (Settled::Undecided(Undecided::InTime { in_flight, at_a_moment }), note, CertifyTimes::default());
        }
        Found::Refuted { run, component, minimal } => {
            (Body::Run(run.clone()), component, serval_proof::Claim::NotStrict, Some((run, minimal)))
        }
        Found::Proved(mut parts) => match (parts.len(), parts.pop()) {
            (1, Some(only)) => (Body::Part(only), 0, serval_proof::Claim::Strict, None),
            (_, last) => (Body::Components(parts.into_iter().chain(last).collect()), 0, serval_proof::Claim::Strict, None),
        },
    };
    let kind = body.kind().name();
    let most = parts_of(&body).iter().filter_map(most_in_flight).max();
    let (checked, times) = certify(input.about(), (body, component, claim), &options.cancel, options.clock);
    let method = evidence.method;
    let verdict = match checked {
        Err(Unproved::TooLarge(_) | Unproved::Cancelled) => Settled::Undecided(UNKNOWN),
        Err(Unproved::Refused(refused)) => Settled::Refused(Box::new(refused)),
        Ok(certificate) => {
            let evidence = Evidence { certificate, kind, method };
            match refuted {
                None => Settled::Strict(evidence),
                Some((run, minimal)) => Settled::NotStrict(evidence, Box::new(not_strict(input, &run, component, minimal))),
            }
        }
    };
    let holds = match verdict {
        Settled::Strict(_) => Some(true),
        Settled::NotStrict(..) => Some(false),
        _ => None,
    };
    let note = StrictNote { holds, by: holds.map(|_| kind), in_flight: most, closed: most.is_some(), ..none };
    (verdict, note, times)
}

/// With how many requests in flight a proof goes through all states.
fn most_in_flight(part: &Part) -> Option<usize> {
    match part {
        Part::Strict(serval_proof::strict::StrictProof::InFlight(proof)) => Some(proof.k),
        _ => None,
    }
}

fn found(systems: &[&NetworkSystem], parts: &[Option<Part>], options: &Options) -> Found {
    let (mut proved, mut open) = (Vec::new(), None);
    for (component, (&system, part)) in systems.iter().zip(parts).enumerate() {
        if let Some(part) = part {
            proved.push(part.clone());
            continue;
        }
        // A method that fails has no answer.
        let decided = fenced(|| decide_in_time(system, options.percent, &options.cancel));
        match decided.unwrap_or(InTime::OPEN) {
            InTime::Refuted { run, minimal } => {
                return Found::Refuted { run: run_certificate(&system, &run), component, minimal };
            }
            InTime::Proved(part) => proved.push(*part),
            InTime::Open { while_at_most, at_a_moment } => {
                // A moment of the whole is one of each component, and orders of these can be joined.
                let (most, all) = open.unwrap_or((while_at_most, true));
                open = Some((most.min(while_at_most), all && at_a_moment));
            }
        }
    }
    open.map_or(Found::Proved(proved), |(most, all)| Found::Open(most, all))
}

/// Ticks for finding out which pairs matter.
const ORDER_TICKS: u64 = 1_000_000;

/// A run that no order in time explains, as people see it.
fn not_strict(input: &Input, run: &RunCertificate, component: usize, minimal: bool) -> Counterexample {
    let mut shown = counterexample(input, run, component, minimal);
    // What makes a run not serializable is not what is wrong with this one.
    let serial = std::mem::take(&mut shown.explanation.serial);
    shown.explanation = Default::default();
    shown.never.clear();
    let orders = match input.content() {
        Content::Systems(systems) => systems.get(component).and_then(|system| needed(&shown, system)),
        Content::Program(program) => needed(&shown, input.prepare(program).lazy(component)),
    };
    let (needed, without) = orders.unwrap_or_else(|| (precedence(&shown), Vec::new()));
    let only_reads = needed.iter().all(|&[_, later]| !writes(&shown, later));
    shown.anomaly = Some(if only_reads { "stale-read" } else { "order-in-time" });
    let at = |order: &[u32], id: u32| order.iter().position(|&one| one == id);
    let agrees = |order: &[u32]| needed.iter().all(|&[first, second]| at(order, first) < at(order, second));
    let left = serial.into_iter().filter(|order| agrees(&order.order)).collect();
    shown.precedence.clone_from(&needed);
    shown.in_time = Some(TimeOrders::new(needed, only_reads, left, without));
    if matches!(input.content(), Content::Program(_)) {
        shown.explain_in_time(input.text());
    }
    shown
}

/// Which request had answered when which came.
fn precedence(shown: &Counterexample) -> Vec<[u32; 2]> {
    let mut answered = Vec::new();
    let mut pairs = Vec::new();
    for event in &shown.steps {
        match event {
            TraceEvent::Spawn { id, .. } => pairs.extend(answered.iter().map(|&first| [first, *id])),
            TraceEvent::Step { .. } => {}
            TraceEvent::Respond { id, .. } => answered.push(*id),
        }
    }
    pairs
}

/// Whether a request changes something.
fn writes(shown: &Counterexample, number: u32) -> bool {
    shown.steps.iter().any(|event| match event {
        TraceEvent::Step { id, accesses: Some(accesses), .. } if *id == number => accesses.iter().any(|access| access.op == "write"),
        TraceEvent::Step { id, from, to, .. } if *id == number => from.global != to.global,
        _ => false,
    })
}

/// A least set of pairs with which no order explains the answers, and an order without them.
fn needed<M: Named>(shown: &Counterexample, system: M) -> Option<(Vec<[u32; 2]>, Vec<u32>)> {
    let mut orders = Orders { explorer: SerialExplorer::new(system), shown, budget: Budget::ticks(ORDER_TICKS) };
    let without = orders.some(&[])?.unwrap_or_default();
    let mut kept = precedence(shown);
    // What follows from others comes first, so that it is left out.
    let follows = |pairs: &[[u32; 2]], [first, second]: [u32; 2]| {
        pairs.iter().any(|&[from, middle]| from == first && pairs.contains(&[middle, second]))
    };
    kept.sort_by_key(|&pair| !follows(&precedence(shown), pair));
    let mut index = 0;
    while index < kept.len() {
        let mut fewer = kept.clone();
        fewer.remove(index);
        match orders.some(&fewer)? {
            None => kept = fewer,
            Some(_) => index += 1,
        }
    }
    kept.sort_unstable();
    Some((kept, without))
}

/// Serial orders of the requests of a run that give its answers.
struct Orders<'a, M> {
    explorer: SerialExplorer<M>,
    shown: &'a Counterexample,
    budget: Budget,
}

impl<M: Named> Orders<'_, M> {
    /// One that agrees with these pairs, if there is one; nothing where that takes too long.
    fn some(&mut self, pairs: &[[u32; 2]]) -> Option<Option<Vec<u32>>> {
        let start: (GlobalId, Vec<u32>) = (self.explorer.system().initial_global(), Vec::new());
        let mut seen: BTreeSet<(GlobalId, Vec<u32>)> = BTreeSet::new();
        let mut open = vec![start];
        while let Some((global, order)) = open.pop() {
            if order.len() == self.shown.requests.len() {
                return Some(Some(order));
            }
            for answered in &self.shown.requests {
                let is_next =
                    !order.contains(&answered.id) && pairs.iter().all(|&[first, second]| second != answered.id || order.contains(&first));
                if !is_next {
                    continue;
                }
                let request = self.request(&answered.request)?;
                let results = self.explorer.alone(request, global, &mut self.budget).ok()?.to_vec();
                for (response, after) in results {
                    self.budget.spend(1).ok()?;
                    if self.explorer.system().response_name(response) != answered.response {
                        continue;
                    }
                    let order: Vec<u32> = order.iter().copied().chain([answered.id]).collect();
                    let mut set = order.clone();
                    set.sort_unstable();
                    if seen.insert((after, set)) {
                        open.push((after, order));
                    }
                }
            }
        }
        Some(None)
    }

    fn request(&self, name: &str) -> Option<RequestId> {
        let system = self.explorer.system();
        system.starts().iter().map(|&(request, _)| request).find(|&request| system.request_name(request) == name)
    }
}
