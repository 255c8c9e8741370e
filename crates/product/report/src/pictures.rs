//! What is drawn of network systems, serial automata and interleaving nets.
//!
//! - [`system`]: the local states, as the requests walk through them. A line is all
//!   steps between two local states, and says what they need of the global state and
//!   do to it; see `steps`. The global states are not nodes: a person follows
//!   one request at a time, and there are many more pairs than states of either kind.
//! - [`automaton`]: the global states between requests that run alone, with requests and
//!   answers on the lines.
//! - [`net`]: places and transitions, one for one, but for places that no token gets to
//!   whatever happens, and what takes from them. A step that leaves the global state as it
//!   is has a line with two arrows to its place.
//!
//! Each component of a program is a section of the picture.
//!
//! ```
//! use serval_budget::Budget;
//! use serval_model::{SerialAutomaton, SystemBuilder};
//! use serval_report::{PlainLabels, pictures};
//! let mut builder = SystemBuilder::new();
//! let (idle, start, end) = (builder.global("idle"), builder.local("start"), builder.local("end"));
//! let (get, ok) = (builder.request("get"), builder.response("ok"));
//! builder.start(get, start);
//! builder.step(start, idle, end, idle);
//! builder.answer(end, ok);
//! let system = builder.finish(idle);
//! let picture = serval_draw::draw(&pictures::system(&[(&system, &PlainLabels)]));
//! // The request and two local states.
//! assert_eq!((picture.nodes.len(), picture.edges.len()), (3, 2));
//! let svg = picture.svg("get", &pictures::View::System.words("get.json").words());
//! assert!(svg.contains("answers ok"));
//! ```

mod steps;

use std::collections::BTreeMap;

use serval_draw::{Edge, Graph, GraphNode, Group, GroupId, NodeId, PictureWords, SectionId, Shape};
use serval_model::{LocalId, NetAction, NetworkSystem, PlaceKind, RequestId, SerialAutomaton};
use serval_petri::Net;

use crate::graphs::Labels;
use steps::Wording;

/// Which picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// Of the network system.
    System,
    /// Of the serial automaton.
    Automaton,
    /// Of the interleaving net.
    Net,
}

/// What a picture is called and shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnedWords {
    /// A few words.
    pub title: String,
    /// What boxes and lines mean.
    pub description: String,
}

impl OwnedWords {
    /// As the writer of pictures takes them.
    pub fn words(&self) -> PictureWords<'_> {
        PictureWords { title: &self.title, description: &self.description }
    }
}

impl View {
    /// The title and description of this picture of what is called `name`.
    pub fn words(self, name: &str) -> OwnedWords {
        let (what, description) = match self {
            Self::System => (
                "Network system",
                "Requests come in at the green boxes and walk through local states to answers. A line says what it needs of the global \
                 state, where it is not the only way on, and after the arrow what it changes.",
            ),
            Self::Automaton => (
                "Serial automaton",
                "Boxes are global states while no request is in flight. A line is a request that runs alone, with its answer after \
                 the slash.",
            ),
            Self::Net => (
                "Interleaving net",
                "Round boxes are places: blue for global states, grey for requests in flight, yellow for answers. Dark bars are \
                 transitions. The dot is the token in the beginning. Places that no token can get to are left out.",
            ),
        };
        OwnedWords { title: format!("{what} of {name}"), description: description.to_owned() }
    }
}

/// The sections of a picture of `count` systems.
fn sections(graph: &mut Graph, count: usize) -> Vec<SectionId> {
    (0..count).map(|number| graph.section(format!("component {number}"))).collect()
}

