//! Nets as pictures.

use std::fmt::Write;

use serval_draw::{Edge, Graph, GraphNode, Shape, draw};
use serval_petri::Net;

use crate::escape::{dot, mermaid_label, name};
use crate::pictures::OwnedWords;

/// Lines beyond which a picture has no lines any more.
const MOST_LINES: usize = 400;

/// The net for Graphviz.
pub fn net_dot(net: &Net) -> String {
    let mut out = format!("digraph {} {{\n  rankdir=LR;\n  node [fontsize=10];\n", dot(net.name()));
    for place in net.places() {
        let tokens = net.initial_tokens(place);
        let tokens = if tokens == 0 { String::new() } else { tokens.to_string() };
        // Writing to a string does not fail.
        let _ = writeln!(out, "  p{} [shape=circle, label={}, xlabel={}];", place.index(), dot(&tokens), dot(net.place_name(place)));
    }
    for transition in net.transitions() {
        let _ = writeln!(out, "  t{} [shape=box, label={}];", transition.index(), dot(net.transition_name(transition)));
    }
    let weight = |weight: u64| if weight == 1 { String::new() } else { format!(" [label=\"{weight}\"]") };
    for transition in net.transitions() {
        for &(place, tokens) in net.inputs(transition) {
            let _ = writeln!(out, "  p{} -> t{}{};", place.index(), transition.index(), weight(tokens));
        }
        for &(place, tokens) in net.outputs(transition) {
            let _ = writeln!(out, "  t{} -> p{}{};", transition.index(), place.index(), weight(tokens));
        }
    }
    out.push_str("}\n");
    out
}

/// The net for Mermaid.
pub fn net_mermaid(net: &Net) -> String {
    let mut out = String::from("flowchart LR\n");
    for place in net.places() {
        let tokens = net.initial_tokens(place);
        let tokens = if tokens == 0 { String::new() } else { format!("\n{tokens}") };
        // Writing to a string does not fail.
        let _ = writeln!(out, "  p{}(({}))", place.index(), mermaid_label(&format!("{}{tokens}", name(net.place_name(place)))));
    }
    for transition in net.transitions() {
        let _ = writeln!(out, "  t{}[{}]", transition.index(), mermaid_label(&name(net.transition_name(transition))));
    }
    let arrow = |weight: u64| if weight == 1 { "-->".to_owned() } else { format!("-->|{weight}|") };
    for transition in net.transitions() {
        for &(place, weight) in net.inputs(transition) {
            let _ = writeln!(out, "  p{} {} t{}", place.index(), arrow(weight), transition.index());
        }
        for &(place, weight) in net.outputs(transition) {
            let _ = writeln!(out, "  t{} {} p{}", transition.index(), arrow(weight), place.index());
        }
    }
    out
}

/// The net as a picture.
pub fn net_svg(net: &Net) -> String {
    draw(&net_graph(net)).svg("net", &net_words(&name(net.name())).words())
}

/// The net as a graph that can be drawn.
fn net_graph(net: &Net) -> Graph {
    let mut graph = Graph::new("places and transitions");
    graph.most_lines(MOST_LINES);
    let places: Vec<_> = net
        .places()
        .map(|place| {
            let name = net.place_name(place);
            graph.node(GraphNode::new(Shape::Place, name).title(name).tokens(net.initial_tokens(place)))
        })
        .collect();
    for transition in net.transitions() {
        let name = net.transition_name(transition);
        let bar = graph.node(GraphNode::new(Shape::Bar, name).title(name));
        let labelled = |edge: Edge, weight: u64| if weight == 1 { edge } else { edge.label(weight.to_string()) };
        for &(place, weight) in net.inputs(transition) {
            graph.edge(labelled(Edge::new(places[place.index()], bar), weight));
        }
        for &(place, weight) in net.outputs(transition) {
            graph.edge(labelled(Edge::new(bar, places[place.index()]), weight));
        }
    }
    graph
}

/// What the picture of a net is called and shows.
fn net_words(name: &str) -> OwnedWords {
    OwnedWords {
        title: format!("Petri net {name}"),
        description:
            "Circles are places with their tokens in the beginning; bars are transitions, which take tokens along the lines that lead to \
                      them and give tokens along those that leave them. A number at a line is its weight, if it is not 1."
                .to_owned(),
    }
}
