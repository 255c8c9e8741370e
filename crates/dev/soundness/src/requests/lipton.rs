//! Proofs on the program text, on random programs.
//!
//! A proof by reduction enumerates no state, so that nothing that enumerates
//! them shares its mistakes. Here it is asked about programs of which many are
//! nearly serializable ([`programs`]): whatever it proves, its certificate has
//! to be accepted by the checker, and neither the methods that work on states
//! nor the naive interpreter may find answers that are not serial, or an error
//! ([`judge()`]). What it does not prove is counted by what it is. Certificates that
//! lie are those of a program, changed, and those of a program that was changed
//! behind their back ([`forged`]).

pub mod forged;
pub mod judge;
pub mod programs;

use std::collections::BTreeMap;

use serval_budget::{Budget, Cancel};
use serval_compile::{Options, Prepared};
use serval_model::SplitMix64;
use serval_proof::{Body, Certificate, Claim, fingerprint};
use serval_syntax::analyze;
use serval_verify::{Caps, InputKind, Outcome, verify};

use judge::{Judgement, judge};

use crate::Merge;

/// Ticks for one proof.
const TICKS: u64 = 2_000_000;

/// Fields of certificates that need not be there, and what they say.
const RULES: [(&str, &str); 13] = [
    ("yields", "extra yields"),
    ("additions", "additions without their lock"),
    ("late", "late looks"),
    ("validated", "validated reads"),
    ("attempts", "attempts in several steps"),
    ("sums", "sums"),
    ("owners", "owners"),
    ("counts", "counts"),
    ("exclusions", "exclusions"),
    ("dooms", "doom"),
    ("known", "what is known at points"),
    ("tickets", "tickets are drawn"),
    ("bodies", "few requests stand for all"),
];

/// How often what came out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// For each origin of programs, each thing that can come out.
    pub counts: BTreeMap<(&'static str, &'static str), u64>,
}

impl Tally {
    fn count(&mut self, origin: &'static str, what: &'static str) {
        *self.counts.entry((origin, what)).or_default() += 1;
    }

    /// How often this came out, whatever the origin.
    pub fn of(&self, what: &str) -> u64 {
        self.counts.iter().filter(|((_, out), _)| *out == what).map(|(_, count)| count).sum()
    }

    /// As JSON: for each origin what came out how often.
    pub fn to_json(&self) -> serde_json::Value {
        let mut rows: BTreeMap<&str, BTreeMap<&str, u64>> = BTreeMap::new();
        for (&(origin, what), &count) in &self.counts {
            rows.entry(origin).or_default().insert(what, count);
            *rows.entry("all").or_default().entry(what).or_default() += count;
        }
        serde_json::json!(rows)
    }
}

impl Merge for Tally {
    fn absorb(&mut self, other: Self) {
        self.counts.absorb(other.counts);
    }
}

/// The certificate for a program that is proved, in its JSON form.
pub fn proved(text: &str) -> Option<String> {
    let program = analyze(text).program?;
    let prepared = Prepared::new(&program, Options::default());
    certificate(text, &prepared)
}

/// The proof of a program that is ready to be executed, if one is found.
fn certificate(text: &str, prepared: &Prepared) -> Option<String> {
    let found = serval_lipton_engine::prove(prepared, &mut Budget::ticks(TICKS)).ok()?;
    let body = Body::Reduction(Box::new(found.reduction));
    Some(Certificate { input: fingerprint(text), component: 0, claim: Claim::Serializable, body }.to_json())
}

/// Tries one program and, if it is proved, certificates that lie; an error is
/// what is wrong, with the program.
pub fn try_all(origin: &'static str, text: &str, tally: &mut Tally) -> Result<(), String> {
    let Some(certificate) = try_program(origin, text, tally)? else { return Ok(()) };
    let own = text.bytes().fold(0, |sum: u64, byte| sum.wrapping_mul(31).wrapping_add(u64::from(byte)));
    forged::try_forged(text, &certificate, &mut SplitMix64::new(own), tally).map(|_| ())
}

/// Tries one program: its certificate, if it is proved. An error is what is wrong, with the program.
pub fn try_program(origin: &'static str, text: &str, tally: &mut Tally) -> Result<Option<String>, String> {
    tried(origin, text, tally).map_err(|why| format!("{why}:\n{text}"))
}

fn tried(origin: &'static str, text: &str, tally: &mut Tally) -> Result<Option<String>, String> {
    let Some(program) = analyze(text).program else {
        tally.count(origin, "no program");
        return Ok(None);
    };
    let certificate = certificate(text, &Prepared::new(&program, Options::default()));
    let judgement = judge(&program);
    let what = match (&certificate, &judgement) {
        (None, Judgement::Serializable) => "open, serializable",
        (None, Judgement::Refuted(_)) => "open, not serializable",
        (None, Judgement::Fails(_)) => "open, an error",
        (None, Judgement::Unknown(_)) => "open, unknown",
        (Some(certificate), judgement) => {
            let used = serde_json::from_str::<serde_json::Value>(certificate).unwrap_or_default();
            for (field, what) in RULES {
                if used["reduction"][field].as_array().is_some_and(|said| !said.is_empty()) {
                    tally.count("proofs", what);
                }
            }
            if !accepted(text, certificate)? {
                return Err("the certificate is too large to be checked".to_owned());
            }
            match judgement {
                Judgement::Refuted(why) => return Err(format!("proved, but {why}")),
                Judgement::Fails(why) => return Err(format!("proved to have no error, but {why}")),
                Judgement::Serializable => "proved, agreed",
                Judgement::Unknown(3..) => "proved, three requests agree",
                Judgement::Unknown(2) => "proved, two requests agree",
                Judgement::Unknown(_) => "proved, others do not know",
            }
        }
    };
    tally.count(origin, what);
    Ok(certificate)
}

/// Whether the checker accepts a certificate; an error says why it refuses.
fn accepted(text: &str, certificate: &str) -> Result<bool, String> {
    match verify(text, InputKind::Program, certificate, &Caps::default(), &Cancel::new()) {
        Outcome::Valid(_) => Ok(true),
        Outcome::TooLarge(_) => Ok(false),
        refused => Err(format!("refused: {}", refused.line("program", "certificate", text))),
    }
}
