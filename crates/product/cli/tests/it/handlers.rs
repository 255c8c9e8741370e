//! Handlers in JavaScript and TypeScript, as people call the program.

use std::path::Path;

use crate::support::{command, directory, root, serval, text};

/// What is said on standard error, and the status.
fn refused(arguments: &[&str]) -> (String, Option<i32>) {
    let output = serval(arguments, b"");
    (text(&output.stderr), output.status.code())
}

fn written(directory: &Path, name: &str, content: &[u8]) -> String {
    let path = directory.join(name);
    std::fs::write(&path, content).unwrap();
    path.to_str().unwrap().to_owned()
}

const TOKEN: &str = "docs/src/handlers/token.js";

#[test]
fn options_that_do_not_go_with_handlers_are_refused() {
    for (arguments, said) in [
        (&["check", TOKEN, "--strict"][..], "nothing about the order in time"),
        (&["verify", TOKEN, "target/x.json", "--check-compile"], "do not go with handlers"),
        (&["export", "examples/lost-update.ser", "--to", "ser", "--values", "2"], "are about handlers in JavaScript and TypeScript"),
        (&["check", TOKEN, "--html", "target/page.html"], "the formats text, json, sarif, github and markdown"),
        (&["check", TOKEN, "--only", "faults"], "--only is about programs"),
        (&["check", TOKEN, "examples/lost-update.ser"], "checked apart from programs"),
        (&["check", TOKEN, "--replay=host=/tmp"], "takes no connection"),
        (
            &["check", "examples/lost-update.ser", "--emit", "test"],
            "--emit, --try, --requests, --turns, --values, --keys and --refusals are about handlers",
        ),
        (&["check", "examples/lost-update.ser", "--keys", "2"], "are about handlers in JavaScript and TypeScript"),
        (&["check", TOKEN, "--refusals", "4090"], "a status code has three digits, such as 409"),
        (&["check", TOKEN, "--values", "0"], "0 is not in 1..=9"),
        (&["replay", TOKEN, "target/x.json", "--dsn", "host=/tmp"], "--dsn is about workloads of SQL"),
        (&["replay", "examples/lost-update.ser", "target/x.json", "--format", "json"], "are about workloads of SQL and handlers"),
        (&["export", TOKEN, "--to", "dot"], "handlers have the forms ser and js"),
        (&["export", "examples/lost-update.ser", "--to", "js"], "--to js is about handlers"),
    ] {
        let (stderr, status) = refused(arguments);
        assert!(stderr.contains(said), "{arguments:?}: {stderr}");
        assert_eq!(status, Some(2), "{arguments:?}");
    }
}

#[cfg(not(feature = "handlers"))]
#[test]
fn a_build_without_handlers_says_so() {
    let _ = (directory, root, command, written);
    for arguments in [&["check", TOKEN][..], &["export", TOKEN, "--to", "ser"], &["replay", TOKEN, "target/x.json"]] {
        let (stderr, status) = refused(arguments);
        assert!(stderr.contains("this build does not read handlers"), "{stderr}");
        assert_eq!(status, Some(2));
    }
}

#[cfg(feature = "handlers")]
pub(crate) mod built {
    use serde_json::Value;
    use serval_testkit::suite::data_dir;

    use super::*;

    /// Whether there is a Node; a line says so where there is none.
    pub(crate) fn has_node() -> bool {
        let node = std::env::var("SERVAL_NODE").unwrap_or_else(|_| "node".to_owned());
        let there = std::process::Command::new(node).arg("--version").output().is_ok_and(|output| output.status.success());
        let required = std::env::var("SERVAL_REQUIRE").unwrap_or_default();
        assert!(there || !required.split(',').any(|one| one.trim() == "node"), "node: required, but not there");
        if !there {
            serval_testkit::say("node: not there, skipped");
        }
        there
    }

    fn checked(file: &str, more: &[&str]) -> Value {
        let output = serval(&[&["check", file, "--format", "json"], more].concat(), b"");
        serde_json::from_slice(&output.stdout).unwrap_or_else(|why| panic!("{file}: {why}: {}", text(&output.stderr)))
    }

