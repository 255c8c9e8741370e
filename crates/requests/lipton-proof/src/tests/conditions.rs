//! Each condition is needed: a program that is not serializable, or that fails, and a proof that only it refuses.

use std::sync::Arc;

use serval_budget::Budget;
use serval_compile::{CompileError, Options, Prepared};
use serval_model::{completed_multisets, serial_multisets};
use serval_proof::{Bounds, Condition, Count, Doom, Group, Owner, Reduction, Refusal, Sum, Validated};

use super::switch::without;
use crate::check;

/// Two requests that both read 0 and write 1, though one after the other they would not.
pub(super) const LOST_UPDATE: &str = "request r { x := X; yield; X := 1 - x; x }\n";

pub(super) fn prepared(text: &str) -> Arc<Prepared> {
    let program = serval_syntax::analyze(text).program.unwrap_or_else(|| panic!("{text}"));
    Arc::new(Prepared::new(&program, Options::default()))
}

pub(super) fn checked(text: &str, reduction: &Reduction) -> Result<(), Refusal<()>> {
    check(&prepared(text), reduction, &mut Budget::ticks(1_000_000))
}

/// Whether up to three requests find the program not serializable, or it fails.
pub(super) fn is_wrong(text: &str) -> bool {
    is_wrong_with(text, 3)
}

/// The same with so many requests.
pub(super) fn is_wrong_with(text: &str, requests: usize) -> bool {
    let compiled = match prepared(text).compile(&Budget::unlimited()) {
        Ok(compiled) => compiled,
        Err(CompileError::Fault(report)) => return report.certain,
        Err(other) => panic!("{other:?}"),
    };
    compiled.components().iter().any(|component| {
        let budget = &mut Budget::unlimited();
        let interleaved = completed_multisets(component.system(), requests, budget).unwrap();
        !interleaved.is_subset(&serial_multisets(component.system(), requests, budget).unwrap())
    })
}

/// The number of a global.
pub(super) fn global(text: &str, name: &str) -> u32 {
    let prepared = prepared(text);
    let position = prepared.program().globals.iter().position(|global| global.name == name).unwrap();
    u32::try_from(position).unwrap()
}

pub(super) fn bits(text: &str, names: &[&str]) -> Vec<(u32, i64, i64)> {
    names.iter().map(|name| (global(text, name), 0, 1)).collect()
}

fn bounds(variable: u32, low: i64, high: i64) -> Vec<Bounds> {
    vec![Bounds { variable, low, high, points: vec![(2, 2)] }]
}

/// The program is wrong, and the proof is refused for the condition and for nothing else.
pub(super) fn needs(condition: Condition, text: &str, reduction: &Reduction) {
    assert!(is_wrong(text), "{condition}");
    match checked(text, reduction) {
        Err(Refusal::Invalid(rejection)) => assert_eq!(rejection.condition, condition, "{rejection}"),
        other => panic!("{condition}: {other:?}"),
    }
    assert_eq!(without(condition, || checked(text, reduction)), Ok(()), "{condition} hides behind another condition");
}

#[test]
fn numbers() {
    needs(Condition::ReductionNumbers, LOST_UPDATE, &Reduction { post: vec![(9, 9)], ..Reduction::default() });
}

#[test]
fn exchange() {
    let reduction = Reduction { ranges: bits(LOST_UPDATE, &["X"]), locals: bounds(0, 0, 1), ..Reduction::default() };
    needs(Condition::ReductionExchange, LOST_UPDATE, &reduction);
    let after = Reduction { post: vec![(2, 2)], ..reduction };
    needs(Condition::ReductionExchange, LOST_UPDATE, &after);
}

/// A path that leaves a variable alone may be replaced by one that changes it, but not before a request reads it.
#[test]
fn a_read_sees_what_it_saw() {
    let text = "request get { x := A; A := 0; x }\nrequest put { lock(L); A := 1; yield; if (A == 1) { A := 0 }; unlock(L); 0 }\n";
    let owners = vec![Owner { global: global(text, "L"), value: 1, points: vec![(3, 3)] }];
    let reduction = Reduction { ranges: bits(text, &["A", "L"]), owners, post: vec![(3, 3)], ..Reduction::default() };
    needs(Condition::ReductionExchange, text, &reduction);
    // A request that reads nothing does not notice.
    let blind = text.replace("x := A; A := 0; x", "A := 0; 7");
    assert_eq!(checked(&blind, &reduction), Ok(()));
}

