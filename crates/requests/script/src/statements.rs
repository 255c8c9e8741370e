//! Statements, and what a module exports and imports.

use oxc_ast::ast::{
    Declaration, ExportDefaultDeclarationKind, Expression, ForOfStatement, ForStatementInit, ForStatementLeft, ImportDeclarationSpecifier,
    ModuleExportName, Program, Statement, TSEnumDeclaration, TSEnumMemberName, VariableDeclaration, VariableDeclarationKind,
};
use serval_diagnostic::Span;
use serval_handlers::{AssignTarget, BinaryOp, Export, Expr, ExprKind, ListItem, LogicalOp, Stmt, StmtKind, UpdateOp};

use crate::scope::{ScriptScope, expr, no_stmt, span, stmt};

/// How many cases a `switch` may have.
const MOST_CASES: usize = 60;

impl ScriptScope<'_> {
    /// The whole file.
    pub(crate) fn module(&mut self, program: &Program<'_>) {
        for statement in &program.body {
            if let Statement::ImportDeclaration(import) = statement {
                self.statement = import.span.start;
                let module = import.source.value.to_string();
                for specifier in import.specifiers.iter().flatten() {
                    let (local, name) = match specifier {
                        ImportDeclarationSpecifier::ImportSpecifier(one) => (&one.local, export_name(&one.imported)),
                        ImportDeclarationSpecifier::ImportDefaultSpecifier(one) => (&one.local, "default".to_owned()),
                        ImportDeclarationSpecifier::ImportNamespaceSpecifier(one) => (&one.local, "*".to_owned()),
                    };
                    let variable = self.declared(local);
                    self.imports.insert(variable, (module.clone(), name));
                }
            }
        }
        let top = self.statements(&program.body);
        self.made.top.extend(top);
        self.common_exports();
    }

    /// A block: functions first, as they are hoisted.
    pub(crate) fn statements(&mut self, list: &[Statement<'_>]) -> Vec<Stmt> {
        let mut out = Vec::new();
        for statement in list {
            let function = match statement {
                Statement::FunctionDeclaration(function) => Some(function),
                Statement::ExportDeclaration(export) => match &export.declaration {
                    Declaration::FunctionDeclaration(function) => Some(function),
                    _ => None,
                },
                _ => None,
            };
            let Some(function) = function.filter(|function| !Self::is_signature(function)) else { continue };
            let Some(id) = &function.id else { continue };
            self.statement = Self::at(oxc_span::GetSpan::span(statement)).start;
            let variable = self.declared(id);
            let made = self.function(function, &id.name);
            let at = span(function.span);
            out.push(stmt(StmtKind::Let(variable, Some(expr(ExprKind::Function(made), at))), at));
        }
        for statement in list {
            self.statement = Self::at(oxc_span::GetSpan::span(statement)).start;
            let at = span(oxc_span::GetSpan::span(statement));
            let too_deep = no_stmt("statements nested this deep", "make functions of the inner ones", at);
            let mut made = Vec::new();
            let whole = self.deeper(
                |this| {
                    this.statement_into(statement, &mut made);
                    true
                },
                || false,
            );
            out.extend(made);
            if !whole {
                out.push(too_deep);
            }
        }
        out
    }

    fn block(&mut self, statement: &Statement<'_>) -> Vec<Stmt> {
        match statement {
            Statement::BlockStatement(block) => self.statements(&block.body),
            other => self.statements(std::slice::from_ref(other)),
        }
    }

    fn declaration(&mut self, list: &VariableDeclaration<'_>, out: &mut Vec<Stmt>) {
        if list.declare {
            return;
        }
        if matches!(list.kind, VariableDeclarationKind::Using | VariableDeclarationKind::AwaitUsing) {
            out.push(no_stmt("`using`", "write `try` and `finally`", span(list.span)));
            return;
        }
        for one in &list.declarations {
            let at = span(one.span);
            let name = one.id.get_identifier_name().map(|name| name.to_string()).unwrap_or_default();
            let is_fixed = list.kind == VariableDeclarationKind::Const && self.is_top();
            let object = one.init.as_ref().filter(|_| is_fixed).and_then(|init| self.module_object(init, &name));
            let value = object.or_else(|| one.init.as_ref().map(|init| self.expression_named(init, &name)));
            self.bind(&one.id, value, at, out);
        }
    }

    fn enumeration(&mut self, list: &TSEnumDeclaration<'_>, out: &mut Vec<Stmt>) {
        if list.declare {
            return;
        }
        let at = span(list.span);
        let Some(values) = enum_values(list) else {
            out.push(no_stmt("an enum whose values are computed", "write the values", at));
            return;
        };
        let field = |(name, value)| {
            let kind = match value {
                EnumValue::Number(number) => ExprKind::Number(number),
                EnumValue::Text(text) => ExprKind::Text(text),
            };
            ListItem::One(name, expr(kind, at))
        };
        let fields = values.into_iter().map(field).collect();
        let variable = self.declared(&list.id);
        out.push(stmt(StmtKind::Let(variable, Some(expr(ExprKind::Object(fields), at))), at));
    }

    fn declared_here(&mut self, declaration: &Declaration<'_>, out: &mut Vec<Stmt>) {
        match declaration {
            Declaration::VariableDeclaration(list) => self.declaration(list, out),
            Declaration::ClassDeclaration(class) => {
                if class.declare {
                    return;
                }
                let Some(id) = &class.id else { return };
                let variable = self.declared(id);
                let made = self.class(class, &id.name);
                let at = span(class.span);
                out.push(stmt(StmtKind::Let(variable, Some(expr(ExprKind::Class(made), at))), at));
            }
            Declaration::TSEnumDeclaration(list) => self.enumeration(list, out),
            // Functions are hoisted; types are nothing.
            Declaration::FunctionDeclaration(_) | Declaration::TSTypeAliasDeclaration(_) | Declaration::TSInterfaceDeclaration(_) => {}
            Declaration::TSGlobalDeclaration(_) | Declaration::TSExternalModuleDeclaration(_) => {}
            Declaration::TSNamespaceDeclaration(one) if one.declare => {}
            other => out.push(no_stmt("a namespace or `import =`", "write modules", span(oxc_span::GetSpan::span(other)))),
        }
    }

    fn exported(&mut self, declaration: &Declaration<'_>) {
        let mut names: Vec<(String, serval_handlers::VarId)> = Vec::new();
        match declaration {
            Declaration::VariableDeclaration(list) => {
                for one in &list.declarations {
                    for id in one.id.get_binding_identifiers() {
                        names.push((id.name.to_string(), self.declared(id)));
                    }
                }
            }
            Declaration::FunctionDeclaration(function) if !Self::is_signature(function) => {
                names.extend(function.id.as_ref().map(|id| (id.name.to_string(), self.declared(id))));
            }
            Declaration::ClassDeclaration(class) => {
                names.extend(class.id.as_ref().map(|id| (id.name.to_string(), self.declared(id))));
            }
            Declaration::TSEnumDeclaration(list) => names.push((list.id.name.to_string(), self.declared(&list.id))),
            _ => {}
        }
        let at = span(oxc_span::GetSpan::span(declaration));
        for (name, variable) in names {
            self.made.exports.push(Export { name, value: expr(ExprKind::Var(variable), at) });
        }
    }

    fn statement_into(&mut self, statement: &Statement<'_>, out: &mut Vec<Stmt>) {
        let at = span(oxc_span::GetSpan::span(statement));
        match statement {
            Statement::BlockStatement(block) => {
                let inner = self.statements(&block.body);
                out.push(stmt(StmtKind::Block(inner), at));
            }
            Statement::EmptyStatement(_) | Statement::DebuggerStatement(_) => {}
            Statement::ExpressionStatement(one) => {
                let value = self.expression(&one.expression);
                out.push(stmt(StmtKind::Expr(value), at));
            }
            Statement::IfStatement(one) => {
                let condition = self.expression(&one.test);
                let yes = self.block(&one.consequent);
                let no = one.alternate.as_ref().map(|no| self.block(no)).unwrap_or_default();
                out.push(stmt(StmtKind::If(condition, yes, no), at));
            }
            Statement::WhileStatement(one) => {
                let test = Some(self.expression(&one.test));
                let body = self.block(&one.body);
                out.push(stmt(StmtKind::Loop { test, test_first: true, body, update: None }, at));
            }
            Statement::DoWhileStatement(one) => {
                let body = self.block(&one.body);
                let test = Some(self.expression(&one.test));
                out.push(stmt(StmtKind::Loop { test, test_first: false, body, update: None }, at));
            }
            Statement::ForStatement(one) => {
                let mut inner = Vec::new();
                match &one.init {
                    Some(ForStatementInit::VariableDeclaration(list)) => self.declaration(list, &mut inner),
                    Some(other) => {
                        if let Some(value) = other.as_expression() {
                            let value = self.expression(value);
                            inner.push(stmt(StmtKind::Expr(value), at));
                        }
                    }
                    None => {}
                }
                let test = one.test.as_ref().map(|test| self.expression(test));
                let update = one.update.as_ref().map(|update| self.expression(update));
                let body = self.block(&one.body);
                inner.push(stmt(StmtKind::Loop { test, test_first: true, body, update }, at));
                out.push(stmt(StmtKind::Block(inner), at));
            }
            Statement::ReturnStatement(one) => {
                let value = one.argument.as_ref().map(|value| self.expression(value));
                out.push(stmt(StmtKind::Return(value), at));
            }
            Statement::ThrowStatement(one) => {
                let value = self.expression(&one.argument);
                out.push(stmt(StmtKind::Throw(value), at));
            }
            Statement::TryStatement(one) => {
                let body = self.statements(&one.block.body);
                let catch = one.handler.as_ref().map(|handler| {
                    let mut first = Vec::new();
                    let bound = handler.param.as_ref().map(|parameter| match &parameter.pattern {
                        oxc_ast::ast::BindingPattern::BindingIdentifier(id) => self.declared(id),
                        pattern => {
                            let held = self.temporary("error");
                            self.bind(pattern, Some(expr(ExprKind::Var(held), at)), at, &mut first);
                            held
                        }
                    });
                    first.extend(self.statements(&handler.body.body));
                    (bound, first)
                });
                let finally = one.finalizer.as_ref().map(|finally| self.statements(&finally.body));
                out.push(stmt(StmtKind::Try { body, catch, finally }, at));
            }
            Statement::BreakStatement(one) if one.label.is_none() => out.push(stmt(StmtKind::Break, at)),
            Statement::ContinueStatement(one) if one.label.is_none() => out.push(stmt(StmtKind::Continue, at)),
            Statement::SwitchStatement(one) => {
                let subject = self.expression(&one.discriminant);
                out.push(self.switch(subject, &one.cases, at));
            }
            Statement::ImportDeclaration(_) => {}
            Statement::FunctionDeclaration(_) => {}
            Statement::ExportDeclaration(export) => {
                self.declared_here(&export.declaration, out);
                self.exported(&export.declaration);
            }
            Statement::ExportNamedDeclaration(export) => {
                for one in &export.specifiers {
                    let local = export_name(&one.local);
                    if one.export_kind.is_type() || export.export_kind.is_type() {
                        continue;
                    }
                    if let Some(variable) = self.root(&local).filter(|variable| !self.imports.contains_key(variable)) {
                        let value = expr(ExprKind::Var(variable), span(one.span));
                        self.made.exports.push(Export { name: export_name(&one.exported), value });
                    }
                }
            }
            Statement::ExportDefaultDeclaration(export) => {
                let value = match &export.declaration {
                    ExportDefaultDeclarationKind::FunctionDeclaration(function) if Self::is_signature(function) => None,
                    ExportDefaultDeclarationKind::FunctionDeclaration(function) => match &function.id {
                        Some(id) => {
                            let variable = self.declared(id);
                            let made = self.function(function, &id.name);
                            out.push(stmt(StmtKind::Let(variable, Some(expr(ExprKind::Function(made), at))), at));
                            Some(expr(ExprKind::Var(variable), at))
                        }
                        None => Some(expr(ExprKind::Function(self.function(function, "default")), at)),
                    },
                    ExportDefaultDeclarationKind::ClassDeclaration(class) => Some(expr(ExprKind::Class(self.class(class, "default")), at)),
                    ExportDefaultDeclarationKind::TSInterfaceDeclaration(_) => None,
                    other => other.as_expression().map(|value| {
                        let object = self.module_object(value, "default");
                        object.unwrap_or_else(|| self.expression_named(value, "default"))
                    }),
                };
                if let Some(value) = value {
                    let held = match value.kind {
                        ExprKind::Var(_) | ExprKind::Import(..) => value,
                        _ => {
                            let variable = self.temporary("default");
                            self.made.variables[variable.0 as usize].module = true;
                            out.push(stmt(StmtKind::Let(variable, Some(value)), at));
                            expr(ExprKind::Var(variable), at)
                        }
                    };
                    self.made.exports.push(Export { name: "default".to_owned(), value: held });
                }
            }
            Statement::ExportAllDeclaration(_) | Statement::ExportFromDeclaration(_) => {}
            Statement::ForOfStatement(one) if !one.r#await => out.push(self.each(one, at)),
            Statement::ForInStatement(_) | Statement::ForOfStatement(_) => {
                out.push(no_stmt("a loop over a collection", "write a loop that counts, or a function of the outside", at));
            }
            Statement::BreakStatement(_) | Statement::ContinueStatement(_) | Statement::LabeledStatement(_) => {
                out.push(no_stmt("a label", "make a function of the loop", at));
            }
            Statement::WithStatement(_) => out.push(no_stmt("`with`", "name the object", at)),
            other => match other.as_declaration() {
                Some(declaration) => self.declared_here(declaration, out),
                None => out.push(no_stmt("this statement", "write it in another way", at)),
            },
        }
    }

    /// `for (const x of list)`: a loop that counts the places of the list.
    fn each(&mut self, one: &ForOfStatement<'_>, at: Span) -> Stmt {
        let ForStatementLeft::VariableDeclaration(left) = &one.left else {
            return no_stmt("a loop over a collection that assigns", "declare the element: `for (const element of list)`", at);
        };
        let Some(pattern) = left.declarations.first().map(|declared| &declared.id) else {
            return no_stmt("a loop over a collection", "write a loop that counts, or a function of the outside", at);
        };
        let (list, place) = (self.temporary("list"), self.temporary("place"));
        let all = self.expression(&one.right);
        let of = all.span;
        let first = stmt(StmtKind::Let(list, Some(expr(ExprKind::Elements(Box::new(all)), of))), at);
        let begins = stmt(StmtKind::Let(place, Some(expr(ExprKind::Number(0), at))), at);
        let read = |variable| Box::new(expr(ExprKind::Var(variable), of));
        let length = Box::new(expr(ExprKind::Member(read(list), "length".to_owned()), of));
        let test = Some(expr(ExprKind::Binary(BinaryOp::Less, read(place), length), of));
        let mut body = Vec::new();
        self.bind(pattern, Some(expr(ExprKind::ElementAt(read(list), read(place)), of)), at, &mut body);
        body.extend(self.block(&one.body));
        let next =
            ExprKind::Update(AssignTarget::Var(place), UpdateOp::Binary(BinaryOp::Add), Box::new(expr(ExprKind::Number(1), at)), true);
        let looped = stmt(StmtKind::Loop { test, test_first: true, body, update: Some(expr(next, at)) }, at);
        stmt(StmtKind::Block(vec![first, begins, looped]), at)
    }

    /// `switch` whose cases all end in `break`, `return` or `throw`.
    fn switch(&mut self, subject: Expr, cases: &[oxc_ast::ast::SwitchCase<'_>], at: Span) -> Stmt {
        if cases.len() > MOST_CASES {
            return no_stmt("a `switch` with this many cases", "make functions of groups of them", at);
        }
        let held = self.temporary("subject");
        let mut tests: Vec<Expr> = Vec::new();
        let mut arms: Vec<(Option<Expr>, Vec<Stmt>)> = Vec::new();
        for (index, case) in cases.iter().enumerate() {
            if let Some(test) = &case.test {
                let test = self.expression(test);
                let read = expr(ExprKind::Var(held), at);
                tests.push(expr(ExprKind::Binary(BinaryOp::Equal, Box::new(read), Box::new(test)), span(case.span)));
            } else if index + 1 != cases.len() {
                return no_stmt("`default` before other cases", "put it last", at);
            }
            let mut body = self.statements(&case.consequent);
            let last = index + 1 == cases.len();
            if body.is_empty() && !last {
                continue;
            }
            if let [only] = body.as_slice()
                && let StmtKind::Block(inner) = &only.kind
            {
                body = inner.clone();
            }
            match body.last().map(|last| &last.kind) {
                Some(StmtKind::Break) => {
                    body.pop();
                }
                Some(StmtKind::Return(_) | StmtKind::Throw(_)) => {}
                _ if last => {}
                _ => return no_stmt("a case that goes on in the next", "end each case with `break` or `return`", at),
            }
            if has_break(&body) {
                return no_stmt("`break` inside of a case", "end each case with `break` alone", at);
            }
            let condition = case.test.is_some().then(|| {
                let mut tests = std::mem::take(&mut tests).into_iter();
                let first = tests.next().unwrap_or_else(|| expr(ExprKind::Bool(false), at));
                tests.fold(first, |all, next| expr(ExprKind::Logical(LogicalOp::Or, Box::new(all), Box::new(next)), at))
            });
            arms.push((condition, body));
        }
        let mut rest: Vec<Stmt> = Vec::new();
        for (condition, body) in arms.into_iter().rev() {
            rest = match condition {
                None => body,
                Some(condition) => vec![stmt(StmtKind::If(condition, body, rest), at)],
            };
        }
        let mut all = vec![stmt(StmtKind::Let(held, Some(subject)), at)];
        all.extend(rest);
        stmt(StmtKind::Block(all), at)
    }

    /// `module.exports = { … }` and `exports.name = …` at the top.
    fn common_exports(&mut self) {
        let is_global = |e: &Expr, name: &str| matches!(&e.kind, ExprKind::Global(global) if global == name);
        let mut found = Vec::new();
        let top = std::mem::take(&mut self.made.top);
        let mut kept = Vec::new();
        for statement in top {
            let StmtKind::Expr(Expr { kind: ExprKind::Assign(AssignTarget::Member(object, name), value), span: at }) = &statement.kind
            else {
                kept.push(statement);
                continue;
            };
            let of_module = matches!(&object.kind, ExprKind::Member(inner, exports) if exports == "exports" && is_global(inner, "module"));
            if is_global(object, "module") && name == "exports" {
                match &value.kind {
                    ExprKind::Object(items) => found.extend(items.iter().filter_map(|item| match item {
                        ListItem::One(name, value) => Some((name.clone(), value.clone(), *at)),
                        ListItem::Spread(_) => None,
                    })),
                    _ => found.push(("default".to_owned(), (**value).clone(), *at)),
                }
            } else if is_global(object, "exports") || of_module {
                found.push((name.clone(), (**value).clone(), *at));
            } else {
                kept.push(statement);
                continue;
            }
        }
        self.made.top = kept;
        for (name, value, at) in found {
            let variable = self.temporary(&name);
            self.made.variables[variable.0 as usize].module = true;
            self.made.top.push(stmt(StmtKind::Let(variable, Some(value)), at));
            self.made.exports.push(Export { name, value: expr(ExprKind::Var(variable), at) });
        }
    }
}

fn export_name(name: &ModuleExportName<'_>) -> String {
    match name {
        ModuleExportName::IdentifierName(id) => id.name.to_string(),
        ModuleExportName::IdentifierReference(id) => id.name.to_string(),
        ModuleExportName::StringLiteral(text) => text.value.to_string(),
    }
}

/// Whether a `break` in here would leave the statement around.
fn has_break(list: &[Stmt]) -> bool {
    list.iter().any(|one| match &one.kind {
        StmtKind::Break => true,
        StmtKind::If(_, yes, no) => has_break(yes) || has_break(no),
        StmtKind::Block(inner) => has_break(inner),
        StmtKind::Try { body, catch, finally } => {
            has_break(body)
                || catch.as_ref().is_some_and(|(_, body)| has_break(body))
                || finally.as_ref().is_some_and(|body| has_break(body))
        }
        _ => false,
    })
}

/// The value of a member of an enum.
pub(crate) enum EnumValue {
    Number(i64),
    Text(String),
}

/// The members of an enum; nothing where a value is neither written down nor the one after a number.
pub(crate) fn enum_values(list: &TSEnumDeclaration<'_>) -> Option<Vec<(String, EnumValue)>> {
    let mut next = Some(0_i64);
    let mut values = Vec::new();
    for member in &list.body.members {
        let name = match &member.id {
            TSEnumMemberName::Identifier(id) => id.name.to_string(),
            TSEnumMemberName::String(text) | TSEnumMemberName::ComputedString(text) => text.value.to_string(),
            TSEnumMemberName::ComputedTemplateString(_) => return None,
        };
        let value = match &member.initializer {
            None => EnumValue::Number(next?),
            Some(Expression::StringLiteral(text)) => EnumValue::Text(text.value.to_string()),
            Some(written) => EnumValue::Number(whole(written)?),
        };
        next = match &value {
            EnumValue::Number(number) => number.checked_add(1),
            EnumValue::Text(_) => None,
        };
        values.push((name, value));
    }
    Some(values)
}

/// A whole number that is written down.
fn whole(written: &Expression<'_>) -> Option<i64> {
    match written {
        Expression::NumericLiteral(number) => match crate::expressions::number(number.value, Span::default()).kind {
            ExprKind::Number(whole) => Some(whole),
            _ => None,
        },
        Expression::UnaryExpression(one) if one.operator == oxc_syntax::operator::UnaryOperator::UnaryNegation => {
            whole(&one.argument).map(i64::wrapping_neg)
        }
        _ => None,
    }
}
