//! The tree of a decomposition: each sequence that was looked at, and why it was replaced, in the words of the net.

use std::collections::BTreeMap;

use serval_budget::{Budget, Cancel};
use serval_diagnostic::counted;
use serval_linear::{Linear, Literal};
use serval_net_engine::decompose::{DecompositionOutcome, DecompositionRule, DecompositionSearch, Fate, RuleCounts, SequenceNode};
use serval_net_proof::decomposition::sequence::{Edge, Piece, Sequence, fired};
use serval_net_proof::decomposition::system::System;
use serval_net_proof::decomposition::{Covering, SequenceStep};
use serval_net_proof::{Evidence, Refusal, Run, check};
use serval_petri::{Formula, Net, words};
use serval_report::nets::{TreeAnswer, TreeFate, TreeGraph, TreeNode, TreePiece, TreeReport, TreeSizes};

use super::words_of::{Terms, listed};
use super::{NetInput, runs};

/// Nodes that a report has at most.
const MOST_NODES: usize = 5_000;
/// Rows of an equation that are written down at most.
const MOST_ROWS: usize = 200;
/// Names that a sentence has at most.
const NAMED: usize = 6;

/// How a tree is made.
#[derive(Clone)]
#[non_exhaustive]
pub struct TreeOptions {
    /// Sequences that are looked at, at most. Default: as many as there are.
    pub steps: Option<usize>,
    /// Ends the work from outside. Default: a flag that is never raised.
    pub cancel: Cancel,
    /// Ticks to make a run shorter. Default 200,000.
    pub shorten: u64,
}

impl Default for TreeOptions {
    fn default() -> Self {
        Self { steps: None, cancel: Cancel::new(), shorten: 200_000 }
    }
}

/// Decides whether the target can be reached by the decomposition alone, and shows how. What is found is accepted by
/// the checker.
///
/// ```
/// use serval::nets::{NetInput, NetKind, TreeOptions, decomposed};
/// let input = NetInput::read("pl a (1)\ntr t a -> a b*2\n", NetKind::Tina).unwrap();
/// let target = input.target("a=1, b=1").unwrap();
/// let tree = decomposed(&input, "a=1, b=1", &target, &TreeOptions::default());
/// assert_eq!(tree.answer.words(), "not reachable");
/// assert_eq!(tree.nodes[0].said, "the equation has no solution");
/// ```
pub fn decomposed(input: &NetInput, name: &str, target: &Formula, options: &TreeOptions) -> TreeReport {
    let net = input.net();
    let mut report = TreeReport {
        schema: 1,
        file: String::new(),
        target: name.to_owned(),
        answer: TreeAnswer::Undecided,
        reason: None,
        sizes: TreeSizes::default(),
        nodes: Vec::new(),
        left_out: 0,
        run: None,
    };
    let budget = &mut Budget::new(u64::MAX, options.cancel.clone());
    let mut search = match DecompositionSearch::new(net, target, DecompositionRule::ORDER) {
        Ok(search) => search.keeping(),
        Err(refusal) => {
            report.reason = Some(told(&refusal));
            return report;
        }
    };
    let said = loop {
        if options.steps.is_some_and(|most| search.counts.nodes >= most) && search.open() > 0 {
            report.reason = Some(format!("stopped after {}", counted(search.counts.nodes, "step")));
            break None;
        }
        match search.step(budget) {
            Ok(None) => {}
            Ok(Some(said)) => break Some(said),
            Err(refusal) => {
                report.reason = Some(told(&refusal));
                break None;
            }
        }
    };
    report.sizes = sizes(search.counts, search.open());
    let counts = search.counts;
    match said {
        Some(DecompositionOutcome::Reached(run)) => reached(&mut report, input, target, run, options),
        Some(DecompositionOutcome::Excluded(steps)) => {
            let evidence = Evidence::Decomposition(steps);
            report.answer = TreeAnswer::Unreachable;
            if let Err(refusal) = check(net, target, evidence.claim(), &evidence, &mut Budget::new(u64::MAX, options.cancel.clone())) {
                refused(&mut report, &refusal);
            }
        }
        Some(DecompositionOutcome::Nothing) => report.reason = Some("numbers that are not to divide something are too large".to_owned()),
        None => {}
    }
    let nodes = search.into_nodes();
    report.left_out = nodes.len().saturating_sub(MOST_NODES);
    report.nodes = shown(input, nodes, counts);
    report
}

