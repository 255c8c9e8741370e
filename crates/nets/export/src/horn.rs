//! Constrained Horn clauses in SMT-LIB, logic `HORN`: one predicate, `reach`, over the numbers of tokens.
//!
//! A clause says that the initial marking is in it, one for each transition that it is closed under firing, and the
//! last one that no marking of the goal is in it. They are linear: each has `reach` at most once in its body. A
//! solution (`sat`) is an inductive invariant that excludes the goal; `unsat` is that a marking of the goal can be
//! reached.
//!
//! A clause names every place, so that all are as long as places times transitions. Where that is more than [`MOST`],
//! one clause is for all transitions: a step is a choice.

use serval_petri::Net;

use crate::step::{effects, integer, variable};
use crate::term::Syntax;
use crate::text::{Text, comment};
use crate::{ExportRefusal, NamedProperty};

/// Places times transitions up to which each transition has a clause.
pub const MOST: usize = 1 << 20;

/// The clauses for a property with one goal.
pub fn write(net: &Net, asked: &NamedProperty) -> Result<String, ExportRefusal> {
    let (goal, is_reachable) = asked.goal(net)?;
    let names: Vec<String> = net.places().map(|place| variable(net, place)).collect();
    let mut clauses = Clauses { names: &names, text: Text::default() };
    clauses.text.line(&format!("; {}", comment(net.name())));
    clauses.text.line(&format!("; {}", comment(&asked.name)));
    clauses.text.line(if is_reachable { "; sat: it does not hold; unsat: it holds" } else { "; sat: it holds; unsat: it does not hold" });
    clauses.text.line("(set-logic HORN)");
    clauses.text.word("(declare-fun reach");
    clauses.text.open("(");
    clauses.text.joined(names.iter().map(|_| "Int"), "", "");
    clauses.text.close(")");
    clauses.text.words("Bool)");
    clauses.text.end();
    clauses.begin("", &[]);
    clauses.text.joined(net.places().zip(&names).map(|(place, name)| format!("(= {name} {})", net.initial_tokens(place))), "", "true");
    clauses.head(&names);
    if net.place_count().saturating_mul(net.transition_count()) <= MOST {
        for transition in net.transitions() {
            clauses.begin(&comment(net.transition_name(transition)), &[]);
            clauses.reached();
            clauses.text.joined(net.inputs(transition).iter().map(|arc| format!("(>= {} {})", names[arc.0.index()], arc.1)), "", "true");
            let mut change = vec![0_i128; net.place_count()];
            for (arcs, sign) in [(net.inputs(transition), -1), (net.outputs(transition), 1)] {
                arcs.iter().for_each(|arc| change[arc.0.index()] += sign * i128::from(arc.1));
            }
            let after = change.into_iter().zip(&names).map(|(change, name)| match change {
                0 => name.clone(),
                1.. => format!("(+ {name} {change})"),
                _ => format!("(- {name} {})", change.unsigned_abs()),
            });
            clauses.head(&after.collect::<Vec<_>>());
        }
    } else {
        clauses.begin("every transition, by choice", &["fire"]);
        clauses.reached();
        clauses.text.words(&format!("(<= 1 fire) (<= fire {})", net.transition_count()));
        for (number, transition) in net.transitions().enumerate() {
            for &(place, weight) in net.inputs(transition) {
                clauses.text.words(&format!("(=> (= fire {}) (>= {} {weight}))", number + 1, names[place.index()]));
            }
        }
        let after = effects(net).into_iter().zip(&names).map(|(effects, name)| match effects.len() {
            0 => name.clone(),
            _ => {
                let parts: Vec<String> =
                    effects.iter().map(|(choice, change)| format!("(ite (= fire {choice}) {} 0)", integer(*change))).collect();
                format!("(+ {name} {})", parts.join(" "))
            }
        });
        clauses.head(&after.collect::<Vec<_>>());
    }
    clauses.begin("no marking of the goal", &[]);
    clauses.reached();
    Syntax::Prefix.formula(&mut clauses.text, &goal, |place| names[place.index()].clone())?;
    clauses.text.close(")");
    clauses.text.word("false");
    clauses.text.close(if names.is_empty() { "))" } else { ")))" });
    clauses.text.end();
    clauses.text.line("(check-sat)");
    Ok(clauses.text.into_string())
}

struct Clauses<'a> {
    names: &'a [String],
    text: Text,
}

impl Clauses<'_> {
    /// Begins a clause, up to its body. Nothing is quantified where there is no variable.
    fn begin(&mut self, words: &str, more: &[&str]) {
        if !words.is_empty() {
            self.text.line(&format!("; {words}"));
        }
        self.text.word("(assert");
        if self.names.len() + more.len() > 0 {
            self.text.word("(forall");
            self.text.open("(");
            self.text.joined(self.names.iter().map(String::as_str).chain(more.iter().copied()).map(|name| format!("({name} Int)")), "", "");
            self.text.close(")");
        }
        self.text.word("(=>");
        self.text.word("(and");
    }

    fn reached(&mut self) {
        self.predicate(self.names.to_vec());
    }

    fn predicate(&mut self, values: Vec<String>) {
        if values.is_empty() {
            self.text.word("reach");
            return;
        }
        self.text.word("(reach");
        values.iter().for_each(|value| self.text.words(value));
        self.text.close(")");
    }

    /// Ends the body, and says what follows.
    fn head(&mut self, values: &[String]) {
        self.text.close(")");
        self.predicate(values.to_vec());
        self.text.close(if self.names.is_empty() { "))" } else { ")))" });
        self.text.end();
    }
}
