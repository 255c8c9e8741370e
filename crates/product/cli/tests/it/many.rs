//! Many files: a line each, a tally, an index page; parts of a measurement.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples")
}

/// A directory with two programs and two JSON files of others.
fn place(name: &str) -> PathBuf {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&place);
    std::fs::create_dir_all(place.join("web")).unwrap();
    for file in ["lost-update.ser", "spin-lock.ser"] {
        std::fs::copy(examples().join(file), place.join(file)).unwrap();
    }
    std::fs::write(place.join("package.json"), "{\"name\": \"shop\", \"dependencies\": {}}\n").unwrap();
    std::fs::write(place.join("web/tsconfig.json"), "{\"compilerOptions\": {}}\n").unwrap();
    place
}

fn serval(place: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_serval"));
    command.args(arguments).current_dir(place).env("LC_ALL", "C.UTF-8").env("COLUMNS", "").output().unwrap()
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn each_file_has_a_line_and_there_is_a_tally() {
    let place = place("many-lines");
    let output = serval(&place, &["check", "--no-cache", "--no-times", "."]);
    let text = out(&output);
    let lines: Vec<&str> = text.lines().collect();
    let begins = [
        "not serializable  ./lost-update.ser   lost update   2 requests (minimal)",
        "serializable, also in real time  ./spin-lock.ser   for any number of concurrent requests   certificate checked",
        "",
        "2 files: 1 serializable, 1 not serializable",
        "",
        "the counterexample in full",
        "",
        "not serializable  ./lost-update.ser   lost update   2 requests (minimal)",
    ];
    assert_eq!(lines[..begins.len()], begins);
    // It is the whole report, with what would help.
    assert!(["\n  why  ", "\n  fix  ", "\n  certificate  "].iter().all(|part| text.contains(part)), "{text}");
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(said, "note: 2 JSON files are no network systems and were skipped\n");
    let full = out(&serval(&place, &["check", "--no-cache", "--full", "."]));
    assert_eq!(full.matches("not serializable  ./lost-update.ser").count(), 1, "{full}");
    assert!(full.ends_with("\n2 files: 1 serializable, 1 not serializable\n") && full.contains("\n  why  "), "{full}");
    // A note on what is serializable is not lost.
    std::fs::write(place.join("stuck.ser"), "request a { await (X == 1); 0 }\nrequest b { 0 }\n").unwrap();
    let stuck = out(&serval(&place, &["check", "--no-cache", "--no-times", "stuck.ser", "spin-lock.ser"]));
    assert!(stuck.lines().next().unwrap().ends_with("certificate checked   1 note   2 warnings"), "{stuck}");
    assert!(out(&serval(&place, &["check", "--no-cache", "--full", "stuck.ser", "spin-lock.ser"])).contains("can get stuck for ever"));
    std::fs::remove_file(place.join("stuck.ser")).unwrap();
    let quiet = serval(&place, &["check", "--no-cache", "-q", "."]);
    assert_eq!((out(&quiet).lines().count(), quiet.stderr.len()), (2, 0));
    let one = out(&serval(&place, &["check", "--no-cache", "-q", "lost-update.ser"]));
    assert_eq!(one, "not serializable  lost-update.ser   lost update   2 requests (minimal)\n");
}

/// Of several counterexamples the first is shown; fixes are looked for only there, and warnings are counted.
#[test]
fn of_several_counterexamples_the_first_is_shown() {
    let place = place("many-first");
    std::fs::write(place.join("a.ser"), "request a { seen := N; yield; N := (seen + 1) % 3; y + seen }\n").unwrap();
    std::fs::write(place.join("b.ser"), "request b { X := }\n").unwrap();
    let output = serval(&place, &["check", "--no-cache", "--no-times", "."]);
    let (text, told) = (out(&output), String::from_utf8_lossy(&output.stderr).into_owned());
    let lines: Vec<&str> = text.lines().collect();
    let begins = [
        "not serializable  ./a.ser  ",
        "error  ./b.ser",
        "not serializable  ./lost-update.ser  ",
        "serializable, also in real time  ./spin-lock.ser  ",
    ];
    for (line, begin) in lines.iter().zip(begins) {
        assert!(line.starts_with(begin), "{text}");
    }
    assert!(lines[0].ends_with("   2 warnings") || lines[0].ends_with("   1 warning"), "{text}");
    assert_eq!(
        lines[4..8],
        [
            "",
            "4 files: 1 serializable, 2 not serializable, 1 with an error",
            "",
            "the first of 2 counterexamples in full; --full shows all"
        ]
    );
    assert_eq!((text.matches("\n  fix  ").count(), text.matches("serval fix ./a.ser").count()), (1, 1), "{text}");
    // A mistake is drawn, a warning is not.
    assert!(told.contains("error[E0110]") && !told.contains("warning["), "{told}");
    assert!(String::from_utf8_lossy(&serval(&place, &["check", "--no-cache", "--full", "."]).stderr).contains("warning["));
    assert_eq!(output.status.code(), Some(2));
}

/// With `--expected` a verdict that the header promises is 0 and any other is 1, in every format; without a header it
/// is as without the option.
#[test]
fn what_the_header_expects_counts() {
    let place = place("many-expected");
    let lost = std::fs::read_to_string(place.join("lost-update.ser")).unwrap();
    assert!(lost.starts_with("// expect: not-serializable"), "{lost}");
    let plain: String = lost.lines().skip(1).map(|line| format!("{line}\n")).collect();
    std::fs::write(place.join("plain.txt"), &plain).unwrap();
    std::fs::write(place.join("wrong.txt"), "// expect: not-serializable\nrequest a { X := 1 - X; yield; 0 }\n").unwrap();
    std::fs::write(place.join("worse.txt"), format!("// expect: serializable\n{plain}")).unwrap();
    std::fs::write(place.join("fails.txt"), "// expect: fault\nrequest a { X := 1 / (1 - X) }\n").unwrap();
    let status = |arguments: &[&str]| {
        let output = serval(&place, &[&["check", "--no-cache", "--no-times", "--expected"], arguments].concat());
        (output.status.code().unwrap(), out(&output))
    };
    for (file, wanted) in [
        ("lost-update.ser", 0),
        ("spin-lock.ser", 0),
        ("fails.txt", 0),
        ("plain.txt", 1),
        ("wrong.txt", 1),
        ("worse.txt", 1),
        ("none.ser", 2),
        ("package.json", 2),
    ] {
        for format in ["text", "json", "github", "markdown", "sarif"] {
            assert_eq!(status(&[file, "--format", format]).0, wanted, "{file} {format}");
        }
    }
    // Undecided is undecided, whatever was expected.
    assert_eq!(status(&["lost-update.ser", "--method", "lipton"]).0, 3);
    assert_eq!(serval(&place, &["check", "--no-cache", "lost-update.ser"]).status.code(), Some(1));

    let (good, text) = status(&["."]);
    assert!(text.ends_with("\n2 files: 1 serializable, 1 not serializable; 2 as expected\n") && good == 0, "{text}");
    assert!(
        text.lines().all(|line| line.is_empty() || line.starts_with("2 files") || line.ends_with("   as its header expects")),
        "{text}"
    );
    let (_, text) = status(&["lost-update.ser", "wrong.txt", "worse.txt"]);
    assert!(text.contains("certificate checked   but its header expects not serializable\n"), "{text}");
    assert!(text.contains("; 1 as expected, 2 not\n\nthe counterexample in full\n\nnot serializable  worse.txt"), "{text}");
    assert!(text.contains("\n  expected        but its header expects serializable\n"), "{text}");

    assert!(status(&["lost-update.ser", "-q"]).1.ends_with("   as its header expects\n"));
    status(&["wrong.txt", "--html", "wrong.html"]);
    let page = std::fs::read_to_string(place.join("wrong.html")).unwrap();
    assert!(page.contains("<li>serializable, but its header expects not serializable</li>"), "{page}");

    let schema: serde_json::Value = serde_json::from_str(include_str!("../../../../../docs/check.schema.json")).unwrap();
    for line in status(&["lost-update.ser", "wrong.txt", "plain.txt", "--format", "json"]).1.lines() {
        let report: serde_json::Value = serde_json::from_str(line).unwrap();
        crate::schema::fits(&report, &schema, &schema, line);
        let expected = match report["file"].as_str().unwrap() {
            "lost-update.ser" => serde_json::json!({"verdict": "not-serializable", "holds": true}),
            "wrong.txt" => serde_json::json!({"verdict": "not-serializable", "holds": false}),
            _ => serde_json::Value::Null,
        };
        assert_eq!(report["expected"], expected);
    }
    // What is expected is no finding; what is not is one, also where nothing else is wrong.
    let (_, log) = status(&["lost-update.ser", "wrong.txt", "--format", "github"]);
    let wanted = "::error file=wrong.txt,title=not as expected::serializable, but its header expects not serializable\n";
    assert!(log.contains("not serializable  lost-update.ser   as its header expects\n") && log.contains(wanted), "{log}");
    let (_, log) = status(&["lost-update.ser", "wrong.txt", "--format", "sarif"]);
    let log: serde_json::Value = serde_json::from_str(&log).unwrap();
    let rules: Vec<&str> = log["runs"][0]["results"].as_array().unwrap().iter().map(|result| result["ruleId"].as_str().unwrap()).collect();
    assert_eq!(rules, ["not-as-expected"]);
    assert!(out(&serval(&place, &["explain", "not-as-expected"])).contains("--expected"));
}

/// What green does not say stands on the screen, once, and is counted where a file has a line; also when the proof is a
/// remembered one.
#[test]
fn what_a_proof_does_not_say_is_on_the_screen() {
    let place = place("many-hollow");
    let one_step = "request w {\n  X := 1 - X\n}\n";
    let guarded = "request w {\n  x := BAL;\n  yield;\n  if (x > 0) {\n    BAL := x - 1;\n    return 1\n  };\n  0\n}\n";
    // A warning beside it, which is drawn, does not draw the note as well.
    let warned = format!("// expect: nonsense\n{guarded}");
    for (name, text) in [("step.ser", one_step), ("guarded.ser", guarded), ("warned.ser", &warned)] {
        std::fs::write(place.join(name), text).unwrap();
    }
    for cache in ["", "cache", "cache"] {
        let check = |arguments: &[&str]| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_serval"));
            command.args([&["check", "--no-times"], arguments].concat()).current_dir(&place).env("LC_ALL", "C.UTF-8").env("COLUMNS", "");
            let output = command.env("SERVAL_CACHE_DIR", cache).output().unwrap();
            (out(&output), String::from_utf8_lossy(&output.stderr).into_owned())
        };
        let (step, told) = check(&["step.ser"]);
        let note = "each handler is one step here: put a `yield` where it waits   serval explain N0311";
        assert!(step.ends_with(&format!("\n  note            {note}\n")) && told.is_empty(), "{step}{told}");
        let (dead, told) = check(&["guarded.ser"]);
        let note = "line 5: this never runs: no run of any number of requests comes here   serval explain N0312";
        assert!(dead.ends_with(&format!("\n  note            {note}\n")) && told.is_empty(), "{dead}{told}");
        let (_, told) = check(&["warned.ser"]);
        assert!(told.contains("warning[W0206]") && !told.contains("N0312"), "{told}");
        let (lines, _) = check(&["step.ser", "guarded.ser", "lost-update.ser"]);
        assert_eq!(lines.lines().filter(|line| line.ends_with("certificate checked   1 note")).count(), 2, "{lines}");
        assert!(check(&["guarded.ser", "-q"]).0.ends_with("   1 note\n"));
        let json: serde_json::Value = serde_json::from_str(&check(&["guarded.ser", "--format", "json"]).0).unwrap();
        assert_eq!((&json["notes"][0]["code"], &json["notes"][0]["span"]), (&"N0312".into(), &serde_json::json!([5, 5, 6, 13])));
        let github = check(&["guarded.ser", "--format", "github"]).0;
        assert!(github.starts_with("::notice file=guarded.ser,line=5,"), "{github}");
    }
    let silent = out(&serval(&place, &["check", "--no-cache", "step.ser", "--allow", "N0311"]));
    assert_eq!(silent.lines().count(), 1, "{silent}");
}

