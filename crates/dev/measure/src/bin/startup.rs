//! How long `serval` takes before it does anything, beside a program that does nothing: a Markdown table on standard output.
//!
//! `startup SERVAL`, with the path of the program. The commands take turns, so that whatever else the machine does
//! falls on all of them alike.

use std::io::{self, Write};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

/// How often each command is run.
const RUNS: usize = 200;

fn main() -> ExitCode {
    match std::env::args().nth(1).map(|serval| measured(&serval)) {
        Some(Ok(page)) if io::stdout().write_all(page.as_bytes()).is_ok() => ExitCode::SUCCESS,
        Some(Err(error)) => {
            let _ = writeln!(io::stderr(), "startup: {error}");
            ExitCode::FAILURE
        }
        _ => {
            let _ = writeln!(io::stderr(), "usage: startup SERVAL");
            ExitCode::from(2)
        }
    }
}

fn measured(serval: &str) -> io::Result<String> {
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
    for _ in 0..RUNS {
        for ((_, command), times) in commands.iter().zip(&mut times) {
            times.push(time(command)?);
        }
    }
    std::fs::remove_file(&tiny)?;
    let mut page = format!(
        "# Start-up\n\nWritten by `scripts/measure startup`: {RUNS} runs of each, in turns. The program is `request flip {{ X := 1 - X }}`.\n\n\
         | command | median, ms | above `true`, ms | least, ms |\n|---|---:|---:|---:|\n"
    );
    let mut nothing = 0;
    for ((name, _), times) in commands.iter().zip(&mut times) {
        times.sort_unstable();
        let (median, least) = (times[RUNS / 2].as_micros(), times[0].as_micros());
        if *name == "true" {
            nothing = median;
        }
        let above = if *name == "true" { "–".to_owned() } else { millis(median.saturating_sub(nothing)) };
        page.push_str(&format!("| `{name}` | {} | {above} | {} |\n", millis(median), millis(least)));
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
