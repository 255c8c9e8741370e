//! Names that would be something else: control characters, ends of lines,
//! characters that turn the direction of text, and what is markup somewhere.
//! Every writer meets them in every place where a name of the input can
//! stand, and none of them gets out of its place.

// Elsewhere files cannot have such names.
#![cfg(unix)]

mod forms;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use serde_json::{Value, json};
use serval_report::escape::{self, is_hidden};

use crate::support::{self, command, directory};

/// What a forged line would say.
const FORGED: &str = "serializable  bank.json   for any number of concurrent requests   certificate checked";

const NAMES: &[&str] = &[
    "\u{1b}[2J\u{1b}[H",
    "\u{1b}]0;title\u{7}",
    "\u{9b}31m",
    "\u{0}",
    "\u{7f}\u{8}",
    "a\nserializable  bank.json   for any number of concurrent requests   certificate checked\nb",
    "a\r\nerror: forged",
    "a\rserializable  bank.json",
    "a\tb",
    "\u{85}forged",
    "\u{2028}forged\u{2029}",
    "\u{202e}desrever\u{202c}",
    "\u{2066}a\u{2069}",
    "\u{200e}\u{200f}\u{61c}",
    "\u{200b}\u{200d}\u{2060}",
    "\u{feff}a",
    "\u{e0041}\u{e0042}\u{e007f}",
    "\u{301}\u{302}a",
    "a\u{ad}b\u{3164}",
    "\u{fff9}a\u{fffb}",
    "```\n# forged",
    "```",
    "````text",
    "`code`",
    "``a` b",
    "| a | b |",
    "a\\|b",
    "<script>alert(1)<\u{2215}script>",
    "<!-- forged",
    "--> forged",
    "]]> forged",
    "[a](b)",
    "![a](b)",
    "# forged",
    "- forged",
    "**bold** _it_",
    "::error::forged",
    "a%0A::error::forged",
    "a,title=forged",
    "##[error]forged",
    "\"quoted\"",
    "\"]; forged [label=\"",
    "\\",
    "\\N\\G\\l",
    "\\u{1b}",
    "a\\",
    "<b>bold",
    "\"] --> forged[\"",
    "end",
    "a; end",
    "#35;a",
    "%%{init: {}}%%",
    "&lt;&#27;",
    "not serializable  forged",
    "  ",
    "'a' $HOME `id`",
    "{\"event\": 1}",
];

/// The names that a test tries: all of them at night, else every third. The tests begin with different ones, so that
/// each name is tried in some places, and in each place some of each kind are.
fn names(first: usize) -> Vec<&'static str> {
    let sweep = serval_effort::sweep("cli.hostile", 19, NAMES.len() as u64);
    let step = NAMES.len().div_ceil(usize::try_from(sweep.count()).unwrap().max(1));
    let first = usize::try_from(sweep.seed(u64::try_from(first).unwrap()) % u64::try_from(step).unwrap()).unwrap();
    NAMES.iter().skip(first).step_by(step).copied().collect()
}

/// Nothing of what was printed can do anything to a terminal or to its lines.
fn harmless(what: &str, output: &Output) -> (String, String) {
    let read = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap_or_else(|error| panic!("{what}: {error}"));
    let (out, told) = (read(&output.stdout), read(&output.stderr));
    for line in out.split('\n').chain(told.split('\n')) {
        // Lines of programs may have tabs, and end as they did.
        let text =
            if what.contains("hostile-texts") { line.strip_suffix('\r').unwrap_or(line).replace('\t', " ") } else { line.to_owned() };
        assert!(!text.contains(is_hidden), "{what}: {line:?}");
        assert!(!line.starts_with(FORGED) && !line.starts_with("error: forged"), "{what}: {line:?}");
    }
    assert!(!told.contains("panicked"), "{what}: {told}");
    (out, told)
}

fn run(arguments: &[&str]) -> (String, String, Option<i32>) {
    let output = command(arguments).stdin(Stdio::null()).output().unwrap();
    let (out, told) = harmless(&format!("{arguments:?}"), &output);
    (out, told, output.status.code())
}

