//! Coverability problems with answers known by construction, as specifications of mist: any number of threads, requests
//! or messages, and a size.
//!
//! Most come in pairs: one is right, and the other has a mistake.

mod ackermann;
mod boolean;
mod doubling;
mod lipton;
mod messages;

use std::fmt::Write;

pub use ackermann::{ackermann, ackermann_value};
pub use boolean::{Command, boolean, boolean_counter};
pub use doubling::{Doubling, hopcroft_pansiot};
pub use lipton::{lipton, lipton_size};
pub use messages::messages;

/// Sizes at which each problem is made.
pub const SIZES: [usize; 3] = [2, 4, 8];

/// A problem of one size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Its name, with the size.
    pub name: String,
    /// The specification.
    pub text: String,
    /// Whether the target can be covered.
    pub coverable: bool,
}

/// A specification on the way.
#[derive(Default)]
pub(crate) struct Spec {
    story: String,
    counters: Vec<(String, String)>,
    rules: String,
    target: String,
}

impl Spec {
    pub(crate) fn new(story: impl Into<String>) -> Self {
        Self { story: story.into(), ..Self::default() }
    }

    /// A counter with its initial value.
    pub(crate) fn counter(&mut self, name: impl Into<String>, tokens: usize) {
        self.counters.push((name.into(), format!("= {tokens}")));
    }

    /// A counter that has any number in the beginning.
    fn any(&mut self, name: impl Into<String>) {
        self.counters.push((name.into(), ">= 1".to_owned()));
    }

    /// A rule: by how much counters change, each of which must be there; a change of 0 asks for one that stays.
    pub(crate) fn rule(&mut self, changes: &[(&str, i64)]) {
        self.guarded(&[], changes);
    }

    /// A rule that also asks for tokens, which stay.
    fn guarded(&mut self, asks: &[(&str, usize)], changes: &[(&str, i64)]) {
        let mut guards: Vec<String> = asks.iter().map(|(name, least)| format!("{name} >= {least}")).collect();
        guards.extend(changes.iter().filter(|one| one.1 <= 0).map(|(name, change)| format!("{name} >= {}", change.unsigned_abs().max(1))));
        let after = changes
            .iter()
            .filter(|one| one.1 != 0)
            .map(|(name, change)| format!("{name}' = {name} {} {}", if *change > 0 { '+' } else { '-' }, change.unsigned_abs()));
        // Writing to a string does not fail.
        let _ = writeln!(self.rules, "  {} -> {};", guards.join(", "), after.collect::<Vec<_>>().join(", "));
    }

    pub(crate) fn target(&mut self, least: &[(&str, usize)]) {
        let bounds: Vec<String> = least.iter().map(|(name, least)| format!("{name} >= {least}")).collect();
        let _ = writeln!(self.target, "  {}", bounds.join(", "));
    }

    pub(crate) fn text(&self) -> String {
        let names: Vec<&str> = self.counters.iter().map(|one| one.0.as_str()).collect();
        let init: Vec<String> = self.counters.iter().map(|(name, tokens)| format!("{name} {tokens}")).collect();
        let Self { story, rules, target, .. } = self;
        format!("# {story}\nvars\n  {}\n\nrules\n{rules}\ninit\n  {}\n\ntarget\n{target}", names.join(" "), init.join(", "))
    }
}

/// The steps `name1 → name2 → … → nameN` of a thread.
fn stages(spec: &mut Spec, name: &str, count: usize) -> Vec<String> {
    let names: Vec<String> = (1..=count).map(|number| format!("{name}{number}")).collect();
    names.iter().for_each(|name| spec.counter(name, 0));
    names
}

/// Many threads take a lock, go through n steps, and give it back, or one step too early.
fn mutex(n: usize, mistake: bool) -> Spec {
    let mut spec = Spec::new(format!("any number of threads, a lock, and {n} steps inside"));
    spec.any("idle");
    spec.counter("lock", 1);
    let inside = stages(&mut spec, "in", n);
    spec.rule(&[("idle", -1), ("lock", -1), (&inside[0], 1)]);
    for number in 1..n {
        let back = (mistake && number == n - 1).then_some(("lock", 1));
        let changes: Vec<(&str, i64)> = [(inside[number - 1].as_str(), -1), (&inside[number], 1)].into_iter().chain(back).collect();
        spec.rule(&changes);
    }
    let last = [(inside[n - 1].as_str(), -1), ("idle", 1), ("lock", 1)];
    spec.rule(if mistake { &last[..2] } else { &last });
    spec.target(&[(&inside[0], 1), (&inside[n - 1], 1)]);
    spec
}

