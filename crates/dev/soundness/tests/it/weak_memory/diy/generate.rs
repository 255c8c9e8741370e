//! Tests in the form that diy7 writes, from its grammar: two to four threads, 32 and 64 bits, both orders of operands.

use super::machine::{Bits, Final, How, Instruction, Machine, Op, Operand, REGISTERS};

pub(super) struct Random(pub(super) u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(super) fn below(&mut self, count: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(count).unwrap()).unwrap()
    }

    pub(super) fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    fn among<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }
}

/// A cell: its name, as conditions call it, and its address.
pub(super) struct Cell {
    asked: String,
    base: String,
    offset: i64,
    bits: Bits,
    initial: i64,
    is_typed: bool,
}

pub(super) struct Test {
    wide: bool,
    /// Whether the changed operand is the last.
    last: bool,
    cells: Vec<Cell>,
    has_array: bool,
    pub(super) threads: Vec<Vec<Instruction>>,
    starts: Vec<[i64; REGISTERS]>,
    /// For each thread, a cell whose address a register begins with.
    held: Vec<Option<usize>>,
    /// The widths of the registers.
    bits: Bits,
}

const NAMES: [(&str, &str); REGISTERS] = [("eax", "rax"), ("ebx", "rbx"), ("ecx", "rcx"), ("edx", "rdx")];
const JUMPS: &[&str] = &["je", "jne", "jz", "jnz", "jl", "jge", "jle", "jg", "jb", "jae", "jbe", "ja", "js", "jns", "jnle", "jc"];

impl Test {
    pub(super) fn new(random: &mut Random) -> Self {
        let wide = random.one_in(2);
        let bits = if wide && random.one_in(2) { 64 } else { 32 };
        let mut cells = Vec::new();
        let has_array = random.one_in(5);
        // Few tests compute with more than the small numbers of the grammar.
        let large = random.one_in(6);
        for name in ["x", "y", "z"].iter().take(2 + random.below(2)) {
            let coin = random.one_in(3);
            let initial = value(random, large && coin);
            let is_typed = random.one_in(3) || initial < 0;
            cells.push(Cell { asked: (*name).to_owned(), base: (*name).to_owned(), offset: 0, bits, initial, is_typed });
        }
        for number in 0..if has_array { 2 } else { 0 } {
            let initial = i64::from(random.one_in(3));
            let (asked, offset) = (format!("a[{number}]"), number * i64::from(bits / 8));
            cells.push(Cell { asked, base: "a".to_owned(), offset, bits, initial, is_typed: true });
        }
        let count = 2 + random.below(3);
        let held: Vec<Option<usize>> = (0..count).map(|_| random.one_in(3).then(|| random.below(cells.len()))).collect();
        let starts = (0..count)
            .map(|_| {
                let coin = random.one_in(3);
                std::array::from_fn(|_| if random.one_in(5) { value(random, large && coin) } else { 0 })
            })
            .collect();
        let last = random.one_in(2);
        let mut test = Self { wide, last, cells, has_array, threads: Vec::new(), starts, held, bits };
        for thread in 0..count {
            let length = [4, 3, 2][count - 2].min(1 + random.below(4));
            let code = test.thread(random, thread, length, large);
            test.threads.push(code);
        }
        test
    }

