//! What a proof of parts that few letters join says: which answers are looked at together, and what joins them.

use serval_model::NetworkSystem;
use serval_proof::shared::SharedProof;

use super::named;

/// A sentence for each part, and one about what they share.
pub(super) fn facts(system: &NetworkSystem, proof: &SharedProof) -> Vec<String> {
    let names = |wanted: &dyn Fn(&[u32]) -> bool| -> Vec<&str> {
        let touched = |request: serval_model::RequestId| proof.touches.get(request.index()).map_or(&[][..], Vec::as_slice);
        system.requests().filter(|&request| wanted(touched(request))).map(|request| system.request_name(request)).collect()
    };
    let numbers = 0..u32::try_from(proof.parts.len()).unwrap_or(u32::MAX);
    let of_part =
        |number: u32| format!("the answers of {} alone are those of a serial run", named(&names(&|parts| parts.contains(&number))));
    let mut facts: Vec<String> = numbers.map(of_part).collect();
    let shared = names(&|parts| parts.len() > 1);
    facts.push(match shared.as_slice() {
        [] => "these have no request in common".to_owned(),
        shared => format!("these have only {} in common, and form no cycle", named(shared)),
    });
    facts
}
