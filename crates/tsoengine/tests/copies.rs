//! Any number of copies against some numbers of copies, by trying everything: no violation is missed, and “robust” is never contradicted.

mod naive;

use naive::{Act, Code, Stmt, behaviour, random};
use serval_budget::Budget;
use serval_tsoengine::{AnyOutcome, Limits, decide_any};
use serval_tsoproof::Certificate;

/// How many programs; the whole number is for a longer run.
fn count(usual: u64) -> u64 {
    std::env::var("SERVAL_TSO_PROGRAMS").ok().and_then(|given| given.parse().ok()).unwrap_or(usual)
}

#[test]
fn what_is_said_of_any_number_is_true_of_one_two_and_three() {
    let (mut robust, mut violated, mut unknown) = (0, 0, 0);
    for seed in 0..count(60) {
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
        let program = serval_tso::read(&text).unwrap();
        let mut certificate = Certificate::new(&program);
        let limits = Limits { states: 20_000, buffer: 8 };
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
        match said {
            Some(true) => robust += 1,
            Some(false) => violated += 1,
            None => unknown += 1,
        }
    }
    assert!(robust > 5 && violated > 3 && unknown < robust, "{robust} {violated} {unknown}");
}
