//! How many questions about the nets of a directory are answered, how soon, and by whom: a Markdown page on standard output.
//!
//! `nets DIRECTORY`: `expected.tsv` there has the known answers (model, places, transitions, deadlock, 1-safe, …, and the answers
//! of the cardinality and fireability queries); each model is a directory with `model.pnml` and the queries. Each question is asked by itself, with
//! ten seconds. Ends with 1 if an answer is wrong or evidence was refused.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use serval::Cancel;
use serval::nets::{NetAnswer, NetInput, NetKind, NetOptions, NetQuestion, decide_net};

const LIMIT: Duration = Duration::from_secs(10);

fn main() -> ExitCode {
    let Some(directory) = std::env::args().nth(1) else {
        let _ = writeln!(io::stderr(), "usage: nets DIRECTORY");
        return ExitCode::from(2);
    };
    match page(Path::new(&directory)) {
        Ok((page, right)) if io::stdout().write_all(page.as_bytes()).is_ok() => ExitCode::from(u8::from(!right)),
        Ok(_) => ExitCode::from(2),
        Err(message) => {
            let _ = writeln!(io::stderr(), "nets: {message}");
            ExitCode::from(2)
        }
    }
}

/// What was found of a group of questions.
#[derive(Default)]
struct Tally {
    asked: usize,
    answered: usize,
    within_a_second: usize,
    wrong: usize,
    refused: usize,
    time: Duration,
    slowest: Duration,
    bytes: usize,
    methods: BTreeMap<&'static str, usize>,
}

impl Tally {
    fn add(&mut self, other: &Self) {
        self.asked += other.asked;
        self.answered += other.answered;
        self.within_a_second += other.within_a_second;
        self.wrong += other.wrong;
        self.refused += other.refused;
        self.time += other.time;
        self.slowest = self.slowest.max(other.slowest);
        self.bytes = self.bytes.max(other.bytes);
        for (method, count) in &other.methods {
            *self.methods.entry(method).or_default() += count;
        }
    }

    fn row(&self, name: &str) -> String {
        let methods: Vec<String> = self.methods.iter().map(|(method, count)| format!("{method} {count}")).collect();
        format!(
            "| {name} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n",
            self.asked,
            self.answered,
            self.within_a_second,
            self.wrong,
            self.refused,
            self.time.as_millis(),
            self.slowest.as_millis(),
            self.bytes.div_ceil(1024),
            methods.join(", ")
        )
    }
}

const HEAD: &str = "| model | questions | answered | within 1 s | wrong | refused | ms, all | ms, slowest | evidence, KiB | methods |\n\
                    |---|---:|---:|---:|---:|---:|---:|---:|---:|---|\n";

fn page(directory: &Path) -> Result<(String, bool), String> {
    let read = |path: &Path| std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()));
    let expected = read(&directory.join("expected.tsv"))?;
    let (mut properties, mut queries, mut open) = (String::new(), String::new(), Vec::new());
    let (mut of_properties, mut of_queries) = (Tally::default(), Tally::default());
    for line in expected.lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        let (Some(&model), Some(&deadlock), Some(&safe)) = (fields.first(), fields.get(3), fields.get(4)) else { continue };
        let folder = directory.join(model);
        let input = NetInput::read(&read(&folder.join("model.pnml"))?, NetKind::Pnml).map_err(|error| format!("{model}: {error}"))?;
        let mut own = Tally::default();
        for (property, answer) in [("deadlock-free", known(deadlock).map(|deadlock| !deadlock)), ("one-safe", known(safe))] {
            let question = input.question(property).map_err(|error| error.message)?;
            ask(&input, &question, answer, &mut own, &mut open);
        }
        properties.push_str(&own.row(model));
        of_properties.add(&own);
        let mut own = Tally::default();
        for (file, column) in [("ReachabilityCardinality.xml", 8), ("ReachabilityFireability.xml", 9)] {
            let text = read(&folder.join(file))?;
            let questions = input.queries(&text).map_err(|error| format!("{model}/{file}: {error}"))?;
            let mut answers = fields.get(column).copied().unwrap_or_default().chars();
            for question in questions {
                let answer = answers.next().and_then(|letter| known(&letter.to_string()));
                ask(&input, &question, answer, &mut own, &mut open);
            }
        }
        queries.push_str(&own.row(model));
        of_queries.add(&own);
    }
    let mut page = String::from(
        "# Nets\n\nWritten by `scripts/measure nets DIRECTORY`. Each question is asked by itself, on one thread, with ten seconds; every answer was \
         accepted by the checker as a certificate, and compared with the known one. Evidence is the largest of a model.\n\n\
         ## Deadlocks and 1-safety\n\n",
    );
    let _ = write!(page, "{HEAD}{properties}{}\n## Queries\n\n{HEAD}{queries}{}", of_properties.row("all"), of_queries.row("all"));
    if !open.is_empty() {
        let _ = write!(page, "\nNot answered: {}.\n", open.join(", "));
    }
    let right = [&of_properties, &of_queries].iter().all(|tally| tally.wrong == 0 && tally.refused == 0);
    Ok((page, right))
}

fn known(text: &str) -> Option<bool> {
    match text {
        "TRUE" | "T" => Some(true),
        "FALSE" | "F" => Some(false),
        _ => None,
    }
}

/// Asks a question, and compares the answer.
fn ask(input: &NetInput, question: &NetQuestion, known: Option<bool>, tally: &mut Tally, open: &mut Vec<String>) {
    let mut options = NetOptions::default();
    options.rounds = 64;
    options.cancel = Cancel::new();
    let (flag, (done, waiting)) = (options.cancel.clone(), mpsc::channel::<()>());
    let clock = std::thread::spawn(move || {
        if waiting.recv_timeout(LIMIT) == Err(mpsc::RecvTimeoutError::Timeout) {
            flag.cancel();
        }
    });
    let start = Instant::now();
    let decision = decide_net(input, question, &options);
    let time = start.elapsed();
    drop(done);
    let _ = clock.join();
    tally.asked += 1;
    tally.time += time;
    tally.slowest = tally.slowest.max(time);
    match decision.answer {
        NetAnswer::Holds | NetAnswer::DoesNotHold => {
            tally.answered += 1;
            tally.within_a_second += usize::from(time < Duration::from_secs(1));
            tally.wrong += usize::from(known.is_some_and(|known| known != (decision.answer == NetAnswer::Holds)));
            tally.bytes = tally.bytes.max(decision.certificate.as_ref().map_or(0, |certificate| certificate.to_json().len()));
            for method in decision.methods {
                *tally.methods.entry(method).or_default() += 1;
            }
        }
        NetAnswer::Error => tally.refused += 1,
        NetAnswer::Undecided => open.push(question.name.clone()),
    }
}
