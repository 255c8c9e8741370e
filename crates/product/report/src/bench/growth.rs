//! A picture of growth: one small panel per family, time and memory over size,
//! both axes logarithmic.

#![expect(clippy::float_arithmetic, reason = "a picture; no verdict depends on it")]

use std::fmt::Write;

use crate::escape::xml as escaped;

/// What one family costs.
#[derive(Clone, Debug)]
pub struct Panel {
    /// The name of the family.
    pub title: String,
    /// By growing size.
    pub points: Vec<GrowthPoint>,
}

/// What one program costs.
#[derive(Clone, Copy, Debug)]
pub struct GrowthPoint {
    /// Its size.
    pub n: u32,
    /// Milliseconds.
    pub ms: f64,
    /// The peak of memory in MiB, if known.
    pub mib: Option<f64>,
    /// Whether it has been decided.
    pub decided: bool,
}

const COLUMNS: usize = 4;
const WIDTH: f64 = 250.0;
const HEIGHT: f64 = 200.0;
/// Where the axes of a panel are.
const LEFT: f64 = 46.0;
const RIGHT: f64 = 236.0;
const TOP: f64 = 30.0;
const BOTTOM: f64 = 162.0;
const LEGEND: f64 = 34.0;
/// The least and the greatest power of ten on the axis upwards.
const LOWEST: i32 = -1;
const HIGHEST: i32 = 4;

