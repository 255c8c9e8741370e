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
//! One line `state` says where it begins, with which counters. A step goes from a state to a state and adds to the
//! counters, none of which ever falls below 0; it may have a name. A `target` asks whether that state can be reached
//! with at least these counters. States become places with one token in all, counters become places `c1`, `c2`, …,
//! steps become transitions. States are in the order in which lines name them, or as a line `states q1 q0` says, which
//! may name some before all others.
//!
//! What is written is read as the same net where the net is such a system, and else as one with one state
//! ([`write()`]).

use std::collections::BTreeMap;
use std::fmt::Write;

use serval_diagnostic::counted;

use super::{FormatError, Limits, without_mark};
use crate::formula::enough;
use crate::{Formula, Net, PlaceId};

pub use super::mist::Spec;

/// What leads from state to state, so that no state is called so: “states -> q” would be a step.
const ARROW: &str = "->";

/// A line: words before the parenthesis, the numbers in it, words behind it.
type VassLine<'a> = (Vec<&'a str>, Vec<i64>, Vec<&'a str>);

fn line(text: &str, number: usize) -> Result<Option<VassLine<'_>>, FormatError> {
    let fail = |message: &str| FormatError::new(number, 1, message);
    let text = text.split('#').next().unwrap_or_default();
    if text.trim().is_empty() {
        return Ok(None);
    }
    if text.split_whitespace().next() == Some("states") && !text.contains('(') {
        return Ok(Some((text.split_whitespace().collect(), Vec::new(), Vec::new())));
    }
    let (before, rest) = text.split_once('(').ok_or_else(|| fail("expected “(”, the counters and “)”"))?;
    let (inside, behind) = rest.split_once(')').ok_or_else(|| fail("the parenthesis is never closed"))?;
    let mut at = before.len() + 1;
    let mut numbers = Vec::new();
    for one in inside.split(',').filter(|_| !inside.trim().is_empty()) {
        // The column of the number itself, in characters.
        let column = text[..at + one.len() - one.trim_start().len()].chars().count() + 1;
        at += one.len() + 1;
        let one = one.trim();
        let digits = one.strip_prefix(['+', '-']).unwrap_or(one);
        let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
        let told = || match digits.split_once('.') {
            Some((whole, rest)) if [whole, rest].iter().all(|part| part.bytes().all(|byte| byte.is_ascii_digit())) => {
                format!("“{one}” has a fraction, and counters are whole")
            }
            _ => format!("“{one}” is no number of 64 bits"),
        };
        numbers.push(one.parse().ok().filter(|_| is_number).ok_or_else(|| FormatError::new(number, column, told()))?);
    }
    Ok(Some((before.split_whitespace().collect(), numbers, behind.split_whitespace().collect())))
}

/// Whether a line declares states.
fn is_declaration((before, numbers, behind): &VassLine<'_>) -> bool {
    before.first() == Some(&"states") && before.get(1) != Some(&"->") && numbers.is_empty() && behind.is_empty()
}

/// Reads a system within the default limits.
pub fn read(text: &str) -> Result<Spec, FormatError> {
    read_within(text, &Limits::default())
}

