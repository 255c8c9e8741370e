//! What proofs with tickets and late looks say, by lines of the text.

use serval_budget::Budget;
use serval_compile::{Options, Prepared};
use serval_lipton_engine::prove;
use serval_lipton_proof::{Words, words};
use serval_syntax::Span;

/// What the proof of a program says.
fn said(text: &str) -> Words {
    let program = serval_syntax::analyze(text).program.unwrap_or_else(|| panic!("{text}"));
    let prepared = Prepared::new(&program, Options::default());
    let found = prove(&prepared, &mut Budget::ticks(1_000_000)).unwrap_or_else(|why| panic!("{why:?}"));
    words::<()>(&prepared, &found.reduction, &mut Budget::ticks(1_000_000)).unwrap_or_else(|refusal| panic!("{refusal:?}"))
}

fn lines(text: &str, spans: &[Span]) -> Vec<usize> {
    let line = |span: &Span| text[..=usize::try_from(span.start).unwrap_or(usize::MAX)].lines().count();
    let mut lines: Vec<usize> = spans.iter().map(line).collect();
    lines.dedup();
    lines
}

#[test]
fn tickets() {
    let text = "request add {\n  t := NEXT;\n  NEXT := NEXT + 1;\n  while (SERVING != t) {\n    yield\n  };\n  x := X;\n  yield;\n  \
                X := 1 - x;\n  SERVING := SERVING + 1;\n  x\n}\n";
    let words = said(&format!("var X: 0..1\n{text}"));
    let [ticket] = words.tickets.as_slice() else { panic!("{:?}", words.tickets) };
    let [draws, asks, calls] = [&ticket.draws, &ticket.asks, &ticket.calls].map(|spans| lines(&format!("var X: 0..1\n{text}"), spans));
    assert_eq!((draws, asks, calls), (vec![4], vec![5], vec![11]));
    assert!(words.looks.is_empty());
}

#[test]
fn looks() {
    let text = include_str!("../../../../../examples/double-checked-initialisation.ser");
    let words = said(text);
    let line = |part: &str| text.lines().position(|line| line.contains(part)).map_or(0, |line| line + 1);
    let [look] = words.looks.as_slice() else { panic!("{:?}", words.looks) };
    assert_eq!(lines(text, &look.first), [line("if (READY == 1)")]);
    assert_eq!(lines(text, &look.again), [line("if (READY == 0)")]);
    assert!(words.tickets.is_empty());
}
