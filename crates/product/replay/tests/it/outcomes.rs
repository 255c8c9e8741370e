//! All orders of some isolation specs at three levels, as `outcomes.tsv` has them: what waits, which errors there are,
//! and whether answers and final tables are those of a serial order.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::Mutex;

use serval_replay::{Issued, Playground, Refusable, ServerAddress, ServerAnswer, Statement};
use serval_testkit::isolation_spec::{IsolationSpec, statements};
use serval_testkit::{postgres, say, suite::data_dir};

use crate::support::side_by_side;

fn statement(text: &str) -> Statement {
    Statement::read(text, Refusable::Nothing).unwrap()
}

/// What was seen in an order.
#[derive(Default)]
struct Seen {
    waiting: Vec<String>,
    /// Names of steps with their errors.
    errors: Vec<String>,
    failed: bool,
    /// Answers by session, then the tables.
    values: Vec<String>,
}

/// A spec whose tables are made, at one level.
struct Stage<'a> {
    spec: &'a IsolationSpec,
    level: &'a str,
    playground: Playground,
    again: Vec<String>,
    tables: Vec<String>,
}

impl<'a> Stage<'a> {
    fn new(spec: &'a IsolationSpec, level: &'a str, address: &ServerAddress) -> Self {
        let mut playground = Playground::open(address, &[], &Default::default()).unwrap();
        let setup: Vec<String> = spec.setups.iter().flat_map(|block| statements(block)).collect();
        for text in &setup {
            playground.set_up(text, Refusable::Nothing).unwrap();
        }
        // One more session looks at the tables.
        playground.open_sessions(spec.sessions.len() + 1).unwrap();
        let list = "select relname from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace order by 1";
        let listed = playground.issue(spec.sessions.len(), &statement(list)).unwrap();
        let tables: Vec<String> = listed.answers[0].1.rows().unwrap().iter().map(|row| row[0].clone().unwrap()).collect();
        let is_insert = |text: &&String| text.trim_start().to_lowercase().starts_with("insert");
        let mut again = vec![format!("truncate {}", tables.join(", "))];
        again.extend(setup.iter().filter(is_insert).cloned());
        Self { spec, level, playground, again, tables }
    }

    fn perform(&mut self, order: &[String]) -> Seen {
        for text in &self.again {
            self.playground.set_up(text, Refusable::Nothing).unwrap();
        }
        let begin = |text: &str| text.replace("ISOLATION LEVEL SERIALIZABLE", &format!("ISOLATION LEVEL {}", self.level));
        let used: BTreeSet<usize> = order.iter().map(|name| self.spec.step(name).unwrap().0).collect();
        for session in &used {
            for text in self.spec.sessions[*session].setup.iter().flat_map(|block| statements(&begin(block))) {
                self.playground.issue(*session, &statement(&text)).unwrap();
            }
        }
        let mut seen = Seen::default();
        let (mut answers, mut current) = (vec![Vec::new(); self.spec.sessions.len()], BTreeMap::new());
        for name in order {
            let (session, block) = self.spec.step(name).unwrap();
            current.insert(session, name);
            let Issued { answers: came, waiting, .. } = self.playground.issue(session, &statement(block)).unwrap();
            if waiting.contains_key(&session) {
                seen.waiting.push(name.clone());
            }
            for (number, answer) in came {
                if let ServerAnswer::Error(error) = &answer {
                    let kind = match error.state.as_str() {
                        "40001" if error.message.contains("read/write") => " rw",
                        "40001" => " ww",
                        _ => "",
                    };
                    seen.failed |= error.state == "40001";
                    if error.state != "25P02" {
                        seen.errors.push(format!("{}: {}{kind}", current[&number], error.state));
                    }
                }
                answers[number].push(answer.words());
            }
        }
        for session in used {
            self.playground.issue(session, &statement("rollback")).unwrap();
        }
        seen.values = answers.into_iter().map(|answers| answers.join(" / ")).collect();
        for table in &self.tables {
            let question = format!("select array_agg(t::text order by t::text) from {table} t");
            let issued = self.playground.issue(self.spec.sessions.len(), &statement(&question)).unwrap();
            seen.values.push(issued.answers[0].1.words());
        }
        seen
    }