/// For each local state, the request that gets there, if it is one alone.
fn owners(system: &NetworkSystem) -> Vec<Option<RequestId>> {
    let mut found: Vec<Vec<RequestId>> = vec![Vec::new(); system.local_count()];
    for request in system.requests() {
        let starts = system.starts().iter().filter(|(other, _)| *other == request);
        let mut stack: Vec<LocalId> = starts.map(|&(_, local)| local).collect();
        while let Some(local) = stack.pop() {
            // Requests come one after the other, so that the last is the only one to look at.
            if found[local.index()].last() != Some(&request) {
                found[local.index()].push(request);
                stack.extend(system.steps_of(local).iter().map(|step| step.to_local));
            }
        }
    }
    found.into_iter().map(|requests| if let [request] = requests[..] { Some(request) } else { None }).collect()
}

/// Without the name of the request before `@`, which is said elsewhere.
fn short<'t>(system: &NetworkSystem, owner: Option<RequestId>, text: &'t str) -> &'t str {
    let rest = owner.and_then(|request| text.strip_prefix(system.request_name(request))).and_then(|rest| rest.strip_prefix('@'));
    rest.filter(|rest| !rest.is_empty()).unwrap_or(text)
}

/// Where in the text of its request a local state is: its name without values.
fn spot(system: &NetworkSystem, request: RequestId, local: LocalId) -> &str {
    let text = short(system, Some(request), system.local_name(local));
    text.split(' ').next().unwrap_or(text)
}

/// Groups of local states: those at the same place in the text of a request, then
/// all of a request. Local states of several requests are in none.
fn local_groups(
    graph: &mut Graph,
    system: &NetworkSystem,
    owners: &[Option<RequestId>],
    ranks: (u32, u32),
    noun: &str,
) -> Vec<Option<GroupId>> {
    let mut requests: BTreeMap<RequestId, GroupId> = BTreeMap::new();
    let mut spots: BTreeMap<(RequestId, &str), GroupId> = BTreeMap::new();
    let mut groups = Vec::new();
    for local in system.locals() {
        groups.push(owners[local.index()].map(|request| {
            let name = system.request_name(request);
            let whole = *requests.entry(request).or_insert_with(|| graph.group(Group::new(name, noun, ranks.1)));
            let spot = spot(system, request, local);
            let label = format!("{name}@{spot}");
            *spots.entry((request, spot)).or_insert_with(|| graph.group(Group::new(label, noun, ranks.0).within(whole)))
        }));
    }
    groups
}

/// Network systems, one per component.
pub fn system(systems: &[(&NetworkSystem, &dyn Labels)]) -> Graph {
    let mut graph = Graph::new("requests and local states");
    let sections = sections(&mut graph, systems.len());
    for (&(system, labels), section) in systems.iter().zip(sections) {
        let owners = owners(system);
        let groups = local_groups(&mut graph, system, &owners, (0, 1), "local states");
        let locals: Vec<NodeId> = system
            .locals()
            .map(|local| {
                let mut node = local_node(system, labels, local, owners[local.index()]).section(section);
                if let Some(group) = groups[local.index()] {
                    node = node.group(group);
                }
                graph.node(node)
            })
            .collect();
        for request in system.requests() {
            let node = graph.node(GraphNode::new(Shape::Request, system.request_name(request)).section(section));
            for &(_, local) in system.starts().iter().filter(|(other, _)| *other == request) {
                graph.edge(Edge::new(node, locals[local.index()]));
            }
        }
        let wording = Wording::new(system, labels);
        for from in system.locals() {
            for (to, line) in wording.lines(from) {
                let mut edge = Edge::new(locals[from.index()], locals[to.index()]);
                for label in line.labels {
                    edge = edge.label(label);
                }
                for title in line.titles {
                    edge = edge.title(title);
                }
                graph.edge(edge);
            }
        }
    }
    graph
}

