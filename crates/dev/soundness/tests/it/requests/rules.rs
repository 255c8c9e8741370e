//! The reduction rules against brute force, and what their conditions are for.
//!
//! `scripts/measure reductions` tries many more systems; here a small part of them is tried.

mod brute;
mod counterexamples;
mod forms;
mod groups;
mod letters;

use serval_engine::reduce::RULES;
use serval_soundness::merged;
use serval_soundness::requests::reductions::{Effort, Tally, TallyRow, try_systems};
use serval_soundness::requests::systems::Generator;
use serval_testkit::say;

const EFFORT: Effort = Effort { ticks: 6_000, steps: 60, drawn: 1 };

#[test]
fn rules_keep_the_behaviours_of_random_systems() {
    let sweep = serval_effort::sweep("soundness.rules", 60, 240);
    let parts = sweep.map(0, |number| {
        try_systems([number], 4, EFFORT)
            .unwrap_or_else(|failure| panic!("{} system {number}: {}\n{}", failure.source(), failure.difference, failure.system.to_json()))
    });
    let (mut tally, count): (Tally, u64) = (merged(parts), sweep.count());
    let fired: Vec<String> =
        RULES.iter().map(|&rule| format!("{} {}", TallyRow::Found(rule).name(), tally.fired(TallyRow::Found(rule)))).collect();
    say(&format!("reductions: {count} random systems as brute force says; fired: {}", fired.join(", ")));
    if !sweep.is_representative() {
        return;
    }
    for row in TallyRow::all() {
        let counts = tally.sum(row);
        assert!(counts.fired * 20 >= count, "{}: fired {} times", row.name(), counts.fired);
        assert!(counts.compared * 10 >= counts.fired * 9, "{}: {counts:?}", row.name());
    }
    let figures: Vec<_> = Generator::ALL.into_iter().map(|generator| *tally.figures(generator)).collect();
    assert!(figures.iter().map(|figures| figures.weak_entries).sum::<u64>() * 10 >= count);
    assert!(figures.iter().map(|figures| figures.longer).sum::<u64>() * 10 >= count);
}
