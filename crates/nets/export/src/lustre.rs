//! A net as a program in Lustre, for Kind 2 and JKind.
//!
//! The scheme is that of M. Güdemann, "SMT-Based Verification of Concurrent Critical Systems" (2021). One node `main`;
//! an input `act_t` and an output `firing_t` for each transition `t`, an output of type `int` for each place.
//! `enable_t` says whether `t` can fire, and `t` fires where it is enabled and active. Transitions are in
//! [`sets`](crate::sets) of which any may fire in one step; two assertions say that exactly one set is active where
//! something can fire, and that nothing is active that cannot fire. Where nothing can fire nothing happens for ever.
//!
//! [`Encoding::Published`] is that scheme letter by letter. Its observers `enabled_t` and `marked_p` begin with
//! `false ->`, so that they never see the initial marking, and `prop_deadTransExists` (`prop_deadPlaceExists`) fails
//! only where **one** run enables every transition (marks every place). [`Encoding::Corrected`] begins with the initial
//! marking, and has one property for each transition and each place: `prop_dead_trans_t` holds iff `t` is dead,
//! `prop_dead_place_p` iff `p` is never marked.

use serval_petri::{Arc, Formula, Net, PlaceId, Property, TransitionId};

use crate::term::LUSTRE;
use crate::text::{Text, comment};
use crate::{ExportRefusal, NamedProperty, goals, names};

/// How a net becomes a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Observers that see the initial marking, and a property for each transition and place.
    Corrected,
    /// As published.
    Published,
}

/// What is assumed of all markings, and why that is right.
#[derive(Clone, Debug)]
pub struct Assumed {
    /// What holds.
    pub formula: Formula,
    /// Why, in words.
    pub why: String,
}

/// What the program has beside the net.
#[derive(Clone, Debug)]
pub struct Options<'a> {
    /// The scheme.
    pub encoding: Encoding,
    /// A partition of the transitions into sets of independent ones.
    pub sets: &'a [Vec<TransitionId>],
    /// Further properties.
    pub asked: &'a [NamedProperty],
    /// Assertions that are no part of the net.
    pub assumed: &'a [Assumed],
}

/// Words of Lustre and of what Kind 2 and JKind add to it.
const KEYWORDS: &[&str] = &[
    "abs",
    "activate",
    "and",
    "any",
    "array",
    "assert",
    "assume",
    "at",
    "automaton",
    "body",
    "bool",
    "bool2int",
    "check",
    "choose",
    "clock",
    "condact",
    "const",
    "contract",
    "current",
    "div",
    "do",
    "else",
    "end",
    "ensure",
    "enum",
    "every",
    "exists",
    "extern",
    "false",
    "fby",
    "fi",
    "fill",
    "floor",
    "forall",
    "frame",
    "from",
    "function",
    "guarantee",
    "history",
    "if",
    "import",
    "imported",
    "in",
    "include",
    "inductive",
    "initial",
    "int",
    "int16",
    "int32",
    "int64",
    "int8",
    "is",
    "last",
    "let",
    "main",
    "map",
    "merge",
    "min",
    "max",
    "mod",
    "mode",
    "model",
    "nat",
    "needs",
    "node",
    "nor",
    "not",
    "of",
    "only",
    "operator",
    "opaque",
    "or",
    "out",
    "package",
    "param",
    "pre",
    "provided",
    "provides",
    "reachable",
    "real",
    "red",
    "require",
    "restart",
    "resume",
    "returns",
    "set",
    "state",
    "step",
    "struct",
    "subrange",
    "tel",
    "template",
    "then",
    "time",
    "to",
    "transparent",
    "true",
    "type",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "unless",
    "unsafe",
    "until",
    "uses",
    "var",
    "weakly",
    "when",
    "whenot",
    "with",
    "within",
    "xor",
];

/// How the names begin that are made here.
const PREFIXES: &[&str] = &["act_", "enable_", "enabled_", "firing_", "marked_", "prop_", "trans_set"];

