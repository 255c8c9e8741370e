//! Programs written out from their automata, with a jump wherever the order of points is left.
//!
//! What is written is read again and compared: the automata, memory, values and questions are the same, or nothing is
//! written.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use serval_tso_program::{
    Address, BinaryOp, Expr, Inner, LockedKind, Observed, Op, Point, Program, Question, QuestionKind, RegisterId, Thread,
};

/// How much an operator binds, as the grammar says.
fn level(op: BinaryOp) -> u8 {
    match op {
        BinaryOp::Or => 0,
        BinaryOp::And => 1,
        BinaryOp::Equal | BinaryOp::Unequal | BinaryOp::Less | BinaryOp::LessOrEqual | BinaryOp::Greater | BinaryOp::GreaterOrEqual => 2,
        BinaryOp::Add | BinaryOp::Subtract => 3,
        BinaryOp::Multiply | BinaryOp::Remainder => 4,
    }
}

/// Binds more than every operator.
const UNARY: u8 = 5;

fn expression<A: Copy>(expr: &Expr<A>, least: u8, atom: &impl Fn(A) -> String) -> String {
    let (text, own) = match expr {
        Expr::Number(number) => (number.to_string(), if *number < 0 { UNARY } else { UNARY + 1 }),
        Expr::Atom(a) => (atom(*a), UNARY + 1),
        Expr::Not(inner) => (format!("!{}", expression(inner, UNARY, atom)), UNARY),
        Expr::Negate(inner) => (format!("-{}", expression(inner, UNARY, atom)), UNARY),
        Expr::Binary(op, left, right) => {
            let own = level(*op);
            // Comparisons make no chains; the others are read from the left.
            let left = expression(left, if own == 2 { own + 1 } else { own }, atom);
            (format!("{left} {} {}", op.sign(), expression(right, own + 1, atom)), own)
        }
    };
    if own < least { format!("({text})") } else { text }
}

/// A thread, and what its names are written as.
pub(super) struct ThreadWords<'p> {
    program: &'p Program,
    thread: &'p Thread,
}

impl<'p> ThreadWords<'p> {
    pub(super) fn new(program: &'p Program, thread: &'p Thread) -> Self {
        Self { program, thread }
    }

    pub(super) fn value(&self, expr: &Expr<RegisterId>) -> String {
        self.within(expr, 0)
    }

    fn within(&self, expr: &Expr<RegisterId>, least: u8) -> String {
        expression(expr, least, &|register: RegisterId| self.thread.registers[register.index()].clone())
    }

    fn address(&self, address: &Address) -> String {
        let name = &self.program.cells[address.first.index()].0;
        match &address.index {
            None => name.clone(),
            Some((_, index)) => format!("{}[{}]", name.split('[').next().unwrap_or(name), self.value(index)),
        }
    }

    fn register(&self, register: RegisterId) -> &str {
        &self.thread.registers[register.index()]
    }

    /// What a step does, without `;`; nothing for the end and for branches.
    pub(super) fn statement(&self, op: &Op) -> Option<String> {
        Some(match op {
            Op::End | Op::Branch(..) | Op::Either(_) => return None,
            Op::Skip => "skip".to_owned(),
            Op::Fence => "fence".to_owned(),
            Op::Local(register, value) => format!("{} := {}", self.register(*register), self.value(value)),
            Op::Assume(condition) => format!("assume {}", self.value(condition)),
            Op::Assert(condition) => format!("assert {}", self.value(condition)),
            Op::Store(address, value) => format!("{} := {}", self.address(address), self.value(value)),
            Op::Load(register, address) => format!("{} := {}", self.register(*register), self.address(address)),
            Op::Atomic(parts) => match parts.as_slice() {
                [locked @ Inner::Locked(..)] => self.part(locked),
                parts => format!("atomic {}", self.parts(parts)),
            },
        })
    }

