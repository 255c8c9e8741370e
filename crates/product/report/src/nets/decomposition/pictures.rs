//! Trees, pieces and covering graphs as pictures.

use std::collections::BTreeMap;
use std::fmt::Write;

use serval_draw::{Edge, Graph, GraphNode, Picture, PictureWords, SectionId, Shape, draw};

use super::{TreeFate, TreeGraph, TreeNode, TreeReport};
use crate::escape::{dot, name};

impl TreeReport {
    /// The tree for Graphviz.
    pub fn to_dot(&self) -> String {
        let mut out = "digraph decomposition {\n  node [shape=box, fontsize=10];\n".to_owned();
        for node in &self.nodes {
            // Writing to a string does not fail.
            let _ = writeln!(out, "  n{} [label={}];", node.number, dot(&format!("{}. {}", node.number, node.said)));
        }
        for node in &self.nodes {
            if let Some(parent) = node.parent {
                let _ = writeln!(out, "  n{parent} -> n{} [label=\"{}\"];", node.number, node.case);
            }
        }
        out.push_str("}\n");
        out
    }

    /// The tree as a picture.
    pub(super) fn picture(&self) -> Picture {
        let mut graph = Graph::new("sequences");
        let boxes: Vec<_> = self
            .nodes
            .iter()
            .map(|node| {
                let shape = match node.fate {
                    TreeFate::Refuted => Shape::Local,
                    TreeFate::Perfect => Shape::Answer,
                    _ => Shape::Global,
                };
                let label = format!("{}\n{}", node.number, broken(&node.said));
                graph.node(GraphNode::new(shape, label).title(node.in_short()))
            })
            .collect();
        for (at, node) in self.nodes.iter().enumerate() {
            if let Some(&parent) = node.parent.and_then(|parent| boxes.get(parent)) {
                graph.edge(Edge::new(parent, boxes[at]));
            }
        }
        draw(&graph)
    }

    /// The tree as a file.
    pub fn to_svg(&self) -> String {
        let title = format!("Decomposition for {}", self.target);
        let description = "Each box is a sequence, with its number and what became of it; lines lead to what replaces it.";
        self.picture().svg("tree", &PictureWords { title: &title, description })
    }
}

/// Words in lines that are not too long.
fn broken(text: &str) -> String {
    let (mut out, mut length) = (String::new(), 0);
    for word in text.split(' ') {
        if length > 0 {
            let is_long = length + word.chars().count() > 22;
            out.push(if is_long { '\n' } else { ' ' });
            length = if is_long { 0 } else { length + 1 };
        }
        out.push_str(word);
        length += word.chars().count();
    }
    out
}

/// Adds a graph; arcs between the same vertices are one line with all their names.
fn add(graph: &mut Graph, section: SectionId, part: &TreeGraph) {
    let vertices: Vec<_> = part
        .vertices
        .iter()
        .enumerate()
        .map(|(vertex, label)| {
            let node = GraphNode::new(Shape::Global, label.clone()).title(label.clone()).section(section);
            let node = if Some(vertex) == part.entry { node.initial() } else { node };
            graph.node(if Some(vertex) == part.exit { node.accepting() } else { node })
        })
        .collect();
    let mut between: BTreeMap<(usize, usize), Vec<&str>> = BTreeMap::new();
    for (from, transition, to) in &part.arcs {
        between.entry((*from, *to)).or_default().push(transition);
    }
    for ((from, to), transitions) in between {
        if let (Some(&from), Some(&to)) = (vertices.get(from), vertices.get(to)) {
            let labels: Vec<_> = transitions.iter().map(|transition| name(transition)).collect();
            graph.edge(labels.iter().fold(Edge::new(from, to), |edge, label| edge.label(label.to_string())));
        }
    }
}

impl TreeNode {
    /// The pieces, and the covering graph if there is one.
    pub(super) fn picture(&self) -> Picture {
        let mut graph = Graph::new("vertices");
        for (number, piece) in self.pieces.iter().enumerate() {
            let joint = self.joints.get(number).map_or_else(String::new, |joint| format!(", then {}", name(joint)));
            let section = graph.section(format!("piece {}: from {} to {}{joint}", number + 1, piece.first, piece.last));
            add(&mut graph, section, &piece.graph);
        }
        if let Some(covering) = &self.covering {
            let from = if self.fate == TreeFate::Backward { "from its end" } else { "from its beginning" };
            let section = graph.section(format!("covering graph, {from}"));
            add(&mut graph, section, covering);
        }
        draw(&graph)
    }

    /// What the picture is called and shows.
    pub(super) fn picture_words(&self) -> (String, &'static str) {
        let description = "Boxes are vertices with their labels, in which ω is any number; an arrow from nowhere marks the entry, a double border the exit.";
        (format!("Sequence {}", self.number), description)
    }

    /// The pieces, and the covering graph if there is one, as a file.
    pub fn to_svg(&self) -> String {
        let (title, description) = self.picture_words();
        self.picture().svg("sequence", &PictureWords { title: &title, description })
    }

    /// The same for Graphviz.
    pub fn to_dot(&self) -> String {
        let mut out = format!("digraph sequence{} {{\n  node [shape=box, fontsize=10];\n", self.number);
        let pieces = self.pieces.iter().enumerate().map(|(number, piece)| (format!("piece {}", number + 1), &piece.graph));
        let covering = self.covering.iter().map(|graph| ("covering graph".to_owned(), graph));
        for (part, (title, graph)) in pieces.chain(covering).enumerate() {
            let _ = writeln!(out, "  subgraph cluster_{part} {{\n    label={};", dot(&title));
            for (vertex, label) in graph.vertices.iter().enumerate() {
                let border = if Some(vertex) == graph.exit { ", peripheries=2" } else { "" };
                let bold = if Some(vertex) == graph.entry { ", style=bold" } else { "" };
                let _ = writeln!(out, "    v{part}_{vertex} [label={}{border}{bold}];", dot(label));
            }
            for (from, transition, to) in &graph.arcs {
                let _ = writeln!(out, "    v{part}_{from} -> v{part}_{to} [label={}];", dot(transition));
            }
            out.push_str("  }\n");
        }
        out.push_str("}\n");
        out
    }
}
