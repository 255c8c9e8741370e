//! From a graph to a picture.
//!
//! Parts of the graph that no edge joins are laid out on their own and put side
//! by side, section by section.

mod panel;
mod sizes;

use crate::graph::Graph;
use crate::group::{Bunches, bunches};
use crate::picture::{Area, DrawnLabel, Heading, Picture, Point};
use crate::text;
use crate::union_find::find;
use panel::Panel;

pub(crate) use panel::INITIAL;
pub(crate) use sizes::{TOKEN, radius};

/// The border around everything.
const MARGIN: i32 = 12;
/// The room between parts that no edge joins.
const PANEL_GAP: i32 = 34;
/// From the top of one heading to what it is about.
const HEADING: i32 = 28;
/// Pictures are as wide as this, where that makes rows of parts, or wider.
const FAIR_WIDTH: i32 = 900;

/// A number of things as a coordinate. There are few of them.
fn int(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}

/// Gives everything in a graph its place.
pub fn draw(graph: &Graph) -> Picture {
    let Bunches { bunches, lines } = bunches(graph);
    let mut picture = Picture {
        width: 0,
        height: MARGIN,
        nodes: Vec::new(),
        edges: Vec::new(),
        headings: Vec::new(),
        note: None,
        node_count: graph.nodes.len(),
        edge_count: graph.edges.len(),
    };
    let count = bunches.len();
    let parts = parts(count, lines.iter().map(|line| (line.from, line.to)));
    let mut sections: Vec<usize> = bunches.iter().map(|bunch| bunch.section).collect();
    sections.sort_unstable();
    sections.dedup();
    // Where each box of the graph is in the picture.
    let mut place = vec![0_usize; count];
    for &section in &sections {
        if sections.len() > 1
            && let Some(heading) = graph.sections.get(section)
        {
            let text = text::shortened(&text::clean(heading), text::NODE_SIZE, FAIR_WIDTH);
            // Headings are bold, which is wider by less than a sixth.
            let width = text::width(&text, text::NODE_SIZE + 2).max(1);
            let area = Area { x: MARGIN, y: picture.height, width, height: text::NODE_LINE };
            picture.width = picture.width.max(area.right());
            picture.headings.push(Heading { area, text });
            picture.height += HEADING;
        }
        // A part lies in one section, but for boxes that stand for several sections.
        let panels: Vec<(Panel, &Vec<usize>)> = parts
            .iter()
            .filter(|part| bunches[part[0]].section == section)
            .map(|part| (Panel::new(part, &bunches, &lines), part))
            .collect();
        let widest = panels.iter().map(|(panel, _)| panel.width).max().unwrap_or(0).max(FAIR_WIDTH);
        let (mut x, mut tallest) = (MARGIN, 0);
        for (panel, part) in panels {
            if x > MARGIN && x + panel.width > MARGIN + widest {
                picture.height += tallest + PANEL_GAP;
                (x, tallest) = (MARGIN, 0);
            }
            let by = Point { x, y: picture.height };
            for (node, &bunch) in panel.nodes.into_iter().zip(part) {
                place[bunch] = picture.nodes.len();
                let area = node.area.moved(by);
                picture.nodes.push(crate::picture::DrawnNode { area, ..node });
            }
            for mut edge in panel.edges {
                for point in &mut edge.points {
                    *point = Point { x: point.x + by.x, y: point.y + by.y };
                }
                edge.label = edge.label.map(|label| DrawnLabel { area: label.area.moved(by), ..label });
                (edge.from, edge.to) = (place[edge.from], place[edge.to]);
                picture.edges.push(edge);
            }
            picture.width = picture.width.max(x + panel.width);
            tallest = tallest.max(panel.height);
            x += panel.width + PANEL_GAP;
        }
        picture.height += tallest + PANEL_GAP;
    }
    picture.height += if sections.is_empty() { 0 } else { MARGIN - PANEL_GAP };
    let note = if graph.nodes.is_empty() {
        Some(format!("no {}", graph.noun))
    } else if picture.is_grouped() {
        let (boxes, nodes) = (picture.nodes.len(), picture.node_count);
        Some(format!("grouped: {boxes} boxes for {nodes} {}", graph.noun))
    } else {
        None
    };
    if let Some(text) = note {
        let text = text::shortened(&text::clean(&text), text::NODE_SIZE, FAIR_WIDTH);
        let width = text::width(&text, text::NODE_SIZE).max(1);
        let area = Area { x: MARGIN, y: picture.height, width, height: text::NODE_LINE };
        picture.width = picture.width.max(area.right());
        picture.height = area.bottom() + MARGIN;
        picture.note = Some(Heading { area, text });
    }
    picture.width += MARGIN;
    picture
}

/// The parts that edges join, each in ascending order, by their first members.
fn parts(count: usize, pairs: impl Iterator<Item = (usize, usize)>) -> Vec<Vec<usize>> {
    let mut leader: Vec<usize> = (0..count).collect();
    for (a, b) in pairs {
        let (a, b) = (find(&mut leader, a), find(&mut leader, b));
        leader[a.max(b)] = a.min(b);
    }
    let mut parts: Vec<Vec<usize>> = vec![Vec::new(); count];
    for at in 0..count {
        parts[find(&mut leader, at)].push(at);
    }
    parts.retain(|part| !part.is_empty());
    parts
}
