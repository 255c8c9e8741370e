//! Multisets: how often each thing is there, in no order.
//!
//! The requests in flight and the completed request/response pairs of a
//! configuration are multisets. A multiset is kept as its different elements
//! in ascending order, each with a count of at least one, so that equal
//! multisets are equal as data and can be keys.
//!
//! ```
//! use serval_model::Multiset;
//! let mut bag: Multiset<&str> = ["b", "a", "b"].into_iter().collect();
//! assert_eq!(bag.to_string(), "{a, b ×2}");
//! assert_eq!((bag.size(), bag.count(&"b")), (3, 2));
//! assert!(bag.remove(&"a"));
//! assert!(!bag.remove(&"a"));
//! assert_eq!(bag.iter().collect::<Vec<_>>(), [(&"b", 2)]);
//! ```

use std::fmt;

/// A finite multiset. The order between multisets (`Ord`) is some total
/// order for sorting, not inclusion.
///
/// Invariants, checked by [`Multiset::check_invariants`]: elements ascend
/// strictly, no count is zero.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Multiset<T> {
    counts: Vec<(T, u64)>,
}

/// A count went beyond `u64::MAX`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountOverflow;

impl fmt::Display for CountOverflow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a count does not fit 64 bits")
    }
}

impl std::error::Error for CountOverflow {}

impl<T> Default for Multiset<T> {
    fn default() -> Self {
        Self { counts: Vec::new() }
    }
}

impl<T: Ord> Multiset<T> {
    /// The multiset that holds nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether the multiset holds nothing.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// How many elements there are, each counted as often as it occurs.
    pub fn size(&self) -> u128 {
        // 2^64 different elements of count 2^64 fit 128 bits.
        self.counts.iter().map(|&(_, count)| u128::from(count)).sum()
    }

    /// How many different elements there are.
    pub fn distinct(&self) -> usize {
        self.counts.len()
    }

    /// How often `element` occurs.
    pub fn count(&self, element: &T) -> u64 {
        self.find(element).map_or(0, |index| self.counts[index].1)
    }

    /// The different elements in ascending order, with their counts.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&T, u64)> {
        self.counts.iter().map(|(element, count)| (element, *count))
    }

    /// Adds `element` once.
    ///
    /// A count of `u64::MAX` stays as it is. Adding elements one by one
    /// cannot lead there; where counts come from outside, use
    /// [`Multiset::insert_many`], which reports it.
    pub fn insert(&mut self, element: T) {
        // An overflow leaves the multiset unchanged, which is what is promised.
        let _ = self.insert_many(element, 1);
    }

    /// Adds `element` `count` times; on overflow changes nothing.
    pub fn insert_many(&mut self, element: T, count: u64) -> Result<(), CountOverflow> {
        if count == 0 {
            return Ok(());
        }
        match self.find(&element) {
            Ok(index) => {
                let slot = &mut self.counts[index].1;
                *slot = slot.checked_add(count).ok_or(CountOverflow)?;
            }
            Err(index) => self.counts.insert(index, (element, count)),
        }
        Ok(())
    }

    /// Takes `element` out once. Says whether it was there.
    pub fn remove(&mut self, element: &T) -> bool {
        match self.find(element) {
            Ok(index) if self.counts[index].1 > 1 => self.counts[index].1 -= 1,
            Ok(index) => drop(self.counts.remove(index)),
            Err(_) => return false,
        }
        true
    }

    /// Whether every element of `self` occurs at least as often in `other`.
    pub fn is_subset(&self, other: &Self) -> bool {
        self.iter().all(|(element, count)| other.count(element) >= count)
    }

    /// The multiset with one more `element`.
    pub fn with(&self, element: T) -> Self
    where
        T: Clone,
    {
        let mut more = self.clone();
        more.insert(element);
        more
    }

    /// The multiset with one `element` less, or `None` where it does not occur.
    pub fn without(&self, element: &T) -> Option<Self>
    where
        T: Clone,
    {
        let mut less = self.clone();
        less.remove(element).then_some(less)
    }

    /// The sum `self ⊎ other`.
    pub fn sum(&self, other: &Self) -> Result<Self, CountOverflow>
    where
        T: Clone,
    {
        let mut sum = self.clone();
        for (element, count) in other.iter() {
            sum.insert_many(element.clone(), count)?;
        }
        Ok(sum)
    }

    /// Checks from scratch what the type promises.
    ///
    /// # Panics
    /// When a promise is broken.
    pub fn check_invariants(&self) {
        assert!(self.counts.is_sorted_by(|a, b| a.0 < b.0));
        assert!(self.counts.iter().all(|&(_, count)| count > 0));
    }

    fn find(&self, element: &T) -> Result<usize, usize> {
        self.counts.binary_search_by(|(other, _)| other.cmp(element))
    }
}

impl<T: Ord> FromIterator<T> for Multiset<T> {
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Self {
        // Sorting first makes this n·log n whatever the order of arrival.
        let mut sorted: Vec<T> = elements.into_iter().collect();
        sorted.sort_unstable();
        let mut counts: Vec<(T, u64)> = Vec::new();
        for element in sorted {
            match counts.last_mut() {
                Some((last, count)) if *last == element => *count += 1,
                _ => counts.push((element, 1)),
            }
        }
        Self { counts }
    }
}

impl<T: Ord> Extend<T> for Multiset<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, elements: I) {
        for element in elements {
            self.insert(element);
        }
    }
}

impl<T: fmt::Display> fmt::Display for Multiset<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("{")?;
        for (index, (element, count)) in self.counts.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(f, "{comma}{element}")?;
            if *count > 1 {
                write!(f, " ×{count}")?;
            }
        }
        f.write_str("}")
    }
}
