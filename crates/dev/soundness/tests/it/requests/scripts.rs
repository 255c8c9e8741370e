//! Scripts that were changed: none is accepted for a system that brute
//! force refutes.
//!
//! Sources are the scripts that the rules find for programs and systems that
//! reduce to single steps. They are changed, or given for other systems: those
//! of programs one edit away, and random ones. And in the worst case for the
//! checker a wrong entry is put in somewhere and the rules go on from what it
//! leaves, so that nothing but the conditions of this one entry stands between
//! the script and a false claim.

mod counts;
mod mutate;
mod sources;

use serval_budget::Budget;
use serval_effort::{Sweep, side_by_side, sweep};
use serval_engine::reduce::{Reduction, reduce};

use serval_model::{NormalForm, SplitMix64};
use serval_proof::Condition;
use serval_proof::script::Entry;
use serval_random::staged;
use serval_soundness::requests::edits;
use serval_soundness::requests::hostile::targets::Target;
use serval_soundness::requests::systems::compiled;
use serval_testkit::say;

use counts::{Counts, clear_up_to, target};
use sources::Source;

/// Cases of the whole sweep of changed scripts, and of the one of programs one edit away.
const CHANGED: u64 = 900;
const EDITED: u64 = 150;

/// As much of what the whole sweep does as the sweep has of its cases, and something at least.
fn share(sweep: &Sweep, of: u64, whole: u64) -> u64 {
    (of * sweep.count()).div_ceil(whole)
}

fn random(seed: u64, offset: u64) -> SplitMix64 {
    SplitMix64::new(seed.wrapping_mul(1_000_003).wrapping_add(offset))
}

/// Conditions that wrong scripts must run into: all that are about scripts, but
/// for those that chance hardly ever comes to.
fn conditions_of_scripts() -> impl Iterator<Item = &'static str> {
    let elsewhere = [
        "input",
        "component",
        "components",
        "run",
        "parts",
        "same",
        "letters",
        "flow",
        "invariant",
        "cases",
        "tree",
        "reduction",
        "fault",
        "strict",
        "in-flight",
        "points",
        "closure",
        "shared",
    ];
    let rare = ["mover.last.own", "mover.last.single", "mover.last.leaves"];
    let is_asked = move |name: &&str| !name.split('.').next().is_some_and(|topic| elsewhere.contains(&topic)) && !rare.contains(name);
    Condition::ALL.iter().map(|condition| condition.name()).filter(is_asked)
}

/// The script with one wrong entry somewhere, and from there on whatever the
/// rules find.
fn completed(form: NormalForm, script: &[Entry], random: &mut SplitMix64) -> Vec<Entry> {
    let mut reduction = Reduction::new(form);
    let keep = random.index(script.len() + 1);
    let wrong = 1 + random.index(2);
    for kept in script[..keep].iter().map(Some).chain(std::iter::repeat_n(None, wrong)) {
        let entry = kept.cloned().unwrap_or_else(|| mutate::wild(&reduction.reduced, random));
        // What an entry may rely on is checked by the checker alone; numbers must be in range.
        if !entry.in_range(reduction.form()) {
            break;
        }
        reduction.reduced.apply(&entry, &mut Budget::ticks(1_000_000)).unwrap();
        reduction.script.push(entry);
    }
    let _ = reduce(&mut reduction, &mut Budget::ticks(1_000_000));
    reduction.script
}

