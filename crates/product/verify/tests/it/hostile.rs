//! Certificates made to hurt, through the binary: an answer within two seconds
//! of work and within bounded memory. The system sees to both, so that a
//! busy machine does not fail the test.

use std::path::Path;
use std::process::Command;

use serval_proof::fingerprint;

use crate::support::directory;

const SYSTEM: &str = r#"{"initial_global": "0", "requests": [["r", "s"]], "responses": [["e", "x"]],
    "transitions": [["s", "0", "m", "1"], ["m", "1", "m", "2"], ["m", "2", "e", "0"]]}"#;

/// Seconds of work, and memory in KiB.
const LIMITS: &str = "ulimit -t 2 && ulimit -v 524288";

/// The largest certificate that is read.
const MOST: usize = 64 << 20;
/// Enough of many small things.
const MUCH: usize = 4 << 20;

/// Exit status, standard output and standard error together.
fn said(directory: &Path, certificate: &str) -> (Option<i32>, String) {
    std::fs::write(directory.join("s.json"), SYSTEM).unwrap();
    std::fs::write(directory.join("c.json"), certificate).unwrap();
    let command = format!("{LIMITS} && exec \"$0\" s.json c.json 2>&1");
    let output = Command::new("sh").args(["-c", &command, env!("CARGO_BIN_EXE_serval-verify")]).current_dir(directory).output().unwrap();
    (output.status.code(), String::from_utf8(output.stdout).unwrap())
}

/// The certificate is answered with this status and a line with these words.
fn answered(directory: &Path, name: &str, certificate: &str, status: i32, words: &str) {
    let (code, line) = said(directory, certificate);
    assert_eq!(code, Some(status), "{name}: {line}");
    assert!(line.contains(words) && line.lines().count() == 1 && line.len() < 2_000, "{name}: {line}");
}

