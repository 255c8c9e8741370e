//! Nets, questions and litmus tests as others write them.

use std::fs;

use crate::support::{command, directory, text};

/// Files as others write them: with a mark of the order of bytes, rules without guards, targets with exact numbers.
#[test]
fn public_forms_of_nets_are_read() {
    let place = directory("public-forms");
    let marked = |text: &str| format!("\u{feff}{text}");
    fs::write(place.join("a.net"), marked("pl a (1)\ntr t a -> b\n")).unwrap();
    let spec = "vars\n x y\nrules\n -> x' = x + 2;\n x >= 3 -> x' = x - 3, y' = y + 1;\ninit\n x = 0, y = 0\ntarget\n x = 1, y = 1\n x = 0, y = 6\n";
    fs::write(place.join("b.spec"), marked(spec)).unwrap();
    fs::write(place.join("c.spec"), spec.replace("x' = x + 2", "x' = x + 3").replace("x = 1, y = 1", "x = 1, y >= 0")).unwrap();
    let answers = |name: &str| {
        let output = command(&["net", "check", name, "--no-times", "-q"]).current_dir(&place).output().unwrap();
        assert_eq!(text(&output.stderr), "", "{name}");
        text(&output.stdout)
    };
    assert!(answers("a.net").lines().count() == 4);
    let said = answers("b.spec");
    assert!(said.lines().count() == 2 && said.lines().all(|line| line.contains(" holds")), "{said}");
    let said = answers("c.spec");
    assert!(said.lines().next().is_some_and(|line| line.contains("does not hold")), "{said}");
    fs::remove_dir_all(place).unwrap();
}

#[test]
fn a_question_that_no_marking_answers_has_a_reason() {
    let net = b"pl a (1)\ntr t a -> b\n";
    let call = ["net", "check", "-", "--input", "net", "--no-times", "-p", "invariant:a >= 0", "-p", "reachable:a >= 1 and a <= 0"];
    let mut child = command(&call).spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), net).unwrap();
    let output = child.wait_with_output().unwrap();
    let said = text(&output.stdout);
    assert!(!said.lines().any(|line| line.trim_start().starts_with("stay empty") || line.contains(" : ")), "{said}");
    assert!(said.contains("the same in every marking"), "{said}");
    assert_eq!(output.status.code(), Some(1), "{said}");
    // Each question has its own time.
    let help = text(&command(&["net", "check", "--help"]).output().unwrap().stdout);
    assert!(help.contains("How long one question may take") && !help.contains("How long one file may take"), "{help}");
}

