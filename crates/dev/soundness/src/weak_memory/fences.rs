//! The fewest fences of programs without loops, against all smaller sets.

use std::ops::Range;

use serval_budget::Budget;
use serval_tso_engine::{EngineLimits, Fixed, fix};

use super::naive::{Act, Code, REGISTERS, Stmt, behaviour, random};
use crate::Tally;

/// The program with a fence before these statements.
fn fenced(code: &Code, places: &[(usize, usize)]) -> Code {
    let mut code = code.clone();
    for (number, thread) in code.threads.iter_mut().enumerate() {
        let old = std::mem::take(thread);
        for (at, stmt) in old.into_iter().enumerate() {
            if places.contains(&(number, at)) {
                thread.push(Stmt { guard: None, act: Act::Fence });
            }
            thread.push(stmt);
        }
    }
    code
}

/// All sets of `size` of the places.
fn subsets(places: &[(usize, usize)], size: usize) -> Vec<Vec<(usize, usize)>> {
    if size == 0 {
        return vec![Vec::new()];
    }
    let Some((first, rest)) = places.split_first() else { return Vec::new() };
    let mut sets = subsets(rest, size);
    sets.extend(subsets(rest, size - 1).into_iter().map(|mut set| {
        set.push(*first);
        set
    }));
    sets
}

pub(super) fn compare(seeds: Range<u64>) -> Tally {
    let mut counts = Tally::default();
    for seed in seeds {
        let code = random(seed, false);
        let text = code.text("");
        let program = serval_tso_program::read(&text).unwrap();
        let Ok(Fixed::Fences(fences)) = fix(&program, &EngineLimits::default(), &mut Budget::unlimited()) else { panic!("{text}") };
        // The first points of a thread only set its registers.
        let place = |&(thread, point): &(u32, u32)| (thread as usize, (point as usize).checked_sub(REGISTERS).unwrap());
        let found: Vec<(usize, usize)> = fences.places().iter().map(place).collect();
        assert!(!behaviour(&fenced(&code, &found), true).cyclic, "{found:?}\n{text}");
        let all: Vec<(usize, usize)> =
            code.threads.iter().enumerate().flat_map(|(thread, body)| (0..body.len()).map(move |at| (thread, at))).collect();
        for smaller in (0..found.len()).flat_map(|size| subsets(&all, size)) {
            assert!(behaviour(&fenced(&code, &smaller), true).cyclic, "{smaller:?} is enough, {found:?} was found\n{text}");
            counts.count("smaller sets that are not enough");
        }
        counts.count("programs");
        counts.count(["no fence", "one fence", "two fences", "three fences", "more fences"][found.len().min(4)]);
        let mut certificate = serval_tso_proof::Certificate::new(&program);
        certificate.fences = Some(fences);
        certificate.check(&program, &mut Budget::unlimited()).unwrap_or_else(|refusal| panic!("{text}\n{refusal}"));
    }
    counts
}
