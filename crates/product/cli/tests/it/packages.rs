//! What is in package managers: versions and names agree, crates are packed without what only tests need, and each
//! package works where it is installed from the built file.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::{Command, Output};

use serval_effort::skips;

use crate::architecture::metadata;
use crate::install::{absent, python};
use crate::support::{directory, root, serval, text};

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn cargo(arguments: &[&str]) -> String {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(program).args(arguments).current_dir(root()).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// The version of everything.
fn version() -> String {
    let packages = metadata()["packages"].as_array().unwrap().clone();
    let versions: BTreeSet<&str> = packages.iter().map(|one| one["version"].as_str().unwrap()).collect();
    assert_eq!(versions.len(), 1, "{versions:?}");
    versions.into_iter().next().unwrap().to_owned()
}

#[test]
fn everything_has_one_version() {
    let version = version();
    for package in metadata()["packages"].as_array().unwrap() {
        for one in package["dependencies"].as_array().unwrap().iter().filter(|one| one["path"].is_string()) {
            let asked = one["req"].as_str().unwrap();
            assert!(asked == "*" || asked == format!("^{version}"), "{} asks for {} {asked}", package["name"], one["name"]);
        }
    }
    let table = read("scripts/versions.tsv");
    let rows: Vec<&str> = table.lines().filter(|line| !line.starts_with('#')).collect();
    assert!(rows.len() > 10);
    for row in rows {
        let [file, before, after] = row.split('\t').collect::<Vec<_>>()[..] else { panic!("{row}") };
        let expected = format!("{}{version}{after}", before.replace("\\n", "\n"));
        assert!(read(file).contains(&expected), "{file} has no {expected:?}: scripts/version writes it");
    }
    assert_eq!(text(&serval(&["--version"], b"").stdout), format!("serval {version}\n"));
    assert!(read("CHANGELOG.md").contains(&format!("\n## {version}\n")), "CHANGELOG.md has no section {version}");
}

/// Which commit it is of; a build of tests is of none, and no build knows the time.
#[test]
fn the_version_in_full_names_the_commit() {
    for options in [["--version", "--verbose"], ["-v", "-V"]] {
        let said = text(&serval(&options, b"").stdout);
        let machine = format!("machine  {}-{}\n", std::env::consts::ARCH, std::env::consts::OS);
        assert_eq!(said, format!("serval {}\ncommit   not a release\n{machine}", version()));
    }
}

/// The crates that are published: those that no manifest keeps back.
fn published() -> Vec<String> {
    let packages = metadata()["packages"].as_array().unwrap().clone();
    let is_published = |one: &&serde_json::Value| one["publish"].is_null();
    packages.iter().filter(is_published).map(|one| one["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn crates_are_packed_without_what_only_tests_need() {
    let published = published();
    for name in ["serval-check", "serval-cli", "serval-verify"] {
        assert!(published.iter().any(|one| one == name), "{name}");
    }
    let packages = metadata()["packages"].as_array().unwrap().clone();
    for package in packages.iter().filter(|one| one["publish"].is_null()) {
        let name = package["name"].as_str().unwrap();
        assert!(package["description"].is_string() && package["license"] == "MIT OR Apache-2.0", "{name}");
        for one in package["dependencies"].as_array().unwrap() {
            let is_ours = one["path"].is_string();
            let held_back = is_ours && !published.iter().any(|other| *other == one["name"]);
            // A path without a version is left out when a crate is packed, which cargo does with what only tests need.
            assert!(!held_back || one["kind"] == "dev" && one["req"] == "*", "{name} needs {}, which is not published", one["name"]);
        }
        let folder = PathBuf::from(package["manifest_path"].as_str().unwrap()).parent().unwrap().to_owned();
        let listed = cargo(&["package", "--list", "--allow-dirty", "--offline", "-p", name]);
        assert!(listed.lines().any(|file| file == "src/lib.rs" || file == "src/main.rs"), "{name}: {listed}");
        for file in listed.lines().filter(|file| folder.join(file).is_file()) {
            let allowed = ["src/", "pages/"].iter().any(|start| file.starts_with(start)) || file == "build.rs" || file == "Cargo.toml";
            assert!(allowed && !file.contains("/tests/"), "{name} would be packed with {file}");
            assert!(std::fs::metadata(folder.join(file)).unwrap().len() < 1 << 20, "{name}: {file} is large");
        }
    }
}

#[test]
fn names_of_packages_agree() {
    let named = |path: &str, name: &str| assert!(read(path).contains(name), "{path} does not name {name}");
    named("packages/python/pyproject.toml", "\nname = \"serval-check\"\n");
    named("packages/pytest-serval/pyproject.toml", "\nname = \"pytest-serval\"\n");
    named("packages/npm/package.json", "\"name\": \"serval-wasm\"");
    let crates: BTreeSet<String> = published().into_iter().collect();
    assert!(!crates.contains("serval"), "the registry has another one");
    for page in ["docs/decisions/0017-names.md", "docs/src/installation.md"] {
        for name in ["serval-check", "serval-cli", "serval-verify", "pytest-serval", "serval-wasm"] {
            named(page, name);
        }
    }
}

/// What a program of a package says, or nothing where it has not what it needs, which it tells by its exit status.
fn ran(name: &str, mut command: Command) {
    let Ok(Output { status, stdout, stderr }) = command.output() else { return absent(name) };
    if status.code() == Some(77) {
        return absent(name);
    }
    assert!(status.success(), "{name}: {status}\n{}\n{}", text(&stdout), text(&stderr));
}

/// The folder with both programs.
fn programs() -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_BIN_EXE_serval")).parent().unwrap().to_owned();
    if !folder.join("serval-verify").is_file() {
        cargo(&["build", "--quiet", "--offline", "-p", "serval-verify", "--bin", "serval-verify"]);
    }
    folder
}

#[test]
fn classes_of_python_are_those_of_the_schemas() {
    let mut generate = Command::new(python());
    generate.args(["packages/python/generate", "--check"]).current_dir(root());
    ran("wheel", generate);
}

#[cfg(unix)]
#[test]
fn the_wheel_does_what_its_page_says() {
    if skips("cli.wheel") {
        return;
    }
    let mut test = Command::new(python());
    test.arg(root().join("packages/python/tests/wheel.py")).arg(directory("wheel")).env("SERVAL_PROGRAMS", programs());
    ran("wheel", test);
}

#[cfg(target_os = "linux")]
#[test]
fn the_package_for_debian_is_installed_and_removed() {
    if skips("cli.debian") {
        return;
    }
    let mut test = Command::new(python());
    test.arg(root().join("packages/debian/test")).arg(directory("debian")).env("SERVAL_PROGRAMS", programs());
    ran("dpkg", test);
}

#[cfg(target_os = "linux")]
#[test]
fn the_image_runs_as_its_page_says() {
    if skips("cli.image") {
        return;
    }
    let mut test = Command::new(python());
    test.arg(root().join("packages/image/test")).arg(directory("image")).env("SERVAL_PROGRAMS", programs());
    ran("image", test);
}

#[cfg(target_os = "linux")]
#[test]
fn the_install_script_checks_the_sum() {
    if skips("cli.others") {
        return;
    }
    let mut test = Command::new(python());
    test.arg(root().join("packages/others/test")).arg(directory("others")).env("SERVAL_PROGRAMS", programs());
    ran("wheel", test);
}
