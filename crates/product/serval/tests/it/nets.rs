//! Nets in the library: classes, limits, what is said beside an answer.

use serval::nets::{NetAnswer, NetDecision, NetInput, NetKind, NetMethod, NetOptions, classify, decide_net, smtlib, sums, walked};
use serval_budget::{Budget, Cancel};
use serval_report::nets::TextStyle;

fn net(text: &str) -> NetInput {
    NetInput::read(text, NetKind::Tina).unwrap()
}

fn asked(input: &NetInput, property: &str, options: &NetOptions) -> NetDecision {
    decide_net(input, &input.question(property).unwrap(), options)
}

#[test]
fn classes_are_told_by_arcs() {
    let classes = |text: &str| {
        let named = classify(net(text).net()).named();
        named.iter().filter(|class| class.1).map(|class| class.0).collect::<Vec<_>>()
    };
    assert_eq!(
        classes("tr t a -> b\ntr u b -> a"),
        ["ordinary", "marked graph", "state machine", "free choice", "communication-free", "conservative"]
    );
    // Two take from one place.
    assert_eq!(classes("tr t a -> b\ntr u a -> c"), ["ordinary", "state machine", "free choice", "communication-free", "conservative"]);
    // One of them needs another place, too.
    assert_eq!(classes("tr t a -> b\ntr u a c -> c b"), ["ordinary", "conservative"]);
    assert_eq!(classes("tr t a c -> b"), ["ordinary", "marked graph", "free choice"]);
    assert_eq!(classes("tr t a -> b*2"), ["communication-free"]);
    assert_eq!(classes("tr t a*2 -> b*2"), ["conservative"]);
}

#[test]
fn bounds_come_from_sums_that_do_not_grow() {
    let input = net("pl a (3)\ntr t a -> b*2\ntr u -> c");
    let found = sums(input.net(), &mut Budget::unlimited()).unwrap();
    assert_eq!(found.bounds.iter().map(|one| one.map(|one| one.0)).collect::<Vec<_>>(), [Some(3), Some(6), None]);
    for (place, bound) in found.bounds.iter().enumerate() {
        if let Some((_, sum)) = bound {
            assert!(found.sums[*sum].iter().any(|&(other, weight)| other as usize == place && weight > 0));
        }
    }
}

#[test]
fn without_rounds_nothing_is_known() {
    let input = net("pl a (1)\ntr t a -> b\ntr u b -> a");
    let mut options = NetOptions::default();
    options.rounds = 0;
    let decision = asked(&input, "one-safe", &options);
    assert_eq!(decision.answer, NetAnswer::Undecided);
    assert!(decision.certificate.is_none() && decision.run.is_none() && decision.why.is_none());
    assert_eq!(decision.reason.unwrap(), "no method found an answer within the limits");
    let decision = asked(&input, "quasi-live", &options);
    assert_eq!((decision.answer, decision.open), (NetAnswer::Undecided, 2));
    assert_eq!(decision.reason.unwrap(), "of 2 transitions, 0 are settled and 2 are open: no method found an answer within the limits");
    // A flag that is raised ends it, too, and gives no wrong answer.
    let mut options = NetOptions::default();
    options.cancel = Cancel::new();
    options.cancel.cancel();
    assert_ne!(asked(&input, "one-safe", &options).answer, NetAnswer::DoesNotHold);
}

#[test]
fn each_dead_node_is_in_the_certificate() {
    let input = net("pl a (1)\ntr t a -> b\ntr u c -> d\ntr v d -> c");
    let decision = asked(&input, "quasi-live", &NetOptions::default());
    assert_eq!(decision.answer, NetAnswer::DoesNotHold);
    let dead: Vec<&str> = decision.dead.iter().map(|dead| dead.name.as_str()).collect();
    assert_eq!(dead, ["u", "v"]);
    let goals: Vec<usize> = decision.certificate.as_ref().unwrap().evidence.iter().map(|one| one.goal).collect();
    assert_eq!(goals, [1, 2]);
    let dead = asked(&input, "no-dead-places", &NetOptions::default()).dead;
    assert_eq!(dead.iter().map(|dead| dead.name.as_str()).collect::<Vec<_>>(), ["c", "d"]);
}

