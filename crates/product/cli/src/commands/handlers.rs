//! Files of handlers in JavaScript and TypeScript: `check`, `replay` and `export`.
//!
//! Builds without the feature `handlers` say that they are, and nothing else.

#[cfg(feature = "handlers")]
pub(super) mod node;

use std::path::Path;
use std::process::ExitCode;

use crate::args::{Export, Format, Replay, Verify};
use crate::failure::Failure;
use crate::input::Messages;

/// Whether a file is named as one of handlers.
pub(super) fn is_handlers(path: &Path) -> bool {
    path.extension().and_then(|end| end.to_str()).is_some_and(|end| ["js", "mjs", "ts", "mts"].contains(&end))
}

/// What is said where the options of a translation do not go with a file.
pub(super) const NOT_OF_HANDLERS: &str = "--requests, --values, --keys and --refusals are about handlers in JavaScript and TypeScript";

/// What such a build says.
#[cfg(not(feature = "handlers"))]
pub(super) const ABSENT: &str = "this build does not read handlers: build serval-cli with `--features handlers`";

/// `serval export FILE --to ser` and `--to js`
pub(super) fn export(args: &Export, messages: Messages) -> Result<(), Failure> {
    if args.to.format != Format::Ser && args.to.format != Format::Js {
        let why = "handlers have the forms ser and js; export ser, and then the program in the form that is wanted";
        return Err(Failure::message(why));
    }
    #[cfg(feature = "handlers")]
    return node::export(args, messages);
    #[cfg(not(feature = "handlers"))]
    {
        let _ = messages;
        Err(Failure::message(ABSENT))
    }
}

/// `serval verify FILE CERTIFICATE`
pub(super) fn verify(args: &Verify) -> Result<ExitCode, Failure> {
    if args.check_compile || !args.compose.is_empty() || args.from.is_some() || !args.question.is_empty() || args.sql.is_said() {
        let why = "--check-compile, --compose, --from, --question and what is about SQL do not go with handlers";
        return Err(Failure::message(why));
    }
    #[cfg(feature = "handlers")]
    return node::verify(args);
    #[cfg(not(feature = "handlers"))]
    Err(Failure::message(ABSENT))
}

/// `serval replay FILE TRACE`
pub(super) fn replay(args: &Replay, messages: Messages) -> Result<ExitCode, Failure> {
    #[cfg(feature = "handlers")]
    return node::replay(args, messages);
    #[cfg(not(feature = "handlers"))]
    {
        let _ = (args.time(), messages);
        Err(Failure::message(ABSENT))
    }
}
