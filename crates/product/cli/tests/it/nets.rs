//! `serval net`: the examples, formats and statuses, and hostile inputs.

use std::path::PathBuf;
use std::process::Output;

use serde_json::Value;
use serval_effort::{side_by_side, skips};

use crate::schema;
use crate::support::{directory, root, serval, text};

/// The examples, each with whether the usual four properties hold: deadlock-free, one-safe, quasi-live, no-dead-places.
const EXAMPLES: [(&str, [bool; 4]); 15] = [
    ("controller-and-workers.net", [true, false, true, true]),
    ("figure-1.net", [false, false, false, true]),
    ("marking-equation.net", [false, true, false, false]),
    ("mutual-exclusion.net", [true, true, true, true]),
    ("peterson.net", [true, true, true, true]),
    ("philosophers-ordered.net", [true, true, true, true]),
    ("philosophers.net", [false, true, true, true]),
    ("producer-consumer.net", [true, false, true, true]),
    ("pump.net", [true, false, true, true]),
    ("readers-writers.net", [true, false, true, true]),
    ("round-table.pnml", [true, true, true, true]),
    ("token-ring.pnml", [true, true, true, true]),
    ("traffic-lights.net", [true, true, true, true]),
    ("trap.net", [true, false, true, true]),
    ("vending-machine.net", [false, false, true, true]),
];

/// Further questions about examples, each with whether it holds.
const MORE: [(&str, &str, bool); 15] = [
    ("controller-and-workers.net", "invariant:p2 + w1 <= 1", true),
    ("controller-and-workers.net", "reachable:w0 >= 5 and p2 = 1", true),
    ("marking-equation.net", "reaches:p3=1", false),
    ("mutual-exclusion.net", "invariant:inside1 + inside2 <= 1", true),
    ("peterson.net", "invariant:inside1 + inside2 <= 1", true),
    ("philosophers.net", "invariant:eat1 + eat2 + eat3 <= 1", true),
    ("philosophers-ordered.net", "reachable:has1 = 1 and has2 = 1", true),
    ("producer-consumer.net", "safe:6", true),
    ("producer-consumer.net", "invariant:buffer + room = 6", true),
    ("pump.net", "safe:1000", false),
    ("readers-writers.net", "invariant:writing = 0 or reading = 0", true),
    ("round-table.pnml", "invariant:\"eat(1)\" + \"eat(2)\" <= 1", true),
    ("token-ring.pnml", "reaches:\"token at 3\"=1", true),
    ("traffic-lights.net", "reachable:red_north = 0 and red_east = 0", false),
    ("vending-machine.net", "invariant:cup <= 1 and not deadlock -> coin <= 5", true),
];

fn example(name: &str) -> String {
    format!("examples/nets/{name}")
}

fn checked(file: &str, more: &[&str]) -> Output {
    serval(&[&["net", "check", file, "--no-times"], more].concat(), b"")
}