/// Before, after, before: two commits.
#[test]
fn phases() {
    let text = "request r { x := X; yield; yield; X := 1 - x; x }\n";
    let locals = vec![Bounds { variable: 0, low: 0, high: 1, points: vec![(2, 3)] }];
    needs(Condition::ReductionPhases, text, &Reduction { ranges: bits(text, &["X"]), locals, post: vec![(2, 2)], ..Reduction::default() });
}

#[test]
fn range() {
    let text = "request a { if (X == 1) { y := Y; yield; Y := 1 - y; return 5 + y }; 0 }\nrequest b { X := 1; 7 }\n";
    let ranges = vec![(global(text, "X"), 0, 0), (global(text, "Y"), 0, 1)];
    needs(Condition::ReductionRange, text, &Reduction { ranges, locals: bounds(0, 0, 1), ..Reduction::default() });
}

#[test]
fn slow() {
    let text = "request r { X := X * 2 + 1; 0 }\nrequest s { X }\n";
    let reduction = Reduction { slow: vec![global(text, "X")], ..Reduction::default() };
    match checked(text, &reduction) {
        Err(Refusal::Invalid(rejection)) => assert_eq!(rejection.condition, Condition::ReductionSlow),
        other => panic!("{other:?}"),
    }
    assert_eq!(without(Condition::ReductionSlow, || checked(text, &reduction)), Ok(()));
    // Ever larger numbers, but slowly.
    let text = text.replace("X * 2 + 1", "X + 1");
    assert_eq!(checked(&text, &reduction), Ok(()));
}

/// The lost update beside another request.
fn beside(other: &str) -> (String, Reduction) {
    let text = format!("{LOST_UPDATE}{other}\n");
    let reduction = Reduction { ranges: bits(&text, &["X", "M"]), locals: bounds(0, 0, 1), ..Reduction::default() };
    (text, reduction)
}

#[test]
fn owner() {
    let (text, reduction) = beside("request m { M := 1 - M; M }");
    let owners = vec![Owner { global: global(&text, "M"), value: 1, points: vec![(2, 2)] }];
    needs(Condition::ReductionOwner, &text, &Reduction { owners, ..reduction });
}

#[test]
fn count() {
    let (text, reduction) = beside("request m { M := 1 - M; M }");
    let counts = vec![Count { global: global(&text, "M"), weights: vec![(2, 2, 1)] }];
    needs(Condition::ReductionCount, &text, &Reduction { counts, ..reduction });
}

#[test]
fn exclusion() {
    let text =
        "request a { lock(L); x := X; yield; X := 1 - x; unlock(L); x }\nrequest b { lock(M); x := X; yield; X := 1 - x; unlock(M); x }\n";
    let points = |text: &str, name: &str, point: u32| Owner { global: global(text, name), value: 1, points: vec![(point, point)] };
    // Points: entry of the first, where it waits for the lock, inside; entry of the second, waiting, inside.
    let found = (2..9).flat_map(|a| (a + 1..9).map(move |b| (a, b))).find(|&(a, b)| {
        let owners = vec![points(text, "L", a), points(text, "M", b)];
        let base = Reduction {
            ranges: bits(text, &["X", "L", "M"]),
            owners,
            exclusions: vec![(Group::Owner(0), Group::Owner(1))],
            ..Reduction::default()
        };
        let inside = Bounds { variable: 0, low: 0, high: 1, points: vec![(a, a), (b, b)] };
        let reduction = Reduction { locals: vec![inside], ..base };
        let refused =
            matches!(checked(text, &reduction), Err(Refusal::Invalid(rejection)) if rejection.condition == Condition::ReductionExclusion);
        refused && without(Condition::ReductionExclusion, || checked(text, &reduction)) == Ok(())
    });
    assert!(found.is_some());
    assert!(is_wrong(text));
}

