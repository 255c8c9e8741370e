//! The SER language: text → lossless tree → program.

mod diagnostic;
mod program;
mod span;

pub use diagnostic::{Code, Diagnostic, Label, Severity};
pub use program::{
    ArithmeticOp, Arm, CompareOp, Expectation, Expr, ExprKind, Global, GlobalVar, Local, LocalVar, Program, Request, Variable, Verdict,
};
pub use span::{LineIndex, Position, Span};
