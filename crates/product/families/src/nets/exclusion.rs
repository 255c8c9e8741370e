//! Algorithms for mutual exclusion. A step reads or writes at most one shared variable; to wait is not to fire. A
//! process knows its own variables, which no other writes, and the point at which it is keeps what it has read.

use super::{MadeNet, StepAccess, Steps, at_most_one};
use StepAccess::{Changes, Finds, Nothing, Writes};

/// The points where each process is inside.
fn inside(n: usize) -> Vec<String> {
    (1..=n).map(|i| format!("inside{i}")).collect()
}

fn others(n: usize, i: usize) -> impl Iterator<Item = usize> {
    (1..=n).filter(move |&k| k != i)
}

/// G. L. Peterson's, 1981. Process i:
///
/// ```text
/// for level in 1..n:
///   at[i] := level; last[level] := i
///   for each other k, in order: wait until at[k] < level or last[level] is not i
/// inside; at[i] := 0
/// ```
pub fn peterson(n: usize) -> MadeNet {
    let mut steps = Steps::default();
    (1..=n).for_each(|i| steps.variable(&format!("at{i}"), 0));
    (1..n).for_each(|level| steps.variable(&format!("last{level}"), 1));
    for i in 1..=n {
        let idle = format!("idle{i}");
        steps.begins(&idle);
        let mut here = idle.clone();
        for level in 1..n {
            let (set, last) = (format!("set{i}_{level}"), format!("last{level}"));
            steps.step(&here, &set, &Changes(&format!("at{i}"), level - 1, level));
            here = format!("wait{i}_{level}_0");
            for value in 1..=n {
                steps.step(&set, &here, &Changes(&last, value, i));
            }
            for (count, k) in others(n, i).enumerate() {
                let is_through = level + 1 == n && count + 2 == n;
                let next = if is_through { format!("inside{i}") } else { format!("wait{i}_{level}_{}", count + 1) };
                (0..level).for_each(|value| steps.step(&here, &next, &Finds(&format!("at{k}"), value)));
                others(n, i).for_each(|value| steps.step(&here, &next, &Finds(&last, value)));
                here = next;
            }
        }
        steps.step(&here, &idle, &Changes(&format!("at{i}"), n - 1, 0));
    }
    steps.made(&format!("peterson_{n}"), &format!("Peterson's algorithm for {n} processes"), &[at_most_one(&inside(n))])
}

/// L. Lamport's fast one, 1987. Process i:
///
/// ```text
/// start: b[i] := 1; x := i
/// if y is not 0: b[i] := 0; wait until y = 0; go to start
/// y := i
/// if x is not i:
///   b[i] := 0; for each other k, in order: wait until b[k] = 0
///   if y is not i: wait until y = 0; go to start
/// inside; y := 0; b[i] := 0
/// ```
pub fn lamport_fast(n: usize) -> MadeNet {
    let mut steps = Steps::default();
    ["x", "y"].into_iter().for_each(|name| steps.variable(name, 0));
    (1..=n).for_each(|i| steps.variable(&format!("b{i}"), 0));
    for i in 1..=n {
        let at = |point: &str| format!("{point}{i}");
        let b = format!("b{i}");
        steps.begins(&at("idle"));
        steps.step(&at("idle"), &at("begun"), &Changes(&b, 0, 1));
        steps.step(&at("begun"), &at("signed"), &Writes("x", i, n));
        for value in 1..=n {
            steps.step(&at("signed"), &at("busy"), &Finds("y", value));
        }
        steps.step(&at("busy"), &at("queue"), &Changes(&b, 1, 0));
        steps.step(&at("queue"), &at("idle"), &Finds("y", 0));
        steps.step(&at("signed"), &at("claim"), &Finds("y", 0));
        steps.step(&at("claim"), &at("claimed"), &Writes("y", i, n));
        for value in 0..=n {
            steps.step(&at("claimed"), &at(if value == i { "inside" } else { "late" }), &Finds("x", value));
        }
        let mut here = at("look0_");
        steps.step(&at("late"), &here, &Changes(&b, 1, 0));
        for k in others(n, i) {
            let next = format!("look{k}_{i}");
            steps.step(&here, &next, &Finds(&format!("b{k}"), 0));
            here = next;
        }
        for value in 0..=n {
            steps.step(&here, &at(if value == i { "inside" } else { "queue" }), &Finds("y", value));
        }
        steps.step(&at("inside"), &at("leaving"), &Writes("y", 0, n));
        // One that was late has lowered its flag.
        (0..2).for_each(|value| steps.step(&at("leaving"), &at("idle"), &Changes(&b, value, 0)));
    }
    steps.made(&format!("lamport_fast_{n}"), &format!("Lamport's fast algorithm for {n} processes"), &[at_most_one(&inside(n))])
}

