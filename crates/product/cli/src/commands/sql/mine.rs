//! `serval sql mine`: scripts from the log of a server.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;
use std::process::ExitCode;

use serval::sql::mine::{LogFormat, MinedWorkload, Miner};
use serval_report::escape;

use crate::args::SqlMine;
use crate::failure::Failure;
use crate::input::{Messages, shown};
use crate::output::{say, write_file, write_to};

/// How much of a log is read at once.
const PIECE: usize = 1 << 16;

pub(super) fn run(args: &SqlMine, messages: Messages) -> Result<ExitCode, Failure> {
    let mut miner: Option<Miner> = None;
    for path in &args.logs {
        feed(path, &mut miner)?;
    }
    let names: Vec<String> = args.logs.iter().map(|path| shown(path)).collect();
    let nothing = |why: &dyn std::fmt::Display| Failure::message(format!("no script can be made of {}: {why}", names.join(", ")));
    let Some(miner) = miner else { return Err(nothing(&"it is empty")) };
    let mined = miner.finish().map_err(|why| nothing(&why))?;
    written(&mined, &args.out)?;
    if !messages.quiet {
        write_to(None, &told(&mined, &args.out))?;
        for note in &mined.notes {
            say(&format!("note: {}\n", escape::line(note)));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn feed(path: &Path, miner: &mut Option<Miner>) -> Result<(), Failure> {
    let fail = |error: std::io::Error| Failure::message(format!("cannot read {}: {error}", shown(path)));
    let mut input: Box<dyn Read> =
        if path == Path::new("-") { Box::new(std::io::stdin()) } else { Box::new(File::open(path).map_err(fail)?) };
    let (mut piece, mut is_first) = (vec![0; PIECE], true);
    loop {
        let length = match input.read(&mut piece) {
            Ok(0) => return Ok(()),
            Ok(length) => length,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(fail(error)),
        };
        let bytes = &piece[..length];
        if std::mem::take(&mut is_first) {
            let format = LogFormat::of(&path.to_string_lossy(), bytes);
            match miner {
                Some(miner) => miner.next_file(format),
                None => *miner = Some(Miner::new(format)),
            }
        }
        if let Some(miner) = miner {
            miner.feed(bytes);
        }
    }
}

/// All scripts, or none: nothing else that is there is written over.
fn written(mined: &MinedWorkload, out: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(out).map_err(|error| Failure::message(format!("cannot make the directory {}: {error}", shown(out))))?;
    let mut files = Vec::new();
    for script in &mined.scripts {
        let path = out.join(format!("{}.sql", script.name));
        match std::fs::read(&path) {
            Ok(known) if known == script.text.as_bytes() => {}
            Ok(_) => return Err(Failure::message(format!("{} is there already: give another directory", shown(&path)))),
            Err(_) => files.push((path, script.text.as_str())),
        }
    }
    let settings = out.join("serval.toml");
    if !settings.exists() {
        files.push((settings, mined.settings.as_str()));
    }
    files.iter().try_for_each(|(path, text)| write_file(path, text))
}

fn told(mined: &MinedWorkload, out: &Path) -> String {
    let mut text = format!(
        "{} statements, {} transactions: {} scripts in {}\n",
        mined.statements,
        mined.transactions,
        mined.scripts.len(),
        shown(out)
    );
    let widest = mined.scripts.iter().map(|script| script.name.len()).max().unwrap_or(0);
    for script in &mined.scripts {
        let _ = writeln!(text, "  {:<widest$}  {}", script.name, script.count);
    }
    if mined.failed > 0 {
        let _ = writeln!(text, "left out: attempts that failed ({})", mined.failed);
    }
    for left in &mined.left_out {
        let _ = writeln!(text, "left out: {} ({})", escape::line(&left.kind), left.count);
    }
    if !out.join("schema.sql").exists() && !out.join("migrations").exists() {
        let _ = writeln!(text, "next: pg_dump --schema-only DATABASE > {}", shown(&out.join("schema.sql")));
    }
    text
}
