//! PostgreSQL's own isolation specs, performed by the replay: what it sees is what the isolation tester printed.

use std::fs;
use std::path::Path;

use serval_replay::{Issued, Playground, Refusable, ServerAddress, ServerAnswer, SqlTable, Statement};
use serval_testkit::isolation_spec::{IsolationSession, IsolationSpec, statements};
use serval_testkit::{postgres, say, suite::data_dir};

use crate::support::side_by_side;

/// The rest of this one is outside the subset: joins, sub-selects, inheritance.
const FIRST_OF: (&str, usize) = ("eval-plan-qual", 14);

fn statement(text: &str) -> Statement {
    Statement::read(text, Refusable::Nothing).unwrap_or_else(|why| panic!("{why}: {text}"))
}

/// Rows as the isolation tester prints them: numbers to the right.
fn table(table: &SqlTable) -> String {
    let value = |value: &Option<String>| value.clone().unwrap_or_default();
    let is_number = |text: &str| text.is_empty() || text.chars().all(|c| c.is_ascii_digit() || "+-.eE ".contains(c));
    let columns = 0..table.columns.len();
    let longest = |at: usize| table.rows.iter().map(|row| value(&row[at]).chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = columns.clone().map(|at| longest(at).max(table.columns[at].chars().count())).collect();
    let numeric: Vec<bool> = columns.map(|at| table.rows.iter().all(|row| is_number(&value(&row[at])))).collect();
    let aligned = |values: Vec<String>| {
        let cells = values.iter().enumerate().map(|(at, text)| match numeric[at] {
            true => format!("{text:>width$}", width = widths[at]),
            false => format!("{text:width$}", width = widths[at]),
        });
        cells.collect::<Vec<_>>().join("|")
    };
    let mut text = aligned(table.columns.clone()) + "\n";
    text += &(widths.iter().map(|width| "-".repeat(*width)).collect::<Vec<_>>().join("+") + "\n");
    for row in &table.rows {
        text += &(aligned(row.iter().map(value).collect()) + "\n");
    }
    text + &format!("({} row{})\n\n", table.rows.len(), if table.rows.len() == 1 { "" } else { "s" })
}

fn printed(answer: &ServerAnswer) -> String {
    match answer {
        ServerAnswer::Rows(rows) => table(rows),
        ServerAnswer::Command(_) => String::new(),
        ServerAnswer::Error(error) => format!("ERROR:  {}\n", error.message),
    }
}

/// Performs one order.
fn permutation(spec: &IsolationSpec, order: &[String], playground: &mut Playground) -> String {
    let mut text = format!("\nstarting permutation: {}\n", order.join(" "));
    for setup in spec.setups.iter().flat_map(|block| statements(block)) {
        playground.set_up(&setup, Refusable::Nothing).unwrap();
    }
    let blocks = |pick: fn(&IsolationSession) -> &Option<String>, playground: &mut Playground| {
        for (number, session) in spec.sessions.iter().enumerate() {
            for text in pick(session).iter().flat_map(|block| statements(block)) {
                playground.issue(number, &statement(&text)).unwrap();
            }
        }
    };
    blocks(|session| &session.setup, playground);
    let mut current = vec![String::new(); spec.sessions.len()];
    for name in order {
        let (session, block) = spec.step(name).unwrap();
        current[session] = name.clone();
        let [one] = &statements(block)[..] else { panic!("{name} has several statements") };
        let Issued { mut answers, waiting, circle } = playground.issue(session, &statement(one)).unwrap();
        text += &format!("step {name}: {}", block.trim().trim_start_matches('\n'));
        let waits = waiting.contains_key(&session) || circle.contains(&session);
        text += if waits { " <waiting ...>\n" } else { "\n" };
        // The step's own answer stands first, those of steps that waited behind it.
        answers.sort_by_key(|(number, _)| *number != session && !waits);
        for (number, answer) in answers {
            if number != session || waits {
                text += &format!("step {}: <... completed>\n", current[number]);
            }
            text += &printed(&answer);
        }
    }
    blocks(|session| &session.teardown, playground);
    for session in 0..spec.sessions.len() {
        playground.issue(session, &statement("rollback")).unwrap();
    }
    for teardown in spec.teardown.iter().flat_map(|block| statements(block)) {
        playground.set_up(&teardown, Refusable::Nothing).unwrap();
    }
    text
}

fn output(spec: &IsolationSpec, name: &str, address: &ServerAddress) -> String {
    let mut playground = Playground::open(address, &[], &Default::default()).unwrap();
    playground.open_sessions(spec.sessions.len()).unwrap();
    let most = if name == FIRST_OF.0 { FIRST_OF.1 } else { usize::MAX };
    let orders = spec.permutations.iter().take(most);
    format!("Parsed test spec with {} sessions\n", spec.sessions.len())
        + &orders.map(|order| permutation(spec, order, &mut playground)).collect::<String>()
}

/// The first order that differs.
fn difference(expected: &str, found: &str) -> Option<String> {
    let orders = |text: &str| text.split("\nstarting permutation: ").map(|order| order.trim_end().to_owned()).collect::<Vec<_>>();
    let (expected, found) = (orders(expected), orders(found));
    let at = found.iter().zip(&expected).position(|(found, expected)| found != expected)?;
    Some(format!("--- expected\n{}\n--- found\n{}\n", expected[at], found[at]))
}

fn compared(place: &Path, name: &str, address: &ServerAddress) -> Result<usize, String> {
    let spec = IsolationSpec::read(&fs::read_to_string(place.join(format!("specs/{name}.spec"))).unwrap()).unwrap();
    let found = output(&spec, name, address);
    let mut told = Vec::new();
    for end in ["", "_1"] {
        let Ok(expected) = fs::read_to_string(place.join(format!("expected/{name}{end}.out"))) else { continue };
        match difference(&expected, &found) {
            None => return Ok(found.matches("\nstarting permutation: ").count()),
            Some(text) => told.push(text),
        }
    }
    Err(format!("{name}:\n{}", told.join("\n")))
}

#[test]
fn the_isolation_specs_are_performed_as_the_isolation_tester_does() {
    let Some(place) = data_dir("pg-isolation") else { return };
    let Some(server) = postgres() else { return };
    let (mut addresses, _guard) = side_by_side(server, 2);
    for address in &mut addresses {
        // As PostgreSQL's own driver has it.
        let settings = [("datestyle", "Postgres, MDY"), ("timezone", "PST8PDT"), ("client_min_messages", "error")];
        address.settings = settings.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    }
    let mut names: Vec<String> = fs::read_dir(place.join("specs"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap().trim_end_matches(".spec").to_owned())
        .collect();
    names.sort();
    assert_eq!(names.len(), 25);
    let next = std::sync::Mutex::new(names.iter());
    let start = std::time::Instant::now();
    let results: Vec<Result<usize, String>> = std::thread::scope(|scope| {
        let work = |address: &ServerAddress| {
            let take = || next.lock().unwrap().next();
            std::iter::from_fn(take).map(|name| compared(&place, name, address)).collect::<Vec<_>>()
        };
        let threads: Vec<_> = addresses.iter().map(|address| scope.spawn(move || work(address))).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    let orders: usize = results.iter().flatten().sum();
    say(&format!("isolation specs: {} files, {orders} orders, {} ms", names.len(), start.elapsed().as_millis()));
    let failures: Vec<String> = results.into_iter().filter_map(Result::err).collect();
    assert!(failures.is_empty(), "{} differ:\n{}", failures.len(), failures.join("\n"));
}