const STYLE: &str = "\
text { font: 11px system-ui, sans-serif; fill: #57606a }
.title { font-weight: 600; font-size: 12px; fill: #1f2328 }
.grid { stroke: #8c959f; stroke-opacity: .3 }
.axis { stroke: #8c959f; fill: none }
.time { stroke: #0969da; fill: #0969da }
.memory { stroke: #bc4c00; fill: #bc4c00 }
.line { fill: none; stroke-width: 1.8 }
.memory.line { stroke-dasharray: 5 3 }
.open { fill: none }
@media (prefers-color-scheme: dark) {
  text { fill: #9198a1 } .title { fill: #f0f6fc }
  .time { stroke: #58a6ff; fill: #58a6ff } .memory { stroke: #f0883e; fill: #f0883e }
  .line, .open { fill: none }
}
";

/// Draws the panels as SVG, four in a row.
pub fn svg(panels: &[Panel]) -> String {
    let columns = COLUMNS.min(panels.len().max(1));
    let (width, height) = (float(columns) * WIDTH, float(panels.len().div_ceil(COLUMNS)) * HEIGHT + LEGEND);
    let mut out = String::new();
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\">\n\
         <title>Time and memory of deciding, by size of the program</title>\n<style>\n{STYLE}</style>"
    );
    legend(&mut out);
    for (position, panel) in panels.iter().enumerate() {
        let (x, y) = (float(position % COLUMNS) * WIDTH, float(position / COLUMNS) * HEIGHT + LEGEND);
        let _ = writeln!(out, "<g transform=\"translate({x} {y})\">");
        draw(&mut out, panel);
        out.push_str("</g>\n");
    }
    out.push_str("</svg>\n");
    out
}

fn legend(out: &mut String) {
    for (x, class, words) in [(LEFT, "time", "milliseconds"), (LEFT + 140.0, "memory", "peak of memory, MiB")] {
        let _ = writeln!(
            out,
            "<path class=\"{class} line\" d=\"M{x} 18h26\"/><circle class=\"{class}\" cx=\"{}\" cy=\"18\" r=\"2.6\"/><text x=\"{}\" y=\"22\">{words}</text>",
            x + 13.0,
            x + 32.0
        );
    }
    let x = LEFT + 330.0;
    let _ = writeln!(
        out,
        "<circle class=\"time open\" cx=\"{x}\" cy=\"18\" r=\"3\"/><text x=\"{}\" y=\"22\">undecided at the limit · both axes logarithmic, size n to the right</text>",
        x + 9.0
    );
}

fn draw(out: &mut String, panel: &Panel) {
    let _ = writeln!(out, "<text class=\"title\" x=\"{LEFT}\" y=\"18\">{}</text>", escaped(&panel.title));
    for power in LOWEST..=HIGHEST {
        let y = up(10f64.powi(power));
        let label = if power < 0 { "0.1".to_owned() } else { 10u32.pow(power.unsigned_abs()).to_string() };
        let _ = writeln!(
            out,
            "<path class=\"grid\" d=\"M{LEFT} {y:.1}H{RIGHT}\"/><text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
            LEFT - 5.0,
            y + 4.0
        );
    }
    let _ = writeln!(out, "<path class=\"axis\" d=\"M{LEFT} {TOP}V{BOTTOM}H{RIGHT}\"/>");
    let (Some(first), Some(last)) = (panel.points.first(), panel.points.last()) else { return };
    let (low, high) = (f64::from(first.n.max(1)).log10(), f64::from(last.n.max(1)).log10());
    let along = |n: u32| {
        let share = if high > low { (f64::from(n.max(1)).log10() - low) / (high - low) } else { 0.5 };
        LEFT + 10.0 + share * (RIGHT - LEFT - 20.0)
    };
    labels(out, panel, along(last.n), &along);
    let series: [(&str, Measure); 2] = [("memory", |point| point.mib), ("time", |point| Some(point.ms))];
    for (class, value) in series {
        let places: Vec<(f64, f64, &GrowthPoint)> =
            panel.points.iter().filter_map(|point| value(point).map(|value| (along(point.n), up(value), point))).collect();
        let path: Vec<String> = places.iter().map(|(x, y, _)| format!("{x:.1} {y:.1}")).collect();
        let _ = writeln!(out, "<path class=\"{class} line\" d=\"M{}\"/>", path.join("L"));
        for (x, y, point) in places {
            let open = if point.decided || class == "memory" { "" } else { " open" };
            let _ = writeln!(out, "<circle class=\"{class}{open}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.6\"/>");
        }
    }
}

/// The sizes under the axis, as far as there is room for them.
fn labels(out: &mut String, panel: &Panel, end: f64, along: &dyn Fn(u32) -> f64) {
    let mut free = f64::MIN;
    for (position, point) in panel.points.iter().enumerate() {
        let x = along(point.n);
        let half = float(point.n.to_string().len()) * 3.4 + 3.0;
        let is_last = position + 1 == panel.points.len();
        let last_half = panel.points.last().map_or(0.0, |last| float(last.n.to_string().len()) * 3.4 + 3.0);
        if x - half < free || (!is_last && x + half > end - last_half) {
            continue;
        }
        free = x + half;
        let _ = writeln!(
            out,
            "<path class=\"axis\" d=\"M{x:.1} {BOTTOM}v4\"/><text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            BOTTOM + 16.0,
            point.n
        );
    }
}

/// The height of a value.
fn up(value: f64) -> f64 {
    let (low, high) = (f64::from(LOWEST), f64::from(HIGHEST));
    let share = (value.max(f64::MIN_POSITIVE).log10().clamp(low, high) - low) / (high - low);
    BOTTOM - share * (BOTTOM - TOP)
}

fn float(number: usize) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
}

/// What is drawn of a point.
type Measure = fn(&GrowthPoint) -> Option<f64>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_panel_and_point_is_drawn() {
        let point = |n: u32, decided| GrowthPoint { n, ms: f64::from(n), mib: Some(3.0), decided };
        let panel = |title: &str| Panel { title: title.to_owned(), points: vec![point(2, true), point(20, true), point(200, false)] };
        let drawn = svg(&[panel("a<b"), panel("c")]);
        assert!(drawn.contains("a&lt;b"));
        assert_eq!(drawn.matches("<g ").count(), 2);
        assert_eq!(drawn.matches("</g>").count(), 2);
        // Three in the legend, then two series of three points each.
        assert_eq!(drawn.matches("<circle").count(), 3 + 2 * 2 * 3);
        assert_eq!(drawn.matches("class=\"time open\"").count(), 1 + 2);
    }

    #[test]
    fn odd_values_stay_inside() {
        for value in [0.0, 1e-9, 0.1, 1e4, 1e9] {
            assert!((TOP..=BOTTOM).contains(&up(value)), "{value}");
        }
        assert!(svg(&[Panel { title: "empty".to_owned(), points: Vec::new() }]).contains("empty"));
        assert!(!svg(&[]).contains("NaN"));
    }
}
