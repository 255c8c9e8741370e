//! Evidence of ours that the checker refuses: a bug, with a reproduction.

use std::path::Path;

use serval::{Refused, fingerprint};
use serval_report::escape;

use crate::input::{self, File};
use crate::output::{say, write_file};

/// Saves what is needed to find the bug in `directory`, says so, and gives the reason.
pub(super) fn report(file: &File, refused: &Refused, directory: &Path) -> String {
    let (name, text) = (&file.name, file.input.text());
    let why = refused.outcome.line(name, "certificate", text);
    let path = directory.join(format!("serval-bug-{}.txt", fingerprint(text)));
    let version = env!("CARGO_PKG_VERSION");
    let (name, certificate) = (escape::name(name), &refused.certificate);
    let reproduction = format!("serval {version}\n{why}\n\n--- input {name}\n{text}\n--- certificate\n{certificate}\n");
    let saved = match write_file(&path, &reproduction) {
        Ok(()) => format!("a reproduction is saved in {}", input::shown(&path)),
        Err(_) => "a reproduction could not be saved".to_owned(),
    };
    say(&format!("internal error: the checker refuses our evidence: {why}\nthis is a bug in serval; {saved}\n"));
    format!("internal error: {why}; {saved}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serval::Input;
    use serval_proof::{Body, Certificate, Claim, RunCertificate};

    #[test]
    fn refused_evidence_is_an_internal_error_with_a_reproduction() {
        let input = Input::program("request a { X := 1 - X }").unwrap();
        // The empty run has serial answers: none.
        let certificate = Certificate {
            input: fingerprint(input.text()),
            component: 0,
            claim: Claim::NotSerializable,
            body: Body::Run(RunCertificate::default()),
        };
        let refused = Refused { outcome: input.verify(&certificate.to_json(), &serval::Cancel::new()), certificate: certificate.to_json() };
        let file = File { name: "a.ser".to_owned(), input };
        let directory = std::env::temp_dir().join(format!("serval-internal-{}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        let reason = report(&file, &refused, &directory);
        let saved: Vec<_> = std::fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert_eq!(saved.len(), 1);
        assert!(reason.contains(&saved[0].display().to_string()) && reason.contains("run.serial"), "{reason}");
        let kept = std::fs::read_to_string(&saved[0]).unwrap();
        assert!(kept.contains(file.input.text()) && kept.contains("serval-certificate"));
        std::fs::remove_dir_all(&directory).unwrap();
    }
}
