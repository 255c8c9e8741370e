//! `check`, `run`, replayed traces and an interpreter that shares nothing with the compiler agree, on answers and on
//! errors.
//!
//! Random programs, many of them with numbers near the ends of 64 bits and with results that are not used. For each:
//!
//! * the interpreter enumerates what up to three requests can answer, interleaved and one at a time, or meets an error;
//! * `check` must say the same: an error where a run fails, unless it has found a counterexample before, which is then
//!   retold by the interpreter; no error that no run has; a counterexample exists exactly where the two sets differ;
//! * the trace of a counterexample is replayed by `run --replay` to the same answers;
//! * random runs fail only where the interpreter does, and answer only what it does.
//!
//! `SERVAL_COUNT=100000 cargo test --release -p serval-cli --test it agreement` tries as many; `SERVAL_SEED` says where
//! to begin.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde_json::Value;
use serval_effort::side_by_side;
use serval_testkit::naive::{Caps, Completed, Naive, Rejected, Source, retell};
use serval_testkit::random::{Shape, random_convenience, random_program, random_source};
use serval_testkit::say;

use crate::retold;
use crate::support::{directory, serval, text};

/// Programs in one call of `check`.
const BATCH: u64 = 25;
/// Requests of the enumeration and of random runs.
const REQUESTS: usize = 3;
const RUNS: &str = "4";

/// The errors of a step: division by zero, overflow, a value outside of a range.
const FAULTS: [&str; 3] = ["E0302", "E0303", "E0304"];

struct Case {
    seed: u64,
    path: PathBuf,
    text: String,
    source: Source,
}

fn case(seed: u64, directory: &Path) -> Case {
    // Every other program has large numbers.
    let kinds =
        [Shape::Edges, Shape::Tiny, Shape::Edges, Shape::HandlerLike, Shape::Edges, Shape::ExpressionHeavy, Shape::Edges, Shape::Looping];
    let kind = usize::try_from(seed % 9).unwrap();
    let (text, source) = match kinds.get(kind) {
        Some(&shape) => (random_program(seed, shape), random_source(seed, shape)),
        None => {
            let program = random_convenience(seed);
            (program.text, program.source)
        }
    };
    // Seeds of a batch follow one another, so that the ends of their numbers are names enough.
    let path = directory.join(format!("{:08}.ser", seed % 100_000_000));
    std::fs::write(&path, &text).unwrap();
    Case { seed, path, text, source }
}

/// What the interpreter says of up to three requests.
enum Naively {
    Fails,
    TooLarge,
    Answers { interleaved: Completed, serial: Completed },
}

fn naively(source: &Source, requests: usize) -> Naively {
    let caps = Caps { configurations: 60_000, small_steps: 20_000 };
    let mut naive = Naive::new(source);
    match naive.completed(requests, caps).and_then(|interleaved| Ok((interleaved, naive.serial(requests, caps)?))) {
        Ok((interleaved, serial)) => Naively::Answers { interleaved, serial },
        Err(Rejected::Fault(_)) => Naively::Fails,
        Err(Rejected::TooLarge) => Naively::TooLarge,
    }
}

fn answers(counterexample: &Value) -> Vec<(String, i64)> {
    let requests = counterexample["requests"].as_array().unwrap().iter();
    let answer =
        |request: &Value| (request["request"].as_str().unwrap().to_owned(), request["response"].as_str().unwrap().parse().unwrap());
    let mut answers: Vec<(String, i64)> = requests.map(answer).collect();
    answers.sort();
    answers
}

/// An answer with the number of a member of an enum, or of a constant, instead of its name.
fn in_numbers(line: &str, source: &str) -> String {
    let mut constants = source.lines().filter_map(|line| line.trim().strip_prefix("const ")?.split_once('='));
    if let Some((_, value)) = constants.find(|(name, _)| name.trim() == line.trim()) {
        return value.split("//").next().unwrap_or_default().trim().to_owned();
    }
    let mut line = line.to_owned();
    for members in source.split("enum ").skip(1).filter_map(|rest| rest.split_once('{')?.1.split_once('}')) {
        for (number, member) in members.0.split(',').map(str::trim).enumerate().filter(|(_, member)| !member.is_empty()) {
            let belongs = |letter: char| letter.is_alphanumeric() || letter == '_';
            while let Some((at, _)) = line
                .match_indices(member)
                .find(|(at, _)| !line[..*at].ends_with(belongs) && !line[at + member.len()..].starts_with(belongs))
            {
                line.replace_range(at..at + member.len(), &number.to_string());
            }
        }
    }
    line
}

