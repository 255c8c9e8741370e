//! What is said about proofs that were found, and about facts of every form.

use serval_model::systems_from_json;
use serval_proof::letters::{Automaton, Counting, Level, Loop};

use super::*;
use crate::{Input, Method, Methods, Options, Verdict, decide, recall};

/// `get` can answer 0 to 5, and each of `put`, `a`, `b` and `c` can answer 0 or 1.
fn system() -> NetworkSystem {
    let (mut requests, mut responses, mut steps) = (Vec::new(), Vec::new(), Vec::new());
    for (name, answers) in [("get", 6), ("put", 2), ("a", 2), ("b", 2), ("c", 2)] {
        requests.push(format!("[\"{name}\", \"{name}\"]"));
        for answer in 0..answers {
            responses.push(format!("[\"{name} {answer}\", \"{answer}\"]"));
            steps.push(format!("[\"{name}\", \"g\", \"{name} {answer}\", \"g\"]"));
        }
    }
    let [requests, responses, steps] = [requests, responses, steps].map(|list| list.join(", "));
    let text = format!(r#"{{"initial_global": "g", "requests": [{requests}], "responses": [{responses}], "transitions": [{steps}]}}"#);
    systems_from_json(&text).unwrap().remove(0)
}

/// What is said of these facts; letters are written as `get/1`.
fn said(facts: impl Fn(&dyn Fn(&[&str]) -> Vec<Node>) -> Vec<Fact>) -> Vec<String> {
    let system = system();
    let (form, _) = NormalForm::new(&system).unwrap();
    let letters = |names: &[&str]| -> Vec<Node> {
        let is = |&node: &Node| {
            let Some((request, response)) = form.letter(node) else { return false };
            names.contains(&format!("{}/{}", system.request_name(request), system.response_name(response)).as_str())
        };
        let found: Vec<Node> = form.node_numbers().filter(is).collect();
        assert_eq!(found.len(), names.len());
        found
    };
    let proof = LettersProof { facts: facts(&letters), ..LettersProof::default() };
    super::facts(&system, &proof).unwrap()
}

fn reach(never: Vec<Node>, outside: Vec<Node>, exactly: Vec<Exactly>) -> Fact {
    Fact::Reach(Absence { outside, exactly, never })
}

#[test]
fn absences() {
    let lines = said(|of| {
        vec![
            reach(of(&["get/1"]), of(&["put/1"]), Vec::new()),
            reach(of(&["a/1"]), Vec::new(), Vec::new()),
            reach(of(&["get/2", "a/0"]), of(&["put/1"]), Vec::new()),
            reach(of(&["get/1", "get/2", "get/3", "get/4", "get/5"]), of(&["put/0", "put/1"]), Vec::new()),
            reach(of(&["get/1"]), of(&["put/0", "a/0", "b/0", "b/1", "c/0", "c/1"]), Vec::new()),
            reach(of(&["a/0", "b/1"]), Vec::new(), Vec::new()),
        ]
    });
    assert_eq!(
        lines,
        [
            "get answers 1 or 2, or a answers 0, only if some put answers 1",
            "a never answers, and b never answers 1",
            "get answers 1, 2, 3 or one of 2 others, only if some put answers",
            "get answers 1 only if some put answers 0, or some a answers 0, or some b answers, or there is one of 2 other answers",
        ]
    );
}

#[test]
fn answers_that_are_counted_exactly() {
    let lines = said(|of| {
        let exactly = |names: &[&str], times: u32| Exactly { letters: of(names), times };
        vec![
            reach(of(&["get/1"]), of(&["put/1"]), vec![exactly(&["a/0"], 1)]),
            reach(of(&["get/2"]), Vec::new(), vec![exactly(&["a/0", "a/1"], 2), exactly(&["b/1"], 3)]),
            reach(Vec::new(), of(&["put/1"]), vec![exactly(&["a/0"], 2)]),
            reach(Vec::new(), Vec::new(), vec![exactly(&["a/0"], 2), exactly(&["b/0"], 1)]),
        ]
    });
    assert_eq!(
        lines,
        [
            "where a answers 0 exactly once: get answers 1 only if some put answers 1",
            "where a answers exactly twice in all, and b answers 1 exactly 3 times: get never answers 2",
            "a answers 0 exactly twice only if some put answers 1",
            "it is never so that a answers 0 exactly twice, and b answers 0 exactly once",
        ]
    );
}

#[test]
fn numbers() {
    let lines = said(|of| {
        let letter = |name: &str| of(&[name])[0];
        let bound = |divisor: u64, constant: i64, terms: &[(&str, i64)]| {
            let mut terms: Vec<(Node, i64)> = terms.iter().map(|&(name, factor)| (letter(name), factor)).collect();
            terms.sort_unstable();
            Bound { divisor, constant, terms }
        };
        let count =
            |clause: Vec<Bound>, outside: &[&str]| Fact::Count(Box::new(Counting { outside: of(outside), clause, ..Counting::default() }));
        vec![
            count(vec![bound(0, 0, &[("put/1", 1), ("get/1", -1)])], &[]),
            count(vec![bound(0, 1, &[("put/1", 1), ("get/1", -1), ("get/2", -1)])], &["a/1"]),
            count(vec![bound(0, -2, &[("put/1", 1), ("get/1", -1)])], &[]),
            count(vec![bound(0, 2, &[("get/1", -1)])], &[]),
            count(vec![bound(0, 0, &[("get/1", -1)])], &[]),
            count(vec![bound(0, -1, &[("get/1", 1)])], &[]),
            count(vec![bound(0, -3, &[("put/1", 2), ("get/1", -1)])], &[]),
            count(vec![bound(3, 1, &[("get/1", 1)]), bound(0, 0, &[("a/0", -1)])], &[]),
            count(vec![bound(0, 0, &[("a/0", -1)]), bound(0, -2, &[("b/0", 1)])], &["c/0", "c/1"]),
            count(Vec::new(), &["a/1"]),
        ]
    });
    assert_eq!(
        lines,
        [
            "get answers 1 at most as often as put answers 1",
            "get answers 1 or 2 at most as often as put answers 1, plus 1, or some a answers 1",
            "put answers 1 at least as often as get answers 1, plus 2",
            "get answers 1 at most twice",
            "get never answers 1",
            "get answers 1 at least once",
            "get/1 + 3 is at most 2 × put/1",
            "a answers 0 only if get/1 + 1 and 0 differ by no multiple of 3",
            "a answers 0 only if b answers 0 at least twice, or some c answers",
            "some a answers 1",
        ]
    );
}

#[test]
fn answers_that_need_no_fact() {
    let system = system();
    let (form, _) = NormalForm::new(&system).unwrap();
    let letters: Vec<Node> = form.node_numbers().filter(|&node| form.is_done(node)).collect();
    // The first letter is removed without a guard, the last two are left, and
    // of these one has a loop at the start.
    let (first, [before, last]) = (letters[0], [letters[letters.len() - 2], letters[letters.len() - 1]]);
    let automaton = Automaton { states: 2, start: 0, edges: vec![(0, before, 0), (0, last, 1), (1, before, 1)] };
    let level = Level { loops: vec![Loop { letter: first, guard: None }], automaton, relation: Vec::new() };
    let proof = LettersProof { levels: vec![level], classes: vec![vec![before], vec![last]], ..LettersProof::default() };
    assert_eq!(facts(&system, &proof).unwrap(), ["however often get answers 0, or c answers 0, that fits into every serial run"]);
}

#[test]
fn a_proof_that_was_found_is_told_and_told_again() {
    let text = "
        request outgoing { OPEN := 1; yield; SENT := 1; 1 }
        request reply { if (SENT == 0) { return 0 }; if (OPEN == 1) { return 1 }; 2 }
        request probe { OPEN }";
    let input = Input::program(text).unwrap();
    let options = Options { methods: Methods::Portfolio(vec![Method::Letters]), ..Options::default() };
    let decision = decide(&input, &options);
    let Verdict::Serializable(evidence) = &decision.verdict else { panic!() };
    assert_eq!(decision.proof.len(), 1);
    let facts = &decision.proof[0].facts;
    assert!(facts.iter().any(|fact| fact.contains("reply answers 1") && fact.ends_with(" only if some outgoing answers")), "{facts:?}");
    assert_eq!(recall(&input, &evidence.certificate, &options).unwrap().proof, decision.proof);
    // A proof of another kind says nothing here.
    let options = Options { methods: Methods::Portfolio(vec![Method::Reduce]), ..Options::default() };
    assert_eq!(decide(&Input::program("request flip { X := 1 - X; X }").unwrap(), &options).proof, []);
}

#[test]
fn cases_are_told_with_what_excludes_them() {
    let text = "request put { STORED := 1; yield; 0 }\nrequest get { seen := STORED; yield; seen }";
    let input = Input::program(text).unwrap();
    let options = Options { proof: true, methods: Methods::Portfolio(vec![Method::Decompose]), ..Options::default() };
    let decision = decide(&input, &options);
    assert!(matches!(decision.verdict, Verdict::Serializable(_)), "{:?}", decision.verdict);
    let [note] = decision.proof.as_slice() else { panic!("{:?}", decision.proof) };
    assert_eq!(note.kind, "cases");
    let facts = &note.facts;
    assert!(facts.iter().all(|fact| fact.starts_with("it is never so that ") && fact.ends_with(')')), "{facts:?}");
    assert!(facts.iter().any(|fact| fact.contains("get answers 1 at least once") && fact.contains("put never answers")), "{facts:?}");
}
