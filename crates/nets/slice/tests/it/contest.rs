//! Nets and questions of the Model Checking Contest, with known answers.

use std::path::Path;

use serval_budget::Budget;
use serval_effort::{one_in, side_by_side, skips};
use serval_net_slice::{Slice, slice};
use serval_petri::{Net, mcc, pnml, tina};
use serval_testkit::say;
use serval_testkit::suite::data_dir;

use crate::support::explore;

/// How many markings are tried where that is all of them, and otherwise.
const MARKINGS: [usize; 2] = [80_000, 2_000];

#[derive(Default, Debug)]
struct Counts {
    nets: usize,
    /// Nets all of whose markings were tried, as many as expected.
    explored: usize,
    questions: usize,
    /// Formulas that become few targets.
    split: usize,
    targets: usize,
    targets_away: usize,
    /// Decided by slicing alone.
    sliced: usize,
    /// Decided by trying everything, or by finding what was looked for.
    tried: usize,
}

impl Counts {
    /// What was counted in both.
    fn and(self, other: Self) -> Self {
        Self {
            nets: self.nets + other.nets,
            explored: self.explored + other.explored,
            questions: self.questions + other.questions,
            split: self.split + other.split,
            targets: self.targets + other.targets,
            targets_away: self.targets_away + other.targets_away,
            sliced: self.sliced + other.sliced,
            tried: self.tried + other.tried,
        }
    }
}

fn check(directory: &Path, expected: &[&str]) -> Counts {
    let mut counts = Counts::default();
    let [name, places, transitions, .., states, cardinality, fireability] = expected else { panic!("{expected:?}") };
    let read = |file: &str| std::fs::read_to_string(directory.join(name).join(file)).unwrap();
    let pnml::ReadNet { net, ids } = pnml::read(&read("model.pnml")).unwrap_or_else(|error| panic!("{name}: {error}"));
    net.check_invariants();
    assert_eq!(
        (net.place_count().to_string(), net.transition_count().to_string()),
        ((*places).to_owned(), (*transitions).to_owned()),
        "{name}"
    );
    assert_eq!(tina::read(&tina::write(&net)).as_ref(), Ok(&net));
    assert_eq!(pnml::read(&pnml::write(&net)).map(|read| read.net).as_ref(), Ok(&net));
    counts.nets += 1;

    let explored = {
        let [all, some] = MARKINGS;
        let is_small = states.parse::<usize>().is_ok_and(|states| states <= all);
        explore(&net, u64::MAX, if is_small { all } else { some })
    };
    if explored.is_complete {
        assert_eq!(explored.order.len().to_string(), *states, "{name}");
        counts.explored += 1;
    }
    for (file, answers) in [("ReachabilityCardinality.xml", cardinality), ("ReachabilityFireability.xml", fireability)] {
        let questions = mcc::read(&read(file), &net, &ids).unwrap_or_else(|error| panic!("{name}/{file}: {error}"));
        assert_eq!(questions.len(), answers.len());
        for (question, answer) in questions.iter().zip(answers.chars()) {
            counts.questions += 1;
            let is_reachable = match (answer, question.holds) {
                ('T', mcc::Holds::IfReachable) | ('F', mcc::Holds::UnlessReachable) => Some(true),
                ('F', mcc::Holds::IfReachable) | ('T', mcc::Holds::UnlessReachable) => Some(false),
                _ => None,
            };
            let is_found = explored.order.iter().any(|marking| question.formula.holds(marking));
            if is_found || explored.is_complete {
                counts.tried += 1;
                assert!(is_reachable.is_none_or(|expected| expected == is_found), "{}", question.id);
            }
            let Some(targets) = question.formula.targets(2_000) else { continue };
            counts.split += 1;
            counts.targets += targets.len();
            for marking in explored.order.iter().step_by(explored.order.len() / 50 + 1) {
                assert_eq!(targets.iter().any(|target| target.holds(marking)), question.formula.holds(marking), "{}", question.id);
            }
            let is_away = |net: &Net, target| matches!(slice(net, target, &mut Budget::unlimited()), Ok(Slice::Unreachable(_)));
            let away = targets.iter().filter(|target| is_away(&net, target)).count();
            counts.targets_away += away;
            if away == targets.len() {
                counts.sliced += 1;
                assert_ne!(is_reachable, Some(true), "{}", question.id);
            }
            for target in targets.iter().take(20) {
                let text = mcc::write(&[(&question.id, target)]).unwrap();
                let back = mcc::read(&text, &net, &pnml::Ids::written(&net)).unwrap();
                assert_eq!(back[0].formula.targets(1_000_000).as_deref(), Some(&[target.clone()][..]));
            }
        }
    }
    counts
}

#[test]
fn contest_nets_are_read_and_their_questions_answered() {
    if skips("petri.contest") {
        return;
    }
    let Some(directory) = data_dir("petri") else { return };
    let list = std::fs::read_to_string(directory.join("expected.tsv")).unwrap();
    let rows: Vec<Vec<&str>> = list.lines().skip(1).step_by(one_in(3)).map(|line| line.split('\t').collect()).collect();
    let counts = side_by_side(&rows, |row| check(&directory, row)).into_iter().fold(Counts::default(), Counts::and);
    say(&format!("contest: {counts:?}"));
    assert!(counts.nets > 0 && counts.tried > 0);
}
