//! Systems of which the sampler knows nothing but what they answer.
//!
//! A sampler of a system that another crate makes would be compiled with that crate. One of a [`Described`] system is
//! compiled here, once for all of them, and as fast as everything here is.

use serval_budget::{Budget, Stopped};
use serval_model::{GlobalId, LocalId, Moves, Named, RequestId, ResponseId};

use super::sampler::{SampleOutcome, Sampler};

/// A request cannot go on; the system knows why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoStep;

/// A system behind a pointer.
pub struct Described<'a>(pub Box<dyn Named<Stop = NoStep> + 'a>);

/// Draws runs of such a system: [`Sampler::look`].
pub fn look(sampler: &mut Sampler<Described<'_>>, budget: &mut Budget) -> Result<SampleOutcome<NoStep>, Stopped> {
    sampler.look(budget)
}

impl Moves for Described<'_> {
    type Stop = NoStep;

    fn initial_global(&self) -> GlobalId {
        self.0.initial_global()
    }

    fn starts(&self) -> &[(RequestId, LocalId)] {
        self.0.starts()
    }

    fn successors(&mut self, local: LocalId, global: GlobalId, out: &mut Vec<(LocalId, GlobalId)>) -> Result<(), NoStep> {
        self.0.successors(local, global, out)
    }

    fn responses(&mut self, local: LocalId, out: &mut Vec<ResponseId>) {
        self.0.responses(local, out);
    }

    fn is_final(&self, local: LocalId) -> bool {
        self.0.is_final(local)
    }
}

impl Named for Described<'_> {
    fn global_name(&self, id: GlobalId) -> String {
        self.0.global_name(id)
    }

    fn local_name(&self, id: LocalId) -> String {
        self.0.local_name(id)
    }

    fn request_name(&self, id: RequestId) -> String {
        self.0.request_name(id)
    }

    fn response_name(&self, id: ResponseId) -> String {
        self.0.response_name(id)
    }
}
