//! From the checked program to terms: the only bridge to the product.

use serval_syntax::{ArithmeticOp, CompareOp, Expr, ExprKind, Program, Variable};

use super::term::{self, Operator, Source, Term};

impl From<&Program> for Source {
    fn from(program: &Program) -> Self {
        let globals = program.globals.iter().map(|global| (global.name.clone(), global.initial)).collect();
        let requests = program.requests.iter().map(|request| {
            let locals: Vec<String> = request.locals.iter().map(local_name).collect();
            (request.name.clone(), VariableNames { program, locals }.term(&request.body))
        });
        Self { globals, requests: requests.collect() }
    }
}

/// Variables of functions have a dot in their names, and perhaps a capital
/// letter before it; hidden ones are numbers.
fn local_name(local: &serval_syntax::Local) -> String {
    if local.hidden || local.name.contains('.') { format!("l_{}", local.name) } else { local.name.clone() }
}

/// Gives variables their names back.
struct VariableNames<'p> {
    program: &'p Program,
    locals: Vec<String>,
}

impl VariableNames<'_> {
    fn name(&self, variable: Variable) -> &str {
        let (name, global) = match variable {
            Variable::Global(global) => (self.program.globals[global.index()].name.as_str(), true),
            Variable::Local(local) => (self.locals[local.index()].as_str(), false),
        };
        // Terms tell globals from locals by their names alone.
        assert_eq!(term::is_global(name), global, "{name}: global or local?");
        name
    }

    fn term(&self, e: &Expr) -> Term {
        match &e.kind {
            ExprKind::Number(n) | ExprKind::Constant(n) => term::number(*n),
            // A value outside is an error; here the only one there is.
            ExprKind::Within { value, low, high, .. } => {
                let checked = || term::read("within");
                let below = term::binary(checked(), Operator::Less, term::number(*low));
                let above = term::binary(checked(), Operator::Greater, term::number(*high));
                let fails = term::binary(term::number(1), Operator::Divide, term::number(0));
                term::block([
                    term::assign("within", self.term(value)),
                    term::if_else(term::or(below, above), fails, term::number(0)),
                    checked(),
                ])
            }
            ExprKind::Choice => term::choice(),
            ExprKind::Yield => term::yields(),
            ExprKind::Read(variable) => term::read(self.name(*variable)),
            ExprKind::Assign { target, value, .. } => term::assign(self.name(*target), self.term(value)),
            ExprKind::Not(e) => term::not(self.term(e)),
            ExprKind::Negate(e) => term::negate(self.term(e)),
            ExprKind::Arithmetic { first, rest } => {
                rest.iter().fold(self.term(first), |left, (op, right)| term::binary(left, arithmetic(*op), self.term(right)))
            }
            ExprKind::Compare { op, left, right } => term::binary(self.term(left), comparison(*op), self.term(right)),
            ExprKind::And(operands) => self.chain(operands, term::and),
            ExprKind::Or(operands) => self.chain(operands, term::or),
            ExprKind::Sequence(parts) => term::block(parts.iter().map(|part| self.term(part))),
            ExprKind::If { arms, otherwise } => {
                let last = otherwise.as_ref().map_or(term::number(0), |e| self.term(e));
                arms.iter().rev().fold(last, |rest, arm| term::if_else(self.term(&arm.condition), self.term(&arm.body), rest))
            }
            ExprKind::While { condition, body } => term::while_do(self.term(condition), self.term(body)),
            ExprKind::Return(e) => term::returns(self.term(e)),
        }
    }

    /// Folds from the right, where each join costs no re-bracketing.
    fn chain(&self, operands: &[Expr], join: fn(Term, Term) -> Term) -> Term {
        let mut terms = operands.iter().rev().map(|operand| self.term(operand));
        let last = terms.next().expect("a chain has at least two operands");
        terms.fold(last, |right, left| join(left, right))
    }
}

fn arithmetic(op: ArithmeticOp) -> Operator {
    match op {
        ArithmeticOp::Add => Operator::Add,
        ArithmeticOp::Subtract => Operator::Subtract,
        ArithmeticOp::Multiply => Operator::Multiply,
        ArithmeticOp::Divide => Operator::Divide,
        ArithmeticOp::Remainder => Operator::Remainder,
    }
}

fn comparison(op: CompareOp) -> Operator {
    match op {
        CompareOp::Equal => Operator::Equal,
        CompareOp::NotEqual => Operator::NotEqual,
        CompareOp::Less => Operator::Less,
        CompareOp::LessOrEqual => Operator::LessOrEqual,
        CompareOp::Greater => Operator::Greater,
        CompareOp::GreaterOrEqual => Operator::GreaterOrEqual,
    }
}
