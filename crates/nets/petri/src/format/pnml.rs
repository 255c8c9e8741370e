//! The Petri Net Markup Language, grammar of 2009, for place/transition nets.
//!
//! Written: one page; ids `p0`, `p1`, … for places, `t0`, … for transitions,
//! `a0`, … for arcs, by their positions; names in `<name><text>`. A name with
//! characters that XML does not have, or does not keep, has a stand-in there and
//! is given exactly, as hexadecimal UTF-8, in a
//! `<toolspecific tool="serval">`.
//!
//! Read: one net of the type `ptnet`, any number of pages, nested or not, reference places and reference transitions,
//! inscriptions, initial markings. A node is called as `<name><text>` says, exactly, or by its id where there is none;
//! where two places would be called alike, all places are called by their ids, and the same for transitions. Skipped:
//! graphics, what is specific to tools, names of pages and arcs. Symmetric nets (type `symmetricnet`) are unfolded, as
//! its module says. Refused: other high-level nets, several nets unless they are composed ([`read_composed`]), weights
//! of 0, arcs between two places or two transitions, and any element that is not known, as it might change what the net
//! means.
//!
//! ```
//! use serval_petri::{Net, pnml};
//! let mut net = Net::new("example");
//! let place = net.add_place("a < b", 1).unwrap();
//! net.add_transition("t", [(place, 3)], []).unwrap();
//! let read = pnml::read(&pnml::write(&net)).unwrap();
//! assert_eq!(read.net, net);
//! assert_eq!(read.ids.place("p0"), Some(place));
//! ```

mod symmetric;

use std::fmt::Write;

use roxmltree::Node;
use rustc_hash::{FxHashMap, FxHashSet};

use super::xml::{elements, error, is_plain, only_child, parse, push_escaped, text_of};
use super::{FormatError, Limits};
use crate::{Arc, Net, PlaceId, TransitionId};

const NAMESPACE: &str = "http://www.pnml.org/version-2009/grammar/pnml";
const PLACE_TRANSITION: &str = "http://www.pnml.org/version-2009/grammar/ptnet";
const SYMMETRIC: &str = "http://www.pnml.org/version-2009/grammar/symmetricnet";
/// How deep pages may nest: deeper than in any known model.
const NESTING: usize = 1000;
/// The tool that a `<toolspecific>` with an exact name is for.
const TOOL: &str = "serval";

/// A net that was read, and what the file calls its nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadNet {
    /// The net.
    pub net: Net,
    /// The ids of its nodes, which is what questions in files of their own
    /// speak of.
    pub ids: Ids,
}

/// The nodes of a net by the ids that a file gives them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ids {
    places: FxHashMap<String, PlaceId>,
    transitions: FxHashMap<String, TransitionId>,
    /// What nodes of a symmetric net have become: a place for each colour, a transition for each choice of colours that
    /// is allowed.
    unfolded_places: FxHashMap<String, Vec<PlaceId>>,
    unfolded_transitions: FxHashMap<String, Vec<TransitionId>>,
}

impl Ids {
    /// The ids that [`write()`] gives.
    pub fn written(net: &Net) -> Self {
        Self {
            places: net.places().map(|place| (place_id(place), place)).collect(),
            transitions: net.transitions().map(|transition| (transition_id(transition), transition)).collect(),
            ..Self::default()
        }
    }

    /// The names of the nodes, for nets from files that have no ids.
    pub fn named(net: &Net) -> Self {
        Self {
            places: net.places().map(|place| (net.place_name(place).to_owned(), place)).collect(),
            transitions: net.transitions().map(|transition| (net.transition_name(transition).to_owned(), transition)).collect(),
            ..Self::default()
        }
    }

    /// The place with this id, also where it is the id of a reference to it.
    pub fn place(&self, id: &str) -> Option<PlaceId> {
        self.places.get(id).copied()
    }

    /// As [`Ids::place`], for transitions.
    pub fn transition(&self, id: &str) -> Option<TransitionId> {
        self.transitions.get(id).copied()
    }

