//! Diagnostics as people see them: the line, a caret, what was expected, what
//! to do.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use serval_diagnostic::{Code, Diagnostic, Label, LineIndex, Severity, Span};
use serval_model::JsonError;

use crate::escape::{line, lines as visible, name};

/// How to draw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// Characters only.
    #[default]
    Plain,
    /// With colours for terminals.
    Colour,
}

/// Draws diagnostics about `text`, which came from `path`, with an empty line
/// between one and the next.
pub fn render_diagnostics(diagnostics: &[Diagnostic], path: &str, text: &str, style: Style) -> String {
    let renderer = match style {
        Style::Plain => Renderer::plain(),
        Style::Colour => Renderer::styled(),
    };
    let lines = LineIndex::new(text);
    let mut out = String::new();
    for (index, diagnostic) in diagnostics.iter().enumerate() {
        if index > 0 {
            out.push('\n');
        }
        out.push_str(&render(diagnostic, path, text, &lines, &renderer));
        out.push('\n');
    }
    out
}

/// A line longer than this is not drawn, only named.
const MAX_SHOWN_BYTES: usize = 100_000;

fn render(diagnostic: &Diagnostic, path: &str, text: &str, lines: &LineIndex, renderer: &Renderer) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let path = name(path);
    let title = level.primary_title(line(&diagnostic.message)).id(diagnostic.code.0);
    let mut labels: Vec<(&Label, AnnotationKind)> = vec![(&diagnostic.primary, AnnotationKind::Primary)];
    labels.extend(diagnostic.secondary.iter().map(|label| (label, AnnotationKind::Context)));
    let mut shown = extent(text, labels.iter().map(|(label, _)| label.span));
    if shown.len() > MAX_SHOWN_BYTES {
        labels.truncate(1);
        shown = extent(text, std::iter::once(diagnostic.primary.span));
    }
    let place = lines.position(text, diagnostic.primary.span.start);
    let mut group = if shown.len() > MAX_SHOWN_BYTES {
        title.element(annotate_snippets::Origin::path(path).line(place.line as usize).char_column(place.column as usize))
    } else {
        // Only the lines that matter are handed over: the cost of drawing does
        // not depend on the size of the file.
        let first_line = lines.position(text, clamp(shown.start)).line as usize;
        let excerpt = &text[shown.clone()];
        let snippet = Snippet::source(visible(excerpt)).line_start(first_line).path(path);
        let annotations = labels.iter().map(|(label, kind)| {
            let span = inside(text, label.span, &shown);
            let span = moved(excerpt, span.start)..moved(excerpt, span.end);
            kind.span(span).label(if label.text.is_empty() { None } else { Some(line(&label.text)) })
        });
        title.element(snippet.annotations(annotations))
    };
    if let Some(expected) = &diagnostic.expected {
        group = group.element(Level::NOTE.with_name("expected").message(visible(expected)));
    }
    if !diagnostic.notes.is_empty() {
        group = group.element(Level::NOTE.message(visible(&diagnostic.notes.join("\n")).into_owned()));
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(visible(help)));
    }
    renderer.render(&[group])
}

fn clamp(offset: usize) -> u32 {
    u32::try_from(offset).unwrap_or(u32::MAX)
}

/// The whole lines that hold all `spans`, without a byte-order mark.
fn extent(text: &str, spans: impl Iterator<Item = Span>) -> Range<usize> {
    let (mut start, mut end) = (text.len(), 0);
    for span in spans {
        start = start.min(span.start as usize);
        end = end.max(span.end as usize);
    }
    let bytes = text.as_bytes();
    let (start, end) = (start.min(bytes.len()), end.min(bytes.len()));
    let line_start = bytes[..start].iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    let line_end = bytes[end.max(start)..].iter().position(|&byte| byte == b'\n').map_or(bytes.len(), |at| end.max(start) + at);
    let line_start = if line_start == 0 && text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { line_start };
    // A carriage return belongs to the end of the line and is not drawn.
    let line_end = if bytes[line_start.min(line_end)..line_end].ends_with(b"\r") { line_end - 1 } else { line_end };
    line_start.min(line_end)..line_end
}

/// A span relative to what is shown, on character boundaries.
fn inside(text: &str, span: Span, shown: &Range<usize>) -> Range<usize> {
    let fit = |offset: u32| {
        let mut offset = (offset as usize).clamp(shown.start, shown.end);
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        offset - shown.start
    };
    fit(span.start)..fit(span.end).max(fit(span.start))
}

/// Where a place of a text is when what cannot be seen in it is written out.
fn moved(text: &str, offset: usize) -> usize {
    // The end of a line may consist of two characters.
    let before = if text[offset..].starts_with('\n') { text[..offset].trim_end_matches('\r') } else { &text[..offset] };
    visible(before).len() + (offset - before.len())
}

/// An error in a network system as a diagnostic.
pub fn json_diagnostic(error: &JsonError) -> Diagnostic {
    let span = Span::new(clamp(error.span.start), clamp(error.span.end.max(error.span.start)));
    let help = if error.help.is_empty() { format!("`serval explain {}` shows how it is written", error.code) } else { error.help.clone() };
    Diagnostic::error(Code(error.code), span, error.message.as_str()).expected(error.expected.as_str()).help(help)
}
