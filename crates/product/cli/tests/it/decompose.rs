//! `serval net decompose`, other beginnings, free places, and what is said where something is wrong.

use std::fs;

use serde_json::Value;

use crate::schema;
use crate::support::{directory, root, serval, text};

const MODES: &str = "docs/src/reachability/modes.net";
const PARITY: &str = "docs/src/parity.net";
const DOUBLING: &str = "docs/src/doubling.vass";

fn said(args: &[&str], status: i32) -> String {
    let output = serval(args, b"");
    assert_eq!(output.status.code(), Some(status), "{args:?}: {}{}", text(&output.stdout), text(&output.stderr));
    text(&output.stdout)
}

fn wrong(args: &[&str]) -> String {
    let output = serval(args, b"");
    assert_eq!(output.status.code(), Some(2), "{args:?}: {}{}", text(&output.stdout), text(&output.stderr));
    text(&output.stderr)
}

/// The pictures of the chapter, each with how it is made.
const PICTURES: [(&str, &[&str]); 5] = [
    ("net", &["net", "export", MODES, "--to", "svg"]),
    ("tree", &["net", "decompose", MODES, "--target", "q=1, y=4", "--to", "svg", "--exit-zero"]),
    ("whole", &["net", "decompose", MODES, "--target", "q=1, y=4", "--to", "svg", "--node", "0", "--exit-zero"]),
    ("parts", &["net", "decompose", MODES, "--target", "q=1, y=4", "--to", "svg", "--node", "5", "--exit-zero"]),
    ("backwards", &["net", "decompose", MODES, "--target", "q=1, y=4", "--to", "svg", "--node", "6", "--exit-zero"]),
];

/// The pictures of the chapter are what the tool draws today; `SERVAL_UPDATE=1` draws them anew.
#[test]
fn the_pictures_of_the_chapter() {
    let chapter = fs::read_to_string(root().join("docs/src/reachability.md")).unwrap();
    for (name, args) in PICTURES {
        let (drawn, path) = (said(args, 0), root().join(format!("docs/src/reachability/{name}.svg")));
        if std::env::var_os("SERVAL_UPDATE").is_some() {
            fs::write(&path, &drawn).unwrap();
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), drawn, "{name}: SERVAL_UPDATE=1 draws it anew");
        assert!(chapter.contains(&format!("](reachability/{name}.svg)")), "{name} is not in the chapter");
    }
}

#[test]
fn trees_meet_the_schema() {
    let rules: Value = serde_json::from_str(&fs::read_to_string(root().join("docs/net-decompose.schema.json")).unwrap()).unwrap();
    for (args, status) in [
        (vec![MODES, "--target", "q=1, y=4"], 0),
        (vec![MODES, "--target", "q=1, y=4", "--steps", "2"], 3),
        (vec![PARITY, "--target", "q=1, y=5, u=1"], 1),
        (vec![PARITY, "--target", "q>=1 and y>=5 or x=2*y"], 0),
        (vec![DOUBLING, "--target", "q1 (1, 4)"], 0),
        (vec![DOUBLING, "--target", "q1 (*, 3)"], 1),
    ] {
        let tree = said(&[&["net", "decompose"], &args[..], &["--to", "json"]].concat(), status);
        let tree: Value = serde_json::from_str(&tree).unwrap();
        schema::fits(&tree, &rules, &rules, &format!("{args:?}"));
        // Each has its own number, and comes after what it comes from.
        for (number, node) in tree["nodes"].as_array().unwrap().iter().enumerate() {
            assert_eq!(node["number"].as_u64(), Some(number as u64));
            assert!(node["parent"].as_u64().is_none_or(|parent| parent < number as u64));
        }
        let sizes = &tree["sizes"];
        let all = sizes["sequences"].as_u64().unwrap() + sizes["open"].as_u64().unwrap();
        assert_eq!(all, tree["nodes"].as_array().unwrap().len() as u64, "{args:?}");
    }
}

