//! What must hold of `parse` and `analyze`, whatever the text is.

use serval_syntax::{Analysis, Diagnostic, LineIndex, Severity, Span, SyntaxKind, analyze, codes, parse};

/// Checks one text and hands back what `analyze` says about it.
pub(crate) fn check(text: &str) -> Analysis {
    let parsed = parse(text);
    let tree = parsed.syntax();
    assert_eq!(tree.kind(), SyntaxKind::SourceFile);
    assert!(tree.text() == text, "the tree lost or changed some of the text");
    assert!(parsed.diagnostics().iter().all(|diagnostic| diagnostic.severity == Severity::Error), "the parser only knows errors");
    check_diagnostics(text, parsed.diagnostics());

    let analysis = analyze(text);
    check_diagnostics(text, &analysis.diagnostics);
    let wrong = analysis.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    assert_eq!(analysis.program.is_none(), wrong, "a program exactly if there is no error: {:?}", analysis.diagnostics);
    assert!(wrong || parsed.diagnostics().is_empty(), "`analyze` forgot an error of `parse`: {:?}", parsed.diagnostics());
    if let Some(program) = &analysis.program {
        assert!(!program.requests.is_empty(), "a program has a request");
        for request in &program.requests {
            check_span(text, request.name_span);
            check_span(text, request.body.span);
            request.locals.iter().for_each(|local| check_span(text, local.span));
        }
        program.globals.iter().for_each(|global| check_span(text, global.span));
    }
    analysis
}

/// Places lie in the text, errors say what was expected and what to do, the
/// order is that of the text, and codes are those that are documented.
pub(crate) fn check_diagnostics(text: &str, diagnostics: &[Diagnostic]) {
    let lines = LineIndex::new(text);
    assert!(diagnostics.is_sorted_by_key(|diagnostic| diagnostic.primary.span), "not in the order of the text");
    for diagnostic in diagnostics {
        check_diagnostic(text, &lines, diagnostic);
        let known = codes().iter().find(|info| info.code == diagnostic.code);
        assert_eq!(known.map(|info| info.severity), Some(diagnostic.severity), "{diagnostic:?}");
    }
}

/// The part that holds for diagnostics of every stage.
pub(crate) fn check_diagnostic(text: &str, lines: &LineIndex, diagnostic: &Diagnostic) {
    for label in diagnostic.secondary.iter().chain([&diagnostic.primary]) {
        check_span(text, label.span);
        let (start, end) = (lines.position(text, label.span.start), lines.position(text, label.span.end));
        assert!(start <= end, "{diagnostic:?}");
    }
    let says = |part: &Option<String>| part.as_ref().is_some_and(|part| !part.trim().is_empty());
    assert!(!diagnostic.message.trim().is_empty() && !diagnostic.message.contains('\n'), "the message is one line: {diagnostic:?}");
    if diagnostic.severity == Severity::Error {
        assert!(says(&diagnostic.expected), "an error says what was expected: {diagnostic:?}");
        assert!(says(&diagnostic.help), "an error says what to do: {diagnostic:?}");
    }
}

fn check_span(text: &str, span: Span) {
    assert!(span.start <= span.end && text.get(span.range()).is_some(), "{span:?} is no place in a text of {} bytes", text.len());
}
