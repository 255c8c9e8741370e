//! Servers and schedules with which something is wrong: one clear message each, and nothing is left on the server.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use serval_budget::Cancel;
use serval_replay::{Playground, Refusable, ServerAddress, SqlSchedule, Statement, perform};
use serval_testkit::{Postgres, postgres};

use crate::steps::cases;
use crate::support::address_of;

/// A database of its own, so that what is left in it is of one test.
fn own(server: &Postgres, name: &str) -> ServerAddress {
    server.make_databases(&[name.to_owned()]);
    address_of(server, name)
}

fn schedule(steps: &str) -> SqlSchedule {
    let text = format!("given create table t (id int primary key)\ngiven insert into t values (1), (2)\ncase 0 x\n{steps}");
    cases(&text).remove(0).schedule
}

/// The message, and the schemas that are left in the database.
fn failure(server: &Postgres, address: &ServerAddress, schedule: &SqlSchedule, cancel: &Cancel) -> String {
    let message = perform(schedule, address, cancel).unwrap_err().to_string();
    assert_eq!(message.lines().count(), 1, "{message}");
    assert_eq!(left(server, address), "", "{message}");
    message
}

fn left(server: &Postgres, address: &ServerAddress) -> String {
    let dsn = address.dsn.clone().unwrap();
    let database = dsn.rsplit_once("dbname=").unwrap().1.split(' ').next().unwrap();
    let own = ServerAddress { psql: server.psql(), ..ServerAddress::new(Some(server.dsn_of(database))) };
    let mut playground = Playground::open(&own, &[], &Cancel::new()).unwrap();
    playground.open_sessions(1).unwrap();
    let question = format!(
        "select coalesce(string_agg(nspname, ' '), '') from pg_namespace where nspname like 'serval%' and nspname <> '{}'",
        playground.schema()
    );
    let question = Statement::read(&question, Refusable::Nothing).unwrap();
    playground.issue(0, &question).unwrap().answers[0].1.words()
}

#[test]
fn a_server_that_is_not_there() {
    let Some(server) = postgres() else { return };
    let steps = schedule("a: begin");
    let mut address = address_of(server, "postgres");
    address.dsn = Some("host=/nonexistent port=1 user=x dbname=x".to_owned());
    let message = perform(&steps, &address, &Cancel::new()).unwrap_err().to_string();
    assert!(
        message.starts_with("cannot connect to PostgreSQL: connection to server on socket") && message.lines().count() == 1,
        "{message}"
    );
    address.dsn = Some(server.dsn_of("no-such-database"));
    let message = perform(&steps, &address, &Cancel::new()).unwrap_err().to_string();
    assert!(message.contains("database \"no-such-database\" does not exist"), "{message}");
    address.dsn = Some("what=ever".to_owned());
    let message = perform(&steps, &address, &Cancel::new()).unwrap_err().to_string();
    assert!(message.contains("invalid connection option"), "{message}");
    address.psql = "/nonexistent/psql".into();
    let message = perform(&steps, &address, &Cancel::new()).unwrap_err().to_string();
    assert!(message.starts_with("psql, the client of PostgreSQL, does not start: "), "{message}");
}

#[test]
fn a_server_that_does_not_answer() {
    let Some(server) = postgres() else { return };
    assert_eq!(ServerAddress::new(None).connecting, Duration::from_secs(10));
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = silent.local_addr().unwrap().port();
    let mut address = address_of(server, "postgres");
    address.dsn = Some(format!("host=127.0.0.1 port={port} user=x dbname=x"));
    address.connecting = Duration::from_secs(2);
    let start = Instant::now();
    let message = perform(&schedule("a: begin"), &address, &Cancel::new()).unwrap_err().to_string();
    assert_eq!(message, "cannot connect to PostgreSQL: no answer in 2 s");
    assert!(start.elapsed() < Duration::from_secs(9), "{:?}", start.elapsed());
    // An interrupt does not wait for that.
    let cancel = Cancel::new();
    cancel.cancel();
    assert_eq!(perform(&schedule("a: begin"), &address, &cancel).unwrap_err().to_string(), "interrupted");
}