    fn thread(&self, random: &mut Random, thread: usize, length: usize, large: bool) -> Vec<Instruction> {
        let mut code: Vec<Instruction> = Vec::new();
        let no = Operand::Number(0);
        let plain = |op: Op, to: Operand, from: Operand| Instruction { op, lock: false, bits: self.bits, to, from };
        // Every other thread begins with a store and a load of something else.
        let stores_first = random.one_in(2);
        let first = random.below(2);
        if stores_first {
            let number = Operand::Number(1 + value(random, false));
            code.push(plain(Op::Mov, Operand::Memory(first, How::Name), number));
        }
        for _ in 0..length.saturating_sub(2 * usize::from(stores_first)) {
            let cell = self.cell(random, thread);
            let (register, other) = (random.below(REGISTERS), random.below(REGISTERS));
            let (to, from) = (Operand::Register(register), Operand::Register(other));
            let number = Operand::Number(value(random, large));
            let immediate = if random.one_in(2) { number } else { from };
            // What accesses no memory may have another width.
            let bits = if self.wide && random.one_in(3) { 96 - self.bits } else { self.bits };
            match random.below(26) {
                0..=5 => code.push(plain(Op::Mov, cell, immediate)),
                6..=11 => code.push(plain(Op::Mov, to, cell)),
                12 => code.push(plain(Op::Mfence, no, no)),
                13 => code.push(plain(Op::Nothing(random.among(&["nop", "lfence", "sfence", "endbr64", "pause"])), no, no)),
                14 => code.push(Instruction { lock: random.one_in(2), ..plain(Op::Xchg, cell, from) }),
                15 => code.push(Instruction { lock: !random.one_in(4), ..plain(Op::Xadd, cell, from) }),
                16 => code.push(Instruction { lock: true, ..plain(Op::Cmpxchg, cell, from) }),
                17 => {
                    let lock = random.one_in(2);
                    match random.below(3) {
                        0 => code.push(Instruction { lock, ..plain(random.among(&[Op::Inc, Op::Dec, Op::Neg, Op::Not]), cell, no) }),
                        _ => {
                            let op = random.among(&[Op::Add, Op::Sub, Op::And, Op::Or, Op::Xor]);
                            code.push(Instruction { lock, ..plain(op, cell, immediate) });
                        }
                    }
                }
                18 | 19 => {
                    let op = random.among(&[Op::Add, Op::Sub, Op::And, Op::Or, Op::Xor, Op::Add, Op::Mov]);
                    match random.one_in(5) {
                        true => code.push(plain(op, to, cell)),
                        false => code.push(Instruction { bits, ..plain(op, to, immediate) }),
                    }
                }
                20 => match random.below(3) {
                    0 => code.push(Instruction { bits, ..plain(Op::Xchg, to, Operand::Register((register + 1) % REGISTERS)) }),
                    1 => code.push(Instruction { bits, ..plain(random.among(&[Op::Inc, Op::Dec, Op::Neg, Op::Not]), to, no) }),
                    _ => {
                        let count = 1 + random.below(if large { 31 } else { 3 });
                        let count = Operand::Number(i64::try_from(count).unwrap());
                        code.push(Instruction { bits, ..plain(random.among(&[Op::Shl, Op::Shr]), to, count) });
                    }
                },
                21 | 22 => {
                    // A dependency: 0 is added to an address.
                    let clear = random.among(&[(Op::Xor, to), (Op::And, Operand::Number(0)), (Op::Sub, to)]);
                    code.push(plain(clear.0, to, clear.1));
                    let Operand::Memory(place, _) = cell else { continue };
                    let cell = Operand::Memory(place, How::Added(register));
                    let next = if random.one_in(2) { (cell, number) } else { (Operand::Register((register + 1) % REGISTERS), cell) };
                    code.push(plain(Op::Mov, next.0, next.1));
                }
                23 | 24 => {
                    // A jump over a store.
                    let compared = random.among(&[Op::Cmp, Op::Cmp, Op::Test, Op::And, Op::Sub, Op::Add, Op::Dec]);
                    let second = if compared == Op::Dec { no } else { immediate };
                    code.push(Instruction { bits, ..plain(compared, to, second) });
                    let all = !matches!(compared, Op::Add | Op::Dec);
                    let test = if all { random.among(JUMPS) } else { random.among(&["je", "jnz"]) };
                    let test = if bits == 64 && test.ends_with('s') { "jne" } else { test };
                    let to = code.len() + 2;
                    code.push(plain(Op::Jump(test, to), no, no));
                    code.push(plain(Op::Mov, cell, number));
                }
                _ => {
                    // Waits for another thread.
                    let head = code.len();
                    code.push(plain(Op::Mov, to, cell));
                    code.push(plain(random.among(&[Op::Cmp, Op::Test]), to, if random.one_in(2) { to } else { number }));
                    code.push(plain(Op::Jump(random.among(&["je", "jne"]), head), no, no));
                }
            }
        }
        if stores_first {
            code.push(plain(Op::Mov, Operand::Register(random.below(REGISTERS)), Operand::Memory(1 - first, How::Name)));
        }
        code
    }

    fn cell(&self, random: &mut Random, thread: usize) -> Operand {
        match self.held[thread] {
            Some(cell) if random.one_in(3) => Operand::Memory(cell, How::Held),
            _ => Operand::Memory(random.below(self.cells.len()), How::Name),
        }
    }

