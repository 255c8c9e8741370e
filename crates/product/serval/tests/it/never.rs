//! Answers that no serial run ever gives are reported first, and no read is blamed for them.

use serval::{Counterexample, Input, Options, Verdict, decide};

fn counterexample(text: &str) -> (Counterexample, String) {
    let input = Input::program(text).unwrap_or_else(|mistakes| panic!("{mistakes:?}"));
    let decision = decide(&input, &Options::default());
    let Verdict::NotSerializable(_, run) = decision.verdict.clone() else { panic!("{:?}", decision.verdict) };
    let report = decision.into_report("a.ser", &input, false);
    (*run, report.to_text(false, serval_report::Look::default()))
}

#[test]
fn busy_is_never_answered_one_at_a_time() {
    let (run, text) = counterexample("request submit { if (Running == 1) { return 409 }; Running := 1; yield; Running := 0; 200 }");
    assert_eq!(run.anomaly, None, "no read is to blame");
    let told: Vec<&str> = text.lines().collect();
    assert_eq!(told[2], "  no serial run ever answers 409", "{text}");
    let (never, why) = (text.find("no serial run ever"), text.find("  why "));
    assert!(never < why, "the cycle comes second: {text}");
    assert!(text.contains("  more            serval explain answers-about-others\n"), "{text}");
    assert!(!text.contains("intermediate") && !text.contains("skew"), "{text}");
}

#[test]
fn so_is_giving_up_after_an_optimistic_look() {
    let program = "request save { seen := Version; yield; if (seen != Version) { return 503 }; Version := (Version + 1) % 3; 200 }";
    let (run, text) = counterexample(program);
    assert_eq!(run.anomaly, None);
    assert!(text.contains("\n  no serial run ever answers 503\n"), "{text}");
}

#[test]
fn what_is_computed_may_just_be_wrong() {
    // A torn read: the answer is no message about others, and the name stays.
    let program = "request swap { A := 1 - A; yield; B := 1 - B; 0 } request look { a := A; yield; 10 * a + B }";
    let (run, _) = counterexample(program);
    assert!(run.anomaly.is_some() && !run.is_about_others());
    // Another request has read what was not final: that is to blame.
    let program = "request checkout { if (Ordered == 1) { return 3 }; Ordered := 1; yield; if (?) { return 0 }; if (Shipped == 1) { return 2 }; 1 } \
                   request warehouse { if (Ordered == 1) { Shipped := 1 }; Shipped }";
    let (run, text) = counterexample(program);
    assert_eq!(run.anomaly, Some("dirty-read"), "{text}");
    assert!(text.contains("\n  no serial run ever answers 2\n"), "{text}");
    // An answer that serial runs give is not told of.
    let (run, text) = counterexample("request add { x := N; yield; N := (x + 1) % 3; N }");
    assert!(run.never.is_empty() && !text.contains("ever answers"), "{text}");
    // Another request gives it.
    let both =
        "request submit { if (Running == 1) { return 1 }; Running := 1; yield; Running := 0; 0 } request one { Running := Running; 1 }";
    let (_, text) = counterexample(both);
    assert!(text.contains("\n  no serial run ever answers 1 to submit\n"), "{text}");
}
