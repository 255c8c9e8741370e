//! `serval tso`: what is said, with which status, and that the evidence holds.

use serval_effort::{side_by_side, skips};

use crate::schema;
use crate::support::{self, directory, serval, text};

const SB: &str = "memory x = 0, y = 0;\nthread L { x := 1; r := y; }\nthread R { y := 1; r := x; }\nexists L.r == 0 && R.r == 0;\n";

fn status(arguments: &[&str], input: &str) -> i32 {
    serval(arguments, input.as_bytes()).status.code().unwrap()
}

/// Every example, whether it is robust, its answers under SC and TSO, and the fewest fences.
const EXAMPLES: &[(&str, &str, &str, usize)] = &[
    ("any-flags", "not-robust", "unreachable reachable", 2),
    ("any-spinlock", "robust", "unreachable unreachable", 0),
    ("bakery", "not-robust", "unreachable reachable", 4),
    ("bakery-fenced", "robust", "unreachable unreachable", 0),
    ("burns", "not-robust", "unreachable reachable", 3),
    ("burns-fenced", "robust", "unreachable unreachable", 0),
    ("clh", "robust", "unreachable unreachable", 0),
    ("dekker", "not-robust", "unreachable reachable", 4),
    ("dekker-fenced", "robust", "unreachable unreachable", 0),
    ("dijkstra", "not-robust", "unreachable reachable", 6),
    ("dijkstra-fenced", "robust", "unreachable unreachable", 0),
    ("filter", "not-robust", "unreachable reachable", 6),
    ("filter-fenced", "robust", "unreachable unreachable", 0),
    ("lamport-fast", "not-robust", "unreachable reachable", 4),
    ("lamport-fast-fenced", "robust", "unreachable unreachable", 0),
    ("mcs", "robust", "unreachable unreachable", 0),
    ("peterson", "not-robust", "unreachable reachable", 2),
    ("peterson-fenced", "robust", "unreachable unreachable", 0),
    ("store-buffering", "not-robust", "unreachable reachable", 2),
    ("test-and-set", "robust", "unreachable unreachable", 0),
    ("ticket", "robust", "unreachable unreachable", 0),
];

#[test]
fn every_example_has_its_verdict_and_its_evidence_is_valid() {
    if skips("cli.tso-examples") {
        return;
    }
    let mut files: Vec<String> = std::fs::read_dir(support::root().join("examples/tso"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "tso"))
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    files.sort();
    assert_eq!(files, EXAMPLES.iter().map(|example| example.0).collect::<Vec<_>>());
    let directory = directory("tso-examples");
    side_by_side(EXAMPLES, |&(name, robust, answers, fences)| {
        let file = format!("examples/tso/{name}.tso");
        let (kept, fixed) = (directory.join(format!("{name}.json")), directory.join(format!("{name}.fix.json")));
        let (kept, fixed) = (kept.to_str().unwrap(), fixed.to_str().unwrap());
        let output = serval(&["tso", "check", &file, "--format", "json", "--no-times", "--certificate", kept], b"");
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let question = &report["questions"][0];
        assert_eq!(report["robust"], robust, "{name}");
        assert_eq!(format!("{} {}", question["sc"].as_str().unwrap(), question["tso"].as_str().unwrap()), answers, "{name}");
        assert_eq!(output.status.code(), Some(i32::from(robust != "robust")), "{name}");
        assert_eq!(report["certificate"]["verified"], true);
        let output = serval(&["tso", "fix", &file, "--format", "json", "--certificate", fixed], b"");
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((report["fences"].as_array().unwrap().len(), output.status.code()), (fences, Some(0)), "{name}");
        for certificate in [kept, fixed] {
            let output = serval(&["verify", &file, certificate], b"");
            assert_eq!(output.status.code(), Some(0), "{name}: {}", text(&output.stdout));
        }
        // Evidence about one program is none about another.
        assert_eq!(status(&["verify", "examples/tso/ticket.tso", kept], ""), i32::from(name != "ticket"), "{name}");
    });
}

