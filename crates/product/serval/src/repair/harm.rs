//! What removing `yield`s must not do, though it leaves serial behaviour alone.
//!
//! A `yield` in a loop that waits for others is needed: without it the loop
//! spins within one step, no other request gets a turn, and the wait never ends. In
//! a network system such a step has no end and so does not exist, which makes
//! the program look as if the request had waited politely. So loops that
//! spin are asked for at the compiler, which meets them; requests that can
//! answer, and requests that get stuck, are asked for at the system.
//!
//! A request that answers in some complete serial run does so without the
//! `yield`s too (lemma 2). One that needs others to answer might do so only in
//! runs that leave a request waiting for ever; so for these a complete run of
//! few requests is asked for, if there was one before.
//!
//! A program without any loop needs no states for that: each of its requests comes to its answer after a bounded number
//! of steps of its own, whatever others do, and removing words or joining steps leaves it so. A proof says that no step
//! fails.
//!
//! States are an over-approximation, so that a loop may be said to spin that
//! never does: a set may be refused without need, but none is offered that
//! makes a loop spin that did not.

use std::collections::BTreeSet;

use serval_budget::{Budget, Cancel, Stopped};
use serval_compile::Compiled;
use serval_engine::stuck::find_stuck;

use serval_model::{NetworkSystem, RequestId, SerialAutomaton, completed_multisets};
use serval_syntax::{ExprKind, LineIndex, Program, Span};

/// Ticks for finding requests that get stuck, per component.
const STUCK_TICKS: u64 = 50_000;
/// Ticks for the complete runs of few requests, and for the serial ones, per component.
const COMPLETE_TICKS: u64 = 100_000;
/// Requests in those runs.
const FEW: usize = 3;

/// What can go wrong for the requests of a program, to compare a changed one with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Hazards {
    /// Loops that can spin for ever within a step.
    spins: BTreeSet<Span>,
    /// Requests that can never answer.
    silent: BTreeSet<String>,
    /// Requests that can get stuck.
    stuck: BTreeSet<String>,
    /// Requests that answer in complete runs of few requests, but in no
    /// complete serial run.
    helped: BTreeSet<String>,
}

impl Hazards {
    pub(crate) fn of(compiled: &Compiled, cancel: &Cancel) -> Self {
        let mut hazards = Self::default();
        for component in compiled.components() {
            let system = component.system();
            hazards.spins.extend(component.spins());
            // What is not found within the budget is not compared.
            let helped = helped(system, cancel).unwrap_or_default();
            hazards.helped.extend(helped.into_iter().map(|request| system.request_name(request).to_owned()));
            let silent = system.requests().filter(|&request| !can_answer(system, request));
            hazards.silent.extend(silent.map(|request| system.request_name(request).to_owned()));
            let stuck = find_stuck(system, &mut Budget::new(STUCK_TICKS, cancel.clone()));
            hazards.stuck.extend(stuck.iter().map(|stuck| system.request_name(stuck.request).to_owned()));
        }
        hazards
    }

    /// What is worse here than `before`, in words. Loops are known by their
    /// places if these are the same as before.
    pub(crate) fn worse_than(&self, before: &Self, text: &str, same_places: bool) -> Option<String> {
        if let Some(silent) = self.silent.difference(&before.silent).next() {
            return Some(format!("`{silent}` could never answer"));
        }
        if !same_places && self.spins.len() > before.spins.len() {
            return Some("a loop could spin for ever and let no other request run".to_owned());
        }
        if let Some(spin) = self.spins.difference(&before.spins).next().filter(|_| same_places) {
            let line = LineIndex::new(text).position(text, spin.start).line;
            return Some(format!("the loop on line {line} could spin for ever and let no other request run"));
        }
        if let Some(left) = before.helped.difference(&self.helped).next() {
            return Some(format!("`{left}` could no longer answer in a run of up to {FEW} requests that all answer"));
        }
        self.stuck.difference(&before.stuck).next().map(|stuck| format!("`{stuck}` could get stuck for ever"))
    }
}

/// Whether every request comes to an end, whatever others do: there is no loop, and so no wait.
pub(crate) fn always_ends(program: &Program) -> bool {
    let mut loops = false;
    for request in &program.requests {
        request.body.visit(&mut |part| loops |= matches!(part.kind, ExprKind::While { .. }));
    }
    !loops
}

/// Whether some way through its local states leads to an answer.
fn can_answer(system: &NetworkSystem, request: RequestId) -> bool {
    let mut seen = vec![false; system.local_count()];
    let mut stack: Vec<_> = system.starts().iter().filter(|start| start.0 == request).map(|start| start.1).collect();
    while let Some(local) = stack.pop() {
        if std::mem::replace(&mut seen[local.index()], true) {
            continue;
        }
        if !system.answers_of(local).is_empty() {
            return true;
        }
        stack.extend(system.steps_of(local).iter().map(|step| step.to_local));
    }
    false
}

/// The requests that need others to answer, and can with few of them.
fn helped(system: &NetworkSystem, cancel: &Cancel) -> Result<BTreeSet<RequestId>, Stopped> {
    let mut budget = Budget::new(COMPLETE_TICKS, cancel.clone());
    let serial = SerialAutomaton::new(system, &mut budget)?;
    let alone: BTreeSet<RequestId> = serial.letters().into_iter().map(|letter| letter.0).collect();
    if system.requests().all(|request| alone.contains(&request)) {
        return Ok(BTreeSet::new());
    }
    let runs = completed_multisets(system, FEW, &mut budget)?;
    let answering = runs.iter().flat_map(|answers| answers.iter().map(|(letter, _)| letter.0));
    Ok(answering.filter(|request| !alone.contains(request)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serval_compile::{Options, compile};

    fn of(text: &str) -> Hazards {
        let program = serval_syntax::analyze(text).program.unwrap();
        Hazards::of(&compile(&program, Options::default(), &Budget::unlimited()).unwrap(), &Cancel::new())
    }

    #[test]
    fn a_wait_that_gives_nobody_a_turn_spins() {
        let polite = "request take { while (L == 1) { yield }; L := 1; yield; L := 0; 1 }";
        let rude = "request take { while (L == 1) { 0     }; L := 1; yield; L := 0; 1 }";
        assert_eq!(of(polite), Hazards::default());
        let why = of(rude).worse_than(&of(polite), rude, true).unwrap();
        assert!(why.contains("line 1 could spin"), "{why}");
        // If no request ever sees the lock taken the loop does no harm.
        assert_eq!(of("request take { while (L == 1) { 0 }; L := 1; L := 0; 1 }"), Hazards::default());
    }

    #[test]
    fn a_loop_that_spins_after_a_choice_is_seen() {
        let text = "request a { if (?) { while (X == 1) { 0 } }; X := 1; yield; X := 0; 1 }";
        assert_eq!(of(text).spins.len(), 1);
        // One that can always be left is no harm.
        assert_eq!(of("request a { while (?) { X := 1 - X }; X }").spins.len(), 0);
        assert_eq!(of("request a { x := ?; while (x < 2) { x := ? + ? }; X := x; X }").spins.len(), 0);
    }

    #[test]
    fn who_cannot_answer_is_silent() {
        assert_eq!(of("request a { while (1) { yield } }  request b { X := 1 - X }").silent, BTreeSet::from(["a".to_owned()]));
    }
}
