//! The interpreter against results computed by hand.

mod programs;
mod values;
mod yielding;

use std::collections::{BTreeMap, BTreeSet};

use super::term::{Operator, Source, Term, binary, number, read};
use super::{Caps, Completed, Naive, Rejected};

/// What the only request of a program can answer when it runs alone.
fn answers(body: Term) -> Result<BTreeSet<i64>, Rejected> {
    let completed = Naive::new(&Source::single(body)).completed(1, Caps::default())?;
    assert!(completed.contains(&Vec::new()), "no request at all is a complete run");
    Ok(completed.into_iter().flatten().map(|(_, value)| value).collect())
}

/// The only answer of a request that runs alone.
fn answer(body: Term) -> i64 {
    let answers = answers(body).unwrap();
    assert_eq!(answers.len(), 1, "{answers:?}");
    answers.into_iter().next().unwrap()
}

/// Where a step ended.
#[derive(Debug, PartialEq, Eq)]
enum Stop {
    Answers(i64),
    Waits,
}

/// One request that is led by the hand, with a single global `X`.
struct Led {
    naive: Naive,
    state: Option<usize>,
}

impl Led {
    fn new(body: Term) -> Self {
        assert_eq!(body.globals(), BTreeSet::from(["X".to_owned()]), "the body must use X");
        let naive = Naive::new(&Source::single(body));
        let state = Some(naive.first_state());
        Self { naive, state }
    }

    /// Makes the only step there is with `X` as given; gives `X` afterwards.
    fn step(&mut self, x: i64) -> (Stop, i64) {
        let ends = self.naive.ends(self.state.expect("not yet answered"), &[x], Caps::default()).unwrap();
        assert_eq!(ends.len(), 1, "{ends:?}");
        let (end, globals) = ends.into_iter().next().unwrap();
        self.state = end.err();
        (end.map_or(Stop::Waits, Stop::Answers), globals[0])
    }

    /// The number of steps there are.
    fn step_count(&mut self, x: i64) -> usize {
        self.naive.ends(self.state.expect("not yet answered"), &[x], Caps::default()).unwrap().len()
    }
}

fn program(globals: &[(&str, i64)], requests: &[(&str, Term)]) -> Naive {
    let globals: BTreeMap<String, i64> = globals.iter().map(|&(name, value)| (name.to_owned(), value)).collect();
    let requests = requests.iter().map(|(name, body)| ((*name).to_owned(), body.clone())).collect();
    Naive::new(&Source { globals, requests })
}

/// The multisets with exactly `size` requests.
fn of_size(completed: &Completed, size: usize) -> Vec<Vec<(&str, i64)>> {
    let sized = completed.iter().filter(|multiset| multiset.len() == size);
    sized.map(|multiset| multiset.iter().map(|(name, value)| (name.as_str(), *value)).collect()).collect()
}

fn add(left: Term, right: Term) -> Term {
    binary(left, Operator::Add, right)
}

fn equal(left: Term, right: Term) -> Term {
    binary(left, Operator::Equal, right)
}

fn divide(left: Term, right: Term) -> Term {
    binary(left, Operator::Divide, right)
}

fn x_is(n: i64) -> Term {
    equal(read("X"), number(n))
}