#[test]
fn what_is_written_meets_the_schemas() {
    let rules = |name: &str| -> serde_json::Value {
        serde_json::from_str(&std::fs::read_to_string(support::root().join(format!("docs/tso-{name}.schema.json"))).unwrap()).unwrap()
    };
    let (report, evidence, repair) = (rules("check"), rules("certificate"), rules("fix"));
    let directory = directory("tso-schema");
    let path = directory.join("certificate.json");
    let path = path.to_str().unwrap();
    let copies = "memory x = 0, z = 0; thread* P { r := z; x := 1; r := z; z := 1; }";
    let robust = "memory x = 0; thread* P { x := 1; assert 1 == 1; }";
    let vain = "memory x = 1; thread P { r := x; fence; assume r == 0; x := 1; } thread Q { if (r == 1) { r := x; } }";
    let asked = "memory x = 0, y = 0; thread* P { x := 1; r := y; if (r == 0) { in: skip; } } thread Q { y := 1; r := x; } never P@in; never P.r == 2;";
    let again = "memory x = 0, y = 0; thread P { loop { x := 1; r := y; } } thread Q { y := 1; s := x; l: skip; } never Q.s == 2 && Q@l;";
    for text in
        [SB, copies, robust, vain, asked, again, "memory x = 0; thread P { x = 1; }", "memory n; thread P { loop { r := n; n := r + 1; } }"]
    {
        let _ = std::fs::remove_file(path);
        for more in [&["--certificate", path][..], &["--max-states", "2"], &["--final-states"], &["--copies", "2", "--certificate", path]] {
            let output = serval(&[&["tso", "check", "-", "--format", "json"], more].concat(), text.as_bytes());
            let object = serde_json::from_slice(&output.stdout).unwrap();
            schema::fits(&object, &report, &report, text);
        }
        if let Ok(kept) = std::fs::read_to_string(path) {
            schema::fits(&serde_json::from_str(&kept).unwrap(), &evidence, &evidence, text);
        }
    }
    let demand = SB.replace("exists L.r == 0 && R.r == 0", "forall !(L.r == 0 && R.r == 0)");
    for (text, more) in [
        (SB, &["--all", "9"][..]),
        (SB, &["--with", "xchg"]),
        (SB, &["--goal", "reach"]),
        (&demand, &["--goal", "reach", "--cost", "loop=10"]),
        ("memory x; thread P { x := 1; l: skip; } never P@l;", &["--goal", "reach"]),
        (asked, &[]),
        (SB, &["--max-states", "2"]),
    ] {
        let _ = std::fs::remove_file(path);
        let output = serval(&[&["tso", "fix", "-", "--format", "json", "--certificate", path], more].concat(), text.as_bytes());
        schema::fits(&serde_json::from_slice(&output.stdout).unwrap(), &repair, &repair, text);
        if let Ok(kept) = std::fs::read_to_string(path) {
            schema::fits(&serde_json::from_str(&kept).unwrap(), &evidence, &evidence, "fences");
        }
    }
}

#[test]
fn what_is_shown_of_store_buffering() {
    let output = serval(&["tso", "check", "examples/tso/store-buffering.tso"], b"");
    let expected = "\
not robust  examples/tso/store-buffering.tso   certificate checked
  exists L.r == 0 && R.r == 0   SC forbidden   TSO allowed

  exists L.r == 0 && R.r == 0

        L                  R                  memory    buffer L   buffer R
    1   x := 1             |                  x=0 y=0   x=1
    2   |                  y := 1             x=0 y=0   x=1        y=1
    3   r := y  → 0        |                  x=0 y=0   x=1        y=1
    4   |                  r := x  → 0        x=0 y=0   x=1        y=1
    5   x reaches memory   |                  x=1 y=0              y=1
    6   |                  y reaches memory   x=1 y=1

  no run under sequential consistency has the order of this one

        L                  R                  memory    buffer L   buffer R
    1   x := 1             |                  x=0 y=0   x=1
    2   r := y  → 0        |                  x=0 y=0   x=1
    3   |                  y := 1             x=0 y=0   x=1        y=1
    4   |                  y reaches memory   x=0 y=1   x=1
    5   |                  r := x  → 0        x=0 y=1   x=1
    6   x reaches memory   |                  x=1 y=1

  the cycle in the order of the text
    line 3   L   x := 1   1 before 2
    line 3   L   r := y   2 before 3
    line 4   R   y := 1   3 before 5
    line 4   R   r := x   5 before 1

  why   1 is before 2 in L; 2 read y before 3 wrote it (in memory at 4); 3 is before 5 in R; 5 read x before 1 wrote it (in memory at 6): a cycle
  fix   serval tso fix examples/tso/store-buffering.tso
";
    assert_eq!(text(&output.stdout), expected);
}

