//! Random runs of a program whose states are made as they are met.
//!
//! The sampler of the engine needs no more of a system than what follows a pair of states, so a program with too many
//! states to make them all is sampled like any other. What it meets is a counterexample, or a run after which a step
//! fails; the runs of each go to the checker.

use serval_budget::{Budget, Cancel};
use serval_compile::{CompileError, Lazy, Prepared};
use serval_engine::sample::{HowSampled, SampleOutcome, Sampler, seed_of};
use serval_engine::search::run_certificate;
use serval_proof::RunCertificate;

/// Random runs of all components, which can be stopped and taken up again.
pub(crate) struct LazySamplers<'a> {
    components: Vec<Sampler<Lazy<'a>>>,
}

/// What was met.
pub(crate) enum Met {
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
            let seed = seed.unwrap_or_else(|| seed_of(&lazy));
            Sampler::new(lazy, seed)
        };
        Self { components: (0..prepared.component_count()).map(sampler).collect() }
    }

    /// Draws runs, with this number of ticks for each component.
    pub(crate) fn look(&mut self, ticks: u64, cancel: &Cancel) -> Option<Met> {
        for (component, sampler) in self.components.iter_mut().enumerate() {
            let mut budget = Budget::new(ticks, cancel.clone());
            while let Ok(met) = sampler.look(&mut budget) {
                match met {
                    SampleOutcome::Found(found) => {
                        let requests = u32::try_from(found.run.configuration().completed.size()).unwrap_or(u32::MAX);
                        let run = run_certificate(sampler.system(), &found.run);
                        return Some(Met::Run { run, component, requests, how: found.how });
                    }
                    // A step that is given up because it takes too long is no failure: others may be met.
                    SampleOutcome::Stops(stops) => {
                        let error = sampler.system_mut().error_after(&stops.run, stops.place.1, &budget);
                        if let Some(error) = error {
                            return Some(Met::Fault(error));
                        }
                    }
                }
            }
        }
        None
    }
}
