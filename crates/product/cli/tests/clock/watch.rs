//! `serval check --watch` and `serval net check --watch` as processes of their own.

#![cfg(unix)]

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serval_effort::skips;

use crate::support::{command, directory, signal_at_work, text};
use crate::{alone, with_enough_time};

const SERIALIZABLE: &str = "request a { X := 1 - X }\n";
const NOT: &str = "request a { y := X; yield; X := 1 - y }\n";

/// How long it may say nothing: so that a test that fails comes to an end.
const SILENCE: Duration = Duration::from_secs(600);
/// What it says when it has done everything.
const READY: &str = "; Ctrl-C ends\n";

/// A process that watches, and what it says.
struct Watching {
    child: Child,
    /// All that it says on both streams goes here, in the order in which it says it.
    said: File,
}

impl Watching {
    fn start(place: &Path, arguments: &[&str]) -> Self {
        Self::start_command(place, &[&["check"], arguments].concat())
    }

    fn start_command(place: &Path, arguments: &[&str]) -> Self {
        // Not in the place, which is looked at.
        let path = place.with_extension("said");
        fs::write(&path, "").unwrap();
        let stream = || OpenOptions::new().append(true).open(&path).unwrap();
        let mut command = command(&[arguments, &["--watch", "--no-times"]].concat());
        let child = command.current_dir(place).stdin(Stdio::null()).stdout(stream()).stderr(stream()).spawn().unwrap();
        Self { child, said: File::open(path).unwrap() }
    }

    /// What it has said since this was asked before.
    fn news(&mut self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.said.read_to_end(&mut bytes).unwrap();
        bytes
    }

