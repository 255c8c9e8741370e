//! Features one by one, as texts in which `$0` is the place that is asked about.

use serval_ide::{
    Access, Document, Span, SymbolKind, TokenClass, callees, callers, classified, completions, definition, folds, highlights, hints, hover,
    outline, references, selections, signature,
};

use crate::support::{examples, marked, random};

fn asked(text: &str) -> (Document, u32) {
    let (text, at) = marked(text);
    (Document::new(text), at)
}

/// The text with `«»` around places.
fn shown(document: &Document, places: impl IntoIterator<Item = Span>) -> String {
    let mut marks: Vec<(u32, char)> = places.into_iter().flat_map(|place| [(place.start, '«'), (place.end, '»')]).collect();
    marks.sort();
    let mut out = document.text().to_owned();
    for (at, mark) in marks.into_iter().rev() {
        out.insert(at as usize, mark);
    }
    out
}

#[test]
fn the_declaration_of_a_name_is_found() {
    let defined = |text: &str| {
        let (document, at) = asked(text);
        shown(&document, definition(&document, at))
    };
    assert_eq!(defined("var A: 0..3 request a { $0A }"), "var «A»: 0..3 request a { A }");
    assert_eq!(defined("request a { x } request b { x := 1; $0x }"), "request a { x } request b { «x» := 1; x }");
    assert_eq!(defined("request a(n: 1..2) { $0n }"), "request a(«n»: 1..2) { n }");
    assert_eq!(defined("fn f(x) { x } request a { $0f(1) }"), "fn «f»(x) { x } request a { f(1) }");
    assert_eq!(defined("enum S { I, B } request a { S.$0B }"), "enum S { I, «B» } request a { S.B }");
    assert_eq!(defined("enum S { I, B } var X: $0S request a { X }"), "enum «S» { I, B } var X: S request a { X }");
    assert_eq!(defined("request a { i := 5; for i in 0..2 { $0i }; i }"), "request a { i := 5; for «i» in 0..2 { i }; i }");
    assert_eq!(defined("request a { i := 5; for i in 0..2 { i }; $0i }"), "request a { «i» := 5; for i in 0..2 { i }; i }");
    assert_eq!(defined("request a { var s[0..1]; $0s[0] }"), "request a { var «s»[0..1]; s[0] }");
    // In a text with errors, too.
    assert_eq!(defined("var A: 0..3 request a { A := ; $0A"), "var «A»: 0..3 request a { A := ; A");
    let (document, at) = asked("request a $0{ 1 }");
    assert_eq!(definition(&document, at), None);
}

#[test]
fn all_places_of_a_name_are_found_with_what_is_done_there() {
    let (document, at) = asked("X := 1 request a { $0X += 1; lock(X); X }");
    assert_eq!(shown(&document, references(&document, at, true)), "«X» := 1 request a { «X» += 1; lock(«X»); «X» }");
    let done: Vec<Access> = highlights(&document, at).into_iter().map(|(_, access)| access).collect();
    assert_eq!(done, [Access::Declare, Access::Both, Access::Both, Access::Read]);
}

#[test]
fn what_is_shown_about_a_place() {
    let said = |text: &str| {
        let (document, at) = asked(text);
        hover(&document, at).map(|hover| hover.markdown)
    };
    let text = "var A: 0..3 := 1 request get { A } request put { bump() } fn bump() { $0A := 2 }";
    let about = said(text).unwrap();
    assert_eq!(about, "```ser\nvar A: 0..3 := 1\n```\nshared variable from 0 to 3, at first 1\n\nread by `get`\n\nwritten by `put`");
    let about = said("request a { x := A; $0yield; A := x } request b { A := 2 } request c { B := 1 }").unwrap();
    assert!(about.contains("others may change meanwhile:\n\n- `A`, by `a` and `b`"), "{about}");
    let about = said("request a { x := 1; $0yield; x }").unwrap();
    assert!(about.contains("Nothing that `a` reads or writes is changed"), "{about}");
    let about = said("request a { $0lock(L); unlock(L) }").unwrap();
    assert_eq!(about, "```ser\nlock(L)\n```\nStands for `while (L == 1) { yield }; L := 1`.");
    let about = said("request $0a { x := A; B := x }").unwrap();
    assert!(about.contains("reads `A`\n\nwrites `B`"), "{about}");
    let about = said("enum S { I, B } request a { $0B }").unwrap();
    assert_eq!(about, "```ser\nB\n```\nmember of `S`: 1");
    // What is wrong is explained by its page.
    let about = said("request a { x $0= 1 }").unwrap();
    assert!(about.contains("**E0112: ") && about.contains("`serval explain E0112`"), "{about}");
    assert_eq!(said("request a { 1 }  $0  "), None);
}

