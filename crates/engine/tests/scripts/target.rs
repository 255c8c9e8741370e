//! Systems that scripts are tried on, and what came of it.

use std::collections::BTreeMap;
use std::time::Instant;

use serval_budget::{Budget, Cancel};
use serval_model::{NetworkSystem, completed_multisets, serial_multisets, systems_to_json};
use serval_proof::script::Entry;
use serval_proof::{Body, Caps, Certificate, Claim, Part, Refusal, Systems, check, fingerprint};
use serval_testkit::say;

/// A system, its text, and what brute force says about it, once asked.
pub(crate) struct Target {
    text: String,
    system: NetworkSystem,
    clear: Option<Option<usize>>,
    counted: bool,
}

impl Target {
    pub(crate) fn new(system: NetworkSystem) -> Self {
        Self { text: systems_to_json(std::slice::from_ref(&system)), system, clear: None, counted: false }
    }

    pub(crate) fn system(&self) -> &NetworkSystem {
        &self.system
    }

    /// Up to how many requests all is well; `None` if it is not serializable.
    pub(crate) fn clear_up_to(&mut self) -> Option<usize> {
        *self.clear.get_or_insert_with(|| clear_up_to(&self.system))
    }
}

/// Up to how many requests, at most four, brute force finds that all is well;
/// `None` if it finds a counterexample.
fn clear_up_to(system: &NetworkSystem) -> Option<usize> {
    let mut clear = 0;
    for requests in 1..=4 {
        let budget = || Budget::ticks(if requests <= 2 { 2_000_000 } else { 200_000 });
        let Ok(interleaved) = completed_multisets(system, requests, &mut budget()) else { break };
        let Ok(serial) = serial_multisets(system, requests, &mut budget()) else { break };
        if !interleaved.is_subset(&serial) {
            return None;
        }
        clear = requests;
    }
    Some(clear)
}

#[derive(Default)]
pub(crate) struct Counts {
    pub(crate) tried: u64,
    /// Those that are accepted or refused for the conditions of a rule.
    pub(crate) reached: u64,
    pub(crate) accepted: u64,
    /// Targets of tried scripts that are not serializable.
    pub(crate) refuted_targets: u64,
    /// Scripts that were tried on those.
    of_refuted: u64,
    pub(crate) rejected: BTreeMap<&'static str, u64>,
    /// Of the accepted ones, how many requests brute force could try.
    clear: BTreeMap<usize, u64>,
    too_large: u64,
}

impl Counts {
    /// Checks a script for a system, with the system's own fingerprint.
    pub(crate) fn try_script(&mut self, target: &mut Target, script: &[Entry]) {
        let body = Body::Part(Part::Atomic(script.to_vec()));
        let accepted = self.try_body(&target.text, std::slice::from_ref(&target.system), body);
        let clear = target.clear_up_to();
        if !std::mem::replace(&mut target.counted, true) {
            self.refuted_targets += u64::from(clear.is_none());
        }
        self.of_refuted += u64::from(clear.is_none());
        if accepted {
            assert!(clear.is_some(), "a false claim is accepted: {}\n{script:?}", target.text);
            *self.clear.entry(clear.unwrap_or(0)).or_default() += 1;
        }
    }

    /// Checks a script per component for a program.
    pub(crate) fn try_program(&mut self, text: &str, systems: &[NetworkSystem], scripts: &[Vec<Entry>]) {
        let parts = scripts.iter().cloned().map(Part::Atomic).collect();
        if self.try_body(text, systems, Body::Components(parts)) {
            for system in systems {
                let clear = clear_up_to(system);
                assert!(clear.is_some(), "a false claim is accepted:\n{text}\n{scripts:?}");
                *self.clear.entry(clear.unwrap_or(0)).or_default() += 1;
            }
        }
    }

    fn try_body(&mut self, text: &str, systems: &[NetworkSystem], body: Body) -> bool {
        let certificate = Certificate { input: fingerprint(text), component: 0, claim: Claim::Serializable, body };
        let input = Systems { text, systems: systems.iter().collect() };
        let caps = Caps { ticks: 5_000_000, ..Caps::default() };
        self.tried += 1;
        match check(&input, &certificate, &caps, &Cancel::new()) {
            Ok(()) => {
                self.reached += 1;
                self.accepted += 1;
                true
            }
            Err(Refusal::Invalid(rejection)) => {
                let condition = rejection.condition.name();
                let outside = condition.starts_with("parts.") || ["input", "script.numbers"].contains(&condition);
                self.reached += u64::from(!outside);
                *self.rejected.entry(condition).or_default() += 1;
                false
            }
            Err(Refusal::TooLarge(_)) => {
                self.too_large += 1;
                false
            }
            Err(other) => panic!("{other:?}"),
        }
    }

    pub(crate) fn tell(&self, what: &str, start: Instant) {
        let Self { tried, reached, accepted, refuted_targets, of_refuted, too_large, .. } = self;
        say(&format!(
            "{what}: {tried} scripts tried, {reached} reached a rule, {accepted} accepted, none wrongly, {too_large} too large; \
             {of_refuted} of them for {refuted_targets} systems that are not serializable; {:?}",
            start.elapsed()
        ));
        say(&format!("  accepted, by the number of requests that brute force tried: {:?}", self.clear));
        for (condition, count) in &self.rejected {
            say(&format!("  {count:>7} {condition}"));
        }
    }
}
