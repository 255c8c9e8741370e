//! Programs with equal threads: whether states can be reached, and whether the program is robust, with threads that are
//! alike in one order, in all orders, and by trying everything.
//!
//! Questions are about final states, or about points and registers in all states; some tell the threads apart, some do
//! not, and some do not together.

use std::collections::BTreeSet;
use std::ops::Range;

use serval_budget::Budget;
use serval_tso_engine::{EngineLimits, decide};
use serval_tso_program::Program;
use serval_tso_proof::{Certificate, Shown};

use super::naive::{Act, Code, Random, Stmt, bounded, random, reached};
use super::question;
use crate::Tally;

/// States with traces, and without.
const TRACES: usize = 5_000;
const STATES: usize = 20_000;

/// What is said of a thread.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AlikePart {
    /// The thread is at a statement.
    At(usize, usize),
    /// A register has a value.
    Has(usize, usize, i64),
}

/// A question about all states: one of these, of which all parts hold.
type Asked = Vec<Vec<AlikePart>>;

impl AlikePart {
    fn text(self) -> String {
        match self {
            Self::At(thread, at) => format!("P{thread}@l{at}"),
            Self::Has(thread, register, value) => format!("P{thread}.r{register} == {value}"),
        }
    }

    fn holds(self, at: &[usize], registers: &[[i64; 2]]) -> bool {
        match self {
            Self::At(thread, there) => at[thread] == there,
            Self::Has(thread, register, value) => registers[thread][register] == value,
        }
    }

    fn exchanged(self, one: usize, other: usize) -> Self {
        let of = |thread: usize| {
            if thread == one {
                other
            } else if thread == other {
                one
            } else {
                thread
            }
        };
        match self {
            Self::At(thread, at) => Self::At(of(thread), at),
            Self::Has(thread, register, value) => Self::Has(of(thread), register, value),
        }
    }
}

/// A program, how many of its threads are equal, and whether there is a loop.
fn program(seed: u64) -> (Code, usize, bool) {
    let mut code = random(seed, seed.is_multiple_of(3));
    let mut choice = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    choice.below(2);
    let equal = 2 + choice.below(3);
    let mut one = code.threads[0].clone();
    one.truncate([4, 3, 2][equal - 2]);
    let loops = choice.below(5) == 0;
    if loops {
        let (register, value) = (choice.below(2), i64::try_from(choice.below(3)).unwrap());
        let to = choice.below(one.len());
        one.push(Stmt { guard: None, act: Act::Back(register, value, to) });
    }
    let mut other = code.threads[1].clone();
    other.truncate(2);
    let plain = |act: Act| Stmt { guard: None, act };
    if choice.below(2) == 0 {
        // Threads that store and look at what the others store: few random ones do.
        one.splice(0..one.len().min(2), [plain(Act::Store(0, 1)), plain(Act::Load(choice.below(2), 1))]);
        other = vec![plain(Act::Store(1, 1)), plain(Act::Load(choice.below(2), 0))];
    }
    // The other thread is in front of equal ones, behind them, there twice, or not there.
    code.threads = vec![one; equal];
    match choice.below(4) {
        0 if equal < 4 => code.threads.push(other),
        1 if equal < 4 => code.threads.insert(0, other),
        2 if equal < 3 => code.threads.extend([other.clone(), other]),
        _ => {}
    }
    (code, equal, loops)
}

/// Some questions about all states.
fn asked(code: &Code, equal: usize, choice: &mut Random) -> Vec<Asked> {
    let threads = code.threads.len();
    // The equal ones stand together.
    let first = usize::from(threads > equal && code.threads[0] != code.threads[1]);
    let mut part = |thread: usize| match choice.below(2) {
        0 => AlikePart::At(thread, choice.below(code.threads[thread].len())),
        _ => AlikePart::Has(thread, choice.below(2), i64::try_from(choice.below(3)).unwrap()),
    };
    let mut base: Vec<AlikePart> = vec![part(first), part(first + 1)];
    if seed_bit(&base) {
        base.push(part(threads - 1));
    }
    // All that exchanges make of it.
    let mut orbit: Vec<Vec<AlikePart>> = vec![base.clone()];
    let mut at = 0;
    while let Some(of) = orbit.get(at).cloned() {
        for one in first..first + equal - 1 {
            let turned: Vec<AlikePart> = of.iter().map(|part| part.exchanged(one, one + 1)).collect();
            let same = |known: &Vec<AlikePart>| known.len() == turned.len() && known.iter().all(|part| turned.contains(part));
            if !orbit.iter().any(same) {
                orbit.push(turned);
            }
        }
        at += 1;
    }
    match choice.below(4) {
        0 => vec![vec![base]],
        1 => vec![orbit],
        2 => orbit.into_iter().map(|one| vec![one]).collect(),
        _ => orbit.into_iter().map(|one| vec![one]).chain([vec![vec![base[0]]]]).collect(),
    }
}

fn seed_bit(parts: &[AlikePart]) -> bool {
    matches!(parts[0], AlikePart::At(_, at) if at % 2 == 0)
}

fn text_of(asked: &Asked) -> String {
    let all = |parts: &Vec<AlikePart>| format!("({})", parts.iter().map(|part| part.text()).collect::<Vec<_>>().join(" && "));
    format!("never {};\n", asked.iter().map(all).collect::<Vec<_>>().join(" || "))
}

