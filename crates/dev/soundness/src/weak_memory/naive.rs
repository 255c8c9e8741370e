//! Straight programs on shared memory as data, all that they do by trying everything, and random ones. Shares nothing
//! with the language, the engine or the checker.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashSet;

/// A statement, with a condition on a register in front or without.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Stmt {
    /// A register and the value that it must have.
    pub guard: Option<(usize, i64)>,
    /// What it does.
    pub act: Act,
}

/// Cells and registers are numbers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Act {
    /// Stores a value.
    Store(usize, i64),
    /// Stores a register.
    Copy(usize, usize),
    /// Loads a cell into a register.
    Load(usize, usize),
    /// Waits until the buffer is empty.
    Fence,
    /// Exchanges: the register gets the old value.
    Xchg(usize, usize, i64),
    /// Compares and swaps: the register gets the old value.
    Cas(usize, usize, i64, i64),
    /// Reads the first cell and writes the second, in one step.
    Move(usize, usize, usize),
    /// Goes back to a statement unless the register has the value.
    Back(usize, i64, usize),
}

/// Registers of each thread.
pub const REGISTERS: usize = 2;

/// A program.
#[derive(Clone, Debug)]
pub struct Code {
    /// How many cells there are.
    pub cells: usize,
    /// The statements of each thread.
    pub threads: Vec<Vec<Stmt>>,
}

impl Code {
    /// The program in the language, with a question.
    pub fn text(&self, question: &str) -> String {
        self.written(question, false)
    }

    /// The same with a label at each statement, `l0` at the first.
    pub fn labelled(&self, question: &str) -> String {
        self.written(question, true)
    }

    fn written(&self, question: &str, labels: bool) -> String {
        let cell = |cell: usize| ["x", "y", "z"][cell];
        let names: Vec<String> = (0..self.cells).map(|number| format!("{} = 0", cell(number))).collect();
        let mut text = format!("memory {};\n", names.join(", "));
        for (number, thread) in self.threads.iter().enumerate() {
            text += &format!("thread P{number} {{");
            // Every register is assigned, so that every one may be read; this is no access.
            for register in 0..REGISTERS {
                text += &format!(" r{register} := 0;");
            }
            for (at, Stmt { guard, act }) in thread.iter().enumerate() {
                if labels || thread.iter().any(|stmt| matches!(stmt.act, Act::Back(_, _, to) if to == at)) {
                    text += &format!(" l{at}:");
                }
                let act = match *act {
                    Act::Store(to, value) => format!("{} := {value};", cell(to)),
                    Act::Copy(to, register) => format!("{} := r{register};", cell(to)),
                    Act::Load(register, from) => format!("r{register} := {};", cell(from)),
                    Act::Fence => "fence;".to_owned(),
                    Act::Xchg(register, to, value) => format!("r{register} := xchg({}, {value});", cell(to)),
                    Act::Cas(register, to, old, new) => format!("r{register} := cas({}, {old}, {new});", cell(to)),
                    Act::Move(register, from, to) => format!("atomic {{ r{register} := {}; {} := r{register}; }}", cell(from), cell(to)),
                    Act::Back(register, value, to) => format!("if (r{register} != {value}) {{ goto l{to}; }}"),
                };
                text += &match guard {
                    Some((register, value)) => format!(" if (r{register} == {value}) {{ {act} }}"),
                    None => format!(" {act}"),
                };
            }
            text += " }\n";
        }
        text + question
    }
}

/// An event: a thread, and how many statements it had made before.
pub type NaiveEvent = (usize, usize);

/// A state with everything that the trace says so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct World {
    /// The next statement of each thread.
    pub at: Vec<usize>,
    /// How many statements each thread has made.
    pub done: Vec<usize>,
    /// Of each thread.
    pub registers: Vec<[i64; REGISTERS]>,
    /// Of each cell.
    pub memory: Vec<i64>,
    /// Stores of each thread that wait: cell, value, and the event of the store.
    pub buffers: Vec<Vec<(usize, i64, NaiveEvent)>>,
    /// For each cell the events that wrote it, in order.
    pub coherence: Vec<Vec<NaiveEvent>>,
    /// Which event read which cell from which.
    pub reads: BTreeMap<(NaiveEvent, usize), Option<NaiveEvent>>,
}

/// Registers of all threads, and memory.
pub type Final = (Vec<[i64; REGISTERS]>, Vec<i64>);

