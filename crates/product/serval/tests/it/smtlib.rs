//! Other solvers agree with evidence of kind `equation`: the problems that are exported for them have solutions for
//! them iff they have some for us, and where they have none, there is evidence that the checker accepts.

use std::sync::OnceLock;
use std::time::Duration;

use serval::nets::{Property, smtlib};
use serval_arith::{Outcome, solve};
use serval_budget::Budget;
use serval_effort::side_by_side;
use serval_model::SplitMix64;
use serval_net_proof::equation::problem;
use serval_net_proof::{Claim, Equation, Evidence, check};
use serval_random::nets::{Question, net};
use serval_testkit::say;
use serval_testkit::solvers::Outside;

const PATIENCE: Duration = Duration::from_secs(60);

/// Exported problems, each with whether it has a solution; as many have one as not.
static EXPORTED: OnceLock<Vec<(String, bool)>> = OnceLock::new();

fn exported() -> Vec<(String, bool)> {
    let sweep = serval_effort::sweep("serval.smtlib", 60, 200);
    let mut exported = Vec::new();
    let mut wanted = [sweep.count().div_ceil(2); 2];
    for seed in sweep.seed(1).. {
        let net = net(seed);
        for question in Question::all(&mut SplitMix64::new(seed), &net) {
            let property = Property::parse(&question.text(&net), &net).unwrap();
            let Ok(script) = smtlib(&net, &property) else { continue };
            let goal = &property.goals(&net).unwrap()[0];
            let mut equation = Equation::default();
            let is_there = match solve(problem(&net, goal, &equation).unwrap(), &mut Budget::ticks(1_000_000)) {
                Outcome::Satisfiable(_) => true,
                Outcome::Refuted(tree) => {
                    equation.tree = tree;
                    let checked = check(&net, goal, Claim::Unreachable, &Evidence::Equation(equation), &mut Budget::unlimited());
                    assert_eq!(checked, Ok(()), "net {seed}, {}", question.text(&net));
                    false
                }
                Outcome::Stopped(stopped) => panic!("net {seed}, {}: {stopped:?}", question.text(&net)),
            };
            let left = &mut wanted[usize::from(is_there)];
            if *left > 0 {
                *left -= 1;
                exported.push((script, is_there));
            }
        }
        if wanted == [0, 0] {
            break;
        }
    }
    exported
}

fn compare(outside: &Outside) {
    let problems = EXPORTED.get_or_init(exported);
    let blocks: Vec<_> = problems.chunks(20).collect();
    let open = side_by_side(&blocks, |block| {
        let mut open = 0;
        let answers = outside.ask_all(block.iter().map(|one| one.0.as_str()), PATIENCE);
        for ((script, is_there), answer) in block.iter().zip(answers) {
            match answer.as_str() {
                "sat" => assert!(is_there, "{} finds a solution:\n{script}", outside.name),
                "unsat" => assert!(!is_there, "{} finds no solution:\n{script}", outside.name),
                _ => open += 1,
            }
        }
        open
    });
    let (open, all) = (open.into_iter().sum::<usize>(), problems.len());
    say(&format!("{}: agrees on {} of {all} equations of nets, {open} open there", outside.name, all - open));
    assert_eq!(open, 0, "{} does not answer", outside.name);
}

#[test]
fn z3_agrees_with_equations() {
    if let Some(z3) = Outside::z3(10_000) {
        compare(&z3);
    }
}

#[test]
fn cvc5_agrees_with_equations() {
    if let Some(cvc5) = Outside::cvc5(10_000) {
        compare(&cvc5);
    }
}
