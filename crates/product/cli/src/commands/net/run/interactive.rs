//! Firing by hand: a list of what can fire, a number or a name to choose.

use std::io::{self, BufRead, Write};

use serval::nets::{Marking, Net, TransitionId};
use serval::similar;
use serval_report::escape::name;
use serval_report::nets::{MarkingShown, marking_words};

use crate::failure::Failure;

/// Transitions that are listed; all can be named.
const LISTED: usize = 40;
/// Changes of a transition that are shown.
const CHANGES: usize = 8;

/// Asks until the user has had enough; the names of what has fired.
pub(super) fn run(net: &Net, markings: MarkingShown) -> Result<Vec<String>, Failure> {
    let mut input = io::stdin().lock();
    let mut out = io::stdout().lock();
    let mut marking = net.initial();
    // What has fired, each with the marking before.
    let mut fired: Vec<(TransitionId, Marking)> = Vec::new();
    writeln!(out, "Choose by number or by name; u takes the last choice back, ? shows the marking, q ends.")?;
    'turns: loop {
        let enabled: Vec<TransitionId> = net.transitions().filter(|&transition| net.is_enabled(&marking, transition)).collect();
        writeln!(out)?;
        if markings == MarkingShown::Whole {
            writeln!(out, "      {}", told(net, &marking))?;
        }
        for (position, &transition) in enabled.iter().enumerate().take(LISTED) {
            writeln!(out, "{:4}  {}", position + 1, effect(net, transition, &marking))?;
        }
        if let Some(more) = enabled.len().checked_sub(LISTED).filter(|&more| more > 0) {
            writeln!(out, "      … and {more} more, up to {}", enabled.len())?;
        }
        if enabled.is_empty() {
            writeln!(out, "      nothing can fire")?;
        }
        loop {
            write!(out, "> ")?;
            out.flush()?;
            let mut line = String::new();
            if input.read_line(&mut line)? == 0 {
                writeln!(out)?;
                break 'turns;
            }
            let chosen = match line.trim() {
                "q" | "quit" | "exit" => break 'turns,
                "" => continue,
                "?" => {
                    writeln!(out, "      {}", told(net, &marking))?;
                    continue;
                }
                "u" | "undo" => match fired.pop() {
                    Some((transition, before)) => {
                        marking = before;
                        writeln!(out, "      {} is taken back", name(net.transition_name(transition)))?;
                        break;
                    }
                    None => {
                        writeln!(out, "      nothing has fired yet")?;
                        continue;
                    }
                },
                word => match chosen(net, &enabled, word) {
                    Ok(transition) => transition,
                    Err(reason) => {
                        writeln!(out, "      {reason}")?;
                        continue;
                    }
                },
            };
            let before = marking.clone();
            match net.fire(&mut marking, chosen) {
                Ok(()) => {
                    writeln!(out, "      {}", effect(net, chosen, &before))?;
                    fired.push((chosen, before));
                    break;
                }
                // The tokens of a place do not fit 64 bits.
                Err(error) => writeln!(out, "      {}", name(&error.to_string()))?,
            }
        }
    }
    writeln!(out, "fired     {}", fired.len())?;
    writeln!(out, "marking   {}", told(net, &marking))?;
    out.flush()?;
    Ok(fired.into_iter().map(|(transition, _)| net.transition_name(transition).to_owned()).collect())
}

/// The transition that a number or a name means; a number in the list comes first.
fn chosen(net: &Net, enabled: &[TransitionId], word: &str) -> Result<TransitionId, String> {
    if let Some(transition) = word.parse::<usize>().ok().and_then(|number| number.checked_sub(1)).and_then(|at| enabled.get(at)) {
        return Ok(*transition);
    }
    match net.transition_named(word) {
        Some(transition) if enabled.contains(&transition) => Ok(transition),
        Some(_) => Err(format!("{} cannot fire now", name(word))),
        None => {
            let near = similar(word, net.transitions().map(|transition| net.transition_name(transition)));
            let near = near.map_or_else(String::new, |near| format!("; did you mean {}?", name(near)));
            Err(format!("a number from 1 to {}, the name of a transition, u, ? or q{near}", enabled.len()))
        }
    }
}

fn told(net: &Net, marking: &Marking) -> String {
    marking_words(marking.marked().map(|(place, tokens)| (net.place_name(place), tokens)))
}

/// A transition, and what it changes.
fn effect(net: &Net, transition: TransitionId, before: &Marking) -> String {
    let mut after = before.clone();
    let shown = name(net.transition_name(transition)).into_owned();
    if let Err(error) = net.fire(&mut after, transition) {
        return format!("{shown}  ({})", name(&error.to_string()));
    }
    let changed: Vec<_> = net.places().filter(|&place| before.tokens(place) != after.tokens(place)).collect();
    let one = |&place| format!("{} {} → {}", name(net.place_name(place)), before.tokens(place), after.tokens(place));
    let mut words = changed.iter().take(CHANGES).map(one).collect::<Vec<_>>().join(", ");
    if let Some(more) = changed.len().checked_sub(CHANGES).filter(|&more| more > 0) {
        words = format!("{words} and {more} more");
    }
    format!("{shown}  {}", if words.is_empty() { "nothing" } else { &words })
}