fn offered(text: &str) -> Vec<String> {
    let (document, at) = asked(text);
    completions(&document, at).into_iter().map(|one| one.label).collect()
}

#[test]
fn what_can_be_written_is_offered() {
    let within = offered("var Abc: 0..1 request a(n: 1..2) { x := 1; $0 } request b { y := 1 }");
    assert!(["n", "x", "Abc", "yield", "lock", "if"].iter().all(|word| within.contains(&(*word).to_owned())), "{within:?}");
    assert!(!within.iter().any(|word| matches!(word.as_str(), "y" | "request" | "const" | "b")), "{within:?}");
    assert!(within.iter().position(|word| word == "x") < within.iter().position(|word| word == "yield"));
    let outside = offered("var Abc: 0..1\n$0\nrequest a { 1 }");
    assert!(outside.contains(&"request".to_owned()) && !outside.contains(&"yield".to_owned()), "{outside:?}");
    let outside = offered("request a { 1 }\nreq$0");
    assert!(outside.contains(&"request".to_owned()) && !outside.contains(&"yield".to_owned()), "{outside:?}");
    assert_eq!(offered("enum State { Idle, Busy } request a { State.$0 }"), ["Idle", "Busy"]);
    assert_eq!(offered("enum State { Idle, Busy } request a { State.B$0 }"), ["Idle", "Busy"]);
    assert_eq!(offered("// exp$0\nrequest a { 1 }").len(), 5);
    assert!(offered("request a { /* $0 */ 1 }").is_empty());
    // What is being typed is no proposal for itself.
    assert!(!offered("request a { abc$0 }").contains(&"abc".to_owned()));
    let (document, at) = asked("fn add(x, y) { x + y } request a { ad$0 }");
    let add = completions(&document, at).into_iter().find(|one| one.label == "add").unwrap();
    assert_eq!((add.snippet.as_str(), add.detail.as_str()), ("add($0)", "fn add(x, y)"));
    assert_eq!(document.slice(add.replaced), "ad");
}

#[test]
fn the_parameters_of_a_call_are_shown() {
    let active = |text: &str| {
        let (document, at) = asked(text);
        signature(&document, at).map(|found| (found.label, found.params.len(), found.active))
    };
    let label = "fn add(x, y)".to_owned();
    assert_eq!(active("fn add(x, y) { x + y } request a { add($0) }"), Some((label.clone(), 2, 0)));
    assert_eq!(active("fn add(x, y) { x + y } request a { add(1, $0) }"), Some((label.clone(), 2, 1)));
    assert_eq!(active("fn add(x, y) { x + y } request a { add(1, 2)$0 }"), None);
    assert_eq!(active("fn add(x, y) { x + y } request a { add((1), add(3$0, 2)) }"), Some((label, 2, 0)));
    let document = Document::new("fn add(x, y) { x + y } request a { y := 1; add(2, y) }");
    let found = hints(&document, Span::new(0, 60));
    assert_eq!(found.iter().map(|hint| hint.label.as_str()).collect::<Vec<_>>(), ["x:"]);
}

#[test]
fn calls_are_found_both_ways() {
    let (document, at) = asked("fn $0f(x) { x } fn g(x) { f(x) + f(1) } request a { g(f(2)) }");
    let found: Vec<(String, usize)> = callers(&document, at).into_iter().map(|call| (call.name, call.places.len())).collect();
    assert_eq!(found, [("g".to_owned(), 2), ("a".to_owned(), 1)]);
    let (document, at) = asked("fn f(x) { x } fn g(x) { f(x) + f(1) } request $0a { g(f(2)) }");
    let found: Vec<String> = callees(&document, at).into_iter().map(|call| call.name).collect();
    assert_eq!(found, ["g", "f"]);
}