    /// What is seen in the serial orders of these steps.
    fn serial(&mut self, order: &[String]) -> BTreeSet<Vec<String>> {
        let mut sessions: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        for name in order {
            sessions.entry(self.spec.step(name).unwrap().0).or_default().push(name.clone());
        }
        let mut found = BTreeSet::new();
        for order in permutations(&sessions.into_values().collect::<Vec<_>>()) {
            found.insert(self.perform(&order.concat()).values);
        }
        found
    }
}

fn permutations(of: &[Vec<String>]) -> Vec<Vec<Vec<String>>> {
    if of.is_empty() {
        return vec![Vec::new()];
    }
    let mut found = Vec::new();
    for (at, first) in of.iter().enumerate() {
        let rest = [&of[..at], &of[at + 1..]].concat();
        found.extend(permutations(&rest).into_iter().map(|rest| [vec![first.clone()], rest].concat()));
    }
    found
}

type Rows = BTreeMap<(String, String), Vec<[String; 4]>>;

/// Performs the orders of one spec at one level; those that differ.
fn compared(place: &Path, (name, level): &(String, String), rows: &[[String; 4]], address: &ServerAddress) -> Vec<String> {
    let spec = IsolationSpec::read(&fs::read_to_string(place.join(format!("specs/{name}.spec"))).unwrap()).unwrap();
    let mut stage = Stage::new(&spec, level, address);
    let (mut serial, mut different) = (BTreeMap::new(), Vec::new());
    for [order, waiting, errors, is_serial] in rows {
        let steps: Vec<String> = order.split(' ').map(str::to_owned).collect();
        let seen = stage.perform(&steps);
        let mut sorted = steps.clone();
        sorted.sort();
        let serial = serial.entry(sorted).or_insert_with(|| stage.serial(&steps));
        let list = |list: &[String], between: &str| if list.is_empty() { "-".to_owned() } else { list.join(between) };
        let verdict = if seen.failed {
            "-"
        } else if serial.contains(&seen.values) {
            "yes"
        } else {
            "no"
        };
        let found = [list(&seen.waiting, " "), list(&seen.errors, "; "), verdict.to_owned()];
        if found != [waiting.clone(), errors.clone(), is_serial.clone()] {
            different.push(format!("{name} at {level}, {order}: {found:?} and not {:?}", [waiting, errors, is_serial]));
        }
    }
    different
}

#[test]
fn all_orders_of_the_specs_are_as_they_were_written_down() {
    let Some(place) = data_dir("pg-isolation") else { return };
    let Some(server) = postgres() else { return };
    let mut rows = Rows::new();
    for line in fs::read_to_string(place.join("outcomes.tsv")).unwrap().lines().skip(1) {
        let columns: Vec<String> = line.split('\t').map(str::to_owned).collect();
        let [name, level, rest @ ..] = &columns[..] else { panic!("{line}") };
        rows.entry((name.clone(), level.clone())).or_default().push(rest.to_vec().try_into().unwrap());
    }
    let (addresses, _guard) = side_by_side(server, 2);
    let start = std::time::Instant::now();
    let orders: usize = rows.values().map(Vec::len).sum();
    let next = Mutex::new(rows.iter());
    let different: Vec<String> = std::thread::scope(|scope| {
        let (next, place) = (&next, &place);
        let work = move |address: &ServerAddress| {
            let take = || next.lock().unwrap().next();
            std::iter::from_fn(take).flat_map(|(name, rows)| compared(place, name, rows, address)).collect::<Vec<_>>()
        };
        let threads: Vec<_> = addresses.iter().map(|address| scope.spawn(move || work(address))).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    let time = start.elapsed().as_millis();
    say(&format!("orders of isolation specs: {orders} at three levels, {time} ms, {} ms each", time / orders as u128));
    assert!(different.is_empty(), "{} of {orders} differ:\n{}", different.len(), different[..different.len().min(20)].join("\n"));
}
