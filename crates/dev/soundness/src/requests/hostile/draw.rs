//! Random choices.

use serde_json::Value;
use serval_model::SplitMix64;

/// Random numbers, as sizes and choices.
#[derive(Clone, Debug)]
pub struct Draw(SplitMix64);

impl Draw {
    /// The choices of one attempt: they depend on nothing but these numbers.
    pub fn new(seed: u64, number: u64) -> Self {
        let own = SplitMix64::new(number).next_u64();
        Self(SplitMix64::new(SplitMix64::new(seed ^ own).next_u64()))
    }

    /// A number below the bound; 0 if the bound is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0.index(bound)
    }

    /// True `percent` times out of a hundred.
    pub fn chance(&mut self, percent: u64) -> bool {
        self.0.chance(percent)
    }

    /// One of the items.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.below(items.len()))
    }

    /// One of the elements of an array, to change it.
    pub fn pick_mut<'a>(&mut self, value: &'a mut Value) -> Option<&'a mut Value> {
        let elements = value.as_array_mut()?;
        let at = self.below(elements.len());
        elements.get_mut(at)
    }

    /// One of the elements of an array.
    pub fn element<'a>(&mut self, value: &'a Value) -> Option<&'a Value> {
        self.pick(value.as_array()?)
    }

    /// The generator itself, for others who draw.
    pub fn source(&mut self) -> &mut SplitMix64 {
        &mut self.0
    }
}
