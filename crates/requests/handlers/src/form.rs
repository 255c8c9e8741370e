//! The form of a file of handlers: names resolved, types erased, sugar gone.
//!
//! It knows no parser. Everything behind it speaks of this form alone.

use std::collections::BTreeSet;

use serval_diagnostic::Span;

/// Index into [`Module::variables`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VarId(pub u32);

/// Index into [`Module::functions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FunId(pub u32);

/// Index into [`Module::classes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClassId(pub u32);

/// A file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Module {
    /// All variables of all scopes.
    pub variables: Vec<Variable>,
    /// All functions.
    pub functions: Vec<ScriptFunction>,
    /// All classes.
    pub classes: Vec<Class>,
    /// What runs before all requests.
    pub top: Vec<Stmt>,
    /// What is exported, by name.
    pub exports: Vec<Export>,
    /// What comments `@serval …` say of what stands behind them.
    pub directives: Vec<Directive>,
    /// Where variables of the module are named, also in what is not modelled.
    pub mentions: Vec<(u32, VarId)>,
    /// Variables of the module to which the text assigns somewhere, also in what is not modelled.
    pub written: BTreeSet<VarId>,
}

/// A file as Node performs it: without types, and else as it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Performed {
    /// The module.
    pub module: String,
    /// The same without imports and exports, as the inside of a function.
    pub body: String,
    /// What is imported: the local name, the module, and the name there (`default`, `*`).
    pub imports: Vec<(String, String, String)>,
    /// What is exported: the name, and the variable.
    pub exports: Vec<(String, String)>,
    /// Why it cannot be performed, if it cannot.
    pub obstacle: Option<&'static str>,
}

/// A name that is exported.
#[derive(Clone, Debug, PartialEq)]
pub struct Export {
    /// The name.
    pub name: String,
    /// Its value, after the module has run.
    pub value: Expr,
}

/// A comment `@serval …`.
#[derive(Clone, Debug, PartialEq)]
pub struct Directive {
    /// Where what it is about begins.
    pub about: u32,
    /// Where it stands.
    pub span: Span,
    /// What stands behind `@serval`.
    pub text: String,
}

/// A variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name, or one that was made up.
    pub name: String,
    /// Whether it is declared at the top of the file.
    pub module: bool,
    /// Where the statement begins that declares it.
    pub declared: u32,
}

/// A function, a method or an arrow function.
#[derive(Clone, Debug, PartialEq)]
pub struct ScriptFunction {
    /// Its name, if it has one.
    pub name: String,
    /// Where it stands.
    pub span: Span,
    /// Its parameters; patterns are taken apart in the body.
    pub params: Vec<VarId>,
    /// The names of the parameters, as people know them.
    pub param_names: Vec<String>,
    /// Its body.
    pub body: Vec<Stmt>,
    /// Whether it is `async`.
    pub is_async: bool,
    /// Whether it has a `this` of its own.
    pub has_this: bool,
}

/// A class.
#[derive(Clone, Debug, PartialEq)]
pub struct Class {
    /// Its name.
    pub name: String,
    /// Where it stands.
    pub span: Span,
    /// What it extends.
    pub extends: Option<Expr>,
    /// Fields with their initial values, in order.
    pub fields: Vec<(String, Option<Expr>)>,
    /// The constructor.
    pub constructor: Option<FunId>,
    /// Methods.
    pub methods: Vec<ClassMethod>,
    /// Why it cannot be used, if it cannot.
    pub unsupported: Option<Unsupported>,
    /// Whether it has parts of its own that have no form, such as `static` fields.
    pub hides: bool,
}

/// A method.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassMethod {
    /// Its name.
    pub name: String,
    /// What it does.
    pub function: FunId,
    /// Whether only the class may call it.
    pub private: bool,
}

/// A construct that is not modelled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// What it is.
    pub what: String,
    /// What would do instead, or nothing.
    pub help: String,
    /// Where it stands.
    pub span: Span,
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// Where it stands.
    pub span: Span,
}

