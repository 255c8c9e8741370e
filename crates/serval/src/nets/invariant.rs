//! Invariants: those that somebody proposes, and those that were found, in words.

use serval_budget::Budget;
use serval_linear::Linear;
use serval_netproof::{Bound, Certificate, Claim, Clause, Evidence};
use serval_nets::inductive::{Proposed, ask_proposed, clauses_of, clauses_shown};
use serval_nets::{Answer, Found};
use serval_petri::{Net, PlaceId, Property, words};
use serval_report::nets::NetAnswer;

use super::session::{Asked, decided};
use super::{NetDecision, NetInput, NetOptions, NetQuestion};

/// Ticks for a formula that somebody proposes.
const TICKS: u64 = 1 << 34;

/// Whether a formula that somebody proposes is inductive: it holds in the beginning, and no transition leads from where it holds to where it does not. If
/// so, it is an invariant, with evidence. If not, nothing is said about whether it is one, unless it does not hold in the beginning.
pub fn decide_proposed(input: &NetInput, question: &NetQuestion, options: &NetOptions) -> NetDecision {
    let net = &input.net;
    let undecided = |reason: &str| NetDecision::without(NetAnswer::Undecided, reason);
    let Some(asked) = Asked::new(net, question) else {
        return undecided("a number in the question does not fit 64 bits, or it nests too deep");
    };
    let (Property::Invariant(_), [goal]) = (&asked.property, &asked.goals[..]) else {
        return undecided("only invariant:FORMULA can be proposed as an invariant");
    };
    let answer = |claim, evidence| vec![Found::Answer(Answer { claim, evidence, method: "induction" })];
    if goal.holds(&net.initial()) {
        let found = answer(Claim::Reachable, Evidence::Run(serval_netproof::Run::default()));
        return decided(net, &asked.property, &asked.goals, found, options);
    }
    let Some(clauses) = clauses_of(goal) else {
        return undecided("as clauses of bounds the formula is too long; propose its parts one by one");
    };
    match ask_proposed(net, goal, &clauses, &mut Budget::new(TICKS, options.cancel.clone())) {
        Ok(Proposed::Inductive(inductive)) => {
            let found = answer(Claim::Unreachable, Evidence::Inductive(*inductive));
            decided(net, &asked.property, &asked.goals, found, options)
        }
        Ok(Proposed::Broken { clause, transition, marking }) => {
            let name = net.transitions().nth(transition).map_or("", |transition| net.transition_name(transition));
            undecided(&format!(
                "it is not inductive: it holds where {}, but “{name}” ends that {}",
                marking_in_words(net, &marking),
                clause_in_words(net, &clauses[clause])
            ))
        }
        Ok(Proposed::Unfit) => undecided("a number does not fit"),
        Err(_) => undecided("no answer was found within the limits"),
    }
}

/// The places that have tokens, with how many.
fn marking_in_words(net: &Net, marking: &[u64]) -> String {
    let marked = net.places().zip(marking).filter(|one| *one.1 > 0);
    let words: Vec<String> = marked.map(|(place, tokens)| format!("{} = {tokens}", words::quoted(net.place_name(place)))).collect();
    if words.is_empty() { "all places are empty".to_owned() } else { format!("{} and the rest is 0", words.join(", ")) }
}

/// What a certificate shows to hold in all markings that can be reached, a line each; none where it shows it otherwise.
pub fn invariant_in_words(net: &Net, certificate: &Certificate) -> Vec<String> {
    let mut clauses: Vec<Clause> = certificate.evidence.iter().flat_map(|about| clauses_shown(net, &about.evidence)).collect();
    // What is said in fewer words comes first.
    clauses.sort_by_cached_key(|clause| (clause.len(), clause.iter().map(|bound| bound.0.terms().len()).sum::<usize>(), clause.clone()));
    clauses.dedup();
    clauses.iter().map(|clause| clause_in_words(net, clause)).collect()
}

fn clause_in_words(net: &Net, clause: &Clause) -> String {
    clause.iter().map(|bound| bound_in_words(net, bound)).collect::<Vec<_>>().join(" or ")
}

/// `2*b`, whatever the sign.
fn term_in_words(net: &Net, (place, factor): (u32, i64)) -> String {
    let name = PlaceId::try_from_index(place as usize).filter(|place| place.index() < net.place_count()).map(|place| net.place_name(place));
    let name = words::quoted(name.unwrap_or("?"));
    if factor.unsigned_abs() == 1 { name } else { format!("{}*{name}", factor.unsigned_abs()) }
}

