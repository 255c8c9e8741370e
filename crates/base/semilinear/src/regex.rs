//! Regular expressions that share their parts.
//!
//! An expression is a list of nodes in which the parts of a node come before
//! it and equal nodes are the same node. Expressions made by eliminating
//! states use the same parts again and again: written out they can be
//! exponentially larger than the list.

use std::fmt;

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use crate::EdgeId;

/// Where a node is in its expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(usize);

impl NodeId {
    /// Its place in [`Regex::nodes`].
    pub fn index(self) -> usize {
        self.0
    }
}

/// A regular expression whose parts are other nodes of the same list.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RegexNode {
    /// No word.
    Nothing,
    /// The empty word.
    Empty,
    /// One edge.
    Symbol(EdgeId),
    /// A word of one of the parts. There are at least two.
    Choice(Vec<NodeId>),
    /// A word of each part, one after the other. There are at least two.
    Sequence(Vec<NodeId>),
    /// Any number of words of the part, one after the other.
    Star(NodeId),
}

impl RegexNode {
    /// The parts of the node.
    pub fn parts(&self) -> &[NodeId] {
        match self {
            Self::Nothing | Self::Empty | Self::Symbol(_) => &[],
            Self::Choice(parts) | Self::Sequence(parts) => parts,
            Self::Star(part) => std::slice::from_ref(part),
        }
    }
}

/// Makes expressions, with some simplification: no word in a choice, the empty
/// word in a sequence, stars of stars, and the like. Languages stay the same.
#[derive(Debug)]
pub struct RegexBuilder {
    nodes: IndexSet<RegexNode, FxBuildHasher>,
    /// What making nodes has cost since it was last asked for.
    cost: u64,
}

/// What a node costs beside its parts: it is hashed and kept.
const NODE_COST: u64 = 8;

impl Default for RegexBuilder {
    fn default() -> Self {
        Self::new()
    }
}

const NOTHING: NodeId = NodeId(0);
const EMPTY: NodeId = NodeId(1);

impl RegexBuilder {
    /// Knows no symbols yet.
    pub fn new() -> Self {
        Self { nodes: [RegexNode::Nothing, RegexNode::Empty].into_iter().collect(), cost: 0 }
    }

    /// What making nodes has cost since this was asked last, in ticks: a node has as many parts as there are ways
    /// between two states, and copying these is most of the work.
    pub(crate) fn take_cost(&mut self) -> u64 {
        std::mem::take(&mut self.cost)
    }

    fn node(&self, id: NodeId) -> &RegexNode {
        self.nodes.get_index(id.0).unwrap_or(&RegexNode::Nothing)
    }

    /// A node of another builder means nothing here.
    fn own(&self, id: NodeId) -> NodeId {
        if id.0 < self.nodes.len() { id } else { NOTHING }
    }

    fn add(&mut self, node: RegexNode) -> NodeId {
        self.cost = self.cost.saturating_add(NODE_COST + node.parts().len() as u64);
        NodeId(self.nodes.insert_full(node).0)
    }

    /// No word.
    pub fn nothing(&self) -> NodeId {
        NOTHING
    }

    /// The empty word.
    pub fn empty(&self) -> NodeId {
        EMPTY
    }

    /// One edge.
    pub fn symbol(&mut self, edge: EdgeId) -> NodeId {
        self.add(RegexNode::Symbol(edge))
    }

    /// A word of one of the parts.
    pub fn choice(&mut self, parts: &[NodeId]) -> NodeId {
        let mut flat: Vec<NodeId> = Vec::new();
        for &part in parts {
            let part = self.own(part);
            let own = [part];
            let inner: &[NodeId] = if let RegexNode::Choice(inner) = self.node(part) { inner } else { &own };
            // The parts of a choice are different, and none of them is nothing.
            if flat.is_empty() && inner.len() > 1 {
                flat.extend(inner);
                continue;
            }
            for &inner in inner {
                if inner != NOTHING && !flat.contains(&inner) {
                    flat.push(inner);
                }
            }
        }
        // A star has the empty word anyway.
        if flat.iter().any(|&part| matches!(self.node(part), RegexNode::Star(_))) {
            flat.retain(|&part| part != EMPTY);
        }
        match flat[..] {
            [] => NOTHING,
            [one] => one,
            _ => self.add(RegexNode::Choice(flat)),
        }
    }