/// M. A. Eisenberg's and M. R. McGuire's, 1972. Process i; `flag[i]` is 0 (idle), 1 (wants) or 2 (acts):
///
/// ```text
/// again: flag[i] := 1
/// scan: k := turn
/// while k is not i: if flag[k] is 0 then k := the next one, round, else go to scan
/// flag[i] := 2
/// for each other k, in order: if flag[k] = 2: go to again
/// t := turn; if t is not i and flag[t] is not 0: go to again
/// turn := i; inside
/// k := the next one after i, round; while flag[k] is 0: k := the next one, round
/// turn := k; flag[i] := 0
/// ```
pub fn eisenberg_mcguire(n: usize) -> MadeNet {
    let mut steps = Steps::default();
    steps.variable("turn", 1);
    (1..=n).for_each(|i| steps.variable(&format!("flag{i}"), 0));
    let after = |k: usize| k % n + 1;
    for i in 1..=n {
        let at = |point: &str| format!("{point}{i}");
        let (own, flag) = (format!("flag{i}"), |k: usize| format!("flag{k}"));
        let scans = |k: usize| if k == i { at("ready") } else { format!("scan{k}_{i}") };
        steps.begins(&at("idle"));
        steps.step(&at("idle"), &at("reads"), &Changes(&own, 0, 1));
        steps.step(&at("again"), &at("reads"), &Changes(&own, 2, 1));
        (1..=n).for_each(|k| steps.step(&at("reads"), &scans(k), &Finds("turn", k)));
        for k in others(n, i) {
            steps.step(&scans(k), &scans(after(k)), &Finds(&flag(k), 0));
            (1..3).for_each(|value| steps.step(&scans(k), &at("reads"), &Finds(&flag(k), value)));
        }
        let mut here = at("look0_");
        steps.step(&at("ready"), &here, &Changes(&own, 1, 2));
        for k in others(n, i) {
            let next = format!("look{k}_{i}");
            (0..2).for_each(|value| steps.step(&here, &next, &Finds(&flag(k), value)));
            steps.step(&here, &at("again"), &Finds(&flag(k), 2));
            here = next;
        }
        steps.step(&here, &at("enter"), &Finds("turn", i));
        for k in others(n, i) {
            let asks = format!("ask{k}_{i}");
            steps.step(&here, &asks, &Finds("turn", k));
            steps.step(&asks, &at("enter"), &Finds(&flag(k), 0));
            (1..3).for_each(|value| steps.step(&asks, &at("again"), &Finds(&flag(k), value)));
        }
        for value in 1..=n {
            steps.step(&at("enter"), &at("inside"), &Changes("turn", value, i));
        }
        let seeks = |k: usize| format!("seek{k}_{i}");
        let gives = |k: usize| format!("give{k}_{i}");
        steps.step(&at("inside"), &seeks(after(i)), &Nothing);
        for k in others(n, i) {
            let next = after(k);
            steps.step(&seeks(k), &if next == i { gives(i) } else { seeks(next) }, &Finds(&flag(k), 0));
            (1..3).for_each(|value| steps.step(&seeks(k), &gives(k), &Finds(&flag(k), value)));
        }
        for k in 1..=n {
            (1..=n).for_each(|value| steps.step(&gives(k), &at("leaving"), &Changes("turn", value, k)));
        }
        steps.step(&at("leaving"), &at("idle"), &Changes(&own, 2, 0));
    }
    let story = format!("The algorithm of Eisenberg and McGuire for {n} processes");
    steps.made(&format!("eisenberg_mcguire_{n}"), &story, &[at_most_one(&inside(n))])
}

/// B. K. Szymanski's, 1988. Process i; `flag[i]` is 0 (outside), 1 (wants), 2 (waits for others), 3 (at the door) or 4
/// (past the door):
///
/// ```text
/// flag[i] := 1
/// for each other k, in order: wait until flag[k] < 3
/// flag[i] := 3
/// for each other k, in order: if flag[k] = 1: flag[i] := 2; wait until some other has flag = 4; go on behind
/// flag[i] := 4
/// for each k before i, in order: wait until flag[k] < 2
/// inside
/// for each k after i, in order: wait until flag[k] < 2 or flag[k] = 4
/// flag[i] := 0
/// ```
pub fn szymanski(n: usize) -> MadeNet {
    let mut steps = Steps::default();
    (1..=n).for_each(|i| steps.variable(&format!("flag{i}"), 0));
    for i in 1..=n {
        let at = |point: &str| format!("{point}{i}");
        let (own, flag) = (format!("flag{i}"), |k: usize| format!("flag{k}"));
        let chain = |steps: &mut Steps, here: String, name: &str, of: &mut dyn Iterator<Item = usize>, values: &[usize]| {
            of.fold(here, |here, k| {
                let next = format!("{name}{k}_{i}");
                values.iter().for_each(|&value| steps.step(&here, &next, &Finds(&flag(k), value)));
                next
            })
        };
        steps.begins(&at("idle"));
        steps.step(&at("idle"), &at("wants"), &Changes(&own, 0, 1));
        let here = chain(&mut steps, at("wants"), "open", &mut others(n, i), &[0, 1, 2]);
        steps.step(&here, &at("door"), &Changes(&own, 1, 3));
        let mut here = at("door");
        for k in others(n, i) {
            let next = format!("seen{k}_{i}");
            [0, 2, 3, 4].into_iter().for_each(|value| steps.step(&here, &next, &Finds(&flag(k), value)));
            steps.step(&here, &at("steps_back"), &Finds(&flag(k), 1));
            here = next;
        }
        steps.step(&at("steps_back"), &at("waits"), &Changes(&own, 3, 2));
        others(n, i).for_each(|k| steps.step(&at("waits"), &at("called"), &Finds(&flag(k), 4)));
        steps.step(&here, &at("past"), &Changes(&own, 3, 4));
        steps.step(&at("called"), &at("past"), &Changes(&own, 2, 4));
        let here = chain(&mut steps, at("past"), "first", &mut (1..i), &[0, 1]);
        steps.step(&here, &at("inside"), &Nothing);
        let here = chain(&mut steps, at("inside"), "last", &mut (i + 1..=n), &[0, 1, 4]);
        steps.step(&here, &at("idle"), &Changes(&own, 4, 0));
    }
    steps.made(&format!("szymanski_{n}"), &format!("Szymanski's algorithm for {n} processes"), &[at_most_one(&inside(n))])
}

