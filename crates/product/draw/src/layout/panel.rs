//! The layout of a part in which edges join everything.

use super::int;
use super::sizes::{self, LabelSize, NodeSize, radius};
use crate::graph::Shape;
use crate::group::{Bunch, Line};
use crate::layers::{Span, layers};
use crate::order::Layered;
use crate::picture::{Area, DrawnEdge, DrawnLabel, DrawnNode, Point};
use crate::place::{HorizontalReach, places};

/// The room that the arrow into an initial box takes on its left.
pub(crate) const INITIAL: i32 = 24;
/// How far a loop reaches out of its box.
const LOOP: i32 = 18;
/// Half the height of a loop.
const LOOP_HALF: i32 = 7;
/// The room between a line and its label.
const LABEL_GAP: i32 = 5;
/// Between layers: at least; how many pixels across make it one larger; at most.
const LAYER_GAP: i32 = 22;
const SLOPE: i32 = 9;
const MOST_LAYER_GAP: i32 = 84;
/// Between the ends of lines at a box.
const PORT_GAP: i32 = 12;

/// A part with its places, the upper left corner at 0, 0.
pub(super) struct Panel {
    pub(super) width: i32,
    pub(super) height: i32,
    /// In the order of the part.
    pub(super) nodes: Vec<DrawnNode>,
    /// Their ends are boxes of the whole graph.
    pub(super) edges: Vec<DrawnEdge>,
}

/// A line that is not a loop, downwards: from the box above through vertices to
/// the box below.
struct Chain {
    line: usize,
    turned: bool,
    /// The vertices, those of the boxes included.
    vertices: Vec<usize>,
    /// Which of them is the label.
    label: Option<usize>,
}

struct Builder<'a> {
    part: &'a [usize],
    bunches: &'a [Bunch],
    lines: &'a [Line],
    /// The lines within this part.
    own: Vec<usize>,
    nodes: Vec<NodeSize>,
    labels: Vec<(Option<LabelSize>, Option<String>)>,
    chains: Vec<Chain>,
    graph: Layered,
    reach: Vec<HorizontalReach>,
    height: Vec<i32>,
    x: Vec<i32>,
    /// The upper and lower sides of layers.
    bands: Vec<(i32, i32)>,
    layer: Vec<usize>,
}

impl Panel {
    pub(super) fn new(part: &[usize], bunches: &[Bunch], lines: &[Line]) -> Self {
        let is_own = |line: &usize| part.binary_search(&lines[*line].from).is_ok();
        let own: Vec<usize> = (0..lines.len()).filter(is_own).collect();
        let labels: Vec<_> = own.iter().map(|&line| sizes::label(&lines[line])).collect();
        let mut builder = Builder {
            part,
            bunches,
            lines,
            own,
            nodes: Vec::new(),
            labels,
            chains: Vec::new(),
            graph: Layered { layers: Vec::new(), up: Vec::new(), down: Vec::new() },
            reach: Vec::new(),
            height: Vec::new(),
            x: Vec::new(),
            bands: Vec::new(),
            layer: Vec::new(),
        };
        builder.make_layers();
        builder.first_order();
        builder.graph.order();
        builder.x = places(&builder.graph, &builder.reach);
        builder.stack();
        builder.finish()
    }
}

