//! Each condition under which few bodies stand for many is needed, and each part of it.
//!
//! Most programs here have a request `a` that looks twice at `D`, a request `b` that changes `D`, and a request `c`
//! that brings the two together. In the program itself all three share their variables, and two looks differ. Those
//! that stand for them share only two by two, and for each two there is a reason why nothing happens, which is no
//! longer one where there are all three.

use serval_budget::Budget;
use serval_proof::{Bounds, Condition, Count, Doom, Group, Owner, Reduction, Refusal, Sum};

use super::conditions::{LOST_UPDATE, bits, checked, global, is_wrong, needs, prepared};
use super::switch::without;
use crate::check::{phases, transformed};
use crate::facts::Facts;
use crate::rows::{Bodies, Claimed, Unlike, unlike_facts};

/// Looks at `D` for the second time.
pub(super) const AGAIN: &str = "if (x == D) { 1 } else { 2 }";
/// Looks at `D`. It is written, too, as a variable that is never written would be a number in the graph.
pub(super) const LOOK: &str = "x := D; D := x";
pub(super) const NEVER: &str = "while (1) { 1 }";

/// Requests by name, in groups that share variables: `#` in a declaration and the names of variables in a body get the
/// number of the group.
pub(super) struct Groups {
    pub(super) text: String,
    names: Vec<String>,
}

impl Groups {
    /// The last group is the one that no body stands for by itself.
    pub(super) fn new(variables: &[(&str, &str)], bodies: &[(char, &str)], groups: &[&str]) -> Self {
        let mut text = String::new();
        for group in 0..groups.len() {
            variables.iter().for_each(|(name, declared)| text.push_str(&format!("var {name}{group}: {declared}\n")));
        }
        let mut names = Vec::new();
        for (group, members) in groups.iter().enumerate() {
            for member in members.chars() {
                let mut body = bodies.iter().find(|body| body.0 == member).unwrap().1.to_owned();
                for (name, _) in variables {
                    body = body.replace(name, &format!("{name}{group}"));
                }
                names.push(format!("{member}{group}"));
                text.push_str(&format!("request {member}{group} {{ {body} }}\n"));
            }
        }
        Self { text, names }
    }

    /// A certificate in which all but the bodies of the last group stand for all.
    pub(super) fn reduction(&self, groups: usize) -> Reduction {
        let last = (groups - 1).to_string();
        let bodies = (0..).zip(&self.names).filter(|(_, name)| !name.ends_with(&last)).map(|(body, _)| body);
        let prepared = prepared(&self.text);
        let ranges = (0..).zip(&prepared.program().globals).map(|(number, global)| {
            let (low, high) = global.range.unwrap();
            (number, low, high)
        });
        Reduction { bodies: bodies.collect(), ranges: ranges.collect(), ..Reduction::default() }
    }

    /// The number of the point at a place of a body.
    pub(super) fn point(&self, reduction: &Reduction, name: &str, place: u32) -> u32 {
        let model = transformed::<()>(&prepared(&self.text), reduction, &mut Budget::unlimited()).unwrap();
        model.entries[self.names.iter().position(|other| other == name).unwrap()].0 + place
    }

    pub(super) fn global(&self, name: &str) -> u32 {
        global(&self.text, name)
    }

    /// The program is wrong, and the proof is refused for this part of the last condition, and for nothing else.
    pub(super) fn needs(&self, part: &str, reduction: &Reduction) {
        assert!(is_wrong(&self.text), "{part}: {}", self.text);
        assert_eq!(unlike(&self.text, reduction), [part], "{}", self.text);
        match checked(&self.text, reduction) {
            Err(Refusal::Invalid(rejection)) => assert_eq!(rejection.condition, Condition::ReductionAlike, "{rejection}"),
            other => panic!("{part}: {other:?}"),
        }
        let unasked = without(Condition::ReductionAlike, || checked(&self.text, reduction));
        assert_eq!(unasked, Ok(()), "{part} hides behind another condition: {}", self.text);
    }
}

