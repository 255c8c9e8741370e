//! Invariants: right ones, and ones that only one condition refuses.

use serval_model::{NetworkSystem, NormalForm};

use super::flow::{once, set};
use super::scripts::{Harm, Wrong};
use super::support::{Case, counter, enough, misread};
use crate::flow::{Fact, LinearSet, serial_edges, set_clause};
use crate::invariant::{Bound, InvariantProof, Preservation, afterwards, is_kept, node_variable};
use crate::{Body, Certificate, Condition, Part, Refusal};
use serval_linear::{Node, Reference, Tree};

fn form(system: &NetworkSystem) -> NormalForm {
    NormalForm::new(system).unwrap().0
}

fn case(system: NetworkSystem, proof: InvariantProof) -> Case {
    Case::proved(system, Part::Invariant(Box::new(proof)))
}

fn proof(case: &mut Case) -> &mut InvariantProof {
    match &mut case.certificate.body {
        Body::Part(Part::Invariant(proof)) => proof,
        other => panic!("{other:?}"),
    }
}

/// The set of a fact.
fn only_set(fact: Fact) -> LinearSet {
    match fact {
        Fact::Set(set) => set,
        other => panic!("{other:?}"),
    }
}

/// A leaf that adds up facts.
fn farkas(facts: &[usize]) -> Node {
    Node::Farkas { combination: facts.iter().map(|&fact| (Reference::Fact(u32::try_from(fact).unwrap()), 1)).collect() }
}

/// Nodes that are not done: about each there is an equality at the end.
fn open_nodes(form: &NormalForm) -> Vec<u32> {
    form.node_numbers().filter(|&node| !form.is_done(node)).collect()
}

/// The first step is made at most once, and then the other global state is there.
pub(super) fn right() -> Case {
    let system = once();
    let bound = Bound { terms: vec![(0, -1)], under: vec![(1, 1)], constant: 0 };
    let sets = vec![only_set(set(&[], &[])), only_set(set(&[(0, 1)], &[(&[(1, 1)], 1, -1)]))];
    // One equality and one inequality come first. r ≥ 1, and then r ≤ 0; or r ≤ −1.
    let nodes = vec![clause_of(0), clause_of(1), farkas(&[2, 3]), farkas(&[2])];
    let ends = vec![Tree { nodes }; 2];
    case(system, InvariantProof { clauses: vec![vec![bound]], sets, ends, ..InvariantProof::default() })
}

/// Splits on the clause of a set; all clauses of the invariant are inequalities.
fn clause_of(set: u32) -> Node {
    Node::Clause { clause: set }
}

/// Says that no step is ever made, of a system in which many are.
fn nothing_happens(system: NetworkSystem) -> InvariantProof {
    let form = form(&system);
    let steps = u32::try_from(form.steps().len()).unwrap();
    let none = Bound { terms: (0..steps).map(|step| (step, -1)).collect(), ..Bound::default() };
    let sets = vec![only_set(set(&[], &[]))];
    let edges = serial_edges(&form, &mut enough()).unwrap();
    let literals = set_clause(&form, &edges, &sets[0]).unwrap();
    let first = open_nodes(&form).len();
    // Some answer is given, against the first inequality; or less often than never.
    let mut nodes = vec![clause_of(0)];
    nodes.extend(literals.iter().map(|literal| {
        let given = literal.linear().terms().iter().all(|&(_, coefficient)| coefficient > 0);
        if given { farkas(&[first, first + 1]) } else { farkas(&[first + 1]) }
    }));
    let ends = vec![Tree { nodes }; form.global_count() as usize];
    InvariantProof { clauses: vec![vec![none]], sets, ends, ..InvariantProof::default() }
}

/// Says that no request is ever anywhere, so that no step is ever made.
fn nobody_comes(system: NetworkSystem) -> InvariantProof {
    let form = form(&system);
    let mut proof = nothing_happens(system);
    let open = open_nodes(&form);
    for &node in &open {
        proof.clauses.push(vec![Bound { terms: vec![(node_variable(&form, node).unwrap(), -1)], ..Bound::default() }]);
    }
    // The facts that the sets add come after those of the open nodes.
    let shift = u32::try_from(open.len()).unwrap();
    for tree in &mut proof.ends {
        for node in &mut tree.nodes {
            let Node::Farkas { combination } = node else { continue };
            for (reference, _) in combination {
                match reference {
                    Reference::Fact(fact) if *fact > shift => *fact += shift,
                    _ => {}
                }
            }
        }
    }
    for (number, step) in (0..).zip(form.steps()) {
        for (index, clause) in (0..).zip(&proof.clauses) {
            if !is_kept(clause, step.global, &afterwards(&form, clause, number, step).unwrap()) {
                // A request is there, and none is.
                let none = 2 + open.iter().position(|&node| node == step.node).unwrap();
                proof.kept.push(Preservation { step: number, clause: index, tree: Tree { nodes: vec![farkas(&[0, none])] } });
            }
        }
    }
    proof
}

