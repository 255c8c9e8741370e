//! The log of what the engines try, on standard error, where `SERVAL_LOG` asks for it.

use std::env;

use log::{LevelFilter, Log, Metadata, Record};
use serval_report::escape::line;

use crate::failure::Failure;
use crate::output::say;

/// The variable that says how much is logged.
const VARIABLE: &str = "SERVAL_LOG";

/// Writes a line for each record. Records of other crates are left out: they need not be the same each time.
struct Lines;

impl Log for Lines {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("serval")
    }

    fn log(&self, record: &Record<'_>) {
        if self.enabled(record.metadata()) {
            say(&format!("{}: {}\n", record.level().as_str().to_ascii_lowercase(), line(&record.args().to_string())));
        }
    }

    fn flush(&self) {}
}

/// Starts the log, if the variable is set; without it nothing is logged, and nothing is prepared for it.
pub(crate) fn start() -> Result<(), Failure> {
    let Some(value) = env::var_os(VARIABLE).filter(|value| !value.is_empty()) else { return Ok(()) };
    let value = value.to_string_lossy();
    let level = match &*value {
        "error" => LevelFilter::Error,
        "warn" => LevelFilter::Warn,
        "info" => LevelFilter::Info,
        "debug" => LevelFilter::Debug,
        "trace" => LevelFilter::Trace,
        other => {
            return Err(Failure::message(format!("{VARIABLE}={other} is no level; there are error, warn, info, debug and trace")));
        }
    };
    // There is no other logger in this program.
    let _ = log::set_logger(&Lines);
    log::set_max_level(level);
    Ok(())
}
