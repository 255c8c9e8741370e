//! Proof trees: each condition is needed, and nothing hostile gets through.

use serval_budget::{Budget, Stopped};
use serval_evidence::Refusal;

use crate::tests::switch::without;
use crate::{Combination, Linear, Literal, Node, Problem, Reference, Tree, TreeCondition, check_tree, is_solved_by};

/// Switches one condition off.
pub(crate) mod switch {
    serval_evidence::switch!(crate::TreeCondition);
}

type Answer = Result<(), Refusal>;

fn check(problem: &Problem, tree: &Tree) -> Answer {
    check_within(problem, tree, 100_000_000)
}

fn check_within(problem: &Problem, tree: &Tree, ticks: u64) -> Answer {
    check_tree(problem, tree, &mut Budget::ticks(ticks))
}

fn linear(terms: &[(u32, i64)], constant: i64) -> Linear {
    Linear::new(terms.iter().copied(), constant).unwrap()
}

fn fact(index: u32, multiplier: i128) -> (Reference, i128) {
    (Reference::Fact(index), multiplier)
}

fn variable(number: u32, multiplier: i128) -> (Reference, i128) {
    (Reference::AtLeastZero(number), multiplier)
}

fn farkas(combination: &[(Reference, i128)]) -> Node {
    Node::Farkas { combination: combination.to_vec() }
}

fn lattice(modulus: i128, combination: &[(Reference, i128)], tight: &[(Reference, i128)]) -> Node {
    Node::Lattice { modulus, combination: combination.to_vec(), tight: tight.to_vec() }
}

fn residue(expression: Linear, divisor: u64) -> Node {
    Node::Residue { expression, divisor }
}

/// A problem in `x`, a solution of it, and a tree that is refused for
/// `condition` and nothing else.
fn violates_only(condition: TreeCondition) -> (Problem, Option<i64>, Vec<Node>) {
    let free = Problem { variables: 1, ..Problem::default() };
    let equal = |linear: Linear| Problem { equalities: vec![linear], ..free.clone() };
    let at_least = |linear: Linear| Problem { inequalities: vec![linear], ..free.clone() };
    let clause = |literals: &[Literal]| Problem { clauses: vec![literals.to_vec()], ..free.clone() };
    let x = |coefficient, constant| linear(&[(0, coefficient)], constant);
    match condition {
        // x ≤ −1 or x ≥ 0, and only the first is refuted.
        TreeCondition::Child => {
            let problem = clause(&[Literal::AtLeastZero(x(-1, -1)), Literal::AtLeastZero(x(1, 0))]);
            (problem, Some(0), vec![Node::Clause { clause: 0 }, farkas(&[fact(0, 1)])])
        }
        // Nothing is wrong but that there is more: the problem has no solution.
        TreeCondition::Rest => (at_least(x(-1, -1)), None, vec![farkas(&[fact(0, 1)]), farkas(&[fact(0, 1)])]),
        TreeCondition::Clause => (free, Some(0), vec![Node::Clause { clause: 0 }]),
        // The unknown variable 1 would be the same as the quotient: 2q + 5 = 2q + r.
        TreeCondition::Variables => (free, Some(0), vec![residue(linear(&[(1, 2)], 5), 2), farkas(&[fact(0, -1)]), farkas(&[fact(0, -1)])]),
        TreeCondition::Divisor => (free, Some(0), vec![residue(x(1, 0), 0)]),
        // −x = 2q + 1 for x = 1 makes q negative.
        TreeCondition::Fact => {
            let nodes = vec![residue(x(-1, 0), 2), lattice(2, &[fact(0, 1), fact(1, 1)], &[]), farkas(&[fact(1, 1), variable(1, 2)])];
            (equal(x(1, -1)), Some(1), nodes)
        }
        TreeCondition::Sign => (at_least(linear(&[], 1)), Some(0), vec![farkas(&[fact(0, -1)])]),
        TreeCondition::Falling => (at_least(x(1, -1)), Some(1), vec![farkas(&[fact(0, 1)])]),
        // −x − 5 = 2q + r.
        TreeCondition::Fresh => (free, Some(0), vec![residue(x(-1, -5), 2), farkas(&[fact(0, 1)]), farkas(&[fact(0, 1)])]),
        TreeCondition::Farkas => (free, Some(0), vec![farkas(&[])]),
        // From 1 − x ≥ 0 neither 1 − x = 0 nor x = 0 follows, though one of them does.
        TreeCondition::Tight => (at_least(x(-1, 1)), Some(0), vec![lattice(0, &[fact(0, 1), variable(0, 1)], &[fact(0, 1)])]),
        TreeCondition::Equality => (at_least(x(2, -1)), Some(1), vec![lattice(2, &[fact(0, 1)], &[])]),
        TreeCondition::Modulus => (equal(x(1, -1)), Some(1), vec![lattice(2, &[fact(0, 1)], &[])]),
        TreeCondition::Remainder => (equal(x(2, -2)), Some(1), vec![lattice(2, &[fact(0, 1)], &[])]),
    }
}

