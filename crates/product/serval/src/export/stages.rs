//! The stages of the published method, as text.

use std::fmt::Write;

use serval_budget::{Budget, Cancel};
use serval_classic_engine::{EMPTY_TICKS, Options, Places, SERIAL_TICKS, Serial, SerialLanguage, interleaving, query};
use serval_diagnostic::counted;
use serval_model::{Letter as Answer, NetworkSystem};
use serval_petri::{Net, Target, mcc, mcc_reads_back, pnml, pnml_reads_back, tina, tina_reads_back};
use serval_report::escape::{is_hidden, line};
use serval_semilinear::{Clause, Disjunct, EdgeId, Letter, Literal, eliminate};

use crate::unwritten::ExportError;

/// Expressions that have more parts than this are not written out:
/// they share their parts, and can be exponentially longer than their list.
const MOST_PARTS: u64 = 1_000_000;

/// A stage of the published method that can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The interleaving net, for Tina.
    Net,
    /// The same in the Petri Net Markup Language.
    Pnml,
    /// What is asked about the net, in the language of the Model Checking Contest.
    Query,
    /// The serial answers as a regular expression.
    Regex,
    /// The same as a semilinear set, and its complement.
    Semilinear,
}

impl Stage {
    /// Whether it is about one system alone.
    pub fn is_about_one(self) -> bool {
        matches!(self, Self::Net | Self::Pnml | Self::Query)
    }
}

/// A stage as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageText {
    /// The text.
    pub text: String,
    /// What the text leaves out.
    pub warning: Option<String>,
}

impl From<String> for StageText {
    fn from(text: String) -> Self {
        Self { text, warning: None }
    }
}

/// A stage of these systems.
pub(super) fn written(systems: &[&NetworkSystem], stage: Stage, options: &Options, cancel: &Cancel) -> Result<StageText, ExportError> {
    StageWriter { options, cancel }.written(systems, stage)
}

fn failed(error: impl std::fmt::Display) -> ExportError {
    ExportError::Reason(error.to_string())
}

/// What a stage is written with.
struct StageWriter<'a> {
    options: &'a Options,
    cancel: &'a Cancel,
}

