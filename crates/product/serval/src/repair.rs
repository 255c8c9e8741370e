//! Repairs programs that are not serializable by removing `yield`s, or by a lock.
//!
//! # What removing does
//!
//! Let `P` be a program and `S` a set of words `yield` in its text. `P∖S` is
//! the program with `0`, the value of a `yield`, in the place of each word in
//! `S`. `Int` and `Ser` are the multisets of answers that complete runs and
//! complete serial runs have; a program is serializable if `Int ⊆ Ser`.
//!
//! **Lemma 1.** *A step of `P∖S` is a sequence of steps of `P`, by one request
//! with no other between, that ends at a `yield` outside of `S` or with an
//! answer, and of which all steps but the last end at words of `S`; and every
//! such sequence is a step of `P∖S`.* A `yield` does nothing but end the step
//! and have the value 0, so evaluation goes on behind it as it does behind
//! `0`, from the same values, if no other request has moved in between. ∎
//!
//! **Lemma 2.** *`Ser(P∖S) = Ser(P)`, and `Int(P∖T) ⊆ Int(P∖S)` where `S ⊆ T`.*
//! In a serial run no other request is between the steps of one until it answers,
//! so the steps of a complete serial run of `P` can be grouped as in lemma 1,
//! and the steps of one of `P∖S` can be taken apart. The second claim is lemma
//! 1 for `P∖S` and the rest of `T`. ∎ So with a fix every larger set is
//! serializable too, and if the set of all words does not do, none does.
//!
//! **Lemma 3.** *Let `ρ` be a complete run of `P∖R` and `Y(ρ)` the words at which
//! some request stands while another makes a step. If `S ∩ Y(ρ) = ∅` then `P∖S`
//! has a run with the same answers.* Take the steps of `ρ` apart by lemma 1.
//! That is a run of `P` with the same answers, and requests stand at the same
//! words while others make steps, as none moves at words of `R`. Where a
//! request stands at a word of `S` the next step in the run is its own: as the
//! run is complete it makes another, and no other makes one before. What
//! happens between are requests that come and answers, which touch nothing
//! else and can be moved away. So the two steps can be joined, and all such
//! sequences are steps of `P∖S` by lemma 1. ∎
//!
//! So if `ρ` is a counterexample, its answers are outside of `Ser(P∖R) =
//! Ser(P∖S)`, and every fix contains a word of `Y(ρ)`. If `Y(ρ)` is empty there
//! is no fix.
//!
//! # Locks
//!
//! Instead of removing `yield`s, requests can be put under a lock `M` that the
//! program does not have: `P^R` takes `M` at the beginning of the requests whose
//! names are in `R`, and releases it right before each of their answers, in the
//! same step.
//!
//! **Lemma 4.** *`Ser(P^R) = Ser(P)`, and `Int(P^T) ⊆ Int(P^R)` where `R ⊆ T`.* One
//! at a time, requests find the lock free and leave it free, and everything
//! else is as before. A complete run of `P^T` without what the requests in `T∖R`
//! do to the lock is one of `P^R`. ∎
//!
//! **Lemma 5.** *Let `ρ` be a complete run of `P^R`. If of no two requests that
//! overlap in `ρ`, the first step of each before the last of the other, both
//! names are in `S`, then `P^S` has a run with the same answers.* Leave the lock
//! out of `ρ`; that is a run of `P` in which no more requests overlap. Let the
//! requests in `S` take the lock in their first and release it in their last
//! step: no other request of `S` is between these two, so it is free. ∎ So every fix
//! has both names of some pair that overlaps in a counterexample.
//!
//! # What has to stay
//!
//! A `yield` with a comment `// keep` on its line is no change that may be made: sets are then of the others. Lemmas 1
//! to 3 speak of any sets of words, so that all of this holds for sets within those; if all of them do not do, none
//! does.
//!
//! # Steps that fail
//!
//! A program in which a step fails in some run, and in no serial one, is repaired
//! in the same way: what is offered is serializable, and a program with such a
//! proof has no step that fails.
//!
//! **Lemma 6.** *If a step fails in some run of `P∖T` then one does in some run of
//! `P∖S`, for each `S ⊆ T`; and so for locks. If one fails in a serial run of `P`, one
//! does in a serial run of every `P∖S` and `P^R`.* The steps of the run of `P∖T` are
//! taken apart by lemma 1, the one that fails included: its last part fails. A
//! run with more locks, without what is done to these, is one with fewer.
//! One at a time, no other is between the steps of a request, so that they can be
//! put together, up to the one that fails; and every lock is free. ∎ So sets
//! within one that fails are no fixes, and where requests fail one at a time
//! there is none.
//!
//! # The search
//!
//! Sets are tried by size. A set that misses some `Y(ρ)` is no fix; every other
//! one is decided, which gives a proof or one more counterexample. So when a
//! fix is found, all smaller sets are known not to be fixes, except those that
//! stayed undecided, which is said. Those within it are tried harder, and if
//! one of them stays open then what was found is not offered: it is a
//! candidate, and the answer is undecided. A set may also be refused
//! because it does harm (`harm`): then larger and smaller ones may still do, as
//! the harm may go away when more or less becomes one step.
//!
//! A proof is looked for on the text first, which needs no states; whether a
//! set does harm is asked of the states. Where two requests of the program
//! have steps that do not commute though one of them would have to, what
//! changes these requests is tried before other sets of the same size: often
//! the mistake is there. That changes how soon a fix is found, and nothing else
//! unless there are more fixes than are wanted.
//!
//! All evidence is accepted by the independent checker for the very text that
//! it is about, the refuted ones, too. Budgets are ticks; the number of
//! threads changes no result.
//!
//! ```
//! use serval::repair::{Options, Outcome, repair};
//! use serval::{Cancel, Input};
//! let text = "request save {\n  seen := N;\n  yield;\n  N := (seen + 1) % 3;\n  seen\n}\n";
//! let repaired = repair(&Input::program(text).unwrap(), Options::default(), &Cancel::new());
//! let Outcome::Fixed(fixes) = &repaired.outcome else { panic!() };
//! assert_eq!(fixes.len(), 1);
//! assert_eq!(repaired.yields[fixes[0].set[0]].place.line, 3);
//! assert_eq!(fixes[0].text, text.replace("  yield;\n", ""));
//! ```

