//! Tree to program: names resolved, parentheses and spellings gone. The
//! comfort forms are in [`expand`](crate::expand).

use rustc_hash::FxHashMap;

use crate::ast;
use crate::declared::Declared;
use crate::expand::{Frame, Resolved};
use crate::lexer::is_smallest;
use crate::parser::{MAX_HEIGHT, too_deep};
use crate::sink::Sink;
use crate::tree::span;
use crate::{
    ArithmeticOp, Arm, CompareOp, Diagnostic, Expr, ExprKind, Global, GlobalVar, Local, LocalVar, Span, SyntaxKind, SyntaxNode,
    SyntaxToken, Variable,
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
        let hidden = |name: &str| name.starts_with('#');
        self.list.iter().map(|(name, span)| Local { name: name.clone(), span: *span, hidden: hidden(name) }).collect()
    }

    /// The globals, which start at 0 unless something else is declared.
    pub(crate) fn to_globals(&self, declared: &Declared) -> Vec<Global> {
        let globals = (0..).zip(&self.list);
        globals
            .map(|(number, (name, span))| Global {
                name: name.clone(),
                initial: declared.initial.get(&number).copied().unwrap_or(0),
                range: declared.values.get(&number).map(|values| (values.low, values.high)),
                span: *span,
            })
            .collect()
    }
}

/// Resolves the expressions of one request. Every function gives `None` only
/// for trees with errors; what is wrong in a tree without is reported here.
pub(crate) struct Lowering<'a> {
    pub(crate) declared: &'a Declared,
    pub(crate) globals: &'a mut Names,
    pub(crate) locals: &'a mut Names,
    pub(crate) errors: &'a mut Sink,
    /// The parameters and variables of loops that are constants here.
    pub(crate) scope: Vec<(String, i64)>,
    /// The calls that are being written out, the outermost first.
    pub(crate) frames: Vec<Frame>,
    /// The `atomic` around this place.
    pub(crate) atomic: Option<Span>,
    /// How many hidden variables there are.
    pub(crate) temporaries: u32,
    /// How often each function has been written out in this request.
    pub(crate) calls: FxHashMap<String, u32>,
    /// How many loops, calls and parameters are being written out around here.
    pub(crate) expanding: u32,
    /// How much has been made by that.
    pub(crate) made: u64,
    pub(crate) told_full: bool,
    /// The outermost loop or call that is being written out.
    pub(crate) outermost: Option<Span>,
    depth: u32,
    /// The last expression looked at.
    pub(crate) place: Span,
}

impl<'a> Lowering<'a> {
    pub(crate) fn new(declared: &'a Declared, globals: &'a mut Names, locals: &'a mut Names, errors: &'a mut Sink) -> Self {
        Self {
            declared,
            globals,
            locals,
            errors,
            scope: Vec::new(),
            frames: Vec::new(),
            atomic: None,
            temporaries: 0,
            calls: FxHashMap::default(),
            expanding: 0,
            made: 0,
            told_full: false,
            outermost: None,
            depth: 0,
            place: Span::default(),
        }
    }

    /// Reports something that is wrong with a tree that is right in form.
    pub(crate) fn error(&mut self, build: impl FnOnce() -> Diagnostic) {
        self.errors.push(build);
    }

    /// The body of a request, not too high.
    pub(crate) fn body(&mut self, statements: impl Iterator<Item = ast::Expr>) -> Option<Expr> {
        let body = self.sequence(statements)?;
        if body.height() > MAX_HEIGHT {
            self.errors.push(|| too_deep(body.span));
        }
        Some(body)
    }

    /// Goes one level deeper, where calls are followed and so the limit of the
    /// parser is not enough.
    pub(crate) fn deeper(&mut self, part: impl FnOnce(&mut Self) -> Option<Expr>) -> Option<Expr> {
        // A program without calls never comes here: a level of nesting has at
        // most parentheses, a sum and a product.
        const DEEPEST: u32 = 4 * MAX_HEIGHT / 2;
        if self.depth >= DEEPEST || self.is_full() {
            let place = self.place;
            if self.depth >= DEEPEST {
                self.errors.push(|| too_deep(place));
            }
            return Some(Expr { kind: ExprKind::Number(0), span: place });
        }
        self.depth += 1;
        let result = part(self);
        self.depth -= 1;
        result
    }

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

    pub(crate) fn block(&mut self, block: &ast::Block) -> Option<Expr> {
        self.sequence(block.statements())
    }

    pub(crate) fn condition(&mut self, condition: &ast::Condition) -> Option<Expr> {
        self.sequence(condition.statements())
    }

    /// One expression.
    pub(crate) fn expr(&mut self, expr: &ast::Expr) -> Option<Expr> {
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
            SyntaxKind::ChooseExpr => return self.choose(expr),
            SyntaxKind::ForExpr => return self.for_loop(expr),
            SyntaxKind::CallExpr => return self.call(expr),
            SyntaxKind::IndexExpr => return self.element(expr),
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
            SyntaxKind::ReturnExpr => {
                if !self.frames.is_empty() {
                    self.early_return(place(expr.syntax()));
                }
                self.operand(expr).map(ExprKind::Return)
            }
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

    fn assign(&mut self, expr: &ast::Expr) -> Option<Expr> {
        let mut operands = expr.operands();
        let first = operands.next()?;
        if let Some(value) = operands.next() {
            return self.assign_element(&first, &value);
        }
        let name = expr.token()?;
        let Some(target) = self.target(&name) else { return self.expr(&first) };
        self.usage(target).written = true;
        let value = self.expr(&first)?;
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
