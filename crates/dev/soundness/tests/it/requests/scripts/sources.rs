//! Where scripts come from.

use std::path::Path;

use serval_budget::Budget;
use serval_effort::side_by_side;
use serval_engine::reduce::{RULES, Reduction, apply_rule, reduce};

use serval_model::{NetworkSystem, NormalForm, SplitMix64, systems_from_json};
use serval_proof::script::{Entry, Reduced};
use serval_random::staged;
use serval_soundness::requests::systems::compiled;
use serval_testkit::random::{Shape, random_program};
use serval_testkit::suite::{data_dir, repository_root};

/// A system and a script that leaves single steps.
pub(crate) struct Source {
    pub(crate) system: NetworkSystem,
    pub(crate) form: NormalForm,
    pub(crate) script: Vec<Entry>,
    /// What there is before each entry, and at the end.
    pub(crate) reduced: Vec<Reduced>,
}

impl Source {
    fn new(system: NetworkSystem, script: Vec<Entry>) -> Option<Self> {
        let (form, _) = NormalForm::new(&system)?;
        let mut reduced = vec![Reduced::new(form.clone())];
        for entry in &script {
            let mut next = reduced[reduced.len() - 1].clone();
            next.apply(entry, &mut Budget::unlimited()).unwrap();
            reduced.push(next);
        }
        Some(Self { system, form, script, reduced })
    }
}

/// A program, and for each of its components a script.
pub(crate) struct Proved {
    pub(crate) systems: Vec<NetworkSystem>,
    pub(crate) scripts: Vec<Vec<Entry>>,
}

/// The script that the rules find, if it leaves single steps.
fn found(system: &NetworkSystem) -> Option<Vec<Entry>> {
    let mut reduction = Reduction::new(NormalForm::new(system)?.0);
    reduce(&mut reduction, &mut Budget::ticks(5_000_000)).ok()?;
    reduction.form().is_atomic().then_some(reduction.script)
}

/// The same, with the rules tried in another order first, so that rules get
/// their turn that would otherwise find nothing left to do.
fn found_otherwise(system: &NetworkSystem, random: &mut SplitMix64) -> Option<Vec<Entry>> {
    let mut reduction = Reduction::new(NormalForm::new(system)?.0);
    let budget = &mut Budget::ticks(5_000_000);
    for _ in 0..1 + random.below(4) {
        apply_rule(&mut reduction, random.pick(RULES)?, budget).ok()?;
    }
    reduce(&mut reduction, budget).ok()?;
    reduction.form().is_atomic().then_some(reduction.script)
}

/// The scripts for a program, if all of its components reduce to single steps.
pub(crate) fn proved(text: &str) -> Option<Proved> {
    let systems = compiled(text)?;
    let scripts = systems.iter().map(found).collect::<Option<_>>()?;
    Some(Proved { systems, scripts })
}

/// The texts in a directory, by name.
fn texts(directory: &Path, extension: &str) -> Vec<String> {
    let mut files: Vec<_> = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|found| found == extension));
    files.sort();
    files.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect()
}

/// The directories with programs.
fn directories() -> Vec<std::path::PathBuf> {
    data_dir("suite").into_iter().chain([repository_root().join("examples")]).collect()
}

/// Programs: the suite, the examples, and some random ones.
pub(crate) fn programs(random: &mut SplitMix64, random_ones: u64) -> Vec<String> {
    let mut programs: Vec<String> = directories().iter().flat_map(|directory| texts(directory, "ser")).collect();
    for _ in 0..random_ones {
        programs.push(random_program(random.next_u64(), Shape::ALL[random.index(4)]));
    }
    programs
}

/// Systems of programs and files, of a number of random programs, and of random
/// systems that reduce to single steps, each with a script that is not trivial.
pub(crate) fn all(random: &mut SplitMix64, random_programs: u64, random_systems: u64) -> Vec<Source> {
    let programs = programs(random, random_programs);
    let mut systems: Vec<NetworkSystem> = side_by_side(&programs, |text| compiled(text)).into_iter().flatten().flatten().collect();
    for text in directories().iter().flat_map(|directory| texts(directory, "json")) {
        systems.extend(systems_from_json(&text).unwrap());
    }
    systems.retain(|system| system.steps().len() <= 2_000);
    let seeded: Vec<(u64, NetworkSystem)> = systems.into_iter().map(|system| (random.next_u64(), system)).collect();
    let mut sources: Vec<Vec<Source>> = side_by_side(&seeded, |(seed, system)| {
        let scripts = [found(system), found_otherwise(system, &mut SplitMix64::new(*seed))];
        let scripts = scripts.into_iter().flatten().filter(|script| !script.is_empty());
        scripts.filter_map(|script| Source::new(system.clone(), script)).collect()
    });
    let seeds: Vec<u64> = (0..random_systems).map(|_| random.next_u64()).collect();
    sources.push(side_by_side(&seeds, |&seed| {
        let random = &mut SplitMix64::new(seed);
        loop {
            let system = staged(random);
            let script = found_otherwise(&system, random).filter(|script| script.len() > 1);
            if let Some(source) = script.and_then(|script| Source::new(system, script)) {
                return source;
            }
        }
    }));
    sources.into_iter().flatten().collect()
}
