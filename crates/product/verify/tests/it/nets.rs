//! Certificates about nets, through the program.

use std::io;
use std::path::Path;
use std::process::Command;

use serval_budget::Cancel;
use serval_net_proof::{Certificate, Cover, Evidence, Item, Run, States, Weights};
use serval_petri::{Net, Property, compose, pnml, tina};
use serval_verify::{Caps, NetFormat, NetPart, NetText, Outcome, TooLarge, accept_from, verify_net};

use crate::support::directory;

fn lock() -> Net {
    tina::read("pl free (1)\npl {my lock} (0)\ntr take free -> {my lock}\ntr give {my lock} -> free\n").unwrap()
}

fn certificate(property: &str, evidence: Vec<(usize, Evidence)>) -> Certificate {
    let net = lock();
    let property = Property::parse(property, &net).unwrap();
    let goals = property.goals(&net).unwrap().len();
    Certificate::new(&net, &property.text(&net).unwrap(), property.decides(), goals, evidence).unwrap()
}

fn run(word: &[u32]) -> Evidence {
    Evidence::Run(Run { word: word.iter().map(|&transition| Item::Fire(transition)).collect() })
}

/// Exit status, and what is printed where.
fn said(directory: &Path, arguments: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_serval-verify")).args(arguments).current_dir(directory).output().unwrap();
    (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn both_formats_and_both_answers() {
    let directory = directory("nets");
    let write = |name: &str, text: &str| std::fs::write(directory.join(name), text).unwrap();
    write("lock.net", &tina::write(&lock()));
    write("lock.pnml", &pnml::write(&lock()));
    write("safe.json", &certificate("one-safe", vec![(0, Evidence::Weights(Weights { sums: vec![vec![(0, 1), (1, 1)]] }))]).to_json());
    write("held.json", &certificate("invariant:\"my lock\" = 0", vec![(0, run(&[0]))]).to_json());
    write("live.json", &certificate("quasi-live", vec![(0, run(&[])), (1, run(&[0]))]).to_json());
    for net in ["lock.net", "lock.pnml"] {
        for (file, line) in [
            ("safe.json", format!("safe.json: valid: one-safe holds of {net} (weights: 1 sum)\n")),
            ("held.json", format!("held.json: valid: invariant:\"my lock\" = 0 does not hold of {net} (a run of 1 item)\n")),
            ("live.json", format!("live.json: valid: quasi-live holds of {net} (1 run into 2 goals)\n")),
        ] {
            assert_eq!(said(&directory, &[net, file]), (0, line, String::new()));
        }
    }
}

#[test]
fn what_is_wrong_is_said() {
    let directory = directory("nets-wrong");
    let write = |name: &str, text: &str| std::fs::write(directory.join(name), text).unwrap();
    let good = certificate("deadlock-free", vec![(0, run(&[0]))]);
    write("lock.net", &tina::write(&lock()));
    write("other.net", "pl free (2)\n");
    write("broken.net", "pl free (1\n");
    write("run.json", &good.to_json());
    write("odd.json", &good.to_json().replace("\"holds\"", "\"\\u001b[2Jholds\""));
    write("kind.json", "{\"format\":\"serval-certificate\",\"version\":1}");
    let id = &good.net;
    let invalid = "run.json: invalid: net.run.end: the run ends in a marking that is not in the goal\n";
    assert_eq!(said(&directory, &["lock.net", "run.json"]), (1, String::new(), invalid.to_owned()));
    let (status, out, error) = said(&directory, &["other.net", "run.json"]);
    assert_eq!((status, out.as_str()), (1, ""));
    assert!(
        error.starts_with("run.json: invalid: net.input: the fingerprint of the net is ")
            && error.ends_with(&format!("but the certificate is about \"{id}\"\n")),
        "{error}"
    );
    let (status, _, error) = said(&directory, &["broken.net", "run.json"]);
    assert!(status == 2 && error == "broken.net:2:1: error: expected `)`, found the end\n", "{error}");
    let (status, _, error) = said(&directory, &["lock.net", "odd.json"]);
    assert!(status == 2 && error.starts_with("odd.json:1:") && !error.contains('\u{1b}'), "{error}");
    let (status, _, error) = said(&directory, &["lock.net", "kind.json"]);
    let format = "kind.json:1:31: error: the format is \"serval-certificate\", not \"serval-net-certificate\"\n";
    assert_eq!((status, error.as_str()), (2, format));
    let (status, _, error) = said(&directory, &["--check-compile", "lock.net", "run.json"]);
    assert_eq!(
        (status, error.as_str()),
        (2, "error: --check-compile is about programs: a net is not compiled; see serval-verify --help\n")
    );
    let (status, _, error) = said(&directory, &["lock", "run.json"]);
    assert_eq!(
        (status, error.as_str()),
        (2, "error: cannot tell what lock is; say --input ser, json, pnml, net, spec, vass, tso or litmus; see serval-verify --help\n")
    );
    let (status, _, error) = said(&directory, &["--input", "tina", "lock.net", "run.json"]);
    assert_eq!(
        (status, error.as_str()),
        (2, "error: --input needs ser, json, pnml, net, spec, vass, tso or litmus; see serval-verify --help\n")
    );
    assert_eq!(said(&directory, &["--input=net", "lock.net", "run.json"]).0, 1);
}

#[test]
fn composed_nets_are_one_net() {
    let directory = directory("nets-composed");
    let write = |name: &str, text: &str| std::fs::write(directory.join(name), text).unwrap();
    let (left, right) = ("net left\npl idle (1)\ntr meet idle -> done\n", "net right\npl idle (1)\ntr meet idle ->\n");
    let whole = compose(&[tina::read(left).unwrap(), tina::read(right).unwrap()]).unwrap();
    let property = Property::parse("reachable:done = 1", &whole).unwrap();
    let reached = Certificate::new(&whole, &property.text(&whole).unwrap(), property.decides(), 1, vec![(0, run(&[0]))]).unwrap();
    write("left.net", left);
    write("right.net", right);
    write("right.pnml", &pnml::write(&tina::read(right).unwrap()));
    write("reached.json", &reached.to_json());
    write("broken.net", "pl free (1\n");
    let valid = "reached.json: valid: reachable:done = 1 holds of left.net (a run of 1 item)\n";
    // Formats may differ, and the option stands anywhere.
    for arguments in [
        &["left.net", "reached.json", "--compose", "right.net"][..],
        &["--compose=right.pnml", "left.net", "reached.json"],
        &["--compose", "pages", "--compose", "right.pnml", "left.net", "reached.json"],
    ] {
        assert_eq!(said(&directory, arguments), (0, valid.to_owned(), String::new()), "{arguments:?}");
    }
    // Other nets, or in another order: another net.
    for arguments in [&["left.net", "reached.json"][..], &["right.net", "reached.json", "--compose", "left.net"]] {
        let (status, _, error) = said(&directory, arguments);
        assert!(status == 1 && error.starts_with("reached.json: invalid: net.input: "), "{arguments:?}: {error}");
    }
    for (arguments, words) in [
        (&["left.net", "reached.json", "--compose", "broken.net"][..], "broken.net:2:1: error: expected `)`, found the end\n"),
        (&["left.net", "reached.json", "--compose", "reached.json"], "error: reached.json is no net\n"),
        (&["left.net", "reached.json", "--compose"], "error: --compose needs a net, or the word pages; see serval-verify --help\n"),
        (&["a.ser", "reached.json", "--compose", "left.net"], "error: --compose is about nets; see serval-verify --help\n"),
    ] {
        let (status, out, error) = said(&directory, arguments);
        assert_eq!((status, out.as_str(), error.as_str()), (2, "", words), "{arguments:?}");
    }
    let (status, _, error) = said(&directory, &["left.net", "reached.json", "--compose", "gone.net"]);
    assert!(status == 2 && error.starts_with("error: cannot read gone.net: "), "{error}");
}

/// A cover in which each member is compared with all before the one that it leads below: the work is quadratic, and has
/// a cap.
#[test]
fn a_cover_is_too_large_beyond_the_cap() {
    let text = "pl a (1400)\npl b (0)\ntr move a*2 -> b\n";
    let net = tina::read(text).unwrap();
    let property = Property::parse("coverable:b = 1401", &net).unwrap();
    let markings = (0..=700).map(|number| vec![Some(2 * number), Some(1400 - 2 * number)]).collect();
    let certificate =
        Certificate::new(&net, &property.text(&net).unwrap(), property.decides(), 1, vec![(0, Evidence::Cover(Cover { markings }))])
            .unwrap()
            .to_json();
    let said = |caps: &Caps| {
        let outcome = verify_net(text, NetFormat::Tina, &certificate, caps, &Cancel::new());
        (outcome.status(), outcome.line("n.net", "c.json", text))
    };
    let accepted = "c.json: valid: coverable:b >= 1401 does not hold of n.net (a cover of 701 markings)";
    assert_eq!(said(&Caps::default()), (0, accepted.to_owned()));
    let few = Caps { ticks: 100_000, ..Caps::default() };
    assert_eq!(said(&few), (3, "c.json: too large: more than 100000 ticks of work".to_owned()));
}

/// Says a text a few bytes at a time, and then that it cannot say more.
struct Slow<'a>(&'a [u8]);

impl io::Read for Slow<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.0.is_empty() {
            return Err(io::Error::from(io::ErrorKind::ConnectionReset));
        }
        let count = into.len().min(3).min(self.0.len());
        into[..count].copy_from_slice(&self.0[..count]);
        self.0 = &self.0[count..];
        Ok(count)
    }
}

