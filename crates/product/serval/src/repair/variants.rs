//! What can be done about one pause, or about one request, as changes of the text.
//!
//! All of these are candidates. What is offered is decided by the checker and by what the changed text answers, so that
//! nothing here has to be right; what is here should be what an engineer would write.

use std::collections::BTreeSet;

use serval_syntax::ast::Expr;
use serval_syntax::{SyntaxKind, SyntaxNode};

use super::effects::{TextNames, extent, first_token};
use super::lock::words;
use super::pauses::Pause;
use super::rewrite::{Places, Rewriting};
use super::serial::AddedRefusal;

/// The kinds of repairs that keep every pause, in the order in which they are offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RepairKind {
    /// What was read is read again, or compared, when the pause is over.
    CheckAgain,
    /// A mark is set before the pause, so that others see it.
    ClaimFirst,
    /// The pause comes before or behind lines that are one step then.
    OneTransaction,
    /// A lock around requests.
    Lock,
    /// A version that is compared when the pause is over.
    Version,
    /// The request may be refused at any time.
    Refuse,
}

impl RepairKind {
    /// Its name for machines.
    pub fn name(self) -> &'static str {
        match self {
            Self::CheckAgain => "check-again",
            Self::ClaimFirst => "claim-first",
            Self::OneTransaction => "one-transaction",
            Self::Lock => "lock",
            Self::Version => "version",
            Self::Refuse => "refuse",
        }
    }

    /// All of them, in order.
    pub const ALL: [Self; 6] = [Self::CheckAgain, Self::ClaimFirst, Self::OneTransaction, Self::Lock, Self::Version, Self::Refuse];
}

/// What is done about one pause.
#[derive(Clone, Debug)]
pub(crate) struct Variant {
    pub(crate) kind: RepairKind,
    /// The pause, by its position among those of the text.
    pub(crate) pause: usize,
    /// At which `yield`s requests wait there, by their positions.
    pub(crate) waits: BTreeSet<usize>,
    /// Larger changes cost more.
    pub(crate) cost: u32,
    pub(crate) changes: Vec<Rewriting>,
    /// What is done, in words.
    pub(crate) words: String,
    pub(crate) refusals: BTreeSet<AddedRefusal>,
}

/// What variants are made from.
pub(crate) struct Workshop<'a> {
    pub(crate) text: &'a str,
    pub(crate) places: Places<'a>,
    pub(crate) names: TextNames,
    /// The globals that some request writes.
    pub(crate) written: BTreeSet<String>,
    /// Every word of the text.
    used: BTreeSet<String>,
}

/// What a request refuses with where it has nothing of its own.
const CONFLICT: &str = "409";
/// How many of the refusals of a request are tried.
const REFUSALS: usize = 2;

