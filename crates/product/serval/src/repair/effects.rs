//! What the parts of a text read, write and do, by its tree.
//!
//! Only candidates rest on this: whether a changed text is a repair is decided by what it does.

use std::collections::{BTreeMap, BTreeSet};

use serval_syntax::SyntaxKind::{self, *};
use serval_syntax::ast::{Function, Version};
use serval_syntax::{SyntaxNode, SyntaxToken, is_global, parse};

use super::numbers::constants;

/// What a part of a text does.
#[derive(Clone, Debug, Default)]
pub(crate) struct Effects {
    /// Globals, arrays by their names.
    pub(crate) reads: BTreeSet<String>,
    pub(crate) writes: BTreeSet<String>,
    /// Locals.
    pub(crate) uses: BTreeSet<String>,
    pub(crate) assigns: BTreeSet<String>,
    /// Whether others may run within.
    pub(crate) pauses: bool,
    /// Whether it would not be the same if it were done twice in a row: a choice, a version, a lock.
    pub(crate) once: bool,
    pub(crate) returns: bool,
}

impl Effects {
    /// Whether doing it twice in a row is doing it once, as far as globals go.
    pub(crate) fn repeats(&self) -> bool {
        self.writes.is_empty() && !self.pauses && !self.once
    }

    fn add(&mut self, other: &Self) {
        self.reads.extend(other.reads.iter().cloned());
        self.writes.extend(other.writes.iter().cloned());
        self.uses.extend(other.uses.iter().cloned());
        self.assigns.extend(other.assigns.iter().cloned());
        self.pauses |= other.pauses;
        self.once |= other.once;
        self.returns |= other.returns;
    }
}

/// The names of a text.
pub(crate) struct TextNames {
    constants: BTreeMap<String, Option<i64>>,
    versions: BTreeSet<String>,
    /// What functions do to globals.
    functions: BTreeMap<String, Effects>,
}

impl TextNames {
    pub(crate) fn of(text: &str) -> Self {
        let root = parse(text).syntax();
        let versions = root.children().filter_map(Version::cast).filter_map(|version| Some(version.name()?.text().to_owned()));
        let mut names = Self { constants: constants(text), versions: versions.collect(), functions: BTreeMap::new() };
        let bodies = root.children().filter_map(Function::cast).filter_map(|function| {
            let name = function.name()?.text().to_owned();
            Some((name, function.body()?.syntax().clone()))
        });
        let bodies: BTreeMap<String, SyntaxNode> = bodies.collect();
        // Functions do not call themselves, so that after as many rounds as there are nothing changes any more.
        for _ in 0..bodies.len() {
            let found: BTreeMap<String, Effects> = bodies.iter().map(|(name, body)| (name.clone(), names.called(body))).collect();
            let same = found.iter().all(|(name, effects)| names.functions.get(name).is_some_and(|known| same_effects(known, effects)));
            names.functions = found;
            if same {
                break;
            }
        }
        names
    }

    /// What a call of a function does: its locals and its returns are its own.
    fn called(&self, body: &SyntaxNode) -> Effects {
        let effects = self.effects(body);
        Effects { uses: BTreeSet::new(), assigns: BTreeSet::new(), returns: false, ..effects }
    }

    /// Whether others may run in a function.
    pub(crate) fn pauses(&self, function: &str) -> bool {
        self.functions.get(function).is_some_and(|effects| effects.pauses)
    }

    /// Whether a name is that of a variable that all requests share.
    pub(crate) fn is_shared(&self, name: &str) -> bool {
        is_global(name) && !self.constants.contains_key(name)
    }

    pub(crate) fn is_constant(&self, name: &str) -> bool {
        self.constants.contains_key(name)
    }

    /// The number for which a name stands.
    pub(crate) fn value(&self, name: &str) -> Option<i64> {
        self.constants.get(name).copied().flatten()
    }

