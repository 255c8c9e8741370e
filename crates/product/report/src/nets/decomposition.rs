//! The tree of a decomposition, for people and for machines.
//!
//! A [`TreeReport`] has a node for each sequence that was looked at, or is open: the graphs of its pieces, what its
//! equation says, and what became of it, with the reason in words. It is data: who decided it, and how, is not known
//! here.

mod page;
mod pictures;

use std::fmt::Write;

use serde::Serialize;

use serval_diagnostic::counted;

use super::{NetRun, TextStyle};
use crate::escape::{self, line, name};

/// How deep lines are indented at most.
const DEEPEST: usize = 24;
/// Lines that are shown of an equation, unless all are wanted.
const EQUATION: usize = 24;
/// Nodes that are shown, unless all are wanted.
const NODES: usize = 60;

/// What a tree says of its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TreeAnswer {
    /// It can be reached.
    Reachable,
    /// It cannot be reached.
    Unreachable,
    /// The tree is not whole.
    Undecided,
    /// The checker refuses what was found, which is a bug.
    Error,
}

impl TreeAnswer {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Reachable => "reachable",
            Self::Unreachable => "not reachable",
            Self::Undecided => "undecided",
            Self::Error => "error",
        }
    }
}

/// The tree of a decomposition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TreeReport {
    /// The version of this form.
    pub schema: u32,
    /// The file of the net.
    pub file: String,
    /// What is to be reached.
    pub target: String,
    /// What is said of it.
    pub answer: TreeAnswer,
    /// What stopped it, where it is not whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How often each rule was used, and how large sequences were.
    pub sizes: TreeSizes,
    /// The nodes, in the order in which they were looked at; open ones come last.
    pub nodes: Vec<TreeNode>,
    /// How many more nodes there are.
    pub left_out: usize,
    /// The run, where the target can be reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<NetRun>,
}

/// How large a tree is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TreeSizes {
    /// Sequences that were looked at.
    pub sequences: usize,
    /// Sequences that are open.
    pub open: usize,
    /// Sequences whose equation has no solution.
    pub refuted: usize,
    /// Covering graphs from beginnings.
    pub forward: usize,
    /// Covering graphs from ends.
    pub backward: usize,
    /// Splits at strongly connected parts.
    pub parts: usize,
    /// Places of which all values were listed.
    pub value: usize,
    /// Splits at arcs that are used finitely often.
    pub arcs: usize,
    /// The most pieces of a sequence.
    pub most_pieces: usize,
    /// The most arcs of a sequence.
    pub most_arcs: usize,
    /// How often the run pumps.
    pub rounds: u64,
}

/// What became of a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TreeFate {
    /// Nothing yet.
    Open,
    /// Its equation has no solution.
    Refuted,
    /// A piece was replaced by its covering graph from its beginning.
    Forward,
    /// A piece was replaced by its covering graph from its end.
    Backward,
    /// The strongly connected parts of a piece were found.
    Order,
    /// A piece was split where it leaves a strongly connected part.
    Leave,
    /// The tokens of a place were listed.
    Value,
    /// A piece was split at arcs that are used finitely often.
    Arcs,
    /// It is perfect: it has a run.
    Perfect,
}

/// A sequence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TreeNode {
    /// Its number.
    pub number: usize,
    /// The number of the sequence that it comes from; none for a case of the target.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<usize>,
    /// Which of those that replace that one it is, from 1.
    pub case: usize,
    /// Its pieces.
    pub pieces: Vec<TreePiece>,
    /// What fires from each piece to the next.
    pub joints: Vec<String>,
    /// What the target says besides numbers of tokens.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<String>,
    /// Its equation, line by line.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub equation: Vec<String>,
    /// What became of it.
    pub fate: TreeFate,
    /// The same in a few words.
    pub said: String,
    /// Why, in whole sentences.
    pub why: String,
    /// How many sequences replace it.
    pub children: usize,
    /// Of how many of them the equation has no solution.
    pub cut: usize,
    /// The covering graph, where one replaces a piece.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub covering: Option<TreeGraph>,
}

