//! Algorithms for mutual exclusion, each as a function from a state and a process to what that process can do next.

use serval_families::nets::{MadeNet, bakery, eisenberg_mcguire, lamport_fast, peterson, szymanski, ticket};

/// Where each process is, its two own variables, and the shared ones.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct State {
    pub(super) at: Vec<&'static str>,
    k: Vec<usize>,
    m: Vec<usize>,
    shared: Vec<usize>,
}

/// What a process can do.
type Steps = fn(usize, usize, &State) -> Vec<State>;

/// An algorithm.
pub(super) struct Algorithm {
    pub(super) made: fn(usize) -> MadeNet,
    /// For how many processes it is followed.
    pub(super) most: usize,
    /// How many variables are shared by so many processes, and what they are in the beginning.
    shared: fn(usize) -> Vec<usize>,
    pub(super) steps: Steps,
}

pub(super) const ALL: &[Algorithm] = &[
    Algorithm { made: peterson, most: 3, shared: |n| vec![0; 2 * n], steps: peterson_steps },
    Algorithm { made: lamport_fast, most: 2, shared: |n| vec![0; n + 2], steps: lamport_steps },
    Algorithm { made: eisenberg_mcguire, most: 3, shared: |n| vec![0; n + 1], steps: eisenberg_steps },
    Algorithm { made: szymanski, most: 3, shared: |n| vec![0; n], steps: szymanski_steps },
    Algorithm { made: ticket, most: 4, shared: |_| vec![0; 2], steps: ticket_steps },
    Algorithm { made: bakery, most: 2, shared: |n| vec![0; 2 * n], steps: bakery_steps },
];

impl Algorithm {
    pub(super) fn first(&self, n: usize) -> State {
        State { at: vec!["idle"; n], k: vec![0; n], m: vec![0; n], shared: (self.shared)(n) }
    }
}

impl State {
    /// The process goes there, with these values of its variables.
    fn to(&self, i: usize, at: &'static str, k: usize, m: usize) -> Self {
        let mut next = self.clone();
        (next.at[i], next.k[i], next.m[i]) = (at, k, m);
        next
    }

    /// A shared variable is written.
    fn with(mut self, variable: usize, value: usize) -> Self {
        self.shared[variable] = value;
        self
    }
}

/// The process that is the count-th among the others.
fn other(i: usize, count: usize) -> usize {
    if count < i { count } else { count + 1 }
}

/// `at` of each, and `last` of each level, from which 1 is taken. `k` counts the others, `m` is the level.
fn peterson_steps(n: usize, i: usize, state: &State) -> Vec<State> {
    let (k, level) = (state.k[i], state.m[i]);
    match state.at[i] {
        "idle" => vec![state.to(i, "set", 0, 1).with(i, 1)],
        "set" => vec![state.to(i, "wait", 0, level).with(n + level, i)],
        "wait" if k + 1 == n => vec![state.to(i, "set", 0, level + 1).with(i, level + 1)],
        "wait" if state.shared[other(i, k)] < level || state.shared[n + level] != i => {
            vec![if level + 1 == n && k + 2 == n { state.to(i, "inside", 0, 0) } else { state.to(i, "wait", k + 1, level) }]
        }
        "wait" => Vec::new(),
        _ => vec![state.to(i, "idle", 0, 0).with(i, 0)],
    }
}

/// `b` of each, `x` and `y`, which have the number of a process plus 1.
fn lamport_steps(n: usize, i: usize, state: &State) -> Vec<State> {
    let (x, y) = (n, n + 1);
    let to = |at: &'static str| state.to(i, at, 0, 0);
    match state.at[i] {
        "idle" => vec![to("begun").with(i, 1)],
        "begun" => vec![to("signed").with(x, i + 1)],
        "signed" => vec![if state.shared[y] == 0 { to("claim") } else { to("busy") }],
        "busy" => vec![to("queue").with(i, 0)],
        "queue" if state.shared[y] == 0 => vec![to("idle")],
        "queue" => Vec::new(),
        "claim" => vec![to("claimed").with(y, i + 1)],
        "claimed" => vec![if state.shared[x] == i + 1 { to("inside") } else { to("late") }],
        "late" => vec![to("look").with(i, 0)],
        "look" if state.k[i] + 1 == n => vec![if state.shared[y] == i + 1 { to("inside") } else { to("queue") }],
        "look" if state.shared[other(i, state.k[i])] == 0 => vec![state.to(i, "look", state.k[i] + 1, 0)],
        "look" => Vec::new(),
        "inside" => vec![to("leaving").with(y, 0)],
        _ => vec![to("idle").with(i, 0)],
    }
}

