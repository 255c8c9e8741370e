//! Random programs whose requests take rows of arrays as their parameters say, right and wrong.
//!
//! Most requests lock one row, a row and the next, or any two, in the order of their numbers, look at them and change
//! them, and give them back. Some give a lock back too early, take it too late, or wait at the wrong place.

use super::rng::SplitMix64;

/// What a request does with the rows `i` and `j`, which are text such as `i` and `i + 1`.
fn work(rng: &mut SplitMix64, i: &str, j: &str) -> String {
    let (x, y) = (rng.pick(&[i, i, j]), rng.pick(&[i, j]));
    match rng.below(10) {
        0 => format!("X[{x}] := 1 - X[{x}]"),
        1 => format!("a := X[{x}]"),
        2 => format!("X[{x}] := a"),
        3 => format!("a := X[{x}]; yield; X[{x}] := 1 - a"),
        4 => format!("if (X[{x}] == 0) {{ X[{y}] := 1 }}"),
        5 => "yield".to_owned(),
        6 => format!("X[{x}] := X[{y}]"),
        7 => format!("b := X[{x}] + X[{y}]"),
        8 => "S := 1 - S".to_owned(),
        _ => format!("X[{x}] := {}", rng.below(2)),
    }
}

/// Which rows a request takes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rows {
    One,
    Neighbours,
    Any,
}

fn request(rng: &mut SplitMix64, name: &str, rows: usize) -> String {
    let taken = rng.pick(&[Rows::One, Rows::One, Rows::Neighbours, Rows::Neighbours, Rows::Neighbours, Rows::Any]);
    let (i, j) = match taken {
        Rows::One => ("i", "i"),
        Rows::Neighbours => ("i", "i + 1"),
        Rows::Any => ("i", "j"),
    };
    let two = taken != Rows::One;
    let common = rng.chance(15);
    let lock = |row: &str| if common { "lock(M)".to_owned() } else { format!("lock(L[{row}])") };
    let unlock = |row: &str| if common { "unlock(M)".to_owned() } else { format!("unlock(L[{row}])") };
    let mut parts: Vec<String> = Vec::new();
    let locked = rng.chance(85);
    let second = locked && two && !common && rng.chance(90);
    if locked {
        parts.push(lock(i));
        if second && rng.chance(70) {
            parts.push("yield".to_owned());
        }
        parts.extend(second.then(|| lock(j)));
    }
    for _ in 0..1 + rng.below(3) {
        parts.push(work(rng, i, j));
        if rng.chance(30) {
            parts.push("yield".to_owned());
        }
    }
    if locked {
        let early = rng.chance(10);
        let at = if early { 1 + rng.below(parts.len() - 1) } else { parts.len() };
        parts.insert(at, unlock(i));
        if second {
            parts.extend(rng.chance(30).then(|| "yield".to_owned()));
            parts.push(unlock(j));
        }
    }
    // Something is not where it should be.
    if rng.chance(12) && parts.len() > 1 {
        let moved = parts.remove(rng.below(parts.len()));
        parts.insert(rng.below(parts.len() + 1), moved);
    }
    let (body, last) = (parts.join(";\n  "), rows - 1);
    match taken {
        Rows::One => format!("request {name}(i: 0..{last}) {{\n  {body};\n  a + 2 * b\n}}\n"),
        Rows::Neighbours => format!("request {name}(i: 0..{}) {{\n  {body};\n  a + 2 * b\n}}\n", last - 1),
        Rows::Any => format!("request {name}(i: 0..{last}, j: 0..{last}) {{\n  if (i >= j) {{ return 9 }};\n  {body};\n  a + 2 * b\n}}\n"),
    }
}

/// A program with three or four rows, one to three requests with parameters, and maybe one without.
pub fn random_rows(seed: u64) -> String {
    let rng = &mut SplitMix64::new(seed ^ 0x2035);
    let rows = rng.pick(&[3, 4, 4]);
    let last = rows - 1;
    let mut text = format!("var X[0..{last}]: 0..1\nvar L[0..{last}]: 0..1\n");
    if rng.chance(10) {
        text.push_str("var S: 0..1\nvar M: 0..1\n");
    }
    let count = rng.pick(&[1, 2, 2, 3]);
    for name in ["f", "g", "h"].into_iter().take(count) {
        text.push_str(&request(rng, name, rows));
    }
    // Enough of the same that few can stand for all.
    if count < 3 {
        text.push_str(&format!("request look(i: 0..{last}) {{ lock(L[i]); yield; a := X[i]; unlock(L[i]); a }}\n"));
    }
    if rng.chance(20) {
        text.push_str(&format!("request one {{ lock(L[{0}]); X[{0}] := 1; unlock(L[{0}]); 7 }}\n", rng.below(rows)));
    }
    text
}
