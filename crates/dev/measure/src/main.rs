//! The program `measure`.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use serval_measure::arguments::Arguments;
use serval_measure::page::Provenance;

/// How many of the things that are wrong are told at length.
const SHOWN: usize = 10;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(&arguments) {
        Ok(code) => code,
        Err(message) => {
            // A closed standard error is no reason to fail in another way.
            let _ = writeln!(io::stderr(), "error: {message}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &Arguments) -> Result<ExitCode, String> {
    let (start, words) = (Instant::now(), std::env::args().skip(1).collect::<Vec<_>>().join(" "));
    let Some(page) = arguments.subject.page(&arguments.out)? else { return Ok(ExitCode::SUCCESS) };
    let made = Provenance::of_this(format!("measure {words}"), start.elapsed().as_secs());
    let mut out = io::stdout().lock();
    let printed = if arguments.out == Path::new("-") {
        out.write_all(page.text(&made).as_bytes())
    } else {
        let paths = page.write(&arguments.out, arguments.subject.name(), &made)?;
        paths.iter().try_for_each(|path| writeln!(out, "{}", path.display()))
    };
    printed.map_err(|error| error.to_string())?;
    for why in page.wrong().iter().take(SHOWN) {
        let _ = writeln!(io::stderr(), "error: {why}");
    }
    Ok(ExitCode::from(u8::from(!page.wrong().is_empty())))
}
