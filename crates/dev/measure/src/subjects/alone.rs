//! Each method alone on random systems, against brute force.

use serval_soundness::requests::alone::{Sole, Tally, try_alone};
use serval_soundness::threads::tallied;
use serval_soundness::{Kind, Limit};

use super::THREADS;
use crate::page::Page;

/// For one system and method: what a method decides at all, it decides early, and a verdict that is wrong is no better
/// for coming soon.
const LIMIT: Limit = Limit::Looks(5_000);

/// Tries so many systems with each method, a quarter of them of each kind.
pub fn page(methods: &[Sole], count: u64, seed: u64) -> Result<Page, String> {
    let methods = if methods.is_empty() { Sole::all() } else { methods.to_vec() };
    let mut page = Page::new(
        "Each method alone",
        "The checker accepted every proof, and brute force with up to four requests found nothing against it; the checker\n\
         followed every run.",
    );
    let tried = tallied(THREADS, count.div_ceil(4), |number, tally: &mut Tally| {
        let own = seed.wrapping_mul(0x1_0000_0000).wrapping_add(number);
        Kind::ALL.into_iter().try_for_each(|kind| try_alone(&methods, kind, own, LIMIT, tally))
    });
    let tally = match tried {
        Ok(tally) => tally,
        Err(why) => {
            page.fail(why);
            return Ok(page);
        }
    };
    page.table(&["method", "kind", ">proved", ">refuted", ">unknown"]);
    for &sole in &methods {
        for kind in Kind::ALL {
            let figures = tally.figures.get(&(sole, kind)).copied().unwrap_or_default();
            let (proved, refuted, unknown) = (figures.proved, figures.refuted, figures.unknown);
            page.line(format!("| {} | {} | {proved} | {refuted} | {unknown} |", sole.name(), kind.name()));
        }
    }
    let (compared, not) = (tally.compared, tally.not_compared);
    page.line(format!("\nBrute force decided {compared} systems; {not} were too large for it. No verdict was wrong."));
    Ok(page)
}
