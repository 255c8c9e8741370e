//! Inductive methods, what may be assumed, invariants that a user proposes, and certificates of composed nets: what
//! works, and what is refused.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::{directory, serval, text};

const FIGURE: &str = "examples/nets/figure-1.net";
const DEKKER: &str = "examples/nets/mutex/dekker.net";
const PETERSON: &str = "examples/nets/mutex/peterson-2.net";
const EXCLUSION: &str = "invariant:inside1 + inside2 <= 1";
const CLIENT: &str = "examples/nets/composed/client.net";
const SERVER: &str = "examples/nets/composed/server.net";

/// What a command says, which ends with this status.
fn said(args: &[&str], status: i32) -> String {
    let output = serval(args, b"");
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(status), "{args:?}: {out}{err}");
    // Who refuses something writes nothing else.
    assert!(status != 2 || out.is_empty(), "{args:?}: {out}");
    if status == 2 { err } else { out }
}

fn path_of(directory: &Path, file: &str, content: &str) -> String {
    let path = directory.join(file);
    fs::write(&path, content).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn inductive_methods_alone_have_evidence_of_their_own() {
    let place = directory("nets-inductive-alone");
    for (method, net, kinds) in
        [("pdr", PETERSON, &["inductive"][..]), ("pdr", DEKKER, &["inductive"]), ("induction", DEKKER, &["inductive", "k-inductive"])]
    {
        let proofs = place.join(method);
        let args = ["net", "check", net, "--method", method, "-p", EXCLUSION, "--no-times", "--format", "json", "--certificate"];
        let report: Value = serde_json::from_str(&said(&[&args[..], &[proofs.to_str().unwrap()]].concat(), 0)).unwrap();
        assert_eq!((&report["answer"], &report["methods"]), (&"holds".into(), &serde_json::json!([method])), "{report}");
        let kind = report["certificate"]["kinds"][0].as_str().unwrap();
        assert!(kinds.contains(&kind), "{report}");
        let certificate = report["certificate"]["path"].as_str().unwrap();
        assert!(said(&["verify", net, certificate], 0).contains(&format!("valid: {EXCLUSION} holds of {net}")), "{report}");
    }
    // What does not hold has a run, whichever method found it.
    for method in ["pdr", "induction"] {
        let told = said(&["net", "check", FIGURE, "--method", method, "-p", "one-safe", "--no-times"], 1);
        assert!(told.starts_with(&format!("one-safe  does not hold  {method}\n")), "{told}");
        assert!(told.ends_with("     2  t3          p2 1 → 2\n  then “p2” has 2 tokens; no run to there is shorter\n"), "{told}");
    }
    // One that cannot show it leaves it open, within its time.
    let told = said(&["net", "check", DEKKER, "--method", "walk", "-p", EXCLUSION, "--no-times", "--timeout", "0.1"], 3);
    assert_eq!(told, format!("{EXCLUSION}  undecided\n  stopped at the time limit of 0.1 s (--timeout)\n"));
}

#[test]
fn all_methods_have_names_and_others_are_refused() {
    let help = said(&["net", "check", "--help"], 0);
    for method in serval::nets::NetMethod::all() {
        assert!(help.contains(&format!("- {}:", method.name())) && help.contains(method.words()), "{}: {help}", method.name());
        let output = serval(&["net", "check", FIGURE, "--method", method.name(), "-p", "one-safe", "--timeout", "0.1"], b"");
        assert!(matches!(output.status.code(), Some(1 | 3)), "{}: {output:?}", method.name());
    }
    let wrong = said(&["net", "check", FIGURE, "--method", "magic"], 2);
    let known: Vec<&str> = serval::nets::NetMethod::all().map(serval::nets::NetMethod::name).collect();
    assert!(wrong.starts_with("error: invalid value 'magic' for '--method <METHOD>'\n"), "{wrong}");
    assert!(wrong.contains(&format!("[possible values: {}]", known.join(", "))), "{wrong}");
}

#[test]
fn what_is_assumed_is_proved_or_has_its_certificate() {
    let place = directory("nets-inductive-assume");
    let check = |net: &str, assumed: &str, status: i32| {
        said(&["net", "check", net, "--assume", assumed, "-p", "quasi-live", "--method", "pdr", "--no-times"], status)
    };
    let shown = "quasi-live  does not hold  pdr\n  t0 is dead: ";
    assert!(check(FIGURE, "invariant:p1 + p3 <= 1", 1).starts_with(shown));
    assert_eq!(check(FIGURE, "one-safe", 2), "error: --assume one-safe: it does not hold\n");
    assert!(
        check(FIGURE, "nonsense", 2).starts_with("error: line 1, column 1: there is no property “nonsense”; there are deadlock-free, ")
    );
    // A certificate in its place.
    let proofs = place.to_str().unwrap();
    for (property, status) in [("invariant:p1 + p3 <= 1", 0), ("one-safe", 1)] {
        said(&["net", "check", FIGURE, "-p", property, "--certificate", proofs], status);
    }
    let (good, bad) = (place.join("invariant_p1_p3_1.certificate.json"), place.join("one-safe.certificate.json"));
    let (good, bad) = (good.to_str().unwrap(), bad.to_str().unwrap());
    assert!(check(FIGURE, good, 1).starts_with(shown));
    assert_eq!(check(FIGURE, bad, 2), format!("error: --assume {bad}: it shows that the property does not hold\n"));
    // One about another net, one that is changed, one that is none, one that is not there.
    let other = check("examples/nets/pump.net", good, 2);
    assert!(other.starts_with(&format!("error: --assume {good}: the certificate is not accepted: net.input: ")), "{other}");
    let written = fs::read_to_string(good).unwrap();
    let changed = path_of(&place, "changed.json", &written.replacen("p1 + p3 <= 1", "p1 + p3 <= 0", 1));
    assert!(check(FIGURE, &changed, 2).starts_with(&format!("error: --assume {changed}: the certificate is not accepted: ")));
    let none = path_of(&place, "none.json", "{}");
    assert_eq!(check(FIGURE, &none, 2), format!("error: --assume {none}: missing field `format`\n"));
    assert!(check(FIGURE, "gone.json", 2).starts_with("error: cannot read gone.json: "));
}

#[test]
fn an_invariant_that_is_proposed_is_inductive_or_ended_by_a_transition() {
    let place = directory("nets-inductive-proposed");
    let check = |content: &str, status: i32| {
        let file = path_of(&place, "proposed.txt", content);
        said(&["net", "check", FIGURE, "--invariant", &file, "--no-times"], status)
    };
    let told = check("# of the figure\np1 + p3\n  <= 1 # one of them\n", 0);
    assert_eq!(told, "invariant:p1 + p3 <= 1  holds          induction\n  an inductive invariant of 1 clause excludes it\n");
    let told = check("p2 <= 1", 3);
    let begins = "invariant:p2 <= 1  undecided\n  it is not inductive: it holds where ";
    assert!(told.starts_with(begins) && told.ends_with(" ends that p2 <= 1\n"), "{told}");
    assert_eq!(check("p1 >= 2", 1), "invariant:p1 >= 2  does not hold  induction\n  at once: the formula does not hold\n");
    assert!(check("# nothing\n", 2).ends_with("proposed.txt has no formula\n"));
    assert!(check("p1 +", 2).starts_with("error: line 1, column 15: expected a place, a number or a formula, found the end\n"));
    assert!(check("p9 <= 1", 2).starts_with("error: line 1, column 11: the net has no place “p9”"));
    assert!(said(&["net", "check", FIGURE, "--invariant", "gone.txt"], 2).starts_with("error: cannot read gone.txt: "));
    // What was found to be one can be assumed.
    let proofs = place.join("proofs");
    let file = path_of(&place, "proposed.txt", "p1 + p3 <= 1");
    said(&["net", "check", FIGURE, "--invariant", &file, "--certificate", proofs.to_str().unwrap()], 0);
    let saved = fs::read_dir(&proofs).unwrap().next().unwrap().unwrap().path();
    said(&["verify", FIGURE, saved.to_str().unwrap()], 0);
    said(&["net", "check", FIGURE, "--assume", saved.to_str().unwrap(), "-p", "quasi-live"], 1);
}

#[test]
fn an_invariant_is_told_in_words() {
    let told = said(&["net", "invariant", "examples/nets/mutual-exclusion.net"], 0);
    assert_eq!(
        told,
        "deadlock-free: holds, because in every marking that can be reached\n  idle1 + inside1 >= 1\n  lock + inside1 + inside2 >= 1\n\
         one-safe: holds, because in every marking that can be reached\n  idle1 + inside1 <= 1\n  idle2 + inside2 <= 1\n  \
         lock + inside1 + inside2 <= 1\n"
    );
    assert_eq!(said(&["net", "invariant", FIGURE], 1), "deadlock-free: does not hold\none-safe: does not hold\n");
    assert!(
        said(&["net", "invariant", PETERSON, "-p", EXCLUSION], 0).starts_with(&format!("{EXCLUSION}: holds, because in every marking"))
    );
    assert!(
        said(&["net", "invariant", FIGURE, "-p", "nonsense"], 2).starts_with("error: line 1, column 1: there is no property “nonsense”")
    );
    assert!(said(&["net", "invariant", "gone.net"], 2).starts_with("error: cannot read gone.net: "));
}

#[test]
fn certificates_of_composed_nets_are_verified() {
    let place = directory("nets-inductive-composed");
    let (proofs, property) = (place.to_str().unwrap(), "deadlock-free");
    said(&["net", "check", CLIENT, "--compose", SERVER, "-p", property, "--certificate", proofs], 0);
    let certificate = place.join("deadlock-free.certificate.json");
    let certificate = certificate.to_str().unwrap();
    let told = said(&["verify", CLIENT, certificate, "--compose", SERVER], 0);
    assert!(told.starts_with(&format!("{certificate}: valid: deadlock-free holds of {CLIENT} (")), "{told}");
    // One of the nets alone, or both in another order, are other nets.
    for args in [&["verify", CLIENT, certificate][..], &["verify", SERVER, certificate, "--compose", CLIENT]] {
        assert!(said(args, 1).contains(": invalid: net.input: "), "{args:?}");
    }
    // The pages of a file.
    let ring = "examples/nets/token-ring.pnml";
    let other = place.join("ring");
    said(&["net", "check", ring, "--compose", "pages", "-p", property, "--certificate", other.to_str().unwrap(), "--exit-zero"], 0);
    let of_ring = other.join("deadlock-free.certificate.json");
    said(&["verify", ring, of_ring.to_str().unwrap(), "--compose", "pages"], 0);
    // What is refused: a file that is not there, one that is no net, one with a mistake, and programs.
    assert!(said(&["verify", CLIENT, certificate, "--compose", "gone.net"], 2).starts_with("error: cannot read gone.net: "));
    let no_net = "examples/lost-update.ser";
    assert_eq!(said(&["verify", CLIENT, certificate, "--compose", no_net], 2), format!("error: {no_net} is no net\n"));
    let mistaken = path_of(&place, "mistaken.net", "tr t p -> *");
    let told = said(&["verify", CLIENT, certificate, "--compose", &mistaken], 2);
    assert!(told.starts_with(&format!("{mistaken}:1:")) && told.contains(": error: "), "{told}");
    let program = ["verify", no_net, certificate, "--compose", SERVER];
    assert_eq!(said(&program, 2), "error: --compose and --from are about nets\n");
    let colours = said(&["net", "check", "examples/nets/round-table.pnml", "--compose", "pages"], 2);
    assert!(colours.contains("symmetric nets cannot be composed; unfold each, and compose what comes out\n"), "{colours}");
}

/// Questions of the contest about a net with colours: tokens of all colours of a place, a transition with some choice.
#[test]
fn the_contest_asks_about_colours() {
    let place = directory("nets-inductive-colours");
    let net = "examples/nets/round-table.pnml";
    let count = |places: &str| format!("<tokens-count>{places}</tokens-count>");
    let property = |id: &str, inside: &str| format!("<property><id>{id}</id><formula>{inside}</formula></property>");
    let always = |inside: String| format!("<all-paths><globally>{inside}</globally></all-paths>");
    let at_most = |number: u64| {
        always(format!("<integer-le>{}<integer-constant>{number}</integer-constant></integer-le>", count("<place>eat</place>")))
    };
    let fires = "<exists-path><finally><is-fireable><transition>take</transition></is-fireable></finally></exists-path>";
    let all = [property("two", &at_most(2)), property("one", &at_most(1)), property("take", fires)].concat();
    let queries = path_of(&place, "queries.xml", &format!("<property-set>{all}</property-set>"));
    let told = said(&["net", "check", net, "--queries", &queries, "--no-times", "--format", "mcc"], 1);
    let answers: Vec<String> = told
        .lines()
        .filter_map(|line| line.strip_prefix("FORMULA "))
        .map(|line| line.split(' ').take(2).collect::<Vec<_>>().join(" "))
        .collect();
    assert_eq!(answers, ["two TRUE", "one FALSE", "take TRUE"], "{told}");
    let unclear = path_of(&place, "unclear.xml", "<property-set><property><id>Table-COL-3-OneSafe</id></property></property-set>");
    let told = said(&["net", "check", net, "--queries", &unclear], 2);
    assert!(told.contains("OneSafe of a symmetric net is meant before or after unfolding; say which with a <formula>\n"), "{told}");
}
