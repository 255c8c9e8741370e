//! Verdicts that are remembered: the same bytes as without, and never a wrong
//! one, whatever is done to the entries.

#![expect(clippy::unwrap_used, reason = "a test fails where something is not as it should be")]

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::SystemTime;

use serval_proof::fingerprint;
use support::{command, directory, text};

/// Runs `serval check` with this cache.
fn check(cache: &Path, arguments: &[&str]) -> Output {
    command(&[&["check"], arguments].concat()).env("SERVAL_CACHE_DIR", cache).stdin(Stdio::null()).output().unwrap()
}

/// All that a call says, and its status.
fn said(output: &Output) -> (String, String, Option<i32>) {
    (text(&output.stdout), text(&output.stderr), output.status.code())
}

/// The entries, with the time when each was written.
fn entries(cache: &Path) -> BTreeMap<PathBuf, SystemTime> {
    let listed = fs::read_dir(cache).unwrap().map(|entry| entry.unwrap().path());
    let entries = listed.filter(|path| path.extension().is_some_and(|ending| ending == "verdict"));
    entries.map(|path| (path.clone(), fs::metadata(path).unwrap().modified().unwrap())).collect()
}

/// The only entry.
fn only(cache: &Path) -> PathBuf {
    let entries = entries(cache);
    assert_eq!(entries.len(), 1, "{entries:?}");
    entries.into_keys().next().unwrap()
}

/// An entry with a checksum that fits.
fn sealed(heading: &str, rest: &str) -> String {
    format!("{heading} {}\n{rest}", fingerprint(rest))
}

/// The heading without checksum, the findings and the certificate.
fn parts(entry: &str) -> (String, String, String) {
    let (heading, rest) = entry.split_once('\n').unwrap();
    let (found, certificate) = rest.split_once('\n').unwrap();
    let (heading, checksum) = heading.rsplit_once(' ').unwrap();
    assert_eq!(checksum, fingerprint(rest));
    (heading.to_owned(), found.to_owned(), certificate.to_owned())
}

#[test]
fn what_is_remembered_is_told_in_the_same_bytes() {
    let cache = directory("cache-same");
    let call = |format: &str, more: &[&str]| said(&check(&cache, &[&["examples", "--no-times", "--format", format], more].concat()));
    let first = call("json", &[]);
    let remembered = entries(&cache);
    assert!(remembered.len() > 50, "{}", remembered.len());
    assert_eq!(call("json", &[]), first);
    assert_eq!(call("text", &["-v"]), call("text", &["-v", "--no-cache"]));
    // Nothing was written anew: all of them were found.
    assert_eq!(entries(&cache), remembered);
}

#[test]
fn traces_and_certificates_are_saved_from_memory_as_well() {
    let place = directory("cache-saved");
    let (cache, saved) = (place.join("cache"), place.join("saved"));
    fs::create_dir(&saved).unwrap();
    let (certificate, trace) = (saved.join("c.json"), saved.join("t.json"));
    let call = || {
        let saving = ["--certificate", certificate.to_str().unwrap(), "--trace", trace.to_str().unwrap()];
        let output = check(&cache, &[&["examples/lost-update.ser", "--no-times"][..], &saving].concat());
        let files = [&certificate, &trace].map(|path| fs::read(path).unwrap());
        fs::remove_file(&certificate).unwrap();
        fs::remove_file(&trace).unwrap();
        (said(&output), files)
    };
    assert_eq!(call(), call());
}

/// Ways to spoil an entry; the other entry is about another program with the
/// other verdict.
fn spoiled(entry: &str, other: &str) -> Vec<(&'static str, Vec<u8>)> {
    let (heading, found, certificate) = parts(entry);
    let (_, other_found, other_certificate) = parts(other);
    let flipped = if certificate.contains("\"not-serializable\"") {
        certificate.replace("\"not-serializable\"", "\"serializable\"")
    } else {
        certificate.replace("\"serializable\"", "\"not-serializable\"")
    };
    assert_ne!(flipped, certificate);
    // The other certificate, made to say that it is about this program.
    let input = |certificate: &str| certificate.split("\"input\"").nth(1).unwrap().split('"').nth(1).unwrap().to_owned();
    let renamed = other_certificate.replace(&input(&other_certificate), &input(&certificate));
    assert_ne!(renamed, other_certificate);
    let noise: Vec<u8> = (0..4096_u32).map(|number| u8::try_from(number.wrapping_mul(2_654_435_761) >> 24).unwrap()).collect();
    let with = |found: &str, certificate: &str| sealed(&heading, &format!("{found}\n{certificate}")).into_bytes();
    let older = heading.replacen(env!("CARGO_PKG_VERSION"), "0.0.9", 1);
    assert_ne!(older, heading);
    vec![
        ("nothing", Vec::new()),
        ("noise", noise),
        ("a zero byte", vec![0]),
        ("the first half", entry.as_bytes()[..entry.len() / 2].to_vec()),
        ("all but the last byte", entry.as_bytes()[..entry.len() - 1].to_vec()),
        ("another verdict", with(&found, &flipped)),
        ("another program", other.as_bytes().to_vec()),
        ("another program's certificate", with(&found, &other_certificate)),
        ("another program's certificate, renamed", with(&found, &renamed)),
        ("another program's everything, renamed", with(&other_found, &renamed)),
        ("no certificate", with(&found, "")),
        ("a certificate of nothing", with(&found, "{}")),
        ("an unknown method", with(&found.replace("\"method\":\"", "\"method\":\"x"), &certificate)),
        ("an unknown field", with(&found.replace('{', "{\"more\":1,"), &certificate)),
        ("another version", sealed(&older, &format!("{found}\n{certificate}")).into_bytes()),
        ("another build", sealed(&format!("{heading}0"), &format!("{found}\n{certificate}")).into_bytes()),
        ("a wrong checksum", entry.replacen(&fingerprint(entry.split_once('\n').unwrap().1), &fingerprint(""), 1).into_bytes()),
        ("too much", [entry.as_bytes(), &vec![b' '; 9 << 20]].concat()),
    ]
}

