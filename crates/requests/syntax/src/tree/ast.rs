//! Typed views of the tree.
//!
//! A view is a node known to be of some kind, with a method for each part.
//! Parts can be missing, because the tree also holds texts with mistakes.

use super::{SyntaxNode, SyntaxToken};
use crate::grammar::SyntaxKind;

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
    /// `const N = 3`
    Const,
    /// `invariant A >= 0`
    Invariant,
    /// `enum State { Idle, Busy }`
    Enum,
    /// `Idle` in an `enum`.
    EnumMember,
    /// `var A: 0..3 := 1`
    Var,
    /// `version V: 2`
    Version,
    /// `fn name(x, y) { … }`
    Function,
    /// `request name { … }`
    Request,
    /// `x` of a function, or `n: 1..3` of a request.
    Param,
    /// `0..3`, or the name of an `enum`.
    Range,
    /// `{100, 250}`
    ValueSet,
    /// `{ a; b }`
    Block,
    /// `(a; b)` after `if`, `while`, `await`, `assume` or `assert`.
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

impl Const {
    /// The name.
    pub fn name(&self) -> Option<SyntaxToken> {
        token(&self.0, SyntaxKind::Name)
    }

    /// The value.
    pub fn value(&self) -> Option<Expr> {
        first_expr(&self.0)
    }
}

impl Invariant {
    /// What holds wherever others can see.
    pub fn condition(&self) -> Option<Expr> {
        first_expr(&self.0)
    }
}

impl Enum {
    /// The name.
    pub fn name(&self) -> Option<SyntaxToken> {
        token(&self.0, SyntaxKind::Name)
    }

    /// The members, which are numbered from 0.
    pub fn members(&self) -> impl Iterator<Item = EnumMember> {
        self.0.children().filter_map(EnumMember::cast)
    }
}

impl EnumMember {
    /// The name.
    pub fn name(&self) -> Option<SyntaxToken> {
        token(&self.0, SyntaxKind::Name)
    }
}

impl Var {
    /// The name.
    pub fn name(&self) -> Option<SyntaxToken> {
        token(&self.0, SyntaxKind::Name)
    }

    /// The ranges of the indices of an array, in order.
    pub fn indices(&self) -> impl Iterator<Item = Range> {
        self.ranges_after(SyntaxKind::LeftBracket)
    }

    /// The values that the variable can have.
    pub fn values(&self) -> Option<Range> {
        self.ranges_after(SyntaxKind::Colon).next()
    }

    /// `wrap` or `saturate`, if one of them is there.
    pub fn fit(&self) -> Option<SyntaxToken> {
        token(&self.0, SyntaxKind::WrapKw).or_else(|| token(&self.0, SyntaxKind::SaturateKw))
    }

    /// The initial value.
    pub fn value(&self) -> Option<Expr> {
        first_expr(&self.0)
    }

    fn ranges_after(&self, kind: SyntaxKind) -> impl Iterator<Item = Range> {
        let mut last = SyntaxKind::Var;
        self.0.children_with_tokens().filter_map(move |element| match element {
            rowan::NodeOrToken::Node(node) if last == kind => Range::cast(node),
            rowan::NodeOrToken::Token(token) if !token.kind().is_trivia() => {
                last = token.kind();
                None
            }
            _ => None,
        })
    }
}

impl Version {
    /// The name.
    pub fn name(&self) -> Option<SyntaxToken> {
        token(&self.0, SyntaxKind::Name)
    }

    /// How many requests may remember a version at once.
    pub fn slots(&self) -> Option<Expr> {
        first_expr(&self.0)
    }
}

impl Function {
    /// The name.
    pub fn name(&self) -> Option<SyntaxToken> {
        token(&self.0, SyntaxKind::Name)
    }

    /// The parameters.
    pub fn params(&self) -> impl Iterator<Item = Param> {
        params(&self.0)
    }

    /// What it does.
    pub fn body(&self) -> Option<Block> {
        self.0.children().find_map(Block::cast)
    }
}

