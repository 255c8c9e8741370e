//! What was counted.

use std::collections::BTreeMap;

use serval_engine::reduce::{RULES, Rule};
use serval_proof::script::{Entry, Side};

use super::movers::MoverCondition;
use crate::requests::systems::Generator;
use crate::{Merge, merged};

/// What a row of the table is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TallyRow {
    /// The normal form itself.
    NormalForm,
    /// The entry `split` by itself.
    Split,
    /// A rule, as its finder proposes it.
    Found(Rule),
    /// An entry for a rule that was drawn at random and that the checker accepts.
    Drawn(Rule),
    /// Several rules, one after the other.
    Several,
    /// All rules, as they are used.
    All,
}

impl TallyRow {
    /// All rows, in order.
    pub fn all() -> Vec<Self> {
        let mut rows = vec![Self::NormalForm, Self::Split];
        rows.extend(RULES.iter().map(|&rule| Self::Found(rule)));
        rows.extend([Self::Several, Self::All]);
        rows.extend(RULES.iter().filter(|&&rule| rule != Rule::Pairs).map(|&rule| Self::Drawn(rule)));
        rows
    }

    /// The row for an entry that was drawn.
    pub fn drawn(entry: &Entry) -> Self {
        RULES.iter().find(|rule| rule.name() == entry.rule()).map_or(Self::Split, |&rule| Self::Drawn(rule))
    }

    /// The name in tables.
    pub fn name(self) -> String {
        match self {
            Self::NormalForm => "normal form".to_owned(),
            Self::Split => "split".to_owned(),
            Self::Found(rule) => rule_name(rule).to_owned(),
            Self::Drawn(rule) => format!("{}, drawn", rule_name(rule)),
            Self::Several => "a few in any order".to_owned(),
            Self::All => "all".to_owned(),
        }
    }
}

/// The name of a rule in tables.
pub fn rule_name(rule: Rule) -> &'static str {
    rule.name()
}

/// How often.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TallyCounts {
    /// It changed something.
    pub fired: u64,
    /// What it left was compared with the system, with four requests or three.
    pub compared: u64,
    /// Comparing took too long.
    pub skipped: u64,
}

/// Figures of one generator that belong to no row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Systems.
    pub systems: u64,
    /// Of these: too large to try everything even with three requests.
    pub too_large: u64,
    /// Of these: compared with four requests.
    pub with_four: u64,
    /// Of these: no answers beyond the serial ones with this number of requests.
    pub serializable: u64,
    /// Of these: one step per request after all rules, with a certificate that
    /// the checker accepts.
    pub atomic: u64,
    /// Results whose ends of runs were compared, too.
    pub ends: u64,
    /// Scripts that the checker accepts.
    pub scripts: u64,
    /// Exchanges in mover entries that found proposes.
    pub exchanges: u64,
    /// Of these: accepted only by the weaker last condition.
    pub weak: u64,
    /// Mover entries with such an exchange.
    pub weak_entries: u64,
    /// Exchanges with paths that are listed.
    pub witnesses: u64,
    /// Of these: with a path of more than one step.
    pub longer: u64,
}

/// What was found on one side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hunts {
    /// Searches for each of the things that are looked for.
    pub searches: u64,
    /// Movers that the checker accepts, with the behaviours kept.
    pub accepted: u64,
    /// Of these: some exchange needs the weaker last condition.
    pub weak: u64,
    /// For each part of it movers that lose answers, and that the checker refuses
    /// for that part.
    pub refused: [u64; 4],
}

impl Merge for Hunts {
    fn absorb(&mut self, other: Self) {
        self.searches += other.searches;
        self.accepted += other.accepted;
        self.weak += other.weak;
        self.refused.iter_mut().zip(other.refused).for_each(|(own, more)| own.absorb(more));
    }
}

impl Hunts {
    /// The figures with their names.
    pub fn rows(&self) -> Vec<(String, u64)> {
        let mut rows = vec![
            ("searches for each".to_owned(), self.searches),
            ("accepted, behaviours kept".to_owned(), self.accepted),
            ("… by the weaker last condition".to_owned(), self.weak),
            ("answers lost with all conditions".to_owned(), 0),
        ];
        rows.extend(MoverCondition::ALL.into_iter().zip(self.refused).map(|(part, refused)| {
            let name = format!("answers lost without `{}`, and refused for it", part.condition());
            (name, refused)
        }));
        rows
    }
}

