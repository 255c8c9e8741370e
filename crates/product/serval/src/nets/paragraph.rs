//! Why a goal cannot be reached, in a paragraph: what never changes, what stays marked or empty, or into which cases
//! all runs are split.
//!
//! What is said here is computed again from the net: a sentence that does not hold of it is not said.

use std::collections::{BTreeMap, BTreeSet};

use serval_diagnostic::counted;
use serval_linear::{Combination, Linear, Node, Reference, Tree};
use serval_net_proof::basis::Sparse;
use serval_net_proof::decomposition::sequence::{Label, label_of};
use serval_net_proof::inductive::Atom as _;
use serval_net_proof::separator::{self, Atom};
use serval_net_proof::{Basis, Bound, Certificate, Claim, Decomposition, Equation, Evidence, Separator, Weights, decomposition};
use serval_petri::{Formula, Net, PlaceId, Property, TransitionId, words};
use serval_states::gcd;

use super::clauses::{bound_in_words, invariant_in_words, sum_in_words};
use super::words_of::{Terms, listed};

/// Laws, markings and clauses that a paragraph tells.
const TOLD: usize = 3;
/// Names that a sentence has.
const NAMED: usize = 6;

/// The paragraph for evidence that a goal cannot be reached; nothing where there is none.
pub(super) fn paragraph(net: &Net, property: &Property, goals: &[Formula], certificate: &Certificate) -> Option<String> {
    if matches!(property, Property::QuasiLive | Property::NoDeadPlaces | Property::StableMarking) {
        return None;
    }
    let about = certificate.evidence.iter().find(|about| about.evidence.claim() == Claim::Unreachable)?;
    let asked = goals.get(about.goal).and_then(|goal| asked_for(net, goal));
    match &about.evidence {
        Evidence::Weights(weights) => Some(sums(net, weights, asked.as_ref())),
        Evidence::Dead(dead) => {
            let places = named(net, dead.places.iter().copied());
            Some(format!(
                "{places} are a siphon: whatever gives a token to one of them takes one from one of them, and all of them are empty in the beginning. So they stay empty."
            ))
        }
        Evidence::Equation(equation) => Some(marking_equation(net, equation, asked.as_ref())),
        Evidence::States(states) => {
            let all = counted(states.markings.len(), "marking");
            Some(format!(
                "The list of all markings that can be reached has {all}: it has the initial one, and each transition leads from each of them to one of them. None of them is asked for."
            ))
        }
        Evidence::Cover(cover) => {
            let markings = cover.markings.iter().map(|marking| Terms::plain(net).label(marking));
            Some(format!(
                "Whatever can be reached is below one of these, in which ω is more than every number: {}. No transition leads out from under them, and nothing that is asked for is below one.",
                some(markings)
            ))
        }
        Evidence::Basis(basis) => Some(above(net, basis, asked.as_ref())),
        Evidence::Stubborn(stubborn) => {
            let all = counted(stubborn.markings.len(), "marking");
            Some(format!(
                "At each of {all} only some of the transitions need be followed: the others can as well fire later, and do not undo a deadlock. So every deadlock that can be reached would be among these markings, and none of them is one."
            ))
        }
        Evidence::Toward(toward) => {
            let all = counted(toward.markings.len(), "marking");
            Some(format!(
                "At each of {all} only some of the transitions need be followed, among them all that help with what is asked for: the others can as well fire later. So what is asked for would be found among these markings, and none of them is it."
            ))
        }
        Evidence::Inductive(_) | Evidence::KInductive(_) => {
            let clauses = invariant_in_words(net, certificate);
            let told = clauses.iter().take(TOLD).cloned().collect::<Vec<_>>().join("; ");
            let more = clauses.len().saturating_sub(TOLD);
            let more = if more > 0 { format!("; and {more} more") } else { String::new() };
            (!told.is_empty()).then(|| format!("This is an inductive invariant, and it excludes what is asked for: {told}{more}."))
        }
        Evidence::Separator(separator) => clauses(net, separator),
        Evidence::Backward(backward) => against(net, &backward.evidence),
        Evidence::Decomposition(decomposition) => Some(tree(net, decomposition)),
        _ => None,
    }
}

