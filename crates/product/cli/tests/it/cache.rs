//! Verdicts that are remembered: the same bytes as without, and never a wrong
//! one, whatever is done to the entries.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::SystemTime;

use serde_json::Value;
use serval_effort::{side_by_side, skips};
use serval_proof::{Certificate, fingerprint};

use crate::support::{self, command, directory, serval, text};

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

/// The heading without checksum, and the certificate.
fn parts(entry: &str) -> (String, String) {
    let (heading, certificate) = entry.split_once('\n').unwrap();
    let (heading, checksum) = heading.rsplit_once(' ').unwrap();
    assert_eq!(checksum, fingerprint(certificate));
    (heading.to_owned(), certificate.to_owned())
}

/// Where the entry for a program is, by the heading of any other.
fn place(cache: &Path, heading: &str, text: &str) -> PathBuf {
    cache.join(format!(
        "{}.verdict",
        fingerprint(&format!("{heading} program search,lipton,reduce,letters,flow,bounded,sample,classic,decompose\n{text}"))
    ))
}

#[test]
fn what_is_remembered_is_told_in_the_same_bytes() {
    if skips("cli.cache-same") {
        return;
    }
    let cache = directory("cache-same");
    let call = |format: &str, more: &[&str]| said(&check(&cache, &[&["examples", "--no-times", "--format", format], more].concat()));
    let first = call("json", &[]);
    let remembered = entries(&cache);
    // All proofs, and nothing else.
    assert_eq!(remembered.len(), first.0.matches("\"verdict\":\"serializable\"").count());
    assert!(remembered.len() > 30, "{}", remembered.len());
    assert_eq!(call("json", &[]), first);
    assert_eq!(call("text", &["-v"]), call("text", &["-v", "--no-cache"]));
    // Nothing was written anew: all of them were found.
    assert_eq!(entries(&cache), remembered);
}

#[test]
fn certificates_are_saved_from_memory_as_well() {
    let place = directory("cache-saved");
    let (cache, certificate) = (place.join("cache"), place.join("c.json"));
    let call = || {
        let output = check(&cache, &["examples/two-phase-locking.ser", "--no-times", "--certificate", certificate.to_str().unwrap()]);
        let saved = fs::read(&certificate).unwrap();
        fs::remove_file(&certificate).unwrap();
        (said(&output), saved)
    };
    assert_eq!(call(), call());
    only(&cache);
}

/// Ways to spoil an entry; the other entry is about another program.
fn spoiled(entry: &str, other: &str) -> Vec<(&'static str, Vec<u8>)> {
    let (heading, certificate) = parts(entry);
    let (_, other_certificate) = parts(other);
    let flipped = certificate.replace("\"serializable\"", "\"not-serializable\"");
    assert_ne!(flipped, certificate);
    // The other certificate, made to say that it is about this program.
    let input = |certificate: &str| certificate.split("\"input\"").nth(1).unwrap().split('"').nth(1).unwrap().to_owned();
    let renamed = other_certificate.replace(&input(&other_certificate), &input(&certificate));
    assert_ne!(renamed, other_certificate);
    let noise: Vec<u8> = (0..4096_u32).map(|number| u8::try_from(number.wrapping_mul(2_654_435_761) >> 24).unwrap()).collect();
    let with = |certificate: &str| sealed(&heading, certificate).into_bytes();
    let older = heading.replacen(env!("CARGO_PKG_VERSION"), "0.0.9", 1);
    assert_ne!(older, heading);
    vec![
        ("nothing", Vec::new()),
        ("noise", noise),
        ("a zero byte", vec![0]),
        ("the first half", entry.as_bytes()[..entry.len() / 2].to_vec()),
        ("all but the last byte", entry.as_bytes()[..entry.len() - 1].to_vec()),
        ("another verdict", with(&flipped)),
        ("another program", other.as_bytes().to_vec()),
        ("another program's certificate", with(&other_certificate)),
        ("another program's certificate, renamed", with(&renamed)),
        ("no certificate", with("")),
        ("a certificate of nothing", with("{}")),
        ("an unknown field", with(&certificate.replacen('{', "{\"more\":1,", 1))),
        ("the certificate, written otherwise", with(&certificate.replacen('{', "{ ", 1))),
        ("more than the certificate", with(&format!("{certificate}\n"))),
        ("another version", sealed(&older, &certificate).into_bytes()),
        ("another build", sealed(&format!("{heading}0"), &certificate).into_bytes()),
        ("a wrong checksum", entry.replacen(&fingerprint(entry.split_once('\n').unwrap().1), &fingerprint(""), 1).into_bytes()),
        ("too much", [entry.as_bytes(), &vec![b' '; 9 << 20]].concat()),
    ]
}

