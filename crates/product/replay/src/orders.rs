//! All orders in which the statements of some sessions can be issued.
//!
//! An order is built by performing it: after each statement the sessions that have their answer, and another statement
//! to issue, are those that may go on. So an order in which a session that waits would be given a statement is none,
//! and all others are performed, each once.
//!
//! A session whose statement fails issues `rollback` at once and ends: the server has given up its transaction with the
//! error, and what a session does after it is seen by none. Which session of a circle of waits the server ends depends
//! on when each of them began to wait; each order is performed once, so that the other choice is not seen.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use serval_budget::Cancel;

use crate::address::{ServerAddress, ServerFailure};
use crate::answer::{ServerAnswer, SqlRow};
use crate::lexical::{Refusable, Statement};
use crate::playground::{Issued, Playground};

/// What a session issues, which may depend on the answers.
pub trait SessionScript {
    /// The next statement, after these answers; `None` at the end.
    fn next_statement(&self, answers: &[ServerAnswer]) -> Option<String>;

    /// Whether the next statement takes no snapshot and no lock, so that the one behind it is issued at once.
    fn goes_on(&self, _answers: &[ServerAnswer]) -> bool {
        false
    }
}

/// A session that issues the same statements whatever is answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedStatements(pub Vec<String>);

impl SessionScript for ListedStatements {
    fn next_statement(&self, answers: &[ServerAnswer]) -> Option<String> {
        self.0.get(answers.len()).cloned()
    }
}

/// What is to be performed in all orders.
pub struct OrdersWanted<'a> {
    /// Statements that make tables and rows; those that begin with INSERT are issued again for each order.
    pub setup: &'a [String],
    /// The sessions.
    pub sessions: &'a [&'a (dyn SessionScript + Sync)],
    /// Questions that are asked when all sessions have ended.
    pub afterwards: &'a [String],
    /// How many orders are performed at most.
    pub most: usize,
    /// What is looked for: no further order is begun once it was seen.
    pub enough: Option<&'a (dyn Fn(&PerformedOrder) -> bool + Sync)>,
}

/// What the sessions were answered, and what was there afterwards, in one order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PerformedOrder {
    /// By session: the answers to its statements.
    pub answers: Vec<Vec<ServerAnswer>>,
    /// By question: the rows.
    pub afterwards: Vec<Vec<SqlRow>>,
}

/// What was seen in all orders.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OrdersFound {
    /// What was seen, with the least order (by numbers of sessions) in which it was.
    pub outcomes: BTreeMap<PerformedOrder, Vec<usize>>,
    /// How many orders were performed.
    pub orders: usize,
    /// In how many of them a session waited.
    pub waited: usize,
    /// In how many the sessions waited in a circle, so that the server ended one of them.
    pub circles: usize,
    /// Whether these are all.
    pub complete: bool,
}

/// What is left to do.
struct Work {
    /// Orders that begin like this and are not yet performed; one at the end is taken first.
    begun: Vec<Vec<usize>>,
    /// How many are being performed.
    running: usize,
    failure: Option<ServerFailure>,
    found: OrdersFound,
}

/// Performs all orders, side by side at these servers, each of which is a database of its own: advisory locks are those
/// of a whole database.
///
/// # Errors
///
/// Where the server fails, or a statement that makes the tables.
pub fn all_orders(wanted: &OrdersWanted<'_>, addresses: &[ServerAddress], cancel: &Cancel) -> Result<OrdersFound, ServerFailure> {
    let work = Mutex::new(Work { begun: vec![Vec::new()], running: 0, failure: None, found: OrdersFound::default() });
    let (more, taken) = (Condvar::new(), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for address in addresses {
            scope.spawn(|| {
                if let Err(failure) = work_at(wanted, address, cancel, (&work, &more, &taken)) {
                    held(&work).failure.get_or_insert(failure);
                }
                more.notify_all();
            });
        }
    });
    let work = work.into_inner().unwrap_or_else(PoisonError::into_inner);
    match work.failure {
        Some(failure) => Err(failure),
        None => Ok(OrdersFound { complete: work.begun.is_empty(), ..work.found }),
    }
}

