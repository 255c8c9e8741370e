//! An x86 machine with store buffers by trying everything. Shares nothing with the language, its reader, the engine
//! or the checker.

use std::collections::{BTreeSet, HashSet, VecDeque};

/// Which part of a register or a cell is meant, in bits.
pub(super) type Bits = u32;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operand {
    Number(i64),
    Register(usize),
    /// A cell, and how its address is written, of which the machine knows nothing.
    Memory(usize, How),
}

/// How an address is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    Name,
    /// By the register that begins with the address.
    Held,
    /// With a register added that has 0.
    Added(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Op {
    Mov,
    Xchg,
    Xadd,
    Cmpxchg,
    Add,
    Sub,
    And,
    Or,
    Xor,
    Shl,
    Shr,
    Cmp,
    Test,
    Inc,
    Dec,
    Neg,
    Not,
    Mfence,
    Nothing(&'static str),
    /// A jump of this name to a place of the thread.
    Jump(&'static str, usize),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Instruction {
    pub(super) op: Op,
    pub(super) lock: bool,
    pub(super) bits: Bits,
    pub(super) to: Operand,
    pub(super) from: Operand,
}

pub(super) const REGISTERS: usize = 4;

/// A state of the machine.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct State {
    at: Vec<usize>,
    registers: Vec<[u64; REGISTERS]>,
    /// Zero, sign, carry, overflow.
    flags: Vec<[bool; 4]>,
    /// What an instruction without lock has loaded and not yet stored.
    loaded: Vec<Option<u64>>,
    buffers: Vec<VecDeque<(usize, u64)>>,
    memory: Vec<u64>,
}

/// Registers of all threads and memory at the end.
pub(super) type Final = (Vec<[u64; REGISTERS]>, Vec<u64>);

pub(super) struct Machine<'t> {
    pub(super) threads: &'t [Vec<Instruction>],
    pub(super) registers: Vec<[u64; REGISTERS]>,
    pub(super) memory: Vec<u64>,
    pub(super) buffers: bool,
}

fn mask(bits: Bits) -> u64 {
    if bits == 64 { u64::MAX } else { 0xffff_ffff }
}

fn is_negative(value: u64, bits: Bits) -> bool {
    value >> (bits - 1) & 1 == 1
}

/// The flags of a difference.
fn difference(left: u64, right: u64, bits: Bits) -> [bool; 4] {
    let result = left.wrapping_sub(right) & mask(bits);
    let overflow = is_negative((left ^ right) & (left ^ result), bits);
    [result == 0, is_negative(result, bits), left < right, overflow]
}

/// What an instruction makes of two operands, and its flags.
fn computed(op: Op, left: u64, right: u64, bits: Bits, before: [bool; 4]) -> (u64, [bool; 4]) {
    let of = |result: u64, carry: bool, overflow: bool| {
        let result = result & mask(bits);
        (result, [result == 0, is_negative(result, bits), carry, overflow])
    };
    match op {
        Op::Add | Op::Xadd => {
            let result = left.wrapping_add(right) & mask(bits);
            of(result, result < left, is_negative(!(left ^ right) & (left ^ result), bits))
        }
        Op::Inc => of(left.wrapping_add(1), before[2], left == mask(bits) >> 1),
        Op::Dec => of(left.wrapping_sub(1), before[2], left == mask(bits) / 2 + 1),
        Op::Sub => (left.wrapping_sub(right) & mask(bits), difference(left, right, bits)),
        Op::Neg => (left.wrapping_neg() & mask(bits), difference(0, left, bits)),
        Op::Not => (!left & mask(bits), before),
        Op::And | Op::Test => of(left & right, false, false),
        Op::Or => of(left | right, false, false),
        Op::Xor => of(left ^ right, false, false),
        Op::Shl => of(left << right, false, false),
        Op::Shr => of(left >> right, false, false),
        _ => (right, before),
    }
}

fn jumps(name: &str, [zero, sign, carry, overflow]: [bool; 4]) -> bool {
    let name = name.to_ascii_uppercase();
    match &name[1..] {
        "MP" => true,
        "E" | "Z" => zero,
        "NE" | "NZ" => !zero,
        "L" | "NGE" => sign != overflow,
        "GE" | "NL" => sign == overflow,
        "LE" | "NG" => zero || sign != overflow,
        "G" | "NLE" => !zero && sign == overflow,
        "B" | "NAE" | "C" => carry,
        "AE" | "NB" | "NC" => !carry,
        "BE" | "NA" => carry || zero,
        "A" | "NBE" => !carry && !zero,
        "S" => sign,
        "NS" => !sign,
        _ => panic!("{name}"),
    }
}

impl Machine<'_> {
    /// All final states, unless there are too many on the way.
    pub(super) fn finals(&self, most: usize) -> Option<BTreeSet<Final>> {
        let count = self.threads.len();
        let first = State {
            at: vec![0; count],
            registers: self.registers.clone(),
            flags: vec![[false; 4]; count],
            loaded: vec![None; count],
            buffers: vec![VecDeque::new(); count],
            memory: self.memory.clone(),
        };
        let (mut seen, mut open, mut finals) = (HashSet::from([first.clone()]), vec![first], BTreeSet::new());
        while let Some(state) = open.pop() {
            let mut is_final = true;
            let mut reach = |state: State| {
                if seen.insert(state.clone()) {
                    open.push(state);
                }
            };
            for thread in 0..count {
                if !state.buffers[thread].is_empty() {
                    is_final = false;
                    let mut after = state.clone();
                    let (cell, value) = after.buffers[thread].pop_front().unwrap();
                    after.memory[cell] = value;
                    reach(after);
                }
                if state.at[thread] < self.threads[thread].len() {
                    is_final = false;
                    if let Some(after) = self.step(&state, thread) {
                        reach(after);
                    }
                }
            }
            if is_final {
                finals.insert((state.registers, state.memory));
            }
            if seen.len() > most {
                return None;
            }
        }
        Some(finals)
    }

    fn load(&self, state: &State, thread: usize, cell: usize) -> u64 {
        let own = state.buffers[thread].iter().rev().find(|(stored, _)| *stored == cell);
        own.map_or(state.memory[cell], |(_, value)| *value)
    }

    fn step(&self, state: &State, thread: usize) -> Option<State> {
        let Instruction { op, lock, bits, to, from } = self.threads[thread][state.at[thread]];
        let locked = lock || op == Op::Xchg && matches!(to, Operand::Memory(..));
        if (locked || op == Op::Mfence) && !state.buffers[thread].is_empty() {
            return None;
        }
        let mut after = state.clone();
        after.at[thread] += 1;
        let read = |operand: Operand| match operand {
            Operand::Number(number) => number.cast_unsigned() & mask(bits),
            Operand::Register(register) => state.registers[thread][register] & mask(bits),
            Operand::Memory(cell, _) => self.load(state, thread, cell) & mask(bits),
        };
        let flags = state.flags[thread];
        match op {
            Op::Jump(name, place) => {
                if jumps(name, flags) {
                    after.at[thread] = place;
                }
                return Some(after);
            }
            Op::Mfence | Op::Nothing(_) => return Some(after),
            Op::Cmp => {
                after.flags[thread] = difference(read(to), read(from), bits);
                return Some(after);
            }
            Op::Test => {
                after.flags[thread] = computed(op, read(to), read(from), bits, flags).1;
                return Some(after);
            }
            _ => {}
        }
        // One without lock that changes memory loads first.
        let changes_memory = matches!(to, Operand::Memory(..)) && op != Op::Mov;
        if changes_memory && !locked && state.loaded[thread].is_none() {
            after.at[thread] -= 1;
            after.loaded[thread] = Some(read(to));
            return Some(after);
        }
        after.loaded[thread] = None;
        let old = state.loaded[thread].unwrap_or_else(|| read(to));
        let operand = read(from);
        let mut put = |target: Operand, value: u64| match target {
            Operand::Register(register) => after.registers[thread][register] = value & mask(bits),
            Operand::Memory(cell, _) if locked || !self.buffers => after.memory[cell] = value & mask(bits),
            Operand::Memory(cell, _) => after.buffers[thread].push_back((cell, value & mask(bits))),
            Operand::Number(_) => {}
        };
        match op {
            Op::Mov => put(to, operand),
            Op::Xchg => {
                put(to, operand);
                put(from, old);
            }
            Op::Xadd => {
                let (sum, set) = computed(op, old, operand, bits, flags);
                put(to, sum);
                put(from, old);
                after.flags[thread] = set;
            }
            Op::Cmpxchg => {
                let accumulator = state.registers[thread][0] & mask(bits);
                if accumulator == old {
                    put(to, operand)
                } else {
                    put(Operand::Register(0), old)
                }
                after.flags[thread] = difference(accumulator, old, bits);
            }
            _ => {
                let (result, set) = computed(op, old, operand, bits, flags);
                put(to, result);
                after.flags[thread] = set;
            }
        }
        Some(after)
    }
}
