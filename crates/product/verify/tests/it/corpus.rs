//! Replays the fuzzer's corpus of certificates: what is found once is checked
//! ever after, without the fuzzer and with the ordinary compiler.

#[path = "../../../../../fuzz/checks/certificate.rs"]
mod certificate;

use std::collections::BTreeSet;

use serval_proof::Condition;
use serval_verify::Outcome;

use crate::support::root;

#[test]
fn the_corpus_of_certificates_is_replayed() {
    let entries = std::fs::read_dir(root().join("fuzz/corpus/certificate")).unwrap();
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let (mut valid, mut refused, mut unreadable, mut seen) = (BTreeSet::new(), 0, 0, BTreeSet::new());
    for path in &files {
        // The fuzzer gives bytes that are no text no further thought either.
        let Ok(text) = String::from_utf8(std::fs::read(path).unwrap()) else { continue };
        println!("{}", path.file_name().unwrap().to_string_lossy());
        let Ok(outcomes) = certificate::check(&text) else {
            unreadable += 1;
            continue;
        };
        for outcome in outcomes {
            match outcome {
                Outcome::Valid(found) => {
                    valid.insert(found.kind.name());
                }
                Outcome::Invalid(rejection) => {
                    refused += 1;
                    seen.insert(rejection.condition);
                }
                _ => {}
            }
        }
    }
    println!("replayed {} files: {unreadable} are no certificates; {refused} times one was refused", files.len());
    assert_eq!(
        Vec::from_iter(valid),
        ["atomic", "cases", "components", "fault", "flow", "invariant", "letters", "points", "reduction", "run"],
        "kinds with a certificate that is accepted"
    );
    assert!(unreadable > 0 && refused > 0, "fuzz/corpus/certificate is empty or one-sided");
    // The fingerprint is made right before the check, components that share a request are not even read, and who checks
    // knows nets.
    let unseen = [Condition::Input, Condition::ComponentsRequests, Condition::CasesNets];
    let asked = |condition: &&Condition| !unseen.contains(condition);
    let missing = Condition::ALL.iter().filter(asked).filter(|condition| !seen.contains(&(**condition).into()));
    assert_eq!(missing.collect::<Vec<_>>(), [] as [&Condition; 0], "conditions without a file in the corpus");
}