fn told(refusal: &Refusal) -> String {
    match refusal {
        Refusal::TooLarge { what, limit } => format!("there was too much on the way: more than {limit} {what}"),
        Refusal::Stopped(_) => "stopped before the tree was whole".to_owned(),
        Refusal::Invalid(rejection) => format!("internal error: {rejection}"),
        Refusal::System(never) => match *never {},
    }
}

fn refused(report: &mut TreeReport, refusal: &Refusal) {
    report.answer = if matches!(refusal, Refusal::Invalid(_)) { TreeAnswer::Error } else { TreeAnswer::Undecided };
    report.reason = Some(match refusal {
        Refusal::Invalid(rejection) => format!("internal error: the checker refuses our evidence: {rejection}"),
        other => told(other),
    });
}

fn reached(report: &mut TreeReport, input: &NetInput, target: &Formula, run: Run, options: &TreeOptions) {
    let net = input.net();
    let (run, shortest) = runs::shortened(net, target, run, &mut Budget::new(options.shorten, options.cancel.clone()));
    let evidence = Evidence::Run(run.clone());
    report.answer = TreeAnswer::Reachable;
    if let Err(refusal) = check(net, target, evidence.claim(), &evidence, &mut Budget::new(u64::MAX, options.cancel.clone())) {
        refused(report, &refusal);
        return;
    }
    report.run = runs::told(net, &run, shortest, "the target is reached".to_owned());
    if let Some(run) = &mut report.run {
        input.in_states(run);
    }
}

fn sizes(counts: RuleCounts, open: usize) -> TreeSizes {
    TreeSizes {
        sequences: counts.nodes,
        open,
        refuted: counts.refuted,
        forward: counts.forward,
        backward: counts.backward,
        parts: counts.leave,
        value: counts.value,
        arcs: counts.first,
        most_pieces: counts.pieces,
        most_arcs: counts.arcs,
        rounds: counts.rounds,
    }
}

/// All nodes in words.
fn shown(input: &NetInput, nodes: Vec<SequenceNode>, counts: RuleCounts) -> Vec<TreeNode> {
    let terms = Terms::new(input);
    let (mut children, mut cut): (BTreeMap<usize, usize>, BTreeMap<usize, usize>) = (BTreeMap::new(), BTreeMap::new());
    for node in &nodes {
        if let Some(parent) = node.parent {
            *children.entry(parent).or_default() += 1;
            *cut.entry(parent).or_default() += usize::from(matches!(node.fate, Fate::Replaced(SequenceStep::Refuted(_))));
        }
    }
    let numbered = nodes.into_iter().take(MOST_NODES).enumerate();
    let node = |(number, node): (usize, SequenceNode)| {
        let of = |map: &BTreeMap<usize, usize>| map.get(&number).copied().unwrap_or(0);
        let (children, cut) = (of(&children), of(&cut));
        let NodeWords { fate, said, why } = in_words(&terms, &node, (children, cut), counts);
        let covering = match &node.fate {
            Fate::Replaced(SequenceStep::Forward(covering)) => Some(covering_graph(&terms, &node.sequence, covering, true)),
            Fate::Replaced(SequenceStep::Backward(covering)) => Some(covering_graph(&terms, &node.sequence, covering, false)),
            _ => None,
        };
        let conditions = node.sequence.rows.iter().filter_map(|row| words::text(&Formula::constraint(row.clone()), terms.net));
        TreeNode {
            number,
            parent: node.parent,
            case: node.case + 1,
            pieces: node.sequence.pieces.iter().map(|piece| piece_shown(&terms, piece)).collect(),
            joints: node.sequence.joints.iter().map(|&joint| terms.net.transition_name(joint).to_owned()).collect(),
            conditions: conditions.collect(),
            equation: equation(terms.net, &node.sequence),
            fate,
            said,
            why,
            children,
            cut,
            covering,
        }
    };
    numbered.map(node).collect()
}