/// A piece of a sequence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TreePiece {
    /// The tokens in the beginning.
    pub first: String,
    /// The tokens at the end.
    pub last: String,
    /// What it follows.
    pub graph: TreeGraph,
}

/// A graph whose vertices are labels.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TreeGraph {
    /// The labels of the vertices.
    pub vertices: Vec<String>,
    /// From where what leads where.
    pub arcs: Vec<(usize, String, usize)>,
    /// Where it begins, if that is one vertex.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<usize>,
    /// Where it ends, if that is one vertex.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit: Option<usize>,
}

/// Characters that the line of a sequence has at most.
const LINE: usize = 120;

impl TreePiece {
    /// The piece in a few words: how it begins, how many arcs it may follow, and how it ends.
    fn in_short(&self) -> String {
        match self.graph.arcs.len() {
            0 => self.first.clone(),
            arcs => format!("{} ⟲{arcs} {}", self.first, self.last),
        }
    }
}

impl TreeNode {
    /// The sequence in one line: its pieces and what leads from each to the next, or, where that is too long, how it
    /// begins and ends.
    fn in_short(&self) -> String {
        let mut whole = String::new();
        for (number, piece) in self.pieces.iter().enumerate() {
            whole.push_str(&piece.in_short());
            if let Some(joint) = self.joints.get(number) {
                whole.extend([" –", &name(joint), "→ "]);
            }
        }
        if whole.chars().count() <= LINE {
            return whole;
        }
        let ends = match (self.pieces.first(), self.pieces.last()) {
            (Some(first), Some(last)) => format!("{} … {}", first.first, last.last),
            _ => String::new(),
        };
        let arcs: usize = self.pieces.iter().map(|piece| piece.graph.arcs.len()).sum();
        format!("{ends}: {}, {}", counted(self.pieces.len(), "piece"), counted(arcs, "arc"))
    }
}

impl TreeReport {
    /// How deep each node is; what is the only one that replaces another is as deep as that one.
    fn depths(&self) -> Vec<usize> {
        let mut depths: Vec<usize> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let above = node.parent.and_then(|parent| Some((depths.get(parent)?, self.nodes.get(parent)?)));
            depths.push(above.map_or(0, |(depth, parent)| depth + usize::from(parent.children > 1)));
        }
        depths
    }

    /// The nodes in the order of the tree: each before what replaces it.
    fn in_order(&self) -> Vec<usize> {
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); self.nodes.len()];
        let mut roots = Vec::new();
        for (at, node) in self.nodes.iter().enumerate() {
            match node.parent.and_then(|parent| children.get_mut(parent)) {
                Some(siblings) => siblings.push(at),
                None => roots.push(at),
            }
        }
        let by_case = |list: &mut Vec<usize>| list.sort_by_key(|&at| std::cmp::Reverse(self.nodes[at].case));
        by_case(&mut roots);
        children.iter_mut().for_each(by_case);
        let (mut order, mut open) = (Vec::with_capacity(self.nodes.len()), roots);
        while let Some(at) = open.pop() {
            order.push(at);
            open.extend(children[at].iter().copied());
        }
        order
    }

    /// What is said of the target, in one line.
    pub fn headline(&self) -> String {
        let sizes = &self.sizes;
        let mut parts = vec![counted(sizes.sequences, "sequence")];
        for (number, noun) in [
            (sizes.refuted, "refuted by the equation"),
            (sizes.forward, "covered forwards"),
            (sizes.backward, "covered backwards"),
            (sizes.parts, "split at parts"),
            (sizes.value, "split at values"),
            (sizes.arcs, "split at arcs"),
            (sizes.open, "open"),
        ] {
            if number > 0 {
                parts.push(format!("{number} {noun}"));
            }
        }
        format!("{}  {}  {}", name(&self.target), self.answer.words(), parts.join(", "))
    }

    /// For people: a line for each node, and with `explain` why it was replaced.
    pub fn to_text(&self, explain: bool, verbose: bool) -> String {
        let mut out = format!("{}\n", self.headline());
        if let Some(reason) = &self.reason {
            let (pieces, arcs) = (counted(self.sizes.most_pieces, "piece"), counted(self.sizes.most_arcs, "arc"));
            let largest = if self.nodes.is_empty() { String::new() } else { format!("; the largest sequence has {pieces} and {arcs}") };
            let _ = writeln!(out, "  {}{largest}", line(reason));
        }
        let (depths, order) = (self.depths(), self.in_order());
        let shown = if verbose { order.len() } else { NODES };
        for &at in order.iter().take(shown) {
            let node = &self.nodes[at];
            let indent = " ".repeat(2 * depths[at].min(DEEPEST));
            let _ = writeln!(out, "{indent}{}. {}", node.number, line(&node.in_short()));
            let _ = writeln!(out, "{indent}   {}", line(if explain { &node.why } else { &node.said }));
            if verbose {
                node.push_detail(&mut out, &indent);
            }
        }
        if let Some(more) = order.len().checked_sub(shown).filter(|&more| more > 0) {
            let _ = writeln!(out, "… and {more} more; -v shows them");
        }
        if self.left_out > 0 {
            let _ = writeln!(out, "… and {} that are not kept", self.left_out);
        }
        if let Some(run) = &self.run {
            out.push_str(&run.to_text(TextStyle { verbose, ..TextStyle::default() }));
        }
        out
    }

    /// For machines.
    pub fn to_json(&self) -> String {
        // Strings, numbers and structures of them always have a JSON form.
        let mut text = escape::json(serde_json::to_string(self).unwrap_or_default());
        text.push('\n');
        text
    }
}

