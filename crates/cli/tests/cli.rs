//! What people see: sessions in the documentation and in `cmd/`, executed.

use std::path::Path;

#[test]
fn sessions() {
    // Sessions are written as if typed in the root of the repository.
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::env::set_current_dir(root).unwrap();
    // Sessions that write files write them there, wherever cargo builds.
    std::fs::create_dir_all("target").unwrap();
    trycmd::TestCases::new()
        .default_bin_name("serval")
        // What is shown depends on the terminal; sessions are from this one.
        .env("LC_ALL", "C.UTF-8")
        // Nobody looks at a screen: sentences stay whole.
        .env("COLUMNS", "")
        // Nothing is remembered from one session to the next.
        .env("SERVAL_CACHE_DIR", "")
        .case("README.md")
        .case("docs/src/*.md")
        .case("docs/src/modelling/*.md")
        .case("docs/src/anomalies/*.md")
        .case("crates/cli/tests/cmd/*.trycmd");
}