/// A counter that is read and then written, with this name everywhere.
fn system(name: &str) -> Value {
    let named = |more: &str| format!("{name}{more}");
    let (g0, g1, g2) = (named(""), named(" 1"), named(" 2"));
    let (l0, l1, l2, l3, l4) = (named(""), named(" at 0"), named(" at 1"), named(" done 0"), named(" done 1"));
    let (r0, r1) = (named(""), named(" r"));
    json!({
        "initial_global": g0,
        "requests": [[name, l0]],
        "responses": [[l3, r0], [l4, r1]],
        "transitions": [
            [l0, g0, l1, g0], [l0, g1, l2, g1], [l0, g2, l2, g2],
            [l1, g0, l3, g1], [l1, g1, l3, g1], [l1, g2, l3, g1],
            [l2, g0, l4, g2], [l2, g1, l4, g2], [l2, g2, l4, g2],
        ],
    })
}

/// One that is serializable, and in which requests can get stuck.
fn stuck_system(name: &str) -> Value {
    let named = |more: &str| format!("{name}{more}");
    let (start, done, stuck) = (named(""), named(" done"), named(" stuck"));
    json!({
        "initial_global": name,
        "requests": [[name, start]],
        "responses": [[done, name]],
        "transitions": [[start, name, done, named(" 1")], [start, named(" 1"), done, name], [start, name, stuck, name]],
    })
}

fn plain(number: usize) -> String {
    format!("name{number}")
}

