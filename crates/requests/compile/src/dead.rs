//! Branches that no run comes to.
//!
//! All states are known here, so the steps from all of them are run once more, and the nodes that they pass are marked.
//! The states are an over-approximation, and a node of the graph that is run stands for one or more of the text: where
//! none of the nodes with which a branch begins is passed, no run with any number of requests comes to that branch. The
//! other way round nothing is said.
//!
//! A branch is a block that stands in the text behind `if`, `else` or `while`; blocks that convenience forms become are
//! none, and where one begins at the same place, both must never be begun. A function that is called in several
//! places, and a request with a parameter, stand in the graph several times; the branch is reported only if none of its
//! copies is ever begun, and only where a condition that leads to it is evaluated, since of what stands inside of a
//! branch that is never begun nothing more has to be said. Nor is a branch that a constant or a parameter switches off:
//! that is meant, or a warning says it without any states.

use indexmap::IndexMap;
use serval_model::{GlobalId, LocalId};
use serval_syntax::ast::{Block, Expr};
use serval_syntax::{Diagnostic, Span, SyntaxKind, parse};

use crate::compiled::{Compiled, Component};
use crate::error::NEVER_BEGUN;
use crate::graph::NodeId;
use crate::machine::Scratch;

/// Operations that are run at most to know this. Where they are not enough, nothing is said.
const MOST_OPERATIONS: u64 = 2_000_000;

/// A branch, and its copies in the graph that is run.
struct WrittenBranch {
    place: Span,
    /// Where the conditions that lead to it begin.
    heads: Vec<NodeId>,
    /// Whether it can be switched on and off by a constant.
    switched: bool,
    /// Where they themselves begin.
    entries: Vec<NodeId>,
}

/// What is worth a note: each branch that no run comes to, once.
pub(crate) fn never_begun(compiled: &Compiled, text: &str) -> Vec<Diagnostic> {
    let branches = written_branches(compiled, text);
    let Some(passed) = passed(compiled, &branches) else { return Vec::new() };
    let is_passed = |node: &NodeId| passed[node.index()];
    let dead = branches.iter().filter(|branch| branch.heads.iter().any(is_passed) && !branch.entries.iter().any(is_passed));
    let note = |branch: &WrittenBranch| {
        Diagnostic::note(NEVER_BEGUN, branch.place, "this never runs: no run of any number of requests comes here")
            .label("the condition never leads here")
            .with_note("the verdict says nothing about what stands here")
            .help("see whether a variable begins with the value that is meant, as in `var Balance := 100`, or remove it")
    };
    dead.map(note).collect()
}

/// The branches of the text, each with its copies.
fn written_branches(compiled: &Compiled, text: &str) -> Vec<WrittenBranch> {
    let prepared = compiled.prepared();
    // By where they begin: where they end depends on what forms become.
    let mut branches: IndexMap<u32, WrittenBranch> = IndexMap::new();
    for place in blocks(text) {
        branches.insert(place.start, WrittenBranch { place, heads: Vec::new(), switched: false, entries: Vec::new() });
    }
    for branch in prepared.branches() {
        if let Some(written) = branches.get_mut(&branch.place.start) {
            written.switched |= branch.switched;
            // What has no image is never passed.
            written.heads.extend(prepared.image_of_node(branch.head));
            written.entries.extend(prepared.image_of_node(branch.entry));
        }
    }
    branches.into_values().filter(|branch| !branch.switched).collect()
}

/// Where the statements of the blocks stand that follow a condition or `else`. A loop that only waits is none of them:
/// that no request ever has to wait there is no mistake.
fn blocks(text: &str) -> Vec<Span> {
    let tree = parse(text).syntax();
    let branching = tree.descendants().filter_map(Expr::cast);
    let branching = branching.filter(|expr| matches!(expr.kind(), SyntaxKind::IfExpr | SyntaxKind::WhileExpr));
    let blocks = branching.flat_map(|expr| expr.blocks().collect::<Vec<_>>());
    blocks
        .filter(|block| block.statements().any(|statement| statement.kind() != SyntaxKind::YieldExpr))
        .filter_map(|block| place(&block))
        .collect()
}

/// Where the statements of a block stand. One that begins with a parenthesis is left out, since expressions stand
/// without theirs.
fn place(block: &Block) -> Option<Span> {
    let first = block.statements().next()?;
    let last = block.statements().last()?;
    let begins = first.syntax().first_token()?;
    let place = Span::new(first.syntax().text_range().start().into(), last.syntax().text_range().end().into());
    (begins.text() != "(").then_some(place)
}

/// Which nodes the steps from all pairs of states pass; `None` where it takes too long to know that. It ends early
/// where every branch has been begun.
fn passed(compiled: &Compiled, branches: &[WrittenBranch]) -> Option<Vec<bool>> {
    let nodes = compiled.prepared().machine().graph.nodes.len();
    let mut scratch = Scratch::marking(nodes);
    let mut open: Vec<&WrittenBranch> = branches.iter().collect();
    let mut left = MOST_OPERATIONS;
    for component in compiled.components() {
        for &(local, global) in component.pairs() {
            open.retain(|branch| !branch.entries.iter().any(|node| scratch.passed[node.index()]));
            if open.is_empty() {
                return Some(scratch.passed);
            }
            let cost = step(component, local, global, &mut scratch).saturating_add(open.len() as u64);
            left = left.checked_sub(cost)?;
        }
    }
    Some(scratch.passed)
}

/// Runs the steps from a pair of states; how many operations that takes.
fn step(component: &Component, local: LocalId, global: GlobalId, scratch: &mut Scratch) -> u64 {
    serval_budget::checkpoint::pass();
    let waiting = &component.local_states()[local.index()].waiting;
    component.machine().step(waiting, component.global_values(global), scratch, &mut |_| {}).1
}
