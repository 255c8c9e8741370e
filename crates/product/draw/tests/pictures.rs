//! Random graphs, drawn: what pictures promise holds for them.

#![expect(clippy::unwrap_used, reason = "a test fails where something is not as it should be")]

use proptest::prelude::*;
use serval_draw::{Edge, Graph, GraphNode, Group, MOST_BOXES, MOST_LINES, PictureWords, Shape, draw, style};
use serval_effort::{Sweep, sweep};

const SHAPES: [Shape; 6] = [Shape::Global, Shape::Local, Shape::Answer, Shape::Request, Shape::Place, Shape::Bar];

/// Text as systems have it, and text that is unexpected.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-z]{1,8}@(start|end|yield[0-9])( [0-9]{1,3})?",
        4 => "[A-Z]{1,8}=[0-9]{1,3}( [A-Z]{1,8}=[0-9]{1,3}){0,4}",
        1 => "[<>&\"'x\n\t\u{0}]{0,12}",
        1 => "[漢字🦊مرحبا\u{202e}e\u{301}]{1,30}",
        1 => "W{40,90}",
    ]
}

prop_compose! {
    fn graph(nodes: usize, edges: usize)(
        nodes in prop::collection::vec((text(), 0..6_usize, 0..12_u64, 0..3_usize, 0..5_usize), 0..=nodes),
        edges in prop::collection::vec((0..10_000_usize, 0..10_000_usize, prop::collection::vec(text(), 0..7)), 0..=edges),
    ) -> Graph {
        let mut graph = Graph::new("nodes");
        let sections: Vec<_> = ["first", "second", "third"].map(|name| graph.section(name)).to_vec();
        let whole = graph.group(Group::new("whole", "things", 2));
        let groups: Vec<_> = (0..4).map(|number| graph.group(Group::new(format!("group {number}"), "nodes", 1).within(whole))).collect();
        let count = nodes.len();
        let mut ids = Vec::new();
        for (label, shape, tokens, section, group) in nodes {
            let mut node = GraphNode::new(SHAPES[shape], label).class("some class").tokens(tokens / 8);
            if tokens == 1 {
                node = node.initial();
            }
            if tokens == 2 {
                node = node.accepting();
            }
            // Most graphs have one section.
            if count % 4 == 0 {
                node = node.section(sections[section]);
            }
            if let Some(group) = groups.get(group) {
                node = node.group(*group);
            }
            ids.push(graph.node(node));
        }
        for (from, to, labels) in edges {
            if count > 0 {
                // Some are loops, and some are twice there.
                let to = if to % 9 == 0 { from } else { to };
                graph.edge(labels.into_iter().fold(Edge::new(ids[from % count], ids[to % count]), Edge::label));
            }
        }
        graph
    }
}

fn check(graph: &Graph) {
    let picture = draw(graph);
    picture.check_invariants();
    assert_eq!(picture, draw(graph));
    assert!(picture.nodes.len() <= MOST_BOXES && picture.edges.len() <= MOST_LINES);
    assert_eq!(picture.nodes.iter().map(|node| node.count).sum::<usize>(), graph.node_count());
    assert_eq!(picture.is_grouped(), picture.note.as_ref().is_some_and(|note| note.text.starts_with("grouped: ")));
    let words = PictureWords { title: "a <title> & \u{1} more", description: "what it shows" };
    for svg in [picture.svg("one", &words), picture.element("two", &words)] {
        let document = roxmltree::Document::parse(&svg).unwrap_or_else(|error| panic!("{error}: {svg}"));
        let root = document.root_element();
        assert_eq!((root.tag_name().name(), root.attribute("role")), ("svg", Some("img")));
        let named = |class: &str| document.descendants().filter(|node| node.attribute("class") == Some(class)).count();
        assert_eq!(named("sg-edge"), picture.edges.len());
        for node in document.descendants().filter_map(|node| node.attribute("id")) {
            assert!(node.starts_with("one-") || node.starts_with("two-"));
        }
    }
    assert!(!picture.element("two", &words).contains("<style"));
    assert!(picture.svg("one", &words).contains(style()));
}

fn config(sweep: Sweep) -> ProptestConfig {
    ProptestConfig { cases: u32::try_from(sweep.count()).unwrap(), failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config(sweep("draw.graphs", 24, 96)))]

    #[test]
    fn graphs_as_large_as_pictures(graph in graph(60, 150)) {
        check(&graph);
        prop_assert!(!draw(&graph).is_grouped());
    }

    #[test]
    fn small_graphs(graph in graph(9, 14)) {
        check(&graph);
    }
}

proptest! {
    #![proptest_config(config(sweep("draw.large", 6, 24)))]

    #[test]
    fn graphs_that_are_too_large(graph in graph(400, 700)) {
        check(&graph);
    }
}

