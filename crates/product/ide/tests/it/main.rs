//! What is asked about texts, in one program so that it links once.

#![allow(clippy::unwrap_used, reason = "what tests share is part of them")]

mod agreement;
mod edits;
mod features;
mod renaming;
mod support;
mod trees;
