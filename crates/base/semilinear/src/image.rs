//! Parikh images (Parikh 1966): from expressions to the counts of letters that words can have.
//!
//! **What it computes.** The Parikh image of an expression: all vectors that
//! count, for each letter, the edges with that letter in some word. It is
//! semilinear (Parikh: On context-free languages, 1966), and here written out as
//! such a set. A formula of the size of the automaton would do without (Verma,
//! Seidl, Schwentick: On the complexity of equational Horn clauses, 2005), but
//! what is outside of it could not be said without quantifiers.
//!
//! **Why it is right.** The image of a choice is the union of images, of a
//! sequence the sum, and of a star the star, since counts of words add up when
//! words are put one after the other. Each node is looked at once, after its
//! parts, and forgotten when all that it is part of is done.

use serval_budget::Budget;

use crate::automaton::{Automaton, eliminate};
use crate::regex::{Regex, RegexNode};
use crate::set::{Options, Semilinear, SetWork};
use crate::{Error, Letter, Vector};

/// Figures about a set and how it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// The largest number of components of a set that was made on the way.
    pub largest: usize,
    /// The components of the set as it was constructed, before it was reduced.
    pub constructed: usize,
    /// The components of the set.
    pub components: usize,
    /// The periods of all components together.
    pub periods: usize,
    /// The largest number of periods of a component.
    pub most_periods: usize,
}

impl Statistics {
    /// Those of a set that was made with this work.
    pub fn of(set: &Semilinear, work: &SetWork<'_>) -> Self {
        let periods = || set.components().iter().map(|component| component.periods().len());
        Self {
            largest: work.largest.max(set.components().len()),
            constructed: set.components().len(),
            components: set.components().len(),
            periods: periods().sum(),
            most_periods: periods().max().unwrap_or(0),
        }
    }
}

/// A set of counts with the expression that it came from.
#[derive(Clone, Debug)]
pub struct Image {
    /// The expression.
    pub regex: Regex,
    /// Its counts of letters, with witnesses.
    pub set: Semilinear,
    /// The same set with fewer components, if pruning and factoring are on, and
    /// without witnesses.
    pub small: Semilinear,
    /// Figures about the small one.
    pub statistics: Statistics,
}

/// The counts of letters of all walks of an automaton.
pub fn image(automaton: &Automaton, options: &Options, budget: &mut Budget) -> Result<Image, Error> {
    let regex = eliminate(automaton, options.order, budget)?;
    let (set, statistics) = semilinear(&regex, &automaton.letters_of_edges(), automaton.letters(), options, budget)?;
    // Reducing puts together what stars left apart, which is what factoring avoids,
    // and drops what is included, which is what pruning does: it belongs to both.
    if !(options.prune && options.factor) {
        return Ok(Image { regex, small: set.clone(), set, statistics });
    }
    let mut work = SetWork { largest: statistics.largest, ..SetWork::new(options, budget) };
    let set = set.with_fewer(&|walk, period| automaton.passes(walk, period), &mut work)?;
    let small = set.small(&mut work)?;
    let statistics = Statistics { constructed: statistics.constructed, ..Statistics::of(&small, &work) };
    Ok(Image { regex, set, small, statistics })
}

/// The counts of letters of all words of an expression, where `letter_of` says
/// the letter of each edge and `letters` how many letters there are.
pub fn semilinear(
    regex: &Regex,
    letter_of: &[Letter],
    letters: usize,
    options: &Options,
    budget: &mut Budget,
) -> Result<(Semilinear, Statistics), Error> {
    let nodes = regex.nodes();
    // After which node each is no longer needed.
    let mut last_use: Vec<usize> = (0..nodes.len()).collect();
    for (place, node) in nodes.iter().enumerate() {
        for part in node.parts() {
            if let Some(last) = last_use.get_mut(part.index()) {
                *last = place;
            }
        }
    }
    let mut work = SetWork::new(options, budget);
    let mut sets: Vec<Semilinear> = Vec::with_capacity(nodes.len());
    let nothing = Semilinear::nothing(letters);
    for (place, node) in nodes.iter().enumerate() {
        work.budget.spend(1)?;
        let parts: Vec<&Semilinear> = node.parts().iter().map(|part| sets.get(part.index()).unwrap_or(&nothing)).collect();
        let set = match (node, &parts[..]) {
            (RegexNode::Nothing, _) => nothing.clone(),
            (RegexNode::Empty, _) => Semilinear::zero(letters),
            (RegexNode::Symbol(edge), _) => {
                let missing = Error::OutOfRange { what: "edge", index: edge.0, count: letter_of.len() };
                let letter = letter_of.get(edge.0).copied().ok_or(missing)?;
                Semilinear::one(letters, Vector::edge(*edge, letter))?
            }
            (RegexNode::Choice(_), parts) => Semilinear::union_of(letters, parts.iter().copied(), &mut work)?,
            (RegexNode::Sequence(_), [first, others @ ..]) => {
                let mut sum = (*first).clone();
                for other in others {
                    sum = sum.sum(other, &mut work)?;
                }
                sum
            }
            (RegexNode::Sequence(_), []) => Semilinear::zero(letters),
            (RegexNode::Star(_), parts) => parts.first().copied().unwrap_or(&nothing).star(&mut work)?,
        };
        for part in node.parts() {
            if last_use.get(part.index()) == Some(&place)
                && let Some(part) = sets.get_mut(part.index())
            {
                *part = nothing.clone();
            }
        }
        sets.push(set);
    }
    let set = sets.pop().unwrap_or(nothing);
    let statistics = Statistics::of(&set, &work);
    Ok((set, statistics))
}