/// A ticket for each, and as many numbers as processes. Process i:
///
/// ```text
/// mine := next, and next := the next number, round, in one step
/// wait until now = mine
/// inside; now := the next number, round
/// ```
pub fn ticket(n: usize) -> MadeNet {
    let mut steps = Steps::default();
    ["next", "now"].into_iter().for_each(|name| steps.variable(name, 0));
    let mut all = Vec::new();
    for i in 1..=n {
        let idle = format!("idle{i}");
        steps.begins(&idle);
        for mine in 0..n {
            let (waits, inside) = (format!("wait{mine}_{i}"), format!("inside{mine}_{i}"));
            steps.step(&idle, &waits, &Changes("next", mine, (mine + 1) % n));
            steps.step(&waits, &inside, &Finds("now", mine));
            steps.step(&inside, &idle, &Changes("now", mine, (mine + 1) % n));
            all.push(inside);
        }
    }
    steps.made(&format!("ticket_{n}"), &format!("Tickets for {n} processes, numbers modulo {n}"), &[at_most_one(&all)])
}

/// L. Lamport's bakery, 1974, with numbers up to that of the processes; where there is no larger one, one begins again.
/// Process i:
///
/// ```text
/// again: choosing[i] := 1; most := 0
/// for each other k, in order: most := the larger one of most and number[k]
/// if most = n: choosing[i] := 0; go to again
/// number[i] := most + 1; choosing[i] := 0
/// for each other k, in order:
///   wait until choosing[k] = 0
///   wait until number[k] = 0 or (number[i], i) < (number[k], k)
/// inside; number[i] := 0
/// ```
pub fn bakery(n: usize) -> MadeNet {
    let mut steps = Steps::default();
    for i in 1..=n {
        steps.variable(&format!("choosing{i}"), 0);
        steps.variable(&format!("number{i}"), 0);
    }
    let mut all = Vec::new();
    for i in 1..=n {
        let idle = format!("idle{i}");
        let (choosing, number) = (format!("choosing{i}"), format!("number{i}"));
        // How many of the others were looked at, and the larger one of most and what was found.
        let looks = |count: usize, most: usize| format!("look{count}_{most}_{i}");
        steps.begins(&idle);
        steps.step(&idle, &looks(0, 0), &Changes(&choosing, 0, 1));
        for (count, k) in others(n, i).enumerate() {
            // The first look finds nothing before it.
            for most in 0..=if count == 0 { 0 } else { n } {
                for value in 0..=n {
                    steps.step(&looks(count, most), &looks(count + 1, most.max(value)), &Finds(&format!("number{k}"), value));
                }
            }
        }
        steps.step(&looks(n - 1, n), &idle, &Changes(&choosing, 1, 0));
        for mine in 1..=n {
            let chosen = format!("chosen{mine}_{i}");
            steps.step(&looks(n - 1, mine - 1), &chosen, &Changes(&number, 0, mine));
            let mut here = format!("wait0_{mine}_{i}");
            steps.step(&chosen, &here, &Changes(&choosing, 1, 0));
            for (count, k) in others(n, i).enumerate() {
                let is_last = count + 2 == n;
                let (asks, next) = (
                    format!("ask{k}_{mine}_{i}"),
                    format!("{}{mine}_{i}", if is_last { "inside".to_owned() } else { format!("wait{k}_") }),
                );
                steps.step(&here, &asks, &Finds(&format!("choosing{k}"), 0));
                let is_before = |value: usize| value == 0 || (mine, i) < (value, k);
                for value in (0..=n).filter(|&value| is_before(value)) {
                    steps.step(&asks, &next, &Finds(&format!("number{k}"), value));
                }
                here = next;
            }
            steps.step(&here, &idle, &Changes(&number, mine, 0));
            all.push(here);
        }
    }
    steps.made(&format!("bakery_{n}"), &format!("A bakery for {n} processes, numbers up to {n}"), &[at_most_one(&all)])
}