/// One query that cannot be read costs no other its answer, and the status says that there was one.
#[test]
fn a_query_that_cannot_be_read_costs_no_other() {
    let place = directory("queries");
    fs::write(place.join("a.net"), "pl p (2)\ntr t p -> q\n").unwrap();
    let query =
        |id: &str, formula: &str| format!("<property><id>{id}</id><description>d</description><formula>{formula}</formula></property>\n");
    let le = "<integer-le><integer-constant>1</integer-constant><tokens-count><place>q</place></tokens-count></integer-le>";
    let good = query("good", &format!("<exists-path><finally>{le}</finally></exists-path>"));
    let bound = query("bound", "<place-bound><place>p</place><place>q</place></place-bound>");
    let bad = query("bad", "<exists-path><until><true/><true/></until></exists-path>");
    let empty = query("empty", "<place-bound></place-bound>");
    let set = |queries: &[&str]| format!("<property-set>\n{}</property-set>\n", queries.concat());
    fs::write(place.join("some.xml"), set(&[&bad, &good, &bound, &empty])).unwrap();
    fs::write(place.join("none.xml"), set(&[&bad])).unwrap();
    let asked = |file: &str, more: &[&str]| {
        let output =
            command(&[&["net", "check", "a.net", "--queries", file, "--no-times"], more].concat()).current_dir(&place).output().unwrap();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let (status, said, told) = asked("some.xml", &["-q"]);
    assert_eq!((status, said.lines().count(), told.matches("error: some.xml:").count()), (Some(2), 2, 2), "{said}{told}");
    assert!(said.contains("good") && said.contains("holds") && said.contains("bound"), "{said}");
    assert!(told.contains("<place-bound> needs a place"), "{told}");
    let (_, said, _) = asked("some.xml", &["--format", "json"]);
    assert_eq!((said.lines().count(), said.matches("\"error\"").count()), (4, 2), "{said}");
    // Those that are chosen are answered, as if there were no others.
    let (status, said, told) = asked("some.xml", &["--query", "bound"]);
    assert_eq!((status, told), (Some(0), String::new()), "{said}");
    assert!(said.contains("2"), "{said}");
    assert_eq!(asked("some.xml", &["--query", "bad"]).0, Some(2));
    let (status, said, told) = asked("none.xml", &[]);
    assert_eq!((status, said.as_str(), told.matches("error: ").count()), (Some(2), "", 1), "{told}");
    fs::remove_dir_all(place).unwrap();
}

/// What a certificate is about is what was asked, in the same words, whatever the question.
#[test]
fn certificates_have_the_question_that_was_asked() {
    let place = directory("asked");
    fs::write(place.join("a.net"), "pl p (2)\npl {my place} (1)\ntr t p -> q\ntr u q {my place} -> p {my place}\n").unwrap();
    let asked = [
        "invariant:fireable(t) or q >= 1",
        "invariant: not (q > 2 and p > 0)",
        "invariant:p >= 0",
        "invariant:deadlock -> false",
        "reachable:not fireable(u) and 2*q = 2 * 2",
        "reachable:p != q",
        "reaches:q = 2, *",
        "reaches:p=1, q = 1, \"my place\" = 1",
        "coverable:q=2",
        "deadlock-free",
        "safe:2",
        "safe:1",
        "quasi-live",
        "no-dead-places",
        "stable-marking",
        "live",
        "reversible",
        "bounded",
        "bounded:p+q",
        "bound:p + q = 2",
    ];
    let saved = |arguments: &[&str]| {
        let call = [&["net", "check", "a.net", "--no-times", "-q", "--certificate", "saved"], arguments].concat();
        let output = command(&call).current_dir(&place).output().unwrap();
        assert!(matches!(output.status.code(), Some(0 | 1)), "{arguments:?}: {}", text(&output.stderr));
        let file = fs::read_dir(place.join("saved")).unwrap().next().unwrap().unwrap().path();
        let verified = command(&["verify", "a.net", file.to_str().unwrap()]).current_dir(&place).output().unwrap();
        assert_eq!(verified.status.code(), Some(0), "{arguments:?}: {}", text(&verified.stderr));
        let saved: serde_json::Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
        fs::remove_dir_all(place.join("saved")).unwrap();
        saved["property"].as_str().unwrap().to_owned()
    };
    for question in asked {
        assert_eq!(saved(&["-p", question]), question);
    }
    // A number that is asked for stands behind the question.
    assert_eq!(saved(&["-p", "bound:2*q"]), "bound:2*q = 4");
    let fires = "<negation><is-fireable><transition>t</transition></is-fireable></negation>";
    let counted =
        "<integer-lt><tokens-count><place>q</place><place>p</place></tokens-count><integer-constant>3</integer-constant></integer-lt>";
    let paths = |quantifier: &str, step: &str, inside: &str| format!("<{quantifier}><{step}>{inside}</{step}></{quantifier}>");
    for (formula, words) in [
        (
            paths("all-paths", "globally", &format!("<disjunction>{fires}{counted}</disjunction>")),
            "invariant:not fireable(t) or (q + p < 3)",
        ),
        (paths("exists-path", "finally", "<negation><deadlock/></negation>"), "reachable:not deadlock"),
        ("<place-bound><place>p</place><place>q</place></place-bound>".to_owned(), "bound:p + q = 2"),
    ] {
        let query = format!("<property><id>i</id><description>d</description><formula>{formula}</formula></property>");
        fs::write(place.join("q.xml"), format!("<property-set>{query}</property-set>")).unwrap();
        assert_eq!(saved(&["--queries", "q.xml"]), words);
    }
    // A program on weak memory has its questions.
    let program = "memory x, y; thread L { x := 1; r := y; } thread R { y := 1; r := x; } exists L.r == 0  && R.r==0;";
    fs::write(place.join("a.tso"), program).unwrap();
    let check = |arguments: &[&str]| command(arguments).current_dir(&place).output().unwrap();
    check(&["tso", "check", "a.tso", "--certificate", "c.json"]);
    let saved: serde_json::Value = serde_json::from_str(&fs::read_to_string(place.join("c.json")).unwrap()).unwrap();
    assert_eq!(saved["questions"][0], "exists L.r == 0 && R.r==0");
    assert_eq!(check(&["verify", "a.tso", "c.json"]).status.code(), Some(0));
    // Other blanks are the same question, and other words are not.
    let text = saved.to_string();
    fs::write(place.join("c.json"), text.replace("R.r==0", "R.r == 0")).unwrap();
    assert_eq!(check(&["verify", "a.tso", "c.json"]).status.code(), Some(0));
    fs::write(place.join("c.json"), text.replace("R.r==0", "R.r == 1")).unwrap();
    assert_eq!(check(&["verify", "a.tso", "c.json"]).status.code(), Some(1));
    fs::remove_dir_all(place).unwrap();
}

/// What others write beside accesses: comparisons, jumps, masks, shifts, arrays, numbers of 64 bits.
#[test]
fn public_forms_of_litmus_tests_are_read() {
    let place = directory("public-litmus");
    let test = "X86_64 MP+wait\n\"a wait\"\nGenerator=diy7 (version 7.57)\nCom=Rf Fr\n{ uint64_t x; int a[2]; uint64_t 1:rax; 0:rdi=x; }\n P0 | P1 ;\n \
                endbr64 | l: movl a+4(%rip),%ecx ;\n movabsq $0x123456789abcdef0,%rax | cmpl $1,%ecx ;\n movq %rax,(%rdi) | jne l ;\n \
                movl $1,a+4(%rip) | andl $0,%ecx ;\n  | movq x(%rcx),%rax ;\n  | shrq $60,%rax ;\nforall (1:rax=1 /\\ a[1]=1 /\\ x=0x123456789abcdef0)\n";
    fs::write(place.join("mp.litmus"), test).unwrap();
    let output = command(&["tso", "check", "mp.litmus"]).current_dir(&place).output().unwrap();
    let said = text(&output.stdout);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()), "{said}");
    assert!(said.contains("SC holds") && said.contains("TSO holds") && said.contains("certificate checked"), "{said}");
    // The exported program is the same one.
    let exported = text(&command(&["export", "mp.litmus", "--to", "tso"]).current_dir(&place).output().unwrap().stdout);
    fs::write(place.join("mp.tso"), exported).unwrap();
    let again = text(&command(&["tso", "check", "mp.tso"]).current_dir(&place).output().unwrap().stdout);
    assert!(again.contains("SC holds") && again.contains("TSO holds"), "{again}");
    fs::remove_dir_all(place).unwrap();
}
