//! The kinds of texts that are understood, one row each.

use serval::{FormatRefusal, FormatStyle, InputKind};
use serval_ide::Diagnostic;

/// How texts of a kind are laid out.
type Format = fn(&str, &FormatStyle) -> Result<String, FormatRefusal>;

/// What can be done with texts of a kind.
pub(crate) struct Kind {
    /// What the names of such files end with.
    pub(crate) extension: &'static str,
    /// What editors call the language.
    pub(crate) language: &'static str,
    /// Whether it is a program whose names and forms can be asked about.
    pub(crate) is_program: bool,
    /// As what the library reads it, where it has a verdict.
    pub(crate) verdict: Option<InputKind>,
    /// What is wrong with a text, where it is no program.
    pub(crate) diagnostics: fn(&str) -> Vec<Diagnostic>,
    /// How a text is laid out.
    pub(crate) format: Option<Format>,
}

/// All kinds; the first is the one for texts whose names tell nothing.
pub(crate) const KINDS: &[Kind] = &[
    Kind {
        extension: "ser",
        language: "serval",
        is_program: true,
        verdict: Some(InputKind::Program),
        diagnostics: |_| Vec::new(),
        format: Some(serval::format),
    },
    Kind {
        extension: "json",
        language: "serval-system",
        is_program: false,
        verdict: Some(InputKind::System),
        diagnostics: |text| serval::Input::systems(text).err().map_or_else(Vec::new, |mistakes| mistakes.diagnostics),
        format: None,
    },
    Kind {
        extension: "tso",
        language: "serval-tso",
        is_program: false,
        verdict: None,
        diagnostics: |text| serval::tso::TsoInput::read(text.to_owned()).err().map_or_else(Vec::new, |(_, found)| found),
        format: Some(serval::format_tso),
    },
];

/// The kind of a text: by the name of its language, or by the end of its address.
pub(crate) fn kind_of(language: &str, uri: &str, kinds: &'static [Kind]) -> &'static Kind {
    let ending = uri.rsplit(['/', '\\']).next().and_then(|name| name.rsplit_once('.')).map_or("", |(_, ending)| ending);
    let by_language = kinds.iter().find(|kind| kind.language == language);
    by_language.or_else(|| kinds.iter().find(|kind| kind.extension.eq_ignore_ascii_case(ending))).unwrap_or(&kinds[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_a_row() {
        let kind = |language, uri| kind_of(language, uri, KINDS).language;
        assert_eq!(kind("serval", "file:///a.txt"), "serval");
        assert_eq!(kind("json", "file:///a.JSON"), "serval-system");
        assert_eq!(kind("", "file:///a.b/x.tso"), "serval-tso");
        assert_eq!(kind("", "untitled:Untitled-1"), "serval");
        // One more needs nothing but its row.
        const MORE: &[Kind] =
            &[Kind { extension: "dummy", language: "dummy", is_program: false, verdict: None, diagnostics: |_| Vec::new(), format: None }];
        assert_eq!(kind_of("x", "file:///a.dummy", MORE).language, "dummy");
    }
}
