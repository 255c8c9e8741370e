//! Counterexamples by random runs with schedules that know what mistakes look like.
//!
//! Layers by number of requests end where a counterexample takes many requests of many kinds. Such a run is hardly ever
//! the only one: much is repeated in it, and most orders do. So runs are drawn, each with a few kinds of requests in
//! amounts that differ (`mix`) and one of a few schedules (`schedule`), and whenever nothing is in flight it is asked
//! whether its answers are those of a serial run (`membership`).
//!
//! What is said of a run rests on that question alone. A complete run whose answers no serial run has is a
//! counterexample by definition; the search for the serial run has looked at all that could be one, or says that it was
//! cut off. The checker asks again.
//!
//! * A part of the ticks goes on from runs that came to where no other has been (`archive`), and a part lets a few
//!   requests overlap where serial runs lead to (`places`).
//! * Where the search was cut off it is done again with more (`aside`), so that what is not known is not lost.
//! * A counterexample is made smaller (`shrink`) by performing parts of it once more (`replay`).
//!
//! Everything is drawn from one seed and counted in ticks, and one thread does it: the same input and the same ticks
//! give the same run. It needs of a system only what follows a pair of states, so it works on programs whose states
//! cannot all be made. That there is no counterexample is never found this way.

mod archive;
mod aside;
mod described;
mod membership;
mod mix;
mod places;
mod play;
mod replay;
mod sampler;
mod schedule;
mod shrink;
#[cfg(test)]
mod tests;

pub use described::{Described, NoStep, look};
pub use sampler::{HowSampled, SampleOutcome, Sampled, SampledStop, Sampler, seed_of};
pub use schedule::Schedule;
pub use shrink::shrunk;
