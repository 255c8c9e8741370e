//! Vector addition systems with states (`.vass`), a line each:
//!
//! ```text
//! # a comment
//! state q0 (1, 0)
//! q0 -> q1 (-1, +2) produce
//! q1 -> q0 (0, 0)
//! target q1 (0, 4)
//! ```
//!
//! One line `state` says where it begins, with which counters. A step goes from a state to a state and adds to the counters, none of which ever falls below 0; it may have a name. A `target` asks whether
//! that state can be reached with at least these counters. States become places with one token in all, counters become places `c1`, `c2`, …, steps become transitions.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::{FormatError, Limits};
use crate::formula::enough;
use crate::{Formula, Net, PlaceId};

pub use super::mist::Spec;

/// A line: words before the parenthesis, the numbers in it, words behind it.
type Line<'a> = (Vec<&'a str>, Vec<i64>, Vec<&'a str>);

fn line(text: &str, number: usize) -> Result<Option<Line<'_>>, FormatError> {
    let fail = |message: &str| FormatError::new(number, 1, message);
    let text = text.split('#').next().unwrap_or_default();
    if text.trim().is_empty() {
        return Ok(None);
    }
    let (before, rest) = text.split_once('(').ok_or_else(|| fail("expected “(”, the counters and “)”"))?;
    let (inside, behind) = rest.split_once(')').ok_or_else(|| fail("the parenthesis is never closed"))?;
    let numbers = inside.split(',').map(str::trim).filter(|one| !one.is_empty() || inside.contains(','));
    let numbers =
        numbers.map(|one| one.strip_prefix('+').unwrap_or(one).parse().map_err(|_| fail(&format!("“{one}” is no number of 64 bits"))));
    Ok(Some((before.split_whitespace().collect(), numbers.collect::<Result<_, _>>()?, behind.split_whitespace().collect())))
}

/// Reads a system within the default limits.
pub fn read(text: &str) -> Result<Spec, FormatError> {
    read_within(text, &Limits::default())
}

/// Reads a system.
pub fn read_within(text: &str, limits: &Limits) -> Result<Spec, FormatError> {
    limits.check_length(text)?;
    let mut lines = Vec::new();
    for (number, one) in (1..).zip(text.lines()) {
        if let Some(line) = line(one, number)? {
            lines.push((number, line));
        }
    }
    let beginning: Vec<_> = lines.iter().filter(|(_, line)| matches!(line.0[..], ["state", _])).collect();
    let [(_, (words, first, _))] = beginning[..] else {
        let at = beginning.get(1).map_or(1, |one| one.0);
        return Err(FormatError::new(at, 1, "expected one line “state NAME (COUNTERS)”, where it begins"));
    };
    let mut names: BTreeMap<&str, usize> = BTreeMap::new();
    let mut states: Vec<&str> = Vec::new();
    for (_, (before, ..)) in &lines {
        let named: Vec<&str> = match before[..] {
            ["state" | "target", name] => vec![name],
            [from, "->", to] => vec![from, to],
            _ => continue,
        };
        for name in named {
            names.entry(name).or_insert_with(|| {
                states.push(name);
                states.len() - 1
            });
        }
    }
    if states.len() + first.len() > limits.nodes || lines.len() > limits.nodes {
        return Err(FormatError::new(1, 1, "there are too many states or steps"));
    }
    let mut net = Net::new("");
    let wrong = |number: usize, message: String| FormatError::new(number, 1, message);
    let mut places: Vec<PlaceId> = Vec::new();
    for name in &states {
        places.push(net.add_place(*name, u64::from(words.get(1) == Some(name))).map_err(|error| wrong(1, error.to_string()))?);
    }
    let mut counters = Vec::new();
    for (at, &tokens) in (1..).zip(first) {
        let tokens = u64::try_from(tokens).map_err(|_| wrong(1, "a counter begins below 0".to_owned()))?;
        counters.push(net.add_place(format!("c{at}"), tokens).map_err(|error| wrong(1, error.to_string()))?);
    }
    let mut targets = Vec::new();
    for (number, (before, numbers, behind)) in &lines {
        if numbers.len() != counters.len() {
            return Err(wrong(*number, format!("there are {} numbers for {} counters", numbers.len(), counters.len())));
        }
        let arcs = |sign: i64| {
            let part = move |&(counter, &change): &(PlaceId, &i64)| {
                if change.signum() == sign { Some((counter, change.unsigned_abs())) } else { None }
            };
            counters.iter().copied().zip(numbers).filter_map(move |one| part(&one)).collect::<Vec<_>>()
        };
        match before[..] {
            ["state", _] if behind.is_empty() => {}
            ["target", name] if behind.is_empty() => {
                if numbers.iter().any(|&number| number < 0) {
                    return Err(wrong(*number, "a target is below 0".to_owned()));
                }
                let state = std::iter::once((places[names[name]], 1));
                let all: Option<Vec<Formula>> = state.chain(arcs(1)).map(|arc| enough(arc, false).map(Formula::constraint)).collect();
                targets.push(Formula::all(all.ok_or_else(|| wrong(*number, "a number does not fit 63 bits".to_owned()))?));
            }
            [from, "->", to] if behind.len() <= 1 => {
                let name = behind.first().map_or_else(|| format!("t{}", net.transition_count() + 1), |name| (*name).to_owned());
                let (mut inputs, mut outputs) = (arcs(-1), arcs(1));
                inputs.push((places[names[from]], 1));
                outputs.push((places[names[to]], 1));
                net.add_transition(name, inputs, outputs).map_err(|error| wrong(*number, error.to_string()))?;
            }
            _ => return Err(wrong(*number, "expected “state NAME (…)”, “NAME -> NAME (…) NAME” or “target NAME (…)”".to_owned())),
        }
    }
    Ok(Spec { net, targets })
}