#[test]
fn the_outline_has_declarations_with_their_parts() {
    let document = Document::new("A := 1\nenum S { I, B }\nvar X[0..1]: S\nfn f(x) { x }\nrequest a(n: 1..2) { n }\n");
    let found = outline(&document);
    let names: Vec<(&str, SymbolKind, usize)> = found.iter().map(|one| (one.name.as_str(), one.kind, one.children.len())).collect();
    use SymbolKind::{Array, Enum, Function, Global, Request};
    assert_eq!(names, [("A", Global, 0), ("S", Enum, 2), ("X", Array, 0), ("f", Function, 1), ("a", Request, 1)]);
    for one in &found {
        assert_eq!(document.slice(one.name_span), one.name);
        assert!(one.span.start <= one.name_span.start && one.name_span.end <= one.span.end);
    }
}

#[test]
fn what_takes_several_lines_can_be_folded() {
    let document = Document::new("// one\n// two\nrequest a {\n  if (x) { 1 };\n  /* a\n b */\n  2 // end\n}\n");
    assert_eq!(
        shown(&document, folds(&document).into_iter().map(|fold| fold.span)),
        "«// one\n// two»\nrequest a «{\n  if (x) { 1 };\n  «/* a\n b */»\n  2 // end\n}»\n"
    );
}

#[test]
fn selections_grow() {
    let (document, at) = asked("request a { x := 1 + $0y; x }");
    let grown: Vec<&str> = selections(&document, at).into_iter().map(|place| document.slice(place)).collect();
    assert_eq!(grown, ["y", "1 + y", "x := 1 + y", "{ x := 1 + y; x }", "request a { x := 1 + y; x }"]);
}

#[test]
fn tokens_have_the_class_of_what_they_mean() {
    let document = Document::new("const N = 1 fn f(a) { a } request return_ { not := N; true; x := not and f(N) } // end");
    let all = classified(&document, Span::new(0, 200));
    let class = |word: &str| all.iter().find(|one| document.slice(one.span) == word).map(|one| one.class);
    assert_eq!(class("const"), Some(TokenClass::Keyword));
    assert_eq!(class("N"), Some(TokenClass::Name(SymbolKind::Constant)));
    // It is a variable because the file assigns to it.
    assert_eq!(class("not"), Some(TokenClass::Name(SymbolKind::Local)));
    assert_eq!(class("true"), Some(TokenClass::Keyword));
    assert_eq!(class("and"), Some(TokenClass::Keyword));
    assert_eq!(class("f"), Some(TokenClass::Name(SymbolKind::Function)));
    assert_eq!(class("// end"), Some(TokenClass::Comment));
    assert_eq!(class("{"), None);
}

/// Nothing panics, wherever one asks, in whatever text.
#[test]
fn every_question_can_be_asked_everywhere() {
    let broken = (1..40).map(|seed| {
        let text = random(seed);
        let kept = text.chars().count().saturating_sub(usize::try_from(seed).unwrap() * 3);
        text.chars().take(kept).collect()
    });
    let odd = [
        "",
        "\u{feff}",
        "request",
        "request a {",
        "🦊 := 1",
        "A := ",
        "enum",
        "enum E { A. }",
        "f(",
        "a[",
        "x.",
        "/*",
        "// ",
        "{\"a\": 1}",
    ];
    let texts = broken.chain(odd.map(str::to_owned)).chain(examples().into_iter().take(4).map(|(_, text)| text));
    for text in texts {
        let document = Document::new(&*text);
        let whole = Span::new(0, u32::try_from(text.len()).unwrap());
        let _ = (outline(&document), folds(&document), classified(&document, whole), hints(&document, whole));
        // Places within characters and behind the end, too.
        for at in (0..u32::try_from(text.len()).unwrap() + 3).step_by(1 + text.len() / 300) {
            let _ = (definition(&document, at), references(&document, at, true), highlights(&document, at), hover(&document, at));
            let _ = (completions(&document, at), signature(&document, at), callers(&document, at), callees(&document, at));
            let chain = selections(&document, at);
            assert!(chain.windows(2).all(|pair| pair[1].start <= pair[0].start && pair[0].end <= pair[1].end && pair[0] != pair[1]));
            let _ = (serval_ide::actions(&document, Span::new(at, at)), serval_ide::rename(&document, at, "zz"));
        }
    }
}
