//! Random programs in the core language with all their answers, as the naive interpreter finds them, for the
//! comparison with the proved development.
//!
//! A program is a line `== NUMBER`, its text, a line `-- interleaved K`, a line for each answer of at most `K`
//! requests, a line `-- serial`, and the same for those. An answer is `NAME=VALUE` for each request, in order, with
//! blanks between; a program that can fail has `fault` instead of all that.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use serval_syntax::{Program, analyze, core_of};
use serval_testkit::naive::{Caps, Completed, Naive, Rejected, Source};
use serval_testkit::random::{Shape, random_convenience, random_program, random_source};

/// Programs with more configurations are compared with fewer requests, or not at all.
const CAPS: Caps = Caps { configurations: 4_000, small_steps: 2_000 };
/// How many requests come, at most.
const REQUESTS: usize = 3;

/// Writes so many programs to a file.
pub fn write(path: &Path, count: u64, seed: u64) -> Result<(), String> {
    let mut out = String::new();
    for number in 0..count {
        let seed = seed.wrapping_mul(1_000_000).wrapping_add(number);
        let kind = usize::try_from(number).unwrap_or(0) % (Shape::WITH_EDGES.len() + 1);
        let (text, source) = match Shape::WITH_EDGES.get(kind) {
            Some(&shape) => (random_program(seed, shape), random_source(seed, shape)),
            None => {
                let made = random_convenience(seed);
                (made.text, made.source)
            }
        };
        let program = analyze(&text).program.ok_or_else(|| format!("program {seed} is none"))?;
        if let Some(answers) = answers(&program, &source) {
            let _ = write!(out, "== {seed}\n{}{answers}", core_of(&program).text);
        }
    }
    std::fs::write(path, out).map_err(|error| format!("{}: {error}", path.display()))
}

/// All answers of as many requests as are not too many.
fn answers(program: &Program, source: &Source) -> Option<String> {
    let core = core_of(program);
    let called: BTreeMap<&str, &str> =
        program.requests.iter().zip(&core.requests).map(|(request, (name, _))| (request.name.as_str(), name.as_str())).collect();
    for requests in (1..=REQUESTS).rev() {
        let mut naive = Naive::new(source);
        match (naive.completed(requests, CAPS), naive.serial(requests, CAPS)) {
            (Ok(interleaved), Ok(serial)) => {
                let mut out = format!("-- interleaved {requests}\n");
                written(&mut out, &interleaved, &called);
                out.push_str("-- serial\n");
                written(&mut out, &serial, &called);
                return Some(out);
            }
            (Err(Rejected::Fault(_)), _) => return Some(format!("-- interleaved {requests}\nfault\n")),
            _ => {}
        }
    }
    None
}

fn written(out: &mut String, answers: &Completed, called: &BTreeMap<&str, &str>) {
    let line = |answer: &Vec<(String, i64)>| {
        let mut each: Vec<String> =
            answer.iter().map(|(name, value)| format!("{}={value}", called.get(name.as_str()).copied().unwrap_or(name))).collect();
        each.sort_unstable();
        each.join(" ")
    };
    let mut lines: Vec<String> = answers.iter().map(line).collect();
    lines.sort_unstable();
    for line in lines {
        let _ = writeln!(out, "{line}");
    }
}
