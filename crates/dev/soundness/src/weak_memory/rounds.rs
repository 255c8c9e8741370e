//! Final states of straight programs with store buffers in a bounded number of rounds, by trying everything and
//! counting rounds.

use std::collections::BTreeSet;
use std::ops::Range;

use rustc_hash::FxHashSet;
use serval_budget::Budget;
use serval_tso_engine::{EngineLimits, in_rounds};
use serval_tso_program::Program;
use serval_tso_proof::{Answer, Certificate, Claim, Model};

use super::naive::{Act, Code, Final, World, behaviour, first_world, random, stepped};
use super::question;
use crate::Tally;

/// All final states that runs reach in which each thread has at most so many rounds: stretches in which only it makes
/// steps, and only its stores land.
pub(super) fn finals_in_rounds(code: &Code, rounds: usize) -> BTreeSet<Final> {
    let count = code.threads.len();
    let mut finals = BTreeSet::new();
    let mut seen = FxHashSet::default();
    let mut stack = vec![(first_world(code), vec![0; count], count)];
    while let Some((world, used, turn)) = stack.pop() {
        // What the trace says is of no interest here.
        let world = World { coherence: vec![Vec::new(); code.cells], reads: std::collections::BTreeMap::new(), ..world };
        if !seen.insert((world.clone(), used.clone(), turn)) {
            continue;
        }
        let ended = (0..count).all(|thread| world.at[thread] == code.threads[thread].len() && world.buffers[thread].is_empty());
        if ended {
            finals.insert((world.registers.clone(), world.memory.clone()));
        }
        for thread in 0..count {
            let mut used = used.clone();
            if turn != thread {
                used[thread] += 1;
            }
            if used[thread] > rounds {
                continue;
            }
            if let Some(after) = stepped(code, &world, thread, true) {
                stack.push((after, used.clone(), thread));
            }
            if let Some(&(cell, value, _)) = world.buffers[thread].first() {
                let mut after = world.clone();
                after.buffers[thread].remove(0);
                after.memory[cell] = value;
                stack.push((after, used, thread));
            }
        }
    }
    finals
}

/// Which questions have a run in `rounds` rounds; each run is accepted by the checker.
fn found(program: &Program, rounds: u32) -> Vec<bool> {
    let skipped = vec![false; program.questions.len()];
    let said = in_rounds(program, rounds, &skipped, &EngineLimits::default(), &mut Budget::unlimited()).unwrap();
    assert_eq!(said.open.map(|reason| reason.to_string()), None);
    let mut certificate = Certificate::new(program);
    for (question, run) in said.runs.iter().enumerate() {
        certificate.answers.extend(run.clone().map(|run| Answer { question, model: Model::Tso, claim: Claim::Reachable(run) }));
    }
    certificate.check(program, &mut Budget::unlimited()).unwrap_or_else(|refusal| panic!("{refusal}"));
    said.runs.iter().map(Option::is_some).collect()
}

pub(super) fn compare(seeds: Range<u64>) -> Tally {
    let mut counts = Tally::default();
    for seed in seeds {
        let code = random(seed, seed.is_multiple_of(2));
        let asked: Vec<Final> = behaviour(&code, true).finals.into_iter().collect();
        let text = code.text(&asked.iter().map(question).collect::<String>());
        let program = serval_tso_program::read(&text).unwrap();
        let fences = code.threads.iter().flatten().any(|stmt| !matches!(stmt.act, Act::Store(..) | Act::Copy(..) | Act::Load(..)));
        counts.count("programs");
        counts.count(if fences { "with fences or locked steps" } else { "without" });
        for rounds in 1..=3 {
            let finals = finals_in_rounds(&code, rounds as usize);
            let expected: Vec<bool> = asked.iter().map(|state| finals.contains(state)).collect();
            assert_eq!(found(&program, rounds), expected, "seed {seed}, {rounds} rounds\n{text}");
            if expected.contains(&false) {
                counts.count(["", "one round is not enough", "two rounds are not enough", "three rounds are not enough"][rounds as usize]);
            }
        }
    }
    counts
}