    /// A word of each part, one after the other.
    pub fn sequence(&mut self, parts: &[NodeId]) -> NodeId {
        // Sequences in sequences stay as they are: they are shared with others.
        let mut flat: Vec<NodeId> = Vec::new();
        for &part in parts {
            let part = self.own(part);
            if part == NOTHING {
                return NOTHING;
            }
            let again = flat.last() == Some(&part) && matches!(self.node(part), RegexNode::Star(_));
            if part != EMPTY && !again {
                flat.push(part);
            }
        }
        match flat[..] {
            [] => EMPTY,
            [one] => one,
            _ => self.add(RegexNode::Sequence(flat)),
        }
    }

    /// Any number of words of the part.
    pub fn star(&mut self, part: NodeId) -> NodeId {
        let part = self.own(part);
        match self.node(part) {
            RegexNode::Nothing | RegexNode::Empty => EMPTY,
            RegexNode::Star(_) => part,
            RegexNode::Choice(parts) if parts.contains(&EMPTY) => {
                let rest: Vec<NodeId> = parts.iter().copied().filter(|&part| part != EMPTY).collect();
                let rest = self.choice(&rest);
                self.star(rest)
            }
            _ => self.add(RegexNode::Star(part)),
        }
    }

    /// The expression at `root`, without what is not part of it.
    pub fn finish(&self, root: NodeId) -> Regex {
        let root = self.own(root);
        let mut wanted = vec![false; root.0 + 1];
        if let Some(wanted) = wanted.last_mut() {
            *wanted = true;
        }
        for place in (0..=root.0).rev() {
            if wanted.get(place) != Some(&true) {
                continue;
            }
            for part in self.node(NodeId(place)).parts() {
                if let Some(wanted) = wanted.get_mut(part.0) {
                    *wanted = true;
                }
            }
        }
        let mut renamed = vec![NOTHING; root.0 + 1];
        let mut nodes: Vec<RegexNode> = Vec::new();
        for place in (0..=root.0).filter(|&place| wanted.get(place) == Some(&true)) {
            let rename = |part: &NodeId| renamed.get(part.0).copied().unwrap_or(NOTHING);
            let node = match self.node(NodeId(place)) {
                RegexNode::Choice(parts) => RegexNode::Choice(parts.iter().map(rename).collect()),
                RegexNode::Sequence(parts) => RegexNode::Sequence(parts.iter().map(rename).collect()),
                RegexNode::Star(part) => RegexNode::Star(rename(part)),
                leaf => leaf.clone(),
            };
            if let Some(renamed) = renamed.get_mut(place) {
                *renamed = NodeId(nodes.len());
            }
            nodes.push(node);
        }
        Regex { nodes }
    }
}

/// A regular expression over edges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Regex {
    /// All are parts of the last.
    nodes: Vec<RegexNode>,
}

impl Regex {
    /// The nodes, parts before what they are parts of. The last is the expression.
    pub fn nodes(&self) -> &[RegexNode] {
        &self.nodes
    }

    /// How many different nodes there are.
    pub fn size(&self) -> usize {
        self.nodes.len()
    }

    /// For each node a number that is made of those of its parts; that of the expression.
    fn fold(&self, number: impl Fn(&RegexNode, &mut dyn Iterator<Item = u64>) -> u64) -> u64 {
        let mut numbers: Vec<u64> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let mut parts = node.parts().iter().map(|part| numbers.get(part.0).copied().unwrap_or(0));
            let value = number(node, &mut parts);
            numbers.push(value);
        }
        numbers.last().copied().unwrap_or(0)
    }

    /// How many nodes there are when everything is written out, or `u64::MAX` if there are more.
    pub fn written_size(&self) -> u64 {
        self.fold(|_, parts| parts.fold(1, u64::saturating_add))
    }

    /// How deep stars are nested.
    pub fn star_height(&self) -> u64 {
        self.fold(|node, parts| parts.max().unwrap_or(0).saturating_add(u64::from(matches!(node, RegexNode::Star(_)))))
    }

    /// The expression as a text in which an edge is called as `name` says, such
    /// as `(a b* | c)*`.
    ///
    /// Everything is written out: look at [`written_size`](Self::written_size) first.
    pub fn display<'a>(&'a self, name: &'a dyn Fn(EdgeId) -> String) -> impl fmt::Display + 'a {
        Shown { regex: self, name }
    }
}