/// What a separator says beside the marking equation.
fn clauses(net: &Net, separator: &Separator) -> Option<String> {
    let counting = separator::counting(net)?;
    let opposite = |atom: &Atom| {
        let terms = atom.linear().terms().iter().map(|&(place, factor)| (place, -i128::from(factor)));
        Linear::from_wide(terms, -i128::from(atom.linear().constant())).map(|linear| vec![Atom::bound(linear)])
    };
    // What holds in both directions is a law that needs no reason.
    let is_law = |clause: &Vec<Atom>| matches!(&clause[..], [atom] if atom.divisor().is_none() && opposite(atom).is_some_and(|other| separator.clauses.contains(&other)));
    let in_words = |atom: &Atom| match atom.divisor() {
        None => bound_in_words(&counting, &Bound(atom.linear().clone())),
        Some(divisor) => format!("{divisor} does not divide {}", sum_in_words(&counting, atom.linear())),
    };
    let told: Vec<String> = separator
        .clauses
        .iter()
        .filter(|clause| !is_law(clause))
        .map(|clause| clause.iter().map(in_words).collect::<Vec<_>>().join(" or "))
        .collect();
    (!told.is_empty()).then(|| {
        format!(
            "Beside the marking equation this is an inductive invariant, where “count t” is how often t has fired: {}. Together they exclude what is asked for.",
            listed(&told, TOLD)
        )
    })
}

/// Some markings, of which the first few are said.
fn some(markings: impl ExactSizeIterator<Item = String>) -> String {
    let more = markings.len().saturating_sub(TOLD);
    let told = markings.take(TOLD).collect::<Vec<_>>().join("; ");
    if more > 0 { format!("{told}; and {more} more") } else { told }
}

/// Above which markings all are from which a goal can be reached.
fn above(net: &Net, basis: &Basis, asked: Option<&Label>) -> String {
    if basis.markings.is_empty() && basis.excluded.is_empty() {
        return sums(net, &basis.weights, asked);
    }
    let label = |marking: &Sparse| {
        let mut label: Label = vec![Some(0); net.place_count()];
        for &(number, tokens) in marking {
            if let Some(place) = place(net, number) {
                label[place.index()] = Some(tokens);
            }
        }
        Terms::plain(net).label(&label)
    };
    let mut sentences = Vec::new();
    if !basis.markings.is_empty() {
        sentences.push(format!(
            "Whatever leads to something that is asked for has at least the tokens of one of these: {}. Against the transitions nothing leads out of that, and the initial marking has the tokens of none.",
            some(basis.markings.iter().map(label))
        ));
    }
    if !basis.excluded.is_empty() {
        let markings = basis.excluded.iter().map(|excluded| label(&excluded.marking));
        sentences.push(format!("By the marking equation nothing has the tokens of one of these: {}.", some(markings)));
    }
    if !basis.weights.sums.is_empty() {
        let laws = some_laws(net, &basis.weights, None);
        sentences.push(format!("What has more of a sum that no transition increases need not be looked at: {laws}."));
    }
    sentences.join(" ")
}

/// What is known of all markings from which a goal can be reached.
fn against(net: &Net, evidence: &Evidence) -> Option<String> {
    match evidence {
        Evidence::States(states) => {
            let all = counted(states.markings.len(), "marking");
            Some(format!(
                "The list of all markings from which something that is asked for can be reached has {all}: against the transitions nothing leads out of it. The initial marking is not among them."
            ))
        }
        Evidence::Cover(cover) => {
            let markings = cover.markings.iter().map(|marking| Terms::plain(net).label(marking));
            Some(format!(
                "Whatever leads to something that is asked for is below one of these, in which ω is more than every number: {}. Against the transitions nothing leads out from under them, and the initial marking is below none.",
                some(markings)
            ))
        }
        _ => None,
    }
}

/// The numbers that the goal says of places, if it has one case.
fn asked_for(net: &Net, goal: &Formula) -> Option<Label> {
    match &goal.targets(decomposition::sequence::MOST_CONDITIONS)?[..] {
        [target] => Some(label_of(net, target).0),
        _ => None,
    }
}

fn place(net: &Net, number: u32) -> Option<PlaceId> {
    PlaceId::try_from_index(usize::try_from(number).ok()?).filter(|place| place.index() < net.place_count())
}

fn named(net: &Net, places: impl Iterator<Item = u32>) -> String {
    let names: Vec<String> = places.filter_map(|number| place(net, number)).map(|place| format!("“{}”", net.place_name(place))).collect();
    listed(&names, NAMED)
}

/// A factor for some places.
type Factors = BTreeMap<u32, i128>;

