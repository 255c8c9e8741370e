//! Files of handlers as programs of their steps, and what is refused by its name.
//!
//! What the model claims, and the test that fails where it does not hold (those of `serval-cli` are called `cli::…`):
//!
//! - turns: what Node does at each kind of `await`, ticks, who waits in which order: `turns`
//! - Node's answers are among those of the program, serial ones are the same: `node::…_on_the_given_files`,
//!   `…_on_random_files`, `written`
//! - without a pause, a write, a failure, an unlock, the bound outcome this is not so:
//!   `node::a_rule_that_is_left_out_is_noticed`
//! - kind (b) between test and entry: refuted with `any`, and only by two events in a turn:
//!   `model::two_events_in_a_turn`
//! - values of the outside, a row each: `model::values_of_the_outside_are_as_they_are_used`
//! - two tokens serially, three concurrently: proved with two values, refuted with three:
//!   `model::a_third_value_can_matter`
//! - numbers and equal values come out in both ways: `once_proved`, `hidden::numbers_…`, `cli::no_proof_leaves_out_…`
//! - functions are inlined; recursion, generators, `arguments`, getters, `for await` are refused:
//!   `model::what_is_refused_of_functions`
//! - `this` where the class has one instance; others are local or refused: `written::classes_…`,
//!   `hidden::functions_in_lists_…`
//! - a function that the module hands out is a request, or the file is refused: `hidden::timers_and_listeners_…`
//! - single flight, early binding, joiners, queues, lists of functions that wake: `node::…_on_the_given_files`,
//!   `…_random_files`
//! - promises that others find: outcomes that depend on what is shared, functions that do not always pause:
//!   `model::promises_that_are_refused`
//! - exceptions, `finally`, classes of errors: `written::node_answers_…`, `once_proved::what_is_said_beside_…`
//! - several activities: `all`, `allSettled`, `race`, what is not awaited, timers: `written`,
//!   `once_proved::timers_…`, `model::activities_that_are_refused`
//! - values, records, maps, lists: `written`, `identity`, `hidden::undefined_in_a_map_is_there`
//! - requests and answers of Express, Koa, Fastify: `written::routes_…`, `once_proved::an_answer_…`,
//!   `cli::handlers_frameworks`
//! - refusals: `cli::a_refusal_before_anything_is_written_…`, `cli::an_answer_that_comes_with_a_change_…`
//! - certificates, replay, tests that are written: `cli::handlers_certificate`, `cli::handlers_run`

mod boundary;
mod corpus;
mod hidden;
mod identity;
mod model;
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
