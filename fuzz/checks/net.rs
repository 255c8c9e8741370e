//! What must hold of reading nets, whatever the text is.

use serval_petri::{Constraint, FormatError, Limits, Net, mist, pnml, tina, vass};

/// Checks one text as PNML; says whether it is accepted.
#[allow(dead_code, reason = "a target that includes this file tests the formats that it is for")]
pub(crate) fn check_pnml(text: &str) -> Result<(), FormatError> {
    let read = match pnml::read(text) {
        Ok(read) => read,
        Err(error) => return Err(check_error(text, error)),
    };
    check_net(&read.net);
    let [places, transitions] = read.ids.all();
    assert!(places.len() >= read.net.place_count() && transitions.len() >= read.net.transition_count(), "every node has an id");
    for id in places {
        assert!(read.ids.places_of(id).is_some_and(|all| all.iter().all(|place| place.index() < read.net.place_count())), "{id}");
    }
    for id in transitions {
        let all = read.ids.transitions_of(id);
        assert!(all.is_some_and(|all| all.iter().all(|transition| transition.index() < read.net.transition_count())), "{id}");
    }
    let few = Limits { nodes: 2, arcs: 2, ..Limits::default() };
    match pnml::read_within(text, &few) {
        Ok(again) => assert_eq!(again, read),
        Err(error) => _ = check_error(text, error),
    }
    Ok(())
}

/// Checks one text in the format of Tina; says whether it is accepted.
#[allow(dead_code, reason = "as above")]
pub(crate) fn check_tina(text: &str) -> Result<(), FormatError> {
    let net = match tina::read(text) {
        Ok(net) => net,
        Err(error) => return Err(check_error(text, error)),
    };
    check_net(&net);
    let few = Limits { nodes: 2, arcs: 2, ..Limits::default() };
    match tina::read_within(text, &few) {
        Ok(again) => assert_eq!(again, net),
        Err(error) => _ = check_error(text, error),
    }
    Ok(())
}

/// Checks one text as a specification of mist; says whether it is accepted.
#[allow(dead_code, reason = "as above")]
pub(crate) fn check_spec(text: &str) -> Result<(), FormatError> {
    check_asked(text, mist::read, mist::read_within)
}

/// Checks one text as a vector addition system; says whether it is accepted. What is written is read as the same net.
#[allow(dead_code, reason = "as above")]
pub(crate) fn check_vass(text: &str) -> Result<(), FormatError> {
    check_asked(text, vass::read, vass::read_within)?;
    if let Ok(read) = vass::read(text) {
        let written = vass::write(&read.net);
        let written = written.unwrap_or_else(|| panic!("numbers that were read are not written"));
        let again = vass::read(&written).unwrap_or_else(|error| panic!("what was written is not read: {error}\n{written}"));
        assert_eq!(again.net, read.net, "{written}");
    }
    Ok(())
}

/// Checks a net with what is asked of it: everything that is asked is upward closed, or the exact number of one place.
fn check_asked(
    text: &str,
    read: impl Fn(&str) -> Result<mist::Spec, FormatError>,
    read_within: impl Fn(&str, &Limits) -> Result<mist::Spec, FormatError>,
) -> Result<(), FormatError> {
    let asked = match read(text) {
        Ok(asked) => asked,
        Err(error) => return Err(check_error(text, error)),
    };
    check_net(&asked.net);
    for target in &asked.targets {
        let is_exact = |constraint: &Constraint| matches!(constraint, Constraint::Zero(sum) if sum.terms().len() == 1);
        assert!(target.not_upward().is_none_or(|_| target.constraints().any(is_exact)), "{text}");
    }
    // Any net is a system with one state, and reading that gives a net that is written alike.
    if let Some(system) = vass::write(&asked.net) {
        let back = vass::read(&system).unwrap_or_else(|error| panic!("what was written is not read: {error}\n{system}"));
        let again = vass::write(&back.net).map(|text| vass::read(&text));
        assert_eq!(again.map(|again| again.map(|again| again.net)), Some(Ok(back.net)), "{system}");
    }
    let few = Limits { nodes: 2, arcs: 2, ..Limits::default() };
    match read_within(text, &few) {
        Ok(again) => assert_eq!((again.net, again.targets), (asked.net, asked.targets)),
        Err(error) => _ = check_error(text, error),
    }
    Ok(())
}

/// Both formats give the net back, and the first transitions fire or do not.
fn check_net(net: &Net) {
    net.check_invariants();
    let written = tina::write(net);
    assert_eq!(tina::read(&written).as_ref(), Ok(net), "{written}");
    let written = pnml::write(net);
    let read = pnml::read(&written).unwrap_or_else(|error| panic!("what was written is not read: {error}\n{written}"));
    assert_eq!(read.net, *net, "{written}");
    assert_eq!(read.ids, pnml::Ids::written(net));
    let mut marking = net.initial();
    for transition in net.transitions().take(8) {
        let before = marking.clone();
        if net.fire(&mut marking, transition).is_ok() {
            assert!(net.is_enabled(&before, transition));
        } else {
            assert_eq!(marking, before, "what cannot fire changes nothing");
        }
    }
}

/// The place lies in the text, and there is something to say.
pub(crate) fn check_error(text: &str, error: FormatError) -> FormatError {
    assert!(!error.message.trim().is_empty(), "{error:?}");
    let line = text.split('\n').nth(error.line.wrapping_sub(1));
    let line = line.unwrap_or_else(|| panic!("{error:?} is in no line of the text"));
    assert!((1..=line.chars().count() + 1).contains(&error.column), "{error:?} is in no column of {line:?}");
    if let Some(unknown) = &error.unknown {
        assert!(!unknown.known.is_empty() || unknown.word.is_empty() || error.message.contains("there is no"), "{error:?}");
    }
    error
}