/// What a sum of places never does, if no transition does it: a sentence with its value in the beginning and where it
/// is asked for.
fn law(net: &Net, factors: &Factors, modulus: i128, asked: Option<&Label>) -> Option<String> {
    let first = factors.values().find(|factor| **factor != 0)?.signum();
    let divisor = factors.values().fold(0, |divisor, factor: &i128| gcd(divisor, factor.unsigned_abs()));
    let divisor = i128::try_from(divisor).unwrap_or(1).max(1);
    // Multiples of a number that divides the modulus say more than what is left after dividing.
    let divisor = if modulus == 0 { divisor } else { 1 };
    let reduced = |factor: i128| if modulus == 0 { first * factor / divisor } else { factor.rem_euclid(modulus) };
    let factors: Vec<(PlaceId, i128)> =
        factors.iter().filter_map(|(&number, &factor)| Some((place(net, number)?, reduced(factor)))).filter(|one| one.1 != 0).collect();
    let value = |tokens: &dyn Fn(PlaceId) -> Option<u64>| {
        factors.iter().try_fold(0_i128, |sum, &(place, factor)| sum.checked_add(factor.checked_mul(i128::from(tokens(place)?))?))
    };
    let change = |transition: TransitionId| {
        let part = |arcs: &[(PlaceId, u64)], sign: i128| {
            arcs.iter().try_fold(0_i128, |sum, &(place, weight)| {
                let factor = factors.iter().find(|one| one.0 == place).map_or(0, |one| one.1);
                sum.checked_add(factor.checked_mul(i128::from(weight))?.checked_mul(sign)?)
            })
        };
        part(net.outputs(transition), 1)?.checked_add(part(net.inputs(transition), -1)?)
    };
    let changes = net.transitions().map(change).collect::<Option<Vec<i128>>>()?;
    let begins = value(&|place| Some(net.initial_tokens(place)))?;
    let ends = asked.and_then(|asked| value(&|place| asked.get(place.index()).copied().flatten()));
    let term = |&(place, factor): &(PlaceId, i128)| {
        let name = words::quoted(net.place_name(place));
        if factor.unsigned_abs() == 1 { name } else { format!("{}·{name}", factor.unsigned_abs()) }
    };
    let mut sum = String::new();
    for (number, one) in factors.iter().enumerate() {
        sum.push_str(match (number, one.1 < 0) {
            (0, true) => "−",
            (0, false) => "",
            (_, true) => " − ",
            (_, false) => " + ",
        });
        sum.push_str(&term(one));
    }
    if modulus != 0 {
        let rest = |number: i128| number.rem_euclid(modulus);
        if factors.is_empty() || changes.iter().any(|&change| rest(change) != 0) {
            return None;
        }
        let ends = ends.filter(|&ends| rest(ends) != rest(begins));
        let ends = ends.map_or_else(String::new, |ends| format!(", and {} where it is asked for", rest(ends)));
        return Some(format!("divided by {modulus}, {sum} always leaves the same rest: {} in the beginning{ends}", rest(begins)));
    }
    let (falls, grows) = (changes.iter().any(|&change| change < 0), changes.iter().any(|&change| change > 0));
    let never = match (falls, grows) {
        (false, false) => "never changes",
        (true, false) => "never grows",
        (false, true) => "never falls",
        (true, true) => return None,
    };
    let ends = ends.filter(|&ends| (ends > begins && !grows) || (ends < begins && !falls));
    let ends = ends.map_or_else(String::new, |ends| format!(", and {ends} where it is asked for"));
    Some(format!("{sum} {never}: it is {begins} in the beginning{ends}"))
}

/// What sums of weights do not do.
fn sums(net: &Net, weights: &Weights, asked: Option<&Label>) -> String {
    format!("Sums of tokens that no transition increases: {}. What is asked for would have more.", some_laws(net, weights, asked))
}

/// Some of the sums, each with its value in the beginning.
fn some_laws(net: &Net, weights: &Weights, asked: Option<&Label>) -> String {
    let laws = weights.sums.iter().filter_map(|sum| {
        let factors: Factors = sum.iter().map(|&(place, weight)| (place, i128::from(weight))).collect();
        law(net, &factors, 0, asked)
    });
    let laws: Vec<String> = laws.take(TOLD).collect();
    let more = weights.sums.len().saturating_sub(laws.len());
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    format!("{}{more}", laws.join("; "))
}

