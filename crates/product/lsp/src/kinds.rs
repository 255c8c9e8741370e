//! The kinds of texts that are understood, one row each.

use serval::nets::{NetInput, NetKind};
use serval::tso::{Syntax, TsoInput};
use serval::{FormatRefusal, FormatStyle, InputKind};
use serval_ide::{Code, Diagnostic, Encoding, LineColumn, LineIndex, Span};

/// How texts of a kind are laid out.
type Format = fn(&str, &FormatStyle) -> Result<String, FormatRefusal>;

/// Who decides about texts of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decider {
    /// Whether requests are serializable.
    Requests(InputKind),
    /// What store buffers do to a program, and the program's own questions.
    WeakMemory(Syntax),
    /// The file's own questions, or whether the net can get stuck.
    Net(NetKind),
}

/// What can be done with texts of a kind.
pub(crate) struct Kind {
    /// What the names of such files end with.
    pub(crate) extension: &'static str,
    /// What editors call the language.
    pub(crate) language: &'static str,
    /// Whether it is a program whose names and forms can be asked about.
    pub(crate) is_program: bool,
    /// Who decides, where there is a verdict.
    pub(crate) verdict: Option<Decider>,
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
        verdict: Some(Decider::Requests(InputKind::Program)),
        diagnostics: |_| Vec::new(),
        format: Some(serval::format),
    },
    Kind {
        extension: "json",
        language: "serval-system",
        is_program: false,
        verdict: Some(Decider::Requests(InputKind::System)),
        diagnostics: |text| serval::Input::systems(text).err().map_or_else(Vec::new, |mistakes| mistakes.diagnostics),
        format: None,
    },
    Kind {
        extension: "tso",
        language: "serval-tso",
        is_program: false,
        verdict: Some(Decider::WeakMemory(Syntax::Tso)),
        diagnostics: |text| weak_memory(text, Syntax::Tso),
        format: Some(serval::format_tso),
    },
    Kind {
        extension: "litmus",
        language: "serval-litmus",
        is_program: false,
        verdict: Some(Decider::WeakMemory(Syntax::Litmus)),
        diagnostics: |text| weak_memory(text, Syntax::Litmus),
        format: None,
    },
    net("pnml", "serval-pnml", NetKind::Pnml, |text| net_mistakes(text, NetKind::Pnml)),
    net("net", "serval-net", NetKind::Tina, |text| net_mistakes(text, NetKind::Tina)),
    net("spec", "serval-spec", NetKind::Mist, |text| net_mistakes(text, NetKind::Mist)),
    net("vass", "serval-vass", NetKind::Vass, |text| net_mistakes(text, NetKind::Vass)),
];

fn weak_memory(text: &str, syntax: Syntax) -> Vec<Diagnostic> {
    TsoInput::read_as(text.to_owned(), syntax).err().map_or_else(Vec::new, |(_, found)| found)
}

/// A way to write nets down.
const fn net(extension: &'static str, language: &'static str, kind: NetKind, diagnostics: fn(&str) -> Vec<Diagnostic>) -> Kind {
    Kind { extension, language, is_program: false, verdict: Some(Decider::Net(kind)), diagnostics, format: None }
}

/// What is wrong with a net: its first mistake, at the word where reading stopped.
fn net_mistakes(text: &str, kind: NetKind) -> Vec<Diagnostic> {
    let Err(error) = NetInput::read(text, kind) else { return Vec::new() };
    let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX).saturating_sub(1);
    let lines = LineIndex::new(text);
    let place = LineColumn { line: number(error.line), column: number(error.column) };
    let start = lines.offset(text, place, Encoding::Utf32);
    let rest = text.get(start as usize..).unwrap_or_default();
    let word = rest.find(|c: char| c.is_whitespace()).unwrap_or(rest.len());
    vec![Diagnostic::error(Code("net"), Span::new(start, start + u32::try_from(word).unwrap_or(0)), error.message)]
}

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
    fn a_mistake_in_a_net_is_at_its_word() {
        let found = net_mistakes("tr t p -> q\ntr u p => q\n", NetKind::Tina);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].primary.span.start >= 12, "{found:?}");
        assert!(net_mistakes("tr t p -> q\n", NetKind::Tina).is_empty());
    }

    #[test]
    fn a_kind_is_a_row() {
        let kind = |language, uri| kind_of(language, uri, KINDS).language;
        assert_eq!(kind("serval", "file:///a.txt"), "serval");
        assert_eq!(kind("json", "file:///a.JSON"), "serval-system");
        assert_eq!(kind("", "file:///a.b/x.tso"), "serval-tso");
        assert_eq!(kind("plaintext", "file:///SB.litmus"), "serval-litmus");
        assert_eq!(kind("xml", "file:///a.pnml"), "serval-pnml");
        assert_eq!(kind("", "untitled:Untitled-1"), "serval");
        // One more needs nothing but its row.
        const MORE: &[Kind] =
            &[Kind { extension: "dummy", language: "dummy", is_program: false, verdict: None, diagnostics: |_| Vec::new(), format: None }];
        assert_eq!(kind_of("x", "file:///a.dummy", MORE).language, "dummy");
    }
}