    fn parts(&self, parts: &[Inner]) -> String {
        let written: String = parts
            .iter()
            .map(|part| match part {
                Inner::If(..) => format!("{} ", self.part(part)),
                _ => format!("{}; ", self.part(part)),
            })
            .collect();
        format!("{{ {written}}}")
    }

    fn part(&self, part: &Inner) -> String {
        match part {
            Inner::Local(register, value) => format!("{} := {}", self.register(*register), self.value(value)),
            Inner::Assume(condition) => format!("assume {}", self.value(condition)),
            Inner::Store(address, value) => format!("{} := {}", self.address(address), self.value(value)),
            Inner::Load(register, address) => format!("{} := {}", self.register(*register), self.address(address)),
            Inner::Locked(kind, register, address, operands) => {
                let word = match kind {
                    LockedKind::Exchange => "xchg",
                    LockedKind::Add => "fadd",
                    LockedKind::Compare => "cas",
                };
                let operands: Vec<String> = operands.iter().map(|operand| self.value(operand)).collect();
                let to = register.map_or(String::new(), |register| format!("{} := ", self.register(register)));
                format!("{to}{word}({}, {})", self.address(address), operands.join(", "))
            }
            Inner::If(condition, yes, no) if no.is_empty() => format!("if ({}) {}", self.value(condition), self.parts(yes)),
            Inner::If(condition, yes, no) => format!("if ({}) {} else {}", self.value(condition), self.parts(yes), self.parts(no)),
        }
    }
}

/// Names of points of a thread: its labels, and new ones where something else leads or a question looks.
struct PointNames {
    labels: BTreeMap<Point, Vec<String>>,
}

impl PointNames {
    fn new(thread: &Thread, asked: &BTreeSet<Point>) -> Self {
        let mut labels: BTreeMap<Point, Vec<String>> = BTreeMap::new();
        for (name, point) in &thread.labels {
            labels.entry(*point).or_default().push(name.clone());
        }
        let mut wanted = asked.clone();
        for (number, node) in thread.code.iter().enumerate().filter(|(_, node)| node.op != Op::End) {
            if let Some(other) = node.op.other() {
                wanted.insert(other);
            }
            if node.next.index() != number + 1 {
                wanted.insert(node.next);
            }
        }
        for point in wanted {
            let mut name = format!("p{}", point.0);
            while thread.labels.iter().any(|(known, _)| *known == name) {
                name.push('_');
            }
            labels.entry(point).or_insert_with(|| vec![name]);
        }
        Self { labels }
    }

    fn of(&self, point: Point) -> &str {
        self.labels.get(&point).and_then(|names| names.first()).map_or("", String::as_str)
    }
}

fn written_thread(out: &mut String, program: &Program, thread: &Thread, names: &PointNames) {
    let many = if thread.many { "*" } else { "" };
    let _ = writeln!(out, "thread{many} {} {{", thread.name);
    let words = ThreadWords::new(program, thread);
    for (number, node) in thread.code.iter().enumerate() {
        for label in names.labels.get(&Point::new(number)).into_iter().flatten() {
            let _ = write!(out, "{label}: ");
        }
        let _ = match (&node.op, words.statement(&node.op)) {
            // A label needs a statement, and this one is no step.
            (Op::End, _) if names.labels.contains_key(&Point::new(number)) => writeln!(out, "loop {{ break; }}"),
            (Op::Branch(..) | Op::Either(_), _) => {
                let yes = if node.next.index() == number + 1 { String::new() } else { format!("goto {};", names.of(node.next)) };
                let condition = if let Op::Branch(condition, _) = &node.op { words.value(condition) } else { "?".to_owned() };
                writeln!(out, "if ({condition}) {{ {yes} }} else {{ goto {}; }}", node.op.other().map_or("", |other| names.of(other)))
            }
            (_, Some(statement)) if statement.ends_with('}') => writeln!(out, "{statement}"),
            (_, Some(statement)) => writeln!(out, "{statement};"),
            (_, None) => Ok(()),
        };
        if !matches!(node.op, Op::End | Op::Branch(..) | Op::Either(_)) && node.next.index() != number + 1 {
            let _ = writeln!(out, "goto {};", names.of(node.next));
        }
    }
    out.push_str("}\n");
}

