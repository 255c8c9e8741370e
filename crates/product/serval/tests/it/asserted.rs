//! Programs with `assert`, `invariant` and `assume`, against the naive interpreter with up to three requests.
//!
//! For the interpreter an invariant is tested before every pause and answer, by terms that no parser has seen.

use std::sync::atomic::{AtomicUsize, Ordering};

use serval::{Input, Options, Verdict, decide, faults};
use serval_effort::sweep;
use serval_testkit::naive::{Caps, Naive, Rejected};
use serval_testkit::random::random_asserted;
use serval_testkit::say;

const REQUESTS: usize = 3;

/// What the interpreter knows.
struct Known {
    /// The fewest requests with which something fails.
    fails_with: Option<usize>,
    /// Whether requests that run one at a time fail.
    alone: bool,
    /// Whether it is serializable, where nothing fails.
    serializable: bool,
}

fn tried(naive: &mut Naive) -> Option<Known> {
    let caps = Caps { configurations: 60_000, ..Caps::default() };
    let mut fails_with = None;
    let mut serializable = true;
    for requests in 1..=REQUESTS {
        let serial = match naive.serial(requests, caps) {
            Err(Rejected::TooLarge) => return None,
            serial => serial.ok(),
        };
        match (naive.completed(requests, caps), serial) {
            (Err(Rejected::TooLarge), _) => return None,
            (Err(Rejected::Fault(_)), _) => {
                fails_with = fails_with.or(Some(requests));
            }
            (Ok(all), Some(serial)) => serializable &= all.is_subset(&serial),
            (Ok(_), None) => panic!("only requests one at a time fail"),
        }
    }
    let alone = matches!(naive.serial(REQUESTS, caps), Err(Rejected::Fault(_)));
    Some(Known { fails_with, alone, serializable })
}

#[test]
fn what_is_asserted_fails_where_the_interpreter_says() {
    let sweep = sweep("serval.asserted", 500, 10_000);
    let counts: [AtomicUsize; 5] = Default::default();
    let count = |which: usize| counts[which].fetch_add(1, Ordering::Relaxed);
    sweep.each(1, |seed| {
        let program = random_asserted(seed);
        let text = program.text.as_str();
        let input = Input::program(text).unwrap_or_else(|errors| panic!("{seed}: {errors:?}\n{text}"));
        let Some(known) = tried(&mut Naive::new(&program.source)) else {
            count(4);
            return;
        };
        match faults(&input, &Options::default()).verdict {
            Verdict::Safe(_) => assert!(known.fails_with.is_none(), "{seed}: a failure is missed\n{text}"),
            Verdict::Fault(_, note) => match known.fails_with {
                Some(fewest) => assert_eq!(note.run.requests.len(), fewest, "{seed}: the run has not the fewest requests\n{text}"),
                None => assert!(note.run.requests.len() > REQUESTS, "{seed}: the interpreter knows no failure\n{text}"),
            },
            Verdict::Undecided(_) => {}
            other => panic!("{seed}: {other:?}\n{text}"),
        }
        match decide(&input, &Options::default()).verdict {
            Verdict::Serializable(_) => {
                assert!(known.fails_with.is_none(), "{seed}: a failure with {:?} requests is missed\n{text}", known.fails_with);
                assert!(known.serializable, "{seed}: not serializable\n{text}");
                count(0);
            }
            Verdict::NotSerializable(..) => {
                // With a failure the sets of answers are not all known.
                assert!(known.fails_with.is_some() || !known.serializable || REQUESTS < 4, "{seed}\n{text}");
                count(1);
            }
            Verdict::Fault(_, note) => {
                let requests = note.run.requests.len();
                match known.fails_with {
                    Some(fewest) => assert_eq!(requests, fewest, "{seed}: the run has not the fewest requests\n{text}"),
                    None => assert!(requests > REQUESTS, "{seed}: the interpreter knows no failure with {requests}\n{text}"),
                }
                assert!(note.needs != "overlap" || !known.alone, "{seed}: it takes no overlap\n{text}");
                assert!(
                    !matches!(note.needs, "one-at-a-time") || known.alone || requests >= REQUESTS,
                    "{seed}: it takes an overlap\n{text}"
                );
                count(2);
            }
            Verdict::Undecided(_) => {
                count(3);
            }
            other => panic!("{seed}: {other:?}\n{text}"),
        }
    });
    let [serializable, not, fails, undecided, large] = counts.map(AtomicUsize::into_inner);
    say(&format!("asserted: {serializable} serializable, {not} not, {fails} can fail, {undecided} undecided, {large} too large"));
    if sweep.is_representative() {
        assert!(serializable > 50 && fails > 50, "the sample is one-sided");
    }
}

/// A step that never ends has no way through, and what it reads must be within its range all the same.
#[test]
fn what_a_step_that_never_ends_reads_keeps_its_range() {
    let text = "var A: -20..20 := 2\nvar B: -20..20 := 2\nrequest one { A := (B + A) % 3; assume (y == 1); 0 }\n";
    let input = Input::program(text).unwrap();
    assert!(matches!(faults(&input, &Options::default()).verdict, Verdict::Safe(_)));
    assert!(matches!(decide(&input, &Options::default()).verdict, Verdict::Serializable(_)));
}
