//! Files for the fuzzer's corpus of certificates: one for each condition that
//! refuses none of the files there, and one for each kind of which none is
//! accepted.
//!
//! `corpus DIRECTORY`, the one with the corpus, which is
//! `fuzz/corpus/certificate`. Says on standard output what was written; ends
//! with status 1 if something is still missing.

#[path = "../../../../../fuzz/checks/certificate.rs"]
mod certificate;

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use serval_proof::Condition;
use serval_soundness::hostile::attacks::attack;
use serval_soundness::hostile::draw::Draw;
use serval_soundness::hostile::{Pool, Size};
use serval_verify::Outcome;

/// Attempts for each condition.
const ATTEMPTS: u64 = 2_000;
/// Nothing but the inputs that the fuzzer checks certificates against.
const SIZE: Size = Size { systems: 0, programs: 0, joined: 0, edits: 0 };
/// The fingerprint is made right before the check, components that share a request are not even read, and who checks knows nets.
const NEVER: [Condition; 3] = [Condition::Input, Condition::ComponentsRequests, Condition::CasesNets];

fn main() -> ExitCode {
    let Some(directory) = std::env::args().nth(1) else {
        let _ = writeln!(io::stderr(), "error: usage: corpus DIRECTORY");
        return ExitCode::from(2);
    };
    match complete(Path::new(&directory)) {
        Ok(missing) if missing.is_empty() => ExitCode::SUCCESS,
        Ok(missing) => {
            let _ = writeln!(io::stderr(), "error: nothing found for {}", missing.join(", "));
            ExitCode::from(1)
        }
        Err(why) => {
            let _ = writeln!(io::stderr(), "error: {why}");
            ExitCode::from(1)
        }
    }
}

/// The conditions that refuse a certificate for one of the inputs, and the kinds that one of them accepts.
fn seen(text: &str) -> (BTreeSet<&'static str>, BTreeSet<&'static str>) {
    let (mut refusing, mut accepted) = (BTreeSet::new(), BTreeSet::new());
    for outcome in certificate::check(text).into_iter().flatten() {
        match outcome {
            Outcome::Valid(valid) => drop(accepted.insert(valid.kind.name())),
            Outcome::Invalid(rejection) => drop(refusing.insert(rejection.condition.name())),
            _ => {}
        }
    }
    (refusing, accepted)
}

/// Writes what is missing; tells what could not be found.
fn complete(directory: &Path) -> Result<Vec<&'static str>, String> {
    let cannot = |error: io::Error| format!("cannot read {}: {error}", directory.display());
    let (mut refusing, mut accepted) = (BTreeSet::new(), BTreeSet::new());
    for entry in std::fs::read_dir(directory).map_err(cannot)? {
        let Ok(text) = std::fs::read_to_string(entry.map_err(cannot)?.path()) else { continue };
        let (by, kinds) = seen(&text);
        refusing.extend(by);
        accepted.extend(kinds);
    }
    let inputs: Vec<(String, String)> =
        (1..).zip(&certificate::INPUTS).map(|(number, input)| (format!("input{number}"), input.0.to_owned())).collect();
    let pool = Pool::new(&inputs, SIZE, 1)?;
    for sample in &pool.samples {
        if let Some(kind) = seen(&sample.text).1.into_iter().find(|kind| !accepted.contains(kind)) {
            accepted.insert(kind);
            write(directory, &format!("{}-{kind}.json", pool.targets[sample.target].name), &sample.text)?;
        }
    }
    let mut missing = Vec::new();
    for condition in Condition::ALL.iter().filter(|condition| !NEVER.contains(condition)).map(|condition| condition.name()) {
        if refusing.contains(condition) {
            continue;
        }
        let attempts = (0..ATTEMPTS).filter_map(|number| attack(condition, &pool, &mut Draw::new(1, number)));
        let mut texts = attempts.map(|(_, value)| value.to_string());
        match texts.find(|text| seen(text).0.contains(condition)) {
            Some(text) => write(directory, &format!("refused-{}.json", condition.replace('.', "-")), &text)?,
            None => missing.push(condition),
        }
    }
    Ok(missing)
}

fn write(directory: &Path, name: &str, text: &str) -> Result<(), String> {
    let path = directory.join(name);
    std::fs::write(&path, format!("{text}\n")).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    let _ = writeln!(io::stdout(), "{}", path.display());
    Ok(())
}
