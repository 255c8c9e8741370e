//! The engine against trying everything, on random programs without loops: final states under both models, robustness, and the fewest fences.

mod naive;

use naive::{Act, Code, Final, Stmt, behaviour, random};
use serval_budget::Budget;
use serval_tsoengine::{Fixed, Limits, decide, fix};
use serval_tsoproof::Shown;

/// How many programs of each kind; the whole number is for a longer run.
fn count(usual: u64) -> u64 {
    std::env::var("SERVAL_TSO_PROGRAMS").ok().and_then(|given| given.parse().ok()).unwrap_or(usual)
}

/// A question that exactly one final state meets.
fn question(of: &Final) -> String {
    let (registers, memory) = of;
    let mut parts = Vec::new();
    for (thread, registers) in registers.iter().enumerate() {
        parts.extend(registers.iter().enumerate().map(|(register, value)| format!("P{thread}.r{register} == {value}")));
    }
    parts.extend(memory.iter().enumerate().map(|(cell, value)| format!("{} == {value}", ["x", "y", "z"][cell])));
    format!("exists {};\n", parts.join(" && "))
}

/// What is shown about a program, after the checker has accepted the evidence.
fn shown(text: &str) -> Shown {
    let program = serval_tso::read(text).unwrap_or_else(|wrong| panic!("{text}\n{wrong:?}"));
    let outcome = decide(&program, &Limits::default(), &mut Budget::unlimited()).unwrap_or_else(|fault| panic!("{text}\n{fault:?}"));
    outcome.certificate.check(&program, &mut Budget::unlimited()).unwrap_or_else(|refusal| panic!("{text}\n{refusal}"))
}

#[test]
fn final_states_and_robustness_are_those_of_trying_everything() {
    let (mut robust, mut same) = (0, 0);
    let programs = count(400);
    for seed in 0..programs {
        let code = random(seed, true);
        let (sc, tso) = (behaviour(&code, false), behaviour(&code, true));
        assert!(!sc.cyclic && sc.finals.is_subset(&tso.finals));
        // All that can be reached with buffers, and one state that can be reached with none.
        let mut asked: Vec<Final> = tso.finals.iter().cloned().collect();
        let mut nowhere = asked[0].clone();
        nowhere.1[0] = 7;
        asked.push(nowhere);
        let text = code.text(&asked.iter().map(question).collect::<String>());
        let shown = shown(&text);
        for (number, state) in asked.iter().enumerate() {
            assert_eq!(shown.sc[number], Some(sc.finals.contains(state)), "{text}");
            assert_eq!(shown.tso[number], Some(tso.finals.contains(state)), "{text}");
        }
        assert_eq!(shown.robust, Some(!tso.cyclic), "seed {seed}\n{text}");
        if !tso.cyclic {
            assert_eq!(sc.finals, tso.finals, "{text}");
            robust += 1;
        } else if sc.finals == tso.finals {
            same += 1;
        }
    }
    // The programs are of both kinds, and robustness is more than the same final states.
    assert!(robust > programs / 5 && programs - robust > programs / 12 && same > 0, "{robust} {same}");
}

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

/// All sets of so many of the places.
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

#[test]
fn no_smaller_set_of_fences_makes_a_program_robust() {
    let mut needed = [0; 5];
    for seed in 0..count(150) {
        let code = random(seed, false);
        let text = code.text("");
        let program = serval_tso::read(&text).unwrap();
        let Ok(Fixed::Fences(fences)) = fix(&program, &Limits::default(), &mut Budget::unlimited()) else { panic!("{text}") };
        // The first points of a thread only set its registers.
        let place = |&(thread, point): &(u32, u32)| (thread as usize, (point as usize).checked_sub(naive::REGISTERS).unwrap());
        let found: Vec<(usize, usize)> = fences.places.iter().map(place).collect();
        let size = found.len();
        needed[size.min(4)] += 1;
        assert!(!behaviour(&fenced(&code, &found), true).cyclic, "{found:?}\n{text}");
        let all: Vec<(usize, usize)> =
            code.threads.iter().enumerate().flat_map(|(thread, body)| (0..body.len()).map(move |at| (thread, at))).collect();
        for smaller in (0..size).flat_map(|size| subsets(&all, size)) {
            assert!(behaviour(&fenced(&code, &smaller), true).cyclic, "{smaller:?} is enough, {found:?} was found\n{text}");
        }
        let mut certificate = serval_tsoproof::Certificate::new(&program);
        certificate.fences = Some(fences);
        certificate.check(&program, &mut Budget::unlimited()).unwrap_or_else(|refusal| panic!("{text}\n{refusal}"));
    }
    assert!(needed[1] > 0 && needed[2] > 0, "{needed:?}");
}
