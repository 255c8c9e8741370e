//! Random programs whose requests take rows of arrays as their parameters say, right and wrong.

use serval_testkit::random::SplitMix64;

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

fn request(rng: &mut SplitMix64, name: &str, rows: usize) -> String {
    let two = rng.chance(60);
    let (last, i, j) = if two { (rows - 2, "i", "i + 1") } else { (rows - 1, "i", "i") };
    let mut parts: Vec<String> = Vec::new();
    let common = rng.chance(15);
    let locked = rng.chance(85);
    let lock = |row: &str| if common { "lock(M)".to_owned() } else { format!("lock(L[{row}])") };
    let unlock = |row: &str| if common { "unlock(M)".to_owned() } else { format!("unlock(L[{row}])") };
    if locked {
        parts.push(lock(i));
        if two && !common && rng.chance(90) {
            parts.push("yield".to_owned());
            parts.push(lock(j));
        }
    }
    for _ in 0..1 + rng.below(3) {
        parts.push(work(rng, i, j));
        if rng.chance(30) {
            parts.push("yield".to_owned());
        }
    }
    if locked {
        let early = rng.chance(10);
        if early {
            let at = 1 + rng.below(parts.len() - 1);
            parts.insert(at, unlock(i));
        } else {
            parts.push(unlock(i));
        }
        if two && !common && parts.iter().any(|part| *part == lock(j)) {
            if rng.chance(30) {
                parts.push("yield".to_owned());
            }
            parts.push(unlock(j));
        }
    }
    format!("request {name}(i: 0..{last}) {{\n  {};\n  a + 2 * b\n}}\n", parts.join(";\n  "))
}

/// A program with three or four rows, three requests with parameters, and maybe one without.
pub(crate) fn with_rows(seed: u64) -> String {
    let rng = &mut SplitMix64::new(seed);
    let rows = 3 + rng.below(2);
    let last = rows - 1;
    let mut text = format!("var X[0..{last}]: 0..1\nvar L[0..{last}]: 0..1\n");
    if rng.chance(10) {
        text.push_str("var S: 0..1\nvar M: 0..1\n");
    }
    for name in ["f", "g", "h"] {
        text.push_str(&request(rng, name, rows));
    }
    if rng.chance(20) {
        text.push_str(&format!("request one {{ lock(L[{0}]); X[{0}] := 1; unlock(L[{0}]); 7 }}\n", rng.below(rows)));
    }
    text
}
