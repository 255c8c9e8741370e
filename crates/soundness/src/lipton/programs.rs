//! The programs on which proofs are tried.

use serval_families::FAMILIES;
use serval_model::SplitMix64;
use serval_testkit::random::{Shape, random_program, random_sections};

use crate::edits;

/// The program of a seed and a number, and where it comes from.
///
/// Of ten programs five are made of sections, three are such programs or
/// programs of families after one to three edits, one is of a family of which
/// single statements are edited more often, and one is any random program.
pub fn program(seed: u64, number: u64) -> (&'static str, String) {
    let own = seed.wrapping_mul(0x1_0000_0000).wrapping_add(number);
    let mut random = SplitMix64::new(own ^ 0x11b7_0e5e);
    match number % 10 {
        0..=4 => ("sections", random_sections(own)),
        5 | 6 => ("sections, edited", edited(random_sections(own), &mut random)),
        7 | 8 => ("families, edited", edited(family(&mut random), &mut random)),
        _ => ("any", random_program(own, Shape::ALL[random.index(Shape::ALL.len())])),
    }
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
