//! What must hold of reading network systems, whatever the text is.

use serval_model::{JSON_ERROR_CODES, JsonError, NetworkSystem, systems_from_json, systems_to_json};

/// Checks one text; says whether it is accepted.
pub(crate) fn check(text: &str) -> Result<(), JsonError> {
    let one = NetworkSystem::from_json(text);
    match systems_from_json(text) {
        Ok(systems) => {
            systems.iter().for_each(NetworkSystem::check_invariants);
            assert_eq!(one.is_ok(), systems.len() == 1, "one system is read as one");
            one.iter().for_each(NetworkSystem::check_invariants);
            if let Err(error) = &one {
                check_error(text, error);
            }
            // States that occur nowhere cannot come from a text, so one round
            // keeps everything and gives the bytes that every further one gives.
            let written = systems_to_json(&systems);
            let again = systems_from_json(&written).unwrap_or_else(|error| panic!("what was written is not read: {error}\n{written}"));
            again.iter().for_each(NetworkSystem::check_invariants);
            assert_eq!(systems.len(), again.len());
            for (system, again) in systems.iter().zip(&again) {
                assert_eq!(sizes(system), sizes(again), "{written}");
                assert_eq!(system.to_json(), again.to_json());
            }
            assert_eq!(systems_to_json(&again), written, "writing again gives other bytes");
            Ok(())
        }
        Err(error) => {
            check_error(text, &error);
            assert_eq!(one.err().as_ref(), Some(&error), "one error however the text is read");
            Err(error)
        }
    }
}

fn sizes(system: &NetworkSystem) -> [usize; 7] {
    let counts = [system.global_count(), system.local_count(), system.request_count(), system.response_count()];
    let [globals, locals, requests, responses] = counts;
    [globals, locals, requests, responses, system.starts().len(), system.answers().len(), system.steps().len()]
}

/// The place lies in the text and agrees with line and column.
fn check_error(text: &str, error: &JsonError) {
    assert!(JSON_ERROR_CODES.iter().any(|&(code, _)| code == error.code), "{error:?}");
    assert!(error.span.start <= error.span.end && text.get(error.span.clone()).is_some(), "{error:?} is no place in the text");
    assert!(!error.message.trim().is_empty() && !error.expected.trim().is_empty(), "{error:?}");
    let before = &text[..error.span.start];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let in_line = before[line_start..].strip_prefix('\u{feff}').filter(|_| line_start == 0).unwrap_or(&before[line_start..]);
    assert_eq!(error.line, before.matches('\n').count() + 1, "{error:?}");
    assert_eq!(error.column, in_line.chars().count() + 1, "{error:?}");
}
