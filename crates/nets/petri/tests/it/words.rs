//! Formulas, markings and properties are read back from their own text.

use proptest::prelude::*;
use proptest::sample::Index;
use serval_effort::sweep;
use serval_petri::{Constraint, Formula, FormulaPart, Linear, Marking, Net, PlaceId, Property, words};

use crate::support::cases;

/// Names that are words, words of the language, and anything else.
fn names() -> impl Strategy<Value = Vec<String>> {
    let name = prop_oneof![
        "[a-z_][a-z0-9_.]{0,4}",
        prop_oneof![Just("and"), Just("not"), Just("true"), Just("deadlock"), Just("fireable"), Just("or")].prop_map(str::to_owned),
        "[\"\\\\ a:=,1é\n]{0,4}",
        any::<String>(),
    ];
    proptest::collection::hash_set(name, 1..5).prop_map(|names| names.into_iter().collect())
}

fn net_of(names: &[String]) -> Net {
    let mut net = Net::new("names");
    for (at, name) in names.iter().enumerate() {
        let place = net.add_place(name, 1).unwrap();
        net.add_transition(name, [(place, u64::try_from(at).unwrap() + 1)], []).unwrap();
    }
    net
}

/// A number that is mostly small, and sometimes the largest or smallest that there is.
fn number() -> impl Strategy<Value = i64> {
    prop_oneof![8 => -3..=3i64, 1 => any::<i64>(), 1 => prop_oneof![Just(i64::MIN), Just(i64::MAX)]]
}

/// What a formula is made of: conditions, and how many of those before are joined, by what.
#[derive(Clone, Debug)]
enum Step {
    Condition(Vec<(Index, i64)>, i64, bool),
    Join(Index, bool),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let terms = proptest::collection::vec((any::<Index>(), number()), 0..4);
    let condition = (terms, number(), any::<bool>()).prop_map(|(terms, constant, zero)| Step::Condition(terms, constant, zero));
    let join = (any::<Index>(), any::<bool>()).prop_map(|(count, all)| Step::Join(count, all));
    proptest::collection::vec(prop_oneof![3 => condition, 2 => join], 0..12)
}

fn formula_of(steps: &[Step], net: &Net) -> Formula {
    let places: Vec<PlaceId> = net.places().collect();
    let (mut parts, mut open) = (Vec::new(), 0_usize);
    for step in steps {
        match step {
            Step::Condition(terms, constant, zero) => {
                // Sums of the largest numbers fit nowhere.
                let Some(linear) = Linear::new(terms.iter().map(|(place, factor)| (*place.get(&places), *factor)), *constant) else {
                    continue;
                };
                parts.push(FormulaPart::Constraint(if *zero { Constraint::Zero(linear) } else { Constraint::AtLeastZero(linear) }));
                open += 1;
            }
            Step::Join(count, all) => {
                let count = count.index(open + 1);
                parts.push(if *all { FormulaPart::All(count) } else { FormulaPart::Any(count) });
                open = open + 1 - count;
            }
        }
    }
    parts.push(FormulaPart::All(open));
    Formula::new(parts).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases(sweep("petri.words", 150, 600))) })]

    #[test]
    fn a_formula_is_read_back(names in names(), steps in steps(), markings in proptest::collection::vec(proptest::collection::vec(0..4u64, 4), 8)) {
        let net = net_of(&names);
        let formula = formula_of(&steps, &net);
        let text = words::text(&formula, &net).unwrap();
        let read = words::formula(&text, &net).unwrap();
        prop_assert!(read.constraints().eq(formula.constraints()), "{text}");
        prop_assert_eq!(words::text(&read, &net).unwrap(), text);
        for marking in markings {
            let marking = Marking::new(marking);
            prop_assert_eq!(read.holds(&marking), formula.holds(&marking));
        }
        for property in [Property::Invariant(read.clone()), Property::Reachable(read)] {
            let text = property.text(&net).unwrap();
            prop_assert_eq!(Property::parse(&text, &net).unwrap(), property);
        }
    }

    #[test]
    fn a_marking_is_read_back(names in names(), tokens in proptest::collection::vec(prop_oneof![0..3u64, any::<u64>()], 4), most in any::<u64>()) {
        let net = net_of(&names);
        let marking = Marking::new(tokens[..net.place_count()].to_vec());
        for property in [Property::Reaches(marking), Property::Safe(most), Property::Safe(1), Property::QuasiLive, Property::NoDeadPlaces, Property::StableMarking, Property::Live, Property::Reversible, Property::DeadlockFree] {
            let text = property.text(&net).unwrap();
            prop_assert_eq!(Property::parse(&text, &net).unwrap(), property);
        }
    }
}

#[test]
fn what_has_no_words_has_no_text() {
    let mut net = Net::new("");
    let a = net.add_place("a", 0).unwrap();
    let constraint = Constraint::NotDivisible { divisor: 2.try_into().unwrap(), expression: Linear::variable(a) };
    assert_eq!(words::text(&Formula::constraint(constraint), &net), None);
    // Each `any` under an `all` needs parentheses, and those nest at most 200 deep.
    let atom = || Formula::constraint(Constraint::Zero(Linear::variable(a)));
    let nested = |depth| (0..depth).fold(atom(), |inner, _| Formula::all([atom(), Formula::any([atom(), inner])]));
    let text = words::text(&nested(199), &net).unwrap();
    assert_eq!(words::formula(&text, &net).unwrap(), nested(199));
    assert_eq!(words::text(&nested(400), &net), None);
}

