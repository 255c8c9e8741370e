//! Random programs.
//!
//! A program is made as a [`Source`] and then spelled, so the term that a text
//! must mean is known without the parser. Everything is determined by the seed
//! and the shape.
//!
//! The values stay small by construction: every variable stays within −1..=2
//! (a loop counter within 0..=3), because a value that could leave that range
//! is reduced by `% 2` or `% 3` before it is stored. About one program in
//! forty breaks the rule on purpose and may have infinitely many states; and those of
//! [`Shape::Edges`] have numbers near the ends of 64 bits.

mod asserted;
mod convenience;
mod expression;
mod generate;
mod layout;
mod looks;
mod orders;
mod rng;
mod rows;
mod sections;
mod spell;
mod statement;
mod tickets;

#[cfg(test)]
mod tests;

pub use asserted::{AssertedProgram, random_asserted};
pub use convenience::{ConvenienceProgram, random_convenience};
pub use layout::random_layout;
pub use looks::random_looks;
pub use orders::random_orders;
pub use rng::SplitMix64;
pub use rows::random_rows;
pub use sections::random_sections;
pub use spell::spell;
pub use tickets::{random_flags, random_tickets};

use crate::naive::Source;

/// What kind of programs to make.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// One or two requests of a few small statements.
    Tiny,
    /// Locks, waits, counters, read–modify–write with `yield` between.
    HandlerLike,
    /// Deep expressions with `yield`, assignments and `return` in operands.
    ExpressionHeavy,
    /// Loops of all kinds, some endless.
    Looping,
    /// Numbers near the ends of 64 bits, and results that are not used. Many of these programs fail.
    Edges,
}

impl Shape {
    /// All shapes whose programs rarely fail.
    pub const ALL: [Self; 4] = [Self::Tiny, Self::HandlerLike, Self::ExpressionHeavy, Self::Looping];
    /// All shapes.
    pub const WITH_EDGES: [Self; 5] = [Self::Tiny, Self::HandlerLike, Self::ExpressionHeavy, Self::Looping, Self::Edges];
}

/// The program of this seed and shape.
pub fn random_source(seed: u64, shape: Shape) -> Source {
    generate::source(seed, shape)
}

/// Its text.
pub fn random_program(seed: u64, shape: Shape) -> String {
    spell(&random_source(seed, shape), seed ^ 0x5345_5256_414c)
}
