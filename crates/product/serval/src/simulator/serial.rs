//! Whether the answers of a run so far could have come from running its requests
//! one at a time.
//!
//! Requests that have not answered may run as well, to any end, or not at all:
//! they may have done something already. All orders are tried on fresh
//! simulators, up to a number of events.

use std::collections::BTreeSet;

use super::{ActionKind, Simulator};

/// Events that are tried at most.
const MOST_EVENTS: usize = 100_000;

/// Whether the answers so far are serial.
#[derive(Debug, PartialEq, Eq)]
pub enum Serial {
    /// This order gives the answers.
    Yes(Vec<(String, String)>),
    /// No order gives them.
    No,
    /// There are too many orders to try.
    Unknown,
}

/// A request and its answer.
type ServedRequest = (String, String);

/// Looks for an order for the answers that the simulator has seen.
pub fn serial<'a>(fresh: &mut dyn FnMut() -> Box<dyn Simulator + 'a>, simulator: &dyn Simulator) -> Serial {
    let mut wanted = simulator.answers().to_vec();
    wanted.sort();
    // `#3 deposit on line 4`
    let mut others: Vec<String> = simulator.waiting().iter().filter_map(|waiting| requested(waiting, " on line ")).collect();
    others.sort();
    let mut trying = Trying { fresh, left: MOST_EVENTS, seen: BTreeSet::new() };
    match trying.order(&[], &wanted, &others) {
        Ok(Some(order)) => Serial::Yes(order),
        Ok(None) => Serial::No,
        Err(TooMany) => Serial::Unknown,
    }
}

/// The name of the request in `#3 name…`, before these words.
fn requested(text: &str, before: &str) -> Option<String> {
    Some(text.split_once(' ')?.1.rsplit_once(before)?.0.to_owned())
}

struct TooMany;

struct Trying<'f, 'a> {
    fresh: &'f mut dyn FnMut() -> Box<dyn Simulator + 'a>,
    left: usize,
    /// Situations between requests that lead nowhere.
    seen: BTreeSet<(String, Vec<ServedRequest>, Vec<String>)>,
}

impl<'a> Trying<'_, 'a> {
    /// A simulator after these choices.
    fn after(&mut self, chosen: &[usize]) -> Result<Box<dyn Simulator + 'a>, TooMany> {
        self.left = self.left.checked_sub(chosen.len() + 1).ok_or(TooMany)?;
        let mut simulator = (self.fresh)();
        for &position in chosen {
            simulator.actions();
            simulator.perform(position);
        }
        Ok(simulator)
    }

    /// An order of requests that gives all wanted answers, after these choices.
    fn order(&mut self, chosen: &[usize], wanted: &[ServedRequest], others: &[String]) -> Result<Option<Vec<ServedRequest>>, TooMany> {
        if wanted.is_empty() {
            return Ok(Some(Vec::new()));
        }
        let mut simulator = self.after(chosen)?;
        if !self.seen.insert((simulator.globals(), wanted.to_vec(), others.to_vec())) {
            return Ok(None);
        }
        for (position, action) in simulator.actions().iter().enumerate().filter(|(_, action)| action.kind == ActionKind::Spawn) {
            let Some(request) = requested(&action.text, " comes") else { continue };
            let is_wanted = wanted.iter().any(|(name, _)| *name == request);
            if !is_wanted && !others.contains(&request) {
                continue;
            }
            let mut begun = chosen.to_vec();
            begun.push(position);
            for (end, response) in self.alone(&begun)? {
                let answer = (request.clone(), response);
                if let Some(index) = wanted.iter().position(|known| *known == answer) {
                    let mut wanted = wanted.to_vec();
                    wanted.remove(index);
                    if let Some(mut order) = self.order(&end, &wanted, others)? {
                        order.insert(0, answer);
                        return Ok(Some(order));
                    }
                }
                if let Some(index) = others.iter().position(|name| *name == request) {
                    let mut others = others.to_vec();
                    others.remove(index);
                    if let Some(mut order) = self.order(&end, wanted, &others)? {
                        order.insert(0, answer);
                        return Ok(Some(order));
                    }
                }
            }
        }
        Ok(None)
    }

    /// All ends of the one request that is in flight, with its answers.
    fn alone(&mut self, begun: &[usize]) -> Result<Vec<(Vec<usize>, String)>, TooMany> {
        let mut open = vec![begun.to_vec()];
        let mut seen = BTreeSet::new();
        let mut ends = Vec::new();
        while let Some(chosen) = open.pop() {
            let mut simulator = self.after(&chosen)?;
            let actions = simulator.actions();
            // Where it is and what it will do says what it remembers.
            let offers: Vec<&str> = actions.iter().map(|action| action.text.as_str()).collect();
            if !seen.insert((simulator.globals(), simulator.waiting(), offers.join("\n"))) {
                continue;
            }
            for (position, action) in actions.iter().enumerate() {
                let mut next = chosen.clone();
                next.push(position);
                match action.kind {
                    ActionKind::Spawn => {}
                    ActionKind::Step => open.push(next),
                    ActionKind::Respond => {
                        let response = requested_answer(&action.text);
                        ends.push((next, response));
                    }
                }
            }
        }
        Ok(ends)
    }
}

/// The answer in `#3 name returns answer`.
fn requested_answer(text: &str) -> String {
    text.rsplit_once(" returns ").map_or_else(String::new, |(_, answer)| answer.to_owned())
}
