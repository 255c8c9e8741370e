//! What a check costs, in ticks, is on record: for each certificate of the
//! record the least number with which it is accepted.
//!
//! Caps are a promise to users: what a certificate can cost is bounded because
//! all work is counted, and what the caps let through today they should let
//! through tomorrow. A rule that counted otherwise, or forgot to count, would
//! accept and refuse just the same, and no other test would say so. Where a
//! price changes for a reason, `SERVAL_UPDATE=1` writes the record anew.

use std::fmt::Write;

use serval_budget::Cancel;

use super::record::{directory, genuine};
use crate::{Caps, Certificate, Refusal, Systems, check};

/// The least number of ticks that is enough.
fn price(enough: impl Fn(u64) -> bool) -> u64 {
    let (mut too_few, mut plenty) = (0, 1);
    while !enough(plenty) {
        (too_few, plenty) = (plenty, plenty * 2);
        assert!(plenty < 1 << 24, "this costs too much");
    }
    while plenty - too_few > 1 {
        let middle = u64::midpoint(too_few, plenty);
        *(if enough(middle) { &mut plenty } else { &mut too_few }) = middle;
    }
    plenty
}

#[test]
fn a_check_costs_what_is_on_record() {
    let mut prices = String::new();
    for (name, text, systems, certificate) in genuine() {
        let certificate = Certificate::from_json(&certificate).unwrap();
        let input = Systems { text: &text, systems: systems.iter().collect() };
        let price = price(|ticks| match check(&input, &certificate, &Caps { ticks, ..Caps::default() }, &Cancel::new()) {
            Ok(()) => true,
            Err(Refusal::TooLarge { what: "ticks of work", .. }) => false,
            Err(other) => panic!("{name}: {other}"),
        });
        let _ = writeln!(prices, "{name} {price}");
    }
    let path = directory().join("prices.txt");
    if std::env::var_os("SERVAL_UPDATE").is_some() {
        std::fs::write(&path, &prices).unwrap();
    }
    let known = std::fs::read_to_string(&path).unwrap();
    for (now, before) in prices.lines().zip(known.lines()) {
        assert_eq!(now, before, "a check costs something else than is on record");
    }
    assert_eq!(prices.lines().count(), known.lines().count());
}
