//! Random runs of a program whose states are made as they are met.
//!
//! The sampler of the engine needs no more of a system than what follows a pair of states, so a program with too many
//! states to make them all is sampled like any other. What it meets is a counterexample, or a run after which a step
//! fails; the runs of each go to the checker.

use std::cell::RefCell;
use std::rc::Rc;

use serval_budget::{Budget, Cancel};
use serval_compile::{CompileError, Lazy, Prepared};
use serval_engine::sample::{Described, HowSampled, NoStep, SampleOutcome, Sampler, look, seed_of};
use serval_engine::search::run_certificate;
use serval_model::{GlobalId, LocalId, Moves, Named, RequestId, ResponseId};
use serval_proof::{Action, RunCertificate, RunEvent};

/// Random runs of all components, which can be stopped and taken up again.
pub(crate) struct LazySamplers<'a> {
    components: Vec<SampledComponent<'a>>,
}

/// A component, and the sampler that asks it.
struct SampledComponent<'a> {
    lazy: Rc<RefCell<Lazy<'a>>>,
    sampler: Sampler<Described<'a>>,
}

/// What the sampler sees of a component.
struct SharedLazy<'a> {
    lazy: Rc<RefCell<Lazy<'a>>>,
    starts: Vec<(RequestId, LocalId)>,
}

impl Moves for SharedLazy<'_> {
    type Stop = NoStep;

    fn initial_global(&self) -> GlobalId {
        self.lazy.borrow().initial_global()
    }

    fn starts(&self) -> &[(RequestId, LocalId)] {
        &self.starts
    }

    fn successors(&mut self, local: LocalId, global: GlobalId, out: &mut Vec<(LocalId, GlobalId)>) -> Result<(), NoStep> {
        self.lazy.borrow_mut().successors(local, global, out).map_err(|_| NoStep)
    }

    fn responses(&mut self, local: LocalId, out: &mut Vec<ResponseId>) {
        self.lazy.borrow_mut().responses(local, out);
    }

    fn is_final(&self, local: LocalId) -> bool {
        self.lazy.borrow().is_final(local)
    }
}

impl Named for SharedLazy<'_> {
    fn global_name(&self, id: GlobalId) -> String {
        self.lazy.borrow().global_name(id)
    }

    fn local_name(&self, id: LocalId) -> String {
        self.lazy.borrow().local_name(id)
    }

    fn request_name(&self, id: RequestId) -> String {
        self.lazy.borrow().request_name(id)
    }

    fn response_name(&self, id: ResponseId) -> String {
        self.lazy.borrow().response_name(id)
    }
}

/// What was met.
pub(crate) enum LazyFind {
    /// A run that should be a counterexample.
    Run { run: RunCertificate, component: usize, requests: u32, how: HowSampled },
    /// A run after which a step fails.
    Fault(CompileError),
}

impl<'a> LazySamplers<'a> {
    /// Runs that are drawn from this number, or from one that belongs to the program.
    pub(crate) fn new(prepared: &'a Prepared, seed: Option<u64>) -> Self {
        let sampler = |component| {
            let lazy = prepared.lazy(component);
            let (seed, starts) = (seed.unwrap_or_else(|| seed_of(&lazy)), lazy.starts().to_vec());
            let lazy = Rc::new(RefCell::new(lazy));
            let shared = SharedLazy { lazy: Rc::clone(&lazy), starts };
            SampledComponent { lazy, sampler: Sampler::new(Described(Box::new(shared)), seed) }
        };
        Self { components: (0..prepared.component_count()).map(sampler).collect() }
    }

    /// The first runs have the kinds of requests of such a run, as far as they are there, and up to so many times as
    /// many.
    pub(crate) fn hint(&mut self, run: &RunCertificate, times: u64) {
        for SampledComponent { lazy, sampler } in &mut self.components {
            let mut kinds: Vec<(RequestId, u64)> = Vec::new();
            for &(request, _) in lazy.borrow().starts() {
                let name = lazy.borrow().request_name(request);
                let spawned = |event: &&RunEvent| matches!(&event.action, Action::Spawn { request, .. } if *request == name);
                let count = run.steps.iter().filter(spawned).count() as u64;
                if count > 0 && kinds.iter().all(|&(known, _)| known != request) {
                    kinds.push((request, count));
                }
            }
            sampler.hint(&kinds, times);
        }
    }

    /// Draws runs, with this number of ticks for each component.
    pub(crate) fn look(&mut self, ticks: u64, cancel: &Cancel) -> Option<LazyFind> {
        for (component, SampledComponent { lazy, sampler }) in self.components.iter_mut().enumerate() {
            let mut budget = Budget::new(ticks, cancel.clone());
            while let Ok(met) = look(sampler, &mut budget) {
                match met {
                    SampleOutcome::Found(found) => {
                        let requests = u32::try_from(found.run.configuration().completed.size()).unwrap_or(u32::MAX);
                        let run = run_certificate(sampler.system(), &found.run);
                        return Some(LazyFind::Run { run, component, requests, how: found.how });
                    }
                    // A step that is given up because it takes too long is no failure: others may be met.
                    SampleOutcome::Stops(stops) => {
                        let error = lazy.borrow_mut().error_after(&stops.run, stops.place.1, &budget);
                        if let Some(error) = error {
                            return Some(LazyFind::Fault(error));
                        }
                    }
                }
            }
        }
        None
    }
}
