//! Small workloads in all orders on a server, against the naive interpreter of the program that they become: what the
//! callers get, and what is in the tables at the end, is the same. Where transactions run at several levels, the server
//! is between two programs.
//!
//! A statement of several rows is not atomic, which a server shows only where something holds one of its rows for a
//! moment. So where the model has more than the server gave, sessions that hold a row and give it back take part.

mod draw;
mod kept;
mod rules;
mod written;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use serval_effort::sweep;
use serval_replay::{
    ClientState, ListedStatements, OrdersWanted, ScriptSession, ServerAddress, ServerAnswer, SessionScript, all_orders, session_settings,
    setup,
};
use serval_sql::{Answered, Form, Role, Translation, Workload, bundle, read, translate};
use serval_syntax::Program;
use serval_testkit::naive::{Caps, Naive, Source};
use serval_testkit::{postgres, say};

use crate::support::side_by_side;
use draw::{Drawn, LEVELS, drawn};

/// What the callers get, and the rows of all tables at the end.
type Seen = (Vec<Answered>, BTreeMap<String, String>);

const CAPS: Caps = Caps { configurations: 60_000, small_steps: 30_000 };
/// Orders with more are not tried.
const MOST_ORDERS: usize = 260;
const MOST_WITH_HELPERS: usize = 1500;

/// The program with names that the naive interpreter tells apart.
fn renamed(program: &Program) -> Program {
    let mut renamed = program.clone();
    for (number, global) in renamed.globals.iter_mut().enumerate() {
        global.name = format!("G{number:03}");
    }
    for request in &mut renamed.requests {
        for (number, local) in request.locals.iter_mut().enumerate() {
            local.name = format!("l{number:03}");
        }
    }
    renamed
}

fn workload(drawn: &Drawn) -> Option<(Workload, Translation, Option<Translation>)> {
    let reading = read(&bundle(&drawn.files()));
    let workload = reading.workload.unwrap_or_else(|| panic!("{:?}\n{:?}", drawn.scripts, reading.diagnostics));
    let workload = serval_sql::observed(&workload).into_owned();
    let translation = translate(&workload, Form::Exact).ok()?;
    let upper = if translation.mixed { Some(translate(&workload, Form::Unguarded).ok()?) } else { None };
    Some((workload, translation, upper))
}

/// What can be seen of the program, each script performed once.
fn modelled(workload: &Workload, translation: &Translation) -> Option<BTreeSet<Seen>> {
    let program = renamed(&translation.program);
    let mut naive = Naive::new(&Source::from(&program));
    let bodies: Vec<usize> = (0..program.requests.len()).collect();
    let found = naive.together(&bodies, CAPS).ok()?;
    let seen = |(answers, globals): (Vec<i64>, Vec<i64>)| {
        let answered = answers
            .iter()
            .zip(&program.requests)
            .map(|(answer, request)| translation.answers.answered(&request.name, *answer).expect("requests have answers"));
        (answered.collect(), tables(workload, translation, &globals))
    };
    Some(found.into_iter().map(seen).collect())
}

