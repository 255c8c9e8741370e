//! Reachability of markings, against everything else that decides it.

use std::time::Duration;

use serval_soundness::nets::campaign;

use crate::page::Page;

/// Asks about so many nets, and as many counter systems.
pub fn page(count: u64, seed: u64, family_seconds: u64) -> Result<Page, String> {
    let measured = campaign::measured(count, seed, Duration::from_secs(family_seconds));
    let mut page = Page::new("Reachability of markings", measured.about());
    page.line(measured.sections().trim_end());
    page.file("reachability.json", format!("{:#}\n", measured.json()));
    measured.wrong.into_iter().for_each(|wrong| page.fail(wrong));
    Ok(page)
}
