//! Answers about programs on weak memory.

mod changes;
mod choices;
mod copies;
mod diy;
mod kinds;
