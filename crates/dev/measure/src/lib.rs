//! The program `measure`: one subject a run, and a page of what it found.
//!
//! [`arguments`] reads the subject, [`subjects`] has a module for each, and [`page`] writes; [`language_client`] speaks
//! with the language server. Beside them is what tests of this crate use, too: obligations that other solvers are asked
//! about ([`obligations`]), the published pipeline ([`classic`]), how often work looks at its flag ([`polls`]), what
//! stays undecided ([`undecided`]), and published times about nets ([`nets`]).

pub mod arguments;
pub mod classic;
pub mod language_client;
pub mod nets;
pub mod obligations;
pub mod page;
pub mod polls;
pub mod subjects;
pub mod undecided;