    /// The places that the place with this id is: itself, or in a symmetric net those of all its colours, whose tokens
    /// are its tokens.
    pub fn places_of(&self, id: &str) -> Option<&[PlaceId]> {
        // What the file itself calls so comes before what unfolding does.
        self.unfolded_places.get(id).map(Vec::as_slice).or_else(|| self.places.get(id).map(std::slice::from_ref))
    }

    /// As [`Ids::places_of`], for transitions: one can fire where one of these can.
    pub fn transitions_of(&self, id: &str) -> Option<&[TransitionId]> {
        self.unfolded_transitions.get(id).map(Vec::as_slice).or_else(|| self.transitions.get(id).map(std::slice::from_ref))
    }

    /// Whether unfolding has made something else than one node of a node of the file.
    pub fn has_colours(&self) -> bool {
        self.unfolded_places.values().any(|all| all.len() != 1) || self.unfolded_transitions.values().any(|all| all.len() != 1)
    }

    /// All ids of places and of transitions, sorted.
    pub fn all(&self) -> [Vec<&str>; 2] {
        let mut all = [
            self.places.keys().chain(self.unfolded_places.keys()).map(String::as_str).collect::<Vec<_>>(),
            self.transitions.keys().chain(self.unfolded_transitions.keys()).map(String::as_str).collect(),
        ];
        for ids in &mut all {
            ids.sort_unstable();
            ids.dedup();
        }
        all
    }
}

/// The id that a place is written with.
pub(super) fn place_id(place: PlaceId) -> String {
    format!("p{}", place.index())
}

fn transition_id(transition: TransitionId) -> String {
    format!("t{}", transition.index())
}

fn push_name(text: &mut String, name: &str) {
    text.push_str("<name><text>");
    push_escaped(text, name);
    text.push_str("</text></name>");
    if !is_plain(name) {
        let _ = write!(text, "<toolspecific tool=\"{TOOL}\" version=\"1\"><name>");
        for byte in name.bytes() {
            let _ = write!(text, "{byte:02x}");
        }
        text.push_str("</name></toolspecific>");
    }
}

/// The net as text. Different nets give different texts.
pub fn write(net: &Net) -> String {
    // Writing to a string does not fail.
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(text, "<pnml xmlns=\"{NAMESPACE}\">\n<net id=\"net\" type=\"{PLACE_TRANSITION}\">");
    push_name(&mut text, net.name());
    text.push_str("\n<page id=\"page\">\n");
    for place in net.places() {
        let _ = write!(text, "<place id=\"{}\">", place_id(place));
        push_name(&mut text, net.place_name(place));
        match net.initial_tokens(place) {
            0 => {}
            tokens => {
                let _ = write!(text, "<initialMarking><text>{tokens}</text></initialMarking>");
            }
        }
        text.push_str("</place>\n");
    }
    for transition in net.transitions() {
        let _ = write!(text, "<transition id=\"{}\">", transition_id(transition));
        push_name(&mut text, net.transition_name(transition));
        text.push_str("</transition>\n");
    }
    let mut arcs = 0_usize;
    let mut push_arc = |source: &str, target: &str, weight: u64| {
        let _ = write!(text, "<arc id=\"a{arcs}\" source=\"{source}\" target=\"{target}\"");
        let _ = match weight {
            1 => writeln!(text, "/>"),
            _ => writeln!(text, "><inscription><text>{weight}</text></inscription></arc>"),
        };
        arcs += 1;
    };
    for transition in net.transitions() {
        let id = transition_id(transition);
        for &(place, weight) in net.inputs(transition) {
            push_arc(&place_id(place), &id, weight);
        }
        for &(place, weight) in net.outputs(transition) {
            push_arc(&id, &place_id(place), weight);
        }
    }
    text.push_str("</page>\n</net>\n</pnml>\n");
    text
}

/// Reads a net within the default [`Limits`].
pub fn read(text: &str) -> Result<ReadNet, FormatError> {
    read_within(text, &Limits::default())
}

/// Reads a net.
pub fn read_within(text: &str, limits: &Limits) -> Result<ReadNet, FormatError> {
    read_as(text, limits, false)
}

