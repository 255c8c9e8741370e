//! Pictures of graphs, without any other program.
//!
//! A [`Graph`] is nodes with lines of text, edges with lines of text, and what
//! may be merged where there are too many of them. [`draw()`] gives each a place,
//! in whole numbers of pixels, and [`Picture::svg`] writes that as text.
//!
//! The layout is layered, after Sugiyama, Tagawa and Toda (1981): edges that
//! close a cycle are turned (`layers`), nodes come into layers, edges that
//! pass through a layer get a vertex there, and so does the label of an edge, so
//! that it has a place of its own; the order within layers is by barycentres with
//! exchanges of neighbours (`order`); places across are found by the four
//! alignments of Brandes and Köpf (2002) (`place`).
//!
//! What a picture promises, and [`Picture::check_invariants`] checks from the
//! numbers alone: no box overlaps another, no label overlaps a box or a label, no
//! edge runs through a box or a label, edges end on the borders of their boxes, all
//! text fits its box, and everything is within the picture. The same graph gives the
//! same picture.
//!
//! ```
//! use serval_draw::{Edge, Graph, GraphNode, PictureWords, Shape, draw};
//! let mut graph = Graph::new("states");
//! let idle = graph.node(GraphNode::new(Shape::Global, "idle").initial());
//! let busy = graph.node(GraphNode::new(Shape::Global, "busy"));
//! graph.edge(Edge::new(idle, busy).label("lock"));
//! graph.edge(Edge::new(busy, idle).label("unlock"));
//! let picture = draw(&graph);
//! picture.check_invariants();
//! let svg = picture.svg("lock", &PictureWords { title: "A lock", description: "Two states." });
//! assert!(svg.starts_with("<svg") && svg.contains("unlock"));
//! ```

mod graph;
mod group;
mod layers;
mod layout;
mod order;
mod picture;
mod place;
mod svg;
mod text;
mod union_find;

pub use graph::{Edge, Graph, GraphNode, Group, GroupId, NodeId, SectionId, Shape};
pub use layout::draw;
pub use picture::{Area, DrawnEdge, DrawnLabel, DrawnNode, Heading, Picture, Point};
pub use svg::{PictureWords, style};
pub use text::escaped;

/// The most boxes that a picture has.
pub const MOST_BOXES: usize = 60;

/// The most lines between boxes that a picture has, parallel edges being one.
pub const MOST_LINES: usize = 200;
