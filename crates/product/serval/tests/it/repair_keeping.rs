//! Repairs that keep every pause: programs of working life, and random programs against trying everything.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

use serval::repair::{Options, Outcome, Proposal, Repair, repair_in_all_ways};
use serval::{FormatStyle, Input, fix_hint, format};
use serval_budget::Cancel;
use serval_effort::{Sweep, side_by_side, sweep};
use serval_syntax::analyze;
use serval_testkit::naive::{Caps, Completed, Naive, Source};
use serval_testkit::random::{Shape, random_convenience, random_program};
use serval_testkit::say;
use serval_verify::{InputKind, verify};

/// Requests in the runs that are all tried.
const REQUESTS: usize = 3;
const CAPS: Caps = Caps { configurations: 20_000, small_steps: 20_000 };

fn of(text: &str, options: Options) -> Repair {
    repair_in_all_ways(&Input::program(text).unwrap(), options, &Cancel::new())
}

fn count(text: &str) -> usize {
    text.matches("yield").count()
}

/// What holds of every proposal, whatever the program.
fn looks_right(before: &str, kept: &Proposal) {
    let outcome = verify(&kept.text, InputKind::Program, &kept.certificate, &serval_verify::Caps::default(), &Cancel::new());
    assert_eq!(outcome.status(), 0, "{before}\n{}", kept.diff);
    assert!(count(&kept.text) >= count(before), "a pause is gone:\n{before}\n{}", kept.diff);
    let style = FormatStyle::default();
    if format(before, &style).as_deref() == Ok(before) {
        assert_eq!(format(&kept.text, &style).as_deref(), Ok(kept.text.as_str()), "not formatted:\n{}", kept.diff);
    }
}

fn everything(text: &str, requests: usize) -> Option<(Completed, Completed)> {
    let mut naive = Naive::new(&Source::from(&analyze(text).program?));
    Some((naive.completed(requests, CAPS).ok()?, naive.serial(requests, CAPS).ok()?))
}

/// The same answers without some of those that are added refusals, in all ways.
fn without_refusals(answers: &[(String, i64)], refusals: &BTreeSet<(String, String)>) -> BTreeSet<Vec<(String, i64)>> {
    let mut ways = BTreeSet::from([Vec::new()]);
    for (name, answer) in answers {
        let added = refusals.contains(&(name.split('(').next().unwrap().to_owned(), answer.to_string()));
        let mut next = BTreeSet::new();
        for way in ways {
            if added {
                next.insert(way.clone());
            }
            next.insert(way.into_iter().chain([(name.clone(), *answer)]).collect());
        }
        ways = next;
    }
    ways
}

/// Compares a repair with everything that few requests can do; whether that could be tried.
fn stands_trial(before: &str, kept: &Proposal) -> bool {
    let refusals: BTreeSet<(String, String)> = kept.refusals.iter().cloned().collect();
    for requests in (1..=REQUESTS).rev() {
        let (Some((_, serial_before)), Some((after, serial))) = (everything(before, requests), everything(&kept.text, requests)) else {
            continue;
        };
        assert!(after.is_subset(&serial), "not serializable:\n{before}\n{}", kept.diff);
        assert!(serial_before.is_subset(&serial), "an answer is gone:\n{before}\n{}", kept.diff);
        for answers in &serial {
            let known = without_refusals(answers, &refusals).iter().any(|way| serial_before.contains(way));
            assert!(known, "a new answer {answers:?}:\n{before}\n{}", kept.diff);
        }
        let names = |completed: &Completed| -> BTreeSet<String> { completed.iter().flatten().map(|(name, _)| name.clone()).collect() };
        assert_eq!(names(&after), names(&serial.union(&after).cloned().collect()), "{before}");
        return true;
    }
    false
}

#[derive(Debug, Default)]
struct Figures {
    refuted: u64,
    /// With something that keeps every pause.
    kept: u64,
    tried: u64,
    kinds: [u64; 6],
}

fn one(seed: u64, drawn: Drawn) -> Figures {
    let shape = if seed.is_multiple_of(4) { Shape::HandlerLike } else { Shape::Tiny };
    let text = match drawn {
        Drawn::Any => random_program(seed, shape),
        Drawn::Convenience => random_convenience(seed).text,
        Drawn::Handlers => handlers(seed),
    };
    let Ok(input) = Input::program(text.as_str()) else { return Figures::default() };
    let options = Options { checks: 8, ..Options::hint() };
    let repaired = repair_in_all_ways(&input, options, &Cancel::new());
    if matches!(repaired.outcome, Outcome::Serializable | Outcome::Unusable(_) | Outcome::Undecided(_, false)) {
        return Figures::default();
    }
    assert!(!matches!(repaired.outcome, Outcome::Refused(_)), "{text}");
    let mut figures = Figures { refuted: 1, kept: u64::from(!repaired.kept.is_empty()), ..Figures::default() };
    for kept in &repaired.kept {
        looks_right(&text, kept);
        figures.kinds[kept.kind as usize] += 1;
        figures.tried += u64::from(stands_trial(&text, kept));
    }
    figures
}

