//! How large boxes and labels are, and what stands in them.

use super::int;
use crate::graph::Shape;
use crate::group::{Bunch, Line};
use crate::text::{self, LABEL_LINE, LABEL_SIZE, NODE_LINE, NODE_SIZE};

/// The widest line of text in a box.
const NODE_TEXT: i32 = 180;
/// The most lines in a box.
const NODE_LINES: usize = 5;
/// The widest line of text at an edge.
const LABEL_TEXT: i32 = 150;
/// The most labels at an edge; where there are more, the last says how many.
const LABELS: usize = 4;
/// The most lines of a label.
const LABEL_LINES: usize = 3;
/// The most lines of what is shown where the pointer rests; a reader reads no more.
const TITLE_LINES: usize = 200;
/// The widest that a box gets for the lines that end at it.
const MOST_WIDTH: i32 = 320;
/// The room that a token takes in front of the text.
pub(crate) const TOKEN: i32 = 16;

/// A box without a place.
pub(super) struct NodeSize {
    pub(super) width: i32,
    pub(super) height: i32,
    pub(super) lines: Vec<String>,
    pub(super) title: Option<String>,
}

/// A label without a place.
pub(super) struct LabelSize {
    pub(super) width: i32,
    pub(super) height: i32,
    pub(super) lines: Vec<String>,
}

/// How round the corners of a box are.
pub(crate) fn radius(shape: Shape, height: i32) -> i32 {
    match shape {
        Shape::Request | Shape::Place => height / 2,
        Shape::Global => 12.min(height / 2),
        Shape::Local | Shape::Answer => 5,
        Shape::Bar => 1,
    }
}

/// Cleans each line of a text.
fn clean(text: &str) -> String {
    text.split('\n').map(text::clean).collect::<Vec<_>>().join("\n")
}

/// Whether lines do not say all of a text. Breaks between words lose nothing; three dots do.
fn is_cut(lines: &[String], text: &str) -> bool {
    lines.concat().replace(' ', "") != text.replace([' ', '\n'], "")
}

/// A box to which at most `ports` lines go on one side.
pub(super) fn node(bunch: &Bunch, ports: usize) -> NodeSize {
    let mut text = clean(&bunch.label);
    if bunch.tokens > 1 {
        text = format!("{text}\n{} tokens", bunch.tokens);
    }
    let lines = text::wrapped(&text, NODE_SIZE, NODE_TEXT, NODE_LINES);
    let title = bunch.title.as_deref().map(clean).or_else(|| is_cut(&lines, &text).then_some(text));
    let (across, down) = match bunch.shape {
        Shape::Bar => (8, 3),
        Shape::Request | Shape::Place => (14, 7),
        Shape::Answer => (12, 8),
        Shape::Global | Shape::Local => (11, 7),
    };
    // Room for the inner border.
    let (across, down) = if bunch.accepting && bunch.shape != Shape::Answer { (across + 3, down + 3) } else { (across, down) };
    let height = int(lines.len()) * NODE_LINE + 2 * down;
    let token = if bunch.tokens == 1 { TOKEN } else { 0 };
    let text_width = lines.iter().map(|line| text::width(line, NODE_SIZE)).max().unwrap_or(0);
    let least = if bunch.shape == Shape::Bar { 30 } else { height + 6 };
    let for_ports = (int(ports).saturating_mul(10).saturating_add(2 * radius(bunch.shape, height))).min(MOST_WIDTH);
    // An even width, so that there is a middle.
    let width = (text_width + 2 * across + token).max(least).max(for_ports);
    NodeSize { width: width + width % 2, height, lines, title }
}

/// The label of a line, and its title where the label does not say all.
pub(super) fn label(line: &Line) -> (Option<LabelSize>, Option<String>) {
    let full: Vec<String> = line.labels.iter().flat_map(|label| label.split('\n')).map(text::clean).collect();
    let shown = if full.len() > LABELS { LABELS - 1 } else { full.len() };
    // Several labels have a line or two each, one alone has room.
    let most = if shown > 1 { LABEL_LINES - 1 } else { LABEL_LINES };
    let mut lines: Vec<String> = full[..shown].iter().flat_map(|text| text::wrapped(text, LABEL_SIZE, LABEL_TEXT, most)).collect();
    if shown < full.len() {
        lines.push(format!("+ {} more", full.len() - shown));
    }
    let mut title = line.title.iter().take(TITLE_LINES).map(|text| clean(text)).collect::<Vec<_>>().join("\n");
    if let Some(more) = line.title.len().checked_sub(TITLE_LINES + 1) {
        title.push_str(&format!("\nand {} more", more + 1));
    }
    let title = (!title.is_empty() && title != full.join("\n") || is_cut(&lines, &full.join("\n"))).then_some(title);
    if lines.iter().all(String::is_empty) {
        return (None, title);
    }
    let width = lines.iter().map(|text| text::width(text, LABEL_SIZE)).max().unwrap_or(0).max(1);
    (Some(LabelSize { width, height: int(lines.len()) * LABEL_LINE, lines }), title)
}
