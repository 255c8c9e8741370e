//! Repairs that keep every pause, found by what counterexamples show.
//!
//! A repair is a set of variants, at most one for each pause. The search begins with no variant and the counterexample
//! of the program; a set that is refuted is followed by those with one more variant, for a pause at which a request
//! waits in the run that refutes it. Cheap sets come first. Each kind is looked for by itself, and all of them together
//! only where no kind does alone.
//!
//! **What is offered.** A changed text is a repair if
//! 1. it is serializable: the checker accepts a proof for exactly the text that is written;
//! 2. one at a time it answers as before, up to three requests in a row, but for refusals that are named (`serial`);
//! 3. no request gets worse: none spins, gets stuck, or no longer answers that did not before (`harm`);
//! 4. analysis has no more to remark on it than on the text before.
//!
//! **Lemma.** *If the program has no loop, a set of these variants does no harm.* Without loops every step ends and
//! every request has a bounded number of steps. The variants add code without loops; the loop of a retry, of which each
//! round that is made without a step of others in its pause ends the request; a version, whose slots are free when
//! those who hold one have ended; and a lock, whose holder ends. So from every state in
//! which requests are in flight all of them can answer, one after the other: first the holders of the lock and of
//! versions, then each of the others alone. A proof says that no step fails. ∎ So the states are asked only where the
//! program has loops itself.
//!
//! Nothing here is complete: other repairs may exist. Work is counted in ticks and in sets that are decided, so that
//! the same text gets the same proposals everywhere.

use std::collections::{BTreeMap, BTreeSet};

use serval_budget::{Budget, Cancel};
use serval_compile::Prepared;
use serval_format::line_diff;
use serval_proof::{Action, RunCertificate};

use super::edit::formatted_as;
use super::harm::{Hazards, always_ends};
use super::judge::{Effort, Judged, judge};
use super::lock::{Locking, bodies};
use super::pauses::pauses;
use super::rewrite::{Rewritten, rewritten};
use super::search::{ROUNDS, Refutation, search};
use super::serial::{AddedRefusal, about_others, same_alone};
use super::variants::{RepairKind, Variant, Workshop};
use super::yields::{Yield, yields};
use super::{Options, Outcome};
use crate::claim::FIRST_PAIRS;
use crate::{Content, Input};

/// A repair that keeps every pause, with a proof of the text that it gives.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Proposal {
    /// What is done.
    pub kind: RepairKind,
    /// The same in words, one for each place.
    pub words: Vec<String>,
    /// Answers that requests may then give at any time: the name of each and the answer.
    pub refusals: Vec<(String, String)>,
    /// The lock and the requests that take it, if that is what is done.
    pub lock: Option<(String, Vec<String>)>,
    /// The changed text.
    pub text: String,
    /// How it differs, in the form of `diff -u` without the names of files.
    pub diff: String,
    /// The certificate for the changed text, which the checker has accepted.
    pub certificate: String,
}

/// States that are explored to see what the program itself does to requests.
const OWN_PAIRS: u64 = 400_000;
/// Sets that are decided for each kind, at least and at most.
const FEWEST: usize = 12;
const MOST: usize = 48;
/// Numbers from here on stand for requests instead of pauses.
const REQUESTS: usize = 1 << 20;
/// Additional cost of a set with several kinds.
const MIXED: u32 = 100;

/// Looks for repairs of a refuted program that keep every pause, at most `wanted` of them and one of each kind.
pub(crate) fn keeping(input: &Input, refuted: &Refutation, options: &Options, wanted: usize, cancel: &Cancel) -> Vec<Proposal> {
    let (Content::Program(program), Some(prepared)) = (input.content(), input.prepared()) else { return Vec::new() };
    let all = yields(program, input.text());
    let keeps = |one: &Yield| one.keep || options.keep.contains(&one.place.line);
    let workshop = Workshop::new(input.text());
    let found = pauses(input.text(), &all, &keeps, &|name| workshop.names.pauses(name));
    let pairs = options.pairs.map_or(OWN_PAIRS, |pairs| pairs.min(OWN_PAIRS));
    let before = input.compiled_within(pairs, &Budget::new(u64::MAX, cancel.clone())).and_then(Result::ok);
    let first = match refuted {
        Refutation::Run { run, component } => waits(prepared, *component, run),
        Refutation::Fails(_) => None,
    };
    let first = first.map(|waits| by_number(waits, |place| all.iter().position(|one| one.span.range().start == place)));
    let mut variants = Vec::new();
    for pause in &found {
        let stale = |number: &usize| first.as_ref().and_then(|first| first.get(&Some(*number))).cloned().unwrap_or_default();
        let stale = pause.waits.iter().flat_map(stale).collect();
        variants.extend(workshop.variants(pause, &stale));
    }
    for (number, (name, body)) in (REQUESTS..).zip(bodies(input.text())) {
        workshop.refuse_at_any_time(&name, &body, number, &mut variants);
    }
    let answers = if let Refutation::Run { run, .. } = refuted { answers(run) } else { BTreeSet::new() };
    let mut search = KeepingSearch {
        about_others: about_others(program, answers, cancel),
        input,
        options,
        cancel,
        before: before.map_or_else(Hazards::default, |compiled| Hazards::of(&compiled, cancel)),
        endless: !always_ends(program),
        warnings: input.warnings.len(),

        places: all.iter().map(|one| one.span.range().start).collect(),
        variants,
        first: first.map(|first| first.into_keys().collect()),
        checks: 0,
        rounds: 0,
        undecided: false,
    };
    search.any(refuted, wanted)
}

