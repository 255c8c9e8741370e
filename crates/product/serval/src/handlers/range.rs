//! Numbers that leave their range: the run in which one does, in words.

use std::collections::BTreeSet;

use serval_handlers::StepsProgram;
use serval_report::{FaultNote, TraceEvent};

use super::line_of;

/// What is said without a run.
pub(super) const LEAVES: &str = "a number leaves its range: declare another with `/** @serval 0..9 */`";

/// The number, the place in the file, and what happens before.
pub(super) fn leaves(note: &FaultNote, of: &StepsProgram, text: &str) -> String {
    let call = |id: u32| {
        let found = note.run.requests.iter().find(|one| one.id == id);
        found.map_or_else(String::new, |one| of.answers.request(&one.request))
    };
    let mut message = note.message.clone();
    for (name, shown) in &of.names {
        message = message.replace(&format!("`{name}`"), &format!("`{shown}`"));
    }
    let place = usize::try_from(note.span[0]).ok().and_then(|line| of.places.get(line.checked_sub(1)?));
    let line = place.map_or_else(String::new, |place| format!("line {}: ", line_of(text, place.start) + 1));
    let mut come = BTreeSet::new();
    let told: Vec<String> = note
        .run
        .steps
        .iter()
        .filter_map(|event| match event {
            TraceEvent::Step { id, .. } => Some(format!("{} {}", call(*id), if come.insert(*id) { "comes" } else { "goes on" })),
            _ => None,
        })
        .collect();
    let goes = if come.contains(&note.id) { "goes on" } else { "comes" };
    let before: String = told.iter().map(|one| format!("{one}, ")).collect();
    let run = format!("{before}{} {goes}", call(note.id));
    format!(
        "a number leaves its range: {line}{message}\n  run             {run}\n  needs           {}\n  help            declare another range with `/** @serval 0..9 */`",
        note.needs_words
    )
}
