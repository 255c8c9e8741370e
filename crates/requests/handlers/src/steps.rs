//! S, steps: the program in which every `await` pauses, for proofs.
//!
//! The claim below has not been tested: there is no interpreter of Node's turns yet, and no comparison with Node. No
//! verdict may rest on it until then.
//!
//! **Claim.** The multisets of answers that Node can give are among those of this program, and requests that run one at
//! a time answer in Node what they answer here. So what is serializable here is so in Node.
//!
//! *Proof.* Node runs the code between two pauses undisturbed, and so does a step of the program. A step ends at every
//! `await`, whatever is awaited, so the program has every order of continuations in which none passes the promise that
//! it waits for, and Node's is one of them. What is awaited has every outcome that the outside may give (`outside`),
//! and a promise that others find has the outcome that it was made with (`promises`): it is seen only after it has
//! settled. A request that joins such a promise goes on at any moment, also too early, which only adds answers; alone,
//! a request finds no promise of others that is not settled, so serial answers are not more. Queues and bags of waiting
//! functions are locks with an order that is left free (`locks`). What has none of these forms is refused.
//!
//! | what | module |
//! |---|---|
//! | operations and terms | `ops` |
//! | values, places, promises | `values` |
//! | what is kept between operations | `state` |
//! | reading and writing what is shared | `places` |
//! | records that have more than one name | `identity` |
//! | what the outside answers | `outside` |
//! | statements and exceptions | `run` |
//! | expressions | `eval` |
//! | calls of all kinds | `calls` |
//! | promises that are kept, activities | `promises` |
//! | lists: loops over them, and promises that are awaited together | `lists` |
//! | queues and bags | `locks` |
//! | errors, their classes and texts | `errors` |
//! | answers, and what they mean in words | `answers` |
//! | the module and its requests | `requests` |
//! | the program as text, with places | `print` |
//! | what Node has to know to perform the same | `performed` |

mod answers;
mod calls;
mod errors;
mod eval;
mod identity;
mod lists;
mod locks;
mod ops;
mod outside;
mod performed;
mod places;
mod print;
mod promises;
mod records;
mod requests;
mod run;
mod state;
mod thrown;
mod values;

use std::collections::BTreeMap;

use serval_diagnostic::Span;

use crate::form::Module;

pub use answers::{Answers, ShownAnswer};
pub use performed::{CallShape, Given, OutsideCall, OutsideValue};
pub use state::{NoProgram, NotModelled};

/// How a file is bounded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandlerBounds {
    /// How many values the outside has where they are only moved.
    pub values: i64,
    /// How many values a parameter has that is a key or compared; nothing chooses.
    pub keys: Option<i64>,
    /// How far shared numbers go beyond 0 and what they begin with, where no range is declared.
    pub numbers: Numbers,
    /// Status codes that mean that nothing has happened.
    pub refusals: Vec<i64>,
    /// The requests that there are; nothing means all.
    pub requests: Option<Vec<String>>,
}

/// Which numbers there are where no range is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    /// 0..3 and the number at the beginning; beyond they begin again.
    Few,
    /// Four more to both sides: for runs that leave 0..3.
    Several,
    /// Some dozens more to both sides: as many as a few calls can reach.
    Many,
}

/// Shared numbers come to what they are compared with, if it is not further away than this.
const MOST_REACHED: i64 = 30;

/// Status codes with which a handler refuses, where nothing else is said.
pub const REFUSALS: [i64; 5] = [409, 423, 425, 429, 503];

impl Default for HandlerBounds {
    fn default() -> Self {
        Self { values: 2, keys: None, numbers: Numbers::Few, refusals: REFUSALS.to_vec(), requests: None }
    }
}

/// A file as a program.
#[derive(Clone, Debug)]
pub struct StepsProgram {
    /// The program, in the language of serval.
    pub text: String,
    /// For each line of the program the place in the file that it is about.
    pub places: Vec<Span>,
    /// What answers mean.
    pub answers: Answers,
    /// What the shared variables are called in the file, by their names in the program.
    pub names: BTreeMap<String, String>,
    /// How values are bounded, in words.
    pub bounded: Vec<String>,
    /// The requests, each with the names of its parameters.
    pub requests: Vec<String>,
    /// Whether one key stands for all.
    pub alone: bool,
    /// The calls of the outside.
    pub outside: Vec<OutsideCall>,
    /// How the requests of the program are called, by their names there.
    pub calls: BTreeMap<String, CallShape>,
    /// What was left out, because other requests were asked for.
    pub left_out: Vec<String>,
    /// A comparison that comes out one way only within the bounds, in words, so that a proof says nothing.
    pub out_of_reach: Option<String>,
}

/// The stack of the thread that translates: some hundred levels of the form, in each of some dozen functions.
const STACK: usize = 1 << 28;

/// Translates a file, or says of all its requests which have no program and why: one that is left out could change what
/// the others do, so that there is no program of the rest unless [`HandlerBounds::requests`] names it.
pub fn steps(module: &Module, bounds: &HandlerBounds) -> Result<StepsProgram, NoProgram> {
    // The form nests, and functions are made where they are called: on a stack of its own.
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || requests::translate(module, bounds));
        match thread.map(std::thread::ScopedJoinHandle::join) {
            Ok(Ok(made)) => made,
            Ok(Err(why)) => std::panic::resume_unwind(why),
            Err(_) => requests::translate(module, bounds),
        }
    })
}
