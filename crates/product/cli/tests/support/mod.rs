//! Running the binary.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

/// The root of the repository, in which all commands run.
#[allow(dead_code, reason = "not every test needs it")]
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

/// The binary, ready to run, without a cache: what one test decides is not to
/// be remembered by another, nor by the user.
pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_serval"));
    command
        .args(arguments)
        .env("SERVAL_CACHE_DIR", "")
        .current_dir(root())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Runs the binary with this standard input.
#[allow(dead_code, reason = "not every test needs it")]
pub(crate) fn serval(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = command(arguments).spawn().unwrap();
    // The program may end before it has read everything.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

/// Sends a signal to a program as soon as it is at work, which is when it has said
/// how it wants to be interrupted.
#[allow(dead_code, reason = "not every test needs it")]
pub(crate) fn signal_at_work(child: &Child, signal: &str) {
    let process = child.id().to_string();
    let is_ready = || {
        let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
        assert!(!status.contains("(zombie)"), "it has ended by itself");
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap().trim();
        // The second bit is that of an interrupt.
        u64::from_str_radix(caught, 16).unwrap() & 2 != 0
    };
    while !is_ready() {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(Command::new("kill").args([&format!("-{signal}"), &process]).status().unwrap().success());
}

/// What a terminal of this width shows of a command, where there is `script` to make one. `set` is put before it, as in
/// `NO_COLOR=1`.
#[allow(dead_code, reason = "not every test needs it")]
pub(crate) fn on_terminal(script: &Path, directory: &Path, width: usize, set: &str, arguments: &[&str]) -> String {
    let quoted: Vec<String> = arguments.iter().map(|argument| format!("'{argument}'")).collect();
    let line =
        format!("stty cols {width} rows 40; env -u COLUMNS -u NO_COLOR {set} '{}' {}", env!("CARGO_BIN_EXE_serval"), quoted.join(" "));
    let mut command = Command::new(script);
    command.args(["-qec", &line, "/dev/null"]).current_dir(directory).stdin(Stdio::null());
    let output =
        command.env("TERM", "xterm").env("LC_ALL", "C.UTF-8").env("SERVAL_CACHE_DIR", "").env("SHELL", "/bin/sh").output().unwrap();
    text(&output.stdout).replace("\r\n", "\n")
}

#[allow(dead_code, reason = "not every test needs it")]
pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// A fresh directory for one test.
#[allow(dead_code, reason = "not every test needs it")]
pub(crate) fn directory(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    path
}

/// All pages of the book, in order.
#[allow(dead_code, reason = "not every test needs it")]
pub(crate) fn pages() -> Vec<PathBuf> {
    let (mut pages, mut directories) = (Vec::new(), vec![root().join("docs/src")]);
    while let Some(directory) = directories.pop() {
        for entry in std::fs::read_dir(&directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                directories.push(path);
            } else if path.extension().is_some_and(|end| end == "md") {
                pages.push(path);
            }
        }
    }
    pages.sort();
    pages
}
