//! The next step of a thread. Where the numbers of a state are, [`crate::layout`] says.

use serval_tso_program::{Address, Expr, Inner, LockedKind, Op, Program, RegisterId};

use crate::layout::Layout;
use crate::live::ProgramAnalysis;

/// What a thread did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// Its next step.
    Step,
    /// Its next step the other way, where it may go two.
    Other,
    /// Its oldest store reached memory.
    Land,
    /// Its next step, a store, which begins an attack.
    Begin,
    /// Its next step, a load, which is the last of an attack.
    Last,
    /// Its next step, a store, which lands in this round.
    Queue(usize),
}

/// A step that leaves the range of values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RangeFault {
    /// The thread.
    pub thread: usize,
    /// The point of the step.
    pub point: usize,
    /// What is wrong.
    pub kind: FaultKind,
    /// The run that leads there, as in certificates, with store buffers.
    pub run: Vec<i64>,
}

/// What is wrong with a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// A register would get this value.
    Register(String, i64),
    /// A cell would get this value.
    Cell(String, i64),
    /// There is no such cell.
    Index(i64),
    /// A number does not fit 64 bits, or is divided by 0.
    Undefined,
}

/// What the next step does to memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum MemoryAccess {
    Local,
    Fence,
    Store(usize, i64),
    Load(usize),
    Locked { reads: Vec<usize>, writes: Vec<(usize, i64)> },
}

/// The next step of a thread: where it goes, which registers change, and what it accesses.
#[derive(Clone, Debug)]
pub(crate) struct ThreadStep {
    /// Whether this is the other of two ways.
    pub(crate) is_other: bool,
    pub(crate) to: usize,
    /// The register that gets a value, of most steps, and those of a locked step.
    assigned: Option<(usize, i64)>,
    assigned_locked: Vec<(usize, i64)>,
    pub(crate) access: MemoryAccess,
}

impl ThreadStep {
    /// What a label says of it.
    pub(crate) fn event(&self) -> Event {
        if self.is_other { Event::Other } else { Event::Step }
    }
}

/// All ways that a thread may go from a point: the first, and whether there is another.
pub(crate) const WAYS: [bool; 2] = [false, true];

/// The threads `0..count`, each with all ways.
pub(crate) fn both_ways(count: usize) -> impl Iterator<Item = (usize, bool)> {
    (0..count).flat_map(|thread| WAYS.map(|is_other| (thread, is_other)))
}

pub(crate) enum NextStep {
    Blocked,
    Fault(FaultKind),
    Step(ThreadStep),
}

enum MachineStop {
    Blocked,
    Fault(FaultKind),
}

/// A program with the places of its numbers.
pub(crate) struct Machine<'p> {
    pub(crate) program: &'p Program,
    pub(crate) analysis: &'p ProgramAnalysis,
    pub(crate) layout: Layout,
}

/// What a locked step has done so far, on top of a state.
struct Locked<'a> {
    registers: Vec<i64>,
    view: &'a dyn Fn(usize) -> i64,
    reads: Vec<usize>,
    writes: Vec<(usize, i64)>,
    changed: Vec<usize>,
}

impl<'p> Machine<'p> {
    pub(crate) fn new(program: &'p Program, analysis: &'p ProgramAnalysis) -> Self {
        Self { program, analysis, layout: Layout::new(program) }
    }

    pub(crate) fn initial(&self) -> Vec<i64> {
        self.layout.initial(self.program.cells.iter().map(|(_, initial)| *initial))
    }

    pub(crate) fn count(&self) -> usize {
        self.layout.count()
    }

    pub(crate) fn point(&self, state: &[i64], thread: usize) -> usize {
        self.layout.point(state, thread)
    }

