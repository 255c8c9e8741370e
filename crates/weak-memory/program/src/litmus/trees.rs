//! Expressions of the program that a test becomes, and the registers that it has beside those of the test.

use serval_diagnostic::Span;

use crate::tree::{Name, Target, Tree, TreeKind};
use crate::value::BinaryOp;

/// The registers of a program that keep what was compared.
pub(super) const LEFT: &str = "left";
pub(super) const RIGHT: &str = "right";
/// Where the bits of a result are added up.
pub(super) const SUM: &str = "sum";

/// What an assignment to a register of the program changes.
pub(super) fn target_in(register: &str, span: Span) -> Target {
    Target { name: Name { text: register.to_owned(), span }, index: None }
}

/// A register of the program.
pub(super) fn name_in(register: &str, span: Span) -> Tree {
    tree(target_in(register, span))
}

/// Memory, from what reads it.
pub(super) fn place_of(cell: &Tree) -> Target {
    match &cell.kind {
        TreeKind::Name(target) => target.clone(),
        _ => target_in("", cell.span),
    }
}

/// What reads it.
pub(super) fn tree(target: Target) -> Tree {
    let span = target.name.span;
    Tree { kind: TreeKind::Name(target), span }
}

/// A number, which may be negative.
pub(super) fn number(value: i64, span: Span) -> Tree {
    let digits = Tree { kind: TreeKind::Number(value.saturating_abs()), span };
    if value < 0 { Tree { kind: TreeKind::Negate(Box::new(digits)), span } } else { digits }
}

/// Two expressions, joined.
pub(super) fn binary(op: BinaryOp, left: Tree, right: Tree) -> Tree {
    let span = left.span;
    Tree { kind: TreeKind::Binary(op, Box::new(left), Box::new(right)), span }
}
