//! Programs on weak memory in other forms.

use std::fmt::Write;

use serval_budget::{Budget, StopReason};
use serval_model::{NetworkSystem, SystemBuilder};
use serval_report::escape::dot;
use serval_tso_engine::network::{Global, Local, network};
use serval_tso_program::{Op, Point, Program, Syntax, Thread};

use super::TsoInput;
use super::printed::{ThreadWords, written};

impl TsoInput {
    /// The program in the language of programs on weak memory: as it is written, in the usual layout, or made from a
    /// litmus test.
    ///
    /// ```
    /// use serval::tso::{Syntax, TsoInput};
    /// let test = "X86 T\n{ x=1; }\n P0 ;\n MOV EAX,[x] ;\n MFENCE ;\nexists (0:EAX=1)\n";
    /// let input = TsoInput::read_as(test.to_owned(), Syntax::Litmus).unwrap();
    /// assert_eq!(
    ///     input.to_tso().unwrap(),
    ///     "values 0..66;\nmemory x = 1;\nthread P0 {\n  EAX := x;\n  fence;\n}\nexists P0.EAX == 1;\n"
    /// );
    /// ```
    pub fn to_tso(&self) -> Option<String> {
        match self.syntax {
            Syntax::Tso => serval_format::tso::format(&self.text, &serval_format::Style::default()).ok(),
            Syntax::Litmus => written(&self.program),
        }
    }

    /// The program that does under sequential consistency what this one does with store buffers in `rounds` rounds of
    /// each thread; the error says why there is none.
    pub fn to_rounds(&self, rounds: u32) -> Result<String, String> {
        let reduced = serval_tso_program::rounds::reduce(&self.program, rounds)?;
        written(&reduced).ok_or_else(|| "the reduced program is more than the language has room for".to_owned())
    }

    /// The automata of the threads, for Graphviz.
    pub fn to_dot(&self) -> String {
        let mut out = String::from("digraph program {\n  node [shape=circle, fontname=\"monospace\"];\n  edge [fontname=\"monospace\"];\n");
        for (number, thread) in self.program.threads.iter().enumerate() {
            automaton(&mut out, &self.program, thread, number);
        }
        out.push_str("}\n");
        out
    }

    /// The network system of the program under sequential consistency, with at most `pairs` pairs of states.
    pub fn to_system(&self, pairs: usize, budget: &mut Budget) -> Result<NetworkSystem, StopReason> {
        let program = &self.program;
        let network = network(program, pairs, budget)?;
        let mut builder = SystemBuilder::new();
        let globals: Vec<_> = network.globals.iter().map(|global| builder.global(&global_name(program, global))).collect();
        let locals: Vec<_> = network.locals.iter().map(|local| builder.local(&local_name(program, local))).collect();
        for (thread, local) in program.threads.iter().zip(&locals) {
            let request = builder.request(&thread.name);
            builder.start(request, *local);
        }
        for (local, id) in network.locals.iter().zip(&locals) {
            let thread = &program.threads[local.thread];
            let ended = local.at.as_ref().and_then(|at| at.first()).is_some_and(|point| i64::from(thread.end().0) == *point);
            if ended {
                let response = builder.response("end");
                builder.answer(*id, response);
            }
        }
        for [local, global, to_local, to_global] in &network.steps {
            builder.step(locals[*local], globals[*global], locals[*to_local], globals[*to_global]);
        }
        Ok(builder.finish(globals[0]))
    }
}

/// The thread, its labels or the number of its point, and its registers.
fn local_name(program: &Program, local: &Local) -> String {
    let thread = &program.threads[local.thread];
    let Some((point, registers)) = local.at.as_ref().and_then(|at| at.split_first()) else { return format!("{} waits", thread.name) };
    let mut name = format!("{}@{point}", thread.name);
    for (register, value) in thread.registers.iter().zip(registers) {
        let _ = write!(name, " {register}={value}");
    }
    name
}

fn global_name(program: &Program, global: &Global) -> String {
    let mut parts: Vec<String> = program.cells.iter().zip(&global.memory).map(|((name, _), value)| format!("{name}={value}")).collect();
    let begun = program.threads.iter().zip(&global.begun).filter(|(_, begun)| **begun);
    parts.extend(begun.map(|(thread, _)| format!("{} began", thread.name)));
    if parts.is_empty() { "nothing".to_owned() } else { parts.join(" ") }
}

fn automaton(out: &mut String, program: &Program, thread: &Thread, number: usize) {
    let many = if thread.many { "thread* " } else { "thread " };
    let _ = writeln!(out, "  subgraph cluster_{number} {{\n    label={};", dot(&format!("{many}{}", thread.name)));
    let words = ThreadWords::new(program, thread);
    for (at, node) in thread.code.iter().enumerate() {
        let labels: Vec<&str> = thread.labels.iter().filter(|(_, point)| *point == Point::new(at)).map(|(name, _)| name.as_str()).collect();
        let shown = if labels.is_empty() { at.to_string() } else { format!("{at}\n{}", labels.join(" ")) };
        let shape = if node.op == Op::End { ", shape=doublecircle" } else { "" };
        let _ = writeln!(out, "    t{number}_{at} [label={}{shape}];", dot(&shown));
        let mut edge = |to: Point, what: &str| {
            let _ = writeln!(out, "    t{number}_{at} -> t{number}_{} [label={}];", to.0, dot(what));
        };
        match (&node.op, words.statement(&node.op)) {
            (Op::Branch(condition, no), _) => {
                edge(node.next, &format!("[{}]", words.value(condition)));
                edge(*no, &format!("[else of {}]", words.value(condition)));
            }
            (Op::Either(other), _) => {
                edge(node.next, "[?]");
                edge(*other, "[else of ?]");
            }
            (_, Some(statement)) => edge(node.next, &statement),
            (_, None) => {}
        }
    }
    out.push_str("  }\n");
}
