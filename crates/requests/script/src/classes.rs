//! Classes without inheritance: fields, a constructor, methods.

use oxc_ast::ast::{Class, ClassElement, MethodDefinitionKind, MethodDefinitionType, TSAccessibility};
use serval_handlers::{AssignTarget, Class as Made, ClassId, ClassMethod, Expr, ExprKind, Stmt, StmtKind, Unsupported};

use crate::scope::{ScriptScope, expr, span, stmt, unsupported};

impl ScriptScope<'_> {
    pub(crate) fn class(&mut self, class: &Class<'_>, name: &str) -> ClassId {
        let at = span(class.span);
        let mut why: Option<Unsupported> = None;
        let mut refuse = |what: &str, help: &str, place| {
            why.get_or_insert_with(|| unsupported(what, help, place));
        };
        if class.heritage.is_some() {
            refuse("inheritance", "put the fields and methods into one class", at);
        }
        if !class.decorators.is_empty() {
            refuse("a decorator", "call what it does", at);
        }
        let name = class.id.as_ref().map_or_else(|| name.to_owned(), |id| id.name.to_string());
        let mut made = Made { name, span: at, fields: Vec::new(), constructor: None, methods: Vec::new(), unsupported: None };
        for element in &class.body.body {
            match element {
                ClassElement::PropertyDefinition(field) if field.declare => {}
                ClassElement::PropertyDefinition(field) => match Self::key(&field.key).filter(|_| !field.computed && !field.r#static) {
                    Some(key) => {
                        let value = field.value.as_ref().map(|value| self.expression_named(value, &key));
                        made.fields.push((key, value));
                    }
                    None => refuse("a static or computed field", "use a variable of the module", span(field.span)),
                },
                ClassElement::MethodDefinition(method) if method.r#type == MethodDefinitionType::TSAbstractMethodDefinition => {}
                ClassElement::MethodDefinition(method) if Self::is_signature(&method.value) => {}
                ClassElement::MethodDefinition(method) => {
                    let key = Self::key(&method.key).filter(|_| !method.computed && !method.r#static);
                    let Some(key) = key.filter(|_| method.decorators.is_empty()) else {
                        refuse("a static, computed or decorated method", "use a function of the module", span(method.span));
                        continue;
                    };
                    match method.kind {
                        MethodDefinitionKind::Method => {
                            let private = key.starts_with('#') || method.accessibility == Some(TSAccessibility::Private);
                            let private = private || method.accessibility == Some(TSAccessibility::Protected);
                            let function = self.function(&method.value, &key);
                            made.methods.push(ClassMethod { name: key, function, private });
                        }
                        MethodDefinitionKind::Constructor => {
                            let function = self.function(&method.value, "constructor");
                            let kept = self.kept_parameters(method, function);
                            self.made.functions[function.0 as usize].body.splice(0..0, kept);
                            made.constructor = Some(function);
                        }
                        MethodDefinitionKind::Get | MethodDefinitionKind::Set => {
                            refuse("a getter or setter", "write a method", span(method.span));
                        }
                    }
                }
                ClassElement::TSIndexSignature(_) => {}
                ClassElement::StaticBlock(block) => refuse("a static block", "write statements of the module", span(block.span)),
                ClassElement::AccessorProperty(field) => refuse("an accessor", "write a field", span(field.span)),
            }
        }
        made.unsupported = why;
        self.add_class(made)
    }

    /// `constructor(private readonly max: number)` says `this.max = max`.
    fn kept_parameters(&mut self, method: &oxc_ast::ast::MethodDefinition<'_>, function: serval_handlers::FunId) -> Vec<Stmt> {
        let made = &self.made.functions[function.0 as usize];
        let kept = method
            .value
            .params
            .items
            .iter()
            .zip(&made.params)
            .filter(|(parameter, _)| parameter.accessibility.is_some() || parameter.readonly || parameter.r#override);
        let assigned = kept.map(|(parameter, variable)| {
            let at = Self::at(parameter.span);
            let this: Expr = expr(ExprKind::This, at);
            let value = expr(ExprKind::Var(*variable), at);
            let name = self.made.variable(*variable).name.clone();
            let assign = ExprKind::Assign(AssignTarget::Member(Box::new(this), name), Box::new(value));
            stmt(StmtKind::Expr(expr(assign, at)), at)
        });
        assigned.collect()
    }
}