struct Shown<'a> {
    regex: &'a Regex,
    name: &'a dyn Fn(EdgeId) -> String,
}

/// What surrounds a part, from loose to tight.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Around {
    Choice,
    Sequence,
    Star,
}

enum RegexTask<'a> {
    Text(&'static str),
    Node(&'a RegexNode, Around),
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A stack of its own, since expressions can be nested deeply.
        let node = |id: &NodeId| self.regex.nodes.get(id.0).unwrap_or(&RegexNode::Nothing);
        let mut tasks: Vec<RegexTask<'_>> = self.regex.nodes.last().map(|root| RegexTask::Node(root, Around::Choice)).into_iter().collect();
        while let Some(task) = tasks.pop() {
            let (parts, between, within, around) = match task {
                RegexTask::Text(text) => {
                    f.write_str(text)?;
                    continue;
                }
                RegexTask::Node(RegexNode::Nothing, _) => {
                    f.write_str("∅")?;
                    continue;
                }
                RegexTask::Node(RegexNode::Empty, _) => {
                    f.write_str("ε")?;
                    continue;
                }
                RegexTask::Node(RegexNode::Symbol(edge), _) => {
                    f.write_str(&(self.name)(*edge))?;
                    continue;
                }
                RegexTask::Node(RegexNode::Star(part), _) => {
                    tasks.push(RegexTask::Text("*"));
                    tasks.push(RegexTask::Node(node(part), Around::Star));
                    continue;
                }
                RegexTask::Node(RegexNode::Choice(parts), around) => (parts, " | ", Around::Choice, around),
                RegexTask::Node(RegexNode::Sequence(parts), around) => (parts, " ", Around::Sequence, around),
            };
            let brackets = around > within;
            if brackets {
                f.write_str("(")?;
                tasks.push(RegexTask::Text(")"));
            }
            for (place, part) in parts.iter().enumerate().rev() {
                tasks.push(RegexTask::Node(node(part), within));
                if place > 0 {
                    tasks.push(RegexTask::Text(between));
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(edge: EdgeId) -> String {
        ["a", "b", "c"].get(edge.0).map_or_else(|| format!("e{}", edge.0), ToString::to_string)
    }

    #[test]
    fn texts_and_measures() {
        let mut builder = RegexBuilder::new();
        let [a, b, c] = [0, 1, 2].map(|edge| builder.symbol(EdgeId(edge)));
        let b_star = builder.star(b);
        let ab = builder.sequence(&[a, b_star]);
        let either = builder.choice(&[ab, c]);
        let root = builder.star(either);
        let regex = builder.finish(root);
        assert_eq!(regex.display(&name).to_string(), "(a b* | c)*");
        assert_eq!(regex.star_height(), 2);
        assert_eq!(regex.size(), 7);
        assert_eq!(regex.written_size(), 7);
        let twice = builder.sequence(&[ab, either]);
        let regex = builder.finish(twice);
        assert_eq!(regex.display(&name).to_string(), "a b* (a b* | c)");
        assert_eq!((regex.size(), regex.written_size()), (7, 11));
        let starred = builder.star(ab);
        assert_eq!(builder.finish(starred).display(&name).to_string(), "(a b*)*");
    }

    #[test]
    fn simplification() {
        let mut builder = RegexBuilder::new();
        let a = builder.symbol(EdgeId(0));
        let (nothing, empty) = (builder.nothing(), builder.empty());
        let star = builder.star(a);
        assert_eq!(builder.star(star), star);
        assert_eq!(builder.star(empty), empty);
        assert_eq!(builder.star(nothing), empty);
        assert_eq!(builder.choice(&[nothing, a, a]), a);
        assert_eq!(builder.choice(&[empty, star]), star);
        assert_eq!(builder.choice(&[]), nothing);
        assert_eq!(builder.sequence(&[empty, a]), a);
        assert_eq!(builder.sequence(&[a, nothing]), nothing);
        assert_eq!(builder.sequence(&[star, star]), star);
        let maybe = builder.choice(&[a, empty]);
        assert_eq!(builder.star(maybe), star);
        assert_eq!(builder.choice(&[NodeId(99)]), nothing);
        assert_eq!(builder.finish(nothing).display(&name).to_string(), "∅");
    }
}
