//! Expressions. Types are erased, optional chains become conditions.

use oxc_ast::ast::{
    Argument, ArrayExpressionElement, AssignmentOperator, AssignmentTarget, BinaryOperator, CallExpression, ChainElement, Expression,
    LogicalOperator, MemberExpression, ObjectPropertyKind, PropertyKind, SimpleAssignmentTarget, UnaryOperator, UpdateOperator,
};
use oxc_span::GetSpan;
use serval_diagnostic::Span;
use serval_handlers::{AssignTarget, BinaryOp, Expr, ExprKind, ListItem, LogicalOp, ScriptFunction, StmtKind, UpdateOp};

use crate::scope::{ScriptScope, expr, no_expr, span, stmt};

/// How many parts may be put into each other that the text has in a row.
const MOST_PARTS: usize = 24;

/// A member, an element or a call in an optional chain, made of what stands before.
type Link<'l> = Box<dyn FnOnce(&mut ScriptScope<'_>, Expr) -> Expr + 'l>;

impl ScriptScope<'_> {
    pub(crate) fn expression(&mut self, e: &Expression<'_>) -> Expr {
        self.expression_named(e, "")
    }

    /// The same where functions without a name get this one.
    pub(crate) fn expression_named(&mut self, e: &Expression<'_>, name: &str) -> Expr {
        let at = span(e.span());
        self.deeper(|this| this.expression_here(e, name, at), || no_expr("an expression nested this deep", "give parts of it a name", at))
    }

    fn boxed(&mut self, e: &Expression<'_>) -> Box<Expr> {
        Box::new(self.expression(e))
    }

    fn expression_here(&mut self, e: &Expression<'_>, name: &str, at: Span) -> Expr {
        let kind = match e {
            Expression::BooleanLiteral(one) => ExprKind::Bool(one.value),
            Expression::NullLiteral(_) => ExprKind::Null,
            Expression::NumericLiteral(one) => return number(one.value, at),
            Expression::StringLiteral(one) => ExprKind::Text(one.value.to_string()),
            Expression::TemplateLiteral(one) => {
                let texts = one.quasis.iter().map(|part| part.value.cooked.map(|text| text.to_string()).unwrap_or_default()).collect();
                let parts: Vec<Expr> = one.expressions.iter().map(|part| self.expression(part)).collect();
                ExprKind::Template(texts, parts)
            }
            Expression::Identifier(id) => return self.name(id),
            Expression::ThisExpression(_) => ExprKind::This,
            Expression::ParenthesizedExpression(one) => return self.expression_named(&one.expression, name),
            Expression::TSAsExpression(one) => return self.expression_named(&one.expression, name),
            Expression::TSSatisfiesExpression(one) => return self.expression_named(&one.expression, name),
            Expression::TSTypeAssertion(one) => return self.expression_named(&one.expression, name),
            Expression::TSNonNullExpression(one) => return self.expression_named(&one.expression, name),
            Expression::TSInstantiationExpression(one) => return self.expression_named(&one.expression, name),
            Expression::ArrowFunctionExpression(one) => ExprKind::Function(self.arrow(one, name)),
            Expression::FunctionExpression(one) => ExprKind::Function(self.function(one, name)),
            Expression::ClassExpression(one) => ExprKind::Class(self.class(one, name)),
            Expression::AwaitExpression(one) => ExprKind::Await(self.boxed(&one.argument)),
            Expression::ConditionalExpression(one) => {
                let test = self.boxed(&one.test);
                let yes = self.boxed(&one.consequent);
                ExprKind::Conditional(test, yes, self.boxed(&one.alternate))
            }
            Expression::LogicalExpression(one) => {
                let op = match one.operator {
                    LogicalOperator::And => LogicalOp::And,
                    LogicalOperator::Or => LogicalOp::Or,
                    LogicalOperator::Coalesce => LogicalOp::Nullish,
                };
                let left = self.boxed(&one.left);
                ExprKind::Logical(op, left, self.boxed(&one.right))
            }
            Expression::BinaryExpression(one) if one.operator == BinaryOperator::Instanceof => {
                let left = self.boxed(&one.left);
                ExprKind::InstanceOf(left, self.boxed(&one.right))
            }
            Expression::BinaryExpression(one) if one.operator == BinaryOperator::In => {
                let left = self.boxed(&one.left);
                ExprKind::In(left, self.boxed(&one.right))
            }
            Expression::BinaryExpression(one) => {
                let Some(op) = binary(one.operator) else {
                    return no_expr(&format!("`{}`", one.operator.as_str()), "compute it in a function of the outside", at);
                };
                let loose = matches!(one.operator, BinaryOperator::Equality | BinaryOperator::Inequality);
                let left = self.boxed(&one.left);
                let right = self.boxed(&one.right);
                if loose && (matches!(left.kind, ExprKind::Null) || matches!(right.kind, ExprKind::Null)) {
                    return self.loose_null(if matches!(left.kind, ExprKind::Null) { *right } else { *left }, op, at);
                }
                if loose && !is_text(&left) && !is_text(&right) {
                    return no_expr(&format!("`{}`", one.operator.as_str()), &format!("write `{}=`", one.operator.as_str()), at);
                }
                ExprKind::Binary(op, left, right)
            }
            Expression::UnaryExpression(one) => match one.operator {
                UnaryOperator::LogicalNot => ExprKind::Not(self.boxed(&one.argument)),
                UnaryOperator::UnaryNegation => {
                    let inner = self.expression(&one.argument);
                    match inner.kind {
                        ExprKind::Number(value) => ExprKind::Number(-value),
                        _ => ExprKind::Negate(Box::new(inner)),
                    }
                }
                UnaryOperator::Delete => {
                    let object = match one.argument.get_inner_expression() {
                        Expression::StaticMemberExpression(member) => {
                            Some(AssignTarget::Member(self.boxed(&member.object), member.property.name.to_string()))
                        }
                        Expression::ComputedMemberExpression(member) => {
                            let object = self.boxed(&member.object);
                            Some(AssignTarget::Index(object, self.boxed(&member.expression)))
                        }
                        _ => None,
                    };
                    let Some(target) = object else { return no_expr("`delete` of this", "delete a field or an entry", at) };
                    let gone = expr(ExprKind::Assign(target, Box::new(expr(ExprKind::Absent, at))), at);
                    let unused = self.temporary("unused");
                    ExprKind::Bind(unused, Box::new(gone), Box::new(expr(ExprKind::Bool(true), at)))
                }
                UnaryOperator::Void => ExprKind::Void(self.boxed(&one.argument)),
                other => return no_expr(&format!("`{}`", other.as_str()), "compute it in a function of the outside", at),
            },
            Expression::UpdateExpression(one) => {
                let op = match one.operator {
                    UpdateOperator::Increment => BinaryOp::Add,
                    UpdateOperator::Decrement => BinaryOp::Subtract,
                };
                let Some(target) = self.simple_target(&one.argument) else {
                    return no_expr("this target", "assign to a variable or a field", at);
                };
                let unit = Box::new(expr(ExprKind::Number(1), at));
                ExprKind::Update(target, UpdateOp::Binary(op), unit, !one.prefix)
            }
            Expression::AssignmentExpression(one) => {
                let Some(target) = self.target(&one.left) else {
                    return no_expr("an assignment to a pattern", "declare the parts with `const`, or assign to each", at);
                };
                let shown = match &target {
                    AssignTarget::Var(variable) => self.made.variable(*variable).name.clone(),
                    AssignTarget::Member(_, name) => name.clone(),
                    AssignTarget::Index(..) => String::new(),
                };
                let value = Box::new(self.expression_named(&one.right, &shown));
                let op = match one.operator {
                    AssignmentOperator::Assign => return expr(ExprKind::Assign(target, value), at),
                    AssignmentOperator::Addition => UpdateOp::Binary(BinaryOp::Add),
                    AssignmentOperator::Subtraction => UpdateOp::Binary(BinaryOp::Subtract),
                    AssignmentOperator::Multiplication => UpdateOp::Binary(BinaryOp::Multiply),
                    AssignmentOperator::Remainder => UpdateOp::Binary(BinaryOp::Remainder),
                    AssignmentOperator::LogicalOr => UpdateOp::Logical(LogicalOp::Or),
                    AssignmentOperator::LogicalAnd => UpdateOp::Logical(LogicalOp::And),
                    AssignmentOperator::LogicalNullish => UpdateOp::Logical(LogicalOp::Nullish),
                    other => return no_expr(&format!("`{}`", other.as_str()), "compute it in a function of the outside", at),
                };
                ExprKind::Update(target, op, value, false)
            }
            Expression::ObjectExpression(one) => {
                let mut items = Vec::new();
                for property in &one.properties {
                    match property {
                        ObjectPropertyKind::SpreadProperty(spread) => items.push(ListItem::Spread(self.expression(&spread.argument))),
                        ObjectPropertyKind::ObjectProperty(field) => {
                            let key = Self::key(&field.key).filter(|_| !field.computed && field.kind == PropertyKind::Init);
                            let Some(key) = key else {
                                return no_expr("a computed name or a getter in an object", "write the name", span(field.span));
                            };
                            let value = self.expression_named(&field.value, &key);
                            items.push(ListItem::One(key, value));
                        }
                    }
                }
                ExprKind::Object(items)
            }
            Expression::ArrayExpression(one) => {
                let items = one.elements.iter().map(|element| match element {
                    ArrayExpressionElement::SpreadElement(spread) => ListItem::Spread(self.expression(&spread.argument)),
                    ArrayExpressionElement::Elision(_) => ListItem::One(String::new(), expr(ExprKind::Undefined, at)),
                    other => match other.as_expression() {
                        Some(value) => ListItem::One(String::new(), self.expression(value)),
                        None => ListItem::One(String::new(), expr(ExprKind::Undefined, at)),
                    },
                });
                ExprKind::Array(items.collect())
            }
            Expression::CallExpression(_) | Expression::ChainExpression(_) => return self.chain(e, at),
            Expression::NewExpression(one) => {
                let callee = self.boxed(&one.callee);
                let items = self.arguments(&one.arguments);
                ExprKind::New(callee, items)
            }
            Expression::SequenceExpression(one) if one.expressions.len() > MOST_PARTS => {
                return no_expr("a list of expressions this long", "make statements of them", at);
            }
            Expression::SequenceExpression(one) => {
                let mut parts: Vec<Expr> = one.expressions.iter().map(|part| self.expression(part)).collect();
                let Some(last) = parts.pop() else { return expr(ExprKind::Undefined, at) };
                return parts.into_iter().rev().fold(last, |rest, part| {
                    let unused = self.temporary("unused");
                    expr(ExprKind::Bind(unused, Box::new(part), Box::new(rest)), at)
                });
            }
            Expression::ImportExpression(_) => return no_expr("`import()`", "import at the top of the file", at),
            Expression::YieldExpression(_) => return no_expr("`yield`", "write a loop with `await`", at),
            Expression::Super(_) => ExprKind::Global("super".to_owned()),
            Expression::JSXElement(_) | Expression::JSXFragment(_) => return no_expr("JSX", "answer data", at),
            Expression::BigIntLiteral(_) => return no_expr("a bigint", "use a number", at),
            Expression::RegExpLiteral(_) => return no_expr("a regular expression", "match in a function of the outside", at),
            Expression::TaggedTemplateExpression(_) => return no_expr("a tagged template", "call a function", at),
            other => match other.as_member_expression() {
                Some(_) => return self.chain(e, at),
                None => return no_expr("this expression", "write it in another way", at),
            },
        };
        expr(kind, at)
    }

    /// `e == null`: null or undefined.
    fn loose_null(&mut self, value: Expr, op: BinaryOp, at: Span) -> Expr {
        let held = self.temporary("value");
        let is = |kind| {
            let read = Box::new(expr(ExprKind::Var(held), at));
            expr(ExprKind::Binary(op, read, Box::new(expr(kind, at))), at)
        };
        let join = if op == BinaryOp::Equal { LogicalOp::Or } else { LogicalOp::And };
        let both = ExprKind::Logical(join, Box::new(is(ExprKind::Null)), Box::new(is(ExprKind::Undefined)));
        expr(ExprKind::Bind(held, Box::new(value), Box::new(expr(both, at))), at)
    }

    fn arguments(&mut self, list: &[Argument<'_>]) -> Vec<ListItem> {
        let argument = |argument: &Argument<'_>| match argument {
            Argument::SpreadElement(spread) => ListItem::Spread(self.expression(&spread.argument)),
            other => match other.as_expression() {
                Some(value) => ListItem::One(String::new(), self.expression(value)),
                None => ListItem::One(String::new(), expr(ExprKind::Undefined, span(other.span()))),
            },
        };
        list.iter().map(argument).collect()
    }

    fn simple_target(&mut self, target: &SimpleAssignmentTarget<'_>) -> Option<AssignTarget> {
        match target {
            SimpleAssignmentTarget::AssignmentTargetIdentifier(id) => match self.name(id).kind {
                ExprKind::Var(variable) => Some(AssignTarget::Var(variable)),
                _ => None,
            },
            other => match other.as_member_expression() {
                Some(member) => self.member_target(member),
                None => match other.get_expression()? {
                    Expression::Identifier(id) => self.variable(id).map(AssignTarget::Var),
                    inner => inner.as_member_expression().and_then(|member| self.member_target(member)),
                },
            },
        }
    }

    fn member_target(&mut self, member: &MemberExpression<'_>) -> Option<AssignTarget> {
        match member {
            MemberExpression::StaticMemberExpression(one) => {
                Some(AssignTarget::Member(self.boxed(&one.object), one.property.name.to_string()))
            }
            MemberExpression::PrivateFieldExpression(one) => {
                Some(AssignTarget::Member(self.boxed(&one.object), format!("#{}", one.field.name)))
            }
            MemberExpression::ComputedMemberExpression(one) => {
                let object = self.boxed(&one.object);
                match &one.expression {
                    Expression::StringLiteral(text) => Some(AssignTarget::Member(object, text.value.to_string())),
                    index => Some(AssignTarget::Index(object, self.boxed(index))),
                }
            }
        }
    }

    fn target(&mut self, target: &AssignmentTarget<'_>) -> Option<AssignTarget> {
        target.as_simple_assignment_target().and_then(|simple| self.simple_target(simple))
    }

    /// Members, elements and calls, with `?.` in between: where that finds nothing the rest of the chain is left out.
    fn chain(&mut self, e: &Expression<'_>, at: Span) -> Expr {
        let mut links: Vec<(bool, Link<'_>)> = Vec::new();
        let mut here = e;
        let mut count = 0_u32;
        let first = loop {
            count += 1;
            if count > crate::scope::MOST_LEVELS {
                return no_expr("a chain this long", "give parts of it a name", at);
            }
            match here {
                Expression::ChainExpression(chain) => match &chain.expression {
                    ChainElement::CallExpression(call) => {
                        links.push((call.optional, Self::call_link(call)));
                        here = &call.callee;
                    }
                    ChainElement::TSNonNullExpression(inner) => here = &inner.expression,
                    element => match element.as_member_expression() {
                        Some(member) => {
                            links.push((member.optional(), member_link(member)));
                            here = member.object();
                        }
                        None => return no_expr("this chain", "write it in another way", at),
                    },
                },
                Expression::CallExpression(call) => {
                    links.push((call.optional, Self::call_link(call)));
                    here = &call.callee;
                }
                // Outside of a chain of `?.` parentheses and types end it.
                other => match other.as_member_expression() {
                    Some(member) => {
                        links.push((member.optional(), member_link(member)));
                        here = member.object();
                    }
                    None => break other,
                },
            }
        };
        links.reverse();
        let mut made = self.expression(first);
        // Where the chain may end early: the variables that are looked at, with what they hold.
        let mut tests: Vec<(serval_handlers::VarId, Expr)> = Vec::new();
        for (optional, link) in links {
            if optional {
                let held = self.temporary("value");
                // `a.b?.()` keeps `a` as its `this`: not modelled, as functions in fields are not.
                tests.push((held, made));
                made = expr(ExprKind::Var(held), at);
            }
            made = link(self, made);
        }
        for (held, value) in tests.into_iter().rev() {
            let read = expr(ExprKind::Var(held), at);
            let missing = self.loose_null(read, BinaryOp::Equal, at);
            let nothing = Box::new(expr(ExprKind::Undefined, at));
            let all = expr(ExprKind::Conditional(Box::new(missing), nothing, Box::new(made)), at);
            made = expr(ExprKind::Bind(held, Box::new(value), Box::new(all)), at);
        }
        made
    }

    fn call_link<'l>(call: &'l CallExpression<'l>) -> Link<'l> {
        Box::new(move |this, callee| {
            let at = span(call.span);
            // `require('x')` is an import.
            if let (ExprKind::Global(name), [Argument::StringLiteral(module)]) = (&callee.kind, call.arguments.as_slice())
                && name == "require"
            {
                return expr(ExprKind::Import(module.value.to_string(), "*".to_owned()), at);
            }
            let items = this.arguments(&call.arguments);
            match (callee.kind, items.as_slice()) {
                (ExprKind::Member(promise, name), [ListItem::One(_, f)])
                    if name == "finally" && matches!(f.kind, ExprKind::Function(_)) =>
                {
                    this.at_last(*promise, f, at)
                }
                (ExprKind::Member(object, name), items)
                    if name == "assign" && matches!(&object.kind, ExprKind::Global(of) if of == "Object") =>
                {
                    this.assign_fields(items, at)
                }
                (kind, _) => expr(ExprKind::Call(Box::new(expr(kind, callee.span)), items), at),
            }
        })
    }

    /// `Object.assign(record, { … })`: the fields one after the other, once all values are known; `Object.assign({},
    /// a, b)` is `{ ...a, ...b }`.
    fn assign_fields(&mut self, items: &[ListItem], at: Span) -> Expr {
        let refused = || no_expr("`Object.assign` of this", "assign the fields one by one: `record.name = value`", at);
        let Some((ListItem::One(_, target), rest)) = items.split_first() else { return refused() };
        if let ExprKind::Object(first) = &target.kind {
            let mut all = first.clone();
            for item in rest {
                match item {
                    ListItem::One(_, Expr { kind: ExprKind::Object(list), .. }) => all.extend(list.iter().cloned()),
                    ListItem::One(_, other) => all.push(ListItem::Spread(other.clone())),
                    ListItem::Spread(_) => return refused(),
                }
            }
            return expr(ExprKind::Object(all), at);
        }
        let [ListItem::One(_, Expr { kind: ExprKind::Object(list), .. })] = rest else { return refused() };
        if list.len() > MOST_PARTS || !matches!(target.kind, ExprKind::Var(_) | ExprKind::This) {
            return refused();
        }
        let fields = list.iter().map(|item| if let ListItem::One(name, value) = item { Some((name, value)) } else { None });
        let Some(fields) = fields.collect::<Option<Vec<_>>>() else { return refused() };
        let held: Vec<_> = fields.iter().map(|_| self.temporary("value")).collect();
        let mut made = target.clone();
        for (variable, (name, _)) in held.iter().zip(&fields).rev() {
            let to = AssignTarget::Member(Box::new(target.clone()), (*name).clone());
            let assign = expr(ExprKind::Assign(to, Box::new(expr(ExprKind::Var(*variable), at))), at);
            let unused = self.temporary("unused");
            made = expr(ExprKind::Bind(unused, Box::new(assign), Box::new(made)), at);
        }
        for (variable, (_, value)) in held.iter().zip(&fields).rev() {
            made = expr(ExprKind::Bind(*variable, Box::new((*value).clone()), Box::new(made)), at);
        }
        made
    }

    /// `promise.finally(f)`: an `async` function that awaits the promise in `try` and calls `f` in `finally`.
    fn at_last(&mut self, promise: Expr, f: &Expr, at: Span) -> Expr {
        let given = self.temporary("promise");
        let waits = expr(ExprKind::Await(Box::new(expr(ExprKind::Var(given), at))), at);
        let mut last = expr(ExprKind::Call(Box::new(f.clone()), Vec::new()), at);
        if matches!(f.kind, ExprKind::Function(id) if self.made.functions[id.0 as usize].is_async) {
            last = expr(ExprKind::Await(Box::new(last)), at);
        }
        let body = vec![stmt(StmtKind::Return(Some(waits)), at)];
        let finally = Some(vec![stmt(StmtKind::Expr(last), at)]);
        let body = vec![stmt(StmtKind::Try { body, catch: None, finally }, at)];
        let (params, param_names) = (vec![given], vec!["promise".to_owned()]);
        let made = ScriptFunction { name: "finally".to_owned(), span: at, params, param_names, body, is_async: true, has_this: false };
        let callee = expr(ExprKind::Function(self.add_function(made)), at);
        expr(ExprKind::Call(Box::new(callee), vec![ListItem::One(String::new(), promise)]), at)
    }
}

