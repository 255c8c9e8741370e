//! Requests one at a time, with all that they read and write.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use super::reduce::{Reduced, Slots, TermId, Terms};
use super::retell::RetoldAccess;
use super::term::Source;

/// A way in which a request can go: what it reads and writes, in order, and its answer.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SerialWay {
    /// Reads and writes of globals.
    pub accesses: Vec<RetoldAccess>,
    /// The answer.
    pub answer: i64,
}

/// Small steps of one request at most.
const MOST: usize = 50_000;

/// All ways in which a request can go after others, which came one at a time and gave these answers. Nothing where
/// there are too many.
pub fn ways_after(source: &Source, before: &[(String, i64)], request: &str) -> Option<BTreeSet<SerialWay>> {
    let mut names: BTreeSet<String> = source.globals.keys().cloned().collect();
    names.extend(source.requests.iter().flat_map(|(_, body)| body.globals()));
    let names: Vec<String> = names.into_iter().collect();
    let places: FxHashMap<String, u32> = names.iter().cloned().zip(0..).collect();
    let mut terms = Terms::default();
    let mut bodies: BTreeMap<&str, Vec<(TermId, usize)>> = BTreeMap::new();
    for (name, body) in &source.requests {
        let mut slots = Slots::new(&places);
        let term = terms.intern(body, &mut slots);
        bodies.entry(name).or_default().push((term, slots.local_count()));
    }
    let initial: Vec<i64> = names.iter().map(|name| source.globals.get(name).copied().unwrap_or(0)).collect();
    let mut reached = BTreeSet::from([initial]);
    for (name, answer) in before {
        let mut next = BTreeSet::new();
        for globals in &reached {
            for &body in bodies.get(name.as_str())? {
                let ends = ends(&mut terms, &names, globals, body)?;
                next.extend(ends.into_iter().filter(|(way, _)| way.answer == *answer).map(|(_, globals)| globals));
            }
        }
        reached = next;
    }
    let mut ways = BTreeSet::new();
    for globals in &reached {
        for &body in bodies.get(request)? {
            ways.extend(ends(&mut terms, &names, globals, body)?.into_iter().map(|(way, _)| way));
        }
    }
    Some(ways)
}

/// All ways of a request alone, with the globals afterwards.
fn ends(terms: &mut Terms, names: &[String], globals: &[i64], (term, locals): (TermId, usize)) -> Option<Vec<(SerialWay, Vec<i64>)>> {
    let store: Vec<i64> = globals.iter().copied().chain(std::iter::repeat_n(0, locals)).collect();
    let mut found = Vec::new();
    let mut open = vec![(term, store, Vec::new())];
    let mut steps = 0;
    while let Some((term, mut store, mut accesses)) = open.pop() {
        steps += 1;
        if steps > MOST {
            return None;
        }
        terms.accessed = None;
        let Ok(reduced) = terms.reduce(term, &mut store) else { continue };
        if let Some((slot, writes, value)) = terms.accessed.take()
            && let Some(var) = names.get(slot.index())
        {
            accesses.push(RetoldAccess { var: var.clone(), writes, value });
        }
        match reduced {
            Reduced::To(e) | Reduced::Waits(e) => open.push((e, store, accesses)),
            Reduced::Either(a, b) => {
                open.push((a, store.clone(), accesses.clone()));
                open.push((b, store, accesses));
            }
            Reduced::Value(answer) | Reduced::Returns(answer) => {
                found.push((SerialWay { accesses, answer }, store[..names.len()].to_vec()));
            }
            Reduced::Leaves(how) => unreachable!("{how:?} outside of loops"),
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_come_one_after_the_other() {
        let text = "request a { x := X; yield; if (?) { X := x + 1 }; x }";
        let source = Source::from(&serval_syntax::analyze(text).program.unwrap());
        let answers = |before: &[(String, i64)]| -> BTreeSet<i64> {
            ways_after(&source, before, "a").unwrap().into_iter().map(|way| way.answer).collect()
        };
        assert_eq!(answers(&[]), BTreeSet::from([0]));
        assert_eq!(answers(&[("a".to_owned(), 0)]), BTreeSet::from([0, 1]));
        assert_eq!(answers(&[("a".to_owned(), 3)]), BTreeSet::new());
        let ways = ways_after(&source, &[], "a").unwrap();
        assert_eq!(ways.iter().map(|way| way.accesses.len()).collect::<Vec<_>>(), [1, 2]);
    }
}