/// `serval new` and what the first page says to type next.
#[test]
fn the_first_page_can_be_typed() {
    let place = place("many-new");
    let page = std::fs::read_to_string(examples().join("../docs/src/one-minute.md")).unwrap();
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `serval ")?.split('`').next());
    let typed: Vec<&str> = rows.collect();
    assert!(typed[0].starts_with("new ") && typed.len() >= 4, "{typed:?}");
    for command in typed {
        let words: Vec<&str> = command.split(' ').collect();
        let output = serval(&place, &words);
        let wanted = if words[0] == "check" { 1 } else { 0 };
        assert_eq!(output.status.code(), Some(wanted), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    }
    // The name of a program makes this alone.
    let new = serval(&place, &["new", "alone.ser"]);
    assert_eq!(String::from_utf8_lossy(&new.stderr), "wrote alone.ser\nnext: serval check alone.ser\n");
    assert!(place.join("alone.ser").is_file());
    assert_eq!(serval(&place, &["check", "alone.ser"]).status.code(), Some(1));
    assert_eq!(serval(&place, &["new", "alone.ser"]).status.code(), Some(2));
    assert!(serval(&place, &["new", "deep/in/here.ser"]).status.success() && place.join("deep/in/here.ser").is_file());
    // A program that is looked for beside its directory is found in the message.
    serval(&place, &["new", "cart"]);
    let missed = serval(&place, &["check", "cart.ser"]);
    assert!(String::from_utf8_lossy(&missed.stderr).contains("; there is cart/cart.ser [E0502]"), "{missed:?}");
}

/// The help of `check` has the ten options that people use; all of them are in `--help-all`.
#[test]
fn the_help_of_check_is_short() {
    let place = place("many-help");
    let options = |arguments: &[&str]| -> Vec<String> {
        let text = out(&serval(&place, arguments));
        let described = text.lines().map(str::trim_start).filter(|line| line.starts_with('-'));
        let words = described.filter_map(|line| line.split_whitespace().find(|word| word.starts_with("--")));
        words
            .map(|word| word.split(['[', '=']).next().unwrap().to_owned())
            .filter(|word| word != "--help" && word != "--help-all")
            .collect()
    };
    let usual = options(&["check", "--help"]);
    let ten = [
        "--timeout",
        "--format",
        "--certificate",
        "--html",
        "--expected",
        "--strict",
        "--exit-zero",
        "--verbose",
        "--full",
        "--watch",
        "--quiet",
    ];
    assert_eq!(usual, ten);
    assert_eq!(options(&["check", "-h"]), ten);
    assert_eq!(options(&["help", "check"]), ten);
    let all = options(&["check", "--help-all"]);
    assert!(all.len() > 20 && ten.iter().all(|option| all.iter().any(|known| known == option)), "{all:?}");
    for option in ["--method", "--memory", "--jobs", "--allow", "--trace", "--no-cache", "--progress", "--color"] {
        assert!(all.iter().any(|known| known == option), "{option}");
    }
}

#[test]
fn a_json_file_that_is_named_or_looks_like_a_system_is_read() {
    let place = place("many-systems");
    let named = serval(&place, &["check", "--no-cache", "package.json"]);
    assert_eq!(named.status.code(), Some(2));
    std::fs::write(place.join("web/broken.json"), "{\"initial_global\": \"G\", \"transitions\": [").unwrap();
    let found = serval(&place, &["check", "--no-cache", "."]);
    assert!(String::from_utf8_lossy(&found.stderr).contains("web/broken.json"));
    assert_eq!(found.status.code(), Some(2));
    std::fs::remove_file(place.join("web/broken.json")).unwrap();
    let nothing = serval(&place, &["check", "--no-cache", "web"]);
    let said = String::from_utf8_lossy(&nothing.stderr).into_owned();
    assert_eq!(said, "error: there is no .ser or .json file in web; 1 JSON file is no network system and was skipped\n");
    // What other commands take is named.
    std::fs::write(place.join("web/lock.tso"), "memory x = 0;\n").unwrap();
    let others = serval(&place, &["check", "--no-cache", "web"]);
    let said = String::from_utf8_lossy(&others.stderr).into_owned();
    assert!(said.ends_with("was skipped; `serval tso check` takes the file that is there\n"), "{said}");
}

#[test]
fn the_pages_of_many_files_have_an_index() {
    let place = place("many-pages");
    serval(&place, &["check", "--no-cache", "--html", "pages", "."]);
    let index = std::fs::read_to_string(place.join("pages/index.html")).unwrap();
    assert!(index.contains("1 of 2 files serializable"), "{index}");
    let mut bad_first = index.match_indices("<a href=\"");
    for file in ["lost-update.ser.html", "spin-lock.ser.html"] {
        let (at, _) = bad_first.next().unwrap();
        assert!(index[at..].starts_with(&format!("<a href=\"{file}\"")), "{index}");
        assert!(place.join("pages").join(file).is_file());
    }
}

#[test]
fn parts_of_a_measurement_make_the_same_table() {
    let place = place("many-parts");
    for name in ["a", "b", "c", "d", "e"] {
        std::fs::copy(place.join("lost-update.ser"), place.join(format!("{name}.ser"))).unwrap();
    }
    let whole = ["bench", ".", "--no-times"];
    for shard in 1..=3 {
        let part = serval(&place, &["bench", ".", "--no-times", "--format", "json", "--shard", &format!("{shard}/3")]);
        std::fs::write(place.join(format!("part-{shard}.json")), part.stdout).unwrap();
    }
    for format in ["text", "csv", "json", "markdown"] {
        let merged = serval(&place, &["bench", "merge", "part-2.json", "part-3.json", "part-1.json", "--format", format]);
        let once = serval(&place, &[&whole[..], &["--format", format]].concat());
        assert_eq!((out(&merged), merged.status.code()), (out(&once), once.status.code()));
        assert!(!merged.stdout.is_empty());
    }
    let refused = |files: &[&str], why: &str| {
        let output = serval(&place, &[&["bench", "merge"], files].concat());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && said.contains(why), "{files:?}: {said}");
    };
    refused(&["part-1.json", "part-3.json"], "part 2 of 3 is missing");
    refused(&["part-1.json", "part-1.json", "part-2.json"], "part 1 is given twice");
    refused(&["package.json"], "is not what `serval bench --format json` writes");
    let wrong = serval(&place, &["bench", ".", "--shard", "4/3"]);
    assert_eq!(wrong.status.code(), Some(2));
}

