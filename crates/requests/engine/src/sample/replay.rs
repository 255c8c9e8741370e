//! A run once more, without some of its requests, or in another order.
//!
//! What a request does is asked of the system anew: it does the same as before if it can, and something like it
//! otherwise. Those that cannot go on when it is their turn do so at the end, or the run is none.

use serval_budget::{Budget, Stopped};
use serval_model::Moves;

use super::membership::{Membership, SerialQuestion, ask};
use super::play::{Act, Play, PlayEnd, World};

/// Pairs for the question whether answers are serial.
const PAIRS: usize = 20_000;
/// Steps of a request at the end.
const STEPS: usize = 400;

/// The run that comes of these acts in this order, if it is complete.
pub(super) fn replayed<M: Moves>(world: &mut World<M>, acts: &[Act], budget: &mut Budget) -> Result<Option<Play>, Stopped> {
    match performed(world, acts, budget) {
        Ok(play) => Ok(play.flight.is_empty().then_some(play)),
        Err(PlayEnd::Stopped(stopped)) => Err(stopped),
        Err(PlayEnd::Fails(_) | PlayEnd::Found) => Ok(None),
    }
}

fn performed<M: Moves>(world: &mut World<M>, acts: &[Act], budget: &mut Budget) -> Result<Play, PlayEnd<M::Stop>> {
    let mut play = Play::new(world.initial_global());
    // What number each request has now.
    let most = acts.iter().map(|act| act.thread as usize + 1).max().unwrap_or(0);
    let mut numbers: Vec<Option<u32>> = vec![None; most];
    for act in acts {
        match numbers[act.thread as usize] {
            None => {
                if world.come(&mut play, act.request, Some(act), budget)? {
                    numbers[act.thread as usize] = Some(play.threads - 1);
                }
            }
            Some(number) => {
                if let Some(position) = play.position(number) {
                    world.act(&mut play, position, Some(act), budget)?;
                }
            }
        }
    }
    let mut moved = true;
    while moved && !play.flight.is_empty() {
        moved = false;
        for number in play.flight.iter().map(|flying| flying.thread).collect::<Vec<_>>() {
            for _ in 0..STEPS {
                let Some(position) = play.position(number) else { break };
                if !world.act(&mut play, position, None, budget)? {
                    break;
                }
                moved = true;
            }
        }
        moved &= play.acts.len() < 2 * acts.len() + STEPS;
    }
    Ok(play)
}

/// Whether it is known that no serial run has the answers of a complete run.
pub(super) fn is_counterexample<M: Moves>(world: &mut World<M>, play: &Play, budget: &mut Budget) -> Result<bool, Stopped> {
    let from = world.initial_global();
    let question = SerialQuestion { from, letters: &play.answers, to: None, pairs: PAIRS };
    Ok(ask(&mut world.serial, question, budget)? == Membership::NotSerial)
}
