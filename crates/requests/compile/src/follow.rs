//! Runs of compiled systems, followed on the source.
//!
//! Each state of a compiled system stands for the source states that are
//! mapped to it (dead locals reset, dropped globals forgotten, equal
//! continuations identified). That map is a bisimulation, so a source state
//! mapped to the start of a step always has some way to make that step; the
//! first in the order in which choices are tried is taken. States are identified by
//! their names, so this works for programs that were never fully explored.

use crate::prepared::Prepared;
use crate::source::{SourceMismatch, SourceRun, SourceStep};

impl Prepared {
    /// The component of a request body, and the name of the local state in
    /// which a fresh request of it is.
    pub fn start_of(&self, body: usize) -> Option<(usize, String)> {
        let machine = &self.source().machine;
        let waiting = machine.entry(*machine.graph.entries.get(body)?);
        Some((self.component_of(body)?, self.local_name_at(body, &waiting)?))
    }

    /// The component and the local state of a request of a source run.
    pub fn local_of(&self, run: &SourceRun<'_>, thread: u32) -> Option<(usize, String)> {
        let body = run.body(thread)?;
        Some((self.component_of(body)?, self.local_name_at(body, run.waiting(thread)?)?))
    }

    /// The global state of a component at this point of a source run.
    pub fn global_of(&self, run: &SourceRun<'_>, component: usize) -> Option<String> {
        self.global_name_at(component, run.globals())
    }

    /// The local and global state of its component to which a step leads.
    pub fn ends_of(&self, run: &SourceRun<'_>, thread: u32, step: &SourceStep) -> Option<(String, String)> {
        let body = run.body(thread)?;
        Some((self.local_name_at(body, &step.waiting)?, self.global_name_at(self.component_of(body)?, &step.globals)?))
    }

    /// Follows the start of a request in the named local state.
    pub fn follow_spawn(
        &self,
        run: &mut SourceRun<'_>,
        thread: u32,
        component: usize,
        request: &str,
        local: &str,
    ) -> Result<(), SourceMismatch> {
        let part = self.parts.get(component).ok_or(SourceMismatch::NoSuchStart)?;
        let fits =
            |&&body: &&usize| self.program().requests[body].name == request && self.start_of(body).is_some_and(|(_, name)| name == local);
        let body = *part.bodies.iter().find(fits).ok_or(SourceMismatch::NoSuchStart)?;
        run.spawn(thread, body);
        Ok(())
    }

    /// Follows a step to the named states.
    pub fn follow_step(&self, run: &mut SourceRun<'_>, thread: u32, to_local: &str, to_global: &str) -> Result<SourceStep, SourceMismatch> {
        let (steps, _) = run.steps(thread);
        let fits =
            |step: &SourceStep| self.ends_of(run, thread, step).is_some_and(|(local, global)| local == to_local && global == to_global);
        let step = steps.into_iter().find(fits).ok_or(SourceMismatch::NoSuchStep)?;
        run.take(thread, &step)?;
        Ok(step)
    }
}
