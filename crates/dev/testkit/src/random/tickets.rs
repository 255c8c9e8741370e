//! Random programs in which requests wait for their turn, or for a flag after which something no longer changes; right
//! and wrong.

use super::rng::SplitMix64;

/// What is done with shared data, in one step or in two.
fn work(rng: &mut SplitMix64) -> String {
    let x = rng.pick(&["A", "B"]);
    match rng.below(7) {
        0 => format!("{x} := 1 - {x}"),
        1 => format!("a := {x}"),
        2 => format!("a := {x}; yield; {x} := 1 - a"),
        3 => format!("{x} := {}", rng.below(2)),
        4 => "a := A; yield; b := B".to_owned(),
        5 => format!("if ({x} == 0) {{ {x} := 1 }} else {{ b := 1 }}"),
        _ => "A := B".to_owned(),
    }
}

/// One to three pieces of work, with pauses.
fn section(rng: &mut SplitMix64) -> Vec<String> {
    let mut parts = Vec::new();
    for _ in 0..1 + rng.below(3) {
        parts.push(work(rng));
        parts.extend(rng.chance(35).then(|| "yield".to_owned()));
    }
    parts
}

/// Now and then something is moved, dropped, doubled or put where it should not be.
fn disturb(rng: &mut SplitMix64, parts: &mut Vec<String>, other: &str) {
    if parts.len() < 2 || !rng.chance(30) {
        return;
    }
    let (from, to) = (rng.below(parts.len()), rng.below(parts.len()));
    match rng.below(5) {
        0 => parts.swap(from, to),
        1 => drop(parts.remove(from)),
        2 => parts.insert(from, other.to_owned()),
        3 => parts.insert(to, parts[from].clone()),
        _ => {
            let moved = parts.remove(from);
            parts.insert(to, moved);
        }
    }
}

fn request(name: &str, parts: &[String], rng: &mut SplitMix64) -> String {
    let answer = rng.pick(&["a", "a + 2 * b", "0", "a", "A"]);
    format!("request {name} {{\n  {};\n  {answer}\n}}\n", parts.join(";\n  "))
}

/// A program with a ticket lock: draw a number, wait until it is called, call the next one.
pub fn random_tickets(seed: u64) -> String {
    let rng = &mut SplitMix64::new(seed ^ 0x71c4_e700);
    let mut text = "var A: 0..1\nvar B: 0..1\n".to_owned();
    if rng.chance(10) {
        let (called, next) = (rng.below(3), rng.below(3));
        text.push_str(&format!("CALLED := {called}\nNEXT := {next}\n"));
    }
    let count = 1 + rng.below(3);
    // In every other program all requests draw, wait and call as they should; what they do else may still be wrong.
    let right = rng.chance(50);
    for name in ["f", "g", "h"].into_iter().take(count) {
        let mut parts = Vec::new();
        let first = |rng: &mut SplitMix64, ways: &[&'static str], good: usize| rng.pick(if right { &ways[..good] } else { ways });
        if !right && rng.chance(10) {
            // Without a ticket.
            parts.push(work(rng));
        } else {
            if !right && rng.chance(15) {
                parts.push(work(rng));
            }
            let draws = [
                "t := NEXT; NEXT := NEXT + 1",
                "t := NEXT; NEXT := NEXT + 1",
                "t := NEXT; NEXT := t + 1",
                "t := NEXT; NEXT := NEXT + 1; yield",
                "t := NEXT; NEXT := NEXT + 1; yield",
                "NEXT := NEXT + 1; t := NEXT - 1",
                "t := NEXT; yield; NEXT := NEXT + 1",
                "t := NEXT; NEXT := NEXT + 2",
                "t := NEXT",
            ];
            let draw = first(rng, &draws, 6);
            // Now and then there are few tickets.
            parts.extend(rng.chance(15).then(|| "await (NEXT < 3)".to_owned()));
            parts.push(draw.to_owned());
            if !right && rng.chance(10) {
                parts
                    .push(rng.pick(&["yield", "if (?) { return 8 }", "t := t + 1", "NEXT := NEXT + 1", "CALLED := CALLED + 1"]).to_owned());
            }
            let waits = [
                "await (CALLED == t)",
                "await (CALLED == t)",
                "while (CALLED != t) { yield }",
                "while (t != CALLED) { yield }",
                "while (CALLED < t) { yield }",
                "await (CALLED >= t)",
                "await (CALLED <= t)",
                "await (CALLED + 1 >= t)",
                "while (CALLED != t) { if (?) { return 7 }; yield }",
            ];
            parts.push(first(rng, &waits, 6).to_owned());
            parts.append(&mut section(rng));
            let calls = [
                "CALLED := CALLED + 1",
                "CALLED := CALLED + 1",
                "CALLED := t + 1",
                "CALLED := CALLED + 1; yield",
                "CALLED := NEXT",
                "if (?) { CALLED := CALLED + 1 }",
            ];
            parts.push(first(rng, &calls, 4).to_owned());
            if !right && rng.chance(10) {
                parts.push(work(rng));
            }
        }
        if !right {
            disturb(rng, &mut parts, "CALLED := CALLED + 1");
        }
        text.push_str(&request(name, &parts, rng));
    }
    text
}

/// A program in which something is put in place, and a flag says so.
pub fn random_flags(seed: u64) -> String {
    let rng = &mut SplitMix64::new(seed ^ 0xf1a6_0000);
    let mut text = "var A: 0..1\nvar B: 0..1\nvar O: 0..2\nvar READY: 0..2\nvar L: 0..1\n".to_owned();
    let count = 1 + rng.below(3);
    for name in ["f", "g", "h"].into_iter().take(count) {
        let pause = rng.pick(&["", "yield; ", "yield; "]);
        let build = rng.pick(&["O := 1", "O := 2", "O := 1 + ?", "O := 1; yield; O := 2", "READY := 1; yield; O := 1"]);
        let raise = rng.pick(&["READY := 1", "READY := 1", "READY := 1", "READY := 1 - READY", "READY := 2"]);
        let mut parts: Vec<String> = match rng.below(7) {
            0 | 1 => vec!["lock(L)".into(), format!("if (READY == 0) {{ {pause}{build}; yield; {raise} }}"), "unlock(L)".into()],
            2 => vec!["await (READY == 1)".into(), "yield".into(), "a := O".into(), "yield".into(), "b := O".into()],
            3 => vec!["if (READY == 0) { return 9 }".into(), pause.replace("; ", ""), "a := O".into(), "yield".into(), "b := O".into()],
            4 => vec![
                "if (READY == 1) { return O }".into(),
                "while (L == 1) { yield }".into(),
                "L := 1".into(),
                "yield".into(),
                format!("if (READY == 0) {{ {build}; yield; {raise} }}"),
                "L := 0".into(),
                "a := O".into(),
            ],
            5 => vec!["await (READY == 1)".into(), work(rng), pause.replace("; ", ""), "b := O".into()],
            _ => vec!["lock(L)".into(), work(rng), "unlock(L)".into()],
        };
        parts.retain(|part| !part.is_empty());
        if rng.chance(10) {
            parts.push(rng.pick(&["READY := 0", "O := 0", "O := 2", "READY := 1"]).to_owned());
        }
        disturb(rng, &mut parts, "yield");
        text.push_str(&request(name, &parts, rng));
    }
    text
}
