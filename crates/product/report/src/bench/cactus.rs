//! A cactus plot: how many files are decided within how much time each.

#![expect(clippy::float_arithmetic, reason = "a picture; no verdict depends on it")]

use std::fmt::Write;

use crate::escape::xml as escaped;

use super::{BenchReport, Outcome};

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 360.0;
const LEFT: f64 = 62.0;
const RIGHT: f64 = 616.0;
const TOP: f64 = 48.0;
const BOTTOM: f64 = 312.0;

const STYLE: &str = "\
text { font: 12px system-ui, sans-serif; fill: #57606a }
.title { font-weight: 600; fill: #1f2328 }
.grid { stroke: #8c959f; stroke-opacity: .3 }
.axis { stroke: #8c959f; fill: none }
.line { fill: none; stroke-width: 1.8 }
.now { stroke: #0969da; fill: #0969da }
.before { stroke: #1a7f37; fill: #1a7f37 }
.published { stroke: #bc4c00; fill: #bc4c00 }
.before.line { stroke-dasharray: 6 3 }
.published.line { stroke-dasharray: 2 3 }
.line { fill: none }
@media (prefers-color-scheme: dark) {
  text { fill: #9198a1 } .title { fill: #f0f6fc }
  .now { stroke: #58a6ff; fill: #58a6ff } .before { stroke: #56d364; fill: #56d364 }
  .published { stroke: #f0883e; fill: #f0883e } .line { fill: none }
}
";

/// Times by name, shortest first.
struct Series {
    class: &'static str,
    words: String,
    times: Vec<f64>,
}

/// The files of a report, each at the place that its time has among all: now,
/// before if there is a baseline, and published if times were.
pub fn svg(report: &BenchReport) -> String {
    let decided = |row: &&super::BenchRow| !matches!(row.outcome, Outcome::Undecided | Outcome::Error);
    let rows = || report.rows.iter().filter(decided);
    let series = [
        ("now", format!("serval {}", report.version), rows().filter_map(|row| row.time_ms.map(|times| times.total)).collect::<Vec<f64>>()),
        ("before", "the baseline".to_owned(), rows().filter_map(|row| row.baseline?.total_ms).collect()),
        ("published", "published".to_owned(), rows().filter_map(|row| row.published.as_ref()?.parse().ok()).collect()),
    ];
    let series: Vec<Series> = series
        .into_iter()
        .filter(|(_, _, times)| !times.is_empty())
        .map(|(class, words, mut times)| {
            times.sort_by(f64::total_cmp);
            Series { class, words: format!("{words}: {} of {}", times.len(), report.rows.len()), times }
        })
        .collect();
    drawn(&series, report.rows.len())
}

fn drawn(series: &[Series], files: usize) -> String {
    let all = || series.iter().flat_map(|series| series.times.iter().copied()).map(|time| time.max(0.01));
    let low = all().fold(1.0, f64::min).log10().floor();
    let high = all().fold(10.0, f64::max).log10().ceil();
    let up = |time: f64| BOTTOM - (time.max(0.01).log10() - low) / (high - low) * (BOTTOM - TOP);
    let along = |count: usize| LEFT + float(count) / float(files.max(1)) * (RIGHT - LEFT);
    let mut out = String::new();
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" role=\"img\">\n\
         <title>How many files are decided within how much time each</title>\n<style>\n{STYLE}</style>"
    );
    let mut x = LEFT;
    for one in series {
        let _ = writeln!(
            out,
            "<path class=\"{} line\" d=\"M{x:.1} 20h24\"/><text x=\"{:.1}\" y=\"24\">{}</text>",
            one.class,
            x + 30.0,
            escaped(&one.words)
        );
        x += 56.0 + float(one.words.chars().count()) * 7.0;
    }
    let mut power = low;
    while power <= high {
        let y = up(10f64.powf(power));
        let _ = writeln!(
            out,
            "<path class=\"grid\" d=\"M{LEFT} {y:.1}H{RIGHT}\"/><text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            LEFT - 6.0,
            y + 4.0,
            10f64.powf(power)
        );
        power += 1.0;
    }
    let every = (files / 10).max(1);
    let every = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].into_iter().find(|&step| step >= every).unwrap_or(every);
    for count in (0..=files).step_by(every) {
        let x = along(count);
        let _ = writeln!(
            out,
            "<path class=\"axis\" d=\"M{x:.1} {BOTTOM}v4\"/><text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{count}</text>",
            BOTTOM + 18.0
        );
    }
    let _ = writeln!(out, "<path class=\"axis\" d=\"M{LEFT} {TOP}V{BOTTOM}H{RIGHT}\"/>");
    let _ = writeln!(out, "<text x=\"{LEFT}\" y=\"{}\">ms</text>", TOP - 8.0);
    let _ = writeln!(
        out,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">files, each within the time</text>",
        f64::midpoint(LEFT, RIGHT),
        BOTTOM + 38.0
    );
    for one in series {
        let places: Vec<(f64, f64)> = (1..).zip(&one.times).map(|(count, &time)| (along(count), up(time))).collect();
        let path: Vec<String> = places.iter().map(|(x, y)| format!("{x:.1} {y:.1}")).collect();
        let _ = writeln!(out, "<path class=\"{} line\" d=\"M{}\"/>", one.class, path.join("L"));
        for (x, y) in places {
            let _ = writeln!(out, "<circle class=\"{}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.2\"/>", one.class);
        }
    }
    out.push_str("</svg>\n");
    out
}

fn float(number: usize) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::BenchRow;
    use crate::{FileReport, Times, Verdict};

    #[test]
    fn every_decided_file_is_a_point() {
        let row = |name: &str, verdict, total: f64, published: Option<&str>| {
            let mut report = FileReport::new(name, verdict);
            report.time_ms = Some(Times { total, ..Times::default() });
            BenchRow::new(name, &report, None).with_published(published)
        };
        let rows = vec![
            row("a", Verdict::Serializable, 3.0, Some("4000")),
            row("b", Verdict::NotSerializable, 0.0, Some("timeout")),
            row("c", Verdict::Unknown, 60_000.0, None),
        ];
        let drawn = svg(&BenchReport::new("1 < 2", rows, None));
        assert_eq!(drawn.matches("<circle").count(), 2 + 1);
        assert!(drawn.contains("serval 1 &lt; 2: 2 of 3") && drawn.contains("published: 1 of 3"), "{drawn}");
        assert!(!drawn.contains("before line\" d") && !drawn.contains("NaN") && !drawn.contains("inf"));
        assert!(!svg(&BenchReport::new("1", Vec::new(), None)).contains("NaN"));
    }
}
