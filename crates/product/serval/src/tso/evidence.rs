//! What answers rest on, in plain words.

use super::TsoEvidence;

fn counted(count: usize, one: &str, more: &str) -> String {
    if count == 1 { format!("one {one}") } else { format!("{count} {more}") }
}

/// A sentence or two for each kind of evidence for what cannot happen. What can happen is shown by a run.
pub(super) fn words(evidence: &TsoEvidence) -> Vec<String> {
    let mut said = Vec::new();
    let closed = "the beginning is among them, every step from one of them leads to one of them, and none of them is what was asked for";
    if let Some(list) = &evidence.sc {
        said.push(format!("Under SC: a list of {}; {closed}.", counted(list.states.len(), "state", "states")));
    }
    if let Some(list) = &evidence.finals {
        let states = counted(list.states.len(), "state", "states");
        said.push(format!(
            "Under SC, for final states: a list of {states}, in which of steps that do not disturb each other one order is enough; the beginning is among them, every step that is needed leads to one of them, and none of them is what was asked for."
        ));
    }
    if let Some(list) = &evidence.tso {
        said.push(format!(
            "Under TSO: a list of {} with what waits in store buffers; {closed}.",
            counted(list.states.len(), "state", "states")
        ));
    }
    if let Some(list) = &evidence.merged {
        let states = counted(list.states.len(), "state", "states");
        said.push(format!(
            "Under TSO: a list of {states} in which equal stores that wait in a row are one, however many they are; {closed}."
        ));
    }
    if let Some(basis) = &evidence.basis {
        let members = counted(basis.members.len(), "configuration", "configurations");
        said.push(format!(
            "Under TSO: store buffers may grow without end here, so the question is turned round. Memory is written at once, and what a thread may read waits for it in a load buffer instead, which gives the same answers. \
             A list of {members} covers all from which what was asked for could be reached: one with more news of memory in its buffers than a listed one is covered as well, since news can be lost. \
             What was asked for is covered, whatever leads to something covered is covered, and the beginning is not. So nothing leads from the beginning to what was asked for."
        ));
    }
    if let Some(any) = &evidence.any_sc {
        let configurations = counted(any.configurations.len(), "configuration", "configurations");
        said.push(format!(
            "Under SC, with any number of copies: a list of {configurations} that count copies by where they are, with “any number” as a count; {closed}."
        ));
    }
    let attacks =
        "a run without the order of one under SC would be an attack, in which one thread delays its stores; none in the lists succeeds";
    if let Some(robust) = &evidence.robust {
        let states = counted(robust.attackers.iter().map(serval_tso_proof::Rows::len).sum(), "state", "states");
        said.push(format!("Robust: a closed list for each thread, of {states} together; {attacks}."));
    }
    if let Some(any) = &evidence.any {
        let configurations = counted(any.attackers.iter().map(Vec::len).sum(), "configuration", "configurations");
        said.push(format!("Robust with any number of copies: a closed list for each thread, of {configurations} together; {attacks}."));
    }
    said
}
