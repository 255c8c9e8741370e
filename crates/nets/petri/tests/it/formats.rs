//! What is written is read back; what is wrong is said where it is.

use std::collections::HashSet;

use proptest::prelude::*;
use serval_effort::sweep;
use serval_petri::{
    Constraint, Formula, Limits, Linear, Net, PlaceId, Property, Target, mcc, mcc_reads_back, pnml, pnml_reads_back, tina, tina_reads_back,
};

use crate::support::{Plan, arcs, cases, named_net};

/// Names that a careless writer would get wrong, and any other.
pub(crate) fn nasty_name() -> impl Strategy<Value = String> {
    let listed = vec![
        "",
        " ",
        "  ",
        "tr",
        "pl",
        "net",
        "pr",
        "nt",
        "lb",
        "{",
        "}",
        "\\",
        "\\{",
        "{}",
        "\\\\}",
        "a b",
        "->",
        "*2",
        "p*2",
        "p0",
        "t0",
        "net",
        "page",
        "#",
        "a#b",
        "\n",
        "\r",
        "\r\n",
        "\n#x",
        "\t",
        "<",
        ">",
        "&",
        "&amp;",
        "&#10;",
        "]]>",
        "<!--",
        "\"",
        "'",
        "é",
        "😀",
        "\u{0}",
        "\u{1}",
        "\u{fffe}",
        "\u{ffff}",
        "\u{85}",
        "\u{2028}",
        "\u{feff}",
        "=",
        "xmlns",
        "xmlns=\"\"",
        "1",
        "1K",
        "w",
        "[0,w[",
        ":",
        "(1)",
        "text",
        "\u{fffd}",
        "0",
        "00",
    ];
    let piece = prop_oneof![4 => proptest::sample::select(listed).prop_map(str::to_owned), 1 => ".{0,3}", 1 => any::<String>()];
    proptest::collection::vec(piece, 0..3).prop_map(|pieces| pieces.concat())
}

fn names(count: usize) -> impl Strategy<Value = Vec<String>> {
    proptest::collection::vec(nasty_name(), count * 3).prop_map(move |names| {
        // Different ones, as many as are needed.
        let mut seen = HashSet::new();
        let mut different: Vec<String> = names.into_iter().filter(|name| seen.insert(name.clone())).collect();
        let more = (0..).map(|number| format!("\\{number}")).filter(|name| seen.insert(name.clone()));
        different.extend(more.take(count));
        different.truncate(count);
        different
    })
}

pub(crate) fn any_net() -> impl Strategy<Value = Net> {
    let number = || prop_oneof![4 => 0..3u64, 1 => any::<u64>()];
    let weight = || prop_oneof![arcs(1..=3, 3), arcs(1..=u64::MAX / 4, 3)];
    let plan = (proptest::collection::vec(number(), 0..6), proptest::collection::vec((weight(), weight()), 0..6));
    plan.prop_flat_map(|plan: Plan| {
        let (places, transitions) = (names(plan.0.len()), names(plan.1.len()));
        (nasty_name(), places, transitions, Just(plan))
    })
    .prop_map(|(name, places, transitions, plan)| named_net(name, places, transitions, plan))
}

/// A target without divisibility over any coefficients.
pub(crate) fn any_target(places: usize) -> impl Strategy<Value = Target> {
    let place = (0..places.max(1)).prop_map(|index| PlaceId::try_from_index(index).unwrap());
    let number = || prop_oneof![4 => -2..=2i64, 1 => any::<i64>(), 1 => Just(i64::MIN), 1 => Just(i64::MAX)];
    let terms = proptest::collection::btree_map(place, number(), 0..if places == 0 { 1 } else { 4 });
    let linear = (terms, number()).prop_map(|(terms, constant)| Linear::new(terms, constant).unwrap());
    let constraint = (any::<bool>(), linear)
        .prop_map(|(is_zero, linear)| if is_zero { Constraint::Zero(linear) } else { Constraint::AtLeastZero(linear) });
    proptest::collection::vec(constraint, 0..4).prop_map(Target::new)
}