/// A certificate that comes piece by piece is checked as one that is there, within its limits.
#[test]
fn pieces_are_a_certificate() {
    let text = tina::write(&lock());
    let parts = [NetPart { name: "lock.net", text: &text, format: NetFormat::Tina }];
    let net = NetText { parts: &parts, is_composed: false, from: None };
    let markings = [vec![0, 1], vec![1, 0]].into_iter().collect();
    let certificate = certificate("deadlock-free", vec![(0, Evidence::States(States { markings }))]).to_json();
    let length = u64::try_from(certificate.len()).unwrap();
    let said = |text: &[u8]| {
        let outcome = accept_from(&net, Slow(text), length, &Caps::default(), &Cancel::new());
        outcome.map(|outcome| outcome.line("lock.net", "c.json", "")).map_err(|error| error.kind())
    };
    assert_eq!(said(certificate.as_bytes()), Err(io::ErrorKind::ConnectionReset));
    let whole = |most: u64, ticks: u64| {
        let caps = Caps { ticks, ..Caps::default() };
        accept_from(&net, certificate.as_bytes(), most, &caps, &Cancel::new()).unwrap()
    };
    // Its length pays for the work.
    assert!(matches!(whole(length, 0), Outcome::Valid(_)));
    assert_eq!(whole(length - 1, 200), Outcome::TooLarge(TooLarge { what: "bytes", limit: length - 1 }));
    let raised = Cancel::new();
    assert!(said(b"{\"format\":7}").unwrap().ends_with("error: invalid type: integer `7`, expected a string"));
    assert!(said(b"{\"format\":\"\xff\"}").unwrap().ends_with("error: invalid unicode code point"));
    raised.cancel();
    let caps = Caps::default();
    assert_eq!(accept_from(&net, certificate.as_bytes(), length, &caps, &raised).unwrap(), Outcome::Cancelled);
}
