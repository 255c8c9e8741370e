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
//! # Rooms
//! Each room uses only those above it in this table.
//!
//! | to change | open |
//! |---|---|
//! | a code, how many diagnostics are shown | `diagnostic/`; how they look: `serval-diagnostic` |
//! | the program that others work with, its arithmetic, `core_text` | `program/` |
//! | a word, a token, the grammar, what is said about a mistake in it | `grammar/` |
//! | the tree and its typed views | `tree/` |
//! | how names are resolved, what a form of the core becomes | `lowering/` |
//! | what a convenience form becomes | `lowering/convenience/` |
//! | what each name of a text means, and where it stands | `bindings/` |
//! | a warning, the comments `expect` and `allow`, the order of it all | `analysis/` |
//!
//! `lowering` is one recursion: a convenience form holds expressions of the
//! core, and the other way round, so both are methods of one type.
//!
//! # Words
//! `request`, `if`, `else`, `while` and `yield` are never names. The words
//! `and`, `or`, `not` and `return` are words of the language only where one
//! can stand, so that a program with variables of these names still means the
//! same: `and` and `or` after an operand; `not` and `return` where an
//! expression follows them. Where anything in the file is assigned to `not`
//! or `return`, that word is a variable in the whole file. So it is with `break`
//! and `continue`, and with the words of other languages (`commit`, `null`, `try`),
//! which are errors unless the file assigns to them or declares them. The words of the
//! other convenience forms (`lock`, `for`, `const` and others) mean something only before
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

mod analysis;
mod bindings;
mod diagnostic;
mod grammar;
mod lowering;
mod program;
mod tree;

pub use analysis::{Analysis, analyze, analyze_of, analyze_parsed, analyze_standing, read_for_proof};
pub use bindings::{Access, Bindings, Occurrence, Symbol, SymbolKind};
pub use diagnostic::{Code, CodeInfo, Diagnostic, Label, Severity, codes, similar};
pub use grammar::{MAX_DEPTH, MAX_FILE_BYTES, SyntaxKind};
pub use lowering::Reading;
pub use program::{
    Allowance, ArithmeticOp, Arm, CompareOp, Core, Expectation, ExpectedVerdict, Expr, ExprKind, Global, GlobalVar, IndexPlace, Limit,
    Local, LocalVar, Many, ManyParam, ManyRequest, Param, ParamValues, Program, Request, Variable, Version, core_of, core_text, is_global,
    value,
};
pub use serval_diagnostic::{Edit, Encoding, LineColumn, LineIndex, Position, Span, edited};
pub use tree::{Parsed, Ser, SyntaxElement, SyntaxNode, SyntaxToken, ast, parse};
