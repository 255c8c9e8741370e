//! Real editors with the packages of the repository: each opens a program, waits for the verdict, applies a fix,
//! renames, formats and writes. What they have written is compared with what serval says of it.

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serval_testkit::say;

use crate::support::{command, directory, root, text};

const LOST: &str = "request save {\n  seen := EDITS;\n  yield;\n  EDITS := (seen + 1)%4;\n  seen + 1\n}\n";

/// The editors; nothing, after one line that says so, where they are not there.
fn editors() -> Option<[PathBuf; 3]> {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let find = |name: &str| std::env::split_paths(&paths).map(|folder| folder.join(name)).find(|path| path.is_file());
    let has_eglot = |emacs: &PathBuf| {
        let asked = Command::new(emacs).args(["-q", "--batch", "--eval", "(progn (package-initialize) (require 'eglot))"]).output();
        asked.is_ok_and(|output| output.status.success())
    };
    let found = (|| Some([find("timeout")?, find("nvim")?, find("emacs").filter(has_eglot)?]))();
    if found.is_none() {
        let required = std::env::var("SERVAL_REQUIRE").unwrap_or_default();
        assert!(!required.split(',').any(|entry| entry.trim() == "editors"), "editors: required, but they are not there");
        say("editors: not there, skipped");
    }
    found
}

/// One session with a limit and without input: an editor that asks something would wait for ever.
fn session(name: &str, timeout: &PathBuf, editor: &PathBuf, arguments: &[&str]) -> String {
    let place = directory(&format!("editor-{name}"));
    let file = place.join("save.ser");
    std::fs::write(&file, LOST).unwrap();
    let program = command(&[]).get_program().to_owned();
    let mut session = Command::new(timeout);
    session.arg("300").arg(editor).args(arguments).current_dir(&place).stdin(Stdio::null());
    session.env("SERVAL", program).env("FILE", &file).env("HOME", &place).env("PATIENCE", "120").env("XDG_STATE_HOME", &place);
    let Output { status, stdout, stderr } = session.output().unwrap();
    assert!(status.success(), "{name}: {status}\n{}\n{}", text(&stdout), text(&stderr));
    std::fs::read_to_string(file).unwrap()
}

fn is_mended(name: &str, written: &str) {
    assert!(written.contains("noticed") && !written.contains("seen"), "{name}: {written}");
    let input = serval::Input::program(written).unwrap();
    let decision = serval::decide(&input, &serval::Options::default());
    assert!(matches!(decision.verdict, serval::Verdict::Serializable(_)), "{name}: {written}");
    assert_eq!(serval::format(written, &serval::FormatStyle::default()).unwrap(), written, "{name}");
}

#[test]
fn editors_show_the_verdict_and_apply_what_they_are_offered() {
    let Some([timeout, nvim, emacs]) = editors() else { return };
    let folder = root().join("editors");
    let (lua, lisp) = (folder.join("nvim/tests/session.lua"), folder.join("emacs/tests/session.el"));
    let path = format!("set runtimepath^={}", folder.join("nvim").display());
    let script = format!("luafile {}", lua.display());
    let written = session("nvim", &timeout, &nvim, &["--headless", "-u", "NONE", "-i", "NONE", "-n", "--cmd", &path, "-c", &script]);
    is_mended("nvim", &written);
    let mode = folder.join("emacs").display().to_string();
    let script = lisp.display().to_string();
    let start = ["-q", "--batch", "-L", &mode, "--eval", "(package-initialize)", "-l", &script];
    is_mended("emacs", &session("emacs", &timeout, &emacs, &start));
}