/// All counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    counts: BTreeMap<(TallyRow, Generator), TallyCounts>,
    figures: BTreeMap<Generator, Figures>,
    /// On the right and on the left.
    hunts: [Hunts; 2],
}

impl Tally {
    /// The counts of a row.
    pub fn counts(&mut self, row: TallyRow, generator: Generator) -> &mut TallyCounts {
        self.counts.entry((row, generator)).or_default()
    }

    /// The other figures.
    pub fn figures(&mut self, generator: Generator) -> &mut Figures {
        self.figures.entry(generator).or_default()
    }

    /// What was found by searches on one side.
    pub fn hunts(&mut self, side: Side) -> &mut Hunts {
        &mut self.hunts[usize::from(side == Side::Left)]
    }

    /// How often a row changed something, over all generators.
    pub fn fired(&self, row: TallyRow) -> u64 {
        self.sum(row).fired
    }

    /// The counts of a row over all generators.
    pub fn sum(&self, row: TallyRow) -> TallyCounts {
        merged(self.counts.iter().filter(|((of, _), _)| *of == row).map(|(_, counts)| *counts))
    }

    /// Markdown tables.
    pub fn tables(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let generators = Generator::ALL;
        let mut head = "| rule | fired | compared | skipped |".to_owned();
        let mut rule = "|---|---:|---:|---:|".to_owned();
        for generator in generators {
            head += &format!(" {}: fired | compared | skipped |", generator.name());
            rule += "---:|---:|---:|";
        }
        lines.extend([head, rule]);
        for row in TallyRow::all() {
            let sum = self.sum(row);
            let mut line = format!("| {} | {} | {} | {} |", row.name(), sum.fired, sum.compared, sum.skipped);
            for generator in generators {
                let counts = self.counts.get(&(row, generator)).copied().unwrap_or_default();
                line += &format!(" {} | {} | {} |", counts.fired, counts.compared, counts.skipped);
            }
            lines.push(line);
        }
        lines.push(String::new());
        let mut head = "| |".to_owned();
        let mut rule = "|---|".to_owned();
        for generator in generators {
            head += &format!(" {} |", generator.name());
            rule += "---:|";
        }
        lines.extend([head, rule]);
        let mut columns: Vec<Figures> =
            generators.iter().map(|generator| self.figures.get(generator).copied().unwrap_or_default()).collect();
        let names: Vec<&str> = fields_mut(&mut Figures::default()).into_iter().map(|(name, _)| name).collect();
        for (index, name) in names.into_iter().enumerate() {
            let values = columns.iter_mut().map(|figures| format!(" {} |", fields_mut(figures)[index].1));
            lines.push(format!("| {name} |{}", values.collect::<String>()));
        }
        lines.extend(["", "| movers made to lose answers | right | left |", "|---|---:|---:|"].map(str::to_owned));
        let [right, left] = &self.hunts;
        lines.extend(right.rows().into_iter().zip(left.rows()).map(|((name, right), (_, left))| format!("| {name} | {right} | {left} |")));
        lines
    }
}

impl Merge for TallyCounts {
    fn absorb(&mut self, other: Self) {
        self.fired += other.fired;
        self.compared += other.compared;
        self.skipped += other.skipped;
    }
}

impl Merge for Figures {
    fn absorb(&mut self, mut other: Self) {
        for ((_, own), (_, more)) in fields_mut(self).into_iter().zip(fields_mut(&mut other)) {
            own.absorb(*more);
        }
    }
}

impl Merge for Tally {
    fn absorb(&mut self, other: Self) {
        self.counts.absorb(other.counts);
        self.figures.absorb(other.figures);
        self.hunts.iter_mut().zip(other.hunts).for_each(|(own, more)| own.absorb(more));
    }
}

/// The figures with their names.
fn fields_mut(figures: &mut Figures) -> [(&'static str, &mut u64); 12] {
    [
        ("systems", &mut figures.systems),
        ("too large to try everything with three requests", &mut figures.too_large),
        ("tried with four requests", &mut figures.with_four),
        ("serializable with so many requests", &mut figures.serializable),
        ("atomic after all rules, certificate accepted", &mut figures.atomic),
        ("results compared by the ends of runs, too", &mut figures.ends),
        ("scripts accepted by the checker", &mut figures.scripts),
        ("exchanges of movers", &mut figures.exchanges),
        ("… by the weaker last condition only", &mut figures.weak),
        ("mover entries that need the weaker condition", &mut figures.weak_entries),
        ("… exchanges with listed paths", &mut figures.witnesses),
        ("… of them with a path of several steps", &mut figures.longer),
    ]
}