fn held(work: &Mutex<Work>) -> MutexGuard<'_, Work> {
    work.lock().unwrap_or_else(PoisonError::into_inner)
}

type Shared<'a> = (&'a Mutex<Work>, &'a Condvar, &'a AtomicUsize);

fn work_at(wanted: &OrdersWanted<'_>, address: &ServerAddress, cancel: &Cancel, shared: Shared<'_>) -> Result<(), ServerFailure> {
    let (work, more, taken) = shared;
    let mut at = Workplace::open(wanted, address, cancel)?;
    loop {
        let beginning = {
            let mut work = held(work);
            loop {
                let is_over = work.failure.is_some() || taken.load(Ordering::Relaxed) >= wanted.most;
                if is_over || work.begun.is_empty() && work.running == 0 {
                    drop(work);
                    return at
                        .playground
                        .close()
                        .map_err(|schema| ServerFailure::Left(Box::new(ServerFailure::GoneAway("at the end".to_owned())), schema));
                }
                if let Some(beginning) = work.begun.pop() {
                    work.running += 1;
                    taken.fetch_add(1, Ordering::Relaxed);
                    break beginning;
                }
                work = more.wait(work).unwrap_or_else(PoisonError::into_inner);
            }
        };
        let outcome = at.perform(wanted, &beginning);
        let mut work = held(work);
        work.running -= 1;
        let TriedOrder { order, others, seen, waited, circle } = outcome?;
        if wanted.enough.is_some_and(|enough| enough(&seen)) {
            taken.store(wanted.most, Ordering::Relaxed);
        }
        work.begun.extend(others);
        let found = &mut work.found;
        (found.orders, found.waited, found.circles) =
            (found.orders + 1, found.waited + usize::from(waited), found.circles + usize::from(circle));
        let least = found.outcomes.entry(seen).or_insert_with(|| order.clone());
        if order < *least {
            *least = order;
        }
        more.notify_all();
    }
}

/// One order that was performed.
struct TriedOrder {
    order: Vec<usize>,
    /// The other ways on, at the places behind its beginning.
    others: Vec<Vec<usize>>,
    seen: PerformedOrder,
    waited: bool,
    circle: bool,
}

/// A playground with tables that are made as they were before each order.
struct Workplace {
    playground: Playground,
    again: Vec<String>,
}

impl Workplace {
    fn open(wanted: &OrdersWanted<'_>, address: &ServerAddress, cancel: &Cancel) -> Result<Self, ServerFailure> {
        let mut playground = Playground::open(address, &[], cancel)?;
        for statement in wanted.setup {
            playground.set_up(statement, Refusable::Nothing)?;
        }
        playground.open_sessions(wanted.sessions.len())?;
        let tables =
            "select relname from pg_class where relkind in ('r', 'p') and relnamespace = current_schema()::regnamespace order by 1";
        let names = playground.question(tables)?.into_iter().filter_map(|row| row.into_iter().next().flatten());
        let names: Vec<String> = names.map(|name| format!("\"{}\"", name.replace('"', "\"\""))).collect();
        let mut again = Vec::new();
        if !names.is_empty() {
            // A table that is emptied so is as new: rows come back to their places.
            again.push(format!("truncate {} restart identity cascade", names.join(", ")));
        }
        let is_insert = |text: &&String| text.trim_start().get(..6).is_some_and(|word| word.eq_ignore_ascii_case("insert"));
        again.extend(wanted.setup.iter().filter(is_insert).map(|text| text.trim_end().trim_end_matches(';').to_owned()));
        Ok(Self { playground, again })
    }

