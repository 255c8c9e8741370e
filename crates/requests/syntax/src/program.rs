//! The program: what the text means, names resolved, sugar gone.
//!
//! Nesting of [`Expr`] is bounded by the parser's depth limit, so recursion
//! over it is safe; long chains (`a; b; …`, `a + b + …`, `else if` …) are flat
//! lists and never nest.

mod core_text;
mod fold;
mod many;
pub mod value;

pub use core_text::{Core, core_of, core_text};
pub(crate) use fold::{NoValue, fold};
pub use many::{Many, ManyParam, ManyRequest, Param, ParamValues};

use crate::diagnostic::{Diagnostic, Severity};
use serval_diagnostic::Span;

/// A checked program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// All global variables that occur, in order of first appearance.
    pub globals: Vec<Global>,
    /// The requests in the order of the text. Two may share a name: then a
    /// request of that name runs one or the other.
    pub requests: Vec<Request>,
    /// The versions that are declared, in order.
    pub versions: Vec<Version>,
    /// What the header comment `// expect: …` says.
    pub expectation: Option<Expectation>,
    /// What the comments `// allow: …` silence.
    pub allowances: Vec<Allowance>,
    /// Where some requests have too many combinations of parameters to be written out: which.
    pub many: Option<Many>,
}

/// What one comment silences.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allowance {
    /// The code, such as `W0203`.
    pub code: String,
    /// Where findings must begin; `None` for the whole file.
    pub place: Option<Span>,
}

impl Allowance {
    /// Whether this silences that.
    pub fn covers(&self, diagnostic: &Diagnostic) -> bool {
        let at = diagnostic.primary.span.start;
        diagnostic.severity != Severity::Error
            && diagnostic.code.0 == self.code
            && self.place.is_none_or(|place| place.start <= at && at <= place.end)
    }
}

/// Whether the variable of this name is shared by all requests.
///
/// The first letter decides, upper-case for global; underscores and digits
/// before it count for nothing. So `X` and `_X` are global, `x` and `_x`
/// local, and so is a name without any letter, such as `_` or `_1`.
///
/// ```
/// use serval_syntax::is_global;
/// assert!(is_global("X") && is_global("_X"));
/// assert!(!is_global("x") && !is_global("_x") && !is_global("_"));
/// ```
pub fn is_global(name: &str) -> bool {
    name.chars().find(char::is_ascii_alphabetic).is_some_and(|letter| letter.is_ascii_uppercase())
}

/// A global variable, or an element of an array: `A[0]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Global {
    /// Its name, as written.
    pub name: String,
    /// Its value before any request has run.
    pub initial: i64,
    /// The values that it was declared to have, from the least to the greatest.
    pub range: Option<(i64, i64)>,
    /// Where it first appears.
    pub span: Span,
    /// Whether it stands for others of its array, so that the requests that are written out are not all that use it.
    pub stands: bool,
}

/// A version: a number that never repeats, of which a request remembers only
/// whether it is the latest. It stands for globals, the *slots*.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    /// Its name, as written.
    pub name: String,
    /// The first slot; the others follow it.
    pub first: GlobalVar,
    /// How many slots there are, which is how many tokens can be held at once.
    pub slots: u32,
    /// Where it is declared.
    pub span: Span,
}

impl Version {
    /// Whether a global is one of its slots.
    pub fn has_slot(&self, global: GlobalVar) -> bool {
        (self.first.0..self.first.0 + self.slots).contains(&global.0)
    }
}

/// A request handler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Its name; `request` for a file that is a bare expression. The values of
    /// parameters are part of it: `transfer(1)`.
    pub name: String,
    /// Where the name stands (the start of the file for a bare expression).
    pub name_span: Span,
    /// Its local variables, in order of first appearance. All start at 0, but for those of `params`.
    pub locals: Vec<Local>,
    /// The parameters that are no constants. None where all combinations of values are written out.
    pub params: Vec<Param>,
    /// What it does; its value is the response.
    pub body: Expr,
}

/// A local variable of one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Local {
    /// Its name, as written; `f.x` for the variable `x` of a function `f`.
    pub name: String,
    /// Where it first appears in the request.
    pub span: Span,
    /// Whether it is generated: it holds an operand while others are evaluated.
    pub hidden: bool,
    /// Whether it holds versions: the number of a slot, or 0 for none.
    pub token: bool,
}

/// Index into [`Program::globals`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GlobalVar(pub u32);

impl GlobalVar {
    /// The index into [`Program::globals`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Index into [`Request::locals`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LocalVar(pub u32);

impl LocalVar {
    /// The index into [`Request::locals`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A variable as a request sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Variable {
    /// Shared by all requests.
    Global(GlobalVar),
    /// Private to one running request.
    Local(LocalVar),
}

/// An expression and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands, without surrounding blanks or parentheses.
    pub span: Span,
}

impl Expr {
    /// How many expressions are inside one another here.
    pub(crate) fn height(&self) -> u32 {
        let mut highest = 0;
        self.each_part(&mut |part| highest = highest.max(part.height()));
        highest + 1
    }

    /// Shows this expression and all its parts to `f`, in the order of the text.
    pub fn visit(&self, f: &mut dyn FnMut(&Self)) {
        serval_budget::checkpoint::pass();
        f(self);
        self.each_part(&mut |part| part.visit(f));
    }

