//! Follows a run of a report: who moves, what is read and written.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use super::reduce::{Reduced, Slots, TermId, Terms};
use super::term::Source;

/// What a step does to one global.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RetoldAccess {
    /// Its name.
    pub var: String,
    /// Whether it is written.
    pub writes: bool,
    /// The value read or written.
    pub value: i64,
}

/// A step of the report.
#[derive(Clone, Debug)]
pub struct Step {
    /// Who makes it.
    pub id: u32,
    /// The name of the request.
    pub request: String,
    /// What it reads and writes, in order; globals only.
    pub accesses: Vec<RetoldAccess>,
    /// Globals after the step, as far as they are given.
    pub after: BTreeMap<String, i64>,
    /// The answer, if the request has it now.
    pub answer: Option<i64>,
}

/// A configuration that fits what was told so far. `None` for a request that
/// has its answer.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Fits {
    globals: Vec<i64>,
    in_flight: BTreeMap<u32, Option<(TermId, Vec<i64>)>>,
}

/// Whether some run of the program is as told: the same requests make the same
/// steps in this order, with exactly these accesses.
///
/// # Errors
///
/// The position of the first step that no run fits, in words.
pub fn retell(source: &Source, steps: &[Step]) -> Result<(), String> {
    let mut names: BTreeSet<String> = source.globals.keys().cloned().collect();
    names.extend(source.requests.iter().flat_map(|(_, body)| body.globals()));
    let names: Vec<String> = names.into_iter().collect();
    let places: FxHashMap<String, u32> = names.iter().cloned().zip(0..).collect();
    let mut terms = Terms::default();
    let mut bodies: Vec<(&str, TermId, usize)> = Vec::new();
    for (name, body) in &source.requests {
        let mut slots = Slots::new(&places);
        let term = terms.intern(body, &mut slots);
        bodies.push((name, term, slots.local_count()));
    }
    let globals = names.iter().map(|name| source.globals.get(name).copied().unwrap_or(0)).collect();
    let mut fitting = BTreeSet::from([Fits { globals, in_flight: BTreeMap::new() }]);
    for (position, step) in steps.iter().enumerate() {
        let mut next = BTreeSet::new();
        for before in &fitting {
            let states: Vec<(TermId, Vec<i64>)> = match before.in_flight.get(&step.id) {
                Some(Some(state)) => vec![state.clone()],
                Some(None) => Vec::new(),
                // Bodies may share a name.
                None => bodies.iter().filter(|body| body.0 == step.request).map(|body| (body.1, vec![0; body.2])).collect(),
            };
            for (term, locals) in states {
                for (globals, state) in ends(&mut terms, &names, &before.globals, term, &locals, step)? {
                    let mut in_flight = before.in_flight.clone();
                    in_flight.insert(step.id, state);
                    next.insert(Fits { globals, in_flight });
                }
            }
        }
        let told = |fits: &Fits| names.iter().zip(&fits.globals).all(|(name, value)| step.after.get(name).is_none_or(|told| told == value));
        next.retain(told);
        if next.is_empty() {
            return Err(format!("step {}: no run does this: {step:?}", position + 1));
        }
        fitting = next;
    }
    if fitting.iter().any(|fits| fits.in_flight.values().all(Option::is_none)) { Ok(()) } else { Err("a request is left".to_owned()) }
}

type StepEnd = (Vec<i64>, Option<(TermId, Vec<i64>)>);

/// The ends of steps from here with exactly these accesses.
fn ends(terms: &mut Terms, names: &[String], globals: &[i64], term: TermId, locals: &[i64], step: &Step) -> Result<Vec<StepEnd>, String> {
    let store: Vec<i64> = globals.iter().chain(locals).copied().collect();
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    let mut open = vec![(term, store, 0)];
    while let Some((term, before, done)) = open.pop() {
        // The same with the same accesses behind it goes on as it did.
        if !seen.insert((term, before.clone(), done)) {
            continue;
        }
        if seen.len() > 200_000 {
            return Err("too many small steps".to_owned());
        }
        let mut store = before;
        terms.accessed = None;
        let reduced = terms.reduce(term, &mut store).map_err(|fault| fault.to_string())?;
        let mut done = done;
        if let Some((slot, writes, value)) = terms.accessed.take()
            && let Some(var) = names.get(slot.index())
        {
            let now = RetoldAccess { var: var.clone(), writes, value };
            if step.accesses.get(done) != Some(&now) {
                continue;
            }
            done += 1;
        }
        let complete = done == step.accesses.len();
        match reduced {
            Reduced::To(e) => open.push((e, store, done)),
            Reduced::Either(a, b) => {
                open.push((a, store.clone(), done));
                open.push((b, store, done));
            }
            Reduced::Value(v) | Reduced::Returns(v) if complete && step.answer == Some(v) => {
                found.push((store[..names.len()].to_vec(), None));
            }
            Reduced::Waits(e) if complete && step.answer.is_none() => {
                found.push((store[..names.len()].to_vec(), Some((e, store[names.len()..].to_vec()))));
            }
            Reduced::Value(_) | Reduced::Returns(_) | Reduced::Waits(_) | Reduced::Leaves(_) => {}
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(id: u32, accesses: &[(&str, bool, i64)], answer: Option<i64>) -> Step {
        let access = |&(var, writes, value): &(&str, bool, i64)| RetoldAccess { var: var.to_owned(), writes, value };
        let accesses = accesses.iter().map(access).collect();
        Step { id, request: "a".to_owned(), accesses, after: BTreeMap::new(), answer }
    }

    #[test]
    fn only_what_happens_is_believed() {
        let program = serval_syntax::analyze("request a { x := X; yield; X := x + 1; ? }").program.unwrap();
        let source = Source::from(&program);
        let (first, other) = (step(1, &[("X", false, 0)], None), step(2, &[("X", false, 0)], None));
        let run = [first.clone(), other, step(2, &[("X", true, 1)], Some(1)), step(1, &[("X", true, 1)], Some(0))];
        assert_eq!(retell(&source, &run), Ok(()));
        for (position, wrong) in [
            (0, step(1, &[("X", false, 1)], None)),
            (0, step(1, &[], None)),
            (2, step(2, &[("X", true, 2)], Some(1))),
            (2, step(2, &[("X", false, 1)], Some(1))),
            (3, step(1, &[("X", true, 1)], Some(2))),
            (3, step(1, &[("X", true, 1)], None)),
        ] {
            let mut run = run.clone();
            run[position] = wrong;
            assert!(retell(&source, &run).is_err(), "{position}");
        }
        assert!(retell(&source, &[first]).is_err());
        let mut run = run;
        run[2].after.insert("X".to_owned(), 2);
        assert!(retell(&source, &run).is_err());
    }
}
