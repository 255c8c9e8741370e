//! Removes `yield`s from a program that is serializable and not strict, so that it is strict.
//!
//! **Lemma 7.** *If `P∖S` is strict and `S ⊆ T`, so is `P∖T`.* By lemma 2 a complete run of `P∖T` is one of `P∖S` when
//! its steps are taken apart: by the same requests, which come and answer when they did. The serial runs of both are
//! the same, with the same requests in the same order. ∎
//!
//! So sets are tried by size, and if the set of all words does not do, none does. What is offered has evidence that the
//! checker has accepted for the claim `strict` and exactly that text.

use std::collections::BTreeSet;

use serval_budget::{Budget, Cancel};
use serval_syntax::Diagnostic;

use super::clean::remove;
use super::edit::finished;
use super::harm::{Hazards, always_ends};
use super::judge::{Effort, Judged, judge};
use super::yields::Yield;
use super::{Fix, Harmful, Options, Outcome, Repair, yields_of};
use crate::evidence::Evidence;
use crate::input::{Content, Input};
use crate::strict::{Settled, settled};

/// The most words that are removed.
const MOST: usize = 3;
/// How many sets are tried of each size.
const TRIED: usize = 40;
/// Rounds and percent of the usual ticks for deciding about a changed program.
const ROUNDS: usize = 2;
const PERCENT: u64 = 25;
/// Pairs of states for telling whether a change does harm.
const PAIRS: u64 = 1_000_000;

/// Finds smallest sets of `yield`s without which a program is strict.
pub fn repair_in_time(input: &Input, options: Options, cancel: &Cancel) -> Repair {
    let repair = Repair { yields: yields_of(input), ..Repair::default() };
    let outcome = match decided(input, &options, cancel) {
        StrictJudged::Strict(_) => Outcome::Serializable,
        StrictJudged::NotStrict => return sets(input, repair, &options, cancel),
        StrictJudged::NotSerializable => Outcome::NoFix("it is not even serializable; without --strict that is looked at".to_owned()),
        StrictJudged::Unusable(diagnostic) => Outcome::Unusable(diagnostic),
        StrictJudged::Refused(why) => Outcome::Refused(why),
        StrictJudged::Open => Outcome::Undecided("whether it is strict is open".to_owned(), false),
    };
    Repair { outcome, ..repair }
}

/// What is found out about a program.
enum StrictJudged {
    Strict(Evidence),
    NotStrict,
    NotSerializable,
    Unusable(Box<Diagnostic>),
    Refused(String),
    Open,
}

fn decided(input: &Input, options: &Options, cancel: &Cancel) -> StrictJudged {
    let certificate = match judge(input, Effort { jobs: options.jobs, rounds: ROUNDS, pairs: options.pairs }, cancel) {
        Judged::Proved { compiled, certificate } => {
            compiled.iter().for_each(|compiled| input.keep(compiled));
            certificate
        }
        Judged::Refuted { .. } => return StrictJudged::NotSerializable,
        Judged::Unusable(diagnostic) => return StrictJudged::Unusable(diagnostic),
        Judged::Refused(why) => return StrictJudged::Refused(why),
        Judged::Unknown(_) | Judged::Fails { .. } => return StrictJudged::Open,
    };
    let deciding = crate::Options { cancel: cancel.clone(), percent: PERCENT, ..crate::Options::default() };
    let evidence = Evidence { kind: certificate.body.kind().name(), certificate: String::new(), method: "" };
    match settled(input, certificate.body, evidence, &deciding) {
        Settled::Strict(evidence) => StrictJudged::Strict(evidence),
        Settled::NotStrict(..) => StrictJudged::NotStrict,
        Settled::Undecided(_) => StrictJudged::Open,
        Settled::Refused(refused) => StrictJudged::Refused(refused.outcome.line("the program", "certificate", input.text())),
    }
}

/// A program without some words.
struct Trying<'a> {
    input: &'a Input,
    yields: &'a [Yield],
    before: Option<Hazards>,
    options: &'a Options,
    cancel: &'a Cancel,
}

