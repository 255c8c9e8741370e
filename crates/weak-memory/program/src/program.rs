//! Programs as automata: what the checker and the engine run.

use std::fmt;

use serval_diagnostic::Span;

use crate::value::Expr;

macro_rules! index {
    ($(#[$meta:meta] $name:ident;)*) => {$(
        #[$meta]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// As an index.
            pub fn index(self) -> usize {
                self.0 as usize
            }

            /// From an index; all of them are far below the limit of the type.
            pub fn new(index: usize) -> Self {
                Self(u32::try_from(index).unwrap_or(u32::MAX))
            }
        }
    )*};
}

index! {
    /// A thread, by its place in [`Program::threads`].
    ThreadId;
    /// A cell of memory, by its place in [`Program::cells`].
    CellId;
    /// A register, by its place in [`Thread::registers`].
    RegisterId;
    /// A control point of a thread, by its place in [`Thread::code`].
    Point;
}

/// A cell of memory, or several, one of which a register chooses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// The first cell.
    pub first: CellId,
    /// For an array: how many cells it has, and which is meant, from 0.
    pub index: Option<(u32, Expr<RegisterId>)>,
}

/// What a locked instruction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockedKind {
    /// Writes its operand.
    Exchange,
    /// Adds its operand.
    Add,
    /// Writes the second operand where the first is found; otherwise only reads.
    Compare,
}

/// What a step does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op {
    /// The thread has ended.
    End,
    /// Nothing.
    Skip,
    /// A register gets a value.
    Local(RegisterId, Expr<RegisterId>),
    /// Goes to `next` where the condition holds, and to the other point where not.
    Branch(Expr<RegisterId>, Point),
    /// Goes to `next` or to the other point; either may happen.
    Either(Point),
    /// Goes on where the condition holds.
    Assume(Expr<RegisterId>),
    /// The same; whether it always holds is a question.
    Assert(Expr<RegisterId>),
    /// Goes on when the own store buffer is empty.
    Fence,
    /// Memory gets a value.
    Store(Address, Expr<RegisterId>),
    /// A register gets what is in memory.
    Load(RegisterId, Address),
    /// Several accesses in one step, when the own store buffer is empty.
    Atomic(Vec<Inner>),
}

/// A part of a locked step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inner {
    /// A register gets a value.
    Local(RegisterId, Expr<RegisterId>),
    /// The whole step is possible only where this holds.
    Assume(Expr<RegisterId>),
    /// Memory gets a value.
    Store(Address, Expr<RegisterId>),
    /// A register gets what is in memory.
    Load(RegisterId, Address),
    /// A locked instruction; the register gets what was there before.
    Locked(LockedKind, Option<RegisterId>, Address, Vec<Expr<RegisterId>>),
    /// One or the other.
    If(Expr<RegisterId>, Vec<Self>, Vec<Self>),
}

/// A control point: what the step from it does, and where it goes.
#[derive(Clone, PartialEq, Eq)]
pub struct ControlPoint {
    /// What it does.
    pub op: Op,
    /// Where it goes.
    pub next: Point,
}

impl fmt::Debug for ControlPoint {
    /// The fingerprints in certificates are made from this text ([`Program::canonical`]), so it keeps the name that the
    /// type had when the first certificates were written.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Node").field("op", &self.op).field("next", &self.next).finish()
    }
}

/// A thread; it begins at point 0 with 0 in all registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    /// Its name.
    pub name: String,
    /// Whether there are any number of copies.
    pub many: bool,
    /// The names of its registers.
    pub registers: Vec<String>,
    /// The automaton; its last node, and only that, is [`Op::End`].
    pub code: Vec<ControlPoint>,
    /// For each node, the statement in the text.
    pub spans: Vec<Span>,
    /// Labels, with the point that each stands at.
    pub labels: Vec<(String, Point)>,
}

impl Op {
    /// The other point that a step may go to.
    pub fn other(&self) -> Option<Point> {
        match self {
            Self::Branch(_, other) | Self::Either(other) => Some(*other),
            _ => None,
        }
    }
}

impl Thread {
    /// The point where the thread has ended.
    pub fn end(&self) -> Point {
        Point::new(self.code.len().saturating_sub(1))
    }
}

/// Which values registers and cells have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Values {
    /// The least.
    pub low: i64,
    /// The greatest.
    pub high: i64,
    /// Whether counting goes on at the other end; otherwise leaving the range is a fault.
    pub wrap: bool,
    /// Whether the program says so itself.
    pub declared: bool,
}

impl Values {
    /// The value that is kept for this number, if there is one.
    pub fn keep(&self, number: i64) -> Option<i64> {
        if (self.low..=self.high).contains(&number) {
            return Some(number);
        }
        // The ends are small, so that nothing overflows but what was large before.
        let size = self.high.checked_sub(self.low)?.checked_add(1)?;
        self.wrap.then(|| number.checked_sub(self.low).and_then(|above| self.low.checked_add(above.checked_rem_euclid(size)?))).flatten()
    }
}

/// What a question can speak of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Observed {
    /// 1 where the thread is at the point.
    At(ThreadId, Point),
    /// A register.
    Register(ThreadId, RegisterId),
    /// A cell of memory.
    Cell(CellId),
}

/// An atom of an expression in a thread.
pub type Atom = RegisterId;

/// What a question asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuestionKind {
    /// That no state has the condition: such a state is bad.
    Never,
    /// Whether some final state has the condition.
    Exists,
    /// That every final state has it; the condition is kept as its opposite, so that a final state with what is kept is
    /// bad.
    Forall,
    /// That an assertion never fails: the condition is that the thread is there and what is asserted does not hold.
    Assert,
}

impl QuestionKind {
    /// Whether it is about final states alone.
    pub fn is_final(self) -> bool {
        matches!(self, Self::Exists | Self::Forall)
    }

    /// Whether a state with the condition is a defect.
    pub fn is_defect(self) -> bool {
        self != Self::Exists
    }
}

/// A question: whether a state with the condition can be reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// What is asked.
    pub asked: QuestionKind,
    /// The states that are looked for.
    pub condition: Expr<Observed>,
    /// As it is written.
    pub text: String,
    /// Where it is written.
    pub span: Span,
}

/// A program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Names of cells, such as `x` and `a[0]`, with what they begin with.
    pub cells: Vec<(String, i64)>,
    /// Which values there are.
    pub values: Values,
    /// The threads.
    pub threads: Vec<Thread>,
    /// What is asked; assertions come last.
    pub questions: Vec<Question>,
}

impl Program {
    /// The automata and questions as one text, from which fingerprints are made: a change of it, which may be that of
    /// a name in a derived `Debug`, makes all certificates of before be about other programs. It is the same for texts
    /// that differ only in blanks, comments and where things stand.
    pub fn canonical(&self) -> String {
        let mut text = format!("{:?}\n{:?}\n", self.cells, self.values);
        for Thread { name, many, registers, code, labels, .. } in &self.threads {
            // The word `Node` is part of fingerprints in certificates that people keep; the type may have another name.
            let nodes: Vec<String> =
                code.iter().map(|ControlPoint { op, next }| format!("Node {{ op: {op:?}, next: {next:?} }}")).collect();
            text += &format!("{name} {many} {registers:?} {labels:?}\n[{}]\n", nodes.join(", "));
        }
        for Question { asked, condition, .. } in &self.questions {
            text += &format!("{asked:?} {condition:?}\n");
        }
        text
    }

    /// All threads.
    pub fn thread_ids(&self) -> impl Iterator<Item = ThreadId> + use<> {
        (0..self.threads.len()).map(ThreadId::new)
    }
}