/// Values that vary, by `t(1).n`, of the rows that are there.
fn tables(workload: &Workload, translation: &Translation, globals: &[i64]) -> BTreeMap<String, String> {
    let mut values = BTreeMap::new();
    let mut absent = BTreeSet::new();
    for (global, value) in translation.program.globals.iter().zip(globals) {
        match &translation.roles[&global.name] {
            Role::Cell { kind, null } => {
                let value = translation.answers.value(kind, *null, *value);
                values.insert(global.name.clone(), value.trim_matches('\'').to_owned());
            }
            Role::There { row } if *value == 0 => drop(absent.insert(row.clone())),
            Role::There { row } => drop(values.insert(row.clone(), "there".to_owned())),
            _ => {}
        }
    }
    let plain = |name: &String| name.replace('\'', "");
    let mut values: BTreeMap<String, String> = values.iter().map(|(name, value)| (plain(name), value.clone())).collect();
    let absent: BTreeSet<String> = absent.iter().map(plain).collect();
    values.retain(|name, _| !absent.iter().any(|row| name.starts_with(&format!("{row}."))));
    for table in numbered(workload, translation) {
        let prefix = format!("{}(", table.name);
        let is_there = |row: &&String| !absent.contains(*row) && row.starts_with(&prefix);
        let value = |row: &String, column: &str| values.get(&format!("{row}.{column}")).cloned();
        let columns = table.columns.iter().filter(|column| !column.generated);
        let columns: Vec<&str> = columns.map(|column| column.name.as_str()).collect();
        let row = |row: &String| columns.iter().filter_map(|column| value(row, column)).collect::<Vec<_>>().join(" ");
        let rows: BTreeSet<String> = translation.rows.keys().map(plain).collect();
        let mut rows: Vec<String> = rows.iter().filter(is_there).map(row).collect();
        rows.sort();
        values.retain(|name, _| !name.starts_with(&prefix));
        values.insert(table.name.clone(), rows.join("; "));
    }
    values
}

/// Tables of which the server chooses the keys, or whose rows have none.
fn is_numbered(table: &serval_sql::Table) -> bool {
    table.primary.as_ref().is_none_or(|key| key.iter().any(|column| table.column(*column).generated)) && table.uniques.is_empty()
}

/// Those of which the model has rows: it has none where no script looks at them.
fn numbered<'w>(workload: &'w Workload, translation: &Translation) -> Vec<&'w serval_sql::Table> {
    let has_rows = |index: usize| translation.rows.values().any(|row| row.table.0 == index);
    workload.tables.iter().enumerate().filter(|(index, table)| is_numbered(table) && has_rows(*index)).map(|(_, table)| table).collect()
}

/// The question for the same of a server.
fn questions(workload: &Workload) -> Vec<String> {
    workload.tables.iter().map(|table| format!("select * from {} order by 1", table.name)).collect()
}

fn tables_of_server(workload: &Workload, translation: &Translation, answers: &[Vec<serval_replay::SqlRow>]) -> BTreeMap<String, String> {
    let mut values = BTreeMap::new();
    let known: BTreeSet<String> = translation.program.globals.iter().map(|global| global.name.replace('\'', "")).collect();
    let shown = |column: &serval_sql::Column, value: &Option<String>| match (value.as_deref(), &column.kind) {
        (None, _) => "NULL".to_owned(),
        (Some("t"), serval_sql::Kind::Boolean) => "true".to_owned(),
        (Some("f"), serval_sql::Kind::Boolean) => "false".to_owned(),
        (Some(value), _) => value.to_owned(),
    };
    let followed = numbered(workload, translation);
    for (table, rows) in workload.tables.iter().zip(answers) {
        if is_numbered(table) {
            if !followed.iter().any(|known| known.name == table.name) {
                continue;
            }
            let known = |column: &serval_sql::Column| {
                let end = format!(".{}", column.name);
                let is = |name: &String| name.starts_with(&format!("{}(", table.name)) && name.ends_with(&end);
                !column.generated && known.iter().any(is)
            };
            let row = |row: &serval_replay::SqlRow| {
                let values = table.columns.iter().zip(row).filter(|(column, _)| known(column));
                values.map(|(column, value)| shown(column, value)).collect::<Vec<_>>().join(" ")
            };
            let mut rows: Vec<String> = rows.iter().map(row).collect();
            rows.sort();
            values.insert(table.name.clone(), rows.join("; "));
            continue;
        }
        for row in rows {
            let key = table.primary.clone().unwrap_or_else(|| vec![serval_sql::ColumnId(0)]);
            let key: Vec<String> = key.iter().map(|column| shown(table.column(*column), &row[column.0])).collect();
            let label = format!("{}({})", table.name, key.join(", "));
            if known.contains(format!("{label} there").as_str()) {
                values.insert(label.clone(), "there".to_owned());
            }
            for (column, value) in table.columns.iter().zip(row) {
                let name = format!("{label}.{}", column.name);
                if known.contains(name.as_str()) {
                    values.insert(name, shown(column, value));
                }
            }
        }
    }
    values
}