impl Builder<'_> {
    /// Where a box of the graph is in this part.
    fn local(&self, bunch: usize) -> usize {
        self.part.partition_point(|&other| other < bunch)
    }

    /// Whether one begins to read at a box.
    fn is_root(&self, node: usize) -> bool {
        let bunch = &self.bunches[self.part[node]];
        bunch.initial || bunch.tokens > 0
    }

    fn ends(&self, index: usize) -> (usize, usize) {
        let line = &self.lines[self.own[index]];
        (self.local(line.from), self.local(line.to))
    }

    fn vertex(&mut self, layer: usize, reach: HorizontalReach, height: i32) -> usize {
        self.reach.push(reach);
        self.height.push(height);
        self.layer.push(layer);
        self.graph.up.push(Vec::new());
        self.graph.down.push(Vec::new());
        self.reach.len() - 1
    }

    /// Vertices for boxes, labels and lines that pass.
    fn make_layers(&mut self) {
        let proper: Vec<usize> = (0..self.own.len()).filter(|&index| self.ends(index).0 != self.ends(index).1).collect();
        let spans: Vec<Span> = proper
            .iter()
            .map(|&index| {
                let (from, to) = self.ends(index);
                Span { from, to, least: if self.labels[index].0.is_some() { 2 } else { 1 } }
            })
            .collect();
        let roots: Vec<usize> = (0..self.part.len()).filter(|&node| self.is_root(node)).collect();
        let found = layers(self.part.len(), &spans, &roots);
        // How many lines end below and above each box.
        let mut ports = vec![(0, 0); self.part.len()];
        for (span, &turned) in spans.iter().zip(&found.turned) {
            let (above, below) = if turned { (span.to, span.from) } else { (span.from, span.to) };
            ports[above].0 += 1;
            ports[below].1 += 1;
        }
        let sizes = self.part.iter().zip(ports).map(|(&bunch, (below, above))| sizes::node(&self.bunches[bunch], below.max(above)));
        self.nodes = sizes.collect();
        for node in 0..self.part.len() {
            let NodeSize { width, height, .. } = self.nodes[node];
            let mut reach = HorizontalReach { left: width / 2, right: width / 2, is_inner: false };
            let mut tall = height;
            if self.bunches[self.part[node]].initial {
                reach.left += INITIAL;
            }
            if let Some(index) = (0..self.own.len()).find(|&index| self.ends(index) == (node, node)) {
                reach.right += LOOP;
                if let Some(label) = &self.labels[index].0 {
                    reach.right += LABEL_GAP + label.width;
                    tall = tall.max(label.height);
                }
            }
            self.vertex(found.layer[node], reach, tall);
        }
        for ((&index, span), &turned) in proper.iter().zip(&spans).zip(&found.turned) {
            let (above, below) = if turned { (span.to, span.from) } else { (span.from, span.to) };
            let (first, last) = (found.layer[above], found.layer[below]);
            let middle = first + (last - first).div_ceil(2);
            let mut chain = Chain { line: index, turned, vertices: vec![above], label: None };
            for layer in first + 1..last {
                let mut vertex = (HorizontalReach { is_inner: true, ..HorizontalReach::default() }, 0);
                if layer == middle
                    && let Some(label) = &self.labels[index].0
                {
                    vertex.0.right = LABEL_GAP + label.width;
                    vertex.1 = label.height;
                    chain.label = Some(chain.vertices.len());
                }
                chain.vertices.push(self.vertex(layer, vertex.0, vertex.1));
            }
            chain.vertices.push(below);
            for pair in chain.vertices.windows(2) {
                self.graph.down[pair[0]].push(pair[1]);
                self.graph.up[pair[1]].push(pair[0]);
            }
            self.chains.push(chain);
        }
    }

    /// Vertices as they are met when one walks down and up from the first.
    fn first_order(&mut self) {
        let count = self.layer.iter().max().map_or(0, |last| last + 1);
        self.graph.layers = vec![Vec::new(); count];
        let mut seen = vec![false; self.layer.len()];
        let mut starts: Vec<usize> = (0..self.layer.len()).collect();
        starts.sort_by_key(|&vertex| self.layer[vertex]);
        for start in starts {
            let mut stack = vec![start];
            while let Some(vertex) = stack.pop() {
                if std::mem::replace(&mut seen[vertex], true) {
                    continue;
                }
                self.graph.layers[self.layer[vertex]].push(vertex);
                stack.extend(self.graph.up[vertex].iter().rev());
                stack.extend(self.graph.down[vertex].iter().rev());
            }
        }
    }

    /// Layers below each other, with more room where lines go far across.
    fn stack(&mut self) {
        let mut y = 0;
        for layer in &self.graph.layers {
            let height = layer.iter().map(|&vertex| self.height[vertex]).max().unwrap_or(0);
            self.bands.push((y, y + height));
            let across = layer.iter().flat_map(|&vertex| {
                let x = self.x[vertex];
                self.graph.down[vertex].iter().map(move |&below| (x, below))
            });
            let across = across.map(|(x, below)| (x - self.x[below]).abs()).max().unwrap_or(0);
            y += height + (LAYER_GAP + across / SLOPE).min(MOST_LAYER_GAP);
        }
    }

    /// The box of a vertex that stands for one.
    fn area(&self, node: usize) -> Area {
        let NodeSize { width, height, .. } = self.nodes[node];
        let (top, bottom) = self.bands[self.layer[node]];
        Area { x: self.x[node] - width / 2, y: top + (bottom - top - height) / 2, width, height }
    }

    /// Where lines end at the lower (or upper) sides of boxes: as near as possible to where they come from.
    fn ports(&self, is_lower: bool, beyond: &[i32]) -> Vec<i32> {
        let mut ports = vec![0; self.chains.len()];
        let end = |chain: &Chain| if is_lower { chain.vertices[0] } else { chain.vertices[chain.vertices.len() - 1] };
        for node in 0..self.part.len() {
            let mut here: Vec<usize> = (0..self.chains.len()).filter(|&chain| end(&self.chains[chain]) == node).collect();
            here.sort_by_key(|&chain| (beyond[chain], chain));
            let area = self.area(node);
            let inset = (radius(self.bunches[self.part[node]].shape, area.height) + 3).min(area.width / 2);
            let (left, right) = (area.x + inset, area.right() - inset);
            let gaps = int(here.len().saturating_sub(1)).max(1);
            let gap = PORT_GAP.min((right - left) / gaps);
            // From the left each keeps its distance to the one before, then from the right to the border.
            let mut least = left;
            let mut at: Vec<i32> = Vec::with_capacity(here.len());
            for &chain in &here {
                at.push(beyond[chain].max(least));
                least = beyond[chain].max(least) + gap;
            }
            let mut most = right;
            for place in at.iter_mut().rev() {
                *place = (*place).min(most);
                most = *place - gap;
            }
            for (&chain, place) in here.iter().zip(at) {
                ports[chain] = place;
            }
        }
        ports
    }

    fn finish(self) -> Panel {
        let next: Vec<i32> = self.chains.iter().map(|chain| self.x[chain.vertices[1]]).collect();
        let starts = self.ports(true, &next);
        let before = |chain: &Chain, start: i32| {
            if chain.vertices.len() == 2 { start } else { self.x[chain.vertices[chain.vertices.len() - 2]] }
        };
        let previous: Vec<i32> = self.chains.iter().zip(&starts).map(|(chain, &start)| before(chain, start)).collect();
        let ends = self.ports(false, &previous);

        let mut edges = Vec::new();
        for ((chain, &start), &end) in self.chains.iter().zip(&starts).zip(&ends) {
            let last = chain.vertices.len() - 1;
            let mut points = Vec::new();
            let mut label = None;
            for (at, &vertex) in chain.vertices.iter().enumerate() {
                let (top, bottom) = self.bands[self.layer[vertex]];
                let (x, top, bottom) = match at {
                    0 => (start, self.area(vertex).bottom(), bottom),
                    _ if at == last => (end, top, self.area(vertex).y),
                    _ => (self.x[vertex], top, bottom),
                };
                points.extend([Point { x, y: top }, Point { x, y: bottom }]);
                if chain.label == Some(at)
                    && let Some(LabelSize { width, height, lines }) = &self.labels[chain.line].0
                {
                    let area = Area { x: x + LABEL_GAP, y: top + (bottom - top - height) / 2, width: *width, height: *height };
                    label = Some(DrawnLabel { area, lines: lines.clone() });
                }
            }
            let mut points = straightened(points);
            if chain.turned {
                points.reverse();
            }
            edges.push(self.edge(chain.line, points, label));
        }
        for index in (0..self.own.len()).filter(|&index| self.ends(index).0 == self.ends(index).1) {
            let area = self.area(self.ends(index).0);
            let (right, middle) = (area.right(), area.y + area.height / 2);
            let (above, below) = (middle - LOOP_HALF, middle + LOOP_HALF);
            let corners = [(right, above), (right + LOOP, above), (right + LOOP, below), (right, below)];
            let points = corners.into_iter().map(|(x, y)| Point { x, y }).collect();
            let label = self.labels[index].0.as_ref().map(|LabelSize { width, height, lines }| DrawnLabel {
                area: Area { x: right + LOOP + LABEL_GAP, y: middle - height / 2, width: *width, height: *height },
                lines: lines.clone(),
            });
            edges.push(self.edge(index, points, label));
        }
        let width = self.x.iter().zip(&self.reach).map(|(x, reach)| x + reach.right).max().unwrap_or(0);
        let height = self.bands.last().map_or(0, |band| band.1);
        let areas: Vec<Area> = (0..self.part.len()).map(|node| self.area(node)).collect();
        let nodes = self.nodes.into_iter().zip(areas).zip(self.part).map(|((size, area), &bunch)| {
            let Bunch { shape, class, initial, accepting, tokens, count, .. } = self.bunches[bunch].clone();
            let accepting = accepting || shape == Shape::Answer;
            DrawnNode { area, shape, class, lines: size.lines, title: size.title, initial, accepting, token: tokens == 1, count }
        });
        Panel { width, height, nodes: nodes.collect(), edges }
    }

    fn edge(&self, index: usize, points: Vec<Point>, label: Option<DrawnLabel>) -> DrawnEdge {
        let Line { from, to, both, .. } = self.lines[self.own[index]];
        DrawnEdge { from, to, points, both, label, title: self.labels[index].1.clone() }
    }
}

/// Without points that change nothing: those twice in a row, and those in the
/// middle of vertical lines.
fn straightened(points: Vec<Point>) -> Vec<Point> {
    let mut kept: Vec<Point> = Vec::with_capacity(points.len());
    for point in points {
        if kept.last() == Some(&point) {
            continue;
        }
        if let [.., before, last] = kept[..]
            && before.x == last.x
            && last.x == point.x
        {
            kept.pop();
        }
        kept.push(point);
    }
    kept
}
