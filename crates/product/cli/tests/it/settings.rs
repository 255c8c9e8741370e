//! Defaults of `serval check` in `serval.toml`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use crate::support::{command, directory, text};

const SERIALIZABLE: &str = "request a { X := 1 - X }\n";
const NOT: &str = "request a { y := X; yield; X := 1 - y }\n";

/// A directory with programs and settings.
fn place(name: &str, settings: &str) -> PathBuf {
    let place = directory(&format!("settings-{name}"));
    fs::write(place.join("good.ser"), SERIALIZABLE).unwrap();
    fs::write(place.join("bad.ser"), NOT).unwrap();
    fs::write(place.join("serval.toml"), settings).unwrap();
    place
}

/// Runs `serval check` in a directory.
fn check(place: &Path, arguments: &[&str]) -> Output {
    command(&[&["check"], arguments].concat()).current_dir(place).stdin(Stdio::null()).output().unwrap()
}

fn status(place: &Path, arguments: &[&str]) -> Option<i32> {
    check(place, arguments).status.code()
}

#[test]
fn every_default_is_in_force_and_the_command_line_goes_before_it() {
    let with = |settings: &str| place("defaults", &format!("[check]\n{settings}\n"));
    let out = |place: &Path, arguments: &[&str]| text(&check(place, arguments).stdout);

    let format = with("format = \"json\"");
    assert!(out(&format, &["good.ser"]).starts_with("{\"schema\":1"));
    assert!(out(&format, &["good.ser", "--format", "text"]).starts_with("serializable, also in real time  good.ser"));

    let exit = with("exit-zero = true");
    assert_eq!(status(&exit, &["bad.ser"]), Some(0));
    assert_eq!(status(&exit, &["bad.ser", "--exit-zero=false"]), Some(1));
    assert_eq!(status(&with("exit-zero = false"), &["bad.ser", "--exit-zero"]), Some(0));

    let times = with("no-times = true\nformat = \"json\"");
    assert!(!out(&times, &["good.ser"]).contains("time_ms"));
    assert!(out(&times, &["good.ser", "--no-times=false"]).contains("time_ms"));

    let method = with("method = \"search\"\ntimeout = 0.1");
    assert_eq!(status(&method, &["good.ser"]), Some(3));
    assert_eq!(status(&method, &["good.ser", "--method", "auto", "--timeout", "3600"]), Some(0));
    assert_eq!(status(&with("method = [\"search\", \"flow\"]"), &["good.ser"]), Some(0));
    assert_eq!(status(&with("method = \"classic\""), &["good.ser", "--no-slice"]), Some(0));

    let timeout = with("timeout = 0.01\nmethod = \"reduce\"");
    fs::write(timeout.join("large.ser"), serval_families::Family::named("counter").unwrap().program(20_000)).unwrap();
    assert_eq!(status(&timeout, &["large.ser"]), Some(3));
    assert_eq!(status(&timeout, &["large.ser", "--timeout", "3600"]), Some(0));

    let colour = with("color = \"always\"");
    fs::write(colour.join("mistake.ser"), "request {").unwrap();
    assert!(text(&check(&colour, &["mistake.ser"]).stderr).contains('\x1b'));
    assert!(!text(&check(&colour, &["mistake.ser", "--color", "never"]).stderr).contains('\x1b'));
    let output = command(&["--color", "never", "check", "mistake.ser"]).current_dir(&colour).stdin(Stdio::null()).output().unwrap();
    assert!(!text(&output.stderr).contains('\x1b'));

    // Their effects cannot be seen from outside; that they are understood can.
    assert_eq!(status(&with("jobs = 3\nmemory = 512"), &["good.ser"]), Some(0));

    let cache = with("cache = false");
    let remembered = cache.join("cache");
    let call = |more: &[&str]| {
        let arguments = [&["check", "good.ser"], more].concat();
        let output = command(&arguments).env("SERVAL_CACHE_DIR", &remembered).current_dir(&cache).stdin(Stdio::null()).output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        remembered.exists()
    };
    assert!(!call(&[]));
    assert!(call(&["--no-cache=false"]));
}

#[test]
fn programs_have_their_own_settings_and_the_call_has_the_common_ones() {
    let place = place("common", "[check]\nformat = \"json\"\nno-times = true\nmethod = \"flow\"\n");
    for (name, settings) in
        [("one", "[check]\nmethod = \"search\"\nformat = \"text\"\n"), ("two", "[check]\nmethod = \"reduce\"\nexit-zero = true\n")]
    {
        fs::create_dir(place.join(name)).unwrap();
        fs::write(place.join(name).join("a.ser"), if name == "one" { NOT } else { SERIALIZABLE }).unwrap();
        fs::write(place.join(name).join("serval.toml"), settings).unwrap();
    }
    for inputs in [&["one", "two", "good.ser"][..], &["one/a.ser", "two/../two/a.ser", "good.ser"]] {
        let output = check(&place, inputs);
        // Neither the format of one nor the status of the other.
        assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
        let told = text(&output.stdout);
        let lines: Vec<&str> = told.lines().collect();
        for (line, method) in lines.iter().zip(["search", "reduce", "flow"]) {
            assert!(line.contains(&format!("\"method\":\"{method}\"")), "{line}");
        }
        assert_eq!(lines.len(), 3);
    }
    // With one input everything is as its own file says, wherever it is called.
    assert!(text(&check(&place, &["one"]).stdout).starts_with("not serializable"));
    assert!(text(&check(&place.join("two"), &["../one/a.ser"]).stdout).starts_with("not serializable"));
    assert_eq!(status(&place, &["two/a.ser", "--method", "search", "--timeout", "0.1"]), Some(0));
    // For standard input it is the current directory.
    let output = command(&["check", "-", "--input", "ser"]).current_dir(place.join("one")).stdin(Stdio::null()).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "the empty program");
}

