//! Functions of all kinds.

use oxc_ast::ast::{ArrowFunctionBody, ArrowFunctionExpression, BindingPattern, FormalParameters, Function};
use serval_diagnostic::Span;
use serval_handlers::{FunId, ScriptFunction as Made, Stmt, StmtKind, VarId};

use crate::scope::{ScriptScope, expr, no_stmt, span, stmt};

impl ScriptScope<'_> {
    /// Parameters, and the statements that take them apart.
    fn parameters(&mut self, list: &FormalParameters<'_>) -> (Vec<VarId>, Vec<String>, Vec<Stmt>) {
        let (mut ids, mut names, mut first) = (Vec::new(), Vec::new(), Vec::new());
        for parameter in &list.items {
            let at = span(parameter.span);
            let name = match &parameter.pattern {
                BindingPattern::BindingIdentifier(id) => id.name.to_string(),
                _ => format!("parameter {}", ids.len() + 1),
            };
            let given = match (&parameter.pattern, &parameter.initializer) {
                (BindingPattern::BindingIdentifier(id), None) => self.declared(id),
                (pattern, default) => {
                    let given = self.temporary(&name);
                    let value = match default {
                        Some(default) => {
                            let default = self.expression(default);
                            Self::or_default(given, default, at)
                        }
                        None => expr(serval_handlers::ExprKind::Var(given), at),
                    };
                    self.bind(pattern, Some(value), at, &mut first);
                    given
                }
            };
            ids.push(given);
            names.push(name);
        }
        if let Some(rest) = &list.rest {
            first.push(no_stmt("a rest parameter", "name the parameters", span(rest.span)));
        }
        (ids, names, first)
    }

    pub(crate) fn function(&mut self, function: &Function<'_>, name: &str) -> FunId {
        let at = span(function.span);
        self.inside += 1;
        let (params, param_names, mut body) = self.parameters(&function.params);
        if function.generator {
            body.push(no_stmt("a generator", "write a loop with `await`", at));
        }
        if let Some(inner) = &function.body {
            body.extend(self.statements(&inner.statements));
        }
        self.inside -= 1;
        let name = function.id.as_ref().map_or_else(|| name.to_owned(), |id| id.name.to_string());
        self.add_function(Made { name, span: at, params, param_names, body, is_async: function.r#async, has_this: true })
    }

    pub(crate) fn arrow(&mut self, arrow: &ArrowFunctionExpression<'_>, name: &str) -> FunId {
        let at = span(arrow.span);
        self.inside += 1;
        let (params, param_names, mut body) = self.parameters(&arrow.params);
        match &arrow.body {
            ArrowFunctionBody::FunctionBody(inner) => body.extend(self.statements(&inner.statements)),
            other => {
                if let Some(value) = other.as_expression() {
                    let value = self.expression(value);
                    let place = value.span;
                    body.push(stmt(StmtKind::Return(Some(value)), place));
                }
            }
        }
        self.inside -= 1;
        let name = name.to_owned();
        self.add_function(Made { name, span: at, params, param_names, body, is_async: arrow.r#async, has_this: false })
    }

    /// What a function with no body would be: a signature.
    pub(crate) fn is_signature(function: &Function<'_>) -> bool {
        function.body.is_none() || function.declare
    }

    /// The place of a name, for functions that have one.
    pub(crate) fn at(of: oxc_span::Span) -> Span {
        span(of)
    }
}
