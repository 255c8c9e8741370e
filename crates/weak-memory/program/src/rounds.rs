//! Store buffers in a bounded number of rounds, as a program under sequential consistency.
//!
//! A *round* of a thread is a stretch of a run in which only this thread makes steps and only its stores land.
//! [`reduce`] makes, of a program and a number k, a program that does under sequential consistency what the given one
//! does with store buffers in runs in which each thread has at most k rounds, in any order of all rounds.
//!
//! A store that is made in one round and lands in a later one may as well land when that round opens: until it lands
//! the thread reads its value from the buffer, afterwards from memory, which no other thread changes during the round.
//! Stores land in their order, so each thread has a *landing round* that only grows: a store goes to memory at once if
//! that round has come, and is queued for it otherwise. Of the stores that are queued for one round only the last to
//! each cell matters. Round k + 1 never comes: what is queued for it never lands.
//!
//! | in the new program | means |
//! |---|---|
//! | `turn_T` | the round that is open is one of T; every access of T waits for it |
//! | `T_open_j`, j ≤ k | round j of T has come |
//! | `T_land_j`, 2 ≤ j ≤ k + 1 | the landing round of T is j or later |
//! | `T_queued_j` | something is queued for round j |
//! | `T_has_j_x`, `T_value_j_x` | a store to x is queued for round j, and its value |
//! | thread `T_rounds` | opens the rounds of T, one after the other: what is queued goes to memory |
//! | thread `T_lands` | lets the landing round grow |
//! | thread `T` | the same points as before; an access to memory is one locked step |
//!
//! A load reads the newest own store that is queued, else memory. A fence, or a locked step, waits until nothing is
//! queued: without that, store buffering with fences has in two rounds a result that it has in none. In a final state
//! nothing is queued for round k + 1; so questions about final states say that as well. All flags are 0 or 1, so that
//! no value is needed that the program has not.

use std::collections::BTreeSet;

use serval_diagnostic::Span;
use serval_diagnostic::counted;

use crate::limits::{MAX_CELLS, MAX_DEPTH, MAX_REGISTERS, MAX_THREADS};
use crate::program::{Address, CellId, ControlPoint, Inner, Observed, Op, Point, Program, RegisterId, Thread};
use crate::value::{BinaryOp, Expr};

/// The program that does under sequential consistency what the given one does with store buffers in at most `rounds`
/// rounds of each thread. Threads of the given program come first, in their order, then for each of them the thread
/// that opens its rounds and the one that lets its landing round grow. The error says why there is none.
pub fn reduce(program: &Program, rounds: u32) -> Result<Program, String> {
    if program.threads.iter().any(|thread| thread.many) {
        return Err("a `thread*` has no fixed number of rounds".to_owned());
    }
    if rounds == 0 || rounds as usize > MAX_DEPTH / 2 {
        return Err(format!("{rounds} rounds; there are from 1 to {}", MAX_DEPTH / 2));
    }
    if 3 * program.threads.len() > MAX_THREADS {
        return Err(format!(
            "of {} {} become, and there are at most {MAX_THREADS}",
            counted(program.threads.len(), "thread"),
            3 * program.threads.len()
        ));
    }
    if program.values.keep(1) != Some(1) {
        return Err("1 is not among the values of the program, and flags need it".to_owned());
    }
    if program.threads.iter().any(|thread| thread.registers.len() >= MAX_REGISTERS) {
        return Err(format!("a thread has {MAX_REGISTERS} registers already, and one more is needed"));
    }
    let mut making = Making {
        program,
        rounds,
        taken: names(program),
        seen: String::new(),
        cells: program.cells.clone(),
        turns: Vec::new(),
        queues: Vec::new(),
    };
    making.declare();
    if making.cells.len() > MAX_CELLS {
        return Err(format!("it takes {}, and there are at most {MAX_CELLS}", counted(making.cells.len(), "cell")));
    }
    let own: Vec<Thread> = (0..program.threads.len()).map(|thread| making.own(thread)).collect();
    let helpers: Vec<Thread> = (0..program.threads.len()).flat_map(|thread| [making.opening(thread), making.landing(thread)]).collect();
    let mut questions = program.questions.clone();
    for question in questions.iter_mut().filter(|question| question.asked.is_final()) {
        for queue in &making.queues {
            let empty = Expr::Not(Box::new(Expr::Atom(Observed::Cell(queue.last().queued))));
            let condition = std::mem::replace(&mut question.condition, Expr::Number(0));
            question.condition = Expr::Binary(BinaryOp::And, Box::new(condition), Box::new(empty));
        }
    }
    let threads = own.into_iter().chain(helpers).collect();
    Ok(Program { cells: making.cells, values: program.values, threads, questions })
}

/// All names that a program has.
fn names(program: &Program) -> BTreeSet<String> {
    let cells = program.cells.iter().map(|(name, _)| base(name).to_owned());
    let threads = program.threads.iter().flat_map(|thread| thread.registers.iter().chain([&thread.name]).cloned());
    cells.chain(threads).collect()
}

