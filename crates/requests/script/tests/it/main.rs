//! Files of handlers as programs of their steps, and what is refused by its name.

mod boundary;
mod corpus;
mod hidden;
mod identity;
mod node;
mod once_proved;
mod random;
mod refused;
mod turns;
mod written;

use serval_handlers::{HandlerBounds, StepsProgram, steps};
use serval_script::{Language, read};

/// A file as a program, or what is said about it.
fn translated(name: &str, text: &str) -> Result<StepsProgram, Vec<String>> {
    let language = Language::of(name).expect("the name of a file of handlers");
    let (module, _) = read(text, language).map_err(|list| list.into_iter().map(|one| one.message).collect::<Vec<_>>())?;
    steps(&module, &HandlerBounds::default()).map_err(|why| why.parts.into_iter().map(|one| one.what).collect())
}
