//! Tree to program: names resolved, parentheses and spellings gone. The
//! convenience forms are in [`convenience`](super::convenience).

use super::convenience::LocalArrays;
use super::names::Usage;
use super::{Lowering, Resolved};
use crate::grammar::{MAX_HEIGHT, SyntaxKind, is_smallest, too_deep};
use crate::program::{ArithmeticOp, Arm, CompareOp, Expr, ExprKind, GlobalVar, LocalVar, Variable, is_global};
use crate::tree::{SyntaxNode, SyntaxToken, ast, span};
use serval_diagnostic::Span;

impl Lowering<'_> {
    /// The body of a request, not too high.
    pub(crate) fn body(&mut self, statements: impl Iterator<Item = ast::Expr>) -> Option<Expr> {
        let statements: Vec<ast::Expr> = statements.collect();
        self.find_tokens(&statements);
        self.arrays = LocalArrays::of(statements.iter().map(|statement| statement.syntax().clone()));
        let body = self.sequence(statements.into_iter())?;
        let body = self.answered(body)?;
        let body = self.keeping_invariants(body);
        if body.height() > MAX_HEIGHT {
            self.errors.push(|| too_deep(body.span));
        }
        Some(body)
    }

    /// A sequence; a single statement is itself.
    pub(crate) fn sequence(&mut self, statements: impl Iterator<Item = ast::Expr>) -> Option<Expr> {
        let mut list = self.in_sequence(|this| this.list(statements))?;
        let place = list.first()?.span.to(list.last()?.span);
        if list.len() == 1 { list.pop() } else { Some(Expr { kind: ExprKind::Sequence(list), span: place }) }
    }

    /// All of some expressions. A plain loop here and in the other functions,
    /// because adaptors of iterators cost much stack for each level.
    fn list(&mut self, exprs: impl Iterator<Item = ast::Expr>) -> Option<Vec<Expr>> {
        let mut list = Vec::new();
        for expr in exprs {
            list.push(self.expr(&expr)?);
        }
        Some(list)
    }

    pub(crate) fn block(&mut self, block: &ast::Block) -> Option<Expr> {
        self.sequence(block.statements())
    }

    pub(crate) fn condition(&mut self, condition: &ast::Condition) -> Option<Expr> {
        self.sequence(condition.statements())
    }

    /// One expression.
    pub(crate) fn expr(&mut self, expr: &ast::Expr) -> Option<Expr> {
        serval_budget::checkpoint::pass();
        self.place = place(expr.syntax());
        if self.expanding > 0 {
            self.count(1);
        }
        self.deeper(|this| this.form(expr))
    }

    fn form(&mut self, expr: &ast::Expr) -> Option<Expr> {
        match expr.kind() {
            SyntaxKind::ParenExpr => return self.sequence(expr.operands()),
            SyntaxKind::AssignExpr => return self.assign(expr),
            SyntaxKind::AtomicExpr => return self.atomic_block(expr),
            SyntaxKind::LockExpr | SyntaxKind::UnlockExpr => return self.lock(expr),
            SyntaxKind::AwaitExpr => return self.await_condition(expr),
            SyntaxKind::AssumeExpr => return self.assume(expr),
            SyntaxKind::AssertExpr => return self.assertion(expr),
            SyntaxKind::FreshExpr => return self.fresh(expr),
            SyntaxKind::ChooseExpr => return self.choose(expr),
            SyntaxKind::MinExpr | SyntaxKind::MaxExpr => return self.extreme(expr),
            SyntaxKind::BreakExpr | SyntaxKind::ContinueExpr => return self.leave_round(expr),
            SyntaxKind::WhileExpr => return self.while_loop(expr),
            SyntaxKind::ForExpr => return self.for_loop(expr),
            SyntaxKind::CallExpr => return self.call(expr),
            SyntaxKind::IndexExpr => return self.element(expr),
            SyntaxKind::LocalArray => return self.local_array(expr),
            _ => {}
        }
        let span = place(expr.syntax());
        self.kind(expr).map(|kind| Expr { kind, span })
    }

    fn kind(&mut self, expr: &ast::Expr) -> Option<ExprKind> {
        match expr.kind() {
            SyntaxKind::NumberExpr | SyntaxKind::ChoiceExpr | SyntaxKind::YieldExpr | SyntaxKind::NameExpr | SyntaxKind::SkipExpr => {
                self.leaf(expr)
            }
            SyntaxKind::MemberExpr => self.member(expr),
            SyntaxKind::ReturnExpr => {
                if !self.frames.is_empty() {
                    self.early_return(place(expr.syntax()));
                }
                let value = self.operand(expr)?;
                self.answered(*value).map(|value| ExprKind::Return(Box::new(value)))
            }
            SyntaxKind::NotExpr => self.operand(expr).map(ExprKind::Not),
            SyntaxKind::NegateExpr => self.negate(expr),
            SyntaxKind::SumExpr | SyntaxKind::ProductExpr => self.arithmetic(expr),
            SyntaxKind::CompareExpr => self.compare(expr),
            SyntaxKind::AndExpr => self.operands(expr).map(ExprKind::And),
            SyntaxKind::OrExpr => self.operands(expr).map(ExprKind::Or),
            SyntaxKind::IfExpr => self.if_chain(expr),
            _ => None,
        }
    }

    fn leaf(&mut self, expr: &ast::Expr) -> Option<ExprKind> {
        Some(match expr.kind() {
            SyntaxKind::NumberExpr => ExprKind::Number(expr.token()?.text().parse().ok()?),
            SyntaxKind::SkipExpr => ExprKind::Number(0),
            SyntaxKind::ChoiceExpr => ExprKind::Choice,
            SyntaxKind::YieldExpr => {
                self.may_wait(place(expr.syntax()), "`yield`");
                ExprKind::Yield
            }
            _ => self.read(&expr.token()?),
        })
    }

    /// `-e`. The smallest integer is a number that has no positive
    /// counterpart, so it is read together with its sign.
    fn negate(&mut self, expr: &ast::Expr) -> Option<ExprKind> {
        let operand = expr.operands().next()?;
        if operand.kind() == SyntaxKind::NumberExpr && is_smallest(operand.token()?.text()) {
            return Some(ExprKind::Number(i64::MIN));
        }
        self.operand(expr).map(ExprKind::Negate)
    }

    fn operand(&mut self, expr: &ast::Expr) -> Option<Box<Expr>> {
        let operand = expr.operands().next()?;
        Some(Box::new(self.expr(&operand)?))
    }

    fn operands(&mut self, expr: &ast::Expr) -> Option<Vec<Expr>> {
        let list = self.list(expr.operands())?;
        (list.len() >= 2).then_some(list)
    }

    fn assign(&mut self, expr: &ast::Expr) -> Option<Expr> {
        if let Some(made) = self.assign_version(expr)? {
            return Some(made);
        }
        let mut operands = expr.operands();
        let first = operands.next()?;
        let adds = addition(expr);
        if let Some(value) = operands.next() {
            return match adds {
                Some(op) => self.add_to_element(&first, op, &value),
                None => self.assign_element(&first, &value),
            };
        }
        let name = expr.token()?;
        let Some(target) = self.target(&name) else { return self.expr(&first) };
        self.usage(target).written = true;
        let mut value = self.expr(&first)?;
        if let Some(op) = adds {
            let place = span(name.text_range());
            self.usage(target).read.get_or_insert(place);
            let old = Expr { kind: ExprKind::Read(target), span: place };
            let place = place.to(value.span);
            value = Expr { kind: ExprKind::Arithmetic { first: Box::new(old), rest: vec![(op, value)] }, span: place };
        }
        let mut stored = self.store(target, span(name.text_range()), value);
        stored.span = place(expr.syntax());
        Some(stored)
    }

    fn arithmetic(&mut self, expr: &ast::Expr) -> Option<ExprKind> {
        let mut operands = self.operands(expr)?.into_iter();
        let first = Box::new(operands.next()?);
        let operators = expr.operators().map(arithmetic_operator).collect::<Option<Vec<_>>>()?;
        (operators.len() == operands.len()).then(|| ExprKind::Arithmetic { first, rest: operators.into_iter().zip(operands).collect() })
    }

    fn compare(&mut self, expr: &ast::Expr) -> Option<ExprKind> {
        if let Some(made) = self.compare_version(expr) {
            return Some(made);
        }
        let noted = self.note_compared(expr);
        let quiet = self.quiet || noted;
        let mut operands = self.quietly(quiet, |this| this.operands(expr))?.into_iter();
        let op = compare_operator(expr.operators().next()?)?;
        let (left, right) = (Box::new(operands.next()?), Box::new(operands.next()?));
        operands.next().is_none().then_some(ExprKind::Compare { op, left, right })
    }

    fn if_chain(&mut self, expr: &ast::Expr) -> Option<ExprKind> {
        let mut blocks = expr.blocks();
        let mut arms = Vec::new();
        for condition in expr.conditions() {
            let condition = self.condition(&condition)?;
            arms.push(Arm { condition, body: self.block(&blocks.next()?)? });
        }
        let otherwise = match blocks.next() {
            Some(block) => Some(Box::new(self.block(&block)?)),
            None => None,
        };
        (!arms.is_empty()).then_some(ExprKind::If { arms, otherwise })
    }

    fn read(&mut self, name: &SyntaxToken) -> ExprKind {
        match self.resolve(name) {
            Resolved::Constant(value) => ExprKind::Constant(value),
            Resolved::Variable(variable) => {
                let place = span(name.text_range());
                self.usage(variable).read.get_or_insert(place);
                ExprKind::Read(variable)
            }
            Resolved::Nothing => ExprKind::Number(0),
        }
    }

    pub(crate) fn variable(&mut self, name: &str, place: Span) -> Variable {
        if is_global(name) {
            Variable::Global(GlobalVar(self.globals.number(name, place)))
        } else {
            Variable::Local(LocalVar(self.local(name, place)))
        }
    }

    pub(crate) fn usage(&mut self, variable: Variable) -> &mut Usage {
        match variable {
            Variable::Global(global) => self.globals.usage_mut(global.0),
            Variable::Local(local) => self.locals.usage_mut(local.0),
        }
    }
}

