//! The cycle of a violation in the order of the text.

use std::collections::BTreeSet;

use super::TsoViolation;
use super::table::short;

/// A statement that is in the cycle.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TsoPlace {
    /// Its line in the text, from 1.
    pub line: u32,
    /// Its thread.
    pub thread: usize,
    /// Its number in the run, from 1.
    pub number: usize,
    /// The numbers of what comes after it in the cycle.
    pub before: Vec<usize>,
}

impl TsoViolation {
    /// The statements of the cycle in the order of the text; a statement that is executed twice is there twice.
    pub fn in_source(&self) -> Vec<TsoPlace> {
        let numbers: BTreeSet<usize> = self.cycle.iter().map(|edge| edge.from).collect();
        let mut places: Vec<TsoPlace> = numbers
            .into_iter()
            .filter_map(|number| {
                let event = self.run.events.get(number.checked_sub(1)?)?;
                let before = self.cycle.iter().filter(|edge| edge.from == number).map(|edge| edge.to).collect();
                Some(TsoPlace { line: event.line?, thread: event.thread, number, before })
            })
            .collect();
        places.sort();
        places
    }

    /// The same as lines: where, whose, what, and before which numbers of the table.
    pub(super) fn source_lines(&self) -> Vec<String> {
        let rows: Vec<[String; 4]> = self
            .in_source()
            .iter()
            .map(|place| {
                let event = &self.run.events[place.number - 1];
                let thread = self.run.threads.get(place.thread).map_or(String::new(), |name| short(name));
                let after: Vec<String> = place.before.iter().map(usize::to_string).collect();
                let order = format!("{} before {}", place.number, after.join(" and "));
                [format!("line {}", place.line), thread, short(&event.text), order]
            })
            .collect();
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..4).map(width).collect();
        let line = |row: &[String; 4]| {
            let cells = row.iter().zip(&widths).map(|(cell, &width)| format!("{cell}{}", " ".repeat(width - cell.chars().count())));
            cells.collect::<Vec<_>>().join("   ").trim_end().to_owned()
        };
        rows.iter().map(line).collect()
    }
}