/// A session that holds a row for a moment.
struct Helper(ListedStatements);

impl SessionScript for Helper {
    fn next_statement(&self, answers: &[ServerAnswer]) -> Option<String> {
        self.0.next_statement(answers)
    }

    fn goes_on(&self, answers: &[ServerAnswer]) -> bool {
        answers.is_empty()
    }
}

fn helper(table: &str, key: &str, id: usize) -> Helper {
    let statement = format!("select 1 from {table} where {key} = {id} for update");
    Helper(ListedStatements(vec!["begin".to_owned(), statement, "rollback".to_owned()]))
}

struct OnServer {
    seen: BTreeSet<Seen>,
    orders: usize,
    complete: bool,
}

/// What can be seen of a server in all orders, up to a number.
fn performed(
    workload: &Workload,
    translation: &Translation,
    helpers: &[Helper],
    most: usize,
    addresses: &[ServerAddress],
) -> Result<OnServer, String> {
    let sessions: Vec<ScriptSession<'_>> = translation
        .origins
        .iter()
        .map(|origin| {
            let values: Vec<String> = origin.values.iter().map(|(value, _)| value.clone()).collect();
            ScriptSession::new(workload, &translation.limits, origin.script, &values).expect("a script")
        })
        .collect();
    let setup = setup(workload, &translation.limits);
    let afterwards = questions(workload);
    let mut all: Vec<&(dyn SessionScript + Sync)> = sessions.iter().map(|session| session as _).collect();
    all.extend(helpers.iter().map(|helper| helper as &(dyn SessionScript + Sync)));
    let wanted = OrdersWanted { setup: &setup, sessions: &all, afterwards: &afterwards, most, enough: None };
    let addresses: Vec<ServerAddress> =
        addresses.iter().map(|address| ServerAddress { settings: session_settings(workload), ..address.clone() }).collect();
    let found = all_orders(&wanted, &addresses, &Default::default()).map_err(|failure| failure.to_string())?;
    let mut seen = BTreeSet::new();
    'outcomes: for outcome in found.outcomes.keys() {
        let mut answered = Vec::new();
        for (session, answers) in sessions.iter().zip(&outcome.answers) {
            match session.state(answers) {
                ClientState::Done(answer) => answered.push(answer),
                // Of a circle the server ended another session than when this order was found.
                ClientState::Repeats | ClientState::Issues(_) => continue 'outcomes,
                other => return Err(format!("a session is left as {other:?}")),
            }
        }
        seen.insert((answered, tables_of_server(workload, translation, &outcome.afterwards)));
    }
    Ok(OnServer { seen, orders: found.orders, complete: found.complete })
}

fn shown(seen: &BTreeSet<Seen>) -> String {
    let answered = |answered: &Answered| format!("{:?} {:?}", answered.rows.values().collect::<Vec<_>>(), answered.outcomes);
    let line = |(answers, tables): &Seen| format!("  {} -> {tables:?}\n", answers.iter().map(answered).collect::<Vec<_>>().join(" | "));
    seen.iter().map(line).collect()
}

/// How one workload came out.
enum Compared {
    Equal {
        orders: usize,
    },
    /// Too many orders, or states.
    Large,
    /// Not modelled.
    Outside,
    Different(String),
}