/// The answers in a summary of `run`, and whether a request has not answered.
fn summary<'a>(lines: impl Iterator<Item = &'a str>, source: &str) -> (Vec<(String, i64)>, bool, Option<String>) {
    let (mut found, mut waiting, mut fails) = (Vec::new(), false, None);
    for line in lines {
        if let Some(list) = line.strip_prefix("answers   ").filter(|list| *list != "none") {
            let pair = |pair: &str| {
                let (request, answer) = pair.rsplit_once(" → ").unwrap();
                (request.to_owned(), in_numbers(answer, source).parse().unwrap())
            };
            found = list.split(", ").map(pair).collect();
        }
        waiting |= line.starts_with("waiting ");
        fails = fails.or(line.strip_prefix("fails     ").map(str::to_owned));
    }
    found.sort();
    (found, waiting, fails)
}

/// How many requests the run to the error that `check` tells of has; as many as there are where it is too long to be
/// told.
fn failing_run(file: &str) -> (usize, String) {
    let output = serval(&["check", "--no-fix", file], b"");
    let told = text(&output.stderr);
    let number = |word: &str| word.strip_prefix('#')?.trim_end_matches(|c: char| !c.is_ascii_digit()).parse().ok();
    let requests = told.split_whitespace().filter_map(number).max().unwrap_or(0);
    let many = told.contains("a run leads there, but only one with many requests");
    (if many { usize::MAX } else { requests }, told)
}

#[derive(Debug, Default)]
struct Tally {
    programs: u64,
    /// By verdict of `check`; errors by their code.
    verdicts: BTreeMap<String, u64>,
    /// By what the interpreter says.
    naively: BTreeMap<&'static str, u64>,
    replayed: u64,
    random_runs: u64,
    failing_runs: u64,
    /// Errors of runs with more requests than were enumerated.
    beyond: u64,
}

impl Tally {
    fn add(&mut self, other: Self) {
        self.programs += other.programs;
        other.verdicts.into_iter().for_each(|(verdict, count)| *self.verdicts.entry(verdict).or_default() += count);
        other.naively.into_iter().for_each(|(what, count)| *self.naively.entry(what).or_default() += count);
        self.replayed += other.replayed;
        self.random_runs += other.random_runs;
        self.failing_runs += other.failing_runs;
        self.beyond += other.beyond;
    }
}

fn look_at(case: &Case, report: &Value, traces: &BTreeMap<String, PathBuf>, tally: &mut Tally) {
    let Case { seed, path, text: program, source } = case;
    let file = path.to_str().unwrap();
    let verdict = report["verdict"].as_str().unwrap();
    let codes: Vec<&str> = report["notes"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|note| note["severity"] == "error")
        .map(|note| note["code"].as_str().unwrap())
        .collect();
    let faults = verdict == "error" && codes.iter().any(|code| FAULTS.contains(code));
    *tally.verdicts.entry(if verdict == "error" { codes.join(" ") } else { verdict.to_owned() }).or_default() += 1;
    let naively = naively(source, REQUESTS);
    match &naively {
        Naively::TooLarge => *tally.naively.entry("too large").or_default() += 1,
        Naively::Fails => {
            *tally.naively.entry("fails").or_default() += 1;
            assert!(verdict != "serializable", "{seed}: a run fails, and `check` has not seen it\n{program}");
        }
        Naively::Answers { interleaved, serial } => {
            *tally.naively.entry(if interleaved == serial { "serial" } else { "not serial" }).or_default() += 1;
            if faults {
                tally.beyond += 1;
                let (requests, told) = failing_run(file);
                assert!(requests > REQUESTS, "{seed}: only `check` fails, with {requests} requests\n{told}\n{program}");
            } else if interleaved != serial {
                assert!(verdict != "serializable", "{seed}: few requests refute it\n{program}");
            } else if verdict == "not-serializable" {
                assert!(answers(&report["counterexample"]).len() > REQUESTS, "{seed}: few requests do not refute it\n{program}");
            }
        }
    }
    if verdict == "not-serializable" {
        // Convenience forms read and write what the text says, not what the generator's term for it does.
        let written = Source::from(&serval_syntax::analyze(program).program.unwrap());
        retell(&written, &retold::steps(&report["counterexample"])).unwrap_or_else(|error| panic!("{seed}: {error}\n{program}"));
        let (name, expected) = (path.file_name().unwrap().to_str().unwrap(), answers(&report["counterexample"]));
        let output = serval(&["run", file, "--replay", traces[name].to_str().unwrap()], b"");
        let (answered, waiting, fails) = summary(text(&output.stdout).lines(), program);
        assert!(output.status.success(), "{seed}: {}\n{program}", text(&output.stderr));
        assert_eq!((answered, waiting, fails), (expected.clone(), false, None), "{seed}\n{program}");
        if let Naively::Answers { interleaved, serial } = &naively
            && expected.len() <= REQUESTS
        {
            assert!(interleaved.contains(&expected) && !serial.contains(&expected), "{seed}: {expected:?}\n{program}");
        }
        tally.replayed += 1;
    }
    let seed_text = seed.to_string();
    let output =
        serval(&["run", file, "--requests", &REQUESTS.to_string(), "--runs", RUNS, "--seed", &seed_text, "--max-steps", "30"], b"");
    assert!(output.status.success(), "{seed}: {}\n{program}", text(&output.stderr));
    for run in text(&output.stdout).split("\n\n") {
        let (answered, waiting, fails) = summary(run.lines(), program);
        tally.random_runs += 1;
        if let Some(fails) = fails.filter(|fails| !fails.contains("does not come to an end")) {
            tally.failing_runs += 1;
            assert!(!matches!(naively, Naively::Answers { .. }), "{seed}: only `run` fails: {fails}\n{program}");
            assert!(verdict != "serializable", "{seed}: `run` fails, `check` does not: {fails}\n{program}");
        } else if let Naively::Answers { interleaved, .. } = &naively
            && !waiting
        {
            assert!(interleaved.contains(&answered), "{seed}: `run` answers {answered:?}\n{program}");
        }
    }
}