#[test]
fn the_status_says_what_is_bad() {
    let check = |text: &str, more: &[&str]| status(&[&["tso", "check", "-"], more].concat(), text);
    assert_eq!(check(SB, &[]), 1);
    // A question is no defect, so only robustness is one here.
    assert_eq!((check(SB, &["--only", "tso"]), check(SB, &["--only", "sc"]), check(SB, &["--only", "robust"])), (0, 0, 1));
    assert_eq!(check(SB, &["--exit-zero"]), 0);
    let demanded = SB.replace("exists", "forall !(").replace("== 0;", "== 0);");
    assert_eq!((check(&demanded, &["--only", "tso"]), check(&demanded, &["--only", "sc"])), (1, 0));
    let asserted = "memory x = 0; thread P { r := x; assert r == 0; } thread Q { x := 1; }";
    assert_eq!((check(asserted, &[]), check(asserted, &["--only", "robust"])), (1, 0));
    assert_eq!(check("memory x = 0; thread P { x := 1 r := x; }", &[]), 2);
    assert_eq!(check("memory n = 0; thread P { loop { r := n; n := r + 1; } }", &[]), 2);
    // Any number of copies.
    let copies = "memory x = 0, z = 0; thread* P { r := z; x := 1; r := z; z := 1; }";
    assert_eq!((check(copies, &[]), check("memory x = 0; thread* P { x := 1; r := x; }", &[])), (1, 0));
    assert_eq!(check("memory x = 0; thread* P { x := 1; l: r := x; } never P@l;", &[]), 1);
    assert_eq!(check("memory x = 0; thread* P { x := 1; l: r := x; } never P.r == 2;", &[]), 0);
    // Not robust, and not reached with a few copies: undecided with store buffers, and not under sequential
    // consistency.
    let open = "memory x = 0, y = 0; thread* P { x := 1; r := y; } thread Q { y := 1; r := x; } never P.r == 2;";
    assert_eq!(
        (check(open, &["--only", "tso"]), check(open, &["--only", "sc"]), check(open, &["--copies", "2", "--only", "tso"])),
        (3, 0, 0)
    );
    assert_eq!(check(open, &["--copies", "64"]), 2);
    assert_eq!(check(SB, &["--max-states", "2"]), 3);
    assert_eq!(status(&["tso", "fix", "-"], SB), 0);
    assert_eq!(status(&["tso", "fix", "-", "--max-states", "2"], SB), 3);
}