/// All parts of the last condition that do not hold.
fn unlike(text: &str, reduction: &Reduction) -> Vec<&'static str> {
    let prepared = prepared(text);
    let budget = &mut Budget::unlimited();
    let model = transformed::<()>(&prepared, reduction, budget).unwrap();
    let facts = Facts::new(&model, reduction).unwrap();
    let post = phases(&model, reduction).unwrap();
    let claimed = Claimed { model: &model, facts: &facts, reduction, post: &post };
    let mut found: Vec<&str> = unlike_facts(&Bodies::new(&prepared.control()), &claimed, budget)
        .unwrap()
        .into_iter()
        .map(|unlike| match unlike {
            Unlike::Alike(what) => what,
            other => panic!("{other:?}"),
        })
        .collect();
    found.dedup();
    found
}

fn bounds(variable: u32, (low, high): (i64, i64), points: &[u32]) -> Bounds {
    Bounds { variable, low, high, points: points.iter().map(|&point| (point, point)).collect() }
}

pub(super) const ZD: [(&str, &str); 2] = [("Z", "0..1"), ("D", "0..1")];
pub(super) const THREE: [&str; 4] = ["ab", "ac", "bc", "abc"];

#[test]
fn ranges() {
    let a = format!("if (Z == 1) {{ {LOOK}; yield; {AGAIN} }} else {{ 0 }}");
    let groups = Groups::new(&ZD, &[('a', &a), ('b', "if (Z == 1) { Z := 1; D := 1 - D }; 0"), ('c', "Z := 1; 0")], &THREE);
    let mut reduction = groups.reduction(4);
    assert!(unlike(&groups.text, &reduction).is_empty());
    reduction.ranges[groups.global("Z0") as usize].2 = 0;
    groups.needs("variables of one kind have different ranges", &reduction);
}

#[test]
fn signs() {
    let a = format!("if (Z < 0) {{ {LOOK}; yield; {AGAIN} }} else {{ 0 }}");
    let counts = format!("if (Z != 0) {{ {NEVER} }}; Z := 1; yield; Z := 0; 0");
    let bodies = [('a', a.as_str()), ('b', "if (Z < 0) { D := 1 - D }; 0"), ('c', "Z := -1; 0"), ('e', &counts)];
    let groups = Groups::new(&[("Z", "-1..1"), ("D", "0..1")], &bodies, &["abe", "ac", "bc", "abc"]);
    let base = groups.reduction(4);
    let inside = groups.point(&base, "e0", 1);
    let counts = vec![Count { global: groups.global("Z0"), weights: vec![(inside, inside, 1)] }];
    groups.needs("of variables of one kind some count requests", &Reduction { counts, ..base });
}

/// Two certificates that are not alike, put together: the one is right for who waits before others come, the other for
/// who never waits.
#[test]
fn extra_yields() {
    let a = format!("{LOOK}; while (Z == 0) {{ yield }}; {AGAIN}");
    let groups = Groups::new(&ZD, &[('a', &a), ('b', "Z := 1; 0"), ('c', "if (Z == 1) { Z := 1; D := 1 - D }; 0")], &THREE);
    let base = groups.reduction(4);
    let nodes = u32::try_from(prepared(&groups.text).control().node_count()).unwrap();
    let with = |node: u32| Reduction { yields: vec![node], ..base.clone() };
    let proves = |node: &u32| without(Condition::ReductionAlike, || checked(&groups.text, &with(*node))) == Ok(());
    let node = (0..nodes).find(proves).expect("no yield helps");
    groups.needs("two bodies of one shape have different extra yields", &with(node));
}

const DIFFERENT: &str = "two bodies of one shape say different things of their variables";

