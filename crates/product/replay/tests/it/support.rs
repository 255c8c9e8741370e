//! The server, and what tests ask of it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

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

/// Databases of these names, which are made at the first call.
pub(crate) fn databases(server: &Postgres, count: usize) -> Vec<ServerAddress> {
    static MADE: Mutex<BTreeMap<String, ()>> = Mutex::new(BTreeMap::new());
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    let names: Vec<String> = (0..count).map(|number| format!("side{number}")).collect();
    let missing: Vec<String> = names.iter().filter(|name| made.insert((*name).clone(), ()).is_none()).cloned().collect();
    server.make_databases(&missing);
    names.iter().map(|name| address_of(server, name)).collect()
}

/// Tests that take all databases do so one after the other.
pub(crate) fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
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