/// The objects that are written, one for each question.
fn objects(output: &Output) -> Vec<Value> {
    text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Algorithms for mutual exclusion, each with how many processes it is for. The usual four properties hold of all.
const MUTEX: [(&str, usize); 7] = [
    ("dekker.net", 2),
    ("eisenberg-mcguire-2.net", 2),
    ("lamport-fast-2.net", 2),
    ("peterson-2.net", 2),
    ("peterson-3.net", 3),
    ("szymanski-2.net", 2),
    ("szymanski-3.net", 3),
];

/// The names of the files in a directory, sorted.
fn files_in(directory: &str) -> Vec<String> {
    let entries = std::fs::read_dir(root().join(directory)).unwrap().map(|entry| entry.unwrap());
    let mut files: Vec<String> =
        entries.filter(|entry| entry.path().is_file()).map(|entry| entry.file_name().into_string().unwrap()).collect();
    files.sort();
    files
}

/// The number of threads changes no byte, of reports with evidence and of certificates.
#[test]
fn threads_change_no_byte() {
    for (file, more) in [
        ("philosophers.net", &["--property", "invariant:eat1 + eat2 + eat3 <= 1", "--property", "live"][..]),
        ("peterson.net", &["--property", "invariant:inside1 + inside2 <= 1"][..]),
        ("readers-writers.net", &["--property", "bounded"][..]),
        ("trap.net", &[][..]),
    ] {
        let path = format!("examples/nets/{file}");
        let told = |jobs: &str| {
            let proofs = directory(&format!("jobs-{file}-{jobs}"));
            let usual = ["deadlock-free", "one-safe", "quasi-live", "no-dead-places"].map(|name| ["--property", name]).concat();
            let given = ["net", "check", &path, "--no-times", "--format", "json", "--exit-zero", "--jobs", jobs, "--certificate"];
            let report = serval(&[&given[..], &[proofs.to_str().unwrap()], &usual, more].concat(), b"");
            let shown = text(&report.stdout).replace(proofs.to_str().unwrap(), "DIR");
            let entries = std::fs::read_dir(&proofs).unwrap().map(|entry| entry.unwrap().path());
            let mut saved: Vec<_> = entries.map(|path| (path.file_name().unwrap().to_owned(), std::fs::read(&path).unwrap())).collect();
            saved.sort();
            assert!(!saved.is_empty() && !shown.is_empty(), "{file}");
            (shown, saved)
        };
        let one = told("1");
        for jobs in ["2", "4"] {
            assert!(told(jobs) == one, "{file} with {jobs} threads");
        }
    }
}

#[test]
fn algorithms_for_mutual_exclusion_are_proved() {
    if skips("cli.mutex") {
        return;
    }
    assert_eq!(files_in("examples/nets/mutex"), MUTEX.map(|example| example.0));
    side_by_side(&MUTEX, |&(name, processes)| {
        let inside: Vec<String> = (1..=processes).map(|process| format!("inside{process}")).collect();
        let exclusion = format!("invariant:{} <= 1", inside.join(" + "));
        let file = example(&format!("mutex/{name}"));
        assert!(std::fs::read_to_string(root().join(&file)).unwrap().contains(&format!("# Mutual exclusion: {exclusion}\n")), "{name}");
        let asked = ["deadlock-free", "one-safe", "quasi-live", "no-dead-places", &exclusion].map(|property| ["-p", property]).concat();
        let output = checked(&file, &[&["--format", "json"], &asked[..]].concat());
        assert_eq!(output.status.code(), Some(0), "{name}: {}", text(&output.stdout));
        assert!(objects(&output).iter().all(|object| object["certificate"]["verified"] == true), "{name}");
        // Exclusion would also hold where no process ever gets inside.
        for one in inside {
            assert_eq!(checked(&file, &["-p", &format!("reachable:{one} = 1")]).status.code(), Some(0), "{name}");
        }
    });
}

#[test]
fn the_examples_have_the_answers_that_are_expected() {
    assert_eq!(files_in("examples/nets"), EXAMPLES.map(|example| example.0));
    side_by_side(&EXAMPLES, |&(name, holds)| {
        let output = checked(&example(name), &["--format", "json"]);
        let answers: Vec<bool> = objects(&output).iter().map(|object| object["answer"] == "holds").collect();
        assert_eq!(answers, holds, "{name}: {}", text(&output.stdout));
        assert_eq!(output.status.code(), Some(if holds == [true; 4] { 0 } else { 1 }), "{name}");
        for object in objects(&output) {
            assert_ne!(object["answer"], "undecided", "{name}");
            assert_eq!(object["certificate"]["verified"], true, "{name}");
        }
    });
    side_by_side(&MORE, |&(name, property, holds)| {
        let output = checked(&example(name), &["--property", property]);
        assert_eq!(output.status.code(), Some(if holds { 0 } else { 1 }), "{name} {property}: {}", text(&output.stdout));
    });
}

#[test]
fn the_answers_about_the_published_example() {
    let objects = objects(&checked(&example("figure-1.net"), &["--format", "json"]));
    let fired = |object: &Value| -> Vec<String> {
        object["run"]["steps"].as_array().unwrap().iter().map(|step| step["fire"][0].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(fired(&objects[0]), ["t1"]);
    assert_eq!(fired(&objects[1]), ["t3", "t3"]);
    assert_eq!((&objects[0]["run"]["shortest"], &objects[1]["run"]["shortest"]), (&Value::Bool(true), &Value::Bool(true)));
    let dead: Vec<&str> = objects[2]["dead"].as_array().unwrap().iter().map(|dead| dead["name"].as_str().unwrap()).collect();
    assert_eq!(dead, ["t0"]);
    assert_eq!(objects[3]["answer"], "holds");
}

#[test]
fn what_is_written_meets_the_schema() {
    let rules: Value = serde_json::from_str(&std::fs::read_to_string(root().join("docs/net-check.schema.json")).unwrap()).unwrap();
    let kept = directory("nets-schema");
    side_by_side(&EXAMPLES, |(name, _)| {
        let (certificates, traces) = (kept.join(name).join("certificates"), kept.join(name).join("traces"));
        let options = ["--format", "json", "--certificate", certificates.to_str().unwrap(), "--trace", traces.to_str().unwrap()];
        for timed in [&options[..], &[&options[..], &["--timeout", "0.000001"]].concat()] {
            let output = serval(&[&["net", "check", &example(name)], timed].concat(), b"");
            for object in objects(&output) {
                schema::fits(&object, &rules, &rules, name);
            }
        }
    });
    let output = serval(&["net", "check", "nowhere.net", "--format", "json"], b"");
    schema::fits(&objects(&output)[0], &rules, &rules, "nowhere");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn evidence_and_runs_are_kept_and_accepted() {
    let kept = directory("nets-kept");
    let (certificates, traces) = (kept.join("certificates"), kept.join("traces"));
    let file = example("figure-1.net");
    let output = checked(&file, &["--certificate", certificates.to_str().unwrap(), "--trace", traces.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    let net = serval_petri::tina::read(&std::fs::read_to_string(root().join(&file)).unwrap()).unwrap();
    for property in ["deadlock-free", "one-safe", "quasi-live", "no-dead-places"] {
        let text = std::fs::read_to_string(certificates.join(format!("{property}.certificate.json"))).unwrap();
        let certificate = serval::nets::Certificate::from_json(&text).unwrap();
        assert_eq!((certificate.property.as_str(), certificate.holds), (property, property == "no-dead-places"));
        assert_eq!(certificate.check(&net, &mut serval_budget::Budget::unlimited()), Ok(()));
    }
    let trace = traces.join("one-safe.trace.json");
    let replayed = serval(&["net", "run", &file, "--replay", trace.to_str().unwrap()], b"");
    assert_eq!(replayed.status.code(), Some(0), "{}", text(&replayed.stderr));
    assert!(text(&replayed.stdout).contains("p2 1 → 2"));
    // It is no run of another net, and cannot be one of a net where it cannot fire.
    let foreign = serval(&["net", "run", &example("pump.net"), "--replay", trace.to_str().unwrap()], b"");
    assert_eq!(foreign.status.code(), Some(2));
    assert!(text(&foreign.stderr).contains("the net has no transition “t3”"), "{}", text(&foreign.stderr));
    std::fs::write(&trace, r#"{"format":"serval-net-trace","version":1,"steps":["t3",{"times":2,"fire":["t1"]}]}"#).unwrap();
    let stuck = serval(&["net", "run", &file, "--replay", trace.to_str().unwrap()], b"");
    assert!(text(&stuck.stderr).contains("step 2 of the trace: the word cannot fire there [E0511]"), "{}", text(&stuck.stderr));
}

#[test]
fn the_gravest_answer_decides_the_status() {
    let file = example("figure-1.net");
    let status = |more: &[&str]| checked(&file, more).status.code();
    assert_eq!(status(&["-p", "no-dead-places"]), Some(0));
    assert_eq!(status(&["-p", "no-dead-places", "-p", "one-safe"]), Some(1));
    assert_eq!(status(&["-p", "one-safe", "--exit-zero"]), Some(0));
    assert_eq!(status(&["-p", "one-saf"]), Some(2));
    assert_eq!(status(&["-p", "one-saf", "--exit-zero"]), Some(2));
}

const HEAD: &str =
    "<pnml xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\"><net id=\"n\" type=\"http://www.pnml.org/version-2009/grammar/ptnet\">";

/// A net with these elements on its page.
fn pnml(page: &str) -> String {
    format!("{HEAD}<page id=\"page\">{page}</page></net></pnml>")
}

/// A place with tokens, a transition, and an arc of this weight.
fn weighing(weight: &str) -> String {
    pnml(&format!(
        "<place id=\"p\"><initialMarking><text>1</text></initialMarking></place><transition id=\"t\"/>\
         <arc id=\"a\" source=\"p\" target=\"t\"><inscription><text>{weight}</text></inscription></arc>"
    ))
}

#[test]
fn hostile_files_give_one_clear_error() {
    let bomb = format!(
        "<!DOCTYPE x [<!ENTITY a \"{}\"><!ENTITY b \"{}\">]>{}",
        "ha".repeat(1000),
        "&a;".repeat(1000),
        pnml("<place id=\"p\"><name><text>&b;</text></name></place>")
    );
    let whole = weighing("1");
    let deep = format!("{HEAD}{}{}</net></pnml>", "<page id=\"a\">".repeat(100_000), "</page>".repeat(100_000));
    let cases: Vec<(&str, String, &str)> = vec![
        ("entities", bomb, "not well-formed XML"),
        ("pages", deep, "pages nest more than 1000 deep"),
        ("ids", pnml("<place id=\"p\"/>\n<place id=\"p\"/>"), "a second element with the id “p”"),
        ("nowhere", pnml("<place id=\"p\"/><arc id=\"a\" source=\"p\" target=\"q\"/>"), "there is no place or transition “q”"),
        ("zero", weighing("0"), "an arc of weight 0"),
        ("negative", weighing("-1"), "expected a number of 64 bits, found “-1”"),
        ("huge", weighing("18446744073709551616"), "expected a number of 64 bits, found “18446744073709551616”"),
        ("nul", whole.replace("initialMarking><text>1", "initialMarking><text>\0"), "not well-formed XML"),
        ("truncated", whole[..whole.len() - 20].to_owned(), "not well-formed XML"),
        ("empty", String::new(), "not well-formed XML"),
        ("coloured", whole.replace("grammar/ptnet", "grammar/highlevelnet"), "grammar/highlevelnet” are not supported"),
    ];
    let kept = directory("nets-hostile");
    for (name, content, message) in cases {
        let path = kept.join(format!("{name}.pnml"));
        std::fs::write(&path, &content).unwrap();
        let output = checked(path.to_str().unwrap(), &[]);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{name}: {said}");
        assert_eq!(said.matches("error: ").count(), 1, "{name}: {said}");
        assert!(said.contains(message) && said.contains(&format!("{name}.pnml:")), "{name}: {said}");
        assert!(said.lines().count() <= 3 && said.lines().all(|line| line.len() < 600), "{name}: {said}");
        assert_eq!(text(&output.stdout), "", "{name}");
    }
    for (name, content, message) in [
        ("weight", "tr t a*0 -> b", "an arc of weight 0"),
        ("word", "foo t a -> b", "expected `net`, `tr` or `pl`"),
        ("nul", "pl a\0 (1)", ""),
    ] {
        let output = serval(&["net", "check", "-", "--input", "net"], content.as_bytes());
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{name}: {said}");
        assert!(said.starts_with("error: <stdin>:") && said.contains(message), "{name}: {said}");
        assert!(!said.contains('\0'), "{name}");
    }
    let output = checked(kept.to_str().unwrap(), &[]);
    assert_eq!((output.status.code(), text(&output.stderr).contains("is a directory")), (Some(2), true));
    let bytes = kept.join("bytes.net");
    std::fs::write(&bytes, b"pl a\xff (1)").unwrap();
    assert!(text(&checked(bytes.to_str().unwrap(), &[]).stderr).contains("is not UTF-8: byte 4"));
}

#[test]
fn names_cannot_move_the_cursor() {
    let net = "pl {\u{1b}[2J} (1)\ntr {\u{202e}t} {\u{1b}[2J} -> {\u{1b}[2J}*2\n";
    for format in ["text", "json", "mcc", "markdown", "sarif"] {
        let output = serval(&["net", "check", "-", "--input", "net", "--format", format, "--trace", "all"], net.as_bytes());
        let said = text(&output.stdout) + &text(&output.stderr);
        assert!(!said.contains(['\u{1b}', '\u{202e}']), "{format}: {said:?}");
    }
    for command in ["info", "run"] {
        let output = serval(&["net", command, "-", "--input", "net"], net.as_bytes());
        assert!(!text(&output.stdout).contains(['\u{1b}', '\u{202e}']), "{command}");
    }
    let output = serval(&["net", "check", "-", "--input", "net", "-p", "invariant:\u{1b} > 0"], net.as_bytes());
    assert!(!text(&output.stderr).contains('\u{1b}'));
}

#[test]
fn a_false_annotation_changes_no_answer() {
    let annotated = |tokens: &str| {
        let tool = "<toolspecific tool=\"nupn\" version=\"1.1\"><size places=\"2\" transitions=\"1\" arcs=\"2\"/><structure units=\"1\" root=\"u\" \
                    safe=\"true\"><unit id=\"u\"><places>p q</places><subunits/></unit></structure></toolspecific>";
        let page = format!(
            "{tool}<place id=\"p\"><initialMarking><text>{tokens}</text></initialMarking></place><place id=\"q\"/><transition id=\"t\"/>\
             <arc id=\"a\" source=\"p\" target=\"t\"/><arc id=\"b\" source=\"t\" target=\"q\"/>"
        );
        pnml(&page)
    };
    for (tokens, holds) in [("1", true), ("2", false)] {
        for text in [annotated(tokens), annotated(tokens).replace("safe=\"true\"", "safe=\"false\"")] {
            let output = serval(&["net", "check", "-", "--input", "pnml", "-p", "one-safe"], text.as_bytes());
            assert_eq!(output.status.code(), Some(if holds { 0 } else { 1 }));
        }
    }
}

#[test]
fn queries_are_asked_by_id() {
    let kept = directory("nets-queries");
    let path: PathBuf = kept.join("queries.xml");
    let query = |id: &str, path: &str, inner: &str| {
        format!("<property><id>{id}</id><description>words</description><formula>{}{inner}{}</formula></property>", path, closing(path))
    };
    let count = |place: &str, least: &str| {
        format!("<integer-le><integer-constant>{least}</integer-constant><tokens-count><place>{place}</place></tokens-count></integer-le>")
    };
    let text_of = [
        query("ring-00", "<exists-path><finally>", &count("s3", "1")),
        query("ring-01", "<all-paths><globally>", &count("t1", "1")),
        query("ring-02", "<exists-path><finally>", "<is-fireable><transition>p3</transition></is-fireable>"),
        query("ring-03", "<exists-path><finally>", "<deadlock/>"),
        query("ring-04", "<all-paths><globally>", "<negation><deadlock/></negation>"),
    ];
    std::fs::write(&path, format!("<?xml version=\"1.0\"?>\n<property-set>{}</property-set>", text_of.concat())).unwrap();
    let file = example("token-ring.pnml");
    let asked = |more: &[&str]| checked(&file, &[&["--queries", path.to_str().unwrap()], more].concat());
    let output = asked(&["--format", "mcc"]);
    let lines = text(&output.stdout);
    let told: Vec<&str> = lines.lines().map(|line| line.rsplit_once(" TECHNIQUES ").unwrap().0).collect();
    assert_eq!(
        told,
        ["FORMULA ring-00 TRUE", "FORMULA ring-01 FALSE", "FORMULA ring-02 TRUE", "FORMULA ring-03 FALSE", "FORMULA ring-04 TRUE"]
    );
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(asked(&["--query", "ring-02"]).status.code(), Some(0));
    let unknown = asked(&["--query", "ring-05"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(text(&unknown.stderr).contains("no query is called ring-05; did you mean ring-0"), "{}", text(&unknown.stderr));
    std::fs::write(&path, "<property-set>\n  <property/>\n</property-set>").unwrap();
    assert!(text(&asked(&[]).stderr).contains("queries.xml:2:3: a <property> without <id>\n 2 |   <property/>\n   |   ^"));
}

/// The tags that close these.
fn closing(tags: &str) -> String {
    let names: Vec<&str> = tags.split(['<', '>']).filter(|name| !name.is_empty()).collect();
    names.iter().rev().map(|name| format!("</{name}>")).collect()
}