#[test]
fn doom() {
    let (text, reduction) = beside("request m { M := 1 - M; M }");
    let doom = |value| Doom { global: global(&text, "M"), value, points: vec![(2, 2)] };
    needs(Condition::ReductionDoom, &text, &Reduction { dooms: vec![doom(0), doom(1)], ..reduction });
}

/// Doom is about complete runs, and errors count in others, too.
#[test]
fn errors_without_doom() {
    let text = "var C: 0..1\nrequest r { C := C + 1; await (G == 1); C := C - 1; 0 }\nrequest g { if (G == 0) { G := 2 }; G }\n";
    assert!(is_wrong(text));
    let ranges = vec![(global(text, "C"), 0, 1), (global(text, "G"), 0, 2)];
    for value in 0..3 {
        let dooms = vec![Doom { global: global(text, "G"), value, points: vec![(1, 2)] }];
        assert!(checked(text, &Reduction { ranges: ranges.clone(), dooms, ..Reduction::default() }).is_err());
    }
}

#[test]
fn nowhere() {
    let reduction = Reduction { ranges: bits(LOST_UPDATE, &["X"]), nowhere: vec![(2, 2)], ..Reduction::default() };
    needs(Condition::ReductionNowhere, LOST_UPDATE, &reduction);
}

#[test]
fn local() {
    let text = "request r { x := X; yield; if (x == 0) { X := 1 } else { X := 0 }; x }\n";
    let reduction = Reduction { ranges: vec![(0, 0, 0)], locals: bounds(0, 5, 5), ..Reduction::default() };
    needs(Condition::ReductionLocal, text, &reduction);
}

#[test]
fn known() {
    let (text, reduction) = beside("request m { M := 1 - M; M }");
    let known = bounds(global(&text, "M"), 5, 5);
    needs(Condition::ReductionKnown, &text, &Reduction { known, ..reduction });
}

#[test]
fn errors() {
    let text = "var C: 0..3\nrequest r { C := C + 1; C }\n";
    needs(Condition::ReductionErrors, text, &Reduction { ranges: vec![(0, 0, 3)], ..Reduction::default() });
}

/// The proof among some that is refused for the condition and for nothing else, and that of a program that is wrong.
fn needs_one_of(condition: Condition, text: &str, reductions: impl IntoIterator<Item = Reduction>) {
    let refused = |reduction: &Reduction| matches!(checked(text, reduction), Err(Refusal::Invalid(why)) if why.condition == condition);
    let alone = |reduction: &Reduction| refused(reduction) && without(condition, || checked(text, reduction)) == Ok(());
    let found = reductions.into_iter().find(alone);
    assert!(found.is_some(), "{condition} hides behind another condition");
    needs(condition, text, &found.unwrap());
}

/// A counter that is written if a version has not changed since it was read.
fn edit(next: &str) -> String {
    format!(
        "var V: 0..4\nrequest edit {{ d := 0; while (not d) {{ v := V; if (v == 3) {{ return 9 }}; t := T; yield; if (V == v) {{ T := (t + 1) % 3; V := {next}; d := 1 }} }}; t }}\n"
    )
}

/// Proofs that a read at one place and its test at another validate it.
fn validating(text: &str, covered: &[u32]) -> Vec<Reduction> {
    let nodes = u32::try_from(prepared(text).control().node_count()).unwrap();
    let mut proofs = Vec::new();
    for node in 0..nodes {
        for register in 0..4_u32 {
            for (head, wait) in [(2, 3), (4, 3), (5, 3), (3, 4), (5, 4)] {
                for &other in covered {
                    let read = Validated { head, wait, global: 0, register, reads: vec![(1, other)] };
                    let ranges = vec![(0, 0, 3), (1, 0, 2)];
                    proofs.push(Reduction { yields: vec![node], validated: vec![read], ranges, ..Reduction::default() });
                }
            }
        }
    }
    proofs
}