/// All final states, and whether some trace has a cycle.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Behaviour {
    /// The final states.
    pub finals: BTreeSet<Final>,
    /// Whether some trace has a cycle.
    pub cyclic: bool,
    /// Whether some run was not followed to its end.
    pub cut: bool,
    /// Whether there was too much to try it all.
    pub too_much: bool,
}

/// The state before the first step.
pub fn first_world(code: &Code) -> World {
    let count = code.threads.len();
    World {
        at: vec![0; count],
        done: vec![0; count],
        registers: vec![[0; REGISTERS]; count],
        memory: vec![0; code.cells],
        buffers: vec![Vec::new(); count],
        coherence: vec![Vec::new(); code.cells],
        reads: BTreeMap::new(),
    }
}

/// Everything that a program without loops does; with `buffers` stores wait.
pub fn behaviour(code: &Code, buffers: bool) -> Behaviour {
    bounded(code, buffers, usize::MAX, usize::MAX)
}

/// The same where each thread makes at most so many statements, as long as there are at most so many states with
/// traces.
pub fn bounded(code: &Code, buffers: bool, statements: usize, most: usize) -> Behaviour {
    let count = code.threads.len();
    let (mut seen, mut stack) = (FxHashSet::default(), vec![first_world(code)]);
    let mut result = Behaviour::default();
    while let Some(world) = stack.pop() {
        if !seen.insert(world.clone()) {
            continue;
        }
        if seen.len() > most {
            result.too_much = true;
            return result;
        }
        let mut ended = true;
        for thread in 0..count {
            let goes_on = world.at[thread] < code.threads[thread].len();
            let stops = goes_on && world.done[thread] >= statements;
            result.cut |= stops;
            if let Some(after) = stepped(code, &world, thread, buffers).filter(|_| !stops) {
                stack.push(after);
            }
            if let Some(&(cell, value, event)) = world.buffers[thread].first() {
                let mut after = world.clone();
                after.buffers[thread].remove(0);
                after.memory[cell] = value;
                after.coherence[cell].push(event);
                stack.push(after);
            }
            ended &= (!goes_on || stops) && world.buffers[thread].is_empty();
        }
        if ended {
            result.cyclic |= is_cyclic(&world);
            result.finals.insert((world.registers, world.memory));
        }
    }
    result
}

/// Where each thread is, and its registers.
pub type Seen = (Vec<usize>, Vec<[i64; REGISTERS]>);

/// Stores that wait in a buffer of a program without loops, and more.
const LONGEST: usize = 8;

/// Where each thread is, and its registers, in every state that is reached; nothing where there are more than so many
/// states, or buffers grow.
pub fn reached(code: &Code, buffers: bool, most: usize) -> Option<BTreeSet<Seen>> {
    let (mut seen, mut stack) = (FxHashSet::default(), vec![first_world(code)]);
    let mut result = BTreeSet::new();
    while let Some(mut world) = stack.pop() {
        // The trace makes no difference here.
        world.done.fill(0);
        world.coherence.iter_mut().for_each(Vec::clear);
        world.reads.clear();
        world.buffers.iter_mut().flatten().for_each(|entry| entry.2 = (0, 0));
        if !seen.insert(world.clone()) {
            continue;
        }
        if seen.len() > most || world.buffers.iter().any(|buffer| buffer.len() > LONGEST) {
            return None;
        }
        result.insert((world.at.clone(), world.registers.clone()));
        for thread in 0..code.threads.len() {
            stack.extend(stepped(code, &world, thread, buffers));
            if let Some(&(cell, value, _)) = world.buffers[thread].first() {
                let mut after = world.clone();
                after.buffers[thread].remove(0);
                after.memory[cell] = value;
                stack.push(after);
            }
        }
    }
    Some(result)
}

