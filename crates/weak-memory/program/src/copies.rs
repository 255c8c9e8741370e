//! Programs with any number of copies of a thread, and their instances with a fixed number of copies.

use crate::program::{Observed, Program, Question, Thread, ThreadId};
use crate::value::Expr;

impl Program {
    /// The program with `copies` copies of each `thread*`, as threads of their own. A question about a `thread*` is
    /// about some copy of it; copies are alike, so it becomes one about the first. Without copies there are no
    /// questions.
    #[must_use]
    pub fn with_copies(&self, copies: u32) -> Self {
        let mut threads = Vec::new();
        let mut first = Vec::new();
        for thread in &self.threads {
            first.push(ThreadId::new(threads.len()));
            if !thread.many {
                threads.push(thread.clone());
                continue;
            }
            for number in 1..=copies {
                threads.push(Thread { name: format!("{}#{number}", thread.name), many: false, ..thread.clone() });
            }
        }
        let questions = if copies == 0 { Vec::new() } else { asked_of(&self.questions, &first) };
        Self { threads, questions, ..self.clone() }
    }

    /// For each thread of the program with `copies` copies, which thread it is or is a copy of.
    pub fn copied(&self, copies: u32) -> Vec<ThreadId> {
        let of = |id: ThreadId| (0..if self.threads[id.index()].many { copies } else { 1 }).map(move |_| id);
        self.thread_ids().flat_map(of).collect()
    }

    /// The threads that are one each, in order, and then one copy of each of these, without questions.
    #[must_use]
    pub fn fixed_with(&self, also: &[ThreadId]) -> Self {
        let fixed = self.threads.iter().filter(|thread| !thread.many).cloned();
        let copied = also.iter().filter_map(|id| self.threads.get(id.index()));
        let copied = copied.map(|thread| Thread { many: false, ..thread.clone() });
        Self { threads: fixed.chain(copied).collect(), questions: Vec::new(), ..self.clone() }
    }

    /// The threads that are one each, in order, and then one copy of each `thread*`, which is the one that questions
    /// speak of; and then perhaps one more copy, of which they do not.
    #[must_use]
    pub fn observed_with(&self, more: Option<ThreadId>) -> Self {
        let many = self.many();
        let fixed: Vec<ThreadId> = self.thread_ids().filter(|id| !many.contains(id)).collect();
        let place = |id: ThreadId| fixed.iter().chain(&many).position(|other| *other == id).map_or(id, ThreadId::new);
        let places: Vec<ThreadId> = self.thread_ids().map(place).collect();
        let also: Vec<ThreadId> = many.iter().copied().chain(more).collect();
        Self { questions: asked_of(&self.questions, &places), ..self.fixed_with(&also) }
    }

    /// The threads of which there are any number.
    pub fn many(&self) -> Vec<ThreadId> {
        self.thread_ids().filter(|id| self.threads[id.index()].many).collect()
    }
}

/// The questions, where each thread has another number.
fn asked_of(questions: &[Question], numbers: &[ThreadId]) -> Vec<Question> {
    let asked = |question: &Question| Question { condition: renumbered(&question.condition, numbers), ..question.clone() };
    questions.iter().map(asked).collect()
}

fn renumbered(condition: &Expr<Observed>, numbers: &[ThreadId]) -> Expr<Observed> {
    let again = |inner: &Expr<Observed>| Box::new(renumbered(inner, numbers));
    let number = |thread: &ThreadId| numbers.get(thread.index()).copied().unwrap_or(*thread);
    match condition {
        Expr::Atom(Observed::At(thread, point)) => Expr::Atom(Observed::At(number(thread), *point)),
        Expr::Atom(Observed::Register(thread, register)) => Expr::Atom(Observed::Register(number(thread), *register)),
        Expr::Number(_) | Expr::Atom(Observed::Cell(_)) => condition.clone(),
        Expr::Not(inner) => Expr::Not(again(inner)),
        Expr::Negate(inner) => Expr::Negate(again(inner)),
        Expr::Binary(op, left, right) => Expr::Binary(*op, again(left), again(right)),
    }
}
