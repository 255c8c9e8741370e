//! Performs schedules of SQL statements on a PostgreSQL server, and says what the server did; and handlers in Node.
//!
//! | to | open |
//! |---|---|
//! | say which session issues what when, and what is expected | [`SqlSchedule`], [`read_trace`] |
//! | have a server perform it, and compare | [`perform()`], [`ReplayReport`] |
//! | perform all orders of the statements of some sessions | [`all_orders`] |
//! | issue statements one by one | [`Playground`] |
//! | perform the run of a counterexample of a workload | [`follow()`] |
//! | have the statements of that run, also for other programs | [`planned()`], [`PlannedRun`] |
//! | have Node perform handlers in JavaScript | [`NodeProcess`] |
//! | have a run of handlers as a test for Node | [`emitted_test()`] |
//! | know what a client issues next, and make the tables of a workload | [`ScriptSession`], [`setup()`] |
//!
//! The client is `psql`, one process for each session, so that libpq's own settings hold: environment, service and
//! password files, TLS. `docs/decisions/0014-psql.md` says why.
//!
//! **What is touched.** Everything happens in a schema with a random name, which is dropped at the end. A name that is
//! qualified with a schema (`public.accounts`) is led there, by taking the qualifier away, and the search path has no
//! other schema. The process that keeps the schema drops it when its input ends, so that it goes also where serval is
//! killed. A statement that could do something else is not issued ([`Statement`]).
//!
//! **Waits.** A statement waits if the server says so (`pg_blocking_pids`), and a step is over when each session has
//! its answer or waits for a session that will do nothing by itself ([`Playground::issue`]).
//!
//! Architecture Invariant: with the binary and the program of `verify` the only crate that is shipped and starts
//! processes or looks at a clock. It prints nothing. No verdict on SQL rests on it; one on handlers rests on what Node
//! does.

mod address;
mod answer;
mod client;
mod compare;
mod control;
mod follow;
mod lexical;
mod node;
mod orders;
mod perform;
mod planned;
mod playground;
mod process;
mod schedule;
mod sql_text;
mod told;
mod trace;
mod written;

pub use address::{ServerAddress, ServerFailure};
pub use answer::{ServerAnswer, SqlError, SqlRow, SqlTable};
pub use client::{ClientState, ClientStep, ScriptSession, session_settings};
pub use compare::is_same_answer;
pub use follow::{FollowedRun, RunToFollow, follow};
pub use lexical::{Refusable, Statement};
pub use node::{EmittedTest, NodeFailure, NodeProcess, emitted_test};
pub use orders::{ListedStatements, OrdersFound, OrdersWanted, PerformedOrder, SessionScript, all_orders};
pub use perform::{PerformedStep, ReplayReport, perform};
pub use planned::{PlannedRun, planned};
pub use playground::{Issued, Playground, WaitsFor};
pub use schedule::{AwaitedWait, ScheduleStep, SqlSchedule};
pub use sql_text::{ColumnLimits, setup};
pub use told::{followed_text, replay_json, replay_text};
pub use trace::{MOST_TRACE_BYTES, SqlTrace, read_trace, trace_text};