fn written_question(program: &Program, names: &[PointNames], question: &Question) -> Option<String> {
    let (word, condition) = match (question.asked, &question.condition) {
        (QuestionKind::Assert, _) => return None,
        (QuestionKind::Never, condition) => ("never", condition.clone()),
        (QuestionKind::Exists, condition) => ("exists", condition.clone()),
        // What is kept is what is bad.
        (QuestionKind::Forall, Expr::Not(good)) => ("forall", (**good).clone()),
        (QuestionKind::Forall, bad) => ("forall", Expr::Not(Box::new(bad.clone()))),
    };
    let observed = |what: Observed| match what {
        Observed::At(thread, point) => format!("{}@{}", program.threads[thread.index()].name, names[thread.index()].of(point)),
        Observed::Register(thread, register) => {
            let thread = &program.threads[thread.index()];
            format!("{}.{}", thread.name, thread.registers[register.index()])
        }
        Observed::Cell(cell) => program.cells[cell.index()].0.clone(),
    };
    Some(format!("{word} {};\n", expression(&condition, 0, &observed)))
}

fn written_memory(program: &Program) -> Option<String> {
    let mut items: Vec<(String, usize, i64)> = Vec::new();
    for (name, initial) in &program.cells {
        match (name.split_once('['), items.last_mut()) {
            (Some((array, _)), Some((known, length, first))) if known == array && *length > 0 => {
                // The language has one value for all cells of an array.
                if first != initial {
                    return None;
                }
                *length += 1;
            }
            (Some((array, _)), _) => items.push((array.to_owned(), 1, *initial)),
            (None, _) => items.push((name.clone(), 0, *initial)),
        }
    }
    let item = |(name, length, initial): &(String, usize, i64)| match length {
        0 => format!("{name} = {initial}"),
        length => format!("{name}[{length}] = {initial}"),
    };
    let items: Vec<String> = items.iter().map(item).collect();
    Some(if items.is_empty() { String::new() } else { format!("memory {};\n", items.join(", ")) })
}

/// The program as text, or nothing where the language has no words for it.
pub(super) fn written(program: &Program) -> Option<String> {
    let mut asked = vec![BTreeSet::new(); program.threads.len()];
    for question in program.questions.iter().filter(|question| question.asked != QuestionKind::Assert) {
        question.condition.atoms(&mut |atom| {
            if let Observed::At(thread, point) = atom {
                asked[thread.index()].insert(point);
            }
        });
    }
    let names: Vec<PointNames> = program.threads.iter().zip(&asked).map(|(thread, asked)| PointNames::new(thread, asked)).collect();
    let mut body = written_memory(program)?;
    for (thread, names) in program.threads.iter().zip(&names) {
        written_thread(&mut body, program, thread, names);
    }
    body.extend(program.questions.iter().filter_map(|question| written_question(program, &names, question)));
    let wrap = if program.values.wrap { " wrap" } else { "" };
    let values = format!("values {}..{}{wrap};\n", program.values.low, program.values.high);
    let said = if program.values.declared { vec![values] } else { vec![String::new(), values] };
    let laid_out = |values: &String| serval_format::tso::format(&format!("{values}{body}"), &serval_format::Style::default()).ok();
    said.iter().filter_map(laid_out).find(|text| serval_tso_program::read(text).is_ok_and(|again| is_same(program, &again)))
}

/// New numbers for the registers of a thread, by their names: reading numbers them in the order in which they are met,
/// and does not know those that no step has.
struct ByName {
    numbers: Vec<u32>,
}

impl ByName {
    /// The numbers are the places of names in a list that two threads share.
    fn new(thread: &Thread, names: &[&String]) -> Self {
        let number = |name: &String| names.iter().position(|known| *known == name).map_or(u32::MAX, |at| RegisterId::new(at).0);
        Self { numbers: thread.registers.iter().map(number).collect() }
    }