#[test]
fn each_stable_place_is_in_the_certificate() {
    let input = net("pl a (1)\npl lock (2)\npl off (0)\ntr t a lock -> b lock\ntr u off -> a");
    let decision = asked(&input, "stable-marking", &NetOptions::default());
    assert_eq!(decision.answer, NetAnswer::Holds);
    assert_eq!(decision.stable.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), ["lock", "off"]);
    assert!(decision.dead.is_empty() && decision.open == 0 && decision.run.is_none());
    let text = decision.into_report("a.net", &input.question("stable-marking").unwrap()).to_text(TextStyle::default());
    assert!(text.contains("  lock always has the same number of tokens: "), "{text}");
    let input = net("pl a (1)\npl c (3)\ntr t a -> b\ntr u c ->");
    let decision = asked(&input, "stable-marking", &NetOptions::default());
    assert_eq!((decision.answer, decision.stable.len()), (NetAnswer::DoesNotHold, 0));
    assert_eq!(decision.why.as_deref(), Some("no place always has its tokens: 1 run for 3"));
    // One place has one run, which is shown.
    let decision = asked(&net("pl a (1)\ntr t a ->"), "stable-marking", &NetOptions::default());
    assert_eq!((decision.answer, decision.run.unwrap().end.as_str()), (NetAnswer::DoesNotHold, "the place has another number of tokens"));
    // Without places there is none that is stable.
    assert_eq!(asked(&net("tr t ->"), "stable-marking", &NetOptions::default()).answer, NetAnswer::DoesNotHold);
}

#[test]
fn what_can_always_happen_again_is_told() {
    let told = |text: &str, property: &str| {
        let decision = asked(&net(text), property, &NetOptions::default());
        let end = decision.run.map(|run| (run.steps.len(), run.end));
        (decision.answer, decision.why.or(decision.reason).unwrap_or_default(), end)
    };
    let (ring, leaves) = ("pl a (1)\ntr t a -> b\ntr u b -> a", "pl a (1)\ntr t a -> a\ntr u a -> b\ntr v b -> c\ntr w c -> b");
    let (holds, fails) = (NetAnswer::Holds, NetAnswer::DoesNotHold);
    let live = "2 markings can be reached, and each leads to one from which every transition can fire";
    assert_eq!(told(ring, "live"), (holds, live.to_owned(), None));
    let back = "2 markings can be reached, and each leads back to the initial one";
    assert_eq!(told(ring, "reversible"), (holds, back.to_owned(), None));
    let why = "from there 2 markings can be reached, none of which enables “t”";
    assert_eq!(told(leaves, "live"), (fails, why.to_owned(), Some((1, "“t” can never fire again".to_owned()))));
    let why = "from there 2 markings can be reached, none of which is the initial one";
    assert_eq!(told(leaves, "reversible"), (fails, why.to_owned(), Some((1, "nothing leads back to the initial marking".to_owned()))));
    // From the beginning; and with infinitely many markings.
    let (answer, _, end) = told("pl a (1)\ntr t a -> a b\ntr u c -> c", "live");
    assert_eq!((answer, end), (fails, Some((0, "“u” can never fire".to_owned()))));
    let (answer, _, end) = told("tr t -> a", "reversible");
    assert_eq!((answer, end), (fails, Some((1, "nothing leads back to the initial marking".to_owned()))));
    let why = "the net is not bounded, and no run was found that refutes it";
    assert_eq!(told("tr t -> a", "live"), (NetAnswer::Undecided, why.to_owned(), None));
    // A method that looks elsewhere says nothing.
    let alone = |method| {
        let mut options = NetOptions::default();
        (options.method, options.rounds) = (Some(method), 2);
        asked(&net(leaves), "live", &options).answer
    };
    assert_eq!((alone(NetMethod::Explicit), alone(NetMethod::Walk), alone(NetMethod::Weights)), (fails, fails, NetAnswer::Undecided));
}

/// Infinitely many markings, of which two matter for the question.
#[test]
fn what_does_not_matter_is_left_out() {
    let input = net("pl free (1)\ntr take free -> held n\ntr give held -> free m\n");
    let mut options = NetOptions::default();
    (options.method, options.rounds) = (Some(NetMethod::Explicit), 3);
    let decision = asked(&input, "invariant:free + held = 1", &options);
    assert_eq!((decision.answer, decision.kinds()), (NetAnswer::Holds, vec!["script"]));
    let why =
        "without 2 places and 0 transitions that do not matter: 1 marking is enough to see every one that is asked for, and none is one";
    assert_eq!(decision.why.as_deref(), Some(why));
    // A run of what is left fires in the whole net.
    let decision = asked(&input, "reachable:held = 1 and free = 0", &options);
    assert_eq!((decision.answer, decision.run.unwrap().steps.len()), (NetAnswer::Holds, 1));
    options.reduce.clear();
    // Of infinitely many markings the first is enough, since no transition changes the sum.
    let decision = asked(&input, "invariant:free + held = 1", &options);
    assert_eq!((decision.answer, decision.kinds()), (NetAnswer::Holds, vec!["toward"]));
}

