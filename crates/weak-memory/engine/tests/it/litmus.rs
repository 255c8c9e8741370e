//! The litmus tests of the examples have the kinds that are published, and both widths of a test are one program.

use serval_budget::Budget;
use serval_effort::side_by_side;
use serval_testkit::suite::data_dir;
use serval_tso_engine::{EngineLimits, decide};
use serval_tso_program::{Program, read_litmus};

fn tests(machine: &str) -> Vec<(String, Program)> {
    let directory = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples/tso/litmus").join(machine);
    let mut read: Vec<(String, Program)> = std::fs::read_dir(directory)
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            let text = std::fs::read_to_string(&path).unwrap();
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            assert!(text.lines().next().unwrap().ends_with(&format!(" {name}")), "{name} has another name within");
            (name.clone(), read_litmus(&text).unwrap_or_else(|wrong| panic!("{name}: {wrong:?}")))
        })
        .collect();
    read.sort_by(|one, other| one.0.cmp(&other.0));
    read
}

/// Whether the question of a test has a run under store buffers, as the checker has accepted it.
fn allowed(name: &str, program: &Program) -> bool {
    let outcome = decide(program, &EngineLimits::default(), &mut Budget::unlimited()).unwrap_or_else(|fault| panic!("{name}: {fault:?}"));
    let shown = outcome.certificate.check(program, &mut Budget::unlimited()).unwrap_or_else(|refusal| panic!("{name}: {refusal}"));
    assert_eq!(shown.sc, [Some(false)], "{name}: no test of these shapes is allowed under sequential consistency");
    shown.tso[0].unwrap_or_else(|| panic!("{name} is undecided"))
}

#[test]
fn every_test_has_its_published_kind() {
    let Some(directory) = data_dir("tso") else { return };
    let table = std::fs::read_to_string(directory.join("litmus-kinds.tsv")).unwrap();
    let kinds: Vec<(&str, &str)> = table.lines().skip(1).filter_map(|row| row.split_once('\t')).collect();
    for machine in ["x86", "x86_64"] {
        let tests = tests(machine);
        let mut names: Vec<&str> = kinds.iter().map(|(name, _)| *name).collect();
        names.sort_unstable();
        assert_eq!(tests.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), names, "{machine}");
        side_by_side(&tests, |(name, program)| {
            let kind = kinds.iter().find(|(known, _)| known == name).unwrap().1;
            assert_eq!(if allowed(name, program) { "Allow" } else { "Forbid" }, kind, "{machine}/{name}");
        });
    }
}

#[test]
fn both_widths_are_one_program() {
    let (short, long) = (tests("x86"), tests("x86_64"));
    assert_eq!(short.len(), long.len());
    assert!(short.len() >= 28);
    for ((name, short), (other, long)) in short.into_iter().zip(long) {
        let long = ["RAX", "RBX", "RCX"].iter().fold(long.canonical(), |text, name| text.replace(name, &name.replace('R', "E")));
        assert_eq!((name, short.canonical()), (other, long));
    }
}
