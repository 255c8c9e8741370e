//! Answers about Petri nets.

mod questions;
