//! A PostgreSQL server of the test program's own.
//!
//! The programs of the server are where `SERVAL_POSTGRES` says, or in the newest `/usr/lib/postgresql/*/bin` from
//! version 15 on. A private cluster is made once per test program, in a temporary directory, and listens on a socket
//! there and nowhere else. The server refuses to run as root, so that root runs it through `su postgres`.
//!
//! A shell makes the cluster, starts it, and waits until the pipe from the test program is closed, which happens
//! however that program ends, also when it is killed; then the shell stops the server and removes the directory. It
//! stands in a process group of its own, so that a signal for the test program's group does not end it.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use crate::say;

/// The oldest version of a distribution that is taken.
const OLDEST: u32 = 15;
/// The name under which the server is asked for.
const NAME: &str = "postgres";
/// The name of a socket may be no longer than this, together with its directory.
const LONGEST_FOLDER: usize = 80;

/// Makes the cluster and starts it, says how that went in one line, and ends both when its input ends.
const SCRIPT: &str = r#"
trap '' PIPE INT TERM HUP
cd /
if [ "$(id -u)" = 0 ]; then as() { su -s /bin/sh postgres -c "$1"; }; else as() { sh -c "$1"; }; fi
export BIN FOLDER
if as '"$BIN/initdb" -A trust -U postgres -N -E UTF8 --locale=C -D "$FOLDER/data"' >"$FOLDER/log" 2>&1 </dev/null &&
    as '"$BIN/pg_ctl" start -w -D "$FOLDER/data" -l "$FOLDER/server.log" -o "-c listen_addresses='"''"' -k $FOLDER -c fsync=off -c deadlock_timeout=100ms -c logging_collector=on -c log_directory=$FOLDER/logs -c log_filename=server.log -c log_destination=stderr,csvlog,jsonlog"' >>"$FOLDER/log" 2>&1 </dev/null
then echo started; else echo failed; fi
cat >/dev/null
as '"$BIN/pg_ctl" stop -m immediate -w -D "$FOLDER/data"' >/dev/null 2>&1 </dev/null
rm -rf "$FOLDER"
"#;

/// A server that runs as long as this program.
#[derive(Debug)]
pub struct Postgres {
    bin: PathBuf,
    folder: PathBuf,
    /// How many databases there are for work side by side.
    side_by_side: Mutex<usize>,
    /// Its input is never written to; what matters is that it is open.
    _keeper: Child,
}

impl Postgres {
    /// Where `psql` and the other programs are.
    pub fn bin(&self) -> &Path {
        &self.bin
    }

    /// The client.
    pub fn psql(&self) -> PathBuf {
        self.bin.join("psql")
    }

    /// The directory of the cluster, in which the socket is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Its logs, in the formats stderr, csvlog and jsonlog. Statements are in them where a session sets
    /// `log_statement`.
    pub fn logs(&self) -> [PathBuf; 3] {
        ["server.log", "server.csv", "server.json"].map(|name| self.folder.join("logs").join(name))
    }

    /// How to connect to a database as the superuser.
    pub fn dsn_of(&self, database: &str) -> String {
        format!("host={} port=5432 user=postgres dbname={database}", self.folder.display())
    }

    /// How to connect to the database that is there at first.
    pub fn dsn(&self) -> String {
        self.dsn_of("postgres")
    }

    /// Makes databases of these names.
    ///
    /// # Panics
    ///
    /// Where the server refuses.
    pub fn make_databases(&self, names: &[String]) {
        let commands: String = names.iter().map(|name| format!("create database \"{name}\";\n")).collect();
        self.run(&commands);
    }

    /// How to connect to so many databases in which work is done side by side: advisory locks are those of a database.
    /// They are the same ones for each caller, and taken as long as the guard is held.
    pub fn side_by_side(&self, count: usize) -> (Vec<String>, MutexGuard<'_, usize>) {
        let mut there = self.side_by_side.lock().unwrap_or_else(PoisonError::into_inner);
        let name = |number: usize| format!("side{number}");
        self.make_databases(&(*there..count).map(name).collect::<Vec<_>>());
        *there = count.max(*there);
        ((0..count).map(|number| self.dsn_of(&name(number))).collect(), there)
    }

