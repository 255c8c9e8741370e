//! Markings and labels in the words of a net: places with their tokens, or states and counters.

use serval_net_proof::decomposition::sequence::Label;
use serval_petri::Net;

use super::NetInput;

/// Some names, of which the first few are said.
pub(super) fn listed(names: &[String], most: usize) -> String {
    match names.len().checked_sub(most).filter(|&more| more > 0) {
        Some(more) => format!("{} and {more} more", names[..most].join(", ")),
        None => match names {
            [before @ .., last] if !before.is_empty() => format!("{} and {last}", before.join(", ")),
            _ => names.join(""),
        },
    }
}

/// How a net is spoken of.
pub(super) struct Terms<'a> {
    pub(super) net: &'a Net,
    /// How many of the first places are states, for a system with states.
    states: Option<usize>,
}

impl<'a> Terms<'a> {
    pub(super) fn new(input: &'a NetInput) -> Self {
        Self { net: input.net(), states: input.states }
    }

    /// A net whose places are only that.
    pub(super) fn plain(net: &'a Net) -> Self {
        Self { net, states: None }
    }

    /// A place by its number.
    pub(super) fn place(&self, number: usize) -> String {
        self.net.places().nth(number).map_or_else(String::new, |place| format!("“{}”", self.net.place_name(place)))
    }

    /// A label: `2·idle + ω·queue`, or `q0 (1, ω)`.
    pub(super) fn label(&self, label: &Label) -> String {
        if let Some(words) = self.states.and_then(|states| self.configuration(label, states)) {
            return words;
        }
        let term = |(place, tokens): (_, &Option<u64>)| {
            let name = self.net.place_name(place);
            match tokens {
                Some(0) => None,
                Some(1) => Some(name.to_owned()),
                Some(tokens) => Some(format!("{tokens}·{name}")),
                None => Some(format!("ω·{name}")),
            }
        };
        if !label.is_empty() && label.iter().all(Option::is_none) {
            return "anything".to_owned();
        }
        let terms: Vec<String> = self.net.places().zip(label).filter_map(term).collect();
        if terms.is_empty() { "no tokens".to_owned() } else { terms.join(" + ") }
    }

    /// A state with its counters; nothing where the label does not say which state it is, unless it says nothing of
    /// any.
    fn configuration(&self, label: &Label, states: usize) -> Option<String> {
        let (here, counters) = label.split_at_checked(states)?;
        let state = if here.iter().all(Option::is_none) {
            "any state".to_owned()
        } else {
            let mut marked = here.iter().enumerate().filter(|one| *one.1 != Some(0));
            let (state, tokens) = marked.next()?;
            if *tokens != Some(1) || marked.next().is_some() {
                return None;
            }
            self.net.places().nth(state).map(|place| self.net.place_name(place).to_owned())?
        };
        let counters: Vec<String> = counters.iter().map(|tokens| tokens.map_or("ω".to_owned(), |tokens| tokens.to_string())).collect();
        Some(format!("{state} ({})", counters.join(", ")))
    }
}
