//! What is said of the nearest serial order and of the circle is true, for random programs, by another reading of the
//! language.

use serval::{Counterexample, Input, Options, Verdict, decide};
use serval_effort::sweep;
use serval_report::{FileReport, NearestOrder, TraceEvent};
use serval_syntax::analyze;
use serval_testkit::naive::{Source, ways_after};
use serval_testkit::random::SplitMix64;
use serval_testkit::say;

/// Pieces of handlers that look, wait and act.
const PIECES: [&str; 16] = [
    "x := A",
    "x := B",
    "yield",
    "yield",
    "if (A > 0) { yield; A := A - 1; x := 1 }",
    "if (x == 0) { B := 1 }",
    "if (x > 0) { return 2 }",
    "if (?) { x := B } else { A := 1 }",
    "A := (x + 1) % 3",
    "B := 1 - B % 2",
    "H := (H + 1) % 3",
    "R[x % 2] := 1",
    "x := R[A % 2]",
    "A := B; B := 0",
    "if (B == 1) { yield; R[0] := 1 - R[0] }",
    "s := 0; while (s < 2) { if (R[s] == 0) { yield; R[s] := 1; return s }; s := s + 1 }",
];

fn program(seed: u64) -> String {
    let mut rng = SplitMix64::new(seed);
    let mut text = format!("var A: 0..2 := {}\nvar B: 0..1\nvar H: 0..2\nvar R[0..1]: 0..1\n", rng.below(3));
    for name in ["first", "second", "third"].into_iter().take(1 + rng.below(3)) {
        text += &format!("request {name} {{\n  x := 0;\n");
        for _ in 0..2 + rng.below(4) {
            text += &format!("  {};\n", rng.pick(&PIECES));
        }
        text += &format!("  {}\n}}\n", rng.pick(&["x", "A", "B", "x + R[1]", "7"]));
    }
    text
}

/// The value of an access of a run, as it is said: the step, the variable and whether it is written.
fn happens(run: &Counterexample, step: usize, var: &str, writes: bool, value: &str) -> bool {
    let TraceEvent::Step { accesses: Some(accesses), .. } = &run.steps[step] else { return false };
    accesses.iter().any(|access| access.var == var && (access.op == "write") == writes && access.value.to_string() == value)
}

/// The steps in which a request writes a variable.
fn writes(run: &Counterexample, of: u32, var: &str) -> Vec<usize> {
    let steps = run.steps.iter().enumerate();
    let writes = steps.filter(|(_, event)| match event {
        TraceEvent::Step { id, accesses, .. } => {
            *id == of && accesses.iter().flatten().any(|access| access.var == var && access.op == "write")
        }
        _ => false,
    });
    writes.map(|(step, _)| step).collect()
}

fn check_nearest(text: &str, run: &Counterexample, nearest: &NearestOrder) {
    let source = Source::from(&analyze(text).program.unwrap());
    let one = |id: u32| run.requests.iter().find(|one| one.id == id).unwrap();
    let before: Vec<(String, i64)> =
        nearest.before.iter().map(|&id| (one(id).request.clone(), one(id).response.parse().unwrap())).collect();
    let said = nearest.lines().join(" ");
    assert!(happens(run, nearest.event, &nearest.variable, false, &nearest.here), "the run reads something else: {said}\n{text}");
    assert_ne!(nearest.here, nearest.serial, "{said}\n{text}");
    let Some(ways) = ways_after(&source, &before, &one(nearest.id).request) else { return };
    let mut finds = ways.iter().filter(|way| {
        way.accesses.iter().any(|access| access.var == nearest.variable && !access.writes && access.value.to_string() == nearest.serial)
    });
    assert!(finds.clone().next().is_some(), "never found: {said}\n{text}");
    for answer in &nearest.answers {
        let leaves = |var: &String| nearest.leaves.contains(var);
        let gives = finds
            .clone()
            .any(|way| way.answer.to_string() == *answer && !way.accesses.iter().any(|access| access.writes && leaves(&access.var)));
        assert!(gives, "never answered: {said}\n{text}");
    }
    assert!(finds.any(|way| nearest.answers.is_empty() || nearest.answers.contains(&way.answer.to_string())), "{said}\n{text}");
    for var in &nearest.leaves {
        assert!(writes(run, nearest.id, var).iter().any(|&step| step >= nearest.event), "not set in the run: {said}\n{text}");
    }
    // Why the run found something else can be read off its writes.
    if let Some(other) = said.split(", because #").nth(1) {
        let id: u32 = other.chars().take_while(char::is_ascii_digit).collect::<String>().parse().unwrap();
        let all = writes(run, id, &nearest.variable);
        if other.contains("had not set it yet") {
            assert!(all.iter().all(|&step| step > nearest.event) && !all.is_empty(), "{said}\n{text}");
        } else {
            assert!(all.iter().any(|&step| step < nearest.event), "{said}\n{text}");
        }
    }
}

#[test]
fn reasons_of_random_programs_are_true() {
    let sweep = sweep("serval.why", 400, 20_000);
    let found = sweep.map(0, |seed| {
        let text = program(seed);
        let input = Input::program(&text).unwrap_or_else(|why| panic!("{why:?}\n{text}"));
        let mut options = Options::default();
        options.fixes = false;
        let decision = decide(&input, &options);
        if !matches!(decision.verdict, Verdict::NotSerializable(..)) {
            return [0; 3];
        }
        let report: FileReport = decision.into_report("random.ser", &input, false);
        let run = report.counterexample.as_ref().unwrap();
        let why = run.explanation.why.as_ref().unwrap();
        for edge in &why.edges {
            for (id, side) in [(edge.from, &edge.first), (edge.to, &edge.second)] {
                assert!(happens(run, side.step, &edge.var, side.writes, &side.value), "{:?}\n{text}", why.lines());
                assert!(matches!(&run.steps[side.step], TraceEvent::Step { id: of, .. } if *of == id), "{:?}\n{text}", why.lines());
            }
            assert!(edge.first.step < edge.second.step, "{:?}\n{text}", why.lines());
            assert!(!why.explains || edge.first.writes || edge.first.value != edge.second.value, "{:?}\n{text}", why.lines());
        }
        if let Some(nearest) = &run.explanation.nearest {
            check_nearest(&text, run, nearest);
        }
        [1, u64::from(run.explanation.nearest.is_some()), u64::from(why.explains)]
    });
    let sum = |which: usize| found.iter().map(|one| one[which]).sum::<u64>();
    let (refuted, nearest, explains) = (sum(0), sum(1), sum(2));
    say(&format!("{refuted} refuted, {nearest} with the nearest order, {explains} with conflicts that explain"));
    assert!(!sweep.is_representative() || nearest * 10 > refuted * 8 && explains * 10 > refuted * 8, "{refuted} {nearest} {explains}");
}