impl<'a> Workshop<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let names = TextNames::of(text);
        let written = names.effects(&serval_syntax::parse(text).syntax()).writes;
        Self { text, places: Places { text }, names, written, used: words(text) }
    }

    /// A name that the text does not have.
    pub(crate) fn new_name(&self, wanted: &str) -> String {
        let mut numbers = 1_u32..;
        let mut next = || numbers.next().map(|number| if number == 1 { wanted.to_owned() } else { format!("{wanted}_{number}") });
        std::iter::from_fn(&mut next).find(|name| !self.used.contains(name)).unwrap_or_default()
    }

    /// All that can be done about a pause, the smallest first within each kind.
    pub(crate) fn variants(&self, pause: &Pause, stale: &BTreeSet<String>) -> Vec<Variant> {
        let mut found = Vec::new();
        if pause.rest().is_empty() {
            return found;
        }
        let seen = self.seen(pause, stale);
        self.again(pause, &seen, &mut found);
        self.compare(pause, &seen, &mut found);
        self.begin_again(pause, &seen, &mut found);
        self.claim(pause, &mut found);
        self.mark(pause, &seen, &mut found);
        self.moves(pause, &seen, &mut found);
        self.versions(pause, &seen, &mut found);
        self.refuse(pause, &seen, &mut found);
        found
    }

    /// The globals that were read before a pause and may be others behind it.
    fn seen(&self, pause: &Pause, stale: &BTreeSet<String>) -> BTreeSet<String> {
        let read: BTreeSet<String> = pause.before().iter().flat_map(|node| self.names.effects(node).reads).collect();
        let known: BTreeSet<String> = read.intersection(stale).cloned().collect();
        if known.is_empty() { read.intersection(&self.written).cloned().collect() } else { known }
    }

    /// The expressions by which these globals are read before a pause: `A`, `B[i]`.
    pub(crate) fn read_as(&self, pause: &Pause, seen: &BTreeSet<String>) -> BTreeSet<String> {
        let parts = pause.before().into_iter().flat_map(|node| node.descendants().collect::<Vec<_>>());
        let reads = parts.filter(|part| matches!(part.kind(), SyntaxKind::NameExpr | SyntaxKind::IndexExpr));
        let of = reads.filter(|part| first_token(part).is_some_and(|name| seen.contains(name.text())));
        of.map(|part| self.places.words(&part).to_owned()).collect()
    }

    /// The numbers with which a request refuses.
    pub(crate) fn own_refusals(&self, pause: &Pause) -> Vec<String> {
        self.refusals_of(&pause.body)
    }

    /// The numbers that statements answer where they have changed nothing: to say one of them when nothing has been
    /// done is no lie.
    pub(crate) fn refusals_of(&self, body: &[Expr]) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        let mut add = |answer: Option<Expr>| {
            let refusal = answer.filter(|answer| self.has_changed_nothing(answer.syntax(), body));
            if let Some(words) = refusal.and_then(|answer| self.number(&answer)).filter(|words| !found.contains(words)) {
                found.push(words);
            }
        };
        for statement in body {
            for node in statement.syntax().descendants() {
                match node.kind() {
                    SyntaxKind::ReturnExpr => add(Expr::cast(node).and_then(|returned| returned.operands().next())),
                    SyntaxKind::IfExpr => {
                        let blocks = Expr::cast(node).into_iter().flat_map(|branch| branch.blocks().collect::<Vec<_>>());
                        blocks.for_each(|block| add(block.statements().last()));
                    }
                    _ => {}
                }
            }
        }
        add(body.last().cloned());
        found.truncate(REFUSALS + 1);
        found
    }

    /// Whether what is evaluated before a part of a body writes no global.
    fn has_changed_nothing(&self, part: &SyntaxNode, body: &[Expr]) -> bool {
        let mut node = part.clone();
        while let Some(parent) = node.parent() {
            let before = parent.children().take_while(|child| *child != node);
            // Of an `if` and its condition the other blocks are not evaluated.
            let is_block = |child: &SyntaxNode| parent.kind() == SyntaxKind::IfExpr && child.kind() == SyntaxKind::Block;
            if before.into_iter().filter(|child| !is_block(child)).any(|child| self.leaves_a_trace(&child)) {
                return false;
            }
            if body.iter().any(|statement| *statement.syntax() == node) {
                return true;
            }
            node = parent;
        }
        true
    }

    /// Whether evaluation goes on behind something that writes a global.
    fn leaves_a_trace(&self, node: &SyntaxNode) -> bool {
        let ends =
            |block: &SyntaxNode| block.children().filter_map(Expr::cast).last().is_some_and(|last| last.kind() == SyntaxKind::ReturnExpr);
        match node.kind() {
            SyntaxKind::IfExpr => node.children().any(|child| self.leaves_a_trace(&child)),
            SyntaxKind::Block if ends(node) => false,
            SyntaxKind::Block => node.children().any(|child| self.leaves_a_trace(&child)),
            _ => !self.names.effects(node).writes.is_empty(),
        }
    }

    /// A number or the name of one, as it is written.
    fn number(&self, expression: &Expr) -> Option<String> {
        let node = expression.syntax();
        let is_number = match expression.kind() {
            SyntaxKind::NumberExpr => true,
            SyntaxKind::NameExpr => first_token(node).is_some_and(|name| self.names.is_constant(name.text())),
            SyntaxKind::NegateExpr => expression.operands().all(|operand| operand.kind() == SyntaxKind::NumberExpr),
            _ => false,
        };
        is_number.then(|| self.places.words(node).to_owned())
    }

    /// An answer as machines write it.
    pub(crate) fn value_of(&self, answer: &str) -> Option<i64> {
        let plain: String = answer.chars().filter(|letter| !letter.is_whitespace()).collect();
        plain.parse().ok().or_else(|| self.names.value(&plain))
    }

    /// A number that no text of an answer has.
    pub(crate) fn new_refusal(&self) -> Option<String> {
        (!self.used.contains(CONFLICT)).then(|| CONFLICT.to_owned())
    }

    /// `return e`, or what stands for it where the request has no such word.
    pub(crate) fn refusing(&self, condition: &str, answer: &str) -> String {
        format!("if ({condition}) {{ return {answer} }};")
    }

    /// The statements of a block before a pause that read these globals, or what was read from them, and change
    /// nothing.
    pub(crate) fn repeated(&self, statements: &[Expr], tainted: &mut BTreeSet<String>, seen: &BTreeSet<String>) -> Vec<String> {
        let mut found = Vec::new();
        for statement in statements {
            let effects = self.names.effects(statement.syntax());
            if !effects.repeats() || effects.reads.is_disjoint(seen) && effects.uses.is_disjoint(tainted) {
                continue;
            }
            tainted.extend(effects.assigns);
            found.push(format!("{};", self.places.words(statement.syntax())));
        }
        found
    }

    /// Whether a statement of these can end the request.
    pub(crate) fn decides(&self, statements: &[Expr], seen: &BTreeSet<String>) -> bool {
        statements.iter().any(|statement| {
            let effects = self.names.effects(statement.syntax());
            effects.returns && effects.repeats() && !(effects.reads.is_disjoint(seen) && effects.uses.is_empty())
        })
    }

    /// Where the condition of a block is written.
    pub(crate) fn condition_of(&self, branch: &Expr, block: usize) -> Option<String> {
        branch.conditions().nth(block).map(|condition| self.places.words(condition.syntax()).to_owned())
    }

    pub(crate) fn variant(&self, kind: RepairKind, pause: &Pause, cost: u32, changes: Vec<Rewriting>, words: String) -> Variant {
        Variant { kind, pause: pause.number, waits: pause.waits.clone(), cost, changes, words, refusals: BTreeSet::new() }
    }
}

/// `A`, `A and B`
pub(crate) fn listed(names: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let names: Vec<String> = names.into_iter().map(|name| format!("`{}`", name.as_ref())).collect();
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        Some((only, _)) => only.clone(),
        None => String::new(),
    }
}

/// `line 4`, `lines 4 to 7`
pub(crate) fn lines(text: &str, first: &SyntaxNode, last: &SyntaxNode) -> String {
    let line = |at: usize| 1 + text.get(..at).unwrap_or_default().matches('\n').count();
    let (from, to) = (line(extent(first).0), line(extent(last).1));
    if from == to { format!("line {from}") } else { format!("lines {from} to {to}") }
}