#[test]
fn known() {
    let a = format!("if (Z == 1) {{ return 9 }}; {LOOK}; yield; {AGAIN}");
    let groups = Groups::new(&ZD, &[('a', &a), ('b', "if (Z == 1) { Z := 1; D := 1 - D }; 0"), ('c', "Z := 1; 0")], &THREE);
    let base = groups.reduction(4);
    let (p, q) = (groups.point(&base, "a0", 1), groups.point(&base, "a1", 1));
    let known = vec![bounds(groups.global("Z0"), (0, 0), &[p])];
    groups.needs(DIFFERENT, &Reduction { known, post: vec![(p, p), (q, q)], ..base });
}

#[test]
fn owners() {
    let a = format!("if (Z != 0) {{ return 9 }}; Z := 1; {LOOK}; yield; Z := 2; {AGAIN}");
    let b = format!("if (Z != 2) {{ {NEVER} }}; Z := 2; D := 1 - D; 0");
    let bodies = [('a', a.as_str()), ('b', &b), ('c', "Z := 2; 0")];
    let groups = Groups::new(&[("Z", "0..2"), ("D", "0..1")], &bodies, &THREE);
    let base = groups.reduction(4);
    let (p, q) = (groups.point(&base, "a0", 1), groups.point(&base, "a1", 1));
    let known = vec![bounds(groups.global("Z0"), (1, 2), &[p]), bounds(groups.global("Z1"), (1, 2), &[q])];
    let owners = vec![Owner { global: groups.global("Z0"), value: 1, points: vec![(p, p)] }];
    groups.needs(DIFFERENT, &Reduction { known, owners, post: vec![(p, p), (q, q)], ..base });
}

#[test]
fn dooms() {
    let a = format!("{LOOK}; yield; if (Z == 1) {{ {NEVER} }}; {AGAIN}");
    let groups = Groups::new(&ZD, &[('a', &a), ('b', "if (Z == 0) { Z := 1; D := 1 - D }; 0"), ('c', "Z := 0; 0")], &THREE);
    let base = groups.reduction(4);
    let p = groups.point(&base, "a0", 1);
    let dooms = vec![Doom { global: groups.global("Z0"), value: 1, points: vec![(p, p)] }];
    groups.needs(DIFFERENT, &Reduction { dooms, ..base });
}

/// The one commits when it begins, the other when it ends.
#[test]
fn commits() {
    let a = "x := D; yield; if (x == 0 and E == 1) { E := 1; 2 } else { 1 }";
    let bodies = [('a', a), ('b', "if (D == 1 and E == 0) { D := 1; E := 1 }; 0"), ('c', "D := 1; 0")];
    let groups = Groups::new(&[("D", "0..1"), ("E", "0..1")], &bodies, &THREE);
    let base = groups.reduction(4);
    let q = groups.point(&base, "a1", 1);
    groups.needs("two bodies of one shape commit at different places", &Reduction { post: vec![(q, q)], ..base });
}

#[test]
fn variables_of_others() {
    let a = format!("{LOOK}; yield; {AGAIN}");
    let groups = Groups::new(&ZD, &[('a', &a), ('b', "if (Z == 1) { Z := 1; D := 1 - D }; 0"), ('c', "Z := 1; 0")], &["ab", "bc", "abc"]);
    let base = groups.reduction(3);
    let (entry, p) = (groups.point(&base, "a0", 0), groups.point(&base, "a0", 1));
    let known = vec![bounds(groups.global("Z0"), (0, 0), &[entry, p])];
    groups.needs("something is said of a variable that the body does not mention", &Reduction { known, ..base });
}

/// A variable that no request changes is a sum that never changes.
#[test]
fn sums() {
    let a = format!("y := Z; Z := y; yield; if (y == 1) {{ {LOOK}; yield; {AGAIN} }} else {{ 0 }}");
    let groups = Groups::new(&ZD, &[('a', &a), ('b', "D := 1 - D; 0"), ('c', "Z := 1; 0")], &["ab", "ac", "abc"]);
    let base = groups.reduction(3);
    let (p, q) = (groups.point(&base, "a0", 1), groups.point(&base, "a1", 1));
    let sums = vec![Sum { globals: vec![(groups.global("Z0"), 1)], values: Vec::new() }];
    let with = |register: u32| {
        let locals = vec![bounds(register, (0, 0), &[p])];
        // A request that reads 1 goes on to the next point: here none does.
        let nowhere = vec![(p + 1, p + 1)];
        Reduction { sums: sums.clone(), locals, nowhere, post: vec![(p, p + 1), (q, q + 1)], ..base.clone() }
    };
    let proves = |register: &u32| without(Condition::ReductionAlike, || checked(&groups.text, &with(*register))) == Ok(());
    let register = (0..4).find(proves).expect("no register");
    groups.needs("it speaks of what all bodies do together", &with(register));
}

