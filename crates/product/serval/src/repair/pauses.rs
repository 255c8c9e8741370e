//! The pauses of a text, each as the statement in which others may run, and what stands around it.
//!
//! Where a function pauses, a call of it is a pause of the caller, too.

use std::collections::BTreeSet;

use serval_syntax::ast::{Block, Expr, Function, Request, SourceFile};
use serval_syntax::{SyntaxKind, SyntaxNode, parse};

use super::effects::{extent, first_token, is_repeated};
use super::yields::Yield;

/// A statement in which others may run.
pub(crate) struct Pause {
    /// Its position among those of the text.
    pub(crate) number: usize,
    /// The positions of its `yield`s among those of the text.
    pub(crate) waits: BTreeSet<usize>,
    /// Its line.
    pub(crate) line: u32,
    /// Whether it is something else than a `yield` that may be moved.
    pub(crate) stays: bool,
    /// The request or function in which it stands.
    pub(crate) owner: String,
    /// All statements of that.
    pub(crate) body: Vec<Expr>,
    /// Whether that is a request, in which `return` gives the answer.
    pub(crate) in_request: bool,
    /// Whether a loop stands around it.
    pub(crate) in_loop: bool,
    /// The blocks around it, the innermost first, up to the first loop.
    pub(crate) levels: Vec<BlockLevel>,
}

/// A block around a pause.
pub(crate) struct BlockLevel {
    pub(crate) statements: Vec<Expr>,
    /// The statement with the pause in it.
    pub(crate) at: usize,
    /// The `if` of which this is a block, and which of its blocks, where the `if` is a statement.
    pub(crate) arm: Option<(Expr, usize)>,
}

impl Pause {
    /// The block in which it stands.
    pub(crate) fn block(&self) -> &BlockLevel {
        &self.levels[0]
    }

    /// The statement.
    pub(crate) fn statement(&self) -> &Expr {
        let BlockLevel { statements, at, .. } = self.block();
        &statements[*at]
    }

    /// The first and the last statement of what would be one step without it: with the `if` around it, if nothing else
    /// pauses before it there.
    pub(crate) fn step(&self, pauses: &dyn Fn(&SyntaxNode) -> bool) -> (SyntaxNode, SyntaxNode) {
        let BlockLevel { statements, at, arm } = self.block();
        let word = self.statement().syntax();
        let begin = statements[..*at].iter().rposition(|one| pauses(one.syntax())).map_or(0, |at| at + 1);
        let count = statements[at + 1..].iter().take_while(|one| !pauses(one.syntax())).count();
        let around = arm.as_ref().filter(|_| begin == 0).map(|(branch, _)| branch.syntax());
        let first = around.or_else(|| statements.get(begin).map(Expr::syntax)).unwrap_or(word);
        let last = statements.get(at + count).map_or(word, Expr::syntax);
        (first.clone(), last.clone())
    }

    /// What follows in its block.
    pub(crate) fn rest(&self) -> &[Expr] {
        let BlockLevel { statements, at, .. } = self.block();
        &statements[at + 1..]
    }

    /// What comes before it: in each block, and the conditions of the `if`s around, the first first.
    pub(crate) fn before(&self) -> Vec<SyntaxNode> {
        let mut found = Vec::new();
        for level in self.levels.iter().rev() {
            found.extend(level.statements[..level.at].iter().map(|statement| statement.syntax().clone()));
            if let Some(next) = level.statements.get(level.at).filter(|next| next.kind() == SyntaxKind::IfExpr) {
                found.extend(next.conditions().map(|condition| condition.syntax().clone()));
            }
        }
        found
    }
}

/// In longer texts, and in those with more `yield`s, no pauses are looked at one by one.
const MOST_BYTES: usize = 100_000;
const MOST_YIELDS: usize = 100;

