//! Whether a claim is true, by code that shares nothing with the checker.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use serval_model::{GlobalId, LocalId, NetworkSystem, RequestId, ResponseId};
use serval_proof::Claim;

use super::targets::Target;
use serval_syntax::analyze;
use serval_testkit::naive::{Caps, Naive, Rejected, Source};

/// Configurations that the serial check of one run may visit.
const SERIAL_LIMIT: usize = 200_000;

/// Requests of which it is tried whether a step fails, and how much that may take.
const NAIVE_REQUESTS: usize = 3;
const NAIVE: Caps = Caps { configurations: 6_000, small_steps: 3_000 };

/// What could be found out about a certificate that was accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Truth {
    /// Trying everything with at most this number of requests agrees.
    Tried(usize),
    /// The run was followed, and no serial run has its answers.
    Followed,
    /// Nothing could be compared.
    Unknown,
}

/// Whether an accepted certificate is right; the error says why it is not.
pub fn truth(target: &Target, certificate: &Value, ticks: u64) -> Result<Truth, String> {
    let (claim, kind) = (certificate["claim"].as_str(), certificate["kind"].as_str());
    match (claim, kind) {
        (
            Some("serializable"),
            Some("atomic" | "flow" | "invariant" | "letters" | "cases" | "components" | "reduction" | "in-flight" | "points"),
        ) => {
            if target.verdict == Some(Claim::NotSerializable) {
                return Err("there is a counterexample, but it was called serializable".to_owned());
            }
            all_fine(target.brute(ticks), "can do more than they can one after the other")
        }
        (Some("strict"), Some("atomic" | "components" | "reduction" | "in-flight" | "points")) => {
            if target.verdict == Some(Claim::NotSerializable) {
                return Err("there is a counterexample, but it was called strict".to_owned());
            }
            all_fine(target.in_time(usize::try_from(ticks).unwrap_or(usize::MAX)), "have a run that no order in time explains")
        }
        (Some("not-serializable" | "not-strict"), Some("run")) => {
            let in_time = claim == Some("not-strict");
            if target.verdict == Some(Claim::Serializable) && !in_time {
                return Err("there is a proof, but a run was accepted".to_owned());
            }
            let component = certificate["component"].as_u64().and_then(|number| usize::try_from(number).ok());
            let system = component.and_then(|component| target.systems.get(component)).ok_or("there is no such component")?;
            follow(system, certificate, in_time)
        }
        (Some("fault"), Some("fault")) => naively(target, true),
        (Some("safe"), Some("closure" | "reduction")) if !target.is_json() => naively(target, false),
        // Systems have no step that fails.
        (Some("safe"), Some("closure")) => Ok(Truth::Unknown),
        _ => Err(format!("a certificate of kind {kind:?} that claims {claim:?}")),
    }
}

/// What is known of components of which each should be fine.
fn all_fine(tried: &[Option<(usize, bool)>], wrong: &str) -> Result<Truth, String> {
    if let Some((requests, _)) = tried.iter().flatten().find(|(_, fine)| !fine) {
        return Err(format!("{requests} requests {wrong}"));
    }
    let fewest = tried.iter().map(|tried| tried.map_or(0, |(requests, _)| requests)).min();
    Ok(fewest.filter(|&requests| requests > 0).map_or(Truth::Unknown, Truth::Tried))
}

/// Whether some run of a few requests fails, by the evaluation contexts of the language, as was claimed or denied.
fn naively(target: &Target, claimed: bool) -> Result<Truth, String> {
    let program = analyze(&target.text).program.ok_or("a failure of something that is no program")?;
    let mut naive = Naive::new(&Source::from(&program));
    for requests in 1..=NAIVE_REQUESTS {
        match naive.completed(requests, NAIVE) {
            Ok(_) => {}
            Err(Rejected::Fault(_)) if claimed => return Ok(Truth::Tried(requests)),
            Err(Rejected::Fault(_)) => return Err(format!("a step fails with {requests} requests, but it was called safe")),
            Err(Rejected::TooLarge) if claimed || requests == 1 => return Ok(Truth::Unknown),
            Err(Rejected::TooLarge) => return Ok(Truth::Tried(requests - 1)),
        }
    }
    // Only what needs more requests than were tried can be otherwise.
    match (target.fails(), claimed) {
        (true, true) => Ok(Truth::Unknown),
        (false, true) => Err("nothing fails, but a failure was accepted".to_owned()),
        (true, false) => Err("a step fails, but it was called safe".to_owned()),
        (false, false) => Ok(Truth::Tried(NAIVE_REQUESTS)),
    }
}

