//! What came of scripts that were tried.

use std::collections::{BTreeMap, BTreeSet};

use serval_budget::Cancel;
use serval_model::{NetworkSystem, systems_to_json};
use serval_proof::script::Entry;
use serval_proof::{Body, Caps, Certificate, Claim, Part, Refusal, Systems, check};
use serval_soundness::requests::hostile::targets::Target;
use serval_testkit::say;

/// Ticks of one enumeration.
const BRUTE_TICKS: u64 = 200_000;

/// A system that scripts are tried on.
pub(crate) fn target(system: NetworkSystem) -> Target {
    Target::of("a system", systems_to_json(std::slice::from_ref(&system)), vec![system])
}

/// Up to how many requests, at most four, brute force finds that all is well;
/// `None` if it finds a counterexample.
pub(crate) fn clear_up_to(target: &Target) -> Option<usize> {
    let each = target.brute(BRUTE_TICKS).iter().map(|tried| match tried {
        Some((requests, serializable)) => serializable.then_some(*requests),
        None => Some(0),
    });
    each.min().flatten()
}

#[derive(Default)]
pub(crate) struct Counts {
    pub(crate) tried: u64,
    /// Those that are accepted or refused for the conditions of a rule.
    pub(crate) reached: u64,
    pub(crate) accepted: u64,
    /// The fingerprints of targets that are not serializable.
    pub(crate) refuted: BTreeSet<String>,
    /// Scripts that were tried on those.
    of_refuted: u64,
    pub(crate) rejected: BTreeMap<&'static str, u64>,
    /// Of the accepted ones, how many requests brute force could try.
    clear: BTreeMap<usize, u64>,
    too_large: u64,
}

impl Counts {
    /// What was counted in all of them.
    pub(crate) fn together(parts: impl Iterator<Item = Self>) -> Self {
        let mut sum = Self::default();
        for part in parts {
            sum.tried += part.tried;
            sum.reached += part.reached;
            sum.accepted += part.accepted;
            sum.refuted.extend(part.refuted);
            sum.of_refuted += part.of_refuted;
            part.rejected.into_iter().for_each(|(condition, count)| *sum.rejected.entry(condition).or_default() += count);
            part.clear.into_iter().for_each(|(requests, count)| *sum.clear.entry(requests).or_default() += count);
            sum.too_large += part.too_large;
        }
        sum
    }

    /// Checks a script for a system.
    pub(crate) fn try_script(&mut self, target: &Target, script: &[Entry]) {
        self.try_scripts(target, &[script.to_vec()]);
    }

    /// Checks a script for each component of a target, with its own fingerprint.
    pub(crate) fn try_scripts(&mut self, target: &Target, scripts: &[Vec<Entry>]) {
        let mut parts: Vec<Part> = scripts.iter().cloned().map(Part::Atomic).collect();
        let body = if target.systems.len() == 1 && parts.len() == 1 { Body::Part(parts.remove(0)) } else { Body::Components(parts) };
        let accepted = self.is_accepted(target, body);
        let clear = clear_up_to(target);
        if clear.is_none() {
            self.refuted.insert(target.print.clone());
            self.of_refuted += 1;
        }
        if accepted {
            assert!(clear.is_some(), "a false claim is accepted: {}\n{scripts:?}", target.text);
            *self.clear.entry(clear.unwrap_or(0)).or_default() += 1;
        }
    }

    fn is_accepted(&mut self, target: &Target, body: Body) -> bool {
        let certificate = Certificate { input: target.print.clone(), component: 0, claim: Claim::Serializable, body };
        let input = Systems { text: &target.text, systems: target.systems.iter().collect() };
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
            Err(Refusal::TooLarge { .. }) => {
                self.too_large += 1;
                false
            }
            Err(other) => panic!("{other:?}"),
        }
    }

    pub(crate) fn tell(&self, what: &str) {
        let Self { tried, reached, accepted, of_refuted, too_large, .. } = self;
        say(&format!(
            "{what}: {tried} scripts tried, {reached} reached a rule, {accepted} accepted, none wrongly, {too_large} too large; \
             {of_refuted} of them for {} systems that are not serializable",
            self.refuted.len()
        ));
        say(&format!("  accepted, by the number of requests that brute force tried: {:?}", self.clear));
        for (condition, count) in &self.rejected {
            say(&format!("  {count:>7} {condition}"));
        }
    }
}
