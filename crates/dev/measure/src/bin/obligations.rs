//! Puts what makes proofs proofs to other solvers, and writes a Markdown page.
//!
//! `obligations DIRECTORY…`, with programs in the directories. Ends with 1 if an
//! answer is not `unsat`, or a solver is missing.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use serval_engine::portfolio::Method;
use serval_measure::obligations::{ask, files, is_for, of_file};
use serval_testkit::solvers::Outside;

/// Milliseconds for one question.
const LIMIT: u32 = 30_000;

fn main() -> ExitCode {
    let directories: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    match page(&directories, &mut io::stdout().lock()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(message) => {
            let _ = writeln!(io::stderr(), "error: {message}");
            ExitCode::from(2)
        }
    }
}

fn page(directories: &[PathBuf], out: &mut impl Write) -> Result<bool, String> {
    if directories.is_empty() {
        return Err("usage: obligations DIRECTORY…".to_owned());
    }
    let solvers = Outside::all(LIMIT);
    let names: Vec<&str> = solvers.iter().map(|outside| outside.name).collect();
    let files = files(directories)?;
    let mut print = |line: &str| writeln!(out, "{line}").map_err(|error| error.to_string());
    print("# Obligations for other solvers")?;
    print("")?;
    print(
        "Written by `scripts/measure obligations DIRECTORY…`. An obligation is a file that `serval export --to smtlib` writes; it is right",
    )?;
    print("if the answer is `unsat`. Times are those of one process per program, which answers all its files, in milliseconds.")?;
    let mut fine = solvers.len() == 2;
    let ways: [(&str, &[Method]); 2] = [
        ("As `serval check` proves it", Method::ALL),
        ("Without reductions (`--method flow`)", &[Method::Search, Method::Flow, Method::Bounded]),
    ];
    for (title, methods) in ways {
        print("")?;
        print(&format!("## {title}"))?;
        print("")?;
        print(&format!("| program | files | bytes | {} |", names.join(" | ")))?;
        print(&format!("|---|---:|---:|{}", "---:|".repeat(names.len())))?;
        let (mut programs, mut count, mut bytes) = (0, 0, 0);
        let mut times = vec![0; solvers.len()];
        let mut wrong: Vec<String> = Vec::new();
        let left_out: Vec<String> = files
            .iter()
            .filter(|file| !is_for(file, methods))
            .map(|file| format!("`{}`", file.file_name().unwrap_or_default().to_string_lossy()))
            .collect();
        for file in files.iter().filter(|file| is_for(file, methods)) {
            let Some(obligations) = of_file(file, methods)? else { continue };
            let asked = ask(file, &obligations, &solvers);
            programs += 1;
            count += asked.files;
            bytes += asked.bytes;
            let mut cells = Vec::new();
            for (index, (time, others)) in asked.answers.iter().enumerate() {
                times[index] += time.as_millis();
                cells.push(time.as_millis().to_string());
                wrong.extend(others.iter().map(|other| format!("{} {}: {other}", asked.name, names[index])));
            }
            print(&format!("| {} | {} | {} | {} |", asked.name, asked.files, asked.bytes, cells.join(" | ")))?;
        }
        let times: Vec<String> = times.iter().map(u128::to_string).collect();
        print(&format!("| {programs} programs | {count} | {bytes} | {} |", times.join(" | ")))?;
        print("")?;
        print(&match wrong.len() {
            0 => format!("All {count} are `unsat` for {}.", names.join(" and for ")),
            wrong => format!("{wrong} answers are not `unsat`:"),
        })?;
        if !left_out.is_empty() {
            print("")?;
            print(&format!("Not asked, because counting alone does not decide them in a reasonable time: {}.", left_out.join(", ")))?;
        }
        for line in &wrong {
            print(&format!("- {line}"))?;
        }
        fine &= wrong.is_empty() && count > 0;
    }
    Ok(fine)
}
