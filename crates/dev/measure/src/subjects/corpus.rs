//! Files for the fuzzer's corpus of certificates: one for each condition that refuses none of the files there, and one
//! for each kind of which none is accepted.

#[path = "../../../../../fuzz/checks/certificate.rs"]
mod certificate;

use std::collections::BTreeSet;
use std::path::Path;

use serval_proof::Condition;
use serval_soundness::requests::hostile::attacks::attack;
use serval_soundness::requests::hostile::draw::Draw;
use serval_soundness::requests::hostile::{Pool, Size};
use serval_verify::Outcome;

use crate::page::Page;

/// Attempts for each condition.
const ATTEMPTS: u64 = 2_000;
/// Nothing but the inputs that the fuzzer checks certificates against.
const SIZE: Size = Size { systems: 0, programs: 0, joined: 0, edits: 0 };
/// The fingerprint is made right before the check, components that share a request are not even read, and the checker
/// here knows nets.
const NEVER: [Condition; 3] = [Condition::Input, Condition::ComponentsRequests, Condition::CasesNets];

/// Completes the corpus in a directory.
pub fn page(directory: &Path) -> Result<Page, String> {
    let mut page = Page::new(
        "The corpus of certificates",
        "A certificate for each condition that refuses none of those that were there, and one for each kind of which none was\n\
         accepted.",
    );
    complete(directory, &mut page)?;
    Ok(page)
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

/// Writes the certificates that are missing.
fn complete(directory: &Path, page: &mut Page) -> Result<(), String> {
    let cannot = |error: std::io::Error| format!("cannot read {}: {error}", directory.display());
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
            write(directory, &format!("{}-{kind}.json", pool.targets[sample.target].name), &sample.text, page)?;
        }
    }
    for condition in Condition::ALL.iter().filter(|condition| !NEVER.contains(condition)).map(|condition| condition.name()) {
        if refusing.contains(condition) {
            continue;
        }
        let attempts = (0..ATTEMPTS).filter_map(|number| attack(condition, &pool, &mut Draw::new(1, number)));
        let mut texts = attempts.map(|(_, value)| value.to_string());
        match texts.find(|text| seen(text).0.contains(condition)) {
            Some(text) => write(directory, &format!("refused-{}.json", condition.replace('.', "-")), &text, page)?,
            None => page.fail(format!("no certificate was found that {condition} refuses")),
        }
    }
    Ok(())
}

fn write(directory: &Path, name: &str, text: &str, page: &mut Page) -> Result<(), String> {
    let path = directory.join(name);
    std::fs::write(&path, format!("{text}\n")).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    page.line(format!("- `{}`", path.display()));
    Ok(())
}
