//! The reduction rules against brute force, and what their conditions are for.
//!
//! `cargo run --release -p serval-soundness --bin reductions` tries many more
//! systems; here a small part of them is tried.

#![expect(clippy::unwrap_used, reason = "a test fails where something is not as it should be")]

#[path = "rules/brute.rs"]
mod brute;
#[path = "rules/counterexamples.rs"]
mod counterexamples;
#[path = "rules/forms.rs"]
mod forms;
#[path = "rules/groups.rs"]
mod groups;
#[path = "rules/letters.rs"]
mod letters;

use serval_engine::reduce::RULES;
use serval_soundness::reductions::{Effort, Row, try_systems};
use serval_soundness::systems::Generator;
use serval_testkit::say;

const SYSTEMS: u64 = 240;
const EFFORT: Effort = Effort { ticks: 6_000, steps: 60, drawn: 1 };

#[test]
fn rules_keep_the_behaviours_of_random_systems() {
    let count: u64 = std::env::var("SERVAL_COUNT").map_or(SYSTEMS, |count| count.parse().unwrap());
    let seed: u64 = std::env::var("SERVAL_SEED").map_or(4, |seed| seed.parse().unwrap());
    let mut tally = match try_systems(0..count, seed, EFFORT) {
        Ok(tally) => tally,
        Err(failure) => {
            panic!("{} system {} of seed {seed}: {}\n{}", failure.source(), failure.number, failure.difference, failure.system.to_json())
        }
    };
    let fired: Vec<String> = RULES.iter().map(|&rule| format!("{} {}", Row::Found(rule).name(), tally.fired(Row::Found(rule)))).collect();
    say(&format!("reductions: {count} random systems as brute force says; fired: {}", fired.join(", ")));
    for row in Row::all() {
        let counts = tally.sum(row);
        assert!(counts.fired * 10 >= count, "{}: fired {} times", row.name(), counts.fired);
        assert!(counts.compared * 10 >= counts.fired * 9, "{}: {counts:?}", row.name());
    }
    let figures: Vec<_> = Generator::ALL.into_iter().map(|generator| *tally.figures(generator)).collect();
    assert!(figures.iter().map(|figures| figures.weak_entries).sum::<u64>() * 10 >= count);
    assert!(figures.iter().map(|figures| figures.longer).sum::<u64>() * 10 >= count);
}