mod again;
mod change;
mod claim;
mod clean;
mod edit;
mod effects;
mod harm;
mod hitting;
mod in_time;
mod judge;
mod keeping;
mod lock;
mod numbers;
mod pauses;
mod refusing;
mod removal;
mod report;
mod rewrite;
mod search;
mod serial;
mod switches;
mod variants;
mod yields;

pub use keeping::Proposal;
pub use lock::lock_name_problem;
pub use report::{offered_texts, report};
pub use variants::RepairKind;
pub use yields::Yield;

use std::collections::BTreeSet;

use serval_budget::Cancel;
use serval_format::Style as FormatStyle;
use serval_proof::RunCertificate;
use serval_syntax::{Diagnostic, LineIndex};

use crate::{Content, Input};

use change::ProgramChange;
pub use in_time::repair_in_time;
use search::{Refutation, refute, search};

/// Finds smallest sets of `yield`s without which a program is serializable.
pub fn repair(input: &Input, options: Options, cancel: &Cancel) -> Repair {
    match refute(input, &options, cancel) {
        Ok(refuted) => without_yields(input, &refuted, &options, cancel),
        Err((outcome, fault)) => Repair { yields: yields_of(input), outcome, fault, ..Repair::default() },
    }
}

/// The same for a program that this run of a component refutes, which the
/// checker has accepted.
pub fn repair_refuted(input: &Input, run: &RunCertificate, component: usize, options: Options, cancel: &Cancel) -> Repair {
    without_yields(input, &Refutation::Run { run: run.clone(), component }, &options, cancel)
}

