//! Programs with more combinations of parameters than are written out.
//!
//! A proof is looked for with the few requests that stand for all (`lowering/rows.rs` of `serval-syntax`). A
//! counterexample is looked for among some requests at a time: each parameter has a few values, the ends of its range,
//! numbers of the text and their neighbours, and random ones; parameters with the same range have the same. A run of
//! these is one of the program, which the checker finds out from the names of the requests in it.

use std::collections::BTreeSet;

use serval_proof::{Action, RunEvent, fingerprint};
use serval_syntax::{Many, ManyRequest, Program};

use crate::Options;
use crate::claim::{Claimed, Effort, EngineClaim, about_some};
use crate::input::{Content, Input};

mod values;

use values::Pool;

/// Ticks for a set of requests: before a proof is looked for, in the first round afterwards, and at most.
const FIRST_TICKS: u64 = 20_000;
const NEXT_TICKS: u64 = 200_000;
const MOST_TICKS: u64 = 20_000_000;
/// Sets of requests before a proof is looked for, and afterwards in each round.
const FIRST_SETS: u64 = 3;
const SETS_OF_ROUND: u64 = 12;
/// Requests with parameters in a set, of each that is declared.
const MOST_OF_ONE: usize = 24;
/// How often a set is made smaller.
const MOST_TIMES: usize = 16;

/// Sets of requests of a program whose requests stand for all.
pub(crate) struct RequestSets<'a> {
    input: &'a Input,
    many: &'a Many,
    pool: Pool,
    options: &'a Options,
}

impl<'a> RequestSets<'a> {
    /// Of the program of this input.
    pub(crate) fn new(input: &'a Input, program: &Program, many: &'a Many, options: &'a Options) -> Self {
        let pool = Pool::new(program, options.seed.unwrap_or_else(|| seed_of(input.text())));
        Self { input, many, pool, options }
    }

    /// What `conclude` says of the first of a few sets with a run that refutes it.
    pub(crate) fn first<T>(&self, conclude: impl Fn(&Input) -> Option<T>) -> Option<T> {
        self.look(0..FIRST_SETS, conclude)
    }

    /// The same of all others.
    pub(crate) fn later<T>(&self, conclude: impl Fn(&Input) -> Option<T>) -> Option<T> {
        let rounds = u64::try_from(self.options.rounds).unwrap_or(u64::MAX).min(MOST_ROUNDS);
        self.look(FIRST_SETS..rounds.saturating_mul(SETS_OF_ROUND).saturating_add(FIRST_SETS), conclude)
    }

    fn look<T>(&self, sets: std::ops::Range<u64>, conclude: impl Fn(&Input) -> Option<T>) -> Option<T> {
        let mut tried = sets.take_while(|_| !self.options.cancel.is_cancelled());
        tried.find_map(|set| conclude(&refuted(self.input, requests(self.many, &self.pool, set), ticks_of(set), self.options)?))
    }
}

/// Rounds in which sets of requests are drawn.
const MOST_ROUNDS: u64 = 8;

/// A number that belongs to the text.
fn seed_of(text: &str) -> u64 {
    fingerprint(text).bytes().fold(0, |seed: u64, byte| seed.wrapping_mul(31).wrapping_add(byte.into()))
}

/// Ticks for a set: more and more.
fn ticks_of(set: u64) -> u64 {
    match set.checked_sub(FIRST_SETS) {
        None => FIRST_TICKS,
        Some(later) => NEXT_TICKS.saturating_mul(1 << (later / SETS_OF_ROUND).min(16)).min(MOST_TICKS),
    }
}

/// The requests of a set.
fn requests(many: &Many, pool: &Pool, set: u64) -> BTreeSet<String> {
    many.requests.iter().flat_map(|request| requests_of(request, pool, set)).collect()
}

/// The combinations of a few values of each parameter, as many as one request has in a set.
fn requests_of(request: &ManyRequest, pool: &Pool, set: u64) -> Vec<String> {
    let lists: Vec<Vec<i64>> = request.params.iter().map(|param| pool.values(&param.values, set)).collect();
    let all = lists.iter().fold(1_usize, |all, list| all.saturating_mul(list.len()));
    let count = all.min(MOST_OF_ONE);
    let combination = |index: usize| {
        // Where there are too many those are taken that lie apart.
        let mut rest = if all <= MOST_OF_ONE { index } else { pool.number(set, index) % all };
        let mut values = Vec::new();
        for list in &lists {
            values.extend(list.get(rest % list.len().max(1)));
            rest /= list.len().max(1);
        }
        request.named(&values)
    };
    (0..count).map(combination).collect()
}

/// Some requests of which a run refutes the program: those alone that come in it.
fn refuted(input: &Input, mut names: BTreeSet<String>, ticks: u64, options: &Options) -> Option<Input> {
    for _ in 0..MOST_TIMES {
        let some = input.only(&names, ticks)?;
        let met = claim_of(&some, ticks, options)?;
        let coming: BTreeSet<String> = names.intersection(&met).cloned().collect();
        if coming == names {
            return Some(some);
        }
        names = coming;
    }
    None
}

/// The names of the requests in a run of the program that refutes it.
fn claim_of(input: &Input, ticks: u64, options: &Options) -> Option<BTreeSet<String>> {
    let Content::Program(program) = input.content() else { return None };
    let effort = Effort::of(options, &|_| {});
    let Claimed { claim, .. } = about_some(input.prepare(program), input.text(), ticks, &effort);
    let name = |event: &RunEvent| match &event.action {
        Action::Spawn { request, .. } => Some(request.clone()),
        _ => None,
    };
    match claim {
        EngineClaim::Refuted { run, .. } => Some(run.steps.iter().filter_map(name).collect()),
        EngineClaim::Fails { report, .. } => {
            let run = report.named.as_ref()?;
            Some(crate::fault::certificate(run, serval_verify::failure_of(&report.fault)?).steps.iter().filter_map(name).collect())
        }
        // What a request does alone needs no more than itself; which it is the report says.
        EngineClaim::Unusable(_) => Some(program.requests.iter().map(|request| request.name.clone()).collect()),
        EngineClaim::Proved { .. } | EngineClaim::Undecided(_) => None,
    }
}