impl Param {
    /// The name.
    pub fn name(&self) -> Option<SyntaxToken> {
        token(&self.0, SyntaxKind::Name)
    }

    /// The values that a parameter of a request can have, where these are a range.
    pub fn values(&self) -> Option<Range> {
        self.0.children().find_map(Range::cast)
    }

    /// The values that a parameter of a request can have, where these are listed.
    pub fn value_set(&self) -> Option<ValueSet> {
        self.0.children().find_map(ValueSet::cast)
    }
}

impl ValueSet {
    /// The values, in order.
    pub fn values(&self) -> impl Iterator<Item = Expr> {
        self.0.children().filter_map(Expr::cast)
    }
}

impl Range {
    /// The two ends, or the name of an `enum`.
    pub fn ends(&self) -> impl Iterator<Item = Expr> {
        self.0.children().filter_map(Expr::cast)
    }

    /// Whether this is `a..b` rather than a name.
    pub fn has_dots(&self) -> bool {
        token(&self.0, SyntaxKind::DotDot).is_some()
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

    /// The parameters.
    pub fn params(&self) -> impl Iterator<Item = Param> {
        params(&self.0)
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
                | MemberExpr
                | LocalArray
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
                | SkipExpr
                | BreakExpr
                | ContinueExpr
                | MinExpr
                | MaxExpr
                | AtomicExpr
                | LockExpr
                | UnlockExpr
                | AwaitExpr
                | AssumeExpr
                | AssertExpr
                | FreshExpr
                | ChooseExpr
                | ForExpr
                | CallExpr
                | IndexExpr
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

    /// The number, or the name that is read or assigned, called or indexed.
    pub fn token(&self) -> Option<SyntaxToken> {
        self.0.children_with_tokens().filter_map(|child| child.into_token()).find(|token| !token.kind().is_trivia())
    }

    /// The member in `State.Idle`.
    pub fn member(&self) -> Option<SyntaxToken> {
        let tokens = self.0.children_with_tokens().filter_map(|child| child.into_token());
        tokens.filter(|token| self.kind() == SyntaxKind::MemberExpr && token.kind() == SyntaxKind::Name).nth(1)
    }

    /// What `var seen[0..3]` inside of a request or a function declares.
    pub fn local_array(&self) -> Option<Var> {
        (self.kind() == SyntaxKind::LocalArray).then(|| Var(self.0.clone()))
    }

    /// The conditions of `if … else if …`, or of `while`.
    pub fn conditions(&self) -> impl Iterator<Item = Condition> {
        self.0.children().filter_map(Condition::cast)
    }

    /// The name after `for`.
    pub fn loop_variable(&self) -> Option<SyntaxToken> {
        token(&self.0, SyntaxKind::Name)
    }

    /// The range of `for` or `choose`.
    pub fn range(&self) -> Option<Range> {
        self.0.children().find_map(Range::cast)
    }

    /// The arguments of a call.
    pub fn arguments(&self) -> impl Iterator<Item = Self> {
        self.0.children().filter(|node| node.kind() == SyntaxKind::ArgList).flat_map(|list| list.children().filter_map(Self::cast))
    }

    /// The blocks: one for each condition, and then that of `else`.
    pub fn blocks(&self) -> impl Iterator<Item = Block> {
        self.0.children().filter_map(Block::cast)
    }
}

fn params(node: &SyntaxNode) -> impl Iterator<Item = Param> {
    node.children().filter(|child| child.kind() == SyntaxKind::ParamList).flat_map(|list| list.children().filter_map(Param::cast))
}

fn token(node: &SyntaxNode, kind: SyntaxKind) -> Option<SyntaxToken> {
    node.children_with_tokens().filter_map(|child| child.into_token()).find(|token| token.kind() == kind)
}

fn first_expr(node: &SyntaxNode) -> Option<Expr> {
    node.children().find_map(Expr::cast)
}
