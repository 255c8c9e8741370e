//! Pictures of network systems, of what their requests do one at a time, and
//! of their nets.

use serval_budget::Budget;
use serval_classic_engine::interleaving;
use serval_draw::{Picture, draw};
use serval_model::{NetworkSystem, SerialAutomaton};
use serval_report::Labels;
use serval_report::pictures::{self, Interleaving, View};
use serval_syntax::LineIndex;

use super::Systems;
use crate::unwritten::ExportError;

impl Systems {
    /// The first of them, at most so many.
    pub(crate) fn first(mut self, most: usize) -> Self {
        self.systems.truncate(most);
        self
    }

    /// Draws one view of these systems; a tick is a state of the automaton.
    pub(crate) fn picture(&self, view: View, budget: &mut Budget) -> Result<Picture, ExportError> {
        let lines = LineIndex::new(&self.text);
        let labelled = self.labelled(&lines);
        let systems: Vec<(&NetworkSystem, &dyn Labels)> = labelled.iter().map(|(system, labels)| (*system, &**labels)).collect();
        let graph = match view {
            View::System => pictures::system(&systems),
            View::Automaton => {
                let automata = self.systems().map(|system| SerialAutomaton::new(system, budget)).collect::<Result<Vec<_>, _>>();
                let automata = automata.map_err(|_| ExportError::Reason("the automaton is too large".to_owned()))?;
                let rows: Vec<_> =
                    systems.iter().zip(&automata).map(|(&(system, labels), automaton)| (system, automaton, labels)).collect();
                pictures::automaton(&rows)
            }
            View::Net => {
                let nets = self.systems().map(interleaving).collect::<Result<Vec<_>, _>>();
                let nets = nets.map_err(|error| ExportError::Reason(error.to_string()))?;
                let rows = self.systems().zip(&nets);
                let rows =
                    rows.map(|(system, (net, places))| Interleaving { system, net, places: places.kinds(), transitions: places.actions() });
                let rows: Vec<Interleaving<'_>> = rows.collect();
                pictures::net(&rows)
            }
        };
        Ok(draw(&graph))
    }
}
