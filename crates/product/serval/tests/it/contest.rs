//! Models of the Model Checking Contest: every answer is that of its consensus, and comes with evidence that the
//! checker has accepted. Nothing depends on a clock: budgets are ticks.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serval::nets::{NetAnswer, NetInput, NetKind, NetOptions, NetQuestion, decide_net, decide_nets, state_space};
use serval_budget::Cancel;
use serval_effort::{Effort, effort, side_by_side, skips};
use serval_testkit::say;
use serval_testkit::suite::data_dir;

/// A line of the table: the model, and what is expected of it.
struct Model {
    name: String,
    directory: PathBuf,
    columns: Vec<String>,
}

impl Model {
    fn input(&self) -> NetInput {
        NetInput::read(&std::fs::read_to_string(self.directory.join("model.pnml")).unwrap(), NetKind::Pnml).unwrap()
    }

    fn is(&self, column: usize) -> bool {
        match self.columns[column].as_str() {
            "TRUE" => true,
            "FALSE" => false,
            other => panic!("{}: {other}", self.name),
        }
    }
}

fn models(directory: &Path) -> Vec<Model> {
    let table = std::fs::read_to_string(directory.join("expected.tsv")).unwrap();
    let rows = table.lines().skip(1).map(|line| {
        let columns: Vec<String> = line.split('\t').map(str::to_owned).collect();
        Model { name: columns[0].clone(), directory: directory.join(&columns[0]), columns }
    });
    rows.collect()
}

/// Asks, and wants this answer.
fn expect(model: &Model, input: &NetInput, question: &NetQuestion, holds: bool) {
    let decision = decide_net(input, question, &NetOptions::default());
    let wanted = if holds { NetAnswer::Holds } else { NetAnswer::DoesNotHold };
    assert_eq!(decision.answer, wanted, "{}: {}: {:?}", model.name, question.name, decision.reason);
    assert!(!decision.kinds().is_empty(), "{}: {}", model.name, question.name);
}

#[test]
fn deadlocks_and_safety_of_all_models() {
    if skips("serval.contest.safety") {
        return;
    }
    let Some(directory) = data_dir("petri") else { return };
    let models = models(&directory);
    assert_eq!(models.len(), 26);
    side_by_side(&models, |model| {
        let input = model.input();
        expect(model, &input, &input.question("deadlock-free").unwrap(), !model.is(3));
        expect(model, &input, &input.question("one-safe").unwrap(), model.is(4));
    });
    say("52 questions");
}

/// Each transition can fire and each place can be marked, and each of them has its own run, or its part of one.
#[test]
fn dead_transitions_and_places_of_all_models() {
    if skips("serval.contest.dead_nodes") {
        return;
    }
    let Some(directory) = data_dir("petri") else { return };
    side_by_side(&models(&directory), |model| {
        let input = model.input();
        assert!(model.is(5), "{}", model.name);
        expect(model, &input, &input.question("stable-marking").unwrap(), model.is(6));
        for (property, nodes) in [("quasi-live", input.net().transition_count()), ("no-dead-places", input.net().place_count())] {
            let decision = decide_net(&input, &input.question(property).unwrap(), &NetOptions::default());
            assert_eq!(decision.answer, NetAnswer::Holds, "{}: {property}: {:?}", model.name, decision.reason);
            assert_eq!((decision.open, decision.dead.len()), (0, 0), "{}: {property}", model.name);
            let certificate = decision.certificate.unwrap();
            let shown: BTreeSet<usize> = certificate.runs.ends.iter().map(|end| end.0).collect();
            assert_eq!((shown.len(), certificate.evidence.len()), (nodes, 0), "{}: {property}", model.name);
        }
    });
    say("52 questions");
}

/// The markings of the models that have few enough are as many as are published: by default of the six smallest, and
/// at night of all below 10⁸.
#[test]
fn markings_are_as_many_as_published() {
    let Some(directory) = data_dir("petri") else { return };
    let most = if effort() == Effort::Night { 100_000_000 } else { 100_000 };
    let mut counted = 0;
    for model in &models(&directory) {
        let Some(published) = model.columns[7].parse::<usize>().ok().filter(|published| *published < most) else { continue };
        let space = state_space(model.input().net(), &Cancel::new()).unwrap();
        assert_eq!(space.markings, published, "{}", model.name);
        counted += 1;
    }
    assert_eq!(counted, if most > 100_000 { 10 } else { 6 });
}

