//! What answers rest on, and certificates as they are written.

use super::cases::{
    CYCLE, Case, FENCED, ONE, RUN, Refused, SB, WAITS, about_memory, all, answer, answered, balanced, both, fenced, unreachable, violated,
};
use super::lists::{attacks, begun};
use crate::{By, Certificate, Claim, Condition, Model};

const STAR: &str = "memory x; thread* P { o := fadd(x, 1); l: skip; } never P@l;";

/// Robust, and unreachable for that reason too.
fn robust(text: &str) -> Case {
    let (program, mut certificate) = unreachable(begun(text), all);
    certificate.robust = Some(attacks(&program));
    certificate.answers.push(answer(0, Model::Tso, Claim::Unreachable(By::Robust)));
    (program, certificate)
}

fn accepted() -> Vec<Case> {
    let mut instance = begun(STAR);
    instance.1.instance = Some(2);
    instance.1.answers.push(answer(0, Model::Sc, Claim::Reachable(vec![0])));
    let mut copies = violated(&SB.replace("thread L", "thread* L").replace(" exists L.r == 0 && R.r == 0;", ""), &RUN, &CYCLE);
    copies.1.copies = Some(1);
    // What rests on something may stand before it.
    let mut before = robust(FENCED);
    before.1.answers.reverse();
    // As certificates were before they had words, and with the words in another layout.
    let (mut wordless, mut spaced) = (robust(FENCED), robust(FENCED));
    wordless.1.questions.clear();
    spaced.1.questions[0] = spaced.1.questions[0].replace("==", "\n  ==").replace(' ', "\t");
    vec![
        robust(ONE),
        robust(FENCED),
        before,
        wordless,
        spaced,
        // Two answers to one question, under the two models.
        {
            let (program, mut certificate) = unreachable(begun(SB), all);
            certificate.answers.push(answer(0, Model::Tso, Claim::Reachable(RUN.to_vec())));
            (program, certificate)
        },
        answered(STAR, Model::Sc, Claim::Copies(1, vec![0])),
        instance,
        copies,
    ]
}

/// Refused by one condition alone.
pub(super) fn refused() -> Refused {
    let mut other = unreachable(begun(ONE), all);
    other.1.program = "0".repeat(16);
    let mut no_star = begun(ONE);
    no_star.1.copies = Some(1);
    let mut no_copies = violated(&SB.replace("thread L", "thread* L").replace(" exists L.r == 0 && R.r == 0;", ""), &RUN, &CYCLE);
    no_copies.1.copies = Some(0);
    let mut instance = begun("memory x; thread P { x := 1; l: skip; } never P@l;");
    instance.1.instance = Some(1);
    let mut nowhere = fenced(SB, &[&[(0, 1), (1, 1)]], both());
    nowhere.1.fences.as_mut().unwrap().witnesses[0].copies = Some(1);
    let mut seventh = begun(ONE);
    seventh.1.answers.push(answer(7, Model::Sc, Claim::Reachable(Vec::new())));
    let mut reworded = unreachable(begun(SB), all);
    reworded.1.questions[0] = reworded.1.questions[0].replace("L.r == 0", "L.r == 1");
    let mut unasked = unreachable(begun(SB), all);
    unasked.1.questions.push("never L.r == 0".to_owned());
    let mut not_robust = unreachable(begun(SB), all);
    not_robust.1.answers.push(answer(0, Model::Tso, Claim::Unreachable(By::Robust)));
    let mut only_robust = answered(WAITS, Model::Tso, Claim::Unreachable(By::Robust));
    only_robust.1.robust = Some(attacks(&only_robust.0));
    vec![
        (Condition::Input, other),
        (Condition::Fixed, unreachable(begun("memory x; thread* P { o := fadd(x, 1); } exists P.o == 1;"), all)),
        (Condition::Fixed, no_star),
        (Condition::Fixed, answered(STAR, Model::Sc, Claim::Unreachable(By::States))),
        (Condition::Copies, no_copies),
        (Condition::Copies, answered(STAR, Model::Sc, Claim::Copies(0, vec![0]))),
        (Condition::Copies, instance),
        (Condition::Copies, nowhere),
        (Condition::Question, seventh),
        (Condition::Question, reworded),
        (Condition::Question, unasked),
        (Condition::Given, answered(STAR, Model::Sc, Claim::Unreachable(By::Any))),
        (Condition::Given, answered(WAITS, Model::Sc, Claim::Unreachable(By::States))),
        (Condition::Given, not_robust),
        (Condition::Given, only_robust),
        (Condition::Local, about_memory()),
    ]
}

#[test]
fn as_many_are_refused_as_accepted() {
    balanced(&accepted(), &refused());
}

#[test]
fn what_is_not_a_certificate_is_no_panic() {
    let (_, certificate) = begun(SB);
    let text = certificate.to_json();
    assert_eq!(Certificate::from_json(&text).unwrap(), certificate);
    for cut in 0..text.len() {
        assert!(Certificate::from_json(&text[..cut]).is_err() || text[cut..].trim().is_empty());
    }
    for (from, to) in
        [("serval-tso-certificate", "other"), (",1]", ",2]"), ("{\"format", "{\"more\":1,\"format"), ("\"program\"", "\"programme\"")]
    {
        assert!(Certificate::from_json(&text.replacen(from, to, 1)).is_err(), "{to}");
    }
    assert!(Certificate::from_json("[]").is_err());
}
