//! Random programs with the ways of synchronizing that people use, right and wrong.

use serval_testkit::random::SplitMix64;

/// What holds the globals.
const HEADER: &str = "var C: 0..3\nvar D: 0..2\nvar E: 0..3\nP := 2\n";

fn data(rng: &mut SplitMix64) -> String {
    let x = rng.pick(&["X", "Y", "X", "Y", "S"]);
    match rng.below(22) {
        0 => format!("{x} := 1 - {x}"),
        1 => format!("a := {x}"),
        2 => format!("{x} := a"),
        3 => format!("{x} := {}", rng.below(3)),
        4 => "a := X + Y".to_owned(),
        5 => format!("if ({x} == {}) {{ {x} := {} }}", rng.below(3), rng.below(3)),
        6 => "if (C < 3) { C := C + 1 }".to_owned(),
        7 => "if (C > 0) { C := C - 1 }".to_owned(),
        8 if rng.chance(15) => "C := C + 1".to_owned(),
        9 => format!("if ({x} == {}) {{ return {} }}", rng.below(2), rng.below(4)),
        10 => format!("{x} := ({x} + 1) % 3"),
        11 if rng.chance(30) => "D := D + 1; yield; D := D - 1".to_owned(),
        8 | 11 => "a := X + Y; yield; b := X + Y".to_owned(),
        12 => format!("a := {x}; yield; {x} := (a + 1) % 3"),
        13 => "if (?) { b := 1 } else { b := 0 }".to_owned(),
        14 => format!("if (a == {x}) {{ {x} := (a + 1) % 2; b := 1 }}"),
        15 => "if (C < 3) { yield; C := C + 1 }".to_owned(),
        16 => "X := (X + b) % 2".to_owned(),
        17 => "if (E < 3) { E := E + 1; b := 2 }".to_owned(),
        18 => "a := E".to_owned(),
        19 => format!("if ({x} < 2) {{ {x} := {x} + 1 }} else {{ {x} := 0 }}"),
        20 => "b := a".to_owned(),
        _ => format!("if ({x} > 0) {{ a := {x} - 1 }}"),
    }
}

fn inner(rng: &mut SplitMix64, most: usize) -> Vec<String> {
    let mut parts = Vec::new();
    for _ in 0..=rng.below(most) {
        if rng.chance(40) {
            parts.push("yield".to_owned());
        }
        parts.push(data(rng));
    }
    if rng.chance(25) {
        parts.push("yield".to_owned());
    }
    parts
}

fn block(rng: &mut SplitMix64) -> Vec<String> {
    let mut body = inner(rng, 3);
    let lock = rng.pick(&["L", "M", "L"]);
    let wrap = |before: &[String], mut body: Vec<String>, after: &[String]| {
        let mut all = before.to_vec();
        all.append(&mut body);
        all.extend_from_slice(after);
        all
    };
    match rng.below(13) {
        0..=3 => wrap(&[format!("lock({lock})")], body, &[format!("unlock({lock})")]),
        4 => wrap(&["await (P > 0)".into(), "P := P - 1".into()], body, &["P := P + 1".into()]),
        5 => wrap(&["await (W == 0)".into(), "R := R + 1".into()], body, &["R := R - 1".into()]),
        6 => wrap(&["await (W == 0 and R == 0)".into(), "W := 1".into()], body, &["W := 0".into()]),
        7 => {
            let x = rng.pick(&["X", "Y"]);
            let (next, guard) = (rng.pick(&["(a + 1) % 3", "1 - a", "a"]), rng.pick(&["a", "a", "b"]));
            vec![format!("d := 0; while (not d) {{ a := {x}; yield; if ({x} == {guard}) {{ {x} := {next}; d := 1 }} }}")]
        }
        8 => {
            let next = rng.pick(&["v + 1", "v + 1", "E + 1", "0"]);
            vec![format!(
                "d := 0; while (not d) {{ v := E; if (v == 3) {{ return 9 }}; a := X; yield; if (E == v) {{ X := 1 - a; E := {next}; d := 1 }} }}"
            )]
        }
        9 => {
            let what = rng.pick(&["STOP := 1", "await (STOP == 1)", "if (STOP == 1) { return 7 }", "await (STOP == 0)"]);
            body.insert(rng.below(body.len() + 1), what.to_owned());
            body
        }
        12 if rng.chance(50) => {
            // What goes out of one comes into the other, in one step or in two.
            let pause = rng.pick(&["", "yield; ", ""]);
            vec![format!("if (X > 0) {{ X := X - 1; {pause}Y := Y + 1 }}"), "a := X + Y".into()]
        }
        10 => vec![format!("await (T == {0}); T := {1}", rng.below(2), 2), "yield".into(), data(rng), format!("T := {}", rng.below(2))],
        11 => {
            let wait = rng.pick(&[
                "while (L == 1) { yield }; L := 1",
                "while (L == 1) { if (?) { return 8 }; yield }; L := 1",
                "if (L == 1) { return 8 }; L := 1",
                "if (? or L == 1) { return 8 }; L := 1",
            ]);
            wrap(&[wait.into()], body, &["L := 0".into()])
        }
        _ => body,
    }
}

/// A program of this seed.
pub(crate) fn synchronized(seed: u64) -> String {
    let rng = &mut SplitMix64::new(seed.wrapping_mul(0x9e37_79b9));
    let mut text = HEADER.to_owned();
    for request in 0..1 + rng.below(3) {
        let mut parts = Vec::new();
        for _ in 0..=rng.below(2) {
            parts.append(&mut block(rng));
        }
        // Sometimes something is where it should not be.
        if rng.chance(35) && parts.len() > 1 {
            let (from, to) = (rng.below(parts.len()), rng.below(parts.len()));
            match rng.below(4) {
                0 => parts.swap(from, to),
                1 => {
                    parts.remove(from);
                }
                2 => parts.insert(from, "yield".to_owned()),
                _ => {
                    let moved = parts.remove(from);
                    parts.insert(to.min(parts.len()), moved);
                }
            }
        }
        parts.push(rng.pick(&["a", "0", "b", "a + b", "X", "C"]).to_owned());
        text.push_str(&format!("request r{request} {{\n  {}\n}}\n", parts.join(";\n  ")));
    }
    text
}