/// A server that lets clients in and calls itself by this version, and answers nothing else.
fn old_server(version: &'static str) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for mut client in listener.incoming().flatten() {
            let mut head = [0; 4];
            loop {
                client.read_exact(&mut head).unwrap();
                let mut rest = vec![0; u32::from_be_bytes(head) as usize - 4];
                client.read_exact(&mut rest).unwrap();
                // A question whether there is encryption: there is none.
                if rest.len() == 4 {
                    client.write_all(b"N").unwrap();
                } else {
                    break;
                }
            }
            let message = |kind: u8, body: &[u8]| [&[kind], &(u32::try_from(body.len()).unwrap() + 4).to_be_bytes()[..], body].concat();
            let parameter = |name: &str, value: &str| message(b'S', format!("{name}\0{value}\0").as_bytes());
            let hello =
                [message(b'R', &[0; 4]), parameter("server_version", version), parameter("client_encoding", "UTF8"), message(b'Z', b"I")];
            client.write_all(&hello.concat()).unwrap();
            let _ = client.read_to_end(&mut Vec::new());
        }
    });
    port
}

#[test]
fn a_server_that_is_too_old() {
    let Some(server) = postgres() else { return };
    let mut address = address_of(server, "postgres");
    address.dsn = Some(format!("host=127.0.0.1 port={} user=x dbname=x sslmode=disable gssencmode=disable", old_server("11.22")));
    let message = perform(&schedule("a: begin"), &address, &Cancel::new()).unwrap_err().to_string();
    assert_eq!(message, "the server is PostgreSQL 11.22; a replay needs 12 or newer");
}

#[test]
fn a_role_that_may_make_no_schema() {
    let Some(server) = postgres() else { return };
    let mut address = own(server, "limited");
    server.run("create role limited login;\n");
    let dsn = address.dsn.unwrap().replace("user=postgres", "user=limited");
    address.dsn = Some(dsn);
    let message = failure(server, &address, &schedule("a: begin"), &Cancel::new());
    assert_eq!(message, "the role cannot make the schema of the replay: permission denied for database limited");
}

#[test]
fn a_session_that_the_server_ends() {
    let Some(server) = postgres() else { return };
    let address = own(server, "ended");
    let end = "select pg_terminate_backend(pid) from pg_stat_activity where datname = 'ended' and state like 'idle in tr%' and pid <> pg_backend_pid()";
    let steps = schedule(&format!("a: begin\na: delete from t => delete 2\nb: {end} => t\nb: select pg_sleep(0.3) => null\na: commit"));
    let message = failure(server, &address, &steps, &Cancel::new());
    assert!(message.starts_with("the server went away: ") && message.contains("terminating connection"), "{message}");
    // The keeper of the schema itself, which is asked who waits while the statement after that runs.
    let end = end.replace("state like 'idle in tr%' and ", "");
    let message = failure(server, &address, &schedule(&format!("a: {end} => t\na: select pg_sleep(0.3) => null")), &Cancel::new());
    assert!(message.starts_with("the server went away: "), "{message}");
}

/// Carries what is said between a port and the socket of the server, until it is told to cut all connections.
fn proxy(server: &Postgres) -> (u16, mpsc::Sender<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let socket = server.folder().join(".s.PGSQL.5432");
    let (cut, cuts) = mpsc::channel::<()>();
    let (opened, open) = mpsc::channel::<(TcpStream, UnixStream)>();
    std::thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let server = UnixStream::connect(&socket).unwrap();
            let (mut from, mut to) = (client.try_clone().unwrap(), server.try_clone().unwrap());
            let (mut back_from, mut back_to) = (server.try_clone().unwrap(), client.try_clone().unwrap());
            // After the cut there is no reader for them.
            let _ = opened.send((client, server));
            std::thread::spawn(move || {
                let _ = std::io::copy(&mut from, &mut to);
                let _ = to.shutdown(Shutdown::Both);
            });
            std::thread::spawn(move || {
                let _ = std::io::copy(&mut back_from, &mut back_to);
                let _ = back_to.shutdown(Shutdown::Both);
            });
        }
    });
    std::thread::spawn(move || {
        let _ = cuts.recv();
        for (client, server) in open.try_iter() {
            let _ = client.shutdown(Shutdown::Both);
            let _ = server.shutdown(Shutdown::Both);
        }
    });
    (port, cut)
}

