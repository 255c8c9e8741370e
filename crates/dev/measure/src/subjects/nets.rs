//! How many questions about the nets of a contest are answered, how soon, and by which method.
//!
//! `expected.tsv` has the known answers (model, places, transitions, deadlock, 1-safe, quasi-live, …, and the answers
//! of the cardinality and fireability queries); each model is a directory with `model.pnml` and the queries.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use serval::nets::{NetAnswer, NetInput, NetKind, NetQuestion};

use super::read;
use crate::nets::{JKIND, KIND2, TINA, timed};
use crate::page::Page;

const LIMIT: Duration = Duration::from_secs(10);

/// Asks all questions about the nets of a contest.
pub fn page(contest: &Path) -> Result<Page, String> {
    let asked = measured(contest)?;
    let mut page = Page::new(
        "Nets",
        "Each question is asked by itself, on one thread, with ten seconds; the checker accepted every answer as a certificate,\n\
         and it was compared with the known one. Evidence is the largest of a model.",
    );
    let sections = [
        ("Deadlocks and 1-safety", table(&asked, Group::Safety)),
        ("Dead transitions and places", table(&asked, Group::Dead)),
        ("Queries", table(&asked, Group::Query)),
        ("Methods, for all questions above", methods(&asked)),
        ("Published times", published(&asked)),
    ];
    for (heading, text) in sections {
        page.section(heading);
        page.line(text.trim_end());
    }
    let open: Vec<String> = asked.iter().filter(|one| !one.is_answered()).map(|one| format!("{} ({})", one.name, one.model)).collect();
    if !open.is_empty() {
        page.line(format!("\nNot answered: {}.", open.join(", ")));
    }
    for one in asked.iter().filter(|one| one.is_wrong || one.answer == NetAnswer::Error) {
        page.fail(format!("{} ({}) is wrong, or its evidence was refused", one.name, one.model));
    }
    Ok(page)
}

/// Which table a question belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Group {
    Safety,
    Dead,
    Query,
}

/// A question, and what became of it.
struct Answered {
    model: String,
    group: Group,
    name: String,
    answer: NetAnswer,
    is_wrong: bool,
    time: Duration,
    bytes: usize,
    methods: Vec<&'static str>,
}

impl Answered {
    fn is_answered(&self) -> bool {
        matches!(self.answer, NetAnswer::Holds | NetAnswer::DoesNotHold)
    }

    /// A cell beside published ones.
    fn cell(&self) -> String {
        let mark = match self.answer {
            NetAnswer::Holds => "✓",
            NetAnswer::DoesNotHold => "✗",
            NetAnswer::Undecided | NetAnswer::Error => return "—".to_owned(),
        };
        format!("{mark} {:.3}s", self.time.as_secs_f64())
    }
}

/// Asks all questions.
fn measured(directory: &Path) -> Result<Vec<Answered>, String> {
    let mut all = Vec::new();
    for line in read(&directory.join("expected.tsv"))?.lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        let field = |column: usize| fields.get(column).copied().unwrap_or_default();
        let (model, folder) = (field(0), directory.join(field(0)));
        let input = NetInput::read(&read(&folder.join("model.pnml"))?, NetKind::Pnml).map_err(|error| format!("{model}: {error}"))?;
        for (property, answer, group) in [
            ("deadlock-free", known(field(3)).map(|deadlock| !deadlock), Group::Safety),
            ("one-safe", known(field(4)), Group::Safety),
            ("quasi-live", known(field(5)), Group::Dead),
            ("no-dead-places", None, Group::Dead),
        ] {
            let question = input.question(property).map_err(|error| error.message)?;
            all.push(ask(model, &input, &question, answer, group));
        }
        for (file, column) in [("ReachabilityCardinality.xml", 8), ("ReachabilityFireability.xml", 9)] {
            let questions = input.queries(&read(&folder.join(file))?).map_err(|error| format!("{model}/{file}: {error}"))?;
            let mut answers = field(column).chars();
            for question in questions {
                let answer = answers.next().and_then(|letter| known(&letter.to_string()));
                all.push(ask(model, &input, &question, answer, Group::Query));
            }
        }
    }
    Ok(all)
}

fn known(text: &str) -> Option<bool> {
    match text {
        "TRUE" | "T" => Some(true),
        "FALSE" | "F" => Some(false),
        _ => None,
    }
}

/// Asks a question, and compares the answer.
fn ask(model: &str, input: &NetInput, question: &NetQuestion, known: Option<bool>, group: Group) -> Answered {
    let (decision, time) = timed(input, question, None, LIMIT);
    let holds = match decision.answer {
        NetAnswer::Holds => Some(true),
        NetAnswer::DoesNotHold => Some(false),
        NetAnswer::Undecided | NetAnswer::Error => None,
    };
    Answered {
        model: model.to_owned(),
        group,
        name: question.name.clone(),
        answer: decision.answer,
        is_wrong: known.is_some_and(|known| holds.is_some_and(|holds| holds != known)),
        time,
        bytes: decision.certificate.as_ref().map_or(0, |certificate| certificate.to_json().len()),
        methods: decision.methods,
    }
}

