//! Time that is over: what was asked stays undecided, and what else there is goes on.

use std::fs;
use std::process::Stdio;

use serde_json::Value;
use serval_effort::skips;
use serval_families::Family;

use crate::support::{command, directory, serval, text};
use crate::{alone, with_enough_time};

const RING: &str = "examples/nets/token-ring.pnml";
const FIGURE: &str = "examples/nets/figure-1.net";

fn family(name: &str, n: usize) -> String {
    Family::named(name).unwrap().program(n)
}

#[test]
fn the_time_limit_is_kept() {
    let _alone = alone();
    let directory = directory("time");
    // The first is still searched, the second is still explored.
    for (name, n, told) in [("flips", 1000, "undecided"), ("counter", 1_500_000, "time")] {
        let method = if name == "flips" { "search" } else { "reduce" };
        let file = directory.join("program.ser");
        fs::write(&file, family(name, n)).unwrap();
        let certificate = directory.join("certificate.json");
        let output = serval(
            &["check", file.to_str().unwrap(), "--timeout", "0.3", "--method", method, "--certificate", certificate.to_str().unwrap()],
            b"",
        );
        // Both would go on for much longer.
        assert_eq!(output.status.code(), Some(3), "{}", text(&output.stdout));
        assert!(text(&output.stdout).contains(told), "{}", text(&output.stdout));
        assert_eq!(fs::read_dir(&directory).unwrap().count(), 1, "a file is left");
    }
}

/// Memory and time that are not enough end with `undecided`.
#[test]
fn too_little_of_everything_is_undecided() {
    let _alone = alone();
    let place = directory("adversity-little");
    fs::write(place.join("large.ser"), family("counter", 1_500_000)).unwrap();
    for little in [&["--memory", "48"], &["--timeout", "0.2"]] {
        let arguments = [&["check", "large.ser", "--method", "reduce"][..], little].concat();
        let output = command(&arguments).current_dir(&place).stdin(Stdio::null()).output().unwrap();
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(3), String::new()), "{little:?}");
        assert!(text(&output.stdout).starts_with("undecided  large.ser"), "{}", text(&output.stdout));
    }
}

#[test]
fn limits_end_a_question_and_not_the_others() {
    let _alone = alone();
    let status = |more: &[&str]| {
        let output = serval(&[&["net", "check", RING, "--no-times"], more].concat(), b"");
        (output.status.code(), text(&output.stdout))
    };
    let (code, said) = status(&["--timeout", "0.000001"]);
    assert_eq!(code, Some(3), "{said}");
    // A walk of no time at all may still find something.
    assert!(said.contains("undecided") && said.contains("stopped at the time limit of 0.000001 s (--timeout)"), "{said}");
    assert_eq!(said.lines().filter(|line| !line.starts_with(' ')).count(), 4, "{said}");
    assert_eq!(status(&["--timeout", "0.000001", "--exit-zero"]).0, Some(0));
    // The time for all ends those that come late; where it is more than enough it changes nothing.
    let (code, said) = status(&["--timeout-all", "0.000001"]);
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("stopped at the time limit of 0.000001 s (--timeout-all)"), "{said}");
    assert_eq!(status(&["--timeout-all", "3600"]), status(&[]));
    assert_eq!(status(&["--timeout", "0.000001", "--timeout-all", "3600"]).0, Some(3));
    assert_eq!(status(&["--timeout-all", "0"]).0, Some(2));
    assert_eq!(status(&["--memory", "512"]).0, Some(0));
    assert_eq!(status(&["--memory", "0"]).0, Some(2));
    assert_eq!(status(&["--timeout", "0"]).0, Some(2));
    assert_eq!(status(&["--jobs", "1"]), status(&["--jobs", "2"]));
    // Does not hold is graver than undecided, and a wrong input than both.
    let both = |more: &[&str]| serval(&[&["net", "check", FIGURE, "-p", "one-safe"], more].concat(), b"").status.code();
    assert_eq!(both(&[]), Some(1));
    assert_eq!(both(&["-p", "safe:x"]), Some(2));
    assert_eq!(both(&["-p", "safe:x", "--exit-zero"]), Some(2));
    // It is undecided whether there can be five: numbers of tokens soon do not fit.
    let open = b"pl a (1)\ntr t a -> a*18446744073709551615\ntr u a -> b\n";
    let asked = |more: &[&str]| {
        let question = ["net", "check", "-", "--input", "net", "-p", "reachable:a = 5"];
        serval(&[&question, more].concat(), open).status.code()
    };
    assert_eq!(asked(&["--timeout", "0.2"]), Some(3));
    assert_eq!(asked(&["--timeout", "0.2", "-p", "quasi-live"]), Some(3));
    // That it is not one-safe is found in no time, if there is any.
    with_enough_time(|limit| (asked(&["--timeout", limit, "-p", "one-safe"]) == Some(1)).then_some(()));
}

/// What is undecided tells people and machines how far each method came.
#[test]
fn an_undecided_question_says_how_far_methods_came() {
    let _alone = alone();
    if skips("cli.how-far") {
        return;
    }
    let file = directory("nets-how-far").join("lipton.spec");
    fs::write(&file, serval_families::covering::lipton(4, true)).unwrap();
    let said = |limit: &str, more: &[&str]| {
        let asked = ["net", "check", file.to_str().unwrap(), "-p", "coverable:halt=1", "--no-times", "--timeout", limit];
        let output = serval(&[&asked, more].concat(), b"");
        assert_eq!(output.status.code(), Some(3), "{}", text(&output.stdout));
        text(&output.stdout)
    };
    // Each method gets its turn, after a while.
    let methods = ["how far it came: forwards ", " markings with ω, backwards ", " least markings, one by one "];
    with_enough_time(|limit| {
        let people = said(limit, &[]);
        let machines: Value = serde_json::from_str(&said(limit, &["--format", "json"])).unwrap();
        assert_eq!(machines["answer"], "undecided");
        let reasons = [people.lines().nth(1).unwrap(), machines["reason"].as_str().unwrap()];
        for reason in reasons {
            assert!(reason.contains(&format!("stopped at the time limit of {limit} s (--timeout)")), "{reason}");
        }
        reasons.iter().all(|reason| methods.iter().all(|method| reason.contains(method)) && reason.contains(" markings")).then_some(())
    });
    // One method alone says how far it came by itself.
    with_enough_time(|limit| {
        let told = said(limit, &["--method", "backward"]);
        assert!(!told.contains("forwards"), "{told}");
        told.contains("how far it came: backwards ").then_some(())
    });
}

#[test]
fn an_undecided_page_says_what_is_known_and_what_to_try() {
    let _alone = alone();
    let directory = directory("undecided-page");
    let path = directory.join("open.html");
    let page = with_enough_time(|limit| {
        let options = ["--no-cache", "--method", "search", "--timeout", limit, "--html", path.to_str().unwrap()];
        let output = serval(&[&["check", "examples/spin-lock.ser"], &options[..]].concat(), b"");
        assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
        let page = fs::read_to_string(&path).unwrap();
        // What is ruled out depends on how far the search came.
        page.contains("<dt>what is ruled out</dt><dd>no counterexample with up to").then_some(page)
    });
    for words in ["<dt>what is large</dt>", "<dt>what to try</dt>", "id=\"explain\""] {
        assert!(page.contains(words), "{words}: {page}");
    }
}
