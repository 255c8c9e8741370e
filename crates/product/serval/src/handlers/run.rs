//! What Node did in a run, as reports show it.

use serde_json::Value;
use serval_handlers::node::words;

/// A run that Node has performed.
#[derive(Clone, Debug)]
pub struct Run {
    /// The calls as they are written, with their answers.
    pub calls: Vec<(String, String)>,
    /// What happened, in order.
    pub events: Vec<RunEvent>,
    /// What the same calls answer one at a time.
    pub serial: Vec<Vec<String>>,
    /// Whether it needs two events in one turn of the event loop.
    pub together: bool,
    /// What Node is asked to perform it again, with the answers.
    pub trace: Value,
}

/// An event of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunEvent {
    /// The call, from 0.
    pub call: usize,
    /// The line in the file, from 1; 0 for a call that comes.
    pub line: usize,
    /// What happens.
    pub what: String,
    /// Whether it begins a turn of the event loop.
    pub begins_turn: bool,
}

/// The events of a run, with the lines of the file.
pub(super) fn events(list: &[Value], job: &Value) -> Vec<RunEvent> {
    let (mut out, mut begins_turn) = (Vec::new(), true);
    for event in list {
        let kind = event[0].as_str().unwrap_or_default();
        let call = event[1].as_u64().and_then(|call| usize::try_from(call).ok()).unwrap_or(0);
        let at = event[2].as_str().unwrap_or_default();
        let line = at.split(':').next().and_then(|line| line.parse().ok()).unwrap_or(0);
        match kind {
            "turn" => {
                begins_turn = true;
                continue;
            }
            "gave" => continue,
            "comes" => out.push(RunEvent { call, line: 0, what: "comes".to_owned(), begins_turn }),
            _ => {
                let path = job["outside"][at]["path"].as_str().or(event[4].as_str()).unwrap_or("a timer");
                let what = match (event[3][0].as_str(), event[5].as_u64()) {
                    (Some("t"), _) => format!("`{path}` fails"),
                    (Some("u") | None, _) => format!("`{path}` is done"),
                    // Another value each time.
                    (Some("q"), Some(number)) => format!("`{path}` answers {} {number}", event[3][1].as_str().unwrap_or_default()),
                    (Some(_), _) => format!("`{path}` answers {}", words(&event[3])),
                };
                out.push(RunEvent { call, line, what, begins_turn });
            }
        }
        begins_turn = false;
    }
    out
}