/// The identifier for the name of a place or a transition. A place stands by itself, so it is called like nothing else.
pub fn identifier(name: &str) -> String {
    names::identifier(name, |name| name == "deadlock" || KEYWORDS.contains(&name) || PREFIXES.iter().any(|prefix| name.starts_with(prefix)))
}

/// What the further property of this number, from 0, is called.
pub(crate) fn asked_name(number: usize) -> String {
    format!("prop_asked_{}", number + 1)
}

/// The program.
pub fn write(net: &Net, options: &Options<'_>) -> Result<String, ExportRefusal> {
    if net.place_count() == 0 && net.transition_count() == 0 {
        return Err(ExportRefusal("the net has no place and no transition, and a node of Lustre has an output".to_owned()));
    }
    let mut program = LustreProgram {
        net,
        options,
        places: net.places().map(|place| identifier(net.place_name(place))).collect(),
        transitions: net.transitions().map(|transition| identifier(net.transition_name(transition))).collect(),
        text: Text::default(),
        properties: Vec::new(),
    };
    program.head();
    program.declarations();
    program.text.line("let");
    program.steps();
    program.marking();
    program.observers();
    program.properties()?;
    program.text.line("tel;");
    Ok(program.text.into_string())
}

struct LustreProgram<'a> {
    net: &'a Net,
    options: &'a Options<'a>,
    places: Vec<String>,
    transitions: Vec<String>,
    text: Text,
    /// Their names, in the order in which they are listed.
    properties: Vec<String>,
}

/// Changes of a place: by which transition, and by how much.
type Changes = Vec<(TransitionId, i128)>;