fn member_link<'l>(member: &'l MemberExpression<'l>) -> Link<'l> {
    Box::new(move |this, object| {
        let at = span(member.span());
        let object = Box::new(object);
        match member {
            MemberExpression::StaticMemberExpression(one) => expr(ExprKind::Member(object, one.property.name.to_string()), at),
            MemberExpression::PrivateFieldExpression(one) => expr(ExprKind::Member(object, format!("#{}", one.field.name)), at),
            MemberExpression::ComputedMemberExpression(one) => match &one.expression {
                Expression::StringLiteral(text) => expr(ExprKind::Member(object, text.value.to_string()), at),
                index => {
                    let index = Box::new(this.expression(index));
                    expr(ExprKind::Index(object, index), at)
                }
            },
        }
    })
}

fn is_text(e: &Expr) -> bool {
    matches!(e.kind, ExprKind::Text(_))
}

/// A whole number.
pub(crate) fn number(value: f64, at: Span) -> Expr {
    // Whole numbers of less than 2^53 are exact as f64, and their text is that of the number.
    match format!("{value}").parse::<i64>() {
        Ok(whole) if whole.unsigned_abs() < 1 << 53 => expr(ExprKind::Number(whole), at),
        _ => no_expr("a number that is not whole", "count in smaller units", at),
    }
}

fn binary(op: BinaryOperator) -> Option<BinaryOp> {
    Some(match op {
        BinaryOperator::Addition => BinaryOp::Add,
        BinaryOperator::Subtraction => BinaryOp::Subtract,
        BinaryOperator::Multiplication => BinaryOp::Multiply,
        BinaryOperator::Remainder => BinaryOp::Remainder,
        BinaryOperator::Equality | BinaryOperator::StrictEquality => BinaryOp::Equal,
        BinaryOperator::Inequality | BinaryOperator::StrictInequality => BinaryOp::NotEqual,
        BinaryOperator::LessThan => BinaryOp::Less,
        BinaryOperator::LessEqualThan => BinaryOp::LessOrEqual,
        BinaryOperator::GreaterThan => BinaryOp::Greater,
        BinaryOperator::GreaterEqualThan => BinaryOp::GreaterOrEqual,
        _ => return None,
    })
}
