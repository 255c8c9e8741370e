//! Verdicts of all methods together on random systems, against brute force.

use std::time::Duration;

use serval_soundness::Limit;
use serval_soundness::requests::systems::systems_of;
use serval_soundness::requests::verdicts::{Summary, try_planted, try_system};
use serval_soundness::threads::tallied;

use super::{THREADS, progress};
use crate::page::Page;

/// For one system.
const LIMIT: Limit = Limit::Time(Duration::from_secs(5));

/// Decides so many systems, and programs with planted counterexamples of five to eight requests.
pub fn page(count: u64, seed: u64, planted: u64) -> Result<Page, String> {
    let mut page = Page::new(
        "Verdicts against brute force",
        "All methods together decide random systems; the checker accepts the evidence, and brute force with up to four\n\
         requests agrees. Planted counterexamples of five to eight requests are found.",
    );
    let shows_unknown = std::env::var_os("SHOW_UNKNOWN").is_some();
    let tried = tallied(THREADS, count, |number, summary: &mut Summary| -> Result<(), String> {
        for system in systems_of(seed, number) {
            let outcome = try_system(&system, LIMIT, summary)
                .map_err(|why| format!("system {number} of seed {seed}: {why}\n{}", system.to_json()))?;
            if outcome.verdict == "unknown" && shows_unknown {
                progress(&format!("unknown: system {number}\n{}", system.to_json()));
            }
        }
        Ok(())
    });
    let found = tried.and_then(|summary| Ok((summary, all_planted(seed, planted)?)));
    let (summary, planted) = match found {
        Ok(found) => found,
        Err(why) => {
            page.fail(why);
            return Ok(page);
        }
    };
    page.table(&["verdict", "method", ">requests", ">systems", ">planted"]);
    let mut outcomes: Vec<_> = summary.outcomes.keys().chain(planted.outcomes.keys()).collect();
    outcomes.sort_unstable();
    outcomes.dedup();
    for outcome in outcomes {
        let of = |summary: &Summary| summary.outcomes.get(outcome).copied().unwrap_or(0);
        let (verdict, method, requests) = (outcome.verdict, outcome.method, outcome.requests);
        page.line(format!("| {verdict} | {method} | {requests} | {} | {} |", of(&summary), of(&planted)));
    }
    page.line(format!(
        "\n{} systems; brute force decided {}, and {} were too large for it; the slowest took {} ms. No verdict was wrong.",
        summary.total(),
        summary.compared,
        summary.not_compared,
        summary.slowest.as_millis()
    ));
    let mut json = summary.to_json();
    json["seed"] = seed.into();
    json["planted"] = planted.to_json();
    page.file("verdicts.json", format!("{json:#}\n"));
    Ok(page)
}

fn all_planted(seed: u64, count: u64) -> Result<Summary, String> {
    let mut summary = Summary::default();
    for requests in 5..=8 {
        for number in 0..count {
            try_planted(requests, seed.wrapping_mul(1_000).wrapping_add(number), LIMIT, &mut summary)?;
        }
    }
    Ok(summary)
}