/// Follows a run by name and looks for a serial run with the same answers, where it matters in an order that extends
/// the one in time.
fn follow(system: &NetworkSystem, certificate: &Value, in_time: bool) -> Result<Truth, String> {
    let mut global = system.initial_global();
    let mut flying: BTreeMap<u64, (RequestId, LocalId)> = BTreeMap::new();
    let mut gone: BTreeSet<u64> = BTreeSet::new();
    // When requests came, and the others with their answers, in the order in which they gave them.
    let mut came: BTreeMap<u64, usize> = BTreeMap::new();
    let mut served: Vec<Interval> = Vec::new();
    let mut answers: BTreeMap<(RequestId, ResponseId), u64> = BTreeMap::new();
    let events = certificate["steps"].as_array().ok_or("no steps")?;
    for (number, event) in events.iter().enumerate() {
        let wrong = |what: &str| format!("event {}: {what}", number + 1);
        let id = event["id"].as_u64().ok_or_else(|| wrong("no number"))?;
        let text = |value: &Value| value.as_str().map(str::to_owned).ok_or_else(|| wrong("no name"));
        match event["kind"].as_str() {
            Some("spawn") => {
                let request = system.request_named(&text(&event["request"])?).ok_or_else(|| wrong("an unknown request"))?;
                let local = system.local_named(&text(&event["local"])?).ok_or_else(|| wrong("an unknown local state"))?;
                if !system.starts().contains(&(request, local)) {
                    return Err(wrong("a request that does not start there"));
                }
                if gone.contains(&id) || flying.insert(id, (request, local)).is_some() {
                    return Err(wrong("a number for the second time"));
                }
                came.insert(id, number);
            }
            Some("step") => {
                let &(request, local) = flying.get(&id).ok_or_else(|| wrong("not in flight"))?;
                let same = text(&event["from"]["local"])? == system.local_name(local)
                    && text(&event["from"]["global"])? == system.global_name(global);
                let to_local = system.local_named(&text(&event["to"]["local"])?);
                let to_global = system.global_named(&text(&event["to"]["global"])?);
                let step = system.steps().iter().find(|step| {
                    (step.local, step.global) == (local, global) && (Some(step.to_local), Some(step.to_global)) == (to_local, to_global)
                });
                let step = step.filter(|_| same).ok_or_else(|| wrong("no such step"))?;
                global = step.to_global;
                flying.insert(id, (request, step.to_local));
            }
            Some("respond") => {
                let (request, local) = flying.remove(&id).ok_or_else(|| wrong("not in flight"))?;
                gone.insert(id);
                let response = system.response_named(&text(&event["response"])?).ok_or_else(|| wrong("an unknown response"))?;
                if text(&event["local"])? != system.local_name(local) || !system.answers().contains(&(local, response)) {
                    return Err(wrong("no such response"));
                }
                *answers.entry((request, response)).or_default() += 1;
                served.push(Interval { letter: (request, response), came: came[&id], answered: number });
            }
            _ => return Err(wrong("no event")),
        }
    }
    if !flying.is_empty() {
        return Err("requests are left in flight".to_owned());
    }
    let mut said: BTreeMap<(String, String), u64> = BTreeMap::new();
    for entry in certificate["completed"].as_array().ok_or("no answers")? {
        let name = |field: &str| entry[field].as_str().unwrap_or_default().to_owned();
        *said.entry((name("request"), name("response"))).or_default() += entry["count"].as_u64().ok_or("no count")?;
    }
    let given = answers.iter().map(|(&(request, response), &count)| {
        ((system.request_name(request).to_owned(), system.response_name(response).to_owned()), count)
    });
    if said != given.collect() {
        return Err("the answers are others than those listed".to_owned());
    }
    match if in_time { is_in_order(system, &served) } else { is_serial(system, &answers) } {
        Some(true) => Err("a serial run has the same answers".to_owned()),
        Some(false) => Ok(Truth::Followed),
        None => Ok(Truth::Unknown),
    }
}

