//! Scripts that somebody changed: none is accepted for a system that brute
//! force refutes.
//!
//! Sources are the scripts that the rules find for programs and systems that
//! reduce to single steps. They are changed, or given for other systems: those
//! of programs one edit away, and random ones. And in the worst case for the
//! checker a wrong entry is put in somewhere and the rules go on from what it
//! leaves, so that nothing but the conditions of this one entry stands between
//! the script and a false claim.
//!
//! `SERVAL_COUNT` multiplies the work, `SERVAL_SEED` makes it another.

#![expect(clippy::unwrap_used, reason = "a test fails where something is not as it should be")]

#[path = "scripts/counts.rs"]
mod counts;
#[path = "scripts/mutate.rs"]
mod mutate;
#[path = "scripts/sources.rs"]
mod sources;

use serval_budget::Budget;
use serval_engine::reduce::{Reduction, reduce};

use serval_model::{NormalForm, SplitMix64};
use serval_proof::Condition;
use serval_proof::script::Entry;
use serval_random::staged;
use serval_soundness::edits;
use serval_soundness::hostile::targets::Target;
use serval_soundness::systems::compiled;
use serval_testkit::say;

use counts::{Counts, clear_up_to, target};
use sources::Source;

/// How much more than usual to do.
fn times() -> u64 {
    std::env::var("SERVAL_COUNT").map_or(1, |count| count.parse().unwrap())
}

fn random(offset: u64) -> SplitMix64 {
    let seed: u64 = std::env::var("SERVAL_SEED").map_or(0, |seed| seed.parse().unwrap());
    SplitMix64::new(seed.wrapping_mul(1_000_003).wrapping_add(offset))
}

/// Conditions that wrong scripts must run into: all that are about scripts, but
/// for those that chance hardly ever comes to.
fn conditions_of_scripts() -> impl Iterator<Item = &'static str> {
    let elsewhere =
        ["input", "component", "components", "run", "parts", "same", "letters", "flow", "invariant", "cases", "tree", "reduction", "fault"];
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
    let random = &mut random(1);
    let mut counts = Counts::default();
    let sources = sources::all(random, 400);
    let small: Vec<&Source> = sources.iter().filter(|source| source.form.steps().len() <= 60).collect();
    say(&format!("changed scripts: {} sources, {} small", sources.len(), small.len()));
    for source in &sources {
        let rounds = if source.form.steps().len() <= 60 { 14 } else { 3 } * times();
        let own = target(source.system.clone());
        counts.try_script(&own, &source.script);
        for _ in 0..rounds {
            let other = small[random.index(small.len())];
            let changed = mutate::script(source, &other.script, random);
            counts.try_script(&own, &changed);
            let changed = completed(source.form.clone(), &source.script, random);
            counts.try_script(&own, &changed);
        }
    }
    // Other systems, most of which are not serializable.
    for round in 0..900 * times() {
        let mut drawn = target(staged(random));
        while round % 4 != 0 && clear_up_to(&drawn).is_some() {
            drawn = target(staged(random));
        }
        let Some((form, _)) = NormalForm::new(&drawn.systems[0]) else { continue };
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
    }
    counts.tell("changed scripts");
    assert!(counts.reached >= 20_000, "{}", counts.reached);
    assert!(counts.accepted > 500 && counts.refuted.len() > 200);
    for condition in conditions_of_scripts() {
        let rejected = counts.rejected.get(condition).copied().unwrap_or(0);
        assert!(rejected >= 5, "{condition} rejected {rejected}");
    }
}

#[test]
fn scripts_do_not_fit_programs_one_edit_away() {
    let random = &mut random(2);
    let mut counts = Counts::default();
    let mut edited = 0;
    for program in sources::programs(random, 150) {
        let Some(proved) = sources::proved(&program) else { continue };
        for text in edits::of(&program, 16, random) {
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
                    for _ in 0..4 * times() {
                        let changed = completed(form.clone(), script, random);
                        counts.try_script(&target, &changed);
                    }
                }
            }
        }
    }
    counts.tell(&format!("{edited} programs one edit away"));
    assert!(edited >= 200, "{edited}");
    assert!(counts.refuted.len() > 50, "{}", counts.refuted.len());
}