/// The script for Slurm, with the variables that an array job has: parts that make the same table, and nothing twice.
#[cfg(unix)]
#[test]
fn an_array_job_makes_the_same_table() {
    let place = place("many-array");
    let program = Path::new(env!("CARGO_BIN_EXE_serval"));
    let path = std::env::var_os("PATH").unwrap();
    let places = std::iter::once(program.parent().unwrap().to_path_buf()).chain(std::env::split_paths(&path));
    let path = std::env::join_paths(places).unwrap();
    let task = |number: &str, last: &str, arguments: &[&str]| {
        let mut command = Command::new("bash");
        command.arg(examples().join("../contrib/slurm/serval-array.sh")).args(arguments).current_dir(&place).env("PATH", &path);
        command.env("SLURM_ARRAY_TASK_ID", number).env("SLURM_ARRAY_TASK_COUNT", "2").env("SLURM_ARRAY_TASK_MAX", last);
        command.output().unwrap()
    };
    for number in ["1", "2"] {
        let ended = task(number, "2", &[".", "results", "--no-times"]);
        assert_eq!(ended.status.code(), Some(0), "{ended:?}");
    }
    let merged = serval(&place, &["bench", "merge", "results/part-1.json", "results/part-2.json"]);
    let once = serval(&place, &["bench", "lost-update.ser", "spin-lock.ser", "--no-times"]);
    let rows = |output: &Output| out(output).replace("./", "");
    assert_eq!((rows(&merged), merged.status.code()), (rows(&once), once.status.code()));
    // What has ended is not run again; an array with gaps, and no directory, are refused.
    assert_eq!(out(&task("1", "2", &[".", "results"])), "results/part-1.json is there already\n");
    assert_eq!(task("1", "4", &[".", "other"]).status.code(), Some(2));
    assert_eq!(task("1", "2", &["."]).status.code(), Some(2));
}
