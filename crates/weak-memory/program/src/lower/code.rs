//! Statements to automata.
//!
//! Code is first written in a line, with jumps to marks; then jumps are left out, and every node goes to where its
//! jumps lead. A jump that leads to itself, as in `loop { }`, becomes a point from which there is no step: a thread
//! that does nothing for ever is indistinguishable from one that stands.

use serval_diagnostic::{Span, similar};

use super::Context;
use super::names::Registers;
use crate::codes;
use crate::limits::{MAX_REGISTERS, MAX_STATEMENTS};
use crate::program::{Address, ControlPoint, Inner, LockedKind, Op, Point, RegisterId, Thread};
use crate::tree::{Name, Stmt, StmtKind, Target, ThreadItem, Tree, TreeKind};
use crate::value::Expr;

/// A place in the line that jumps name before it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Mark(usize);

enum CodeLine {
    /// Goes on behind itself.
    Do(Op, Span),
    /// Goes on behind itself, or at the mark where the condition does not hold.
    Branch(Expr<RegisterId>, Mark, Span),
    /// Goes on behind itself, or at the mark.
    Either(Mark, Span),
    Jump(Mark),
}

struct Code<'c, 'f> {
    context: &'c mut Context<'f>,
    registers: Registers,
    lines: Vec<CodeLine>,
    /// Where each mark is.
    marks: Vec<usize>,
    labels: Vec<(Name, Mark)>,
    /// Where the loops around end.
    breaks: Vec<Mark>,
}

pub(super) fn thread(context: &mut Context<'_>, item: &ThreadItem) -> Thread {
    let mut code =
        Code { context, registers: Registers::default(), lines: Vec::new(), marks: Vec::new(), labels: Vec::new(), breaks: Vec::new() };
    code.declare(&item.body, false);
    code.block(&item.body);
    code.complain(item);
    let (registers, labels) = (std::mem::take(&mut code.registers.names), std::mem::take(&mut code.labels));
    let Code { lines, marks, .. } = code;
    let joined = Joined::new(&lines, &marks);
    let (code, spans) = joined.nodes(item.name.span);
    let labels = labels.into_iter().map(|(name, mark)| (name.text, joined.marked(mark))).collect();
    Thread { name: item.name.text.clone(), many: item.many, registers, code, spans, labels }
}

/// The line with its jumps left out.
struct Joined<'l> {
    lines: &'l [CodeLine],
    marks: &'l [usize],
    /// The point of each line that is no jump.
    points: Vec<usize>,
    /// How many such lines there are.
    count: usize,
    /// Whether some jump leads nowhere.
    stuck: bool,
}

impl<'l> Joined<'l> {
    fn new(lines: &'l [CodeLine], marks: &'l [usize]) -> Self {
        let mut count = 0;
        let mut points = Vec::new();
        for line in lines {
            points.push(count);
            count += usize::from(!matches!(line, CodeLine::Jump(_)));
        }
        let mut joined = Self { lines, marks, points, count, stuck: false };
        joined.stuck = (0..lines.len()).any(|line| joined.real(line).is_none());
        joined
    }

    /// Where jumps lead from a line; `None` where they go round for ever.
    fn real(&self, mut line: usize) -> Option<usize> {
        for _ in 0..=self.lines.len() {
            match self.lines.get(line) {
                Some(CodeLine::Jump(mark)) => line = self.marks.get(mark.0).copied().unwrap_or(self.lines.len()),
                _ => return Some(line),
            }
        }
        None
    }

    /// The point where one is before a line. The one from which nothing goes on is behind all lines, and the end is
    /// last.
    fn point(&self, line: usize) -> Point {
        Point::new(match self.real(line) {
            None => self.count,
            Some(line) => self.points.get(line).copied().unwrap_or(self.count + usize::from(self.stuck)),
        })
    }

    fn marked(&self, mark: Mark) -> Point {
        self.point(self.marks.get(mark.0).copied().unwrap_or(self.lines.len()))
    }

    fn nodes(&self, end: Span) -> (Vec<ControlPoint>, Vec<Span>) {
        let (mut nodes, mut spans) = (Vec::new(), Vec::new());
        for (number, line) in self.lines.iter().enumerate() {
            let next = self.point(number + 1);
            let (op, span) = match line {
                CodeLine::Do(op, span) => (op.clone(), *span),
                CodeLine::Branch(condition, no, span) => (Op::Branch(condition.clone(), self.marked(*no)), *span),
                CodeLine::Either(other, span) => (Op::Either(self.marked(*other)), *span),
                CodeLine::Jump(_) => continue,
            };
            nodes.push(ControlPoint { op, next });
            spans.push(span);
        }
        if self.stuck {
            nodes.push(ControlPoint { op: Op::Assume(Expr::Number(0)), next: Point::new(self.count) });
            spans.push(end);
        }
        nodes.push(ControlPoint { op: Op::End, next: Point::new(nodes.len()) });
        spans.push(end);
        (nodes, spans)
    }
}