    /// Performs the least order with this beginning.
    fn perform(&mut self, wanted: &OrdersWanted<'_>, beginning: &[usize]) -> Result<TriedOrder, ServerFailure> {
        if !self.again.is_empty() {
            self.playground.set_up_together(&self.again)?;
        }
        let count = wanted.sessions.len();
        let mut state = Sessions {
            answers: vec![Vec::new(); count],
            failed: vec![false; count],
            ended: vec![true; count],
            waited: false,
            circle: false,
        };
        let (mut order, mut others) = (Vec::new(), Vec::new());
        loop {
            let mut ready = Vec::new();
            for (session, script) in wanted.sessions.iter().enumerate() {
                if !self.playground.is_busy(session) && !state.failed[session] {
                    ready.extend(script.next_statement(&state.answers[session]).map(|next| (session, next)));
                }
            }
            let chosen = beginning.get(order.len()).copied();
            let Some((session, text)) = ready.iter().find(|(session, _)| chosen.is_none_or(|one| one == *session)).cloned() else {
                break;
            };
            if chosen.is_none() {
                let other = |(session, _): &(usize, String)| [order.as_slice(), &[*session]].concat();
                others.extend(ready.iter().skip(1).map(other));
            }
            order.push(session);
            let mut text = text;
            while wanted.sessions[session].goes_on(&state.answers[session]) {
                self.issue(session, &text, &mut state)?;
                let Some(next) = wanted.sessions[session].next_statement(&state.answers[session]) else { break };
                text = next;
            }
            self.issue(session, &text, &mut state)?;
        }
        self.end_all(wanted, &mut state)?;
        let afterwards = wanted.afterwards.iter().map(|question| self.playground.question(question)).collect::<Result<_, _>>()?;
        Ok(TriedOrder {
            order,
            others,
            seen: PerformedOrder { answers: state.answers, afterwards },
            waited: state.waited,
            circle: state.circle,
        })
    }

    /// Ends transactions that were left open, so that what waits for them goes on.
    fn end_all(&mut self, wanted: &OrdersWanted<'_>, state: &mut Sessions) -> Result<(), ServerFailure> {
        let mut open: Vec<usize> = (0..wanted.sessions.len()).filter(|session| !state.failed[*session] && !state.ended[*session]).collect();
        while let Some(at) = open.iter().position(|session| !self.playground.is_busy(*session)) {
            let session = open.swap_remove(at);
            let rollback = Statement::read("rollback", Refusable::Nothing).map_err(ServerFailure::NotIssued)?;
            let issued = self.playground.issue(session, &rollback)?;
            for (number, answer) in issued.answers.into_iter().filter(|(number, _)| *number != session) {
                state.answers[number].push(answer);
            }
        }
        Ok(())
    }

    fn issue(&mut self, session: usize, text: &str, state: &mut Sessions) -> Result<(), ServerFailure> {
        let read = |text: &str| Statement::read(text, Refusable::Nothing).map_err(ServerFailure::NotIssued);
        let statement = read(text)?;
        state.ended[session] = statement.is_end();
        let mut open = vec![self.playground.issue(session, &statement)?];
        let rollback = read("rollback")?;
        while let Some(Issued { answers, waiting, circle }) = open.pop() {
            state.waited |= !waiting.is_empty();
            state.circle |= !circle.is_empty();
            for (number, answer) in answers {
                if state.failed[number] {
                    // The answer to its rollback.
                    continue;
                }
                let fails = answer.state().is_some();
                state.answers[number].push(answer);
                if fails {
                    state.failed[number] = true;
                    open.push(self.playground.issue(number, &rollback)?);
                }
            }
        }
        Ok(())
    }
}

struct Sessions {
    answers: Vec<Vec<ServerAnswer>>,
    failed: Vec<bool>,
    /// Whether the last statement ended a transaction, or there was none.
    ended: Vec<bool>,
    waited: bool,
    circle: bool,
}