fn batch(seeds: Range<u64>) -> Tally {
    let mut tally = Tally::default();
    let base = directory(&format!("agreement-{}", seeds.start));
    let (programs, traces) = (base.join("programs"), base.join("traces"));
    std::fs::create_dir_all(&programs).unwrap();
    std::fs::create_dir_all(&traces).unwrap();
    let cases: Vec<Case> = seeds.map(|seed| case(seed, &programs)).collect();
    let arguments = [
        "check",
        programs.to_str().unwrap(),
        "--format",
        "json",
        "--no-times",
        "--no-fix",
        "--timeout",
        "1",
        "--trace",
        traces.to_str().unwrap(),
    ];
    let output = serval(&arguments, b"");
    let reports: Vec<Value> = text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let by_file: BTreeMap<&str, &Value> = reports.iter().map(|report| (report["file"].as_str().unwrap(), report)).collect();
    let traces: BTreeMap<String, PathBuf> = std::fs::read_dir(&traces)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            let program = name.strip_suffix(".trace.json").unwrap();
            (program[program.len() - "00000000.ser".len()..].to_owned(), path)
        })
        .collect();
    for case in &cases {
        let report = by_file.get(case.path.to_str().unwrap()).unwrap_or_else(|| panic!("no report of {}", case.path.display()));
        tally.programs += 1;
        look_at(case, report, &traces, &mut tally);
    }
    let _ = std::fs::remove_dir_all(&base);
    tally
}

#[test]
fn everybody_agrees_on_answers_and_on_errors() {
    let sweep = serval_effort::sweep("cli.agreement", 150, 500);
    // Most of the time goes into calls of the program, which are independent of one another.
    let Range { start, end } = sweep.seeds(0);
    let batches: Vec<Range<u64>> =
        (start..end).step_by(usize::try_from(BATCH).unwrap()).map(|first| first..end.min(first + BATCH)).collect();
    let mut tally = Tally::default();
    side_by_side(&batches, |seeds| batch(seeds.clone())).into_iter().for_each(|part| tally.add(part));
    say(&format!("agreement: {tally:?}"));
    assert_eq!(tally.programs, sweep.count());
    if sweep.is_representative() {
        let (count, known) = (sweep.count(), |what: &str| tally.naively.get(what).copied().unwrap_or(0));
        assert!(known("fails") * 50 >= count, "hardly any program fails: {tally:?}");
        assert!(known("not serial") * 20 >= count && known("serial") * 10 >= count, "one-sided: {tally:?}");
        assert!(known("too large") * 10 <= count, "too many are too large: {tally:?}");
    }
}
