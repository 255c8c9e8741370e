//! Measurements of nets: a row for each question, and a table of the answers that are known.

use std::fmt::Write;

use serde::{Deserialize, Serialize};

use serval_diagnostic::counted;

use super::expected::TableError;
use super::merge::{MeasurementPart, MergeError, together};
use super::{Outcome, table};
use crate::escape::{line, markdown_name, name};
use crate::nets::NetAnswer;

/// What is known about a net.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpectedNet {
    /// What the net is called: a directory, or a file with or without its ending.
    pub model: String,
    /// Its line in the table, from 1.
    pub line: usize,
    /// Known answers to properties in words, and whether they hold.
    pub properties: Vec<(&'static str, bool)>,
    /// The answers to the queries of the contest about token counts and about what can fire, in order.
    pub queries: [Vec<Option<bool>>; 2],
}

/// Columns of the table, the property of each, and whether the column says the opposite.
const COLUMNS: [(&str, &str, bool); 12] = [
    ("deadlock", "deadlock-free", true),
    ("onesafe", "one-safe", false),
    ("quasilive", "quasi-live", false),
    ("stablemarking", "stable-marking", false),
    ("liveness", "live", false),
    ("deadlock-free", "deadlock-free", false),
    ("one-safe", "one-safe", false),
    ("quasi-live", "quasi-live", false),
    ("no-dead-places", "no-dead-places", false),
    ("stable-marking", "stable-marking", false),
    ("live", "live", false),
    ("reversible", "reversible", false),
];
/// Columns with a letter for each query.
const QUERIES: [&str; 2] = ["RC_16", "RF_16"];

fn known(text: &str) -> Result<Option<bool>, String> {
    match text {
        "TRUE" | "T" => Ok(Some(true)),
        "FALSE" | "F" => Ok(Some(false)),
        "?" | "-" | "" => Ok(None),
        other => Err(format!("{other} is no answer; expected TRUE, FALSE or ?")),
    }
}

/// Reads a table with tabs between its fields. The first line names the columns: `model`; `deadlock`, `onesafe`,
/// `quasilive`, `stablemarking`, `liveness`, or the name of a property, with TRUE or FALSE; `RC_16` and `RF_16` with a
/// letter T, F or ? for each query. Others are skipped.
pub fn read_expected_nets(text: &str) -> Result<Vec<ExpectedNet>, TableError> {
    let mut lines = (1..).zip(text.lines());
    let titles: Vec<&str> = lines.next().map_or_else(Vec::new, |(_, line)| line.split('\t').map(str::trim).collect());
    let fail = |line: usize, message: String| TableError { line, message };
    let model = titles.iter().position(|title| *title == "model");
    let model = model.ok_or_else(|| fail(1, "no column is called model; the columns have tabs between them".to_owned()))?;
    let mut nets: Vec<ExpectedNet> = Vec::new();
    for (number, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
        let fields: Vec<&str> = line.split('\t').map(str::trim).collect();
        if fields.len() != titles.len() {
            return Err(fail(number, format!("{}, and there are {}", counted(fields.len(), "field"), counted(titles.len(), "column"))));
        }
        if nets.iter().any(|known| known.model == fields[model]) {
            return Err(fail(number, format!("{} has a line already", fields[model])));
        }
        let mut net = ExpectedNet { model: fields[model].to_owned(), line: number, properties: Vec::new(), queries: Default::default() };
        for (title, field) in titles.iter().zip(&fields) {
            let wrong = |message| fail(number, message);
            if let Some(&(_, property, is_opposite)) = COLUMNS.iter().find(|(column, ..)| column == title) {
                net.properties.extend(known(field).map_err(wrong)?.map(|answer| (property, answer != is_opposite)));
            } else if let Some(kind) = QUERIES.iter().position(|column| column == title) {
                let letters = field.chars().filter(|letter| *letter != '-').map(|letter| known(&letter.to_string()));
                net.queries[kind] = letters.collect::<Result<_, _>>().map_err(wrong)?;
            }
        }
        nets.push(net);
    }
    Ok(nets)
}

