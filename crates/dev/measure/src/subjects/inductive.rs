//! What the inductive methods prove alone.
//!
//! Of the questions of `nets` those are asked that hold because something cannot be reached: deadlock-freedom,
//! 1-safety, and queries. Nets of mutual exclusion algorithms have a comment that says what mutual exclusion is there
//! (`# Mutual exclusion: invariant:…`).

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use serval::nets::{NetAnswer, NetInput, NetKind, NetMethod, NetQuestion, Property};

use super::read;
use crate::nets::timed;
use crate::page::Page;

const LIMIT: Duration = Duration::from_secs(10);
const ALONE: [NetMethod; 2] = [NetMethod::Induction, NetMethod::Pdr];

/// Asks each method alone about the nets of a contest, and about those of mutual exclusion algorithms.
pub fn page(contest: &Path, mutex: &Path) -> Result<Page, String> {
    let mut asked = InductiveAnswers::default();
    asked.contest(contest)?;
    asked.mutex(mutex)?;
    let mut page = Page::new(
        "Inductive proofs",
        "What holds because something cannot be reached, asked of one method alone, each by itself, on one thread, with ten\n\
         seconds; the checker accepted every answer. The questions are deadlock-freedom and 1-safety.",
    );
    page.line(asked.text().trim_end());
    if asked.wrong > 0 {
        page.fail(format!("{} answers are wrong, or their evidence was refused", asked.wrong));
    }
    Ok(page)
}

/// How many traps a proof with the marking equation needs beside it.
fn with_traps(certificate: &str) -> String {
    let read: serde_json::Value = serde_json::from_str(certificate).unwrap_or_default();
    match read["evidence"][0]["evidence"]["equation"]["traps"].as_array().map(Vec::len) {
        None => String::new(),
        Some(0) => " alone".to_owned(),
        Some(1) => " with 1 trap".to_owned(),
        Some(traps) => format!(" with {traps} traps"),
    }
}

/// What a method makes of questions.
#[derive(Default)]
struct Tally {
    asked: usize,
    proved: usize,
    inductive: usize,
    time: Duration,
    slowest: Duration,
    largest: usize,
    open: Vec<String>,
}

/// All answers.
#[derive(Default)]
struct InductiveAnswers {
    /// By group of questions and method.
    tallies: BTreeMap<(&'static str, &'static str), Tally>,
    mutex: String,
    wrong: usize,
}

impl InductiveAnswers {
    fn contest(&mut self, directory: &Path) -> Result<(), String> {
        for line in read(&directory.join("expected.tsv"))?.lines().skip(1) {
            let fields: Vec<&str> = line.split('\t').collect();
            let field = |column: usize| fields.get(column).copied().unwrap_or_default();
            let (model, folder) = (field(0), directory.join(field(0)));
            let input = NetInput::read(&read(&folder.join("model.pnml"))?, NetKind::Pnml).map_err(|error| format!("{model}: {error}"))?;
            for (property, holds) in [("deadlock-free", field(3) == "FALSE"), ("one-safe", field(4) == "TRUE")] {
                if holds {
                    let question = input.question(property).map_err(|error| error.message)?;
                    self.ask("questions", model, &input, &question, true);
                }
            }
            for (file, column) in [("ReachabilityCardinality.xml", 8), ("ReachabilityFireability.xml", 9)] {
                let questions = input.queries(&read(&folder.join(file))?).map_err(|error| format!("{model}/{file}: {error}"))?;
                for (question, answer) in questions.iter().zip(field(column).chars()) {
                    // What always holds, and what never does.
                    let holds = answer == 'T';
                    if holds == matches!(question.property, Property::Invariant(_)) {
                        self.ask("queries", model, &input, question, holds);
                    }
                }
            }
        }
        Ok(())
    }