    pub(crate) fn op(&self, state: &[i64], thread: usize) -> &'p Op {
        &self.program.threads[thread].code[self.point(state, thread)].op
    }

    /// The next step of a thread that sees memory like this.
    pub(crate) fn next(&self, state: &[i64], thread: usize, is_other: bool, view: &dyn Fn(usize) -> i64) -> NextStep {
        match self.try_next(state, thread, is_other, view) {
            Ok(step) => NextStep::Step(step),
            Err(MachineStop::Blocked) => NextStep::Blocked,
            Err(MachineStop::Fault(kind)) => NextStep::Fault(kind),
        }
    }

    fn try_next(&self, state: &[i64], thread: usize, is_other: bool, view: &dyn Fn(usize) -> i64) -> Result<ThreadStep, MachineStop> {
        let registers = self.layout.registers(state, thread);
        let node = &self.program.threads[thread].code[self.point(state, thread)];
        let step =
            |access: MemoryAccess| ThreadStep { is_other, to: node.next.index(), assigned: None, assigned_locked: Vec::new(), access };
        let value = |expr: &Expr<RegisterId>| evaluate(expr, registers);
        match &node.op {
            Op::End => Err(MachineStop::Blocked),
            Op::Either(other) => Ok(ThreadStep { to: if is_other { *other } else { node.next }.index(), ..step(MemoryAccess::Local) }),
            _ if is_other => Err(MachineStop::Blocked),
            Op::Skip => Ok(step(MemoryAccess::Local)),
            Op::Fence => Ok(step(MemoryAccess::Fence)),
            Op::Local(register, expr) => {
                let kept = self.register_value(thread, register.index(), value(expr)?)?;
                Ok(ThreadStep { assigned: Some((register.index(), kept)), ..step(MemoryAccess::Local) })
            }
            Op::Branch(condition, no) => {
                let to = if value(condition)? != 0 { node.next } else { *no };
                Ok(ThreadStep { to: to.index(), ..step(MemoryAccess::Local) })
            }
            Op::Assume(condition) | Op::Assert(condition) => match value(condition)? {
                0 => Err(MachineStop::Blocked),
                _ => Ok(step(MemoryAccess::Local)),
            },
            Op::Store(address, expr) => {
                let cell = resolve(address, registers)?;
                let kept = self.cell_value(cell, value(expr)?)?;
                Ok(step(MemoryAccess::Store(cell, kept)))
            }
            Op::Load(register, address) => {
                let cell = resolve(address, registers)?;
                Ok(ThreadStep { assigned: Some((register.index(), view(cell))), ..step(MemoryAccess::Load(cell)) })
            }
            Op::Atomic(parts) => {
                let (reads, writes, changed) = (Vec::new(), Vec::new(), Vec::new());
                let mut locked = Locked { registers: registers.to_vec(), view, reads, writes, changed };
                self.locked(thread, parts, &mut locked)?;
                let assigned_locked = locked.changed.iter().map(|&register| (register, locked.registers[register])).collect();
                Ok(ThreadStep { assigned_locked, ..step(MemoryAccess::Locked { reads: locked.reads, writes: locked.writes }) })
            }
        }
    }

    fn register_value(&self, thread: usize, register: usize, value: i64) -> Result<i64, MachineStop> {
        let name = || self.program.threads[thread].registers[register].clone();
        self.program.values.keep(value).ok_or_else(|| MachineStop::Fault(FaultKind::Register(name(), value)))
    }

    fn cell_value(&self, cell: usize, value: i64) -> Result<i64, MachineStop> {
        let name = || self.program.cells[cell].0.clone();
        self.program.values.keep(value).ok_or_else(|| MachineStop::Fault(FaultKind::Cell(name(), value)))
    }

    fn locked(&self, thread: usize, parts: &[Inner], locked: &mut Locked<'_>) -> Result<(), MachineStop> {
        for part in parts {
            match part {
                Inner::Local(register, expr) => {
                    let value = self.register_value(thread, register.index(), evaluate(expr, &locked.registers)?)?;
                    locked.assign(register.index(), value);
                }
                Inner::Assume(condition) => {
                    if evaluate(condition, &locked.registers)? == 0 {
                        return Err(MachineStop::Blocked);
                    }
                }
                Inner::Store(address, expr) => {
                    let cell = resolve(address, &locked.registers)?;
                    let value = self.cell_value(cell, evaluate(expr, &locked.registers)?)?;
                    locked.write(cell, value);
                }
                Inner::Load(register, address) => {
                    let cell = resolve(address, &locked.registers)?;
                    let value = locked.read(cell);
                    locked.assign(register.index(), value);
                }
                Inner::Locked(kind, register, address, operands) => {
                    let cell = resolve(address, &locked.registers)?;
                    let mut values = Vec::new();
                    for operand in operands {
                        values.push(evaluate(operand, &locked.registers)?);
                    }
                    let old = locked.read(cell);
                    let new = match kind {
                        LockedKind::Exchange => Some(values[0]),
                        LockedKind::Add => Some(old.checked_add(values[0]).ok_or(MachineStop::Fault(FaultKind::Undefined))?),
                        LockedKind::Compare if old == values[0] => Some(values[1]),
                        LockedKind::Compare => None,
                    };
                    if let Some(new) = new {
                        let new = self.cell_value(cell, new)?;
                        locked.write(cell, new);
                    }
                    if let Some(register) = register {
                        locked.assign(register.index(), old);
                    }
                }
                Inner::If(condition, yes, no) => {
                    let branch = if evaluate(condition, &locked.registers)? != 0 { yes } else { no };
                    self.locked(thread, branch, locked)?;
                }
            }
        }
        Ok(())
    }

    /// Moves a thread: its point and its registers, of which dead ones become 0.
    pub(crate) fn go(&self, state: &mut [i64], thread: usize, step: &ThreadStep) {
        self.layout.set_point(state, thread, step.to);
        let registers = self.layout.registers_mut(state, thread);
        for &(register, value) in step.assigned.iter().chain(&step.assigned_locked) {
            registers[register] = value;
        }
        let live = self.analysis.live[thread][step.to];
        for (register, value) in registers.iter_mut().enumerate() {
            if live >> register & 1 == 0 {
                *value = 0;
            }
        }
    }

    /// What an access does to memory at once.
    pub(crate) fn write(&self, state: &mut [i64], access: &MemoryAccess) {
        match access {
            MemoryAccess::Store(cell, value) => self.layout.set_cell(state, *cell, *value),
            MemoryAccess::Locked { writes, .. } => writes.iter().for_each(|(cell, value)| self.layout.set_cell(state, *cell, *value)),
            MemoryAccess::Local | MemoryAccess::Fence | MemoryAccess::Load(_) => {}
        }
    }

    /// The next step of a thread that sees memory as it is.
    pub(crate) fn next_in_memory(&self, state: &[i64], thread: usize, is_other: bool) -> NextStep {
        self.next(state, thread, is_other, &|cell| self.layout.cell(state, cell))
    }

    /// Whether a step leads forward, and no question is about its points and registers: it is urgent then, if moreover
    /// no other thread sees or changes what it accesses.
    pub(crate) fn is_unseen(&self, state: &[i64], thread: usize, step: &ThreadStep) -> bool {
        let seen = &self.analysis.seen[thread];
        let from = self.point(state, thread);
        let assigns_seen = match self.op(state, thread) {
            Op::Local(register, _) | Op::Load(register, _) => seen.registers >> register.index() & 1 == 1,
            Op::Atomic(_) => seen.registers != 0,
            // The thread has another step.
            Op::Either(_) => return false,
            _ => false,
        };
        step.to > from && !seen.points[from] && !seen.points[step.to] && !assigns_seen
    }
}