fn compared(drawn: &Drawn, addresses: &[ServerAddress]) -> Compared {
    let Some((workload, translation, upper)) = workload(drawn) else { return Compared::Outside };
    let Some(modelled) = modelled(&workload, &translation) else { return Compared::Large };
    // With several levels the server is between two programs.
    let all = match &upper {
        None => modelled.clone(),
        Some(upper) => match self::modelled(&workload, upper) {
            Some(all) => all,
            None => return Compared::Large,
        },
    };
    if !modelled.is_subset(&all) {
        return Compared::Different(format!("only below:\n{}", shown(&modelled.difference(&all).cloned().collect())));
    }
    let server = match performed(&workload, &translation, &[], MOST_ORDERS, addresses) {
        Ok(server) => server,
        Err(why) => return Compared::Different(why),
    };
    let more: BTreeSet<Seen> = server.seen.difference(&all).cloned().collect();
    if !more.is_empty() {
        return Compared::Different(format!("only the server:\n{}", shown(&more)));
    }
    let less: BTreeSet<Seen> = modelled.difference(&server.seen).cloned().collect();
    if less.is_empty() {
        return Compared::Equal { orders: server.orders };
    }
    if !server.complete {
        return Compared::Large;
    }
    let mut orders = server.orders;
    let mut seen = server.seen;
    // A helper is an attempt that rolls back. Its locks, which only NOWAIT and SKIP LOCKED see, are not in the model:
    // there helpers show what is missing, and refute nothing.
    let sees_locks = drawn.scripts.iter().flatten().any(|line| line.contains("NOWAIT") || line.contains("SKIP LOCKED"));
    // Each row alone, then both.
    for rows in [&[1][..], &[2], &[1, 2]] {
        let helpers: Vec<Helper> = rows.iter().map(|id| helper("t", "id", *id)).collect();
        match performed(&workload, &translation, &helpers, MOST_WITH_HELPERS, addresses) {
            Ok(server) => {
                orders += server.orders;
                if !sees_locks && !server.seen.is_subset(&all) {
                    return Compared::Different(format!("only the server:\n{}", shown(&server.seen.difference(&all).cloned().collect())));
                }
                seen.extend(server.seen);
                if modelled.is_subset(&seen) {
                    return Compared::Equal { orders };
                }
                if !server.complete {
                    return Compared::Large;
                }
            }
            Err(why) => return Compared::Different(why),
        }
    }
    Compared::Different(format!("only the model:\n{}", shown(&modelled.difference(&seen).cloned().collect())))
}

/// The smallest workload that differs, and how.
fn shrunk(drawn: &Drawn, told: String, addresses: &[ServerAddress]) -> (Drawn, String) {
    for smaller in drawn.smaller() {
        if smaller.scripts.iter().any(Vec::is_empty) || std::panic::catch_unwind(|| workload(&smaller)).is_err() {
            continue;
        }
        if let Compared::Different(told) = compared(&smaller, addresses) {
            return shrunk(&smaller, told, addresses);
        }
    }
    (drawn.clone(), told)
}

#[test]
fn all_orders_give_what_the_translation_gives() {
    let Some(server) = postgres() else { return };
    let (addresses, _guard) = side_by_side(server, 2);
    let sweep = sweep("replay.differential", 24, 1000);
    let (mut orders, mut equal, mut large, mut outside) = (0, 0, 0, 0);
    let start = std::time::Instant::now();
    let next = Mutex::new(sweep.seeds(1));
    let seeds = std::iter::from_fn(|| next.lock().unwrap().next());
    for seed in seeds {
        let level = LEVELS[usize::try_from(seed % 3).unwrap()];
        let workload = drawn(seed, level);
        match compared(&workload, &addresses) {
            Compared::Equal { orders: performed } => (equal, orders) = (equal + 1, orders + performed),
            Compared::Large => large += 1,
            Compared::Outside => outside += 1,
            Compared::Different(told) => {
                let (smallest, told) = shrunk(&workload, told, &addresses);
                panic!(
                    "seed {seed} at {level}:\n{}\n{told}",
                    smallest.files().iter().map(|(name, text)| format!("-- {name}\n{text}\n")).collect::<String>()
                );
            }
        }
    }
    say(&format!(
        "differential: {equal} workloads equal in {orders} orders, {large} too large, {outside} not modelled, {} ms",
        start.elapsed().as_millis()
    ));
    assert!(equal > 0);
}
