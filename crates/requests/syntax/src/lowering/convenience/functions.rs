//! Calls: the body of the function in place of each.

use rustc_hash::FxHashMap;

use super::{LocalArrays, assign, made, number, sequence};
use crate::diagnostic::{Diagnostic, codes, similar};
use crate::grammar::{SyntaxKind, quoted};
use crate::lowering::declared::Function;
use crate::lowering::rows::ParamId;
use crate::lowering::{CallFrame, Lowering};
use crate::program::{Arm, Expr, ExprKind, LocalVar, Variable, fold};
use crate::tree::{ast, span};
use serval_diagnostic::Span;

impl Lowering<'_> {
    pub(crate) fn call(&mut self, expr: &ast::Expr) -> Option<Expr> {
        let name = expr.token()?;
        let place = span(expr.syntax().text_range());
        let arguments: Vec<ast::Expr> = expr.arguments().collect();
        let declared = self.declared;
        let Some(function) = declared.functions.get(name.text()) else {
            if !self.declared.incomplete {
                let at = span(name.text_range());
                let known = similar(name.text(), declared.function_names());
                self.error(|| unknown_function(name.text(), at, known));
            }
            for argument in &arguments {
                self.expr(argument)?;
            }
            return Some(number(0, place));
        };
        if arguments.len() != function.params.len() {
            let (found, wanted) = (arguments.len(), function.params.len());
            let first = self.declared.place(name.text());
            self.error(|| {
                let plural = if wanted == 1 { "" } else { "s" };
                let error = Diagnostic::error(
                    codes::WRONG_ARGUMENTS,
                    place,
                    format!("`{}` takes {wanted} argument{plural}, not {found}", name.text()),
                )
                .expected(format!("{wanted} argument{plural}"))
                .help("give a value for each parameter");
                if let Some(first) = first { error.also(first, "declared here") } else { error }
            });
            return Some(number(0, place));
        }
        if self.frames.iter().any(|frame| frame.function == function.name) {
            self.error(|| {
                Diagnostic::error(codes::RECURSION, place, format!("`{}` calls itself", name.text()))
                    .expected("functions that do not come back to themselves")
                    .help("functions are written out where they are called; use a `while` loop")
            });
            return Some(number(0, place));
        }
        let mut values = Vec::new();
        for argument in &arguments {
            let param = self.as_param(argument);
            values.push((self.quietly(param.is_some(), |this| this.expr(argument))?, param));
        }
        self.inline(function, values, place)
    }

    /// The body of a function, with these values for its parameters.
    fn inline(&mut self, function: &Function, values: Vec<(Expr, Option<ParamId>)>, place: Span) -> Option<Expr> {
        let calls = self.calls.entry(function.name.clone()).or_insert(0);
        *calls += 1;
        let prefix = if *calls == 1 { function.name.clone() } else { format!("{}#{calls}", function.name) };
        self.frames.push(CallFrame {
            function: function.name.clone(),
            prefix,
            call: place,
            locals: Vec::new(),
            params: Vec::new(),
            loops: self.loops.len(),
        });
        let scope = std::mem::take(&mut self.scope);
        let arrays = std::mem::replace(&mut self.arrays, LocalArrays::of([function.body.syntax().clone()].into_iter()));
        let assigned = self.assigned_in(&function.body);
        let mut list = Vec::new();
        for ((name, at), (value, param)) in function.params.iter().zip(values) {
            if let (Ok(constant), false) = (fold(&value), assigned.contains_key(name.as_str())) {
                self.scope.push((name.clone(), constant, param));
                continue;
            }
            self.note_data(param);
            let number = self.local(name, *at);
            if let Some(frame) = self.frames.last_mut() {
                frame.locals.retain(|&local| local != number);
                frame.params.push(number);
            }
            self.locals.usage_mut(number).written = true;
            self.locals.usage_mut(number).read.get_or_insert(*at);
            let at = value.span;
            list.push(assign(Variable::Local(LocalVar(number)), at, value));
        }
        let outermost = self.outermost;
        self.outermost.get_or_insert(place);
        self.expanding += 1;
        let statements: Vec<ast::Expr> = function.body.statements().collect();
        let body = self.function_body(&statements);
        self.expanding -= 1;
        self.outermost = outermost;
        self.scope = scope;
        self.arrays = arrays;
        let frame = self.frames.pop()?;
        for number in frame.locals {
            let (at, zero) = (Span::new(place.start, place.start), ExprKind::Number(0));
            list.push(assign(Variable::Local(LocalVar(number)), at, made(zero, at)));
        }
        list.push(body?);
        Some(sequence(list, place))
    }

    /// The names that a body assigns to.
    fn assigned_in(&self, body: &ast::Block) -> FxHashMap<String, ()> {
        let nodes = body.syntax().descendants().filter(|node| node.kind() == SyntaxKind::AssignExpr);
        nodes.filter_map(|node| Some((ast::Expr::cast(node)?.token()?.text().to_owned(), ()))).collect()
    }

    /// The statements of a function, in which `return` gives its value.
    fn function_body(&mut self, statements: &[ast::Expr]) -> Option<Expr> {
        self.in_sequence(|this| this.function_statements(statements))
    }

    fn function_statements(&mut self, statements: &[ast::Expr]) -> Option<Expr> {
        let mut list = Vec::new();
        let (first, last) = (statements.first()?, statements.last()?);
        let place = span(first.syntax().text_range()).to(span(last.syntax().text_range()));
        for (position, statement) in statements.iter().enumerate() {
            let rest = &statements[position + 1..];
            if rest.is_empty() {
                list.push(self.tail(statement)?);
            } else if is_guard(statement) {
                list.push(self.tail_if(statement, Some(rest))?);
                break;
            } else {
                list.push(self.expr(statement)?);
            }
        }
        Some(sequence(list, place))
    }

    /// The statement whose value is that of the function.
    fn tail(&mut self, statement: &ast::Expr) -> Option<Expr> {
        match statement.kind() {
            SyntaxKind::ReturnExpr => self.expr(&statement.operands().next()?),
            SyntaxKind::IfExpr => self.tail_if(statement, None),
            SyntaxKind::ParenExpr => self.function_body(&statement.operands().collect::<Vec<_>>()),
            _ => self.expr(statement),
        }
    }

    /// An `if` with which the function ends; `rest` is what follows a guard.
    fn tail_if(&mut self, statement: &ast::Expr, rest: Option<&[ast::Expr]>) -> Option<Expr> {
        self.deeper(|this| {
            let mut blocks = statement.blocks();
            let mut arms = Vec::new();
            for condition in statement.conditions() {
                let condition = this.condition(&condition)?;
                let body: Vec<ast::Expr> = blocks.next()?.statements().collect();
                arms.push(Arm { condition, body: this.function_body(&body)? });
            }
            let otherwise = match (rest, blocks.next()) {
                (Some(rest), _) => Some(Box::new(this.function_body(rest)?)),
                (None, Some(block)) => Some(Box::new(this.function_body(&block.statements().collect::<Vec<_>>())?)),
                (None, None) => None,
            };
            Some(made(ExprKind::If { arms, otherwise }, span(statement.syntax().text_range())))
        })
    }

    /// `return` in a function where it is not its last.
    pub(crate) fn early_return(&mut self, place: Span) {
        self.error(|| {
            Diagnostic::error(codes::EARLY_RETURN, place, "this `return` does not end the function")
                .expected("`return` as the last statement of a function, or of an `if` in it")
                .help("put what follows into an `else`; a `return` inside of a loop or an operand cannot leave a function")
        });
    }
}

/// Whether this is an `if` without `else`, each of whose blocks ends with
/// `return`, so that what follows is the `else`.
fn is_guard(statement: &ast::Expr) -> bool {
    statement.kind() == SyntaxKind::IfExpr
        && statement.blocks().count() == statement.conditions().count()
        && statement.blocks().all(|block| block.statements().last().is_some_and(|last| last.kind() == SyntaxKind::ReturnExpr))
}

fn unknown_function(name: &str, place: Span, known: Option<&str>) -> Diagnostic {
    let known = known.or_else(|| similar(name, ["while", "if", "yield", "lock", "unlock", "choose", "await"]));
    let help = match known {
        Some(known) => format!("did you mean `{known}`?"),
        None => format!("declare it outside of all requests: `fn {name}(x) {{ … }}`"),
    };
    let error = Diagnostic::error(codes::UNKNOWN_FUNCTION, place, format!("there is no function {}", quoted(name)));
    let error = error.expected("the name of a function").help(help);
    if let Some(known) = known { error.edit(place, known) } else { error }
}