/// What is decided and accepted with threads in one order, or in all.
fn decided(seed: u64, program: &Program, alike: bool) -> (Certificate, Shown) {
    let limits = EngineLimits { states: 200_000, buffer: 8, alike };
    let certificate = decide(program, &limits, &mut Budget::unlimited()).unwrap().certificate;
    let shown = certificate.check(program, &mut Budget::unlimited()).unwrap_or_else(|refusal| panic!("seed {seed}, {alike}: {refusal}"));
    (certificate, shown)
}

fn states(certificate: &Certificate) -> usize {
    let lists = [&certificate.sc, &certificate.tso, &certificate.merged, &certificate.finals];
    let attacks = certificate.robust.as_ref().map_or(0, |robust| robust.attackers.iter().map(serval_tso_proof::Rows::len).sum::<usize>());
    lists.into_iter().flatten().map(|list| list.states.len()).sum::<usize>() + attacks
}

fn agree(one: &[Option<bool>], other: &[Option<bool>]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| one.is_none() || other.is_none() || one == other)
}

pub(super) fn compare(seeds: Range<u64>) -> Tally {
    let mut counts = Tally::default();
    for seed in seeds {
        one(seed, &mut counts);
    }
    counts
}

fn one(seed: u64, counts: &mut Tally) {
    let (code, equal, loops) = program(seed);
    let mut choice = Random(seed.wrapping_mul(0xD134_2543_DE82_EF95) | 1);
    choice.below(2);
    // What trying everything says: for each question under both models, and of robustness.
    let (text, expected): (String, [Vec<Option<bool>>; 2]) = if !loops && choice.below(3) == 0 {
        let (sc, tso) = (bounded(&code, false, usize::MAX, TRACES), bounded(&code, true, usize::MAX, TRACES));
        // Where there is too much to try, what was seen may be asked for all the same.
        let finals = |of: &BTreeSet<_>, complete: bool| {
            tso.finals.iter().map(|state| Some(of.contains(state)).filter(|found| *found || complete)).collect()
        };
        let text = code.labelled(&tso.finals.iter().take(12).map(question).collect::<String>());
        let mut expected: [Vec<Option<bool>>; 2] = [finals(&sc.finals, !sc.too_much), finals(&tso.finals, !tso.too_much)];
        expected.iter_mut().for_each(|answers| answers.truncate(12));
        (text, expected)
    } else {
        let asked = asked(&code, equal, &mut choice);
        let among = |buffers: bool| {
            let all = reached(&code, buffers, STATES);
            let holds = |one: &Asked| {
                let all = all.as_ref()?;
                Some(all.iter().any(|(at, registers)| one.iter().any(|parts| parts.iter().all(|part| part.holds(at, registers)))))
            };
            asked.iter().map(holds).collect::<Vec<_>>()
        };
        (code.labelled(&asked.iter().map(text_of).collect::<String>()), [among(false), among(true)])
    };
    let traces = bounded(&code, true, if loops { 5 } else { usize::MAX }, TRACES);
    let program = serval_tso_program::read(&text).unwrap_or_else(|wrong| panic!("seed {seed}\n{text}\n{wrong:?}"));
    let (certificate, shown) = decided(seed, &program, true);
    let (in_all, all) = decided(seed, &program, false);
    for answers in [&shown, &all] {
        assert!(agree(&answers.sc, &expected[0]), "seed {seed}: SC {:?}, {:?}\n{text}", answers.sc, expected[0]);
        assert!(agree(&answers.tso, &expected[1]), "seed {seed}: TSO {:?}, {:?}\n{text}", answers.tso, expected[1]);
        assert!(!traces.cyclic || answers.robust != Some(true), "seed {seed}: robust\n{text}");
        let tried = !traces.cyclic && !traces.too_much && !traces.cut;
        assert!(!tried || answers.robust != Some(false), "seed {seed}: not robust\n{text}");
        assert!(loops || answers.sc.iter().chain(&answers.tso).all(Option::is_some) && answers.robust.is_some(), "seed {seed}\n{text}");
    }
    // Both say the same; with loops one of them may find more.
    assert!(agree(&shown.sc, &all.sc) && agree(&shown.tso, &all.tso), "seed {seed}\n{text}");
    assert!(shown.robust.is_none() || all.robust.is_none() || shown.robust == all.robust, "seed {seed}\n{text}");

    counts.count("programs");
    counts.count(["two equal threads", "three equal threads", "four equal threads"][equal - 2]);
    if loops {
        counts.count("loops");
    }
    for (sc, tso) in shown.sc.iter().zip(&shown.tso) {
        counts.count(match (sc, tso) {
            (Some(true), _) => "reached under SC",
            (_, Some(true)) => "reached under TSO alone",
            (Some(false), Some(false)) => "not reached",
            _ => "undecided",
        });
    }
    counts.count(if shown.robust == Some(true) { "robust" } else { "not robust" });
    let lists = [&certificate.sc, &certificate.tso, &certificate.merged, &certificate.finals];
    if lists.into_iter().flatten().any(|list| !list.alike.is_empty()) {
        counts.count("in one order");
    }
    counts.add("states in one order", u64::try_from(states(&certificate)).unwrap());
    counts.add("states in all orders", u64::try_from(states(&in_all)).unwrap());
}
