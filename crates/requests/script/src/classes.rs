//! Classes: fields, a constructor, methods; what they extend is a name, for classes of errors.

use oxc_ast::ast::{
    BindingPattern, Class, ClassElement, Expression, MethodDefinition, MethodDefinitionKind, MethodDefinitionType, ObjectPropertyKind,
    PropertyKind, TSAccessibility,
};
use serval_handlers::{AssignTarget, Class as Made, ClassId, ClassMethod, Expr, ExprKind, FunId, StmtKind, Unsupported, VarId};

use crate::scope::{ScriptScope, expr, span, stmt, unsupported};

impl ScriptScope<'_> {
    pub(crate) fn class(&mut self, class: &Class<'_>, name: &str) -> ClassId {
        let at = span(class.span);
        let mut why: Option<Unsupported> = None;
        let mut refuse = |what: &str, help: &str, place| {
            why.get_or_insert_with(|| unsupported(what, help, place));
        };
        let extends = class.heritage.as_ref().map(|heritage| self.expression(&heritage.expression));
        if extends.as_ref().is_some_and(|extended| !matches!(extended.kind, ExprKind::Var(_) | ExprKind::Global(_))) {
            refuse("inheritance", "put the fields and methods into one class", at);
        }
        if !class.decorators.is_empty() {
            refuse("a decorator", "call what it does", at);
        }
        let name = class.id.as_ref().map_or_else(|| name.to_owned(), |id| id.name.to_string());
        let (fields, methods) = (Vec::new(), Vec::new());
        let mut made = Made { name, span: at, extends, fields, constructor: None, methods, unsupported: None, hides: false };
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
                            self.keep_parameters(method, function);
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
        made.hides = class.body.body.iter().any(Self::is_left_out);
        made.unsupported = why;
        self.add_class(made)
    }

    /// Whether a part of a class has no form, though it may do something.
    fn is_left_out(element: &ClassElement<'_>) -> bool {
        match element {
            ClassElement::PropertyDefinition(field) => !field.declare && (field.computed || field.r#static),
            ClassElement::MethodDefinition(method) => {
                let plain = matches!(method.kind, MethodDefinitionKind::Method | MethodDefinitionKind::Constructor);
                !Self::is_signature(&method.value) && (!plain || method.computed || method.r#static || !method.decorators.is_empty())
            }
            ClassElement::TSIndexSignature(_) => false,
            ClassElement::StaticBlock(_) | ClassElement::AccessorProperty(_) => true,
        }
    }

    /// An object of the module that has functions: like the only instance of a class.
    pub(crate) fn module_object(&mut self, e: &Expression<'_>, name: &str) -> Option<Expr> {
        let Expression::ObjectExpression(object) = e.get_inner_expression() else { return None };
        let is_function =
            |value: &Expression<'_>| matches!(value, Expression::FunctionExpression(_) | Expression::ArrowFunctionExpression(_));
        let mut functions = 0;
        for property in &object.properties {
            let ObjectPropertyKind::ObjectProperty(field) = property else { return None };
            if field.computed || field.kind != PropertyKind::Init || Self::key(&field.key).is_none() {
                return None;
            }
            functions += usize::from(is_function(&field.value));
        }
        if functions == 0 {
            return None;
        }
        let at = span(object.span);
        let mut made = Made {
            name: name.to_owned(),
            span: at,
            extends: None,
            fields: Vec::new(),
            constructor: None,
            methods: Vec::new(),
            unsupported: None,
            hides: false,
        };
        for property in &object.properties {
            let ObjectPropertyKind::ObjectProperty(field) = property else { continue };
            let Some(key) = Self::key(&field.key) else { continue };
            let function = match &field.value {
                Expression::FunctionExpression(function) => Some(self.function(function, &key)),
                Expression::ArrowFunctionExpression(arrow) => Some(self.arrow(arrow, &key)),
                _ => None,
            };
            match function {
                Some(function) => made.methods.push(ClassMethod { name: key, function, private: false }),
                None => {
                    let value = self.expression_named(&field.value, &key);
                    made.fields.push((key, Some(value)));
                }
            }
        }
        let class = expr(ExprKind::Class(self.add_class(made)), at);
        Some(expr(ExprKind::New(Box::new(class), Vec::new()), at))
    }

    /// `constructor(private readonly max: number)` says `this.max = max`, when the defaults of parameters are known.
    fn keep_parameters(&mut self, method: &MethodDefinition<'_>, function: FunId) {
        let (mut assigned, mut defaults) = (Vec::new(), Vec::new());
        for parameter in &method.value.params.items {
            let is_kept = parameter.accessibility.is_some() || parameter.readonly || parameter.r#override;
            let BindingPattern::BindingIdentifier(id) = &parameter.pattern else { continue };
            let Some(symbol) = id.symbol_id.get() else { continue };
            let (variable, at) = (self.of_symbol(symbol), Self::at(parameter.span));
            defaults.extend(parameter.initializer.as_ref().map(|_| variable));
            if is_kept {
                let this: Expr = expr(ExprKind::This, at);
                let assign = AssignTarget::Member(Box::new(this), id.name.to_string());
                let assign = ExprKind::Assign(assign, Box::new(expr(ExprKind::Var(variable), at)));
                assigned.push(stmt(StmtKind::Expr(expr(assign, at)), at));
            }
        }
        let body = &mut self.made.functions[function.0 as usize].body;
        let place = |default: &VarId| body.iter().position(|one| matches!(&one.kind, StmtKind::Let(variable, _) if variable == default));
        let first = defaults.iter().filter_map(place).max().map_or(0, |last| last + 1);
        body.splice(first..first, assigned);
    }
}