impl Locked<'_> {
    fn assign(&mut self, register: usize, value: i64) {
        self.registers[register] = value;
        if !self.changed.contains(&register) {
            self.changed.push(register);
        }
    }

    fn read(&mut self, cell: usize) -> i64 {
        if let Some(&(_, value)) = self.writes.iter().find(|(written, _)| *written == cell) {
            return value;
        }
        if !self.reads.contains(&cell) {
            self.reads.push(cell);
        }
        (self.view)(cell)
    }

    fn write(&mut self, cell: usize, value: i64) {
        self.writes.retain(|(written, _)| *written != cell);
        self.writes.push((cell, value));
    }
}

fn evaluate(expr: &Expr<RegisterId>, registers: &[i64]) -> Result<i64, MachineStop> {
    expr.value(&|register: RegisterId| registers[register.index()]).map_err(|_| MachineStop::Fault(FaultKind::Undefined))
}

fn resolve(address: &Address, registers: &[i64]) -> Result<usize, MachineStop> {
    let Some((length, index)) = &address.index else { return Ok(address.first.index()) };
    let index = evaluate(index, registers)?;
    match usize::try_from(index) {
        Ok(offset) if index < i64::from(*length) => Ok(address.first.index() + offset),
        _ => Err(MachineStop::Fault(FaultKind::Index(index))),
    }
}
