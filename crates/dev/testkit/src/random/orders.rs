//! Random programs in which a number counts rows in a state, such as orders that are paid; right and wrong.

use super::rng::SplitMix64;

/// What a state counts, by its number; the first counts nothing mostly.
type Worth = [i64; 3];

/// A step of a row from one state to another, with what the number gains by it; now and then one of the three is wrong.
fn turn(rng: &mut SplitMix64, worth: Worth, row: &str) -> String {
    let (from, to) = (rng.below(3), rng.below(3));
    let right = !rng.chance(7);
    let gain = worth[to] - worth[from] + if right { 0 } else { rng.pick(&[-1, 1, 2]) };
    let change = match gain {
        0 => String::new(),
        gain if gain < 0 => format!("; PAID := PAID - {}", -gain),
        gain => format!("; PAID := PAID + {gain}"),
    };
    let pause = if rng.chance(6) { "; yield" } else { "" };
    let set = format!("{row} := {to}{pause}{change}; a := 1");
    match rng.below(if right { 12 } else { 16 }) {
        0..=8 => format!("if ({row} == {from}) {{ {set} }}"),
        9 | 10 => format!("if ({row} == {from} and ?) {{ {set} }}"),
        11 => format!("if ({row} != {from}) {{ a := 2 }} else {{ {set} }}"),
        12 => format!("if ({row} >= {from}) {{ {set} }}"),
        13 => format!("if (PAID > 0) {{ {set} }}"),
        14 => set,
        _ => format!("if ({row} < 2) {{ {row} := {row} + 1{change}; a := 1 }}"),
    }
}

/// A program with two or three rows, each in one of three states, and a number that counts them.
pub fn random_orders(seed: u64) -> String {
    let rng = &mut SplitMix64::new(seed ^ 0x0bde_0000);
    let rows = 2 + rng.below(2);
    let worth: Worth = *rng.pick(&[&[0, 1, 0], &[0, 1, 0], &[0, 1, 1], &[0, 0, 1], &[0, 1, 2], &[0, 2, 1]]);
    let most = worth.iter().max().copied().unwrap_or(1);
    // Just enough, or one too few.
    let room = i64::try_from(rows).unwrap_or(3) * most - i64::from(rng.chance(5));
    let start = if rng.chance(5) { " := 1" } else { "" };
    let mut text = format!("var State[0..{}]: 0..2\nvar PAID: 0..{room}{start}\nvar L: 0..1\n", rows - 1);
    let locked = rng.chance(75);
    for name in ["f", "g", "h"].into_iter().take(1 + rng.below(3)) {
        let by_row = rng.chance(70);
        let row = if by_row { "State[o]".to_owned() } else { format!("State[{}]", rng.below(rows)) };
        let mut parts: Vec<String> = Vec::new();
        if rng.chance(20) {
            parts.push("a := PAID".to_owned());
        } else {
            parts.push(turn(rng, worth, &row));
            if rng.chance(25) {
                parts.push("yield".to_owned());
                parts.push(turn(rng, worth, &row));
            }
        }
        if locked {
            parts.insert(0, "lock(L)".to_owned());
            parts.push("unlock(L)".to_owned());
            if rng.chance(50) {
                parts.insert(1, "yield".to_owned());
            }
            if rng.chance(6) {
                let (from, to) = (rng.below(parts.len()), rng.below(parts.len()));
                parts.swap(from, to);
            }
        }
        let parameters = if by_row { format!("(o: 0..{})", rows - 1) } else { String::new() };
        text.push_str(&format!("request {name}{parameters} {{\n  a := 0;\n  {};\n  a\n}}\n", parts.join(";\n  ")));
    }
    text
}