/// What is known of a later round of a thread.
struct Later {
    /// Whether the landing round is this one or a later one.
    land: CellId,
    /// Whether the round has come; there is none for the round that never comes.
    open: Option<CellId>,
    /// Whether something is queued.
    queued: CellId,
    /// For each cell of the program that the thread stores to: the flag and the value.
    cells: Vec<Option<(CellId, CellId)>>,
}

/// The later rounds of a thread; there is always one, that never comes.
struct Queue(Later, Vec<Later>);

impl Queue {
    /// The round that never comes.
    fn last(&self) -> &Later {
        &self.0
    }

    /// From the last to the second.
    fn descending(&self) -> impl Iterator<Item = &Later> {
        std::iter::once(&self.0).chain(self.1.iter().rev())
    }
}

struct Making<'p> {
    program: &'p Program,
    rounds: u32,
    taken: BTreeSet<String>,
    /// The register that is added to threads.
    seen: String,
    cells: Vec<(String, i64)>,
    turns: Vec<CellId>,
    queues: Vec<Queue>,
}

fn plain(cell: CellId) -> Address {
    Address { first: cell, index: None }
}

fn set(cell: CellId, value: i64) -> Inner {
    Inner::Store(plain(cell), Expr::Number(value))
}

fn holds(register: RegisterId) -> Expr<RegisterId> {
    Expr::Atom(register)
}

fn fails(register: RegisterId) -> Expr<RegisterId> {
    Expr::Not(Box::new(Expr::Atom(register)))
}

impl Making<'_> {
    /// A name that nothing has.
    fn fresh(&mut self, wanted: &str) -> String {
        let mut name = wanted.to_owned();
        while !self.taken.insert(name.clone()) {
            name.push('_');
        }
        name
    }

    fn flag(&mut self, wanted: &str) -> CellId {
        let name = self.fresh(wanted);
        self.cells.push((name, 0));
        CellId::new(self.cells.len() - 1)
    }

    /// Cells like those of the program to which a thread stores: arrays have their cells in a row again.
    fn like(&mut self, wanted: &str, stored: &[bool]) -> Vec<Option<CellId>> {
        let mut last = (String::new(), String::new());
        let mut made = Vec::new();
        for ((name, _), stored) in self.program.cells.iter().zip(stored) {
            if !stored {
                made.push(None);
                continue;
            }
            let of = base(name);
            if last.0 != of {
                last = (of.to_owned(), self.fresh(&format!("{wanted}_{of}")));
            }
            let name = format!("{}{}", last.1, &name[of.len()..]);
            self.cells.push((name, 0));
            made.push(Some(CellId::new(self.cells.len() - 1)));
        }
        made
    }

    fn declare(&mut self) {
        self.seen = self.fresh("seen");
        for thread in &self.program.threads {
            let turn = self.flag(&format!("turn_{}", thread.name));
            self.turns.push(turn);
        }
        for thread in &self.program.threads {
            let stored = stored_by(thread, &self.program.cells);
            let mut later = Vec::new();
            for round in 2..=self.rounds.saturating_add(1) {
                let named = |what: &str| format!("{}_{what}_{round}", thread.name);
                let land = self.flag(&named("land"));
                let open = (round <= self.rounds).then(|| self.flag(&named("open")));
                let queued = self.flag(&named("queued"));
                let (flags, values) = (self.like(&named("has"), &stored), self.like(&named("value"), &stored));
                let cells = flags.into_iter().zip(values).map(|(flag, value)| flag.zip(value)).collect();
                later.push(Later { land, open, queued, cells });
            }
            if let Some(never) = later.pop() {
                self.queues.push(Queue(never, later));
            }
        }
    }

    /// A thread of the program; its points stay where they are.
    fn own(&self, number: usize) -> Thread {
        let mut thread = self.program.threads[number].clone();
        let register = RegisterId::new(thread.registers.len());
        thread.registers.push(self.seen.clone());
        let access = Accesses { turn: self.turns[number], queue: &self.queues[number], register };
        for node in &mut thread.code {
            let parts = match &node.op {
                Op::Fence => access.alone(&[]),
                Op::Atomic(parts) => access.alone(parts),
                Op::Store(address, value) => access.store(address, value),
                Op::Load(to, address) => access.load(*to, address),
                Op::End | Op::Skip | Op::Local(..) | Op::Branch(..) | Op::Either(_) | Op::Assume(_) | Op::Assert(_) => continue,
            };
            node.op = Op::Atomic(parts);
        }
        thread
    }

    /// The thread that opens the rounds of a thread.
    fn opening(&mut self, number: usize) -> Thread {
        let register = RegisterId(0);
        let mut steps = Vec::new();
        for round in 1..=self.rounds {
            let mut parts: Vec<Inner> = self.turns.iter().enumerate().map(|(turn, cell)| set(*cell, i64::from(turn == number))).collect();
            let later = round.checked_sub(2).and_then(|later| self.queues[number].1.get(later as usize));
            if let Some(Later { open: Some(open), queued, cells, .. }) = later {
                parts.push(set(*open, 1));
                for (cell, (flag, value)) in cells.iter().enumerate().filter_map(|(cell, own)| Some((CellId::new(cell), (*own)?))) {
                    let lands =
                        vec![Inner::Load(register, plain(value)), Inner::Store(plain(cell), holds(register)), set(flag, 0), set(value, 0)];
                    parts.push(Inner::Load(register, plain(flag)));
                    parts.push(Inner::If(holds(register), lands, Vec::new()));
                }
                parts.push(set(*queued, 0));
                parts.push(Inner::Local(register, Expr::Number(0)));
            }
            steps.push(Op::Atomic(parts));
        }
        self.straight(number, "rounds", vec![self.seen.clone()], steps)
    }

    /// The thread that lets the landing round of a thread grow.
    fn landing(&mut self, number: usize) -> Thread {
        let queue = &self.queues[number];
        let steps = queue.1.iter().chain([&queue.0]).map(|later| Op::Atomic(vec![set(later.land, 1)])).collect();
        self.straight(number, "lands", Vec::new(), steps)
    }

    /// A thread that makes these steps and ends.
    fn straight(&mut self, number: usize, what: &str, registers: Vec<String>, steps: Vec<Op>) -> Thread {
        let of = &self.program.threads[number];
        let span = of.spans.last().copied().unwrap_or(Span::new(0, 0));
        let name = self.fresh(&format!("{}_{what}", of.name));
        let node = |(at, op): (usize, Op)| ControlPoint { next: Point::new(at + usize::from(op != Op::End)), op };
        let code: Vec<ControlPoint> = steps.into_iter().chain([Op::End]).enumerate().map(node).collect();
        let spans = vec![span; code.len()];
        Thread { name, many: false, registers, code, spans, labels: Vec::new() }
    }
}