    /// Has the superuser run statements, and gives what `psql` prints.
    ///
    /// # Panics
    ///
    /// Where one of them fails.
    pub fn run(&self, statements: &str) -> String {
        if statements.is_empty() {
            return String::new();
        }
        let mut command = Command::new(self.psql());
        command.args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", &self.dsn()]);
        // Each of them is a transaction of its own.
        for statement in statements.split_inclusive(";\n") {
            command.args(["-c", statement]);
        }
        let output = command.output().expect("psql runs");
        assert!(output.status.success(), "{statements}\n{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }

    fn start(bin: PathBuf) -> Self {
        let folder = private_folder();
        let mut shell = Command::new("sh");
        shell.args(["-c", SCRIPT]).env("BIN", &bin).env("FOLDER", &folder);
        shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut shell, 0);
        let mut keeper = shell.spawn().expect("a shell runs");
        let mut said = String::new();
        if let Some(output) = &mut keeper.stdout {
            // Where nothing comes, the line is not the expected one.
            let _ = BufReader::new(output).read_line(&mut said);
        }
        let log = || ["log", "server.log"].map(|name| std::fs::read_to_string(folder.join(name)).unwrap_or_default()).concat();
        assert!(said.trim() == "started", "{NAME}: the server in {} does not start:\n{}", bin.display(), log());
        Self { bin, folder, side_by_side: Mutex::new(0), _keeper: keeper }
    }
}

/// A new directory that belongs to the user who runs the server.
fn private_folder() -> PathBuf {
    let is_plain = |path: &Path| {
        path.to_str().is_some_and(|text| {
            text.len() <= LONGEST_FOLDER && text.chars().all(|letter| letter.is_ascii_alphanumeric() || "/._-".contains(letter))
        })
    };
    let place = Some(std::env::temp_dir()).filter(|path| is_plain(path)).unwrap_or_else(|| PathBuf::from("/tmp"));
    let folder = (0..1000_u32).map(|number| place.join(format!("serval-pg-{}-{number}", std::process::id())));
    let made = folder.into_iter().find(|folder| std::fs::create_dir(folder).is_ok());
    let made = made.unwrap_or_else(|| panic!("no directory can be made in {}", place.display()));
    #[cfg(unix)]
    if let Some((user, group)) = server_user() {
        std::os::unix::fs::chown(&made, Some(user), Some(group)).expect("root gives a directory away");
    }
    made
}

/// Where this user is root: who runs the server instead.
#[cfg(unix)]
fn server_user() -> Option<(u32, u32)> {
    let id = |arguments: &[&str]| {
        let output = Command::new("id").args(arguments).output().ok()?;
        String::from_utf8_lossy(&output.stdout).trim().parse::<u32>().ok()
    };
    (id(&["-u"])? == 0).then(|| Some((id(&["-u", NAME])?, id(&["-g", NAME])?))).flatten()
}

/// The server of this test program, which is started at the first call; `None`, after saying so once, where PostgreSQL
/// is not installed.
///
/// # Panics
///
/// Where it is absent and `SERVAL_REQUIRE` lists `postgres`, and where it is there and does not start.
pub fn postgres() -> Option<&'static Postgres> {
    static SERVER: OnceLock<Option<Postgres>> = OnceLock::new();
    SERVER.get_or_init(|| installed().map(Postgres::start)).as_ref()
}

/// A server that belongs to one test, and ends when it is dropped: its log has nothing of other tests.
///
/// # Panics
///
/// Where [`postgres`] does.
pub fn own_postgres() -> Option<Postgres> {
    installed().map(Postgres::start)
}