/// The same with repairs that keep every pause, which come first ([`Repair::kept`]).
pub fn repair_in_all_ways(input: &Input, options: Options, cancel: &Cancel) -> Repair {
    match refute(input, &options, cancel) {
        Ok(refuted) => in_all_ways(input, &refuted, &options, cancel),
        Err((outcome, fault)) => Repair { yields: yields_of(input), outcome, fault, ..Repair::default() },
    }
}

/// The same for a program that this run of a component refutes, which the
/// checker has accepted.
pub fn repair_refuted_in_all_ways(input: &Input, run: &RunCertificate, component: usize, options: Options, cancel: &Cancel) -> Repair {
    in_all_ways(input, &Refutation::Run { run: run.clone(), component }, &options, cancel)
}

/// What is proposed at most.
const PROPOSED: usize = 3;

fn in_all_ways(input: &Input, refuted: &Refutation, options: &Options, cancel: &Cancel) -> Repair {
    let mut repair = without_yields(input, refuted, options, cancel);
    // A place is left for a removal, if there is one.
    let is_fixed = matches!(repair.outcome, Outcome::Fixed(_));
    repair.kept = keeping::keeping(input, refuted, options, PROPOSED - usize::from(is_fixed), cancel);
    repair
}

/// Finds smallest sets of requests that have to run under one lock, for which
/// the text has no use yet, so that the program is serializable.
pub fn repair_by_lock(input: &Input, lock: &str, options: Options, cancel: &Cancel) -> Repair {
    let requests = lock::requests(input.text());
    let refuted = match refute(input, &options, cancel) {
        Ok(refuted) => refuted,
        Err((outcome, fault)) => return Repair { requests, outcome, fault, ..Repair::default() },
    };
    let change = lock::Locking::new(input.text(), lock, &requests, &options.style);
    let repair = search(input, &change, &refuted, &options, cancel);
    Repair { requests, ..repair }
}

/// The text with the requests at these positions of [`Repair::requests`] under
/// a lock.
pub fn under_lock(text: &str, lock: &str, set: &[usize]) -> String {
    lock::Locking::new(text, lock, &lock::requests(text), &FormatStyle::default()).changed(&set.iter().copied().collect())
}

fn without_yields(input: &Input, refuted: &Refutation, options: &Options, cancel: &Cancel) -> Repair {
    let all = yields_of(input);
    let count = all.len();
    let yields: Vec<Yield> = all.into_iter().filter(|one| !one.keep && !options.keep.contains(&one.place.line)).collect();
    let removal = removal::Removal { text: input.text(), yields: &yields, kept: yields.len() < count, style: &options.style };
    let repair = search(input, &removal, refuted, options, cancel);
    Repair { yields, ..repair }
}

/// The lines of the `yield`s of a program.
pub fn yield_lines(input: &Input) -> BTreeSet<u32> {
    yields_of(input).iter().map(|one| one.place.line).collect()
}

/// The same with the lines that would be one step without each.
fn with_steps(text: &str, mut yields: Vec<Yield>) -> Vec<Yield> {
    let found = pauses::pauses(text, &yields, &|_| false, &|_| false);
    if found.is_empty() {
        return yields;
    }
    let (names, lines) = (effects::TextNames::of(text), LineIndex::new(text));
    for pause in found {
        // A `yield` within something else has no lines of its own.
        let Some(&number) = pause.waits.first().filter(|_| !pause.stays) else { continue };
        let (first, last) = pause.step(&|node| names.effects(node).pauses);
        let line = |at: usize| lines.position(text, u32::try_from(at).unwrap_or(u32::MAX)).line;
        yields[number].step = Some([line(effects::extent(&first).0), line(effects::extent(&last).1)]);
    }
    yields
}

fn yields_of(input: &Input) -> Vec<Yield> {
    match input.content() {
        Content::Program(program) => with_steps(input.text(), yields::yields(program, input.text())),
        Content::Systems(_) => Vec::new(),
    }
}

