//! Counterexamples by trying everything, on programs as they are explored.

use std::collections::{BTreeSet, VecDeque};
use std::path::{Path, PathBuf};

use serval_budget::{Budget, Cancel, Stopped};
use serval_compile::{Lazy, Options, Prepared};
use serval_engine::search::run_certificate;

use serval_model::{Halt, Move, Moves, Run, SerialExplorer, enabled_moves};
use serval_proof::{Body, Caps, Certificate, Claim, RunCertificate, fingerprint};
use serval_verify::{InputKind, Outcome, verify};

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

pub(crate) fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap()
}

/// The program, ready to be explored.
pub(crate) fn prepared(text: &str) -> Prepared {
    Prepared::new(&serval_syntax::analyze(text).program.unwrap(), Options::default())
}

/// A certificate around a run.
pub(crate) fn certificate(text: &str, component: usize, run: RunCertificate) -> Certificate {
    Certificate { input: fingerprint(text), component, claim: Claim::NotSerializable, body: Body::Run(run) }
}

/// A certificate with at most `requests` requests, if there is one and it is
/// found among so many configurations.
pub(crate) fn counterexample(text: &str, requests: usize, configurations: u64) -> Option<Certificate> {
    let prepared = prepared(text);
    (0..prepared.component_count()).find_map(|component| {
        let mut lazy = prepared.lazy(component);
        let run = (1..=requests).find_map(|requests| search(&mut lazy, requests, &mut Budget::ticks(configurations)).ok().flatten())?;
        Some(certificate(text, component, run_certificate(&lazy, &run)))
    })
}

fn search(lazy: &mut Lazy<'_>, requests: usize, budget: &mut Budget) -> Result<Option<Run>, Halt<serval_compile::Fault>> {
    let mut explorer = SerialExplorer::new(&mut *lazy);
    let (mut seen, mut decided) = (BTreeSet::new(), BTreeSet::new());
    let mut queue = VecDeque::from([Run::new(explorer.system().initial_global())]);
    while let Some(run) = queue.pop_front() {
        budget.spend(1)?;
        let now = run.configuration();
        if now.is_complete() && decided.insert(now.completed.clone()) && !explorer.contains(&now.completed, budget)? {
            return Ok(Some(run));
        }
        let size = now.in_flight.len() + usize::try_from(now.completed.size()).unwrap();
        for chosen in enabled_moves(explorer.system_mut(), now).map_err(Halt::System)? {
            if size >= requests && matches!(chosen, Move::Spawn { .. }) {
                continue;
            }
            let mut next = run.clone();
            next.perform(chosen).map_err(|_| Halt::Budget(Stopped::OutOfTicks))?;
            let then = next.configuration();
            if seen.insert((then.global, then.places(), then.completed.clone())) {
                queue.push_back(next);
            }
        }
    }
    Ok(None)
}

/// Verifies with the defaults.
pub(crate) fn verified(text: &str, kind: InputKind, certificate: &str) -> Outcome {
    verify(text, kind, certificate, &Caps::default(), &Cancel::new())
}

/// The condition that does not hold.
pub(crate) fn condition(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Invalid(rejection) => rejection.condition.name(),
        other => panic!("{other:?}"),
    }
}

/// A fresh directory for one test.
pub(crate) fn directory(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    path
}
