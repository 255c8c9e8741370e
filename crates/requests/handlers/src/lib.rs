//! Asynchronous handlers that share the state of a module: their form, and the program of their steps.
//!
//! The program is compared with what Node does, on random files in the tests and on the very file where a verdict is
//! said.
//!
//! Everything here speaks of the form alone and knows no parser. Nothing reads a file or knows a clock.
//!
//! | to change | open |
//! |---|---|
//! | what a file is, names resolved and types erased | `form` |
//! | what handlers do, as a program in which every `await` pauses | `steps` |
//! | what Node is asked, and whether its answers are those of the program | `node` |
//! | all answers of a few requests of the program | `few` |

mod few;
mod form;
pub mod node;
mod steps;
mod walk;

pub use few::answers;
pub use form::*;
pub use steps::{
    Answers, CallShape, Given, HandlerBounds, NoProgram, NotModelled, Numbers, OutsideCall, OutsideValue, REFUSALS, ShownAnswer,
    StepsProgram, steps,
};
