//! What `serval bench` says about many files: a table for people, CSV and JSON
//! for machines.

mod ablation;
pub mod cactus;
mod expected;
mod figures;
pub mod growth;
mod merge;
mod nets;
mod table;

use serde::{Deserialize, Serialize};

pub use ablation::AblationReport;
pub use expected::{Baseline, Earlier, ExpectedLine, TableError, read_baseline, read_expected};
pub use figures::Figures;
pub use merge::{MergeError, merged};
pub use nets::{ExpectedNet, NetBenchReport, NetBenchRow, read_expected_nets};

use crate::{FileReport, Sizes, Times, Verdict};

/// Slower than a baseline by more than these numbers of percent and of
/// microseconds, one pair or the other, is a regression: small times jump.
pub const SLOWER: [(u32, u32); 2] = [(25, 5_000), (70, 500)];
/// The same where the speed of the machine is known at both times.
pub const RELATIVELY_SLOWER: [(u32, u32); 2] = [(25, 5_000), (40, 20)];
/// From this ratio on it is worth measuring again.
const SUSPICIOUS: f64 = 1.2;

/// One file or one program of a family, and what came of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BenchRow {
    /// The file, relative to the directory if one was given; or family and size.
    pub file: String,
    /// The answer.
    pub verdict: Verdict,
    /// The answer that was expected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<Verdict>,
    /// What the two make together.
    pub outcome: Outcome,
    /// The method that decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// The kind of evidence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certificate: Option<String>,
    /// How many requests the counterexample has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests: Option<usize>,
    /// For unknown and error: what stopped it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How large the network system is, if it was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sizes: Option<Sizes>,
    /// How long it took; of several runs the middle one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_ms: Option<Times>,
    /// What a fixed piece of work took beside it, in milliseconds: how fast the
    /// machine was then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub yardstick_ms: Option<f64>,
    /// The time that others published, in milliseconds, or their word for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published: Option<String>,
    /// How many times longer the published time is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published_ratio: Option<f64>,
    /// What an earlier measurement said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline: Option<AgainstBaseline>,
}

/// A verdict against what was expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// As expected.
    Right,
    /// The other verdict.
    Wrong,
    /// No verdict.
    Undecided,
    /// The file cannot be used.
    Error,
    /// A verdict, without one to expect.
    Unjudged,
}

/// A row against an earlier measurement of the same file.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct AgainstBaseline {
    /// The verdict then.
    pub verdict: Verdict,
    /// Whether there was a verdict then and it is not the one of now.
    pub differs: bool,
    /// The time then, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_ms: Option<f64>,
    /// The time now by the time then, at the same speed of the machine if that
    /// is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
    /// Whether it became slower by more than one of [`SLOWER`], or of
    /// [`RELATIVELY_SLOWER`] where the speed of the machine is known.
    pub regression: bool,
}

impl AgainstBaseline {
    /// Whether it may have become slower, so that it is worth measuring again.
    pub fn is_suspicious(&self) -> bool {
        self.regression || self.ratio.is_some_and(|ratio| ratio > SUSPICIOUS)
    }
}

impl BenchRow {
    /// What a report says, against what was expected.
    pub fn new(file: impl Into<String>, report: &FileReport, expected: Option<Verdict>) -> Self {
        let outcome = match (report.verdict, expected) {
            (Verdict::Error, _) => Outcome::Error,
            (Verdict::Unknown, _) => Outcome::Undecided,
            (_, None) => Outcome::Unjudged,
            (verdict, Some(expected)) if verdict == expected => Outcome::Right,
            _ => Outcome::Wrong,
        };
        Self {
            file: file.into(),
            verdict: report.verdict,
            expected,
            outcome,
            method: report.method.map(str::to_owned),
            certificate: report.certificate.as_ref().map(|certificate| certificate.kind.to_owned()),
            requests: report.counterexample.as_ref().map(|run| run.requests.len()),
            reason: report.reason.clone(),
            sizes: report.sizes,
            time_ms: report.time_ms,
            yardstick_ms: None,
            published: None,
            published_ratio: None,
            baseline: None,
        }
    }

    /// Adds a time that others published: a number of milliseconds, or a word.
    #[must_use]
    pub fn with_published(mut self, published: Option<&str>) -> Self {
        self.published = published.map(str::to_owned);
        let theirs = published.and_then(|text| text.parse::<f64>().ok());
        self.published_ratio = theirs.zip(self.time_ms).and_then(|(theirs, times)| ratio(theirs, times.total));
        self
    }

