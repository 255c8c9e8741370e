//! Tells how far the work is.

use std::io::Write;

use serval::Progress;
use serval_report::counted;
use serval_report::escape;

use crate::limits::visibly;
use crate::output::say;

/// Where progress on a file is shown.
#[derive(Clone)]
pub(in crate::commands) struct ProgressLine {
    pub(in crate::commands) file: String,
    /// Objects on standard output.
    pub(in crate::commands) events: bool,
    /// One line on a terminal.
    pub(in crate::commands) line: bool,
}

impl ProgressLine {
    pub(super) fn tell(&self, progress: Progress) {
        let (event, detail, words) = match progress {
            Progress::Requests(requests) => {
                ("searching", format!(", \"requests\": {requests}"), format!("searching runs of {}", counted(requests, "request")))
            }
            Progress::Reductions => ("reducing", String::new(), "reducing".to_owned()),
            Progress::Counting => ("counting", String::new(), "looking for a proof".to_owned()),
            _ => return,
        };
        self.happens(event, &detail, &words);
    }

    /// Tells of a question about a net, the first of which is number 1.
    pub(in crate::commands) fn asks(&self, question: &str, number: usize, of: usize) {
        let detail = format!(", \"question\": {}, \"number\": {number}, \"of\": {of}", quoted(question));
        self.happens("asking", &detail, &format!("{} ({number} of {of})", escape::name(question)));
    }

    fn happens(&self, event: &str, detail: &str, words: &str) {
        if self.events {
            let file = quoted(&self.file);
            let _ = visibly(|| writeln!(std::io::stdout(), "{{\"event\": \"{event}\", \"file\": {file}{detail}}}"));
        }
        if self.line {
            say(&format!("\r\x1b[K{}: {words}", escape::name(&self.file)));
        }
    }

    pub(in crate::commands) fn done(&self) {
        if self.line {
            say("\r\x1b[K");
        }
    }
}

/// Text as JSON, which always has a form for it.
fn quoted(text: &str) -> String {
    escape::json(serde_json::to_string(text).unwrap_or_default())
}
