//! Any number of copies against some numbers of copies, by trying everything: no violation is missed, and “robust” is
//! never contradicted.

use serval_budget::Budget;
use serval_effort::side_by_side;
use serval_tso_engine::{AnyOutcome, EngineLimits, decide_any, decide_many};
use serval_tso_proof::{Certificate, Claim, Model};

use serval_soundness::weak_memory::naive::{Act, Code, REGISTERS, Stmt, behaviour, random};

#[test]
fn what_is_said_of_any_number_is_true_of_one_two_and_three() {
    let sweep = serval_effort::sweep("weak_memory.copies_robust", 20, 60);
    let found = sweep.map(0, |seed| {
        let mut code = random(seed, seed % 2 == 0);
        code.threads.truncate(2);
        code.threads.iter_mut().for_each(|thread| thread.truncate(3));
        // A third begins with a store and ends with a load, as what is not robust does.
        for (number, thread) in code.threads.iter_mut().enumerate().filter(|_| seed % 3 == 1) {
            *thread.first_mut().unwrap() = Stmt { guard: None, act: Act::Store(number, 1) };
            *thread.last_mut().unwrap() = Stmt { guard: None, act: Act::Load(0, 1 - number) };
        }
        // The first thread is any number of copies, and the second one stays or goes.
        if seed % 3 == 0 {
            code.threads.truncate(1);
        }
        let text = code.text("").replacen("thread P0", "thread* P0", 1);
        let program = serval_tso_program::read(&text).unwrap();
        let mut certificate = Certificate::new(&program);
        let limits = EngineLimits { states: 20_000, buffer: 8, ..EngineLimits::default() };
        let said = match decide_any(&program, &limits, &mut Budget::unlimited()) {
            AnyOutcome::Robust(any) => {
                certificate.any = Some(any);
                Some(true)
            }
            AnyOutcome::Violated(copies, violation) => {
                (certificate.copies, certificate.violation) = (Some(copies), Some(violation));
                Some(false)
            }
            AnyOutcome::Unknown(_) => None,
            AnyOutcome::Fault(..) => panic!("{text}"),
        };
        let shown = certificate.check(&program, &mut Budget::unlimited()).unwrap_or_else(|refusal| panic!("{text}\n{refusal}"));
        assert_eq!(shown.robust, said, "{text}");
        // With three copies of three statements there are too many orders to try them all.
        let most = if code.threads[0].len() > 2 { 2 } else { 3 };
        let fails = |copies: usize| {
            let mut threads = vec![code.threads[0].clone(); copies];
            threads.extend(code.threads.get(1).cloned());
            behaviour(&Code { cells: code.cells, threads }, true).cyclic
        };
        let first = (1..=most).find(|copies| fails(*copies));
        match said {
            Some(true) => assert_eq!(first, None, "{text}"),
            Some(false) => {
                let copies = certificate.copies.unwrap() as usize;
                assert_eq!(first, (copies <= most).then_some(copies), "{text}");
            }
            None => assert_eq!(first, None, "{text}"),
        }
        said
    });
    let [robust, violated, unknown] = [Some(true), Some(false), None].map(|what| found.iter().filter(|said| **said == what).count());
    assert!(!sweep.is_representative() || robust > 1 && violated > 0 && unknown < robust, "{robust} {violated} {unknown}");
}

/// What a question asks of the first copy, of the other thread, and of memory.
fn asked(registers: &[[i64; REGISTERS]], memory: &[i64]) -> String {
    let mut parts = Vec::new();
    for (thread, registers) in registers.iter().enumerate() {
        parts.extend(registers.iter().enumerate().map(|(register, value)| format!("P{thread}.r{register} == {value}")));
    }
    parts.extend(memory.iter().enumerate().map(|(cell, value)| format!("{} == {value}", ["x", "y", "z"][cell])));
    format!("exists {};\n", parts.join(" && "))
}

