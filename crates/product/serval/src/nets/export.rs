//! Nets in the languages of other tools, with or without questions about them, and runs that other tools have found.
//!
//! ```
//! use serval::nets::export::{ModelChecker, NetLanguage, net_text, question_text};
//! use serval::nets::{NetInput, NetKind};
//! let input = NetInput::read("pl free (1)\ntr take free -> held\n", NetKind::Tina).unwrap();
//! assert!(net_text(input.net(), NetLanguage::Lola).unwrap().starts_with("PLACE"));
//! let question = input.question("deadlock-free").unwrap();
//! assert!(question_text(input.net(), ModelChecker::Horn, &[question]).unwrap().contains("(set-logic HORN)"));
//! ```

use std::fmt;

use serval_net_export::lustre::{self, Assumed, Encoding};
use serval_net_export::{NamedProperty, horn, map, mist, nuxmv, sets, trace, vmt};
use serval_petri::{TransitionId, lola, pnml, pnml_reads_back, tina, tina_reads_back, vass};
use serval_report::nets::NetTrace;

use super::{Assumption, Net, NetQuestion, smtlib};
use crate::unwritten::ExportError;

/// A language for nets alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NetLanguage {
    /// That of Tina.
    Tina,
    /// The Petri Net Markup Language.
    Pnml,
    /// That of LoLA.
    Lola,
    /// Vector addition systems with states.
    Vass,
}

/// A language for nets with questions about them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelChecker {
    /// The marking equation in SMT-LIB; one question.
    Smtlib,
    /// Constrained Horn clauses; one question.
    Horn,
    /// A specification of mist; one question.
    Mist,
    /// A symbolic transition system in VMT.
    Vmt,
    /// A module of nuXmv.
    Nuxmv,
}

fn reason(reason: impl fmt::Display) -> ExportError {
    ExportError::Reason(reason.to_string())
}

/// A net as text. What serval reads itself is read back, and refused where it is not the same.
pub fn net_text(net: &Net, language: NetLanguage) -> Result<String, ExportError> {
    let (text, is_meant) = match language {
        NetLanguage::Tina => {
            let text = tina::write(net);
            let is_meant = tina_reads_back(&text, net);
            (text, is_meant)
        }
        NetLanguage::Pnml => {
            let text = pnml::write(net);
            let is_meant = pnml_reads_back(&text, net);
            (text, is_meant)
        }
        NetLanguage::Lola => (lola::write(net).map_err(reason)?, true),
        NetLanguage::Vass => (vass::write(net).ok_or_else(|| reason("a number does not fit 63 bits"))?, true),
    };
    if is_meant { Ok(text) } else { Err(ExportError::NotAsMeant) }
}

fn asked(questions: &[NetQuestion]) -> Vec<NamedProperty> {
    questions.iter().map(|question| NamedProperty { name: question.name.clone(), property: question.property.clone() }).collect()
}

/// A net with questions about it as text.
pub fn question_text(net: &Net, checker: ModelChecker, questions: &[NetQuestion]) -> Result<String, ExportError> {
    let asked = asked(questions);
    let one = || match &asked[..] {
        [one] => Ok(one),
        several => Err(reason(format!("this form asks one question, and {} are given", several.len()))),
    };
    match checker {
        ModelChecker::Smtlib => smtlib(net, &one()?.property).map_err(reason),
        ModelChecker::Horn => horn::write(net, one()?).map_err(reason),
        ModelChecker::Mist => mist::write(net, one()?).map_err(reason),
        ModelChecker::Vmt => vmt::write(net, &asked).map_err(reason),
        ModelChecker::Nuxmv => nuxmv::write(net, &asked).map_err(reason),
    }
}

/// Sets of transitions that may fire together in one step of a program in Lustre.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FiringSets(Vec<Vec<TransitionId>>);

impl FiringSets {
    /// As large as they get, one after the other.
    pub fn greedy(net: &Net) -> Self {
        Self(sets::greedy(net))
    }

    /// Each transition alone.
    pub fn singletons(net: &Net) -> Self {
        Self(sets::singletons(net))
    }

    /// Those of a text: a line for each, with the names of its transitions.
    pub fn read(text: &str, net: &Net) -> Result<Self, ExportError> {
        sets::read(text, net).map(Self).map_err(reason)
    }
}

/// A program in Lustre, for Kind 2 and JKind.
#[derive(Clone, Debug)]
pub struct Lustre<'a> {
    /// Whether it is encoded as published, which has runs that the net does not have.
    pub published: bool,
    /// What may fire together.
    pub sets: &'a FiringSets,
    /// What is asked.
    pub questions: &'a [NetQuestion],
    /// What is assumed, each with the words that say why it may be.
    pub assumed: &'a [(Assumption, String)],
}

impl Lustre<'_> {
    /// The program.
    pub fn text(&self, net: &Net) -> Result<String, ExportError> {
        let encoding = if self.published { Encoding::Published } else { Encoding::Corrected };
        let assumed = |(assumption, why): &(Assumption, String)| Assumed { formula: assumption.formula.clone(), why: why.clone() };
        let assumed: Vec<Assumed> = self.assumed.iter().map(assumed).collect();
        let options = lustre::Options { encoding, sets: &self.sets.0, asked: &asked(self.questions), assumed: &assumed };
        lustre::write(net, &options).map_err(reason)
    }

    /// What the program calls the places, transitions and questions of the net.
    pub fn map(&self, net: &Net) -> String {
        map::write(net, &asked(self.questions))
    }
}

/// Why a text is no run of a net.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TraceMistake {
    /// It is neither a saved run nor the answer of another tool.
    NoTrace(String),
    /// It is the answer of another tool, but no run of this net.
    NoRun(String),
}

/// Reads a run: one that serval has saved, or a counterexample of Kind 2 or JKind, of which there may be several, one
/// for each property.
pub fn read_trace(text: &str, net: &Net, property: Option<&str>) -> Result<NetTrace, TraceMistake> {
    if !trace::is_meant(text) {
        return NetTrace::from_json(text).map_err(TraceMistake::NoTrace);
    }
    let fired = trace::read(text, net, property).map_err(|refusal| TraceMistake::NoRun(refusal.to_string()))?;
    Ok(NetTrace::of_transitions(fired.into_iter().map(|transition| net.transition_name(transition).to_owned())))
}
