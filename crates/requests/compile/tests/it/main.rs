//! Tests of the compiler against other readings of the language, in one program so that it links once.

#![allow(clippy::unwrap_used, reason = "what tests share is part of them")]

mod answers;
mod canonical;
mod dead;
mod examples;
mod finite;
mod robust;
mod semantics;
mod source;
mod translation;
