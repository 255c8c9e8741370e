//! `serval check --watch` and `serval net check --watch` as processes of their own.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test fails where something is not as it should be")]

mod support;

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use support::{command, directory};

const SERIALIZABLE: &str = "request a { X := 1 - X }\n";
const NOT: &str = "request a { y := X; yield; X := 1 - y }\n";

/// How long it may say nothing: so that a test that fails comes to an end.
const SILENCE: Duration = Duration::from_secs(600);

/// A process that watches, and what it says.
struct Watching {
    child: Child,
    parts: Receiver<String>,
    said: String,
}

impl Watching {
    fn start(place: &Path, arguments: &[&str]) -> Self {
        Self::start_command(place, &[&["check"], arguments].concat())
    }

    fn start_command(place: &Path, arguments: &[&str]) -> Self {
        let mut child = command(&[arguments, &["--watch", "--no-times"]].concat()).current_dir(place).stdin(Stdio::null()).spawn().unwrap();
        let (sender, parts) = channel();
        let streams: [Box<dyn Read + Send>; 2] = [Box::new(child.stdout.take().unwrap()), Box::new(child.stderr.take().unwrap())];
        for mut stream in streams {
            let sender = sender.clone();
            std::thread::spawn(move || {
                let mut part = [0; 4096];
                while let Ok(count @ 1..) = stream.read(&mut part) {
                    let _ = sender.send(String::from_utf8_lossy(&part[..count]).into_owned());
                }
            });
        }
        Self { child, parts, said: String::new() }
    }

    /// Waits until it has said all of these, and that it watches again; then
    /// what it has said is forgotten, and returned.
    fn says(&mut self, wanted: &[&str]) -> String {
        let all = |said: &str| said.contains("; Ctrl-C ends\n") && wanted.iter().all(|part| said.contains(part));
        while !all(&self.said) {
            match self.parts.recv_timeout(SILENCE) {
                Ok(part) => self.said.push_str(&part),
                Err(_) => panic!("wanted {wanted:?}, and it said:\n{}", self.said),
            }
        }
        // What has been said by now, but not been read.
        std::thread::sleep(Duration::from_millis(20));
        self.said.extend(self.parts.try_iter());
        std::mem::take(&mut self.said)
    }

    /// Whether it says nothing for a while.
    fn is_silent(&mut self) {
        std::thread::sleep(Duration::from_millis(700));
        let said: String = self.parts.try_iter().collect();
        assert_eq!(said, "");
    }

