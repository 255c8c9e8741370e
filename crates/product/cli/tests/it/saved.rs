//! What is written for several files: each has a name of its own, and what cannot be written costs no other file.

use std::fs;
use std::process::Command;

use crate::support::{command, directory, text};

const FINE: &str = "request flip { X := 1 - X }\n";

/// Files of a directory, in order.
fn listed(directory: &std::path::Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn files_whose_names_look_alike_have_evidence_of_their_own() {
    let place = directory("alike");
    fs::create_dir_all(place.join("a")).unwrap();
    fs::write(place.join("a/b.ser"), FINE).unwrap();
    fs::write(place.join("a_b.ser"), "request flop { Y := 1 - Y }\n").unwrap();
    let call =
        ["check", "a/b.ser", "a_b.ser", "--certificate", "proofs", "--html", "pages", "--format", "json", "--no-times", "--no-cache"];
    let output = command(&call).current_dir(&place).output().unwrap();
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()));
    assert_eq!(listed(&place.join("proofs")), ["a_b.ser-2.certificate.json", "a_b.ser.certificate.json"]);
    assert_eq!(listed(&place.join("pages")), ["a_b.ser-2.html", "a_b.ser.html", "index.html"]);
    let index = fs::read_to_string(place.join("pages/index.html")).unwrap();
    assert!(index.contains("a_b.ser-2.html"), "{index}");
    // Reports name the right ones, and each fits its own file alone.
    for (file, line) in ["a/b.ser", "a_b.ser"].into_iter().zip(text(&output.stdout).lines()) {
        let report: serde_json::Value = serde_json::from_str(line).unwrap();
        let path = report["certificate"]["path"].as_str().unwrap();
        let verified = command(&["verify", file, path]).current_dir(&place).output().unwrap();
        assert_eq!(verified.status.code(), Some(0), "{file} {path}: {}", text(&verified.stderr));
    }
    fs::remove_dir_all(place).unwrap();
}

#[test]
fn what_cannot_be_written_costs_no_other_file() {
    let place = directory("unwritten");
    fs::write(place.join("a.ser"), FINE).unwrap();
    fs::write(place.join("b.ser"), FINE).unwrap();
    // In the way of one certificate there is a directory.
    fs::create_dir_all(place.join("proofs/a.ser.certificate.json")).unwrap();
    let call = ["check", "a.ser", "b.ser", "--certificate", "proofs", "--no-times", "--no-cache", "-q"];
    let output = command(&call).current_dir(&place).output().unwrap();
    let (said, told) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(said.lines().count(), 2, "{said}");
    assert!(said.lines().all(|line| line.contains("serializable")), "{said}");
    assert_eq!(told.lines().count(), 1, "{told}");
    assert!(told.contains("cannot write proofs/a.ser.certificate.json"), "{told}");
    assert_eq!(output.status.code(), Some(2));
    assert!(place.join("proofs/b.ser.certificate.json").is_file());
    fs::remove_dir_all(place).unwrap();
}

/// What packages and the action install is the program.
#[test]
fn what_is_shipped_is_the_program() {
    let root = serval_testkit::suite::repository_root();
    let manifest = fs::read_to_string(root.join("crates/product/cli/Cargo.toml")).unwrap();
    let package = manifest.lines().find_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"')).unwrap();
    assert!(manifest.contains("[[bin]]\nname = \"serval\""), "{manifest}");
    let action = fs::read_to_string(root.join("action.yml")).unwrap();
    let installs: Vec<&str> = action.lines().filter(|line| line.contains("cargo install")).collect();
    assert!(installs.len() == 2 && installs.iter().all(|line| line.contains("--profile dist")), "{installs:?}");
    assert!(installs[0].trim_end().ends_with(package), "{installs:?}");
    assert!(installs[1].contains("--path crates/product/cli"), "{installs:?}");
    // The script runs with a cargo that writes down what it is to build: the whole would take minutes.
    let place = directory("static");
    let (cargo, asked) = (place.join("cargo"), place.join("asked"));
    fs::write(&cargo, "#!/bin/sh\nprintf '%s ' \"$@\" >\"$ASKED\"\necho \"{\\\"executable\\\":\\\"$BUILT\\\"}\"\n").unwrap();
    let mut runs = fs::metadata(&cargo).unwrap().permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut runs, 0o755);
    fs::set_permissions(&cargo, runs).unwrap();
    let path = format!("{}:{}", place.display(), std::env::var("PATH").unwrap());
    let mut script = Command::new(root.join("scripts/static"));
    let output = script.env("PATH", path).env("ASKED", &asked).env("BUILT", &cargo).output().unwrap();
    assert_eq!(text(&output.stdout).trim(), cargo.to_str().unwrap(), "{}", text(&output.stderr));
    let asked = fs::read_to_string(asked).unwrap();
    assert!(asked.contains(&format!("--package {package} --bin serval ")) && asked.contains("--profile dist"), "{asked}");
    let mut metadata = Command::new(env!("CARGO"));
    metadata.args(["metadata", "--no-deps", "--offline", "--format-version", "1"]).current_dir(&root);
    let metadata: serde_json::Value = serde_json::from_slice(&metadata.output().unwrap().stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let shipped = packages.iter().find(|one| one["name"] == package).unwrap();
    let programs = shipped["targets"].as_array().unwrap().iter().filter(|one| one["kind"][0] == "bin" && one["name"] == "serval");
    assert_eq!(programs.count(), 1, "{shipped}");
    fs::remove_dir_all(place).unwrap();
}
