//! Versions, and refusals that can come at any time.

use std::collections::BTreeSet;

use serval_syntax::SyntaxKind;
use serval_syntax::ast::{Expr, Version};

use super::effects::{extent, target_name};
use super::pauses::Pause;
use super::rewrite::Rewriting;
use super::variants::{RepairKind, Variant, Workshop, listed};

/// How many requests may hold a version at once in what is proposed.
const HOLDERS: u32 = 2;

impl Workshop<'_> {
    /// A version of what was read, which is taken before the pause and compared behind it.
    pub(crate) fn versions(&self, pause: &Pause, seen: &BTreeSet<String>, found: &mut Vec<Variant>) {
        if seen.is_empty() || !pause.in_request || pause.in_loop {
            return;
        }
        let (version, held) = (self.new_name("Version"), self.new_name("held"));
        let Some(fresh) = self.freshened(seen, &version) else { return };
        let mut common = vec![self.version_declared(&version)];
        common.extend(fresh);
        common.push(self.places.before(pause.statement(), &[format!("{held} := {version};")]));
        let what = format!(
            "compare a version of {}, of which at most {HOLDERS} are held at once, after the pause on line {}",
            listed(seen),
            pause.line
        );
        for (cost, answer) in (40..).zip(self.own_refusals(pause)) {
            let behind = self.places.behind(pause.statement(), &[self.refusing(&format!("{held} != {version}"), &answer)], 5);
            let changes = common.iter().cloned().chain([behind]).collect();
            let words = format!("{what}, and answer {answer} if it is not the latest ({})", pause.owner);
            found.push(self.variant(RepairKind::Version, pause, cost, changes, words));
        }
        if let Some(around) = self.in_a_loop(pause, &format!("{held} == {version}"), &[]) {
            let changes = common.into_iter().chain(around).collect();
            let words = format!("{what}, and begin again if it is not the latest ({})", pause.owner);
            found.push(self.variant(RepairKind::Version, pause, 46, changes, words));
        }
    }

    fn version_declared(&self, version: &str) -> Rewriting {
        let root = serval_syntax::parse(self.text).syntax();
        let known = root.children().filter_map(Version::cast).next().map(|known| known.syntax().clone());
        // Declarations stand before initial values, requests and functions.
        let first = known.or_else(|| root.children().next());
        let at = first.map_or(0, |node| extent(&node).0);
        Rewriting { from: at, to: at, rank: 0, text: format!("version {version}: {HOLDERS}\n") }
    }

    /// A fresh version behind each write of these globals; `None` where one of them is no statement.
    fn freshened(&self, seen: &BTreeSet<String>, version: &str) -> Option<Vec<Rewriting>> {
        let root = serval_syntax::parse(self.text).syntax();
        let mut changes = Vec::new();
        for assign in root.descendants().filter(|node| node.kind() == SyntaxKind::AssignExpr) {
            if !target_name(&assign).is_some_and(|name| seen.contains(name.text())) {
                continue;
            }
            let parent = assign.parent()?;
            let statement = Expr::cast(assign.clone())?;
            let statements: Vec<Expr> = parent.children().filter_map(Expr::cast).collect();
            let is_last = statements.last() == Some(&statement);
            if !matches!(parent.kind(), SyntaxKind::Block | SyntaxKind::SourceFile) || is_last && !self.is_unused(&parent) {
                return None;
            }
            let fresh = format!("fresh({version})");
            changes.push(if is_last {
                let end = extent(statement.syntax()).1;
                Rewriting { from: end, to: end, rank: 0, text: format!("; {fresh}") }
            } else {
                self.places.behind(&statement, &[format!("{fresh};")], 0)
            });
        }
        Some(changes)
    }

    /// Whether the value of a block goes nowhere: it is one of a statement that is not the last.
    fn is_unused(&self, block: &serval_syntax::SyntaxNode) -> bool {
        let Some(around) = block.parent().filter(|around| around.kind() == SyntaxKind::IfExpr) else { return false };
        let Some(parent) = around.parent().filter(|parent| parent.kind() == SyntaxKind::Block) else { return false };
        parent.children().filter_map(Expr::cast).last().is_some_and(|last| *last.syntax() != around)
    }

    /// A refusal that can come at any time, which says nothing about others.
    pub(crate) fn refuse(&self, pause: &Pause, seen: &BTreeSet<String>, found: &mut Vec<Variant>) {
        if !pause.in_request {
            return;
        }
        let own = self.own_refusals(pause);
        let answers: Vec<String> = own.iter().cloned().chain(self.new_refusal()).collect();
        if let Some((change, differs, _)) = self.remembered(pause, seen) {
            for (cost, answer) in (50..).zip(&answers) {
                let words = self.refusing(&format!("{differs} or ?"), answer);
                let behind = self.places.behind(pause.statement(), &[words], 5);
                let words = format!(
                    "compare {} after the pause on line {} with what was read, and answer {answer} if another is there, or at any time ({})",
                    listed(seen),
                    pause.line,
                    pause.owner
                );
                let changes = change.iter().cloned().chain([behind]).collect();
                found.extend(self.refused(pause, cost, changes, words, answer));
            }
        }
    }

    /// The request of a name refuses at any time with an answer of its own. `number` stands for a pause, as there is
    /// none.
    pub(crate) fn refuse_at_any_time(&self, name: &str, body: &[Expr], number: usize, found: &mut Vec<Variant>) {
        let Some(first) = body.first() else { return };
        for (cost, answer) in (56..).zip(self.refusals_of(body)) {
            let Some(value) = self.value_of(&answer) else { continue };
            let change = Rewriting { rank: 0, ..self.places.before(first, &[self.refusing("?", &answer)]) };
            let words = format!("let `{name}` answer {answer} at any time, so that this says nothing about others");
            let refusals = BTreeSet::from([(name.to_owned(), value.to_string())]);
            found.push(Variant {
                kind: RepairKind::Refuse,
                pause: number,
                waits: BTreeSet::new(),
                cost,
                changes: vec![change],
                words,
                refusals,
            });
        }
    }

    fn refused(&self, pause: &Pause, cost: u32, changes: Vec<Rewriting>, words: String, answer: &str) -> Option<Variant> {
        let mut variant = self.variant(RepairKind::Refuse, pause, cost, changes, words);
        variant.refusals.insert((pause.owner.clone(), self.value_of(answer)?.to_string()));
        Some(variant)
    }
}
