//! Where scripts come from.

use std::path::Path;

use serval_budget::Budget;
use serval_compile::{Limits, Options, StepLimits, compile};
use serval_engine::reduce::{RULES, Reduction, apply_rule, reduce};

use serval_model::{NetworkSystem, NormalForm, SplitMix64, SystemBuilder, systems_from_json};
use serval_proof::script::Entry;
use serval_syntax::analyze;
use serval_testkit::random::{Shape, random_program};
use serval_testkit::suite::{data_dir, repository_root};

use super::mutate::below;

/// A system and a script that leaves single steps.
pub(crate) struct Source {
    pub(crate) system: NetworkSystem,
    pub(crate) form: NormalForm,
    pub(crate) script: Vec<Entry>,
    /// The system before each entry, and at the end.
    pub(crate) forms: Vec<NormalForm>,
}

impl Source {
    fn new(system: NetworkSystem, script: Vec<Entry>) -> Option<Self> {
        let (form, _) = NormalForm::new(&system)?;
        let mut reduction = Reduction::new(form.clone());
        let mut forms = vec![form.clone()];
        for entry in &script {
            reduction.reduced.apply(entry, &mut Budget::unlimited()).unwrap();
            forms.push(reduction.form().clone());
        }
        Some(Self { system, form, script, forms })
    }
}

/// A program, and for each of its components a script.
pub(crate) struct Proved {
    pub(crate) systems: Vec<NetworkSystem>,
    pub(crate) scripts: Vec<Vec<Entry>>,
}

/// The components of a program, if there are any and they are small.
pub(crate) fn compiled(text: &str) -> Option<Vec<NetworkSystem>> {
    let limits = Limits { pairs: 20_000, step: StepLimits { operations: 100_000, loop_states: 10_000 } };
    let program = analyze(text).program?;
    let compiled = compile(&program, Options { limits, ..Options::default() }, &Budget::ticks(3_000_000)).ok()?;
    Some(compiled.components().iter().map(|component| component.system().clone()).collect())
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
pub(crate) fn programs(random: &mut SplitMix64, random_ones: usize) -> Vec<String> {
    let mut programs: Vec<String> = directories().iter().flat_map(|directory| texts(directory, "ser")).collect();
    for _ in 0..random_ones {
        programs.push(random_program(random.next_u64(), Shape::ALL[below(random, 4)]));
    }
    programs
}

/// Systems of programs and files, and `random_ones` random systems that reduce
/// to single steps, each with a script that is not trivial.
pub(crate) fn all(random: &mut SplitMix64, random_ones: usize) -> Vec<Source> {
    let mut systems: Vec<NetworkSystem> = programs(random, 300).iter().filter_map(|text| compiled(text)).flatten().collect();
    for text in directories().iter().flat_map(|directory| texts(directory, "json")) {
        systems.extend(systems_from_json(&text).unwrap());
    }
    systems.retain(|system| system.steps().len() <= 2_000);
    let mut sources = Vec::new();
    for system in systems {
        let scripts = [found(&system), found_otherwise(&system, random)];
        sources.extend(
            scripts.into_iter().flatten().filter(|script| !script.is_empty()).filter_map(|script| Source::new(system.clone(), script)),
        );
    }
    let wanted = sources.len() + random_ones;
    while sources.len() < wanted {
        let system = random_system(random);
        let script = found_otherwise(&system, random).filter(|script| script.len() > 1);
        sources.extend(script.and_then(|script| Source::new(system, script)));
    }
    sources
}

/// A small system: requests go through a few stages, some steps are possible
/// under every global state and change nothing, some set it.
pub(crate) fn random_system(random: &mut SplitMix64) -> NetworkSystem {
    let mut builder = SystemBuilder::new();
    let globals: Vec<_> = (0..2 + random.below(2)).map(|global| builder.global(&format!("g{global}"))).collect();
    for name in ["a", "b"].into_iter().take(1 + below(random, 2)) {
        let request = builder.request(name);
        let width = 1 + random.below(2);
        let mut stage = vec![builder.local(&format!("{name} start"))];
        builder.start(request, stage[0]);
        for depth in 0..random.below(3) {
            let next: Vec<_> = (0..width).map(|index| builder.local(&format!("{name} {depth} {index}"))).collect();
            connect(&mut builder, &globals, &stage, &next, random);
            if random.below(4) == 0 {
                connect(&mut builder, &globals, &next, &stage, random);
            }
            stage = next;
        }
        let ends: Vec<_> = (0..1 + random.below(2))
            .map(|index| {
                let local = builder.local(&format!("{name} end {index}"));
                let response = builder.response(&format!("{index}"));
                builder.answer(local, response);
                local
            })
            .collect();
        connect(&mut builder, &globals, &stage, &ends, random);
    }
    builder.finish(globals[0])
}

fn connect(
    builder: &mut SystemBuilder,
    globals: &[serval_model::GlobalId],
    from: &[serval_model::LocalId],
    to: &[serval_model::LocalId],
    random: &mut SplitMix64,
) {
    for &local in from {
        match random.below(4) {
            0 => {
                // Whatever the global state is, it stays.
                let target = random.pick(to).unwrap();
                globals.iter().for_each(|&global| builder.step(local, global, target, global));
            }
            1 => {
                // One global state for all.
                let (target, left) = (random.pick(to).unwrap(), random.pick(globals).unwrap());
                globals.iter().for_each(|&global| builder.step(local, global, target, left));
            }
            _ => {
                for &global in globals {
                    if random.below(3) > 0 {
                        builder.step(local, global, random.pick(to).unwrap(), random.pick(globals).unwrap());
                    }
                }
            }
        }
    }
}