/// Reads all pages of all nets of a file as one net, in which transitions with the same name are one transition: it
/// takes what all of them take and gives what all of them give. Places remain apart.
pub fn read_composed(text: &str, limits: &Limits) -> Result<ReadNet, FormatError> {
    read_as(text, limits, true)
}

fn read_as(text: &str, limits: &Limits, is_composed: bool) -> Result<ReadNet, FormatError> {
    let document = parse(text, limits)?;
    let root = document.root_element();
    if root.tag_name().name() != "pnml" {
        let name = root.tag_name().name();
        return Err(error(root, format!("expected <pnml>, found <{name}>")).misspelt(name, ["pnml"]));
    }
    let mut nets = elements(root).filter(|&(name, _)| name == "net").map(|(_, net)| net);
    let Some(net) = nets.next() else {
        return Err(match elements(root).next() {
            Some((name, child)) => error(child, format!("expected <net>, found <{name}>")).misspelt(name, ["net"]),
            None => error(root, "there is no <net>"),
        });
    };
    let kind = net.attribute("type").unwrap_or("");
    let mut reader = PnmlReader::new(limits, kind == SYMMETRIC);
    for one in std::iter::once(net).chain(nets) {
        if one != net && !is_composed {
            return Err(error(one, "a second <net>; one is read, unless nets are composed"));
        }
        let kind = one.attribute("type").unwrap_or("");
        if kind != PLACE_TRANSITION && kind != SYMMETRIC {
            let known = format!("only place/transition nets: “{PLACE_TRANSITION}”, and symmetric nets: “{SYMMETRIC}”");
            return Err(error(one, format!("nets of the type “{kind}” are not supported, {known}")));
        }
        if (kind == SYMMETRIC) != reader.is_symmetric {
            return Err(error(one, "nets of different types cannot be composed"));
        }
        reader.collect(one)?;
    }
    match (reader.is_symmetric, is_composed) {
        (true, true) => Err(error(net, "symmetric nets cannot be composed; unfold each, and compose what comes out")),
        (true, false) => symmetric::unfold(&reader, net),
        (false, _) => reader.finish(net, is_composed),
    }
}

/// Places or transitions, as they are collected.
#[derive(Default)]
struct Nodes<'a, 'i> {
    /// Each with its id, its name, its tokens and its element.
    own: Vec<(&'a str, Option<String>, u64, Node<'a, 'i>)>,
    /// What references refer to.
    referred: FxHashMap<&'a str, &'a str>,
    /// The references in the order of the text.
    references: Vec<(&'a str, Node<'a, 'i>)>,
}

impl<'a> Nodes<'a, '_> {
    /// All ids that stand for something.
    fn resolve_all(&self, what: &str) -> Result<FxHashMap<&'a str, usize>, FormatError> {
        let mut found: FxHashMap<&'a str, usize> = self.own.iter().enumerate().map(|(position, node)| (node.0, position)).collect();
        for &(id, node) in &self.references {
            // Each way is walked once: what it passes is found afterwards.
            let mut way = Vec::new();
            let mut here = id;
            let position = loop {
                if let Some(&position) = found.get(here) {
                    break position;
                }
                way.push(here);
                match self.referred.get(here) {
                    // A longer way comes back to where it was.
                    Some(&other) if way.len() <= self.referred.len() => here = other,
                    Some(_) => return Err(error(node, format!("this reference leads to no {what}: it comes back to itself"))),
                    None => {
                        let known = sorted(self.own.iter().map(|(id, ..)| id).chain(self.referred.keys()));
                        return Err(
                            error(node, format!("this reference leads to no {what}: there is no {what} “{here}”")).misspelt(here, known)
                        );
                    }
                }
            };
            found.extend(way.into_iter().map(|id| (id, position)));
        }
        Ok(found)
    }

    /// What the nodes are called.
    fn names(&self) -> Vec<String> {
        let given: Vec<&str> = self.own.iter().map(|(id, name, ..)| name.as_deref().unwrap_or(id)).collect();
        let different: FxHashSet<&str> = given.iter().copied().collect();
        if different.len() == given.len() {
            given.into_iter().map(str::to_owned).collect()
        } else {
            self.own.iter().map(|&(id, ..)| id.to_owned()).collect()
        }
    }
}