/// A directory of systems, one for each name, and one of as many with plain names.
fn systems(place: &Path, names: &[&str]) -> (PathBuf, PathBuf) {
    let (hostile, harmless) = (place.join("hostile"), place.join("plain"));
    for (directory, name) in [(&hostile, &(|number: usize| names[number].to_owned()) as &dyn Fn(usize) -> String), (&harmless, &plain)] {
        fs::create_dir_all(directory).unwrap();
        for number in 0..names.len() {
            fs::write(directory.join(format!("s{number:02}.json")), system(&name(number)).to_string()).unwrap();
        }
    }
    (hostile, harmless)
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn names_in_systems_stay_in_their_place_in_reports() {
    let names = names(1);
    let place = directory("hostile-reports");
    let (hostile, harmless) = systems(&place, &names);
    let check = |of: &Path, more: &[&str]| {
        let (out, told, status) = run(&[&["check", text(of), "--no-times"], more].concat());
        assert_eq!((status, told.as_str()), (Some(1), ""), "{more:?}");
        out
    };
    let out = check(&hostile, &["-v"]);
    let heads: Vec<&str> = out.lines().filter(|line| !line.starts_with(' ') && !line.is_empty()).collect();
    let heads: Vec<&&str> = heads.iter().filter(|line| !line.starts_with(|first: char| first.is_ascii_digit())).collect();
    assert_eq!(heads.len(), names.len());
    assert!(heads.iter().all(|line| line.starts_with(&format!("not serializable  {}/s", hostile.display()))), "{heads:?}");
    for name in &names {
        assert!(out.contains(&*escape::name(name)), "{name:?} is not shown");
    }
    // For machines names are as they are.
    for (line, name) in check(&hostile, &["--format", "json"]).lines().zip(&names) {
        let report: Value = serde_json::from_str(line).unwrap();
        assert_eq!(
            (&report["counterexample"]["requests"][0]["request"], &report["verdict"]),
            (&(*name).into(), &"not-serializable".into())
        );
    }
    forms::markdown(&check(&hostile, &["--format", "markdown"]), &check(&harmless, &["--format", "markdown"]));
    let commands = check(&hostile, &["--format", "github"]);
    assert_eq!(commands.lines().count(), names.len());
    commands.lines().for_each(|line| assert_eq!(forms::command(line).0, "error"));
    let log: Value = serde_json::from_str(&check(&hostile, &["--format", "sarif"])).unwrap();
    assert_eq!(log["runs"][0]["results"].as_array().unwrap().len(), names.len());
}

#[test]
fn names_in_systems_stay_in_their_place_in_files() {
    let names = names(0);
    let place = directory("hostile-files");
    let (hostile, harmless) = systems(&place, &names);
    let [pages, plain_pages, traces, certificates, drawings] =
        ["pages", "plain-pages", "traces", "certificates", "drawings"].map(|name| place.join(name));
    let saved = ["--trace", text(&traces), "--certificate", text(&certificates), "--html", text(&pages), "--svg", text(&drawings)];
    run(&[&["check", text(&hostile), "-q"], &saved[..]].concat());
    run(&["check", text(&harmless), "-q", "--html", text(&plain_pages)]);
    let saved = |directory: &Path| {
        let mut files: Vec<PathBuf> = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
        // The page that leads to the others has no names of systems.
        files.retain(|file| !file.ends_with("index.html"));
        files.sort();
        assert_eq!(files.len(), names.len());
        files
    };
    for (page, like) in saved(&pages).iter().zip(saved(&plain_pages)) {
        let [page, like] = [page, &like].map(|path| fs::read_to_string(path).unwrap());
        forms::xml(&page, &like);
    }
    for drawing in saved(&drawings) {
        let drawing = fs::read_to_string(drawing).unwrap();
        forms::xml(
            &drawing,
            &fs::read_to_string(saved(&plain_pages).remove(0)).unwrap().replace("<script", "<!--").replace("</script>", "-->"),
        );
    }
    let other = hostile.join("s00.json");
    for ((trace, certificate), (number, name)) in saved(&traces).iter().zip(saved(&certificates)).zip(names.iter().enumerate()) {
        let file = hostile.join(format!("s{number:02}.json"));
        let written = fs::read_to_string(trace).unwrap();
        let steps: Value = serde_json::from_str(&written).unwrap();
        assert_eq!(steps["steps"][0]["request"], **name);
        assert!(!written.contains(|character| character != '\n' && is_hidden(character)), "{written:?}");
        let (out, _, status) = run(&["run", text(&file), "--replay", text(trace)]);
        assert_eq!(status, Some(0));
        assert!(out.contains(&*escape::name(name)), "{out}");
        let (out, _, status) = run(&["verify", text(&file), text(&certificate)]);
        assert_eq!((status, out.lines().count()), (Some(0), 1));
        run(&["run", text(&file), "--requests", "3"]);
        if number > 0 {
            // Messages quote what does not fit.
            assert_eq!(run(&["run", text(&other), "--replay", text(trace)]).2, Some(2));
            assert_eq!(run(&["verify", text(&other), text(&certificate)]).2, Some(1));
        }
        let output = support::serval(&["run", text(&file), "--interactive"], b"1\n?\n1\n2\nq\n");
        self::harmless("interactive", &output);
    }
}

/// What is said beside a proof.
#[test]
fn names_in_systems_that_are_serializable() {
    let names = names(0);
    let place = directory("hostile-proofs");
    let systems = place.join("systems");
    fs::create_dir_all(&systems).unwrap();
    let file = |number: usize| systems.join(format!("s{number:02}.json"));
    for (number, name) in names.iter().enumerate() {
        fs::write(file(number), stuck_system(name).to_string()).unwrap();
    }
    let check = |more: &[&str]| {
        let (out, told, status) = run(&[&["check", text(&systems), "--no-times"], more].concat());
        assert_eq!((status, told.as_str()), (Some(0), ""), "{more:?}");
        out
    };
    let out = check(&["-v"]);
    assert_eq!(out.lines().filter(|line| line.starts_with("serializable")).count(), names.len());
    assert_eq!(out.lines().filter(|line| line.starts_with("  note  ")).count(), names.len());
    let tally = format!("{0} files: {0} serializable", names.len());
    let unlike = |line: &&str| !line.is_empty() && !line.starts_with("serializable") && !line.starts_with("  ") && *line != tally;
    assert_eq!(out.lines().find(unlike), None);
    for (line, name) in check(&["--format", "json"]).lines().zip(&names) {
        let report: Value = serde_json::from_str(line).unwrap();
        assert_eq!((&report["stuck"][0]["request"], &report["verdict"]), (&(*name).into(), &"serializable".into()));
    }
    forms::headings(&check(&["--format", "markdown"]), names.len());
    let log = check(&["--format", "github"]);
    assert!(log.lines().count() == names.len() && log.lines().all(|line| line.starts_with("serializable")), "{log}");
    let pages = place.join("pages");
    check(&["--html", text(&pages)]);
    // The page that leads to the others has no names of systems.
    fs::remove_file(pages.join("index.html")).unwrap();
    let mut pages: Vec<String> = fs::read_dir(&pages).unwrap().map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap()).collect();
    pages.sort_by_key(String::len);
    assert_eq!(pages.len(), names.len());
    pages.iter().for_each(|page| forms::xml(page, &pages[0]));
    for number in 0..names.len() {
        let out = place.join(format!("smtlib{number}"));
        assert_eq!(run(&["export", text(&file(number)), "--to", "smtlib", "--out", text(&out)]).2, Some(0));
        for written in fs::read_dir(&out).unwrap() {
            let written = fs::read_to_string(written.unwrap().path()).unwrap();
            let hidden = |line: &&str| line.contains(is_hidden) || line.starts_with("forged");
            assert_eq!(written.lines().find(hidden), None);
        }
    }
}

