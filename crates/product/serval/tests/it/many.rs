//! Programs with more combinations of parameters than are written out, and with large arrays.

use serval::{Cancel, Input, Options, Outcome, Verdict, decide};

/// What is expected.
#[derive(Debug, PartialEq)]
enum Expected {
    Serializable,
    NotSerializable,
    Fault,
    Undecided,
}

use Expected::{Fault, NotSerializable, Serializable, Undecided};

/// Decides, and has the certificate checked by the text alone.
fn decided(text: &str) -> (Expected, String) {
    let input = Input::program(text).unwrap_or_else(|mistakes| panic!("{text}\n{:?}", mistakes.diagnostics));
    let mut options = Options::default();
    options.rounds = 1;
    let decision = decide(&input, &options);
    let (found, said) = match &decision.verdict {
        Verdict::Serializable(_) => (Serializable, String::new()),
        Verdict::NotSerializable(_, shown) => (NotSerializable, format!("{shown:?}")),
        Verdict::Fault(_, note) => (Fault, format!("{note:?}")),
        Verdict::Undecided(why) => (Undecided, why.to_string()),
        other => panic!("{text}\n{other:?}"),
    };
    if let Some(evidence) = decision.evidence() {
        let outcome = input.verify(&evidence.certificate, &Cancel::new());
        assert!(matches!(outcome, Outcome::Valid(_)), "{text}\n{outcome:?}");
    }
    (found, said)
}

const PROGRAMS: &[(&str, Expected, &str)] = &[
    (
        "transfer in one step",
        Serializable,
        "var A[0..99]: 0..100000 := 500
         request transfer(a: 0..99, b: 0..99, n: 0..1000) {
           if (A[a] >= n and A[b] <= 99000) { A[a] -= n; A[b] += n; 1 } else { 0 }
         }",
    ),
    (
        "transfer with a pause",
        NotSerializable,
        "var A[0..99]: 0..100000 := 500
         request transfer(a: 0..99, b: 0..99, n: 0..1000) {
           if (A[a] >= n and A[b] <= 99000) { x := A[a]; yield; A[a] := x - n; A[b] += n; 1 } else { 0 }
         }
         request balance(a: 0..99) { A[a] }",
    ),
    (
        "accounts locked in their order",
        Serializable,
        "var A[0..999]: 0..1000000000
         var L[0..999]
         request pay(a: 0..999, b: 0..999, n: 0..1000000000) {
           if (a == b) { return 0 };
           if (a < b) { lock(L[a]); lock(L[b]) } else { lock(L[b]); lock(L[a]) };
           x := A[a];
           yield;
           r := 0;
           if (x >= n) { A[a] := x - n; yield; if (A[b] + n <= 1000000000) { A[b] += n }; r := 1 };
           unlock(L[a]);
           unlock(L[b]);
           r
         }",
    ),
    (
        "seats in one step",
        Serializable,
        "var Seat[0..9999]: 0..1
         request book(s: 0..9999) { if (Seat[s] == 0) { Seat[s] := 1; 1 } else { 0 } }
         request cancel(s: 0..9999) { Seat[s] := 0; 1 }",
    ),
    (
        "seats with a pause",
        NotSerializable,
        "var Seat[0..9999]: 0..1
         request book(s: 0..9999) { if (Seat[s] == 0) { yield; Seat[s] := 1; 1 } else { 0 } }",
    ),
    (
        "coupons",
        Serializable,
        "var Used[0..49][0..99]: 0..1
         var Spent[0..49]: 0..100000
         request coupon(u: 0..49, c: 0..99, n: 0..999) {
           if (Used[u][c] == 0 and Spent[u] + n <= 100000) { Used[u][c] := 1; Spent[u] += n; 1 } else { 0 }
         }",
    ),
    (
        "coupons used twice",
        NotSerializable,
        "var Used[0..49][0..99]: 0..1
         var Spent[0..49]: 0..100000
         request coupon(u: 0..49, c: 0..99, n: 0..999) {
           if (Used[u][c] == 0) { yield; Used[u][c] := 1; if (Spent[u] + n <= 100000) { Spent[u] += n }; 1 } else { 0 }
         }",
    ),
    (
        "the highest bid",
        Serializable,
        "var Highest: 0..1000000000
         request bid(n: 1..1000000000) { if (n > Highest) { Highest := n; 1 } else { 0 } }",
    ),
    (
        "the highest bid, looked at before a pause",
        NotSerializable,
        "var Highest: 0..1000000000
         request bid(n: 1..1000000000) { if (n > Highest) { yield; Highest := n; 1 } else { 0 } }
         request highest { Highest }",
    ),
    (
        "listed amounts and functions",
        Serializable,
        "const Large = 1000000000
         var A[0..4999]: 0..2000000000
         fn add(k, n) { if (A[k] + n <= 2000000000) { A[k] += n; 1 } else { 0 } }
         request put(k: 0..4999, n: {1, 5, Large}) { add(k, n) }",
    ),
    (
        "one account that is another one's",
        NotSerializable,
        "var A[0..9999]: 0..9
         request move(a: 0..9999, b: 0..9999) {
           if (a == b) { return 9 };
           x := A[a];
           yield;
           A[b] := (x + 1) % 10;
           x
         }",
    ),
    (
        "an account that has too little",
        Fault,
        "var A[0..999]: 0..100000 := 500
         request take(a: 0..999, n: 0..1000) { if (A[a] >= n) { yield; A[a] -= n; 1 } else { 0 } }",
    ),
    (
        "a number that is an index, too",
        Serializable,
        "var A[0..49]: 0..1
         var Last: 0..2000
         request r(k: 0..1999) { if (k < 50) { A[k] := 1 }; Last := k; k }",
    ),
];

#[test]
fn programs_with_many_combinations_are_decided() {
    for (name, expected, text) in PROGRAMS {
        let start = std::time::Instant::now();
        let (found, said) = decided(text);
        serval_testkit::say(&format!("{name}: {found:?} in {:?}", start.elapsed()));
        assert_eq!(found, *expected, "{name}\n{text}\n{said}");
    }
}

/// Proofs over numbers of answers need all states.
#[test]
fn what_needs_all_states_says_why() {
    let text = "var X: 0..3  request a(n: 0..9999) { x := X; yield; if (X == x) { X := (x + 1) % 4; 1 } else { 1 } }";
    let (found, said) = decided(text);
    assert_eq!(found, Undecided, "{said}");
    assert_eq!(said, "stopped at the stage compiling: more than 1024 combinations of parameters");
}

/// A certificate of a run is about the requests that come in it, and no others make it wrong.
#[test]
fn runs_of_other_requests_are_refused() {
    let text = PROGRAMS[4].2;
    let input = Input::program(text).unwrap();
    let decision = decide(&input, &Options::default());
    let certificate = &decision.evidence().unwrap().certificate;
    let name = |certificate: &str| certificate.split("\"book(").nth(1).unwrap().split(')').next().unwrap().to_owned();
    let seat = name(certificate);
    for other in ["10000", "-1", "x", "01", &format!("{seat}, {seat}")] {
        let changed = certificate.replace(&format!("book({seat})"), &format!("book({other})"));
        assert_ne!(&changed, certificate);
        let outcome = input.verify(&changed, &Cancel::new());
        assert!(!matches!(outcome, Outcome::Valid(_)), "{other}: {outcome:?}");
    }
    let changed = certificate.replace(&format!("book({seat})"), "book(9999)").replace(&format!("Seat[{seat}]"), "Seat[9999]");
    assert!(matches!(input.verify(&changed, &Cancel::new()), Outcome::Valid(_)));
}
