//! Lipton's nets: a counter of size 2^(2^N) is tested for zero by a net whose size grows with N alone.
//!
//! Level `i` has counters `y_i` and `z_i`, each with its opposite, such that the two together are `B_i = 2^(2^i)`, and
//! `B_(i+1) = B_i · B_i`. A routine of level `i` does something exactly `B_i` times: at level 0, twice; at level
//! `i + 1` it goes `B_i` times through an outer loop, which `y_i` counts down, and each time `B_i` times through an
//! inner loop, which `z_i` counts down. Whether a loop goes on is guessed. That it goes on wrongly ends the run at the
//! next step, as there is nothing left to count down. That it ends is *tested*: the routine of level `i` takes one from
//! the opposite and gives it to the counter, `B_i` times. That can be done only if the opposite is `B_i`, so if the
//! counter is 0, and afterwards the counter is `B_i` again, as the next loop needs it. So nothing has to be doubled or
//! put back.
//!
//! The program fills `y_i` and `z_i` level by level, each by a routine of the level below, then the opposite of `x`,
//! which has `B_N`, and tests `x` for zero. With the mistake, it adds one to `x` before; then it can never halt.

use super::Spec;

/// The largest N for which sizes fit.
const MOST: u32 = 5;

/// `2^(2^N)`.
pub fn lipton_size(n: u32) -> u64 {
    1_u64.checked_shl(1 << n.min(MOST)).unwrap_or(u64::MAX)
}

#[derive(Default)]
struct Program {
    spec: Spec,
    labels: usize,
    calls: usize,
    /// The routine that tests a counter for zero, by its name: where it begins and ends.
    tests: Vec<(String, (String, String))>,
}

impl Program {
    fn label(&mut self) -> String {
        self.labels += 1;
        let name = format!("at{}", self.labels);
        self.spec.counter(&name, 0);
        name
    }

    fn step(&mut self, from: &str, to: &str, changes: &[(String, i64)]) {
        let moved = [(from, -1), (to, 1)].into_iter().chain(changes.iter().map(|(name, change)| (name.as_str(), *change)));
        self.spec.rule(&moved.collect::<Vec<_>>());
    }

    fn call(&mut self, from: &str, routine: &(String, String), to: &str) {
        self.calls += 1;
        let wait = format!("wait{}", self.calls);
        self.spec.counter(&wait, 0);
        self.spec.rule(&[(from, -1), (&routine.0, 1), (&wait, 1)]);
        self.spec.rule(&[(&routine.1, -1), (&wait, -1), (to, 1)]);
    }

    /// A routine that changes something as often as its level says.
    fn routine(&mut self, level: u32, changes: &[(String, i64)]) -> (String, String) {
        let (begin, end) = (self.label(), self.label());
        let Some(below) = level.checked_sub(1) else {
            let twice: Vec<(String, i64)> = changes.iter().map(|(name, change)| (name.clone(), 2 * change)).collect();
            self.step(&begin, &end, &twice);
            return (begin, end);
        };
        let (inner, counted, tested) = (self.label(), self.label(), self.label());
        let down = |name: &str| [(format!("{name}{below}"), -1), (format!("not_{name}{below}"), 1)];
        self.step(&begin, &inner, &down("y"));
        self.step(&inner, &counted, &[&down("z"), changes].concat());
        self.step(&counted, &inner, &[]);
        let test = self.test(below, &format!("z{below}"));
        self.call(&counted, &test, &tested);
        self.step(&tested, &begin, &[]);
        let test = self.test(below, &format!("y{below}"));
        self.call(&tested, &test, &end);
        (begin, end)
    }

    /// The routine that tests a counter of a level for zero, and makes it as large as it can be.
    fn test(&mut self, level: u32, counter: &str) -> (String, String) {
        if let Some(known) = self.tests.iter().find(|one| one.0 == counter) {
            return known.1.clone();
        }
        let made = self.routine(level, &[(format!("not_{counter}"), -1), (counter.to_owned(), 1)]);
        self.tests.push((counter.to_owned(), made.clone()));
        made
    }
}

/// The net that tests a counter of size `2^(2^n)` for zero, as a specification; with a mistake the counter is not zero,
/// and `halt` cannot be covered. The second target asks for one more than the counter can hold, which cannot be
/// covered, either.
pub fn lipton(n: u32, mistake: bool) -> String {
    let size = lipton_size(n);
    let mut program = Program { spec: Spec::new(format!("a counter of size {size} is tested for zero by a net")), ..Program::default() };
    for level in 0..n {
        for name in ["y", "z"] {
            program.spec.counter(format!("{name}{level}"), 0);
            program.spec.counter(format!("not_{name}{level}"), 0);
        }
    }
    program.spec.counter("x", 0);
    program.spec.counter("not_x", 0);
    program.spec.counter("begin", 1);
    program.spec.counter("halt", 0);
    let mut at = "begin".to_owned();
    for level in 0..n {
        for name in ["y", "z"] {
            let (begin, end) = program.routine(level, &[(format!("{name}{level}"), 1)]);
            program.step(&at, &begin, &[]);
            at = end;
        }
    }
    let (begin, end) = program.routine(n, &[("not_x".to_owned(), 1)]);
    program.step(&at, &begin, &[]);
    let mut ready = end.clone();
    if mistake {
        ready = program.label();
        program.step(&end, &ready, &[("not_x".to_owned(), -1), ("x".to_owned(), 1)]);
    }
    let test = program.test(n, "x");
    program.call(&ready, &test, "halt");
    program.spec.target(&[("halt", 1)]);
    program.spec.target(&[("not_x", usize::try_from(size.saturating_add(1)).unwrap_or(usize::MAX))]);
    program.spec.text()
}
