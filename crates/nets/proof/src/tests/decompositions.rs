//! Decompositions that are accepted, and those that one condition alone refuses.

use serval_budget::Budget;
use serval_petri::{Formula, Net};

use super::cases::{CYCLE, Case, MOVE, SOURCE, net_of, tree};
use crate::decomposition::sequence::Sequence;
use crate::decomposition::system::System;
use crate::decomposition::{Covering, Decomposition, PlaceValue, SequenceStep, replaced, value_problem};
use crate::{Condition, Evidence, Refusal, check};

/// A cycle that has no token, and would count.
const EMPTY: &str = "pl x (0)\npl y (0)\npl c (0)\ntr t x -> y c\ntr u y -> x\n";
/// A token that moves, and pairs that come.
const PAIRS: &str = "pl a (1)\npl b (0)\npl c (0)\ntr t a -> b\ntr u -> c*2\n";
/// Two for one.
const DOUBLE: &str = "pl a (0)\npl b (0)\ntr t -> a*2 b\n";

const fn case(net: &'static str, property: &'static str, evidence: &'static str) -> Case {
    Case { net, property, holds: false, evidence }
}

pub(super) const REFUSED: &[(Condition, bool, Case)] = &[
    (Condition::DecompositionOpen, false, case(MOVE, "reaches:b = 1", r#"{"decomposition":{"steps":[]}}"#)),
    // One of two cases is left out: that `t` is used.
    (
        Condition::DecompositionOpen,
        false,
        case(MOVE, "reaches:b = 1", r#"{"decomposition":{"steps":[{"first":{"piece":0,"arcs":[0]}},{"refuted":TREE}]}}"#),
    ),
    // More values than there can be steps.
    (
        Condition::DecompositionOpen,
        false,
        case(
            SOURCE,
            "reachable:b = 0",
            r#"{"decomposition":{"steps":[{"value":{"piece":0,"last":true,"place":1,"least":0,"most":9000000000000000000,"tree":TREE}}]}}"#,
        ),
    ),
    // One of two cases of the goal is left out, and it can be reached; or all of them.
    (
        Condition::DecompositionOpen,
        false,
        case(MOVE, "reachable:a = 1 and b = 1 or b = 1", r#"{"decomposition":{"steps":[{"refuted":TREE}]}}"#),
    ),
    (Condition::DecompositionOpen, false, case(MOVE, "reachable:b >= 1 or a >= 2", r#"{"decomposition":{"steps":[]}}"#)),
    (
        Condition::DecompositionRest,
        true,
        case(MOVE, "reaches:a = 1, b = 1", r#"{"decomposition":{"steps":[{"refuted":TREE},{"refuted":TREE}]}}"#),
    ),
    (Condition::DecompositionPiece, false, case(MOVE, "reaches:b = 1", r#"{"decomposition":{"steps":[{"leave":1}]}}"#)),
    (
        Condition::DecompositionVertices,
        false,
        case(MOVE, "reaches:b = 1", r#"{"decomposition":{"steps":[{"forward":{"piece":0,"vertices":[[0,[1]]],"edges":[]}}]}}"#),
    ),
    (
        Condition::DecompositionVertices,
        false,
        case(MOVE, "reaches:b = 1", r#"{"decomposition":{"steps":[{"forward":{"piece":0,"vertices":[[1,[1,0]]],"edges":[]}}]}}"#),
    ),
    (
        Condition::DecompositionRoot,
        false,
        case(MOVE, "reaches:b = 1", r#"{"decomposition":{"steps":[{"forward":{"piece":0,"vertices":[[0,[0,0]]],"edges":[]}}]}}"#),
    ),
    (
        Condition::DecompositionRoot,
        false,
        case(MOVE, "reaches:b = 1", r#"{"decomposition":{"steps":[{"backward":{"piece":0,"vertices":[[0,[0,0]]],"edges":[]}}]}}"#),
    ),
    // A graph may not begin at another vertex of the piece, from which the exit is not reached.
    (
        Condition::DecompositionRoot,
        false,
        case(
            "pl a (0)\ntr t -> a\n",
            "reaches:a = 1",
            r#"{"decomposition":{"steps":[{"forward":{"piece":0,"vertices":[[0,[0]],[0,[null]],[0,[null]]],"edges":[1,1,2]}},
                {"forward":{"piece":0,"vertices":[[2,[null]]],"edges":[0]}},{"refuted":TREE}]}}"#,
        ),
    ),
    (
        Condition::DecompositionEdges,
        false,
        case(MOVE, "reaches:b = 1", r#"{"decomposition":{"steps":[{"forward":{"piece":0,"vertices":[[0,[1,0]]],"edges":[]}}]}}"#),
    ),
    (
        Condition::DecompositionEdges,
        true,
        case(EMPTY, "reaches:c = 1", r#"{"decomposition":{"steps":[{"forward":{"piece":0,"vertices":[[0,[0,0,0]]],"edges":[0]}}]}}"#),
    ),
    (
        Condition::DecompositionClosed,
        false,
        case(MOVE, "reaches:b = 1", r#"{"decomposition":{"steps":[{"forward":{"piece":0,"vertices":[[0,[1,0]]],"edges":[0]}}]}}"#),
    ),
    (
        Condition::DecompositionClosed,
        false,
        case(MOVE, "reaches:b = 1", r#"{"decomposition":{"steps":[{"forward":{"piece":0,"vertices":[[0,[1,0]]],"edges":[7]}}]}}"#),
    ),
    (
        Condition::DecompositionClosed,
        false,
        case(MOVE, "reaches:b = 1", r#"{"decomposition":{"steps":[{"backward":{"piece":0,"vertices":[[0,[0,1]]],"edges":[0]}}]}}"#),
    ),
    // The number falls along the only arc, so that no run seems to leave.
    (
        Condition::DecompositionOrder,
        false,
        case(
            MOVE,
            "reaches:b = 1",
            r#"{"decomposition":{"steps":[{"forward":{"piece":0,"vertices":[[0,[1,0]],[0,[0,1]]],"edges":[1]}},
                {"order":{"piece":0,"numbers":[1,0]}},{"leave":0}]}}"#,
        ),
    ),
    (
        Condition::DecompositionOrder,
        true,
        case(MOVE, "reaches:a = 1, b = 1", r#"{"decomposition":{"steps":[{"order":{"piece":0,"numbers":[]}},{"refuted":TREE}]}}"#),
    ),
    (Condition::DecompositionOrdered, false, case(MOVE, "reaches:b = 1", r#"{"decomposition":{"steps":[{"leave":0}]}}"#)),
    (
        Condition::DecompositionPlace,
        true,
        case(
            MOVE,
            "reaches:a = 1, b = 1",
            r#"{"decomposition":{"steps":[{"value":{"piece":0,"last":true,"place":2,"least":0,"most":0,"tree":[]}},{"refuted":TREE}]}}"#,
        ),
    ),
    (
        Condition::DecompositionArcs,
        true,
        case(MOVE, "reaches:a = 1, b = 1", r#"{"decomposition":{"steps":[{"first":{"piece":0,"arcs":[1]}},{"refuted":TREE}]}}"#),
    ),
];

pub(super) const ACCEPTED: &[Case] = &[
    case(MOVE, "reaches:a = 1, b = 1", r#"{"decomposition":{"steps":[{"refuted":TREE}]}}"#),
    // One case after the other: two, one that a row excludes, and none at all.
    case(CYCLE, "reachable:a = 1 and b = 1 and (a = 0 or b = 0)", r#"{"decomposition":{"steps":[{"refuted":TREE},{"refuted":TREE}]}}"#),
    case(PAIRS, "reachable:a + b >= 2", r#"{"decomposition":{"steps":[{"refuted":TREE}]}}"#),
    case(PAIRS, "reachable:c = 2*a + 2*b - 1", r#"{"decomposition":{"steps":[{"refuted":TREE}]}}"#),
    case(PAIRS, "reachable:2*c = 3", r#"{"decomposition":{"steps":[{"refuted":TREE}]}}"#),
    case(PAIRS, "reachable:false", r#"{"decomposition":{"steps":[]}}"#),
    // A row counts where a value is asked for, too.
    case(
        DOUBLE,
        "reachable:a = b + 2 and b != 2",
        r#"{"decomposition":{"steps":[{"value":{"piece":0,"last":true,"place":0,"least":4,"most":4,"tree":TREE}},{"refuted":TREE},{"refuted":TREE}]}}"#,
    ),
    case(EMPTY, "reaches:c = 1", r#"{"decomposition":{"steps":[{"forward":{"piece":0,"vertices":[[0,[0,0,0]]],"edges":[]}}]}}"#),
    case(EMPTY, "reaches:c = 1", r#"{"decomposition":{"steps":[{"backward":{"piece":0,"vertices":[[0,[0,0,1]]],"edges":[]}}]}}"#),
    case(
        SOURCE,
        "reaches:a = 4, b = 1",
        r#"{"decomposition":{"steps":[{"forward":{"piece":0,"vertices":[[0,[0,0]],[0,[null,0]]],"edges":[1,1]}}]}}"#,
    ),
    // By way of both parts between the first and the last.
    case(
        PAIRS,
        "reaches:b = 1, c = 1",
        r#"{"decomposition":{"steps":[{"forward":{"piece":0,"vertices":[[0,[1,0,0]],[0,[0,1,0]],[0,[1,0,null]],[0,[0,1,null]]],"edges":[1,2,3,3,2,3]}},
            {"order":{"piece":0,"numbers":[0,1,2,3]}},{"leave":0},{"leave":1},{"leave":2},{"refuted":TREE},{"refuted":TREE}]}}"#,
    ),
    case(
        DOUBLE,
        "reachable:a = 1 and b >= 0",
        r#"{"decomposition":{"steps":[{"value":{"piece":0,"last":true,"place":1,"least":0,"most":1,"tree":TREE}},{"refuted":TREE},{"refuted":TREE}]}}"#,
    ),
    case(
        DOUBLE,
        "reachable:a = 1",
        r#"{"decomposition":{"steps":[{"value":{"piece":0,"last":true,"place":1,"least":1,"most":0,"tree":TREE}}]}}"#,
    ),
    case(
        MOVE,
        "reaches:a = 1, b = 1",
        r#"{"decomposition":{"steps":[{"first":{"piece":0,"arcs":[0]}},{"refuted":TREE},{"refuted":TREE}]}}"#,
    ),
];

/// Asks for the trees of a decomposition, as far as its steps can be followed.
pub(super) fn fill(net: &Net, goal: &Formula, decomposition: &mut Decomposition) {
    let (mut open, budget) = (Sequence::cases(net, goal).unwrap(), &mut Budget::unlimited());
    open.reverse();
    for step in &mut decomposition.steps {
        let Some(sequence) = open.pop() else { return };
        let system = || System::new(net, &sequence, false, &mut Budget::unlimited()).unwrap();
        match step {
            SequenceStep::Refuted(refuted) => match tree(system().problem) {
                Some(found) => *refuted = found,
                None => return,
            },
            SequenceStep::Value(value) if value.place < net.place_count() => {
                value.tree = tree(value_problem(system(), value).unwrap()).unwrap_or_default();
            }
            _ => {}
        }
        let Ok(next) = replaced(net, &sequence, step, 100, budget) else { return };
        open.extend(next.into_iter().rev());
    }
}

/// Of a list that is longer than there are steps, the checker keeps no open part.
#[test]
fn values_are_not_listed_before_there_are_steps_for_them() {
    let net = net_of(SOURCE);
    let evidence = REFUSED[2].2.certificate().evidence.remove(0).evidence;
    let goal = &serval_petri::Property::parse("reachable:b = 0", &net).unwrap().goals(&net).unwrap()[0];
    let checked = check(&net, goal, evidence.claim(), &evidence, &mut Budget::ticks(1_000));
    assert!(matches!(checked, Err(Refusal::Invalid(rejection)) if rejection.condition == Condition::DecompositionOpen));
}

/// Weights and tokens of 64 bits are too large for systems, or fit.
#[test]
fn numbers_that_do_not_fit_are_no_answer() {
    let mut net = Net::new("");
    let [a, b] = ["a", "b"].map(|name| net.add_place(name, u64::MAX).unwrap());
    net.add_transition("t", [(a, 1)], [(b, u64::MAX)]).unwrap();
    let goal = &serval_petri::Property::parse("reachable:a = 1 and b = 0", &net).unwrap().goals(&net).unwrap()[0];
    let graph = Covering { piece: 0, vertices: vec![(0, vec![Some(u64::MAX); 2])], edges: vec![] };
    for step in [SequenceStep::Refuted(serval_linear::Tree::default()), SequenceStep::Forward(graph)] {
        let evidence = Evidence::Decomposition(Decomposition { steps: vec![step] });
        let checked = check(&net, goal, evidence.claim(), &evidence, &mut Budget::unlimited());
        assert!(matches!(checked, Err(Refusal::TooLarge { .. })), "{checked:?}");
    }
}

/// Both arcs change `a`, and are used any number of times.
#[test]
fn each_arc_has_its_own_effect() {
    let net = net_of("pl a (1)\ntr t a -> a*3\ntr u a*2 -> a\n");
    let goal = &serval_petri::Property::parse("reachable:a >= 5", &net).unwrap().goals(&net).unwrap()[0];
    let sequence = &Sequence::cases(&net, goal).unwrap()[0];
    let budget = &mut Budget::unlimited();
    let system = || System::new(&net, sequence, false, &mut Budget::unlimited()).unwrap();
    let factors = |linear: &serval_linear::Linear| linear.terms().iter().map(|term| term.1).collect::<Vec<_>>();
    let (begin, end) = (system().entries[0][0].clone(), system().exits[0][0].clone());
    assert_eq!((factors(&begin), begin.constant(), factors(&end), end.constant()), (vec![], 1, vec![2, -1], 1));
    // Of the tokens in the beginning one can say how many they are, and of those at the end one cannot.
    let value = |last, tree| PlaceValue { piece: 0, last, place: 0, least: 1, most: 1, tree };
    let asked = |last| value_problem(system(), &value(last, serval_linear::Tree::default())).unwrap();
    let begins = tree(asked(false)).unwrap();
    assert_eq!(tree(asked(true)), None);
    let next = replaced(&net, sequence, &SequenceStep::Value(value(false, begins)), 100, budget).unwrap();
    assert_eq!((next.len(), next[0].pieces[0].first.as_slice()), (1, &[Some(1)][..]));
    assert_eq!(next[0].pieces[0].last, sequence.pieces[0].last);
}

/// A token moves once: forward from where it is, and then backward from where it is wanted.
#[test]
fn arcs_of_a_covering_lead_from_where_they_begin() {
    let net = net_of(MOVE);
    let goal = &serval_petri::Property::parse("reachable:a = 0 and b = 1", &net).unwrap().goals(&net).unwrap()[0];
    let (before, after) = (vec![Some(1), Some(0)], vec![Some(0), Some(1)]);
    let step = |vertices| Covering { piece: 0, vertices, edges: vec![1] };
    let next = |sequence: &Sequence, step| replaced(&net, sequence, &step, 100, &mut Budget::unlimited()).unwrap();
    let ways = next(&Sequence::cases(&net, goal).unwrap()[0], SequenceStep::Forward(step(vec![(0, before.clone()), (0, after.clone())])));
    let moved: Vec<&Sequence> = ways.iter().filter(|way| way.pieces[0].exit == 1).collect();
    let arcs = |sequence: &Sequence| sequence.pieces[0].arcs.iter().map(|arc| (arc.from, arc.to)).collect::<Vec<_>>();
    assert_eq!((moved.len(), moved[0].pieces[0].entry, arcs(moved[0])), (1, 0, vec![(0, 1)]));
    let ways = next(moved[0], SequenceStep::Backward(step(vec![(1, after), (0, before)])));
    let moved: Vec<&Sequence> = ways.iter().filter(|way| way.pieces[0].entry == 1).collect();
    assert_eq!((moved.len(), moved[0].pieces[0].exit, arcs(moved[0])), (1, 0, vec![(1, 0)]));
}
