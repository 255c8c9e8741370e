//! Fixes of random programs, compared with trying everything.
//!
//! The judge is the naive interpreter, which shares nothing with the search
//! but the parser, and the checker for the certificates.

use std::collections::BTreeSet;

use serval::Input;
use serval::repair::{Options, Outcome, Repair, repair, repair_by_lock, under_lock};
use serval_budget::Cancel;
use serval_effort::{Sweep, side_by_side, sweep};
use serval_syntax::analyze;
use serval_testkit::naive::{Caps, Completed, Naive, Source};
use serval_testkit::random::{Shape, random_convenience, random_program};
use serval_testkit::say;
use serval_verify::{InputKind, verify};

/// A name that no random program has.
const LOCK: &str = "MUTEX";
/// Requests in the runs that are all tried.
const REQUESTS: usize = 3;

const CAPS: Caps = Caps { configurations: 20_000, small_steps: 20_000 };

#[derive(Debug, Default)]
struct Figures {
    refuted: u64,
    fixed: u64,
    none: u64,
    undecided: u64,
    fixes: u64,
    /// Fixes by the number of `yield`s.
    sizes: [u64; 6],
    /// Sets that were not offered.
    harmful: u64,
    /// Fixes for which all runs of some requests were tried.
    tried: u64,
    /// Proper subsets of fixes that were looked at, not counting the empty one.
    subsets: u64,
    /// Fixes that may not be smallest, which is said of them; minimal they are.
    not_smallest: u64,
    /// Programs for which a set will do and nothing is offered, because a part
    /// of it may be enough.
    candidates: u64,
    most_checks: usize,
}

fn naive(text: &str) -> Naive {
    Naive::new(&Source::from(&analyze(text).program.unwrap()))
}

/// All runs, and all serial runs, of the most requests that can be tried.
fn everything(text: &str, requests: usize) -> Option<(Completed, Completed)> {
    let mut naive = naive(text);
    Some((naive.completed(requests, CAPS).ok()?, naive.serial(requests, CAPS).ok()?))
}

fn names(answers: &Completed) -> BTreeSet<&str> {
    answers.iter().flatten().map(|(name, _)| name.as_str()).collect()
}

/// The text with `0` for these words.
fn without(text: &str, repaired: &Repair, set: &[usize]) -> String {
    let mut changed = text.to_owned();
    for &index in set {
        changed.replace_range(repaired.yields[index].span.range(), "0    ");
    }
    changed
}

/// Looks at the fixes of a program; `changed` is the text with a set of changes.
fn look_at(text: &str, repaired: &Repair, changed: &dyn Fn(&[usize]) -> String, figures: &mut Figures) {
    let Outcome::Fixed(fixes) = &repaired.outcome else { return };
    assert!(!fixes.is_empty());
    let size = fixes[0].set.len();
    for fix in fixes {
        figures.fixes += 1;
        figures.sizes[size.min(5)] += 1;
        assert_eq!(fix.set.len(), size, "fixes of one size\n{text}");
        let outcome = verify(&fix.text, InputKind::Program, &fix.certificate, &serval_verify::Caps::default(), &Cancel::new());
        assert_eq!(outcome.status(), 0, "{text}\n{}", fix.diff);
        // The changed text, and the text with `0`, against everything.
        for requests in (1..=REQUESTS).rev() {
            let (Some((before, serial_before)), Some((after, serial))) = (everything(text, requests), everything(&fix.text, requests))
            else {
                continue;
            };
            figures.tried += 1;
            assert!(after.is_subset(&serial), "not serializable:\n{text}\n{}", fix.diff);
            assert!(after.is_subset(&before), "new answers:\n{text}\n{}", fix.diff);
            assert_eq!(serial, serial_before, "serial answers changed:\n{text}\n{}", fix.diff);
            assert_eq!(names(&after), names(&before), "a request can no longer answer:\n{text}\n{}", fix.diff);
            assert_eq!(everything(&changed(&fix.set), requests), Some((after, serial)), "{text}\n{}", fix.diff);
            break;
        }
        figures.not_smallest += u64::from(!repaired.smallest);
        // Minimal: every proper subset is refuted, or was refused for the harm it does.
        for bits in 1..(1_u32 << size) - 1 {
            let subset: Vec<usize> = (0..size).filter(|bit| bits >> bit & 1 == 1).map(|bit| fix.set[bit]).collect();
            figures.subsets += 1;
            let decided = |rounds| {
                let options = Options { rounds, checks: 1, ..Options::default() };
                repair(&Input::program(changed(&subset)).unwrap(), options, &Cancel::new()).outcome
            };
            let mut smaller = decided(0);
            if matches!(smaller, Outcome::Undecided(_, false)) {
                smaller = decided(2);
            }
            let harmful = repaired.harmful.iter().any(|harmful| harmful.set == subset);
            assert!(harmful || !matches!(smaller, Outcome::Serializable), "a smaller fix: {subset:?}\n{text}");
            assert!(!matches!(smaller, Outcome::Undecided(_, false)), "offered, but a part of it is undecided: {subset:?}\n{text}");
        }
    }
}

