//! Tells how far the work is.

use std::io::Write;

use serval::Progress;
use serval_report::escape;

use crate::limits::visibly;
use crate::output::say;

/// Where progress on a file is told.
#[derive(Clone)]
pub(super) struct ProgressLine {
    pub(super) file: String,
    /// Objects on standard output.
    pub(super) events: bool,
    /// One line on a terminal.
    pub(super) line: bool,
}

impl ProgressLine {
    pub(super) fn tell(&self, progress: Progress) {
        let (event, detail, words) = match progress {
            Progress::Requests(requests) => {
                ("searching", format!(", \"requests\": {requests}"), format!("searching runs of {requests} requests"))
            }
            Progress::Reductions => ("reducing", String::new(), "reducing".to_owned()),
            Progress::Counting => ("counting", String::new(), "looking for a proof".to_owned()),
            _ => return,
        };
        if self.events {
            // Text always has a form in JSON.
            let file = escape::json(serde_json::to_string(&self.file).unwrap_or_default());
            let _ = visibly(|| writeln!(std::io::stdout(), "{{\"event\": \"{event}\", \"file\": {file}{detail}}}"));
        }
        if self.line {
            say(&format!("\r\x1b[K{}: {words}", escape::name(&self.file)));
        }
    }

    pub(super) fn done(&self) {
        if self.line {
            say("\r\x1b[K");
        }
    }
}
