//! Builds the green tree.
//!
//! [`rowan::GreenNodeBuilder`] shares equal subtrees through a hash table that
//! degrades badly on files with very many names. This one only compares with
//! the last token and the last leaf of the same kind, which shares nearly as
//! much in programs and costs the same for every input.

use rowan::{GreenNode, GreenToken, NodeOrToken};

use super::kind::{SyntaxKind, raw};

type Element = NodeOrToken<GreenNode, GreenToken>;

/// A place in the children of the node being built, to wrap what follows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Checkpoint(usize);

#[derive(Debug, Default)]
pub(crate) struct Builder {
    /// The nodes begun and not yet ended, each with its first child.
    parents: Vec<(SyntaxKind, usize)>,
    children: Vec<Element>,
    /// The last token of each kind.
    tokens: Vec<Option<GreenToken>>,
    /// The last node of each kind that holds a single token.
    leaves: Vec<Option<GreenNode>>,
}

impl Builder {
    pub(crate) fn token(&mut self, kind: SyntaxKind, text: &str) {
        serval_budget::checkpoint::pass();
        let last = slot(&mut self.tokens, kind);
        let token = match last {
            Some(token) if token.text() == text => token.clone(),
            _ => last.insert(GreenToken::new(raw(kind), text)).clone(),
        };
        self.children.push(NodeOrToken::Token(token));
    }

    pub(crate) fn start(&mut self, kind: SyntaxKind) {
        self.parents.push((kind, self.children.len()));
    }

    pub(crate) fn checkpoint(&self) -> Checkpoint {
        Checkpoint(self.children.len())
    }

    /// Begins a node that holds all since `checkpoint`, which was taken inside
    /// the node being built.
    pub(crate) fn start_at(&mut self, checkpoint: Checkpoint, kind: SyntaxKind) {
        debug_assert!(self.parents.last().is_none_or(|&(_, first)| first <= checkpoint.0));
        self.parents.push((kind, checkpoint.0));
    }

    pub(crate) fn end(&mut self) {
        let Some((kind, first)) = self.parents.pop() else { return };
        let node = match &self.children[first..] {
            [NodeOrToken::Token(token)] => leaf(slot(&mut self.leaves, kind), kind, token),
            _ => GreenNode::new(raw(kind), self.children.drain(first..)),
        };
        self.children.truncate(first);
        self.children.push(NodeOrToken::Node(node));
    }

    /// The tree. Nodes that were not ended end here.
    pub(crate) fn finish(mut self) -> GreenNode {
        while !self.parents.is_empty() {
            self.end();
        }
        match self.children.pop() {
            Some(NodeOrToken::Node(node)) => node,
            _ => GreenNode::new(raw(SyntaxKind::SourceFile), []),
        }
    }
}

/// The last `T` of this kind.
fn slot<T>(list: &mut Vec<Option<T>>, kind: SyntaxKind) -> &mut Option<T> {
    let index = kind as usize;
    if list.len() <= index {
        list.resize_with(index + 1, || None);
    }
    &mut list[index]
}

/// A node with a single token; the last one again where that is equal.
fn leaf(last: &mut Option<GreenNode>, kind: SyntaxKind, token: &GreenToken) -> GreenNode {
    if let Some(node) = last
        && node.children().next().and_then(|child| child.into_token()).is_some_and(|known| *known == **token)
    {
        return node.clone();
    }
    last.insert(GreenNode::new(raw(kind), [NodeOrToken::Token(token.clone())])).clone()
}
