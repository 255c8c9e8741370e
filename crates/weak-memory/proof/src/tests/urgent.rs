//! The lemma of urgent steps: a list without the states between them is accepted where no question is about these, and
//! else refused.

use super::cases::{Case, Refused, all, answer, balanced};
use super::lists::{all_live, begun, closed};
use crate::state::Model as Memory;
use crate::{By, Claim, Condition, Model};

/// Threads, a question that does not see the steps of P, and one that does; both are about the same registers.
const PROGRAMS: [(&str, &str, &str); 3] = [
    ("thread P { l: skip; m: skip; } thread Q { x := 1; k: skip; }", "exists x0 == 1;", "never P@m && Q@k;"),
    ("thread P { r := 1; r := 2; r := 0; } thread Q { x := 1; k: skip; }", "exists x0 == 1;", "never P.r == 1 && Q@k;"),
    ("thread P { r := 0; if (r == 0) { l: skip; } } thread Q { x := 1; k: skip; }", "exists x0 == 1;", "never P@l && Q@k;"),
];

/// The program with a question, and all states of the program with another.
fn list_of(threads: &str, question: &str, of: &str, memory: Memory) -> Case {
    // Nothing is stored in the last cell, so that a final state with something there is unreachable.
    let text = |question: &str| format!("memory x, x0; {threads} {question}");
    let (program, mut certificate) = begun(&text(question));
    let (other, _) = begun(&text(of));
    let (list, model) = match memory {
        Memory::Sc => (all(&other), Model::Sc),
        Memory::Tso => (closed(&other, Memory::Tso, all_live(&other)), Model::Tso),
    };
    match memory {
        Memory::Sc => certificate.sc = Some(list),
        Memory::Tso => certificate.tso = Some(list),
    }
    certificate.answers.push(answer(0, model, Claim::Unreachable(By::States)));
    (program, certificate)
}

fn accepted() -> Vec<Case> {
    let of = |memory: Memory| PROGRAMS.map(|(threads, blind, _)| list_of(threads, blind, blind, memory));
    [of(Memory::Sc), of(Memory::Tso)].concat()
}

/// Refused by one condition alone: the state that is asked for is one of those that are left out.
pub(super) fn refused() -> Refused {
    let of = |memory: Memory| PROGRAMS.map(|(threads, blind, sees)| (Condition::StatesClosed, list_of(threads, sees, blind, memory)));
    [of(Memory::Sc), of(Memory::Tso)].concat()
}

#[test]
fn as_many_are_refused_as_accepted() {
    balanced(&accepted(), &refused());
}

#[test]
fn states_between_urgent_steps_are_left_out() {
    for (threads, blind, sees) in PROGRAMS {
        let states = |question: &str| list_of(threads, question, question, Memory::Sc).1.sc.unwrap().states.len();
        assert!(states(blind) < states(sees), "{threads}");
    }
}