/// A piece, of which only those vertices are shown that arcs, entry and exit touch.
fn piece_shown(terms: &Terms<'_>, piece: &Piece) -> TreePiece {
    let touched = piece.arcs.iter().flat_map(|arc| [arc.from, arc.to]).chain([piece.entry, piece.exit]);
    let numbers: BTreeMap<usize, usize> = {
        let mut touched: Vec<usize> = touched.collect();
        touched.sort_unstable();
        touched.dedup();
        touched.into_iter().enumerate().map(|(new, old)| (old, new)).collect()
    };
    let at = |vertex: usize| numbers.get(&vertex).copied().unwrap_or(0);
    let arc = |arc: &Edge| (at(arc.from), terms.net.transition_name(arc.transition).to_owned(), at(arc.to));
    let graph = TreeGraph {
        vertices: numbers.keys().map(|&vertex| terms.label(&piece.labels[vertex])).collect(),
        arcs: piece.arcs.iter().map(arc).collect(),
        entry: Some(at(piece.entry)),
        exit: Some(at(piece.exit)),
    };
    TreePiece { first: terms.label(&piece.first), last: terms.label(&piece.last), graph }
}

/// The covering graph of a piece; of its ends it has only one.
fn covering_graph(terms: &Terms<'_>, sequence: &Sequence, covering: &Covering, forward: bool) -> TreeGraph {
    let mut graph = TreeGraph {
        vertices: covering.vertices.iter().map(|vertex| terms.label(&vertex.1)).collect(),
        arcs: Vec::new(),
        entry: forward.then_some(0),
        exit: (!forward).then_some(0),
    };
    let Some(piece) = sequence.pieces.get(covering.piece) else { return graph };
    let mut edges = covering.edges.iter();
    for (number, (vertex, label)) in covering.vertices.iter().enumerate() {
        for arc in piece.arcs.iter().filter(|arc| *vertex == if forward { arc.from } else { arc.to }) {
            let fires = matches!(fired(terms.net, label, arc.transition, forward), Ok(Some(_)));
            if fires && let Some(&edge) = edges.next() {
                let (from, to) = if forward { (number, edge) } else { (edge, number) };
                graph.arcs.push((from, terms.net.transition_name(arc.transition).to_owned(), to));
            }
        }
    }
    graph
}

/// The rows of the characteristic system, as far as they are not too many. A variable is an arc: how often it is used.
fn equation(net: &Net, sequence: &Sequence) -> Vec<String> {
    let Ok(System { problem, .. }) = System::new(net, sequence, false, &mut Budget::unlimited()) else { return Vec::new() };
    let several = sequence.pieces.len() > 1;
    let mut names: Vec<String> = Vec::new();
    for (number, piece) in sequence.pieces.iter().enumerate() {
        let mut used: BTreeMap<usize, usize> = BTreeMap::new();
        for arc in piece.arcs.iter() {
            *used.entry(arc.transition.index()).or_default() += 1;
        }
        for arc in piece.arcs.iter() {
            let mut name = words::quoted(net.transition_name(arc.transition));
            // A transition may be on several arcs of a piece, and in several pieces.
            if used.get(&arc.transition.index()).is_some_and(|&used| used > 1) {
                name = format!("{name}[{}→{}]", arc.from, arc.to);
            }
            names.push(if several { format!("{name}@{}", number + 1) } else { name });
        }
    }
    let rows = problem.equalities.iter().map(|row| format!("{} = 0", sum(row, &names)));
    let bounds = problem.inequalities.iter().map(|row| format!("{} ≥ 0", sum(row, &names)));
    let clauses = problem.clauses.iter().flatten().filter_map(|literal| match literal {
        Literal::NotDivisible(linear, divisor) => Some(format!("{divisor} does not divide {}", sum(linear, &names))),
        Literal::AtLeastZero(_) => None,
    });
    let mut rows: Vec<String> = rows.chain(bounds).chain(clauses).collect();
    if let Some(more) = rows.len().checked_sub(MOST_ROWS).filter(|&more| more > 0) {
        rows.truncate(MOST_ROWS);
        rows.push(format!("… and {more} more"));
    }
    rows
}