    /// Adds what an earlier measurement said.
    #[must_use]
    pub fn with_baseline(mut self, earlier: Option<&Earlier>) -> Self {
        self.baseline = earlier.map(|earlier| {
            let now = self.time_ms.map(|times| times.total);
            let pair = now.zip(earlier.total_ms);
            let speeds = self.yardstick_ms.zip(earlier.yardstick_ms);
            // What it would have taken then on the machine as it is now.
            let same_speed = pair.zip(speeds).and_then(|((now, then), speeds)| Some((now, at_speed(then, speeds)?)));
            AgainstBaseline {
                verdict: earlier.verdict,
                differs: matches!(earlier.verdict, Verdict::Serializable | Verdict::NotSerializable | Verdict::Fault)
                    && earlier.verdict != self.verdict,
                total_ms: earlier.total_ms.filter(|_| now.is_some()),
                ratio: same_speed.or(pair).and_then(|(now, then)| ratio(now, then)),
                regression: match same_speed {
                    Some((now, then)) => is_slower(now, then, &RELATIVELY_SLOWER),
                    None => pair.is_some_and(|(now, then)| is_slower(now, then, &SLOWER)),
                },
            }
        });
        self
    }

    /// Whether it is not as expected, or not as in the baseline.
    pub fn differs(&self) -> bool {
        self.differs_from_expected() || self.baseline.is_some_and(|compared| compared.differs)
    }

    fn differs_from_expected(&self) -> bool {
        match self.outcome {
            Outcome::Wrong => true,
            Outcome::Undecided => self.expected.is_some(),
            Outcome::Right | Outcome::Unjudged | Outcome::Error => false,
        }
    }
}

#[expect(clippy::float_arithmetic, reason = "times for people; no verdict depends on them")]
fn ratio(one: f64, other: f64) -> Option<f64> {
    (other > 0.0).then(|| (one / other * 1000.0).round() / 1000.0)
}

#[expect(clippy::float_arithmetic, reason = "times for people; no verdict depends on them")]
fn at_speed(time: f64, (now, then): (f64, f64)) -> Option<f64> {
    (now > 0.0 && then > 0.0).then(|| time / then * now)
}

#[expect(clippy::float_arithmetic, reason = "times for people; no verdict depends on them")]
fn is_slower(now: f64, then: f64, limits: &[(u32, u32)]) -> bool {
    let more = now - then;
    limits.iter().any(|&(percent, micros)| more * 1000.0 > f64::from(micros) && more * 100.0 > then * f64::from(percent))
}

/// Everything that a measurement found.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BenchReport {
    /// The version of this form.
    pub schema: u32,
    /// The version of serval.
    pub version: String,
    /// Which part of a measurement this is, from 1, and of how many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<[usize; 2]>,
    /// One row per file, in the order in which they were run.
    pub rows: Vec<BenchRow>,
    /// All of it together.
    pub summary: BenchSummary,
}

/// Counts and sums.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BenchSummary {
    /// Rows.
    pub files: usize,
    /// As expected.
    pub right: usize,
    /// Not as expected.
    pub wrong: usize,
    /// Without a verdict.
    pub undecided: usize,
    /// Not usable.
    pub errors: usize,
    /// With a verdict where none was to be expected.
    pub unjudged: usize,
    /// Rows whose verdict is not that of the baseline.
    pub differ_from_baseline: usize,
    /// Rows that became slower than the baseline.
    pub regressions: usize,
    /// The sum of all times.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_ms: Option<f64>,
    /// The sum of the times for checking evidence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verify_ms: Option<f64>,
    /// The peak of the memory of the process, in MiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak_mib: Option<u64>,
}

impl BenchReport {
    /// Counts and sums up the rows.
    pub fn new(version: impl Into<String>, rows: Vec<BenchRow>, peak_mib: Option<u64>) -> Self {
        let count = |outcome: Outcome| rows.iter().filter(|row| row.outcome == outcome).count();
        let compared = |what: fn(&AgainstBaseline) -> bool| rows.iter().filter(|row| row.baseline.as_ref().is_some_and(what)).count();
        let summary = BenchSummary {
            files: rows.len(),
            right: count(Outcome::Right),
            wrong: count(Outcome::Wrong),
            undecided: count(Outcome::Undecided),
            errors: count(Outcome::Error),
            unjudged: count(Outcome::Unjudged),
            differ_from_baseline: compared(|compared| compared.differs),
            regressions: compared(|compared| compared.regression),
            total_ms: sum(&rows, |times| times.total),
            verify_ms: sum(&rows, |times| times.verify),
            peak_mib,
        };
        Self { schema: 1, version: version.into(), shard: None, rows, summary }
    }

    /// One object, indented, with a newline at its end.
    pub fn to_json(&self) -> String {
        // Only maps with keys that are not strings could fail.
        let mut text = crate::escape::json(serde_json::to_string_pretty(self).unwrap_or_default());
        text.push('\n');
        text
    }

    /// A line of titles and a line per row.
    pub fn to_csv(&self) -> String {
        table::csv(self)
    }

    /// A table with aligned columns and what they come to.
    pub fn to_text(&self) -> String {
        table::text(self)
    }

