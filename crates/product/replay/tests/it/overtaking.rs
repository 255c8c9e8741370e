//! A statement takes its snapshot before its locks: where its process stands still in between, another transaction with
//! a newer snapshot locks the row first and ends first. A schedule of statements cannot say so; here a process is
//! stopped.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serval_testkit::{Postgres, postgres};

/// A client that is asked line by line.
struct Client {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    pid: String,
}

impl Client {
    fn new(server: &Postgres) -> Self {
        let mut command = Command::new(server.psql());
        command.args(["-X", "-q", "-A", "-t", "-d", &server.dsn()]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        let mut client = Self { child, input, output, pid: String::new() };
        client.pid = client.asked("select pg_backend_pid()");
        client
    }

    fn begun(&mut self, statement: &str) {
        writeln!(self.input, "{statement};\n\\echo .").unwrap();
    }

    /// What came of it, line by line.
    fn told(&mut self) -> String {
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            assert_ne!(self.output.read_line(&mut line).unwrap(), 0, "the client has ended");
            if line.trim_end() == "." {
                return lines.join(" ");
            }
            lines.push(line.trim_end().to_owned());
        }
    }

    fn asked(&mut self, statement: &str) -> String {
        self.begun(statement);
        self.told()
    }

    fn signal(&self, name: &str) {
        assert!(Command::new("kill").args([name, &self.pid]).status().unwrap().success());
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = Command::new("kill").args(["-CONT", &self.pid]).status();
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const BEGIN: &str = "begin isolation level repeatable read";
const LOCK: &str = "select n from overtaken where id = 1 for update";

#[test]
fn who_has_the_older_snapshot_can_lock_the_row_later_and_end_later() {
    let Some(server) = postgres() else { return };
    for first in [LOCK, "update overtaken set n = n + 1 where id = 1 returning n - 1"] {
        server.run("create table overtaken (id int primary key, n int);\ninsert into overtaken values (1, 10), (2, 20);\n");
        let [mut holder, mut early, mut late, mut other] = [(); 4].map(|()| Client::new(server));
        holder.asked(&format!("begin; {LOCK}"));
        early.asked(BEGIN);
        early.begun(first);
        // Whether it waits is asked until it does.
        while other.asked(&format!("select cardinality(pg_blocking_pids({}))", early.pid)) == "0" {}
        early.signal("-STOP");
        holder.asked("rollback");
        other.asked("update overtaken set n = 21 where id = 2");
        late.asked(BEGIN);
        assert_eq!(late.asked("select n from overtaken where id = 2"), "21");
        assert_eq!(late.asked(LOCK), "10");
        late.asked("commit");
        early.signal("-CONT");
        assert_eq!(early.told(), "10", "{first}");
        assert_eq!(early.asked("select n from overtaken where id = 2"), "20");
        early.asked("commit");
        drop((holder, early, late, other));
        server.run("drop table overtaken;\n");
    }
}