/// A lock that tests and then sets is broken without store buffers, too. Fences make it robust or it is so already, and
/// that is not what is said alone.
#[test]
fn what_no_fence_helps_for_is_said_beside_the_fences() {
    let thread = |name: &str, mine: &str, other: &str| {
        format!("thread {name} {{ a := lock; assume a == 0; lock := 1; {mine} := 1; r := {other}; cs: skip; }}\n")
    };
    let racy = format!("memory lock = 0, x = 0, y = 0;\n{}{}never L@cs && R@cs;\n", thread("L", "x", "y"), thread("R", "y", "x"));
    let plain = racy.replace("x := 1; r := y; ", "").replace("y := 1; r := x; ", "").replace(", x = 0, y = 0", "");
    let many = "memory lock = 0, in = 0;\nthread* P { a := lock; assume a == 0; lock := 1; n := in; assert n == 0; in := 1; }\n";
    let schema: serde_json::Value = serde_json::from_str(include_str!("../../../../../docs/tso-fix.schema.json")).unwrap();
    for (source, verdict, fences) in [(racy.as_str(), "fixed", 2), (&plain, "robust", 0), (many, "robust", 0)] {
        let shown = serval(&["tso", "fix", "-"], source.as_bytes());
        let said = text(&shown.stdout);
        assert_eq!(shown.status.code(), Some(1), "{said}");
        assert!(said.starts_with(verdict) && !said.contains("no fence is needed"), "{said}");
        assert!(said.contains("but question 1 is violated under SC too, and no fence helps for it\n"), "{said}");
        assert_eq!(said.matches("`fence;` before").count(), fences, "{said}");
        let json = serval(&["tso", "fix", "-", "--format", "json"], source.as_bytes());
        let report: serde_json::Value = serde_json::from_str(&text(&json.stdout)).unwrap();
        schema::fits(&report, &schema, &schema, source);
        assert_eq!((json.status.code(), &report["verdict"]), (Some(1), &verdict.into()));
        assert_eq!((&report["questions"][0]["question"], &report["questions"][0]["sc"]), (&1.into(), &"reachable".into()));
    }
    // What was found is written all the same, and the evidence for both is valid.
    let place = directory("tso-unhelped");
    let (file, certificate) = (place.join("racy.tso"), place.join("racy.cert"));
    std::fs::write(&file, &racy).unwrap();
    let (file, certificate) = (file.to_str().unwrap(), certificate.to_str().unwrap());
    assert_eq!(status(&["tso", "fix", file, "--certificate", certificate], ""), 1);
    assert_eq!(status(&["verify", file, certificate], ""), 0);
    assert_eq!(status(&["tso", "fix", file, "--apply"], ""), 1);
    assert_eq!(std::fs::read_to_string(file).unwrap().matches("fence;").count(), 2);
    // Reached with store buffers alone, it is what fences are for; not asked for, it is not said; undecided is 3.
    let held = SB.replace("exists L.r == 0 && R.r == 0;", "never L.r == 0 && R.r == 0 && false;");
    assert_eq!(status(&["tso", "fix", "-"], SB), 0);
    assert_eq!(status(&["tso", "fix", "-"], &held.replace(" && false", " && L.r == 1")), 0);
    assert_eq!(status(&["tso", "fix", "-", "--goal", "reach"], &plain), 1);
}

#[test]
fn mistakes_are_shown_with_their_line() {
    let output = serval(&["tso", "check", "-"], b"memory x = 0;\nthread P {\n  r := x + 1;\n}\n");
    let said = text(&output.stderr);
    assert!(said.contains("error[E0605]") && said.contains("3 |   r := x + 1;") && said.contains("load it first"), "{said}");
    let output = serval(&["tso", "check", "-"], b"memory n = 0;\nthread P { loop { r := n; n := r + 1; } }\n");
    let said = text(&output.stderr);
    assert!(said.contains("error[E0611]") && said.contains("memory `n` becomes 66, which is not in -65..65"), "{said}");
}

#[test]
fn a_violation_says_how_many_copies_it_needs() {
    let output = serval(&["tso", "check", "-"], b"memory x = 0, z = 0;\nthread* P { r := z; x := 1; r := z; z := 1; }\n");
    let said = text(&output.stdout);
    assert!(said.contains("with 3 copies of each `thread*`, no run under sequential consistency") && said.contains("P#3"), "{said}");
}

#[test]
fn evidence_that_was_changed_is_refused() {
    let directory = directory("tso-changed");
    let path = directory.join("certificate.json");
    let path = path.to_str().unwrap();
    assert_eq!(status(&["tso", "check", "examples/tso/store-buffering.tso", "--certificate", path], ""), 1);
    let kept = std::fs::read_to_string(path).unwrap();
    for (from, to) in [("\"cycle\":[0", "\"cycle\":[1"), ("\"run\":[0", "\"run\":[1"), ("\"states\":[[0", "\"states\":[[1")] {
        assert!(kept.contains(from), "{kept}");
        std::fs::write(path, kept.replacen(from, to, 1)).unwrap();
        assert_eq!(status(&["verify", "examples/tso/store-buffering.tso", path], ""), 1, "{to}");
    }
    std::fs::write(path, "{}").unwrap();
    assert_eq!(status(&["verify", "examples/tso/store-buffering.tso", path], ""), 2);
}

