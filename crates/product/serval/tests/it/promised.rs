//! What `explain undecided` and the page on `check` promise is printed, whatever ends the work: rounds, too many pairs
//! of states, or the flag that limits on time and memory raise.

use std::sync::atomic::{AtomicU64, Ordering};

use serval::{Cancel, Input, Method, Methods, Options, Verdict, advice, decide};
use serval_report::Look;

/// Looks at the flag that the work has before it is raised; advice has a flag of its own, as it has the time that is
/// kept for it.
static LOOKS: AtomicU64 = AtomicU64::new(0);

fn options(methods: &[Method], pairs: Option<u64>) -> Options {
    let mut options = Options::default();
    options.methods = Methods::Portfolio(methods.to_vec());
    (options.rounds, options.pairs, options.fixes, options.jobs) = (1, pairs, false, 1);
    options
}

/// What is printed about a program that stays undecided; with some looks, the flag ends the work then.
fn printed(name: &str, text: &str, options: &Options, looks: Option<u64>) -> String {
    let mut deciding = options.clone();
    if let Some(looks) = looks {
        LOOKS.store(looks, Ordering::Relaxed);
        deciding.cancel = Cancel::asking(|| LOOKS.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_err());
    }
    let input = Input::program(text).unwrap();
    let decision = decide(&input, &deciding);
    assert!(matches!(decision.verdict, Verdict::Undecided(_)), "{name}: {:?}", decision.verdict);
    let found = advice(&input, &decision, options);
    let mut report = decision.into_report(name, &input, false);
    report.advice = found;
    report.to_text(false, Look::default())
}

const STOCK: &str = "var Stock: 0..60 := 60\n\
    request buy { lock(L); s := Stock; yield; if (s > 0) { Stock := s - 1 }; unlock(L); s }\n\
    request fill(n: 1..3) { lock(L); s := Stock; yield; if (s + n <= 60) { Stock := s + n }; unlock(L); 0 }\n";
const RACE: &str = "var Next: 0..99\nrequest next { n := Next; yield; Next := (n + 1) % 100; n }\n";
const SHELVES: &str = "var A: 0..30 := 30\nvar B: 0..30\n\
    request forth { lock(L); a := A; yield; if (a > 0) { A := a - 1; B := B + 1 }; unlock(L); a }\n\
    request back { lock(L); b := B; yield; if (b > 0) { B := b - 1; A := A + 1 }; unlock(L); b }\n";
const TURNS: &str = "var Turn: 0..19\nvar Done: 0..19\n\
    request work { mine := Turn; Turn := (Turn + 1) % 20; yield; Done := (Done + 1) % 20; mine }\n";
const BUDGET: &str = "var Spent: 0..50\nvar Left: 0..50 := 50\n\
    request spend { lock(L); l := Left; yield; if (l > 0) { Left := l - 1; Spent := Spent + 1 }; unlock(L); l }\n\
    request reset { lock(L); Left := 50; Spent := 0; unlock(L); 0 }\n";

#[test]
fn five_programs_say_what_the_pages_promise() {
    let search = [Method::Search];
    let cases = [
        ("rounds", STOCK, options(&search, None), None),
        ("pairs", RACE, options(&[Method::Reduce, Method::Letters], Some(100)), None),
        ("pairs of two shelves", SHELVES, options(&[Method::Reduce, Method::Flow], Some(100)), None),
        ("time", TURNS, options(&search, None), Some(40)),
        ("memory", BUDGET, options(&[Method::Search, Method::Letters], None), Some(20)),
    ];
    for (name, text, options, looks) in cases {
        let told = printed(name, text, &options, looks);
        assert!(told.starts_with(&format!("undecided  {name}   ")), "{told}");
        assert!(told.contains("\n  most states     `") && told.contains("multiplies the states most: with half of its values"), "{told}");
        assert!(told.contains("\n  tried smaller   with `"), "{told}");
        assert!(told.contains("another program") || told.contains("nothing is known about larger ones"), "{told}");
        assert!(told.ends_with("  more            serval explain undecided\n"), "{told}");
    }
}
