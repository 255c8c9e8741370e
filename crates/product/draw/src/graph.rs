//! What is to be drawn.

use crate::MOST_LINES;

/// A node of a [`Graph`], by the order of [`Graph::node`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub(crate) usize);

/// A group of a [`Graph`], by the order of [`Graph::group`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupId(pub(crate) usize);

/// A section of a [`Graph`], by the order of [`Graph::section`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SectionId(pub(crate) usize);

/// What a node looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Shape {
    /// A global state, or a state of an automaton: a box with round corners.
    Global,
    /// A local state: a box with slightly round corners.
    Local,
    /// An answer: a box with a double border.
    Answer,
    /// A request that comes in: a box with half circles at its sides.
    Request,
    /// A place of a net: as round as its name allows, with its tokens.
    Place,
    /// A transition of a net: a dark bar.
    Bar,
}

/// A node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphNode {
    pub(crate) label: String,
    pub(crate) shape: Shape,
    pub(crate) class: String,
    pub(crate) title: Option<String>,
    pub(crate) initial: bool,
    pub(crate) accepting: bool,
    pub(crate) tokens: u64,
    pub(crate) group: Option<GroupId>,
    pub(crate) section: SectionId,
}

impl GraphNode {
    /// A node with this label, which may have several lines.
    pub fn new(shape: Shape, label: impl Into<String>) -> Self {
        Self {
            label: label.into(),
            shape,
            class: String::new(),
            title: None,
            initial: false,
            accepting: false,
            tokens: 0,
            group: None,
            section: SectionId(0),
        }
    }

    /// With a class for style sheets, of letters, digits, `-` and `_`; others are left out.
    #[must_use]
    pub fn class(mut self, class: &str) -> Self {
        self.class = class.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')).collect();
        self
    }

    /// With a text that is shown where the pointer rests; without one it is
    /// the label, where that is not shown in full.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Marked as the beginning, by a small arrow from nowhere.
    #[must_use]
    pub fn initial(mut self) -> Self {
        self.initial = true;
        self
    }

    /// Marked as an end, by a double border, which answers have anyway.
    #[must_use]
    pub fn accepting(mut self) -> Self {
        self.accepting = true;
        self
    }

    /// With a number of tokens.
    #[must_use]
    pub fn tokens(mut self, tokens: u64) -> Self {
        self.tokens = tokens;
        self
    }

    /// In a group, with which it is merged where there are too many nodes.
    #[must_use]
    pub fn group(mut self, group: GroupId) -> Self {
        self.group = Some(group);
        self
    }

    /// In a section of the picture.
    #[must_use]
    pub fn section(mut self, section: SectionId) -> Self {
        self.section = section;
        self
    }
}

/// An edge from a node to the same or another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    pub(crate) from: NodeId,
    pub(crate) to: NodeId,
    pub(crate) labels: Vec<String>,
    pub(crate) title: Vec<String>,
}

impl Edge {
    /// An edge without a label.
    pub fn new(from: NodeId, to: NodeId) -> Self {
        Self { from, to, labels: Vec::new(), title: Vec::new() }
    }

    /// With one more line of text.
    #[must_use]
    pub fn label(mut self, line: impl Into<String>) -> Self {
        self.labels.push(line.into());
        self
    }

    /// With one more line of the text that is shown where the pointer rests;
    /// without any it is the label, where that is not shown in full.
    #[must_use]
    pub fn title(mut self, line: impl Into<String>) -> Self {
        self.title.push(line.into());
        self
    }
}

/// What becomes one box where there are too many nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    pub(crate) label: String,
    pub(crate) noun: String,
    pub(crate) rank: u32,
    pub(crate) parent: Option<GroupId>,
}

impl Group {
    /// A group whose box says `label`, and below it how many there are of what `noun`
    /// (in the plural) says. Groups of low rank are merged first,
    /// those of the same rank together.
    pub fn new(label: impl Into<String>, noun: impl Into<String>, rank: u32) -> Self {
        Self { label: label.into(), noun: noun.into(), rank, parent: None }
    }

    /// Within a larger group, which has been made before.
    #[must_use]
    pub fn within(mut self, parent: GroupId) -> Self {
        self.parent = Some(parent);
        self
    }
}

/// A graph to be drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    pub(crate) noun: String,
    pub(crate) nodes: Vec<GraphNode>,
    pub(crate) edges: Vec<Edge>,
    pub(crate) groups: Vec<Group>,
    pub(crate) sections: Vec<String>,
    pub(crate) most_lines: usize,
}

impl Graph {
    /// An empty graph whose nodes are called so, in the plural.
    pub fn new(noun: impl Into<String>) -> Self {
        let (nodes, edges, groups, sections) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { noun: noun.into(), nodes, edges, groups, sections, most_lines: MOST_LINES }
    }

    /// Adds a node. A group or section that this graph does not have is as none.
    pub fn node(&mut self, mut node: GraphNode) -> NodeId {
        node.group = node.group.filter(|group| group.0 < self.groups.len());
        if node.section.0 >= self.sections.len() {
            node.section = SectionId(0);
        }
        self.nodes.push(node);
        NodeId(self.nodes.len() - 1)
    }

    /// Adds an edge. One that ends in a node that this graph does not have is left out.
    pub fn edge(&mut self, edge: Edge) {
        if edge.from.0 < self.nodes.len() && edge.to.0 < self.nodes.len() {
            self.edges.push(edge);
        }
    }

    /// Groups nodes already where there are more lines than this between boxes,
    /// in graphs whose groups say more than many lines.
    pub fn most_lines(&mut self, lines: usize) {
        self.most_lines = lines.min(MOST_LINES);
    }

    /// Adds a group.
    pub fn group(&mut self, mut group: Group) -> GroupId {
        group.parent = group.parent.filter(|parent| parent.0 < self.groups.len());
        self.groups.push(group);
        GroupId(self.groups.len() - 1)
    }

    /// Adds a section: a part of the picture with a heading, which is shown where
    /// there are several. Nodes that say nothing are in the first.
    pub fn section(&mut self, heading: impl Into<String>) -> SectionId {
        self.sections.push(heading.into());
        SectionId(self.sections.len() - 1)
    }

    /// How many nodes there are.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// How many edges there are.
    pub fn edge_count(&self) -> usize {
        self.edges.len()
    }
}