    /// Shows the parts right inside to `f`, in the order of the text.
    pub(crate) fn each_part(&self, f: &mut dyn FnMut(&Self)) {
        match &self.kind {
            ExprKind::Number(_) | ExprKind::Constant(_) | ExprKind::Choice | ExprKind::Yield | ExprKind::Read(_) => {}
            ExprKind::Assign { value: e, .. }
            | ExprKind::Within { value: e, .. }
            | ExprKind::Not(e)
            | ExprKind::Negate(e)
            | ExprKind::Return(e) => f(e),
            ExprKind::Arithmetic { first, rest } => {
                f(first);
                rest.iter().for_each(|(_, e)| f(e));
            }
            ExprKind::Compare { left, right, .. } => {
                f(left);
                f(right);
            }
            ExprKind::And(parts) | ExprKind::Or(parts) | ExprKind::Sequence(parts) => parts.iter().for_each(f),
            ExprKind::If { arms, otherwise } => {
                for arm in arms {
                    f(&arm.condition);
                    f(&arm.body);
                }
                if let Some(e) = otherwise {
                    f(e);
                }
            }
            ExprKind::While { condition, body } => {
                f(condition);
                f(body);
            }
        }
    }
}

/// The forms of expression. Evaluation is left to right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExprKind {
    /// A number. Not negative, but for the smallest of all, which is read
    /// together with its sign: `-9223372036854775808`.
    Number(i64),
    /// A constant, a parameter or the variable of a `for`, which has the same
    /// value in every run but not in every place that the text stands for.
    Constant(i64),
    /// `?`: 0 or 1.
    Choice,
    /// `yield`: ends the step; its value is 0.
    Yield,
    /// Reads a variable.
    Read(Variable),
    /// Evaluates `value`, stores it, and has that value.
    Assign {
        /// What is written.
        target: Variable,
        /// Where its name stands.
        target_span: Span,
        /// The value.
        value: Box<Expr>,
        /// Whether this is `unlock`: it is worth a warning where the variable
        /// is 0 already.
        unlock: bool,
    },
    /// The value, which must lie between `low` and `high`; elsewhere the
    /// program is in error.
    Within {
        /// The value.
        value: Box<Expr>,
        /// The least that is allowed.
        low: i64,
        /// The greatest that is allowed.
        high: i64,
        /// What asks for it.
        limit: Limit,
    },
    /// 1 where the operand is 0, else 0.
    Not(Box<Expr>),
    /// The operand with the other sign.
    Negate(Box<Expr>),
    /// Left to right: `first op e op e …`; all operators bind equally.
    Arithmetic {
        /// The first operand.
        first: Box<Expr>,
        /// At least one operator and operand.
        rest: Vec<(ArithmeticOp, Expr)>,
    },
    /// 1 where the comparison holds, else 0.
    Compare {
        /// Which comparison.
        op: CompareOp,
        /// The left operand, evaluated first.
        left: Box<Expr>,
        /// The right operand.
        right: Box<Expr>,
    },
    /// At least two operands, evaluated until one is 0; gives 0 or 1.
    And(Vec<Expr>),
    /// At least two operands, evaluated until one is not 0; gives 0 or 1.
    Or(Vec<Expr>),
    /// At least two expressions; the value is that of the last.
    Sequence(Vec<Expr>),
    /// The body of the first arm whose condition is not 0, else `otherwise`,
    /// else 0.
    If {
        /// At least one arm.
        arms: Vec<Arm>,
        /// The final `else`.
        otherwise: Option<Box<Expr>>,
    },
    /// Repeats `body` while `condition` is not 0; its value is 0.
    While {
        /// Evaluated before each round.
        condition: Box<Expr>,
        /// One round.
        body: Box<Expr>,
    },
    /// Ends the request with this value as its response.
    Return(Box<Expr>),
}

/// What limits a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Limit {
    /// The range of this variable, to which the value is assigned.
    Range(Variable),
    /// The indices of the array that begins with this variable.
    Index(Variable, IndexPlace),
    /// An `assert`: the value is 1 where its condition holds, and else 0.
    Assertion,
    /// The invariant that stands there: the value is 1 where it holds, and else 0.
    Invariant(Span),
}

/// Which of the indices of an element one is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IndexPlace {
    /// The array has one.
    Only,
    /// That of two which stands first.
    First,
    /// That of two which stands second.
    Second,
}

impl IndexPlace {
    /// How one speaks of it: `index`, `first index`.
    pub fn words(self) -> &'static str {
        match self {
            Self::Only => "index",
            Self::First => "first index",
            Self::Second => "second index",
        }
    }
}

/// `if (condition) { body }`, one arm of a chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arm {
    /// The condition.
    pub condition: Expr,
    /// What runs where it is not 0.
    pub body: Expr,
}

/// Operators on integers. `Divide` and `Remainder` floor: `-7 / 2` is `-4`
/// and `-7 % 2` is `1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArithmeticOp {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Remainder,
}

/// Comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CompareOp {
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

/// What a header comment promises.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expectation {
    /// The promised verdict.
    pub verdict: ExpectedVerdict,
    /// The name of the anomaly, where one is promised.
    pub anomaly: Option<String>,
    /// Where the comment stands.
    pub span: Span,
}

/// A verdict that a header comment can promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpectedVerdict {
    /// `serializable`
    Serializable,
    /// `not-serializable`
    NotSerializable,
    /// `fault`, or `can fail`
    Fault,
    /// `unknown`, or `undecided`
    Undecided,
    /// Serializable in an order that agrees with the one in time.
    Strict,
    /// Serializable, but not always in such an order.
    NotStrict,
}
