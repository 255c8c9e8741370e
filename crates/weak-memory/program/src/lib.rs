//! Small concurrent programs on shared memory: text → tree → thread automata.
//!
//! ```text
//! text ──tokens──▶ grammar ──tree──▶ names ──▶ Program: an automaton for each thread
//! ```
//!
//! [`read`] gives the [`Program`], or what is wrong with it. A step of a thread makes at most one access to memory,
//! unless it is locked. What memory does is not said here: the checker (`serval-tso-proof`) and the engine
//! (`serval-tso-engine`) each have an interpreter of the automata, under sequential consistency and with store buffers.
//!
//! ```
//! let text = "memory x = 0, y = 0;
//!     thread L { x := 1; r := y; }
//!     thread R { y := 1; r := x; }
//!     exists L.r == 0 && R.r == 0;";
//! let program = serval_tso_program::read(text).unwrap();
//! assert_eq!(program.threads[0].registers, ["r"]);
//!
//! let wrong = serval_tso_program::read("memory x = 0; thread L { r := x + x; }").unwrap_err();
//! assert_eq!(wrong[0].code.0, "E0605");
//! ```
//!
//! # The language
//! `memory x = 0, a[2] = 1;` declares what is shared; every other name is a register of its thread, and begins with 0.
//! `values 0..3;` says which values there are, `values 0..3 wrap;` that counting goes on at the other end.
//! `thread T { … }` is one thread, `thread* T { … }` any number of copies.
//!
//! | statement | does |
//! |---|---|
//! | `x := e;` | stores; `e` is over registers, and so is the index in `a[e]` |
//! | `r := x;` | loads |
//! | `r := e;` | computes |
//! | `fence;` | waits until the own stores have reached memory |
//! | `r := xchg(x, e);` `r := fadd(x, e);` `r := cas(x, old, new);` | locked: one step; `r :=` may be left out |
//! | `atomic { … }` | the same for several accesses, with `if` and `assume`, without loops |
//! | `if (e) { … } else { … }`, `while (e) { … }`, `loop { … }`, `break;`, `goto l;`, `l: …` | as everywhere |
//! | `if (?) { … }`, `while (?) { … }` | either may happen |
//! | `assume e;` | goes on only where `e` holds |
//! | `assert e;` | the same, and it is a question whether `e` always holds |
//! | `skip;` | nothing |
//!
//! Questions: `never c;` is about every state and speaks of control points (`T@label`) and registers (`T.r`);
//! `exists c;` and `forall c;` are about final states, where all threads have ended and all stores have reached memory,
//! and may speak of memory too.
//!
//! **Architecture Invariant:** no input makes it panic or recurse by the length of the text; nesting is bounded.

// Numbers of inputs have 64 bits: what is done with them is checked, saturates, or is done in 128 bits.
#![cfg_attr(not(test), warn(clippy::arithmetic_side_effects))]

mod asking;
mod changes;
mod codes;
mod copies;
mod edits;
mod fences;
mod grammar;
mod limits;
mod litmus;
mod lower;
mod program;
pub mod rounds;
mod tokens;
mod tree;
mod value;

use serval_diagnostic::{Diagnostic, Span};

pub use changes::Change;
pub use codes::{ASSUMES_NEVER, FENCE_IN_VAIN, NOT_REACHED, VALUE_LEAVES_RANGE, codes};
pub use edits::with_changes_written;
pub use fences::FencePlace;
pub use limits::{MAX_CELLS, MAX_DEPTH, MAX_FILE_BYTES, MAX_REGISTERS, MAX_STATEMENTS, MAX_THREADS, MAX_VALUE};
pub use program::{
    Address, Atom, CellId, ControlPoint, Inner, LockedKind, Observed, Op, Point, Program, Question, QuestionKind, RegisterId, Thread,
    ThreadId, Values,
};
pub use value::{BinaryOp, Expr, Undefined};

/// How a program is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Syntax {
    /// In the language of this crate.
    #[default]
    Tso,
    /// As a litmus test of an x86 machine.
    Litmus,
}

impl Syntax {
    /// What a file with this ending has.
    ///
    /// ```
    /// assert_eq!(serval_tso_program::Syntax::of_ending("litmus"), Some(serval_tso_program::Syntax::Litmus));
    /// ```
    pub fn of_ending(ending: &str) -> Option<Self> {
        match ending {
            "tso" => Some(Self::Tso),
            "litmus" => Some(Self::Litmus),
            _ => None,
        }
    }
}

/// Reads a program, or says what is wrong with it, in the order of the text.
pub fn read(text: &str) -> Result<Program, Vec<Diagnostic>> {
    read_as(text, Syntax::Tso)
}

/// Reads a litmus test of an x86 machine, or says what is wrong with it, in the order of the text.
pub fn read_litmus(text: &str) -> Result<Program, Vec<Diagnostic>> {
    read_as(text, Syntax::Litmus)
}

/// The tokens and comments of a program, in order, or what is wrong with its letters and its grammar. What names mean
/// is not looked at.
pub fn lexemes(text: &str) -> Result<Vec<Span>, Vec<Diagnostic>> {
    let mut diagnostics = Vec::new();
    let mut all = Vec::new();
    if limits::check_size(text, &mut diagnostics).is_some() {
        all = tokens::tokens_and_comments(text, &mut diagnostics);
        let tokens: Vec<tokens::Token> = all.iter().copied().filter(|token| token.kind != tokens::Kind::Comment).collect();
        grammar::parse(text, &tokens, &mut diagnostics);
    }
    diagnostics.sort_by_key(|diagnostic| diagnostic.primary.span);
    diagnostics.truncate(limits::MAX_SHOWN);
    // The end is the last token, and has no letters.
    all.pop();
    if diagnostics.is_empty() { Ok(all.iter().map(|token| token.span).collect()) } else { Err(diagnostics) }
}

/// Reads a program that is written in this way.
pub fn read_as(text: &str, syntax: Syntax) -> Result<Program, Vec<Diagnostic>> {
    let mut diagnostics = Vec::new();
    let file = limits::check_size(text, &mut diagnostics).and_then(|()| match syntax {
        Syntax::Tso => {
            let tokens = tokens::tokens(text, &mut diagnostics);
            Some(grammar::parse(text, &tokens, &mut diagnostics))
        }
        Syntax::Litmus => litmus::parse(text, &mut diagnostics).filter(|_| diagnostics.is_empty()),
    });
    let program = file.and_then(|file| lower::lower(&file, &mut diagnostics));
    diagnostics.sort_by_key(|diagnostic| diagnostic.primary.span);
    diagnostics.dedup();
    diagnostics.truncate(limits::MAX_SHOWN);
    match program {
        Some(program) if diagnostics.is_empty() => Ok(program),
        _ => Err(diagnostics),
    }
}
