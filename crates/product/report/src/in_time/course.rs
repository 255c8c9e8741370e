//! How a request came to answer as if another one, which had answered before it came, had not been: by a third one,
//! which brought back what was old, or of which the first one has seen more than the second.

use std::collections::BTreeMap;

use super::stale::{Course, StaleBy};
use crate::counterexample::Counterexample;
use crate::timeline::{PAUSE, excerpt, pauses};
use crate::trace::{TraceAccess, TraceEvent};

impl Course {
    /// The same as it is shown.
    pub(crate) fn shown(&self, spell: &dyn Fn(&str) -> String, named: &dyn Fn(&str) -> String) -> Self {
        let (variable, value) = &self.read;
        Self { read: (spell(variable), named(value)), before: spell(&self.before), ..self.clone() }
    }

    /// What the requests have seen of one that is on its way.
    pub(crate) fn ahead(&self) -> Option<String> {
        let Self { first, second, third, .. } = self;
        (self.way == StaleBy::Ahead).then(|| format!("#{first} saw #{third}, #{second} did not"))
    }

    /// A sentence.
    pub(crate) fn line(&self) -> String {
        let Self { first, second, third, read: (variable, value), before, .. } = self;
        let (reader, early, writer) = match self.way {
            StaleBy::BroughtBack => (second, third, first),
            StaleBy::Ahead => (first, second, third),
        };
        format!("#{reader} read {variable} = {value}, which #{third} wrote, and #{early} read {before} before #{writer} wrote it.")
    }
}

/// An access and whose it is.
struct Accessed<'r> {
    id: u32,
    access: &'r TraceAccess,
}

impl Accessed<'_> {
    fn writes(&self) -> bool {
        self.access.op == "write"
    }
}

/// All accesses of a run, in order.
fn accesses(steps: &[TraceEvent]) -> Vec<Accessed<'_>> {
    let of = |event| match event {
        &TraceEvent::Step { id, accesses: Some(ref accesses), .. } => Some((id, accesses)),
        _ => None,
    };
    steps.iter().filter_map(of).flat_map(|(id, accesses)| accesses.iter().map(move |access| Accessed { id, access })).collect()
}

/// What a pair of requests have from a third one, if reads and writes tell.
fn course(all: &[Accessed<'_>], [first, second]: [u32; 2]) -> Option<Course> {
    // Reads of the one of what the other wrote last before.
    let read_from = |reader: u32| {
        let reads = all.iter().enumerate().filter(move |(_, one)| one.id == reader && !one.writes());
        reads.filter_map(|(at, read)| {
            let last = all[..at].iter().rposition(|one| one.writes() && one.access.var == read.access.var)?;
            (all[last].id != first && all[last].id != second).then_some((read, last))
        })
    };
    // The first read of the one of something that the other writes later, which nothing says that it wrote before.
    let too_early = |reader: u32, writer: u32| {
        let mut reads = all.iter().enumerate().filter(move |(_, one)| one.id == reader && !one.writes());
        reads.find(|&(at, read)| {
            let write = |one: &Accessed<'_>| one.id == writer && one.writes() && one.access.var == read.access.var;
            // What leaves the value as it was changes nothing for who has read it.
            let other = |one: &Accessed<'_>| write(one) && one.access.value != read.access.value;
            all[at..].iter().any(other) && !all[..at].iter().any(write)
        })
    };
    let made = |way, third, read: &Accessed<'_>, write: &Accessed<'_>, early: &Accessed<'_>| Course {
        first,
        second,
        third,
        read: (read.access.var.clone(), read.access.shown_value()),
        before: early.access.var.clone(),
        way,
        same: write.access.value == early.access.value,
        lines: [write.access.span[0], read.access.span[0], early.access.span[0]],
    };
    let brought_back = read_from(second).find_map(|(read, write)| {
        let third = all[write].id;
        let (_, early) = too_early(third, first).filter(|&(at, _)| at < write)?;
        Some(made(StaleBy::BroughtBack, third, read, &all[write], early))
    });
    brought_back.or_else(|| {
        read_from(first).find_map(|(read, write)| {
            let third = all[write].id;
            let (_, early) = too_early(second, third)?;
            Some(made(StaleBy::Ahead, third, read, &all[write], early))
        })
    })
}

impl Counterexample {
    /// Finds out by which reads and writes it came to this, where no order agrees with the one in time, and notes their
    /// lines; `text` is that of the program.
    pub fn explain_in_time(&mut self, text: &str) {
        let Some(needed) = self.in_time.as_ref().map(|orders| orders.needed.clone()) else { return };
        let all = accesses(&self.steps);
        let courses: Vec<Course> = needed.into_iter().filter_map(|pair| course(&all, pair)).collect();
        let mut notes: BTreeMap<u32, &'static str> = BTreeMap::new();
        for Course { first, second, third, way, same, lines: [write, read, early], .. } in &courses {
            match way {
                StaleBy::BroughtBack if *same => notes.insert(*write, "<- brings back what another request has replaced"),
                StaleBy::BroughtBack => notes.insert(*write, "<- writes what is read later, and is older than it seems"),
                StaleBy::Ahead => {
                    notes.insert(*read, "<- sees what another request has begun");
                    notes.insert(*early, "<- does not see yet what it has still to do")
                }
            };
            notes.extend(pauses(self, &|id| [*first, *second, *third].contains(&id)).into_iter().map(|line| (line, PAUSE)));
        }
        self.explanation.excerpt = excerpt(text, &notes);
        self.explanation.notes = notes;
        if let Some(orders) = &mut self.in_time {
            orders.courses = courses;
        }
    }
}