/// Draws numbers, by the generator SplitMix64.
struct Draws(u64);

impl Draws {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % bound as u64).unwrap()
    }

    fn one_of<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

/// Handlers that read, decide, pause and write, as people write them.
fn handlers(seed: u64) -> String {
    let mut draws = Draws(seed);
    let mut text = "enum State { Free, Held, Sold }\nvar A: State\nvar B: 0..2\n".to_owned();
    for number in 0..=draws.below(3) {
        let guards = ["if (A == Sold) { return -1 };", "if (B == 2) { return 0 };", "if (A != Free or B == 1) { return 7 };", ""];
        let reads = ["x := A;", "x := B;", "x := A; if (x == Held) { return -1 };", ""];
        let pauses = ["yield;", "yield; // keep: a person\n", "yield;", "if (?) { yield };"];
        let writes = ["A := Held;", "A := (A + 1) % 3;", "B := (x + 1) % 3;", "B := (B + 1) % 3;", "if (?) { return 5 };", "A := Free;"];
        let answers = ["1", "x", "A", "B", "Sold"];
        let mut body = [draws.one_of(&guards), draws.one_of(&reads), draws.one_of(&pauses), draws.one_of(&writes)].join(" ");
        if draws.below(2) == 0 {
            body = format!("{body} {} {}", draws.one_of(&pauses[..3]), draws.one_of(&writes));
        }
        let answer = draws.one_of(&answers);
        text += &match draws.below(3) {
            0 => format!("\nrequest r{number} {{ if (A == Free) {{ {body} {answer} }} else {{ 9 }} }}\n"),
            1 => format!("\nrequest r{number} {{ i := 0; while (i < 2) {{ {body} i += 1 }}; {answer} }}\n"),
            _ => format!("\nrequest r{number} {{ {body} {answer} }}\n"),
        };
    }
    format(&text, &FormatStyle::default()).unwrap()
}

/// What is drawn.
#[derive(Clone, Copy)]
enum Drawn {
    Any,
    Convenience,
    Handlers,
}

fn all(sweep: &Sweep, drawn: Drawn) {
    let (mut next, mut figures, wanted) = (sweep.seed(0), Figures::default(), sweep.count());
    while figures.refuted < wanted {
        let seeds: Vec<u64> = (next..next + 32).collect();
        for mine in side_by_side(&seeds, |&seed| one(seed, drawn)) {
            figures.refuted += mine.refuted;
            figures.kept += mine.kept;
            figures.tried += mine.tried;
            figures.kinds.iter_mut().zip(mine.kinds).for_each(|(sum, one)| *sum += one);
        }
        next += 32;
    }
    say(&format!("random repairs that keep every pause: {} seeds; {figures:?}", next - sweep.seed(0)));
    if sweep.is_representative() {
        assert!(figures.tried > 0 && figures.kept * 4 >= figures.refuted, "{figures:?}");
    }
}

#[test]
fn random_programs_keep_their_pauses_and_their_answers() {
    all(&sweep("serval.keeping", 20, 300), Drawn::Any);
}

#[test]
fn random_handlers_keep_their_pauses_and_their_answers() {
    all(&sweep("serval.keeping_of_handlers", 24, 400), Drawn::Handlers);
}

#[test]
fn random_programs_with_convenience_forms_keep_theirs() {
    all(&sweep("serval.keeping_of_convenience", 20, 100), Drawn::Convenience);
}

/// What is proposed for a program, as a text.
fn told(repaired: &Repair) -> String {
    let mut text = String::new();
    for kept in &repaired.kept {
        let _ = writeln!(text, "{}: {}", kept.kind.name(), kept.words.join("; "));
        kept.refusals.iter().for_each(|(request, answer)| text.push_str(&format!("  {request} may answer {answer} at any time\n")));
        text.push_str(&kept.diff);
        text.push('\n');
    }
    let removals = if let Outcome::Fixed(fixes) = &repaired.outcome { fixes.len() } else { 0 };
    let _ = writeln!(text, "removals: {removals}");
    text
}