/// One question, and what came of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NetBenchRow {
    /// The file of the net, relative to the directory.
    pub file: String,
    /// The question: a property, or the id of a query.
    pub question: String,
    /// The answer.
    pub answer: NetAnswer,
    /// The answer that was expected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<NetAnswer>,
    /// What the two make together.
    pub outcome: Outcome,
    /// The methods that decided.
    pub methods: Vec<String>,
    /// The size of the certificate in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<usize>,
    /// For undecided and error: what stopped it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How long it took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_ms: Option<f64>,
}

impl NetBenchRow {
    /// A question that was answered, or not.
    pub fn new(file: impl Into<String>, question: impl Into<String>, answer: NetAnswer, holds: Option<bool>) -> Self {
        let expected = holds.map(|holds| if holds { NetAnswer::Holds } else { NetAnswer::DoesNotHold });
        let outcome = match (answer, expected) {
            (NetAnswer::Error, _) => Outcome::Error,
            (NetAnswer::Undecided, _) => Outcome::Undecided,
            (_, None) => Outcome::Unjudged,
            (answer, Some(expected)) if answer == expected => Outcome::Right,
            _ => Outcome::Wrong,
        };
        let (file, question) = (file.into(), question.into());
        Self { file, question, answer, expected, outcome, methods: Vec::new(), bytes: None, reason: None, time_ms: None }
    }

    /// Whether it is not as expected.
    pub fn differs(&self) -> bool {
        self.outcome == Outcome::Wrong || self.outcome == Outcome::Undecided && self.expected.is_some()
    }
}

/// Everything that a measurement of nets found.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NetBenchReport {
    /// The version of this form.
    pub schema: u32,
    /// The version of serval.
    pub version: String,
    /// Which part of a measurement this is, from 1, and of how many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<[usize; 2]>,
    /// One row per question, in the order in which they were asked.
    pub questions: Vec<NetBenchRow>,
}

impl NetBenchReport {
    /// What these rows say.
    pub fn new(version: impl Into<String>, questions: Vec<NetBenchRow>, shard: Option<[usize; 2]>) -> Self {
        Self { schema: 1, version: version.into(), shard, questions }
    }

    /// The measurement that parts, each by name and text, come from; `None` where the first is no measurement of nets.
    pub fn merged(files: &[(String, String)]) -> Option<Result<Self, MergeError>> {
        serde_json::from_str::<Self>(&files.first()?.1).ok()?;
        let read = |(file, text): &(String, String)| match serde_json::from_str::<Self>(text) {
            Ok(part) => Ok(MeasurementPart { file: file.clone(), version: part.version, shard: part.shard, rows: part.questions }),
            Err(error) => Err(MergeError::Unreadable(file.clone(), error.to_string())),
        };
        let parts = files.iter().map(read).collect::<Result<Vec<_>, _>>();
        Some(parts.and_then(together).map(|(version, rows)| Self::new(version, rows, None)))
    }

    /// How many have this outcome.
    pub fn count(&self, outcome: Outcome) -> usize {
        self.questions.iter().filter(|row| row.outcome == outcome).count()
    }

