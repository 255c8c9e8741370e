//! Measures on a directory of contest models.
use serval_budget::Cancel;
use serval_petri::{Constraint, Formula, Linear, mcc, pnml};
use std::time::Instant;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let dir = std::path::Path::new(&args[1]);
    let rounds: u32 = args[2].parse().unwrap();
    let expected = std::fs::read_to_string(dir.join("expected.tsv")).unwrap();
    let (mut total, mut wrong, mut open) = (0, 0, 0);
    for line in expected.lines().skip(1) {
        let f: Vec<&str> = line.split('\t').collect();
        if args.len() > 3 && !f[0].contains(&args[3]) {
            continue;
        }
        let start = Instant::now();
        let text = std::fs::read_to_string(dir.join(f[0]).join("model.pnml")).unwrap();
        let read = match pnml::read(&text) {
            Ok(r) => r,
            Err(e) => {
                println!("{}: {e}", f[0]);
                continue;
            }
        };
        let net = read.net;
        let loaded = start.elapsed();
        let mut goals = vec![Formula::deadlock(&net).unwrap()];
        goals.push(Formula::any(net.places().map(|p| Formula::constraint(Constraint::AtLeastZero(Linear::new([(p, 1)], -2).unwrap())))));
        let mut want: Vec<(String, Option<bool>)> = vec![("deadlock".into(), b(f[3])), ("safe".into(), b(f[4]).map(|x| !x))];
        for (kind, col) in [("ReachabilityCardinality", 8), ("ReachabilityFireability", 9)] {
            let q = std::fs::read_to_string(dir.join(f[0]).join(format!("{kind}.xml"))).unwrap();
            let qs = match mcc::read(&q, &net, &read.ids) {
                Ok(q) => q,
                Err(e) => {
                    println!("{} {kind}: {e}", f[0]);
                    continue;
                }
            };
            for (i, question) in qs.into_iter().enumerate() {
                let reach = question.holds == mcc::Holds::IfReachable;
                let ans = f.get(col).and_then(|c| c.chars().nth(i)).and_then(|c| match c {
                    'T' => Some(true),
                    'F' => Some(false),
                    _ => None,
                });
                want.push((question.id.clone(), ans.map(|a| a == reach)));
                goals.push(question.formula);
            }
        }
        let start = Instant::now();
        let two = serval_nets::decide(&net, &goals[..2], rounds, &Cancel::new());
        let t2 = start.elapsed();
        let start = Instant::now();
        let mut answers = two;
        answers.extend(serval_nets::decide(&net, &goals[2..], rounds, &Cancel::new()));
        let t = start.elapsed();
        let (mut w, mut o) = (0, Vec::new());
        let mut by: std::collections::BTreeMap<&str, usize> = Default::default();
        for (answer, (id, want)) in answers.iter().zip(&want) {
            total += 1;
            match answer {
                Some(a) => {
                    *by.entry(a.method).or_default() += 1;
                    if want.is_some_and(|want| want != (a.claim == serval_netproof::Claim::Reachable)) {
                        w += 1;
                        println!("WRONG {id}");
                    }
                }
                None => o.push(id.clone()),
            }
        }
        wrong += w;
        open += o.len();
        println!("{} load {:?} two {:?} queries {:?} {:?} wrong {w} open {}: {}", f[0], loaded, t2, t, by, o.len(), o.join(" "));
    }
    println!("{total} questions, {wrong} wrong, {open} open");
}
fn b(s: &str) -> Option<bool> {
    match s {
        "T" | "true" | "yes" | "TRUE" => Some(true),
        "F" | "false" | "no" | "FALSE" => Some(false),
        _ => None,
    }
}
