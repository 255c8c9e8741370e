//! `export`: the text in the forms of other tools, and pictures.

use serde::Serialize;
use serval::export::{ExportNames, NotCompiled, Stage, SystemForm, Systems, core};
use serval::{Cancel, ClassicOptions, CompileOptions, TextKind};
use serval_report::pictures::View;
use serval_report::{Style, escape, render_diagnostics};

use crate::answer::{Unanswered, json};
use crate::asked::{ModuleRequest, read};
use crate::limits;

/// Nodes of a net that is drawn.
#[cfg(feature = "nets")]
const MOST_NODES: usize = 400;

/// What a form is of.
#[derive(Clone, Copy)]
enum Writer {
    System(SystemForm),
    Picture(View),
    Stage(Stage),
}

/// The forms of requests, by the names of the command line.
const FORMS: [(&str, Writer); 12] = [
    ("ns", Writer::System(SystemForm::Json)),
    ("dot", Writer::System(SystemForm::Dot)),
    ("mermaid", Writer::System(SystemForm::Mermaid)),
    ("nfa-dot", Writer::System(SystemForm::AutomatonDot)),
    ("svg", Writer::Picture(View::System)),
    ("nfa-svg", Writer::Picture(View::Automaton)),
    ("net-svg", Writer::Picture(View::Net)),
    ("net", Writer::Stage(Stage::Net)),
    ("pnml", Writer::Stage(Stage::Pnml)),
    ("query", Writer::Stage(Stage::Query)),
    ("regex", Writer::Stage(Stage::Regex)),
    ("semilinear", Writer::Stage(Stage::Semilinear)),
];

impl Writer {
    /// What is called how: as on the command line.
    fn names(self) -> ExportNames {
        match self {
            Self::System(SystemForm::Json) | Self::Stage(Stage::Regex | Stage::Semilinear | Stage::Query) => ExportNames::Given,
            Self::Stage(Stage::Net | Stage::Pnml) => ExportNames::Visible,
            Self::Picture(_) | Self::System(_) => ExportNames::ForPeople,
        }
    }
}

#[derive(Serialize)]
struct Exported {
    text: String,
    warning: Option<String>,
}

fn told(text: String) -> Result<String, Unanswered> {
    json(&Exported { text, warning: None })
}

fn failed(error: impl std::fmt::Display) -> Unanswered {
    Unanswered::new(error.to_string())
}

pub(crate) fn export(asked: &ModuleRequest) -> Result<String, Unanswered> {
    let kind = asked.text_kind()?;
    match kind {
        TextKind::Program | TextKind::System => requests(asked, kind),
        #[cfg(feature = "weak-memory")]
        TextKind::WeakMemory(syntax) => {
            let input = crate::weak_memory::read(asked, syntax).map_err(Unanswered::new)?;
            match asked.format.as_str() {
                "tso" => told(input.to_tso().ok_or_else(|| Unanswered::new("it cannot be written as a program"))?),
                "dot" => told(input.to_dot()),
                form => Err(Unanswered::new(format!("{form} is no form of {}; there are tso and dot", kind.words()))),
            }
        }
        #[cfg(feature = "nets")]
        TextKind::Net(notation) => {
            use serval::nets::export::{NetLanguage, net_text};
            let input = crate::nets::read(asked, notation).unwrap_or_else(|| Err(limits::reason())).map_err(Unanswered::new)?;
            match asked.format.as_str() {
                "net" => told(net_text(input.net(), NetLanguage::Tina).map_err(failed)?),
                "pnml" => told(net_text(input.net(), NetLanguage::Pnml).map_err(failed)?),
                "dot" => told(serval_report::nets::net_dot(input.net())),
                "mermaid" => told(serval_report::nets::net_mermaid(input.net())),
                "svg" if input.net().place_count().saturating_add(input.net().transition_count()) <= MOST_NODES => {
                    told(serval_report::nets::net_svg(input.net()))
                }
                "svg" => Err(Unanswered::new("the net is too large to be drawn")),
                form => Err(Unanswered::new(format!("{form} is no form of {}; there are net, pnml, dot, mermaid and svg", kind.words()))),
            }
        }
    }
}

fn requests(asked: &ModuleRequest, kind: TextKind) -> Result<String, Unanswered> {
    let name = asked.file(kind);
    let drawn = |diagnostics: &[serval::Diagnostic]| Unanswered::new(render_diagnostics(diagnostics, &name, &asked.text, Style::Plain));
    let loaded = read(&asked.text, kind).ok_or_else(|| Unanswered::new(limits::reason()))?;
    let input = loaded.map_err(|mistakes| drawn(&mistakes.diagnostics))?;
    if asked.format == "core" {
        return told(core(&input).ok_or_else(|| Unanswered::new("only programs have a core"))?);
    }
    let Some(writer) = FORMS.iter().find(|row| row.0 == asked.format).map(|row| row.1) else {
        let known: Vec<&str> = FORMS.iter().map(|row| row.0).collect();
        return Err(Unanswered::new(format!("{} is no form; there are core, {}", asked.format, known.join(", "))));
    };
    let options = CompileOptions { plain: false, pairs: Some(asked.max_states) };
    let made = limits::during(|| Systems::new(&input, options, writer.names())).ok_or_else(|| Unanswered::new(limits::reason()))?;
    let mut systems = made.map_err(|error| match error {
        NotCompiled::Mistake(diagnostic) => drawn(std::slice::from_ref(&*diagnostic)),
        NotCompiled::Stopped => Unanswered::new(limits::reason()),
    })?;
    if let Some(component) = asked.component {
        let count = systems.len();
        systems = systems.component(component).ok_or_else(|| Unanswered::new(format!("there is no component {component} of {count}")))?;
    }
    match writer {
        Writer::System(form) => told(systems.written(form).map_err(failed)?),
        Writer::Picture(view) => told(systems.svg(view, &escape::name(&name)).map_err(failed)?),
        Writer::Stage(stage) => {
            if stage.is_about_one() && systems.len() != 1 {
                return Err(Unanswered::new(format!("{} is about one component, and there are {}", asked.format, systems.len())));
            }
            let text = systems.stage(stage, &ClassicOptions::default(), &Cancel::asking(limits::is_over)).map_err(failed)?;
            json(&Exported { text: text.text, warning: text.warning })
        }
    }
}
