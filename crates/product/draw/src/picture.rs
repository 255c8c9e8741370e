//! A picture as data: where everything is.

use crate::graph::Shape;
use crate::text;

/// A place in the picture, in pixels from its upper left corner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// To the right.
    pub x: i32,
    /// Down.
    pub y: i32,
}

/// A rectangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Area {
    /// Its left side.
    pub x: i32,
    /// Its upper side.
    pub y: i32,
    /// From left to right.
    pub width: i32,
    /// From top to bottom.
    pub height: i32,
}

impl Area {
    /// Its right side.
    pub fn right(&self) -> i32 {
        self.x + self.width
    }

    /// Its lower side.
    pub fn bottom(&self) -> i32 {
        self.y + self.height
    }

    /// Whether the two have more than a border in common.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.x < other.right() && other.x < self.right() && self.y < other.bottom() && other.y < self.bottom()
    }

    /// Whether `other` is within this.
    pub fn contains(&self, other: &Self) -> bool {
        self.x <= other.x && self.y <= other.y && other.right() <= self.right() && other.bottom() <= self.bottom()
    }

    /// Whether a point is on the border.
    pub fn has_on_border(&self, point: Point) -> bool {
        let is_within = self.x <= point.x && point.x <= self.right() && self.y <= point.y && point.y <= self.bottom();
        let is_at_side = point.x == self.x || point.x == self.right() || point.y == self.y || point.y == self.bottom();
        is_within && is_at_side
    }

    pub(crate) fn moved(self, by: Point) -> Self {
        Self { x: self.x + by.x, y: self.y + by.y, ..self }
    }
}

/// A node, or several in one box.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrawnNode {
    /// Its box.
    pub area: Area,
    /// What it looks like.
    pub shape: Shape,
    /// Its class for style sheets; may be empty.
    pub class: String,
    /// What stands in it.
    pub lines: Vec<String>,
    /// What is shown where the pointer rests.
    pub title: Option<String>,
    /// Whether there is an arrow from nowhere on its left.
    pub initial: bool,
    /// Whether its border is double.
    pub accepting: bool,
    /// Whether there is a token in front of the text.
    pub token: bool,
    /// How many nodes it stands for.
    pub count: usize,
}

/// The label of an edge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrawnLabel {
    /// Its box.
    pub area: Area,
    /// What stands in it.
    pub lines: Vec<String>,
}

/// An edge, or several in one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrawnEdge {
    /// The box where it begins, by its place in [`Picture::nodes`].
    pub from: usize,
    /// The box where it ends.
    pub to: usize,
    /// From border to border. Parts that are not vertical are drawn as curves within
    /// their rectangles; loops, which have four points, with round corners.
    pub points: Vec<Point>,
    /// Whether there is an arrow at the beginning, too.
    pub both: bool,
    /// The label.
    pub label: Option<DrawnLabel>,
    /// What is shown where the pointer rests.
    pub title: Option<String>,
}

/// A line of text that belongs to no box.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// Its box.
    pub area: Area,
    /// What it says.
    pub text: String,
}

/// A graph with a place for everything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// From left to right.
    pub width: i32,
    /// From top to bottom.
    pub height: i32,
    /// The boxes.
    pub nodes: Vec<DrawnNode>,
    /// The lines between them.
    pub edges: Vec<DrawnEdge>,
    /// The headings of sections.
    pub headings: Vec<Heading>,
    /// What is said at the lower border: that boxes stand for several nodes.
    pub note: Option<Heading>,
    /// How many nodes the graph has.
    pub node_count: usize,
    /// How many edges the graph has.
    pub edge_count: usize,
}

impl Picture {
    /// Whether boxes stand for several nodes.
    pub fn is_grouped(&self) -> bool {
        self.nodes.len() < self.node_count
    }

    /// Checks from scratch what pictures promise; see the head of this crate.
    ///
    /// # Panics
    /// When a promise is broken.
    pub fn check_invariants(&self) {
        let whole = Area { x: 0, y: 0, width: self.width, height: self.height };
        let texts = self.headings.iter().chain(&self.note);
        let labels: Vec<&DrawnLabel> = self.edges.iter().filter_map(|edge| edge.label.as_ref()).collect();
        let mut areas: Vec<(Area, String)> = self.nodes.iter().map(|node| (node.area, node.lines.join(" "))).collect();
        areas.extend(labels.iter().map(|label| (label.area, label.lines.join(" "))));
        areas.extend(texts.clone().map(|heading| (heading.area, heading.text.clone())));
        for (index, (area, name)) in areas.iter().enumerate() {
            assert!(area.width > 0 && area.height > 0 && whole.contains(area), "{name} is outside: {area:?} in {whole:?}");
            for (other, other_name) in &areas[..index] {
                assert!(!area.overlaps(other), "{name} overlaps {other_name}: {area:?} {other:?}");
            }
        }
        let fits = |lines: &[String], size: i32, line: i32, area: &Area, room: i32| {
            let height = i32::try_from(lines.len()).unwrap_or(i32::MAX).saturating_mul(line);
            assert!(height <= area.height, "{lines:?} is cut: {area:?}");
            assert!(lines.iter().all(|line| text::width(line, size) + room <= area.width), "{lines:?} is cut: {area:?}");
        };
        for node in &self.nodes {
            fits(&node.lines, text::NODE_SIZE, text::NODE_LINE, &node.area, 8);
        }
        for label in &labels {
            fits(&label.lines, text::LABEL_SIZE, text::LABEL_LINE, &label.area, 0);
        }
        for heading in texts {
            fits(std::slice::from_ref(&heading.text), text::NODE_SIZE, text::NODE_LINE, &heading.area, 0);
        }
        for edge in &self.edges {
            let (Some(first), Some(last)) = (edge.points.first(), edge.points.last()) else { panic!("a line without points") };
            let (from, to) = (&self.nodes[edge.from], &self.nodes[edge.to]);
            assert!(from.area.has_on_border(*first), "{:?} begins beside its box {:?}", edge.points, from.area);
            assert!(to.area.has_on_border(*last), "{:?} ends beside its box {:?}", edge.points, to.area);
            for pair in edge.points.windows(2) {
                let (left, right) = (pair[0].x.min(pair[1].x), pair[0].x.max(pair[1].x));
                let (top, bottom) = (pair[0].y.min(pair[1].y), pair[0].y.max(pair[1].y));
                // At least so wide that an area that it runs through is one that it overlaps.
                let part = Area { x: left, y: top, width: (right - left).max(1), height: (bottom - top).max(1) };
                let is_within = whole.contains(&Area { width: right - left, height: bottom - top, ..part });
                assert!(is_within, "{:?} is outside", edge.points);
                for (area, name) in &areas {
                    // A line along a border runs through nothing.
                    let inside = Area { x: area.x + 1, y: area.y + 1, width: area.width - 2, height: area.height - 2 };
                    assert!(!part.overlaps(&inside), "{:?} runs through {name}: {area:?}", edge.points);
                }
            }
        }
    }
}