/// `flag` of each, and `turn`. `k` is the one that is looked at.
fn eisenberg_steps(n: usize, i: usize, state: &State) -> Vec<State> {
    let (k, turn) = (state.k[i], state.shared[n]);
    let next = |k: usize| (k + 1) % n;
    match state.at[i] {
        "idle" | "again" => vec![state.to(i, "read", 0, 0).with(i, 1)],
        "read" if turn == i => vec![state.to(i, "ready", 0, 0)],
        "read" => vec![state.to(i, "scan", turn, 0)],
        "scan" if state.shared[k] != 0 => vec![state.to(i, "read", 0, 0)],
        "scan" if next(k) == i => vec![state.to(i, "ready", 0, 0)],
        "scan" => vec![state.to(i, "scan", next(k), 0)],
        "ready" => vec![state.to(i, "look", 0, 0).with(i, 2)],
        "look" if k + 1 == n && turn == i => vec![state.to(i, "enter", 0, 0)],
        "look" if k + 1 == n => vec![state.to(i, "ask", turn, 0)],
        "look" if state.shared[other(i, k)] == 2 => vec![state.to(i, "again", 0, 0)],
        "look" => vec![state.to(i, "look", k + 1, 0)],
        "ask" => vec![state.to(i, if state.shared[k] == 0 { "enter" } else { "again" }, 0, 0)],
        "enter" => vec![state.to(i, "inside", 0, 0).with(n, i)],
        "inside" => vec![state.to(i, "seek", next(i), 0)],
        "seek" if state.shared[k] != 0 => vec![state.to(i, "give", k, 0)],
        "seek" if next(k) == i => vec![state.to(i, "give", i, 0)],
        "seek" => vec![state.to(i, "seek", next(k), 0)],
        "give" => vec![state.to(i, "leaving", 0, 0).with(n, k)],
        _ => vec![state.to(i, "idle", 0, 0).with(i, 0)],
    }
}

/// `flag` of each. `k` counts.
fn szymanski_steps(n: usize, i: usize, state: &State) -> Vec<State> {
    let (k, flag) = (state.k[i], &state.shared);
    let to = |at: &'static str, k: usize| state.to(i, at, k, 0);
    let go_on = |is_open: bool, at: &'static str| if is_open { vec![to(at, k + 1)] } else { Vec::new() };
    match state.at[i] {
        "idle" => vec![to("open", 0).with(i, 1)],
        "open" if k + 1 == n => vec![to("door", 0).with(i, 3)],
        "open" => go_on(flag[other(i, k)] < 3, "open"),
        "door" if k + 1 == n => vec![to("past", 0).with(i, 4)],
        "door" if flag[other(i, k)] == 1 => vec![to("steps back", 0)],
        "door" => go_on(true, "door"),
        "steps back" => vec![to("waits", 0).with(i, 2)],
        "waits" if (0..n).any(|k| k != i && flag[k] == 4) => vec![to("called", 0)],
        "waits" => Vec::new(),
        "called" => vec![to("past", 0).with(i, 4)],
        "past" if k == i => vec![to("inside", i + 1)],
        "past" => go_on(flag[k] < 2, "past"),
        // Behind the first look one is not inside any more.
        "inside" | "last" if k == n => vec![to("idle", 0).with(i, 0)],
        _ => go_on(flag[k] < 2 || flag[k] == 4, "last"),
    }
}

/// `next` and `now`. `k` is the own number.
fn ticket_steps(n: usize, i: usize, state: &State) -> Vec<State> {
    let (mine, next, now) = (state.k[i], state.shared[0], state.shared[1]);
    match state.at[i] {
        "idle" => vec![state.to(i, "wait", next, 0).with(0, (next + 1) % n)],
        "wait" if now == mine => vec![state.to(i, "inside", mine, 0)],
        "wait" => Vec::new(),
        _ => vec![state.to(i, "idle", 0, 0).with(1, (now + 1) % n)],
    }
}

/// `choosing` and `number` of each. `k` counts the others, `m` is the most so far, and then the own number.
fn bakery_steps(n: usize, i: usize, state: &State) -> Vec<State> {
    let (k, m) = (state.k[i], state.m[i]);
    let number = |of: usize| state.shared[n + of];
    match state.at[i] {
        "idle" => vec![state.to(i, "look", 0, 0).with(i, 1)],
        "look" if k + 1 < n => vec![state.to(i, "look", k + 1, m.max(number(other(i, k))))],
        "look" if m == n => vec![state.to(i, "idle", 0, 0).with(i, 0)],
        "look" => vec![state.to(i, "chosen", 0, m + 1).with(n + i, m + 1)],
        "chosen" => vec![state.to(i, "wait", 0, m).with(i, 0)],
        "wait" if state.shared[other(i, k)] == 0 => vec![state.to(i, "ask", k, m)],
        "ask" => {
            let it = other(i, k);
            let is_before = number(it) == 0 || (m, i) < (number(it), it);
            let next = if k + 2 == n { state.to(i, "inside", 0, m) } else { state.to(i, "wait", k + 1, m) };
            if is_before { vec![next] } else { Vec::new() }
        }
        "wait" => Vec::new(),
        _ => vec![state.to(i, "idle", 0, 0).with(n + i, 0)],
    }
}
