//! Tests of the interpreter and of random programs, in one program so that it links once.

mod language;
mod published;
mod versions;