#[test]
fn what_is_not_understood_has_a_place_and_a_suggestion() {
    for (settings, at, message, help) in [
        ("tiemout = 5", "1:1", "there is no setting `tiemout`", "did you mean `timeout`"),
        ("timeout = 5", "1:1", "there is no setting `timeout`", "did you mean `timeout` below `[check]`?"),
        ("[check]\ntiemout = 5", "2:1", "there is no setting `tiemout` below `[check]`", "did you mean `timeout`?"),
        ("[check]\nexit_zero = true", "2:1", "there is no setting `exit_zero` below `[check]`", "did you mean `exit-zero`?"),
        ("[check]\nallow = []", "2:1", "there is no setting `allow` below `[check]`", "at the top of the file"),
        ("[chekc]\njobs = 1", "1:2", "there is no setting `chekc`", "did you mean `check`?"),
        ("[check]\nzzzzzz = 1", "2:1", "there is no setting `zzzzzz`", "remove it"),
        ("check = 1", "1:9", "check cannot be 1", "write `[check]`"),
        ("[check]\ntimeout = 0", "2:11", "timeout cannot be 0", "timeout = 60"),
        ("[check]\ntimeout = -1.5", "2:11", "timeout cannot be -1.5", "timeout = 60"),
        ("[check]\ntimeout = nan", "2:11", "timeout cannot be nan", "timeout = 60"),
        ("[check]\ntimeout = inf", "2:11", "timeout cannot be inf", "timeout = 60"),
        ("[check]\ntimeout = \"60\"", "2:11", "timeout cannot be the text \"60\"", "timeout = 60"),
        ("[check]\nmemory = 31", "2:10", "memory cannot be 31", "choose one of these numbers"),
        ("[check]\njobs = 0", "2:8", "jobs cannot be 0", "choose one of these numbers"),
        ("[check]\njobs = 1025", "2:8", "jobs cannot be 1025", "choose one of these numbers"),
        ("[check]\njobs = 99999999999999999999", "2:8", "", ""),
        ("[check]\nmethod = \"serach\"", "2:10", "method cannot be the text \"serach\"", "did you mean \"search\"?"),
        ("[check]\nmethod = [\"flow\", 3]", "2:19", "method cannot be 3", "method = \"auto\""),
        ("[check]\nmethod = []", "2:10", "method cannot be a list", "leave the line out"),
        ("[check]\nmethod = [\"classic\", \"flow\"]", "2:10", "method cannot be a list", "stands alone"),
        ("[check]\nformat = \"jsno\"", "2:10", "format cannot be the text \"jsno\"", "did you mean \"json\"?"),
        ("[check]\ncolor = true", "2:9", "color cannot be true", "choose one of these"),
        ("[check]\ncache = \"no\"", "2:9", "cache cannot be the text \"no\"", "choose one of these"),
        ("[check]\nexit-zero = 1", "2:13", "exit-zero cannot be 1", "choose one of these"),
        ("[check]\nno-times = 2020-01-01", "2:12", "no-times cannot be a date", "choose one of these"),
        ("[check", "1:7", "", "serval explain E0504"),
        ("[check]\njobs = 1\njobs = 2", "3:1", "", "serval explain E0504"),
    ] {
        let place = place("mistakes", settings);
        let output = check(&place, &["good.ser", "bad.ser"]);
        let told = text(&output.stderr);
        assert_eq!((output.status.code(), text(&output.stdout)), (Some(2), String::new()), "{settings}\n{told}");
        assert_eq!(told.matches("error[E0504]").count(), 1, "{settings}\n{told}");
        assert!(told.contains(&format!("serval.toml:{at}\n")), "{settings}: not at {at}\n{told}");
        assert!(told.contains(message) && told.contains(help) && told.contains("expected:"), "{settings}\n{told}");
    }
    // All of them at once.
    let several = place("mistakes", "allow = [\"X\", 1]\n[check]\njobs = 0\ncolour = 1\n[format]\nwidth = 3\n");
    let told = text(&check(&several, &["good.ser"]).stderr);
    assert_eq!(told.matches("error[E0504]").count(), 5, "{told}");
}