#[test]
fn names_in_systems_stay_in_their_place_in_exports() {
    let names = names(2);
    let place = directory("hostile-exports");
    let write = |file: &str, name: &dyn Fn(usize) -> String| {
        let path = place.join(file);
        let all: Vec<Value> = (0..names.len()).map(|number| system(&name(number))).collect();
        fs::write(&path, Value::from(all).to_string()).unwrap();
        path
    };
    let (hostile, like) = (write("hostile.json", &|number| names[number].to_owned()), write("plain.json", &plain));
    let export = |file: &Path, to: &str, more: &[&str]| {
        let (out, told, status) = run(&[&["export", text(file), "--to", to], more].concat());
        assert_eq!((status, told.as_str()), (Some(0), ""), "{to}");
        out
    };
    for to in ["dot", "nfa-dot"] {
        forms::dot(&export(&hostile, to, &[]), &export(&like, to, &[]));
    }
    forms::mermaid(&export(&hostile, "mermaid", &[]), &export(&like, "mermaid", &[]));
    for to in ["svg", "nfa-svg", "net-svg"] {
        forms::xml(&export(&hostile, to, &[]), &export(&like, to, &[]));
    }
    for to in ["regex", "semilinear"] {
        assert_eq!(export(&hostile, to, &[]).lines().count(), export(&like, to, &[]).lines().count(), "{to}");
    }
    // What is exported as a system is that system.
    let exported = place.join("exported.json");
    fs::write(&exported, export(&hostile, "ns", &[])).unwrap();
    let systems: Value = serde_json::from_str(&fs::read_to_string(&exported).unwrap()).unwrap();
    for (system, name) in systems.as_array().unwrap().iter().zip(&names) {
        assert_eq!(system["requests"][0][0], **name);
    }
    for number in 0..names.len() {
        let component = ["--component", &number.to_string()];
        let [net, like_net] = [&hostile, &like].map(|file| export(file, "net", &component));
        assert_eq!(net.lines().count(), like_net.lines().count());
        let [pnml, like_pnml] = [&hostile, &like].map(|file| export(file, "pnml", &component));
        // What is not plain is there a second time, as bytes.
        forms::xml(&pnml, &format!("{like_pnml}<toolspecific></toolspecific>"));
        let [query, like_query] = [&hostile, &like].map(|file| export(file, "query", &component));
        forms::xml(&query, &like_query);
    }
}

/// Names that files can have here.
fn file_names() -> Vec<String> {
    names(2).iter().filter(|name| !name.contains(['\0', '/'])).map(|name| (*name).to_owned()).collect()
}

const LOST: &str = "request save {\n  seen := N;\n  yield;\n  N := (seen + 1) % 3;\n  seen\n}\n";
const BROKEN: &str = "request save {\n  seen = N;\n}\n";
const UNTIDY: &str = "request a{ X:=1 }\n";

/// A directory of files with these names, and a text.
fn files(place: &Path, content: &str) -> Vec<(PathBuf, String)> {
    fs::create_dir_all(place).unwrap();
    let mut files: Vec<(PathBuf, String)> =
        file_names().iter().map(|name| place.join(format!("f{name}.ser"))).map(|path| (path.clone(), text(&path).to_owned())).collect();
    files.sort();
    for (path, _) in &files {
        fs::write(path, content).unwrap();
    }
    files
}

