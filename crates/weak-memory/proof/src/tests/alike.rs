//! The rule of threads that are alike: lists of one order are accepted where nothing tells the threads apart, and else
//! refused.

use serval_tso_program::Program;

use super::cases::{Case, Refused, answer, balanced, checked, refusal};
use super::lists::{all_live, attacks_in, begun, closed_in};
use super::{finals, merged};
use crate::state::Model as Memory;
use crate::{By, Certificate, Claim, Condition, Model};

type Groups = [Vec<usize>];

fn says(program: &Program, certificate: &mut Certificate, model: Model, by: By) {
    (0..program.questions.len()).for_each(|question| certificate.answers.push(answer(question, model, Claim::Unreachable(by))));
}

fn sequential(text: &str, groups: &Groups) -> Case {
    let (program, mut certificate) = begun(text);
    certificate.sc = Some(closed_in(&program, Memory::Sc, all_live(&program), groups));
    says(&program, &mut certificate, Model::Sc, By::States);
    (program, certificate)
}

fn buffered(text: &str, groups: &Groups) -> Case {
    let (program, mut certificate) = begun(text);
    certificate.tso = Some(closed_in(&program, Memory::Tso, all_live(&program), groups));
    says(&program, &mut certificate, Model::Tso, By::States);
    (program, certificate)
}

fn by_finals(text: &str, groups: &Groups) -> Case {
    let (program, mut certificate) = begun(text);
    certificate.finals = Some(finals::list_in(&program, groups));
    says(&program, &mut certificate, Model::Sc, By::Finals);
    (program, certificate)
}

fn by_merged(text: &str, groups: &Groups) -> Case {
    let (program, mut certificate) = begun(text);
    certificate.merged = Some(merged::list_in(&program, groups));
    says(&program, &mut certificate, Model::Tso, By::Merged);
    (program, certificate)
}

fn attacked(text: &str, groups: &Groups) -> Case {
    let (program, mut certificate) = begun(text);
    certificate.robust = Some(attacks_in(&program, groups));
    (program, certificate)
}

/// A lock, and three threads that take it.
fn lock(questions: &str) -> String {
    let thread = |name: &str| format!("thread {name} {{ o := xchg(l, 1); assume o == 0; cs: skip; l := 0; }} ");
    format!("memory l; {}{}{}{questions}", thread("P"), thread("Q"), thread("R"))
}

/// Threads that store, and look at what others have stored.
const LOOK: &str = "memory x, y; thread P { x := 1; r := y; } thread Q { x := 1; r := y; } thread R { y := 1; s := x; } ";
/// One thread that stores without an end, and two that look.
const AGAIN: &str = "memory x; thread P { loop { x := 1; } } thread Q { r := x; } thread R { r := x; } ";
/// Two equal threads of which one alone has something stored at a time.
const IN_TURN: &str = "memory x; thread P { r := fadd(x, 1); e: skip; } thread Q { r := fadd(x, 1); e: skip; } ";

/// Two equal threads with points.
const POINTS: &str = "memory x; thread P { a: x := 1; m: skip; } thread Q { a: x := 1; m: skip; } ";

const PAIRS: &str = "never P@cs && Q@cs; never Q@cs && R@cs; never R@cs && P@cs;";
const ALL_PAIRS: &str = "never (P@cs && Q@cs) || ((Q@cs && R@cs) || P@cs && R@cs);";

fn accepted() -> Vec<Case> {
    let three = [vec![0, 1, 2]];
    let two = [vec![0, 1]];
    vec![
        sequential(&lock(PAIRS), &three),
        sequential(&lock(ALL_PAIRS), &three),
        // Of two threads the question speaks, of the third it does not.
        sequential(&lock("never P@cs && Q@cs;"), &two),
        sequential(&lock("never P.o == 2;"), &[vec![1, 2]]),
        buffered(&lock(PAIRS), &three),
        buffered(&format!("{LOOK} exists P.r != Q.r && P.r == 2;").replace(" && P.r == 2", " && x == 2"), &two),
        by_finals(&format!("{LOOK} exists P.r + Q.r == 3;"), &two),
        by_merged(&format!("{AGAIN} never Q.r == 2 || R.r == 2;"), &[vec![1, 2]]),
        attacked(&lock(""), &three),
        // Of the attacker's group the others are still alike.
        attacked(&format!("{AGAIN} exists x == 2;"), &[vec![1, 2]]),
        // A group of one thread, or of none, says nothing.
        sequential(IN_TURN.replace("; e: skip", "").as_str(), &[vec![0], vec![]]).with(&format!("{IN_TURN} never P.r == 2;")),
    ]
}

trait With {
    fn with(self, text: &str) -> Case;
}

impl With for Case {
    /// The same groups for another program.
    fn with(self, text: &str) -> Case {
        sequential(text, &self.1.sc.map(|list| list.alike).unwrap_or_default())
    }
}