/// `3 + 2·make − carry`.
fn sum(linear: &Linear, names: &[String]) -> String {
    let mut out = String::new();
    let constant = (linear.constant() != 0 || linear.terms().is_empty()).then(|| (linear.constant(), None));
    let name = |variable: u32| usize::try_from(variable).ok().and_then(|variable| names.get(variable)).map_or("?", String::as_str);
    let terms = linear.terms().iter().map(|&(variable, factor)| (factor, Some(name(variable))));
    for (number, (factor, name)) in constant.into_iter().chain(terms).enumerate() {
        out.push_str(match (number, factor < 0) {
            (0, true) => "−",
            (0, false) => "",
            (_, true) => " − ",
            (_, false) => " + ",
        });
        let size = factor.unsigned_abs();
        match name {
            None => out.push_str(&size.to_string()),
            Some(name) if size == 1 => out.push_str(name),
            Some(name) => out.extend([&size.to_string(), "·", name]),
        }
    }
    out
}

/// What became of a node.
struct NodeWords {
    fate: TreeFate,
    said: String,
    why: String,
}

/// How many cases there are, and what the equation makes of them.
fn cases(children: usize, cut: usize) -> String {
    match (children, cut) {
        (0, _) => "No case is left".to_owned(),
        (1, 0) => "There is one case".to_owned(),
        (1, _) => "There is one case, which the equation cuts".to_owned(),
        (all, 0) => format!("There are {all} cases"),
        (all, cut) if all == cut => format!("There are {all} cases, all of which the equation cuts"),
        (all, cut) => format!("There are {all} cases, {cut} of which the equation cuts"),
    }
}

