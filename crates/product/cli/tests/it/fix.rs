//! `serval fix`: what is written, and what is changed.

use serde_json::Value;

use crate::schema;
use crate::support::{directory, root, serval, text};

const LOST: &str = "request save {\n  seen := N;\n  yield;\n  N := (seen + 1) % 3;\n  seen\n}\n";

fn json(arguments: &[&str], input: &str) -> (Value, Option<i32>) {
    let output = serval(&[&["fix", "--format", "json"], arguments].concat(), input.as_bytes());
    let line = text(&output.stdout);
    let report: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}{}", text(&output.stderr)));
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(root().join("docs/fix.schema.json")).unwrap()).unwrap();
    schema::fits(&report, &schema, &schema, "fix");
    (report, output.status.code())
}

#[test]
fn a_fix_can_be_applied() {
    let path = directory("fix-apply").join("save.ser");
    std::fs::write(&path, LOST).unwrap();
    let name = path.to_str().unwrap();
    let output = serval(&["fix", name, "--apply", "4"], b"");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("there is no fix 4; there are 3"), "{}", text(&output.stderr));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), LOST);
    assert_eq!(serval(&["fix", name, "--apply", "3"], b"").status.code(), Some(0));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), LOST.replace("  yield;\n", ""));
    let (report, status) = json(&[name], "");
    assert_eq!((report["verdict"].as_str(), report["fix"].as_str(), status), (Some("serializable"), Some("not-needed"), Some(0)));
    // Nothing is left beside the file.
    assert_eq!(std::fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
}

#[test]
fn machines_get_one_object() {
    let (report, status) = json(&["-", "--input", "ser"], LOST);
    assert_eq!(status, Some(0));
    assert_eq!(report["fixes"][2]["yields"], serde_json::json!([[3, 3]]));
    assert_eq!((&report["fixes"][0]["kind"], &report["fixes"][1]["kind"]), (&"check-again".into(), &"claim-first".into()));
    assert_eq!(report["fixes"][0]["verified"], true);
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(root().join("docs/fix.schema.json")).unwrap()).unwrap();
    for (report, wanted) in [(report, 0), (json(&["examples/rendezvous.ser"], "").0, 1)] {
        for key in schema["required"].as_array().unwrap() {
            assert!(report.get(key.as_str().unwrap()).is_some(), "{key} {report}");
        }
        for (key, value) in report.as_object().unwrap() {
            let property = schema["properties"].get(key).unwrap_or_else(|| panic!("{key} is not in the schema"));
            assert!(property.get("enum").is_none_or(|allowed| allowed.as_array().unwrap().contains(value)), "{key}: {value}");
        }
        assert_eq!(report["fixes"].as_array().unwrap().is_empty(), wanted == 1);
    }
}

#[test]
fn statuses_are_as_promised() {
    let status = |arguments: &[&str], input: &str| serval(&[&["fix"], arguments].concat(), input.as_bytes()).status.code();
    assert_eq!(status(&["examples/spin-lock.ser"], ""), Some(0));
    assert_eq!(status(&["examples/lost-update.ser"], ""), Some(0));
    assert_eq!(status(&["examples/rendezvous.ser"], ""), Some(1));
    assert_eq!(status(&["examples/print-spooler.json"], ""), Some(2));
    assert_eq!(status(&["no-such-file.ser"], ""), Some(2));
    assert_eq!(status(&["-", "--input", "ser"], "request a { X = 1 }"), Some(2));
    assert_eq!(status(&["-", "--input", "ser", "--apply", "1"], LOST), Some(2));
    assert_eq!(status(&["examples/ticket-lock.ser", "--timeout", "0.000001"], ""), Some(3));
}

#[test]
fn a_lock_can_be_asked_for() {
    let (report, status) = json(&["-", "--input", "ser", "--lock", "MUTEX"], LOST);
    assert_eq!(status, Some(0));
    assert_eq!((&report["fixes"][0]["lock"], &report["fixes"][0]["requests"]), (&"MUTEX".into(), &serde_json::json!(["save"])));
    assert!(report["fixes"][0]["diff"].as_str().unwrap().contains("+  lock(MUTEX);\n"));
    let (report, status) = json(&["examples/rendezvous.ser", "--lock", "MUTEX"], "");
    assert_eq!((report["fix"].as_str(), status), (Some("none"), Some(1)));
    for (name, words) in [("mutex", "capital letter"), ("N", "used in the program already"), ("", "is not a name")] {
        let output = serval(&["fix", "-", "--input", "ser", "--lock", name], LOST.as_bytes());
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains(words), "{}", text(&output.stderr));
    }
}