#[test]
fn trees_in_all_forms() {
    let tree = |more: &[&str]| said(&[&["net", "decompose", PARITY, "--target", "q=1, y=5, u=1", "--exit-zero"], more].concat(), 0);
    assert!(tree(&["--to", "dot"]).starts_with("digraph decomposition {\n"));
    let page = tree(&["--to", "html"]);
    assert!(page.contains("cannot be filled from its beginning") && !page.contains("src=") && !page.contains("<script"), "{page}");
    let kept = directory("decompose-out").join("tree.html");
    assert_eq!(tree(&["--to", "html", "--out", kept.to_str().unwrap()]), "");
    assert_eq!(fs::read_to_string(kept).unwrap(), page);
    // Why, rule by rule, and with how many cases.
    let why = tree(&["--explain"]);
    assert!(why.contains("the equation cuts") || why.contains("no solution in natural numbers"), "{why}");
    assert!(tree(&["-v"]).contains("   equation:\n"), "{}", tree(&["-v"]));
    assert!(wrong(&["net", "decompose", PARITY, "--target", "y=5", "--node", "99", "--to", "svg"]).contains("there is no sequence 99"));
    assert!(wrong(&["net", "decompose", PARITY, "--target", "y=5", "--node", "0"]).contains("--node is for pictures"));
}

/// Evidence, trees and runs of systems with states speak of states and counters.
#[test]
fn states_and_counters() {
    let tree = said(&["net", "decompose", DOUBLING, "--target", "q1 (1, 4)"], 0);
    assert!(tree.contains("q0 (0, 0) ⟲3 q1 (1, 4)") && tree.contains("configuration\n") && tree.contains("q1 (1, 4)\n"), "{tree}");
    let run = said(&["net", "check", DOUBLING, "-p", "reaches:q1=1, c2=8", "--format", "json", "--no-times"], 0);
    let run: Value = serde_json::from_str(&run).unwrap();
    let last = run["run"]["steps"].as_array().unwrap().last().unwrap();
    assert_eq!((last["configuration"]["state"].as_str(), &last["configuration"]["counters"]), (Some("q1"), &serde_json::json!([0, 8])));
    assert_eq!(run["run"]["word"], "fill^4 move double^4");
}

#[test]
fn other_beginnings() {
    let kept = directory("decompose-from");
    let certificates = kept.to_str().unwrap();
    let check = |from: &str, status| {
        said(&["net", "check", PARITY, "--from", from, "-p", "reaches:q=1, y=5, u=1", "--certificate", certificates], status)
    };
    // With one on x there is one more to carry.
    assert!(check("p=1, x=1, u=1", 0).contains("holds"));
    let certificate = fs::read_dir(&kept).unwrap().next().unwrap().unwrap().path();
    let certificate = certificate.to_str().unwrap();
    let verified = said(&["verify", PARITY, certificate, "--from", "x=1, *"], 0);
    assert!(verified.contains("of docs/src/parity.net from x=1, * ("), "{verified}");
    // About the net as the file says it, or from elsewhere, it says nothing.
    assert!(said(&["verify", PARITY, certificate], 1).contains("net.input"));
    assert!(said(&["verify", PARITY, certificate, "--from", "x=3, *"], 1).contains("net.input"));
    assert!(check("x=1, *", 0).contains("holds"));
    assert!(check("p=1, u=1", 1).contains("does not hold"));
    assert!(said(&["net", "info", PARITY, "--from", "p=3"], 0).contains("places"));
}

#[test]
fn places_that_are_free() {
    let said = |target: &str, status| {
        said(&["net", "check", PARITY, "-p", &format!("reaches:{target}"), "--format", "json", "--no-times"], status)
    };
    let free: Value = serde_json::from_str(&said("y=5, *", 0)).unwrap();
    assert_eq!((&free["answer"], &free["property"]), (&"holds".into(), &"reaches:y=5, *".into()));
    assert!(said("y=5", 1).contains("does-not-hold"));
    assert!(said("*", 0).contains("\"holds\""));
}