/// Who reads and who writes exclude each other, row by row, by two variables; few rows stand for many.
#[test]
fn exclusions_are_about_two_bodies() {
    let a = format!("if (Y != 0) {{ {NEVER} }}; if (Z != 0) {{ {NEVER} }}; Z := 1; {LOOK}; yield; Z := 0; {AGAIN}");
    let b = format!("if (Z != 0) {{ {NEVER} }}; if (Y != 0) {{ {NEVER} }}; Y := 1; yield; D := 1 - D; yield; Y := 0; 0");
    let variables = [("Y", "0..1"), ("Z", "0..1"), ("D", "0..1")];
    let groups = Groups::new(&variables, &[('a', &a), ('b', &b)], &["ab", "ab", "ab"]);
    assert!(!is_wrong(&groups.text));
    let mut reduction = groups.reduction(3);
    let base = reduction.clone();
    for group in 0..2_u32 {
        let (a, b) = (groups.point(&base, &format!("a{group}"), 1), groups.point(&base, &format!("b{group}"), 1));
        reduction.owners.push(Owner { global: groups.global(&format!("Z{group}")), value: 1, points: vec![(a, a)] });
        reduction.owners.push(Owner { global: groups.global(&format!("Y{group}")), value: 1, points: vec![(b, b + 1)] });
        reduction.exclusions.push((Group::Owner(2 * group), Group::Owner(2 * group + 1)));
        reduction.post.extend([(a, a), (b, b + 1)]);
    }
    assert_eq!(checked(&groups.text, &reduction), Ok(()));
    reduction.exclusions.pop();
    assert!(matches!(checked(&groups.text, &reduction), Err(Refusal::Invalid(why)) if why.condition == Condition::ReductionExchange));
}

/// A body that no other stands for.
#[test]
fn shapes() {
    let text = format!("{LOST_UPDATE}request s {{ 0 }}\n");
    needs(Condition::ReductionShapes, &text, &Reduction { bodies: vec![1], ..Reduction::default() });
}

/// Readers and writers of two variables each, which never meet among those that stand for all.
#[test]
fn patterns() {
    let read = |name: &str, x: &str, y: &str| format!("request {name} {{ a := {x}; yield; b := {y}; if (a < b) {{ 1 }} else {{ 0 }} }}\n");
    let write = |name: &str, x: &str, y: &str| format!("request {name} {{ {y} := 1; yield; {x} := 1; 0 }}\n");
    let text = format!(
        "var X: 0..1\nvar Y: 0..1\nvar Z: 0..1\nvar U: 0..1\n{}{}{}{}",
        read("r", "X", "Y"),
        write("w", "X", "Y"),
        read("q", "Z", "U"),
        write("v", "Z", "U")
    );
    let ranges = bits(&text, &["X", "Y", "Z", "U"]);
    needs(Condition::ReductionPatterns, &text, &Reduction { bodies: vec![0, 3], ranges: ranges.clone(), ..Reduction::default() });
    // All together they meet as they do, and are refused for what they do.
    match checked(&text, &Reduction { bodies: vec![0, 1, 2, 3], ranges, ..Reduction::default() }) {
        Err(Refusal::Invalid(rejection)) => assert_eq!(rejection.condition, Condition::ReductionExchange),
        other => panic!("{other:?}"),
    }
}

