//! Every subject is found by its name, and those that are cheap run with a few cases.

use std::path::Path;
use std::process::Command;

use clap::{CommandFactory, Parser};
use serval_measure::arguments::Arguments;
use serval_measure::page::{Page, Provenance};
use serval_testkit::suite::repository_root;

/// What each subject is called with.
const CALLS: &[&str] = &[
    "suite SUITE",
    "growth",
    "cliffs --jobs 2 lock ring",
    "cliffs --merge a.md b.md",
    "compiling",
    "compiling-row lock 10",
    "refutations SUITE",
    "sampled SUITE examples --seconds 1",
    "classic SUITE --count 5 --seed 2",
    "older OLD CONTEST examples/tso",
    "undecided --count 8 --seconds 1 --save DIRECTORY --no-known",
    "decompose --method flow --seconds 1 2",
    "lipton SUITE examples",
    "obligations SUITE examples",
    "polls SUITE --seconds 2",
    "slowdown SUITE",
    "startup --runs 3",
    "size dist --steps --suite SUITE",
    "editor SUITE --before OLD --edits 10 --many 101",
    "verdicts --count 5 --planted 1",
    "alone flow search --count 8 --seed 3",
    "reductions --count 8",
    "lipton-random --count 8",
    "hostile SUITE examples --count 9",
    "attack translation limits --count 7",
    "nets CONTEST",
    "published CONTEST",
    "inductive CONTEST",
    "coverability --count 10",
    "search --seconds 1 2 3",
    "reachability --count 10 --family-seconds 1",
    "weak-memory examples/tso --kind straight sizes --seeds 5..7",
    "core-answers FILE --count 5 --seed 1",
    "corpus fuzz/corpus/certificate",
];

fn parsed(call: &str) -> Result<Arguments, clap::Error> {
    Arguments::try_parse_from(std::iter::once("measure").chain(call.split(' ')))
}

/// Runs a subject, which must find nothing wrong.
fn run(call: &str) -> Page {
    let arguments = parsed(call).unwrap();
    let page = arguments.subject.page(Path::new("-")).unwrap_or_else(|why| panic!("{call}: {why}")).unwrap();
    assert!(page.wrong().is_empty(), "{call}: {:?}", page.wrong());
    page
}

#[test]
fn every_subject_is_called_by_its_name() {
    Arguments::command().debug_assert();
    let mut called: Vec<&str> = Vec::new();
    for call in CALLS {
        let arguments = parsed(call).unwrap_or_else(|error| panic!("{call}: {error}"));
        assert_eq!(Some(arguments.subject.name()), call.split(' ').next());
        called.push(arguments.subject.name());
    }
    for subject in Arguments::command().get_subcommands() {
        assert!(called.contains(&subject.get_name()), "{} is never called", subject.get_name());
        let is_told = subject.get_about().is_some_and(|about| !about.to_string().is_empty());
        assert!(is_told || subject.is_hide_set(), "{} has no line in --help", subject.get_name());
    }
}

#[test]
fn wrong_arguments_are_refused() {
    for (call, why) in [
        ("nothing", "unrecognized subcommand"),
        ("suite", "required"),
        ("verdicts --count many", "invalid digit"),
        ("alone no-such-method", "methods are"),
        ("weak-memory --kind round", "kinds are straight, fences"),
        ("weak-memory --seeds 7..5", "seeds are FROM..TO"),
        ("decompose --method no-such-method", "there is no method"),
        ("attack everything", "possible values"),
        ("startup --runs 0", "0 is not in 1.."),
        ("editor --many 100", "100 is not in 101.."),
        ("cliffs lock --merge a.md", "cannot be used with"),
    ] {
        let error = parsed(call).unwrap_err().to_string();
        assert!(error.contains(why), "{call}: {error}");
    }
}