#[test]
fn names_of_files_stay_in_their_place() {
    let place = directory("hostile-names");
    let (lost, broken, untidy) = (place.join("lost"), place.join("broken"), place.join("untidy"));
    let (lost_files, count) = (files(&lost, LOST), file_names().len());
    files(&broken, BROKEN);
    let untidy_files = files(&untidy, UNTIDY);
    for (of, verdict) in [(&lost, "not-serializable"), (&broken, "error")] {
        let check = |more: &[&str]| run(&[&["check", text(of), "--no-times"], more].concat()).0;
        let out = check(&["--full"]);
        let heads = out.lines().filter(|line| line.starts_with("not serializable  ") || line.starts_with("serializable"));
        assert_eq!(heads.count(), if verdict == "error" { 0 } else { count });
        let reports = check(&["--format", "json", "--progress"]);
        let reports: Vec<Value> =
            reports.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect();
        assert!(reports.iter().all(|line| line["file"].as_str().unwrap().starts_with(text(of))));
        let reports: Vec<&Value> = reports.iter().filter(|line| line.get("verdict").is_some()).collect();
        assert_eq!(reports.len(), count);
        for (report, (_, name)) in reports.iter().zip(&lost_files) {
            let name = name.replace(text(&lost), text(of));
            assert_eq!((&report["file"], &report["verdict"]), (&name.into(), &verdict.into()));
        }
        forms::headings(&check(&["--format", "markdown"]), count);
        let commands = check(&["--format", "github"]);
        for (line, (_, name)) in commands.lines().filter(|line| line.starts_with("::error")).zip(&lost_files) {
            assert_eq!(forms::command(line).1, escape::name(&name.replace(text(&lost), text(of))));
        }
        assert!(commands.lines().all(|line| line.starts_with("::")), "{commands}");
        let log: Value = serde_json::from_str(&check(&["--format", "sarif"])).unwrap();
        assert!(log["runs"][0]["results"].as_array().unwrap().len() >= count);
        for format in ["text", "csv", "json", "markdown"] {
            let (out, _, _) = run(&["bench", text(of), "--no-times", "--format", format]);
            match format {
                "json" => assert_eq!(serde_json::from_str::<Value>(&out).unwrap()["rows"].as_array().unwrap().len(), count),
                "markdown" => forms::table(&out, count),
                "csv" => assert_eq!(out.lines().count(), count + 1),
                _ => {}
            }
        }
    }
    let (diffs, _, _) = run(&["fmt", text(&untidy), "--diff"]);
    assert_eq!(diffs.lines().filter(|line| line.starts_with("--- ")).count(), count);
    assert_eq!(run(&["fmt", text(&untidy), "--check"]).0.lines().count(), count);
    assert_eq!(run(&["fmt", text(&untidy)]).1.lines().count(), count);
    assert_eq!(fs::read_to_string(&untidy_files[0].0).unwrap(), "request a { X := 1 }\n");
    let out = place.join("out");
    let json = text(&out.join("a.json")).to_owned();
    for (_, file) in &lost_files {
        let (told, _, status) = run(&["fix", file]);
        assert_eq!((status, told.lines().filter(|line| line.starts_with("not serializable  ")).count()), (Some(0), 1));
        // Files that are not there, and files that are written.
        let saved = file.replace("/lost/", "/out/");
        let _ = fs::create_dir_all(Path::new(&saved).parent().unwrap());
        let (told, _, status) = run(&["check", file, "--no-fix", "--certificate", &saved]);
        assert_eq!(status, Some(1));
        assert!(told.contains(&format!("saved to {}", escape::name(&saved))), "{told}");
        assert_eq!(run(&["verify", file, &saved]).0.lines().count(), 1);
        run(&["run", file, "--trace", &saved]);
        run(&["fix", file, "--apply", "1"]);
        for command in ["check", "fix", "fmt", "bench", "run"] {
            let (_, told, status) = run(&[command, &format!("{file}.missing.ser")]);
            assert_eq!((status, told.lines().count()), (Some(2), 1), "{command} {told}");
        }
        assert_eq!(run(&["verify", file, &json]).1.lines().count(), 1);
        assert_eq!(run(&["explain", file]).1.lines().count(), 2);
        assert_eq!(run(&["check", file, "--format", file]).2, Some(2));
        assert_eq!(run(&["check", file, &format!("--{file}")]).2, Some(2));
    }
}

