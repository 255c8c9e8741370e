//! Asynchronous handlers that share the state of a module: their form, and the program of their steps.
//!
//! Unfinished: nothing compares the program with what Node does yet, so that no verdict may rest on it.
//!
//! Everything here speaks of the form alone and knows no parser. Nothing reads a file or knows a clock.
//!
//! | to change | open |
//! |---|---|
//! | what a file is, names resolved and types erased | `form` |
//! | what handlers do, as a program in which every `await` pauses | `steps` |

mod form;
mod steps;
mod walk;

pub use form::*;
pub use steps::{Answers, Bounds, Refused, Translation, steps};