/// The pauses at which others make steps in a run, by their places, with the globals that had been read before and are
/// written meanwhile; `None` if the run cannot be followed.
fn waits(prepared: &Prepared, component: usize, run: &RunCertificate) -> Option<BTreeMap<usize, BTreeSet<String>>> {
    let mut source = prepared.source().start();
    let mut standing: BTreeMap<u32, usize> = BTreeMap::new();
    let mut read: BTreeMap<u32, BTreeSet<String>> = BTreeMap::new();
    let mut found: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
    for event in &run.steps {
        match &event.action {
            Action::Spawn { request, local } => prepared.follow_spawn(&mut source, event.id, component, request, local).ok()?,
            Action::Step { to, .. } => {
                let step = prepared.follow_step(&mut source, event.id, &to.local, &to.global).ok()?;
                let name = |access: &serval_compile::Access| {
                    let global = prepared.program().globals.get(access.variable.index());
                    global.map(|global| global.name.split('[').next().unwrap_or_default().to_owned())
                };
                let written: BTreeSet<String> = step.accesses.iter().filter(|access| access.write).filter_map(name).collect();
                for (other, &place) in standing.iter().filter(|&(&other, _)| other != event.id) {
                    let known = read.get(other).into_iter().flatten().filter(|name| written.contains(*name)).cloned();
                    found.entry(place).or_default().extend(known);
                }
                read.entry(event.id).or_default().extend(step.accesses.iter().filter_map(name));
                match step.answer() {
                    Some(_) => standing.remove(&event.id),
                    None => standing.insert(event.id, step.ended_at.range().start),
                };
            }
            Action::Respond { .. } => source.respond(event.id).ok()?,
        }
    }
    Some(found)
}

/// The requests of a run with their answers.
fn answers(run: &RunCertificate) -> BTreeSet<AddedRefusal> {
    let mut names: BTreeMap<u32, &str> = BTreeMap::new();
    let mut found = BTreeSet::new();
    for event in &run.steps {
        match &event.action {
            Action::Spawn { request, .. } => {
                names.insert(event.id, request);
            }
            Action::Respond { response, .. } => {
                found.extend(names.get(&event.id).map(|&name| (name.to_owned(), response.clone())));
            }
            Action::Step { .. } => {}
        }
    }
    found
}

/// The same by numbers of pauses; those that are new have none.
fn by_number(
    waits: BTreeMap<usize, BTreeSet<String>>,
    number: impl Fn(usize) -> Option<usize>,
) -> BTreeMap<Option<usize>, BTreeSet<String>> {
    let mut found: BTreeMap<Option<usize>, BTreeSet<String>> = BTreeMap::new();
    for (place, names) in waits {
        found.entry(number(place)).or_default().extend(names);
    }
    found
}

/// Whether an answer is one of these, of whichever parameters.
fn is_one_of(answers: &BTreeSet<AddedRefusal>, (request, answer): &AddedRefusal) -> bool {
    answers.iter().any(|(name, known)| name.split('(').next() == Some(request.as_str()) && known == answer)
}

struct KeepingSearch<'a> {
    input: &'a Input,
    options: &'a Options,
    cancel: &'a Cancel,
    /// What the program itself does to requests.
    before: Hazards,
    /// Whether it has loops.
    endless: bool,
    /// Answers of the first counterexample that say that others were there.
    about_others: BTreeSet<AddedRefusal>,
    /// How much there is to remark on it.
    warnings: usize,
    /// Where the `yield`s of the text begin.
    places: Vec<usize>,
    variants: Vec<Variant>,
    /// At which pauses the first counterexample waits.
    first: Option<BTreeSet<Option<usize>>>,
    /// How many sets have been decided.
    checks: usize,
    /// Rounds of growing budgets for each.
    rounds: usize,
    /// Whether some stayed undecided.
    undecided: bool,
}

/// What is known of a changed text.
enum Weighed {
    Repair(String),
    /// At which pauses a run waits that refutes it.
    Refuted(Option<BTreeSet<Option<usize>>>),
    No,
}

