//! The results of a campaign, as JSON and as tables.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

use serde_json::{Value, json};

use crate::nets::asked::Outcome;
use crate::nets::families::FamilyRow;
use crate::{Merge, Tally};

/// How all methods together answered questions of one kind.
#[derive(Default)]
pub struct Summary {
    /// What the questions are about.
    pub kind: &'static str,
    /// How many there were.
    pub asked: u64,
    /// By method, answer, and who else knows: how many.
    pub answers: BTreeMap<(String, &'static str, &'static str), u64>,
    /// How many were undecided.
    pub undecided: u64,
    /// How many took less than 5 ms.
    pub quick: u64,
    /// Answers that no other procedure confirms.
    pub unknown: u64,
    /// How long each took.
    pub times: Vec<Duration>,
}

/// Less than this is quick.
const QUICK: Duration = Duration::from_millis(5);

impl Summary {
    /// Counts an outcome.
    pub fn count(&mut self, outcome: &Outcome) {
        self.asked += 1;
        self.quick += u64::from(outcome.time < QUICK);
        self.times.push(outcome.time);
        let oracle = outcome.oracle.map_or("no other", |known| known.0);
        let (method, word) = match &outcome.answer {
            Some(answer) => (answer.method.to_owned(), answer.claim.word()),
            None => ("none".to_owned(), "undecided"),
        };
        self.undecided += u64::from(outcome.answer.is_none());
        self.unknown += u64::from(outcome.answer.is_some() && outcome.oracle.is_none());
        *self.answers.entry((method, word, oracle)).or_default() += 1;
    }

    /// The time that a number of 1000 took at most, in microseconds.
    fn quantile(&self, of_1000: usize) -> u128 {
        let mut times = self.times.clone();
        times.sort_unstable();
        times.get((times.len() * of_1000 / 1000).min(times.len().saturating_sub(1))).map_or(0, Duration::as_micros)
    }

    fn json(&self) -> Value {
        let answers: Vec<Value> = self
            .answers
            .iter()
            .map(|((method, answer, oracle), count)| json!({"method": method, "answer": answer, "oracle": oracle, "count": count}))
            .collect();
        let micros = |of| u64::try_from(self.quantile(of)).unwrap_or(u64::MAX);
        json!({
            "kind": self.kind, "asked": self.asked, "undecided": self.undecided, "quick": self.quick, "no other decides": self.unknown,
            "microseconds": {"median": micros(500), "95 %": micros(950), "99 %": micros(990), "most": micros(1000)}, "answers": answers,
        })
    }
}

/// All that was measured.
#[derive(Default)]
pub struct Measured {
    /// The seed of all questions.
    pub seed: u64,
    /// All methods together.
    pub summaries: Vec<Summary>,
    /// The decomposition alone, by kind of question.
    pub alone: Vec<(&'static str, u64, Tally)>,
    /// Coverability: how many nets, and who said what.
    pub covered: (u64, Tally),
    /// Changed evidence: how many, and what became of it.
    pub mutants: Tally,
    /// Obligations: certificates, problems, for each solver those that it did not call unsatisfiable, and how many of
    /// the problems come from changed evidence that was accepted.
    pub obligations: (u64, u64, Vec<(String, u64)>, u64),
    /// Whether answers and evidence are the same bytes for 1, 2 and 8 threads, on this number of questions.
    pub same: Option<(u64, bool)>,
    /// Nets whose answers are known.
    pub rows: Vec<FamilyRow>,
    /// The most memory, in MiB.
    pub peak: Option<u64>,
    /// What is wrong.
    pub wrong: Vec<String>,
}

fn percent(part: u64, all: u64) -> String {
    let hundredths = (part * 10_000).checked_div(all).unwrap_or(0);
    format!("{}.{:02} %", hundredths / 100, hundredths % 100)
}

impl Measured {
    /// Takes in a part that was measured apart: what it has of single things it has alone.
    pub fn add(&mut self, part: Self) {
        self.wrong.extend(part.wrong);
        self.alone.extend(part.alone);
        self.covered.0 += part.covered.0;
        self.covered.1.absorb(part.covered.1);
        self.mutants.absorb(part.mutants);
        if part.obligations.0 > 0 {
            self.obligations = part.obligations;
        }
        self.same = self.same.or(part.same);
    }

    /// As JSON.
    pub fn json(&self) -> Value {
        let rows = self.rows.iter().map(|row| {
            let (answer, method) = row.answer.as_ref().map_or((None, None), |(answer, method)| (Some(*answer), Some(method)));
            json!({
                "net": row.name, "asked": row.asked, "reachable": row.reachable, "answer": answer, "method": method,
                "ms": u64::try_from(row.time.as_millis()).unwrap_or(u64::MAX),
            })
        });
        json!({
            "seed": self.seed, "wrong": self.wrong, "all methods": self.summaries.iter().map(Summary::json).collect::<Vec<_>>(),
            "decomposition alone": self.alone.iter().map(|(kind, asked, tally)| json!({"kind": kind, "asked": asked, "tally": tally})).collect::<Vec<_>>(),
            "coverability": {"asked": self.covered.0, "tally": self.covered.1}, "mutants": self.mutants,
            "obligations": {"certificates": self.obligations.0, "problems": self.obligations.1, "not unsat": self.obligations.2, "of changed evidence": self.obligations.3},
            "same bytes for 1, 2 and 8 threads": self.same, "families": rows.collect::<Vec<_>>(), "peak MiB": self.peak,
        })
    }

