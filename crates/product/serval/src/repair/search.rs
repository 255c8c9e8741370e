//! Smallest sets first.

use std::collections::BTreeSet;
use std::sync::Arc;

use serval_budget::{Budget, Cancel};
use serval_compile::{Compiled, Needs};
use serval_diagnostic::counted;
use serval_lipton_engine::Why;
use serval_model::NetworkSystem;
use serval_proof::{Body, Certificate, RunCertificate, fingerprint};

use super::change::ProgramChange;
use super::harm::{Hazards, always_ends};
use super::hitting::{Conflict, NextSet, STEPS, Set, any_of, meets, next};
use super::judge::{Effort, Judged, checked, judge};
use super::{Fix, Harmful, Options, Outcome, Repair};
use crate::claim::{FIRST_PAIRS, FIRST_TEXT_TICKS, TEXT_TICKS};
use crate::evidence::About;
use crate::{Input, InputKind};

/// Rounds of growing budgets for each changed program: at first none, and again
/// with more as long as that gives no answer.
pub(crate) const ROUNDS: [usize; 3] = [0, 1, 4];
/// States that are explored to see what the program itself does to requests.
const OWN_PAIRS: u64 = 400_000;

/// What is wrong with a program.
pub(crate) enum Refutation {
    /// A run of a component is not serial.
    Run { run: RunCertificate, component: usize },
    /// In some run a step fails, in words.
    Fails(String),
}

/// Decides about the program itself: refuted, or there is nothing to fix; with what fails, if something does.
pub(crate) fn refute(input: &Input, options: &Options, cancel: &Cancel) -> Result<Refutation, (Outcome, Option<String>)> {
    let own = Effort { jobs: options.jobs, rounds: options.rounds, pairs: None };
    match judge(input, own, cancel) {
        Judged::Proved { .. } => Err((Outcome::Serializable, None)),
        Judged::Unknown(reason) => Err((Outcome::Undecided(reason, false), None)),
        Judged::Unusable(diagnostic) => Err((Outcome::Unusable(diagnostic), None)),
        Judged::Refused(why) => Err((Outcome::Refused(why), None)),
        Judged::Refuted { run, component } => Ok(Refutation::Run { run, component }),
        // Serial runs stay as they are (lemmas 2 and 4), those that fail included.
        Judged::Fails { needs: Needs::Nothing | Needs::OneRequest, diagnostic } => {
            let why = "one request alone can fail, which has nothing to do with others";
            Err((Outcome::NoFix(why.to_owned()), Some(diagnostic.message)))
        }
        Judged::Fails { needs: Needs::OneAtATime, diagnostic } => {
            let why = "requests that run one at a time can fail, too: no race is needed";
            Err((Outcome::NoFix(why.to_owned()), Some(diagnostic.message)))
        }
        Judged::Fails { diagnostic, .. } => Ok(Refutation::Fails(diagnostic.message)),
    }
}

/// Finds smallest sets of changes with which a refuted program is serializable.
pub(crate) fn search(input: &Input, change: &dyn ProgramChange, refuted: &Refutation, options: &Options, cancel: &Cancel) -> Repair {
    // Without all states nothing is known of the program as it is;
    // then nothing at all may go wrong in the changed one.
    let pairs = options.pairs.map_or(OWN_PAIRS, |pairs| pairs.min(OWN_PAIRS));
    let before = input.compiled_within(pairs, &Budget::new(u64::MAX, cancel.clone()));
    let before = before.and_then(Result::ok).map_or_else(Hazards::default, |compiled| Hazards::of(&compiled, cancel));
    let endless = !input.prepared().is_some_and(|prepared| always_ends(prepared.program()));
    let all: Set = (0..change.count()).collect();
    let first = match refuted {
        Refutation::Run { run, component } => input.prepared().and_then(|prepared| change.conflict(prepared, *component, run)),
        Refutation::Fails(_) => None,
    };
    let conflicts = vec![first.unwrap_or_else(|| any_of(all.iter().copied()))];
    let likely = change.of_requests(&without_commit(input, cancel));
    let fault = if let Refutation::Fails(message) = refuted { Some(message.clone()) } else { None };
    let (tried, open, found, repair) = (BTreeSet::new(), BTreeSet::new(), Vec::new(), Repair { fault, ..Repair::default() });
    let mut search = RepairSearch {
        text: input.text(),
        change,
        options: options.clone(),
        cancel,
        before,
        endless,
        all,
        likely,
        conflicts,
        rounds: 0,
        tried,
        open,
        found,
        repair,
    };
    let outcome = search.run();
    Repair { outcome, ..search.repair }
}

