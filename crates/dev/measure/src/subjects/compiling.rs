//! How compiling grows with the size of a program. Each row is measured in a process of its own, so that its peak of
//! memory is its own.

use std::io::{self, Write};
use std::process::Command;
use std::time::Instant;

use serval_budget::Budget;
use serval_compile::{Options, compile};
use serval_families::Family;
use serval_syntax::analyze;
use serval_testkit::peak_memory_mib;

use super::output;
use crate::page::Page;

/// What is measured: a family and its sizes, up to a million steps.
const ROWS: &[(&str, &[usize])] = &[
    ("counter", &[10, 100, 1_000, 10_000, 100_000, 500_000]),
    ("counter_racy", &[10, 50, 100, 200, 400, 710]),
    ("lock", &[10, 100, 1_000, 10_000]),
    ("flips", &[10, 100, 1_000]),
    ("ring", &[11, 101, 1_001]),
    ("watch", &[12, 120, 1_200]),
    ("monitors", &[2, 4, 6, 8, 9]),
    ("monitors_atomic", &[4, 12, 24]),
    ("bank", &[4, 8, 16]),
    ("bank_split", &[2, 4, 6, 8]),
    ("route", &[10, 40, 160]),
    ("two_locks", &[2, 3, 4, 5, 6]),
];

/// Compiles each family at its sizes.
pub fn page() -> Result<Page, String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut page = Page::new("Compiling", "Times are for one core and include parsing; memory is the peak of a process of its own.");
    page.table(&["family", ">n", ">globals", ">locals", ">steps", ">ms", ">peak MiB"]);
    for (name, sizes) in ROWS {
        for n in *sizes {
            let output = output(Command::new(&own).args(["compiling-row", name, n.to_string().as_str()]))?;
            if !output.status.success() {
                return Err(format!("{name} {n}: {}", String::from_utf8_lossy(&output.stderr)));
            }
            page.line(String::from_utf8_lossy(&output.stdout).trim_end());
        }
    }
    Ok(page)
}

/// Compiles one program, and prints its row.
pub fn print_row(name: &str, n: usize) -> Result<(), String> {
    let family = Family::named(name).ok_or_else(|| format!("there is no family {name}"))?;
    let text = family.program(n);
    let start = Instant::now();
    let program = analyze(&text).program.ok_or("the program has errors")?;
    let compiled = compile(&program, Options::default(), &Budget::unlimited()).map_err(|error| format!("{error:?}"))?;
    let elapsed = start.elapsed();
    let (mut globals, mut locals, mut steps) = (0, 0, 0);
    for component in compiled.components() {
        globals += component.system().global_count();
        locals += component.system().local_count();
        steps += component.system().steps().len();
    }
    let tenths = elapsed.as_micros() / 100;
    let memory = peak_memory_mib().map_or("?".to_owned(), |mib| mib.to_string());
    let mut out = io::stdout().lock();
    writeln!(out, "| {name} | {n} | {globals} | {locals} | {steps} | {}.{} | {memory} |", tenths / 10, tenths % 10)
        .map_err(|error| error.to_string())
}