    fn register(&self, register: RegisterId) -> RegisterId {
        RegisterId(self.numbers.get(register.index()).copied().unwrap_or(u32::MAX))
    }

    fn value(&self, expr: &Expr<RegisterId>) -> Expr<RegisterId> {
        let again = |inner: &Expr<RegisterId>| Box::new(self.value(inner));
        match expr {
            Expr::Number(number) => Expr::Number(*number),
            Expr::Atom(register) => Expr::Atom(self.register(*register)),
            Expr::Not(inner) => Expr::Not(again(inner)),
            Expr::Negate(inner) => Expr::Negate(again(inner)),
            Expr::Binary(op, left, right) => Expr::Binary(*op, again(left), again(right)),
        }
    }

    fn address(&self, address: &Address) -> Address {
        let index = address.index.as_ref().map(|(length, index)| (*length, self.value(index)));
        Address { first: address.first, index }
    }

    fn part(&self, part: &Inner) -> Inner {
        let parts = |parts: &[Inner]| parts.iter().map(|part| self.part(part)).collect();
        match part {
            Inner::Local(register, value) => Inner::Local(self.register(*register), self.value(value)),
            Inner::Assume(condition) => Inner::Assume(self.value(condition)),
            Inner::Store(address, value) => Inner::Store(self.address(address), self.value(value)),
            Inner::Load(register, address) => Inner::Load(self.register(*register), self.address(address)),
            Inner::Locked(kind, register, address, operands) => {
                let operands = operands.iter().map(|operand| self.value(operand)).collect();
                Inner::Locked(*kind, register.map(|register| self.register(register)), self.address(address), operands)
            }
            Inner::If(condition, yes, no) => Inner::If(self.value(condition), parts(yes), parts(no)),
        }
    }

    fn op(&self, op: &Op) -> Op {
        match op {
            Op::End | Op::Skip | Op::Fence | Op::Either(_) => op.clone(),
            Op::Local(register, value) => Op::Local(self.register(*register), self.value(value)),
            Op::Branch(condition, no) => Op::Branch(self.value(condition), *no),
            Op::Assume(condition) => Op::Assume(self.value(condition)),
            Op::Assert(condition) => Op::Assert(self.value(condition)),
            Op::Store(address, value) => Op::Store(self.address(address), self.value(value)),
            Op::Load(register, address) => Op::Load(self.register(*register), self.address(address)),
            Op::Atomic(parts) => Op::Atomic(parts.iter().map(|part| self.part(part)).collect()),
        }
    }
}

/// A condition in which registers are numbered in the order of their names.
fn by_names(names: &[ByName], condition: &Expr<Observed>) -> Expr<Observed> {
    let again = |inner: &Expr<Observed>| Box::new(by_names(names, inner));
    match condition {
        Expr::Atom(Observed::Register(thread, register)) => {
            Expr::Atom(Observed::Register(*thread, names[thread.index()].register(*register)))
        }
        Expr::Number(_) | Expr::Atom(_) => condition.clone(),
        Expr::Not(inner) => Expr::Not(again(inner)),
        Expr::Negate(inner) => Expr::Negate(again(inner)),
        Expr::Binary(op, left, right) => Expr::Binary(*op, again(left), again(right)),
    }
}

