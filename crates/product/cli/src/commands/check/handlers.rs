//! `serval check FILE` of handlers in JavaScript and TypeScript.

#[cfg(feature = "handlers")]
mod with_node;

use std::process::ExitCode;

use crate::args::Check;
use crate::commands::handlers::is_handlers;
use crate::failure::Failure;
use crate::input::Messages;

/// Checks files of handlers one after the other; the status is that of the worst. `None` where there is none.
pub(super) fn check(args: &Check, messages: Messages) -> Result<Option<ExitCode>, Failure> {
    let ours = args.files.iter().filter(|path| is_handlers(path)).count();
    if ours == 0 {
        return Ok(None);
    }
    if ours < args.files.len() || args.watch {
        return Err(Failure::message("files of handlers are checked apart from programs, and not with --watch"));
    }
    refuse_others(args)?;
    #[cfg(feature = "handlers")]
    return with_node::check(args, messages).map(Some);
    #[cfg(not(feature = "handlers"))]
    {
        let _ = messages;
        Err(Failure::message(crate::commands::handlers::ABSENT))
    }
}

/// Options that do not go with handlers.
fn refuse_others(args: &Check) -> Result<(), Failure> {
    let why = if args.strict {
        "--strict is about programs: what handlers become says nothing about the order in time"
    } else if args.html.is_some() || args.svg.is_some() {
        "reports on handlers have the formats text, json, sarif, github and markdown"
    } else if args.scale.is_some() || args.expected || !args.keep.is_empty() || args.sql.is_said() || args.require_certificate || args.grow
    {
        "--scale, --expected, --keep and what is about SQL do not go with handlers"
    } else if args.replay.as_ref().is_some_and(|dsn| !dsn.is_empty()) {
        "--replay has Node perform handlers: it takes no connection"
    } else if args.only.is_some() {
        "--only is about programs"
    } else {
        return Ok(());
    };
    Err(Failure::message(why))
}
