//! Proofs by counting: right ones, and ones that only one condition refuses.

use serval_model::{NetworkSystem, NormalForm};

use super::scripts::{Harm, Wrong, system};
use super::support::{Case, condition, counter, enough, misread};
use crate::flow::{Fact, FlowProof, LinearSet, Period, Region, fact_clause, flow_problem, serial_edges, set_clause};
use crate::{Body, Certificate, Condition, Part};
use serval_linear::{Linear, Literal, Node, Reference, Tree};

/// One request that answers at once, first from `g0` to `g1`, then in `g1`: its
/// serial edges are 0, from `g0`, and 1, a loop at `g1`.
pub(super) fn once() -> NetworkSystem {
    system(2, &["r!", "r/x"], &[[0, 0, 1, 1], [0, 1, 1, 1]])
}

fn case(system: NetworkSystem, proof: FlowProof) -> Case {
    Case::proved(system, Part::Flow(Box::new(proof)))
}

/// Edges, a node `a`, and a constant `c`.
pub(super) type Trips<'a> = (&'a [(u32, u32)], u32, i64);

/// Answers at some letter: the edges of a base, and periods with `E = r_a + c`
/// where the answers are those at node `a`.
pub(super) fn set(base: &[(u32, u32)], periods: &[Trips<'_>]) -> Fact {
    let period = |&(edges, node, constant): &Trips<'_>| Period { edges: edges.to_vec(), divisor: 1, constant, terms: vec![(node, 1)] };
    Fact::Set(LinearSet { base: base.to_vec(), periods: periods.iter().map(period).collect() })
}

/// The number of the first fact that a tree adds.
fn first_fact(system: &NetworkSystem) -> u32 {
    let (form, _) = NormalForm::new(system).unwrap();
    let problem = flow_problem(&form, &[]).unwrap();
    u32::try_from(problem.equalities.len() + problem.inequalities.len()).unwrap()
}

/// A leaf that adds up what splits on the way have said, counted from 0.
fn leaf(system: &NetworkSystem, said: &[u32]) -> Node {
    let first = first_fact(system);
    Node::Farkas { combination: said.iter().map(|fact| (Reference::Fact(first + fact), 1)).collect() }
}

/// Splits on the clause of a fact; the first clause is not that of a fact.
fn clause(fact: u32) -> Node {
    Node::Clause { clause: fact + 1 }
}

/// Everything is zero times the loop, or the walk to it and any number of
/// times the loop.
pub(super) fn right() -> Case {
    let system = once();
    let facts = vec![set(&[], &[]), set(&[(0, 1)], &[(&[(1, 1)], 1, -1)])];
    // r ≥ 1, and then r ≤ 0; or r ≤ −1.
    let nodes = vec![clause(0), clause(1), leaf(&system, &[0, 1]), leaf(&system, &[0])];
    case(system, FlowProof { facts, tree: Tree { nodes }, ..FlowProof::default() })
}

fn proof(case: &mut Case) -> &mut FlowProof {
    match &mut case.certificate.body {
        Body::Part(Part::Flow(proof)) => proof,
        other => panic!("{other:?}"),
    }
}

/// Nothing happens at all, says the second fact.
fn nothing_happens(fact: Fact) -> Case {
    let system = counter();
    // No step is made, or −1 ≥ 0. If none is made, there are no answers.
    let nodes = vec![
        clause(1),
        clause(0),
        leaf(&system, &[0, 1]),
        leaf(&system, &[1]),
        leaf(&system, &[0, 1]),
        leaf(&system, &[1]),
        leaf(&system, &[0]),
    ];
    case(system, FlowProof { facts: vec![set(&[], &[]), fact], tree: Tree { nodes }, ..FlowProof::default() })
}

/// A proof that is refused for `condition` and nothing else.
pub(super) fn violates_only(condition: Condition) -> Wrong {
    let (case, harm) = match condition {
        Condition::FlowPhases => {
            let mut case = right();
            proof(&mut case).phases = vec![0, 0, 0];
            (case, Harm::Untidy)
        }
        Condition::FlowEdges => {
            let mut case = right();
            proof(&mut case).facts.insert(0, set(&[(9, 1)], &[]));
            (case, Harm::Untidy)
        }
        Condition::FlowBase => {
            // Twice along an edge that can only be taken once.
            let system = once();
            let facts = vec![set(&[], &[]), set(&[(0, 2)], &[(&[(1, 1)], 1, -2)]), set(&[(0, 1)], &[])];
            let nodes = vec![clause(0), clause(2), clause(1), leaf(&system, &[1, 2]), leaf(&system, &[0, 1]), leaf(&system, &[0])];
            (case(system, FlowProof { facts, tree: Tree { nodes }, ..FlowProof::default() }), Harm::Untidy)
        }
        Condition::FlowConnected => {
            // The loop without the way to it.
            let system = once();
            let nodes = vec![clause(0), leaf(&system, &[0])];
            let facts = vec![set(&[], &[(&[(1, 1)], 1, 0)])];
            (case(system, FlowProof { facts, tree: Tree { nodes }, ..FlowProof::default() }), Harm::Untidy)
        }
        Condition::FlowPeriod => {
            // Both answers any number of times: no round trips.
            let system = counter();
            let (form, _) = NormalForm::new(&system).unwrap();
            let done: Vec<u32> = form.node_numbers().filter(|&node| form.is_done(node)).collect();
            let facts = vec![set(&[], &[(&[(0, 1)], done[0], 0), (&[(1, 1)], done[1], 0)])];
            let nodes = vec![clause(0), leaf(&system, &[0]), leaf(&system, &[0])];
            (case(system, FlowProof { facts, tree: Tree { nodes }, ..FlowProof::default() }), Harm::False)
        }
        Condition::FlowForward => (nothing_happens(Fact::Forward(Region { globals: vec![], nodes: vec![] })), Harm::False),
        Condition::FlowBackward => (nothing_happens(Fact::Backward(Region { globals: vec![0, 1], nodes: vec![] })), Harm::False),
        other => panic!("no case for {other}"),
    };
    Wrong { case, harm }
}

#[test]
fn a_right_proof_is_accepted() {
    assert_eq!(right().check(), Ok(()));
    let written = right().certificate.to_json();
    assert_eq!(Certificate::from_json(&written).unwrap(), right().certificate);
}

#[test]
fn the_format_is_strict() {
    let facts = |region: fn(Region) -> Fact| {
        let mut case = right();
        let proof = proof(&mut case);
        proof.facts.extend([region(Region { globals: vec![0], nodes: vec![1, 2] }), Fact::Pairs(vec![3])]);
        proof.phases = vec![0, 1];
        case.certificate
    };
    for certificate in [facts(Fact::Forward), facts(Fact::Backward)] {
        let text = certificate.to_json();
        assert_eq!(Certificate::from_json(&text).as_ref(), Ok(&certificate));
        for (from, to) in [
            ("{\"globals\":[0],\"nodes\":[1,2]}", "[[0],[1,2]]"),
            ("\"globals\":[0],", ""),
            ("\"globals\":[0],", "\"globals\":null,"),
            ("\"globals\":[0],", "\"globals\":[0],\"globals\":[0],"),
            ("\"globals\":[0],", "\"globals\":[0],\"more\":[0],"),
            ("{\"base\":[],\"periods\":[]}", "[[],[]]"),
            ("\"periods\":[{", "\"periods\":[[],{"),
            ("{\"edges\":[[1,1]],\"divisor\":1,\"constant\":-1,\"terms\":[[1,1]]}", "[[[1,1]],1,-1,[[1,1]]]"),
            ("\"divisor\":1", "\"divisor\":-1"),
            ("{\"pairs\":[3]}", "{\"pairs\":[3],\"set\":{}}"),
            ("{\"pairs\":[3]}", "{\"pairs\":null}"),
            ("{\"pairs\":[3]}", "[\"pairs\",[3]]"),
            ("{\"pairs\":[3]}", "\"pairs\""),
            ("\"phases\":[0,1],", ""),
            ("\"phases\":[0,1]", "\"phases\":null"),
            ("\"phases\":[0,1]", "\"phases\":[0,1],\"parts\":[]"),
            ("\"tree\":[", "\"tree\":[[9],"),
        ] {
            let error = misread(&certificate, from, to);
            assert!(error.column > 1 && !error.message.is_empty(), "{from} → {to}: {error}");
        }
    }
}

#[test]
fn regions_are_in_order() {
    for (region, refused) in [(Fact::Forward as fn(Region) -> Fact, Condition::FlowForward), (Fact::Backward, Condition::FlowBackward)] {
        let with = |globals: &[u32], nodes: &[u32]| {
            let mut case = right();
            proof(&mut case).facts.push(region(Region { globals: globals.to_vec(), nodes: nodes.to_vec() }));
            case.check()
        };
        assert_eq!(with(&[0, 1], &[0, 1]), Ok(()));
        for (globals, nodes) in [([1, 0], [0, 1]), ([0, 1], [1, 0])] {
            assert_eq!(condition(&with(&globals, &nodes)), refused, "{globals:?} {nodes:?}");
        }
    }
}

#[test]
fn a_node_that_is_landed_on_is_not_fresh() {
    // A request that can go round (node 0) before it goes on. Backwards from
    // the end no request comes from node 0 that has not been there before.
    let steps = [[0, 0, 0, 1], [0, 1, 0, 0], [0, 0, 1, 0]];
    let (form, _) = NormalForm::new(&system(2, &["r!", "r/x"], &steps)).unwrap();
    let fact = Fact::Backward(Region { globals: vec![0, 1], nodes: vec![1] });
    let clause = fact_clause(&form, &[], &fact, &mut enough()).unwrap().unwrap();
    // Going round is possible if the last step is made.
    let counts = [1, 1, 1];
    assert!(clause.iter().any(|literal| literal.holds(&counts)), "{clause:?}");
}

#[test]
fn steps_that_need_others() {
    // `a` raises a flag and lowers it again; `b` answers only while it is up.
    let steps = [[0, 0, 1, 1], [1, 1, 3, 0], [2, 1, 4, 1]];
    let (form, _) = NormalForm::new(&system(2, &["a!", "a", "b!", "a/x", "b/z"], &steps)).unwrap();
    let clause = |without: &[u32]| fact_clause(&form, &[], &Fact::Pairs(without.to_vec()), &mut enough()).unwrap().unwrap();
    let at_least = |terms: &[(u32, i64)], constant| Literal::AtLeastZero(Linear::new(terms.iter().copied(), constant).unwrap());
    // Without the first step no request can make any.
    assert_eq!(clause(&[0]), [at_least(&[(1, -1), (2, -1)], 0), at_least(&[(0, 1)], -1)]);
    // If the flag stays up, `a` gets no further; it need not have come.
    assert_eq!(clause(&[1]), [at_least(&[(0, -1), (2, -1)], 0), at_least(&[(1, 1)], -1)]);
    // The order does not matter.
    assert_eq!(clause(&[1, 0]), clause(&[0, 1]));
    // No request waits for `b`.
    assert_eq!(clause(&[2]), [at_least(&[], 0), at_least(&[(2, 1)], -1)]);
}

#[test]
fn that_one_divides_is_not_said() {
    let (form, _) = NormalForm::new(&once()).unwrap();
    let edges = serial_edges(&form, &mut enough()).unwrap();
    for divisor in 1..4 {
        let Fact::Set(mut set) = set(&[(0, 1)], &[(&[(1, 1)], 1, -1)]) else { panic!("a set") };
        set.periods[0].divisor = divisor;
        let divisions = set_clause(&form, &edges, &set).unwrap().into_iter().filter(|literal| matches!(literal, Literal::NotDivisible(..)));
        assert_eq!(divisions.count(), usize::from(divisor > 1), "{divisor}");
    }
}