    fn ask(&mut self, group: &'static str, model: &str, input: &NetInput, question: &NetQuestion, holds: bool) {
        for (name, method) in ALONE.map(|method| (method.name(), method)) {
            let (decision, time) = timed(input, question, Some(method), LIMIT);
            let tally = self.tallies.entry((group, name)).or_default();
            tally.asked += 1;
            tally.time += time;
            match decision.answer {
                NetAnswer::Undecided => tally.open.push(format!("{} ({model})", question.name)),
                NetAnswer::Error => self.wrong += 1,
                answer => {
                    self.wrong += usize::from((answer == NetAnswer::Holds) != holds);
                    tally.proved += 1;
                    tally.inductive += usize::from(decision.kinds() == ["inductive"]);
                    tally.slowest = tally.slowest.max(time);
                    let bytes = decision.certificate.as_ref().map_or(0, |certificate| certificate.to_json().len());
                    tally.largest = tally.largest.max(bytes);
                }
            }
        }
    }

    fn mutex(&mut self, directory: &Path) -> Result<(), String> {
        let entries = std::fs::read_dir(directory).map_err(|error| format!("{}: {error}", directory.display()))?;
        let mut paths: Vec<_> = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.extension().is_some_and(|ending| ending == "net"))
            .collect();
        paths.sort_unstable();
        for path in paths {
            let text = read(&path)?;
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let input = NetInput::read(&text, NetKind::Tina).map_err(|error| format!("{name}: {error}"))?;
            let mut properties: Vec<String> = text
                .lines()
                .filter_map(|line| Some(line.trim_start_matches('#').trim().strip_prefix("Mutual exclusion:")?.trim().to_owned()))
                .collect();
            for usual in ["deadlock-free", "quasi-live"] {
                if !properties.iter().any(|property| property == usual) {
                    properties.push(usual.to_owned());
                }
            }
            for property in properties {
                let question = input.question(&property).map_err(|error| format!("{name}: {property}: {}", error.message))?;
                let methods =
                    [Some(NetMethod::Equation), Some(NetMethod::Induction), Some(NetMethod::Pdr), Some(NetMethod::Explicit), None];
                let cells = methods.map(|method| {
                    // What can be reached is no question for these.
                    if method.is_some() && matches!(question.property, Property::QuasiLive | Property::NoDeadPlaces) {
                        return String::new();
                    }
                    let (decision, time) = timed(&input, &question, method, LIMIT);
                    let json = decision.certificate.as_ref().map_or_else(String::new, |certificate| certificate.to_json());
                    match decision.answer {
                        NetAnswer::Holds => {
                            let kinds = decision.kinds().join(" and ");
                            format!("{kinds}{} {:.3} s, {} bytes", with_traps(&json), time.as_secs_f64(), json.len())
                        }
                        NetAnswer::Undecided => "—".to_owned(),
                        NetAnswer::DoesNotHold | NetAnswer::Error => {
                            self.wrong += 1;
                            "wrong".to_owned()
                        }
                    }
                });
                let _ = writeln!(self.mutex, "| {name} | `{}` | {} |", property.replace('|', "\\|"), cells.join(" | "));
            }
        }
        Ok(())
    }

    fn text(&self) -> String {
        let mut text = String::from(
            "| of | method | asked | proved | by `inductive` | s, all | s, slowest proof | evidence, largest, KiB |\n|---|---|---:|---:|---:|---:|---:|---:|\n",
        );
        for ((group, method), tally) in &self.tallies {
            let (asked, proved, inductive, largest) = (tally.asked, tally.proved, tally.inductive, tally.largest.div_ceil(1024));
            let (all, slowest) = (tally.time.as_secs_f64(), tally.slowest.as_secs_f64());
            let _ = writeln!(text, "| {group} | {method} | {asked} | {proved} | {inductive} | {all:.1} | {slowest:.2} | {largest} |");
        }
        for ((group, method), tally) in self.tallies.iter().filter(|one| !one.1.open.is_empty() && one.1.open.len() <= 40) {
            let _ = write!(text, "\nNot proved by {method}, of the {group}: {}.\n", tally.open.join(", "));
        }
        let _ = write!(
            text,
            "\n## Mutual exclusion\n\nWhat each method says alone, and all together. Where it says “alone” under “equation”, the marking equation suffices; with traps it does \
             not suffice alone; and where there is —, not even with traps.\n\n\
             | net | property | equation | induction | pdr | explicit | all |\n|---|---|---|---|---|---|---|\n{}",
            self.mutex
        );
        text
    }
}
