//! What each name of a text means: *symbols*, and the *occurrences* of each.
//!
//! The table is made on the tree, in one walk after the declarations have been collected, and each name is resolved
//! once, also in texts with errors. The program knows less: constants and the variables of loops are numbers there,
//! calls are written out, and of a name only the first place is kept.
//!
//! # Which symbol a name is
//! At a place within a request or a function a name is the first of these that there is:
//!
//! 1. the variable of a `for` around it, or an array that a sequence around it has declared before, the innermost
//!    first; the parameter of its request or function;
//! 2. what the file declares under it: a constant, an `enum` or a member, a version, a variable, a function;
//! 3. a variable: shared by all requests if the first letter is upper-case ([`is_global`]), and otherwise local to its
//!    request, or to its function.
//!
//! `true` and `false` are no names unless the file assigns to them. A request is a symbol of its own, which nothing in
//! the text can name. That this is how programs are made is tested: on all programs at hand every variable and every
//! constant of the program is the symbol of the token that it comes from.

mod scopes;

use crate::program::is_global;
use crate::tree::{Parsed, SyntaxNode, SyntaxToken};
use serval_diagnostic::Span;

/// What a symbol is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SymbolKind {
    /// A request.
    Request,
    /// A function.
    Function,
    /// A variable that requests share.
    Global,
    /// An array that requests share.
    Array,
    /// A version.
    Version,
    /// A constant.
    Constant,
    /// An `enum`.
    Enum,
    /// A member of an `enum`.
    Member,
    /// A parameter of a request or a function.
    Param,
    /// A variable of one request or function.
    Local,
    /// An array of one request or function.
    LocalArray,
    /// The variable of a `for`.
    LoopVariable,
}

impl SymbolKind {
    /// Whether it is known in the whole file.
    pub fn is_shared(self) -> bool {
        !matches!(self, Self::Param | Self::Local | Self::LocalArray | Self::LoopVariable)
    }

    /// Whether requests share its value.
    pub fn is_global(self) -> bool {
        matches!(self, Self::Global | Self::Array | Self::Version)
    }

    /// What people call it.
    pub fn words(self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Function => "function",
            Self::Global => "shared variable",
            Self::Array => "shared array",
            Self::Version => "version",
            Self::Constant => "constant",
            Self::Enum => "enum",
            Self::Member => "member",
            Self::Param => "parameter",
            Self::Local => "local variable",
            Self::LocalArray => "local array",
            Self::LoopVariable => "loop variable",
        }
    }
}

/// What is done with a name at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Access {
    /// It is declared, or gets its initial value.
    Declare,
    /// It is read, called or named.
    Read,
    /// It is assigned to.
    Write,
    /// It is read and assigned to, as in `x += 1` and in `lock(L)`.
    Both,
}

impl Access {
    /// Whether a value is written, be it the first.
    pub fn writes(self) -> bool {
        self != Self::Read
    }

    /// Whether a value is read.
    pub fn reads(self) -> bool {
        matches!(self, Self::Read | Self::Both)
    }
}

/// A thing with a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: SymbolKind,
    /// The name where it is declared; for what is not declared, where it is written first, or else read first.
    pub definition: Span,
    /// All of the declaration, if there is one.
    pub declaration: Option<Span>,
    /// Where it is known.
    pub scope: Span,
    /// The request or function that it belongs to, or the `enum` of a member.
    pub owner: Option<usize>,
}

/// A place where a symbol is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occurrence {
    /// The name.
    pub span: Span,
    /// Which symbol: a position in [`Bindings::symbols`].
    pub symbol: usize,
    /// What is done with it.
    pub access: Access,
    /// The request or function around it: a position in [`Bindings::symbols`].
    pub item: Option<usize>,
}

/// The symbols of a text, and where each occurs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bindings {
    symbols: Vec<Symbol>,
    occurrences: Vec<Occurrence>,
}

impl Bindings {
    /// The table of a text.
    ///
    /// ```
    /// use serval_syntax::{Access, Bindings, SymbolKind, parse};
    /// let table = Bindings::of(&parse("request main { x := A; yield; A := x + 1 }"));
    /// let shared = table.symbols().iter().position(|symbol| symbol.kind == SymbolKind::Global).unwrap();
    /// let found: Vec<_> = table.of_symbol(shared).map(|one| (one.span.start, one.access)).collect();
    /// assert_eq!(found, [(20, Access::Read), (30, Access::Write)]);
    /// assert_eq!(table.symbols()[shared].definition.start, 30);
    /// ```
    pub fn of(parsed: &Parsed) -> Self {
        scopes::bindings(&parsed.syntax())
    }

    /// All symbols. Those that the file declares come first, in order.
    pub fn symbols(&self) -> &[Symbol] {
        &self.symbols
    }

    /// All occurrences, sorted by place.
    pub fn occurrences(&self) -> &[Occurrence] {
        &self.occurrences
    }

    /// The occurrence that holds this place or ends at it.
    pub fn at(&self, offset: u32) -> Option<&Occurrence> {
        let next = self.occurrences.partition_point(|one| one.span.start <= offset);
        self.occurrences[..next].last().filter(|one| offset <= one.span.end)
    }

    /// The occurrences of one symbol, sorted by place.
    pub fn of_symbol(&self, symbol: usize) -> impl Iterator<Item = &Occurrence> {
        self.occurrences.iter().filter(move |one| one.symbol == symbol)
    }

    /// The symbols that can be named at a place.
    pub fn known_at(&self, offset: u32) -> impl Iterator<Item = (usize, &Symbol)> {
        let named = |symbol: &Symbol| symbol.kind != SymbolKind::Request;
        let here = move |symbol: &Symbol| symbol.scope.start <= offset && offset <= symbol.scope.end;
        self.symbols.iter().enumerate().filter(move |(_, symbol)| named(symbol) && here(symbol))
    }

    /// What the name would mean at this place, if something is known by it there.
    pub fn resolve(&self, name: &str, offset: u32) -> Option<usize> {
        let known = self.known_at(offset).filter(|(_, symbol)| symbol.name == name);
        // What is known in the least part of the text is the innermost; of what is known in the same, the later one.
        known.min_by_key(|(index, symbol)| (symbol.scope.end - symbol.scope.start, usize::MAX - index)).map(|(index, _)| index)
    }
}

/// Whether the file assigns to `true` or `false`, so that they are names.
fn own_truth_values(root: &SyntaxNode) -> bool {
    use crate::grammar::SyntaxKind::{Assign, CompoundAssign, Name};
    let tokens = root.descendants_with_tokens().filter_map(|element| element.into_token());
    let mut before: Option<SyntaxToken> = None;
    for token in tokens.filter(|token| !token.kind().is_trivia()) {
        let assigned = matches!(token.kind(), Assign | CompoundAssign);
        if assigned && before.as_ref().is_some_and(|before| before.kind() == Name && matches!(before.text(), "true" | "false")) {
            return true;
        }
        before = Some(token);
    }
    false
}

/// The kind of a variable that nothing declares.
fn undeclared(name: &str) -> SymbolKind {
    if is_global(name) { SymbolKind::Global } else { SymbolKind::Local }
}