/// The names of two requests whose steps do not commute though one of them would have to, so that one has no commit
/// point: that is often where the mistake is.
fn without_commit<'a>(input: &'a Input, cancel: &Cancel) -> Vec<&'a str> {
    let Some(prepared) = input.prepared() else { return Vec::new() };
    let budget = &mut Budget::new(FIRST_TEXT_TICKS, cancel.clone());
    let Err(Why::Conflict(conflict)) = serval_lipton_engine::prove(prepared, budget) else { return Vec::new() };
    let requests = [conflict.first.body, conflict.second.body].into_iter().filter_map(|body| prepared.program().requests.get(body));
    requests.map(|request| request.name.split('(').next().unwrap_or_default()).collect()
}

struct RepairSearch<'a> {
    text: &'a str,
    change: &'a dyn ProgramChange,
    options: Options,
    cancel: &'a Cancel,
    /// What the program itself does to requests.
    before: Hazards,
    /// Whether it has loops, so that requests may wait or spin.
    endless: bool,
    /// All that can be changed.
    all: Set,
    /// What is tried first.
    likely: Set,
    /// Every fix meets each.
    conflicts: Vec<Conflict>,
    /// Rounds of growing budgets for each set.
    rounds: usize,
    tried: BTreeSet<Set>,
    /// Those of them that stayed undecided.
    open: BTreeSet<Set>,
    /// Sets that will do.
    found: Vec<Fix>,
    /// What is reported in the end.
    repair: Repair,
}

/// What is known of a set.
enum Tried {
    Fix(Box<Proof>),
    Refuted,
    /// It can fail, in words.
    Fails(String),
    Harmful,
    Undecided,
}

/// Whether a proper part of a set is a fix.
enum ProperPart {
    Fix,
    None,
    Unknown,
}

/// A proof for the text changed by a set.
struct Proof {
    /// The states, unless they are too many and no request can wait.
    compiled: Option<Arc<Compiled>>,
    certificate: Certificate,
}

/// The evidence for something is refused.
struct Refused(String);