/// Names that are no text stay different from one another.
#[cfg(target_os = "linux")]
#[test]
fn names_that_are_no_utf_8() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let place = directory("hostile-bytes");
    for bytes in [&b"a\xff.ser"[..], b"a\xfe.ser", b"a\\x{ff}.ser", b"\xe2\x80.ser", b"\xed\xa0\x80\x1b.ser"] {
        fs::write(place.join(OsStr::from_bytes(bytes)), LOST).unwrap();
    }
    let named = |line: &str| serde_json::from_str::<Value>(line).unwrap()["file"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
    let mut names: Vec<String> = run(&["check", text(&place), "--format", "json", "-q"]).0.lines().map(named).collect();
    names.sort();
    assert_eq!(names, ["\\x{e2}\\x{80}.ser", "\\x{ed}\\x{a0}\\x{80}\u{1b}.ser", "a\\x{5c}x{ff}.ser", "a\\x{fe}.ser", "a\\x{ff}.ser"]);
    for format in ["text", "markdown", "github", "sarif"] {
        run(&["check", text(&place), "--format", format]);
    }
    run(&["check", text(&place), "-q", "--certificate", text(&place.join("saved"))]);
    assert_eq!(fs::read_dir(place.join("saved")).unwrap().count(), 5);
    for path in fs::read_dir(&place).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_file()) {
        let output = command(&["fix"]).arg(&path).args(["--apply", "1"]).output().unwrap();
        harmless("fix", &output);
        assert_eq!(output.status.code(), Some(0));
    }
}

/// Texts of programs, settings, traces and certificates.
#[test]
fn texts_that_are_quoted() {
    let names = names(1);
    let place = directory("hostile-texts");
    let write = |name: &str, content: String| {
        fs::write(place.join(name), content).unwrap();
        text(&place.join(name)).to_owned()
    };
    for name in &names {
        let one_line = name.replace(['\n', '\r'], " ");
        let program = write(
            "p.ser",
            format!("// {one_line}\nrequest a {{\n  seen := N; /* {name} */ yield;\n  N := (seen + 1) % 3; seen // {one_line}\n}}\n"),
        );
        // A comment may end early; then it is an error, which is drawn.
        for arguments in
            [&["check"][..], &["fix"], &["fmt", "--diff"], &["check", "--format", "markdown"], &["run"], &["export", "--to", "svg"]]
        {
            run(&[&arguments[..1], &[program.as_str()], &arguments[1..]].concat());
        }
        let broken = write("b.ser", format!("request a {{ /* {name} */ X := ; {name} }}\n"));
        let (_, told, status) = run(&["check", &broken]);
        assert!(status == Some(2) && told.contains("error["), "{told}");
        assert_eq!(run(&["verify", &broken, &broken]).2, Some(2));
        // Keys and values of settings.
        let settings = place.join("settings");
        fs::create_dir_all(&settings).unwrap();
        let quoted = serde_json::to_string(name).unwrap().replace('\u{7f}', "\\u007f");
        fs::write(
            settings.join("serval.toml"),
            format!("{quoted} = 1\nallow = [{quoted}]\n[check]\nformat = {quoted}\nmethod = {quoted}\n"),
        )
        .unwrap();
        let inside = write("settings/p.ser", LOST.to_owned());
        assert_eq!(run(&["check", &inside]).2, Some(2));
        let trace = write("t.json", json!({"schema": 1, "steps": [{"id": 1, "kind": "spawn", "local": name}]}).to_string());
        assert_eq!(run(&["run", &inside, "--replay", &trace]).2, Some(2));
        let trace = write("u.json", json!({"schema": 1, "steps": [], *name: 1}).to_string());
        assert_eq!(run(&["run", &inside, "--replay", &trace]).2, Some(2));
        for certificate in [
            json!({"format": name, "version": 1}),
            json!({"format": "serval-certificate", "version": 1, "input": name, "kind": "atomic", "claim": "serializable", "script": []}),
            json!({"format": "serval-certificate", "version": 1, "input": "", "kind": name, "claim": "serializable"}),
            json!({"format": "serval-certificate", "version": 1, "input": "", "kind": "atomic", "claim": name, *name: 2}),
        ] {
            let certificate = write("c.json", certificate.to_string());
            assert!(matches!(run(&["verify", &inside, &certificate]).2, Some(1 | 2)));
        }
        let system = write("s.json", json!({"initial_global": name, *name: []}).to_string());
        assert_eq!(run(&["check", &system]).2, Some(2));
    }
}
