//! What must hold of reading programs on weak memory and litmus tests, whatever the text is.

use serval_diagnostic::{Diagnostic, LineIndex};
use serval_tso_program::{Op, Program, Syntax, codes, lexemes, read_as};

/// Checks one text; gives what is wrong with it.
pub(crate) fn check(text: &str, syntax: Syntax) -> Result<(), Vec<Diagnostic>> {
    match read_as(text, syntax) {
        Ok(program) => {
            check_program(text, &program);
            // A question is never wrong because of the program alone.
            assert!(program.asking("exists 0 == 1").is_ok());
            Ok(())
        }
        Err(diagnostics) => {
            assert!(!diagnostics.is_empty(), "nothing is wrong, and there is no program");
            check_diagnostics(text, &diagnostics);
            Err(diagnostics)
        }
    }
}

fn check_program(text: &str, program: &Program) {
    assert!(!program.threads.is_empty());
    for thread in &program.threads {
        assert_eq!(thread.code.len(), thread.spans.len());
        assert_eq!(thread.code.iter().position(|node| node.op == Op::End), Some(thread.code.len() - 1), "the end is last, and only there");
        for node in &thread.code {
            assert!(node.next.index() < thread.code.len());
            if let Op::Branch(_, no) = &node.op {
                assert!(no.index() < thread.code.len());
            }
        }
        assert!(thread.spans.iter().all(|span| text.get(span.range()).is_some()));
        assert!(thread.labels.iter().all(|(_, point)| point.index() < thread.code.len()));
    }
    assert!(program.cells.iter().all(|(_, initial)| program.values.keep(*initial).is_some()), "memory begins within the range");
}

/// Places lie in the text, errors say what was expected and what to do, and codes are those that are documented.
fn check_diagnostics(text: &str, diagnostics: &[Diagnostic]) {
    let lines = LineIndex::new(text);
    assert!(diagnostics.is_sorted_by_key(|diagnostic| diagnostic.primary.span), "not in the order of the text");
    for diagnostic in diagnostics {
        for label in diagnostic.secondary.iter().chain([&diagnostic.primary]) {
            assert!(text.get(label.span.range()).is_some(), "{diagnostic:?} is no place in the text");
            assert!(lines.position(text, label.span.start) <= lines.position(text, label.span.end), "{diagnostic:?}");
        }
        let says = |part: &Option<String>| part.as_ref().is_some_and(|part| !part.trim().is_empty());
        assert!(!diagnostic.message.trim().is_empty() && !diagnostic.message.contains('\n'), "the message is one line: {diagnostic:?}");
        assert!(says(&diagnostic.expected) && says(&diagnostic.help), "{diagnostic:?}");
        assert!(codes().iter().any(|info| info.code == diagnostic.code), "{diagnostic:?}");
    }
}

/// Tokens and comments cover all of the text but blanks.
pub(crate) fn check_lexemes(text: &str) {
    let Ok(spans) = lexemes(text) else { return };
    let mut at = 0;
    for span in spans {
        let gap = &text[at..span.range().start];
        assert!(gap.chars().all(|letter| letter.is_whitespace() || letter == '\u{feff}'), "{gap:?} was left out");
        at = span.range().end;
    }
    assert!(text[at..].chars().all(|letter| letter.is_whitespace() || letter == '\u{feff}'));
}
