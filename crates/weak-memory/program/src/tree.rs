//! The tree of a text: what is written, before names are resolved.

use serval_diagnostic::Span;

use crate::program::LockedKind;
use crate::value::BinaryOp;

#[derive(Clone, Debug)]
pub(crate) struct Name {
    pub(crate) text: String,
    pub(crate) span: Span,
}

#[derive(Debug, Default)]
pub(crate) struct File {
    pub(crate) values: Vec<ValuesItem>,
    pub(crate) cells: Vec<CellItem>,
    pub(crate) threads: Vec<ThreadItem>,
    pub(crate) questions: Vec<QuestionItem>,
    /// Where the text ends.
    pub(crate) end: Span,
}

#[derive(Debug)]
pub(crate) struct ValuesItem {
    pub(crate) low: i64,
    pub(crate) high: i64,
    pub(crate) wrap: bool,
    pub(crate) span: Span,
}

#[derive(Debug)]
pub(crate) struct CellItem {
    pub(crate) name: Name,
    /// How many cells an array has.
    pub(crate) length: Option<(i64, Span)>,
    pub(crate) initial: (i64, Span),
}

#[derive(Debug)]
pub(crate) struct ThreadItem {
    pub(crate) name: Name,
    pub(crate) many: bool,
    pub(crate) body: Vec<Stmt>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum QuestionForm {
    Never,
    Exists,
    Forall,
}

#[derive(Debug)]
pub(crate) struct QuestionItem {
    pub(crate) kind: QuestionForm,
    pub(crate) condition: Tree,
    pub(crate) text: String,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct Stmt {
    pub(crate) labels: Vec<Name>,
    pub(crate) kind: StmtKind,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum StmtKind {
    Skip,
    Fence,
    Break,
    Goto(Name),
    Assume(Tree),
    Assert(Tree),
    Assign(Target, Tree),
    Locked { kind: LockedKind, to: Option<Target>, cell: Tree, operands: Vec<Tree> },
    If(Tree, Vec<Stmt>, Vec<Stmt>),
    While(Tree, Vec<Stmt>),
    Loop(Vec<Stmt>),
    Atomic(Vec<Stmt>),
}

/// What is assigned to: a name, with an index or without.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub(crate) name: Name,
    pub(crate) index: Option<Box<Tree>>,
}

#[derive(Clone, Debug)]
pub(crate) struct Tree {
    pub(crate) kind: TreeKind,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum TreeKind {
    Number(i64),
    Name(Target),
    /// `T.r`
    Register(Name, Name),
    /// `T@label`
    At(Name, Name),
    /// `?`: 0 or 1, either may happen.
    Any,
    Not(Box<Tree>),
    Negate(Box<Tree>),
    Binary(BinaryOp, Box<Tree>, Box<Tree>),
}
