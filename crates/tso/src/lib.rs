//! Small concurrent programs on shared memory: text → tree → thread automata.
//!
//! ```text
//! text ──tokens──▶ grammar ──tree──▶ names ──▶ Program: an automaton for each thread
//! ```
//!
//! [`read`] gives the [`Program`], or what is wrong with it. A step of a thread makes at most one access to memory, unless it is
//! locked. What memory does is not said here: the checker (`serval-tsoproof`) and the engine (`serval-tsoengine`) each have an
//! interpreter of the automata, under sequential consistency and with store buffers.
//!
//! ```
//! let text = "memory x = 0, y = 0;
//!     thread L { x := 1; r := y; }
//!     thread R { y := 1; r := x; }
//!     exists L.r == 0 && R.r == 0;";
//! let program = serval_tso::read(text).unwrap();
//! assert_eq!(program.threads[0].registers, ["r"]);
//!
//! let wrong = serval_tso::read("memory x = 0; thread L { r := x + x; }").unwrap_err();
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
//! | `r := xchg(x, e);` `r := fadd(x, e);` `r := cas(x, old, new);` | locked: reads and writes in one step; `r` is what was there, and may be left out |
//! | `atomic { … }` | the same for several accesses, with `if` and `assume`, without loops |
//! | `if (e) { … } else { … }`, `while (e) { … }`, `loop { … }`, `break;`, `goto l;`, `l: …` | as everywhere |
//! | `assume e;` | goes on only where `e` holds |
//! | `assert e;` | the same, and it is a question whether `e` always holds |
//! | `skip;` | nothing |
//!
//! Questions: `never c;` is about every state and speaks of control points (`T@label`) and registers (`T.r`); `exists c;` and
//! `forall c;` are about final states, where all threads have ended and all stores have reached memory, and may speak of memory too.
//!
//! **Architecture Invariant:** no input makes it panic or recurse by the length of the text; nesting is bounded.

mod codes;
mod copies;
mod fences;
mod grammar;
mod limits;
mod lower;
mod program;
mod tokens;
mod tree;
mod value;

use serval_syntax::Diagnostic;

pub use codes::{VALUE_LEAVES_RANGE, codes};
pub use fences::Place;
pub use limits::{MAX_CELLS, MAX_DEPTH, MAX_FILE_BYTES, MAX_REGISTERS, MAX_STATEMENTS, MAX_THREADS, MAX_VALUE};
pub use program::{
    Address, Asked, Atom, CellId, Inner, LockedKind, Node, Observed, Op, Point, Program, Question, RegisterId, Thread, ThreadId, Values,
};
pub use value::{BinaryOp, Expr, Undefined};

/// Reads a program, or says what is wrong with it, in the order of the text.
pub fn read(text: &str) -> Result<Program, Vec<Diagnostic>> {
    let mut diagnostics = Vec::new();
    let program = limits::check_size(text, &mut diagnostics).and_then(|()| {
        let tokens = tokens::tokens(text, &mut diagnostics);
        let file = grammar::parse(text, &tokens, &mut diagnostics);
        lower::lower(&file, &mut diagnostics)
    });
    diagnostics.sort_by_key(|diagnostic| diagnostic.primary.span);
    diagnostics.dedup();
    diagnostics.truncate(limits::MAX_SHOWN);
    match program {
        Some(program) if diagnostics.is_empty() => Ok(program),
        _ => Err(diagnostics),
    }
}
