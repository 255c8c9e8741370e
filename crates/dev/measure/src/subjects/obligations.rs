//! Puts the obligations of proofs to other solvers.

use std::path::PathBuf;

use serval_engine::portfolio::Method;
use serval_testkit::solvers::Outside;

use crate::obligations::{ask, files, is_for, of_file};
use crate::page::Page;

/// Milliseconds for one question.
const LIMIT: u32 = 30_000;

/// Puts the obligations of the programs in directories to other solvers.
pub fn page(directories: &[PathBuf]) -> Result<Page, String> {
    let solvers = Outside::all(LIMIT);
    let names: Vec<&str> = solvers.iter().map(|outside| outside.name).collect();
    let files = files(directories)?;
    let mut page = Page::new(
        "Obligations for other solvers",
        "An obligation is a file that `serval export --to smtlib` writes; it is right if the answer is `unsat`. Times are those\n\
         of one process per program, which answers all its files, in milliseconds.",
    );
    if solvers.len() < 2 {
        page.fail("a solver is missing");
    }
    let ways: [(&str, &[Method]); 2] = [
        ("As `serval check` proves it", Method::ALL),
        ("Without reductions (`--method flow`)", &[Method::Search, Method::Flow, Method::Bounded]),
    ];
    for (title, methods) in ways {
        page.section(title);
        page.line(format!("| program | files | bytes | {} |", names.join(" | ")));
        page.line(format!("|---|---:|---:|{}", "---:|".repeat(names.len())));
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
            page.line(format!("| {} | {} | {} | {} |", asked.name, asked.files, asked.bytes, cells.join(" | ")));
        }
        let times: Vec<String> = times.iter().map(u128::to_string).collect();
        page.line(format!("| {programs} programs | {count} | {bytes} | {} |", times.join(" | ")));
        page.line("");
        page.line(match wrong.len() {
            0 => format!("All {count} are `unsat` for {}.", names.join(" and for ")),
            wrong => format!("{wrong} answers are not `unsat`:"),
        });
        if !left_out.is_empty() {
            page.line("");
            page.line(format!("Not asked, because counting alone does not decide them in a reasonable time: {}.", left_out.join(", ")));
        }
        wrong.into_iter().for_each(|line| page.fail(line));
        if count == 0 {
            page.fail(format!("{title}: there is no obligation"));
        }
    }
    Ok(page)
}
