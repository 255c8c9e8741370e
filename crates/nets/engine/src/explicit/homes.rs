//! Home spaces by explicit search (Best, Esparza 2016): the strongly connected parts of all markings that can be
//! reached.
//!
//! A set of markings can always be reached again iff each part that nothing leaves has one of them. What is written
//! down for that, and why it shows it, is said at the head of [`serval_net_proof::homes`]: a home in each such part,
//! how far each marking is from one, and a way through the part from its home.

use std::collections::VecDeque;

use serval_budget::{Budget, Stopped};
use serval_net_proof::{Evidence, Homes, Item, Lost, Rows, States};
use serval_petri::{Formula, Net};
use serval_states::graph::{parts, turned};

use super::graph::{Graph, GraphOutcome};
use super::{Here, way_to};
use crate::fast::Fast;
use crate::goals::Goal;

/// What looking at all markings says of goals.
pub enum HomesOutcome {
    /// Each of them can always be reached again.
    Homes(Box<Evidence>),
    /// The one with this number cannot.
    Lost(usize, Box<Evidence>),
    /// Nothing: there are more markings than should be looked at.
    TooMany,
    /// Nothing: a place has more tokens than fit.
    TooManyTokens,
}

/// Looks at all markings, at most `most`, and whether from each of them each goal can be reached. A tick is a marking.
pub fn look_for_homes(net: &Net, goals: &[Formula], most: usize, budget: &mut Budget) -> Result<HomesOutcome, Stopped> {
    look_for_homes_fast(&Fast::new(net), goals, most, budget)
}

pub(crate) fn look_for_homes_fast(fast: &Fast, goals: &[Formula], most: usize, budget: &mut Budget) -> Result<HomesOutcome, Stopped> {
    match Graph::explore(fast, most, budget)? {
        GraphOutcome::All(graph) => graph.homes(goals, budget),
        GraphOutcome::TooMany => Ok(HomesOutcome::TooMany),
        GraphOutcome::TooManyTokens => Ok(HomesOutcome::TooManyTokens),
    }
}

/// A strongly connected part that nothing leaves.
struct BottomPart {
    /// Its first marking.
    home: usize,
    /// By goal the first of its markings that is in it.
    witnesses: Vec<Option<usize>>,
}

impl Graph<'_> {
    fn homes(mut self, goals: &[Formula], budget: &mut Budget) -> Result<HomesOutcome, Stopped> {
        let part_of = parts(&self.next, |_| true);
        let bottom = self.bottom_parts(&part_of, goals, budget)?;
        for part in &bottom {
            if let Some(goal) = part.witnesses.iter().position(Option::is_none) {
                let members = (0..part_of.len()).filter(|&number| part_of[number] == part_of[part.home]);
                let mut markings: Rows<u64> = Rows::default();
                let mut marking = Vec::new();
                for number in members {
                    self.known.read(number, &mut marking);
                    markings.push(&marking);
                }
                markings.sort();
                let mut enabled = |here: Here<'_>, into: &mut Vec<usize>| here.enabled(into);
                let way = way_to(self.fast, &mut self.known, &self.steps, part.home, &mut enabled);
                let evidence = Box::new(Evidence::States(States { markings }));
                let lost = Lost { word: way.into_iter().map(Item::Fire).collect(), evidence };
                return Ok(HomesOutcome::Lost(goal, Box::new(Evidence::Lost(lost))));
            }
        }
        let ranks = self.ranks(bottom.iter().map(|part| part.home));
        let goals: Vec<Goal> = goals.iter().map(Goal::new).collect();
        let mut tour = Tour::new(&self, &goals);
        let mut words: Vec<(Vec<u64>, Vec<u32>)> = Vec::with_capacity(bottom.len());
        for part in &bottom {
            let word = tour.round(part, budget)?;
            let mut marking = Vec::new();
            self.known.read(part.home, &mut marking);
            words.push((marking, word));
        }
        words.sort_unstable();
        let words = words.into_iter().map(|word| word.1).collect();
        let Self { mut known, .. } = self;
        let mut markings = known.rows().clone();
        markings.sort();
        let mut ascending = Vec::with_capacity(ranks.len());
        let mut marking = Vec::new();
        for number in 0..markings.len() {
            markings.read(number, &mut marking);
            ascending.extend(known.find(&marking).map(|number| ranks[number]));
        }
        Ok(HomesOutcome::Homes(Box::new(Evidence::Homes(Homes { markings, ranks: ascending, words }))))
    }

    /// The parts that nothing leaves, in the order of their first markings, with a marking for each goal.
    fn bottom_parts(&self, part_of: &[usize], goals: &[Formula], budget: &mut Budget) -> Result<Vec<BottomPart>, Stopped> {
        let count = part_of.iter().max().map_or(0, |most| most + 1);
        let mut is_left = vec![false; count];
        for (number, ends) in self.next.iter().enumerate() {
            is_left[part_of[number]] |= ends.iter().any(|&end| part_of[end] != part_of[number]);
        }
        let goals: Vec<Goal> = goals.iter().map(Goal::new).collect();
        let mut of_part: Vec<Option<usize>> = vec![None; count];
        let (mut bottom, mut marking, mut scratch): (Vec<BottomPart>, Vec<u64>, Vec<(bool, usize)>) = (Vec::new(), Vec::new(), Vec::new());
        for (number, &part) in part_of.iter().enumerate().filter(|one| !is_left[*one.1]) {
            let at = *of_part[part].get_or_insert_with(|| {
                bottom.push(BottomPart { home: number, witnesses: vec![None; goals.len()] });
                bottom.len() - 1
            });
            budget.spend(1)?;
            self.known.read(number, &mut marking);
            for (goal, witness) in goals.iter().zip(&mut bottom[at].witnesses).filter(|one| one.1.is_none()) {
                *witness = goal.holds_with(&marking, &mut scratch).then_some(number);
            }
        }
        Ok(bottom)
    }

    /// How many steps each marking is from a home.
    fn ranks(&self, homes: impl Iterator<Item = usize>) -> Vec<u32> {
        let before = turned(&self.next);
        let mut ranks = vec![u32::MAX; self.next.len()];
        let mut open: VecDeque<usize> = homes.collect();
        open.iter().for_each(|&home| ranks[home] = 0);
        while let Some(number) = open.pop_front() {
            for &from in &before[number] {
                if ranks[from] == u32::MAX {
                    ranks[from] = ranks[number].saturating_add(1);
                    open.push_back(from);
                }
            }
        }
        ranks
    }

    /// The transition that leads from one marking to the next.
    fn step_between(&self, from: usize, to: usize, transitions: &mut Vec<usize>) -> Option<u32> {
        self.enabled(from, transitions);
        let at = self.next[from].iter().position(|&end| end == to)?;
        u32::try_from(*transitions.get(at)?).ok()
    }
}