    pub(super) fn machine(&self, buffers: bool) -> Machine<'_> {
        let mask = |value: i64, bits: Bits| if bits == 32 { value.cast_unsigned() & 0xffff_ffff } else { value.cast_unsigned() };
        Machine {
            threads: &self.threads,
            registers: self.starts.iter().map(|starts| starts.map(|value| mask(value, self.bits))).collect(),
            memory: self.cells.iter().map(|cell| mask(cell.initial, cell.bits)).collect(),
            buffers,
        }
    }

    fn register(register: usize, bits: Bits) -> &'static str {
        let (short, long) = NAMES[register];
        if bits == 64 { long } else { short }
    }

    fn address(&self, cell: usize, how: How) -> String {
        let Cell { base, offset, .. } = &self.cells[cell];
        let (held, signed) = (if self.wide { "rdi" } else { "edi" }, if self.last { "%" } else { "" });
        let added = |register: usize| format!("{signed}{}", if self.wide { NAMES[register].1 } else { NAMES[register].0 });
        match (how, self.last, *offset) {
            (How::Held, true, _) => format!("(%{held})"),
            (How::Held, false, _) => format!("[{held}]"),
            (How::Name, true, 0) => format!("({base})"),
            (How::Name, true, offset) => format!("{base}+{offset}"),
            (How::Name, false, 0) => format!("[{base}]"),
            (How::Name, false, offset) => format!("[{base}+{offset}]"),
            (How::Added(register), true, 0) => format!("{base}({})", added(register)),
            (How::Added(register), true, offset) => format!("{base}+{offset}({})", added(register)),
            (How::Added(register), false, 0) => format!("[{base}+{}]", added(register)),
            (How::Added(register), false, offset) => format!("[{base}+{}+{offset}]", added(register)),
        }
    }

    fn operand(&self, operand: Operand, bits: Bits, random: &mut Random) -> String {
        match operand {
            Operand::Number(number) => {
                let dollar = if self.last || random.one_in(2) { "$" } else { "" };
                format!("{dollar}{}", written(number, bits, random))
            }
            Operand::Register(register) => format!("{}{}", if self.last { "%" } else { "" }, Self::register(register, bits)),
            Operand::Memory(cell, how) => self.address(cell, how),
        }
    }

    fn instruction(&self, instruction: &Instruction, random: &mut Random) -> String {
        let Instruction { op, lock, bits, to, from } = *instruction;
        let name = match op {
            Op::Mfence => "mfence",
            Op::Nothing(name) => name,
            Op::Jump(name, _) => name,
            Op::Mov => "mov",
            Op::Xchg => "xchg",
            Op::Xadd => "xadd",
            Op::Cmpxchg => "cmpxchg",
            Op::Add => "add",
            Op::Sub => "sub",
            Op::And => "and",
            Op::Or => "or",
            Op::Xor => "xor",
            Op::Shl => "shl",
            Op::Shr => "shr",
            Op::Cmp => "cmp",
            Op::Test => "test",
            Op::Inc => "inc",
            Op::Dec => "dec",
            Op::Neg => "neg",
            Op::Not => "not",
        };
        let mut text = format!("{}{name}", if lock { "lock " } else { "" });
        if let Op::Jump(_, place) = op {
            return format!("{text} L{place}");
        }
        if matches!(op, Op::Mfence | Op::Nothing(_)) {
            return text;
        }
        let single = matches!(op, Op::Inc | Op::Dec | Op::Neg | Op::Not);
        let has_register = [to, from].iter().take(if single { 1 } else { 2 }).any(|side| matches!(side, Operand::Register(_)));
        let memory = [to, from].iter().find_map(|side| if let Operand::Memory(cell, _) = side { Some(*cell) } else { None });
        // Where nothing else says how many bits there are, the type of the cell does, or a letter.
        let sized = !(has_register || memory.is_some_and(|cell| self.cells[cell].is_typed) || bits == 32 && !self.wide);
        let (mut first, mut second) = (self.operand(to, bits, random), self.operand(from, bits, random));
        if self.last {
            if sized || random.one_in(2) {
                text.push(if bits == 64 { 'q' } else { 'l' });
            }
            std::mem::swap(&mut first, &mut second);
            return if single { format!("{text} {second}") } else { format!("{text} {first},{second}") };
        }
        if sized || memory.is_some() && random.one_in(6) {
            let size = if bits == 64 { "qword ptr " } else { "dword ptr " };
            for side in [&mut first, &mut second] {
                if side.starts_with('[') {
                    side.insert_str(0, size);
                }
            }
        }
        let text = if random.one_in(2) { text.to_uppercase() } else { text };
        let upper =
            |side: String| if side.starts_with("0x") || side.contains('[') || side.contains("0x") { side } else { side.to_uppercase() };
        let (first, second) = (upper(first), upper(second));
        if single { format!("{text} {first}") } else { format!("{text} {first},{second}") }
    }

    /// The test without its question.
    pub(super) fn text(&self, random: &mut Random) -> String {
        let mut text = format!("{} T\n", if self.wide { "X86_64" } else { "X86" });
        if random.one_in(2) {
            text += "\"PodWR Fre PodWR Fre\"\nCycle=Fre PodWR Fre PodWR\nRelax=\nGenerator=diy7 (version 7.57+1)\nPrefetch=0:x=F,0:y=T\nCom=Fr Fr\nOrig=PodWR Fre PodWR Fre\n";
        }
        text += "{\n";
        let kind = if self.bits == 64 { "uint64_t" } else { ["int", "uint32_t"][random.below(2)] };
        let array: Vec<&Cell> = self.cells.iter().filter(|cell| cell.base == "a").collect();
        for cell in self.cells.iter().filter(|cell| cell.base != "a") {
            let Cell { asked, initial, .. } = cell;
            let initial_text = written(*initial, self.bits, random);
            text += &match (cell.is_typed, *initial, random.below(3)) {
                (true, 0, 0) => format!("{kind} {asked};\n"),
                (true, ..) => format!("{kind} {asked}={initial_text};\n"),
                (false, 0, 0) => String::new(),
                (false, _, 1) => format!("[{asked}]={initial_text};\n"),
                (false, ..) => format!("{asked}={initial_text};\n"),
            };
        }
        if self.has_array {
            let values: Vec<String> = array.iter().map(|cell| cell.initial.to_string()).collect();
            text += &match random.below(2) {
                0 => format!("{kind} a[2]={{{}}};\n", values.join(",")),
                _ => format!("{kind} a[2];\na[0]={}; a[1]={};\n", values[0], values[1]),
            };
        }
        for (thread, starts) in self.starts.iter().enumerate() {
            if let Some(cell) = self.held[thread] {
                let Cell { base, offset, .. } = &self.cells[cell];
                let sign = if random.one_in(3) { "&" } else { "" };
                let offset = if *offset == 0 { String::new() } else { format!("+{offset}") };
                text += &format!("{thread}:{}={sign}{base}{offset};\n", if self.wide { "rdi" } else { "edi" });
            }
            for (register, &value) in starts.iter().enumerate() {
                let name = Self::register(register, self.bits);
                if value != 0 {
                    text += &format!("{thread}:{name}={}; ", written(value, self.bits, random));
                } else if random.one_in(8) {
                    text += &format!("{kind} {thread}:{name}; ");
                }
            }
        }
        text += "}\n";
        let columns: Vec<Vec<String>> = self.threads.iter().map(|code| self.column(code, random)).collect();
        let rows = columns.iter().map(Vec::len).max().unwrap_or(0);
        let heads: Vec<String> = (0..columns.len()).map(|number| format!("P{number}")).collect();
        text += &format!(" {} ;\n", heads.join(" | "));
        for row in 0..rows {
            let cells: Vec<&str> = columns.iter().map(|column| column.get(row).map_or("", String::as_str)).collect();
            text += &format!(" {} ;\n", cells.join(" | "));
        }
        if random.one_in(4) {
            text += "locations [x; 0:eax;]\n";
        }
        text
    }

    fn column(&self, code: &[Instruction], random: &mut Random) -> Vec<String> {
        let mut column = Vec::new();
        let is_target = |at: usize| code.iter().any(|one| matches!(one.op, Op::Jump(_, to) if to == at));
        for (at, instruction) in code.iter().enumerate() {
            let text = self.instruction(instruction, random);
            match (is_target(at), random.one_in(2)) {
                (true, true) => column.push(format!("L{at}: {text}")),
                (true, false) => column.extend([format!("L{at}:"), text]),
                (false, _) => column.push(text),
            }
        }
        if is_target(code.len()) {
            column.push(format!("L{}:", code.len()));
        }
        column
    }

    /// A question; if `alone`, one state with all that can be asked.
    pub(super) fn question(&self, finals: &[Final], alone: bool, random: &mut Random) -> Question {
        if alone {
            let state = std::slice::from_ref(&finals[random.below(finals.len())]);
            let registers = (0..self.threads.len()).flat_map(|thread| (0..REGISTERS).map(move |register| Ok((thread, register))));
            let all: Vec<_> = registers.chain((0..self.cells.len()).map(Err)).collect();
            let atoms = all.into_iter().map(|what| self.atom_of(what, state, true, random)).collect();
            return Question { atoms, joined: 4, quantifier: 0 };
        }
        let atoms = (0..1 + random.below(4)).map(|_| self.atom(finals, random)).collect();
        Question { atoms, joined: random.below(5), quantifier: random.below(4) }
    }

    fn atom(&self, finals: &[Final], random: &mut Random) -> Atom {
        let thread = random.below(self.threads.len());
        let what = if random.one_in(3) { Err(random.below(self.cells.len())) } else { Ok((thread, random.below(REGISTERS))) };
        let exact = !random.one_in(6);
        self.atom_of(what, finals, exact, random)
    }

    fn atom_of(&self, what: Result<(usize, usize), usize>, finals: &[Final], exact: bool, random: &mut Random) -> Atom {
        let seen = if finals.is_empty() || !exact {
            u64::from(random.one_in(2))
        } else {
            let state = &finals[random.below(finals.len())];
            match what {
                Ok((thread, register)) => state.0[thread][register],
                Err(cell) => state.1[cell],
            }
        };
        // Conditions of 64 bits name whole registers.
        let bits = if self.wide && what.is_ok() { 64 } else { self.bits };
        let signed =
            if bits == 32 && random.one_in(2) { i64::from(u32::try_from(seen).unwrap().cast_signed()) } else { seen.cast_signed() };
        let value = written(signed, bits, random);
        let text = match what {
            Ok((thread, register)) => format!("{thread}:{}", Self::register(register, bits)),
            Err(cell) if random.one_in(3) => format!("[{}]", self.cells[cell].asked),
            Err(cell) => self.cells[cell].asked.clone(),
        };
        let equal = finals.len() == 1 || !random.one_in(6);
        Atom { what, seen, equal, text: format!("{text}{}{value}", if equal { "=" } else { "!=" }) }
    }
}

