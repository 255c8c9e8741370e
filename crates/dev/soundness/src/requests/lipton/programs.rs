//! The programs on which proofs are tried.

use serval_families::FAMILIES;
use serval_model::SplitMix64;
use serval_testkit::random::{
    Shape, random_flags, random_looks, random_orders, random_program, random_rows, random_sections, random_tickets,
};

use crate::requests::edits;

/// The program of a seed and a number, and where it comes from.
///
/// Of twenty programs three are made of sections, three have rows that parameters
/// name, two a lock with tickets, two a flag after which something is fixed, two a number that counts rows, in three
/// a request looks at a flag twice, four are
/// such programs or programs of families after one to three edits, and one is
/// any random program.
pub fn program(seed: u64, number: u64) -> (&'static str, String) {
    let own = seed.wrapping_mul(0x1_0000_0000).wrapping_add(number);
    let mut random = SplitMix64::new(own ^ 0x11b7_0e5e);
    match number % 20 {
        0..=2 => ("sections", random_sections(own)),
        3 | 4 => ("orders", random_orders(own)),
        5..=7 => ("rows", random_rows(own)),
        8 | 9 => ("tickets", random_tickets(own)),
        10 | 11 => ("flags", random_flags(own)),
        12..=14 => ("looks", random_looks(own)),
        15 | 16 => ("edited", edited(any_of(own, &mut random), &mut random)),
        17 | 18 => ("families, edited", edited(family(&mut random), &mut random)),
        _ => ("any", random_program(own, Shape::ALL[random.index(Shape::ALL.len())])),
    }
}

/// A program with reasons to be serializable.
fn any_of(own: u64, random: &mut SplitMix64) -> String {
    let makers = [random_sections, random_orders, random_rows, random_tickets, random_flags, random_looks];
    makers[random.index(makers.len())](own)
}

/// A program of a family, of a size at which all can be tried.
fn family(random: &mut SplitMix64) -> String {
    let family = &FAMILIES[random.index(FAMILIES.len())];
    family.program(2 + random.index(2))
}

/// The text after one to three edits, each of which leaves a program if it can.
fn edited(text: String, random: &mut SplitMix64) -> String {
    let mut text = text;
    for _ in 0..=random.index(3) {
        let next = edits::of(&text, 3, random).into_iter().find(|edited| serval_syntax::analyze(edited).program.is_some());
        text = next.unwrap_or(text);
    }
    text
}