    /// An aligned table, and what all of it makes.
    pub fn to_text(&self) -> String {
        let mut lines = vec![["net", "question", "answer", "expected", "methods", "bytes", "ms"].map(str::to_owned)];
        lines.extend(self.questions.iter().map(|row| self.cells(row, |text| name(text).into_owned())));
        let widths: Vec<usize> = (0..7).map(|column| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0)).collect();
        let mut out = String::new();
        for line in &lines {
            let padded = line.iter().zip(&widths).enumerate().map(|(column, (cell, &width))| {
                // Numbers stand on the right.
                if column < 5 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
            });
            let _ = writeln!(out, "{}", padded.collect::<Vec<_>>().join("  ").trim_end());
        }
        for row in self.questions.iter().filter(|row| row.outcome == Outcome::Error) {
            let _ = writeln!(out, "error: {}: {}", name(&row.file), line(row.reason.as_deref().unwrap_or_default()));
        }
        let _ = writeln!(out, "\n{}", self.summary());
        out
    }

    fn cells(&self, row: &NetBenchRow, shown: impl Fn(&str) -> String) -> [String; 7] {
        let or = |text: Option<String>| text.unwrap_or_else(|| "–".to_owned());
        let mark = if row.differs() { " (differs)" } else { "" };
        [
            shown(&row.file),
            shown(&row.question),
            row.answer.words().to_owned(),
            or(row.expected.map(|expected| format!("{}{mark}", expected.words()))),
            or(Some(row.methods.join(" and ")).filter(|methods| !methods.is_empty())),
            or(row.bytes.map(|bytes| bytes.to_string())),
            or(row.time_ms.map(|time| format!("{time:.1}"))),
        ]
    }

    fn summary(&self) -> String {
        let count = |outcome, word: &str| match self.count(outcome) {
            0 => String::new(),
            number => format!(", {number} {word}"),
        };
        let mut out = counted(self.questions.len(), "question");
        for (outcome, word) in [
            (Outcome::Right, "right"),
            (Outcome::Wrong, "wrong"),
            (Outcome::Undecided, "undecided"),
            (Outcome::Error, "not usable"),
            (Outcome::Unjudged, "without an expected answer"),
        ] {
            out.push_str(&count(outcome, word));
        }
        let total: f64 = self.questions.iter().filter_map(|row| row.time_ms).sum();
        if self.questions.iter().any(|row| row.time_ms.is_some()) {
            let _ = write!(out, "; {total:.0} ms");
        }
        out
    }

    /// A Markdown table.
    pub fn to_markdown(&self) -> String {
        let mut out = String::from("| net | question | answer | expected | methods | bytes | ms |\n|---|---|---|---|---|---:|---:|\n");
        for row in &self.questions {
            let _ = writeln!(out, "| {} |", self.cells(row, markdown_name).join(" | "));
        }
        let _ = writeln!(out, "\n{}", self.summary());
        out
    }

    /// A line of titles and a line per question.
    pub fn to_csv(&self) -> String {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let titles = ["file", "question", "answer", "expected", "outcome", "methods", "bytes", "time_ms", "reason"];
        let rows = self.questions.iter().map(|row| {
            [
                line(&row.file).into_owned(),
                line(&row.question).into_owned(),
                row.answer.words().to_owned(),
                row.expected.map_or_else(String::new, |expected| expected.words().to_owned()),
                table::outcome(row.outcome).to_owned(),
                row.methods.join(" "),
                row.bytes.map_or_else(String::new, |bytes| bytes.to_string()),
                row.time_ms.map_or_else(String::new, |time| format!("{time:.3}")),
                row.reason.as_deref().map_or_else(String::new, |reason| line(reason).into_owned()),
            ]
        });
        // Writing to memory does not fail.
        let _ = writer.write_record(titles);
        rows.for_each(|row| _ = writer.write_record(row));
        writer.into_inner().ok().and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default()
    }

    /// One object.
    pub fn to_json(&self) -> String {
        // Only maps with keys that are not strings could fail.
        let mut text = crate::escape::json(serde_json::to_string_pretty(self).unwrap_or_default());
        text.push('\n');
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_found_by_their_names() {
        let nets = read_expected_nets("places\tmodel\tdeadlock\tone-safe\tRC_16\n5\ta\tTRUE\t?\tTF?\n\n6\tb\tFALSE\tFALSE\t-\n").unwrap();
        assert_eq!(nets[0].properties, [("deadlock-free", false)]);
        assert_eq!(nets[0].queries, [vec![Some(true), Some(false), None], vec![]]);
        assert_eq!(nets[1].properties, [("deadlock-free", true), ("one-safe", false)]);
        assert_eq!((nets[1].line, nets[1].queries[0].len()), (4, 0));
    }

    #[test]
    fn mistakes_in_the_table_have_a_line() {
        let told = |text: &str| read_expected_nets(text).unwrap_err();
        assert_eq!(told("").line, 1);
        assert_eq!(told("net\tdeadlock\na\tTRUE").line, 1);
        assert_eq!(told("model\tdeadlock\na\tTRUE\na\tTRUE").message, "a has a line already");
        assert_eq!(told("model\tdeadlock\na\tperhaps").message, "perhaps is no answer; expected TRUE, FALSE or ?");
        assert_eq!(told("model\tdeadlock\na\tTRUE\nb").line, 3);
        assert_eq!(told("model\tRC_16\na\tTX").message, "X is no answer; expected TRUE, FALSE or ?");
    }
}
