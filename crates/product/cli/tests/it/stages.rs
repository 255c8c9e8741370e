//! The stages of the published way, exported and read back.

use serval_petri::{Marking, PlaceId, mcc, pnml, tina};

use crate::support::{serval, text};

fn export(file: &str, format: &str, more: &[&str]) -> String {
    let output = serval(&[&["-q", "export", file, "--to", format], more].concat(), b"");
    assert!(output.status.success(), "{file} {format}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// The ids of the PNML are those of the properties, and both formats of nets
/// say the same.
#[test]
fn nets_and_questions_fit_together() {
    for (file, properties) in [
        ("docs/src/running-example.ser", 1),
        ("docs/src/running-example-locked.ser", 1),
        ("examples/ticket-lock.ser", 2),
        ("examples/two-phase-locking.ser", 2),
        ("examples/dhcp-lease.json", 4),
        ("crates/product/cli/tests/cmd/divisible.ser", 0),
    ] {
        for more in [&[][..], &["--plain"]] {
            let read = pnml::read(&export(file, "pnml", more)).unwrap();
            assert_eq!(read.net, tina::read(&export(file, "net", more)).unwrap(), "{file}");
            let questions = mcc::read(&export(file, "query", more), &read.net, &read.ids).unwrap();
            assert_eq!(questions.len(), properties, "{file} {more:?}");
            // No answers are the answers of a serial run.
            assert!(questions.iter().all(|question| !question.formula.holds(&read.net.initial())), "{file}");
        }
    }
}

/// The only question of the running example, about markings that it is about
/// and others.
#[test]
fn at_least_one_response_zero() {
    let file = "docs/src/running-example.ser";
    let read = pnml::read(&export(file, "pnml", &["--plain"])).unwrap();
    assert_eq!((read.net.place_count(), read.net.transition_count()), (8, 7));
    let questions = mcc::read(&export(file, "query", &["--plain"]), &read.net, &read.ids).unwrap();
    let marking = |marked: &[(&str, u64)]| {
        let place = |name: &str| read.net.place_named(name).unwrap();
        let tokens = |id: PlaceId| marked.iter().find(|(name, _)| place(name) == id).map_or(0, |&(_, tokens)| tokens);
        Marking::new(read.net.places().map(tokens).collect())
    };
    let holds = |marked: &[(&str, u64)]| questions[0].formula.holds(&marking(marked));
    assert!(holds(&[("global X=0", 1), ("answer main/0", 1), ("answer main/1", 1)]));
    assert!(!holds(&[("global X=0", 1), ("answer main/1", 2)]));
    assert!(!holds(&[("global X=0", 1), ("answer main/0", 1), ("at main/@start", 1)]));
}

/// Names that would be taken for signs are quoted, and comments stay comments.
#[test]
fn strange_names() {
    let system = br#"{"initial_global": "g", "requests": [["a b", "l"]], "responses": [["l", "-->"], ["l", "|\n*"], ["m", "--"]],
        "transitions": [["l", "h", "m", "h"]]}"#;
    let export = |format: &str| {
        let output = serval(&["export", "-", "--input", "json", "--to", format], system);
        assert!(output.status.success(), "{format}: {}", text(&output.stderr));
        text(&output.stdout)
    };
    assert_eq!(export("regex"), "(\"a b\"/\"-->\" | \"a b\"/\"|\\n*\")*\n");
    assert!(export("semilinear").ends_with("\n  \"a b\"/-- ≥ 1\n"), "{}", export("semilinear"));
    assert!(export("query").contains("disjunct-0: \"a b\"/- - ≥ 1\n"), "{}", export("query"));
    let read = pnml::read(&export("pnml")).unwrap();
    assert_eq!(mcc::read(&export("query"), &read.net, &read.ids).unwrap().len(), 1);
}
