//! The comfort forms, each in terms of simpler ones.
//!
//! | form | becomes |
//! |---|---|
//! | `skip` | `0` |
//! | `atomic { s }` | `(s)`, in which no step may end |
//! | `lock(L)` | `(while (L == 1) { yield }; L := 1)` |
//! | `unlock(L)` | `L := 0` |
//! | `await (c)` | `while (!(c)) { yield }` |
//! | `choose(a, b, c)` | `if (?) { a } else if (?) { b } else { c }` |
//! | `choose(0..2)` | `choose(0, 1, 2)` |
//! | `for i in 0..2 { s }` | `(s₀; s₁; s₂; 0)`, where `sₖ` is `s` with the constant `k` for `i` |
//! | `f(a, b)` | `(x := a; y := b; s)`, where `s` is the body of `f` and `x`, `y` and its other local variables are new ones, which start at 0 each time |
//! | `A[i]` | `(t := i; if (t == 0) { A₀ } else if (t == 1) { A₁ } else { A₂ })` with a new variable `t`, in error outside of the indices |
//! | `A[i] := e` | `(t := i; v := e; if (t == 0) { A₀ := v } else …)` |
//! | `A := e`, `A` with a range | `A := e`, in error outside of the range |
//! | … `wrap` | `A := low + (e - low) % size` |
//! | … `saturate` | `A := (t := e; if (t < low) { low } else if (t > high) { high } else { t })` |
//! | `request r(n: 1..3) { s }` | a request `r(1)`, `r(2)`, `r(3)` for each value, with the constant for `n` |
//!
//! A constant index needs no `t`, and a constant argument no `x` where the
//! function never assigns to it.
//!
//! In a function `return e` is its value. It can stand last in the body or in
//! the branches of an `if` that stands last, and at the end of an `if` without
//! `else` that is followed by more: then what follows is the `else`.

use rustc_hash::FxHashMap;

use crate::ast;
use crate::declared::{Array, Fit, Function, Interval, MAX_ELEMENTS, bad_parameter, bad_range, no_value};
use crate::fold::fold;
use crate::lowering::{Frame, Lowering, Resolved};
use crate::mistakes::quoted;
use crate::names::{Names, is_global};
use crate::similar::similar;
use crate::tree::span;
use crate::{
    ArithmeticOp, Arm, CompareOp, Diagnostic, Expr, ExprKind, GlobalVar, Limit, LocalVar, Span, SyntaxKind, SyntaxToken, Variable, codes,
};

fn made(kind: ExprKind, span: Span) -> Expr {
    serval_budget::checkpoint::pass();
    Expr { kind, span }
}

fn number(value: i64, span: Span) -> Expr {
    made(ExprKind::Number(value), span)
}

fn read(variable: Variable, span: Span) -> Expr {
    made(ExprKind::Read(variable), span)
}

fn assign(target: Variable, target_span: Span, value: Expr) -> Expr {
    let span = target_span.to(value.span);
    made(ExprKind::Assign { target, target_span, value: Box::new(value), unlock: false }, span)
}

fn compare(op: CompareOp, left: Expr, right: i64) -> Expr {
    let span = left.span;
    made(ExprKind::Compare { op, left: Box::new(left), right: Box::new(number(right, span)) }, span)
}

/// `a; b`, flat.
fn sequence(list: Vec<Expr>, span: Span) -> Expr {
    let mut flat = Vec::new();
    for part in list {
        match part.kind {
            ExprKind::Sequence(parts) => flat.extend(parts),
            _ => flat.push(part),
        }
    }
    match flat.len() {
        1 => flat.remove(0),
        _ => made(ExprKind::Sequence(flat), span),
    }
}

