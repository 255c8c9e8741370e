//! Litmus tests, other forms of programs on weak memory, and how reports on them look.

use std::path::Path;
use std::process::Command;

use serval_effort::skips;
use serval_testkit::suite::tool;

use crate::support::{directory, serval, text};

const SB: &str = "memory x = 0, y = 0;\nthread L { x := 1; r := y; }\nthread R { y := 1; r := x; }\nexists L.r == 0 && R.r == 0;\n";

fn status(arguments: &[&str], input: &str) -> i32 {
    serval(arguments, input.as_bytes()).status.code().unwrap()
}

fn said(arguments: &[&str], input: &str) -> String {
    text(&serval(arguments, input.as_bytes()).stdout)
}

/// The answers of a file as JSON.
fn report(arguments: &[&str], input: &str) -> serde_json::Value {
    let output = serval(&[&["tso", "check", "--format", "json", "--no-times"], arguments].concat(), input.as_bytes());
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}{}", text(&output.stdout), text(&output.stderr)))
}

fn written(directory: &Path, name: &str, content: &str) -> String {
    let path = directory.join(name);
    std::fs::write(&path, content).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn a_litmus_test_is_checked_and_its_evidence_is_about_the_exported_program_too() {
    let directory = directory("tso-litmus");
    for machine in ["x86", "x86_64"] {
        for name in ["SB", "SB+mfences", "WRW+WR+po+rfi-po"] {
            let file = format!("examples/tso/litmus/{machine}/{name}.litmus");
            let certificate = directory.join("certificate.json");
            let certificate = certificate.to_str().unwrap();
            let seen = report(&[&file, "--certificate", certificate], "");
            assert_eq!(seen["questions"][0]["tso"], if name == "SB+mfences" { "unreachable" } else { "reachable" }, "{file}");
            let output = serval(&["export", &file, "--to", "tso"], b"");
            let program = written(&directory, "exported.tso", &text(&output.stdout));
            for file in [&file, &program] {
                assert_eq!(status(&["verify", file, certificate], ""), 0, "{file}");
            }
            let again = report(&[&program], "");
            assert_eq!((&again["robust"], &again["questions"][0]["tso"]), (&seen["robust"], &seen["questions"][0]["tso"]), "{file}");
            // What is exported is formatted already.
            assert_eq!(status(&["fmt", "--check", &program], ""), 0, "{file}");
        }
    }
    let shown = said(&["tso", "check", "examples/tso/litmus/x86/SB.litmus"], "");
    assert!(shown.contains("MOV EAX,[y]  → 0") && shown.contains("exists (0:EAX=0 /\\ 1:EAX=0)   SC forbidden   TSO allowed"), "{shown}");
    assert_eq!(status(&["tso", "check", "-", "--input", "litmus"], "X86 T\n{ }\n P0 ;\n NOP ;\nexists (x=1)\n"), 0);
}

#[test]
fn other_machines_and_instructions_are_refused_with_line_and_column() {
    let directory = directory("tso-refused");
    for (name, content, code, place) in [
        ("arm.litmus", "AArch64 MP\n{ }\n", "E0620", "arm.litmus:1:1"),
        ("jump.litmus", "X86 T\n{ }\n P0 ;\n JNE L ;\nexists (x=0)\n", "E0621", "jump.litmus:4:2"),
        ("half.litmus", "X86 T\n{ x=0; }\n P0 ;\n MOV [x],$1 ;\nexists (x=\n", "E0622", "half.litmus:5:11"),
    ] {
        let path = written(&directory, name, content);
        for command in [&["tso", "check", &path][..], &["tso", "fix", &path], &["export", &path, "--to", "tso"]] {
            let output = serval(command, b"");
            let said = text(&output.stderr);
            assert!(output.status.code() == Some(2) && said.contains(code) && said.contains(place), "{said}");
        }
    }
    // A sum that leaves 64 bits is a mistake, and not computed otherwise than a machine would.
    let path =
        written(&directory, "below.litmus", "X86_64 T\n{ int64_t x=0x7fffffffffffffff; }\n P0 ;\n INC qword ptr [x] ;\nexists (x=0)\n");
    let said = text(&serval(&["tso", "check", &path], b"").stderr);
    assert!(said.contains("E0611"), "{said}");
}

#[test]
fn programs_in_other_forms() {
    let directory = directory("tso-export");
    let sb = written(&directory, "sb.tso", SB);
    let export = |file: &str, form: &str| {
        let output = serval(&["export", file, "--to", form], b"");
        assert_eq!(output.status.code(), Some(0), "{form}: {}", text(&output.stderr));
        text(&output.stdout)
    };
    assert_eq!(export(&sb, "tso"), SB);
    let dot = export(&sb, "dot");
    for part in ["digraph program {", "label=\"thread L\"", "t0_0 -> t0_1 [label=\"x := 1\"]", "t1_2 [label=\"2\", shape=doublecircle]"] {
        assert!(dot.contains(part), "{part}\n{dot}");
    }
    // Either way is an edge, and is written as it is read.
    let choice = "memory x = 0;\nthread P {\n  if (?) { } else { goto p2; }\n  x := 1;\n  p2: loop { break; }\n}\nexists x == 1;\n";
    let path = written(&directory, "choice.tso", choice);
    let again = written(&directory, "again.tso", &export(&path, "tso"));
    assert_eq!(export(&again, "tso"), export(&path, "tso"));
    assert!(export(&path, "tso").contains("if (?)") && export(&path, "dot").contains("[else of ?]"));
    // In two rounds of each thread both loads see 0, in one they do not; with fences never.
    let fenced = written(&directory, "fenced.tso", &SB.replace("1; r", "1; fence; r"));
    for (file, rounds, reachable) in [(&sb, 1, false), (&sb, 2, true), (&fenced, 2, false), (&fenced, 3, false)] {
        let reduced = written(&directory, "rounds.tso", &export(file, &format!("sc-rounds:{rounds}")));
        let seen = report(&[&reduced], "");
        assert_eq!(seen["questions"][0]["sc"], if reachable { "reachable" } else { "unreachable" }, "{file} in {rounds}");
    }
    // Any number of copies: the system and the net are read back, and a copy can be where the program says.
    let lock = "memory l = 0; thread* P { r := xchg(l, 1); assume r == 0; cs: skip; l := 0; } thread Q { r := l; }";
    let lock = written(&directory, "lock.tso", lock);
    let system: serde_json::Value = serde_json::from_str(&export(&lock, "ns")).unwrap();
    assert_eq!(system["initial_global"], "l=0");
    assert_eq!(system["requests"], serde_json::json!([["P", "P@0 r=0"], ["Q", "Q waits"]]));
    let steps = system["transitions"].as_array().unwrap();
    for step in [["P@0 r=0", "l=0", "P@1 r=0", "l=1"], ["P@0 r=0", "l=1", "P@1 r=1", "l=1"], ["Q waits", "l=0", "Q@0 r=0", "l=0 Q began"]] {
        assert!(steps.contains(&serde_json::json!(step)), "{step:?}\n{system}");
    }
    // Who has seen the lock taken goes no further.
    assert!(!steps.iter().any(|step| step[0] == "P@1 r=1"), "{system}");
    let system = written(&directory, "lock.json", &system.to_string());
    assert_eq!(status(&["export", &system, "--to", "dot"], ""), 0);
    let net = written(&directory, "lock.net", &export(&lock, "net"));
    assert_eq!(status(&["net", "info", &net], ""), 0);
    for (form, said) in [("regex", "which has the forms"), ("sc-rounds:0", "sc-rounds needs"), ("sc-rounds:x", "sc-rounds needs")] {
        let output = serval(&["export", &sb, "--to", form], b"");
        assert!(output.status.code() == Some(2) && text(&output.stderr).contains(said), "{form}: {}", text(&output.stderr));
    }
    let output = serval(&["export", &lock, "--to", "sc-rounds:2"], b"");
    assert!(text(&output.stderr).contains("no fixed number of rounds"), "{}", text(&output.stderr));
    assert_eq!(status(&["export", "examples/lost-update.ser", "--to", "tso"], ""), 2);
}

#[test]
fn questions_of_the_command_line() {
    let directory = directory("tso-question");
    let certificate = directory.join("certificate.json");
    let certificate = certificate.to_str().unwrap();
    let sb = written(&directory, "sb.tso", &SB.replace("r := y;", "r := y; e: skip;"));
    let asked = "never L@e && L.r == 1";
    let seen = report(&[&sb, "--question", asked, "--question", "exists x == 0;", "--certificate", certificate], "");
    let answers: Vec<&str> = seen["questions"].as_array().unwrap().iter().map(|question| question["tso"].as_str().unwrap()).collect();
    assert_eq!((answers, &seen["questions"][1]["text"]), (vec!["reachable", "reachable", "unreachable"], &asked.into()));
    // The evidence is about these questions too.
    assert_eq!(status(&["verify", &sb, certificate, "--question", asked, "--question", "exists x == 0;"], ""), 0);
    assert_eq!(status(&["verify", &sb, certificate], ""), 1);
    for (wrong, code) in
        [("never L.q == 1", "E0603"), ("never x == 1", "E0606"), ("thread Q { }", "E0601"), ("never", "E0601"), ("", "E0601")]
    {
        let output = serval(&["tso", "check", &sb, "--question", wrong], b"");
        assert!(output.status.code() == Some(2) && text(&output.stderr).contains(code), "{wrong}: {}", text(&output.stderr));
    }
    assert_eq!(status(&["verify", "examples/lost-update.ser", certificate, "--question", asked], ""), 2);
}

#[test]
fn formats_of_the_same_answers() {
    let demanded = SB.replace("exists L.r == 0 && R.r == 0", "forall L.r != 0 || R.r != 0");
    let github = said(&["tso", "check", "-", "--format", "github"], &demanded);
    let lines: Vec<&str> = github.lines().collect();
    assert_eq!(lines.len(), 2, "{github}");
    assert!(lines[0].starts_with("::error file=<stdin>,line=2,col=1,title=not robust::1 is before 2 in L; "), "{github}");
    assert_eq!(lines[1], "::error file=<stdin>,line=4,col=1,title=violated::forall L.r != 0 || R.r != 0: SC holds, TSO violated");
    let markdown = said(&["tso", "check", "-", "--format", "markdown"], &demanded);
    for part in
        ["## `<stdin>`: not robust\n", "| `forall L.r != 0 \\|\\| R.r != 0` | holds | violated |\n", "line 2   L   x := 1   1 before 2\n"]
    {
        assert!(markdown.contains(part), "{part}\n{markdown}");
    }
    assert_eq!(status(&["tso", "check", "-", "--format", "github"], SB), 1);
    let wrong = said(&["tso", "check", "-", "--format", "github"], "thread P { x = 1; }");
    assert!(wrong.starts_with("::error file=<stdin>,line=1,col=1,title=error::"), "{wrong}");
    let fine = said(&["tso", "check", "-", "--format", "github"], "memory x; thread P { x := 1; }");
    assert_eq!(fine, "");
    let shown = said(&["tso", "check", "-"], SB);
    let cycle = "  the cycle in the order of the text\n    line 2   L   x := 1   1 before 2\n    line 2   L   r := y   2 before 3\n    \
                 line 3   R   y := 1   3 before 5\n    line 3   R   r := x   5 before 1\n";
    assert!(shown.contains(cycle), "{shown}");
}

#[test]
fn small_words_are_right() {
    // A state at the beginning needs no run.
    let shown = said(&["tso", "check", "-"], "memory x; thread P { l: x := 1; } never P@l;");
    assert!(shown.contains("never P@l\n\n  at the beginning, before anything is read or written\n"), "{shown}");
    let output = serval(&["tso", "check", "-"], b"memory a[2], n = 5; thread P { i := n; a[i] := 1; }");
    let wrong = text(&output.stderr);
    assert!(wrong.contains("there is no cell 5 of this array") && wrong.contains("give the array more cells"), "{wrong}");
    assert!(!wrong.contains("enlarge `values`") && !wrong.contains("say which values"), "{wrong}");
    let directory = directory("tso-words");
    let certificate = directory.join("fence.json");
    let certificate = certificate.to_str().unwrap();
    let one = written(&directory, "one.tso", &SB.replacen("1; r", "1; fence; r", 1));
    assert_eq!(status(&["tso", "fix", &one, "--certificate", certificate], ""), 0);
    let valid = said(&["verify", &one, certificate], "");
    assert!(valid.contains("1 fence makes it robust, and no fewer do"), "{valid}");
}

/// What others have written, in a comment and in the name of the file, does not become markup or commands.
#[test]
fn foreign_words_stay_words() {
    let directory = directory("tso-foreign");
    let name = "a`<b>|::error %0A\u{1b}[31m.tso";
    let path = written(&directory, name, &SB.replacen('\n', " // <script>alert(1)</script> \u{1b}[31m\n", 1));
    let page = directory.join("page.html");
    for format in ["text", "json", "github", "markdown"] {
        let output = serval(&["tso", "check", &path, "--format", format, "--html", page.to_str().unwrap()], b"");
        assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
        let shown = text(&output.stdout);
        assert!(!shown.contains('\u{1b}'), "{format}: {shown}");
        match format {
            "github" => {
                assert!(shown.lines().all(|line| line.starts_with("::error file=") || line.starts_with("::notice file=")), "{shown}");
                assert!(!shown.contains("%0A") && shown.contains("%250A") && shown.contains("%3A%3Aerror"), "{shown}");
            }
            "markdown" => assert!(shown.starts_with("## ``") && !shown.contains("\n<b>"), "{shown}"),
            _ => {}
        }
    }
    let page = std::fs::read_to_string(page).unwrap();
    assert!(!page.contains("<script") && !page.contains("<b>") && !page.contains('\u{1b}'), "{page}");
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;") && page.contains("<span class=\"slot\">x=1</span>"), "{page}");
    assert!(page.contains("<tr class=\"cycle\">") && page.contains("<span class=\"note\">1 before 2; 2 before 3</span>"), "{page}");
    // Several files: a page and evidence for each, also where names are equal.
    let (pages, evidence) = (directory.join("pages"), directory.join("evidence"));
    let files = ["examples/tso/litmus/x86/SB.litmus", "examples/tso/litmus/x86_64/SB.litmus"];
    let (html, kept) = (pages.to_str().unwrap(), evidence.to_str().unwrap());
    assert_eq!(status(&["tso", "check", files[0], files[1], "--html", html, "--certificate", kept], ""), 1);
    for directory in [pages, evidence] {
        assert_eq!(std::fs::read_dir(directory).unwrap().count(), 2);
    }
}