/// A semaphore with n permits; a thread that fails gives two back.
fn semaphore(n: usize, mistake: bool) -> Spec {
    let mut spec = Spec::new(format!("a semaphore with {n} permits"));
    spec.any("idle");
    spec.counter("permit", n);
    spec.counter("inside", 0);
    spec.rule(&[("idle", -1), ("permit", -1), ("inside", 1)]);
    spec.rule(&[("inside", -1), ("permit", 1), ("idle", 1)]);
    if mistake {
        spec.rule(&[("inside", -1), ("permit", 2), ("idle", 1)]);
    }
    spec.target(&[("inside", n + 1)]);
    spec
}

/// At most n messages are on their way, as acknowledgements say; they may be doubled.
fn window(n: usize, mistake: bool) -> Spec {
    let mut spec = Spec::new(format!("a channel with a window of {n}"));
    spec.any("queued");
    spec.counter("credit", n);
    ["sent", "received", "acknowledged"].into_iter().for_each(|name| spec.counter(name, 0));
    spec.rule(&[("queued", -1), ("credit", -1), ("sent", 1)]);
    spec.rule(&[("sent", -1), ("received", 1), ("acknowledged", 1)]);
    spec.rule(&[("acknowledged", -1), ("credit", 1)]);
    if mistake {
        spec.rule(&[("acknowledged", 1), ("received", 0)]);
    }
    spec.target(&[("sent", n + 1)]);
    spec
}

/// A pool of n workers; one that is slow is replaced, and comes back.
fn pool(n: usize, mistake: bool) -> Spec {
    let mut spec = Spec::new(format!("a pool of {n} workers and any number of tasks"));
    spec.any("task");
    spec.counter("worker", n);
    ["busy", "slow", "done"].into_iter().for_each(|name| spec.counter(name, 0));
    spec.rule(&[("task", -1), ("worker", -1), ("busy", 1)]);
    spec.rule(&[("busy", -1), ("slow", 1)]);
    spec.rule(&[("busy", -1), ("worker", 1), ("done", 1)]);
    spec.rule(&[("slow", -1), ("worker", 1), ("done", 1)]);
    if mistake {
        spec.rule(&[("slow", 0), ("worker", 1)]);
    }
    spec.target(&[("busy", n + 1)]);
    spec
}

/// Candidates go through n rounds with a ticket for each; one that is late in the last gives its ticket back and goes
/// on.
fn leader(n: usize, mistake: bool) -> Spec {
    let mut spec = Spec::new(format!("any number of candidates, {n} rounds, a ticket for each"));
    spec.any("candidate");
    let rounds = stages(&mut spec, "round", n);
    let tickets: Vec<String> = (1..=n).map(|number| format!("ticket{number}")).collect();
    tickets.iter().for_each(|name| spec.counter(name, 1));
    spec.counter("leader", 0);
    let mut before = "candidate";
    for (round, ticket) in rounds.iter().zip(&tickets) {
        spec.rule(&[(before, -1), (ticket, -1), (round, 1)]);
        before = round;
    }
    spec.rule(&[(before, -1), ("leader", 1)]);
    if mistake {
        let all: Vec<(&str, i64)> = tickets.iter().map(|ticket| (ticket.as_str(), 1)).collect();
        spec.rule(&[&[(before, -1), ("leader", 1)], &all[..]].concat());
    }
    spec.target(&[("leader", 2)]);
    spec
}

/// A counter up to n with its opposite, which is how a net tests for zero; threads test it while they hold one, or
/// afterwards.
fn counter(n: usize, mistake: bool) -> Spec {
    let mut spec = Spec::new(format!("a counter up to {n} that is tested for zero"));
    spec.any("idle");
    spec.counter("value", 0);
    spec.counter("rest", n);
    ["inside", "leaving", "alarm"].into_iter().for_each(|name| spec.counter(name, 0));
    spec.rule(&[("idle", -1), ("rest", -1), ("value", 1), ("inside", 1)]);
    spec.rule(&[("inside", -1), ("value", -1), ("rest", 1), ("leaving", 1)]);
    spec.rule(&[("leaving", -1), ("idle", 1)]);
    spec.guarded(&[("rest", n)], &[(if mistake { "leaving" } else { "inside" }, -1), ("alarm", 1)]);
    spec.target(&[("alarm", 1)]);
    spec
}