impl Code<'_, '_> {
    /// Finds all labels of a body, wherever they stand.
    fn declare(&mut self, body: &[Stmt], locked: bool) {
        for statement in body {
            for label in &statement.labels {
                if locked {
                    let message = "a label in a locked step".to_owned();
                    let help = "put it before `atomic`".to_owned();
                    self.context.error(codes::BAD_LABEL, label.span, message, "no label within `atomic`", help);
                } else if let Some((first, _)) = self.labels.iter().find(|(known, _)| known.text == label.text) {
                    let first = first.span;
                    self.context.taken(label, first, "a label");
                } else {
                    let mark = self.mark();
                    self.labels.push((label.clone(), mark));
                }
            }
            match &statement.kind {
                StmtKind::If(_, yes, no) => {
                    self.declare(yes, locked);
                    self.declare(no, locked);
                }
                StmtKind::While(_, body) | StmtKind::Loop(body) => self.declare(body, locked),
                StmtKind::Atomic(body) => self.declare(body, true),
                _ => {}
            }
        }
    }

    fn mark(&mut self) -> Mark {
        self.marks.push(usize::MAX);
        Mark(self.marks.len() - 1)
    }

    fn place(&mut self, mark: Mark) {
        self.marks[mark.0] = self.lines.len();
    }

    fn jump(&mut self, mark: Mark) {
        // A thread begins at its first line, which therefore is no jump.
        if self.lines.is_empty() {
            self.lines.push(CodeLine::Do(Op::Skip, Span::default()));
        }
        self.lines.push(CodeLine::Jump(mark));
    }

    fn block(&mut self, body: &[Stmt]) {
        body.iter().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, statement: &Stmt) {
        for label in &statement.labels {
            if let Some(&(_, mark)) = self.labels.iter().find(|(known, _)| known.text == label.text) {
                self.place(mark);
            }
        }
        let span = statement.span;
        match &statement.kind {
            StmtKind::If(condition, yes, no) => {
                let (otherwise, end) = (self.mark(), self.mark());
                self.branch(condition, otherwise, span);
                self.block(yes);
                if !no.is_empty() {
                    self.jump(end);
                }
                self.place(otherwise);
                self.block(no);
                self.place(end);
            }
            StmtKind::While(condition, body) => {
                let (head, end) = (self.mark(), self.mark());
                self.place(head);
                self.branch(condition, end, span);
                self.body(body, head, end);
            }
            StmtKind::Loop(body) => {
                let (head, end) = (self.mark(), self.mark());
                self.place(head);
                self.body(body, head, end);
            }
            StmtKind::Break => match self.breaks.last() {
                Some(&end) => self.jump(end),
                None => self.misplaced(span, "`break` outside of a loop", "a loop around it", "put it into `loop` or `while`"),
            },
            StmtKind::Goto(label) => self.goto(label),
            kind => {
                if let Some(op) = self.simple(kind, span) {
                    self.lines.push(CodeLine::Do(op, span));
                }
            }
        }
    }

    fn body(&mut self, body: &[Stmt], head: Mark, end: Mark) {
        // What comes back to its own beginning must not make the first line a jump either.
        if self.lines.is_empty() && body.is_empty() {
            self.lines.push(CodeLine::Do(Op::Skip, Span::default()));
            self.place(head);
        }
        self.breaks.push(end);
        self.block(body);
        self.breaks.pop();
        self.jump(head);
        self.place(end);
    }

