//! Boundedness (Karp, Miller 1969): evidence that places are bounded, or that one of them is not.
//!
//! **Theorem.** Places are bounded if the checker accepts evidence of one of these kinds for them:
//!
//! - `weights` that bound each of them (`net.bounded.weights`, and [`bounds`](crate::bounds));
//! - `states`, which lists all reachable markings, so that there are finitely many;
//! - `cover` with numbers for them ([`cover`]).
//!
//! One of them is unbounded if the checker accepts `pump` ([`pump`]). Other kinds show neither (`net.claim`).

use serval_budget::Budget;
use serval_evidence::require;
use serval_petri::{Formula, Net, PlaceId};

use crate::bounds::bounds_of;
use crate::{Claim, Evidence, Refusal, cover, pump, states};

/// Checks the evidence, and says what it shows of the places.
pub fn check_bounded(net: &Net, places: &[PlaceId], evidence: &Evidence, budget: &mut Budget) -> Result<Claim, Refusal> {
    match evidence {
        Evidence::Pump(pump) => {
            pump::check(net, places, pump, budget)?;
            return Ok(Claim::Unbounded);
        }
        Evidence::Cover(cover) => cover::check_bounded(net, places, cover, budget)?,
        // No marking is in a goal that is empty.
        Evidence::States(states) => states::check(net, &Formula::any([]), states, budget)?,
        Evidence::Weights(weights) => {
            let bounds = bounds_of(net, weights, budget)?;
            let free = places.iter().find(|place| bounds[place.index()].is_none());
            if let Some(&place) = free {
                require!(BoundedWeights, false, "no sum bounds “{}”", net.place_name(place));
            }
        }
        other => require!(Claimed, false, "evidence of kind {} shows nothing of bounds", other.kind()),
    }
    Ok(Claim::Bounded)
}