    /// A picture: for programs of families how time grows with their size, else
    /// how many files are decided within how much time each.
    pub fn to_svg(&self) -> String {
        let sized = |row: &BenchRow| {
            let (family, n) = row.file.rsplit_once('-')?;
            Some((family.to_owned(), n.parse::<u32>().ok()?))
        };
        let sizes: Option<Vec<(String, u32)>> = self.rows.iter().map(sized).collect();
        let Some(sizes) = sizes.filter(|sizes| !sizes.is_empty()) else { return cactus::svg(self) };
        let mut panels: Vec<growth::Panel> = Vec::new();
        for (row, (family, n)) in self.rows.iter().zip(sizes) {
            let decided = !matches!(row.outcome, Outcome::Undecided | Outcome::Error);
            let point = growth::GrowthPoint { n, ms: row.time_ms.map_or(0.0, |times| times.total), mib: None, decided };
            match panels.iter_mut().find(|panel| panel.title == family) {
                Some(panel) => panel.points.push(point),
                None => panels.push(growth::Panel { title: family, points: vec![point] }),
            }
        }
        for panel in &mut panels {
            panel.points.sort_by_key(|point| point.n);
        }
        growth::svg(&panels)
    }

    /// The same as a Markdown table.
    pub fn to_markdown(&self) -> String {
        table::markdown(self)
    }
}

/// The sum of a time over the rows that have times.
#[expect(clippy::float_arithmetic, reason = "times for people; no verdict depends on them")]
fn sum(rows: &[BenchRow], part: fn(&Times) -> f64) -> Option<f64> {
    let mut times = rows.iter().filter_map(|row| row.time_ms.as_ref()).map(part).peekable();
    times.peek()?;
    Some((times.sum::<f64>() * 10.0).round() / 10.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(verdict: Verdict, total: f64) -> FileReport {
        let mut report = FileReport::new("a.ser", verdict);
        report.time_ms = Some(Times { total, ..Times::default() });
        report
    }

    #[test]
    fn outcomes_follow_verdict_and_expectation() {
        use Verdict::{Error, NotSerializable, Serializable, Unknown};
        let cases = [
            (Serializable, Some(Serializable), Outcome::Right, false),
            (Serializable, Some(NotSerializable), Outcome::Wrong, true),
            (Serializable, None, Outcome::Unjudged, false),
            (Unknown, Some(Serializable), Outcome::Undecided, true),
            (Unknown, None, Outcome::Undecided, false),
            (Error, Some(Serializable), Outcome::Error, false),
        ];
        for (verdict, expected, outcome, differs) in cases {
            let row = BenchRow::new("a.ser", &report(verdict, 1.0), expected);
            assert_eq!((row.outcome, row.differs()), (outcome, differs), "{verdict:?} {expected:?}");
        }
    }

    #[test]
    fn a_regression_is_more_than_a_quarter_or_for_small_times_more_than_two_thirds() {
        let cases = [
            (10.0, 14.9, false),
            (10.0, 15.1, true),
            (100.0, 125.0, false),
            (100.0, 125.1, true),
            (1.0, 1.6, false),
            (1.0, 2.0, true),
            (0.3, 0.7, false),
            (9.0, 3.0, false),
        ];
        for (then, now, regression) in cases {
            let earlier = Earlier { verdict: Verdict::Serializable, total_ms: Some(then), yardstick_ms: None };
            let row = BenchRow::new("a.ser", &report(Verdict::Serializable, now), None).with_baseline(Some(&earlier));
            let compared = row.baseline.unwrap();
            assert_eq!(compared.regression, regression, "{then} {now}");
            assert!(!compared.differs);
        }
        // Where the speed of the machine is known, it counts.
        let cases = [
            ((0.2, 0.1), (0.4, 0.1), true),
            ((0.2, 0.1), (0.4, 0.19), false),
            ((0.2, 0.1), (0.2, 0.2), false),
            ((0.02, 0.1), (0.035, 0.1), false),
            ((0.4, 0.2), (0.4, 0.1), true),
            ((2.0, 0.1), (2.7, 0.1), false),
            ((40.0, 0.1), (46.0, 0.1), false),
            ((40.0, 0.1), (52.0, 0.1), true),
        ];
        for ((then, speed_then), (now, speed), regression) in cases {
            let earlier = Earlier { verdict: Verdict::Serializable, total_ms: Some(then), yardstick_ms: Some(speed_then) };
            let row = BenchRow { yardstick_ms: Some(speed), ..BenchRow::new("a.ser", &report(Verdict::Serializable, now), None) };
            let compared = row.with_baseline(Some(&earlier)).baseline.unwrap();
            assert_eq!(compared.regression, regression, "{then} {now}");
            assert!(compared.is_suspicious() || !regression);
        }
    }

    #[test]
    fn a_baseline_without_a_verdict_expects_nothing() {
        let row = |then, now| {
            let earlier = Earlier { verdict: then, total_ms: None, yardstick_ms: None };
            BenchRow::new("a.ser", &report(now, 1.0), None).with_baseline(Some(&earlier)).differs()
        };
        assert!(!row(Verdict::Unknown, Verdict::Serializable));
        assert!(row(Verdict::Serializable, Verdict::Unknown));
        assert!(row(Verdict::Serializable, Verdict::NotSerializable));
    }

    #[test]
    fn published_words_have_no_ratio() {
        let row = |text| BenchRow::new("a.ser", &report(Verdict::Serializable, 2.0), None).with_published(Some(text)).published_ratio;
        assert_eq!(row("TIMEOUT"), None);
        assert_eq!(row("47"), Some(23.5));
    }
}