impl RepairSearch<'_> {
    fn run(&mut self) -> Outcome {
        let mut outcome = Outcome::Undecided("nothing was tried".to_owned(), true);
        let most = self.options.rounds;
        for rounds in ROUNDS.into_iter().filter(|&rounds| rounds <= most) {
            // What is known of counterexamples stays, so little is done twice.
            self.rounds = rounds;
            self.tried.clear();
            self.open.clear();
            self.found.clear();
            self.repair.harmful.clear();
            outcome = self.sizes().unwrap_or_else(|Refused(why)| Outcome::Refused(why));
            if !matches!(outcome, Outcome::Undecided(..)) {
                self.repair.candidates.clear();
                break;
            }
            if self.cancel.is_cancelled() {
                break;
            }
        }
        outcome
    }

    fn sizes(&mut self) -> Result<Outcome, Refused> {
        let [nothing, not_enough, harm] = self.change.excuses();
        if self.all.is_empty() {
            return Ok(Outcome::NoFix(nothing.to_owned()));
        }
        let all = self.all.clone();
        let everything = match self.attempt(&all)? {
            Tried::Refuted => return Ok(Outcome::NoFix(not_enough.to_owned())),
            Tried::Fails(message) => return Ok(Outcome::NoFix(format!("even with all changes at once it can fail: {message}"))),
            Tried::Fix(proof) => Some(proof),
            Tried::Harmful | Tried::Undecided => None,
        };
        let mut complete = true;
        for size in 1..=self.options.size.min(all.len().saturating_sub(1)) {
            let smaller = complete;
            complete &= self.size(size)?;
            if !self.found.is_empty() {
                return self.settled(smaller);
            }
        }
        complete &= self.options.size.saturating_add(1) >= all.len();
        match everything {
            Some(proof) => {
                let (set, proof) = if complete && self.open.is_empty() { (all, proof) } else { self.shrink(all, proof)? };
                self.keep(&set, &proof)?;
                self.settled(complete)
            }
            None if complete && self.open.is_empty() => Ok(Outcome::NoFix(harm.to_owned())),
            None => Ok(Outcome::Undecided(self.why_undecided(), true)),
        }
    }

    fn why_undecided(&self) -> String {
        if self.cancel.is_cancelled() {
            "stopped at a limit".to_owned()
        } else if !self.open.is_empty() {
            format!("serval could not decide whether {} would make it serializable", counted(self.open.len(), "smaller change"))
        } else {
            format!("none of {} will do, and there are more", counted(self.tried.len(), "set"))
        }
    }

    /// Tries all sets of this size; whether all could be tried.
    fn size(&mut self, size: usize) -> Result<bool, Refused> {
        loop {
            if self.found.len() >= self.options.fixes || self.conflicts.iter().any(Conflict::is_empty) {
                return Ok(true);
            }
            // That all of them are undecided says nothing about smaller sets.
            let hard = self.open.iter().filter(|open| open.len() < self.all.len()).count() >= self.options.undecided;
            if hard || self.tried.len() >= self.options.checks || self.cancel.is_cancelled() {
                return Ok(false);
            }
            let set = match next(size, &self.all, &self.likely, &self.conflicts, &self.tried, STEPS) {
                NextSet::Set(set) => set,
                NextSet::None => return Ok(true),
                NextSet::TooMany => return Ok(false),
            };
            if let Tried::Fix(proof) = self.attempt(&set)? {
                self.keep(&set, &proof)?;
            }
        }
    }

    /// Decides about the program without a set.
    fn attempt(&mut self, set: &Set) -> Result<Tried, Refused> {
        self.tried.insert(set.clone());
        self.open.remove(set);
        self.repair.checks += 1;
        let changed = self.change.changed(set);
        let effort = Effort { jobs: self.options.jobs, rounds: self.rounds, pairs: self.options.pairs };
        let changed = match Input::program(changed) {
            Ok(changed) => changed,
            Err(mistakes) => return Ok(self.harmful(set, mistakes.first_error().message)),
        };
        Ok(match judge(&changed, effort, self.cancel) {
            Judged::Refuted { run, component } => {
                let met = changed.prepared().and_then(|prepared| self.change.conflict(prepared, component, &run));
                // Sets within this one are no fixes either (lemma 2).
                self.conflicts.push(any_of(self.all.difference(set).copied()));
                self.conflicts.extend(met);
                Tried::Refuted
            }
            Judged::Proved { compiled, certificate } => {
                // What a change does to requests is asked of the states, also where the proof needs none.
                // Where all requests come to an end whatever others do, there is nothing to ask.
                let compiled = if self.endless { compiled.or_else(|| self.states(&changed)) } else { compiled };
                let worse = match &compiled {
                    Some(compiled) => Hazards::of(compiled, self.cancel).worse_than(&self.before, self.text, self.change.keeps_places()),
                    None if self.endless => {
                        self.open.insert(set.clone());
                        return Ok(Tried::Undecided);
                    }
                    None => None,
                };
                match worse {
                    None => Tried::Fix(Box::new(Proof { compiled, certificate })),
                    Some(why) => self.harmful(set, why),
                }
            }
            Judged::Fails { diagnostic, .. } => {
                // Programs with fewer of the changes have this run, too (lemma 6).
                self.conflicts.push(any_of(self.all.difference(set).copied()));
                Tried::Fails(diagnostic.message)
            }
            Judged::Unusable(diagnostic) => self.harmful(set, diagnostic.message),
            Judged::Unknown(_) => {
                self.open.insert(set.clone());
                Tried::Undecided
            }
            Judged::Refused(why) => return Err(Refused(why)),
        })
    }

    /// The states of a program, if they are not too many.
    fn states(&self, changed: &Input) -> Option<Arc<Compiled>> {
        let budget = Budget::new(u64::MAX, self.cancel.clone());
        changed.compiled_within(self.options.pairs.unwrap_or(FIRST_PAIRS), &budget)?.ok()
    }

    fn harmful(&mut self, set: &Set, why: String) -> Tried {
        self.repair.harmful.push(Harmful { set: set.iter().copied().collect(), why });
        Tried::Harmful
    }

    /// Takes one change after the other back as long as it remains a fix.
    fn shrink(&mut self, mut set: Set, mut proof: Box<Proof>) -> Result<(Set, Box<Proof>), Refused> {
        for member in self.all.clone() {
            if self.tried.len() >= 2 * self.options.checks || self.cancel.is_cancelled() {
                break;
            }
            let mut smaller = set.clone();
            smaller.remove(&member);
            if smaller.is_empty() || self.is_refuted(&smaller) {
                continue;
            }
            if let Tried::Fix(found) = self.attempt(&smaller)? {
                (set, proof) = (smaller, found);
            }
        }
        Ok((set, proof))
    }

    /// What comes of the sets that were found. Offered are those of which no
    /// part is enough; where that cannot be decided, a set is a candidate.
    /// `smaller` says whether all smaller sets could be tried.
    fn settled(&mut self, smaller: bool) -> Result<Outcome, Refused> {
        let effort = self.rounds;
        self.rounds = effort.max(self.options.settle);
        let mut found = std::mem::take(&mut self.found);
        // Whatever was tried first, the first words of the text come first.
        found.sort_by(|one, other| one.set.cmp(&other.set));
        let (mut minimal, mut candidates) = (Vec::new(), Vec::new());
        for fix in found {
            match self.part_of(&fix.set.iter().copied().collect(), self.rounds > effort)? {
                ProperPart::None => minimal.push(fix),
                ProperPart::Fix => {
                    // It is smaller than all that were found, and of its own
                    // parts none is enough.
                    minimal = std::mem::take(&mut self.found);
                    candidates.clear();
                    break;
                }
                ProperPart::Unknown => candidates.push(fix),
            }
        }
        if minimal.is_empty() {
            if !candidates.is_empty() {
                self.repair.candidates = candidates;
            }
            let why = if self.cancel.is_cancelled() { "stopped at a limit" } else { "whether a part of it is enough could not be decided" };
            return Ok(Outcome::Undecided(why.to_owned(), true));
        }
        if self.rounds > effort
            && let Some(fix) = self.smaller_than(minimal.iter().map(|fix| fix.set.len()).min().unwrap_or(0))?
        {
            minimal = vec![fix];
        }
        let size = minimal.iter().map(|fix| fix.set.len()).min().unwrap_or(0);
        self.repair.smallest = smaller && self.open.iter().all(|open| open.len() >= size || self.is_refuted(open));
        Ok(Outcome::Fixed(minimal))
    }

    /// Looks with more effort for a minimal fix among what is open and smaller.
    fn smaller_than(&mut self, size: usize) -> Result<Option<Fix>, Refused> {
        let mut open: Vec<Set> = self.open.iter().filter(|open| open.len() < size).cloned().collect();
        open.sort_by_key(Set::len);
        for set in open {
            if self.cancel.is_cancelled() || self.is_refuted(&set) {
                continue;
            }
            if let Tried::Fix(proof) = self.attempt(&set)? {
                self.keep(&set, &proof)?;
                let fix = self.found.pop();
                match self.part_of(&set, false)? {
                    ProperPart::None => return Ok(fix),
                    ProperPart::Fix => return Ok(self.found.pop()),
                    ProperPart::Unknown => self.found.clear(),
                }
            }
        }
        Ok(None)
    }

    /// Whether a known run shows that a set is no fix.
    fn is_refuted(&self, set: &Set) -> bool {
        self.conflicts.iter().any(|conflict| !meets(set, conflict))
    }

    /// Looks for a fix within a set, the smallest first; what is open is tried
    /// again if there is `more` effort. A fix is kept.
    fn part_of(&mut self, set: &Set, more: bool) -> Result<ProperPart, Refused> {
        for size in 1..set.len() {
            // Decided are those of which a conflict, a fix or harm is known.
            let mut passed: BTreeSet<Set> = self.tried.difference(&self.open).cloned().collect();
            loop {
                let part = match next(size, set, &self.likely, &self.conflicts, &passed, STEPS) {
                    NextSet::Set(part) => part,
                    NextSet::None => break,
                    NextSet::TooMany => return Ok(ProperPart::Unknown),
                };
                let futile = !more && self.open.contains(&part);
                if futile || self.tried.len() >= 2 * self.options.checks || self.cancel.is_cancelled() {
                    return Ok(ProperPart::Unknown);
                }
                passed.insert(part.clone());
                match self.attempt(&part)? {
                    Tried::Refuted | Tried::Fails(_) | Tried::Harmful => {}
                    Tried::Undecided => return Ok(ProperPart::Unknown),
                    Tried::Fix(proof) => {
                        self.keep(&part, &proof)?;
                        return Ok(if self.found.is_empty() { ProperPart::Unknown } else { ProperPart::Fix });
                    }
                }
            }
        }
        Ok(ProperPart::None)
    }

    /// A certificate for a text that is written otherwise than the one with this proof, as the checker accepts it.
    fn certified(&self, text: &str, proof: &Proof) -> Result<Option<String>, Refused> {
        let Some(compiled) = &proof.compiled else {
            // Without states the two cannot be compared, so that the text is decided for itself.
            let Ok(input) = Input::program(text) else { return Ok(None) };
            let effort = Effort { jobs: self.options.jobs, rounds: self.rounds, pairs: self.options.pairs };
            return match judge(&input, effort, self.cancel) {
                Judged::Proved { certificate, .. } => Ok(Some(certificate.to_json())),
                Judged::Refused(why) => Err(Refused(why)),
                _ => Ok(None),
            };
        };
        // The same systems have the same runs, harm included.
        if !same_systems(text, compiled, self.cancel) {
            return Ok(None);
        }
        let Some(body) = body_for(text, &proof.certificate.body, self.cancel) else { return Ok(None) };
        let certificate = Certificate { input: fingerprint(text), body, ..proof.certificate.clone() };
        // The states are numbered as in another text, so they are of no use here.
        match checked(About { text, kind: InputKind::Program, compiled: None }, certificate, self.cancel) {
            Ok(certificate) => Ok(Some(certificate)),
            Err(Judged::Refused(why)) => Err(Refused(why)),
            Err(_) => Ok(None),
        }
    }

    /// Writes a fix as a text and has its certificate checked for that text.
    fn keep(&mut self, set: &Set, proof: &Proof) -> Result<(), Refused> {
        for (text, diff) in self.change.written(set) {
            if let Some(certificate) = self.certified(&text, proof)? {
                self.found.push(Fix { set: set.iter().copied().collect(), text, diff, certificate });
                return Ok(());
            }
        }
        // A limit ended the check of what had been accepted once.
        self.open.insert(set.clone());
        Ok(())
    }
}

/// A proof for a text that means the same as another one. Proofs on states are about what both mean; one on the text is
/// looked for again, as its points are counted by the words of the text.
fn body_for(text: &str, body: &Body, cancel: &Cancel) -> Option<Body> {
    let Body::Reduction(_) = body else { return Some(body.clone()) };
    let input = Input::program(text).ok()?;
    let found = serval_lipton_engine::prove(input.prepared()?, &mut Budget::new(TEXT_TICKS, cancel.clone())).ok()?;
    Some(Body::Reduction(Box::new(found.reduction)))
}

/// Whether a text compiles to the systems that are known.
fn same_systems(text: &str, known: &Compiled, cancel: &Cancel) -> bool {
    let Ok(input) = Input::program(text) else { return false };
    let budget = Budget::new(u64::MAX, cancel.clone());
    let Some(Ok(compiled)) = input.prepared().map(|prepared| prepared.compile(&budget)) else { return false };
    fn systems(compiled: &Compiled) -> impl Iterator<Item = &NetworkSystem> {
        compiled.components().iter().map(|component| component.system())
    }
    systems(&compiled).eq(systems(known))
}
