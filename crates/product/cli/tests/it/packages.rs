//! What is in package managers: versions and names agree, crates are packed without what only tests need, and each
//! package works where it is installed from the built file.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::{Command, Output};

use serval_effort::skips;
use serval_testkit::say;

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
    named("README.md", "`pip install serval-check`");
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

/// A clone of what is committed here, where this is a clone with a history itself.
fn clone(name: &str) -> Option<PathBuf> {
    let asked = Command::new("git").args(["-c", "safe.directory=*", "rev-parse", "HEAD"]).current_dir(root()).output();
    if !asked.is_ok_and(|output| output.status.success()) {
        say("git: not there, skipped");
        return None;
    }
    let place = directory(name).join("serval");
    let there = place.display().to_string();
    git(&root(), &["clone", "--quiet", "--no-tags", "--no-hardlinks", ".", &there]);
    Some(place)
}

fn git(place: &std::path::Path, arguments: &[&str]) {
    let who = ["-c", "user.name=serval", "-c", "user.email=serval@localhost", "-c", "safe.directory=*"];
    let output = Command::new("git").args(who).args(arguments).current_dir(place).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
}

/// What is not ready is refused before anything is built, and nothing of it is left.
#[cfg(target_os = "linux")]
#[test]
fn a_release_is_refused_where_something_is_missing() {
    if Command::new(python()).arg("--version").output().is_err() {
        return absent("wheel");
    }
    let Some(place) = clone("release") else { return };
    let version = version();
    let release = |version: &str, more: &[&str]| {
        let mut script = Command::new(python());
        script.arg("scripts/release").arg(version).args(more).current_dir(&place).env("SERVAL_PROGRAMS", "").env("SERVAL_LEVEL", "1");
        script.output().unwrap()
    };
    let refused = |version: &str, more: &[&str], words: &str| {
        let output = release(version, more);
        let said = text(&output.stderr);
        assert!(output.status.code() == Some(1) && said.contains(words), "{words}: {said}");
        let names = std::fs::read_dir(&place).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let left: Vec<String> = names.filter(|name| name.contains("dist")).collect();
        assert!(left.is_empty(), "{left:?}");
    };
    refused("9.9.9", &[], &format!("the manifests have {version}"));
    refused(&version, &["--tagged"], "is no tag of this commit");
    std::fs::write(place.join("new"), "").unwrap();
    refused(&version, &[], "the tree has changes");
    std::fs::remove_file(place.join("new")).unwrap();
    // A folder that cannot be made.
    let programs = programs().display().to_string();
    refused(&version, &["--only", "programs", "--programs", &programs, "--out", "README.md/dist"], "README.md");
    // No room: a release that was there stays as it was, and nothing lies beside it.
    let full = place.join("../full");
    std::fs::create_dir_all(full.join("dist")).unwrap();
    std::fs::write(full.join("dist/before"), "").unwrap();
    let script = "ulimit -f 1000; exec \"$0\" scripts/release \"$@\" --only programs --out ../full/dist";
    let mut limited = Command::new("sh");
    limited.args(["-c", script]).arg(python()).args([&version, "--programs", &programs]).current_dir(&place).env("SERVAL_LEVEL", "1");
    let output = limited.output().unwrap();
    let said = text(&output.stderr);
    assert!(output.status.code() == Some(1) && said.contains(".tar.gz: File too large") && !said.contains("Traceback"), "{said}");
    let left: Vec<PathBuf> = std::fs::read_dir(&full).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(left, [full.join("dist")]);
    assert!(full.join("dist/before").is_file());
    git(&place, &["tag", &format!("v{version}")]);
    refused(&version, &[], "is there already");
    // With the tag, and with programs that are there, it is made.
    let output = release(&version, &["--only", "programs", "--programs", &programs, "--tagged", "--out", "../dist"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let made = place.join("../dist");
    let manifest: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(made.join("manifest.json")).unwrap()).unwrap();
    assert_eq!(manifest["version"], version.as_str());
    let sums = std::fs::read_to_string(made.join("SHA256SUMS")).unwrap();
    assert_eq!(sums.lines().count(), manifest["files"].as_array().unwrap().len());
    let change = std::fs::read_to_string(place.join("CHANGELOG.md")).unwrap().replace(&format!("\n## {version}\n"), "\n## none\n");
    std::fs::write(place.join("CHANGELOG.md"), change).unwrap();
    git(&place, &["commit", "--quiet", "--all", "-m", "no section"]);
    refused(&version, &[], "has no section");
    std::fs::remove_dir_all(directory("release")).unwrap();
}

/// The matrix for GitHub calls the script with options that it has, and publishes nothing.
#[test]
fn the_matrix_for_releases_calls_the_script() {
    let (matrix, script) = (read("contrib/github/release.yml"), read("scripts/release"));
    let line = matrix.lines().find(|line| line.contains("python3 scripts/release")).unwrap();
    for option in line.split_whitespace().filter(|word| word.starts_with("--")) {
        assert!(script.contains(&format!("\"{option}\"")), "{option}");
    }
    for machine in ["ubuntu-24.04", "ubuntu-24.04-arm", "macos-14", "windows-2022"] {
        assert!(matrix.contains(&format!("machine: {machine},")), "{machine}");
    }
    assert!(["publish", "twine", "gh release"].iter().all(|word| !matrix.contains(&format!("run: {word}"))));
    // What people write is never part of a script.
    assert!(!matrix.split("run: ").skip(1).any(|block| block.lines().take(4).any(|line| line.contains("${{"))), "{matrix}");
}