fn in_words(terms: &Terms<'_>, node: &SequenceNode, (children, cut): (usize, usize), counts: RuleCounts) -> NodeWords {
    let how_many = || match children {
        0 => "; no case is left".to_owned(),
        1 => String::new(),
        several => format!("; {several} cases"),
    };
    let cases = cases(children, cut);
    let each = |what: &str| if children > 1 { format!("{cases}, one for each {what}.") } else { format!("{cases}.") };
    let (fate, said, why) = match &node.fate {
        Fate::Open => (TreeFate::Open, "open".to_owned(), "It has not been looked at yet.".to_owned()),
        Fate::Perfect => (
            TreeFate::Perfect,
            "perfect: there is a run".to_owned(),
            format!(
                "It is perfect: the equation has a solution, every arc and every number that is left open can be as large as one likes, and every piece can be filled from its beginning and emptied towards its end. So there is a run; it pumps {}.",
                match counts.rounds {
                    0 => "not at all".to_owned(),
                    1 => "once".to_owned(),
                    rounds => format!("{rounds} times"),
                }
            ),
        ),
        Fate::Replaced(SequenceStep::Refuted(tree)) => (
            TreeFate::Refuted,
            "the equation has no solution".to_owned(),
            format!(
                "The equation has no solution in natural numbers, by a proof tree of {}; so it has no run.",
                counted(tree.nodes.len(), "node")
            ),
        ),
        Fate::Replaced(SequenceStep::Forward(covering)) => {
            let (said, why) = covered(terms, &node.sequence, covering, true);
            (TreeFate::Forward, format!("{said}{}", how_many()), format!("{why} {}", each("marking of the graph where the piece can end")))
        }
        Fate::Replaced(SequenceStep::Backward(covering)) => {
            let (said, why) = covered(terms, &node.sequence, covering, false);
            (
                TreeFate::Backward,
                format!("{said}{}", how_many()),
                format!("{why} {}", each("marking of the graph where the piece can begin")),
            )
        }
        Fate::Replaced(SequenceStep::Order(order)) => {
            let mut parts = order.numbers.clone();
            parts.sort_unstable();
            parts.dedup();
            let (piece, parts) = (order.piece + 1, counted(parts.len(), "part"));
            let why = format!(
                "The graph of piece {piece} is not strongly connected: it has {parts}, which are numbered so that no arc leads back."
            );
            (TreeFate::Order, format!("piece {piece} has {parts}"), why)
        }
        Fate::Replaced(SequenceStep::Leave(piece)) => {
            let why = format!(
                "Piece {} begins in one of its parts and ends in the same or a later one; it is split at the arc by which it leaves the part where it begins. {cases}.",
                piece + 1
            );
            (TreeFate::Leave, format!("piece {} leaves its first part{}", piece + 1, how_many()), why)
        }
        Fate::Replaced(SequenceStep::Value(value)) => {
            let (end, place) = (if value.last { "end" } else { "beginning" }, terms.place(value.place));
            let (piece, least, most) = (value.piece + 1, value.least, value.most);
            let numbers = if least == most { format!("{least}") } else { format!("{least} to {most}") };
            let why = format!(
                "At the {end} of piece {piece}, {place} is not free: all solutions of the equation have {numbers} there, and a proof tree shows it. {}",
                each("number")
            );
            (TreeFate::Value, format!("{place} is {numbers} at the {end} of piece {piece}{}", how_many()), why)
        }
        Fate::Replaced(SequenceStep::First(first)) => {
            let piece = node.sequence.pieces.get(first.piece);
            let arc = |&arc: &usize| {
                piece.and_then(|piece| piece.arcs.get(arc)).map(|arc| format!("“{}”", terms.net.transition_name(arc.transition)))
            };
            let arcs = listed(&first.arcs.iter().filter_map(arc).collect::<Vec<_>>(), NAMED);
            let number = first.piece + 1;
            let why = format!(
                "In piece {number} the arcs {arcs} are used finitely often in all solutions of the equation. Either none of them is used, or one of them is the first. {cases}."
            );
            (TreeFate::Arcs, format!("{arcs} in piece {number} are used finitely often{}", how_many()), why)
        }
    };
    NodeWords { fate, said, why }
}

/// A piece that cannot be pumped, and its covering graph.
fn covered(terms: &Terms<'_>, sequence: &Sequence, covering: &Covering, forward: bool) -> (String, String) {
    let number = covering.piece + 1;
    let omegas = covering.vertices.iter().map(|vertex| vertex.1.iter().filter(|tokens| tokens.is_none()).count()).max().unwrap_or(0);
    let markings = counted(covering.vertices.len(), "marking");
    let (direction, what, from) = match forward {
        true => ("forwards", "filled from its beginning", "from there"),
        false => ("backwards", "emptied towards its end", "to there"),
    };
    let open: Vec<String> = sequence.pieces.get(covering.piece).map_or_else(Vec::new, |piece| {
        let (vertex, label) = if forward { (piece.entry, &piece.first) } else { (piece.exit, &piece.last) };
        let pumped = (0..label.len()).filter(|&place| label[place].is_some() && piece.labels[vertex][place].is_none());
        pumped.map(|place| terms.place(place)).collect()
    });
    let why = format!(
        "Piece {number} cannot be {what}: no cycle {from} adds to all of {} at once. Its covering graph {direction} has {markings} with at most {} at ω, where the piece has {}.",
        listed(&open, NAMED),
        counted(omegas, "place"),
        sequence.pieces.get(covering.piece).map_or(0, |piece| piece.labels[if forward { piece.entry } else { piece.exit }]
            .iter()
            .filter(|tokens| tokens.is_none())
            .count())
    );
    (format!("piece {number} covered {direction}: {markings}"), why)
}