impl Lowering<'_> {
    // Names.

    /// What a name means here.
    pub(crate) fn resolve(&mut self, name: &SyntaxToken) -> Resolved {
        let (text, place) = (name.text(), span(name.text_range()));
        if let Some(value) = self.constant(text) {
            return Resolved::Constant(value);
        }
        if self.declared.arrays.contains_key(text) {
            self.error(|| {
                Diagnostic::error(codes::BAD_INDEX, place, format!("`{text}` is an array"))
                    .expected("`[` and an index")
                    .help(format!("write `{text}[…]` for one of its elements"))
            });
            return Resolved::Nothing;
        }
        if self.declared.is_enum(text) {
            self.error(|| {
                Diagnostic::error(codes::BAD_NAME, place, format!("`{text}` is an `enum` and has no value"))
                    .expected("one of its members")
                    .help("write the name of a member")
            });
            return Resolved::Nothing;
        }
        Resolved::Variable(self.variable(text, place))
    }

    /// The value of a constant, a parameter or the variable of a `for`.
    fn constant(&self, name: &str) -> Option<i64> {
        self.scope
            .iter()
            .rev()
            .find(|(known, _)| known == name)
            .map(|(_, value)| *value)
            .or_else(|| self.declared.constants.get(name).copied())
    }

    /// The local variable of this name, in a function that of this call.
    pub(crate) fn local(&mut self, name: &str, place: Span) -> u32 {
        let Some(frame) = self.frames.last_mut() else { return self.locals.number(name, place) };
        let number = self.locals.number(&format!("{}.{name}", frame.prefix), place);
        if !frame.locals.contains(&number) && !frame.params.contains(&number) {
            frame.locals.push(number);
        }
        number
    }

    /// A new local variable that nobody sees.
    fn hidden(&mut self, place: Span) -> Variable {
        self.temporaries += 1;
        let number = self.locals.number(&format!("#{}", self.temporaries), place);
        let usage = self.locals.usage_mut(number);
        usage.written = true;
        usage.read = Some(place);
        Variable::Local(LocalVar(number))
    }

    /// What is assigned to, or `None` if that has been reported.
    pub(crate) fn target(&mut self, name: &SyntaxToken) -> Option<Variable> {
        match self.resolve(name) {
            Resolved::Variable(variable) => Some(variable),
            Resolved::Nothing => None,
            Resolved::Constant(_) => {
                let (text, place) = (name.text(), span(name.text_range()));
                let first = self.declared.place(text);
                self.error(|| {
                    let error = Diagnostic::error(codes::ASSIGN_CONSTANT, place, format!("`{text}` is constant here"))
                        .expected("a variable")
                        .help("assign to another variable, which may start as a copy of it");
                    if let Some(first) = first { error.also(first, "declared here") } else { error }
                });
                None
            }
        }
    }

    // Assignments.

    /// `target := value`, kept within the range of the target.
    pub(crate) fn store(&mut self, target: Variable, target_span: Span, value: Expr) -> Expr {
        let Variable::Global(global) = target else { return assign(target, target_span, value) };
        let Some(&values) = self.declared.values.get(&global.0) else { return assign(target, target_span, value) };
        if fold(&value).is_ok_and(|value| (values.low..=values.high).contains(&value)) {
            return assign(target, target_span, value);
        }
        let place = value.span;
        let fitted = match values.fit {
            Fit::Error => {
                made(ExprKind::Within { value: Box::new(value), low: values.low, high: values.high, limit: Limit::Range(global) }, place)
            }
            Fit::Wrap => self.wrapped(value, values.low, values.high),
            Fit::Saturate => {
                let temporary = self.hidden(place);
                let seen = || read(temporary, place);
                let arms = vec![
                    Arm { condition: compare(CompareOp::Less, seen(), values.low), body: number(values.low, place) },
                    Arm { condition: compare(CompareOp::Greater, seen(), values.high), body: number(values.high, place) },
                ];
                let choice = made(ExprKind::If { arms, otherwise: Some(Box::new(seen())) }, place);
                sequence(vec![assign(temporary, place, value), choice], place)
            }
        };
        assign(target, target_span, fitted)
    }

    fn wrapped(&mut self, value: Expr, low: i64, high: i64) -> Expr {
        let place = value.span;
        let Some(size) = high.checked_sub(low).and_then(|width| width.checked_add(1)) else {
            self.error(|| {
                Diagnostic::error(codes::BAD_RANGE, place, "the range of this variable is too large to wrap")
                    .expected("a range with fewer than 2^63 values")
                    .help("leave out `wrap`, or use a smaller range")
            });
            return value;
        };
        let arithmetic = |first: Expr, rest| made(ExprKind::Arithmetic { first: Box::new(first), rest }, place);
        let offset = if low == 0 { value } else { arithmetic(value, vec![(ArithmeticOp::Subtract, number(low, place))]) };
        let rest = arithmetic(offset, vec![(ArithmeticOp::Remainder, number(size, place))]);
        if low == 0 { rest } else { arithmetic(number(low, place), vec![(ArithmeticOp::Add, rest)]) }
    }

    // Arrays.

    /// `A[i]`, read.
    pub(crate) fn element(&mut self, expr: &ast::Expr) -> Option<Expr> {
        let place = span(expr.syntax().text_range());
        let Some(array) = self.array(expr)? else { return Some(number(0, place)) };
        self.touch(array, place, false);
        let index = self.index(expr, array)?;
        Some(self.dispatch(index, array, place, &mut |_, element| read(element, place)))
    }

    /// `A[i] := e`
    pub(crate) fn assign_element(&mut self, target: &ast::Expr, value: &ast::Expr) -> Option<Expr> {
        let target_span = span(target.syntax().text_range());
        let place = target_span.to(span(value.syntax().text_range()));
        let Some(array) = self.array(target)? else { return self.expr(value) };
        self.touch(array, target_span, true);
        let index = self.index(target, array)?;
        let value = self.expr(value)?;
        if matches!(index, Index::Constant(_)) || fold(&value).is_ok() {
            return Some(self.dispatch(index, array, place, &mut |this, element| this.store(element, target_span, value.clone())));
        }
        // The index is evaluated before the value, and the value once.
        let Index::Computed(index) = index else { return None };
        let (at, new) = (self.hidden(target_span), self.hidden(value.span));
        let seen = read(new, value.span);
        let list = vec![assign(at, target_span, *index), assign(new, value.span, value)];
        let choice = self.dispatch(Index::Known(at), array, place, &mut |this, element| this.store(element, target_span, seen.clone()));
        Some(sequence(list.into_iter().chain([choice]).collect(), place))
    }

    /// The array that is indexed; `None` inside if there is none.
    fn array(&mut self, expr: &ast::Expr) -> Option<Option<Array>> {
        let name = expr.token()?;
        let array = self.declared.arrays.get(name.text()).copied();
        if array.is_none() && !self.declared.incomplete {
            let (text, place) = (name.text(), span(name.text_range()));
            let declared = self.declared;
            let known = similar(text, declared.arrays.keys().map(String::as_str));
            self.error(|| {
                Diagnostic::error(codes::BAD_INDEX, place, format!("`{text}` is not an array")).expected("an array").help(match known {
                    Some(known) => format!("did you mean `{known}`?"),
                    None => format!("declare it before the first request: `var {text}[0..3]`"),
                })
            });
        }
        Some(array)
    }

    fn index(&mut self, expr: &ast::Expr, array: Array) -> Option<Index> {
        let index = self.expr(&expr.operands().next()?)?;
        match fold(&index) {
            Ok(value) if (array.low..=array.high).contains(&value) => Some(Index::Constant(value)),
            // With a parameter or the variable of a loop in it, it may stand where
            // it never runs for this value.
            Ok(value) if !has_constant(&index) => {
                let place = index.span;
                self.error(|| {
                    Diagnostic::error(codes::BAD_INDEX, place, format!("the index {value} lies outside of {}..{}", array.low, array.high))
                        .expected(format!("an index from {} to {}", array.low, array.high))
                        .help("change the index, or the array's declaration")
                });
                Some(Index::Constant(array.low))
            }
            _ => {
                let place = index.span;
                let limit = Limit::Index(GlobalVar(array.first));
                let checked = ExprKind::Within { value: Box::new(index), low: array.low, high: array.high, limit };
                Some(Index::Computed(Box::new(made(checked, place))))
            }
        }
    }

    /// Does `what` with the element that the index says.
    fn dispatch(&mut self, index: Index, array: Array, place: Span, what: &mut dyn FnMut(&mut Self, Variable) -> Expr) -> Expr {
        let element = |value: i64| {
            let offset = u32::try_from(value.saturating_sub(array.low)).unwrap_or(0);
            Variable::Global(GlobalVar(array.first + offset))
        };
        let (at, before) = match index {
            Index::Constant(value) => return what(self, element(value)),
            Index::Known(at) => (at, Vec::new()),
            Index::Computed(index) => {
                let at = self.hidden(index.span);
                (at, vec![assign(at, index.span, *index)])
            }
        };
        let mut arms = Vec::new();
        for value in array.low..array.high {
            self.count(3);
            arms.push(Arm { condition: compare(CompareOp::Equal, read(at, place), value), body: what(self, element(value)) });
        }
        let last = what(self, element(array.high));
        let choice = if arms.is_empty() { last } else { made(ExprKind::If { arms, otherwise: Some(Box::new(last)) }, place) };
        let mut list = before;
        list.push(choice);
        sequence(list, place)
    }

    /// Counts all elements of an array as read or written.
    fn touch(&mut self, array: Array, place: Span, written: bool) {
        let size = u32::try_from(array.high.saturating_sub(array.low)).unwrap_or(0) + 1;
        for number in array.first..array.first + size {
            let usage = self.globals.usage_mut(number);
            if written {
                usage.written = true;
            } else {
                usage.read.get_or_insert(place);
            }
        }
    }

    // Waiting.

    /// Where no step may end, an error; `what` is what would end it.
    pub(crate) fn may_wait(&mut self, place: Span, what: &str) {
        let Some(atomic) = self.atomic else { return };
        let call = self.frames.last().map(|frame| frame.call);
        self.error(|| {
            let mut error = Diagnostic::error(codes::YIELD_IN_ATOMIC, place, format!("{what} cannot stand inside of `atomic`"))
                .also(atomic, "no step ends in here")
                .expected("statements that do not let others run")
                .help("move it out of the `atomic`, or leave out the `atomic`");
            if let Some(call) = call.filter(|call| atomic.start <= call.start && call.end <= atomic.end) {
                error = error.also(call, "called here");
            }
            error
        });
    }

    pub(crate) fn atomic_block(&mut self, expr: &ast::Expr) -> Option<Expr> {
        let outer = self.atomic.replace(span(expr.syntax().text_range()));
        let body = self.block(&expr.blocks().next()?);
        self.atomic = outer;
        body
    }

    /// `while (condition) { yield }`
    fn wait_while(&mut self, condition: Expr, place: Span, what: &str) -> Expr {
        self.may_wait(place, what);
        let body = Box::new(made(ExprKind::Yield, place));
        made(ExprKind::While { condition: Box::new(condition), body }, place)
    }

    pub(crate) fn await_condition(&mut self, expr: &ast::Expr) -> Option<Expr> {
        let place = span(expr.syntax().text_range());
        let condition = self.condition(&expr.conditions().next()?)?;
        let inner = condition.span;
        Some(self.wait_while(made(ExprKind::Not(Box::new(condition)), inner), place, "`await`"))
    }

    /// `lock(L)` or `unlock(L)`
    pub(crate) fn lock(&mut self, expr: &ast::Expr) -> Option<Expr> {
        let place = span(expr.syntax().text_range());
        let locks = expr.kind() == SyntaxKind::LockExpr;
        let mut operands = expr.operands();
        let target = operands.next();
        let (Some(target), None) = (target, operands.next()) else {
            self.bad_lock(place, locks);
            return Some(number(0, place));
        };
        let target_span = span(target.syntax().text_range());
        let set = |this: &mut Self, to: i64| -> Option<Expr> {
            let value = number(to, place);
            if target.kind() == SyntaxKind::IndexExpr {
                let Some(array) = this.array(&target)? else { return Some(value) };
                this.touch(array, target_span, true);
                let index = this.index(&target, array)?;
                return Some(this.dispatch(index, array, place, &mut |this, element| this.set_lock(element, target_span, value.clone())));
            }
            let name = target.token()?;
            let Some(variable) = this.target(&name) else { return Some(value) };
            this.usage(variable).written = true;
            Some(this.set_lock(variable, target_span, value))
        };
        let global = match target.kind() {
            SyntaxKind::IndexExpr => true,
            SyntaxKind::NameExpr => target.token().is_some_and(|name| is_global(name.text())),
            _ => false,
        };
        if !global {
            self.bad_lock(target_span, locks);
            return Some(number(0, place));
        }
        if !locks {
            return set(self, 0);
        }
        let held = self.expr(&target)?;
        let wait = self.wait_while(compare(CompareOp::Equal, held, 1), place, "`lock`");
        Some(sequence(vec![wait, set(self, 1)?], place))
    }

    fn set_lock(&mut self, target: Variable, target_span: Span, value: Expr) -> Expr {
        let unlock = matches!(value.kind, ExprKind::Number(0));
        let span = value.span;
        let mut stored = self.store(target, target_span, value);
        if let ExprKind::Assign { unlock: flag, .. } = &mut stored.kind {
            *flag = unlock;
        }
        stored.span = span;
        stored
    }

    fn bad_lock(&mut self, place: Span, locks: bool) {
        let word = if locks { "lock" } else { "unlock" };
        self.error(|| {
            Diagnostic::error(codes::BAD_LOCK, place, format!("`{word}` takes one global variable"))
                .expected("a global variable, whose first letter is upper-case")
                .help(format!("write `{word}(L)`: a lock is a variable that requests share, 0 when it is free and 1 when it is held"))
        });
    }

    // Choices and loops.

    pub(crate) fn choose(&mut self, expr: &ast::Expr) -> Option<Expr> {
        let place = span(expr.syntax().text_range());
        let mut values = Vec::new();
        for part in expr.syntax().children() {
            if let Some(range) = ast::Range::cast(part.clone()) {
                let Some(interval) = self.interval(&range, true) else { return Some(number(0, place)) };
                values.extend(interval.values().map(|value| made(ExprKind::Constant(value), place)));
            } else if let Some(operand) = ast::Expr::cast(part) {
                let name = operand.token().filter(|_| operand.kind() == SyntaxKind::NameExpr);
                match name.filter(|name| self.declared.is_enum(name.text())) {
                    Some(name) => {
                        let count = self.declared.enum_size(name.text());
                        values.extend((0..count).map(|value| made(ExprKind::Constant(value), place)));
                    }
                    None => values.push(self.expr(&operand)?),
                }
            }
        }
        self.count(3 * values.len() as u64);
        let Some(last) = values.pop() else {
            self.error(|| {
                Diagnostic::error(codes::WRONG_ARGUMENTS, place, "`choose` needs something to choose from")
                    .expected("values or a range")
                    .help("write `choose(1, 2)` or `choose(0..3)`")
            });
            return Some(number(0, place));
        };
        if values.is_empty() {
            return Some(last);
        }
        let arms = values.into_iter().map(|body| Arm { condition: made(ExprKind::Choice, place), body }).collect();
        Some(made(ExprKind::If { arms, otherwise: Some(Box::new(last)) }, place))
    }

    pub(crate) fn for_loop(&mut self, expr: &ast::Expr) -> Option<Expr> {
        let place = span(expr.syntax().text_range());
        let (name, range, body) = (expr.loop_variable()?, expr.range()?, expr.blocks().next()?);
        if is_global(name.text()) || self.declared.constants.contains_key(name.text()) {
            let at = span(name.text_range());
            self.error(|| bad_parameter(name.text(), at).help("choose another name for the variable of the loop"));
        }
        let Some(interval) = self.interval(&range, false) else { return Some(number(0, place)) };
        let mut rounds = Vec::new();
        let outermost = self.outermost;
        self.outermost.get_or_insert(place);
        self.expanding += 1;
        for value in interval.values() {
            self.count(1);
            if self.is_full() {
                break;
            }
            self.scope.push((name.text().to_owned(), value));
            let round = self.block(&body);
            self.scope.pop();
            rounds.push(round?);
        }
        self.expanding -= 1;
        self.outermost = outermost;
        rounds.push(number(0, Span::new(place.end, place.end)));
        Some(sequence(rounds, place))
    }

    /// The value of an expression that must be constant; what is not is reported.
    pub(crate) fn constant_value(&mut self, value: &ast::Expr) -> Option<i64> {
        // Variables in the value are reported below and are nobody's.
        let (mut globals, mut locals) = (Names::default(), Names::default());
        let mut inner = Lowering::new(self.declared, &mut globals, &mut locals, self.errors);
        inner.scope.clone_from(&self.scope);
        let lowered = inner.expr(value)?;
        match fold(&lowered) {
            Ok(value) => Some(value),
            Err(reason) => {
                self.error(|| no_value(reason));
                None
            }
        }
    }

    /// The interval that a range stands for, of at most so many values.
    pub(crate) fn interval(&mut self, range: &ast::Range, limited: bool) -> Option<Interval> {
        let place = span(range.syntax().text_range());
        let mut ends = range.ends();
        let first = ends.next()?;
        let interval = if range.has_dots() {
            let (low, high) = (self.constant_value(&first), self.constant_value(&ends.next()?));
            Interval::new(low?, high?)
        } else {
            let name = first.token().filter(|_| first.kind() == SyntaxKind::NameExpr);
            match name.and_then(|name| self.declared.members(name.text())) {
                Some(members) => members,
                None => {
                    self.error(|| bad_range(place, "this is not a range".to_owned(), "`0..3`, or the name of an `enum`"));
                    return None;
                }
            }
        };
        if interval.low > interval.high {
            let (low, high) = (interval.low, interval.high);
            self.error(|| bad_range(place, format!("the range {low}..{high} is empty"), "a first end that is not greater than the second"));
            return None;
        }
        if limited && interval.high.checked_sub(interval.low).is_none_or(|size| size >= MAX_ELEMENTS) {
            self.error(|| bad_range(place, "this range is too large".to_owned(), &format!("at most {MAX_ELEMENTS} values")));
            return None;
        }
        Some(interval)
    }

    // Functions.

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
            values.push(self.expr(argument)?);
        }
        self.inline(function, values, place)
    }

    /// The body of a function, with these values for its parameters.
    fn inline(&mut self, function: &Function, values: Vec<Expr>, place: Span) -> Option<Expr> {
        let calls = self.calls.entry(function.name.clone()).or_insert(0);
        *calls += 1;
        let prefix = if *calls == 1 { function.name.clone() } else { format!("{}#{calls}", function.name) };
        self.frames.push(Frame { function: function.name.clone(), prefix, call: place, locals: Vec::new(), params: Vec::new() });
        let scope = std::mem::take(&mut self.scope);
        let assigned = self.assigned_in(&function.body);
        let mut list = Vec::new();
        for ((name, at), value) in function.params.iter().zip(values) {
            if let (Ok(constant), false) = (fold(&value), assigned.contains_key(name.as_str())) {
                self.scope.push((name.clone(), constant));
                continue;
            }
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

/// Where an element is.
enum Index {
    Constant(i64),
    /// The value of this expression, which is sure to be an index.
    Computed(Box<Expr>),
    /// The value of this variable.
    Known(Variable),
}

/// Whether a name that is constant here is part of an expression.
fn has_constant(expr: &Expr) -> bool {
    let mut found = false;
    expr.visit(&mut |part| found |= matches!(part.kind, ExprKind::Constant(_)));
    found
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
    Diagnostic::error(codes::UNKNOWN_FUNCTION, place, format!("there is no function {}", quoted(name)))
        .expected("the name of a function")
        .help(help)
}
