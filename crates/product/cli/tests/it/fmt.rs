//! `serval fmt`: what it writes, and what it leaves alone.

use std::fs;
use std::path::Path;

use crate::support::{directory, serval, text};

const UNTIDY: &str = "request buy{\n    X:=1;yield;X // bought\n}\n";
const TIDY: &str = "request buy {\n  X := 1;\n  yield;\n  X // bought\n}\n";
const MISTAKEN: &str = "request buy{ X = 1 }";

fn fmt(arguments: &[&str], input: &str) -> (Option<i32>, String, String) {
    let output = serval(&[&["fmt"], arguments].concat(), input.as_bytes());
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

fn name(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn files_are_written_in_place() {
    let place = directory("fmt-in-place");
    let (untidy, tidy, below) = (place.join("untidy.ser"), place.join("tidy.ser"), place.join("below"));
    fs::create_dir(&below).unwrap();
    fs::write(&untidy, UNTIDY).unwrap();
    fs::write(&tidy, TIDY).unwrap();
    fs::write(below.join("again.ser"), UNTIDY).unwrap();
    fs::write(place.join("other.txt"), UNTIDY).unwrap();
    fs::write(place.join("system.json"), "{ }").unwrap();
    let before = fs::metadata(&tidy).unwrap().modified().unwrap();
    let (status, out, told) = fmt(&[name(&place)], "");
    assert_eq!((status, out.as_str()), (Some(0), ""), "{told}");
    assert_eq!(told, format!("formatted {}\nformatted {}\n", name(&below.join("again.ser")), name(&untidy)));
    assert_eq!(fs::read_to_string(&untidy).unwrap(), TIDY);
    assert_eq!(fs::read_to_string(below.join("again.ser")).unwrap(), TIDY);
    assert_eq!(fs::read_to_string(place.join("other.txt")).unwrap(), UNTIDY);
    assert_eq!(fs::metadata(&tidy).unwrap().modified().unwrap(), before, "what does not change is not written");
    assert_eq!(fs::read_dir(&place).unwrap().count(), 5, "nothing is left behind");
    assert_eq!(fmt(&["--check", name(&place)], ""), (Some(0), String::new(), String::new()));
}

#[test]
fn check_and_diff_write_nothing() {
    let place = directory("fmt-check");
    let file = place.join("untidy.ser");
    fs::write(&file, UNTIDY).unwrap();
    assert_eq!(fmt(&["--check", name(&file)], ""), (Some(1), format!("would change {}\n", name(&file)), String::new()));
    assert_eq!(fmt(&["--check", "-q", name(&file)], ""), (Some(1), String::new(), String::new()));
    let (status, out, _) = fmt(&["--diff", name(&file)], "");
    assert_eq!(status, Some(0));
    assert!(out.starts_with(&format!("--- {}\n+++ {}\n@@ -1,3 +1,5 @@\n-request buy{{\n", name(&file), name(&file))), "{out}");
    assert_eq!(fmt(&["--diff", "--check", name(&file)], ""), (Some(1), out, String::new()));
    assert_eq!(fs::read_to_string(&file).unwrap(), UNTIDY);
    assert_eq!(fmt(&["-q", name(&file)], ""), (Some(0), String::new(), String::new()));
    assert_eq!(fs::read_to_string(&file).unwrap(), TIDY);
}

#[test]
fn standard_input_goes_to_standard_output() {
    assert_eq!(fmt(&["-"], UNTIDY), (Some(0), TIDY.to_owned(), String::new()));
    assert_eq!(fmt(&["-"], TIDY), (Some(0), TIDY.to_owned(), String::new()));
    assert_eq!(fmt(&["-", "--check"], TIDY), (Some(0), String::new(), String::new()));
    assert_eq!(fmt(&["-", "--check"], UNTIDY), (Some(1), "would change <stdin>\n".to_owned(), String::new()));
    let (status, out, told) = fmt(&["-"], MISTAKEN);
    assert_eq!((status, out.as_str()), (Some(2), ""));
    assert!(told.contains("error[E0112]") && told.contains("<stdin>:1:16"), "{told}");
}

#[test]
fn a_file_with_mistakes_is_left_alone_and_others_are_not() {
    let place = directory("fmt-mistaken");
    let (bad, good, bytes) = (place.join("a-bad.ser"), place.join("b-good.ser"), place.join("c-bytes.ser"));
    fs::write(&bad, MISTAKEN).unwrap();
    fs::write(&good, UNTIDY).unwrap();
    fs::write(&bytes, b"X := \xff").unwrap();
    let (status, _, told) = fmt(&[name(&place)], "");
    assert_eq!(status, Some(2));
    assert!(told.contains("error[E0112]") && told.contains("error[E0501]"), "{told}");
    assert!(told.contains(&format!("formatted {}\n", name(&good))), "{told}");
    assert_eq!(fs::read_to_string(&bad).unwrap(), MISTAKEN);
    assert_eq!(fs::read(&bytes).unwrap(), b"X := \xff");
    assert_eq!(fs::read_to_string(&good).unwrap(), TIDY);
    // The same words as those of `check`.
    let checked = serval(&["check", name(&bad)], b"");
    assert_eq!(fmt(&[name(&bad)], "").2, text(&checked.stderr));
}

#[test]
fn settings_are_those_of_the_nearest_file() {
    let place = directory("fmt-settings");
    let below = place.join("below/deep");
    fs::create_dir_all(&below).unwrap();
    fs::write(place.join("serval.toml"), "[format]\nindent = 4\n").unwrap();
    fs::write(place.join("below/serval.toml"), "allow = [\"W0203\"]\nformat.indent = 1\n").unwrap();
    for file in [place.join("a.ser"), below.join("a.ser")] {
        fs::write(&file, UNTIDY).unwrap();
        assert_eq!(fmt(&[name(&file)], "").0, Some(0));
    }
    assert!(fs::read_to_string(place.join("a.ser")).unwrap().contains("\n    X := 1;\n"));
    assert!(fs::read_to_string(below.join("a.ser")).unwrap().contains("\n X := 1;\n"));
}

#[test]
fn bad_settings_are_told_once_and_nothing_is_written() {
    let place = directory("fmt-bad-settings");
    for file in ["a.ser", "b.ser"] {
        fs::write(place.join(file), UNTIDY).unwrap();
    }
    for (settings, message, line) in [
        ("[format]\nindent = 99\n", "indent cannot be 99", ":2:10"),
        ("[format]\nident = 4\n", "there is no setting `ident`", ":2:1"),
        ("allow = \"W0203\"\n", "allow cannot be the text", ":1:9"),
        ("allow = [\"W0200\"]\n", "there is no warning W0200", ":1:10"),
        ("[format\n", "", ":1:"),
    ] {
        fs::write(place.join("serval.toml"), settings).unwrap();
        let (status, out, told) = fmt(&[name(&place)], "");
        assert_eq!((status, out.as_str()), (Some(2), ""), "{settings}");
        assert_eq!(told.matches("error[E0504]").count(), 1, "{told}");
        assert!(told.contains(message) && told.contains(&format!("serval.toml{line}")), "{settings}\n{told}");
        assert_eq!(fs::read_to_string(place.join("a.ser")).unwrap(), UNTIDY);
    }
}

#[cfg(unix)]
#[test]
fn permissions_and_links_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let place = directory("fmt-permissions");
    let (file, link) = (place.join("a.ser"), place.join("link.ser"));
    fs::write(&file, UNTIDY).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o750)).unwrap();
    symlink("a.ser", &link).unwrap();
    assert_eq!(fmt(&[name(&link)], "").0, Some(0));
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read_to_string(&file).unwrap(), TIDY);
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o750);
    fs::write(&file, UNTIDY).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o444)).unwrap();
    let (status, _, told) = fmt(&[name(&file)], "");
    assert_eq!(status, Some(2));
    assert!(told.contains("read-only"), "{told}");
    assert_eq!(fs::read_to_string(&file).unwrap(), UNTIDY);
}

#[test]
fn examples_are_formatted() {
    assert_eq!(fmt(&["--check", "examples"], ""), (Some(0), String::new(), String::new()));
}