/// Reads back all three formats.
fn check_round_trips(net: &Net, target: &Target) {
    let text = tina::write(net);
    assert!(tina_reads_back(&text, net), "{:?}\n{text}", tina::read(&text));
    let text = pnml::write(net);
    assert!(pnml_reads_back(&text, net), "{:?}\n{text}", pnml::read(&text));
    let questions = [("a question", target), ("the same", target)];
    let text = mcc::write(&questions).unwrap();
    assert!(mcc_reads_back(&text, net, &questions), "{:?}\n{text}", mcc::read(&text, net, &pnml::Ids::written(net)));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(sweep("petri.formats", 250, 1000)), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn written_nets_are_read_back((net, target) in any_net().prop_flat_map(|net| { let places = net.place_count(); (Just(net), any_target(places)) })) {
        check_round_trips(&net, &target);
    }

    /// So that no two names are written alike.
    #[test]
    fn different_names_make_different_files(a in nasty_name(), b in nasty_name()) {
        let net = |name: &str| {
            let mut net = Net::new("net");
            net.add_place(name, 0).unwrap();
            net
        };
        prop_assert_eq!(tina::write(&net(&a)) == tina::write(&net(&b)), a == b);
        prop_assert_eq!(pnml::write(&net(&a)) == pnml::write(&net(&b)), a == b);
    }
}

/// A file that says something else, or nothing, is distinguished from the one that was meant.
#[test]
fn wrong_texts_do_not_read_back() {
    let mut net = Net::new("net");
    let (a, b) = (net.add_place("a", 1).unwrap(), net.add_place("b", 0).unwrap());
    net.add_transition("t", [(a, 1)], [(b, 2)]).unwrap();
    let text = tina::write(&net);
    assert!(tina_reads_back(&text, &net));
    for (from, to) in [("*2", "*3"), ("(1)", "(0)"), ("tr", "rt"), ("pl", "# pl")] {
        assert!(!tina_reads_back(&text.replacen(from, to, 1), &net), "{from} {to}");
    }
    let text = pnml::write(&net);
    assert!(pnml_reads_back(&text, &net));
    assert!(!pnml_reads_back(&text.replacen("<text>2<", "<text>3<", 1), &net) && !pnml_reads_back("", &net));
    let target = |place| Target::new(vec![Constraint::Zero(Linear::variable(place))]);
    let (empty, other) = (target(a), target(b));
    let text = mcc::write(&[("q", &empty)]).unwrap();
    assert!(mcc_reads_back(&text, &net, &[("q", &empty)]));
    for wrong in [&[("q", &other)][..], &[("r", &empty)], &[], &[("q", &empty), ("q", &empty)]] {
        assert!(!mcc_reads_back(&text, &net, wrong), "{wrong:?}");
    }
    assert!(!mcc_reads_back(&text.replace("exists-path", "all-paths").replace("finally", "globally"), &net, &[("q", &empty)]));
}

/// One equation, and the two inequalities that come to the same, stay what they are.
#[test]
fn equations_and_pairs_of_inequalities_are_told_apart() {
    let mut net = Net::new("net");
    let place = net.add_place("a", 0).unwrap();
    let (forth, back) = (Linear::new([(place, 1)], -2).unwrap(), Linear::new([(place, -1)], 2).unwrap());
    let at_least = Constraint::AtLeastZero;
    for constraints in [
        vec![Constraint::Zero(forth.clone())],
        vec![Constraint::Zero(back.clone())],
        vec![at_least(forth.clone()), at_least(back.clone())],
        vec![at_least(back.clone()), at_least(forth.clone())],
        vec![at_least(back.clone()), at_least(forth.clone()), Constraint::Zero(forth.clone())],
        vec![],
    ] {
        check_round_trips(&net, &Target::new(constraints));
    }
}

#[test]
fn divisibility_is_not_written() {
    let divisor = std::num::NonZeroU64::new(2).unwrap();
    let target = Target::new(vec![Constraint::NotDivisible { divisor, expression: Linear::new([], 1).unwrap() }]);
    let error = mcc::write(&[("a", &Target::default()), ("b", &target)]).unwrap_err();
    assert_eq!(error.to_string(), "question 1, constraint 0: the format has no divisibility");
    assert!(matches!(mcc::write(&[("\u{1}", &Target::default())]), Err(mcc::NotWritten::Id { question: 0 })));
}

#[test]
fn tina_reads_what_the_toolbox_writes() {
    let text = "# a comment\nnet buffer\ntr t1 : {a label} [0,w[ p1 p2*3 -> p3\npl p1 : lbl (2K)\npl p4 (1) t1*2 -> t2 # more\nlb t1 {other label}\nnt n1 1 {a note}\ntr t2\n -> \n p1 p1\n";
    let net = tina::read(text).unwrap();
    let expected = "net buffer\npl p1 (2000)\npl p2 (0)\npl p3 (0)\npl p4 (1)\ntr t1 p1 p2*3 -> p3 p4*2\ntr t2 p4 -> p1*2\n";
    assert_eq!(tina::write(&net), expected);
}

