//! `version` against the reading with integers: `V` starts at 1, `fresh(V)` is
//! `V := V + 1`, and `t := V` and comparisons are what they look like.
//!
//! Random programs are spelled in both ways and run by brute force. With a slot
//! for every token the answers are the same; with fewer they are those of the
//! runs in which so many tokens are held at most, which the integers are made to
//! obey by counting; and serial runs are the same in any case.

use std::fmt::Write;

use serval_syntax::analyze;
use serval_testkit::naive::{Caps, Completed, Naive, Rejected, Source};
use serval_testkit::random::SplitMix64;

/// How a program is spelled.
#[derive(Clone, Copy)]
enum Spelling {
    /// `version V: K`
    Slots(usize),
    /// `V` is an integer.
    Integers,
    /// The same, in which a request does not go on where it would hold one token more than this number.
    Counted(usize),
}

const TOKENS: [&str; 2] = ["s", "t"];

enum Statement {
    Take(usize),
    Fresh,
    Yield,
    Look,
    Set(String),
    If(String, Vec<Statement>),
    Retry(usize, Vec<Statement>),
    Return(String),
}

fn condition(rng: &mut SplitMix64) -> String {
    let token = rng.pick(&TOKENS);
    match rng.below(5) {
        0 => format!("{token} == V"),
        1 => format!("V == {token}"),
        2 => format!("{token} != V"),
        3 => "X == x".to_owned(),
        _ => "?".to_owned(),
    }
}

fn statements(rng: &mut SplitMix64, count: usize, depth: usize) -> Vec<Statement> {
    let mut list = Vec::new();
    for _ in 0..count {
        list.push(match rng.below(12) {
            0..=2 => Statement::Take(rng.below(2)),
            3..=4 => Statement::Fresh,
            5..=7 => Statement::Yield,
            8 => Statement::Look,
            9 => Statement::Set(rng.pick(&["1 - X", "x", "s == V"]).to_owned()),
            10 if depth > 0 => {
                let condition = condition(rng);
                let inside = 1 + rng.below(3);
                let mut list = statements(rng, inside, depth - 1);
                if rng.chance(30) {
                    list.push(Statement::Return(answer(rng)));
                }
                Statement::If(condition, list)
            }
            _ if depth > 0 => Statement::Retry(rng.below(2), statements(rng, 2, 0)),
            _ => Statement::Yield,
        });
    }
    list
}

fn answer(rng: &mut SplitMix64) -> String {
    rng.pick(&["X", "x", "t == V", "2 * x + (s != V)", "(t == V) + 2 * (s == V)", "7"]).to_owned()
}

/// A program, whose requests must be able to hold all their tokens.
fn program(seed: u64) -> Vec<Vec<Statement>> {
    let mut rng = SplitMix64::new(seed);
    let count = 1 + rng.below(2);
    let mut requests = Vec::new();
    for _ in 0..count {
        let length = 3 + rng.below(4);
        // A local to which no version was assigned cannot be compared with one.
        let mut list = vec![Statement::If("?".to_owned(), vec![Statement::Take(0)]), Statement::Take(1)];
        list.extend(statements(&mut rng, length, 1));
        list.push(Statement::Return(answer(&mut rng)));
        requests.push(list);
    }
    requests
}

fn spell(requests: &[Vec<Statement>], spelling: Spelling) -> String {
    let mut out = match spelling {
        Spelling::Slots(count) => format!("version V: {count}\n"),
        Spelling::Integers | Spelling::Counted(_) => "V := 1\n".to_owned(),
    };
    for (index, list) in requests.iter().enumerate() {
        let _ = writeln!(out, "request r{index} {{");
        for statement in list {
            write_statement(&mut out, statement, spelling);
        }
        out.push_str("}\n");
    }
    out
}

fn write_block(out: &mut String, list: &[Statement], spelling: Spelling) {
    out.push_str("{\n");
    list.iter().for_each(|statement| write_statement(out, statement, spelling));
    out.push_str("};\n");
}