    /// Interrupts it; its status, and the rest of what it says.
    fn interrupt(mut self) -> (Option<i32>, String) {
        support::signal_at_work(&self.child, "INT");
        let status = self.child.wait().unwrap();
        (status.code(), self.parts.iter().collect())
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        // Where a test has failed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_file_is_changed_broken_removed_and_mended() {
    let place = directory("watch-file");
    let file = place.join("a.ser");
    fs::write(&file, SERIALIZABLE).unwrap();
    let mut watching = Watching::start(&place, &["a.ser"]);
    watching.says(&["serializable  a.ser", "watching 1 file; Ctrl-C ends"]);
    watching.is_silent();
    fs::write(&file, NOT).unwrap();
    let said = watching.says(&["not serializable  a.ser"]);
    assert_eq!(said.matches("watching 1 file").count(), 1, "{said}");
    fs::write(&file, "request a {").unwrap();
    watching.says(&["error[E0116]", "a.ser:1:"]);
    fs::write(&file, b"request \xff").unwrap();
    watching.says(&["error[E0501]"]);
    fs::remove_file(&file).unwrap();
    watching.says(&["cannot read a.ser"]);
    watching.is_silent();
    // As editors do it.
    fs::write(place.join("new"), SERIALIZABLE).unwrap();
    fs::rename(place.join("new"), &file).unwrap();
    watching.says(&["serializable  a.ser"]);
    // The same bytes are no change.
    fs::write(&file, SERIALIZABLE).unwrap();
    watching.is_silent();
    assert_eq!(watching.interrupt(), (Some(130), String::new()));
    assert_eq!(fs::read_dir(&place).unwrap().count(), 1);
}

#[test]
fn a_directory_and_its_settings() {
    let place = directory("watch-directory");
    let programs = place.join("programs");
    fs::create_dir(&programs).unwrap();
    fs::write(programs.join("a.ser"), SERIALIZABLE).unwrap();
    fs::write(programs.join("b.ser"), NOT).unwrap();
    let mut watching = Watching::start(&place, &["programs", "--format", "json"]);
    let said = watching.says(&["programs/a.ser", "programs/b.ser", "watching 2 files"]);
    assert_eq!(said.matches("\"verdict\"").count(), 2, "{said}");
    // Only what is new or has changed is checked.
    fs::write(programs.join("c.ser"), NOT).unwrap();
    let said = watching.says(&["programs/c.ser", "watching 3 files"]);
    assert_eq!(said.matches("\"verdict\"").count(), 1, "{said}");
    fs::remove_file(programs.join("b.ser")).unwrap();
    let said = watching.says(&["programs/b.ser is gone", "watching 2 files"]);
    assert_eq!(said.matches("\"verdict\"").count(), 0, "{said}");
    // Settings are for all.
    fs::write(place.join("serval.toml"), "[check]\nmethod = \"search\"\ntimeout = 0.5\n").unwrap();
    let said = watching.says(&["\"unknown\"", "not-serializable", "watching 2 files"]);
    assert_eq!(said.matches("\"verdict\"").count(), 2, "{said}");
    fs::write(place.join("serval.toml"), "[check]\nmethod = \"serach\"\n").unwrap();
    watching.says(&["error[E0504]", "did you mean \"search\"?"]);
    fs::remove_file(place.join("serval.toml")).unwrap();
    watching.says(&["\"serializable\"", "not-serializable"]);
    fs::remove_dir_all(&programs).unwrap();
    watching.says(&["programs"]);
    fs::create_dir(&programs).unwrap();
    fs::write(programs.join("d.ser"), NOT).unwrap();
    watching.says(&["programs/d.ser", "watching 1 file;"]);
    assert_eq!(watching.interrupt().0, Some(130));
}

#[test]
fn standard_input_does_not_change() {
    let output = command(&["check", "--watch", "-", "--input", "ser"]).stdin(Stdio::null()).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(support::text(&output.stderr), "error: --watch needs files or directories: standard input does not change\n");
}

#[test]
fn a_net_and_its_queries() {
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
    fs::write(place.join("a.net"), "pl p (1)\ntr t p -> q\n").unwrap();
    watching.says(&["q  holds"]);
    fs::write(place.join("q.xml"), query("all-paths", "globally")).unwrap();
    watching.says(&["q  does not hold"]);
    fs::write(place.join("a.net"), "trr t p -> q\n").unwrap();
    watching.says(&["error: a.net:1:1", "did you mean “tr”?"]);
    fs::remove_file(place.join("a.net")).unwrap();
    watching.says(&["cannot read a.net"]);
    fs::write(place.join("a.net"), "pl p (1)\ntr t p -> q\n").unwrap();
    watching.says(&["q  does not hold"]);
    assert_eq!(watching.interrupt(), (Some(130), String::new()));
    let output = command(&["net", "check", "-", "--input", "net", "--watch"]).stdin(Stdio::null()).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let output = command(&["net", "check", ".", "--watch"]).stdin(Stdio::null()).output().unwrap();
    assert_eq!((output.status.code(), support::text(&output.stderr).as_str()), (Some(2), "error: . is a directory; give a file\n"));
}

#[test]
fn an_interrupt_ends_the_work_at_hand() {
    let place = directory("watch-interrupt");
    fs::write(place.join("large.ser"), serval_families::Family::named("counter").unwrap().program(1_500_000)).unwrap();
    let watching = Watching::start(&place, &["large.ser", "--method", "reduce"]);
    assert_eq!(watching.interrupt().0, Some(130));
}
