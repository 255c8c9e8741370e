//! The rows of a measurement as tables.

use std::fmt::Write;

use super::{BenchReport, BenchRow, Outcome};
use crate::escape::{line, markdown_name, name};
use crate::{Sizes, Times};

struct Column {
    title: &'static str,
    /// Numbers stand on the right.
    right: bool,
    cell: fn(&BenchRow) -> Option<String>,
}

fn left(title: &'static str, cell: fn(&BenchRow) -> Option<String>) -> Column {
    Column { title, right: false, cell }
}

fn right(title: &'static str, cell: fn(&BenchRow) -> Option<String>) -> Column {
    Column { title, right: true, cell }
}

pub(super) fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Right => "right",
        Outcome::Wrong => "wrong",
        Outcome::Undecided => "undecided",
        Outcome::Error => "error",
        Outcome::Unjudged => "unjudged",
    }
}

fn size(row: &BenchRow, part: fn(&Sizes) -> usize) -> Option<String> {
    row.sizes.as_ref().map(|sizes| part(sizes).to_string())
}

fn time(row: &BenchRow, part: fn(&Times) -> f64) -> Option<String> {
    row.time_ms.as_ref().map(|times| format!("{:.1}", part(times)))
}

/// What sizes are after reductions, as globals/locals/steps.
fn reduced(row: &BenchRow) -> Option<String> {
    let reduced = row.sizes.as_ref()?.reduced?;
    Some(format!("{}/{}/{}", reduced.globals, reduced.locals, reduced.steps))
}

/// The columns for people; empty ones are left out.
fn shown(report: &BenchReport) -> Vec<Column> {
    let mut columns = vec![
        left("file", |row| Some(name(&row.file).into_owned())),
        left("verdict", |row| Some(row.verdict.in_json().to_owned())),
        left("expected", |row| {
            let mark = if row.differs_from_expected() { " (differs)" } else { "" };
            row.expected.map(|expected| format!("{}{mark}", expected.in_json()))
        }),
        left("method", |row| row.method.clone()),
        left("certificate", |row| row.certificate.clone()),
        right("requests", |row| row.requests.map(|requests| requests.to_string())),
        right("globals", |row| size(row, |sizes| sizes.globals)),
        right("locals", |row| size(row, |sizes| sizes.locals)),
        right("steps", |row| size(row, |sizes| sizes.steps)),
        right("reduced", reduced),
        right("total ms", |row| time(row, |times| times.total)),
        right("decide ms", |row| time(row, |times| times.decide)),
        right("verify ms", |row| time(row, |times| times.verify)),
        right("published ms", |row| row.published.as_deref().map(|text| line(text).into_owned())),
        right("published/ours", |row| row.published_ratio.map(|ratio| format!("{ratio:.0}"))),
        left("before", |row| {
            let mark = |differs: bool| if differs { " (differs)" } else { "" };
            row.baseline.map(|compared| format!("{}{}", compared.verdict.in_json(), mark(compared.differs)))
        }),
        right("before ms", |row| row.baseline?.total_ms.map(|total| format!("{total:.1}"))),
        right("now/before", |row| {
            let compared = row.baseline?;
            compared.ratio.map(|ratio| format!("{ratio:.2}{}", if compared.regression { " slower" } else { "" }))
        }),
    ];
    columns.retain(|column| column.title == "file" || report.rows.iter().any(|row| (column.cell)(row).is_some()));
    columns
}

pub(super) fn text(report: &BenchReport) -> String {
    let columns = shown(report);
    let mut lines: Vec<Vec<String>> = vec![columns.iter().map(|column| column.title.to_owned()).collect()];
    for row in &report.rows {
        lines.push(columns.iter().map(|column| (column.cell)(row).unwrap_or_else(|| "–".to_owned())).collect());
    }
    let width = |position: usize| lines.iter().map(|line| line[position].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns.len()).map(width).collect();
    let mut out = String::new();
    for line in &lines {
        let mut written = String::new();
        for ((cell, column), &width) in line.iter().zip(&columns).zip(&widths) {
            let gap = if written.is_empty() { "" } else { "  " };
            let _ = if column.right { write!(written, "{gap}{cell:>width$}") } else { write!(written, "{gap}{cell:<width$}") };
        }
        let _ = writeln!(out, "{}", written.trim_end());
    }
    let _ = writeln!(out, "\n{}", summary(report));
    out
}

pub(super) fn markdown(report: &BenchReport) -> String {
    let columns = shown(report);
    let mut out = String::new();
    let titles: Vec<&str> = columns.iter().map(|column| column.title).collect();
    let _ = writeln!(out, "| {} |", titles.join(" | "));
    let rules: Vec<&str> = columns.iter().map(|column| if column.right { "---:" } else { "---" }).collect();
    let _ = writeln!(out, "|{}|", rules.join("|"));
    for row in &report.rows {
        let cells: Vec<String> = columns.iter().map(|column| markdown_name(&(column.cell)(row).unwrap_or_default())).collect();
        let _ = writeln!(out, "| {} |", cells.join(" | "));
    }
    let _ = writeln!(out, "\n{}", summary(report));
    out
}