#[test]
fn a_page_can_be_read_by_everybody() {
    if skips("cli.tso-page") {
        return;
    }
    let Some(chromium) = tool("chromium") else { return };
    let directory = directory("tso-page");
    let page = directory.join("page.html");
    assert_eq!(status(&["tso", "check", "examples/tso/dekker.tso", "--html", page.to_str().unwrap()], ""), 1);
    let plain = std::fs::read_to_string(&page).unwrap();
    for foreign in ["http://", "https://", " src=\"", "@import"] {
        assert!(!plain.contains(foreign), "{foreign}");
    }
    let look = include_str!("../pages/look.js");
    let looking = plain.replacen("<head>", "<head><script>window.servalErrors = [];</script>", 1);
    std::fs::write(&page, looking.replacen("</body>", &format!("<script>\n{look}\n</script>\n</body>"), 1)).unwrap();
    for (width, scheme) in [(1280, 0), (1280, 1), (500, 1)] {
        let output = Command::new(&chromium)
            .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"])
            .arg(format!("--user-data-dir={}", directory.join("profile").display()))
            .arg(format!("--blink-settings=preferredColorScheme={scheme}"))
            .arg(format!("--window-size={width},900"))
            .args(["--virtual-time-budget=2000", "--dump-dom"])
            .arg(format!("file://{}", page.display()))
            .output()
            .unwrap();
        let dom = text(&output.stdout);
        let start = dom.find("<pre id=\"serval-result\">").unwrap_or_else(|| panic!("{dom}\n{}", text(&output.stderr)));
        let rest = &dom[start + "<pre id=\"serval-result\">".len()..];
        let json = rest[..rest.find("</pre>").unwrap()].replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
        let seen: serde_json::Value = serde_json::from_str(&json).unwrap();
        for nothing in ["errors", "problems", "requests"] {
            assert_eq!(seen[nothing], serde_json::json!([]), "{nothing} at {width}: {seen}");
        }
        assert!(seen["contrast"].as_f64().unwrap() >= 4.5, "{width}: {seen}");
    }
}

#[test]
fn programs_are_formatted() {
    let directory = directory("tso-fmt");
    let path = written(&directory, "p.tso", "memory x=0;thread P{x:=1;// one\n}\n");
    assert_eq!(status(&["fmt", "--check", &path], ""), 1);
    let diff = said(&["fmt", "--diff", &path], "");
    assert!(diff.contains("-memory x=0;thread P{x:=1;// one") && diff.contains("+  x := 1; // one"), "{diff}");
    assert_eq!(status(&["fmt", &path], ""), 0);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "memory x = 0;\nthread P {\n  x := 1; // one\n}\n");
    assert_eq!(status(&["fmt", "--check", &path, "examples/tso"], ""), 0);
    assert_eq!(said(&["fmt", "-", "--input", "tso"], "thread P{skip}"), "thread P { skip }\n");
    assert_eq!(status(&["fmt", "--check", "examples/tso/litmus/x86/SB.litmus"], ""), 2);
    let wrong = written(&directory, "wrong.tso", "thread P { x = 1; }");
    assert_eq!(status(&["fmt", &wrong], ""), 2);
}
