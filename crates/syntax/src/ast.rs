//! Typed views of the tree.
//!
//! A view is a node known to be of some kind, with a method for each part.
//! Parts can be missing, because the tree also holds texts with mistakes.

use crate::{SyntaxKind, SyntaxNode, SyntaxToken};

macro_rules! views {
    ($($(#[$attribute:meta])* $name:ident,)*) => {
        $(
            $(#[$attribute])*
            #[derive(Clone, Debug, PartialEq, Eq, Hash)]
            pub struct $name(SyntaxNode);

            impl $name {
                /// The node as this view, if it is of that kind.
                pub fn cast(node: SyntaxNode) -> Option<Self> {
                    (node.kind() == SyntaxKind::$name).then_some(Self(node))
                }

                /// The node.
                pub fn syntax(&self) -> &SyntaxNode {
                    &self.0
                }
            }
        )*
    };
}

views! {
    /// The whole text.
    SourceFile,
    /// `A := 100` before the first request.
    Initial,
    /// `request name { … }`
    Request,
    /// `{ a; b }`
    Block,
    /// `(a; b)` after `if` or `while`.
    Condition,
}

impl SourceFile {
    /// The initial values, in order.
    pub fn initials(&self) -> impl Iterator<Item = Initial> {
        self.0.children().filter_map(Initial::cast)
    }

    /// The requests, in order.
    pub fn requests(&self) -> impl Iterator<Item = Request> {
        self.0.children().filter_map(Request::cast)
    }

    /// The statements of a file that is one bare sequence.
    pub fn statements(&self) -> impl Iterator<Item = Expr> {
        self.0.children().filter_map(Expr::cast)
    }
}

impl Initial {
    /// The name before `:=`.
    pub fn name(&self) -> Option<SyntaxToken> {
        token(&self.0, SyntaxKind::Name)
    }

    /// The value.
    pub fn value(&self) -> Option<Expr> {
        first_expr(&self.0)
    }
}

impl Request {
    /// The name.
    pub fn name(&self) -> Option<SyntaxToken> {
        token(&self.0, SyntaxKind::Name)
    }

    /// What it does.
    pub fn body(&self) -> Option<Block> {
        self.0.children().find_map(Block::cast)
    }
}

impl Block {
    /// The statements, in order.
    pub fn statements(&self) -> impl Iterator<Item = Expr> {
        self.0.children().filter_map(Expr::cast)
    }
}

impl Condition {
    /// The statements; the value of the last decides.
    pub fn statements(&self) -> impl Iterator<Item = Expr> {
        self.0.children().filter_map(Expr::cast)
    }
}

/// An expression: a node of one of the expression kinds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Expr(SyntaxNode);

impl Expr {
    /// The node as an expression, if it is one.
    pub fn cast(node: SyntaxNode) -> Option<Self> {
        use SyntaxKind::*;
        matches!(
            node.kind(),
            NumberExpr
                | NameExpr
                | ChoiceExpr
                | YieldExpr
                | ParenExpr
                | AssignExpr
                | ReturnExpr
                | NotExpr
                | NegateExpr
                | SumExpr
                | ProductExpr
                | CompareExpr
                | AndExpr
                | OrExpr
                | IfExpr
                | WhileExpr
        )
        .then_some(Self(node))
    }

    /// The node.
    pub fn syntax(&self) -> &SyntaxNode {
        &self.0
    }

    /// Which form of expression.
    pub fn kind(&self) -> SyntaxKind {
        self.0.kind()
    }

    /// The expressions right inside: operands, statements in parentheses, the
    /// value of an assignment. Conditions and blocks are not among them.
    pub fn operands(&self) -> impl Iterator<Item = Self> {
        self.0.children().filter_map(Self::cast)
    }

    /// The operators between the operands of a chain, in order.
    pub fn operators(&self) -> impl Iterator<Item = SyntaxKind> {
        self.0.children_with_tokens().filter_map(|child| child.into_token()).map(|token| token.kind()).filter(|kind| !kind.is_trivia())
    }

    /// The number, or the name that is read or assigned.
    pub fn token(&self) -> Option<SyntaxToken> {
        self.0.children_with_tokens().filter_map(|child| child.into_token()).find(|token| !token.kind().is_trivia())
    }

    /// The conditions of `if … else if …`, or of `while`.
    pub fn conditions(&self) -> impl Iterator<Item = Condition> {
        self.0.children().filter_map(Condition::cast)
    }

    /// The blocks: one for each condition, and then that of `else`.
    pub fn blocks(&self) -> impl Iterator<Item = Block> {
        self.0.children().filter_map(Block::cast)
    }
}

fn token(node: &SyntaxNode, kind: SyntaxKind) -> Option<SyntaxToken> {
    node.children_with_tokens().filter_map(|child| child.into_token()).find(|token| token.kind() == kind)
}

fn first_expr(node: &SyntaxNode) -> Option<Expr> {
    node.children().find_map(Expr::cast)
}
