//! Tests of the library as its users see it, in one program so that it links once.

#![allow(clippy::unwrap_used, reason = "what tests share is part of them")]

mod advice;
mod asserted;
mod contest;
mod deep;
mod five;
mod long_faults;
mod many;
mod nets;
mod nets_thin;
mod never;
mod promised;
mod repair_keeping;
mod repair_programs;
mod repair_random;
mod smtlib;
mod sql;
mod sql_fixes;
mod sql_levels;
mod why_random;
