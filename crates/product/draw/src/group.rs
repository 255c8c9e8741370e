//! Fewer boxes: parallel edges become one, and where there are still too many
//! nodes or lines, groups of nodes become one box each.
//!
//! Groups are merged rank by rank, as far as needed; those of the same rank all
//! together, so that what is alike looks alike. Where the groups that were given are not
//! enough, nodes at the same distance from the initial ones (or, where there are none, from
//! those without a predecessor) are merged, the largest sets first; then bands of such
//! distances, then whole sections. In the end there is one box, which is few enough.

use std::collections::{BTreeMap, VecDeque};

use crate::MOST_BOXES;
use crate::graph::{Graph, GraphNode, GroupId, Shape};
use crate::union_find::find;

/// A box of the picture: one node, or several that were merged.
#[derive(Clone, Debug)]
pub(crate) struct Bunch {
    /// What stands in it, with line ends.
    pub(crate) label: String,
    pub(crate) shape: Shape,
    pub(crate) class: String,
    pub(crate) title: Option<String>,
    pub(crate) initial: bool,
    pub(crate) accepting: bool,
    pub(crate) tokens: u64,
    /// How many nodes it stands for.
    pub(crate) count: usize,
    pub(crate) section: usize,
}

/// A line of the picture: all edges between two boxes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) labels: Vec<String>,
    pub(crate) title: Vec<String>,
    pub(crate) both: bool,
}

/// A graph that is small enough.
pub(crate) struct Bunches {
    pub(crate) bunches: Vec<Bunch>,
    pub(crate) lines: Vec<Line>,
}

/// How many of its nodes are named where the pointer rests on a box of several.
const MOST_NAMES: usize = 60;

/// Which box each node is in, by the number of a node that stands for it, and
/// what the boxes of several nodes are called.
struct Merging<'a> {
    graph: &'a Graph,
    leader: Vec<usize>,
    names: BTreeMap<usize, (String, String)>,
    /// The pairs of nodes that edges join, once each.
    pairs: Vec<(usize, usize)>,
}

impl Merging<'_> {
    /// The node that stands for the box of a node: the first in it.
    fn find(&mut self, node: usize) -> usize {
        find(&mut self.leader, node)
    }

    fn is_small(&mut self) -> bool {
        let boxes = self.leader.iter().enumerate().filter(|&(node, &leader)| node == leader).count();
        if boxes > MOST_BOXES {
            return false;
        }
        let mut lines: Vec<(usize, usize)> = Vec::with_capacity(self.pairs.len());
        for index in 0..self.pairs.len() {
            let (from, to) = self.pairs[index];
            lines.push((self.find(from), self.find(to)));
        }
        lines.sort_unstable();
        lines.dedup();
        lines.retain(|(from, to)| from != to || !self.names.contains_key(from));
        lines.len() <= self.graph.most_lines
    }

    /// The boxes that a set of nodes is in.
    fn boxes(&mut self, members: &[usize]) -> Vec<usize> {
        let mut boxes: Vec<usize> = members.iter().map(|&node| self.find(node)).collect();
        boxes.sort_unstable();
        boxes.dedup();
        boxes
    }

    /// Merges sets of nodes, all, or else the largest first until the graph is small.
    fn merge(&mut self, sets: Vec<(Vec<usize>, String, String)>, all: bool) -> bool {
        let mut sizes: Vec<(usize, Vec<usize>, String, String)> = Vec::new();
        for (members, label, noun) in sets {
            sizes.push((self.boxes(&members).len(), members, label, noun));
        }
        sizes.retain(|(boxes, ..)| *boxes > 1);
        sizes.sort_by_key(|(boxes, ..)| std::cmp::Reverse(*boxes));
        // Where there are many sets, a look after each would take long.
        let all = all || sizes.len() > MOST_BOXES;
        for (_, members, label, noun) in sizes {
            if !all && self.is_small() {
                return true;
            }
            let boxes = self.boxes(&members);
            let first = boxes[0];
            for merged in boxes {
                self.leader[merged] = first;
                self.names.remove(&merged);
            }
            self.names.insert(first, (label, noun));
        }
        self.is_small()
    }

    /// Merges the groups that the graph gives, rank by rank.
    fn merge_groups(&mut self) -> bool {
        let mut ranks: Vec<u32> = self.graph.groups.iter().map(|group| group.rank).collect();
        ranks.sort_unstable();
        ranks.dedup();
        for rank in ranks {
            let mut sets: BTreeMap<(usize, GroupId), Vec<usize>> = BTreeMap::new();
            for (index, node) in self.graph.nodes.iter().enumerate() {
                let mut group = node.group;
                // Parents come before their children, so that this ends.
                while let Some(id) = group {
                    if self.graph.groups[id.0].rank == rank {
                        sets.entry((node.section.0, id)).or_default().push(index);
                    }
                    group = self.graph.groups[id.0].parent;
                }
            }
            let sets = sets.into_iter().map(|((_, id), members)| {
                let group = &self.graph.groups[id.0];
                (members, group.label.clone(), group.noun.clone())
            });
            if self.merge(sets.collect(), true) {
                return true;
            }
        }
        false
    }

    /// How many edges away from the beginning each node is.
    fn distances(&self) -> Vec<usize> {
        let graph = self.graph;
        let mut next = vec![Vec::new(); graph.nodes.len()];
        let mut entered = vec![false; graph.nodes.len()];
        for &(from, to) in &self.pairs {
            next[from].push(to);
            entered[to] |= from != to;
        }
        let mut distance = vec![usize::MAX; graph.nodes.len()];
        let initial = (0..graph.nodes.len()).filter(|&node| graph.nodes[node].initial);
        let sources = (0..graph.nodes.len()).filter(|&node| !entered[node]);
        for root in initial.chain(sources).chain(0..graph.nodes.len()) {
            if distance[root] != usize::MAX {
                continue;
            }
            distance[root] = 0;
            let mut queue = VecDeque::from([root]);
            while let Some(node) = queue.pop_front() {
                for &to in &next[node] {
                    if distance[to] > distance[node] + 1 {
                        distance[to] = distance[node] + 1;
                        queue.push_back(to);
                    }
                }
            }
        }
        distance
    }

    /// Merges by what `key` says of a node's section and distance.
    fn merge_by(&mut self, distance: &[usize], key: impl Fn(usize, usize) -> (usize, usize), name: impl Fn(usize) -> String) -> bool {
        let mut sets: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
        for (index, node) in self.graph.nodes.iter().enumerate() {
            sets.entry(key(node.section.0, distance[index])).or_default().push(index);
        }
        let noun = self.graph.noun.clone();
        let sets = sets.into_iter().map(|((_, band), members)| (members, name(band), noun.clone())).collect();
        self.merge(sets, false)
    }

    fn run(&mut self) {
        if self.is_small() || self.merge_groups() {
            return;
        }
        let distance = self.distances();
        let mut band = 1;
        while band <= self.graph.nodes.len() {
            let name = |at: usize| {
                let (first, last) = (at * band, at * band + band - 1);
                if first == last { format!("{first} steps away") } else { format!("{first} to {last} steps away") }
            };
            if self.merge_by(&distance, |section, at| (section, at / band), name) {
                return;
            }
            band *= 2;
        }
        let _ = self.merge_by(&distance, |section, _| (section, 0), |_| String::new())
            || self.merge_by(&distance, |_, _| (0, 0), |_| String::new());
    }
}

