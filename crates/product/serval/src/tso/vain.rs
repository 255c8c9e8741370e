//! What a program has in vain, as notes.

use serval_budget::Budget;
use serval_diagnostic::Code;
use serval_report::tso::TsoNote;
use serval_tso_engine::{EngineLimits, in_vain, needless_fences, without_fence};
use serval_tso_program::{ASSUMES_NEVER, FENCE_IN_VAIN, FencePlace, NOT_REACHED};

use super::{TsoInput, TsoOptions, accepted, words};

/// States of a search for these notes: they are worth little beside the answers.
const STATES: usize = 50_000;
/// Fences that are looked at.
const FENCES: usize = 16;

fn note(input: &TsoInput, code: Code, place: FencePlace, say: impl Fn(&str) -> (String, Option<String>)) -> TsoNote {
    let span = input.program.threads[place.thread.index()].spans[place.point.index()];
    let ((line, column), (end_line, end_column)) = (input.at(span.start), input.at(span.end));
    let (message, help) = say(&words::source(input, span));
    TsoNote { code: code.0, severity: "warning", message, help, span: [line, column, end_line, end_column] }
}

/// What is worth knowing about a program.
pub(super) fn notes(input: &TsoInput, robust: bool, options: &TsoOptions, budget: &mut Budget) -> Vec<TsoNote> {
    let program = &input.program;
    let limits = EngineLimits { states: options.limits.states.min(STATES), ..options.limits.clone() };
    let vain = in_vain(program, &limits, budget).unwrap_or_default();
    let mut notes = Vec::new();
    for place in &vain.unreached {
        let say = |statement: &str| (format!("no run under sequential consistency reaches `{statement}`"), None);
        notes.push(note(input, NOT_REACHED, *place, say));
    }
    for place in &vain.stuck {
        let say = |statement: &str| {
            let message = format!("`{statement}` never holds under sequential consistency, so that nothing behind it is reached");
            (message, Some("look at what is stored where it looks, and at what memory begins with".to_owned()))
        };
        notes.push(note(input, ASSUMES_NEVER, *place, say));
    }
    if robust {
        for (place, proof) in needless_fences(program, FENCES, &limits, budget) {
            let is_checked = without_fence(program, place)
                .is_some_and(|without| accepted(&without, &proof, options).is_ok_and(|shown| shown.robust == Some(true)));
            if is_checked && !vain.unreached.contains(&place) {
                let say = |_: &str| {
                    (
                        "without this fence the program is robust as well".to_owned(),
                        Some("remove it; fences that are named together may not all go".to_owned()),
                    )
                };
                notes.push(note(input, FENCE_IN_VAIN, place, say));
            }
        }
    }
    notes.sort_by_key(|note| note.span);
    notes
}
