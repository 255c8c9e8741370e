//! All answers of a few requests of a program, by trying everything: what Node's answers are compared with.

use std::collections::{BTreeSet, HashSet};
use std::rc::Rc;

use serval_compile::{Source, SourceRun, SourceStep};
use serval_diagnostic::Span;

use crate::node::Ours;

/// More states than these are not looked at.
const MOST_STATES: usize = 100_000;

/// The answers of these requests, by their names in the program. Nothing where there are too many states, or a step can
/// fail.
pub fn answers(source: &Source, requests: &[String]) -> Option<Ours> {
    let list = &source.program().requests;
    let bodies: Option<Vec<usize>> = requests.iter().map(|name| list.iter().position(|request| request.name == *name)).collect();
    let bodies = bodies?;
    Some(Ours { all: explored(source, &bodies, false)?, serial: explored(source, &bodies, true)? })
}

/// Where a request is.
#[derive(Clone)]
enum Whereabouts {
    /// It has not come.
    Away,
    /// It has come and done nothing.
    Come,
    /// It has done these steps, the last of which is this.
    Behind(Rc<SourceStep>),
    /// It has answered.
    Answered(i64),
}

#[derive(Clone)]
struct Moment {
    at: Vec<Whereabouts>,
    /// What the last step left behind.
    last: Option<Rc<SourceStep>>,
}

/// A request as far as it decides what can happen: whether it has come, its answer, its place and its locals. Requests
/// pause between statements only, so that nothing else is kept of them.
type KnownRequest = (bool, Option<i64>, Option<Span>, Vec<i64>);

impl Moment {
    /// The run of this moment: steps say what they leave behind, so that only the last of each request has to be made.
    fn run<'s>(&self, source: &'s Source, bodies: &[usize]) -> Option<SourceRun<'s>> {
        let mut run = source.start();
        for (thread, at) in (0_u32..).zip(&self.at) {
            let step = match at {
                Whereabouts::Away | Whereabouts::Answered(_) => continue,
                Whereabouts::Come => None,
                Whereabouts::Behind(step) => Some(step),
            };
            run.spawn(thread, *bodies.get(thread as usize)?);
            if let Some(step) = step {
                run.take(thread, step).ok()?;
            }
        }
        if let Some(last) = &self.last {
            // The globals are those behind the last step, of whichever request it was.
            let spare = u32::try_from(self.at.len()).ok()?;
            run.spawn(spare, *bodies.first()?);
            run.take(spare, last).ok()?;
            run.respond(spare).ok()?;
        }
        Some(run)
    }

    fn key(&self, run: &SourceRun<'_>) -> (Vec<i64>, Vec<KnownRequest>) {
        let known = (0_u32..).zip(&self.at).map(|(thread, at)| match at {
            Whereabouts::Away => (false, None, None, Vec::new()),
            Whereabouts::Answered(answer) => (true, Some(*answer), None, Vec::new()),
            Whereabouts::Come | Whereabouts::Behind(_) => {
                let locals = run.locals(thread).unwrap_or_default();
                (true, None, run.place(thread), locals.into_iter().map(|(_, value)| value).collect())
            }
        });
        (run.globals().to_vec(), known.collect())
    }
}

fn explored(source: &Source, bodies: &[usize], serial: bool) -> Option<Vec<Vec<i64>>> {
    let mut seen = HashSet::new();
    let mut found = BTreeSet::new();
    let mut open = vec![Moment { at: vec![Whereabouts::Away; bodies.len()], last: None }];
    while let Some(here) = open.pop() {
        let mut run = here.run(source, bodies)?;
        if !seen.insert(here.key(&run)) {
            continue;
        }
        if seen.len() > MOST_STATES {
            return None;
        }
        let answered = here.at.iter().map(|at| if let Whereabouts::Answered(answer) = at { Some(*answer) } else { None });
        if let Some(done) = answered.collect::<Option<Vec<i64>>>() {
            found.insert(done);
            continue;
        }
        let busy = serial && here.at.iter().any(|at| matches!(at, Whereabouts::Come | Whereabouts::Behind(_)));
        for (place, at) in here.at.iter().enumerate() {
            let mut next = here.clone();
            match at {
                Whereabouts::Answered(_) => {}
                Whereabouts::Away if busy => {}
                Whereabouts::Away => {
                    next.at[place] = Whereabouts::Come;
                    open.push(next);
                }
                Whereabouts::Come | Whereabouts::Behind(_) => {
                    let (steps, fault) = run.steps(u32::try_from(place).ok()?);
                    if fault.is_some() {
                        return None;
                    }
                    for step in steps {
                        let answer = step.answer();
                        let step = Rc::new(step);
                        let mut next = here.clone();
                        next.last = Some(Rc::clone(&step));
                        next.at[place] = answer.map_or(Whereabouts::Behind(step), Whereabouts::Answered);
                        open.push(next);
                    }
                }
            }
        }
    }
    Some(found.into_iter().collect())
}