impl Nodes<'_, '_> {
    /// What the nodes are called where those with the same name are one, and by node which of these it is.
    fn fused(&self) -> (Vec<String>, Vec<usize>) {
        let mut numbers: FxHashMap<&str, usize> = FxHashMap::default();
        let mut names: Vec<String> = Vec::new();
        let mut which = Vec::with_capacity(self.own.len());
        for (id, name, ..) in &self.own {
            let name = name.as_deref().unwrap_or(id);
            which.push(*numbers.entry(name).or_insert_with(|| {
                names.push(name.to_owned());
                names.len() - 1
            }));
        }
        (names, which)
    }
}

/// Ids in an order that does not depend on tables.
fn sorted<'a>(ids: impl Iterator<Item = &'a &'a str>) -> Vec<&'a str> {
    let mut ids: Vec<&str> = ids.copied().collect();
    ids.sort_unstable();
    ids
}

struct PnmlReader<'a, 'i> {
    limits: &'a Limits,
    /// Whether tokens have colours.
    is_symmetric: bool,
    /// What a symmetric net declares.
    declarations: Vec<Node<'a, 'i>>,
    places: Nodes<'a, 'i>,
    transitions: Nodes<'a, 'i>,
    arcs: Vec<Node<'a, 'i>>,
    /// Of all elements, as no two may share one.
    ids: FxHashSet<&'a str>,
}

/// Elements of a node that say nothing about what the net does.
const DECORATIONS: [&str; 3] = ["graphics", "toolspecific", "name"];
/// What a page has beside that.
const ON_PAGES: [&str; 6] = ["page", "place", "transition", "arc", "referencePlace", "referenceTransition"];

fn is_decoration(name: &str) -> bool {
    DECORATIONS.contains(&name)
}

/// The exact name in what is specific to this tool, if there is one.
fn exact_name(node: Node<'_, '_>) -> Result<Option<String>, FormatError> {
    let ours = elements(node).find(|(name, child)| *name == "toolspecific" && child.attribute("tool") == Some(TOOL));
    let Some((_, specific)) = ours else { return Ok(None) };
    let Some(name) = only_child(specific, "name")? else { return Ok(None) };
    let digits = text_of(name)?;
    let pairs = digits.as_bytes().chunks(2);
    let byte = |pair: &[u8]| match pair {
        [high, low] => u8::try_from(char::from(*high).to_digit(16)? << 4 | char::from(*low).to_digit(16)?).ok(),
        _ => None,
    };
    let bytes: Option<Vec<u8>> = pairs.map(byte).collect();
    match bytes.and_then(|bytes| String::from_utf8(bytes).ok()) {
        Some(exact) => Ok(Some(exact)),
        None => Err(error(name, "expected a name as hexadecimal UTF-8")),
    }
}

fn name_of(node: Node<'_, '_>) -> Result<Option<String>, FormatError> {
    if let Some(exact) = exact_name(node)? {
        return Ok(Some(exact));
    }
    let Some(name) = only_child(node, "name")? else { return Ok(None) };
    only_child(name, "text")?.map(text_of).transpose()
}

/// The number in `<name><text>`.
fn number_of(node: Node<'_, '_>, name: &str) -> Result<Option<u64>, FormatError> {
    let Some(child) = only_child(node, name)? else { return Ok(None) };
    let Some(text) = only_child(child, "text")? else { return Err(error(child, format!("<{name}> without <text>"))) };
    let written = text_of(text)?;
    match written.trim().parse() {
        Ok(number) => Ok(Some(number)),
        Err(_) => Err(error(text, format!("expected a number of 64 bits, found “{}”", written.trim()))),
    }
}

fn attribute<'a>(node: Node<'a, '_>, name: &str) -> Result<&'a str, FormatError> {
    node.attribute(name).ok_or_else(|| error(node, format!("<{}> without `{name}`", node.tag_name().name())))
}