/// A thread that stores different values again and again, so that no bound of store buffers suffices.
const UNBOUNDED: &str = "memory x = 0, y = 0; thread L { loop { x := 1; x := 2; r := y; } } thread R { y := 1; s := x; } never L.r == 2;\n";

#[test]
fn methods_for_questions_can_be_used_alone() {
    let said = |arguments: &[&str], input: &str| text(&serval(arguments, input.as_bytes()).stdout);
    let rounds = |rounds: &str| said(&["tso", "check", "-", "--rounds", rounds, "--format", "json", "--no-times"], SB);
    assert!(rounds("2").contains("\"tso\":\"reachable\""), "{}", rounds("2"));
    let one = rounds("1");
    assert!(
        one.contains("\"tso\":\"undecided\"")
            && one.contains("nothing was found in 1 rounds of each thread, which says nothing about more"),
        "{one}"
    );
    assert_eq!(status(&["tso", "check", "-", "--only", "tso"], UNBOUNDED), 0);
    assert_eq!(status(&["tso", "check", "-", "--only", "tso", "--method", "load-buffers"], UNBOUNDED), 0);
    assert_eq!(status(&["tso", "check", "-", "--only", "tso", "--method", "store-buffers"], UNBOUNDED), 3);
    assert_eq!(status(&["tso", "check", "-", "--method", "load-buffers", "--rounds", "2"], SB), 2);
}

#[test]
fn what_answers_rest_on_is_said_in_words() {
    let page = directory("tso-rests").join("page.html");
    let said = |input: &str, more: &[&str]| {
        let arguments = [&["tso", "check", "-", "--html", page.to_str().unwrap()], more].concat();
        let said = text(&serval(&arguments, input.as_bytes()).stdout);
        (said, std::fs::read_to_string(&page).unwrap())
    };
    // Store buffers without a bound, any number of copies, a robust program; and a run needs no words.
    let loads = ["-v", "--method", "load-buffers"];
    for (input, more, words) in [
        (UNBOUNDED, &loads[..], "what was asked for is covered, whatever leads to something covered is covered, and the beginning is not"),
        ("memory x = 0; thread* P { x := 1; l: r := x; } never P.r == 2;", &["-v"], "any number of copies"),
        ("memory x = 0; thread P { x := 1; } thread Q { r := x; } never Q.r == 2;", &["-v"], "robust: a closed list for each thread"),
    ] {
        let (said, page) = said(input, more);
        assert!(said.contains("what this rests on") && said.to_lowercase().contains(words), "{said}");
        assert!(page.contains("What this rests on") && page.to_lowercase().contains(words), "{input}");
    }
    assert!(!said(UNBOUNDED, &[]).0.contains("rests on") && !said(UNBOUNDED, &["-v", "--quiet"]).0.contains("rests on"));
}

/// A file with a text, in a directory of its own.
fn file(name: &str, content: &str) -> (std::path::PathBuf, String) {
    let path = directory(name).join("program.tso");
    std::fs::write(&path, content).unwrap();
    let name = path.to_str().unwrap().to_owned();
    (path, name)
}