/// A proof that is refused for `condition` and nothing else.
pub(super) fn violates_only(condition: Condition) -> Wrong {
    let (case, harm) = match condition {
        Condition::InvariantNumbers => {
            let mut case = right();
            proof(&mut case).clauses.push(vec![Bound { terms: vec![(99, 1)], ..Bound::default() }]);
            (case, Harm::Untidy)
        }
        Condition::InvariantInitial => {
            // It is never so, and every step keeps it so.
            let system = counter();
            let form = form(&system);
            let clauses = vec![vec![Bound { constant: -1, ..Bound::default() }]];
            let ends = vec![Tree { nodes: vec![farkas(&[open_nodes(&form).len()])] }; form.global_count() as usize];
            (case(system, InvariantProof { clauses, ends, ..InvariantProof::default() }), Harm::False)
        }
        Condition::InvariantArrival => (case(counter(), nobody_comes(counter())), Harm::False),
        Condition::InvariantStep => (case(counter(), nothing_happens(counter())), Harm::False),
        Condition::InvariantEnds => (case(counter(), InvariantProof::default()), Harm::False),
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
    let certificate = case(counter(), nobody_comes(counter())).certificate;
    let text = certificate.to_json();
    assert_eq!(Certificate::from_json(&text).as_ref(), Ok(&certificate));
    for (from, to) in [
        ("\"clauses\":", "\"klauses\":"),
        ("\"under\":[],", ""),
        ("\"under\":[],", "\"under\":null,"),
        ("\"under\":[],", "\"under\":[],\"under\":[],"),
        ("\"constant\":0", "\"constant\":0.5"),
        ("\"step\":0", "\"step\":-1"),
        ("\"kept\":", "\"phases\":[],\"kept\":"),
        ("\"sets\":", "\"component\":0,\"sets\":"),
        ("\"ends\":[", "\"ends\":[[[9]],"),
    ] {
        let error = misread(&certificate, from, to);
        assert!(!error.message.is_empty(), "{from} → {to}: {error}");
    }
}

#[test]
fn nothing_is_said_of_what_is_not_there() {
    let with = |bound: Bound| {
        let mut case = right();
        proof(&mut case).clauses.push(vec![bound]);
        case
    };
    let form = form(&right().system);
    let (states, variables) = (form.global_count(), node_variable(&form, form.node_numbers().end).unwrap());
    let under = |global| Bound { under: vec![(global, 1)], ..Bound::default() };
    let about = |variable| Bound { terms: vec![(variable, 1)], ..Bound::default() };
    for bound in [under(states), about(variables)] {
        match with(bound).check() {
            Err(Refusal::Invalid(rejection)) => assert_eq!(rejection.condition, Condition::InvariantNumbers, "{rejection}"),
            other => panic!("{other:?}"),
        }
    }
    // The last ones are there; the trees are about another problem now, and so it is refused later.
    for bound in [under(states - 1), about(variables - 1)] {
        match with(bound).check() {
            Err(Refusal::Invalid(rejection)) => assert_ne!(rejection.condition, Condition::InvariantNumbers, "{rejection}"),
            other => assert_eq!(other, Ok(())),
        }
    }
}

/// A step is not kept for free where a constant falls, by whatever it changes.
#[test]
fn every_change_of_a_bound_counts() {
    let system = once();
    let form = form(&system);
    let (begin, done) = (node_variable(&form, 0).unwrap(), node_variable(&form, 1).unwrap());
    let step = &form.steps()[0];
    let kept = |bound: Bound| {
        let clause = vec![bound];
        is_kept(&clause, step.global, &afterwards(&form, &clause, 0, step).unwrap())
    };
    let terms = |terms: &[(u32, i64)]| Bound { terms: terms.to_vec(), ..Bound::default() };
    assert!(kept(terms(&[(0, 1)])) && !kept(terms(&[(0, -1)])), "the step itself");
    assert!(kept(terms(&[(1, -1)])), "another step");
    assert!(kept(terms(&[(begin, -1)])) && !kept(terms(&[(begin, 1)])), "where it leaves");
    assert!(kept(terms(&[(done, 1)])) && !kept(terms(&[(done, -1)])), "where it lands");
    assert!(kept(Bound { under: vec![(1, 1)], ..Bound::default() }) && !kept(Bound { under: vec![(0, 1)], ..Bound::default() }));
    assert!(kept(terms(&[(0, -1), (done, 1)])) && !kept(terms(&[(0, -2), (done, 1)])));
}
