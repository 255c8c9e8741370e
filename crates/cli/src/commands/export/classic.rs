//! `serval export FILE --to net|pnml|query|regex|semilinear`: the stages of the
//! published way to decide, as text.

use std::fmt::Write;

use clap::ValueEnum;
use serval_budget::{Budget, Cancel};
use serval_classic::{EMPTY_TICKS, Options, SERIAL_TICKS, Serial, Words, query};

use serval_classic::interleaving;
use serval_model::{Letter as Answer, NetworkSystem};
use serval_petri::{Target, mcc, pnml, tina};
use serval_report::escape::{is_hidden, line};
use serval_semilinear::{Clause, Disjunct, Edge, Letter, Literal, eliminate};

use super::within_limits;
use crate::args::{Export, Format};
use crate::failure::Failure;
use crate::limits::Watch;
use crate::output::say;

/// Expressions that are longer than so many parts when written out are not:
/// they share their parts, and can be exponentially longer than their list.
const MOST_PARTS: u64 = 1_000_000;

/// The stage of the published way that the arguments ask for.
pub(super) fn text(systems: &[&NetworkSystem], name: &str, args: &Export, quiet: bool) -> Result<String, Failure> {
    let (own_name, own_args) = (name.to_owned(), args.clone());
    let needs = ("not done", "this needs");
    within_limits(systems, name, args, needs, move |systems, watch| written(systems, &own_name, &own_args, quiet, watch))
}

/// What the worker does.
fn written(systems: &[&NetworkSystem], name: &str, args: &Export, quiet: bool, watch: &Watch) -> Result<String, Failure> {
    let stage = Stage { name, args, quiet, cancel: watch.cancel() };
    match args.to {
        Format::Regex => stage.sections(systems, Stage::regex),
        Format::Semilinear => stage.sections(systems, Stage::semilinear),
        Format::Query => stage.only(systems).and_then(|system| stage.query(system)),
        Format::Pnml => stage.only(systems).and_then(|system| Ok(pnml::write(&stage.net(system)?.0))),
        // `Net`: no other format comes here.
        _ => stage.only(systems).and_then(|system| Ok(tina::write(&stage.net(system)?.0))),
    }
}

struct Stage<'a> {
    name: &'a str,
    args: &'a Export,
    quiet: bool,
    cancel: Cancel,
}