/// A set of variants, by their positions.
type Chosen = BTreeSet<usize>;

impl KeepingSearch<'_> {
    /// One repair of each kind, in the order of the kinds; tried harder where nothing is found and some were undecided.
    fn any(&mut self, refuted: &Refutation, wanted: usize) -> Vec<Proposal> {
        let most = self.options.rounds;
        for rounds in ROUNDS.into_iter().filter(|&rounds| rounds <= most) {
            (self.rounds, self.undecided) = (rounds, false);
            let found = self.kinds(refuted, wanted);
            if !found.is_empty() || !self.undecided || self.cancel.is_cancelled() {
                return found;
            }
        }
        Vec::new()
    }

    /// One repair of each kind, in the order of the kinds.
    fn kinds(&mut self, refuted: &Refutation, wanted: usize) -> Vec<Proposal> {
        let mut found: Vec<Proposal> = Vec::new();
        for kind in RepairKind::ALL {
            if found.len() >= wanted || self.cancel.is_cancelled() {
                break;
            }
            // Refusals are for what nothing but a lock helps: they allow what the others prevent.
            let late = kind == RepairKind::Refuse && found.iter().any(|one| one.kind != RepairKind::Lock);
            if !late {
                found.extend(if kind == RepairKind::Lock { self.by_lock(refuted) } else { self.by(&|one| one.kind == kind) });
            }
        }
        // An answer about others may also come at any time.
        if found.len() < wanted && !self.about_others.is_empty() && found.iter().all(|one| one.kind != RepairKind::Refuse) {
            let about = self.about_others.clone();
            found.extend(self.by(&|one| one.kind == RepairKind::Refuse && one.refusals.iter().all(|added| is_one_of(&about, added))));
        }
        if found.is_empty() {
            found.extend(self.by(&|_| true));
        }
        found
    }

    /// The cheapest repair that is found with variants of these kinds.
    fn by(&mut self, may: &dyn Fn(&Variant) -> bool) -> Option<Proposal> {
        let mut queue: BTreeSet<(u32, Chosen)> = BTreeSet::new();
        let mut known: BTreeSet<Chosen> = BTreeSet::new();
        self.checks = 0;
        self.follow(&Chosen::new(), &self.first.clone(), may, &mut queue);
        while let Some((_, chosen)) = queue.pop_first() {
            if self.checks >= (self.options.checks / 4).clamp(FEWEST, MOST) || self.cancel.is_cancelled() {
                return None;
            }
            if !known.insert(chosen.clone()) {
                continue;
            }
            let Some(changed) = self.changed(&chosen) else { continue };
            match self.weigh(&changed, &chosen) {
                Weighed::Repair(certificate) => return Some(self.proposal(&chosen, changed.text, certificate)),
                Weighed::Refuted(waits) => self.follow(&chosen, &waits, may, &mut queue),
                Weighed::No => {}
            }
        }
        None
    }

    /// Puts the sets with one more variant into the queue.
    fn follow(
        &self,
        chosen: &Chosen,
        waits: &Option<BTreeSet<Option<usize>>>,
        may: &dyn Fn(&Variant) -> bool,
        queue: &mut BTreeSet<(u32, Chosen)>,
    ) {
        // Where a run waits at a pause that is new, any of the others may be what is missing.
        let any = waits.as_ref().is_none_or(|waits| waits.is_empty() || waits.contains(&None));
        for (number, variant) in self.variants.iter().enumerate().filter(|(_, variant)| may(variant)) {
            let waited = any
                || variant.pause >= REQUESTS
                || waits.as_ref().is_some_and(|waits| variant.waits.iter().any(|&number| waits.contains(&Some(number))));
            let free = chosen.iter().all(|&other| self.variants[other].pause != variant.pause);
            if waited && free {
                let mut more = chosen.clone();
                more.insert(number);
                queue.insert((self.cost(&more), more));
            }
        }
    }

    fn cost(&self, chosen: &Chosen) -> u32 {
        let kinds: BTreeSet<RepairKind> = chosen.iter().map(|&number| self.variants[number].kind).collect();
        let mixed = u32::try_from(kinds.len().saturating_sub(1)).unwrap_or(u32::MAX).saturating_mul(MIXED);
        chosen.iter().map(|&number| self.variants[number].cost).fold(mixed, u32::saturating_add)
    }

    /// The text with these variants, formatted where the text is.
    fn changed(&self, chosen: &Chosen) -> Option<KeptText> {
        let changes = chosen.iter().flat_map(|&number| self.variants[number].changes.clone()).collect();
        let plain = rewritten(self.input.text(), changes)?;
        let formatted = formatted_as(self.input.text(), &plain.text, &self.options.style);
        let text = formatted.unwrap_or_else(|| plain.text.clone());
        (text != self.input.text()).then_some(KeptText { plain, text })
    }

    /// Whether a changed text is a repair.
    fn weigh(&mut self, changed: &KeptText, chosen: &Chosen) -> Weighed {
        let (Ok(after), Content::Program(before)) = (Input::program(changed.text.as_str()), self.input.content()) else {
            return Weighed::No;
        };
        let Content::Program(program) = after.content() else { return Weighed::No };
        if after.warnings.len() > self.warnings {
            return Weighed::No;
        }
        self.checks += 1;
        let refusals = chosen.iter().flat_map(|&number| self.variants[number].refusals.clone()).collect();
        if same_alone(before, program, &refusals, self.cancel) != Some(true) {
            return Weighed::No;
        }
        let effort = Effort { jobs: self.options.jobs, rounds: self.rounds, pairs: self.options.pairs };
        match judge(&after, effort, self.cancel) {
            Judged::Proved { compiled, certificate } => {
                let compiled = compiled.or_else(|| {
                    let budget = Budget::new(u64::MAX, self.cancel.clone());
                    let pairs = self.options.pairs.unwrap_or(FIRST_PAIRS);
                    self.endless.then(|| after.compiled_within(pairs, &budget)?.ok()).flatten()
                });
                let harmless = match &compiled {
                    _ if !self.endless => true,
                    Some(compiled) => Hazards::of(compiled, self.cancel).worse_than(&self.before, self.input.text(), false).is_none(),
                    None => false,
                };
                if harmless { Weighed::Repair(certificate.to_json()) } else { Weighed::No }
            }
            Judged::Refuted { run, component } => {
                let waits = after.prepared().and_then(|prepared| waits(prepared, component, &run));
                Weighed::Refuted(waits.map(|waits| self.numbered(&waits, changed, program, &after)))
            }
            Judged::Fails { .. } => Weighed::Refuted(None),
            Judged::Unknown(_) => {
                self.undecided = true;
                Weighed::No
            }
            Judged::Unusable(_) | Judged::Refused(_) => Weighed::No,
        }
    }

    /// The numbers in the text before of the pauses at these places of the changed one.
    fn numbered(
        &self,
        waits: &BTreeMap<usize, BTreeSet<String>>,
        changed: &KeptText,
        program: &serval_syntax::Program,
        after: &Input,
    ) -> BTreeSet<Option<usize>> {
        // Formatting moves blanks, and keeps the order of the words.
        let words: Vec<usize> = yields(program, after.text()).iter().map(|one| one.span.range().start).collect();
        let plain: Vec<usize> = changed.plain.text.match_indices("yield").map(|(at, _)| at).collect();
        let formatted: Vec<usize> = changed.text.match_indices("yield").map(|(at, _)| at).collect();
        let number = |place: usize| {
            words.contains(&place).then_some(())?;
            let at = plain.get(formatted.iter().position(|&at| at == place)?)?;
            self.places.iter().position(|&old| changed.plain.place(old) == Some(*at))
        };
        waits.keys().map(|&place| number(place)).collect()
    }

    fn proposal(&self, chosen: &Chosen, text: String, certificate: String) -> Proposal {
        let variants = || chosen.iter().map(|&number| &self.variants[number]);
        let refusals: BTreeSet<(String, String)> = variants().flat_map(|variant| variant.refusals.clone()).collect();
        Proposal {
            kind: variants().map(|variant| variant.kind).min().unwrap_or(RepairKind::CheckAgain),
            words: variants().map(|variant| variant.words.clone()).collect(),
            refusals: refusals.into_iter().collect(),
            lock: None,
            diff: line_diff(self.input.text(), &text),
            text,
            certificate,
        }
    }

    /// The fewest requests under a lock.
    fn by_lock(&self, refuted: &Refutation) -> Option<Proposal> {
        let text = self.input.text();
        let name = Workshop::new(text).new_name("Lock");
        let requests = super::lock::requests(text);
        let change = Locking::new(text, &name, &requests, &self.options.style);
        let options = Options { fixes: 1, ..self.options.clone() };
        let repair = search(self.input, &change, refuted, &options, self.cancel);
        let Outcome::Fixed(fixes) = repair.outcome else { return None };
        let fix = fixes.into_iter().next()?;
        let names: Vec<String> = fix.set.iter().filter_map(|&index| requests.get(index)).cloned().collect();
        let words = vec![format!("run {} under the lock {name}", super::variants::listed(&names))];
        let (text, diff, certificate) = (fix.text, fix.diff, fix.certificate);
        Some(Proposal { kind: RepairKind::Lock, words, refusals: Vec::new(), lock: Some((name, names)), text, diff, certificate })
    }
}

/// A changed text, before and after it is formatted.
struct KeptText {
    plain: Rewritten,
    text: String,
}
