//! What is known while the expressions of a request are resolved. What is done
//! with them is in [`core`] and [`convenience`].

mod asserted;
mod chosen;
mod convenience;
mod core;
mod declare;
mod declared;
mod invariants;
mod names;
mod resolve;
mod rows;
mod shape;

pub(crate) use chosen::are_chosen_once;
pub(crate) use declare::initial_local;
pub use declared::Reading;
pub(crate) use declared::{Declared, MAX_ELEMENTS, MAX_VALUES, Slots, bad_parameter};
pub(crate) use names::{Lowered, Names};
pub(crate) use rows::{Plan, Uses};

use std::cell::RefCell;
use std::rc::Rc;

use convenience::{LocalArrays, LoopExits, VersionLocal};
use declared::Values;
use rows::ParamId;
use rustc_hash::FxHashMap;

use crate::diagnostic::{Diagnostic, Sink, codes};
use crate::grammar::{MAX_HEIGHT, too_deep};
use crate::program::{Expr, ExprKind, Param, Variable};
use serval_diagnostic::Span;

/// How many expressions may be made by writing things out.
const MAX_MADE: u64 = 1 << 20;

/// A call that is being written out.
#[derive(Debug)]
pub(crate) struct CallFrame {
    pub(crate) function: String,
    /// What the variables of this call are called in the request.
    pub(crate) prefix: String,
    pub(crate) call: Span,
    /// The variables met so far that are no parameters, in order.
    pub(crate) locals: Vec<u32>,
    pub(crate) params: Vec<u32>,
    /// How many loops are around the call.
    pub(crate) loops: usize,
}

/// Where a name leads inside of a request.
pub(crate) enum Resolved {
    Constant(i64),
    Variable(Variable),
    /// Something that is no variable; it has been reported.
    Nothing,
}

/// Resolves the expressions of one request. Every function gives `None` only
/// for trees with errors; what is wrong in a tree without is reported here.
pub(crate) struct Lowering<'a> {
    pub(crate) declared: &'a Declared,
    pub(crate) globals: &'a mut Names,
    pub(crate) locals: &'a mut Names,
    pub(crate) errors: &'a mut Sink,
    /// The parameters and variables of loops that are constants here; with which parameter one is, where that is noted.
    pub(crate) scope: Vec<(String, i64, Option<ParamId>)>,
    /// What parameters are used for, where that is noted.
    pub(crate) uses: Option<Rc<RefCell<Uses>>>,
    /// Whether what is read is noted elsewhere.
    pub(crate) quiet: bool,
    /// The parameters of the request that are local variables.
    pub(crate) params: Vec<String>,
    /// What the request chooses when it begins, where that is asked for.
    pub(crate) chosen: Vec<Param>,
    /// How many loops are around this place that may come here more than once.
    pub(crate) repeated: u32,
    /// The calls that are being written out, the outermost first.
    pub(crate) frames: Vec<CallFrame>,
    /// The locals of the request that take versions.
    pub(crate) tokens: Vec<VersionLocal>,
    /// The arrays of the body at hand.
    pub(crate) arrays: LocalArrays,
    /// The ranges of elements of arrays of this request, by the number of the local.
    pub(crate) element_values: FxHashMap<u32, Values>,
    /// The loops around this place, the outermost first, those of callers too.
    pub(crate) loops: Vec<LoopExits>,
    /// The `atomic` around this place.
    pub(crate) atomic: Option<Span>,
    /// How many hidden variables there are.
    pub(crate) temporaries: u32,
    /// How often each function has been written out in this request.
    pub(crate) calls: FxHashMap<String, u32>,
    /// How many loops, calls and parameters are being written out around here.
    pub(crate) expanding: u32,
    /// How much has been made by that.
    pub(crate) made: u64,
    pub(crate) told_full: bool,
    /// The outermost loop or call that is being written out.
    pub(crate) outermost: Option<Span>,
    depth: u32,
    /// The last expression looked at.
    pub(crate) place: Span,
}

impl<'a> Lowering<'a> {
    pub(crate) fn new(declared: &'a Declared, globals: &'a mut Names, locals: &'a mut Names, errors: &'a mut Sink) -> Self {
        Self {
            declared,
            globals,
            locals,
            errors,
            scope: Vec::new(),
            uses: None,
            quiet: false,
            params: Vec::new(),
            chosen: Vec::new(),
            repeated: 0,
            frames: Vec::new(),
            tokens: Vec::new(),
            arrays: LocalArrays::default(),
            element_values: FxHashMap::default(),
            loops: Vec::new(),
            atomic: None,
            temporaries: 0,
            calls: FxHashMap::default(),
            expanding: 0,
            made: 0,
            told_full: false,
            outermost: None,
            depth: 0,
            place: Span::default(),
        }
    }

    /// Reports something that is wrong with a tree that is right in form.
    pub(crate) fn error(&mut self, build: impl FnOnce() -> Diagnostic) {
        self.errors.push(build);
    }

    /// Goes one level deeper, where calls are followed and so the limit of the
    /// parser is not enough.
    pub(crate) fn deeper(&mut self, part: impl FnOnce(&mut Self) -> Option<Expr>) -> Option<Expr> {
        // A program without calls never comes here: a level of nesting has at
        // most parentheses, a sum and a product.
        const DEEPEST: u32 = 4 * MAX_HEIGHT / 2;
        if self.depth >= DEEPEST || self.is_full() {
            let place = self.place;
            if self.depth >= DEEPEST {
                self.errors.push(|| too_deep(place));
            }
            return Some(Expr { kind: ExprKind::Number(0), span: place });
        }
        self.depth += 1;
        let result = part(self);
        self.depth -= 1;
        result
    }

    /// Counts what is made by writing things out.
    pub(crate) fn count(&mut self, more: u64) {
        serval_budget::checkpoint::pass();
        self.made = self.made.saturating_add(more);
        if self.is_full() && !self.told_full {
            self.told_full = true;
            let place = self.outermost.unwrap_or(self.place);
            self.error(|| {
                Diagnostic::error(codes::TOO_MUCH, place, "this program is too large once loops and functions are written out")
                    .expected(format!("at most {MAX_MADE} operations"))
                    .help("use smaller ranges, or a `while` loop")
            });
        }
    }

    pub(crate) fn is_full(&self) -> bool {
        self.made > MAX_MADE
    }
}
