//! Tests of what README and book show: sessions are executed, and what is made is made anew and compared. They are a
//! program of their own because sessions are as if typed in the root of the repository: one test changes the working
//! directory of the process.

#![allow(clippy::unwrap_used, reason = "a test fails where something is not as it should be")]

mod blocks;
mod cli;
mod documents;
mod gallery;
#[path = "../../../wasm/src/groups.rs"]
mod gallery_groups;
mod manual;
mod pages;
mod running_example;
mod wording;
mod words;

#[path = "../support/mod.rs"]
mod support;
