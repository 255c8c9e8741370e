//! Pictures as SVG: no script, no font, nothing from elsewhere.

use std::fmt::Write;

use crate::graph::Shape;
use crate::layout::{INITIAL, TOKEN, radius};
use crate::picture::{Area, DrawnEdge, DrawnNode, Picture, Point};
use crate::text::{LABEL_LINE, NODE_LINE, escaped};

/// What a picture is called, and what it shows, for those who do not see it.
#[derive(Clone, Copy, Debug)]
pub struct PictureWords<'a> {
    /// A few words.
    pub title: &'a str,
    /// A sentence or two.
    pub description: &'a str,
}

/// The style of all pictures: once in a page that holds several. Pages may set
/// the custom properties to colours of their own.
pub fn style() -> &'static str {
    include_str!("style.css")
}

impl Picture {
    /// A file, with its style. Ids begin with `prefix`, of which only letters,
    /// digits, `-` and `_` are taken.
    pub fn svg(&self, prefix: &str, words: &PictureWords<'_>) -> String {
        self.written(prefix, words, true)
    }

    /// An element for a page that holds [`style`] once.
    pub fn element(&self, prefix: &str, words: &PictureWords<'_>) -> String {
        self.written(prefix, words, false)
    }

    fn written(&self, prefix: &str, words: &PictureWords<'_>, with_style: bool) -> String {
        let prefix: String = prefix.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')).collect();
        let Self { width, height, .. } = self;
        let mut out = String::new();
        // Writing to a string does not fail.
        let _ = writeln!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"sg\" role=\"img\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
             height=\"{height}\" aria-labelledby=\"{prefix}-title {prefix}-desc\">"
        );
        let _ = writeln!(out, "<title id=\"{prefix}-title\">{}</title>", escaped(words.title));
        let _ = writeln!(out, "<desc id=\"{prefix}-desc\">{}</desc>", escaped(words.description));
        if with_style {
            let _ = writeln!(out, "<style>\n{}</style>", style());
        }
        let _ = writeln!(out, "<rect class=\"sg-paper\" width=\"{width}\" height=\"{height}\"/>");
        for edge in &self.edges {
            write_edge(&mut out, edge);
        }
        for node in &self.nodes {
            write_node(&mut out, node);
        }
        for heading in &self.headings {
            let Area { x, y, .. } = heading.area;
            let _ = writeln!(out, "<text class=\"sg-heading\" x=\"{x}\" y=\"{}\">{}</text>", y + 13, escaped(&heading.text));
        }
        if let Some(note) = &self.note {
            let Area { x, y, .. } = note.area;
            let _ = writeln!(out, "<text class=\"sg-note\" x=\"{x}\" y=\"{}\">{}</text>", y + 13, escaped(&note.text));
        }
        out.push_str("</svg>\n");
        out
    }
}

fn write_title(out: &mut String, title: Option<&str>) {
    if let Some(title) = title {
        let _ = write!(out, "<title>{}</title>", escaped(title));
    }
}

/// A triangle whose point is at `end`, where a line comes from `before`.
fn write_arrow(out: &mut String, before: Point, end: Point) {
    let Point { x, y } = end;
    let (dx, dy) = if before.y == y { ((before.x - x).signum(), 0) } else { (0, (before.y - y).signum()) };
    let (back, half) = (8, 4);
    let (x1, y1) = (x + dx * back - dy * half, y + dy * back - dx * half);
    let (x2, y2) = (x + dx * back + dy * half, y + dy * back + dx * half);
    let _ = write!(out, "<path class=\"sg-tip\" d=\"M{x} {y}L{x1} {y1}L{x2} {y2}Z\"/>");
}

fn write_edge(out: &mut String, edge: &DrawnEdge) {
    let [first, .., last] = edge.points[..] else { return };
    out.push_str("<g class=\"sg-edge\">");
    write_title(out, edge.title.as_deref());
    let mut path = format!("M{} {}", first.x, first.y);
    if edge.from == edge.to {
        // Out to the right, down, and back.
        let out_by = edge.points.get(1).map_or(0, |corner| corner.x - first.x) - 6;
        let down_by = last.y - first.y - 12;
        let _ = write!(path, "h{out_by}q6 0 6 6v{down_by}q0 6 -6 6h-{out_by}");
    } else {
        for pair in edge.points.windows(2) {
            let (from, to) = (pair[0], pair[1]);
            if from.x == to.x {
                let _ = write!(path, "V{}", to.y);
            } else {
                // Leaves and arrives vertically, and stays between the two.
                let middle = from.y + (to.y - from.y) / 2;
                let _ = write!(path, "C{} {middle} {} {middle} {} {}", from.x, to.x, to.x, to.y);
            }
        }
    }
    let _ = write!(out, "<path class=\"sg-line\" d=\"{path}\"/>");
    if let [.., before, _] = edge.points[..] {
        write_arrow(out, if edge.from == edge.to { before } else { Point { x: last.x, y: before.y } }, last);
    }
    if let [_, after, ..] = edge.points[..]
        && edge.both
    {
        write_arrow(out, Point { x: first.x, y: after.y }, first);
    }
    if let Some(label) = &edge.label {
        let mut y = label.area.y + 11;
        out.push_str("<text>");
        for line in &label.lines {
            let _ = write!(out, "<tspan x=\"{}\" y=\"{y}\">{}</tspan>", label.area.x, escaped(line));
            y += LABEL_LINE;
        }
        out.push_str("</text>");
    }
    out.push_str("</g>\n");
}

fn write_node(out: &mut String, node: &DrawnNode) {
    let Area { x, y, width, height } = node.area;
    let shape = match node.shape {
        Shape::Global => "global",
        Shape::Local => "local",
        Shape::Answer => "answer",
        Shape::Request => "request",
        Shape::Place => "place",
        Shape::Bar => "bar",
    };
    let many = if node.count > 1 { " sg-many" } else { "" };
    let class = if node.class.is_empty() { String::new() } else { format!(" sg-{}", node.class) };
    let _ = write!(out, "<g class=\"sg-node sg-{shape}{many}{class}\">");
    write_title(out, node.title.as_deref());
    let round = radius(node.shape, height);
    let _ = write!(out, "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"{round}\"/>");
    if node.accepting {
        let (x, y, width, height) = (x + 3, y + 3, width - 6, height - 6);
        let _ = write!(
            out,
            "<rect class=\"sg-inside\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"{}\"/>",
            (round - 2).max(0)
        );
    }
    let middle_y = y + height / 2;
    if node.initial {
        let _ = write!(out, "<path class=\"sg-line\" d=\"M{} {middle_y}H{x}\"/>", x - INITIAL + 4);
        write_arrow(out, Point { x: x - INITIAL, y: middle_y }, Point { x, y: middle_y });
    }
    let mut middle_x = x + width / 2;
    if node.token {
        let _ = write!(out, "<circle class=\"sg-token\" cx=\"{}\" cy=\"{middle_y}\" r=\"5\"/>", x + TOKEN);
        middle_x += TOKEN / 2;
    }
    let lines = i32::try_from(node.lines.len()).unwrap_or(i32::MAX);
    let mut line_y = y + (height - lines.saturating_mul(NODE_LINE)) / 2 + 13;
    out.push_str("<text>");
    for (at, line) in node.lines.iter().enumerate() {
        let minor = if at > 0 { " class=\"sg-minor\"" } else { "" };
        let _ = write!(out, "<tspan x=\"{middle_x}\" y=\"{line_y}\"{minor}>{}</tspan>", escaped(line));
        line_y += NODE_LINE;
    }
    out.push_str("</text></g>\n");
}
