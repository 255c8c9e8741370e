//! Patterns are taken apart: each name is bound by a statement of its own, in the order of the text.

use oxc_ast::ast::{BindingPattern, PropertyKey};
use serval_diagnostic::Span;
use serval_handlers::{BinaryOp, Expr, ExprKind, Stmt, StmtKind, VarId};

use crate::scope::{ScriptScope, expr, no_stmt, span, stmt};

impl ScriptScope<'_> {
    /// The name of a property, if it is written down.
    pub(crate) fn key(key: &PropertyKey<'_>) -> Option<String> {
        match key {
            PropertyKey::StaticIdentifier(name) => Some(name.name.to_string()),
            PropertyKey::PrivateIdentifier(name) => Some(format!("#{}", name.name)),
            PropertyKey::StringLiteral(text) => Some(text.value.to_string()),
            _ => None,
        }
    }

    /// Binds what a pattern names to parts of a value.
    pub(crate) fn bind(&mut self, pattern: &BindingPattern<'_>, value: Option<Expr>, at: Span, out: &mut Vec<Stmt>) {
        self.deeper(|this| this.bind_here(pattern, value, at, out), || {});
    }

    fn bind_here(&mut self, pattern: &BindingPattern<'_>, value: Option<Expr>, at: Span, out: &mut Vec<Stmt>) {
        match pattern {
            BindingPattern::BindingIdentifier(id) => {
                let variable = self.declared(id);
                out.push(stmt(StmtKind::Let(variable, value), at));
            }
            BindingPattern::AssignmentPattern(pattern) => {
                let given = self.held(value, at, out);
                let default = self.expression(&pattern.right);
                let bound = Self::or_default(given, default, at);
                self.bind(&pattern.left, Some(bound), at, out);
            }
            BindingPattern::ObjectPattern(pattern) => {
                let held = self.held(value, at, out);
                for property in &pattern.properties {
                    let Some(name) = Self::key(&property.key).filter(|_| !property.computed) else {
                        out.push(no_stmt("a computed name in a pattern", "write the name", span(property.span)));
                        continue;
                    };
                    let object = expr(ExprKind::Var(held), at);
                    let part = expr(ExprKind::Member(Box::new(object), name), span(property.span));
                    self.bind(&property.value, Some(part), at, out);
                }
                if let Some(rest) = &pattern.rest {
                    out.push(no_stmt("`...` in a pattern", "name the properties", span(rest.span)));
                }
            }
            BindingPattern::ArrayPattern(pattern) => {
                let held = self.held(value, at, out);
                for (index, element) in (0_i64..).zip(&pattern.elements) {
                    let Some(element) = element else { continue };
                    let array = expr(ExprKind::Var(held), at);
                    let place = expr(ExprKind::Number(index), at);
                    self.bind(element, Some(expr(ExprKind::Index(Box::new(array), Box::new(place)), at)), at, out);
                }
                if let Some(rest) = &pattern.rest {
                    out.push(no_stmt("`...` in a pattern", "name the elements", span(rest.span)));
                }
            }
        }
    }

    /// A variable that holds a value.
    fn held(&mut self, value: Option<Expr>, at: Span, out: &mut Vec<Stmt>) -> VarId {
        if let Some(Expr { kind: ExprKind::Var(known), .. }) = &value {
            return *known;
        }
        let held = self.temporary("value");
        out.push(stmt(StmtKind::Let(held, value), at));
        held
    }

    /// The value, or what stands for it where it is undefined.
    pub(crate) fn or_default(value: VarId, default: Expr, at: Span) -> Expr {
        let read = || Box::new(expr(ExprKind::Var(value), at));
        let nothing = Box::new(expr(ExprKind::Undefined, at));
        let missing = expr(ExprKind::Binary(BinaryOp::Equal, read(), nothing), at);
        expr(ExprKind::Conditional(Box::new(missing), Box::new(default), read()), at)
    }
}
