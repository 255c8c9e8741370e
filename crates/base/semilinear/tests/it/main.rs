//! Tests against enumeration, in one program so that it links once.

#![allow(clippy::unwrap_used, reason = "what tests share is part of them")]

mod complement;
mod sets;
mod support;
mod walks;
