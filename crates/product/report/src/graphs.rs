//! Network systems and automata as graphs in text form.

use std::collections::BTreeMap;
use std::fmt::Write;

use serval_compile::Component;
use serval_diagnostic::LineIndex;
use serval_model::{GlobalId, LocalId, NetworkSystem, SerialAutomaton};

use crate::escape::{dot, mermaid_label};

/// What to write into and beside the nodes of a graph.
pub trait Labels {
    /// A global state.
    fn global(&self, system: &NetworkSystem, id: GlobalId) -> String;
    /// A local state.
    fn local(&self, system: &NetworkSystem, id: LocalId) -> String;
}

/// The names that states have.
pub struct PlainLabels;

impl Labels for PlainLabels {
    fn global(&self, system: &NetworkSystem, id: GlobalId) -> String {
        system.global_name(id).to_owned()
    }

    fn local(&self, system: &NetworkSystem, id: LocalId) -> String {
        system.local_name(id).to_owned()
    }
}

/// Names, and the lines on which requests stand.
pub struct ProgramLabels<'a> {
    component: &'a Component,
    text: &'a str,
    lines: &'a LineIndex,
}

impl<'a> ProgramLabels<'a> {
    /// Labels for one component of a program compiled from `text`, whose lines
    /// are indexed once for all components.
    pub fn new(component: &'a Component, text: &'a str, lines: &'a LineIndex) -> Self {
        Self { component, text, lines }
    }
}

impl Labels for ProgramLabels<'_> {
    fn global(&self, system: &NetworkSystem, id: GlobalId) -> String {
        system.global_name(id).to_owned()
    }

    fn local(&self, system: &NetworkSystem, id: LocalId) -> String {
        let place = self.lines.position(self.text, self.component.local_span(id).start);
        format!("{}\nline {}", system.local_name(id), place.line)
    }
}

/// Steps between the same two local states, with the changes they make.
fn grouped(system: &NetworkSystem, labels: &dyn Labels) -> BTreeMap<(LocalId, LocalId), Vec<String>> {
    let mut edges: BTreeMap<(LocalId, LocalId), Vec<String>> = BTreeMap::new();
    for step in system.steps() {
        let before = labels.global(system, step.global);
        let label = if step.global == step.to_global { before } else { format!("{before} → {}", labels.global(system, step.to_global)) };
        edges.entry((step.local, step.to_local)).or_default().push(label);
    }
    edges
}

/// Systems as one DOT graph, a cluster per component where there are several.
pub fn system_dot(systems: &[(&NetworkSystem, &dyn Labels)]) -> String {
    let mut out = String::from(
        "digraph system {\n  rankdir=LR;\n  node [fontname=\"sans-serif\"];\n  edge [fontname=\"sans-serif\", fontsize=10];\n",
    );
    for (number, (system, labels)) in systems.iter().enumerate() {
        let indent = if systems.len() > 1 { "    " } else { "  " };
        if systems.len() > 1 {
            let _ = writeln!(out, "  subgraph cluster_{number} {{\n    label={};", dot(&format!("component {number}")));
        }
        for request in system.requests() {
            let name = dot(system.request_name(request));
            let _ = writeln!(out, "{indent}c{number}_request{} [shape=diamond, color=darkgreen, label={name}];", request.index());
        }
        for local in system.locals() {
            let label = dot(&labels.local(system, local));
            let _ = writeln!(out, "{indent}c{number}_local{} [shape=box, style=rounded, label={label}];", local.index());
        }
        let mut responses: Vec<_> = system.answers().iter().map(|&(_, response)| response).collect();
        responses.sort_unstable();
        responses.dedup();
        for response in responses {
            let name = dot(system.response_name(response));
            let _ = writeln!(out, "{indent}c{number}_response{} [shape=diamond, color=firebrick, label={name}];", response.index());
        }
        for &(request, local) in system.starts() {
            let _ = writeln!(out, "{indent}c{number}_request{} -> c{number}_local{};", request.index(), local.index());
        }
        for (&(from, to), changes) in &grouped(system, *labels) {
            let label = dot(&changes.join("\n"));
            let _ = writeln!(out, "{indent}c{number}_local{} -> c{number}_local{} [label={label}];", from.index(), to.index());
        }
        for &(local, response) in system.answers() {
            let _ = writeln!(out, "{indent}c{number}_local{} -> c{number}_response{};", local.index(), response.index());
        }
        if systems.len() > 1 {
            out.push_str("  }\n");
        }
    }
    out.push_str("}\n");
    out
}

/// Systems as a Mermaid flow chart.
pub fn system_mermaid(systems: &[(&NetworkSystem, &dyn Labels)]) -> String {
    let mut out = String::from("flowchart LR\n");
    for (number, (system, labels)) in systems.iter().enumerate() {
        if systems.len() > 1 {
            let _ = writeln!(out, "  subgraph component{number} [component {number}]");
        }
        for request in system.requests() {
            let _ = writeln!(out, "  c{number}q{}{{{{{}}}}}", request.index(), mermaid_label(system.request_name(request)));
        }
        for local in system.locals() {
            let _ = writeln!(out, "  c{number}l{}({})", local.index(), mermaid_label(&labels.local(system, local)));
        }
        for &(request, local) in system.starts() {
            let _ = writeln!(out, "  c{number}q{} --> c{number}l{}", request.index(), local.index());
        }
        for (&(from, to), changes) in &grouped(system, *labels) {
            let label = mermaid_label(&changes.join("\n"));
            let _ = writeln!(out, "  c{number}l{} -->|{label}| c{number}l{}", from.index(), to.index());
        }
        for &(local, response) in system.answers() {
            let name = mermaid_label(system.response_name(response));
            let _ = writeln!(out, "  c{number}l{} --> c{number}r{}{{{{{name}}}}}", local.index(), response.index());
        }
        if systems.len() > 1 {
            out.push_str("  end\n");
        }
    }
    out
}

/// Serial automata as one DOT graph, a cluster per component.
pub fn automaton_dot(automata: &[(&NetworkSystem, &SerialAutomaton, &dyn Labels)]) -> String {
    let mut out = String::from(
        "digraph serial {\n  rankdir=LR;\n  node [fontname=\"sans-serif\", shape=ellipse];\n  edge [fontname=\"sans-serif\", fontsize=10];\n",
    );
    for (number, (system, automaton, labels)) in automata.iter().enumerate() {
        let indent = if automata.len() > 1 { "    " } else { "  " };
        if automata.len() > 1 {
            let _ = writeln!(out, "  subgraph cluster_{number} {{\n    label={};", dot(&format!("component {number}")));
        }
        let _ = writeln!(out, "{indent}c{number}_start [shape=point];");
        for &state in automaton.states() {
            let label = dot(&labels.global(system, state));
            let _ = writeln!(out, "{indent}c{number}_global{} [label={label}];", state.index());
        }
        let _ = writeln!(out, "{indent}c{number}_start -> c{number}_global{};", automaton.initial().index());
        let mut edges: BTreeMap<(GlobalId, GlobalId), Vec<String>> = BTreeMap::new();
        for edge in automaton.edges() {
            let letter = format!("{} / {}", system.request_name(edge.letter.0), system.response_name(edge.letter.1));
            edges.entry((edge.from, edge.to)).or_default().push(letter);
        }
        for ((from, to), letters) in &edges {
            let label = dot(&letters.join("\n"));
            let _ = writeln!(out, "{indent}c{number}_global{} -> c{number}_global{} [label={label}];", from.index(), to.index());
        }
        if automata.len() > 1 {
            out.push_str("  }\n");
        }
    }
    out.push_str("}\n");
    out
}