/// What a certificate of a kind begins with.
fn head(kind: &str) -> String {
    let claim = if kind == "run" { "not-serializable" } else { "serializable" };
    format!(r#"{{"format":"serval-certificate","version":1,"input":"{}","kind":"{kind}","claim":"{claim}","#, fingerprint(SYSTEM))
}

/// The same text again and again, with commas between, of `size` bytes in all.
fn many(size: usize, unit: &str) -> String {
    let mut text = format!("{unit},").repeat(size / (unit.len() + 1));
    text.pop();
    text
}

#[test]
fn the_cap_on_bytes() {
    let directory = directory("hostile-bytes");
    let too_large = "c.json: too large: more than 67108864 bytes";
    answered(&directory, "spaces", &" ".repeat(MOST + 1), 3, too_large);
    answered(&directory, "brackets", &"[".repeat(MOST + 1), 3, too_large);
    let right = format!("{}\"script\":[]}}", head("atomic"));
    answered(&directory, "padded", &format!("{right}{}", " ".repeat(MOST + 1 - right.len())), 3, too_large);
    // One byte less is read.
    answered(&directory, "almost", &format!("{right}{}", " ".repeat(MOST - right.len())), 1, "atomic.steps");
}

#[test]
fn deep_texts() {
    let directory = directory("hostile-deep");
    let (atomic, flow, run, components) = (head("atomic"), head("flow"), head("run"), head("components"));
    let open = "[".repeat(MOST - 1_000);
    for (name, text) in [
        ("nothing else", open.clone()),
        ("objects", "{\"format\":".repeat(MOST / 10)),
        ("script", format!("{atomic}\"script\":{open}")),
        ("fold", format!("{atomic}\"script\":[{{\"fold\":{open}")),
        ("tree", format!("{flow}\"script\":[],\"phases\":[],\"facts\":[],\"tree\":{open}")),
        ("steps", format!("{run}\"steps\":{open}")),
        ("parts", format!("{components}\"parts\":{open}")),
        ("an unknown field", format!("{{\"x\":{open}")),
        ("parts in parts", format!("{components}{}", "\"parts\":[{".repeat(100_000))),
    ] {
        answered(&directory, name, &text, 2, "error");
    }
}

#[test]
fn long_numbers_and_names() {
    let directory = directory("hostile-long");
    let (atomic, flow, run) = (head("atomic"), head("flow"), head("run"));
    let digits = "9".repeat(MOST - 1_000);
    let rest = "\"script\":[],\"phases\":[],\"facts\":[]";
    for (name, text) in [
        ("a number", format!("{atomic}\"script\":[{{\"split\":{digits}}}]}}")),
        ("a negative number", format!("{atomic}\"script\":[{{\"split\":-{digits}}}]}}")),
        ("a fraction", format!("{atomic}\"script\":[{{\"split\":0.{digits}}}]}}")),
        ("an exponent", format!("{atomic}\"script\":[{{\"split\":1e{digits}}}]}}")),
        ("in the tree", format!("{flow}{rest},\"tree\":[[3,0,{digits}]]}}")),
        ("a version", format!("{{\"format\":\"serval-certificate\",\"version\":{digits}}}")),
        ("a kind", format!("{{\"format\":\"serval-certificate\",\"version\":1,\"kind\":\"{digits}\"}}")),
        ("a field", format!("{run}\"{digits}\":1}}")),
        ("a string that does not end", format!("{run}\"steps\":\"{digits}")),
    ] {
        answered(&directory, name, &text, 2, "error");
    }
    let print = format!("{}\"script\":[]}}", atomic.replace(&fingerprint(SYSTEM), &digits));
    answered(&directory, "a fingerprint", &print, 1, "input");
}

#[test]
fn numbers_at_the_limits() {
    let directory = directory("hostile-limits");
    let (atomic, flow, run) = (head("atomic"), head("flow"), head("run"));
    let rest = "\"script\":[],\"phases\":[]";
    let last = u32::MAX;
    let wide = i128::MAX;
    for (name, text, status, words) in [
        ("a node", format!("{atomic}\"script\":[{{\"split\":{last}}}]}}"), 1, "script.numbers"),
        ("too large a node", format!("{atomic}\"script\":[{{\"split\":{}}}]}}", u64::from(last) + 1), 2, "error"),
        (
            "a step",
            format!("{atomic}\"script\":[{{\"dominated\":{{\"locals\":[],\"globals\":[],\"drops\":[[{last},{last}]]}}}}]}}"),
            1,
            "script.numbers",
        ),
        ("a component", format!("{run}\"component\":{},\"steps\":[],\"completed\":[]}}", u64::MAX), 1, "component"),
        (
            "a count",
            format!("{run}\"component\":0,\"steps\":[],\"completed\":[{{\"request\":\"r\",\"response\":\"x\",\"count\":{}}}]}}", u64::MAX),
            1,
            "run.completed",
        ),
        (
            "an edge",
            format!("{flow}{rest},\"facts\":[{{\"set\":{{\"base\":[[{last},{last}]],\"periods\":[]}}}}],\"tree\":[]}}"),
            1,
            "flow.edges",
        ),
        // As many children as there are residues, and none of them is there.
        ("a divisor", format!("{flow}{rest},\"facts\":[],\"tree\":[[2,{},0]]}}", u64::MAX), 1, "tree.child"),
        ("a multiplier", format!("{flow}{rest},\"facts\":[],\"tree\":[[3,0,{wide},0,{wide}]]}}"), 3, "too large"),
        ("a modulus", format!("{flow}{rest},\"facts\":[],\"tree\":[[4,{},0]]}}", i128::MIN), 1, "tree.remainder"),
        ("a variable", format!("{flow}{rest},\"facts\":[],\"tree\":[[1,{},0,{last},{}]]}}", i64::MIN, i64::MIN), 1, "tree.variables"),
        ("a fact", format!("{flow}{rest},\"facts\":[],\"tree\":[[3,{last},1]]}}"), 1, "tree.fact"),
        (
            "a bound",
            format!("{flow}{rest},\"facts\":[],\"tree\":[[1,{},{},0,{}],[3],[3]]}}", i64::MAX, i64::MIN, i64::MIN),
            1,
            "tree.farkas",
        ),
    ] {
        answered(&directory, name, &text, status, words);
    }
}

#[test]
fn many_small_things() {
    let directory = directory("hostile-many");
    let (atomic, flow, run, components) = (head("atomic"), head("flow"), head("run"), head("components"));
    let counted = "\"script\":[],\"phases\":[]";
    for (name, text, status, words) in [
        ("entries", format!("{atomic}\"script\":[{}]}}", many(MUCH, r#"{"fold":[]}"#)), 1, "atomic.steps"),
        (
            "classes",
            format!("{atomic}\"script\":[{{\"locals\":{{\"relation\":[],\"classes\":[{}]}}}}]}}", many(MUCH, "[]")),
            1,
            "script.numbers",
        ),
        (
            "pairs of a relation",
            format!("{atomic}\"script\":[{{\"locals\":{{\"relation\":[{}],\"classes\":[]}}}}]}}", many(MUCH, "[0,0]")),
            1,
            "atomic.steps",
        ),
        (
            "points",
            format!("{atomic}\"script\":[{{\"right\":{{\"points\":[{}],\"witnesses\":[]}}}}]}}", many(MUCH, "[0,[]]")),
            1,
            "atomic.steps",
        ),
        (
            "witnesses",
            format!("{atomic}\"script\":[{{\"right\":{{\"points\":[],\"witnesses\":[{}]}}}}]}}", many(MUCH, "[0,0,[],[]]")),
            1,
            "atomic.steps",
        ),
        ("phases", format!("{flow}\"script\":[],\"facts\":[],\"tree\":[],\"phases\":[{}]}}", many(MUCH, "0")), 1, "flow.phases"),
        (
            "periods",
            format!(
                "{flow}{counted},\"tree\":[],\"facts\":[{{\"set\":{{\"base\":[],\"periods\":[{}]}}}}]}}",
                many(MUCH, r#"{"edges":[],"divisor":1,"constant":0,"terms":[]}"#)
            ),
            1,
            "tree.child",
        ),
        ("nodes of a tree", format!("{flow}{counted},\"facts\":[],\"tree\":[{}]}}", many(MUCH, "[3]")), 1, "tree.farkas"),
        ("multipliers", format!("{flow}{counted},\"facts\":[],\"tree\":[[3,{}]]}}", many(MUCH, "0,0")), 1, "tree.farkas"),
        ("parts", format!("{components}\"parts\":[{}]}}", many(MUCH, r#"{"kind":"atomic","script":[]}"#)), 1, "parts.cover"),
        (
            "events",
            format!(
                "{run}\"component\":0,\"completed\":[],\"steps\":[{}]}}",
                many(MUCH, r#"{"id":1,"kind":"spawn","request":"r","local":"s"}"#)
            ),
            1,
            "run.replay.fresh",
        ),
        (
            "answers",
            format!("{run}\"component\":0,\"steps\":[],\"completed\":[{}]}}", many(MUCH, r#"{"request":"r","response":"x","count":1}"#)),
            1,
            "run.completed",
        ),
        ("fields", format!("{atomic}\"script\":[],{}}}", many(MUCH, r#""script":[]"#)), 2, "error"),
    ] {
        answered(&directory, name, &text, status, words);
    }
}
