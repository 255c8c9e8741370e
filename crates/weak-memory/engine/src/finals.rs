//! All final states, as questions: which of them can be reached under which model is then decided, and checked, like
//! any other question.

use std::collections::BTreeSet;

use serval_budget::Budget;
use serval_diagnostic::Span;
use serval_tso_program::{BinaryOp, CellId, Expr, Observed, Op, Program, Question, QuestionKind as Kind, RegisterId, ThreadId};

use crate::limits::EngineLimits;
use crate::live::ProgramAnalysis;
use crate::machine::Machine;
use crate::models::{PendingQuestions, Sc, Tso};
use crate::search::{Ended, search};

/// Final states of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Finals {
    /// What a state has values of.
    pub observed: Vec<Observed>,
    /// The values of each state that may be final, ascending.
    pub states: Vec<Vec<i64>>,
}

/// Places of a store buffer that are tried.
const BUFFERS: [usize; 4] = [1, 2, 4, 8];

/// Finds the final states of a program with a fixed number of threads, at most `most`; with store buffers too, unless
/// the program is robust. Whether these are all is not said: [`Finals::asked`] asks it.
pub fn final_states(program: &Program, robust: bool, most: usize, limits: &EngineLimits, budget: &mut Budget) -> Option<Finals> {
    let registers = program.threads.iter().zip(0..).flat_map(|(thread, number)| {
        (0..thread.registers.len()).map(move |register| Observed::Register(ThreadId(number), RegisterId::new(register)))
    });
    let observed: Vec<Observed> = registers.chain((0..program.cells.len()).map(|cell| Observed::Cell(CellId::new(cell)))).collect();
    let mut finals = Finals { observed, states: Vec::new() };
    // A question that speaks of everything, so that nothing is forgotten at the end.
    let everything = finals.asked(program, &[vec![0; finals.observed.len()]]);
    let analysis = ProgramAnalysis::new(&everything, &everything.questions);
    let machine = Machine::new(&everything, &analysis);
    let mut states = BTreeSet::new();
    let mut collect = |state: &[i64]| {
        let ended = (0..machine.count()).all(|thread| *machine.op(state, thread) == Op::End);
        if ended && machine.layout.rest(state).iter().all(|number| *number == 0) {
            let registers = (0..machine.count()).flat_map(|thread| machine.layout.registers(state, thread));
            states.insert(registers.chain(machine.layout.memory(state)).copied().collect::<Vec<i64>>());
        }
        states.len() <= most
    };
    // Questions do not end the searches.
    let asked = PendingQuestions::nothing;
    let (found, ended) = search(&mut Sc { machine: &machine, asked: asked() }, limits.states, budget);
    if !matches!(ended, Ended::Done) || !found.states().iter().all(|state| collect(&state)) {
        return None;
    }
    for bound in BUFFERS.into_iter().filter(|_| !robust) {
        let mut system = Tso { machine: &machine, asked: asked(), bound, hit: false };
        let (found, ended) = search(&mut system, limits.states, budget);
        if !matches!(ended, Ended::Done) || !found.states().iter().all(|state| collect(&state)) {
            return None;
        }
        if !system.hit {
            break;
        }
    }
    finals.states = states.into_iter().collect();
    Some(finals)
}

impl Finals {
    /// The program with one question for each of these states, whether it is a final one, and a last one, whether there
    /// is another.
    #[must_use]
    pub fn asked(&self, program: &Program, states: &[Vec<i64>]) -> Program {
        let join = |op: BinaryOp, left: Expr<Observed>, right: Expr<Observed>| Expr::Binary(op, Box::new(left), Box::new(right));
        let is = |state: &Vec<i64>| {
            let equal = |(what, value): (&Observed, &i64)| join(BinaryOp::Equal, Expr::Atom(*what), Expr::Number(*value));
            self.observed.iter().zip(state).map(equal).fold(Expr::Number(1), |all, one| join(BinaryOp::And, all, one))
        };
        let some = states.iter().map(is).fold(Expr::Number(0), |all, one| join(BinaryOp::Or, all, one));
        let conditions = states.iter().map(is).chain([Expr::Not(Box::new(some))]);
        let question = |condition| Question { asked: Kind::Exists, condition, text: String::new(), span: Span::default() };
        Program { questions: conditions.map(question).collect(), ..program.clone() }
    }
}
