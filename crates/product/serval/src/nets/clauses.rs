//! Clauses about the tokens of a net, in words.

use serval_linear::Linear;
use serval_net_engine::inductive::clauses_shown;
use serval_net_proof::{Bound, Certificate, Clause};
use serval_petri::{Net, PlaceId, words};

/// What a certificate shows to hold in all markings that can be reached, a line each; none where it shows it otherwise.
pub fn invariant_in_words(net: &Net, certificate: &Certificate) -> Vec<String> {
    let mut clauses: Vec<Clause> = certificate.evidence.iter().flat_map(|about| clauses_shown(net, &about.evidence)).collect();
    // What is said in fewer words comes first.
    clauses.sort_by_cached_key(|clause| (clause.len(), clause.iter().map(|bound| bound.0.terms().len()).sum::<usize>(), clause.clone()));
    clauses.dedup();
    clauses.iter().map(|clause| clause_in_words(net, clause)).collect()
}

pub(super) fn clause_in_words(net: &Net, clause: &Clause) -> String {
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
    use crate::nets::{NetInput, NetKind, NetOptions, decide_net};

    const LOCK: &str = "pl free (1)\npl {a b} (2)\ntr take free {a b} -> held\ntr give held -> free {a b}\n";

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