impl StageWriter<'_> {
    fn written(&self, systems: &[&NetworkSystem], stage: Stage) -> Result<StageText, ExportError> {
        match stage {
            Stage::Regex => self.sections(systems, Self::regex),
            Stage::Semilinear => self.sections(systems, Self::semilinear),
            Stage::Query => self.query(only(systems)?),
            Stage::Pnml => {
                let (net, _) = net(only(systems)?)?;
                as_meant(pnml::write(&net), |text| pnml_reads_back(text, &net)).map(StageText::from)
            }
            Stage::Net => {
                let (net, _) = net(only(systems)?)?;
                as_meant(tina::write(&net), |text| tina_reads_back(text, &net)).map(StageText::from)
            }
        }
    }

    fn budget(&self) -> Budget {
        Budget::new(SERIAL_TICKS, self.cancel.clone())
    }

    /// A text for each system, under headings when there are several.
    fn sections(
        &self,
        systems: &[&NetworkSystem],
        text: impl Fn(&Self, &NetworkSystem) -> Result<String, ExportError>,
    ) -> Result<StageText, ExportError> {
        let mut out = String::new();
        for (component, system) in systems.iter().enumerate() {
            if systems.len() > 1 {
                let blank = if component > 0 { "\n" } else { "" };
                // Writing to a string does not fail.
                let _ = writeln!(out, "{blank}# component {component}");
            }
            out.push_str(&text(self, system)?);
        }
        Ok(out.into())
    }

    fn regex(&self, system: &NetworkSystem) -> Result<String, ExportError> {
        let mut budget = self.budget();
        let language = SerialLanguage::new(system, &mut budget).map_err(failed)?;
        let regex = eliminate(&language.automaton, self.options.order, &mut budget).map_err(failed)?;
        if regex.written_size() > MOST_PARTS {
            return Err(failed(format!("written out, the expression has more than {MOST_PARTS} parts")));
        }
        let name = |edge: EdgeId| language.edges.get(edge.0).map_or_else(String::new, |edge| answer_name(system, edge.letter));
        Ok(format!("{}\n", regex.display(&name)))
    }

    fn semilinear(&self, system: &NetworkSystem) -> Result<String, ExportError> {
        let (options, mut budget) = (self.options, self.budget());
        let serial = Serial::new(system, options, &mut budget).map_err(failed)?;
        let complement = serial.complement(options, &mut budget).map_err(failed)?;
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
    fn query(&self, system: &NetworkSystem) -> Result<StageText, ExportError> {
        let (net, places) = net(system)?;
        let (options, mut budget) = (self.options, self.budget());
        let serial = Serial::new(system, options, &mut budget).map_err(failed)?;
        let complement = serial.complement(options, &mut budget).map_err(failed)?;
        let name = letter_name(system, &serial);
        let mut comment = String::from(
            "A complete run that gives answers of one of these kinds gives answers that no serial run gives.\nPlaces are called by their ids in the PNML of the same net.\n",
        );
        let disjuncts = complement.disjuncts(options.max_disjuncts, &mut budget).exact(EMPTY_TICKS);
        let disjuncts = disjuncts.collect::<Result<Vec<Disjunct>, _>>().map_err(failed)?;
        let mut properties: Vec<(String, Target)> = Vec::new();
        let (mut missing, mut warning) = (0_usize, None);
        for (number, disjunct) in disjuncts.iter().enumerate() {
            let id = format!("disjunct-{number}");
            let _ = write!(comment, "{id}: {}", disjunct.display(&name));
            if !is_about_divisibility(disjunct) {
                let target = query(&serial, &places, disjunct).ok_or_else(|| failed("a number is too large"))?;
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
            let missing =
                format!("{missing} of {} cannot be written: the property language has no divisibility", counted(count, "disjunct"));
            let _ = writeln!(comment, "{missing}. That the others are out of reach is no proof.");
            warning = Some(missing);
        }
        let properties: Vec<(&str, &Target)> = properties.iter().map(|(id, target)| (id.as_str(), target)).collect();
        let text = mcc::write(&properties).map_err(failed)?;
        // A comment may stand anywhere after the first line, which says what XML it is.
        let (first, rest) = text.split_once('\n').unwrap_or(("", &text));
        let text = format!("{first}\n<!--\n{}-->\n{rest}", within_comment(&comment));
        let text = as_meant(text, |text| mcc_reads_back(&without_comment(text), &net, &properties))?;
        Ok(StageText { text, warning })
    }
}

/// The only system: a file of these formats has one net.
fn only<'s>(systems: &[&'s NetworkSystem]) -> Result<&'s NetworkSystem, ExportError> {
    match systems {
        [system] => Ok(system),
        _ => Err(failed(format!("this is about one component, and there are {}", systems.len()))),
    }
}

fn net(system: &NetworkSystem) -> Result<(Net, Places), ExportError> {
    interleaving(system).map_err(failed)
}

/// The text, if it is what was meant: no one should get one that another tool
/// would read as something else.
fn as_meant(text: String, is_meant: impl Fn(&str) -> bool) -> Result<String, ExportError> {
    if is_meant(&text) { Ok(text) } else { Err(ExportError::NotAsMeant) }
}

/// The text without its first comment, if it is one, as a reader of XML sees it.
/// Comments quote names as they are, and the reader here has its limits.
fn without_comment(text: &str) -> String {
    let Some((before, rest)) = text.split_once("<!--") else { return text.to_owned() };
    let after = rest.split_once("--").and_then(|(_, after)| after.strip_prefix('>'));
    after.map_or_else(|| text.to_owned(), |after| format!("{before}{after}"))
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
    |letter| serial.language.letters.get(letter.0).map_or_else(String::new, |&answer| answer_name(system, answer))
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A text that says something else is a bug, and is not written.
    #[test]
    fn wrong_texts_are_not_written() {
        let mut net = Net::new("net");
        net.add_place("a", 1).unwrap();
        let right = tina::write(&net);
        assert!(as_meant(right.clone(), |text| tina_reads_back(text, &net)).is_ok_and(|text| text == right));
        let wrong = as_meant(right.replace("(1)", "(2)"), |text| tina_reads_back(text, &net));
        assert!(wrong == Err(ExportError::NotAsMeant));
    }

    #[test]
    fn a_comment_is_passed_by_if_it_is_one() {
        assert_eq!(without_comment("<a>\n<!-- = -->\n<b>"), "<a>\n\n<b>");
        assert_eq!(without_comment("<a>"), "<a>");
        assert_eq!(without_comment("<!-- -- -->"), "<!-- -- -->");
    }
}