/// Up to n readers, or one writer that takes all permits, or all but one.
fn readers(n: usize, mistake: bool) -> Spec {
    let mut spec = Spec::new(format!("readers with {n} permits, and writers"));
    spec.any("idle");
    spec.counter("permit", n);
    ["reader", "writer"].into_iter().for_each(|name| spec.counter(name, 0));
    let all = i64::try_from(n).unwrap_or(i64::MAX) - i64::from(mistake);
    spec.rule(&[("idle", -1), ("permit", -1), ("reader", 1)]);
    spec.rule(&[("reader", -1), ("permit", 1), ("idle", 1)]);
    spec.rule(&[("idle", -1), ("permit", -all), ("writer", 1)]);
    spec.rule(&[("writer", -1), ("permit", all), ("idle", 1)]);
    spec.target(&[("reader", 1), ("writer", 1)]);
    spec
}

/// A barrier that opens when n have come, or one earlier; others look on.
fn barrier(n: usize, mistake: bool) -> Spec {
    let mut spec = Spec::new(format!("a barrier for {n}"));
    spec.any("watcher");
    spec.counter("coming", n);
    ["waiting", "open", "through"].into_iter().for_each(|name| spec.counter(name, 0));
    spec.rule(&[("coming", -1), ("waiting", 1)]);
    spec.guarded(&[("waiting", n - usize::from(mistake))], &[("watcher", -1), ("open", 1)]);
    spec.rule(&[("open", 0), ("waiting", -1), ("through", 1)]);
    spec.target(&[("through", 1), ("coming", 1)]);
    spec
}

/// A server that shakes hands with one client at a time in n steps; it may fall and forget with whom.
fn handshake(n: usize, mistake: bool) -> Spec {
    let mut spec = Spec::new(format!("hands are shaken in {n} steps, by one server and any number of clients"));
    spec.any("client");
    spec.counter("server", 1);
    let clients = stages(&mut spec, "client", n);
    let servers = stages(&mut spec, "server", n);
    spec.rule(&[("client", -1), ("server", -1), (&clients[0], 1), (&servers[0], 1)]);
    for number in 1..n {
        spec.rule(&[(&clients[number - 1], -1), (&servers[number - 1], -1), (&clients[number], 1), (&servers[number], 1)]);
    }
    spec.rule(&[(&clients[n - 1], -1), (&servers[n - 1], -1), ("client", 1), ("server", 1)]);
    if mistake {
        servers.iter().for_each(|server| spec.rule(&[(server, -1), ("server", 1)]));
    }
    spec.target(&[(&clients[0], 1), (&clients[n - 1], 1)]);
    spec
}

/// A stock of n and any number of orders; a refund puts goods back that are gone.
fn stock(n: usize, mistake: bool) -> Spec {
    let mut spec = Spec::new(format!("a stock of {n} and any number of orders"));
    spec.any("order");
    spec.counter("stock", n);
    ["reserved", "shipped"].into_iter().for_each(|name| spec.counter(name, 0));
    spec.rule(&[("order", -1), ("stock", -1), ("reserved", 1)]);
    spec.rule(&[("reserved", -1), ("stock", 1), ("order", 1)]);
    spec.rule(&[("reserved", -1), ("shipped", 1)]);
    if mistake {
        spec.rule(&[("shipped", 0), ("stock", 1)]);
    }
    spec.target(&[("shipped", n + 1)]);
    spec
}

type Make = fn(usize, bool) -> Spec;

const PAIRS: [(&str, Make); 10] = [
    ("mutex", mutex),
    ("semaphore", semaphore),
    ("window", window),
    ("pool", pool),
    ("leader", leader),
    ("counter", counter),
    ("readers", readers),
    ("barrier", barrier),
    ("handshake", handshake),
    ("stock", stock),
];

/// All problems: ten pairs at three sizes each.
pub fn problems() -> Vec<Problem> {
    let mut all = Vec::new();
    for (name, make) in PAIRS {
        for mistake in [false, true] {
            for size in SIZES {
                let name = format!("{name}{}-{size}", if mistake { "-mistake" } else { "" });
                all.push(Problem { name, text: make(size, mistake).text(), coverable: mistake });
            }
        }
    }
    all
}

/// A vector addition system that multiplies weakly: its last counter can be everything up to `left · right`, and no
/// more. The targets are the product, and one more.
pub fn multiplication(left: usize, right: usize) -> String {
    let product = left.saturating_mul(right);
    format!(
        "# c3 counts what c1 rounds of c2 steps each make; c4 is what of c2 has been counted in this round\n\
         state back ({left}, {right}, 0, 0)\nback -> back (0, 1, 0, -1) again\nback -> add (-1, 0, 0, 0) round\nadd -> add (0, -1, 1, 1) count\n\
         add -> back (0, 0, 0, 0) next\ntarget back (0, 0, {product}, 0)\ntarget back (0, 0, {}, 0)\n",
        product + 1
    )
}