/// Statements.
#[derive(Clone, Debug, PartialEq)]
pub enum StmtKind {
    /// Evaluates, and forgets the value.
    Expr(Expr),
    /// Declares.
    Let(VarId, Option<Expr>),
    /// `if`
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    /// A loop.
    Loop {
        /// What is tested; nothing means true.
        test: Option<Expr>,
        /// Whether it is tested before the first round.
        test_first: bool,
        /// One round.
        body: Vec<Stmt>,
        /// What is evaluated behind a round, also behind `continue`.
        update: Option<Expr>,
    },
    /// `return`
    Return(Option<Expr>),
    /// `throw`
    Throw(Expr),
    /// `try`
    Try {
        /// What is tried.
        body: Vec<Stmt>,
        /// `catch`, with what it binds.
        catch: Option<(Option<VarId>, Vec<Stmt>)>,
        /// `finally`
        finally: Option<Vec<Stmt>>,
    },
    /// `break`
    Break,
    /// `continue`
    Continue,
    /// A block.
    Block(Vec<Stmt>),
    /// What is not modelled.
    Unsupported(Unsupported),
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands.
    pub span: Span,
}

/// Where a value is stored.
#[derive(Clone, Debug, PartialEq)]
pub enum AssignTarget {
    /// A variable.
    Var(VarId),
    /// `object.name`
    Member(Box<Expr>, String),
    /// `object[index]`
    Index(Box<Expr>, Box<Expr>),
}

/// Operators with two operands that are both evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Add,
    Subtract,
    Multiply,
    Remainder,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// Operators that evaluate the second operand only sometimes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogicalOp {
    /// `&&`
    And,
    /// `||`
    Or,
    /// `??`
    Nullish,
}

/// How a variable is updated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpdateOp {
    /// `+=` and the like.
    Binary(BinaryOp),
    /// `??=` and the like.
    Logical(LogicalOp),
}

/// An element of an array, an argument or a field.
#[derive(Clone, Debug, PartialEq)]
pub enum ListItem {
    /// A value, in objects with its name.
    One(String, Expr),
    /// `...e`
    Spread(Expr),
}

/// Expressions.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// `undefined`
    Undefined,
    /// `null`
    Null,
    /// A truth value.
    Bool(bool),
    /// A whole number.
    Number(i64),
    /// A text.
    Text(String),
    /// A template with these parts.
    Template(Vec<String>, Vec<Expr>),
    /// A variable.
    Var(VarId),
    /// `this`
    This,
    /// A function.
    Function(FunId),
    /// A class.
    Class(ClassId),
    /// What is imported: the module, and the name; `default` and `*` are names, too.
    Import(String, String),
    /// A name that the file does not declare.
    Global(String),
    /// `{ … }`
    Object(Vec<ListItem>),
    /// `[ … ]`
    Array(Vec<ListItem>),
    /// `object.name`
    Member(Box<Expr>, String),
    /// `object[index]`
    Index(Box<Expr>, Box<Expr>),
    /// `callee(…)`
    Call(Box<Expr>, Vec<ListItem>),
    /// `new callee(…)`
    New(Box<Expr>, Vec<ListItem>),
    /// `target = value`
    Assign(AssignTarget, Box<Expr>),
    /// `target op= value`; whether the old value is the result.
    Update(AssignTarget, UpdateOp, Box<Expr>, bool),
    /// `!e`
    Not(Box<Expr>),
    /// `-e`
    Negate(Box<Expr>),
    /// `void e`
    Void(Box<Expr>),
    /// `value instanceof Class`
    InstanceOf(Box<Expr>, Box<Expr>),
    /// `key in object`
    In(Box<Expr>, Box<Expr>),
    /// A list of which a loop takes one element after the other.
    Elements(Box<Expr>),
    /// The element of such a list at a place that it has.
    ElementAt(Box<Expr>, Box<Expr>),
    /// What `delete` leaves behind: undefined, and not there.
    Absent,
    /// Two operands.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// Two operands, of which the second may be left out.
    Logical(LogicalOp, Box<Expr>, Box<Expr>),
    /// `c ? a : b`
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// Binds a variable, and then has this value.
    Bind(VarId, Box<Expr>, Box<Expr>),
    /// `await e`
    Await(Box<Expr>),
    /// What is not modelled.
    Unsupported(Unsupported),
}

impl Module {
    /// A variable.
    pub fn variable(&self, id: VarId) -> &Variable {
        &self.variables[id.0 as usize]
    }

    /// A function.
    pub fn function(&self, id: FunId) -> &ScriptFunction {
        &self.functions[id.0 as usize]
    }

    /// A class.
    pub fn class(&self, id: ClassId) -> &Class {
        &self.classes[id.0 as usize]
    }
}