#[test]
fn programs_of_working_life_keep_their_pauses() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/working_life");
    let mut files: Vec<_> = std::fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "ser"));
    files.sort();
    assert!(files.len() >= 10);
    let bless = std::env::var_os("SERVAL_BLESS").is_some();
    let mut without = Vec::new();
    for path in &files {
        let text = std::fs::read_to_string(path).unwrap();
        let repaired = of(&text, Options::default());
        for kept in &repaired.kept {
            looks_right(&text, kept);
            assert!(stands_trial(&text, kept), "{}", path.display());
        }
        if repaired.kept.is_empty() {
            without.push(path.clone());
        }
        let (told, expected) = (told(&repaired), path.with_extension("fixes"));
        if bless {
            std::fs::write(&expected, &told).unwrap();
        }
        assert_eq!(std::fs::read_to_string(&expected).unwrap_or_default(), told, "{}: SERVAL_BLESS=1 writes it", path.display());
    }
    assert!(without.len() * 10 <= files.len(), "{without:?}");
}

#[test]
fn what_has_to_stay_is_neither_removed_nor_moved() {
    let text = "request visit {\n  Visits += 1;\n  yield; // keep: the queue\n  Visits\n}\n";
    let repaired = of(text, Options::default());
    assert!(repaired.yields.is_empty() && matches!(repaired.outcome, Outcome::NoFix(_)), "{:?}", repaired.outcome);
    assert!(!repaired.kept.is_empty());
    for kept in &repaired.kept {
        assert!(kept.text.contains("  Visits += 1;\n  yield; // keep: the queue\n"), "{}", kept.text);
    }
    // The same by number.
    let text = text.replace(" // keep: the queue", "");
    let kept = of(&text, Options { keep: BTreeSet::from([3]), ..Options::default() });
    assert!(kept.yields.is_empty() && kept.kept.iter().all(|one| one.text.contains("Visits += 1;\n  yield;\n")));
}

#[test]
fn a_program_with_infinitely_many_states_is_repaired_as_it_is_decided() {
    let text = "request visit {\n  Visits += 1;\n  yield;\n  Visits\n}\n";
    let repaired = of(text, Options::default());
    let Outcome::Fixed(fixes) = &repaired.outcome else { panic!("{:?}", repaired.outcome) };
    assert_eq!(fixes[0].text, text.replace("  yield;\n", ""));
    repaired.kept.iter().for_each(|kept| looks_right(text, kept));
    assert_eq!(repaired.kept.len(), 2);
}

#[test]
fn a_lock_answers_numbers_as_they_are() {
    let text = "enum Answer { Refused, Fine }\nvar Left: 0..2 := 2\n\nrequest take {\n  if (Left == 0) { return Refused };\n  yield; // keep\n  Left -= 1;\n  Fine\n}\n";
    let input = Input::program(text).unwrap();
    let repaired = serval::repair::repair_by_lock(&input, "Lock", Options::default(), &Cancel::new());
    let Outcome::Fixed(fixes) = &repaired.outcome else { panic!("{:?}", repaired.outcome) };
    assert!(!fixes[0].text.contains("answer"), "{}", fixes[0].text);
    assert_eq!(format(&fixes[0].text, &FormatStyle::default()).as_deref(), Ok(fixes[0].text.as_str()));
}

#[test]
fn a_refusal_is_added_only_where_nothing_but_a_lock_helps_and_is_named() {
    // Whether it is sold out depends on who may still give a seat back.
    let text = "var Left: 0..1 := 1\n\nrequest buy {\n  if (Left == 0) { return 0 };\n  Left := 0;\n  yield; // keep: the payment\n  if (?) {\n    Left := 1;\n    return 2\n  };\n  1\n}\n";
    let repaired = of(text, Options::default());
    let kinds: Vec<&str> = repaired.kept.iter().map(|kept| kept.kind.name()).collect();
    assert_eq!(kinds, ["lock", "refuse"]);
    assert_eq!(repaired.kept[1].refusals, [("buy".to_owned(), "0".to_owned())]);
    assert!(repaired.kept[0].refusals.is_empty());
    repaired.kept.iter().for_each(|kept| looks_right(text, kept));
}

#[test]
fn a_hint_lists_what_a_fix_does() {
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/working_life/webhook.ser")).unwrap();
    let input = Input::program(text.as_str()).unwrap();
    let options = serval::Options::default();
    let decision = serval::decide(&input, &options);
    let hint = fix_hint(&input, &decision.evidence().unwrap().certificate, &options).unwrap();
    let kinds: Vec<&str> = hint.kept.iter().map(|kept| kept.kind).collect();
    assert_eq!(kinds, ["check-again", "claim-first", "lock"]);
    assert!(hint.alternatives.is_empty() && hint.diffs.len() == 3);
}
