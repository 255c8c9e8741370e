//! Random programs in which a request looks at something before it takes the lock, and looks again when it has it;
//! right and wrong.

use super::rng::SplitMix64;

/// What is answered, or done, where the object is there.
const THERE: [&str; 7] = ["return O", "return O", "return 5", "return 3 + O", "B := 1; return O", "return O + B", "return a"];

/// How the lock is taken; in most programs it is.
const TAKE: [&str; 6] =
    ["while (L == 1) { yield }; L := 1", "await (L == 0); L := 1", "lock(L)", "lock(L)", "yield; lock(L)", "yield; lock(L); yield"];

/// A request that looks twice. Mostly it does the same when it finds the object at last as when it had found it at
/// first.
fn looks_twice(rng: &mut SplitMix64) -> String {
    let there = rng.pick(&THERE);
    let flag = rng.pick(&["READY == 1", "READY == 1", "READY != 0", "READY > 0"]);
    let first = match rng.below(10) {
        0 => format!("if ({flag} and B == 0) {{ {there} }}"),
        1 => format!("if ({flag}) {{ if (B == 1) {{ {there} }}; return 8 }}"),
        _ => format!("if ({flag}) {{ {there} }}"),
    };
    // Something may be read on the way, to be used later.
    let way = rng.pick(&["", "", "a := A; ", "a := O; ", "a := 1; ", "a := READY; "]);
    let pause = rng.pick(&["yield; ", "yield; ", ""]);
    let take = if rng.chance(92) { rng.pick(&TAKE) } else { "yield" };
    let found = if rng.chance(75) { there } else { rng.pick(&THERE) };
    let again = match rng.below(12) {
        0 => "B == 1",
        1 => "1 == 1",
        2 => "O != 0",
        _ => flag,
    };
    let build =
        rng.pick(&["O := 1", "O := 1; yield; O := 2", "O := 1 + ?", "yield; O := 2", "B := a; O := 1", "READY := 1; yield; O := 1"]);
    let raise = rng.pick(&["READY := 1", "READY := 1", "READY := 1", "READY := 2"]);
    let answer = rng.pick(&["5", "O", "6", "a", "O + B"]);
    let other = rng.pick(&["yield; ", "yield; ", ""]);
    format!("{first};\n  {way}{pause}{take};\n  {other}if ({again}) {{ L := 0; {found} }};\n  {build}; {other}{raise}; L := 0;\n  {answer}")
}

/// What others do with the object, the flag and the rest.
fn beside(rng: &mut SplitMix64) -> String {
    let body = rng.pick(&[
        "if (READY == 1) { return O }; 9",
        "if (READY == 0) { return 9 }; yield; O",
        "await (READY == 1); a := O; yield; a + O",
        "lock(L); READY := 0; yield; O := 0; unlock(L); 0",
        "lock(L); O := 2; unlock(L); 0",
        "A := 1 - A; A",
        "if (READY == 1) { B := 1 - B }; B",
        "lock(L); a := O; yield; b := O; unlock(L); a + 3 * b",
        "READY := 1; 0",
        "READY := 0; 0",
        "L",
    ]);
    body.to_owned()
}

/// A program in which requests look twice.
pub fn random_looks(seed: u64) -> String {
    let rng = &mut SplitMix64::new(seed ^ 0x1007_5000);
    let mut text = "var A: 0..1\nvar B: 0..2\nvar O: 0..2\nvar READY: 0..2\nvar L: 0..1\n".to_owned();
    let count = 1 + rng.below(3);
    for name in ["f", "g", "h"].into_iter().take(count) {
        let body = if name == "f" || rng.chance(30) { looks_twice(rng) } else { beside(rng) };
        text.push_str(&format!("request {name} {{\n  {body}\n}}\n"));
    }
    text
}
