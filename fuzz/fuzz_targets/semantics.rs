//! Random programs, given by a seed and a shape: both modes of the compiler
//! must agree.

#![no_main]

#[path = "../checks/semantics.rs"]
mod semantics;

use libfuzzer_sys::fuzz_target;
use serval_testkit::random::Shape;

fuzz_target!(|input: (u64, u8)| {
    let (seed, shape) = input;
    semantics::check(seed, Shape::ALL[usize::from(shape) % Shape::ALL.len()]);
});