/// Whether two programs do the same and ask the same; labels may be more, and registers may have another order.
fn is_same(one: &Program, other: &Program) -> bool {
    let values = |program: &Program| (program.values.low, program.values.high, program.values.wrap);
    let (mut names, mut others) = (Vec::new(), Vec::new());
    for (thread, again) in one.threads.iter().zip(&other.threads) {
        let shared: Vec<&String> = thread.registers.iter().chain(&again.registers).collect();
        names.push(ByName::new(thread, &shared));
        others.push(ByName::new(again, &shared));
    }
    let code =
        |thread: &Thread, names: &ByName| -> Vec<(Op, Point)> { thread.code.iter().map(|node| (names.op(&node.op), node.next)).collect() };
    let thread = |((one, names), (other, others)): ((&Thread, &ByName), (&Thread, &ByName))| {
        (&one.name, one.many, code(one, names)) == (&other.name, other.many, code(other, others))
            && one.labels.iter().all(|label| other.labels.contains(label))
    };
    let question = |(one, other): (&Question, &Question)| {
        let bad = |question: &Question| match (question.asked, &question.condition) {
            // The opposite of the opposite is the same.
            (QuestionKind::Forall, Expr::Not(inner)) => match &**inner {
                Expr::Not(bad) => (**bad).clone(),
                _ => question.condition.clone(),
            },
            (_, condition) => condition.clone(),
        };
        one.asked == other.asked && by_names(&names, &bad(one)) == by_names(&others, &bad(other))
    };
    one.threads.len() == other.threads.len()
        && one.cells == other.cells
        && values(one) == values(other)
        && one.threads.iter().zip(&names).zip(other.threads.iter().zip(&others)).all(thread)
        && one.questions.len() == other.questions.len()
        && one.questions.iter().zip(&other.questions).all(question)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(directory: &str, ending: &str) -> Vec<(String, String)> {
        let directory = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples/tso").join(directory);
        let mut paths: Vec<_> = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.retain(|path| path.extension().is_some_and(|found| found == ending));
        paths.sort();
        paths.iter().map(|path| (path.display().to_string(), std::fs::read_to_string(path).unwrap())).collect()
    }

    #[test]
    fn litmus_tests_become_the_same_programs() {
        let tests: Vec<_> = ["litmus/x86", "litmus/x86_64"].iter().flat_map(|directory| files(directory, "litmus")).collect();
        assert!(tests.len() >= 56);
        for (name, text) in tests {
            let program = serval_tso_program::read_litmus(&text).unwrap();
            let again = serval_tso_program::read(&written(&program).unwrap_or_else(|| panic!("{name}"))).unwrap();
            assert_eq!(again.canonical(), program.canonical(), "{name}");
        }
    }

    #[test]
    fn automata_are_written_and_read_back() {
        let every = "values 0..3 wrap; memory x = 0, a[2] = 1; thread* T { l: r := cas(a[r], 0, -1); while (r != 1 || !r) { break; } \
                     atomic { if (r) { x := 2; } else { s := x; } assume s <= 2; fadd(x, 1); } assert (r + 1) * 2 < 2; fence; s := xchg(x, r % 2 - 1); \
                     if (r > 0) { skip; } else if (r >= 1) { loop { } } goto l; } thread Q { e: skip; } \
                     never T@l && (T.r > 0 || !Q@e); exists a[1] == 0 - 1; forall x == 0 && !(x == 1);";
        let mut programs = files("", "tso");
        programs.push(("every construct".to_owned(), every.to_owned()));
        for (name, text) in programs {
            let program = serval_tso_program::read(&text).unwrap();
            assert!(written(&program).is_some(), "{name}");
            assert!(written(&program.with_copies(0)).is_some() || program.many().is_empty() || program.threads.len() == 1, "{name}");
        }
    }

    #[test]
    fn programs_in_rounds_are_written() {
        for (name, text) in files("", "tso") {
            let program = serval_tso_program::read(&text).unwrap();
            for rounds in 1..=3 {
                let Ok(reduced) = serval_tso_program::rounds::reduce(&program, rounds) else { continue };
                assert!(written(&reduced).is_some(), "{name} in {rounds} rounds");
            }
        }
    }

    #[test]
    fn what_the_language_has_no_words_for_is_not_written() {
        let mut program = serval_tso_program::read("memory a[2]; thread P { a[0] := 1; }").unwrap();
        assert!(written(&program).is_some());
        program.cells[1].1 = 3;
        assert_eq!(written(&program), None);
        let mut program = serval_tso_program::read("memory x; thread P { x := 1; }").unwrap();
        program.threads[0].name = "P#1".to_owned();
        assert_eq!(written(&program), None);
    }
}
