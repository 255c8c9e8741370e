//! Verdicts and times for the published suite, by `serval bench`.

use std::path::Path;
use std::process::Command;

use super::{output, read, serval};
use crate::page::Page;

/// Decides the programs of a suite three times each.
pub fn page(suite: &Path) -> Result<Page, String> {
    let mut page = Page::new(
        "The published suite",
        "`serval bench SUITE --expected SUITE/expected.csv --runs 3 --format markdown --svg suite.svg`. Each time is the middle\n\
         of three runs and includes everything: parsing, deciding, the certificate and its independent check. Published times\n\
         were measured by the authors on another machine (16 cores, a limit of 500 s).",
    );
    let picture = std::env::temp_dir().join(format!("serval-suite-{}.svg", std::process::id()));
    let mut command = Command::new(serval()?);
    command.arg("bench").arg(suite).arg("--expected").arg(suite.join("expected.csv"));
    command.args(["--runs", "3", "--format", "markdown", "--svg"]).arg(&picture);
    let found = output(&mut command)?;
    match found.status.code() {
        Some(0) => {}
        // A verdict that differs belongs on the page.
        Some(1) => page.fail("a verdict is not the expected one"),
        _ => return Err(String::from_utf8_lossy(&found.stderr).into_owned()),
    }
    page.line(String::from_utf8_lossy(&found.stdout).trim_end());
    page.file("suite.svg", read(&picture)?);
    std::fs::remove_file(&picture).map_err(|error| error.to_string())?;
    Ok(page)
}