/// Reads a system.
pub fn read_within(text: &str, limits: &Limits) -> Result<Spec, FormatError> {
    limits.check_length(text)?;
    let text = without_mark(text);
    let mut lines = Vec::new();
    for (number, one) in (1..).zip(text.lines()) {
        if let Some(line) = line(one, number)? {
            lines.push((number, line));
        }
    }
    // What declares states goes before all that uses them, and is done with then.
    let (declared, lines): (Vec<_>, Vec<_>) = lines.into_iter().partition(|(_, line)| is_declaration(line));
    let beginning: Vec<_> = lines.iter().filter(|(_, line)| matches!(line.0[..], ["state", _])).collect();
    let [(_, (words, first, _))] = beginning[..] else {
        let at = beginning.get(1).map_or(1, |one| one.0);
        return Err(FormatError::new(at, 1, "expected one line “state NAME (COUNTERS)”, where it begins"));
    };
    let mut names: BTreeMap<&str, usize> = BTreeMap::new();
    let mut states: Vec<&str> = Vec::new();
    for (number, (before, ..)) in declared.iter().chain(&lines) {
        let named: Vec<&str> = match before[..] {
            ["states", ..] if before.get(1) != Some(&"->") => before[1..].to_vec(),
            ["state" | "target", name] => vec![name],
            [from, "->", to] => vec![from, to],
            _ => continue,
        };
        for name in named {
            if name == ARROW {
                return Err(FormatError::new(*number, 1, "a state cannot be called “->”"));
            }
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
            return Err(wrong(*number, format!("{} for {}", counted(numbers.len(), "number"), counted(counters.len(), "counter"))));
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
                    return Err(FormatError::new(*number, 1, "a target is below 0"));
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

/// How many of the first places of a net that was read are states: all but those at its end that are called `c1`, `c2`,
/// ….
pub fn states(net: &Net) -> usize {
    let names: Vec<&str> = net.places().map(|place| net.place_name(place)).collect();
    let is_counters = |from: usize| (1..).zip(&names[from..]).all(|(number, name)| *name == format!("c{number}"));
    (0..=names.len())
        .rev()
        .take_while(|&from| names.get(from).is_none_or(|name| name.starts_with('c')))
        .filter(|&from| is_counters(from))
        .last()
        .unwrap_or(names.len())
}

/// A state with its counters, `q (1, 0)`, as a marking in words; nothing where it is none. A counter may be `*`, any
/// number.
pub fn configuration(text: &str, net: &Net, states: usize) -> Option<String> {
    let (state, rest) = text.trim().strip_suffix(')')?.split_once('(')?;
    let names: Vec<&str> = net.places().map(|place| net.place_name(place)).collect();
    let (states, counters) = names.split_at_checked(states)?;
    let numbers: Vec<&str> = if counters.is_empty() { Vec::new() } else { rest.split(',').map(str::trim).collect() };
    if !states.contains(&state.trim()) || numbers.len() != counters.len() {
        return None;
    }
    let here = states.iter().map(|name| format!("{} = {}", crate::words::quoted(name), u8::from(*name == state.trim())));
    let counted = counters.iter().zip(numbers).filter(|one| one.1 != "*").map(|(name, number)| format!("{name} = {number}"));
    Some(here.chain(counted).chain(["*".to_owned()]).collect::<Vec<_>>().join(", "))
}

/// A vector of changes, in parentheses; `None` where a number does not fit.
fn vector(numbers: impl Iterator<Item = i128>) -> Option<String> {
    let numbers = numbers.map(|number| i64::try_from(number).ok().map(|number| number.to_string()));
    Some(format!("({})", numbers.collect::<Option<Vec<_>>>()?.join(", ")))
}

fn weight(arcs: &[crate::Arc], place: PlaceId) -> i128 {
    crate::net::weight(arcs, place).into()
}

/// A net as a system. If its first places are states, of which one has a token, each transition moves that token and
/// takes nothing that it gives back, and the others are called `c1`, `c2`, …, it is read as the same net. Else all
/// places are counters, in order, of a system with one state, and one more for each transition that takes and gives on
/// the same place: what it takes comes first. The names of transitions stay where they are words. `None` where a number
/// does not fit.
pub fn write(net: &Net) -> Option<String> {
    match (1..=net.place_count()).find(|&states| is_system(net, states)) {
        Some(states) => write_system(net, states),
        None => write_counters(net),
    }
}

/// Whether the first `states` places are states and all others counters, and the names are read as they are.
fn is_system(net: &Net, states: usize) -> bool {
    let places: Vec<PlaceId> = net.places().collect();
    let (states, counters) = places.split_at(states);
    let is_plain = |name: &str| !name.is_empty() && !name.contains(|c: char| c.is_whitespace() || c == '#');
    let is_counter = |(number, place): (usize, &PlaceId)| net.place_name(*place) == format!("c{number}");
    let moves = |arcs: &[crate::Arc]| arcs.iter().filter(|arc| arc.0.index() < states.len()).map(|arc| arc.1).eq([1]);
    let begins: Vec<u64> = states.iter().map(|&place| net.initial_tokens(place)).filter(|&tokens| tokens > 0).collect();
    begins == [1]
        && (1..).zip(counters).all(is_counter)
        && states.iter().map(|&place| net.place_name(place)).all(|name| is_plain(name) && !name.contains('(') && name != ARROW)
        && net.transitions().all(|one| {
            let (inputs, outputs) = (net.inputs(one), net.outputs(one));
            is_plain(net.transition_name(one))
                && moves(inputs)
                && moves(outputs)
                && counters.iter().all(|&place| weight(inputs, place) == 0 || weight(outputs, place) == 0)
        })
}

fn write_system(net: &Net, states: usize) -> Option<String> {
    let places: Vec<PlaceId> = net.places().collect();
    let (states, counters) = places.split_at(states);
    let state = |arcs: &[crate::Arc]| states.iter().copied().find(|&place| weight(arcs, place) > 0);
    let first = *states.iter().find(|&&place| net.initial_tokens(place) > 0)?;
    let mut named = vec![first];
    for transition in net.transitions() {
        for place in [state(net.inputs(transition))?, state(net.outputs(transition))?] {
            if !named.contains(&place) {
                named.push(place);
            }
        }
    }
    let mut out = String::new();
    if named != states {
        let names: Vec<&str> = states.iter().map(|&place| net.place_name(place)).collect();
        // Writing to a string does not fail.
        let _ = writeln!(out, "states {}", names.join(" "));
    }
    let _ = writeln!(out, "state {} {}", net.place_name(first), vector(counters.iter().map(|&place| net.initial_tokens(place).into()))?);
    for transition in net.transitions() {
        let (inputs, outputs) = (net.inputs(transition), net.outputs(transition));
        let [from, to] = [net.place_name(state(inputs)?), net.place_name(state(outputs)?)];
        let changes = vector(counters.iter().map(|&place| weight(outputs, place) - weight(inputs, place)))?;
        let _ = writeln!(out, "{from} -> {to} {changes} {}", net.transition_name(transition));
    }
    Some(out)
}

fn write_counters(net: &Net) -> Option<String> {
    let mut out = String::new();
    for (number, place) in (1..).zip(net.places()) {
        let _ = writeln!(out, "# c{number} is {}", net.place_name(place).escape_debug());
    }
    let _ = writeln!(out, "state s {}", vector(net.places().map(|place| net.initial_tokens(place).into()))?);
    // Names that are made up are those of nothing else.
    let taken = |name: &str| net.transition_named(name).is_some();
    for transition in net.transitions() {
        let (inputs, outputs) = (net.inputs(transition), net.outputs(transition));
        let name = net.transition_name(transition);
        let is_word = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'));
        let mut name = if is_word { name.to_owned() } else { format!("t{}", transition.index() + 1) };
        while !is_word && taken(&name) {
            name.push('_');
        }
        if inputs.iter().any(|&(place, _)| weight(outputs, place) > 0) {
            let middle = format!("s{}", transition.index() + 1);
            let mut end = format!("{name}.end");
            while taken(&end) {
                end.push('_');
            }
            let _ = writeln!(out, "s -> {middle} {} {name}", vector(net.places().map(|place| -weight(inputs, place)))?);
            let _ = writeln!(out, "{middle} -> s {} {end}", vector(net.places().map(|place| weight(outputs, place)))?);
        } else {
            let _ = writeln!(out, "s -> s {} {name}", vector(net.places().map(|place| weight(outputs, place) - weight(inputs, place)))?);
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
            ("(-1, +2)", "(-1)", 3, "1 number for 2 counters"),
            ("(-1, +2)", "(-1, x)", 3, "“x” is no number of 64 bits"),
            ("(-1, +2)", "-1, 2", 3, "expected “(”, the counters and “)”"),
            ("q0 -> q1", "q0 q1", 3, "expected “state NAME (…)”, “NAME -> NAME (…) NAME” or “target NAME (…)”"),
            ("target q1 (0, 4)", "target q1 (0, -4)", 5, "a target is below 0"),
            ("target q1", "target ->", 5, "a state cannot be called “->”"),
            ("q1 -> q0", "-> -> q0", 4, "a state cannot be called “->”"),
        ] {
            let error = read(&LOOP.replacen(from, to, 1)).unwrap_err();
            assert_eq!((error.line, error.message.as_str()), (at, message), "{from}");
        }
    }

    #[test]
    fn what_is_written_is_read_as_a_system_with_the_same_steps() {
        let net = read(LOOP).unwrap().net;
        let text = write(&net).unwrap();
        assert_eq!(text, "state q0 (1, 0)\nq0 -> q1 (-1, 2) produce\nq1 -> q0 (1, -1) t2\n");
        assert_eq!(read(&text).unwrap().net, net);
        // States that are named in another order, or by nothing, and what is no system.
        let other = read("q1 -> q0 (0) a\ntarget q2 (1)\nstate q0 (3)\n").unwrap().net;
        let text = write(&other).unwrap();
        assert_eq!(text, "states q1 q0 q2\nstate q0 (3)\nq1 -> q0 (0) a\n");
        assert_eq!(read(&text).unwrap().net, other);
        let net = crate::tina::read("pl a (1)\npl b (2)\ntr t a b*2 -> a\ntr {my u} b -> a\ntr t2 a -> b\n").unwrap();
        let text = write(&net).unwrap();
        let back = read(&text).unwrap().net;
        let names: Vec<&str> = back.transitions().map(|one| back.transition_name(one)).collect();
        assert_eq!(names, ["t", "t.end", "t2_", "t2"]);
        assert_eq!(
            (back.place_count(), write(&back)),
            (4, Some(text.lines().filter(|line| !line.starts_with('#')).map(|line| format!("{line}\n")).collect()))
        );
    }

    /// A state of a net that is no word of the format is a counter.
    #[test]
    fn what_leads_from_state_to_state_is_no_state() {
        let net = crate::tina::read("pl {->} (0)\npl b (1)\ntr t b -> {->}\n").unwrap();
        let text = write(&net).unwrap();
        assert!(text.contains("state s (0, 1)\n"), "{text}");
        assert_eq!(read(&text).unwrap().net.place_count(), 3);
    }

    #[test]
    fn states_can_be_declared() {
        let net = read("states b a # first\nstate a (1)\na -> b (-1)\nstates -> a (0) odd\n").unwrap().net;
        let names: Vec<&str> = net.places().map(|place| net.place_name(place)).collect();
        assert_eq!(names, ["b", "a", "states", "c1"]);
        let error = read("states a\nstates (1)\nstate a ()\n").unwrap_err();
        assert_eq!((error.line, error.message.as_str()), (2, "1 number for 0 counters"));
    }
}
