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
    // What is not serializable has its details.
    assert!(lines[0].starts_with("not serializable  ./lost-update.ser   lost update") && text.contains("\n  why  "), "{text}");
    let rest = lines.iter().position(|line| line.starts_with("serializable  ./spin-lock.ser")).unwrap();
    assert_eq!(lines[rest - 1], "", "{text}");
    assert_eq!(lines[rest + 1..], ["", "2 files: 1 serializable, 1 not serializable"]);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(said, "note: 2 JSON files are no network systems and were skipped\n");
    let full = out(&serval(&place, &["check", "--no-cache", "--full", "."]));
    assert_eq!(full.matches("not serializable  ./lost-update.ser").count(), 1, "{full}");
    // A note on what is serializable is not lost.
    std::fs::write(place.join("stuck.ser"), "request a { await (X == 1); 0 }\nrequest b { 0 }\n").unwrap();
    let stuck = out(&serval(&place, &["check", "--no-cache", "--no-times", "stuck.ser", "spin-lock.ser"]));
    assert!(stuck.lines().next().unwrap().ends_with("certificate checked   1 note"), "{stuck}");
    assert!(out(&serval(&place, &["check", "--no-cache", "--full", "stuck.ser", "spin-lock.ser"])).contains("can get stuck for ever"));
    std::fs::remove_file(place.join("stuck.ser")).unwrap();
    let quiet = serval(&place, &["check", "--no-cache", "-q", "."]);
    assert_eq!((out(&quiet).lines().count(), quiet.stderr.len()), (2, 0));
    let one = out(&serval(&place, &["check", "--no-cache", "-q", "lost-update.ser"]));
    assert_eq!(one, "not serializable  lost-update.ser   lost update   2 requests (minimal)\n");
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