#[test]
fn extremes() {
    check(&Graph::new("nodes"));
    // Nothing is joined.
    let mut lonely = Graph::new("nodes");
    for number in 0..300 {
        lonely.node(GraphNode::new(Shape::Local, format!("node {number}")));
    }
    check(&lonely);
    // Everything is, both ways, with and without labels.
    for labelled in [false, true] {
        let mut full = Graph::new("nodes");
        let ids: Vec<_> = (0..14).map(|number| full.node(GraphNode::new(Shape::Global, format!("{number}")))).collect();
        for &from in &ids {
            for &to in &ids {
                let edge = Edge::new(from, to);
                full.edge(if labelled { edge.label("label").label("and more") } else { edge });
            }
        }
        check(&full);
    }
    // A long chain becomes bands.
    let mut chain = Graph::new("nodes");
    let ids: Vec<_> = (0..1000).map(|number| chain.node(GraphNode::new(Shape::Local, format!("{number}")))).collect();
    for pair in ids.windows(2) {
        chain.edge(Edge::new(pair[0], pair[1]));
    }
    check(&chain);
    // More sections than boxes.
    let mut sections = Graph::new("nodes");
    for number in 0..100 {
        let section = sections.section(format!("section {number}"));
        sections.node(GraphNode::new(Shape::Local, "node").section(section));
    }
    check(&sections);
}

#[test]
fn parallel_edges_are_one_line_that_says_how_many() {
    let mut graph = Graph::new("nodes");
    let (a, b) = (graph.node(GraphNode::new(Shape::Local, "a")), graph.node(GraphNode::new(Shape::Local, "b")));
    for number in 0..10 {
        graph.edge(Edge::new(a, b).label(format!("label {number}")));
    }
    let picture = draw(&graph);
    let [edge] = &picture.edges[..] else { panic!("{:?}", picture.edges) };
    assert_eq!(edge.label.as_ref().unwrap().lines, ["label 0", "label 1", "label 2", "+ 7 more"]);
    assert_eq!(edge.title.as_ref().unwrap().lines().count(), 10);
}

#[test]
fn groups_are_merged_as_far_as_needed() {
    let mut graph = Graph::new("states");
    let all = graph.group(Group::new("all", "states", 1));
    let groups = ["first", "second"].map(|name| graph.group(Group::new(name, "states", 0).within(all)));
    for number in 0..60 {
        graph.node(GraphNode::new(Shape::Local, format!("{number}")).group(groups[number / 50]));
    }
    assert_eq!(draw(&graph).note, None);
    graph.node(GraphNode::new(Shape::Global, "one too many"));
    let picture = draw(&graph);
    let lines: Vec<_> = picture.nodes.iter().map(|node| node.lines.join(" / ")).collect();
    assert_eq!(lines, ["first / 50 states", "second / 10 states", "one too many"]);
    assert!(picture.nodes[1].title.as_ref().unwrap().lines().eq((50..60).map(|number| number.to_string())));
    assert_eq!(picture.note.unwrap().text, "grouped: 3 boxes for 61 states");
}

/// The parts of a colour as WCAG 2.1 weighs them, in millionths; the curve by
/// a table at the values that the style uses would hide mistakes, so that it is computed.
#[expect(clippy::float_arithmetic, reason = "contrast is defined by a power of 2.4")]
fn luminance(colour: &str) -> f64 {
    let part = |at: usize| {
        let value = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap()) / 255.0;
        if value <= 0.03928 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
}

#[test]
fn text_can_be_read_in_both_schemes() {
    let property = |scheme: &str, name: &str| {
        let at = scheme.find(&format!("--sg-{name}: ")).unwrap() + name.len() + 7;
        scheme[at..at + 7].to_owned()
    };
    let schemes: Vec<&str> = style().split("@media").collect();
    assert_eq!(schemes.len(), 2);
    for scheme in schemes {
        let mut pairs = vec![("bar-ink", "bar")];
        for paper in ["paper", "fill", "global", "request", "answer"] {
            pairs.extend([("ink", paper), ("soft", paper)]);
        }
        for (ink, paper) in pairs {
            let (a, b) = (luminance(&property(scheme, ink)), luminance(&property(scheme, paper)));
            let contrast = (a.max(b) + 0.05) / (a.min(b) + 0.05);
            assert!(contrast >= 4.5, "{ink} on {paper}: {contrast}");
        }
    }
}

#[test]
fn sixty_nodes_are_drawn() {
    // As dense as a net: every node has five edges.
    let mut graph = Graph::new("nodes");
    let ids: Vec<_> = (0..60).map(|number| graph.node(GraphNode::new(Shape::Local, format!("node {number}")))).collect();
    let mut random = 1_usize;
    let mut next = || {
        random = (random * 1_103_515_245 + 12_345) % (1 << 31);
        random / 65_536 % 60
    };
    for edge in 0..150 {
        graph.edge(Edge::new(ids[next()], ids[next()]).label(format!("label {edge}")));
    }
    check(&graph);
    let picture = draw(&graph);
    assert!(picture.nodes.len() == 60 && picture.edges.len() > 130);
}