fn place(node: &SyntaxNode) -> Span {
    span(node.text_range())
}

/// What `+=` and `-=` do; nothing for `:=`.
fn addition(expr: &ast::Expr) -> Option<ArithmeticOp> {
    let tokens = expr.syntax().children_with_tokens().filter_map(|element| element.into_token());
    let sign = tokens.filter(|token| token.kind() == SyntaxKind::CompoundAssign).map(|token| token.text() == "+=").next();
    sign.map(|plus| if plus { ArithmeticOp::Add } else { ArithmeticOp::Subtract })
}

fn arithmetic_operator(kind: SyntaxKind) -> Option<ArithmeticOp> {
    Some(match kind {
        SyntaxKind::Plus => ArithmeticOp::Add,
        SyntaxKind::Minus => ArithmeticOp::Subtract,
        SyntaxKind::Star => ArithmeticOp::Multiply,
        SyntaxKind::Slash => ArithmeticOp::Divide,
        SyntaxKind::Percent => ArithmeticOp::Remainder,
        _ => return None,
    })
}

fn compare_operator(kind: SyntaxKind) -> Option<CompareOp> {
    Some(match kind {
        SyntaxKind::EqualEqual => CompareOp::Equal,
        SyntaxKind::NotEqual => CompareOp::NotEqual,
        SyntaxKind::Less => CompareOp::Less,
        SyntaxKind::LessEqual => CompareOp::LessOrEqual,
        SyntaxKind::Greater => CompareOp::Greater,
        SyntaxKind::GreaterEqual => CompareOp::GreaterOrEqual,
        _ => return None,
    })
}
