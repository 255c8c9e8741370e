//! Finds directories of test data that are not part of the repository.
//!
//! The data lie in `../shared/<name>` seen from the root of the repository,
//! or where `SERVAL_<NAME>` says (`SERVAL_SUITE`, `SERVAL_FAMILIES`,
//! `SERVAL_PETRI`). A test that needs them is skipped with a message where
//! they are absent; `SERVAL_REQUIRE=suite,petri` turns that into a failure,
//! so that a run which must not skip anything cannot do so silently.

use std::path::{Path, PathBuf};

/// The root of the repository.
pub fn repository_root() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.ancestors().nth(3).unwrap_or(manifest).to_path_buf()
}

/// The environment variable that overrides where `name` lies.
pub fn override_variable(name: &str) -> String {
    format!("SERVAL_{}", name.to_uppercase().replace('-', "_"))
}

/// The directory of the data called `name`, or `None`, after saying so, where
/// it is absent.
///
/// # Panics
///
/// Where it is absent and `SERVAL_REQUIRE` lists `name`.
pub fn data_dir(name: &str) -> Option<PathBuf> {
    let given = std::env::var_os(override_variable(name)).map(PathBuf::from);
    let required = std::env::var("SERVAL_REQUIRE").unwrap_or_default();
    let found = locate(name, given, &required);
    if found.is_none() {
        crate::say(&format!("{name}: not there, skipped"));
    }
    found
}

/// The directory of the data called `name`.
///
/// # Panics
///
/// Where it is absent.
pub fn required_dir(name: &str) -> PathBuf {
    let given = std::env::var_os(override_variable(name)).map(PathBuf::from);
    match locate(name, given, name) {
        Some(path) => path,
        None => unreachable!("`locate` has panicked for a required directory"),
    }
}

/// As [`data_dir`], with the environment as arguments.
fn locate(name: &str, given: Option<PathBuf>, required: &str) -> Option<PathBuf> {
    let path = given.unwrap_or_else(|| {
        let root = repository_root();
        root.parent().unwrap_or(&root).join("shared").join(name)
    });
    if path.is_dir() {
        return Some(path);
    }
    let is_required = required.split(',').any(|entry| entry.trim() == name);
    assert!(!is_required, "{name}: required, but {} is not a directory; set {} to where it is", path.display(), override_variable(name));
    None
}

/// A program of this name: where `SERVAL_<NAME>` says, or on the path. `None`,
/// after saying so, where it is absent.
///
/// # Panics
///
/// Where it is absent and `SERVAL_REQUIRE` lists `name`.
pub fn tool(name: &str) -> Option<PathBuf> {
    let given = std::env::var_os(override_variable(name)).map(PathBuf::from);
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let candidates = given.into_iter().chain(std::env::split_paths(&paths).map(|directory| directory.join(name)));
    let found = candidates.into_iter().find(|path| path.is_file());
    if found.is_none() {
        let required = std::env::var("SERVAL_REQUIRE").unwrap_or_default();
        assert!(!required.split(',').any(|entry| entry.trim() == name), "{name}: required, but it is not there");
        crate::say(&format!("{name}: not there, skipped"));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_holds_the_workspace() {
        assert!(repository_root().join("Cargo.toml").is_file());
        assert!(repository_root().join("crates/dev/testkit").is_dir());
    }

    #[test]
    fn a_given_directory_is_taken() {
        let here = repository_root();
        assert_eq!(locate("suite", Some(here.clone()), ""), Some(here));
    }

    #[test]
    fn an_absent_directory_is_skipped() {
        let nowhere = repository_root().join("no-such-directory");
        assert_eq!(locate("suite", Some(nowhere.clone()), ""), None);
        assert_eq!(locate("suite", Some(nowhere), "petri, families"), None);
    }

    #[test]
    #[should_panic(expected = "suite: required, but")]
    fn an_absent_required_directory_fails() {
        locate("suite", Some(repository_root().join("no-such-directory")), "petri, suite");
    }

    #[test]
    fn overrides_are_named_after_the_data() {
        assert_eq!(override_variable("families"), "SERVAL_FAMILIES");
        assert_eq!(override_variable("pg-isolation"), "SERVAL_PG_ISOLATION");
    }
}
