//! What is advised where nothing is decided, under limits that are the same on
//! every machine.

use std::sync::atomic::{AtomicU64, Ordering};

use serval::{Advice, Cancel, Decision, Input, Method, Methods, Options, Verdict, advice, decide};
use serval_report::{Look, OpenAnswer};

/// A lock around a number of things in stock.
const LOCKED: &str = "var STOCK: 0..100 := 100\nenum Reply { Sold, Empty }\n\
    request buy {\n  lock(L); s := STOCK; yield;\n  r := Empty;\n  if (s > 0) { STOCK := s - 1; r := Sold };\n  unlock(L); r\n}\n\
    request fill(n: 1..2) { lock(L); s := STOCK; yield; if (s + n <= 100) { STOCK := s + n }; unlock(L); Sold }\n";

fn limited(methods: &[Method]) -> Options {
    let mut options = Options::default();
    options.methods = Methods::Portfolio(methods.to_vec());
    options.pairs = Some(400);
    options.rounds = 1;
    options
}

fn undecided(text: &str, options: &Options) -> (Input, Decision, Option<Advice>) {
    let input = Input::program(text).unwrap();
    let decision = decide(&input, options);
    assert!(matches!(decision.verdict, Verdict::Undecided(_)), "{:?}", decision.verdict);
    let found = advice(&input, &decision, options);
    (input, decision, found)
}

#[test]
fn a_smaller_program_is_tried_and_told_as_another() {
    let (input, decision, found) = undecided(LOCKED, &limited(&[Method::Search, Method::Reduce, Method::Letters, Method::Flow]));
    let mut report = decision.into_report("stock.ser", &input, false);
    report.advice = found;
    let text = report.to_text(false, Look::default());
    assert_eq!(
        text,
        "undecided  stock.ser   stopped at the stage compiling: more than 400 pairs of states   no counterexample with up to 3 requests\n  \
           came closest    search: no counterexample with up to 3 requests\n  \
           most states     `STOCK: 0..100` on line 1 multiplies the states most: with half of its values there are 459\n  \
           tried smaller   with `STOCK: 0..4` (serval check --scale 4): serializable with these sizes; nothing is known about larger ones\n  \
           help            the other methods have other limits (--method auto), and a smaller program has smaller numbers\n  \
           more            serval explain undecided\n"
    );
    let again = undecided(LOCKED, &limited(&[Method::Search, Method::Reduce, Method::Letters, Method::Flow])).2;
    assert_eq!(report.advice, again, "advice depends on something else than the program and the limits");
}

#[test]
fn of_several_ranges_the_one_that_multiplies_most_is_named() {
    // Both can be halved, and either order of their declarations gives the same answer.
    for declared in ["var SMALL: 0..3\nvar STOCK: 0..30 := 30\n", "var STOCK: 0..30 := 30\nvar SMALL: 0..3\n"] {
        let buy = "request buy { s := STOCK; yield; if (s == STOCK and s > 0) { STOCK := s - 1; SMALL := (SMALL + 1) % 4 }; s }\n";
        let (_, _, found) = undecided(&format!("{declared}{buy}"), &limited(&[Method::Reduce]));
        assert_eq!(found.unwrap().largest.unwrap().written, "STOCK: 0..30", "{declared}");
    }
}

#[test]
fn a_smaller_program_that_is_refuted_is_told_so() {
    let race = "request next { n := N; yield; N := (n + 1) % 100; n }\n";
    let (_, _, found) = undecided(race, &limited(&[Method::Reduce]));
    let found = found.unwrap();
    assert_eq!(found.largest.as_ref().map(|largest| largest.written.as_str()), Some("100"));
    // With the reductions alone nothing is refuted, however small it is.
    assert_eq!(found.tried.unwrap().verdict, serval_report::Verdict::Unknown);
    let (_, _, found) = undecided(race, &limited(&[Method::Letters]));
    let tried = found.unwrap().tried.unwrap();
    assert_eq!(tried.verdict, serval_report::Verdict::NotSerializable);
    assert!(tried.written.ends_with(" for every 100"), "{tried:?}");
}

#[test]
fn too_many_states_get_the_same_advice() {
    let options = limited(&[Method::Reduce, Method::Letters, Method::Flow]);
    let (input, mut decision, _) = undecided(LOCKED, &options);
    let diagnostic = |code| serval::Diagnostic::error(serval_syntax::Code(code), serval_syntax::Span::default(), "too many states");
    decision.verdict = Verdict::Unusable(Box::new(diagnostic("E0301")));
    let found = advice(&input, &decision, &options).unwrap();
    assert_eq!(found.tried.unwrap().verdict, serval_report::Verdict::Serializable);
    // Other mistakes do not get better with fewer values.
    decision.verdict = Verdict::Unusable(Box::new(diagnostic("E0302")));
    assert_eq!(advice(&input, &decision, &options), None);
}

