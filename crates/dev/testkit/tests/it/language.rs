//! The parser against terms that are known without it.

use serval_syntax::{Severity, analyze};
use serval_testkit::naive::{Source, Term, term::*};
use serval_testkit::random::{Shape, random_layout, random_program, random_source, spell};

/// What `text` means; it must have no errors.
fn source(text: &str) -> Source {
    let analysis = analyze(text);
    let errors: Vec<_> = analysis.diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error).collect();
    assert!(errors.is_empty(), "{errors:#?}\n{text}");
    Source::from(&analysis.program.unwrap_or_else(|| panic!("no errors and no program\n{text}")))
}

/// The body of a file that is one expression.
fn body(text: &str) -> Term {
    let mut requests = source(text).requests;
    assert_eq!(requests.len(), 1, "{text}");
    assert_eq!(requests[0].0, "request", "{text}");
    requests.remove(0).1
}

#[test]
fn random_programs_mean_what_they_were_made_from() {
    serval_effort::sweep("testkit.meaning", 120, 500).each(0, |seed| {
        for shape in Shape::ALL {
            let made = random_source(seed, shape);
            let text = random_program(seed, shape);
            assert_eq!(source(&text), made, "{shape:?} {seed}\n{text}");
        }
    });
}

#[test]
fn spelling_and_layout_do_not_change_the_meaning() {
    serval_effort::sweep("testkit.layout", 120, 500).each(0, |seed| {
        for shape in Shape::ALL {
            let made = random_source(seed, shape);
            let text = random_layout(&spell(&made, !seed), seed);
            assert_eq!(source(&text), made, "{shape:?} {seed}\n{text}");
        }
    });
}

#[test]
fn operators_bind_as_in_the_grammar() {
    let (a, b, c) = (read("a"), read("b"), read("c"));
    let op = |left: &Term, op, right: &Term| binary(left.clone(), op, right.clone());
    let (plus, minus, times) = (Operator::Add, Operator::Subtract, Operator::Multiply);
    assert_eq!(body("a - b - c"), op(&op(&a, minus, &b), minus, &c));
    assert_eq!(body("a - (b - c)"), op(&a, minus, &op(&b, minus, &c)));
    assert_eq!(body("a + b * c"), op(&a, plus, &op(&b, times, &c)));
    assert_eq!(body("a * b + c"), op(&op(&a, times, &b), plus, &c));
    assert_eq!(body("a / b % c * a"), op(&op(&op(&a, Operator::Divide, &b), Operator::Remainder, &c), times, &a));
    assert_eq!(body("a + b == c"), op(&op(&a, plus, &b), Operator::Equal, &c));
    assert_eq!(body("a == b + c"), op(&a, Operator::Equal, &op(&b, plus, &c)));
    assert_eq!(body("a == b && c"), and(op(&a, Operator::Equal, &b), c.clone()));
    assert_eq!(body("a || b && c"), or(a.clone(), and(b.clone(), c.clone())));
    assert_eq!(body("(a || b) and c"), and(or(a.clone(), b.clone()), c.clone()));
    assert_eq!(body("!a == b"), op(&not(a.clone()), Operator::Equal, &b));
    assert_eq!(body("not a == b"), op(&not(a.clone()), Operator::Equal, &b));
    assert_eq!(body("-a * b"), op(&negate(a.clone()), times, &b));
    assert_eq!(body("a - -b"), op(&a, minus, &negate(b.clone())));
    assert_eq!(body("a := b := c"), assign("a", assign("b", c.clone())));
    assert_eq!(body("a := b || c; a"), sequence(assign("a", or(b.clone(), c.clone())), a.clone()));
    assert_eq!(body("return a := b; c"), sequence(returns(assign("a", b.clone())), c.clone()));
}

#[test]
fn blocks_are_operands() {
    let (a, b) = (read("a"), read("b"));
    assert_eq!(body("if (a) { b } + 1"), binary(if_else(a.clone(), b.clone(), number(0)), Operator::Add, number(1)));
    assert_eq!(body("1 - while (a) { b }"), binary(number(1), Operator::Subtract, while_do(a.clone(), b.clone())));
    assert_eq!(body("!if (a) { b } else { 1 }"), not(if_else(a.clone(), b.clone(), number(1))));
}

#[test]
fn else_belongs_to_the_nearest_if() {
    let (a, b) = (read("a"), read("b"));
    let expected = if_else(a.clone(), number(1), if_else(b.clone(), number(2), number(3)));
    assert_eq!(body("if (a) { 1 } else if (b) { 2 } else { 3 }"), expected);
    assert_eq!(body("if (a) { 1 } else { if (b) { 2 } else { 3 } }"), expected);
    let expected = if_else(a, if_else(b, number(2), number(0)), number(3));
    assert_eq!(body("if (a) { if (b) { 2 } } else { 3 }"), expected);
}

#[test]
fn a_file_without_request_is_one_request() {
    let expected = sequence(assign("X", number(1)), read("X"));
    assert_eq!(body("X := 1; X"), expected);
    assert_eq!(body("X := 1; X;"), expected);
}

#[test]
fn initial_values_and_names() {
    let made = source("A := 100, B := -1 request f { A } request f { B } request g { C }");
    let globals: Vec<_> = made.globals.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    assert_eq!(globals, [("A", 100), ("B", -1), ("C", 0)]);
    let names: Vec<_> = made.requests.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["f", "f", "g"]);
}
