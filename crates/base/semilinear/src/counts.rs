//! Counts of letters and of edges.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::Error;

/// A letter: what sets of vectors are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Letter(pub usize);

/// An edge of an automaton, which has a letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EdgeId(pub usize);

/// A state of an automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StateId(pub usize);

/// How often each of several things occurs; cheap to clone.
///
/// Holds the things that occur, in order, each with a count that is not zero.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Counts<I>(Arc<[(I, u64)]>);

impl<I: Copy + Ord> Counts<I> {
    /// Nothing occurs.
    pub fn zero() -> Self {
        Self(Arc::new([]))
    }

    /// Adds up what is said of each thing.
    pub fn new(pairs: impl IntoIterator<Item = (I, u64)>) -> Result<Self, Error> {
        let mut pairs: Vec<(I, u64)> = pairs.into_iter().filter(|&(_, count)| count > 0).collect();
        pairs.sort_by_key(|&(thing, _)| thing);
        let mut merged: Vec<(I, u64)> = Vec::with_capacity(pairs.len());
        for (thing, count) in pairs {
            match merged.last_mut() {
                Some((last, sum)) if *last == thing => *sum = sum.checked_add(count).ok_or(Error::Overflow)?,
                _ => merged.push((thing, count)),
            }
        }
        Ok(Self(merged.into()))
    }

    /// One of one thing.
    pub fn one(thing: I) -> Self {
        Self(Arc::new([(thing, 1)]))
    }

    /// How often `thing` occurs.
    pub fn get(&self, thing: I) -> u64 {
        self.0.binary_search_by_key(&thing, |&(thing, _)| thing).ok().and_then(|place| self.0.get(place)).map_or(0, |&(_, count)| count)
    }

    /// The things that occur, in order, and how often.
    pub fn iter(&self) -> impl Iterator<Item = (I, u64)> + '_ {
        self.0.iter().copied()
    }

    /// How many different things occur.
    pub fn support(&self) -> usize {
        self.0.len()
    }

    /// Whether nothing occurs.
    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// How many things there are in all.
    pub fn total(&self) -> u128 {
        self.iter().fold(0, |sum, (_, count)| sum.saturating_add(u128::from(count)))
    }

    /// The sum.
    pub fn plus(&self, other: &Self) -> Result<Self, Error> {
        if other.is_zero() {
            return Ok(self.clone());
        }
        if self.is_zero() {
            return Ok(other.clone());
        }
        Self::new(self.iter().chain(other.iter()))
    }

    /// The product with a factor.
    pub fn times(&self, factor: u64) -> Result<Self, Error> {
        match factor {
            0 => Ok(Self::zero()),
            1 => Ok(self.clone()),
            _ => {
                let pairs = self.iter().map(|(thing, count)| Ok((thing, count.checked_mul(factor).ok_or(Error::Overflow)?)));
                Ok(Self(pairs.collect::<Result<Vec<_>, Error>>()?.into()))
            }
        }
    }

    /// The difference, if no count becomes negative.
    pub fn minus(&self, other: &Self) -> Option<Self> {
        let mut taken = other.0.iter().peekable();
        let mut rest = Vec::with_capacity(self.0.len());
        for &(thing, count) in self.0.iter() {
            let mut left = count;
            if let Some((_, less)) = taken.next_if(|(other, _)| *other == thing) {
                left = count.checked_sub(*less)?;
            }
            if left > 0 {
                rest.push((thing, left));
            }
        }
        // What was not taken is something that does not occur here.
        taken.peek().is_none().then(|| Self(rest.into()))
    }
}

impl Counts<Letter> {
    /// A bit for each letter that occurs, where letters that are 64 apart
    /// share one: if a bit of `a` is missing in `b` then so is a letter.
    pub(crate) fn mask(&self) -> u64 {
        self.iter().fold(0, |mask, (letter, _)| mask | 1 << (letter.0 % 64))
    }
}

