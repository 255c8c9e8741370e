//! Locks that requests take in order to add something: never a proof where another use of the lock makes it wrong.
//!
//! Counters under locks with readers, those who take the lock for more, and flaws: a lock that is not taken, given back
//! early or asked for, sums that are no sums, or turned in several ways.

use std::sync::Arc;

use serval_budget::Budget;
use serval_compile::{Options, Prepared};
use serval_lipton_engine::prove;
use serval_model::SplitMix64;
use serval_proof::{LockedAddition, Reduction, Refusal};
use serval_syntax::analyze;
use serval_testkit::say;

use crate::soundness::{Truth, truth};

/// One of these, and the first of them where nothing is flawed.
struct Drawn {
    draw: SplitMix64,
    flawed: bool,
}

impl Drawn {
    fn pick(&mut self, choices: &[&'static str]) -> &'static str {
        choices[self.draw.index(choices.len())]
    }

    /// The first part, or now and then another one.
    fn flaw(&mut self, parts: &[&'static str]) -> [&'static str; 2] {
        let other = if self.flawed && self.draw.chance(10) { parts[self.draw.index(parts.len())] } else { parts[0] };
        [other, parts[0]]
    }

    /// A request that adds, as drawn and without flaws.
    fn adder(&mut self, name: usize) -> [String; 2] {
        let before = self.pick(&["", "y := Y; yield;", "y := Y; yield;", "y := Y; yield;", "y := Y; yield;", "y := Y; yield;"]);
        let outer = self.draw.chance(40) && !before.is_empty();
        let (take, give) = if outer { ("lock(S);", "unlock(S);") } else { ("", "") };
        let amount = self.pick(&["1", "1", "2", "y", "y + 1"]);
        let amount = if before.contains("y :=") || !amount.contains('y') { amount } else { "1" };
        let answer = match before {
            "" => "7",
            _ => "y",
        };
        let lock = self.flaw(&["lock(L);", "", "if (L == 1) { return 9 }; L := 1;", "await (L == 0);", "lock(L); lock(M);"]);
        let turn = self.flaw(&["% 3", "% 3", "% 2", "* 2 % 3"]);
        let within = self.pick(&["yield;", "yield;", "yield; yield;", "yield; y := Y; yield;"]);
        let within = if before.contains("y :=") { "yield;" } else { within };
        let spoilt = self.flaw(&["", "v := (v + 1) % 3;", "v := Y;", "yield; v := (X + 1) % 3;", "z := v; yield; v := z;"]);
        let early = self.flaw(&["", "X := v; yield;", "unlock(L); yield;", "Y := v % 2;"]);
        let second = self.draw.chance(25);
        let other = if second { "lock(M); w := (Z + 1) % 2; yield;" } else { "" };
        let write = if second { "Z := w; unlock(M);" } else { "" };
        let told = self.flaw(&[answer, answer, "v"]);
        [0, 1].map(|which| {
            format!(
                "request add{name} {{ y := 0; {take} {before} {} v := (X + {amount}) {}; {within} {} {} {other} X := v; unlock(L); {write} {give} {} }}\n",
                lock[which], turn[which], spoilt[which], early[which], told[which]
            )
        })
    }

    fn other(&mut self, name: usize) -> [String; 2] {
        let bodies = [
            "Y := 1 - Y; 5",
            "Y := 1 - Y; 5",
            "lock(S); lock(L); x := X; yield; X := 0; unlock(L); unlock(S); x",
            "lock(M); z := Z; yield; Z := 1 - z; unlock(M); 3",
            "lock(L); X := (X + 1) % 3; unlock(L); 4",
        ];
        let body = bodies[self.draw.index(bodies.len())];
        let flaws = [
            "x := X; X := 2; x",
            "L",
            "if (L == 1) { 1 } else { 0 }",
            "L := 0; 0",
            "await (L == 1); 0",
            "3 * X + Y",
            "x := X; yield; X := x; 0",
        ];
        let own = if self.flawed && self.draw.chance(60) { flaws[self.draw.index(flaws.len())] } else { body };
        [own, body].map(|body| format!("request other{name} {{ {body} }}\n"))
    }
}

/// A program, and the same without flaws.
fn drawn(seed: u64) -> [String; 2] {
    let mut draw = SplitMix64::new(seed);
    let flawed = draw.chance(60);
    let mut drawn = Drawn { draw, flawed };
    let adders = 1 + drawn.draw.index(2);
    let mut parts: Vec<[String; 2]> = (0..adders).map(|name| drawn.adder(name)).collect();
    parts.extend((adders..3).map(|name| drawn.other(name)));
    [0, 1].map(|which| {
        let requests: String = parts.iter().map(|part| part[which].as_str()).collect();
        format!("var X: 0..2\nvar Y: 0..1\nvar Z: 0..1\nvar L: 0..1\nvar M: 0..1\nvar S: 0..1\n{requests}")
    })
}

fn prepared(text: &str) -> Option<Arc<Prepared>> {
    Some(Arc::new(Prepared::new(&analyze(text).program?, Options::default())))
}

fn accepted(prepared: &Prepared, reduction: &Reduction) -> Result<(), Refusal<()>> {
    serval_lipton_proof::check(prepared, reduction, &mut Budget::ticks(50_000_000))
}

/// A proof with something else in an addition, or with another addition.
fn changed(reduction: &Reduction, draw: &mut SplitMix64) -> Reduction {
    let mut changed = reduction.clone();
    let mut number = |most: usize| u32::try_from(draw.index(most)).unwrap();
    let range = (1 + number(9), 1 + number(9));
    let range = (range.0.min(range.1), range.0.max(range.1));
    let own = LockedAddition { lock: number(6), held: vec![range], points: vec![range], sums: vec![(number(6), number(5))] };
    let (field, post) = (number(7), number(9));
    let Some(addition) = changed.additions.first_mut().filter(|_| field > 0) else {
        changed.additions.push(own);
        return changed;
    };
    match field {
        1 => addition.held = own.held,
        2 => addition.points = own.points,
        3 => addition.sums = own.sums,
        4 => addition.lock = own.lock,
        5 => changed.post = vec![(post + 1, 9)],
        _ => drop(changed.additions.pop()),
    }
    changed
}

#[test]
fn additions_under_locks_are_proved_only_where_they_are_serializable() {
    let sweep = serval_effort::sweep("lipton.additions", 240, 20_000);
    let each = sweep.map(0, |seed| {
        let [text, whole] = drawn(seed);
        let Some(own) = prepared(&text) else { return [0_u64; 5] };
        let truth = truth(&own, 3);
        let is_wrong = matches!(truth, Truth::NotSerializable | Truth::Error(_));
        let mut others: Vec<Reduction> = Vec::new();
        let mut proved = false;
        if let Ok(found) = prove(&own, &mut Budget::ticks(5_000_000)) {
            assert_eq!(accepted(&own, &found.reduction), Ok(()), "seed {seed}\n{text}");
            assert!(!is_wrong, "seed {seed}: {truth:?}\n{text}\n{:?}", found.reduction);
            proved = !found.reduction.additions.is_empty();
            others.push(found.reduction);
        }
        if let Some(found) = prepared(&whole).filter(|_| text != whole).and_then(|whole| prove(&whole, &mut Budget::ticks(5_000_000)).ok())
        {
            others.push(found.reduction);
        }
        let forged = u64::from(is_wrong && others.iter().any(|other| !other.additions.is_empty()));
        let draw = &mut SplitMix64::new(seed);
        let more: Vec<Reduction> = others.iter().flat_map(|other| (0..6).map(|_| changed(other, draw)).collect::<Vec<_>>()).collect();
        let (mut tried, mut valid) = (0, 0);
        for other in others.iter().chain(&more) {
            tried += 1;
            let is_accepted = accepted(&own, other).is_ok();
            valid += u64::from(is_accepted && !other.additions.is_empty());
            assert!(!is_accepted || !is_wrong, "seed {seed}: {truth:?}\n{text}\n{other:?}");
        }
        [u64::from(proved), u64::from(is_wrong), forged, tried, valid]
    });
    let [proved, wrong, forged, tried, valid] = [0, 1, 2, 3, 4].map(|which| each.iter().map(|one| one[which]).sum::<u64>());
    say(&format!("additions: {proved} proved so, {wrong} wrong, {forged} of them with another's proof, {valid} of {tried} proofs valid"));
    if sweep.is_representative() {
        assert!(proved * 20 > sweep.count() && wrong * 5 > sweep.count() && forged * 100 > sweep.count());
    }
}
