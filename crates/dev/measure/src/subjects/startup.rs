//! How long `serval` takes before it does anything, beside a program that does nothing. The commands take turns, so
//! that whatever else the machine does falls on all of them alike.

use std::io;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::serval;
use crate::page::Page;

/// Runs each command so many times.
pub fn page(runs: u64) -> Result<Page, String> {
    let runs = usize::try_from(runs).unwrap_or(usize::MAX);
    let serval = serval()?;
    measured(&serval.to_string_lossy(), runs).map_err(|error| error.to_string())
}

fn measured(serval: &str, runs: usize) -> io::Result<Page> {
    let tiny = std::env::temp_dir().join(format!("serval-startup-{}.ser", std::process::id()));
    std::fs::write(&tiny, "request flip { X := 1 - X }\n")?;
    let file = tiny.to_string_lossy().into_owned();
    let commands: [(&str, Vec<&str>); 4] = [
        ("true", vec!["true"]),
        ("serval --version", vec![serval, "--version"]),
        ("serval check -q --no-cache tiny.ser", vec![serval, "check", "-q", "--no-cache", &file]),
        ("serval check -q tiny.ser, remembered", vec![serval, "check", "-q", &file]),
    ];
    let mut times: Vec<Vec<Duration>> = vec![Vec::new(); commands.len()];
    for _ in 0..runs {
        for ((_, command), times) in commands.iter().zip(&mut times) {
            times.push(time(command)?);
        }
    }
    std::fs::remove_file(&tiny)?;
    let mut page = Page::new(
        "Start-up",
        format!(
            "How long `serval` takes before it does anything: {runs} runs of each, in turns. The program is `request flip {{ X := 1 - X }}`."
        ),
    );
    page.table(&["command", ">median, ms", ">above `true`, ms", ">least, ms"]);
    let mut nothing = 0;
    for ((name, _), times) in commands.iter().zip(&mut times) {
        times.sort_unstable();
        let (median, least) = (times[runs / 2].as_micros(), times[0].as_micros());
        if *name == "true" {
            nothing = median;
        }
        let above = if *name == "true" { "–".to_owned() } else { millis(median.saturating_sub(nothing)) };
        page.line(format!("| `{name}` | {} | {above} | {} |", millis(median), millis(least)));
    }
    Ok(page)
}

/// How long a command takes that succeeds.
fn time(command: &[&str]) -> io::Result<Duration> {
    let (program, arguments) = command.split_first().ok_or_else(|| io::Error::other("no command"))?;
    let start = Instant::now();
    let status = Command::new(program).args(arguments).stdout(Stdio::null()).status()?;
    let taken = start.elapsed();
    if status.success() { Ok(taken) } else { Err(io::Error::other(format!("{}: {status}", command.join(" ")))) }
}

/// Microseconds as milliseconds with two digits.
fn millis(micros: u128) -> String {
    let hundredths = (micros + 5) / 10;
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}
