//! The checker's own interpreter of thread automata: what the next step of a thread does.
//!
//! A thread has at most one next step, since it is its registers that decide which way a branch goes; where either way
//! may be gone it has two. What else is left open is whose turn it is.

use serval_tso_program::{Address, CellId, Expr, Inner, LockedKind, Op, Point, Program, RegisterId, Thread};

use crate::state::{Local, Model, State};

/// Which of the ways a thread goes where it may go two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    First,
    Other,
}

/// All ways. A step that has only one is made in the first.
pub(crate) const WAYS: [Way; 2] = [Way::First, Way::Other];

/// What the next step of a thread does to memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Nothing.
    None,
    /// Nothing, but the own buffer is empty.
    Fence,
    /// Stores a value.
    Store(CellId, i64),
    /// Loads a value.
    Load(CellId),
    /// Reads some cells and writes others, in one step; the own buffer is empty.
    Locked { reads: Vec<CellId>, writes: Vec<(CellId, i64)> },
}

/// The next step of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) local: Local,
    pub(crate) access: Access,
}

/// What comes next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// Nothing, now.
    Nothing,
    /// A step that leaves the range of values, an array or 64 bits.
    Fault,
    Step(Step),
}

/// A step that cannot be made: it waits, or it faults.
enum Not {
    Now,
    Ever,
}

type Made<T> = Result<T, Not>;

struct Interpreter<'a> {
    program: &'a Program,
    registers: Vec<i64>,
    /// What the thread sees of memory before the step.
    view: &'a dyn Fn(CellId) -> i64,
    reads: Vec<CellId>,
    writes: Vec<(CellId, i64)>,
}

/// The next step of a thread that is at `local` and sees `view` in memory. Whether fences and locked steps may go on is
/// not decided here.
pub(crate) fn next(program: &Program, thread: &Thread, local: &Local, way: Way, view: &dyn Fn(CellId) -> i64) -> Next {
    if way == Way::Other && !matches!(thread.code[local.point.index()].op, Op::Either(_)) {
        return Next::Nothing;
    }
    let mut interpreter = Interpreter { program, registers: local.registers.clone(), view, reads: Vec::new(), writes: Vec::new() };
    match interpreter.step(thread, local.point, way) {
        Err(Not::Now) => Next::Nothing,
        Err(Not::Ever) => Next::Fault,
        Ok((point, access)) => Next::Step(Step { local: Local { point, registers: interpreter.registers }, access }),
    }
}

impl Interpreter<'_> {
    fn value(&self, expr: &Expr<RegisterId>) -> Made<i64> {
        expr.value(&|register: RegisterId| self.registers[register.index()]).map_err(|_| Not::Ever)
    }

    fn holds(&self, expr: &Expr<RegisterId>) -> Made<bool> {
        Ok(self.value(expr)? != 0)
    }

    /// A value that is kept in a register or a cell.
    fn kept(&self, number: i64) -> Made<i64> {
        self.program.values.keep(number).ok_or(Not::Ever)
    }

    fn cell(&self, address: &Address) -> Made<CellId> {
        let Some((length, index)) = &address.index else { return Ok(address.first) };
        let index = u32::try_from(self.value(index)?).map_err(|_| Not::Ever)?;
        if index < *length { Ok(CellId(address.first.0.saturating_add(index))) } else { Err(Not::Ever) }
    }

    fn step(&mut self, thread: &Thread, point: Point, way: Way) -> Made<(Point, Access)> {
        let node = &thread.code[point.index()];
        let mut to = node.next;
        let access = match &node.op {
            Op::End => return Err(Not::Now),
            Op::Skip => Access::None,
            Op::Local(register, value) => {
                self.registers[register.index()] = self.kept(self.value(value)?)?;
                Access::None
            }
            Op::Branch(condition, otherwise) => {
                if !self.holds(condition)? {
                    to = *otherwise;
                }
                Access::None
            }
            Op::Either(other) => {
                if way == Way::Other {
                    to = *other;
                }
                Access::None
            }
            Op::Assume(condition) | Op::Assert(condition) => {
                if !self.holds(condition)? {
                    return Err(Not::Now);
                }
                Access::None
            }
            Op::Fence => Access::Fence,
            Op::Store(address, value) => Access::Store(self.cell(address)?, self.kept(self.value(value)?)?),
            Op::Load(register, address) => {
                let cell = self.cell(address)?;
                self.registers[register.index()] = (self.view)(cell);
                Access::Load(cell)
            }
            Op::Atomic(parts) => {
                self.parts(parts)?;
                Access::Locked { reads: std::mem::take(&mut self.reads), writes: std::mem::take(&mut self.writes) }
            }
        };
        Ok((to, access))
    }

    fn parts(&mut self, parts: &[Inner]) -> Made<()> {
        parts.iter().try_for_each(|part| self.part(part))
    }

    fn part(&mut self, part: &Inner) -> Made<()> {
        match part {
            Inner::Local(register, value) => self.registers[register.index()] = self.kept(self.value(value)?)?,
            Inner::Assume(condition) => {
                if !self.holds(condition)? {
                    return Err(Not::Now);
                }
            }
            Inner::Store(address, value) => {
                let (cell, value) = (self.cell(address)?, self.kept(self.value(value)?)?);
                self.write(cell, value);
            }
            Inner::Load(register, address) => {
                let cell = self.cell(address)?;
                self.registers[register.index()] = self.fetch(cell);
            }
            Inner::Locked(kind, register, address, operands) => {
                let cell = self.cell(address)?;
                let operands = operands.iter().map(|operand| self.value(operand)).collect::<Made<Vec<i64>>>()?;
                let old = self.fetch(cell);
                let new = match (kind, operands.as_slice()) {
                    (LockedKind::Exchange, [value]) => Some(*value),
                    (LockedKind::Add, [value]) => Some(old.checked_add(*value).ok_or(Not::Ever)?),
                    (LockedKind::Compare, [expected, value]) => (old == *expected).then_some(*value),
                    _ => return Err(Not::Ever),
                };
                if let Some(new) = new {
                    let new = self.kept(new)?;
                    self.write(cell, new);
                }
                if let Some(register) = register {
                    self.registers[register.index()] = old;
                }
            }
            Inner::If(condition, yes, no) => {
                let branch = if self.holds(condition)? { yes } else { no };
                self.parts(branch)?;
            }
        }
        Ok(())
    }

    /// Reads memory; what the step has written itself it does not read from others.
    fn fetch(&mut self, cell: CellId) -> i64 {
        if let Some((_, own)) = self.writes.iter().find(|(written, _)| *written == cell) {
            return *own;
        }
        if !self.reads.contains(&cell) {
            self.reads.push(cell);
        }
        (self.view)(cell)
    }

    fn write(&mut self, cell: CellId, value: i64) {
        match self.writes.iter_mut().find(|(written, _)| *written == cell) {
            Some(written) => written.1 = value,
            None => self.writes.push((cell, value)),
        }
    }
}