/// The accesses of a thread.
struct Accesses<'q> {
    turn: CellId,
    queue: &'q Queue,
    /// A register that is 0 between steps.
    register: RegisterId,
}

impl Accesses<'_> {
    fn look(&self, cell: CellId) -> Inner {
        Inner::Load(self.register, plain(cell))
    }

    /// The step, when it is the turn of the thread; afterwards the register is 0 again.
    fn in_turn(&self, parts: impl IntoIterator<Item = Inner>) -> Vec<Inner> {
        let first = [self.look(self.turn), Inner::Assume(holds(self.register))];
        first.into_iter().chain(parts).chain([Inner::Local(self.register, Expr::Number(0))]).collect()
    }

    /// The step, when nothing is queued.
    fn alone(&self, parts: &[Inner]) -> Vec<Inner> {
        let empty = |later: &Later| [self.look(later.queued), Inner::Assume(fails(self.register))];
        self.in_turn(self.queue.descending().flat_map(empty).chain(parts.iter().cloned()))
    }

    /// Goes to memory, or into the queue of the landing round.
    fn store(&self, address: &Address, value: &Expr<RegisterId>) -> Vec<Inner> {
        let at_once = || vec![Inner::Store(address.clone(), value.clone())];
        let ascending: Vec<&Later> = self.queue.descending().collect();
        let mut parts = at_once();
        for later in ascending.into_iter().rev() {
            let mut queued = vec![set(later.queued, 1)];
            if let Some((flag, kept)) = like(address, &later.cells) {
                queued.push(Inner::Store(flag, Expr::Number(1)));
                queued.push(Inner::Store(kept, value.clone()));
            }
            let is_landing = match later.open {
                Some(open) => vec![self.look(open), Inner::If(holds(self.register), at_once(), queued)],
                None => queued,
            };
            parts = vec![self.look(later.land), Inner::If(holds(self.register), is_landing, parts)];
        }
        self.in_turn(parts)
    }

    /// From the newest store that is queued, or else from memory.
    fn load(&self, to: RegisterId, address: &Address) -> Vec<Inner> {
        let ascending: Vec<&Later> = self.queue.descending().collect();
        let mut parts = vec![Inner::Load(to, address.clone())];
        for later in ascending.into_iter().rev() {
            // The thread never stores there, or it does.
            let Some((flag, kept)) = like(address, &later.cells) else { continue };
            parts = vec![Inner::Load(self.register, flag), Inner::If(holds(self.register), vec![Inner::Load(to, kept)], parts)];
        }
        self.in_turn(parts)
    }
}

/// The addresses of flag and value for an address of the program.
fn like(address: &Address, cells: &[Option<(CellId, CellId)>]) -> Option<(Address, Address)> {
    let (flag, value) = (*cells.get(address.first.index())?)?;
    Some((Address { first: flag, index: address.index.clone() }, Address { first: value, index: address.index.clone() }))
}

/// The name of a cell without its index.
fn base(name: &str) -> &str {
    name.split('[').next().unwrap_or(name)
}

/// Whether a thread has a plain store to each cell; to an array as a whole.
fn stored_by(thread: &Thread, cells: &[(String, i64)]) -> Vec<bool> {
    let mut stored = BTreeSet::new();
    for node in &thread.code {
        if let Op::Store(address, _) = &node.op {
            stored.extend(cells.get(address.first.index()).map(|(name, _)| base(name)));
        }
    }
    cells.iter().map(|(name, _)| stored.contains(base(name))).collect()
}
