//! Litmus tests in the dialect that diy7 writes: that they are read, and that their answers are those of a machine
//! that tries everything.

mod generate;
mod machine;

use std::collections::BTreeMap;

use serval_budget::Budget;
use serval_effort::sweep;
use serval_tso_engine::{EngineLimits, decide};
use serval_tso_program::read_litmus;

use generate::{Random, Test};

/// States of the machine that are tried.
const STATES: usize = 60_000;

/// What is not read, by what stands in its place, and what its refusal names.
const REFUSED: &[(&str, &str)] = &[
    ("cmove %ecx,%eax", "`cmove`"),
    ("sete %al", "`sete`"),
    ("movb $1,(x)", "`movb`"),
    ("MOV AL,$1", "`AL`"),
    ("movnti %eax,(x)", "`movnti`"),
    ("clflush (x)", "`clflush`"),
    ("sar $1,%eax", "`sar`"),
];

fn one(seed: u64) -> &'static str {
    let mut random = Random(seed.wrapping_mul(0x2545_F491_4F6C_DD1D) ^ 0xD17);
    let test = Test::new(&mut random);
    let (sc, tso) = (test.machine(false).finals(STATES), test.machine(true).finals(STATES));
    let (Some(sc), Some(tso)) = (sc, tso) else { return "read, too many states to try" };
    let (sc, tso): (Vec<_>, Vec<_>) = (sc.into_iter().collect(), tso.into_iter().collect());
    let more: Vec<_> = tso.iter().filter(|state| !sc.contains(state)).cloned().collect();
    // One whole final state shows whatever is computed otherwise.
    let alone = !tso.is_empty() && !random.one_in(3);
    let is_more = !more.is_empty() && random.one_in(2);
    let question = test.question(if is_more { &more } else { &tso }, alone, &mut random);
    let mut text = test.text(&mut random) + &question.text();
    let stranger = random.one_in(40).then(|| REFUSED[random.below(REFUSED.len())]);
    if let Some((written, _)) = stranger {
        let blanks = "| ".repeat(test.threads.len() - 1);
        let head = text.find(" P0").and_then(|at| text[at..].find(";\n").map(|end| at + end + 2)).unwrap();
        text.insert_str(head, &format!(" {written} {blanks};\n"));
    }
    let program = match (read_litmus(&text), stranger) {
        (Ok(program), None) => program,
        (Ok(_), Some(_)) => panic!("seed {seed} was read\n{text}"),
        (Err(wrong), stranger) => {
            let said: Vec<&str> = wrong.iter().map(|diagnostic| diagnostic.message.as_str()).collect();
            let named = stranger.is_some_and(|(_, name)| said.iter().any(|message| message.contains(name)));
            // A register with a whole number of bytes cannot choose between cells that begin with different values.
            let chosen = said.iter().all(|message| message.starts_with("a register chooses a cell of `a`"));
            // `ADD ECX,EAX` and nothing else: either may be the one that changes.
            let unclear = said.iter().all(|message| message.starts_with("nothing shows in which order the operands stand"));
            assert!(named || chosen || unclear, "seed {seed}\n{text}\n{wrong:?}");
            return match (named, chosen) {
                (true, _) => "refused by name",
                (_, true) => "refused: a register chooses a cell",
                _ => "refused: no sign of the order of operands",
            };
        }
    };
    let outcome = match decide(&program, &EngineLimits::default(), &mut Budget::unlimited()) {
        Ok(outcome) => outcome,
        // Sums of 64 bits have no other end.
        Err(fault) => {
            assert!(text.starts_with("X86_64"), "seed {seed}\n{text}\n{fault:?}");
            return "read, leaves 64 bits";
        }
    };
    let shown =
        outcome.certificate.check(&program, &mut Budget::unlimited()).unwrap_or_else(|refusal| panic!("seed {seed}\n{text}\n{refusal}"));
    let expected = (Some(question.reached(&sc)), Some(question.reached(&tso)));
    assert_eq!((shown.sc[0], shown.tso[0]), expected, "seed {seed}\n{text}");
    match expected {
        (Some(true), _) => "compared, reached under SC",
        (_, Some(true)) => "compared, reached under TSO alone",
        _ => "compared, not reached",
    }
}

#[test]
fn tests_of_diy7_are_read_and_have_the_answers_of_a_machine() {
    let sweep = sweep("weak_memory.diy", 150, 5000);
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for what in sweep.map(0, one) {
        *counts.entry(what).or_default() += 1;
    }
    serval_testkit::say(&format!("diy: {counts:?}"));
    let starting = |with: &str| counts.iter().filter(|(what, _)| what.starts_with(with)).map(|(_, count)| count).sum::<u64>();
    if sweep.is_representative() {
        assert!(starting("refused") * 20 <= sweep.count(), "fewer than 95 of 100 are read: {counts:?}");
        assert!(starting("compared") * 10 >= sweep.count() * 8, "{counts:?}");
        assert!(
            ["compared, reached under SC", "compared, reached under TSO alone", "compared, not reached"]
                .iter()
                .all(|what| counts.contains_key(what)),
            "{counts:?}"
        );
    }
}
