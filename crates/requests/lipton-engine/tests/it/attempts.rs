//! Retries that read two rows in several steps, with versions: never a proof where one of them is wrong.
//!
//! Which versions are tested, which are made fresh, and in which steps what is read is drawn. The proof is about the
//! program with integers for versions; what is tried is the program with slots.

use std::sync::Arc;

use serval_budget::Budget;
use serval_compile::{Options, Prepared};
use serval_lipton_engine::prove;
use serval_model::SplitMix64;
use serval_proof::{Reduction, Refusal};
use serval_syntax::{Program, Reading, analyze, read_for_proof};

const INTEGERS: Reading = Reading { integers: true, choices: false };

use crate::soundness::{Truth, truth};

/// A program, and the same with every test and every fresh version.
fn drawn(seed: u64) -> [String; 2] {
    let mut draw = SplitMix64::new(seed);
    let reads: Vec<&str> = match draw.index(5) {
        0 => vec!["v := V; x := X", "w := W; y := Y"],
        1 => vec!["v := V; w := W", "x := X; y := Y"],
        2 => vec!["v := V", "x := X; w := W", "y := Y"],
        3 => vec!["x := X", "v := V; w := W; y := Y"],
        _ => vec!["w := W; v := V; y := Y", "x := X"],
    };
    let flawed = draw.chance(60);
    let mut keep = |part: &'static str| [if flawed && draw.chance(25) { "" } else { part }, part];
    let [fresh, tests] = [[keep("fresh(V);"), keep("fresh(W);"), keep("fresh(V);")], [keep("v == V"), keep("w == W"), keep("")]];
    let reset = draw.chance(40);
    let both = draw.chance(50);
    [0, 1].map(|which| {
        let tested: Vec<&str> = tests[..2].iter().map(|test| test[which]).filter(|test| !test.is_empty()).collect();
        let test = if tested.is_empty() { "x == X".to_owned() } else { tested.join(" and ") };
        let second = if both { format!("Y := x; {}", fresh[1][which]) } else { String::new() };
        let writes = format!("X := 1 - y; {} {second}", fresh[0][which]);
        let reset = if reset { format!("request reset {{ X := 0; {} 0 }}\n", fresh[2][which]) } else { String::new() };
        let attempt = |action: &str, answer: &str| {
            let reads = reads.join("; yield; ");
            format!("done := 0; while (!done) {{ {reads}; yield; if ({test}) {{ {action} done := 1 }} }}; {answer}")
        };
        format!(
            "version V: 2\nversion W: 2\nvar X: 0..1\nvar Y: 0..1\nrequest move {{ {} }}\nrequest sum {{ {} }}\n{reset}",
            attempt(&writes, "x"),
            attempt("", "2 * x + y")
        )
    })
}

fn prepared(program: Option<Program>) -> Arc<Prepared> {
    Arc::new(Prepared::new(&program.unwrap(), Options::default()))
}

fn accepted(prepared: &Prepared, reduction: &Reduction) -> Result<(), Refusal<()>> {
    serval_lipton_proof::check(prepared, reduction, &mut Budget::ticks(50_000_000))
}

fn proof(prepared: &Prepared) -> Option<Reduction> {
    let reduction = prove(prepared, &mut Budget::ticks(5_000_000)).ok()?.reduction;
    assert_eq!(accepted(prepared, &reduction), Ok(()));
    Some(reduction)
}

#[test]
fn attempts_with_versions_are_proved_only_where_all_are_tested() {
    let sweep = serval_effort::sweep("lipton.attempts", 60, 20_000);
    let (mut proved, mut wrong, mut forged) = (0_u64, 0_u64, 0_u64);
    for seed in sweep.seeds(0) {
        let [text, whole] = drawn(seed);
        let integers = prepared(read_for_proof(&text, INTEGERS));
        let found = proof(&integers);
        proved += u64::from(found.as_ref().is_some_and(|reduction| !reduction.attempts.is_empty()));
        let truth = truth(&prepared(analyze(&text).program), 3);
        assert!(found.is_none() || !matches!(truth, Truth::NotSerializable | Truth::Error(_)), "seed {seed}\n{text}");
        if truth != Truth::NotSerializable {
            continue;
        }
        wrong += 1;
        if let Some(other) = proof(&prepared(read_for_proof(&whole, INTEGERS))) {
            forged += 1;
            assert!(accepted(&integers, &other).is_err(), "seed {seed}\n{text}");
        }
    }
    if sweep.is_representative() {
        assert!(proved * 5 > sweep.count() && wrong * 10 > sweep.count() && forged > 0, "{proved} {wrong} {forged}");
    }
}

/// What grows under a lock and is kept in a register over a pause leaves 64 bits no sooner than what grows at once;
/// what doubles does.
#[test]
fn counters_under_locks_grow_slowly() {
    let counter = |next: &str| {
        let text = format!("request inc {{ lock(L); n := {next}; yield; N := n; unlock(L); n }}");
        prepared(analyze(&text).program)
    };
    let slow = counter("N + 1");
    let reduction = proof(&slow).unwrap();
    assert!(!reduction.slow_locals.is_empty() && reduction.unbounded());
    for next in ["2 * N + 1", "N * N + 2", "N + 2000000"] {
        let Err(Refusal::Invalid(refused)) = accepted(&counter(next), &reduction) else { panic!("{next}") };
        assert_eq!(refused.condition, serval_proof::Condition::ReductionSlow, "{next}: {refused}");
        assert_eq!(proof(&counter(next)), None, "{next}");
    }
    // A register of which that is not said is not near.
    let fewer = Reduction { slow_locals: Vec::new(), ..reduction };
    assert!(accepted(&slow, &fewer).is_err());
}