#[test]
fn each_condition_is_needed() {
    for &condition in TreeCondition::ALL {
        let (problem, solution, nodes) = violates_only(condition);
        assert!(solution.is_none_or(|value| is_solved_by(&problem, &[value])), "{condition}");
        let tree = Tree { nodes };
        let refused = |answer: Answer| match answer {
            Err(Refusal::Invalid(rejection)) => assert_eq!(rejection.condition, condition, "{rejection}"),
            other => panic!("{condition}: {other:?}"),
        };
        refused(check(&problem, &tree));
        assert_eq!(without(condition, || check(&problem, &tree)), Ok(()), "{condition} hides behind another condition");
        for &other in TreeCondition::ALL.iter().filter(|&&other| other != condition) {
            refused(without(other, || check(&problem, &tree)));
        }
    }
}

/// Integers that no sum of 127 bits holds are "too large", wherever they are.
/// What is counted not at all, or cancels out, is not shown to be an equality.
#[test]
fn nothing_is_tight_for_free() {
    let refused = |problem: &Problem, node: Node, solution: &[i64]| {
        assert!(is_solved_by(problem, solution));
        match check(problem, &Tree { nodes: vec![node] }) {
            Err(Refusal::Invalid(rejection)) => assert_eq!(rejection.condition, TreeCondition::Equality, "{rejection}"),
            other => panic!("{other:?}"),
        }
    };
    // 2x ≥ 1, taken no times.
    let problem = Problem { variables: 1, inequalities: vec![linear(&[(0, 2)], -1)], ..Problem::default() };
    refused(&problem, lattice(2, &[fact(0, 1)], &[fact(0, 0)]), &[1]);
    // x + 2y = 1, once and minus once: x is left with the coefficient 0.
    let problem = Problem { variables: 2, equalities: vec![linear(&[(0, 1), (1, 2)], -1)], ..Problem::default() };
    refused(&problem, lattice(2, &[fact(0, 1), variable(0, -1)], &[fact(0, 1), fact(0, -1)]), &[1, 0]);
}

#[test]
fn huge_numbers() {
    let problem = Problem { variables: 2, inequalities: vec![linear(&[(0, i64::MIN), (1, i64::MAX)], i64::MIN); 2], ..Problem::default() };
    let bits = Err(Refusal::TooLarge { what: "integer bits", limit: 127 });
    for multiplier in [i128::MAX, i128::MAX >> 62, 1 << 64] {
        let combination: Combination = vec![fact(0, multiplier); 2];
        assert_eq!(check(&problem, &Tree { nodes: vec![farkas(&combination)] }), bits, "{multiplier}");
        assert_eq!(check(&problem, &Tree { nodes: vec![lattice(i128::MIN, &[], &combination)] }), bits);
        let zero = [fact(0, 0), fact(1, 0), variable(0, multiplier), variable(0, i128::MAX)];
        assert_eq!(check(&problem, &Tree { nodes: vec![farkas(&zero)] }), bits);
    }
    // The largest numbers are numbers as others.
    let extreme = Problem { variables: 1, inequalities: vec![linear(&[(0, i64::MIN)], i64::MIN)], ..Problem::default() };
    assert_eq!(check(&extreme, &Tree { nodes: vec![farkas(&[fact(0, 1)])] }), Ok(()));
    let node = |at_most| Node::Bound { expression: linear(&[(0, i64::MIN)], i64::MAX), at_most };
    for at_most in [i64::MIN, -1, i64::MAX] {
        let answer = check(&extreme, &Tree { nodes: vec![node(at_most), farkas(&[fact(0, 1)]), farkas(&[fact(0, 1)])] });
        assert_eq!(answer, Ok(()), "{at_most}");
    }
    for modulus in [i128::MIN, -1, 0, 1, i128::MAX] {
        let answer = check(&extreme, &Tree { nodes: vec![lattice(modulus, &[], &[fact(0, 1)])] });
        assert!(matches!(answer, Err(Refusal::Invalid(rejection)) if rejection.condition == TreeCondition::Remainder), "{modulus}");
    }
}

/// A path of splits with a leaf on the one side of each.
fn path(depth: usize, leaf_first: bool) -> Vec<Node> {
    let split = || Node::Bound { expression: linear(&[(0, 1)], 0), at_most: 3 };
    let leaf = || farkas(&[fact(0, 1)]);
    let mut nodes = Vec::new();
    for _ in 0..depth {
        nodes.push(split());
        if leaf_first {
            nodes.push(leaf());
        }
    }
    let leaves = if leaf_first { 1 } else { depth + 1 };
    nodes.extend((0..leaves).map(|_| leaf()));
    nodes
}