fn check_children(node: Node<'_, '_>, known: &[&str]) -> Result<(), FormatError> {
    match elements(node).find(|&(name, _)| !is_decoration(name) && !known.contains(&name)) {
        Some((name @ ("type" | "hlinitialMarking" | "hlinscription" | "condition"), child)) => {
            Err(error(child, format!("<{name}> belongs to high-level nets or special arcs, which are not supported")))
        }
        Some((name, child)) => {
            let message = format!("<{name}> within <{}> is not supported", node.tag_name().name());
            Err(error(child, message).misspelt(name, DECORATIONS.iter().chain(known).copied()))
        }
        None => Ok(()),
    }
}

impl<'a, 'i> PnmlReader<'a, 'i> {
    fn new(limits: &'a Limits, is_symmetric: bool) -> Self {
        let nodes = Nodes::default;
        let (arcs, declarations) = (Vec::new(), Vec::new());
        Self { limits, is_symmetric, declarations, places: nodes(), transitions: nodes(), arcs, ids: FxHashSet::default() }
    }

    /// Collects what is on all pages, in the order of the text.
    fn collect(&mut self, net: Node<'a, 'i>) -> Result<(), FormatError> {
        // What remains of the element and of those around it.
        let mut open = vec![net.children()];
        while let Some(children) = open.last_mut() {
            let Some(child) = children.next() else {
                open.pop();
                continue;
            };
            if !child.is_element() {
                continue;
            }
            match child.tag_name().name() {
                "page" if open.len() > NESTING => return Err(error(child, format!("pages nest more than {NESTING} deep"))),
                "page" => open.push(child.children()),
                "place" => {
                    check_children(child, if self.is_symmetric { &["type", "hlinitialMarking"] } else { &["initialMarking"] })?;
                    let tokens = number_of(child, "initialMarking")?.unwrap_or(0);
                    let id = self.id(child)?;
                    own(&mut self.places, child, id, tokens, self.limits)?;
                }
                "transition" => {
                    check_children(child, if self.is_symmetric { &["condition"] } else { &[] })?;
                    let id = self.id(child)?;
                    own(&mut self.transitions, child, id, 0, self.limits)?;
                }
                "referencePlace" => {
                    let id = self.id(child)?;
                    refer(&mut self.places, child, id)?;
                }
                "referenceTransition" => {
                    let id = self.id(child)?;
                    refer(&mut self.transitions, child, id)?;
                }
                "arc" => {
                    check_children(child, if self.is_symmetric { &["hlinscription"] } else { &["inscription"] })?;
                    if child.attribute("id").is_some() {
                        self.id(child)?;
                    }
                    if self.arcs.len() >= self.limits.arcs {
                        return Err(error(child, format!("more than {} arcs", self.limits.arcs)));
                    }
                    self.arcs.push(child);
                }
                "declaration" if self.is_symmetric => self.declarations.push(child),
                "declaration" => return Err(error(child, "<declaration> belongs to high-level nets, which are not supported")),
                name if is_decoration(name) => {}
                name => {
                    let known = ON_PAGES.into_iter().chain(DECORATIONS);
                    return Err(error(child, format!("<{name}> is not supported")).misspelt(name, known));
                }
            }
        }
        Ok(())
    }

