//! The order in time: the claims `strict` and `not-strict`.
//!
//! In a complete run request `A` *precedes* `B`, written `A ≺ B`, if `A`'s respond is before `B`'s spawn. A complete
//! run is *strict* if some serial run has the same requests (a bijection that keeps letters) in an order that extends
//! `≺`; an input is *strict* if all its complete runs are (strict serializability, Papadimitriou 1979). Strict is more
//! than serializable: `≺` is left out there.
//!
//! # Tight runs
//!
//! **Lemma 1.** A system is strict iff its normal form ([`NormalForm`]) is, where `A ≺ B` iff
//! the last step of `A` is before the first of `B`.
//!
//! *Proof.* The theorem of the normal form moves answers forwards to the last step and spawns backwards to the first,
//! and leaves out steps that change nothing; each only adds to `≺`, so an order that extends the `≺` of what results
//! extends that of the run. Conversely, a run of the normal form becomes one of the system with each spawn directly
//! before the first step and each respond directly after the last, which has the same `≺`. Serial runs of one are
//! serial runs of the other with the same requests in the same order. ∎
//!
//! # Which proofs of before are enough
//!
//! A rule that replaces a system by a new one *keeps the order* if (a) every complete run of the old has one of the new
//! with the same requests and letters and at least its `≺`, and (b) every serial run of the new gives one of the old
//! with the same requests in the same order. Then the old one is strict if the new one is: take a run of the old, its
//! run of the new, the serial run that extends `≺` of that, and the serial run of the old.
//!
//! **Lemma 2.** Every rule of scripts ([`crate::script`]) keeps the order.
//!
//! *Proof.* Each proof at the head of a rule follows a run step by step, for each request:
//!
//! - `split`, `pairs`, `track`: the same steps at the same places, by requests at copies of nodes or under global
//!   states that say more. Nothing that a complete run does is left out.
//! - `fold`: identity steps vanish, and a landing is at another node. So a request begins no earlier and ends no later.
//! - `locals`, `globals`: from old to new, nodes and global states become classes; steps that change nothing then
//!   vanish. From new to old, each step is followed by a path of the same request at the same place.
//! - `dominated`, `closure`: each step is replaced by a path of the same request, perhaps an empty one, at the same
//!   place.
//! - `right`: an exchange replaces neighbours `τσ` of requests `i` and `j` by `σ'τ'`. `≺` is lost only where `i ≺ j`,
//!   which needs that `τ` is the last step of `i`. It is not: it lands in the set, where no done node is
//!   (`mover.ends`), and the run is complete. An empty `σ'` makes `j` shorter. Composites are paths at one place.
//! - `left`: the mirror image. `j ≺ i` would be lost only if `τ` was the first step of `i`, but it departs from the
//!   set, where no initial node is (`mover.ends`).
//!
//! (b) holds because new steps are paths of old ones, or are followed by such, of the same request without another in
//! between: what is serial stays so, in the same order. ∎
//!
//! **Theorem 1.** If [`check`](crate::check()) accepts a certificate of kind `atomic`, or `components` with parts of
//! kinds `atomic` and `same`, the input is strict.
//!
//! *Proof.* For a part `atomic`: in the last system of the script requests are single steps, so a run is serial, and
//! its order extends `≺`, which is the order of single steps. Lemmas 1 and 2 lead back. A part `same` is an isomorphism
//! of runs with an earlier part, which keeps `≺`, letters up to renaming, and order. It remains that a list of
//! components that share no request is strict if each is (locality: Herlihy and Wing 1990). Let `<ₓ` be the order of
//! the serial run of component `x`. If `≺` and all `<ₓ` together had a circle, take a shortest one. Two neighbours `<ₓ`
//! of one component could be joined, and so could two neighbours `≺`; and a circle within one component there is none,
//! as `<ₓ` extends `≺` there. So `<` and `≺` alternate, and for each `A <ₓ B ≺ C` on it: not `B ≺ A`, so `A` comes
//! before `B` has answered, and `B` has answered before `C` comes. So `A` comes before `C` comes, and going round, `A`
//! before itself. So there is an order of all requests that extends everything, and the serial runs of the components,
//! joined in it, are a serial run of the product. ∎
//!
//! **Theorem 2.** A certificate of kind `reduction` shows strict. The proof is at the head of the checker of such
//! proofs (crate `serval-lipton-proof`): the serial run is in the order of commits, and a commit is a step of its
//! request.
//!
//! Proofs of the kinds `flow`, `invariant`, `letters` and `cases` speak of multisets of answers, and do not show that a
//! system is strict: there are systems with such proofs that are not. Parts with shared letters have a request in two
//! parts, at two moments. The condition `strict.kind` refuses them all. That components share no request is asked of
//! every input.
//!
//! # Further evidence
//!
//! - `run` with the claim `not-strict`: a run that no order in time explains (module `order`, condition `run.order`);
//! - `in-flight`: all that can be while at most `k` requests are in flight, where there can be no more ([`in_flight`]);
//! - `points`: for each request the step at which it takes its place in the order ([`points`]).

pub mod in_flight;
pub mod monitor;
pub(crate) mod order;
pub mod points;

pub use crate::certificate::StrictProof;

use serval_evidence::require;
use serval_model::NormalForm;

use crate::{Body, Checked, Part, Work};

/// Whether evidence of this kind shows that an input is strict, if it is accepted.
pub fn shows_strict(body: &Body) -> bool {
    match body {
        Body::Run(_) | Body::Fault(_) | Body::Closure(_) => false,
        Body::Part(part) => part_shows_strict(part),
        Body::Components(parts) => parts.iter().all(part_shows_strict),
        Body::Reduction(_) => true,
    }
}

/// The same for one component. What is the same as another component shows as much as the proof of that one.
pub fn part_shows_strict(part: &Part) -> bool {
    match part {
        Part::Atomic(_) | Part::Same(_) | Part::Strict(_) => true,
        Part::Flow(_) | Part::Invariant(_) | Part::Letters(_) | Part::Cases(_) | Part::Shared(_) => false,
    }
}

/// Each part is of a kind that shows strict.
pub(crate) fn check_kinds(parts: &[Part]) -> Checked {
    for (number, part) in parts.iter().enumerate() {
        let shows = part_shows_strict(part);
        let kind = part.kind().name();
        require!(StrictKind, shows, about(format!("part {number}")), "a proof of kind `{kind}` says nothing about the order in time");
    }
    Ok(())
}

/// Checks a proof for a component; `inner` checks a proof of any kind for a system that is made on the way.
///
/// If it is accepted, the component is strict.
pub(crate) fn check_strict(
    form: NormalForm,
    proof: &StrictProof,
    inner: &mut dyn FnMut(NormalForm, &Part, &mut Work) -> Checked,
    work: &mut Work,
) -> Checked {
    match proof {
        StrictProof::InFlight(proof) => in_flight::check_in_flight(form, proof, work),
        StrictProof::Points(proof) => points::check_points(form, proof, inner, work),
    }
}
