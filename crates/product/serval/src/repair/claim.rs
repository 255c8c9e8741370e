//! Claiming first: what others have to see is written before the pause.
//!
//! Either a write comes before the pause that stood behind it, or a mark of its own says that a request is at it, which
//! others refuse in the way in which they refuse already.

use std::collections::BTreeSet;

use serval_syntax::SyntaxKind;
use serval_syntax::ast::{Expr, Var};

use super::effects::extent;
use super::pauses::Pause;
use super::rewrite::Rewriting;
use super::variants::{RepairKind, Variant, Workshop, lines, listed};

/// How many of a request's own refusals are tried.
const REFUSALS: usize = 2;

impl Workshop<'_> {
    /// The statements behind a pause that write and can be moved, up to the next pause.
    fn writes_behind<'p>(&self, pause: &'p Pause) -> Vec<&'p Expr> {
        let claimed: BTreeSet<String> = pause.before().iter().flat_map(|node| self.names.effects(node).writes).collect();
        let until_pause = pause.rest().iter().take_while(|statement| !self.names.effects(statement.syntax()).pauses);
        let writes = until_pause.filter(|statement| {
            let effects = self.names.effects(statement.syntax());
            // What is written on both sides of the pause marks that a request is in it: taking it back is no claim.
            !effects.writes.is_empty() && !effects.returns && effects.writes.is_disjoint(&claimed)
        });
        // The last statement is the answer.
        writes.filter(|statement| pause.rest().last() != Some(*statement)).collect()
    }

    /// A write, or all of them, before the pause.
    pub(crate) fn claim(&self, pause: &Pause, found: &mut Vec<Variant>) {
        let writes = self.writes_behind(pause);
        let mut sets: Vec<Vec<&Expr>> = writes.iter().map(|write| vec![*write]).collect();
        if writes.len() > 1 {
            sets.push(writes);
        }
        for (cost, set) in (10..).zip(sets) {
            let moved: Vec<String> = set.iter().map(|write| self.places.with_comment(write)).collect();
            let names: BTreeSet<String> = set.iter().flat_map(|write| self.names.effects(write.syntax()).writes).collect();
            let mut changes = vec![self.places.before(pause.statement(), &moved)];
            changes.extend(set.iter().map(|write| self.places.without(write)));
            let words = format!("set {} before the pause on line {} ({})", listed(names), pause.line, pause.owner);
            found.push(self.variant(RepairKind::ClaimFirst, pause, cost, changes, words));
        }
    }

    /// A mark of its own from before the pause to the answer.
    pub(crate) fn mark(&self, pause: &Pause, seen: &BTreeSet<String>, found: &mut Vec<Variant>) {
        let reads = self.read_as(pause, seen);
        let Some(read) = reads.iter().next().filter(|_| reads.len() == 1) else { return };
        if pause.in_loop {
            return;
        }
        let name = self.new_name("Pending");
        let index = read.find('[').map_or("", |at| &read[at..]);
        let mark = format!("{name}{index}");
        let Some(declared) = self.declared(&name, read) else { return };
        let Some(taken_back) = self.at_answers(pause, &format!("{mark} := 0")) else { return };
        for (cost, answer) in (20..).zip(self.own_refusals(pause).into_iter().take(REFUSALS)) {
            let first = [self.refusing(&mark, &answer), format!("{mark} := 1;")];
            let mut changes = vec![self.places.before(pause.statement(), &first)];
            changes.extend(declared.clone());
            changes.extend(taken_back.clone());
            let words = format!(
                "mark with `{mark}` what waits in the pause on line {}, and answer {answer} where it is marked ({})",
                pause.line, pause.owner
            );
            found.push(self.variant(RepairKind::ClaimFirst, pause, cost, changes, words));
        }
    }

    /// The declaration of a mark for what is read so, behind the one of that; nothing where that has none.
    fn declared(&self, name: &str, read: &str) -> Option<Option<Rewriting>> {
        let of = read.split('[').next().unwrap_or(read);
        let root = serval_syntax::parse(self.text).syntax();
        let var = root.children().filter_map(Var::cast).find(|var| var.name().is_some_and(|known| known.text() == of));
        let Some(var) = var else { return (!read.contains('[')).then_some(None) };
        let indices = var.indices().map(|range| format!("[{}]", self.places.words(range.syntax())));
        let at = extent(var.syntax()).0;
        let text = format!("var {name}{}: 0..1\n", indices.collect::<String>());
        Some(Some(Rewriting { from: at, to: at, rank: 0, text }))
    }

    /// Does something right before every answer that comes behind a pause in its block, or at the end of the block.
    pub(crate) fn at_answers(&self, pause: &Pause, done: &str) -> Option<Vec<Rewriting>> {
        let (last, rest) = pause.rest().split_last()?;
        let mut changes = Vec::new();
        for statement in rest {
            for returned in statement.syntax().descendants().filter(|node| node.kind() == SyntaxKind::ReturnExpr) {
                let is_statement = returned.parent().is_some_and(|parent| parent.kind() == SyntaxKind::Block);
                let value = Expr::cast(returned.clone())?;
                if !is_statement || !self.is_local(&value) {
                    return None;
                }
                changes.push(self.places.before(&value, &[format!("{done};")]));
            }
        }
        if self.is_local(last) {
            changes.push(Rewriting { rank: 2, ..self.places.before(last, &[format!("{done};")]) });
        } else {
            let (from, to) = extent(last.syntax());
            let words = self.places.words(last.syntax());
            let answer = self.new_name("answer");
            let (back, value) = words.strip_prefix("return ").map_or(("", words), |value| ("return ", value));
            changes.push(Rewriting { from, to, rank: 2, text: format!("{answer} := {value}; {done}; {back}{answer}") });
        }
        Some(changes)
    }

    /// Whether something is computed from numbers and locals alone.
    fn is_local(&self, expression: &Expr) -> bool {
        let effects = self.names.effects(expression.syntax());
        effects.reads.is_empty() && effects.assigns.is_empty() && effects.repeats()
    }

    /// The pause before or behind lines that are then one step.
    pub(crate) fn moves(&self, pause: &Pause, seen: &BTreeSet<String>, found: &mut Vec<Variant>) {
        if pause.stays || pause.in_loop {
            return;
        }
        let block = pause.block();
        let (before, rest) = (&block.statements[..block.at], pause.rest());
        let moved = self.places.with_comment(pause.statement());
        let gone = self.places.without(pause.statement());
        let from = |statement: &&Expr| self.names.effects(statement.syntax()).pauses;
        let stretch = before.iter().rposition(|statement| from(&statement)).map_or(0, |at| at + 1);
        let reads = before.iter().position(|statement| !self.names.effects(statement.syntax()).reads.is_disjoint(seen));
        let mut earlier: Vec<usize> = reads.into_iter().filter(|&at| at > stretch).chain([stretch]).collect();
        earlier.dedup();
        let (Some(end), what) = (rest.last(), &pause.owner) else { return };
        for (cost, at) in (30..).zip(earlier.into_iter().filter(|&at| at < block.at)) {
            let changes = vec![Rewriting { rank: 2, ..self.places.before(&before[at], std::slice::from_ref(&moved)) }, gone.clone()];
            let lines = lines(self.text, before[at].syntax(), end.syntax());
            let words = format!("make one step of {lines}, with the pause of line {} before it ({what})", pause.line);
            found.push(self.variant(RepairKind::OneTransaction, pause, cost, changes, words));
        }
        let last_write = rest.iter().rposition(|statement| !self.names.effects(statement.syntax()).writes.is_empty());
        let first = before.get(stretch).unwrap_or(pause.statement());
        for (cost, write) in (32..).zip(last_write.filter(|at| at + 1 < rest.len()).and_then(|at| rest.get(at))) {
            let changes = vec![self.places.behind(write, std::slice::from_ref(&moved), 4), gone.clone()];
            let lines = lines(self.text, first.syntax(), write.syntax());
            let words = format!("make one step of {lines}, with the pause of line {} after it ({what})", pause.line);
            found.push(self.variant(RepairKind::OneTransaction, pause, cost, changes, words));
        }
        let computed = !self.is_local(end) && end.kind() != SyntaxKind::ReturnExpr && !self.names.effects(end.syntax()).pauses;
        if computed && pause.levels.len() == 1 && block.arm.is_none() {
            let answer = self.new_name("answer");
            let (from, to) = extent(end.syntax());
            let text = format!("{answer} := {};\n{moved}\n{answer}", self.places.words(end.syntax()));
            let changes = vec![gone, Rewriting { from, to, rank: 4, text }];
            let lines = lines(self.text, first.syntax(), end.syntax());
            let words = format!("make one step of {lines}, with the pause of line {} after it ({what})", pause.line);
            found.push(self.variant(RepairKind::OneTransaction, pause, 34, changes, words));
        }
    }
}
