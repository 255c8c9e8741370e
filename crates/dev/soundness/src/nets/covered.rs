//! Coverability, three ways: a marking can be covered iff it can be reached once all places leak.

use serval_budget::Cancel;
use serval_net_engine::{GoalOutcome, Method, Session, decide};
use serval_net_proof::Claim;
use serval_petri::Property;

use crate::Tally;
use crate::nets::cases::{Case, goal_of};

/// Asks whether the marking of a case can be covered: by reaching it with leaks, by ω-markings, and backwards. Says
/// what is wrong.
pub fn ask(case: &Case, rounds: u32, tally: &mut Tally) -> Result<(), String> {
    let Case { net, target, told, .. } = case;
    let mut leaky = net.clone();
    for place in net.places() {
        leaky.add_transition(format!("leak {}", net.place_name(place)), [(place, 1)], []).map_err(|error| error.to_string())?;
    }
    let bounds: Vec<String> = net.places().map(|place| format!("{} >= {}", net.place_name(place), target[place.index()])).collect();
    let property = Property::parse(&format!("coverable:{}", bounds.join(" and ")), net).map_err(|error| error.message)?;
    let goal = property.goals(net).and_then(|mut goals| goals.pop()).ok_or("a number does not fit")?;
    let cancel = Cancel::new();
    let session = Session::new(net, &cancel);
    let by = |method| session.alone(net, std::slice::from_ref(&goal), method, rounds, &cancel).0.pop().unwrap_or_default();
    let reached = decide(&leaky, &[goal_of(&leaky, target)], rounds, &cancel).pop().unwrap_or_default();
    let answers = [("reached with leaks", reached), ("cover", by(Method::Cover)), ("backward", by(Method::Backward))];
    let mut known: Option<Claim> = None;
    for (name, found) in answers {
        if let GoalOutcome::Refused(answer, rejection) = &found {
            return Err(format!("{told}: {} is refused: {rejection}", answer.method));
        }
        let Some(claim) = found.answer().map(|answer| answer.claim) else {
            tally.count(format!("{name}, undecided"));
            continue;
        };
        if *known.get_or_insert(claim) != claim {
            return Err(format!("{told}: {name} says {}: {target:?} of {net:?}", claim.word()));
        }
        tally.count(format!("{name}, {}", claim.word()));
    }
    Ok(())
}