fn write_statement(out: &mut String, statement: &Statement, spelling: Spelling) {
    let counted = if let Spelling::Counted(most) = spelling { Some(most) } else { None };
    match (statement, spelling) {
        (Statement::Take(token), _) => {
            let token = TOKENS[*token];
            if let Some(most) = counted {
                let wait = format!("if (H == {most}) {{ while (1) {{ 0 }} }}");
                let _ = writeln!(out, "if (has_{token} == 0) {{ {wait}; H := H + 1; has_{token} := 1 }};");
            }
            let _ = writeln!(out, "{token} := V;");
        }
        (Statement::Fresh, Spelling::Slots(_)) => out.push_str("fresh(V);\n"),
        (Statement::Fresh, _) => out.push_str("V := V + 1;\n"),
        (Statement::Yield, _) => out.push_str("yield;\n"),
        (Statement::Look, _) => out.push_str("x := X;\n"),
        (Statement::Set(value), _) => {
            let _ = writeln!(out, "X := {value};");
        }
        (Statement::If(condition, list), _) => {
            let _ = write!(out, "if ({condition}) ");
            write_block(out, list, spelling);
        }
        (Statement::Retry(token, list), _) => {
            let _ = write!(out, "tries := 0; while ({} != V && tries < 2) {{ tries := tries + 1; ", TOKENS[*token]);
            write_statement(out, &Statement::Take(*token), spelling);
            list.iter().for_each(|statement| write_statement(out, statement, spelling));
            out.push_str("};\n");
        }
        (Statement::Return(value), _) if counted.is_some() => {
            let _ = writeln!(out, "answer := {value}; H := H - has_s - has_t; return answer;");
        }
        (Statement::Return(value), _) => {
            let _ = writeln!(out, "return {value};");
        }
    }
}

fn naive(text: &str) -> Naive {
    let analysis = analyze(text);
    let program = analysis.program.unwrap_or_else(|| panic!("{:#?}\n{text}", analysis.diagnostics));
    Naive::new(&Source::from(&program))
}

/// What `requests` requests answer together, and one at a time.
fn answers(text: &str, requests: usize) -> Result<(Completed, Completed), Rejected> {
    let caps = Caps { configurations: 60_000, ..Caps::default() };
    let mut naive = naive(text);
    Ok((naive.completed(requests, caps)?, naive.serial(requests, caps)?))
}

#[test]
fn answers_are_those_of_integers() {
    let sweep = serval_effort::sweep("testkit.versions", 40, 150);
    let found = sweep.map(0, |seed| {
        let requests = program(seed);
        let most = if seed % 5 == 0 { 3 } else { 2 };
        let enough = most * TOKENS.len();
        let integers = spell(&requests, Spelling::Integers);
        let (Ok(expected), Ok(found)) = (answers(&integers, most), answers(&spell(&requests, Spelling::Slots(enough)), most)) else {
            return [0; 3];
        };
        assert_eq!(found, expected, "{seed}, {most} requests\n{integers}");
        let mut fewer = 0;
        for slots in TOKENS.len()..enough {
            let (Ok(counted), Ok(found)) =
                (answers(&spell(&requests, Spelling::Counted(slots)), most), answers(&spell(&requests, Spelling::Slots(slots)), most))
            else {
                continue;
            };
            assert_eq!(found, counted, "{seed}, {most} requests, {slots} slots\n{integers}");
            assert_eq!(found.1, expected.1, "{seed}: serial runs with {slots} slots\n{integers}");
            assert!(found.0.is_subset(&expected.0), "{seed}: {slots} slots\n{integers}");
            fewer += u64::from(found.0 != expected.0);
        }
        [1, fewer, u64::from(expected.0 != expected.1)]
    });
    let [compared, fewer, violated] = [0, 1, 2].map(|what| found.iter().map(|counts| counts[what]).sum::<u64>());
    println!("{compared} programs compared, {violated} not serializable, {fewer} with fewer answers for want of slots");
    if !sweep.is_representative() {
        return;
    }
    assert!(compared * 10 >= sweep.count() * 6, "only {compared} programs could be compared");
    // The test says something only where interleavings matter, and where slots run out.
    assert!(violated * 15 >= compared && fewer * 30 >= compared, "{violated} and {fewer} of {compared}");
}

#[test]
fn a_retry_is_right_with_versions_and_wrong_with_one_bit() {
    let retry = |declared: &str, taken: &str, changed: &str| {
        format!(
            "{declared}\nrequest edit {{ done := 0; while (done == 0) {{ seen := {taken}; text := Text; yield; if (seen == {taken}) {{ \
             Text := (text + 1) % 4; {changed}; done := 1 }} }}; text }}"
        )
    };
    let caps = Caps::default();
    let versions = retry("version Revision: 3", "Revision", "fresh(Revision)");
    let one_bit = retry("Revision := 0", "Revision", "Revision := 1 - seen");
    assert!(naive(&versions).is_serializable(3, caps).unwrap());
    assert!(naive(&one_bit).is_serializable(2, caps).unwrap());
    assert!(!naive(&one_bit).is_serializable(3, caps).unwrap());
}