/// Refused by one condition alone. What is claimed is wrong in all of them.
pub(super) fn refused() -> Refused {
    let one_is_other = "memory x; thread P { xchg(x, 1); } thread Q { xchg(x, 2); } ";
    vec![
        // A thread that is twice in a group is lost when it is sorted.
        (Condition::AlikeGroups, sequential(&format!("{IN_TURN} exists P.r + Q.r == 1;"), &[vec![0, 1, 0]])),
        (Condition::AlikeGroups, sequential(&format!("{IN_TURN} exists P.r + Q.r == 1;"), &[vec![1, 0, 1]])),
        (
            Condition::AlikeGroups,
            attacked("memory x, y; thread P { x := 1; r := y; } thread Q { y := 1; r := x; }", &[vec![7], vec![0, 0], vec![1, 1]]),
        ),
        // The threads store different values.
        (Condition::AlikeCode, sequential(&format!("{one_is_other} exists x == 2;"), &[vec![0, 1]])),
        (Condition::AlikeCode, buffered(&format!("{one_is_other} exists x == 2;"), &[vec![0, 1]])),
        (Condition::AlikeCode, by_finals(&format!("{one_is_other} exists x == 2;"), &[vec![0, 1]])),
        // Only one of them is an attacker who succeeds.
        (
            Condition::AlikeCode,
            attacked("memory x, y; thread P { fence; y := 1; fence; r := x; } thread Q { fence; x := 1; skip; r := y; }", &[vec![0, 1]]),
        ),
        // The one that comes first is never sorted behind the other.
        (Condition::AlikeQuestion, sequential(&format!("{IN_TURN} exists P.r == 1 && Q.r == 0;"), &[vec![0, 1]])),
        (Condition::AlikeQuestion, buffered(&format!("{IN_TURN} exists P.r == 1;"), &[vec![0, 1]])),
        (Condition::AlikeQuestion, by_finals(&format!("{IN_TURN} exists P.r > Q.r;"), &[vec![0, 1]])),
        (Condition::AlikeQuestion, by_merged(&format!("{IN_TURN} exists P.r - Q.r == 1;"), &[vec![0, 1]])),
        // Of two questions that are turned into each other, one is about final states.
        (Condition::AlikeQuestion, sequential(&format!("{POINTS} never P@m && Q@a; exists Q@m && P@a;"), &[vec![0, 1]])),
    ]
}

#[test]
fn as_many_are_refused_as_accepted() {
    balanced(&accepted(), &refused());
}

#[test]
fn one_order_has_fewer_states_and_each_is_needed() {
    for (number, (program, certificate)) in accepted().into_iter().enumerate() {
        let lists = [&certificate.sc, &certificate.tso, &certificate.finals, &certificate.merged];
        for (place, list) in lists.into_iter().enumerate().filter_map(|(place, list)| Some((place, list.as_ref()?))) {
            for state in 0..list.states.len() {
                let mut mutant = certificate.clone();
                let lists = [&mut mutant.sc, &mut mutant.tso, &mut mutant.finals, &mut mutant.merged];
                lists.into_iter().nth(place).unwrap().as_mut().unwrap().states.change(|states| drop(states.remove(state)));
                assert!(!checked(&program, &mutant), "case {number}: state {state}");
            }
        }
    }
    let count = |groups: &Groups| sequential(&lock(PAIRS), groups).1.sc.unwrap().states.len();
    assert!(2 * count(&[vec![0, 1, 2]]) < count(&[]), "{} of {}", count(&[vec![0, 1, 2]]), count(&[]));
    let attacks = |groups: &Groups| attacked(&lock(""), groups).1.robust.unwrap().attackers.iter().map(crate::Rows::len).sum::<usize>();
    assert!(4 * attacks(&[vec![0, 1, 2]]) < attacks(&[]));
}

#[test]
fn a_thread_that_is_like_an_earlier_one_has_no_list() {
    let (program, certificate) = attacked(&lock(""), &[vec![0, 1, 2]]);
    let mut mutant = certificate.clone();
    let robust = mutant.robust.as_mut().unwrap();
    robust.attackers[1] = robust.attackers[0].clone();
    assert!(checked(&program, &certificate) && !checked(&program, &mutant));
    // And one that is not needs its own.
    mutant.robust.as_mut().unwrap().alike = vec![vec![1, 2]];
    assert!(!checked(&program, &mutant));
}

#[test]
fn groups_are_of_threads_that_are_there() {
    let (program, mut certificate) = sequential(&lock(PAIRS), &[vec![0, 1, 2]]);
    certificate.sc.as_mut().unwrap().alike = vec![vec![0, 1, 3]];
    assert_eq!(refusal(&(program, certificate)), Condition::AlikeGroups);
}

/// Which of two equal threads is the attacker is not forgotten.
#[test]
fn an_attacker_is_no_other_thread() {
    let thread = |name: &str| format!("thread {name} {{ o := fadd(t, 1); if (o == 0) {{ x := 1; r := y; }} else {{ y := 1; r := x; }} }} ");
    let text = format!("memory t, x, y; {}{}", thread("P"), thread("Q"));
    assert_eq!(refusal(&attacked(&text, &[vec![0, 1]])), Condition::RobustViolation);
}
