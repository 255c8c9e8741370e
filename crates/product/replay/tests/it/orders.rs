//! All orders of the statements of some sessions.

use std::collections::BTreeSet;

use serval_replay::{ListedStatements, OrdersFound, OrdersWanted, ServerAnswer, SessionScript, all_orders};
use serval_testkit::{postgres, say};

use crate::support::side_by_side;

fn listed(statements: &[&str]) -> ListedStatements {
    ListedStatements(statements.iter().map(|text| (*text).to_owned()).collect())
}

fn found(setup: &[&str], sessions: &[&(dyn SessionScript + Sync)], afterwards: &[&str], most: usize) -> Option<OrdersFound> {
    let server = postgres()?;
    let (addresses, _guard) = side_by_side(server, 2);
    let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let (setup, afterwards) = (texts(setup), texts(afterwards));
    let wanted = OrdersWanted { setup: &setup, sessions, afterwards: &afterwards, most, enough: None };
    let start = std::time::Instant::now();
    let found = all_orders(&wanted, &addresses, &Default::default()).unwrap();
    let each = start.elapsed().as_millis() / u128::try_from(found.orders.max(1)).unwrap();
    say(&format!("orders: {} performed, {} with waits, {each} ms each", found.orders, found.waited));
    Some(found)
}

const COUNTER: [&str; 2] = ["create table counter (id int primary key, n int)", "insert into counter values (1, 0)"];
const LOOK: [&str; 1] = ["select n from counter"];

/// What was answered to the sessions, without the tags of commands.
fn answers(found: &OrdersFound) -> BTreeSet<String> {
    let words = |answers: &Vec<ServerAnswer>| {
        let kept = answers.iter().filter(|answer| !matches!(answer, ServerAnswer::Command(_)));
        kept.map(ServerAnswer::words).collect::<Vec<_>>().join(" ")
    };
    let outcome = |(seen, _): (&serval_replay::PerformedOrder, _)| {
        let sessions = seen.answers.iter().map(words).collect::<Vec<_>>().join(" | ");
        let after: Vec<String> = seen.afterwards.iter().flatten().flatten().map(|value| value.clone().unwrap_or_default()).collect();
        format!("{sessions} -> {}", after.join(" "))
    };
    found.outcomes.iter().map(outcome).collect()
}

/// An increment in two statements loses updates at READ COMMITTED, in one it does not; 2 times 4 statements have 70
/// orders, less those in which a session that waits would go on.
#[test]
fn all_orders_of_a_counter() {
    let read = listed(&["begin", "select n from counter", "update counter set n = 1 where n = 0 returning n", "commit"]);
    let Some(lost) = found(&COUNTER, &[&read, &read], &LOOK, 1000) else { return };
    assert!(lost.complete && lost.orders < 70 && lost.waited > 0, "{lost:?}");
    let seen = answers(&lost);
    assert_eq!(
        seen,
        BTreeSet::from(["0 1 | 0 no row -> 1", "0 1 | 1 no row -> 1", "0 no row | 0 1 -> 1", "1 no row | 0 1 -> 1"].map(str::to_owned))
    );
    let one = listed(&["begin isolation level repeatable read", "update counter set n = n + 1 returning n", "commit"]);
    let safe = found(&COUNTER, &[&one, &one], &LOOK, 1000).unwrap();
    let seen = answers(&safe);
    assert_eq!(seen, BTreeSet::from(["1 | 2 -> 2", "2 | 1 -> 2", "1 | 40001 -> 1", "40001 | 1 -> 1"].map(str::to_owned)));
}

/// Without waits the number of orders is the binomial one, each is performed once, and a cap ends the work.
#[test]
fn orders_are_performed_once_and_up_to_the_cap() {
    let reader = listed(&["begin", "select n from counter", "commit"]);
    let Some(all) = found(&COUNTER, &[&reader, &reader], &LOOK, 1000) else { return };
    assert_eq!((all.orders, all.waited, all.complete, all.outcomes.len()), (20, 0, true, 1));
    let some = found(&COUNTER, &[&reader, &reader, &reader], &LOOK, 30).unwrap();
    assert_eq!((some.orders, some.complete), (30, false));
}

/// A session of which the next statement depends on the answers.
struct TakeSeat;

impl SessionScript for TakeSeat {
    fn next_statement(&self, answers: &[ServerAnswer]) -> Option<String> {
        match answers {
            [] => Some("begin".to_owned()),
            [_] => Some("select n from counter".to_owned()),
            [_, seen] if seen.words() == "0" => Some("update counter set n = n + 1".to_owned()),
            [_, _, changed] if changed.words() == "update 1" => Some("commit".to_owned()),
            [_, _] => Some("rollback".to_owned()),
            _ => None,
        }
    }
}

#[test]
fn sessions_decide_by_what_they_are_answered() {
    let Some(seats) = found(&COUNTER, &[&TakeSeat, &TakeSeat], &LOOK, 1000) else { return };
    assert!(seats.complete);
    assert_eq!(answers(&seats), BTreeSet::from(["0 | 0 -> 2", "0 | 1 -> 1", "1 | 0 -> 1"].map(str::to_owned)));
}

/// Sessions that wait for each other are in the tally, and what one of them held is free for the next order.
#[test]
fn circles_are_counted_and_left_behind_clean() {
    let setup = ["create table t (id int primary key, n int)", "insert into t values (1, 0), (2, 0)"];
    let one = listed(&["begin", "update t set n = 1 where id = 1", "update t set n = 1 where id = 2", "commit"]);
    let other = listed(&["begin", "update t set n = 2 where id = 2", "update t set n = 2 where id = 1"]);
    let Some(all) = found(&setup, &[&one, &other], &["select n from t order by id"], 1000) else { return };
    assert!(all.complete && all.circles > 0, "{all:?}");
    // The second one never commits.
    let after: BTreeSet<String> = all.outcomes.keys().map(|seen| format!("{:?}", seen.afterwards)).collect();
    assert!(after.len() <= 2, "{after:?}");
}

/// However many databases there are, and however often: the same orders, the same answers, the same order for each.
#[test]
fn what_is_found_does_not_depend_on_who_performs_it() {
    let Some(server) = postgres() else { return };
    let (addresses, _guard) = side_by_side(server, 3);
    let setup = COUNTER.map(str::to_owned);
    let one = listed(&["begin", "select n from counter for update", "update counter set n = n + 1", "commit"]);
    let other = listed(&["begin isolation level repeatable read", "insert into counter values (2, 7) on conflict do nothing", "commit"]);
    let wanted = OrdersWanted { setup: &setup, sessions: &[&one, &other, &other], afterwards: &[], most: 5000, enough: None };
    let all = |count: usize| all_orders(&wanted, &addresses[..count], &Default::default()).unwrap();
    let first = all(1);
    assert!(first.complete && first.orders > 50 && first.waited > 0, "{} {}", first.orders, first.waited);
    assert_eq!(first, all(3));
}