#[test]
fn fixes_are_written_into_the_file_or_nothing_is() {
    let demand = SB.replace("exists L.r == 0 && R.r == 0", "forall !(L.r == 0 && R.r == 0)");
    for (more, expected) in [
        (&["--apply"][..], "x := 1; fence; r := y;"),
        (&["--apply=1", "--with", "xchg"], "xchg(x, 1); r := y;"),
        (&["--apply", "--goal", "reach"], "x := 1; fence; r := y;"),
    ] {
        let (path, name) = file("tso-apply", &demand);
        let output = serval(&[&["tso", "fix", &name], more].concat(), b"");
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let written = std::fs::read_to_string(&path).unwrap();
        assert!(written.contains(expected), "{written}");
        assert_eq!(status(&["tso", "check", &name], ""), 0, "{written}");
        // Nothing else is left beside it, and there is nothing more to do.
        assert_eq!(std::fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
        let again = serval(&["tso", "fix", &name, "--apply"], b"");
        assert_eq!((again.status.code(), std::fs::read_to_string(&path).unwrap()), (Some(0), written));
    }
    // There is no second set; nothing helps; nothing is known; there is no file.
    for (content, more, code) in [
        (demand.as_str(), &["--apply=2"][..], 2),
        ("memory x; thread P { x := 1; l: skip; } never P@l;", &["--apply", "--goal", "reach"], 1),
        (&demand, &["--apply", "--max-states", "2"], 3),
    ] {
        let (path, name) = file("tso-apply-not", content);
        assert_eq!(status(&[&["tso", "fix", &name], more].concat(), ""), code, "{content}");
        assert_eq!(std::fs::read_to_string(path).unwrap(), content);
    }
    assert_eq!(status(&["tso", "fix", "-", "--apply"], SB), 2);
    assert_eq!((status(&["tso", "fix", "-", "--cost", "loop=0"], SB), status(&["tso", "fix", "-", "--cost", "10"], SB)), (2, 2));
}

#[test]
fn what_is_said_of_fixes() {
    let said = |content: &str, more: &[&str]| {
        text(&serval(&[&["tso", "fix", "-"], more].concat(), content.as_bytes()).stdout)
            .replace("(standard input)", "-")
            .replace("<stdin>", "-")
    };
    let lines = |content: &str, more: &[&str]| said(content, more).lines().map(|line| line.trim().to_owned()).collect::<Vec<_>>();
    let longer = SB.replace("x := 1; r", "x := 1; skip; r");
    let several = said(&longer, &["--all", "5"]);
    assert!(
        several.contains("set 1 of 2") && several.contains("set 2 of 2") && several.contains("these are all sets of this size"),
        "{several}"
    );
    assert!(lines(SB, &["--with", "xchg"]).iter().any(|line| line.ends_with("`xchg(x, 1)` instead of `x := 1` in L")));
    assert!(said(SB, &["--with", "xchg"]).contains("2 locked stores make it robust, and no fewer do"));
    assert!(said(SB, &["--goal", "reach"]).contains("bad states cannot be reached, and no fence is needed"));
    assert!(said(SB, &["--cost", "loop=10"]).contains("2 fences make it robust at a cost of 2, and no cheaper set does"));
    let broken = "memory x; thread P { x := 1; l: skip; } never P@l;";
    assert!(
        said(broken, &["--goal", "reach"]).contains("`never P@l` is violated under sequential consistency too, so that no fence helps")
    );
}

#[test]
fn fixes_of_litmus_tests_name_instructions_and_are_not_written() {
    let file = "examples/tso/litmus/x86/SB.litmus";
    let said = |more: &[&str]| text(&serval(&[&["tso", "fix", file], more].concat(), b"").stdout);
    let fences = said(&[]);
    assert!(fences.contains("2 fences make it robust") && fences.contains("`MFENCE` before `MOV EAX,[y]` in P0"), "{fences}");
    let locked = said(&["--with", "xchg"]);
    assert!(locked.contains("`XCHG`, with the value in a register, instead of `MOV [x],$1` in P0"), "{locked}");
    assert!(said(&["--with", "xchg", "--format", "json"]).contains("\"instead\":\"XCHG\""));
    let content = std::fs::read_to_string(support::root().join(file)).unwrap();
    let path = directory("tso-apply-litmus").join("sb.litmus");
    std::fs::write(&path, &content).unwrap();
    for more in [&["--apply"][..], &["--apply", "--with", "xchg"]] {
        let output = serval(&[&["tso", "fix", path.to_str().unwrap()], more].concat(), b"");
        let why = text(&output.stderr);
        assert!(output.status.code() == Some(2) && why.contains("a litmus test is not rewritten") && why.contains("--to tso"), "{why}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), content);
    }
}

#[test]
fn what_is_in_vain_is_said() {
    let said = |content: &str| text(&serval(&["tso", "check", "-"], content.as_bytes()).stdout);
    let unreached = said("memory lock = 1;\nthread P { o := xchg(lock, 1);\n  if (o == 0) { lock := 0; skip; } }\n");
    assert!(
        unreached.contains("warning[W0621]") && unreached.contains(":3:17: no run under sequential consistency reaches `lock := 0`"),
        "{unreached}"
    );
    assert_eq!(unreached.matches("W0621").count(), 1, "{unreached}");
    let stuck = said("memory x = 0;\nthread P { r := x; assume r == 1; x := 2; }\n");
    assert!(
        stuck.contains("warning[W0622]") && stuck.contains(":2:20: `assume r == 1` never holds") && !stuck.contains("W0621"),
        "{stuck}"
    );
    // With any number of copies: what none of them does, and not what the third does.
    let copies = said(
        "values 0..3 wrap; memory n = 0, lock = 1;\nthread* P { o := fadd(n, 1); if (o == 2) { skip; }\n  q := lock; assume q == 0; n := 0; }\nthread Q { r := n;\n  if (r == 7) { n := 1; } }\n",
    );
    assert!(
        copies.contains("warning[W0622]") && copies.contains(":3:14: `assume q == 0` never holds") && copies.contains("warning[W0621]"),
        "{copies}"
    );
    assert!(copies.contains(":5:17: no run under sequential consistency reaches `n := 1`"), "{copies}");
    assert_eq!((copies.matches("W0621").count(), copies.matches("W0622").count()), (1, 1), "{copies}");
    let needless = said("memory x, y;\nthread P { x := 1; fence; y := 1; }\nthread Q { y := 1; fence; r := x; }\n");
    assert!(
        needless.contains("warning[W0623]") && needless.contains(":2:20: without this fence the program is robust as well"),
        "{needless}"
    );
    let fenced = said("memory x, y;\nthread P { x := 1; fence; r := y; }\nthread Q { y := 1; fence; r := x; }\n");
    assert!(!fenced.contains("warning"), "{fenced}");
}

#[test]
fn final_states_are_marked() {
    let output = serval(&["tso", "check", "examples/tso/store-buffering.tso", "--final-states"], b"");
    let said = text(&output.stdout);
    let expected = "
  final states
    L.r  R.r  x  y
      0    0  1  1   TSO only
      0    1  1  1   SC
      1    0  1  1   SC
      1    1  1  1   SC
    no others
";
    assert!(said.contains(expected), "{said}");
    let none = serval(&["tso", "check", "examples/tso/test-and-set.tso", "--final-states"], b"");
    assert!(text(&none.stdout).contains("none: no run ends in all threads"));
}

#[test]
fn copies_are_named_and_their_evidence_is_valid() {
    let (_, name) = file(
        "tso-copies",
        "values 0..3 wrap; memory n = 0;\nthread* P { o := fadd(n, 1); if (o == 2) { third: skip; } }\nnever P@third;\n",
    );
    let path = directory("tso-copies-evidence").join("c.json");
    let path = path.to_str().unwrap();
    let said = text(&serval(&["tso", "check", &name, "--certificate", path], b"").stdout);
    assert!(said.contains("with 3 copies of each `thread*`, never P@third"), "{said}");
    assert_eq!(status(&["verify", &name, path], ""), 0);
    let said = text(&serval(&["tso", "check", &name, "--copies", "2", "--certificate", path], b"").stdout);
    assert!(said.contains("2 of each `thread*`") && said.contains("TSO holds"), "{said}");
    let verified = text(&serval(&["verify", &name, path], b"").stdout);
    assert!(verified.contains("all with 2 of each `thread*`"), "{verified}");
}
