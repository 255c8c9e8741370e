//! Invariants: those that a user proposes, and those that were found, in words.

use serval_budget::Budget;
use serval_net_engine::inductive::{Proposed, ask_proposed, clauses_of};
use serval_net_engine::{GoalAnswer, GoalOutcome};
use serval_net_proof::{Claim, Evidence};
use serval_petri::{Net, Property, words};
use serval_report::nets::NetAnswer;

use super::clauses::clause_in_words;
use super::decided::{ReadQuestion, decided};
use super::{NetDecision, NetInput, NetOptions, NetQuestion};

/// Ticks for a formula that a user proposes.
const TICKS: u64 = 1 << 34;

/// Whether a formula that a user proposes is inductive: it holds in the beginning, and no transition leads from where
/// it holds to where it does not. If so, it is an invariant, with evidence. If not, nothing is said about whether it is
/// one, unless it does not hold in the beginning.
pub fn decide_proposed(input: &NetInput, question: &NetQuestion, options: &NetOptions) -> NetDecision {
    let net = &input.net;
    let undecided = |reason: &str| NetDecision::without(NetAnswer::Undecided, reason);
    let Some(asked) = ReadQuestion::new(net, question) else {
        return undecided("a number in the question does not fit 64 bits, or it nests too deep");
    };
    let (Property::Invariant(_), [goal]) = (&asked.property, &asked.goals[..]) else {
        return undecided("only invariant:FORMULA can be proposed as an invariant");
    };
    let answer = |claim, evidence| vec![GoalOutcome::Answer(GoalAnswer { claim, evidence, method: "induction" })];
    if goal.holds(&net.initial()) {
        let found = answer(Claim::Reachable, Evidence::Run(serval_net_proof::Run::default()));
        return decided(net, asked.worded(), &asked.goals, found, options);
    }
    let Some(clauses) = clauses_of(goal) else {
        return undecided("as clauses of bounds the formula is too long; propose its parts one by one");
    };
    match ask_proposed(net, goal, &clauses, &mut Budget::new(TICKS, options.cancel.clone())) {
        Ok(Proposed::Inductive(inductive)) => {
            let found = answer(Claim::Unreachable, Evidence::Inductive(*inductive));
            decided(net, asked.worded(), &asked.goals, found, options)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nets::NetKind;

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
}