/// `a + 2*b - 3`.
pub(super) fn sum_in_words(net: &Net, linear: &Linear) -> String {
    let mut text = String::new();
    let constant = linear.constant();
    let terms = linear.terms().iter().map(|&term| (term.1 < 0, term_in_words(net, term)));
    for (is_negative, word) in terms.chain((constant != 0).then(|| (constant < 0, constant.unsigned_abs().to_string()))) {
        text += match (text.is_empty(), is_negative) {
            (true, false) => "",
            (true, true) => "-",
            (false, false) => " + ",
            (false, true) => " - ",
        };
        text += &word;
    }
    if text.is_empty() { "0".to_owned() } else { text }
}

/// `a + 2*b <= 3` rather than `3 - a - 2*b >= 0`.
pub(super) fn bound_in_words(net: &Net, Bound(bound): &Bound) -> String {
    let sum = |sign: i64| -> Vec<String> {
        bound.terms().iter().filter(|term| term.1.signum() == sign).map(|&term| term_in_words(net, term)).collect()
    };
    let constant = i128::from(bound.constant());
    match (&sum(1)[..], &sum(-1)[..]) {
        ([], []) => (if constant >= 0 { "true" } else { "false" }).to_owned(),
        ([], [one]) if constant == 0 => format!("{one} = 0"),
        (more, []) => format!("{} >= {}", more.join(" + "), -constant),
        ([], less) => format!("{} <= {constant}", less.join(" + ")),
        (more, less) if constant == 0 => format!("{} <= {}", less.join(" + "), more.join(" + ")),
        (more, less) if constant > 0 => format!("{} <= {} + {constant}", less.join(" + "), more.join(" + ")),
        (more, less) => format!("{} + {} <= {}", less.join(" + "), -constant, more.join(" + ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nets::{NetKind, decide_net};

    const LOCK: &str = "pl free (1)\npl {a b} (2)\ntr take free {a b} -> held\ntr give held -> free {a b}\n";

    #[test]
    fn what_is_proposed_is_inductive_or_broken_somewhere() {
        let input = NetInput::read(LOCK, NetKind::Tina).unwrap();
        let proposed =
            |formula: &str| decide_proposed(&input, &input.question(&format!("invariant:{formula}")).unwrap(), &NetOptions::default());
        let inductive = proposed("free + held = 1 and held <= 1");
        assert_eq!((inductive.answer, inductive.kinds()), (NetAnswer::Holds, vec!["inductive"]));
        assert_eq!(proposed("held = 1").answer, NetAnswer::DoesNotHold);
        // It is an invariant, but no inductive one.
        let broken = proposed("held <= 1");
        assert_eq!(broken.answer, NetAnswer::Undecided);
        assert_eq!(
            broken.reason.unwrap(),
            "it is not inductive: it holds where free = 1, \"a b\" = 1, held = 1 and the rest is 0, but “take” ends that held <= 1"
        );
        let question = input.question("one-safe").unwrap();
        assert_eq!(decide_proposed(&input, &question, &NetOptions::default()).answer, NetAnswer::Undecided);
    }

    #[test]
    fn what_was_proved_is_told_in_words() {
        let input = NetInput::read(LOCK, NetKind::Tina).unwrap();
        let question = input.question("invariant:held <= 1").unwrap();
        let options = NetOptions { method: Some(crate::nets::NetMethod::Pdr), ..NetOptions::default() };
        let certificate = decide_net(&input, &question, &options).certificate.unwrap();
        assert_eq!(invariant_in_words(input.net(), &certificate), ["free + held <= 1"]);
        for (terms, constant, words) in [
            (vec![(0, 1)], -2, "free >= 2"),
            (vec![(2, -1)], 0, "held = 0"),
            (vec![(0, 2), (1, -1)], 0, "\"a b\" <= 2*free"),
            (vec![(0, 2), (1, -1)], 3, "\"a b\" <= 2*free + 3"),
            (vec![(0, 2), (1, -1)], -3, "\"a b\" + 3 <= 2*free"),
            (vec![], -1, "false"),
        ] {
            assert_eq!(bound_in_words(input.net(), &Bound(Linear::new(terms, constant).unwrap())), words);
        }
    }
}