#[test]
fn changed_scripts_prove_nothing_false() {
    let sweep = sweep("soundness.scripts", 300, CHANGED);
    let programs = share(&sweep, 300, CHANGED);
    let sources = sources::all(&mut random(sweep.seed(0), 1), programs, share(&sweep, 400, CHANGED));
    let small: Vec<&Source> = sources.iter().filter(|source| source.form.steps().len() <= 60).collect();
    say(&format!("changed scripts: {} sources, {} small", sources.len(), small.len()));
    let numbered: Vec<(u64, &Source)> = (0..).zip(&sources).collect();
    let of_sources = side_by_side(&numbered, |&(number, source)| {
        let (random, mut counts) = (&mut random(sweep.seed(number), 2), Counts::default());
        let rounds = share(&sweep, if source.form.steps().len() <= 60 { 14 } else { 3 }, CHANGED);
        let own = target(source.system.clone());
        counts.try_script(&own, &source.script);
        for _ in 0..rounds {
            let other = small[random.index(small.len())];
            let changed = mutate::script(source, &other.script, random);
            counts.try_script(&own, &changed);
            let changed = completed(source.form.clone(), &source.script, random);
            counts.try_script(&own, &changed);
        }
        counts
    });
    // Other systems, most of which are not serializable.
    let of_others = sweep.map(0, |round| {
        let (random, mut counts) = (&mut random(round, 3), Counts::default());
        let mut drawn = target(staged(random));
        while round % 4 != 0 && clear_up_to(&drawn).is_some() {
            drawn = target(staged(random));
        }
        let Some((form, _)) = NormalForm::new(&drawn.systems[0]) else { return counts };
        for _ in 0..3 {
            let source = small[random.index(small.len())];
            counts.try_script(&drawn, &source.script);
        }
        let mut own = Reduction::new(form.clone());
        let _ = reduce(&mut own, &mut Budget::ticks(1_000_000));
        for _ in 0..14 {
            let changed = completed(form.clone(), &own.script, random);
            counts.try_script(&drawn, &changed);
        }
        counts
    });
    let counts = Counts::together(of_sources.into_iter().chain(of_others));
    counts.tell("changed scripts");
    if !sweep.is_representative() {
        return;
    }
    assert!(counts.reached >= 10 * sweep.count(), "{}", counts.reached);
    assert!(counts.accepted * 3 > sweep.count() && counts.refuted.len() as u64 * 5 > sweep.count());
    let least = 5 * sweep.count() / CHANGED;
    let few: Vec<&str> =
        conditions_of_scripts().filter(|condition| counts.rejected.get(condition).is_none_or(|&some| some < least)).collect();
    assert!(few.len() <= 4, "rejected fewer than {least}: {few:?}");
}

#[test]
fn scripts_do_not_fit_programs_one_edit_away() {
    let sweep = sweep("soundness.edited_scripts", 50, EDITED);
    let programs = sources::programs(&mut random(sweep.seed(0), 4), sweep.count());
    let numbered: Vec<(u64, String)> = (sweep.seed(0)..).zip(programs).collect();
    let edits = usize::try_from(share(&sweep, 16, EDITED)).unwrap();
    let found = side_by_side(&numbered, |(number, program)| {
        let (random, mut counts, mut edited) = (&mut random(*number, 5), Counts::default(), 0);
        let Some(proved) = sources::proved(program) else { return (counts, edited) };
        for text in edits::of(program, edits, random) {
            let Some(systems) = compiled(&text) else { continue };
            if systems == proved.systems {
                continue;
            }
            edited += 1;
            counts.try_scripts(&Target::of("a program", text, systems.clone()), &proved.scripts);
            for system in systems {
                let Some((form, _)) = NormalForm::new(&system) else { continue };
                if form.steps().len() > 200 {
                    continue;
                }
                let target = target(system);
                for script in &proved.scripts {
                    counts.try_script(&target, script);
                    for _ in 0..4 {
                        let changed = completed(form.clone(), script, random);
                        counts.try_script(&target, &changed);
                    }
                }
            }
        }
        (counts, edited)
    });
    let edited: u64 = found.iter().map(|(_, edited)| edited).sum();
    let counts = Counts::together(found.into_iter().map(|(counts, _)| counts));
    counts.tell(&format!("{edited} programs one edit away"));
    let (enough, refuted) = (edited * 4 >= sweep.count() * 3, counts.refuted.len() as u64);
    assert!(!sweep.is_representative() || enough && refuted * 6 > sweep.count(), "{edited}, {refuted} not serializable");
}