impl TreeNode {
    /// The graphs of the pieces and the equation, in lines.
    fn push_detail(&self, out: &mut String, indent: &str) {
        for (number, piece) in self.pieces.iter().enumerate() {
            let _ = writeln!(out, "{indent}   piece {}: from {} to {}", number + 1, line(&piece.first), line(&piece.last));
            piece.graph.push_lines(out, indent);
            if let Some(joint) = self.joints.get(number) {
                let _ = writeln!(out, "{indent}   then {}", name(joint));
            }
        }
        if !self.conditions.is_empty() {
            let _ = writeln!(out, "{indent}   at the end: {}", line(&self.conditions.join(" and ")));
        }
        if let Some(covering) = &self.covering {
            let _ = writeln!(out, "{indent}   covering graph:");
            covering.push_lines(out, indent);
        }
        if !self.equation.is_empty() {
            let _ = writeln!(out, "{indent}   equation:");
        }
        for row in self.equation.iter().take(EQUATION) {
            let _ = writeln!(out, "{indent}     {}", line(row));
        }
        if let Some(more) = self.equation.len().checked_sub(EQUATION).filter(|&more| more > 0) {
            let _ = writeln!(out, "{indent}     … and {more} more");
        }
    }
}

impl TreeGraph {
    fn push_lines(&self, out: &mut String, indent: &str) {
        for (vertex, label) in self.vertices.iter().enumerate() {
            let leaves: Vec<String> =
                self.arcs.iter().filter(|arc| arc.0 == vertex).map(|arc| format!("{} to {}", name(&arc.1), arc.2)).collect();
            let role = match (Some(vertex) == self.entry, Some(vertex) == self.exit) {
                (true, true) => " (entry and exit)",
                (true, false) => " (entry)",
                (false, true) => " (exit)",
                (false, false) => "",
            };
            let leads = if leaves.is_empty() { "nothing leads on".to_owned() } else { leaves.join(", ") };
            let _ = writeln!(out, "{indent}     {vertex}: {}{role}: {leads}", line(label));
        }
    }
}