/// A version that wraps around validates nothing; one that grows does.
#[test]
fn validated() {
    let grows = edit("v + 1");
    assert!(!is_wrong(&grows));
    assert!(validating(&grows, &[0, 1, 2, 3]).iter().any(|proof| checked(&grows, proof) == Ok(())));
    for wraps in ["1 - v % 2", "0"] {
        let wraps = edit(wraps);
        assert!(validating(&wraps, &[0, 1, 2, 3]).iter().all(|proof| checked(&wraps, proof).is_err()));
        needs_one_of(Condition::ReductionValidated, &wraps, validating(&wraps, &[0, 1, 2, 3]));
    }
}

/// What is on the way from one account to the other is in neither.
#[test]
fn sum() {
    let torn = "var X: 0..1 := 1\nvar Y: 0..1\nrequest count { a := X + Y; yield; 10 * a + X + Y }\nrequest move { if (X == 1) { X := 0; yield; Y := 1 }; 0 }\n";
    let proofs = |text: &str| {
        let sums = vec![Sum { globals: vec![(global(text, "X"), 1), (global(text, "Y"), 1)], values: Vec::new() }];
        let ranges = bits(text, &["X", "Y"]);
        let locals = vec![Bounds { variable: 0, low: 0, high: 2, points: vec![(2, 2)] }];
        let proof = Reduction { sums, ranges, locals, ..Reduction::default() };
        let plain = [proof.clone()];
        (1..6).map(move |after| Reduction { post: vec![(after, after)], ..proof.clone() }).chain(plain).collect::<Vec<_>>()
    };
    needs_one_of(Condition::ReductionSum, torn, proofs(torn));
    // In one step what goes out of one comes into the other.
    let whole = torn.replace("X := 0; yield; Y := 1", "X := 0; Y := Y + 1");
    assert_ne!(whole, torn);
    assert!(!is_wrong(&whole));
    let proved = |proof: &Reduction| checked(&whole, proof);
    assert!(proofs(&whole).iter().any(|proof| proved(proof) == Ok(())), "{:?}", proofs(&whole).iter().map(proved).collect::<Vec<_>>());
}

/// What a number counts is known of every step that changes it: what the row was before, what it becomes, and that the
/// number follows.
#[test]
fn counted_values() {
    let pay = "var S: 0..3\nvar P: 0..1\nrequest pay { if (S == 0) { S := 1; P := P + 1 }; 0 }\nrequest refund { if (S == 1) { S := 0; P := P - 1 }; 0 }\n";
    let proof = |text: &str| {
        let sums = vec![Sum { globals: vec![(global(text, "P"), 1)], values: vec![(global(text, "S"), 1, -1)] }];
        Reduction { sums, ranges: vec![(global(text, "S"), 0, 3), (global(text, "P"), 0, 1)], ..Reduction::default() }
    };
    assert!(!is_wrong(pay));
    assert_eq!(checked(pay, &proof(pay)), Ok(()));
    // Without the sum it is not known that nothing fails.
    assert!(checked(pay, &Reduction { sums: Vec::new(), ..proof(pay) }).is_err());
    for other in [
        // It may have been paid before.
        "S := 0",
        // It may be paid after.
        "if (S != 1 and S < 3) { S := S + 1 }",
        // Both are known, and the number does not follow.
        "if (S == 1) { S := 0 }",
        "if (S == 2) { S := 1 }; if (S == 0) { S := 2 }",
    ] {
        let wrong = format!("{pay}request other {{ {other}; 0 }}\n");
        needs(Condition::ReductionSum, &wrong, &proof(&wrong));
    }
    // What counts nothing may change as it likes.
    let harmless = format!("{pay}request other {{ if (S == 2) {{ S := 3 }}; if (S == 0) {{ S := 2 }}; 0 }}\n");
    assert_eq!(checked(&harmless, &proof(&harmless)), Ok(()));
    // A pair that is listed twice, without a factor, or of no variable means nothing.
    for values in [vec![(0, 1, -1), (0, 1, -1)], vec![(0, 1, 0)], vec![(9, 1, -1)]] {
        let meaningless = Reduction { sums: vec![Sum { values, ..proof(pay).sums.remove(0) }], ..proof(pay) };
        assert!(checked(pay, &meaningless).is_err());
    }
}