#[test]
fn what_is_decided_needs_no_advice() {
    let input = Input::program("request flip { X := 1 - X }").unwrap();
    let options = Options::default();
    assert_eq!(advice(&input, &decide(&input, &options), &options), None);
}

#[test]
fn open_answers_have_the_names_of_their_values() {
    let (input, mut decision, _) = undecided(LOCKED, &limited(&[Method::Reduce]));
    decision.open = vec![OpenAnswer { request: "buy".to_owned(), response: "1".to_owned(), name: None, count: 2 }];
    let found = advice(&input, &decision, &limited(&[Method::Reduce])).unwrap();
    let closest = found.closest.unwrap();
    assert_eq!(closest.method, "letters");
    assert_eq!(closest.words, "stopped at the set of open answers: it could neither realise nor exclude it; more may follow");
    decision.open_sets = 3;
    let several = advice(&input, &decision, &limited(&[Method::Reduce])).unwrap().closest.unwrap().words;
    assert_eq!(
        several,
        "stopped at 3 sets of answers, of which the smallest is shown: it could neither realise nor exclude them; more may follow"
    );
    let report = decision.into_report("stock.ser", &input, false);
    assert!(report.to_json().contains(r#""open":[{"request":"buy","response":"1","name":"Empty","count":2}]"#), "{}", report.to_json());
    let text = report.to_text(false, Look::default());
    assert!(text.contains("  open            whether a run can have 2 × buy answers Empty, which no serial run has\n"), "{text}");
}

/// How often the flag of the next test is looked at before it is raised.
static LOOKS: AtomicU64 = AtomicU64::new(0);

#[test]
fn what_is_known_when_the_time_ends_is_told() {
    let options = limited(&[Method::Search, Method::Reduce, Method::Letters, Method::Flow]);
    let (input, decision, whole) = undecided(LOCKED, &options);
    let whole = whole.unwrap();
    let mut parts = Vec::new();
    for looks in [0, 100, 1_000, 10_000, 100_000, 1_000_000, u64::MAX] {
        LOOKS.store(looks, Ordering::Relaxed);
        let mut ended = options.clone();
        ended.cancel = Cancel::asking(|| LOOKS.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_err());
        let found = advice(&input, &decision, &ended).expect("the method that came closest needs no work");
        assert_eq!(found.closest, whole.closest);
        parts.push(usize::from(found.tried.is_some()) + usize::from(found.largest.is_some()));
    }
    assert_eq!((parts.first(), parts.last()), (Some(&0), Some(&2)), "{parts:?}");
    assert!(parts.is_sorted(), "{parts:?}");
}

/// A queue of three places of which the counts are kept in two steps; it takes seven requests to see that.
const QUEUE: &str = "var Slot[0..2]: 0..2\nvar Head: 0..2\nvar Tail: 0..2\nvar Count: 0..3 saturate\n\
    request put(value: 1..2) {\n  await (Count < 3 && Slot[Tail] == 0);\n  Count := Count + 1;\n  own := Tail;\n  \
    Tail := (Tail + 1) % 3;\n  yield;\n  Slot[own] := value;\n  value\n}\n\
    request get {\n  await (Count > 0 && Slot[Head] > 0);\n  own := Head;\n  Head := (Head + 1) % 3;\n  value := Slot[own];\n  \
    yield;\n  Slot[own] := 0;\n  Count := Count - 1;\n  value\n}\n";

/// The same for the test that follows.
static MORE_LOOKS: AtomicU64 = AtomicU64::new(0);

#[test]
fn what_was_ruled_out_stays_known_whatever_is_cut_off() {
    let input = Input::program(QUEUE).unwrap();
    let mut known = Vec::new();
    for looks in [0, 1_000, 3_000, 10_000, 30_000, 100_000] {
        MORE_LOOKS.store(looks, Ordering::Relaxed);
        let mut options = Options::default();
        options.jobs = 1;
        options.cancel =
            Cancel::asking(|| MORE_LOOKS.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_err());
        let decision = decide(&input, &options);
        if let Verdict::Undecided(_) = decision.verdict {
            assert!(decision.ruled_out.requests_up_to < 7, "{looks}: {:?}", decision.ruled_out);
            known.push(decision.ruled_out.requests_up_to);
        }
    }
    assert!(known.is_sorted() && known.first() == Some(&0) && known.last() > Some(&1), "{known:?}");
}
