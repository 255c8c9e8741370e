//! Random runs.

use std::fmt::Write as _;

use serval_diagnostic::counted;
use serval_model::SplitMix64;

use super::{Action, ActionKind, Simulator};

/// A run in which requests come at random times and take random turns, always the same for the same seed.
///
/// ```
/// use serval::Input;
/// use serval::simulator::{ProgramSimulator, RandomRun, Simulator};
/// let input = Input::program("request flip { X := 1 - X; X }").unwrap();
/// let mut simulator = ProgramSimulator::new(input.prepared().unwrap(), input.text());
/// let story = RandomRun { requests: 2, seed: 1, max_steps: 100 }.perform(&mut simulator);
/// assert!(story.starts_with("   1  #1 flip comes\n"));
/// assert_eq!(simulator.answers().len(), 2);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RandomRun {
    /// How many requests come.
    pub requests: u32,
    /// What the choices depend on.
    pub seed: u64,
    /// Steps after which it is given up.
    pub max_steps: u64,
}

impl RandomRun {
    /// Performs the run and tells it, a line for each event.
    pub fn perform(&self, simulator: &mut dyn Simulator) -> String {
        let mut random = SplitMix64::new(self.seed);
        let (mut to_come, mut steps) = (self.requests, 0);
        let mut out = String::new();
        loop {
            let actions = simulator.actions();
            let spawns: Vec<usize> = positions(&actions, |kind| kind == ActionKind::Spawn);
            let others: Vec<usize> = positions(&actions, |kind| kind != ActionKind::Spawn);
            // That some request comes is one possibility among the moves of those
            // in flight; which one is drawn afterwards.
            let spawn_possible = to_come > 0 && !spawns.is_empty();
            let possibilities = others.len() + usize::from(spawn_possible);
            if possibilities == 0 {
                break;
            }
            let drawn = usize::try_from(random.below(possibilities as u64)).unwrap_or(0);
            let chosen = match others.get(drawn) {
                Some(&chosen) => chosen,
                None => {
                    to_come -= 1;
                    random.pick(&spawns).unwrap_or(0)
                }
            };
            if actions[chosen].kind == ActionKind::Step {
                if steps == self.max_steps {
                    // Writing to a string does not fail.
                    let _ = writeln!(out, "  … given up after {}", counted(self.max_steps, "step"));
                    break;
                }
                steps += 1;
            }
            let _ = writeln!(out, "{:4}  {}", simulator.events_so_far() + 1, simulator.perform(chosen));
        }
        out
    }
}

fn positions(actions: &[Action], wanted: impl Fn(ActionKind) -> bool) -> Vec<usize> {
    actions.iter().enumerate().filter(|(_, action)| wanted(action.kind)).map(|(position, _)| position).collect()
}