/// The same questions as files of the contest.
#[test]
fn global_properties_have_files() {
    let Some(directory) = data_dir("petri") else { return };
    for model in models(&directory).iter().filter(|model| model.columns[1].parse::<u32>().unwrap() < 60) {
        let input = model.input();
        for (examination, column) in [("ReachabilityDeadlock", 3), ("OneSafe", 4), ("QuasiLiveness", 5), ("StableMarking", 6)] {
            let text = format!("<property-set><property><id>{}-{examination}</id></property></property-set>", model.name);
            let questions = input.queries(&text).unwrap();
            assert_eq!(questions.len(), 1);
            expect(model, &input, &questions[0], model.is(column));
        }
    }
}

/// Eight small models, of which some have many markings.
const SMALLEST: [&str; 8] = [
    "CloudOpsManagement-PT-00002by00001",
    "Election2020-PT-none",
    "GPUForwardProgress-PT-24a",
    "Raft-PT-02",
    "Referendum-PT-0010",
    "SatelliteMemory-PT-X00100Y0003",
    "TwoPhaseLocking-PT-nC00004vD",
    "TwoPhaseLocking-PT-nC00004vN",
];

/// Every answer, and every byte of its evidence, is the same on one thread and on several.
#[test]
fn the_number_of_threads_changes_nothing() {
    if skips("serval.contest.threads") {
        return;
    }
    let Some(directory) = data_dir("petri") else { return };
    let models = models(&directory);
    let named = |name: &str| models.iter().find(|model| model.name == name).unwrap();
    side_by_side(&SMALLEST.map(named), |model| {
        let name = &model.name;
        let input = model.input();
        let mut questions = input.queries(&std::fs::read_to_string(model.directory.join("ReachabilityFireability.xml")).unwrap()).unwrap();
        questions.extend(["deadlock-free", "one-safe", "quasi-live"].map(|property| input.question(property).unwrap()));
        let told = |jobs: usize| -> Vec<String> {
            let decisions = decide_nets(&input, &questions, jobs, &NetOptions::default());
            let told = decisions.into_iter().zip(&questions).map(|(decision, question)| {
                let certificate = decision.certificate.as_ref().map(serval::nets::Certificate::to_json);
                format!("{certificate:?} {}", decision.into_report("net", question).to_json())
            });
            told.collect()
        };
        let alone = told(1);
        assert_eq!(alone.len(), 19);
        assert!(alone.iter().all(|one| one.contains("serval-net-certificate")), "{alone:?}");
        for jobs in [2, 5] {
            assert_eq!(told(jobs), alone, "{name} on {jobs} threads");
        }
    });
}

#[test]
fn queries_of_a_fixed_sample() {
    if skips("serval.contest.queries") {
        return;
    }
    let Some(directory) = data_dir("petri") else { return };
    let sample: Vec<&str> = include_str!("contest-sample.txt").lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(sample.len(), 104);
    let asked = side_by_side(&models(&directory), |model| {
        let (input, mut asked) = (model.input(), 0);
        for (kind, column) in [("ReachabilityCardinality", 8), ("ReachabilityFireability", 9)] {
            let wanted: Vec<usize> = sample
                .iter()
                .filter_map(|id| {
                    id.strip_prefix(&format!("{}-{kind}-", model.name))
                        .map(|number| number.split('-').next_back().unwrap().parse().unwrap())
                })
                .collect();
            if wanted.is_empty() {
                continue;
            }
            let questions = input.queries(&std::fs::read_to_string(model.directory.join(format!("{kind}.xml"))).unwrap()).unwrap();
            assert_eq!(questions.len(), 16);
            for position in wanted {
                let question = &questions[position];
                assert!(sample.contains(&question.name.as_str()), "{}", question.name);
                let expected = model.columns[column].as_bytes()[position];
                assert!(matches!(expected, b'T' | b'F'), "{}", question.name);
                expect(model, &input, question, expected == b'T');
                asked += 1;
            }
        }
        asked
    });
    assert_eq!(asked.iter().sum::<u64>(), 104);
    say("104 queries");
}
