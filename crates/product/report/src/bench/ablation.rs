//! What the switches of the published pipeline are worth, as a table: a column
//! per setting.

use std::fmt::Write;
use std::time::Duration;

use super::figures::Figures;

/// The figures of all settings, and what each is called.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AblationReport {
    /// A name and figures for each setting.
    pub settings: Vec<(&'static str, Figures)>,
    /// More components than this are too many.
    pub cap: usize,
    /// Whether times are shown.
    pub times: bool,
}

/// A line of the table.
struct Line {
    title: String,
    cell: fn(&Figures) -> String,
}

fn line(title: impl Into<String>, cell: fn(&Figures) -> String) -> Line {
    Line { title: title.into(), cell }
}

/// Hundredths, with one digit.
fn tenths(hundredths: usize) -> String {
    let tenths = hundredths.saturating_add(5) / 10;
    format!("{}.{}", tenths / 10, tenths % 10)
}

/// Thousandths, as percent with one digit.
fn percent(thousandths: usize) -> String {
    format!("{}.{} %", thousandths / 10, thousandths % 10)
}

fn pair((one, other): (usize, usize), show: fn(usize) -> String) -> String {
    format!("{} / {}", show(one), show(other))
}

/// A dash where nothing was there to be counted.
fn of(count: usize, cell: String) -> String {
    if count == 0 { "–".to_owned() } else { cell }
}

fn milliseconds(time: Duration) -> String {
    let tenths = (time.as_micros() + 50) / 100;
    format!("{}.{}", tenths / 10, tenths % 10)
}

impl AblationReport {
    fn lines(&self) -> Vec<Line> {
        let mut lines = vec![
            line("decided", |figures| format!("{} of {}", figures.decided, figures.programs)),
            line(format!("more than {} components", self.cap), |figures| figures.capped.to_string()),
            line("out of time", |figures| figures.cancelled.to_string()),
            line("with a semilinear set", |figures| figures.with_set.to_string()),
            line("components: average", |figures| of(figures.with_set, tenths(figures.components.0))),
            line("components: most", |figures| of(figures.with_set, figures.components.1.to_string())),
            line("components as constructed: average", |figures| of(figures.with_set, tenths(figures.constructed.0))),
            line("components as constructed: most", |figures| of(figures.with_set, figures.constructed.1.to_string())),
            line("components on the way: most", |figures| of(figures.with_set, figures.most_components.to_string())),
            line("periods of a component: average", |figures| of(figures.with_set, tenths(figures.periods.0))),
            line("periods of a component: most", |figures| of(figures.with_set, figures.periods.1.to_string())),
            line("disjuncts looked at", |figures| figures.disjuncts.to_string()),
            line("disjuncts sliced away", |figures| figures.sliced_away.to_string()),
            line("places / transitions", |figures| of(figures.with_disjuncts, pair(figures.net, tenths))),
            line("left for a disjunct", |figures| of(figures.with_disjuncts, pair(figures.left, tenths))),
            line("removed", |figures| of(figures.with_disjuncts, pair(figures.removed, percent))),
            line("not sliced away: places / transitions", |figures| of(figures.with_kept, pair(figures.net_of_kept, tenths))),
            line("not sliced away: left for a disjunct", |figures| of(figures.with_kept, pair(figures.left_of_kept, tenths))),
            line("not sliced away: removed", |figures| of(figures.with_kept, pair(figures.removed_of_kept, percent))),
            line("transitions of requests that get there", |figures| of(figures.with_disjuncts, tenths(figures.concerned))),
            line("removed of these", |figures| of(figures.with_disjuncts, percent(figures.removed_of_concerned.0))),
            line("not sliced away: removed of these", |figures| of(figures.with_kept, percent(figures.removed_of_concerned.1))),
        ];
        if self.times {
            lines.push(line("ms: all programs", |figures| milliseconds(figures.total)));
            lines.push(line("ms: median", |figures| milliseconds(figures.median)));
        }
        lines
    }

    /// The titles, and a row per line.
    fn cells(&self) -> Vec<Vec<String>> {
        let titles = std::iter::once(String::new()).chain(self.settings.iter().map(|&(name, _)| name.to_owned())).collect();
        let row = |line: Line| {
            let cells = self.settings.iter().map(|(_, figures)| (line.cell)(figures));
            std::iter::once(line.title.clone()).chain(cells).collect()
        };
        std::iter::once(titles).chain(self.lines().into_iter().map(row)).collect()
    }

    /// A table with aligned columns.
    pub fn to_text(&self) -> String {
        let rows = self.cells();
        let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..=self.settings.len()).map(width).collect();
        let mut out = String::new();
        for row in &rows {
            let mut written = String::new();
            for (column, (cell, &width)) in row.iter().zip(&widths).enumerate() {
                let _ = if column == 0 { write!(written, "{cell:<width$}") } else { write!(written, "  {cell:>width$}") };
            }
            let _ = writeln!(out, "{}", written.trim_end());
        }
        out
    }

    /// The same as a Markdown table.
    pub fn to_markdown(&self) -> String {
        let mut out = String::new();
        for (number, row) in self.cells().iter().enumerate() {
            let _ = writeln!(out, "| {} |", row.join(" | "));
            if number == 0 {
                let _ = writeln!(out, "|---|{}", "---:|".repeat(self.settings.len()));
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(times: bool) -> AblationReport {
        let figures = Figures {
            programs: 3,
            decided: 2,
            with_set: 2,
            components: (1_250, 20),
            most_components: 21,
            periods: (196, 4),
            with_disjuncts: 2,
            disjuncts: 5,
            sliced_away: 1,
            net: (1_000, 2_000),
            left: (250, 125),
            removed: (750, 938),
            total: Duration::from_micros(1_250),
            ..Figures::default()
        };
        AblationReport { settings: vec![("all on", figures), ("all off", Figures { capped: 3, ..Figures::default() })], cap: 50, times }
    }

    #[test]
    fn text_is_aligned() {
        let text = sample(false).to_text();
        let lines: Vec<&str> = text.lines().collect();
        let line = |name: &str| *lines.iter().find(|line| line.starts_with(name)).unwrap();
        assert_eq!(lines[0], "                                                 all on  all off");
        assert_eq!(line("decided"), "decided                                          2 of 3   0 of 0");
        assert_eq!(line("more than 50"), "more than 50 components                               0        3");
        assert_eq!(line("components: average"), "components: average                                12.5        –");
        assert_eq!(line("removed   "), "removed                                 75.0 % / 93.8 %        –");
        assert_eq!(line("not sliced away: removed   "), "not sliced away: removed                              –        –");
        assert!(!text.contains("ms"));
    }

    #[test]
    fn markdown_has_a_rule_per_column() {
        let markdown = sample(true).to_markdown();
        assert!(markdown.starts_with("|  | all on | all off |\n|---|---:|---:|\n"), "{markdown}");
        assert!(markdown.contains("| periods of a component: average | 2.0 | – |\n"), "{markdown}");
        assert!(markdown.contains("| ms: all programs | 1.3 | 0.0 |\n"), "{markdown}");
    }
}
