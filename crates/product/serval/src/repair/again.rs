//! Checking again: what was read before a pause is read again behind it.
//!
//! Either the statements that read and decided are written once more after the pause, or what was read is compared with
//! what is there now, and where it is no longer the same the request refuses in its own way or begins again.

use std::collections::BTreeSet;

use super::effects::extent;
use super::pauses::Pause;
use super::rewrite::Rewriting;
use super::variants::{RepairKind, Variant, Workshop, listed};

/// How many of a request's own refusals are tried.
const REFUSALS: usize = 3;

impl Workshop<'_> {
    /// The decisions before the pause are made once more behind it.
    pub(crate) fn again(&self, pause: &Pause, seen: &BTreeSet<String>, found: &mut Vec<Variant>) {
        if seen.is_empty() {
            return;
        }
        let mut tainted = BTreeSet::new();
        let block = pause.block();
        let own = self.repeated(&block.statements[..block.at], &mut tainted, seen);
        let what = format!("check {} again after the pause on line {} ({})", listed(seen), pause.line, pause.owner);
        if self.decides(&block.statements[..block.at], seen) && !own.is_empty() {
            let change = self.places.behind(pause.statement(), &own, 5);
            found.push(self.variant(RepairKind::CheckAgain, pause, 10, vec![change], what.clone()));
        }
        if let Some(changes) = self.in_branches(pause, seen) {
            found.push(self.variant(RepairKind::CheckAgain, pause, 11, changes, what));
        }
    }

    /// The same where the decision is the `if` around the pause: the rest of the block goes into the same `if` again,
    /// from the innermost outwards as long as nothing follows.
    fn in_branches(&self, pause: &Pause, seen: &BTreeSet<String>) -> Option<Vec<Rewriting>> {
        let (mut open, mut close): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
        let mut tainted = BTreeSet::new();
        for (depth, level) in pause.levels.iter().enumerate() {
            let mut first = self.repeated(&level.statements[..level.at], &mut tainted, seen);
            let last = depth > 0 && level.at + 1 < level.statements.len();
            first.append(&mut open);
            open = first;
            let Some((branch, position)) = level.arm.as_ref().filter(|_| !last) else { break };
            let condition = self.condition_of(branch, *position)?;
            let mut otherwise = String::new();
            for (number, block) in branch.blocks().enumerate() {
                if number == *position {
                    continue;
                }
                if number < *position || self.names.effects(block.syntax()).pauses {
                    return None;
                }
                let condition = self.condition_of(branch, number).map(|condition| format!("if {condition} "));
                otherwise.push_str(&format!(" else {}{}", condition.unwrap_or_default(), self.places.words(block.syntax())));
            }
            open.insert(0, format!("if {condition} {{"));
            close.push(format!("}}{otherwise}"));
        }
        let last = pause.rest().last()?;
        if close.is_empty() {
            return None;
        }
        Some(vec![self.places.behind(pause.statement(), &open, 5), self.places.behind(last, &close, 1)])
    }

    /// What was read is compared, and the request refuses in its own way where it is no longer the same.
    pub(crate) fn compare(&self, pause: &Pause, seen: &BTreeSet<String>, found: &mut Vec<Variant>) {
        let Some((change, differs, _)) = self.remembered(pause, seen) else { return };
        for (cost, answer) in (14..).zip(self.own_refusals(pause).into_iter().take(REFUSALS)) {
            let behind = self.places.behind(pause.statement(), &[self.refusing(&differs, &answer)], 5);
            let words = format!(
                "compare {} after the pause on line {} with what was read, and answer {answer} if another is there ({})",
                listed(seen),
                pause.line,
                pause.owner
            );
            let changes = change.iter().cloned().chain([behind]).collect();
            found.push(self.variant(RepairKind::CheckAgain, pause, cost, changes, words));
        }
    }

    /// What was read is compared, and the request begins again where it is no longer the same.
    pub(crate) fn begin_again(&self, pause: &Pause, seen: &BTreeSet<String>, found: &mut Vec<Variant>) {
        let Some((change, _, same)) = self.remembered(pause, seen) else { return };
        let Some(mut changes) = self.in_a_loop(pause, &same, &[]) else { return };
        changes.extend(change);
        let words = format!(
            "compare {} after the pause on line {} with what was read, and begin again if another is there ({})",
            listed(seen),
            pause.line,
            pause.owner
        );
        found.push(self.variant(RepairKind::CheckAgain, pause, 20, changes, words));
    }

    /// The body of a request in a loop that ends where a condition holds after the pause; `then` is done at the end.
    pub(crate) fn in_a_loop(&self, pause: &Pause, condition: &str, then: &[String]) -> Option<Vec<Rewriting>> {
        let [level] = pause.levels.as_slice() else { return None };
        if !pause.in_request || pause.in_loop || level.arm.is_some() {
            return None;
        }
        let before = &level.statements[..level.at];
        // What is written before would be written again in each round.
        let first = before.iter().find(|statement| self.names.effects(statement.syntax()).repeats())?;
        let once = |statement: &&serval_syntax::ast::Expr| !self.names.effects(statement.syntax()).writes.is_empty();
        if before.iter().any(|statement| once(&statement)) {
            return None;
        }
        let last = pause.rest().last()?;
        let (from, to) = extent(last.syntax());
        let mut changes = vec![
            self.places.before(first, &["while (1) {".to_owned()]),
            self.places.behind(pause.statement(), &[format!("if ({condition}) {{")], 5),
            self.places.behind(last, &["}".to_owned(), "}".to_owned()], 1),
        ];
        if last.kind() != serval_syntax::SyntaxKind::ReturnExpr {
            let answer = Rewriting { from, to: from, rank: 6, text: "return ".to_owned() };
            changes.push(answer);
        }
        if !then.is_empty() {
            let answer = self.new_name("answer");
            let words = self.places.words(last.syntax());
            let value = words.strip_prefix("return").unwrap_or(words).trim_start();
            changes.retain(|change| change.rank != 6);
            let text = format!("{answer} := {value}; {} return {answer}", then.join(" "));
            changes.push(Rewriting { from, to, rank: 6, text });
        }
        Some(changes)
    }

    /// What has to be remembered before the pause, whether it is another behind it, and whether it is the same.
    pub(crate) fn remembered(&self, pause: &Pause, seen: &BTreeSet<String>) -> Option<(Vec<Rewriting>, String, String)> {
        let reads = self.read_as(pause, seen);
        if reads.is_empty() {
            return None;
        }
        let (mut put, mut differs, mut same) = (Vec::new(), Vec::new(), Vec::new());
        for (number, read) in (1_usize..).zip(&reads) {
            let wanted = if reads.len() == 1 { "seen".to_owned() } else { format!("seen_{number}") };
            let local = self.kept_in(pause, read).unwrap_or_else(|| {
                let local = self.new_name(&wanted);
                put.push(format!("{local} := {read};"));
                local
            });
            differs.push(format!("{read} != {local}"));
            same.push(format!("{read} == {local}"));
        }
        let changes = if put.is_empty() { Vec::new() } else { vec![self.places.before(pause.statement(), &put)] };
        Some((changes, differs.join(" or "), same.join(" and ")))
    }

    /// The local that holds what was read, if it is written so: `l := G`, and `l` has no other value.
    fn kept_in(&self, pause: &Pause, read: &str) -> Option<String> {
        let before = pause.before();
        let assigned = |name: &str| before.iter().filter(|node| self.names.effects(node).assigns.contains(name)).count();
        before.iter().find_map(|node| {
            let (name, value) = self.places.words(node).split_once(":=")?;
            let name = name.trim();
            let plain = value.trim() == read && !self.names.is_shared(name) && assigned(name) == 1;
            plain.then(|| name.to_owned())
        })
    }
}
