//! Changes that are offered do what they say.

use serval_effort::sweep;
use serval_ide::{ActionKind, Document, Severity, Span, Style, actions, changes, formatted, formatted_range, header};

use crate::support::{examples, given, marked, random};

fn whole(document: &Document) -> Span {
    Span::new(0, u32::try_from(document.text().len()).unwrap())
}

/// What help of diagnostics does, on texts that each have one mistake.
#[test]
fn help_that_is_applied_mends_what_it_is_about() {
    let cases = [
        ("request a { x = 1 }", "request a { x := 1 }"),
        ("request a { if (x = 1) { 1 } }", "request a { if (x == 1) { 1 } }"),
        ("request a { x := 1 y := 2 }", "request a { x := 1; y := 2 }"),
        ("request a { x := (1 + 2; x }", "request a { x := (1 + 2; x) }"),
        ("request a { x := 1; if (x) { 2 }", "request a { x := 1; if (x) { 2 } }"),
        ("request a { 1\nrequest b { 2 }", "request a { 1\n}\nrequest b { 2 }"),
        ("request a { x := 1, y := 2 }", "request a { x := 1; y := 2 }"),
        ("request a { 1 & 2 }", "request a { 1 && 2 }"),
        ("request a { 1 <> 2 }", "request a { 1 != 2 }"),
        ("reqest a { 1 }", "request a { 1 }"),
        ("request a { 1 }; request b { 2 }", "request a { 1 } request b { 2 }"),
        ("fn double(x) { x + x } request a { doubel(2) }", "fn double(x) { x + x } request a { double(2) }"),
        ("var Seat[0..3] request a { Saet[1] }", "var Seat[0..3] request a { Seat[1] }"),
        ("enum State { Idle, Busy } request a { State.Idel }", "enum State { Idle, Busy } request a { State.Idle }"),
        ("enum State { Idle, Busy } request a { Stat.Idle }", "enum State { Idle, Busy } request a { State.Idle }"),
        ("request a { for i in 3 { i } }", "request a { for i in 0..2 { i } }"),
        ("Seats := 1 request a { Seats := 2; Seas }", "Seats := 1 request a { Seats := 2; Seats }"),
    ];
    let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    for (text, mended) in cases {
        let document = Document::new(text);
        let help = actions(&document, whole(&document)).into_iter().filter(|one| one.kind == ActionKind::Help);
        let texts: Vec<String> = help.map(|one| plain(&document.edited(&one.edits).unwrap())).collect();
        assert!(texts.contains(&plain(mended)), "{text}: {texts:?}, {:?}", document.diagnostics());
        let after = Document::new(mended);
        assert!(after.program().is_some(), "{mended}: {:?}", after.diagnostics());
    }
}

/// Edits are sorted, lie within the text and leave no diagnostic of the same code at the same place.
#[test]
fn help_of_broken_texts_can_be_applied() {
    let sweep = sweep("ide.help", 400, 20_000);
    let one = |seed: u64| {
        let mut broken = random(seed);
        // One character less, somewhere.
        let cuts: Vec<usize> = broken.char_indices().map(|(at, _)| at).collect();
        broken.remove(cuts[usize::try_from(seed.wrapping_mul(7919) % 1_000_003).unwrap() % cuts.len()]);
        let document = Document::new(broken);
        let mut tried = 0;
        for action in actions(&document, whole(&document)) {
            let after = document.edited(&action.edits).unwrap_or_else(|| panic!("{action:?}\n{}", document.text()));
            let Some((code, place)) = action.about.filter(|_| action.kind == ActionKind::Help) else { continue };
            tried += 1;
            let same = |one: &serval_ide::Diagnostic| one.code == code && one.primary.span == place && one.severity == Severity::Error;
            // What is put in before a place may be missing once more.
            let still = Document::new(&*after).diagnostics().iter().filter(|one| same(one)).count();
            assert!(still == 0, "seed {seed}: {action:?}\n{}\n{after}", document.text());
        }
        tried
    };
    let tried: usize = sweep.map(1, one).into_iter().sum();
    assert!(tried > 50 || !sweep.is_representative(), "{tried}");
}

#[test]
fn a_warning_is_silenced_where_it_stands() {
    for (_, text) in given() {
        let document = Document::new(&*text);
        for action in actions(&document, whole(&document)).iter().filter(|one| one.kind == ActionKind::Silence) {
            let after = Document::new(document.edited(&action.edits).unwrap());
            let code = action.about.map(|(code, _)| code);
            let count = |document: &Document| document.diagnostics().iter().filter(|one| Some(one.code) == code).count();
            assert!(count(&after) < count(&document), "{action:?}\n{}", after.text());
        }
    }
}

/// A form that is written out means the same.
#[test]
fn forms_are_written_out_as_the_language_defines_them() {
    let cases = [
        ("request a { $0lock(L); unlock(L) }", "request a { (while (L == 1) { yield }; L := 1); unlock(L) }"),
        ("request a { lock(L); $0unlock(L) }", "request a { lock(L); L := 0 }"),
        ("request a { $0await (X == 1); X }", "request a { while (!(X == 1)) { yield }; X }"),
        ("request a { $0assume (X == 1); X }", "request a { while (!(X == 1)) { 0 }; X }"),
        ("request a { $0atomic { X := 1; X } }", "request a { ( X := 1; X ) }"),
        ("request a { X $0+= 2; X }", "request a { X := X + (2); X }"),
        ("request a { 1 + ($0skip) }", "request a { 1 + (0) }"),
    ];
    for (text, expected) in cases {
        let (text, at) = marked(text);
        let document = Document::new(&*text);
        let action = actions(&document, Span::new(at, at)).into_iter().find(|one| one.kind == ActionKind::Expand).unwrap();
        let after = document.edited(&action.edits).unwrap();
        assert_eq!(after, expected);
        let core = |text: &str| serval_syntax::core_text(&serval_syntax::analyze(text).program.unwrap());
        assert_eq!(core(&text), core(&after), "{text}");
    }
}

#[test]
fn formatting_as_edits_is_formatting() {
    let style = Style::default();
    for text in given().into_iter().map(|(_, text)| text).chain((1..60).map(random)) {
        for text in [text.replace('\n', "\r\n"), text] {
            let document = Document::new(&*text);
            let wanted = serval_format::format_with_line_ends(&text, &style).unwrap();
            assert_eq!(document.edited(&formatted(&document, &style).unwrap()).unwrap(), wanted);
            // A half, and then the rest.
            let middle = text.char_indices().nth(text.chars().count() / 2).map_or(0, |(at, _)| at);
            let half = formatted_range(&document, Span::new(0, u32::try_from(middle).unwrap()), &style).unwrap();
            let after = Document::new(document.edited(&half).unwrap());
            assert_eq!(after.edited(&formatted(&after, &style).unwrap()).unwrap(), wanted);
        }
    }
}

#[test]
fn changes_make_one_text_of_another() {
    let texts: Vec<String> = examples().into_iter().map(|(_, text)| text).collect();
    for pair in texts.windows(2) {
        let document = Document::new(&*pair[0]);
        assert_eq!(document.edited(&changes(&document, &pair[1])).unwrap(), pair[1]);
    }
}

#[test]
fn the_header_is_written_once() {
    let document = Document::new("request a { 1 }\n");
    let first = document.edited(&header(&document, "serializable")).unwrap();
    assert_eq!(first, "// expect: serializable\nrequest a { 1 }\n");
    let document = Document::new(first);
    assert!(header(&document, "serializable").is_empty());
    assert_eq!(document.edited(&header(&document, "strict")).unwrap(), "// expect: strict\nrequest a { 1 }\n");
}
