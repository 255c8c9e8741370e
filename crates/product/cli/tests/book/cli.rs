//! What people see: sessions in the documentation and in `cmd/`, executed. The sessions of a file follow one another,
//! and files are executed side by side.

use serval_effort::skips;

use crate::support::root;

/// Executes the sessions of all these files.
fn sessions(files: &[&str]) {
    // Sessions are written as if typed in the root of the repository. That is the same directory for all tests here,
    // and no other test of this program depends on where it is.
    std::env::set_current_dir(root()).unwrap();
    // Sessions that write files write them there, wherever cargo builds.
    std::fs::create_dir_all("target").unwrap();
    let cases = trycmd::TestCases::new();
    cases
        .default_bin_name("serval")
        // What is shown depends on the terminal; sessions are from this one.
        .env("LC_ALL", "C.UTF-8")
        // Sentences stay whole where there is no screen.
        .env("COLUMNS", "")
        // Nothing is remembered from one session to the next.
        .env("SERVAL_CACHE_DIR", "");
    for files in files {
        cases.case(files);
    }
    cases.run();
}

#[test]
fn sessions_of_the_commands() {
    sessions(&["crates/product/cli/tests/cmd/*.trycmd"]);
}

#[test]
fn sessions_of_readme_and_book() {
    if !skips("cli.sessions") {
        sessions(&["README.md", "docs/src/*.md"]);
    }
}

#[test]
fn sessions_of_modelling_and_anomalies() {
    if !skips("cli.sessions") {
        sessions(&["docs/src/modelling/*.md", "docs/src/anomalies/*.md"]);
    }
}
