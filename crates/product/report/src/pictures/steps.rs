//! What the line between two local states says of its steps.
//!
//! All names of global states being lists of `variable=value`, a line says
//!
//! ```text
//! LOCK=0 → LOCK=1
//! ```
//!
//! if its steps are those from the global states with `LOCK=0`, *among those in which
//! the local state has any step*, and each sets `LOCK` to 1 and leaves the rest as it
//! is. Where steps do not follow one such rule they are divided by what they change, and
//! where those of a part do not follow one either, each is said alone. Other names are
//! said as they are. The title has every step.

use std::collections::{BTreeMap, BTreeSet};

use serval_model::{GlobalId, LocalId, NetworkSystem, Step};

use crate::graphs::Labels;

/// What is said of all steps between two local states.
pub(super) struct StepLabel {
    pub(super) labels: Vec<String>,
    pub(super) titles: Vec<String>,
}

/// The words for the global states of a system.
pub(super) struct Wording<'a> {
    system: &'a NetworkSystem,
    names: Vec<String>,
    /// The values of all variables, with their names, if names are such lists.
    values: Option<Vec<Vec<String>>>,
}

impl<'a> Wording<'a> {
    pub(super) fn new(system: &'a NetworkSystem, labels: &dyn Labels) -> Self {
        let names: Vec<String> = system.globals().map(|global| labels.global(system, global)).collect();
        let values: Vec<Vec<String>> = names.iter().map(|name| name.split(' ').map(str::to_owned).collect()).collect();
        let keys = |values: &[String]| -> Option<Vec<String>> {
            values.iter().map(|value| value.split_once('=').map(|(key, _)| key.to_owned())).collect()
        };
        let first = values.first().and_then(|values| keys(values));
        let is_list = first.is_some() && values.iter().all(|values| keys(values) == first);
        Self { system, names, values: is_list.then_some(values) }
    }

    /// Where steps from a local state lead, and what is said of them.
    pub(super) fn lines(&self, from: LocalId) -> Vec<(LocalId, StepLabel)> {
        let steps = self.system.steps_of(from);
        let mut lines: BTreeMap<LocalId, Vec<Step>> = BTreeMap::new();
        for &step in steps {
            lines.entry(step.to_local).or_default().push(step);
        }
        let here: BTreeSet<GlobalId> = steps.iter().map(|step| step.global).collect();
        lines
            .into_iter()
            .map(|(to, steps)| {
                let titles = steps.iter().map(|step| {
                    let (before, after) = (&self.names[step.global.index()], &self.names[step.to_global.index()]);
                    if before == after { before.clone() } else { format!("{before} → {after}") }
                });
                let titles = titles.collect();
                let labels = match &self.values {
                    Some(values) => listed(values, &here, &steps),
                    None => self.plain(&here, &steps),
                };
                (to, StepLabel { labels: labels.into_iter().filter(|label| !label.is_empty()).collect(), titles })
            })
            .collect()
    }

    /// By where they lead, and those that change nothing together.
    fn plain(&self, here: &BTreeSet<GlobalId>, steps: &[Step]) -> Vec<String> {
        let name = |global: GlobalId| self.names[global.index()].as_str();
        let mut parts: BTreeMap<Option<GlobalId>, Vec<&str>> = BTreeMap::new();
        for step in steps {
            let after = (step.to_global != step.global).then_some(step.to_global);
            parts.entry(after).or_default().push(name(step.global));
        }
        let is_all = |before: &[&str]| before.len() == here.len();
        let say = |(after, before): (Option<GlobalId>, Vec<&str>)| match after {
            None if is_all(&before) => String::new(),
            None => before.join(", "),
            Some(after) if is_all(&before) && before.len() > 1 => format!("→\u{a0}{}", name(after)),
            Some(after) => format!("{} →\u{a0}{}", before.join(", "), name(after)),
        };
        parts.into_iter().map(say).collect()
    }
}

/// The values that all of these have.
fn common(all: &[&Vec<String>]) -> Vec<String> {
    let Some((first, rest)) = all.split_first() else { return Vec::new() };
    first.iter().filter(|value| rest.iter().all(|other| other.contains(value))).cloned().collect()
}

/// What is said of steps, names being lists of values.
fn listed(values: &[Vec<String>], here: &BTreeSet<GlobalId>, steps: &[Step]) -> Vec<String> {
    if let Some(rule) = rule(values, here, steps) {
        return vec![rule];
    }
    let mut parts: BTreeMap<Vec<&String>, Vec<Step>> = BTreeMap::new();
    for &step in steps {
        let (before, after) = (&values[step.global.index()], &values[step.to_global.index()]);
        let change = after.iter().zip(before).filter(|(after, before)| after != before).map(|(after, _)| after);
        parts.entry(change.collect()).or_default().push(step);
    }
    let mut said = Vec::new();
    for (change, part) in parts {
        match rule(values, here, &part) {
            Some(rule) => said.push(rule),
            None => said.extend(part.iter().map(|step| with_change(&values[step.global.index()], &change))),
        }
    }
    said
}

fn with_change<T: AsRef<str>, U: AsRef<str>>(before: &[T], change: &[U]) -> String {
    let mut text = before.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(" ");
    if !change.is_empty() {
        // The arrow stays with what comes after it.
        text.push_str(if text.is_empty() { "→\u{a0}" } else { " →\u{a0}" });
        text.push_str(&change.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(" "));
    }
    text
}

/// One rule for all of the steps, if there is one.
fn rule(values: &[Vec<String>], here: &BTreeSet<GlobalId>, steps: &[Step]) -> Option<String> {
    let of = |global: GlobalId| &values[global.index()];
    // What is set: what is the same after all steps, for variables that some step changes.
    let after: Vec<&Vec<String>> = steps.iter().map(|step| of(step.to_global)).collect();
    let first = after.first()?;
    let mut set = Vec::new();
    for (place, value) in first.iter().enumerate() {
        if steps.iter().any(|step| of(step.global)[place] != of(step.to_global)[place]) {
            if after.iter().any(|after| after[place] != *value) {
                return None;
            }
            set.push(value.clone());
        }
    }
    let before: BTreeSet<GlobalId> = steps.iter().map(|step| step.global).collect();
    let is_exact = |needed: &[String]| {
        let chosen = here.iter().filter(|&&global| needed.iter().all(|value| of(global).contains(value)));
        chosen.eq(before.iter())
    };
    let mut needed = common(&before.iter().map(|&global| of(global)).collect::<Vec<_>>());
    if !is_exact(&needed) {
        return None;
    }
    // Those without which the rest says the same are left out, from the last: the first
    // variables of programs are more often those that decide.
    for value in needed.clone().into_iter().rev() {
        let less: Vec<String> = needed.iter().filter(|other| **other != value).cloned().collect();
        if is_exact(&less) {
            needed = less;
        }
    }
    Some(with_change(&needed, &set))
}