    #[test]
    fn the_given_files_have_their_verdicts_and_numbers_of_calls() {
        let (Some(place), true) = (data_dir("await"), has_node()) else { return };
        let expected = std::fs::read_to_string(place.join("expected.tsv")).unwrap();
        let folder = directory("handlers-given");
        let mut wrong = Vec::new();
        let mut seen = 0;
        for line in expected.lines().skip(1).filter(|line| !line.starts_with("py_")) {
            let columns: Vec<&str> = line.split('\t').collect();
            let (name, verdict, calls, turns) = (columns[0], columns[2], columns[3], columns[4]);
            let path = place.join(name).to_str().unwrap().to_owned();
            let trace = folder.join(format!("{name}.json")).to_str().unwrap().to_owned();
            let report = checked(&path, &["--trace", &trace]);
            seen += 1;
            if report["verdict"] != verdict {
                wrong.push(format!("{name}: {report}"));
                continue;
            }
            if verdict == "not serializable" {
                let run = &report["run"];
                let found = run["calls"].as_array().unwrap().len().to_string();
                if found != calls || run["together"] != (turns == "batched") {
                    wrong.push(format!("{name}: {run}"));
                }
                assert!(std::fs::read_to_string(&trace).unwrap().contains("\"choices\""), "{name}");
            }
        }
        assert_eq!(seen, 40);
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn without_node_nothing_is_decided() {
        for file in [TOKEN, "docs/src/handlers/token-fixed.js"] {
            let output = command(&["check", file]).env("SERVAL_NODE", "/nowhere/node").output().unwrap();
            assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
            assert!(text(&output.stdout).contains("there is no Node: `/nowhere/node` cannot be started"), "{}", text(&output.stdout));
        }
    }

    #[test]
    fn bad_input_has_one_clear_message() {
        let folder = directory("handlers-bad");
        let file = |name: &str, content: &[u8]| written(&folder, name, content);
        let syntax = file("syntax.js", b"export async function f( {");
        let bytes = file("bytes.js", b"let n = 0; \xff");
        let none = file("none.js", b"export const one = 1;\n");
        let top = file("top.js", b"import { out } from './out.js';\nlet n = await out();\nexport function f() { n += 1; }\n");
        let race =
            b"import { out } from './out.js';\nlet n = 0;\nexport async function f() { n += 1; await Promise.any([out(), out()]); }\n";
        let race = file("race.js", race);
        let head = "import { out } from './out.js';\nlet n = 0;\nlet slot = null;\nconst m = new Map();\n";
        let body = |name: &str, text: &str| file(name, format!("{head}{text}\n").as_bytes());
        let jsx = body("jsx.js", "export async function f() { n += 1; return <b>{n}</b>; }");
        let decorator =
            body("decorator.ts", "class A { n = 0; @logged async f() { this.n += 1; await out(); } }\nexport const a = new A();");
        let generator = body("generator.js", "export async function* f() { n += 1; yield n; }");
        let route = "app.post('/a', async (req, res) => { n += 1; await out(); res.send('x'); });\n";
        let twice = file("twice.js", format!("import express from 'express';\n{head}const app = express();\n{route}{route}").as_bytes());
        let number = body("number.js", "export async function f(k) { m.set(k, 1); await out(); n = n + k; return n; }");
        let handed = body("handed.js", "const user = { name: 'a' };\nexport async function f() { user.name = 'b'; await out(user); }");
        let inside = body("inside.js", "const user = { name: 'a' };\nexport async function f() { user.name = 'b'; await out({ user }); }");
        let called = body("called.js", "export async function f() { await out(() => { n += 1; }); return n; }");
        let across = body(
            "across.js",
            "export async function f(id) { const room = m.get(id) ?? { in: 0 }; m.set(id, room); await out(); room.in += 1; }",
        );
        let iterated = body("iterated.js", "export async function f(k) { m.set(k, 1); await out(); for (const x of m.keys()) n += 1; }");
        let recursion = body("recursion.js", "export async function f() { n += 1; await out(); if (n < 2) return f(); }");
        let kept = body("kept.js", "export async function f() { slot = [out(), out()]; await slot[0]; n += 1; }");
        let range = file("range.js", b"/** @serval 0..2 */\nlet c = 0;\nexport function f() { c += 1; return c; }\n");
        assert_eq!(serval(&["check", &range], b"").status.code(), Some(3));
        assert!(text(&serval(&["check", &range], b"").stdout).contains("a number leaves its range"));
        let (stderr, status) = refused(&["check", &jsx]);
        assert!(status == Some(2) && stderr.contains("handlers have no JSX: move it into another file"), "{stderr}");
        for (path, help) in [
            (&decorator, "use a function of the module"),
            (&generator, "write a loop with `await`"),
            (&twice, "two handlers of the name POST /a\n  instead         give them different names\n"),
            (&number, "a parameter that is a key and a number"),
            (&handed, "hand over a copy of what is needed"),
            (&inside, "hand over a copy of what is needed"),
            (&called, "hand over a copy of what is needed"),
            (&across, "look it up again behind the `await`"),
            (&iterated, "iteration over a shared map, `keys`"),
            (&recursion, "recursion of `f`"),
            (&kept, "keep a map, or only the length"),
        ] {
            let output = serval(&["check", path], b"");
            let said = text(&output.stdout);
            assert!(output.status.code() == Some(3) && said.contains(help), "{path}: {said}{}", text(&output.stderr));
            assert!(said.lines().next().unwrap().contains("undecided: line ") && output.stderr.is_empty(), "{path}: {said}");
        }
        for (arguments, said) in [
            (&["check", &syntax][..], "E0801"),
            (&["check", &bytes], "is not UTF-8"),
            (&["check", &none], "no handler that touches the state of the module"),
            (&["export", &top, "--to", "ser"], "`await` in the module"),
            (&["export", &race, "--to", "ser"], "`Promise.any`, which f comes to"),
        ] {
            let (stderr, status) = refused(arguments);
            assert!(stderr.contains(said), "{arguments:?}: {stderr}");
            assert_eq!(status, Some(2), "{arguments:?}: {stderr}");
        }
    }

    /// A request that is not modelled makes the file undecided, and says where the rest is decided.
    #[test]
    fn a_request_outside_of_the_subset_makes_the_file_undecided() {
        let folder = directory("handlers-outside");
        let content = b"import { out } from './out.js';\nlet n = 0;\nexport async function add() { n += 1; await out(); }\n\
            export async function each() {\n  for (const x in n) await out(x);\n}\nexport function read() { return n; }\n\
            export async function first() {\n  return n + (await Promise.any([out(), out()]));\n}\n";
        let file = written(&folder, "mixed.js", content);
        let output = serval(&["check", &file], b"");
        let said = text(&output.stdout);
        assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(3), &b""[..]), "{said}");
        let lines: Vec<&str> = said.lines().collect();
        assert!(
            lines[0].ends_with("mixed.js: undecided: line 5: not modelled: a loop over a collection, which each comes to, and 1 part more"),
            "{said}"
        );
        assert!(lines[1].starts_with("  instead         "), "{said}");
        assert!(lines[2].starts_with("  line 9: not modelled: `Promise.any`, which first comes to"), "{said}");
        assert_eq!(lines[4], "  the rest        `--requests add,read` decides about the others alone, and says so");
        assert_eq!(text(&serval(&["check", &file, "--quiet"], b"").stdout).lines().collect::<Vec<_>>(), [lines[0]]);
        let report = checked(&file, &[]);
        let parts = report["not_modelled"].as_array().unwrap();
        assert_eq!((report["verdict"].as_str(), parts.len()), (Some("unknown"), 2), "{report}");
        assert_eq!((parts[0]["request"].as_str(), parts[0]["place"]["line"].as_u64()), (Some("each"), Some(5)), "{report}");
        assert_eq!(report["requests"], serde_json::json!(["add", "read"]));
        let sarif = serval(&["check", &file, "--format", "sarif"], b"");
        let log: Value = serde_json::from_slice(&sarif.stdout).unwrap();
        let results = log["runs"][0]["results"].as_array().unwrap();
        assert_eq!((sarif.status.code(), results.len()), (Some(3), 2), "{log}");
        assert_eq!(results[1]["locations"][0]["physicalLocation"]["region"]["startLine"], 9, "{log}");
        let github = text(&serval(&["check", &file, "--format", "github"], b"").stdout);
        assert!(github.starts_with("::warning file=") && github.contains(",line=5,") && github.lines().count() == 2, "{github}");
        // The help is no promise in vain.
        if has_node() {
            let output = serval(&["check", &file, "--requests", "add,read"], b"");
            let said = text(&output.stdout);
            assert_eq!(output.status.code(), Some(0), "{said}");
            assert!(said.contains("serializable (only the requests add and read, without each and first, "), "{said}");
        }
    }

    /// The verdict names the bounds that were given.
    #[test]
    fn bounds_can_be_given() {
        if !has_node() {
            return;
        }
        let fixed = "docs/src/handlers/token-fixed.js";
        let said = |more: &[&str]| text(&serval(&[&["check", "--quiet", fixed][..], more].concat(), b"").stdout);
        let all = said(&["--values", "3", "--keys", "1", "--turns", "one", "--refusals", "none"]);
        assert_eq!(all, format!("{fixed}: serializable (outside values 3, keys 1)\n"));
        let one = said(&["--requests", "getToken", "--refusals", "409,503"]);
        assert_eq!(one, format!("{fixed}: serializable (only the request getToken, without expire, outside values 2, keys 2)\n"));
        let (stderr, status) = refused(&["check", fixed, "--requests", "getTokens"]);
        assert!(stderr.contains("a request of the name getTokens, which there is not"), "{stderr}");
        assert!(stderr.contains("the requests are getToken, expire"), "{stderr}");
        assert_eq!(status, Some(2));
    }

    #[test]
    fn files_of_commonjs_are_performed() {
        if !has_node() {
            return;
        }
        let folder = directory("handlers-common");
        let common = "const { out } = require('./out.js');\nlet n = 0;\n\
            module.exports.f = async function f() { const seen = n; await out(); n = seen + 1; return n; };\n";
        let common = written(&folder, "common.js", common.as_bytes());
        let output = serval(&["check", &common, "--replay"], b"");
        let said = text(&output.stdout);
        assert!(output.status.code() == Some(1) && said.contains("Node gives the same answers again"), "{said}");
    }

    #[test]
    fn a_file_of_a_thousand_lines_with_three_requests_is_decided() {
        if !has_node() {
            return;
        }
        let folder = directory("handlers-long");
        let mut long = String::from("import { out } from './out.js';\nlet n = 0;\nlet token = null;\n");
        for number in 0..240 {
            long.push_str(&format!("function other{number}(list) {{\n  for (const one of list) one.go({number});\n  return list;\n}}\n"));
        }
        long.push_str("async function load() {\n  const got = await out();\n  return got;\n}\n");
        long.push_str("export async function get() {\n  token ??= load();\n  return await token;\n}\n");
        long.push_str("export function expire() {\n  token = null;\n}\n");
        long.push_str("export async function count() {\n  await out();\n  n += 1;\n}\n");
        let long = written(&folder, "long.js", long.as_bytes());
        let report = checked(&long, &[]);
        assert_eq!((report["verdict"].as_str(), report["requests"].as_array().unwrap().len()), (Some("serializable"), 3), "{report}");
    }

    #[test]
    fn the_page_shows_what_is_said() {
        if !has_node() {
            return;
        }
        let page = std::fs::read_to_string(root().join("docs/src/handlers.md")).unwrap();
        // Sessions write files beside what is checked.
        let folder = directory("handlers-page");
        let place = folder.join("docs/src/handlers");
        std::fs::create_dir_all(&place).unwrap();
        for name in ["token.js", "token-fixed.js", "mirrors.js"] {
            std::fs::copy(root().join("docs/src/handlers").join(name), place.join(name)).unwrap();
        }
        let mut sessions = 0;
        for block in page.split("```text\n$ ").skip(1) {
            let (line, rest) = block.split_once('\n').unwrap();
            let wanted = rest.split("```").next().unwrap();
            let words: Vec<&str> = line.split_whitespace().collect();
            sessions += 1;
            if words[0] == "node" {
                let node = std::env::var("SERVAL_NODE").unwrap_or_else(|_| "node".to_owned());
                let test = |words: &[&str]| std::process::Command::new(&node).args(words).current_dir(&folder).output().unwrap();
                let output = test(&words[1..]);
                let said = text(&output.stdout);
                for line in wanted.lines() {
                    assert!(said.lines().any(|other| other.trim() == line.trim()), "{line}: {said}");
                }
                let (made, shown) = (place.join("token.test.mjs"), root().join("docs/src/handlers/token.test.mjs"));
                if std::env::var_os("SERVAL_BLESS").is_some() {
                    std::fs::copy(&made, &shown).unwrap();
                }
                let written = |path: &Path| std::fs::read_to_string(path).unwrap();
                assert_eq!(written(&made), written(&shown), "SERVAL_BLESS=1 writes docs/src/handlers/token.test.mjs anew");
                std::fs::copy(place.join("token-fixed.js"), place.join("token.js")).unwrap();
                assert!(!output.status.success() && test(&words[1..]).status.success(), "{said}");
                continue;
            }
            let output = command(&words[1..]).current_dir(&folder).output().unwrap();
            assert_eq!(text(&output.stdout), wanted, "serval {line}\n{}", text(&output.stderr));
        }
        assert!(sessions >= 8);
    }
}