#[test]
fn spoiled_entries_change_nothing_and_are_replaced() {
    let place = directory("cache-spoiled");
    let files = ["examples/spin-lock.ser", "examples/two-phase-locking.ser"];
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

/// Every place of a value, as it is and changed in the ways of its kind.
fn doctored(value: &Value, put: &mut dyn FnMut(Value)) {
    match value {
        Value::Null => put(Value::from(0)),
        Value::Bool(truth) => put(Value::from(!truth)),
        Value::Number(number) => {
            let number = number.as_i64().unwrap();
            [number + 1, number - 1, 0, 1 << 40].into_iter().filter(|other| *other != number).for_each(|other| put(other.into()));
        }
        Value::String(text) => {
            ["", "reduce", "flow", "search", "3"].into_iter().filter(|other| other != text).for_each(|other| put(other.into()));
        }
        Value::Array(items) => {
            put(Value::Array(Vec::new()));
            for (at, item) in items.iter().enumerate() {
                let with = |now: &[Value]| Value::Array([&items[..at], now, &items[at + 1..]].concat());
                put(with(&[]));
                put(with(&[item.clone(), item.clone()]));
                doctored(item, &mut |other| put(with(&[other])));
            }
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                let mut less = fields.clone();
                less.remove(name);
                put(Value::Object(less));
                doctored(field, &mut |other| {
                    let mut changed = fields.clone();
                    changed.insert(name.clone(), other);
                    put(Value::Object(changed));
                });
            }
        }
    }
}

/// Whatever is changed in an entry, with a checksum that fits: what is said is
/// what is said without a cache, or the proof is another one that is as good,
/// and all that is said about it is true.
#[test]
fn no_claim_is_taken_from_an_entry() {
    if skips("cli.cache-doctored") {
        return;
    }
    for method in ["reduce", "lipton"] {
        let cache = directory(&format!("cache-doctored-{method}"));
        let program = cache.join("toggle.ser");
        fs::write(&program, "request flip {\n  X := 1 - X;\n  yield;\n  0\n}\n").unwrap();
        let file = [program.to_str().unwrap(), "--no-times", "--format", "json", "--method", method];
        let honest = said(&check(&cache, &file));
        let path = only(&cache);
        let (heading, certificate) = parts(&fs::read_to_string(&path).unwrap());
        let parsed: Value = serde_json::from_str(&certificate).unwrap();
        let mut all = Vec::new();
        doctored(&parsed, &mut |other| all.push(other));
        assert!(all.len() > 20, "{}", all.len());
        let numbered: Vec<(usize, Value)> = all.into_iter().enumerate().collect();
        side_by_side(&numbered, |(number, other)| {
            // Each has a cache of its own, so that no two are in one another's way.
            let cache = cache.join(number.to_string());
            fs::create_dir(&cache).unwrap();
            // As serval would have written it, if it can be read at all.
            let text = Certificate::from_json(&other.to_string()).map_or_else(|_| other.to_string(), |other| other.to_json());
            fs::write(cache.join(path.file_name().unwrap()), sealed(&heading, &text)).unwrap();
            let now = said(&check(&cache, &file));
            if now != honest {
                let report: Value = serde_json::from_str(&now.0).unwrap();
                assert_eq!((&report["verdict"], &report["method"]), (&"serializable".into(), &method.into()), "{text}");
                // Only how far its own reductions went, and what it says, may be different.
                let (mut report, mut first): (Value, Value) = (report, serde_json::from_str(&honest.0).unwrap());
                for report in [&mut report, &mut first] {
                    report["sizes"]["reduced"].take();
                    report["proof"].take();
                }
                assert_eq!((report, &now.1, now.2), (first, &honest.1, honest.2), "{text}");
            }
            fs::remove_dir_all(cache).unwrap();
        });
    }
}

