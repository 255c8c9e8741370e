//! What a report on a counterexample says about fixes.

use serval_proof::{Body, Certificate, Claim};
use serval_report::fix::{FixHint, Fixable, KeptPauses, OfferedRefusal};

use crate::repair::{self, Outcome, Proposal, repair_in_time, repair_refuted_in_all_ways};
use crate::{Content, Input, Options};

/// Looks for fixes of a program that is not serializable, as this certificate of a run shows, with little effort. This
/// is what [`decide`](crate::decide()) does where the options ask for fixes; alone it is for who wants to tell the
/// verdict first. `None` for network systems.
///
/// ```
/// use serval::{Input, Options, Verdict, decide, fix_hint};
/// let input = Input::program("request add { x := N; yield; N := (x + 1) % 3; N }").unwrap();
/// let options = Options::default();
/// let decision = decide(&input, &options);
/// let Verdict::NotSerializable(evidence, _) = &decision.verdict else { panic!() };
/// assert_eq!(fix_hint(&input, &evidence.certificate, &options).unwrap().alternatives, [[[1, 23]]]);
/// ```
pub fn fix_hint(input: &Input, certificate: &str, options: &Options) -> Option<FixHint> {
    let Content::Program(_) = input.content() else { return None };
    let Certificate { component, body: Body::Run(run), claim, .. } = Certificate::from_json(certificate).ok()? else { return None };
    let strict = claim == Claim::NotStrict;
    let (keep, style) = (options.keep.clone(), options.style);
    let effort = repair::Options { jobs: options.jobs, keep, style, ..repair::Options::hint() };
    let repaired = match strict {
        true => repair_in_time(input, effort, &options.cancel),
        false => repair_refuted_in_all_ways(input, &run, component, effort, &options.cancel),
    };
    let (outcome, reason) = match &repaired.outcome {
        _ if !repaired.kept.is_empty() => (Fixable::Found, None),
        // What will do is worth a line, even if a part of it may be enough.
        Outcome::Undecided(..) if !repaired.candidates.is_empty() => (Fixable::Found, None),
        Outcome::Fixed(_) => (Fixable::Found, None),
        Outcome::NoFix(why) => (Fixable::None, Some(why.clone())),
        Outcome::Undecided(why, _) => (Fixable::Unknown, Some(why.clone())),
        Outcome::Refused(why) => (Fixable::Unknown, Some(format!("the checker refuses our evidence for a fix, a bug in serval: {why}"))),
        Outcome::Serializable | Outcome::Unusable(_) => return None,
    };
    let fixes = match &repaired.outcome {
        Outcome::Fixed(fixes) => fixes.as_slice(),
        _ => repaired.candidates.as_slice(),
    };
    let place = |&index: &usize| repaired.yields.get(index).map(|one| [one.place.line, one.place.column]);
    let room = PROPOSED.saturating_sub(repaired.kept.len());
    let kept: Vec<KeptPauses> = repaired.kept.iter().map(kept_pauses).collect();
    let removals = if kept.is_empty() { fixes } else { &fixes[..room.min(fixes.len())] };
    let alternatives: Vec<Vec<[u32; 2]>> = removals.iter().map(|fix| fix.set.iter().filter_map(place).collect()).collect();
    let step = |&index: &usize| repaired.yields.get(index).and_then(|one| one.step);
    let steps = removals.iter().map(|fix| fix.set.iter().map(step).collect::<Option<Vec<_>>>().unwrap_or_default()).collect();
    let diffs = repaired.kept.iter().map(|kept| kept.diff.clone()).chain(removals.iter().map(|fix| fix.diff.clone())).collect();
    let texts = repaired.kept.iter().map(|kept| kept.text.clone()).chain(removals.iter().map(|fix| fix.text.clone())).collect();
    let smallest = repaired.smallest && repaired.candidates.is_empty();
    Some(FixHint { outcome, kept, alternatives, steps, diffs, texts, smallest, strict, reason })
}

/// What is listed at most where something keeps every pause.
const PROPOSED: usize = 3;

/// A repair that keeps every pause, as it is reported.
pub fn kept_pauses(proposal: &Proposal) -> KeptPauses {
    let refusal = |(request, answer): &(String, String)| OfferedRefusal { request: request.clone(), answer: answer.clone() };
    let (lock, requests) = proposal.lock.clone().unzip();
    KeptPauses {
        kind: proposal.kind.name(),
        changes: proposal.words.clone(),
        refusals: proposal.refusals.iter().map(refusal).collect(),
        lock,
        requests: requests.unwrap_or_default(),
    }
}