/// Where the programs are; says once where they are not there.
fn installed() -> Option<PathBuf> {
    static BIN: OnceLock<Option<PathBuf>> = OnceLock::new();
    let find = || {
        let given = std::env::var_os("SERVAL_POSTGRES").map(PathBuf::from);
        let required = std::env::var("SERVAL_REQUIRE").unwrap_or_default();
        let bin = locate(given, Path::new("/usr/lib/postgresql"), &required);
        if bin.is_none() {
            say(&format!("{NAME}: not there, skipped"));
        }
        bin
    };
    BIN.get_or_init(find).clone()
}

/// Where the programs are: as given, or of the newest version that is installed.
fn locate(given: Option<PathBuf>, installed: &Path, required: &str) -> Option<PathBuf> {
    let is_complete = |bin: &PathBuf| ["initdb", "pg_ctl", "psql"].iter().all(|program| bin.join(program).is_file());
    let version = |path: &Path| path.file_name()?.to_str()?.parse::<u32>().ok().filter(|version| *version >= OLDEST);
    let newest = || {
        let folders = std::fs::read_dir(installed).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
        let versions = folders.filter_map(|path| Some((version(&path)?, path.join("bin"))));
        versions.filter(|(_, bin)| is_complete(bin)).max().map(|(_, bin)| bin)
    };
    let found = if given.is_some() { given.filter(is_complete) } else { newest() };
    let is_required = required.split(',').any(|entry| entry.trim() == NAME);
    assert!(
        found.is_some() || !is_required,
        "{NAME}: required, but there is no PostgreSQL {OLDEST} or newer; set SERVAL_POSTGRES to its bin"
    );
    found
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    const CHILD: &str = "SERVAL_POSTGRES_CHILD";

    #[test]
    fn the_newest_version_is_taken() {
        let place = std::env::temp_dir().join(format!("serval-pg-versions-{}", std::process::id()));
        let install = |version: &str, programs: &[&str]| {
            let bin = place.join(version).join("bin");
            std::fs::create_dir_all(&bin).unwrap();
            programs.iter().for_each(|program| std::fs::write(bin.join(program), "").unwrap());
        };
        let all = ["initdb", "pg_ctl", "psql"];
        install("9.6", &all);
        install("14", &all);
        assert_eq!(locate(None, &place, "suite"), None);
        install("15", &all);
        install("16", &all);
        install("17", &["psql"]);
        assert_eq!(locate(None, &place, "postgres"), Some(place.join("16/bin")));
        assert_eq!(locate(Some(place.join("14/bin")), &place, "postgres"), Some(place.join("14/bin")));
        assert_eq!(locate(Some(place.join("17/bin")), &place, ""), None);
        std::fs::remove_dir_all(place).unwrap();
    }

    #[test]
    #[should_panic(expected = "postgres: required, but")]
    fn an_absent_required_server_fails() {
        locate(None, Path::new("/nonexistent"), "suite, postgres");
    }

    /// What the test below starts in a process of its own.
    #[test]
    fn a_server_is_started_and_waits_to_be_killed() {
        if std::env::var_os(CHILD).is_some() {
            println!("\nfolder {}", postgres().unwrap().folder().display());
            std::thread::sleep(Duration::from_secs(60));
        }
    }

    #[test]
    fn nothing_is_left_when_the_test_program_is_killed() {
        let Some(server) = postgres() else { return };
        assert_eq!(server.run("select 1 + 1;\n"), "2");
        let test = "postgres::tests::a_server_is_started_and_waits_to_be_killed";
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", test, "--nocapture"]).env(CHILD, "yes").stdout(Stdio::piped());
        let mut child = child.spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        let folder = lines.find_map(|line| line.strip_prefix("folder ").map(PathBuf::from)).unwrap();
        let process = std::fs::read_to_string(folder.join("data/postmaster.pid")).unwrap();
        let process = Path::new("/proc").join(process.lines().next().unwrap());
        assert!(process.exists() || !Path::new("/proc/self").exists());
        child.kill().unwrap();
        child.wait().unwrap();
        let start = Instant::now();
        while folder.exists() || process.exists() {
            assert!(start.elapsed() < Duration::from_secs(30), "{} is left", folder.display());
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}