/// A net as a system of one state, and one more for each transition that takes and gives on the same place: what it takes comes first. `None` where a number does not fit.
///
/// Places are counters, in order; the names of transitions stay where they are words.
pub fn write(net: &Net) -> Option<String> {
    let mut out = String::new();
    let vector = |arcs: &dyn Fn(PlaceId) -> i128| {
        let numbers = net.places().map(|place| i64::try_from(arcs(place)).ok().map(|number| number.to_string()));
        Some(format!("({})", numbers.collect::<Option<Vec<_>>>()?.join(", ")))
    };
    for (number, place) in (1..).zip(net.places()) {
        // Writing to a string does not fail.
        let _ = writeln!(out, "# c{number} is {}", net.place_name(place).escape_debug());
    }
    let _ = writeln!(out, "state s {}", vector(&|place| net.initial_tokens(place).into())?);
    for transition in net.transitions() {
        let weight = |arcs: &[crate::Arc], place: PlaceId| i128::from(crate::net::weight(arcs, place));
        let (inputs, outputs) = (net.inputs(transition), net.outputs(transition));
        let name = net.transition_name(transition);
        let is_word = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'));
        let name = if is_word { format!(" {name}") } else { format!(" t{}", transition.index() + 1) };
        if inputs.iter().any(|&(place, _)| weight(outputs, place) > 0) {
            let middle = format!("s{}", transition.index() + 1);
            let _ = writeln!(out, "s -> {middle} {}{name}", vector(&|place| -weight(inputs, place))?);
            let _ = writeln!(out, "{middle} -> s {}{name}.end", vector(&|place| weight(outputs, place))?);
        } else {
            let _ = writeln!(out, "s -> s {}{name}", vector(&|place| weight(outputs, place) - weight(inputs, place))?);
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOOP: &str = "# two counters\nstate q0 (1, 0)\nq0 -> q1 (-1, +2) produce\nq1 -> q0 (1, -1)\ntarget q1 (0, 4)\n";

    #[test]
    fn states_and_counters_become_places() {
        let Spec { net, targets } = read(LOOP).unwrap();
        let names: Vec<&str> = net.places().map(|place| net.place_name(place)).collect();
        assert_eq!(names, ["q0", "q1", "c1", "c2"]);
        assert_eq!(net.initial().as_slice(), [1, 0, 1, 0]);
        let names: Vec<&str> = net.transitions().map(|one| net.transition_name(one)).collect();
        assert_eq!(names, ["produce", "t2"]);
        let end = net.replay(&net.transitions().collect::<Vec<_>>()).unwrap();
        assert_eq!(end.as_slice(), [1, 0, 1, 1]);
        assert_eq!(crate::words::text(&targets[0], &net).unwrap(), "q1 >= 1 and c2 >= 4");
    }

    #[test]
    fn mistakes_are_told_with_their_line() {
        for (from, to, at, message) in [
            ("state q0 (1, 0)\n", "", 1, "expected one line “state NAME (COUNTERS)”, where it begins"),
            ("(1, 0)", "(-1, 0)", 1, "a counter begins below 0"),
            ("(-1, +2)", "(-1)", 3, "there are 1 numbers for 2 counters"),
            ("(-1, +2)", "(-1, x)", 3, "“x” is no number of 64 bits"),
            ("(-1, +2)", "-1, 2", 3, "expected “(”, the counters and “)”"),
            ("q0 -> q1", "q0 q1", 3, "expected “state NAME (…)”, “NAME -> NAME (…) NAME” or “target NAME (…)”"),
            ("target q1 (0, 4)", "target q1 (0, -4)", 5, "a target is below 0"),
        ] {
            let error = read(&LOOP.replacen(from, to, 1)).unwrap_err();
            assert_eq!((error.line, error.message.as_str()), (at, message), "{from}");
        }
    }

    #[test]
    fn what_is_written_is_read_as_a_system_with_the_same_steps() {
        let net = read(LOOP).unwrap().net;
        let back = read(&write(&net).unwrap()).unwrap().net;
        assert_eq!((back.place_count(), back.transition_count()), (5, 2));
        let first = back.transition_named("produce").unwrap();
        let tokens = back.replay(&[first]).unwrap();
        assert_eq!(tokens.as_slice(), [1, 0, 1, 0, 2]);
    }
}
