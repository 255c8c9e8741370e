//! Names, and what has been made so far.

use std::collections::{BTreeMap, BTreeSet};

use oxc_ast::ast::{BindingIdentifier, IdentifierReference, Program};
use oxc_ast_visit::Visit;
use oxc_semantic::Scoping;
use serval_diagnostic::Span;
use serval_handlers::{ClassId, Expr, ExprKind, FunId, Module, Stmt, StmtKind, Unsupported, VarId, Variable};

/// How deep the form may nest.
pub(crate) const MOST_LEVELS: u32 = 120;

pub(crate) struct ScriptScope<'s> {
    scoping: &'s Scoping,
    pub(crate) made: Module,
    known: BTreeMap<usize, VarId>,
    /// Imports, by their local names' variables.
    pub(crate) imports: BTreeMap<VarId, (String, String)>,
    /// Where the statement begins that is being read.
    pub(crate) statement: u32,
    level: u32,
    /// How many functions are around.
    pub(crate) inside: u32,
}

pub(crate) fn span(of: oxc_span::Span) -> Span {
    Span::new(of.start, of.end)
}

pub(crate) fn expr(kind: ExprKind, at: Span) -> Expr {
    Expr { kind, span: at }
}

pub(crate) fn stmt(kind: StmtKind, at: Span) -> Stmt {
    Stmt { kind, span: at }
}

pub(crate) fn unsupported(what: &str, help: &str, at: Span) -> Unsupported {
    Unsupported { what: what.to_owned(), help: help.to_owned(), span: at }
}

pub(crate) fn no_expr(what: &str, help: &str, at: Span) -> Expr {
    expr(ExprKind::Unsupported(unsupported(what, help, at)), at)
}

pub(crate) fn no_stmt(what: &str, help: &str, at: Span) -> Stmt {
    stmt(StmtKind::Unsupported(unsupported(what, help, at)), at)
}

struct Mentions<'m, 's> {
    scope: &'m mut ScriptScope<'s>,
    found: Vec<(u32, VarId)>,
    written: BTreeSet<VarId>,
}

impl<'a> Visit<'a> for Mentions<'_, '_> {
    fn visit_identifier_reference(&mut self, it: &IdentifierReference<'a>) {
        // Types name what is no value.
        let reference = it.reference_id.get().map(|id| self.scope.scoping.get_reference(id));
        let is_value = reference.is_some_and(|reference| reference.is_value());
        let is_written = reference.is_some_and(|reference| reference.is_write());
        if is_value
            && let Some(variable) = self.scope.variable(it)
            && self.scope.made.variable(variable).module
            && !self.scope.imports.contains_key(&variable)
        {
            self.found.push((it.span.start, variable));
            if is_written {
                self.written.insert(variable);
            }
        }
    }
}

impl<'s> ScriptScope<'s> {
    pub(crate) fn new(scoping: &'s Scoping) -> Self {
        Self { scoping, made: Module::default(), known: BTreeMap::new(), imports: BTreeMap::new(), statement: 0, level: 0, inside: 0 }
    }

    pub(crate) fn into_module(self) -> Module {
        self.made
    }

    fn add(&mut self, name: &str, module: bool) -> VarId {
        let id = VarId(u32::try_from(self.made.variables.len()).unwrap_or(u32::MAX));
        self.made.variables.push(Variable { name: name.to_owned(), module, declared: self.statement });
        id
    }

    /// A variable that the text does not have.
    pub(crate) fn temporary(&mut self, name: &str) -> VarId {
        self.add(name, false)
    }

    pub(crate) fn of_symbol(&mut self, symbol: oxc_semantic::SymbolId) -> VarId {
        if let Some(known) = self.known.get(&symbol.index()) {
            return *known;
        }
        let module = self.scoping.symbol_scope_id(symbol) == self.scoping.root_scope_id();
        let name = self.scoping.symbol_name(symbol).to_owned();
        let id = self.add(&name, module);
        self.known.insert(symbol.index(), id);
        id
    }

    /// The variable that is declared here.
    pub(crate) fn declared(&mut self, id: &BindingIdentifier<'_>) -> VarId {
        let Some(symbol) = id.symbol_id.get() else { return self.temporary(&id.name) };
        let variable = self.of_symbol(symbol);
        self.made.variables[variable.0 as usize].declared = self.statement;
        variable
    }

    /// The variable that a name means, or none if the file does not declare it.
    pub(crate) fn variable(&mut self, reference: &IdentifierReference<'_>) -> Option<VarId> {
        let symbol = self.scoping.get_reference(reference.reference_id.get()?).symbol_id()?;
        Some(self.of_symbol(symbol))
    }

    /// The variable with this symbol at the top of the file.
    pub(crate) fn root(&mut self, name: &str) -> Option<VarId> {
        let symbol = self.scoping.get_root_binding(name.into())?;
        Some(self.of_symbol(symbol))
    }

    /// Where variables of the module are named, in what has no form as well.
    pub(crate) fn mentions(&mut self, program: &Program<'_>) {
        let mut seen = Mentions { scope: self, found: Vec::new(), written: BTreeSet::new() };
        seen.visit_program(program);
        let Mentions { mut found, written, .. } = seen;
        self.made.written = written;
        found.sort_unstable();
        self.made.mentions = found;
    }

    /// What a name means.
    pub(crate) fn name(&mut self, reference: &IdentifierReference<'_>) -> Expr {
        let at = span(reference.span);
        match self.variable(reference) {
            Some(variable) => match self.imports.get(&variable) {
                Some((module, name)) => expr(ExprKind::Import(module.clone(), name.clone()), at),
                None => expr(ExprKind::Var(variable), at),
            },
            None if reference.name == "undefined" => expr(ExprKind::Undefined, at),
            None if reference.name == "arguments" => no_expr("`arguments`", "name the parameters", at),
            None => expr(ExprKind::Global(reference.name.to_string()), at),
        }
    }

    /// Whether this is a statement of the module itself.
    pub(crate) fn is_top(&self) -> bool {
        self.inside == 0
    }

    /// Goes one level down, if there is one.
    pub(crate) fn deeper<T>(&mut self, make: impl FnOnce(&mut Self) -> T, too_deep: impl FnOnce() -> T) -> T {
        if self.level >= MOST_LEVELS {
            return too_deep();
        }
        self.level += 1;
        let made = make(self);
        self.level -= 1;
        made
    }

    pub(crate) fn add_function(&mut self, function: serval_handlers::ScriptFunction) -> FunId {
        self.made.functions.push(function);
        FunId(u32::try_from(self.made.functions.len() - 1).unwrap_or(u32::MAX))
    }

    pub(crate) fn add_class(&mut self, class: serval_handlers::Class) -> ClassId {
        self.made.classes.push(class);
        ClassId(u32::try_from(self.made.classes.len() - 1).unwrap_or(u32::MAX))
    }
}
