//! A counter system that doubles weakly (Hopcroft and Pansiot).
//!
//! One state moves tokens of the first counter to the second, the other one moves them back and makes two of each; a
//! round of both is counted by the third counter. After `z` rounds the first two counters have at most `2^z` together,
//! each number from `z`-fold doubling of what was moved, and never more. Where a fourth counter may rise and fall,
//! there are infinitely many markings before and behind every marking.

/// A counter system, and two markings: one that can be reached, and one that cannot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doubling {
    /// The system, as a text.
    pub text: String,
    /// `2^z` after `z` rounds, as a property.
    pub reachable: String,
    /// One more, which cannot be.
    pub unreachable: String,
}

/// The system, asked about `z` rounds, from 0 to 62; with or without a counter that rises and falls freely.
pub fn hopcroft_pansiot(z: u32, free: bool) -> Doubling {
    let most = 1_u64 << z.min(62);
    let zero = if free { ", 0" } else { "" };
    let mut text = format!(
        "# c1 moves to c2, comes back doubled, and c3 counts the rounds\nstate p (1, 0, 0{zero})\np -> p (-1, 1, 0{zero}) move\np -> q (0, 0, 0{zero}) there\n\
         q -> q (2, -1, 0{zero}) double\nq -> p (0, 0, 1{zero}) back\n"
    );
    if free {
        text.push_str("p -> p (0, 0, 0, 1) more\nq -> q (0, 0, 0, 1) more_too\np -> p (0, 0, 0, -1) less\n");
    }
    let property = |tokens: u64| format!("reaches:p = 1, c1 = {tokens}, c3 = {z}");
    Doubling { text, reachable: property(most), unreachable: property(most + 1) }
}