#[test]
fn spoiled_entries_change_nothing_and_are_replaced() {
    let place = directory("cache-spoiled");
    let files = ["examples/lost-update.ser", "examples/two-phase-locking.ser"];
    let caches = ["one", "two"].map(|name| place.join(name));
    let first: Vec<_> = files.iter().zip(&caches).map(|(file, cache)| said(&check(cache, &[file, "--no-times"]))).collect();
    let texts: Vec<String> = caches.iter().map(|cache| fs::read_to_string(only(cache)).unwrap()).collect();
    let mut tried = 0;
    for this in 0..2 {
        let path = only(&caches[this]);
        for (what, bytes) in spoiled(&texts[this], &texts[1 - this]) {
            fs::write(&path, bytes).unwrap();
            assert_eq!(said(&check(&caches[this], &[files[this], "--no-times"])), first[this], "{what}");
            assert_eq!(fs::read_to_string(&path).unwrap(), texts[this], "{what} is not replaced");
            tried += 1;
        }
    }
    assert_eq!(tried, 36);
}

/// An entry whose claim beside the verdict is changed with a fitting checksum
/// may change that, but not the verdict.
#[test]
fn the_verdict_is_the_checkers_and_not_the_entrys() {
    let cache = directory("cache-beside");
    let file = ["examples/lost-update.ser", "--no-times", "--format", "json"];
    check(&cache, &file);
    let path = only(&cache);
    let (heading, found, certificate) = parts(&fs::read_to_string(&path).unwrap());
    let changed = found.replace("\"explored\":\"aside\"", "\"explored\":\"too-many\"");
    assert_ne!(changed, found);
    fs::write(&path, sealed(&heading, &format!("{changed}\n{certificate}"))).unwrap();
    let output = check(&cache, &file);
    assert_eq!(output.status.code(), Some(1));
    let told = text(&output.stdout);
    assert!(told.contains("\"not-serializable\"") && told.contains("\"verified\":true"), "{told}");
}

#[test]
fn many_at_once_on_a_cold_cache() {
    let cache = directory("cache-many");
    let files = ["doctors-on-call.ser", "two-phase-locking.ser", "dhcp-lease.json", "spin-lock.ser", "lost-update.ser", "counter.ser"];
    let files = files.map(|file| format!("examples/{file}"));
    let mut arguments = vec!["check", "--no-times", "--format", "json", "--jobs", "1"];
    arguments.extend(files.iter().map(String::as_str));
    let alone = text(&command(&arguments).stdin(Stdio::null()).output().unwrap().stdout);
    assert_eq!(alone.lines().count(), files.len());
    for _ in 0..2 {
        let start = || command(&arguments).env("SERVAL_CACHE_DIR", &cache).stdin(Stdio::null()).spawn().unwrap();
        let children: Vec<_> = (0..8).map(|_| start()).collect();
        for child in children {
            let output = child.wait_with_output().unwrap();
            assert_eq!(said(&output), (alone.clone(), String::new(), Some(1)));
        }
    }
    assert_eq!(entries(&cache).len(), files.len());
    let left =
        fs::read_dir(&cache).unwrap().filter(|entry| entry.as_ref().unwrap().path().extension().is_some_and(|ending| ending == "tmp"));
    assert_eq!(left.count(), 0, "temporary files are left");
}

#[test]
fn where_it_is() {
    let place = directory("cache-where");
    let call = |variables: &[(&str, &Path)], arguments: &[&str]| {
        let mut command = command(&[&["check", "examples/counter.ser"], arguments].concat());
        command.env_remove("SERVAL_CACHE_DIR").env_remove("XDG_CACHE_HOME").env_remove("HOME").env_remove("LOCALAPPDATA");
        let output = command.envs(variables.iter().copied()).stdin(Stdio::null()).output().unwrap();
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()));
    };
    let [said, xdg, home, none] = ["said", "xdg", "home", "none"].map(|name| place.join(name));
    let all = [("SERVAL_CACHE_DIR", said.as_path()), ("XDG_CACHE_HOME", &xdg), ("HOME", &home)];
    call(&all, &["--no-cache"]);
    call(&all, &["--no-cache=true"]);
    call(&[("SERVAL_CACHE_DIR", Path::new("")), all[1], all[2]], &[]);
    call(&[], &[]);
    call(&[("XDG_CACHE_HOME", Path::new("relative"))], &[]);
    // Neither undecided programs nor second opinions are remembered.
    call(&all, &["--method", "search", "--exit-zero", "--timeout", "0.5"]);
    call(&all, &["--method", "classic"]);
    assert_eq!(fs::read_dir(&place).unwrap().count(), 0, "something was remembered");
    assert!(!support::root().join("relative").exists());
    call(&all, &["--no-cache=false"]);
    assert_eq!(entries(&said).len(), 1);
    assert!(fs::read_to_string(said.join("CACHEDIR.TAG")).unwrap().starts_with("Signature: 8a477f597d28d172789f06886806bc55"));
    call(&all[1..], &[]);
    assert_eq!(entries(&xdg.join("serval")).len(), 1);
    call(&all[2..], &[]);
    assert_eq!(entries(&home.join(".cache/serval")).len(), 1);
    // The methods are part of the name.
    call(&all, &["--method", "flow"]);
    call(&all, &["--method", "bounded,flow"]);
    call(&all, &["--method", "flow,bounded"]);
    assert_eq!(entries(&said).len(), 3);
    assert!(!none.exists());
}