#[test]
fn mistakes_are_told_where_they_are() {
    let property = |text: &str| wrong(&["net", "check", PARITY, "-p", text]);
    for (text, told) in [
        ("reaches:p=1, yy=2", "error: line 1, column 14: the net has no place “yy”\n"),
        ("reaches:p=-1", "error: line 1, column 11: no place ever has fewer than 0 tokens\n"),
        ("reaches:p=1.5", "error: line 1, column 11: tokens are whole: a number has no fraction\n"),
        ("reaches:p=99999999999999999999999", "error: line 1, column 11: the number does not fit 64 bits\n"),
        ("reaches:p=1, p=2", "error: line 1, column 14: “p” is named twice\n"),
        ("reaches:p=", "error: line 1, column 11: expected a number of tokens, found the end\n"),
        ("reaches:p=1, *, q=1", "error: line 1, column 15: nothing comes after “*”"),
        ("reaches", "“reaches” needs something behind a colon: reaches:MARKING"),
    ] {
        assert!(property(text).contains(told), "{text}: {}", property(text));
    }
    let near = serval(&["net", "decompose", "-", "--input", "net", "--target", "bufer=1"], b"pl buffer (1)\n");
    assert!(text(&near.stderr).contains("help: did you mean “buffer”?"), "{}", text(&near.stderr));
    let target = |text: &str| wrong(&["net", "decompose", PARITY, "--target", text]);
    assert!(target("p=1, yy=2").contains("line 1, column 6: the net has no place “yy”"), "{}", target("p=1, yy=2"));
    assert!(target("p >= 1 and yy < 2").contains("line 1, column 12: the net has no place “yy”"));
    assert!(target("p >=\n1 and yy < 2").contains("line 2, column 7: the net has no place “yy”"));
    assert!(wrong(&["net", "decompose", PARITY]).contains("say what is to be reached: --target"));
    assert!(wrong(&["net", "check", PARITY, "--from", "zz=1"]).contains("line 1, column 1: the net has no place “zz”"));
    let kept = directory("decompose-mistakes");
    for (text, told) in [
        ("state q (0, 1.5)\n", ":1:13: “1.5” has a fraction, and counters are whole"),
        ("state q (0, 1)\nq -> q (1, 99999999999999999999)\n", ":2:12: “99999999999999999999” is no number of 64 bits"),
        ("state q (0, 1)\nq -> q (1)\n", ":2:1: 1 number for 2 counters"),
    ] {
        let path = kept.join("wrong.vass");
        fs::write(&path, text).unwrap();
        let said = wrong(&["net", "decompose", path.to_str().unwrap(), "--target", "q (0, 0)"]);
        assert!(said.contains(told), "{text}: {said}");
    }
}

/// What ends early says which limit it was, what was ruled out, and how large it became.
#[test]
fn limits_are_told() {
    let wide: String = (0..201).map(|place| format!("pl p{place} (0)\n")).collect();
    let path = directory("decompose-wide").join("wide.net");
    fs::write(&path, wide).unwrap();
    let path = path.to_str().unwrap();
    let refused = said(&["net", "decompose", path, "--target", "p7=1"], 3);
    assert!(refused.contains("more than 200 places for a decomposition"), "{refused}");
    let refused = said(&["net", "check", path, "-p", "reaches:p7=1", "--method", "decompose", "--no-times"], 3);
    assert!(refused.contains("more than 200 places for a decomposition"), "{refused}");
    // Other methods have no such limit.
    said(&["net", "check", path, "-p", "reaches:p7=1"], 1);
    let hard = directory("decompose-hard").join("hard.net");
    let doubling = "pl p (1)\npl q (0)\npl x (1)\npl y (0)\npl z (0)\npl f (0)\ntr fa p -> p f\ntr fb q -> q f\ntr fc p f -> p\ntr move p x -> p y\ntr there p -> q\ntr double q y -> q x*2\ntr back q -> p z\n";
    fs::write(&hard, doubling).unwrap();
    let args = [
        "net",
        "check",
        hard.to_str().unwrap(),
        "-p",
        "reaches:p=1, x=129, z=7",
        "--method",
        "decompose",
        "--no-times",
        "--timeout",
        "0.3",
    ];
    let undecided = said(&args, 3);
    assert!(undecided.contains("time limit of 0.3 s"), "{undecided}");
    let stopped = said(&["net", "decompose", hard.to_str().unwrap(), "--target", "p=1, x=129, z=7", "--steps", "5"], 3);
    assert!(stopped.contains("stopped after 5 steps; the largest sequence has") && stopped.contains(" open\n"), "{stopped}");
}
