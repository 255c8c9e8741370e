//! Tests of the public interface, in one program so that it links once.

mod json_accept;
mod json_reject;
mod multisets;
mod products;
mod runs;
mod serial;
mod simulation;
mod systems;
