//! Tests that run the program as a process of its own or read files of the repository, in one program so that it links
//! once. What the book shows is tested in `book`, and what depends on time in `clock`.

#![allow(clippy::unwrap_used, reason = "a test fails where something is not as it should be")]

mod adversity;
mod agreement;
mod architecture;
mod behaviour;
mod bench;
mod cache;
mod check;
mod circles;
mod comfort;
mod compiled;
mod counted;
mod decompose;
mod editors;
mod enums;
mod fault;
mod fix;
mod fmt;
mod handlers;
#[cfg(feature = "handlers")]
mod handlers_certificate;
#[cfg(feature = "handlers")]
mod handlers_frameworks;
#[cfg(feature = "handlers")]
mod handlers_run;
#[cfg(feature = "handlers")]
mod handlers_tried;
mod hostile;
mod house;
mod in_time;
mod install;
mod library;
mod many;
mod markdown;
mod names;
mod nets;
mod nets_commands;
mod nets_export;
mod nets_inductive;
mod nets_input;
mod packages;
mod paths;
mod public;
mod replay;
mod reports;
mod sarif;
mod saved;
mod settings;
mod sql;
mod stages;
mod sweeps;
mod tso;
mod tso_front;
mod variants;
mod versions;
mod why;
mod width;
mod workloads;

#[path = "../support/retold.rs"]
mod retold;
#[path = "../support/schema.rs"]
mod schema;
#[path = "../support/mod.rs"]
mod support;
