//! On WebAssembly, where nothing can be unwound, a raised flag ends the work at every stage with an answer.

use std::path::{Path, PathBuf};
use std::process::Command;

use serval_effort::skips;
use serval_testkit::say;
use serval_testkit::suite::{repository_root, tool};

const TARGET: &str = "wasm32-unknown-unknown";

/// Runs `main` of a module; its status is that of the process.
const SCRIPT: &str = "const bytes = require('fs').readFileSync(process.argv[1]); \
    WebAssembly.instantiate(bytes, {}).then(({instance}) => { process.exitCode = instance.exports.main(0, 0); });";

fn cargo() -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(repository_root());
    cargo
}

/// Whether the compiler has the library of the target.
fn has_target() -> bool {
    let printed = Command::new("rustc").args(["--print", "target-libdir", "--target", TARGET]).current_dir(repository_root()).output();
    printed.is_ok_and(|printed| Path::new(String::from_utf8_lossy(&printed.stdout).trim()).is_dir())
}

/// Builds the module.
fn module() -> PathBuf {
    let built = cargo().args(["build", "--quiet", "--offline", "-p", "serval-wasm", "--target", TARGET]).output().expect("cargo runs");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    // This program is in `deps` of a profile.
    let place = std::env::current_exe().expect("this program has a path");
    place.ancestors().nth(3).expect("it lies in the target folder").join(TARGET).join("debug/cancelled.wasm")
}

#[test]
fn a_raised_flag_ends_reading_and_compiling_with_an_answer() {
    if skips("wasm.cancelled") {
        return;
    }
    let Some(node) = tool("node") else { return };
    if !has_target() {
        let required = std::env::var("SERVAL_REQUIRE").unwrap_or_default();
        assert!(!required.split(',').any(|entry| entry.trim() == "wasm"), "{TARGET}: required, but it is not there");
        say(&format!("{TARGET}: not there, skipped"));
        return;
    }
    let ran = Command::new(node).arg("-e").arg(SCRIPT).arg(module()).output().unwrap();
    assert_eq!(ran.status.code(), Some(0), "{}", String::from_utf8_lossy(&ran.stderr));
}