/// The arguments of subjects that take a second or so, with what their pages must say.
#[test]
fn cheap_subjects_run() {
    for (call, words) in [
        ("verdicts --count 6 --planted 1", "No verdict was wrong."),
        ("alone flow --count 8", "No verdict was wrong."),
        ("reductions --count 2", "movers made to lose answers"),
        ("lipton-random --count 4", "4 programs, 0 wrong"),
        ("classic --count 4", "0 disagree"),
        ("undecided --count 8 --seconds 2 --no-known", "| kind | decided |"),
        ("reachability --count 3 --family-seconds 0", "## Families"),
        ("weak-memory --kind straight fences --seeds 0..3", "| `fences` |"),
    ] {
        let text = run(call).text(&Provenance::default());
        assert!(text.contains(words), "{call}: {text}");
    }
}

#[test]
fn a_page_says_where_it_comes_from() {
    let mut page = Page::new("Title", "About.");
    page.section("Section");
    page.table(&["name", ">number"]);
    page.line("| a | 1 |");
    page.file("more.json", "{}\n");
    page.fail("first line\nsecond line");
    let made = Provenance { command: "measure x".into(), commit: "abc".into(), machine: "two cores".into(), seconds: 3 };
    let text = "# Title\n\nAbout.\n\n- Command: `measure x`, 3 s\n- Commit: abc\n- Machine: two cores\n\n## Section\n\n\
                | name | number |\n|---|---:|\n| a | 1 |\n\n## Wrong\n\n- first line\n";
    assert_eq!(page.text(&made), text);
    let directory = std::env::temp_dir().join(format!("serval-measure-page-{}", std::process::id()));
    let paths = page.write(&directory.join("below"), "x", &made).unwrap();
    assert_eq!(std::fs::read_to_string(&paths[0]).unwrap(), text);
    assert_eq!(std::fs::read_to_string(directory.join("below/more.json")).unwrap(), "{}\n");
    std::fs::remove_dir_all(&directory).unwrap();
}

/// The program itself: help on standard output, bad arguments with 2, and a page in a directory.
#[test]
fn the_program_writes_pages() {
    let measure = |arguments: &[&str]| Command::new(env!("CARGO_BIN_EXE_measure")).args(arguments).output().unwrap();
    let help = String::from_utf8(measure(&["--help"]).stdout).unwrap();
    for subject in Arguments::command().get_subcommands().filter(|subject| !subject.is_hide_set()) {
        assert!(help.contains(&format!("\n  {} ", subject.get_name())), "{} is not in {help}", subject.get_name());
    }
    assert_eq!(measure(&["nothing"]).status.code(), Some(2));
    assert_eq!(measure(&["polls", "no-such-directory"]).status.code(), Some(2));
    let row = String::from_utf8(measure(&["compiling-row", "counter", "10"]).stdout).unwrap();
    assert!(row.starts_with("| counter | 10 | "), "{row}");
    let directory = std::env::temp_dir().join(format!("serval-measure-{}", std::process::id()));
    let written = measure(&["alone", "flow", "--count", "4", "--out", &directory.to_string_lossy()]);
    assert_eq!(written.status.code(), Some(0), "{written:?}");
    let page = std::fs::read_to_string(directory.join("alone.md")).unwrap();
    assert!(page.starts_with("# Each method alone\n") && page.contains("- Command: `measure alone flow --count 4 --out "), "{page}");
    std::fs::remove_dir_all(&directory).unwrap();
}

/// How many pages of measurements there may be, one of them about mutants, and how long.
const PAGES: usize = 13;
const LINES: usize = 80;

#[test]
fn pages_of_measurements_are_few_and_short() {
    let directory = repository_root().join("docs/measurements");
    let files: Vec<_> = std::fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(files.len() <= PAGES, "{} files, and there may be {PAGES}", files.len());
    for file in files {
        let (name, text) = (file.display(), std::fs::read_to_string(&file).unwrap());
        assert!(file.extension().is_some_and(|end| end == "md"), "{name} is no page");
        assert!(text.lines().count() <= LINES, "{name} has {} lines, and may have {LINES}", text.lines().count());
        for part in ["- Command: ", "- Commit: ", "- Machine: "] {
            assert!(text.contains(part), "{name} has no line that begins with `{part}`");
        }
    }
}
