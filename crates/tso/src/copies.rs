//! Programs with any number of copies of a thread, and what so many copies make of them.

use crate::program::{Program, Thread, ThreadId};

impl Program {
    /// The program with so many copies of each `thread*`, as threads of their own, and without questions: a question about a `thread*` is about
    /// any of its copies, which this program has no words for.
    #[must_use]
    pub fn with_copies(&self, copies: u32) -> Self {
        let mut threads = Vec::new();
        for thread in &self.threads {
            if !thread.many {
                threads.push(thread.clone());
                continue;
            }
            for number in 1..=copies {
                threads.push(Thread { name: format!("{}#{number}", thread.name), many: false, ..thread.clone() });
            }
        }
        Self { threads, questions: Vec::new(), ..self.clone() }
    }

    /// The threads that are one each, in order, and then one copy of each of these, without questions.
    #[must_use]
    pub fn fixed_with(&self, also: &[ThreadId]) -> Self {
        let fixed = self.threads.iter().filter(|thread| !thread.many).cloned();
        let copied = also.iter().filter_map(|id| self.threads.get(id.index()));
        let copied = copied.map(|thread| Thread { many: false, ..thread.clone() });
        Self { threads: fixed.chain(copied).collect(), questions: Vec::new(), ..self.clone() }
    }

    /// The threads of which there are any number.
    pub fn many(&self) -> Vec<ThreadId> {
        self.thread_ids().filter(|id| self.threads[id.index()].many).collect()
    }
}