#[test]
fn tina_says_what_is_wrong_and_where() {
    for (text, expected) in [
        ("tr t [1,2] a -> b", "line 1, column 6: time intervals other than `[0,w[` are not supported"),
        ("tr t a -> b\npr t > u", "line 2, column 1: priorities (`pr`) are not supported"),
        ("tr t a?2 -> b", "line 1, column 7: test arcs are not supported"),
        ("tr t a?-2 -> b", "line 1, column 7: inhibitor arcs are not supported"),
        ("tr t a!2 -> b", "line 1, column 7: stopwatch arcs are not supported"),
        ("tr t a b", "line 1, column 9: expected a place or `->`, found the end"),
        ("tr t {a -> b", "line 1, column 6: this name has no closing `}`"),
        ("tr t {a{} -> b", "line 1, column 8: a `{` within a name is written `\\{`"),
        ("tr tr", "line 1, column 4: expected a transition, found the keyword `tr`; as a name it is `{tr}`"),
        ("pl é", "line 1, column 4: a name with `é` stands in braces: `{…}`"),
        ("pl {é} (18446744073709551616)", "line 1, column 9: `18446744073709551616` does not fit 64 bits"),
        ("pl a (100E)", "line 1, column 7: `100E` does not fit 64 bits"),
        ("pl a (1)\npl a (1)", "line 2, column 7: this place has a marking already"),
        ("pl a (1", "line 1, column 8: expected `)`, found the end"),
        ("pl a (x)", "line 1, column 7: expected a number of tokens, found `x`"),
        ("hello", "line 1, column 1: expected `net`, `tr` or `pl`, found `h`"),
        ("pl a (1)\n trr t a -> b", "line 2, column 2: expected `net`, `tr` or `pl`, found `t`"),
        ("tr t a -> b\nplx c (1)", "line 2, column 1: expected `net`, `tr` or `pl`, found `p`"),
        ("tr t a\n{b} -> b", "line 2, column 1: expected `net`, `tr` or `pl`, found `{`"),
        ("net a\nnet b", "line 2, column 1: the net has a name already"),
        ("tr t a*18446744073709551615 a -> b", "line 1, column 35: the weight of an arc does not fit 64 bits"),
    ] {
        assert_eq!(tina::read(text).map(|net| tina::write(&net)).unwrap_err().to_string(), expected, "{text}");
    }
}

const HEAD: &str =
    r#"<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml"><net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet">"#;

fn pnml_net(inside: &str) -> String {
    format!("{HEAD}\n{inside}</net></pnml>")
}

#[test]
fn pages_and_references_are_put_together() {
    let text = pnml_net(
        r#"<name><text>two pages</text></name>
        <page id="g1"><graphics/><name><text>page</text></name>
          <place id="a"><name><text>first</text><graphics/></name><initialMarking><text> 3 </text></initialMarking></place>
          <transition id="t"><toolspecific tool="x" version="1"><any/></toolspecific></transition>
          <page id="g2"><referencePlace id="r" ref="s"/><place id="b"/><referenceTransition id="u" ref="t"/></page>
        </page>
        <page id="g3"><referencePlace id="s" ref="a"/>
          <arc id="x" source="r" target="u"><inscription><text>2</text></inscription></arc>
          <arc id="y" source="t" target="b"><name><text>an arc</text></name></arc>
          <arc id="z" source="a" target="t"/>
        </page>"#,
    );
    let read = pnml::read(&text).unwrap();
    assert_eq!(tina::write(&read.net), "net {two pages}\npl first (3)\npl b (0)\ntr t first*3 -> b\n");
    assert_eq!(read.ids.place("r"), read.net.place_named("first"));
    assert_eq!(read.ids.transition("u"), read.net.transition_named("t"));
}

#[test]
fn equal_names_give_way_to_ids() {
    let place = |id: &str, name: &str| format!("<place id='{id}'><name><text>{name}</text></name></place>");
    let read =
        pnml::read(&pnml_net(&[place("x", "a"), place("y", "a"), place("z", "b"), "<transition id='t'/>".to_owned()].concat())).unwrap();
    assert_eq!(tina::write(&read.net), "net n\npl x (0)\npl y (0)\npl z (0)\ntr t ->\n");
}

