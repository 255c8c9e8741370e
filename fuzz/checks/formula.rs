//! What must hold of reading formulas, markings and properties, whatever the text is.

use serval_petri::words::{self, WordsError};
use serval_petri::{Formula, Marking, Net, Property};

/// A net with names of every kind, about which the formulas are.
pub(crate) fn subject() -> Net {
    let mut net = Net::new("subject");
    let names = ["p", "q", "my place", "and", "a\"b\\", "é.1_"];
    let places: Vec<_> = (0..).zip(names).filter_map(|(tokens, name)| net.add_place(name, tokens % 3).ok()).collect();
    for (at, name) in ["t", "u", "not", "two words"].into_iter().enumerate() {
        let (from, to) = (places[at], places[at + 1]);
        net.add_transition(name, [(from, 1 + (at as u64) % 2)], [(to, 1)]).unwrap_or_else(|error| panic!("{error}"));
    }
    net
}

/// Some markings of the net.
pub(crate) fn markings(net: &Net) -> Vec<Marking> {
    let marking = |tokens: &dyn Fn(u64) -> u64| Marking::new((0..net.place_count() as u64).map(tokens).collect());
    vec![
        net.initial(),
        marking(&|_| 0),
        marking(&|_| 1),
        marking(&|place| place),
        marking(&|place| u64::MAX >> (place * 8)),
        marking(&|place| 3 * (place % 2)),
    ]
}

/// Checks one text; says as what it is accepted: a formula, a marking, a property.
#[allow(dead_code, reason = "queries share only what is said of formulas")]
pub(crate) fn check(text: &str) -> Result<[bool; 3], WordsError> {
    let net = subject();
    let formula = words::formula(text, &net).map_err(|error| check_error(text, error));
    if let Ok(formula) = &formula {
        check_formula(formula, &net);
    }
    let marking = words::marking(text, &net).map_err(|error| check_error(text, error));
    if let Ok(marking) = &marking {
        let written = words::marking_text(marking, &net);
        assert_eq!(words::marking(&written, &net).as_ref(), Ok(marking), "{written}");
    }
    let property = Property::parse(text, &net).map_err(|error| check_error(text, error));
    if let Ok(property) = &property {
        // There are words for it unless it nests too deep.
        if let Some(written) = property.text(&net) {
            let again = Property::parse(&written, &net).unwrap_or_else(|error| panic!("{written}: {error}"));
            assert_eq!(again.text(&net).as_deref(), Some(&written[..]));
            assert_eq!((again.name(), again.decides()), (property.name(), property.decides()));
        }
        for goal in property.goals(&net).into_iter().flatten() {
            markings(&net).iter().for_each(|marking| _ = goal.holds(marking));
        }
    }
    let accepted = [formula.is_ok(), marking.is_ok(), property.is_ok()];
    if accepted == [false; 3] { property.map(|_| accepted) } else { Ok(accepted) }
}

/// The words for it say the same, and so does the opposite of its opposite.
pub(crate) fn check_formula(formula: &Formula, net: &Net) {
    let opposite = formula.negated();
    let back = opposite.as_ref().and_then(Formula::negated);
    let written = words::text(formula, net);
    let again = written.as_ref().map(|text| words::formula(text, net).unwrap_or_else(|error| panic!("{text}: {error}")));
    if let (Some(again), Some(written)) = (&again, &written) {
        assert_eq!(words::text(again, net).as_ref(), Some(written), "writing it again gives another text");
    }
    for marking in markings(net) {
        let holds = formula.holds(&marking);
        assert!(opposite.as_ref().is_none_or(|opposite| opposite.holds(&marking) != holds), "{written:?}");
        assert!(back.as_ref().is_none_or(|back| back.holds(&marking) == holds), "{written:?}");
        assert!(again.as_ref().is_none_or(|again| again.holds(&marking) == holds), "{written:?}");
    }
}

/// The place lies in the text.
#[allow(dead_code, reason = "as above")]
fn check_error(text: &str, error: WordsError) -> WordsError {
    assert!(error.start <= error.end && text.get(error.start..error.end).is_some(), "{error:?} is no place in the text");
    assert!(!error.message.trim().is_empty(), "{error:?}");
    error
}
