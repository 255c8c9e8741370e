//! `serval net export` for other model checkers, their counterexamples in `serval net run --replay`, and nets that are
//! composed.

use std::fs;

use serde_json::Value;

use crate::support::{directory, serval, text};

const FIGURE: &str = "examples/nets/figure-1.net";
const DEKKER: &str = "examples/nets/mutex/dekker.net";

/// What a command writes, which succeeds.
fn written(args: &[&str]) -> String {
    let output = serval(args, b"");
    assert_eq!(output.status.code(), Some(0), "{args:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// What a command that fails says.
fn refused(args: &[&str]) -> String {
    let output = serval(args, b"");
    assert_eq!(output.status.code(), Some(2), "{args:?}");
    assert!(output.stdout.is_empty(), "{args:?}");
    text(&output.stderr)
}

#[test]
fn lustre_in_both_encodings() {
    let export = |more: &[&str]| written(&[&["net", "export", FIGURE, "--to", "lustre"], more].concat());
    let (corrected, published) = (export(&[]), export(&["--encoding", "published"]));
    assert!(corrected.contains("\nenabled_t0 = enable_t0 -> if enable_t0 then true else pre enabled_t0;\n"));
    assert!(corrected.contains("\n--%PROPERTY prop_dead_trans_t0;\n") && corrected.contains("\n--%PROPERTY prop_dead_place_p1;\n"));
    assert!(published.contains("\nenabled_t0 = false -> if enable_t0 then true else pre enabled_t0;\n"));
    assert!(published.ends_with(
        "--%PROPERTY prop_noDeadlock;\n--%PROPERTY prop_oneSafe;\n--%PROPERTY prop_deadTransExists;\n--%PROPERTY prop_deadPlaceExists;\ntel;\n"
    ));
    let asked = export(&["-p", "invariant:p1 + p3 <= 1", "-p", "reachable:p2 >= 5"]);
    assert!(asked.contains("\n-- invariant:p1 + p3 <= 1\nprop_asked_1 = 1 >= p1 + p3;\n"), "{asked}");
    assert!(
        asked.contains("\n-- reachable:p2 >= 5\n-- It holds where this property does not.\nprop_asked_2 = not (p2 >= 5);\n"),
        "{asked}"
    );
}

#[test]
fn sets_are_given_or_found() {
    let place = directory("nets-export-sets");
    let file = place.join("sets.json");
    let export = |more: &[&str]| written(&[&["net", "export", DEKKER, "--to", "lustre"], more].concat());
    let declared = |program: &str| program.lines().filter(|line| line.starts_with("trans_set") && line.contains(" = ")).count();
    let (greedy, one) = (export(&[]), export(&["--sets", "one"]));
    assert!(declared(&greedy) < declared(&one) && declared(&one) == 22);
    assert!(greedy.contains("Theorem") && !one.contains("Theorem"));
    fs::write(&file, "[[\"raise1\", \"enter1\"]]").unwrap();
    let said = refused(&["net", "export", DEKKER, "--to", "lustre", "--sets", file.to_str().unwrap()]);
    assert!(said.contains("sets.json: “enter_in") || said.contains("is in no set") || said.contains("the net has no transition"), "{said}");
}

#[test]
fn what_is_assumed_has_been_proved() {
    let place = directory("nets-export-bounds");
    let (certificates, map) = (place.join("proofs"), place.join("names.json"));
    let options = ["--assume-bounds", "--certificate", certificates.to_str().unwrap(), "--map", map.to_str().unwrap()];
    let program = written(&[&["net", "export", DEKKER, "--to", "lustre"], &options[..]].concat());
    let assumed: Vec<&str> = program.lines().filter(|line| line.starts_with("-- assumed: ")).collect();
    assert!(assumed.len() > 26, "bounds of 26 places, and sums: {assumed:?}");
    for (number, line) in assumed.iter().enumerate() {
        let (property, file) = line.trim_start_matches("-- assumed: ").rsplit_once(", by ").unwrap();
        assert_eq!(file, format!("assumed-{}.certificate.json", number + 1));
        let path = certificates.join(file);
        let certificate: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        assert_eq!((certificate["property"].as_str(), &certificate["holds"]), (Some(property), &Value::Bool(true)));
        if number % 9 == 0 {
            written(&["verify", DEKKER, path.to_str().unwrap()]);
        }
    }
    // Nothing is assumed of what grows.
    let pump = written(&["net", "export", "examples/nets/pump.net", "--to", "lustre", "--assume-bounds"]);
    assert!(!pump.contains("water <="), "{pump}");
    let names: Value = serde_json::from_str(&fs::read_to_string(&map).unwrap()).unwrap();
    assert_eq!((&names["format"], &names["places"][0]["identifier"]), (&"serval-net-names".into(), &"idle1".into()));
}

#[test]
fn other_forms_and_what_they_refuse() {
    let export = |more: &[&str]| written(&[&["net", "export", FIGURE, "--to"], more].concat());
    assert!(export(&["horn"]).contains("(set-logic HORN)\n(declare-fun reach (Int Int Int) Bool)\n"));
    assert!(export(&["vmt", "-p", "one-safe", "-p", "safe:3"]).contains(":invar-property 1"));
    assert!(export(&["nuxmv"]).starts_with("-- figure_1\nMODULE main\n"));
    assert!(export(&["mist"]).ends_with("target\np_p1 >= 2\np_p2 >= 2\np_p3 >= 2\n"));
    assert!(export(&["smtlib", "-p", "one-safe"]).contains("(check-sat)"));
    let refused = |more: &[&str]| refused(&[&["net", "export", FIGURE, "--to"], more].concat());
    assert_eq!(
        refused(&["mist", "-p", "deadlock-free"]),
        "error: the format of mist asks whether places get at least so many tokens, and deadlock-free asks more\n"
    );
    assert_eq!(refused(&["horn", "-p", "one-safe", "-p", "safe:2"]), "error: this form asks one question, and 2 are given\n");
    assert_eq!(refused(&["dot", "-p", "one-safe"]), "error: --property is for --to lustre, horn, vmt, nuxmv, mist and smtlib\n");
    assert_eq!(refused(&["horn", "--map", "x.json"]), "error: --map is for --to lustre\n");
    assert_eq!(refused(&["pnml", "--encoding", "published"]), "error: --encoding is for --to lustre\n");
}

#[test]
fn a_counterexample_of_another_tool_is_a_run() {
    let place = directory("nets-export-replay");
    let file = place.join("trace.xml");
    let value = |instant: usize, value: &str| format!("<Value instant=\"{instant}\">{value}</Value>");
    let stream = |name: &str, values: [&str; 3]| {
        let values: String = values.iter().enumerate().map(|(instant, one)| value(instant, one)).collect();
        format!("<Stream name=\"{name}\">{values}</Stream>")
    };
    let trace = |tokens: &str| {
        format!(
            "<Results><Property name=\"prop_oneSafe\"><Answer>falsifiable</Answer><CounterExample><Node name=\"main\">{}{}</Node></CounterExample></Property></Results>",
            stream("firing_t3", ["true", "true", "false"]),
            stream("p2", ["0", "1", tokens])
        )
    };
    fs::write(&file, trace("2")).unwrap();
    let run = ["net", "run", FIGURE, "--replay", file.to_str().unwrap()];
    let said = written(&run);
    assert!(said.contains("t3          p2 1 → 2\n"), "{said}");
    assert_eq!(written(&[&run[..], &["--counterexample", "prop_oneSafe"]].concat()), said);
    let said = refused(&[&run[..], &["--counterexample", "prop_noDeadlock"]].concat());
    assert!(said.ends_with("trace.xml: the file has no counterexample for prop_noDeadlock; it has prop_oneSafe [E0511]\n"), "{said}");
    fs::write(&file, trace("7")).unwrap();
    assert!(refused(&run).ends_with("trace.xml: at instant 2 “p2” has 7 in the file and 2 in the net [E0511]\n"));
}

#[test]
fn nets_are_composed() {
    let (client, server) = ("examples/nets/composed/client.net", "examples/nets/composed/server.net");
    let whole = written(&["net", "export", client, "--compose", server, "--to", "net"]);
    assert_eq!(
        whole,
        "net {client || server}\npl {client:idle} (1)\npl waiting (0)\npl {server:idle} (1)\npl asked (0)\npl ready (0)\n\
         tr ask {client:idle} {server:idle} -> waiting asked\ntr answer waiting ready -> {client:idle} {server:idle}\ntr work asked -> ready\n"
    );
    written(&["net", "check", client, "--compose", server, "-p", "deadlock-free", "-p", "invariant:waiting = asked + ready", "-q"]);
    assert_eq!(refused(&["net", "info", client, "--compose", "examples"]), "error: examples is a directory; give a file\n");
    written(&["net", "info", "examples/nets/token-ring.pnml", "--compose", "pages"]);
}

#[test]
fn colours_are_told_in_traces() {
    let said = written(&["net", "run", "examples/nets/round-table.pnml", "--steps", "1"]);
    assert!(said.contains("take(x=") && said.contains("eat("), "{said}");
}