/// All connections are cut at once; new ones are possible, and so the schema is dropped.
#[test]
fn a_server_that_goes_away() {
    let Some(server) = postgres() else { return };
    let mut address = own(server, "cut");
    let (port, cut) = proxy(server);
    address.dsn = Some(format!("host=127.0.0.1 port={port} user=postgres sslmode=disable gssencmode=disable dbname=cut"));
    let steps = schedule("a: begin\na: delete from t => delete 2\na: select pg_sleep(20) => null");
    std::thread::spawn(move || {
        let question = "select count(*) from pg_stat_activity where datname = 'cut' and query like '%pg_sleep(20)%';\n";
        while server.run(question) != "1" {
            std::thread::sleep(Duration::from_millis(20));
        }
        cut.send(()).unwrap();
    });
    let message = failure(server, &address, &steps, &Cancel::new());
    assert!(message.starts_with("the server went away: "), "{message}");
}

#[test]
fn a_statement_that_goes_on_for_too_long() {
    let Some(server) = postgres() else { return };
    let mut address = own(server, "long");
    address.answering = Duration::from_secs(1);
    let message = failure(server, &address, &schedule("a: begin\nb: begin\nb: select pg_sleep(30) => null"), &Cancel::new());
    assert_eq!(message, "a statement of session 2 has gone on for 1 s");
}

#[test]
fn a_lock_that_another_session_of_the_database_holds() {
    let Some(server) = postgres() else { return };
    let mut address = own(server, "held");
    let mut other = Playground::open(&address, &[], &Cancel::new()).unwrap();
    other.open_sessions(1).unwrap();
    for text in ["begin", "select pg_advisory_xact_lock(5)"] {
        other.issue(0, &Statement::read(text, Refusable::Nothing).unwrap()).unwrap();
    }
    address.answering = Duration::from_secs(1);
    let steps = schedule("a: begin\na: select pg_advisory_xact_lock(5) => null");
    let message = perform(&steps, &address, &Cancel::new()).unwrap_err().to_string();
    let expected = "session 1 has waited 1 s for the server's process ";
    assert!(message.starts_with(expected) && message.ends_with(", which is not of this replay"), "{message}");
    other.close().unwrap();
    assert_eq!(left(server, &address), "");
}

#[test]
fn an_interrupt_ends_a_replay_and_its_schema() {
    let Some(server) = postgres() else { return };
    let address = own(server, "interrupted");
    let cancel = Cancel::new();
    let flag = cancel.clone();
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(700));
        flag.cancel();
    });
    let start = Instant::now();
    let steps =
        "a: begin\na: delete from t => delete 2\nb: begin\nb: delete from t => waits for a\na: select pg_sleep(20) => null\nb => delete 2";
    assert_eq!(failure(server, &address, &schedule(steps), &cancel), "interrupted");
    assert!(start.elapsed() < Duration::from_secs(8), "{:?}", start.elapsed());
}

#[test]
fn tables_that_cannot_be_made() {
    let Some(server) = postgres() else { return };
    let address = own(server, "unmade");
    let mut steps = schedule("a: begin");
    steps.setup.push("create table t (id int)".to_owned());
    let message = failure(server, &address, &steps, &Cancel::new());
    assert_eq!(message, "the tables cannot be made: relation \"t\" already exists (42P07): create table t (id int)");
}

/// What could do something else than a script is not issued, and nothing is asked of a server before.
#[test]
fn a_schedule_with_something_else_is_not_performed() {
    let nowhere = ServerAddress::new(Some("host=/nonexistent".to_owned()));
    let refused = |schedule: &SqlSchedule| perform(schedule, &nowhere, &Cancel::new()).unwrap_err().to_string();
    let mut steps = schedule("a: begin");
    steps.steps[0].statement = "copy t to program 'date'".to_owned();
    assert_eq!(refused(&steps), "step 1 is not performed: a replay does not issue COPY T TO");
    steps.steps[0].statement = "select 1 \\! date".to_owned();
    assert!(refused(&steps).contains("backslash"));
    let mut steps = schedule("a: begin");
    steps.setup.push("drop database postgres".to_owned());
    assert_eq!(refused(&steps), "the setup has what a replay does not issue DROP DATABASE POSTGRES");
    steps.setup.clear();
    steps.sessions = vec!["x".to_owned(); 65];
    assert_eq!(refused(&steps), "there are 65 sessions, and at most 64 are performed");
}