/// Counts of letters, and beside them a *witness*: some edges whose letters
/// they count.
///
/// Two vectors are equal, and come in order, as their letters do; the edges
/// are only carried along.
///
/// **Invariant of witnesses.** Let a component be obtained for the walks from
/// state `p` to state `q`. Then the edges of its base can be put in an order
/// that is a walk from `p` to `q`, and the edges of each period in an order
/// that is a closed walk through a state that the walk of the base visits
/// (`p` and `q` included). So every vector of the component has a witness that
/// is a walk from `p` to `q`: insert the closed walks, as often as wanted,
/// where the base passes. It is kept by everything that this crate does:
///
/// - an edge from `p` to `q`, and the empty walk from `p` to `p`, have no periods;
/// - a union has the components that it is made of;
/// - in a sum, for walks from `p` to `q` and then from `q` to `r`, the base is
///   the one walk and then the other, and visits all that either visits;
/// - in a star, for walks from `p` to `p`, the base is some walks from `p` to
///   `p` one after the other; its new periods are such walks and pass `p`, and
///   its old ones are those of walks that are in the base;
/// - when factors are taken out of a star, each new period is either a walk
///   from `p` to `p` or a period of a component whose base has no letters and
///   therefore no edges, and so visits `p` alone: it passes `p`, as all bases do;
/// - pruning drops periods or whole components;
/// - making periods independent adds copies of a period to the base, which
///   then visits more, and drops the period.
///
/// A vector that did not come from an automaton may have no edges at all.
#[derive(Clone, Debug)]
pub struct Vector {
    letters: Counts<Letter>,
    edges: Counts<EdgeId>,
}

impl Vector {
    /// Counts of letters with their witness.
    pub fn new(letters: Counts<Letter>, edges: Counts<EdgeId>) -> Self {
        Self { letters, edges }
    }

    /// Nothing.
    pub fn zero() -> Self {
        Self::new(Counts::zero(), Counts::zero())
    }

    /// One edge with its letter.
    pub fn edge(edge: EdgeId, letter: Letter) -> Self {
        Self::new(Counts::one(letter), Counts::one(edge))
    }

    /// The letters.
    pub fn letters(&self) -> &Counts<Letter> {
        &self.letters
    }

    /// The witness.
    pub fn edges(&self) -> &Counts<EdgeId> {
        &self.edges
    }

    /// Whether no letter occurs.
    pub fn is_zero(&self) -> bool {
        self.letters.is_zero()
    }

    /// The sum.
    pub fn plus(&self, other: &Self) -> Result<Self, Error> {
        Ok(Self::new(self.letters.plus(&other.letters)?, self.edges.plus(&other.edges)?))
    }

    /// The product with a factor.
    pub fn times(&self, factor: u64) -> Result<Self, Error> {
        Ok(Self::new(self.letters.times(factor)?, self.edges.times(factor)?))
    }
}

/// A vector without a witness.
impl From<Counts<Letter>> for Vector {
    fn from(letters: Counts<Letter>) -> Self {
        Self::new(letters, Counts::zero())
    }
}

impl PartialEq for Vector {
    fn eq(&self, other: &Self) -> bool {
        self.letters == other.letters
    }
}

impl Eq for Vector {}

impl PartialOrd for Vector {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Vector {
    fn cmp(&self, other: &Self) -> Ordering {
        self.letters.cmp(&other.letters)
    }
}

impl Hash for Vector {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.letters.hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic() {
        let one = Counts::new([(Letter(2), 1), (Letter(0), 2), (Letter(2), 3), (Letter(5), 0)]).unwrap();
        assert_eq!(one.iter().collect::<Vec<_>>(), [(Letter(0), 2), (Letter(2), 4)]);
        assert_eq!(one.total(), 6);
        let other = Counts::one(Letter(2));
        assert_eq!(one.minus(&other).unwrap().plus(&other).unwrap(), one);
        assert_eq!(other.minus(&one), None);
        assert_eq!(one.minus(&Counts::one(Letter(1))), None);
        assert_eq!(one.minus(&Counts::one(Letter(9))), None);
        assert_eq!(one.minus(&one), Some(Counts::zero()));
        assert_eq!(one.times(3).unwrap().get(Letter(2)), 12);
    }

    #[test]
    fn too_large() {
        let huge = Counts::new([(Letter(0), u64::MAX)]).unwrap();
        assert_eq!(huge.plus(&Counts::one(Letter(0))), Err(Error::Overflow));
        assert_eq!(huge.times(2), Err(Error::Overflow));
    }
}