impl LustreProgram<'_> {
    fn prefixed(&self, prefix: &str) -> Vec<String> {
        self.transitions.iter().map(|name| format!("{prefix}{name}")).collect()
    }

    fn is_published(&self) -> bool {
        self.options.encoding == Encoding::Published
    }

    fn head(&mut self) {
        let title = comment(self.net.name());
        if !title.is_empty() {
            self.text.line(&format!("-- {title}"));
        }
        self.text.line("node bool2int(b : bool) returns (i : int);");
        self.text.line("let");
        self.text.line("i = if b then 1 else 0;");
        self.text.line("tel;");
        self.text.open("node main(");
        let inputs = self.prefixed("act_");
        if !inputs.is_empty() {
            self.list(&inputs, "bool");
        }
        self.text.close(")");
        self.text.end();
        self.text.open("returns (");
        let (places, firing) = (self.places.clone(), self.prefixed("firing_"));
        if !places.is_empty() {
            self.list(&places, "int");
        }
        if !firing.is_empty() {
            if !places.is_empty() {
                self.text.close(";");
            }
            self.list(&firing, "bool");
        }
        self.text.close(");");
        self.text.end();
    }

    /// Names and their type.
    fn list(&mut self, names: &[String], kind: &str) {
        self.text.joined(names, ",", "");
        self.text.words(&format!(": {kind}"));
    }

    fn declare(&mut self, names: &[String]) {
        if !names.is_empty() {
            self.list(names, "bool");
            self.text.close(";");
            self.text.end();
        }
    }

    fn declarations(&mut self) {
        self.text.line("var");
        self.declare(&["deadlock".to_owned()]);
        let sets: Vec<String> = (0..self.options.sets.len()).map(|set| format!("trans_set{set}")).collect();
        self.declare(&sets);
        self.declare(&self.prefixed("enabled_"));
        self.declare(&self.prefixed("enable_"));
        let marked: Vec<String> = self.places.iter().map(|name| format!("marked_{name}")).collect();
        self.declare(&marked);
        let properties: Vec<String> = if self.is_published() {
            ["prop_oneSafe", "prop_deadTransExists", "prop_deadPlaceExists", "prop_noDeadlock"].map(str::to_owned).to_vec()
        } else {
            let dead =
                self.prefixed("prop_dead_trans_").into_iter().chain(self.places.iter().map(|name| format!("prop_dead_place_{name}")));
            ["prop_noDeadlock", "prop_oneSafe"].map(str::to_owned).into_iter().chain(dead).collect()
        };
        let asked: Vec<String> = (0..self.options.asked.len()).map(asked_name).collect();
        for name in properties.into_iter().chain(asked) {
            self.declare(&[name]);
        }
    }

    /// Which transitions fire.
    fn steps(&mut self) {
        if self.options.sets.iter().any(|set| set.len() > 1) {
            self.text.line(
                "-- Transitions of one set touch no common place (the places that they take from or give to are disjoint). Theorem: those",
            );
            self.text.line("-- that are enabled can then fire one after the other in every order, with the same result. So every step is a sequence of");
            self.text.line("-- firings, each of which is possible alone, and the markings that can be reached are those of the net.");
        }
        for (number, set) in self.options.sets.iter().enumerate() {
            self.text.words(&format!("trans_set{number} ="));
            self.text.joined(set.iter().map(|transition| format!("act_{}", self.transitions[transition.index()])), "or", "false");
            self.semicolon();
        }
        let (enable, sets) = (self.prefixed("enable_"), self.options.sets.len());
        self.text.word("assert");
        self.text.open("(");
        self.text.word("not");
        self.text.open("(");
        self.text.joined(&enable, "or", "false");
        self.text.close(")");
        self.text.word("or");
        self.text.open("(");
        self.text.joined((0..sets).map(|set| format!("bool2int(trans_set{set})")), "+", "0");
        self.text.words("= 1");
        self.text.close("))");
        self.semicolon();
        self.text.word("assert");
        self.text.open("(");
        self.text.joined(self.transitions.iter().map(|name| format!("(enable_{name} or not act_{name})")), "and", "true");
        self.text.close(")");
        self.semicolon();
        for transition in self.net.transitions() {
            self.text.words(&format!("enable_{} =", self.transitions[transition.index()]));
            let enough = |&(place, weight): &Arc| format!("{} >= {weight}", self.places[place.index()]);
            let words: Vec<String> = self.net.inputs(transition).iter().map(enough).collect();
            self.text.joined(words, "and", "true");
            self.semicolon();
        }
        self.text.words("deadlock = not");
        self.text.open("(");
        self.text.joined(&enable, "or", "false");
        self.text.close(")");
        self.semicolon();
    }

    fn semicolon(&mut self) {
        self.text.close(";");
        self.text.end();
    }

    /// How many tokens there are.
    fn marking(&mut self) {
        for (place, changes) in self.net.places().zip(changes(self.net)) {
            let name = self.places[place.index()].clone();
            self.text.words(&format!("{name} = {} ->", self.net.initial_tokens(place)));
            for (transition, change) in changes {
                let sign = if change > 0 { '+' } else { '-' };
                let fires = &self.transitions[transition.index()];
                self.text.words(&format!("if pre firing_{fires} then pre {name} {sign} {} else", change.unsigned_abs()));
            }
            self.text.words(&format!("pre {name}"));
            self.semicolon();
        }
        for name in &self.transitions {
            self.text.line(&format!("firing_{name} = act_{name} and enable_{name};"));
        }
    }

    /// What has been seen so far.
    fn observers(&mut self) {
        let published = self.is_published();
        let mut observer = |name: String, sees: String| {
            let first = match sees.contains(' ') {
                _ if published => "false".to_owned(),
                true => format!("({sees})"),
                false => sees.clone(),
            };
            self.text.line(&format!("{name} = {first} -> if {sees} then true else pre {name};"));
        };
        for name in &self.transitions {
            observer(format!("enabled_{name}"), format!("enable_{name}"));
        }
        for name in &self.places {
            observer(format!("marked_{name}"), format!("0 < {name}"));
        }
    }

    fn properties(&mut self) -> Result<(), ExportRefusal> {
        let safe = |program: &mut Self| {
            program.text.words("prop_oneSafe =");
            let words: Vec<String> = program.places.iter().map(|name| format!("1 >= {name}")).collect();
            program.text.joined(words, "and", "true");
            program.semicolon();
        };
        self.text.line("prop_noDeadlock = not deadlock;");
        if self.is_published() {
            for (name, seen) in [
                ("prop_deadTransExists", self.prefixed("(not enabled_")),
                ("prop_deadPlaceExists", self.places.iter().map(|name| format!("(not marked_{name}")).collect()),
            ] {
                self.text.words(&format!("{name} ="));
                self.text.joined(seen.into_iter().map(|word| word + ")"), "or", "false");
                self.semicolon();
            }
            safe(self);
            self.properties.extend(["prop_noDeadlock", "prop_oneSafe", "prop_deadTransExists", "prop_deadPlaceExists"].map(str::to_owned));
        } else {
            safe(self);
            self.properties.extend(["prop_noDeadlock", "prop_oneSafe"].map(str::to_owned));
            let transitions = self.transitions.iter().map(|name| (format!("prop_dead_trans_{name}"), format!("enabled_{name}")));
            let places = self.places.iter().map(|name| (format!("prop_dead_place_{name}"), format!("marked_{name}")));
            for (property, seen) in transitions.chain(places) {
                self.text.line(&format!("{property} = not {seen};"));
                self.properties.push(property);
            }
        }
        for (number, asked) in self.options.asked.iter().enumerate() {
            self.asked(number, asked)?;
        }
        for assumed in self.options.assumed {
            self.text.line(&format!("-- assumed: {}", comment(&assumed.why)));
            self.text.word("assert");
            self.text.open("(");
            LUSTRE.formula(&mut self.text, &assumed.formula, |place| self.places[place.index()].clone())?;
            self.text.close(")");
            self.semicolon();
        }
        for property in &self.properties {
            self.text.line(&format!("--%PROPERTY {property};"));
        }
        Ok(())
    }

    /// A further property: that none of its goals is met, or not all of them ever.
    fn asked(&mut self, number: usize, asked: &NamedProperty) -> Result<(), ExportRefusal> {
        let name = asked_name(number);
        let place = |place: PlaceId| self.places[place.index()].clone();
        self.text.line(&format!("-- {}", comment(&asked.name)));
        match &asked.property {
            Property::QuasiLive | Property::NoDeadPlaces => {
                return Err(ExportRefusal(format!(
                    "{} is one property for each node, and all of these are in the default encoding already",
                    asked.property.name()
                )));
            }
            Property::StableMarking => {
                return Err(ExportRefusal("stable-marking is one property for each place; ask invariant:p = 1 for one of them".to_owned()));
            }
            Property::Live | Property::Reversible => {
                return Err(ExportRefusal(format!(
                    "what can always be reached again is no property of single markings: {}",
                    asked.property.name()
                )));
            }
            Property::Bounded(_) | Property::Bound(..) => {
                return Err(ExportRefusal("that places are bounded is no property of single markings".to_owned()));
            }
            Property::Reachable(_) | Property::Reaches(_) | Property::Coverable(_) => {
                self.text.line("-- It holds where this property does not.");
            }
            Property::DeadlockFree | Property::Safe(_) | Property::Invariant(_) => {}
        }
        self.text.words(&format!("{name} ="));
        match &asked.property {
            // As it was written, which is shorter than the opposite of its goal.
            Property::Invariant(formula) => LUSTRE.formula(&mut self.text, formula, place)?,
            property => {
                self.text.word("not");
                self.text.open("(");
                for goal in &goals(self.net, property)? {
                    LUSTRE.formula(&mut self.text, goal, place)?;
                }
                self.text.close(")");
            }
        }
        self.semicolon();
        self.properties.push(name);
        Ok(())
    }
}

/// By place the transitions that touch it, in order, with what they add.
fn changes(net: &Net) -> Vec<Changes> {
    let mut all: Vec<Changes> = vec![Vec::new(); net.place_count()];
    for transition in net.transitions() {
        for (arcs, sign) in [(net.inputs(transition), -1), (net.outputs(transition), 1)] {
            for &(place, weight) in arcs {
                let change = sign * i128::from(weight);
                match all[place.index()].last_mut() {
                    Some((last, sum)) if *last == transition => *sum += change,
                    _ => all[place.index()].push((transition, change)),
                }
            }
        }
    }
    all
}