#[test]
fn long_runs_are_told_in_few_steps() {
    let input = net("pl a (100000)\ntr t a -> b");
    let decision = asked(&input, "reachable:b >= 100000", &NetOptions::default());
    assert_eq!(decision.answer, NetAnswer::Holds);
    let run = decision.run.unwrap();
    assert_eq!(run.firings(), 100_000);
}

#[test]
fn nets_without_anything_have_answers() {
    for (text, holds) in [("net nothing", [false, true, true, true]), ("pl a (1)", [false, true, true, true]), ("tr t ->", [true; 4])] {
        for (property, holds) in ["deadlock-free", "one-safe", "quasi-live", "no-dead-places"].into_iter().zip(holds) {
            let decision = asked(&net(text), property, &NetOptions::default());
            let wanted = if holds { NetAnswer::Holds } else { NetAnswer::DoesNotHold };
            assert_eq!(decision.answer, wanted, "{text}: {property}: {:?}", decision.reason);
        }
    }
}

#[test]
fn walks_are_the_same_for_the_same_seed() {
    let input = net("pl a (2)\ntr t a -> b\ntr u b -> a\ntr v b ->");
    assert_eq!(walked(input.net(), 30, 7), walked(input.net(), 30, 7));
    let run = walked(input.net(), 1000, 7);
    assert_eq!(run.end, "nothing can fire");
    assert!(run.steps.len() < 1000);
}

#[test]
fn one_goal_is_one_question_for_other_solvers() {
    let input = net("pl a (1)\ntr t a -> b");
    let asked = |property: &str| smtlib(input.net(), &input.question(property).unwrap().property);
    assert!(asked("one-safe").unwrap().contains("(check-sat)"));
    assert!(asked("no-dead-places").unwrap_err().contains("2 questions"));
}

/// Numbers that do not fit are a reason, not an answer.
#[test]
fn too_many_tokens_are_told() {
    let input = net("pl a (1)\ntr t a -> a*18446744073709551615\ntr u a -> b");
    let mut options = NetOptions::default();
    options.rounds = 2;
    let decision = asked(&input, "reachable:a = 5", &options);
    assert_eq!(decision.answer, NetAnswer::Undecided);
    let reason = decision.reason.unwrap();
    assert!(reason.ends_with("more than 18446744073709551615 tokens on a place"), "{reason}");
    // What is found before there are too many is found.
    assert_eq!(asked(&input, "reachable:b = 1 and a = 0", &options).answer, NetAnswer::Holds);
}

/// Plans of a hundred thousand steps, in circles.
#[test]
fn long_circles_are_gone_in_one_step() {
    let input = net("pl a (100000)\npl lock (1)\ntr take a lock -> held\ntr give held -> lock b\ntr all b*100000 -> c");
    let decision = asked(&input, "reachable:c >= 1", &NetOptions::default());
    assert_eq!((decision.answer, &decision.methods[..]), (NetAnswer::Holds, &["guided"][..]));
    assert_eq!(decision.run.unwrap().firings(), 200_001);
    let size = decision.certificate.unwrap().to_json().len();
    assert!(size < 1000, "{size} bytes");
}

/// Questions about any number of tokens, with certificates that are checked again.
#[test]
fn any_number_of_tokens() {
    let input = net("pl up (1)\npl dead (0)\ntr fill up -> down\ntr lift down -> up water\ntr drain water*2 -> oil\n");
    for (text, holds, kinds) in [
        ("bounded", false, ["pump"]),
        ("bounded:water + up", false, ["pump"]),
        ("bounded:oil", false, ["pump"]),
        ("bounded:up + down", true, ["weights"]),
        ("coverable:oil = 3, water = 7", true, ["run"]),
        ("coverable:up + down >= 2", false, ["equation"]),
        ("safe:100", false, ["run"]),
    ] {
        let question = input.question(text).unwrap();
        let decision = decide_net(&input, &question, &NetOptions::default());
        assert_eq!(decision.answer == NetAnswer::Holds, holds, "{text}: {decision:?}");
        assert_eq!(decision.kinds(), kinds, "{text}");
        let certificate = decision.certificate.unwrap();
        assert_eq!(certificate.check(input.net(), &mut Budget::unlimited()), Ok(()), "{text}");
    }
}