    /// What a part of the text does.
    pub(crate) fn effects(&self, node: &SyntaxNode) -> Effects {
        let mut effects = Effects::default();
        for part in node.descendants() {
            match part.kind() {
                NameExpr => self.read(&mut effects, first_token(&part)),
                IndexExpr if !is_target(&part) => self.read(&mut effects, first_token(&part)),
                AssignExpr => self.assign(&mut effects, &part),
                YieldExpr => effects.pauses = true,
                LockExpr | AwaitExpr => (effects.pauses, effects.once) = (true, true),
                UnlockExpr | AssumeExpr | AssertExpr | FreshExpr | ChoiceExpr | ChooseExpr => effects.once = true,
                ReturnExpr => effects.returns = true,
                CallExpr => {
                    if let Some(called) = first_token(&part).and_then(|name| self.functions.get(name.text())) {
                        effects.add(called);
                    }
                }
                _ => {}
            }
        }
        effects
    }

    fn read(&self, effects: &mut Effects, name: Option<SyntaxToken>) {
        let Some(name) = name else { return };
        let name = name.text();
        if self.versions.contains(name) {
            effects.once = true;
        } else if self.is_shared(name) {
            effects.reads.insert(name.to_owned());
        } else if !self.is_constant(name) {
            effects.uses.insert(name.to_owned());
        }
    }

    fn assign(&self, effects: &mut Effects, node: &SyntaxNode) {
        let Some(name) = target_name(node) else { return };
        let adds = node.children_with_tokens().any(|part| part.kind() == CompoundAssign);
        let name = name.text().to_owned();
        match (self.is_shared(&name), adds) {
            (true, _) => {
                if adds {
                    effects.reads.insert(name.clone());
                }
                effects.writes.insert(name);
            }
            (false, _) => {
                if adds {
                    effects.uses.insert(name.clone());
                }
                effects.assigns.insert(name);
            }
        }
    }
}

fn same_effects(one: &Effects, other: &Effects) -> bool {
    let flags = |effects: &Effects| (effects.pauses, effects.once);
    one.reads == other.reads && one.writes == other.writes && flags(one) == flags(other)
}

/// The variable to which is assigned.
pub(crate) fn target_name(assign: &SyntaxNode) -> Option<SyntaxToken> {
    first_token(assign).filter(|token| token.kind() == Name)
}

/// Whether this element of an array is assigned.
fn is_target(index: &SyntaxNode) -> bool {
    let first = |around: SyntaxNode| around.children().next().is_some_and(|child| child == *index);
    index.parent().is_some_and(|around| around.kind() == AssignExpr && first(around.clone()) && begins_alike(&around, index))
}

/// Whether two nodes begin at the same token.
fn begins_alike(around: &SyntaxNode, part: &SyntaxNode) -> bool {
    first_token(around).map(|token| token.text_range()) == first_token(part).map(|token| token.text_range())
}

/// The first token that is no blank and no comment.
pub(crate) fn first_token(node: &SyntaxNode) -> Option<SyntaxToken> {
    node.descendants_with_tokens().filter_map(|part| part.into_token()).find(|token| !token.kind().is_trivia())
}

/// The last token that is no blank and no comment.
pub(crate) fn last_token(node: &SyntaxNode) -> Option<SyntaxToken> {
    node.descendants_with_tokens().filter_map(|part| part.into_token()).filter(|token| !token.kind().is_trivia()).last()
}

/// Where a node begins and ends, without blanks and comments around it.
pub(crate) fn extent(node: &SyntaxNode) -> (usize, usize) {
    let start = first_token(node).map_or(node.text_range().start(), |token| token.text_range().start());
    let end = last_token(node).map_or(node.text_range().end(), |token| token.text_range().end());
    (start.into(), end.into())
}

/// Whether a node of this kind repeats or is called from elsewhere, so that what stands around it says little.
pub(crate) fn is_repeated(kind: SyntaxKind) -> bool {
    matches!(kind, WhileExpr | ForExpr)
}
