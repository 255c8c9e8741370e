//! The SER language: text → lossless tree → program.
//!
//! ```text
//! text ──tokenize──▶ tokens ──parse──▶ tree ──lower──▶ Program
//!                                       │                │
//!                                       ╰─ every byte    ╰─ names resolved, chains flat
//! ```
//!
//! [`parse()`] gives the tree, which holds every byte of the text whatever is
//! wrong with it. [`analyze`] gives the program, or what is wrong with it.
//! Nothing here panics, prints, or reads anything but the text.
//!
//! ```
//! let analysis = serval_syntax::analyze("A := 1  request main { x := A; yield; A := x + 1 }");
//! let program = analysis.program.expect("this program is right");
//! assert_eq!(program.requests[0].name, "main");
//! assert_eq!(program.globals[0].initial, 1);
//!
//! let analysis = serval_syntax::analyze("request main { x = 1 }");
//! assert!(analysis.program.is_none());
//! assert_eq!(analysis.diagnostics[0].code.0, "E0112");
//! ```
//!
//! # Words
//! `request`, `if`, `else`, `while` and `yield` are never names. The words
//! `and`, `or`, `not` and `return` are words of the language only where one
//! can stand, so that a program with variables of these names still means the
//! same: `and` and `or` after an operand; `not` and `return` where an
//! expression follows them. Where anything in the file is assigned to `not`
//! or `return`, that word is a variable in the whole file. So a `return`
//! without a value is a variable too, and a warning says so. The words of the
//! comfort forms (`lock`, `for`, `const` and others) mean something only before
//! what the published language never has behind a name: `(`, `{`, `[` or
//! another name; `skip` is 0 unless something is assigned to it.
//!
//! # Numbers
//! A number is at most 9223372036854775807. The smallest integer has no
//! positive counterpart and is written as it is: right after a unary minus, and
//! only there, 9223372036854775808 is a number too.
//!
//! ```
//! let smallest = serval_syntax::analyze("A := -9223372036854775808  request main { A }").program.unwrap();
//! assert_eq!(smallest.globals[0].initial, i64::MIN);
//! assert!(serval_syntax::analyze("0 - 9223372036854775808").program.is_none());
//! ```

mod allow;
mod analysis;
pub mod ast;
mod blocks;
mod builder;
mod checks;
pub mod codes;
mod core;
mod declarations;
mod declare;
mod declared;
mod diagnostic;
mod expand;
mod expectation;
mod expressions;
mod fold;
mod forms;
mod items;
mod kind;
mod lexer;
mod lower;
mod lowering;
mod mistakes;
mod names;
mod parse;
mod parser;
mod program;
mod similar;
mod sink;
mod span;
mod tree;
mod unreachable;
pub mod value;

pub use crate::core::core_text;
pub use allow::Allowance;
pub use codes::{CodeInfo, codes};
pub use diagnostic::{Code, Diagnostic, Label, Severity};
pub use kind::SyntaxKind;
pub use names::is_global;
pub use program::{
    ArithmeticOp, Arm, CompareOp, Expectation, Expr, ExprKind, Global, GlobalVar, Limit, Local, LocalVar, Program, Request, Variable,
    Verdict,
};
pub use span::{LineIndex, Position, Span};
pub use tree::{Ser, SyntaxElement, SyntaxNode, SyntaxToken};

/// How deep a program may nest: parentheses, blocks, unary operators, chained
/// assignments and `return`s each count one. Beyond, the program is refused
/// with [`codes::TOO_DEEP`].
///
/// Operators and sequences count too once a program exists: no [`Expr`] of a
/// [`Program`] is more than `2 * MAX_DEPTH + 8` levels high, so recursion over
/// it is safe.
pub const MAX_DEPTH: u32 = 256;

/// How many bytes a text may have. Beyond, it is refused with
/// [`codes::TOO_LARGE`], and its tree is a single token that nobody has
/// looked into (an empty tree beyond 4 GiB).
pub const MAX_FILE_BYTES: usize = 64 << 20;

/// A text as a tree, and what is wrong with its letters and its grammar.
#[derive(Clone, Debug)]
pub struct Parsed {
    green: rowan::GreenNode,
    diagnostics: Vec<Diagnostic>,
}

impl Parsed {
    /// The root of the tree, of kind [`SyntaxKind::SourceFile`]. Its text is
    /// the text that was parsed.
    pub fn syntax(&self) -> SyntaxNode {
        SyntaxNode::new_root(self.green.clone())
    }

    /// The same as a typed view.
    pub fn source_file(&self) -> Option<ast::SourceFile> {
        ast::SourceFile::cast(self.syntax())
    }

    /// The tree in the form that can be shared between threads.
    pub fn green(&self) -> &rowan::GreenNode {
        &self.green
    }

    /// What is wrong, sorted by place. All are errors.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }
}

/// Parses a text. The tree is lossless, also for texts that are no programs.
///
/// ```
/// let text = "request main { x := (1 + }  // what?";
/// let parsed = serval_syntax::parse(text);
/// assert_eq!(parsed.syntax().text().to_string(), text);
/// assert_eq!(parsed.diagnostics().len(), 1);
/// ```
pub fn parse(text: &str) -> Parsed {
    let (green, diagnostics) = parse::parse_text(text);
    Parsed { green, diagnostics: sink::finish(diagnostics) }
}

/// A text as a program, and what there is to say about it.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// The program; `None` exactly if some diagnostic is an error.
    pub program: Option<Program>,
    /// Errors, warnings and notes, sorted by place. At most 100 errors and
    /// 100 others are given, each with a closing one where there are more.
    pub diagnostics: Vec<Diagnostic>,
}

/// Parses a text, resolves its names and checks it.
///
/// A request with errors does not keep the others from being checked.
///
/// ```
/// let analysis = serval_syntax::analyze("request a { X := }  request b { y := X; z }");
/// let codes: Vec<_> = analysis.diagnostics.iter().map(|d| d.code.0).collect();
/// assert_eq!(codes, ["E0110", "W0201"]);
/// ```
pub fn analyze(text: &str) -> Analysis {
    let (green, diagnostics) = parse::parse_text(text);
    analysis::analyze_tree(text, &SyntaxNode::new_root(green), diagnostics)
}