/// The boxes and lines of a graph.
pub(crate) fn bunches(graph: &Graph) -> Bunches {
    let mut pairs: Vec<(usize, usize)> = graph.edges.iter().map(|edge| (edge.from.0, edge.to.0)).collect();
    pairs.sort_unstable();
    pairs.dedup();
    let mut merging = Merging { graph, leader: (0..graph.nodes.len()).collect(), names: BTreeMap::new(), pairs };
    merging.run();
    let leader: Vec<usize> = (0..graph.nodes.len()).map(|node| merging.find(node)).collect();
    let mut names = merging.names;

    let mut bunches: Vec<Bunch> = Vec::new();
    let mut place = vec![usize::MAX; graph.nodes.len()];
    for (index, node) in graph.nodes.iter().enumerate() {
        if leader[index] != index {
            // A leader is the first of its set, and has its place.
            let bunch = &mut bunches[place[leader[index]]];
            bunch.count += 1;
            bunch.tokens = bunch.tokens.saturating_add(node.tokens);
            bunch.initial |= node.initial;
            bunch.accepting |= node.accepting;
            if bunch.shape != node.shape {
                bunch.shape = Shape::Local;
            }
            if bunch.class != node.class {
                bunch.class.clear();
            }
            continue;
        }
        place[index] = bunches.len();
        let GraphNode { label, shape, class, title, initial, accepting, tokens, section, .. } = node.clone();
        bunches.push(Bunch { label, shape, class, title, initial, accepting, tokens, count: 1, section: section.0 });
    }
    let mut members: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
    for (index, node) in graph.nodes.iter().enumerate() {
        if names.contains_key(&leader[index]) {
            members.entry(leader[index]).or_default().push(node.title.as_deref().unwrap_or(&node.label));
        }
    }
    for bunch in names.keys().copied().collect::<Vec<_>>() {
        let Some((label, noun)) = names.remove(&bunch) else { continue };
        let mut title: Vec<&str> = members.remove(&bunch).unwrap_or_default();
        let more = title.len().saturating_sub(MOST_NAMES);
        title.truncate(MOST_NAMES);
        let more = if more > 0 { format!("\nand {more} more") } else { String::new() };
        let bunch = &mut bunches[place[bunch]];
        let count = format!("{} {noun}", bunch.count);
        bunch.label = if label.is_empty() { count } else { format!("{label}\n{count}") };
        bunch.title = Some(format!("{}{more}", title.join("\n")));
    }

    let mut lines: BTreeMap<(usize, usize), Line> = BTreeMap::new();
    for edge in &graph.edges {
        let (from, to) = (place[leader[edge.from.0]], place[leader[edge.to.0]]);
        if from == to && bunches[from].count > 1 {
            continue;
        }
        let line = lines.entry((from, to)).or_insert_with(|| Line { from, to, labels: Vec::new(), title: Vec::new(), both: false });
        line.labels.extend(edge.labels.iter().cloned());
        line.title.extend(if edge.title.is_empty() { edge.labels.iter().cloned() } else { edge.title.iter().cloned() });
    }
    // An arrow at both ends says what two lines say that have no labels.
    for (from, to) in lines.keys().copied().filter(|(from, to)| from < to).collect::<Vec<_>>() {
        let is_bare = |line: Option<&Line>| line.is_some_and(|line| line.labels.is_empty());
        if is_bare(lines.get(&(from, to))) && is_bare(lines.get(&(to, from))) {
            let back = lines.remove(&(to, from)).map_or_else(Vec::new, |line| line.title);
            if let Some(line) = lines.get_mut(&(from, to)) {
                line.both = true;
                line.title.extend(back);
            }
        }
    }
    let mut lines: Vec<Line> = lines.into_values().collect();
    for line in &mut lines {
        let mut seen = std::collections::BTreeSet::new();
        line.labels.retain(|label| seen.insert(label.clone()));
    }
    Bunches { bunches, lines }
}