/// The state after the next statement of a thread; `None` where it has ended or must wait.
pub fn stepped(code: &Code, world: &World, thread: usize, buffers: bool) -> Option<World> {
    let stmt = code.threads[thread].get(world.at[thread])?;
    let event = (thread, world.done[thread]);
    let mut after = world.clone();
    after.at[thread] += 1;
    after.done[thread] += 1;
    if stmt.guard.is_some_and(|(register, value)| world.registers[thread][register] != value) {
        return Some(after);
    }
    if let Act::Back(register, value, to) = stmt.act {
        if world.registers[thread][register] != value {
            after.at[thread] = to;
        }
        return Some(after);
    }
    let locked = !matches!(stmt.act, Act::Store(..) | Act::Copy(..) | Act::Load(..));
    if locked && !world.buffers[thread].is_empty() {
        return None;
    }
    let own = &mut after.registers[thread];
    let mut write = None;
    match stmt.act {
        Act::Store(cell, value) => write = Some((cell, value)),
        Act::Copy(cell, register) => write = Some((cell, own[register])),
        Act::Load(register, cell) => {
            let waiting = world.buffers[thread].iter().rev().find(|entry| entry.0 == cell);
            own[register] = waiting.map_or(world.memory[cell], |entry| entry.1);
            after.reads.insert((event, cell), waiting.map_or(world.coherence[cell].last().copied(), |entry| Some(entry.2)));
        }
        Act::Fence => {}
        Act::Xchg(register, cell, value) => {
            own[register] = world.memory[cell];
            after.reads.insert((event, cell), world.coherence[cell].last().copied());
            write = Some((cell, value));
        }
        Act::Cas(register, cell, old, new) => {
            own[register] = world.memory[cell];
            after.reads.insert((event, cell), world.coherence[cell].last().copied());
            write = (world.memory[cell] == old).then_some((cell, new));
        }
        Act::Move(register, from, to) => {
            own[register] = world.memory[from];
            after.reads.insert((event, from), world.coherence[from].last().copied());
            write = Some((to, own[register]));
        }
        Act::Back(..) => {}
    }
    if let Some((cell, value)) = write {
        if buffers && !locked {
            after.buffers[thread].push((cell, value, event));
        } else {
            after.memory[cell] = value;
            after.coherence[cell].push(event);
        }
    }
    Some(after)
}

/// Whether happens-before has a cycle: repeatedly takes away what nothing that is left happens before.
fn is_cyclic(world: &World) -> bool {
    let mut events: BTreeSet<NaiveEvent> = world.coherence.iter().flatten().copied().collect();
    events.extend(world.reads.keys().map(|(event, _)| *event));
    let mut edges: BTreeSet<(NaiveEvent, NaiveEvent)> = BTreeSet::new();
    for &one in &events {
        edges.extend(events.iter().filter(|two| one.0 == two.0 && one.1 < two.1).map(|two| (one, *two)));
    }
    for order in &world.coherence {
        for (number, one) in order.iter().enumerate() {
            edges.extend(order[number + 1..].iter().map(|two| (*one, *two)));
        }
    }
    for (&(reader, cell), &from) in &world.reads {
        edges.extend(from.map(|writer| (writer, reader)));
        let order = &world.coherence[cell];
        let later = from.map_or(0, |writer| order.iter().position(|event| *event == writer).unwrap() + 1);
        edges.extend(order[later..].iter().filter(|writer| **writer != reader).map(|writer| (reader, *writer)));
    }
    loop {
        let free: Vec<NaiveEvent> =
            events.iter().filter(|event| !edges.iter().any(|(one, two)| two == *event && events.contains(one))).copied().collect();
        if free.is_empty() {
            return !events.is_empty();
        }
        free.iter().for_each(|event| {
            events.remove(event);
        });
    }
}

/// Numbers that look random, the same for the same seed.
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    /// A number below a limit.
    pub fn below(&mut self, limit: usize) -> usize {
        // xorshift64*, enough for tests.
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        usize::try_from((self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % u64::try_from(limit).unwrap()).unwrap()
    }
}

/// A random program; with `guards` some statements have conditions.
pub fn random(seed: u64, guards: bool) -> Code {
    let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    for _ in 0..4 {
        random.below(2);
    }
    let cells = 2 + usize::from(random.below(4) == 0);
    let count = 2 + usize::from(random.below(3) == 0);
    let longest = if count == 2 { 5 } else { 3 };
    let mut threads = Vec::new();
    for _ in 0..count {
        let length = 2 + random.below(longest - 1);
        let thread = (0..length).map(|number| {
            let (register, cell, value) = (random.below(REGISTERS), random.below(cells), i64::try_from(1 + random.below(2)).unwrap());
            let kind = if number == 0 { random.below(11) } else { random.below(16) };
            let act = match kind {
                0..7 => Act::Store(cell, value),
                7..12 => Act::Load(register, cell),
                12 => Act::Fence,
                13 => Act::Copy(cell, register),
                14 => Act::Xchg(register, cell, value),
                _ if random.below(2) == 0 => Act::Cas(register, cell, 0, value),
                _ => Act::Move(register, cell, random.below(cells)),
            };
            let guard =
                (guards && number > 0 && random.below(5) == 0).then(|| (random.below(REGISTERS), i64::try_from(random.below(2)).unwrap()));
            Stmt { guard, act }
        });
        threads.push(thread.collect());
    }
    Code { cells, threads }
}