/// What the equation says: laws that its proof adds up, with the traps that it needs.
fn marking_equation(net: &Net, equation: &Equation, asked: Option<&Label>) -> String {
    let mut sentences: Vec<String> = Vec::new();
    for trap in equation.traps.iter().take(TOLD) {
        let places = named(net, trap.iter().copied());
        sentences.push(format!("{places} are a trap: whatever takes from them gives to them, and one of them is marked in the beginning, so that always one of them is."));
    }
    for unfed in equation.unfed.iter().take(TOLD) {
        let places = named(net, unfed.iter().copied());
        sentences.push(format!(
            "{places} have no token in the beginning, so that something else has to feed them before anything takes from them."
        ));
    }
    let laws = laws(net, &equation.tree, asked);
    if !laws.is_empty() {
        let told = laws.iter().take(TOLD).cloned().collect::<Vec<_>>().join("; ");
        sentences.push(format!("By the marking equation, {told}."));
    }
    let cases = equation.tree.nodes.iter().filter(|node| matches!(node, Node::Farkas { .. } | Node::Lattice { .. })).count();
    sentences.push(match cases {
        1 => "So no numbers of firings lead there.".to_owned(),
        cases => format!("In each of {cases} cases no numbers of firings lead there."),
    });
    sentences.join(" ")
}

/// The sums of places that the leaves of a tree multiply and add up, as far as they say something alone.
fn laws(net: &Net, tree: &Tree, asked: Option<&Label>) -> Vec<String> {
    // The first equalities of the marking equation are those of places, in order.
    let of = |combination: &Combination| -> Factors {
        let factors = combination.iter().filter_map(|&(reference, factor)| match reference {
            Reference::Fact(number) => place(net, number).map(|_| (number, factor)),
            Reference::AtLeastZero(_) => None,
        });
        factors.collect()
    };
    let mut told = BTreeSet::new();
    let leaves = tree.nodes.iter().filter_map(|node| match node {
        Node::Farkas { combination } => law(net, &of(combination), 0, asked),
        Node::Lattice { modulus, combination, .. } => law(net, &of(combination), *modulus, asked),
        Node::Clause { .. } | Node::Bound { .. } | Node::Residue { .. } => None,
    });
    leaves.filter(|law| told.insert(law.clone())).take(TOLD).collect()
}

/// The tree of a decomposition, with its sizes.
fn tree(net: &Net, decomposition: &Decomposition) -> String {
    use decomposition::SequenceStep;
    let mut parts: Vec<String> = Vec::new();
    let (mut graphs, mut markings, mut refuted, mut leaves, mut values, mut arcs) = ([0_usize; 2], 0_usize, 0, 0, Vec::new(), 0_usize);
    for step in &decomposition.steps {
        match step {
            SequenceStep::Refuted(_) => refuted += 1,
            SequenceStep::Forward(covering) | SequenceStep::Backward(covering) => {
                graphs[usize::from(matches!(step, SequenceStep::Backward(_)))] += 1;
                markings = markings.max(covering.vertices.len());
            }
            SequenceStep::Order(_) => {}
            SequenceStep::Leave(_) => leaves += 1,
            SequenceStep::Value(value) => values.push(u32::try_from(value.place).unwrap_or(u32::MAX)),
            SequenceStep::First(_) => arcs += 1,
        }
    }
    let times = |number: usize| if number == 1 { "once".to_owned() } else { format!("{number} times") };
    for (number, from) in graphs.into_iter().zip(["their beginning", "their end"]) {
        if number > 0 {
            parts.push(format!("{} a part of the runs was replaced by what it can do from {from}", times(number)));
        }
    }
    if markings > 0 {
        parts.push(format!("the largest such graph has {}", counted(markings, "marking")));
    }
    if leaves > 0 {
        parts.push(format!("{} a graph was split where a run leaves one of its parts", times(leaves)));
    }
    if !values.is_empty() {
        let number = values.len();
        values.sort_unstable();
        values.dedup();
        parts.push(format!("{} the tokens of a place were listed ({})", times(number), named(net, values.into_iter())));
    }
    if arcs > 0 {
        parts.push(format!("{} runs were split at the first use of something that is used finitely often", times(arcs)));
    }
    let how = if parts.is_empty() { String::new() } else { format!(" {}.", capital(&parts.join("; "))) };
    let end = match refuted {
        0 => "In the end no case was left.".to_owned(),
        1 => "In the end one case was left, whose equation has no solution.".to_owned(),
        refuted => format!("In the end {refuted} cases were left, none of whose equations has a solution."),
    };
    format!("All runs there were split into cases, in {}.{how} {end}", counted(decomposition.steps.len(), "step"))
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
