//! `format`: the text in our layout.

use serde::Serialize;
use serval::{FormatRefusal, TextKind, with_line_ends_of};
use serval_report::{Style, render_diagnostics};

use crate::answer::{Unanswered, json};
use crate::asked::ModuleRequest;

#[derive(Serialize)]
struct Formatted {
    text: String,
}

pub(crate) fn format(asked: &ModuleRequest) -> Result<String, Unanswered> {
    let kind = asked.text_kind()?;
    let formatted = match kind {
        TextKind::Program => serval::format(&asked.text, &asked.style()),
        #[cfg(feature = "weak-memory")]
        TextKind::WeakMemory(serval::tso::Syntax::Tso) => serval::format_tso(&asked.text, &asked.style()),
        _ => return Err(Unanswered::new(format!("{} is not formatted", kind.words()))),
    };
    let formatted = formatted.map_err(|refusal| match refusal {
        FormatRefusal::Mistakes(mistakes) => Unanswered::new(render_diagnostics(&mistakes, &asked.file(kind), &asked.text, Style::Plain)),
        FormatRefusal::Differs(what) => Unanswered::new(format!("formatting would change the program: {what}")),
    })?;
    json(&Formatted { text: with_line_ends_of(&asked.text, formatted) })
}