/// Tries sets by size.
fn sets(input: &Input, mut repair: Repair, options: &Options, cancel: &Cancel) -> Repair {
    let free: Vec<usize> = (0..repair.yields.len()).filter(|&index| !is_kept(&repair.yields[index], options)).collect();
    let yields = repair.yields.clone();
    let trying = Trying { input, yields: &yields, before: hazards(input, cancel), options, cancel };
    let whole = trying.decided(&free);
    repair.checks = 1;
    if !matches!(whole, Some((StrictJudged::Strict(_), ..))) {
        repair.outcome = match whole {
            Some((StrictJudged::NotStrict, ..)) => Outcome::NoFix("it is not strict without any of them".to_owned()),
            _ => Outcome::Undecided("stopped at a limit".to_owned(), true),
        };
        return repair;
    }
    let mut fixes = Vec::new();
    for size in 1..=free.len().min(MOST) {
        for set in subsets(&free, size).into_iter().take(TRIED) {
            repair.checks = repair.checks.saturating_add(1);
            let Some((verdict, fix)) = trying.decided(&set) else { continue };
            match verdict {
                StrictJudged::Strict(_) => match trying.harm(&fix.text) {
                    None => fixes.push(fix),
                    Some(why) => repair.harmful.push(Harmful { set, why }),
                },
                StrictJudged::NotStrict => {}
                // It may do: then larger sets may not be the smallest.
                _ => repair.smallest = false,
            }
            if fixes.len() >= options.fixes {
                break;
            }
        }
        if !fixes.is_empty() || cancel.is_cancelled() {
            break;
        }
    }
    repair.outcome = match fixes.is_empty() {
        false => Outcome::Fixed(fixes),
        true => Outcome::Undecided(format!("no set of up to {MOST} that does no harm was found"), true),
    };
    repair
}

fn is_kept(one: &Yield, options: &Options) -> bool {
    one.keep || options.keep.contains(&one.place.line)
}

/// All sets of some size, in order.
fn subsets(of: &[usize], size: usize) -> Vec<Vec<usize>> {
    match (size, of.split_first()) {
        (0, _) => vec![Vec::new()],
        (_, None) => Vec::new(),
        (_, Some((&first, rest))) => {
            let with = subsets(rest, size - 1).into_iter().map(|set| [&[first], &set[..]].concat());
            with.chain(subsets(rest, size)).collect()
        }
    }
}

/// What can happen to requests of a program; nothing where it has too many states.
fn hazards(input: &Input, cancel: &Cancel) -> Option<Hazards> {
    let compiled = input.compiled_within(PAIRS, &Budget::new(u64::MAX, cancel.clone()))?;
    compiled.ok().map(|compiled| Hazards::of(&compiled, cancel))
}

impl Trying<'_> {
    /// The verdict on the program without a set of words, and what would be offered.
    fn decided(&self, set: &[usize]) -> Option<(StrictJudged, Fix)> {
        let removed: BTreeSet<usize> = set.iter().copied().collect();
        let text = self.input.text();
        for statements in [true, false] {
            let (text, diff) = finished(text, &remove(text, self.yields, &removed, statements), &self.options.style);
            let Ok(changed) = Input::program(text.as_str()) else { continue };
            let verdict = decided(&changed, self.options, self.cancel);
            let certificate = match &verdict {
                StrictJudged::Strict(evidence) => evidence.certificate.clone(),
                _ => String::new(),
            };
            return Some((verdict, Fix { set: set.to_vec(), text, diff, certificate }));
        }
        None
    }

    /// What harm a change does to requests.
    fn harm(&self, text: &str) -> Option<String> {
        let changed = Input::program(text).ok()?;
        if matches!(changed.content(), Content::Program(program) if always_ends(program)) {
            return None;
        }
        match (&self.before, hazards(&changed, self.cancel)) {
            (Some(before), Some(after)) => after.worse_than(before, text, false),
            _ => Some("whether requests still answer is open".to_owned()),
        }
    }
}
