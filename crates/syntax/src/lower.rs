//! Tree to program: names resolved, parentheses and spellings gone.

use rustc_hash::FxHashMap;

use crate::ast;
use crate::lexer::is_smallest;
use crate::tree::span;
use crate::{
    ArithmeticOp, Arm, CompareOp, Expr, ExprKind, Global, GlobalVar, Local, LocalVar, Span, SyntaxKind, SyntaxNode, SyntaxToken, Variable,
};

/// Whether the variable of this name is shared by all requests.
///
/// The first letter decides, upper-case for global; underscores and digits
/// before it count for nothing. So `X` and `_X` are global, `x` and `_x`
/// local, and so is a name without any letter, such as `_` or `_1`.
///
/// ```
/// use serval_syntax::is_global;
/// assert!(is_global("X") && is_global("_X"));
/// assert!(!is_global("x") && !is_global("_x") && !is_global("_"));
/// ```
pub fn is_global(name: &str) -> bool {
    name.chars().find(char::is_ascii_alphabetic).is_some_and(|letter| letter.is_ascii_uppercase())
}

/// A request as far as it could be read.
pub(crate) struct Lowered {
    pub(crate) name: String,
    pub(crate) name_span: Span,
    pub(crate) locals: Names,
    pub(crate) body: Expr,
}

/// How one variable is used.
#[derive(Clone, Debug, Default)]
pub(crate) struct Usage {
    /// Where it is read first.
    pub(crate) read: Option<Span>,
    /// Whether it is assigned anywhere, or has an initial value.
    pub(crate) written: bool,
}

/// The variables of one scope: of all requests, or of one.
#[derive(Debug, Default)]
pub(crate) struct Names {
    pub(crate) list: Vec<(String, Span)>,
    pub(crate) usage: Vec<Usage>,
    index: FxHashMap<String, u32>,
}

impl Names {
    /// The number of a name, which is new or known.
    pub(crate) fn number(&mut self, name: &str, place: Span) -> u32 {
        if let Some(&number) = self.index.get(name) {
            return number;
        }
        let number = u32::try_from(self.list.len()).unwrap_or(u32::MAX);
        self.index.insert(name.to_owned(), number);
        self.list.push((name.to_owned(), place));
        self.usage.push(Usage::default());
        number
    }

    /// How the variable with this number is used.
    pub(crate) fn usage_mut(&mut self, number: u32) -> &mut Usage {
        &mut self.usage[number as usize]
    }

    /// Where the name first appears.
    pub(crate) fn place(&self, name: &str) -> Option<Span> {
        self.index.get(name).map(|&number| self.list[number as usize].1)
    }

    /// The names that are written somewhere.
    pub(crate) fn written(&self) -> impl Iterator<Item = &str> {
        self.list.iter().zip(&self.usage).filter(|(_, usage)| usage.written).map(|((name, _), _)| name.as_str())
    }

    /// Whether there is a variable of this name, and it is written.
    pub(crate) fn is_written(&self, name: &str) -> bool {
        self.index.get(name).is_some_and(|&number| self.usage[number as usize].written)
    }

    /// Each name with its place and use.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, Span, &Usage)> {
        self.list.iter().zip(&self.usage).map(|((name, place), usage)| (name.as_str(), *place, usage))
    }

    pub(crate) fn to_locals(&self) -> Vec<Local> {
        self.list.iter().map(|(name, span)| Local { name: name.clone(), span: *span }).collect()
    }

    /// The globals, which start at 0 unless `initial` says otherwise.
    pub(crate) fn to_globals(&self, initial: &FxHashMap<u32, i64>) -> Vec<Global> {
        let value = |number: usize| u32::try_from(number).ok().and_then(|number| initial.get(&number)).copied().unwrap_or(0);
        self.list
            .iter()
            .enumerate()
            .map(|(number, (name, span))| Global { name: name.clone(), initial: value(number), span: *span })
            .collect()
    }
}

/// Resolves the expressions of one request. Every function gives `None` only
/// for trees with errors.
pub(crate) struct Lowering<'a> {
    pub(crate) globals: &'a mut Names,
    pub(crate) locals: &'a mut Names,
}

