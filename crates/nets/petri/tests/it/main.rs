//! Tests of nets and formats, in one program so that it links once.

#![allow(clippy::unwrap_used, reason = "what tests share is part of them")]

mod asked;
mod composed;
mod corpus;
mod formats;
mod lola;
mod robust;
mod support;
mod symmetric;
mod words;