/// Ways through parts.
struct Tour<'a> {
    graph: &'a Graph<'a>,
    goals: &'a [Goal],
    /// By marking the search that came there last, and from where.
    came: Vec<(u64, usize)>,
    search: u64,
}

impl<'a> Tour<'a> {
    fn new(graph: &'a Graph<'a>, goals: &'a [Goal]) -> Self {
        Self { graph, goals, came: vec![(0, 0); graph.next.len()], search: 0 }
    }

    /// What fires from a home so that markings of all goals are on the way: always on to the nearest marking that is
    /// known to be in one that is missing.
    fn round(&mut self, part: &BottomPart, budget: &mut Budget) -> Result<Vec<u32>, Stopped> {
        let mut open: Vec<usize> = (0..self.goals.len()).collect();
        let (mut at, mut word) = (part.home, Vec::new());
        let (mut marking, mut scratch, mut transitions) = (Vec::new(), Vec::new(), Vec::new());
        loop {
            self.graph.known.read(at, &mut marking);
            open.retain(|&goal| !self.goals[goal].holds_with(&marking, &mut scratch));
            let mut wanted: Vec<usize> = open.iter().filter_map(|&goal| part.witnesses[goal]).collect();
            wanted.sort_unstable();
            let way = self.way(at, &wanted, budget)?;
            if way.is_empty() {
                return Ok(word);
            }
            for to in way {
                word.extend(self.graph.step_between(at, to, &mut transitions));
                at = to;
                self.graph.known.read(at, &mut marking);
                open.retain(|&goal| !self.goals[goal].holds_with(&marking, &mut scratch));
            }
        }
    }

    /// The markings on a shortest way to one that is wanted, without where it begins; none where none is wanted.
    fn way(&mut self, from: usize, wanted: &[usize], budget: &mut Budget) -> Result<Vec<usize>, Stopped> {
        self.search = self.search.saturating_add(1);
        let search = self.search;
        let mut open = VecDeque::from([from]);
        self.came[from] = (search, from);
        while let Some(number) = open.pop_front() {
            budget.spend(1)?;
            if wanted.binary_search(&number).is_ok() {
                let mut way = Vec::new();
                let mut at = number;
                while at != from {
                    way.push(at);
                    at = self.came[at].1;
                }
                way.reverse();
                return Ok(way);
            }
            if wanted.is_empty() {
                break;
            }
            for &to in &self.graph.next[number] {
                if self.came[to].0 != search {
                    self.came[to] = (search, number);
                    open.push_back(to);
                }
            }
        }
        Ok(Vec::new())
    }
}
