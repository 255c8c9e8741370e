//! Pictures of network systems, of what their requests do one at a time, and
//! of their nets.

use serval_budget::Budget;
use serval_draw::{Picture, draw};

use serval_classic_engine::{Places, interleaving};
use serval_model::{NetworkSystem, SerialAutomaton};
use serval_petri::Net;
use serval_report::Labels;
use serval_report::pictures::{self, View};

/// Draws one view of these components; a tick is a state of the automaton.
pub(crate) fn picture(systems: &[(&NetworkSystem, &dyn Labels)], view: View, budget: &mut Budget) -> Result<Picture, String> {
    let graph = match view {
        View::System => pictures::system(systems),
        View::Automaton => {
            let mut automata = Vec::new();
            for (system, _) in systems {
                automata.push(SerialAutomaton::new(system, budget).map_err(|_| "the automaton is too large".to_owned())?);
            }
            let rows: Vec<(&NetworkSystem, &SerialAutomaton, &dyn Labels)> =
                systems.iter().zip(&automata).map(|(&(system, labels), automaton)| (system, automaton, labels)).collect();
            pictures::automaton(&rows)
        }
        View::Net => {
            let nets = systems.iter().map(|(system, _)| interleaving(system)).collect::<Result<Vec<_>, _>>();
            let nets = nets.map_err(|error| error.to_string())?;
            let rows: Vec<(&NetworkSystem, &Net, &Places)> =
                systems.iter().zip(&nets).map(|(&(system, _), (net, places))| (system, net, places)).collect();
            pictures::net(&rows)
        }
    };
    Ok(draw(&graph))
}