impl Lowering<'_> {
    /// A sequence; a single statement is itself.
    pub(crate) fn sequence(&mut self, statements: impl Iterator<Item = ast::Expr>) -> Option<Expr> {
        let mut list = self.list(statements)?;
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

    fn block(&mut self, block: &ast::Block) -> Option<Expr> {
        self.sequence(block.statements())
    }

    fn condition(&mut self, condition: &ast::Condition) -> Option<Expr> {
        self.sequence(condition.statements())
    }

    /// One expression.
    pub(crate) fn expr(&mut self, expr: &ast::Expr) -> Option<Expr> {
        if expr.kind() == SyntaxKind::ParenExpr {
            return self.sequence(expr.operands());
        }
        let span = place(expr.syntax());
        self.kind(expr).map(|kind| Expr { kind, span })
    }

    fn kind(&mut self, expr: &ast::Expr) -> Option<ExprKind> {
        match expr.kind() {
            SyntaxKind::NumberExpr | SyntaxKind::ChoiceExpr | SyntaxKind::YieldExpr | SyntaxKind::NameExpr => self.leaf(expr),
            SyntaxKind::AssignExpr => self.assign(expr),
            SyntaxKind::ReturnExpr => self.operand(expr).map(ExprKind::Return),
            SyntaxKind::NotExpr => self.operand(expr).map(ExprKind::Not),
            SyntaxKind::NegateExpr => self.negate(expr),
            SyntaxKind::SumExpr | SyntaxKind::ProductExpr => self.arithmetic(expr),
            SyntaxKind::CompareExpr => self.compare(expr),
            SyntaxKind::AndExpr => self.operands(expr).map(ExprKind::And),
            SyntaxKind::OrExpr => self.operands(expr).map(ExprKind::Or),
            SyntaxKind::IfExpr => self.if_chain(expr),
            SyntaxKind::WhileExpr => self.while_loop(expr),
            _ => None,
        }
    }

    fn leaf(&mut self, expr: &ast::Expr) -> Option<ExprKind> {
        Some(match expr.kind() {
            SyntaxKind::NumberExpr => ExprKind::Number(expr.token()?.text().parse().ok()?),
            SyntaxKind::ChoiceExpr => ExprKind::Choice,
            SyntaxKind::YieldExpr => ExprKind::Yield,
            _ => ExprKind::Read(self.read(&expr.token()?)),
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

    fn while_loop(&mut self, expr: &ast::Expr) -> Option<ExprKind> {
        let condition = Box::new(self.condition(&expr.conditions().next()?)?);
        Some(ExprKind::While { condition, body: Box::new(self.block(&expr.blocks().next()?)?) })
    }

    fn operand(&mut self, expr: &ast::Expr) -> Option<Box<Expr>> {
        let operand = expr.operands().next()?;
        Some(Box::new(self.expr(&operand)?))
    }

    fn operands(&mut self, expr: &ast::Expr) -> Option<Vec<Expr>> {
        let list = self.list(expr.operands())?;
        (list.len() >= 2).then_some(list)
    }

    fn assign(&mut self, expr: &ast::Expr) -> Option<ExprKind> {
        let name = expr.token()?;
        let target = self.variable(&name);
        self.usage(target).written = true;
        Some(ExprKind::Assign { target, target_span: span(name.text_range()), value: self.operand(expr)? })
    }

    fn arithmetic(&mut self, expr: &ast::Expr) -> Option<ExprKind> {
        let mut operands = self.operands(expr)?.into_iter();
        let first = Box::new(operands.next()?);
        let operators = expr.operators().map(arithmetic_operator).collect::<Option<Vec<_>>>()?;
        (operators.len() == operands.len()).then(|| ExprKind::Arithmetic { first, rest: operators.into_iter().zip(operands).collect() })
    }

    fn compare(&mut self, expr: &ast::Expr) -> Option<ExprKind> {
        let mut operands = self.operands(expr)?.into_iter();
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

    fn read(&mut self, name: &SyntaxToken) -> Variable {
        let variable = self.variable(name);
        let place = span(name.text_range());
        self.usage(variable).read.get_or_insert(place);
        variable
    }

    fn variable(&mut self, name: &SyntaxToken) -> Variable {
        let place = span(name.text_range());
        if is_global(name.text()) {
            Variable::Global(GlobalVar(self.globals.number(name.text(), place)))
        } else {
            Variable::Local(LocalVar(self.locals.number(name.text(), place)))
        }
    }

    fn usage(&mut self, variable: Variable) -> &mut Usage {
        match variable {
            Variable::Global(global) => self.globals.usage_mut(global.0),
            Variable::Local(local) => self.locals.usage_mut(local.0),
        }
    }
}

fn place(node: &SyntaxNode) -> Span {
    span(node.text_range())
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