fn local_node(system: &NetworkSystem, labels: &dyn Labels, local: LocalId, owner: Option<RequestId>) -> GraphNode {
    let name = system.local_name(local);
    let answers: Vec<&str> = system.answers_of(local).iter().map(|&(_, response)| system.response_name(response)).collect();
    if answers.is_empty() {
        return GraphNode::new(Shape::Local, short(system, owner, &labels.local(system, local))).title(name);
    }
    let answers = format!("answers {}", answers.join(", "));
    // The compiler calls these states by their answers.
    let is_plain = short(system, owner, name).strip_prefix("end ").is_some_and(|rest| answers == format!("answers {rest}"));
    let label = if is_plain { answers } else { format!("{}\n{answers}", short(system, owner, name)) };
    GraphNode::new(Shape::Answer, label).title(name)
}

/// Beyond this number of lines a reader cannot follow the arcs of a net, and its groups say more.
const MOST_ARCS: usize = 100;

/// The same for the edges of an automaton, each of which has a label.
const MOST_EDGES: usize = 120;

/// Serial automata, one per component.
pub fn automaton(automata: &[(&NetworkSystem, &SerialAutomaton, &dyn Labels)]) -> Graph {
    let mut graph = Graph::new("global states");
    graph.most_lines(MOST_EDGES);
    let sections = sections(&mut graph, automata.len());
    for (&(system, automaton, labels), section) in automata.iter().zip(sections) {
        let mut nodes = BTreeMap::new();
        for &state in automaton.states() {
            let mut node = GraphNode::new(Shape::Global, labels.global(system, state)).section(section);
            if state == automaton.initial() {
                node = node.initial();
            }
            nodes.insert(state, graph.node(node));
        }
        let mut lines: BTreeMap<_, BTreeMap<RequestId, Vec<&str>>> = BTreeMap::new();
        for edge in automaton.edges() {
            let line = lines.entry((edge.from, edge.to)).or_default();
            line.entry(edge.letter.0).or_default().push(system.response_name(edge.letter.1));
        }
        for ((from, to), requests) in lines {
            if let (Some(&from), Some(&to)) = (nodes.get(&from), nodes.get(&to)) {
                let texts = requests.iter().map(|(&request, answers)| format!("{} / {}", system.request_name(request), answers.join(", ")));
                graph.edge(texts.fold(Edge::new(from, to), Edge::label));
            }
        }
    }
    graph
}

/// More global states than this are the first to become one box: next to them,
/// what requests do is hard to see.
const FEW_GLOBALS: usize = 6;

/// The places that some token may get to: those that have one, and what
/// transitions give that take from such places only.
fn live(net: &Net) -> Vec<bool> {
    let mut live: Vec<bool> = net.places().map(|place| net.initial_tokens(place) > 0).collect();
    loop {
        let mut changed = false;
        for transition in net.transitions() {
            if net.inputs(transition).iter().all(|(place, _)| live[place.index()]) {
                for (place, _) in net.outputs(transition) {
                    changed |= !std::mem::replace(&mut live[place.index()], true);
                }
            }
        }
        if !changed {
            return live;
        }
    }
}

/// The interleaving net of a system.
#[derive(Clone, Copy, Debug)]
pub struct Interleaving<'a> {
    /// The system.
    pub system: &'a NetworkSystem,
    /// Its net.
    pub net: &'a Net,
    /// What each place stands for; places without an entry have their names alone.
    pub places: &'a [PlaceKind],
    /// What each transition stands for; the same.
    pub transitions: &'a [NetAction],
}