/// Two bodies do the same with variables that begin differently.
#[test]
fn alike() {
    let body = |name: &str, x: &str, w: &str| {
        let race = format!("a := {w}; yield; {w} := 1 - a; a");
        format!("request {name} {{ if ({x} == 2) {{ {x} := 3 }}; if ({x} == 1) {{ {race} }} else {{ 0 }} }}\n")
    };
    let text = |first: i64| {
        let header = format!("var X: 0..3 := {first}\nvar W: 0..1\nvar Y: 0..3 := 1\nvar U: 0..1\n");
        format!("{header}{}{}", body("f", "X", "W"), body("g", "Y", "U"))
    };
    let zero = |text: &str| vec![(global(text, "X"), 0, 0), (global(text, "W"), 0, 1)];
    let wrong = text(0);
    let reduction = Reduction { bodies: vec![0], ranges: zero(&wrong), nowhere: vec![(2, 2)], ..Reduction::default() };
    needs(Condition::ReductionAlike, &wrong, &reduction);
    // Were they alike, one would stand for the other.
    let same = text(0).replace(":= 1\nvar U", ":= 0\nvar U");
    assert_eq!(checked(&same, &reduction), Ok(()));
}

/// They meet, but not in the places where those that stand for them do.
#[test]
fn patterns_are_about_places() {
    let read = "request r { a := X; yield; b := Y; if (a < b) { 1 } else { 0 } }\n";
    let write = |name: &str, x: &str, y: &str| format!("request {name} {{ {y} := 1; yield; {x} := 1; 0 }}\n");
    let look = "request q { if (Z == 2) { 1 } else { 0 } }\n";
    let text = format!("var X: 0..2\nvar Y: 0..2\nvar Z: 0..2\n{read}{}{look}{}", write("v", "Y", "Z"), write("w", "X", "Y"));
    let ranges = bits(&text, &["X", "Y", "Z"]);
    needs(Condition::ReductionPatterns, &text, &Reduction { bodies: vec![0, 1, 2], ranges, ..Reduction::default() });
}

/// Many share a variable: how each two of them meet is not looked at, but who meets in it is.
#[test]
fn patterns_in_what_many_share() {
    let read = |name: &str| format!("request {name} {{ x := M; yield; if (x == M) {{ 1 }} else {{ 2 }} }}\n");
    let text = |readers: usize| {
        let readers: String = (0..readers).map(|number| read(&format!("r{number}"))).collect();
        format!("var M: 0..1\nvar N: 0..1\n{readers}request v {{ N := 1 - N; 0 }}\nrequest w {{ M := 1 - M; 0 }}\n")
    };
    assert!(is_wrong(&text(1)));
    let ranges = bits(&text(1), &["M", "N"]);
    for readers in [2, 70] {
        let reduction = Reduction { bodies: vec![0, 1, readers], ranges: ranges.clone(), ..Reduction::default() };
        let text = text(readers as usize);
        match checked(&text, &reduction) {
            Err(Refusal::Invalid(rejection)) => assert_eq!(rejection.condition, Condition::ReductionPatterns),
            other => panic!("{other:?}"),
        }
        assert_eq!(without(Condition::ReductionPatterns, || checked(&text, &reduction)), Ok(()));
    }
}

/// Two bodies do the same with variables of which one may hold less: where that is an error, the graph says so, and
/// their shapes differ.
#[test]
fn shapes_differ_where_ranges_matter() {
    let text = |most: i64| format!("var X: 0..1\nvar Y: 0..{most}\nrequest f {{ X := 1; 0 }}\nrequest g {{ Y := 1; 0 }}\n");
    let reduction = Reduction { bodies: vec![0], ranges: vec![(global(&text(0), "X"), 0, 1)], ..Reduction::default() };
    match checked(&text(0), &reduction) {
        Err(Refusal::Invalid(rejection)) => assert_eq!(rejection.condition, Condition::ReductionShapes),
        other => panic!("{other:?}"),
    }
    assert_eq!(checked(&text(1), &reduction), Ok(()));
}