/// What it comes to, in a line.
fn summary(report: &BenchReport) -> String {
    let summary = &report.summary;
    let mut parts =
        vec![format!("{} right", summary.right), format!("{} wrong", summary.wrong), format!("{} undecided", summary.undecided)];
    let some = [
        (summary.errors, "not usable"),
        (summary.unjudged, "without expectation"),
        (summary.differ_from_baseline, "not as before"),
        (summary.regressions, "slower than before"),
    ];
    parts.extend(some.iter().filter(|(count, _)| *count > 0).map(|(count, words)| format!("{count} {words}")));
    let mut line = format!("{} in all: {}", summary.files, parts.join(", "));
    if let (Some(total), Some(verify)) = (summary.total_ms, summary.verify_ms) {
        let _ = write!(line, "; {total:.1} ms, of which verification {verify:.1} ms");
    }
    if let Some(peak) = summary.peak_mib {
        let _ = write!(line, "; peak memory {peak} MiB");
    }
    line
}

pub(super) fn csv(report: &BenchReport) -> String {
    let columns = [
        left("file", |row| Some(name(&row.file).into_owned())),
        left("verdict", |row| Some(row.verdict.in_json().to_owned())),
        left("expected", |row| row.expected.map(|expected| expected.in_json().to_owned())),
        left("outcome", |row| Some(outcome(row.outcome).to_owned())),
        left("method", |row| row.method.clone()),
        left("certificate", |row| row.certificate.clone()),
        right("requests", |row| row.requests.map(|requests| requests.to_string())),
        right("globals", |row| size(row, |sizes| sizes.globals)),
        right("locals", |row| size(row, |sizes| sizes.locals)),
        right("steps", |row| size(row, |sizes| sizes.steps)),
        right("components", |row| size(row, |sizes| sizes.components)),
        right("reduced_globals", |row| row.sizes?.reduced.map(|reduced| reduced.globals.to_string())),
        right("reduced_locals", |row| row.sizes?.reduced.map(|reduced| reduced.locals.to_string())),
        right("reduced_steps", |row| row.sizes?.reduced.map(|reduced| reduced.steps.to_string())),
        right("total_ms", |row| time(row, |times| times.total)),
        right("parse_ms", |row| time(row, |times| times.parse)),
        right("compile_ms", |row| time(row, |times| times.compile)),
        right("decide_ms", |row| time(row, |times| times.decide)),
        right("certify_ms", |row| time(row, |times| times.certify)),
        right("verify_ms", |row| time(row, |times| times.verify)),
        right("published_total_ms", |row| row.published.clone()),
        right("published_ratio", |row| row.published_ratio.map(|ratio| ratio.to_string())),
        right("baseline_total_ms", |row| row.baseline?.total_ms.map(|total| format!("{total:.1}"))),
        right("baseline_ratio", |row| row.baseline?.ratio.map(|ratio| ratio.to_string())),
        left("reason", |row| row.reason.clone()),
    ];
    let mut out = csv::Writer::from_writer(Vec::new());
    let _ = out.write_record(columns.iter().map(|column| column.title));
    for row in &report.rows {
        let _ = out.write_record(columns.iter().map(|column| line(&(column.cell)(row).unwrap_or_default()).into_owned()));
    }
    // Nothing can fail in memory, and what was written is text.
    String::from_utf8(out.into_inner().unwrap_or_default()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FileReport;
    use crate::Verdict;

    fn sample() -> BenchReport {
        let mut report = FileReport::new("", Verdict::NotSerializable);
        report.method = Some("search");
        report.sizes = Some(Sizes { globals: 5, locals: 12, steps: 31, components: 1, reduced: None });
        let undecided = FileReport::new("", Verdict::Unknown);
        let rows = vec![BenchRow::new("a,b.ser", &report, Some(Verdict::Serializable)), BenchRow::new("long-name.ser", &undecided, None)];
        BenchReport::new("0", rows, None)
    }

    #[test]
    fn text_is_aligned_and_says_what_differs() {
        let text = sample().to_text();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "file           verdict           expected                method  globals  locals  steps");
        assert_eq!(lines[1], "a,b.ser        not-serializable  serializable (differs)  search        5      12     31");
        assert_eq!(lines[2], "long-name.ser  unknown           –                       –             –       –      –");
        assert_eq!(lines[4], "2 in all: 0 right, 1 wrong, 1 undecided");
    }

    #[test]
    fn csv_has_as_many_fields_everywhere() {
        let csv = sample().to_csv();
        let lines: Vec<&str> = csv.lines().collect();
        assert_eq!(lines.len(), 3);
        assert!(lines[1].starts_with("\"a,b.ser\",not-serializable,serializable,wrong,search,,,5,12,31,1,"));
        let commas = |line: &str| line.matches(',').count();
        assert_eq!((commas(lines[0]), commas(lines[1]), commas(lines[2])), (24, 25, 24));
    }

    #[test]
    fn markdown_has_a_rule_per_column() {
        let markdown = sample().to_markdown();
        assert!(markdown.contains("|---|---|---|---|---:|---:|---:|\n"), "{markdown}");
    }
}