impl Stage<'_> {
    fn failed(&self, error: impl std::fmt::Display) -> Failure {
        Failure::message(format!("{}: {error}", self.name))
    }

    fn budget(&self) -> Budget {
        Budget::new(SERIAL_TICKS, self.cancel.clone())
    }

    fn options(&self) -> Options {
        let &Export { no_elimination_order, no_prune, no_factor, .. } = self.args;
        Options { order: !no_elimination_order, prune: !no_prune, factor: !no_factor, ..Options::default() }
    }

    fn net(&self, system: &NetworkSystem) -> Result<(serval_petri::Net, serval_classic::Places), Failure> {
        interleaving(system).map_err(|error| self.failed(error))
    }

    /// The only system: a file of these formats has one net.
    fn only<'s>(&self, systems: &[&'s NetworkSystem]) -> Result<&'s NetworkSystem, Failure> {
        if let [system] = systems {
            return Ok(system);
        }
        let format = self.args.to.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned());
        let count = systems.len();
        let all = if count > 1 { "; choose one with --component K, from 0, or take their product with --product" } else { "" };
        Err(self.failed(format!("--to {format} is about one component, and there are {count}{all}")))
    }

    /// A text for each system, under headings when there are several.
    fn sections(
        &self,
        systems: &[&NetworkSystem],
        text: impl Fn(&Self, &NetworkSystem) -> Result<String, Failure>,
    ) -> Result<String, Failure> {
        let mut out = String::new();
        for (component, system) in systems.iter().enumerate() {
            if systems.len() > 1 {
                let blank = if component > 0 { "\n" } else { "" };
                // Writing to a string does not fail.
                let _ = writeln!(out, "{blank}# component {component}");
            }
            out.push_str(&text(self, system)?);
        }
        Ok(out)
    }

    fn regex(&self, system: &NetworkSystem) -> Result<String, Failure> {
        let mut budget = self.budget();
        let words = Words::new(system, &mut budget).map_err(|error| self.failed(error))?;
        let regex = eliminate(&words.automaton, self.options().order, &mut budget).map_err(|error| self.failed(error))?;
        if regex.written_size() > MOST_PARTS {
            return Err(self.failed(format!("written out, the expression has more than {MOST_PARTS} parts")));
        }
        let name = |edge: Edge| words.edges.get(edge.0).map_or_else(String::new, |edge| answer_name(system, edge.letter));
        Ok(format!("{}\n", regex.display(&name)))
    }

    fn semilinear(&self, system: &NetworkSystem) -> Result<String, Failure> {
        let (options, mut budget) = (self.options(), self.budget());
        let serial = Serial::new(system, &options, &mut budget).map_err(|error| self.failed(error))?;
        let complement = serial.complement(&options, &mut budget).map_err(|error| self.failed(error))?;
        let name = letter_name(system, &serial);
        let components = serial.image.set.components();
        let clause = |clause: &Clause| {
            let literals: Vec<String> = clause.literals().iter().map(|literal| literal.display(&name).to_string()).collect();
            if literals.is_empty() { "never".to_owned() } else { literals.join(" ∨ ") }
        };
        let components = lines("serial: any of these components", components.iter().map(|component| component.display(&name).to_string()));
        let clauses = lines("not serial: all of these clauses", complement.clauses().iter().map(clause));
        Ok(format!("{components}{clauses}"))
    }

    /// One property for each disjunct that the language can express; a comment
    /// says what they are, and which are left out.
    fn query(&self, system: &NetworkSystem) -> Result<String, Failure> {
        let (_, places) = self.net(system)?;
        let (options, mut budget) = (self.options(), self.budget());
        let serial = Serial::new(system, &options, &mut budget).map_err(|error| self.failed(error))?;
        let complement = serial.complement(&options, &mut budget).map_err(|error| self.failed(error))?;
        let name = letter_name(system, &serial);
        let mut comment = String::from(
            "A complete run that gives answers of one of these kinds gives answers that no serial run gives.\nPlaces are called by their ids in the PNML of the same net.\n",
        );
        let disjuncts = complement.disjuncts(options.max_disjuncts, &mut budget).exact(EMPTY_TICKS);
        let disjuncts = disjuncts.collect::<Result<Vec<Disjunct>, _>>().map_err(|error| self.failed(error))?;
        let mut properties: Vec<(String, Target)> = Vec::new();
        let mut missing = 0_usize;
        for (number, disjunct) in disjuncts.iter().enumerate() {
            let id = format!("disjunct-{number}");
            let _ = write!(comment, "{id}: {}", disjunct.display(&name));
            if !is_about_divisibility(disjunct) {
                let target = query(&serial, &places, disjunct).ok_or_else(|| self.failed("a number is too large"))?;
                properties.push((id, target));
            } else if let Some(wider) = disjuncts.iter().position(|wider| !is_about_divisibility(wider) && is_within(disjunct, wider)) {
                let _ = write!(comment, " (left out, as it is within disjunct-{wider})");
            } else {
                missing += 1;
                comment.push_str(" (left out)");
            }
            comment.push('\n');
        }
        if disjuncts.is_empty() {
            comment.push_str("There are none: any answers are serial.\n");
        }
        if missing > 0 {
            let count = disjuncts.len();
            let missing = format!("{missing} of {count} disjuncts cannot be written: the property language has no divisibility");
            let _ = writeln!(comment, "{missing}. That the others are out of reach is no proof.");
            if !self.quiet {
                say(&format!("warning: {}: {missing}\n", self.name));
            }
        }
        let properties: Vec<(&str, &Target)> = properties.iter().map(|(id, target)| (id.as_str(), target)).collect();
        let text = mcc::write(&properties).map_err(|error| self.failed(error))?;
        // A comment may stand anywhere after the first line, which says what XML it is.
        let (first, rest) = text.split_once('\n').unwrap_or(("", &text));
        Ok(format!("{first}\n<!--\n{}-->\n{rest}", within_comment(&comment)))
    }
}

fn is_about_divisibility(disjunct: &Disjunct) -> bool {
    disjunct.literals().iter().any(|literal| matches!(literal, Literal::NotDivisible(..)))
}

/// Whether one conjunction says all that the other says, and so has no more.
fn is_within(narrow: &Disjunct, wide: &Disjunct) -> bool {
    wide.literals().iter().all(|literal| narrow.literals().contains(literal))
}

/// A title with a number, and indented lines.
fn lines(title: &str, items: impl Iterator<Item = String>) -> String {
    let items: Vec<String> = items.collect();
    let mut text = format!("{title} ({})\n", items.len());
    for item in items {
        let _ = writeln!(text, "  {item}");
    }
    text
}

/// A name that stays one word among the signs of expressions and sets.
fn word(name: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() && !is_hidden(letter) || matches!(letter, '_' | '-' | '.' | '@' | '=' | '#');
    if !name.is_empty() && name.chars().all(is_plain) { name.to_owned() } else { line(&format!("{name:?}")).into_owned() }
}

fn answer_name(system: &NetworkSystem, (request, response): Answer) -> String {
    format!("{}/{}", word(system.request_name(request)), word(system.response_name(response)))
}

fn letter_name<'a>(system: &'a NetworkSystem, serial: &'a Serial) -> impl Fn(Letter) -> String + 'a {
    |letter| serial.letters.get(letter.0).map_or_else(String::new, |&answer| answer_name(system, answer))
}

/// The text as XML allows it in a comment: without `--`, and without characters
/// that are none. (Names with control characters are quoted already.)
fn within_comment(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter == '-' && out.ends_with('-') {
            out.push(' ');
        }
        out.push(if matches!(letter, '\u{fffe}' | '\u{ffff}') { '\u{fffd}' } else { letter });
    }
    out
}