    fn goto(&mut self, label: &Name) {
        if let Some(&(_, mark)) = self.labels.iter().find(|(known, _)| known.text == label.text) {
            self.jump(mark);
            return;
        }
        let known: Vec<&str> = self.labels.iter().map(|(name, _)| name.text.as_str()).collect();
        let help = match similar(&label.text, known) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => "a `goto` stays in its thread; write `label: statement` there".to_owned(),
        };
        let message = format!("this thread has no label `{}`", label.text);
        self.context.error(codes::BAD_LABEL, label.span, message, "a label of this thread", help);
    }

    fn branch(&mut self, condition: &Tree, otherwise: Mark, span: Span) {
        if matches!(condition.kind, TreeKind::Any) {
            self.lines.push(CodeLine::Either(otherwise, span));
            return;
        }
        if let Some(condition) = self.context.over_registers(&mut self.registers, condition) {
            self.lines.push(CodeLine::Branch(condition, otherwise, span));
        }
    }

    fn misplaced(&mut self, span: Span, message: &str, expected: &str, help: &str) {
        self.context.error(codes::MISPLACED, span, message.to_owned(), expected, help.to_owned());
    }

    /// A statement that is one step.
    fn simple(&mut self, kind: &StmtKind, span: Span) -> Option<Op> {
        Some(match kind {
            StmtKind::Skip => Op::Skip,
            StmtKind::Fence => Op::Fence,
            StmtKind::Assume(condition) => Op::Assume(self.context.over_registers(&mut self.registers, condition)?),
            StmtKind::Assert(condition) => Op::Assert(self.context.over_registers(&mut self.registers, condition)?),
            StmtKind::Atomic(body) => Op::Atomic(self.inner(body)?),
            StmtKind::Assign(..) | StmtKind::Locked { .. } => match self.access(kind)? {
                Inner::Local(register, value) => Op::Local(register, value),
                Inner::Store(address, value) => Op::Store(address, value),
                Inner::Load(register, address) => Op::Load(register, address),
                locked => Op::Atomic(vec![locked]),
            },
            StmtKind::Break | StmtKind::Goto(_) | StmtKind::If(..) | StmtKind::While(..) | StmtKind::Loop(_) => {
                self.misplaced(span, "this is more than one step", "a simple statement", "put it elsewhere");
                return None;
            }
        })
    }

    /// An assignment or a locked instruction.
    fn access(&mut self, kind: &StmtKind) -> Option<Inner> {
        match kind {
            StmtKind::Assign(target, value) if self.context.cells.find(&target.name.text).is_some() => {
                let address = self.context.address(&mut self.registers, target);
                let value = self.context.over_registers(&mut self.registers, value);
                Some(Inner::Store(address?, value?))
            }
            StmtKind::Assign(target, value) => {
                if let TreeKind::Name(source) = &value.kind
                    && self.context.cells.find(&source.name.text).is_some()
                {
                    let address = self.context.address(&mut self.registers, source);
                    let register = self.register(target);
                    return Some(Inner::Load(register?, address?));
                }
                let value = self.context.over_registers(&mut self.registers, value);
                let register = self.register(target);
                Some(Inner::Local(register?, value?))
            }
            StmtKind::Locked { kind, to, cell, operands } => self.locked(*kind, to.as_ref(), cell, operands),
            _ => None,
        }
    }

    fn locked(&mut self, kind: LockedKind, to: Option<&Target>, cell: &Tree, operands: &[Tree]) -> Option<Inner> {
        let address: Option<Address> = match &cell.kind {
            TreeKind::Name(target) => self.context.address(&mut self.registers, target),
            _ => {
                self.misplaced(cell.span, "a locked instruction changes memory, and this is none", "a cell of memory", "name a cell first");
                None
            }
        };
        let values: Vec<_> = operands.iter().map(|operand| self.context.over_registers(&mut self.registers, operand)).collect();
        let values: Option<Vec<_>> = values.into_iter().collect();
        let to = match to {
            None => None,
            Some(target) if self.context.cells.find(&target.name.text).is_some() => {
                let message = format!("`{}` is memory, and so is what the locked instruction changes", target.name.text);
                let help = "take the old value into a register, and store it afterwards".to_owned();
                self.context.error(codes::TWO_ACCESSES, target.name.span, message, "a register", help);
                return None;
            }
            Some(target) => Some(self.register(target)?),
        };
        Some(Inner::Locked(kind, to, address?, values?))
    }

    /// A register that is assigned to.
    fn register(&mut self, target: &Target) -> Option<RegisterId> {
        if target.index.is_some() {
            self.context.unknown_cell(&target.name);
            return None;
        }
        Some(self.registers.assigned(&target.name))
    }

    /// The parts of a locked step.
    fn inner(&mut self, body: &[Stmt]) -> Option<Vec<Inner>> {
        let parts: Vec<Option<Inner>> =
            body.iter().filter(|statement| !matches!(statement.kind, StmtKind::Skip)).map(|statement| self.part(statement)).collect();
        parts.into_iter().collect()
    }

    fn part(&mut self, statement: &Stmt) -> Option<Inner> {
        match &statement.kind {
            StmtKind::Assign(..) | StmtKind::Locked { .. } => self.access(&statement.kind),
            StmtKind::Assume(condition) => Some(Inner::Assume(self.context.over_registers(&mut self.registers, condition)?)),
            StmtKind::If(condition, yes, no) => {
                let condition = self.context.over_registers(&mut self.registers, condition);
                let (yes, no) = (self.inner(yes), self.inner(no));
                Some(Inner::If(condition?, yes?, no?))
            }
            _ => {
                let message = "this cannot stand in a locked step";
                self.misplaced(
                    statement.span,
                    message,
                    "assignments, locked instructions, `assume` and `if`",
                    "put it outside of `atomic`",
                );
                None
            }
        }
    }

    /// What is wrong with the thread as a whole.
    fn complain(&mut self, item: &ThreadItem) {
        let unassigned: Vec<(String, Span)> = self.registers.unassigned().map(|(name, span)| (name.to_owned(), span)).collect();
        for (name, span) in unassigned {
            self.context.unassigned(&name, span, &self.registers.names);
        }
        for (count, most, what) in
            [(self.registers.names.len(), MAX_REGISTERS, "registers"), (self.lines.len(), MAX_STATEMENTS, "statements")]
        {
            if count > most {
                let message = format!("the thread has more than {most} {what}");
                self.context.error(codes::TOO_MUCH, item.name.span, message, "a smaller thread", "split the thread".to_owned());
            }
        }
    }
}
