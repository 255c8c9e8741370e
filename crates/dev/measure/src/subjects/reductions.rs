//! The reduction rules on random systems, against brute force.

use serval_engine::reduce::RULES;
use serval_proof::script::Side;
use serval_soundness::Merge;
use serval_soundness::requests::reductions::movers::MoverCondition;
use serval_soundness::requests::reductions::{Effort, ReductionFailure, Tally, TallyRow, try_chases, try_systems};
use serval_soundness::threads::tallied;

use super::THREADS;
use crate::page::Page;

const EFFORT: Effort = Effort { ticks: 20_000, steps: 100, drawn: 1 };

/// How often each rule has to change something, for each 20,000 systems.
const FIRED: u64 = 500;

/// So many searches find something wrong without each part of the weaker last condition.
const CHASES: u64 = 2_000;

const ABOUT: &str = "\
Each rule is applied alone to the normal form of random systems and to what a few other rules in any order leave of it.
*Fired*: it changed something. *Compared*: the completed multisets of what it left are those of the system, interleaved
and serial, with up to four requests, or three where four take too long; and, unless global states were merged, the
global states at the ends of runs, with up to three requests. *Skipped*: trying everything takes too long. *Drawn*:
entries of scripts that no finder proposed, drawn at random, and that the checker accepts. The checker accepted every
script, and the engine found each twice. *Movers made to lose answers*: as many times as there are systems a search
looks, on each side, for a system with a set whose mover loses the answers of a run, by completing a system until all
steps can be exchanged: with all conditions, and without each part of the weaker last condition.";

/// Tries so many systems, and as many searches.
pub fn page(count: u64, seed: u64) -> Result<Page, String> {
    let mut page = Page::new("Reductions against brute force", ABOUT);
    let tried = tallied(THREADS, count, |number, tally: &mut Tally| -> Result<(), Box<ReductionFailure>> {
        tally.absorb(try_systems([number], seed, EFFORT)?);
        tally.absorb(try_chases([number], seed, EFFORT.ticks)?);
        Ok(())
    });
    let mut tally = match tried {
        Ok(tally) => tally,
        Err(failure) => {
            let name = failure.source();
            let ReductionFailure { number, system, difference, .. } = *failure;
            page.fail(format!("{name} system {number} of seed {seed}: {difference}\n{}", system.to_json()));
            return Ok(page);
        }
    };
    tally.tables().iter().for_each(|line| page.line(line));
    // Each part of the weaker last condition must be seen to be needed.
    for side in [Side::Right, Side::Left] {
        for (part, refused) in MoverCondition::ALL.into_iter().zip(tally.hunts(side).refused) {
            if count >= CHASES && refused == 0 {
                page.fail(format!("no answer was lost without {}", part.condition()));
            }
        }
    }
    let needed = FIRED * count / 20_000;
    for row in RULES.iter().map(|&rule| TallyRow::Found(rule)).filter(|&row| tally.fired(row) < needed) {
        page.fail(format!("{} fired fewer than {needed} times", row.name()));
    }
    Ok(page)
}