/// A request with its answer, and between which events it was in flight.
struct Interval {
    letter: (RequestId, ResponseId),
    came: usize,
    answered: usize,
}

/// Whether requests one after the other can give these answers, each before those that came when it had answered, by
/// trying all orders; `None` if there are too many.
fn is_in_order(system: &NetworkSystem, served: &[Interval]) -> Option<bool> {
    let first = (system.initial_global(), vec![false; served.len()]);
    let mut seen = BTreeSet::from([first.clone()]);
    let mut to_visit = vec![first];
    while let Some((global, there)) = to_visit.pop() {
        let open: Vec<&Interval> = served.iter().zip(&there).filter(|(_, there)| !**there).map(|(one, _)| one).collect();
        if open.is_empty() {
            return Some(true);
        }
        if seen.len() > SERIAL_LIMIT {
            return None;
        }
        for (number, next) in served.iter().enumerate().filter(|&(number, _)| !there[number]) {
            if open.iter().any(|earlier| earlier.answered < next.came) {
                continue;
            }
            let mut with = there.clone();
            with[number] = true;
            for after in alone(system, global, next.letter) {
                if seen.insert((after, with.clone())) {
                    to_visit.push((after, with.clone()));
                }
            }
        }
    }
    Some(false)
}

/// Whether requests one after the other can give these answers, by trying all
/// orders; `None` if there are too many.
fn is_serial(system: &NetworkSystem, answers: &BTreeMap<(RequestId, ResponseId), u64>) -> Option<bool> {
    let letters: Vec<(RequestId, ResponseId)> = answers.keys().copied().collect();
    let mut ends: BTreeMap<(GlobalId, usize), Vec<GlobalId>> = BTreeMap::new();
    let first = (system.initial_global(), answers.values().copied().collect::<Vec<u64>>());
    let mut seen = BTreeSet::from([first.clone()]);
    let mut to_visit = vec![first];
    while let Some((global, left)) = to_visit.pop() {
        if left.iter().all(|&count| count == 0) {
            return Some(true);
        }
        if seen.len() > SERIAL_LIMIT {
            return None;
        }
        for (number, &letter) in letters.iter().enumerate().filter(|&(number, _)| left[number] > 0) {
            for &after in ends.entry((global, number)).or_insert_with(|| alone(system, global, letter)).iter() {
                let mut fewer = left.clone();
                fewer[number] -= 1;
                if seen.insert((after, fewer.clone())) {
                    to_visit.push((after, fewer));
                }
            }
        }
    }
    Some(false)
}

/// The global states that a request alone can leave behind when it answers so.
fn alone(system: &NetworkSystem, global: GlobalId, (request, response): (RequestId, ResponseId)) -> Vec<GlobalId> {
    let mut to_visit: Vec<(LocalId, GlobalId)> =
        system.starts().iter().filter(|start| start.0 == request).map(|&(_, local)| (local, global)).collect();
    let mut seen: BTreeSet<(LocalId, GlobalId)> = to_visit.iter().copied().collect();
    let mut ends = BTreeSet::new();
    while let Some((local, global)) = to_visit.pop() {
        if system.answers().contains(&(local, response)) {
            ends.insert(global);
        }
        for step in system.steps().iter().filter(|step| (step.local, step.global) == (local, global)) {
            if seen.insert((step.to_local, step.to_global)) {
                to_visit.push((step.to_local, step.to_global));
            }
        }
    }
    ends.into_iter().collect()
}
