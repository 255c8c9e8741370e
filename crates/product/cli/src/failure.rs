//! Why a command did not do its work, and the exit status that says so.

use std::io::{self, Write};
use std::process::ExitCode;

use serval_report::escape::line;

/// Why a command stopped.
pub(crate) enum Failure {
    /// What the user gave is wrong; the text has been drawn and ends in a newline.
    Input(String),
    /// Something about the call or the machine, in one line. What it may quote
    /// cannot end that line.
    Message(String),
    /// The reader of our output has gone away.
    ClosedPipe,
    /// The user has had enough.
    Interrupted,
    /// A bug in serval.
    Internal,
}

impl Failure {
    pub(crate) fn message(text: impl Into<String>) -> Self {
        Self::Message(text.into())
    }

    /// Says what is wrong on standard error and gives the exit status.
    pub(crate) fn report(self) -> ExitCode {
        let (text, status) = match self {
            Self::Input(text) => (text, 2),
            Self::Message(text) => (format!("error: {}\n", line(&text)), 2),
            Self::ClosedPipe => return ExitCode::SUCCESS,
            Self::Interrupted => ("interrupted\n".to_owned(), 130),
            Self::Internal => ("internal error: this is a bug in serval; please report the message above with the input\n".to_owned(), 4),
        };
        // If standard error is closed there is no reader left.
        let _ = io::stderr().lock().write_all(text.as_bytes());
        ExitCode::from(status)
    }
}

impl From<io::Error> for Failure {
    /// For writing to standard output; files have messages of their own.
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::ClosedPipe,
            _ => Self::Message(format!("cannot write the output: {error}")),
        }
    }
}