#[test]
fn pnml_says_what_is_wrong_and_where() {
    for (inside, expected) in [
        ("<place/>", "line 2, column 1: <place> without `id`"),
        ("<place id='a'/><place id='a'/>", "line 2, column 16: a second element with the id “a”"),
        ("<place id='a'><type/></place>", "line 2, column 15: <type> belongs to high-level nets or special arcs, which are not supported"),
        ("<declaration/>", "line 2, column 1: <declaration> belongs to high-level nets, which are not supported"),
        ("<place id='a'><capacity/></place>", "line 2, column 15: <capacity> within <place> is not supported"),
        ("<place id='a'/>\n<arc source='a' target='a'/>", "line 3, column 1: “a” and “a” are not a place and a transition"),
        ("<referencePlace id='a' ref='b'/>", "line 2, column 1: this reference leads to no place: there is no place “b”"),
        (
            "<referencePlace id='a' ref='b'/><referencePlace id='b' ref='a'/>",
            "line 2, column 1: this reference leads to no place: it comes back to itself",
        ),
        (
            "<place id='a'><initialMarking><text>-1</text></initialMarking></place>",
            "line 2, column 31: expected a number of 64 bits, found “-1”",
        ),
        ("<place id='a'><initialMarking/></place>", "line 2, column 15: <initialMarking> without <text>"),
        (
            "<place id='a'/><transition id='t'/><arc source='a' target='t'><inscription><text>0</text></inscription></arc>",
            "line 2, column 36: an arc of weight 0",
        ),
        ("<place id='a'>", "line 2, column 15: not well-formed XML: expected 'place' tag, not 'net'"),
        ("<thing/>", "line 2, column 1: <thing> is not supported"),
    ] {
        assert_eq!(pnml::read(&pnml_net(inside)).unwrap_err().to_string(), expected, "{inside}");
    }
    let high = HEAD.replace("ptnet", "highlevelnet") + "</net></pnml>";
    let message = pnml::read(&high).unwrap_err().message;
    assert!(message.starts_with("nets of the type “http://www.pnml.org/version-2009/grammar/highlevelnet” are not supported"), "{message}");
    assert_eq!(pnml::read("<a/>").unwrap_err().to_string(), "line 1, column 1: expected <pnml>, found <a>");
}

#[test]
fn questions_say_what_is_wrong_and_where() {
    let mut net = Net::new("net");
    net.add_place("a", 0).unwrap();
    let ids = pnml::Ids::written(&net);
    let ask = |formula: &str| {
        mcc::read(&format!("<property-set><property><id>q</id><formula>\n{formula}</formula></property></property-set>"), &net, &ids)
    };
    let finally = |inside: &str| ask(&format!("<exists-path><finally>{inside}</finally></exists-path>"));
    for (inside, expected) in [
        ("<deadlocked/>", "line 2, column 23: <deadlocked> is not supported here"),
        ("<conjunction/>", "line 2, column 23: an empty <conjunction>"),
        ("", "line 2, column 14: <finally> needs exactly one element"),
        ("<integer-le/>", "line 2, column 23: <integer-le> needs exactly two elements"),
        (
            "<integer-le><tokens-count><place>b</place></tokens-count><integer-constant>1</integer-constant></integer-le>",
            "line 2, column 49: there is no place “b”",
        ),
        (
            "<integer-le><integer-constant>x</integer-constant><integer-constant>1</integer-constant></integer-le>",
            "line 2, column 35: expected a number of 64 bits, found “x”",
        ),
        ("<is-fireable><transition>t</transition></is-fireable>", "line 2, column 36: there is no transition “t”"),
    ] {
        assert_eq!(finally(inside).unwrap_err().to_string(), expected, "{inside}");
    }
    // A net without transitions is in a deadlock at once.
    assert!(finally("<deadlock/>").unwrap()[0].formula.holds(&net.initial()));
    assert_eq!(ask("<all-paths><finally/></all-paths>").unwrap_err().to_string(), "line 2, column 12: <finally> is not supported here");
}

