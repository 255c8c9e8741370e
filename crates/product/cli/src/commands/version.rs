//! `serval --version --verbose`: which commit the program is of. `scripts/release` says it when it builds; there is no
//! clock in it, so that a second build gives the same bytes.

use std::ffi::OsString;

/// What is said where both options and nothing else stand on the command line.
pub(crate) fn in_full(arguments: impl Iterator<Item = OsString>) -> Option<String> {
    let arguments: Vec<OsString> = arguments.collect();
    let has = |names: [&str; 2]| arguments.iter().any(|argument| names.iter().any(|name| argument == name));
    if arguments.len() != 2 || !has(["--version", "-V"]) || !has(["--verbose", "-v"]) {
        return None;
    }
    let commit = match (option_env!("SERVAL_COMMIT"), option_env!("SERVAL_DATE")) {
        (Some(commit), Some(date)) => format!("{commit} of {date}"),
        _ => "not a release".to_owned(),
    };
    Some(format!("serval {}\ncommit   {commit}\nmachine  {}-{}\n", env!("CARGO_PKG_VERSION"), std::env::consts::ARCH, std::env::consts::OS))
}