#[test]
fn mistakes_in_properties_have_a_place() {
    let mut net = Net::new("");
    net.add_place("a", 0).unwrap();
    for (text, at, message) in [
        (
            "deadlock_free",
            (0, 13),
            "there is no property “deadlock_free”; there are deadlock-free, one-safe, safe:K, quasi-live, no-dead-places, stable-marking, live, reversible, invariant:FORMULA, reachable:FORMULA, reaches:MARKING, coverable:MARKING, bounded, bounded:SUM, bound:SUM",
        ),
        ("quasi-live:a", (10, 12), "nothing comes after “quasi-live”"),
        ("safe", (0, 4), "“safe” needs something behind a colon: safe:K"),
        ("reaches", (0, 7), "“reaches” needs something behind a colon: reaches:MARKING"),
        ("safe:-1", (5, 7), "after “safe:” comes a number of 64 bits"),
        ("safe:18446744073709551616", (5, 25), "after “safe:” comes a number of 64 bits"),
        ("invariant:a > b", (14, 15), "the net has no place “b”"),
        ("reaches:a = 1, a = 2", (15, 16), "“a” is named twice"),
        ("coverable", (0, 9), "“coverable” needs something behind a colon: coverable:MARKING"),
        ("coverable:b = 1", (10, 11), "the net has no place “b”"),
        (
            "coverable:a >= 1 and a <= 2",
            (10, 27),
            "“a <= 2” can end when tokens are added, so that covering does not mean it; ask reachable:FORMULA instead",
        ),
        ("bounded:a - 2*a", (8, 15), "expected a sum of places, without “-”"),
        ("bounded:3", (8, 9), "expected a sum of places, without “-”"),
        ("bounded:a >= 1", (10, 12), "expected “+” or the end, found “>=”"),
        ("bounded:a + b", (12, 13), "the net has no place “b”"),
    ] {
        let error = Property::parse(text, &net).unwrap_err();
        assert_eq!(((error.start, error.end), error.message.as_str()), (at, message), "{text}");
    }
}

#[test]
fn what_is_covered_and_bounded_has_words() {
    let mut net = Net::new("");
    let [a, b] = ["a", "my b"].map(|name| net.add_place(name, 0).unwrap());
    for (text, canonical) in [
        ("coverable:a = 2, \"my b\" = 1", "coverable:a >= 2 and \"my b\" >= 1"),
        ("coverable:", "coverable:true"),
        ("coverable:not a < 2 or a + \"my b\" > 3", "coverable:a >= 2 or a + \"my b\" >= 4"),
        ("bounded", "bounded"),
        ("bounded:\"my b\" + 2*a", "bounded:a + \"my b\""),
        ("bound: \"my b\" + 2*a", "bound:2*a + \"my b\""),
        ("bound:a + a = 7", "bound:2*a = 7"),
        ("bound:a = omega", "bound:a = ω"),
    ] {
        let property = Property::parse(text, &net).unwrap();
        assert_eq!(property.text(&net).as_deref(), Some(canonical), "{text}");
        assert_eq!(Property::parse(canonical, &net).unwrap().text(&net).as_deref(), Some(canonical), "{text}");
    }
    assert_eq!(Property::parse("bounded", &net).unwrap().bounded_places(&net), Some(vec![a, b]));
    assert_eq!(Property::parse("bounded:a", &net).unwrap().bounded_places(&net), Some(vec![a]));
    assert_eq!(Property::Bounded(None).goals(&net), None);
    let most = |text: &str| Property::parse(text, &net).unwrap();
    assert_eq!((most("bound:a").goals(&net), most("bound:a = ω").goals(&net)), (None, None));
    let goals: Vec<String> = most("bound:a = 0").goals(&net).unwrap().iter().map(|goal| words::text(goal, &net).unwrap()).collect();
    assert_eq!(goals, ["a >= 0", "a >= 1"]);
    assert_eq!(most("bound:a = 18446744073709551615").goals(&net), None);
    for (text, message) in [
        ("bound", "“bound” needs something behind a colon: bound:SUM"),
        ("bound:", "expected a place, a number or a formula, found the end"),
        ("bound:a - \"my b\"", "expected a sum of places, without “-”"),
        ("bound:3", "expected a sum of places, without “-”"),
        ("bound:a + 3", "expected a sum of places, and nothing that is added to it"),
        ("bound:a = b", "expected a number or ω, found “b”"),
        ("bound:a = 3 + 4", "expected “+”, “= NUMBER”, “= ω” or the end, found “+”"),
        ("bound:a <= 3", "expected “+”, “= NUMBER”, “= ω” or the end, found “<=”"),
    ] {
        assert_eq!(Property::parse(text, &net).unwrap_err().message, message, "{text}");
    }
}

/// Texts that are cut, doubled or mistyped are read or refused.
#[test]
fn specifications_and_systems_may_be_anything() {
    let texts = [
        "vars\n a b\nrules\n a >= 1 -> a' = a - 1, b' = b + 2;\ninit\n a >= 2, b = 0\ntarget\n b >= 3\n a>=1,b>=1\ninvariants\n a=1",
        "state q0 (1, 0)\nq0 -> q1 (-1, +2) t\nq1 -> q0 (0, 0)\ntarget q1 (0, 4)\n",
    ];
    for text in texts {
        let letters: Vec<char> = text.chars().collect();
        for at in 0..letters.len() {
            for other in ['\'', '(', ')', ',', '-', '9', 'q', ' ', 'é', '>'] {
                let changed = |letter: Option<char>| {
                    letters[..at].iter().copied().chain(letter).chain(letters[at + 1..].iter().copied()).collect::<String>()
                };
                for text in [changed(None), changed(Some(other)), letters[..at].iter().collect()] {
                    let _ = serval_petri::mist::read(&text);
                    let _ = serval_petri::vass::read(&text);
                }
            }
        }
    }
}
