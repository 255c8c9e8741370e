//! Questions: what may stand in them, and what they become.

use serval_diagnostic::similar;

use super::Context;
use super::names::constant;
use crate::codes;
use crate::program::{Observed, Op, Point, Question, QuestionKind, RegisterId, Thread, ThreadId};
use crate::tree::{Name, QuestionForm, QuestionItem, Tree, TreeKind};
use crate::value::{BinaryOp, Expr};

pub(super) fn question(context: &mut Context<'_>, threads: &[Thread], item: &QuestionItem) -> Option<Question> {
    let asked = match item.kind {
        QuestionForm::Never => QuestionKind::Never,
        QuestionForm::Exists => QuestionKind::Exists,
        QuestionForm::Forall => QuestionKind::Forall,
    };
    let mut condition = context.observed(threads, asked, &item.condition)?;
    if asked == QuestionKind::Forall {
        condition = Expr::Not(Box::new(condition));
    }
    Some(Question { asked, condition, text: item.text.clone(), span: item.span })
}

/// The questions whether assertions hold.
pub(super) fn assertions(thread: &Thread, number: u32) -> Vec<Question> {
    let id = ThreadId(number);
    let of_node = |(index, node): (usize, &crate::ControlPoint)| {
        let Op::Assert(condition) = &node.op else { return None };
        let at = Expr::Atom(Observed::At(id, Point::new(index)));
        let fails = Expr::Not(Box::new(lifted(id, condition)));
        let condition = Expr::Binary(BinaryOp::And, Box::new(at), Box::new(fails));
        let span = *thread.spans.get(index)?;
        Some(Question { asked: QuestionKind::Assert, condition, text: format!("assert in {}", thread.name), span })
    };
    thread.code.iter().enumerate().filter_map(of_node).collect()
}

/// The registers of a thread as a question sees them.
fn lifted(thread: ThreadId, condition: &Expr<RegisterId>) -> Expr<Observed> {
    let again = |inner: &Expr<RegisterId>| Box::new(lifted(thread, inner));
    match condition {
        Expr::Number(number) => Expr::Number(*number),
        Expr::Atom(register) => Expr::Atom(Observed::Register(thread, *register)),
        Expr::Not(inner) => Expr::Not(again(inner)),
        Expr::Negate(inner) => Expr::Negate(again(inner)),
        Expr::Binary(op, left, right) => Expr::Binary(*op, again(left), again(right)),
    }
}

impl Context<'_> {
    fn observed(&mut self, threads: &[Thread], asked: QuestionKind, tree: &Tree) -> Option<Expr<Observed>> {
        Some(match &tree.kind {
            TreeKind::Number(number) => Expr::Number(*number),
            // A condition of a statement alone has it.
            TreeKind::Any => return None,
            TreeKind::Not(inner) => Expr::Not(Box::new(self.observed(threads, asked, inner)?)),
            TreeKind::Negate(inner) => Expr::Negate(Box::new(self.observed(threads, asked, inner)?)),
            TreeKind::Binary(op @ (BinaryOp::Multiply | BinaryOp::Remainder), ..) => {
                let message = format!("`{}` in a question", op.sign());
                self.error(
                    codes::MISPLACED,
                    tree.span,
                    message,
                    "sums, comparisons, `&&`, `||`, `!`",
                    "compute it in a register".to_owned(),
                );
                return None;
            }
            TreeKind::Binary(op, left, right) => {
                let left = self.observed(threads, asked, left);
                let right = self.observed(threads, asked, right);
                Expr::Binary(*op, Box::new(left?), Box::new(right?))
            }
            TreeKind::Register(thread, register) => {
                let id = self.thread_named(threads, thread)?;
                let names = &threads.get(id.index())?.registers;
                let Some(number) = names.iter().position(|known| *known == register.text) else {
                    let help = suggestion(&register.text, names, "a register is what the thread assigns");
                    let message = format!("{} has no register `{}`", thread.text, register.text);
                    self.error(codes::UNKNOWN_NAME, register.span, message, "a register of the thread", help);
                    return None;
                };
                Expr::Atom(Observed::Register(id, RegisterId::new(number)))
            }
            TreeKind::At(thread, label) => {
                let id = self.thread_named(threads, thread)?;
                let labels = &threads.get(id.index())?.labels;
                let Some((_, point)) = labels.iter().find(|(known, _)| *known == label.text) else {
                    let names: Vec<String> = labels.iter().map(|(name, _)| name.clone()).collect();
                    let help = suggestion(&label.text, &names, "write `label: statement` in the thread");
                    let message = format!("{} has no label `{}`", thread.text, label.text);
                    self.error(codes::BAD_LABEL, label.span, message, "a label of the thread", help);
                    return None;
                };
                Expr::Atom(Observed::At(id, *point))
            }
            TreeKind::Name(target) => {
                let Some(array) = self.cells.find(&target.name.text) else {
                    self.unknown_in_question(threads, &target.name);
                    return None;
                };
                if !asked.is_final() {
                    let message = format!("`{}` is memory, of which only questions about final states speak", target.name.text);
                    let help = "ask `exists` or `forall`, or load it into a register".to_owned();
                    self.error(codes::MEMORY_IN_QUESTION, tree.span, message, "registers (`T.r`) and control points (`T@label`)", help);
                    return None;
                }
                let index = target.index.as_deref().map(constant);
                let cell = match (array.length, index) {
                    (None, None) => array.first,
                    (Some(length), Some(Some(index))) => self.cell_of(target, array, length, index)?,
                    _ => {
                        let message = format!("`{}` needs a constant index if it is an array, and none if it is not", target.name.text);
                        self.error(codes::MISPLACED, tree.span, message, "one cell", "write `x` or `a[0]`".to_owned());
                        return None;
                    }
                };
                Expr::Atom(Observed::Cell(cell))
            }
        })
    }

    fn thread_named(&mut self, threads: &[Thread], name: &Name) -> Option<ThreadId> {
        let found = threads.iter().position(|thread| thread.name == name.text);
        if found.is_none() {
            let names: Vec<String> = threads.iter().map(|thread| thread.name.clone()).collect();
            let help = suggestion(&name.text, &names, "name a thread of the program");
            self.error(codes::UNKNOWN_NAME, name.span, format!("there is no thread `{}`", name.text), "a thread", help);
        }
        found.map(ThreadId::new)
    }

    fn unknown_in_question(&mut self, threads: &[Thread], name: &Name) {
        let owner = threads.iter().find(|thread| thread.registers.contains(&name.text));
        if let Some(owner) = owner {
            let message = format!("`{}` is a register, and there may be one in every thread", name.text);
            let help = format!("write `{}.{}`", owner.name, name.text);
            self.error(codes::UNKNOWN_NAME, name.span, message, "`T.r`", help);
        } else {
            self.unknown_cell(name);
        }
    }
}

fn suggestion(word: &str, known: &[String], otherwise: &str) -> String {
    match similar(word, known.iter().map(String::as_str)) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => otherwise.to_owned(),
    }
}
