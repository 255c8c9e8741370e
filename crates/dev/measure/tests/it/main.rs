//! Tests of what is measured, in one program so that it links once.

#![allow(clippy::unwrap_used, reason = "what tests share is part of them")]

mod classic;
mod cliffs;
mod families;
mod obligations;
mod subjects;
mod undecided;
