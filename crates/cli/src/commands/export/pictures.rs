//! `serval export FILE --to svg|nfa-svg|net-svg`: pictures.

use std::path::Path;

use serval_draw::draw;
use serval_model::{Budget, NetworkSystem, SerialAutomaton};
use serval_petri::{Net, Places, interleaving};
use serval_report::Labels;
use serval_report::pictures::{self, View};

use crate::args::Format;
use crate::failure::Failure;

/// The picture that the format asks for.
pub(super) fn svg(systems: &[(&NetworkSystem, Box<dyn Labels + '_>)], name: &str, format: Format) -> Result<String, Failure> {
    let (view, graph) = match format {
        Format::NfaSvg => {
            let mut automata = Vec::new();
            for (system, _) in systems {
                automata.push(SerialAutomaton::new(system, &mut Budget::unlimited()).map_err(|_| Failure::message("stopped"))?);
            }
            let rows: Vec<(&NetworkSystem, &SerialAutomaton, &dyn Labels)> =
                systems.iter().zip(&automata).map(|((system, labels), automaton)| (*system, automaton, &**labels)).collect();
            (View::Automaton, pictures::automaton(&rows))
        }
        Format::NetSvg => {
            let mut nets = Vec::new();
            for (system, _) in systems {
                nets.push(interleaving(system).map_err(|error| Failure::message(format!("{name}: {error}")))?);
            }
            let rows: Vec<(&NetworkSystem, &Net, &Places)> =
                systems.iter().zip(&nets).map(|((system, _), (net, places))| (*system, net, places)).collect();
            (View::Net, pictures::net(&rows))
        }
        // `Svg`: no other format comes here.
        _ => {
            let rows: Vec<(&NetworkSystem, &dyn Labels)> = systems.iter().map(|(system, labels)| (*system, &**labels)).collect();
            (View::System, pictures::system(&rows))
        }
    };
    // Not the directory: the same file gives the same bytes wherever it lies.
    let file = Path::new(name).file_name().map_or_else(|| name.to_owned(), |file| file.to_string_lossy().into_owned());
    Ok(draw(&graph).svg("serval", &view.words(&file).words()))
}