/// A file keeps who may read it and whose it is; a link stays one, and it is
/// said what was written.
#[cfg(unix)]
#[test]
fn mode_owner_and_links_stay() {
    use std::fs;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
    let place = directory("fix-mode");
    let (file, link, other) = (place.join("save.ser"), place.join("link.ser"), place.join("other.ser"));
    symlink("save.ser", &link).unwrap();
    symlink("nowhere.ser", &other).unwrap();
    // Only root may give files away.
    fs::write(&file, LOST).unwrap();
    let root = chown(&file, Some(4321), Some(8765)).is_ok();
    for mode in [0o640, 0o600, 0o664, 0o755] {
        for path in [&file, &link] {
            fs::write(&file, LOST).unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
            let before = fs::metadata(&file).unwrap();
            let output = serval(&["fix", path.to_str().unwrap(), "--apply", "3"], b"");
            let told = text(&output.stderr);
            assert_eq!(output.status.code(), Some(0), "{told}");
            assert_eq!(fs::read_to_string(&file).unwrap(), LOST.replace("  yield;\n", ""));
            let after = fs::metadata(&file).unwrap();
            assert_eq!(after.mode(), before.mode(), "{mode:o}");
            assert_eq!((after.uid(), after.gid()), (before.uid(), before.gid()));
            assert!(!root || after.uid() == 4321);
            assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
            let through = format!("through the link to {}", file.canonicalize().unwrap().display());
            assert_eq!(told.contains(&through), path == &link, "{told}");
        }
    }
    // What is read-only stays as it is.
    fs::write(&file, LOST).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o440)).unwrap();
    let output = serval(&["fix", link.to_str().unwrap(), "--apply", "1"], b"");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("it is read-only"), "{}", text(&output.stderr));
    assert_eq!(fs::read_to_string(&file).unwrap(), LOST);
    // Nothing is left beside it, and a link that leads nowhere is not replaced.
    assert_eq!(fs::read_dir(&place).unwrap().count(), 3);
    let output = serval(&["check", link.to_str().unwrap(), "--no-fix", "--certificate", other.to_str().unwrap()], b"");
    assert!(text(&output.stderr).contains("it is a link that leads nowhere"), "{}", text(&output.stderr));
    assert!(fs::symlink_metadata(&other).unwrap().is_symlink());
}

/// What is written is formatted where the file was, and what has to stay does, by a comment or by an option.
#[test]
fn what_is_written_is_formatted_and_keeps_what_has_to_stay() {
    let path = directory("fix-keep").join("save.ser");
    let name = path.to_str().unwrap();
    for (program, options) in [(LOST.to_owned(), vec!["--keep", "3"]), (LOST.replace("yield;", "yield; // keep: the mail"), vec![])] {
        for number in ["1", "2", "3"] {
            std::fs::write(&path, &program).unwrap();
            let output = serval(&[&["fix", name, "--apply", number], options.as_slice()].concat(), b"");
            assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
            let now = std::fs::read_to_string(&path).unwrap();
            assert!(now != program && now.contains("yield"), "{now}");
            assert_eq!(serval(&["fmt", "--check", name], b"").status.code(), Some(0), "{now}");
            assert_eq!(serval(&["check", name, "--no-cache"], b"").status.code(), Some(0), "{now}");
        }
    }
    std::fs::write(&path, LOST).unwrap();
    let output = serval(&["fix", name, "--keep", "4"], b"");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("there is no `yield` on line 4"), "{}", text(&output.stderr));
    let output = serval(&["check", name, "--keep", "3", "--no-cache"], b"");
    assert!(!text(&output.stdout).contains("without the yield"), "{}", text(&output.stdout));
}

/// What `check` says beside a counterexample is what `fix` offers first.
#[test]
fn the_hint_of_check_and_fix_agree() {
    let two = "request save {\n  seen := N;\n  yield;\n  N := (seen + 1) % 3;\n  yield;\n  seen\n}\n";
    for program in [LOST, two] {
        let (fixed, _) = json(&["-"], program);
        let output = serval(&["check", "-", "--format", "json", "--no-times"], program.as_bytes());
        let checked: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((&checked["fix"]["outcome"], &fixed["fix"]), (&Value::from("found"), &Value::from("found")));
        let fixes = fixed["fixes"].as_array().unwrap();
        let kinds = |list: &Value| list.as_array().unwrap().iter().filter_map(|one| one.get("kind").cloned()).collect::<Vec<_>>();
        assert_eq!(kinds(&checked["fix"]["kept"]), kinds(&fixed["fixes"]), "{program}");
        assert_eq!(checked["fix"]["alternatives"][0], fixes.last().unwrap()["yields"], "{program}");
        assert_eq!(checked["fix"]["smallest"], fixed["smallest"], "{program}");
    }
}
