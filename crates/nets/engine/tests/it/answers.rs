//! Answers about random nets, against trying everything.

use std::collections::BTreeMap;

use serval_budget::{Budget, Cancel};
use serval_model::SplitMix64;
use serval_net_engine::GoalOutcome;
use serval_net_proof::{Certificate, Claim};
use serval_petri::{Formula, Net, Property};
use serval_random::nets::{Markings, Question, net};
use serval_testkit::say;

/// Markings that are tried; explicit search looks at more, so it knows all that trying finds.
const MARKINGS: usize = 2_000;

#[derive(Default)]
struct Tally {
    bounded: u64,
    questions: u64,
    holds: u64,
    fails: u64,
    /// Only about unbounded nets.
    open: u64,
    compared: u64,
    methods: BTreeMap<String, u64>,
}

impl Tally {
    /// What was counted in both.
    fn and(mut self, other: Self) -> Self {
        for (method, count) in other.methods {
            *self.methods.entry(method).or_default() += count;
        }
        Self {
            bounded: self.bounded + other.bounded,
            questions: self.questions + other.questions,
            holds: self.holds + other.holds,
            fails: self.fails + other.fails,
            open: self.open + other.open,
            compared: self.compared + other.compared,
            methods: self.methods,
        }
    }
}

fn ask(seed: u64) -> Tally {
    let mut tally = Tally::default();
    let net = net(seed);
    let markings = Markings::of(&net, MARKINGS);
    tally.bounded += u64::from(markings.is_complete);
    let questions = Question::all(&mut SplitMix64::new(seed ^ 0x5EED), &net);
    // Evidence is about the property as it is read from its own text.
    let read = |question: &Question| {
        let text = Property::parse(&question.text(&net), &net).unwrap().text(&net).unwrap();
        Property::parse(&text, &net).unwrap()
    };
    let properties: Vec<Property> = questions.iter().map(read).collect();
    let goals: Vec<Vec<Formula>> = properties.iter().map(|property| property.goals(&net).unwrap()).collect();
    let all: Vec<Formula> = goals.iter().flatten().cloned().collect();
    let mut answers = serval_net_engine::decide(&net, &all, 3, &Cancel::new()).into_iter();
    for ((question, property), goals) in questions.iter().zip(&properties).zip(&goals) {
        let about = format!("net {seed}, {}:\n{}", question.text(&net), serval_petri::tina::write(&net));
        let mut evidence = Vec::new();
        for (goal, formula) in goals.iter().enumerate() {
            let answer = match answers.next().unwrap() {
                GoalOutcome::Answer(answer) => answer,
                GoalOutcome::Nothing | GoalOutcome::TooLarge { .. } => continue,
                GoalOutcome::Refused(answer, rejection) => panic!("{about}{rejection}: {answer:?}"),
            };
            let kind = answer.evidence.kind();
            *tally.methods.entry(format!("{} ({kind})", answer.method)).or_default() += 1;
            let found = markings.all.iter().any(|marking| formula.holds(&serval_petri::Marking::new(marking.clone())));
            assert!(!found || answer.claim == Claim::Reachable, "{about}goal {goal} is excluded by {kind}, and there");
            assert!(
                found || !markings.is_complete || answer.claim == Claim::Unreachable,
                "{about}goal {goal} is found by {kind}, and not there"
            );
            evidence.push((goal, answer.evidence));
        }
        compare(&net, (question, property), goals.len(), evidence, &markings, &about, &mut tally);
    }
    tally
}

fn compare(
    net: &Net,
    (question, property): (&Question, &Property),
    goals: usize,
    evidence: Vec<(usize, serval_net_proof::Evidence)>,
    markings: &Markings,
    about: &str,
    tally: &mut Tally,
) {
    let known = markings.answer(net, question);
    tally.questions += 1;
    let Some(certificate) = Certificate::new(net, &property.text(net).unwrap(), property.decides(), goals, evidence) else {
        assert_eq!(known, None, "{about}is not answered");
        tally.open += 1;
        return;
    };
    let certificate = Certificate::from_json(&certificate.to_json()).unwrap();
    let checked = certificate.check(net, &mut Budget::unlimited());
    assert_eq!(checked, Ok(()), "{about}{}", certificate.to_json());
    if let Some(known) = known {
        assert_eq!(certificate.holds, known, "{about}{}", certificate.to_json());
        tally.compared += 1;
    }
    *(if certificate.holds { &mut tally.holds } else { &mut tally.fails }) += 1;
}

#[test]
fn no_answer_is_wrong_and_no_evidence_is_refused() {
    let sweep = serval_effort::sweep("nets.answers", 60, 200);
    let nets = sweep.count();
    let tally = sweep.map(1, ask).into_iter().fold(Tally::default(), Tally::and);
    let Tally { bounded, questions, holds, fails, open, compared, methods } = tally;
    say(&format!("nets: {nets}, {bounded} bounded; {questions} questions: {holds} hold, {fails} do not, {open} open; {compared} compared"));
    say(&format!("nets: answers about goals by {methods:?}"));
    if !sweep.is_representative() {
        return;
    }
    assert!(bounded * 10 >= nets * 3 && bounded < nets, "{bounded} of {nets} are bounded");
    assert!(holds * 5 >= questions && fails * 5 >= questions && compared * 5 >= questions * 4 && open * 50 <= questions, "too one-sided");
}
