//! Where few bodies stand for many, nothing is said that is about some of them together: neither validated reads, nor
//! tickets, nor late looks.
//!
//! As with the other parts of the condition, `a` looks twice at `D`. It is right by itself, right beside `b` because of
//! what is said, and right beside `c` without it; but not beside both.

use serval_proof::{Condition, Owner, Reduction, Ticket, Validated};

use super::conditions::checked;
use super::rows::{AGAIN, Groups, LOOK, NEVER, THREE, ZD};
use super::switch::without;

const TOGETHER: &str = "it speaks of what all bodies do together";

/// One of some proofs is refused for this part alone.
fn needs_one_of(groups: &Groups, proofs: impl IntoIterator<Item = Reduction>) {
    let proves = |proof: &Reduction| without(Condition::ReductionAlike, || checked(&groups.text, proof)) == Ok(());
    let proof = proofs.into_iter().find(proves).expect("no proof would do");
    groups.needs(TOGETHER, &proof);
}

/// A request that looks whether `Z` is raised looks again, so `b` may raise it; but then `c` changes `D`, which it does
/// not where none raises `Z`.
#[test]
fn late_looks() {
    let a = format!("if (Z == 1) {{ return 1 }}; {LOOK}; yield; if (Z == 1) {{ {AGAIN} }} else {{ 9 }}");
    let groups = Groups::new(&ZD, &[('a', &a), ('b', "Z := 1; 0"), ('c', "if (Z == 1) { Z := 1; D := 1 - D }; 0")], &THREE);
    let base = groups.reduction(4);
    let (entry, p) = (groups.point(&base, "a0", 0), groups.point(&base, "a0", 1));
    groups.needs(TOGETHER, &Reduction { late: vec![(entry, p, groups.global("Z0"))], ..base });
}

/// A version that grows validates what was read; `c` takes it back, but only where it has grown.
#[test]
fn validated_reads() {
    let only = format!("if (V > 1) {{ {NEVER} }}");
    let a = format!(
        "while (1) {{ yield; {only}; v := V; {LOOK}; yield; {only}; if (V == v) {{ if (x == D) {{ return 1 }} else {{ return 2 }} }} }}"
    );
    let bodies = [('a', a.as_str()), ('b', "if (V < 3) { V := V + 1 }; 0"), ('c', "if (V > 1) { V := 1; D := 1 - D }; 0")];
    let groups = Groups::new(&[("V", "0..3 := 1"), ("D", "0..1")], &bodies, &THREE);
    let base = groups.reduction(4);
    let (head, wait) = (groups.point(&base, "a0", 1), groups.point(&base, "a0", 2));
    let (version, data) = (groups.global("V0"), groups.global("D0"));
    let registers = (0..6).flat_map(|v| (0..6).map(move |x| (v, x))).filter(|(v, x)| v != x);
    let proofs = registers.map(|(v, x)| {
        let read = Validated { head, wait, global: version, register: v, reads: vec![(data, x)] };
        Reduction { validated: vec![read], ..base.clone() }
    });
    needs_one_of(&groups, proofs);
}

/// One lock with tickets for `a` and `b`, each of which comes alone otherwise; `c` calls the next one though it was not
/// called.
#[test]
fn tickets() {
    let draws =
        |lock: &str| format!("if ({lock} != 0 or N > 5) {{ {NEVER} }}; {lock} := 1; t := N; N := N + 1; yield; if (S != t) {{ {NEVER} }}");
    let call = format!("if (S > 5) {{ {NEVER} }}; S := S + 1");
    let a = format!("{}; {LOOK}; yield; {call}; L := 0; {AGAIN}", draws("L"));
    let b = format!("{}; yield; D := 1 - D; {call}; M := 0; 0", draws("M"));
    let c = format!("{call}; 0");
    let variables = [("N", "0..6"), ("S", "0..6"), ("L", "0..1"), ("M", "0..1"), ("D", "0..1")];
    let groups = Groups::new(&variables, &[('a', &a), ('b', &b), ('c', &c)], &THREE);
    let mut base = groups.reduction(4);
    let plain = base.clone();
    for (name, lock) in [("a0", "L0"), ("a1", "L1"), ("b0", "M0"), ("b2", "M2")] {
        let first = groups.point(&plain, name, 1);
        base.owners.push(Owner { global: groups.global(lock), value: 1, points: vec![(first, first + 1)] });
        base.post.push((first + 1, first + 1));
    }
    let (a, b) = (groups.point(&plain, "a0", 1), groups.point(&plain, "b0", 1));
    let registers = (0..8).flat_map(|x| (0..8).map(move |y| (x, y)));
    let proofs = registers.map(|(x, y)| {
        let inside = vec![(a + 1, a + 1), (b + 1, b + 1)];
        let ticket = Ticket { next: groups.global("N0"), called: groups.global("S0"), holders: vec![(a, x), (b, y)], inside };
        Reduction { tickets: vec![ticket], ..base.clone() }
    });
    needs_one_of(&groups, proofs);
}