/// Counterexamples are not remembered, and so none is recalled: that no fewer
/// requests will do is known by having searched.
#[test]
fn a_counterexample_is_found_anew() {
    let cache = directory("cache-refuted");
    check(&cache, &["examples/counter.ser"]);
    let entry = only(&cache);
    let (heading, _) = parts(&fs::read_to_string(&entry).unwrap());
    let read = |file: &str| fs::read_to_string(support::root().join(file)).unwrap();
    assert_eq!(place(&cache, &heading, &read("examples/counter.ser")), entry);
    fs::remove_file(&entry).unwrap();
    let file = ["examples/lost-update.ser", "--no-times", "--format", "json"];
    let certificate = cache.join("c.json");
    let honest = said(&check(&cache, &[&file[..], &["--certificate", certificate.to_str().unwrap()]].concat()));
    assert_eq!(entries(&cache).len(), 0);
    let honest = (honest.0.replace(&format!(",\"path\":\"{}\"", certificate.display()), ""), honest.1, honest.2);
    // The same run and one more request after it: a counterexample as well, of
    // three requests, which is not minimal.
    let valid = fs::read_to_string(&certificate).unwrap();
    let third = r#"
  {"id":3,"kind":"spawn","request":"save","local":"save@start"},
  {"id":3,"kind":"step","from":{"local":"save@start","global":"EDITS=1"},"to":{"local":"save@yield1 seen=1","global":"EDITS=1"}},
  {"id":3,"kind":"step","from":{"local":"save@yield1 seen=1","global":"EDITS=1"},"to":{"local":"save@end 2","global":"EDITS=2"}},
  {"id":3,"kind":"respond","local":"save@end 2","response":"2"}],"completed":[
  {"request":"save","response":"2","count":1},"#;
    let longer = valid.replacen("],\"completed\":[", &format!(",{third}"), 1);
    for text in [valid, longer] {
        fs::write(&certificate, &text).unwrap();
        let verified = serval(&["verify", "examples/lost-update.ser", certificate.to_str().unwrap()], b"");
        assert_eq!(verified.status.code(), Some(0), "{}{text}", support::text(&verified.stdout));
        fs::write(place(&cache, &heading, &read("examples/lost-update.ser")), sealed(&heading, &text)).unwrap();
        assert_eq!(said(&check(&cache, &file)), honest);
    }
}

/// Entries that are no ordinary files are neither waited for nor followed.
#[cfg(unix)]
#[test]
fn what_is_no_file_is_passed_over() {
    use std::os::unix::fs::symlink;
    let cache = directory("cache-special");
    let file = ["examples/two-phase-locking.ser", "--no-times", "--format", "json"];
    let honest = said(&check(&cache, &file));
    let (path, kept) = (only(&cache), cache.join("kept"));
    fs::rename(&path, &kept).unwrap();
    let specials: [(&str, &dyn Fn()); 5] = [
        ("a pipe", &|| assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success())),
        ("a directory", &|| fs::create_dir(&path).unwrap()),
        ("a link to the entry", &|| symlink("kept", &path).unwrap()),
        ("a link to a device", &|| symlink("/dev/zero", &path).unwrap()),
        ("a link to itself", &|| symlink(&path, &path).unwrap()),
    ];
    for (what, make) in specials {
        make();
        let mut child = command(&[&["check"], &file[..]].concat()).env("SERVAL_CACHE_DIR", &cache).stdin(Stdio::null()).spawn().unwrap();
        // So that a test that fails comes to an end.
        let mut patience = 60_000;
        while child.try_wait().unwrap().is_none() && patience > 0 {
            std::thread::sleep(std::time::Duration::from_millis(10));
            patience -= 1;
        }
        let _ = child.kill();
        let (out, _, status) = said(&child.wait_with_output().unwrap());
        assert_eq!((&out, status), (&honest.0, honest.2), "{what}");
        if what == "a directory" {
            fs::remove_dir(&path).unwrap();
        } else {
            assert!(fs::symlink_metadata(&path).unwrap().is_file(), "{what} is not replaced");
            fs::remove_file(&path).unwrap();
        }
    }
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
    assert_eq!(entries(&cache).len(), alone.matches("\"verdict\":\"serializable\"").count());
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
    call(&all, &["--method", "search", "--exit-zero", "--timeout", "0.1"]);
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