    /// What the page is about.
    pub fn about(&self) -> &'static str {
        "Whether markings are reached. Times are those that pass for a question, with the check of the evidence and one more\n\
         check as the receiver of a certificate makes it, in a release build, in one thread; what took 5 ms or more was timed\n\
         up to three times, and the shortest counts. The limit is 5 s."
    }

    /// The tables.
    pub fn sections(&self) -> String {
        // Writing to a string does not fail.
        let mut page = format!("Wrong answers and evidence that was refused: {}.\n\n", self.wrong.len());
        page.push_str(
            "## All methods, against other decision procedures\n\n| | asked | undecided | under 5 ms | median | 95 % | 99 % | most | no other decides |\n\
             |---|---:|---:|---:|---:|---:|---:|---:|---:|\n",
        );
        for one in &self.summaries {
            let _ = writeln!(
                page,
                "| {} | {} | {} ({}) | {} | {} µs | {} µs | {} µs | {} µs | {} |",
                one.kind,
                one.asked,
                one.undecided,
                percent(one.undecided, one.asked),
                percent(one.quick, one.asked),
                one.quantile(500),
                one.quantile(950),
                one.quantile(990),
                one.quantile(1000),
                one.unknown
            );
        }
        page.push_str(
            "\nWhich method answered, and what else decides: trying everything forwards or backwards, the marking equation alone, or ω-markings alone.\n\n| | method | answer | decided by | questions |\n|---|---|---|---|---:|\n",
        );
        for one in &self.summaries {
            for ((method, answer, oracle), count) in &one.answers {
                let _ = writeln!(page, "| {} | `{method}` | {answer} | {oracle} | {count} |", one.kind);
            }
        }
        self.others(&mut page);
        page
    }

    fn others(&self, page: &mut String) {
        page.push_str(
            "\n## The decomposition alone\n\nOrder 0 is the usual one, the others force rules first, and `sliced` is asked about what slicing leaves of the net. \
             Each answer is compared with that of all methods together where there is one, and with the others.\n\n| | asked | what | questions |\n|---|---:|---|---:|\n",
        );
        for (kind, asked, tally) in &self.alone {
            for (name, count) in tally {
                let _ = writeln!(page, "| {kind} | {asked} | {name} | {count} |");
            }
        }
        let _ = writeln!(
            page,
            "\n## Coverability, three ways\n\n{} nets; no answer contradicts another.\n\n| which says what | nets |\n|---|---:|",
            self.covered.0
        );
        for (name, count) in &self.covered.1 {
            let _ = writeln!(page, "| {name} | {count} |");
        }
        let all: u64 = self.mutants.total();
        let _ = writeln!(
            page,
            "\n## Changed evidence\n\n{all} pieces of evidence with one thing changed. Each was put before the checker for its own marking, and for up to three that can be reached, for which none was accepted.\n\n| kind, and what became of it | pieces |\n|---|---:|"
        );
        for (name, count) in &self.mutants {
            let _ = writeln!(page, "| {name} | {count} |");
        }
        let (certificates, problems, solvers, changed) = &self.obligations;
        let _ = writeln!(
            page,
            "\n## Obligations for other solvers\n\n{certificates} certificates, and all changed evidence that was accepted, have {problems} obligations, of which {changed} are of the latter."
        );
        for (name, others) in solvers {
            let _ = writeln!(page, "`{name}` calls all of them unsatisfiable but {others}.");
        }
        if solvers.is_empty() {
            page.push_str("No other solver was there to be asked.\n");
        }
        page.push_str("\n## Families\n\n| net | asked | reachable | answer | method | ms |\n|---|---|---|---|---|---:|\n");
        let word = |it: bool| if it { "yes" } else { "no" };
        for row in &self.rows {
            let (answer, method) = row.answer.as_ref().map_or(("undecided", ""), |(answer, method)| (word(*answer), method.as_str()));
            let _ = writeln!(
                page,
                "| {} | {} | {} | {answer} | {method} | {} |",
                row.name,
                row.asked,
                word(row.reachable),
                row.time.as_millis()
            );
        }
        let peak = self.peak.map_or_else(|| "not known".to_owned(), |peak| format!("{peak} MiB"));
        let same = match self.same {
            Some((asked, true)) => format!("the same for 1, 2 and 8 threads, on {asked} questions"),
            Some((asked, false)) => format!("NOT the same for 1, 2 and 8 threads, on {asked} questions"),
            None => "not compared".to_owned(),
        };
        let _ = writeln!(
            page,
            "\n## Memory and threads\n\nThe most memory until all questions to all methods were answered: {peak}. Answers and evidence, byte by byte: {same}."
        );
        page.push_str(
            "\n## Beside the public tool\n\nThe one public tool that decides reachability is KReach (A. Dixon, R. Lazić, TACAS 2020). Its abstract and slides say that coverability by reduction to reachability is competitive with tools for coverability where few \
             decompositions are needed, and that other instances take much longer. Its single figures are not available here, and it was not run.\n",
        );
    }
}