#[test]
fn deep_trees() {
    let problem = Problem { variables: 1, inequalities: vec![linear(&[(0, -1)], -1)], ..Problem::default() };
    for leaf_first in [true, false] {
        let tree = Tree { nodes: path(100_000, leaf_first) };
        let text = serde_json::to_string(&tree).unwrap();
        let read: Tree = serde_json::from_str(&text).unwrap();
        assert_eq!(read, tree);
        assert_eq!(check(&problem, &read), Ok(()));
        // With its last leaf gone it is no tree.
        let tree = Tree { nodes: tree.nodes[..tree.nodes.len() - 1].to_vec() };
        assert!(matches!(check(&problem, &tree), Err(Refusal::Invalid(rejection)) if rejection.condition == TreeCondition::Child));
    }
}

#[test]
fn caps() {
    let problem = Problem { variables: 1, inequalities: vec![linear(&[(0, -1)], -1)], ..Problem::default() };
    let tree = Tree { nodes: path(10, true) };
    // A tick for each of 21 nodes, and two for each fact and each multiplier, all with one term.
    let enough = 21 + 2 * (1 + 20) + 2 * 11;
    assert_eq!(check_within(&problem, &tree, enough), Ok(()));
    for ticks in 0..enough {
        assert_eq!(check_within(&problem, &tree, ticks), Err(Refusal::Stopped(Stopped::OutOfTicks)));
    }
    // A divisor asks for as many children as it says, and the list for no memory beyond its length.
    let tree = Tree { nodes: vec![residue(linear(&[(0, 1)], 0), u64::MAX), farkas(&[fact(0, 1)])] };
    assert!(matches!(check(&problem, &tree), Err(Refusal::Invalid(rejection)) if rejection.condition == TreeCondition::Child));
    // A long combination is summed in small memory.
    let long = Tree { nodes: vec![farkas(&vec![fact(0, 1); 5_000_000])] };
    assert_eq!(check(&problem, &long), Ok(()));
    // Facts without terms cost something, too.
    let empty = Problem { inequalities: vec![linear(&[], -1)], ..Problem::default() };
    let long = Tree { nodes: vec![farkas(&vec![fact(0, 1); 1_000_000])] };
    assert_eq!(check(&empty, &long), Ok(()));
    assert_eq!(check_within(&empty, &long, 1_000_000), Err(Refusal::Stopped(Stopped::OutOfTicks)));
}

/// About such a problem nothing is said, whatever the tree: it may have a solution.
#[test]
fn problems_that_are_none() {
    let refuted = Problem { variables: 1, inequalities: vec![linear(&[], -1)], ..Problem::default() };
    let tree = Tree { nodes: vec![farkas(&[fact(0, 1)])] };
    assert_eq!(check(&refuted, &tree), Ok(()));
    // 0 does not divide 1, but there is no residue to take.
    let divided = Problem { variables: 1, clauses: vec![vec![Literal::NotDivisible(linear(&[(0, 1)], 0), 0)]], ..Problem::default() };
    let split = Tree { nodes: vec![Node::Clause { clause: 0 }] };
    assert!(matches!(check(&divided, &split), Err(Refusal::TooLarge { .. })));
    let unknown = |clauses| Problem { clauses, variables: 0, ..refuted.clone() };
    assert_eq!(check(&unknown(Vec::new()), &tree), Ok(()));
    assert!(matches!(check(&unknown(vec![vec![Literal::AtLeastZero(linear(&[(0, 1)], 0))]]), &tree), Err(Refusal::TooLarge { .. })));
}

#[test]
fn residues_of_clauses() {
    // x is odd and x + 1 is odd, modulo 2 and modulo 4.
    let odd = |constant, divisor| vec![Literal::NotDivisible(linear(&[(0, 1)], constant), divisor)];
    let problem = Problem { variables: 1, clauses: vec![odd(0, 2), odd(1, 2)], ..Problem::default() };
    let leaf = lattice(2, &[fact(0, 1), fact(1, 1)], &[]);
    let nodes = vec![Node::Clause { clause: 0 }, Node::Clause { clause: 1 }, leaf.clone()];
    assert_eq!(check(&problem, &Tree { nodes: nodes.clone() }), Ok(()));
    // One child per residue: three of 4, two of them with nothing wrong.
    let problem = Problem { clauses: vec![odd(0, 2), odd(1, 4)], ..problem };
    assert!(is_solved_by(&problem, &[1]));
    let nodes = [nodes, vec![leaf.clone(), leaf]].concat();
    assert!(
        matches!(check(&problem, &Tree { nodes }), Err(Refusal::Invalid(rejection)) if rejection.condition == TreeCondition::Remainder)
    );
    // A literal with the divisor 1 never holds and has no child.
    let problem = Problem { clauses: vec![odd(0, 1)], ..problem };
    assert_eq!(check(&problem, &Tree { nodes: vec![Node::Clause { clause: 0 }] }), Ok(()));
}