/// The properties that are global in the contest, with a formula and without one.
#[test]
fn global_properties_are_read() {
    let mut net = Net::new("net");
    let (a, b) = (net.add_place("a", 1).unwrap(), net.add_place("b", 0).unwrap());
    net.add_transition("t", [(a, 1)], [(b, 1)]).unwrap();
    net.add_transition("u", [(b, 1)], [(a, 1)]).unwrap();
    let ids = pnml::Ids::named(&net);
    let read = |id: &str, formula: &str| {
        let text = format!("<property-set><property><id>{id}</id>{formula}</property></property-set>");
        let properties = mcc::properties(&text, &net, &ids)?;
        assert_eq!((properties.len(), properties[0].0.as_str()), (1, id));
        Ok::<Property, serval_petri::FormatError>(properties[0].1.clone())
    };
    let deadlock = Property::Reachable(Formula::deadlock(&net).unwrap());
    for (name, meant) in [
        ("OneSafe", Property::Safe(1)),
        ("QuasiLiveness", Property::QuasiLive),
        ("StableMarking", Property::StableMarking),
        ("Liveness", Property::Live),
        ("ReachabilityDeadlock", deadlock.clone()),
    ] {
        for id in [name.to_owned(), format!("Net-PT-003-{name}"), format!("Net-PT-003-{name}-2025-00")] {
            assert_eq!(read(&id, "").unwrap(), meant);
            assert_eq!(read(&id, "<formula/>").unwrap(), meant);
        }
    }
    assert!(read("Net-PT-003-Reversibility", "").unwrap_err().to_string().contains("its id names none of"));
    let written = |inside: &str| read("q", &format!("<formula>{inside}</formula>"));
    assert_eq!(written("<exists-path><finally><deadlock/></finally></exists-path>").unwrap(), deadlock);
    let at_most = |place: &str, most: u32| {
        format!("<integer-le><tokens-count><place>{place}</place></tokens-count><integer-constant>{most}</integer-constant></integer-le>")
    };
    let always = |inside: &str| format!("<all-paths><globally>{inside}</globally></all-paths>");
    let both = |first: &str, second: &str| format!("<conjunction>{first}{second}</conjunction>");
    let safe = always(&both(&at_most("a", 1), &at_most("b", 1)));
    assert_eq!(written(&safe).unwrap(), Property::Safe(1));
    assert_eq!(written(&both(&always(&at_most("a", 1)), &always(&at_most("b", 1)))).unwrap(), Property::Safe(1));
    // Not all places, another number, and not each of them.
    for other in [
        always(&at_most("a", 1)),
        always(&both(&at_most("a", 1), &at_most("b", 2))),
        both(&always(&at_most("a", 1)), &always(&at_most("a", 1))),
        always(&format!("<disjunction>{}{}</disjunction>", at_most("a", 1), at_most("b", 1))),
    ] {
        assert!(matches!(written(&other).unwrap(), Property::Invariant(_)), "{other}");
    }
    let fires = |transition: &str| {
        format!("<exists-path><finally><is-fireable><transition>{transition}</transition></is-fireable></finally></exists-path>")
    };
    assert_eq!(written(&both(&fires("t"), &fires("u"))).unwrap(), Property::QuasiLive);
    assert_eq!(written(&both(&always(&fires("u")), &always(&fires("t")))).unwrap(), Property::Live);
    for (wrong, message) in [
        (both(&fires("t"), &fires("t")), "does not ask about each transition"),
        (both(&fires("t"), &fires("v")), "there is no transition “v”"),
        (both(&fires("t"), &safe), "each one asks whether one transition can fire, or none does"),
        (both(&fires("t"), "<deadlock/>"), "<deadlock> is not supported here"),
        (both(&always(&fires("t")), &always(&fires("t"))), "does not ask about each transition"),
        (both(&always(&fires("t")), &fires("u")), "each one asks whether one transition can always fire again, or none does"),
        (both(&always(&fires("t")), &safe), "each one asks whether one transition can always fire again, or none does"),
        (always(&fires("t")), "this <all-paths> does not ask about each transition"),
        (always("<exists-path><finally><deadlock/></finally></exists-path>"), "each one asks whether one transition can fire"),
    ] {
        let error = written(&wrong).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
}

#[test]
fn limits_are_kept() {
    let mut net = Net::new("net");
    let [a, b] = ["a", "b"].map(|name| net.add_place(name, 0).unwrap());
    net.add_transition("t", [(a, 1), (b, 1)], []).unwrap();
    let target = Target::new(vec![Constraint::Zero(Linear::variable(a)); 5]);
    let (net_text, pnml_text, question) = (tina::write(&net), pnml::write(&net), mcc::write(&[("q", &target)]).unwrap());
    let read = |limits: &Limits| {
        let results = [
            tina::read_within(&net_text, limits).map(drop),
            pnml::read_within(&pnml_text, limits).map(drop),
            mcc::read_within(&question, &net, &pnml::Ids::written(&net), limits).map(drop),
        ];
        results.map(|result| result.is_ok())
    };
    assert_eq!(read(&Limits { bytes: 2000, nodes: 2, arcs: 6 }), [true; 3]);
    assert_eq!(read(&Limits { bytes: 20, nodes: 2, arcs: 6 }), [false; 3]);
    assert_eq!(read(&Limits { bytes: 2000, nodes: 1, arcs: 6 }), [false, false, true]);
    assert_eq!(read(&Limits { bytes: 2000, nodes: 2, arcs: 1 }), [false; 3]);
}
