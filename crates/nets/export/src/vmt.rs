//! Symbolic transition systems in VMT, which is SMT-LIB with annotations.
//!
//! A state has the numbers of tokens; what fires next is an input, 0 where nothing does, so that there always is a next
//! state. Each property is an invariant: `:invar-property k`.

use serval_petri::{Net, PlaceId};

use crate::step::{effects, integer, variable};
use crate::term::Syntax;
use crate::text::{Text, comment};
use crate::{ExportRefusal, NamedProperty};

/// The system with these properties, each of which has one goal.
pub fn write(net: &Net, asked: &[NamedProperty]) -> Result<String, ExportRefusal> {
    let names: Vec<String> = net.places().map(|place| variable(net, place)).collect();
    let name = |place: PlaceId| names[place.index()].clone();
    let mut text = Text::default();
    text.line(&format!("; {}", comment(net.name())));
    for name in &names {
        text.line(&format!("(declare-fun {name} () Int)"));
        text.line(&format!("(declare-fun next_{name} () Int)"));
        text.line(&format!("(define-fun state_{name} () Int (! {name} :next next_{name}))"));
    }
    text.line("; what fires: 0 is nothing");
    text.line("(declare-fun fire () Int)");
    text.word("(define-fun init () Bool");
    text.word("(!");
    text.word("(and true");
    text.joined(net.places().zip(&names).map(|(place, name)| format!("(= {name} {})", net.initial_tokens(place))), "", "true");
    text.close(")");
    text.words(":init true))");
    text.end();
    text.word("(define-fun trans () Bool");
    text.word("(!");
    text.words(&format!("(and (<= 0 fire) (<= fire {})", net.transition_count()));
    for (number, transition) in net.transitions().enumerate() {
        for &(place, weight) in net.inputs(transition) {
            text.words(&format!("(=> (= fire {}) (>= {} {weight}))", number + 1, name(place)));
        }
    }
    for (effects, name) in effects(net).into_iter().zip(&names) {
        text.word("(=");
        text.word(&format!("next_{name}"));
        if effects.is_empty() {
            text.word(name);
        } else {
            text.word("(+");
            text.word(name);
            for (choice, change) in effects {
                text.words(&format!("(ite (= fire {choice}) {} 0)", integer(change)));
            }
            text.close(")");
        }
        text.close(")");
    }
    text.close(")");
    text.words(":trans true))");
    text.end();
    for (number, asked) in asked.iter().enumerate() {
        let (goal, is_reachable) = asked.goal(net)?;
        text.line(&format!("; {}", comment(&asked.name)));
        if is_reachable {
            text.line("; It holds where this property does not.");
        }
        text.words(&format!("(define-fun property_{number} () Bool (! (not"));
        Syntax::Prefix.formula(&mut text, &goal, name)?;
        text.close(")");
        text.words(&format!(":invar-property {number}))"));
        text.end();
    }
    Ok(text.into_string())
}