/// Repairs the program of a seed, one way or the other, and looks at the fixes. A program that is not known to have a
/// counterexample counts for nothing.
fn one(seed: u64, by_lock: bool, convenience: bool) -> Figures {
    // What takes long is left undecided: here many programs count.
    let options = Options { rounds: 0, checks: 12, ..Options::default() };
    let shape = if seed.is_multiple_of(4) { Shape::HandlerLike } else { Shape::Tiny };
    let text = if convenience { random_convenience(seed).text } else { random_program(seed, shape) };
    let Ok(input) = Input::program(text.as_str()) else { return Figures::default() };
    let repaired = if by_lock { repair_by_lock(&input, LOCK, options, &Cancel::new()) } else { repair(&input, options, &Cancel::new()) };
    let mut mine = Figures { refuted: 1, most_checks: repaired.checks, ..Figures::default() };
    match &repaired.outcome {
        Outcome::Serializable | Outcome::Unusable(_) | Outcome::Undecided(_, false) => return Figures::default(),
        Outcome::Refused(why) => panic!("refused: {why}\n{text}"),
        Outcome::Fixed(_) => mine.fixed = 1,
        Outcome::NoFix(_) => mine.none = 1,
        Outcome::Undecided(..) => mine.undecided = 1,
    }
    if !repaired.candidates.is_empty() {
        mine.candidates = 1;
        assert!(mine.undecided == 1, "{text}");
    }
    mine.harmful = repaired.harmful.len() as u64;
    let changed = |set: &[usize]| if by_lock { under_lock(&text, LOCK, set) } else { without(&text, &repaired, set) };
    look_at(&text, &repaired, &changed, &mut mine);
    mine
}

/// Seeds that are tried side by side, before anything is counted.
const BLOCK: u64 = 32;

/// Repairs as many random programs that are not serializable as the sweep has
/// cases, one way or the other, and looks at each.
fn all(sweep: Sweep, by_lock: bool, convenience: bool) {
    let (mut next, mut figures, wanted) = (sweep.seed(0), Figures::default(), sweep.count());
    while figures.refuted < wanted {
        let seeds: Vec<u64> = (next..next + BLOCK).collect();
        side_by_side(&seeds, |&seed| one(seed, by_lock, convenience)).iter().for_each(|mine| figures.add(mine));
        next += BLOCK;
    }
    let what = match (by_lock, convenience) {
        (true, false) => "locks",
        (true, true) => "locks, convenience forms",
        (false, false) => "yields",
        (false, true) => "yields, convenience forms",
    };
    say(&format!("random, {what}: {} seeds; {figures:?}", next - sweep.seed(0)));
    if !sweep.is_representative() {
        return;
    }
    assert!(figures.fixed * 5 >= wanted * 2, "{figures:?}");
    assert!(figures.tried * 10 >= figures.fixes * 9, "{figures:?}");
    assert!(figures.candidates <= 1 + figures.fixed / 20, "minimality is often open: {figures:?}");
    assert!(convenience || figures.harmful > 0, "{figures:?}");
}

impl Figures {
    fn add(&mut self, other: &Self) {
        self.refuted += other.refuted;
        self.fixed += other.fixed;
        self.none += other.none;
        self.undecided += other.undecided;
        self.fixes += other.fixes;
        self.harmful += other.harmful;
        self.tried += other.tried;
        self.subsets += other.subsets;
        self.candidates += other.candidates;
        self.not_smallest += other.not_smallest;
        self.most_checks = self.most_checks.max(other.most_checks);
        for (sum, one) in self.sizes.iter_mut().zip(other.sizes) {
            *sum += one;
        }
    }
}

#[test]
fn fixes_of_random_programs_are_fixes() {
    all(sweep("serval.fixes", 60, 500), false, false);
}

#[test]
fn locks_for_random_programs_are_fixes() {
    all(sweep("serval.locks", 30, 100), true, false);
}

#[test]
fn programs_with_convenience_forms_are_repaired() {
    all(sweep("serval.fixes_of_convenience", 12, 60), false, true);
    all(sweep("serval.locks_of_convenience", 10, 30), true, true);
}
