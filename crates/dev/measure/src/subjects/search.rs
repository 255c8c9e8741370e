//! Nets that need search: an example of `serval-net-engine`, which makes them.

use std::process::Command;

use super::output;
use crate::page::Page;

/// Runs the example with so many seconds for a question, on nets of these sizes.
pub fn page(seconds: u64, sizes: &[usize]) -> Result<Page, String> {
    let mut page =
        Page::new("Nets that need search", "Questions about nets that are made in sizes, with search and reductions, and without them.");
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(["run", "--release", "--quiet", "-p", "serval-net-engine", "--example", "search", &seconds.to_string()]);
    command.args(sizes.iter().map(usize::to_string));
    let example = output(&mut command)?;
    match example.status.code() {
        Some(0) => {}
        Some(1) => page.fail("answers differ, or evidence was refused"),
        _ => return Err(String::from_utf8_lossy(&example.stderr).into_owned()),
    }
    // The example has a title of its own.
    let text = String::from_utf8_lossy(&example.stdout).into_owned();
    page.line(text.split_once("\n\n").map_or(text.as_str(), |(_, rest)| rest).trim_end());
    Ok(page)
}