    /// Waits until it has said all of these, and that it watches again; all that it has said.
    fn says(&mut self, wanted: &[&str]) -> String {
        let (begun, mut bytes) = (Instant::now(), Vec::new());
        loop {
            bytes.extend(self.news());
            let said = String::from_utf8_lossy(&bytes);
            if said.ends_with(READY) && wanted.iter().all(|part| said.contains(part)) {
                return said.into_owned();
            }
            assert!(begun.elapsed() < SILENCE, "wanted {wanted:?}, and it said:\n{said}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Whether it says nothing for as long as it takes to look twice.
    fn is_silent(&mut self) {
        std::thread::sleep(Duration::from_millis(500));
        assert_eq!(text(&self.news()), "");
    }

    /// Interrupts it; its status, and the rest of what it says.
    fn interrupt(mut self) -> (Option<i32>, String) {
        signal_at_work(&self.child, "INT");
        let status = self.child.wait().unwrap();
        (status.code(), text(&self.news()))
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        // Where a test has failed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Puts a file there as editors do it: no reader finds a part of it.
fn put(place: &Path, name: &str, content: impl AsRef<[u8]>) {
    fs::write(place.join("new"), content).unwrap();
    fs::rename(place.join("new"), place.join(name)).unwrap();
}

/// Writes into a file that is there and has as many bytes: no reader finds a part of that, either.
fn overwrite(path: &Path, content: &str) {
    assert_eq!(fs::metadata(path).unwrap().len(), content.len() as u64);
    OpenOptions::new().write(true).open(path).unwrap().write_all(content.as_bytes()).unwrap();
}

/// A program with blanks behind it.
fn padded(program: &str) -> String {
    format!("{program:<50}")
}

#[test]
fn a_file_is_changed_broken_removed_and_mended() {
    let _alone = alone();
    let place = directory("watch-file");
    let file = place.join("a.ser");
    fs::write(&file, padded(SERIALIZABLE)).unwrap();
    let mut watching = Watching::start(&place, &["a.ser"]);
    watching.says(&["serializable, also in real time  a.ser", "watching 1 file; Ctrl-C ends"]);
    watching.is_silent();
    overwrite(&file, &padded(NOT));
    let said = watching.says(&["not serializable  a.ser"]);
    assert_eq!(said.matches("watching 1 file").count(), 1, "{said}");
    put(&place, "a.ser", "request a {");
    watching.says(&["error[E0116]", "a.ser:1:"]);
    put(&place, "a.ser", b"request \xff");
    watching.says(&["error[E0501]"]);
    fs::remove_file(&file).unwrap();
    watching.says(&["cannot read a.ser"]);
    watching.is_silent();
    put(&place, "a.ser", SERIALIZABLE);
    watching.says(&["serializable, also in real time  a.ser"]);
    // The same bytes are no change.
    overwrite(&file, SERIALIZABLE);
    watching.is_silent();
    assert_eq!(watching.interrupt(), (Some(130), String::new()));
    assert_eq!(fs::read_dir(&place).unwrap().count(), 1);
}

#[test]
fn a_directory_and_its_settings() {
    let _alone = alone();
    if skips("cli.watch-directory") {
        return;
    }
    let place = directory("watch-directory");
    let programs = place.join("programs");
    fs::create_dir(&programs).unwrap();
    fs::write(programs.join("a.ser"), SERIALIZABLE).unwrap();
    fs::write(programs.join("b.ser"), NOT).unwrap();
    let mut watching = Watching::start(&place, &["programs", "--format", "json"]);
    let said = watching.says(&["programs/a.ser", "programs/b.ser", "watching 2 files"]);
    assert_eq!(said.matches("\"verdict\"").count(), 2, "{said}");
    // Only what is new or has changed is checked.
    put(&place, "programs/c.ser", NOT);
    let said = watching.says(&["programs/c.ser", "watching 3 files"]);
    assert_eq!(said.matches("\"verdict\"").count(), 1, "{said}");
    fs::remove_file(programs.join("b.ser")).unwrap();
    let said = watching.says(&["programs/b.ser is gone", "watching 2 files"]);
    assert_eq!(said.matches("\"verdict\"").count(), 0, "{said}");
    // Settings are for all. The search alone proves nothing, and refutes what it has the time for.
    with_enough_time(|limit| {
        put(&place, "serval.toml", format!("[check]\nmethod = \"search\"\ntimeout = {limit}\n"));
        let said = watching.says(&["\"unknown\"", "watching 2 files"]);
        assert_eq!(said.matches("\"verdict\"").count(), 2, "{said}");
        said.contains("not-serializable").then_some(())
    });
    put(&place, "serval.toml", "[check]\nmethod = \"serach\"\n");
    watching.says(&["error[E0504]", "did you mean \"search\"?"]);
    fs::remove_file(place.join("serval.toml")).unwrap();
    watching.says(&["\"serializable\"", "not-serializable"]);
    fs::rename(&programs, place.join("gone")).unwrap();
    watching.says(&["programs"]);
    fs::create_dir(&programs).unwrap();
    put(&place, "programs/d.ser", NOT);
    watching.says(&["programs/d.ser", "watching 1 file;"]);
    assert_eq!(watching.interrupt().0, Some(130));
}

#[test]
fn standard_input_does_not_change() {
    let _alone = alone();
    let output = command(&["check", "--watch", "-", "--input", "ser"]).stdin(Stdio::null()).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(text(&output.stderr), "error: --watch needs files or directories: standard input does not change\n");
}

#[test]
fn a_net_and_its_queries() {
    let _alone = alone();
    if skips("cli.watch-net") {
        return;
    }
    let place = directory("watch-net");
    let query = |path: &str, step: &str| {
        format!(
            "<property-set><property><id>q</id><formula><{path}><{step}><deadlock/></{step}></{path}></formula></property></property-set>"
        )
    };
    fs::write(place.join("a.net"), "pl p (1)\ntr t p -> p\n").unwrap();
    fs::write(place.join("q.xml"), query("exists-path", "finally")).unwrap();
    let mut watching = Watching::start_command(&place, &["net", "check", "a.net", "--queries", "q.xml"]);
    watching.says(&["q  does not hold", "watching 2 files; Ctrl-C ends"]);
    watching.is_silent();
    put(&place, "a.net", "pl p (1)\ntr t p -> q\n");
    watching.says(&["q  holds"]);
    put(&place, "q.xml", query("all-paths", "globally"));
    watching.says(&["q  does not hold"]);
    put(&place, "a.net", "trr t p -> q\n");
    watching.says(&["error: a.net:1:1", "did you mean “tr”?"]);
    fs::remove_file(place.join("a.net")).unwrap();
    watching.says(&["cannot read a.net"]);
    put(&place, "a.net", "pl p (1)\ntr t p -> q\n");
    watching.says(&["q  does not hold"]);
    assert_eq!(watching.interrupt(), (Some(130), String::new()));
    let output = command(&["net", "check", "-", "--input", "net", "--watch"]).stdin(Stdio::null()).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let output = command(&["net", "check", ".", "--watch"]).stdin(Stdio::null()).output().unwrap();
    assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(2), "error: . is a directory; give a file\n"));
}

#[test]
fn an_interrupt_ends_the_work_at_hand() {
    let _alone = alone();
    let place = directory("watch-interrupt");
    fs::write(place.join("large.ser"), serval_families::Family::named("counter").unwrap().program(1_500_000)).unwrap();
    let watching = Watching::start(&place, &["large.ser", "--method", "reduce"]);
    assert_eq!(watching.interrupt().0, Some(130));
}