struct Atom {
    what: Result<(usize, usize), usize>,
    seen: u64,
    equal: bool,
    text: String,
}

pub(super) struct Question {
    atoms: Vec<Atom>,
    joined: usize,
    quantifier: usize,
}

impl Question {
    pub(super) fn text(&self) -> String {
        let atoms: Vec<&str> = self.atoms.iter().map(|atom| atom.text.as_str()).collect();
        let condition = match self.joined {
            0 => atoms.join(" \\/ "),
            1 => format!("~({})", atoms.join(" /\\ ")),
            2 if atoms.len() > 1 => format!("{} \\/ ({})", atoms[0], atoms[1..].join(" /\\ ")),
            _ => atoms.join(" /\\ "),
        };
        format!("{} ({condition})\n", ["exists", "exists", "~exists", "forall"][self.quantifier])
    }

    fn holds(&self, state: &Final) -> bool {
        let mut values = self.atoms.iter().map(|atom| {
            let value = match atom.what {
                Ok((thread, register)) => state.0[thread][register],
                Err(cell) => state.1[cell],
            };
            (value == atom.seen) == atom.equal
        });
        match self.joined {
            0 => values.any(|holds| holds),
            1 => !values.all(|holds| holds),
            2 if self.atoms.len() > 1 => values.next() == Some(true) || values.all(|holds| holds),
            _ => values.all(|holds| holds),
        }
    }

    /// Whether a state that is looked for can be reached: one with the condition, or for `forall` one without.
    pub(super) fn reached(&self, finals: &[Final]) -> bool {
        finals.iter().any(|state| self.holds(state) == (self.quantifier != 3))
    }
}

fn value(random: &mut Random, large: bool) -> i64 {
    if !large {
        return i64::try_from(random.below(4)).unwrap();
    }
    random.among(&[-1, -2, 0x7fff_ffff, -0x8000_0000, 0xff, 0x1234_5678, 5])
}

/// A number in one of the ways in which tests write it.
fn written(number: i64, bits: Bits, random: &mut Random) -> String {
    let unsigned = if bits == 32 { number.cast_unsigned() & 0xffff_ffff } else { number.cast_unsigned() };
    match random.below(8) {
        0 => format!("0x{unsigned:x}"),
        1 if number >= 0 => unsigned.to_string(),
        _ => number.to_string(),
    }
}