/// How much to try.
#[derive(Clone, Debug)]
pub struct Options {
    /// Threads.
    pub jobs: usize,
    /// Rounds of growing budgets in which to decide about the program itself.
    pub rounds: usize,
    /// Rounds in which to decide about parts of a fix that were left open when
    /// it was found.
    pub settle: usize,
    /// The largest sets that are tried one by one.
    pub size: usize,
    /// Pairs of states of each program that are explored at most, where less is
    /// wanted than the compiler would do.
    pub pairs: Option<u64>,
    /// How many sets are decided at most.
    pub checks: usize,
    /// How many sets may stay undecided before nothing more is tried.
    pub undecided: usize,
    /// How many fixes are wanted at most.
    pub fixes: usize,
    /// Lines whose `yield`s have to stay, besides those with a comment that says so.
    pub keep: BTreeSet<u32>,
    /// How a changed text is formatted, where the text is.
    pub style: FormatStyle,
}

impl Options {
    /// Little effort, for when the fix is a hint beside something else.
    pub fn hint() -> Self {
        let (keep, style) = Default::default();
        Self { jobs: 1, rounds: 0, settle: 0, size: 8, pairs: Some(5_000), checks: 24, undecided: 1, fixes: 2, keep, style }
    }
}

impl Default for Options {
    fn default() -> Self {
        let (keep, style) = Default::default();
        let (rounds, undecided) = (usize::MAX, usize::MAX);
        Self { jobs: 1, rounds, settle: 2, size: 12, pairs: None, checks: 200, undecided, fixes: 5, keep, style }
    }
}

/// The fixes of a program, and what is known of sets that are none.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Repair {
    /// The `yield`s of the text that may go, if that is what is removed: sets are
    /// positions here.
    pub yields: Vec<Yield>,
    /// The names of the requests, if they get a lock: sets are positions here.
    pub requests: Vec<String>,
    /// The answer.
    pub outcome: Outcome,
    /// What fails in some run, if that is what is wrong with the program.
    pub fault: Option<String>,
    /// Repairs that keep every pause, if they were looked for, the best first.
    pub kept: Vec<Proposal>,
    /// Sets that would do but for the harm they do, in the order tried.
    pub harmful: Vec<Harmful>,
    /// Sets that will do, which is proved, of which it is not known whether a
    /// part is enough: they are offered as what may not be the smallest.
    pub candidates: Vec<Fix>,
    /// Whether it is known that no smaller fix exists.
    pub smallest: bool,
    /// How many sets were decided in all.
    pub checks: usize,
}

impl Default for Repair {
    fn default() -> Self {
        Self {
            yields: Vec::new(),
            requests: Vec::new(),
            outcome: Outcome::Serializable,
            fault: None,
            kept: Vec::new(),
            harmful: Vec::new(),
            candidates: Vec::new(),
            smallest: true,
            checks: 0,
        }
    }
}

/// Whether a program can be fixed.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// It is serializable as it is.
    Serializable,
    /// At least one fix, the first words of the text first.
    Fixed(Vec<Fix>),
    /// There is none, and why.
    NoFix(String),
    /// Undecided, and why. The flag says whether the program itself is
    /// known not to be serializable.
    Undecided(String, bool),
    /// The text is no program that could be decided.
    Unusable(Box<Diagnostic>),
    /// The checker refuses our evidence: a mistake in serval.
    Refused(String),
}

/// A set of changes with which the program is serializable.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fix {
    /// Positions in [`Repair::yields`] or [`Repair::requests`], ascending.
    pub set: Vec<usize>,
    /// The changed text.
    pub text: String,
    /// How it differs, in the form of `diff -u` without the names of files.
    pub diff: String,
    /// The certificate for the changed text, which the checker has accepted.
    pub certificate: String,
}

/// A set that is not offered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Harmful {
    /// Positions in [`Repair::yields`] or [`Repair::requests`], ascending.
    pub set: Vec<usize>,
    /// What would happen then.
    pub why: String,
}