#[test]
fn questions_about_any_number_have_the_answers_of_one_and_two_and_three() {
    let sweep = serval_effort::sweep("weak_memory.copies_questions", 20, 60);
    let found = sweep.map(0, |seed| {
        let (mut reachable, mut unreachable, mut open) = ([0_u64; 2], [0_u64; 2], [0_u64; 2]);
        let mut code = random(seed, seed % 2 == 0);
        code.threads.truncate(2);
        code.threads.iter_mut().for_each(|thread| thread.truncate(2));
        if seed % 3 == 0 {
            code.threads.truncate(1);
        }
        // For each number of copies the final states that a question can tell apart, under both models.
        let seen = |copies: usize, buffers: bool| {
            let mut threads = vec![code.threads[0].clone(); copies];
            threads.extend(code.threads.get(1).cloned());
            let mut finals: Vec<(Vec<[i64; REGISTERS]>, Vec<i64>)> = Vec::new();
            for (registers, memory) in behaviour(&Code { cells: code.cells, threads }, buffers).finals {
                // Copies are alike, so any of them may be the first.
                for copy in 0..copies {
                    finals.push(([&registers[copy..=copy], &registers[copies..]].concat(), memory.clone()));
                }
            }
            finals
        };
        let known: Vec<[Vec<_>; 2]> = (1..=3).map(|copies| [seen(copies, false), seen(copies, true)]).collect();
        let mut states: Vec<_> = known.iter().flat_map(|models| models[1].iter().cloned()).collect();
        states.sort();
        states.dedup();
        let mut nowhere = states[0].clone();
        nowhere.1[0] = 7;
        states.push(nowhere);
        let questions: String = states.iter().map(|(registers, memory)| asked(registers, memory)).collect();
        let text = code.text(&questions).replacen("thread P0", "thread* P0", 1);
        let program = serval_tso_program::read(&text).unwrap();
        let outcome =
            decide_many(&program, &EngineLimits { states: 20_000, buffer: 8, ..EngineLimits::default() }, &mut Budget::unlimited())
                .unwrap();
        let certificate = Certificate::from_json(&outcome.certificate.to_json()).unwrap();
        let shown = certificate.check(&program, &mut Budget::unlimited()).unwrap_or_else(|refusal| panic!("{text}\n{refusal}"));
        for (number, state) in states.iter().enumerate() {
            for (model, said) in [shown.sc[number], shown.tso[number]].into_iter().enumerate() {
                let first = known.iter().position(|models| models[model].contains(state)).map(|at| at + 1);
                let answer =
                    certificate.answers.iter().find(|answer| answer.question == number && (answer.model == Model::Tso) == (model == 1));
                match (said, answer.map(|answer| &answer.claim)) {
                    (Some(true), Some(Claim::Copies(copies, _))) => {
                        // With four copies it may be reached where it is not with three.
                        assert_eq!(first, Some(*copies as usize).filter(|copies| *copies <= 3), "{text}\n{state:?}");
                        reachable[model] += 1;
                    }
                    (Some(false), _) => {
                        assert_eq!(first, None, "{text}\n{state:?}");
                        unreachable[model] += 1;
                    }
                    (None, _) => {
                        assert_eq!(first, None, "{text}\n{state:?}");
                        open[model] += 1;
                    }
                    other => panic!("{other:?}"),
                }
            }
        }
        [reachable, unreachable, open]
    });
    // Under both models, what is reached, what is not, and what is open.
    let total = |what: usize, model: usize| found.iter().map(|counts| counts[what][model]).sum::<u64>();
    let enough = total(0, 0) * 6 > sweep.count() * 5 && total(1, 0) * 2 > sweep.count() && total(1, 1) * 6 > sweep.count();
    assert!(!sweep.is_representative() || enough && total(2, 0) < total(1, 0), "{found:?}");
}

#[test]
fn how_many_copies_something_needs() {
    let text =
        "values 0..3 wrap; memory n = 0; thread* P { o := fadd(n, 1); if (o == 2) { third: skip; } } never P@third; exists P.o == 1;";
    let limits = EngineLimits { states: 20_000, buffer: 8, ..EngineLimits::default() };
    let program = serval_tso_program::read(text).unwrap();
    let outcome = decide_many(&program, &limits, &mut Budget::unlimited()).unwrap();
    let shown = outcome.certificate.check(&program, &mut Budget::unlimited()).unwrap();
    assert_eq!((shown.sc, shown.tso, shown.robust), (vec![Some(true); 2], vec![Some(true); 2], Some(true)));
    let copies: Vec<(usize, u32)> = outcome
        .certificate
        .answers
        .iter()
        .filter_map(|answer| match answer.claim {
            Claim::Copies(copies, _) if answer.model == Model::Sc => Some((answer.question, copies)),
            _ => None,
        })
        .collect();
    assert!(copies.contains(&(0, 3)) && copies.contains(&(1, 2)), "{copies:?}");
}

/// Copies with registers of several values are at so many places that their sets cannot all be looked at.
#[test]
fn registers_of_several_values_are_no_obstacle() {
    let text = "values 0..2 wrap; memory n = 0, m = 0;
        thread* P { o := fadd(n, 1); r := m; m := o; if (o == r) { same: skip; } s := n; }
        never P.s == 3;
        never P@same && P.o == 3;
        never P@same && P.o == 2;";
    let program = serval_tso_program::read(text).unwrap();
    let limits = EngineLimits { states: 2_000, ..EngineLimits::default() };
    let certificate = decide_many(&program, &limits, &mut Budget::unlimited()).unwrap().certificate;
    let shown = certificate.check(&program, &mut Budget::unlimited()).unwrap();
    assert_eq!(shown.sc[..2], [Some(false), Some(false)]);
    // All have the same places: this is what was needed here.
    let list = &certificate.any_sc.as_ref().unwrap().configurations;
    assert!(list.len() > 100 && list.iter().all(|one| one.copies == list[0].copies), "{}", list.len());
    // A configuration is needed, and so is every place.
    side_by_side(&[0, list.len() / 2, list.len() - 1], |&number| {
        let mut mutant = certificate.clone();
        mutant.any_sc.as_mut().unwrap().configurations.remove(number);
        assert!(mutant.check(&program, &mut Budget::unlimited()).is_err(), "{number}");
        let mut mutant = certificate.clone();
        mutant.any_sc.as_mut().unwrap().configurations.iter_mut().for_each(|one| {
            let place = number % one.copies.len();
            one.copies.remove(place);
        });
        assert!(mutant.check(&program, &mut Budget::unlimited()).is_err(), "{number}");
    });
}