/// What an event of a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Move {
    /// The next step of a thread.
    Step(usize),
    /// The oldest store in the buffer of a thread reaches memory.
    Land(usize),
}

impl Access {
    /// Whether a step changes memory at once.
    pub(crate) fn writes(&self, model: Model) -> bool {
        match self {
            Self::None | Self::Fence | Self::Load(_) => false,
            Self::Store(..) => model == Model::Sc,
            Self::Locked { writes, .. } => !writes.is_empty(),
        }
    }

    /// Whether no other thread sees what a step does, and none changes it, where the own buffer is as it must be.
    pub(crate) fn is_quiet(&self, model: Model) -> bool {
        matches!(self, Self::None | Self::Fence) || model == Model::Tso && matches!(self, Self::Store(..))
    }
}

impl State {
    /// The next step of a thread under the model, where it may be made now.
    pub(crate) fn next(&self, program: &Program, model: Model, thread: usize, way: Way) -> Next {
        let next = next(program, &program.threads[thread], &self.locals[thread], way, &|cell| self.read(thread, cell));
        let waits = model == Model::Tso && !self.buffers[thread].is_empty();
        match &next {
            Next::Step(Step { access: Access::Fence | Access::Locked { .. }, .. }) if waits => Next::Nothing,
            // What a locked step would do is not known before the buffer is empty.
            Next::Fault if waits && matches!(self.op(program, thread), Op::Atomic(_)) => Next::Nothing,
            _ => next,
        }
    }

    fn op<'p>(&self, program: &'p Program, thread: usize) -> &'p Op {
        &program.threads[thread].code[self.locals[thread].point.index()].op
    }

    /// The state after a step.
    pub(crate) fn after(&self, model: Model, thread: usize, step: &Step) -> Self {
        let mut after = self.clone();
        after.go(model, thread, step);
        after
    }

    /// Makes a step.
    pub(crate) fn go(&mut self, model: Model, thread: usize, step: &Step) {
        let local = &mut self.locals[thread];
        local.point = step.local.point;
        local.registers.clone_from(&step.local.registers);
        match &step.access {
            Access::None | Access::Fence | Access::Load(_) => {}
            Access::Store(cell, value) if model == Model::Tso => self.buffers[thread].push((*cell, *value)),
            Access::Store(cell, value) => self.memory[cell.index()] = *value,
            Access::Locked { writes, .. } => writes.iter().for_each(|(cell, value)| self.memory[cell.index()] = *value),
        }
    }

    /// The state after the oldest store of a thread has reached memory, if one waits.
    pub(crate) fn landed(&self, thread: usize) -> Option<Self> {
        let &(cell, value) = self.buffers[thread].first()?;
        let mut after = self.clone();
        after.buffers[thread].remove(0);
        after.memory[cell.index()] = value;
        Some(after)
    }
}
