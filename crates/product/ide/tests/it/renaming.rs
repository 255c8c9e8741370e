//! A name is changed everywhere or nowhere, and nothing else is.

use serval_effort::sweep;
use serval_ide::{Document, SymbolKind, rename};
use serval_syntax::{Program, Symbol};

use crate::support::{given, marked, random};

/// A name of the same length that the text does not have, so that all places stay where they are.
fn fresh(text: &str, name: &str) -> Option<String> {
    let upper = name.chars().find(char::is_ascii_alphabetic).is_some_and(|letter| letter.is_ascii_uppercase());
    let letters = if upper { 'A'..='Z' } else { 'a'..='z' };
    let words: Vec<&str> = text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').collect();
    letters.rev().map(|letter| letter.to_string() + &"9".repeat(name.len() - 1)).find(|new| !words.contains(&new.as_str()))
}

/// What a program is but for names.
fn nameless(program: &Program) -> Vec<String> {
    let globals = program.globals.iter().map(|global| format!("{} {:?} {:?}", global.initial, global.range, global.span));
    let requests = program.requests.iter().map(|request| {
        let locals: Vec<_> = request.locals.iter().map(|local| (local.span, local.hidden, local.token)).collect();
        format!("{:?} {locals:?} {:?}", request.name_span, request.body)
    });
    globals.chain(requests).collect()
}

fn renamed(name: &str, text: &str, stride: usize) -> usize {
    let document = Document::new(text);
    let Some(program) = document.program() else { return 0 };
    let before = nameless(program);
    let mut count = 0;
    let symbols = document.bindings().symbols();
    for (index, symbol) in symbols.iter().enumerate().step_by(stride) {
        // Arrays of one name in several sequences are several symbols, whose elements are the same variables of the
        // system.
        let twin = |(other, one): (usize, &Symbol)| {
            other != index && (one.kind, &one.name, one.owner) == (symbol.kind, &symbol.name, symbol.owner)
        };
        if symbol.kind == SymbolKind::LocalArray && symbols.iter().enumerate().any(twin) {
            continue;
        }
        let Some(new) = fresh(text, &symbol.name) else { continue };
        let edits = match rename(&document, symbol.definition.start, &new) {
            Ok(edits) => edits,
            Err(refused) => panic!("{name}: `{}` to `{new}`: {refused}\n{text}", symbol.name),
        };
        let after = Document::new(document.edited(&edits).unwrap());
        let Some(other) = after.program() else { panic!("{name}: `{}` to `{new}` gives no program\n{}", symbol.name, after.text()) };
        assert_eq!(before, nameless(other), "{name}: `{}` to `{new}`\n{}", symbol.name, after.text());
        // And back.
        match rename(&after, symbol.definition.start, &symbol.name) {
            Ok(back) => assert_eq!(after.edited(&back).unwrap(), text),
            // Programs may have such names, and none is made by us.
            Err(refused) => assert_eq!(refused.0, format!("`{}` is a word of the language", symbol.name)),
        }
        count += 1;
    }
    count
}

#[test]
fn every_name_of_given_programs_can_be_changed_and_the_system_stays() {
    let count: usize = given().iter().map(|(name, text)| renamed(name, text, 1)).sum();
    assert!(count > 500, "{count}");
}

#[test]
fn names_of_random_programs_can_be_changed_and_the_system_stays() {
    let sweep = sweep("ide.rename", 60, 5_000);
    let count: usize = sweep.map(1, |seed| renamed(&format!("seed {seed}"), &random(seed), 2)).into_iter().sum();
    assert!(count > 60 || !sweep.is_representative(), "{count}");
}

#[test]
fn a_name_that_would_mean_something_else_is_refused() {
    let refused = |text: &str, new: &str| {
        let (text, at) = marked(text);
        rename(&Document::new(text), at, new).unwrap_err().0
    };
    assert_eq!(refused("request a { $0x := 1; y := 2; x }", "y"), "`y` would mean something else: `y` on line 1");
    assert_eq!(refused("request a { $0x := 1; x }", "X"), "`x` is no shared variable, so its first letter stays lower-case");
    assert_eq!(refused("request a { $0X := 1; X }", "x"), "`X` is shared by all requests, so its first letter stays upper-case");
    assert_eq!(refused("request a { $0x := 1; x }", "yield"), "`yield` is a word of the language");
    assert!(refused("request a { $0x := 1; x }", "a b").starts_with("`a b` is no name: "));
    // It would hide a name that is read within, or be hidden by one.
    assert!(refused("request a { x := 1; for $0i in 0..1 { x := i } }", "x").contains("would mean something else"));
    assert!(refused("request a { $0x := 1; for i in 0..1 { x := i } }", "i").contains("would mean something else"));
    assert!(refused("const n = 1  request a { $0x := n; x }", "n").contains("would mean something else"));
    assert!(refused("request a { 1 } $0", "b").contains("there is no name here"));
}

#[test]
fn a_request_may_have_the_name_of_a_variable() {
    let text = "request main { x := 1; x }";
    let edits = rename(&Document::new(text), 9, "x").unwrap();
    let after = Document::new(Document::new(text).edited(&edits).unwrap());
    assert_eq!(after.text(), "request x { x := 1; x }");
    let kinds: Vec<SymbolKind> = after.bindings().symbols().iter().map(|symbol| symbol.kind).collect();
    assert_eq!(kinds, [SymbolKind::Request, SymbolKind::Local]);
}