    /// The id of an element, which no other may have.
    fn id(&mut self, node: Node<'a, 'i>) -> Result<&'a str, FormatError> {
        let id = attribute(node, "id")?;
        if self.ids.insert(id) { Ok(id) } else { Err(error(node, format!("a second element with the id “{id}”"))) }
    }

    /// The arcs, each with whether it leaves a transition, and the places and transitions, both by all their ids.
    fn ends(&self) -> Result<Ends<'a, 'i>, FormatError> {
        let (places, transitions) = (self.places.resolve_all("place")?, self.transitions.resolve_all("transition")?);
        let mut arcs = Vec::with_capacity(self.arcs.len());
        for &arc in &self.arcs {
            let (source, target) = (attribute(arc, "source")?, attribute(arc, "target")?);
            let (side, place, transition) = match (places.get(source), transitions.get(target), transitions.get(source), places.get(target))
            {
                (Some(&place), Some(&transition), _, _) => (0, place, transition),
                (_, _, Some(&transition), Some(&place)) => (1, place, transition),
                _ => {
                    let is_known = |id: &str| places.contains_key(id) || transitions.contains_key(id);
                    return Err(match [source, target].into_iter().find(|id| !is_known(id)) {
                        Some(id) => {
                            let message = format!("there is no place or transition “{id}”");
                            error(arc, message).misspelt(id, sorted(places.keys().chain(transitions.keys())))
                        }
                        None => error(arc, format!("“{source}” and “{target}” are not a place and a transition")),
                    });
                }
            };
            arcs.push(ArcEnd { arc, side, place, transition });
        }
        Ok(Ends { arcs, places, transitions })
    }

    fn finish(self, root: Node<'a, 'i>, is_composed: bool) -> Result<ReadNet, FormatError> {
        let ends = self.ends()?;
        let (names, which) =
            if is_composed { self.transitions.fused() } else { (self.transitions.names(), (0..self.transitions.own.len()).collect()) };
        let mut arcs: Vec<[Vec<(usize, u64)>; 2]> = vec![Default::default(); names.len()];
        for end in &ends.arcs {
            let weight = number_of(end.arc, "inscription")?.unwrap_or(1);
            if weight == 0 {
                return Err(error(end.arc, "an arc of weight 0"));
            }
            arcs[which[end.transition]][end.side].push((end.place, weight));
        }

        let mut net = Net::new(name_of(root)?.unwrap_or_else(|| root.attribute("id").unwrap_or("").to_owned()));
        let mut place_ids: Vec<PlaceId> = Vec::with_capacity(self.places.own.len());
        for (name, node) in self.places.names().into_iter().zip(&self.places.own) {
            place_ids.push(net.add_place(name, node.2).map_err(|problem| error(root, problem.to_string()))?);
        }
        let mut transition_ids: Vec<TransitionId> = Vec::with_capacity(self.transitions.own.len());
        for (name, [inputs, outputs]) in names.into_iter().zip(arcs) {
            let named =
                |arcs: Vec<(usize, u64)>| -> Vec<Arc> { arcs.into_iter().map(|(place, weight)| (place_ids[place], weight)).collect() };
            let added = net.add_transition(name, named(inputs), named(outputs));
            transition_ids.push(added.map_err(|problem| error(root, problem.to_string()))?);
        }
        let ids = Ids {
            places: ends.places.into_iter().map(|(id, position)| (id.to_owned(), place_ids[position])).collect(),
            transitions: ends.transitions.into_iter().map(|(id, position)| (id.to_owned(), transition_ids[which[position]])).collect(),
            ..Ids::default()
        };
        Ok(ReadNet { net, ids })
    }
}

/// An arc between a place and a transition, by their positions.
struct ArcEnd<'a, 'i> {
    arc: Node<'a, 'i>,
    /// 0 where the transition takes, 1 where it gives.
    side: usize,
    place: usize,
    transition: usize,
}

/// Arcs, and what ids stand for.
struct Ends<'a, 'i> {
    arcs: Vec<ArcEnd<'a, 'i>>,
    places: FxHashMap<&'a str, usize>,
    transitions: FxHashMap<&'a str, usize>,
}

fn own<'a, 'i>(nodes: &mut Nodes<'a, 'i>, node: Node<'a, 'i>, id: &'a str, tokens: u64, limits: &Limits) -> Result<(), FormatError> {
    if nodes.own.len() >= limits.nodes {
        return Err(error(node, format!("more than {} places or transitions", limits.nodes)));
    }
    nodes.own.push((id, name_of(node)?, tokens, node));
    Ok(())
}

fn refer<'a, 'i>(nodes: &mut Nodes<'a, 'i>, node: Node<'a, 'i>, id: &'a str) -> Result<(), FormatError> {
    check_children(node, &[])?;
    nodes.referred.insert(id, attribute(node, "ref")?);
    nodes.references.push((id, node));
    Ok(())
}
