//! A net without what does not matter for a question.

use serval_budget::Cancel;
use serval_net_engine::reduce::{RULES, reduced_by, rules_named};
use serval_net_proof::{LeftOut, NeverFire, certificate};
use serval_petri::{Formula, Net, PlaceId, TransitionId, words};

use super::{NetInput, NetQuestion};

/// The names of the rules, in the order in which they are tried.
pub fn reduction_rules() -> impl Iterator<Item = &'static str> {
    RULES.into_iter().map(|rule| rule.0)
}

/// A smaller net, with the question about it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ReducedNet {
    /// What is left.
    pub net: Net,
    /// What is asked of it, as a property in words: whether markings can be reached. `None` where it nests too deep for
    /// words.
    pub question: Option<String>,
    /// What was left out, in order: the kind of an entry, and the names of nodes.
    pub left_out: Vec<(&'static str, Vec<String>)>,
    /// The same, as certificates have it, with the fingerprint of the net and both questions.
    script: serde_json::Value,
}

/// Why a question has no smaller net.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoReduction {
    /// It asks about so many sets of markings, not about one.
    Goals(usize),
    /// It does not ask whether markings can be reached, or a number in it does not fit 64 bits.
    Other,
    /// The work was stopped.
    Stopped,
}

/// Leaves out what does not matter for a question, by the rules with these names.
///
/// ```
/// use serval::nets::{NetInput, NetKind, reduced_net};
/// use serval_budget::Cancel;
/// let text = "pl a (1)\ntr t a -> p\ntr u p -> b\ntr v b -> c\n";
/// let input = NetInput::read(text, NetKind::Tina).unwrap();
/// let question = input.question("invariant:a + c <= 1").unwrap();
/// let smaller = reduced_net(&input, &question, &["post"], &Cancel::new()).unwrap();
/// assert_eq!(smaller.left_out, [("post", vec!["p".to_owned()])]);
/// assert_eq!((smaller.net.place_count(), smaller.net.transition_count()), (3, 2));
/// assert_eq!(smaller.question.unwrap(), "reachable:a + c >= 2");
/// ```
pub fn reduced_net(
    input: &NetInput,
    question: &NetQuestion,
    rules: &[impl AsRef<str>],
    cancel: &Cancel,
) -> Result<ReducedNet, NoReduction> {
    let net = input.net();
    let goals = question.property.goals(net).ok_or(NoReduction::Other)?;
    let [goal] = &goals[..] else { return Err(NoReduction::Goals(goals.len())) };
    let reduced = reduced_by(net, goal, &rules_named(rules), cancel);
    if cancel.is_cancelled() {
        return Err(NoReduction::Stopped);
    }
    let entries = reduced.as_ref().map_or(&[][..], |reduced| &reduced.entries);
    let (mut left, mut left_out) = ((net.clone(), goal.clone()), Vec::new());
    for entry in entries {
        left_out.push(named(&left.0, entry));
        left = entry.applied(&left.0, &left.1).map(|smaller| (smaller.net, smaller.goal)).ok_or(NoReduction::Other)?;
    }
    let (smaller, goal) = left;
    let asked = if Formula::deadlock(&smaller).as_ref() == Some(&goal) {
        Some("reachable:deadlock".to_owned())
    } else {
        words::text(&goal, &smaller).map(|text| format!("reachable:{text}"))
    };
    let script = serde_json::json!({
        "net": certificate::fingerprint(net),
        "property": question.name,
        "entries": entries,
        "smaller": certificate::fingerprint(&smaller),
        "question": asked,
    });
    Ok(ReducedNet { net: smaller, question: asked, left_out, script })
}

impl ReducedNet {
    /// What was left out, as JSON.
    pub fn script(&self) -> String {
        format!("{:#}\n", self.script)
    }
}

/// The kind of an entry, and the names of the nodes that it is about.
fn named(net: &Net, entry: &LeftOut) -> (&'static str, Vec<String>) {
    let place = |number: &u32| PlaceId::try_from_index(*number as usize).map(|place| net.place_name(place).to_owned());
    let transition =
        |number: &u32| TransitionId::try_from_index(*number as usize).map(|transition| net.transition_name(transition).to_owned());
    match entry {
        LeftOut::Places(places) => ("places", places.iter().filter_map(place).collect()),
        LeftOut::Post(places) => ("post", places.iter().filter_map(place).collect()),
        LeftOut::Pre(places) => ("pre", places.iter().filter_map(place).collect()),
        LeftOut::Implicit(places) => ("implicit", places.iter().filter_map(|one| place(&one.0)).collect()),
        LeftOut::Divided(places) => ("divided", places.iter().filter_map(|one| place(&one.0)).collect()),
        LeftOut::Dead(NeverFire { transitions, .. }) => ("dead", transitions.iter().filter_map(transition).collect()),
        LeftOut::Idle(transitions) => ("idle", transitions.iter().filter_map(transition).collect()),
        LeftOut::Like(pairs) => ("like", pairs.iter().filter_map(|pair| transition(&pair.0)).collect()),
    }
}
