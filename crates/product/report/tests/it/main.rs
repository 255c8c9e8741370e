//! Tests of what people see, in one program so that it links once.

#![allow(clippy::unwrap_used, reason = "what tests share is part of them")]

mod explain;
mod mistakes;
mod pictures;
