//! Replaying a saved run.

use std::path::Path;

use serval_report::Trace;
use serval_report::counted;

use crate::failure::Failure;
use crate::input;
use crate::output::write_to;
use serval::simulator::{Numbers, Simulator, find_action};

/// Performs the events of the file at `path` one after the other.
pub(crate) fn run(simulator: &mut dyn Simulator, path: &Path) -> Result<(), Failure> {
    let name = input::shown(path);
    let text = input::plain_text(path)?;
    let trace = Trace::from_json(&text).map_err(|error| Failure::message(format!("{name}:{error} [E0510]")))?;
    let mut out = format!("replay of {name}, {}\n", counted(trace.steps.len(), "event"));
    let mut numbers = Numbers::default();
    for (position, event) in trace.steps.iter().enumerate() {
        let actions = simulator.actions();
        let found = numbers.arrival(event).and_then(|()| find_action(event, &actions, &numbers));
        match found {
            Ok(found) => out.push_str(&format!("{:4}  {}\n", position + 1, simulator.perform(found))),
            Err(why) => return Err(impossible(&out, &name, position, &why)),
        }
    }
    out.push_str(&super::summary(simulator));
    write_to(None, &out)
}

fn impossible(before: &str, name: &str, position: usize, why: &str) -> Failure {
    Failure::Input(format!("{before}error[E0511]: event {} of {name} cannot happen here: {why}\n", position + 1))
}
