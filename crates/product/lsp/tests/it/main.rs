//! The server, asked by a client over pipes, in one program so that it links once.

#![allow(clippy::unwrap_used, reason = "what tests share is part of them")]

mod bad;
mod client;
mod edits;
mod large;
mod methods;
mod notices;
mod others;