/// Interleaving nets, one per component.
pub fn net(nets: &[Interleaving<'_>]) -> Graph {
    let mut graph = Graph::new("places and transitions");
    graph.most_lines(MOST_ARCS);
    let sections = sections(&mut graph, nets.len());
    for (&Interleaving { system, net, places, transitions }, section) in nets.iter().zip(sections) {
        let owners = owners(system);
        // Ranks: steps between the same local states, many global states, places in the
        // text, few global states, whole requests.
        let global_rank = if system.global_count() > FEW_GLOBALS { 1 } else { 3 };
        let globals = graph.group(Group::new("global states", "places", global_rank));
        let locals = local_groups(&mut graph, system, &owners, (2, 4), "places");
        let mut answers: BTreeMap<RequestId, GroupId> = BTreeMap::new();
        let live = live(net);
        let mut nodes: Vec<Option<NodeId>> = Vec::new();
        for place in net.places() {
            if !live[place.index()] {
                nodes.push(None);
                continue;
            }
            let name = net.place_name(place);
            let node = match places.get(place.index()).copied() {
                Some(PlaceKind::Global(global)) => {
                    GraphNode::new(Shape::Place, system.global_name(global)).class("global-place").group(globals)
                }
                Some(PlaceKind::InFlight(request, local)) => {
                    let (request_name, local_name) = (system.request_name(request), system.local_name(local));
                    // Local states of programs have the name of their request in front.
                    let is_named = short(system, Some(request), local_name) != local_name;
                    let label = if is_named { local_name.to_owned() } else { format!("{request_name}: {local_name}") };
                    let node = GraphNode::new(Shape::Place, label);
                    match locals[local.index()] {
                        Some(group) => node.group(group),
                        None => node,
                    }
                }
                Some(PlaceKind::Answer(request, response)) => {
                    let name = system.request_name(request);
                    let group = *answers.entry(request).or_insert_with(|| graph.group(Group::new(format!("{name} answers"), "places", 2)));
                    GraphNode::new(Shape::Place, format!("{name} / {}", system.response_name(response))).class("answer-place").group(group)
                }
                None => GraphNode::new(Shape::Place, name),
            };
            nodes.push(Some(graph.node(node.title(name).tokens(net.initial_tokens(place)).section(section))));
        }
        let mut responds: BTreeMap<RequestId, GroupId> = BTreeMap::new();
        let mut steps: BTreeMap<RequestId, GroupId> = BTreeMap::new();
        let mut between: BTreeMap<(RequestId, &str, &str), GroupId> = BTreeMap::new();
        let mut same: BTreeMap<(RequestId, LocalId, LocalId), GroupId> = BTreeMap::new();
        for transition in net.transitions() {
            if net.inputs(transition).iter().any(|(place, _)| !live[place.index()]) {
                continue;
            }
            let node = match transitions.get(transition.index()).copied() {
                Some(NetAction::Spawn(..)) => GraphNode::new(Shape::Bar, "comes"),
                Some(NetAction::Respond(request, ..)) => {
                    let group = *responds.entry(request).or_insert_with(|| graph.group(Group::new("", "answers", 2)));
                    GraphNode::new(Shape::Bar, "answers").group(group)
                }
                Some(NetAction::Step(request, position)) => {
                    let name = system.request_name(request);
                    let node = GraphNode::new(Shape::Bar, "step");
                    match system.steps().get(position) {
                        Some(step) => {
                            let whole = *steps.entry(request).or_insert_with(|| graph.group(Group::new(name, "steps", 4)));
                            let spots = (request, spot(system, request, step.local), spot(system, request, step.to_local));
                            let part = *between.entry(spots).or_insert_with(|| graph.group(Group::new("", "steps", 2).within(whole)));
                            let states = (request, step.local, step.to_local);
                            node.group(*same.entry(states).or_insert_with(|| graph.group(Group::new("", "steps", 0).within(part))))
                        }
                        None => node,
                    }
                }
                None => GraphNode::new(Shape::Bar, net.transition_name(transition)),
            };
            let node = graph.node(node.title(net.transition_name(transition)).section(section));
            let weight = |edge: Edge, weight: u64| if weight == 1 { edge } else { edge.label(weight.to_string()) };
            for &(place, tokens) in net.inputs(transition) {
                if let Some(from) = nodes[place.index()] {
                    graph.edge(weight(Edge::new(from, node), tokens));
                }
            }
            for &(place, tokens) in net.outputs(transition) {
                if let Some(to) = nodes[place.index()] {
                    graph.edge(weight(Edge::new(node, to), tokens));
                }
            }
        }
    }
    graph
}