#[test]
fn the_format_is_strict() {
    let read = |text: &str| serde_json::from_str::<Tree>(text);
    for text in [
        "[]",
        "[[0,4294967295]]",
        "[[1,-9223372036854775808,0]]",
        "[[1,0,0,0,1,1,-1]]",
        "[[2,18446744073709551615,-1,3,9223372036854775807]]",
        "[[3]]",
        "[[3,0,170141183460469231731687303715884105727,-4294967296,-170141183460469231731687303715884105728]]",
        "[[4,0,0]]",
        "[[4,2,1,0,1,-1,1],[0,0]]",
    ] {
        assert_eq!(serde_json::to_string(&read(text).unwrap()).unwrap(), text);
    }
    for text in [
        "{}",
        "[0,0]",
        "[[]]",
        "[null]",
        "[[0]]",
        "[[0,0,0]]",
        "[[0,-1]]",
        "[[0,4294967296]]",
        "[[0,0.0]]",
        "[[0,\"0\"]]",
        "[[1,0]]",
        "[[1,0,0,0]]",
        "[[1,0,0,0,0]]",
        "[[1,0,0,1,1,0,1]]",
        "[[1,0,0,0,1,0,1]]",
        "[[1,9223372036854775808,0]]",
        "[[1,0,0,0,9223372036854775808]]",
        "[[2,-1,0]]",
        "[[2,18446744073709551616,0]]",
        "[[3,0]]",
        "[[3,4294967296,0]]",
        "[[3,-4294967297,0]]",
        "[[3,0,170141183460469231731687303715884105728]]",
        "[[4,2]]",
        "[[4,2,-1]]",
        "[[4,2,1]]",
        "[[4,2,9223372036854775807,0,1]]",
        "[[4,2,170141183460469231731687303715884105727,0,1]]",
        "[[5]]",
        "[[-1]]",
        "[[[0,0]]]",
    ] {
        assert!(read(text).is_err(), "{text}");
    }
    let deep = "[".repeat(1 << 20);
    assert!(read(&deep).is_err());
}

/// Both literals of a clause have a child, and there is no third.
#[test]
fn each_literal_has_one_child() {
    let literal = |constant| Literal::AtLeastZero(linear(&[(0, -1)], constant));
    let problem = Problem { variables: 1, clauses: vec![vec![literal(-1), literal(-2)]], ..Problem::default() };
    let leaf = || farkas(&[fact(0, 1)]);
    assert_eq!(check(&problem, &Tree { nodes: vec![Node::Clause { clause: 0 }, leaf(), leaf()] }), Ok(()));
    assert!(check(&problem, &Tree { nodes: vec![Node::Clause { clause: 0 }, leaf()] }).is_err());
    assert!(check(&problem, &Tree { nodes: vec![Node::Clause { clause: 0 }, leaf(), leaf(), leaf()] }).is_err());
}

/// Numbers solve a problem if none is negative and each part holds.
#[test]
fn a_solution_meets_everything() {
    let free = Problem { variables: 2, ..Problem::default() };
    assert!(is_solved_by(&free, &[0, 1]) && !is_solved_by(&free, &[0, -1]));
    let equal = Problem { equalities: vec![linear(&[(0, 1)], -1)], ..free.clone() };
    assert!(is_solved_by(&equal, &[1]) && !is_solved_by(&equal, &[2]));
    let least = Problem { inequalities: vec![linear(&[(0, 1)], -1)], ..free.clone() };
    assert!(is_solved_by(&least, &[2]) && !is_solved_by(&least, &[0]));
    let either = vec![Literal::AtLeastZero(linear(&[(0, 1)], -1)), Literal::NotDivisible(linear(&[(1, 1)], 0), 2)];
    let clause = Problem { clauses: vec![either], ..free };
    assert!(is_solved_by(&clause, &[1, 0]) && is_solved_by(&clause, &[0, 3]) && !is_solved_by(&clause, &[0, 2]));
}

#[test]
fn linear_expressions_are_normal() {
    assert_eq!(linear(&[(3, 1), (1, 2), (3, -1), (0, 0)], 5), linear(&[(1, 2)], 5));
    assert_eq!(Linear::new([(0, i64::MAX), (0, 1)], 0), None);
    assert_eq!(Linear::from_sorted(vec![(1, 1), (0, 1)], 0), None);
    assert_eq!(Linear::from_sorted(vec![(0, 0)], 0), None);
}
