//! Modules of nuXmv.
//!
//! The variables are the numbers of tokens, of type `integer`; what fires next is an input, 0 where nothing does, so
//! that there always is a next state. Each property is an `INVARSPEC` with a name.

use serval_petri::{Net, PlaceId};

use crate::step::{effects, variable};
use crate::term::NUXMV;
use crate::text::{Text, comment};
use crate::{ExportRefusal, NamedProperty};

/// The module with these properties, each of which has one goal.
pub fn write(net: &Net, asked: &[NamedProperty]) -> Result<String, ExportRefusal> {
    let names: Vec<String> = net.places().map(|place| variable(net, place)).collect();
    let name = |place: PlaceId| names[place.index()].clone();
    let mut text = Text::default();
    text.line(&format!("-- {}", comment(net.name())));
    text.line("MODULE main");
    text.line("-- what fires: 0 is nothing");
    text.line(&format!("IVAR fire : 0..{};", net.transition_count()));
    for (place, name) in net.places().zip(&names) {
        text.line(&format!("VAR {name} : integer;"));
        text.line(&format!("INIT {name} = {};", net.initial_tokens(place)));
    }
    for (number, transition) in net.transitions().enumerate() {
        if !net.inputs(transition).is_empty() {
            text.words(&format!("TRANS fire = {} ->", number + 1));
            text.open("(");
            text.joined(net.inputs(transition).iter().map(|arc| format!("{} >= {}", name(arc.0), arc.1)), "&", "TRUE");
            text.close(");");
            text.end();
        }
    }
    for (effects, name) in effects(net).into_iter().zip(&names) {
        text.words(&format!("TRANS next({name}) = {name}"));
        if !effects.is_empty() {
            text.words("+ (case");
            for (choice, change) in effects {
                text.words(&format!("fire = {choice} : {change};"));
            }
            text.words("TRUE : 0; esac)");
        }
        text.close(";");
        text.end();
    }
    for (number, asked) in asked.iter().enumerate() {
        let (goal, is_reachable) = asked.goal(net)?;
        text.line(&format!("-- {}", comment(&asked.name)));
        if is_reachable {
            text.line("-- It holds where this property does not.");
        }
        text.words(&format!("INVARSPEC NAME property_{number} := !"));
        text.open("(");
        NUXMV.formula(&mut text, &goal, name)?;
        text.close(");");
        text.end();
    }
    Ok(text.into_string())
}