const HEAD: &str = "| model | questions | answered | within 1 s | wrong | refused | ms, all | ms, slowest | evidence, KiB | methods |\n\
                    |---|---:|---:|---:|---:|---:|---:|---:|---:|---|\n";

fn row(name: &str, asked: &[&Answered]) -> String {
    let count = |is: &dyn Fn(&Answered) -> bool| asked.iter().filter(|one| is(one)).count();
    let mut methods: BTreeMap<&str, usize> = BTreeMap::new();
    asked.iter().flat_map(|one| &one.methods).for_each(|method| *methods.entry(method).or_default() += 1);
    let methods: Vec<String> = methods.iter().map(|(method, count)| format!("{method} {count}")).collect();
    format!(
        "| {name} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n",
        asked.len(),
        count(&Answered::is_answered),
        count(&|one| one.is_answered() && one.time < Duration::from_secs(1)),
        count(&|one| one.is_wrong),
        count(&|one| one.answer == NetAnswer::Error),
        asked.iter().map(|one| one.time).sum::<Duration>().as_millis(),
        asked.iter().map(|one| one.time).max().unwrap_or_default().as_millis(),
        asked.iter().map(|one| one.bytes).max().unwrap_or_default().div_ceil(1024),
        methods.join(", ")
    )
}

/// A table with a row for each model, and one for all.
fn table(asked: &[Answered], group: Group) -> String {
    let own: Vec<&Answered> = asked.iter().filter(|one| one.group == group).collect();
    let mut text = String::from(HEAD);
    for chunk in own.chunk_by(|one, next| one.model == next.model) {
        text.push_str(&row(&chunk[0].model, chunk));
    }
    text + &row("all", &own)
}

/// What each method answered, with times and sizes.
fn methods(asked: &[Answered]) -> String {
    let mut by: BTreeMap<String, Vec<&Answered>> = BTreeMap::new();
    asked.iter().filter(|one| one.is_answered()).for_each(|one| by.entry(one.methods.join(" and ")).or_default().push(one));
    let mut text = String::from(
        "| method | answers | ms, middle | ms, slowest | evidence, middle, bytes | evidence, largest, bytes |\n|---|---:|---:|---:|---:|---:|\n",
    );
    for (method, own) in by {
        let (mut times, mut sizes): (Vec<Duration>, Vec<usize>) = own.iter().map(|one| (one.time, one.bytes)).unzip();
        times.sort_unstable();
        sizes.sort_unstable();
        let (last, middle) = (own.len() - 1, own.len() / 2);
        let millis = |time: Duration| format!("{}.{}", time.as_millis(), time.as_micros() / 100 % 10);
        let _ = writeln!(
            text,
            "| {method} | {} | {} | {} | {} | {} |",
            own.len(),
            millis(times[middle]),
            millis(times[last]),
            sizes[middle],
            sizes[last]
        );
    }
    text
}

/// Published times, with ours beside them.
fn published(asked: &[Answered]) -> String {
    let ours = |model: &str, property: &str| {
        let own = asked.iter().find(|one| one.model == model && one.name == property);
        own.map_or_else(|| "not asked".to_owned(), Answered::cell)
    };
    let mut text = String::from(
        "Times of tables 1 and 2 of M. Güdemann's “SPiNAT” (a quad-core i7-8665U at 1.9 GHz, several threads, a limit of five minutes), beside those of this \
         page (one thread). ✓ holds, ✗ does not, — no answer. Two columns do not ask the same: the published observers of dead transitions and places forget the initial \
         marking, and want one run for all of them, so that they find dead ones where there are none. The variant of CloudOps is not published; here it \
         is the smallest. “viral 08 1 1 02” is compared with S08D1C2A02, the one of that size that there is.\n\n\
         | model | no dead transitions: JKind | kind2 | ours | no dead places: JKind | kind2 | ours | no deadlock: JKind | kind2 | ours | 1-safety: JKind | kind2 | ours |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for (jkind, kind2) in JKIND.iter().zip(&KIND2) {
        let _ = write!(text, "| {} |", jkind.name);
        for (column, property) in ["quasi-live", "no-dead-places", "deadlock-free", "one-safe"].into_iter().enumerate() {
            let _ = write!(text, " {} | {} | {} |", jkind.cells[column], kind2.cells[column], ours(jkind.model, property));
        }
        text.push('\n');
    }
    text.push_str(
        "\n| model | no deadlock: valid | SPiNAT | TINA | ours | 1-safety: valid | SPiNAT | TINA | ours |\n|---|---|---:|---:|---|---|---:|---:|---|\n",
    );
    for row in &TINA {
        let [deadlock, deadlock_spinat, deadlock_tina, safe, safe_spinat, safe_tina] = row.cells;
        let (free, one_safe) = (ours(row.model, "deadlock-free"), ours(row.model, "one-safe"));
        let _ = writeln!(
            text,
            "| {} | {deadlock} | {deadlock_spinat} | {deadlock_tina} | {free} | {safe} | {safe_spinat} | {safe_tina} | {one_safe} |",
            row.name
        );
    }
    text
}