/// The pauses of a text with these `yield`s; none where it is too large for that. `calls` says whether a function of
/// this name pauses.
pub(crate) fn pauses(text: &str, yields: &[Yield], keeps: &dyn Fn(&Yield) -> bool, calls: &dyn Fn(&str) -> bool) -> Vec<Pause> {
    if text.len() > MOST_BYTES || yields.len() > MOST_YIELDS {
        return Vec::new();
    }
    let root = parse(text).syntax();
    let words: Vec<SyntaxNode> = root.descendants().filter(|node| node.kind() == SyntaxKind::YieldExpr).collect();
    let (mut found, mut in_functions) = (Vec::new(), BTreeSet::new());
    for (number, one) in yields.iter().enumerate() {
        let Some(word) = words.iter().find(|word| extent(word).0 == one.span.range().start) else { continue };
        let Some(statement) = statement_of(word) else { continue };
        if statement.ancestors().any(|around| around.kind() == SyntaxKind::Function) {
            in_functions.insert(number);
        }
        let stays = keeps(one) || statement != *word;
        found.extend(pause(&statement, BTreeSet::from([number]), one.place.line, stays));
    }
    let calls =
        root.descendants().filter(|node| node.kind() == SyntaxKind::CallExpr && first_token(node).is_some_and(|name| calls(name.text())));
    let mut callers: Vec<SyntaxNode> = calls.filter_map(|call| statement_of(&call)).collect();
    callers.dedup();
    for statement in callers {
        let line = text.get(..extent(&statement).0).unwrap_or_default().matches('\n').count() + 1;
        found.extend(pause(&statement, in_functions.clone(), u32::try_from(line).unwrap_or(u32::MAX), true));
    }
    for (number, pause) in found.iter_mut().enumerate() {
        pause.number = number;
    }
    found
}

/// The statement in which something stands, in the innermost block.
fn statement_of(node: &SyntaxNode) -> Option<SyntaxNode> {
    let in_block = |one: &SyntaxNode| one.parent().is_some_and(|parent| statements_of(&parent).is_some());
    node.ancestors().find(in_block)
}

fn pause(statement: &SyntaxNode, waits: BTreeSet<usize>, line: u32, stays: bool) -> Option<Pause> {
    let (levels, around) = levels(statement)?;
    let (owner, in_request, body) = owner(statement)?;
    let in_loop = around || statement.ancestors().any(|node| is_repeated(node.kind()));
    Some(Pause { number: 0, waits, line, stays, owner, body, in_request, in_loop, levels })
}

fn statements_of(block: &SyntaxNode) -> Option<Vec<Expr>> {
    match block.kind() {
        SyntaxKind::Block => Block::cast(block.clone()).map(|block| block.statements().collect()),
        SyntaxKind::SourceFile => SourceFile::cast(block.clone()).map(|file| file.statements().collect()),
        _ => None,
    }
}

/// The blocks around a statement, and whether a loop ended them.
fn levels(word: &SyntaxNode) -> Option<(Vec<BlockLevel>, bool)> {
    let (mut found, mut statement) = (Vec::new(), word.clone());
    loop {
        let block = statement.parent()?;
        let Some(statements) = statements_of(&block) else {
            // The `if` is a part of something larger.
            return (!found.is_empty()).then_some((found, false));
        };
        let at = statements.iter().position(|one| *one.syntax() == statement)?;
        let around = block.parent();
        let arm = around.clone().and_then(Expr::cast).filter(|around| around.kind() == SyntaxKind::IfExpr).and_then(|around| {
            let position = around.blocks().position(|one| *one.syntax() == block)?;
            let is_statement = around.syntax().parent().is_some_and(|parent| statements_of(&parent).is_some());
            is_statement.then_some((around, position))
        });
        let next = arm.as_ref().map(|(around, _)| around.syntax().clone());
        found.push(BlockLevel { statements, at, arm });
        match next {
            Some(next) => statement = next,
            None => return Some((found, around.is_some_and(|around| is_repeated(around.kind())))),
        }
    }
}

/// The request or function around a node: its name, whether it is a request, and its statements.
fn owner(node: &SyntaxNode) -> Option<(String, bool, Vec<Expr>)> {
    node.ancestors().find_map(|around| match around.kind() {
        SyntaxKind::Request => {
            let request = Request::cast(around)?;
            Some((request.name()?.text().to_owned(), true, request.body()?.statements().collect()))
        }
        SyntaxKind::Function => {
            let function = Function::cast(around)?;
            Some((function.name()?.text().to_owned(), false, function.body()?.statements().collect()))
        }
        SyntaxKind::SourceFile => Some(("request".to_owned(), true, SourceFile::cast(around)?.statements().collect())),
        _ => None,
    })
}
