//! The language server: the protocol of editors, version 3.17, on the questions of `serval-ide` and the verdict of
//! `serval`.
//!
//! [`serve`] is handed bytes in and out, a clock and a reader of settings ([`Host`]), so that tests need no process.
//! One thread reads messages, one decides about a text, and the caller's thread does everything else, message by
//! message in the order in which they come. Analysis waits until no message is left: of ten edits in a row only the
//! last text is looked at; a large text is read on a thread of its own. An edit cancels what is read and what is
//! decided. The next decision does not wait for the end of the one before, which may have much memory to give back.
//!
//! # The state of a text
//! A text has one state at a time (`state`), from which diagnostics, lens, hover and status are drawn. A verdict
//! belongs to the version that it is about; after an edit it is shown as *before the last edit*, and a text with errors
//! has none.
//!
//! | to change | open |
//! |---|---|
//! | how messages are cut from bytes, what a damaged one is answered | `transport` |
//! | the lifecycle, which method is answered by what | `server` |
//! | kinds of texts: extension, what can be done with each | `kinds` |
//! | an open text, its state, places both ways | `documents`, `state` |
//! | what the thread does that decides | `worker` |
//! | when a text is read on a thread of its own | `reading` |
//! | an answer to an editor | `answers/` |
//!
//! Architecture Invariant: protocol types are here and nowhere else. No file, no environment, no clock of its own.

mod answers;
mod documents;
mod kinds;
mod reading;
mod server;
mod settings;
mod state;
mod transport;
mod worker;

pub use server::{Host, serve};
pub use settings::Settings;
