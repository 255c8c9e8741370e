//! The server, and what tests ask of it.

use std::path::{Path, PathBuf};
use std::sync::MutexGuard;

use serval_replay::{ReplayReport, ServerAddress, SqlSchedule, perform, replay_text};
use serval_testkit::{Postgres, postgres};

/// How to reach a database of the server of this test program.
pub(crate) fn address_of(server: &Postgres, database: &str) -> ServerAddress {
    ServerAddress { psql: server.psql(), ..ServerAddress::new(Some(server.dsn_of(database))) }
}

/// How to reach the server, if there is one.
pub(crate) fn address() -> Option<ServerAddress> {
    postgres().map(|server| address_of(server, "postgres"))
}

/// How to reach so many databases, as long as the guard is held.
pub(crate) fn side_by_side(server: &Postgres, count: usize) -> (Vec<ServerAddress>, MutexGuard<'_, usize>) {
    let (dsns, guard) = server.side_by_side(count);
    (dsns.into_iter().map(|dsn| ServerAddress { psql: server.psql(), ..ServerAddress::new(Some(dsn)) }).collect(), guard)
}

/// Performs a schedule that the server has to do as expected.
pub(crate) fn same(title: &str, schedule: &SqlSchedule, address: &ServerAddress) -> Result<(), String> {
    match perform(schedule, address, &Default::default()) {
        Ok(report) if report.is_same() => Ok(()),
        Ok(report) => Err(told(title, &report)),
        Err(failure) => Err(format!("{title}: {failure}\n")),
    }
}

pub(crate) fn told(title: &str, report: &ReplayReport) -> String {
    replay_text(title, report, 160)
}

pub(crate) fn here() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it")
}
